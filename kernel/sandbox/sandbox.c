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
#include "kernel/sandbox/fault_text.h"

/* enter.S: how the sandbox is entered and left. */

/* Enters ring 3 with all these registers. Returns when a vector with one of the entries below has
 * been raised there. Interrupts are off before and after. */
void sandbox_enter(const struct interrupt_frame *start);

/* Registers and CR2 when ring 3 was left. */
extern struct interrupt_frame sandbox_left __attribute__((visibility("hidden")));

extern uint64_t sandbox_cr2 __attribute__((visibility("hidden")));

/* Entries of vectors 0 to 31 and of the timer. Exceptions raised in ring 0 go to the common
 * entry. */
#define SANDBOX_ENTRIES     33
#define SANDBOX_ENTRY_TIMER 32

extern void (*const sandbox_entries[SANDBOX_ENTRIES])(void) __attribute__((visibility("hidden")));

_Static_assert(LAPIC_VECTOR_TIMER == 0x40 && SELECTOR_DATA == 0x10 && INTERRUPT_ENTRY_SIZE == 8,
               "enter.S knows them");
_Static_assert(sizeof(struct interrupt_frame) == 22 * 8, "enter.S knows it");
_Static_assert(sizeof(struct program_results) <= PAGE_SIZE, "one page of results");

/* Addresses as the code sees them: the kernel maps nothing in this half terabyte
 * (kernel/task/user.h). */
#define BASE          (3ull << 45)
#define RESULTS       (BASE + SANDBOX_PROGRAMS * SANDBOX_PROGRAM_BYTES)
#define AREAS         5
#define AREA_DISTANCE (2ull << 20)
#define AREA(index)   (BASE + ((index) + 1) * AREA_DISTANCE)
#define SPACE_BYTES   (AREA(AREAS) - BASE)

/* Offsets in the kernel's memory, one after the other. */
#define RESULTS_OFFSET (SANDBOX_PROGRAMS * SANDBOX_PROGRAM_BYTES)
#define AREAS_OFFSET   (RESULTS_OFFSET + PAGE_SIZE)
#define MEMORY_BYTES   (AREAS_OFFSET + AREAS * SANDBOX_AREA_BYTES)

#define FLAGS             0x202        /* interrupts on, all other flags off */
#define FLAG_RESUME       (1ull << 16) /* set by the end of the program, but not everywhere */
#define VECTOR_BREAKPOINT 3
#define VECTOR_OVERFLOW   4
#define VECTOR_UNDEFINED  6
#define CR4_PCE           (1ull << 8) /* allows RDPMC in ring 3 */
#define MXCSR_DEFAULT     0x1f80u
#define INSTRUCTION_MAX   15

static uint8_t *memory; /* MEMORY_BYTES; NULL if not allocated yet */

static struct {
    bool is_open;
    struct address_space space;
    struct program program[SANDBOX_PROGRAMS];
    struct sandbox_fault fault;
    struct simd_state simd;
    enum simd_level vectors;
    uint64_t cr3, cr4, efer, sysenter, fs_base, gs_base;
} box;

static struct program_results *results(void)
{
    return (struct program_results *)(void *)(memory + RESULTS_OFFSET);
}

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
    if (memory == NULL) {
        memory = memory_allocate(MEMORY_BYTES, PAGE_SIZE);
    }
    if (memory == NULL || !page_pool_promise(address_space_pages(SPACE_BYTES)) ||
        !address_space_create(&box.space, BASE, SPACE_BYTES)) {
        page_pool_reset();
        return "no memory for a sandbox";
    }
    show(BASE, memory, RESULTS_OFFSET, true);
    show(RESULTS, memory + RESULTS_OFFSET, PAGE_SIZE, false);
    for (unsigned i = 0; i < AREAS; i++) {
        show(AREA(i), memory + AREAS_OFFSET + i * SANDBOX_AREA_BYTES, SANDBOX_AREA_BYTES, false);
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

void sandbox_clear(void)
{
    memset(memory + RESULTS_OFFSET, 0, MEMORY_BYTES - RESULTS_OFFSET);
}

/* ---- programs ---- */

bool sandbox_build(unsigned number, const struct program_source *source)
{
    const uint64_t offset = (uint64_t)number * SANDBOX_PROGRAM_BYTES;

    return program_build(source, memory + offset, SANDBOX_PROGRAM_BYTES, BASE + offset, RESULTS,
                         &box.program[number]);
}

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

static void describe_fault(unsigned number)
{
    const uint64_t offset = sandbox_left.rip - BASE - (uint64_t)number * SANDBOX_PROGRAM_BYTES;
    const uint8_t *at = memory + (uint64_t)number * SANDBOX_PROGRAM_BYTES + offset;

    box.fault = (struct sandbox_fault){
        .vector = sandbox_left.vector,
        .error_code = sandbox_left.error_code,
        .rip = sandbox_left.rip,
        .address = sandbox_cr2,
    };
    box.fault.part = program_part_of(&box.program[number], offset, &box.fault.byte);
    if (box.fault.part != PROGRAM_OUTSIDE) {
        box.fault.refused = refused_name(at, INSTRUCTION_MAX);
    }
}

static enum sandbox_end judge(unsigned number, size_t words, int64_t *begin, int64_t *end)
{
    const struct program *program = &box.program[number];
    const uint64_t first = BASE + (uint64_t)number * SANDBOX_PROGRAM_BYTES;
    const uint64_t(*row)[PROGRAM_ROW_WORDS] = results()->row;

    if (sandbox_left.vector == LAPIC_VECTOR_TIMER) {
        describe_fault(number);
        return SANDBOX_LIMIT;
    }
    if (sandbox_left.vector != VECTOR_UNDEFINED || sandbox_left.rip != first + program->exit) {
        describe_fault(number);
        return SANDBOX_FAULT;
    }
    if (row[0][0] == 0 || row[1][0] <= row[0][0]) {
        return SANDBOX_TORN;
    }
    memcpy(begin, row[0], words * sizeof(*begin));
    memcpy(end, row[1], words * sizeof(*end));
    return SANDBOX_DONE;
}

enum sandbox_end sandbox_run(unsigned number, uint64_t limit_ticks, size_t words, int64_t *begin,
                             int64_t *end)
{
    const uint64_t entry =
        BASE + (uint64_t)number * SANDBOX_PROGRAM_BYTES + box.program[number].entry;
    const uint64_t middle = SANDBOX_AREA_BYTES / 2;
    const struct interrupt_frame start = {
        .r14 = AREA(0) + middle,
        .rdi = AREA(1) + middle,
        .rsi = AREA(2) + middle,
        .rbp = AREA(3) + middle,
        .rsp = AREA(4) + middle,
        .rip = entry,
        .cs = SELECTOR_USER_CODE,
        .ss = SELECTOR_USER_DATA,
        .rflags = FLAGS,
    };

    memset(results(), 0, sizeof(struct program_results));
    open_entries();
    reset_vectors();
    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, clock_lapic_counts(limit_ticks));
    sandbox_enter(&start);
    reset_vectors();
    close_entries();
    stop_timer(sandbox_left.vector == LAPIC_VECTOR_TIMER);
    return judge(number, words, begin, end);
}

const struct sandbox_fault *sandbox_fault(void)
{
    return &box.fault;
}

void sandbox_registers(int64_t registers[SANDBOX_REGISTERS])
{
    struct interrupt_frame left = sandbox_left;

    left.rax = results()->saved[0];
    left.rcx = results()->saved[1];
    left.rdx = results()->saved[2];
    memcpy(registers, &left, (SANDBOX_REGISTERS - 2) * sizeof(*registers));
    registers[SANDBOX_REGISTERS - 2] = (int64_t)left.rsp;
    registers[SANDBOX_REGISTERS - 1] = (int64_t)(left.rflags & ~FLAG_RESUME);
}

uint64_t sandbox_r15(void)
{
    return sandbox_left.r15;
}

struct interrupt_frame sandbox_left;
uint64_t sandbox_cr2;
