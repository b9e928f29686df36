/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/boots.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
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
}

void boots_of(struct boot_group group, const struct metric *like, enum boot_values which,
              const struct boot_scale *scale, struct boots *boots)
{
    *boots = (struct boots){
        .item = alloc_zeroed((group.count + 1) * sizeof(*boots->item)),
        .index = alloc_zeroed((group.count + 1) * sizeof(*boots->index)),
    };
    for (size_t i = 0; i < group.count; i++) {
        const struct metric *metric = boot_metric(group.runs[i], like);

        if (metric != NULL && (which == BOOT_COLD ? metric->cold_count : metric->n) > 0) {
            add_boot(boots, metric, which, factor_of(group.runs[i], metric, like, scale));
            boots->index[boots->count - 1] = i;
        }
    }
}

void boots_free(struct boots *boots)
{
    for (size_t i = 0; i < boots->count; i++) {
        free(boots->item[i].sorted);
    }
    free(boots->item);
    free(boots->index);
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
        .index = alloc_zeroed((group.count + 1) * sizeof(*rates->index)),
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

        rates->index[rates->boots] = i;
        rates->rate[rates->boots++] = (double)events / time;
        rates->events += events;
        rates->time += time;
    }
}

void boot_rates_free(struct boot_rates *rates)
{
    free(rates->rate);
    free(rates->index);
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

/* ---- the order of the boots ---- */

static const char *info_of(struct boot_group a, struct boot_group b, size_t index, const char *key)
{
    const struct run *run = (index < a.count ? a.runs[index] : b.runs[index - a.count])->run;

    return run != NULL ? run_pair_value(&run->info, key) : NULL;
}

/* Are all boots of one series that `tare boot` drew, each group of one side of it? */
static bool is_order_drawn(struct boot_group a, struct boot_group b)
{
    const char *first = info_of(a, b, 0, INFO_BOOT_ORDER);
    char sides[2] = "";

    for (size_t i = 0; i < a.count + b.count; i++) {
        const char *text = info_of(a, b, i, INFO_BOOT_ORDER);
        const char *place = text != NULL ? strstr(text, BOOT_ORDER_PLACE) : NULL;

        if (place == NULL || strncmp(text, first, (size_t)(place - text)) != 0) {
            return false;
        }
        const size_t at = strtoull(place + strlen(BOOT_ORDER_PLACE), NULL, 10);
        char *side = &sides[i >= a.count];

        if (at < 1 || at > strcspn(text, ",") || (*side != '\0' && *side != text[at - 1])) {
            return false;
        }
        *side = text[at - 1];
    }
    return sides[0] != sides[1];
}

/* Is each pair of successive boots, by their dates, one of each group? Then most of a slow drift is
 * the same in both groups. */
static bool are_turns(struct boot_group a, struct boot_group b)
{
    const size_t count = a.count + b.count;
    char *sides = alloc_zeroed(count + 1); /* side of each boot, by date */
    bool turns = true;

    for (size_t i = 0; i < count; i++) {
        const char *date = info_of(a, b, i, INFO_DATE);
        size_t earlier = 0;

        for (size_t k = 0; k < count && date != NULL; k++) {
            const char *other = info_of(a, b, k, INFO_DATE);

            earlier += other != NULL && strcmp(other, date) < 0;
        }
        sides[earlier] = i < a.count ? 'a' : 'b';
    }
    for (size_t i = 0; i < count && turns; i++) {
        turns = sides[i] != '\0' && (i % 2 == 0 || sides[i] != sides[i - 1]);
    }
    free(sides);
    return turns;
}

enum boot_order boot_order_of(struct boot_group a, struct boot_group b)
{
    return is_order_drawn(a, b) ? BOOT_ORDER_DRAWN
           : are_turns(a, b)    ? BOOT_ORDER_TURNS
                                : BOOT_ORDER_UNKNOWN;
}
