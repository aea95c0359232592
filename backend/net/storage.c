// SPDX-License-Identifier: MIT
/*
 * See storage.h. S3 is asked path style, because a bucket as part of a host's name needs a resolver,
 * and an endpoint here is an address. A redirect to another region is an error that says so.
 */
#include "storage.h"

#include <stdio.h>
#include <string.h>

#include "s3_list.h"

enum { URL_SHOWN = 110, PAGE_BYTES = 4 << 20, PATH_BYTES = 8 << 10, TOKEN_BYTES = 4 << 10, BUCKET_MAX = 63, PAGES_MAX = 2000 };

/* ---- URLs ---- */

/* The end of a long one tells more than its beginning. */
struct shown {
	char s[URL_SHOWN + 8];
};
static struct shown shown(const char *url)
{
	struct shown out;
	size_t len = strlen(url);

	snprintf(out.s, sizeof out.s, "%s%s", len > URL_SHOWN ? "..." : "", url + (len > URL_SHOWN ? len - URL_SHOWN : 0));
	return out;
}

static struct text without_slashes(struct text t)
{
	while (t.len && t.at[t.len - 1] == '/')
		t.len--;
	return t;
}

static bool bucket_is_fit(struct text t)
{
	for (size_t i = 0; i < t.len; i++) {
		char c = t.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'))
			return false;
	}
	return t.len > 0 && t.len <= BUCKET_MAX;
}

bool storage_url(const char *url, struct storage_url *out, struct err *err)
{
	struct text rest = text_of(url);

	*out = (struct storage_url){.bucket = TEXT(""), .path = TEXT("")};
	if (rest.len >= STORAGE_URL_SIZE)
		return err_set(err, ERR_USAGE, "%s: a URL has less than %d bytes", shown(url).s, STORAGE_URL_SIZE);
	if (text_skip(&rest, "s3://") || text_skip(&rest, "s3a://")) {
		out->s3 = true;
		out->bucket = text_until(rest, '/');
		out->path = without_slashes(text_after(rest, '/'));
		if (!bucket_is_fit(out->bucket))
			return err_set(err, ERR_USAGE, "s3: \"%.*s\" is no name of a bucket (s3://bucket/key)",
				(int)(out->bucket.len < 20 ? out->bucket.len : 20), memchr(out->bucket.at, '@', out->bucket.len) ? "..." : out->bucket.at);
		return true;
	}
	if (text_skip(&rest, "file:") && text_skip(&rest, "//") && !text_starts(rest, "/"))
		return err_set(err, ERR_USAGE, "%s: a file on another machine cannot be read (file:/path)", shown(url).s);
	if (!text_starts(rest, "/"))
		return err_set(err, ERR_USAGE, "%s: is neither /path, file:/path, s3://bucket/key nor s3a://bucket/key", shown(url).s);
	out->path = without_slashes(rest);
	if (!out->path.len)
		out->path = TEXT("/");
	return true;
}

bool storage_child(char out[STORAGE_URL_SIZE], const char *url, const char *part)
{
	struct text t = without_slashes(text_of(url));
	int len = snprintf(out, STORAGE_URL_SIZE, "%.*s/%s", (int)t.len, t.at, part);

	return len > 0 && len < STORAGE_URL_SIZE;
}

/* ---- files ---- */

static enum storage_answer file_failed(struct probe *p, const char *path, struct err *err)
{
	struct file_facts f = {0};
	struct err why = {0};

	return p->host->stat(p->host, path, &f, &why) && !f.exists && (!err || err->code == ERR_SYSTEM) ? STORAGE_MISSING : STORAGE_FAILED;
}

static enum storage_answer read_file(struct probe *p, const char *path, struct buf *out, struct err *err)
{
	struct err why = {0};

	p->requests++;
	if (p->host->read_file(p->host, path, out, &why)) {
		p->bytes += out->len;
		return STORAGE_OK;
	}
	if (err)
		*err = why;
	return file_failed(p, path, &why);
}

/* A file's pieces, within the cap and the probe's wait. */
struct file_stream {
	struct probe *probe;
	const char *url;
	int64_t left, most;
	bool (*take)(void *ctx, const char *bytes, size_t len);
	void *ctx;
	struct err why;
};

static bool take_piece(void *ctx, const char *bytes, size_t len)
{
	struct file_stream *s = ctx;

	s->probe->bytes += len;
	if (wait_fd((struct wait){.deadline = 0, .cancel = s->probe->wait.cancel}, -1, 0) < 0)
		return err_set(&s->why, ERR_CANCELLED, "%s: cancelled", shown(s->url).s);
	if (!wait_left(s->probe->wait))
		return err_set(&s->why, ERR_TIMEOUT, "%s: was not whole when the time was up", shown(s->url).s);
	s->left -= (int64_t)len;
	if (s->left < 0)
		return err_set(&s->why, ERR_LIMIT, "%s: larger than %lld bytes", shown(s->url).s, (long long)s->most);
	return s->take(s->ctx, bytes, len);
}

static enum storage_answer stream_file(struct file_stream *s, const char *path, struct err *err)
{
	struct host *host = s->probe->host;
	struct err why = {0};

	s->probe->requests++;
	if (host->stream_file(host, path, take_piece, s, &why))
		return STORAGE_OK;
	if (s->why.code)
		why = s->why;
	if (err)
		*err = why;
	return file_failed(s->probe, path, &why);
}

struct file_list {
	bool (*each)(void *ctx, const struct storage_entry *entry);
	void *ctx;
	struct text after;
	size_t left;
	bool over;
};

static bool is_after(struct text name, struct text after)
{
	size_t n = name.len < after.len ? name.len : after.len;
	int order = n ? memcmp(name.at, after.at, n) : 0;

	return order > 0 || (order == 0 && name.len > after.len);
}

static bool each_file(void *ctx, const char *name)
{
	struct file_list *l = ctx;
	struct storage_entry entry = {.name = text_of(name), .size = -1};

	if (l->after.len && !is_after(entry.name, l->after))
		return true;
	l->over = !l->left;
	if (l->over)
		return false;
	l->left--;
	return l->each(l->ctx, &entry);
}

static enum storage_answer list_files(struct probe *p, const char *url, const char *path, struct file_list *l, size_t most, struct err *err)
{
	struct err why = {0};

	p->requests++;
	if (p->host->list(p->host, path, each_file, l, &why)) {
		if (!l->over)
			return STORAGE_OK;
		err_set(err, ERR_LIMIT, "%s: more than %zu names", shown(url).s, most);
		return STORAGE_FAILED;
	}
	if (err)
		*err = why;
	return file_failed(p, path, &why);
}

/* ---- S3 ---- */

static const char *words_of(struct text code)
{
	static const struct {
		const char *code, *words;
	} known[] = {
		{"AccessDenied", "S3 refuses us"},
		{"InvalidAccessKeyId", "S3 does not know our key"},
		{"SignatureDoesNotMatch", "S3 refuses our secret"},
		{"RequestTimeTooSkewed", "our clock and S3's differ by more than 15 minutes"},
		{"NoSuchBucket", "there is no such bucket"},
		{"NoSuchKey", "there is no such file"},
		{"PermanentRedirect", "the bucket is in another region"},
		{"AuthorizationHeaderMalformed", "the bucket is in another region"},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (text_is(code, known[i].code))
			return known[i].words;
	return "S3 does not give it";
}

/* What an answer other than 200 means. */
static enum storage_answer refused(const struct http_answer *answer, const char *url, struct err *err)
{
	struct text code = s3_error_code(buf_text(&answer->body));
	bool bucket = text_is(code, "NoSuchBucket");
	enum err_code is = ERR_PROTOCOL;

	if (answer->status == 401 || answer->status == 403)
		is = ERR_AUTH;
	else if (answer->status == 404 || bucket)
		is = ERR_SYSTEM;
	err_set(err, is, "%s: %s (HTTP %ld%s%.*s)", shown(url).s,
		answer->status == 404 && !code.len ? "there is no such file" : words_of(code), answer->status, code.len ? " " : "",
		(int)(code.len < 40 ? code.len : 40), code.at);
	return answer->status == 404 && !bucket ? STORAGE_MISSING : STORAGE_FAILED;
}

/* Names the URL in what the way to the server said. */
static void name_url(const char *url, const struct err *why, struct err *err)
{
	err_set(err, why->code, "%s: %s", shown(url).s, why->words);
}

/* As stored: S3 hands back the encoding that a writer named, and Hadoop's names "aws-chunked", which is none. */
static bool ask_s3(struct probe *p, const struct storage *at, const char *url, struct http_request request, struct http_answer *answer,
	struct err *err)
{
	char sign[80];
	struct err why = {0};

	*answer = (struct http_answer){0};
	if (!at->s3.port)
		return err_set(err, ERR_USAGE, "%s: no S3 server is named for it", shown(url).s);
	request.as_stored = true;
	if (at->user && at->password) {
		request.user = at->user;
		request.password = at->password;
		snprintf(sign, sizeof sign, "aws:amz:%.40s:s3", at->region && at->region[0] ? at->region : "us-east-1");
		request.sigv4 = sign;
	}
	if (http_ask(p, &at->s3, &request, answer, &why))
		return true;
	name_url(url, &why, err);
	return false;
}

static enum storage_answer get_object(struct probe *p, const struct storage *at, const struct storage_url *u, const char *url,
	struct http_request request, struct http_answer *answer, struct err *err)
{
	enum storage_answer result = STORAGE_FAILED;
	struct buf path;

	buf_init(&path, PATH_BYTES);
	if (s3_put_path(&path, u->bucket, u->path)) {
		request.path = path.at;
		if (ask_s3(p, at, url, request, answer, err))
			result = answer->status == 200 ? STORAGE_OK : refused(answer, url, err);
	} else {
		err_set(err, ERR_LIMIT, "%s: too long to ask", shown(url).s);
	}
	buf_free(&path);
	return result;
}

static enum storage_answer read_object(struct probe *p, const struct storage *at, const struct storage_url *u, const char *url,
	struct buf *out, struct err *err)
{
	struct http_request request = {.most = out->max > out->len ? out->max - out->len : 1};
	struct http_answer answer = {0};
	struct err why = {0};
	enum storage_answer result = get_object(p, at, u, url, request, &answer, &why);

	if ((result == STORAGE_OK || why.code == ERR_LIMIT) && answer.body.len && !buf_add(out, answer.body.at, answer.body.len)) {
		err_set(&why, ERR_LIMIT, "%s: larger than %zu bytes", shown(url).s, out->max);
		result = STORAGE_FAILED;
	}
	if (err && why.code)
		*err = why;
	http_answer_free(&answer);
	return result;
}

struct s3_list {
	bool (*each)(void *ctx, const struct storage_entry *entry);
	void *ctx;
	size_t left;
	bool over;
	bool deep;
};

static bool each_object(void *ctx, const struct storage_entry *entry)
{
	struct s3_list *l = ctx;

	l->over = !l->left;
	if (l->over)
		return false;
	l->left--;
	return l->each(l->ctx, entry);
}

static enum storage_answer list_page(struct probe *p, const struct storage *at, const char *url, const char *path, struct text prefix,
	struct s3_list *l, struct s3_page *page, struct err *err)
{
	enum storage_answer result = STORAGE_FAILED;
	struct http_answer answer = {0};

	if (!ask_s3(p, at, url, (struct http_request){.path = path, .most = PAGE_BYTES}, &answer, err))
		result = STORAGE_FAILED;
	else if (answer.status != 200)
		result = refused(&answer, url, err);
	else if (s3_read_page(buf_text(&answer.body), prefix, each_object, l, page))
		result = STORAGE_OK;
	else
		err_set(err, ERR_PARSE, "%s: what S3 answers is no listing", shown(url).s);
	http_answer_free(&answer);
	return result;
}

static enum storage_answer list_objects(struct probe *p, const struct storage *at, const struct storage_url *u, const char *url,
	const char *after, struct s3_list *l, size_t most, struct err *err)
{
	enum storage_answer result = STORAGE_OK;
	struct buf prefix, from, path;
	struct s3_page page = {.truncated = true};

	buf_init(&prefix, STORAGE_URL_SIZE);
	buf_init(&from, STORAGE_URL_SIZE * 2);
	buf_init(&path, PATH_BYTES * 2);
	buf_init(&page.token, TOKEN_BYTES);
	if (u->path.len)
		buf_printf(&prefix, "%.*s/", (int)u->path.len, u->path.at);
	if (after && after[0])
		buf_printf(&from, "%s%s", u->path.len ? prefix.at : "", after);
	for (unsigned n = 0; result == STORAGE_OK && page.truncated && !page.stopped; n++) {
		buf_reset(&path);
		result = STORAGE_FAILED;
		if (n == PAGES_MAX)
			err_set(err, ERR_LIMIT, "%s: more than %d pages", shown(url).s, PAGES_MAX);
		else if (!s3_put_list(&path, u->bucket, buf_text(&prefix), page.token.len ? TEXT("") : buf_text(&from), buf_text(&page.token), at->page,
				 l->deep))
			err_set(err, ERR_LIMIT, "%s: too long to ask", shown(url).s);
		else
			result = list_page(p, at, url, path.at, buf_text(&prefix), l, &page, err);
	}
	if (result == STORAGE_OK && l->over) {
		err_set(err, ERR_LIMIT, "%s: more than %zu names", shown(url).s, most);
		result = STORAGE_FAILED;
	}
	buf_free(&prefix);
	buf_free(&from);
	buf_free(&path);
	buf_free(&page.token);
	return result;
}

/* ---- files, deep ---- */

enum { WALK_DEPTH = 24 };

struct walk {
	struct probe *p;
	const char *root;
	char path[STORAGE_URL_SIZE]; /* of the folder that is read */
	size_t root_len;
	unsigned depth;
	struct file_list *l;
	bool stopped;
	struct err *err;
};

static bool walk_folder(struct walk *w);

static bool walk_name(void *ctx, const char *name)
{
	struct walk *w = ctx;
	size_t len = strlen(w->path);
	int n = snprintf(w->path + len, sizeof w->path - len, "/%s", name);
	struct file_facts f = {0};
	struct err why = {0};
	bool on = true;

	if (n < 0 || (size_t)n >= sizeof w->path - len) {
		w->stopped = true;
		err_set(w->err, ERR_LIMIT, "%s: a path in it is too long", shown(w->root).s);
	} else if (!wait_left(w->p->wait)) {
		w->stopped = true;
		err_set(w->err, ERR_TIMEOUT, "%s: the listing took too long", shown(w->root).s);
	} else if (w->p->host->stat(w->p->host, w->path, &f, &why) && f.exists) { /* what went meanwhile is not there */
		if (f.is_directory) {
			on = walk_folder(w);
		} else {
			struct storage_entry entry = {.name = text_of(w->path + w->root_len + 1), .size = f.size, .when = f.modified};

			w->l->over = !w->l->left;
			on = w->l->left && w->l->each(w->l->ctx, &entry);
			w->l->left -= w->l->left > 0;
		}
	} else if (why.code) {
		w->stopped = true;
		if (w->err)
			*w->err = why;
	}
	w->path[len] = '\0';
	w->stopped = w->stopped || !on;
	return !w->stopped;
}

static bool walk_folder(struct walk *w)
{
	bool good;

	if (w->depth == WALK_DEPTH) {
		w->stopped = true;
		return err_set(w->err, ERR_LIMIT, "%s: deeper than %d folders", shown(w->root).s, WALK_DEPTH);
	}
	w->depth++;
	w->p->requests++;
	good = w->p->host->list(w->p->host, w->path, walk_name, w, w->err);
	w->depth--;
	return good && !w->stopped;
}

static enum storage_answer walk_files(struct probe *p, const char *url, struct text path, struct file_list *l, size_t most, struct err *err)
{
	struct err why = {0};
	struct walk w = {.p = p, .root = url, .root_len = path.len, .l = l, .err = &why};
	bool good;

	text_copy(w.path, sizeof w.path, path);
	good = walk_folder(&w);
	if (l->over)
		err_set(&why, ERR_LIMIT, "%s: more than %zu files", shown(url).s, most);
	if (err)
		*err = why;
	if (good || (w.stopped && !why.code))
		return STORAGE_OK;
	text_copy(w.path, sizeof w.path, path);
	return why.code == ERR_SYSTEM ? file_failed(p, w.path, &why) : STORAGE_FAILED;
}

/* ---- either ---- */

enum storage_answer storage_read(struct probe *p, const struct storage *at, const char *url, struct buf *out, struct err *err)
{
	struct storage_url u;
	char path[STORAGE_URL_SIZE];

	if (!storage_url(url, &u, err))
		return STORAGE_FAILED;
	if (u.s3)
		return read_object(p, at, &u, url, out, err);
	return read_file(p, text_copy(path, sizeof path, u.path), out, err);
}

enum storage_answer storage_stream(struct probe *p, const struct storage *at, const char *url, int64_t most,
	bool (*take)(void *ctx, const char *bytes, size_t len), void *ctx, struct err *err)
{
	struct file_stream s = {.probe = p, .url = url, .left = most, .most = most, .take = take, .ctx = ctx};
	enum storage_answer result;
	struct http_answer answer = {0};
	struct storage_url u;
	char path[STORAGE_URL_SIZE];

	if (!storage_url(url, &u, err))
		return STORAGE_FAILED;
	if (!u.s3)
		return stream_file(&s, text_copy(path, sizeof path, u.path), err);
	result = get_object(p, at, &u, url, (struct http_request){.most = (size_t)most, .take = take, .ctx = ctx}, &answer, err);
	http_answer_free(&answer);
	return result;
}

enum storage_answer storage_list(struct probe *p, const struct storage *at, const char *url, const char *after, size_t most,
	bool (*each)(void *ctx, const struct storage_entry *entry), void *ctx, struct err *err)
{
	struct file_list files = {.each = each, .ctx = ctx, .after = text_of(after), .left = most};
	struct s3_list objects = {.each = each, .ctx = ctx, .left = most};
	struct storage_url u;
	char path[STORAGE_URL_SIZE];

	if (!storage_url(url, &u, err))
		return STORAGE_FAILED;
	if (u.s3)
		return list_objects(p, at, &u, url, after, &objects, most, err);
	return list_files(p, url, text_copy(path, sizeof path, u.path), &files, most, err);
}

enum storage_answer storage_walk(struct probe *p, const struct storage *at, const char *url, size_t most,
	bool (*each)(void *ctx, const struct storage_entry *entry), void *ctx, struct err *err)
{
	struct file_list files = {.each = each, .ctx = ctx, .left = most};
	struct s3_list objects = {.each = each, .ctx = ctx, .left = most, .deep = true};
	struct storage_url u;

	if (!storage_url(url, &u, err))
		return STORAGE_FAILED;
	if (u.s3)
		return list_objects(p, at, &u, url, NULL, &objects, most, err);
	return walk_files(p, url, u.path, &files, most, err);
}
