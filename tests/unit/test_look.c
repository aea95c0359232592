// SPDX-License-Identifier: MIT
/* The look at one machine: words of processes, cgroups, listeners, owners, facts. */
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
#include <ftw.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <locale.h>
#include <poll.h>
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

#include "../../backend/host/local.h"
#include "../../backend/host/look.h"

/* ---- hints ---- */

/* Arguments as /proc gives them: each ends in NUL. Written with "|" here. */
static const char *hint(const char *line)
{
	static char out[HINT_SIZE], arguments[4096];
	size_t len = strlen(line);

	assert_true(len < sizeof arguments);
	for (size_t i = 0; i <= len; i++)
		arguments[i] = line[i] == '|' ? '\0' : line[i];
	return hint_of(out, (struct text){arguments, len + 1});
}

static void a_jvm_is_named_by_its_main_class(void **state)
{
	(void)state;
	assert_string_equal(hint("/usr/lib/jvm/java-17/bin/java|-Xmx1g|-XX:+UseG1GC|-Dlog4j.configuration=file:x|-cp|/opt/kafka/libs/*:a|"
				 "kafka.Kafka|/opt/kafka/config/server.properties"),
		"kafka.Kafka /opt/kafka/config/server.properties");
	assert_string_equal(hint("java|--add-opens|java.base/java.nio=ALL-UNNAMED|--add-opens=java.base/java.lang=ALL-UNNAMED|--class-path|x|Main|-x"),
		"Main -x");
	assert_string_equal(hint("java|-Xmx1g|-jar|/opt/app/trino-server.jar|start"), "trino-server.jar start");
	assert_string_equal(hint("java|-Dquarkus.http.port=11609|-Dother.port=1|-Dquarkus.config.locations=/x|-jar|/opt/nessie-quarkus-0.99.0-runner.jar"),
		"nessie-quarkus-0.99.0-runner.jar -Dquarkus.http.port=11609");
	assert_string_equal(hint("java|-m|app/org.Main|one"), "org.Main one");
	assert_string_equal(hint("java|-version"), "java -version");
	assert_string_equal(hint("java|-cp"), "java -cp");
	assert_string_equal(hint("java"), "java");
}

static void a_program_is_named_by_its_last_part_and_its_arguments(void **state)
{
	(void)state;
	assert_string_equal(hint("/usr/bin/weed|server|-dir=/data|-s3"), "weed server -dir=/data -s3");
	assert_string_equal(hint("/opt/venv/bin/python3|/opt/venv/bin/airflow|scheduler"), "python3 /opt/venv/bin/airflow scheduler");
	assert_string_equal(hint(""), "");
}

static void a_title_is_no_path(void **state)
{
	(void)state;
	assert_string_equal(hint("postgres: 15/main: checkpointer ||||"), "postgres: 15/main: checkpointer ");
	assert_string_equal(hint("sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups"), "sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups");
	assert_string_equal(hint("nginx: master process /usr/sbin/nginx"), "nginx: master process /usr/sbin/nginx");
}

static void spark_submit_says_first_what_tells_its_server(void **state)
{
	char line[2000] = "java|-cp|x|org.apache.spark.deploy.SparkSubmit|--master|spark://h:7078|--conf|spark.jars=", expected[400];
	size_t len = strlen(line);

	(void)state;
	memset(line + len, 'j', 1000);
	snprintf(line + len + 1000, sizeof line - len - 1000,
		"|--conf|spark.connect.grpc.binding.port=15002|--conf=spark.ui.port=4041|--name|Connect server|--class|"
		"org.apache.spark.sql.connect.service.SparkConnectServer|spark-internal");
	snprintf(expected, sizeof expected,
		"org.apache.spark.deploy.SparkSubmit --name Connect server --class org.apache.spark.sql.connect.service.SparkConnectServer "
		"--conf spark.connect.grpc.binding.port=15002 --conf=spark.ui.port=4041 --master spark://h:7078 --conf spark.jars=jjj");
	assert_memory_equal(hint(line), expected, strlen(expected));
	assert_int_equal(strlen(hint(line)), HINT_SIZE - 1);
}

static void secrets_are_masked_and_their_keys_stay(void **state)
{
	static const struct {
		const char *line, *shown;
	} cases[] = {
		/* key=value, in any spelling and with any prefix */
		{"x|--password=hunter2|--port=1", "x --password=*** --port=1"},
		{"x|PASSWORD=hunter2", "x PASSWORD=***"},
		{"x|-Dssl.keystore.passwd=hunter2", "x -Dssl.keystore.passwd=***"},
		{"x|--conf|spark.hadoop.fs.s3a.secret.key=hunter2|next", "x --conf spark.hadoop.fs.s3a.secret.key=*** next"},
		{"x|spark.hadoop.fs.s3a.access.key=AKIA1", "x spark.hadoop.fs.s3a.access.key=***"},
		{"x|aws_access_key_id=AKIA1", "x aws_access_key_id=***"},
		{"x|AccessKeyId=AKIA1", "x AccessKeyId=***"},
		{"x|api-key=k|apiKey=k|API_KEY=k|apikey=k", "x api-key=*** apiKey=*** API_KEY=*** apikey=***"},
		{"x|--oauth-token=t|credentials=c|client_secret=s|--passphrase=p", "x --oauth-token=*** credentials=*** client_secret=*** --passphrase=***"},
		{"x|--requirepass=p|db.pwd=p", "x --requirepass=*** db.pwd=***"},
		{"x|--password=", "x --password=***"},
		{"x|--password=a=b&c d", "x --password=***"},
		/* the argument after a flag, whatever it looks like */
		{"x|--password|hunter2|--port|1", "x --password *** --port 1"},
		{"x|-token|--dashed|y", "x -token *** y"},
		{"x|--no-password|--token|t", "x --no-password *** ***"}, /* which of them takes a value is not known */
		{"x|--api-key", "x --api-key"},
		{"redis-server|--requirepass|hunter2|--port|6379", "redis-server --requirepass *** --port 6379"},
		{"/usr/bin/sshpass|-p|hunter2|ssh|h", "sshpass -p *** ssh h"},
		{"mysql|-phunter2|-h|db", "mysql *** -h db"},
		{"curl|-u|user:hunter2|http://h/", "curl -u *** http://h/"},
		/* inside of an argument */
		{"x|jdbc:postgresql://h:5432/d?user=u&password=hunter2&ssl=true", "x jdbc:postgresql://h:5432/d?user=u&password=***"},
		{"x|{\"user\": \"u\", \"password\": \"hunter2\"}", "x {\"user\": \"u\", \"password\":***"},
		{"x|org.X required username=\"u\" password=\"hunter2\";", "x org.X required username=\"u\" password=***"},
		{"x|sasl.jaas.config=org.X required p=\"hunter2\"", "x sasl.jaas.config=***"},
		{"bash|-c|PGPASSWORD=hunter2 exec psql", "bash -c PGPASSWORD=***"},
		{"curl|-H|Authorization: Bearer hunter2", "curl -H Authorization:***"},
		{"curl|-H|X: bearer hunter2", "curl -H X: bearer ***"},
		/* users and passwords in URLs */
		{"x|postgres://u:hunter2@h:5432/d", "x postgres://u:***@h:5432/d"},
		{"x|postgres://u:hun/t@er2@h/d?x=y", "x postgres://u:***@h/d?x=y"},
		{"x|http://hunter2token@h/", "x http://***@h/"},
		{"x|https://u:p@h/", "x https://u:*@h/"},
		{"x|amqp://a:b1234@h,amqp://c:hunter2@i", "x amqp://a:***@i"},
		/* what is none stays */
		{"x|http://127.0.0.1:8080/a?b=c", "x http://127.0.0.1:8080/a?b=c"},
		{"x|s3a://bucket/path|spark://h:7077|abfss://c@a.dfs/p", "x s3a://bucket/path spark://h:7077 abfss://c@a.dfs/p"},
		{"x|org.apache.TokenServer|passwords.txt", "x org.apache.TokenServer passwords.txt"},
		{"x|bind=127.0.0.1:9092|node:1", "x bind=127.0.0.1:9092 node:1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(hint(cases[i].line), cases[i].shown);
}

static void an_invisible_character_does_not_hide_a_key(void **state)
{
	(void)state;
	assert_string_equal(hint("x|pass\xe2\x80\x8bword=hunter2"), "x password=***");
	assert_string_equal(hint("x|pass\x01word=hunter2"), "x password=***");
}

static void a_hint_is_clean_and_cut_at_a_character(void **state)
{
	char line[1000] = "x|\x1b]52;c;evil\x07\n";

	(void)state;
	assert_string_equal(hint(line), "x ]52;c;evil ");
	memset(line, 0, sizeof line);
	for (size_t i = 0; i < 300; i++)
		memcpy(line + i * 2, "\xc3\xa9", 2);
	assert_true(text_is_clean(text_of(hint(line))));
	assert_int_equal(strlen(hint(line)), 478); /* 479 would cut the last one */
}

static void a_password_that_is_cut_off_by_the_end_is_still_masked(void **state)
{
	char line[1200] = "x|";

	(void)state;
	memset(line + 2, 'a', 440);
	snprintf(line + 442, sizeof line - 442, "|postgres://u:%0600d@h/", 7);
	assert_null(strstr(hint(line), "000"));
}

/* ---- /proc/PID/stat ---- */

static void a_name_may_hold_what_ends_it(void **state)
{
	static const char line[] = "4121 (a) R (b)) S 1 4121 4121 0 -1 4194304 9 0 0 0 250 50 0 0 20 0 31 0 123456 3000000 2500 18446744073709551615 1 1 0\n";
	struct stat_line out;

	(void)state;
	assert_true(stat_parse(text_of(line), &out));
	assert_true(text_is(out.name, "a) R (b)"));
	assert_int_equal(out.state, 'S');
	assert_int_equal(out.parent, 1);
	assert_int_equal(out.cpu, 300);
	assert_int_equal(out.started, 123456);
	assert_int_equal(out.pages, 2500);
	for (size_t len = 0; len + 50 < sizeof line; len++)
		assert_false(stat_parse((struct text){line, len}, &out));
	assert_false(stat_parse(TEXT(")("), &out));
}

/* ---- cgroups ---- */

#define ID "4f1c2e3d4f1c2e3d4f1c2e3d4f1c2e3d4f1c2e3d4f1c2e3d4f1c2e3d4f1c2e3d"
#define OTHER_ID "1e73aaaa1e73aaaa1e73aaaa1e73aaaa1e73aaaa1e73aaaa1e73aaaa1e73aaaa"

static void a_unit_is_what_systemctl_shows(void **state)
{
	static const struct {
		const char *shown, *words;
		enum unit_is is;
	} cases[] = { /* systemd 252 */
		{"Result=exit-code\nNRestarts=0\nExecMainStatus=3\nLoadState=loaded\nActiveState=failed\nSubState=failed\n", "exit-code, status 3", SYSTEMD_FAILED},
		{"Result=exit-code\nNRestarts=1\nExecMainStatus=3\nLoadState=loaded\nActiveState=activating\nSubState=auto-restart\n",
			"exit-code, status 3, 1 restart", SYSTEMD_RESTARTS},
		{"Result=success\nNRestarts=7\nExecMainStatus=0\nLoadState=loaded\nActiveState=active\nSubState=running\n",
			"success, status 0, 7 restarts", SYSTEMD_RESTARTS},
		{"Result=success\nNRestarts=0\nExecMainStatus=0\nLoadState=loaded\nActiveState=inactive\nSubState=dead\n", "success, status 0", SYSTEMD_LOADED},
		{"LoadState=masked\nActiveState=inactive\nSubState=dead\n", ", status 0", SYSTEMD_WRONG},
		{"LoadState=bad-setting\n", ", status 0", SYSTEMD_WRONG},
		{"Result=success\nNRestarts=0\nLoadState=not-found\nActiveState=inactive\nSubState=dead\n", "success, status 0", SYSTEMD_NOWHERE},
		{"", ", status 0", SYSTEMD_NOT_ASKED},
		{"LoadState\n=\nNRestarts=x\nResult=", ", status 0", SYSTEMD_NOT_ASKED},
	};
	struct unit_state u;
	char words[80];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		unit_state_read(text_of(cases[i].shown), &u);
		assert_int_equal(unit_state_is(&u), cases[i].is);
		assert_string_equal(unit_state_words(&u, words, sizeof words), cases[i].words);
		for (size_t n = 0; n < strlen(cases[i].shown); n++)
			unit_state_read((struct text){cases[i].shown, n}, &u);
	}
}

static void a_path_names_its_container_or_its_unit(void **state)
{
	static const struct {
		const char *path, *container, *unit;
	} cases[] = {
		{"/docker/" ID, ID, ""},
		{"/system.slice/docker-" ID ".scope", ID, ""},
		{"/docker/" OTHER_ID "/docker/" ID, ID, ""}, /* Docker in Docker: the inner one */
		{"/machine.slice/libpod-" ID ".scope/container", ID, ""},
		{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", ID, ""},
		{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234_5678.slice/cri-containerd-" ID ".scope", ID, ""},
		{"/kubepods/burstable/pod1234-5678/" ID, ID, ""},
		{"/system.slice/docker.service/docker/" ID, ID, ""},
		{"/system.slice/quadlet.service/libpod-payload-" ID, ID, "quadlet.service"},
		{"/system.slice/postgresql@15-main.service", "", "postgresql@15-main.service"},
		{"/system.slice/system-postgresql.slice/postgresql@15-main.service", "", "postgresql@15-main.service"},
		{"/system.slice/docker.service", "", "docker.service"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/jupyter.service", "", "jupyter.service"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.x.slice", "", ""},
		{"/user.slice/user-1000.slice/session-3.scope", "", ""},
		{"/system.slice/system-lake\\x2dhouse.slice/lake\\x2dhouse@a.service", "", "lake\\x2dhouse@a.service"}, /* systemd 252 */
		{"/system.slice/_memory.service", "", "memory.service"},
		{"/system.slice/__x.service", "", "_x.service"},
		{"/system.slice/evil\x1b.service", "", "evil.service"}, /* not as systemd names it */
		{"/docker/" ID "0", "", ""}, /* 65 digits are no id */
		{"/", "", ""},
		{"", "", ""},
	};
	struct place place;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		place_of_path(text_of(cases[i].path), &place);
		assert_string_equal(place.container, cases[i].container);
		assert_string_equal(place.unit, cases[i].unit);
	}
}

static void a_hybrid_system_tells_the_container_in_any_of_its_hierarchies(void **state)
{
	struct place place, unified;

	(void)state;
	place_of_lines(TEXT("12:pids:/docker/" ID "\n1:name=systemd:/docker/" ID "\n0::/docker/" ID "\n"), &place);
	assert_string_equal(place.container, ID);
	place_of_path(TEXT("/docker/" ID), &unified);
	assert_int_equal(place.hash, unified.hash);
	place_of_lines(TEXT("9:memory:/docker/" ID "\n0::/\n"), &place);
	assert_string_equal(place.container, ID);
	assert_int_equal(place.hash, 0);
	place_of_lines(TEXT("9:name=systemd:/system.slice/weed.service\n8:cpu:/docker/" ID "\n0::/\n"), &place);
	assert_string_equal(place.unit, "weed.service");
	place_of_lines(TEXT("0::/\n"), &place);
	assert_string_equal(place.container, "");
}

static void the_cgroup2_mount_is_where_mountinfo_says(void **state)
{
	char path[64];

	(void)state;
	assert_true(cgroup2_mount(TEXT("31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
				       "40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd\n"
				       "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n"), path, sizeof path));
	assert_string_equal(path, "/sys/fs/cgroup/unified");
	assert_false(cgroup2_mount(TEXT("31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"), path, sizeof path));
	assert_string_equal(path, "");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_folder(const char *base, const char *name)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", base, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void a_cgroup_id_is_the_inode_of_its_folder(void **state)
{
	char base[] = "/tmp/laketop-cgroup-XXXXXX", path[512];
	struct cgroups *all;
	const struct place *place;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(base));
	make_folder(base, "docker");
	make_folder(base, "docker/" ID);
	all = cgroups_new(base);
	snprintf(path, sizeof path, "%s/docker/" ID, base);
	assert_int_equal(stat(path, &st), 0);
	place = cgroups_find(all, st.st_ino);
	assert_non_null(place);
	assert_string_equal(place->container, ID);
	assert_null(cgroups_find(all, 0));
	assert_null(cgroups_find(all, st.st_ino + 987654321)); /* gone: a socket may outlive its group */
	make_folder(base, "lake.service");
	snprintf(path, sizeof path, "%s/lake.service", base);
	assert_int_equal(stat(path, &st), 0);
	place = cgroups_find(all, st.st_ino);
	assert_non_null(place); /* new since the last walk */
	assert_string_equal(place->unit, "lake.service");
	cgroups_free(all);
	all = cgroups_new("");
	assert_null(cgroups_find(all, st.st_ino));
	cgroups_free(all);
	remove_tree(base);
}

/* ---- the box ---- */

static void the_box_reads_its_numbers_and_knows_what_it_does_not_know(void **state)
{
	struct box box = {0};

	(void)state;
	box_parse(&box, TEXT("MemTotal:       24684084 kB\nMemFree:  1 kB\nMemAvailable:   20000000 kB\nSwapTotal:      0 kB\nSwapFree:       0 kB\n"),
		TEXT("0.52 10.05 3.00 2/345 6789\n"), TEXT("nr_free_pages 1\noom_kill 3\nx 1\n"));
	assert_int_equal(box.memory_total, 24684084LL * 1024);
	assert_int_equal(box.memory_available, 20000000LL * 1024);
	assert_true(fabs(box.load1 - 0.52) < 1e-9 && fabs(box.load5 - 10.05) < 1e-9 && fabs(box.load15 - 3.0) < 1e-9);
	assert_int_equal(box.oom_kills, 3);
	box_parse(&box, TEXT(""), TEXT(""), TEXT(""));
	assert_int_equal(box.oom_kills, -1);
	assert_true(isnan(box.load1));
}

/* ---- listeners: the parse halves ---- */

static const struct heard *heard_at(const struct listeners *all, uint16_t port)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].row.port == port)
			return &all->at[i];
	fail_msg("nobody listens on %u", (unsigned)port);
	abort();
}

/* Linux 6.18, shortened: two that listen, one connection, one that is half open. */
static void proc_net_tcp_gives_only_what_listens(void **state)
{
	static const char tcp[] =
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1065 1 0000 100 0 0 10 0\n"
		"   1: 00000000:0FA0 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1066 1 0000 100 0 0 10 0\n"
		"   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 1067 1 0000 20 4 30 10 -1\n"
		"   3: 0100007F:1F91 0100007F:C350 03 00000000:00000000 00:00000000 00000000     0        0 0 1 0000 20 4 30 10 -1\n"
		"   4: 0100007F:1F92 00000000:0000 0A 00000000\n";
	struct listeners all = {0};

	(void)state;
	proc_net_parse(&all, text_of(tcp), false);
	assert_int_equal(all.n, 2);
	assert_string_equal(heard_at(&all, 8080)->row.address, "127.0.0.1");
	assert_int_equal(heard_at(&all, 8080)->row.uid, 1000);
	assert_int_equal(heard_at(&all, 8080)->row.inode, 1065);
	assert_false(heard_at(&all, 8080)->row.open);
	assert_string_equal(heard_at(&all, 4000)->row.address, "*");
	assert_true(heard_at(&all, 4000)->row.open);
	listeners_free(&all);
}

static void an_ipv4_address_in_ipv6_clothes_is_an_ipv4_address(void **state)
{
	static const char tcp6[] =
		"   0: 0000000000000000FFFF00000100007F:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 5 0 1 1 x\n"
		"   1: 00000000000000000000000001000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 5 0 2 1 x\n"
		"   2: 00000000000000000000000000000000:1F92 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 5 0 3 1 x\n"
		"   3: B80D0120000000000000000001000000:1F93 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 5 0 4 1 x\n";
	struct listeners all = {0};

	(void)state;
	proc_net_parse(&all, text_of(tcp6), true);
	assert_string_equal(heard_at(&all, 8080)->row.address, "127.0.0.1");
	assert_false(heard_at(&all, 8080)->row.open);
	assert_string_equal(heard_at(&all, 8081)->row.address, "::1");
	assert_false(heard_at(&all, 8081)->row.open);
	assert_string_equal(heard_at(&all, 8082)->row.address, "*");
	assert_string_equal(heard_at(&all, 8083)->row.address, "2001:db8::1");
	assert_true(heard_at(&all, 8083)->row.open);
	listeners_free(&all);
}

struct diag_answer {
	struct nlmsghdr head;
	struct inet_diag_msg m;
	unsigned char attributes[64];
	struct nlmsghdr done;
};

static struct diag_answer diag_answer(void)
{
	struct diag_answer a = {
		.head = {.nlmsg_len = offsetof(struct diag_answer, done), .nlmsg_type = SOCK_DIAG_BY_FAMILY},
		.m = {.idiag_family = AF_INET6, .id = {.idiag_sport = htons(9092)}, .idiag_uid = 7, .idiag_inode = 77},
		.done = {.nlmsg_len = sizeof(struct nlmsghdr), .nlmsg_type = NLMSG_DONE},
	};
	static const uint16_t heads[][2] = {{5, 11 /* SKV6ONLY */}, {12, 21 /* CGROUP_ID */}, {44, 99}};
	const uint64_t cgroup = 329;

	memcpy(a.attributes, heads[0], 4);
	a.attributes[4] = 1;
	memcpy(a.attributes + 8, heads[1], 4);
	memcpy(a.attributes + 12, &cgroup, 8);
	memcpy(a.attributes + 20, heads[2], 4);
	return a;
}

static void sock_diag_tells_the_cgroup_and_who_is_for_ipv6_only(void **state)
{
	struct diag_answer a = diag_answer();
	struct listeners all = {0};

	(void)state;
	assert_int_equal(diag_parse(&all, &a, sizeof a), 1);
	assert_int_equal(all.n, 1);
	assert_string_equal(all.at[0].row.address, "[::]");
	assert_int_equal(all.at[0].row.port, 9092);
	assert_int_equal(all.at[0].row.uid, 7);
	assert_int_equal(all.at[0].row.inode, 77);
	assert_int_equal(all.at[0].cgroup, 329);
	listeners_free(&all);
}

static void a_broken_answer_of_sock_diag_is_refused_or_ends(void **state)
{
	struct diag_answer a = diag_answer();
	struct listeners all = {0};
	unsigned char *bytes = malloc(sizeof a); /* of its very size: what reads beyond is found */

	(void)state;
	for (size_t len = 0; len < sizeof a; len++) {
		unsigned char *cut = malloc(len ? len : 1);

		memcpy(cut, &a, len);
		assert_true(diag_parse(&all, cut, len) <= 0);
		free(cut);
	}
	for (size_t at = 0; at < sizeof a; at++) {
		memcpy(bytes, &a, sizeof a);
		bytes[at] ^= 0xff;
		diag_parse(&all, bytes, sizeof a);
	}
	free(bytes);
	listeners_free(&all);
}

static void a_docker_proxy_says_whom_it_stands_for(void **state)
{
	struct proxy proxy;

	(void)state;
	/* Docker 20.10.24 */
	assert_true(proxy_parse(TEXT("docker-proxy -proto tcp -host-ip 127.0.0.1 -host-port 9097 -container-ip 172.17.0.2 -container-port 8000"), &proxy));
	assert_string_equal(proxy.address, "127.0.0.1");
	assert_int_equal(proxy.port, 9097);
	assert_string_equal(proxy.target, "172.17.0.2:8000");
	assert_true(proxy_parse(TEXT("docker-proxy -proto tcp -host-ip :: -host-port 80 -container-ip fd00::2 -container-port 8000 -use-listen-fd"), &proxy));
	assert_string_equal(proxy.target, "[fd00::2]:8000");
	assert_false(proxy_parse(TEXT("docker-proxy -host-ip"), &proxy));
	assert_false(proxy_parse(TEXT("nginx -host-port 1 -container-ip x -container-port 2"), &proxy));
}

/* ---- a look at this machine ---- */

static struct snapshot *look_once(void **look)
{
	static const char *const disks[] = {"/", "/nowhere/at/all", NULL};
	struct snapshot *s = snapshot_new("host", PART_HOST);

	assert_true(local_look(NULL, look, disks, s));
	assert_int_equal(s->err.code, ERR_NONE);
	return s;
}

static int open_listener(int family, const char *address, int only_v6, uint16_t *port)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(*port)};
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(*port)};
	struct sockaddr *at = family == AF_INET6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
	socklen_t len = family == AF_INET6 ? sizeof v6 : sizeof v4;
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	inet_pton(family, address, family == AF_INET6 ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr);
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof only_v6);
	if (bind(fd, at, len) < 0 || listen(fd, 4) < 0) {
		close(fd);
		return -1;
	}
	getsockname(fd, at, &len);
	*port = ntohs(family == AF_INET6 ? v6.sin6_port : v4.sin_port);
	return fd;
}

/* Another program may listen on the same port of another address. */
static const struct listener *listener_of(const struct facts *f, pid_t pid, uint16_t port)
{
	for (size_t i = 0; i < f->n_listeners; i++)
		if (f->listeners[i].port == port && f->listeners[i].pid == pid)
			return &f->listeners[i];
	fail_msg("%d has no listener on %u", (int)pid, (unsigned)port);
	abort();
}

static void check_address(bool by_proc, int family, const char *address, int only_v6, const char *shown, bool open)
{
	struct look *look = look_new("/proc");
	void *kept = look;
	uint16_t port = 0;
	int fd = open_listener(family, address, only_v6, &port);
	const struct listener *l;
	struct snapshot *s;

	look->listeners.by_proc = by_proc;
	if (fd >= 0) { /* else this machine has no IPv6 */
		s = look_once(&kept);
		l = listener_of(s->facts, getpid(), port);
		assert_string_equal(l->address, shown);
		assert_int_equal(l->open, open);
		assert_false(l->pid_probable);
		assert_int_equal(l->uid, getuid());
		assert_true(l->inode > 0);
		snapshot_unref(s);
		close(fd);
	}
	local_look_end(kept);
}

static void a_listener_is_seen_with_its_address_and_its_owner_by_both_sources(void **state)
{
	(void)state;
	for (int by_proc = 0; by_proc <= 1; by_proc++) {
		check_address(by_proc, AF_INET, "127.0.0.1", 0, "127.0.0.1", false);
		check_address(by_proc, AF_INET, "127.1.2.3", 0, "127.1.2.3", false);
		check_address(by_proc, AF_INET, "0.0.0.0", 0, "*", true);
		check_address(by_proc, AF_INET6, "::1", 0, "::1", false);
		check_address(by_proc, AF_INET6, "::", 0, "*", true);
		check_address(by_proc, AF_INET6, "::ffff:127.0.0.1", 0, "127.0.0.1", false);
	}
	check_address(false, AF_INET6, "::", 1, "[::]", true); /* /proc does not tell, unless both are there: */
}

static void both_families_on_one_port_are_two_rows_by_both_sources(void **state)
{
	uint16_t port = 0;
	int v6 = open_listener(AF_INET6, "::", 1, &port), v4 = v6 >= 0 ? open_listener(AF_INET, "0.0.0.0", 0, &port) : -1;

	(void)state;
	for (int by_proc = 0; by_proc <= 1 && v4 >= 0; by_proc++) {
		struct look *look = look_new("/proc");
		void *kept = look;
		struct snapshot *s;

		look->listeners.by_proc = by_proc;
		s = look_once(&kept);
		assert_string_equal(facts_listener(s->facts, "127.0.0.1", port)->address, "*");
		assert_string_equal(facts_listener(s->facts, "::1", port)->address, "[::]");
		snapshot_unref(s);
		local_look_end(kept);
	}
	close(v4);
	close(v6);
}

static void descriptors_are_read_only_when_the_sockets_change(void **state)
{
	struct look *look = look_new("/proc");
	void *kept = look;
	uint16_t port = 0;
	unsigned before;
	bool quiet = false;
	int fd;

	(void)state;
	for (int i = 0; i < 6; i++) /* what cannot be found is tried twice; other programs come and go */
		snapshot_unref(look_once(&kept));
	for (int i = 0; i < 200 && !quiet; i++) { /* one time at least nobody else's socket changes between two looks */
		before = look->listeners.searches;
		snapshot_unref(look_once(&kept));
		quiet = look->listeners.searches == before;
	}
	assert_true(quiet);
	before = look->listeners.searches;
	fd = open_listener(AF_INET, "127.0.0.1", 0, &port);
	snapshot_unref(look_once(&kept));
	assert_true(look->listeners.searches > before);
	close(fd);
	local_look_end(kept);
}

struct child {
	pid_t pid;
	int to, from; /* pipes */
};

/* A child that tells when it is ready, then does act and waits until it is ended. */
static struct child start_child(void (*act)(void *ctx), void *ctx)
{
	struct child c;
	int to[2], from[2];

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	c.pid = fork();
	if (c.pid == 0) {
		char byte;

		close(to[1]);
		close(from[0]);
		if (act)
			act(ctx);
		(void)!write(from[1], "r", 1);
		while (read(to[0], &byte, 1) > 0)
			continue;
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	c.to = to[1];
	c.from = from[0];
	assert_int_equal(read(c.from, &(char){0}, 1), 1);
	return c;
}

static void end_child(struct child *c)
{
	close(c->to);
	close(c->from);
	waitpid(c->pid, NULL, 0);
}

static void workers_that_share_a_socket_leave_it_to_their_master(void **state)
{
	void *kept = NULL;
	uint16_t port = 0;
	int fd = open_listener(AF_INET, "127.0.0.1", 0, &port);
	struct child worker = start_child(NULL, NULL);
	struct snapshot *s = look_once(&kept);

	(void)state;
	assert_string_equal(listener_of(s->facts, getpid(), port)->address, "127.0.0.1");
	assert_int_equal(facts_process(s->facts, worker.pid)->parent, getpid());
	snapshot_unref(s);
	close(fd);
	end_child(&worker);
	local_look_end(kept);
}

/* A worker: it holds what its master holds, until the test lets go of both. */
static void fork_worker(void *ctx)
{
	(void)ctx;
	fork();
}

static void a_socket_whose_owner_ended_is_its_workers(void **state)
{
	void *kept = NULL;
	uint16_t port = 0;
	int fd = open_listener(AF_INET, "127.0.0.1", 0, &port);
	struct child master = start_child(fork_worker, NULL);
	struct snapshot *s;
	pid_t owner;

	(void)state;
	close(fd);
	s = look_once(&kept);
	assert_int_equal(facts_listener(s->facts, "127.0.0.1", port)->pid, master.pid);
	snapshot_unref(s);
	kill(master.pid, SIGKILL);
	waitpid(master.pid, NULL, 0);
	s = look_once(&kept);
	owner = facts_listener(s->facts, "127.0.0.1", port)->pid;
	assert_true(owner > 0 && owner != master.pid);
	assert_non_null(strstr(facts_process(s->facts, owner)->hint, "test_look"));
	snapshot_unref(s);
	end_child(&master);
	local_look_end(kept);
}

static void a_process_is_seen_from_its_start_to_its_end(void **state)
{
	void *kept = NULL;
	struct child c = start_child(NULL, NULL);
	struct snapshot *s = look_once(&kept);
	const struct process *p = facts_process(s->facts, c.pid), *me = facts_process(s->facts, getpid());

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->parent, getpid());
	assert_int_equal(p->uid, geteuid());
	assert_true(llabs(p->started - clock_wall_ms()) < 60000);
	assert_true(p->rss > 0);
	assert_true(isnan(p->cpu)); /* the first time nothing is known */
	assert_false(p->exe_deleted);
	assert_string_equal(p->hint, me->hint);
	assert_non_null(strstr(me->hint, "test_look"));
	for (size_t i = 1; i < s->facts->n_processes; i++)
		assert_true(s->facts->processes[i - 1].pid < s->facts->processes[i].pid);
	snapshot_unref(s);
	kill(c.pid, SIGSTOP);
	waitpid(c.pid, NULL, WUNTRACED);
	s = look_once(&kept);
	assert_int_equal(facts_process(s->facts, c.pid)->state, 'T');
	snapshot_unref(s);
	kill(c.pid, SIGKILL);
	end_child(&c);
	s = look_once(&kept);
	assert_null(facts_process(s->facts, c.pid));
	snapshot_unref(s);
	local_look_end(kept);
}

static ssize_t read_of(pid_t pid, const char *what, char out[32])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, out, 32);
	close(fd);
	return n;
}

/* Its name comes before its words do. */
static void wait_until_it_runs(pid_t pid, const char *name)
{
	for (int64_t end = clock_ms() + 60000; clock_ms() < end; poll(NULL, 0, 1)) {
		char words[32];
		ssize_t n = read_of(pid, "comm", words);

		if (n > 0 && text_is(text_trim((struct text){words, (size_t)n}), name) && read_of(pid, "cmdline", words) > 0)
			return;
	}
	fail_msg("%s does not run", name);
}

static void a_process_that_becomes_another_program_gets_its_words(void **state)
{
	void *kept = NULL;
	int go[2], hold[2];
	struct snapshot *s;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(hold), 0);
	pid = fork();
	if (pid == 0) {
		char byte;

		(void)!read(go[0], &byte, 1);
		dup2(hold[0], 0);
		close(hold[1]);
		execl("/bin/cat", "cat", "-", NULL);
		_exit(1);
	}
	s = look_once(&kept);
	assert_non_null(strstr(facts_process(s->facts, pid)->hint, "test_look"));
	snapshot_unref(s);
	assert_int_equal(write(go[1], "g", 1), 1);
	wait_until_it_runs(pid, "cat");
	s = look_once(&kept);
	assert_string_equal(facts_process(s->facts, pid)->hint, "cat -");
	snapshot_unref(s);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(go[i]);
		close(hold[i]);
	}
	local_look_end(kept);
}

static void a_program_whose_file_was_replaced_says_so(void **state)
{
	char path[] = "/tmp/lt-exe-XXXXXX", bytes[16384];
	int from = open("/bin/cat", O_RDONLY), to = mkstemp(path), hold[2];
	void *kept = NULL;
	struct snapshot *s;
	pid_t pid;
	ssize_t n;

	(void)state;
	while ((n = read(from, bytes, sizeof bytes)) > 0)
		assert_int_equal(write(to, bytes, (size_t)n), n);
	fchmod(to, 0700);
	close(to);
	close(from);
	assert_int_equal(pipe(hold), 0);
	pid = fork();
	if (pid == 0) {
		dup2(hold[0], 0);
		close(hold[1]);
		execl(path, "cat", "-", NULL);
		_exit(1);
	}
	wait_until_it_runs(pid, strrchr(path, '/') + 1);
	unlink(path);
	s = look_once(&kept);
	assert_true(facts_process(s->facts, pid)->exe_deleted);
	snapshot_unref(s);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(hold[0]);
	close(hold[1]);
	local_look_end(kept);
}

static void a_disk_that_is_not_there_is_unknown(void **state)
{
	void *kept = NULL;
	struct snapshot *s = look_once(&kept);

	(void)state;
	/* one that is slow to tell is unknown until the next look */
	for (int64_t end = clock_ms() + 60000; (!s->facts->disks[0].total || !s->facts->disks[1].why[0]) && clock_ms() < end; s = look_once(&kept))
		snapshot_unref(s);
	assert_int_equal(s->facts->n_disks, 2);
	assert_true(s->facts->disks[0].total > 0 && s->facts->disks[0].free >= 0);
	assert_string_equal(s->facts->disks[1].path, "/nowhere/at/all");
	assert_int_equal(s->facts->disks[1].total, 0);
	assert_int_equal(s->facts->disks[1].inodes_free, -1);
	assert_string_equal(s->facts->disks[1].why, "No such file or directory");
	assert_string_equal(s->facts->disks[0].why, "");
	assert_true(s->facts->disks[0].device != 0 && s->facts->disks[1].device == 0);
	assert_true(s->facts->box.memory_total > 0 && s->facts->box.cores > 0 && s->facts->box.uptime > 0);
	assert_true(s->facts->hostname[0]);
	snapshot_unref(s);
	local_look_end(kept);
}

static const int64_t gib = INT64_C(1) << 30;

static bool disk_low(double total_gib, double free_gib, bool was)
{
	struct disk d = {.total = (int64_t)(total_gib * (double)gib), .free = (int64_t)(free_gib * (double)gib), .inodes_free = -1};

	return disk_is_low(&d, was);
}

static void little_is_a_twentieth_and_on_a_large_disk_a_few_gib(void **state)
{
	struct disk full = {.total = 16 << 20, .free = 0, .inodes_free = 900}, image = full, no_inodes = {.total = 100 * gib, .free = 50 * gib};
	struct box box = {.memory_total = 16 * gib, .memory_available = gib};

	(void)state;
	assert_false(disk_low(100, 5.1, false));
	assert_true(disk_low(100, 4.9, false));
	assert_true(disk_low(100, 5.1, true)); /* what goes to and fro is told once */
	assert_false(disk_low(100, 6.3, true));
	assert_false(disk_low(4000, 150, false)); /* under a twentieth, and plenty */
	assert_true(disk_low(4000, 9, false));
	assert_false(disk_low(0, 0, false)); /* it did not answer */
	assert_true(disk_is_low(&full, false));
	image.read_only = true; /* such an image is full by its nature */
	assert_false(disk_is_low(&image, false));
	assert_true(disk_is_low(&no_inodes, false));
	assert_false(memory_is_low(&box, false));
	box.memory_available = gib / 2;
	assert_true(memory_is_low(&box, false));
	box = (struct box){0};
	assert_false(memory_is_low(&box, false));
}

/* A FUSE mount whose daemon never answers: what asks it hangs, as on a dead NFS. */
static void a_disk_that_hangs_is_unknown_and_delays_nobody(void **state)
{
	char base[] = "/tmp/laketop-hang-XXXXXX", options[64];
	const char *paths[] = {base, "/", NULL};
	const char *preload = getenv("LD_PRELOAD");
	/* valgrind runs one thread at a time, and would hang with it */
	int fuse = preload && strstr(preload, "vgpreload") ? -1 : open("/dev/fuse", O_RDWR | O_CLOEXEC);
	struct disks disks = {0};
	struct disk rows[2];
	int64_t began;

	(void)state;
	if (fuse < 0)
		skip();
	assert_non_null(mkdtemp(base));
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (mount("hang", base, "fuse", 0, options) < 0) {
		close(fuse);
		rmdir(base);
		skip();
	}
	for (int i = 0, told = 0; told < 3; i++) {
		began = clock_ms();
		disks_look(&disks, paths, rows);
		assert_true(clock_ms() - began < 20000);
		assert_int_equal(rows[0].total, 0);
		told += rows[1].total > 0; /* not always at once: this machine may be busy */
		assert_true(i < 1000);
	}
	disks_free(&disks); /* while its thread still hangs */
	umount2(base, MNT_DETACH);
	close(fuse); /* it fails now, and its thread ends */
	rmdir(base);
}

/* ---- a machine that we made up: who owns what when not everybody can be seen ---- */

static char tree[64];

static void put_file(const char *name, const char *bytes, size_t len)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", tree, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(bytes, 1, len, f);
	fclose(f);
}

struct made {
	int pid, parent, started;
	const char *name, *line; /* arguments with "|" */
	unsigned uid;
	const char *cgroup;
	int socket;              /* 0: its descriptors are closed to us */
};

static void make_process(const struct made *m)
{
	char name[64], words[512];
	size_t len = strlen(m->line);

	snprintf(name, sizeof name, "%d", m->pid);
	make_folder(tree, name);
	snprintf(name, sizeof name, "%d/stat", m->pid);
	snprintf(words, sizeof words, "%d (%s) S %d 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %d 1 1\n", m->pid, m->name, m->parent, m->started);
	put_file(name, words, strlen(words));
	snprintf(name, sizeof name, "%d/status", m->pid);
	snprintf(words, sizeof words, "Name:\t%s\nUid:\t%u\t%u\t%u\t%u\n", m->name, m->uid, m->uid, m->uid, m->uid);
	put_file(name, words, strlen(words));
	snprintf(name, sizeof name, "%d/cgroup", m->pid);
	snprintf(words, sizeof words, "0::%s\n", m->cgroup);
	put_file(name, words, strlen(words));
	snprintf(words, sizeof words, "%s", m->line);
	for (size_t i = 0; i < len; i++)
		if (words[i] == '|')
			words[i] = '\0';
	snprintf(name, sizeof name, "%d/cmdline", m->pid);
	put_file(name, words, len + 1);
	if (m->socket) {
		char path[512];

		snprintf(name, sizeof name, "%d/fd", m->pid);
		make_folder(tree, name);
		snprintf(path, sizeof path, "%s/%s/7", tree, name);
		snprintf(words, sizeof words, "socket:[%d]", m->socket);
		assert_int_equal(symlink(words, path), 0);
	}
}

static void make_tree(const struct made *made, const char *tcp)
{
	snprintf(tree, sizeof tree, "/tmp/laketop-tree-XXXXXX");
	assert_non_null(mkdtemp(tree));
	make_folder(tree, "net");
	make_folder(tree, "self");
	put_file("net/tcp", tcp, strlen(tcp));
	put_file("meminfo", "MemTotal: 1 kB\n", 15);
	for (; made->pid; made++)
		make_process(made);
}

#define LISTENS(address, port, uid, inode) \
	"   0: " address ":" port " 00000000:0000 0A 00000000:00000000 00:00000000 00000000 " uid " 0 " inode " 1 x\n"

static struct snapshot *look_at_tree(struct look **look, uid_t me)
{
	struct snapshot *s = snapshot_new("host", PART_HOST);
	void *kept;

	if (!*look)
		*look = look_new(tree);
	(*look)->listeners.me = me;
	kept = *look;
	assert_true(local_look(NULL, &kept, NULL, s));
	return s;
}

/* Higangssh/homebutler #203: docker-proxy hides the owner. */
static void a_published_port_belongs_to_the_proxy_and_names_its_target(void **state)
{
	static const struct made made[] = {
		{.pid = 1, .name = "systemd", .line = "/sbin/init", .cgroup = "/init.scope"},
		{.pid = 700, .parent = 1, .started = 50, .name = "dockerd", .line = "dockerd", .cgroup = "/system.slice/docker.service", .socket = 11},
		{.pid = 900, .parent = 700, .started = 90, .name = "docker-proxy", .cgroup = "/system.slice/docker.service", .socket = 11,
			.line = "/usr/bin/docker-proxy|-proto|tcp|-host-ip|127.0.0.1|-host-port|9097|-container-ip|172.17.0.2|-container-port|8000"},
		{0}};
	struct look *look = NULL;
	const struct listener *l;
	struct snapshot *s;

	(void)state;
	make_tree(made, LISTENS("0100007F", "2389", "0", "11"));
	s = look_at_tree(&look, 0);
	l = facts_listener(s->facts, "127.0.0.1", 9097);
	assert_int_equal(l->pid, 900); /* the engine holds it for its proxy */
	assert_string_equal(l->proxied, "172.17.0.2:8000");
	assert_string_equal(l->unit, "docker.service");
	assert_true(s->facts->processes_whole);
	snapshot_unref(s);
	local_look_end(look);
	remove_tree(tree);
}

static void a_proxy_is_found_by_its_words_where_its_descriptors_are_closed(void **state)
{
	static const struct made made[] = {
		{.pid = 700, .parent = 1, .started = 50, .name = "dockerd", .line = "dockerd", .cgroup = "/system.slice/docker.service"},
		{.pid = 900, .parent = 700, .started = 90, .name = "docker-proxy", .cgroup = "/system.slice/docker.service",
			.line = "docker-proxy|-proto|tcp|-host-ip|127.0.0.1|-host-port|9098|-container-ip|172.17.0.2|-container-port|8000"},
		{.pid = 901, .parent = 700, .started = 90, .name = "docker-proxy", .cgroup = "/system.slice/docker.service",
			.line = "docker-proxy|-proto|tcp|-host-ip|0.0.0.0|-host-port|9097|-container-ip|172.17.0.3|-container-port|8000"},
		{0}};
	struct look *look = NULL;
	const struct listener *l;
	struct snapshot *s;

	(void)state;
	make_tree(made, LISTENS("00000000", "2389", "0", "11") LISTENS("00000000", "238A", "0", "12"));
	s = look_at_tree(&look, 1000);
	l = facts_listener(s->facts, "", 9097);
	assert_int_equal(l->pid, 901);
	assert_true(l->pid_probable);
	assert_string_equal(l->proxied, "172.17.0.3:8000");
	assert_int_equal(facts_listener(s->facts, "", 9098)->pid, 0); /* that proxy is for the loopback */
	assert_false(s->facts->processes_whole); /* nobody is pid 1 here: some are hidden */
	snapshot_unref(s);
	local_look_end(look);
	remove_tree(tree);
}

static struct heard *the_only(struct look *look)
{
	assert_int_equal(look->listeners.n, 1);
	return &look->listeners.at[0];
}

/* Guesses as a user without rights makes them: the socket's cgroup is known, its owner's descriptors are not. */
static pid_t guess(const struct made *made, const char *cgroup)
{
	struct look *look = NULL;
	struct snapshot *s;
	char path[512];
	struct stat st;
	struct heard *l;
	pid_t pid;

	make_tree(made, LISTENS("00000000", "2384", "999", "11"));
	make_folder(tree, "cg");
	make_folder(tree, cgroup);
	s = look_at_tree(&look, 1000);
	snapshot_unref(s);
	cgroups_free(look->cgroups);
	snprintf(path, sizeof path, "%s/cg", tree);
	look->cgroups = cgroups_new(path);
	snprintf(path, sizeof path, "%s/%s", tree, cgroup);
	assert_int_equal(stat(path, &st), 0);
	l = the_only(look);
	l->cgroup = st.st_ino;
	listeners_guess(&look->listeners, &look->processes, look->cgroups);
	pid = l->row.pid;
	assert_int_equal(l->row.pid_probable, pid != 0);
	local_look_end(look);
	remove_tree(tree);
	return pid;
}

static void a_foreign_socket_is_probably_its_cgroups_only_server(void **state)
{
	static const struct made made[] = {
		{.pid = 10, .started = 5, .name = "bash", .line = "bash", .uid = 999, .cgroup = "/lake.service"}, /* a wrapper is no server */
		{.pid = 20, .parent = 10, .started = 6, .name = "java", .line = "java", .uid = 999, .cgroup = "/lake.service"},
		{.pid = 21, .parent = 1, .started = 1, .name = "java", .line = "java", .uid = 999, .cgroup = "/other.service"},
		{.pid = 22, .parent = 1, .started = 1, .name = "java", .line = "java", .uid = 0, .cgroup = "/lake.service"},
		{0}};
	static const struct made workers[] = {
		{.pid = 20, .parent = 1, .started = 6, .name = "postgres", .line = "postgres", .uid = 999, .cgroup = "/lake.service"},
		{.pid = 30, .parent = 20, .started = 7, .name = "postgres", .line = "postgres: w", .uid = 999, .cgroup = "/lake.service"},
		{.pid = 31, .parent = 20, .started = 7, .name = "postgres", .line = "postgres: w", .uid = 999, .cgroup = "/lake.service"},
		{0}};

	(void)state;
	assert_int_equal(guess(made, "cg/lake.service"), 20);
	assert_int_equal(guess(workers, "cg/lake.service"), 20);
}

static void where_two_servers_may_own_a_socket_none_is_named(void **state)
{
	static const struct made two_kinds[] = {
		{.pid = 20, .parent = 1, .started = 6, .name = "java", .line = "java", .uid = 999, .cgroup = "/lake.service"},
		{.pid = 30, .parent = 20, .started = 7, .name = "python3", .line = "python3", .uid = 999, .cgroup = "/lake.service"},
		{0}};
	static const struct made two_clusters[] = {
		{.pid = 20, .parent = 1, .started = 6, .name = "postgres", .line = "postgres", .uid = 999, .cgroup = "/lake.service"},
		{.pid = 30, .parent = 1, .started = 7, .name = "postgres", .line = "postgres", .uid = 999, .cgroup = "/lake.service"},
		{0}};
	static const struct made nobody[] = {
		{.pid = 20, .parent = 1, .started = 6, .name = "java", .line = "java", .uid = 999, .cgroup = "/other.service"},
		{0}};

	(void)state;
	assert_int_equal(guess(two_kinds, "cg/lake.service"), 0);
	assert_int_equal(guess(two_clusters, "cg/lake.service"), 0);
	assert_int_equal(guess(nobody, "cg/lake.service"), 0);
}

static void an_owner_in_a_container_is_known_by_its_id(void **state)
{
	static const struct made made[] = {
		{.pid = 20, .parent = 1, .started = 6, .name = "docker-init", .line = "docker-init", .cgroup = "/docker/" ID},
		{.pid = 30, .parent = 20, .started = 7, .name = "java", .line = "java|-cp|x|kafka.Kafka", .cgroup = "/docker/" ID, .socket = 11},
		{0}};
	struct look *look = NULL;
	const struct listener *l;
	struct snapshot *s;

	(void)state;
	make_tree(made, LISTENS("00000000", "2384", "0", "11"));
	s = look_at_tree(&look, 0);
	l = facts_listener(s->facts, "", 9092);
	assert_int_equal(l->pid, 30);
	assert_string_equal(l->container, ID);
	assert_string_equal(facts_process(s->facts, 30)->container, ID);
	assert_string_equal(facts_process(s->facts, 30)->hint, "kafka.Kafka");
	snapshot_unref(s);
	local_look_end(look);
	remove_tree(tree);
}

static void a_pid_that_was_used_again_is_another_process(void **state)
{
	static const struct made first[] = {
		{.pid = 30, .parent = 1, .started = 700, .name = "java", .line = "java|-cp|x|kafka.Kafka", .cgroup = "/", .socket = 11}, {0}};
	static const struct made second = {.pid = 30, .parent = 1, .started = 70000, .name = "java", .line = "java|-cp|x|Master", .cgroup = "/", .socket = 11};
	struct look *look = NULL;
	struct snapshot *s;
	char path[512];

	(void)state;
	make_tree(first, LISTENS("00000000", "2384", "0", "11"));
	snapshot_unref(look_at_tree(&look, 0));
	snprintf(path, sizeof path, "%s/30", tree);
	remove_tree(path);
	make_process(&second);
	s = look_at_tree(&look, 0);
	assert_string_equal(facts_process(s->facts, 30)->hint, "Master");
	assert_true(isnan(facts_process(s->facts, 30)->cpu));
	assert_int_equal(look->listeners.searches, 2); /* its sockets were searched anew */
	snapshot_unref(s);
	local_look_end(look);
	remove_tree(tree);
}

/* ---- facts ---- */

static void a_listener_on_the_address_itself_wins_over_one_on_any(void **state)
{
	static const struct listener rows[] = {
		{.address = "*", .port = 8080}, {.address = "127.0.0.1", .port = 8080}, {.address = "[::]", .port = 8081}, {.address = "10.0.0.1", .port = 8082}};
	const struct facts f = {.listeners = rows, .n_listeners = 4};

	(void)state;
	assert_ptr_equal(facts_listener(&f, "127.0.0.1", 8080), &rows[1]);
	assert_ptr_equal(facts_listener(&f, "10.0.0.1", 8080), &rows[0]);
	assert_ptr_equal(facts_listener(&f, "", 8080), &rows[0]);
	assert_ptr_equal(facts_listener(&f, "::1", 8081), &rows[2]);
	assert_null(facts_listener(&f, "127.0.0.1", 8081)); /* it is for IPv6 only */
	assert_null(facts_listener(&f, "127.0.0.1", 8082));
	assert_null(facts_listener(&f, "", 1));
	assert_null(facts_listener(NULL, "", 1));
}

static void containers_are_found_by_id_by_name_and_by_what_they_publish(void **state)
{
	static const struct container rows[] = {
		{.id = ID, .name = "web", .ports = "*:4040-4045->4040-4045, 127.0.0.1:9097->8000, [::1]:9098->1"},
		{.id = OTHER_ID, .name = "dns", .ports = "*:53->53/udp, *:8088->80"}};
	const struct facts f = {.containers = rows, .n_containers = 2};

	(void)state;
	assert_ptr_equal(facts_container(&f, ID), &rows[0]);
	assert_ptr_equal(facts_container(&f, "dns"), &rows[1]);
	assert_null(facts_container(&f, ""));
	assert_null(facts_container(&f, "we"));
	assert_ptr_equal(facts_publisher(&f, 9097), &rows[0]);
	assert_ptr_equal(facts_publisher(&f, 9098), &rows[0]);
	assert_ptr_equal(facts_publisher(&f, 4043), &rows[0]);
	assert_ptr_equal(facts_publisher(&f, 8088), &rows[1]);
	assert_null(facts_publisher(&f, 53)); /* UDP */
	assert_null(facts_publisher(&f, 8000)); /* inside */
	assert_null(facts_publisher(NULL, 8000));
	assert_null(facts_process(NULL, 1));
	assert_null(facts_process(&f, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_jvm_is_named_by_its_main_class),
		cmocka_unit_test(a_program_is_named_by_its_last_part_and_its_arguments),
		cmocka_unit_test(a_title_is_no_path),
		cmocka_unit_test(spark_submit_says_first_what_tells_its_server),
		cmocka_unit_test(secrets_are_masked_and_their_keys_stay),
		cmocka_unit_test(an_invisible_character_does_not_hide_a_key),
		cmocka_unit_test(a_hint_is_clean_and_cut_at_a_character),
		cmocka_unit_test(a_password_that_is_cut_off_by_the_end_is_still_masked),
		cmocka_unit_test(a_name_may_hold_what_ends_it),
		cmocka_unit_test(a_unit_is_what_systemctl_shows),
		cmocka_unit_test(a_path_names_its_container_or_its_unit),
		cmocka_unit_test(a_hybrid_system_tells_the_container_in_any_of_its_hierarchies),
		cmocka_unit_test(the_cgroup2_mount_is_where_mountinfo_says),
		cmocka_unit_test(a_cgroup_id_is_the_inode_of_its_folder),
		cmocka_unit_test(the_box_reads_its_numbers_and_knows_what_it_does_not_know),
		cmocka_unit_test(proc_net_tcp_gives_only_what_listens),
		cmocka_unit_test(an_ipv4_address_in_ipv6_clothes_is_an_ipv4_address),
		cmocka_unit_test(sock_diag_tells_the_cgroup_and_who_is_for_ipv6_only),
		cmocka_unit_test(a_broken_answer_of_sock_diag_is_refused_or_ends),
		cmocka_unit_test(a_docker_proxy_says_whom_it_stands_for),
		cmocka_unit_test(a_listener_is_seen_with_its_address_and_its_owner_by_both_sources),
		cmocka_unit_test(both_families_on_one_port_are_two_rows_by_both_sources),
		cmocka_unit_test(descriptors_are_read_only_when_the_sockets_change),
		cmocka_unit_test(workers_that_share_a_socket_leave_it_to_their_master),
		cmocka_unit_test(a_socket_whose_owner_ended_is_its_workers),
		cmocka_unit_test(a_process_is_seen_from_its_start_to_its_end),
		cmocka_unit_test(a_process_that_becomes_another_program_gets_its_words),
		cmocka_unit_test(a_program_whose_file_was_replaced_says_so),
		cmocka_unit_test(a_disk_that_is_not_there_is_unknown),
		cmocka_unit_test(little_is_a_twentieth_and_on_a_large_disk_a_few_gib),
		cmocka_unit_test(a_disk_that_hangs_is_unknown_and_delays_nobody),
		cmocka_unit_test(a_published_port_belongs_to_the_proxy_and_names_its_target),
		cmocka_unit_test(a_proxy_is_found_by_its_words_where_its_descriptors_are_closed),
		cmocka_unit_test(a_foreign_socket_is_probably_its_cgroups_only_server),
		cmocka_unit_test(where_two_servers_may_own_a_socket_none_is_named),
		cmocka_unit_test(an_owner_in_a_container_is_known_by_its_id),
		cmocka_unit_test(a_pid_that_was_used_again_is_another_process),
		cmocka_unit_test(a_listener_on_the_address_itself_wins_over_one_on_any),
		cmocka_unit_test(containers_are_found_by_id_by_name_and_by_what_they_publish),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
