// SPDX-License-Identifier: MIT
/* What an Iceberg REST catalog says of itself first; see rest.c. Pure. */
#include "rest.h"

#include <string.h>

/* As it stands, but for what no path may hold. */
static bool path_part(char *out, size_t size, const char *value)
{
	struct buf buf;
	bool good = true;

	buf_init(&buf, size - 1);
	for (const char *at = value; *at && good; at++) {
		bool encoded = *at == '%' && strspn(at + 1, "0123456789abcdefABCDEF") >= 2;

		good = encoded || *at == '/' ? buf_add(&buf, at, 1) : web_escape(&buf, (struct text){at, 1});
	}
	text_copy(out, size, buf_text(&buf));
	buf_free(&buf);
	return good;
}

static const char *setting(const struct json *root, const char *name)
{
	const char *over = json_string(json_get(json_get(root, "overrides"), name));

	return over ? over : json_string(json_get(json_get(root, "defaults"), name));
}

static bool offers(const struct json *endpoints, const char *what)
{
	for (const struct json *e = json_first(endpoints); e && json_is_array(endpoints); e = json_next(e)) {
		struct text line = text_of(json_string(e)), method;

		if (text_word(&line, &method) && text_is(method, "GET")) {
			line = text_trim(line);
			text_skip(&line, "/"); /* some are written without */
			if (text_is(line, what))
				return true;
		}
	}
	return false;
}

bool rest_read_config(struct text body, struct rest_config *out, struct err *err)
{
	struct json *root = json_parse(body, err);
	const struct json *endpoints = json_get(root, "endpoints");
	const char *prefix = setting(root, "prefix"), *separator = setting(root, "namespace-separator"), *nessie = setting(root, "nessie.is-nessie-catalog");
	bool good = json_is_object(json_get(root, "defaults")) || json_is_object(json_get(root, "overrides"));

	*out = (struct rest_config){.separator = "%1F"};
	if (root && !good)
		err_set(err, ERR_PROTOCOL, "/v1/config: has neither defaults nor overrides, it is no Iceberg REST catalog");
	if (good && prefix && !path_part(out->prefix, sizeof out->prefix, prefix))
		good = err_set(err, ERR_LIMIT, "/v1/config: its prefix is too long");
	if (good && separator && separator[0] && !path_part(out->separator, sizeof out->separator, separator))
		good = err_set(err, ERR_LIMIT, "/v1/config: its namespace-separator is too long");
	out->views = offers(endpoints, "v1/{prefix}/namespaces/{namespace}/views");
	out->generic = offers(endpoints, "polaris/v1/{prefix}/namespaces/{namespace}/generic-tables");
	out->has_endpoints = json_is_array(endpoints);
	out->nessie = nessie && !strcmp(nessie, "true");
	json_free(root);
	return good;
}
