// SPDX-License-Identifier: MIT
/*
 * The palette: panels, services, tables, what can be done to the selected row, runbooks and test data, acts. A
 * service's detail is how it does, an act's is what it does and its key, so that the palette teaches the keys.
 * Pure over a lake.
 */
#include "palette.h"

#include <stdio.h>
#include <string.h>

#include "keymap.h"
#include "offers.h"

enum { TABLES_MAX = 500 }; /* the list is searched anew at each key */

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : (unsigned char)c;
}

static bool word_begins(const char *name, size_t at)
{
	return at == 0 || strchr(" -_.:/", name[at - 1]);
}

/* One word of the query within name from *from on; moves *from past it. */
static int score_word(const char *name, struct text word, size_t *from)
{
	size_t len = strlen(name), at = *from;
	int score = 0;

	for (size_t i = *from; i + word.len <= len; i++)
		if (!strncasecmp(name + i, word.at, word.len)) {
			*from = i + word.len;
			return (word_begins(name, i) ? 200 : 100) + (i == 0 ? 50 : 0) + (i + word.len == len ? 20 : 0);
		}
	for (size_t k = 0; k < word.len; k++) {
		size_t start = at;

		while (at < len && lower(name[at]) != lower(word.at[k]))
			at++;
		if (at == len)
			return -1;
		score += word_begins(name, at) ? 10 : at == start ? 5 : 1;
		at++;
	}
	*from = at;
	return score;
}

int palette_score(const char *name, const char *query)
{
	struct text rest = text_of(query), word;
	size_t from = 0;
	int total = 0, score;

	while (text_word(&rest, &word)) {
		score = score_word(name, word, &from);
		if (score < 0)
			return -1;
		total += score;
	}
	return total * 100 - (int)strlen(name); /* of equals the shorter: less of it is unasked for */
}

static int score(const struct choice *choice, const char *query)
{
	return palette_score(choice->title, query);
}

static void add_panels(struct chooser *ch)
{
	for (int i = 0; panels[i]; i++) {
		char title[80], key[2] = {panels[i]->key, 0};

		if (!panels[i]->key)
			continue;
		snprintf(title, sizeof title, "go to %s", panels[i]->title);
		chooser_add(ch, CHOICE_PANEL, i, key, title, panels[i]->help);
	}
}

static void add_services(struct chooser *ch, const struct lake *lake)
{
	for (size_t i = 0; i < lake->n_services; i++) {
		const struct judged *shown = &lake->services[i]->verdict.shown;
		char title[80], detail[REASON_SIZE];

		snprintf(title, sizeof title, "open %.70s", lake->services[i]->name);
		snprintf(detail, sizeof detail, "%s%s%.200s", verdict_word(shown->verdict), shown->reason[0] ? ": " : "", shown->reason);
		chooser_add(ch, CHOICE_SERVICE, 0, "", title, detail);
	}
}

static void add_tables(struct chooser *ch, const struct lake *lake)
{
	for (size_t i = 0; i < lake->n_tables && i < TABLES_MAX; i++) {
		struct value name = lake_table_get(&lake->tables[i], "name");
		char title[TITLE_SIZE], detail[REASON_SIZE];

		if (name.type != VALUE_TEXT)
			continue;
		snprintf(title, sizeof title, "table %.140s", name.u.s);
		snprintf(detail, sizeof detail, "of %.100s", lake->tables[i].in[0].view->catalog->name);
		chooser_add(ch, CHOICE_TABLE, 0, "", title, detail);
	}
	if (lake->n_tables > TABLES_MAX)
		chooser_add(ch, CHOICE_NOTE, 0, "", "more tables", "the filter of their panel finds them")->style = STYLE_DIM;
}

static void add_verbs(struct chooser *ch, const struct acting *of, bool ascii)
{
	char keys[32], title[80];

	for (size_t i = 0; of && i < of->chooser.n; i++) {
		const struct choice *verb = &of->chooser.all[i];

		if (of->n_marks)
			snprintf(title, sizeof title, "%.20s %zu marked", verb->title, of->n_marks);
		else
			snprintf(title, sizeof title, "%.20s %.58s", verb->title, of->on.subject[0] ? of->on.subject : of->on.service);
		chooser_add(ch, verb->what == CHOICE_ACTION ? CHOICE_VERB : CHOICE_NOTE, verb->number,
			keymap_names(keys, sizeof keys, ACT_ACTIONS, ascii), title, verb->detail)->style = verb->style;
	}
}

static void add_offers(struct chooser *ch, const struct lake *lake)
{
	for (int i = 0, end = offers_end(lake); i < end; i++) {
		struct offer offer;

		if (offer_get(lake, i, &offer))
			chooser_add(ch, offer.can ? CHOICE_OFFER : CHOICE_NOTE, i, "", offer.title, offer.detail)->style = offer.can ? STYLE_NORMAL : STYLE_DIM;
	}
}

static void add_acts(struct chooser *ch, bool ascii)
{
	char keys[32];

	for (int act = ACT_SORT; act < ACT_PANEL_0; act++)
		if (act != ACT_PALETTE)
			chooser_add(ch, CHOICE_ACT, act, keymap_names(keys, sizeof keys, (enum act)act, ascii), act_info((enum act)act)->name,
				act_info((enum act)act)->help);
}

void palette_fill(struct chooser *ch, const struct lake *lake, const struct acting *of, bool ascii)
{
	chooser_clear(ch);
	ch->score = score;
	ch->typing = ch->always_typing = true;
	add_panels(ch);
	add_services(ch, lake);
	add_verbs(ch, of, ascii);
	add_tables(ch, lake);
	add_offers(ch, lake);
	add_acts(ch, ascii);
	chooser_search(ch);
}
