/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/sim/results/student.h"
#include "tools/sim/theory/analytic.h"

#define PERCENT  100
#define DECIMALS 9

/* Points are spread evenly by the logarithm of the part that waits longer: from nearly all that
 * wait to one in so many of them. */
#define FIRST_PART 0.95
#define LAST_PART  0.002

#define SCAN_STEPS  64
#define SCAN_RATIO  1.2
#define DIGITS_KEPT 100 /* three significant digits */

/* ---- points ---- */

static double rounded(double time)
{
    const double step = pow(10, floor(log10(time))) / DIGITS_KEPT;

    return round(time / step) * step;
}

/* Adds one, in order; one that is there already is left. */
static void add_point(struct sim_check_points *points, double time, size_t level)
{
    size_t at = points->count;

    while (at > 0 && points->time[at - 1] >= time) {
        at--;
    }
    if (points->count == SIM_POINTS_MAX || (at < points->count && points->time[at] <= time)) {
        return;
    }
    memmove(&points->time[at + 1], &points->time[at], (points->count - at) * sizeof(double));
    memmove(&points->level[at + 1], &points->level[at], (points->count - at) * sizeof(size_t));
    points->time[at] = time;
    points->level[at] = level;
    points->count++;
}

/* Where the part that waits longer falls to each of the parts wanted, by a scan of growing times:
 * nearly, which is enough as theory is then asked at the point itself. */
static void choose_of_level(struct sim_check_points *points, const struct sim_model *model,
                            const struct sim_class_theory *theory, size_t level, size_t wanted)
{
    const double ratio = pow(LAST_PART / FIRST_PART, 1 / ((double)wanted - 1));
    double part = FIRST_PART;
    double time = theory->nonzero / 30;
    double before = theory->waits;
    double time_before = 0;
    size_t chosen = 0;

    for (size_t step = 0; step < SCAN_STEPS && chosen < wanted; step++) {
        const double beyond = sim_theory_level_beyond(model, level, time);

        while (chosen < wanted && beyond <= part * theory->waits) {
            const double share =
                before > beyond ? (before - part * theory->waits) / (before - beyond) : 1;

            add_point(points, rounded(time_before + share * (time - time_before)), level);
            part *= ratio;
            chosen++;
        }
        before = beyond;
        time_before = time;
        time *= SCAN_RATIO;
    }
}

bool sim_check_choose(const struct sim_model *model, struct sim_check_points *points,
                      const char **why)
{
    struct sim_class_theory theory[SIM_LEVELS_MAX];
    size_t levels = 0;

    *points = (struct sim_check_points){0};
    if (!sim_theory(model, theory, why)) {
        return false;
    }
    for (size_t i = 0; i < model->levels; i++) {
        levels += theory[i].load > 0;
    }
    const size_t most = SIM_POINTS_MAX / (levels > 0 ? levels : 1);

    for (size_t i = 0; i < model->levels; i++) {
        if (theory[i].load > 0) {
            choose_of_level(points, model, &theory[i], i,
                            most < CHECK_POINTS ? most : CHECK_POINTS);
        }
    }
    return true;
}

/* ---- rows ---- */

static void add_row(struct sim_check *check, size_t level, const char *item, const char *unit,
                    double time, double theory, const struct sim_estimate *simulated)
{
    check->row = alloc_append(check->row, &check->count, &check->capacity, sizeof(*check->row));
    check->row[check->count - 1] = (struct sim_check_row){
        .level = level,
        .item = item,
        .unit = unit,
        .time = time,
        .theory = theory,
        .simulated = *simulated,
        .z = simulated->error > 0 ? (simulated->mean - theory) / simulated->error : NAN,
    };
}

static void add_means(struct sim_check *check, const struct sim_result *result, size_t level,
                      const struct sim_class_theory *theory)
{
    const struct {
        const char *item, *unit;
        enum sim_measure measure;
        double theory;
    } rows[] = {
        {"occupancy", "percent", SIM_LEVEL_OCCUPANCY, PERCENT * theory->load},
        {"mean wait", "units", SIM_LEVEL_WAIT, theory->wait},
        {"that wait", "percent", SIM_LEVEL_WAITING, PERCENT * theory->waits},
        {"mean of those", "units", SIM_LEVEL_NONZERO, theory->nonzero},
        {"deviation of waits", "units", SIM_LEVEL_WAIT_DEVIATION, theory->deviation},
        {"mean stay", "units", SIM_LEVEL_STAY, theory->stay},
        {"preempted", "times", SIM_LEVEL_PREEMPTED, theory->preempted},
        {"mean interruption", "units", SIM_LEVEL_INTERRUPTION, theory->interruption},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct sim_estimate simulated =
            sim_result_estimate(result, rows[i].measure, level, 0);

        if (!isnan(rows[i].theory)) {
            add_row(check, level, rows[i].item, rows[i].unit, NAN, rows[i].theory, &simulated);
        }
    }
}

static void add_waits(struct sim_check *check, const struct sim_result *result, size_t level,
                      const struct sim_check_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        if (points->level[i] == level) {
            const struct sim_estimate simulated =
                sim_result_estimate(result, SIM_LEVEL_WAIT_BEYOND, level, i);

            add_row(check, level, "wait longer", "percent", points->time[i],
                    PERCENT * sim_theory_level_beyond(&result->model, level, points->time[i]),
                    &simulated);
        }
    }
}

/* What one of the only other level preempts, as often as work there is preempted. */
static void add_preemptions(struct sim_check *check, const struct sim_result *result, size_t level,
                            size_t other, double theory)
{
    const struct sim_outcome *const outcome = &result->outcome;
    const struct sim_statistics *const statistics = &outcome->statistics;
    const size_t quanta = sim_statistic_of(statistics, SIM_LEVEL_QUANTA, level, 0);
    const size_t others = sim_statistic_of(statistics, SIM_LEVEL_QUANTA, other, 0);
    const size_t preempted = sim_statistic_of(statistics, SIM_LEVEL_PREEMPTED, other, 0);
    double *const values = alloc_zeroed(outcome->replications * sizeof(*values));
    struct sim_estimate simulated;

    for (size_t i = 0; i < outcome->replications; i++) {
        const double *const all = &outcome->values[i * statistics->count];

        values[i] = all[preempted] * all[others] / all[quanta];
    }
    sim_estimate_of(values, outcome->replications, 1, &simulated);
    free(values);
    add_row(check, level, "preempts", "times", NAN, theory, &simulated);
}

static void judge(struct sim_check *check, size_t replications)
{
    size_t reported = 0;

    for (size_t i = 0; i < check->count; i++) {
        if (!isnan(check->row[i].z)) {
            reported++;
            check->worst = fmax(check->worst, fabs(check->row[i].z));
        }
    }
    if (reported > 0) {
        check->bound =
            student_quantile(CHECK_FALSE_ALARM / 2 / (double)reported, (double)replications - 1);
    }
    check->agrees = reported > 0 && check->worst <= check->bound;
}

void sim_check_make(struct sim_check *check, const struct sim_result *result,
                    const struct sim_check_points *points)
{
    const struct sim_model *const model = &result->model;
    struct sim_class_theory theory[SIM_LEVELS_MAX];
    size_t used[SIM_LEVELS_MAX];
    size_t levels = 0;
    const char *why;

    *check = (struct sim_check){0};
    if (!sim_theory(model, theory, &why)) {
        return;
    }
    for (size_t i = model->levels; i-- > 0;) {
        if (theory[i].load > 0) {
            used[levels++] = i;
        }
    }
    for (size_t i = 0; i < levels; i++) {
        add_means(check, result, used[i], &theory[used[i]]);
        if (levels == 2 && i == 0) {
            add_preemptions(check, result, used[0], used[1], theory[used[0]].preemptions);
        }
        add_waits(check, result, used[i], points);
    }
    judge(check, result->outcome.replications);
}

void sim_check_free(struct sim_check *check)
{
    free(check->row);
    *check = (struct sim_check){0};
}

/* ---- output ---- */

static int decimals_of(double error)
{
    return error > 0 ? (int)fmin(fmax(2 - floor(log10(error)), 0), DECIMALS) : 3;
}

static void print_row(struct table *table, const struct sim_check_row *row, double bound)
{
    const int decimals = decimals_of(row->simulated.error);

    table_row(table);
    if (isnan(row->time)) {
        table_format(table, "%s, %s", row->item, row->unit);
    } else {
        table_format(table, "%s than %.6g, %s", row->item, row->time, row->unit);
    }
    sim_cell(table, row->theory, decimals);
    sim_cell(table, row->simulated.mean, decimals);
    sim_cell(table, row->simulated.error, decimals);
    if (isnan(row->z)) {
        table_text(table, NULL);
        return;
    }
    table_format(table, "%+.2f", row->z);
    if (fabs(row->z) > bound) {
        table_colour(table, COLOUR_BAD);
    }
}

void sim_check_print(FILE *out, const struct sim_check *check, const struct sim_model *model)
{
    static const char *const heads[] = {NULL, "theory", "simulated", "SE", "z"};
    char verdict[400];

    for (size_t i = 0; i < check->count;) {
        const size_t level = check->row[i].level;
        struct table table;

        table_init(&table, "lrrrr");
        table_row(&table);
        table_format(&table, "Quanta of %.60s", model->level[level]);
        for (size_t column = 1; column < sizeof(heads) / sizeof(heads[0]); column++) {
            table_text(&table, heads[column]);
        }
        for (; i < check->count && check->row[i].level == level; i++) {
            print_row(&table, &check->row[i], check->bound);
        }
        table_print(&table, out, 0);
        fputc('\n', out);
    }
    snprintf(verdict, sizeof(verdict),
             "%s: the maximum |z| of %zu is %.2f. By chance alone any is above %.2f once in %.0f "
             "such checks. SE is the standard error of the simulated mean, z its distance from "
             "theory in SE.",
             check->agrees ? "Theory and simulation agree" : "Theory and simulation differ",
             check->count, check->worst, check->bound, 1 / CHECK_FALSE_ALARM);
    print_wrapped(out, verdict, 0, 0);
}

void sim_check_json(struct json *json, const struct sim_check *check, const struct sim_model *model)
{
    json_object(json, "check");
    json_bool(json, "agrees", check->agrees);
    json_number(json, "worst", check->worst, DECIMALS);
    json_number(json, "bound", check->bound, DECIMALS);
    json_array(json, "rows");
    for (size_t i = 0; i < check->count; i++) {
        const struct sim_check_row *const row = &check->row[i];

        json_object(json, NULL);
        json_text(json, "level", model->level[row->level]);
        json_text(json, "item", row->item);
        json_text(json, "unit", row->unit);
        if (!isnan(row->time)) {
            json_number(json, "time", row->time, DECIMALS);
        }
        json_number(json, "theory", row->theory, DECIMALS);
        json_number(json, "simulated", row->simulated.mean, DECIMALS);
        json_number(json, "error", row->simulated.error, DECIMALS);
        json_number(json, "z", row->z, DECIMALS);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}
