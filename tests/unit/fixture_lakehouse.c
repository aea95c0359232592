// SPDX-License-Identifier: MIT
/* See fixture_lakehouse.h. */
#include "fixture_lakehouse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

enum { OBJECTS_MAX = 4096, TAR_BLOCK = 512, URL_MAX = 400, TAR_MOST = 64 << 20 };

struct lakehouse {
	struct buf tar;
	struct { char url[URL_MAX]; struct text bytes; } *objects;
	size_t n;
	struct fake_server *server;
};

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: cannot be read (tests are run from the root of the source)\n", what);
	abort();
}

static void unpack(const char *path, struct buf *out)
{
	gzFile f = gzopen(path, "rbe");
	char piece[16384];
	int n;

	must(f != NULL, path);
	buf_init(out, TAR_MOST);
	while ((n = gzread(f, piece, sizeof piece)) > 0)
		must(buf_add(out, piece, (size_t)n), path);
	must(n == 0 && gzclose(f) == Z_OK, path);
}

void lakehouse_put(struct lakehouse *l, const char *s3_url, struct text bytes)
{
	size_t i = 0;

	while (i < l->n && strcmp(l->objects[i].url, s3_url) != 0)
		i++;
	must(i < OBJECTS_MAX && strlen(s3_url) < URL_MAX, s3_url);
	if (i == l->n)
		snprintf(l->objects[l->n++].url, URL_MAX, "%s", s3_url);
	l->objects[i].bytes = bytes;
}

/* GNU tar: a block of 512 bytes with name and size in octal, then the file in whole blocks; a long name is a file before its own. */
static void list_objects(struct lakehouse *l, const char *path)
{
	struct text longer = TEXT("");

	for (size_t at = 0; at + TAR_BLOCK <= l->tar.len && l->tar.at[at];) {
		const char *header = l->tar.at + at;
		size_t size = (size_t)strtoul(header + 124, NULL, 8);
		struct text name = longer.len ? longer : (struct text){header, strnlen(header, 100)};
		char url[URL_MAX];

		must(at + TAR_BLOCK + size <= l->tar.len && strchr("05L", header[156]), path);
		longer = header[156] == 'L' ? text_of(header + TAR_BLOCK) : TEXT("");
		snprintf(url, sizeof url, "s3://%.*s", (int)name.len, name.at);
		if (header[156] == '0')
			lakehouse_put(l, url, (struct text){header + TAR_BLOCK, size});
		at += TAR_BLOCK + (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	}
	must(l->n > 0, path);
}

struct text lakehouse_object(const struct lakehouse *l, const char *s3_url)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->objects[i].url, s3_url))
			return l->objects[i].bytes;
	return TEXT("");
}

static void decode(char *out, size_t size, struct text path)
{
	size_t n = 0;

	for (size_t i = 0; i < path.len && n < size - 1; i++) {
		unsigned code = 0;

		if (path.at[i] == '%' && i + 2 < path.len && sscanf(path.at + i + 1, "%2x", &code) == 1) {
			out[n++] = (char)code;
			i += 2;
		} else {
			out[n++] = path.at[i];
		}
	}
	out[n] = '\0';
}

static bool serve(void *ctx, struct text question, struct buf *out)
{
	struct lakehouse *l = ctx;
	char url[URL_MAX] = "s3:/";
	struct text bytes;

	if (!text_skip(&question, "GET "))
		return false;
	decode(url + 4, sizeof url - 4, text_until(question, ' '));
	bytes = lakehouse_object(l, url);
	if (!bytes.len) {
		fake_http(out, 404, "", "<Error><Code>NoSuchKey</Code></Error>");
		return false;
	}
	buf_printf(out, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", bytes.len);
	buf_add(out, bytes.at, bytes.len);
	return false;
}

struct lakehouse *lakehouse_open(const char *name)
{
	struct lakehouse *l = mem_new(1, sizeof *l);
	char path[256];

	snprintf(path, sizeof path, "tests/lab/fixture/%s-metadata.tar.gz", name);
	l->objects = mem_new(OBJECTS_MAX, sizeof *l->objects);
	unpack(path, &l->tar);
	list_objects(l, path);
	l->server = fake_server_start(serve, l);
	return l;
}

void lakehouse_close(struct lakehouse *l)
{
	fake_server_stop(l->server);
	buf_free(&l->tar);
	free(l->objects);
	free(l);
}

struct storage lakehouse_storage(const struct lakehouse *l)
{
	return (struct storage){.s3 = fake_server_at(l->server)};
}

const char *lakehouse_newest(const struct lakehouse *l, const char *folder)
{
	const char *newest = NULL;

	for (size_t i = 0; i < l->n; i++) {
		struct text t = text_of(l->objects[i].url);

		if (text_skip(&t, folder) && text_skip(&t, "/metadata/") && t.len > 5 && t.at[0] >= '0' && t.at[0] <= '9' && t.at[5] == '-' &&
		    text_has(t, ".metadata.json") && (!newest || strcmp(newest, l->objects[i].url) < 0))
			newest = l->objects[i].url;
	}
	return newest;
}

static bool feed(void *ctx, const char *bytes, size_t len)
{
	return iceberg_reader_feed(ctx, bytes, len, NULL);
}

struct iceberg_metadata *lakehouse_table(const struct lakehouse *l, struct probe *p, const char *folder)
{
	struct iceberg_reader *r = iceberg_reader_new();
	struct storage at = lakehouse_storage(l);
	const char *url = lakehouse_newest(l, folder);
	struct err err = {0};
	struct iceberg_metadata *m;
	enum storage_answer answer;

	must(url != NULL, folder);
	answer = storage_stream(p, &at, url, INT64_C(1) << 40, feed, r, &err);
	m = iceberg_reader_finish(r, &err);
	if (answer != STORAGE_OK || !m)
		must(false, err.words);
	return m;
}

struct json *lakehouse_truth(const char *name)
{
	char path[256];
	struct json *truth;
	struct buf text;

	snprintf(path, sizeof path, "tests/lab/fixture/truth-%s.json", name);
	unpack(path, &text);
	truth = json_parse(buf_text(&text), NULL);
	must(truth != NULL, path);
	buf_free(&text);
	return truth;
}
