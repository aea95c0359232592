// SPDX-License-Identifier: MIT
/* The table of everything that can be changed, and the words of an action. Pure. */
#include "action.h"

#include <string.h>

#include "lake.h"
#include "ops_own.h"

const struct action_spec *const action_specs[] = {
	&action_start, &action_stop, &action_restart,
	&action_kill, &action_kill_driver, &action_stop_query,
	&action_pause, &action_resume, &action_restart_connector, &action_restart_task,
	&action_reset_earliest, &action_reset_latest, &action_reset,
	&action_terminate,
	&action_run, &action_generate, &action_load, &action_stream, &action_stats, &action_clean, &action_command,
	&action_compact, &action_expire, &action_manifests, &action_deletes, &action_orphans, &action_optimize, &action_vacuum, &action_interrupt,
	NULL,
};
const char *const any_option[] = {"*", NULL};

static const char *const on_words[] = {
	[ON_SERVICE] = "service", [ON_TABLE] = "table", [ON_GROUP] = "group", [ON_APPLICATION] = "application", [ON_DRIVER] = "driver",
	[ON_CONNECTOR] = "connector", [ON_TASK] = "task", [ON_BACKEND] = "backend", [ON_QUERY] = "query", [ON_PROFILE] = "profile",
};
static const char *const state_words[] = {
	[ACTION_PREPARING] = "preparing", [ACTION_OFFERED] = "offered", [ACTION_QUEUED] = "waiting",
	[ACTION_RUNNING] = "running", [ACTION_VERIFYING] = "verifying",
	[ACTION_DONE] = "done", [ACTION_NEEDLESS] = "nothing to do",
	[ACTION_FAILED] = "failed", [ACTION_CANCELLED] = "cancelled", [ACTION_OPEN] = "left open",
};

const char *action_on_word(enum action_on on)
{
	return on_words[on];
}

const char *action_state_word(enum action_state s)
{
	return state_words[s];
}

bool action_was_of(const struct action_shown *s, const struct profile *p)
{
	return !strcmp(s->profile, p && p->name ? p->name : "");
}

bool action_is_over(enum action_state s)
{
	return s >= ACTION_DONE;
}

bool action_went_well(enum action_state s)
{
	return s == ACTION_DONE || s == ACTION_NEEDLESS;
}

const struct action_spec *action_spec_named(const char *verb)
{
	size_t i = 0;

	while (action_specs[i] && strcmp(action_specs[i]->verb, verb) != 0)
		i++;
	return action_specs[i];
}

const struct action_spec *action_spec_of(const char *verb, enum action_on on)
{
	for (size_t i = 0; action_specs[i]; i++)
		if (action_specs[i]->on == on && !strcmp(action_specs[i]->verb, verb))
			return action_specs[i];
	return NULL;
}

bool wish_option_set(struct action_wish *w, const char *name, const char *value)
{
	struct action_option *o;

	if (w->n_options == ACTION_OPTIONS_MAX || strlen(name) >= sizeof o->name || strlen(value) >= sizeof o->value)
		return false;
	o = &w->options[w->n_options++];
	text_clean(o->name, sizeof o->name, text_of(name));
	text_clean(o->value, sizeof o->value, text_of(value));
	return true;
}

const char *wish_option(const struct action_wish *w, const char *name)
{
	for (size_t i = 0; i < w->n_options; i++)
		if (!strcmp(w->options[i].name, name))
			return w->options[i].value;
	return NULL;
}

bool action_offered(const struct lake *lake, const struct action_spec *spec, const struct action_wish *wish, char why[200])
{
	struct action_target unused;

	why[0] = '\0';
	if (lake->replayed)
		text_copy(why, 200, TEXT("this is a recording"));
	else if (lake->locked)
		text_copy(why, 200, text_of(lake->locked));
	else
		return spec->offer(lake, wish, &unused, why);
	return false;
}
