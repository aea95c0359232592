// SPDX-License-Identifier: MIT
/* Does the engine's catalog mean what the profile's does? From what the engine told of its settings. Pure. */
#include <stdio.h>
#include <string.h>

#include "catalog.h"
#include "maintain.h"

static const char *setting(const struct table *settings, const char *catalog, const char *part)
{
	char name[160];
	size_t row;

	snprintf(name, sizeof name, "spark.sql.catalog.%.100s%s%s", catalog, part[0] ? "." : "", part);
	return row_of(settings, "name", name, &row) ? row_text(settings, row, "value") : "";
}

/* "host", 5432 and "database" of "jdbc:postgresql://host:5432/database"; of HTTP likewise. */
struct place { char host[ADDRESS_SIZE], rest[120]; int64_t port; };

static bool take_place(const char *url, struct place *out)
{
	struct text t = text_of(url), authority, port;

	*out = (struct place){.port = 0};
	if (!text_skip(&t, "jdbc:postgresql://") && !text_skip(&t, "http://") && !text_skip(&t, "https://"))
		return false;
	authority = text_until(t, '/');
	text_copy(out->rest, sizeof out->rest, text_until(text_after(t, '/'), '?'));
	port = text_after(authority, ':');
	text_copy(out->host, sizeof out->host, text_until(authority, ':'));
	return port.len ? text_i64(port, &out->port) : (out->port = text_starts(text_of(url), "jdbc:") ? 5432 : 80) > 0;
}

/* A name is another machine's view of it: only two numbers can be told apart. */
static bool is_number(const char *host)
{
	return host[0] && strspn(host, "0123456789.") == strlen(host);
}

static bool same_place(const char *url, const struct catalog *c)
{
	struct endpoint at = catalog_endpoint(c);
	struct credentials who = catalog_credentials(c);
	struct place place;

	if (!take_place(url, &place))
		return true; /* nothing can be said of it */
	if (place.port != at.port)
		return false;
	if (is_number(place.host) && is_number(at.address) && strcmp(place.host, at.address) != 0 && strcmp(at.address, "0.0.0.0") != 0)
		return false;
	return strcmp(c->kind->name, "iceberg-jdbc") != 0 || !who.database || !strcmp(place.rest, who.database);
}

bool engine_matches(const struct table *settings, const struct catalog *c, enum listing listing, const char *table, char words[200])
{
	char name[NAME_SIZE];
	const char *uri, *warehouse, *own;
	bool jdbc = !strcmp(c->kind->name, "iceberg-jdbc"), rest = !strcmp(c->kind->name, "iceberg-rest");

	words[0] = '\0';
	if (!settings || !settings->n_rows || (!jdbc && !rest))
		return true;
	if (!catalog_for_engine(c, listing == LISTING_SEVERAL, table, name)[0])
		return true; /* whoever prepares says so */
	own = listing == LISTING_SEVERAL ? name : c->warehouse;
	uri = setting(settings, name, "uri");
	warehouse = setting(settings, name, "warehouse");
	if (!setting(settings, name, "")[0] && !uri[0] && !settings->left_off && listing == LISTING_UNKNOWN && !c->warehouse)
		snprintf(words, 200, "what the engine calls its catalog is not known yet: \"%.60s\" is not listed", c->name);
	else if (!setting(settings, name, "")[0] && !uri[0] && !settings->left_off)
		snprintf(words, 200, "the engine was not started with a catalog \"%.60s\"", name);
	else if (uri[0] && !same_place(uri, c))
		snprintf(words, 200, "the engine's catalog \"%.40s\" asks %.100s, and the profile's another", name, uri);
	else if (jdbc && own && strcmp(own, name) != 0)
		snprintf(words, 200, "the engine calls its JDBC catalog \"%.40s\", and the profile reads \"%.40s\" of it", name, own);
	else if (rest && own && warehouse[0] && strcmp(own, warehouse) != 0)
		snprintf(words, 200, "the engine's catalog \"%.40s\" is of warehouse %.40s, the table's is %.40s", name, warehouse, own);
	return !words[0];
}
