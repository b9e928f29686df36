/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench gap: what takes the processor away when every interrupt is masked.
 *
 * The TSC is read back to back; what lies between two reads is a gap. Each gap goes into a
 * log-linear histogram, and of those above the threshold the first and the largest are kept with
 * their time, and all of them are counted (kernel/run/worst.h). Every gap begins at the read that
 * ended the one before, except behind a gap above the threshold: writing it down would show as a
 * gap, and that one would be written down as well. So the gaps cover the whole span except this
 * dead time, which is reported: elapsed minus the sum of all gaps, and its longest and shortest
 * stretch, whose difference is the most that may have been missed at once.
 *
 * Where MSR 34h counts SMIs, it is read with every gap above the threshold, so that each SMI is
 * reported with the gap it made.
 */
#include "bench/noise/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/smi.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/run/worst.h"

#include <string.h>

#define SUB_BUCKETS_LOG2 4 /* 16 buckets an octave: a bound is within 6 % */
#define SUB_BUCKETS      (1u << SUB_BUCKETS_LOG2)
#define BUCKETS          ((64 - SUB_BUCKETS_LOG2 + 1) * SUB_BUCKETS)

/* What every gap changes: held in registers while watching. */
struct tally {
    uint64_t reads;
    uint64_t sum;
    uint64_t smallest;
};

struct gaps {
    uint64_t threshold;
    int64_t *histogram;
    struct worst worst; /* above the threshold; it has a slot in each of these for each gap kept */
    int64_t *time;
    int64_t *length;
    int64_t *smi;  /* SMIs since the gap above the threshold before; NULL: they cannot be counted */
    int64_t *rows; /* before and behind each gap; NULL where nothing is counted */
    int64_t *stolen;     /* [GAP_PARTS] by the gaps that began in each part of the watch */
    uint64_t part_ticks; /* of the watch */
    uint64_t start;
    uint64_t last; /* TSC of the last read */
    int64_t last_row[READER_ROW_MAX];
    uint64_t first_smi;
    uint64_t last_smi;
    struct tally tally;
    uint64_t elapsed;
    uint64_t dead_begin; /* the dead time behind the gap above the threshold seen last; 0: none */
    uint64_t dead_end;
    uint64_t dead_largest, dead_smallest;
    uint64_t dead_sum;
};

static inline unsigned bucket_of(uint64_t value)
{
    if (value < SUB_BUCKETS) {
        return (unsigned)value;
    }
    const unsigned top = 63 - (unsigned)__builtin_clzll(value);
    const unsigned shift = top - SUB_BUCKETS_LOG2;

    return (shift + 1) * SUB_BUCKETS + (unsigned)(value >> shift) % SUB_BUCKETS;
}

static uint64_t bucket_bound(unsigned bucket)
{
    if (bucket < SUB_BUCKETS) {
        return bucket;
    }
    const unsigned shift = bucket / SUB_BUCKETS - 1;

    return (uint64_t)(SUB_BUCKETS + bucket % SUB_BUCKETS) << shift;
}

static inline void take_gap(struct tally *tally, int64_t *histogram, uint64_t gap)
{
    histogram[bucket_of(gap)]++;
    tally->reads++;
    tally->sum += gap;
    tally->smallest = gap < tally->smallest ? gap : tally->smallest;
}

/* The stretch of dead time before, which has been measured by now. */
static void note_dead(struct gaps *gaps)
{
    const uint64_t dead = gaps->dead_end - gaps->dead_begin;

    gaps->dead_sum += dead;
    gaps->dead_largest = dead > gaps->dead_largest ? dead : gaps->dead_largest;
    if (dead > 0 && (dead < gaps->dead_smallest || gaps->dead_smallest == 0)) {
        gaps->dead_smallest = dead;
    }
}

static int64_t count_smis(struct gaps *gaps)
{
    const uint64_t smis = pmu_smi_count();
    const uint32_t since = (uint32_t)(smis - gaps->last_smi);

    gaps->last_smi = smis;
    return since;
}

/* A gap above the threshold that began at `last`. Returns its slot, or WORST_NONE. */
static size_t keep_gap(struct gaps *gaps, uint64_t last, uint64_t gap)
{
    const uint64_t time = last - gaps->start;
    const uint64_t part = time / gaps->part_ticks;
    const int64_t smis = gaps->smi != NULL ? count_smis(gaps) : 0;
    const size_t slot = worst_take(&gaps->worst, (int64_t)gap, (int64_t)time);

    note_dead(gaps);
    gaps->stolen[part < GAP_PARTS ? part : GAP_PARTS - 1] += (int64_t)gap;
    gaps->dead_begin = last + gap;
    if (slot == WORST_NONE) {
        return slot;
    }
    if (gaps->smi != NULL) {
        gaps->smi[slot] = smis;
    }
    gaps->time[slot] = (int64_t)time;
    gaps->length[slot] = (int64_t)gap;
    return slot;
}

/* From the last read until `end`, a TSC. */
static void watch(struct gaps *gaps, uint64_t end)
{
    const uint64_t threshold = gaps->threshold;
    int64_t *histogram = gaps->histogram;
    struct tally tally = gaps->tally;
    uint64_t last = gaps->last;

    while ((int64_t)(end - last) > 0) {
        const uint64_t now = tsc_read();
        const uint64_t gap = now - last;

        take_gap(&tally, histogram, gap);
        if (__builtin_expect(gap <= threshold, 1)) {
            last = now;
            continue;
        }
        keep_gap(gaps, last, gap);
        last = tsc_read_ordered();
        gaps->dead_end = last;
    }
    gaps->tally = tally;
    gaps->last = last;
}

/* The same, each read being a row of counters: slower, so that the smallest gap is larger, but what
 * is counted belongs to the gap alone. */
static void watch_counted(struct gaps *gaps, uint64_t end)
{
    const size_t bytes = reader_row_words() * sizeof(int64_t);

    while ((int64_t)(end - gaps->last) > 0) {
        int64_t row[READER_ROW_MAX];

        reader_read(row);
        const uint64_t gap = (uint64_t)row[0] - gaps->last;

        take_gap(&gaps->tally, gaps->histogram, gap);
        if (gap > gaps->threshold) {
            const size_t slot = keep_gap(gaps, gaps->last, gap);

            if (slot != WORST_NONE) {
                memcpy(bench_row(gaps->rows, 2 * slot), gaps->last_row, bytes);
                memcpy(bench_row(gaps->rows, 2 * slot + 1), row, bytes);
            }
            reader_read(row);
            gaps->dead_end = (uint64_t)row[0];
        }
        memcpy(gaps->last_row, row, bytes);
        gaps->last = (uint64_t)row[0];
    }
}

/* The whole watch, in which `provoked` SMIs are provoked at equal distances. */
static void watch_all(struct gaps *gaps, uint64_t ticks, uint64_t provoked)
{
    void (*const watch_until)(struct gaps *, uint64_t) = gaps->rows != NULL ? watch_counted : watch;

    gaps->tally.smallest = UINT64_MAX;
    gaps->part_ticks = ticks / GAP_PARTS + 1;
    if (gaps->smi != NULL) {
        gaps->first_smi = pmu_smi_count();
        gaps->last_smi = gaps->first_smi;
    }
    reader_read(gaps->last_row);
    gaps->start = (uint64_t)gaps->last_row[0];
    gaps->last = gaps->start;
    for (uint64_t i = 1; i <= provoked; i++) {
        watch_until(gaps, gaps->start + ticks / (provoked + 1) * i);
        smi_provoke();
    }
    watch_until(gaps, gaps->start + ticks);
    gaps->elapsed = gaps->last - gaps->start;
    note_dead(gaps);
}

/* Only buckets that hold something, with their lower bounds. */
static bool publish_histogram(struct bench_run *run, const int64_t *histogram)
{
    int64_t *bounds = bench_samples(BUCKETS);
    int64_t *counts = bench_samples(BUCKETS);
    size_t used = 0;

    if (bounds == NULL || counts == NULL) {
        return false;
    }
    for (unsigned i = 0; i < BUCKETS; i++) {
        if (histogram[i] != 0) {
            bounds[used] = (int64_t)bucket_bound(i);
            counts[used++] = histogram[i];
        }
    }
    bench_publish(run, SERIES_HISTOGRAM_BOUND, UNIT_TICK, bounds, used);
    bench_publish(run, SERIES_HISTOGRAM_COUNT, UNIT_COUNT, counts, used);
    return true;
}

static bool take_memory(struct gaps *gaps, size_t first, size_t largest)
{
    const size_t slots = first + largest;
    struct worst_event *events = bench_memory((largest + 1) * sizeof(*events));

    worst_init(&gaps->worst, first, events, largest);
    gaps->histogram = bench_samples(BUCKETS);
    gaps->time = bench_samples(slots);
    gaps->length = bench_samples(slots);
    gaps->stolen = bench_samples(GAP_PARTS);
    gaps->smi = pmu_state()->has_smi_count ? bench_samples(slots) : NULL;
    gaps->rows = bench_counting() ? bench_rows(2 * slots) : NULL;
    return events != NULL && gaps->histogram != NULL && gaps->time != NULL &&
           gaps->length != NULL && gaps->stolen != NULL &&
           (gaps->smi != NULL || !pmu_state()->has_smi_count) &&
           (gaps->rows != NULL || !bench_counting());
}

static void publish_smis(struct bench_run *run, const struct gaps *gaps, uint64_t provoked)
{
    if (gaps->smi == NULL) {
        bench_absent(run, FACT_SMI, "MSR 34h has never counted here");
        return;
    }
    bench_fact(run, FACT_SMI, UNIT_COUNT, (int64_t)(uint32_t)(pmu_smi_count() - gaps->first_smi));
    bench_fact(run, FACT_SMI_PROVOKED, UNIT_COUNT, (int64_t)provoked);
    bench_publish(run, SERIES_GAP_SMI, UNIT_COUNT, gaps->smi, gaps->worst.first_count);
}

/* What is exact of all gaps above the threshold, kept or not. */
static void publish_totals(struct bench_run *run, const struct gaps *gaps)
{
    const struct worst *worst = &gaps->worst;

    bench_fact(run, FACT_OVER, UNIT_COUNT, (int64_t)worst->count);
    bench_fact(run, FACT_STOLEN, UNIT_TICK, worst->sum);
    if (worst->count > 0) {
        bench_fact(run, FACT_LARGEST, UNIT_TICK, worst->max);
        bench_fact(run, FACT_LARGEST_AT, UNIT_TICK, worst->max_time);
        bench_publish(run, SERIES_GAP_STOLEN, UNIT_TICK, gaps->stolen, GAP_PARTS);
    } else {
        bench_absent(run, FACT_LARGEST, "no gap was above the threshold");
    }
    bench_fact(run, FACT_UNKEPT, UNIT_COUNT, (int64_t)(worst->count - worst->first_count));
    bench_fact(run, FACT_REST, UNIT_COUNT, (int64_t)worst->rest);
    bench_fact(run, FACT_REST_SUM, UNIT_TICK, worst->rest_sum);
}

/* By slots, in the order of time. False: no memory. */
static bool publish_by_slot(struct bench_run *run, const struct worst *worst, const char *name,
                            const char *unit, const int64_t *samples)
{
    int64_t *sorted = bench_samples(worst->largest_count);

    if (sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < worst->largest_count; i++) {
        sorted[i] = samples[worst->events[i].slot];
    }
    bench_publish(run, name, unit, sorted, worst->largest_count);
    return true;
}

static bool publish_worst_counts(struct bench_run *run, const struct gaps *gaps)
{
    const struct worst *worst = &gaps->worst;
    const size_t bytes = reader_row_words() * sizeof(int64_t);
    const struct bench_rows rows = {bench_rows(2 * worst->largest_count), worst->largest_count,
                                    ROWS_PAIRS};

    if (rows.rows == NULL) {
        return false;
    }
    for (size_t i = 0; i < worst->largest_count; i++) {
        const size_t slot = worst->events[i].slot;

        memcpy(bench_row(rows.rows, 2 * i), bench_row(gaps->rows, 2 * slot), bytes);
        memcpy(bench_row(rows.rows, 2 * i + 1), bench_row(gaps->rows, 2 * slot + 1), bytes);
    }
    return bench_publish_counts(run, SERIES_WORST_LENGTH, &rows);
}

/* The largest of those behind the first, where there are any. False: no memory. */
static bool publish_worst(struct bench_run *run, struct gaps *gaps)
{
    struct worst *worst = &gaps->worst;

    if (worst->largest_count == 0) {
        return true;
    }
    worst_sort(worst);
    return publish_by_slot(run, worst, SERIES_WORST_TIME, UNIT_TICK, gaps->time) &&
           publish_by_slot(run, worst, SERIES_WORST_LENGTH, UNIT_TICK, gaps->length) &&
           (gaps->smi == NULL ||
            publish_by_slot(run, worst, SERIES_WORST_SMI, UNIT_COUNT, gaps->smi)) &&
           (gaps->rows == NULL || publish_worst_counts(run, gaps));
}

static bool publish(struct bench_run *run, struct gaps *gaps)
{
    const struct bench_rows rows = {gaps->rows, gaps->worst.first_count, ROWS_PAIRS};

    bench_fact(run, FACT_READS, UNIT_COUNT, (int64_t)gaps->tally.reads);
    bench_fact(run, FACT_GAP_ELAPSED, UNIT_TICK, (int64_t)gaps->elapsed);
    bench_fact(run, FACT_DEAD, UNIT_TICK, (int64_t)(gaps->elapsed - gaps->tally.sum));
    bench_fact(run, FACT_DEAD_LARGEST, UNIT_TICK, (int64_t)gaps->dead_largest);
    bench_fact(run, FACT_DEAD_SMALLEST, UNIT_TICK, (int64_t)gaps->dead_smallest);
    bench_fact(run, FACT_THRESHOLD, UNIT_TICK, (int64_t)gaps->threshold);
    bench_fact(run, FACT_SMALLEST, UNIT_TICK, (int64_t)gaps->tally.smallest);
    publish_totals(run, gaps);
    bench_publish(run, SERIES_GAP_TIME, UNIT_TICK, gaps->time, rows.samples);
    bench_publish(run, SERIES_GAP_LENGTH, UNIT_TICK, gaps->length, rows.samples);
    return bench_publish_counts(run, SERIES_GAP_LENGTH, &rows) && publish_worst(run, gaps) &&
           publish_histogram(run, gaps->histogram);
}

/* What was kept and the rest are all gaps above the threshold, and the largest of these is in the
 * last bin of the histogram; where there is none, that bin begins no higher. */
static bool has_the_worst(const struct gaps *gaps)
{
    const struct worst *worst = &gaps->worst;
    int64_t sum = worst->rest_sum;
    unsigned last = BUCKETS - 1;

    for (size_t i = 0; i < worst->first_count; i++) {
        sum += gaps->length[i];
    }
    for (size_t i = 0; i < worst->largest_count; i++) {
        sum += worst->events[i].length;
    }
    while (last > 0 && gaps->histogram[last] == 0) {
        last--;
    }
    if (worst->count == 0) {
        return sum == 0 && bucket_bound(last) <= gaps->threshold;
    }
    return sum == worst->sum && bucket_of((uint64_t)worst->max) == last &&
           worst->count == worst->first_count + worst->largest_count + worst->rest;
}

/* The books close to the tick: each read is in the histogram once, and the gaps and the dead time,
 * stretch by stretch, are all the time there was. */
static enum bench_state judge(struct bench_run *run, const struct gaps *gaps)
{
    const uint64_t accounted = gaps->tally.sum + gaps->dead_sum;
    uint64_t reads = 0;

    for (unsigned i = 0; i < BUCKETS; i++) {
        reads += (uint64_t)gaps->histogram[i];
    }
    if (reads != gaps->tally.reads) {
        return bench_fail(run, "the histogram has %lu of %lu gaps", reads, gaps->tally.reads);
    }
    if (accounted != gaps->elapsed) {
        return bench_fail(run, "gaps and dead time are %lu ticks of %lu", accounted, gaps->elapsed);
    }
    if (!has_the_worst(gaps)) {
        return bench_fail(run, "the gaps kept and the rest are not all gaps: the worst is lost");
    }
    return bench_ok(run);
}

static enum bench_state run(struct bench_run *run)
{
    const uint64_t ticks = clock_ticks_from_us(bench_number(run, "ms") * 1000);
    const uint64_t provoked = bench_number(run, "provoke_smi");
    const uint64_t first = bench_number(run, "keep");
    const uint64_t largest = bench_number(run, "keep_largest");
    struct gaps gaps = {
        .threshold = clock_ticks_from_ns(bench_number(run, "threshold_ns")),
    };

    if (provoked > 0 && (!pmu_state()->has_smi_count || pmu_smi_count() == 0)) {
        bench_absent(run, FACT_SMI, "MSR 34h reads 0");
        return bench_skip(run, "provoke_smi: MSR 34h reads 0, so port B2h is not touched: its "
                               "effect here is unknown");
    }
    if (!take_memory(&gaps, first, largest)) {
        return bench_error(run, "no memory for %lu gaps: set gap.keep or gap.keep_largest lower",
                           first + largest);
    }
    watch_all(&gaps, ticks, provoked);
    publish_smis(run, &gaps, provoked);
    if (!publish(run, &gaps)) {
        return bench_error(run, "no memory for the histogram, the largest gaps or the counts");
    }
    return judge(run, &gaps);
}

static const struct bench_param params[] = {
    {"ms", "2000", "length in ms", PARAM_NUMBER, 1, 86400000},
    {"threshold_ns", "1000", "gaps longer than this many ns are kept", PARAM_NUMBER, 1, 1000000000},
    {"keep", "10000", "gaps to keep: the first", PARAM_NUMBER, 1, 10000000},
    {"keep_largest", "1000", "and the largest of those behind them", PARAM_NUMBER, 0, 1000000},
    {"provoke_smi", "0", "SMIs to provoke by port B2h, where MSR 34h is not 0", PARAM_NUMBER, 0,
     1000},
    {0},
};

static const struct bench gap = {
    .name = BENCH_GAP,
    .group = "noise",
    .summary = "gaps between back-to-back TSC reads, interrupts masked",
    .unit = UNIT_TICK,
    .estimate =
        "no gap above 1 us on a machine without SMIs; 30 to 60 ticks between reads; in exact "
        "mode the instructions of the loop",
    .needs = NEED_CLOCK,
    .params = params,
    .run = run,
};
BENCH_REGISTER(gap);
