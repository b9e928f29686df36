/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench clockread: what it costs to read the time-stamp counter, alone and with each fence that
 * orders the read, and an event counter for comparison.
 *
 * The costs come from many reads in a row, less the loop: what one read adds to a stream of
 * instructions. The pairs are differences of two reads with nothing between them but the MOV that
 * keeps the first: the shortest time that this way of reading can measure.
 */
#include <stddef.h>

#include "bench/system/cost.h"
#include "bench/system/names.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/names.h"

#define NO_COUNTER (-1)

static int counter; /* index of a counter that counts cycles, or NO_COUNTER */

static uint64_t read_counter(uint64_t count)
{
    return clock_rdpmc(count, pmu_state()->counter[counter].rdpmc);
}

static void read_counter_pairs(int64_t *samples, uint64_t count)
{
    clock_pairs_rdpmc(samples, count, pmu_state()->counter[counter].rdpmc);
}

/* Starts a counter of cycles. Returns NULL on success, otherwise the reason. */
static const char *start_counter(void)
{
    const struct pmu *pmu = pmu_state();
    const struct event_row *row = pmu->events != NULL ? &pmu->events->row[EVENT_CYCLES] : NULL;
    uint8_t vector;

    counter = NO_COUNTER;
    if (bench_counting()) {
        return "the plan uses the counters for its events";
    }
    if (pmu->usable == 0) {
        return pmu->reason;
    }
    for (unsigned i = 0; row != NULL && row->code_count == 1 && i < pmu->count; i++) {
        if (pmu->counter[i].state == COUNTER_USABLE && pmu_counter_takes(i, &row->code[0]) &&
            pmu_assign(i, &row->code[0], &vector)) {
            counter = (int)i;
            pmu_start();
            return NULL;
        }
    }
    return "no counter can count cycles";
}

static bool measure_pairs(const struct bench_run *run, const char *name, const char *unit,
                          clock_pairs *pairs)
{
    const size_t count = bench_number(run, "pairs");
    int64_t *samples = bench_samples(count);

    if (samples == NULL) {
        return false;
    }
    pairs(samples, count);
    bench_publish(run, name, unit, samples, count);
    return true;
}

static bool measure_counter(const struct bench_run *run)
{
    static const struct cost cost = {"rdpmc", "rdpmc" SUFFIX_TWICE, read_counter};
    const char *why = start_counter();

    if (why != NULL) {
        bench_absent(run, "rdpmc", why);
        bench_absent(run, "pair.rdpmc", why);
        return true;
    }
    const bool good = measure_cost(run, &cost) &&
                      measure_pairs(run, "pair.rdpmc", UNIT_CYCLE, read_counter_pairs);

    pmu_stop();
    return good;
}

static bool measure_rdtscp(const struct bench_run *run)
{
    static const struct cost cost = {"rdtscp", "rdtscp" SUFFIX_TWICE, clock_rdtscp};
    static const char why[] = "the processor does not have RDTSCP";
    struct cpu_identity identity;

    cpu_identify(cpuid_instruction, &identity);
    if (!identity.rdtscp) {
        bench_absent(run, "rdtscp", why);
        bench_absent(run, "pair.rdtscp", why);
        return true;
    }
    return measure_cost(run, &cost) &&
           measure_pairs(run, "pair.rdtscp", UNIT_TICK, clock_pairs_rdtscp);
}

static enum bench_state run(struct bench_run *run)
{
    static const struct cost costs[] = {
        {SERIES_LOOP, SERIES_LOOP SUFFIX_TWICE, loop_register},
        {COST_RDTSC, COST_RDTSC SUFFIX_TWICE, clock_rdtsc},
        {"lfence_rdtsc", "lfence_rdtsc" SUFFIX_TWICE, clock_lfence_rdtsc},
        {"mfence_rdtsc", "mfence_rdtsc" SUFFIX_TWICE, clock_mfence_rdtsc},
        {"lfence_rdtsc_lfence", "lfence_rdtsc_lfence" SUFFIX_TWICE, clock_lfence_rdtsc_lfence},
        {"cpuid_rdtsc", "cpuid_rdtsc" SUFFIX_TWICE, clock_cpuid_rdtsc},
    };
    const enum bench_state state = measure_costs(run, costs, sizeof(costs) / sizeof(costs[0]));

    if (state != BENCH_OK) {
        return state;
    }
    if (!measure_rdtscp(run) || !measure_counter(run) ||
        !measure_pairs(run, SERIES_PAIR_RDTSC, UNIT_TICK, clock_pairs_rdtsc) ||
        !measure_pairs(run, SERIES_PAIR_LFENCE_RDTSC_LFENCE, UNIT_TICK,
                       clock_pairs_lfence_rdtsc_lfence)) {
        return bench_error(run, "no memory for samples");
    }
    return bench_ok(run);
}

static const struct bench_param params[] = {
    {"repetitions", "1000", "reads in a trial; each trial also runs with twice as many",
     PARAM_NUMBER(1, REPETITIONS_MAX)},
    {"trials", "10", "trials of each clock", PARAM_NUMBER(1, TRIALS_MAX)},
    {"pairs", "200", "pairs of reads back to back, of each clock", PARAM_NUMBER(1, 1000000)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {SERIES_LOOP, 2, 1, UNIT_CYCLE, "DEC and JNZ, which fuse"},
    {COST_RDTSC, 1, 25, UNIT_CYCLE, "about 15 to 20 micro-operations of microcode"},
    {"rdtscp", 1, 32, UNIT_CYCLE, "RDTSC, and waiting for all earlier instructions"},
    {"lfence_rdtsc", 2, 30, UNIT_CYCLE, "RDTSC, which starts when the one before has ended"},
    {"mfence_rdtsc", 2, 55, UNIT_CYCLE, "MFENCE drains the store buffer: about 33 more than RDTSC"},
    {"lfence_rdtsc_lfence", 3, 35, UNIT_CYCLE,
     "the second LFENCE waits for the read: about 5 more"},
    {"cpuid_rdtsc", 3, 130, UNIT_CYCLE,
     "XOR, CPUID of about 100, RDTSC; in a virtual machine CPUID causes an exit: 1000 and more"},
    {"rdpmc", 1, 25, UNIT_CYCLE, "microcode, as for RDTSC"},
    {SERIES_PAIR_RDTSC, 2, 25, UNIT_CYCLE, "one RDTSC; the MOV executes during it"},
    {"pair.rdtscp", 2, 32, UNIT_CYCLE, "one RDTSCP and the MOV"},
    {SERIES_PAIR_LFENCE_RDTSC_LFENCE, 4, 35, UNIT_CYCLE, "LFENCE, MOV, LFENCE, RDTSC"},
    {"pair.rdpmc", ESTIMATE_NONE, 25, UNIT_CYCLE, "one RDPMC, counted in cycles of the processor"},
    {0},
};

static const struct bench clockread = {
    .name = BENCH_CLOCKREAD,
    .group = GROUP_SYSTEM,
    .summary = "cost of reading the time-stamp counter, with and without fences",
    .unit = UNIT_TICK,
    .estimate = "one instruction for the read and one for each fence; RDTSC 25 cycles, LFENCE 5 "
                "more, MFENCE 30 more, CPUID 100 more. The report expected 13 cycles for RDTSC in "
                "a call and found 14",
    .params = params,
    .estimates = estimates,
    .counted = true,
    .samples = "trials,pairs",
    .run = run,
};
BENCH_REGISTER(clockread);
