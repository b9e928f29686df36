/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/process_space.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/mem/paging.h"

static const struct process *entered; /* whose address space is in force; NULL: the kernel's */

uint16_t process_id(const struct process *process)
{
    return process != NULL ? process->id : 0;
}

void process_enter(const struct process *process)
{
    if (process != NULL && process != entered) {
        entered = process;
        cr3_write(process->space.root);
    }
}

void process_leave(void)
{
    if (entered != NULL) {
        entered = NULL;
        cr3_write(paging_root());
    }
}
