// SPDX-License-Identifier: MIT
/* The words, keys and glyphs of verdicts and links: one table for screens, text and JSON. Pure, any thread. */
#include "judge.h"

static const struct {
	const char *word, *key, *glyph, *ascii;
} verdicts[VERDICT_COUNT] = {
	[VERDICT_BLOCKED] = {"blocked", "blocked", "■", "B"},
	[VERDICT_IMPOSTOR] = {"impostor", "impostor", "✗", "X"},
	[VERDICT_STOPPED] = {"stopped", "stopped", "○", "o"},
	[VERDICT_ABSENT] = {"absent", "absent", "·", "-"},
	[VERDICT_STARTING] = {"starting", "starting", "◌", "."},
	[VERDICT_FROZEN] = {"frozen", "frozen", "▽", "z"},
	[VERDICT_MUTE] = {"mute", "mute", "▽", "m"},
	[VERDICT_WRONG_VERSION] = {"wrong version", "wrong-version", "≠", "V"},
	[VERDICT_SICK] = {"sick", "sick", "▲", "!"},
	[VERDICT_UNKNOWN] = {"unknown", "unknown", "?", "?"},
	[VERDICT_SERVING] = {"serving", "serving", "●", "+"},
};

static const char *const link_words[LINK_COUNT] = {
	[LINK_DECLARED] = "declared", [LINK_RUNNING] = "running", [LINK_LISTENING] = "listening", [LINK_OWNER] = "owner",
	[LINK_IDENTITY] = "identity", [LINK_VERSION] = "version", [LINK_FRESH] = "fresh", [LINK_HEALTHY] = "healthy",
};

static const char *const state_words[] = {[LINK_UNKNOWN] = "unknown", [LINK_OK] = "ok", [LINK_BAD] = "bad", [LINK_NA] = "n/a"};

const char *verdict_word(enum verdict v)
{
	return v < VERDICT_COUNT ? verdicts[v].word : "?";
}

const char *verdict_key(enum verdict v)
{
	return v < VERDICT_COUNT ? verdicts[v].key : "?";
}

const char *verdict_glyph(enum verdict v, bool ascii)
{
	if (v >= VERDICT_COUNT)
		return "?";
	return ascii ? verdicts[v].ascii : verdicts[v].glyph;
}

const char *link_word(enum link_name link)
{
	return link < LINK_COUNT ? link_words[link] : "?";
}

const char *link_state_word(enum link_state state)
{
	return (size_t)state < sizeof state_words / sizeof *state_words ? state_words[state] : "?";
}
