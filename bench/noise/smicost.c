/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench smicost: what a system management interrupt (SMI) takes, by three methods that share no
 * reading.
 *
 * gap: the TSC before and after each provoked SMI. Does not rely on MSR 34h.
 *
 * watch: the time lost to gaps in a longer interval, divided by the number of SMIs that MSR 34h
 * counted in it. Both include SMIs that were not provoked.
 *
 * aperf: APERF counts in SMM; a counter of unhalted cycles that freezes there does not
 * (IA32_DEBUGCTL.FREEZE_WHILE_SMM, SDM volume 3 section 18.4.1). Their difference is the time spent
 * in SMM in cycles, converted to ticks by the ratio of the TSC to APERF.
 *
 * The first two methods include what the processor needs to enter and leave SMM, as far as its
 * clock runs; the third includes it as far as APERF counts it. None includes the provoking code:
 * the same code without the write to the port is measured and subtracted.
 */
#include "bench/noise/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/smi.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#define WATCHES          5
#define EMPTIES          15
#define WINDOW_US        50 /* an SMI that comes late must come within this time */
#define THRESHOLD_US     1
#define DISAGREE_PERCENT 5
#define HUNDRED          100
#define METHODS          3

/* Readings of the TSC, taken back to back, and the gaps above a threshold. */
struct readings {
    uint64_t threshold;
    uint64_t last;
    uint64_t smallest;
    uint64_t largest;
    uint64_t stolen; /* sum of the gaps above the threshold, each minus the smallest reading */
};

struct method {
    const char *series;
    int64_t *samples;
    size_t count; /* 0: the method cannot be used */
    int64_t median;
};

static void sort(int64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const int64_t value = values[i];
        size_t at = i;

        for (; at > 0 && values[at - 1] > value; at--) {
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
}

/* Returns the median of the samples. `scratch` must have room for all of them. */
static int64_t median_of(const int64_t *samples, size_t count, int64_t *scratch)
{
    for (size_t i = 0; i < count; i++) {
        scratch[i] = samples[i];
    }
    sort(scratch, count);
    return scratch[count / 2];
}

static void read_until(struct readings *readings, uint64_t end)
{
    while ((int64_t)(end - readings->last) > 0) {
        const uint64_t now = tsc_read();
        const uint64_t gap = now - readings->last;

        readings->last = now;
        readings->smallest = gap < readings->smallest ? gap : readings->smallest;
        readings->largest = gap > readings->largest ? gap : readings->largest;
        if (gap > readings->threshold) {
            readings->stolen += gap - readings->smallest;
        }
    }
}

static struct readings begin_readings(uint64_t threshold)
{
    return (struct readings){.threshold = threshold, .smallest = UINT64_MAX, .last = tsc_read()};
}

/* Returns the length above which a reading is a gap: 1 us, or two passes of the loop if they take
 * longer. */
static uint64_t find_threshold(void)
{
    const uint64_t least = clock_ticks_from_us(THRESHOLD_US);
    struct readings readings = begin_readings(UINT64_MAX);

    read_until(&readings, readings.last + clock_ticks_from_us(WINDOW_US));
    return 2 * readings.smallest > least ? 2 * readings.smallest : least;
}

/* Returns what smi_provoke() takes without the write to the port, which is reading MSR 34h. */
static int64_t measure_empty(void)
{
    int64_t samples[EMPTIES];
    int64_t scratch[EMPTIES];

    for (size_t i = 0; i < EMPTIES; i++) {
        const uint64_t begin = tsc_read_ordered();

        (void)pmu_smi_count();
        samples[i] = (int64_t)(tsc_read_ordered() - begin);
    }
    return median_of(samples, EMPTIES, scratch);
}

/* Times each provoked SMI. An SMI may come after the instruction that raised it and is then a gap
 * of the readings that follow; the longer of the two times is taken. */
static void measure_gaps(struct method *method, uint64_t threshold, int64_t empty)
{
    const uint64_t window = clock_ticks_from_us(WINDOW_US);

    for (size_t i = 0; i < method->count; i++) {
        const uint64_t begin = tsc_read_ordered();

        smi_provoke();
        struct readings readings = begin_readings(threshold);
        const int64_t section = (int64_t)(tsc_read_ordered() - begin) - empty;

        read_until(&readings, readings.last + window);
        const int64_t late = (int64_t)(readings.largest - readings.smallest);

        method->samples[i] = section > late ? section : late;
    }
}

/* Watches once and provokes `provoked` SMIs at equal distances. Adds the SMIs counted to *smis and
 * returns the ticks lost for each SMI, or 0 if there was none. */
static int64_t watch(uint64_t ticks, size_t provoked, uint64_t threshold, int64_t empty,
                     uint64_t *smis)
{
    const uint64_t before = pmu_smi_count();
    struct readings readings = begin_readings(threshold);
    const uint64_t start = readings.last;

    for (size_t i = 1; i <= provoked; i++) {
        read_until(&readings, start + ticks / (provoked + 1) * i);
        smi_provoke();
    }
    read_until(&readings, start + ticks);
    const uint64_t counted = (uint32_t)(pmu_smi_count() - before);
    const int64_t stolen = (int64_t)readings.stolen - empty * (int64_t)provoked;

    *smis += counted;
    return counted > 0 ? stolen / (int64_t)counted : 0;
}

/* ---- method aperf ---- */

/* Returns a counter that can count unhalted core cycles, or -1. */
static int find_cycles(const struct pmu *pmu, const struct event_code *code)
{
    for (unsigned i = 0; i < pmu->count; i++) {
        if (pmu->counter[i].state == COUNTER_USABLE && pmu_counter_takes(i, code)) {
            return (int)i;
        }
    }
    return -1;
}

static const struct event_code unhalted = {.select = 0x3c};

static const char *why_no_aperf(void)
{
    const struct pmu *pmu = pmu_state();

    if (!pmu->has_aperf) {
        return "there is no APERF, or it does not advance";
    }
    if (pmu->backend != PMU_INTEL || !pmu->freeze_smm) {
        return "counters do not freeze in SMM here (IA32_DEBUGCTL bit 14)";
    }
    if (bench_counting()) {
        return "the plan's events use the counters";
    }
    return find_cycles(pmu, &unhalted) < 0 ? "no counter of unhalted cycles works" : NULL;
}

struct aperf_clock {
    uint64_t cycles; /* length of all windows by APERF */
    uint64_t ticks;  /* length of all windows by the TSC */
};

/* Returns the cycles that APERF counted and the counter did not, in a window with or without an
 * SMI. */
static int64_t unseen(unsigned counter, bool provoke, struct aperf_clock *clock)
{
    const uint64_t window = clock_ticks_from_us(WINDOW_US);
    uint64_t aperf[2];
    uint64_t mperf;

    const uint64_t begin = tsc_read_ordered();
    pmu_aperf_mperf(&aperf[0], &mperf);
    const uint64_t from = pmu_value(counter);

    if (provoke) {
        smi_provoke();
    } else {
        (void)pmu_smi_count();
    }
    while (tsc_read_ordered() - begin < window) {
    }
    const uint64_t to = pmu_value(counter);

    pmu_aperf_mperf(&aperf[1], &mperf);
    clock->ticks += tsc_read_ordered() - begin;
    clock->cycles += aperf[1] - aperf[0];
    return (int64_t)(aperf[1] - aperf[0] - pmu_delta(&pmu_state()->counter[counter], from, to));
}

/* Returns false if the processor does not count unhalted cycles or APERF does not advance. */
static bool measure_aperf(struct method *method, struct aperf_clock *clock)
{
    const int counter = find_cycles(pmu_state(), &unhalted);
    struct aperf_clock without = {0};
    int64_t samples[EMPTIES];
    int64_t scratch[EMPTIES];
    uint8_t vector;

    if (counter < 0 || !pmu_assign((unsigned)counter, &unhalted, &vector)) {
        return false;
    }
    pmu_start();
    for (size_t i = 0; i < EMPTIES; i++) {
        samples[i] = unseen((unsigned)counter, false, &without);
    }
    for (size_t i = 0; i < method->count; i++) {
        method->samples[i] = unseen((unsigned)counter, true, clock);
    }
    pmu_stop();
    const int64_t empty = median_of(samples, EMPTIES, scratch);

    for (size_t i = 0; i < method->count && clock->cycles > 0; i++) {
        method->samples[i] =
            (method->samples[i] - empty) * (int64_t)clock->ticks / (int64_t)clock->cycles;
    }
    return clock->cycles > 0;
}

static void take_aperf(struct bench_run *run, struct method *method)
{
    const char *why = why_no_aperf();
    struct aperf_clock clock = {0};

    if (why == NULL && !measure_aperf(method, &clock)) {
        why = "the counter of unhalted cycles cannot be set, or APERF does not advance";
    }
    if (why != NULL) {
        bench_absent(run, SERIES_SMI_APERF, why);
        method->count = 0;
        return;
    }
    bench_fact(run, FACT_SMI_APERF_CYCLES, UNIT_CYCLE, (int64_t)clock.cycles);
    bench_fact(run, FACT_SMI_APERF_TICKS, UNIT_TICK, (int64_t)clock.ticks);
}

static bool agree(int64_t one, int64_t other)
{
    const int64_t larger = one > other ? one : other;
    const int64_t smaller = one > other ? other : one;

    return smaller > 0 && (larger - smaller) * HUNDRED <= larger * DISAGREE_PERCENT;
}

/* Returns whether the verdict is meaningful: if a host may take the processor, the methods measure
 * more than SMIs. */
static bool is_judged(void)
{
    return bench_is_exact() || !pmu_state()->hypervisor;
}

static enum bench_state judge(struct bench_run *run, const struct method methods[METHODS])
{
    if (!is_judged()) {
        bench_absent(run, "agreement", "the host may take the processor in between");
        return bench_ok(run);
    }
    for (size_t i = 0; i < METHODS; i++) {
        for (size_t k = i + 1; k < METHODS; k++) {
            if (methods[i].count > 0 && methods[k].count > 0 &&
                !agree(methods[i].median, methods[k].median)) {
                return bench_fail(
                    run, "an SMI takes %ld ticks by %s and %ld by %s; they must agree within %d %%",
                    methods[i].median, methods[i].series, methods[k].median, methods[k].series,
                    DISAGREE_PERCENT);
            }
        }
    }
    return bench_ok(run);
}

static enum bench_state run(struct bench_run *run)
{
    const size_t count = bench_number(run, "count");
    const uint64_t ticks = clock_ticks_from_us(bench_number(run, "ms") * 1000 / WATCHES);
    int64_t *scratch = bench_samples(count > WATCHES ? count : WATCHES);
    struct method methods[METHODS] = {
        {SERIES_SMI_GAP, bench_samples(count), count, 0},
        {SERIES_SMI_WATCH, bench_samples(WATCHES), WATCHES, 0},
        {SERIES_SMI_APERF, bench_samples(count), count, 0},
    };
    const size_t each = (count + WATCHES - 1) / WATCHES;
    uint64_t smis = 0;

    if (!pmu_state()->has_smi_count || pmu_smi_count() == 0) {
        return bench_skip(
            run,
            "MSR 34h reads 0, so the effect of a write to port B2h is unknown and it is not tried");
    }
    if (scratch == NULL || methods[0].samples == NULL || methods[1].samples == NULL ||
        methods[2].samples == NULL) {
        return bench_error(run, "no memory");
    }
    const uint64_t threshold = find_threshold();
    const int64_t empty = measure_empty();

    measure_gaps(&methods[0], threshold, empty);
    for (size_t i = 0; i < WATCHES; i++) {
        methods[1].samples[i] = watch(ticks, each, threshold, empty, &smis);
    }
    take_aperf(run, &methods[2]);
    bench_fact(run, FACT_SMI, UNIT_COUNT, (int64_t)smis);
    bench_fact(run, FACT_SMI_PROVOKED, UNIT_COUNT, (int64_t)(each * WATCHES));
    bench_fact(run, FACT_THRESHOLD, UNIT_TICK, (int64_t)threshold);
    bench_fact(run, FACT_SMI_EMPTY, UNIT_TICK, empty);
    for (size_t i = 0; i < METHODS; i++) {
        if (methods[i].count > 0) {
            methods[i].median = median_of(methods[i].samples, methods[i].count, scratch);
            bench_publish(run, methods[i].series, UNIT_TICK, methods[i].samples, methods[i].count);
        }
    }
    return judge(run, methods);
}

static const struct bench_param params[] = {
    {"count", "20", "SMIs to provoke for each method, through port B2h", PARAM_NUMBER(1, 1000)},
    {"ms", "20", "total length of the five watches, in ms", PARAM_TIME(5, 60000)},
    {0},
};

static const struct bench smicost = {
    .name = BENCH_SMICOST,
    .group = "noise",
    .summary = "what an SMI takes: by gaps, by lost time and MSR 34h, by APERF",
    .unit = UNIT_TICK,
    .estimate = "all three methods agree within 5 %: 5 to 50 us of entry, handler and exit; "
                "firmware that gathers all processors takes 100 us or more",
    .needs = NEED_CLOCK,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(smicost);
