// SPDX-License-Identifier: MIT
/* Errors as plain values. Pure, any thread. */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>

#include "text.h"

static const char *const names[] = {
	[ERR_NONE] = "none",         [ERR_DNS] = "dns",     [ERR_CONNECT] = "connect", [ERR_TLS] = "tls",
	[ERR_AUTH] = "auth",         [ERR_TIMEOUT] = "timeout", [ERR_PROTOCOL] = "protocol", [ERR_PARSE] = "parse",
	[ERR_LIMIT] = "limit",       [ERR_CANCELLED] = "cancelled", [ERR_SYSTEM] = "system", [ERR_USAGE] = "usage",
};

bool err_set(struct err *err, enum err_code code, const char *format, ...)
{
	char words[512];
	va_list args;

	if (!err)
		return false;
	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	err->code = code;
	text_clean(err->words, sizeof err->words, text_of(words));
	return false;
}

const char *err_name(enum err_code code)
{
	return (unsigned)code < sizeof names / sizeof *names ? names[code] : "unknown";
}
