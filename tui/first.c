// SPDX-License-Identifier: MIT
/*
 * The first frame is on the terminal before a library is set up or a thread is started: this is
 * the lake that it shows. Pure over the profile.
 */
#include <stdlib.h>

#include "clock.h"
#include "mem.h"
#include "run.h"

static bool required(const struct expectation *e, const struct demo *demo)
{
	if (!demo)
		return e->required;
	for (size_t i = 0; demo->services[i]; i++)
		if (text_is(text_of(e->name), demo->services[i]))
			return true;
	return false;
}

struct lake *first_lake(const struct setup *setup)
{
	const struct profile *profile = setup->profile;
	struct lake *lake = mem_new(1, sizeof *lake);
	struct service *services = mem_new(profile->n_services, sizeof *services);

	lake->host = setup->host->name;
	lake->profile = profile;
	lake->demo = setup->options->demo ? profile_demo(profile, setup->options->demo) : NULL;
	lake->now = clock_ms();
	lake->wall = clock_wall_ms();
	lake->services = mem_new(profile->n_services + 1, sizeof *lake->services); /* the last place holds the block */
	lake->services[profile->n_services] = services;
	lake->n_services = profile->n_services;
	for (size_t i = 0; i < profile->n_services; i++) {
		const struct expectation *e = &profile->services[i];

		services[i] = (struct service){
			.name = e->name, .expected = e, .kind = e->kind, .required = required(e, lake->demo), .asking = true,
			.group = e->group ? e->group : e->kind ? e->kind->group : "other",
			.verdict.shown.verdict = VERDICT_UNKNOWN,
			.at.port = e->n_ports ? e->ports[0].port : 0,
		};
		text_copy(services[i].at.address, sizeof services[i].at.address, text_of(e->address));
		lake->services[i] = &services[i];
		lake->n_required += services[i].required;
	}
	return lake;
}

void first_free(struct lake *lake)
{
	if (!lake)
		return;
	free(lake->services[lake->n_services]);
	free(lake->services);
	free(lake);
}
