/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench fault: raises an exception on purpose, to verify on a machine that a crash is caught, named
 * and survived: in the bench itself, in a thread, or in ring 3. Runs only if the plan asks for it.
 */
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/timed_section.h"
#include "kernel/run/bench.h"
#include "kernel/run/runner.h"
#include "kernel/task/process.h"
#include "kernel/task/segments.h"
#include "kernel/task/session.h"

/* several ms on any processor, far longer than the timer's 1000 counts */
#define WAIT_ITERATIONS 10000000
#define WATCHDOG_US     20000
#define PRIORITY        (THREAD_PRIORITY_MAX - 1)
#define NOT_CANONICAL   0x8000000000000000
#define PAGE_BYTES      0x1000ull
#define OVERRUN_BYTES   0x8000 /* size of a range that gets a guard page (kernel/mem/memory.h) */
/* bit of DR7: enables breakpoint 0, for this task, at an instruction */
#define BREAK_ON_EXECUTION 1

/* defined in segment_faults.S */
extern const uint8_t segment_faults[] __attribute__((visibility("hidden")));
extern const uint8_t segment_faults_end[] __attribute__((visibility("hidden")));

/* Recurses deep enough for any stack; each call needs the frame of its caller. */
static __attribute__((noinline)) uint64_t overflow_stack(uint64_t depth)
{
    volatile uint64_t frame[64] = {depth};

    return depth == UINT64_MAX ? 0 : frame[depth % 64] + overflow_stack(depth + 1) + frame[0];
}

/* Uses a volatile variable so that the compiler does not see, and reject, the wrong access. */
static void write_to(uintptr_t address)
{
    volatile uintptr_t target = address;

    *(volatile uint8_t *)target = 0;
}

static void raise_invalid_opcode(void *argument)
{
    (void)argument;
    __asm__ volatile("ud2");
}

static void raise_divide_error(void *argument)
{
    (void)argument;
    __asm__ volatile("xorl %%ecx, %%ecx; xorl %%edx, %%edx; divl %%ecx" : : : "eax", "ecx", "edx");
}

/* Writes to an address that is not canonical. */
static void raise_protection(void *argument)
{
    (void)argument;
    write_to(NOT_CANONICAL);
}

static void write_null(void *argument)
{
    (void)argument;
    write_to(8);
}

/* Writes to the image's code, which is read-only. */
static void write_code(void *argument)
{
    (void)argument;
    write_to((uintptr_t)raise_divide_error);
}

/* Writes to the page tables, which are read-only as well. */
static void write_tables(void *argument)
{
    (void)argument;
    write_to(cr3_read() & ~(PAGE_BYTES - 1));
}

/* Writes past the end of the most recently allocated memory, and on. */
static void overrun(void *argument)
{
    (void)argument;
    for (uintptr_t at = (uintptr_t)bench_memory(OVERRUN_BYTES); at != 0; at += PAGE_BYTES) {
        write_to(at);
    }
}

static void overflow(void *argument)
{
    (void)argument;
    overflow_stack(0);
}

static bool crash_in_handler(void)
{
    __asm__ volatile("ud2");
    return true;
}

/* Raises the exception inside an interrupt handler, which then never ends its interrupt. */
static void raise_in_interrupt(void *argument)
{
    (void)argument;
    timed_section_start(LAPIC_VECTOR_TIMER, NULL, NULL, 0, crash_in_handler);
    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, 1000);
    interrupts_enable();
    idle_loop_spin(WAIT_ITERATIONS);
    interrupts_disable();
}

static void hang(void *argument)
{
    (void)argument;
    for (;;) {
        __asm__ volatile(""); /* keeps the compiler from removing the loop */
    }
}

/* Hangs with interrupts off: only an NMI gets through. */
static void hang_deaf(void *argument)
{
    interrupts_disable();
    hang(argument);
}

/* Hangs with write protection off, as if the watchdog came while the read-only page tables were
 * being changed. */
static void hang_unprotected(void *argument)
{
    cr0_write(cr0_read() & ~CR0_WRITE_PROTECT);
    hang_deaf(argument);
}

/* Makes the exception stack invalid: delivering one exception then raises another (SDM volume 3
 * section 6.15, interrupt 8). */
static void raise_double_fault(void *argument)
{
    task_state.ist[STACK_EXCEPTION - 1] = NOT_CANONICAL;
    raise_invalid_opcode(argument);
}

/* Makes RSP and RBP invalid: nothing can be pushed, and a report has no frames to follow. */
static void lose_stack(void *argument)
{
    (void)argument;
    __asm__ volatile("movq %0, %%rsp; movq %0, %%rbp; pushq %%rax"
                     :
                     : "r"(NOT_CANONICAL)
                     : "memory");
}

/* Sets a breakpoint (SDM volume 3 section 17.2) on a function that the report calls: an exception
 * inside the report. */
static void spoil_report(void *argument)
{
    __asm__ volatile("movq %0, %%dr0; movq %1, %%dr7"
                     :
                     : "r"((uint64_t)(uintptr_t)runner_current), "r"((uint64_t)BREAK_ON_EXECUTION));
    raise_invalid_opcode(argument);
}

/* ---- in ring 3 ---- */

static PROCESS_CODE void user_divide_error(void *argument)
{
    (void)argument;
    __asm__ volatile("xorl %%ecx, %%ecx; xorl %%edx, %%edx; divl %%ecx" : : : "eax", "ecx", "edx");
}

/* CLI is allowed only in ring 0. */
static PROCESS_CODE void user_protection(void *argument)
{
    (void)argument;
    __asm__ volatile("cli");
}

/* Reads the kernel's memory at `argument`. */
static PROCESS_CODE void user_touch(void *argument)
{
    *(volatile uint8_t *)argument;
}

static PROCESS_CODE uint64_t user_overflow_stack(uint64_t depth)
{
    volatile uint64_t frame[64];

    frame[0] = depth;
    frame[depth % 64] = depth;
    return depth == UINT64_MAX ? 0 : user_overflow_stack(depth + 1) + frame[0];
}

static PROCESS_CODE void user_overflow(void *argument)
{
    (void)argument;
    user_overflow_stack(0);
}

static PROCESS_CODE void user_hang(void *argument)
{
    (void)argument;
    for (;;) {
        __asm__ volatile(""); /* keeps the compiler from removing the loop */
    }
}

/* ---- the run ---- */

enum place { IN_BENCH, IN_THREAD, IN_PROCESS, IN_SEGMENT };

struct kind {
    const char *name;
    enum place place;
    thread_entry *raise;
};

static const struct kind kinds[] = {
    {"ud", IN_BENCH, raise_invalid_opcode},
    {"de", IN_BENCH, raise_divide_error},
    {"gp", IN_BENCH, raise_protection},
    {"null", IN_BENCH, write_null},
    {"write", IN_BENCH, write_code},
    {"tables", IN_BENCH, write_tables},
    {"overrun", IN_BENCH, overrun},
    {"stack", IN_BENCH, overflow},
    {"interrupt", IN_BENCH, raise_in_interrupt},
    {"wp", IN_BENCH, hang_unprotected},
    {"df", IN_BENCH, raise_double_fault},
    {"rsp", IN_BENCH, lose_stack},
    {"report", IN_BENCH, spoil_report},
    {"thread-ud", IN_THREAD, raise_invalid_opcode},
    {"thread-de", IN_THREAD, raise_divide_error},
    {"thread-stack", IN_THREAD, overflow},
    {"thread-hang", IN_THREAD, hang},
    {"thread-deaf", IN_THREAD, hang_deaf},
    {"user-de", IN_PROCESS, user_divide_error},
    {"user-gp", IN_PROCESS, user_protection},
    {"user-pf", IN_PROCESS, user_touch},
    {"user-stack", IN_PROCESS, user_overflow},
    {"user-hang", IN_PROCESS, user_hang},
    {"segment-de", IN_SEGMENT, NULL},
    {"segment-syscall", IN_SEGMENT, NULL},
    {"segment-hang", IN_SEGMENT, NULL},
};

/* the kinds as words of a parameter, in the same order */
#define KINDS                                                              \
    "ud,de,gp,null,write,tables,overrun,stack,interrupt,wp,df,rsp,report," \
    "thread-ud,thread-de,thread-stack,thread-hang,thread-deaf,"            \
    "user-de,user-gp,user-pf,user-stack,user-hang,"                        \
    "segment-de,segment-syscall,segment-hang"

/* Returns the offset of the kind's routine in segment_faults. */
static uint64_t offset_of(const struct kind *kind)
{
    if (strcmp(kind->name, "segment-de") == 0) {
        return 0x40;
    }
    return strcmp(kind->name, "segment-syscall") == 0 ? 0x80 : 0xc0;
}

/* Creates a thread that starts in ring 3 at the copy's base address. */
static struct thread *create_segmented(struct process *process, const struct kind *kind)
{
    uint64_t base;

    if (segments_give(process, segment_faults, (size_t)(segment_faults_end - segment_faults),
                      &base) != NULL) {
        return NULL;
    }
    return process_thread(process, "victim", PRIORITY, (thread_entry *)(uintptr_t)base,
                          offset_of(kind));
}

static struct thread *create_victim(const struct kind *kind)
{
    if (kind->place == IN_THREAD) {
        return thread_create("victim", PRIORITY, kind->raise, NULL);
    }
    struct process *process = process_create("prey");

    if (process != NULL && kind->place == IN_SEGMENT) {
        return create_segmented(process, kind);
    }
    return process != NULL ? process_thread(process, "victim", PRIORITY, kind->raise,
                                            (uint64_t)(uintptr_t)kinds)
                           : NULL;
}

static enum bench_state run_victim(struct bench_run *run, const struct kind *kind)
{
    const struct task_settings settings = {.watchdog = clock_ticks_from_us(WATCHDOG_US)};
    const char *why;

    if (kind->place >= IN_PROCESS && !process_supported(&why)) {
        return bench_skip(run, "%s", why);
    }
    if (!task_begin(&settings)) {
        return bench_error(run, "no memory for threads");
    }
    struct thread *victim = create_victim(kind);

    if (victim != NULL) {
        thread_join(victim);
    }
    task_end();
    return victim != NULL ? bench_fail(run, "the fault was injected, but no exception came")
                          : bench_error(run, "no memory for a thread");
}

static enum bench_state run(struct bench_run *run)
{
    const struct kind *kind = &kinds[bench_word(run, "kind")];

    if (kind->place != IN_BENCH) {
        return run_victim(run, kind);
    }
    kind->raise(NULL);
    return bench_fail(run, "the fault was injected, but no exception came");
}

static const struct bench_param params[] = {
    {"kind", "ud", "which fault, and where: in the bench, a thread, a process or a 16-bit segment",
     PARAM_WORD(KINDS)},
    {0},
};

static const struct bench fault = {
    .name = "fault",
    .group = "selftest",
    .summary = "raises an exception on purpose",
    .unit = "none",
    .estimate =
        "CRASH with the name of the exception and a backtrace; CRASH `watchdog` if a thread hangs",
    .needs = NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(fault);
