/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a run file with the trace of a machine with several processors that never was, for tests of
 * what reads such traces.
 *
 *     processors_run OUT.db PROCESSORS EVENTS [HOLE]
 *
 * Threads of equal priority share the processors by quanta; a tick of each processor charges what
 * runs. A thread sleeps at times; the thread that wakes it moves it to an idle processor, if there
 * is one, which it interrupts. Two parts. With HOLE, records of the last processor are missing for
 * a while in the second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "kernel/trace/trace.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define HZ      UINT64_C(2000000000)
#define THREADS 12 /* with the bench's; idle ones apart */
#define CPUS    16
#define VECTOR  240
#define TIMER   64
#define BEGIN   UINT64_C(5000000000)

struct machine {
    struct trace_builder on[CPUS];
    unsigned cpus;
    uint64_t random;
    uint64_t tsc;
    unsigned runs[CPUS];    /* thread of each processor; 0: idle */
    unsigned home[THREADS]; /* processor of each thread */
    bool ready[THREADS];    /* waits for a processor */
    bool silent;            /* records of the last processor are dropped */
};

static unsigned below(struct machine *machine, unsigned limit)
{
    return (unsigned)(unit_random(&machine->random) >> 20) % limit;
}

#define RECORD(machine, cpu, name, ...)                                        \
    do {                                                                       \
        (machine)->tsc += 20 + below(machine, 200);                            \
        if (!(machine)->silent || (cpu) + 1 != (machine)->cpus) {              \
            TRACE_ADD(&(machine)->on[cpu], (machine)->tsc, name, __VA_ARGS__); \
        }                                                                      \
    } while (false)

static void begin_part(struct machine *machine, uint32_t part)
{
    for (unsigned i = 0; i < machine->cpus; i++) {
        trace_builder_init(&machine->on[i], machine->tsc, TRACE_PACKET_BYTES);
        machine->on[i].cpu = i;
        machine->on[i].part = part;
        TRACE_ADD(&machine->on[i], machine->tsc, thread_is, 0, 0, 0,
                  machine->runs[i] == 0 ? THREAD_RUNNING : THREAD_READY, WAIT_NONE);
        if (machine->runs[i] != 0) {
            TRACE_ADD(&machine->on[i], machine->tsc, thread_is, machine->runs[i], 0, 10,
                      THREAD_RUNNING, WAIT_NONE);
        }
    }
    for (unsigned id = 1; id < THREADS; id++) {
        if (machine->runs[machine->home[id]] != id) {
            TRACE_ADD(&machine->on[0], machine->tsc, thread_is, id, 0, 10,
                      machine->ready[id] ? THREAD_READY : THREAD_WAITING,
                      machine->ready[id] ? WAIT_NONE : WAIT_SLEEP);
        }
    }
}

static unsigned next_of(const struct machine *machine, unsigned cpu)
{
    for (unsigned i = 1; i < THREADS; i++) {
        const unsigned id = 1 + (machine->runs[cpu] + i - 1) % (THREADS - 1);

        if (machine->ready[id] && machine->home[id] == cpu) {
            return id;
        }
    }
    return 0;
}

static void switch_to(struct machine *machine, unsigned cpu, unsigned next, unsigned why,
                      unsigned state)
{
    const unsigned old = machine->runs[cpu];

    RECORD(machine, cpu, thread_switch, old, next, TRACE_WHY(why, state));
    machine->ready[old] = old != 0 && state == THREAD_READY;
    machine->ready[next] = false;
    machine->runs[cpu] = next;
}

/* The timer: a tick, at times the wake-up of a thread that sleeps, and the end of a quantum if an
 * equal waits. */
static void timer(struct machine *machine, unsigned cpu)
{
    const unsigned sleeps = 1 + below(machine, THREADS - 1);

    RECORD(machine, cpu, isr_entry, TIMER);
    RECORD(machine, cpu, tick, machine->runs[cpu]);
    if (!machine->ready[sleeps] && machine->runs[machine->home[sleeps]] != sleeps) {
        RECORD(machine, cpu, thread_ready, sleeps, TRACE_BY(TRACE_BY_VECTOR, TIMER));
        machine->ready[sleeps] = true;
    }
    const unsigned next = next_of(machine, cpu);

    if (next != 0 && machine->runs[cpu] != 0) {
        RECORD(machine, cpu, quantum, machine->runs[cpu], 0);
    }
    RECORD(machine, cpu, isr_exit, TIMER);
    if (next != 0) {
        switch_to(machine, cpu, next, machine->runs[cpu] == 0 ? WAIT_PREEMPTED : WAIT_QUANTUM,
                  THREAD_READY);
    }
}

/* The thread of `cpu` wakes one that sleeps. */
static void wake(struct machine *machine, unsigned cpu, unsigned id)
{
    unsigned to = machine->home[id];

    for (unsigned i = 0; i < machine->cpus && machine->runs[to] != 0; i++) {
        to = machine->runs[i] == 0 ? i : to;
    }
    RECORD(machine, cpu, thread_ready, id, TRACE_BY(TRACE_BY_THREAD, machine->runs[cpu]));
    machine->ready[id] = true;
    if (to != machine->home[id]) {
        RECORD(machine, cpu, thread_migrate, id, machine->home[id], to);
        machine->home[id] = to;
    }
    if (to != cpu && machine->runs[to] == 0) {
        RECORD(machine, cpu, ipi, to, IPI_RESCHEDULE);
        machine->tsc += 1000;
        RECORD(machine, to, isr_entry, VECTOR);
        RECORD(machine, to, isr_exit, VECTOR);
        switch_to(machine, to, id, WAIT_PREEMPTED, THREAD_READY);
    }
}

static void step(struct machine *machine)
{
    const unsigned cpu = below(machine, machine->cpus);
    const unsigned id = 1 + below(machine, THREADS - 1);

    machine->tsc += below(machine, 20000);
    if (machine->runs[cpu] == 0 || below(machine, 3) == 0) {
        timer(machine, cpu);
    } else if (below(machine, 3) == 0) {
        switch_to(machine, cpu, next_of(machine, cpu), WAIT_SLEEP, THREAD_WAITING);
    } else if (!machine->ready[id] && machine->runs[machine->home[id]] != id) {
        wake(machine, cpu, id);
    }
}

static void add_part(struct machine *machine, struct run_bench *bench, uint32_t part,
                     unsigned events, bool hole)
{
    const unsigned last = machine->cpus - 1;
    uint64_t lost_from = 0;

    begin_part(machine, part);
    for (unsigned i = 0; i < events; i++) {
        if (hole && i == events / 3) {
            machine->silent = true;
            lost_from = machine->tsc;
        } else if (hole && i == events / 2) {
            trace_builder_turn(&machine->on[last], lost_from, machine->tsc, 0);
            machine->on[last].discarded = 1;
            machine->silent = false;
        }
        step(machine);
    }
    machine->tsc += 100;
    for (unsigned i = 0; i < machine->cpus; i++) {
        trace_builder_finish(&machine->on[i], machine->tsc, bench)->costs =
            (struct run_trace_costs){.record = 10, .lead = 4, .extended = 20};
    }
    machine->tsc += 5000;
}

int main(int argc, char **argv)
{
    struct machine machine = {.random = 1, .tsc = BEGIN};
    struct run run;
    char error[RUNFILE_ERROR_MAX];

    if (argc < 4) {
        fputs("usage: processors_run OUT.db PROCESSORS EVENTS [HOLE]\n", stderr);
        return 2;
    }
    machine.cpus = (unsigned)atoi(argv[2]);
    machine.runs[0] = 1;
    for (unsigned id = 2; id < THREADS; id++) {
        machine.home[id] = id % machine.cpus;
        machine.ready[id] = id % 2 == 0;
    }
    run_init(&run);
    run_add_pair(&run, &run.info, "version", "test");
    run_add_pair(&run, &run.info, "kind", "real");
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = HZ, .by = "test"};
    run.ended = true;
    struct run_bench *bench = build_bench(&run, "hogs", 1);

    bench->state = STATE_OK;
    for (uint32_t part = 1; part <= 2; part++) {
        add_part(&machine, bench, part, (unsigned)atoi(argv[3]) / 2, argc > 4 && part == 2);
    }
    for (unsigned id = 2; id < THREADS; id++) {
        char name[16];

        snprintf(name, sizeof(name), "hog %u", id);
        trace_builder_name(bench, "thread", id, run_text(&run, name));
    }
    trace_builder_name(bench, "vector", TIMER, "timer");
    trace_builder_name(bench, "vector", VECTOR, "reschedule");
    const bool good = runfile_write(argv[1], &run, error);

    if (!good) {
        fprintf(stderr, "%s\n", error);
    }
    run_free(&run);
    return good ? 0 : 1;
}
