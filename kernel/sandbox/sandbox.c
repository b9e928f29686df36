/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/sandbox/sandbox.h"

#include <stdint.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/interrupt_frame.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/simd.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/mem/address_space.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"
#include "kernel/mem/page_pool.h"
#include "kernel/mem/paging.h"
#include "kernel/sandbox/outcome.h"

/* enter.S: how the sandbox is entered and left. */

/* Enters ring 3 with all these registers. Returns when a vector with one of the entries below has
 * been raised there. Interrupts are off before and after. */
void sandbox_enter(const struct interrupt_frame *start);

/* Entries of vectors 0 to 31 and of the timer. Exceptions raised in ring 0 go to the common
 * entry. */
#define SANDBOX_ENTRIES     33
#define SANDBOX_ENTRY_TIMER 32

extern void (*const sandbox_entries[SANDBOX_ENTRIES])(void) __attribute__((visibility("hidden")));

_Static_assert(LAPIC_VECTOR_TIMER == SANDBOX_LIMIT_VECTOR && SELECTOR_DATA == 0x10 &&
                   INTERRUPT_ENTRY_SIZE == 8,
               "enter.S knows them");
_Static_assert(sizeof(struct interrupt_frame) == 22 * 8, "enter.S knows it");
_Static_assert(SANDBOX_RESULTS_BYTES == PAGE_SIZE, "one page of results");

#define SPACE_BYTES       (SANDBOX_AREA(SANDBOX_AREAS) - SANDBOX_BASE)
#define VECTOR_BREAKPOINT 3
#define VECTOR_OVERFLOW   4
#define CR4_PCE           (1ull << 8) /* allows RDPMC in ring 3 */
#define MXCSR_DEFAULT     0x1f80u

static struct {
    bool is_open;
    struct address_space space;
    struct simd_state simd;
    enum simd_level vectors;
    uint64_t cr3, cr4, efer, sysenter, fs_base, gs_base;
} box;

/* ---- open and close ---- */

/* Maps memory for ring 3. Code cannot be written, and what can be written cannot be executed. */
static void show(uint64_t address, const uint8_t *from, uint64_t bytes, bool code)
{
    box.space.bits = ENTRY_USER | (code ? 0 : paging_no_execute());
    for (uint64_t at = 0; at < bytes; at += PAGE_SIZE) {
        address_space_show(&box.space, address + at, from + at, code ? PAGE_SHARED : PAGE_OWN);
    }
}

static const char *make_space(void)
{
    if (sandbox.memory == NULL) {
        sandbox.memory = memory_allocate(SANDBOX_MEMORY_BYTES, PAGE_SIZE);
    }
    if (sandbox.memory == NULL || !page_pool_promise(address_space_pages(SPACE_BYTES)) ||
        !address_space_create(&box.space, SANDBOX_BASE, SPACE_BYTES)) {
        page_pool_reset();
        return "no memory for a sandbox";
    }
    show(SANDBOX_BASE, sandbox.memory, SANDBOX_RESULTS_OFFSET, true);
    show(SANDBOX_RESULTS, sandbox.memory + SANDBOX_RESULTS_OFFSET, PAGE_SIZE, false);
    for (unsigned i = 0; i < SANDBOX_AREAS; i++) {
        show(SANDBOX_AREA(i), sandbox.memory + SANDBOX_AREAS_OFFSET + i * SANDBOX_AREA_BYTES,
             SANDBOX_AREA_BYTES, false);
    }
    return NULL;
}

/* Enables the largest vector registers that the processor has. */
static void enable_vectors(void)
{
    static const enum simd_level levels[] = {SIMD_AVX512, SIMD_AVX2, SIMD_SSE};

    box.vectors = SIMD_NONE;
    for (unsigned i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (simd_enable(levels[i], &box.simd) == NULL) {
            box.vectors = levels[i];
            return;
        }
    }
}

const char *sandbox_open(void)
{
    if (paging_root() == 0 || cr3_read() != paging_root()) {
        return "the kernel's page tables are not active";
    }
    if (clock_state()->lapic_hz == 0) {
        return "there is no LAPIC timer to end an endless loop";
    }
    const char *why = make_space();

    if (why != NULL) {
        return why;
    }
    box.cr3 = cr3_read();
    box.cr4 = cr4_read();
    msr_read(MSR_EFER, &box.efer);
    msr_read(MSR_SYSENTER_CS, &box.sysenter);
    msr_read(MSR_FS_BASE, &box.fs_base);
    msr_read(MSR_GS_BASE, &box.gs_base);
    box.is_open = true;
    cr4_write((box.cr4 | CR4_PCE) & ~CR4_TSD);
    msr_write(MSR_EFER, box.efer & ~EFER_SYSCALL);
    msr_write(MSR_SYSENTER_CS, 0);
    enable_vectors();
    cr3_write(box.space.root);
    sandbox_clear();
    return NULL;
}

static void close_entries(void)
{
    for (unsigned vector = 0; vector < EXCEPTION_COUNT; vector++) {
        descriptors_reset_entry((uint8_t)vector);
    }
    descriptors_reset_entry(LAPIC_VECTOR_TIMER);
}

void sandbox_close(void)
{
    cr3_write(box.cr3);
    if (box.vectors != SIMD_NONE) {
        simd_restore(&box.simd);
    }
    msr_write(MSR_FS_BASE, box.fs_base);
    msr_write(MSR_GS_BASE, box.gs_base);
    msr_write(MSR_SYSENTER_CS, box.sysenter);
    msr_write(MSR_EFER, box.efer);
    cr4_write(box.cr4);
    page_pool_reset();
    box.is_open = false;
}

void sandbox_abandon(void)
{
    if (box.is_open) {
        lapic_timer_stop();
        close_entries();
        sandbox_close();
    }
}

const char *sandbox_vectors(void)
{
    return simd_name(box.vectors);
}

/* ---- programs ---- */

/* Sets the entries for ring 3. INT3 and INTO may be raised by ring 3; any other INT n is rejected.
 * NMI, double fault and machine check keep their usual entries. */
static void open_entries(void)
{
    for (uint8_t vector = 0; vector < EXCEPTION_COUNT; vector++) {
        if (vector == VECTOR_BREAKPOINT || vector == VECTOR_OVERFLOW) {
            descriptors_set_user_entry(vector, sandbox_entries[vector]);
        } else if (vector != VECTOR_NMI && vector != VECTOR_DOUBLE_FAULT &&
                   vector != VECTOR_MACHINE_CHECK) {
            descriptors_set_entry(vector, sandbox_entries[vector]);
        }
    }
    descriptors_set_entry(LAPIC_VECTOR_TIMER, sandbox_entries[SANDBOX_ENTRY_TIMER]);
}

static void reset_vectors(void)
{
    const uint32_t mxcsr = MXCSR_DEFAULT;

    if (box.vectors != SIMD_NONE) {
        __asm__ volatile("fninit; ldmxcsr %0" : : "m"(mxcsr));
    }
}

/* Stops the timer. If it expired after the code had ended, its interrupt is taken now, so that it
 * does not disturb later code. */
static void stop_timer(bool was_taken)
{
    lapic_timer_stop();
    if (was_taken) {
        lapic_end_of_interrupt();
        interrupt_count_expected(LAPIC_VECTOR_TIMER);
    } else if (lapic_is_requested(LAPIC_VECTOR_TIMER)) {
        interrupt_let_one_in();
    }
}

enum sandbox_end sandbox_run(unsigned number, uint64_t limit_ticks, size_t words, int64_t *begin,
                             int64_t *end)
{
    struct interrupt_frame start = sandbox_start(number);

    start.cs = SELECTOR_USER_CODE;
    start.ss = SELECTOR_USER_DATA;
    open_entries();
    reset_vectors();
    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, clock_lapic_counts(limit_ticks));
    sandbox_enter(&start);
    reset_vectors();
    close_entries();
    stop_timer(sandbox_left.vector == LAPIC_VECTOR_TIMER);
    return sandbox_judge(number, words, begin, end);
}
