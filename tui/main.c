// SPDX-License-Identifier: MIT
/* laketop: reads the command line and the profile, then runs the screen or a command. */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "run.h"
#include "terminal.h"

enum { MALLOC_ARENAS = 2 }; /* one per thread would cost more than the program itself */

/* Makes the folders above a path, private as the XDG specification wants them. */
static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

/* $XDG_STATE_HOME/laketop, else ~/.local/state/laketop. */
static const char *state_dir(char *out, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int len = -1;

	if (state && state[0] == '/')
		len = snprintf(out, size, "%s/laketop", state);
	else if (home && home[0] == '/')
		len = snprintf(out, size, "%s/.local/state/laketop", home);
	if (len <= 0 || (size_t)len >= size)
		return NULL;
	make_parents(out);
	return out;
}

static int say_and_leave(const struct options *o)
{
	struct buf out;

	buf_init(&out, 64 << 10);
	if (o->help)
		options_help(o->command, &out);
	else
		report_versions(&out);
	fputs(buf_text(&out).at, stdout);
	if (o->version)
		printf("  %s\n", terminal_facts().version);
	buf_free(&out);
	return 0;
}

static int complain(const char *words)
{
	fprintf(stderr, "laketop: %s\n", words);
	return EXIT_USAGE;
}

/* Who reads our words and stops is content; a disk that is full keeps half of them, and nobody sees it. */
static int said_all(int code)
{
	struct pollfd reader = {STDOUT_FILENO, 0, 0};
	int failed = fflush(stdout), why = errno;

	if ((!failed && !ferror(stdout)) || (poll(&reader, 1, 0) > 0 && reader.revents & POLLERR))
		return code;
	fprintf(stderr, "laketop: not all could be written%s%s\n", failed ? ": " : "", failed ? strerror(why) : "");
	return code == EXIT_READY ? EXIT_NOT_READY : code;
}

int main(int argc, char *argv[])
{
	bool utf8 = terminal_locale();
	struct options options;
	struct setup setup = {.options = &options, .ascii = !utf8};
	struct profile *profile;
	struct err err = {0};
	char state[512], words[sizeof err.words];
	int code;

	mallopt(M_ARENA_MAX, MALLOC_ARENAS);
	host_more_descriptors();
	if (!options_parse(argc, argv, &options, &err))
		return complain(err.words);
	if (options.help || options.version)
		return said_all(say_and_leave(&options));
	setup.ascii = setup.ascii || options.ascii;
	setup.state_dir = state_dir(state, sizeof state);
	setup.host = host_local();
	/* a recording brings the profile of where it was made */
	setup.profile = profile = options.replay ? replay_profile(options.replay, &err) : profile_load(setup.host, options.profile, &err);
	if (!profile) {
		setup.host->close(setup.host);
		return complain(err.words);
	}
	if (options.demo && !options.replay && !profile_demo(profile, options.demo)) {
		snprintf(words, sizeof words, "there is no [demo %.60s] in %.80s%s%.60s%s", options.demo,
			profile->name ? profile->path : "no profile: --profile names one", profile->n_demos ? "; there is [demo " : "",
			profile->n_demos ? profile->demos[0].name : "", profile->n_demos > 1 ? "] and others" : profile->n_demos ? "]" : "");
		code = complain(words);
	} else {
		signal(SIGPIPE, SIG_IGN);
		code = options.command == COMMAND_SCREEN ? loop_run(&setup) : said_all(command_run(&setup));
	}
	profile_free(profile);
	setup.host->close(setup.host);
	return code;
}
