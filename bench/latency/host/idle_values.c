/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches cstate and ramp as JSON, in ticks: members "idle_states" and "ramps"; and as metrics.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/latency/host/idle_states.h"
#include "bench/latency/host/ramp_speed.h"
#include "bench/latency/names.h"
#include "tools/base/alloc.h"
#include "tools/present/json_kit.h"
#include "tools/present/reading.h"

#define DECIMALS 6

/* ---- cstate ---- */

static void put_points(struct json *json, const struct curve *curve)
{
    json_array(json, "points");
    for (size_t i = 0; i < curve->points; i++) {
        json_object(json, NULL);
        json_signed(json, "us", curve->x[i]);
        json_number(json, "min", curve_min(curve, i), DECIMALS);
        json_number(json, "median", curve_median(curve, i), DECIMALS);
        json_number(json, "max", curve_max(curve, i), DECIMALS);
        json_close(json);
    }
    json_close(json);
}

static void cstate_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    size_t count;
    struct idle_state *states = idle_states_read(bench, &count);

    (void)run;
    json_array(json, "idle_states");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_text(json, "state", states[i].name);
        json_bool(json, "together", states[i].together);
        json_signed(json, "processor", states[i].processor);
        json_optional(json, "early_ends", states[i].has_early, states[i].early);
        put_points(json, &states[i].curve);
        json_close(json);
    }
    json_close(json);
    idle_states_free(states, count);
}

/* ---- ramp ---- */

static void ramp_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct ramp ramps[RAMP_STATES_MAX];
    const size_t count = ramps_read(bench, ramps);

    (void)run;
    json_array(json, "ramps");
    for (size_t i = 0; i < count; i++) {
        const struct ramp *ramp = &ramps[i];

        json_object(json, NULL);
        json_text(json, "state", ramp->state);
        json_bool(json, "by_aperf", ramp->by_aperf);
        json_number(json, "first", ramp->speed[0], DECIMALS);
        json_number(json, "final", ramp->final, DECIMALS);
        json_real(json, "settled_ticks", ramp->has_settled ? ramp->settled : NAN);
        json_real(json, "lost_ticks", ramp->has_settled ? ramp->lost : NAN);
        json_close(json);
        ramp_free(&ramps[i]);
    }
    json_close(json);
}

static bool ramp_places(const char *series)
{
    static const char *const prefixes[] = {PREFIX_RAMP_AT, PREFIX_RAMP_APERF, PREFIX_RAMP_MPERF,
                                           PREFIX_RAMP_IDLE};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(series, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* "ramp.settled[hlt]", one value in ticks. */
static void ramp_others(struct metrics *metrics, const struct run_bench *bench)
{
    struct ramp ramps[RAMP_STATES_MAX];
    const size_t count = ramps_read(bench, ramps);

    for (size_t i = 0; i < count; i++) {
        if (ramps[i].has_settled) {
            const int64_t settled = (int64_t)ramps[i].settled;

            metric_set(metrics_add(metrics, bench, "settled", ramps[i].state), &settled, 1);
        }
        ramp_free(&ramps[i]);
    }
}

READING_REGISTER(cstate_values) = {.bench = BENCH_CSTATE, .order = 61, .json = cstate_json};
READING_REGISTER(ramp_values) = {.bench = BENCH_RAMP,
                                 .order = 62,
                                 .json = ramp_json,
                                 .metrics = {.places = ramp_places, .others = ramp_others}};
