/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other processors: found in MADT, started by INIT and start-up IPIs (SDM volume 3 section
 * 9.4.4), and given one piece of work at a time. Between pieces they halt until an interrupt wakes
 * them; they never poll, so that they disturb nothing.
 *
 * One processor at a time runs the kernel: it takes interrupts and runs threads and the bench. The
 * others run a function with interrupts off, each on a separate stack, GDT, TSS and IDT; they share
 * all memory and the kernel's page tables. Such a function may read the TSC, read and write memory,
 * use msr_read() and msr_write(), and call functions that do no more than that. It must not use the
 * link, the allocator, threads or interrupts, and from this header only processor_send(). An event
 * server (event_server.h) handles its own interrupts. A function that waits for another processor
 * should call cpu_pause() regularly: an emulator that runs all processors in one thread switches to
 * the next one only there. An exception in the function stops its processor for good. The TLB is
 * empty before each piece of work.
 *
 * Processor 0 is the one that firmware started; the others are numbered in the order of MADT.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/dev/acpi.h"

#define PROCESSORS_MAX 512

enum processor_state {
    PROCESSOR_NOT_STARTED, /* processors_start() has not been called yet */
    PROCESSOR_WORKS,
    PROCESSOR_SILENT, /* did not answer, or cannot be used; `why` gives the reason */
    PROCESSOR_ABSENT, /* MADT lists it as not enabled */
    PROCESSOR_LOST,   /* an exception ended it, or it did not finish in time */
};

struct processor {
    uint32_t apic_id;
    enum processor_state state;
    const char *why;    /* reason for SILENT, ABSENT and LOST */
    uint64_t fault_rip; /* instruction address of the exception that ended it; otherwise 0 */
};

/* Reads which processors MADT lists; starts none. Call after lapic_init(). */
void processors_init(const struct cpu_identity *identity, const struct acpi_facts *acpi);

/* Starts all processors that MADT lists as enabled; later calls do nothing. Takes about 10 ms, plus
 * up to 100 ms for each silent processor; the run goes on without those. After eight silent ones in
 * a row, each takes at most 2 ms more, until one answers. Needs memory below 1 MiB for the start-up
 * code. The caller reports those that did not start. */
void processors_start(void);
/* Returns how many processors processors_start() will start; 0 if it has been called. */
size_t processors_to_start(void);
/* Returns how many enabled processors MADT lists beyond PROCESSORS_MAX: they have no number and are
 * never started. */
size_t processors_beyond(void);

/* Returns how many processors MADT lists, at most PROCESSORS_MAX; 1 if there is no MADT or no
 * LAPIC. */
size_t processor_count(void);
const struct processor *processor_at(size_t number);
bool processor_works(size_t number);
const char *processor_state_name(enum processor_state state);
/* Returns how many processors work, including the kernel's own. */
size_t processors_working(void);

/* Returns the next point after `count` of a curve over the number of processors: each number up to
 * 8, then each doubling, and finally `most`. After `most` it returns a larger number. */
#define PROCESSORS_EACH_UP_TO 8
static inline size_t processors_next(size_t count, size_t most)
{
    const size_t next = count < PROCESSORS_EACH_UP_TO ? count + 1 : 2 * count;

    return count < most && next > most ? most : next;
}

/* Returns the number of the processor that runs the kernel. */
size_t processor_current(void);
/* Returns the first other processor that works, or the kernel's own if there is none. */
size_t processor_other(void);

typedef void processor_work(void *argument);

/* Starts work(argument) on another processor and returns at once. Returns false if that processor
 * does not work, is the caller, or has not finished its previous work. */
bool processor_begin(size_t number, processor_work *work, void *argument);

/* Waits until the processor has finished its work. With interrupts off it halts meanwhile, for
 * which it uses the LAPIC timer. Returns false if the work took longer than `ticks` of the TSC or
 * an exception ended it; the processor is then lost. */
bool processor_await(size_t number, uint64_t ticks);

/* Runs work(argument) on another processor and waits for its end without halting. May be called
 * anywhere on the kernel's processor, including exception handlers. When the work begins, no
 * interrupt of the image is pending on the other processor, so the work may pass the processor to
 * other handlers, such as firmware's. The kernel does nothing else meanwhile, so the work may use
 * what only the kernel may use (the link, the allocator, devices), except threads. Returns false if
 * the processor does not work, has other work, did not begin within 1 s, or was lost during the
 * work. If the work did not finish within `us` microseconds, the processor is lost. */
bool processor_call(size_t number, processor_work *work, void *argument, uint64_t us);

/* Makes sure that no interrupt already on its way to this processor arrives later: detaches
 * handlers, and takes and acknowledges what has arrived. All sources of interrupts except the LAPIC
 * timer must have been stopped before. Takes 100 us. Call with interrupts off. */
void processor_drain(void);

/* Takes all other processors out of their work, because the code that gave it is gone. This
 * includes processors that were late and are lost. A processor that does not stop within 100 ms is
 * lost. May be called anywhere on the kernel's processor, including exception handlers. */
void processors_abandon(void);

/* Stops another working processor without notice, as a failing machine might. For tests. */
void processor_vanish(size_t number);

/* Moves the kernel to processor `number` and calls function(argument) there: interrupts, threads,
 * the LAPIC timer, the caller's stack and everything else belong to that processor until the
 * function returns. The caller's processor is meanwhile one of the others, and may be given work.
 * The function must set up by itself what belongs to a processor, such as event counters and routed
 * interrupts. It must not be left by a jump to a place outside it. Call with interrupts off.
 * Returns false if the processor does not work. If the caller's processor is lost meanwhile, this
 * returns on the new processor, which then keeps the kernel. */
bool processor_move_kernel(size_t number, processor_work *function, void *argument);

#if TARE_SMP
/* Returns the TSS of a processor other than the kernel's. */
struct task_state *processor_task_state(size_t number);
#endif

/* Returns the number of the processor that executes this call. */
size_t processor_here(void);

/* Returns how many NMIs of unknown source the processor has taken so far. */
uint64_t processor_nmis(size_t number);

/* Sends an interrupt to another processor. */
void processor_send(size_t number, uint8_t vector);

/* The other side of a measurement of interrupts between processors: processor_answer() is the work
 * for it. With interrupts on it spins, or halts, until `stop` is not 0. For each
 * PROCESSOR_VECTOR_PING it stores the TSC of the arrival in `arrived` and sends
 * PROCESSOR_VECTOR_PONG to the processor `sender`. Only one may run at a time. If it halts, it
 * notices `stop` only after the next interrupt. */
#define PROCESSOR_VECTOR_PING         0xe0
#define PROCESSOR_VECTOR_PONG         0xe1
#define PROCESSOR_VECTOR_WAKE         0xe2 /* only ends a HLT */
#define PROCESSOR_VECTOR_TICK         0xe8 /* of processors that take turns (baton.h) */
#define PROCESSOR_VECTOR_EVENT_SERVER 0xe3 /* for event servers (event_server.h) */
struct processor_answer {
    size_t sender; /* the processor that sends the pings */
    bool halts;
    volatile uint64_t there;   /* 1 as soon as it accepts interrupts */
    volatile uint64_t arrived; /* TSC of the other side at the first instructions of its handler */
    volatile uint64_t stop;
};
processor_work processor_answer;
