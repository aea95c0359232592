// SPDX-License-Identifier: MIT
/* The panel of logs on logs that are really read, and somebody who does what it asks for, as the engine does. */
#ifndef LAKETOP_FIXTURE_LOGS_H
#define LAKETOP_FIXTURE_LOGS_H

#include "host.h"
#include "panel.h"

struct log_stage {
	const struct panel *panel;
	void *look;
	struct lake lake;
	struct panel_view view;
	struct log_source sources[2];
	size_t n;
	struct host *host;
	struct logs *logs, *found;
};

void log_stage_set(struct log_stage *s, struct host *host, int64_t wall, const struct log_source *sources, size_t n);
unsigned log_press(struct log_stage *s, enum act act); /* and until it waits for nothing; its first reactions */
void log_stage_strike(struct log_stage *s);

void logs_await(struct logs *logs); /* until all is read */
/* What three servers wrote on the evening of FIXTURE_WALL: levels, a trace, long and hostile lines. */
struct logs *fixture_logs(struct host *host);

#endif
