// SPDX-License-Identifier: MIT
/* See json_stream.h. One state for every place between two bytes, so that the input may be cut anywhere. */
#include "json_stream.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 200, NUMBER_MAX = 64 };
enum state { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END, STRING, ESCAPE, UNICODE, NUMBER, WORD, DONE };

struct json_stream {
	bool (*each)(void *ctx, const struct json_token *token);
	void *ctx;
	enum state state;
	bool key;             /* the string that is read is one */
	int depth;
	bool object[DEPTH_MAX + 1];
	struct buf text;      /* of a string or word that goes over the end of a piece, or has escapes */
	bool cut;
	unsigned code, digits, high; /* of \uXXXX: high is the first half of a pair */
	int64_t offset;       /* of the piece at hand */
	struct buf *capture;
	int captured;         /* depth of what is captured */
	size_t from;          /* in the piece at hand */
	bool broken;
};

struct json_stream *json_stream_new(size_t longest, bool (*each)(void *ctx, const struct json_token *token), void *ctx)
{
	struct json_stream *s = mem_new(1, sizeof *s);

	s->each = each;
	s->ctx = ctx;
	buf_init(&s->text, longest < NUMBER_MAX ? NUMBER_MAX : longest);
	return s;
}

void json_stream_free(struct json_stream *s)
{
	if (!s)
		return;
	buf_free(&s->text);
	free(s);
}

void json_stream_capture(struct json_stream *s, struct buf *out)
{
	s->capture = out;
	s->captured = s->depth;
}

/* ---- what is handed over ---- */

static bool tell(struct json_stream *s, enum json_event event, struct text text, struct err *err)
{
	struct json_token token = {event, s->depth, text, s->cut};

	s->cut = false;
	if (s->capture || s->each(s->ctx, &token))
		return true;
	return err_set(err, ERR_CANCELLED, "not read to its end");
}

static bool wrong(const struct json_stream *s, size_t at, struct err *err)
{
	return err_set(err, ERR_PARSE, "not JSON near byte %lld", (long long)(s->offset + (int64_t)at));
}

static void after_value(struct json_stream *s)
{
	s->state = s->depth ? COMMA_OR_END : DONE;
}

static bool open_bracket(struct json_stream *s, char c, size_t at, struct err *err)
{
	bool captured = s->capture != NULL;

	if (s->depth == DEPTH_MAX)
		return err_set(err, ERR_LIMIT, "JSON is nested deeper than %d levels", DEPTH_MAX);
	s->object[++s->depth] = c == '{';
	s->state = c == '{' ? KEY_OR_END : VALUE_OR_END;
	if (!tell(s, c == '{' ? JSON_OBJECT : JSON_ARRAY, TEXT(""), err))
		return false;
	if (!captured && s->capture)
		s->from = at;
	return true;
}

static bool close_bracket(struct json_stream *s, const char *bytes, size_t at, struct err *err)
{
	if (s->object[s->depth] != (bytes[at] == '}'))
		return wrong(s, at, err);
	if (s->capture && s->captured == s->depth) {
		buf_add(s->capture, bytes + s->from, at + 1 - s->from);
		s->capture = NULL;
	}
	if (!tell(s, JSON_END, TEXT(""), err))
		return false;
	s->depth--;
	after_value(s);
	return true;
}

/* ---- strings ---- */

static void keep(struct json_stream *s, const char *bytes, size_t len)
{
	size_t room = s->text.max - s->text.len;

	if (s->capture) /* its bytes are kept as they are */
		return;
	s->cut |= len > room;
	buf_add(&s->text, bytes, len < room ? len : room);
}

static void keep_code(struct json_stream *s, unsigned code)
{
	char out[4];
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 1; code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(lead[n] | code);
	keep(s, out, n);
}

/* A first half of a pair that found no second is told as U+FFFD. */
static void end_pair(struct json_stream *s)
{
	if (s->high)
		keep_code(s, 0xfffd);
	s->high = 0;
}

static bool end_string(struct json_stream *s, struct text rest, struct err *err)
{
	struct text t = rest;
	bool key = s->key;

	end_pair(s);
	if (s->text.len || s->cut) {
		keep(s, rest.at, rest.len);
		t = buf_text(&s->text);
	} else if (t.len > s->text.max) {
		t.len = s->text.max;
		s->cut = true;
	}
	s->state = key ? COLON : COMMA_OR_END;
	if (!key)
		after_value(s);
	if (!tell(s, key ? JSON_KEY : JSON_TEXT, t, err))
		return false;
	buf_reset(&s->text);
	return true;
}

static bool in_string(struct json_stream *s, const char *bytes, size_t *at, size_t len, struct err *err)
{
	size_t from = *at, i = from;

	while (i < len && bytes[i] != '"' && bytes[i] != '\\' && (unsigned char)bytes[i] >= ' ')
		i++;
	if (i > from)
		end_pair(s);
	*at = i < len ? i + 1 : len;
	if (i < len && bytes[i] == '"')
		return end_string(s, (struct text){bytes + from, i - from}, err);
	keep(s, bytes + from, i - from);
	if (i == len)
		return true;
	s->state = ESCAPE;
	return bytes[i] == '\\' || wrong(s, i, err);
}

static bool in_escape(struct json_stream *s, char c, size_t at, struct err *err)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *known = c ? strchr(from, c) : NULL;

	s->state = c == 'u' ? UNICODE : STRING;
	s->code = s->digits = 0;
	if (c == 'u')
		return true;
	end_pair(s);
	if (!known)
		return wrong(s, at, err);
	keep(s, to + (known - from), 1);
	return true;
}

static bool in_unicode(struct json_stream *s, char c, size_t at, struct err *err)
{
	unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (unsigned)((c | 0x20) - 'a' + 10) : 16;

	if (digit == 16)
		return wrong(s, at, err);
	s->code = s->code * 16 + digit;
	if (++s->digits < 4)
		return true;
	s->state = STRING;
	if (s->high && s->code >= 0xdc00 && s->code < 0xe000) {
		keep_code(s, 0x10000 + ((s->high - 0xd800) << 10) + (s->code - 0xdc00));
		s->high = 0;
		return true;
	}
	end_pair(s);
	if (s->code >= 0xd800 && s->code < 0xdc00)
		s->high = s->code;
	else
		keep_code(s, s->code >= 0xdc00 && s->code < 0xe000 ? 0xfffd : s->code);
	return true;
}

/* ---- numbers and words ---- */

static size_t digits_of(struct text *t)
{
	size_t n = 0;

	while (n < t->len && t->at[n] >= '0' && t->at[n] <= '9')
		n++;
	*t = (struct text){t->at + n, t->len - n};
	return n;
}

static bool is_number(struct text t)
{
	text_skip(&t, "-");
	if (!text_skip(&t, "0") && !digits_of(&t))
		return false;
	if (text_skip(&t, ".") && !digits_of(&t))
		return false;
	if (text_skip(&t, "e") || text_skip(&t, "E")) {
		if (!text_skip(&t, "+"))
			text_skip(&t, "-");
		if (!digits_of(&t))
			return false;
	}
	return !t.len;
}

static bool end_bare(struct json_stream *s, size_t at, struct err *err)
{
	struct text t = buf_text(&s->text);
	enum json_event event = JSON_NUMBER;

	if (s->state == WORD)
		event = text_is(t, "true") ? JSON_TRUE : text_is(t, "false") ? JSON_FALSE : JSON_NULL;
	if (s->text.full || (s->state == NUMBER ? !is_number(t) : event == JSON_NULL && !text_is(t, "null")))
		return wrong(s, at, err);
	after_value(s);
	if (!tell(s, event, t, err))
		return false;
	buf_reset(&s->text);
	return true;
}

static bool is_bare(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '+' || c == '-' || c == 'E';
}

/* Reads on in a number or word; its end is the first byte that cannot belong to one. */
static bool in_bare(struct json_stream *s, const char *bytes, size_t *at, size_t len, struct err *err)
{
	size_t from = *at, i = from;

	while (i < len && is_bare(bytes[i]))
		i++;
	*at = i;
	if (s->text.len + (i - from) > NUMBER_MAX || !buf_add(&s->text, bytes + from, i - from))
		return wrong(s, from, err);
	return i == len || end_bare(s, i, err);
}

/* ---- between ---- */

static bool begin_value(struct json_stream *s, char c, size_t at, struct err *err)
{
	buf_reset(&s->text);
	s->cut = s->text.full = false;
	if (c == '{' || c == '[')
		return open_bracket(s, c, at, err);
	if (c == '"')
		s->state = STRING;
	else if (c == '-' || (c >= '0' && c <= '9'))
		s->state = NUMBER;
	else if (c == 't' || c == 'f' || c == 'n')
		s->state = WORD;
	else
		return wrong(s, at, err);
	s->key = false;
	if (c != '"')
		buf_add(&s->text, &c, 1);
	return true;
}

static bool begin_key(struct json_stream *s, char c, size_t at, struct err *err)
{
	if (c != '"')
		return wrong(s, at, err);
	buf_reset(&s->text);
	s->cut = s->text.full = false;
	s->state = STRING;
	s->key = true;
	return true;
}

/* One byte where no text, number or word is open. */
static bool in_between(struct json_stream *s, const char *bytes, size_t at, struct err *err)
{
	char c = bytes[at];

	if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
		return true;
	if ((c == '}' && s->state == KEY_OR_END) || (c == ']' && s->state == VALUE_OR_END) || ((c == '}' || c == ']') && s->state == COMMA_OR_END))
		return close_bracket(s, bytes, at, err);
	if (s->state == VALUE || s->state == VALUE_OR_END)
		return begin_value(s, c, at, err);
	if (s->state == KEY || s->state == KEY_OR_END)
		return begin_key(s, c, at, err);
	if (s->state == COLON && c == ':') {
		s->state = VALUE;
		return true;
	}
	if (s->state == COMMA_OR_END && c == ',') {
		s->state = s->object[s->depth] ? KEY : VALUE;
		return true;
	}
	return wrong(s, at, err);
}

/* Reads on from at, which it moves. */
static bool step(struct json_stream *s, const char *bytes, size_t *at, size_t len, struct err *err)
{
	size_t here;

	if (s->state == STRING)
		return in_string(s, bytes, at, len, err);
	if (s->state == NUMBER || s->state == WORD)
		return in_bare(s, bytes, at, len, err);
	here = (*at)++;
	if (s->state == ESCAPE)
		return in_escape(s, bytes[here], here, err);
	if (s->state == UNICODE)
		return in_unicode(s, bytes[here], here, err);
	return in_between(s, bytes, here, err);
}

bool json_stream_feed(struct json_stream *s, const char *bytes, size_t len, struct err *err)
{
	size_t at = 0;

	s->from = 0;
	while (!s->broken && at < len)
		s->broken = !step(s, bytes, &at, len, err);
	if (s->broken)
		return false;
	if (s->capture)
		buf_add(s->capture, bytes + s->from, len - s->from);
	s->offset += (int64_t)len;
	return true;
}

bool json_stream_end(struct json_stream *s, struct err *err)
{
	if (!s->broken && !s->depth && (s->state == NUMBER || s->state == WORD) && !end_bare(s, 0, err))
		return false;
	if (s->broken || s->state != DONE)
		return err_set(err, ERR_PARSE, s->offset ? "cut off after %lld bytes" : "it is empty", (long long)s->offset);
	return true;
}
