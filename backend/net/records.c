// SPDX-License-Identifier: MIT
/*
 * Records of a Kafka topic. librdkafka reads and unpacks them, with its plain consumer: no group is
 * joined, no coordinator asked, nothing committed. It gets its connections from the host, as everybody
 * does: its sockets are replaced by connected ones where it would connect them itself, and names are
 * resolved by the caller, never by DNS.
 *
 * Threads: the actor's; librdkafka's own connect by host->dial_tcp, which may be called from any.
 */
#include <errno.h>
#include <fcntl.h>
#include <librdkafka/rdkafka.h>
#include <netdb.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net.h"

enum { BYTES_MAX = 4 << 20, POLL_MS = 50, DIAL_MS = 2000 };

struct reading {
	struct probe *p;
	bool (*place)(const struct probe *p, const char *host, int32_t port, struct endpoint *out);
};

/* ---- its connections ---- */

/* node: "host" of what is advertised; service: its port. Called with NULLs to free what it gave. */
static int resolve(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out, void *opaque)
{
	const struct reading *r = opaque;
	struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
	struct endpoint at;
	int64_t port;
	char number[8];

	if (!node && !service) {
		if (out && *out)
			freeaddrinfo(*out);
		return 0;
	}
	(void)hints;
	if (!text_i64(text_of(service), &port) || !r->place(r->p, node, (int32_t)port, &at))
		return EAI_NONAME;
	text_copy(number, sizeof number, TEXT(""));
	for (unsigned value = at.port, scale = 10000, used = 0; scale; scale /= 10)
		if (used || value / scale % 10 || scale == 1)
			number[used++] = (char)('0' + value / scale % 10), number[used] = '\0';
	return getaddrinfo(at.address, number, &numeric, out);
}

/* The socket becomes the host's connected one; librdkafka then finds it connected. */
static int connect_by_host(int fd, const struct sockaddr *to, int len, const char *id, void *opaque)
{
	const struct reading *r = opaque;
	struct endpoint at = {.port = 0};
	struct sockaddr_storage full = {0};
	struct err err = {0};
	int stream;

	(void)id;
	if (len <= 0 || (size_t)len > sizeof full)
		return EINVAL;
	memcpy(&full, to, (size_t)len);
	if (full.ss_family == AF_INET) {
		struct sockaddr_in four;

		memcpy(&four, &full, sizeof four);
		inet_ntop(AF_INET, &four.sin_addr, at.address, sizeof at.address);
		at.port = ntohs(four.sin_port);
	} else if (full.ss_family == AF_INET6) {
		struct sockaddr_in6 six;

		memcpy(&six, &full, sizeof six);
		inet_ntop(AF_INET6, &six.sin6_addr, at.address, sizeof at.address);
		at.port = ntohs(six.sin6_port);
	}
	if (!at.port)
		return EAFNOSUPPORT;
	stream = r->p->host->dial_tcp(r->p->host, at.address, at.port, wait_for(DIAL_MS, r->p->wait.cancel), &err);
	if (stream < 0)
		return ECONNREFUSED;
	if (dup3(stream, fd, O_CLOEXEC) < 0) {
		int why = errno;

		close(stream);
		return why;
	}
	close(stream);
	return 0;
}

/* ---- its handle ---- */

static rd_kafka_t *handle(struct reading *r, struct err *err)
{
	static const char *const settings[][2] = {
		{"client.id", "laketop"}, {"enable.auto.commit", "false"}, {"enable.auto.offset.store", "false"},
		{"allow.auto.create.topics", "false"}, {"isolation.level", "read_uncommitted"}, {"enable.partition.eof", "true"},
		{"fetch.message.max.bytes", "262144"}, {"fetch.max.bytes", "1048576"}, {"message.max.bytes", "1048576"},
		{"queued.max.messages.kbytes", "2048"},
		{"queued.min.messages", "100"}, {"fetch.wait.max.ms", "100"}, {"socket.timeout.ms", "3000"},
		{"log.connection.close", "false"}, {"log_level", "0"},
	};
	char words[200] = "", at[ADDRESS_SIZE + 16];
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	struct buf brokers;
	rd_kafka_t *rk;

	buf_init(&brokers, sizeof at);
	buf_printf(&brokers, strchr(r->p->at.address, ':') ? "[%s]:%u" : "%s:%u", r->p->at.address, r->p->at.port);
	rd_kafka_conf_set(conf, "bootstrap.servers", buf_text(&brokers).at, words, sizeof words);
	buf_free(&brokers);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (rd_kafka_conf_set(conf, settings[i][0], settings[i][1], words, sizeof words) != RD_KAFKA_CONF_OK) {
			rd_kafka_conf_destroy(conf);
			err_set(err, ERR_SYSTEM, "librdkafka does not take %s: %s", settings[i][0], words);
			return NULL;
		}
	rd_kafka_conf_set_log_cb(conf, NULL);
	rd_kafka_conf_set_opaque(conf, r);
	rd_kafka_conf_set_resolve_cb(conf, resolve);
	rd_kafka_conf_set_connect_cb(conf, connect_by_host);
	rk = rd_kafka_new(RD_KAFKA_CONSUMER, conf, words, sizeof words);
	if (!rk) {
		rd_kafka_conf_destroy(conf);
		err_set(err, ERR_SYSTEM, "librdkafka: %s", words);
	}
	return rk;
}

/* ---- reading ---- */

static void take_headers(const rd_kafka_message_t *m, struct net_record *out)
{
	rd_kafka_headers_t *headers;
	const char *name;
	const void *value;
	size_t size;

	if (rd_kafka_message_headers(m, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR)
		return;
	while (rd_kafka_header_get_all(headers, out->n_headers, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR) {
		if (out->n_headers < NET_HEADERS_MAX) {
			out->headers[out->n_headers].name = name;
			out->headers[out->n_headers].value = value ? (struct text){value, size} : TEXT("");
		}
		out->n_headers++;
	}
}

static struct net_record record_of(const rd_kafka_message_t *m)
{
	struct net_record record = {.partition = m->partition, .offset = m->offset, .has_key = m->key != NULL,
		.has_value = m->payload != NULL, .key = TEXT(""), .value = TEXT("")};
	rd_kafka_timestamp_type_t type;

	record.timestamp = rd_kafka_message_timestamp(m, &type);
	if (m->key)
		record.key = (struct text){m->key, m->key_len};
	if (m->payload)
		record.value = (struct text){m->payload, m->len};
	take_headers(m, &record);
	return record;
}

static size_t span_of(const struct net_span *spans, size_t n, int32_t partition)
{
	size_t i = 0;

	while (i < n && spans[i].partition != partition)
		i++;
	return i;
}

static bool is_cancelled(struct wait wait)
{
	return wait.cancel >= 0 && wait_fd((struct wait){clock_ms(), wait.cancel}, -1, 0) < 0;
}

static bool read_all(struct reading *r, rd_kafka_queue_t *queue, const struct net_span *spans, size_t n,
	void (*each)(void *ctx, const struct net_record *record), void *ctx, struct err *err)
{
	bool *done = mem_new(n + 1, sizeof *done);
	size_t left = n, bytes = 0;

	while (left && bytes < BYTES_MAX && wait_left(r->p->wait) > 0 && !is_cancelled(r->p->wait)) {
		rd_kafka_message_t *m = rd_kafka_consume_queue(queue, POLL_MS);
		size_t span = m ? span_of(spans, n, m->partition) : n;
		bool last = false;

		if (m && m->err == RD_KAFKA_RESP_ERR_NO_ERROR && span < n && !done[span]) {
			struct net_record record = record_of(m);

			if (record.offset < spans[span].to)
				each(ctx, &record);
			bytes += m->len + m->key_len;
			last = record.offset + 1 >= spans[span].to;
		} else if (m && span < n && !done[span]) {
			last = true;
			if (m->err != RD_KAFKA_RESP_ERR__PARTITION_EOF)
				err_set(err, ERR_PROTOCOL, "partition %d: %s", (int)m->partition, rd_kafka_err2str(m->err));
		}
		if (last) {
			done[span] = true;
			left--;
		}
		if (m)
			rd_kafka_message_destroy(m);
	}
	free(done);
	r->p->bytes += bytes;
	if (left && bytes >= BYTES_MAX)
		return err_set(err, ERR_LIMIT, "more than 4 MiB: the rest was not read");
	if (left)
		return err_set(err, ERR_TIMEOUT, "the records of %zu of %zu partitions did not come in time", left, n);
	return err->code == ERR_NONE;
}

bool net_records(struct probe *p, const char *topic, const struct net_span *spans, size_t n,
	bool (*place)(const struct probe *p, const char *host, int32_t port, struct endpoint *out),
	void (*each)(void *ctx, const struct net_record *record), void *ctx, struct err *err)
{
	struct reading r = {p, place};
	rd_kafka_t *rk = handle(&r, err);
	rd_kafka_queue_t *queue;
	rd_kafka_topic_t *rkt;
	bool good;

	if (!rk)
		return false;
	p->requests++;
	queue = rd_kafka_queue_new(rk);
	rkt = rd_kafka_topic_new(rk, topic, NULL);
	for (size_t i = 0; rkt && i < n; i++)
		rd_kafka_consume_start_queue(rkt, spans[i].partition, spans[i].from, queue);
	good = rkt ? read_all(&r, queue, spans, n, each, ctx, err) : err_set(err, ERR_USAGE, "that is no name of a topic");
	for (size_t i = 0; rkt && i < n; i++)
		rd_kafka_consume_stop(rkt, spans[i].partition);
	if (rkt)
		rd_kafka_topic_destroy(rkt);
	rd_kafka_queue_destroy(queue);
	rd_kafka_destroy(rk);
	return good;
}
