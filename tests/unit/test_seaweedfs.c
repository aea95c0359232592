// SPDX-License-Identifier: MIT
/* SeaweedFS: which part answers, and when the sum of its parts is not well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>
#include <stdatomic.h>

#include "../../backend/services/kinds.h"
#include "../../backend/services/seaweedfs.h"
#include "fixture_bytes.h"
#include "fixture_server.h"
#include "profile.h"

/* ---- reading ---- */

static void version_is(const char *text, const char *version)
{
	char got[SEAWEEDFS_VERSION_SIZE];

	assert_int_equal(seaweedfs_version(text_of(text), got), version[0] != '\0');
	assert_string_equal(got, version);
}

static void the_version_is_the_word_after_the_size(void **state)
{
	(void)state;
	version_is("8000GB 4.48 pypi", "4.48");                   /* JSON of 4.48 */
	version_is("SeaweedFS 8000GB 4.48", "4.48");              /* header of its filer and S3 */
	version_is("SeaweedFS Volume 8000GB 4.48", "4.48");
	version_is("SeaweedFS Filer 30GB 4.44 cc8364a", "4.44");
	version_is("SeaweedFS", "");
	version_is("MinIO", "");
	version_is("4.48", "");
	version_is("", "");
}

static void role_is_of(const char *server, struct text body, const char *role)
{
	const char *got = seaweedfs_role(text_of(server), body);

	if (role)
		assert_string_equal(got, role);
	else
		assert_null(got);
}

static void header_and_body_tell_the_part(void **state)
{
	(void)state;
	role_is_of("SeaweedFS Volume 8000GB 4.48", TEXT(""), "volume");
	role_is_of("SeaweedFS 8000GB 4.48", recorded("seaweedfs-4.48/filer-root.json"), "filer");
	role_is_of("SeaweedFS 8000GB 4.48", recorded("seaweedfs-4.48/s3-wrong-secret.xml"), "s3");
	role_is_of("", recorded("seaweedfs-4.48/master-page.html"), "master");
	role_is_of("MinIO", recorded("seaweedfs-4.48/s3-wrong-secret.xml"), NULL);
	role_is_of("", TEXT("<title>Spark Master at spark://127.0.0.1:7078</title>"), NULL);
	role_is_of("", TEXT(""), NULL);
}

static void s3_says_buckets_or_why_not(void **state)
{
	(void)state;
	assert_int_equal(seaweedfs_s3_buckets(recorded("seaweedfs-4.48/s3-buckets.xml")), 2);
	assert_int_equal(seaweedfs_s3_buckets(recorded("seaweedfs-4.48/s3-wrong-secret.xml")), -1);
	assert_true(text_is(seaweedfs_s3_code(recorded("seaweedfs-4.48/s3-wrong-secret.xml")), "SignatureDoesNotMatch"));
	assert_int_equal(seaweedfs_s3_code(recorded("seaweedfs-4.48/s3-buckets.xml")).len, 0);
}

static void the_master_tells_slots_writable_volumes_and_servers(void **state)
{
	struct seaweedfs_topology t;

	(void)state;
	assert_true(seaweedfs_parse_topology(recorded("seaweedfs-4.48/dir-status.json"), &t, NULL));
	assert_int_equal(t.most, 20);
	assert_int_equal(t.free, 6);
	assert_int_equal(t.writable, 14);
	assert_int_equal(t.n_nodes, 1);
	assert_string_equal(t.nodes[0].url, "127.0.0.1:28089");
	assert_int_equal(t.nodes[0].volumes, 14);
}

static void a_fresh_master_has_no_layouts_and_is_still_one(void **state)
{
	struct seaweedfs_topology t;
	struct err err = {0};

	(void)state;
	assert_true(seaweedfs_parse_topology(TEXT("{\"Topology\":{\"Max\":20,\"Free\":20,\"DataCenters\":null,\"Layouts\":null},\"Version\":\"x\"}"), &t, &err));
	assert_int_equal(t.writable, 0);
	assert_int_equal(t.n_nodes, 0);
	assert_false(seaweedfs_parse_topology(TEXT("{\"error\":\"no\"}"), &t, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_false(seaweedfs_parse_topology(TEXT("<html>"), &t, &err));
}

static void count_volume(void *ctx, const struct seaweedfs_volume *v)
{
	int64_t *sum = ctx;

	sum[0]++;
	sum[1] += v->deleted;
	sum[2] += !strcmp(v->collection, "lakehouse");
	sum[3] += v->modified > INT64_C(1700000000000);
}

static void a_volume_server_tells_its_disks_and_volumes(void **state)
{
	struct seaweedfs_server s;
	int64_t sum[4] = {0};

	(void)state;
	assert_true(seaweedfs_parse_server(recorded("seaweedfs-4.48/volume-status.json"), &s, count_volume, sum, NULL));
	assert_int_equal(s.volumes, 14);
	assert_int_equal(sum[0], 14);
	assert_int_equal(sum[1], 1);
	assert_int_equal(sum[2], 7);
	assert_int_equal(sum[3], 14);
	assert_int_equal(s.disk_total, INT64_C(270553174016));
	assert_true(s.disk_free > INT64_C(1) << 35); /* what is free to us: "used" counts reserved blocks, too */
	assert_true(s.disk_free < s.disk_total / 2);
	assert_int_equal(s.read_only, 0);
}

static void hidden_directories_are_no_buckets(void **state)
{
	struct seaweedfs_listing l;

	(void)state;
	assert_true(seaweedfs_parse_listing(recorded("seaweedfs-4.48/filer-buckets.json"), &l, NULL));
	assert_int_equal(l.directories, 2); /* bronze and lakehouse, not .system */
	assert_false(l.more);
	assert_string_equal(l.last, "lakehouse");
}

static void read_garbage(struct text bytes)
{
	struct seaweedfs_topology t;
	struct seaweedfs_server s;
	struct seaweedfs_listing l;
	int64_t sum[4] = {0};
	char version[SEAWEEDFS_VERSION_SIZE];

	seaweedfs_parse_topology(bytes, &t, NULL);
	seaweedfs_parse_server(bytes, &s, count_volume, sum, NULL);
	seaweedfs_parse_listing(bytes, &l, NULL);
	seaweedfs_s3_buckets(bytes);
	seaweedfs_s3_code(bytes);
	seaweedfs_role(bytes, bytes);
	seaweedfs_version(bytes, version);
}

static void garbage_ends_in_peace(void **state)
{
	static const char *const files[] = {"dir-status.json", "filer-root.json", "s3-buckets.xml", "s3-wrong-secret.xml"};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char name[64];

		snprintf(name, sizeof name, "seaweedfs-4.48/%s", files[i]);
		fuzz(recorded(name), read_garbage);
	}
	fuzz(TEXT("{\"DiskStatuses\":[{\"dir\":\"/data\",\"all\":270553174016,\"used\":1,\"free\":82779762688}],\"Version\":\"8000GB 4.48\","
		"\"Volumes\":[{\"Collection\":\"lakehouse\",\"Size\":2096,\"DeletedByteCount\":0,\"ModifiedAtSecond\":1795967063,\"Id\":4}]}"), read_garbage);
}

/* ---- a SeaweedFS in four servers ---- */

enum { MASTER, VOLUME, FILER, S3, PARTS };

struct weed {
	int healthz[PARTS];        /* HTTP status; 0: no word */
	char topology[1024];
	struct text volume, buckets, page;
	int s3_status;
	struct text s3_body;
	atomic_uint signed_ones;
	struct fake_server *servers[PARTS];
	int stopped;               /* a part that is not there; -1 none */
};

struct part {
	struct weed *weed;
	int part;
};

static void say(struct buf *out, int status, const char *server, struct text body)
{
	buf_printf(out, "HTTP/1.1 %d Said\r\n%s%s%sContent-Length: %zu\r\nConnection: close\r\n\r\n", status, server ? "Server: " : "",
		server ? server : "", server ? "\r\n" : "", body.len);
	buf_add(out, body.at, body.len);
}

static bool answer(void *ctx, struct text q, struct buf *out)
{
	static const char *const headers[] = {NULL, "SeaweedFS Volume 8000GB 4.48", "SeaweedFS 8000GB 4.48", "SeaweedFS 8000GB 4.48"};
	struct part *p = ctx;
	struct weed *w = p->weed;
	const char *server = headers[p->part];

	if (p->part == S3) {
		atomic_fetch_add(&w->signed_ones, text_has(q, "AWS4-HMAC-SHA256"));
		say(out, w->s3_status, server, w->s3_body);
	} else if (fake_asks_for(q, p->part == MASTER ? "/cluster/healthz" : "/healthz")) {
		if (w->healthz[p->part])
			say(out, w->healthz[p->part], server, TEXT(""));
		return w->healthz[p->part] == 0;
	} else if (p->part == MASTER && fake_asks_for(q, "/ui/index.html"))
		say(out, 200, server, w->page);
	else if (p->part == MASTER && fake_asks_for(q, "/cluster/status"))
		say(out, 200, server, TEXT("{\"IsLeader\":true,\"Leader\":\"127.0.0.1:9333.19333\"}"));
	else if (p->part == MASTER && fake_asks_for(q, "/dir/status"))
		say(out, 200, server, text_of(w->topology));
	else if (p->part == VOLUME && fake_asks_for(q, "/status"))
		say(out, 200, server, w->volume);
	else if (p->part == FILER && text_has(q, "GET /buckets/?limit="))
		say(out, 200, server, w->buckets);
	else
		say(out, p->part == VOLUME ? 400 : 404, server, TEXT(""));
	return false;
}

struct asked {
	struct part parts[PARTS];
	struct fake_probe probe;
	struct expected_port ports[PARTS];
	struct expectation expected;
	struct identity who;
	enum answered answered;
};

static void topology(struct weed *w, int64_t most, int64_t free, const char *writables, const char *nodes)
{
	snprintf(w->topology, sizeof w->topology, "{\"Topology\":{\"Max\":%lld,\"Free\":%lld,\"DataCenters\":[{\"Racks\":[{\"DataNodes\":[%s]}]}],"
		"\"Layouts\":[{\"writables\":[%s]}]},\"Version\":\"8000GB 4.48 pypi\"}", (long long)most, (long long)free, nodes, writables);
}

static struct weed good_weed(void)
{
	return (struct weed){
		.healthz = {200, 200, 200, 200}, .stopped = -1, .s3_status = 200,
		.volume = recorded("seaweedfs-4.48/volume-status.json"), .buckets = recorded("seaweedfs-4.48/filer-buckets.json"),
		.page = recorded("seaweedfs-4.48/master-page.html"), .s3_body = recorded("seaweedfs-4.48/s3-buckets.xml"),
	};
}

/* Starts the parts; the master knows the volume server unless the test wrote its topology. */
static void begin(struct asked *a, struct weed *w, const char *password)
{
	static const char *const roles[] = {"master", "volume", "filer", "s3"};

	*a = (struct asked){0};
	for (int i = 0; i < PARTS; i++) {
		a->parts[i] = (struct part){w, i};
		w->servers[i] = fake_server_start(answer, &a->parts[i]);
		a->ports[i] = (struct expected_port){roles[i], fake_server_at(w->servers[i]).port};
	}
	if (!w->topology[0]) {
		char node[128];

		snprintf(node, sizeof node, "{\"Url\":\"127.0.0.1:%u\",\"Volumes\":14,\"Max\":20}", (unsigned)a->ports[VOLUME].port);
		topology(w, 20, 6, "1,2", node);
	}
	if (w->stopped >= 0)
		fake_server_stop(w->servers[w->stopped]);
	a->expected = (struct expectation){.name = "seaweedfs", .kind = &kind_seaweedfs, .ports = a->ports, .n_ports = PARTS};
	fake_probe_begin(&a->probe, (struct endpoint){"127.0.0.1", a->ports[MASTER].port}, 60000);
	a->probe.p.expected = &a->expected;
	a->probe.p.credentials = (struct credentials){.user = password ? "lakekey" : NULL, .password = password};
	a->answered = kind_seaweedfs.identify(&a->probe.p, &a->who);
	a->probe.s->who = a->who;
	kind_seaweedfs.inspect(&a->probe.p, a->probe.s);
}

static void done(struct asked *a, struct weed *w)
{
	free(a->probe.p.state);
	fake_probe_end(&a->probe);
	for (int i = 0; i < PARTS; i++)
		if (i != w->stopped)
			fake_server_stop(w->servers[i]);
}

static void health_is(const struct asked *a, enum link_state state, const char *part_of_words)
{
	assert_non_null(a->probe.s->health.words);
	if (!strstr(a->probe.s->health.words, part_of_words))
		fail_msg("\"%s\" is not in \"%s\"", part_of_words, a->probe.s->health.words);
	assert_int_equal(a->probe.s->health.state, state);
}

static int64_t number_of(const struct asked *a, const char *figure)
{
	struct value v = snapshot_get(a->probe.s, figure);

	return v.type == VALUE_INT ? v.u.i : -1;
}

static void all_parts_well_is_well(void **state)
{
	struct weed w = good_weed();
	struct asked a;

	(void)state;
	begin(&a, &w, "secret");
	assert_int_equal(a.answered, ANSWERED_YES);
	assert_null(a.who.role);
	assert_string_equal(a.who.version, "4.48");
	health_is(&a, LINK_OK, "4 parts answer");
	assert_int_equal(number_of(&a, "buckets"), 2);
	assert_int_equal(number_of(&a, "slots_free"), 6);
	assert_int_equal(number_of(&a, "volumes"), 14);
	assert_true(number_of(&a, "disk_free") > 0);
	assert_string_equal(snapshot_get(a.probe.s, "leader").u.s, "127.0.0.1:9333"); /* without its gRPC port */
	assert_int_equal(w.signed_ones, 1);
	done(&a, &w);
}

static void a_master_without_a_leader_is_bad(void **state)
{
	struct weed w = good_weed();
	struct asked a;

	(void)state;
	w.healthz[MASTER] = 503;
	begin(&a, &w, "secret");
	health_is(&a, LINK_BAD, "master: has no leader");
	done(&a, &w);
}

static void a_volume_server_that_the_master_knows_and_nobody_reaches_is_bad(void **state)
{
	struct weed w = good_weed();
	struct asked a;

	(void)state;
	w.stopped = VOLUME;
	begin(&a, &w, "secret");
	health_is(&a, LINK_BAD, "volume server: 127.0.0.1:");
	assert_true(snapshot_get(a.probe.s, "disk_free").at_least);
	done(&a, &w);
}

static void a_volume_server_that_lost_its_master_is_bad(void **state)
{
	struct weed w = good_weed();
	struct asked a;

	(void)state;
	w.healthz[VOLUME] = 503;
	begin(&a, &w, "secret");
	health_is(&a, LINK_BAD, "HTTP 503");
	done(&a, &w);
}

static void a_filer_that_lost_its_store_is_bad(void **state)
{
	struct weed w = good_weed();
	struct asked a;

	(void)state;
	w.healthz[FILER] = 503;
	begin(&a, &w, "secret");
	health_is(&a, LINK_BAD, "filer: cannot reach its store");
	assert_int_equal(snapshot_get(a.probe.s, "buckets").type, VALUE_UNKNOWN);
	done(&a, &w);
}

static void nothing_writable_and_no_slot_is_bad_though_every_health_url_says_200(void **state)
{
	struct weed w = good_weed();
	struct asked a;
	char node[128] = "{\"Url\":\"somewhere:8080\",\"Volumes\":20,\"Max\":20}"; /* a name: not asked, not bad */

	(void)state;
	topology(&w, 20, 0, "", node);
	begin(&a, &w, "secret");
	health_is(&a, LINK_BAD, "writes fail");
	done(&a, &w);
	topology(&w, 20, 0, "3", node);
	begin(&a, &w, "secret");
	health_is(&a, LINK_OK, "parts answer");
	assert_string_equal(a.probe.s->findings[0].name, "slots");
	done(&a, &w);
}

static void a_master_without_volume_servers_is_bad(void **state)
{
	struct weed w = good_weed();
	struct asked a;

	(void)state;
	topology(&w, 0, 0, "", "");
	begin(&a, &w, "secret");
	health_is(&a, LINK_BAD, "no volume server has joined");
	done(&a, &w);
}

static void a_wrong_key_is_unknown_and_is_not_tried_again(void **state)
{
	struct weed w = good_weed();
	struct asked a;

	(void)state;
	w.s3_status = 403;
	w.s3_body = recorded("seaweedfs-4.48/s3-wrong-secret.xml");
	begin(&a, &w, "wrong");
	health_is(&a, LINK_UNKNOWN, "S3: refuses the key lakekey (SignatureDoesNotMatch)");
	assert_int_equal(a.probe.s->err.code, ERR_AUTH);
	snapshot_unref(a.probe.s);
	a.probe.s = snapshot_new("test", PART_DEPTH);
	a.probe.p.arena = a.probe.s->arena;
	kind_seaweedfs.inspect(&a.probe.p, a.probe.s);
	health_is(&a, LINK_UNKNOWN, "S3: refuses the key lakekey");
	assert_int_equal(w.signed_ones, 1);
	a.probe.p.credentials.password = "another";
	kind_seaweedfs.inspect(&a.probe.p, a.probe.s);
	assert_int_equal(w.signed_ones, 2);
	done(&a, &w);
}

static void a_broken_part_counts_more_than_a_refused_key(void **state)
{
	struct weed w = good_weed();
	struct asked a;

	(void)state;
	w.s3_status = 403;
	w.s3_body = recorded("seaweedfs-4.48/s3-wrong-secret.xml");
	w.healthz[FILER] = 503;
	begin(&a, &w, "wrong");
	health_is(&a, LINK_BAD, "filer");
	done(&a, &w);
}

static void s3_that_fails_is_bad(void **state)
{
	struct weed w = good_weed();
	struct asked a;

	(void)state;
	w.s3_status = 500;
	w.s3_body = TEXT("<?xml version=\"1.0\"?><Error><Code>InternalError</Code></Error>");
	begin(&a, &w, "secret");
	health_is(&a, LINK_BAD, "S3: HTTP 500");
	done(&a, &w);
}

static void without_a_key_s3_is_not_asked_for_more_than_its_name(void **state)
{
	struct weed w = good_weed();
	struct asked a;

	(void)state;
	w.s3_status = 403;
	w.s3_body = TEXT("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>");
	begin(&a, &w, NULL);
	health_is(&a, LINK_OK, "4 parts");
	assert_int_equal(w.signed_ones, 0);
	assert_string_equal(table_get(snapshot_find_table(a.probe.s, "parts"), 3, "state").u.s, "not asked");
	done(&a, &w);
}

static void its_words_tell_which_port_is_which_part(void **state)
{
	struct text mini = TEXT("weed mini -dir=/data"), own = TEXT("weed -logtostderr=true server -dir=/data -master.port=29333 -volume.port=28089 "
		"-filer -filer.port=28888 -filer.port.grpc=7 -s3 -s3.port=28333");

	(void)state;
	assert_string_equal(kind_seaweedfs.role_of(mini, 9340), "volume");
	assert_string_equal(kind_seaweedfs.role_of(mini, 19333), "master-grpc");
	assert_string_equal(kind_seaweedfs.role_of(own, 29333), "master");
	assert_string_equal(kind_seaweedfs.role_of(own, 28089), "volume");
	assert_string_equal(kind_seaweedfs.role_of(own, 38089), "volume-grpc");
	assert_string_equal(kind_seaweedfs.role_of(own, 28888), "filer");
	assert_string_equal(kind_seaweedfs.role_of(own, 7), "filer-grpc");
	assert_null(kind_seaweedfs.role_of(own, 9333));
	assert_null(kind_seaweedfs.role_of(own, 4711));
}

/* ---- who is it not ---- */

static bool hang_up(void *ctx, struct text q, struct buf *out)
{
	(void)ctx;
	(void)q;
	(void)out;
	return false;
}

static bool no_http(void *ctx, struct text q, struct buf *out)
{
	(void)ctx;
	(void)q;
	buf_puts(out, "SSH-2.0-OpenSSH_9.2\r\n");
	return false;
}

static bool broken(void *ctx, struct text q, struct buf *out)
{
	(void)ctx;
	(void)q;
	fake_http(out, 500, "", "oops");
	return false;
}

static enum answered identified(bool (*as)(void *, struct text, struct buf *), char says[64])
{
	struct fake_server *server = fake_server_start(as, NULL);
	struct fake_probe probe;
	struct identity who = {0};
	enum answered answered;

	fake_probe_begin(&probe, fake_server_at(server), 60000);
	answered = kind_seaweedfs.identify(&probe.p, &who);
	text_copy(says, 64, text_of(who.says));
	fake_probe_end(&probe);
	fake_server_stop(server);
	return answered;
}

/* docker-proxy does so before a dead container: that is silence, and nobody else's answer. */
static void who_accepts_and_hangs_up_is_mute_and_no_stranger(void **state)
{
	char says[64];

	(void)state;
	assert_int_equal(identified(hang_up, says), ANSWERED_MUTE);
	assert_int_equal(identified(no_http, says), ANSWERED_OTHER);
}

static void an_error_status_is_told_so_that_it_makes_nobody_a_stranger(void **state)
{
	char says[64];

	(void)state;
	assert_int_equal(identified(broken, says), ANSWERED_OTHER);
	assert_string_equal(says, "HTTP 500");
}

/* The fault is ours: nothing is said of a server that was not asked. */
static void with_no_descriptors_left_nobody_is_mute_or_refuses(void **state)
{
	struct fake_probe probe;
	struct identity who = {0};
	struct rlimit before, none;
	enum answered answered;

	(void)state;
	fake_probe_begin(&probe, (struct endpoint){"127.0.0.1", 9}, 1000);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){3, before.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	answered = kind_seaweedfs.identify(&probe.p, &who);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(answered, ANSWERED_NOT_ASKED);
	kind_seaweedfs.close(probe.p.state);
	fake_probe_end(&probe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_version_is_the_word_after_the_size),
		cmocka_unit_test(header_and_body_tell_the_part),
		cmocka_unit_test(s3_says_buckets_or_why_not),
		cmocka_unit_test(the_master_tells_slots_writable_volumes_and_servers),
		cmocka_unit_test(a_fresh_master_has_no_layouts_and_is_still_one),
		cmocka_unit_test(a_volume_server_tells_its_disks_and_volumes),
		cmocka_unit_test(hidden_directories_are_no_buckets),
		cmocka_unit_test(garbage_ends_in_peace),
		cmocka_unit_test(all_parts_well_is_well),
		cmocka_unit_test(a_master_without_a_leader_is_bad),
		cmocka_unit_test(a_volume_server_that_the_master_knows_and_nobody_reaches_is_bad),
		cmocka_unit_test(a_volume_server_that_lost_its_master_is_bad),
		cmocka_unit_test(a_filer_that_lost_its_store_is_bad),
		cmocka_unit_test(nothing_writable_and_no_slot_is_bad_though_every_health_url_says_200),
		cmocka_unit_test(a_master_without_volume_servers_is_bad),
		cmocka_unit_test(a_wrong_key_is_unknown_and_is_not_tried_again),
		cmocka_unit_test(a_broken_part_counts_more_than_a_refused_key),
		cmocka_unit_test(s3_that_fails_is_bad),
		cmocka_unit_test(without_a_key_s3_is_not_asked_for_more_than_its_name),
		cmocka_unit_test(its_words_tell_which_port_is_which_part),
		cmocka_unit_test(who_accepts_and_hangs_up_is_mute_and_no_stranger),
		cmocka_unit_test(an_error_status_is_told_so_that_it_makes_nobody_a_stranger),
		cmocka_unit_test(with_no_descriptors_left_nobody_is_mute_or_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
