/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench gap: what takes the processor away when every interrupt is masked.
 *
 * The TSC is read back to back; what lies between two reads is a gap. Each gap goes into a
 * log-linear histogram, and those above the threshold are kept with their time. Every gap begins at
 * the read that ended the one before, so the gaps cover the whole span: what keeping one costs
 * shows as part of the next. The dead time, elapsed minus the sum of all gaps, is measured all the
 * same.
 */
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"

#define SUB_BUCKETS_LOG2 4 /* 16 buckets an octave: a bound is within 6 % */
#define SUB_BUCKETS      (1u << SUB_BUCKETS_LOG2)
#define BUCKETS          ((64 - SUB_BUCKETS_LOG2 + 1) * SUB_BUCKETS)

struct gaps {
    uint64_t reads;
    uint64_t elapsed;
    uint64_t sum;
    uint64_t smallest;
    uint64_t kept;
    uint64_t unkept; /* above the threshold, but no room */
    int64_t *time;
    int64_t *length;
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

static void watch(struct gaps *gaps, int64_t *histogram, uint64_t ticks, uint64_t threshold,
                  uint64_t capacity)
{
    const uint64_t start = tsc_read_ordered();
    uint64_t last = start;

    gaps->smallest = UINT64_MAX;
    while (last - start < ticks) {
        const uint64_t now = tsc_read();
        const uint64_t gap = now - last;

        histogram[bucket_of(gap)]++;
        gaps->reads++;
        gaps->sum += gap;
        gaps->smallest = gap < gaps->smallest ? gap : gaps->smallest;
        if (__builtin_expect(gap > threshold, 0)) {
            if (gaps->kept < capacity) {
                gaps->time[gaps->kept] = (int64_t)(last - start);
                gaps->length[gaps->kept++] = (int64_t)gap;
            } else {
                gaps->unkept++;
            }
        }
        last = now;
    }
    gaps->elapsed = last - start;
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
    bench_publish(run, "histogram_bound", "tick", bounds, used);
    bench_publish(run, "histogram_count", "count", counts, used);
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    const uint64_t capacity = bench_number(run, "keep");
    const uint64_t ticks = clock_ticks_from_us(bench_number(run, "ms") * 1000);
    const uint64_t threshold = clock_ticks_from_ns(bench_number(run, "threshold_ns"));
    int64_t *histogram = bench_samples(BUCKETS);
    struct gaps gaps = {.time = bench_samples(capacity), .length = bench_samples(capacity)};

    if (histogram == NULL || gaps.time == NULL || gaps.length == NULL) {
        return bench_error(run, "no memory for %lu gaps", capacity);
    }
    watch(&gaps, histogram, ticks, threshold, capacity);

    bench_fact(run, "reads", "count", (int64_t)gaps.reads);
    bench_fact(run, "elapsed", "tick", (int64_t)gaps.elapsed);
    bench_fact(run, "dead", "tick", (int64_t)(gaps.elapsed - gaps.sum));
    bench_fact(run, "threshold", "tick", (int64_t)threshold);
    bench_fact(run, "smallest", "tick", (int64_t)gaps.smallest);
    bench_fact(run, "unkept", "count", (int64_t)gaps.unkept);
    bench_publish(run, "gap_time", "tick", gaps.time, gaps.kept);
    bench_publish(run, "gap_length", "tick", gaps.length, gaps.kept);
    if (!publish_histogram(run, histogram)) {
        return bench_error(run, "no memory for the histogram");
    }
    return bench_ok(run);
}

static const struct bench_param params[] = {
    {"ms", "2000", "length in ms", PARAM_NUMBER, 1, 86400000},
    {"threshold_ns", "1000", "gaps longer than this many ns are kept", PARAM_NUMBER, 1, 1000000000},
    {"keep", "10000", "gaps to keep at most", PARAM_NUMBER, 1, 10000000},
    {0},
};

static const struct bench gap = {
    .name = "gap",
    .group = "noise",
    .summary = "gaps between back-to-back TSC reads, interrupts masked",
    .unit = "tick",
    .estimate =
        "no gap above 1 us on a machine without SMIs; 30 to 60 ticks between reads; in exact "
        "mode the instructions of the loop",
    .needs = NEED_CLOCK,
    .params = params,
    .run = run,
};
BENCH_REGISTER(gap);
