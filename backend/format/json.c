// SPDX-License-Identifier: MIT
/*
 * JSON. Reading is cJSON, which knows numbers as doubles only: before it sees the text, every
 * literal that a double would bend (16 digits or more) or whose kind it would lose ("5.0", "1e3") is
 * turned into a string that begins with the byte 0xff. That byte cannot come from outside: it is
 * never part of UTF-8, no escape makes it, and where it stands in the text it is mended.
 *
 * Pure. Source: RFC 8259; cJSON 1.7.15, which is lenient about what follows the document, about
 * NUL bytes and about depth: all three are checked here.
 */
#include "json.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "clock.h"

struct json {
	cJSON node; /* first, so that a node of cJSON's is one of ours */
};

enum { KEPT = 0xff, DIGITS_MAX = 15, DEPTH_MAX = 200 };
static const char MENDED[] = "\xef\xbf\xbd"; /* U+FFFD */

/* ---- numbers as text: in the plain locale, whatever the user's calls a decimal point ---- */

static locale_t plain(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a constant of glibc's: cheap, nothing to free */
}

static double number_of(const char *literal)
{
	return strtod_l(literal, NULL, plain());
}

/* The shortest of 15, 16 and 17 digits that gives r back; always with a dot or an exponent: it is no integer. */
static void number_text(char out[40], double r)
{
	locale_t theirs = uselocale(plain());

	for (int digits = 15; digits <= 17; digits++) {
		double back;

		snprintf(out, 40, "%.*g", digits, r);
		back = number_of(out);
		if (!(back < r) && !(back > r))
			break;
	}
	if (!strpbrk(out, ".e"))
		memcpy(out + strlen(out), ".0", sizeof ".0");
	uselocale(theirs);
}

/* ---- before cJSON ---- */

static size_t digits_at(struct text t, size_t at, char highest)
{
	size_t n = 0;

	while (at + n < t.len && t.at[at + n] >= '0' && t.at[at + n] <= highest)
		n++;
	return n;
}

static bool one_of(struct text t, size_t at, const char *set)
{
	return at < t.len && strchr(set, t.at[at]) != NULL;
}

/* Length of the number at the start of t; 0: it is not one. keep: a double would not hold it, or not its kind. */
static size_t number_at(struct text t, bool *keep)
{
	size_t at = one_of(t, 0, "-"), digits = digits_at(t, at, '9'), part;

	if (!digits || (digits > 1 && t.at[at] == '0'))
		return 0;
	at += digits;
	*keep = false;
	if (one_of(t, at, ".")) {
		part = digits_at(t, ++at, '9');
		*keep = digits_at(t, at, '0') == part;
		at += part;
		digits += part;
		if (!part)
			return 0;
	}
	*keep |= digits > DIGITS_MAX;
	if (one_of(t, at, "eE")) {
		at += 1 + (size_t)one_of(t, at + 1, "+-");
		part = digits_at(t, at, '9');
		at += part;
		*keep = true;
		if (!part)
			return 0;
	}
	return at;
}

/* Copies a string with its quotes from t, which stands at its first one. */
static void prepare_string(struct text *t, struct buf *out)
{
	size_t i = 1;

	while (i < t->len && t->at[i] != '"') {
		if (t->at[i] == '\\')
			i++;
		i++;
	}
	i = i < t->len ? i + 1 : t->len;
	for (size_t k = 0; k < i; k++) {
		const char *bad = memchr(t->at + k, KEPT, i - k);
		size_t run = bad ? (size_t)(bad - t->at) - k : i - k;

		buf_add(out, t->at + k, run);
		k += run;
		if (bad)
			buf_puts(out, MENDED);
	}
	*t = (struct text){t->at + i, t->len - i};
}

static bool prepare_number(struct text *t, struct buf *out)
{
	static const char quote = '"', kept[] = {'"', (char)KEPT};
	bool keep = false;
	size_t len = number_at(*t, &keep);

	if (keep)
		buf_add(out, kept, sizeof kept);
	buf_add(out, t->at, len);
	if (keep)
		buf_add(out, &quote, 1);
	*t = (struct text){t->at + len, t->len - len};
	return len > 0;
}

/* The text as cJSON may have it. */
static bool prepare(struct text t, struct buf *out, struct err *err)
{
	int depth = 0;

	if (memchr(t.at, '\0', t.len))
		return err_set(err, ERR_PARSE, "not JSON: it holds a NUL byte");
	while (t.len) {
		size_t run = 0;

		while (run < t.len && !strchr("\"-0123456789[]{}", t.at[run]))
			run++;
		buf_add(out, t.at, run);
		t = (struct text){t.at + run, t.len - run};
		if (!t.len)
			break;
		if (t.at[0] == '"') {
			prepare_string(&t, out);
		} else if (t.at[0] == '-' || (t.at[0] >= '0' && t.at[0] <= '9')) {
			if (!prepare_number(&t, out))
				return err_set(err, ERR_PARSE, "not JSON: a number is malformed, %zu bytes before its end", t.len);
		} else {
			depth += t.at[0] == '[' || t.at[0] == '{' ? 1 : -1;
			if (depth > DEPTH_MAX)
				return err_set(err, ERR_LIMIT, "JSON is nested deeper than %d levels", DEPTH_MAX);
			buf_add(out, t.at, 1);
			t = (struct text){t.at + 1, t.len - 1};
		}
	}
	return true;
}

struct json *json_parse(struct text t, struct err *err)
{
	locale_t theirs = uselocale(plain());
	struct buf text;
	const char *end = NULL;
	cJSON *node = NULL;

	buf_init(&text, 3 * t.len + 1); /* the worst: every byte is mended to three */
	if (prepare(t, &text, err)) {
		if (text.len)
			node = cJSON_ParseWithLengthOpts(text.at, text.len + 1, &end, 1);
		if (!text.len)
			err_set(err, ERR_PARSE, "not JSON: it is empty");
		else if (!node)
			err_set(err, ERR_PARSE, "not JSON, or cut off, near byte %zu of %zu", end ? (size_t)(end - text.at) : 0, t.len);
	}
	buf_free(&text);
	uselocale(theirs);
	return (struct json *)(void *)node;
}

void json_free(struct json *document)
{
	if (document)
		cJSON_Delete(&document->node);
}

/* ---- reading ---- */

static const struct json *json_of(const cJSON *node)
{
	return (const struct json *)(const void *)node;
}

/* The digits of a number that was kept as text; NULL for anything else. */
static const char *kept_digits(const struct json *node)
{
	if (!node || !cJSON_IsString(&node->node) || (unsigned char)node->node.valuestring[0] != KEPT)
		return NULL;
	return node->node.valuestring + 1;
}

static const struct json *member(const struct json *object, struct text key)
{
	const cJSON *item;

	if (!json_is_object(object))
		return NULL;
	cJSON_ArrayForEach(item, &object->node)
		if (item->string && text_is(key, item->string))
			return json_of(item);
	return NULL;
}

const struct json *json_get(const struct json *object, const char *key)
{
	return member(object, text_of(key));
}

const struct json *json_path(const struct json *root, const char *dotted)
{
	struct text rest = text_of(dotted);

	while (root && rest.len) {
		root = member(root, text_until(rest, '.'));
		rest = text_after(rest, '.');
	}
	return root;
}

const struct json *json_first(const struct json *array_or_object)
{
	return json_is_array(array_or_object) || json_is_object(array_or_object) ? json_of(array_or_object->node.child) : NULL;
}

const struct json *json_next(const struct json *item)
{
	return item ? json_of(item->node.next) : NULL;
}

const char *json_key(const struct json *item)
{
	return item && item->node.string ? item->node.string : "";
}

size_t json_count(const struct json *array_or_object)
{
	size_t n = 0;

	for (const struct json *item = json_first(array_or_object); item; item = json_next(item))
		n++;
	return n;
}

bool json_is_array(const struct json *node)
{
	return node && cJSON_IsArray(&node->node);
}

bool json_is_object(const struct json *node)
{
	return node && cJSON_IsObject(&node->node);
}

bool json_is_null(const struct json *node)
{
	return !node || cJSON_IsNull(&node->node);
}

const char *json_string(const struct json *node)
{
	return node && cJSON_IsString(&node->node) && !kept_digits(node) ? node->node.valuestring : NULL;
}

/* The doubles that are integers and lose nothing. */
static bool exact(double r, int64_t *out)
{
	if (!(fabs(r) < 9007199254740992.0) || floor(r) < r)
		return false;
	*out = (int64_t)r;
	return true;
}

bool json_i64(const struct json *node, int64_t *out)
{
	const char *digits = kept_digits(node);

	if (digits)
		return text_i64(text_of(digits), out) || exact(number_of(digits), out);
	return node && cJSON_IsNumber(&node->node) && exact(node->node.valuedouble, out);
}

static bool of_our_calendar(int64_t wall_ms)
{
	return wall_ms > 0 && wall_ms < 253402300800000; /* the year 10000 */
}

bool json_moment(const struct json *node, int64_t *out)
{
	int64_t ms;

	if (!json_i64(node, &ms) || !of_our_calendar(ms))
		return false;
	*out = ms;
	return true;
}

bool json_real(const struct json *node, double *out)
{
	const char *digits = kept_digits(node);
	double r;

	if (!digits && !(node && cJSON_IsNumber(&node->node)))
		return false;
	r = digits ? number_of(digits) : node->node.valuedouble;
	if (!isfinite(r))
		return false;
	*out = r;
	return true;
}

bool json_bool(const struct json *node, bool *out)
{
	if (!node || !cJSON_IsBool(&node->node))
		return false;
	*out = cJSON_IsTrue(&node->node);
	return true;
}

struct value json_value(const struct json *node)
{
	const char *digits = kept_digits(node);
	int64_t i;
	double r;
	bool b;

	if (digits && text_i64(text_of(digits), &i))
		return value_int(i);
	if (!digits && json_i64(node, &i))
		return value_int(i);
	if (json_real(node, &r))
		return value_real(r);
	if (json_bool(node, &b))
		return value_bool(b);
	return value_text(json_string(node));
}

struct value json_value_i64(const struct json *object, const char *key)
{
	int64_t i;

	return json_i64(json_get(object, key), &i) ? value_int(i) : value_unknown();
}

struct value json_value_text(const struct json *object, const char *key)
{
	return value_text(json_string(json_get(object, key)));
}

/* ---- writing ---- */

void json_begin(struct json_writer *w, struct buf *out, bool pretty)
{
	*w = (struct json_writer){.out = out, .pretty = pretty};
}

static void put_string(struct buf *out, struct text t)
{
	buf_add(out, "\"", 1);
	while (t.len) {
		struct text before = t;
		size_t run = 0;
		uint32_t code;
		int columns;

		while (run < t.len && t.at[run] >= ' ' && t.at[run] < 0x7f && t.at[run] != '"' && t.at[run] != '\\')
			run++; /* plain ASCII, where char is signed or not */
		buf_add(out, t.at, run);
		before = t = (struct text){t.at + run, t.len - run};
		if (!text_char(&t, &code, &columns))
			break;
		if (code == '"' || code == '\\')
			buf_printf(out, "\\%c", (char)code);
		else if (code < 0x20 || code == 0x7f)
			buf_printf(out, "\\u%04x", (unsigned)code);
		else if (code == 0xfffd)
			buf_puts(out, MENDED);
		else
			buf_add(out, before.at, before.len - t.len);
	}
	buf_add(out, "\"", 1);
}

static void put_line(struct json_writer *w)
{
	if (w->pretty)
		buf_printf(w->out, "\n%*s", 2 * w->depth, "");
}

/* What stands before a value: comma, line, key. */
static void put_key(struct json_writer *w, const char *key)
{
	if (w->comma[w->depth])
		buf_add(w->out, ",", 1);
	if (w->depth)
		put_line(w);
	w->comma[w->depth] = true;
	if (!key)
		return;
	put_string(w->out, text_of(key));
	buf_puts(w->out, w->pretty ? ": " : ":");
}

void json_open(struct json_writer *w, const char *key, char bracket)
{
	put_key(w, key);
	buf_add(w->out, &bracket, 1);
	if (++w->depth == (int)(sizeof w->comma / sizeof *w->comma))
		abort(); /* a document of ours that is deeper than any of its shapes */
	w->comma[w->depth] = false;
}

void json_close(struct json_writer *w, char bracket)
{
	bool empty = !w->comma[w->depth];

	if (--w->depth < 0)
		abort(); /* closes what was never opened */
	if (!empty)
		put_line(w);
	buf_add(w->out, &bracket, 1);
}

void json_put_text(struct json_writer *w, const char *key, const char *s)
{
	put_key(w, key);
	if (s)
		put_string(w->out, text_of(s));
	else
		buf_puts(w->out, "null");
}

void json_put_i64(struct json_writer *w, const char *key, int64_t i)
{
	put_key(w, key);
	buf_printf(w->out, "%" PRId64, i);
}

void json_put_real(struct json_writer *w, const char *key, double r)
{
	char digits[40];

	put_key(w, key);
	if (isfinite(r))
		number_text(digits, r);
	buf_puts(w->out, isfinite(r) ? digits : "null");
}

void json_put_bool(struct json_writer *w, const char *key, bool b)
{
	put_key(w, key);
	buf_puts(w->out, b ? "true" : "false");
}

void json_put_null(struct json_writer *w, const char *key)
{
	put_key(w, key);
	buf_puts(w->out, "null");
}

void json_put_value(struct json_writer *w, const char *key, struct value v, enum unit unit)
{
	switch (v.type) {
	case VALUE_INT:
		if (unit == UNIT_TIME && of_our_calendar(v.u.i))
			json_put_time(w, key, v.u.i);
		else
			json_put_i64(w, key, v.u.i);
		break;
	case VALUE_REAL:
		json_put_real(w, key, v.u.r);
		break;
	case VALUE_BOOL:
		json_put_bool(w, key, v.u.b);
		break;
	case VALUE_TEXT:
		json_put_text(w, key, v.u.s);
		break;
	case VALUE_UNKNOWN:
		json_put_null(w, key);
		break;
	}
}

void json_put_time(struct json_writer *w, const char *key, int64_t wall_ms)
{
	char time[CLOCK_TEXT];

	if (of_our_calendar(wall_ms))
		json_put_text(w, key, clock_rfc3339(time, wall_ms));
	else
		json_put_null(w, key);
}
