/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/gap_watch.h"

#include <string.h>

#include "bench/noise/gap_histogram.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/smi.h"
#include "kernel/pmu/pmu.h"

/* netgauge's rule: runs of FIND_READINGS readings each, until FIND_NOT_SMALLER runs in a row found
 * no smaller one. */
#define FIND_READINGS    50
#define FIND_NOT_SMALLER 100
/* Bounds the search on a machine whose smallest reading keeps falling. */
#define FIND_RUNS_MAX 10000

static inline void take_gap(struct gap_tally *tally, int64_t *histogram, uint64_t gap)
{
    histogram[gap_bucket_of(gap)]++;
    tally->reads++;
    tally->sum += gap;
    tally->smallest = gap < tally->smallest ? gap : tally->smallest;
}

/* Counts the previous section of dead time, whose end is known by now. */
static void note_dead(struct gap_watch *watch)
{
    const uint64_t dead = watch->dead_end - watch->dead_begin;

    watch->dead_sum += dead;
    watch->dead_largest = dead > watch->dead_largest ? dead : watch->dead_largest;
    if (dead > 0 && (dead < watch->dead_smallest || watch->dead_smallest == 0)) {
        watch->dead_smallest = dead;
    }
}

static int64_t count_smis(struct gap_watch *watch, uint64_t gap)
{
    const uint64_t smis = pmu_smi_count();
    const uint32_t since = (uint32_t)(smis - watch->last_smi);

    watch->last_smi = smis;
    watch->smi_ticks += since != 0 ? gap : 0;
    return since;
}

/* Counts a gap above the threshold that began at `last`. Returns its slot, or WORST_NONE. */
static size_t keep_gap(struct gap_watch *watch, uint64_t last, uint64_t gap)
{
    const uint64_t time = last - watch->start;
    const uint64_t part = (time - watch->away) / watch->part_ticks;
    const int64_t smis = watch->smi != NULL ? count_smis(watch, gap) : 0;
    const size_t slot = worst_take(&watch->worst, (int64_t)gap, (int64_t)time);

    gap_causes_take(&watch->causes, gap / GAP_CAUSES_LONG >= watch->threshold, slot);
    watch->stolen[part < GAP_PARTS ? part : GAP_PARTS - 1] += (int64_t)gap;
    if (slot == WORST_NONE) {
        return slot;
    }
    if (watch->smi != NULL) {
        watch->smi[slot] = smis;
    }
    watch->time[slot] = (int64_t)time;
    watch->length[slot] = (int64_t)gap;
    return slot;
}

/* Writes down a gap that began at `last`. Returns its slot, or WORST_NONE. */
static size_t see_gap(struct gap_watch *watch, uint64_t last, uint64_t gap)
{
    note_dead(watch);
    watch->dead_begin = last + gap;
    watch->over_also += gap > watch->settings.also ? 1 : 0;
    if (watch->raw_count < watch->settings.raw) {
        watch->raw[watch->raw_count++] = (int64_t)gap;
    }
    return gap > watch->threshold ? keep_gap(watch, last, gap) : WORST_NONE;
}

/* Watches from the last reading until the TSC reaches `end`. Compiled twice, with and without
 * PAUSE, so that each version contains only its own instructions. */
static inline __attribute__((always_inline)) void watch_in_turns(struct gap_watch *watch,
                                                                 uint64_t end, bool pauses)
{
    const uint64_t detected = watch->detected;
    int64_t *histogram = watch->histogram;
    struct gap_tally tally = watch->tally;
    uint64_t last = watch->last;

    while ((int64_t)(end - last) > 0) {
        if (pauses) {
            cpu_pause();
        }
        const uint64_t now = tsc_read();
        const uint64_t gap = now - last;

        take_gap(&tally, histogram, gap);
        if (__builtin_expect(gap <= detected, 1)) {
            last = now;
            continue;
        }
        see_gap(watch, last, gap);
        if (pauses) {
            cpu_pause(); /* the other processors write down what they saw at the same time */
        }
        last = tsc_read_ordered();
        watch->dead_end = last;
    }
    watch->tally = tally;
    watch->last = last;
}

static __attribute__((noinline)) void watch_alone(struct gap_watch *watch, uint64_t end)
{
    watch_in_turns(watch, end, false);
}

static __attribute__((noinline)) void watch_paused(struct gap_watch *watch, uint64_t end)
{
    watch_in_turns(watch, end, true);
}

static bool is_stopped(const struct gap_watch *watch)
{
    return watch->settings.stop != NULL && watch->settings.stop->stopped != 0;
}

/* Writes down a gap, and stops the watch if the gap exceeds stop_ticks. */
static void see_recorded(struct gap_watch *watch, uint64_t last, uint64_t gap)
{
    see_gap(watch, last, gap);
    if (gap > watch->settings.stop_ticks) {
        flight_stop(watch->settings.stop, watch->settings.index, last, gap);
    }
}

/* Does what watch_in_turns() does, and also fills the flight recorder and ends when any processor
 * has stopped the watch. */
static inline __attribute__((always_inline)) void record_in_turns(struct gap_watch *watch,
                                                                  uint64_t end, bool pauses)
{
    const volatile uint64_t *stopped = &watch->settings.stop->stopped;
    const uint64_t detected = watch->detected;
    struct gap_tally tally = watch->tally;
    struct flight flight = watch->flight;
    uint64_t last = watch->last;

    while ((int64_t)(end - last) > 0 && *stopped == 0) {
        if (pauses) {
            cpu_pause();
        }
        const uint64_t now = tsc_read();
        const uint64_t gap = now - last;

        take_gap(&tally, watch->histogram, gap);
        flight_add(&flight, (int64_t)gap);
        if (__builtin_expect(gap <= detected, 1)) {
            last = now;
            continue;
        }
        see_recorded(watch, last, gap);
        if (pauses) {
            cpu_pause(); /* as in watch_in_turns() */
        }
        last = tsc_read_ordered();
        watch->dead_end = last;
        flight_add(&flight, (int64_t)(now - last));
    }
    watch->tally = tally;
    watch->flight = flight;
    watch->last = last;
}

static __attribute__((noinline)) void record_alone(struct gap_watch *watch, uint64_t end)
{
    record_in_turns(watch, end, false);
}

static __attribute__((noinline)) void record_paused(struct gap_watch *watch, uint64_t end)
{
    record_in_turns(watch, end, true);
}

/* Does the same, but reads a row of counters instead of the TSC. This is slower, so the smallest
 * gap is larger, but the counts belong to the gap alone. */
static inline __attribute__((always_inline)) void count_in_turns(struct gap_watch *watch,
                                                                 uint64_t end, bool pauses)
{
    const size_t bytes = reader_row_words() * sizeof(int64_t);

    while ((int64_t)(end - watch->last) > 0) {
        int64_t row[READER_ROW_MAX];

        if (pauses) {
            cpu_pause();
        }
        reader_read(row);
        const uint64_t gap = (uint64_t)row[0] - watch->last;

        take_gap(&watch->tally, watch->histogram, gap);
        if (gap > watch->detected) {
            const size_t slot = see_gap(watch, watch->last, gap);

            if (slot != WORST_NONE) {
                memcpy(bench_row(watch->rows, 2 * slot), watch->last_row, bytes);
                memcpy(bench_row(watch->rows, 2 * slot + 1), row, bytes);
            }
            reader_read(row);
            watch->dead_end = (uint64_t)row[0];
        }
        memcpy(watch->last_row, row, bytes);
        watch->last = (uint64_t)row[0];
    }
}

static __attribute__((noinline)) void watch_counted(struct gap_watch *watch, uint64_t end)
{
    count_in_turns(watch, end, false);
}

static __attribute__((noinline)) void watch_counted_paused(struct gap_watch *watch, uint64_t end)
{
    count_in_turns(watch, end, true);
}

static void watch_until(struct gap_watch *watch, uint64_t end)
{
    if (watch->rows != NULL && watch->settings.pauses) {
        watch_counted_paused(watch, end);
    } else if (watch->rows != NULL) {
        watch_counted(watch, end);
    } else if (watch->flight.ring != NULL && watch->settings.pauses) {
        record_paused(watch, end);
    } else if (watch->flight.ring != NULL) {
        record_alone(watch, end);
    } else if (watch->settings.pauses) {
        watch_paused(watch, end);
    } else {
        watch_alone(watch, end);
    }
}

/* Takes the first reading on this processor. Only the kernel's processor reads a row of counters.
 */
static void read_first(struct gap_watch *watch)
{
    if (watch->settings.counted) {
        reader_read(watch->last_row);
    } else {
        watch->last_row[0] = (int64_t)tsc_read_ordered();
    }
    watch->last = (uint64_t)watch->last_row[0];
}

/* netgauge's calibration, run without a break by the loop that watches afterwards. Its first
 * reading covers only a part of a pass; the second sets the length of a run. The histogram and the
 * totals are cleared afterwards. When processors take turns, a reading becomes shorter as soon as
 * one processor has ended. All of them therefore do the same number of runs, and those of the
 * second half only keep the turns going. */
void gap_watch_find(void *argument, uint64_t origin)
{
    struct gap_watch *watch = argument;
    const bool in_turns = watch->settings.pauses;
    size_t not_smaller = 0;

    (void)origin;
    watch->threshold = UINT64_MAX;
    watch->detected = watch->settings.raw != 0 ? 0 : UINT64_MAX;
    watch->tally.smallest = UINT64_MAX;
    team_settle(in_turns);
    read_first(watch);
    watch_until(watch, watch->last + 1);
    watch->tally.smallest = UINT64_MAX;
    watch_until(watch, watch->last + 1);
    const uint64_t run = FIND_READINGS * watch->tally.smallest;

    for (size_t i = 0; i < FIND_RUNS_MAX && not_smaller < FIND_NOT_SMALLER; i++) {
        const uint64_t smallest = watch->tally.smallest;

        watch_until(watch, watch->last + run);
        not_smaller = watch->tally.smallest < smallest && !in_turns ? 0 : not_smaller + 1;
        if (!in_turns || i < FIND_NOT_SMALLER / 2) {
            watch->smallest_before = watch->tally.smallest;
            watch->reads_before = watch->tally.reads;
        }
    }
    team_settle(in_turns);
    watch->threshold = GAP_WATCH_TIMES_SMALLEST * watch->smallest_before;
    watch->raw_before_count = watch->raw_count;
    watch->raw_count = 0;
    memcpy(watch->raw_before, watch->raw, watch->raw_before_count * sizeof(watch->raw[0]));
    watch->over_also = 0;
    watch->dead_begin = watch->dead_end = 0;
    watch->dead_sum = watch->dead_largest = watch->dead_smallest = 0;
    watch->tally = (struct gap_tally){0};
    watch->flight.count = 0;
    memset(watch->histogram, 0, GAP_BUCKETS * sizeof(watch->histogram[0]));
}

/* Gaps above `also` can be seen if `also` is longer than two passes of the loop. A gap that ends
 * the watch is seen in any case. */
static void choose_detected(struct gap_watch *watch)
{
    const uint64_t also = watch->settings.also;

    watch->also_seen =
        also != 0 && (also >= watch->threshold || also >= 2 * watch->smallest_before);
    watch->detected = watch->also_seen && also < watch->threshold ? also : watch->threshold;
    if (watch->flight.ring != NULL && watch->settings.stop_ticks < watch->detected) {
        watch->detected = watch->settings.stop_ticks;
    }
    watch->detected = watch->settings.raw != 0 ? 0 : watch->detected;
}

static void prepare_first_round(struct gap_watch *watch, uint64_t origin)
{
    if (watch->threshold == 0) {
        gap_watch_find(watch, origin);
    }
    choose_detected(watch);
    watch->origin = origin;
    watch->tally.smallest = UINT64_MAX;
    watch->part_ticks = watch->settings.ticks / GAP_PARTS + 1;
    if (watch->smi != NULL) {
        watch->first_smi = pmu_smi_count();
        watch->last_smi = watch->first_smi;
    }
}

/* Leaves out the SMIs that came between two rounds. */
static void forget_smis(struct gap_watch *watch)
{
    if (watch->smi != NULL) {
        const uint64_t smis = pmu_smi_count() - watch->end_smi;

        watch->first_smi += smis;
        watch->last_smi += smis;
    }
}

static uint64_t length_of_round(const struct gap_watch *watch)
{
    const uint64_t length = watch->settings.round_ticks;
    const uint64_t left =
        watch->settings.ticks > watch->elapsed ? watch->settings.ticks - watch->elapsed : 0;

    return length != 0 && length < left ? length : left;
}

/* Makes a gap between two readings and records its own timestamps around it. */
static void inject(struct gap_watch *watch)
{
    const struct gap_injection *injection = &watch->settings.injections[watch->injected];
    const uint64_t begin = tsc_read_ordered();

    if (injection->world || !watch->settings.pauses) {
        idle_loop_spin(injection->iterations);
    } else {
        for (uint64_t i = 0; i < injection->iterations; i++) {
            cpu_pause();
        }
    }
    const uint64_t end = tsc_read_ordered();

    watch->injected_time[watch->injected] = (int64_t)(begin - watch->start);
    watch->injected_length[watch->injected] = (int64_t)(end - begin);
    watch->injected_world[watch->injected] = injection->world;
    watch->injected++;
}

/* Returns when the next injection or provoked SMI is due, at most `end`. */
static uint64_t next_act(const struct gap_watch *watch, uint64_t end)
{
    const struct gap_watch_settings *settings = &watch->settings;
    uint64_t next = end;

    if (watch->injected < settings->injection_count) {
        next = watch->origin + settings->injections[watch->injected].time;
    } else if (watch->provoked < settings->provoked) {
        next = watch->start + settings->ticks / (settings->provoked + 1) * (watch->provoked + 1);
    }
    return (int64_t)(end - next) > 0 ? next : end;
}

/* Watches up to the last injection or provoked SMI that is due before `end`. */
static void watch_and_act(struct gap_watch *watch, uint64_t end)
{
    for (uint64_t next = next_act(watch, end); next != end; next = next_act(watch, end)) {
        watch_until(watch, next);
        if (is_stopped(watch)) {
            return;
        }
        if (watch->injected < watch->settings.injection_count) {
            inject(watch);
        } else {
            smi_provoke();
            watch->provoked++;
        }
    }
}

static void end_round(struct gap_watch *watch, uint64_t begin)
{
    gap_causes_end(&watch->causes);
    watch->elapsed += watch->last - begin;
    watch->rounds++;
    note_dead(watch);
    watch->dead_begin = watch->dead_end = 0;
    if (watch->smi != NULL) {
        watch->end_smi = pmu_smi_count();
    }
}

static void note_away(struct gap_watch *watch, uint64_t ticks)
{
    watch->away += ticks;
    if (watch->flight.ring != NULL) {
        flight_add(&watch->flight, -(int64_t)ticks);
    }
}

/* As few instructions as possible lie between the first reading and the loop, because they are part
 * of the first gap. */
void gap_watch_run(void *argument, uint64_t origin)
{
    struct gap_watch *watch = argument;
    const bool is_first = watch->rounds == 0;

    if (is_first) {
        prepare_first_round(watch, origin);
    } else {
        forget_smis(watch);
    }
    const uint64_t length = length_of_round(watch);
    const uint64_t before = watch->last;
    const bool acts = watch->settings.injection_count + watch->settings.provoked > 0;

    gap_causes_begin(&watch->causes);
    team_settle(watch->settings.pauses);
    read_first(watch);
    const uint64_t begin = watch->last;

    watch->start = is_first ? begin : watch->start;
    if (!is_first) {
        note_away(watch, begin - before);
    }
    if (acts) {
        watch_and_act(watch, begin + length);
    }
    watch_until(watch, begin + length);
    team_settle(watch->settings.pauses);
    end_round(watch, begin);
}

bool gap_watch_is_over(const struct gap_watch *watch)
{
    return watch->rounds > 0 && (watch->elapsed >= watch->settings.ticks || is_stopped(watch));
}

static bool all_over(const struct team *team, const struct gap_watch *watches)
{
    for (size_t i = 0; i < team->takers.count; i++) {
        if (!gap_watch_is_over(&watches[i])) {
            return false;
        }
    }
    return true;
}

bool gap_watch_all(struct team *team, struct gap_watch *watches, gap_watch_between *between,
                   void *argument)
{
    void *states[PROCESSORS_MAX];

    for (size_t i = 0; i < team->takers.count; i++) {
        states[i] = &watches[i];
    }
    if (watches[0].threshold == 0 && !team_run(team, gap_watch_find, states)) {
        return false;
    }
    for (;;) {
        if (!team_run(team, gap_watch_run, states)) {
            return false;
        }
        if (all_over(team, watches) || (between != NULL && !between(argument))) {
            return true;
        }
    }
}

/* Takes the memory that not every watch needs. */
static bool take_more_memory(struct gap_watch *watch, size_t slots)
{
    const struct gap_watch_settings *settings = &watch->settings;

    watch->raw = bench_samples(settings->raw);
    watch->raw_before = bench_samples(settings->raw);
    watch->injected_time = bench_samples(settings->injection_count);
    watch->injected_length = bench_samples(settings->injection_count);
    watch->injected_world = bench_samples(settings->injection_count);
    return watch->raw != NULL && watch->raw_before != NULL && watch->injected_time != NULL &&
           watch->injected_length != NULL && watch->injected_world != NULL &&
           (!settings->causes || gap_causes_take_memory(&watch->causes, slots, settings->pauses)) &&
           (settings->stop_ticks == 0 || flight_take_memory(&watch->flight));
}

bool gap_watch_take_memory(struct gap_watch *watch, const struct gap_watch_settings *settings)
{
    const size_t slots = settings->keep + settings->keep_largest;
    struct worst_event *events = bench_memory((settings->keep_largest + 1) * sizeof(*events));
    const bool counts_smis = pmu_state()->has_smi_count;

    *watch = (struct gap_watch){.settings = *settings, .threshold = settings->threshold};
    worst_init(&watch->worst, settings->keep, events, settings->keep_largest);
    watch->histogram = bench_samples(GAP_BUCKETS);
    watch->time = bench_samples(slots);
    watch->length = bench_samples(slots);
    watch->stolen = bench_samples(GAP_PARTS);
    watch->smi = counts_smis ? bench_samples(slots) : NULL;
    watch->rows = settings->counted && bench_counting() ? bench_rows(2 * slots) : NULL;
    return events != NULL && watch->histogram != NULL && watch->time != NULL &&
           watch->length != NULL && watch->stolen != NULL && (watch->smi != NULL || !counts_smis) &&
           (watch->rows != NULL || !settings->counted || !bench_counting()) &&
           take_more_memory(watch, slots);
}

uint64_t gap_watch_bytes(const struct gap_watch *watch)
{
    const struct gap_watch_settings *settings = &watch->settings;
    const uint64_t slots = settings->keep + settings->keep_largest;
    const uint64_t of_slots = 2 + (watch->smi != NULL ? 1 : 0) + (watch->causes.on ? CAUSES : 0) +
                              (watch->rows != NULL ? 2 * reader_row_words() : 0);
    const uint64_t words = slots * of_slots + GAP_BUCKETS + GAP_PARTS + 2 * settings->raw +
                           3 * settings->injection_count +
                           (watch->flight.ring != NULL ? FLIGHT_READINGS : 0);

    return words * sizeof(int64_t) + (settings->keep_largest + 1) * sizeof(struct worst_event);
}

struct gap_watch *gap_watch_make(const struct team *team, const struct gap_watch_settings *each)
{
    struct gap_watch *watches = bench_memory(team->takers.count * sizeof(*watches));

    if (each[0].causes) {
        cause_init();
    }
    for (size_t i = 0; i < team->takers.count && watches != NULL; i++) {
        if (!gap_watch_take_memory(&watches[i], &each[i])) {
            return NULL;
        }
    }
    return watches;
}
