// SPDX-License-Identifier: MIT
/*
 * ZooKeeper. Asks the four-letter word "srvr" on the client port, which every server answers in any
 * state, and /commands/srvr of the admin server. An HTTP request on the client port leaves a stack
 * trace in its log, so none is ever sent there; where a port may be either, "srvr" goes first, which
 * the admin server turns down in HTTP.
 *
 * "ruok" is not asked: it says imok while the server serves nobody. The admin server says 200 while it
 * does not serve, too: its field "error" is what counts. Each word leaves an INFO line, so that the
 * pulse is slow.
 *
 * Source: ZooKeeper Administrator's Guide, "The Four Letter Words", "The AdminServer"; checked on 3.8.4.
 * Thread: its actor's.
 */
#include "zookeeper.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "kinds.h"
#include "profile.h"

enum { SRVR_MAX = 4096, MNTR_MAX = 1 << 20, WORD_MS = 3000 };

struct zookeeper { /* p->state */
	bool no_mntr; /* not whitelisted */
};

/* ---- reading ---- */

void zookeeper_split_version(struct text t, struct text *version, struct text *revision)
{
	struct text whole = text_until(t, ',');

	*version = text_trim(text_until(whole, '-'));
	*revision = text_trim(text_after(whole, '-'));
}

static int64_t number(struct text t)
{
	int64_t i;

	return text_i64(text_trim(t), &i) ? i : -1;
}

/* "2.3731": text has no reader of decimals, and nothing else needs one. */
static double decimal(struct text t)
{
	char digits[32], *end;
	double value;

	if (t.len == 0 || t.len >= sizeof digits)
		return -1;
	text_copy(digits, sizeof digits, t);
	value = strtod(digits, &end);
	return *end == '\0' && value >= 0 ? value : -1;
}

enum zookeeper_said zookeeper_parse_srvr(struct text answer, struct zookeeper_srvr *out)
{
	struct text line;

	*out = (struct zookeeper_srvr){.nodes = -1, .connections = -1, .outstanding = -1, .latency_max = -1, .latency_avg = -1};
	if (text_starts(answer, "This ZooKeeper instance is not currently serving requests"))
		return ZOOKEEPER_SICK;
	if (text_has(answer, " is not executed because it is not in the whitelist"))
		return ZOOKEEPER_CLOSED;
	if (text_starts(answer, "HTTP/"))
		return ZOOKEEPER_HTTP;
	while (text_line(&answer, &line)) {
		if (text_skip(&line, "Zookeeper version: "))
			zookeeper_split_version(line, &out->version, &out->revision);
		else if (text_skip(&line, "Mode: "))
			out->mode = text_trim(line);
		else if (text_skip(&line, "Node count: "))
			out->nodes = number(line);
		else if (text_skip(&line, "Connections: "))
			out->connections = number(line);
		else if (text_skip(&line, "Outstanding: "))
			out->outstanding = number(line);
		else if (text_skip(&line, "Latency min/avg/max: ")) {
			out->latency_avg = decimal(text_until(text_after(line, '/'), '/'));
			out->latency_max = number(text_after(text_after(line, '/'), '/'));
		}
	}
	return out->version.len ? ZOOKEEPER_SERVES : ZOOKEEPER_NOT;
}

struct text zookeeper_mntr(struct text answer, const char *key)
{
	struct text line;

	while (text_line(&answer, &line))
		if (text_skip(&line, "zk_") && text_skip(&line, key) && text_skip(&line, "\t"))
			return text_trim(line);
	return (struct text){0};
}

/* ---- asking ---- */

/* One word and its answer, to the end. Empty, with err: none came. */
static bool say(struct probe *p, const char *word, size_t most, struct buf *answer, struct err *err)
{
	struct wait whole = p->wait;
	bool came;

	p->wait = wait_left(whole) > WORD_MS ? wait_for(WORD_MS, whole.cancel) : whole;
	came = net_ask(p, &p->at, text_of(word), most, answer, err);
	p->wait = whole;
	return came || answer->len > 0;
}

/* The JSON of an admin command; NULL: err says why, and is a timeout where nothing was heard. Free it. */
static struct json *command(struct probe *p, const struct endpoint *at, const char *path, struct err *err)
{
	struct http_answer answer;
	struct json *root = NULL;
	bool came = http_get(p, at, path, &answer, err);

	if (came && answer.status == 200)
		root = json_parse(buf_text(&answer.body), err);
	else if (came)
		err_set(err, ERR_PROTOCOL, "GET %s: HTTP %ld", path, answer.status);
	else if (err->code == ERR_PROTOCOL && !answer.heard)
		err->code = ERR_TIMEOUT; /* hung up without a word */
	if (root && !json_string(json_get(root, "command"))) {
		err_set(err, ERR_PROTOCOL, "GET %s: not an answer of an admin server", path);
		json_free(root);
		root = NULL;
	}
	http_answer_free(&answer);
	return root;
}

static enum answered unanswered(const struct err *err)
{
	return err->code == ERR_PROTOCOL || err->code == ERR_PARSE ? ANSWERED_OTHER : net_undialled(err);
}

static enum answered say_version(struct probe *p, struct identity *who, const char *role, struct text whole, const char *from,
	int64_t begun)
{
	struct text version, revision;
	char exact[64];

	zookeeper_split_version(whole, &version, &revision);
	text_copy(exact, sizeof exact, version);
	identity_say(p, who, &kind_zookeeper, role, SURE_EXACT, exact[0] ? exact : NULL, from, asked_in(p, from, begun));
	who->revision = revision.len ? arena_clean(p->arena, revision) : NULL;
	return ANSWERED_YES;
}

static enum answered identify_admin(struct probe *p, struct identity *who)
{
	struct err err = {0};
	int64_t begun = clock_ms();
	struct json *root = command(p, &p->at, "/commands/srvr", &err);

	if (!root)
		return unanswered(&err);
	say_version(p, who, "admin", text_of(json_string(json_get(root, "version"))), "GET /commands/srvr", begun);
	json_free(root);
	return ANSWERED_YES;
}

static enum answered identify(struct probe *p, struct identity *who)
{
	struct zookeeper_srvr srvr;
	struct buf answer;
	struct err err = {0};
	int64_t begun = clock_ms();
	enum zookeeper_said said = ZOOKEEPER_NOT;
	enum answered answered = ANSWERED_OTHER;
	bool came;

	if (role_is(probe_role(p, &kind_zookeeper), "admin"))
		return identify_admin(p, who);
	came = say(p, "srvr\n", SRVR_MAX, &answer, &err);
	if (came)
		said = zookeeper_parse_srvr(buf_text(&answer), &srvr);
	if (!came || answer.len == 0)
		answered = err.code == ERR_PROTOCOL ? ANSWERED_MUTE : net_undialled(&err);
	else if (said == ZOOKEEPER_HTTP)
		answered = identify_admin(p, who);
	else if (said == ZOOKEEPER_SERVES)
		answered = say_version(p, who, NULL, text_between(buf_text(&answer), "Zookeeper version: ", "\n"), "srvr", begun);
	else if (said == ZOOKEEPER_NOT && err.code == ERR_TIMEOUT)
		answered = ANSWERED_MUTE; /* what came of its words by the deadline is too little to say who it is */
	else if (said != ZOOKEEPER_NOT)
		answered = identity_say(p, who, &kind_zookeeper, NULL, SURE_UNKNOWN, NULL, NULL, asked_in(p, "srvr", begun));
	buf_free(&answer);
	return answered;
}

/* ---- how it does ---- */

static const struct { const char *figure, *key; } monitored[] = { /* "zk_" before it in mntr, as it is in /commands/monitor */
	{"watches", "watch_count"},     {"ephemerals", "ephemerals_count"},     {"data_size", "approximate_data_size"},
	{"uptime", "uptime"},           {"open_files", "open_file_descriptor_count"}, {"followers", "synced_followers"},
	{"latency_max", "max_latency"}, {"outstanding", "outstanding_requests"}, {"nodes", "znode_count"},
};
enum { MONITORED = sizeof monitored / sizeof *monitored };

static void figure(struct snapshot *s, const char *name, struct value v)
{
	snapshot_figure(s, kind_zookeeper.figures, name, v);
}

static struct value told(int64_t i)
{
	return i >= 0 ? value_int(i) : value_unknown();
}

static void judge_mode(struct snapshot *s, const char *mode, const char *source)
{
	if (!mode[0])
		snapshot_health(s, LINK_BAD, source, "answers, and does not say in which mode it serves");
	else if (!strcmp(mode, "read-only"))
		snapshot_health(s, LINK_BAD, source, "is cut off from its quorum: only reads are served");
	else
		snapshot_health(s, LINK_OK, source, "serves as %s", mode);
	figure(s, "mode", value_text(mode[0] ? mode : NULL));
}

static void take_monitor(struct snapshot *s, const struct json *root)
{
	for (size_t i = 0; i < MONITORED; i++)
		figure(s, monitored[i].figure, json_value_i64(root, monitored[i].key));
}

static void take_mntr(struct snapshot *s, struct text answer)
{
	for (size_t i = 0; i < MONITORED; i++)
		figure(s, monitored[i].figure, told(number(zookeeper_mntr(answer, monitored[i].key))));
}

static bool inspect_admin(struct probe *p, const struct endpoint *at, struct snapshot *s)
{
	int64_t begun = clock_ms();
	struct json *root = command(p, at, "/commands/monitor", &s->err);
	const char *error = json_string(json_get(root, "error")), *mode = json_string(json_get(root, "server_state"));
	double average;

	if (!root)
		return false;
	if (error)
		snapshot_health(s, LINK_BAD, asked_in(p, "GET /commands/monitor", begun), "%s", error);
	else
		judge_mode(s, mode ? mode : "", asked_in(p, "GET /commands/monitor", begun));
	take_monitor(s, root);
	figure(s, "connections", json_value_i64(root, "num_alive_connections"));
	figure(s, "latency_avg", json_real(json_get(root, "avg_latency"), &average) ? value_real(average) : value_unknown());
	json_free(root);
	return true;
}

/* watches, uptime and more: by the admin server that the profile names, else by mntr where it is whitelisted. */
static void look_closer(struct probe *p, struct snapshot *s)
{
	struct zookeeper *zk = p->state;
	struct endpoint admin = p->at;
	struct err err = {0};
	struct json *root;
	struct buf answer;

	admin.port = p->expected ? expected_role_port(p->expected, "admin") : 0;
	if (admin.port) {
		root = command(p, &admin, "/commands/monitor", &err);
		if (root)
			take_monitor(s, root);
		else
			snapshot_finding(s, "admin", SEVERITY_WARNING, NULL, "its admin server on %u does not answer: %s",
				(unsigned)admin.port, err.words);
		json_free(root);
		return;
	}
	if (zk->no_mntr)
		return;
	if (say(p, "mntr", MNTR_MAX, &answer, &err)) {
		zk->no_mntr = text_has(buf_text(&answer), " is not executed because");
		if (!zk->no_mntr)
			take_mntr(s, buf_text(&answer));
	}
	buf_free(&answer);
}

static void take_srvr(struct probe *p, struct snapshot *s, const struct zookeeper_srvr *srvr, int64_t begun)
{
	char mode[32];

	text_copy(mode, sizeof mode, srvr->mode);
	judge_mode(s, mode, asked_in(p, "srvr", begun));
	figure(s, "nodes", told(srvr->nodes));
	/* it counts the one that asks */
	figure(s, "connections", srvr->connections > 0 ? value_int(srvr->connections - 1) : value_unknown());
	figure(s, "outstanding", told(srvr->outstanding));
	figure(s, "latency_max", told(srvr->latency_max));
	figure(s, "latency_avg", srvr->latency_avg >= 0 ? value_real(srvr->latency_avg) : value_unknown());
}

static bool inspect_client(struct probe *p, struct snapshot *s)
{
	struct zookeeper_srvr srvr;
	struct buf answer;
	int64_t begun = clock_ms();
	enum zookeeper_said said = ZOOKEEPER_NOT;

	if (say(p, "srvr\n", SRVR_MAX, &answer, &s->err))
		said = zookeeper_parse_srvr(buf_text(&answer), &srvr);
	if (said == ZOOKEEPER_NOT && s->err.code == ERR_NONE)
		err_set(&s->err, ERR_PROTOCOL, "closes without a word"); /* as one does that is going down */
	if (said == ZOOKEEPER_SICK)
		snapshot_health(s, LINK_BAD, asked_in(p, "srvr", begun), "is not currently serving requests: it has no quorum");
	else if (said == ZOOKEEPER_SERVES)
		take_srvr(p, s, &srvr, begun);
	else if (said == ZOOKEEPER_CLOSED)
		snapshot_health(s, LINK_UNKNOWN, asked_in(p, "srvr", begun), "its four-letter words are switched off");
	buf_free(&answer);
	if (said != ZOOKEEPER_NOT && said != ZOOKEEPER_HTTP)
		s->err = (struct err){0};
	return said != ZOOKEEPER_NOT && said != ZOOKEEPER_HTTP;
}

static bool inspect(struct probe *p, struct snapshot *s)
{
	if (!p->state)
		p->state = mem_new(1, sizeof(struct zookeeper));
	if (role_is(s->who.role, "admin") || role_is(probe_role(p, &kind_zookeeper), "admin"))
		return inspect_admin(p, &p->at, s);
	if (!inspect_client(p, s))
		return false;
	look_closer(p, s);
	return true;
}

/* Its words name no ports: only the usual numbers and their neighbours are taken, also moved by some ten thousand. */
static const char *role_of(struct text hint, uint16_t port)
{
	unsigned usual = port % 10000u;

	(void)hint;
	if (usual >= 2180 && usual <= 2189)
		return "client";
	return usual == 9999 || usual == 8080 ? "admin" : NULL;
}

const struct service_kind kind_zookeeper = {
	.name = "zookeeper",
	.title = "ZooKeeper",
	.group = "streams",
	.ports = (const struct port_role[]){
		{"client", 2181, PORT_ASK, 0},
		{"admin", 8080, PORT_ASK, 9999},
		{"quorum", 2888, PORT_SILENT, 0},
		{"election", 3888, PORT_SILENT, 0},
		{0}},
	.owners = (const char *const[]){"QuorumPeerMain", "ZooKeeperServerMain", NULL},
	.figures = (const struct figure_spec[]){
		{"mode", "", UNIT_NONE, FIGURE_ROW, "standalone, leader, follower, observer or read-only"},
		{"nodes", "znodes", UNIT_COUNT, FIGURE_ROW, "nodes in its tree"},
		{"connections", "conns", UNIT_COUNT, FIGURE_ROW | FIGURE_HISTORY, "clients connected, without laketop's own question"},
		{"outstanding", "outstanding requests", UNIT_COUNT, FIGURE_HISTORY, "requests that wait"},
		{"latency_max", "max latency", UNIT_MS, 0, "slowest request since it started"},
		{"latency_avg", "avg latency", UNIT_MS, FIGURE_HISTORY, "mean latency since it started"},
		{"watches", "watches", UNIT_COUNT, 0, "watches set by clients"},
		{"ephemerals", "ephemeral znodes", UNIT_COUNT, 0, "nodes that live as long as their session"},
		{"data_size", "data size", UNIT_BYTES, 0, "approximate size of the tree in memory"},
		{"open_files", "open files", UNIT_COUNT, 0, "open file descriptors"},
		{"followers", "followers", UNIT_COUNT, 0, "synced followers; the leader knows"},
		{"uptime", "uptime", UNIT_MS, 0, "since it started"},
		{0}},
	.pulse_ms = 5000,
	.role_of = role_of,
	.identify = identify,
	.inspect = inspect,
	.close = free,
};
