/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/measure_json.h"

#include <stdlib.h>

#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/measure/interactive_summary.h"
#include "bench/interactive/host/measure/latency.h"
#include "bench/interactive/host/measure/stairs.h"
#include "bench/interactive/host/measure/thresholds.h"
#include "kernel/input/event.h"
#include "tools/run/run_kind.h"

#define DECIMALS 3

/* Writes the value unless it is unknown. */
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

static void put_counts(struct json *json, const struct interactive *interactive,
                       const struct interactive_count *counts)
{
    if (counts != NULL) {
        json_object(json, "counts");
        for (size_t i = 0; i < interactive->counted_count; i++) {
            put_known(json, interactive->counted[i], counts[i].known, counts[i].value);
        }
        json_close(json);
    }
}

static void put_event(struct json *json, const struct interactive *interactive,
                      const struct interactive_event *event)
{
    const uint64_t begin = interactive->begin;

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
    /* ticks since the start of the trace */
    put_known(json, "intended", event->has_intended, (int64_t)(event->intended - begin));
    put_known(json, "written", event->has_written, (int64_t)(event->written - begin));
    put_known(json, "arrival", event->has_arrival, (int64_t)(event->arrival - begin));
    put_known(json, "decoded", event->came, (int64_t)(event->decoded - begin));
    put_known(json, "posted", event->has_posted, (int64_t)(event->posted - begin));
    put_known(json, "taken", event->has_taken, (int64_t)(event->taken - begin));
    put_known(json, "called", event->has_call, (int64_t)(event->call - begin));
    put_known(json, "done", event->has_done, (int64_t)(event->done - begin));
    put_known(json, "stamp_from", event->has_stamps, (int64_t)(event->stamp_from - begin));
    put_known(json, "stamp_to", event->has_stamps, (int64_t)(event->stamp_to - begin));
    put_figures(json, event);
    put_counts(json, interactive, event->counts);
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
    JSON_NUMBERS(json, DECIMALS, {"period", stairs.period}, {"phase", stairs.phase},
                 {"alignment_samples", stairs.alignment});
    json_bool(json, "growing", stairs_grow(&stairs));
    if (stairs_compare(&stairs, bench, &truth)) {
        json_number(json, "period_error", truth.period_error, DECIMALS);
        json_number(json, "phase_error", truth.phase_error, DECIMALS);
    }
    json_close(json);
    stairs_free(&stairs);
}

static void put_matches(struct json *json, const struct interactive *interactive)
{
    JSON_COUNTS(json, {"planned", interactive->planned}, {"arrived", interactive->arrived},
                {"matched", interactive->matched}, {"missing", interactive->missing},
                {"unplanned", interactive->unplanned});
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
    put_known(json, "phase", action->phase != NULL,
              action->phase != NULL ? action->phase->phase : 0);
    put_flag(json, "cold", action->cold);
    json_unsigned(json, "first", action->first);
    json_unsigned(json, "events", action->events);
    json_signed(json, "begin", (int64_t)(action->begin - interactive->begin));
    for (unsigned m = 0; m < MEASURES; m++) {
        put_known(json, measure_key((enum measure)m), action->known[m], action->latency[m]);
    }
    put_known(json, "disk", action->has_disk, (int64_t)action->disk);
    put_known(json, "disk_requests", action->has_disk, (int64_t)action->disk_requests);
    put_counts(json, interactive, action->counts);
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
    json_array(json, "actions");
    for (size_t i = 0; i < actions->count; i++) {
        put_action(json, interactive, actions, &actions->actions[i]);
    }
    json_close(json);
    json_array(json, "events");
    for (size_t i = 0; i < interactive->count; i++) {
        put_event(json, interactive, &interactive->events[i]);
    }
    json_close(json);
    json_close(json);
}

#define LATENCY_DECIMALS 6
#define STEPS            10 /* points of the cumulative latency */
#define SHORTEST_DECADE  (-3)

static void put_histogram(struct json *json, const struct latency_events *events)
{
    struct latency_bin bins[LATENCY_BINS_MAX];
    const size_t count =
        latency_histogram(events->latencies, events->count, 1, LATENCY_COARSE, bins);

    json_array(json, "histogram");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_number(json, "from", bins[i].from, 0);
        json_number(json, "below", bins[i].to, 0);
        json_unsigned(json, "n", bins[i].n);
        json_close(json);
    }
    json_close(json);
}

/* Writes, for each share of the total, the least latency for which the actions of at most that
 * latency have that share. */
static void put_cumulative(struct json *json, const struct latency_events *events)
{
    struct latency_curve curve;

    latency_curve_init(&curve, events->latencies, events->count);
    json_array(json, "cumulative");
    for (int i = 1; i <= STEPS && curve.n > 0 && curve.sums[curve.n - 1] > 0; i++) {
        const double share = (double)i / STEPS;

        json_object(json, NULL);
        json_number(json, "share", share, 1);
        json_signed(json, "latency", latency_at_share(&curve, share));
        json_close(json);
    }
    json_close(json);
    latency_curve_free(&curve);
}

/* Writes the intervals for each threshold of the series 1, 2, 5, 10, ... us that some event
 * exceeds. */
static void put_interarrivals(struct json *json, const struct latency_events *events,
                              double ns_per_tick)
{
    json_array(json, "interarrival");
    for (unsigned i = 0; ns_per_tick > 0; i++) {
        const double ms = latency_round(SHORTEST_DECADE, i);
        struct latency_interarrival interarrival;

        latency_interarrivals(events->events, events->count, latency_threshold(ms, ns_per_tick),
                              &interarrival);
        if (interarrival.events == 0) {
            break;
        }
        json_object(json, NULL);
        json_number(json, "threshold_ms", ms, 3);
        json_unsigned(json, "events", interarrival.events);
        json_number(json, "mean_ms", interarrival.mean * ns_per_tick / 1e6, LATENCY_DECIMALS);
        json_number(json, "deviation_ms", interarrival.deviation * ns_per_tick / 1e6,
                    LATENCY_DECIMALS);
        json_close(json);
    }
    json_close(json);
}

static void put_responsiveness(struct json *json, const struct latency_events *events,
                               double ns_per_tick)
{
    struct latency_responsiveness responsiveness;

    if (ns_per_tick <= 0) {
        json_null(json, "responsiveness");
        return;
    }
    latency_respond(events->events, events->count,
                    latency_threshold(THRESHOLD_DEFAULT_MS, ns_per_tick), &responsiveness);
    json_object(json, "responsiveness");
    json_number(json, "threshold_ms", THRESHOLD_DEFAULT_MS, 0);
    json_unsigned(json, "events", responsiveness.events);
    json_number(json, "beyond_ms", responsiveness.excess * ns_per_tick / 1e6, LATENCY_DECIMALS);
    json_close(json);
}

static void put_utilisation(struct json *json, const struct run_bench *bench, double ns_per_tick)
{
    static const double lengths[] = {1, 10};

    json_array(json, "utilisation");
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct idle_windows windows;

        if (idle_windows_of(&windows, bench, lengths[i], ns_per_tick) != NULL) {
            continue;
        }
        json_object(json, NULL);
        json_number(json, "window_ms", lengths[i], 0);
        json_unsigned(json, "windows", windows.count);
        json_number(json, "mean", windows.mean, LATENCY_DECIMALS);
        json_number(json, "most", windows.most, LATENCY_DECIMALS);
        json_unsigned(json, "idle", windows.idle);
        json_close(json);
        idle_windows_free(&windows);
    }
    json_close(json);
}

/* ---- groups ---- */

static void put_actions_of(struct json *json, const struct latency_events *events,
                           double ns_per_tick)
{
    json_unsigned(json, "events", events->count);
    json_unsigned(json, "endless", events->endless);
    put_histogram(json, events);
    put_cumulative(json, events);
    put_interarrivals(json, events, ns_per_tick);
    put_responsiveness(json, events, ns_per_tick);
}

static void put_group(struct json *json, const struct latency_group *group, double ns_per_tick)
{
    json_object(json, NULL);
    if (group->phase != NULL) {
        json_unsigned(json, "phase", group->phase->phase);
        json_text(json, "name", group->phase->name);
    }
    if (group->class != NULL) {
        json_text(json, "class", group->class);
    }
    json_unsigned(json, "actions", group->actions);
    json_unsigned(json, "elapsed", group->elapsed);
    for (unsigned m = 0; m < MEASURES; m++) {
        json_object(json, measure_key((enum measure)m));
        put_actions_of(json, &group->of[m], ns_per_tick);
        json_close(json);
    }
    json_close(json);
}

void latency_json(struct json *json, const struct run *run, const struct run_bench *bench,
                  const struct interactive *interactive, const struct actions *actions)
{
    const double ns_per_tick = run_ns_per_tick(run);
    const struct latency_wish wish = latency_wish_chosen(ns_per_tick);
    struct latency_groups groups;

    latency_groups_of(&groups, interactive, actions, &wish);
    json_object(json, "latency");
    json_text(json, "measure", measure_name(measure_chosen()));
    if (groups.count == 1) {
        put_actions_of(json, &groups.item[0].of[measure_chosen()], ns_per_tick);
    }
    json_array(json, "groups");
    for (size_t i = 0; i < groups.count; i++) {
        put_group(json, &groups.item[i], ns_per_tick);
    }
    json_close(json);
    put_utilisation(json, bench, ns_per_tick);
    json_close(json);
    latency_groups_free(&groups);
}

static void put_states(struct json *json, const struct think_wait *think_wait)
{
    json_object(json, "states");
    for (size_t i = 0; i < THINK_WAIT_STATES; i++) {
        json_object(json, think_wait_state_name((enum think_wait_state)i));
        json_unsigned(json, "ticks", think_wait->ticks[i]);
        json_unsigned(json, "visits", think_wait->visits[i]);
        json_close(json);
    }
    json_close(json);
}

/* Writes {"complete": {...}, ...}. Errors are relative to the complete machine. */
static void put_machines(struct json *json, const struct think_wait *think_wait)
{
    static const char *const names[THINK_WAIT_MACHINES] = {
        [MACHINE_COMPLETE] = "complete",
        [MACHINE_PROCESSOR] = "processor",
        [MACHINE_PROCESSOR_QUEUE] = "processor_queue",
        [MACHINE_PROCESSOR_CALLS] = "processor_calls",
    };

    json_object(json, "machines");
    for (size_t i = 0; i < THINK_WAIT_MACHINES; i++) {
        const struct think_wait_verdict *machine = &think_wait->machines[i];

        json_object(json, names[i]);
        JSON_COUNTS(json, {"wait", machine->wait}, {"false_wait", machine->false_wait},
                    {"missed", machine->missed});
        json_close(json);
    }
    json_close(json);
}

/* Writes the transitions that occurred: {"think_idle": {"think_busy": 3}, ...}. */
static void put_matrix(struct json *json, const struct think_wait *think_wait)
{
    json_object(json, "matrix");
    for (size_t from = 0; from < THINK_WAIT_STATES; from++) {
        json_object(json, think_wait_state_name((enum think_wait_state)from));
        for (size_t to = 0; to < THINK_WAIT_STATES; to++) {
            if (think_wait->matrix[from][to] > 0) {
                json_unsigned(json, think_wait_state_name((enum think_wait_state)to),
                              think_wait->matrix[from][to]);
            }
        }
        json_close(json);
    }
    json_close(json);
}

/* Writes the transitions. Times are since the start of the trace's first part. */
static void put_transitions(struct json *json, const struct think_wait *think_wait)
{
    char text[THINK_WAIT_CAUSE_MAX];

    json_unsigned(json, "transition_count", think_wait->transition_count);
    json_array(json, "transitions");
    for (size_t i = 0; i < think_wait->kept; i++) {
        const struct think_wait_transition *transition = &think_wait->transitions[i];

        json_object(json, NULL);
        json_unsigned(json, "at", transition->tsc - think_wait->begin);
        json_unsigned(json, "part", transition->part);
        JSON_TEXTS(json, {"from", think_wait_state_name(transition->from)},
                   {"to", think_wait_state_name(transition->to)},
                   {"cause", think_wait_cause(transition, text)});
        json_close(json);
    }
    json_close(json);
}

static void put_waits(struct json *json, const struct think_wait *think_wait, bool has_rate)
{
    json_unsigned(json, "wait", think_wait_waited(think_wait));
    json_unsigned(json, "waits", think_wait->waits);
    if (think_wait->waits > 0) {
        json_unsigned(json, "longest", think_wait->longest);
        json_unsigned(json, "longest_at", think_wait->longest_at - think_wait->begin);
    }
    if (has_rate) {
        JSON_COUNTS(json, {"perceptible", think_wait->perceptible},
                    {"noticed", think_wait->noticed}, {"noticed_ticks", think_wait->noticed_ticks});
    }
}

void think_wait_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const struct think_wait *think_wait = input_think_wait(run, bench);

    if (think_wait == NULL) {
        json_null(json, "think_wait");
    } else if (think_wait->present) {
        json_object(json, "think_wait");
        json_unsigned(json, "elapsed", think_wait->elapsed);
        json_signed(json, "residual", think_wait_residual(think_wait));
        put_waits(json, think_wait, run_ns_per_tick(run) > 0);
        put_states(json, think_wait);
        put_machines(json, think_wait);
        put_matrix(json, think_wait);
        put_transitions(json, think_wait);
        json_close(json);
    }
}
