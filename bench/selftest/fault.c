/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench fault: raises an exception on purpose, to prove on a machine that a crash is caught, named
 * and survived. Runs only when the plan asks for it.
 */
#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/idle/idle_loop.h"
#include "kernel/irq/bracket.h"
#include "kernel/irq/lapic.h"
#include "kernel/run/bench.h"

#define WAIT_ITERATIONS 10000000 /* some ms on any processor: far longer than the timer's 1000 */

/* Deep enough for any stack, and each call needs the frame of the one before it. */
static __attribute__((noinline)) uint64_t overflow_stack(uint64_t depth)
{
    volatile uint64_t frame[64] = {depth};

    return depth == UINT64_MAX ? 0 : frame[depth % 64] + overflow_stack(depth + 1) + frame[0];
}

/* Through a variable, so that the compiler does not see what it would rightly refuse. */
static void write_to(uintptr_t address)
{
    volatile uintptr_t target = address;

    *(volatile uint8_t *)target = 0;
}

static void raise_divide_error(void)
{
    __asm__ volatile("xorl %%ecx, %%ecx; xorl %%edx, %%edx; divl %%ecx" : : : "eax", "ecx", "edx");
}

static bool crash_in_handler(void)
{
    __asm__ volatile("ud2");
    return true;
}

/* The exception comes inside an interrupt handler, which then never ends its interrupt. */
static void raise_in_interrupt(void)
{
    bracket_start(LAPIC_VECTOR_TIMER, NULL, NULL, 0, crash_in_handler);
    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, 1000);
    interrupts_enable();
    idle_loop_spin(WAIT_ITERATIONS);
    interrupts_disable();
}

static enum bench_state run(struct bench_run *run)
{
    const char *kind = bench_text(run, "kind");

    if (strcmp(kind, "ud") == 0) {
        __asm__ volatile("ud2");
    } else if (strcmp(kind, "de") == 0) {
        raise_divide_error();
    } else if (strcmp(kind, "gp") == 0) {
        /* An address that is not canonical. */
        write_to(0x8000000000000000);
    } else if (strcmp(kind, "null") == 0) {
        write_to(8);
    } else if (strcmp(kind, "write") == 0) {
        /* The image's code is read only. */
        write_to((uintptr_t)raise_divide_error);
    } else if (strcmp(kind, "stack") == 0) {
        overflow_stack(0);
    } else if (strcmp(kind, "interrupt") == 0) {
        raise_in_interrupt();
    } else {
        return bench_error(
            run, "fault.kind=%s: must be ud, de, gp, null, write, stack or interrupt", kind);
    }
    return bench_fail(run, "no exception came");
}

static const struct bench_param params[] = {
    {"kind", "ud", "ud, de, gp, null, write, stack or interrupt", PARAM_TEXT, 0, 0},
    {0},
};

static const struct bench fault = {
    .name = "fault",
    .group = "selftest",
    .summary = "raises an exception on purpose",
    .unit = "none",
    .estimate = "CRASH, with the name of the exception and a backtrace",
    .needs = NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(fault);
