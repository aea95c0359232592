// SPDX-License-Identifier: MIT
/*
 * What the panels share in putting facts into words: a service's verdict, version, owner and age,
 * and text that fits its place. Private to panels/. Pure over a lake; UI thread.
 */
#ifndef LAKETOP_SHOW_H
#define LAKETOP_SHOW_H

#include "panel.h"

/* ---- a service ---- */
bool service_is(const struct service *s, const char *kind);
enum verdict service_verdict(const struct service *s); /* unknown until it was judged */
enum style severity_style(enum severity severity);
enum style service_style(const struct service *s);     /* what is not required is never red */
unsigned service_findings(const struct service *s, enum severity least);
const char *failed_glyph(bool ascii);                  /* of what failed, is dead or does not get on, and is no service */
bool service_troubled(const struct service *s);        /* what "problems only" keeps */
const char *service_words(const struct service *s);    /* why it does not serve, or what its start does; "" */
char *show_version(char out[VALUE_TEXT_SIZE], const struct service *s); /* "4.0.1 (4.2)" */
char *show_owner(char out[VALUE_TEXT_SIZE], const struct owner *o);     /* shortest form: "kafka", "java 921" */
char *show_endpoint(char out[VALUE_TEXT_SIZE], const struct endpoint *at);
char *show_sentence(char *out, size_t size, const struct service *s); /* for the clipboard */

/* ---- ages: what is older than three of its intervals is old ---- */
bool is_old(int64_t seen, int64_t interval, int64_t now);
bool snapshot_old(const struct snapshot *s, int64_t now);
int64_t service_age(const struct service *s, const struct lake *lake); /* of what its row rests on; -1: not old */
char *show_age(char out[VALUE_TEXT_SIZE], int64_t seen, int64_t now); /* "2s"; "-" never */

/* ---- figures ---- */
char *figure_label(char out[NAME_SIZE], const struct figure_spec *spec);
struct value service_figure(const struct service *s, const struct figure_spec *spec, const struct snapshot **from);
char *show_figures(char out[VALUE_TEXT_SIZE], const struct service *s, const struct lake *lake); /* "18 tables  3 conns"; "" none */
const struct history *service_trend(const struct service *s); /* of the row; NULL: none */
double history_back(const void *history, int back);           /* for canvas_spark() and grid cells */
char *show_rate(char out[VALUE_TEXT_SIZE], const struct history *h); /* "+310/s"; "" unknown or still */
char *show_value(char out[VALUE_TEXT_SIZE], struct value v, enum unit unit, const struct lake *lake); /* times as ages */
char *show_cores(char out[VALUE_TEXT_SIZE], double cores); /* "37%" of one */

/* ---- text in its place ---- */
int show_tail(struct canvas *c, int y, int x, int width, enum style style, const char *s); /* what does not fit keeps its end */
int show_text(struct canvas *c, int y, int x, int width, enum style style, const char *s); /* columns used */
int show_wrapped(struct canvas *c, int y, int x, int width, enum style style, const char *s); /* lines used */
/* The names of n views. All where they fit; else the current and the next are among those that do. */
void show_tabs(struct canvas *c, int y, int n, int current, void (*label)(const void *ctx, int i, char out[NAME_SIZE]), const void *ctx);
void show_rule(struct canvas *c, int y);
void show_matches(struct canvas *c, int first_line, const char *filter); /* marks what the filter hits */

struct scroller { /* over lines that are more than fit */
	int top, lines, height;
};
void scroller_fit(struct scroller *s, const struct canvas *c, int lines);
void scroller_marks(const struct scroller *s, struct canvas *c); /* that there is more above or below */
bool scroller_act(struct scroller *s, enum act act);

struct pen { /* parts of one line, each whole or not at all */
	struct canvas *c;
	int y, x;
};
void pen_part(struct pen *pen, enum style style, const char *s, const struct history *trend); /* trend NULL: none */

/* ---- rows that a filter leaves, by number; free() it ---- */
size_t *rows_kept(size_t n, bool (*keep)(const void *ctx, size_t i), const void *ctx, size_t *n_kept);

int int_min(int a, int b);
int int_max(int a, int b);
int int_clamp(int n, int low, int high);

#endif
