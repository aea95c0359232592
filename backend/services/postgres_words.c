// SPDX-License-Identifier: MIT
/*
 * Words of PostgreSQL before and instead of a session.
 *
 * Source: PostgreSQL 15, "Frontend/Backend Protocol", "Message Formats", "PostgreSQL Error Codes".
 */
#include "postgres.h"

#include <string.h>

enum { AUTHENTICATION = 'R', READY_FOR_QUERY = 'Z', CLEAR_TEXT = 3 };

enum postgres_hello postgres_parse_hello(struct text answer)
{
	if (answer.len == 1 && (answer.at[0] == 'G' || answer.at[0] == 'N' || answer.at[0] == 'S'))
		return POSTGRES_IS;
	if (answer.len > 5 && answer.at[0] == 'E' && text_has(answer, "unsupported frontend protocol"))
		return POSTGRES_OLD;
	return POSTGRES_NOT;
}

/* Five capitals and digits; one digit at least, or "FATAL:" would be one. */
static bool is_sqlstate(struct text t)
{
	bool digit = false;

	if (t.len < 6 || t.at[5] != ':')
		return false;
	for (size_t i = 0; i < 5; i++) {
		bool d = t.at[i] >= '0' && t.at[i] <= '9';

		if (!d && (t.at[i] < 'A' || t.at[i] > 'Z'))
			return false;
		digit |= d;
	}
	return digit;
}

/* `connection to server at "::1", port 5432 failed: FATAL:  28P01: password authentication failed for user "x"`:
 * the severity may be translated, the code never is. */
void postgres_parse_failure(struct text message, struct postgres_failure *out)
{
	struct text line, rest = message;

	*out = (struct postgres_failure){.words = text_trim(text_until(message, '\n'))};
	while (text_line(&rest, &line))
		for (size_t i = 0; i + 6 <= line.len; i++)
			if ((i == 0 || line.at[i - 1] == ' ') && is_sqlstate((struct text){line.at + i, line.len - i})) {
				memcpy(out->sqlstate, line.at + i, 5);
				out->words = text_trim((struct text){line.at + i + 6, line.len - i - 6});
				return;
			}
}

enum postgres_refusal postgres_refusal(const struct postgres_failure *failure)
{
	const char *code = failure->sqlstate;

	if (!strcmp(code, "53300"))
		return POSTGRES_FULL;
	if (!strcmp(code, "57P03"))
		return POSTGRES_NOT_READY;
	if (!strncmp(code, "28", 2) || !strcmp(code, "3D000") || !strcmp(code, "42501"))
		return POSTGRES_REFUSES;
	if (!code[0] && text_has(failure->words, "no password supplied"))
		return POSTGRES_REFUSES;
	return POSTGRES_BROKEN;
}

/* ---- what its processes say ---- */

enum { LOCK_PORT = 4, LOCK_STATE = 8 };

enum postgres_state postgres_state_named(struct text word)
{
	word = text_trim(word);
	if (text_is(word, "starting"))
		return POSTGRES_STARTS;
	if (text_is(word, "stopping"))
		return POSTGRES_STOPS;
	return text_is(word, "ready") || text_is(word, "standby") ? POSTGRES_RUNS : POSTGRES_UNTOLD;
}

enum postgres_state postgres_parse_lock(struct text file, uint16_t port)
{
	struct text line;
	int64_t number;

	for (int i = 1; text_line(&file, &line); i++) {
		if (i == LOCK_PORT && (!text_i64(line, &number) || number != port))
			return POSTGRES_UNTOLD; /* another server's */
		if (i == LOCK_STATE)
			return postgres_state_named(line);
	}
	return POSTGRES_UNTOLD;
}

/* "127.0.0.1(50642)" */
static bool is_client_address(struct text word)
{
	int64_t port;
	const char *open = memrchr(word.at, '(', word.len);

	return open && open > word.at && text_ends(word, ")") &&
		text_i64((struct text){open + 1, (size_t)(word.at + word.len - 1 - (open + 1))}, &port);
}

/* "postgres: 15/main: lake iceberg_catalog 127.0.0.1(50642) idle"; those that replicate are waited for later, and not by their number. */
bool postgres_is_session(struct text title)
{
	struct text word;

	title = text_until(title, '\0');
	if (!text_skip(&title, "postgres: "))
		return false;
	for (bool first = true; text_word(&title, &word);) {
		if (first && text_is(word, "walsender"))
			return false;
		if (text_is(word, "[local]") || is_client_address(word))
			return true;
		first = text_ends(word, ":");
	}
	return false;
}

/* ---- a login that is looked at ---- */

static size_t number_at(const unsigned char *p)
{
	return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

/* Type and length; of an authentication request its code as well. */
static size_t head_size(const struct postgres_vet *v)
{
	return v->n_head && v->head[0] == AUTHENTICATION ? 9 : 5;
}

size_t postgres_vet(struct postgres_vet *v, const unsigned char *bytes, size_t len, unsigned char *out, size_t *used)
{
	size_t n = 0, at = 0;

	while (at < len && !v->asks_clear && !(v->done && !v->rest)) {
		if (v->rest) {
			size_t part = v->rest < len - at ? v->rest : len - at;

			memcpy(out + n, bytes + at, part);
			n += part;
			at += part;
			v->rest -= part;
			continue;
		}
		v->head[v->n_head++] = bytes[at++];
		if (v->n_head < head_size(v))
			continue;
		/* one that is too short to say which is none of a server's */
		v->asks_clear = v->head[0] == AUTHENTICATION && (number_at(v->head + 1) < 8 || number_at(v->head + 5) == CLEAR_TEXT);
		if (v->asks_clear)
			break;
		memcpy(out + n, v->head, v->n_head);
		n += v->n_head;
		v->rest = number_at(v->head + 1);
		v->rest = v->rest > v->n_head - 1 ? v->rest - (v->n_head - 1) : 0;
		v->done = v->head[0] == READY_FOR_QUERY;
		v->n_head = 0;
	}
	*used = at;
	return n;
}
