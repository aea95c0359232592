// SPDX-License-Identifier: MIT
/* Documents and the parts that more than one of them has. Private to backend/report/. Pure. */
#ifndef LAKETOP_DOCUMENTS_H
#define LAKETOP_DOCUMENTS_H

#include "json.h"
#include "lake.h"

struct report_options;

void document_head(struct json_writer *w, int64_t wall); /* what every document begins with */
void put_owner(struct json_writer *w, const struct owner *o);
void status_json(const struct lake *lake, const struct report_options *options, struct buf *out);
void status_text(const struct lake *lake, const struct report_options *options, struct buf *out);

#endif
