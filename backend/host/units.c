// SPDX-License-Identifier: MIT
/*
 * What systemctl says of a unit.
 * Source: systemctl(1) of systemd 252, "show"; states as a real one told them.
 */
#include <stdio.h>
#include <string.h>

#include "host.h"

enum { OUT_MAX = 16 << 10, LOOP_RESTARTS = 3 };

void unit_state_read(struct text shown, struct unit_state *out)
{
	struct text line;

	*out = (struct unit_state){0};
	while (text_line(&shown, &line)) {
		struct text name = text_until(line, '='), value = text_trim(text_after(line, '='));

		if (text_is(name, "LoadState"))
			text_clean(out->load, sizeof out->load, value);
		else if (text_is(name, "ActiveState"))
			text_clean(out->active, sizeof out->active, value);
		else if (text_is(name, "SubState"))
			text_clean(out->sub, sizeof out->sub, value);
		else if (text_is(name, "Result"))
			text_clean(out->result, sizeof out->result, value);
		else if (text_is(name, "ExecMainStatus"))
			text_i64(value, &out->status);
		else if (text_is(name, "NRestarts"))
			text_i64(value, &out->restarts);
	}
}

bool unit_state_ask(struct host *h, const char *unit, bool user, struct unit_state *out, struct wait wait)
{
	const char *const argv[] = {"systemctl", user ? "--user" : "--system", "--no-ask-password", "show", "-p",
		"LoadState,ActiveState,SubState,Result,ExecMainStatus,NRestarts", "--", unit, NULL};
	struct buf shown;
	bool fine;

	buf_init(&shown, OUT_MAX);
	fine = h->exec(h, argv, &shown, NULL, wait, NULL) == 0;
	unit_state_read(fine ? buf_text(&shown) : TEXT(""), out);
	buf_free(&shown);
	return fine && out->load[0];
}

enum unit_is unit_state_is(const struct unit_state *u)
{
	if (!u->load[0])
		return SYSTEMD_NOT_ASKED;
	if (!strcmp(u->load, "not-found"))
		return SYSTEMD_NOWHERE;
	if (strcmp(u->load, "loaded") != 0)
		return SYSTEMD_WRONG;
	if (!strcmp(u->active, "failed"))
		return SYSTEMD_FAILED;
	if (!strcmp(u->sub, "auto-restart") || (u->restarts >= LOOP_RESTARTS && strcmp(u->active, "inactive") != 0))
		return SYSTEMD_RESTARTS;
	return SYSTEMD_LOADED;
}

const char *unit_state_words(const struct unit_state *u, char *out, size_t size)
{
	char restarts[40] = "";

	if (u->restarts > 0)
		snprintf(restarts, sizeof restarts, ", %lld restart%s", (long long)u->restarts, u->restarts == 1 ? "" : "s");
	snprintf(out, size, "%s, status %lld%s", u->result, (long long)u->status, restarts);
	return out;
}
