/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/interactive_json.h"
#include "tools/present/reading.h"

#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/interactive_summary.h"
#include "bench/interactive/host/measure/stairs.h"
#include "kernel/input/event.h"
#include "tools/run/run_kind.h"

#define DECIMALS 3

/* What is not known is left out. */
static void put_known(struct json *json, const char *key, bool known, int64_t value)
{
    if (known) {
        json_signed(json, key, value);
    }
}

static void put_flag(struct json *json, const char *key, bool flag)
{
    if (flag) {
        json_bool(json, key, true);
    }
}

static void put_kind(struct json *json, uint8_t kind)
{
    const char *name = input_kind_name(kind);

    if (name != NULL) {
        json_text(json, "kind", name);
    } else {
        json_unsigned(json, "kind", kind);
    }
}

/* ---- events ---- */

/* Since the begin of the trace. */
static void put_times(struct json *json, const struct interactive_event *event, uint64_t begin)
{
    put_known(json, "intended", event->has_intended, (int64_t)(event->intended - begin));
    put_known(json, "written", event->has_written, (int64_t)(event->written - begin));
    put_known(json, "arrival", event->has_arrival, (int64_t)(event->arrival - begin));
    put_known(json, "decoded", event->came, (int64_t)(event->decoded - begin));
    put_known(json, "posted", event->has_posted, (int64_t)(event->posted - begin));
    put_known(json, "taken", event->has_taken, (int64_t)(event->taken - begin));
    put_known(json, "done", event->has_done, (int64_t)(event->done - begin));
    put_known(json, "stamp_from", event->has_stamps, (int64_t)(event->stamp_from - begin));
    put_known(json, "stamp_to", event->has_stamps, (int64_t)(event->stamp_to - begin));
}

static void put_counts(struct json *json, const struct interactive *interactive,
                       const struct interactive_event *event)
{
    if (event->counts == NULL) {
        return;
    }
    json_object(json, "counts");
    for (size_t i = 0; i < interactive->counted_count; i++) {
        put_known(json, interactive->counted[i], event->counts[i].known, event->counts[i].value);
    }
    json_close(json);
}

static void put_figures(struct json *json, const struct interactive_event *event)
{
    uint64_t service;
    uint64_t response;
    uint64_t traditional;
    const bool has_service = interactive_service(event, &service);
    const bool has_response = interactive_response(event, &response);
    const bool has_traditional = interactive_traditional(event, &traditional);

    put_known(json, "service", has_service, (int64_t)service);
    put_known(json, "response", has_response, (int64_t)response);
    put_known(json, "traditional", has_traditional, (int64_t)traditional);
    put_known(json, "busy", event->has_busy, (int64_t)event->busy);
    put_known(json, "elongation", event->has_elongation, event->elongation);
    put_known(json, "elongation_busy", event->has_elongation, (int64_t)event->elongation_busy);
    put_known(json, "samples", event->has_elongation, (int64_t)event->samples);
    put_known(json, "waiting", event->has_posted, (int64_t)event->waiting);
}

static void put_event(struct json *json, const struct interactive *interactive,
                      const struct interactive_event *event)
{
    json_object(json, NULL);
    put_known(json, "number", event->number != 0, event->number);
    put_kind(json, event->kind);
    json_unsigned(json, "code", event->code);
    put_known(json, "phase", event->has_phase, event->phase);
    put_flag(json, "cold", event->cold);
    put_flag(json, "missing", !event->came);
    put_flag(json, "unplanned", !event->planned);
    put_flag(json, "displaced", event->displaced);
    put_flag(json, "done_by_call", event->done_by_call);
    put_flag(json, "shared", event->shared);
    put_flag(json, "explained", event->explained);
    put_times(json, event, interactive->begin);
    put_figures(json, event);
    put_counts(json, interactive, event);
    json_close(json);
}

static void put_events(struct json *json, const struct interactive *interactive)
{
    json_array(json, "events");
    for (size_t i = 0; i < interactive->count; i++) {
        put_event(json, interactive, &interactive->events[i]);
    }
    json_close(json);
}

/* ---- sums ---- */

static void put_explanation(struct json *json, const struct interactive *interactive)
{
    json_object(json, "explanation");
    json_unsigned(json, "events", interactive->explained);
    put_known(json, "residual", interactive->explained > 0, interactive->residual);
    put_known(json, "idle_residual", interactive->explained > 0, interactive->idle_residual);
    put_known(json, "iteration_millitick", interactive->iteration_millitick > 0,
              (int64_t)interactive->iteration_millitick);
    json_array(json, "parts");
    for (size_t i = 0; i < interactive->part_count; i++) {
        const struct interactive_part *part = &interactive->parts[i];

        json_object(json, NULL);
        json_text(json, "part", part->label);
        json_unsigned(json, "events", part->events);
        json_signed(json, "total", part->total);
        json_signed(json, "min", part->min);
        json_signed(json, "max", part->max);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void put_phases(struct json *json, const struct interactive *interactive)
{
    json_array(json, "phases");
    for (size_t i = 0; i < interactive->phase_count; i++) {
        const struct interactive_phase *phase = &interactive->phases[i];

        json_object(json, NULL);
        json_unsigned(json, "phase", phase->phase);
        json_text(json, "name", phase->name);
        put_known(json, "redraws", phase->has_redraws, phase->redraws);
        json_unsigned(json, "alone", phase->alone);
        put_known(json, "elongation", phase->alone > 0, phase->elongation);
        json_unsigned(json, "events", phase->events);
        put_known(json, "elapsed", phase->known, (int64_t)(phase->to - phase->from));
        put_known(json, "busy", phase->known, (int64_t)phase->busy);
        put_known(json, "handling", phase->known, (int64_t)phase->handling);
        json_close(json);
    }
    json_close(json);
}

static void put_spread(struct json *json, const char *key, const struct interactive_spread *spread,
                       bool exact)
{
    const struct statistics *statistics = &spread->statistics;
    const bool some = statistics->n > 0;

    json_object(json, key);
    json_unsigned(json, "n", statistics->n);
    json_number(json, "mean", spread->mean, DECIMALS);
    json_number(json, "deviation", spread->deviation, DECIMALS);
    json_bool(json, "exact", exact && spread->constant);
    put_known(json, "min", some, statistics->min);
    put_known(json, "median", some, statistics->median);
    put_known(json, "p99", statistics->has_p99, statistics->p99);
    put_known(json, "max", some, statistics->max);
    json_close(json);
}

static void put_summary(struct json *json, const struct interactive_summary *summary, bool exact)
{
    json_object(json, NULL);
    put_kind(json, summary->of.kind);
    json_bool(json, "cold", summary->of.cold);
    put_known(json, "phase", summary->of.phase != NULL,
              summary->of.phase != NULL ? summary->of.phase->phase : 0);
    json_unsigned(json, "events", summary->events);
    for (int m = 0; m < SUMMARY_ROWS; m++) {
        put_spread(json, interactive_row_name((enum interactive_summary_row)m),
                   &summary->measures[m], exact);
    }
    json_close(json);
}

static void put_summaries(struct json *json, const struct run *run,
                          const struct interactive *interactive)
{
    const bool exact = run_is_exact(run);
    size_t count;
    struct interactive_summary *summaries = interactive_summaries(interactive, &count);

    json_array(json, "kinds");
    for (size_t i = 0; i < count; i++) {
        put_summary(json, &summaries[i], exact);
    }
    json_close(json);
    free(summaries);
}

/* ---- stairs ---- */

static void put_burst(struct json *json, const char *key, const struct stair_burst *burst)
{
    json_object(json, key);
    json_signed(json, "begin", burst->begin);
    json_signed(json, "ticks", burst->ticks);
    json_close(json);
}

static void put_stairs(struct json *json, const struct run_bench *bench)
{
    struct stairs_truth truth;
    struct stairs stairs;

    stairs_of(bench, &stairs);
    if (stairs.why != NULL) {
        json_null(json, "stairs");
        stairs_free(&stairs);
        return;
    }
    json_object(json, "stairs");
    json_signed(json, "sample", stairs.shortest);
    json_signed(json, "threshold", stairs.threshold);
    put_burst(json, "first", &stairs.bursts[stairs.first]);
    put_burst(json, "last", &stairs.bursts[stairs.last]);
    json_array(json, "steps");
    for (size_t i = stairs.first + 1; i < stairs.last; i++) {
        put_burst(json, NULL, &stairs.bursts[i]);
    }
    json_close(json);
    json_number(json, "period", stairs.period, DECIMALS);
    json_number(json, "phase", stairs.phase, DECIMALS);
    json_number(json, "alignment_samples", stairs.alignment, DECIMALS);
    json_bool(json, "growing", stairs_grow(&stairs));
    if (stairs_compare(&stairs, bench, &truth)) {
        json_number(json, "period_error", truth.period_error, DECIMALS);
        json_number(json, "phase_error", truth.phase_error, DECIMALS);
    }
    json_close(json);
    stairs_free(&stairs);
}

/* ---- all ---- */

static void put_matches(struct json *json, const struct interactive *interactive)
{
    json_unsigned(json, "planned", interactive->planned);
    json_unsigned(json, "arrived", interactive->arrived);
    json_unsigned(json, "matched", interactive->matched);
    json_unsigned(json, "missing", interactive->missing);
    json_unsigned(json, "unplanned", interactive->unplanned);
    json_bool(json, "in_order", interactive->in_order);
    put_known(json, "arrival_error_min", interactive->has_arrival_error,
              interactive->arrival_error_min);
    put_known(json, "arrival_error_max", interactive->has_arrival_error,
              interactive->arrival_error_max);
}

static void put_action(struct json *json, const struct interactive *interactive,
                       const struct actions *actions, const struct action *action)
{
    json_object(json, NULL);
    json_text(json, "class", actions->classes[action->class]);
    put_known(json, "phase", action->has_phase, action->phase);
    put_flag(json, "cold", action->cold);
    json_unsigned(json, "first", action->first);
    json_unsigned(json, "events", action->events);
    json_signed(json, "begin", (int64_t)(action->begin - interactive->begin));
    for (unsigned m = 0; m < MEASURES; m++) {
        put_known(json, measure_name(m), action->known[m], action->latency[m]);
    }
    put_known(json, "disk", action->has_disk, (int64_t)action->disk);
    put_known(json, "disk_requests", action->has_disk, (int64_t)action->disk_requests);
    json_close(json);
}

static void put_actions(struct json *json, const struct interactive *interactive,
                        const struct actions *actions)
{
    json_array(json, "actions");
    for (size_t i = 0; i < actions->count; i++) {
        put_action(json, interactive, actions, &actions->actions[i]);
    }
    json_close(json);
}

void interactive_json(struct json *json, const struct run *run, const struct run_bench *bench,
                      const struct interactive *interactive, const struct actions *actions)
{
    json_object(json, "interactive");
    put_matches(json, interactive);
    put_summaries(json, run, interactive);
    put_phases(json, interactive);
    put_explanation(json, interactive);
    put_stairs(json, bench);
    put_actions(json, interactive, actions);
    put_events(json, interactive);
    json_close(json);
}
