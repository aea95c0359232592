// SPDX-License-Identifier: MIT
/*
 * The Iceberg JDBC catalog in PostgreSQL: a table of pointers, one row per table or view, each to its
 * newest metadata.json. Each look has a session of its own (application_name laketop, read-only): one that
 * is kept would hold up a shutdown that waits for its clients. It is asked twice: where iceberg_tables is
 * and what it looks like, then for its rows. Neither statement can fail where the table is missing or
 * forbidden: an ERROR would stand in the server's log.
 *
 * The oldest layout (V0) has no iceberg_type; in later ones (V1) it is NULL for tables from before.
 * Namespaces are joined by dots; iceberg-go writes those with dots inside as a JSON array. Several
 * catalogs share one database by catalog_name. Other writers name the table in capitals.
 *
 * Source: Apache Iceberg, JdbcUtil and JdbcCatalog 1.11.0; apache/iceberg-go, catalog/sql; checked on
 * PostgreSQL 15.18 with what Spark (Iceberg 1.11.0) and PyIceberg 0.12.0 wrote.
 */
#include <stdlib.h>
#include <string.h>

#include "../services/postgres_session.h"
#include "catalogs.h"
#include "json.h"

enum { ROWS_MOST = 20001, PARTS_MAX = 32, SQL_MAX = 4096 };

struct jdbc { /* the listing's state */
	struct postgres_session session;
};

/* What search_path shows comes first, then what is named as the source has it. */
static const char where_it_is[] =
	"SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname), "
	"has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'), "
	"(SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = c.oid AND lower(attname) = 'iceberg_type' AND NOT attisdropped LIMIT 1), "
	"(SELECT count(*) FROM pg_attribute WHERE attrelid = c.oid AND NOT attisdropped AND attname IN "
	"('catalog_name', 'table_namespace', 'table_name', 'metadata_location')), current_database() "
	"FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE lower(c.relname) = 'iceberg_tables' AND c.relkind IN ('r', 'p', 'v', 'm', 'f') "
	"ORDER BY pg_table_is_visible(c.oid) DESC, c.relname <> 'iceberg_tables', n.nspname LIMIT 1";

enum row { ROW_CATALOG, ROW_NAMESPACE, ROW_NAME, ROW_AT, ROW_TYPE };
static const char rows_of[] =
	"SELECT %s, %s, %s, left(%s, 1000), %s FROM %s WHERE $1::text IS NULL OR %s = $1 ORDER BY 1, 2, 3 LIMIT %d";

static struct text cell(const PGresult *r, int row, int column)
{
	return (struct text){PQgetvalue(r, row, column), (size_t)PQgetlength(r, row, column)};
}

/* NULL: err says why. */
static PGresult *ask(struct probe *p, struct postgres_session *s, const char *sql, int n, const char *const *values, struct err *err)
{
	PGresult *r = postgres_ask(p, s, sql, n, values, err);

	if (!r || PQresultStatus(r) == PGRES_TUPLES_OK)
		return r;
	err_set(err, ERR_PROTOCOL, "iceberg_tables cannot be read: %s", PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY));
	PQclear(r);
	return NULL;
}

/* ---- names ---- */

/* "a.b" as it stands; __iceberg_namespace_v1__:["a.b","c"] part by part. */
static void add_namespace(struct buf *name, struct text space)
{
	struct json *parts = text_skip(&space, "__iceberg_namespace_v1__:") ? json_parse(space, NULL) : NULL;

	if (json_is_array(parts)) {
		for (const struct json *part = json_first(parts); part; part = json_next(part))
			catalog_name_part(name, text_of(json_string(part)));
	} else if (space.len) {
		buf_printf(name, "%s%.*s", name->len ? "." : "", (int)space.len, space.at);
	}
	json_free(parts);
}

static void name_of(struct buf *name, const PGresult *r, int row, bool with_catalog)
{
	buf_reset(name);
	if (with_catalog)
		catalog_name_part(name, cell(r, row, ROW_CATALOG));
	add_namespace(name, cell(r, row, ROW_NAMESPACE));
	catalog_name_part(name, cell(r, row, ROW_NAME));
}

static int count_catalogs(const PGresult *r)
{
	int n = 0;

	for (int row = 0; row < PQntuples(r); row++)
		n += row == 0 || strcmp(PQgetvalue(r, row, ROW_CATALOG), PQgetvalue(r, row - 1, ROW_CATALOG)) != 0;
	return n;
}

static void each_row(const PGresult *r, bool (*each)(void *ctx, const struct catalog_entry *e), void *ctx, struct catalog_said *said)
{
	int catalogs = count_catalogs(r);
	struct buf name;
	bool more = true;

	buf_init(&name, SQL_MAX);
	for (int row = 0; more && row < PQntuples(r); row++) {
		struct text type = cell(r, row, ROW_TYPE);
		struct catalog_entry e = {.at = cell(r, row, ROW_AT), .format = FORMAT_ICEBERG};

		name_of(&name, r, row, catalogs > 1);
		e.name = buf_text(&name);
		if (text_is(type, "VIEW"))
			e.format = FORMAT_VIEW;
		else if (type.len && !text_is(type, "TABLE"))
			e = (struct catalog_entry){.name = e.name, .format = FORMAT_OTHER, .words = type};
		more = each(ctx, &e);
	}
	buf_free(&name);
	said->named = catalogs > 1;
	if (PQntuples(r) == ROWS_MOST) {
		said->cut = true;
		text_copy(said->words, sizeof said->words, TEXT("there are more than 20,000 tables and views: the rest is left off"));
	} else if (catalogs > 1) {
		text_copy(said->words, sizeof said->words, TEXT("several catalogs share the database: names begin with theirs (warehouse = NAME picks one)"));
	}
}

/* ---- the kind ---- */

/* The statement that reads its rows, in the layout that is there. false: err says why there is none. */
static bool statement_of(const PGresult *where, struct buf *sql, struct err *err)
{
	const char *table = PQntuples(where) ? PQgetvalue(where, 0, 0) : NULL, *type;
	bool lower;

	if (!table)
		return err_set(err, ERR_PROTOCOL, "there is no iceberg_tables in this database: no Iceberg JDBC catalog has been made in it (database = NAME)");
	if (PQgetvalue(where, 0, 1)[0] != 't')
		return err_set(err, ERR_AUTH, "the role may not read %s (GRANT SELECT)", table);
	lower = !strcmp(PQgetvalue(where, 0, 3), "4");
	type = PQgetisnull(where, 0, 2) ? "NULL::text" : PQgetvalue(where, 0, 2);
	return buf_printf(sql, rows_of, lower ? "catalog_name" : "\"CATALOG_NAME\"", lower ? "table_namespace" : "\"TABLE_NAMESPACE\"",
		lower ? "table_name" : "\"TABLE_NAME\"", lower ? "metadata_location" : "\"METADATA_LOCATION\"", type, table,
		lower ? "catalog_name" : "\"CATALOG_NAME\"", ROWS_MOST) || err_set(err, ERR_LIMIT, "the name of iceberg_tables is too long");
}

static bool list(struct probe *p, const struct catalog *c, void **state, bool (*each)(void *ctx, const struct catalog_entry *e), void *ctx,
	struct catalog_said *said, struct err *err)
{
	struct jdbc *j = *state ? *state : (*state = mem_new(1, sizeof *j));
	PGresult *where, *rows = NULL;
	struct buf sql;

	if (!p->credentials.user)
		return err_set(err, ERR_AUTH, p->withheld ? "no login: who holds its port does not look like PostgreSQL" :
			"no user is named for PostgreSQL (user, password_file, database)");
	if (!postgres_session(p, &j->session, err))
		return false;
	buf_init(&sql, SQL_MAX);
	where = ask(p, &j->session, where_it_is, 0, NULL, err);
	if (where && statement_of(where, &sql, err))
		rows = ask(p, &j->session, sql.at, 1, &c->warehouse, err);
	if (rows)
		each_row(rows, each, ctx, said);
	PQclear(where);
	PQclear(rows);
	buf_free(&sql);
	postgres_hang_up(&j->session);
	return rows != NULL;
}

static void close_state(void *state)
{
	struct jdbc *j = state;

	if (j)
		postgres_hang_up(&j->session);
	free(j);
}

const struct catalog_kind catalog_iceberg_jdbc = {
	.name = "iceberg-jdbc",
	.title = "Iceberg JDBC catalog",
	.list = list,
	.close = close_state,
};
