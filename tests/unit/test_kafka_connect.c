// SPDX-License-Identifier: MIT
/* Kafka Connect as a kind: what is made of a worker that works, that starts, and of tasks that failed. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../backend/services/kafka_connect.h"
#include "../../backend/services/kinds.h"
#include "fixture_bytes.h"
#include "fixture_server.h"
#include "report.h"

static const char about[] = "{\"version\":\"4.1.1\",\"commit\":\"be816b82d25370ce\",\"kafka_cluster_id\":\"5L6g3nShT-eMCtK--X86sw\"}";

struct worker { /* what it answers */
	const char *about, *health, *connectors, *offsets;
	int health_status, connectors_status;
};

static bool answer(void *ctx, struct text question, struct buf *out)
{
	const struct worker *w = ctx;

	if (fake_asks_for(question, "/"))
		fake_http(out, 200, "Content-Type: application/json\r\n", w->about);
	else if (fake_asks_for(question, "/health"))
		fake_http(out, w->health_status, "Content-Type: application/json\r\n", w->health);
	else if (fake_asks_for(question, "/connectors?expand=status&expand=info") || fake_asks_for(question, "/connectors"))
		fake_http(out, w->connectors_status, "Content-Type: application/json\r\n", w->connectors);
	else if (fake_asks_for(question, "/connectors/pg%20iceberg/offsets"))
		fake_http(out, 200, "Content-Type: application/json\r\n", w->offsets);
	else
		fake_http(out, 404, "", "{\"error_code\":404}");
	return false;
}

struct asked {
	struct fake_server *server;
	struct fake_probe probe;
	struct identity who;
	enum answered answered;
	bool inspected;
};

static struct worker recorded_worker(void)
{
	return (struct worker){about, "{\"status\":\"healthy\",\"message\":\"Worker has completed startup and is ready to handle requests.\"}",
		recorded("kafka-connect/connectors-4.1.1.json").at, "{\"offsets\":[]}", 200, 200};
}

static void ask(struct asked *a, struct worker *w)
{
	a->server = fake_server_start(answer, w);
	fake_probe_begin(&a->probe, fake_server_at(a->server), 60000);
	a->who = (struct identity){0};
	a->answered = kind_kafka_connect.identify(&a->probe.p, &a->who);
	a->inspected = kind_kafka_connect.inspect(&a->probe.p, a->probe.s);
}

static void done(struct asked *a)
{
	fake_probe_end(&a->probe);
	fake_server_stop(a->server);
}

static int64_t number_of(const struct asked *a, const char *figure)
{
	struct value v = snapshot_get(a->probe.s, figure);

	return v.type == VALUE_INT ? v.u.i : -1;
}

static void a_worker_is_told_by_version_commit_and_cluster(void **state)
{
	struct worker w = recorded_worker();
	struct asked a;

	(void)state;
	ask(&a, &w);
	assert_int_equal(a.answered, ANSWERED_YES);
	assert_ptr_equal(a.who.kind, &kind_kafka_connect);
	assert_string_equal(a.who.version, "4.1.1");
	assert_string_equal(a.who.revision, "be816b82d25370ce");
	assert_string_equal(snapshot_get(a.probe.s, "kafka_cluster").u.s, "5L6g3nShT-eMCtK--X86sw");
	done(&a);
	w.about = "{\"version\":\"4.1.1\"}"; /* many a service says as much */
	ask(&a, &w);
	assert_int_equal(a.answered, ANSWERED_OTHER);
	done(&a);
}

static void a_connector_that_runs_does_not_hide_that_its_task_failed(void **state)
{
	struct worker w = recorded_worker();
	const struct table *connectors, *tasks;
	struct asked a;

	(void)state;
	ask(&a, &w);
	assert_true(a.inspected);
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	assert_int_equal(number_of(&a, "connectors"), 2);
	assert_int_equal(number_of(&a, "tasks"), 2);
	assert_int_equal(number_of(&a, "failed"), 1);
	connectors = snapshot_find_table(a.probe.s, "connectors");
	tasks = snapshot_find_table(a.probe.s, "tasks");
	assert_string_equal(table_get(connectors, 0, "name").u.s, "file-broken");
	assert_string_equal(table_get(connectors, 0, "state").u.s, "RUNNING");
	assert_int_equal(table_get(connectors, 0, "failed").u.i, 1);
	assert_string_equal(table_get(tasks, 0, "state").u.s, "FAILED");
	assert_non_null(strstr(table_get(tasks, 0, "cause").u.s, "JsonParseException: Unrecognized token 'hello'"));
	assert_int_equal(a.probe.s->n_findings, 1);
	assert_non_null(strstr(a.probe.s->findings[0].reason, "task 0 of file-broken failed: JsonParseException"));
	done(&a);
}

static void what_configurations_hold_is_nowhere_in_what_is_told(void **state)
{
	struct worker w = recorded_worker();
	struct asked a;
	struct buf out;

	(void)state;
	assert_non_null(strstr(w.connectors, "hunter2"));
	ask(&a, &w);
	buf_init(&out, 1 << 20);
	assert_true(snapshot_write(a.probe.s, &out));
	assert_non_null(strstr(out.at, "FileStreamSinkConnector"));
	assert_null(strstr(out.at, "hunter2"));
	buf_free(&out);
	done(&a);
}

static void a_debezium_source_tells_where_it_stands(void **state)
{
	struct worker w = recorded_worker();
	const struct table *t;
	struct asked a;

	(void)state;
	w.connectors = "{\"pg iceberg\":{\"status\":{\"connector\":{\"state\":\"RUNNING\"},\"tasks\":[{\"id\":0,\"state\":\"RUNNING\"}],\"type\":\"source\"},"
		"\"info\":{\"config\":{\"connector.class\":\"io.debezium.connector.postgresql.PostgresConnector\"}}}}";
	w.offsets = "{\"offsets\":[{\"partition\":{\"server\":\"cdc\"},\"offset\":{\"lsn_proc\":26702440,\"messageType\":\"COMMIT\",\"lsn_commit\":26702440,"
		"\"lsn\":26702440,\"txId\":745,\"ts_usec\":1795955149355436}}]}"; /* 3.6.1 */
	ask(&a, &w);
	t = snapshot_find_table(a.probe.s, "connectors");
	assert_int_equal(table_get(t, 0, "lsn").u.i, 26702440);
	assert_string_equal(table_get(t, 0, "reads").u.s, "streaming");
	assert_string_equal(table_get(t, 0, "slot").u.s, "debezium"); /* as it names it itself */
	assert_true(table_get(t, 0, "change_at").u.i == INT64_C(1795955149355));
	done(&a);
	w.offsets = "{\"offsets\":[{\"offset\":{\"lsn\":5,\"snapshot\":\"INITIAL\",\"last_snapshot_record\":false}}]}";
	ask(&a, &w);
	assert_string_equal(table_get(snapshot_find_table(a.probe.s, "connectors"), 0, "reads").u.s, "snapshot");
	done(&a);
	w.offsets = "{\"offsets\":[]}"; /* until the first change was written */
	ask(&a, &w);
	assert_int_equal(table_get(snapshot_find_table(a.probe.s, "connectors"), 0, "reads").type, VALUE_UNKNOWN);
	done(&a);
}

static void health_is_asked_where_there_is_such_a_question(void **state)
{
	struct worker w = recorded_worker();
	struct asked a;

	(void)state;
	w.health_status = 503;
	w.health = "{\"status\":\"starting\",\"message\":\"reading the config topic\"}";
	ask(&a, &w);
	assert_int_equal(a.probe.s->health.state, LINK_UNKNOWN);
	assert_non_null(strstr(a.probe.s->health.words, "reading the config topic"));
	done(&a);
	w.health_status = 500;
	w.health = "{\"status\":\"unhealthy\",\"message\":\"stuck\"}";
	ask(&a, &w);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	done(&a);
	w.health_status = 404; /* before 3.9 */
	ask(&a, &w);
	assert_int_equal(a.probe.s->health.state, LINK_OK);
	assert_string_equal(a.probe.s->health.source, "GET /connectors");
	done(&a);
	w.connectors_status = 500;
	ask(&a, &w);
	assert_int_equal(a.probe.s->health.state, LINK_BAD);
	done(&a);
}

static void a_connector_without_a_task_is_found(void **state)
{
	struct worker w = recorded_worker();
	struct asked a;

	(void)state;
	w.connectors = "{\"idle\":{\"status\":{\"connector\":{\"state\":\"RUNNING\"},\"tasks\":[],\"type\":\"sink\"}},"
		"\"paused\":{\"status\":{\"connector\":{\"state\":\"PAUSED\"},\"tasks\":[],\"type\":\"sink\"}}}";
	ask(&a, &w);
	assert_int_equal(a.probe.s->n_findings, 1);
	assert_string_equal(a.probe.s->findings[0].reason, "connector idle is RUNNING without a task");
	done(&a);
}

static void of_a_trace_the_line_that_says_something_is_told(void **state)
{
	static const struct {
		const char *trace, *says;
	} traces[] = {
		{"org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler\n\tat x.y\nCaused by: a.b.DataException: bad\n"
			"\tat z\nCaused by: com.fasterxml.jackson.core.JsonParseException: Unrecognized token 'hello'\n\t... 20 more\n",
			"JsonParseException: Unrecognized token 'hello'"},
		{"io.debezium.DebeziumException: Publication autocreation is disabled, please create one and restart the connector.\n\tat a.b\n",
			"DebeziumException: Publication autocreation is disabled, please create one and restart the connector."},
		{"a.b.ConnectException: it went wrong\nCaused by: java.lang.NullPointerException\n\tat c", "ConnectException: it went wrong"},
		{"cannot do it. Sorry: no", "cannot do it. Sorry: no"},
		{"", ""},
		{NULL, ""},
		{"a.E: jdbc:postgresql://h/db?user=u&password=hunter2&ssl=true failed", "E: jdbc:postgresql://h/db?user=u&password=*******&ssl=true failed"},
		{"a.E: {\"database.password\": \"hunter2\", \"x\": 1}", "E: {\"database.password\": \"*******\", \"x\": 1}"},
		{"a.E: amqp://lake:hunter2@host/ is down", "E: amqp://lake:*******@host/ is down"},
	};
	char out[CONNECT_CAUSE], trace[400];

	(void)state;
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		connect_cause(out, traces[i].trace);
		assert_string_equal(out, traces[i].says);
	}
	/* cut before its @ stands there, it would not be known for a password */
	memset(trace, '.', sizeof trace);
	memcpy(trace + 280, " amqp://lake:hunter2-hunter2@host/", sizeof " amqp://lake:hunter2-hunter2@host/");
	connect_cause(out, trace);
	assert_null(strstr(out, "hunt"));
	assert_int_equal(strlen(out), CONNECT_CAUSE - 1);
}

static void read_any(struct text bytes)
{
	struct snapshot *s = snapshot_new("fuzz", PART_DEPTH);
	struct json *json = json_parse(bytes, NULL);
	struct connect_offset offset;
	char cause[CONNECT_CAUSE], *copy = mem_new(bytes.len + 1, 1);

	connect_read(json, s);
	connect_read_offset(json, &offset);
	memcpy(copy, bytes.at, bytes.len);
	connect_cause(cause, copy);
	assert_true(text_is_clean(text_of(cause)));
	free(copy);
	json_free(json);
	snapshot_unref(s);
}

static void cut_and_changed_answers_end_in_peace(void **state)
{
	(void)state;
	fuzz(recorded("kafka-connect/connectors-4.1.1.json"), read_any);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_is_told_by_version_commit_and_cluster),
		cmocka_unit_test(a_connector_that_runs_does_not_hide_that_its_task_failed),
		cmocka_unit_test(what_configurations_hold_is_nowhere_in_what_is_told),
		cmocka_unit_test(a_debezium_source_tells_where_it_stands),
		cmocka_unit_test(health_is_asked_where_there_is_such_a_question),
		cmocka_unit_test(a_connector_without_a_task_is_found),
		cmocka_unit_test(of_a_trace_the_line_that_says_something_is_told),
		cmocka_unit_test(cut_and_changed_answers_end_in_peace),
	};

	setlocale(LC_CTYPE, "C.UTF-8"); /* what has no known width is not clean */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
