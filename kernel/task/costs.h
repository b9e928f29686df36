/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the time that the kernel spends outside its trace records: from an interrupt to the
 * stamp that reports it, and from the last stamp until the interrupted code continues. Accounting
 * adds these times to what the stamps report (tools/trace/accounting.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/trace/recorder.h"

struct task_costs {
    struct recorder_costs record;
    uint32_t isr_lead;  /* ticks from an interrupt to the stamp of its isr_entry */
    uint32_t isr_trail; /* ticks from the stamp of isr_exit until the interrupted code continues */
    /* ticks from the stamp of the last dpc_exit until the interrupted code continues */
    uint32_t dpc_trail;
    /* ticks from the stamp of a thread_switch until a preempted thread continues */
    uint32_t switch_trail;
};

/* Measures the costs, each as the minimum of several tries, by loops of known length that a timer
 * interrupts and preempts. `memory` has 2 packets and is overwritten. Call outside any session and
 * trace, with interrupts off. Returns false and sets *why if task_begin() fails or no timer
 * interrupt ever came during a loop. */
bool task_measure_costs(void *memory, struct task_costs *costs, const char **why);
