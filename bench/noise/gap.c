/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench gap: what takes the processor away when every interrupt is masked.
 *
 * The TSC is read back to back; what lies between two reads is a gap. Each gap goes into a
 * log-linear histogram, and those above the threshold are kept with their time. Every gap begins at
 * the read that ended the one before, except behind a gap that was kept: keeping it would show as a
 * gap, and that one would be kept as well. So the gaps cover the whole span except this dead time,
 * which is reported: elapsed minus the sum of all gaps.
 *
 * Where MSR 34h counts SMIs, it is read whenever a gap is kept, so that each SMI is reported with
 * the gap it made.
 */
#include "bench/noise/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/smi.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

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
    uint64_t capacity;
    int64_t *histogram;
    int64_t *time;
    int64_t *length;
    int64_t *smi;  /* SMIs since the gap kept before; NULL where they cannot be counted */
    int64_t *rows; /* before and behind each gap kept; NULL where nothing is counted */
    uint64_t start;
    uint64_t last; /* TSC of the last read */
    int64_t last_row[READER_ROW_MAX];
    uint64_t first_smi;
    uint64_t last_smi;
    struct tally tally;
    uint64_t elapsed;
    uint64_t kept;
    uint64_t unkept; /* above the threshold, but no room */
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

/* A gap that began at `last`; true if there was room for it. */
static bool keep_gap(struct gaps *gaps, uint64_t last, uint64_t gap)
{
    if (gaps->kept == gaps->capacity) {
        gaps->unkept++;
        return false;
    }
    if (gaps->smi != NULL) {
        const uint64_t smis = pmu_smi_count();

        gaps->smi[gaps->kept] = (int64_t)(uint32_t)(smis - gaps->last_smi);
        gaps->last_smi = smis;
    }
    gaps->time[gaps->kept] = (int64_t)(last - gaps->start);
    gaps->length[gaps->kept++] = (int64_t)gap;
    return true;
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
        const size_t index = gaps->kept;

        take_gap(&gaps->tally, gaps->histogram, gap);
        if (gap > gaps->threshold) {
            if (keep_gap(gaps, gaps->last, gap)) {
                memcpy(bench_row(gaps->rows, 2 * index), gaps->last_row, bytes);
                memcpy(bench_row(gaps->rows, 2 * index + 1), row, bytes);
            }
            reader_read(row);
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

static bool take_memory(struct gaps *gaps)
{
    gaps->histogram = bench_samples(BUCKETS);
    gaps->time = bench_samples(gaps->capacity);
    gaps->length = bench_samples(gaps->capacity);
    gaps->smi = pmu_state()->has_smi_count ? bench_samples(gaps->capacity) : NULL;
    gaps->rows = bench_counting() ? bench_rows(2 * gaps->capacity) : NULL;
    return gaps->histogram != NULL && gaps->time != NULL && gaps->length != NULL &&
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
    bench_publish(run, SERIES_GAP_SMI, UNIT_COUNT, gaps->smi, gaps->kept);
}

static bool publish(struct bench_run *run, const struct gaps *gaps)
{
    const struct bench_rows rows = {gaps->rows, gaps->kept, ROWS_PAIRS};

    bench_fact(run, FACT_READS, UNIT_COUNT, (int64_t)gaps->tally.reads);
    bench_fact(run, FACT_GAP_ELAPSED, UNIT_TICK, (int64_t)gaps->elapsed);
    bench_fact(run, FACT_DEAD, UNIT_TICK, (int64_t)(gaps->elapsed - gaps->tally.sum));
    bench_fact(run, FACT_THRESHOLD, UNIT_TICK, (int64_t)gaps->threshold);
    bench_fact(run, FACT_SMALLEST, UNIT_TICK, (int64_t)gaps->tally.smallest);
    bench_fact(run, FACT_UNKEPT, UNIT_COUNT, (int64_t)gaps->unkept);
    bench_publish(run, SERIES_GAP_TIME, UNIT_TICK, gaps->time, gaps->kept);
    bench_publish(run, SERIES_GAP_LENGTH, UNIT_TICK, gaps->length, gaps->kept);
    return bench_publish_counts(run, SERIES_GAP_LENGTH, &rows) &&
           publish_histogram(run, gaps->histogram);
}

static enum bench_state run(struct bench_run *run)
{
    const uint64_t ticks = clock_ticks_from_us(bench_number(run, "ms") * 1000);
    const uint64_t provoked = bench_number(run, "provoke_smi");
    struct gaps gaps = {
        .threshold = clock_ticks_from_ns(bench_number(run, "threshold_ns")),
        .capacity = bench_number(run, "keep"),
    };

    if (provoked > 0 && (!pmu_state()->has_smi_count || pmu_smi_count() == 0)) {
        bench_absent(run, FACT_SMI, "MSR 34h reads 0");
        return bench_skip(run, "provoke_smi: MSR 34h reads 0, so port B2h is not touched: its "
                               "effect here is unknown");
    }
    if (!take_memory(&gaps)) {
        return bench_error(run, "no memory for %lu gaps", gaps.capacity);
    }
    watch_all(&gaps, ticks, provoked);
    publish_smis(run, &gaps, provoked);
    if (!publish(run, &gaps)) {
        return bench_error(run, "no memory for the histogram or the counts");
    }
    return bench_ok(run);
}

static const struct bench_param params[] = {
    {"ms", "2000", "length in ms", PARAM_NUMBER, 1, 86400000},
    {"threshold_ns", "1000", "gaps longer than this many ns are kept", PARAM_NUMBER, 1, 1000000000},
    {"keep", "10000", "gaps to keep at most", PARAM_NUMBER, 1, 10000000},
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
