// SPDX-License-Identifier: MIT
/*
 * The .env and the compose files of a checkout, line by line. Of YAML only what these files use
 * is understood: block mappings by their indentation, one level of "<<: *anchor", lists of
 * "- item". Long forms of ports, ranges and flow mappings are left out.
 * Source: bash(1) "QUOTING"; the Compose specification, "interpolation", "ports", "fragments".
 */
#include "checkout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NESTED_MAX = 4 };

/* ---- variables ---- */

static bool name_char(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

static size_t name_length(struct text t)
{
	size_t n = 0;

	while (n < t.len && name_char(t.at[n], n == 0))
		n++;
	return n;
}

const char *variables_get(const struct variables *v, const char *name)
{
	for (size_t i = v ? v->n : 0; i-- > 0;) /* the last one holds */
		if (!strcmp(v->at[i].name, name))
			return v->at[i].value;
	return NULL;
}

static const char *value_of(const struct variables *v, struct text name)
{
	char copy[128];
	const char *value;

	if (name.len >= sizeof copy)
		return NULL;
	text_copy(copy, sizeof copy, name);
	value = variables_get(v, copy);
	return value ? value : getenv(copy);
}

/* What stands between the brace at t and its partner; t moves behind that. Empty where it has none. */
static struct text braced(struct text *t)
{
	int depth = 0;

	for (size_t i = 0; i < t->len; i++) {
		depth += (t->at[i] == '{') - (t->at[i] == '}');
		if (depth == 0) {
			struct text inside = {t->at + 1, i - 1};

			*t = (struct text){t->at + i + 1, t->len - i - 1};
			return inside;
		}
	}
	*t = TEXT("");
	return TEXT("");
}

static void expand(const struct variables *v, struct text t, struct buf *out, int depth)
{
	while (t.len) {
		struct text plain = text_until(t, '$'), name, inside;
		const char *value;

		buf_add(out, plain.at, plain.len);
		t = (struct text){t.at + plain.len, t.len - plain.len};
		if (!t.len)
			return;
		t = (struct text){t.at + 1, t.len - 1};
		if (t.len && t.at[0] == '{') {
			inside = braced(&t);
			name = (struct text){inside.at, name_length(inside)};
			inside = (struct text){inside.at + name.len, inside.len - name.len};
			value = value_of(v, name);
			if (text_starts(inside, ":") && value && !value[0])
				value = NULL;
			if (value)
				buf_puts(out, value);
			else if ((text_skip(&inside, ":-") || text_skip(&inside, "-")) && depth < NESTED_MAX)
				expand(v, inside, out, depth + 1);
		} else if (text_skip(&t, "$")) {
			buf_puts(out, "$");
		} else if ((name = (struct text){t.at, name_length(t)}).len) {
			value = value_of(v, name);
			if (value)
				buf_puts(out, value);
			t = (struct text){t.at + name.len, t.len - name.len};
		} else {
			buf_puts(out, "$");
		}
	}
}

void variables_expand(const struct variables *v, struct text t, struct buf *out)
{
	expand(v, t, out, 0);
}

/* One word as bash reads it, quotes resolved; ends at a blank that no quote holds. */
static void shell_word(const struct variables *v, struct text t, struct buf *out)
{
	while (t.len && t.at[0] != ' ' && t.at[0] != '\t') {
		struct text part;

		if (text_skip(&t, "'")) {
			part = text_until(t, '\'');
			buf_add(out, part.at, part.len);
			t = text_after(t, '\'');
		} else if (text_skip(&t, "\"")) {
			part = text_until(t, '"');
			variables_expand(v, part, out);
			t = text_after(t, '"');
		} else {
			size_t n = 0;

			while (n < t.len && !strchr(" \t'\"", t.at[n]))
				n++;
			variables_expand(v, (struct text){t.at, n}, out);
			t = (struct text){t.at + n, t.len - n};
		}
	}
}

static void variables_add(struct variables *v, struct text name, struct text value)
{
	char *copy = mem_new(name.len + value.len + 2, 1);

	if (v->n % 16 == 0)
		v->at = mem_grow(v->at, v->n + 16, sizeof *v->at);
	memcpy(copy, name.at, name.len);
	if (value.len)
		memcpy(copy + name.len + 1, value.at, value.len);
	v->at[v->n++] = (struct variable){copy, copy + name.len + 1};
}

void variables_read(struct variables *v, struct text file)
{
	struct text line;

	while (text_line(&file, &line) && v->n < VARIABLES_MAX) {
		struct text name;
		struct buf value;

		line = text_trim(line);
		if (text_skip(&line, "export "))
			line = text_trim(line);
		name = (struct text){line.at, name_length(line)};
		line = (struct text){line.at + name.len, line.len - name.len};
		if (!name.len || !text_skip(&line, "="))
			continue;
		buf_init(&value, VARIABLE_SIZE);
		shell_word(v, line, &value);
		if (!value.full && !memchr(value.at ? value.at : "", '\0', value.len))
			variables_add(v, name, buf_text(&value));
		if (value.at)
			explicit_bzero(value.at, value.size);
		buf_free(&value);
	}
}

void variables_free(struct variables *v)
{
	for (size_t i = 0; i < v->n; i++) {
		explicit_bzero(v->at[i].value, strlen(v->at[i].value));
		free(v->at[i].name); /* one block with its value */
	}
	free(v->at);
	*v = (struct variables){0};
}

/* ---- compose files ---- */

struct scan {
	struct compose *out;
	const struct variables *variables;
	const char *file;
	bool in_services, in_fragment, in_ports;
	size_t service_indent, key_indent; /* 0: not seen yet */
	size_t current;                    /* place + 1 of the service being read; 0: none */
};

static struct compose_service *scan_add(struct scan *s, const char *mark, struct text name)
{
	struct compose_service *one;

	s->current = 0;
	s->in_ports = false;
	s->key_indent = 0;
	if (s->out->n == COMPOSE_MAX)
		return NULL;
	s->out->at = mem_grow(s->out->at, s->out->n + 1, sizeof *s->out->at);
	one = &s->out->at[s->out->n++];
	*one = (struct compose_service){0};
	s->current = s->out->n;
	snprintf(one->name, sizeof one->name, "%s%.*s", mark, (int)(name.len < 40 ? name.len : 40), name.at);
	text_copy(one->file, sizeof one->file, text_of(s->file));
	return one;
}

/* "a: b # c" without its comment and quotes, variables expanded. */
static void scan_value(const struct scan *s, struct text t, char *out, size_t size)
{
	struct buf b;

	t = text_trim(t);
	if (text_starts(t, "\"") || text_starts(t, "'")) {
		t = text_until((struct text){t.at + 1, t.len - 1}, t.at[0]); /* compose expands in both kinds of quotes */
	} else {
		for (size_t i = 1; i < t.len; i++)
			if (t.at[i] == '#' && (t.at[i - 1] == ' ' || t.at[i - 1] == '\t'))
				t.len = i;
		t = text_trim(t);
	}
	buf_init(&b, VARIABLE_SIZE);
	variables_expand(s->variables, t, &b);
	text_clean(out, size, buf_text(&b));
	if (b.at)
		explicit_bzero(b.at, b.size);
	buf_free(&b);
}

static bool port_number(struct text t, uint16_t *out)
{
	int64_t n;

	if (!text_i64(t, &n) || n < 1 || n > 65535)
		return false;
	*out = (uint16_t)n;
	return true;
}

/* "8081:8080", "127.0.0.1:8081:8080/tcp" */
static void scan_port(const struct scan *s, struct compose_service *one, struct text item)
{
	char value[128];
	const char *last, *before;
	struct compose_port port;
	struct text t;

	scan_value(s, item, value, sizeof value);
	last = strrchr(value, ':');
	if (!last || one->n_ports == COMPOSE_PORTS_MAX)
		return;
	t = (struct text){value, (size_t)(last - value)};
	before = memrchr(t.at, ':', t.len);
	if (before)
		t = (struct text){before + 1, (size_t)(last - before - 1)};
	if (port_number(t, &port.host) && port_number(text_until(text_of(last + 1), '/'), &port.container))
		one->ports[one->n_ports++] = port;
}

/* "SPARK_MASTER_WEBUI_PORT=8082" or "AIRFLOW__API__PORT: 8086", at any depth of a service */
static void scan_variable(const struct scan *s, struct compose_service *one, struct text line)
{
	struct text name = {line.at, name_length(line)};
	char value[NAME_SIZE];
	uint16_t port;

	line = (struct text){line.at + name.len, line.len - name.len};
	if (name.len < 5 || name.len >= NAME_SIZE || memcmp(name.at + name.len - 4, "PORT", 4) != 0 ||
		one->n_variables == COMPOSE_PORTS_MAX)
		return;
	if (!text_skip(&line, "=") && !text_skip(&line, ":"))
		return;
	scan_value(s, line, value, sizeof value);
	if (!port_number(text_of(value), &port))
		return;
	text_copy(one->variables[one->n_variables].name, NAME_SIZE, name);
	one->variables[one->n_variables++].port = port;
}

/* "<<: *airflow-common": what the fragment says holds until the service says otherwise. */
static void scan_merge(const struct scan *s, struct compose_service *one, struct text value)
{
	char name[NAME_SIZE];

	value = text_trim(value);
	if (!text_skip(&value, "*"))
		return;
	snprintf(name, sizeof name, "&%.*s", (int)(value.len < 40 ? value.len : 40), value.at);
	for (size_t i = 0; i < s->out->n; i++) {
		const struct compose_service *fragment = &s->out->at[i];

		if (strcmp(fragment->name, name) != 0 || strcmp(fragment->file, s->file) != 0)
			continue;
		if (!one->image[0])
			text_copy(one->image, sizeof one->image, text_of(fragment->image));
		one->host_network = one->host_network || fragment->host_network;
		for (size_t k = 0; k < fragment->n_variables && one->n_variables < COMPOSE_PORTS_MAX; k++)
			one->variables[one->n_variables++] = fragment->variables[k];
	}
}

static void scan_key(struct scan *s, struct compose_service *one, struct text line)
{
	char network[NAME_SIZE];

	s->in_ports = false;
	if (text_skip(&line, "image:"))
		scan_value(s, line, one->image, sizeof one->image);
	else if (text_skip(&line, "container_name:"))
		scan_value(s, line, one->container, sizeof one->container);
	else if (text_skip(&line, "<<:"))
		scan_merge(s, one, line);
	else if (text_skip(&line, "ports:"))
		s->in_ports = true;
	else if (text_skip(&line, "network_mode:")) {
		scan_value(s, line, network, sizeof network);
		one->host_network = !strcmp(network, "host");
	}
}

static void scan_top(struct scan *s, struct text line)
{
	struct text anchor = text_trim(text_after(line, '&'));

	s->in_services = text_is(text_trim(text_until(line, '#')), "services:");
	s->in_fragment = text_starts(line, "x-");
	s->service_indent = 0;
	s->current = 0;
	if (s->in_fragment && anchor.len)
		scan_add(s, "&", anchor);
}

static void scan_line(struct scan *s, struct text line, size_t indent)
{
	struct compose_service *one;
	struct text item = line;

	if (indent == 0) {
		scan_top(s, line);
		return;
	}
	if (s->in_fragment && !s->current && text_skip(&item, "&")) {
		scan_add(s, "&", text_trim(item));
		return;
	}
	if (s->in_services && !s->service_indent)
		s->service_indent = indent;
	if (s->in_services && indent == s->service_indent) {
		scan_add(s, "", text_until(line, ':'));
		return;
	}
	if (!s->current)
		return;
	one = &s->out->at[s->current - 1];
	if (!s->key_indent)
		s->key_indent = indent;
	if (text_skip(&item, "- ") || text_skip(&item, "-")) {
		item = text_trim(item);
		if (s->in_ports)
			scan_port(s, one, item);
		else
			scan_variable(s, one, item);
	} else if (indent == s->key_indent) {
		scan_key(s, one, line);
	} else {
		scan_variable(s, one, line);
	}
}

void compose_read(struct compose *c, const struct variables *v, struct text file, const char *name)
{
	struct scan s = {.out = c, .variables = v, .file = name};
	struct text line;

	while (text_line(&file, &line)) {
		size_t indent = 0;

		while (indent < line.len && line.at[indent] == ' ')
			indent++;
		line = text_trim((struct text){line.at + indent, line.len - indent});
		if (line.len && line.at[0] != '#' && !text_starts(line, "---"))
			scan_line(&s, line, indent);
	}
}

void compose_free(struct compose *c)
{
	free(c->at);
	*c = (struct compose){0};
}

const struct compose_service *compose_container(const struct compose *c, const char *container)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->at[i].container, container))
			return &c->at[i];
	return NULL;
}

/* ---- images ---- */

/* Confluent's platform has numbers of its own: 7.5 is Kafka 3.5, 8.0 is Kafka 4.0. ZooKeeper's is not told by them. */
static bool confluent_version(const char *name, int64_t major, int64_t minor, char *out, size_t size)
{
	if (strcmp(name, "cp-kafka") != 0 && strcmp(name, "cp-server") != 0)
		return false;
	if (major < 7)
		return false;
	snprintf(out, size, "%lld.%lld", (long long)(major - 4), (long long)minor);
	return true;
}

bool image_says_version(const char *image, char *out, size_t size)
{
	const char *slash = strrchr(image, '/'), *base = slash ? slash + 1 : image, *tag = strchr(base, ':');
	struct text version;
	char name[NAME_SIZE], digits[NAME_SIZE];
	int64_t major, minor = 0;
	size_t n = 0;

	if (!tag)
		return false;
	text_copy(name, sizeof name, (struct text){base, (size_t)(tag - base)});
	tag += tag[1] == 'v' ? 2 : 1;
	while ((tag[n] >= '0' && tag[n] <= '9') || (tag[n] == '.' && n))
		n++;
	version = (struct text){tag, n};
	if (n && tag[n - 1] == '.')
		version.len--;
	/* a number that words follow directly is no version: "3rc", a commit */
	if (!n || n >= sizeof digits || (tag[n] && !strchr("-_+@", tag[n])) || !text_i64(text_until(version, '.'), &major) ||
		major > 1000)
		return false;
	text_i64(text_until(text_after(version, '.'), '.'), &minor);
	if (!strncmp(image, "confluentinc/", 13) || strstr(image, "/confluentinc/"))
		return confluent_version(name, major, minor, out, size);
	text_copy(out, size, version);
	return true;
}
