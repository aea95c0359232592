// SPDX-License-Identifier: MIT
/*
 * Containers: recorded answers of Docker 20.10.24 (API 1.41), the shape of 1.52 and of Podman 4.3
 * by hand, and a small engine of our own that counts what it is asked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "host.h"
#include "net.h"

#include "../../backend/host/docker.h"

#define RECORDED "tests/recorded/docker-20.10.24/"
#define ID "4f1c2e3d4f1c2e3d4f1c2e3d4f1c2e3d4f1c2e3d4f1c2e3d4f1c2e3d4f1c2e3d"

static char *read_recorded(const char *name)
{
	char path[256], *bytes = calloc(1, 1 << 20);
	FILE *f;

	snprintf(path, sizeof path, RECORDED "%s", name);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(bytes, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	return bytes;
}

/* ---- the list ---- */

struct list {
	struct listed at[64];
	size_t n;
};

static void take(void *ctx, const struct listed *one)
{
	struct list *list = ctx;

	assert_true(list->n < 64);
	list->at[list->n++] = *one;
}

static struct list *parse(const char *body)
{
	static struct list list;
	struct err err = {0};

	list.n = 0;
	assert_true(docker_parse_list(text_of(body), take, &list, &err));
	return &list;
}

static const struct listed *named(const struct list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->at[i].row.name, name))
			return &list->at[i];
	fail_msg("no container %s", name);
	abort();
}

static void a_recorded_list_gives_state_health_and_ports(void **state)
{
	char *body = read_recorded("containers.json");
	const struct list *list = parse(body);
	const struct container *web = &named(list, "web")->row;

	(void)state;
	assert_int_equal(list->n, 14);
	assert_string_equal(web->state, "running");
	assert_string_equal(web->health, "healthy");
	assert_string_equal(web->ports, "*:24040-24045->4040-4045, 127.0.0.1:29097->8000"); /* IPv4 and IPv6 are one */
	assert_string_equal(web->network, "bridge");
	assert_string_equal(web->project, "lakehouse-at-home");
	assert_string_equal(web->service, "web");
	assert_string_equal(web->workdir, "/srv/lakehouse");
	assert_string_equal(web->version, "1.35.0");
	assert_true(web->created > 1700000000000);
	assert_int_equal(web->restarts, -1); /* not told by the list: unknown, not 0 */
	assert_int_equal(web->exit_code, -1);
	free(body);
}

static void a_container_on_the_hosts_network_publishes_nothing(void **state)
{
	char *body = read_recorded("containers.json");
	const struct container *kafka = &named(parse(body), "kafka")->row;

	(void)state;
	assert_string_equal(kafka->network, "host");
	assert_string_equal(kafka->ports, "");
	assert_string_equal(kafka->health, ""); /* none defined */
	free(body);
}

static void health_counts_only_while_a_container_runs(void **state)
{
	char *body = read_recorded("containers.json");
	const struct list *list = parse(body);

	(void)state;
	assert_string_equal(named(list, "sick")->row.health, "unhealthy");
	assert_string_equal(named(list, "was-healthy")->row.state, "exited"); /* its inspect still says unhealthy */
	assert_string_equal(named(list, "was-healthy")->row.health, "");
	assert_string_equal(named(list, "paused")->row.state, "paused");
	assert_string_equal(named(list, "paused")->row.health, "");
	free(body);
}

static void an_exit_code_is_read_from_the_words(void **state)
{
	char *body = read_recorded("containers.json");
	const struct list *list = parse(body);

	(void)state;
	assert_int_equal(named(list, "killed")->row.exit_code, 137);
	assert_int_equal(named(list, "exited3")->row.exit_code, 3);
	assert_int_equal(named(list, "loop")->row.exit_code, 3);
	assert_int_equal(named(list, "never")->row.exit_code, -1);
	free(body);
}

static void a_tag_that_moved_on_shows_as_an_id(void **state)
{
	char *body = read_recorded("containers.json");

	(void)state;
	assert_memory_equal(named(parse(body), "moved")->row.image, "sha256:", 7);
	free(body);
}

static void what_is_missing_or_null_makes_a_placeholder(void **state)
{
	const struct list *list = parse("[{\"Id\":\"" ID "\",\"Names\":[],\"Ports\":null,\"Labels\":null,\"State\":null,\"Status\":null,"
					"\"HostConfig\":null,\"NetworkSettings\":null,\"Created\":null,\"Image\":null},"
					"{\"Id\":\"" ID "\"},{\"Id\":\"" ID "\",\"Names\":null},"
					"{\"Id\":null},{},null,7,\"x\",[],{\"Id\":\"../../images\"},{\"Id\":\"\"}]");

	(void)state;
	assert_int_equal(list->n, 3); /* what has no id cannot be asked about */
	for (size_t i = 0; i < list->n; i++) {
		assert_string_equal(list->at[i].row.name, "4f1c2e3d4f1c");
		assert_string_equal(list->at[i].row.ports, "");
		assert_string_equal(list->at[i].row.state, "");
	}
}

static void an_alias_of_a_link_is_no_name(void **state)
{
	(void)state;
	assert_string_equal(parse("[{\"Id\":\"" ID "\",\"Names\":[\"/web/db\",\"/db\"]}]")->at[0].row.name, "db");
}

static void words_of_a_container_are_clean(void **state)
{
	const struct container *row = &parse("[{\"Id\":\"" ID "\",\"Names\":[\"/a\\u001b]52;c;x\\u0007b\\n\"],\"Image\":\"x\\u009by\"}]")->at[0].row;

	(void)state;
	assert_string_equal(row->name, "a]52;c;xb ");
	assert_string_equal(row->image, "xy");
}

/* By hand, from the changelog of 1.52: Health is a member, the network's own addresses are gone. */
static void the_shape_of_api_1_52_is_read_too(void **state)
{
	const struct container *row = &parse(
		"[{\"Id\":\"" ID "\",\"Names\":[\"/kafka\"],\"Image\":\"apache/kafka:4.1.0\",\"ImageID\":\"sha256:1\",\"Created\":1795967886,"
		"\"Ports\":[{\"IP\":\"0.0.0.0\",\"PrivatePort\":9092,\"PublicPort\":9092,\"Type\":\"tcp\"},"
		"{\"IP\":\"::\",\"PrivatePort\":9092,\"PublicPort\":9092,\"Type\":\"tcp\"},{\"PrivatePort\":9093,\"Type\":\"tcp\"}],"
		"\"Labels\":{},\"State\":\"running\",\"Status\":\"Up 5 minutes\",\"HostConfig\":{\"NetworkMode\":\"lake_default\",\"Annotations\":{}},"
		"\"Health\":{\"Status\":\"starting\",\"FailingStreak\":2},"
		"\"NetworkSettings\":{\"Networks\":{\"lake_default\":{\"IPAddress\":\"172.18.0.2\"}}},\"Mounts\":[]}]")->at[0].row;

	(void)state;
	assert_string_equal(row->health, "starting");
	assert_string_equal(row->ports, "*:9092->9092");
	assert_string_equal(row->network, "lake_default");
	assert_string_equal(parse("[{\"Id\":\"" ID "\",\"State\":\"running\",\"Status\":\"Up 5 minutes\",\"Health\":{\"Status\":\"none\"}}]")->at[0].row.health, "");
	assert_string_equal(parse("[{\"Id\":\"" ID "\",\"State\":\"exited\",\"Status\":\"Exited (0) 5 minutes ago\",\"Health\":{\"Status\":\"unhealthy\"}}]")->at[0].row.health, "");
}

/* By hand, as Podman 4.3.1 answers: no HostConfig, states of its own, null everywhere. */
static void the_shape_of_podman_is_read_too(void **state)
{
	const struct list *list = parse(
		"[{\"Id\":\"" ID "\",\"Names\":[\"/a\"],\"Image\":\"docker.io/library/x:1\",\"State\":\"configured\",\"Status\":\"\",\"Ports\":null,"
		"\"Labels\":{\"io.podman.compose.project\":\"lake\"},\"SizeRw\":null,\"Pod\":null,\"NetworkSettings\":{\"Networks\":{\"podman\":{}}}},"
		"{\"Id\":\"" ID "\",\"Names\":[\"/b\"],\"State\":\"stopped\",\"Status\":\"Exited (0) 2 hours ago\"}]");

	(void)state;
	assert_string_equal(list->at[0].row.state, "created");
	assert_string_equal(list->at[0].row.network, "podman");
	assert_string_equal(list->at[0].row.project, "lake");
	assert_string_equal(list->at[1].row.state, "exited");
}

static void more_ports_than_a_row_holds_are_cut_between_two(void **state)
{
	char body[8192] = "[{\"Id\":\"" ID "\",\"Ports\":[";
	const struct container *row;
	size_t len = strlen(body);

	(void)state;
	for (int i = 0; i < 60; i++)
		len += (size_t)snprintf(body + len, sizeof body - len, "%s{\"IP\":\"10.0.0.1\",\"PrivatePort\":%d,\"PublicPort\":%d,\"Type\":\"%s\"}",
			i ? "," : "", 8000 + i * 2, 9000 + i * 2, i % 2 ? "udp" : "tcp");
	snprintf(body + len, sizeof body - len, "]}]");
	row = &parse(body)->at[0].row;
	assert_true(strlen(row->ports) < sizeof row->ports);
	assert_string_equal(row->ports + strlen(row->ports) - 5, ", ...");
	assert_memory_equal(row->ports, "10.0.0.1:9000->8000, 10.0.0.1:9004->8004, ", 42);
}

static void what_is_no_list_is_an_error(void **state)
{
	static const char *const bodies[] = {"", "{}", "{\"message\":\"page not found\"}", "[{\"Id\":", "null", "[] []"};
	struct list *list = calloc(1, sizeof *list);

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct err err = {0};

		assert_false(docker_parse_list(text_of(bodies[i]), take, list, &err));
		assert_int_equal(err.code, ERR_PARSE);
	}
	assert_int_equal(list->n, 0);
	free(list);
}

static void the_age_of_a_status_is_its_upper_end(void **state)
{
	static const struct {
		const char *status;
		int64_t ms;
	} cases[] = {
		{"Up Less than a second", 1000}, {"Up 1 second", 2000}, {"Up 14 seconds (healthy)", 15000}, {"Up About a minute (Paused)", 120000},
		{"Up 5 minutes", 360000}, {"Up About an hour", 7200000}, {"Up 47 hours", 48 * 3600000LL}, {"Up 13 days", 14 * 86400000LL},
		{"Up 3 weeks (unhealthy)", 28 * 86400000LL}, {"Exited (137) 2 days ago", 3 * 86400000LL}, {"Restarting (1) 45 seconds ago", 46000},
		{"Created", -1}, {"Dead", -1}, {"", -1}, {"Up 99999999999999999999 seconds", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(docker_age(text_of(cases[i].status)), cases[i].ms);
}

static void the_version_is_ours_at_most_and_theirs_at_most(void **state)
{
	static const struct {
		const char *theirs, *asked;
	} cases[] = {{"1.41", "1.41"}, {"1.44", "1.44"}, {"1.52", "1.44"}, {"1.9", "1.9"}, {"2.0", "1.44"}, {"", ""}, {"x", ""}, {"1.", ""}, {"1.44/../", ""}};
	char out[16];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		docker_version(text_of(cases[i].theirs), out, sizeof out);
		assert_string_equal(out, cases[i].asked);
	}
}

/* ---- inspect ---- */

static struct container inspected(const char *name)
{
	struct err err = {0};
	struct container row;
	char file[64], *list = read_recorded("containers.json"), *body;

	row = named(parse(list), name)->row;
	snprintf(file, sizeof file, "inspect-%s.json", name);
	body = read_recorded(file);
	assert_true(docker_parse_inspect(text_of(body), &row, &err));
	free(body);
	free(list);
	return row;
}

static void a_crash_loop_is_told_by_its_restarts(void **state)
{
	struct container row = inspected("loop");

	(void)state;
	assert_string_equal(row.state, "restarting"); /* inspect says running and restarting at once */
	assert_int_equal(row.restarts, 14);
	assert_int_equal(row.exit_code, 3);
}

static void a_start_that_failed_says_why(void **state)
{
	(void)state;
	assert_string_equal(inspected("nope").state, "created");
	assert_int_equal(inspected("nope").exit_code, 127);
	assert_non_null(strstr(inspected("nope").error, "stat /nope: no such file or directory")); /* the cause, not what leads to it */
	assert_string_equal(inspected("taken").error, "Bind for 127.0.0.1:29097 failed: port is already allocated");
	assert_string_equal(inspected("foreign").error, "Error starting userland proxy: listen tcp4 127.0.0.1:29556: bind: address already in use");
	assert_string_equal(inspected("never").error, "");
	assert_int_equal(inspected("never").started, 0); /* the year 1 is no time */
}

static void a_killed_container_is_out_of_memory_only_where_it_says_so(void **state)
{
	(void)state;
	assert_int_equal(inspected("killed").exit_code, 137);
	assert_false(inspected("killed").oom_killed);
	assert_int_equal(inspected("oom").exit_code, 137);
	assert_true(inspected("oom").oom_killed);
}

static void a_running_container_has_no_exit_code(void **state)
{
	struct container web = inspected("web");

	(void)state;
	assert_int_equal(web.exit_code, -1);
	assert_int_equal(web.restarts, 0);
	assert_true(web.started >= web.created);
	assert_string_equal(web.image, "lab/busybox:1");
	assert_int_equal(inspected("paused").exit_code, -1);
}

static void a_moved_tag_is_newer_than_its_container(void **state)
{
	struct container moved = inspected("moved");
	char *body = read_recorded("image-busybox-2.json");
	int64_t created = 0;

	(void)state;
	assert_string_equal(moved.image, "lab/busybox:2"); /* as it was typed */
	assert_true(docker_parse_image(text_of(body), &created, NULL));
	assert_true(created > moved.created);
	free(body);
}

static void times_are_read_with_fraction_and_zone(void **state)
{
	int64_t created = 0;

	(void)state;
	assert_true(docker_parse_image(TEXT("{\"Created\":\"2026-11-29T12:23:50.991162259Z\"}"), &created, NULL));
	assert_int_equal(created, 1795955030991);
	assert_true(docker_parse_image(TEXT("{\"Created\":\"2026-11-29T13:23:50+01:00\"}"), &created, NULL));
	assert_int_equal(created, 1795955030000);
	assert_false(docker_parse_image(TEXT("{\"Created\":\"0001-01-01T00:00:00Z\"}"), &created, NULL));
	assert_false(docker_parse_image(TEXT("{\"Created\":\"yesterday\"}"), &created, NULL));
	assert_false(docker_parse_image(TEXT("{}"), &created, NULL));
}

static void an_answer_that_is_no_inspect_leaves_the_row(void **state)
{
	struct container row = {.restarts = -1, .exit_code = -1};
	struct err err = {0};

	(void)state;
	assert_false(docker_parse_inspect(TEXT("{\"message\":\"No such container\"}"), &row, &err));
	assert_false(docker_parse_inspect(TEXT("[]"), &row, &err));
	assert_false(docker_parse_inspect(TEXT(""), &row, &err));
	assert_int_equal(row.restarts, -1);
}

/* ---- an engine of our own: answers what it is told, counts what it is asked ---- */

enum manner { ANSWERS, MUTE, BROKEN, FORBIDS };

struct engine {
	char path[64];
	int listener, stop[2];
	pthread_t thread;
	pthread_mutex_t lock;
	/* under the lock */
	enum manner manner;
	const char *api;      /* what _ping tells */
	int minimum;          /* minor version: below it 400 */
	char *list;           /* JSON */
	int64_t restarts;
	const char *started;  /* NULL: long ago */
	unsigned pings, lists, inspects, images, refusals;
	char last_version[16];
};

static void reply(int fd, int status, const char *headers, const char *body)
{
	char head[512];
	size_t done = 0, len = strlen(body);
	int n = snprintf(head, sizeof head, "HTTP/1.1 %d Words\r\nServer: Docker/20.10.24 (linux)\r\n%sContent-Length: %zu\r\n\r\n", status, headers, len);

	(void)!send(fd, head, (size_t)n, MSG_NOSIGNAL);
	while (done < len) {
		ssize_t sent = send(fd, body + done, len - done, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		done += (size_t)sent;
	}
}

static void answer(struct engine *e, int fd, const char *request)
{
	static const char image[] = "{\"Id\":\"sha256:1\",\"Created\":\"2026-11-29T12:00:00Z\"}";
	char headers[64], inspect[512], version[16] = "";
	int64_t minor;

	if (!strncmp(request, "GET /_ping ", 11)) {
		e->pings++;
		snprintf(headers, sizeof headers, "Api-Version: %s\r\n", e->api);
		reply(fd, e->manner == FORBIDS ? 403 : 200, headers, "OK");
		return;
	}
	text_copy(version, sizeof version, text_between(text_of(request), "GET /v", "/"));
	text_copy(e->last_version, sizeof e->last_version, text_of(version));
	if (!text_i64(text_after(text_of(version), '.'), &minor) || minor < e->minimum) {
		e->refusals++;
		reply(fd, 400, "", "client version is too old");
	} else if (strstr(request, "/containers/json?all=1 ")) {
		e->lists++;
		reply(fd, 200, "", e->manner == BROKEN ? "<html>" : e->list);
	} else if (strstr(request, "/images/")) {
		e->images++;
		reply(fd, 200, "", image);
	} else {
		e->inspects++;
		snprintf(inspect, sizeof inspect,
			"{\"Created\":\"2026-11-29T11:00:00Z\",\"State\":{\"Status\":\"running\",\"ExitCode\":0,\"StartedAt\":\"%s\"},"
			"\"RestartCount\":%d,\"Config\":{\"Image\":\"lake/kafka:1\"}}", e->started ? e->started : "2026-11-29T11:00:01Z", (int)e->restarts);
		reply(fd, 200, "", inspect);
	}
}

static void serve(struct engine *e, int fd)
{
	char request[4096];
	size_t len = 0;

	for (;;) {
		struct pollfd p[2] = {{fd, POLLIN, 0}, {e->stop[0], POLLIN, 0}};
		ssize_t n;

		if (poll(p, 2, -1) < 0 || p[1].revents)
			return;
		n = recv(fd, request + len, sizeof request - 1 - len, 0);
		if (n <= 0)
			return;
		len += (size_t)n;
		request[len] = '\0';
		if (!strstr(request, "\r\n\r\n"))
			continue;
		len = 0;
		pthread_mutex_lock(&e->lock);
		if (e->manner != MUTE)
			answer(e, fd, request);
		pthread_mutex_unlock(&e->lock);
	}
}

static void *run_engine(void *arg)
{
	struct engine *e = arg;

	for (;;) {
		struct pollfd p[2] = {{e->listener, POLLIN, 0}, {e->stop[0], POLLIN, 0}};
		int fd;

		if (poll(p, 2, -1) < 0 || p[1].revents)
			return NULL;
		fd = accept(e->listener, NULL, NULL);
		if (fd >= 0) {
			serve(e, fd);
			close(fd);
		}
	}
}

static void engine_begin(struct engine *e)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	text_copy(at.sun_path, sizeof at.sun_path, text_of(e->path));
	unlink(e->path);
	e->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(e->listener, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(e->listener, 16), 0);
	assert_int_equal(pipe(e->stop), 0);
	assert_int_equal(pthread_create(&e->thread, NULL, run_engine, e), 0);
}

static void engine_end(struct engine *e)
{
	close(e->stop[1]);
	pthread_join(e->thread, NULL);
	close(e->stop[0]);
	close(e->listener);
}

struct bench { /* one test's: an engine, a host, what docker_look keeps */
	struct engine engine;
	struct host *host;
	void *state;
	struct snapshot *s;
};

static int set_up(void **state)
{
	struct bench *t = calloc(1, sizeof *t);

	snprintf(t->engine.path, sizeof t->engine.path, "/tmp/laketop-docker-%d.sock", (int)getpid());
	pthread_mutex_init(&t->engine.lock, NULL);
	t->engine.api = "1.41";
	t->engine.list = strdup("[]");
	t->host = host_local();
	setenv("DOCKER_HOST", "unix:///tmp/none", 1);
	*state = t;
	return 0;
}

static void sit_down(struct bench *t)
{
	char value[80];

	snprintf(value, sizeof value, "unix://%s", t->engine.path);
	setenv("DOCKER_HOST", value, 1);
	engine_begin(&t->engine);
}

static int tear_down(void **state)
{
	struct bench *t = *state;

	clock_freeze(-1, -1);
	docker_end(t->state);
	if (t->engine.thread)
		engine_end(&t->engine);
	unlink(t->engine.path);
	snapshot_unref(t->s);
	pthread_mutex_destroy(&t->engine.lock);
	free(t->engine.list);
	t->host->close(t->host);
	free(t);
	return 0;
}

static const struct facts *look(struct bench *t, int64_t ms)
{
	bool fine;

	snapshot_unref(t->s);
	t->s = snapshot_new("docker", PART_DOCKER);
	fine = docker_look(t->host, &t->state, wait_for(ms, -1), t->s);
	assert_int_equal(fine, t->s->facts->docker == DOCKER_OK);
	assert_int_equal(fine, t->s->err.code == ERR_NONE);
	return t->s->facts;
}

/* Containers that all do the same; the first may do something else. */
static void set_list(struct bench *t, int n, const char *first, const char *others)
{
	size_t size = 64 + (size_t)n * 600, len = 0;
	char *list = calloc(1, size);

	list[len++] = '[';
	for (int i = 0; i < n; i++)
		len += (size_t)snprintf(list + len, size - len,
			"%s{\"Id\":\"%064x\",\"Names\":[\"/c%d\"],\"Image\":\"lake/kafka:1\",\"ImageID\":\"sha256:1\",\"Created\":1795950000,\"Ports\":[],"
			"\"Labels\":{},\"HostConfig\":{\"NetworkMode\":\"host\"},%s}", i ? "," : "", (unsigned)i + 1, i, i ? others : first);
	list[len] = ']';
	pthread_mutex_lock(&t->engine.lock);
	free(t->engine.list);
	t->engine.list = list;
	pthread_mutex_unlock(&t->engine.lock);
}

struct asked {
	unsigned pings, lists, inspects, images, refusals;
	char version[16];
};

static struct asked asked(struct bench *t)
{
	struct asked a;

	pthread_mutex_lock(&t->engine.lock);
	a = (struct asked){t->engine.pings, t->engine.lists, t->engine.inspects, t->engine.images, t->engine.refusals, ""};
	text_copy(a.version, sizeof a.version, text_of(t->engine.last_version));
	t->engine.pings = t->engine.lists = t->engine.inspects = t->engine.images = t->engine.refusals = 0;
	pthread_mutex_unlock(&t->engine.lock);
	return a;
}

#define UP "\"State\":\"running\",\"Status\":\"Up 5 minutes (healthy)\""

/* lazydocker #249, #296; moby #39664: a dashboard that burns the daemon. */
static void a_look_costs_one_request_while_nothing_changes(void **state)
{
	struct bench *t = *state;
	struct asked a;

	sit_down(t);
	set_list(t, 60, UP, UP);
	assert_int_equal(look(t, 60000)->n_containers, 60);
	a = asked(t);
	assert_true(a.pings == 1 && a.lists == 1 && a.inspects == 60 && a.images == 1); /* they share their image */
	for (int i = 0; i < 5; i++) {
		assert_int_equal(look(t, 60000)->n_containers, 60);
		assert_int_equal(t->s->requests, 1);
	}
	a = asked(t);
	assert_true(a.pings == 0 && a.lists == 5 && a.inspects == 0 && a.images == 0);
	assert_int_equal(t->s->facts->containers[59].image_created, 1795953600000);
	assert_string_equal(t->s->facts->docker_words, "Docker 20.10.24, API 1.41");
}

static void only_what_changed_is_inspected(void **state)
{
	struct bench *t = *state;
	struct asked a;

	sit_down(t);
	set_list(t, 20, UP, UP);
	look(t, 60000);
	asked(t);
	set_list(t, 20, "\"State\":\"running\",\"Status\":\"Up 6 minutes (unhealthy)\"", UP); /* words only */
	assert_string_equal(look(t, 60000)->containers[0].health, "unhealthy");
	a = asked(t);
	assert_int_equal(a.inspects, 0);
	assert_int_equal(t->s->facts->containers[0].restarts, 0); /* known from before */
	set_list(t, 20, "\"State\":\"exited\",\"Status\":\"Exited (137) 5 minutes ago\"", UP);
	assert_string_equal(look(t, 60000)->containers[0].state, "exited");
	a = asked(t);
	assert_int_equal(a.inspects, 1);
	set_list(t, 19, UP, UP);
	assert_int_equal(look(t, 60000)->n_containers, 19);
}

static int64_t began(struct bench *t, const char *started, const char *status)
{
	char words[80];

	pthread_mutex_lock(&t->engine.lock);
	t->engine.started = started;
	pthread_mutex_unlock(&t->engine.lock);
	snprintf(words, sizeof words, "\"State\":\"running\",\"Status\":\"%s\"", status);
	set_list(t, 1, words, UP);
	return look(t, 60000)->containers[0].started;
}

static void a_restart_right_after_a_look_is_seen_by_its_beginning(void **state)
{
	struct bench *t = *state;
	const int64_t wall = 1795955030000; /* 12:23:50 */

	sit_down(t);
	clock_freeze(1000000, wall);
	assert_int_equal(began(t, "2026-11-29T12:18:49Z", "Up 5 minutes"), wall - 301000);
	clock_freeze(1001500, wall + 1500);
	assert_int_equal(began(t, "2026-11-29T12:23:50.500Z", "Up 1 second"), wall + 500); /* it was asked later than two seconds ago */
	asked(t);
	clock_freeze(1003500, wall + 3500);
	began(t, "2026-11-29T12:23:50.500Z", "Up 3 seconds");
	assert_int_equal(asked(t).inspects, 0);
}

static void an_engine_with_another_clock_is_not_asked_over_and_over(void **state)
{
	struct bench *t = *state;

	sit_down(t);
	for (int i = 0; i < 4; i++) {
		clock_freeze(1000000 + i * 2000, 1795955030000 + i * 2000);
		began(t, "2026-11-29T11:59:00Z", i < 2 ? "Up 3 minutes" : "Up 4 minutes");
	}
	assert_int_equal(asked(t).inspects, 1);
}

static void a_restart_between_two_looks_is_seen_by_its_age(void **state)
{
	struct bench *t = *state;
	struct asked a;

	sit_down(t);
	clock_freeze(1000000, 1795955030000);
	set_list(t, 3, "\"State\":\"running\",\"Status\":\"Up 2 seconds\"", UP);
	assert_int_equal(look(t, 60000)->containers[0].restarts, 0);
	asked(t);
	clock_freeze(1004000, 1795955034000);
	pthread_mutex_lock(&t->engine.lock);
	t->engine.restarts = 1;
	pthread_mutex_unlock(&t->engine.lock);
	assert_int_equal(look(t, 60000)->containers[0].restarts, 1); /* the same words, four seconds later: another life */
	a = asked(t);
	assert_int_equal(a.inspects, 1);
	clock_freeze(1006000, 1795955036000);
	set_list(t, 3, "\"State\":\"running\",\"Status\":\"Up 4 seconds\"", UP);
	look(t, 60000);
	a = asked(t);
	assert_int_equal(a.inspects, 0);
}

static void a_tag_that_moved_asks_for_its_image_again(void **state)
{
	struct bench *t = *state;
	struct asked a;

	sit_down(t);
	set_list(t, 2, UP, UP);
	look(t, 60000);
	asked(t);
	pthread_mutex_lock(&t->engine.lock);
	memcpy(strstr(t->engine.list, "lake/kafka:1"), "sha256:12345", 12);
	pthread_mutex_unlock(&t->engine.lock);
	look(t, 60000);
	a = asked(t);
	assert_true(a.inspects == 1 && a.images == 1);
	assert_string_equal(t->s->facts->containers[0].image, "lake/kafka:1");
}

/* lazydocker #698, #704, #715: Docker 29 raised its minimum. */
static void an_engine_that_finds_us_too_old_is_asked_at_its_own_version_once(void **state)
{
	struct bench *t = *state;
	struct asked a;

	t->engine.api = "1.55";
	t->engine.minimum = 48;
	sit_down(t);
	set_list(t, 1, UP, UP);
	assert_int_equal(look(t, 60000)->docker, DOCKER_OK);
	a = asked(t);
	assert_string_equal(a.version, "1.55");
	assert_int_equal(a.refusals, 1);
	look(t, 60000);
	a = asked(t);
	assert_int_equal(a.refusals, 0);
}

static void an_engine_that_refuses_every_version_says_so(void **state)
{
	struct bench *t = *state;

	t->engine.minimum = 99;
	sit_down(t);
	assert_int_equal(look(t, 60000)->docker, DOCKER_DEAD);
	assert_int_equal(asked(t).refusals, 1);
	assert_non_null(strstr(t->s->err.words, "HTTP 400 client version is too old"));
}

static void five_hundred_containers_are_no_burden(void **state)
{
	struct bench *t = *state;

	sit_down(t);
	set_list(t, 500, UP, UP);
	for (int i = 0; i < 100 && look(t, 2000)->containers[499].restarts < 0; i++) /* a slow machine inspects them over several looks */
		continue;
	assert_int_equal(t->s->facts->n_containers, 500);
	look(t, 60000);
	assert_int_equal(t->s->requests, 1);
	assert_string_equal(t->s->facts->containers[499].name, "c499");
	assert_false(arena_full(t->s->arena));
}

static void an_engine_that_comes_back_is_found_again(void **state)
{
	struct bench *t = *state;

	assert_int_equal(look(t, 60000)->docker, DOCKER_NONE);
	assert_string_equal(t->s->facts->docker_words, "no Docker or Podman socket");
	sit_down(t);
	set_list(t, 1, UP, UP);
	assert_int_equal(look(t, 60000)->docker, DOCKER_OK);
	engine_end(&t->engine); /* its socket file stays, as after a crash */
	assert_int_equal(look(t, 60000)->docker, DOCKER_DEAD);
	assert_int_equal(t->s->facts->n_containers, 0);
	assert_int_equal(look(t, 60000)->docker, DOCKER_DEAD);
	assert_int_equal(t->s->requests, 0); /* a dead one costs nothing but a look at its socket */
	engine_begin(&t->engine);
	assert_int_equal(look(t, 60000)->docker, DOCKER_OK);
	assert_int_equal(t->s->err.code, ERR_NONE);
}

static void a_mute_engine_is_dead_by_the_deadline(void **state)
{
	struct bench *t = *state;
	int64_t began;

	t->engine.manner = MUTE;
	sit_down(t);
	began = clock_ms();
	assert_int_equal(look(t, 300)->docker, DOCKER_DEAD);
	assert_true(clock_ms() - began < 20000);
	assert_non_null(strstr(t->s->facts->docker_words, "does not answer"));
}

static void an_engine_that_answers_nonsense_is_not_believed(void **state)
{
	struct bench *t = *state;

	t->engine.manner = BROKEN;
	sit_down(t);
	assert_int_equal(look(t, 60000)->docker, DOCKER_DEAD);
	assert_int_equal(t->s->err.code, ERR_PARSE);
	assert_int_equal(t->s->facts->n_containers, 0);
	pthread_mutex_lock(&t->engine.lock);
	t->engine.api = "";
	pthread_mutex_unlock(&t->engine.lock);
	assert_int_equal(look(t, 60000)->docker, DOCKER_DEAD);
}

static void an_engine_that_forbids_is_denied_and_not_dead(void **state)
{
	struct bench *t = *state;

	t->engine.manner = FORBIDS;
	sit_down(t);
	assert_int_equal(look(t, 60000)->docker, DOCKER_DENIED);
}

static int dial_denied(struct host *h, const char *path, struct wait wait, struct err *err)
{
	(void)h;
	(void)wait;
	err_set(err, ERR_SYSTEM, "%s: Permission denied", path);
	return -1;
}

static void a_socket_of_another_group_is_denied_and_says_what_it_takes(void **state)
{
	struct bench *t = *state;

	sit_down(t);
	t->host->dial_unix = dial_denied;
	assert_int_equal(look(t, 60000)->docker, DOCKER_DENIED);
	assert_non_null(strstr(t->s->facts->docker_words, "group docker"));
	assert_int_equal(t->s->err.code, ERR_SYSTEM);
}

static void write_in(const char *folder, const char *name, const char *words)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(words, f);
	fclose(f);
}

static void the_context_that_docker_itself_would_use_is_used(void **state)
{
	char folder[] = "/tmp/laketop-context-XXXXXX", path[256], meta[512];
	struct bench *t = *state;

	sit_down(t);
	setenv("DOCKER_HOST", "ssh://elsewhere", 1); /* another machine's: says nothing of this one */
	assert_non_null(mkdtemp(folder));
	setenv("DOCKER_CONFIG", folder, 1);
	snprintf(path, sizeof path, "%s/contexts", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/contexts/meta", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/contexts/meta/abc", folder);
	mkdir(path, 0700);
	snprintf(meta, sizeof meta, "{\"Name\":\"lab\",\"Endpoints\":{\"docker\":{\"Host\":\"unix://%s\"}}}", t->engine.path);
	write_in(path, "meta.json", meta);
	write_in(folder, "config.json", "{\"currentContext\":\"lab\"}");
	assert_int_equal(look(t, 60000)->docker, DOCKER_OK);
	unsetenv("DOCKER_CONFIG");
	snprintf(meta, sizeof meta, "%s/meta.json", path);
	unlink(meta);
	for (int i = 0; i < 3; i++) {
		rmdir(path);
		*strrchr(path, '/') = '\0';
	}
	snprintf(path, sizeof path, "%s/config.json", folder);
	unlink(path);
	rmdir(folder);
}

#define with_engine(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_list_gives_state_health_and_ports),
		cmocka_unit_test(a_container_on_the_hosts_network_publishes_nothing),
		cmocka_unit_test(health_counts_only_while_a_container_runs),
		cmocka_unit_test(an_exit_code_is_read_from_the_words),
		cmocka_unit_test(a_tag_that_moved_on_shows_as_an_id),
		cmocka_unit_test(what_is_missing_or_null_makes_a_placeholder),
		cmocka_unit_test(an_alias_of_a_link_is_no_name),
		cmocka_unit_test(words_of_a_container_are_clean),
		cmocka_unit_test(the_shape_of_api_1_52_is_read_too),
		cmocka_unit_test(the_shape_of_podman_is_read_too),
		cmocka_unit_test(more_ports_than_a_row_holds_are_cut_between_two),
		cmocka_unit_test(what_is_no_list_is_an_error),
		cmocka_unit_test(the_age_of_a_status_is_its_upper_end),
		cmocka_unit_test(the_version_is_ours_at_most_and_theirs_at_most),
		cmocka_unit_test(a_crash_loop_is_told_by_its_restarts),
		cmocka_unit_test(a_start_that_failed_says_why),
		cmocka_unit_test(a_killed_container_is_out_of_memory_only_where_it_says_so),
		cmocka_unit_test(a_running_container_has_no_exit_code),
		cmocka_unit_test(a_moved_tag_is_newer_than_its_container),
		cmocka_unit_test(times_are_read_with_fraction_and_zone),
		cmocka_unit_test(an_answer_that_is_no_inspect_leaves_the_row),
		with_engine(a_look_costs_one_request_while_nothing_changes),
		with_engine(only_what_changed_is_inspected),
		with_engine(a_restart_between_two_looks_is_seen_by_its_age),
		with_engine(a_restart_right_after_a_look_is_seen_by_its_beginning),
		with_engine(an_engine_with_another_clock_is_not_asked_over_and_over),
		with_engine(a_tag_that_moved_asks_for_its_image_again),
		with_engine(an_engine_that_finds_us_too_old_is_asked_at_its_own_version_once),
		with_engine(an_engine_that_refuses_every_version_says_so),
		with_engine(five_hundred_containers_are_no_burden),
		with_engine(an_engine_that_comes_back_is_found_again),
		with_engine(a_mute_engine_is_dead_by_the_deadline),
		with_engine(an_engine_that_answers_nonsense_is_not_believed),
		with_engine(an_engine_that_forbids_is_denied_and_not_dead),
		with_engine(a_socket_of_another_group_is_denied_and_says_what_it_takes),
		with_engine(the_context_that_docker_itself_would_use_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
