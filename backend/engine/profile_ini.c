// SPDX-License-Identifier: MIT
/*
 * The grammar of a profile: lines, sections, keys; what each section may say is in its own file. libinih
 * finds "key = value"; its lines come through our reader, so that an error names its line, that a
 * section without keys is seen, and that an indented key is a key. The first error ends it: it
 * says what, where, and what was expected.
 *
 * Lists are separated by commas or blanks; a path with a blank stands in double quotes. A list may
 * be continued by naming its key again. Relative paths begin at the profile's folder.
 */
#include <arpa/inet.h>
#include <ini.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_reader.h"

enum { REFRESH_LEAST = 200, REFRESH_MOST = 3600000 };

/* ---- the sections without a name ---- */

static bool take_refresh(struct reader *r, const struct key *key, struct text value)
{
	int64_t ms = 0;

	if (!take_span(r, key, value))
		return false;
	memcpy(&ms, (char *)r->target + key->at, sizeof ms);
	return (ms >= REFRESH_LEAST && ms <= REFRESH_MOST) || complain(r, "refresh is from 200ms to 1h");
}

static const struct key laketop_keys[] = {{"profile", take_text, offsetof(struct profile, name), false}, {0}};
static const struct key host_keys[] = {
	{"disks", take_paths, offsetof(struct profile, disks), true},
	{"mute", take_names, offsetof(struct profile, mute), true},
	{0},
};
static const struct key ui_keys[] = {
	{"theme", take_text, offsetof(struct profile, theme), false},
	{"refresh", take_refresh, offsetof(struct profile, refresh_ms), false},
	{0},
};

static const struct section of_laketop = {"laketop", laketop_keys, NULL, NULL}, of_host = {"host", host_keys, NULL, NULL},
	of_ui = {"ui", ui_keys, NULL, NULL};
static const struct section *const sections[] = {&section_service, &section_demo, &section_stream, &section_catalog, &section_runbook,
	&section_testdata, &of_laketop, &of_host, &of_ui};

/* ---- sections ---- */

static bool begin_section(struct reader *r, struct text inside)
{
	struct text rest = inside, word, name;
	struct spelling s;
	char typed[WORD_MAX + 1];

	text_word(&rest, &word);
	name = text_trim(rest);
	r->seen = 0;
	r->section = NULL;
	r->target = &r->out->profile;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (text_is(word, sections[i]->name))
			r->section = sections[i];
	if (!r->section) {
		text_copy(typed, sizeof typed, word);
		spelling_begin(&s, typed);
		for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
			spelling_offer(&s, sections[i]->name);
		return spelling_complain(r, r->line, &s, "unknown section", " sections: ");
	}
	if (!r->section->begin)
		return !name.len || complain(r, "section [%s] has no name", r->section->name);
	if (!name_is_fit(name))
		return complain(r, "[%s NAME] needs a name of letters, digits, - _ and . (at most %d)", r->section->name, WORD_MAX);
	return r->section->begin(r, name);
}

/* ---- lines ---- */

static bool has_controls(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (((unsigned char)t.at[i] < 0x20 && t.at[i] != '\t') || t.at[i] == 0x7f)
			return true;
	return false;
}

/* ini_reader: the next line, without its indentation. */
static char *read_line(char *out, int size, void *stream)
{
	struct reader *r = stream;
	struct text line;

	if (!text_line(&r->rest, &line))
		return NULL;
	r->line++;
	if (r->line == 1)
		text_skip(&line, "\xef\xbb\xbf");
	line = text_trim(line);
	if (has_controls(line))
		complain(r, "this is not text");
	else if (line.len > (size_t)size - 2 || line.len > LINE_BYTES)
		complain(r, "a line has at most %d bytes", LINE_BYTES);
	else if (line.len > 1 && line.at[0] == '[' && memchr(line.at, ']', line.len))
		begin_section(r, text_until((struct text){line.at + 1, line.len - 1}, ']'));
	if (line.len > (size_t)size - 2)
		line.len = (size_t)size - 2;
	text_copy(out, (size_t)size - 1, r->failed ? TEXT("") : line);
	text_copy(out + strlen(out), 2, TEXT("\n"));
	return out;
}

static bool unknown_key(struct reader *r, const char *name)
{
	struct spelling s;
	char what[64];

	spelling_begin(&s, name);
	for (const struct key *k = r->section->keys; k->name; k++)
		spelling_offer(&s, k->name);
	snprintf(what, sizeof what, "unknown key in [%s]:", r->section->name);
	return spelling_complain(r, r->line, &s, what, " keys: ");
}

/* ini_handler: one "key = value" of the current section. */
static int take_key(void *user, const char *section, const char *name, const char *value)
{
	struct reader *r = user;
	struct text v = text_of(value);
	const struct key *k;
	bool taken = false;
	uint64_t bit;

	(void)section; /* known since its line was read, and not cut there */
	if (r->failed)
		return 1;
	if (!r->section)
		return complain(r, "\"%.*s\" stands before the first section", WORD_MAX, name);
	if (!v.len)
		return complain(r, "\"%.*s\" says nothing", WORD_MAX, name);
	if (r->section->other && (!r->section->other(r, name, v, &taken) || taken))
		return !r->failed;
	for (k = r->section->keys; k->name && strcmp(k->name, name) != 0; k++)
		continue;
	if (!k->name)
		return unknown_key(r, name);
	bit = (uint64_t)1 << (k - r->section->keys);
	if ((r->seen & bit) && !k->repeats)
		return complain(r, "\"%s\" is set twice", name);
	if (!(r->seen & bit) && k->repeats) { /* what stands there is a default */
		const char *const *none = NULL;

		store(r, k, &none, sizeof none);
	}
	r->seen |= bit;
	return k->take(r, k, v);
}

static bool settle(struct reader *r)
{
	if (!settle_services(r) || !settle_demos(r) || !settle_streams(r))
		return false;
	publish_services(r);
	return settle_catalogs(r) && settle_runbooks(r) && (!arena_full(r->out->profile.arena) || complain(r, "the profile is too large"));
}

/* "pocket" of "/etc/laketop/pocket.ini" */
static const char *stem(struct reader *r)
{
	const char *slash = strrchr(r->path, '/');
	struct text t = text_of(slash ? slash + 1 : r->path);

	if (t.len > 4 && !memcmp(t.at + t.len - 4, ".ini", 4))
		t.len -= 4;
	return kept(r, t);
}

bool profile_read(struct loaded *p, struct host *host, struct text ini, const char *path, const char *folder, bool built_in,
	struct err *err)
{
	struct reader r = {.out = p, .host = host, .path = path, .folder = folder, .built_in = built_in, .err = err, .rest = ini};
	int bad_line;

	ini_max_line = LINE_BYTES + 8; /* libinih's default is 200 */
	bad_line = ini_parse_stream(read_line, &r, take_key, &r);
	if (bad_line > 0 && (!r.failed || (unsigned)bad_line < r.failed_line)) {
		r.failed = false;
		complain_at(&r, (unsigned)bad_line, "this is neither [section] nor key = value");
	}
	if (!r.failed)
		settle(&r);
	free(r.drafts);
	free(r.demos);
	free(r.streams);
	free(r.catalogs);
	free(r.runbooks);
	if (r.failed)
		return false;
	p->profile.path = arena_copy(p->profile.arena, text_of(path));
	if (!p->profile.name)
		p->profile.name = stem(&r);
	return true;
}
