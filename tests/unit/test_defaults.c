// SPDX-License-Identifier: MIT
/* The web port of a Spark driver that stands in its configuration alone: which file, which line, and where it goes. */
#include <fcntl.h>
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

#include "../../backend/host/look.h"
#include "../../backend/services/kinds.h"
#include "fixture_bytes.h"

static char folder[] = "/tmp/laketop-defaults-XXXXXX";
static int proc;

static void write_file(const char *name, const char *words)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(words, f);
	assert_int_equal(fclose(f), 0);
}

static void remove_file(const char *name)
{
	char path[96];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	unlink(path);
}

static int begin(void **state)
{
	(void)state;
	proc = open("/proc", O_RDONLY | O_DIRECTORY);
	return mkdtemp(folder) && proc >= 0 ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	close(proc);
	return rmdir(folder);
}

/* Words with | for what ends an argument, @ for the folder. */
static const char *hint_for(const char *words)
{
	static char hint[HINT_SIZE];
	struct buf cmdline;

	buf_init(&cmdline, 4096);
	for (; *words; words++)
		if (*words == '@')
			buf_puts(&cmdline, folder);
		else
			buf_add(&cmdline, *words == '|' ? "" : words, 1);
	hint_of(hint, buf_text(&cmdline));
	defaults_hint(hint, proc, getpid(), buf_text(&cmdline));
	buf_free(&cmdline);
	return hint;
}

static void the_last_line_that_names_the_port_counts(void **state)
{
	static const struct {
		const char *file;
		uint16_t port;
	} files[] = {{"", 0}, {"spark.ui.port 18867", 18867}, {"spark.ui.port=18867\n", 18867}, {"  spark.ui.port : 18867 \r\nx 1\n", 18867},
		{"spark.ui.port 1\nspark.ui.port\t2\n", 2}, {"#spark.ui.port 7\n", 0}, {"spark.ui.portMaxRetries 3\n", 0}, {"spark.ui.port\n", 0},
		{"spark.ui.port 99999\n", 0}, {"spark.ui.port -1\n", 0}, {"spark.ui.port four\n", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		assert_int_equal(defaults_port(text_of(files[i].file)), files[i].port);
	assert_int_equal(defaults_port((struct text){"spark.ui.port\0", 14}), 0);
}

static void a_folder_of_the_class_path_has_it(void **state)
{
	const char *hint;

	(void)state;
	write_file("spark-defaults.conf", "spark.master local[2]\nspark.ui.port 18867\n");
	hint = hint_for("java|-cp|/none/*:@/:/none/jars/*|-Xmx1g|org.apache.spark.deploy.SparkSubmit|--name|menu audit|/none/jobs.py|");
	assert_int_equal(option_port(text_of(hint), "spark.ui.port"), 18867);
	assert_string_equal(kind_spark_driver.role_of(text_of(hint), 18867), "ui");
	assert_null(kind_spark_driver.role_of(text_of(hint), 4040));
	assert_non_null(strstr(hint, "jobs.py"));
	hint = hint_for("java|-cp|@/|org.apache.spark.deploy.SparkSubmit|--conf|spark.ui.port=4055|x.py|"); /* its own words come first */
	assert_int_equal(option_port(text_of(hint), "spark.ui.port"), 4055);
	assert_null(strstr(hint, "18867"));
	assert_null(strstr(hint_for("java|-cp|@/|org.apache.spark.deploy.master.Master|"), "18867"));
	assert_null(strstr(hint_for("java|-cp|@|org.apache.spark.deploy.SparkSubmit|x.py|"), "18867")); /* a JAR */
	write_file("own.conf", "spark.ui.port=18900\n");
	hint = hint_for("java|-cp|@/|org.apache.spark.deploy.SparkSubmit|--properties-file|@/own.conf|x.py|");
	assert_int_equal(option_port(text_of(hint), "spark.ui.port"), 18900);
	remove_file("own.conf");
	remove_file("spark-defaults.conf");
}

static void what_is_no_file_is_not_read(void **state)
{
	char path[96];

	(void)state;
	snprintf(path, sizeof path, "%s/spark-defaults.conf", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(strstr(hint_for("java|-cp|@/|org.apache.spark.deploy.SparkSubmit|x.py|"), "spark.ui.port"));
	unlink(path);
	assert_null(strstr(hint_for("java|-cp|:::/:@/|org.apache.spark.deploy.SparkSubmit|x.py|"), "spark.ui.port"));
	assert_null(strstr(hint_for("java|-cp"), "spark.ui.port"));
}

static void a_long_hint_keeps_it(void **state)
{
	char hint[HINT_SIZE], words[200];

	(void)state;
	write_file("spark-defaults.conf", "spark.ui.port 65535\n");
	snprintf(words, sizeof words, "java|-cp|%s/|org.apache.spark.deploy.SparkSubmit|x.py|", folder);
	for (char *c = words; *c; c++)
		*c = *c == '|' ? '\0' : *c;
	memset(hint, 'x', sizeof hint - 1);
	memcpy(hint, "org.apache.spark.deploy.SparkSubmit ", 36);
	hint[sizeof hint - 1] = '\0';
	defaults_hint(hint, proc, getpid(), (struct text){words, strlen("java|-cp|/|org.apache.spark.deploy.SparkSubmit|x.py|") + strlen(folder)});
	assert_int_equal(option_port(text_of(hint), "spark.ui.port"), 65535);
	assert_true(strlen(hint) < sizeof hint);
	remove_file("spark-defaults.conf");
}

static void read_mutilated(struct text bytes)
{
	char hint[HINT_SIZE] = "org.apache.spark.deploy.SparkSubmit x";

	defaults_port(bytes);
	defaults_hint(hint, proc, getpid(), bytes);
}

static void no_mutilation_does_harm(void **state)
{
	static const char words[] = "java\0-cp\0/none/*:/none/conf/\0org.apache.spark.deploy.SparkSubmit\0--properties-file\0/none/x\0spark.ui.port 18867\n";

	(void)state;
	fuzz((struct text){words, sizeof words - 1}, read_mutilated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_line_that_names_the_port_counts),
		cmocka_unit_test(a_folder_of_the_class_path_has_it),
		cmocka_unit_test(what_is_no_file_is_not_read),
		cmocka_unit_test(a_long_hint_keeps_it),
		cmocka_unit_test(no_mutilation_does_harm),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
