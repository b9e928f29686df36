/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the scheduler knows of a process: its number, and that its threads run in its address space.
 * All else is process.h's.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/mem/address_space.h"
#include "kernel/mem/paging.h"
#include "kernel/trace/trace.h"

struct process {
    struct address_space space;
    uint16_t id;
    size_t stacks;
    uint64_t faults[FAULT_FILE]; /* of the kinds below that: process.c sees to no others */
};

/* A process's number, from 1; NULL: 0, the kernel. */
uint16_t process_id(const struct process *process);

/* Goes over to its address space, if it is not the one in force. A thread of the kernel is at home
 * in every one. */
void process_enter(const struct process *process);

/* Whose address space is in force; NULL: the kernel's. */
extern const struct process *process_entered __attribute__((visibility("hidden")));

/* Back to the kernel's. Inline: every session begins with it. */
static inline void process_leave(void)
{
    if (process_entered != NULL) {
        process_entered = NULL;
        cr3_write(paging_root());
    }
}

/* Where interrupts and system calls from ring 3 find a stack. */
static inline void process_set_kernel_stack(uint64_t top)
{
    descriptors_set_kernel_stack(top);
}
