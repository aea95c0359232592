// SPDX-License-Identifier: MIT
/*
 * ask: runs one kind's probe against one endpoint and prints what it says. For trying a kind by hand
 * and for tests that watch a server's log meanwhile.
 *
 *   ask [-n ROUNDS] [-e EVERY_MS] [-q] KIND ADDRESS:PORT [ROLE=PORT...] [user=NAME] [passwordfile=FILE] [database=NAME] [started=MS]
 *   ask KIND ADDRESS:PORT [USER PASSWORDFILE DATABASE]
 *
 * Each round: identify the first time, pulse after that, then inspect. -q prints one line a round.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "profile.h"
#include "service.h"

enum { PORTS_MAX = 12, ROWS_SHOWN = 25, PASSWORD_MAX = 4096 };

struct question {
	const struct service_kind *kind;
	struct probe probe;
	struct expectation expected;
	struct expected_port ports[PORTS_MAX];
	char password[PASSWORD_MAX];
	struct snapshot *last; /* whose strings the next pulse's identity borrows */
	unsigned rounds;
	int64_t every;
	bool quiet;
};

static bool read_number(const char *s, int64_t least, int64_t most, int64_t *out)
{
	return text_i64(text_of(s), out) && *out >= least && *out <= most;
}

static bool read_password(struct question *q, const char *path)
{
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	if (!fgets(q->password, sizeof q->password, f))
		q->password[0] = '\0';
	fclose(f);
	q->password[strcspn(q->password, "\r\n")] = '\0';
	q->probe.credentials.password = q->password;
	return true;
}

static bool read_endpoint(struct question *q, const char *s)
{
	const char *colon = strrchr(s, ':');
	int64_t port;

	if (!colon || !read_number(colon + 1, 1, 65535, &port))
		return false;
	text_copy(q->probe.at.address, sizeof q->probe.at.address, (struct text){s, (size_t)(colon - s)});
	q->probe.at.port = (uint16_t)port;
	q->ports[0].port = (uint16_t)port;
	q->expected.n_ports = 1;
	return true;
}

static bool read_setting(struct question *q, const char *s)
{
	struct text key = text_until(text_of(s), '=');
	const char *value = s + key.len + 1;
	int64_t number;

	if (text_is(key, "user"))
		q->probe.credentials.user = value;
	else if (text_is(key, "database"))
		q->probe.credentials.database = value;
	else if (text_is(key, "passwordfile"))
		return read_password(q, value);
	else if (text_is(key, "started") && read_number(value, 0, INT64_MAX, &number))
		q->probe.owner_started = number;
	else if (text_is(key, "hint"))
		q->probe.hint = value;
	else if (read_number(value, 1, 65535, &number) && q->expected.n_ports < PORTS_MAX) {
		char *role = mem_new(key.len + 1, 1);

		text_copy(role, key.len + 1, key);
		q->ports[q->expected.n_ports++] = (struct expected_port){role, (uint16_t)number};
		q->probe.expected = &q->expected;
	} else
		return false;
	return true;
}

static bool read_arguments(struct question *q, int argc, char **argv)
{
	int64_t number;
	int c;

	while ((c = getopt(argc, argv, "n:e:q")) != -1)
		if (c == 'n' && read_number(optarg, 1, 1000000, &number))
			q->rounds = (unsigned)number;
		else if (c == 'e' && read_number(optarg, 0, 3600000, &number))
			q->every = number;
		else if (c == 'q')
			q->quiet = true;
		else
			return false;
	argv += optind;
	argc -= optind;
	if (argc < 2 || !(q->kind = service_kind_named(argv[0])) || !read_endpoint(q, argv[1]))
		return false;
	if (argc > 2 && !strchr(argv[2], '=')) {
		q->probe.credentials.user = argv[2];
		q->probe.credentials.database = argc > 4 ? argv[4] : NULL;
		return argc <= 5 && (argc == 3 || read_password(q, argv[3]));
	}
	for (int i = 2; i < argc; i++)
		if (!strchr(argv[i], '=') || !read_setting(q, argv[i]))
			return false;
	return true;
}

static const char *const answers[] = {"not asked", "refused", "mute", "other", "yes"};
static const char *const links[] = {"unknown", "ok", "bad", "n/a"};
static const char *const surenesses[] = {"unknown", "hint", "range", "exact"};
static const char *const severities[] = {"info", "warning", "blocking"};

static const char *or_dash(const char *s)
{
	return s ? s : "-";
}

static void print_identity(const char *question, const struct identity *who, int64_t ms)
{
	printf("%-9s %s in %lld ms: kind %s, role %s, version %s%s%s (%s, from %s), source %s", question, answers[who->answered],
		(long long)ms, who->kind ? who->kind->name : "-", or_dash(who->role), or_dash(who->version), who->version_to ? " to " : "",
		who->version_to ? who->version_to : "", surenesses[who->sure], or_dash(who->from), or_dash(who->source));
	if (who->revision)
		printf(", revision %s", who->revision);
	if (who->says)
		printf(", says: %s", who->says);
	putchar('\n');
}

static void print_table(const struct table *t)
{
	char shown[VALUE_TEXT_SIZE];

	printf("table     %s: %zu rows, %zu left off\n", t->spec->name, t->n_rows, t->left_off);
	for (size_t c = 0; c < t->n_columns; c++)
		printf("%s%s", c ? " | " : "            ", t->spec->columns[c].name);
	putchar('\n');
	for (size_t r = 0; r < t->n_rows && r < ROWS_SHOWN; r++) {
		for (size_t c = 0; c < t->n_columns; c++)
			printf("%s%s", c ? " | " : "            ", value_show(shown, t->cells[r * t->n_columns + c], t->spec->columns[c].unit));
		putchar('\n');
	}
}

static void print_depth(const struct snapshot *s, bool good, const struct probe *p)
{
	char shown[VALUE_TEXT_SIZE];

	printf("inspect   %s in %lld ms, %u requests, %zu bytes, arena %zu", good ? "true" : "false", (long long)(clock_ms() - s->begun),
		p->requests, p->bytes, arena_used(s->arena));
	if (s->err.code != ERR_NONE)
		printf(", error %s: %s", err_name(s->err.code), s->err.words);
	printf("\nhealth    %s: %s (%s)\n", links[s->health.state], or_dash(s->health.words), or_dash(s->health.source));
	for (size_t i = 0; i < s->n_figures; i++)
		printf("figure    %-20s %s %s\n", s->figures[i].spec->name, value_show(shown, s->figures[i].value, s->figures[i].spec->unit),
			s->figures[i].spec->label);
	for (size_t i = 0; i < s->n_tables; i++)
		print_table(&s->tables[i]);
	for (size_t i = 0; i < s->n_findings; i++)
		printf("finding   %s, %s: %s [%s]\n", s->findings[i].name, severities[s->findings[i].severity], s->findings[i].reason,
			or_dash(s->findings[i].remedy));
}

static void ask_round(struct question *q, unsigned round)
{
	int64_t first = q->kind->first_ms ? q->kind->first_ms : 1000, begun = clock_ms();
	struct snapshot *s = snapshot_new("ask", PART_DEPTH);
	struct probe *p = &q->probe;
	bool pulse = q->last && q->last->who.answered == ANSWERED_YES && q->kind->pulse;

	p->arena = s->arena;
	p->requests = 0;
	p->bytes = 0;
	p->wait = wait_for(round ? 1000 : first, -1);
	if (pulse)
		s->who = q->last->who;
	s->who.answered = pulse ? q->kind->pulse(p, &s->who) : q->kind->identify(p, &s->who);
	if (!q->quiet)
		print_identity(pulse ? "pulse" : "identify", &s->who, clock_ms() - begun);
	if (s->who.answered == ANSWERED_YES && q->kind->inspect) {
		unsigned requests = p->requests;
		bool good;

		p->wait = wait_for(10000, -1);
		good = q->kind->inspect(p, s);
		if (!q->quiet)
			print_depth(s, good, p);
		else
			printf("%u: %s, health %s: %s, %u + %u requests, %zu bytes, %lld ms\n", round, answers[s->who.answered],
				links[s->health.state], or_dash(s->health.words), requests, p->requests - requests, p->bytes, (long long)(clock_ms() - begun));
	} else if (q->quiet)
		printf("%u: %s\n", round, answers[s->who.answered]);
	if (pulse) /* its strings may still be the one's before */
		snapshot_unref(s);
	else {
		snapshot_unref(q->last);
		q->last = s;
	}
}

static void print_log(void)
{
	static struct log_line lines[64];
	size_t n = log_read(lines, 64);

	for (size_t i = 0; i < n; i++)
		printf("log       %s: %s\n", lines[i].source, lines[i].words);
}

static void print_memory(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "VmRSS", 5) || !strncmp(line, "Threads", 7))
			fputs(line, stdout);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	struct question q = {.rounds = 1, .every = 2000, .probe.hint = ""};

	q.expected.ports = q.ports;
	if (!read_arguments(&q, argc, argv)) {
		fprintf(stderr, "usage: ask [-n ROUNDS] [-e EVERY_MS] [-q] KIND ADDRESS:PORT [USER PASSWORDFILE DATABASE | NAME=VALUE...]\n");
		return 2;
	}
	q.expected.name = q.kind->name;
	q.expected.kind = q.kind;
	q.expected.credentials = q.probe.credentials;
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	q.probe.host = host_local();
	q.probe.net = net_new(q.probe.host);
	for (unsigned round = 0; round < q.rounds; round++) {
		if (round)
			wait_fd(wait_for(q.every, -1), -1, 0);
		ask_round(&q, round);
	}
	print_log();
	print_memory();
	if (q.kind->close)
		q.kind->close(q.probe.state);
	snapshot_unref(q.last);
	net_free(q.probe.net);
	q.probe.host->close(q.probe.host);
	return 0;
}
