// SPDX-License-Identifier: MIT
/* The local host: connections, files and programs that end when they should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

static struct host *host;
static char folder[] = "/tmp/laketop-host-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	host = host_local();
	return mkdtemp(folder) ? 0 : -1;
}

static bool remove_each(void *ctx, const char *name)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", (const char *)ctx, name);
	return remove(path) == 0;
}

static int tear_down(void **state)
{
	(void)state;
	host->list(host, folder, remove_each, folder, NULL);
	rmdir(folder);
	host->close(host);
	return 0;
}

static const char *in_folder(char out[256], const char *name)
{
	snprintf(out, 256, "%s/%s", folder, name);
	return out;
}

static void write_file(const char *path, const char *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	fclose(f);
}

static int64_t now(void)
{
	return clock_ms();
}

/* ---- connections ---- */

static int listen_on(const char *address, uint16_t *port, int backlog)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, address, &at.sin_addr);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	if (backlog >= 0)
		assert_int_equal(listen(fd, backlog), 0);
	getsockname(fd, (struct sockaddr *)&at, &len);
	*port = ntohs(at.sin_port);
	return fd;
}

static void a_dialled_socket_is_connected_non_blocking_and_close_on_exec(void **state)
{
	struct err err = {0};
	uint16_t port;
	int server = listen_on("127.0.0.1", &port, 4), fd = host->dial_tcp(host, "127.0.0.1", port, wait_for(60000, -1), &err);
	char byte = 0;
	int peer;

	(void)state;
	assert_true(fd >= 0);
	peer = accept(server, NULL, NULL);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(send(peer, "x", 1, 0), 1);
	assert_int_equal(wait_fd(wait_for(60000, -1), fd, POLLIN), 1);
	assert_int_equal(recv(fd, &byte, 1, 0), 1);
	close(peer);
	close(fd);
	close(server);
}

static void a_refused_connection_names_the_endpoint(void **state)
{
	struct err err = {0};
	char expected[64];
	uint16_t port;
	int bound = listen_on("127.0.0.1", &port, -1); /* ours, and nobody listens on it */

	(void)state;
	assert_int_equal(host->dial_tcp(host, "127.0.0.1", port, wait_for(60000, -1), &err), -1);
	assert_int_equal(err.code, ERR_CONNECT);
	snprintf(expected, sizeof expected, "127.0.0.1:%u: Connection refused", (unsigned)port);
	assert_string_equal(err.words, expected);
	close(bound);
}

/* A listener whose queue is full drops what comes: nothing answers the SYN. */
static void fill_queue(uint16_t port, int fds[8])
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	for (int i = 0; i < 8; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		(void)!connect(fds[i], (struct sockaddr *)&to, sizeof to);
	}
}

static void a_server_that_does_not_answer_ends_by_the_deadline(void **state)
{
	struct err err = {0};
	uint16_t port;
	int server = listen_on("127.0.0.1", &port, 0), fds[8];
	int64_t began;

	(void)state;
	fill_queue(port, fds);
	began = now();
	assert_int_equal(host->dial_tcp(host, "127.0.0.1", port, wait_for(150, -1), &err), -1);
	assert_int_equal(err.code, ERR_TIMEOUT);
	assert_true(now() - began >= 150 && now() - began < 20000);
	for (int i = 0; i < 8; i++)
		close(fds[i]);
	close(server);
}

static void a_cancel_ends_a_dial_at_once(void **state)
{
	struct err err = {0};
	uint16_t port;
	int server = listen_on("127.0.0.1", &port, 0), fds[8], ends[2];
	int64_t began;

	(void)state;
	fill_queue(port, fds);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	began = now();
	assert_int_equal(host->dial_tcp(host, "127.0.0.1", port, wait_for(60000, ends[0]), &err), -1);
	assert_int_equal(err.code, ERR_CANCELLED);
	assert_true(now() - began < 30000);
	for (int i = 0; i < 8; i++)
		close(fds[i]);
	close(ends[0]);
	close(ends[1]);
	close(server);
}

static void a_name_is_no_address(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(host->dial_tcp(host, "localhost", 80, wait_for(60000, -1), &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
}

static void a_unix_socket_is_dialled_by_its_path(void **state)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct err err = {0};
	char path[256], longer[300];
	int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fd;

	(void)state;
	text_copy(at.sun_path, sizeof at.sun_path, text_of(in_folder(path, "sock")));
	assert_int_equal(bind(server, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(host->dial_unix(host, path, wait_for(60000, -1), &err), -1);
	assert_int_equal(err.code, ERR_CONNECT); /* a file is there, nobody listens */
	assert_int_equal(listen(server, 1), 0);
	fd = host->dial_unix(host, path, wait_for(60000, -1), &err);
	assert_true(fd >= 0);
	close(fd);
	close(server);
	assert_int_equal(host->dial_unix(host, in_folder(path, "none"), wait_for(60000, -1), &err), -1);
	assert_int_equal(err.code, ERR_CONNECT);
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_int_equal(host->dial_unix(host, longer, wait_for(60000, -1), &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
}

static void a_unix_socket_whose_queue_is_full_ends_by_the_deadline(void **state)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct err err = {0};
	char path[256];
	int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fds[16], n = 0;

	(void)state;
	text_copy(at.sun_path, sizeof at.sun_path, text_of(in_folder(path, "full")));
	assert_int_equal(bind(server, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(server, 0), 0);
	while (n < 16 && (fds[n] = host->dial_unix(host, path, wait_for(50, -1), &err)) >= 0)
		n++;
	assert_true(n < 16);
	assert_int_equal(err.code, ERR_TIMEOUT);
	while (n--)
		close(fds[n]);
	close(server);
}

static void a_near_route_is_the_endpoint_itself(void **state)
{
	struct route route;

	(void)state;
	assert_true(host->route(host, "127.0.0.1", 9092, &route, NULL));
	assert_string_equal(route.unix_path, "");
	assert_string_equal(route.address, "127.0.0.1");
	assert_int_equal(route.port, 9092);
	host->unroute(host, &route);
}

/* ---- files ---- */

static void a_file_is_read_whole(void **state)
{
	struct err err = {0};
	struct buf out;
	char path[256];

	(void)state;
	write_file(in_folder(path, "plain"), "one\ntwo\n", 8);
	buf_init(&out, 100);
	assert_true(host->read_file(host, path, &out, &err));
	assert_string_equal(out.at, "one\ntwo\n");
	buf_free(&out);
	buf_init(&out, 8); /* exactly its size is no excess */
	assert_true(host->read_file(host, path, &out, &err));
	buf_free(&out);
}

static void a_file_beyond_the_cap_gives_what_fits_and_says_so(void **state)
{
	struct err err = {0};
	struct buf out;
	char path[256];

	(void)state;
	write_file(in_folder(path, "large"), "0123456789", 10);
	buf_init(&out, 4);
	assert_false(host->read_file(host, path, &out, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_string_equal(out.at, "0123");
	buf_free(&out);
}

static void a_file_of_proc_has_no_size_and_is_read_all_the_same(void **state)
{
	struct err err = {0};
	struct buf out;

	(void)state;
	buf_init(&out, 10000);
	assert_true(host->read_file(host, "/proc/self/status", &out, &err));
	assert_true(out.len > 100);
	buf_free(&out);
}

static void a_fifo_in_place_of_a_file_does_not_hang(void **state)
{
	struct err err = {0};
	struct buf out;
	char path[256];

	(void)state;
	assert_int_equal(mkfifo(in_folder(path, "fifo"), 0600), 0);
	buf_init(&out, 100);
	assert_false(host->read_file(host, path, &out, &err));
	assert_int_equal(err.code, ERR_SYSTEM);
	assert_false(host->read_tail(host, path, 10, &out, &err));
	assert_false(host->read_file(host, folder, &out, &err)); /* nor is a folder one */
	assert_false(host->read_file(host, "/dev/zero", &out, &err));
	buf_free(&out);
}

static void take_title(void *ctx, struct text words)
{
	text_copy(ctx, 64, text_until(words, '\0'));
}

static void a_file_beside_a_process_is_read_and_its_children_are_told(void **state)
{
	char dir[] = "/tmp/laketop-beside-XXXXXX", path[64], title[64] = "", was[4096];
	struct err err = {0};
	struct buf buf;
	int ends[2];
	pid_t child;
	FILE *f;

	(void)state;
	assert_non_null(getcwd(was, sizeof was));
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/it", dir);
	f = fopen(path, "w");
	fputs("words", f);
	fclose(f);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(chdir(dir), 0);
	child = fork();
	if (!child) {
		dup2(ends[0], 0);
		close(ends[1]);
		execlp("cat", "a cat's title", (char *)NULL);
		_exit(1);
	}
	buf_init(&buf, 100);
	assert_true(host->read_beside(host, getpid(), "it", &buf, &err));
	assert_string_equal(buf_text(&buf).at, "words");
	for (int i = 0; i < 1000 && strcmp(title, "a cat's title"); i++) { /* until it is another program */
		assert_true(host->children(host, getpid(), take_title, title, &err));
		usleep(10000);
	}
	assert_string_equal(title, "a cat's title");
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(host->read_beside(host, child, "it", &buf, &err)); /* it is gone */
	assert_false(host->children(host, child, take_title, title, &err));
	assert_int_equal(chdir(was), 0);
	unlink(path);
	rmdir(dir);
	buf_free(&buf);
}

static void a_missing_file_is_named(void **state)
{
	struct err err = {0};
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	assert_false(host->read_file(host, "/nowhere/at/all", &out, &err));
	assert_string_equal(err.words, "/nowhere/at/all: No such file or directory");
	buf_free(&out);
}

static void a_tail_is_the_last_bytes(void **state)
{
	struct err err = {0};
	struct buf out;
	char path[256];

	(void)state;
	write_file(in_folder(path, "log"), "0123456789", 10);
	buf_init(&out, 100);
	assert_true(host->read_tail(host, path, 4, &out, &err));
	assert_string_equal(out.at, "6789");
	buf_reset(&out);
	assert_true(host->read_tail(host, path, 50, &out, &err));
	assert_string_equal(out.at, "0123456789");
	buf_free(&out);
	buf_init(&out, 3); /* the smaller of the two caps */
	assert_true(host->read_tail(host, path, 50, &out, &err));
	assert_string_equal(out.at, "789");
	buf_free(&out);
}

static void a_missing_file_has_facts_and_they_say_so(void **state)
{
	struct file_facts facts;
	char path[256];

	(void)state;
	assert_true(host->stat(host, "/nowhere/at/all", &facts, NULL));
	assert_false(facts.exists);
	write_file(in_folder(path, "facts"), "abc", 3);
	assert_true(host->stat(host, path, &facts, NULL));
	assert_true(facts.exists && !facts.is_directory);
	assert_int_equal(facts.size, 3);
	assert_true(llabs(facts.modified - clock_wall_ms()) < 60000);
	assert_true(host->stat(host, folder, &facts, NULL));
	assert_true(facts.is_directory);
}

static bool count_until_two(void *ctx, const char *name)
{
	assert_string_not_equal(name, "..");
	return ++*(int *)ctx < 2;
}

static void a_listing_stops_when_told(void **state)
{
	char path[256];
	int n = 0;

	(void)state;
	write_file(in_folder(path, "l1"), "", 0);
	write_file(in_folder(path, "l2"), "", 0);
	write_file(in_folder(path, "l3"), "", 0);
	assert_true(host->list(host, folder, count_until_two, &n, NULL));
	assert_int_equal(n, 2);
	assert_false(host->list(host, "/nowhere/at/all", count_until_two, &n, NULL));
}

/* ---- programs ---- */

struct ran {
	int status;
	struct err err;
	struct buf out, errors;
	int64_t ms;
};

static void run(struct ran *r, const char *const argv[], struct wait wait)
{
	int64_t began = now();

	*r = (struct ran){0};
	buf_init(&r->out, 4096);
	buf_init(&r->errors, 4096);
	r->status = host->exec(host, argv, &r->out, &r->errors, wait, &r->err);
	r->ms = now() - began;
}

static void run_shell(struct ran *r, const char *script, struct wait wait)
{
	run(r, (const char *const[]){"sh", "-c", script, NULL}, wait);
}

static void ran_free(struct ran *r)
{
	buf_free(&r->out);
	buf_free(&r->errors);
}

static void a_program_gives_its_status_its_output_and_its_errors(void **state)
{
	struct ran r;

	(void)state;
	run_shell(&r, "echo out; echo errors >&2; exit 7", wait_for(60000, -1));
	assert_int_equal(r.status, 7);
	assert_string_equal(r.out.at, "out\n");
	assert_string_equal(r.errors.at, "errors\n");
	ran_free(&r);
}

static void arguments_reach_a_program_as_they_are(void **state)
{
	struct ran r;

	(void)state;
	run(&r, (const char *const[]){"printf", "%s|", "$(id)", "a b", "'\"", NULL}, wait_for(60000, -1));
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out.at, "$(id)|a b|'\"|");
	ran_free(&r);
}

static void a_program_that_reads_finds_nothing_to_read(void **state)
{
	struct ran r;

	(void)state;
	run(&r, (const char *const[]){"cat", NULL}, wait_for(60000, -1));
	assert_int_equal(r.status, 0);
	assert_int_equal(r.out.len, 0);
	ran_free(&r);
}

static void a_program_has_no_terminal_and_a_group_of_its_own(void **state)
{
	struct text rest, word;
	int64_t group = 0, session = 0, tty = -1;
	struct ran r;

	(void)state;
	run_shell(&r, "cut -d' ' -f5-7 /proc/$$/stat", wait_for(60000, -1)); /* sh's name has no blank */
	rest = buf_text(&r.out);
	assert_true(text_word(&rest, &word) && text_i64(word, &group));
	assert_true(text_word(&rest, &word) && text_i64(word, &session));
	assert_true(text_word(&rest, &word) && text_i64(word, &tty));
	assert_int_equal(group, session);
	assert_int_not_equal(session, getsid(0));
	assert_int_equal(tty, 0);
	ran_free(&r);
}

static void a_program_inherits_no_descriptor_of_ours(void **state)
{
	int null = open("/dev/null", O_RDONLY), leak = fcntl(null, F_DUPFD, 50); /* as a library may leave one: not close-on-exec */
	char script[64];
	struct ran r;

	(void)state;
	snprintf(script, sizeof script, "test ! -e /proc/$$/fd/%d && test -e /proc/$$/fd/1", leak);
	run_shell(&r, script, wait_for(60000, -1));
	close(leak);
	close(null);
	assert_int_equal(r.status, 0);
	ran_free(&r);
}

static void a_program_starts_with_default_signals(void **state)
{
	sigset_t term, old;
	struct ran r;

	(void)state;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &old);
	signal(SIGPIPE, SIG_IGN);
	run_shell(&r, "kill -TERM $$; echo survived", wait_for(60000, -1));
	assert_int_equal(r.status, -1);
	assert_string_equal(r.err.words, "sh: ended by signal 15");
	ran_free(&r);
	run_shell(&r, "kill -PIPE $$; echo survived", wait_for(60000, -1));
	assert_string_equal(r.err.words, "sh: ended by signal 13");
	ran_free(&r);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGPIPE, SIG_DFL);
}

static void a_missing_program_is_named(void **state)
{
	const char *preload = getenv("LD_PRELOAD");
	struct ran r;

	(void)state;
	if (preload && strstr(preload, "vgpreload"))
		skip(); /* under valgrind a child does not share memory: how its exec failed is lost */
	run(&r, (const char *const[]){"/nowhere/at/all", NULL}, wait_for(60000, -1));
	assert_int_equal(r.status, -1);
	assert_string_equal(r.err.words, "/nowhere/at/all: No such file or directory");
	ran_free(&r);
}

static void output_beyond_the_cap_is_dropped_and_the_program_goes_on(void **state)
{
	struct ran r;

	(void)state;
	run_shell(&r, "head -c 3000000 /dev/zero; exit 4", wait_for(60000, -1));
	assert_int_equal(r.status, 4);
	assert_int_equal(r.out.len, 4096);
	assert_true(r.out.full);
	ran_free(&r);
}

static bool no_child_is_left(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0; /* ECHILD: not even a zombie */
}

static void a_program_is_ended_at_its_deadline(void **state)
{
	struct ran r;

	(void)state;
	run_shell(&r, "echo begun; sleep 60", wait_for(2000, -1));
	assert_int_equal(r.status, -1);
	assert_int_equal(r.err.code, ERR_TIMEOUT);
	assert_string_equal(r.out.at, "begun\n");
	assert_true(r.ms < 30000);
	assert_true(no_child_is_left());
	ran_free(&r);
}

static void a_program_that_ignores_term_is_killed(void **state)
{
	struct ran r;

	(void)state;
	run_shell(&r, "trap '' TERM; echo begun; while :; do sleep 60; done", wait_for(300, -1));
	assert_int_equal(r.err.code, ERR_TIMEOUT);
	assert_true(r.ms < 30000);
	assert_true(no_child_is_left());
	ran_free(&r);
}

static void a_program_that_never_stops_writing_is_ended_too(void **state)
{
	struct ran r;

	(void)state;
	run(&r, (const char *const[]){"yes", NULL}, wait_for(300, -1));
	assert_int_equal(r.err.code, ERR_TIMEOUT);
	assert_true(r.ms < 30000);
	assert_true(no_child_is_left());
	ran_free(&r);
}

static void a_cancel_ends_a_program(void **state)
{
	struct ran r;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	run_shell(&r, "sleep 60", wait_for(60000, ends[0]));
	assert_int_equal(r.err.code, ERR_CANCELLED);
	assert_true(r.ms < 30000);
	assert_true(no_child_is_left());
	close(ends[0]);
	close(ends[1]);
	ran_free(&r);
}

/* F1bonacc1/process-compose #258: a daemon that its parent left behind keeps the pipe for ever. */
static void a_grandchild_that_holds_the_pipe_does_not_hold_us(void **state)
{
	struct text pid;
	int64_t number = 0;
	struct ran r;

	(void)state;
	run_shell(&r, "sleep 60 & echo $!", wait_for(50000, -1));
	assert_int_equal(r.status, 0);
	assert_true(r.ms < 30000);
	pid = text_trim(buf_text(&r.out));
	assert_true(text_i64(pid, &number));
	assert_int_equal(kill((pid_t)number, SIGKILL), 0); /* it was left alone: it may be the server that was started */
	ran_free(&r);
}

/* Last: it is for the whole process. */
static void more_descriptors_are_ours_alone(void **state)
{
	struct rlimit before, now;
	struct ran r;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	before.rlim_cur = 256;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	host_more_descriptors();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_true(now.rlim_cur == (before.rlim_max < 4096 ? before.rlim_max : 4096));
	run(&r, (const char *const[]){"sh", "-c", "sleep 0.2; ulimit -n", NULL}, wait_for(60000, -1));
	assert_string_equal(r.out.at, "256\n");
	ran_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dialled_socket_is_connected_non_blocking_and_close_on_exec),
		cmocka_unit_test(a_refused_connection_names_the_endpoint),
		cmocka_unit_test(a_server_that_does_not_answer_ends_by_the_deadline),
		cmocka_unit_test(a_cancel_ends_a_dial_at_once),
		cmocka_unit_test(a_name_is_no_address),
		cmocka_unit_test(a_unix_socket_is_dialled_by_its_path),
		cmocka_unit_test(a_unix_socket_whose_queue_is_full_ends_by_the_deadline),
		cmocka_unit_test(a_near_route_is_the_endpoint_itself),
		cmocka_unit_test(a_file_is_read_whole),
		cmocka_unit_test(a_file_beyond_the_cap_gives_what_fits_and_says_so),
		cmocka_unit_test(a_file_of_proc_has_no_size_and_is_read_all_the_same),
		cmocka_unit_test(a_fifo_in_place_of_a_file_does_not_hang),
		cmocka_unit_test(a_file_beside_a_process_is_read_and_its_children_are_told),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(a_tail_is_the_last_bytes),
		cmocka_unit_test(a_missing_file_has_facts_and_they_say_so),
		cmocka_unit_test(a_listing_stops_when_told),
		cmocka_unit_test(a_program_gives_its_status_its_output_and_its_errors),
		cmocka_unit_test(arguments_reach_a_program_as_they_are),
		cmocka_unit_test(a_program_that_reads_finds_nothing_to_read),
		cmocka_unit_test(a_program_has_no_terminal_and_a_group_of_its_own),
		cmocka_unit_test(a_program_inherits_no_descriptor_of_ours),
		cmocka_unit_test(a_program_starts_with_default_signals),
		cmocka_unit_test(a_missing_program_is_named),
		cmocka_unit_test(output_beyond_the_cap_is_dropped_and_the_program_goes_on),
		cmocka_unit_test(a_program_is_ended_at_its_deadline),
		cmocka_unit_test(a_program_that_ignores_term_is_killed),
		cmocka_unit_test(a_program_that_never_stops_writing_is_ended_too),
		cmocka_unit_test(a_cancel_ends_a_program),
		cmocka_unit_test(a_grandchild_that_holds_the_pipe_does_not_hold_us),
		cmocka_unit_test(more_descriptors_are_ours_alone),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
