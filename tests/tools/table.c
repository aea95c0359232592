// SPDX-License-Identifier: MIT
/*
 * table: measures one Iceberg table by the URL of its metadata.json, and says what that cost. For trying
 * a table by hand and for the bench.
 *
 *   table [-m] URL [ADDRESS:PORT]     -m: the metadata alone; ADDRESS:PORT: where s3 URLs lead, unsigned
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iceberg.h"

enum { WAIT_MS = 120000, ARENA = 4 << 20 };

static bool feed(void *ctx, const char *bytes, size_t len)
{
	return iceberg_reader_feed(ctx, bytes, len, NULL);
}

static struct iceberg_metadata *read_metadata(struct probe *p, const struct storage *at, const char *url, struct err *err)
{
	struct iceberg_reader *r = iceberg_reader_new();
	struct err why = {0};
	bool fine = storage_stream(p, at, url, INT64_MAX, feed, r, &why) == STORAGE_OK;
	struct iceberg_metadata *m = iceberg_reader_finish(r, err);

	if (!fine && (m || why.code != ERR_CANCELLED))
		*err = why; /* what was wrong with its bytes the reader says better */
	if (fine || !m)
		return m;
	iceberg_metadata_free(m);
	return NULL;
}

static void show_truth(const struct iceberg_truth *t)
{
	printf("measured=%s files=%lld bytes=%lld records=%lld deletes=%lld small=%lld manifests=%lld manifest_bytes=%lld partitions=%zu\n",
		table_measure_word(t->measured), (long long)t->files, (long long)t->bytes, (long long)t->records, (long long)t->delete_files,
		(long long)t->small, (long long)t->manifests, (long long)t->manifest_bytes, t->n_partitions_all);
	if (t->mistrust[0])
		printf("mistrust: %s\n", t->mistrust);
}

static bool look(struct probe *p, const struct storage *at, const char *url, bool metadata_alone, struct err *err)
{
	struct iceberg_budget budget = {.bytes = INT64_C(1) << 40, .files = 1 << 20, .memory = 256 << 20};
	struct iceberg_metadata *m = read_metadata(p, at, url, err);
	struct iceberg_truth t;
	bool fine = true;

	if (!m)
		return false;
	printf("format=%d snapshots=%zu kept=%zu current=%lld metadata_bytes=%lld cut=%d\n", m->format, m->n_snapshots_all, m->n_snapshots,
		(long long)(m->has_current ? m->current : -1), (long long)m->bytes, m->cut);
	if (!metadata_alone) {
		fine = iceberg_measure(p, at, m, iceberg_current(m), &budget, p->arena, &t, err);
		show_truth(&t);
	}
	iceberg_metadata_free(m);
	return fine;
}

/* Of this program alone: getrusage() would have that of whoever started it. */
static long peak_kib(void)
{
	char line[200];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static bool endpoint_of(const char *s, struct endpoint *out)
{
	struct text address = text_until(text_of(s), ':');
	int64_t port;

	text_copy(out->address, sizeof out->address, address);
	if (!text_i64(text_after(text_of(s), ':'), &port) || port < 1 || port > 65535)
		return false;
	out->port = (uint16_t)port;
	return true;
}

int main(int argc, char **argv)
{
	bool alone = argc > 1 && !strcmp(argv[1], "-m");
	const char *url = argc > 1 + alone ? argv[1 + alone] : NULL, *s3 = argc > 2 + alone ? argv[2 + alone] : NULL;
	struct probe p = {.host = host_local(), .wait = wait_for(WAIT_MS, -1), .hint = "", .arena = arena_new(ARENA)};
	struct storage at = {0};
	struct err err = {0};
	int64_t began = clock_ms();
	bool fine;

	if (!url || (s3 && !endpoint_of(s3, &at.s3))) {
		fprintf(stderr, "table [-m] URL [ADDRESS:PORT]\n");
		return 2;
	}
	p.net = net_new(p.host);
	fine = look(&p, &at, url, alone, &err);
	if (!fine)
		printf("error: %s\n", err.words);
	printf("ms=%lld read_bytes=%zu requests=%u peak_kib=%ld\n", (long long)(clock_ms() - began), p.bytes, p.requests, peak_kib());
	net_free(p.net);
	arena_free(p.arena);
	p.host->close(p.host);
	return fine ? 0 : 1;
}
