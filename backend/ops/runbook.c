// SPDX-License-Identifier: MIT
/* What a step of a runbook is: its words, variables put in, as a wish, a wait or a command. Pure. See runbook.h. */
#include "runbook.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../format/secrets.h"
#include "ops.h"
#include "ops_own.h"

enum { WAIT_MS = 60000, ARGV_MAX = 100 };

static const char *const stage_words[] = {
	[STAGE_AHEAD] = "ahead", [STAGE_PASSED] = "passed over", [STAGE_RUNS] = "runs", [STAGE_DONE] = "done", [STAGE_FAILED] = "failed",
	[STAGE_CANCELLED] = "cancelled",
};

const char *stage_word(enum stage s)
{
	return stage_words[s];
}

bool step_says_all(const struct step_shown *s)
{
	struct text title = text_of(s->title);

	text_skip(&title, "command ");
	return text_is(title, s->exact);
}

/* ---- variables ---- */

static const char *value_of(const struct runbook *b, const struct action_wish *given, const char *name)
{
	const char *value = given ? wish_option(given, name) : NULL;

	for (size_t i = 0; !value && i < b->n_variables; i++)
		if (!strcmp(b->variables[i].name, name))
			value = b->variables[i].value;
	return value;
}

/* "${name}" at the beginning of rest: moves past it. False: err says what is wrong with it. */
static bool variable_name(struct text *rest, char name[ACTION_VERB_SIZE], struct err *err)
{
	struct text inside = text_until((struct text){rest->at + 2, rest->len - 2}, '}');

	if (inside.len + 2 == rest->len)
		return err_set(err, ERR_USAGE, "\"${\" is not closed by \"}\" ($$ is a dollar)");
	for (size_t i = 0; i < inside.len; i++) {
		char c = inside.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
			return err_set(err, ERR_USAGE, "\"${%.*s}\": a variable's name has letters, digits and _", (int)(inside.len < 30 ? inside.len : 30),
				inside.at);
	}
	if (!inside.len || inside.len >= ACTION_VERB_SIZE)
		return err_set(err, ERR_USAGE, "a variable's name has 1 to %d letters", ACTION_VERB_SIZE - 1);
	text_copy(name, ACTION_VERB_SIZE, inside);
	*rest = (struct text){rest->at + inside.len + 3, rest->len - inside.len - 3};
	return true;
}

static bool append(char *out, size_t size, size_t *len, struct text t, struct err *err)
{
	if (*len + t.len >= size)
		return err_set(err, ERR_USAGE, "with its variables a word is longer than %zu bytes", size - 1);
	memcpy(out + *len, t.at, t.len);
	*len += t.len;
	out[*len] = '\0';
	return true;
}

/* One word of a step as it is run: whatever a variable holds, it stays one word. shown: what a secret's name has is ***. */
static bool put_in(const struct runbook *b, const struct action_wish *given, const char *word, bool shown, char *out, size_t size, struct err *err)
{
	struct text rest = text_of(word);
	char name[ACTION_VERB_SIZE];
	size_t len = 0;

	out[0] = '\0';
	while (rest.len) {
		const char *value;

		if (text_starts(rest, "${")) {
			if (!variable_name(&rest, name, err))
				return false;
			value = value_of(b, given, name);
			if (!value)
				return err_set(err, ERR_USAGE, "${%s} is not set: \"var.%s = ...\" in [runbook %s], or: laketop run %s %s=...", name, name,
					b->name, b->name, name);
			if (!append(out, size, &len, text_of(shown && key_is_secret(text_of(name)) ? "***" : value), err))
				return false;
			continue;
		}
		if (text_starts(rest, "$$"))
			rest = (struct text){rest.at + 1, rest.len - 1};
		if (!append(out, size, &len, (struct text){rest.at, 1}, err))
			return false;
		rest = (struct text){rest.at + 1, rest.len - 1};
	}
	return true;
}

bool runbook_has_variable(const struct runbook *b, const char *name)
{
	char used[ACTION_VERB_SIZE + 4];

	for (size_t i = 0; i < b->n_variables; i++)
		if (!strcmp(b->variables[i].name, name))
			return true;
	snprintf(used, sizeof used, "${%.*s}", ACTION_VERB_SIZE - 1, name);
	for (size_t i = 0; i < b->n_steps; i++)
		for (const char *const *w = b->steps[i].words; *w; w++)
			if (strstr(*w, used))
				return true;
	return false;
}

static void add_variable(const struct profile *p, struct book_variable *out, size_t *n, const char *name, const char *value)
{
	char masked[VARIABLE_SIZE];
	size_t i = 0;

	while (i < *n && strcmp(out[i].name, name) != 0)
		i++;
	if (i < *n || i == ACTION_OPTIONS_MAX)
		return;
	mask_copy(p, masked, sizeof masked, text_of(value), false);
	out[i] = (struct book_variable){.value = value, .secret = key_is_secret(text_of(name)) || (value && strcmp(masked, value) != 0)};
	text_copy(out[i].name, sizeof out[i].name, text_of(name));
	(*n)++;
}

size_t runbook_variables(const struct profile *p, const struct runbook *b, struct book_variable out[ACTION_OPTIONS_MAX])
{
	char name[ACTION_VERB_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < b->n_variables; i++)
		add_variable(p, out, &n, b->variables[i].name, b->variables[i].value);
	for (size_t i = 0; i < b->n_steps; i++)
		for (const char *const *w = b->steps[i].words; *w; w++)
			for (struct text rest = text_of(*w); rest.len;) {
				size_t skip = text_starts(rest, "$$") ? 2 : 1;

				if (text_starts(rest, "${") && variable_name(&rest, name, NULL))
					add_variable(p, out, &n, name, NULL);
				else
					rest = (struct text){rest.at + skip, rest.len - skip};
			}
	return n;
}

bool runbook_given(const struct profile *p, const struct runbook *b, const struct action_wish *given, struct err *err)
{
	const char *from = wish_option(given, RUN_FROM);
	int64_t n;

	(void)p;
	for (size_t i = 0; i < given->n_options; i++) {
		const char *name = given->options[i].name;

		if (!strcmp(name, RUN_FROM) || !strcmp(name, RUN_RESUME) || runbook_has_variable(b, name))
			continue;
		return err_set(err, ERR_USAGE, "runbook %s has no variable \"%s\"%s%s", b->name, name, b->n_variables ? ": there is " : "",
			b->n_variables ? b->variables[0].name : "");
	}
	if (from && wish_option(given, RUN_RESUME))
		return err_set(err, ERR_USAGE, "%s and %s exclude each other", RUN_FROM, RUN_RESUME);
	if (from && (!text_i64(text_of(from), &n) || n < 1 || n > (int64_t)b->n_steps))
		return err_set(err, ERR_USAGE, "%s %s: runbook %s has steps 1 to %zu", RUN_FROM, from, b->name, b->n_steps);
	return true;
}

uint64_t runbook_print(const struct runbook *b)
{
	uint64_t print = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < b->n_steps; i++) {
		for (const char *const *w = b->steps[i].words; *w; w++) {
			for (const char *at = *w; *at; at++)
				print = (print ^ (unsigned char)*at) * 0x100000001b3u;
			print = (print ^ 0x1f) * 0x100000001b3u;
		}
		print = (print ^ 0x1e) * 0x100000001b3u;
	}
	return print;
}

/* ---- steps ---- */

static const char *const testdata_verbs[] = {"generate", "load", "stream", "stats", "clean", NULL};

static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(*list, word) != 0)
		list++;
	return *list != NULL;
}

static const struct action_spec *spec_of(const char *verb)
{
	for (size_t i = 0; action_specs[i]; i++)
		if (!strcmp(action_specs[i]->verb, verb))
			return action_specs[i];
	return NULL;
}

/* What the first words say: how many there are until whom it is about, and which verb. */
static bool verb_of(const struct runbook_step *step, size_t *used, const char **verb, struct err *err)
{
	const char *const *w = step->words;

	*used = 0;
	if (!strcmp(w[0], "testdata")) {
		if (!w[1] || !is_one_of(w[1], testdata_verbs) || w[2])
			return err_set(err, ERR_USAGE, "testdata takes one of generate, load, stats, clean");
		if (!strcmp(w[1], "stream"))
			return err_set(err, ERR_USAGE, "testdata stream goes on until it is cancelled: it is no step");
		*verb = w[1];
		*used = 2;
		return true;
	}
	if (!strcmp(w[0], "do"))
		(*used)++;
	*verb = w[*used];
	if (!*verb)
		return err_set(err, ERR_USAGE, "do what? VERB SERVICE [SUBJECT] [name=value ...]");
	(*used)++;
	if (!strcmp(*verb, "run"))
		return err_set(err, ERR_USAGE, "a runbook is no step of another");
	if (!spec_of(*verb) || spec_of(*verb)->on == ON_PROFILE)
		return err_set(err, ERR_USAGE, "\"%.40s\" is nothing that can be done: start, stop, restart, do VERB ..., wait, command, testdata; "
			"\"laketop do\" lists the verbs", *verb);
	if (!w[*used])
		return err_set(err, ERR_USAGE, "%s whom?", *verb);
	return true;
}

/* "name=value" as it is written: what a variable holds does not make an option of a subject. */
static bool is_option(const char *word)
{
	size_t name = strcspn(word, "=$");

	return name > 0 && word[name] == '=';
}

static bool read_wish(const struct runbook *b, const struct runbook_step *step, const struct action_wish *given, struct book_step *out,
	struct err *err)
{
	char word[STEP_WORD_SIZE], name[ACTION_VERB_SIZE];
	const struct action_spec *spec;
	const char *verb;
	size_t used, n = 0;

	if (!verb_of(step, &used, &verb, err))
		return false;
	text_copy(out->wish.verb, sizeof out->wish.verb, text_of(verb));
	if (!strcmp(step->words[0], "testdata"))
		text_copy(out->wish.service, sizeof out->wish.service, TEXT("testdata"));
	for (const char *const *w = step->words + used; *w; w++) {
		bool option = n > 0 && is_option(*w);
		const char *value = option ? strchr(*w, '=') + 1 : *w;
		size_t room = option ? sizeof out->wish.options[0].value : n ? sizeof out->wish.subject : sizeof out->wish.service;

		if (!put_in(b, given, value, false, word, room, err))
			return false;
		text_copy(name, sizeof name, text_until(text_of(*w), '='));
		if (option && !wish_option_set(&out->wish, name, word))
			return err_set(err, ERR_USAGE, "%s: an option too many, or too long", name);
		if (!option && n > 1)
			return err_set(err, ERR_USAGE, "%s takes SERVICE and SUBJECT, and no \"%.40s\"", verb, *w);
		if (!option && n++ == 0)
			text_clean(out->wish.service, sizeof out->wish.service, text_of(word));
		else if (!option)
			text_clean(out->wish.subject, sizeof out->wish.subject, text_of(word));
	}
	spec = spec_of(verb);
	if (spec && spec->on == ON_SERVICE && n > 1)
		return err_set(err, ERR_USAGE, "%s takes one service: a step for each", verb);
	return true;
}

/* "90s", "2min", "500ms"; without a unit: seconds. */
static bool read_span(const char *s, int64_t *ms)
{
	static const struct {
		const char *unit;
		int64_t ms;
	} units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}, {"min", 60000}, {"h", 3600000}};
	size_t digits = strspn(s, "0123456789");
	int64_t n;

	for (size_t i = 0; digits && digits < 9 && i < sizeof units / sizeof *units; i++)
		if (!strcmp(s + digits, units[i].unit) && text_i64((struct text){s, digits}, &n)) {
			*ms = n * units[i].ms;
			return n > 0;
		}
	return false;
}

static bool read_wait(const struct runbook *b, const struct runbook_step *step, const struct action_wish *given, struct book_step *out,
	struct err *err)
{
	char word[STEP_WORD_SIZE];

	out->limit_ms = WAIT_MS;
	for (const char *const *w = step->words + 1; *w; w++) {
		if (!put_in(b, given, *w, false, word, sizeof word, err))
			return false;
		if (!strchr(word, '=') && ((word[0] >= '0' && word[0] <= '9') || (!w[1] && out->n_conditions))) {
			if (!read_span(word, &out->limit_ms))
				return err_set(err, ERR_USAGE, "wait: \"%.40s\" is not a time such as 90s or 2min", *w);
			continue;
		}
		if (out->n_conditions == STEP_CONDITIONS_MAX)
			return err_set(err, ERR_USAGE, "wait: at most %d conditions", STEP_CONDITIONS_MAX);
		if (!condition_parse(word, &out->conditions[out->n_conditions++], err))
			return false;
	}
	return out->n_conditions || err_set(err, ERR_USAGE, "wait for what? SERVICE=VERDICT[@VERSION] ... [TIME]");
}

static bool read_command(const struct runbook *b, size_t i, const struct action_wish *given, struct book_step *out, struct err *err)
{
	char word[STEP_WORD_SIZE];

	if (!b->steps[i].words[1])
		return err_set(err, ERR_USAGE, "command names no program");
	for (const char *const *w = b->steps[i].words + 1; *w; w++)
		if (!put_in(b, given, *w, false, word, sizeof word, err))
			return false;
	text_copy(out->wish.verb, sizeof out->wish.verb, TEXT("command"));
	snprintf(out->wish.subject, sizeof out->wish.subject, "%.100s:%zu", b->name, i + 1);
	for (size_t k = 0; given && k < given->n_options; k++)
		if (given->options[k].name[0] != '-')
			wish_option_set(&out->wish, given->options[k].name, given->options[k].value);
	return true;
}

/* As it was written, with variables, but for secrets. */
static void say_title(const struct profile *p, const struct runbook *b, const struct runbook_step *step, const struct action_wish *given,
	char out[160])
{
	char said[STEP_WORD_SIZE], word[STEP_WORD_SIZE];
	bool command = !strcmp(step->words[0], "command"); /* what stands behind it is a command line */
	char **words = mem_new(ARGV_MAX + 1, sizeof *words);
	struct err unused;
	size_t n = 0;

	for (const char *const *w = step->words + command; *w && n < ARGV_MAX; w++)
		words[n++] = mem_copy(put_in(b, given, *w, true, word, sizeof word, &unused) ? word : *w);
	snprintf(said, sizeof said, "%s", command ? "command " : "");
	argv_words(p, (const char *const *)words, said, sizeof said);
	free_words(words);
	text_clean(out, 160, text_of(said));
}

static bool read_step(const struct profile *p, const struct runbook *b, size_t i, const struct action_wish *given, struct book_step *out,
	struct err *err)
{
	const struct runbook_step *step = &b->steps[i];

	*out = (struct book_step){.kind = STEP_IS_ACTION};
	say_title(p, b, step, given, out->title);
	if (!strcmp(step->words[0], "wait")) {
		out->kind = STEP_IS_WAIT;
		return read_wait(b, step, given, out, err);
	}
	if (!strcmp(step->words[0], "command")) {
		out->kind = STEP_IS_COMMAND;
		return read_command(b, i, given, out, err);
	}
	return read_wish(b, step, given, out, err);
}

/* An error of a profile names file and line, also when it is found by running. */
static bool with_line(const struct profile *p, const struct runbook *b, size_t i, const struct err *why, struct err *err)
{
	const char *slash = p ? strrchr(p->path, '/') : NULL;

	return err_set(err, ERR_USAGE, "%.60s:%u: %s", slash ? slash + 1 : p ? p->path : "", b->steps[i].line, why->words);
}

bool runbook_step(const struct profile *p, const struct runbook *b, size_t i, const struct action_wish *given, struct book_step *out, struct err *err)
{
	struct err why = {0};

	if (read_step(p, b, i, given, out, &why))
		return true;
	return p ? with_line(p, b, i, &why, err) : err_set(err, why.code, "%s", why.words);
}

bool runbook_step_fits(const struct runbook_step *step, struct err *err)
{
	char name[ACTION_VERB_SIZE];
	const char *verb;
	size_t used;

	for (const char *const *w = step->words; *w; w++)
		for (struct text rest = text_of(*w); rest.len;)
			if (text_starts(rest, "${")) {
				if (!variable_name(&rest, name, err))
					return false;
			} else {
				size_t n = text_starts(rest, "$$") ? 2 : 1;

				rest = (struct text){rest.at + n, rest.len - n};
			}
	if (!strcmp(step->words[0], "wait") || !strcmp(step->words[0], "command"))
		return step->words[1] || err_set(err, ERR_USAGE, "%s what?", step->words[0]);
	return verb_of(step, &used, &verb, err);
}

/* ---- commands ---- */

void free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

char **runbook_argv(const struct profile *p, const struct runbook *b, size_t i, const struct action_wish *given, bool shown, struct err *err)
{
	char **words = mem_new(ARGV_MAX + 1, sizeof *words), word[STEP_WORD_SIZE];
	struct err why = {0};
	size_t n = 0;

	for (const char *const *w = b->steps[i].words + 1; *w && n < ARGV_MAX; w++) {
		if (!put_in(b, given, *w, shown, word, sizeof word, &why)) {
			free_words(words);
			with_line(p, b, i, &why, err);
			return NULL;
		}
		words[n++] = mem_copy(word);
	}
	return words;
}
