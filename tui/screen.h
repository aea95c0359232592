// SPDX-License-Identifier: MIT
/*
 * What the user sees and does: which panel, which page, filter, palette, help. Draws into a
 * canvas and turns keys into wishes that the loop fulfils; knows no terminal and no engine, so
 * that tests drive the whole of it in memory. UI thread.
 */
#ifndef LAKETOP_TUI_SCREEN_H
#define LAKETOP_TUI_SCREEN_H

#include "panel.h"

enum { /* wishes, or-ed */
	WISH_QUIT = 1,
	WISH_REFRESH = 2,   /* of wish.service, "" all */
	WISH_IDENTIFY = 4,  /* who is at wish.address, wish.port? */
	WISH_COPY = 8,      /* wish.copy */
	WISH_MOUSE = 16,    /* the other way */
	WISH_REDRAW = 32,
	WISH_SUSPEND = 64,
	WISH_ASK = 128,     /* wish.ask_service, or the catalog of that name, for wish.ask_view of wish.ask_subject */
	WISH_DROP = 256,    /* the answer of wish.service is not wanted any more */
	WISH_ACT = 512,     /* wish.action is to be prepared; then screen_offer() */
	WISH_CONFIRM = 1024, /* wish.id runs */
	WISH_CANCEL = 2048, /* wish.id is cancelled */
	WISH_LOGS = 8192,   /* wish.logs are to be shown */
	WISH_FIND = 16384,  /* wish.logs.match, or as bad as wish.logs.least, is looked for; neither: no more */
	WISH_SAVE = 32768,  /* wish.save is to be written to wish.path; then screen_saved() */
	WISH_LOCK = 4096,   /* actions: locked where wish.locked */
};
struct wish {
	unsigned what;
	char service[NAME_SIZE];
	char address[ADDRESS_SIZE];
	uint16_t port;
	const char *copy;   /* until the next key */
	const char *save, *path;
	bool overwrite;     /* it is there, and the user knows */
	const struct action_wish *action; /* until the next key */
	const struct action_mark *marks;  /* of WISH_ACT: what it is for, in place of its own; then screen_offer_many() for each */
	size_t n_marks;
	uint64_t id;
	const uint64_t *ids;              /* of WISH_CONFIRM and WISH_CANCEL: in place of id, one after another; 0: none */
	size_t n_ids;
	bool go_on;                       /* also after one that failed */
	bool locked;
	char ask_service[NAME_SIZE], ask_view[NAME_SIZE], ask_subject[512];
	bool ask_catalog;
	struct log_wish logs;
};

struct screen;
struct screen *screen_new(bool ascii);
void screen_free(struct screen *s);

void screen_show(struct screen *s, const struct lake *lake); /* from now on this one */
/* Draws all of it. The cursor's place; y -1 where there is none. */
void screen_draw(struct screen *s, struct canvas *c, int *y, int *x);
struct wish screen_key(struct screen *s, int key); /* see keymap.h */
void screen_paste(struct screen *s, struct text text);
struct wish screen_click(struct screen *s, struct canvas *c, int y); /* c: as drawn last */
struct wish screen_wheel(struct screen *s, int rows);
/* In place of the hints for a moment. */
void screen_say(struct screen *s, enum style style, const char *format, ...) __attribute__((format(printf, 3, 4)));

void screen_saved(struct screen *s, bool exists, const char *failed); /* what became of WISH_SAVE; NULL: it is written */
void screen_offer(struct screen *s, uint64_t id, const char *refused); /* what became of WISH_ACT; id 0: refused says why */
void screen_offer_many(struct screen *s, size_t at, uint64_t id, const char *refused);
struct wish screen_tick(struct screen *s); /* what it wants without a key: what is open is asked for again */
bool screen_frozen(const struct screen *s);
bool screen_asks_to_quit(struct screen *s); /* something runs, and that is asked now; false: nothing does, or it stood there already */
bool screen_watches_logs(struct screen *s);
bool screen_watches_tables(struct screen *s); /* the panel in sight is about them */
int64_t screen_due(const struct screen *s); /* clock_ms() of the next draw that is needed without news; never: INT64_MAX */

#endif
