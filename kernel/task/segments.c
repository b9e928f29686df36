/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/segments.h"

#include <string.h>

#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/msr.h"
#include "kernel/mem/address_space.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page_pool.h"
#include "kernel/task/process_space.h"

#define SEGMENT_BYTES (64ull << 10)
#define SIZE_4G       (4ull << 30)
#define PAGES         (SEGMENTS_END / PAGE_SIZE)

/* Entry of SYSCALL from 16-bit code (syscall.S). */
void syscall_refused_entry(void) __attribute__((visibility("hidden")));

static uint8_t *low; /* allocated once for all sessions; its first page holds the code */

static const char *take_low(void)
{
    if (low == NULL) {
        low = memory_allocate(SEGMENT_BYTES, SEGMENT_BYTES);
    }
    if (low == NULL) {
        return "no memory for 16-bit code";
    }
    return (uint64_t)(uintptr_t)low + SEGMENT_BYTES > SIZE_4G ? "no free memory below 4 GiB is left"
                                                              : NULL;
}

/* Sets where SYSCALL in 16-bit code goes if it does not raise #UD (SDM volume 2, SYSCALL); on AMD
 * and under QEMU it does not. */
static const char *refuse_calls(void)
{
    const uint64_t entry = (uint64_t)(uintptr_t)syscall_refused_entry;
    uint64_t got;

    return msr_write(MSR_CSTAR, entry) == 0 && msr_read(MSR_CSTAR, &got) == 0 && got == entry
               ? NULL
               : "the processor does not keep CSTAR, where SYSCALL of 16-bit code goes";
}

static void describe(void)
{
    const uint32_t base = (uint32_t)(uintptr_t)low;
    const struct segment_bases bases = {
        .code = base + SEGMENTS_CODE,
        .data = base + SEGMENTS_DATA,
        .extra = base + SEGMENTS_EXTRA,
        .stack = base,
    };

    descriptors_set_segments(&bases);
}

const char *segments_give(struct process *process, const void *code, size_t bytes, uint64_t *base)
{
    const char *why = take_low();
    struct low_page pages[PAGES] = {{0}};

    why = why == NULL ? refuse_calls() : why;
    if (why != NULL) {
        return why;
    }
    if (bytes > PAGE_SIZE || !page_pool_promise(address_space_low_pages() + PAGES)) {
        return "no memory for segments";
    }
    /* The address space of an earlier process may still be active, in which this page cannot be
     * written. */
    if (memcmp(low, code, bytes) != 0) {
        memcpy(low, code, bytes);
    }
    pages[0] = (struct low_page){.page = low, .code = true};
    for (size_t i = 1; i < PAGES; i++) {
        pages[i].page = page_pool_take();
    }
    if (!address_space_show_low(&process->space, (uint64_t)(uintptr_t)low, pages, PAGES)) {
        return "no memory for segments";
    }
    describe();
    *base = (uint64_t)(uintptr_t)low;
    return NULL;
}
