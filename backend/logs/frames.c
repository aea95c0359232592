// SPDX-License-Identifier: MIT
/*
 * The output of a container as Docker's API streams it, with timestamps: frames {1|2,0,0,0,length} of
 * stdout and stderr, or raw bytes where it has a terminal. Borders of pieces, frames and lines differ: a line
 * over 16 KiB comes in several frames, each with a stamp of its own. Pure.
 */
#include <string.h>

#include "logs_own.h"

enum { STAMP_LIMIT = LOG_STAMP_SIZE - 1 };

/* Bytes of one stream, in front of which a stamp may stand. */
static bool take_part(struct log_frames *f, const char *bytes, size_t len)
{
	struct log_stream *s = &f->of[f->stream];

	while (len) {
		const char *end;
		size_t n;

		if (s->stamping) {
			if (*bytes != ' ' && s->n_stamp < STAMP_LIMIT) {
				s->coming[s->n_stamp++] = *bytes;
			} else {
				s->coming[s->n_stamp] = '\0';
				s->stamping = false;
				if (!s->in_line)
					memcpy(s->stamp, s->coming, s->n_stamp + 1);
			}
			bytes++;
			len--;
			continue;
		}
		end = memchr(bytes, '\n', len);
		n = end ? (size_t)(end + 1 - bytes) : len;
		s->in_line = !end;
		if (!f->take(f->ctx, f->stream, s->stamp, bytes, n))
			return false;
		bytes += n;
		len -= n;
		if (end && f->raw) {
			s->stamping = true;
			s->n_stamp = 0;
		}
	}
	return true;
}

bool log_frames_feed(struct log_frames *f, const char *bytes, size_t len)
{
	if (f->raw && !f->begun) {
		f->begun = f->of[0].stamping = true;
		f->stream = 0;
	}
	if (f->raw)
		return take_part(f, bytes, len);
	while (len) {
		size_t n;

		if (!f->left) {
			f->head[f->n_head++] = (unsigned char)*bytes++;
			len--;
			if (f->n_head < sizeof f->head)
				continue;
			f->n_head = 0;
			f->left = (uint32_t)f->head[4] << 24 | (uint32_t)f->head[5] << 16 | (uint32_t)f->head[6] << 8 | f->head[7];
			if (f->head[0] > 2 || f->head[1] || f->head[2] || f->head[3])
				return false; /* no frame: what follows cannot be told apart */
			f->stream = f->head[0] == 2;
			f->of[f->stream].stamping = true;
			f->of[f->stream].n_stamp = 0;
			continue;
		}
		n = len < f->left ? len : f->left;
		f->left -= (uint32_t)n;
		if (!take_part(f, bytes, n))
			return false;
		bytes += n;
		len -= n;
	}
	return true;
}
