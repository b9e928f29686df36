/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/ftq_work.h"

#include "kernel/cpu/cpu.h"
#include "kernel/idle/idle_loop.h"

/* Where it is due. Returns the time of the next one. */
static uint64_t steal(struct ftq_work *work, uint64_t origin, uint64_t due)
{
    const uint64_t begin = tsc_read_ordered();

    idle_loop_spin(work->thief_iterations);
    const uint64_t end = tsc_read_ordered();

    if (work->thefts < work->thefts_max) {
        work->thief_time[work->thefts] = (int64_t)(begin - origin);
        work->thief_length[work->thefts] = (int64_t)(end - begin);
    }
    work->thefts++;
    return due + work->thief_period;
}

void ftq_work(void *state, uint64_t origin)
{
    struct ftq_work *work = state;
    const uint64_t first = tsc_read_ordered();
    uint64_t thief_due = origin + work->thief_period;
    uint64_t quantum_end = origin + work->quantum;
    uint64_t last = first;
    size_t quantum = 0;

    work->shortest = UINT64_MAX;
    while (quantum < work->quanta) {
        if (work->pauses) {
            cpu_pause();
        }
        if (work->thief_period != 0 && (int64_t)(last - thief_due) >= 0) {
            thief_due = steal(work, origin, thief_due);
        }
        idle_loop_spin(work->iterations);
        const uint64_t now = tsc_read();

        work->shortest = now - last < work->shortest ? now - last : work->shortest;
        last = now;
        work->units++;
        while ((int64_t)(now - quantum_end) >= 0 && quantum < work->quanta) {
            quantum++;
            quantum_end += work->quantum;
        }
        if (quantum < work->quanta) {
            work->done[quantum]++;
        }
    }
    work->late = first - origin;
    work->elapsed = last - first;
}
