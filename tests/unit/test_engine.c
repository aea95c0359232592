// SPDX-License-Identifier: MIT
/*
 * The engine against a host whose facts the test writes and a server whose manners it sets: what
 * a person would see, in order, and nothing else. The server speaks ZooKeeper's "srvr", because
 * it is one line; the kinds themselves are tested elsewhere, on real servers.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../backend/engine/actor.h"
#include "service.h"

enum manner { GOOD, MUTE, GARBAGE, POSTGRES, ICEBERG, WEB };
enum { SERVER_PID = 4242, TURNS_MS = 60000, STOP_MS = 20000 };

static const char SRVR[] = "Zookeeper version: 3.8.4-9316c2a7a97e1666d8f4593f34dd6fc36ecc436c, built on 2024-02-12 22:16 UTC\n"
	"Latency min/avg/max: 0/2.3731/31\nReceived: 68\nSent: 69\nConnections: 2\nOutstanding: 0\nZxid: 0x1d\nMode: standalone\nNode count: 28\n";

static struct world {
	int fd;
	uint16_t port;
	_Atomic enum manner manner;
	atomic_int asked, configs;
	/* what the host says */
	atomic_bool listening, hinted, postgres;
	atomic_int state;  /* of the process: 'S', 'T' */
	atomic_int pid;
	_Atomic int64_t disk_free; /* MiB of 1000, told by two paths; -1: no disk is told of */
	_Atomic int64_t memory;    /* MiB of 1000 */
	atomic_bool no_disk;       /* the first of them is not there */
	struct host *local, host;
} world;

/* Apache Iceberg's reference server 1.11.0, on "/" as it is; or any other that does not have it either. */
static const char *web(enum manner manner, const char *question)
{
	bool config = !strncmp(question, "GET /v1/config", 14);

	atomic_fetch_add(&world.configs, config);
	if (manner == WEB)
		return "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n{\"error\":\"Not Found\",\"status\":404,\"path\":\"/\"}";
	return config ? "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"defaults\":{\"clients\":\"4\"},\"overrides\":{}}" :
		"HTTP/1.1 400 Bad Request\r\nServer: Jetty(12.1.6)\r\nConnection: close\r\n\r\n"
		"{\"error\":{\"message\":\"No route for request: GET \",\"type\":\"BadRequestException\",\"code\":400}}";
}

static void *serve(void *arg)
{
	const int *listener = arg;
	int held[64], n = 0;

	for (;;) {
		char question[1024];
		int fd = accept(*listener, NULL, NULL);

		if (fd < 0)
			break;
		atomic_fetch_add(&world.asked, 1);
		while (atomic_load(&world.manner) != MUTE && n > 0)
			close(held[--n]);
		if (atomic_load(&world.manner) == MUTE && n < 64) {
			held[n++] = fd;
			continue;
		}
		if (recv(fd, question, sizeof question, 0) > 0) {
			enum manner manner = atomic_load(&world.manner);
			const char *say = manner == GOOD ? SRVR : manner == POSTGRES ? "N" : manner >= ICEBERG ? web(manner, question) :
				"220 mail ready\r\n";

			send(fd, say, strlen(say), MSG_NOSIGNAL);
		}
		close(fd);
	}
	while (n > 0)
		close(held[--n]);
	return NULL;
}

static bool look(struct host *h, void **state, const char *const *disks, struct snapshot *s)
{
	struct facts *f = arena_alloc(s->arena, sizeof *f);
	struct listener *l = arena_alloc(s->arena, sizeof *l);
	struct process *p = arena_alloc(s->arena, sizeof *p);

	(void)h;
	(void)state;
	(void)disks;
	text_copy(l->address, sizeof l->address, TEXT("127.0.0.1"));
	l->port = world.port;
	l->pid = p->pid = atomic_load(&world.pid);
	l->inode = (uint64_t)l->pid + 77; /* another process is on another socket */
	p->state = (char)atomic_load(&world.state);
	p->started = 1795950000000;
	text_copy(p->name, sizeof p->name, TEXT("java"));
	if (atomic_load(&world.hinted))
		text_copy(p->hint, sizeof p->hint, atomic_load(&world.postgres) ? TEXT("postgres -D data") :
			TEXT("org.apache.zookeeper.server.quorum.QuorumPeerMain zoo.cfg"));
	*f = (struct facts){.listeners = l, .n_listeners = atomic_load(&world.listening), .processes = p, .n_processes = atomic_load(&world.listening)};
	f->box.oom_kills = -1;
	f->box.memory_total = INT64_C(1000) << 20;
	f->box.memory_available = atomic_load(&world.memory) << 20;
	if (atomic_load(&world.disk_free) >= 0) {
		struct disk *d = arena_alloc(s->arena, 2 * sizeof *d);

		d[0] = d[1] = (struct disk){.path = "/lake/a", .total = INT64_C(1000) << 20, .free = atomic_load(&world.disk_free) << 20, .inodes_free = -1,
			.device = 65026};
		d[1].path[6] = 'b';
		if (atomic_load(&world.no_disk)) {
			d[0] = (struct disk){.path = "/lake/a", .inodes_free = -1};
			text_copy(d[0].why, sizeof d[0].why, TEXT("No such file or directory"));
		}
		f->disks = d;
		f->n_disks = 2;
	}
	p->rss = 700 << 20;
	s->facts = f;
	return true;
}

static void look_end(void *state)
{
	(void)state;
}

static int set_up(void **state)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	pthread_t thread;

	(void)state;
	world.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(world.fd, (struct sockaddr *)&a, sizeof a) || listen(world.fd, 64) || getsockname(world.fd, (struct sockaddr *)&a, &len))
		return 1;
	world.port = ntohs(a.sin_port);
	world.local = host_local();
	world.host = *world.local;
	world.host.look = look;
	world.host.look_end = look_end;
	setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock", 1);
	return pthread_create(&thread, NULL, serve, &world.fd) || pthread_detach(thread);
}

static int tear_down(void **state)
{
	(void)state;
	world.local->close(world.local);
	return 0;
}

static int begin(void **state)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(world.port)};
	int last = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char said[256];

	(void)state;
	atomic_store(&world.manner, GOOD);
	/* connections of the test before that the server has not taken yet: they come before this one */
	if (connect(last, (struct sockaddr *)&a, sizeof a) < 0 || send(last, "x", 1, MSG_NOSIGNAL) != 1)
		return 1;
	while (recv(last, said, sizeof said, 0) > 0)
		continue;
	close(last);
	atomic_store(&world.listening, true);
	atomic_store(&world.hinted, true);
	atomic_store(&world.postgres, false);
	atomic_store(&world.state, 'S');
	atomic_store(&world.pid, SERVER_PID);
	atomic_store(&world.asked, 0);
	atomic_store(&world.disk_free, -1);
	atomic_store(&world.memory, 500);
	atomic_store(&world.no_disk, false);
	return 0;
}

static struct profile *profile_with(const char *services)
{
	char ini[512];
	struct err err = {0};
	struct profile *p;

	snprintf(ini, sizeof ini, "[laketop]\nprofile = test\n[ui]\nrefresh = 200ms\n");
	if (services)
		snprintf(ini + strlen(ini), sizeof ini - strlen(ini), "[service zk]\nkind = zookeeper\nport = %u\n%s", world.port, services);
	p = profile_parse(&world.host, text_of(ini), "test.ini", &err);
	if (!p)
		fail_msg("%s", err.words);
	return p;
}

static struct engine *start(const struct profile *p, bool headless)
{
	struct engine_options o = {.host = &world.host, .profile = p, .headless = headless, .discover = true};
	struct err err = {0};
	struct engine *e = engine_start(&o, &err);

	if (!e)
		fail_msg("%s", err.words);
	return e;
}

/* Turns until the service has the verdict; false when the time is up. */
static bool becomes(struct engine *e, const char *name, enum verdict v)
{
	int64_t end = clock_ms() + TURNS_MS;

	while (clock_ms() < end) {
		struct pollfd p = {engine_fd(e), POLLIN, 0};
		const struct service *s;

		poll(&p, 1, 50);
		engine_turn(e);
		s = lake_service(engine_lake(e), name);
		if (s && s->pulse && s->verdict.shown.verdict == v)
			return true;
	}
	for (size_t i = 0; i < engine_lake(e)->n_services; i++)
		print_error("%s is %s: %s\n", engine_lake(e)->services[i]->name, verdict_word(engine_lake(e)->services[i]->verdict.shown.verdict),
			engine_lake(e)->services[i]->verdict.shown.reason);
	return false;
}

static unsigned events_of(const struct engine *e, const char *part)
{
	const struct lake *lake = engine_lake(e);
	unsigned n = 0;

	for (size_t i = 0; i < lake->n_events; i++)
		n += strstr(lake->events[i].words, part) != NULL;
	return n;
}

static void a_good_server_serves_and_says_its_version(void **state)
{
	struct profile *p = profile_with("version = 3.8\n");
	struct engine *e = start(p, false);
	const struct service *s;

	(void)state;
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	s = lake_service(engine_lake(e), "zk");
	assert_string_equal(s->verdict.shown.version, "3.8.4");
	assert_int_equal(s->verdict.shown.sure, SURE_EXACT);
	assert_int_equal(s->verdict.shown.owner.pid, SERVER_PID);
	assert_true(engine_lake(e)->ready);
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

static void a_mute_server_is_named_so_and_comes_back_with_one_event_each_way(void **state)
{
	struct profile *p = profile_with("");
	struct engine *e = start(p, false);

	(void)state;
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	atomic_store(&world.manner, MUTE);
	assert_true(becomes(e, "zk", VERDICT_MUTE));
	assert_false(engine_lake(e)->ready);
	atomic_store(&world.manner, GOOD);
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	assert_int_equal(events_of(e, "mute"), 1);
	assert_int_equal(events_of(e, "serving again"), 1);
	assert_int_equal(engine_lake(e)->n_events, 2);
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

/* Turns until the machine has n findings; false when the time is up. */
static bool lacks(struct engine *e, size_t n)
{
	for (int64_t end = clock_ms() + TURNS_MS; clock_ms() < end;) {
		struct pollfd p = {engine_fd(e), POLLIN, 0};

		poll(&p, 1, 50);
		engine_turn(e);
		if (engine_lake(e)->n_machine == n)
			return true;
	}
	return false;
}

static void a_disk_nearly_full_is_a_warning_of_the_machine_and_ready_stays(void **state)
{
	struct profile *p = profile_with("");
	struct engine *e = start(p, false);
	const struct lake *lake = engine_lake(e);
	const char *whose;

	(void)state;
	atomic_store(&world.disk_free, 500);
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	assert_int_equal(lake->n_machine, 0);
	atomic_store(&world.disk_free, 20);
	assert_true(lacks(e, 1)); /* both paths are one disk */
	assert_string_equal(lake->machine[0].name, "disk");
	assert_int_equal(lake->machine[0].severity, SEVERITY_WARNING);
	assert_string_equal(lake->machine[0].reason, "/lake/a is nearly full: 20 MiB of 1000 MiB left");
	assert_non_null(strstr(lake->machine[0].remedy, "free space there"));
	assert_true(lake->ready);
	assert_int_equal(lake->n_warnings, 1);
	assert_ptr_equal(lake_warning(lake, 0, &whose), &lake->machine[0]);
	assert_string_equal(whose, "machine");
	assert_null(lake_warning(lake, 1, &whose));
	atomic_store(&world.disk_free, 0);
	for (int64_t end = clock_ms() + TURNS_MS; !strstr(lake->machine[0].reason, "is full") && clock_ms() < end;)
		lacks(e, 1);
	assert_string_equal(lake->machine[0].reason, "/lake/a is full: nothing of 1000 MiB left");
	assert_int_equal(events_of(e, "is nearly full"), 1);
	atomic_store(&world.disk_free, 500);
	assert_true(lacks(e, 0));
	assert_int_equal(events_of(e, "/lake/a has room again: 500 MiB"), 1);
	assert_int_equal(lake->n_events, 2);
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

static void a_disk_of_the_profile_that_is_not_there_is_told(void **state)
{
	struct profile *p = profile_with("");
	struct engine *e;

	(void)state;
	atomic_store(&world.disk_free, 500);
	atomic_store(&world.no_disk, true);
	e = start(p, false);
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	assert_true(lacks(e, 1));
	assert_string_equal(engine_lake(e)->machine[0].name, "disk");
	assert_string_equal(engine_lake(e)->machine[0].reason, "[host] disks: /lake/a cannot be looked at: No such file or directory");
	assert_string_equal(engine_lake(e)->machine[0].remedy, "mount it, or correct the profile");
	assert_true(engine_lake(e)->ready);
	atomic_store(&world.no_disk, false);
	assert_true(lacks(e, 0));
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

static void memory_nearly_full_names_who_holds_the_most(void **state)
{
	struct profile *p = profile_with("");
	struct engine *e = start(p, false);
	const struct lake *lake = engine_lake(e);

	(void)state;
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	atomic_store(&world.memory, 30);
	assert_true(lacks(e, 1));
	assert_string_equal(lake->machine[0].name, "memory");
	assert_string_equal(lake->machine[0].reason, "memory is nearly full: 30 MiB of 1000 MiB left");
	assert_non_null(strstr(lake->machine[0].remedy, "java (pid 4242) holds the most, 700 MiB"));
	assert_true(lake->ready);
	assert_true(lake->memory->ring.used > 1); /* its trend stands beside it */
	assert_true(ring_get(&lake->memory->ring, 0) <= 30.0 * (1 << 20));
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

static void what_the_profile_mutes_of_the_machine_is_not_told(void **state)
{
	struct profile *p = profile_with("[host]\nmute = disk memory\n");
	struct engine *e;

	(void)state;
	atomic_store(&world.disk_free, 0);
	atomic_store(&world.memory, 0);
	e = start(p, true);
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	assert_true(e->machine.disks[0] && e->machine.memory);
	assert_int_equal(engine_lake(e)->n_machine, 0);
	assert_int_equal(engine_lake(e)->n_events, 0);
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

static void a_stopped_process_is_frozen_at_once(void **state)
{
	struct profile *p = profile_with("");
	struct engine *e = start(p, false);

	(void)state;
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	atomic_store(&world.state, 'T');
	atomic_store(&world.manner, MUTE);
	assert_true(becomes(e, "zk", VERDICT_FROZEN));
	assert_int_equal(events_of(e, "mute"), 0);
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

static void a_listener_that_vanishes_is_gone_at_once(void **state)
{
	struct profile *p = profile_with("");
	struct engine *e = start(p, false);

	(void)state;
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	atomic_store(&world.listening, false);
	assert_true(becomes(e, "zk", VERDICT_ABSENT));
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

/* Another process on another socket. */
static void replace_server(enum manner manner)
{
	atomic_store(&world.manner, manner);
	atomic_fetch_add(&world.pid, 1);
}

static void a_server_that_was_replaced_by_a_good_one_was_restarted_and_no_more(void **state)
{
	struct profile *p = profile_with("");
	struct engine *e = start(p, false);
	int64_t end = clock_ms() + TURNS_MS;

	(void)state;
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	replace_server(GOOD);
	while (!events_of(e, "restarted: pid 4242 became 4243") && clock_ms() < end) {
		struct pollfd fd = {engine_fd(e), POLLIN, 0};

		poll(&fd, 1, 50);
		engine_turn(e);
		assert_int_equal(lake_service(engine_lake(e), "zk")->verdict.shown.verdict, VERDICT_SERVING);
	}
	assert_int_equal(engine_lake(e)->n_events, 1);
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

/* What the former one said in three probes is not this one's merit. */
static void a_server_that_was_replaced_by_a_mute_one_is_mute_by_its_first_silence(void **state)
{
	struct profile *p = profile_with("");
	struct engine *e = start(p, false);
	const struct service *s;
	unsigned pulse;

	(void)state;
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	pulse = (unsigned)lake_service(engine_lake(e), "zk")->pulse->generation;
	replace_server(MUTE);
	assert_true(becomes(e, "zk", VERDICT_MUTE));
	s = lake_service(engine_lake(e), "zk");
	assert_true(s->pulse->generation <= pulse + 2); /* one may have been on its way */
	assert_null(s->depth); /* its figures were the former one's */
	assert_int_equal(events_of(e, "restarted"), 0);
	assert_int_equal(events_of(e, "mute"), 1);
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

/* By its number a port of ZooKeeper's: a found one of it is asked. -1: none is free. */
static int listen_like_zookeeper(uint16_t *port)
{
	for (unsigned i = 0; i < 30; i++) {
		struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

		*port = (uint16_t)(12180 + i % 3 * 10000 + i / 3);
		a.sin_port = htons(*port);
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
		if (bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 64) == 0)
			return fd;
		close(fd);
	}
	return -1;
}

static void a_found_one_whose_port_another_kind_took_is_called_by_its_own_name(void **state)
{
	static int fd;
	uint16_t usual = world.port;
	char before[NAME_SIZE], after[NAME_SIZE];
	struct profile *p = profile_with(NULL);
	struct engine *e;
	pthread_t thread;

	(void)state;
	fd = listen_like_zookeeper(&world.port);
	assert_true(fd >= 0 && pthread_create(&thread, NULL, serve, &fd) == 0);
	snprintf(before, sizeof before, "zookeeper:%u", world.port);
	snprintf(after, sizeof after, "postgres:%u", world.port);
	e = start(p, false);
	assert_true(becomes(e, before, VERDICT_SERVING));
	atomic_store(&world.postgres, true);
	replace_server(POSTGRES);
	assert_true(becomes(e, after, VERDICT_UNKNOWN)); /* no user is named */
	for (int64_t end = clock_ms() + TURNS_MS; lake_service(engine_lake(e), before) && clock_ms() < end; engine_turn(e)) {
		struct pollfd next = {engine_fd(e), POLLIN, 0};

		poll(&next, 1, 50);
	}
	assert_null(lake_service(engine_lake(e), before));
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	shutdown(fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(fd);
	world.port = usual;
	profile_free(p);
}

static void another_kind_on_the_port_is_never_serving(void **state)
{
	struct profile *p = profile_with("");
	enum verdict judged = VERDICT_UNKNOWN;
	struct engine *e;

	(void)state;
	atomic_store(&world.manner, GARBAGE);
	atomic_store(&world.hinted, false);
	e = start(p, true);
	for (int64_t end = clock_ms() + TURNS_MS; judged > VERDICT_IMPOSTOR && clock_ms() < end;) {
		struct pollfd fd = {engine_fd(e), POLLIN, 0};

		poll(&fd, 1, 50);
		engine_turn(e);
		judged = lake_service(engine_lake(e), "zk")->verdict.shown.verdict;
		assert_int_not_equal(judged, VERDICT_SERVING);
	}
	assert_true(judged <= VERDICT_IMPOSTOR);
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

/* Until every listener was asked or listened to. */
static void hear_all(struct engine *e)
{
	int64_t end = clock_ms() + TURNS_MS;

	while (clock_ms() < end && !engine_lake(e)->heard_all) {
		struct pollfd fd = {engine_fd(e), POLLIN, 0};

		poll(&fd, 1, 50);
		engine_turn(e);
	}
	assert_true(engine_lake(e)->heard_all);
	engine_turn(e);
}

static void a_port_of_a_known_server_that_cannot_be_placed_is_not_asked(void **state)
{
	struct profile *p = profile_with(NULL);
	struct engine *e = start(p, false);

	(void)state;
	hear_all(e);
	assert_int_equal(atomic_load(&world.asked), 0);
	assert_int_equal(engine_lake(e)->n_services, 0);
	assert_string_equal(engine_lake(e)->ports[0].words, "not asked; by its owner a port of ZooKeeper");
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

static void such_a_port_is_asked_as_what_its_owner_is_when_the_user_wants_to_know(void **state)
{
	struct profile *p = profile_with(NULL);
	struct engine *e = start(p, false);

	(void)state;
	hear_all(e);
	assert_null(engine_lake(e)->ports[0].silent);
	engine_ask_port(e, "127.0.0.1", world.port);
	for (int64_t end = clock_ms() + TURNS_MS; !engine_lake(e)->n_services && clock_ms() < end;) {
		struct pollfd fd = {engine_fd(e), POLLIN, 0};

		poll(&fd, 1, 50);
		engine_turn(e);
	}
	assert_int_equal(engine_lake(e)->n_services, 1);
	assert_string_equal(engine_lake(e)->services[0]->kind->name, "zookeeper");
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

static void an_unexplained_port_is_only_listened_to_until_the_user_asks(void **state)
{
	struct profile *p = profile_with(NULL);
	struct engine *e;
	int asked;

	(void)state;
	atomic_store(&world.hinted, false);
	atomic_store(&world.manner, MUTE);
	e = start(p, false);
	hear_all(e);
	asked = world.port < 32768;
	for (int64_t end = clock_ms() + TURNS_MS; atomic_load(&world.asked) != asked && clock_ms() < end;)
		poll(NULL, 0, 5); /* the server may be late to take it */
	assert_int_equal(atomic_load(&world.asked), asked); /* one connection that listened for a banner; none on an ephemeral port */
	assert_int_equal(engine_lake(e)->n_services, 0);
	assert_int_equal(engine_lake(e)->n_ports, 1);
	assert_false(engine_lake(e)->ports[0].asked);
	engine_ask_port(e, "127.0.0.1", world.port);
	for (int64_t end = clock_ms() + TURNS_MS; atomic_load(&world.asked) == asked && clock_ms() < end;) {
		struct pollfd fd = {engine_fd(e), POLLIN, 0};

		poll(&fd, 1, 50);
		engine_turn(e);
	}
	assert_true(atomic_load(&world.asked) > asked);
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

static bool has_service(const struct engine *e, const char *words)
{
	return engine_lake(e)->n_services && !strcmp(engine_lake(e)->services[0]->kind->name, words);
}

static void turn_until(struct engine *e, bool (*holds)(const struct engine *e, const char *words), const char *words)
{
	for (int64_t end = clock_ms() + TURNS_MS; !holds(e, words) && clock_ms() < end;) {
		struct pollfd fd = {engine_fd(e), POLLIN, 0};

		poll(&fd, 1, 50);
		engine_turn(e);
	}
	if (!holds(e, words))
		fail_msg("%zu services, %zu ports: %s", engine_lake(e)->n_services, engine_lake(e)->n_ports, engine_lake(e)->n_ports ? engine_lake(e)->ports[0].words : "");
}

static bool port_says(const struct engine *e, const char *words)
{
	return engine_lake(e)->n_ports == 1 && strstr(engine_lake(e)->ports[0].words, words);
}

static void who_refuses_as_icebergs_catalogs_do_is_asked_whether_it_is_one(void **state)
{
	struct profile *p = profile_with(NULL);
	struct engine *e;

	(void)state;
	atomic_store(&world.hinted, false);
	atomic_store(&world.configs, 0);
	atomic_store(&world.manner, WEB);
	e = start(p, false);
	hear_all(e);
	engine_ask_port(e, "127.0.0.1", world.port);
	turn_until(e, port_says, "HTTP 404");
	assert_int_equal(atomic_load(&world.configs), 0); /* it might log that it has no such thing */
	atomic_store(&world.manner, ICEBERG);
	engine_ask_port(e, "127.0.0.1", world.port);
	turn_until(e, has_service, "iceberg-rest");
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	profile_free(p);
}

/* What the profile expects there is asked all the time, and who is there instead only now. */
static void who_is_on_a_port_of_the_profile_is_told_where_the_user_asked(void **state)
{
	static const char *const kinds[] = {"zookeeper", "other"};

	(void)state;
	atomic_store(&world.hinted, false);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char ini[200];
		struct profile *p;
		struct engine *e;
		uint64_t looks;

		snprintf(ini, sizeof ini, "[laketop]\nprofile = test\n[ui]\nrefresh = 200ms\n[service zk]\nkind = %s\nport = %u\n", kinds[i], world.port);
		atomic_store(&world.manner, WEB);
		p = profile_parse(&world.host, text_of(ini), "test.ini", NULL);
		e = start(p, false);
		hear_all(e);
		assert_true(becomes(e, "zk", i ? VERDICT_SERVING : VERDICT_IMPOSTOR));
		assert_false(port_says(e, "HTTP 404"));
		engine_ask_port(e, "127.0.0.1", world.port);
		turn_until(e, port_says, "HTTP 404");
		looks = lake_service(engine_lake(e), "zk")->pulse->generation;
		for (int64_t end = clock_ms() + TURNS_MS; lake_service(engine_lake(e), "zk")->pulse->generation < looks + 4 && clock_ms() < end;) {
			struct pollfd fd = {engine_fd(e), POLLIN, 0};

			poll(&fd, 1, 50);
			engine_turn(e);
			assert_true(port_says(e, "HTTP 404")); /* further looks keep it */
		}
		atomic_store(&world.manner, ICEBERG); /* a kind that is known, and yet no second row of the same port */
		engine_ask_port(e, "127.0.0.1", world.port);
		turn_until(e, port_says, "Iceberg");
		assert_int_equal(engine_lake(e)->n_services, 1);
		assert_int_equal(engine_stop(e, STOP_MS), 0);
		profile_free(p);
	}
}

static void a_fifo_in_the_place_of_the_event_log_holds_nobody_up(void **state)
{
	char dir[] = "/tmp/laketop-events-XXXXXX", path[64];
	struct profile *p = profile_with("");
	struct engine_options o = {.host = &world.host, .profile = p, .state_dir = dir};
	struct engine *e;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/events.jsonl", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(120); /* it would wait for ever */
	e = engine_start(&o, NULL);
	assert_non_null(e);
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	alarm(0);
	unlink(path);
	rmdir(dir);
	profile_free(p);
}

static unsigned lines_with(const char *path, const char *words)
{
	FILE *f = fopen(path, "re");
	char line[2048];
	unsigned n = 0;

	while (f && fgets(line, sizeof line, f))
		n += strstr(line, words) != NULL;
	if (f)
		fclose(f);
	return n;
}

static void two_files_of_one_name_have_two_lists_of_changes(void **state)
{
	static const char lines[] =
		"{\"wall_ms\":1,\"host\":\"%s\",\"profile\":\"%s\",\"file\":\"/one.ini\",\"service\":\"zk\",\"severity\":\"info\",\"words\":\"of one\"}\n"
		"{\"wall_ms\":2,\"host\":\"%s\",\"profile\":\"%s\",\"file\":\"/two.ini\",\"service\":\"zk\",\"severity\":\"info\",\"words\":\"of two\"}\n"
		"{\"wall_ms\":3,\"host\":\"%s\",\"profile\":\"%s\",\"service\":\"zk\",\"severity\":\"info\",\"words\":\"of an older laketop\"}\n";
	char dir[] = "/tmp/laketop-events-XXXXXX", path[64];
	struct profile *one = profile_with(""), *two = profile_with("");
	struct engine_options o = {.host = &world.host, .profile = one, .state_dir = dir};
	struct engine *first, *second;
	const char *name = one->name ? one->name : "";
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/events.jsonl", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, lines, world.host.name, name, world.host.name, name, world.host.name, name);
	fclose(f);
	one->place = "/one.ini";
	two->place = "/two.ini";
	first = engine_start(&o, NULL);
	o.profile = two;
	second = engine_start(&o, NULL);
	assert_int_equal(events_of(first, "of one") + events_of(second, "of two"), 2);
	assert_int_equal(events_of(first, "of two") + events_of(second, "of one"), 0);
	assert_int_equal(events_of(first, "of an older laketop") + events_of(second, "of an older laketop"), 2);
	atomic_store(&world.manner, GOOD);
	assert_true(becomes(first, "zk", VERDICT_SERVING) && becomes(second, "zk", VERDICT_SERVING));
	atomic_store(&world.manner, MUTE);
	assert_true(becomes(first, "zk", VERDICT_MUTE) && becomes(second, "zk", VERDICT_MUTE));
	assert_int_equal(lines_with(path, "mute"), 2); /* neither keeps the other from writing */
	atomic_store(&world.manner, GOOD);
	assert_int_equal(engine_stop(first, STOP_MS), 0);
	assert_int_equal(engine_stop(second, STOP_MS), 0);
	unlink(path);
	rmdir(dir);
	profile_free(one);
	profile_free(two);
}

static void an_event_is_written_once_however_many_look(void **state)
{
	char dir[] = "/tmp/laketop-events-XXXXXX", path[64];
	struct profile *p = profile_with(""), *other = profile_parse(&world.host, TEXT("[laketop]\nprofile = other\n"), "other.ini", NULL);
	struct engine_options o = {.host = &world.host, .profile = p, .state_dir = dir};
	struct engine *first, *second;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/events.jsonl", dir);
	first = engine_start(&o, NULL);
	second = engine_start(&o, NULL);
	assert_true(becomes(first, "zk", VERDICT_SERVING) && becomes(second, "zk", VERDICT_SERVING));
	atomic_store(&world.manner, MUTE);
	assert_true(becomes(first, "zk", VERDICT_MUTE) && becomes(second, "zk", VERDICT_MUTE));
	assert_int_equal(events_of(first, "mute"), 1);
	assert_int_equal(events_of(second, "mute"), 1); /* each shows it */
	assert_int_equal(lines_with(path, "mute"), 1);
	assert_int_equal(engine_stop(first, STOP_MS), 0);
	atomic_store(&world.manner, GOOD);
	assert_true(becomes(second, "zk", VERDICT_SERVING));
	assert_int_equal(lines_with(path, "serving again"), 1); /* the other took over */
	assert_int_equal(engine_stop(second, STOP_MS), 0);
	first = engine_start(&o, NULL);
	assert_int_equal(engine_lake(first)->n_events, 2);
	assert_int_equal(engine_stop(first, STOP_MS), 0);
	o.profile = other;
	second = engine_start(&o, NULL);
	assert_int_equal(engine_lake(second)->n_events, 0); /* another lakehouse's are not this one's */
	assert_int_equal(engine_stop(second, STOP_MS), 0);
	unlink(path);
	rmdir(dir);
	profile_free(p);
	profile_free(other);
}

static void a_recording_into_a_fifo_holds_nobody_up(void **state)
{
	char dir[] = "/tmp/laketop-record-XXXXXX", path[64];
	struct profile *p = profile_with("");
	struct engine_options o = {.host = &world.host, .profile = p, .record = path};
	struct engine *e;
	struct err err = {0};
	int reader;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(120); /* it would wait for ever */
	assert_null(engine_start(&o, &err));
	assert_non_null(strstr(err.words, "nobody reads"));
	reader = open(path, O_RDONLY | O_NONBLOCK);
	e = engine_start(&o, NULL);
	assert_non_null(e);
	for (int i = 0; i < 3; i++) /* and nobody empties it */
		engine_refresh(e, NULL);
	assert_true(becomes(e, "zk", VERDICT_SERVING));
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	alarm(0);
	close(reader);
	unlink(path);
	rmdir(dir);
	profile_free(p);
}

/* While its first question hangs; how long that took. */
static int64_t stopped_after(const struct profile *p)
{
	struct engine *e = start(p, false);
	int asked = atomic_load(&world.asked);
	int64_t begun;

	for (int64_t end = clock_ms() + TURNS_MS; atomic_load(&world.asked) == asked && clock_ms() < end;) {
		struct pollfd fd = {engine_fd(e), POLLIN, 0};

		poll(&fd, 1, 5);
		engine_turn(e);
	}
	begun = clock_ms();
	assert_int_equal(engine_stop(e, STOP_MS), 0);
	return clock_ms() - begun;
}

/* How fast it can be is what is bounded: a busy machine may cost a try, one that waits costs FIRST_MS in all of them. */
static void stopping_cancels_what_hangs_and_does_not_wait_it_out(void **state)
{
	struct profile *p = profile_with("");
	int64_t best = STOP_MS;

	(void)state;
	atomic_store(&world.manner, MUTE);
	for (int i = 0; i < 8 && best >= FIRST_MS / 2; i++) {
		int64_t took = stopped_after(p);

		best = took < best ? took : best;
	}
	assert_true(best < FIRST_MS / 2);
	profile_free(p);
}

/* ---- who may be shown a credential ---- */

static void holder_is(enum holder expected, const struct service_kind *kind, const char *hint, bool seen)
{
	if (holder_of(kind, text_of(hint), seen) != expected)
		fail_msg("%s%s", hint, seen ? "" : " (guessed)");
}

static void a_credential_is_for_who_looks_right_or_only_forwards(void **state)
{
	(void)state;
	for (int seen = 0; seen < 2; seen++) {
		holder_is(HOLDER_RIGHT, service_kind_named("postgres"), "postgres -D /var/lib/postgresql/15/main", seen);
		holder_is(HOLDER_RIGHT, service_kind_named("postgres"), "postgres", seen);
		holder_is(HOLDER_RIGHT, service_kind_named("postgres"), "postgres: 15/main: checkpointer", seen);
		holder_is(HOLDER_UNKNOWN, service_kind_named("postgres"), "", seen);
		holder_is(HOLDER_UNKNOWN, service_kind_named("postgres"), "docker-proxy -proto tcp -host-port 5432", seen);
		holder_is(HOLDER_UNKNOWN, service_kind_named("postgres"), "ssh -L 5432:localhost:5432 lake", seen);
		holder_is(HOLDER_UNKNOWN, service_kind_named("postgres"), "pgbouncer /etc/pgbouncer.ini", seen);
		holder_is(seen ? HOLDER_OTHER : HOLDER_UNKNOWN, service_kind_named("postgres"), "python3 -m http.server 5432", seen);
		holder_is(seen ? HOLDER_OTHER : HOLDER_UNKNOWN, service_kind_named("postgres"), "nc -l 5432", seen);
		holder_is(seen ? HOLDER_OTHER : HOLDER_UNKNOWN, service_kind_named("kafka-connect"), "python3 trap.py", seen);
		holder_is(HOLDER_UNKNOWN, service_kind_named("polaris"), "quarkus-run.jar", seen); /* many a program is a REST catalog */
	}
}

static void a_credential_is_withheld_from_another_holder(void **state)
{
	const struct service_kind *postgres = service_kind_named("postgres"), *of = NULL;
	const struct expectation x = {.name = "x", .kind = postgres, .credentials = {.user = "lake", .password = "secret", .database = "d"}};
	struct probe p = {.hint = "python3 trap.py", .owner_seen = true};

	(void)state;
	probe_turn(&p, &of, postgres, &x);
	assert_true(p.withheld);
	assert_null(p.credentials.user);
	assert_null(p.credentials.password);
	p.hint = "postgres -D data";
	probe_turn(&p, &of, postgres, &x);
	assert_false(p.withheld);
	assert_string_equal(p.credentials.password, "secret");
	assert_int_equal(p.holder, HOLDER_RIGHT);
}

/* ---- whose turn it is ---- */

static struct turns {
	const void *state[2];
	const char *password[2];
	const struct expectation *expected[2];
	unsigned asked[2], closed[2];
} turns;

static enum answered note_turn(struct probe *p, int kind, enum answered answered)
{
	turns.asked[kind]++;
	turns.password[kind] = p->credentials.password;
	turns.expected[kind] = p->expected;
	assert_true(!p->state || p->state == turns.state[kind]); /* never what another kind left */
	if (!p->state)
		p->state = mem_new(1, (size_t)kind + 1);
	turns.state[kind] = p->state;
	return answered;
}

static enum answered ask_first(struct probe *p, struct identity *who)
{
	(void)who;
	return note_turn(p, 0, ANSWERED_OTHER);
}

static enum answered ask_second(struct probe *p, struct identity *who)
{
	(void)who;
	return note_turn(p, 1, ANSWERED_MUTE);
}

static void close_first(void *state)
{
	assert_ptr_equal(state, turns.state[0]);
	turns.closed[0]++;
	free(state);
}

static void close_second(void *state)
{
	assert_ptr_equal(state, turns.state[1]);
	turns.closed[1]++;
	free(state);
}

static const struct service_kind first_kind = {.name = "first", .identify = ask_first, .close = close_first},
	second_kind = {.name = "second", .identify = ask_second, .close = close_second};

static void what_one_kind_keeps_and_is_told_never_reaches_another(void **state)
{
	static const struct expectation x = {.name = "x", .kind = &first_kind, .credentials = {.user = "u", .password = "secret"}};
	const struct service_kind *kinds[] = {&first_kind, &second_kind}, *of = NULL;
	struct identity who;
	struct probe p = {.wait = wait_for(1000, -1)};

	(void)state;
	memset(&turns, 0, sizeof turns);
	for (unsigned round = 1; round <= 2; round++) {
		assert_int_equal(identify_among(&p, kinds, 2, &of, &x, &who), ANSWERED_OTHER);
		assert_ptr_equal(of, &second_kind);
		assert_int_equal(turns.closed[0], round);
		turns.state[0] = NULL;
		probe_turn(&p, &of, &first_kind, &x); /* as before the next pulse of what it was taken for */
		assert_null(p.state);
		assert_int_equal(turns.closed[1], round);
		turns.state[1] = NULL;
	}
	assert_string_equal(turns.password[0], "secret");
	assert_ptr_equal(turns.expected[0], &x);
	assert_null(turns.password[1]);
	assert_null(turns.expected[1]); /* its ports are not the first one's, even where they have the same names */
	probe_turn(&p, &of, NULL, NULL);
	assert_int_equal(turns.asked[0] + turns.asked[1], 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_good_server_serves_and_says_its_version, begin),
		cmocka_unit_test_setup(a_mute_server_is_named_so_and_comes_back_with_one_event_each_way, begin),
		cmocka_unit_test_setup(a_stopped_process_is_frozen_at_once, begin),
		cmocka_unit_test_setup(a_disk_of_the_profile_that_is_not_there_is_told, begin),
		cmocka_unit_test_setup(a_disk_nearly_full_is_a_warning_of_the_machine_and_ready_stays, begin),
		cmocka_unit_test_setup(memory_nearly_full_names_who_holds_the_most, begin),
		cmocka_unit_test_setup(what_the_profile_mutes_of_the_machine_is_not_told, begin),
		cmocka_unit_test_setup(a_listener_that_vanishes_is_gone_at_once, begin),
		cmocka_unit_test_setup(a_server_that_was_replaced_by_a_good_one_was_restarted_and_no_more, begin),
		cmocka_unit_test_setup(a_server_that_was_replaced_by_a_mute_one_is_mute_by_its_first_silence, begin),
		cmocka_unit_test_setup(a_found_one_whose_port_another_kind_took_is_called_by_its_own_name, begin),
		cmocka_unit_test_setup(another_kind_on_the_port_is_never_serving, begin),
		cmocka_unit_test_setup(a_port_of_a_known_server_that_cannot_be_placed_is_not_asked, begin),
		cmocka_unit_test_setup(such_a_port_is_asked_as_what_its_owner_is_when_the_user_wants_to_know, begin),
		cmocka_unit_test_setup(an_unexplained_port_is_only_listened_to_until_the_user_asks, begin),
		cmocka_unit_test_setup(who_is_on_a_port_of_the_profile_is_told_where_the_user_asked, begin),
		cmocka_unit_test_setup(who_refuses_as_icebergs_catalogs_do_is_asked_whether_it_is_one, begin),
		cmocka_unit_test_setup(a_fifo_in_the_place_of_the_event_log_holds_nobody_up, begin),
		cmocka_unit_test_setup(two_files_of_one_name_have_two_lists_of_changes, begin),
		cmocka_unit_test_setup(an_event_is_written_once_however_many_look, begin),
		cmocka_unit_test_setup(a_recording_into_a_fifo_holds_nobody_up, begin),
		cmocka_unit_test_setup(stopping_cancels_what_hangs_and_does_not_wait_it_out, begin),
		cmocka_unit_test_setup(a_credential_is_for_who_looks_right_or_only_forwards, begin),
		cmocka_unit_test_setup(a_credential_is_withheld_from_another_holder, begin),
		cmocka_unit_test_setup(what_one_kind_keeps_and_is_told_never_reaches_another, begin),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
