// SPDX-License-Identifier: MIT
/* See fixture_lake.h. One table of rows per lake; what a row leaves out is unknown. */
#include "fixture_lake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "tables.h"

enum { SERVICES_MAX = 48, PORTS_MAX = 64, EVENTS_MAX = 24, SNAPSHOTS_MAX = SERVICES_MAX * 2 + 8, STREAMS_MAX = 5, HISTORIES_MAX = 4,
	CATALOGS_MAX = 3 };

const char *const fixture_names[FIXTURE_COUNT] = {"pocket", "trouble", "starting", "nothing", "many", "hostile", "tables", "deep"};

struct fixture {
	struct lake lake;
	struct profile profile;
	struct service *at[SERVICES_MAX];
	struct service services[SERVICES_MAX];
	struct expectation expected[SERVICES_MAX];
	const char *needs[2];
	struct history histories[SERVICES_MAX][HISTORIES_MAX];
	struct snapshot *snapshots[SNAPSHOTS_MAX];
	size_t n_snapshots;
	struct port_row ports[PORTS_MAX];
	struct listener listeners[PORTS_MAX];
	struct event events[EVENTS_MAX];
	struct process processes[2];
	struct container containers[2];
	struct disk disks[2];
	struct facts facts, docker;
	struct history load, memory;
	char names[SERVICES_MAX][256];
	struct stream streams[STREAMS_MAX];
	struct stream_view stream_views[STREAMS_MAX];
	struct catalog catalogs[CATALOGS_MAX];
	struct catalog_view catalog_views[CATALOGS_MAX];
	struct lake_table *tables;
};

/* ---- kinds, as the fixtures see them ---- */

static const struct service_kind fix_postgres = {
	.name = "postgres", .title = "PostgreSQL", .group = "storage",
	.figures = (const struct figure_spec[]){
		{"tables", "tables", UNIT_COUNT, FIGURE_ROW, "tables of the Iceberg catalog"},
		{"connections", "conns", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "client sessions of all databases"},
		{"database_size", "", UNIT_BYTES, FIGURE_ROW, "size on disk"},
		{"longest_transaction", "longest transaction", UNIT_MS, 0, "age of the oldest open transaction of another client"},
		{"role", "", UNIT_NONE, 0, "primary or standby"},
		{0}},
};
static const struct service_kind fix_seaweedfs = {
	.name = "seaweedfs", .title = "SeaweedFS", .group = "storage",
	.figures = (const struct figure_spec[]){
		{"free", "free", UNIT_BYTES, FIGURE_ROW | FIGURE_HISTORY, "room left on the volume servers"},
		{"buckets", "buckets", UNIT_COUNT, FIGURE_ROW, "buckets of the S3 gateway"},
		{0}},
};
static const struct service_kind fix_kafka = {
	.name = "kafka", .title = "Kafka broker", .group = "streams",
	.figures = (const struct figure_spec[]){
		{"lag", "lag", UNIT_RECORDS, FIGURE_ROW | FIGURE_HISTORY, "records that the groups are behind, all together"},
		{"topics", "topics", UNIT_COUNT, FIGURE_ROW, "topics, internal ones not counted"},
		{"under_replicated", "under-replicated", UNIT_COUNT, 0, "partitions with fewer replicas in sync than they should have"},
		{"cluster_id", "cluster", UNIT_NONE, 0, "the cluster's own name"},
		{0}},
	.tables = (const struct table_spec[]){
		{"groups", "consumer groups", (const struct column_spec[]){
			{"group", VALUE_TEXT, UNIT_NONE, 0, ""}, {"state", VALUE_TEXT, UNIT_NONE, 0, ""}, {"members", VALUE_INT,
				UNIT_COUNT, 2, ""},
			{"topics", VALUE_TEXT, UNIT_NONE, 3, ""}, {"lag", VALUE_INT, UNIT_RECORDS, 1, ""}, {"last_commit", VALUE_INT,
				UNIT_TIME, 4, ""}, {0}}},
		{"topics", "topics", (const struct column_spec[]){
			{"topic", VALUE_TEXT, UNIT_NONE, 0, ""}, {"partitions", VALUE_INT, UNIT_COUNT, 1, ""}, {"records", VALUE_INT,
				UNIT_RECORDS, 1, ""}, {0}}},
		{0}},
};
static const struct service_kind fix_master = {
	.name = "spark-master", .title = "Spark master", .group = "compute",
	.figures = (const struct figure_spec[]){
		{"workers", "workers", UNIT_COUNT, FIGURE_ROW, "workers that are alive"},
		{"applications", "apps", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "applications that run"},
		{"cores_free", "cores free", UNIT_COUNT, FIGURE_ROW, "cores that no application holds"},
		{0}},
};
static const struct service_kind fix_worker = {
	.name = "spark-worker", .title = "Spark worker", .group = "compute",
	.figures = (const struct figure_spec[]){
		{"executors", "executors", UNIT_COUNT, FIGURE_ROW, "executors that run here"}, {"memory_free", "free", UNIT_BYTES,
			FIGURE_ROW, "memory not given away"}, {0}},
};
static const struct service_kind fix_connect = {
	.name = "spark-connect", .title = "Spark Connect", .group = "compute",
	.figures = (const struct figure_spec[]){{"sessions", "sessions", UNIT_COUNT, FIGURE_ROW, "open sessions"}, {0}},
};
static const struct service_kind fix_history = {
	.name = "spark-history", .title = "Spark history server", .group = "runs",
	.figures = (const struct figure_spec[]){
		{"applications", "finished", UNIT_COUNT, FIGURE_ROW, "applications that it lists"},
		{"newest", "newest", UNIT_TIME, FIGURE_ROW, "when the newest ended"},
		{0}},
};
static const struct service_kind fix_catalog = {
	.name = "unity-catalog", .title = "Unity Catalog", .group = "catalogs",
	.figures = (const struct figure_spec[]){{0}},
};

/* ---- rows ---- */

struct told { /* a figure: an integer, a text, or neither */
	const char *name;
	int64_t i;
	const char *s;
	bool at_least;
	double trend; /* not 0: has a history that grows by it */
};

struct service_row {
	const char *name, *group;
	const struct service_kind *kind;
	uint16_t port;
	bool found, optional;
	enum verdict verdict;
	const char *version, *version_to, *expected;
	enum sure sure;
	const char *process;
	pid_t pid;
	const char *container;
	int64_t rss;
	double cpu;
	const char *reason, *remedy, *progress;
	bool asking, unjudged;
	int64_t pulse_age, depth_age; /* ms; 0: fresh */
	struct told told[9]; /* ends with a name of NULL */
};

static struct snapshot *add_snapshot(struct fixture *f, const struct service_row *r, enum snapshot_part part, int64_t age,
	int64_t interval)
{
	struct snapshot *s = snapshot_new(r->name, part);

	s->ended = FIXTURE_NOW - (age ? age : 900);
	s->begun = s->ended - 3;
	s->wall = FIXTURE_WALL - (age ? age : 900);
	s->interval = interval;
	s->generation = 7;
	f->snapshots[f->n_snapshots++] = s;
	return s;
}

static void add_histories(struct fixture *f, size_t at, const struct service_row *r)
{
	struct service *s = &f->services[at];

	for (const struct told *t = r->told; t->name; t++) {
		struct history *h = &f->histories[at][s->n_histories];
		const struct figure_spec *spec = r->kind->figures;

		while (strcmp(spec->name, t->name) != 0)
			spec++;
		if (!(spec->flags & FIGURE_HISTORY) || s->n_histories == HISTORIES_MAX)
			continue;
		h->spec = spec;
		h->rate = t->trend / 2;
		for (unsigned k = 0; k < 30; k++) /* with a gap, as after a restart */
			h->ring.at[k] = k == 9 ? (double)NAN : (double)t->i - t->trend * (29 - k) + (k % 3 == 1 ? t->trend / 3 : 0);
		h->ring.next = h->ring.used = 30;
		s->histories = f->histories[at];
		s->n_histories++;
	}
}

static void fill_links(struct judged *j, const struct service_row *r)
{
	bool runs = r->pid || r->container, serves = r->verdict == VERDICT_SERVING;

	for (int i = 0; i < LINK_COUNT; i++)
		j->links[i] = (struct link){.state = serves ? LINK_OK : LINK_UNKNOWN, .seen = FIXTURE_NOW - 900, .interval = 2000};
	j->links[LINK_DECLARED].state = r->found ? LINK_NA : LINK_OK;
	snprintf(j->links[LINK_DECLARED].value, LINK_VALUE_SIZE, "%s", r->found ? "found, in no profile" : "profile pocket");
	snprintf(j->links[LINK_DECLARED].source, LINK_VALUE_SIZE, "profile");
	j->links[LINK_RUNNING].state = runs ? LINK_OK : LINK_BAD;
	snprintf(j->links[LINK_RUNNING].value, LINK_VALUE_SIZE, runs ? "%s, pid %d" : "no process of it is seen",
		r->process ? r->process : "runs", (int)r->pid);
	snprintf(j->links[LINK_RUNNING].source, LINK_VALUE_SIZE, "processes");
	snprintf(j->links[LINK_LISTENING].value, LINK_VALUE_SIZE, "127.0.0.1:%u", (unsigned)r->port);
	snprintf(j->links[LINK_LISTENING].source, LINK_VALUE_SIZE, "listening sockets");
	snprintf(j->links[LINK_IDENTITY].value, LINK_VALUE_SIZE, "%s", r->kind ? r->kind->title : "unknown");
	snprintf(j->links[LINK_IDENTITY].source, LINK_VALUE_SIZE, "ApiVersions v3, 2 ms");
	snprintf(j->links[LINK_VERSION].value, LINK_VALUE_SIZE, "%s%s%s", r->version ? r->version : "not known",
		r->expected ? ", expected " : "",
		r->expected ? r->expected : "");
	j->links[LINK_VERSION].state = r->verdict == VERDICT_WRONG_VERSION ? LINK_BAD : j->links[LINK_VERSION].state;
	j->links[LINK_FRESH].state = LINK_NA;
	snprintf(j->links[LINK_FRESH].value, LINK_VALUE_SIZE, "no file is named that it depends on");
	snprintf(j->links[LINK_HEALTHY].value, LINK_VALUE_SIZE, "%s",
		serves ? "every partition has a leader and its replicas in sync" : "cannot be asked");
}

static void fill_judged(struct service *s, const struct service_row *r)
{
	struct judged *j = &s->verdict.shown;

	s->verdict.begun = !r->unjudged;
	s->verdict.since_wall = FIXTURE_WALL - 18 * 60000;
	j->verdict = r->verdict;
	j->sure = r->version ? r->sure ? r->sure : SURE_EXACT : SURE_UNKNOWN;
	snprintf(j->version, sizeof j->version, "%s", r->version ? r->version : "");
	snprintf(j->version_to, sizeof j->version_to, "%s", r->version_to ? r->version_to : "");
	snprintf(j->reason, sizeof j->reason, "%s", r->reason ? r->reason : "");
	snprintf(j->remedy, sizeof j->remedy, "%s", r->remedy ? r->remedy : "");
	j->owner = (struct owner){.pid = r->pid, .rss = r->rss, .cpu = r->pid ? r->cpu : (double)NAN, .state = 'S',
		.started = r->pid ? FIXTURE_WALL - 41 * INT64_C(86400000) : 0};
	snprintf(j->owner.process, sizeof j->owner.process, "%s", r->process ? r->process : "");
	snprintf(j->owner.container, sizeof j->owner.container, "%s", r->container ? r->container : "");
	fill_links(j, r);
	j->seen = s->pulse ? s->pulse->ended : 0;
}

static struct service *add_service(struct fixture *f, const struct service_row *r)
{
	size_t at = f->lake.n_services++;
	struct service *s = f->at[at] = &f->services[at];
	struct expectation *e = &f->expected[at];
	struct snapshot *pulse, *depth;

	*s = (struct service){.name = r->name, .group = r->group ? r->group : r->kind ? r->kind->group : NULL, .kind = r->kind,
		.required = !r->optional && !r->found, .asking = r->asking};
	s->at.port = r->port;
	snprintf(s->at.address, sizeof s->at.address, "127.0.0.1");
	*e = (struct expectation){.name = r->name, .kind = r->kind, .group = s->group, .version = r->expected,
		.version_from = ".env of the checkout", .required = s->required};
	s->expected = r->found ? NULL : e;
	if (!r->unjudged) {
		s->pulse = pulse = add_snapshot(f, r, PART_PULSE, r->pulse_age, 2000);
		pulse->files.progress = r->progress;
	}
	if (r->told[0].name) {
		s->depth = depth = add_snapshot(f, r, PART_DEPTH, r->depth_age, 10000);
		for (const struct told *t = r->told; t->name; t++) {
			struct value v = t->s ? value_text(t->s) : value_int(t->i);

			v.at_least = t->at_least;
			snapshot_figure(depth, r->kind->figures, t->name, v);
		}
		add_histories(f, at, r);
	}
	fill_judged(s, r);
	f->lake.n_required += s->required;
	f->lake.n_serving += r->verdict == VERDICT_SERVING && !r->unjudged;
	return s;
}

static struct judged_finding *add_finding(struct service *s, const char *name, enum severity severity, const char *reason,
	const char *remedy)
{
	struct judged *j = &s->verdict.shown;
	struct judged_finding *finding = &j->findings[j->n_findings++];

	finding->severity = severity;
	snprintf(finding->name, sizeof finding->name, "%s", name);
	snprintf(finding->reason, sizeof finding->reason, "%s", reason);
	snprintf(finding->remedy, sizeof finding->remedy, "%s", remedy);
	return finding;
}

static void add_problem(struct fixture *f, const struct service *s, const struct judged_finding *finding)
{
	f->lake.problems[f->lake.n_problems++] = (struct problem){s, finding};
}

static void add_event(struct fixture *f, int64_t seconds_ago, const char *service, enum severity severity, const char *words)
{
	struct event *e = &f->events[f->lake.n_events++];

	*e = (struct event){.number = 100 + f->lake.n_events, .wall = FIXTURE_WALL - seconds_ago * 1000, .severity = severity};
	snprintf(e->service, sizeof e->service, "%s", service);
	snprintf(e->words, sizeof e->words, "%s", words);
}

static struct port_row *add_port(struct fixture *f, uint16_t port, const char *address, const char *expected, const char *role,
	const char *answers, const char *words, bool listens)
{
	size_t at = f->lake.n_ports++;
	struct port_row *p = &f->ports[at];
	const struct service *a = answers ? lake_service(&f->lake, answers) : NULL;

	*p = (struct port_row){.port = port, .expected_role = role, .answers = a, .asked = words[0] && strcmp(words, "not asked") != 0};
	if (a) {
		p->kind = a->verdict.shown.answers ? a->verdict.shown.answers : a->kind;
		text_copy(p->version, sizeof p->version, text_of(a->verdict.shown.version));
	}
	snprintf(p->address, sizeof p->address, "%s", address);
	snprintf(p->words, sizeof p->words, "%s", words);
	p->expected[0] = expected ? lake_service(&f->lake, expected) : NULL;
	if (listens) {
		p->listener = &f->listeners[at];
		f->listeners[at] = (struct listener){.port = port};
	}
	if (a)
		p->owner = a->verdict.shown.owner;
	return p;
}

/* ---- the machine ---- */

static void add_machine(struct fixture *f)
{
	static const double gib = 1024.0 * 1024 * 1024;

	f->disks[0] = (struct disk){.path = "/", .total = (int64_t)(228 * gib), .free = (int64_t)(41 * gib),
		.inodes_free = 9000000};
	f->disks[1] = (struct disk){.path = "/srv/lake", .total = (int64_t)(900 * gib), .free = (int64_t)(72 * gib),
		.inodes_free = -1};
	f->processes[0] = (struct process){.pid = 921, .name = "java", .hint = "kafka.Kafka /etc/kafka/server.properties",
		.state = 'S'};
	f->processes[1] = (struct process){.pid = 1187, .name = "java",
		.hint = "org.apache.spark.sql.connect.service.SparkConnectServer --conf spark.jars=****", .state = 'S'};
	f->containers[0] = (struct container){.id = "0123456789ab", .name = "spark-worker-40", .image = "apache/spark:4.0.1",
		.state = "running", .status = "Up 5 minutes",
		.restarts = 3, .exit_code = -1, .ports = "127.0.0.1:8081->8081"};
	f->facts = (struct facts){.hostname = "atlas", .disks = f->disks, .n_disks = 2, .processes = f->processes,
		.n_processes = 2, .processes_whole = true};
	f->facts.box = (struct box){.memory_total = (int64_t)(64 * gib), .memory_available = (int64_t)(55 * gib),
		.swap_total = (int64_t)(8 * gib), .swap_free = (int64_t)(7.5 * gib),
		.load1 = 1.4, .load5 = 1.1, .load15 = 0.9, .cores = 8, .oom_kills = 0, .uptime = 41 * INT64_C(86400000)};
	f->docker = (struct facts){.docker = DOCKER_OK, .docker_words = "28.0", .containers = f->containers, .n_containers = 1};
	for (unsigned k = 0; k < 40; k++) {
		f->load.ring.at[k] = 1.0 + (k % 7) * 0.1;
		f->memory.ring.at[k] = (55 + k % 3) * gib;
	}
	f->load.ring.next = f->load.ring.used = f->memory.ring.next = f->memory.ring.used = 40;
	f->load.rate = f->memory.rate = (double)NAN;
	f->lake.facts = &f->facts;
	f->lake.docker = &f->docker;
	f->lake.facts_seen = f->lake.docker_seen = FIXTURE_NOW - 900;
	f->lake.load = &f->load;
	f->lake.memory = &f->memory;
}

/* ---- the lakes ---- */

static const struct service_row pocket[] = {
	{.name = "postgres", .kind = &fix_postgres, .port = 5432, .verdict = VERDICT_SERVING, .version = "15.18", .expected = "15",
		.process = "postgres", .pid = 812,
		.rss = 29 << 20, .cpu = 0.004, .told = {{"tables", 18, .trend = 0}, {"connections", 3, .trend = 0.05},
			{"database_size", .i = 812 << 20}, {"longest_transaction", .i = 0}, {"role", .s = "primary"}}},
	{.name = "seaweedfs", .kind = &fix_seaweedfs, .port = 8333, .verdict = VERDICT_SERVING, .version = "4.48",
		.process = "weed", .pid = 903, .rss = 120 << 20, .cpu = 0.01,
		.told = {{"free", INT64_C(44023414784), .trend = -50000000}, {"buckets", .i = 2}}},
	{.name = "kafka", .kind = &fix_kafka, .port = 9092, .verdict = VERDICT_SERVING, .version = "4.1", .version_to = "4.2",
		.sure = SURE_RANGE, .expected = "4.1", .process = "java", .pid = 921,
		.container = "kafka", .rss = 204472320, .cpu = 0.021, .told = {{"lag", 12401, .trend = 620}, {"topics", .i = 4},
			{"under_replicated", .i = 0}, {"cluster_id", .s = "5L6g3nShT-eMCtK--X86sw"}}},
	{.name = "spark-master-41", .kind = &fix_master, .port = 7078, .verdict = VERDICT_SERVING, .version = "4.1.1",
		.expected = "4.1", .process = "java", .pid = 1004, .rss = 312 << 20,
		.cpu = 0.002, .told = {{"workers", .i = 1}, {"applications", 2, .trend = 0.04}, {"cores_free", .i = 2}}},
	{.name = "spark-worker-41", .kind = &fix_worker, .port = 8084, .verdict = VERDICT_SERVING, .version = "4.1.1",
		.process = "java", .pid = 1060, .rss = 290 << 20, .cpu = 1.37,
		.told = {{"executors", .i = 2}, {"memory_free", .i = 512 << 20}}},
	{.name = "spark-connect", .kind = &fix_connect, .port = 15002, .verdict = VERDICT_SERVING, .version = "4.1.1",
		.expected = "4.1", .process = "java", .pid = 1187, .rss = 640 << 20, .cpu = 0.11,
		.told = {{"sessions", .i = 1}}},
	{.name = "spark-history", .kind = &fix_history, .port = 18080, .verdict = VERDICT_SERVING, .version = "4.1.1",
		.process = "java", .pid = 1300, .rss = 201 << 20, .cpu = 0,
		.told = {{"applications", .i = 6}, {"newest", .i = FIXTURE_WALL - 240000}}},
	{.name = "found:8888", .kind = &fix_seaweedfs, .port = 8888, .found = true, .verdict = VERDICT_SERVING, .version = "4.48",
		.process = "weed", .pid = 903, .rss = 120 << 20, .cpu = 0.01},
};

/* The snapshot to build on; the service holds it as one that does not change. */
static struct snapshot *depth_of(struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->n_snapshots; i++)
		if (f->snapshots[i] == fixture_service(f, name)->depth)
			return f->snapshots[i];
	abort();
}

static void fill_tables(struct fixture *f)
{
	static const struct {
		const char *group, *state, *topics;
		int64_t members, lag, ago;
		bool at_least;
	} groups[] = {{"orders-etl", "slow", "orders", 3, 12401, 1, false}, {"audit", "stopped", "orders", 0, 88120, 10800, false},
		{"spark: medallion", "ok", "orders", -1, 310, 2, false}, {"replay", "unknown", "orders, couriers, kitchens", 0, 120,
			-1, true}};
	struct snapshot *depth = depth_of(f, "kafka");
	struct table *t;

	t = snapshot_table(depth, fix_kafka.tables, "groups");
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		struct value *row = table_row(depth, t), lag = value_int(groups[i].lag);

		lag.at_least = groups[i].at_least;
		table_set(depth, t, row, "group", value_text(groups[i].group));
		table_set(depth, t, row, "state", value_text(groups[i].state));
		table_set(depth, t, row, "topics", value_text(groups[i].topics));
		table_set(depth, t, row, "lag", lag);
		if (groups[i].members >= 0)
			table_set(depth, t, row, "members", value_int(groups[i].members));
		if (groups[i].ago >= 0)
			table_set(depth, t, row, "last_commit", value_int(FIXTURE_WALL - groups[i].ago * 1000));
	}
	t = snapshot_table(depth, fix_kafka.tables, "topics");
	for (int i = 0; i < 30; i++) {
		struct value *row = table_row(depth, t);
		char name[32];

		snprintf(name, sizeof name, "topic-%02d", i);
		table_set(depth, t, row, "topic", value_text(name));
		table_set(depth, t, row, "partitions", value_int(i % 4 + 1));
		if (i != 7)
			table_set(depth, t, row, "records", value_int(INT64_C(1027129) * (i * 7 % 30)));
	}
	t->left_off = 1200;
}

static void fill_pocket(struct fixture *f)
{
	for (size_t i = 0; i < sizeof pocket / sizeof *pocket; i++)
		add_service(f, &pocket[i]);
	add_machine(f);
	fill_tables(f);
	add_finding(fixture_service(f, "kafka"), "lag", SEVERITY_WARNING,
		"orders-etl is slow: 12,401 behind, 310/s more each second", "start more members, or see what holds it up");
	f->needs[0] = "postgres";
	f->expected[5].needs = f->needs;
	f->lake.n_warnings = 1;
	f->lake.settled = f->lake.ready = true;
	f->lake.ready_since = FIXTURE_WALL - 18 * 60000;
	add_event(f, 2000, "spark-worker-41", SEVERITY_WARNING, "stopped: its process is gone");
	add_event(f, 1986, "spark-worker-41", SEVERITY_INFO, "serving again after 14s");
	add_event(f, 1080, "", SEVERITY_INFO, "ready");
	add_event(f, 33, "kafka", SEVERITY_WARNING, "orders-etl is slow: 12,401 behind, 310/s more each second");
	add_port(f, 5432, "127.0.0.1", "postgres", NULL, "postgres", "PostgreSQL 15.18", true);
	add_port(f, 7078, "127.0.0.1", "spark-master-41", NULL, "spark-master-41", "Spark master 4.1.1", true);
	add_port(f, 8084, "*", "spark-worker-41", NULL, "spark-worker-41", "Spark worker 4.1.1", true);
	add_port(f, 8333, "127.0.0.1", "seaweedfs", NULL, "seaweedfs", "SeaweedFS S3 4.48", true);
	add_port(f, 8888, "127.0.0.1", NULL, NULL, "found:8888", "SeaweedFS filer 4.48", true);
	add_port(f, 9092, "*", "kafka", NULL, "kafka", "Kafka broker 4.1 to 4.2", true);
	add_port(f, 9093, "127.0.0.1", "kafka", "controller", "kafka", "Kafka broker controller", true);
	add_port(f, 9333, "127.0.0.1", "seaweedfs", "master", NULL, "", false);
	add_port(f, 15002, "127.0.0.1", "spark-connect", NULL, "spark-connect", "Spark Connect 4.1.1", true);
	add_port(f, 18080, "127.0.0.1", "spark-history", NULL, "spark-history", "Spark history server 4.1.1", true);
	add_port(f, 22, "::", NULL, NULL, NULL, "unknown: says SSH-2.0-OpenSSH_9.2p1 Debian-2", true);
	add_port(f, 40123, "127.0.0.1", NULL, NULL, NULL, "not asked", true)->owner = (struct owner){.pid = 4242,
		.process = "chrome", .probable = true};
}

static const struct service_row trouble[] = {
	{.name = "postgres", .kind = &fix_postgres, .port = 5432, .verdict = VERDICT_SERVING, .version = "15.18", .expected = "15",
		.process = "postgres", .pid = 812, .rss = 29 << 20, .cpu = 0.004,
		.depth_age = 42000, .told = {{"tables", .i = 18}, {"connections", 97, .trend = 1}}},
	{.name = "seaweedfs", .kind = &fix_seaweedfs, .port = 8333, .verdict = VERDICT_SERVING, .version = "4.48",
		.process = "weed", .pid = 903, .rss = 120 << 20, .cpu = 0.01, .pulse_age = 9500,
		.told = {{"free", .i = INT64_C(44023414784)}, {"buckets", .i = 2}}},
	{.name = "unity-catalog", .kind = &fix_catalog, .port = 8081, .verdict = VERDICT_BLOCKED, .expected = "0.5",
		.reason = "8081 is held by spark-worker-40 (java, pid 4121)",
		.remedy = "stop spark-worker-40, or move unity-catalog's port", .container = "spark-worker-40", .process = "java",
			.pid = 4121, .rss = 310 << 20, .cpu = 0.01},
	{.name = "kafka", .kind = &fix_kafka, .port = 9092, .verdict = VERDICT_SERVING, .version = "4.1", .sure = SURE_RANGE,
		.expected = "4.1", .container = "kafka", .cpu = 0,
		.told = {{"lag", 120, .at_least = true}, {"topics", .i = 4}}},
	{.name = "spark-master-41", .kind = &fix_master, .port = 7078, .verdict = VERDICT_SERVING, .version = "4.1.1",
		.expected = "4.1", .process = "java", .pid = 1004, .rss = 312 << 20, .cpu = 0.002,
		.told = {{"workers", .i = 1}, {"applications", .i = 2}}},
	{.name = "spark-worker-40", .kind = &fix_worker, .port = 8081, .optional = true, .verdict = VERDICT_SERVING,
		.version = "4.0.1", .sure = SURE_HINT, .expected = "4.0", .container = "spark-worker-40",
		.process = "java", .pid = 4121, .rss = 310 << 20, .cpu = 0.01},
	{.name = "spark-connect", .kind = &fix_connect, .port = 15002, .verdict = VERDICT_WRONG_VERSION, .version = "4.0.1",
		.expected = "4.2", .process = "java", .pid = 1187, .rss = 640 << 20, .cpu = 0.11,
		.reason = "15002 answers 4.0.1, expected 4.2: its process started 41d ago, before its JARs", .remedy = "restart it",
			.told = {{"sessions", .i = 1}}},
	{.name = "spark-history", .kind = &fix_history, .port = 18080, .verdict = VERDICT_MUTE, .expected = "4.1",
		.process = "java", .pid = 1300, .rss = 201 << 20, .cpu = 0,
		.reason = "accepts connections on 18080 and says nothing", .remedy = "look at its log; restart it"},
	{.name = "zookeeper", .kind = NULL, .group = "streams", .port = 2181, .optional = true, .verdict = VERDICT_ABSENT,
		.reason = "nothing of it exists here"},
	{.name = "nessie", .kind = NULL, .group = "catalogs", .port = 19120, .optional = true, .verdict = VERDICT_SICK,
		.process = "java", .pid = 77, .cpu = (double)NAN, .reason = "answers 500", .remedy = "look at its log"},
};

static void fill_trouble(struct fixture *f)
{
	struct port_row *p;

	for (size_t i = 0; i < sizeof trouble / sizeof *trouble; i++)
		add_service(f, &trouble[i]);
	add_machine(f);
	f->facts.box.memory_available = f->facts.box.memory_total / 30;
	f->facts.box.oom_kills = 2;
	f->facts.processes_whole = false;
	f->docker.docker = DOCKER_DENIED;
	f->docker.n_containers = 0;
	f->lake.settled = true;
	add_problem(f, fixture_service(f, "unity-catalog"), NULL);
	add_problem(f, fixture_service(f, "spark-connect"), NULL);
	fixture_service(f, "spark-history")->cause = fixture_service(f, "spark-connect");
	add_problem(f, fixture_service(f, "spark-history"), NULL);
	add_problem(f, fixture_service(f, "kafka"),
		add_finding(fixture_service(f, "kafka"), "stale", SEVERITY_BLOCKING,
			"started 41d ago; server.properties changed 2h ago", "restart it"));
	add_problem(f, fixture_service(f, "postgres"),
		add_finding(fixture_service(f, "postgres"), "connections", SEVERITY_BLOCKING, "97 of 100 connections are in use",
			"raise max_connections, or see who holds them"));
	add_finding(fixture_service(f, "spark-worker-40"), "port-wanted", SEVERITY_WARNING, "unity-catalog also wants 8081",
		"move the port of one of them");
	f->lake.machine[f->lake.n_machine++] = (struct judged_finding){.name = "memory", .severity = SEVERITY_WARNING,
		.reason = "memory is nearly full: 2.1 GiB of 64 GiB left", .remedy = "stop what is not needed; java (pid 4121) holds the most, 31 GiB"};
	f->lake.n_warnings = 2;
	f->lake.n_absent = 1;
	add_event(f, 100000, "spark-connect", SEVERITY_INFO, "version 4.0.1 where 4.1.1 was");
	add_event(f, 240, "unity-catalog", SEVERITY_BLOCKING, "blocked: 8081 is held by spark-worker-40 (java, pid 4121)");
	add_event(f, 14, "spark-history", SEVERITY_BLOCKING, "mute: accepts connections on 18080 and says nothing");
	add_port(f, 2181, "127.0.0.1", "zookeeper", NULL, NULL, "", false);
	add_port(f, 5432, "127.0.0.1", "postgres", NULL, "postgres", "PostgreSQL 15.18", true);
	p = add_port(f, 8081, "*", "unity-catalog", NULL, "spark-worker-40", "Spark worker 4.0.1", true);
	p->expected[1] = fixture_service(f, "spark-worker-40");
	p->conflict = true;
	add_port(f, 15002, "*", "spark-connect", NULL, "spark-connect", "Spark Connect 4.0.1", true);
	add_port(f, 18080, "127.0.0.1", "spark-history", NULL, NULL, "says nothing", true)->owner = fixture_service(f,
		"spark-history")->verdict.shown.owner;
	add_port(f, 7077, "127.0.0.1", NULL, NULL, NULL, "not asked; by its owner a port of Spark master", true)->silent = "rpc";
}

static const struct service_row starting[] = {
	{.name = "postgres", .kind = &fix_postgres, .port = 5432, .verdict = VERDICT_SERVING, .version = "15.18",
		.process = "postgres", .pid = 812, .rss = 29 << 20, .cpu = 0.31, .told = {{"tables", .i = 0}, {"connections", .i = 1}}},
	{.name = "seaweedfs", .kind = &fix_seaweedfs, .port = 8333, .verdict = VERDICT_STARTING, .process = "weed", .pid = 903,
		.rss = 60 << 20, .cpu = (double)NAN,
		.reason = "started 2s ago, does not listen on 8333 yet", .progress = "step 3 of 4: waiting for the S3 gateway, 2.1 s"},
	{.name = "kafka", .kind = &fix_kafka, .port = 9092, .verdict = VERDICT_STARTING, .expected = "4.1",
		.reason = "formatting its storage", .progress = "fetching kafka-server 4.1.1: 48 of 132 MiB, 6 s"},
	{.name = "spark-master-41", .kind = &fix_master, .port = 7078, .verdict = VERDICT_ABSENT, .expected = "4.1",
		.reason = "no process of it is seen, and nobody listens on 7078", .remedy = "tests/lab/lab up"},
	{.name = "spark-connect", .kind = &fix_connect, .port = 15002, .verdict = VERDICT_UNKNOWN, .expected = "4.1",
		.asking = true, .reason = "being asked", .process = "java", .pid = 1187, .rss = 400 << 20, .cpu = 1.9},
	{.name = "spark-history", .kind = &fix_history, .port = 18080, .unjudged = true, .asking = true},
};

static void fill_starting(struct fixture *f)
{
	for (size_t i = 0; i < sizeof starting / sizeof *starting; i++)
		add_service(f, &starting[i]);
	add_machine(f);
	for (size_t i = 1; i < 4; i++)
		add_problem(f, f->at[i], NULL);
	add_event(f, 5, "postgres", SEVERITY_INFO, "serving after 2s");
}

static void fill_many(struct fixture *f)
{
	static const struct service_kind *const kinds[] = {&fix_postgres, &fix_kafka, &fix_master, &fix_worker, &fix_history, NULL};
	static const enum verdict bad[] = {VERDICT_IMPOSTOR, VERDICT_STOPPED, VERDICT_FROZEN, VERDICT_SICK, VERDICT_UNKNOWN};

	for (size_t i = 0; i < 40; i++) {
		const struct service_kind *kind = kinds[i % 6];
		struct service_row r = {.name = f->names[i], .kind = kind, .group = kind ? NULL : "my own",
			.port = (uint16_t)(20000 + i), .verdict = i % 4 ? VERDICT_SERVING : bad[i / 4 % 5],
			.version = i % 5 ? "1.10.2" : NULL, .found = i >= 36, .process = "server", .pid = (pid_t)(30000 + i),
				.rss = (int64_t)(i + 1) << 24, .cpu = (double)i / 20};

		if (r.verdict != VERDICT_SERVING) {
			r.reason = "its process is stopped (state T): server";
			r.remedy = "kill -CONT 30000";
		} else if (kind == &fix_kafka)
			r.told[0] = (struct told){"lag", INT64_C(1027129) * (int64_t)i, .trend = (double)i * 10};
		snprintf(f->names[i], sizeof f->names[i], "%s-%02zu", kind ? kind->name : "own", i);
		add_service(f, &r);
		if (r.verdict != VERDICT_SERVING && !r.found)
			add_problem(f, f->at[i], NULL);
		add_port(f, r.port, "10.0.0.1", r.found ? NULL : r.name, NULL, r.verdict == VERDICT_SERVING ? r.name : NULL,
			r.verdict == VERDICT_SERVING && kind ? kind->title : "says nothing", true);
	}
	add_machine(f);
	f->lake.settled = true;
	for (int i = 0; i < 20; i++)
		add_event(f, (20 - i) * 37, f->names[i * 2], i % 3 ? SEVERITY_INFO : SEVERITY_WARNING,
			i % 3 ? "serving again after 4s" : "frozen: its process is stopped (state T)");
}

static void fill_hostile(struct fixture *f)
{
	static const char *const names[] = {
		"日本語のサービス名はとても長いので切られる", "emoji-😀😀😀-service", "e\xcc\x81\xcc\x81galite\xcc\x81", "%s%n%d %%",
			"[red]x[-] ~{} \\033[31m", "مرحبا", "", "12345678901234567890123456789012345678901234567890",
	};
	struct service *s;

	memset(f->names[0], 'n', 200);
	for (size_t i = 0; i < sizeof names / sizeof *names + 1; i++) {
		struct service_row r = {.kind = &fix_postgres, .port = (uint16_t)(65535 - i),
			.verdict = i % 2 ? VERDICT_SERVING : VERDICT_SICK, .version = i ? "4.2.0-preview5" : "１２３", .expected = "4.1",
			.process = "日本日本日本日本", .pid = 4194304, .rss = INT64_MAX / 2, .cpu = 1024,
				.reason = i % 2 ? "" : "理由はとても長い文字列であり、画面に収まらないので途中で切られるはずです。理由はとても長い文字列であり、切られる",
			.remedy = i % 2 ? "" : "直す", .told = {{"tables", INT64_MAX, .at_least = true}, {"connections", INT64_MIN,
				.trend = 1e300}, {"database_size", .i = INT64_MAX}}};

		r.name = i < sizeof names / sizeof *names ? names[i] : f->names[0];
		s = add_service(f, &r);
		if (!(i % 2))
			add_problem(f, s, NULL);
		add_event(f, (int64_t)i * 1000000, r.name, (enum severity)(i % 3),
			"%s%n [red] 日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語");
		add_port(f, r.port, "2001:0db8:85a3:0000:0000:8a2e:0370:7334", r.name, "コントローラ", r.name,
			"unknown: says 😀😀😀 %s 日本語日本語日本語日本語日本語", i != 3);
	}
	add_finding(f->at[0], "日本語", SEVERITY_BLOCKING, "日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語", "x");
	add_machine(f);
	snprintf(f->disks[1].path, sizeof f->disks[1].path, "/srv/日本語");
	f->disks[1].total = f->disks[1].free = 0;
	f->lake.settled = true;
}

/* ---- the deep one: rows as text, a cell for each column; empty is unknown, times are seconds ago, >n is at least n ---- */

static const struct service_kind deep_kafka = {
	.name = "kafka", .title = "Kafka broker", .group = "streams",
	.figures = (const struct figure_spec[]){
		{"lag", "lag", UNIT_RECORDS, FIGURE_ROW | FIGURE_HISTORY, "records that the groups are behind, all together"},
		{"cluster_id", "cluster", UNIT_NONE, 0, "the cluster's own name"},
		{0}},
	.tables = (const struct table_spec[]){
		{"groups", "consumer groups", (const struct column_spec[]){
			{"group", VALUE_TEXT, UNIT_NONE, 0, ""}, {"type", VALUE_TEXT, UNIT_NONE, 0, ""}, {"state", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"lag_state", VALUE_TEXT, UNIT_NONE, 0, ""}, {"members", VALUE_INT, UNIT_COUNT, 0, ""},
			{"topics", VALUE_TEXT, UNIT_NONE, 0, ""}, {"lag", VALUE_INT, UNIT_RECORDS, 0, ""},
			{"rate_in", VALUE_REAL, UNIT_PER_SECOND, 0, ""}, {"rate_out", VALUE_REAL, UNIT_PER_SECOND, 0, ""},
			{"catches_up", VALUE_INT, UNIT_SECONDS, 0, ""}, {"catches_up_words", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"last_commit", VALUE_INT, UNIT_TIME, 0, ""}, {"trend", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"note", VALUE_TEXT, UNIT_NONE, 0, ""}, {"age_ms", VALUE_INT, UNIT_MS, 0, ""}, {0}}},
		{"topics", "topics", (const struct column_spec[]){
			{"name", VALUE_TEXT, UNIT_NONE, 0, ""}, {"partitions", VALUE_INT, UNIT_COUNT, 0, ""},
			{"replicas", VALUE_INT, UNIT_COUNT, 0, ""}, {"under_replicated", VALUE_INT, UNIT_COUNT, 0, ""},
			{"offline", VALUE_INT, UNIT_COUNT, 0, ""}, {"retention", VALUE_INT, UNIT_MS, 0, ""},
			{"compacted", VALUE_BOOL, UNIT_NONE, 0, ""}, {"records", VALUE_INT, UNIT_RECORDS, 0, ""},
			{"rate", VALUE_REAL, UNIT_PER_SECOND, 0, ""}, {"size", VALUE_INT, UNIT_BYTES, 0, ""},
			{"internal", VALUE_BOOL, UNIT_NONE, 0, ""}, {0}}},
		{"brokers", "brokers", (const struct column_spec[]){
			{"id", VALUE_INT, UNIT_NONE, 0, ""}, {"address", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"controller", VALUE_BOOL, UNIT_NONE, 0, ""}, {"version", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"roles", VALUE_TEXT, UNIT_NONE, 0, ""}, {"partitions_led", VALUE_INT, UNIT_COUNT, 0, ""}, {0}}},
		{0}},
	.views = (const char *const[]){"group", "topic", "peek", NULL},
};
/* An older broker, of which less is known. */
static const struct service_kind deep_kafka_old = {
	.name = "kafka", .title = "Kafka broker", .group = "streams",
	.figures = (const struct figure_spec[]){{"lag", "lag", UNIT_RECORDS, FIGURE_ROW, ""}, {0}},
	.tables = (const struct table_spec[]){
		{"groups", "consumer groups", (const struct column_spec[]){
			{"group", VALUE_TEXT, UNIT_NONE, 0, ""}, {"state", VALUE_TEXT, UNIT_NONE, 0, ""}, {"lag", VALUE_INT, UNIT_RECORDS, 0, ""},
			{"something_new", VALUE_TEXT, UNIT_NONE, 0, ""}, {0}}},
		{0}},
};
static const struct table_spec deep_answers[] = {
	{"group", "partitions of a group", (const struct column_spec[]){
		{"group", VALUE_TEXT, UNIT_NONE, 0, ""}, {"topic", VALUE_TEXT, UNIT_NONE, 0, ""}, {"partition", VALUE_INT, UNIT_NONE, 0, ""},
		{"committed", VALUE_INT, UNIT_COUNT, 2, ""}, {"end", VALUE_INT, UNIT_COUNT, 2, ""}, {"lag", VALUE_INT, UNIT_RECORDS, 0, ""},
		{"member", VALUE_TEXT, UNIT_NONE, 3, ""}, {"note", VALUE_TEXT, UNIT_NONE, 1, ""}, {0}}},
	{"topic", "partitions of a topic", (const struct column_spec[]){
		{"partition", VALUE_INT, UNIT_NONE, 0, ""}, {"leader", VALUE_INT, UNIT_NONE, 0, ""}, {"replicas", VALUE_TEXT, UNIT_NONE, 1, ""},
		{"isr", VALUE_TEXT, UNIT_NONE, 1, ""}, {"beginning", VALUE_INT, UNIT_COUNT, 0, ""}, {"end", VALUE_INT, UNIT_COUNT, 0, ""}, {0}}},
	{"peek", "newest records", (const struct column_spec[]){
		{"partition", VALUE_INT, UNIT_NONE, 0, ""}, {"offset", VALUE_INT, UNIT_NONE, 0, ""}, {"timestamp", VALUE_INT, UNIT_TIME, 1, ""},
		{"key", VALUE_TEXT, UNIT_NONE, 1, ""}, {"headers", VALUE_TEXT, UNIT_NONE, 2, ""}, {"value", VALUE_TEXT, UNIT_NONE, 0, ""}, {0}}},
	{0},
};
static const struct service_kind deep_postgres = {
	.name = "postgres", .title = "PostgreSQL", .group = "storage",
	.figures = (const struct figure_spec[]){{"slots", "slots", UNIT_COUNT, 0, ""}, {0}},
	.tables = (const struct table_spec[]){
		{"slots", "replication slots", (const struct column_spec[]){
			{"slot", VALUE_TEXT, UNIT_NONE, 0, ""}, {"active", VALUE_BOOL, UNIT_NONE, 0, ""}, {"retained", VALUE_INT, UNIT_BYTES, 0, ""}, {0}}},
		{0}},
};
static const struct service_kind deep_connectors = {
	.name = "kafka-connect", .title = "Kafka Connect", .group = "streams",
	.figures = (const struct figure_spec[]){{"connectors", "connectors", UNIT_COUNT, FIGURE_ROW, ""}, {0}},
	.tables = (const struct table_spec[]){
		{"connectors", "connectors", (const struct column_spec[]){
			{"name", VALUE_TEXT, UNIT_NONE, 0, ""}, {"type", VALUE_TEXT, UNIT_NONE, 0, ""}, {"state", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"tasks", VALUE_INT, UNIT_COUNT, 0, ""}, {"failed", VALUE_INT, UNIT_COUNT, 0, ""}, {"worker", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"class", VALUE_TEXT, UNIT_NONE, 0, ""}, {"version", VALUE_TEXT, UNIT_NONE, 0, ""}, {"slot", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"reads", VALUE_TEXT, UNIT_NONE, 0, ""}, {"change_at", VALUE_INT, UNIT_TIME, 0, ""}, {0}}},
		{"tasks", "tasks", (const struct column_spec[]){
			{"connector", VALUE_TEXT, UNIT_NONE, 0, ""}, {"task", VALUE_INT, UNIT_NONE, 0, ""}, {"state", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"worker", VALUE_TEXT, UNIT_NONE, 0, ""}, {"cause", VALUE_TEXT, UNIT_NONE, 0, ""}, {0}}},
		{0}},
};
static const struct service_kind deep_master = {
	.name = "spark-master", .title = "Spark master", .group = "compute",
	.figures = (const struct figure_spec[]){
		{"applications", "apps", UNIT_COUNT, FIGURE_ROW, ""}, {"waiting", "waiting", UNIT_COUNT, 0, ""},
		{"cores", "cores", UNIT_CORES, 0, ""}, {"cores_used", "cores used", UNIT_CORES, 0, ""}, {"memory", "memory", UNIT_BYTES, 0, ""},
		{"memory_used", "memory used", UNIT_BYTES, 0, ""}, {"url", "url", UNIT_NONE, 0, ""}, {0}},
	.tables = (const struct table_spec[]){
		{"workers", "workers", (const struct column_spec[]){
			{"id", VALUE_TEXT, UNIT_NONE, 0, ""}, {"state", VALUE_TEXT, UNIT_NONE, 0, ""}, {"cores", VALUE_INT, UNIT_CORES, 0, ""},
			{"cores_used", VALUE_INT, UNIT_CORES, 0, ""}, {"memory", VALUE_INT, UNIT_BYTES, 0, ""}, {0}}},
		{"applications", "applications", (const struct column_spec[]){
			{"id", VALUE_TEXT, UNIT_NONE, 0, ""}, {"name", VALUE_TEXT, UNIT_NONE, 0, ""}, {"state", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"why", VALUE_TEXT, UNIT_NONE, 0, ""}, {"cores", VALUE_INT, UNIT_CORES, 0, ""}, {"memory", VALUE_INT, UNIT_BYTES, 0, ""},
			{"duration", VALUE_INT, UNIT_MS, 0, ""}, {"started", VALUE_INT, UNIT_TIME, 0, ""}, {"executors", VALUE_INT, UNIT_COUNT, 0, ""},
			{"executors_started", VALUE_INT, UNIT_COUNT, 0, ""}, {"executors_lost", VALUE_INT, UNIT_COUNT, 0, ""}, {"user", VALUE_TEXT, UNIT_NONE, 0, ""}, {0}}},
		{0}},
};
static const struct service_kind deep_worker = {
	.name = "spark-worker", .title = "Spark worker", .group = "compute",
	.figures = (const struct figure_spec[]){
		{"executors", "executors", UNIT_COUNT, FIGURE_ROW, ""}, {"cores", "cores", UNIT_CORES, 0, ""},
		{"cores_used", "cores used", UNIT_CORES, 0, ""}, {"id", "id", UNIT_NONE, 0, ""}, {"master", "master", UNIT_NONE, 0, ""}, {0}},
};
#define DEEP_DRIVER_TABLES \
	{"stages", "stages", (const struct column_spec[]){ \
		{"id", VALUE_INT, UNIT_NONE, 0, ""}, {"attempt", VALUE_INT, UNIT_NONE, 0, ""}, {"state", VALUE_TEXT, UNIT_NONE, 0, ""}, \
		{"name", VALUE_TEXT, UNIT_NONE, 0, ""}, {"tasks", VALUE_INT, UNIT_COUNT, 0, ""}, {"active", VALUE_INT, UNIT_COUNT, 0, ""}, \
		{"completed", VALUE_INT, UNIT_COUNT, 0, ""}, {"failed", VALUE_INT, UNIT_COUNT, 0, ""}, {"skew", VALUE_REAL, UNIT_NONE, 0, ""}, \
		{"spilled", VALUE_INT, UNIT_BYTES, 0, ""}, {"reason", VALUE_TEXT, UNIT_NONE, 0, ""}, {0}}}, \
	{"queries", "streaming queries", (const struct column_spec[]){ \
		{"name", VALUE_TEXT, UNIT_NONE, 0, ""}, {"state", VALUE_TEXT, UNIT_NONE, 0, ""}, {"trigger", VALUE_TEXT, UNIT_NONE, 0, ""}, \
		{"input_rate", VALUE_REAL, UNIT_PER_SECOND, 0, ""}, {"processing_rate", VALUE_REAL, UNIT_PER_SECOND, 0, ""}, \
		{"batch_ms", VALUE_INT, UNIT_MS, 0, ""}, {"state_rows", VALUE_INT, UNIT_COUNT, 0, ""}, {"watermark", VALUE_INT, UNIT_TIME, 0, ""}, \
		{"lag", VALUE_INT, UNIT_RECORDS, 0, ""}, {0}}}
static const struct service_kind deep_driver = {
	.name = "spark-driver", .title = "Spark driver", .group = "compute", .fleeting = true,
	.figures = (const struct figure_spec[]){
		{"jobs_failed", "failed", UNIT_COUNT, FIGURE_ROW, ""}, {"application", "application", UNIT_NONE, 0, ""},
		{"name", "name", UNIT_NONE, 0, ""}, {"started", "started", UNIT_TIME, 0, ""}, {"cores", "cores", UNIT_CORES, 0, ""}, {0}},
	.tables = (const struct table_spec[]){DEEP_DRIVER_TABLES, {0}},
};
static const struct service_kind deep_connect = {
	.name = "spark-connect", .title = "Spark Connect", .group = "compute",
	.figures = (const struct figure_spec[]){
		{"sessions", "sessions", UNIT_COUNT, FIGURE_ROW, ""}, {"requests", "requests", UNIT_COUNT, 0, ""},
		{"application", "application", UNIT_NONE, 0, ""}, {"name", "name", UNIT_NONE, 0, ""}, {"master", "master", UNIT_NONE, 0, ""},
		{"ui", "web UI", UNIT_NONE, 0, ""}, {0}},
	.tables = (const struct table_spec[]){DEEP_DRIVER_TABLES, {0}},
};
static const struct service_kind deep_history = {
	.name = "spark-history", .title = "Spark history server", .group = "runs",
	.figures = (const struct figure_spec[]){{"applications", "finished", UNIT_COUNT, FIGURE_ROW, ""}, {0}},
	.tables = (const struct table_spec[]){
		{"applications", "applications", (const struct column_spec[]){
			{"id", VALUE_TEXT, UNIT_NONE, 0, ""}, {"name", VALUE_TEXT, UNIT_NONE, 0, ""}, {"state", VALUE_TEXT, UNIT_NONE, 0, ""},
			{"jobs_failed", VALUE_INT, UNIT_COUNT, 0, ""}, {"version", VALUE_TEXT, UNIT_NONE, 0, ""}, {"started", VALUE_INT, UNIT_TIME, 0, ""}, {"duration", VALUE_INT, UNIT_MS, 0, ""},
			{0}}},
		{0}},
};

static struct value cell_value(const struct column_spec *spec, const char *s)
{
	struct value v;

	if (!*s)
		return value_unknown();
	if (spec->type == VALUE_TEXT)
		return value_text(s);
	if (spec->type == VALUE_BOOL)
		return value_bool(!strcmp(s, "yes"));
	v = spec->type == VALUE_REAL ? value_real(strtod(s + (*s == '>'), NULL)) : value_int(strtoll(s + (*s == '>'), NULL, 10));
	v.at_least = *s == '>';
	return spec->unit == UNIT_TIME ? value_int(FIXTURE_WALL - v.u.i * 1000) : v;
}

static struct table *add_rows(struct snapshot *s, const struct table_spec *specs, const char *name, const char *const *rows)
{
	struct table *t = snapshot_table(s, specs, name);

	for (; *rows; rows++) {
		struct value *row = table_row(s, t);
		struct text rest = text_of(*rows);

		for (size_t i = 0; i < t->n_columns; i++) {
			char cell[600];

			text_copy(cell, sizeof cell, text_until(rest, '|'));
			rest = text_after(rest, '|');
			table_set(s, t, row, t->spec->columns[i].name, cell_value(&t->spec->columns[i], cell));
		}
	}
	return t;
}

static const struct service_row deep[] = {
	{.name = "postgres", .kind = &deep_postgres, .port = 5432, .verdict = VERDICT_SERVING, .version = "15.18", .process = "postgres",
		.pid = 812, .rss = 29 << 20, .cpu = 0.004, .told = {{"slots", .i = 2}}},
	{.name = "kafka", .kind = &deep_kafka, .port = 9092, .verdict = VERDICT_SERVING, .version = "4.1", .process = "java", .pid = 921,
		.rss = 204472320, .cpu = 0.021, .told = {{"lag", 101231, .trend = 620}, {"cluster_id", .s = "5L6g3nShT-eMCtK--X86sw"}}},
	{.name = "kafka-39", .kind = &deep_kafka_old, .port = 9094, .verdict = VERDICT_SERVING, .version = "3.9", .process = "java",
		.pid = 925, .rss = 204472320, .cpu = 0.01, .told = {{"lag", .i = 17}}},
	{.name = "connectors", .kind = &deep_connectors, .port = 8083, .verdict = VERDICT_SERVING, .version = "4.1.1", .process = "java",
		.pid = 930, .rss = 404472320, .cpu = 0.01, .told = {{"connectors", .i = 3}}},
	{.name = "spark-master-41", .kind = &deep_master, .port = 8082, .verdict = VERDICT_SERVING, .version = "4.1.1", .expected = "4.1",
		.process = "java", .pid = 1004, .rss = 312 << 20, .cpu = 0.002, .told = {{"applications", .i = 2}, {"waiting", .i = 1}, {"cores", .i = 6},
		{"cores_used", .i = 4}, {"memory", .i = INT64_C(6) << 30}, {"url", .s = "spark://atlas:7078"}}},
	{.name = "spark-worker-41", .kind = &deep_worker, .port = 8084, .verdict = VERDICT_SERVING, .version = "4.1.1", .process = "java",
		.pid = 1060, .rss = 290 << 20, .cpu = 1.37, .told = {{"executors", .i = 2}, {"cores", .i = 2}, {"cores_used", .i = 2},
		{"id", .s = "worker-20261129110000-atlas-41000"}, {"master", .s = "spark://atlas:7078"}}},
	{.name = "spark-master-40", .kind = &deep_master, .port = 8080, .verdict = VERDICT_SERVING, .version = "4.0.5", .expected = "4.0",
		.process = "java", .pid = 1005, .rss = 312 << 20, .cpu = 0.002, .told = {{"applications", .i = 0}, {"waiting", .i = 0}, {"cores", .i = 0},
		{"cores_used", .i = 0}, {"url", .s = "spark://atlas:7077"}}},
	{.name = "spark-worker-40", .kind = &deep_worker, .port = 8081, .verdict = VERDICT_STOPPED, .expected = "4.0",
		.reason = "its process is gone", .remedy = "start it"},
	{.name = "spark-connect", .kind = &deep_connect, .port = 15002, .verdict = VERDICT_SERVING, .version = "4.1.1", .expected = "4.1",
		.process = "java", .pid = 1187, .rss = 640 << 20, .cpu = 0.11, .told = {{"sessions", .i = 2}, {"requests", .i = 1},
		{"application", .s = "local-1795950000000"}, {"name", .s = "Spark Connect server"}, {"master", .s = "local[2]"},
		{"ui", .s = "127.0.0.1:4041"}}},
	{.name = "found:4040", .kind = &deep_driver, .port = 4040, .found = true, .verdict = VERDICT_SERVING, .version = "4.1.1",
		.process = "java", .pid = 1300, .rss = 640 << 20, .cpu = 0.9, .told = {{"jobs_failed", .i = 1},
		{"application", .s = "app-20261129115800-0004"}, {"name", .s = "orders-etl"}, {"started", .i = FIXTURE_WALL - 391000}, {"cores", .i = 2}}},
	{.name = "spark-history", .kind = &deep_history, .port = 18080, .verdict = VERDICT_SERVING, .version = "4.1.1", .process = "java",
		.pid = 1301, .rss = 201 << 20, .cpu = 0, .told = {{"applications", .i = 3}}},
};

static void fill_deep_kafka(struct fixture *f)
{
	struct snapshot *s = depth_of(f, "kafka");

	add_rows(s, deep_kafka.tables, "groups", (const char *const[]){
		"orders-etl|consumer|Stable|slow|3|orders|12401|1240|930||never|1|12345677|310 more each second than it takes: never caught up|6",
		"audit|classic|Empty|stopped|0|orders|88120|310|0|||10800|4444555566667|nobody has read for 3h",
		"dashboards|classic|Stable|ok|2|orders, couriers|420|310|455.5|3||1|2121212|",
		"billing|classic|Stable|stalled|1|payments|310|12|0|||42|0123|reads, and commits nothing since 42s",
		"loyalty|classic|Stable|rewound|1|orders|1027129|310|5200|210||2|0000077|went back by 1,026,000",
		"replay|classic|Empty|unknown|0|orders, couriers, kitchens|>120|||||||no commit on 2 of 12 partitions",
		"日本語の消費者グループ名はとても長いので切られる %s%n|consumer|Stable|ok|12|x|0|0.5|0.5|0||0|0|",
		NULL});
	add_rows(s, deep_kafka.tables, "topics", (const char *const[]){
		"orders|12|3|2|0|604800000|no|41027129|1240.5|13314398617|no", "couriers|6|3|0|1|86400000|no|8812000|310|1288490188|no",
		"menu-changes|1|1|0|0||yes|912|0||no", "payments|3|3|0|0|2592000000|no|||44040192|no",
		"__consumer_offsets|50|3|0|0||yes|120331|12|1258291|yes", NULL})->left_off = 37;
	add_rows(s, deep_kafka.tables, "brokers", (const char *const[]){
		"1|10.0.0.1:9092|yes|4.1|broker, controller|24", "2|10.0.0.2:9092|no|4.1|broker|24", "3|10.0.0.3:9092|no|4.0|broker|24", NULL});
	add_rows(depth_of(f, "kafka-39"), deep_kafka_old.tables, "groups", (const char *const[]){"courier|Empty|17|?", NULL});
	add_rows(depth_of(f, "postgres"), deep_postgres.tables, "slots", (const char *const[]){
		"gone_consumer|no|9663676416", "orders_changes|yes|58720256", NULL});
	s = depth_of(f, "connectors");
	add_rows(s, deep_connectors.tables, "connectors", (const char *const[]){
		"orders-source|source|RUNNING|1|0|10.0.0.1:8083|io.debezium.connector.postgresql.PostgresConnector|3.0.8.Final|orders_changes|streaming|7",
		"lake-sink|sink|RUNNING|2|1|10.0.0.1:8083|org.apache.iceberg.connect.IcebergSinkConnector|1.11.0",
		"old-export|sink|PAUSED|1|0|10.0.0.2:8083|FileStreamSink|4.1.1", NULL});
	add_rows(s, deep_connectors.tables, "tasks", (const char *const[]){
		"orders-source|0|RUNNING|10.0.0.1:8083|", "lake-sink|0|RUNNING|10.0.0.1:8083|",
		"lake-sink|1|FAILED|10.0.0.1:8083|org.apache.iceberg.exceptions.NoSuchTableException: Table does not exist: bronze.orders",
		"old-export|0|PAUSED|10.0.0.2:8083|", NULL});
}

static void fill_deep_spark(struct fixture *f)
{
	struct snapshot *s = depth_of(f, "spark-master-41");

	add_rows(s, deep_master.tables, "workers", (const char *const[]){"worker-20261129110000-atlas-41000|ALIVE|2|2|2147483648",
		"worker-20261129110000-far-away-41000|ALIVE|4|2|4294967296", "worker-20261129100000-atlas-40111|DEAD|2|0|2147483648", NULL});
	add_rows(s, deep_master.tables, "applications", (const char *const[]){
		"app-20261129120000-0005|forecast|WAITING|it can never start: it asks for 8 cores an executor, the largest worker has 4|0|1073741824|271000|271|0|0|0|ada",
		"app-20261129115800-0004|orders-etl|RUNNING||4|1073741824|391000|391|2|2|0|ada",
		"app-20261129114000-0003|crash loop|RUNNING|its executors die at start: 43 died in 61s|2|536870912|1471000|1471|1|1212|1211|ada",
		"app-20261129110000-0002|daily revenue|FINISHED||0|1073741824|14000|3871||||ada",
		"app-20261129100000-0001|menu import|FAILED||0|1073741824|4925|7471||||bob", NULL});
	add_rows(depth_of(f, "spark-master-40"), deep_master.tables, "workers", (const char *const[]){NULL});
	add_rows(depth_of(f, "spark-master-40"), deep_master.tables, "applications", (const char *const[]){NULL});
	add_rows(depth_of(f, "spark-connect"), deep_connect.tables, "stages", (const char *const[]){
		"41|0|ACTIVE|insert into bronze.orders|200|2|131|0|1.2|0|", "42|0|PENDING|merge into silver.orders|64|0|0|0|||", NULL});
	add_rows(depth_of(f, "spark-connect"), deep_connect.tables, "queries", (const char *const[]){
		"medallion|RUNNING|10 seconds|310.5|4200|1840|120331|14|", "gold|RUNNING|1 minute|9000|310|71000|41027129|271|12401",
		"night|FINISHED|availableNow|||940||7200|0", "archive|RUNNING|3 seconds|2|40|150||3||", NULL});
	add_rows(depth_of(f, "found:4040"), deep_driver.tables, "stages", (const char *const[]){
		"7|1|ACTIVE|join orders and couriers|400|4|399|3|18.4|3328599654|java.lang.OutOfMemoryError: Java heap space",
		"3|0|FAILED|write gold.hourly|16|0|2|4||0|org.apache.spark.SparkException: Task failed while writing rows to s3a://lake/gold", NULL});
	add_rows(depth_of(f, "spark-history"), deep_history.tables, "applications", (const char *const[]){
		"app-20261129110000-0002|daily revenue|COMPLETED|2|4.1.1|3871|14000", "app-20261128110000-0007|night|COMPLETED|0|4.0.5|90000|3600000",
		"app-20261128090000-0006|lost|INCOMPLETE||4.1.1|97200|", NULL});
	add_finding(fixture_service(f, "spark-connect"), "stale", SEVERITY_WARNING, "started 41d ago; spark-defaults.conf changed 2h ago",
		"restart it");
	fixture_service(f, "spark-connect")->verdict.shown.links[LINK_FRESH].state = LINK_BAD;
	add_finding(fixture_service(f, "found:4040"), "job-failed", SEVERITY_WARNING, "job 3 failed: stage 3, Task failed while writing rows", "");
}

static void fill_deep_streams(struct fixture *f)
{
	static const struct stream_place places[] = {
		{"kafka", "orders", 0, {VALUE_INT, false, {.i = 120}}, {VALUE_INT, false, {.i = 0}}, {VALUE_INT, false, {.i = 320}},
			{VALUE_INT, false, {.i = 200}}, 0, STREAM_READS},
		{"kafka", "orders", 1, {VALUE_UNKNOWN, false, {.i = 0}}, {VALUE_INT, false, {.i = 10}}, {VALUE_INT, false, {.i = 120}},
			{VALUE_INT, false, {.i = 110}}, 0, STREAM_NEW},
		{"kafka", "couriers", 0, {VALUE_INT, false, {.i = 900}}, {VALUE_INT, false, {.i = 0}}, {VALUE_INT, false, {.i = 12}},
			{VALUE_UNKNOWN, false, {.i = 0}}, 0, STREAM_RESET},
	};
	static const struct {
		const char *name;
		int64_t lag, batch, ago;
		size_t places, reset;
		struct stream_pace pace;
	} queries[] = {
		{"medallion", 310, 4410, 2, 2, 0, {0}}, {"gold", 310, 12, 40, 3, 1, {0}}, {"night", 120, 88, 36000, 1, 0, {0}},
		{"archive", 6800, 707, 3, 1, 0, {.known = true, .in = 4.6, .out = 2.2, .slow = true, .trend = "5566677"}}, {"new", -1, -1, 0, 0, 0, {0}},
	};

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		struct stream_view *v = &f->stream_views[i];
		struct snapshot *s;

		f->streams[i] = (struct stream){.name = queries[i].name, .checkpoint = "s3a://lake/checkpoints/medallion", .kafka = "kafka"};
		*v = (struct stream_view){.stream = &f->streams[i], .kafka = fixture_service(f, "kafka")};
		f->lake.n_streams++;
		if (queries[i].batch < 0)
			continue;
		s = add_snapshot(f, &(struct service_row){.name = queries[i].name}, PART_STREAM, 0, 10000);
		snapshot_figure(s, stream_figures, "batch", value_int(queries[i].batch));
		snapshot_figure(s, stream_figures, "batch_at", value_int(FIXTURE_WALL - queries[i].ago * 1000));
		v->snapshot = s;
		v->lag = (struct stream_lag){.lag = value_int(queries[i].lag), .places = places, .n_places = queries[i].places,
			.n_reset = queries[i].reset, .n_new = queries[i].places > 1, .words = ""};
		v->lag.lag.at_least = queries[i].reset > 0;
		v->pace = queries[i].pace;
	}
	f->lake.streams = f->stream_views;
}

static void fill_deep(struct fixture *f)
{
	for (size_t i = 0; i < sizeof deep / sizeof *deep; i++)
		add_service(f, &deep[i]);
	add_machine(f);
	fill_deep_kafka(f);
	fill_deep_spark(f);
	fill_deep_streams(f);
	add_problem(f, fixture_service(f, "spark-worker-40"), NULL);
	f->lake.settled = true;
	f->lake.n_warnings = 1;
	add_event(f, 33, "kafka", SEVERITY_WARNING, "orders-etl is slow: 12,401 behind, 310/s more each second");
	for (size_t i = 0; i < sizeof deep / sizeof *deep; i++)
		add_port(f, deep[i].port, "127.0.0.1", deep[i].found ? NULL : deep[i].name, NULL, deep[i].name, deep[i].kind->title, true);
}

void fixture_answer(struct fixture *f, const char *view, const char *subject, const char *why)
{
	static const char *const group[] = {
		"orders-etl|orders|0|1027129|1031262|4133|consumer-orders-etl-1-8ef2|", "orders-etl|orders|1|1027001|1031100|4099|consumer-orders-etl-2-11ab|",
		"orders-etl|orders|2||120|||never committed here", NULL};
	static const char *const topic[] = {"0|1|1, 2, 3|1, 2, 3|0|1031262", "1|2|2, 3, 1|2|12000|1031100", "2|-1|3||0|120", NULL};
	static const char *const peek[] = {
		"0|1031261|2|order-4711|source: web|{\"order\": 4711, \"items\": [{\"dish\": \"ramen\", \"n\": 2}, {\"dish\": \"tea, green\", \"n\": 1}], "
		"\"paid\": true, \"note\": \"no onions; ring twice: the bell is weak\", \"tags\": []}",
		"1|1031099|2|||00 0a ff 31 (4 bytes, not text)", "2|119|86400|k|trace: 1|plain words that are longer than any column of a narrow screen could hold", NULL};
	struct service *s = fixture_service(f, "kafka");
	struct snapshot *answer = add_snapshot(f, &(struct service_row){.name = s->name}, PART_ANSWER, 2000, 0);

	answer->view = arena_copy(answer->arena, text_of(view));
	answer->subject = arena_copy(answer->arena, text_of(subject));
	if (why)
		err_set(&answer->err, ERR_TIMEOUT, "%s", why);
	else
		add_rows(answer, deep_answers, view, !strcmp(view, "group") ? group : !strcmp(view, "topic") ? topic : peek);
	s->answer = answer;
}

/* ---- tables ---- */

static struct catalog_view *add_catalog(struct fixture *f, const char *name)
{
	size_t i = f->lake.n_catalogs++;

	f->catalogs[i] = (struct catalog){.name = name};
	f->catalog_views[i] = (struct catalog_view){.catalog = &f->catalogs[i]};
	f->lake.catalogs = f->catalog_views;
	return &f->catalog_views[i];
}

static struct snapshot *add_listing(struct fixture *f, struct catalog_view *c, int64_t age, const char *const *rows)
{
	struct snapshot *s = add_snapshot(f, &(struct service_row){.name = c->catalog->name}, PART_CATALOG, age, 10000);

	add_rows(s, catalog_tables, "tables", rows);
	snapshot_figure(s, catalog_figures, "tables", value_int((int64_t)s->tables[0].n_rows));
	c->snapshot = s;
	return s;
}

static void add_lake_table(struct fixture *f, size_t catalog, size_t row, bool old)
{
	struct lake_table *t = &f->tables[f->lake.n_tables++];

	*t = (struct lake_table){.n_in = 1, .old = old};
	t->in[0].view = &f->catalog_views[catalog];
	t->in[0].row = row;
	f->lake.tables = f->tables;
}

static const struct service_kind tables_engine = {
	.name = "spark-connect", .title = "Spark Connect", .group = "compute", .figures = (const struct figure_spec[]){{0}},
	.views = (const char *const[]){"rows", NULL},
};

/* name|format|uuid|location|metadata|snapshots|files|small|deletes|position_deletes|records|bytes|committed|snapshot|operation|by|rate|partitions|worst|manifests|
 * metadata_bytes|metadata_files|measured|grade|due|weight|words|error */
static void fill_lake_tables(struct fixture *f)
{
	static const char *const lake[] = {
		"bronze.orders|iceberg v2|1b2c|s3://lake/bronze/orders|s3://lake/bronze/orders/metadata/00412.json|412|8120|7633|12|7|1027129|"
		"1288490188|120|3051729675574597004|append|spark 4.1.4|48|31|410|612|1887436|100|exact|ill|compact, expire|7633|"
		"94 % of files are under 13 MiB; 412 snapshots, the oldest 61 d; 3 partitions hold 80 % of the files|",
		"bronze.payments|iceberg v1|2b2c|s3://lake/bronze/payments|s3://lake/bronze/payments/metadata/00002.json|2|41||0||88120|"
		"44040192|86400||append|spark 4.1.4|0.3||||4096|1|summary|good||0|41 files in one snapshot|",
		"gold.hourly_metrics|iceberg v2|3b2c|s3://lake/gold/hourly_metrics|s3://lake/gold/hourly_metrics/metadata/00009.json|9|14|0|0|"
		"|8760|3250585|3600||overwrite|spark 4.1.4|24|1|14|3|9000|8|exact|good||0|its files are as large as they should be|",
		"silver.broken|iceberg v2|4b2c|s3://lake/silver/broken|s3://lake/silver/broken/metadata/v7.json|||||||||||||||||||failed||||"
		"s3://lake/silver/broken/metadata/v7.json: there is no such object",
		"silver.new|||||||||||||||||||||||||||",
		"silver.orders_delta|delta|5b2c|s3://lake/silver/orders_delta|s3://lake/silver/orders_delta/_delta_log/30.json|31|66|26|||"
		"402118|92274688|259200||WRITE|delta 4.4.0|0.5|3|30||||exact|due|optimize|26|40 % of files are small|",
		"silver.some_view|view||||||||||||||||||||||||||",
		"日本語.とても長い名前のテーブルです|iceberg v3|6b2c|s3://lake/x|s3://lake/x/metadata/1.json|1|12|0|3||9223372036854775807|9223372036854775807|"
		"60||append|%s%n|||||||exact|good||0||", NULL};
	static const char *const polaris[] = {
		"bronze.orders|iceberg v2|1b2c|s3://lake/bronze/orders|s3://lake/bronze/orders/metadata/00412.json|412|8120|7633|12|7|1027129|"
		"1288490188|120|3051729675574597004|append|spark 4.1.4|48|31|410|612|1887436|100|exact|ill|compact, expire|7633|"
		"94 % of files are under 13 MiB; 412 snapshots, the oldest 61 d; 3 partitions hold 80 % of the files|",
		"audit.log|iceberg v2|7b2c|s3://audit/log|s3://audit/log/metadata/00007.json|61|120|4|||88120|1288490188|600||append|"
		"trino 476|48|31|10|12|18874|10|manifest list|due|expire|61|61 snapshots, the oldest 90 d|", NULL};
	struct catalog_view *c;
	struct snapshot *s;

	f->tables = mem_new(16, sizeof *f->tables);
	add_service(f, &(struct service_row){.name = "spark-connect", .kind = &tables_engine, .port = 15002, .verdict = VERDICT_SERVING,
		.version = "4.1.1", .process = "java", .pid = 1187});
	add_machine(f);
	c = add_catalog(f, "lake");
	c->engine = fixture_service(f, "spark-connect");
	add_listing(f, c, 2000, lake);
	c = add_catalog(f, "polaris");
	add_listing(f, c, 240000, polaris);
	s = add_snapshot(f, &(struct service_row){.name = "polaris"}, PART_CATALOG, 1000, 10000);
	err_set(&s->err, ERR_CONNECT, "127.0.0.1:8181 refuses the connection");
	c->failed = s;
	add_lake_table(f, 1, 1, true);
	for (size_t i = 0; lake[i]; i++)
		add_lake_table(f, 0, i, false);
	f->tables[1].n_in = 2;
	f->tables[1].in[1].view = &f->catalog_views[1];
	f->lake.settled = true;
}

struct fixture *fixture_tables(size_t n)
{
	struct fixture *f = fixture_new(FIXTURE_NOTHING);
	const char **rows = mem_new(n + 1, sizeof *rows);
	char (*text)[400] = mem_new(n + 1, sizeof *text);

	f->tables = mem_new(n + 1, sizeof *f->tables);
	for (size_t i = 0; i < n; i++) {
		static const struct {
			const char *due, *says;
		} ills[] = {{"good|", "its files are as large as they should be"}, {"due|compact", "40 % of files are small"},
			{"ill|compact, expire", "94 % of files are small; 412 snapshots, the oldest 61 d"}, {"good|", "one file"}};
		size_t len = (size_t)snprintf(text[i], sizeof text[i], "space%02zu.table_%05zu|iceberg v2|%zu|s3://lake/%zu|s3://lake/%zu/metadata/1.json|%zu|"
			"%zu|%zu|0|0|%zu|%zu|%zu|%zu|append|spark 4.1.4|48|31|410|612|1887436|100|exact|", i / 500, i, i, i, i, i % 400, i % 9000, i % 77,
			i * 1000, i * 1000000, i, i);

		snprintf(text[i] + len, sizeof text[i] - len, "%s|%zu|%s|", ills[i % 4].due, ills[i % 4].due[0] == 'g' ? 0 : i * 7919 % n,
			ills[i % 4].says);
		rows[i] = text[i];
	}
	add_catalog(f, "lake");
	add_listing(f, &f->catalog_views[0], 2000, rows);
	for (size_t i = 0; i < n; i++)
		add_lake_table(f, 0, i, false);
	free(text);
	free(rows);
	return f;
}

void fixture_silence(struct fixture *f)
{
	f->catalog_views[0].snapshot = NULL;
	f->lake.n_tables = 0;
}

static const struct table_spec rows_specs[] = {
	{"rows", "", (const struct column_spec[]){
		{"order_id", VALUE_INT, UNIT_NONE, 0, "bigint"}, {"placed_at", VALUE_TEXT, UNIT_NONE, 0, "timestamp"},
		{"customer", VALUE_TEXT, UNIT_NONE, 0, "string"}, {"note", VALUE_TEXT, UNIT_NONE, 0, "string"},
		{"price", VALUE_TEXT, UNIT_NONE, 0, "decimal(9,2)"}, {"weight", VALUE_REAL, UNIT_NONE, 0, "double"},
		{"paid", VALUE_BOOL, UNIT_NONE, 0, "boolean"}, {"items", VALUE_TEXT, UNIT_NONE, 0, "array"}, {0}}},
	{0},
};

static const struct {
	const char *view;
	const char *const *rows;
} table_answers[] = {
	{"table", (const char *const[]){"format|iceberg v2|2", "location|s3://lake/bronze/orders|", "partitioned by|days(placed_at)|",
		"sorted by|unsorted|", "data files|8,120|8120", "position delete files|12|12", "equality delete files||",
		"small files|7,633 under 13 MiB, 75 % of the table's own target|7633", "time|2026-11-29T12:02:00.000Z|1795953720000|time", NULL}},
	{"snapshots", (const char *const[]){
		"3051729675574597004|2951729675574597004|0|main|120|append|spark 4.1.4|2|0|800|8120|1027129|1288490188",
		"2951729675574597004|1051729675574597004|0|audit-2026|7200|replace|spark 4.1.4|42|7633|1000|8118|1026329|1288480188",
		"4051729675574597001|1051729675574597004|1|dev|3600|append|spark 4.1.4|1|0|7|15712|1025336|1288480100",
		"1051729675574597004||0||5270400|append|spark 4.1.4|15709|0|1025329|15709|1025329|1288480000", NULL}},
	{"refs", (const char *const[]){"main|branch|3051729675574597004|120|||", "audit-2026|tag|2951729675574597004|7200|||31536000000",
		"dev|branch|4051729675574597001|3600|3|604800000|", NULL}},
	{"partitions", (const char *const[]){"placed_at_day=2026-11-28|410|400|2|88120|44040192|0", "placed_at_day=2026-11-29|12|12|0|812|440192|0", NULL}},
	{"files", (const char *const[]){"data/placed_at_day=2026-11-28/00000-0-1b2c.parquet|data|134217728|1000000|placed_at_day=2026-11-28|7200|"
		"2951729675574597004|parquet", "data/00001.parquet|equality deletes|1024|3||||parquet", NULL}},
	{"files-smallest", (const char *const[]){"data/00001.parquet|equality deletes|1024|3||||parquet", NULL}},
	{"files-oldest", (const char *const[]){"data/00000.parquet|data|4096|9||5270400||parquet", NULL}},
	{"schema", (const char *const[]){"1|1|order_id|0|bigint|yes||", "1|2|items|0|list|no|added|what was ordered", "1|3|element|1|struct|no||",
		"1|4|dish|2|string|yes||", "0|1|order_id|0|int|yes||", "0|9|old|0|string|no||", NULL}},
	{"properties", (const char *const[]){"write.target-file-size-bytes|134217728|", "write.delete.mode|merge-on-read|", NULL}},
	{"log", (const char *const[]){"120|metadata/00412-aa.metadata.json", "3600|metadata/00411-bb.metadata.json", NULL}},
	{"growth", (const char *const[]){"5270400|1051729675574597004|15709|1288480000|1025329|", "360000|1|15800|1289000000|1026000|",
		"7200|2951729675574597004|8118|1288480188|1026329|compacted", "120|3051729675574597004|8120|1288490188|1027129|", NULL}},
	{"compact", (const char *const[]){"placed_at_day=2026-11-28|400|3|44040192||400 files under 13 MiB", "placed_at_day=2026-11-29|12|1|440192||"
		"12 files under 13 MiB", NULL}},
	{"expire", (const char *const[]){"1051729675574597004|||1288480000|5270400|older than 5 d", NULL}},
	{"orphans", (const char *const[]){NULL}},
	{"rows", (const char *const[]){"9223372036854775807|2026-11-29 12:00:00.000001Z|ada|no onions; ring twice, for the bell is weak and far away|12.50|"
		"0.1|yes|[\"ramen\", \"tea\"]", "-1||NULL||||no|[]", "7|2026-11-29 12:00:01Z|∅|<null>|3.00|1e300||", NULL}},
};

void fixture_table_answer(struct fixture *f, const char *view, const char *table, const char *why)
{
	bool rows = !strcmp(view, "rows");
	struct snapshot *s = add_snapshot(f, &(struct service_row){.name = rows ? "spark-connect" : "lake"}, PART_ANSWER, 2000, 0);

	s->view = arena_copy(s->arena, text_of(view));
	s->subject = arena_copy(s->arena, text_of(table));
	if (why)
		err_set(&s->err, ERR_TIMEOUT, "%s", why);
	for (size_t i = 0; !why && i < sizeof table_answers / sizeof *table_answers; i++)
		if (!strcmp(table_answers[i].view, view))
			add_rows(s, rows ? rows_specs : table_views, view, table_answers[i].rows);
	if (!why && (!strcmp(view, "compact") || !strcmp(view, "orphans"))) {
		bool compact = view[0] == 'c';

		snapshot_figure(s, plan_figures, "files", value_int(compact ? 7633 : 0));
		snapshot_figure(s, plan_figures, "becomes", value_int(compact ? 42 : 0));
		snapshot_figure(s, plan_figures, "words", value_text(compact ? "7,633 files of 160 KiB become 42 in 31 partitions; rewrites 1.2 GiB" :
			"every file in its folder is named by the table"));
		snapshot_figure(s, plan_figures, "sql", value_text(compact ? "CALL lake.system.rewrite_data_files(table => 'bronze.orders')" :
			"CALL lake.system.remove_orphan_files(table => 'bronze.orders')"));
		if (compact)
			snapshot_figure(s, plan_figures, "caution", value_text("a compaction that is interrupted leaves orphan files"));
	}
	if (rows)
		fixture_service(f, "spark-connect")->answer = s;
	else
		f->catalog_views[0].answer = s;
}

static int by_port(const void *a, const void *b)
{
	const struct port_row *p = a, *q = b;

	return (p->port > q->port) - (p->port < q->port);
}

struct fixture *fixture_new(enum fixture_which which)
{
	static void (*const fill[FIXTURE_COUNT])(struct fixture *) = {
		[FIXTURE_POCKET] = fill_pocket, [FIXTURE_TROUBLE] = fill_trouble, [FIXTURE_STARTING] = fill_starting,
			[FIXTURE_MANY] = fill_many, [FIXTURE_HOSTILE] = fill_hostile,
			[FIXTURE_TABLES] = fill_lake_tables, [FIXTURE_DEEP] = fill_deep,
	};
	struct fixture *f = mem_new(1, sizeof *f);

	f->profile = (struct profile){.name = which == FIXTURE_NOTHING ? NULL : "pocket", .path = "built in"};
	f->lake = (struct lake){.host = "atlas", .profile = which == FIXTURE_NOTHING ? NULL : &f->profile, .services = f->at,
		.ports = f->ports, .events = f->events,
		.now = FIXTURE_NOW, .wall = FIXTURE_WALL, .turn = 1};
	if (which == FIXTURE_NOTHING) {
		f->lake.services = NULL;
		f->lake.ports = NULL;
		f->lake.events = NULL;
	}
	if (fill[which])
		fill[which](f);
	if (f->lake.n_ports)
		qsort(f->ports, f->lake.n_ports, sizeof *f->ports, by_port);
	return f;
}

void fixture_free(struct fixture *f)
{
	for (size_t i = 0; f && i < f->n_snapshots; i++)
		snapshot_unref(f->snapshots[i]);
	if (f)
		free(f->tables);
	free(f);
}

struct lake *fixture_lake(struct fixture *f)
{
	return &f->lake;
}

struct service *fixture_service(struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->lake.n_services; i++)
		if (!strcmp(f->at[i]->name, name))
			return f->at[i];
	abort(); /* a test that asks for what its lake does not have */
}
