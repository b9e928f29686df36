/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/latency/host/idle_states.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/latency/names.h"
#include "tools/base/alloc.h"
#include "tools/stats/summary.h"

#define US_PER_MS 1000

/* Splits "hlt.0" (of "alone.hlt.0") into state and processor. Returns false for other texts, such
 * as "hlt.0.x". */
static bool split(const char *text, struct idle_state *state)
{
    const char *dot = strchr(text, '.');
    char *end;

    if (dot == NULL || dot == text || (size_t)(dot - text) >= sizeof(state->name)) {
        return false;
    }
    memcpy(state->name, text, (size_t)(dot - text));
    state->name[dot - text] = '\0';
    errno = 0;
    state->processor = strtoll(dot + 1, &end, 10);
    return end != dot + 1 && *end == '\0' && errno == 0 && state->processor >= 0;
}

static bool read_state(const struct run_bench *bench, const char *series, struct idle_state *state)
{
    const size_t alone = strlen(PREFIX_ALONE);
    const size_t together = strlen(PREFIX_TOGETHER);

    *state = (struct idle_state){0};
    state->together = strncmp(series, PREFIX_TOGETHER, together) == 0;
    if (!state->together && strncmp(series, PREFIX_ALONE, alone) != 0) {
        return false;
    }
    if (!split(series + (state->together ? together : alone), state) ||
        !curve_read(bench, series, &state->curve)) {
        return false;
    }
    const struct run_fact *early = run_fact_named(bench, PREFIX_EARLY "%s", series);

    state->has_early = early != NULL;
    state->early = early != NULL ? early->value : 0;
    return true;
}

struct idle_state *idle_states_read(const struct run_bench *bench, size_t *count)
{
    struct idle_state *states = NULL;
    size_t capacity = 0;

    *count = 0;
    for (size_t i = 0; i < bench->series_count; i++) {
        struct idle_state state;

        if (bench->series[i].event == NULL && read_state(bench, bench->series[i].name, &state)) {
            states = alloc_append(states, count, &capacity, sizeof(*states));
            states[*count - 1] = state;
        }
    }
    return states;
}

void idle_states_free(struct idle_state *states, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        curve_free(&states[i].curve);
    }
    free(states);
}

const char *idle_span_text(int64_t us, char text[IDLE_SPAN_MAX])
{
    if (us < US_PER_MS) {
        snprintf(text, IDLE_SPAN_MAX, "%" PRId64 " us", us);
    } else {
        snprintf(text, IDLE_SPAN_MAX, "%g ms", (double)us / US_PER_MS);
    }
    return text;
}

#define RAMP_NAME_BYTES 48

/* The series of one state. */
struct samples {
    size_t n;
    const int64_t *work;
    const int64_t *at;
    const int64_t *aperf; /* NULL: the run has none */
};

static const int64_t *whole(const struct run_bench *bench, const char *prefix, const char *state,
                            size_t n)
{
    char name[RAMP_NAME_BYTES];

    snprintf(name, sizeof(name), "%s%s", prefix, state);
    const struct run_series *series = run_find_whole(bench, name);

    return series != NULL && series->n == n ? series->samples : NULL;
}

/* Returns the time that the readings between two pieces take, which is not work. */
static double overhead_of(const struct ramp *ramp, const struct samples *samples)
{
    double *values = alloc_zeroed(samples->n * sizeof(*values));
    size_t n = 0;

    for (size_t i = 0; i < samples->n; i++) {
        if (i % ramp->pieces > 0) {
            values[n++] = (double)(samples->at[i] - samples->at[i - 1] - samples->work[i]);
        }
    }
    const double overhead = n > 0 ? summary_quantile(values, n, 0.5) : 0;

    free(values);
    return overhead;
}

/* Returns the speed of a piece. The interval of the first piece begins at the first reading of
 * APERF, so only the piece itself is known of it. */
static double aperf_speed(const struct ramp *ramp, const struct samples *samples, size_t index,
                          double overhead)
{
    const bool first = index % ramp->pieces == 0;
    const double cycles = (double)(samples->aperf[index] - (first ? 0 : samples->aperf[index - 1]));
    const double ticks = first ? (double)samples->work[index] + overhead
                               : (double)(samples->at[index] - samples->at[index - 1]);

    return ticks > 0 ? cycles / ticks : 0;
}

static double fastest_of(const struct samples *samples)
{
    double fastest = INFINITY;

    for (size_t i = 0; i < samples->n; i++) {
        fastest = samples->work[i] > 0 ? fmin(fastest, (double)samples->work[i]) : fastest;
    }
    return fastest;
}

static void fill(struct ramp *ramp, const struct samples *samples)
{
    const double overhead = overhead_of(ramp, samples);
    const double fastest = fastest_of(samples);
    double *speeds = alloc_zeroed(ramp->trials * sizeof(*speeds));
    double *ends = alloc_zeroed(ramp->trials * sizeof(*ends));

    for (size_t piece = 0; piece < ramp->pieces; piece++) {
        for (size_t trial = 0; trial < ramp->trials; trial++) {
            const size_t index = trial * ramp->pieces + piece;

            ends[trial] = (double)samples->at[index];
            speeds[trial] = ramp->by_aperf             ? aperf_speed(ramp, samples, index, overhead)
                            : samples->work[index] > 0 ? fastest / (double)samples->work[index]
                                                       : 0;
        }
        ramp->speed[piece] = summary_quantile(speeds, ramp->trials, 0.5);
        ramp->end[piece] = summary_quantile(ends, ramp->trials, 0.5);
    }
    free(speeds);
    free(ends);
}

void ramp_settle(struct ramp *ramp)
{
    const size_t quarter = ramp->pieces - ramp->pieces / 4;
    double *last = alloc_zeroed(ramp->pieces * sizeof(*last));
    size_t off = 0; /* number of pieces up to and including the last that differs */

    memcpy(last, ramp->speed + quarter, (ramp->pieces - quarter) * sizeof(*last));
    ramp->final = summary_quantile(last, ramp->pieces - quarter, 0.5);
    free(last);
    for (size_t i = 0; i < ramp->pieces; i++) {
        if (fabs(ramp->speed[i] - ramp->final) > RAMP_SETTLED * ramp->final) {
            off = i + 1;
        }
    }
    ramp->has_settled = ramp->final > 0 && off <= quarter;
    ramp->settled = off > 0 ? ramp->end[off - 1] : 0;
    ramp->lost = 0;
    for (size_t i = 0; i < off && ramp->final > 0; i++) {
        const double from = i > 0 ? ramp->end[i - 1] : 0;

        ramp->lost += (1 - ramp->speed[i] / ramp->final) * (ramp->end[i] - from);
    }
}

static bool read_ramp(const struct run_bench *bench, const char *state, struct ramp *ramp)
{
    const struct run_series *work = run_find_whole(bench, state);
    const char *name = state + strlen(PREFIX_RAMP_WORK);
    const size_t pieces = (size_t)run_fact_or(bench, FACT_RAMP_PIECES, 0);

    *ramp = (struct ramp){.pieces = pieces};
    if (work == NULL || pieces < RAMP_PIECES_LEAST || work->n == 0 || work->n % pieces != 0) {
        return false;
    }
    const struct samples samples = {
        .n = work->n,
        .work = work->samples,
        .at = whole(bench, PREFIX_RAMP_AT, name, work->n),
        .aperf = whole(bench, PREFIX_RAMP_APERF, name, work->n),
    };

    if (samples.at == NULL) {
        return false;
    }
    snprintf(ramp->state, sizeof(ramp->state), "%s", name);
    ramp->trials = work->n / pieces;
    ramp->by_aperf = samples.aperf != NULL;
    ramp->speed = alloc_zeroed(pieces * sizeof(*ramp->speed));
    ramp->end = alloc_zeroed(pieces * sizeof(*ramp->end));
    fill(ramp, &samples);
    ramp_settle(ramp);
    return true;
}

size_t ramps_read(const struct run_bench *bench, struct ramp ramps[RAMP_STATES_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < bench->series_count && count < RAMP_STATES_MAX; i++) {
        const char *name = bench->series[i].name;

        if (bench->series[i].event == NULL &&
            strncmp(name, PREFIX_RAMP_WORK, strlen(PREFIX_RAMP_WORK)) == 0 &&
            read_ramp(bench, name, &ramps[count])) {
            count++;
        }
    }
    return count;
}

void ramp_free(struct ramp *ramp)
{
    free(ramp->speed);
    free(ramp->end);
    ramp->speed = NULL;
    ramp->end = NULL;
}
