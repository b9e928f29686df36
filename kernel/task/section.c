/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/section.h"

#include "kernel/mem/address_space.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page_pool.h"
#include "kernel/task/process_space.h"

bool section_create(struct section *section, uint64_t bytes)
{
    const uint64_t whole = (bytes + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;

    *section = (struct section){memory_allocate(whole, PAGE_SIZE), whole};
    return section->memory != NULL;
}

bool section_show(const struct section *section, struct process *process, uint64_t address)
{
    return address % PAGE_SIZE == 0 && address >= SECTIONS_BASE &&
           address <= SECTIONS_END - section->bytes &&
           page_pool_promise(address_space_apart_pages(section->bytes)) &&
           address_space_show_apart(&process->space, address, section->memory, section->bytes);
}
