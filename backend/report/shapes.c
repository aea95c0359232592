// SPDX-License-Identifier: MIT
/* Figures, tables and findings as JSON. Pure. */
#include "shapes.h"

static const char *const sure_words[] = {
	[SURE_UNKNOWN] = "unknown", [SURE_HINT] = "hint", [SURE_RANGE] = "range", [SURE_EXACT] = "exact",
};

const char *sure_word(enum sure sure)
{
	return (size_t)sure < sizeof sure_words / sizeof *sure_words ? sure_words[sure] : NULL;
}

void put_figure(struct json_writer *w, const char *name, struct value v, enum unit unit, int64_t age)
{
	json_open(w, name, '{');
	json_put_value(w, "value", v, unit);
	json_put_text(w, "unit", unit_name(unit));
	if (v.at_least)
		json_put_bool(w, "at_least", true);
	if (age >= 0)
		json_put_i64(w, "age_ms", age);
	json_close(w, '}');
}

static void put_row(struct json_writer *w, const struct table *t, const struct value *row, bool unknowns)
{
	bool at_least = false;

	json_open(w, NULL, '{');
	for (size_t i = 0; i < t->n_columns; i++) {
		at_least |= row[i].at_least;
		if (row[i].type != VALUE_UNKNOWN || unknowns)
			json_put_value(w, t->spec->columns[i].name, row[i], t->spec->columns[i].unit);
	}
	if (at_least) {
		json_open(w, "at_least", '[');
		for (size_t i = 0; i < t->n_columns; i++)
			if (row[i].at_least)
				json_put_text(w, NULL, t->spec->columns[i].name);
		json_close(w, ']');
	}
	json_close(w, '}');
}

void put_table(struct json_writer *w, const char *name, const struct table *t, bool unknowns)
{
	json_open(w, name, '[');
	for (size_t row = 0; row < t->n_rows; row++)
		put_row(w, t, t->cells + row * t->n_columns, unknowns);
	json_close(w, ']');
}

void put_finding(struct json_writer *w, const char *name, enum severity severity, const char *reason, const char *remedy)
{
	json_open(w, NULL, '{');
	json_put_text(w, "finding", name);
	json_put_text(w, "severity", severity_word(severity));
	put_words(w, "reason", reason);
	put_words(w, "remedy", remedy);
	json_close(w, '}');
}

void put_words(struct json_writer *w, const char *key, const char *s)
{
	json_put_text(w, key, s && s[0] ? s : NULL);
}
