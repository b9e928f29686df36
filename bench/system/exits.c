/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench exits: what each thing costs that a hypervisor may trap.
 *
 * Costs by once and twice as many repetitions are of one instruction
 * (bench/system/exit_operations.h), less the loop. Plain series are single events between two
 * stamps, less `empty`. What this machine lacks is absent, with the reason.
 */
#include "bench/system/cost.h"
#include "bench/system/exit_operations.h"
#include "bench/system/exit_wakes.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"

#define PAGE   4096
#define STRIDE (2ull << 20) /* a large page of the host's */

static const char *const names[EXIT_OPERATIONS][2] = {
    {SERIES_LOOP, SERIES_LOOP SUFFIX_TWICE},
#define EXIT_OPERATION(name, ...) {#name, #name SUFFIX_TWICE},
#include "bench/system/exit_operations.def"
};

/* As measure_cost() of cost.h, of an operation. */
static enum bench_state measure(struct bench_run *run, enum exit_operation operation)
{
    const uint64_t repetitions = bench_number(run, "repetitions");
    const size_t trials = bench_number(run, "trials");
    int64_t *once = bench_samples(trials);
    int64_t *twice = bench_samples(trials);

    if (once == NULL || twice == NULL) {
        return bench_error(run, "no memory for samples");
    }
    exits_repeat(operation, repetitions);
    for (size_t i = 0; i < trials; i++) {
        once[i] = (int64_t)exits_repeat(operation, repetitions);
        twice[i] = (int64_t)exits_repeat(operation, 2 * repetitions);
    }
    if (!exits_settle(operation)) {
        return bench_fail(run, "%s: the machine did something else", names[operation][0]);
    }
    bench_publish(run, names[operation][0], UNIT_TICK, once, trials);
    bench_publish(run, names[operation][1], UNIT_TICK, twice, trials);
    return BENCH_OK;
}

static enum bench_state measure_all(struct bench_run *run)
{
    enum bench_state state = BENCH_OK;

    bench_fact(run, FACT_REPETITIONS, UNIT_COUNT, (int64_t)bench_number(run, "repetitions"));
    for (enum exit_operation i = 0; i < EXIT_OPERATIONS && state == BENCH_OK; i++) {
        if (exits_absent(i) != NULL) {
            bench_absent(run, names[i][0], exits_absent(i));
        } else {
            state = measure(run, i);
        }
    }
    return state;
}

/* Memory that nothing in this run has touched: a page in each 2 MiB. */
static bool measure_pages(const struct bench_run *run, size_t count)
{
    int64_t *empty = bench_samples(count);
    int64_t *first = bench_samples(count);
    int64_t *again = bench_samples(count);
    uint8_t *memory = bench_untouched_memory(count * STRIDE);

    if (empty == NULL || first == NULL || again == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        empty[i] = (int64_t)exits_stamps();
    }
    bench_publish(run, SERIES_EMPTY, UNIT_TICK, empty, count);
    if (memory == NULL) {
        bench_absent(run, EXITS_PAGE_FIRST, "less free memory than 2 MiB for each page");
        bench_absent(run, EXITS_PAGE_AGAIN, "less free memory than 2 MiB for each page");
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        void *page = memory + i * STRIDE;

        first[i] = (int64_t)exits_touch(page);
        again[i] = (int64_t)exits_touch(page);
    }
    bench_publish(run, EXITS_PAGE_FIRST, UNIT_TICK, first, count);
    bench_publish(run, EXITS_PAGE_AGAIN, UNIT_TICK, again, count);
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    const size_t count = bench_number(run, "count");
    void *page = bench_memory(PAGE);

    if (page == NULL || !measure_pages(run, bench_number(run, "pages"))) {
        return bench_error(run, "no memory for samples");
    }
    exits_find(page);
    enum bench_state state = measure_all(run);

    if (state == BENCH_OK) {
        state = exit_wakes(run, count);
    }
    return state == BENCH_OK ? bench_ok(run) : state;
}

static const struct bench_param params[] = {
    {"repetitions", "50", "in a trial; and twice as many", PARAM_NUMBER(1, REPETITIONS_MAX)},
    {"trials", "5", "of each", PARAM_NUMBER(1, TRIALS_MAX)},
    {"count", "20", "of interrupts, each way", PARAM_NUMBER(1, 100000)},
    {"pages", "16", "never touched before, 2 MiB apart", PARAM_NUMBER(1, 4096)},
    {0},
};

/* Values are of bare metal; under KVM, and nested: bench/system/host/exit_rows.c. */
static const struct bench_estimate estimates[] = {
    {SERIES_LOOP, 2, 1, UNIT_CYCLE, "DEC and JNZ, which fuse"},
#define EXIT_UNKNOWN_COST ESTIMATE_NONE
#define EXIT_OPERATION(name, label, meaning, bare, kvm, nested, instructions, because, loop, code, \
                       find)                                                                       \
    {#name, instructions, bare, UNIT_CYCLE, because},
#include "bench/system/exit_operations.def"
    {EXITS_SELF_IPI, ESTIMATE_NONE, 700, UNIT_CYCLE, "bench exceptions, self_ipi.entry"},
    {EXITS_HLT_PENDING, ESTIMATE_NONE, 300, UNIT_CYCLE, "HLT does not begin; delivery"},
    {EXITS_HLT_TIMER, ESTIMATE_NONE, 3000, UNIT_CYCLE, "a C-state of some 1 us; delivery"},
    {EXITS_IPI, ESTIMATE_NONE, 3000, UNIT_CYCLE, "bench ipi, round"},
    {EXITS_IPI_HALTED, ESTIMATE_NONE, 5000, UNIT_CYCLE, "bench ipi, round_halted"},
    {EXITS_PAGE_FIRST, 1, 600, UNIT_CYCLE, "misses in TLB and caches"},
    {EXITS_PAGE_AGAIN, 1, 1, UNIT_CYCLE, "a store"},
    {0},
};

static const struct bench exits = {
    .name = BENCH_EXITS,
    .group = GROUP_SYSTEM,
    .summary = "what a hypervisor may trap: CPUID, ports, MMIO, MSRs, HLT, IPIs, hypercalls, pages",
    .unit = UNIT_TICK,
    .estimate = "bare metal: CPUID 100 cycles, ports and chipset 2000 to 3000. Under KVM an exit "
                "to the kernel 1200 to 2500, to QEMU 10000 and more; nested ten times that",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .counted = true,
    .run = run,
};
BENCH_REGISTER(exits);
