// SPDX-License-Identifier: MIT
/*
 * delta: reads Delta tables by their folders, without a profile, and prints one view of each as JSON, a line per table. For
 * trying one by hand, and for tests that hold the figures against Spark's.
 *
 *   delta [-s ADDRESS:PORT -u KEYFILE] VIEW URL...     KEYFILE: the key, and on its second line the secret
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "delta.h"
#include "json.h"

enum { KEY_MOST = 4096, OUT_MOST = 64 << 20, READ_MS = 60000, MEMORY = 64 << 20, BYTES_MOST = 1 << 30, COMMITS_MOST = 10000 };

static void put_table(struct json_writer *w, const struct table *t)
{
	json_open(w, t->spec->name, '[');
	for (size_t r = 0; r < t->n_rows; r++) {
		json_open(w, NULL, '{');
		for (size_t c = 0; c < t->n_columns; c++)
			json_put_value(w, t->spec->columns[c].name, t->cells[r * t->n_columns + c], UNIT_NONE);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_row(const struct delta_table *t, struct snapshot *s)
{
	struct table *table = snapshot_table(s, catalog_tables, "tables");
	struct value *row = table_row(s, table);
	struct table_health health;

	delta_health(t, &health);
	table_set(s, table, row, "name", value_text(t->url));
	delta_row(t, &health, s, table, row);
}

static bool read_one(struct probe *p, const struct storage *at, const char *view, const char *url, struct buf *out)
{
	struct arena *arena = arena_new(MEMORY);
	struct snapshot *s = snapshot_new(url, PART_ANSWER);
	struct delta_ask ask = {.latest = -1, .bytes = BYTES_MOST, .commits = COMMITS_MOST, .probe = true};
	struct delta_table t;
	struct json_writer w;
	int64_t begun = clock_ms();
	bool good;

	p->wait = wait_for(READ_MS, -1);
	p->requests = 0;
	p->bytes = 0;
	good = delta_read(p, at, url, &ask, arena, &t, &s->err) == DELTA_OK;
	if (good && !strcmp(view, "row"))
		put_row(&t, s);
	else if (good)
		good = delta_view(p, at, &t, view, NULL, s);
	json_begin(&w, out, false);
	json_open(&w, NULL, '{');
	json_put_text(&w, "url", url);
	json_put_text(&w, "error", good ? NULL : s->err.words);
	json_put_i64(&w, "ms", clock_ms() - begun);
	json_put_i64(&w, "requests", p->requests);
	json_put_i64(&w, "bytes", (int64_t)p->bytes);
	for (size_t i = 0; i < s->n_figures; i++)
		json_put_value(&w, s->figures[i].spec->name, s->figures[i].value, UNIT_NONE);
	for (size_t i = 0; i < s->n_tables; i++)
		put_table(&w, &s->tables[i]);
	json_close(&w, '}');
	buf_puts(out, "\n");
	snapshot_unref(s);
	arena_free(arena);
	return good;
}

static bool read_place(const char *s, struct storage *at)
{
	const char *colon = strrchr(s, ':');
	int64_t port;

	if (!colon || !text_i64(text_of(colon + 1), &port) || port < 1 || port > 65535)
		return false;
	text_copy(at->s3.address, sizeof at->s3.address, (struct text){s, (size_t)(colon - s)});
	at->s3.port = (uint16_t)port;
	return true;
}

static bool read_key(const char *path, char key[KEY_MOST], struct storage *at)
{
	FILE *f = fopen(path, "re");
	size_t len = f ? fread(key, 1, KEY_MOST - 1, f) : 0;
	char *second;

	if (f)
		fclose(f);
	key[len] = '\0';
	second = strchr(key, '\n');
	if (!second)
		return false;
	*second++ = '\0';
	second[strcspn(second, "\n")] = '\0';
	at->user = key;
	at->password = second;
	return true;
}

int main(int argc, char **argv)
{
	static char key[KEY_MOST];
	struct storage at = {0};
	struct probe p = {.hint = ""};
	struct buf out;
	bool good = true;
	int c;

	while ((c = getopt(argc, argv, "s:u:")) != -1)
		good &= c == 's' ? read_place(optarg, &at) : c == 'u' && read_key(optarg, key, &at);
	if (!good || argc - optind < 2) {
		fprintf(stderr, "usage: delta [-s ADDRESS:PORT -u KEYFILE] VIEW URL...\n");
		return 2;
	}
	p.host = host_local();
	p.net = net_new(p.host);
	for (int i = optind + 1; i < argc; i++) {
		buf_init(&out, OUT_MOST);
		good &= read_one(&p, &at, argv[optind], argv[i], &out);
		fputs(out.at, stdout);
		buf_free(&out);
	}
	net_free(p.net);
	p.host->close(p.host);
	return good ? 0 : 1;
}
