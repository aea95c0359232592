// SPDX-License-Identifier: MIT
/* The panels, in the order of their keys. A new one is one line here and one in panels.h. */
#include "panels.h"

#include <string.h>

const struct panel *const panels[] = {
	&panel_overview,
	&panel_ports,
	&panel_kafka,
	&panel_tables,
	&panel_spark,
	&panel_logs,
	&panel_changes,
	&panel_service,
	NULL,
};

const struct panel *panel_named(const char *name)
{
	for (size_t i = 0; name && panels[i]; i++)
		if (!strcmp(panels[i]->name, name))
			return panels[i];
	return NULL;
}
