/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/process_space.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"

const struct process *PER_CPU process_entered PER_CPU_SECTION;

uint16_t process_id(const struct process *process)
{
    return process != NULL ? process->id : 0;
}

void process_enter(const struct process *process)
{
    if (process != NULL && process != process_entered) {
        process_entered = process;
        cr3_write(process->space.root);
    }
}
