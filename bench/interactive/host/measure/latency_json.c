/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/latency_json.h"
#include "tools/present/reading.h"

#include "bench/interactive/host/measure/idle_windows.h"
#include "bench/interactive/host/measure/latency_events.h"
#include "bench/interactive/host/measure/thresholds.h"

#define DECIMALS 6
#define STEPS    10 /* of the cumulative latency */

static void put_histogram(struct json *json, const struct latency_events *events)
{
    struct latency_bin bins[LATENCY_BINS_MAX];
    const size_t count = latency_histogram(events->latencies, events->count, 1, bins);

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

/* The least latency whose events, and all shorter ones, have this share of all. */
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

/* At all thresholds of the series 1, 2, 5, 10, ... us that any event is above. */
static void put_interarrivals(struct json *json, const struct latency_events *events,
                              double ns_per_tick)
{
    static const double steps[] = {1, 2, 5};
    double decade = 1e-3;

    json_array(json, "interarrival");
    for (size_t i = 0; ns_per_tick > 0; i++) {
        const double ms = decade * steps[i % 3];
        struct latency_interarrival interarrival;

        latency_interarrivals(events->events, events->count, latency_threshold(ms, ns_per_tick),
                              &interarrival);
        if (interarrival.events == 0) {
            break;
        }
        json_object(json, NULL);
        json_number(json, "threshold_ms", ms, 3);
        json_unsigned(json, "events", interarrival.events);
        json_number(json, "mean_ms", interarrival.mean * ns_per_tick / 1e6, DECIMALS);
        json_number(json, "deviation_ms", interarrival.deviation * ns_per_tick / 1e6, DECIMALS);
        json_close(json);
        decade *= i % 3 == 2 ? 10 : 1;
    }
    json_close(json);
}

static void put_responsiveness(struct json *json, const struct latency_events *events,
                               double ns_per_tick)
{
    struct latency_responsiveness responsiveness;
    int64_t thresholds[INPUT_KINDS];

    if (ns_per_tick <= 0) {
        json_null(json, "responsiveness");
        return;
    }
    for (unsigned kind = 0; kind < INPUT_KINDS; kind++) {
        thresholds[kind] = latency_threshold(THRESHOLD_DEFAULT_MS, ns_per_tick);
    }
    latency_respond(events->events, events->count, thresholds, INPUT_KINDS, &responsiveness);
    json_object(json, "responsiveness");
    json_number(json, "threshold_ms", THRESHOLD_DEFAULT_MS, 0);
    json_unsigned(json, "events", responsiveness.events);
    json_number(json, "beyond_ms", responsiveness.excess * ns_per_tick / 1e6, DECIMALS);
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
        json_number(json, "mean", windows.mean, DECIMALS);
        json_number(json, "most", windows.most, DECIMALS);
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
        json_object(json, measure_name(m));
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
