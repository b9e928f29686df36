/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/linux/host_trials.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/stats/summary.h"

#define NAME_MAX_BYTES 128
#define PS_PER_S       1e12

/* ---- one figure ---- */

static int64_t least_of(const int64_t *samples, size_t n)
{
    int64_t least = samples[0];

    for (size_t i = 1; i < n; i++) {
        least = samples[i] < least ? samples[i] : least;
    }
    return least;
}

bool host_cost_judge(const int64_t *once, const int64_t *twice, size_t trials, int64_t repetitions,
                     struct host_cost *cost)
{
    double *costs = alloc_zeroed(trials * sizeof(*costs));
    const double least = (double)least_of(once, trials);
    const double each = (double)repetitions;

    for (size_t i = 0; i < trials; i++) {
        costs[i] = (twice != NULL ? (double)(twice[i] - once[i]) : (double)once[i]) / each;
    }
    cost->median = summary_quantile(costs, trials, 0.5);
    cost->least = (twice != NULL ? (double)least_of(twice, trials) - least : least) / each;
    free(costs);
    return cost->least > 0 && cost->median > cost->least / HOST_FAR &&
           cost->median < cost->least * HOST_FAR;
}

/* ---- the figures of a bench ---- */

static struct run_series *find(const struct run_bench *bench, const char *name, const char *suffix)
{
    char full[NAME_MAX_BYTES];

    snprintf(full, sizeof(full), "%s%s", name, suffix);
    return run_find_series(bench, full);
}

/* Removes `count` samples. A series without samples stays, and has no figure. */
static void remove_samples(struct run_series *series, size_t first, size_t count)
{
    if (series == NULL) {
        return;
    }
    memmove(series->samples + first, series->samples + first + count,
            (series->n - first - count) * sizeof(*series->samples));
    series->n -= (uint32_t)count;
    series->received = series->n;
    series->range_count = series->n > 0;
    series->ranges[0] = (struct run_range){0, series->n};
    series->crc = run_series_crc(series);
}

static void add_absent(struct run *run, struct run_bench *bench, const char *name,
                       const struct host_cost *cost, const char *more)
{
    const double ns = 1e9 / (double)run->verdict.hz;

    *run_add_absent(bench) = (struct run_absent){
        run_text(run, name),
        run_format(run,
                   "Linux took the processor away: median %.4g ns, but %.4g ns by the shortest "
                   "trials%s; repeat it when the machine is idle",
                   cost->median * ns, cost->least * ns, more)};
}

/* Judges all points of a curve, or the one point of a cost. Without a `loop` to subtract, no cost
 * of its bench can be trusted. */
static void judge_points(struct run *run, struct run_bench *bench, struct run_series *once,
                         bool lacks_loop)
{
    const char *name = once->name;
    struct run_series *twice = find(bench, name, SUFFIX_TWICE);
    struct run_series *x = find(bench, name, SUFFIX_X);
    struct run_series *n = find(bench, name, SUFFIX_N);
    const size_t trials = once->n / (n != NULL ? n->n : 1);
    const int64_t each = run_fact_or(bench, FACT_REPETITIONS, 1);
    char text[NAME_MAX_BYTES];
    struct host_cost cost;

    for (size_t i = once->n / trials; i-- > 0;) {
        const bool good = host_cost_judge(once->samples + i * trials,
                                          twice != NULL ? twice->samples + i * trials : NULL,
                                          trials, n != NULL ? n->samples[i] : each, &cost) &&
                          !lacks_loop;

        if ((i + 1) * trials == once->n) {
            snprintf(text, sizeof(text), "least.%s", name);
            *run_add_fact(bench) =
                (struct run_fact){run_text(run, text),
                                  (int64_t)(cost.least * PS_PER_S / (double)run->verdict.hz), "ps"};
        }
        if (!good) {
            snprintf(text, sizeof(text), x != NULL ? "%s[%lld]" : "%s", name,
                     x != NULL ? (long long)x->samples[i] : 0);
            add_absent(run, bench, text, &cost,
                       lacks_loop ? ", and cost loop, which is subtracted, is absent" : "");
            remove_samples(once, i * trials, trials);
            remove_samples(twice, i * trials, trials);
            remove_samples(x, i, 1);
            remove_samples(n, i, 1);
        }
    }
}

void host_trials_judge(struct run *run, struct run_bench *bench)
{
    const struct run_series *loop = run_find_series(bench, SERIES_LOOP);

    for (size_t i = 0; i < bench->series_count; i++) {
        struct run_series *series = &bench->series[i];
        const bool is_pair = find(bench, series->name, SUFFIX_TWICE) != NULL;

        if (series->n > 0 && (is_pair || find(bench, series->name, SUFFIX_N) != NULL)) {
            judge_points(run, bench, series, loop != NULL && loop->n == 0);
        }
    }
}

/* ---- what Linux took ---- */

struct host_taken host_taken(void)
{
    struct host_taken taken = {0};
    struct rusage usage;
    FILE *stat = fopen("/proc/stat", "r");
    const int processor = sched_getcpu();
    char line[256];

    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        taken.switches = (uint64_t)usage.ru_nivcsw;
    }
    while (stat != NULL && fgets(line, sizeof(line), stat) != NULL) {
        int number;
        uint64_t steal;

        if (sscanf(line, "cpu%d %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &number, &steal) == 2 &&
            number == processor) {
            taken.steal_ms = steal * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
            break;
        }
    }
    if (stat != NULL) {
        fclose(stat);
    }
    return taken;
}
