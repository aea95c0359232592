// SPDX-License-Identifier: MIT
/* The kinds of catalogs there are: one line each. */
#include "catalogs.h"

#include <string.h>

const struct catalog_kind *const catalog_kinds[] = {
	&catalog_iceberg_jdbc,
	&catalog_delta,
	&catalog_iceberg_rest,
	&catalog_unity,
	NULL,
};

const struct catalog_kind *catalog_kind_named(const char *name)
{
	for (const struct catalog_kind *const *k = catalog_kinds; name && *k; k++)
		if (!strcmp((*k)->name, name))
			return *k;
	return NULL;
}

const char *catalog_for_engine(const struct catalog *c, bool named, const char *table, char engine[NAME_SIZE])
{
	size_t len = 0;
	bool quoted = table[0] == '"';

	text_copy(engine, NAME_SIZE, text_of(c->engine_catalog ? c->engine_catalog : c->name));
	if (!named)
		return table;
	for (table += quoted; *table && len + 1 < NAME_SIZE && (quoted || *table != '.'); table++) {
		if (quoted && *table == '"' && *++table != '"')
			break;
		engine[len++] = *table;
	}
	engine[len] = '\0';
	return *table == '.' && len ? table + 1 : "";
}

bool catalog_name_part(struct buf *name, struct text part)
{
	bool quoted = !part.len || memchr(part.at, '.', part.len) || memchr(part.at, '"', part.len);

	if (name->len)
		buf_puts(name, ".");
	if (!quoted)
		return buf_add(name, part.at, part.len);
	buf_puts(name, "\"");
	for (size_t i = 0; i < part.len; i++)
		buf_printf(name, part.at[i] == '"' ? "\"%c" : "%c", part.at[i]);
	return buf_puts(name, "\"");
}
