// SPDX-License-Identifier: MIT
/* Files by URL: what is a URL, what S3 is asked and answers, and what must not be taken for an answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../backend/format/xml.h"
#include "../../backend/net/s3_list.h"
#include "fixture_bytes.h"
#include "fixture_server.h"

/* ---- URLs ---- */

static void a_url_says_where_a_file_lies(void **state)
{
	static const struct {
		const char *url, *bucket, *path;
	} rows[] = {
		{"/srv/check", NULL, "/srv/check"}, {"file:/srv/check/", NULL, "/srv/check"}, {"file:///srv/check", NULL, "/srv/check"}, {"/", NULL, "/"},
		{"s3://lake/a/b", "lake", "a/b"}, {"s3a://lake/a/", "lake", "a"}, {"s3a://lake", "lake", ""}, {"s3://my.lake-1/a b%2F", "my.lake-1", "a b%2F"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct storage_url u;

		assert_true(storage_url(rows[i].url, &u, NULL));
		assert_int_equal(u.s3, rows[i].bucket != NULL);
		assert_true(text_is(u.bucket, rows[i].bucket ? rows[i].bucket : ""));
		assert_true(text_is(u.path, rows[i].path));
	}
}

static void what_is_no_url_is_said_without_its_secrets(void **state)
{
	static const struct {
		const char *url, *says;
	} rows[] = {
		{"hdfs://nn/a", "hdfs://nn/a: is neither"}, {"check", "check: is neither"}, {"", ": is neither"}, {"file://nas/a", "file://nas/a: a file on another"},
		{"s3://", "s3: \"\" is no name"}, {"s3:///a", "s3: \"\" is no name"}, {"s3://key:secret@lake/a", "s3: \"...\" is no name"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct storage_url u;
		struct err err = {0};

		assert_false(storage_url(rows[i].url, &u, &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_true(text_starts(text_of(err.words), rows[i].says));
		assert_null(strstr(err.words, "secret"));
	}
}

static void a_child_stands_under_its_folder(void **state)
{
	char out[STORAGE_URL_SIZE], *longest = mem_new(STORAGE_URL_SIZE, 1);

	(void)state;
	assert_true(storage_child(out, "s3a://lake/a/", "commits/1"));
	assert_string_equal(out, "s3a://lake/a/commits/1");
	memset(longest, 'a', STORAGE_URL_SIZE - 3);
	assert_true(storage_child(out, longest, "b"));
	assert_false(storage_child(out, longest, "bc"));
	free(longest);
}

/* ---- questions ---- */

static void parameters_are_sorted_and_escaped(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	s3_put_list(&b, TEXT("lake"), TEXT("a b/c=1/"), TEXT("a b/c=1/7"), TEXT(""), 0, false);
	assert_string_equal(b.at, "/lake/?delimiter=%2F&list-type=2&prefix=a%20b%2Fc%3D1%2F&start-after=a%20b%2Fc%3D1%2F7");
	buf_reset(&b);
	s3_put_list(&b, TEXT("lake"), TEXT(""), TEXT(""), TEXT("x+/="), 100, false);
	assert_string_equal(b.at, "/lake/?continuation-token=x%2B%2F%3D&delimiter=%2F&list-type=2&max-keys=100&prefix=");
	buf_reset(&b);
	s3_put_list(&b, TEXT("lake"), TEXT("a/"), TEXT(""), TEXT(""), 0, true);
	assert_string_equal(b.at, "/lake/?list-type=2&prefix=a%2F");
	buf_reset(&b);
	s3_put_path(&b, TEXT("lake"), TEXT("t\xc3\xa9l/p=a:b/0.json"));
	assert_string_equal(b.at, "/lake/t%C3%A9l/p%3Da%3Ab/0.json");
	buf_free(&b);
}

/* ---- answers ---- */

struct names {
	char s[400];
	size_t most, n;
};

static bool each_name(void *ctx, const struct storage_entry *e)
{
	struct names *names = ctx;
	size_t len = strlen(names->s);

	snprintf(names->s + len, sizeof names->s - len, "%.*s%s:%d ", (int)e->name.len, e->name.at, e->folder ? "/" : "", (int)e->size);
	return ++names->n < names->most;
}

static void a_page_of_seaweedfs_4_48_is_read(void **state)
{
	struct names names = {.most = 100};
	struct s3_page page;

	(void)state;
	buf_init(&page.token, 100);
	assert_true(s3_read_page(recorded("seaweedfs-4.48/s3-list-cut.xml"), TEXT("streamlab/cp/commits/"), each_name, &names, &page));
	assert_string_equal(names.s, "0:29 1:29 10:29 11:29 "); /* the folder's own mark is none of its files */
	assert_true(page.truncated);
	assert_string_equal(page.token.at, "streamlab/cp/commits/11");
	names = (struct names){.most = 100};
	assert_true(s3_read_page(recorded("seaweedfs-4.48/s3-list-folders.xml"), TEXT("streamlab/cp/"), each_name, &names, &page));
	assert_string_equal(names.s, "metadata:45 commits/:-1 offsets/:-1 sources/:-1 ");
	assert_false(page.truncated);
	names = (struct names){.most = 2};
	assert_true(s3_read_page(recorded("seaweedfs-4.48/s3-list-cut.xml"), TEXT("streamlab/cp/commits/"), each_name, &names, &page));
	assert_int_equal(names.n, 2);
	assert_true(page.stopped);
	buf_free(&page.token);
}

static bool each_time(void *ctx, const struct storage_entry *e)
{
	*(int64_t *)ctx = e->when;
	return true;
}

static void the_time_of_an_object_is_known_or_not(void **state)
{
	static const struct {
		const char *says;
		int64_t when;
	} rows[] = {
		{"2026-11-29T13:05:11.204Z", 1795957511204}, {"2026-11-29T13:05:11Z", 1795957511000}, {"2026-11-29T13:05:11.2Z", 1795957511200},
		{"2026-11-29T13:05:11+01:00", 0}, {"yesterday", 0}, {"", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char xml[200];
		int64_t when = -1;
		struct s3_page page = {0};

		buf_init(&page.token, 100);
		snprintf(xml, sizeof xml, "<ListBucketResult><Contents><Key>a</Key><LastModified>%s</LastModified></Contents></ListBucketResult>",
			rows[i].says);
		assert_true(s3_read_page(text_of(xml), TEXT(""), each_time, &when, &page));
		assert_int_equal(when, rows[i].when);
		buf_free(&page.token);
	}
}

static void a_page_that_is_none_is_not_an_empty_one(void **state)
{
	static const char *const wrong[] = {
		"", "<html><body>hello</body></html>", "<ListBucketResult>", "<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>",
		"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", /* and from where? */
		"<ListBucketResult><Contents><Key>a</Key><Size>many</Size></Contents></ListBucketResult>",
		"<ListBucketResult><Contents><Key>a&nbsp;b</Key></Contents></ListBucketResult>",
		"{\"error\": \"no\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct names names = {.most = 100};
		struct s3_page page;

		buf_init(&page.token, 100);
		assert_false(s3_read_page(text_of(wrong[i]), TEXT(""), each_name, &names, &page));
		assert_int_equal(names.n, 0);
		buf_free(&page.token);
	}
}

static void errors_carry_their_code(void **state)
{
	(void)state;
	assert_true(text_is(s3_error_code(recorded("seaweedfs-4.48/s3-no-such-key.xml")), "NoSuchKey"));
	assert_true(text_is(s3_error_code(recorded("seaweedfs-4.48/s3-wrong-secret.xml")), "SignatureDoesNotMatch"));
	assert_int_equal(s3_error_code(recorded("seaweedfs-4.48/s3-list-cut.xml")).len, 0);
	assert_int_equal(s3_error_code(TEXT("<Error></Error>")).len, 0);
	assert_int_equal(s3_error_code(TEXT("not found")).len, 0);
}

static void entities_are_characters(void **state)
{
	static const struct {
		const char *xml, *is;
	} rows[] = {{"a&amp;b&lt;&gt;&quot;&apos;", "a&b<>\"'"}, {"&#38;&#x26;", "&&"}, {"&#xe9;&#x20AC;&#x1F600;", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"}},
		wrong[] = {{"&", ""}, {"&nbsp;", ""}, {"&#;", ""}, {"&#x;", ""}, {"&#xD800;", ""}, {"&#x110000;", ""}, {"&#0;", ""}, {"&#9999999999;", ""}, {"&amp", ""}};
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		buf_reset(&b);
		assert_true(xml_decode(text_of(rows[i].xml), &b));
		assert_string_equal(b.at, rows[i].is);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(xml_decode(text_of(wrong[i].xml), &b));
	buf_free(&b);
}

static void read_any(struct text bytes)
{
	struct names names = {.most = 100000};
	struct s3_page page;

	buf_init(&page.token, 100);
	s3_read_page(bytes, TEXT("streamlab/"), each_name, &names, &page);
	s3_error_code(bytes);
	buf_free(&page.token);
}

static void damaged_answers_are_survived(void **state)
{
	(void)state;
	fuzz(recorded("seaweedfs-4.48/s3-list-cut.xml"), read_any);
	fuzz(recorded("seaweedfs-4.48/s3-list-folders.xml"), read_any);
	fuzz(recorded("seaweedfs-4.48/s3-no-such-key.xml"), read_any);
	fuzz(TEXT("<?xml?><!-- x --><!DOCTYPE a><a:b c='>'/><d e=\"f\">&amp;&#38;</d>"), read_any);
}

/* ---- a server ---- */

struct s3 {
	int status;
	const char *headers, *body, *second; /* second: to a question with a token */
	char asked[2000];
};

static bool serve(void *ctx, struct text question, struct buf *out)
{
	struct s3 *s = ctx;
	size_t len = strlen(s->asked);
	struct text line = text_until(question, '\r');

	snprintf(s->asked + len, sizeof s->asked - len, "%.*s%s;", (int)line.len, line.at, text_has(question, "AWS4-HMAC-SHA256") ? " signed" : "");
	fake_http(out, s->status, s->headers, text_has(line, "continuation-token") ? s->second : s->body);
	return false;
}

struct world {
	struct s3 *s3;
	struct fake_server *server;
	struct fake_probe f;
	struct storage at;
	struct buf out;
	struct err err;
};

static void begin(struct world *w, struct s3 *s3)
{
	*w = (struct world){.s3 = s3, .server = fake_server_start(serve, s3)};
	if (!s3->headers)
		s3->headers = "";
	fake_probe_begin(&w->f, fake_server_at(w->server), 60000);
	w->at = (struct storage){.s3 = fake_server_at(w->server), .user = "key", .password = "secret"};
	buf_init(&w->out, 100);
}

static void end(struct world *w)
{
	buf_free(&w->out);
	fake_probe_end(&w->f);
	fake_server_stop(w->server);
}

static void an_object_is_read_signed_and_as_it_is_stored(void **state)
{
	struct s3 s3 = {.status = 200, .headers = "Content-Encoding: aws-chunked\r\n", .body = "v1\n{}"};
	struct world w;

	(void)state;
	begin(&w, &s3);
	assert_int_equal(storage_read(&w.f.p, &w.at, "s3a://lake/c/commits/1", &w.out, &w.err), STORAGE_OK);
	assert_string_equal(w.out.at, "v1\n{}");
	w.at.user = NULL;
	assert_int_equal(storage_read(&w.f.p, &w.at, "s3://lake/x", &w.out, &w.err), STORAGE_OK);
	end(&w);
	assert_string_equal(s3.asked, "GET /lake/c/commits/1 HTTP/1.1 signed;GET /lake/x HTTP/1.1;");
}

static void what_s3_refuses_is_said_with_its_url(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum storage_answer answer;
		enum err_code code;
		const char *says;
	} rows[] = {
		{404, "<Error><Code>NoSuchKey</Code></Error>", STORAGE_MISSING, ERR_SYSTEM, "s3a://lake/c: there is no such file (HTTP 404 NoSuchKey)"},
		{404, "", STORAGE_MISSING, ERR_SYSTEM, "s3a://lake/c: there is no such file (HTTP 404)"},
		{404, "<Error><Code>NoSuchBucket</Code></Error>", STORAGE_FAILED, ERR_SYSTEM, "s3a://lake/c: there is no such bucket (HTTP 404 NoSuchBucket)"},
		{403, "<Error><Code>SignatureDoesNotMatch</Code></Error>", STORAGE_FAILED, ERR_AUTH,
			"s3a://lake/c: S3 refuses our secret (HTTP 403 SignatureDoesNotMatch)"},
		{403, "", STORAGE_FAILED, ERR_AUTH, "s3a://lake/c: S3 does not give it (HTTP 403)"},
		{301, "<Error><Code>PermanentRedirect</Code></Error>", STORAGE_FAILED, ERR_PROTOCOL, "s3a://lake/c: the bucket is in another region (HTTP 301 PermanentRedirect)"},
		{503, "slow down", STORAGE_FAILED, ERR_PROTOCOL, "s3a://lake/c: S3 does not give it (HTTP 503)"},
		{200, "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789!", STORAGE_FAILED, ERR_LIMIT,
			"s3a://lake/c: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct s3 s3 = {.status = rows[i].status, .body = rows[i].body};
		struct world w;

		begin(&w, &s3);
		assert_int_equal(storage_read(&w.f.p, &w.at, "s3a://lake/c", &w.out, &w.err), rows[i].answer);
		assert_int_equal(w.err.code, rows[i].code);
		if (!text_starts(text_of(w.err.words), rows[i].says))
			fail_msg("%s", w.err.words);
		end(&w);
	}
}

static void pages_are_read_to_the_end_or_as_far_as_one_wants(void **state)
{
	struct s3 s3 = {.status = 200,
		.body = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t/1</NextContinuationToken>"
			"<Contents><Key>c/1</Key><Size>5</Size></Contents></ListBucketResult>",
		.second = "<ListBucketResult><Contents><Key>c/2</Key></Contents><Contents><Key>c/3</Key></Contents></ListBucketResult>"};
	struct names names = {.most = 100};
	struct world w;

	(void)state;
	begin(&w, &s3);
	assert_int_equal(storage_list(&w.f.p, &w.at, "s3a://lake/c", "0", 10, each_name, &names, &w.err), STORAGE_OK);
	assert_string_equal(names.s, "1:5 2:-1 3:-1 ");
	assert_string_equal(s3.asked, "GET /lake/?delimiter=%2F&list-type=2&prefix=c%2F&start-after=c%2F0 HTTP/1.1 signed;"
		"GET /lake/?continuation-token=t%2F1&delimiter=%2F&list-type=2&prefix=c%2F HTTP/1.1 signed;");
	names = (struct names){.most = 100};
	assert_int_equal(storage_list(&w.f.p, &w.at, "s3a://lake/c", NULL, 2, each_name, &names, &w.err), STORAGE_FAILED);
	assert_int_equal(w.err.code, ERR_LIMIT);
	assert_string_equal(w.err.words, "s3a://lake/c: more than 2 names");
	names = (struct names){.most = 1};
	s3.asked[0] = '\0';
	assert_int_equal(storage_list(&w.f.p, &w.at, "s3a://lake/c", NULL, 10, each_name, &names, &w.err), STORAGE_OK);
	assert_null(strstr(s3.asked, "continuation"));
	end(&w);
}

static void without_a_server_it_is_said(void **state)
{
	struct s3 s3 = {.status = 200, .body = ""};
	struct world w;

	(void)state;
	begin(&w, &s3);
	w.at.s3.port = 0;
	assert_int_equal(storage_read(&w.f.p, &w.at, "s3://lake/c", &w.out, &w.err), STORAGE_FAILED);
	assert_string_equal(w.err.words, "s3://lake/c: no S3 server is named for it");
	end(&w);
}

/* ---- files ---- */

static void files_of_the_host_are_read_and_listed(void **state)
{
	struct s3 s3 = {0};
	struct names names = {.most = 100};
	struct world w;
	char folder[] = "/tmp/laketop-storage-XXXXXX", url[STORAGE_URL_SIZE], path[STORAGE_URL_SIZE];
	FILE *f;

	(void)state;
	begin(&w, &s3);
	assert_non_null(mkdtemp(folder));
	assert_true(storage_child(path, folder, "7"));
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite("hello", 1, 5, f), 5);
	fclose(f);
	snprintf(url, sizeof url, "file:%s/7", folder);
	assert_int_equal(storage_read(&w.f.p, &w.at, url, &w.out, &w.err), STORAGE_OK);
	assert_string_equal(w.out.at, "hello");
	assert_int_equal(storage_list(&w.f.p, &w.at, folder, NULL, 10, each_name, &names, &w.err), STORAGE_OK);
	assert_string_equal(names.s, "7:-1 ");
	assert_int_equal(storage_list(&w.f.p, &w.at, folder, "7", 10, each_name, &names, &w.err), STORAGE_OK);
	assert_int_equal(names.n, 1); /* none is behind it */
	assert_int_equal(storage_list(&w.f.p, &w.at, folder, NULL, 0, each_name, &names, &w.err), STORAGE_FAILED);
	assert_int_equal(w.err.code, ERR_LIMIT);
	unlink(path);
	assert_int_equal(storage_read(&w.f.p, &w.at, url, &w.out, &w.err), STORAGE_MISSING);
	assert_int_equal(storage_read(&w.f.p, &w.at, folder, &w.out, &w.err), STORAGE_FAILED); /* a folder is no file, and is there */
	rmdir(folder);
	assert_int_equal(storage_list(&w.f.p, &w.at, folder, NULL, 10, each_name, &names, &w.err), STORAGE_MISSING);
	assert_non_null(strstr(w.err.words, folder));
	end(&w);
}

static void a_walk_meets_every_file_however_deep(void **state)
{
	char folder[] = "/tmp/laketop-walk-XXXXXX", path[120];
	static const char *const made[] = {"a", "a/b", "c"}, *const files[] = {"a/1", "a/b/2", "3"};
	struct names names = {.most = 100};
	struct s3 s3 = {.body = ""};
	struct world w;

	(void)state;
	begin(&w, &s3);
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, made[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	for (size_t i = 0; i < 3; i++) {
		FILE *f;

		snprintf(path, sizeof path, "%s/%s", folder, files[i]);
		assert_non_null(f = fopen(path, "w"));
		fputs("hello", f);
		fclose(f);
	}
	assert_int_equal(storage_walk(&w.f.p, &w.at, folder, 10, each_name, &names, &w.err), STORAGE_OK);
	assert_int_equal(names.n, 3);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s:5 ", files[i]);
		assert_non_null(strstr(names.s, path));
	}
	names = (struct names){.most = 2};
	assert_int_equal(storage_walk(&w.f.p, &w.at, folder, 10, each_name, &names, &w.err), STORAGE_OK);
	assert_int_equal(names.n, 2); /* who has enough is not told more */
	names = (struct names){.most = 100};
	assert_int_equal(storage_walk(&w.f.p, &w.at, folder, 2, each_name, &names, &w.err), STORAGE_FAILED);
	assert_int_equal(w.err.code, ERR_LIMIT);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[i]);
		unlink(path);
	}
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, made[(i + 1) % 3 == 0 ? 0 : i + 1]);
		rmdir(path);
	}
	rmdir(folder);
	assert_int_equal(storage_walk(&w.f.p, &w.at, folder, 10, each_name, &names, &w.err), STORAGE_MISSING);
	end(&w);
}

struct taken {
	struct buf bytes;
	size_t enough; /* bytes after which it is ended; 0: never */
};

static bool take(void *ctx, const char *bytes, size_t len)
{
	struct taken *t = ctx;

	buf_add(&t->bytes, bytes, len);
	return !t->enough || t->bytes.len < t->enough;
}

static enum storage_answer stream(struct world *w, const char *url, int64_t most, struct taken *t)
{
	w->err = (struct err){0};
	buf_reset(&t->bytes);
	return storage_stream(&w->f.p, &w->at, url, most, take, t, &w->err);
}

/* Either kind of URL: its bytes are passed on, a cap and a taker end it, and what is missing is missing. */
static void assert_streams(struct world *w, const char *url, const char *content)
{
	struct taken t = {0};

	buf_init(&t.bytes, 1 << 20);
	assert_int_equal(stream(w, url, 1 << 20, &t), STORAGE_OK);
	assert_string_equal(t.bytes.at, content);
	assert_int_equal(stream(w, url, (int64_t)strlen(content), &t), STORAGE_OK);
	assert_int_equal(stream(w, url, 3, &t), STORAGE_FAILED);
	assert_int_equal(w->err.code, ERR_LIMIT);
	t.enough = 1;
	assert_int_equal(stream(w, url, 1 << 20, &t), STORAGE_FAILED);
	assert_int_equal(w->err.code, ERR_CANCELLED);
	buf_free(&t.bytes);
}

static void what_is_large_comes_in_pieces(void **state)
{
	char path[] = "/tmp/laketop-stream-XXXXXX";
	struct s3 s3 = {.status = 200, .headers = "", .body = "0123456789"};
	struct taken t = {0};
	struct world w;
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
	begin(&w, &s3);
	buf_init(&t.bytes, 1 << 20);
	assert_streams(&w, "s3://lake/a", "0123456789");
	assert_streams(&w, path, "0123456789");
	w.f.p.wait = wait_for(-1, -1);
	assert_int_equal(stream(&w, path, 1 << 20, &t), STORAGE_FAILED);
	assert_int_equal(w.err.code, ERR_TIMEOUT);
	unlink(path);
	assert_int_equal(stream(&w, path, 1 << 20, &t), STORAGE_MISSING);
	assert_int_equal(t.bytes.len, 0);
	end(&w);
	s3 = (struct s3){.status = 404, .headers = "", .body = "<Error><Code>NoSuchKey</Code></Error>"};
	begin(&w, &s3);
	assert_int_equal(stream(&w, "s3://lake/a", 1 << 20, &t), STORAGE_MISSING);
	assert_non_null(strstr(w.err.words, "s3://lake/a: there is no such file"));
	assert_int_equal(t.bytes.len, 0); /* an error's body is not the file's */
	buf_free(&t.bytes);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_url_says_where_a_file_lies),
		cmocka_unit_test(what_is_no_url_is_said_without_its_secrets),
		cmocka_unit_test(a_child_stands_under_its_folder),
		cmocka_unit_test(parameters_are_sorted_and_escaped),
		cmocka_unit_test(a_page_of_seaweedfs_4_48_is_read),
		cmocka_unit_test(a_page_that_is_none_is_not_an_empty_one),
		cmocka_unit_test(errors_carry_their_code),
		cmocka_unit_test(entities_are_characters),
		cmocka_unit_test(damaged_answers_are_survived),
		cmocka_unit_test(an_object_is_read_signed_and_as_it_is_stored),
		cmocka_unit_test(what_s3_refuses_is_said_with_its_url),
		cmocka_unit_test(pages_are_read_to_the_end_or_as_far_as_one_wants),
		cmocka_unit_test(without_a_server_it_is_said),
		cmocka_unit_test(files_of_the_host_are_read_and_listed),
		cmocka_unit_test(the_time_of_an_object_is_known_or_not),
		cmocka_unit_test(a_walk_meets_every_file_however_deep),
		cmocka_unit_test(what_is_large_comes_in_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
