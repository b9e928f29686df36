/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/file_calls.h"

#include <stddef.h>

#include "kernel/block/file.h"
#include "kernel/block/file_map.h"
#include "kernel/block/file_page.h"
#include "kernel/cpu/cpu.h"
#include "kernel/task/process_space.h"
#include "kernel/task/scheduler.h"
#include "kernel/task/syscall.h"
#include "kernel/task/user.h"

static bool whole_pages(uint64_t address, uint64_t bytes)
{
    return address % FILE_PAGE == 0 && bytes % FILE_PAGE == 0 && bytes <= PROCESS_BYTES &&
           address - PROCESS_BASE <= PROCESS_BYTES - bytes;
}

/* Returns true if the process has private pages at all of these addresses. A page that it has not
 * written to yet would fault, and the kernel does not resolve its own faults. */
static bool may_write(const struct process *process, uint64_t address, uint64_t bytes)
{
    enum page_access access = PAGE_OWN;

    for (uint64_t at = 0; at < bytes && access == PAGE_OWN; at += FILE_PAGE) {
        address_space_page(&process->space, address + at, &access);
    }
    return access == PAGE_OWN;
}

static uint64_t call_open(const char *name)
{
    const struct file *file = file_open(name);

    return file != NULL ? file_index(file) : SYSCALL_REFUSED;
}

/* Other threads may run between two pages. */
static uint64_t call_read(uint64_t number, uint64_t address, uint64_t bytes)
{
    struct file *file = file_by_index(number);

    if (file == NULL || !whole_pages(address, bytes) ||
        !may_write(scheduler_running()->process, address, bytes)) {
        return SYSCALL_REFUSED;
    }
    interrupts_enable();
    const int64_t done = file_read(file, (void *)(uintptr_t)address, bytes);

    interrupts_disable();
    return done >= 0 ? (uint64_t)done : SYSCALL_REFUSED;
}

static uint64_t call_seek(uint64_t number, uint64_t offset)
{
    struct file *file = file_by_index(number);

    if (file == NULL || offset % FILE_PAGE != 0) {
        return SYSCALL_REFUSED;
    }
    file_seek(file, offset);
    return 0;
}

static uint64_t call_map(uint64_t number, uint64_t address, uint64_t bytes)
{
    struct file *file = file_by_index(number);

    if (file == NULL || !whole_pages(address, bytes) || bytes == 0) {
        return SYSCALL_REFUSED;
    }
    return file_map(file, scheduler_running()->process, address - PROCESS_BASE,
                    file->offset / FILE_PAGE, bytes / FILE_PAGE) == NULL
               ? 0
               : SYSCALL_REFUSED;
}

void file_calls_open(void)
{
    static const struct syscall_files calls = {
        .open = call_open,
        .read = call_read,
        .seek = call_seek,
        .map = call_map,
    };

    if (file_pages_kept()) {
        syscall_set_files(&calls);
    }
}
