/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/figure_kit.h"

#include <inttypes.h>
#include <math.h>

#include "kernel/run/names.h"
#include "tools/run/run_kind.h"

#define LOGARITHMIC_FROM 20
#define TITLE_MAX        192

struct figure_scale figure_time_scale(const struct run *run, double longest)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    const double ns_per_tick = run_ns_per_tick(run);
    size_t at = 0;

    if (ns_per_tick <= 0) {
        return (struct figure_scale){1, "ticks"};
    }
    while (at + 1 < sizeof(units) / sizeof(units[0]) && longest * ns_per_tick < units[at].ns) {
        at++;
    }
    return (struct figure_scale){ns_per_tick / units[at].ns, units[at].unit};
}

const char *figure_time_label(const struct run *run)
{
    switch (run_time(run)) {
    case RUN_TIME_EXACT:
    case RUN_TIME_EXACT_SHARED:
        return "virtual time";
    case RUN_TIME_EMULATED:
        return "time of the emulator";
    case RUN_TIME_MODEL:
        return "simulated time";
    default:
        return "time";
    }
}

struct figure_scale figure_length_scale(const struct run *run, double typical)
{
    const double per_instruction = run_ticks_per_instruction(run);

    return per_instruction > 0 ? (struct figure_scale){1 / per_instruction, "instructions"}
                               : figure_time_scale(run, typical);
}

void figure_add_curve(struct figure_series *series, const struct curve *curve,
                      const struct figure_scale *scale)
{
    for (size_t i = 0; i < curve->points; i++) {
        figure_add_range(series, (double)curve->x[i], curve_median(curve, i) * scale->per_tick,
                         curve_quantile(curve, i, 0.25) * scale->per_tick,
                         curve_quantile(curve, i, 0.75) * scale->per_tick);
    }
}

void figure_choose_scale(struct figure *figure)
{
    double least = INFINITY;
    double greatest = -INFINITY;

    for (size_t i = 0; i < figure->series_count; i++) {
        for (size_t k = 0; k < figure->series[i].n; k++) {
            least = fmin(least, figure->series[i].y[k]);
            greatest = fmax(greatest, figure->series[i].y[k]);
        }
    }
    figure->y.logarithmic = least > 0 && greatest > LOGARITHMIC_FROM * least;
}

const struct run_bench *figures_find_bench(struct figures *figures, const struct run *run,
                                           const char *section, const char *title, const char *name)
{
    const struct run_bench *bench = run_find_bench(run, name);

    if (bench != NULL && bench->series_count == 0) {
        figure_add_absent(figures, section, title, name, "bench %s: %s%s%s", name, bench->state,
                          bench->reason != NULL ? ": " : ", without samples",
                          bench->reason != NULL ? bench->reason : "");
        return NULL;
    }
    return bench;
}

void figure_add_torn(struct figures *figures, const char *section, const char *title,
                     const char *name)
{
    figure_add_absent(
        figures, section, title, name,
        "Bench %s: not all samples of this arrived; `tare show` prints what is missing.", name);
}

void figure_span(struct figure *figure, const struct view *view, bool known, double ticks)
{
    char text[AMOUNT_MAX];

    figure_cell(figure, "%s", known ? span_text(view, ticks, text) : "n/a");
}

void figure_amount(struct figure *figure, const struct view *view, bool known, int64_t ticks)
{
    char text[AMOUNT_MAX];

    figure_cell(figure, "%s", known ? amount_text(view, ticks, UNIT_TICK, text) : "n/a");
}

const char *processor_text(uint64_t number, char text[AMOUNT_MAX])
{
    snprintf(text, AMOUNT_MAX, "CPU %" PRIu64, number);
    return text;
}

struct figure *figure_add_of(struct figures *figures, enum figure_kind kind, const char *section,
                             const struct run_bench *bench, const char *title, const char *id)
{
    char text[TITLE_MAX];

    snprintf(text, sizeof(text), "%s: %s", bench->name, title);
    return figure_add(figures, kind, section, text, "%s-%s", bench->name, id);
}
