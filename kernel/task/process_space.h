/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of a process that the scheduler knows: its number and its address space. process.h has
 * the rest.
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
    /* counts per kind; process.c resolves no kinds from FAULT_FILE on */
    uint64_t faults[FAULT_FILE];
};

/* Returns a process's number, from 1; 0, the kernel, for NULL. */
uint16_t process_id(const struct process *process);

/* Switches to the process's address space unless it is active already. Kernel threads can run in
 * every address space, so NULL changes nothing. */
void process_enter(const struct process *process);

/* The process whose address space is active; NULL for the kernel's. */
extern const struct process *PER_CPU process_entered __attribute__((visibility("hidden")));

/* Returns to the kernel's address space. Inline because every session begins with it. */
static inline void process_leave(void)
{
    if (process_entered != NULL) {
        process_entered = NULL;
        cr3_write(paging_root());
    }
}

/* Sets the stack for interrupts and system calls from ring 3. */
static inline void process_set_kernel_stack(uint64_t top)
{
    descriptors_set_kernel_stack(top);
}
