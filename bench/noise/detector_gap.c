/* SPDX-License-Identifier: BSD-2-Clause */
/* The detectors that watch for gaps: gap, gap with its lowest threshold, and selfish. */
#include "bench/noise/detector.h"
#include "bench/noise/gap_histogram.h"
#include "bench/noise/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"

#define THRESHOLD_US 1

/* Gaps that can be kept in addition to the injected ones, because a busy host takes the processor
 * as well. */
#define KEPT_BESIDE  256
#define KEPT_LARGEST 64

/* Distance between injections: writing down the previous gap takes about 200 instructions, and a
 * reading takes 35. */
#define APART_READINGS 40

static bool prepare_with(struct detecting *detecting, uint64_t ticks, uint64_t threshold)
{
    const struct gap_watch_settings settings = {
        .ticks = ticks,
        .threshold = threshold,
        .keep = 2 * detecting->trials + KEPT_BESIDE,
        .keep_largest = KEPT_LARGEST,
        .pauses = detecting->pauses,
        .provoked = detecting->provoked,
        .injections = detecting->injections,
        .injection_count = detecting->injection_count,
    };

    detecting->next = 0;
    return gap_watch_take_memory(&detecting->gaps, &settings);
}

static bool prepare(struct detecting *detecting, uint64_t ticks)
{
    return prepare_with(detecting, ticks, detecting->threshold);
}

static void watch(struct detecting *detecting)
{
    gap_watch_run(&detecting->gaps, tsc_read());
}

static bool watch_with(struct detecting *detecting, uint64_t ticks, uint64_t threshold)
{
    if (!prepare_with(detecting, ticks, threshold)) {
        return false;
    }
    watch(detecting);
    return true;
}

/* Returns the upper bound of the last histogram bin that holds readings. */
static uint64_t largest_reading(const struct gap_watch *gaps)
{
    unsigned last = GAP_BUCKETS - 2;

    while (last > 0 && gaps->histogram[last] == 0) {
        last--;
    }
    return gap_bucket_bound(last + 1);
}

/* Measures the smallest reading in an interval in which nothing is written down, because the
 * reading after a gap that is written down is shorter. */
static bool find_reading(struct detecting *detecting, uint64_t ticks, const char **why)
{
    *why = "no memory";
    if (!watch_with(detecting, ticks, UINT64_MAX / 2)) {
        return false;
    }
    detecting->reading = detecting->gaps.tally.smallest;
    return true;
}

/* Watches the interval in which false alarms are counted. `threshold` is known by now; 0 means that
 * the watch finds selfish's threshold itself. */
static bool count_alarms(struct detecting *detecting, uint64_t ticks, uint64_t threshold,
                         const char **why)
{
    const struct gap_watch *gaps = &detecting->gaps;

    *why = "no memory";
    if (!watch_with(detecting, ticks, threshold)) {
        return false;
    }
    detecting->threshold = gaps->threshold;
    detecting->readings = gaps->tally.reads;
    detecting->alarms = gaps->worst.count;
    detecting->cycle = detecting->reading;
    detecting->apart = APART_READINGS * detecting->reading;
    detecting->sure =
        detecting->threshold > detecting->reading ? detecting->threshold - detecting->reading : 0;
    detecting->never = detecting->pauses ? 0 : detecting->sure;
    return true;
}

static bool quiet_gap(struct detecting *detecting, uint64_t ticks, const char **why)
{
    const uint64_t threshold = clock_ticks_from_us(THRESHOLD_US);

    if (!find_reading(detecting, ticks, why)) {
        return false;
    }
    if (threshold < 2 * detecting->reading) {
        *why = "1 us is less than two readings of the loop";
        return false;
    }
    return count_alarms(detecting, ticks, threshold, why);
}

/* The lowest threshold is two readings; below it the loop itself would be reported. If other
 * processors take turns with this one, readings differ in length, and the threshold is twice the
 * longest. */
static bool quiet_lowest(struct detecting *detecting, uint64_t ticks, const char **why)
{
    return find_reading(detecting, ticks, why) &&
           count_alarms(
               detecting, ticks,
               2 * (detecting->pauses ? largest_reading(&detecting->gaps) : detecting->reading),
               why);
}

static bool quiet_selfish(struct detecting *detecting, uint64_t ticks, const char **why)
{
    return find_reading(detecting, ticks, why) && count_alarms(detecting, ticks, 0, why);
}

static bool overlaps(const struct gap_watch *gaps, size_t slot, uint64_t begin, uint64_t end)
{
    const uint64_t from = gaps->start + (uint64_t)gaps->time[slot];

    return from < end && from + (uint64_t)gaps->length[slot] > begin;
}

static enum detector_answer found(struct detecting *detecting, uint64_t begin, uint64_t end)
{
    const struct gap_watch *gaps = &detecting->gaps;
    const size_t count = gaps->worst.first_count;

    if (begin <= gaps->start || end >= gaps->last) {
        return DETECTOR_ASIDE;
    }
    while (detecting->next < count && gaps->start + (uint64_t)gaps->time[detecting->next] +
                                              (uint64_t)gaps->length[detecting->next] <=
                                          begin) {
        detecting->next++;
    }
    if (detecting->next < count && overlaps(gaps, detecting->next, begin, end)) {
        return DETECTOR_FOUND;
    }
    for (size_t i = 0; i < gaps->worst.largest_count; i++) {
        if (overlaps(gaps, gaps->worst.events[i].slot, begin, end)) {
            return DETECTOR_FOUND;
        }
    }
    return DETECTOR_MISSED;
}

const struct detector detector_gap = {DETECTOR_GAP, true, quiet_gap, prepare, watch, found};
const struct detector detector_lowest = {DETECTOR_LOWEST, true,  quiet_lowest,
                                         prepare,         watch, found};
const struct detector detector_selfish = {DETECTOR_SELFISH, true,  quiet_selfish,
                                          prepare,          watch, found};
