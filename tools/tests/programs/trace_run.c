/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a run file with traces of a machine that never was, for tests of what reads them: threads,
 * interrupts that nest, deferred calls, system calls, faults, messages, locks and requests to a
 * disk, all as events.def would have them.
 *
 *     trace_run OUT.db EVENTS
 *
 * Its benches: `plain`, of some EVENTS events in a trace that lacks nothing; `lossy`, of some
 * 20000, where three parts lack packets, records that found no room and records that were
 * overwritten; twice run. One line on stdout for each lists what it lacks: "lossy 1 events 18223
 * discarded 1077 packets 3".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/trace/trace.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define HZ           UINT64_C(2249998123)
#define LOSSY_EVENTS 20000
#define THREADS      6
#define NO_THREAD    THREADS
#define PROCESS      1

/* Threads by rising priority: 0 is idle, and the last two belong to a separate process. */
struct machine {
    struct trace_builder builder;
    uint64_t random;
    uint64_t tsc;
    uint64_t events;
    enum thread_state state[THREADS];
    unsigned current;
    uint32_t issued; /* requests; the disk completes them in their order */
    uint32_t completed;
};

static unsigned below(struct machine *machine, unsigned limit)
{
    return (unsigned)(unit_random(&machine->random) >> 20) % limit;
}

/* Time goes on: mostly by some us, now and then by more than the 27 bits of a compact header. */
static uint64_t later(struct machine *machine)
{
    const unsigned kind = below(machine, 2000);

    machine->tsc += kind == 0 ? UINT64_C(300000000) : kind < 20 ? below(machine, 90000000) : 0;
    machine->tsc += 20 + below(machine, 5000);
    machine->events++;
    return machine->tsc;
}

#define RECORD(machine, name, ...) TRACE_ADD(&(machine)->builder, later(machine), name, __VA_ARGS__)

static unsigned priority_of(unsigned thread)
{
    return thread * 5;
}

/* The ready thread of the highest priority; idle if there is no other. */
static unsigned highest_ready(const struct machine *machine)
{
    unsigned thread = THREADS - 1;

    while (thread > 0 && machine->state[thread] != THREAD_READY) {
        thread--;
    }
    return thread;
}

static void switch_to(struct machine *machine, unsigned thread, enum wait_reason reason,
                      enum thread_state left)
{
    RECORD(machine, thread_switch, machine->current, thread, TRACE_WHY(reason, left));
    machine->state[machine->current] = left;
    machine->state[thread] = THREAD_RUNNING;
    machine->current = thread;
}

/* Makes a waiting thread ready; NO_THREAD if the chosen one does not wait. */
static unsigned wake(struct machine *machine, uint16_t by)
{
    const unsigned thread = 1 + below(machine, THREADS - 1);

    if (machine->state[thread] != THREAD_WAITING) {
        return NO_THREAD;
    }
    RECORD(machine, thread_ready, thread, by);
    machine->state[thread] = THREAD_READY;
    return thread;
}

static void settle(struct machine *machine, enum wait_reason reason)
{
    const unsigned thread = highest_ready(machine);

    if (thread > machine->current) {
        switch_to(machine, thread, reason, THREAD_READY);
    }
}

/* A thread's request, which an interrupt completes. */
static void issue_request(struct machine *machine)
{
    const uint32_t serial = machine->issued++;

    RECORD(machine, block_issue, 0, serial, UINT64_C(8) * below(machine, 1u << 20), 8,
           machine->issued - machine->completed);
}

static void complete_request(struct machine *machine)
{
    if (machine->completed != machine->issued) {
        const uint32_t serial = machine->completed++;

        RECORD(machine, block_complete, 0, serial, below(machine, 50) == 0 ? BLOCK_MEDIUM : 0,
               machine->issued - machine->completed);
    }
}

static void take_interrupt(struct machine *machine, unsigned vector, unsigned depth)
{
    const bool queues = below(machine, 3) == 0;

    RECORD(machine, isr_entry, vector);
    if (vector == 32) {
        RECORD(machine, timer_expire, machine->tsc - 5000);
        RECORD(machine, tick, machine->current);
    }
    if (depth == 0 && below(machine, 20) == 0) {
        take_interrupt(machine, 49, 1);
    }
    if (vector == 35) {
        complete_request(machine);
    }
    wake(machine, TRACE_BY(TRACE_BY_VECTOR, vector));
    if (queues && depth == 0) {
        RECORD(machine, dpc_queue, vector % 3);
    }
    RECORD(machine, isr_exit, vector);
    if (queues && depth == 0) {
        RECORD(machine, dpc_entry, vector % 3);
        wake(machine, TRACE_BY(TRACE_BY_DPC, vector % 3));
        RECORD(machine, dpc_exit, vector % 3);
    }
    if (depth == 0) {
        settle(machine, WAIT_PREEMPTED);
    }
}

static void send_message(struct machine *machine)
{
    RECORD(machine, syscall_entry, 1);
    const unsigned to = wake(machine, (uint16_t)machine->current);

    if (to != NO_THREAD) {
        RECORD(machine, message_send, to, 7, below(machine, 1000));
    }
    RECORD(machine, syscall_exit, 1);
    settle(machine, WAIT_OVERTAKEN);
}

static void use_lock(struct machine *machine)
{
    const unsigned lock = below(machine, 3);

    if (below(machine, 4) == 0) {
        RECORD(machine, lock_wait, lock, lock == 2 ? TRACE_NO_HOLDER : 1);
    }
    RECORD(machine, lock_acquire, lock);
    RECORD(machine, thread_priority, machine->current, priority_of(machine->current) + 1);
    RECORD(machine, lock_release, lock);
    RECORD(machine, thread_priority, machine->current, priority_of(machine->current));
}

static void block(struct machine *machine)
{
    static const enum wait_reason reasons[] = {WAIT_MESSAGE,   WAIT_SPECIFIC, WAIT_PIPE_EMPTY,
                                               WAIT_SEMAPHORE, WAIT_SLEEP,    WAIT_DISK};
    const enum wait_reason reason = reasons[below(machine, 6)];

    if (reason == WAIT_MESSAGE) {
        RECORD(machine, message_block, TRACE_TAG_ANY);
    }
    switch_to(machine, highest_ready(machine), reason, THREAD_WAITING);
}

/* Something that a thread does; idle does nothing. */
static void act(struct machine *machine)
{
    switch (below(machine, 10)) {
    case 0:
        send_message(machine);
        break;
    case 1:
        use_lock(machine);
        break;
    case 2:
        RECORD(machine, fault_entry, 0x7fffdeadb000u + machine->tsc % 4096, below(machine, 3));
        RECORD(machine, fault_exit, 0);
        break;
    case 3:
        RECORD(machine, mark, below(machine, 3), unit_random(&machine->random));
        break;
    case 4:
        RECORD(machine, counters, 4, machine->tsc, 0, UINT64_MAX, 99);
        break;
    case 5:
        RECORD(machine, syscall_entry, 200);
        RECORD(machine, syscall_exit, 200);
        break;
    case 6:
        RECORD(machine, message_receive, below(machine, THREADS), 3, UINT32_MAX);
        break;
    case 7:
        issue_request(machine);
        break;
    default:
        block(machine);
        break;
    }
}

static void step(struct machine *machine)
{
    static const unsigned vectors[] = {32, 32, 33, 35};

    if (machine->current == TRACE_IDLE_THREAD || below(machine, 4) == 0) {
        take_interrupt(machine, vectors[below(machine, 4)], 0);
    } else {
        act(machine);
    }
}

static void begin_part(struct machine *machine)
{
    trace_builder_init(&machine->builder, machine->tsc, TRACE_PACKET_BYTES);
    machine->current = 0;
    for (unsigned i = 0; i < THREADS - 1; i++) {
        machine->state[i] = i == 0 ? THREAD_RUNNING : THREAD_WAITING;
        RECORD(machine, thread_is, i, i == 4 ? PROCESS : 0, priority_of(i), machine->state[i],
               i == 0 ? WAIT_NONE : WAIT_SLEEP);
    }
    RECORD(machine, thread_start, THREADS - 1, PROCESS, priority_of(THREADS - 1));
    machine->state[THREADS - 1] = THREAD_READY;
    settle(machine, WAIT_OVERTAKEN);
}

static void end_part(struct machine *machine, struct run_bench *bench)
{
    struct run_trace *trace = trace_builder_finish(&machine->builder, machine->tsc + 1000, bench);

    trace->costs = (struct run_trace_costs){.record = 20,
                                            .lead = 12,
                                            .extended = 40,
                                            .isr_lead = 60,
                                            .isr_trail = 30,
                                            .dpc_trail = 27,
                                            .switch_trail = 25};
    machine->tsc += 1000000;
}

static void name_objects(struct run_bench *bench)
{
    trace_builder_name(bench, "thread", 0, "idle");
    trace_builder_name(bench, "thread", 1, "low");
    trace_builder_name(bench, "thread", 2, "it's \"odd\" \\ why? \x01\xff");
    trace_builder_name(bench, "thread", 4, "four");
    trace_builder_name(bench, "process", PROCESS, "user");
    trace_builder_name(bench, "vector", 32, "timer");
    trace_builder_name(bench, "vector", 33, "i8042");
    trace_builder_name(bench, "dpc", 0, "bottom half");
    trace_builder_name(bench, "lock", 0, "mutex A");
    trace_builder_name(bench, "lock", 2, "pipe");
    trace_builder_name(bench, "device", 0, "model");
    trace_builder_name(bench, "mark", 1, "begin of \"work\"");
    trace_builder_name(bench, "syscall", 1, "send message");
    trace_builder_name(bench, "syscall", 3, "yield");
}

static void add_plain(struct run *run, struct machine *machine, uint64_t events)
{
    struct run_bench *bench = build_bench(run, "plain", 1);

    name_objects(bench);
    machine->events = 0;
    begin_part(machine);
    while (machine->events < events) {
        step(machine);
    }
    end_part(machine, bench);
    printf("plain 1 events %" PRIu64 " discarded 0 packets 0\n", machine->events);
}

/* What becomes of the open packet, each of the kinds of loss once in a part. */
static void damage(struct machine *machine, unsigned part, uint64_t kept_packets)
{
    if (part == 1 && kept_packets == 3) {
        trace_builder_overwrite(&machine->builder);
    } else if (part == 2 && (kept_packets == 0 || kept_packets == 2)) {
        trace_builder_lose(&machine->builder);
    } else if (kept_packets == 4) {
        trace_builder_discard(&machine->builder, 7 + part);
    }
}

static void add_lossy(struct run *run, struct machine *machine, uint32_t pass)
{
    struct run_bench *bench = build_bench(run, "lossy", pass);
    uint64_t discarded = 0;

    name_objects(bench);
    for (unsigned part = 1; part <= 3; part++) {
        uint64_t reported = UINT64_MAX;

        machine->events = 0;
        begin_part(machine);
        while (machine->events < LOSSY_EVENTS / 3) {
            step(machine);
            if (machine->builder.packet.sequence != reported) {
                reported = machine->builder.packet.sequence;
                damage(machine, part, reported);
            }
        }
        if (part == 3) {
            trace_builder_turn(&machine->builder, machine->tsc, machine->tsc, 0);
            trace_builder_discard(&machine->builder, 1000);
            trace_builder_lose(&machine->builder);
        }
        end_part(machine, bench);
        discarded += bench->traces[part - 1].discarded + bench->traces[part - 1].overwritten;
    }
    printf("lossy %" PRIu32 " discarded %" PRIu64 " packets 3\n", pass, discarded);
}

int main(int argc, char **argv)
{
    struct machine machine = {.random = 88172645463325252u, .tsc = 7777777777u};
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    if (argc != 3 || strtoull(argv[2], NULL, 10) == 0) {
        fputs("usage: trace_run OUT.db EVENTS\n", stderr);
        return 2;
    }
    run_init(&run);
    run_add_pair(&run, &run.info, "version", "test");
    run_add_pair(&run, &run.info, "kind", "real");
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = HZ, .by = "test"};
    run.ended = true;
    add_plain(&run, &machine, strtoull(argv[2], NULL, 10));
    add_lossy(&run, &machine, 1);
    add_lossy(&run, &machine, 2);
    const bool written = runfile_write(argv[1], &run, error);

    if (!written) {
        fprintf(stderr, "trace_run: %s\n", error);
    }
    run_free(&run);
    return written ? 0 : 1;
}
