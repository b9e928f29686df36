/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/system/others.h"

#include <stdio.h>

#include "bench/system/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/topology.h"
#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "kernel/run/processors.h"

#define LOOKS         10000 /* about 10 us, ten times as long as a line takes from any place */
#define SAMPLES       8
#define SAMPLE_PAUSES 16
#define LIMIT_US      30000000
/* limit in ticks if the clock is unknown: a minute of the slowest TSC, 1 GHz */
#define LIMIT_TICKS 60000000000

static void report_missing(const struct bench_run *run)
{
    for (size_t i = 0; i < processor_count(); i++) {
        const struct processor *processor = processor_at(i);
        char name[32];

        if (!processor_works(i)) {
            snprintf(name, sizeof(name), "processor.%zu", i);
            bench_absent(run, name, processor->why);
        }
    }
}

static bool publish_places(const struct bench_run *run, const struct takers *takers)
{
    static const char *const names[] = {SERIES_NUMBER, SERIES_PACKAGE, SERIES_CORE,
                                        SERIES_THREAD_OF_CORE};
    int64_t *values[4];

    for (size_t i = 0; i < 4; i++) {
        values[i] = bench_samples(takers->count);
        if (values[i] == NULL) {
            return false;
        }
    }
    for (size_t i = 0; i < takers->count; i++) {
        const struct topology_place place = run_processor_place(takers->number[i]);

        values[0][i] = (int64_t)takers->number[i];
        values[1][i] = place.package;
        values[2][i] = place.core;
        values[3][i] = place.thread;
    }
    for (size_t i = 0; i < 4; i++) {
        bench_publish(run, names[i], "id", values[i], takers->count);
    }
    return true;
}

/* Adds working processors of this kind in the order of their numbers. */
static void add_kind(struct takers *takers, uint64_t most, size_t kind)
{
    for (size_t i = 0; i < processor_count() && takers->count < most; i++) {
        if (processor_works(i) && i != processor_current() && run_processor_kind(i) == kind) {
            takers->number[takers->count++] = i;
        }
    }
}

bool takers_find(struct bench_run *run, struct takers *takers)
{
    const uint64_t most = bench_number(run, "processors");

    *takers = (struct takers){.count = 1, .number = {processor_current()}};
    for (size_t kind = 0; kind < run_processor_kinds()->count; kind++) {
        add_kind(takers, most, kind);
    }
    add_kind(takers, most, RUN_KIND_UNKNOWN);
    bench_fact(run, FACT_PROCESSORS, UNIT_COUNT, (int64_t)takers->count);
    if (takers->count < processors_working()) {
        bench_fact(run, "left_out", UNIT_COUNT, (int64_t)(processors_working() - takers->count));
    }
    report_missing(run);
    return publish_places(run, takers);
}

/* Returns the ticks of SAMPLE_PAUSES PAUSEs in vain: the least of several samples, because an
 * interrupted one would make the waits give up too early. Returns 0 if the TSC stands still. */
static uint64_t ticks_in_vain(struct patience patience)
{
    const volatile uint64_t never = 0;
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < SAMPLES; i++) {
        const uint64_t start = tsc_read_ordered();

        patience_wait(&never, 1, patience);
        const uint64_t ticks = tsc_read_ordered() - start;

        least = ticks < least ? ticks : least;
    }
    return least;
}

static uint64_t pauses_of(uint64_t us, uint64_t looks)
{
    if (bench_is_exact()) {
        return us;
    }
    const struct patience sample = {.looks = looks, .pauses = SAMPLE_PAUSES};
    const uint64_t ticks = clock_ticks_from_us(us);
    const uint64_t spent = ticks_in_vain(sample);

    if (ticks == 0 || spent == 0) {
        return us;
    }
    return ticks / spent * SAMPLE_PAUSES + 1;
}

struct patience takers_patience(uint64_t us)
{
    const uint64_t looks = bench_is_exact() ? 1 : LOOKS;

    return (struct patience){.looks = looks, .pauses = pauses_of(us, looks)};
}

uint64_t takers_pauses(uint64_t us)
{
    return pauses_of(us, 1);
}

uint64_t takers_limit(void)
{
    const uint64_t ticks = clock_ticks_from_us(LIMIT_US);

    return ticks != 0 ? ticks : LIMIT_TICKS;
}
