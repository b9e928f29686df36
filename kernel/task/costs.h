/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel does outside its own records: from an interrupt to the stamp that reports it,
 * and from the last stamp to where the interrupted code goes on. Accounting adds it to what the
 * stamps report (tools/trace/accounting.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/trace/recorder.h"

struct task_costs {
    struct recorder_costs record;
    uint32_t isr_lead;  /* ticks from an interrupt to the stamp of its isr_entry */
    uint32_t isr_trail; /* from the stamp of isr_exit to where the interrupted code goes on */
    uint32_t dpc_trail; /* from the stamp of the last dpc_exit to there */
    uint32_t
        switch_trail; /* from the stamp of a thread_switch to where a preempted thread goes on */
};

/* Measures them, each the least of several, by loops of known length that are interrupted and
 * preempted by a timer. `memory`: 2 packets, overwritten. Outside any session and any trace,
 * interrupts off. False, and *why: task_begin() would be, or no timer ever came into a loop. */
bool task_measure_costs(void *memory, struct task_costs *costs, const char **why);
