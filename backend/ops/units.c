// SPDX-License-Identifier: MIT
/*
 * Units of systemd, of the system or of this user, through systemctl: its "start" waits for the job and not for the server, and a
 * simple service is "started" before it could fail. So the unit is looked at while the verdict is awaited.
 * Source: systemctl(1) and systemd.service(5) of systemd 252; the words of refusals are those of its binaries.
 */
#include <stdio.h>
#include <string.h>

#include "ways.h"

enum { OUT_MAX = 16 << 10, LOOK_EVERY_MS = 1000 };

/* What helps against what systemctl said; "" nothing that is known. Pure. */
const char *unit_remedy(struct text said, bool user)
{
	static const struct {
		const char *says, *remedy, *of_user;
	} known[] = {
		{"nteractive authentication required", "not allowed to this user: sudo, or a polkit rule for org.freedesktop.systemd1.manage-units", NULL},
		{"Access denied", "not allowed to this user: sudo, or a polkit rule for org.freedesktop.systemd1.manage-units", NULL},
		{"Permission denied", "not allowed to this user: sudo, or a polkit rule for org.freedesktop.systemd1.manage-units", NULL},
		{"not been booted with systemd", "no systemd runs here: give it container, compose or start", NULL},
		{"Failed to connect to", "no systemd answers here: give it container, compose or start",
			"no user manager: log in as this user, or loginctl enable-linger, with XDG_RUNTIME_DIR set"},
		{"is masked", "systemctl unmask allows it again", "systemctl --user unmask allows it again"},
		{"not found", "systemctl list-units --all names what there is", NULL},
		{"start-limit-hit", "it was started too often: systemctl reset-failed", NULL},
		{"repeated too quickly", "it was started too often: systemctl reset-failed", NULL},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (text_has(said, known[i].says))
			return user && known[i].of_user ? known[i].of_user : known[i].remedy;
	return "";
}

/* Of "Job for a.service failed because a timeout was exceeded. See 'systemctl status ...'" what it says. */
static struct text without_see(struct text said)
{
	for (size_t i = 1; i + 4 < said.len; i++)
		if (strchr(" \n", said.at[i - 1]) && !memcmp(said.at + i, "See ", 4))
			return text_trim((struct text){said.at, i});
	return text_trim(said);
}

static bool refused(struct err *err, int status, struct text said, bool user)
{
	const char *remedy = unit_remedy(said, user);
	char says[170];

	say_why(without_see(said), says, remedy[0] ? 90 : sizeof says);
	return err_set(err, ERR_SYSTEM, "systemctl ended with %d: %s%s%s", status, says, remedy[0] ? "; " : "", remedy);
}

/* "loaded", "not-found", "masked", "bad-setting"; "" systemctl does not answer, and said holds why. */
static void load_state(struct action_job *j, bool user, char out[32], struct buf *said, int *status, struct err *err)
{
	const char *const argv[] = {"systemctl", user ? "--user" : "--system", "--no-ask-password", "show", "-p", "LoadState", "--value", "--",
		j->target.unit, NULL};
	struct buf answer;

	buf_init(&answer, OUT_MAX);
	*status = j->host->exec(j->host, argv, &answer, said, j->wait, err);
	text_clean(out, 32, *status == 0 ? text_trim(buf_text(&answer)) : TEXT(""));
	buf_free(&answer);
}

/* It is there, and wrong. */
static bool is_broken(const char *state)
{
	return !strcmp(state, "bad-setting") || !strcmp(state, "error");
}

/* Whose is it? The system's counts first. */
static bool find(struct action_job *j, struct plan *p, struct err *err)
{
	char system[32], own[32] = "";
	struct buf said, unheard;
	int status, ignored;
	bool fine = false;

	buf_init(&said, OUT_MAX);
	buf_init(&unheard, OUT_MAX);
	load_state(j, false, system, &said, &status, err);
	if (strcmp(system, "loaded") != 0)
		load_state(j, true, own, &unheard, &ignored, NULL);
	p->user_unit = !strcmp(own, "loaded");
	if (p->user_unit || !strcmp(system, "loaded"))
		fine = true;
	else if (status < 0)
		fine = false; /* err says that it cannot be run */
	else if (status > 0)
		fine = refused(err, status, buf_text(&said), false);
	else if (!strcmp(system, "masked") || !strcmp(own, "masked"))
		fine = err_set(err, ERR_SYSTEM, "unit %.80s is masked: systemctl unmask allows it again", j->target.unit);
	else if (is_broken(system) || is_broken(own))
		fine = err_set(err, ERR_SYSTEM, "unit %.80s cannot be read (%s): systemctl%s status says why", j->target.unit,
			is_broken(system) ? system : own, is_broken(system) ? "" : " --user");
	else
		fine = err_set(err, ERR_SYSTEM, "systemd knows no unit %.80s, neither of the system nor of this user", j->target.unit);
	buf_free(&said);
	buf_free(&unheard);
	return fine;
}

bool unit_prepare(struct action_job *j, struct plan *p, struct err *err)
{
	if (!find(j, p, err))
		return false;
	plan_push(p, "systemctl");
	if (p->user_unit)
		plan_push(p, "--user");
	plan_push(p, "--no-ask-password"); /* its agent would draw over the screen */
	plan_push(p, j->wish.verb);
	plan_push(p, "--");
	plan_push(p, j->target.unit);
	snprintf(j->effect, sizeof j->effect, "unit %s of %s", j->target.unit,
		p->user_unit ? "this user" : "the system; it needs the right to manage units");
	return true;
}

/* What systemd tells of every unit that ended is known already. */
static bool is_known(struct text line)
{
	return text_has(line, ": Main process exited, ") || text_has(line, ": Failed with result '") || text_starts(line, "Failed to start ") ||
		text_starts(line, "Started ") || text_starts(line, "Starting ");
}

static void say_last_words(struct action_job *j, struct text journal)
{
	struct text line, rest = journal;
	struct buf own;

	buf_init(&own, OUT_MAX);
	while (text_line(&rest, &line))
		if (!is_known(line)) {
			buf_add(&own, line.at, line.len);
			buf_puts(&own, "\n");
		}
	last_lines(job_profile(j), own.len ? buf_text(&own) : journal, j->last, sizeof j->last);
	buf_free(&own);
}

static void read_last_words(struct action_job *j, const struct plan *p)
{
	char since[32];
	const char *const argv[] = {"journalctl", p->user_unit ? "--user-unit" : "--unit", j->target.unit, "--since", since, "-n", "20", "-o", "cat",
		"--no-pager", "-q", NULL};
	struct buf out;

	snprintf(since, sizeof since, "@%lld.%03d", (long long)(p->began / 1000), (int)(p->began % 1000));
	buf_init(&out, OUT_MAX);
	/* its own time: that of the watch may be over */
	if (j->host->exec(j->host, argv, &out, NULL, wait_for(2000, j->wait.cancel), NULL) == 0)
		say_last_words(j, buf_text(&out));
	buf_free(&out);
}

bool unit_run(struct action_job *j, struct plan *p, struct err *err)
{
	struct buf out, said;
	int status;

	buf_init(&out, OUT_MAX);
	buf_init(&said, OUT_MAX);
	status = j->host->exec(j->host, p->argv, &out, &said, j->wait, err);
	if (status > 0)
		refused(err, status, buf_text(said.len ? &said : &out), p->user_unit);
	if (text_has(buf_text(&said), "ob for ")) /* it was tried, its own or that of what it depends on */
		read_last_words(j, p);
	buf_free(&out);
	buf_free(&said);
	return status == 0;
}

bool unit_watch(struct action_job *j, const struct plan *p, struct err *err)
{
	struct unit_state u;
	char why[120];
	bool fine;

	do {
		if (unit_state_ask(j->host, j->target.unit, p->user_unit, &u, j->wait) && (!strcmp(u.active, "failed") || !strcmp(u.sub, "auto-restart"))) {
			read_last_words(j, p);
			return err_set(err, ERR_SYSTEM, "the unit %s: %s", !strcmp(u.active, "failed") ? "failed" : "ends and is started again",
				unit_state_words(&u, why, sizeof why));
		}
	} while (watch_goes_on(j, LOOK_EVERY_MS, err, &fine));
	if (!fine)
		read_last_words(j, p);
	return fine;
}
