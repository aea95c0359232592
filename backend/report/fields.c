// SPDX-License-Identifier: MIT
/*
 * Fields by table, and the tables of facts.h. Values move by memcpy, because the table knows types
 * that the compiler does not see. Pure.
 */
#include "fields.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every number but a double, as 64 bits; unknown is what stands for it in that type of field. */
static int64_t whole_take(const struct field *f, const char *from, int64_t *unknown)
{
	union {
		int i;
		unsigned u;
		uint16_t port;
		int64_t wide;
	} is = {0};

	memcpy(&is, from, f->size);
	*unknown = f->type == FIELD_COUNT ? -1 : 0;
	switch (f->type) {
	case FIELD_INT:
		return is.i;
	case FIELD_UNSIGNED:
		return is.u;
	case FIELD_PORT:
		return is.port;
	case FIELD_I64:
	case FIELD_EXACT:
	case FIELD_COUNT:
	case FIELD_TEXT:
	case FIELD_LETTER:
	case FIELD_BOOL:
	case FIELD_REAL:
		break;
	}
	return is.wide;
}

static void field_write(struct json_writer *w, const struct field *f, const char *from)
{
	int64_t whole, unknown;
	double real;

	switch (f->type) {
	case FIELD_TEXT:
		if (from[0])
			json_put_text(w, f->name, from);
		break;
	case FIELD_LETTER:
		if (from[0])
			json_put_text(w, f->name, (const char[]){from[0], '\0'});
		break;
	case FIELD_BOOL:
		if (from[0])
			json_put_bool(w, f->name, true);
		break;
	case FIELD_REAL:
		memcpy(&real, from, sizeof real);
		if (isfinite(real))
			json_put_real(w, f->name, real);
		break;
	case FIELD_INT:
	case FIELD_UNSIGNED:
	case FIELD_PORT:
	case FIELD_I64:
	case FIELD_EXACT:
	case FIELD_COUNT:
		whole = whole_take(f, from, &unknown);
		if (whole != unknown)
			json_put_i64(w, f->name, whole);
		break;
	}
}

/* A whole number within what its field can hold; else what stands for unknown. */
static int64_t number_within(const struct json *node, int64_t least, int64_t most, int64_t otherwise)
{
	int64_t i;

	return json_i64(node, &i) && i >= least && i <= most ? i : otherwise;
}

static void whole_read(const struct json *node, const struct field *f, char *into)
{
	int64_t most = f->type == FIELD_EXACT ? INT64_MAX : INT64_C(1) << 60;
	int64_t wide = number_within(node, f->type == FIELD_EXACT ? INT64_MIN : -most, most, f->type == FIELD_COUNT ? -1 : 0);
	int i = (int)number_within(node, INT_MIN, INT_MAX, 0);
	unsigned u = (unsigned)number_within(node, 0, UINT_MAX, 0);
	uint16_t port = (uint16_t)number_within(node, 0, UINT16_MAX, 0);

	if (f->type == FIELD_INT)
		memcpy(into, &i, sizeof i);
	else if (f->type == FIELD_UNSIGNED)
		memcpy(into, &u, sizeof u);
	else if (f->type == FIELD_PORT)
		memcpy(into, &port, sizeof port);
	else
		memcpy(into, &wide, sizeof wide);
}

static void field_read(const struct json *node, const struct field *f, char *into)
{
	double real = (double)NAN;
	char letter[5];
	bool yes = false;

	switch (f->type) {
	case FIELD_TEXT:
		text_clean(into, f->size, text_of(json_string(node)));
		break;
	case FIELD_LETTER:
		text_clean(letter, sizeof letter, text_of(json_string(node)));
		into[0] = letter[0] > 0 ? letter[0] : '\0';
		break;
	case FIELD_BOOL:
		json_bool(node, &yes);
		memcpy(into, &yes, sizeof yes);
		break;
	case FIELD_REAL:
		json_real(node, &real);
		memcpy(into, &real, sizeof real);
		break;
	case FIELD_INT:
	case FIELD_UNSIGNED:
	case FIELD_PORT:
	case FIELD_I64:
	case FIELD_EXACT:
	case FIELD_COUNT:
		whole_read(node, f, into);
		break;
	}
}

void fields_write(struct json_writer *w, const struct field *fields, const void *from)
{
	for (; fields->name; fields++)
		field_write(w, fields, (const char *)from + fields->at);
}

void fields_read(const struct json *object, const struct field *fields, void *into)
{
	for (; fields->name; fields++)
		field_read(json_get(object, fields->name), fields, (char *)into + fields->at);
}

/* ---- the structs of facts.h ---- */

static const struct field box_fields[] = {
	FIELD(box, memory_total, I64), FIELD(box, memory_available, I64), FIELD(box, swap_total, I64), FIELD(box, swap_free, I64),
	FIELD(box, load1, REAL), FIELD(box, load5, REAL), FIELD(box, load15, REAL), FIELD(box, cores, INT),
	FIELD(box, oom_kills, COUNT), FIELD(box, uptime, I64), {0},
};

static const struct field disk_fields[] = {
	FIELD(disk, path, TEXT), FIELD(disk, total, I64), FIELD(disk, free, I64), FIELD(disk, inodes_free, COUNT),
	FIELD(disk, device, I64), FIELD(disk, read_only, BOOL), FIELD(disk, why, TEXT), {0},
};

static const struct field listener_fields[] = {
	FIELD(listener, address, TEXT), FIELD(listener, port, PORT), FIELD(listener, uid, UNSIGNED), FIELD(listener, inode, EXACT),
	FIELD(listener, pid, INT), FIELD(listener, pid_probable, BOOL), FIELD(listener, container, TEXT), FIELD(listener, unit, TEXT),
	FIELD(listener, proxied, TEXT), FIELD(listener, open, BOOL), {0},
};

static const struct field process_fields[] = {
	FIELD(process, pid, INT), FIELD(process, parent, INT), FIELD(process, uid, UNSIGNED), FIELD(process, state, LETTER),
	FIELD(process, name, TEXT), FIELD(process, hint, TEXT), FIELD(process, container, TEXT), FIELD(process, unit, TEXT),
	FIELD(process, started, I64), FIELD(process, rss, I64), FIELD(process, cpu, REAL), FIELD(process, exe_deleted, BOOL), {0},
};

static const struct field container_fields[] = {
	FIELD(container, id, TEXT), FIELD(container, name, TEXT), FIELD(container, image, TEXT), FIELD(container, state, TEXT),
	FIELD(container, health, TEXT), FIELD(container, status, TEXT), FIELD(container, error, TEXT), FIELD(container, ports, TEXT),
	FIELD(container, network, TEXT), FIELD(container, project, TEXT), FIELD(container, service, TEXT),
	FIELD(container, workdir, TEXT), FIELD(container, version, TEXT), FIELD(container, restarts, COUNT),
	FIELD(container, exit_code, COUNT), FIELD(container, started, I64), FIELD(container, created, I64),
	FIELD(container, image_created, I64), FIELD(container, oom_killed, BOOL), {0},
};

static const struct field facts_fields[] = {
	FIELD(facts, hostname, TEXT), FIELD(facts, processes_whole, BOOL), FIELD(facts, docker_words, TEXT), {0},
};

static const char *const docker_words[] = {
	[DOCKER_UNKNOWN] = "unknown", [DOCKER_NONE] = "none", [DOCKER_DENIED] = "denied", [DOCKER_DEAD] = "dead", [DOCKER_OK] = "ok",
};

/* ---- the lists of struct facts: a pointer to rows, and how many ---- */

#define LIST(member, of, fields) \
	{#member, fields, sizeof(struct of), offsetof(struct facts, member), offsetof(struct facts, n_##member)}

static const struct list {
	const char *name;
	const struct field *fields;
	size_t row_size, rows_at, count_at;
} lists[] = {
	LIST(disks, disk, disk_fields), LIST(listeners, listener, listener_fields), LIST(processes, process, process_fields),
	LIST(containers, container, container_fields),
};

static void list_write(struct json_writer *w, const struct list *l, const struct facts *f)
{
	const char *rows;
	size_t n;

	memcpy(&rows, (const char *)f + l->rows_at, sizeof rows);
	memcpy(&n, (const char *)f + l->count_at, sizeof n);
	if (!n)
		return;
	json_open(w, l->name, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(w, NULL, '{');
		fields_write(w, l->fields, rows + i * l->row_size);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static bool list_read(const struct json *array, const struct list *l, struct facts *f, struct arena *arena)
{
	size_t n = json_is_array(array) ? json_count(array) : 0;
	char *rows = n ? arena_alloc(arena, n * l->row_size) : NULL, *row = rows;

	if (n && !rows)
		return false;
	for (const struct json *item = n ? json_first(array) : NULL; item; item = json_next(item), row += l->row_size)
		fields_read(item, l->fields, row);
	memcpy((char *)f + l->rows_at, &rows, sizeof rows);
	memcpy((char *)f + l->count_at, &n, sizeof n);
	return true;
}

void facts_write(struct json_writer *w, const char *key, const struct facts *f)
{
	json_open(w, key, '{');
	fields_write(w, facts_fields, f);
	if ((size_t)f->docker < sizeof docker_words / sizeof *docker_words)
		json_put_text(w, "docker", docker_words[f->docker]);
	json_open(w, "box", '{');
	fields_write(w, box_fields, &f->box);
	json_close(w, '}');
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		list_write(w, &lists[i], f);
	json_close(w, '}');
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

const struct facts *facts_read(const struct json *object, struct arena *arena)
{
	struct facts *f = arena_alloc(arena, sizeof *f);
	const char *docker = json_string(json_get(object, "docker"));
	struct process *processes;

	if (!f)
		return NULL;
	fields_read(object, facts_fields, f);
	fields_read(json_get(object, "box"), box_fields, &f->box);
	for (size_t i = 0; docker && i < sizeof docker_words / sizeof *docker_words; i++)
		if (!strcmp(docker, docker_words[i]))
			f->docker = (enum docker_state)i;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (!list_read(json_get(object, lists[i].name), &lists[i], f, arena))
			return NULL;
	/* facts_process() searches by halves: whoever wrote the line, it must be sorted */
	memcpy(&processes, &f->processes, sizeof processes);
	if (f->n_processes)
		qsort(processes, f->n_processes, sizeof *processes, by_pid);
	return f;
}
