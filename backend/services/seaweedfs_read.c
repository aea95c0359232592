// SPDX-License-Identifier: MIT
/* See seaweedfs.h: what the master, a volume server, the filer and S3 answer, taken apart. */
#include "seaweedfs.h"

#include <string.h>

#include "json.h"

bool seaweedfs_version(struct text t, char out[SEAWEEDFS_VERSION_SIZE])
{
	struct text word;

	out[0] = '\0';
	text_skip(&t, "SeaweedFS ");
	text_skip(&t, "Volume ");
	text_skip(&t, "Filer ");
	if (!text_word(&t, &word) || word.len < 3 || memcmp(word.at + word.len - 2, "GB", 2) != 0 || !text_word(&t, &word))
		return false;
	if (word.at[0] < '0' || word.at[0] > '9')
		return false;
	text_copy(out, SEAWEEDFS_VERSION_SIZE, word);
	return true;
}

const char *seaweedfs_role(struct text server, struct text body)
{
	if (text_starts(server, "SeaweedFS Volume "))
		return "volume";
	if (text_starts(server, "SeaweedFS "))
		return text_starts(body, "<?xml") ? "s3" : "filer";
	if (!server.len && text_starts(text_between(body, "<title>", "</title>"), "SeaweedFS "))
		return "master";
	return NULL;
}

struct text seaweedfs_s3_code(struct text body)
{
	return text_between(text_between(body, "<Error>", "</Error>"), "<Code>", "</Code>");
}

int64_t seaweedfs_s3_buckets(struct text body)
{
	int64_t buckets = 0;

	if (!text_has(body, "<ListAllMyBucketsResult"))
		return -1;
	for (struct text rest = body; text_has(rest, "<Bucket>"); buckets++) {
		const char *at = memmem(rest.at, rest.len, "<Bucket>", 8);

		rest.len -= (size_t)(at + 8 - rest.at);
		rest.at = at + 8;
	}
	return buckets;
}

static int64_t number(const struct json *object, const char *key, int64_t missing)
{
	int64_t i;

	return json_i64(json_get(object, key), &i) ? i : missing;
}

static void take_node(struct seaweedfs_topology *out, const struct json *node)
{
	const char *url = json_string(json_get(node, "Url"));

	if (!url)
		return;
	if (out->n_nodes == SEAWEEDFS_NODES_MAX) {
		out->left_off++;
		return;
	}
	text_copy(out->nodes[out->n_nodes].url, SEAWEEDFS_URL_SIZE, text_of(url));
	out->nodes[out->n_nodes].volumes = number(node, "Volumes", 0);
	out->nodes[out->n_nodes++].most = number(node, "Max", 0);
}

bool seaweedfs_parse_topology(struct text body, struct seaweedfs_topology *out, struct err *err)
{
	struct json *root = json_parse(body, err);
	const struct json *topology = json_get(root, "Topology");
	bool good = json_is_object(topology);

	*out = (struct seaweedfs_topology){0};
	if (root && !good)
		err_set(err, ERR_PROTOCOL, "/dir/status: no Topology in the answer");
	if (good) {
		out->most = number(topology, "Max", 0);
		out->free = number(topology, "Free", 0);
		for (const struct json *l = json_first(json_get(topology, "Layouts")); l; l = json_next(l))
			out->writable += (int64_t)json_count(json_get(l, "writables"));
		for (const struct json *dc = json_first(json_get(topology, "DataCenters")); dc; dc = json_next(dc))
			for (const struct json *rack = json_first(json_get(dc, "Racks")); rack; rack = json_next(rack))
				for (const struct json *n = json_first(json_get(rack, "DataNodes")); n; n = json_next(n))
					take_node(out, n);
	}
	json_free(root);
	return good;
}

static void take_volume(struct seaweedfs_server *out, const struct json *v,
	void (*each)(void *ctx, const struct seaweedfs_volume *v), void *ctx)
{
	const char *collection = json_string(json_get(v, "Collection"));
	struct seaweedfs_volume volume = {
		.id = number(v, "Id", -1),
		.size = number(v, "Size", 0),
		.files = number(v, "FileCount", 0),
		.deleted = number(v, "DeleteCount", 0),
		.deleted_bytes = number(v, "DeletedByteCount", 0),
		.modified = number(v, "ModifiedAtSecond", 0),
	};

	json_bool(json_get(v, "ReadOnly"), &volume.read_only);
	text_copy(volume.collection, sizeof volume.collection, text_of(collection));
	volume.modified = volume.modified > 0 && volume.modified < INT64_MAX / 1000 ? volume.modified * 1000 : 0;
	out->volumes++;
	out->size += volume.size;
	out->files += volume.files;
	out->read_only += volume.read_only;
	if (each)
		each(ctx, &volume);
}

bool seaweedfs_parse_server(struct text body, struct seaweedfs_server *out,
	void (*each)(void *ctx, const struct seaweedfs_volume *v), void *ctx, struct err *err)
{
	struct json *root = json_parse(body, err);
	const struct json *disks = json_get(root, "DiskStatuses");
	bool good = json_is_array(disks);

	*out = (struct seaweedfs_server){.disk_total = good ? 0 : -1, .disk_free = good ? 0 : -1};
	if (root && !good)
		err_set(err, ERR_PROTOCOL, "/status: no DiskStatuses in the answer");
	for (const struct json *d = json_first(disks); d; d = json_next(d)) {
		out->disk_total += number(d, "all", 0);
		out->disk_free += number(d, "free", 0);
	}
	for (const struct json *v = json_first(json_get(root, "Volumes")); good && v; v = json_next(v))
		take_volume(out, v, each, ctx);
	json_free(root);
	return good;
}

bool seaweedfs_parse_listing(struct text body, struct seaweedfs_listing *out, struct err *err)
{
	struct json *root = json_parse(body, err);
	const char *last = json_string(json_get(root, "LastFileName"));
	bool good = root && json_string(json_get(root, "Path"));

	*out = (struct seaweedfs_listing){0};
	if (root && !good)
		err_set(err, ERR_PROTOCOL, "not a filer's listing");
	for (const struct json *e = json_first(json_get(root, "Entries")); good && e; e = json_next(e)) {
		const char *path = json_string(json_get(e, "FullPath")), *name = path ? strrchr(path, '/') : NULL;
		int64_t mode = number(e, "Mode", 0);

		out->directories += name && name[1] != '.' && (mode & 0x80000000) != 0;
	}
	json_bool(json_get(root, "ShouldDisplayLoadMore"), &out->more);
	text_copy(out->last, sizeof out->last, text_of(last));
	json_free(root);
	return good;
}
