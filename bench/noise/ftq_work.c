/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/ftq_work.h"

#include "bench/noise/team.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"

/* Interrupts the work, which is due at `due`, and records that it began at `time`. Does not time
 * the interruption: that would take longer than a short interruption. Returns when the next one is
 * due. */
static uint64_t inject(struct ftq_work *work, uint64_t time, uint64_t due)
{
    idle_loop_spin(work->injector_iterations);
    if (work->injections < work->injections_max) {
        work->injection_time[work->injections] = (int64_t)time;
    }
    work->injections++;
    return due + work->injector_period;
}

void ftq_work(void *state, uint64_t origin)
{
    struct ftq_work *work = state;

    team_settle(work->pauses);
    const uint64_t first = tsc_read_ordered();
    uint64_t injection_due = origin + work->injector_period;
    uint64_t quantum_end = origin + work->quantum;
    uint64_t last = first;
    size_t quantum = 0;

    work->shortest = UINT64_MAX;
    while (quantum < work->quanta) {
        if (work->pauses) {
            cpu_pause();
        }
        if (work->injector_period != 0 && (int64_t)(last - injection_due) >= 0) {
            injection_due = inject(work, last - origin, injection_due);
        }
        idle_loop_spin(work->iterations);
        const uint64_t now = tsc_read();

        while ((int64_t)(now - quantum_end) >= 0 && quantum < work->quanta) {
            work->carry[quantum++] = (int64_t)(quantum_end - last);
            quantum_end += work->quantum;
        }
        if (quantum < work->quanta) {
            work->done[quantum]++;
            /* The first unit includes less of the loop, and the last one less of the other
             * processors' work. */
            work->shortest =
                now - last < work->shortest && work->units > 0 ? now - last : work->shortest;
        }
        work->units++;
        last = now;
    }
    team_settle(work->pauses);
    work->late = first - origin;
    work->elapsed = last - first;
    work->shortest = work->shortest != UINT64_MAX ? work->shortest : work->elapsed;
}
