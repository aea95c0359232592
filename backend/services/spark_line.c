// SPDX-License-Identifier: MIT
/* The kept connection to a Spark Connect: HTTP/2 without a stream (RFC 9113). Its end means that the server ended. */
#include <string.h>

#include "spark_connect.h"

enum { FRAME_HEADER = 9, FRAME_MAX = 16384, FRAMES_MAX = 32, FRAME_SETTINGS = 4, FLAG_ACK = 1 };

void connect_line_close(int *line)
{
	if (*line >= 0)
		net_close(*line);
	*line = -1;
}

/* Reads frames until the server's SETTINGS (acknowledged: the answer to ours). */
static bool line_await(struct probe *p, int fd, bool acknowledged, struct err *err)
{
	for (int i = 0; i < FRAMES_MAX; i++) {
		unsigned char header[FRAME_HEADER], payload[FRAME_MAX];
		size_t len;

		if (!net_read_exact(p, fd, header, sizeof header, err))
			return false;
		len = (size_t)header[0] << 16 | (size_t)header[1] << 8 | header[2];
		if (!memcmp(header, "HTTP/1.", 7))
			return err_set(err, ERR_PROTOCOL, "HTTP/1, not gRPC");
		if (len > FRAME_MAX || (!acknowledged && header[3] != FRAME_SETTINGS))
			return err_set(err, ERR_PROTOCOL, "not HTTP/2, and so not gRPC");
		if (len && !net_read_exact(p, fd, payload, len, err))
			return false;
		if (header[3] == FRAME_SETTINGS && (header[4] & FLAG_ACK) == (acknowledged ? FLAG_ACK : 0))
			return true;
	}
	return err_set(err, ERR_PROTOCOL, "HTTP/2 without an answer to SETTINGS");
}

bool connect_line_settle(struct probe *p, int line, struct err *err)
{
	static const char settings[] = "\0\0\0\4\0\0\0\0\0";

	p->requests++;
	return net_send(p, line, settings, FRAME_HEADER, err) && line_await(p, line, true, err);
}

bool connect_line_open(struct probe *p, int *line, struct err *err)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" "\0\0\0\4\0\0\0\0\0", ack[] = "\0\0\0\4\1\0\0\0\0";

	*line = net_dial(p, &p->at, err);
	if (*line < 0)
		return false;
	if (net_send(p, *line, preface, sizeof preface - 1, err) && line_await(p, *line, false, err) &&
	    net_send(p, *line, ack, FRAME_HEADER, err) && line_await(p, *line, true, err))
		return true;
	connect_line_close(line);
	return false;
}
