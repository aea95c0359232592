// SPDX-License-Identifier: MIT
/* See options.h. An option is one line in the table below and one line in take(). Pure. */
#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "logs.h"
#include "rows.h"
#include "text.h"

enum { WORD_MAX = 32 };

#define FOR(command) (1u << (command))
enum { FACTS = FOR(COMMAND_SCREEN) | FOR(COMMAND_STATUS) | FOR(COMMAND_CHECK) | FOR(COMMAND_WAIT) | FOR(COMMAND_PORTS) | FOR(COMMAND_EVENTS) |
	FOR(COMMAND_LAG) | FOR(COMMAND_SPARK) | FOR(COMMAND_TABLES) | FOR(COMMAND_TABLE) | FOR(COMMAND_PLAN) | FOR(COMMAND_ROWS) |
		FOR(COMMAND_DOCTOR),
	LOGS = FOR(COMMAND_LOGS),
	ACTS = FOR(COMMAND_START) | FOR(COMMAND_STOP) | FOR(COMMAND_RESTART) | FOR(COMMAND_DO) | FOR(COMMAND_RUN) |
		FOR(COMMAND_TESTDATA) };

const struct command_spec command_specs[COMMAND_COUNT] = {
	[COMMAND_SCREEN] = {"", "", "the lakehouse on this terminal"},
	[COMMAND_STATUS] = {"status", "", "one look as text or JSON; exit code 0 where it is READY"},
	[COMMAND_CHECK] = {"check", "[SERVICE...]", "one line, and 0 where the services serve; without names the required ones"},
	[COMMAND_WAIT] = {"wait", "", "until services are as --for says"},
	[COMMAND_PORTS] = {"ports", "", "every expected and every found listener, who holds it, who answers"},
	[COMMAND_EVENTS] = {"events", "", "what changed, when"},
	[COMMAND_LAG] = {"lag", "", "how far behind consumer groups and streaming queries are, and whether they get on"},
	[COMMAND_SPARK] = {"spark", "", "masters, workers, applications, stages, streaming queries and Connect of every Spark"},
	[COMMAND_TABLES] = {"tables", "", "every table of every catalog, and what is due for it, most due first"},
	[COMMAND_TABLE] = {"table", "TABLE", "one table: health, facts, snapshots, partitions, schema, properties"},
	[COMMAND_PLAN] = {"plan", "ACTION TABLE [name=value...]", "what a cure of a table would do; nothing is run"},
	[COMMAND_ROWS] = {"rows", "TABLE", "the first rows of a table, by the engine of its catalog"},
	[COMMAND_DOCTOR] = {"doctor", "", "versions, terminal, what is asked of each service and what that costs it"},
	[COMMAND_START] = {"start", "SERVICE...", "start them, what they need first, and wait until they serve; \"all\" is every required one"},
	[COMMAND_STOP] = {"stop", "SERVICE...", "stop them, those that need others first"},
	[COMMAND_RESTART] = {"restart", "SERVICE...", "stop and start them, and wait until they serve"},
	[COMMAND_RUN] = {"run", "[RUNBOOK...]", "a runbook of the profile: NAME [variable=value...]; without a name: which there are, and their last runs"},
	[COMMAND_TESTDATA] = {"testdata", "generate|load|stream|stats|clean", "by the programs of [testdata]; stream goes on until Ctrl-C"},
	[COMMAND_DO] = {"do", "[VERB SERVICE...]", "any other action: VERB SERVICE [SUBJECT...] [name=value...]; without words: which there are"},
	[COMMAND_ACTIONS] = {"actions", "", "what an earlier laketop began and never ended; exit code 1 where there is any"},
	[COMMAND_LOGS] = {"logs", "SERVICE...", "what they write, in one timeline: files, containers, units; \"all\", a path, WORKER/app-1/0, too"},
	[COMMAND_THEMES] = {"themes", "", "the built-in themes"},
	[COMMAND_KEYS] = {"keys", "", "the keys of the screen"},
};

const struct option_spec option_specs[] = {
	{"--profile", "NAME|FILE", "what should be there: a name in the configuration folders, or a file", FACTS | ACTS | FOR(COMMAND_ACTIONS) | LOGS},
	{"--demo", "NAME", "READY means the services of this [demo NAME] of the profile", FACTS},
	{"--record", "FILE", "write everything that is learnt to FILE", FACTS},
	{"--replay", "FILE", "show what FILE recorded; nothing is asked", FACTS},
	{"--theme", "NAME|FILE", "colours: a built-in theme, or a file", FOR(COMMAND_SCREEN)},
	{"--ascii", NULL, "draw no sign beyond ASCII", FOR(COMMAND_SCREEN) | FOR(COMMAND_KEYS)},
	{"--no-color", NULL, "draw without colours, as with NO_COLOR", FOR(COMMAND_SCREEN)},
	{"--mouse", NULL, "begin with the mouse on (m switches it)", FOR(COMMAND_SCREEN)},
	{"--json", NULL, "print JSON", FOR(COMMAND_STATUS) | FOR(COMMAND_PORTS) | FOR(COMMAND_LAG) | FOR(COMMAND_SPARK) | FOR(COMMAND_TABLES) |
		FOR(COMMAND_TABLE) | FOR(COMMAND_PLAN) | FOR(COMMAND_ROWS) | FOR(COMMAND_ACTIONS) | FOR(COMMAND_RUN) | LOGS},
	{"--follow", NULL, "-f: go on with what is written from now on", LOGS},
	{"--since", "TIME", "from then on: 10min (ago), 14:05, 2026-11-29T14:05:00Z; without it the last lines;"
		" all where --match or a --level from warn on looks for something", LOGS},
	{"--level", "LEVEL", "only what is as bad: trace, debug, info, warn, error, fatal", LOGS},
	{"--match", "PATTERN", "only what this regular expression finds", LOGS},
	{"--files", NULL, "with its largest files", FOR(COMMAND_TABLE)},
	{"--csv", NULL, "print CSV (RFC 4180): NULL is an empty field, an empty text is \"\"", FOR(COMMAND_ROWS)},
	{"-n", "N", "as many rows, from 1 to 10000 (100)", FOR(COMMAND_ROWS)},
	{"--tables", NULL, "with the tables of each service", FOR(COMMAND_STATUS)},
	{"--service", "NAME", "only this one; of rows: who shows them", FOR(COMMAND_STATUS) | FOR(COMMAND_LAG) | FOR(COMMAND_ROWS)},
	{"--group", "NAME", "only this consumer group or streaming query, with its partitions", FOR(COMMAND_LAG)},
	{"--within", "TIME", "answer after this time at the latest; what is not known by then is unknown (8s)",
		FOR(COMMAND_STATUS) | FOR(COMMAND_CHECK) | FOR(COMMAND_PORTS) | FOR(COMMAND_EVENTS) | FOR(COMMAND_LAG) | FOR(COMMAND_SPARK) |
			FOR(COMMAND_TABLES) | FOR(COMMAND_TABLE) | FOR(COMMAND_PLAN) | FOR(COMMAND_ROWS) | FOR(COMMAND_DOCTOR)},
	{"--for", "SERVICE=VERDICT[@VERSION]", "what to wait for; may be given more than once: all of them", FOR(COMMAND_WAIT)},
	{"--timeout", "TIME", "give up then, with exit code 6 (60s)", FOR(COMMAND_WAIT)},
	{"--yes", NULL, "run it without asking", ACTS},
	{"--dry-run", NULL, "show what exactly each step would do, as far as it can be known now; nothing is run", FOR(COMMAND_RUN)},
	{"--from", "N", "begin with step N", FOR(COMMAND_RUN)},
	{"--resume", NULL, "go on with the step that the last run did not finish", FOR(COMMAND_RUN)},
	{"--retry", NULL, "where another commit came between: try it again, up to five times", FOR(COMMAND_DO)},
	{"--keep-going", NULL, "of several: go on after one that failed", FOR(COMMAND_DO)},
	{"--of", "VERSION", "only those that the profile expects in this version: start spark --of 4.1 (or --version 4.1)", ACTS},
	{"--read-only", NULL, "nothing can be changed, whatever is pressed", FOR(COMMAND_SCREEN) | ACTS},
	{"--locked", NULL, "begin with actions locked; L unlocks them", FOR(COMMAND_SCREEN)},
	{"--version", NULL, "versions of laketop and its libraries", 0},
	{"--help", NULL, "this text, or that of the command", 0},
	{0},
};

/* ---- the nearest right word ---- */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to add, drop, change or swap. */
static size_t edits(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1], la = strlen(a), lb = strlen(b);

	if (la > WORD_MAX || lb > WORD_MAX)
		return WORD_MAX;
	for (size_t k = 0; k <= lb; k++)
		rows[0][k] = k;
	for (size_t i = 1; i <= la; i++) {
		size_t *now = rows[i % 3], *last = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t k = 1; k <= lb; k++) {
			now[k] = least(least(last[k] + 1, now[k - 1] + 1), last[k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				now[k] = least(now[k], before[k - 2] + 1);
		}
	}
	return rows[la % 3][lb];
}

const char *options_nearest(const char *word, const char *const *names, size_t n)
{
	const char *best = NULL, *letters = word + strspn(word, "-");
	size_t best_edits = strlen(letters) / 3 + 2;

	for (size_t i = 0; i < n; i++) {
		size_t d = edits(word, names[i]);

		/* "--prof" is nearer to --profile than letters say */
		if (strlen(letters) > 1 && !strncmp(word, names[i], strlen(word)))
			d = 1;
		if (d < best_edits) {
			best = names[i];
			best_edits = d;
		}
	}
	return best;
}

static bool unknown_command(const char *word, struct err *err)
{
	const char *names[COMMAND_COUNT], *near;
	size_t n = 0;

	for (int c = COMMAND_STATUS; c < COMMAND_COUNT; c++)
		names[n++] = command_specs[c].name;
	near = options_nearest(word, names, n);
	return near ? err_set(err, ERR_USAGE, "there is no command \"%s\": did you mean \"%s\"?", word, near)
		    : err_set(err, ERR_USAGE, "there is no command \"%s\": \"laketop --help\" lists them", word);
}

static bool belongs(const struct option_spec *spec, enum command command)
{
	return !spec->commands || (spec->commands & FOR(command));
}

static bool unknown_option(enum command command, const char *word, struct err *err)
{
	const char *names[sizeof option_specs / sizeof *option_specs], *near;
	char name[WORD_MAX];
	size_t n = 0;

	word = text_copy(name, sizeof name, text_until(text_of(word), '='));
	for (const struct option_spec *spec = option_specs; spec->name; spec++)
		names[n++] = spec->name;
	near = options_nearest(word, names, n);
	return near ? err_set(err, ERR_USAGE, "there is no option \"%s\": did you mean \"%s\"?", word, near)
		    : err_set(err, ERR_USAGE, "there is no option \"%s\": \"laketop %s%s--help\" lists them", word, command_specs[command].name,
			      command ? " " : "");
}

/* ---- reading ---- */

bool options_duration(const char *s, int64_t *ms)
{
	static const struct {
		const char *unit;
		int64_t ms;
	} units[] = {{"ms", 1}, {"s", 1000}, {"min", 60000}, {"m", 60000}, {"h", 3600000}, {"", 1000}};
	size_t digits = strspn(s, "0123456789");
	int64_t n;

	if (digits > 9 || !text_i64((struct text){s, digits}, &n))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(s + digits, units[i].unit)) {
			*ms = n * units[i].ms;
			return true;
		}
	return false;
}

/* "10min" ago, "14:05", "14:05:30", "2026-11-29T14:05:00Z". */
static bool read_moment(const char *s, int64_t now, int64_t *at)
{
	int64_t ago;

	if (!options_duration(s, &ago))
		return clock_moment(s, now, at);
	*at = now - ago;
	return ago < now;
}

static bool take_time(const char *name, const char *value, int64_t *out, struct err *err)
{
	return options_duration(value, out) || err_set(err, ERR_USAGE, "%s %s: expected a time like 2s, 500ms or 1min", name, value);
}

static bool take_condition(const char *value, struct options *o, struct err *err)
{
	for (size_t i = 0; i < CONDITIONS_MAX; i++)
		if (!o->conditions[i]) {
			o->conditions[i] = value;
			return true;
		}
	return err_set(err, ERR_USAGE, "--for: at most %d conditions", CONDITIONS_MAX);
}

static bool take(const struct option_spec *spec, const char *value, struct options *o, struct err *err)
{
	const struct {
		const char *name;
		const char **word;
		bool *flag;
	} places[] = {
		{"--profile", &o->profile, NULL}, {"--demo", &o->demo, NULL}, {"--record", &o->record, NULL},
		{"--replay", &o->replay, NULL}, {"--theme", &o->theme, NULL}, {"--service", &o->service, NULL},
		{"--group", &o->group, NULL}, {"--ascii", NULL, &o->ascii}, {"--no-color", NULL, &o->no_color},
		{"--mouse", NULL, &o->mouse}, {"--json", NULL, &o->json}, {"--tables", NULL, &o->tables}, {"--files", NULL, &o->files},
		{"--dry-run", NULL, &o->dry_run}, {"--from", &o->from, NULL}, {"--resume", NULL, &o->resume},
		{"--yes", NULL, &o->yes}, {"--retry", NULL, &o->retry}, {"--keep-going", NULL, &o->keep_going},
		{"--read-only", NULL, &o->read_only}, {"--locked", NULL, &o->locked}, {"--of", &o->version_wanted, NULL},
		{"--csv", NULL, &o->csv},
		{"--level", &o->level, NULL}, {"--match", &o->match, NULL}, {"--follow", NULL, &o->follow},
		{"--help", NULL, &o->help}, {"--version", NULL, &o->version},
	};

	if (!strcmp(spec->name, "--within"))
		return take_time(spec->name, value, &o->within, err);
	if (!strcmp(spec->name, "--timeout"))
		return take_time(spec->name, value, &o->timeout, err);
	if (!strcmp(spec->name, "-n"))
		return (text_i64(text_of(value), &o->limit) && o->limit >= 1 && o->limit <= ROWS_MOST) ||
		       err_set(err, ERR_USAGE, "-n %s: expected a number from 1 to %d", value, ROWS_MOST);
	if (!strcmp(spec->name, "--since"))
		return read_moment(value, clock_wall_ms(), &o->since) ||
			err_set(err, ERR_USAGE, "--since %s: expected a time like 10min, 14:05 or 2026-11-29T14:05:00Z", value);
	if (!strcmp(spec->name, "--for"))
		return take_condition(value, o, err);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (!strcmp(places[i].name, spec->name)) {
			if (places[i].word)
				*places[i].word = value;
			else
				*places[i].flag = true;
		}
	return true;
}

/* The option that a word of the command line names, its value cut off; NULL: none. */
static const struct option_spec *find_option(const char *word)
{
	struct text name = text_until(text_of(!strcmp(word, "-h") ? "--help" : !strcmp(word, "-f") ? "--follow" : word), '=');

	for (const struct option_spec *spec = option_specs; spec->name; spec++)
		if (text_is(name, spec->name))
			return spec;
	return NULL;
}

/* One option at argv[*i]; moves *i past a value of its own. */
static bool parse_option(int argc, char *const argv[], int *i, struct options *o, struct err *err)
{
	const char *word = argv[*i], *equals = strchr(word, '='), *value = equals ? equals + 1 : NULL;
	const struct option_spec *spec = find_option(word);

	if (!spec)
		return unknown_option(o->command, word, err);
	if (!strcmp(spec->name, "--version") && (ACTS & FOR(o->command)) && (value || (*i + 1 < argc && argv[*i + 1][0] != '-')))
		spec = find_option("--of"); /* "start spark --version 4.1" */
	if (!belongs(spec, o->command)) {
		if (o->command == COMMAND_SCREEN)
			return err_set(err, ERR_USAGE, "%s needs a command: \"laketop --help\" says which", spec->name);
		return err_set(err, ERR_USAGE, "\"laketop %s\" takes no %s", command_specs[o->command].name, spec->name);
	}
	if (!spec->argument)
		return value ? err_set(err, ERR_USAGE, "%s takes no value", spec->name) : take(spec, NULL, o, err);
	if (!value && ++*i < argc)
		value = argv[*i];
	if (!value || !*value)
		return err_set(err, ERR_USAGE, "%s needs a value: %s", spec->name, spec->argument);
	return take(spec, value, o, err);
}

/* The command is known before its options are judged: "--json status" is "status --json". */
static bool find_command(int argc, char *const argv[], struct options *o, int *at, struct err *err)
{
	*at = 0;
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (word[0] != '-') {
			for (int c = COMMAND_STATUS; c < COMMAND_COUNT; c++)
				if (!strcmp(word, command_specs[c].name)) {
					o->command = (enum command)c;
					*at = i;
					return true;
				}
			return unknown_command(word, err);
		}
		if (!find_option(word))
			return unknown_option(COMMAND_SCREEN, word, err);
		if (find_option(word)->argument && !strchr(word, '='))
			i++;
	}
	return true;
}

/* How many words the arguments are, where they may not be left out. */
static size_t names_needed(enum command command)
{
	struct text rest = text_until(text_of(command_specs[command].arguments), '['), word;
	size_t n = 0;

	while (text_word(&rest, &word))
		n++;
	return n;
}

static bool take_name(const char *word, struct options *o, struct err *err)
{
	size_t n = 0;

	if (!command_specs[o->command].arguments[0])
		return err_set(err, ERR_USAGE, "\"laketop %s\" takes no \"%s\"", command_specs[o->command].name, word);
	while (o->names[n])
		n++;
	if (n == NAMES_MAX)
		return err_set(err, ERR_USAGE, "at most %d services can be named", NAMES_MAX);
	if (names_needed(o->command) && n == names_needed(o->command) && !strstr(command_specs[o->command].arguments, "..."))
		return err_set(err, ERR_USAGE, "\"laketop %s\" takes %s, and no \"%s\"", command_specs[o->command].name,
			command_specs[o->command].arguments, word);
	o->names[n] = word;
	return true;
}

bool options_parse(int argc, char *const argv[], struct options *out, struct err *err)
{
	int command_at;
	bool fine = true;

	*out = (struct options){.within = -1, .timeout = -1, .limit = -1};
	if (!find_command(argc, argv, out, &command_at, err))
		return false;
	for (int i = 1; i < argc && fine; i++)
		if (i == command_at)
			continue;
		else if (argv[i][0] == '-' && argv[i][1])
			fine = parse_option(argc, argv, &i, out, err);
		else
			fine = take_name(argv[i], out, err);
	if (!fine || out->help || out->version)
		return fine;
	if (out->record && out->replay)
		return err_set(err, ERR_USAGE, "--record and --replay exclude each other");
	if (names_needed(out->command) && !out->names[names_needed(out->command) - 1])
		return err_set(err, ERR_USAGE, "\"laketop %s\" needs %s", command_specs[out->command].name, command_specs[out->command].arguments);
	if (out->json && out->csv)
		return err_set(err, ERR_USAGE, "--json and --csv exclude each other");
	if (out->command == COMMAND_WAIT && !out->conditions[0])
		return err_set(err, ERR_USAGE, "\"laketop wait\" needs --for SERVICE=VERDICT[@VERSION]");
	return true;
}

/* ---- help ---- */

static void help_option(const struct option_spec *spec, struct buf *out)
{
	char name[64];

	snprintf(name, sizeof name, "%s%s%s", spec->name, spec->argument ? " " : "", spec->argument ? spec->argument : "");
	/* a long one has its help on the next line */
	if (strlen(name) > 24)
		buf_printf(out, "  %s\n  %-24s  %s\n", name, "", spec->help);
	else
		buf_printf(out, "  %-24s  %s\n", name, spec->help);
}

void options_help(enum command command, struct buf *out)
{
	const struct command_spec *spec = &command_specs[command];

	if (command == COMMAND_SCREEN) {
		buf_puts(out, "laketop: the whole lakehouse on one terminal\n\nusage: laketop [COMMAND] [OPTION...]\n\ncommands; without one the screen opens\n");
		for (int c = COMMAND_STATUS; c < COMMAND_COUNT; c++)
			buf_printf(out, "  %-8s %-15s  %s\n", command_specs[c].name, command_specs[c].arguments, command_specs[c].help);
	} else
		buf_printf(out, "laketop %s: %s\n\nusage: laketop %s%s%s [OPTION...]\n", spec->name, spec->help, spec->name, spec->arguments[0] ? " " : "",
			spec->arguments);
	buf_puts(out, "\noptions\n");
	for (const struct option_spec *option = option_specs; option->name; option++)
		if (command == COMMAND_SCREEN || belongs(option, command))
			help_option(option, out);
	buf_puts(out, "\nexit codes\n  0 ready, done, met   1 not ready, failed   2 usage or configuration   3 not enough could be known\n"
		      "  4 refused: read-only, locked, nobody said yes   5 done, and what is there afterwards does not say so   6 time is up\n"
		      "  of the screen: 129 its terminal is gone, 130 Ctrl-C, 143 ended from outside\n");
}
