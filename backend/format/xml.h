// SPDX-License-Identifier: MIT
/*
 * XML, just enough to walk the answers of an S3 server: elements and text, in order. No document
 * type, no namespaces, no attributes' values; comments and declarations are passed over. Every
 * step is checked against the end; nothing is copied. Pure, any thread.
 */
#ifndef LAKETOP_FORMAT_XML_H
#define LAKETOP_FORMAT_XML_H

#include "mem.h"

enum xml_type { XML_END, XML_OPEN, XML_CLOSE, XML_TEXT, XML_DAMAGED };

struct xml {
	struct text rest;
	struct text name; /* of XML_OPEN and XML_CLOSE, without a namespace's prefix */
	struct text text; /* of XML_TEXT: as it stands, see xml_decode */
	bool closes;      /* <name/>: its XML_CLOSE comes next */
};
enum xml_type xml_next(struct xml *x);

/* Entities into characters. False: one is unknown or damaged; what came before it is there. */
bool xml_decode(struct text t, struct buf *out);

#endif
