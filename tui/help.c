// SPDX-License-Identifier: MIT
/* The help screen, made from the tables of keys, panels and verdicts, so that it cannot lag behind. Pure. */
#include "help.h"

#include <string.h>
#include <strings.h>

#include "keymap.h"

static const char *const verdict_help[VERDICT_COUNT] = {
	[VERDICT_BLOCKED] = "not running, and its port is held by another",
	[VERDICT_IMPOSTOR] = "another kind answers on its port",
	[VERDICT_STOPPED] = "exists and does not run",
	[VERDICT_ABSENT] = "nothing of it exists here",
	[VERDICT_STARTING] = "runs, not yet serving, still within its time to start",
	[VERDICT_FROZEN] = "its process or container is stopped in its tracks",
	[VERDICT_MUTE] = "listens, and says nothing before the deadline",
	[VERDICT_WRONG_VERSION] = "the right kind, another version than expected",
	[VERDICT_SICK] = "the right kind answers, and does not serve",
	[VERDICT_UNKNOWN] = "not asked yet, not allowed to ask, or too long ago",
	[VERDICT_SERVING] = "every link of its evidence holds",
};

/* Every word typed stands in key, title or detail. */
static int score(const struct choice *choice, const char *query)
{
	struct text rest = text_of(query), word;
	char one[NAME_SIZE];

	if (choice->what == CHOICE_HEADING)
		return -1;
	while (text_word(&rest, &word)) {
		text_copy(one, sizeof one, word);
		if (!strcasestr(choice->key, one) && !strcasestr(choice->title, one) && !strcasestr(choice->detail, one))
			return -1;
	}
	return 0;
}

static void add_heading(struct chooser *ch, const char *title)
{
	if (ch->n)
		chooser_add(ch, CHOICE_NOTE, 0, "", "", "");
	chooser_add(ch, CHOICE_HEADING, 0, "", title, "");
}

/* A paragraph as lines of whole words. */
static void add_prose(struct chooser *ch, const char *s, int width)
{
	struct text rest = text_of(s), word, line = {s, 0};

	while (text_word(&rest, &word)) {
		struct text longer = {line.at, (size_t)(word.at + word.len - line.at)};
		char words[REASON_SIZE];

		if (line.len && (text_columns(longer) > width || longer.len >= sizeof words)) {
			chooser_add(ch, CHOICE_NOTE, 0, "", "", text_copy(words, sizeof words, line));
			longer = word;
		}
		line = longer;
	}
	if (line.len) {
		char words[REASON_SIZE];

		chooser_add(ch, CHOICE_NOTE, 0, "", "", text_copy(words, sizeof words, line));
	}
}

static void add_act(struct chooser *ch, enum act act, const char *title, bool ascii)
{
	char keys[32];

	chooser_add(ch, CHOICE_ACT, (int)act, keymap_names(keys, sizeof keys, act, ascii), title, act_info(act)->help);
}

static bool is_hinted(const struct panel *panel, enum act act)
{
	const struct key_hint *hint = panel->hints;

	while (hint && hint->act != ACT_NONE && hint->act != act)
		hint++;
	return hint && hint->act != ACT_NONE;
}

/* Those that the panel's own part did not say already. */
static void add_acts(struct chooser *ch, const struct panel *panel, enum act first, enum act last, bool ascii)
{
	for (enum act act = first; act <= last; act++)
		if (!is_hinted(panel, act))
			add_act(ch, act, act_info(act)->name, ascii);
}

/* What a panel is for, by the first sentence of its help. */
static const char *first_sentence(const char *help, char out[REASON_SIZE])
{
	size_t end = strcspn(help, ".?");

	return text_copy(out, REASON_SIZE, (struct text){help, end + (help[end] == '?')});
}

static void add_panels(struct chooser *ch)
{
	char about[REASON_SIZE];

	for (int i = 0; panels[i]; i++) {
		char key[2] = {panels[i]->key, 0};

		if (panels[i]->key)
			chooser_add(ch, CHOICE_PANEL, i, key, panels[i]->title, first_sentence(panels[i]->help, about));
	}
}

static void add_verdicts(struct chooser *ch, bool ascii)
{
	struct sign sign;

	for (int v = VERDICT_COUNT - 1; v >= 0; v--)
		chooser_add(ch, CHOICE_NOTE, 0, verdict_glyph((enum verdict)v, ascii), verdict_word((enum verdict)v), verdict_help[v])->style =
			verdict_style((enum verdict)v);
	for (size_t n = 0; list_sign(n, ascii, &sign); n++)
		chooser_add(ch, CHOICE_NOTE, 0, sign.glyph, sign.word, sign.help)->style = sign.style;
}

void help_fill(struct chooser *ch, const struct panel *panel, int width, bool ascii)
{
	chooser_clear(ch);
	ch->score = score;
	add_heading(ch, panel->title);
	add_prose(ch, panel->help, width);
	for (const struct key_hint *hint = panel->hints; hint && hint->act != ACT_NONE; hint++)
		add_act(ch, hint->act, hint->label, ascii);
	if (panel->logs)
		add_acts(ch, panel, ACT_SAVE, ACT_FIND_PREVIOUS, ascii);
	add_heading(ch, "Everywhere");
	add_acts(ch, panel, ACT_RUNNING, ACT_QUIT, ascii);
	add_heading(ch, "Rows");
	add_acts(ch, panel, ACT_SORT, ACT_LOGS, ascii);
	add_heading(ch, "Moving");
	add_acts(ch, panel, ACT_UP, ACT_PREVIOUS_VIEW, ascii);
	add_heading(ch, "Panels");
	add_panels(ch);
	add_heading(ch, "What the signs say");
	add_verdicts(ch, ascii);
	if (!panel->logs) {
		add_heading(ch, "Logs");
		add_acts(ch, panel, ACT_SAVE, ACT_FIND_PREVIOUS, ascii);
	}
	chooser_search(ch);
}
