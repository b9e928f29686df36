/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel itself takes, from the costs that bench model measured. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/interactive/names.h"
#include "tools/base/alloc.h"
#include "tools/sim/model/program.h"
#include "tools/stats/summary.h"

#define SAMPLES_LEAST 30
#define TRIM          0.05 /* of handlers, on each side: others may have had the processor */
#define LOWER         0.25
#define UPPER         0.75

/* All in nanoseconds. */
struct costs {
    const struct run_bench *bench;
    double ns_per_tick;
    double spread; /* of the medians read so far: their quartiles' distances */
    double below;  /* the most that a cost was below 0, within the spread */
    bool failed;
    char *error;
};

__attribute__((format(printf, 2, 3))) static double fail(struct costs *costs, const char *format,
                                                         ...)
{
    va_list values;

    if (!costs->failed) {
        va_start(values, format);
        vsnprintf(costs->error, SIM_OVERHEAD_ERROR_MAX, format, values);
        va_end(values);
    }
    costs->failed = true;
    return 0;
}

/* The samples in ascending order, to be freed; NULL, failed: they are missing, or too few. */
static double *sorted(struct costs *costs, const char *name, size_t *count)
{
    const struct run_series *series = run_find_series(costs->bench, name);

    if (series == NULL || series->received < SAMPLES_LEAST) {
        fail(costs, "series %s is missing, or has fewer than %d samples", name, SAMPLES_LEAST);
        return NULL;
    }
    double *values = alloc_zeroed(series->received * sizeof(*values));

    for (size_t i = 0; i < series->received; i++) {
        values[i] = (double)series->samples[i] * costs->ns_per_tick;
    }
    summary_sort(values, series->received);
    *count = series->received;
    return values;
}

static double cost(struct costs *costs, const char *name)
{
    size_t count = 0;
    double *values = sorted(costs, name, &count);

    if (values == NULL) {
        return 0;
    }
    const double median = summary_quantile_of(values, count, 0.5);

    costs->spread +=
        summary_quantile_of(values, count, UPPER) - summary_quantile_of(values, count, LOWER);
    free(values);
    return median;
}

/* The mean of the handlers in the play, whose lengths differ by what they find. */
static double handler(struct costs *costs)
{
    size_t count = 0;
    double *values = sorted(costs, SERIES_HANDLER, &count);
    double sum = 0;

    if (values == NULL) {
        return 0;
    }
    const size_t cut = (size_t)(TRIM * (double)count);

    for (size_t i = cut; i < count - cut; i++) {
        sum += values[i];
    }
    free(values);
    return sum / (double)(count - 2 * cut);
}

/* A cost that came out below 0 is 0 if the medians that it is from spread so much. */
static double positive(struct costs *costs, const char *name, double value)
{
    if (value >= 0) {
        return value;
    }
    if (-value > costs->spread) {
        return fail(costs,
                    "the cost of %s came out at %.4g ns, which cannot be: the medians that it is "
                    "from spread by %.4g ns; the processor was disturbed while they were measured: "
                    "boot again, with --mode exact or on a machine at rest",
                    name, value, costs->spread);
    }
    costs->below = fmax(costs->below, -value);
    return 0;
}

/* The way of a portion to the next: to send it, where all else is known. A quantum that was sent up
 * leaves a thread behind that has to find out that it has no more to do before the next of its
 * level gets the processor; of processes that is the simulation's own. A hop to another processor
 * costs the same as one within a level. */
static double hop(struct costs *costs, const struct sim_overhead *known,
                  const struct sim_stop *stop, bool is_back)
{
    const double begin = known->switching + known->receive;

    if (stop[1].level == stop->level || stop[1].processor != stop->processor) {
        return cost(costs, SERIES_COST_FORWARD) - known->end - begin;
    }
    if (stop[1].level > stop->level) {
        return cost(costs, SERIES_COST_FORWARD_UP) - begin;
    }
    return is_back
               ? cost(costs, SERIES_COST_FORWARD_BACK) - 2 * known->end - known->switching - begin
               : cost(costs, SERIES_COST_FORWARD_DOWN) - known->end - begin;
}

/* On average over the way of the first stimulus. */
static double send(struct costs *costs, const struct sim_overhead *known,
                   const struct sim_model *model)
{
    static const struct sim_stop level[2]; /* from process to process of a level */
    const struct sim_stimulus *stimulus = model->stimuli;
    double sum = 0;

    if (model->stimulus_count == 0 || stimulus->stop_count < 2) {
        return hop(costs, known, level, false);
    }
    for (size_t i = 0; i + 1 < stimulus->stop_count; i++) {
        const struct sim_stop *stop = &stimulus->stops[i];
        const bool is_back = i > 0 && stop[-1].process == SIM_NONE && stop[-1].level < stop->level;

        sum += hop(costs, known, stop, is_back);
    }
    return sum / (double)(stimulus->stop_count - 1);
}

static void scale(struct sim_overhead *overhead, double factor)
{
    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        *sim_overhead_part(overhead, i) *= factor;
    }
}

bool sim_program_overhead(const struct run *run, const struct run_bench *bench,
                          const struct sim_model *model, struct sim_overhead *overhead,
                          double *below, char error[SIM_OVERHEAD_ERROR_MAX])
{
    struct costs costs = {.bench = bench, .ns_per_tick = run_ns_per_tick(run), .error = error};

    *overhead = (struct sim_overhead){0};
    *below = 0;
    if (costs.ns_per_tick <= 0) {
        fail(&costs, "the rate of the run's clock is unknown");
        return false;
    }
    const double around =
        positive(&costs, "an interrupt without its handler",
                 cost(&costs, SERIES_COST_INTERRUPT) - cost(&costs, SERIES_COST_INTERRUPT_HANDLER));
    const double in = positive(&costs, "a switch and a receive",
                               cost(&costs, SERIES_COST_BEGIN) -
                                   cost(&costs, SERIES_COST_BEGIN_HANDLER) - around);
    const double portion = positive(&costs, "a portion", cost(&costs, SERIES_COST_EMPTY));
    const double end = positive(&costs, "an end", cost(&costs, SERIES_COST_NEXT) - in);
    const double back = cost(&costs, SERIES_COST_PREEMPT) -
                        cost(&costs, SERIES_COST_PREEMPT_HANDLER) - around - in - portion - end;
    const double switching = fmin(in, positive(&costs, "a switch", back));

    *overhead = (struct sim_overhead){
        .interrupt = around + handler(&costs),
        .switching = switching,
        .receive = in - switching,
        .portion = portion,
        .end = end,
    };
    overhead->send = positive(&costs, "a send", send(&costs, overhead, model));
    scale(overhead, 1 / model->unit_ns);
    *below = costs.below / model->unit_ns;
    return !costs.failed;
}
