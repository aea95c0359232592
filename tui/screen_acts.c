// SPDX-License-Identifier: MIT
/* What an act does: the screen's own acts, the panel's, and what becomes of a panel's reactions. See screen_own.h. */
#include "screen_own.h"

#include <string.h>

#include "clock.h"
#include "palette.h"

enum { ASK_MS = 5000 };

/* ---- the panel's acts, and what it wants ---- */

static unsigned panel_act_by(struct screen *s, enum act act, bool by_hand, struct wish *wish);

static void wish_to_ask(const struct panel_view *view, struct wish *wish)
{
	wish->what |= WISH_ASK;
	text_copy(wish->ask_service, sizeof wish->ask_service, text_of(view->ask_catalog ? view->ask_catalog : view->ask_service));
	wish->ask_catalog = view->ask_catalog != NULL;
	text_copy(wish->ask_view, sizeof wish->ask_view, text_of(view->ask_view));
	text_copy(wish->ask_subject, sizeof wish->ask_subject, text_of(view->ask_subject));
}

/* what: WISH_LOGS, or WISH_FIND of what is looked for in them. */
static void wish_for_logs(const struct panel_view *view, unsigned what, struct wish *wish)
{
	wish->what |= what;
	wish->logs = (struct log_wish){.least = view->log_least};
	text_copy(wish->logs.match, sizeof wish->logs.match, text_of(view->log_match));
	if (what == WISH_FIND)
		return;
	wish->logs.since = view->log_since;
	if (view->log_part)
		wish->logs.part = *view->log_part;
	text_copy(wish->logs.service, sizeof wish->logs.service, text_of(view->log_service));
}

/* What a panel wants of the program; of the logs only their own panel does, another one opens that. */
static void wish_for_panel(const struct panel_view *view, unsigned reactions, bool of_logs, struct wish *wish)
{
	if (reactions & REACT_REFRESH) {
		wish->what |= WISH_REFRESH;
		text_copy(wish->service, sizeof wish->service, text_of(view->open));
	}
	if (reactions & REACT_IDENTIFY) {
		wish->what |= WISH_IDENTIFY;
		text_copy(wish->address, sizeof wish->address, text_of(view->address));
		wish->port = view->port;
	}
	if ((reactions & REACT_COPY) && view->copy) {
		wish->what |= WISH_COPY;
		wish->copy = view->copy;
	}
	if ((reactions & REACT_DROP) && view->drop_service) {
		wish->what |= WISH_DROP;
		text_copy(wish->service, sizeof wish->service, text_of(view->drop_service));
	}
	if ((reactions & REACT_LOGS) && of_logs)
		wish_for_logs(view, WISH_LOGS, wish);
	else if (reactions & REACT_FIND)
		wish_for_logs(view, WISH_FIND, wish);
}

static void open_logs(struct screen *s, const struct panel_view *view, struct wish *wish)
{
	screen_open(s, "logs", view->log_service);
	screen_page(s)->from_problems = s->problems_only;
	s->problems_only = false;
	s->log_since = view->log_since;
	panel_act_by(s, ACT_LOGS, false, wish); /* anew, at the moment that is told now */
	s->log_since = 0;
}

static bool fill_menu(struct screen *s, const struct panel_view *view)
{
	return view->n_act_marks ? acting_menu_of(&s->acting, s->lake, view->act_on, view->act_marks, view->n_act_marks) :
		acting_menu(&s->acting, s->lake, view->act_on, view->act_service, view->act_subject);
}

static void begin_saving(struct screen *s, const char *what)
{
	s->saving = what;
	s->save_there = false;
	s->mode = MODE_SAVE;
	prompt_set(&s->typed, s->save_path);
}

static void react(struct screen *s, const struct panel_view *view, unsigned reactions, struct wish *wish)
{
	wish_for_panel(view, reactions, screen_panel(s)->logs, wish);
	if (view->again_ms)
		s->ask_next = clock_ms() + view->again_ms;
	if ((reactions & REACT_ASK) && (view->ask_service || view->ask_catalog) && view->ask_view) {
		wish_to_ask(view, wish);
		s->ask_next = view->again_ms ? s->ask_next : clock_ms() + ASK_MS;
	}
	if (view->say)
		screen_say(s, reactions & REACT_IDENTIFY ? STYLE_ACCENT : STYLE_DIM, "%s", view->say);
	if ((reactions & REACT_ACT) && fill_menu(s, view))
		s->mode = MODE_ACTING;
	if ((reactions & REACT_SAVE) && view->save)
		begin_saving(s, view->save);
	if (reactions & REACT_INNER)
		text_copy(screen_page(s)->below, sizeof screen_page(s)->below, text_of(screen_page(s)->filter));
	if (reactions & (REACT_INNER | REACT_OUTER))
		text_copy(screen_page(s)->filter, sizeof screen_page(s)->filter, text_of(reactions & REACT_OUTER ? screen_page(s)->below : ""));
	if (reactions & REACT_CLOSE)
		screen_leave(s);
	if (reactions & REACT_OPEN)
		screen_open(s, "service", view->open);
	if ((reactions & REACT_LOGS) && !screen_panel(s)->logs)
		open_logs(s, view, wish);
}

static unsigned panel_act_by(struct screen *s, enum act act, bool by_hand, struct wish *wish)
{
	struct panel_view view = screen_view(s);
	unsigned reactions;

	view.by_hand = by_hand;
	reactions = screen_panel(s)->act ? screen_panel(s)->act(&view, s->states[screen_page(s)->panel], act) : REACT_NONE;
	react(s, &view, reactions, wish);
	return reactions;
}

unsigned screen_enter(struct screen *s, const char *panel, const char *subject, struct wish *wish)
{
	struct panel_view view;
	unsigned reactions;

	for (int i = 0; panels[i]; i++)
		if (panels[i] == panel_named(panel))
			screen_go_to(s, i);
	view = screen_view(s);
	view.subject = subject;
	view.by_hand = true;
	reactions = screen_panel(s)->act(&view, s->states[screen_page(s)->panel], ACT_ENTER);
	react(s, &view, reactions, wish);
	return reactions;
}

unsigned screen_panel_act(struct screen *s, enum act act, struct wish *wish)
{
	return panel_act_by(s, act, true, wish);
}

struct wish screen_tick(struct screen *s)
{
	struct wish wish = {0};

	if (screen_frozen(s) || clock_ms() < s->ask_next)
		return wish;
	s->ask_next = INT64_MAX; /* unless it wants more */
	panel_act_by(s, ACT_REFRESH, false, &wish);
	return wish;
}

/* ---- the screen's own ---- */

/* A panel that reads more than it shows reads anew by what was typed. */
void screen_filtered(struct screen *s, struct wish *wish)
{
	if (screen_panel(s)->logs)
		screen_panel_act(s, ACT_FILTER, wish);
}

/* Esc: the topmost thing that can be undone. */
static void cancel(struct screen *s, struct wish *wish)
{
	if (s->message[0])
		s->message[0] = '\0';
	else if (screen_panel_act(s, ACT_CANCEL, wish) != REACT_NONE)
		return;
	else if (screen_page(s)->filter[0]) {
		screen_page(s)->filter[0] = '\0';
		screen_filtered(s, wish);
	} else if (s->problems_only)
		s->problems_only = false;
	else
		screen_leave(s);
}

static void begin_filter(struct screen *s)
{
	s->mode = MODE_FILTER;
	prompt_offer(&s->typed, screen_page(s)->filter);
}

/* Can anything be done to what is selected? The menu of it is filled, and not shown. */
static bool acts_on_a_row(struct screen *s)
{
	struct panel_view view = screen_view(s);
	const struct panel *p = screen_panel(s);

	return p->act && (p->act(&view, s->states[screen_page(s)->panel], ACT_ACTIONS) & REACT_ACT) && fill_menu(s, &view);
}

static void begin_chooser(struct screen *s, enum mode mode)
{
	s->mode = mode;
	s->chooser.typing = s->chooser.always_typing = false;
	prompt_set(&s->chooser.prompt, "");
	s->help_width = -1; /* the help is filled when it is drawn */
	if (mode == MODE_PALETTE)
		palette_fill(&s->chooser, s->lake, acts_on_a_row(s) ? &s->acting : NULL, s->ascii);
}

static void freeze(struct screen *s)
{
	s->frozen = screen_frozen(s) ? -1 : clock_ms();
}

static void refresh(struct screen *s, struct wish *wish)
{
	wish->what |= WISH_REFRESH;
	text_copy(wish->service, sizeof wish->service, text_of(screen_page(s)->subject));
	screen_panel_act(s, ACT_REFRESH, wish);
	if (screen_frozen(s))
		screen_say(s, STYLE_ACCENT, "asking; the picture is frozen: p lets it go");
	else
		screen_say(s, STYLE_ACCENT, "asking %s now", wish->service[0] ? wish->service : "everything");
}

static bool action_runs(const struct lake *lake)
{
	for (size_t i = 0; i < lake->n_actions; i++) {
		enum action_state state = lake->actions[i].state;

		if (state == ACTION_RUNNING || state == ACTION_VERIFYING || state == ACTION_QUEUED)
			return true;
	}
	return false;
}

bool screen_asks_to_quit(struct screen *s)
{
	if (!action_runs(s->lake) || (s->mode == MODE_ACTING && s->acting.mode == ACTING_QUIT))
		return false;
	acting_quit(&s->acting, s->mode == MODE_ACTING);
	s->mode = MODE_ACTING;
	return true;
}

static void quit(struct screen *s, struct wish *wish)
{
	if (!screen_asks_to_quit(s))
		wish->what |= WISH_QUIT;
}

static void lock(struct screen *s, struct wish *wish)
{
	if (s->lake->locked && strncmp(s->lake->locked, "locked", 6) != 0) { /* no word opens that */
		screen_say(s, STYLE_WARN, "%s", s->lake->locked);
		return;
	}
	if (s->lake->locked) {
		acting_unlock(&s->acting);
		s->mode = MODE_ACTING;
		return;
	}
	wish->what |= WISH_LOCK;
	wish->locked = true;
}

static void go_to_numbered(struct screen *s, enum act act)
{
	for (int i = 0; panels[i]; i++)
		if (panels[i]->key == '0' + (int)(act - ACT_PANEL_0)) {
			screen_go_to(s, i);
			return;
		}
	screen_say(s, STYLE_DIM, "there is no panel %d: ? lists them", (int)(act - ACT_PANEL_0));
}

void screen_act(struct screen *s, enum act act, struct wish *wish)
{
	if (act >= ACT_PANEL_0 && act <= ACT_PANEL_9) {
		go_to_numbered(s, act);
		return;
	}
	switch ((int)act) {
	case ACT_NONE:
		return;
	case ACT_BACK:
		if (screen_panel_act(s, act, wish) == REACT_NONE && !screen_leave(s))
			quit(s, wish);
		return;
	case ACT_CANCEL:
		cancel(s, wish);
		return;
	case ACT_HELP:
		begin_chooser(s, MODE_HELP);
		return;
	case ACT_PALETTE:
		begin_chooser(s, MODE_PALETTE);
		return;
	case ACT_FILTER:
		begin_filter(s);
		return;
	case ACT_SEARCH:
		if (screen_panel(s)->logs) {
			s->mode = MODE_SEARCH;
			prompt_set(&s->typed, ""); /* "@10:42" is typed in front of nothing; empty finds the last one again */
		}
		return;
	case ACT_PROBLEMS:
		s->problems_only = !s->problems_only;
		screen_filtered(s, wish);
		return;
	case ACT_REFRESH:
		refresh(s, wish);
		return;
	case ACT_FREEZE:
		freeze(s);
		return;
	case ACT_MOUSE:
		wish->what |= WISH_MOUSE;
		return;
	case ACT_REDRAW:
		wish->what |= WISH_REDRAW;
		return;
	case ACT_SUSPEND:
		wish->what |= WISH_SUSPEND;
		return;
	case ACT_RUNNING:
		if (acting_list(&s->acting, s->lake))
			s->mode = MODE_ACTING;
		else
			screen_say(s, STYLE_DIM, "nothing was done yet");
		return;
	case ACT_LOCK:
		lock(s, wish);
		return;
	case ACT_QUIT:
		quit(s, wish);
		return;
	default:
		screen_panel_act(s, act, wish);
	}
}
