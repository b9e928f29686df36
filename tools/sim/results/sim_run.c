/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/sim_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "bench/interactive/names.h"
#include "kernel/link/names.h"
#include "kernel/plan/version.h"
#include "kernel/run/names.h"
#include "kernel/run/worst.h"
#include "tools/base/alloc.h"
#include "tools/base/texts.h"
#include "tools/sim/results/sim_trace.h"

#define MICRO 1e-6
#define MOST  9e18 /* largest value of a sample */

/* ---- description ---- */

static void describe_here(struct run *run)
{
    const time_t now = time(NULL);
    struct utsname names;
    struct tm utc;
    char date[32];

    if (uname(&names) == 0) {
        run_add_pair(run, &run->machine, "simulated_on",
                     run_format(run, "%s %s, %s", names.sysname, names.release, names.machine));
    }
    if (gmtime_r(&now, &utc) != NULL &&
        strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc) > 0) {
        run_add_pair(run, &run->info, INFO_DATE, date);
    }
}

static void describe_plan(struct run *run, const struct sim_model *model, const char *source,
                          const char *settings)
{
    char *text = sim_model_text(model);
    struct long_text plan;

    long_text_open(&plan);
    fprintf(plan.out, "%s%s", settings, text);
    run->plan_source = run_text(run, source);
    run->plan_text = run_text(run, long_text_close(&plan));
    long_text_free(&plan);
    free(text);
}

void sim_run_describe(struct run *run, const struct sim_model *model, const char *source,
                      const char *settings)
{
    const char *name = model->name != NULL ? model->name : source;

    run_add_pair(run, &run->info, INFO_VERSION, TARE_VERSION);
    run_add_pair(run, &run->info, INFO_KIND, TIME_MODEL);
    run_add_pair(run, &run->machine, FACT_CPU_BRAND, run_format(run, "simulation of %s", name));
    run_add_pair(run, &run->machine, "environment", "simulation: no machine was measured");
    run_add_pair(run, &run->machine, FACT_PROCESSORS, run_format(run, "%zu", model->processors));
    describe_here(run);
    describe_plan(run, model, source, settings);
    run->verdict = (struct run_verdict){
        .present = true,
        .ok = true,
        .hz = 1000000000,
        .by = "definition: a tick of simulated time is 1 ns",
    };
    run->ended = true;
}

/* ---- series ---- */

struct values {
    struct worst worst;
    struct worst_event *events; /* NULL: nothing was recorded yet */
    int64_t *item;              /* the first values */
    size_t capacity;
    uint64_t unfit; /* number of values too large for a sample */
};

static void keep(struct values *values, double time, double at, double unit_ns)
{
    const double ticks = time * unit_ns;
    const double place = at * unit_ns;

    if (!(fabs(ticks) < MOST) || !(fabs(place) < MOST)) {
        values->unfit++;
        return;
    }
    if (values->events == NULL) {
        values->events = alloc_zeroed(SIM_RUN_LARGEST * sizeof(*values->events));
        worst_init(&values->worst, SIM_RUN_VALUES_MAX, values->events, SIM_RUN_LARGEST);
    }
    const size_t slot = worst_take(&values->worst, llround(ticks), llround(place));

    if (slot < SIM_RUN_VALUES_MAX) {
        values->item = alloc_grow(values->item, &values->capacity, slot + 1, sizeof(*values->item));
        values->item[slot] = llround(ticks);
    }
}

/* Adds a series, which takes ownership of the samples. */
static void put_series(struct run_bench *bench, const char *name, const char *unit,
                       int64_t *samples, size_t count)
{
    struct run_series *series = run_add_series(bench);

    *series = (struct run_series){
        .stream = (uint16_t)bench->series_count,
        .name = name,
        .unit = unit,
        .n = (uint32_t)count,
        .samples = samples,
        .received = count,
        .ranges = alloc_zeroed(sizeof(*series->ranges)),
        .range_count = 1,
    };
    series->ranges[0] = (struct run_range){0, (uint32_t)count};
    series->crc = run_series_crc(series);
}

static void add_fact(struct run_bench *bench, const char *name, const char *unit, int64_t value)
{
    *run_add_fact(bench) = (struct run_fact){name, value, unit};
}

/* Adds what is known of the values after the first ones: the largest, and totals. The totals and
 * the maximum are exact. */
static void add_worst(struct run *run, struct run_bench *bench, const char *name, const char *unit,
                      struct worst *worst)
{
    const size_t count = worst->largest_count;
    int64_t *lengths = alloc_zeroed(count * sizeof(*lengths));
    int64_t *times = alloc_zeroed(count * sizeof(*times));

    worst_sort(worst);
    for (size_t i = 0; i < count; i++) {
        lengths[i] = worst->events[i].length;
        times[i] = worst->events[i].time;
    }
    put_series(bench, run_format(run, PREFIX_WORST "%s", name), unit, lengths, count);
    put_series(bench, run_format(run, PREFIX_WORST_AT "%s", name), UNIT_TICK, times, count);
    add_fact(bench, run_format(run, PREFIX_UNKEPT "%s", name), UNIT_COUNT,
             (int64_t)(worst->count - worst->first_count));
    add_fact(bench, run_format(run, PREFIX_LARGEST "%s", name), unit, worst->max);
    add_fact(bench, run_format(run, PREFIX_LARGEST_AT "%s", name), UNIT_TICK, worst->max_time);
    add_fact(bench, run_format(run, PREFIX_REST "%s", name), UNIT_COUNT, (int64_t)worst->rest);
    add_fact(bench, run_format(run, PREFIX_REST_SUM "%s", name), unit, worst->rest_sum);
}

/* Adds the values as a series, and reports those that were not kept. */
static void add_series(struct run *run, struct run_bench *bench, const char *name, const char *unit,
                       struct values *values)
{
    struct worst *worst = &values->worst;

    if (values->unfit > 0) {
        *run_add_absent(bench) = (struct run_absent){
            run_text(run, name),
            run_format(run, "%" PRIu64 " more values were too large to store", values->unfit)};
    }
    if (worst->count > worst->first_count) {
        *run_add_absent(bench) = (struct run_absent){
            run_text(run, name),
            run_format(run,
                       "%" PRIu64 " more values were not kept, beyond the first %d; the largest of "
                       "them are in " PREFIX_WORST "%.60s",
                       worst->count - worst->first_count, SIM_RUN_VALUES_MAX, name)};
    }
    if (worst->first_count > 0) {
        put_series(bench, run_text(run, name), unit, values->item, worst->first_count);
    }
    if (worst->count > worst->first_count) {
        add_worst(run, bench, name, unit, worst);
    }
    free(values->events);
}

/* ---- one replication ---- */

struct collection {
    const struct sim_model *model;
    double warm_up;
    struct values *responses;  /* indexed by stimulus */
    struct values *waits;      /* indexed by processor * levels + level */
    struct sim_tracer *tracer; /* NULL: no trace was requested */
};

static void take_event(void *context, const struct sim_event *event)
{
    const struct collection *to = context;

    sim_tracer_event(to->tracer, event);
}

static void take_wait(void *context, size_t line, double time, double wait)
{
    struct collection *to = context;

    if (time >= to->warm_up) {
        keep(&to->waits[line], wait, time, to->model->unit_ns);
    }
}

static void take_response(void *context, size_t stimulus, double time, double transit)
{
    struct collection *to = context;

    if (time >= to->warm_up) {
        keep(&to->responses[stimulus], transit, time, to->model->unit_ns);
    }
}

static void add_responses(struct run *run, struct run_bench *bench, struct collection *from)
{
    for (size_t i = 0; i < from->model->stimulus_count; i++) {
        add_series(run, bench,
                   i > 0 ? run_format(run, SERIES_RESPONSE ".%s", from->model->stimuli[i].name)
                         : SERIES_RESPONSE,
                   UNIT_TICK, &from->responses[i]);
    }
}

static void add_waits(struct run *run, struct run_bench *bench, struct collection *from)
{
    const struct sim_model *model = from->model;

    for (size_t i = 0; i < model->processors * model->levels; i++) {
        add_series(run, bench,
                   run_format(run, SERIES_WAIT ".%s%s%s", model->level[i % model->levels],
                              model->processors > 1 ? "@" : "",
                              model->processors > 1 ? model->processor[i / model->levels] : ""),
                   UNIT_TICK, &from->waits[i]);
    }
}

static struct run_bench *begin_bench(struct run *run, const struct sim_model *model,
                                     const char *summary)
{
    struct run_bench *bench = run_add_bench(run, SIM_RUN_BENCH);

    bench->group = GROUP_INTERACTIVE;
    bench->summary = summary;
    bench->unit = UNIT_TICK;
    bench->state = STATE_OK;
    add_fact(bench, FACT_UNIT, UNIT_NANOSECOND, llround(model->unit_ns));
    return bench;
}

void sim_run_responses(struct run *run, const struct sim_model *model, int64_t *values,
                       size_t count)
{
    struct run_bench *bench =
        begin_bench(run, model, "a sum of delays: values of equal probability");

    put_series(bench, SERIES_RESPONSE, UNIT_TICK, values, count);
}

static void add_bench(struct run *run, struct collection *from, const struct sim_limits *limits)
{
    struct run_bench *bench = begin_bench(
        run, from->model, "one replication of a model: responses, and waits of competing work");

    if (from->model->stimulus_count > 0) {
        add_fact(bench, FACT_PASSES, UNIT_COUNT, (int64_t)from->responses[0].worst.count);
    }
    add_fact(bench, FACT_SEED, UNIT_COUNT, (int64_t)limits->seed);
    add_responses(run, bench, from);
    add_waits(run, bench, from);
}

static void drop(struct values *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(values[i].item);
        free(values[i].events);
    }
}

bool sim_run_simulate(struct run *run, const struct sim_model *model,
                      const struct sim_limits *limits, bool traced, char error[SIM_LAW_ERROR_MAX])
{
    const size_t levels = model->processors * model->levels;
    struct collection collection = {
        .model = model,
        .warm_up = limits->warm_up,
        .responses = alloc_zeroed((model->stimulus_count + 1) * sizeof(struct values)),
        .waits = alloc_zeroed((levels + 1) * sizeof(struct values)),
    };
    const struct sim_observer observer = {
        .event = traced ? take_event : NULL,
        .wait = take_wait,
        .response = take_response,
        .context = &collection,
    };
    struct sim_tally tally;

    collection.tracer = traced ? sim_tracer_begin(model) : NULL;
    sim_tally_init(&tally, model, NULL, 0, false);
    const bool ok = sim_simulate(model, limits, &observer, &tally, error);

    sim_tally_free(&tally);
    if (ok) {
        add_bench(run, &collection, limits);
    } else {
        drop(collection.responses, model->stimulus_count);
        drop(collection.waits, levels);
    }
    if (traced) {
        sim_tracer_end(collection.tracer, ok ? run : NULL);
    }
    free(collection.responses);
    free(collection.waits);
    return ok;
}

/* ---- all replications ---- */

/* How a statistic is stored: the scale from its unit to samples, and the unit of a sample. */
struct keeping {
    double scale;
    const char *unit;
};

static struct keeping keeping_of(const struct sim_statistic *statistic,
                                 const struct sim_model *model)
{
    if (strcmp(statistic->unit, "units") == 0) {
        return (struct keeping){model->unit_ns, UNIT_TICK};
    }
    if (strcmp(statistic->unit, UNIT_COUNT) == 0) {
        return (struct keeping){1, UNIT_COUNT};
    }
    return (struct keeping){1 / MICRO,
                            strcmp(statistic->unit, "percent") == 0 ? "1e-6 percent" : "1e-6"};
}

/* Adds a series of the values of one statistic, in order, without missing ones. The replications'
 * own quantiles are moved and stretched, so that their mean is the pooled quantile, and Student's
 * interval as long as that of the pooled quantile. */
static void add_statistic(struct run *run, struct run_bench *bench, const struct sim_model *model,
                          const struct sim_outcome *outcome, size_t at)
{
    const struct sim_statistic *statistic = &outcome->statistics.item[at];
    const struct sim_estimate *const estimate = &outcome->estimate[at];
    const struct keeping keeping = keeping_of(statistic, model);
    struct values values = {0};
    struct sim_estimate own;

    if (estimate->too_short) {
        *run_add_absent(bench) =
            (struct run_absent){run_text(run, statistic->name),
                                "the replications are too short for an interval of this quantile"};
        return;
    }
    sim_estimate_of(outcome->values + at, outcome->replications, outcome->statistics.count, &own);
    const bool quantile = sim_statistic_quantile(statistic, &outcome->total, &(double){0}) != NULL;
    const double stretch = own.half > 0 ? estimate->half / own.half : 0;

    for (size_t r = 0; r < outcome->replications; r++) {
        const double value = outcome->values[r * outcome->statistics.count + at];

        if (!isnan(value)) {
            keep(&values, quantile ? estimate->mean + stretch * (value - own.mean) : value, 0,
                 keeping.scale);
        }
    }
    add_series(run, bench, statistic->name, keeping.unit, &values);
}

void sim_run_replications(struct run *run, const struct sim_model *model,
                          const struct sim_outcome *outcome)
{
    struct run_bench *bench = run_add_bench(run, SIM_RUN_REPLICATIONS);

    bench->group = "model";
    bench->summary = "the statistics of a model, one value for each replication";
    bench->unit = UNIT_TICK;
    bench->state = STATE_OK;
    add_fact(bench, "replications", UNIT_COUNT, (int64_t)outcome->replications);
    add_fact(bench, "warm_up", UNIT_NANOSECOND, llround(outcome->warm_up * model->unit_ns));
    for (size_t i = 0; i < outcome->statistics.count; i++) {
        add_statistic(run, bench, model, outcome, i);
    }
}
