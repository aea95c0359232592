// SPDX-License-Identifier: MIT
/* The links of a scene, what several rules read from it, and the findings. Private to judging. */
#ifndef LAKETOP_EVIDENCE_H
#define LAKETOP_EVIDENCE_H

#include "scene.h"

void evidence_gather(const struct scene *s, struct link out[LINK_COUNT]);

const char *evidence_title(const struct scene *s); /* of the expected kind; else the service's name */
bool evidence_gone(const struct scene *s);         /* known not to run */
/* The version that answers: the pulse's, or what the deeper question told. NULL: unknown. */
const struct identity *evidence_version(const struct scene *s);
/* Where nothing better is told: the tag of its container's image, if that is a version. NULL: none. */
const char *evidence_image_version(const struct scene *s, char out[NAME_SIZE]);
int64_t evidence_started(const struct scene *s);   /* of who answers, ms since 1970; 0 unknown */
/* The profile's further ports that nobody listens on: "8082 (ui), 6066 (rest)"; "" none. */
void evidence_missing_ports(const struct scene *s, char out[LINK_VALUE_SIZE]);
/* Nobody listens where the service should, but somebody does at another address of the same port; else NULL. */
const struct listener *evidence_elsewhere(const struct scene *s);
extern const char evidence_other[];                /* of an answer without words of its own */

/* findings.c: after the verdict, adds what is wrong besides; the gravest first. */
void findings_add(const struct scene *s, struct judged *out);

/* Both a verdict and a finding have a reason and a remedy. */
#define reason(of, ...) scene_say((of)->reason, REASON_SIZE, __VA_ARGS__)
#define remedy(of, ...) scene_say((of)->remedy, REASON_SIZE, __VA_ARGS__)

#endif
