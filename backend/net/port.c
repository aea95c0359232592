// SPDX-License-Identifier: MIT
/* What a probe knows of ports by the profile. By itself: who only reads files over HTTP need not be linked with every kind of service. */
#include <string.h>

#include "net.h"
#include "profile.h"

uint16_t probe_port(const struct probe *p, const char *role)
{
	const struct service_kind *kind = p->expected ? p->expected->kind : NULL;
	uint16_t port = p->expected ? expected_role_port(p->expected, role) : 0;

	for (const struct port_role *r = kind ? kind->ports : NULL; !port && r && r->role; r++)
		if (!strcmp(r->role, role))
			port = r->port;
	return port;
}
