// SPDX-License-Identifier: MIT
/*
 * See xml.h. A scanner, not a validator: that what opens is closed is for the caller to see, where
 * it matters to him. Source: XML 1.0, sections 2 and 4.1.
 */
#include "xml.h"

#include <string.h>

enum { ENTITY_MAX = 10 };

/* Moves behind the end mark of what must not be looked into. */
static bool skip_past(struct xml *x, const char *end)
{
	size_t len = strlen(end);

	for (size_t i = 0; i + len <= x->rest.len; i++)
		if (!memcmp(x->rest.at + i, end, len)) {
			x->rest.at += i + len;
			x->rest.len -= i + len;
			return true;
		}
	return false;
}

/* Behind the ">" of a tag; a ">" in an attribute's quotes is none. */
static bool tag_end(struct xml *x, bool *closes)
{
	char quote = '\0', before = '\0';

	for (size_t i = 0; i < x->rest.len; i++) {
		char c = x->rest.at[i];

		if (quote) {
			quote = c == quote ? '\0' : quote;
		} else if (c == '"' || c == '\'') {
			quote = c;
		} else if (c == '>') {
			*closes = before == '/';
			x->rest.at += i + 1;
			x->rest.len -= i + 1;
			return true;
		} else if (c == '<') {
			return false;
		}
		before = c;
	}
	return false;
}

static bool ends_name(char c)
{
	return c == '>' || c == '/' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static enum xml_type tag(struct xml *x, enum xml_type type)
{
	struct text prefixed;
	size_t len = 0;

	while (len < x->rest.len && !ends_name(x->rest.at[len]))
		len++;
	prefixed = (struct text){x->rest.at, len};
	x->rest.at += len;
	x->rest.len -= len;
	x->name = memchr(prefixed.at, ':', prefixed.len) ? text_after(prefixed, ':') : prefixed;
	if (!x->name.len || !tag_end(x, &x->closes))
		return XML_DAMAGED;
	if (type == XML_CLOSE)
		x->closes = false;
	return type;
}

enum xml_type xml_next(struct xml *x)
{
	if (x->closes) {
		x->closes = false;
		return XML_CLOSE; /* of the element that was all in one */
	}
	while (x->rest.len) {
		if (x->rest.at[0] != '<') {
			x->text = text_until(x->rest, '<');
			x->rest.at += x->text.len;
			x->rest.len -= x->text.len;
			return XML_TEXT;
		}
		if (text_skip(&x->rest, "<?") ? !skip_past(x, "?>") : text_skip(&x->rest, "<!--") && !skip_past(x, "-->"))
			return XML_DAMAGED;
		if (text_skip(&x->rest, "<!["))
			return XML_DAMAGED; /* no S3 server writes CDATA */
		if (text_skip(&x->rest, "<!") && !skip_past(x, ">"))
			return XML_DAMAGED;
		if (text_skip(&x->rest, "</"))
			return tag(x, XML_CLOSE);
		if (text_starts(x->rest, "<") && !text_starts(x->rest, "<?") && !text_starts(x->rest, "<!")) {
			text_skip(&x->rest, "<");
			return tag(x, XML_OPEN);
		}
	}
	return XML_END;
}

static bool put_character(struct buf *out, uint32_t c)
{
	char utf8[4];
	size_t len;

	if (!c || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return false;
	if (c < 0x80) {
		utf8[0] = (char)c;
		len = 1;
	} else if (c < 0x800) {
		utf8[0] = (char)(0xc0 | c >> 6);
		utf8[1] = (char)(0x80 | (c & 0x3f));
		len = 2;
	} else if (c < 0x10000) {
		utf8[0] = (char)(0xe0 | c >> 12);
		utf8[1] = (char)(0x80 | (c >> 6 & 0x3f));
		utf8[2] = (char)(0x80 | (c & 0x3f));
		len = 3;
	} else {
		utf8[0] = (char)(0xf0 | c >> 18);
		utf8[1] = (char)(0x80 | (c >> 12 & 0x3f));
		utf8[2] = (char)(0x80 | (c >> 6 & 0x3f));
		utf8[3] = (char)(0x80 | (c & 0x3f));
		len = 4;
	}
	return buf_add(out, utf8, len);
}

/* "#38" or "#x26" */
static bool put_numbered(struct buf *out, struct text digits)
{
	bool hex = text_skip(&digits, "x");
	uint32_t c = 0;

	if (!digits.len || digits.len > 8)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		char d = digits.at[i];
		uint32_t n = d >= '0' && d <= '9' ? (uint32_t)(d - '0') : d >= 'a' && d <= 'f' ? (uint32_t)(d - 'a' + 10)
			: d >= 'A' && d <= 'F' ? (uint32_t)(d - 'A' + 10) : 99;

		if (n >= (hex ? 16u : 10u) || c > 0x10ffff)
			return false;
		c = c * (hex ? 16u : 10u) + n;
	}
	return put_character(out, c);
}

static bool put_entity(struct buf *out, struct text name)
{
	static const struct {
		const char *name, *is;
	} known[] = {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};

	if (text_skip(&name, "#"))
		return put_numbered(out, name);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (text_is(name, known[i].name))
			return buf_puts(out, known[i].is);
	return false;
}

bool xml_decode(struct text t, struct buf *out)
{
	while (t.len) {
		struct text plain = text_until(t, '&'), name;

		if (!buf_add(out, plain.at, plain.len))
			return false;
		t.at += plain.len;
		t.len -= plain.len;
		if (!text_skip(&t, "&"))
			break;
		name = text_until(t, ';');
		if (name.len == t.len || name.len > ENTITY_MAX || !put_entity(out, name))
			return false;
		t.at += name.len + 1;
		t.len -= name.len + 1;
	}
	return true;
}
