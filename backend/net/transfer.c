// SPDX-License-Identifier: MIT
/*
 * One request through libcurl on an actor's own handles. Everything that bounds it is set in one
 * function, because curl_easy_reset() takes it all away; the caps are counted in the callbacks,
 * because libcurl's own do not see chunked or compressed bodies; the deadline and the cancel fd
 * are watched here, because libcurl's own timeout knows no cancel.
 *
 * A kept connection may outlive the listener that it was made to. It is dropped when the owner of
 * the port is another process than last time, and after half a minute in any case: a dying server
 * must not answer for its successor.
 *
 * The actor's thread only. Source: libcurl 7.88.1 as in Debian 12.
 */
#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "value.h"

enum { CONNECTIONS_KEPT = 2, CONNECTION_SECONDS = 30, POLL_MOST = 60000 };
enum { RECEIVE_BUFFER = 8 << 10, URL_MOST = 64 << 10, LINE_MOST = 4 << 10 };

char *endpoint_text(char out[ENDPOINT_TEXT], const struct endpoint *at)
{
	snprintf(out, ENDPOINT_TEXT, strchr(at->address, ':') ? "[%s]:%u" : "%s:%u", at->address, (unsigned)at->port);
	return out;
}

const char *limit_text(char out[32], int64_t ms)
{
	if (ms < 1000)
		snprintf(out, 32, "%d ms", (int)ms);
	else
		snprintf(out, 32, "%lld,%03d ms", (long long)(ms / 1000), (int)(ms % 1000));
	return out;
}

/* ---- what libcurl calls ---- */

/* Adds what fits; false where something did not. */
static bool add_capped(struct buf *out, const char *bytes, size_t len)
{
	size_t room = out->max - out->len;

	if (len <= room)
		return buf_add(out, bytes, len);
	buf_add(out, bytes, room);
	out->full = true;
	return false;
}

/* A piece of what is not kept. False: the cap is reached, or the taker wants no more. */
static bool pass_on(struct transfer *t, const char *bytes, size_t len)
{
	t->taken += len;
	t->body->full = t->taken > t->body->max;
	t->ended = !t->body->full && !t->take(t->ctx, bytes, len);
	if (t->body->full)
		t->over = "its body is";
	return !t->body->full && !t->ended;
}

static size_t on_body(char *bytes, size_t one, size_t len, void *ctx)
{
	struct transfer *t = ctx;

	(void)one;
	t->probe->bytes += len;
	if (t->take && transfer_status(t) / 100 == 2)
		return pass_on(t, bytes, len) ? len : 0;
	if (add_capped(t->body, bytes, len))
		return len;
	t->over = "its body is";
	return 0;
}

static size_t on_header(char *bytes, size_t one, size_t len, void *ctx)
{
	struct transfer *t = ctx;
	struct text line = {bytes, len};

	(void)one;
	t->probe->bytes += len;
	if (text_starts(line, "HTTP/")) { /* what came before was a 100 Continue */
		buf_reset(t->headers);
		return len;
	}
	if (!text_trim(line).len || add_capped(t->headers, bytes, len))
		return len;
	t->over = "its headers are";
	return 0;
}

static curl_socket_t on_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct transfer *t = ctx;
	int fd = socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol); /* programs that we run must not inherit it */

	(void)purpose;
	t->no_socket = fd < 0 ? errno : 0;
	return fd;
}

/* ---- before ---- */

static void set_limits(struct transfer *t)
{
	CURL *easy = t->easy;

	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http");
	curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http");
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "laketop/" LAKETOP_VERSION);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)RECEIVE_BUFFER);
	curl_easy_setopt(easy, CURLOPT_MAXLIFETIME_CONN, (long)CONNECTION_SECONDS);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)t->limit_ms);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)t->limit_ms);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, t);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, t);
}

/* Leads the handle to the endpoint; over a unix socket the URL still says whom it is for. */
static bool set_target(struct transfer *t, const struct endpoint *at, const char *unix_path, const char *path, struct err *err)
{
	struct host *host = t->probe->host;
	struct endpoint to = *at;
	char name[ENDPOINT_TEXT];
	struct buf url;
	bool good;

	if (!unix_path) {
		if (!host->route(host, at->address, at->port, &t->route, err))
			return false;
		t->routed = true;
		if (t->route.unix_path[0]) {
			unix_path = t->route.unix_path;
			curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L); /* its path serves one connection */
		} else {
			text_copy(to.address, sizeof to.address, text_of(t->route.address));
			to.port = t->route.port;
		}
	}
	if (unix_path)
		curl_easy_setopt(t->easy, CURLOPT_UNIX_SOCKET_PATH, unix_path);
	buf_init(&url, URL_MOST);
	good = buf_printf(&url, "http://%s%s", t->routed ? endpoint_text(name, &to) : "localhost", path) &&
	       curl_easy_setopt(t->easy, CURLOPT_URL, url.at) == CURLE_OK;
	buf_free(&url);
	return good || err_set(err, ERR_LIMIT, "%s: the path is too long to ask", t->name);
}

/*
 * libcurl is set up by the first question over HTTP, and takes 2 MiB for TLS by that. GnuTLS, which comes along with it for
 * protocols that nobody speaks here, would set itself up at the start of the program, another MiB: it asks this first, and
 * whoever does need it calls gnutls_global_init().
 */
int _gnutls_global_init_skip(void);
int _gnutls_global_init_skip(void)
{
	return 1;
}

static void set_up(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* The actor's handles, for the process that holds the port now. */
static bool ready_handles(struct net *net, CURL **handle, int64_t owner_started)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_up);
	if (net->multi && net->owner_started != owner_started) {
		curl_multi_cleanup(net->multi);
		net->multi = NULL;
	}
	net->owner_started = owner_started;
	if (!net->multi && (net->multi = curl_multi_init()) != NULL)
		curl_multi_setopt(net->multi, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_KEPT);
	if (!*handle)
		*handle = curl_easy_init();
	return net->multi && *handle;
}

bool transfer_begin(struct transfer *t, struct probe *p, CURL **handle, const struct endpoint *at, const char *unix_path,
	const char *path, int64_t timeout_ms, struct err *err)
{
	*t = (struct transfer){.probe = p, .wait = p->wait};
	if (unix_path)
		text_clean(t->name, sizeof t->name, text_of(unix_path));
	else
		endpoint_text(t->name, at);
	t->limit_ms = wait_left(p->wait);
	if (timeout_ms > 0 && timeout_ms < t->limit_ms) {
		t->wait = wait_for(timeout_ms, p->wait.cancel);
		t->limit_ms = timeout_ms; /* as it was asked for: a clock read again may be a millisecond on */
	}
	if (!t->limit_ms)
		return err_set(err, ERR_TIMEOUT, "%s: not asked, no time was left", t->name);
	if (path[0] != '/')
		return err_set(err, ERR_USAGE, "%s: the path \"%s\" does not begin with a slash", t->name, path);
	if (!ready_handles(p->net, handle, p->owner_started))
		return err_set(err, ERR_SYSTEM, "%s: out of memory", t->name);
	t->easy = *handle;
	set_limits(t);
	return set_target(t, at, unix_path, path, err);
}

void transfer_line(struct transfer *t, const char *format, ...)
{
	struct curl_slist *longer = NULL;
	struct buf line;
	va_list args;

	buf_init(&line, LINE_MOST);
	va_start(args, format);
	if (buf_vprintf(&line, format, args))
		longer = curl_slist_append(t->lines, line.at);
	va_end(args);
	if (longer)
		t->lines = longer;
	buf_free(&line);
}

void transfer_bearer(struct transfer *t, const char *token)
{
	if (!token)
		return;
	curl_easy_setopt(t->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
	curl_easy_setopt(t->easy, CURLOPT_XOAUTH2_BEARER, token);
}

/* ---- the wait ---- */

/* Drives the transfer to its end; CURLE_ABORTED_BY_CALLBACK stands for a cancel. */
static CURLcode drive(struct transfer *t)
{
	CURLM *multi = t->probe->net->multi;
	CURLcode result = CURLE_OPERATION_TIMEDOUT;
	struct CURLMsg *said;
	int64_t heard = clock_ms(), patience = t->probe->patience_ms;
	size_t bytes = t->probe->bytes;
	int running = 1, left;

	if (curl_multi_add_handle(multi, t->easy) != CURLM_OK)
		return CURLE_FAILED_INIT;
	for (;;) {
		struct curl_waitfd cancel = {.fd = t->wait.cancel, .events = CURL_WAIT_POLLIN};
		int64_t ms;

		if (curl_multi_perform(multi, &running) != CURLM_OK || !running)
			break;
		ms = wait_left(t->wait);
		if (t->probe->bytes != bytes)
			heard = clock_ms();
		bytes = t->probe->bytes;
		if (patience > 0 && heard + patience - clock_ms() < ms) {
			ms = heard + patience - clock_ms();
			t->silent = ms <= 0;
		}
		if (!ms || t->silent)
			break;
		curl_multi_poll(multi, &cancel, t->wait.cancel >= 0, ms < POLL_MOST ? (int)ms : POLL_MOST, NULL);
		if (cancel.revents) {
			result = CURLE_ABORTED_BY_CALLBACK;
			break;
		}
	}
	while ((said = curl_multi_info_read(multi, &left)) != NULL)
		if (said->msg == CURLMSG_DONE && said->easy_handle == t->easy)
			result = said->data.result;
	curl_multi_remove_handle(multi, t->easy);
	return result;
}

/* ---- after ---- */

static const struct {
	CURLcode code;
	enum err_code is;
	const char *words;
} failures[] = {
	{CURLE_GOT_NOTHING, ERR_PROTOCOL, "closed the connection without an answer"},
	{CURLE_PARTIAL_FILE, ERR_PROTOCOL, "broke off in the middle of its answer"},
	{CURLE_RECV_ERROR, ERR_PROTOCOL, "broke the connection"},
	{CURLE_SEND_ERROR, ERR_PROTOCOL, "broke the connection"},
	{CURLE_UNSUPPORTED_PROTOCOL, ERR_PROTOCOL, "what answers is not HTTP"}, /* HTTP/0.9: no status line */
	{CURLE_WEIRD_SERVER_REPLY, ERR_PROTOCOL, "what answers is not HTTP"},
	{CURLE_HTTP2, ERR_PROTOCOL, "what answers is not HTTP/2"},
	{CURLE_HTTP2_STREAM, ERR_PROTOCOL, "broke off in the middle of its answer"},
	{CURLE_BAD_CONTENT_ENCODING, ERR_PROTOCOL, "its body is not in the encoding that it claims"},
	{CURLE_OUT_OF_MEMORY, ERR_SYSTEM, "out of memory"},
	{CURLE_ABORTED_BY_CALLBACK, ERR_CANCELLED, "cancelled"},
	{CURLE_URL_MALFORMAT, ERR_USAGE, "not a path that can be asked"},
	{CURLE_COULDNT_RESOLVE_HOST, ERR_USAGE, "not a numeric address"},
};

static bool failed_connect(const struct transfer *t, struct err *err)
{
	long why = 0;
	const char *words;

	if (t->no_socket)
		return err_set(err, ERR_SYSTEM, "%s: %s", t->name, strerrordesc_np(t->no_socket) ? strerrordesc_np(t->no_socket) : "no socket");
	curl_easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &why);
	words = why ? strerrordesc_np((int)why) : NULL;
	return err_set(err, ERR_CONNECT, "%s: %s", t->name, words ? words : "cannot connect");
}

static bool failed_time(const struct transfer *t, struct err *err)
{
	char limit[32];
	curl_off_t header = 0;

	curl_easy_getinfo(t->easy, CURLINFO_STARTTRANSFER_TIME_T, &header);
	limit_text(limit, t->silent ? t->probe->patience_ms : t->limit_ms);
	if (t->silent && header > 0)
		return err_set(err, ERR_TIMEOUT, "%s: nothing more of its answer came for %s", t->name, limit);
	if (header > 0)
		return err_set(err, ERR_TIMEOUT, "%s: its answer was not whole after %s", t->name, limit);
	return err_set(err, ERR_TIMEOUT, "%s: no answer within %s", t->name, limit);
}

static bool failed_cap(const struct transfer *t, struct err *err)
{
	char size[VALUE_TEXT_SIZE];
	const struct buf *full = t->body && t->body->full ? t->body : t->headers;

	value_show(size, value_int((int64_t)full->max), UNIT_BYTES);
	return err_set(err, ERR_LIMIT, "%s: %s larger than %s", t->name, t->over, size);
}

/* A socket may connect to itself where nobody listens: source and target port are then the same. */
static bool is_own_echo(const struct transfer *t)
{
	const char *here = NULL, *there = NULL;
	long here_port = 0, there_port = 0;

	curl_easy_getinfo(t->easy, CURLINFO_LOCAL_IP, &here);
	curl_easy_getinfo(t->easy, CURLINFO_PRIMARY_IP, &there);
	curl_easy_getinfo(t->easy, CURLINFO_LOCAL_PORT, &here_port);
	curl_easy_getinfo(t->easy, CURLINFO_PRIMARY_PORT, &there_port);
	return here_port > 0 && here_port == there_port && here && there && !strcmp(here, there);
}

static bool failed(const struct transfer *t, CURLcode result, struct err *err)
{
	if (result == CURLE_COULDNT_CONNECT)
		return failed_connect(t, err);
	if (result == CURLE_OPERATION_TIMEDOUT)
		return failed_time(t, err);
	if (t->over)
		return failed_cap(t, err);
	if (t->ended)
		return err_set(err, ERR_CANCELLED, "%s: its answer was not read to the end", t->name);
	if (is_own_echo(t))
		return err_set(err, ERR_CONNECT, "%s: Connection refused", t->name);
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (failures[i].code == result)
			return err_set(err, failures[i].is, "%s: %s", t->name, failures[i].words);
	return err_set(err, ERR_PROTOCOL, "%s: %s", t->name, curl_easy_strerror(result));
}

bool transfer_run(struct transfer *t, struct err *err)
{
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->lines);
	t->probe->requests++;
	t->result = drive(t);
	return t->result == CURLE_OK || failed(t, t->result, err);
}

bool transfer_heard(const struct transfer *t)
{
	return transfer_status(t) > 0 || t->result == CURLE_UNSUPPORTED_PROTOCOL || t->result == CURLE_WEIRD_SERVER_REPLY ||
	       t->result == CURLE_HTTP2;
}

long transfer_status(const struct transfer *t)
{
	long status = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

double transfer_ms(const struct transfer *t)
{
	curl_off_t us = 0;

	curl_easy_getinfo(t->easy, CURLINFO_TOTAL_TIME_T, &us);
	return (double)us / 1000;
}

void transfer_end(struct transfer *t)
{
	if (t->easy)
		curl_easy_reset(t->easy); /* no secret and no pointer of this request stays behind; connections do */
	curl_slist_free_all(t->lines);
	if (t->routed)
		t->probe->host->unroute(t->probe->host, &t->route);
}

struct text header_value(struct text headers, const char *name)
{
	size_t len = strlen(name);
	struct text line;

	while (text_line(&headers, &line))
		if (line.len > len && line.at[len] == ':' && !strncasecmp(line.at, name, len))
			return text_trim((struct text){line.at + len + 1, line.len - len - 1});
	return TEXT("");
}
