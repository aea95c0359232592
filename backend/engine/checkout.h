// SPDX-License-Identifier: MIT
/*
 * What a checkout of the reference stack says of itself: the variables of its .env, and of its
 * compose files the few lines that a profile can use. Both are read line by line, by pure
 * functions; what they do not understand they leave out. Variables may be secrets: free wipes.
 */
#ifndef LAKETOP_CHECKOUT_H
#define LAKETOP_CHECKOUT_H

#include "facts.h"
#include "mem.h"

enum { VARIABLES_MAX = 400, VARIABLE_SIZE = 4096, COMPOSE_MAX = 80, COMPOSE_PORTS_MAX = 10 };

struct variables {
	struct variable {
		char *name, *value;
	} *at;
	size_t n;
};
/* As bash would source it: export, quotes, comments, ${NAME}, ${NAME:-default}. */
void variables_read(struct variables *v, struct text file);
void variables_free(struct variables *v);
const char *variables_get(const struct variables *v, const char *name); /* NULL: not set */
/* $NAME, ${NAME}, ${NAME:-default}; $$ is a dollar. Unknown names expand to nothing, as in bash and compose. */
void variables_expand(const struct variables *v, struct text t, struct buf *out);

struct compose_port {
	uint16_t host, container;
};
struct compose_variable { /* NAME_PORT = number */
	char name[NAME_SIZE];
	uint16_t port;
};
struct compose_service {
	char name[NAME_SIZE];      /* its key in the file; of an anchor its name, with "&" */
	char container[NAME_SIZE]; /* container_name, "" where none is set */
	char image[160];           /* expanded; "" where it is only built */
	char file[NAME_SIZE];
	bool host_network;
	struct compose_port ports[COMPOSE_PORTS_MAX];
	size_t n_ports;
	struct compose_variable variables[COMPOSE_PORTS_MAX];
	size_t n_variables;
};
struct compose {
	struct compose_service *at;
	size_t n;
};
void compose_read(struct compose *c, const struct variables *v, struct text file, const char *name);
void compose_free(struct compose *c);
const struct compose_service *compose_container(const struct compose *c, const char *container); /* NULL: none */

/* "4.1.0" of "apache/spark:4.1.0-scala2.13", "3.5" of "confluentinc/cp-kafka:7.5.0". false: the tag says no version. */
bool image_says_version(const char *image, char *out, size_t size);

#endif
