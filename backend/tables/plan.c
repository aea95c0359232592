// SPDX-License-Identifier: MIT
/*
 * See plan.h. Sizes as SizeBasedFileRewritePlanner of Iceberg 1.8 to 1.11 has them, with the same
 * arithmetic in double; checked against what the procedures of 1.11.0 did (test_plans.py).
 */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>


/* ---- a bounded map ---- */

static uint64_t mixed(uint64_t h)
{
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdULL;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ULL;
	h ^= h >> 33;
	return h ? h : 1;
}

uint64_t plan_hash(struct text t)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < t.len; i++)
		h = (h ^ (unsigned char)t.at[i]) * 0x100000001b3ULL;
	return mixed(h);
}

uint64_t plan_hash_more(uint64_t key, uint64_t more)
{
	return mixed(key * 0x9e3779b97f4a7c15ULL + more);
}

static struct plan_cell *cell_of(const struct plan_map *map, uint64_t key)
{
	size_t i = (size_t)mixed(key) & (map->room - 1);

	while (map->cells[i].key && map->cells[i].key != key)
		i = (i + 1) & (map->room - 1);
	return &map->cells[i];
}

static bool map_grow(struct plan_map *map)
{
	size_t room = map->room ? map->room * 2 : 64;
	struct plan_map larger = {.room = room, .n = map->n, .memory = map->memory};
	int64_t cost = (int64_t)(room * sizeof *map->cells); /* the old one is there meanwhile */

	if (*map->memory < cost)
		return false;
	*map->memory -= cost;
	larger.cells = mem_new(room, sizeof *larger.cells);
	for (size_t i = 0; i < map->room; i++)
		if (map->cells[i].key)
			*cell_of(&larger, map->cells[i].key) = map->cells[i];
	*map->memory += (int64_t)(map->room * sizeof *map->cells);
	free(map->cells);
	*map = larger;
	return true;
}

int64_t *plan_map_find(const struct plan_map *map, uint64_t key)
{
	struct plan_cell *cell = map->room ? cell_of(map, key ? key : 1) : NULL;

	return cell && cell->key ? &cell->value : NULL;
}

int64_t *plan_map_add(struct plan_map *map, uint64_t key)
{
	struct plan_cell *cell;
	int64_t *known = plan_map_find(map, key);

	if (known)
		return known;
	if (map->n * 4 >= map->room * 3 && !map_grow(map))
		return NULL;
	cell = cell_of(map, key ? key : 1);
	cell->key = key ? key : 1;
	map->n++;
	return &cell->value;
}

void plan_map_free(struct plan_map *map)
{
	if (map->memory)
		*map->memory += (int64_t)(map->room * sizeof *map->cells);
	free(map->cells);
	*map = (struct plan_map){.memory = map->memory};
}

bool plan_grow(void *array, size_t *room, size_t size, int64_t *memory)
{
	void **at = array;
	size_t more = *room < 32 ? 32 : *room / 2;

	if (*memory < (int64_t)(more * size))
		return false;
	*memory -= (int64_t)(more * size);
	*at = mem_grow(*at, *room + more, size);
	*room += more;
	return true;
}

int64_t plan_add(int64_t a, int64_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? (b < 0 ? 0 : b) : a;
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* ---- sizes ---- */

static int64_t share(int64_t bytes, double of)
{
	double x = (double)bytes * of;

	return x >= 9223372036854775807.0 ? INT64_MAX : (int64_t)x;
}

bool plan_sizes_of(int64_t target, struct plan_sizes *out)
{
	*out = (struct plan_sizes){.target = target};
	if (target <= 0)
		return false;
	out->least = share(target, 0.75);
	out->most = share(target, 1.80);
	out->write_most = share(1, (double)target + (double)(out->most - target) * 0.5);
	return out->least < target && target < out->most;
}

int64_t plan_becomes(const struct plan_sizes *z, int64_t bytes)
{
	int64_t whole, rest;
	double fits = 1.1 * (double)z->target;

	if (bytes < z->target)
		return 1;
	whole = bytes / z->target;
	rest = bytes % z->target;
	if (!rest)
		return whole;
	if (rest > z->least)
		return whole + 1; /* the last file is large enough to stand */
	if (fits > (double)z->write_most)
		fits = (double)z->write_most;
	return (double)(bytes / whole) < fits ? whole : whole + 1;
}

/* ---- SQL ---- */

bool plan_part(struct text *rest, struct text *part)
{
	size_t i = 0;

	if (!rest->len)
		return false;
	if (rest->at[0] == '"') {
		for (i = 1; i < rest->len && rest->at[i] != '"'; i++)
			continue;
		*part = (struct text){rest->at + 1, i - 1};
		i += i < rest->len;
	} else {
		*part = text_until(*rest, '.');
		i = part->len;
	}
	i += i < rest->len && rest->at[i] == '.';
	rest->at += i;
	rest->len -= i;
	return true;
}

/* An identifier in back quotes, in a literal (escapes doubled) or bare. */
static bool put_name(struct buf *out, struct text name, bool in_literal)
{
	bool good = buf_puts(out, "`");

	for (size_t i = 0; good && i < name.len; i++) {
		char c = name.at[i];

		if (c == '`')
			good = buf_puts(out, "``");
		else if (in_literal && (c == '\'' || c == '\\'))
			good = buf_printf(out, "\\%c", c);
		else
			good = buf_add(out, &c, 1);
	}
	return good && buf_puts(out, "`");
}

static bool put_call(struct buf *out, const struct plan_about *a, const char *procedure, const char *rest)
{
	struct text name = text_of(a->table), part;

	if (!text_is_clean(name) || !text_is_clean(text_of(a->engine)) || !name.len || !a->engine || !a->engine[0])
		return false;
	if (!buf_puts(out, "CALL ") || !put_name(out, text_of(a->engine), false) || !buf_printf(out, ".system.%s(table => '", procedure) ||
	    !put_name(out, text_of(a->engine), true))
		return false;
	while (plan_part(&name, &part))
		if (!part.len || !buf_puts(out, ".") || !put_name(out, part, true))
			return false;
	return buf_printf(out, "'%s)", rest);
}

bool plan_call(struct buf *out, const struct plan_about *a, const char *procedure, const char *rest)
{
	if (put_call(out, a, procedure, rest))
		return true;
	buf_reset(out);
	return buf_puts(out, "") && false;
}

void plan_sql(struct snapshot *s, const struct plan_about *a, const char *procedure, const char *rest)
{
	struct buf b;

	buf_init(&b, 4096);
	if (plan_call(&b, a, procedure, rest))
		snapshot_figure(s, plan_figures, "sql", value_text(b.at));
	buf_free(&b);
}

/* ---- what is said ---- */

void plan_figure(struct snapshot *s, const char *name, int64_t n)
{
	snapshot_figure(s, plan_figures, name, n < 0 ? value_unknown() : value_int(n));
}

void plan_say(struct snapshot *s, const char *name, const char *format, ...)
{
	char words[700];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	snapshot_figure(s, plan_figures, name, value_text(words));
}

bool plan_finds_nothing(const char *words)
{
	return !strncmp(words, "nothing to ", sizeof "nothing to " - 1); /* others say that nothing can, or may, be done */
}

struct plan_text plan_bytes(int64_t bytes)
{
	char words[VALUE_TEXT_SIZE];
	struct plan_text out = {""};

	text_copy(out.s, sizeof out.s, text_of(value_show(words, value_int(bytes), UNIT_BYTES)));
	return out;
}

struct plan_text plan_days(int64_t ms)
{
	struct plan_text out = {""};

	if (ms >= 2 * 86400000LL)
		snprintf(out.s, sizeof out.s, "%" PRId64 " d", ms / 86400000);
	else if (ms >= 2 * 3600000)
		snprintf(out.s, sizeof out.s, "%" PRId64 " h", ms / 3600000);
	else if (ms >= 2 * 60000)
		snprintf(out.s, sizeof out.s, "%" PRId64 " min", ms / 60000);
	else
		snprintf(out.s, sizeof out.s, "%" PRId64 " s", ms / 1000);
	return out;
}

struct plan_text plan_time(int64_t ms)
{
	struct plan_text out = {""};
	char words[CLOCK_TEXT];

	text_copy(out.s, sizeof out.s, text_of(clock_rfc3339(words, ms))); /* 2026-11-29T13:05:11.204Z: 24 with its Z */
	out.s[10] = ' ';
	return out;
}

/* ---- manifests ---- */

enum { SHOWN = 100 }; /* the end of a path tells more than its beginning */

struct live {
	bool (*each)(void *ctx, const struct iceberg_file *f);
	void *ctx;
};

static bool each_live(void *ctx, const struct iceberg_file *f)
{
	struct live *l = ctx;

	return f->status == ICEBERG_DELETED || l->each(l->ctx, f);
}

bool plan_files(struct probe *p, const struct storage *at, const struct iceberg_manifest *of, struct iceberg_budget *budget,
	bool (*each)(void *ctx, const struct iceberg_file *f), void *ctx, struct err *err)
{
	struct live l = {each, ctx};
	char url[STORAGE_URL_SIZE];
	struct err why = {0};
	struct buf b;
	bool good = false;

	if (budget->files < 1 || budget->bytes < of->bytes)
		return err_set(err, ERR_LIMIT, "more manifests than may be read at once");
	if (of->path.len >= sizeof url)
		return err_set(err, ERR_LIMIT, "a manifest's path is too long");
	budget->files--;
	buf_init(&b, budget->bytes < ICEBERG_MANIFEST_MOST ? (size_t)budget->bytes : ICEBERG_MANIFEST_MOST);
	if (storage_read(p, at, text_copy(url, sizeof url, of->path), &b, err) == STORAGE_OK) {
		budget->bytes -= (int64_t)b.len;
		good = iceberg_read_manifest(buf_text(&b), of, each_live, &l, &why);
		if (!good)
			err_set(err, why.code, "%s%s: %s", of->path.len > SHOWN ? "..." : "", url + (of->path.len > SHOWN ? of->path.len - SHOWN : 0), why.words);
	}
	buf_free(&b);
	return good;
}

uint64_t plan_hash_url(struct text url)
{
	struct text t = url;

	if (text_skip(&t, "s3://") || text_skip(&t, "s3a://") || text_skip(&t, "s3n://"))
		return plan_hash_more(plan_hash(t), 3);
	if (text_skip(&t, "file:"))
		while (t.len > 1 && t.at[0] == '/' && t.at[1] == '/') {
			t.at++;
			t.len--;
		}
	return plan_hash(t);
}
