/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several processors that do the same at once, on one time base: each writes to its own memory,
 * and nothing is shared while they work.
 *
 * All that work take part, or as many as parameter "processors" of the bench permits, the kernel's
 * own first (bench/system/others.h). How far their TSCs are apart is measured before and behind
 * (kernel/smp/skew.h): a gap of one processor can be joined to one of another only where it is
 * longer than the bounds of both.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/system/others.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/smp/skew.h"

struct team {
    struct takers takers;
    struct skew before[PROCESSORS_MAX]; /* of takers.number[i], ahead of the first's */
    struct skew after[PROCESSORS_MAX];
    uint64_t origin; /* by the first's TSC: where all begin, in the run that was last */
    uint64_t limit;  /* ticks from where the kernel's own has ended: one that still works is lost */
};

/* Has the others started, finds who takes part and measures their skew. False: no memory, or a
 * processor does not answer; `why` has the reason. */
bool team_gather(struct bench_run *run, struct team *team, const char **why);

/* Called on processor takers.number[i] at the team's origin by its own TSC, which is `origin`, or
 * later where the processor was away then; interrupts off. `state` is team_run()'s states[i]. It
 * calls nothing that only the kernel may call (kernel/smp/processor.h). */
typedef void team_work(void *state, uint64_t origin);

/* Has all begin at one time, some microseconds from now, and returns when all have ended. Where the
 * team is of one, `work` is called here and at once. It may be called several times; between two
 * calls the others halt. False: one did not begin or did not come to an end. */
bool team_run(struct team *team, team_work *work, void *const *states);

/* Measures the skew again and publishes both; nothing where the team is of one. After the work.
 * False: no memory, or no answer. */
bool team_publish(const struct bench_run *run, struct team *team);

/* Where processors play in turns (bench_is_exact()), a PAUSE each: what the others do before their
 * first reading and behind their last one is then in nothing that is measured. Before and behind
 * the work. */
#define TEAM_SETTLE_TURNS 8
static inline void team_settle(bool in_turns)
{
    for (unsigned i = 0; i < TEAM_SETTLE_TURNS && in_turns; i++) {
        cpu_pause();
    }
}

/* NAME.N of the taker with this index; text of at most TEAM_NAME_MAX. Where `own_is_bare`, the
 * kernel's own is NAME alone. */
#define TEAM_NAME_MAX 48
const char *team_name(const struct team *team, size_t index, const char *name, bool own_is_bare,
                      char text[TEAM_NAME_MAX]);
