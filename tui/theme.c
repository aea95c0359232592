// SPDX-License-Identifier: MIT
/*
 * Themes. The files in themes/ are compiled in by themes/embed; --theme PATH reads another one of
 * the same form (told in themes/night.theme). Colours are written for 256 and brought down by
 * nearest match, because terminals of 8 and 16 colours are still what a console and a serial
 * line offer. Source of the palette: xterm's defaults. UI thread.
 */
#include "theme.h"

#include <string.h>

#include "mem.h"
#include "themes.h" /* made by themes/embed */

enum { THEME_FILE_MAX = 64 << 10 };

const char *const theme_default = "night";

const char *theme_builtin(size_t i)
{
	return i < sizeof builtin_themes / sizeof *builtin_themes ? builtin_themes[i].name : NULL;
}

/* ---- colours ---- */

static uint32_t palette_rgb(int colour)
{
	static const uint32_t first[16] = {
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
	};
	static const uint32_t steps[6] = {0, 95, 135, 175, 215, 255};
	uint32_t n = (uint32_t)colour;

	if (n < 16)
		return first[n];
	if (n < 232)
		return steps[(n - 16) / 36] << 16 | steps[(n - 16) / 6 % 6] << 8 | steps[(n - 16) % 6];
	return (8 + 10 * (n - 232)) * 0x10101;
}

/* Weighted by how the eye sees: "redmean". */
static int64_t distance(uint32_t a, uint32_t b)
{
	int64_t ra = a >> 16 & 255, rb = b >> 16 & 255, mean = (ra + rb) / 2;
	int64_t r = ra - rb, g = (int64_t)(a >> 8 & 255) - (int64_t)(b >> 8 & 255), blue = (int64_t)(a & 255) - (int64_t)(b & 255);

	return (((512 + mean) * r * r) >> 8) + 4 * g * g + (((767 - mean) * blue * blue) >> 8);
}

static int nearest(uint32_t rgb, int first, int end)
{
	int best = first;

	for (int i = first; i < end; i++)
		if (distance(rgb, palette_rgb(i)) < distance(rgb, palette_rgb(best)))
			best = i;
	return best;
}

int colour_nearest(int colour, int colours)
{
	return colour < colours ? colour : nearest(palette_rgb(colour), 0, colours);
}

struct look theme_look(const struct theme *theme, enum style style, int colours)
{
	bool plain = colours <= 8 && theme->styles[style].has_plain;
	struct look look = plain ? theme->styles[style].plain : theme->styles[style].rich;

	if (colours == 0) {
		if (look.bg >= 0)
			look.attributes |= LOOK_REVERSE;
		look.fg = look.bg = -1;
		return look;
	}
	look.fg = colour_nearest(look.fg, colours);
	look.bg = colour_nearest(look.bg, colours);
	if (look.bg >= 0 && look.fg == look.bg) { /* brought down to the same colour: nobody could read it */
		look.fg = look.bg = -1;
		look.attributes |= LOOK_REVERSE;
	}
	return look;
}

/* ---- the file ---- */

static bool parse_hex(struct text word, uint32_t *out)
{
	*out = 0;
	if (word.len != 6)
		return false;
	for (size_t i = 0; i < 6; i++) {
		char c = word.at[i];
		int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (digit < 0)
			return false;
		*out = *out << 4 | (uint32_t)digit;
	}
	return true;
}

static bool parse_colour(struct text word, int *out)
{
	static const char *const names[] = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
	int bright = 0;
	int64_t n;
	uint32_t rgb;

	if (text_is(word, "default"))
		return *out = -1, true;
	if (text_skip(&word, "#")) {
		if (!parse_hex(word, &rgb))
			return false;
		*out = nearest(rgb, 16, 256);
		return true;
	}
	if (text_i64(word, &n)) {
		*out = (int)n;
		return n >= 0 && n < 256;
	}
	if (text_skip(&word, "bright-"))
		bright = 8;
	for (int i = 0; i < 8; i++)
		if (text_is(word, names[i]))
			return *out = i + bright, true;
	return false;
}

static unsigned parse_attribute(struct text word)
{
	return text_is(word, "bold") ? LOOK_BOLD : text_is(word, "dim") ? LOOK_DIM : text_is(word, "underline") ? LOOK_UNDERLINE
	     : text_is(word, "reverse") ? LOOK_REVERSE : 0;
}

/* False: bad holds the word that could not be read, empty where one is missing. */
static bool parse_look(struct text words, struct look *out, struct text *bad)
{
	struct text word;
	unsigned attribute;

	*out = (struct look){-1, -1, 0};
	if (!text_word(&words, bad) || !parse_colour(*bad, &out->fg))
		return false;
	while (text_word(&words, &word)) {
		*bad = word;
		attribute = parse_attribute(word);
		if (attribute)
			out->attributes |= attribute;
		else if (!text_is(word, "on") || !text_word(&words, bad) || !parse_colour(*bad, &out->bg))
			return false;
	}
	return true;
}

static bool parse_style(struct text name, struct text value, struct theme *out, struct text *bad)
{
	for (int s = 0; s < STYLE_COUNT; s++) {
		if (!text_is(name, style_name((enum style)s)))
			continue;
		out->styles[s].has_plain = text_has(value, "|");
		return parse_look(text_until(value, '|'), &out->styles[s].rich, bad) &&
		       (!out->styles[s].has_plain || parse_look(text_after(value, '|'), &out->styles[s].plain, bad));
	}
	*bad = name;
	return false;
}

bool theme_parse(struct text ini, const char *path, struct theme *out, struct err *err)
{
	struct text line, name, value, bad = TEXT("");
	int number = 0;

	*out = (struct theme){0};
	for (int s = 0; s < STYLE_COUNT; s++)
		out->styles[s].rich = out->styles[s].plain = (struct look){-1, -1, 0};
	while (text_line(&ini, &line)) {
		number++;
		line = text_trim(line);
		if (!line.len || line.at[0] == '#')
			continue;
		if (!text_has(line, "="))
			return err_set(err, ERR_USAGE, "%s:%d: expected \"style = colour\"", path, number);
		name = text_trim(text_until(line, '='));
		value = text_trim(text_after(line, '='));
		if (text_is(name, "description"))
			text_clean(out->description, sizeof out->description, value);
		else if (!parse_style(name, value, out, &bad))
			return err_set(err, ERR_USAGE, "%s:%d: \"%.*s\" is no %s", path, number, (int)(bad.len < 40 ? bad.len : 40), bad.at,
				bad.at == name.at ? "style" : "colour or attribute");
	}
	return true;
}

static bool load_builtin(const char *name, struct theme *out, struct err *err)
{
	for (size_t i = 0; theme_builtin(i); i++)
		if (!strcmp(name, builtin_themes[i].name)) {
			if (!theme_parse(text_of(builtin_themes[i].text), name, out, err))
				return false;
			text_copy(out->name, sizeof out->name, text_of(name));
			return true;
		}
	return err_set(err, ERR_USAGE, "there is no theme \"%s\": \"laketop themes\" lists them; a file is named by its path", name);
}

static bool is_path(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 6 && !strcmp(name + len - 6, ".theme"));
}

bool theme_load(struct host *host, const char *name, struct theme *out, struct err *err)
{
	struct buf file;
	bool good;

	if (!name)
		name = theme_default;
	if (!is_path(name))
		return load_builtin(name, out, err);
	buf_init(&file, THEME_FILE_MAX);
	good = host->read_file(host, name, &file, err) && theme_parse(buf_text(&file), name, out, err);
	buf_free(&file);
	if (good)
		text_clean(out->name, sizeof out->name, text_of(strrchr(name, '/') ? strrchr(name, '/') + 1 : name));
	return good;
}
