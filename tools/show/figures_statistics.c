/* SPDX-License-Identifier: BSD-2-Clause */
/* Figure of the report: statistics of every metric, as a table. */
#include "tools/figure/figure_table.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"
#include "tools/show/view_statistics.h"

void figures_statistics(struct figures *figures, const struct run *run)
{
    struct metrics metrics;
    struct table table;

    metrics_of(run, &metrics);
    if (statistics_table(&table, &metrics, NULL, 0)) {
        struct figure *figure =
            figure_add_table(figures, "Statistics", "All metrics", &table, "statistics");

        figure_how(figure, "%s", STATISTICS_HOW);
    } else {
        table_free(&table);
    }
    metrics_free(&metrics);
}

READING_REGISTER(figures_statistics) = {.order = 430, .figures = figures_statistics};
