// SPDX-License-Identifier: MIT
/*
 * plan: one preview of one Iceberg table, as lines that a test can read. Asks no catalog: the metadata's URL is told.
 *
 *   plan VIEW TABLE METADATA-URL [engine=NAME] [s3=ADDRESS:PORT] [key=KEY] [secretfile=FILE] [now=MS] [older=MS] [retain=N]
 *        [files=N] [other=TABLE=LOCATION]...
 *
 * Prints "figure NAME VALUE" and "row COLUMN=VALUE..." with tabs between; files: manifests that may be read.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

enum { OTHERS_MAX = 32, SECRET_MAX = 200 };

static const struct {
	const char *view;
	bool (*plan)(struct probe *p, const struct storage *at, const struct iceberg_metadata *m, const struct plan_about *a, struct snapshot *s);
} views[] = {
	{"compact", plan_compact}, {"expire", plan_expire}, {"manifests", plan_manifests}, {"deletes", plan_deletes}, {"orphans", plan_orphans},
};

struct question {
	struct probe probe;
	struct storage at;
	struct plan_about about;
	struct plan_place others[OTHERS_MAX];
	char secret[SECRET_MAX];
};

static bool read_secret(struct question *q, const char *path)
{
	FILE *f = fopen(path, "re");
	bool good = f && fgets(q->secret, sizeof q->secret, f);

	if (f)
		fclose(f);
	q->secret[strcspn(q->secret, "\r\n")] = '\0';
	q->at.password = q->secret;
	return good;
}

static bool read_setting(struct question *q, char *s)
{
	char *value = strchr(s, '='), *second;
	int64_t n = 0;

	if (!value)
		return false;
	*value++ = '\0';
	second = strchr(value, !strcmp(s, "s3") ? ':' : '=');
	if (!strcmp(s, "engine"))
		q->about.engine = value;
	else if (!strcmp(s, "key"))
		q->at.user = value;
	else if (!strcmp(s, "secretfile"))
		return read_secret(q, value);
	else if (!strcmp(s, "other") && second && q->about.n_others < OTHERS_MAX) {
		*second++ = '\0';
		q->others[q->about.n_others++] = (struct plan_place){value, second};
	} else if (!strcmp(s, "s3") && second && text_i64(text_of(second + 1), &n)) {
		text_copy(q->at.s3.address, sizeof q->at.s3.address, (struct text){value, (size_t)(second - value)});
		q->at.s3.port = (uint16_t)n;
	} else if (!text_i64(text_of(value), &n))
		return false;
	else if (!strcmp(s, "now"))
		q->about.now = n;
	else if (!strcmp(s, "older"))
		q->about.older_than = n;
	else if (!strcmp(s, "retain"))
		q->about.retain_last = n;
	else if (!strcmp(s, "files"))
		q->about.budget.files = n;
	else
		return false;
	return true;
}

struct reading {
	struct iceberg_reader *r;
	struct err err;
};

static bool take(void *ctx, const char *bytes, size_t len)
{
	struct reading *r = ctx;

	return iceberg_reader_feed(r->r, bytes, len, &r->err);
}

static struct iceberg_metadata *read_metadata(struct question *q, struct err *err)
{
	struct reading r = {.r = iceberg_reader_new()};

	if (storage_stream(&q->probe, &q->at, q->about.metadata, 1 << 30, take, &r, err) == STORAGE_OK)
		return iceberg_reader_finish(r.r, err);
	if (r.err.code)
		*err = r.err;
	iceberg_reader_free(r.r);
	return NULL;
}

static void print_value(struct value v)
{
	if (v.type == VALUE_INT)
		printf("%s%" PRId64, v.at_least ? ">=" : "", v.u.i);
	else
		printf("%s", v.type == VALUE_TEXT ? v.u.s : "-");
}

static void print(const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_figures; i++) {
		printf("figure\t%s\t", s->figures[i].spec->name);
		print_value(s->figures[i].value);
		putchar('\n');
	}
	for (size_t i = 0; i < s->n_tables; i++)
		for (size_t r = 0; r < s->tables[i].n_rows; r++) {
			printf("row");
			for (size_t c = 0; c < s->tables[i].n_columns; c++) {
				printf("\t%s=", s->tables[i].spec->columns[c].name);
				print_value(s->tables[i].cells[r * s->tables[i].n_columns + c]);
			}
			putchar('\n');
		}
}

static int answer(struct question *q, const char *view)
{
	struct snapshot *s = snapshot_new("plan", PART_ANSWER);
	struct iceberg_metadata *m;
	bool good = false, known = false;

	q->probe.arena = s->arena;
	q->probe.wait = wait_for(60000, -1);
	m = read_metadata(q, &s->err);
	for (size_t i = 0; m && i < sizeof views / sizeof *views; i++)
		if (!strcmp(views[i].view, view)) {
			known = true;
			good = views[i].plan(&q->probe, &q->at, m, &q->about, s);
		}
	if (m && !known)
		err_set(&s->err, ERR_USAGE, "no view %s", view);
	if (good)
		print(s);
	else
		fprintf(stderr, "plan: %s\n", s->err.words);
	if (m)
		iceberg_metadata_free(m);
	snapshot_unref(s);
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct question q = {.about = {.engine = "lake", .budget = {.bytes = 1 << 30, .files = 100000, .memory = 64 << 20}}};
	int result;

	if (argc < 4) {
		fprintf(stderr, "usage: plan VIEW TABLE METADATA-URL [NAME=VALUE...]\n");
		return 2;
	}
	q.about.table = argv[2];
	q.about.metadata = argv[3];
	q.about.others = q.others;
	q.about.now = clock_wall_ms();
	for (int i = 4; i < argc; i++)
		if (!read_setting(&q, argv[i])) {
			fprintf(stderr, "plan: \"%s\" is no setting\n", argv[i]);
			return 2;
		}
	signal(SIGPIPE, SIG_IGN);
	q.probe.host = host_local();
	q.probe.net = net_new(q.probe.host);
	q.probe.hint = "";
	result = answer(&q, argv[1]);
	net_free(q.probe.net);
	q.probe.host->close(q.probe.host);
	return result;
}
