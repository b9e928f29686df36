/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a run file with the trace of a machine of four processors that never was: threads that are
 * woken from other processors, moved, preempted and stolen, whose quanta end and whose priorities
 * decay.
 *
 *     scheduler_run OUT.db EVENTS [PROCESSORS [lossy]]
 *
 * Its bench `smp` has two parts of half as many events each. As in the image, the processor with
 * the least local time acts next. If it is lossy, CPU 1 loses a packet of each part, and CPU 2 has
 * no room for 7 records. One line on stdout for each processor counts what its trace has: "cpu 1
 * elapsed 5000 idle 312 switch 77 wake 20 migrate 9 ipi 8 quantum 5 boost 11".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/trace/trace.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define HZ            UINT64_C(1000000000)
#define PROCESSORS    4
#define THREADS       10 /* the idle threads are thread 0 */
#define QUANTUM       20000
#define VECTOR_TIMER  32
#define VECTOR_IPI    253
#define COUNTED_LIMIT (TRACE_ID_quantum + 1)

struct thread {
    enum thread_state state;
    unsigned cpu; /* where it runs, or ran last */
    unsigned priority, boost;
    uint64_t since; /* stamp of its last event */
    uint64_t until; /* when it is to be woken, if it waits */
    uint64_t left;  /* of its quantum */
};

struct processor {
    struct trace_builder builder;
    uint64_t now; /* local time: stamp of its last event */
    uint64_t begin;
    unsigned current;
    uint64_t idle, elapsed;
    uint64_t counts[COUNTED_LIMIT]; /* by event */
};

struct machine {
    struct processor processors[PROCESSORS];
    unsigned count;
    struct thread threads[THREADS];
    uint64_t random;
    uint64_t events;
    bool lossy;
};

static unsigned below(struct machine *machine, unsigned limit)
{
    return (unsigned)(unit_random(&machine->random) >> 20) % limit;
}

static void record(struct machine *machine, unsigned cpu, uint32_t id,
                   const uint64_t fields[TRACE_FIELDS_MAX])
{
    struct processor *processor = &machine->processors[cpu];

    const uint64_t packets = processor->builder.packet.sequence;

    trace_builder_add(&processor->builder, processor->now, id, fields, false);
    if (machine->lossy && packets == 1 && processor->builder.packet.sequence == 2) {
        processor->builder.lost = cpu == 1;
        trace_builder_discard(&processor->builder, cpu == 2 ? 7 : 0);
    }
    processor->counts[id]++;
    machine->events++;
}

#define RECORD(machine, cpu, name, ...) \
    record((machine), (cpu), TRACE_ID_##name, (const uint64_t[TRACE_FIELDS_MAX]){__VA_ARGS__})

/* Time goes on for a processor, at least to `least`. */
static void pass(struct machine *machine, unsigned cpu, uint64_t ticks, uint64_t least)
{
    struct processor *processor = &machine->processors[cpu];
    const uint64_t now = processor->now + ticks > least ? processor->now + ticks : least;

    if (processor->current == TRACE_IDLE_THREAD) {
        processor->idle += now - processor->now;
    } else {
        struct thread *thread = &machine->threads[processor->current];
        const uint64_t ran = now - processor->now;

        thread->left -= ran < thread->left ? ran : thread->left;
    }
    processor->now = now;
}

static unsigned priority_of(const struct thread *thread)
{
    return thread->priority + thread->boost;
}

/* The ready thread of the highest priority whose processor this is; 0 if there is none. */
static unsigned next_ready(const struct machine *machine, unsigned cpu)
{
    unsigned best = 0;

    for (unsigned i = 1; i < THREADS; i++) {
        const struct thread *thread = &machine->threads[i];

        if (thread->state == THREAD_READY && thread->cpu == cpu &&
            (best == 0 || priority_of(thread) > priority_of(&machine->threads[best]) ||
             (priority_of(thread) == priority_of(&machine->threads[best]) &&
              thread->since < machine->threads[best].since))) {
            best = i;
        }
    }
    return best;
}

static void switch_to(struct machine *machine, unsigned cpu, unsigned next, enum wait_reason why,
                      enum thread_state left)
{
    struct processor *processor = &machine->processors[cpu];
    const unsigned old = processor->current;

    pass(machine, cpu, 40, machine->threads[next].since + 1);
    RECORD(machine, cpu, thread_switch, old, next, TRACE_WHY(why, left));
    if (old != TRACE_IDLE_THREAD) {
        machine->threads[old].state = left;
        machine->threads[old].since = processor->now;
    }
    if (next != TRACE_IDLE_THREAD) {
        struct thread *thread = &machine->threads[next];

        thread->state = THREAD_RUNNING;
        thread->cpu = cpu;
        thread->since = processor->now;
        thread->left = thread->left == 0 ? QUANTUM : thread->left;
    }
    processor->current = next;
}

static void boost(struct machine *machine, unsigned cpu, unsigned id, unsigned to,
                  enum boost_reason why)
{
    struct thread *thread = &machine->threads[id];

    if (thread->boost != to) {
        pass(machine, cpu, 10, 0);
        RECORD(machine, cpu, thread_boost, id, priority_of(thread), thread->priority + to, why);
        thread->boost = to;
    }
}

static void migrate(struct machine *machine, unsigned cpu, unsigned id, unsigned to)
{
    struct thread *thread = &machine->threads[id];

    pass(machine, cpu, 15, thread->since + 1);
    RECORD(machine, cpu, thread_migrate, id, thread->cpu, to);
    thread->cpu = to;
    thread->since = machine->processors[cpu].now;
}

/* The processor is interrupted by another, and runs the best of its threads if that is due. */
static void take_ipi(struct machine *machine, unsigned cpu, uint64_t sent)
{
    struct processor *processor = &machine->processors[cpu];

    pass(machine, cpu, 0, sent + 200);
    RECORD(machine, cpu, isr_entry, VECTOR_IPI);
    pass(machine, cpu, 60, 0);
    RECORD(machine, cpu, isr_exit, VECTOR_IPI);
    const unsigned next = next_ready(machine, cpu);

    if (next != 0 && (processor->current == TRACE_IDLE_THREAD ||
                      priority_of(&machine->threads[next]) >
                          priority_of(&machine->threads[processor->current]))) {
        switch_to(machine, cpu, next, WAIT_PREEMPTED, THREAD_READY);
    }
}

/* Wakes a thread: on its processor, or on an idle one. Returns the processor to interrupt, or the
 * own one. */
static unsigned wake(struct machine *machine, unsigned cpu, unsigned id, uint16_t by)
{
    struct thread *thread = &machine->threads[id];
    unsigned to = thread->cpu;

    pass(machine, cpu, 30, thread->since + 1);
    RECORD(machine, cpu, thread_ready, id, by);
    thread->state = THREAD_READY;
    thread->since = machine->processors[cpu].now;
    boost(machine, cpu, id, 2, (enum boost_reason)(BOOST_INPUT + below(machine, 3)));
    for (unsigned i = 0; i < machine->count; i++) {
        if (machine->processors[thread->cpu].current != TRACE_IDLE_THREAD &&
            machine->processors[i].current == TRACE_IDLE_THREAD) {
            to = i;
            break;
        }
    }
    if (to != thread->cpu) {
        migrate(machine, cpu, id, to);
    }
    if (to != cpu) {
        pass(machine, cpu, 20, 0);
        RECORD(machine, cpu, ipi, to, below(machine, 8) == 0 ? IPI_SHOOTDOWN : IPI_RESCHEDULE);
    }
    return to;
}

/* A thread that waits and whose time has come; 0 if there is none. */
static unsigned due(const struct machine *machine, uint64_t now)
{
    for (unsigned i = 1; i < THREADS; i++) {
        if (machine->threads[i].state == THREAD_WAITING && machine->threads[i].until <= now) {
            return i;
        }
    }
    return 0;
}

static void take_timer(struct machine *machine, unsigned cpu, unsigned id)
{
    struct processor *processor = &machine->processors[cpu];

    pass(machine, cpu, 50, 0);
    RECORD(machine, cpu, isr_entry, VECTOR_TIMER);
    const unsigned to = wake(machine, cpu, id, TRACE_BY(TRACE_BY_VECTOR, VECTOR_TIMER));
    const uint64_t sent = processor->now;

    pass(machine, cpu, 40, 0);
    RECORD(machine, cpu, isr_exit, VECTOR_TIMER);
    if (to != cpu) {
        take_ipi(machine, to, sent);
    } else if (processor->current == TRACE_IDLE_THREAD ||
               priority_of(&machine->threads[id]) >
                   priority_of(&machine->threads[processor->current])) {
        switch_to(machine, cpu, id, WAIT_PREEMPTED, THREAD_READY);
    }
}

/* An idle processor takes a ready thread of another. */
static void steal(struct machine *machine, unsigned cpu)
{
    for (unsigned other = 0; other < machine->count; other++) {
        const unsigned id = other != cpu ? next_ready(machine, other) : 0;

        if (id != 0) {
            migrate(machine, cpu, id, cpu);
            switch_to(machine, cpu, id, WAIT_PREEMPTED, THREAD_READY);
            return;
        }
    }
    pass(machine, cpu, 100 + below(machine, 2000), 0);
}

static void end_quantum(struct machine *machine, unsigned cpu)
{
    const unsigned id = machine->processors[cpu].current;
    struct thread *thread = &machine->threads[id];
    const unsigned next = next_ready(machine, cpu);

    RECORD(machine, cpu, quantum, id, 0);
    thread->left = QUANTUM;
    boost(machine, cpu, id, thread->boost > 0 ? thread->boost - 1 : 0, BOOST_DECAY);
    if (next != 0 && priority_of(&machine->threads[next]) >= priority_of(thread)) {
        switch_to(machine, cpu, next, WAIT_QUANTUM, THREAD_READY);
    }
}

static void block(struct machine *machine, unsigned cpu)
{
    static const enum wait_reason reasons[] = {WAIT_SLEEP, WAIT_DISK, WAIT_MESSAGE, WAIT_MUTEX};
    const unsigned id = machine->processors[cpu].current;

    machine->threads[id].until =
        machine->processors[cpu].now + 2000 + below(machine, id % 3 == 0 ? 200000 : 40000);
    switch_to(machine, cpu, next_ready(machine, cpu), reasons[below(machine, 4)], THREAD_WAITING);
}

static void step(struct machine *machine)
{
    unsigned cpu = 0;

    for (unsigned i = 1; i < machine->count; i++) {
        if (machine->processors[i].now < machine->processors[cpu].now) {
            cpu = i;
        }
    }
    struct processor *processor = &machine->processors[cpu];
    const unsigned wakes = due(machine, processor->now);

    if (wakes != 0) {
        take_timer(machine, cpu, wakes);
        return;
    }
    const unsigned next = next_ready(machine, cpu);

    if (processor->current == TRACE_IDLE_THREAD && next != 0) {
        switch_to(machine, cpu, next, WAIT_PREEMPTED, THREAD_READY);
    } else if (processor->current == TRACE_IDLE_THREAD) {
        steal(machine, cpu);
    } else if (machine->threads[processor->current].left == 0) {
        end_quantum(machine, cpu);
    } else if (below(machine, 12) == 0) {
        block(machine, cpu);
    } else {
        const uint64_t left = machine->threads[processor->current].left;
        const uint64_t ticks = 500 + below(machine, 5000);

        pass(machine, cpu, ticks < left ? ticks : left, 0);
    }
}

/* As the image: each running thread is stated by its processor, all others by the first. */
static void begin_part(struct machine *machine, uint64_t begin)
{
    for (unsigned cpu = 0; cpu < machine->count; cpu++) {
        struct processor *processor = &machine->processors[cpu];

        processor->now = processor->begin = begin + 7 * cpu;
        processor->current = cpu < machine->count - 1 ? 1 + cpu : TRACE_IDLE_THREAD;
        trace_builder_init(&processor->builder, processor->now, TRACE_PACKET_BYTES);
        processor->builder.cpu = cpu;
        RECORD(machine, cpu, thread_is, 0, 0, 0,
               processor->current == 0 ? THREAD_RUNNING : THREAD_READY, 0);
        if (processor->current != 0) {
            RECORD(machine, cpu, thread_is, processor->current, 0, 10, THREAD_RUNNING, 0);
        }
    }
    for (unsigned i = 1; i < THREADS; i++) {
        struct thread *thread = &machine->threads[i];

        *thread = (struct thread){.cpu = (i - 1) % machine->count,
                                  .priority = i < THREADS - 2 ? 10 : 12,
                                  .since = begin,
                                  .until = begin + UINT64_C(1000) * i,
                                  .left = QUANTUM};
        thread->state = i < machine->count ? THREAD_RUNNING : THREAD_WAITING;
        if (thread->state == THREAD_WAITING) {
            RECORD(machine, 0, thread_is, i, 0, thread->priority, THREAD_WAITING, WAIT_SLEEP);
        }
    }
}

static void end_part(struct machine *machine, struct run_bench *bench, uint32_t part)
{
    for (unsigned cpu = 0; cpu < machine->count; cpu++) {
        struct processor *processor = &machine->processors[cpu];

        pass(machine, cpu, 1000, 0);
        processor->elapsed += processor->now - processor->begin;
        processor->builder.part = part;
        trace_builder_finish(&processor->builder, processor->now, bench);
    }
}

static void name_objects(struct run_bench *bench)
{
    static const char *const names[THREADS] = {"idle",  "bench",  "editor", "compiler", "server",
                                               "disks", "logger", "mixer",  "input",    "pointer"};

    for (uint32_t i = 0; i < THREADS; i++) {
        trace_builder_name(bench, "thread", i, names[i]);
    }
    trace_builder_name(bench, "vector", VECTOR_TIMER, "timer");
    trace_builder_name(bench, "vector", VECTOR_IPI, "reschedule");
}

static void print_truth(const struct machine *machine)
{
    for (unsigned cpu = 0; cpu < machine->count; cpu++) {
        const struct processor *processor = &machine->processors[cpu];
        const uint64_t *counts = processor->counts;

        printf("cpu %u elapsed %" PRIu64 " idle %" PRIu64 " switch %" PRIu64 " wake %" PRIu64
               " migrate %" PRIu64 " ipi %" PRIu64 " quantum %" PRIu64 " boost %" PRIu64 "\n",
               cpu, processor->elapsed, processor->idle, counts[TRACE_ID_thread_switch],
               counts[TRACE_ID_thread_ready], counts[TRACE_ID_thread_migrate], counts[TRACE_ID_ipi],
               counts[TRACE_ID_quantum], counts[TRACE_ID_thread_boost]);
    }
}

int main(int argc, char **argv)
{
    static struct machine machine = {.random = 88172645463325252u, .count = PROCESSORS};
    const uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    if (argc > 3) {
        machine.count = (unsigned)strtoul(argv[3], NULL, 10);
    }
    machine.lossy = argc > 4;
    if (argc < 3 || events == 0 || machine.count < 1 || machine.count > PROCESSORS) {
        fputs("usage: scheduler_run OUT.db EVENTS [PROCESSORS [lossy]]\n", stderr);
        return 2;
    }
    run_init(&run);
    run_add_pair(&run, &run.info, "version", "test");
    run_add_pair(&run, &run.info, "kind", "real");
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = HZ, .by = "test"};
    run.ended = true;
    struct run_bench *bench = build_bench(&run, "smp", 1);

    name_objects(bench);
    for (uint32_t part = 1; part <= 2; part++) {
        begin_part(&machine, part * UINT64_C(3000000000));
        while (machine.events < events / 2 * part) {
            step(&machine);
        }
        end_part(&machine, bench, part);
    }
    print_truth(&machine);
    const bool written = runfile_write(argv[1], &run, error);

    if (!written) {
        fprintf(stderr, "scheduler_run: %s\n", error);
    }
    run_free(&run);
    return written ? 0 : 1;
}
