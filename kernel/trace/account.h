/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The account without records: how long each thread, interrupt vector and DPC had the processor, in
 * memory of a fixed size however long that is. The record functions of thread_switch, isr_entry,
 * isr_exit, dpc_entry and dpc_exit keep it by the stamp of the record, whether the record is kept,
 * finds no room, or none is wanted (RECORDER_OFF). So it agrees with the trace to the tick, and
 * goes on where the trace ends.
 *
 * A tick belongs to what runs between two such stamps: the innermost handler, else the DPC, else
 * the thread. What the kernel takes before an entry's stamp and behind an exit's is the interrupted
 * one's.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

/* Known to recorder.S. Slots: threads by id, then 256 vectors, then 256 DPCs. */
#define ACCOUNT_THREADS 512
#define ACCOUNT_SLOTS   1024

/* The events that move it, by their ids in events.def. */
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

/* All are 0 again; thread `running` runs when the next trace begins. Outside of a trace. */
void trace_account_reset(uint16_t running);

/* For the recorder: a trace begins and ends, by its stamps. */
void trace_account_begin(uint64_t tsc);
void trace_account_end(uint64_t tsc);

/* After the end. */
struct trace_account_of {
    uint64_t ticks;   /* modulo 2^59 */
    uint64_t entries; /* switches to the thread; calls of the handler */
};
struct trace_account_of trace_account_get(enum account_of of, size_t id);
/* How many there are of a kind. */
size_t trace_account_size(enum account_of of);

/* Why a thread last left the processor, as the event had it; 0: it has not run. In a trace. */
uint8_t trace_account_why(uint16_t thread);

#endif
