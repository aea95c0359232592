// SPDX-License-Identifier: MIT
/*
 * The built-in profile: the reference stack, lakehouse-at-home and its sibling open-lakehouse.
 * What is compiled in are names of containers and the ports of their compose files; versions and
 * credentials never: they are read from the checkout that is found, as are the ports and
 * containers that it names differently. Services that it does not have are left out.
 *
 * Where its parts contradict each other (Unity Catalog on 8080 or 8081, Airflow on 8085 or 8086),
 * the compose files count, for they are what runs.
 * Source: lisancao/lakehouse-at-home and open-lakehouse/open-lakehouse, compose files of 2026.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkout.h"
#include "log.h"
#include "profile_own.h"

const char lakehouse_name[] = "lakehouse-at-home";

static const char built_in[] =
	"[laketop]\n"
	"profile = lakehouse-at-home\n"
	"\n"
	"[service postgres]\n"
	"kind = postgres\n"
	"port = 5432\n"
	"unit = postgresql\n"
	"database = iceberg_catalog\n"
	"\n"
	"[service seaweedfs]\n"
	"kind = seaweedfs\n"
	"port.master = 9333\n"
	"port.volume = 8080\n"
	"port.filer = 8888\n"
	"port.s3 = 8333\n"
	"\n"
	"[service unity-catalog]\n"
	"kind = unity-catalog\n"
	"port = 8081\n"
	"required = no\n"
	"container = unity-catalog\n"
	"config = config/unity-catalog/server.properties\n"
	"group = catalogs\n"
	"\n"
	"[service zookeeper]\n"
	"kind = zookeeper\n"
	"port.client = 2181\n"
	"port.admin = 9999\n"
	"container = zookeeper\n"
	"\n"
	"[service kafka]\n"
	"kind = kafka\n"
	"port = 9092\n"
	"needs = zookeeper\n"
	"container = kafka\n"
	"\n"
	"[service spark-master-41]\n"
	"kind = spark-master\n"
	"port.ui = 8082\n"
	"port.rpc = 7078\n"
	"container = spark-master-41\n"
	"config = config/spark/spark-defaults.conf\n"
	"jars = jars\n"
	"\n"
	"[service spark-worker-41]\n"
	"kind = spark-worker\n"
	"port.ui = 8083\n"
	"needs = spark-master-41\n"
	"container = spark-worker-41\n"
	"config = config/spark/spark-defaults.conf\n"
	"jars = jars\n"
	"\n"
	"[service spark-connect]\n"
	"kind = spark-connect\n"
	"port = 15002\n"
	"required = no\n"
	"needs = spark-master-41, spark-worker-41\n"
	"container = spark-connect-41\n"
	"config = config/spark/spark-defaults.conf\n"
	"jars = jars\n"
	"\n"
	"[service spark-history]\n"
	"kind = spark-history\n"
	"port = 18080\n"
	"required = no\n"
	"container = spark-history-41\n"
	"\n"
	"[service spark-master-40]\n"
	"kind = spark-master\n"
	"port.ui = 8080\n"
	"port.rpc = 7077\n"
	"required = no\n"
	"container = spark-master\n"
	"config = config/spark/spark-defaults.conf\n"
	"jars = jars\n"
	"\n"
	"[service spark-worker-40]\n"
	"kind = spark-worker\n"
	"port.ui = 8081\n"
	"required = no\n"
	"needs = spark-master-40\n"
	"container = spark-worker\n"
	"\n"
	"[service spark-master-42]\n"
	"kind = spark-master\n"
	"port.ui = 8086\n"
	"port.rpc = 7079\n"
	"required = no\n"
	"container = spark-master-42\n"
	"\n"
	"[service spark-worker-42]\n"
	"kind = spark-worker\n"
	"port.ui = 8087\n"
	"required = no\n"
	"needs = spark-master-42\n"
	"container = spark-worker-42\n"
	"\n"
	"[service airflow]\n"
	"kind = airflow\n"
	"port = 8085\n"
	"required = no\n"
	"needs = postgres\n"
	"container = airflow-webserver\n"
	"group = runs\n"
	"\n"
	"[service airflow-scheduler]\n"
	"kind = other\n"
	"port = 8974\n"
	"required = no\n"
	"needs = postgres\n"
	"container = airflow-scheduler\n"
	"group = runs\n"
	"\n"
	"[service mlflow]\n"
	"kind = mlflow\n"
	"port = 5000\n"
	"required = no\n"
	"needs = postgres\n"
	"container = mlflow-server\n"
	"group = runs\n"
	"\n"
	"[service jupyter]\n"
	"kind = jupyter\n"
	"port = 8889\n"
	"required = no\n"
	"container = jupyter\n"
	"group = runs\n"
	"\n"
	"[service ollama]\n"
	"kind = ollama\n"
	"port = 11434\n"
	"required = no\n"
	"unit = ollama\n"
	"group = runs\n"
	"\n"
	"[service keycloak]\n"
	"kind = keycloak\n"
	"port = 8087\n"
	"required = no\n"
	"needs = postgres\n"
	"container = keycloak\n"
	"group = runs\n"
	"\n"
	"[service marquez]\n"
	"kind = marquez\n"
	"port = 5001\n"
	"required = no\n"
	"needs = postgres\n"
	"container = marquez-api\n"
	"group = runs\n"
	"\n"
	"[catalog iceberg]\n" /* in one variant PostgreSQL has it, in the other Unity Catalog's tables are by that name too */
	"kind = iceberg-jdbc\n"
	"service = postgres\n"
	"storage = seaweedfs\n"
	"engine = spark-connect\n"
	"\n"
	"[catalog unity]\n"
	"kind = unity\n"
	"service = unity-catalog\n"
	"warehouse = unity\n"
	"storage = seaweedfs\n"
	"engine = spark-connect\n"
	"\n"
	"[testdata]\n" /* the checkout's own command */
	"generate = ./lakehouse testdata generate\n"
	"load = ./lakehouse testdata load\n"
	"stream = ./lakehouse testdata stream\n"
	"stats = ./lakehouse testdata stats\n"
	"clean = ./lakehouse testdata clean\n"
	"directory = .\n";

/* What else a container or service is called, in one variant or another. */
static const struct {
	const char *service, *container;
} other_names[] = {
	{"spark-history", "spark-history-server-41"},
	{"spark-worker-41", "spark-worker-41-1"},
	{"postgres", "postgres"},   /* on the host in one variant, a container in the other */
	{"seaweedfs", "seaweedfs"},
};

/* Which variable of a compose file sets which port. role NULL: the main one. */
static const struct {
	const char *service, *variable, *role;
} port_variables[] = {
	{"spark-master-41", "SPARK_MASTER_WEBUI_PORT", NULL},
	{"spark-master-41", "SPARK_MASTER_PORT", "rpc"},
	{"spark-worker-41", "SPARK_WORKER_WEBUI_PORT", NULL},
	{"spark-master-40", "SPARK_MASTER_WEBUI_PORT", NULL},
	{"spark-master-40", "SPARK_MASTER_PORT", "rpc"},
	{"spark-worker-40", "SPARK_WORKER_WEBUI_PORT", NULL},
	{"spark-master-42", "SPARK_MASTER_WEBUI_PORT", NULL},
	{"spark-master-42", "SPARK_MASTER_PORT", "rpc"},
	{"spark-worker-42", "SPARK_WORKER_WEBUI_PORT", NULL},
	{"airflow", "AIRFLOW__API__PORT", NULL},
	{"marquez", "MARQUEZ_PORT", NULL},
};

/* Which variables of .env are whose credentials. */
static const struct {
	const char *service, *user, *password, *token;
} env_credentials[] = {
	{"postgres", "POSTGRES_USER", "POSTGRES_PASSWORD", NULL},
	{"seaweedfs", "S3_ACCESS_KEY", "S3_SECRET_KEY", NULL},
	{"airflow", "AIRFLOW_ADMIN_USER", "AIRFLOW_ADMIN_PASSWORD", NULL},
	{"jupyter", NULL, NULL, "JUPYTER_TOKEN"},
	{"keycloak", "KEYCLOAK_ADMIN", "KEYCLOAK_ADMIN_PASSWORD", NULL},
};

enum { PATH_SIZE = 512, COMPOSE_FILES_MAX = 40, ENV_MAX = 256 << 10, YAML_MAX = 1 << 20 };

struct checkout {
	struct host *host;
	char path[PATH_SIZE];
	char files[COMPOSE_FILES_MAX][NAME_SIZE];
	size_t n_files;
	struct variables variables;
	struct compose compose;
};

/* ---- finding it ---- */

static bool each_file(void *ctx, const char *name)
{
	struct checkout *c = ctx;
	struct text t = text_of(name);
	bool yaml = t.len > 4 && (!strcmp(name + t.len - 4, ".yml") || (t.len > 5 && !strcmp(name + t.len - 5, ".yaml")));

	if (text_starts(t, "docker-compose") && yaml && t.len < NAME_SIZE && c->n_files < COMPOSE_FILES_MAX)
		text_copy(c->files[c->n_files++], NAME_SIZE, t);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* It has the "lakehouse" command and compose files. */
static bool is_checkout(struct checkout *c, const char *path)
{
	char command[PATH_SIZE + 16];
	struct file_facts f;

	c->n_files = 0;
	snprintf(c->path, sizeof c->path, "%s", path);
	snprintf(command, sizeof command, "%s/lakehouse", c->path);
	if (!c->host->stat(c->host, command, &f, NULL) || !f.exists || !c->host->list(c->host, c->path, each_file, c, NULL))
		return false;
	qsort(c->files, c->n_files, sizeof *c->files, by_name);
	return c->n_files > 0;
}

static bool find_checkout(struct checkout *c)
{
	static const char *const usual[] = {"lakehouse-at-home", "open-lakehouse"};
	const char *named = getenv("LAKEHOUSE_HOME"), *home = getenv("HOME");
	char path[PATH_SIZE];

	if (named && named[0]) {
		if (is_checkout(c, named))
			return true;
		log_say("profile", "LAKEHOUSE_HOME is %s, which is no checkout: it needs lakehouse and docker-compose*.yml", named);
	}
	for (size_t i = 0; home && i < sizeof usual / sizeof *usual; i++) {
		snprintf(path, sizeof path, "%s/%s", home, usual[i]);
		if (is_checkout(c, path))
			return true;
	}
	if (getcwd(path, sizeof path) && is_checkout(c, path))
		return true;
	c->path[0] = '\0';
	c->n_files = 0;
	return false;
}

static void read_checkout(struct checkout *c)
{
	char path[PATH_SIZE + NAME_SIZE + 2];
	struct buf b;

	buf_init(&b, ENV_MAX);
	snprintf(path, sizeof path, "%s/.env", c->path);
	if (c->host->read_file(c->host, path, &b, NULL))
		variables_read(&c->variables, buf_text(&b));
	else
		log_say("profile", "%s cannot be read: no credentials from there", path);
	wipe(&b);
	for (size_t i = 0; i < c->n_files; i++) {
		buf_init(&b, YAML_MAX);
		snprintf(path, sizeof path, "%s/%s", c->path, c->files[i]);
		if (c->host->read_file(c->host, path, &b, NULL))
			compose_read(&c->compose, &c->variables, buf_text(&b), c->files[i]);
		buf_free(&b);
	}
}

/* ---- fitting the profile to it ---- */

static void set_port(struct loaded *p, struct expectation *e, const char *role, uint16_t port)
{
	struct expected_port *ports = arena_alloc(p->profile.arena, e->n_ports * sizeof *ports);

	if (!ports || !port)
		return;
	for (size_t i = 0; i < e->n_ports; i++) {
		ports[i] = e->ports[i];
		if (role ? ports[i].role && !strcmp(ports[i].role, role) : i == 0)
			ports[i].port = port;
	}
	e->ports = ports;
}

/* The host's number for a port inside the container; 0: not published. */
static uint16_t published(const struct compose_service *one, uint16_t inside)
{
	for (size_t i = 0; i < one->n_ports; i++)
		if (one->ports[i].container == inside)
			return one->ports[i].host;
	return 0;
}

/* On a bridge only published ports can be reached, by the numbers that they are published as. */
static void fit_published(struct loaded *p, struct expectation *e, const struct compose_service *one)
{
	struct expected_port *kept = arena_alloc(p->profile.arena, e->n_ports * sizeof *kept);
	size_t n = 0;

	if (one->host_network || !one->n_ports || !kept)
		return;
	for (size_t i = 0; i < e->n_ports; i++) {
		uint16_t port = published(one, e->ports[i].port);

		if (port)
			kept[n++] = (struct expected_port){e->ports[i].role, port};
	}
	if (n) {
		e->ports = kept;
		e->n_ports = n;
	} else if (e->n_ports == 1 && one->n_ports == 1) {
		set_port(p, e, NULL, one->ports[0].host);
	}
}

static void fit_variables(struct loaded *p, struct expectation *e, const struct compose_service *one)
{
	for (size_t i = 0; i < sizeof port_variables / sizeof *port_variables; i++)
		for (size_t k = 0; k < one->n_variables && !strcmp(port_variables[i].service, e->name); k++)
			if (!strcmp(one->variables[k].name, port_variables[i].variable))
				set_port(p, e, port_variables[i].role, one->variables[k].port);
}

static const struct compose_service *in_compose(const struct checkout *c, const struct expectation *e)
{
	const struct compose_service *one = e->container ? compose_container(&c->compose, e->container) : NULL;

	for (size_t i = 0; !one && i < sizeof other_names / sizeof *other_names; i++)
		if (!strcmp(other_names[i].service, e->name))
			one = compose_container(&c->compose, other_names[i].container);
	return one;
}

/* Where a container does not exist yet, its compose file makes it. */
static void fit_compose(struct loaded *p, const struct checkout *c, struct expectation *e, const struct compose_service *one)
{
	const char **files = arena_alloc(p->profile.arena, 2 * sizeof *files);

	if (!files)
		return;
	files[0] = arena_printf(p->profile.arena, "%s/%s", c->path, one->file);
	files[1] = NULL;
	e->compose = files;
	e->compose_service = arena_copy(p->profile.arena, text_of(one->name));
}

/* false: this checkout has no such service. */
static bool fit_service(struct loaded *p, const struct checkout *c, struct expectation *e)
{
	const struct compose_service *one = in_compose(c, e);
	char version[NAME_SIZE];

	if (!one)
		return !e->container;
	e->container = arena_copy(p->profile.arena, text_of(one->container));
	e->unit = NULL;
	fit_compose(p, c, e, one);
	fit_published(p, e, one);
	fit_variables(p, e, one);
	if (image_says_version(one->image, version, sizeof version)) {
		e->version = arena_copy(p->profile.arena, text_of(version));
		e->version_from = arena_printf(p->profile.arena, "%s of %s", one->file, c->path);
	} else {
		log_say("profile", "%s: the image \"%s\" of %s says no version", one->file, one->image, e->name);
	}
	return true;
}

static bool is_placeholder(const char *value)
{
	static const char *const starts[] = {"your_", "your-", "change_me", "changeme", "<"};

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(value, starts[i], strlen(starts[i])))
			return true;
	return !value[0];
}

static const char *credential(struct loaded *p, const struct checkout *c, const char *variable)
{
	const char *value = variable ? variables_get(&c->variables, variable) : NULL;

	if (value && is_placeholder(value))
		log_say("profile", ".env of %s: %s is still a placeholder", c->path, variable);
	return value && !is_placeholder(value) ? loaded_secret(p, text_of(value)) : NULL;
}

static struct expectation *service_of(struct loaded *p, const char *name)
{
	for (size_t i = 0; i < p->profile.n_services; i++)
		if (!strcmp(p->services[i].name, name))
			return &p->services[i];
	return NULL;
}

static void fit_credentials(struct loaded *p, const struct checkout *c)
{
	for (size_t i = 0; i < sizeof env_credentials / sizeof *env_credentials; i++) {
		struct expectation *e = service_of(p, env_credentials[i].service);

		if (!e)
			continue;
		e->credentials.user = credential(p, c, env_credentials[i].user);
		e->credentials.password = credential(p, c, env_credentials[i].password);
		e->credentials.token = credential(p, c, env_credentials[i].token);
	}
}

/* "http://host.docker.internal:8333": the port, 0 where none is told. */
static uint16_t port_of_url(const char *url)
{
	struct text t = text_of(url);
	int64_t n;

	if (!text_skip(&t, "http://") && !text_skip(&t, "https://"))
		return 0;
	return text_i64(text_until(text_after(t, ':'), '/'), &n) && n > 0 && n < 65536 ? (uint16_t)n : 0;
}

/* Only what runs on the host itself is moved by .env: of a container, compose says where it is. */
static void fit_env(struct loaded *p, const struct checkout *c)
{
	const char *port = variables_get(&c->variables, "POSTGRES_PORT"), *s3 = variables_get(&c->variables, "S3_ENDPOINT"),
		*uri = variables_get(&c->variables, "ICEBERG_CATALOG_URI");
	struct expectation *postgres = service_of(p, "postgres"), *seaweedfs = service_of(p, "seaweedfs");
	struct text database = text_of(uri);
	int64_t n;

	if (postgres && !postgres->container && port && text_i64(text_of(port), &n) && n > 0 && n < 65536)
		set_port(p, postgres, NULL, (uint16_t)n);
	if (seaweedfs && !seaweedfs->container && s3)
		set_port(p, seaweedfs, "s3", port_of_url(s3));
	if (postgres && text_skip(&database, "jdbc:postgresql://")) {
		database = text_until(text_after(database, '/'), '?');
		if (database.len)
			postgres->credentials.database = arena_copy(p->profile.arena, database);
	}
}

static void drop_needs(struct loaded *p, struct expectation *e)
{
	size_t n = 0, kept = 0;
	const char **needs;

	while (e->needs && e->needs[n])
		n++;
	needs = arena_alloc(p->profile.arena, (n + 1) * sizeof *needs);
	for (size_t i = 0; needs && i < n; i++)
		if (service_of(p, e->needs[i]))
			needs[kept++] = e->needs[i];
	e->needs = needs;
}

/* A catalog goes with the service that answers it; its engine and storage may be missing. */
static void drop_catalogs(struct loaded *p, const char *const *services)
{
	size_t n = 0;

	for (size_t i = 0; i < p->profile.n_catalogs; i++) {
		struct catalog *c = &p->catalogs[i];

		c->service = service_of(p, services[i]);
		c->storage = c->storage && service_of(p, c->storage) ? c->storage : NULL;
		c->engine = c->engine && service_of(p, c->engine) ? c->engine : NULL;
		if (c->service)
			p->catalogs[n++] = *c;
	}
	p->profile.n_catalogs = n;
}

static void fit(struct loaded *p, const struct checkout *c)
{
	const char *names[CATALOGS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < p->profile.n_catalogs; i++)
		names[i] = p->catalogs[i].service->name; /* services move now */
	for (size_t i = 0; i < p->profile.n_services; i++)
		if (fit_service(p, c, &p->services[i]))
			p->services[n++] = p->services[i];
	p->profile.n_services = n;
	for (size_t i = 0; i < n; i++)
		drop_needs(p, &p->services[i]);
	drop_catalogs(p, names);
	fit_env(p, c);
	fit_credentials(p, c);
	p->profile.project = arena_copy(p->profile.arena, text_of(c->path));
}

/* Without a checkout its files are not known to be anywhere, nor its command. */
static void forget_files(struct loaded *p)
{
	for (size_t i = 0; i < p->profile.n_services; i++)
		p->services[i].config = p->services[i].jars = NULL;
	p->profile.testdata = (struct testdata){.directory = NULL};
}

bool lakehouse_load(struct loaded *p, struct host *host, struct err *err)
{
	struct checkout *c = mem_new(1, sizeof *c);
	bool found, good;

	c->host = host;
	found = find_checkout(c);
	good = profile_read(p, host, TEXT(built_in), "built in", c->path, true, err);
	if (good && found) {
		read_checkout(c);
		fit(p, c);
	} else if (good) {
		forget_files(p);
		log_say("profile", "no checkout of lakehouse-at-home was found: no versions are expected, no credentials known");
	}
	variables_free(&c->variables);
	compose_free(&c->compose);
	free(c);
	return good;
}
