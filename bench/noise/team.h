/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the same work on several processors at once, on one time base. Each processor writes to its
 * own memory; nothing is shared while they work.
 *
 * All working processors take part, at most as many as parameter "processors" of the bench permits,
 * the kernel's own first (bench/system/others.h). The skew of their TSCs is measured before and
 * after the work (kernel/smp/skew.h). A gap of one processor can be matched with a gap of another
 * only if it is longer than the bounds of both.
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
    /* skew of takers.number[i]: how far its TSC is ahead of the first processor's */
    struct skew before[PROCESSORS_MAX];
    struct skew after[PROCESSORS_MAX];
    uint64_t origin; /* TSC of the first processor at which all began the last run */
    /* ticks after the end of the kernel's own work; a processor that still works then is lost */
    uint64_t limit;
};

/* Starts the other processors, finds who takes part and measures their skew. Returns false if there
 * is not enough memory or a processor does not answer, and sets *why to the reason. */
bool team_gather(struct bench_run *run, struct team *team, const char **why);

/* Called on processor takers.number[i] at the common start time, with interrupts off. `origin` is
 * that time on the processor's own TSC. The call is late if something else held the processor at
 * that time. `state` is states[i] of team_run(). It must not call what only the kernel may call
 * (kernel/smp/processor.h). */
typedef void team_work(void *state, uint64_t origin);

/* Lets all processors begin at the same time, some microseconds from now, and returns when all have
 * ended. In a team of one, calls `work` here at once. May be called several times; between two
 * calls the other processors halt. Returns false if a processor did not begin or did not end. */
bool team_run(struct team *team, team_work *work, void *const *states);

/* Measures the skew again and publishes both measurements; does nothing in a team of one. Call
 * after the work. Returns false if there is not enough memory or a processor does not answer. */
bool team_publish(const struct bench_run *run, struct team *team);

/* Call before and after the work. If processors take turns (bench_is_exact()), executes a few
 * PAUSEs, so that nothing measured contains what the other processors do before their first reading
 * and after their last one. */
#define TEAM_SETTLE_TURNS 8
static inline void team_settle(bool in_turns)
{
    for (unsigned i = 0; i < TEAM_SETTLE_TURNS && in_turns; i++) {
        cpu_pause();
    }
}

/* Returns NAME.N for the participant with this index, written to `text`, or NAME alone for the
 * kernel's own processor if `own_is_bare`. */
#define TEAM_NAME_MAX 48
const char *team_name(const struct team *team, size_t index, const char *name, bool own_is_bare,
                      char text[TEAM_NAME_MAX]);
