// SPDX-License-Identifier: MIT
/*
 * Catalogs that no profile lists: an engine on a host whose facts the test writes, and a small Iceberg REST
 * catalog that answers as the test tells it. Real ones are in tests/integration/test_catalogs.py.
 */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/engine/actor.h"
#include "fixture_server.h"

enum manner { OPEN, EMPTY, CLOSED, STRANGER };
enum { TURNS_MS = 30000, STOP_MS = 20000 };

static struct world {
	_Atomic enum manner manner;
	atomic_int asked, others, shown; /* requests; those of other things than the configuration; with a credential */
	atomic_bool listening;
	struct fake_server *server;
	struct host *local, host;
} world;

/* As the reference server of Iceberg 1.11.0 lays them out; the table by hand. */
static const char config[] = "{\"defaults\":{},\"overrides\":{\"namespace-separator\":\"%2E\"},\"endpoints\":[\"GET v1/{prefix}/namespaces\"]}";
static const char metadata[] = "{\"metadata-location\":\"s3://lake/bronze/orders/metadata/00001.metadata.json\",\"metadata\":{\"format-version\":2,"
	"\"table-uuid\":\"5e0c4c0e-0000-4000-8000-000000000009\",\"location\":\"s3://lake/bronze/orders\",\"last-sequence-number\":1,"
	"\"last-updated-ms\":1795955179313,\"last-column-id\":1,\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":"
	"[{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"long\"}]}],\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],"
	"\"properties\":{},\"current-snapshot-id\":7,\"snapshots\":[{\"snapshot-id\":7,\"sequence-number\":1,\"timestamp-ms\":1795955179313,"
	"\"manifest-list\":\"s3://lake/bronze/orders/metadata/snap-7.avro\",\"summary\":{\"operation\":\"append\",\"total-data-files\":\"3\","
	"\"total-records\":\"30\"},\"schema-id\":0}]}}";

static const char *body_for(struct text question)
{
	if (text_starts(question, "GET /v1/config "))
		return config;
	if (text_starts(question, "GET /v1/namespaces/bronze/tables/orders"))
		return metadata;
	if (text_starts(question, "GET /v1/namespaces/bronze/tables?"))
		return "{\"identifiers\":[{\"namespace\":[\"bronze\"],\"name\":\"orders\"}]}";
	if (text_starts(question, "GET /v1/namespaces?parent="))
		return "{\"namespaces\":[]}";
	return text_starts(question, "GET /v1/namespaces?") ? "{\"namespaces\":[[\"bronze\"]]}" : NULL;
}

static bool answer(void *ctx, struct text question, struct buf *out)
{
	enum manner manner = atomic_load(&world.manner);
	bool of_config = text_starts(question, "GET /v1/config ");
	const char *body = body_for(question);

	(void)ctx;
	atomic_fetch_add(&world.asked, 1);
	atomic_fetch_add(&world.others, !of_config);
	atomic_fetch_add(&world.shown, text_has(question, "Authorization:"));
	if (manner == STRANGER)
		fake_http(out, 200, "", "hello");
	else if (manner == EMPTY && !of_config)
		fake_http(out, 200, "Content-Type: application/json\r\n", "{\"namespaces\":[]}");
	else if (manner == CLOSED && !of_config)
		fake_http(out, 401, "Content-Type: application/json\r\n", "{\"error\":{\"message\":\"who are you?\",\"type\":\"NotAuthorizedException\",\"code\":401}}");
	else
		fake_http(out, body ? 200 : 404, "Content-Type: application/json\r\n", body ? body : "{}");
	return false;
}

static bool look(struct host *h, void **state, const char *const *disks, struct snapshot *s)
{
	struct facts *f = arena_alloc(s->arena, sizeof *f);
	struct listener *l = arena_alloc(s->arena, sizeof *l);
	struct process *p = arena_alloc(s->arena, sizeof *p);
	size_t n = atomic_load(&world.listening);

	(void)h;
	(void)state;
	(void)disks;
	text_copy(l->address, sizeof l->address, TEXT("127.0.0.1"));
	l->port = fake_server_at(world.server).port;
	l->inode = 77;
	l->pid = p->pid = 4242;
	p->state = 'S';
	p->started = 1795950000000;
	text_copy(p->name, sizeof p->name, TEXT("java"));
	text_copy(p->hint, sizeof p->hint, TEXT("org.apache.iceberg.rest.RESTCatalogServer"));
	*f = (struct facts){.listeners = l, .n_listeners = n, .processes = p, .n_processes = n};
	f->box.oom_kills = -1;
	s->facts = f;
	return true;
}

static void look_end(void *state)
{
	(void)state;
}

static int begin(void **state)
{
	(void)state;
	atomic_store(&world.manner, OPEN);
	atomic_store(&world.asked, 0);
	atomic_store(&world.others, 0);
	atomic_store(&world.shown, 0);
	atomic_store(&world.listening, true);
	world.server = fake_server_start(answer, NULL);
	world.local = host_local();
	world.host = *world.local;
	world.host.look = look;
	world.host.look_end = look_end;
	setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock", 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	fake_server_stop(world.server);
	world.local->close(world.local);
	return 0;
}

/* more: what follows the service in the profile; NULL: it names nothing */
static struct profile *profile_with(const char *more)
{
	char ini[512];
	struct err err = {0};
	struct profile *p;

	snprintf(ini, sizeof ini, "[laketop]\n");
	if (more)
		snprintf(ini, sizeof ini, "[laketop]\nprofile = test\n[service rest]\nkind = iceberg-rest\nport = %u\n%s", fake_server_at(world.server).port,
			more);
	p = profile_parse(&world.host, text_of(ini), "test.ini", &err);
	if (!p)
		fail_msg("%s", err.words);
	return p;
}

static struct engine *start(const struct profile *p)
{
	struct engine_options o = {.host = &world.host, .profile = p, .discover = true};
	struct err err = {0};
	struct engine *e = engine_start(&o, &err);

	if (!e)
		fail_msg("%s", err.words);
	return e;
}

/* Whoever still ran afterwards would read what is freed here. */
static void stop(struct engine *e, struct profile *p)
{
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

static bool one_is_told(const struct lake *lake)
{
	return lake->n_catalogs == 1 && catalog_is_told(&lake->catalogs[0]);
}

static bool all_is_heard(const struct lake *lake)
{
	return lake->settled && lake->heard_all;
}

static bool comes(struct engine *e, bool (*test)(const struct lake *lake))
{
	int64_t until = clock_ms() + TURNS_MS;

	while (clock_ms() < until) {
		struct pollfd p = {engine_fd(e), POLLIN, 0};

		poll(&p, 1, 50);
		engine_turn(e);
		if (test(engine_lake(e)))
			return true;
	}
	return false;
}

static const char *cell(const struct lake_table *t, const char *column)
{
	struct value v = lake_table_get(t, column);

	return v.type == VALUE_TEXT ? v.u.s : "";
}

static void without_a_profile_its_tables_are_listed(void **state)
{
	struct profile *p = profile_with(NULL);
	struct engine *e = start(p);
	const struct lake *lake = engine_lake(e);
	char name[NAME_SIZE], words[REASON_SIZE];
	const struct lake_table *t;

	(void)state;
	assert_true(comes(e, one_is_told));
	snprintf(name, sizeof name, "iceberg-rest:%u", fake_server_at(world.server).port);
	assert_string_equal(lake->catalogs[0].catalog->name, name);
	assert_string_equal(catalog_found_words(&lake->catalogs[0], words), "found, not in the profile");
	t = lake_table_named(lake, "bronze.orders");
	assert_non_null(t);
	assert_int_equal(lake_table_get(t, "files").u.i, 3);
	assert_string_equal(cell(t, "measured"), "summary");
	assert_non_null(strstr(cell(t, "words"), "not measured: no credential for s3://lake/bronze/orders"));
	assert_string_equal(cell(t, "error"), "");
	assert_int_equal(atomic_load(&world.shown), 0);
	catalogs_drop(e, 0); /* as when its service is gone */
	assert_int_equal(lake->n_tables, 0);
	assert_true(comes(e, one_is_told)); /* and is back */
	assert_int_equal(lake->n_tables, 1);
	assert_int_equal(e->n_found_catalogs, 1);
	stop(e, p);
}

static void one_without_a_table_is_one(void **state)
{
	struct profile *p = profile_with(NULL);
	struct engine *e;

	(void)state;
	atomic_store(&world.manner, EMPTY);
	e = start(p);
	assert_true(comes(e, one_is_told));
	assert_null(engine_lake(e)->catalogs[0].failed);
	assert_int_equal(engine_lake(e)->n_tables, 0);
	stop(e, p);
}

static void a_service_of_the_profile_that_it_lists_no_catalog_of_is_one(void **state)
{
	struct profile *p = profile_with("");
	struct engine *e = start(p);

	(void)state;
	assert_true(comes(e, one_is_told));
	assert_ptr_equal(engine_lake(e)->catalogs[0].catalog->service, &p->services[0]);
	assert_int_equal(engine_lake(e)->n_tables, 1);
	stop(e, p);
}

static void one_that_is_listed_is_not_found_as_well(void **state)
{
	struct profile *p = profile_with("[catalog mine]\nkind = iceberg-rest\nservice = rest\n");
	struct engine *e = start(p);
	char words[REASON_SIZE];

	(void)state;
	assert_true(comes(e, one_is_told) && comes(e, all_is_heard));
	assert_int_equal(engine_lake(e)->n_catalogs, 1);
	assert_string_equal(engine_lake(e)->catalogs[0].catalog->name, "mine");
	assert_string_equal(catalog_found_words(&engine_lake(e)->catalogs[0], words), "");
	stop(e, p);
}

static void one_that_asks_for_a_credential_says_what_the_profile_needs(void **state)
{
	struct profile *p = profile_with(NULL);
	struct engine *e = start(p);
	char words[REASON_SIZE];

	(void)state;
	atomic_store(&world.manner, CLOSED);
	assert_true(comes(e, one_is_told));
	assert_int_equal(engine_lake(e)->catalogs[0].failed->err.code, ERR_AUTH);
	catalog_found_words(&engine_lake(e)->catalogs[0], words);
	assert_non_null(strstr(words, "asks for a credential. In a profile: [service x] kind = iceberg-rest, port = "));
	assert_non_null(strstr(words, "[catalog y] kind = iceberg-rest, service = x"));
	assert_int_equal(atomic_load(&world.shown), 0);
	stop(e, p);
}

static void who_is_no_catalog_is_asked_for_no_table(void **state)
{
	struct profile *p = profile_with(NULL);
	struct engine *e = start(p);

	(void)state;
	atomic_store(&world.manner, STRANGER);
	assert_true(comes(e, all_is_heard));
	assert_int_equal(engine_lake(e)->n_catalogs, 0);
	assert_int_equal(atomic_load(&world.others), 0);
	assert_true(atomic_load(&world.asked) > 0);
	stop(e, p);
}

static bool it_is_down(const struct lake *lake)
{
	return lake->n_tables == 1 && lake->tables[0].old && lake->catalogs[0].failed;
}

static bool it_serves(const struct lake *lake)
{
	return one_is_told(lake) && !lake->catalogs[0].failed && lake->n_services && lake->services[0]->verdict.shown.verdict == VERDICT_SERVING;
}

/* Its next look would be due in a minute. how: what becomes of it. */
static void tables_are_old_as_soon_as(void (*how)(void))
{
	struct profile *p = profile_with("[catalog mine]\nkind = iceberg-rest\nservice = rest\n");
	struct engine *e = start(p);

	atomic_store(&e->unwatched, true);
	assert_true(comes(e, it_serves));
	assert_false(engine_lake(e)->tables[0].old);
	how();
	assert_true(comes(e, it_is_down));
	stop(e, p);
}

static void nobody_listens(void)
{
	atomic_store(&world.listening, false);
}

static void another_one_answers(void)
{
	atomic_store(&world.manner, STRANGER);
}

static void a_catalog_whose_service_is_gone_is_down_at_once(void **state)
{
	(void)state;
	tables_are_old_as_soon_as(nobody_listens);
}

static void a_catalog_whose_service_serves_no_more_is_down_at_once(void **state)
{
	(void)state;
	tables_are_old_as_soon_as(another_one_answers);
}

static void a_recording_names_none_whose_name_would_be_cut(void **state)
{
	struct profile *p = profile_with(NULL);
	struct engine *e = start(p);
	char name[2 * NAME_SIZE];

	(void)state;
	memset(name, 'x', sizeof name);
	name[sizeof name - 1] = '\0';
	assert_null(catalog_found_then(e, name));
	name[NAME_SIZE - 1] = '\0';
	assert_string_equal(catalog_found_then(e, name)->name, name);
	stop(e, p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_a_profile_its_tables_are_listed, begin, end),
		cmocka_unit_test_setup_teardown(one_without_a_table_is_one, begin, end),
		cmocka_unit_test_setup_teardown(a_service_of_the_profile_that_it_lists_no_catalog_of_is_one, begin, end),
		cmocka_unit_test_setup_teardown(one_that_is_listed_is_not_found_as_well, begin, end),
		cmocka_unit_test_setup_teardown(one_that_asks_for_a_credential_says_what_the_profile_needs, begin, end),
		cmocka_unit_test_setup_teardown(who_is_no_catalog_is_asked_for_no_table, begin, end),
		cmocka_unit_test_setup_teardown(a_catalog_whose_service_is_gone_is_down_at_once, begin, end),
		cmocka_unit_test_setup_teardown(a_catalog_whose_service_serves_no_more_is_down_at_once, begin, end),
		cmocka_unit_test_setup_teardown(a_recording_names_none_whose_name_would_be_cut, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
