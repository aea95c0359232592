// SPDX-License-Identifier: MIT
/*
 * Hysteresis of the live screen: one bad probe is noise, three are news. A definite fact (process
 * gone, port held by another, another kind answers) counts at once, and so does the first verdict;
 * unknown gives way at once, for it is nothing to hold on to. Pure but for its own state.
 */
#include "judge.h"

#include "text.h"

enum { BAD_PROBES = 3, GOOD_PROBES = 2 };

/* One probe counts once, however often it is judged. True: enough of them agree. */
static bool enough(struct steady *s, unsigned *run, unsigned need, uint64_t generation)
{
	if (*run == 0 || generation != s->last_generation)
		++*run;
	s->last_generation = generation;
	return *run >= need;
}

static bool turns(struct steady *s, const struct judged *fresh, uint64_t generation)
{
	if (!s->begun)
		return true;
	if (fresh->verdict == s->shown.verdict) {
		s->bad_run = s->good_run = 0;
		return false;
	}
	if (fresh->definite || s->shown.verdict == VERDICT_UNKNOWN)
		return true;
	if (fresh->verdict == VERDICT_SERVING) {
		s->bad_run = 0;
		return enough(s, &s->good_run, GOOD_PROBES, generation);
	}
	s->good_run = 0;
	return enough(s, &s->bad_run, BAD_PROBES, generation);
}

bool steady_take(struct steady *s, const struct judged *fresh, uint64_t generation, int64_t wall)
{
	bool changed = turns(s, fresh, generation);

	if (changed) {
		s->shown = *fresh;
		s->begun = true;
		s->bad_run = s->good_run = 0;
		s->last_generation = generation;
		s->since_wall = wall;
	} else if (fresh->verdict == s->shown.verdict) {
		s->shown = *fresh;
	} else {
		/* the evidence is shown as it is; what it amounts to waits for the next probe */
		struct judged held = s->shown;

		s->shown = *fresh;
		s->shown.verdict = held.verdict;
		s->shown.definite = held.definite;
		text_copy(s->shown.reason, sizeof s->shown.reason, text_of(held.reason));
		text_copy(s->shown.remedy, sizeof s->shown.remedy, text_of(held.remedy));
	}
	return changed;
}
