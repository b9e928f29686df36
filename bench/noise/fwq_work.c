/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/fwq_work.h"

#include "bench/noise/team.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"

void fwq_work(void *state, uint64_t origin)
{
    struct fwq_work *work = state;

    team_settle(work->pauses);
    for (size_t i = 0; i <= work->count; i++) {
        if (i > 0) {
            idle_loop_spin(work->inner);
        }
        if (work->pauses) {
            cpu_pause();
        }
        work->stamps[i] = (int64_t)tsc_read_ordered();
    }
    if (work->pauses) {
        /* the last piece of the others includes this work, as all their pieces do */
        idle_loop_spin(work->inner);
    }
    team_settle(work->pauses);
    work->late = (uint64_t)work->stamps[0] - origin;
}
