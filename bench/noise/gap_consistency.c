/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Publishes the series and facts of a gap watch (gap_watch.h) and checks that its totals add up.
 */
#include <stdio.h>
#include <string.h>

#include "bench/noise/gap_histogram.h"
#include "bench/noise/gap_watch.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/scale.h"
#include "kernel/run/names.h"

/* The processor whose results are published. */
struct owner {
    struct bench_run *run;
    const struct team *team;
    size_t index;
    bool own_is_bare;
};

static void fact(const struct owner *owner, const char *name, const char *unit, uint64_t value)
{
    char text[TEAM_NAME_MAX];

    bench_fact(owner->run, team_name(owner->team, owner->index, name, owner->own_is_bare, text),
               unit, (int64_t)value);
}

static void absent(const struct owner *owner, const char *name, const char *reason)
{
    char text[TEAM_NAME_MAX];

    bench_absent(owner->run, team_name(owner->team, owner->index, name, owner->own_is_bare, text),
                 reason);
}

static void series(const struct owner *owner, const char *name, const char *unit,
                   const int64_t *samples, size_t count)
{
    char text[TEAM_NAME_MAX];

    bench_publish(owner->run, team_name(owner->team, owner->index, name, owner->own_is_bare, text),
                  unit, samples, count);
}

static bool counts(const struct owner *owner, const char *name, const struct bench_rows *rows)
{
    char text[TEAM_NAME_MAX];

    return bench_publish_counts(
        owner->run, team_name(owner->team, owner->index, name, owner->own_is_bare, text), rows);
}

static bool publish_histogram(const struct owner *owner, const int64_t *histogram)
{
    int64_t *bounds = bench_samples(GAP_BUCKETS);
    int64_t *of_each = bench_samples(GAP_BUCKETS);

    if (bounds == NULL || of_each == NULL) {
        return false;
    }
    const size_t used = gap_histogram_pack(histogram, bounds, of_each);

    series(owner, SERIES_HISTOGRAM_BOUND, UNIT_TICK, bounds, used);
    series(owner, SERIES_HISTOGRAM_COUNT, UNIT_COUNT, of_each, used);
    return true;
}

static void publish_smis(const struct owner *owner, const struct gap_watch *watch)
{
    if (watch->smi == NULL) {
        absent(owner, FACT_SMI, "MSR 34h has never counted an SMI here");
        return;
    }
    fact(owner, FACT_SMI, UNIT_COUNT, (uint32_t)(watch->end_smi - watch->first_smi));
    fact(owner, FACT_SMI_TICKS, UNIT_TICK, watch->smi_ticks);
    if (owner->index == 0) {
        fact(owner, FACT_SMI_PROVOKED, UNIT_COUNT, watch->provoked);
    }
    series(owner, SERIES_GAP_SMI, UNIT_COUNT, watch->smi, watch->worst.first_count);
}

/* Publishes the totals that are exact for all gaps above the threshold, kept or not. */
static void publish_totals(const struct owner *owner, const struct gap_watch *watch)
{
    const struct worst *worst = &watch->worst;

    fact(owner, FACT_OVER, UNIT_COUNT, worst->count);
    fact(owner, FACT_STOLEN, UNIT_TICK, (uint64_t)worst->sum);
    if (worst->count > 0) {
        fact(owner, FACT_LARGEST, UNIT_TICK, (uint64_t)worst->max);
        fact(owner, FACT_LARGEST_AT, UNIT_TICK, (uint64_t)worst->max_time);
        series(owner, SERIES_GAP_STOLEN, UNIT_TICK, watch->stolen, GAP_PARTS);
    } else {
        absent(owner, FACT_LARGEST, "no gap was above the threshold");
    }
    fact(owner, FACT_UNKEPT, UNIT_COUNT, worst->count - worst->first_count);
    fact(owner, FACT_REST, UNIT_COUNT, worst->rest);
    fact(owner, FACT_REST_SUM, UNIT_TICK, (uint64_t)worst->rest_sum);
}

/* Publishes the samples of the largest gaps in the order of time; `samples` is indexed by slot.
 * Returns false if there is not enough memory. */
static bool publish_by_slot(const struct owner *owner, const struct worst *worst, const char *name,
                            const char *unit, const int64_t *samples)
{
    int64_t *sorted = bench_samples(worst->largest_count);

    if (sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < worst->largest_count; i++) {
        sorted[i] = samples[worst->events[i].slot];
    }
    series(owner, name, unit, sorted, worst->largest_count);
    return true;
}

static bool publish_worst_counts(const struct owner *owner, const struct gap_watch *watch)
{
    const struct worst *worst = &watch->worst;
    const size_t bytes = reader_row_words() * sizeof(int64_t);
    const struct bench_rows rows = {bench_rows(2 * worst->largest_count), worst->largest_count,
                                    ROWS_PAIRS};

    if (rows.rows == NULL) {
        return false;
    }
    for (size_t i = 0; i < worst->largest_count; i++) {
        const size_t slot = worst->events[i].slot;

        memcpy(bench_row(rows.rows, 2 * i), bench_row(watch->rows, 2 * slot), bytes);
        memcpy(bench_row(rows.rows, 2 * i + 1), bench_row(watch->rows, 2 * slot + 1), bytes);
    }
    return counts(owner, SERIES_WORST_LENGTH, &rows);
}

/* Publishes the largest gaps that came after the first ones, if there are any. Returns false if
 * there is not enough memory. */
static bool publish_worst(const struct owner *owner, struct gap_watch *watch)
{
    struct worst *worst = &watch->worst;

    if (worst->largest_count == 0) {
        return true;
    }
    worst_sort(worst);
    return publish_by_slot(owner, worst, SERIES_WORST_TIME, UNIT_TICK, watch->time) &&
           publish_by_slot(owner, worst, SERIES_WORST_LENGTH, UNIT_TICK, watch->length) &&
           (watch->smi == NULL ||
            publish_by_slot(owner, worst, SERIES_WORST_SMI, UNIT_COUNT, watch->smi)) &&
           (watch->rows == NULL || publish_worst_counts(owner, watch));
}

static void publish_injected(const struct owner *owner, const struct gap_watch *watch)
{
    if (watch->settings.injection_count == 0) {
        return;
    }
    series(owner, SERIES_INJECTED_TIME, UNIT_TICK, watch->injected_time, watch->injected);
    series(owner, SERIES_INJECTED_LENGTH, UNIT_TICK, watch->injected_length, watch->injected);
    series(owner, SERIES_INJECTED_WORLD, UNIT_COUNT, watch->injected_world, watch->injected);
}

static void publish_selfish(const struct owner *owner, const struct gap_watch *watch)
{
    if (watch->settings.also != 0 && watch->also_seen) {
        fact(owner, FACT_OVER_1US, UNIT_COUNT, watch->over_also);
    } else if (watch->settings.also != 0) {
        absent(owner, FACT_OVER_1US, "two passes of the loop take longer than 1 us");
    }
    if (watch->smallest_before != 0) {
        fact(owner, FACT_SMALLEST_BEFORE, UNIT_TICK, watch->smallest_before);
        fact(owner, FACT_READS_BEFORE, UNIT_COUNT, watch->reads_before);
    }
    if (watch->settings.raw != 0) {
        series(owner, SERIES_READING, UNIT_TICK, watch->raw, watch->raw_count);
        series(owner, SERIES_READING_BEFORE, UNIT_TICK, watch->raw_before, watch->raw_before_count);
    }
}

static void publish_times(const struct owner *owner, const struct gap_watch *watch)
{
    fact(owner, FACT_ORIGIN, UNIT_TICK, watch->start - watch->origin);
    fact(owner, FACT_READS, UNIT_COUNT, watch->tally.reads);
    fact(owner, FACT_GAP_ELAPSED, UNIT_TICK, watch->elapsed);
    fact(owner, FACT_DEAD, UNIT_TICK, watch->elapsed - watch->tally.sum);
    fact(owner, FACT_DEAD_LARGEST, UNIT_TICK, watch->dead_largest);
    fact(owner, FACT_DEAD_SMALLEST, UNIT_TICK, watch->dead_smallest);
    fact(owner, FACT_THRESHOLD, UNIT_TICK, watch->threshold);
    fact(owner, FACT_SMALLEST, UNIT_TICK, watch->tally.smallest);
    fact(owner, FACT_WATCH_BYTES, UNIT_BYTE, gap_watch_bytes(watch));
    if (watch->settings.round_ticks != 0) {
        fact(owner, FACT_ROUNDS, UNIT_COUNT, watch->rounds);
        fact(owner, FACT_AWAY, UNIT_TICK, watch->away);
    }
}

static const char *with_prefix(const char *prefix, enum cause cause, char name[TEAM_NAME_MAX])
{
    snprintf(name, TEAM_NAME_MAX, "%s%s", prefix, cause_name(cause));
    return name;
}

/* Publishes a cause for each gap that was kept. Returns false if there is not enough memory. */
static bool publish_cause_rows(const struct owner *owner, const struct gap_watch *watch,
                               enum cause cause)
{
    const size_t first = watch->worst.first_count;
    const size_t slots = watch->settings.keep + watch->settings.keep_largest;
    int64_t *counted = bench_samples(slots);
    char name[TEAM_NAME_MAX];

    if (counted == NULL) {
        return false;
    }
    for (size_t i = 0; i < slots; i++) {
        counted[i] = watch->causes.of_slot[i][cause];
    }
    series(owner, with_prefix(PREFIX_CAUSE, cause, name), gap_causes_unit(cause), counted, first);
    return watch->worst.largest_count == 0 ||
           publish_by_slot(owner, &watch->worst, with_prefix(PREFIX_WORST_CAUSE, cause, name),
                           gap_causes_unit(cause), counted);
}

/* A cause that never occurred gets no rows, which would all be zero. When processors take turns no
 * rows were read; only the total is published. A cause that the machine lacks is missing on all
 * processors and is reported once, under the first processor's name. Returns false if there is not
 * enough memory. */
static bool publish_causes(const struct owner *owner, const struct gap_watch *watch)
{
    const struct gap_causes *causes = &watch->causes;
    char name[TEAM_NAME_MAX];

    for (enum cause cause = 0; cause < CAUSES && causes->on; cause++) {
        with_prefix(PREFIX_CAUSE, cause, name);
        if (cause_absent(cause) != NULL && owner->index == 0) {
            absent(owner, name, cause_absent(cause));
        }
        if (cause_absent(cause) != NULL) {
            continue;
        }
        fact(owner, name, gap_causes_unit(cause), (uint64_t)causes->total[cause]);
        if (!causes->in_turns && watch->worst.count > 0 && causes->total[cause] != 0 &&
            !publish_cause_rows(owner, watch, cause)) {
            return false;
        }
    }
    return true;
}

static bool is_stopped(const struct gap_watch *watch)
{
    return watch->settings.stop != NULL && watch->settings.stop->stopped != 0;
}

static void publish_flight(const struct owner *owner, struct gap_watch *watch)
{
    const struct gap_causes *causes = &watch->causes;
    char name[TEAM_NAME_MAX];

    if (!is_stopped(watch)) {
        return;
    }
    const size_t count = flight_sort(&watch->flight);

    series(owner, SERIES_FLIGHT, UNIT_TICK, watch->flight.ring, count);
    fact(owner, FACT_FLIGHT_END, UNIT_TICK, watch->last - watch->origin);
    for (enum cause cause = 0; cause < CAUSES && causes->on; cause++) {
        if (cause_absent(cause) == NULL) {
            fact(owner, with_prefix(PREFIX_FLIGHT_CAUSE, cause, name), gap_causes_unit(cause),
                 (uint64_t)causes->since_gap[cause]);
        }
    }
}

bool gap_watch_publish(struct bench_run *run, struct gap_watch *watch, const struct team *team,
                       size_t index, bool own_is_bare)
{
    const struct owner owner = {run, team, index, own_is_bare};
    const struct bench_rows rows = {watch->rows, watch->worst.first_count, ROWS_PAIRS};

    publish_smis(&owner, watch);
    publish_times(&owner, watch);
    publish_totals(&owner, watch);
    series(&owner, SERIES_GAP_TIME, UNIT_TICK, watch->time, rows.samples);
    series(&owner, SERIES_GAP_LENGTH, UNIT_TICK, watch->length, rows.samples);
    publish_injected(&owner, watch);
    publish_selfish(&owner, watch);
    publish_flight(&owner, watch);
    return (watch->rows == NULL || counts(&owner, SERIES_GAP_LENGTH, &rows)) &&
           publish_worst(&owner, watch) && publish_causes(&owner, watch) &&
           publish_histogram(&owner, watch->histogram);
}

/* Checks that the gaps kept and the rest together are all gaps above the threshold, and that the
 * largest is in the last bin of the histogram. If no gap was above the threshold, that bin must not
 * begin above it. */
static bool has_the_worst(const struct gap_watch *watch)
{
    const struct worst *worst = &watch->worst;
    int64_t sum = worst->rest_sum;
    unsigned last = GAP_BUCKETS - 1;

    for (size_t i = 0; i < worst->first_count; i++) {
        sum += watch->length[i];
    }
    for (size_t i = 0; i < worst->largest_count; i++) {
        sum += worst->events[i].length;
    }
    while (last > 0 && watch->histogram[last] == 0) {
        last--;
    }
    if (worst->count == 0) {
        return sum == 0 && gap_bucket_bound(last) <= watch->threshold;
    }
    return sum == worst->sum && gap_bucket_of((uint64_t)worst->max) == last &&
           worst->count == worst->first_count + worst->largest_count + worst->rest;
}

/* Checks a count of gaps above `ticks` against the histogram: at least the gaps in the bins that
 * begin above `ticks`, and at most these and those in the bin that holds it. */
static bool is_between(const struct gap_watch *watch, uint64_t count, uint64_t ticks)
{
    const unsigned holds = gap_bucket_of(ticks);
    uint64_t least = 0;

    for (unsigned i = holds + 1; i < GAP_BUCKETS; i++) {
        least += (uint64_t)watch->histogram[i];
    }
    return count >= least && count <= least + (uint64_t)watch->histogram[holds];
}

/* Counts the injected gaps above the threshold. Injections are made between two readings, never in
 * dead time, so each must be found, except one under way when another processor ended the watch. */
static uint64_t injected_above(const struct gap_watch *watch)
{
    const size_t found = watch->injected - (is_stopped(watch) && watch->injected > 0 ? 1 : 0);
    uint64_t above = 0;

    for (size_t i = 0; i < found; i++) {
        above += (uint64_t)watch->injected_length[i] > watch->threshold ? 1 : 0;
    }
    return above;
}

enum bench_state gap_watch_judge(struct bench_run *run, const struct gap_watch *watch,
                                 size_t number)
{
    const uint64_t accounted = watch->tally.sum + watch->dead_sum;
    const uint64_t reads = gap_histogram_count(watch->histogram);

    if (reads != watch->tally.reads) {
        return bench_fail(
            run,
            "processor %zu: the histogram holds %lu gaps, expected one for each of %lu readings",
            number, reads, watch->tally.reads);
    }
    if (accounted != watch->elapsed) {
        return bench_fail(run,
                          "processor %zu: gaps and dead time add up to %lu ticks, expected %lu",
                          number, accounted, watch->elapsed);
    }
    if (!has_the_worst(watch)) {
        return bench_fail(run,
                          "processor %zu: the gaps kept and the rest do not add up to all gaps; "
                          "the longest may be lost",
                          number);
    }
    if (!is_between(watch, watch->worst.count, watch->threshold) ||
        (watch->also_seen && !is_between(watch, watch->over_also, watch->settings.also))) {
        return bench_fail(run,
                          "processor %zu: the histogram does not agree with the number of gaps "
                          "above the threshold (%lu), or with the number above 1 us",
                          number, watch->worst.count);
    }
    if (watch->injected != watch->settings.injection_count && !is_stopped(watch)) {
        return bench_fail(run, "processor %zu: injected %zu gaps, expected %zu", number,
                          watch->injected, watch->settings.injection_count);
    }
    if (injected_above(watch) > watch->worst.count) {
        return bench_fail(
            run, "processor %zu: injected %lu gaps above the threshold, but found only %lu", number,
            injected_above(watch), watch->worst.count);
    }
    return bench_ok(run);
}

static uint64_t ns_of(uint64_t ticks)
{
    return scale_u64(ticks, 1000000000, clock_state()->verdict.hz);
}

/* A gap longer than noise.stop_us breaks a promise of the plan: fails the bench and names the
 * processor. */
static enum bench_state judge_stop(struct bench_run *run, const struct team *team,
                                   const struct gap_watch *watch)
{
    const struct flight_stop *stop = watch->settings.stop;

    if (!is_stopped(watch)) {
        return bench_ok(run);
    }
    const struct gap_watch *whose = watch + (stop->index - watch->settings.index);
    const size_t number = team->takers.number[stop->index];
    const uint64_t at = flight_publish_stop(run, stop, number, whose->origin);

    return bench_fail(
        run, "noise.stop_us=%lu: processor %zu was away for %lu ns, %lu ns after the start",
        bench_stop_us(), number, ns_of(stop->length), ns_of(at));
}

enum bench_state gap_watch_report(struct bench_run *run, struct team *team,
                                  struct gap_watch *watches, bool own_is_bare)
{
    for (size_t i = 0; i < team->takers.count; i++) {
        if (!gap_watch_publish(run, &watches[i], team, i, own_is_bare)) {
            return bench_error(run,
                               "cannot allocate the histogram, the largest gaps or the counts");
        }
    }
    if (!team_publish(run, team)) {
        return bench_error(
            run, "cannot compare the clocks again: no memory, or a processor does not answer");
    }
    for (size_t i = 0; i < team->takers.count; i++) {
        const enum bench_state state = gap_watch_judge(run, &watches[i], team->takers.number[i]);

        if (state != BENCH_OK) {
            return state;
        }
    }
    return judge_stop(run, team, watches);
}
