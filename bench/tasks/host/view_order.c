/* SPDX-License-Identifier: BSD-2-Clause */
/* bench order (bench/tasks/order.c): the services of each scenario, in words. */
#include "bench/tasks/host/view_tasks.h"
#include "bench/tasks/names.h"
#include "kernel/run/names.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#include <stdio.h>
#include <string.h>

#define SERVICE_MAX 8

/* "A-P", with a '.' behind it where the service ended: a code's bytes are stimulus, process and,
 * for an end, '.'. What is no such code shows as "?". */
static const char *service_text(int64_t code, char text[SERVICE_MAX])
{
    const char stimulus = (char)(code & 0x7f);
    const char process = (char)(code >> 8 & 0x7f);
    const int64_t end = code >> 16;

    if (stimulus < 'A' || stimulus > 'Z' || process < 'A' || process > 'Z' ||
        (end != 0 && end != '.')) {
        return "?";
    }
    snprintf(text, SERVICE_MAX, "%c-%c%s", stimulus, process, end != 0 ? "." : "");
    return text;
}

static void print_scenario(FILE *out, const struct run_series *series)
{
    char line[512] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < series->n && used + SERVICE_MAX + 1 < sizeof(line); i++) {
        char text[SERVICE_MAX];
        int64_t code;

        used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", i > 0 ? " " : "",
                                 run_series_sample(series, i, &code) ? service_text(code, text)
                                                                     : "(lost)");
    }
    print_field(out, 15, series->name, line);
}

void view_order(const struct view *view, const struct run_bench *bench)
{
    bool titled = false;

    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];

        if (series->unit == NULL || strcmp(series->unit, UNIT_CODE) != 0) {
            continue;
        }
        if (!titled) {
            fputs("\n  services in their order: stimulus-process; with a point, its end\n",
                  view->out);
        }
        titled = true;
        print_scenario(view->out, series);
    }
}

READING_REGISTER(order_view) = {.bench = BENCH_ORDER, .order = 200, .show = view_order};
