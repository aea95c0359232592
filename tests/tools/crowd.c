// SPDX-License-Identifier: MIT
/*
 * crowd: a Kafka broker of many topics and groups that is none: it answers what laketop asks, from nothing, and counts.
 * For measuring what 40,000 partitions and 2,000 groups cost.
 *
 *   crowd PORT [TOPICS PARTITIONS GROUPS TOPICS_A_GROUP]     4000 10 2000 10
 *
 * Each group committed on its topics, and is behind in every tenth partition. Ends grow by one record a second.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "mem.h"

enum { LINES = 32, ANSWER_MAX = 64 << 20, QUESTION_MAX = 8 << 20, BEHIND = 500 };

struct crowd {
	int64_t port, topics, partitions, groups, per_group;
	int64_t began;
};
struct question {
	const unsigned char *at;
	size_t left;
};

static void put(struct buf *b, uint64_t value, unsigned bytes)
{
	while (bytes-- > 0) {
		unsigned char byte = (unsigned char)(value >> (8 * bytes));

		buf_add(b, &byte, 1);
	}
}

static void put_count(struct buf *b, size_t n, bool compact)
{
	if (!compact) {
		put(b, n, 4);
		return;
	}
	for (n++; n > 0x7f; n >>= 7)
		put(b, (n & 0x7f) | 0x80, 1);
	put(b, n, 1);
}

static void put_name(struct buf *b, const char *s, bool compact)
{
	if (compact)
		put_count(b, strlen(s), true);
	else
		put(b, strlen(s), 2);
	buf_puts(b, s);
}

static uint64_t take(struct question *q, unsigned bytes)
{
	uint64_t value = 0;

	for (; bytes-- > 0 && q->left; q->left--)
		value = value << 8 | *q->at++;
	return value;
}

static size_t take_count(struct question *q, bool compact)
{
	size_t value = 0;

	if (!compact)
		return (size_t)take(q, 4);
	for (unsigned shift = 0; shift < 28; shift += 7) {
		size_t byte = (size_t)take(q, 1);

		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value ? value - 1 : 0;
}

static const char *take_name(struct question *q, bool compact, char out[256])
{
	size_t len = compact ? take_count(q, true) : (size_t)take(q, 2);

	len = len < q->left ? len : q->left;
	text_copy(out, 256, (struct text){(const char *)q->at, len});
	q->at += len;
	q->left -= len;
	return out;
}

static const char *topic_name(int64_t n, char out[32])
{
	snprintf(out, 32, "topic-%05lld", (long long)n);
	return out;
}

static uint64_t end_now(const struct crowd *c)
{
	return (uint64_t)(10000 + (clock_ms() - c->began) / 1000);
}

static void versions(struct buf *b)
{
	static const unsigned char keys[][3] = {{2, 2, 2}, {3, 4, 12}, {9, 8, 8}, {15, 0, 0}, {16, 5, 5}, {18, 0, 3}, {32, 1, 1}, {35, 1, 1}};

	put(b, 0, 2);
	put_count(b, sizeof keys / sizeof *keys, true);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		put(b, keys[i][0], 2);
		put(b, keys[i][1], 2);
		put(b, keys[i][2], 2);
		put(b, 0, 1);
	}
	put(b, 0, 4);
	put(b, 0, 1);
}

static void versions_0(struct buf *b)
{
	put(b, 0, 2);
	put(b, 1, 4);
	put(b, 18, 2);
	put(b, 0, 2);
	put(b, 3, 2);
}

static void metadata(const struct crowd *c, struct buf *b)
{
	char name[32];

	put(b, 0, 1); /* tags of the header */
	put(b, 0, 4);
	put_count(b, 1, true);
	put(b, 1, 4);
	put_name(b, "127.0.0.1", true);
	put(b, (uint64_t)c->port, 4);
	put(b, 0, 2); /* no rack, no tags */
	put_name(b, "a-crowd", true);
	put(b, 1, 4);
	put_count(b, (size_t)c->topics, true);
	for (int64_t t = 0; t < c->topics; t++) {
		put(b, 0, 2);
		put_name(b, topic_name(t, name), true);
		put(b, 0, 8);
		put(b, (uint64_t)t + 1, 8); /* its id */
		put(b, 0, 1);
		put_count(b, (size_t)c->partitions, true);
		for (int64_t p = 0; p < c->partitions; p++) {
			put(b, 0, 2);
			put(b, (uint64_t)p, 4);
			put(b, 1, 4);
			put(b, 0, 4);
			for (int i = 0; i < 2; i++) { /* replicas, in sync */
				put_count(b, 1, true);
				put(b, 1, 4);
			}
			put_count(b, 0, true);
			put(b, 0, 1);
		}
		put(b, 0, 4);
		put(b, 0, 1);
	}
	put(b, 0, 1);
}

static void groups(const struct crowd *c, struct buf *b)
{
	char name[32];

	put(b, 0, 1);
	put(b, 0, 4);
	put(b, 0, 2);
	put_count(b, (size_t)c->groups, true);
	for (int64_t g = 0; g < c->groups; g++) {
		snprintf(name, sizeof name, "group-%05lld", (long long)g);
		put_name(b, name, true);
		put_name(b, "consumer", true);
		put_name(b, "Empty", true);
		put_name(b, "classic", true);
		put(b, 0, 1);
	}
	put(b, 0, 1);
}

static void members(struct question *q, struct buf *b)
{
	char name[256];
	size_t n = take_count(q, false);

	put(b, n, 4);
	while (n-- > 0) {
		put(b, 0, 2);
		put_name(b, take_name(q, false, name), false);
		put_name(b, "Empty", false);
		put_name(b, "consumer", false);
		put_name(b, "", false);
		put(b, 0, 4);
	}
}

static void committed(const struct crowd *c, struct question *q, struct buf *b)
{
	char name[256], topic[32];
	size_t n = take_count(q, true);
	uint64_t end = end_now(c);

	put(b, 0, 1);
	put(b, 0, 4);
	put_count(b, n, true);
	while (n-- > 0) {
		int64_t number = 0;

		take_name(q, true, name);
		take(q, 2); /* all topics, no tags */
		text_i64(text_after(text_of(name), '-'), &number);
		put_name(b, name, true);
		put_count(b, (size_t)c->per_group, true);
		for (int64_t t = 0; t < c->per_group; t++) {
			put_name(b, topic_name((number * 7 + t) % c->topics, topic), true);
			put_count(b, (size_t)c->partitions, true);
			for (int64_t p = 0; p < c->partitions; p++) {
				put(b, (uint64_t)p, 4);
				put(b, end - (p % 10 == 0 ? BEHIND : 0), 8);
				put(b, 0, 4);
				put_name(b, "", true);
				put(b, 0, 2);
				put(b, 0, 1);
			}
			put(b, 0, 1);
		}
		put(b, 0, 2);
		put(b, 0, 1);
	}
	put(b, 0, 1);
}

static void edges(const struct crowd *c, struct question *q, struct buf *b)
{
	char name[256];
	size_t topics;

	take(q, 5);
	topics = take_count(q, false);
	put(b, 0, 4);
	put(b, topics, 4);
	while (topics-- > 0) {
		size_t n;

		put_name(b, take_name(q, false, name), false);
		n = take_count(q, false);
		put(b, n, 4);
		for (; n > 0 && q->left; n--) {
			put(b, take(q, 4), 4);
			put(b, 0, 2);
			put(b, UINT64_MAX, 8);
			put(b, take(q, 8) == UINT64_MAX ? end_now(c) : 0, 8);
		}
	}
}

static void configs(struct question *q, struct buf *b)
{
	static const char *const told[][2] = {{"cleanup.policy", "delete"}, {"retention.ms", "604800000"}};
	char name[256], skipped[256];
	size_t n = take_count(q, false);

	put(b, 0, 4);
	put(b, n, 4);
	while (n-- > 0) {
		take(q, 1);
		take_name(q, false, name);
		for (size_t i = take_count(q, false); i > 0 && q->left; i--)
			take_name(q, false, skipped);
		put(b, 0, 2);
		put(b, 0xffff, 2);
		put(b, 2, 1);
		put_name(b, name, false);
		put(b, 2, 4);
		for (int i = 0; i < 2; i++) {
			put_name(b, told[i][0], false);
			put_name(b, told[i][1], false);
			put(b, 0x000500, 3);
			put(b, 0, 4);
		}
	}
}

static void sizes(const struct crowd *c, struct buf *b)
{
	char name[32];

	put(b, 0, 4);
	put(b, 1, 4);
	put(b, 0, 2);
	put_name(b, "/var/lib/kafka", false);
	put(b, (uint64_t)c->topics, 4);
	for (int64_t t = 0; t < c->topics; t++) {
		put_name(b, topic_name(t, name), false);
		put(b, (uint64_t)c->partitions, 4);
		for (int64_t p = 0; p < c->partitions; p++) {
			put(b, (uint64_t)p, 4);
			put(b, 1 << 20, 8);
			put(b, 0, 8);
			put(b, 0, 1);
		}
	}
}

/* False: this question is not known. */
static bool answer(const struct crowd *c, struct question q, struct buf *b)
{
	char client[256];
	uint64_t key = take(&q, 2), version = take(&q, 2), id = take(&q, 4);

	take_name(&q, false, client);
	buf_reset(b);
	put(b, 0, 4);
	put(b, id, 4);
	if (key == 9 || key == 16 || key == 3)
		take(&q, 1); /* tags of the header */
	switch (key) {
	case 2: edges(c, &q, b); break;
	case 3: metadata(c, b); break;
	case 9: committed(c, &q, b); break;
	case 15: members(&q, b); break;
	case 16: groups(c, b); break;
	case 18: if (version) versions(b); else versions_0(b); break;
	case 32: configs(&q, b); break;
	case 35: sizes(c, b); break;
	default: return false;
	}
	for (unsigned i = 0; i < 4; i++)
		b->at[i] = (char)(unsigned char)((b->len - 4) >> (8 * (3 - i)));
	return !b->full;
}

static bool read_whole(int fd, void *into, size_t len)
{
	for (char *at = into; len;) {
		ssize_t n = read(fd, at, len);

		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static bool serve(const struct crowd *c, int fd, unsigned char *question, struct buf *b)
{
	unsigned char head[4];
	size_t len;

	if (!read_whole(fd, head, 4))
		return false;
	len = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
	if (len > QUESTION_MAX || !read_whole(fd, question, len) || !answer(c, (struct question){question, len}, b))
		return false;
	for (size_t done = 0; done < b->len;) {
		ssize_t n = write(fd, b->at + done, b->len - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct crowd c = {.topics = 4000, .partitions = 10, .groups = 2000, .per_group = 10, .began = clock_ms()};
	int64_t *const numbers[] = {&c.port, &c.topics, &c.partitions, &c.groups, &c.per_group};
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct pollfd fds[LINES];
	unsigned char *question = mem_new(QUESTION_MAX, 1);
	nfds_t n = 1;
	int one = 1;
	struct buf b;

	for (int i = 1; i < argc && i <= 5; i++)
		if (!text_i64(text_of(argv[i]), numbers[i - 1]))
			return 2;
	signal(SIGPIPE, SIG_IGN);
	buf_init(&b, ANSWER_MAX);
	at.sin_port = htons((uint16_t)c.port);
	fds[0] = (struct pollfd){socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), POLLIN, 0};
	setsockopt(fds[0].fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(fds[0].fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fds[0].fd, 16) != 0) {
		perror("crowd");
		return 1;
	}
	while (poll(fds, n, -1) > 0) {
		for (nfds_t i = n; i-- > 1;)
			if (fds[i].revents && !serve(&c, fds[i].fd, question, &b)) {
				close(fds[i].fd);
				fds[i] = fds[--n];
			}
		if (fds[0].revents && n < LINES) {
			fds[n] = (struct pollfd){accept(fds[0].fd, NULL, NULL), POLLIN, 0};
			setsockopt(fds[n++].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		}
	}
	return 1;
}
