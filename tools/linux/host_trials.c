/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/linux/host_trials.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/stats/statistics.h"

#define FAR 3

bool host_cost_judge(const int64_t *once, const int64_t *twice, size_t trials, int64_t repetitions,
                     struct host_cost *cost)
{
    int64_t *costs = alloc_zeroed(trials * sizeof(*costs));
    struct statistics all;

    for (size_t i = 0; i < trials; i++) {
        costs[i] = twice != NULL ? twice[i] - once[i] : once[i];
    }
    cost->median = (double)statistics_median(costs, trials) / (double)repetitions;
    free(costs);
    statistics_of(once, trials, &all);
    cost->least = (double)all.min / (double)repetitions;
    if (twice != NULL) {
        statistics_of(twice, trials, &all);
        cost->least = (double)all.min / (double)repetitions - cost->least;
    }
    return cost->median > cost->least / FAR && cost->median < cost->least * FAR;
}

static struct run_series *find(struct run *run, const struct run_bench *bench, const char *name,
                               const char *suffix)
{
    return run_find_series(bench, run_format(run, "%s%s", name, suffix));
}

/* Removes samples. A series without samples stays, and has no figure. */
static void remove_samples(struct run_series *series, size_t first, size_t count)
{
    if (series != NULL) {
        series->received = series->n -= (uint32_t)count;
        memmove(series->samples + first, series->samples + first + count,
                (series->n - first) * sizeof(*series->samples));
        series->range_count = series->n > 0;
        series->ranges[0].count = series->n;
        series->crc = run_series_crc(series);
    }
}

/* Judges the points of a curve, or a cost, which is like one point. Does nothing for other series.
 * A cost from which an absent `loop` would be subtracted is absent, too. */
static void judge_points(struct run *run, struct run_bench *bench, struct run_series *once)
{
    struct run_series *twice = find(run, bench, once->name, SUFFIX_TWICE);
    struct run_series *x = find(run, bench, once->name, SUFFIX_X);
    struct run_series *n = find(run, bench, once->name, SUFFIX_N);
    const size_t points = n != NULL ? n->n : 1;
    const size_t trials = once->n / points;
    const double ns = 1e9 / (double)run->verdict.hz;
    const struct run_series *loop = run_find_series(bench, SERIES_LOOP);
    const bool lacks_loop = loop != NULL && loop->n == 0;

    if (twice == NULL && n == NULL) {
        return;
    }
    for (size_t i = points; i-- > 0;) {
        struct host_cost cost;
        const bool good = host_cost_judge(
            once->samples + i * trials, twice != NULL ? twice->samples + i * trials : NULL, trials,
            n != NULL ? n->samples[i] : run_fact_or(bench, FACT_REPETITIONS, 1), &cost);

        if (i + 1 == points) {
            *run_add_fact(bench) = (struct run_fact){run_format(run, "least.%s", once->name),
                                                     (int64_t)(cost.least * ns * 1000), "ps"};
        }
        if (good && !lacks_loop) {
            continue;
        }
        *run_add_absent(bench) = (struct run_absent){
            x != NULL ? run_format(run, "%s[%" PRId64 "]", once->name, x->samples[i]) : once->name,
            good ? "the cost of the loop, which is subtracted, is absent"
                 : run_format(run,
                              "Linux took the processor away: median %.4g ns, but %.4g ns by the "
                              "shortest trials; repeat it when the machine is idle",
                              cost.median * ns, cost.least * ns)};
        remove_samples(once, i * trials, trials);
        remove_samples(twice, i * trials, trials);
        remove_samples(x, i, 1);
        remove_samples(n, i, 1);
    }
}

void host_trials_judge(struct run *run, struct run_bench *bench)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        if (bench->series[i].n > 0) {
            judge_points(run, bench, &bench->series[i]);
        }
    }
}
