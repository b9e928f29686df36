/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU-time accounting without records: how long each thread, interrupt vector and deferred call
 * (DPC) had the processor, in memory of a fixed size however long the trace is. The record
 * functions of thread_switch, isr_entry, isr_exit, dpc_entry and dpc_exit update it with the stamp
 * of the record, whether the record is kept, finds no room, or is not wanted (RECORDER_OFF). So it
 * agrees with the trace to the tick, and continues when the trace is full.
 *
 * A tick belongs to what runs between two such stamps: the innermost handler, otherwise the DPC,
 * otherwise the thread. The kernel's time before the stamp of an entry and after the stamp of an
 * exit is charged to what was interrupted.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

/* Known to recorder.S. Slots: threads by id, then 256 vectors, then 256 DPCs. */
#define ACCOUNT_THREADS 512
#define ACCOUNT_SLOTS   1024

/* The events that update the accounting, by their ids in events.def. */
#define ACCOUNT_SWITCH    2
#define ACCOUNT_ISR_ENTRY 5
#define ACCOUNT_ISR_EXIT  6
#define ACCOUNT_DPC_ENTRY 8
#define ACCOUNT_DPC_EXIT  9
#define ACCOUNT_MOVED_BY(id)                                                            \
    ((id) == ACCOUNT_SWITCH || (id) == ACCOUNT_ISR_ENTRY || (id) == ACCOUNT_ISR_EXIT || \
     (id) == ACCOUNT_DPC_ENTRY || (id) == ACCOUNT_DPC_EXIT)

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

enum account_of {
    ACCOUNT_OF_THREADS,
    ACCOUNT_OF_VECTORS,
    ACCOUNT_OF_DPCS,
    ACCOUNT_OFS,
};

/* Sets everything to 0; `running` is the thread that runs when the next trace begins. Call outside
 * of a trace. */
void trace_account_reset(uint16_t running);

/* For the recorder: a trace begins or ends at this TSC value. */
void trace_account_begin(uint64_t tsc);
void trace_account_end(uint64_t tsc);

/* One entry of the accounting; read it after the end of the trace. */
struct trace_account_of {
    uint64_t ticks;   /* modulo 2^59 */
    uint64_t entries; /* switches to the thread, or calls of the handler */
};
struct trace_account_of trace_account_get(enum account_of of, size_t id);
/* Returns the number of slots of a kind. */
size_t trace_account_size(enum account_of of);

/* Returns why a thread last left the processor, as in the event; 0 if it has not run. Call in a
 * trace. */
uint8_t trace_account_why(uint16_t thread);

#endif
