// SPDX-License-Identifier: MIT
/*
 * Spark Connect's messages, apart from the connection, and which settings of the process may be shown. Pure.
 * Source: Spark's base.proto; measured on 4.0.5, 4.1.4 and 4.2.1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "protobuf.h"
#include "spark_connect.h"

void connect_uuid(char out[CONNECT_ID_SIZE], const unsigned char bytes[16])
{
	unsigned char b[16];

	memcpy(b, bytes, sizeof b);
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	for (size_t i = 0; i < sizeof b; i++, out += 2) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*out++ = '-';
		snprintf(out, 3, "%02x", b[i]);
	}
}

void connect_draw_id(char out[CONNECT_ID_SIZE])
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		abort(); /* cannot be: 16 bytes are never cut short */
	connect_uuid(out, bytes);
}

/* session_id = 1, user_context = 2 {user_id = 1}. */
void connect_put_caller(struct buf *out, const char *session)
{
	struct buf user;

	buf_init(&user, 64);
	protobuf_put_text(&user, 1, "laketop");
	protobuf_put_text(out, 1, session);
	protobuf_put_bytes(out, 2, buf_text(&user));
	buf_free(&user);
}

void connect_put_analyze(struct buf *out, const char *session)
{
	connect_put_caller(out, session);
	protobuf_put_text(out, 3, "laketop");
	protobuf_put_bytes(out, 10, TEXT("")); /* spark_version */
}

void connect_put_release(struct buf *out, const char *session)
{
	connect_put_caller(out, session);
	protobuf_put_text(out, 3, "laketop");
}

/* ConfigRequest: operation = 3 {get_option = 4 {keys = 1}} or {get_all = 5 {prefix = 1}}. */
void connect_put_config(struct buf *out, const char *session, const char *const *keys, const char *prefix)
{
	struct buf what, operation;

	buf_init(&what, 4096);
	buf_init(&operation, 4096);
	for (size_t i = 0; keys && keys[i]; i++)
		protobuf_put_text(&what, 1, keys[i]);
	if (prefix)
		protobuf_put_text(&what, 1, prefix);
	protobuf_put_bytes(&operation, prefix ? 5 : 4, buf_text(&what));
	connect_put_caller(out, session);
	protobuf_put_bytes(out, 3, buf_text(&operation));
	protobuf_put_text(out, 4, "laketop");
	buf_free(&what);
	buf_free(&operation);
}

bool connect_is_about(struct text answer, const char *session)
{
	struct protobuf_field id;

	return protobuf_find(answer, 1, PROTOBUF_BYTES, &id) && text_is(id.bytes, session);
}

bool connect_read_version(struct text answer, const char *session, char out[SPARK_VERSION_SIZE])
{
	struct protobuf_field part, version;

	if (!connect_is_about(answer, session) || !protobuf_find(answer, 8, PROTOBUF_BYTES, &part) ||
	    !protobuf_find(part.bytes, 1, PROTOBUF_BYTES, &version) || !spark_is_version(version.bytes))
		return false;
	text_copy(out, SPARK_VERSION_SIZE, version.bytes);
	return true;
}

/* ---- settings ---- */

/* Up to the end of a URL in a list of them. */
static size_t url_run(struct text t, const char *stops)
{
	size_t run = 0;

	while (run < t.len && !strchr(stops, t.at[run]))
		run++;
	return run;
}

static void skip(struct text *t, size_t n)
{
	t->at += n;
	t->len -= n;
}

/* User information, queries and parameters of URLs may be secrets: they are cut off. What then still
 * looks like "user@host" is not shown at all. */
static void put_public(struct buf *out, struct text value)
{
	while (value.len) {
		struct text head = text_between(value, "", "://"), authority;

		if (!head.len) {
			buf_add(out, value.at, value.len);
			break;
		}
		buf_add(out, value.at, head.len + 3);
		skip(&value, head.len + 3);
		authority = (struct text){value.at, url_run(value, "/?,; ")};
		for (size_t i = authority.len; i > 0; i--)
			if (value.at[i - 1] == '@') {
				skip(&value, i);
				break;
			}
		buf_add(out, value.at, url_run(value, "?,; "));
		skip(&value, url_run(value, "?,; "));
		if (value.len && value.at[0] != ',')
			skip(&value, url_run(value, ","));
	}
	if (out->len && memchr(out->at, '@', out->len)) {
		buf_reset(out);
		buf_puts(out, "(not shown)");
	}
}

const char *const connect_keys[] = {
	"spark.app.id", "spark.app.name", "spark.app.startTime", "spark.master", "spark.submit.deployMode", "spark.driver.host",
	"spark.ui.port", "spark.jars", "spark.sql.extensions", "spark.sql.defaultCatalog", "spark.sql.warehouse.dir",
	"spark.eventLog.dir", NULL,
};
const char connect_catalogs[] = "spark.sql.catalog."; /* get_all takes it off its keys */

/* Of a catalog's settings the ones that say which it is; users, keys and all others are never kept. */
static bool catalog_setting(struct text name)
{
	static const char *const parts[] = {"type", "uri", "warehouse", "io-impl", "catalog-impl", "s3.endpoint", NULL};
	struct text part = text_after(name, '.');

	for (size_t i = 0; parts[i]; i++)
		if (text_is(part, parts[i]))
			return true;
	return !text_has(name, ".");
}

static bool setting_wanted(struct text name, bool of_catalogs)
{
	if (of_catalogs)
		return name.len > 0 && catalog_setting(name);
	for (size_t i = 0; connect_keys[i]; i++)
		if (text_is(name, connect_keys[i]))
			return true;
	return false;
}

void connect_read_config(struct text answer, bool of_catalogs, struct connect_settings *out)
{
	struct protobuf_field pair, name, value;
	bool damaged = false;

	while (protobuf_next(&answer, &pair, &damaged)) {
		struct connect_setting *at = &out->at[out->n];
		struct buf public;

		if (pair.number != 2 || pair.wire != PROTOBUF_BYTES || !protobuf_find(pair.bytes, 1, PROTOBUF_BYTES, &name) ||
		    !protobuf_find(pair.bytes, 2, PROTOBUF_BYTES, &value) || !setting_wanted(name.bytes, of_catalogs))
			continue;
		if (out->n == CONNECT_SETTINGS_MAX) {
			out->left_off++;
			continue;
		}
		buf_init(&public, sizeof at->value);
		put_public(&public, value.bytes);
		snprintf(at->name, sizeof at->name, "%s%.*s", of_catalogs ? connect_catalogs : "", (int)(name.bytes.len < 100 ? name.bytes.len : 100),
			name.bytes.at);
		text_copy(at->value, sizeof at->value, buf_text(&public));
		buf_free(&public);
		out->n++;
	}
}

const char *connect_setting(const struct connect_settings *settings, const char *name)
{
	for (size_t i = 0; i < settings->n; i++)
		if (!strcmp(settings->at[i].name, name))
			return settings->at[i].value;
	return NULL;
}
