// SPDX-License-Identifier: MIT
/*
 * The web port of a Spark driver that only its configuration tells: spark-defaults.conf, in a folder of its class
 * path, or the file that --properties-file names. Of it the number is taken, nothing else. Read as the process
 * sees it, through /proc/PID/root: it may live in a container.
 * Source: Spark's SparkSubmitArguments.scala, launcher/CommandBuilderUtils.java; checked on 4.1.4.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "look.h"

#define KEY "spark.ui.port"

enum { DEFAULTS_MAX = 256 << 10, PLACES_MAX = 16 };

static bool is_gap(char c)
{
	return c == ' ' || c == '\t' || c == '=' || c == ':';
}

uint16_t defaults_port(struct text file)
{
	struct text line;
	uint16_t found = 0;
	int64_t port;

	while (text_line(&file, &line)) {
		line = text_trim(line);
		if (!text_skip(&line, KEY) || !line.len || !is_gap(line.at[0]))
			continue;
		while (line.len && is_gap(line.at[0])) {
			line.at++;
			line.len--;
		}
		if (text_i64(line, &port) && port > 0 && port < 65536)
			found = (uint16_t)port; /* the last one counts */
	}
	return found;
}

/* The port in one file of the process; 0: no such file, or no such line. */
static uint16_t port_in(int proc, pid_t pid, struct text folder, const char *name)
{
	char path[4096], chunk[4096];
	struct buf file;
	struct stat st;
	uint16_t port = 0;
	ssize_t n = 0;
	int fd;

	if (!folder.len || folder.at[0] != '/' ||
	    snprintf(path, sizeof path, "%d/root%.*s%s", (int)pid, (int)folder.len, folder.at, name) >= (int)sizeof path)
		return 0;
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	buf_init(&file, DEFAULTS_MAX);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		do
			n = read(fd, chunk, sizeof chunk);
		while (n > 0 && buf_add(&file, chunk, (size_t)n));
		port = defaults_port(buf_text(&file));
	}
	close(fd);
	buf_free(&file);
	return port;
}

/* The next argument; they end in NUL. */
static bool argument(struct text *cmdline, struct text *out)
{
	const char *end = cmdline->len ? memchr(cmdline->at, '\0', cmdline->len) : NULL;
	size_t len = end ? (size_t)(end - cmdline->at) : cmdline->len;

	if (!cmdline->len)
		return false;
	*out = (struct text){cmdline->at, len};
	cmdline->at += len + (end != NULL);
	cmdline->len -= len + (end != NULL);
	return true;
}

static uint16_t port_of_path(int proc, pid_t pid, struct text path)
{
	uint16_t port = 0;

	for (int i = 0; path.len && !port && i < PLACES_MAX; i++) {
		struct text place = text_until(path, ':');

		path = text_after(path, ':');
		if (place.len && place.at[place.len - 1] == '/')
			port = port_in(proc, pid, place, "spark-defaults.conf");
	}
	return port;
}

static uint16_t port_of(int proc, pid_t pid, struct text cmdline)
{
	struct text word, classes = TEXT(""), file = TEXT("");
	bool submits = false;

	while (argument(&cmdline, &word)) {
		submits |= text_is(word, "org.apache.spark.deploy.SparkSubmit");
		if (text_is(word, "-cp") && !submits)
			argument(&cmdline, &classes);
		else if (text_is(word, "--properties-file"))
			argument(&cmdline, &file);
	}
	if (!submits)
		return 0;
	return file.len ? port_in(proc, pid, file, "") : port_of_path(proc, pid, classes);
}

void defaults_hint(char hint[HINT_SIZE], int proc, pid_t pid, struct text cmdline)
{
	uint16_t port = text_has(text_of(hint), KEY) ? 0 : port_of(proc, pid, cmdline);
	char was[HINT_SIZE];
	struct text program = text_until(text_of(hint), ' ');

	if (!port)
		return;
	snprintf(was, sizeof was, "%.*s " KEY "=%u%.*s", (int)program.len, program.at, (unsigned)port, (int)(HINT_SIZE - program.len - 24),
		hint + program.len); /* before what may be cut off */
	text_copy(hint, HINT_SIZE, text_of(was));
}
