// SPDX-License-Identifier: MIT
/*
 * Profiles: what a file may say, what is said of a file that is wrong, where one is found by name,
 * and what the built-in one takes from a checkout. Files are in memory; no disk is touched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "catalog.h"
#include "log.h"
#include "json.h"
#include "profile.h"

#include "../../backend/engine/checkout.h"

/* ---- a host of a few files ---- */

struct file {
	const char *path, *content;
	unsigned mode;
};

static const struct file *files;

static const struct file *file_of(const char *path)
{
	for (const struct file *f = files; f && f->path; f++)
		if (!strcmp(f->path, path))
			return f;
	return NULL;
}

static bool fake_read(struct host *h, const char *path, struct buf *out, struct err *err)
{
	const struct file *f = file_of(path);

	(void)h;
	if (!f)
		return err_set(err, ERR_SYSTEM, "%s: No such file or directory", path);
	return buf_puts(out, f->content) || err_set(err, ERR_LIMIT, "%s: too large", path);
}

static bool fake_stat(struct host *h, const char *path, struct file_facts *out, struct err *err)
{
	const struct file *f = file_of(path);

	(void)h;
	(void)err;
	*out = (struct file_facts){.exists = f != NULL, .mode = f ? f->mode : 0};
	return true;
}

static bool fake_list(struct host *h, const char *path, bool (*each)(void *ctx, const char *name), void *ctx, struct err *err)
{
	size_t len = strlen(path);
	bool any = false;

	(void)h;
	(void)err;
	for (const struct file *f = files; f && f->path; f++)
		if (!strncmp(f->path, path, len) && f->path[len] == '/' && !strchr(f->path + len + 1, '/')) {
			any = true;
			if (!each(ctx, f->path + len + 1))
				break;
		}
	return any;
}

static struct host fake_host = {.name = "test", .read_file = fake_read, .stat = fake_stat, .list = fake_list};

static int set_up(void **state)
{
	(void)state;
	files = NULL;
	setenv("HOME", "/home/ana", 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("LAKEHOUSE_HOME");
	return 0;
}

static struct profile *parsed(const char *ini)
{
	struct err err = {0};
	struct profile *p = profile_parse(&fake_host, text_of(ini), "/etc/laketop/pocket.ini", &err);

	if (!p)
		fail_msg("%s", err.words);
	return p;
}

static bool logged(const char *part)
{
	static struct log_line lines[64];
	size_t n = log_read(lines, 64);

	for (size_t i = 0; i < n; i++)
		if (strstr(lines[i].words, part))
			return true;
	return false;
}

/* ---- what a file may say ---- */

static void the_example_of_the_readme_is_a_profile(void **state)
{
	static const struct file with[] = {{"/home/ana/.config/laketop/lake.secret", "a", 0600}, {"/home/ana/.config/laketop/s3.secret", "b", 0600},
		{"/home/ana/.config/laketop/polaris.secret", "c", 0600}, {0}};
	static char readme[64 << 10];
	FILE *f = fopen("README.md", "re");
	struct profile *p;
	char *begin, *end;

	(void)state;
	assert_non_null(f);
	readme[fread(readme, 1, sizeof readme - 1, f)] = '\0';
	assert_int_equal(fclose(f), 0);
	begin = strstr(readme, "```ini\n");
	assert_non_null(begin);
	end = strstr(begin += 7, "```");
	assert_non_null(end);
	*end = '\0';
	files = with;
	p = parsed(begin);
	assert_string_equal(p->name, "talk");
	assert_int_equal(p->n_services, 6);
	assert_int_equal(p->n_runbooks, 1);
	profile_free(p);
}

static void every_key_arrives(void **state)
{
	static const struct file with[] = {{"/run/secret/pg", "s3cr\xc3\xa9t \n", 0600}, {"/etc/laketop/tok", "t", 0600}, {0}};
	struct profile *p;
	const struct expectation *e;

	(void)state;
	files = with;
	p = parsed("[laketop]\nprofile = talk\n\n[host]\ndisks = / /srv\n[ui]\ntheme = paper\nrefresh = 500ms\n"
		"[service postgres]\n"
		"kind = postgres\nport = 5433\naddress = ::1\nversion = 15\nrequired = no\ncontainer = pg\nunit = postgresql\n"
		"process = postgres -D\npidfile = /run/pg.pid\nconfig = a.conf, /etc/b.conf\njars = \"my jars\"\nprogress = ~/progress/pg\n"
		"grace = 2min\ngroup = metadata\nuser = lake\npassword_file = /run/secret/pg\ntoken_file = tok\ndatabase = iceberg\n"
		"mute = stale lag\nneeds = kafka\n"
		"[service kafka]\nkind = kafka\n"
		"[stream orders]\ncheckpoint = check/orders\nkafka = kafka\n"
		"[demo talk]\nservices = postgres, kafka\n");
	assert_string_equal(p->name, "talk");
	assert_string_equal(p->path, "/etc/laketop/pocket.ini");
	assert_string_equal(p->disks[1], "/srv");
	assert_null(p->disks[2]);
	assert_string_equal(p->theme, "paper");
	assert_int_equal(p->refresh_ms, 500);
	assert_int_equal(p->n_services, 2);
	e = profile_service(p, "postgres");
	assert_non_null(e);
	assert_ptr_equal(e->kind, service_kind_named("postgres"));
	assert_int_equal(e->n_ports, 1);
	assert_int_equal(e->ports[0].port, 5433);
	assert_null(e->ports[0].role);
	assert_string_equal(e->address, "::1");
	assert_string_equal(e->version, "15");
	assert_string_equal(e->version_from, "profile");
	assert_false(e->required);
	assert_string_equal(e->container, "pg");
	assert_string_equal(e->unit, "postgresql");
	assert_string_equal(e->process, "postgres -D");
	assert_string_equal(e->pidfile, "/run/pg.pid");
	assert_string_equal(e->config[0], "/etc/laketop/a.conf"); /* from the profile's folder */
	assert_string_equal(e->config[1], "/etc/b.conf");
	assert_null(e->config[2]);
	assert_string_equal(e->jars[0], "/etc/laketop/my jars");
	assert_string_equal(e->progress, "/home/ana/progress/pg");
	assert_int_equal(e->grace_ms, 120000);
	assert_string_equal(e->group, "metadata");
	assert_string_equal(e->credentials.user, "lake");
	assert_string_equal(e->credentials.password, "s3cr\xc3\xa9t "); /* only the line's end is no part of it */
	assert_string_equal(e->credentials.token, "t");
	assert_string_equal(e->credentials.database, "iceberg");
	assert_string_equal(e->mute[1], "lag");
	assert_string_equal(e->needs[0], "kafka");
	assert_null(e->needs[1]);
	assert_string_equal(profile_demo(p, "talk")->services[1], "kafka");
	assert_int_equal(p->n_streams, 1);
	assert_string_equal(profile_stream(p, "orders")->checkpoint, "/etc/laketop/check/orders");
	assert_string_equal(profile_stream(p, "orders")->kafka, "kafka");
	assert_null(profile_stream(p, "orders")->storage);
	assert_null(profile_stream(p, "talk"));
	profile_free(p);
}

static void a_checkpoint_is_where_its_url_says(void **state)
{
	struct profile *p = parsed(
		"[service weed]\nkind = seaweedfs\n[service minio]\nkind = other\nport = 9000\n[service both]\nkind = other\nport = 1\nport.s3 = 2\n"
		"[stream a]\ncheckpoint = s3a://lake/check/a\nstorage = weed\n"
		"[stream b]\ncheckpoint = s3://lake\nstorage = minio\n"
		"[stream c]\ncheckpoint = file:///srv/c\n"
		"[stream d]\ncheckpoint = ~/d\n");

	(void)state;
	assert_int_equal(p->n_streams, 4);
	assert_string_equal(p->streams[0].checkpoint, "s3a://lake/check/a");
	assert_null(p->streams[0].kafka);
	assert_string_equal(p->streams[2].checkpoint, "file:///srv/c");
	assert_string_equal(p->streams[3].checkpoint, "/home/ana/d");
	assert_int_equal(expected_s3_port(profile_service(p, "weed")), 8333);
	assert_int_equal(expected_s3_port(profile_service(p, "minio")), 9000);
	assert_int_equal(expected_s3_port(profile_service(p, "both")), 2);
	assert_int_equal(expected_s3_port(NULL), 0);
	profile_free(p);
}

static void a_catalog_is_who_knows_of_tables(void **state)
{
	static const struct file with[] = {{"/run/secret/other", "0ther\n", 0600}, {"/run/secret/pg", "s3cret\n", 0600}, {0}};
	const struct catalog *c;
	struct credentials who;
	struct profile *p;

	(void)state;
	files = with;
	p = parsed("[catalog lake]\nkind = iceberg-jdbc\nservice = pg\nwarehouse = lake\nstorage = weed\nengine = connect\nengine_catalog = ice\n"
		"[catalog own]\nkind = iceberg-jdbc\nservice = pg\nrole = server\nuser = ana\npassword_file = /run/secret/other\n"
		"[service pg]\nkind = postgres\nuser = lake\npassword_file = /run/secret/pg\ndatabase = iceberg\n"
		"[service weed]\nkind = seaweedfs\n[service connect]\nkind = spark-connect\n");
	assert_int_equal(p->n_catalogs, 2);
	c = profile_catalog(p, "lake");
	assert_ptr_equal(c->kind, catalog_kind_named("iceberg-jdbc"));
	assert_ptr_equal(c->service, profile_service(p, "pg"));
	assert_string_equal(c->warehouse, "lake");
	assert_string_equal(c->storage, "weed");
	assert_string_equal(c->engine, "connect");
	assert_string_equal(c->engine_catalog, "ice");
	assert_null(c->folders);
	who = catalog_credentials(c);
	assert_string_equal(who.user, "lake");
	assert_string_equal(who.password, "s3cret");
	assert_string_equal(who.database, "iceberg");
	who = catalog_credentials(profile_catalog(p, "own"));
	assert_string_equal(who.user, "ana");
	assert_string_equal(who.password, "0ther");
	assert_string_equal(who.database, "iceberg");
	assert_null(profile_catalog(p, "lak"));
	profile_free(p);
}

static void what_is_silent_has_its_default(void **state)
{
	struct profile *p = parsed("[service kafka]\nkind = kafka\n");
	const struct expectation *e = &p->services[0];

	(void)state;
	assert_string_equal(p->name, "pocket");
	assert_string_equal(p->disks[0], "/");
	assert_null(p->theme);
	assert_int_equal(p->refresh_ms, 0);
	assert_int_equal(e->ports[0].port, 9092);
	assert_string_equal(e->address, "127.0.0.1");
	assert_string_equal(e->group, "streams");
	assert_true(e->required);
	assert_null(e->version);
	assert_null(e->version_from);
	assert_null(e->container);
	assert_null(e->needs);
	assert_null(e->credentials.password);
	profile_free(p);
}

static void the_main_port_comes_first_however_it_was_named(void **state)
{
	struct profile *p = parsed(
		"[service a]\nkind = spark-master\nport.rpc = 7078\nport = 8082\n"
		"[service b]\nkind = spark-master\nport.rpc = 7077\nport.ui = 8080\n"
		"[service c]\nkind = spark-master\nport.rpc = 7079\n"       /* rpc is never asked: the usual one stays */
		"[service d]\nkind = seaweedfs\nport.s3 = 8333\n"           /* only its S3 can be reached */
		"[service e]\nkind = other\nport.web = 3001\nport.api = 5001\n");

	(void)state;
	assert_int_equal(p->services[0].ports[0].port, 8082);
	assert_int_equal(expected_role_port(&p->services[0], "rpc"), 7078);
	assert_int_equal(expected_role_port(&p->services[0], "ui"), 8082); /* its main part, by name */
	assert_int_equal(expected_role_port(&p->services[0], NULL), 8082);
	assert_int_equal(p->services[1].ports[0].port, 8080);
	assert_null(p->services[1].ports[0].role);
	assert_int_equal(p->services[2].ports[0].port, 8080);
	assert_int_equal(p->services[2].n_ports, 2);
	assert_int_equal(p->services[3].n_ports, 1);
	assert_int_equal(p->services[3].ports[0].port, 8333);
	assert_string_equal(p->services[3].ports[0].role, "s3");
	assert_null(p->services[4].kind);
	assert_int_equal(p->services[4].ports[0].port, 3001);
	assert_int_equal(expected_role_port(&p->services[4], "nothing"), 0);
	profile_free(p);
}

static void layout_is_free(void **state)
{
	struct profile *p = parsed("\xef\xbb\xbf; a comment\r\n# another\r\n[ service   kafka ]\r\n   kind = kafka ; inline\r\n\tport: 9094\r\n"
		"  needs = zk\r\n  needs = pg\r\nconfig = a\r\nconfig = b c\r\n\r\n[service zk]\r\nkind=zookeeper\r\n[service pg]\r\nkind=postgres\r\naddress = localhost");
	const struct expectation *e = profile_service(p, "kafka");

	(void)state;
	assert_non_null(e->kind);
	assert_int_equal(e->ports[0].port, 9094);
	assert_string_equal(e->needs[0], "zk");
	assert_string_equal(e->needs[1], "pg"); /* a list goes on where its key is named again */
	assert_string_equal(e->config[2], "/etc/laketop/c");
	assert_string_equal(profile_service(p, "pg")->address, "127.0.0.1");
	profile_free(p);
}

static void a_long_line_is_one_line(void **state)
{
	char ini[3000] = "[service kafka]\nkind = kafka\nconfig =";
	struct profile *p;

	(void)state;
	for (int i = 0; i < 60; i++)
		snprintf(ini + strlen(ini), sizeof ini - strlen(ini), " /a/rather/long/path/to/a/file-%02d.conf", i);
	p = parsed(ini);
	assert_string_equal(p->services[0].config[59], "/a/rather/long/path/to/a/file-59.conf");
	assert_null(p->services[0].config[60]);
	profile_free(p);
}

static void spans_have_units(void **state)
{
	static const struct {
		const char *words;
		int64_t ms;
	} rows[] = {{"90", 90000}, {"90s", 90000}, {"1500 ms", 1500}, {"2m", 120000}, {"2min", 120000}, {"1h", 3600000}, {"1d",
		86400000}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char ini[80];
		struct profile *p;

		snprintf(ini, sizeof ini, "[service a]\nkind = kafka\ngrace = %s\n", rows[i].words);
		p = parsed(ini);
		assert_int_equal(p->services[0].grace_ms, rows[i].ms);
		profile_free(p);
	}
}

static void a_password_may_come_from_the_environment(void **state)
{
	struct profile *p;

	(void)state;
	setenv("LAKETOP_TEST_PASSWORD", "from env", 1);
	unsetenv("LAKETOP_TEST_TOKEN");
	p = parsed("[service pg]\nkind = postgres\npassword_env = LAKETOP_TEST_PASSWORD\ntoken_env = LAKETOP_TEST_TOKEN\n");
	assert_string_equal(p->services[0].credentials.password, "from env");
	assert_null(p->services[0].credentials.token); /* unset is a matter of this shell, not an error of the profile */
	assert_true(logged("LAKETOP_TEST_TOKEN, which is not set"));
	profile_free(p);
}

static void a_password_file_that_others_can_read_is_noticed(void **state)
{
	static const struct file with[] = {{"/s/open", "x", 0644}, {"/s/private", "x", 0600}, {0}};

	(void)state;
	files = with;
	profile_free(parsed("[service a]\nkind = postgres\npassword_file = /s/private\n"));
	assert_false(logged("/s/private"));
	profile_free(parsed("[service a]\nkind = postgres\npassword_file = /s/open\n"));
	assert_true(logged("/s/open can be read by others: chmod 600"));
}

/* ---- what is said of a file that is wrong ---- */

struct wrong {
	const char *name, *ini, *says; /* after "/etc/laketop/pocket.ini:" */
};

#define KAFKA "[service kafka]\nkind = kafka\n"
#define PG "[service pg]\nkind = postgres\n"

static const struct wrong wrongs[] = {
	{"a port that is no number", KAFKA "\nport = 80a81\n", "4: port \"80a81\" is not a number from 1 to 65535"},
	{"port 0", KAFKA "port = 0\n", "3: port \"0\" is not a number from 1 to 65535"},
	{"a port beyond 65535", KAFKA "port.controller = 65536\n", "3: port \"65536\" is not a number from 1 to 65535"},
	{"a negative port", KAFKA "port = -1\n", "3: port \"-1\" is not"},
	{"a misspelt key", KAFKA "prot = 1\n", "3: unknown key in [service]: \"prot\": did you mean port?"},
	{"a key of nowhere", "[ui]\ncolour = red\n", "2: unknown key in [ui]: \"colour\"; keys: theme, refresh"},
	{"a misspelt section", "[servce kafka]\nkind = kafka\n",
		"1: unknown section \"servce\": did you mean service? sections: service, demo"},
	{"a misspelt kind", "[service a]\nkind = kafak\n", "2: unknown kind \"kafak\": did you mean kafka?"},
	{"an unheard-of kind", "[service a]\nkind = elasticsearch\n", "2: unknown kind \"elasticsearch\"; kinds: postgres, "},
	{"a misspelt part", KAFKA "port.contoller = 9093\n", "3: unknown part of its kind: \"contoller\": did you mean controller?"},
	{"a service without a kind", "[service a]\nport = 1\n[service b]\nkind = kafka\n", "1: service \"a\" has no kind"},
	{"a service without a key at all", KAFKA "[service b]\n", "3: service \"b\" has no kind"},
	{"a service of no kind and no port", "[service a]\nkind = other\n", "1: service \"a\" has no port"},
	{"a service that is there twice", KAFKA KAFKA, "3: service \"kafka\" is there already, from line 1"},
	{"a key that is set twice", KAFKA "version = 4.0\nversion = 4.1\n", "4: \"version\" is set twice"},
	{"a port that is set twice", KAFKA "port = 1\nport = 2\n", "4: \"port\" is set twice"},
	{"a part that is set twice", KAFKA "port.controller = 1\nport.controller = 2\n", "4: \"port.controller\" is set twice"},
	{"needs of an unknown service", KAFKA "needs = zookeper\n[service zookeeper]\nkind = zookeeper\n",
		"3: needs unknown service \"zookeper\": did you mean zookeeper?"},
	{"needs that lead back", KAFKA "needs = b\n[service b]\nkind = postgres\nneeds = kafka\n",
		"3: needs of \"kafka\" lead back to itself"},
	{"needs of itself", KAFKA "needs = kafka\n", "3: needs of \"kafka\" lead back to itself"},
	{"a demo with an unknown service", KAFKA "[demo talk]\nservices = kafka, sparc\n",
		"3: demo with unknown service \"sparc\"; services: kafka"},
	{"a stream without a checkpoint", KAFKA "[stream s]\nkafka = kafka\n",
		"3: stream \"s\" has no checkpoint (checkpoint = file:/path or s3://bucket/key)"},
	{"a stream that is there twice", "[stream s]\ncheckpoint = /a\n[stream s]\n", "3: stream \"s\" is there already, from line 1"},
	{"a stream of an unknown Kafka", KAFKA "[stream s]\ncheckpoint = /a\nkafka = kafak\n",
		"5: kafka = unknown service \"kafak\": did you mean kafka?"},
	{"a stream that reads a database", "[service pg]\nkind = postgres\n[stream s]\ncheckpoint = /a\nkafka = pg\n",
		"5: kafka = \"pg\" is no Kafka: its kind is postgres"},
	{"a checkpoint on s3 and no s3", "[stream s]\n\ncheckpoint = s3a://lake/c\n", "3: a checkpoint on s3 needs storage = SERVICE"},
	{"a checkpoint on an unknown s3", KAFKA "[stream s]\ncheckpoint = s3://lake/c\nstorage = weed\n",
		"5: storage = unknown service \"weed\"; services: kafka"},
	{"an s3 that is none", KAFKA "[stream s]\ncheckpoint = s3://lake/c\nstorage = kafka\n",
		"5: storage = \"kafka\" has no S3: its kind is kafka"},
	{"an s3 for a file", "[service weed]\nkind = seaweedfs\n[stream s]\ncheckpoint = /a\nstorage = weed\n",
		"5: storage is for a checkpoint on s3, and this one is a file"},
	{"a checkpoint elsewhere", "[stream s]\ncheckpoint = hdfs://nn/c\n",
		"2: checkpoint: hdfs://nn/c: is neither /path, file:/path, s3://bucket/key nor s3a://bucket/key"},
	{"a checkpoint on another machine", "[stream s]\ncheckpoint = file://nas/c\n", "2: checkpoint: file://nas/c: a file on another machine"},
	{"a bucket that is none", "[stream s]\ncheckpoint = s3://key:secret@lake/c\n", "2: checkpoint: s3: \"...\" is no name of a bucket"},
	{"a misspelt key of a stream", "[stream s]\ncheckpiont = /a\n", "2: unknown key in [stream]: \"checkpiont\": did you mean checkpoint?"},
	{"a catalog without a kind", "[catalog c]\nservice = pg\n", "1: catalog \"c\" has no kind (kind = iceberg-jdbc)"},
	{"a catalog of an unknown kind", "[catalog c]\nkind = iceberg-jdbx\n", "2: unknown kind of catalog \"iceberg-jdbx\": did you mean iceberg-jdbc?"},
	{"a catalog that nobody answers", "\n[catalog c]\nkind = iceberg-jdbc\n", "2: catalog \"c\" has no service (service = NAME"},
	{"a catalog of an unknown service", KAFKA "[catalog c]\nkind = iceberg-jdbc\nservice = pg\n", "5: service = unknown service \"pg\"; services: kafka"},
	{"a catalog in no database", KAFKA "[catalog c]\nkind = iceberg-jdbc\nservice = kafka\n",
		"5: service = \"kafka\" is no PostgreSQL, where an Iceberg JDBC catalog is: its kind is kafka"},
	{"an unknown part of a service", PG "[catalog c]\nkind = iceberg-jdbc\nservice = pg\nrole = servr\n",
		"6: role = unknown part of that service: \"servr\": did you mean server?"},
	{"a storage that is none", PG "[catalog c]\nkind = iceberg-jdbc\nservice = pg\nstorage = pg\n",
		"6: storage = \"pg\" has no S3: its kind is postgres"},
	{"an engine that is none", PG "[catalog c]\nkind = iceberg-jdbc\nservice = pg\nengine = pg\n",
		"6: engine = \"pg\" takes no SQL: its kind is postgres (spark-connect and trino do)"},
	{"folders of a catalog that has its own", PG "[catalog c]\nkind = iceberg-jdbc\nservice = pg\nfolders = /a\n",
		"6: folders are for kind = delta: a catalog of kind iceberg-jdbc lists its own"},
	{"a folder elsewhere", PG "[catalog c]\nfolders = hdfs://nn/c\n", "4: folders: hdfs://nn/c: is neither /path"},
	{"a path that is none", PG "[catalog c]\npath = api/catalog\n", "4: path \"api/catalog\" does not begin with /"},
	{"a catalog that is there twice", "[catalog c]\nkind = iceberg-jdbc\n[catalog c]\n", "3: catalog \"c\" is there already, from line 1"},
	{"a misspelt key of a catalog", "[catalog c]\nwarehose = x\n", "2: unknown key in [catalog]: \"warehose\": did you mean warehouse?"},
	{"a demo of nothing", KAFKA "[demo talk]\n", "3: demo \"talk\" names no services"},
	{"a demo that is there twice", KAFKA "[demo t]\nservices = kafka\n[demo t]\n", "5: demo \"t\" is there already, from line 3"},
	{"neither yes nor no", KAFKA "required = maybe\n", "3: required = \"maybe\" is neither yes nor no"},
	{"no time", KAFKA "grace = soon\n", "3: grace = \"soon\" is not a time such as 90s, 2min or 500ms"},
	{"no time at all", KAFKA "grace = 0\n", "3: grace must be more than nothing"},
	{"a refresh that would burn the machine", "[ui]\nrefresh = 1ms\n", "2: refresh is from 200ms to 1h"},
	{"a name for an address", KAFKA "address = broker.local\n", "3: address \"broker.local\" is not numeric: 127.0.0.1, ::1"},
	{"a password file that is not there", KAFKA "password_file = nowhere\n",
		"3: password_file: /etc/laketop/nowhere: No such file"},
	{"an empty password file", KAFKA "password_file = /s/empty\n", "3: password_file: /s/empty is empty"},
	{"a key before any section", "kind = kafka\n", "1: \"kind\" stands before the first section"},
	{"a key without a value", KAFKA "version =\n", "3: \"version\" says nothing"},
	{"a line that is none", KAFKA "what is this\n", "3: this is neither [section] nor key = value"},
	{"a section that does not end", "[service kafka\nkind = kafka\n", "1: this is neither [section] nor key = value"},
	{"a service without a name", "[service]\nkind = kafka\n", "1: [service NAME] needs a name"},
	{"a name with a blank", "[service my kafka]\nkind = kafka\n", "1: [service NAME] needs a name"},
	{"a name for what has none", "[ui dark]\n", "1: section [ui] has no name"},
	{"control characters", KAFKA "version = 4\x1b[31m\n", "3: this is not text"},
	{"the first of two errors", KAFKA "prot = 1\nport = x\n", "3: unknown key"},
	{"an error of grammar before another", "[service kafka]\nnonsense\nprot = 1\n", "2: this is neither"},
};

static void the_error_says_what_and_where(void **state)
{
	static const struct file with[] = {{"/s/empty", "\n", 0600}, {0}};
	const struct wrong *row = *state;
	struct err err = {0};
	const char *begin = "/etc/laketop/pocket.ini:";

	set_up(state);
	files = with;
	assert_null(profile_parse(&fake_host, text_of(row->ini), "/etc/laketop/pocket.ini", &err));
	assert_int_equal(err.code, ERR_USAGE);
	if (strncmp(err.words, begin, strlen(begin)) != 0 || strncmp(err.words + strlen(begin), row->says, strlen(row->says)) != 0)
		fail_msg("%s", err.words);
}

static void there_is_a_limit_to_everything(void **state)
{
	size_t size = 2 << 20;
	char *ini = calloc(1, size), *end = ini;
	struct err err = {0};
	struct file with[] = {{"/p/big.ini", ini, 0600}, {0}};

	(void)state;
	for (int i = 0; i < 201; i++)
		end += snprintf(end, 64, "[service s%d]\nkind = kafka\n", i);
	assert_null(profile_parse(&fake_host, text_of(ini), "many.ini", &err));
	assert_string_equal(err.words, "many.ini:401: more than 200 services");
	memset(ini, 'x', 5000);
	ini[5000] = '\0';
	assert_null(profile_parse(&fake_host, text_of(ini), "long.ini", &err));
	assert_string_equal(err.words, "long.ini:1: a line has at most 4000 bytes");
	memset(ini, '\n', size - 1);
	files = with;
	assert_null(profile_load(&fake_host, "/p/big.ini", &err));
	assert_string_equal(err.words, "/p/big.ini: is larger than 1 MiB");
	free(ini);
}

static void a_profile_cut_anywhere_is_an_error_or_a_profile(void **state)
{
	static const char whole[] = "[laketop]\nprofile = p\n[service a]\nkind = kafka\nport.controller = 9093\nneeds = b\nmute = x, \"y z\"\n"
		"[service b]\nkind = other\nport = 1\ngrace = 10s\n[stream s]\ncheckpoint = s3://l/c\nkafka = a\nstorage = b\n"
		"[demo d]\nservices = a b\n[host]\ndisks = /\n";

	(void)state;
	for (size_t len = 0; len < sizeof whole; len++) {
		struct err err = {0};
		struct profile *p = profile_parse(&fake_host, (struct text){whole, len}, "cut.ini", &err);

		assert_int_equal(p == NULL, err.code == ERR_USAGE);
		profile_free(p);
	}
}

/* ---- where one is found ---- */

static void a_name_is_looked_for_at_the_users_then_at_the_machines(void **state)
{
	static const struct file with[] = {
		{"/etc/laketop/talk.ini", "[service machine]\nkind = kafka\n", 0644},
		{"/etc/laketop/only.ini", "[service only]\nkind = kafka\n", 0644},
		{"/home/ana/.config/laketop/talk.ini", "[service user]\nkind = kafka\n", 0644},
		{"/xdg/laketop/talk.ini", "[service xdg]\nkind = kafka\n", 0644},
		{"/here/talk.ini", "[service here]\nkind = kafka\n", 0644},
		{0}};
	static const struct {
		const char *asked, *xdg, *found, *name;
	} rows[] = {
		{"talk", NULL, "user", "talk"}, {"talk", "/xdg", "xdg", "talk"}, {"only", NULL, "only", "only"}, {"/here/talk.ini", NULL,
			"here", "talk"},
	};

	(void)state;
	files = with;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err err = {0};
		struct profile *p;

		if (rows[i].xdg)
			setenv("XDG_CONFIG_HOME", rows[i].xdg, 1);
		else
			unsetenv("XDG_CONFIG_HOME");
		p = profile_load(&fake_host, rows[i].asked, &err);
		assert_non_null(p);
		assert_non_null(profile_service(p, rows[i].found));
		assert_string_equal(p->name, rows[i].name);
		profile_free(p);
	}
}

static void an_unknown_name_lists_what_there_is(void **state)
{
	static const struct file with[] = {
		{"/etc/laketop/talk.ini", "", 0644}, {"/etc/laketop/notes.txt", "", 0644}, {"/home/ana/.config/laketop/pocket.ini", "",
			0644}, {0}};
	struct err err = {0};

	(void)state;
	files = with;
	assert_null(profile_load(&fake_host, "tlak", &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.words,
		"no profile \"tlak\" in ~/.config/laketop or /etc/laketop; there are: lakehouse-at-home, pocket, talk");
	assert_null(profile_load(&fake_host, "./nowhere.ini", &err));
	assert_string_equal(err.words, "./nowhere.ini: No such file or directory");
}

/* What it wrote of its runs and changes is found again by it. */
static void its_place_is_what_comes_back_out_of_a_log(void **state)
{
	static const struct file with[] = {{"/p/lat\xe9in\n.ini", "[laketop]\nprofile = p\n", 0644}, {0}};
	struct profile *p;
	struct json_writer w;
	struct json *j;
	struct buf line;

	(void)state;
	files = with;
	p = profile_load(&fake_host, "/p/lat\xe9in\n.ini", NULL);
	assert_non_null(p);
	buf_init(&line, 1000);
	json_begin(&w, &line, false);
	json_open(&w, NULL, '{');
	json_put_text(&w, "file", p->place);
	json_close(&w, '}');
	j = json_parse(buf_text(&line), NULL);
	assert_string_equal(json_string(json_get(j, "file")), p->place);
	json_free(j);
	buf_free(&line);
	profile_free(p);
}

static void without_a_profile_everything_is_found(void **state)
{
	struct profile *p = profile_load(&fake_host, NULL, NULL);

	(void)state;
	assert_non_null(p);
	assert_null(p->name);
	assert_int_equal(p->n_services, 0);
	assert_string_equal(p->disks[0], "/");
	assert_null(profile_service(p, "kafka"));
	assert_null(profile_demo(p, "talk"));
	profile_free(p);
	profile_free(NULL);
}

/* ---- the reference stack ---- */

static struct profile *lakehouse(const struct file *with)
{
	struct err err = {0};
	struct profile *p;

	files = with;
	p = profile_load(&fake_host, "lakehouse-at-home", &err);
	if (!p)
		fail_msg("%s", err.words);
	return p;
}

static void without_a_checkout_no_version_is_expected(void **state)
{
	struct profile *p = lakehouse(NULL);

	(void)state;
	assert_string_equal(p->name, "lakehouse-at-home");
	assert_string_equal(p->path, "built in");
	assert_null(p->project);
	assert_int_equal(p->n_services, 20);
	for (size_t i = 0; i < p->n_services; i++) {
		assert_null(p->services[i].version);
		assert_null(p->services[i].config);
		assert_null(p->services[i].credentials.password);
		assert_non_null(p->services[i].group);
	}
	assert_int_equal(profile_service(p, "spark-master-41")->ports[0].port, 8082);
	assert_int_equal(expected_role_port(profile_service(p, "zookeeper"), "admin"), 9999);
	assert_string_equal(profile_service(p, "kafka")->container, "kafka");
	assert_false(profile_service(p, "unity-catalog")->required);
	assert_string_equal(profile_catalog(p, "iceberg")->engine, "spark-connect");
	profile_free(p);
}

/* Shortened from lisancao/lakehouse-at-home, compose files of 2026-05 */
static const struct file at_home[] = {
	{"/home/ana/lakehouse-at-home/lakehouse", "#!/bin/bash\n", 0755},
	{"/home/ana/lakehouse-at-home/.env",
		"# PostgreSQL\nPOSTGRES_USER=lake\nexport POSTGRES_PASSWORD='p$w\"d'  # secret\nPOSTGRES_PORT=5433\n"
		"S3_ENDPOINT=http://host.docker.internal:8334\nS3_ACCESS_KEY=your_access_key_here\nS3_SECRET_KEY=\"${S3_ACCESS_KEY}\"\n"
		"ICEBERG_CATALOG_URI=jdbc:postgresql://${POSTGRES_HOST:-localhost}:5432/my_catalog?ssl=false\nSPARK=4.1.0\n", 0600},
	{"/home/ana/lakehouse-at-home/docker-compose-spark41.yml",
		"services:\n  spark-master-41:\n    image: apache/spark:${SPARK}-scala2.13-java21-python3-r-ubuntu\n    container_name: spark-master-41\n"
		"    network_mode: \"host\"\n    env_file: .env\n    environment:\n      - SPARK_MASTER_PORT=7178\n      - SPARK_MASTER_WEBUI_PORT=8182\n"
		"    command: >\n      bash -c \"\n        image: of-the-command\n      \"\n\n"
		"  spark-worker-41:\n    image: apache/spark:4.1.0-scala2.13-java21-python3-r-ubuntu\n    container_name: spark-worker-41-1\n", 0644},
	{"/home/ana/lakehouse-at-home/docker-compose-kafka.yml",
		"services: \n  zookeeper:\n    image: confluentinc/cp-zookeeper:7.5.0\n    container_name: zookeeper\n    ports:\n      - \"2181:2181\"\n"
		"      - \"9998:9999\"\n  kafka:\n    image: confluentinc/cp-kafka:7.5.0\n    container_name: kafka\n    ports:\n      - \"9092:9092\"\n", 0644},
	{"/home/ana/lakehouse-at-home/docker-compose-unity-catalog.yml",
		"services:\n  unity-catalog:\n    image: unitycatalog/unitycatalog:v0.4.0   # pinned\n    container_name: unity-catalog\n    ports:\n"
		"      - \"8080:8080\"      # REST API\n  # unity-catalog-ui:\n  #   image: unitycatalog/unitycatalog-ui:0.3.1\n", 0644},
	{"/home/ana/lakehouse-at-home/docker-compose-airflow.yml",
		"x-airflow-common:\n  &airflow-common\n  build:\n    context: .\n  environment:\n    &airflow-common-env\n"
		"    AIRFLOW__API__PORT: 8086\n  network_mode: \"host\"\n\nservices:\n  airflow-init:\n    <<: *airflow-common\n"
		"  airflow-webserver:\n    <<: *airflow-common\n    container_name: airflow-webserver\n    command: api-server\n", 0644},
	{0}};

static void a_checkout_tells_versions_ports_and_containers(void **state)
{
	struct profile *p = lakehouse(at_home);
	const struct expectation *e;

	(void)state;
	assert_string_equal(p->project, "/home/ana/lakehouse-at-home");
	e = profile_service(p, "spark-master-41");
	assert_string_equal(e->version, "4.1.0"); /* through a variable of .env */
	assert_string_equal(e->version_from, "docker-compose-spark41.yml of /home/ana/lakehouse-at-home");
	assert_int_equal(e->ports[0].port, 8182);
	assert_int_equal(expected_role_port(e, "rpc"), 7178);
	assert_string_equal(e->config[0], "/home/ana/lakehouse-at-home/config/spark/spark-defaults.conf");
	assert_string_equal(e->jars[0], "/home/ana/lakehouse-at-home/jars");
	assert_string_equal(e->compose[0], "/home/ana/lakehouse-at-home/docker-compose-spark41.yml");
	assert_null(e->compose[1]);
	assert_string_equal(profile_service(p, "spark-worker-41")->container, "spark-worker-41-1");
	assert_string_equal(profile_service(p, "spark-worker-41")->compose_service, "spark-worker-41");
	assert_null(profile_service(p, "postgres")->compose); /* it runs on the host */
	assert_string_equal(profile_service(p, "kafka")->version, "3.5"); /* of Confluent's 7.5.0 */
	assert_null(profile_service(p, "zookeeper")->version);            /* which says nothing of ZooKeeper */
	assert_int_equal(expected_role_port(profile_service(p, "zookeeper"), "admin"), 9998);
	e = profile_service(p, "unity-catalog");
	assert_string_equal(e->version, "0.4.0");
	assert_int_equal(e->ports[0].port, 8080); /* the compose file counts, not the README */
	e = profile_service(p, "airflow");
	assert_int_equal(e->ports[0].port, 8086);
	assert_null(e->version); /* its image is built here */
	profile_free(p);
}

static void a_checkout_without_a_service_does_not_expect_it(void **state)
{
	struct profile *p = lakehouse(at_home);
	const struct catalog *c = profile_catalog(p, "iceberg");

	(void)state;
	assert_non_null(c);
	assert_ptr_equal(c->service, profile_service(p, "postgres"));
	assert_string_equal(catalog_credentials(c).database, "my_catalog");
	assert_string_equal(c->storage, "seaweedfs");
	assert_null(c->engine); /* it has no Spark Connect */
	assert_null(profile_service(p, "spark-master-42"));
	assert_null(profile_service(p, "keycloak"));
	assert_non_null(profile_service(p, "postgres")); /* runs on the host */
	assert_non_null(profile_service(p, "ollama"));
	for (size_t i = 0; i < p->n_services; i++)
		for (const char *const *need = p->services[i].needs; need && *need; need++)
			assert_non_null(profile_service(p, *need));
	profile_free(p);
}

static void credentials_come_from_env_and_placeholders_are_none(void **state)
{
	struct profile *p = lakehouse(at_home);
	const struct expectation *postgres = profile_service(p, "postgres"), *seaweedfs = profile_service(p, "seaweedfs");

	(void)state;
	assert_string_equal(postgres->credentials.user, "lake");
	assert_string_equal(postgres->credentials.password, "p$w\"d");
	assert_string_equal(postgres->credentials.database, "my_catalog");
	assert_int_equal(postgres->ports[0].port, 5433);
	assert_int_equal(expected_role_port(seaweedfs, "s3"), 8334);
	assert_null(seaweedfs->credentials.user);
	assert_null(seaweedfs->credentials.password);
	assert_true(logged("S3_ACCESS_KEY is still a placeholder"));
	assert_false(logged("p$w"));
	profile_free(p);
}

static void services_that_one_variant_keeps_in_containers_are_looked_for_there(void **state)
{
	/* Shortened from open-lakehouse/open-lakehouse, docker-compose-storage.yml of 2026-06 */
	static const struct file open_lakehouse[] = {
		{"/srv/lake/lakehouse", "", 0755},
		{"/srv/lake/docker-compose-storage.yml",
			"services:\n  postgres:\n    image: postgres:16\n    container_name: postgres\n    ports:\n      - \"5432:5432\"\n"
			"  seaweedfs:\n    image: chrislusf/seaweedfs:3.80\n    container_name: seaweedfs\n    ports:\n      - \"8333:8333\"\n", 0644},
		{0}};
	struct profile *p;
	const struct expectation *e;

	(void)state;
	setenv("LAKEHOUSE_HOME", "/srv/lake", 1);
	p = lakehouse(open_lakehouse);
	assert_string_equal(p->project, "/srv/lake");
	e = profile_service(p, "postgres");
	assert_string_equal(e->container, "postgres");
	assert_null(e->unit);
	assert_string_equal(e->version, "16");
	e = profile_service(p, "seaweedfs");
	assert_int_equal(e->n_ports, 1); /* nothing else of it can be reached */
	assert_int_equal(e->ports[0].port, 8333);
	assert_string_equal(e->ports[0].role, "s3");
	profile_free(p);
}

/* ---- .env and compose files ---- */

static void variables_are_read_as_bash_reads_them(void **state)
{
	static const struct {
		const char *line, *value;
	} rows[] = {
		{"A=plain", "plain"}, {"export A=x", "x"}, {"A=\"two words\"", "two words"}, {"A='${B}'", "${B}"}, {"A=${B}/c", "bee/c"},
			{"A=$B-c", "bee-c"},
		{"A=\"$B\"'$B'", "bee$B"}, {"A=${NONE:-else}", "else"}, {"A=${NONE:-${B}}", "bee"}, {"A=${B:-else}", "bee"},
			{"A=${EMPTY:-else}", "else"},
		{"A=${EMPTY-else}", ""}, {"A=${NONE}", ""}, {"A=value # comment", "value"}, {"A=v#no", "v#no"}, {"A=", ""}, {"A=1\nA=2",
			"2"}, {"A=x$", "x$"},
		{"A=${unclosed", ""}, {"  A=indented", "indented"}, {"A=caf\xc3\xa9", "caf\xc3\xa9"},
	};

	(void)state;
	unsetenv("NONE");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct variables v = {0};
		char file[200];

		snprintf(file, sizeof file, "B=bee\nEMPTY=\n#A=no\n%s\n", rows[i].line);
		variables_read(&v, text_of(file));
		if (!variables_get(&v, "A") || strcmp(variables_get(&v, "A"), rows[i].value) != 0)
			fail_msg("%s gives %s", rows[i].line, variables_get(&v, "A") ? variables_get(&v, "A") : "nothing");
		variables_free(&v);
	}
}

static void what_is_no_variable_is_left_out(void **state)
{
	struct variables v = {0};

	(void)state;
	variables_read(&v, TEXT("A B=1\n1A=2\n=3\nif [ x ]; then\nB =4\nGOOD=5\n"));
	assert_int_equal(v.n, 1);
	assert_string_equal(variables_get(&v, "GOOD"), "5");
	variables_free(&v);
}

static void a_variable_that_doubles_itself_has_an_end(void **state)
{
	struct variables v = {0};
	struct buf file;

	(void)state;
	buf_init(&file, 2000);
	buf_puts(&file, "A=0123456789abcdef\n");
	for (int i = 0; i < 60; i++)
		buf_puts(&file, "A=$A$A\n");
	variables_read(&v, buf_text(&file));
	assert_true(strlen(variables_get(&v, "A")) <= VARIABLE_SIZE);
	variables_free(&v);
	buf_free(&file);
}

static void images_say_their_version_or_nothing(void **state)
{
	static const struct {
		const char *image, *version;
	} rows[] = {
		{"apache/spark:4.1.0-scala2.13-java21-python3-r-ubuntu", "4.1.0"}, {"postgres:16", "16"}, {"ghcr.io/mlflow/mlflow:v3.1.0",
			"3.1.0"},
		{"quay.io/keycloak/keycloak:26.4", "26.4"}, {"localhost:5000/kafka:4.1.0", "4.1.0"}, {"confluentinc/cp-kafka:7.5.0", "3.5"},
		{"confluentinc/cp-kafka:8.0.1", "4.0"}, {"confluentinc/cp-zookeeper:7.5.0", NULL}, {"lakehouse/spark:5.0.0-snapshot-cdc",
			"5.0.0"},
		{"provectuslabs/kafka-ui:latest", NULL}, {"jupyter/pyspark-notebook:x86_64-latest", NULL}, {"lakehouse-jupyter:spark-4.1.0",
			NULL},
		{"localhost:5000/kafka", NULL}, {"postgres", NULL}, {"postgres:16@sha256:0123", "16"}, {"a:20240101120000", NULL}, {"a:",
			NULL}, {"", NULL},
		{"a:7abc", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char version[64] = "";
		bool says = image_says_version(rows[i].image, version, sizeof version);

		if (says != (rows[i].version != NULL) || (says && strcmp(version, rows[i].version) != 0))
			fail_msg("%s says \"%s\"", rows[i].image, version);
	}
}

static void compose_files_are_understood_as_far_as_they_go(void **state)
{
	static const char yaml[] =
		"version: '3.8'\n\nx-common: &common\n  image: base:1.0\n  network_mode: host\nservices:\n"
		"    one:\n        <<: *common\n        container_name: \"one\"\n        ports: [\"1:1\"]\n"
		"    two:\n        image: 'two:2.0'\n        <<: *common\n        container_name: two   # the second\n        healthcheck:\n"
		"            image: not-this\n        ports:\n        - 127.0.0.1:8081:8080/tcp\n        - \"4040-4050:4040-4050\"\n        - 9000\n"
		"        volumes:\n            - ./a:/b\n    three: {}\nvolumes:\n    four:\n        image: no:9\n";
	struct compose c = {0};
	const struct compose_service *one, *two;

	(void)state;
	compose_read(&c, NULL, text_of(yaml), "docker-compose.yml");
	one = compose_container(&c, "one");
	two = compose_container(&c, "two");
	assert_non_null(one);
	assert_string_equal(one->image, "base:1.0");
	assert_true(one->host_network);
	assert_non_null(two);
	assert_string_equal(two->image, "two:2.0"); /* its own, not the fragment's */
	assert_int_equal(two->n_ports, 1);
	assert_int_equal(two->ports[0].host, 8081);
	assert_int_equal(two->ports[0].container, 8080);
	for (size_t i = 0; i < c.n; i++)
		assert_string_not_equal(c.at[i].name, "four");
	compose_free(&c);
}

static void a_compose_file_cut_anywhere_does_no_harm(void **state)
{
	(void)state;
	for (const struct file *f = at_home; f->path; f++)
		for (size_t len = 0; len <= strlen(f->content); len++) {
			struct compose c = {0};
			struct variables v = {0};

			variables_read(&v, (struct text){f->content, len});
			compose_read(&c, &v, (struct text){f->content, len}, "cut.yml");
			compose_free(&c);
			variables_free(&v);
		}
}

int main(void)
{
	static struct CMUnitTest tests[128];
	const struct CMUnitTest others[] = {
		cmocka_unit_test_setup(the_example_of_the_readme_is_a_profile, set_up),
		cmocka_unit_test_setup(every_key_arrives, set_up),
		cmocka_unit_test_setup(a_checkpoint_is_where_its_url_says, set_up),
		cmocka_unit_test_setup(a_catalog_is_who_knows_of_tables, set_up),
		cmocka_unit_test_setup(what_is_silent_has_its_default, set_up),
		cmocka_unit_test_setup(the_main_port_comes_first_however_it_was_named, set_up),
		cmocka_unit_test_setup(layout_is_free, set_up),
		cmocka_unit_test_setup(a_long_line_is_one_line, set_up),
		cmocka_unit_test_setup(spans_have_units, set_up),
		cmocka_unit_test_setup(a_password_may_come_from_the_environment, set_up),
		cmocka_unit_test_setup(a_password_file_that_others_can_read_is_noticed, set_up),
		cmocka_unit_test_setup(there_is_a_limit_to_everything, set_up),
		cmocka_unit_test_setup(a_profile_cut_anywhere_is_an_error_or_a_profile, set_up),
		cmocka_unit_test_setup(a_name_is_looked_for_at_the_users_then_at_the_machines, set_up),
		cmocka_unit_test_setup(an_unknown_name_lists_what_there_is, set_up),
		cmocka_unit_test_setup(without_a_profile_everything_is_found, set_up),
		cmocka_unit_test_setup(its_place_is_what_comes_back_out_of_a_log, set_up),
		cmocka_unit_test_setup(without_a_checkout_no_version_is_expected, set_up),
		cmocka_unit_test_setup(a_checkout_tells_versions_ports_and_containers, set_up),
		cmocka_unit_test_setup(a_checkout_without_a_service_does_not_expect_it, set_up),
		cmocka_unit_test_setup(credentials_come_from_env_and_placeholders_are_none, set_up),
		cmocka_unit_test_setup(services_that_one_variant_keeps_in_containers_are_looked_for_there, set_up),
		cmocka_unit_test_setup(variables_are_read_as_bash_reads_them, set_up),
		cmocka_unit_test_setup(what_is_no_variable_is_left_out, set_up),
		cmocka_unit_test_setup(a_variable_that_doubles_itself_has_an_end, set_up),
		cmocka_unit_test_setup(images_say_their_version_or_nothing, set_up),
		cmocka_unit_test_setup(compose_files_are_understood_as_far_as_they_go, set_up),
		cmocka_unit_test_setup(a_compose_file_cut_anywhere_does_no_harm, set_up),
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
		tests[n++] = (struct CMUnitTest){wrongs[i].name, the_error_says_what_and_where, NULL, NULL, (void *)(uintptr_t)&wrongs[i]};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		tests[n++] = others[i];
	return _cmocka_run_group_tests("profile", tests, n, NULL, NULL);
}
