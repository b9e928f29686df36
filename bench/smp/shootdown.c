/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench shootdown: what it costs to take pages from a process that runs on other processors, which
 * must forget their translations (TLB shootdown). A thread in ring 3 on each of N - 1 processors
 * writes to its own page over and over, the bench's thread hides all these pages, and each write
 * must then fault once. README.md has the law.
 */
#include "bench/smp/smp.h"
#include "kernel/task/process.h"

#define PRIORITY  10
#define PAGE      4096
#define SETTLE_US 200 /* after that, look whether all threads write, or have faulted again */
#define SETTLES   100

static uint64_t rounds;
static int64_t *took;
static struct process *process;

static PROCESS_CODE void write_page(void *argument)
{
    for (;;) {
        (*(volatile uint64_t *)argument)++;
    }
}

static void hide_all(uint64_t round)
{
    const uint64_t pages = smp.cpus - 1;
    const uint64_t before = process_fault_count(process, FAULT_MINOR);
    uint64_t start = tsc_read();
    uint64_t faults = 0;

    for (unsigned i = 0; i < SETTLES && !process_hide(process, 0, pages * PAGE); i++) {
        smp_sleep(clock_ticks_from_us(SETTLE_US)); /* a thread has not written yet */
        start = tsc_read();
    }
    took[round] = (int64_t)(tsc_read() - start);
    for (unsigned i = 0; i < SETTLES && faults < pages; i++) {
        smp_sleep(clock_ticks_from_us(SETTLE_US));
        faults = process_fault_count(process, FAULT_MINOR) - before;
    }
    smp_law(pages, 0, 0, faults, "faults", "round %lu", round);
}

static void play(void)
{
    process = process_reserve(SMP_CPUS_MAX) ? process_create("writers") : NULL;
    for (size_t i = 1; i < smp.cpus && smp.state == BENCH_OK; i++) {
        const uint64_t page = PROCESS_BASE + (i - 1) * PAGE;
        struct thread *thread = process != NULL ? process_thread(process, smp_name("writer %zu", i),
                                                                 PRIORITY, write_page, page)
                                                : NULL;

        if (!smp_keep(thread)) {
            smp.state = bench_error(smp.run, "no memory for a process");
            return;
        }
        thread_set_affinity(thread, 1u << i);
    }
    smp_sleep(clock_ticks_from_us(SETTLE_US));
    for (uint64_t i = 0; i < rounds && smp.state == BENCH_OK; i++) {
        hide_all(i);
    }
}

static enum bench_state run(struct bench_run *run)
{
    if (smp_open(run, 2)) {
        rounds = bench_number(run, "rounds");
        took = smp_samples(rounds);
        if (SMP_SESSION(.quantum = 0)) {
            bench_publish(run, SERIES_SHOOTDOWN, UNIT_TICK, took, rounds);
        }
    }
    return smp.state;
}

static const struct bench_param params[] = {
    {SMP_PARAM_CPUS},
    {"rounds", "16", "times that the pages are hidden", PARAM_NUMBER(1, 10000)},
    {0},
};

static const struct bench shootdown = {
    SMP_BENCH,
    .name = BENCH_SHOOTDOWN,
    .main_series = SERIES_SHOOTDOWN,
    .summary = "taking pages from a process that runs on other processors (TLB shootdown)",
    .estimate = "an interrupt to the others and an answer, 2000 to 8000 cycles; in exact time 2000 "
                "instructions; then each page faults once",
};
BENCH_REGISTER(shootdown);
