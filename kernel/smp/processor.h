/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other processors: found in MADT, started by INIT and start-up IPIs (SDM volume 3 section
 * 9.4.4), given work one piece at a time, and idle in HLT between pieces, so that they disturb
 * nothing: an interrupt wakes them, and nothing polls.
 *
 * One processor at a time is the kernel's: it takes interrupts, runs threads and the bench. The
 * others run a function with interrupts off on a stack, a GDT, a TSS and an IDT of their own, and
 * share all memory and the kernel's page tables. What they run may read the TSC, read and write
 * memory, use msr_read() and msr_write(), and call what does no more than that; it must not call
 * the link, the allocator, threads or interrupts, and nothing here but processor_send(). A station
 * (station.h) handles its own interrupts. A function that waits for another processor should call
 * cpu_pause() now and then: an emulator that runs all processors in one thread switches to the next
 * only there. An exception in the function stops its processor for good. Before each piece of work
 * the TLB is empty.
 *
 * Numbers are 0 for the processor that firmware started, then the order of MADT.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/dev/acpi.h"

#define PROCESSORS_MAX 512

enum processor_state {
    PROCESSOR_NOT_STARTED, /* not asked for yet */
    PROCESSOR_WORKS,
    PROCESSOR_SILENT, /* did not answer, or cannot be used: `why` names which */
    PROCESSOR_ABSENT, /* MADT has its place, not enabled */
    PROCESSOR_LOST,   /* an exception ended it, or it did not finish in time */
};

struct processor {
    uint32_t apic_id;
    enum processor_state state;
    const char *why;    /* of SILENT, ABSENT and LOST */
    uint64_t fault_rip; /* of one that an exception ended; else 0 */
};

/* Reads what MADT lists; starts none. After lapic_init(). */
void processors_init(const struct cpu_identity *identity, const struct acpi_facts *acpi);

/* Starts all that MADT lists as enabled, once; later calls do nothing. Takes some 10 ms, and at
 * most 100 ms more for each that is silent; the rest go on without it. Behind eight in a row that
 * were silent each takes at most 2 ms more, until one answers. Needs memory below 1 MiB for the
 * code they begin in. The caller reports those that did not start. */
void processors_start(void);
/* That the next start will wait for; 0: it has been. */
size_t processors_to_start(void);
/* Enabled ones of MADT beyond PROCESSORS_MAX: they have no number, and are never started. */
size_t processors_beyond(void);

/* All that MADT lists, at most PROCESSORS_MAX; 1 where there is no MADT or no LAPIC. */
size_t processor_count(void);
const struct processor *processor_at(size_t number);
bool processor_works(size_t number);
const char *processor_state_name(enum processor_state state);
/* Of those that work, the kernel's own included. */
size_t processors_working(void);

/* Of a curve by how many take part, at most `most`, the number behind `count`: every one up to 8,
 * beyond it every doubling, and `most`. Behind that something larger. */
#define PROCESSORS_EACH_UP_TO 8
static inline size_t processors_next(size_t count, size_t most)
{
    const size_t next = count < PROCESSORS_EACH_UP_TO ? count + 1 : 2 * count;

    return count < most && next > most ? most : next;
}

/* The kernel's own. */
size_t processor_current(void);

typedef void processor_work(void *argument);

/* Has work(argument) begun on another processor; returns at once. False: it does not work, is the
 * caller, or has not finished what it was given before. */
bool processor_begin(size_t number, processor_work *work, void *argument);

/* Waits until it has finished: halted where interrupts are off, and takes the LAPIC timer for that.
 * False: not within `ticks` of the TSC, or an exception ended it; it is lost then. */
bool processor_await(size_t number, uint64_t ticks);

/* Has work(argument) done on another processor, and waits for its end without halting: from
 * wherever the kernel's processor is, its exception handlers included. None of our interrupts is
 * pending there when the work begins: it may give the processor to handlers of somebody else's. The
 * kernel does nothing else meanwhile, so that it may use what only the kernel may: the link, the
 * allocator, devices; but not threads. False: it does not work, has other work, was lost in it,
 * did not begin within 100 ms, or did not finish within `us`; it is lost then. */
bool processor_call(size_t number, processor_work *work, void *argument, uint64_t us);

/* Nothing that was on its way to this processor reaches anybody later: handlers are detached, and
 * what has arrived is let in and ended. Whatever may raise more is stopped before, except the
 * LAPIC timer. Takes 100 us. Interrupts off. */
void processor_drain(void);

/* Takes all others out of the work that they are in, those as well that were late with it and are
 * lost: who gave it is gone. One that does not let go within 100 ms is lost. From wherever the
 * kernel's processor is, its exception handlers included.
 */
void processors_abandon(void);

/* Stops another processor that works, as a machine might lose it, without notice. For tests. */
void processor_vanish(size_t number);

/* Calls function(argument) on processor `number` as the kernel's: interrupts, threads, LAPIC timer,
 * the caller's stack and all are that processor's until it returns. The caller meanwhile is one of
 * the others, and may be given work. What belongs to a processor (counters of events, interrupts
 * that were routed) the function sets up by itself. It may be left by a jump to no place outside
 * itself. Interrupts off. False: it does not work. Where the caller's processor is lost meanwhile,
 * this returns on the other one, which stays the kernel's. */
bool processor_move_kernel(size_t number, processor_work *function, void *argument);

/* The one that this runs on, whichever it is. */
size_t processor_here(void);

/* NMIs of unknown source that it has taken so far. */
uint64_t processor_nmis(size_t number);

/* Sends an interrupt to another processor. */
void processor_send(size_t number, uint8_t vector);

/* For an IPI's way there and back: work for the other side. With interrupts on it spins, or halts,
 * until `stop` is not 0; each PROCESSOR_VECTOR_PING that comes has its arrival's TSC put into
 * `arrived` and PROCESSOR_VECTOR_PONG sent to the processor `home`. One at a time. One that halts
 * sees `stop` behind the next interrupt. */
#define PROCESSOR_VECTOR_PING    0xe0
#define PROCESSOR_VECTOR_PONG    0xe1
#define PROCESSOR_VECTOR_WAKE    0xe2 /* nothing but the end of a HLT */
#define PROCESSOR_VECTOR_STATION 0xe3 /* station.h */
struct processor_answer {
    size_t home;
    bool halts;
    volatile uint64_t there;   /* 1: it listens */
    volatile uint64_t arrived; /* TSC of the other side at its handler's first instructions */
    volatile uint64_t stop;
};
processor_work processor_answer;
