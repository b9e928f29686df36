/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/boots.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/summary.h"

struct boot_scale boot_scale_of(struct boot_group a, struct boot_group b)
{
    struct boot_scale scale = {.exact = true, .timed = true};

    for (size_t i = 0; i < a.count + b.count; i++) {
        const struct metrics *run = i < a.count ? a.runs[i] : b.runs[i - a.count];

        scale.exact = scale.exact && run->ticks_per_instruction > 0;
        scale.timed = scale.timed && run->ns_per_tick > 0;
    }
    scale.unit = scale.exact ? "instructions" : scale.timed ? UNIT_NANOSECOND : UNIT_TICK;
    return scale;
}

const struct metric *boot_metric(const struct metrics *run, const struct metric *like)
{
    for (size_t i = 0; i < run->count; i++) {
        if (strcmp(run->item[i].name, like->name) == 0) {
            return strcmp(run->item[i].unit, like->unit) == 0 ? &run->item[i] : NULL;
        }
    }
    return NULL;
}

/* Returns how many units of the scale one unit of the metric is. */
static double factor_of(const struct metrics *run, const struct metric *metric,
                        const struct metric *like, const struct boot_scale *scale)
{
    const double work = like->work > 0 && metric->work > 0 ? like->work / metric->work : 1;

    if (strcmp(metric->unit, UNIT_TICK) != 0) {
        return work;
    }
    return work * (scale->exact   ? 1 / run->ticks_per_instruction
                   : scale->timed ? run->ns_per_tick
                                  : 1);
}

static double least_step(const double *sorted, size_t n, double least)
{
    for (size_t i = 1; i < n; i++) {
        const double step = sorted[i] - sorted[i - 1];

        least = step > 0 && (least == 0 || step < least) ? step : least;
    }
    return least;
}

static void add_boot(struct boots *boots, const struct metric *metric, enum boot_values which,
                     double factor)
{
    const double *taken = which == BOOT_COLD ? metric->cold : metric->values;
    const size_t n = which == BOOT_COLD ? metric->cold_count : metric->n;
    struct boot *boot = &boots->item[boots->count++];

    *boot = (struct boot){.taken = taken, .n = n, .sorted = alloc_zeroed(n * sizeof(double))};
    for (size_t i = 0; i < n; i++) {
        boot->sorted[i] = taken[i] * factor;
    }
    sort_reals(boot->sorted, n);
    boot->median = metric->is_share && which == BOOT_WARM
                       ? metric->share
                       : summary_quantile_of(boot->sorted, n, 0.5);
    boots->step = least_step(boot->sorted, n, boots->step);
}

void boots_of(struct boot_group group, const struct metric *like, enum boot_values which,
              const struct boot_scale *scale, struct boots *boots)
{
    *boots = (struct boots){.item = alloc_zeroed((group.count + 1) * sizeof(*boots->item))};
    for (size_t i = 0; i < group.count; i++) {
        const struct metric *metric = boot_metric(group.runs[i], like);

        if (metric != NULL && (which == BOOT_COLD ? metric->cold_count : metric->n) > 0) {
            add_boot(boots, metric, which, factor_of(group.runs[i], metric, like, scale));
        }
    }
}

void boots_free(struct boots *boots)
{
    for (size_t i = 0; i < boots->count; i++) {
        free(boots->item[i].sorted);
    }
    free(boots->item);
    *boots = (struct boots){0};
}

double *boots_medians(const struct boots *boots)
{
    double *medians = alloc_zeroed(boots->count * sizeof(*medians));

    for (size_t i = 0; i < boots->count; i++) {
        medians[i] = boots->item[i].median;
    }
    return medians;
}

double *boots_quantiles(const struct boots *boots, double q)
{
    double *quantiles = alloc_zeroed(boots->count * sizeof(*quantiles));

    for (size_t i = 0; i < boots->count; i++) {
        quantiles[i] = summary_quantile_of(boots->item[i].sorted, boots->item[i].n, q);
    }
    return quantiles;
}

double *boots_pool(const struct boots *boots, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < boots->count; i++) {
        *n += boots->item[i].n;
    }
    double *pool = alloc_zeroed((*n + 1) * sizeof(*pool));
    double *end = pool;

    for (size_t i = 0; i < boots->count; i++) {
        memcpy(end, boots->item[i].sorted, boots->item[i].n * sizeof(*pool));
        end += boots->item[i].n;
    }
    if (boots->count > 1) {
        sort_reals(pool, *n);
    }
    return pool;
}

size_t boots_fewest(const struct boots *boots)
{
    size_t fewest = boots->count > 0 ? boots->item[0].n : 0;

    for (size_t i = 1; i < boots->count; i++) {
        fewest = boots->item[i].n < fewest ? boots->item[i].n : fewest;
    }
    return fewest;
}

bool boots_are_equal(const struct boots *boots)
{
    const struct boot *first = boots->item;

    for (size_t i = 1; i < boots->count; i++) {
        const struct boot *boot = &boots->item[i];

        if (boot->n != first->n ||
            memcmp(boot->sorted, first->sorted, first->n * sizeof(*first->sorted)) != 0) {
            return false;
        }
    }
    return true;
}

void boot_rates_of(struct boot_group group, const struct metric *like,
                   const struct boot_scale *scale, struct boot_rates *rates)
{
    *rates = (struct boot_rates){
        .rate = alloc_zeroed((group.count + 1) * sizeof(*rates->rate)),
        .unit = scale->timed ? "1/s" : "1/tick",
    };
    for (size_t i = 0; i < group.count; i++) {
        const struct metric *metric = boot_metric(group.runs[i], like);

        if (metric == NULL || !(metric->observed > 0)) {
            continue;
        }
        const double time =
            metric->observed * (scale->timed ? group.runs[i]->ns_per_tick / 1e9 : 1);
        const uint64_t events = metric->n + metric->unkept;

        rates->rate[rates->boots++] = (double)events / time;
        rates->events += events;
        rates->time += time;
    }
}

void boot_rates_free(struct boot_rates *rates)
{
    free(rates->rate);
    *rates = (struct boot_rates){0};
}

bool boot_rates_are_equal(const struct boot_rates *rates)
{
    for (size_t i = 1; i < rates->boots; i++) {
        if (rates->rate[i] != rates->rate[0]) {
            return false;
        }
    }
    return true;
}
