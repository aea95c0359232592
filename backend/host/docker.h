// SPDX-License-Identifier: MIT
/* What the Docker Engine API answers, as rows. Pure; the asking half is docker.c. */
#ifndef LAKETOP_DOCKER_H
#define LAKETOP_DOCKER_H

#include "err.h"
#include "facts.h"
#include "text.h"

enum { IMAGE_ID_SIZE = 80 };

struct listed { /* one container as the list tells it */
	struct container row;
	char image_id[IMAGE_ID_SIZE]; /* "sha256:..." */
	int64_t age; /* ms: its status words are at most this old; -1: they do not say */
};
/* Calls each for every container that has an id. */
bool docker_parse_list(struct text body, void (*each)(void *ctx, const struct listed *one), void *ctx, struct err *err);
/* Fills in what only inspect knows: restarts, exit code, times, error, the image as it was typed. */
bool docker_parse_inspect(struct text body, struct container *row, struct err *err);
bool docker_parse_image(struct text body, int64_t *created, struct err *err);

/* "Up 5 minutes (healthy)": the upper end of what the words say, in ms; -1 where they say nothing. */
int64_t docker_age(struct text status);
/* The version to ask with: ours at most, theirs at most. "" where theirs is none. */
void docker_version(struct text theirs, char *out, size_t size);

#endif
