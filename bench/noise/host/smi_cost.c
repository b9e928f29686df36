/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `smicost`: what an SMI takes by each method, and how far the methods differ. */
#include <math.h>

#include "bench/noise/names.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"

#define METHODS 3
#define PERCENT 100

static const struct {
    const char *series;
    const char *head;
} methods[METHODS] = {{SERIES_SMI_GAP, "gap of each SMI"},
                      {SERIES_SMI_WATCH, "lost time by MSR 34h"},
                      {SERIES_SMI_APERF, "APERF minus frozen cycles"}};

struct cost {
    bool present;
    struct statistics statistics;
};

static void read_costs(const struct run_bench *bench, struct cost costs[METHODS])
{
    for (size_t i = 0; i < METHODS; i++) {
        const struct run_series *series = run_find_whole(bench, methods[i].series);

        costs[i] = (struct cost){.present = series != NULL && series->n > 0};
        if (costs[i].present) {
            statistics_of(series->samples, series->n, &costs[i].statistics);
        }
    }
}

/* Returns the largest difference between two methods' medians, as a share of the larger one, or NAN
 * if fewer than two methods have samples. */
static double apart(const struct cost costs[METHODS])
{
    double most = NAN;

    for (size_t i = 0; i < METHODS; i++) {
        for (size_t k = i + 1; k < METHODS; k++) {
            const double a = (double)costs[i].statistics.median;
            const double b = (double)costs[k].statistics.median;

            if (costs[i].present && costs[k].present && fmax(a, b) > 0) {
                most = fmax(isnan(most) ? 0 : most, fabs(a - b) / fmax(a, b));
            }
        }
    }
    return most;
}

static void view_smicost(const struct view *view, const struct run_bench *bench)
{
    struct cost costs[METHODS];
    struct table table;

    read_costs(bench, costs);
    print_paragraph(view->out, "time of an SMI, by three methods%s:", span_note(view));
    table_open(&table, "lrrrr", "method\tn\tmin\tmedian\tmax");
    for (size_t i = 0; i < METHODS; i++) {
        const struct statistics *statistics = &costs[i].statistics;
        const bool there = costs[i].present;

        table_line(&table, "%s", methods[i].head);
        table_known(&table, there, (int64_t)statistics->n);
        cell_span(&table, view, there, (double)statistics->min);
        cell_span(&table, view, there, (double)statistics->median);
        cell_span(&table, view, there, (double)statistics->max);
    }
    view_table(view, &table);
    if (!isnan(apart(costs))) {
        print_paragraph(view->out, "medians differ by at most %.2f %%; allowed: 5 %%",
                        PERCENT * apart(costs));
    }
}

/* Writes member "smi_cost", in ticks. */
static void smicost_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct cost costs[METHODS];

    (void)run;
    read_costs(bench, costs);
    json_object(json, "smi_cost");
    for (size_t i = 0; i < METHODS; i++) {
        json_optional(json, methods[i].series, costs[i].present, costs[i].statistics.median);
    }
    json_real(json, "apart", apart(costs));
    json_close(json);
}

PLUGIN_OF(smicost, .order = 208, .show = view_smicost, .place = PLUGIN_FOR_SERIES,
          .json = smicost_json);
