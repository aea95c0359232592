// SPDX-License-Identifier: MIT
/*
 * One connection to one broker. A broker behind SSH is reached as any other endpoint is, by net_dial,
 * at the address that it advertises. The actor's thread.
 */
#include "kafka_line.h"

enum { VERSIONS_MAX = 64 << 10, ANSWER_MAX = 64 << 20, QUESTION_MAX = 4 << 20, PIECE = 16 << 10 };

void kafka_line_begin(struct kafka_line *l, struct probe *p)
{
	*l = (struct kafka_line){.p = p, .fd = -1};
	buf_init(&l->question, QUESTION_MAX);
	buf_init(&l->answer, ANSWER_MAX);
}

void kafka_line_end(struct kafka_line *l)
{
	net_close(l->fd);
	buf_free(&l->question);
	buf_free(&l->answer);
	l->fd = -1;
}

static bool not_kafka(const unsigned char head[4], struct err *err)
{
	if (head[0] == 0x15 && head[1] == 0x03)
		return err_set(err, ERR_TLS, "answers with a TLS alert: this listener wants TLS");
	return err_set(err, ERR_PROTOCOL, "what it answers is not Kafka's protocol");
}

bool kafka_line_ask(struct kafka_line *l, size_t most, struct text *frame, struct err *err)
{
	unsigned char head[4];
	char piece[PIECE];
	size_t left;

	buf_reset(&l->answer);
	if (l->question.full)
		return err_set(err, ERR_LIMIT, "a question of more than 4 MiB");
	if (!net_send(l->p, l->fd, l->question.at, l->question.len, err) || !net_read_exact(l->p, l->fd, head, sizeof head, err))
		return false;
	l->heard = true;
	left = kafka_frame(head, most);
	if (!left)
		return not_kafka(head, err);
	while (left) {
		size_t n = left < sizeof piece ? left : sizeof piece;

		if (!net_read_exact(l->p, l->fd, piece, n, err))
			return false;
		buf_add(&l->answer, piece, n);
		left -= n;
	}
	*frame = buf_text(&l->answer);
	return kafka_frame_is_for(*frame, l->id) || err_set(err, ERR_PROTOCOL, "its answer is to another question");
}

void kafka_line_next(struct kafka_line *l)
{
	buf_reset(&l->question);
	l->id++;
	l->p->requests += l->id > 1; /* the first was counted with the connection */
}

bool kafka_line_versions(struct kafka_line *l, int16_t version, struct err *err)
{
	struct text frame;

	kafka_line_next(l);
	kafka_ask_versions(&l->question, l->id, version);
	if (!kafka_line_ask(l, VERSIONS_MAX, &frame, err))
		return false;
	return kafka_read_versions(frame, version, &l->versions) ||
		err_set(err, ERR_PROTOCOL, "what it answers is not Kafka's protocol");
}

bool kafka_line_open(struct kafka_line *l, const struct endpoint *at, struct err *err)
{
	l->fd = net_dial(l->p, at, err);
	if (l->fd < 0 || !kafka_line_versions(l, 3, err))
		return false;
	if (l->versions.error == KAFKA_UNSUPPORTED_VERSION)
		return kafka_line_versions(l, 0, err);
	return true;
}
