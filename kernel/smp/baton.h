/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time and order of a session on several processors (kernel/task/session.h), in the image tare-smp.
 *
 * A section is code with interrupts off (kernel/cpu/cpu.h): the kernel's own work. Only one
 * processor at a time is in one. There are two ways to arrange that:
 *
 * In real time, processors run concurrently, and a spinning lock guards the section. Should their
 * TSCs differ, the local time of the one behind is moved up when it enters a section.
 *
 * In exact time, one processor executes at a time: the holder of the baton. Each processor has a
 * local time, which is the TSC less what others executed while it waited. Before a section begins,
 * every processor whose local time is less runs up to that time; a section then begins when the
 * previous one has ended. So sections are ordered by local time, whatever the order in which
 * processors really executed. A processor runs ahead of the others by at most
 * BATON_AHEAD_INSTRUCTIONS, which is also the time that an interrupt takes from one processor to
 * another: so none is taken too late. An idle processor does not execute: its local time jumps to
 * its next event. Those that wait are halted.
 *
 * A tick that hands over takes one instruction of local time. What executes, and when in local
 * time, therefore depends on the code of the image only.
 */
#pragma once

#if TARE_SMP

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/smp/processor.h"

/* Time from sending an interrupt between processors until it is taken, in exact time. */
#define BATON_AHEAD_INSTRUCTIONS 1000
#define BATON_NEVER              UINT64_MAX

#define BATON_VECTOR_RESCHEDULE 0x41 /* the scheduler of the target must look at its queue */
#define BATON_VECTOR_TICK       PROCESSOR_VECTOR_TICK /* exact time: the LAPIC timer of the holder */
#define BATON_VECTOR_GRANT      0xf1 /* exact time: ends the HLT of the next holder */

/* Begins sharing between processors 0 to `processors` - 1, of which the caller is 0. The others
 * join by baton_join(). Call with interrupts off, which means in a section. */
void baton_begin(size_t processors, bool exact);
/* Called by each other processor, interrupts off. Returns in a section when it is its turn; its
 * local time is then at least that of processor 0 at baton_begin(). */
void baton_join(void);
/* Waits until all have joined. Returns false after a second without one of them. */
bool baton_wait_joined(void);
/* Sets to which processor devices interrupt; 0 at first. If there are such devices, an idle
 * processor does not jump to its next event in exact time, because the devices' time goes on as the
 * TSC does. */
void baton_set_devices(size_t processor);
/* Ends sharing. The other processors must have been stopped before, or be stopped now. The caller's
 * local time becomes the latest of all, and goes on from there until baton_forget(). */
void baton_end(void);
/* The caller's time is the TSC again. Call after the end of a trace. */
void baton_forget(void);

/* Returns the vector that this processor's LAPIC timer must raise. */
uint8_t baton_timer_vector(void);
/* In exact time, sets when LAPIC_VECTOR_TIMER is raised on this processor next, in place of an
 * earlier time. Otherwise does nothing and returns false: the LAPIC timer is the caller's. */
bool baton_arm(uint64_t deadline);
/* Sends BATON_VECTOR_RESCHEDULE to another processor. Call in a section. */
void baton_send(size_t to);
/* Loses the next interrupt that baton_send() sends, as a failing machine might. For tests. */
void baton_lose_next(void);
/* Makes the processors of `mask` forget all cached translations of addresses before they execute
 * anything else; returns when they have. Call in a section. */
void baton_flush(uint64_t mask);
/* Waits for an interrupt. For the idle thread, with interrupts on. */
void baton_idle(void);

/* Moves the caller's local time up to that of the processor that is furthest, so that no stamp of
 * any processor is later than the caller's next. Does nothing in real time. Call in a section. */
void baton_catch_up(void);

/* Returns how many processors share; 0: none does. */
size_t baton_processors(void);
/* Returns the ticks that a processor waited for others to leave a section, since baton_begin(). */
uint64_t baton_waited(size_t processor);
/* Returns the processor that may execute now; in real time, that which is in a section, or
 * PERCPU_MAX. */
size_t baton_holder(void);

#endif
