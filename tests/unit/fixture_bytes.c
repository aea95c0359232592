// SPDX-License-Identifier: MIT
/* See fixture_bytes.h. */
#include "fixture_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { FILES_MAX = 96, CUTS = 200, CHANGES = 600 };

static struct file { /* kept, so that each is read once and none is lost */
	char name[96];
	struct text bytes;
} files[FILES_MAX];
static size_t n_files;

static const struct file *kept(const char *name)
{
	for (size_t i = 0; i < n_files; i++)
		if (!strcmp(files[i].name, name))
			return &files[i];
	return NULL;
}

static struct text keep(const char *name, char *at, size_t len)
{
	if (n_files == FILES_MAX) {
		fprintf(stderr, "too many recorded files for one test\n");
		abort();
	}
	snprintf(files[n_files].name, sizeof files[n_files].name, "%s", name);
	files[n_files].bytes = (struct text){at, len};
	return files[n_files++].bytes;
}

static char *whole(const char *name, size_t *len)
{
	char path[256], *at;
	FILE *f;
	long size;

	snprintf(path, sizeof path, "tests/recorded/%s", name);
	f = fopen(path, "rbe");
	if (!f || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0) {
		fprintf(stderr, "%s: is missing (tests are run from the root of the source)\n", path);
		abort();
	}
	rewind(f);
	at = mem_new((size_t)size + 1, 1);
	*len = fread(at, 1, (size_t)size, f);
	fclose(f);
	return at;
}

struct text recorded(const char *name)
{
	const struct file *before = kept(name);
	size_t len;
	char *at;

	if (before)
		return before->bytes;
	at = whole(name, &len);
	return keep(name, at, len);
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct text recorded_hex(const char *name)
{
	const struct file *before = kept(name);
	size_t len, n = 0;
	char *at;
	bool words = false;

	if (before)
		return before->bytes;
	at = whole(name, &len);
	for (size_t i = 0; i < len; i++) {
		words = at[i] == '#' || (words && at[i] != '\n');
		if (!words && i + 1 < len && digit(at[i]) >= 0 && digit(at[i + 1]) >= 0) {
			at[n++] = (char)(digit(at[i]) * 16 + digit(at[i + 1]));
			i++;
		}
	}
	return keep(name, at, n);
}

static void read_exactly(struct text bytes, void (*read)(struct text bytes))
{
	char *at = malloc(bytes.len ? bytes.len : 1);

	if (!at)
		abort();
	memcpy(at, bytes.at, bytes.len);
	read((struct text){at, bytes.len});
	free(at);
}

static uint32_t chance(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

void fuzz(struct text bytes, void (*read)(struct text bytes))
{
	static const unsigned char nasty[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '"', '{', '<', '\n', '/'};
	uint32_t seed = 2463534242u;
	char *changed = mem_new(bytes.len + 1, 1);

	for (size_t len = 0; len < bytes.len; len += bytes.len / CUTS + 1)
		read_exactly((struct text){bytes.at, len}, read);
	for (unsigned i = 0; bytes.len && i < CHANGES; i++) {
		memcpy(changed, bytes.at, bytes.len);
		for (uint32_t n = chance(&seed) % 4 + 1; n; n--) {
			size_t at = chance(&seed) % bytes.len;
			uint32_t how = chance(&seed);

			changed[at] = (char)(how & 1 ? nasty[(how >> 1) % sizeof nasty] : (unsigned char)(how >> 8));
		}
		read_exactly((struct text){changed, bytes.len}, read);
	}
	free(changed);
}
