/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/finding/derive.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/names.h"
#include "bench/noise/host/gap_join.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/names.h"
#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "kernel/input/event.h"
#include "kernel/link/names.h"
#include "kernel/plan/plan.h"
#include "kernel/pmu/names.h"
#include "kernel/run/derived.h"
#include "kernel/run/names.h"
#include "kernel/run/settings.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/run/run.h"
#include "tools/run/run_kind.h"
#include "tools/stats/statistics.h"
#include "tools/trace/trace_reader.h"

/*
 * ---- input events: busy waiting and cold caches ----
 */

#define EVENTS_MIN 3  /* fewer events are no habit */
#define BUSY_PARTS 20 /* an event may end this part of its service after the next input */
#define BUSY_SHARE 10 /* at most one of this many parts of a service may be idle */

/* Returns whether the event ended because the next input came. */
static bool waits_busily(const struct interactive_event *event,
                         const struct interactive_event *next, uint64_t shortest)
{
    uint64_t service;

    if (!interactive_service(event, &service) || service < shortest || !next->has_arrival ||
        !event->has_busy || event->busy < service - service / BUSY_SHARE) {
        return false;
    }
    return next->arrival > event->taken && event->done >= next->arrival &&
           event->done - next->arrival <= service / BUSY_PARTS;
}

/* Returns whether the bench waits busily on purpose: its parameter for this is 1 by default. */
static bool is_meant(const struct run_bench *bench)
{
    for (size_t i = 0; i < bench->param_count; i++) {
        const struct run_param *param = &bench->params[i];

        if (strcmp(param->name, PARAM_BUSY_WAIT) == 0) {
            return param->value != NULL && strcmp(param->value, "1") == 0 &&
                   param->origin != NULL && strcmp(param->origin, ORIGIN_DEFAULT) == 0;
        }
    }
    return false;
}

static void look_for_busy(const struct run_bench *bench, const struct interactive *interactive,
                          uint64_t shortest, int64_t *ticks, struct waits *waits)
{
    size_t count = 0;
    uint64_t service;

    for (size_t i = 0; i + 1 < interactive->count && !is_meant(bench); i++) {
        const struct interactive_event *event = &interactive->events[i];

        if (waits_busily(event, event + 1, shortest) && interactive_service(event, &service)) {
            ticks[count++] = (int64_t)service;
        }
    }
    const uint64_t median = (uint64_t)statistics_median(ticks, count);

    if (count >= EVENTS_MIN && median * count > waits->busy_median * waits->busy_events) {
        waits->busy_bench = bench->name;
        waits->busy_events = count;
        waits->busy_median = median;
    }
}

static uint64_t median_service(const struct interactive *interactive, unsigned kind, bool cold,
                               int64_t *ticks)
{
    size_t count = 0;
    uint64_t service;

    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];

        if (event->kind == kind && event->cold == cold && interactive_service(event, &service)) {
            ticks[count++] = (int64_t)service;
        }
    }
    return count >= EVENTS_MIN ? (uint64_t)statistics_median(ticks, count) : 0;
}

static void look_for_cold(const struct run_bench *bench, const struct interactive *interactive,
                          int64_t *ticks, struct waits *waits)
{
    for (unsigned kind = 0; kind < INPUT_KINDS; kind++) {
        const uint64_t cold = median_service(interactive, kind, true, ticks);
        const uint64_t warm = median_service(interactive, kind, false, ticks);

        if (cold > warm && warm > 0 &&
            (waits->cold_bench == NULL ||
             (double)cold / (double)warm >
                 (double)waits->cold_median / (double)waits->warm_median)) {
            waits->cold_bench = bench->name;
            waits->cold_kind = input_kind_name(kind);
            waits->cold_median = cold;
            waits->warm_median = warm;
        }
    }
}

static void waits_of(const struct run *run, struct waits *waits)
{
    const double ns_per_tick = run_ns_per_tick(run);

    *waits = (struct waits){0};
    for (size_t i = 0; ns_per_tick > 0 && i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (bench->trace_count == 0 || bench->pass != 1 ||
            run_trace_records(bench) > WAITS_RECORDS_MAX) {
            continue;
        }
        const struct input_reading *input = input_of(bench);

        if (input->good && input->interactive.arrived > 0) {
            int64_t *ticks = alloc_zeroed(input->interactive.count * sizeof(*ticks));

            look_for_busy(bench, &input->interactive, (uint64_t)(WAITS_BUSY_NS / ns_per_tick),
                          ticks, waits);
            look_for_cold(bench, &input->interactive, ticks, waits);
            free(ticks);
        }
    }
}

/* ---- frames ---- */

/* Returns the number of frames in a line of the list of losses: "frame 7 lost", "frames 7..9 lost",
 * "packets lost (frames 1, 3..5)". Returns 0 if the line is about something else. */
static int64_t frames_of(const char *loss)
{
    const char *at = strstr(loss, "frame");
    int64_t frames = 0;

    if (at == NULL || strstr(loss, "lost") == NULL) {
        return 0;
    }
    for (at += strcspn(at, "0123456789"); *at >= '0' && *at <= '9';) {
        char *end;
        const uint64_t first = strtoull(at, &end, 10);
        uint64_t last = first;

        if (strncmp(end, "..", 2) == 0) {
            last = strtoull(end + 2, &end, 10);
        }
        frames += last >= first ? (int64_t)(last - first + 1) : 1;
        at = end + strspn(end, ", ");
    }
    return frames;
}

/* Returns whether two adjacent lines name the same frames. Frames of a batch hold samples of
 * several series, and each series has a line; these lines follow each other. */
static bool names_same_frames(const char *loss, const char *before)
{
    const char *frames = strstr(loss, "frame");
    const char *others = before != NULL ? strstr(before, "frame") : NULL;
    const char *end = frames != NULL ? strstr(frames, " lost") : NULL;

    return others != NULL && end != NULL && strstr(frames, "of batch ") != NULL &&
           strncmp(frames, others, (size_t)(end - frames) + strlen(" lost")) == 0;
}

static void derive_lost(const struct run *run, struct derived *derived)
{
    for (size_t i = 0; i < run->losses.count; i++) {
        const char *before = i > 0 ? run->losses.item[i - 1] : NULL;
        const int64_t frames =
            names_same_frames(run->losses.item[i], before) ? 0 : frames_of(run->losses.item[i]);

        if (frames > 0 && derived->lost == 0) {
            snprintf(derived->lost_why, sizeof(derived->lost_why), "%s", run->losses.item[i]);
        }
        derived->lost += frames;
    }
}

/* ---- clocks ---- */

/* Returns the drift stated in "... CLOCK by REFERENCE: A Hz -> B Hz", in ppm, or 0 for another
 * text. */
static int64_t drift_of(const char *text)
{
    const char *changed = text != NULL ? strstr(text, REASON_TIME_CHANGED) : NULL;
    const char *arrow = changed != NULL ? strstr(changed, " Hz -> ") : NULL;
    const char *number = arrow;

    while (number != NULL && number > changed && number[-1] >= '0' && number[-1] <= '9') {
        number--;
    }
    if (number == NULL || number == arrow) {
        return 0;
    }
    const double was = strtod(number, NULL);
    const double is = strtod(arrow + strlen(" Hz -> "), NULL);
    const double ppm = was > 0 ? (is / was - 1) * 1e6 : 0;

    return (int64_t)((ppm < 0 ? -ppm : ppm) + 0.5);
}

static void note_drift(struct derived *derived, const char *text)
{
    const int64_t ppm = drift_of(text);

    if (ppm > derived->drift_ppm) {
        const char *why = strstr(text, ": ");

        derived->drift_ppm = ppm;
        snprintf(derived->drift_why, sizeof(derived->drift_why), "%s",
                 why != NULL ? why + 2 : text);
    }
}

static void derive_drift(const struct run *run, struct derived *derived)
{
    for (size_t i = 0; i < run->errors.count; i++) {
        note_drift(derived, run->errors.item[i]);
    }
    for (size_t i = 0; i < run->bench_count; i++) {
        note_drift(derived, run->benches[i].reason);
    }
}

/* ---- other reasons why a run is invalid ---- */

static bool is_covered(const struct run *run, const struct derived *derived, const char *reason)
{
    if (derived->drift_ppm > 0 && strstr(reason, REASON_TIME_CHANGED) != NULL) {
        return true;
    }
    if (derived->lost > 0 && frames_of(reason) > 0) {
        return true;
    }
    for (size_t i = 0; i < run->bench_count; i++) {
        const char *name = run->benches[i].name;
        const size_t length = strlen(name);

        if (strncmp(reason, name, length) == 0 && reason[length] == ':') {
            return true; /* covered by the rule about benches */
        }
    }
    return false;
}

static void derive_invalid(const struct run *run, const struct run_texts *reasons,
                           struct derived *derived)
{
    for (size_t i = 0; i < reasons->count; i++) {
        if (is_covered(run, derived, reasons->item[i])) {
            continue;
        }
        if (derived->invalid == 0) {
            derived->invalid_why = reasons->item[i];
        }
        derived->invalid++;
    }
}

/* ---- counters and gaps ---- */

static const char *counter_fault(const char *state)
{
    if (strcmp(state, COUNTER_STATE_FORGETS) == 0) {
        return "ignores writes";
    }
    return strcmp(state, COUNTER_STATE_DEAD) == 0 ? "does not count" : "failed its self-test";
}

static void derive_counters(const struct run *run, struct derived *derived)
{
    for (size_t i = 0; i < run->counter_count; i++) {
        const struct run_counter *counter = &run->counters[i];

        if (counter->state == NULL || strcmp(counter->state, COUNTER_STATE_HELD) == 0) {
            continue;
        }
        if (strcmp(counter->state, COUNTER_STATE_USABLE) == 0) {
            derived->counters++;
        } else if (derived->counters_bad++ == 0) {
            snprintf(derived->counter_why, sizeof(derived->counter_why), "counter %s %s",
                     counter->name, counter_fault(counter->state));
        }
    }
}

/* Returns the class of the longest gap of all. A gap that was not kept has no class, so the longest
 * of the gaps kept must be as long as the longest of all. */
static int64_t class_of_longest(const struct gap_join *join, const struct team_rows *rows)
{
    const struct team_row *all = team_rows_longest(rows);
    const struct gap_span *longest = NULL;

    for (size_t i = 0; i < join->lane_count; i++) {
        for (size_t k = 0; k < join->lanes[i].count; k++) {
            const struct gap_span *gap = &join->lanes[i].gaps[k];

            if (longest == NULL || gap->end - gap->begin > longest->end - longest->begin) {
                longest = gap;
            }
        }
    }
    if (longest == NULL || (all != NULL && longest->end - longest->begin < all->largest)) {
        return 0;
    }
    return longest->class == GAP_WORLD ? 2 : longest->class == GAP_LOCAL ? 1 : 0;
}

static void derive_gaps(const struct run *run, struct derived *derived)
{
    const struct run_bench *bench = run_find_bench(run, BENCH_GAP);
    struct gap_join join;
    struct team_rows rows;
    const char *why;

    if (bench == NULL || !gap_join_of(bench, &join, &why)) {
        return;
    }
    team_rows_of(bench, &rows);
    derived->gap_class = class_of_longest(&join, &rows);
    team_rows_free(&rows);
    gap_join_free(&join);
}

/* ---- what the plan asked for ---- */

/* Names the events with the reason for the first; usually it is the same for all. */
static void derive_uncounted(const struct run *run, struct derived *derived)
{
    const char *reason = NULL;
    char *text = derived->uncounted_why;

    for (size_t i = 0; i < run->event_count; i++) {
        const struct run_event *event = &run->events[i];
        const size_t used = strlen(text);

        if (event->state != NULL && strcmp(event->state, EVENT_STATE_ABSENT) == 0) {
            snprintf(text + used, DERIVED_TEXT_MAX - used, "%s%s", used > 0 ? ", " : "",
                     event->name);
            reason = reason != NULL ? reason : event->reason;
            derived->uncounted++;
        }
    }
    const size_t used = strlen(text);

    snprintf(text + used, DERIVED_TEXT_MAX - used, ": %s",
             reason != NULL ? reason : "no reason given");
}

static bool is_key_of_run(const char *key)
{
    return SEARCH_ANY(i, RUN_KEYS, strcmp(settings_keys[i].name, key) == 0);
}

/* A key that is none of the run's is BENCH.PARAMETER. */
static void derive_unused(const struct run *run, struct derived *derived)
{
    char error[PLAN_ERROR_MAX];
    char name[DERIVED_TEXT_MAX];
    struct plan plan;

    if (run->plan_text == NULL || !run->ended ||
        !plan_parse(&plan, run->plan_text, strlen(run->plan_text), error)) {
        return;
    }
    for (size_t i = 0; i < plan.count; i++) {
        const char *key = plan.settings[i].key;

        snprintf(name, sizeof(name), "%.*s", (int)strcspn(key, "."), key);
        if (!is_key_of_run(key) && run_find_bench(run, name) == NULL && derived->unused++ == 0) {
            snprintf(derived->unused_why, sizeof(derived->unused_why),
                     "%.60s: bench %.60s did not run", key, name);
        }
    }
}

#define OUTLIER_TIMES 1000
#define OUTLIER_MIN   3 /* fewer samples have no median that tells anything */

/* Returns the longest sample of a series if more than half of the others are at most a thousandth
 * of it, otherwise 0. */
static int64_t outlier_of(const struct run_series *series)
{
    int64_t longest = 0;
    uint32_t like = 0;

    if (strcmp(series->unit, UNIT_TICK) != 0 || !run_series_whole(series) ||
        series->n < OUTLIER_MIN) {
        return 0;
    }
    for (uint32_t i = 0; i < series->n; i++) {
        longest = series->samples[i] > longest ? series->samples[i] : longest;
    }
    for (uint32_t i = 0; i < series->n; i++) {
        like += series->samples[i] > longest / OUTLIER_TIMES;
    }
    return 2 * (uint64_t)like < series->n ? longest : 0;
}

static void derive_stopped(const struct run *run, struct derived *derived)
{
    const enum run_time time = run_time(run);
    int64_t longest = 0;

    if (run_pair_value(&run->machine, FACT_HYPERVISOR) == NULL || time == RUN_TIME_EXACT ||
        time == RUN_TIME_EMULATED || time == RUN_TIME_MODEL) {
        return;
    }
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const bool finds_gaps =
            strcmp(bench->name, BENCH_GAP) == 0 || strcmp(bench->name, BENCH_SELFISH) == 0;

        for (size_t k = 0; !finds_gaps && k < bench->series_count; k++) {
            const int64_t outlier = outlier_of(&bench->series[k]);

            if (outlier > longest) {
                longest = outlier;
                snprintf(derived->stopped_series, sizeof(derived->stopped_series), "%.60s/%.80s",
                         bench->name, bench->series[k].name);
            }
        }
    }
    derived->stopped_ns = (int64_t)((double)longest * run_ns_per_tick(run));
}

static void derive_waits(const struct run *run, struct derived *derived)
{
    const double ns_per_tick = run_ns_per_tick(run);

    waits_of(run, &derived->waits);
    derived->busy_ns = (int64_t)((double)derived->waits.busy_median * ns_per_tick + 0.5);
    derived->cold_ns = (int64_t)((double)derived->waits.cold_median * ns_per_tick + 0.5);
    derived->warm_ns = (int64_t)((double)derived->waits.warm_median * ns_per_tick + 0.5);
}

static void derive_traps(const struct run *run, struct derived *derived)
{
    const struct run_bench *bench = run_find_bench(run, BENCH_EXITS);
    size_t trapped;

    if (bench != NULL && exit_summarise(run, bench, &trapped, derived->traps_why)) {
        derived->traps = (int64_t)trapped;
    }
}

void derive(const struct run *run, const struct run_texts *reasons, struct derived *derived)
{
    *derived = (struct derived){0};
    derive_lost(run, derived);
    derive_drift(run, derived);
    derive_counters(run, derived);
    derive_uncounted(run, derived);
    derive_unused(run, derived);
    derive_gaps(run, derived);
    derive_stopped(run, derived);
    derive_waits(run, derived);
    derive_traps(run, derived);
    derive_invalid(run, reasons, derived);
}

bool derived_value(const struct derived *derived, const char *name, int64_t *value)
{
    const struct {
        const char *name;
        int64_t value;
    } values[] = {
        {DERIVED_INVALID, derived->invalid},
        {DERIVED_LOST, derived->lost},
        {DERIVED_DRIFT_PPM, derived->drift_ppm},
        {DERIVED_COUNTERS, derived->counters},
        {DERIVED_COUNTERS_BAD, derived->counters_bad},
        {DERIVED_UNCOUNTED, derived->uncounted},
        {DERIVED_UNUSED, derived->unused},
        {DERIVED_GAP_CLASS, derived->gap_class},
        {DERIVED_STOPPED_NS, derived->stopped_ns},
        {DERIVED_BUSY_EVENTS, (int64_t)derived->waits.busy_events},
        {DERIVED_BUSY_NS, derived->busy_ns},
        {DERIVED_COLD_NS, derived->cold_ns},
        {DERIVED_WARM_NS, derived->warm_ns},
        {DERIVED_TRAPS, derived->traps},
    };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (strcmp(values[i].name, name) == 0) {
            *value = values[i].value;
            return true;
        }
    }
    return false;
}

const char *derived_text(const struct derived *derived, const char *name)
{
    const struct {
        const char *name;
        const char *text;
    } texts[] = {
        {DERIVED_INVALID_WHY, derived->invalid_why},
        {DERIVED_LOST_WHY, derived->lost_why},
        {DERIVED_DRIFT_WHY, derived->drift_why},
        {DERIVED_COUNTER_WHY, derived->counter_why},
        {DERIVED_UNCOUNTED_WHY, derived->uncounted_why},
        {DERIVED_UNUSED_WHY, derived->unused_why},
        {DERIVED_STOPPED_SERIES, derived->stopped_series},
        {DERIVED_BUSY_BENCH, derived->waits.busy_bench},
        {DERIVED_COLD_BENCH, derived->waits.cold_bench},
        {DERIVED_COLD_KIND, derived->waits.cold_kind},
        {DERIVED_TRAPS_WHY, derived->traps_why},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(texts[i].name, name) == 0) {
            return texts[i].text;
        }
    }
    return NULL;
}
