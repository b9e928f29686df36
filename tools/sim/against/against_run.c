/* SPDX-License-Identifier: BSD-2-Clause */
/* What a measured run has of a model. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/run/run_kind.h"
#include "tools/sim/against/against.h"
#include "tools/sim/model/program.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"

#define WORD_MAX 60
#define UNIT_OFF 1e-9 /* relative: what a number loses as text */

static const char blanks[] = " \t\r\n{};";

__attribute__((format(printf, 2, 3))) static bool refuse(char error[AGAINST_ERROR_MAX],
                                                         const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(error, AGAINST_ERROR_MAX, format, values);
    va_end(values);
    return false;
}

/* ---- is it this model? ---- */

/* The next word, cut to WORD_MAX; "its end" behind the last. */
static const char *next_word(const char **text, char word[WORD_MAX])
{
    const char *begin = *text + strspn(*text, blanks);
    const size_t length = strcspn(begin, blanks);

    *text = begin + length;
    snprintf(word, WORD_MAX, "%.*s", (int)length, begin);
    return length > 0 ? word : "its end";
}

/* Are the texts the same except for blanks? If not, `error` has the first different word. */
static bool same_words(const char *played, const char *expected, char error[AGAINST_ERROR_MAX])
{
    char before[WORD_MAX] = "its begin";

    for (size_t i = 1;; i++) {
        const char *const here = played + strspn(played, blanks);
        const char *const there = expected + strspn(expected, blanks);
        const size_t length = strcspn(here, blanks);
        char one[WORD_MAX];
        char other[WORD_MAX];

        if (length != strcspn(there, blanks) || memcmp(here, there, length) != 0) {
            return refuse(error,
                          "this is a run of another model: after \"%s\", word %zu of its program "
                          "is \"%s\" and of this MODEL \"%s\"; give the MODEL and the settings "
                          "that it was run with",
                          before, i, next_word(&played, one), next_word(&expected, other));
        }
        if (length == 0) {
            return true;
        }
        snprintf(before, sizeof(before), "%s", next_word(&played, one));
        next_word(&expected, other);
    }
}

static bool check_simulated(const struct run *run, const struct sim_model *model,
                            char error[AGAINST_ERROR_MAX])
{
    char *expected = sim_model_text(model);
    const bool same = run->plan_text != NULL && strstr(run->plan_text, expected) != NULL;

    free(expected);
    return same || refuse(error, "this is a simulated run of another model or of other settings: "
                                 "`tare show` prints its plan");
}

/* A record shows no long value; the plan has it, between braces. The caller frees it. */
static char *played_program(const struct run *run, const char *shown)
{
    static const char setting[] = BENCH_MODEL "." PARAM_PROGRAM "={";
    const char *found = run->plan_text != NULL ? strstr(run->plan_text, setting) : NULL;

    if (shown[0] != '(' || found == NULL) {
        return strdup(shown);
    }
    found += strlen(setting);
    return strndup(found, strcspn(found, "}"));
}

static bool check_program(const struct run *run, const struct run_bench *bench,
                          const struct sim_model *model, uint64_t seed,
                          char error[AGAINST_ERROR_MAX])
{
    const char *shown = run_find_param(bench, PARAM_PROGRAM);
    struct sim_model_error why;

    if (shown == NULL) {
        return run_is_simulated(run)
                   ? check_simulated(run, model, error)
                   : refuse(error, "its bench model does not report the program that it played");
    }
    char *expected = sim_program_text(model, seed, &why);

    if (expected == NULL) {
        return refuse(error, "no run can be of this MODEL, which the image cannot play: %s",
                      why.text);
    }
    char *played = played_program(run, shown);
    const bool same = same_words(played, expected, error);

    free(played);
    free(expected);
    return same;
}

/* ---- its series ---- */

static bool add_series(struct against_measured *measured, const struct run_bench *bench,
                       const struct against_series *wanted, char error[AGAINST_ERROR_MAX])
{
    const struct run_series *found = run_find_series(bench, wanted->name);

    if (found == NULL || found->n == 0) {
        return true; /* as of a level whose quanta are not counted: not reported */
    }
    if (!run_series_whole(found)) {
        return refuse(error, "series %s is not whole: %zu of %" PRIu32 " samples arrived",
                      wanted->name, found->received, found->n);
    }
    measured->series = alloc_append(measured->series, &measured->count, &measured->capacity,
                                    sizeof(*measured->series));
    struct against_series *series = &measured->series[measured->count - 1];

    *series = *wanted;
    series->n = found->n;
    series->values = alloc_zeroed(series->n * sizeof(*series->values));
    for (size_t i = 0; i < series->n; i++) {
        series->values[i] = (double)found->samples[i] / measured->ticks_per_unit;
    }
    summary_sort(series->values, series->n);
    return true;
}

static bool add_responses(struct against_measured *measured, const struct run_bench *bench,
                          const struct sim_model *model, char error[AGAINST_ERROR_MAX])
{
    for (size_t i = 0; i < model->stimulus_count; i++) {
        struct against_series wanted = {.name = SERIES_RESPONSE, .stimulus = i};

        if (i > 0) {
            snprintf(wanted.name, sizeof(wanted.name), SERIES_RESPONSE ".%.60s",
                     model->stimuli[i].name);
        }
        if (!add_series(measured, bench, &wanted, error)) {
            return false;
        }
        if (i == 0 && measured->count == 0) {
            return refuse(error, "it has no responses");
        }
    }
    return true;
}

static bool has_load(const struct sim_model *model, size_t processor, size_t level)
{
    for (size_t i = 0; i < model->load_count; i++) {
        if (model->loads[i].processor == processor && model->loads[i].level == level) {
            return true;
        }
    }
    return false;
}

/* The least urgent level first, as the paper has it. */
static bool add_waits(struct against_measured *measured, const struct run_bench *bench,
                      const struct sim_model *model, char error[AGAINST_ERROR_MAX])
{
    for (size_t processor = 0; processor < model->processors; processor++) {
        for (size_t level = 0; level < model->levels; level++) {
            struct against_series wanted = {
                .stimulus = SIM_NONE, .processor = processor, .level = level};

            if (!has_load(model, processor, level)) {
                continue;
            }
            snprintf(wanted.name, sizeof(wanted.name), SERIES_WAIT ".%.30s%s%.30s",
                     model->level[level], model->processors > 1 ? "@" : "",
                     model->processors > 1 ? model->processor[processor] : "");
            if (!add_series(measured, bench, &wanted, error)) {
                return false;
            }
        }
    }
    return measured->count > 0 || refuse(error, "it has no responses and no waits");
}

/* ---- the run ---- */

static const struct run_bench *find_bench(const struct run *run, char error[AGAINST_ERROR_MAX])
{
    const struct run_bench *bench = run_find_bench(run, BENCH_MODEL);

    if (bench == NULL) {
        refuse(error, "it has no bench model: `tare boot --model MODEL` makes such a run");
        return NULL;
    }
    if (bench->state == NULL || strcmp(bench->state, STATE_OK) != 0) {
        refuse(error, "its bench model did not end well: %s%s%s",
               bench->state != NULL ? bench->state : "no state", bench->reason != NULL ? ": " : "",
               bench->reason != NULL ? bench->reason : "");
        return NULL;
    }
    return bench;
}

static bool read_scale(struct against_measured *measured, const struct run *run,
                       const struct run_bench *bench, const struct sim_model *model,
                       char error[AGAINST_ERROR_MAX])
{
    const struct run_fact *unit = run_find_fact(bench, FACT_UNIT);
    const struct run_fact *seed = run_find_fact(bench, FACT_SEED);
    const double ns_per_tick = run_ns_per_tick(run);
    const double per_instruction = run_ticks_per_instruction(run);
    const char *kind = run_time_name(run);

    if (unit == NULL || unit->value <= 0 || seed == NULL) {
        return refuse(error, "its bench model does not report the unit of time and the seed");
    }
    if (fabs((double)unit->value - model->unit_ns) > UNIT_OFF * model->unit_ns) {
        return refuse(error,
                      "its unit of time is %" PRId64 " ns, that of this MODEL %.10g ns: give the "
                      "MODEL and the settings that it was run with",
                      unit->value, model->unit_ns);
    }
    if (ns_per_tick <= 0) {
        return refuse(error, "the rate of its clock is unknown or not verified");
    }
    measured->kind = kind != NULL ? kind : "unknown";
    measured->seed = (uint64_t)seed->value;
    measured->unit_ns = model->unit_ns;
    measured->ticks_per_unit = model->unit_ns / ns_per_tick;
    measured->resolution = 1 / measured->ticks_per_unit;
    measured->instructions_per_unit =
        per_instruction > 0 ? measured->ticks_per_unit / per_instruction : 0;
    return true;
}

/* ---- costs ---- */

/* Median, in units; NAN where there is none. */
static double cost_of(const struct against_measured *measured, const struct run_bench *bench,
                      const char *name)
{
    const struct run_series *series = run_find_series(bench, name);

    return series != NULL && series->received > 0
               ? (double)statistics_median(series->samples, series->received) /
                     measured->ticks_per_unit
               : NAN;
}

/* Hops are up, back, down or level, and what each of them misses is taken for as likely. */
static double read_precision(const struct against_measured *measured, const struct run_bench *bench,
                             const struct sim_model *model)
{
    const struct sim_overhead *overhead = &measured->overhead;
    const double to_begin = overhead->switching + overhead->receive;
    const double within = overhead->end + to_begin;
    const struct {
        const char *name;
        double predicted; /* without the send */
    } hops[] = {{SERIES_COST_FORWARD, within},
                {SERIES_COST_FORWARD_UP, to_begin},
                {SERIES_COST_FORWARD_BACK, within + overhead->switching + overhead->end},
                {SERIES_COST_FORWARD_DOWN, within}};
    const double begin =
        overhead->interrupt + to_begin - cost_of(measured, bench, SERIES_COST_BEGIN);
    const size_t count = sizeof(hops) / sizeof(hops[0]);
    double squares = 0;

    if (model->stimulus_count == 0) {
        return fabs(begin);
    }
    for (size_t i = 0; i < count; i++) {
        const double hop =
            overhead->send + hops[i].predicted - cost_of(measured, bench, hops[i].name);

        squares += hop * hop / (double)count;
    }
    return sqrt(begin * begin + (double)(model->stimuli[0].stop_count - 1) * squares);
}

static bool read_overhead(struct against_measured *measured, const struct run *run,
                          const struct run_bench *bench, const struct sim_model *model,
                          char error[AGAINST_ERROR_MAX])
{
    char why[SIM_OVERHEAD_ERROR_MAX];

    if (strcmp(measured->kind, TIME_MODEL) == 0) {
        measured->overhead = model->overhead;
        return true;
    }
    if (!sim_program_overhead(run, bench, model, &measured->overhead, &measured->below, why)) {
        return refuse(error, "its costs of the kernel are unknown: %s", why);
    }
    measured->precision = read_precision(measured, bench, model);
    return !isnan(measured->precision) ||
           refuse(error,
                  "its costs of hops are unknown: series " SERIES_COST_FORWARD "* are missing");
}

bool against_read(struct against_measured *measured, const struct run *run,
                  const struct sim_model *model, char error[AGAINST_ERROR_MAX])
{
    const struct run_bench *bench = find_bench(run, error);

    *measured = (struct against_measured){0};
    if (bench == NULL || !read_scale(measured, run, bench, model, error) ||
        !check_program(run, bench, model, measured->seed, error)) {
        return false;
    }
    if (!add_responses(measured, bench, model, error) ||
        !add_waits(measured, bench, model, error) ||
        !read_overhead(measured, run, bench, model, error)) {
        against_measured_free(measured);
        return false;
    }
    for (size_t i = 0; i < measured->count; i++) {
        if (i == 0 || measured->series[0].stimulus == SIM_NONE) {
            measured->passes += measured->series[i].n;
        }
    }
    return true;
}

void against_measured_free(struct against_measured *measured)
{
    for (size_t i = 0; i < measured->count; i++) {
        free(measured->series[i].values);
    }
    free(measured->series);
    *measured = (struct against_measured){0};
}
