// SPDX-License-Identifier: MIT
/*
 * See s3_list.h. libcurl 7.88 signs a query as it stands, so that it must be sorted and escaped
 * before: "prefix=a/b" is refused, "prefix=a%2Fb" is not. Source: the S3 API, ListObjectsV2.
 */
#include "s3_list.h"

#include <string.h>
#include <time.h>

#include "../format/xml.h"

enum { NAME_MAX_BYTES = 1024, TOKEN_MAX = 4096, DEPTH_MAX = 8 };

/* ---- questions ---- */

static bool put_escaped(struct buf *out, struct text t, bool slashes)
{
	for (size_t i = 0; i < t.len; i++) {
		char c = t.at[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
			c == '~' || (slashes && c == '/');

		if (plain ? !buf_add(out, &c, 1) : !buf_printf(out, "%%%02X", (unsigned)(unsigned char)c))
			return false;
	}
	return true;
}

bool s3_put_path(struct buf *out, struct text bucket, struct text key)
{
	return buf_puts(out, "/") && put_escaped(out, bucket, false) && buf_puts(out, "/") && put_escaped(out, key, true);
}

bool s3_put_list(struct buf *out, struct text bucket, struct text prefix, struct text after, struct text token, unsigned page,
	bool deep)
{
	if (!s3_put_path(out, bucket, TEXT("")) || !buf_puts(out, "?"))
		return false;
	if (token.len && (!buf_puts(out, "continuation-token=") || !put_escaped(out, token, false) || !buf_puts(out, "&")))
		return false;
	if (!buf_puts(out, deep ? "list-type=2" : "delimiter=%2F&list-type=2") || (page && !buf_printf(out, "&max-keys=%u", page)))
		return false;
	if (!buf_puts(out, "&prefix=") || !put_escaped(out, prefix, false))
		return false;
	return !after.len || (buf_puts(out, "&start-after=") && put_escaped(out, after, false));
}

/* ---- answers ---- */

struct page_reader {
	struct xml x;
	struct text prefix;
	struct buf name, modified, text; /* of the element that is read */
	int64_t size;
	bool named;
	struct s3_page *out;
};

/* Takes what stands in the element that was just opened, to its end; elements in it are passed over. */
static bool take_text(struct page_reader *r, struct buf *out)
{
	buf_reset(out);
	for (int depth = 1; depth;) {
		switch (xml_next(&r->x)) {
		case XML_OPEN:
			if (++depth > DEPTH_MAX)
				return false;
			break;
		case XML_CLOSE:
			depth--;
			break;
		case XML_TEXT:
			if (depth == 1 && !xml_decode(r->x.text, out))
				return false;
			break;
		case XML_END:
		case XML_DAMAGED:
			return false;
		}
	}
	return true;
}

static bool take_number(struct page_reader *r, int64_t *out)
{
	return take_text(r, &r->text) && text_i64(text_trim(buf_text(&r->text)), out);
}

/* Contents (an object) or CommonPrefixes (a folder). */
static bool take_entry(struct page_reader *r, bool folder)
{
	r->size = -1;
	r->named = false;
	buf_reset(&r->modified);
	for (;;) {
		enum xml_type type = xml_next(&r->x);

		if (type == XML_CLOSE)
			return r->named;
		if (type == XML_END || type == XML_DAMAGED)
			return false;
		if (type != XML_OPEN)
			continue;
		if (text_is(r->x.name, folder ? "Prefix" : "Key")) {
			if (!take_text(r, &r->name))
				return false;
			r->named = true;
		} else if (text_is(r->x.name, "Size")) {
			if (!take_number(r, &r->size))
				return false;
		} else if (!take_text(r, text_is(r->x.name, "LastModified") ? &r->modified : &r->text)) {
			return false;
		}
	}
}

/* 2026-11-29T13:05:11.204Z, with or without the fraction; 0 where it is none. */
static int64_t time_of(struct text t)
{
	char words[40];
	struct tm tm = {0};
	const char *rest = strptime(text_copy(words, sizeof words, t), "%Y-%m-%dT%H:%M:%S", &tm);
	int64_t ms = 0;

	if (!rest)
		return 0;
	if (rest[0] == '.')
		for (int64_t unit = 100; *++rest >= '0' && *rest <= '9'; unit /= 10)
			ms += (*rest - '0') * unit;
	return strcmp(rest, "Z") ? 0 : (int64_t)timegm(&tm) * 1000 + ms;
}

static bool give_entry(struct page_reader *r, bool folder, bool (*each)(void *ctx, const struct storage_entry *entry), void *ctx)
{
	struct storage_entry entry = {.name = buf_text(&r->name), .folder = folder, .size = r->size, .modified = buf_text(&r->modified)};

	entry.when = time_of(entry.modified);
	if (entry.name.len < r->prefix.len || memcmp(entry.name.at, r->prefix.at, r->prefix.len) != 0)
		return true; /* not what was asked for */
	entry.name.at += r->prefix.len;
	entry.name.len -= r->prefix.len;
	if (folder && entry.name.len && entry.name.at[entry.name.len - 1] == '/')
		entry.name.len--;
	if (!entry.name.len)
		return true; /* the folder's own mark */
	return each(ctx, &entry);
}

static bool read_page(struct page_reader *r, bool (*each)(void *ctx, const struct storage_entry *entry), void *ctx)
{
	enum xml_type type;

	while ((type = xml_next(&r->x)) == XML_TEXT)
		continue;
	if (type != XML_OPEN || !text_is(r->x.name, "ListBucketResult"))
		return false;
	for (;;) {
		bool folder;

		type = xml_next(&r->x);
		if (type == XML_CLOSE)
			return true;
		if (type == XML_END || type == XML_DAMAGED)
			return false;
		if (type != XML_OPEN)
			continue;
		folder = text_is(r->x.name, "CommonPrefixes");
		if (folder || text_is(r->x.name, "Contents")) {
			if (!take_entry(r, folder))
				return false;
			if (!r->out->stopped && !give_entry(r, folder, each, ctx))
				r->out->stopped = true;
		} else if (text_is(r->x.name, "NextContinuationToken")) {
			if (!take_text(r, &r->out->token))
				return false;
		} else if (text_is(r->x.name, "IsTruncated")) {
			if (!take_text(r, &r->text))
				return false;
			r->out->truncated = text_is(text_trim(buf_text(&r->text)), "true");
		} else if (!take_text(r, &r->text)) {
			return false;
		}
	}
}

bool s3_read_page(struct text xml, struct text prefix, bool (*each)(void *ctx, const struct storage_entry *entry), void *ctx,
	struct s3_page *out)
{
	struct page_reader r = {.x = {.rest = xml}, .prefix = prefix, .out = out};
	bool good;

	out->truncated = out->stopped = false;
	buf_reset(&out->token);
	buf_init(&r.name, NAME_MAX_BYTES * 2);
	buf_init(&r.modified, NAME_MAX_BYTES);
	buf_init(&r.text, TOKEN_MAX);
	good = read_page(&r, each, ctx) && (!out->truncated || out->token.len || out->stopped);
	buf_free(&r.name);
	buf_free(&r.modified);
	buf_free(&r.text);
	return good;
}

struct text s3_error_code(struct text xml)
{
	struct xml x = {.rest = xml};
	enum xml_type type;
	bool in = false, code = false;

	while ((type = xml_next(&x)) != XML_END && type != XML_DAMAGED) {
		if (type == XML_OPEN && !in && !text_is(x.name, "Error"))
			break;
		if (type == XML_TEXT && code)
			return text_trim(x.text);
		code = type == XML_OPEN && in && text_is(x.name, "Code");
		in = in || type == XML_OPEN;
	}
	return TEXT("");
}
