// SPDX-License-Identifier: MIT
/* What a row is to the actions and to the logs: which part of a service, and its name. Pure. */
#include <stdio.h>
#include <string.h>

#include "panels.h"
#include "show.h"

static const struct {
	const char *table, *column;
	enum action_on on;
} parts[] = {
	{"groups", "group", ON_GROUP}, {"applications", "id", ON_APPLICATION}, {"drivers", "id", ON_DRIVER},
	{"connectors", "name", ON_CONNECTOR}, {"tasks", "connector", ON_TASK}, {"activity", "pid", ON_BACKEND},
	{"queries", "name", ON_QUERY}, {"queries", "id", ON_QUERY},
};

unsigned list_actions(struct panel_view *view, const struct list_row *row, const struct service *s)
{
	const char *name = row->table && row->table->spec ? row->table->spec->name : "";

	for (size_t i = 0; s && i < sizeof parts / sizeof *parts; i++) {
		struct value task = row->table ? table_get(row->table, row->at, "task") : value_unknown();
		char number[VALUE_TEXT_SIZE];
		struct value v;

		if (strcmp(name, parts[i].table) != 0)
			continue;
		v = table_get(row->table, row->at, parts[i].column);
		if (v.type == VALUE_INT)
			snprintf(number, sizeof number, "%lld", (long long)v.u.i);
		if (v.type != VALUE_TEXT && v.type != VALUE_INT)
			return REACT_NONE;
		snprintf(view->act_words, sizeof view->act_words, "%s", v.type == VALUE_INT ? number : v.u.s);
		if (parts[i].on == ON_TASK && task.type == VALUE_INT)
			snprintf(view->act_words, sizeof view->act_words, "%.240s/%lld", v.u.s, (long long)task.u.i);
		view->act_on = parts[i].on;
		view->act_service = s->name;
		view->act_subject = view->act_words;
		return REACT_ACT;
	}
	if (!s)
		return REACT_NONE;
	view->act_on = ON_SERVICE;
	view->act_service = s->name;
	view->act_subject = NULL;
	return REACT_ACT;
}

unsigned list_logs(struct panel_view *view, const struct list_row *row, const struct service *s)
{
	const char *name = row->table && row->table->spec ? row->table->spec->name : "";
	struct value id = row->table ? table_get(row->table, row->at, "id") : value_unknown();

	if (!s)
		return REACT_NONE;
	view->log_service = s->name;
	if ((!strcmp(name, "executors") || !strcmp(name, "ended")) && service_is(s, "spark-worker") && id.type == VALUE_INT)
		snprintf(view->act_words, sizeof view->act_words, "%s/%.100s/%lld", s->name, list_text(row, "application"), (long long)id.u.i);
	else if ((!strcmp(name, "applications") || !strcmp(name, "drivers")) && id.type == VALUE_TEXT)
		snprintf(view->act_words, sizeof view->act_words, "%s", id.u.s);
	else
		return REACT_LOGS;
	view->log_service = view->act_words;
	return REACT_LOGS;
}
