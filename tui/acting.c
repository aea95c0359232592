// SPDX-License-Identifier: MIT
/* See acting.h. */
#include "acting.h"

#include <stdio.h>
#include <string.h>

#include "keymap.h"
#include "offers.h"
#include "palette.h"
#include "runbook.h"

enum { IDS_MAX = sizeof ((struct acting *)0)->ids / sizeof(uint64_t), PAGE = 10, WORD_LINE = 4 };

static const char unlocking[] = "unlock";

static int score(const struct choice *choice, const char *query)
{
	return palette_score(choice->title, query);
}

static void begin(struct acting *a, enum acting_mode mode)
{
	a->mode = mode;
	chooser_clear(&a->chooser);
	a->chooser.score = score;
	a->chooser.typing = a->chooser.always_typing = false;
	prompt_set(&a->chooser.prompt, "");
}

/* Of several things it is enough that one can have it. */
static bool is_offered(const struct acting *a, const struct lake *lake, const struct action_spec *spec, char why[200])
{
	struct action_wish wish = a->on;

	text_copy(wish.verb, sizeof wish.verb, text_of(spec->verb));
	for (size_t i = 0; i < a->n_marks; i++) {
		memcpy(wish.service, a->marks[i].service, sizeof wish.service);
		memcpy(wish.subject, a->marks[i].subject, sizeof wish.subject);
		if (action_offered(lake, spec, &wish, why))
			return true;
	}
	return !a->n_marks && action_offered(lake, spec, &wish, why);
}

static bool menu(struct acting *a, const struct lake *lake, enum action_on on)
{
	bool any = false;

	begin(a, ACTING_MENU);
	for (int i = 0; action_specs[i]; i++) {
		struct choice *choice;
		char why[200];
		bool offered;

		if (action_specs[i]->on != on)
			continue;
		any = true;
		offered = is_offered(a, lake, action_specs[i], why);
		choice = chooser_add(&a->chooser, offered ? CHOICE_ACTION : CHOICE_NOTE, i, "", action_specs[i]->verb,
			offered ? action_specs[i]->help : why);
		choice->style = !offered ? STYLE_DIM : action_specs[i]->destructive ? STYLE_WARN : STYLE_NORMAL;
	}
	chooser_search(&a->chooser);
	return any;
}

bool acting_menu(struct acting *a, const struct lake *lake, enum action_on on, const char *service, const char *subject)
{
	a->n_marks = 0;
	a->on = (struct action_wish){0};
	text_copy(a->on.service, sizeof a->on.service, text_of(service));
	text_copy(a->on.subject, sizeof a->on.subject, text_of(subject));
	return menu(a, lake, on);
}

bool acting_menu_of(struct acting *a, const struct lake *lake, enum action_on on, const struct action_mark *marks, size_t n)
{
	a->n_marks = n < ACTION_MARKS_MAX ? n : ACTION_MARKS_MAX;
	memcpy(a->marks, marks, a->n_marks * sizeof *marks);
	a->on = (struct action_wish){0};
	if (a->n_marks)
		memcpy(a->on.service, marks[0].service, sizeof a->on.service); /* for hints */
	return menu(a, lake, on);
}

/* What ran, newest first; steps stand in their run. */
static size_t add_done(struct acting *a, const struct lake *lake)
{
	size_t n = 0;

	for (size_t i = lake->n_actions; i-- > 0 && n < IDS_MAX;) {
		const struct action_shown *s = &lake->actions[i];
		struct choice *choice;
		char detail[REASON_SIZE];

		if (s->parent)
			continue;
		a->ids[n] = s->id;
		snprintf(detail, sizeof detail, "%s%s%.200s", action_state_word(s->state), s->words[0] ? ": " : "", s->words);
		choice = chooser_add(&a->chooser, CHOICE_ACTION, (int)n++, "", s->title, detail);
		choice->style = action_style(s);
	}
	return n;
}

bool acting_list(struct acting *a, const struct lake *lake)
{
	struct offer offer;
	size_t n;

	begin(a, ACTING_LIST);
	n = add_done(a, lake);
	for (int i = 0, offered = 0, end = offers_end(lake); i < end; i++) {
		if (!offer_get(lake, i, &offer))
			continue;
		if (!offered++)
			chooser_add(&a->chooser, CHOICE_HEADING, 0, "", "the profile's own", "");
		chooser_add(&a->chooser, offer.can ? CHOICE_OFFER : CHOICE_NOTE, i, "", offer.title, offer.detail)->style =
			!offer.can ? STYLE_DIM : offer.destructive ? STYLE_WARN : STYLE_NORMAL;
		n++;
	}
	chooser_search(&a->chooser);
	return n > 0;
}

enum acting_key acting_offer(struct acting *a, const struct lake *lake, int number)
{
	struct offer offer;

	if (!offer_get(lake, number, &offer) || !offer.can)
		return ACTING_CLOSES;
	a->on = offer.wish;
	a->n_marks = offer.n_marks;
	memcpy(a->marks, offer.marks, sizeof a->marks);
	a->spec = action_spec_of(offer.wish.verb, offer.n_marks ? ON_SERVICE : ON_PROFILE);
	acting_form(a, lake, NULL);
	return a->n_values ? ACTING_STAYS : acting_form_key(a, K_ENTER);
}

void acting_one(struct acting *a, uint64_t id)
{
	a->mode = ACTING_ONE;
	a->id = id;
	a->run_top = -1;
}

void acting_unlock(struct acting *a)
{
	a->mode = ACTING_UNLOCK;
	a->wrong = NULL;
	prompt_set(&a->word, "");
}

void acting_quit(struct acting *a, bool within)
{
	a->asked_in = within ? a->mode : ACTING_QUIT;
	a->mode = ACTING_QUIT;
}

/* ---- keys ---- */

enum acting_key acting_verb(struct acting *a, const struct lake *lake, int spec)
{
	a->spec = action_specs[spec];
	text_copy(a->on.verb, sizeof a->on.verb, text_of(a->spec->verb));
	acting_form(a, lake, NULL);
	return a->n_values ? ACTING_STAYS : acting_form_key(a, K_ENTER);
}

static enum acting_key chosen(struct acting *a, const struct lake *lake)
{
	const struct choice *choice = chooser_chosen(&a->chooser);

	if (choice->what == CHOICE_OFFER)
		return acting_offer(a, lake, choice->number);
	if (a->mode == ACTING_LIST) {
		acting_one(a, a->ids[choice->number]);
		return ACTING_STAYS;
	}
	return acting_verb(a, lake, choice->number);
}

static enum acting_key press_list(struct acting *a, const struct lake *lake, int key)
{
	switch (chooser_key(&a->chooser, key)) {
	case CHOOSER_CHOSEN:
		return chosen(a, lake);
	case CHOOSER_LEFT:
		return ACTING_CLOSES;
	case CHOOSER_OPEN:
		break;
	}
	return ACTING_STAYS;
}

static bool leaves(int key)
{
	return key == K_ESCAPE || key == 'q' || key == K_BACKSPACE;
}

static bool takes_options(struct acting *a, const struct lake *lake, const struct action_shown *s)
{
	if (!action_takes_options(lake, s))
		return false;
	a->spec = action_spec_named(s->wish.verb);
	a->on = s->wish;
	a->n_marks = 0;
	return true;
}

/* On the same thing; the same verb with what was chosen, another one without. */
static enum acting_key wishes(struct acting *a, const struct action_shown *s, const char *verb)
{
	a->on = s->wish;
	a->n_marks = a->n_values = 0;
	if (strcmp(verb, s->wish.verb) != 0)
		a->on.n_options = 0;
	text_copy(a->on.verb, sizeof a->on.verb, text_of(verb));
	acting_one(a, 0);
	return ACTING_WISHES;
}

/* It may be longer than the screen. */
static bool scrolls(struct acting *a, int key)
{
	enum { ALL = 1 << 20 }; /* drawing it knows where its end is */
	int by = key == 'j' || key == K_DOWN ? 1 : key == 'k' || key == K_UP ? -1 : key == K_PAGE_DOWN || key == ' ' ? PAGE : key == K_PAGE_UP ? -PAGE :
		key == 'g' || key == K_HOME ? -ALL : key == 'G' || key == K_END ? ALL : 0;

	if (by && a->run_top < 0)
		a->run_top = 0;
	if (by)
		a->run_top = a->run_top + by > 0 ? a->run_top + by : 0;
	return by != 0;
}

static enum acting_key press_one(struct acting *a, const struct lake *lake, int key)
{
	const struct action_shown *s = lake_action(lake, a->id);

	if (s && scrolls(a, key))
		return ACTING_STAYS;
	if (!s)
		return leaves(key) || key == K_ENTER ? ACTING_CLOSES : ACTING_STAYS;
	switch (s->state) {
	case ACTION_PREPARING:
		return leaves(key) ? ACTING_DROPS : ACTING_STAYS;
	case ACTION_OFFERED:
		if (key == 'y' || key == 'Y') {
			a->run_top = -1; /* a run is followed */
			return ACTING_CONFIRMS;
		}
		if (key == 'o' && takes_options(a, lake, s))
			return ACTING_CHANGES;
		return leaves(key) || key == 'n' || key == 'N' || key == K_ENTER ? ACTING_DROPS : ACTING_STAYS;
	case ACTION_RUNNING:
	case ACTION_VERIFYING:
	case ACTION_QUEUED:
		return key == 'c' ? ACTING_DROPS : leaves(key) ? ACTING_CLOSES : ACTING_STAYS;
	case ACTION_OPEN:
		if (key == 'i' && action_can_be_asked(s))
			return wishes(a, s, "interrupt");
		if (key == 'd' && !lake->locked)
			return ACTING_DROPS;
		break;
	case ACTION_DONE:
	case ACTION_NEEDLESS:
	case ACTION_FAILED:
	case ACTION_CANCELLED:
		if (key == 'o' && action_was_turned_away(lake, s) && takes_options(a, lake, s))
			return ACTING_CHANGES;
		if (key == 'r' && s->again)
			return wishes(a, s, s->wish.verb);
		break;
	}
	return leaves(key) || key == K_ENTER ? ACTING_CLOSES : ACTING_STAYS;
}

static enum acting_key press_word(struct acting *a, int key)
{
	if (key == K_ESCAPE)
		return ACTING_CLOSES;
	if (key != K_ENTER) {
		prompt_key(&a->word, key);
		return ACTING_STAYS;
	}
	if (!strcmp(a->word.s, unlocking))
		return ACTING_UNLOCKS;
	a->wrong = "that is not the word";
	prompt_set(&a->word, "");
	return ACTING_STAYS;
}

enum acting_key acting_press(struct acting *a, const struct lake *lake, int key)
{
	switch (a->mode) {
	case ACTING_MENU:
	case ACTING_LIST:
		return press_list(a, lake, key);
	case ACTING_FORM:
		return acting_form_key(a, key);
	case ACTING_ONE:
		return press_one(a, lake, key);
	case ACTING_MANY:
		return acting_many_key(a, lake, key);
	case ACTING_UNLOCK:
		return press_word(a, key);
	case ACTING_QUIT:
		if (key == 'y' || key == 'Y')
			return ACTING_QUITS;
		a->mode = a->asked_in;
		return a->mode == ACTING_QUIT ? ACTING_CLOSES : ACTING_STAYS;
	}
	return ACTING_CLOSES;
}

void acting_paste(struct acting *a, struct text text)
{
	/* an action is never confirmed, nor a lock opened, by what was pasted */
	if ((a->mode == ACTING_MENU || a->mode == ACTING_LIST) && a->chooser.typing) {
		prompt_paste(&a->chooser.prompt, text);
		chooser_search(&a->chooser);
	}
	if (a->mode == ACTING_FORM && a->value < a->n_values)
		prompt_paste(&a->values[a->value], text);
}

/* ---- drawing ---- */

void acting_draw(struct acting *a, const struct lake *lake, struct canvas *c, int *y, int *x)
{
	char label[2 * ACTION_SUBJECT_SIZE];

	switch (a->mode) {
	case ACTING_MENU:
		if (a->n_marks)
			snprintf(label, sizeof label, "what to do to %zu marked, one after another   Esc leaves   Enter goes on", a->n_marks);
		else
			snprintf(label, sizeof label, "what to do to %.60s%s%.100s   Esc leaves   Enter shows what exactly", a->on.service,
				a->on.subject[0] ? " " : "", a->on.subject);
		chooser_draw(&a->chooser, c, a->chooser.typing ? "search: " : label, y, x);
		return;
	case ACTING_LIST:
		chooser_draw(&a->chooser, c, a->chooser.typing ? "search: " : "actions, newest first   Esc leaves   Enter opens one", y, x);
		return;
	case ACTING_FORM:
		acting_form_draw(a, lake, c, y, x);
		return;
	case ACTING_ONE:
		if (!run_draw(lake, a->id, &a->run_top, c))
			action_draw(lake, a->id, &a->run_top, c);
		return;
	case ACTING_MANY:
		acting_many_draw(a, lake, c);
		return;
	case ACTING_UNLOCK:
		canvas_clear(c);
		snprintf(label, sizeof label, "Actions are locked. Type \"%s\" and Enter to unlock them; Esc leaves them locked.", unlocking);
		action_why_draw(c, 0, label);
		canvas_text(c, WORD_LINE + 1, 3, -1, STYLE_WARN, a->wrong ? a->wrong : "");
		*x = prompt_draw(&a->word, c, WORD_LINE, 3, c->width - 6 < 40 ? c->width - 6 : 40, "");
		*y = WORD_LINE;
		return;
	case ACTING_QUIT:
		canvas_clear(c);
		action_why_draw(c, 0, "An action runs. Leaving cancels what can be cancelled; what it began goes on. Leave? [y/N]");
		return;
	}
}
