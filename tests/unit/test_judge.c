// SPDX-License-Identifier: MIT
/*
 * The law as a table: one row for each situation. Each begins with the same healthy world, a Kafka
 * broker that the profile expects on 9092, and says what is different in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <locale.h>

#include "judge.h"
#include "lake.h"
#include "text.h"

enum { NOW = 1000000, MINUTE = 60000, HOUR = 60 * MINUTE };
#define WALL INT64_C(1796000000000)
#define DAY  INT64_C(86400000)

static bool inspects(struct probe *p, struct snapshot *s)
{
	(void)p;
	(void)s;
	return true;
}

static const struct service_kind kafka = {
	.name = "kafka", .title = "Kafka broker", .inspect = inspects,
	.ports = (const struct port_role[]){{"client", 9092, PORT_ASK, 0}, {"controller", 9093, PORT_SILENT, 0}, {0}},
	.owners = (const char *const[]){"kafka.Kafka", NULL},
};
static const struct service_kind worker = {
	.name = "spark-worker", .title = "Spark worker", .inspect = inspects,
	.ports = (const struct port_role[]){{"ui", 8081, PORT_ASK, 0}, {0}},
	.owners = (const char *const[]){"deploy.worker.Worker", NULL},
};

struct world {
	struct listener listeners[4];
	struct process processes[6];
	struct container containers[3];
	struct facts host, docker;
	struct finding found[14];
	struct snapshot pulse, depth;
	struct expected_port ports[3], other_ports[3];
	struct expectation services[3];
	struct profile profile;
	struct question q;
};

enum { BROKER = 921, OTHER = 4121 };

static struct world *fresh_world(void)
{
	static struct world w;

	w = (struct world){0};
	w.listeners[0] = (struct listener){.address = "*", .port = 9092, .pid = BROKER, .inode = 77};
	w.processes[0] = (struct process){.pid = 1, .state = 'S', .name = "init", .hint = "init", .started = WALL - 40 * DAY};
	w.processes[1] = (struct process){.pid = BROKER, .parent = 1, .state = 'S', .name = "java",
		.hint = "kafka.Kafka server.properties",
		.started = WALL - HOUR, .rss = 204472320};
	w.processes[2] = (struct process){.pid = OTHER, .parent = 1, .state = 'S', .name = "nc", .hint = "nc -l 9092",
		.started = WALL - HOUR};
	w.host = (struct facts){.listeners = w.listeners, .n_listeners = 1, .processes = w.processes, .n_processes = 3,
		.processes_whole = true};
	w.docker = (struct facts){.docker = DOCKER_OK, .containers = w.containers};
	w.pulse = (struct snapshot){.part = PART_PULSE, .generation = 1, .ended = NOW - 500, .interval = 2000};
	w.pulse.who = (struct identity){.answered = ANSWERED_YES, .kind = &kafka, .sure = SURE_EXACT, .version = "4.1.0",
		.from = "metadata.version", .source = "ApiVersions v3, 2 ms"};
	w.depth = (struct snapshot){.part = PART_DEPTH, .generation = 1, .ended = NOW - 4000, .interval = 10000, .findings = w.found};
	w.depth.health = (struct health){LINK_OK, "all partitions have leaders", "Metadata", false};
	w.depth.who = w.pulse.who;
	w.ports[0] = (struct expected_port){NULL, 9092};
	w.services[0] = (struct expectation){.name = "kafka", .kind = &kafka, .address = "127.0.0.1", .ports = w.ports, .n_ports = 1,
		.version = "4.1", .required = true, .pidfile = "/run/kafka.pid"};
	w.profile = (struct profile){.name = "pocket", .services = w.services, .n_services = 1};
	w.q = (struct question){.name = "kafka", .kind = &kafka, .expected = &w.services[0], .at = {"127.0.0.1", 9092},
		.host = &w.host, .host_seen = NOW - 400, .host_interval = 2000, .docker = &w.docker, .docker_seen = NOW - 400,
			.docker_interval = 4000,
		.pulse = &w.pulse, .depth = &w.depth, .pidfile_read = true, .pidfile_pid = BROKER, .profile = &w.profile, .now = NOW,
			.wall = WALL};
	return &w;
}

/* ---- changes, to be combined ---- */

static void closed(struct world *w)
{
	w->host.n_listeners = 0;
	w->pulse.who = (struct identity){.answered = ANSWERED_REFUSED, .source = "nobody listens"};
	w->q.depth = NULL;
}

static void says_nothing(struct world *w)
{
	w->pulse.who.answered = ANSWERED_MUTE;
}

static void gone(struct world *w)
{
	w->processes[1] = w->processes[2];
	w->host.n_processes = 2;
}

static void dead(struct world *w)
{
	closed(w);
	gone(w);
}

static void young(struct world *w)
{
	w->processes[1].started = WALL - 12000;
}

static void taken_by_nc(struct world *w)
{
	gone(w);
	w->listeners[0].pid = OTHER;
	says_nothing(w);
	w->q.depth = NULL;
}

static void as_container(struct world *w)
{
	w->services[0].pidfile = NULL;
	w->q.pidfile_read = false;
	w->services[0].container = "kafka";
	w->containers[0] = (struct container){.id = "0f1e2d", .name = "kafka", .image = "apache/kafka:4.1.0", .state = "running",
		.status = "Up 1 hour",
		.network = "host", .started = WALL - HOUR, .created = WALL - HOUR, .exit_code = -1};
	text_copy(w->listeners[0].container, sizeof w->listeners[0].container, text_of("0f1e2d"));
	text_copy(w->processes[1].container, sizeof w->processes[1].container, text_of("0f1e2d"));
	w->docker.n_containers = 1;
}

static void container_is(struct world *w, const char *state, const char *status)
{
	as_container(w);
	text_copy(w->containers[0].state, sizeof w->containers[0].state, text_of(state));
	text_copy(w->containers[0].status, sizeof w->containers[0].status, text_of(status));
	dead(w);
}

static void behind_proxy(struct world *w)
{
	as_container(w);
	w->listeners[0].container[0] = '\0';
	w->listeners[0].pid = OTHER;
	text_copy(w->listeners[0].proxied, sizeof w->listeners[0].proxied, text_of("172.17.0.2:9092"));
	text_copy(w->processes[2].name, sizeof w->processes[2].name, text_of("docker-proxy"));
	text_copy(w->containers[0].ports, sizeof w->containers[0].ports, text_of("127.0.0.1:9092->9092"));
}

static void unclaimed(struct world *w)
{
	w->services[0].pidfile = NULL;
	w->q.pidfile_read = false;
}

/* A second service of the profile, which holds 9092 and its own 7078. */
static void with_worker(struct world *w)
{
	w->other_ports[0] = (struct expected_port){NULL, 7078};
	w->other_ports[1] = (struct expected_port){"ui", 9092};
	w->services[1] = (struct expectation){.name = "spark-worker-40", .kind = &worker, .address = "127.0.0.1",
		.ports = w->other_ports,
		.n_ports = 2, .required = true};
	w->profile.n_services = 2;
}

static void taken_by_worker(struct world *w)
{
	with_worker(w);
	gone(w);
	w->processes[1] = (struct process){.pid = OTHER, .state = 'S', .name = "java", .hint = "org.apache.spark.deploy.worker.Worker",
		.started = WALL - HOUR};
	w->listeners[0].pid = OTHER;
	w->listeners[1] = (struct listener){.address = "*", .port = 7078, .pid = OTHER};
	w->host.n_listeners = 2;
	w->pulse.who = (struct identity){.answered = ANSWERED_YES, .kind = &worker, .sure = SURE_EXACT, .version = "4.0.5"};
	w->q.depth = NULL;
}

static void any_kind(struct world *w)
{
	w->services[0].kind = NULL;
	w->services[0].version = NULL;
	w->q.kind = NULL;
	w->q.pulse = w->q.depth = NULL;
}

static void found(struct world *w)
{
	unclaimed(w);
	w->q.expected = NULL;
	w->q.profile = NULL;
}

static void answers(struct world *w, const char *version, const char *to, enum sure sure)
{
	w->pulse.who.version = version;
	w->pulse.who.version_to = to;
	w->pulse.who.sure = sure;
}

/* ---- verdicts ---- */

struct row {
	const char *name;
	void (*change)(struct world *w);
	enum verdict verdict;
	bool definite;
	const char *reason, *remedy; /* parts; NULL: none at all */
};

static void nothing(struct world *w)
{
	(void)w;
}

static void dead_pid_port_taken(struct world *w)
{
	taken_by_nc(w);
}

static void taken_by_a_named_container(struct world *w)
{
	taken_by_nc(w);
	w->containers[0] = (struct container){.id = "abcdef", .name = "nginx", .state = "running"};
	w->docker.n_containers = 1;
	text_copy(w->listeners[0].container, sizeof w->listeners[0].container, text_of("abcdef"));
}

static void taken_by_a_unit(struct world *w)
{
	taken_by_nc(w);
	text_copy(w->listeners[0].unit, sizeof w->listeners[0].unit, text_of("nginx.service"));
}

static void taken_by_hidden(struct world *w)
{
	taken_by_nc(w);
	w->listeners[0].pid = 0;
}

static void no_pidfile_and_port_taken(struct world *w)
{
	taken_by_nc(w);
	w->q.pidfile_pid = 0;
}

static void mute_without_pidfile(struct world *w)
{
	says_nothing(w);
	w->q.pidfile_pid = 0;
}

static void another_serves_rightly_for_a_dead_one(struct world *w)
{
	gone(w);
	w->listeners[0].pid = OTHER;
}

static void the_next_one_serves_and_its_pid_file_was_not_read_yet(struct world *w)
{
	another_serves_rightly_for_a_dead_one(w);
	w->pulse.begun = NOW - 700;
	w->processes[1].started = WALL - 600;
}

static void another_serves_another_version(struct world *w)
{
	another_serves_rightly_for_a_dead_one(w);
	answers(w, "4.0.1", NULL, SURE_EXACT);
}

static void right_but_nobody_to_name(struct world *w)
{
	gone(w);
	w->listeners[0].pid = 0;
}

static void right_without_pidfile(struct world *w)
{
	w->q.pidfile_pid = 0;
}

static void crash_loop_because_port_is_taken(struct world *w)
{
	as_container(w);
	taken_by_nc(w);
	w->listeners[0].container[0] = '\0';
	text_copy(w->containers[0].state, sizeof w->containers[0].state, text_of("restarting"));
}

static void worker_answers_unclaimed(struct world *w)
{
	unclaimed(w);
	taken_by_worker(w);
}

static void worker_is_mute_unclaimed(struct world *w)
{
	worker_answers_unclaimed(w);
	says_nothing(w);
}

static void worker_where_docker_is_denied(struct world *w)
{
	taken_by_worker(w);
	w->services[0].pidfile = NULL;
	w->services[0].container = "kafka";
	w->docker.docker = DOCKER_DENIED;
}

static void any_kind_taken_by_neighbour(struct world *w)
{
	taken_by_worker(w);
	unclaimed(w);
	any_kind(w);
	w->q.pulse = &w->pulse;
}

static void unknown_worker_answers(struct world *w)
{
	w->pulse.who = (struct identity){.answered = ANSWERED_YES, .kind = &worker, .version = "4.0.5", .sure = SURE_EXACT};
	w->q.depth = NULL;
}

static void ssh_answers(struct world *w)
{
	unclaimed(w);
	w->listeners[0].pid = OTHER;
	w->pulse.who = (struct identity){.answered = ANSWERED_OTHER, .says = "SSH-2.0-OpenSSH_9.2"};
	w->q.depth = NULL;
}

static void its_controller_answers(struct world *w)
{
	w->pulse.who.role = "controller";
}

static void its_main_part_answers_by_name(struct world *w)
{
	w->pulse.who.role = "client";
}

static void zombie(struct world *w)
{
	closed(w);
	w->processes[1].state = 'Z';
}

static void pid_was_given_to_another(struct world *w)
{
	closed(w);
	text_copy(w->processes[1].name, sizeof w->processes[1].name, text_of("vim"));
	text_copy(w->processes[1].hint, sizeof w->processes[1].hint, text_of("vim notes"));
}

static void pidfile_of_the_script_that_started_it(struct world *w)
{
	w->processes[2] = w->processes[1];
	w->processes[2].pid = 930;
	w->processes[2].parent = BROKER;
	text_copy(w->processes[1].name, sizeof w->processes[1].name, text_of("bash"));
	text_copy(w->processes[1].hint, sizeof w->processes[1].hint, text_of("bash start.sh"));
	w->listeners[0].pid = 930;
}

static void exited(struct world *w)
{
	container_is(w, "exited", "Exited (137) 3 hours ago");
}

static void exited_for_memory(struct world *w)
{
	container_is(w, "exited", "Exited (137) 3 hours ago");
	w->containers[0].oom_killed = true;
}

static void exited_and_unhealthy_once(struct world *w)
{
	container_is(w, "exited", "Exited (0) 1 second ago");
	text_copy(w->containers[0].health, sizeof w->containers[0].health, text_of("unhealthy"));
}

static void never_started(struct world *w)
{
	container_is(w, "created", "Created");
	text_copy(w->containers[0].error, sizeof w->containers[0].error, text_of("port is already allocated"));
}

static void closed_and_units_are_not_known(struct world *w)
{
	dead(w);
	w->services[0].pidfile = NULL;
	w->services[0].unit = "kafka";
}

static void unit_has_no_process(struct world *w)
{
	dead(w);
	w->services[0].pidfile = NULL;
	w->services[0].unit = "kafka";
	text_copy(w->processes[0].unit, sizeof w->processes[0].unit, text_of("init.scope"));
}

static void unit_that_failed(struct world *w)
{
	unit_has_no_process(w);
	w->q.unit = SYSTEMD_FAILED;
	w->q.unit_words = "exit-code, status 78";
}

static void users_unit_that_failed(struct world *w)
{
	unit_that_failed(w);
	w->q.unit_users = true;
}

static void masked_unit(struct world *w)
{
	unit_has_no_process(w);
	w->q.unit = SYSTEMD_WRONG;
	w->q.unit_words = "masked";
}

static void unreadable_unit(struct world *w)
{
	masked_unit(w);
	w->q.unit_words = "bad-setting";
}

static void unit_that_nobody_knows(struct world *w)
{
	unit_has_no_process(w);
	w->q.unit = SYSTEMD_NOWHERE;
}

static void unit_in_a_loop(struct world *w)
{
	unit_has_no_process(w);
	w->q.unit = SYSTEMD_RESTARTS;
	w->q.unit_words = "exit-code, status 3, 7 restarts";
}

static void unit_of_a_host_without_units(struct world *w)
{
	w->services[0].pidfile = NULL;
	w->services[0].unit = "kafka";
}

static void instance_of_a_unit(struct world *w)
{
	unit_of_a_host_without_units(w);
	text_copy(w->processes[1].unit, sizeof w->processes[1].unit, text_of("kafka@15-main.service"));
	text_copy(w->listeners[0].unit, sizeof w->listeners[0].unit, text_of("kafka@15-main.service"));
}

static void died_after_it_answered(struct world *w)
{
	gone(w);
	w->host.n_listeners = 0;
}

static void answered_after_the_host_was_looked_at(struct world *w)
{
	w->host.n_listeners = 0;
	w->q.host_seen = w->pulse.ended - 100;
}

static void hidden_processes(struct world *w)
{
	gone(w);
	w->host.processes_whole = false;
	w->listeners[0].pid = 0;
}

static void no_container(struct world *w)
{
	container_is(w, "exited", "");
	w->docker.n_containers = 0;
}

static void no_pidfile(struct world *w)
{
	dead(w);
	w->q.pidfile_pid = 0;
}

static void only_a_port_and_closed(struct world *w)
{
	unclaimed(w);
	dead(w);
}

static void closed_and_docker_denied(struct world *w)
{
	no_container(w);
	w->docker.docker = DOCKER_DENIED;
	text_copy(w->docker.docker_words, sizeof w->docker.docker_words, text_of("needs group docker"));
}

static void bound_to_another_address(struct world *w)
{
	closed(w);
	w->host.n_listeners = 1;
	text_copy(w->listeners[0].address, sizeof w->listeners[0].address, TEXT("::1"));
}

static void only_a_port_and_bound_to_another_address(struct world *w)
{
	bound_to_another_address(w);
	w->services[0].pidfile = NULL;
	w->q.pidfile_read = false;
}

static void far_and_refused(struct world *w)
{
	unclaimed(w);
	closed(w);
	w->services[0].address = "10.0.0.5";
	text_copy(w->q.at.address, sizeof w->q.at.address, text_of("10.0.0.5"));
}

static void young_and_closed(struct world *w)
{
	closed(w);
	young(w);
}

static void young_and_mute(struct world *w)
{
	says_nothing(w);
	young(w);
}

static void young_and_unwell(struct world *w)
{
	young(w);
	w->depth.health = (struct health){LINK_BAD, "no controller", "Metadata", false};
}

static void young_and_well(struct world *w)
{
	young(w);
}

static void young_in_another_version(struct world *w)
{
	young(w);
	answers(w, "4.0.1", NULL, SURE_EXACT);
}

static void long_grace(struct world *w)
{
	closed(w);
	w->services[0].grace_ms = 2 * HOUR;
}

static void progress_and_nothing_runs(struct world *w)
{
	dead(w);
	w->q.pidfile_pid = 0;
	w->q.progress = "fetching kafka 4.1.0: 31 of 120 MB";
}

static void start_failed(struct world *w)
{
	progress_and_nothing_runs(w);
	w->q.progress = "failed: it ended: port 9092 is in use";
}

static void start_failed_and_left_its_pid_file(struct world *w)
{
	dead(w);
	w->q.progress = "failed: it ended: port 9092 is in use";
}

static void progress_of_one_that_serves(struct world *w)
{
	w->q.progress = "creating topics";
}

static void frozen(struct world *w)
{
	says_nothing(w);
	w->processes[1].state = 'T';
}

static void frozen_while_the_last_answer_was_good(struct world *w)
{
	w->processes[1].state = 'T';
}

static void frozen_while_young(struct world *w)
{
	frozen(w);
	young(w);
}

static void frozen_and_unclaimed(struct world *w)
{
	unclaimed(w);
	frozen(w);
}

static void traced(struct world *w)
{
	says_nothing(w);
	w->processes[1].state = 't';
}

static void paused(struct world *w)
{
	as_container(w);
	says_nothing(w);
	text_copy(w->containers[0].state, sizeof w->containers[0].state, text_of("paused"));
}

static void old_version(struct world *w)
{
	answers(w, "4.0.5", NULL, SURE_EXACT);
}

static void range_below(struct world *w)
{
	answers(w, "3.7", "3.9", SURE_RANGE);
}

static void range_around(struct world *w)
{
	answers(w, "4.0", "4.3", SURE_RANGE);
}

static void hint_against(struct world *w)
{
	answers(w, "3.9.0", NULL, SURE_HINT);
}

static void version_not_known(struct world *w)
{
	answers(w, NULL, NULL, SURE_UNKNOWN);
	w->depth.who = w->pulse.who;
}

static void version_told_by_depth_only(struct world *w)
{
	answers(w, NULL, NULL, SURE_UNKNOWN);
	w->depth.who.version = "4.0.9";
}

static void old_version_and_sick(struct world *w)
{
	old_version(w);
	w->depth.health = (struct health){LINK_BAD, "no controller", "Metadata", false};
}

static void unwell(struct world *w)
{
	w->depth.health = (struct health){LINK_BAD, "3 of 12 partitions have no leader", "Metadata", false};
}

static void shuts_down(struct world *w)
{
	w->depth.health = (struct health){LINK_BAD, "is shutting down, waits for 2 clients", "postmaster.pid", true};
}

static void young_and_shuts_down(struct world *w)
{
	shuts_down(w);
	young(w);
}

static void refuses_though_it_listens(struct world *w)
{
	w->pulse.who = (struct identity){.answered = ANSWERED_REFUSED};
	w->q.depth = NULL;
}

static void its_own_process_says_500(struct world *w)
{
	w->pulse.who = (struct identity){.answered = ANSWERED_OTHER, .says = "HTTP 500 Internal Server Error"};
	w->q.depth = NULL;
}

static void somebody_says_500(struct world *w)
{
	its_own_process_says_500(w);
	unclaimed(w);
	text_copy(w->processes[1].hint, sizeof w->processes[1].hint, text_of("python3 fake.py"));
}

static void restarting(struct world *w)
{
	container_is(w, "restarting", "Restarting (3) 2 seconds ago");
	w->containers[0].restarts = 4;
	w->containers[0].exit_code = 3;
}

static void between_two_tries(struct world *w)
{
	container_is(w, "running", "Up 1 second");
	w->containers[0].restarts = 4;
	w->containers[0].exit_code = 0;
	w->containers[0].started = WALL - 1000;
}

static void just_restarted_and_right(struct world *w)
{
	as_container(w);
	w->containers[0].restarts = 4;
	w->containers[0].started = WALL - 1000;
}

static void found_in_a_restart_loop(struct world *w)
{
	as_container(w);
	found(w);
	w->pulse.who.answered = ANSWERED_MUTE;
	text_copy(w->containers[0].state, sizeof w->containers[0].state, text_of("restarting"));
}

static void restarted_long_ago(struct world *w)
{
	as_container(w);
	w->containers[0].restarts = 4;
}

static void never_asked(struct world *w)
{
	w->q.pulse = w->q.depth = NULL;
}

static void nothing_known_at_all(struct world *w)
{
	never_asked(w);
	w->q.host = w->q.docker = NULL;
	w->q.pidfile_read = false;
}

static void answer_too_old(struct world *w)
{
	w->pulse.ended = NOW - 21000;
}

static void answer_old_but_not_too_old(struct world *w)
{
	w->pulse.ended = NOW - 19000;
	w->q.host_seen = NOW - 19500;
}

static void slow_pulse_too_old(struct world *w)
{
	w->pulse.interval = 30000;
	w->pulse.ended = NOW - 61000;
}

static void depth_not_there_yet(struct world *w)
{
	w->q.depth = NULL;
}

static void depth_too_old(struct world *w)
{
	w->depth.ended = NOW - 61000;
}

static void refuses_us(struct world *w)
{
	w->q.refused_us = true;
	w->depth.health = (struct health){.state = LINK_UNKNOWN};
	w->depth.err = (struct err){ERR_AUTH, "password authentication failed"};
}

static void refuses_our_password(struct world *w)
{
	refuses_us(w);
	w->services[0].credentials.password = "x";
}

static void nobody_explains_the_port(struct world *w)
{
	w->pulse.who = (struct identity){.answered = ANSWERED_NOT_ASKED};
	w->q.depth = NULL;
}

static void host_too_old(struct world *w)
{
	w->q.host_seen = NOW - 30000;
}

static void no_deeper_check(struct world *w)
{
	static const struct service_kind simple = {.name = "simple", .title = "Simple"};

	w->services[0].kind = w->q.kind = w->pulse.who.kind = &simple;
	w->q.depth = NULL;
}

static void hidden_owner(struct world *w)
{
	unclaimed(w);
	w->listeners[0].pid = 0;
}

static void probable_other_owner(struct world *w)
{
	w->listeners[0].pid = OTHER;
	w->listeners[0].pid_probable = true;
}

static void found_and_well(struct world *w)
{
	found(w);
}

static void found_unknown(struct world *w)
{
	found(w);
	w->q.kind = NULL;
	w->pulse.who = (struct identity){.answered = ANSWERED_OTHER, .says = "220 smtp"};
	w->q.depth = NULL;
}

static void any_kind_listens(struct world *w)
{
	any_kind(w);
}

static void any_kind_answers_as_something(struct world *w)
{
	any_kind(w);
	w->q.pulse = &w->pulse;
}

static void any_kind_closed(struct world *w)
{
	any_kind(w);
	closed(w);
}

static void any_kind_unhealthy(struct world *w)
{
	as_container(w);
	any_kind(w);
	text_copy(w->containers[0].health, sizeof w->containers[0].health, text_of("unhealthy"));
}

static void any_kind_health_starting(struct world *w)
{
	as_container(w);
	any_kind(w);
	w->containers[0].started = WALL - 5000;
	text_copy(w->containers[0].health, sizeof w->containers[0].health, text_of("starting"));
}

static void any_kind_host_unknown(struct world *w)
{
	any_kind(w);
	w->q.host = NULL;
}

static void published(struct world *w)
{
	as_container(w);
	w->host.n_listeners = 0;
	text_copy(w->containers[0].ports, sizeof w->containers[0].ports, text_of("127.0.0.1:9092->9092"));
}

static void not_in_its_container(struct world *w)
{
	as_container(w);
	w->listeners[0].container[0] = w->processes[1].container[0] = '\0';
}

static void stale(struct world *w)
{
	w->q.fresh = (struct freshness){.known = true, .newest = WALL - 2 * MINUTE, .what = "server.properties", .newer = 1};
	w->processes[1].started = WALL - 41 * DAY;
}

static void both_run(struct world *w)
{
	w->listeners[0].pid = OTHER;
}

/* ---- whom the holder of a port belongs to ---- */

/* Of another service of the profile is known only what its section says of its owner. */
static void other_service(struct world *w, struct expectation other)
{
	unclaimed(w);
	w->listeners[0].pid = OTHER;
	says_nothing(w);
	w->q.depth = NULL;
	w->other_ports[0] = (struct expected_port){NULL, 8080};
	other.name = "neighbour";
	other.address = "127.0.0.1";
	other.ports = w->other_ports;
	other.n_ports = 1;
	w->services[1] = other;
	w->profile.n_services = 2;
}

static void held_by_neighbours_process(struct world *w)
{
	other_service(w, (struct expectation){.process = "nc -l"});
}

static void held_by_nobodys_process(struct world *w)
{
	other_service(w, (struct expectation){.process = "nginx"});
}

static void held_by_neighbours_unit(struct world *w)
{
	other_service(w, (struct expectation){.unit = "netcat"});
	text_copy(w->listeners[0].unit, sizeof w->listeners[0].unit, text_of("netcat.service"));
}

static void held_by_a_longer_unit(struct world *w)
{
	held_by_neighbours_unit(w);
	text_copy(w->listeners[0].unit, sizeof w->listeners[0].unit, text_of("netcat2.service"));
}

static void held_by_neighbours_container(struct world *w)
{
	other_service(w, (struct expectation){.container = "nginx"});
	w->containers[0] = (struct container){.id = "abcdef", .name = "nginx", .state = "running"};
	w->docker.n_containers = 1;
	text_copy(w->listeners[0].container, sizeof w->listeners[0].container, text_of("abcdef"));
}

static void held_by_nobodys_container(struct world *w)
{
	held_by_neighbours_container(w);
	w->services[1].container = "apache";
}

static void holds_the_main_port_of_another(struct world *w)
{
	other_service(w, (struct expectation){0});
	w->listeners[1] = (struct listener){.address = "*", .port = 8080, .pid = OTHER};
	w->host.n_listeners = 2;
}

static void somebody_else_holds_that_main_port(struct world *w)
{
	holds_the_main_port_of_another(w);
	w->listeners[1].pid = BROKER;
}

static void holds_it_and_looks_like_us(struct world *w)
{
	holds_the_main_port_of_another(w);
	text_copy(w->processes[2].hint, sizeof w->processes[2].hint, text_of("kafka.Kafka other.properties"));
}

static void holds_it_and_does_not_look_like_it(struct world *w)
{
	holds_the_main_port_of_another(w);
	w->services[1].kind = &worker;
}

static void answers_for_another_version_of_another(struct world *w)
{
	unclaimed(w);
	unknown_worker_answers(w);
	w->other_ports[0] = (struct expected_port){NULL, 9092};
	w->services[1] = (struct expectation){.name = "worker-42", .kind = &worker, .address = "127.0.0.1", .ports = w->other_ports,
		.n_ports = 1, .version = "4.2"};
	w->profile.n_services = 2;
}

static void answers_for_that_version(struct world *w)
{
	answers_for_another_version_of_another(w);
	w->services[1].version = "4.0";
}

static void answers_for_any_version(struct world *w)
{
	answers_for_another_version_of_another(w);
	w->services[1].version = NULL;
}

/* ---- and some more of life ---- */

static void only_its_s3_is_reached(struct world *w)
{
	w->ports[0].role = "controller";
	w->pulse.who.role = "controller";
}

static void its_main_part_where_another_is_expected(struct world *w)
{
	w->ports[0].role = "controller";
	w->pulse.who.role = "client";
}

static void main_part_is_never_asked(struct world *w)
{
	static const struct port_role ports[] = {{"rpc", 9092, PORT_SILENT, 0}, {"ui", 8082, PORT_ASK, 0}, {0}};
	static struct service_kind silent;

	silent = kafka;
	silent.ports = ports;
	w->services[0].kind = w->q.kind = w->pulse.who.kind = &silent;
	w->pulse.who.role = "ui";
}

static void another_is_frozen(struct world *w)
{
	says_nothing(w);
	w->listeners[0].pid = OTHER;
	w->processes[2].state = 'T';
}

static void young_and_refusing(struct world *w)
{
	refuses_though_it_listens(w);
	young(w);
}

static void young_in_grace_of_its_kind(struct world *w)
{
	static struct service_kind slow;

	slow = kafka;
	slow.grace_ms = 2 * HOUR;
	w->services[0].kind = w->q.kind = &slow;
	closed(w);
}

static void far_and_host_unknown(struct world *w)
{
	far_and_refused(w);
	w->q.host = NULL;
}

static void six_and_outlived(struct world *w)
{
	died_after_it_answered(w);
	text_copy(w->q.at.address, sizeof w->q.at.address, text_of("::1"));
}

static void unit_of_a_dead_process(struct world *w)
{
	instance_of_a_unit(w);
	closed(w);
	w->processes[1].state = 'Z';
}

static void no_process_of_its_words(struct world *w)
{
	unclaimed(w);
	dead(w);
	w->services[0].process = "kafka.Kafka";
}

static void only_a_dead_process_of_its_words(struct world *w)
{
	no_process_of_its_words(w);
	w->processes[2] = (struct process){.pid = 5000, .state = 'Z', .name = "java", .hint = "kafka.Kafka x"};
	w->host.n_processes = 3;
}

static void its_words_where_processes_are_hidden(struct world *w)
{
	no_process_of_its_words(w);
	w->host.processes_whole = false;
}

static void pid_of_another_than_the_words(struct world *w)
{
	closed(w);
	w->services[0].process = "kafka.Kafka other.properties";
}

static void script_that_still_waits_for_its_port(struct world *w)
{
	pidfile_of_the_script_that_started_it(w);
	closed(w);
	young(w);
}

static void dead_container_keeps_no_port(struct world *w)
{
	published(w);
	text_copy(w->containers[0].state, sizeof w->containers[0].state, text_of("exited"));
	closed(w);
}

static void proxy_known_by_its_name_only(struct world *w)
{
	behind_proxy(w);
	w->listeners[0].proxied[0] = '\0';
}

static void stolen_while_it_runs_without_a_kind(struct world *w)
{
	any_kind(w);
	w->listeners[0].pid = OTHER;
}

static void held_by_a_process_where_docker_is_denied(struct world *w)
{
	not_in_its_container(w);
	any_kind(w);
	w->docker.docker = DOCKER_DENIED;
}

static void neighbour_answers_while_it_runs_without_a_kind(struct world *w)
{
	taken_by_worker(w);
	any_kind(w);
	w->q.pulse = &w->pulse;
	w->processes[2] = (struct process){.pid = 5000, .state = 'S', .name = "java", .hint = "kafka.Kafka", .started = WALL - HOUR};
	w->q.pidfile_pid = 5000;
	w->host.n_processes = 3;
}

static void interval_of_nothing(struct world *w)
{
	w->pulse.interval = 0;
	w->pulse.ended = NOW - 19000;
	w->q.host_seen = NOW - 19500;
}

static const struct row verdicts[] = {
	{"a healthy broker serves", nothing, VERDICT_SERVING, false, NULL, NULL},

	{"blocked: its process is dead and nc holds the port", dead_pid_port_taken, VERDICT_BLOCKED, true,
		"9092 is held by nc (pid 4121)",
		"stop it, or move kafka's port"},
	{"blocked: by a container, by its name", taken_by_a_named_container, VERDICT_BLOCKED, true,
		"9092 is held by container nginx (nc, pid 4121)", "stop it"},
	{"blocked: by a unit, by its name", taken_by_a_unit, VERDICT_BLOCKED, true, "9092 is held by nginx.service (nc, pid 4121)",
		"stop it"},
	{"blocked: without a pid file, by one that says nothing", no_pidfile_and_port_taken, VERDICT_BLOCKED, true, "held by nc",
		"stop it"},
	{"blocked: by another service of the profile, by its name", taken_by_worker, VERDICT_BLOCKED, true,
		"9092 is held by spark-worker-40 (java, pid 4121)", "stop spark-worker-40, or move kafka's port"},
	{"blocked: a neighbour answers and no owner was named", worker_answers_unclaimed, VERDICT_BLOCKED, true, "spark-worker-40",
		"spark-worker-40"},
	{"blocked: a mute neighbour, known by its other port", worker_is_mute_unclaimed, VERDICT_BLOCKED, true, "spark-worker-40",
		"spark-worker-40"},
	{"blocked: a neighbour answers and Docker is denied to us", worker_where_docker_is_denied, VERDICT_BLOCKED, true,
		"spark-worker-40", "stop"},
	{"blocked: a neighbour holds the port of one of no kind", any_kind_taken_by_neighbour, VERDICT_BLOCKED, true,
		"spark-worker-40", "stop"},
	{"blocked: rightly served by another for a dead one", another_serves_rightly_for_a_dead_one, VERDICT_BLOCKED, true,
		"9092 answers rightly, but is held by nc (pid 4121); its own does not run: its process is gone (pid 921 of its pid file)", "stop it"},
	{"blocked: a container that dies again and again of the taken port", crash_loop_because_port_is_taken, VERDICT_BLOCKED, true,
		"nc (pid 4121)", "stop it"},
	{"not blocked: who began after the pid file was read may be named there by now", the_next_one_serves_and_its_pid_file_was_not_read_yet,
		VERDICT_SERVING, false, NULL, NULL},
	{"not blocked: in another version says more", another_serves_another_version, VERDICT_WRONG_VERSION, true,
		"9092 answers 4.0.1, expected 4.1: nc (pid 4121)", "4.1"},
	{"not blocked: who holds the port cannot be named", taken_by_hidden, VERDICT_STOPPED, true,
		"its process is gone (pid 921 of its pid file)", "start it"},

	{"impostor: its own process answers as another kind", unknown_worker_answers, VERDICT_IMPOSTOR, true,
		"9092 answers as Spark worker 4.0.5, not Kafka broker: java (pid 921)", "correct kafka's port"},
	{"impostor: something that we do not know, in its first words", ssh_answers, VERDICT_IMPOSTOR, true,
		"nc (pid 4121): it says SSH-2.0-OpenSSH_9.2", "stop it"},
	{"impostor: another part of the right kind", its_controller_answers, VERDICT_IMPOSTOR, true,
		"9092 answers as Kafka broker controller", "port"},
	{"serving: the main part may say its name", its_main_part_answers_by_name, VERDICT_SERVING, false, NULL, NULL},

	{"stopped: pid file of a dead process", dead, VERDICT_STOPPED, true, "its process is gone (pid 921 of its pid file)", "start it"},
	{"stopped: a zombie does not run", zombie, VERDICT_STOPPED, true, "gone", "start it"},
	{"stopped: the number was given to another program", pid_was_given_to_another, VERDICT_STOPPED, true,
		"pid 921 of its pid file is vim now", "start it"},
	{"stopped: container exited, in Docker's words", exited, VERDICT_STOPPED, true, "container kafka: Exited (137) 3 hours ago",
		"docker start kafka"},
	{"stopped: container ended for lack of memory", exited_for_memory, VERDICT_STOPPED, true, "out of memory",
		"docker start kafka"},
	{"stopped: health of an exited container means nothing", exited_and_unhealthy_once, VERDICT_STOPPED, true, "Exited (0)",
		"docker start kafka"},
	{"stopped: a container that never started says why", never_started, VERDICT_STOPPED, true,
		"never started: port is already allocated", "docker start"},
	{"stopped: a unit without a process", unit_has_no_process, VERDICT_STOPPED, true, "unit kafka has no process",
		"systemctl start kafka"},
	{"stopped: a unit that failed says how", unit_that_failed, VERDICT_STOPPED, true, "unit kafka failed: exit-code, status 78",
		"systemctl start kafka"},
	{"stopped: a user's unit", users_unit_that_failed, VERDICT_STOPPED, true, "unit kafka failed", "systemctl --user start kafka"},
	{"stopped: a masked unit", masked_unit, VERDICT_STOPPED, true, "unit kafka is masked", "systemctl unmask kafka"},
	{"stopped: a unit whose file is wrong", unreadable_unit, VERDICT_STOPPED, true, "unit kafka is bad-setting", "systemctl status kafka"},
	{"absent: a unit that nobody knows", unit_that_nobody_knows, VERDICT_ABSENT, true, "systemd knows no unit kafka", "start it"},
	{"sick: a unit in a crash loop", unit_in_a_loop, VERDICT_SICK, false, "unit kafka ends and is started again: exit-code, status 3, 7 restarts",
		"log of unit kafka"},
	{"stopped: the host's newer look outweighs the last good answer", died_after_it_answered, VERDICT_STOPPED, true, "gone",
		"start it"},
	{"serving: an answer newer than the host's look outweighs it", answered_after_the_host_was_looked_at, VERDICT_SERVING, false,
		NULL, NULL},
	{"serving: the pid file may name the script that started it", pidfile_of_the_script_that_started_it, VERDICT_SERVING, false,
		NULL, NULL},

	{"sick: runs, and listens at another address", bound_to_another_address, VERDICT_SICK, false,
		"does not listen on 127.0.0.1:9092, only on ::1", "name its address"},
	{"absent: no such container", no_container, VERDICT_ABSENT, true, "no container kafka", "start it"},
	{"absent: no pid file and a closed port", no_pidfile, VERDICT_ABSENT, true, "no pid file /run/kafka.pid", "start it"},
	{"absent: only a port is known of it, and that is closed", only_a_port_and_closed, VERDICT_ABSENT, true,
		"nobody listens on 9092", "start it"},
	{"absent: closed, and Docker is denied to us", closed_and_docker_denied, VERDICT_ABSENT, true, "nobody listens on 9092",
		"start it"},
	{"absent: closed, and units are not known here", closed_and_units_are_not_known, VERDICT_ABSENT, true,
		"nobody listens on 9092", "start it"},
	{"absent: at its address, and it is said at which it is", only_a_port_and_bound_to_another_address, VERDICT_ABSENT, true,
		"nobody listens on 127.0.0.1:9092, only on ::1", "name its address"},
	{"absent: another machine refuses the connection", far_and_refused, VERDICT_ABSENT, true, "nobody listens on 9092",
		"start it"},

	{"starting: young, and its port is closed", young_and_closed, VERDICT_STARTING, true,
		"started 12s ago, does not listen on 9092 yet", NULL},
	{"starting: young, and says nothing", young_and_mute, VERDICT_STARTING, false, "started 12s ago, does not answer yet", NULL},
	{"starting: young, and not well yet", young_and_unwell, VERDICT_STARTING, false, "started 12s ago: no controller", NULL},
	{"starting: within the grace that the profile gives", long_grace, VERDICT_STARTING, true, "does not listen", NULL},
	{"starting: nothing runs yet, but its start says what it does", progress_and_nothing_runs, VERDICT_STARTING, true,
		"fetching kafka 4.1.0: 31 of 120 MB", NULL},
	{"absent: a start that failed is none that goes on", start_failed, VERDICT_ABSENT, true, "its start failed: it ended: port 9092 is in use", "start"},
	{"stopped: why its start failed", start_failed_and_left_its_pid_file, VERDICT_STOPPED, true, "its start failed: it ended: port 9092 is in use",
		"start"},
	{"serving: young and well", young_and_well, VERDICT_SERVING, false, NULL, NULL},
	{"serving: a left-over line of progress takes nothing away", progress_of_one_that_serves, VERDICT_SERVING, false, NULL, NULL},
	{"wrong version: time does not heal it", young_in_another_version, VERDICT_WRONG_VERSION, true, "4.0.1", "4.1"},

	{"frozen: its process is stopped", frozen, VERDICT_FROZEN, true, "its process is stopped (state T): java (pid 921)",
		"kill -CONT 921"},
	{"frozen: before the next answer fails to come", frozen_while_the_last_answer_was_good, VERDICT_FROZEN, true, "state T",
		"kill -CONT 921"},
	{"frozen: however young", frozen_while_young, VERDICT_FROZEN, true, "state T", "kill -CONT"},
	{"frozen: also where no owner was named", frozen_and_unclaimed, VERDICT_FROZEN, true, "java (pid 921)", "kill -CONT 921"},
	{"frozen: by a debugger", traced, VERDICT_FROZEN, true, "debugger", "debugger"},
	{"frozen: its container is paused", paused, VERDICT_FROZEN, true, "its container kafka is paused", "docker unpause kafka"},

	{"mute: started by hand, without its pid file", mute_without_pidfile, VERDICT_MUTE, false, "says nothing", "log"},
	{"mute: accepts and says nothing", says_nothing, VERDICT_MUTE, false, "accepts connections on 9092 and says nothing", "log"},

	{"wrong version: exact", old_version, VERDICT_WRONG_VERSION, true,
		"9092 answers 4.0.5, expected 4.1: java (pid 921), started", "start 4.1 in its place"},
	{"wrong version: a range that ends before it", range_below, VERDICT_WRONG_VERSION, false,
		"9092 answers 3.7 to 3.9, expected 4.1", "4.1"},
	{"wrong version: told by the deeper question only", version_told_by_depth_only, VERDICT_WRONG_VERSION, true, "4.0.9", "4.1"},
	{"wrong version: before sick", old_version_and_sick, VERDICT_WRONG_VERSION, true, "4.0.5", "4.1"},
	{"serving: a range that contains the expectation", range_around, VERDICT_SERVING, false, NULL, NULL},
	{"serving: a hint against it is no verdict", hint_against, VERDICT_SERVING, false, NULL, NULL},
	{"serving: an unknown version is no reproach", version_not_known, VERDICT_SERVING, false, NULL, NULL},

	{"sick: the deeper check fails, in its words", unwell, VERDICT_SICK, false, "3 of 12 partitions have no leader", NULL},
	{"sick: what time does not heal counts at once", shuts_down, VERDICT_SICK, true, "is shutting down, waits for 2 clients", NULL},
	{"sick: nor does it wait for that to pass", young_and_shuts_down, VERDICT_SICK, true, "is shutting down", NULL},
	{"sick: runs, and does not listen after its grace", closed, VERDICT_SICK, false,
		"runs, but does not listen on 9092: java (pid 921)", "restart it"},
	{"sick: listens, and refuses connections", refuses_though_it_listens, VERDICT_SICK, false, "9092 refuses connections",
		"restart it"},
	{"sick: its own process answers with an error", its_own_process_says_500, VERDICT_SICK, false,
		"answers on 9092, but not as Kafka broker: it says HTTP 500", "log"},
	{"sick: an error status makes nobody a stranger", somebody_says_500, VERDICT_SICK, false, "HTTP 500", "log"},
	{"sick: a container in a restart loop", restarting, VERDICT_SICK, false, "restarting: 4 times, exit 3",
		"log of container kafka"},
	{"sick: a restart loop between two tries", between_two_tries, VERDICT_SICK, false, "restarting: 4 times",
		"log of container kafka"},
	{"sick: found in a container that restarts", found_in_a_restart_loop, VERDICT_SICK, false, "restarting", "log of container kafka"},
	{"serving: just restarted, and right", just_restarted_and_right, VERDICT_SERVING, false, NULL, NULL},
	{"serving: restarts of long ago are past", restarted_long_ago, VERDICT_SERVING, false, NULL, NULL},

	{"unknown: never asked", never_asked, VERDICT_UNKNOWN, false, "being asked", NULL},
	{"unknown: nothing was looked at yet", nothing_known_at_all, VERDICT_UNKNOWN, false, "being asked", NULL},
	{"unknown: the answer is older than ten intervals", answer_too_old, VERDICT_UNKNOWN, true, "last answer 21s ago", NULL},
	{"unknown: the answer is older than a minute", slow_pulse_too_old, VERDICT_UNKNOWN, true, "last answer", NULL},
	{"unknown: the deeper check was not made yet", depth_not_there_yet, VERDICT_UNKNOWN, false, "being asked", NULL},
	{"unknown: the deeper check stopped being made", depth_too_old, VERDICT_UNKNOWN, false, "last answer 61s ago", NULL},
	{"unknown: refuses us without a credential", refuses_us, VERDICT_UNKNOWN, false,
		"refuses us: password authentication failed", "password_file"},
	{"unknown: refuses our credential", refuses_our_password, VERDICT_UNKNOWN, false, "refuses us", "correct its credential"},
	{"unknown: not asked at all", nobody_explains_the_port, VERDICT_UNKNOWN, false, "not asked", NULL},
	{"unknown: found, and of no kind that we know", found_unknown, VERDICT_UNKNOWN, false, "says: 220 smtp", NULL},
	{"serving: nine intervals old still counts", answer_old_but_not_too_old, VERDICT_SERVING, false, NULL, NULL},

	{"blocked: by the process that a neighbour's section names", held_by_neighbours_process, VERDICT_BLOCKED, true,
		"neighbour (nc, pid 4121)", "neighbour"},
	{"not blocked: the section names another process", held_by_nobodys_process, VERDICT_MUTE, false, "says nothing", "log"},
	{"blocked: by a neighbour's unit", held_by_neighbours_unit, VERDICT_BLOCKED, true, "neighbour", "neighbour"},
	{"not blocked: a unit whose name only begins so", held_by_a_longer_unit, VERDICT_MUTE, false, "says nothing", "log"},
	{"blocked: by a neighbour's container", held_by_neighbours_container, VERDICT_BLOCKED, true, "neighbour", "neighbour"},
	{"not blocked: the section names another container", held_by_nobodys_container, VERDICT_MUTE, false, "says nothing", "log"},
	{"blocked: by one that holds a neighbour's main port too", holds_the_main_port_of_another, VERDICT_BLOCKED, true,
		"neighbour", "neighbour"},
	{"not blocked: that main port is somebody else's", somebody_else_holds_that_main_port, VERDICT_MUTE, false, "says nothing",
		"log"},
	{"not blocked: it holds that port, but looks like us", holds_it_and_looks_like_us, VERDICT_MUTE, false, "says nothing", "log"},
	{"not blocked: it holds that port, but does not look like it", holds_it_and_does_not_look_like_it, VERDICT_MUTE, false,
		"says nothing", "log"},
	{"impostor: of a neighbour's kind, but not its version", answers_for_another_version_of_another, VERDICT_IMPOSTOR, true,
		"java (pid 921)", "port"},
	{"blocked: of a neighbour's kind and version", answers_for_that_version, VERDICT_BLOCKED, true, "worker-42 (java, pid 921)",
		"worker-42"},
	{"blocked: of a neighbour's kind, any version", answers_for_any_version, VERDICT_BLOCKED, true, "worker-42 (java, pid 921)",
		"worker-42"},

	{"serving: the part that is expected at its port", only_its_s3_is_reached, VERDICT_SERVING, false, NULL, NULL},
	{"impostor: its main part where another is expected", its_main_part_where_another_is_expected, VERDICT_IMPOSTOR, true,
		"Kafka broker client", "port"},
	{"serving: a main part that is never asked says nothing of its name", main_part_is_never_asked, VERDICT_SERVING, false, NULL,
		NULL},
	{"mute: that another is frozen is not its state", another_is_frozen, VERDICT_MUTE, false, "says nothing", "log"},
	{"starting: young, and refuses connections", young_and_refusing, VERDICT_STARTING, false, "does not answer yet", NULL},
	{"starting: within the grace of its kind", young_in_grace_of_its_kind, VERDICT_STARTING, true, "does not listen", NULL},
	{"absent: refused, and the host is not known: one probe is not yet a fact", far_and_host_unknown, VERDICT_ABSENT, false,
		"nobody listens", "start it"},
	{"stopped: also on ::1 the newer look outweighs", six_and_outlived, VERDICT_STOPPED, true, "gone", "start it"},
	{"stopped: a zombie is no process of a unit", unit_of_a_dead_process, VERDICT_STOPPED, true, "unit kafka has no process",
		"systemctl"},
	{"absent: no process of its words", no_process_of_its_words, VERDICT_ABSENT, true, "no process \"kafka.Kafka\"", "start it"},
	{"absent: a zombie is no process of its words", only_a_dead_process_of_its_words, VERDICT_ABSENT, true, "no process",
		"start it"},
	{"absent: closed, and its process may be hidden", its_words_where_processes_are_hidden, VERDICT_ABSENT, true,
		"nobody listens on 9092", "start it"},
	{"stopped: the pid is not of the process that the profile means", pid_of_another_than_the_words, VERDICT_STOPPED, true,
		"is java now", "start it"},
	{"starting: the script of the pid file waits for its server", script_that_still_waits_for_its_port, VERDICT_STARTING, true,
		"does not listen", NULL},
	{"stopped: a container that exited publishes nothing", dead_container_keeps_no_port, VERDICT_STOPPED, true,
		"container kafka", "docker start"},
	{"serving: behind a docker-proxy known by its name only", proxy_known_by_its_name_only, VERDICT_SERVING, false, NULL, NULL},
	{"serving: without an interval, two seconds are meant", interval_of_nothing, VERDICT_SERVING, false, NULL, NULL},
	{"serving: stale is a finding, not a verdict", stale, VERDICT_SERVING, false, NULL, NULL},
	{"serving: another owner is a finding, not a verdict", both_run, VERDICT_SERVING, false, NULL, NULL},

	{"serving: what the host does not show demotes nobody", hidden_owner, VERDICT_SERVING, false, NULL, NULL},
	{"serving: hidden processes demote nobody", hidden_processes, VERDICT_SERVING, false, NULL, NULL},
	{"serving: the host's old look demotes nobody", host_too_old, VERDICT_SERVING, false, NULL, NULL},
	{"serving: units that this host does not know demote nobody", unit_of_a_host_without_units, VERDICT_SERVING, false, NULL,
		NULL},
	{"serving: the instance of a unit is the unit", instance_of_a_unit, VERDICT_SERVING, false, NULL, NULL},
	{"serving: right, and its pid file is of a dead one", right_but_nobody_to_name, VERDICT_SERVING, false, NULL, NULL},
	{"serving: right, without its pid file", right_without_pidfile, VERDICT_SERVING, false, NULL, NULL},
	{"serving: an owner that is only probable proves nothing", probable_other_owner, VERDICT_SERVING, false, NULL, NULL},
	{"serving: a kind without a deeper check", no_deeper_check, VERDICT_SERVING, false, NULL, NULL},
	{"serving: in a container", as_container, VERDICT_SERVING, false, NULL, NULL},
	{"serving: in a container behind docker-proxy", behind_proxy, VERDICT_SERVING, false, NULL, NULL},
	{"serving: found, in no profile", found_and_well, VERDICT_SERVING, false, NULL, NULL},

	{"no kind: it listens, more is not asked", any_kind_listens, VERDICT_SERVING, false, NULL, NULL},
	{"no kind: whoever answers is right", any_kind_answers_as_something, VERDICT_SERVING, false, NULL, NULL},
	{"no kind: runs, and does not listen", any_kind_closed, VERDICT_SICK, false, "does not listen on 9092", "restart it"},
	{"no kind: Docker's own check fails", any_kind_unhealthy, VERDICT_SICK, false, "health check in Docker fails", NULL},
	{"no kind: Docker's own check has not ended", any_kind_health_starting, VERDICT_STARTING, false, "started 5s ago", NULL},
	{"no kind: it runs, and another holds its port", stolen_while_it_runs_without_a_kind, VERDICT_SICK, true,
		"runs, but 9092 is held by nc (pid 4121)", "stop that"},
	{"no kind: it runs, and a neighbour answers", neighbour_answers_while_it_runs_without_a_kind, VERDICT_IMPOSTOR, true,
		"9092 answers as Spark worker 4.0.5, not kafka: spark-worker-40", "port"},
	{"no kind: held by a process, and its container may run or not", held_by_a_process_where_docker_is_denied, VERDICT_UNKNOWN,
		false,
		"its port is held by java (pid 921)", NULL},
	{"no kind: nothing was looked at yet", any_kind_host_unknown, VERDICT_UNKNOWN, false, "not looked at yet", NULL},
};

static void part_of(const char *what, const char *part)
{
	if (part ? !strstr(what, part) : what[0])
		fail_msg("\"%s\" is not \"%s\"", what, part ? part : "");
}

static void verdict_is_right(void **state)
{
	const struct row *row = *state;
	struct world *w = fresh_world();
	struct judged j;

	row->change(w);
	judge(&w->q, &j);
	if (j.verdict != row->verdict)
		fail_msg("%s (%s), not %s", verdict_word(j.verdict), j.reason, verdict_word(row->verdict));
	assert_int_equal(j.definite, row->definite);
	part_of(j.reason, row->reason);
	part_of(j.remedy, row->remedy);
	assert_true(text_is_clean(text_of(j.reason)) && text_is_clean(text_of(j.remedy)));
	for (size_t i = 0; i < LINK_COUNT; i++)
		assert_true(j.links[i].value[0]); /* no verdict without its chain in words */
}

/* ---- links ---- */

struct link_row {
	const char *name;
	void (*change)(struct world *w);
	enum link_name link;
	enum link_state state;
	const char *value, *source;
};

static void further_port_missing(struct world *w)
{
	w->ports[1] = (struct expected_port){"controller", 9093};
	w->services[0].n_ports = 2;
}

static void behind_foreign_proxy(struct world *w)
{
	behind_proxy(w);
	text_copy(w->containers[0].name, sizeof w->containers[0].name, text_of("nginx"));
}

static void proxy_and_docker_denied(struct world *w)
{
	behind_proxy(w);
	w->docker.docker = DOCKER_DENIED;
}

static void container_known_by_id_only(struct world *w)
{
	as_container(w);
	w->docker.docker = DOCKER_DENIED;
}

static void by_its_words(struct world *w)
{
	unclaimed(w);
	w->services[0].process = "kafka.Kafka";
}

static void not_by_its_words(struct world *w)
{
	by_its_words(w);
	w->listeners[0].pid = OTHER;
}

static void unchanged(struct world *w)
{
	w->q.fresh = (struct freshness){.known = true, .newest = WALL - 40 * DAY, .what = "server.properties"};
}

static void image_rebuilt(struct world *w)
{
	as_container(w);
	w->containers[0].image_created = WALL - 10 * MINUTE;
}

static void image_tag_tells(struct world *w)
{
	as_container(w);
	any_kind(w);
	w->services[0].version = "4.2";
	text_copy(w->containers[0].image, sizeof w->containers[0].image, text_of("registry:5000/kafka:v4.1.0-ubuntu"));
}

static void two_of_its_words(struct world *w)
{
	by_its_words(w);
	w->processes[2] = (struct process){.pid = OTHER, .state = 'S', .name = "java", .hint = "kafka.Kafka old",
		.started = WALL - DAY};
}

static void two_of_its_words_and_closed(struct world *w)
{
	two_of_its_words(w);
	closed(w);
}

static void stale_and_refusing(struct world *w)
{
	stale(w);
	refuses_though_it_listens(w);
}

static void unchanged_since_nobody_knows(struct world *w)
{
	unchanged(w);
	right_but_nobody_to_name(w);
}

static void stale_in_anothers_hands(struct world *w)
{
	stale(w);
	w->listeners[0].pid = OTHER;
}

static const struct link_row links[] = {
	{"running: by its words, the one that holds the port", two_of_its_words, LINK_RUNNING, LINK_OK, "java (pid 921)", "processes"},
	{"running: by its words, else the oldest", two_of_its_words_and_closed, LINK_RUNNING, LINK_OK, "java (pid 4121)", "processes"},
	{"running: by its unit", instance_of_a_unit, LINK_RUNNING, LINK_OK, "java (pid 921)", "processes"},
	{"running: without a pid file is unknown, while it answers", right_without_pidfile, LINK_RUNNING, LINK_UNKNOWN,
		"no pid file", "pid file"},
	{"identity: of no kind, but it has a name", any_kind_answers_as_something, LINK_IDENTITY, LINK_NA, "Kafka broker answers",
		"ApiVersions"},
	{"identity: of no kind", any_kind_listens, LINK_IDENTITY, LINK_NA, "not of a kind that is asked", ""},
	{"fresh: also of one that refuses", stale_and_refusing, LINK_FRESH, LINK_BAD, "server.properties", ""},
	{"fresh: of one that nobody knows since when it runs", unchanged_since_nobody_knows, LINK_FRESH, LINK_UNKNOWN, "not known",
		""},
	{"fresh: by the start of who answers, not of who should", stale_in_anothers_hands, LINK_FRESH, LINK_BAD, "started 60min ago",
		""},
	{"fresh: what does not run is neither", dead, LINK_FRESH, LINK_NA, "does not run", ""},
	{"declared: by a profile", nothing, LINK_DECLARED, LINK_OK, "profile pocket", "profile"},
	{"declared: by none", found_and_well, LINK_DECLARED, LINK_NA, "in no profile", "profile"},
	{"running: which process, since when", nothing, LINK_RUNNING, LINK_OK, "java (pid 921), up 60min", "processes"},
	{"running: hidden is unknown", hidden_processes, LINK_RUNNING, LINK_UNKNOWN, "hidden", "pid file"},
	{"running: which container", as_container, LINK_RUNNING, LINK_OK, "container kafka: Up 1 hour", "Docker"},
	{"running: why Docker is not known", closed_and_docker_denied, LINK_RUNNING, LINK_UNKNOWN, "needs group docker", "Docker"},
	{"running: no owner is named, so the holder of the port", unclaimed, LINK_RUNNING, LINK_OK, "java (pid 921)", "processes"},
	{"running: no owner is named, and the holder is another kind", ssh_answers, LINK_RUNNING, LINK_UNKNOWN, "nc", "processes"},
	{"listening: where", nothing, LINK_LISTENING, LINK_OK, "*:9092", "listening sockets"},
	{"listening: but not on a further port", further_port_missing, LINK_LISTENING, LINK_OK,
		"*:9092, but not on 9093 (controller)", ""},
	{"listening: published without a socket", published, LINK_LISTENING, LINK_OK, "9092 published by container kafka", "Docker"},
	{"listening: nobody", closed, LINK_LISTENING, LINK_BAD, "nobody listens on 9092", ""},
	{"listening: the answer proves it where the host is not known", host_too_old, LINK_LISTENING, LINK_OK, "accepts connections",
		"connecting"},
	{"owner: the process of the pid file", nothing, LINK_OWNER, LINK_OK, "java (pid 921)", ""},
	{"owner: its child", pidfile_of_the_script_that_started_it, LINK_OWNER, LINK_OK, "java (pid 930)", ""},
	{"owner: another process", another_serves_rightly_for_a_dead_one, LINK_OWNER, LINK_BAD, "nc (pid 4121)", ""},
	{"owner: only probably another", probable_other_owner, LINK_OWNER, LINK_UNKNOWN, "probably nc (pid 4121)", ""},
	{"owner: none is named", unclaimed, LINK_OWNER, LINK_NA, "java (pid 921)", ""},
	{"owner: hidden", hidden_owner, LINK_OWNER, LINK_NA, "hidden", ""},
	{"owner: its container", as_container, LINK_OWNER, LINK_OK, "container kafka (java, pid 921)", ""},
	{"owner: its container behind docker-proxy, whose pid says nothing", behind_proxy, LINK_OWNER, LINK_OK, "container kafka", ""},
	{"owner: another container behind docker-proxy", behind_foreign_proxy, LINK_OWNER, LINK_BAD, "container nginx", ""},
	{"owner: docker-proxy, and Docker is denied to us", proxy_and_docker_denied, LINK_OWNER, LINK_UNKNOWN, "docker-proxy", ""},
	{"owner: a container known by its id only may be the one", container_known_by_id_only, LINK_OWNER, LINK_UNKNOWN,
		"container 0f1e2d", ""},
	{"owner: a process of the host is no container", not_in_its_container, LINK_OWNER, LINK_BAD, "java (pid 921)", ""},
	{"owner: its unit's instance", instance_of_a_unit, LINK_OWNER, LINK_OK, "kafka@15-main.service (java, pid 921)", ""},
	{"owner: units are not known here", unit_of_a_host_without_units, LINK_OWNER, LINK_UNKNOWN, "java", ""},
	{"owner: by the words of its process", by_its_words, LINK_OWNER, LINK_OK, "java (pid 921)", ""},
	{"owner: not by the words of its process", not_by_its_words, LINK_OWNER, LINK_BAD, "nc (pid 4121)", ""},
	{"identity: by its own protocol", nothing, LINK_IDENTITY, LINK_OK, "Kafka broker", "ApiVersions v3, 2 ms"},
	{"identity: another kind", unknown_worker_answers, LINK_IDENTITY, LINK_BAD, "Spark worker, not Kafka broker", ""},
	{"identity: another part", its_controller_answers, LINK_IDENTITY, LINK_BAD, "Kafka broker, but its controller", ""},
	{"identity: mute is unknown", says_nothing, LINK_IDENTITY, LINK_UNKNOWN, "said nothing", ""},
	{"identity: closed since it answered", died_after_it_answered, LINK_IDENTITY, LINK_UNKNOWN, "its port was closed since", ""},
	{"version: met, and told by which question", nothing, LINK_VERSION, LINK_OK, "4.1.0, expected 4.1", "metadata.version"},
	{"version: a range is said to be one", range_around, LINK_VERSION, LINK_OK, "4.0 to 4.3 (a range), expected 4.1", ""},
	{"version: a hint is said to be one", hint_against, LINK_VERSION, LINK_UNKNOWN, "3.9.0 (only a hint), expected 4.1", ""},
	{"version: not known", version_not_known, LINK_VERSION, LINK_UNKNOWN, "not known, expected 4.1", ""},
	{"version: nothing is expected of a found one", found_and_well, LINK_VERSION, LINK_NA, "4.1.0", ""},
	{"version: the tag of an image is a hint", image_tag_tells, LINK_VERSION, LINK_UNKNOWN, "4.1.0 (only a hint), expected 4.2",
		"its image's tag"},
	{"fresh: what is newer than its start, and since when", stale, LINK_FRESH, LINK_BAD,
		"started 41d ago; server.properties changed 2min ago", ""},
	{"fresh: nothing is newer", unchanged, LINK_FRESH, LINK_OK, "nothing changed", ""},
	{"fresh: its image was built again", image_rebuilt, LINK_FRESH, LINK_BAD, "its image was built again 10min ago", "Docker"},
	{"fresh: no file is named", nothing, LINK_FRESH, LINK_NA, "no file", ""},
	{"healthy: in the words of the check", nothing, LINK_HEALTHY, LINK_OK, "all partitions have leaders", "Metadata"},
	{"healthy: what refuses us is unknown, not bad", refuses_us, LINK_HEALTHY, LINK_UNKNOWN, "refuses us", ""},
	{"healthy: who is not the right one cannot be asked", unknown_worker_answers, LINK_HEALTHY, LINK_UNKNOWN, "cannot be asked",
		""},
	{"healthy: a kind without a check", no_deeper_check, LINK_HEALTHY, LINK_NA, "no deeper check", ""},
};

static void link_is_right(void **state)
{
	const struct link_row *row = *state;
	struct world *w = fresh_world();
	struct judged j;

	row->change(w);
	judge(&w->q, &j);
	if (j.links[row->link].state != row->state)
		fail_msg("%s (%s), not %s", link_state_word(j.links[row->link].state), j.links[row->link].value, link_state_word(row->state));
	assert_non_null(strstr(j.links[row->link].value, row->value) ? row->value : NULL);
	assert_non_null(strstr(j.links[row->link].source, row->source) ? row->source : NULL);
}

/* ---- findings ---- */

struct finding_row {
	const char *name;
	void (*change)(struct world *w);
	const char *finding;
	int severity; /* -1: there must be none */
	const char *reason, *remedy;
};

static const char *main_port(struct text hint, uint16_t port)
{
	return text_has(hint, "kafka.Kafka") && !text_has(hint, "listen.port=9192") && port == 9092 ? "client" : NULL;
}

static void another_with(struct world *w, pid_t parent, int64_t started, const char *network, const char *words, uint16_t configured)
{
	static struct service_kind telling;

	telling = kafka;
	telling.role_of = main_port;
	telling.firm = true;
	w->processes[3] = (struct process){.pid = 4200, .parent = parent, .state = 'S', .name = "java", .started = started};
	text_copy(w->processes[3].hint, sizeof w->processes[3].hint, text_of(words));
	if (network) {
		w->containers[0] = (struct container){.id = "abcdef", .name = "kafka-two", .state = "running"};
		text_copy(w->containers[0].network, sizeof w->containers[0].network, text_of(network));
		text_copy(w->processes[3].container, sizeof w->processes[3].container, text_of("abcdef"));
		w->docker.n_containers = 1;
	}
	w->host.n_processes = 4;
	telling.port_key = "listen.port";
	rival_of(&w->host, &w->docker, &telling, &w->q.at, configured, &w->q.rival);
	w->q.rival.seen = WALL;
}

static void another_in(struct world *w, pid_t parent, int64_t started, const char *network)
{
	another_with(w, parent, started, network, "kafka.Kafka other.properties", 0);
}

static void another(struct world *w, pid_t parent, int64_t started)
{
	another_in(w, parent, started, NULL);
}

static void started_in_vain_in_a_container(struct world *w)
{
	another_in(w, 1, WALL - 12000, "host");
}

static void started_in_a_network_of_its_own(struct world *w)
{
	another_in(w, 1, WALL - 12000, "bridge");
}

static void started_in_vain(struct world *w)
{
	another(w, 1, WALL - 12000);
}

static void started_with_the_configured_port(struct world *w)
{
	another_with(w, 1, WALL - 12000, NULL, "kafka.Kafka other.properties", 9092);
}

static void started_with_another_configured_port(struct world *w)
{
	another_with(w, 1, WALL - 12000, NULL, "kafka.Kafka other.properties", 9192);
}

static void started_with_a_port_of_its_own_words(struct world *w)
{
	another_with(w, 1, WALL - 12000, NULL, "kafka.Kafka listen.port=9192", 9092);
}

static void started_by_it(struct world *w)
{
	another(w, BROKER, WALL - 12000);
}

static void started_before(struct world *w)
{
	another(w, 1, WALL - 2 * HOUR);
}

static void stale_but_muted(struct world *w)
{
	static const char *const mute[] = {"lag", "stale", NULL};

	stale(w);
	w->services[0].mute = mute;
}

static void stale_and_stopped(struct world *w)
{
	stale(w);
	dead(w);
}

static void held_outside_its_container(struct world *w)
{
	not_in_its_container(w);
	w->docker.docker = DOCKER_NONE;
}

static void wants_it_too(struct world *w)
{
	with_worker(w);
}

static void wants_it_too_but_need_not(struct world *w)
{
	with_worker(w);
	w->services[1].required = false;
}

static void wants_it_elsewhere(struct world *w)
{
	with_worker(w);
	w->services[1].address = "127.0.0.2";
}

static void open_to_all(struct world *w)
{
	w->listeners[0].open = true;
}

static void open_with_password(struct world *w)
{
	open_to_all(w);
	w->services[0].credentials.password = "x";
}

static void open_but_refuses_us(struct world *w)
{
	open_to_all(w);
	refuses_us(w);
}

static const struct service_kind connect = {
	.name = "spark-connect", .title = "Spark Connect", .inspect = inspects, .code_role = "grpc",
	.ports = (const struct port_role[]){{"grpc", 9092, PORT_ASK, 0}, {0}},
};
static const struct service_kind master = {
	.name = "spark-master", .title = "Spark master", .inspect = inspects, .code_role = "rest",
	.ports = (const struct port_role[]){{"ui", 9092, PORT_ASK, 0}, {"rest", 6066, PORT_ASK, 0}, {0}},
};

static void is_of_kind(struct world *w, const struct service_kind *kind)
{
	w->q.kind = w->services[0].kind = w->pulse.who.kind = w->depth.who.kind = kind;
}

static void runs_code_for_all(struct world *w)
{
	is_of_kind(w, &connect);
	open_to_all(w);
}

static void runs_code_with_a_token(struct world *w)
{
	runs_code_for_all(w);
	w->services[0].credentials.token = "x";
}

static void takes_submissions(struct world *w, bool open, pid_t pid)
{
	is_of_kind(w, &master);
	w->listeners[1] = (struct listener){.address = "*", .port = 6066, .pid = pid, .inode = 78, .open = open};
	w->host.n_listeners = 2;
}

static void takes_submissions_of_all(struct world *w)
{
	takes_submissions(w, true, BROKER);
}

static void takes_submissions_here(struct world *w)
{
	takes_submissions(w, false, BROKER);
}

static void another_holds_that_port(struct world *w)
{
	takes_submissions(w, true, OTHER);
}

static void program_replaced(struct world *w)
{
	w->processes[1].exe_deleted = true;
}

static void a_child_ran_out_of_memory(struct world *w)
{
	as_container(w);
	w->containers[0].oom_killed = true;
}

static void unhealthy_while_it_serves(struct world *w)
{
	as_container(w);
	text_copy(w->containers[0].health, sizeof w->containers[0].health, text_of("unhealthy"));
}

static void lags(struct world *w)
{
	w->found[0] = (struct finding){"lag", SEVERITY_WARNING, "orders-etl is slow", "look at group orders-etl"};
	w->depth.n_findings = 1;
}

static void a_query_falls_behind(struct world *w)
{
	static const struct stream streams[] = {{.name = "order_archive"}, {.name = "of another broker"}};
	static const struct service kafka_itself = {.name = "kafka"}, another = {.name = "kafka-39"};
	static struct snapshot checkpoint = {.part = PART_STREAM, .wall = WALL};
	static struct stream_view views[2];

	for (size_t i = 0; i < 2; i++)
		views[i] = (struct stream_view){.stream = &streams[i], .snapshot = &checkpoint, .kafka = i ? &another : &kafka_itself,
			.pace = {.known = true, .in = 4.6, .out = 2.2, .slow = true}, .lag = {.lag = value_int(6800), .words = ""}};
	w->q.streams = views;
	w->q.n_streams = 2;
}

static void a_query_falls_behind_and_kafka_died(struct world *w)
{
	a_query_falls_behind(w);
	dead(w);
}

static void lagged_before_it_died(struct world *w)
{
	lags(w);
	dead(w);
	w->q.depth = &w->depth;
}

static void young_with_a_missing_port(struct world *w)
{
	further_port_missing(w);
	young(w);
}

static void stale_and_another_is_muted(struct world *w)
{
	static const char *const mute[] = {"lag", NULL};

	stale(w);
	w->services[0].mute = mute;
}

static void hint_for_it(struct world *w)
{
	answers(w, "4.1.9", NULL, SURE_HINT);
}

static void program_of_another_replaced(struct world *w)
{
	hidden_processes(w);
	w->listeners[0].pid = OTHER;
	w->processes[1].exe_deleted = true;
}

static const struct finding_row findings[] = {
	{"muting one mutes no other", stale_and_another_is_muted, "stale", SEVERITY_BLOCKING, "server.properties", "restart it"},
	{"a query that falls behind", a_query_falls_behind, "lag", SEVERITY_WARNING,
		"streaming query order_archive is slow: 6,800 behind, 2.4 more each second", "let its batches take more"},
	{"a query whose broker is gone is not told", a_query_falls_behind_and_kafka_died, "lag", -1, NULL, NULL},
	{"a hint for the expected version is none", hint_for_it, "version-hint", -1, NULL, NULL},
	{"the replaced program of another is not its own", program_of_another_replaced, "program-replaced", -1, NULL, NULL},
	{"stale blocks, and names what is newer", stale, "stale", SEVERITY_BLOCKING,
		"started 41d ago; server.properties changed 2min ago", "restart it"},
	{"stale, muted by the profile", stale_but_muted, "stale", -1, NULL, NULL},
	{"what does not run is not stale", stale_and_stopped, "stale", -1, NULL, NULL},
	{"a container older than its image is made anew", image_rebuilt, "stale", SEVERITY_BLOCKING, "image",
		"make its container anew"},
	{"two run, and the wrong one holds the port: blocks", both_run, "owner-differs", SEVERITY_BLOCKING,
		"9092 is held by nc (pid 4121), not by the process of /run/kafka.pid, which runs too", "stop the one"},
	{"its container runs, and a process holds the port: blocks", not_in_its_container, "owner-differs", SEVERITY_BLOCKING,
		"held by java (pid 921), not by container kafka, which runs too", "stop the one"},
	{"its container may not run at all: warns", held_outside_its_container, "owner-differs", SEVERITY_WARNING,
		"held by java (pid 921), not by container kafka", "correct the profile"},
	{"the right owner is no finding", nothing, "owner-differs", -1, NULL, NULL},
	{"a second one was started for the port that the old one keeps", started_in_vain, "lost-port", SEVERITY_BLOCKING,
		"pid 4200 was started 12s ago for 9092 and could not have it", "stop the old one"},
	{"its configuration names the port where its words do not", started_with_the_configured_port, "lost-port", SEVERITY_BLOCKING,
		"pid 4200 was started 12s ago for 9092", "stop the old one"},
	{"it names another one", started_with_another_configured_port, "lost-port", -1, NULL, NULL},
	{"its own words go before the configuration", started_with_a_port_of_its_own_words, "lost-port", -1, NULL, NULL},
	{"one that is its holder's own child is no second one", started_by_it, "lost-port", -1, NULL, NULL},
	{"one in a container on the host's network is one, too", started_in_vain_in_a_container, "lost-port", SEVERITY_BLOCKING,
		"pid 4200 was started 12s ago for 9092 and could not have it", "stop the old one"},
	{"one in a container with a network of its own has that port there", started_in_a_network_of_its_own, "lost-port", -1, NULL, NULL},
	{"one of before it is none", started_before, "lost-port", -1, NULL, NULL},
	{"two required services want one port", wants_it_too, "port-conflict", SEVERITY_WARNING, "spark-worker-40 also wants 9092",
		"move"},
	{"an optional one wants the port as well", wants_it_too_but_need_not, "port-conflict", SEVERITY_INFO, "also wants", "move"},
	{"the same port at another address is no conflict", wants_it_elsewhere, "port-conflict", -1, NULL, NULL},
	{"open to the network without a credential", open_to_all, "open-to-network", SEVERITY_INFO, "*:9092", "127.0.0.1"},
	{"open, but it asks for a password", open_with_password, "open-to-network", -1, NULL, NULL},
	{"open, but it refuses us", open_but_refuses_us, "open-to-network", -1, NULL, NULL},
	{"whoever reaches it runs code", runs_code_for_all, "open-to-network", SEVERITY_WARNING, "*:9092 asks for no credential", "token"},
	{"it runs code for who has its token", runs_code_with_a_token, "open-to-network", -1, NULL, NULL},
	{"its submission server is open", takes_submissions_of_all, "open-to-network", SEVERITY_WARNING, "*:6066 (rest)", "token"},
	{"its submission server is for this machine", takes_submissions_here, "open-to-network", -1, NULL, NULL},
	{"the port of its submission server is another's", another_holds_that_port, "open-to-network", -1, NULL, NULL},
	{"its program file was replaced", program_replaced, "program-replaced", SEVERITY_WARNING, "java (pid 921)", "restart it"},
	{"out of memory inside its container", a_child_ran_out_of_memory, "oom-killed", SEVERITY_WARNING, "lack of memory", "memory"},
	{"Docker says unhealthy while it serves", unhealthy_while_it_serves, "unhealthy", SEVERITY_WARNING,
		"health check of container kafka fails", "docker inspect"},
	{"a hint against the expected version", hint_against, "version-hint", SEVERITY_WARNING,
		"suggests version 3.9.0, expected 4.1", NULL},
	{"the tag of an image against the expected version", image_tag_tells, "version-hint", SEVERITY_WARNING,
		"4.1.0, expected 4.2", NULL},
	{"an exact version is no hint", nothing, "version-hint", -1, NULL, NULL},
	{"a further port is missing", further_port_missing, "port-missing", SEVERITY_WARNING, "9093 (controller)", "log"},
	{"a young one may still open it", young_with_a_missing_port, "port-missing", -1, NULL, NULL},
	{"what its kind found is passed on", lags, "lag", SEVERITY_WARNING, "orders-etl is slow", "group orders-etl"},
	{"what was found before it died is not", lagged_before_it_died, "lag", -1, NULL, NULL},
};

static void finding_is_right(void **state)
{
	const struct finding_row *row = *state;
	const struct judged_finding *f = NULL;
	struct world *w = fresh_world();
	struct judged j;

	row->change(w);
	judge(&w->q, &j);
	for (size_t i = 0; i < j.n_findings && !f; i++)
		if (!strcmp(j.findings[i].name, row->finding))
			f = &j.findings[i];
	if (row->severity < 0) {
		assert_null(f);
		return;
	}
	assert_non_null(f);
	assert_int_equal(f->severity, row->severity);
	part_of(f->reason, row->reason);
	part_of(f->remedy, row->remedy);
	if (row->severity == SEVERITY_BLOCKING)
		assert_int_equal(j.findings[0].severity, SEVERITY_BLOCKING); /* the worst stand first */
}

static void a_blocking_finding_keeps_its_place_when_there_are_too_many(void **state)
{
	struct world *w = fresh_world();
	struct judged j;

	(void)state;
	for (size_t i = 0; i < 14; i++)
		w->found[i] = (struct finding){i == 13 ? "offline" : "small", i == 13 ? SEVERITY_BLOCKING : SEVERITY_INFO, "r", NULL};
	w->depth.n_findings = 14;
	program_replaced(w);
	judge(&w->q, &j);
	assert_int_equal(j.n_findings, JUDGED_FINDINGS_MAX);
	assert_string_equal(j.findings[0].name, "offline");
	assert_string_equal(j.findings[1].name, "program-replaced");
	assert_string_equal(j.findings[JUDGED_FINDINGS_MAX - 1].name, "small");
	assert_int_equal(j.findings[0].severity, SEVERITY_BLOCKING);
}

static void a_warning_does_not_block(void **state)
{
	struct world *w = fresh_world();
	struct judged j;

	(void)state;
	lags(w);
	judge(&w->q, &j);
	assert_int_equal(j.n_findings, 1);
	assert_int_not_equal(j.findings[0].severity, SEVERITY_BLOCKING);
}

static void foreign_words_are_clean_and_cut_at_a_character(void **state)
{
	static char says[400];
	struct world *w = fresh_world();
	struct judged j;

	(void)state;
	text_copy(says, sizeof says, text_of("\x1b[31mred\x1b]52;c;aGk=\a"));
	for (size_t i = strlen(says); i + 3 < sizeof says; i += 2)
		memcpy(says + i, "é", 2);
	ssh_answers(w);
	w->pulse.who.says = says;
	judge(&w->q, &j);
	assert_int_equal(j.verdict, VERDICT_IMPOSTOR);
	assert_true(text_is_clean(text_of(j.reason)));
	assert_true(j.says[0] && text_is_clean(text_of(j.says)));
	assert_true(text_is_clean(text_of(j.links[LINK_IDENTITY].value)));
}

static void the_owner_is_who_holds_the_port_else_who_runs(void **state)
{
	struct world *w = fresh_world();
	struct judged j;

	(void)state;
	dead_pid_port_taken(w);
	judge(&w->q, &j);
	assert_int_equal(j.owner.pid, OTHER);
	w = fresh_world();
	closed(w);
	judge(&w->q, &j);
	assert_int_equal(j.owner.pid, BROKER);
	assert_int_equal(j.owner.rss, 204472320);
	w = fresh_world();
	behind_proxy(w);
	judge(&w->q, &j);
	assert_int_equal(j.owner.pid, 0); /* a signal to docker-proxy would stop nothing */
	assert_string_equal(j.owner.container, "kafka");
}

static void who_answers_outlives_the_snapshots(void **state)
{
	struct world *w = fresh_world();
	struct judged j;

	(void)state;
	range_around(w);
	judge(&w->q, &j);
	assert_ptr_equal(j.answers, &kafka);
	assert_string_equal(j.version, "4.0");
	assert_string_equal(j.version_to, "4.3");
	assert_int_equal(j.sure, SURE_RANGE);
	assert_string_equal(j.version_source, "metadata.version");
	assert_int_equal(j.seen, NOW - 500);
	w = fresh_world();
	closed(w);
	judge(&w->q, &j);
	assert_null(j.answers);
	assert_string_equal(j.version, "");
}

static void a_rival_has_lost_when_it_ended(void **state)
{
	struct process lives = {.pid = 4200, .state = 'S', .name = "java"};
	struct facts with = {.processes = &lives, .n_processes = 1}, without = {0};
	struct rival soon = {.pid = 4200, .started = WALL - 12000, .seen = WALL}, none = {0};

	(void)state;
	assert_true(rival_has_lost(&without, &soon));
	assert_false(rival_has_lost(&with, &soon)); /* its configuration may have told it another port */
	assert_false(rival_has_lost(&without, &none));
}

static void a_rival_for_the_port_is_named_beside_the_culprit(void **state)
{
	struct world *w = fresh_world();
	struct judged j;

	(void)state;
	with_worker(w);
	dead_pid_port_taken(w);
	judge(&w->q, &j);
	assert_int_equal(j.verdict, VERDICT_BLOCKED);
	assert_string_equal(j.reason, "9092 is held by nc (pid 4121); spark-worker-40 wants it too");
	w->ports[1] = (struct expected_port){"controller", 7078}; /* a conflict on a further port is no reason for this one */
	w->services[0].n_ports = 2;
	w->other_ports[1].port = 9099;
	judge(&w->q, &j);
	assert_string_equal(j.reason, "9092 is held by nc (pid 4121)");
}

static void the_owner_of_a_wrong_version_is_named_by_its_service(void **state)
{
	struct world *w = fresh_world();
	struct judged j;

	(void)state;
	old_version(w);
	w->other_ports[0] = (struct expected_port){NULL, 9092};
	w->services[1] = (struct expectation){.name = "kafka-40", .kind = &kafka, .address = "127.0.0.1", .ports = w->other_ports,
		.n_ports = 1,
		.version = "4.0"};
	w->profile.n_services = 2;
	gone(w);
	w->listeners[0].pid = OTHER;
	judge(&w->q, &j);
	assert_int_equal(j.verdict, VERDICT_WRONG_VERSION);
	assert_non_null(strstr(j.reason, "kafka-40 (nc, pid 4121)"));
	assert_non_null(strstr(j.remedy, "that is kafka-40"));
}

static void every_verdict_and_link_has_its_words(void **state)
{
	(void)state;
	for (int v = 0; v < VERDICT_COUNT; v++) {
		assert_null(strchr(verdict_key((enum verdict)v), ' '));
		assert_int_equal(text_columns(text_of(verdict_glyph((enum verdict)v, false))), 1);
		assert_int_equal(strlen(verdict_glyph((enum verdict)v, true)), 1);
		assert_true(verdict_word((enum verdict)v)[0] > 0);
	}
	assert_string_equal(verdict_key(VERDICT_WRONG_VERSION), "wrong-version");
	assert_string_equal(link_word(LINK_HEALTHY), "healthy");
	assert_string_equal(link_state_word(LINK_NA), "n/a");
	assert_string_equal(verdict_word(VERDICT_COUNT), "?");
}

/* ---- hysteresis: what is judged, probe by probe, and what is shown ---- */

struct sequence {
	const char *name;
	const char *judged, *shown; /* "+" serving, "!" sick, "m" mute, "?" unknown, "o" stopped (definite),
		"=" the same probe judged again */
};

static const struct sequence sequences[] = {
	{"the first verdict counts at once", "+", "+"},
	{"the first verdict counts at once, also a bad one", "!", "!"},
	{"one bad probe is noise", "++!++", "+++++"},
	{"two bad probes are noise", "++!!++", "++++++"},
	{"three bad probes in a row are news", "++!!!", "++++!"},
	{"a good one between starts the count anew", "+!!+!!+!!!", "+++++++++!"},
	{"one probe counts once, however often it is judged", "+!======!!", "++++++++ !"},
	{"one good probe is not enough", "!+!+!", "!!!!!"},
	{"two good probes make good", "!++", "!!+"},
	{"a definite fact counts at once", "++o", "++o"},
	{"and two good probes make good again", "o++", "oo+"},
	{"unknown gives way at once", "?+", "?+"},
	{"unknown gives way at once, also to bad", "?!", "?!"},
	{"from bad to another bad after three", "!mmm", "!!!m"},
	{"three that do not agree on which bad are bad all the same", "+m!!", "+++!"},
	{"from bad to a definite one at once", "!o", "!o"},
};

static enum verdict by_letter(char c)
{
	return c == '+' ? VERDICT_SERVING : c == '!' ? VERDICT_SICK : c == 'm' ? VERDICT_MUTE :
		c == '?' ? VERDICT_UNKNOWN : VERDICT_STOPPED;
}

static void sequence_is_right(void **state)
{
	const struct sequence *q = *state;
	struct steady s = {0};
	char last = '+';
	uint64_t generation = 0;

	for (size_t i = 0; q->judged[i]; i++) {
		enum verdict before = s.shown.verdict;
		bool begun = s.begun, changed;
		struct judged j = {0};

		if (q->judged[i] != '=') {
			last = q->judged[i];
			generation++;
		}
		j.verdict = by_letter(last);
		j.definite = last == 'o';
		changed = steady_take(&s, &j, generation, WALL + (int64_t)i);
		if (q->shown[i] != ' ' && s.shown.verdict != by_letter(q->shown[i]))
			fail_msg("step %zu shows %s", i, verdict_word(s.shown.verdict));
		assert_int_equal(changed, !begun || s.shown.verdict != before);
		if (changed)
			assert_true(s.since_wall == WALL + (int64_t)i);
	}
}

static void while_a_verdict_is_held_its_evidence_is_not(void **state)
{
	struct steady s = {0};
	struct judged good = {.verdict = VERDICT_SERVING}, bad = {.verdict = VERDICT_SICK, .reason = "no leader",
		.remedy = "restart it", .seen = 7};

	(void)state;
	bad.links[LINK_HEALTHY].state = LINK_BAD;
	steady_take(&s, &good, 1, WALL);
	assert_false(steady_take(&s, &bad, 2, WALL + 1));
	assert_int_equal(s.shown.verdict, VERDICT_SERVING);
	assert_string_equal(s.shown.reason, "");
	assert_string_equal(s.shown.remedy, "");
	assert_int_equal(s.shown.links[LINK_HEALTHY].state, LINK_BAD);
	assert_int_equal(s.shown.seen, 7);
	assert_true(s.since_wall == WALL);
}

/* ---- main ---- */

#define TABLE_MAX 400

int main(void)
{
	static struct CMUnitTest tests[TABLE_MAX];
	const struct CMUnitTest others[] = {
		cmocka_unit_test(a_blocking_finding_keeps_its_place_when_there_are_too_many),
		cmocka_unit_test(a_warning_does_not_block),
		cmocka_unit_test(foreign_words_are_clean_and_cut_at_a_character),
		cmocka_unit_test(the_owner_is_who_holds_the_port_else_who_runs),
		cmocka_unit_test(who_answers_outlives_the_snapshots),
		cmocka_unit_test(a_rival_has_lost_when_it_ended),
		cmocka_unit_test(a_rival_for_the_port_is_named_beside_the_culprit),
		cmocka_unit_test(the_owner_of_a_wrong_version_is_named_by_its_service),
		cmocka_unit_test(every_verdict_and_link_has_its_words),
		cmocka_unit_test(while_a_verdict_is_held_its_evidence_is_not),
	};
	size_t n = 0;

#define ADD(table, function) \
	for (size_t i = 0; i < sizeof table / sizeof *table && n < TABLE_MAX; i++) \
		tests[n++] = (struct CMUnitTest){table[i].name, function, NULL, NULL, (void *)(uintptr_t)&table[i]}
	setlocale(LC_CTYPE, "C.UTF-8");
	ADD(verdicts, verdict_is_right);
	ADD(links, link_is_right);
	ADD(findings, finding_is_right);
	ADD(sequences, sequence_is_right);
	for (size_t i = 0; i < sizeof others / sizeof *others && n < TABLE_MAX; i++)
		tests[n++] = others[i];
	return _cmocka_run_group_tests("judge", tests, n, NULL, NULL);
}
