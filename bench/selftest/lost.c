/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench lost: lets another processor raise an exception, or never return, to verify on a machine
 * that this is noticed and named and that the other processors go on. It uses the last processor
 * that works, which is lost for good. Runs only if the plan asks for it.
 */

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/smp/processor.h"

#define LIMIT_US 200000

/* The argument is NULL; the compiler would reject a zero that it sees. */
static void divide_by_zero(void *argument)
{
    volatile uint64_t quotient = 1000 / (uint64_t)(uintptr_t)argument;

    (void)quotient;
}

static void write_null(void *argument)
{
    volatile uintptr_t target = 8;

    (void)argument;
    *(volatile uint8_t *)target = 0;
}

static void hang(void *argument)
{
    (void)argument;
    for (;;) {
        cpu_pause();
    }
}

/* in the order of the words of parameter kind */
static processor_work *const kinds[] = {divide_by_zero, write_null, hang};

static void add_one(void *argument)
{
    uint64_t *count = argument;

    __atomic_add_fetch(count, 1, __ATOMIC_ACQ_REL);
}

static size_t last_working(void)
{
    size_t number = processor_count() - 1;

    while (!processor_works(number) || number == processor_current()) {
        number--;
    }
    return number;
}

/* Gives each other processor a piece of work. Returns true if all did it. */
static bool all_go_on(void)
{
    uint64_t wanted = 0;
    uint64_t count = 0;

    for (size_t i = 0; i < processor_count(); i++) {
        if (processor_works(i) && i != processor_current()) {
            wanted++;
            if (!processor_begin(i, add_one, &count) ||
                !processor_await(i, clock_ticks_from_us(LIMIT_US))) {
                return false;
            }
        }
    }
    return count == wanted;
}

static enum bench_state run(struct bench_run *run)
{
    const size_t number = last_working();

    if (!processor_begin(number, kinds[bench_word(run, "kind")], NULL)) {
        return bench_error(run, "processor %zu does not accept work", number);
    }
    if (processor_await(number, clock_ticks_from_us(LIMIT_US)) || processor_works(number)) {
        return bench_fail(run, "processor %zu came back although it was made to fail", number);
    }
    return all_go_on() ? bench_ok(run)
                       : bench_fail(run, "another processor does not answer after one was lost");
}

static const struct bench_param params[] = {
    {"kind", "de", "how the processor is lost: division by zero, null pointer, or endless loop",
     PARAM_WORD("de,null,hang")},
    {0},
};

static const struct bench lost = {
    .name = "lost",
    .group = "selftest",
    .summary = "loses another processor on purpose",
    .unit = "none",
    .estimate = "OK: the log names the lost processor with its reason, and the others continue",
    .needs = NEED_CLOCK | NEED_PROCESSORS,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(lost);
