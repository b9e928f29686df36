/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/version.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"

#define PERCENT           100
#define DIGITS_MAX        6
#define DECIMALS_EXACT    3 /* for a value that never varies */
#define DECIMALS_QUANTILE 2

/* ---- cells ---- */

/* Returns the estimate of a measure; its count is 0 if there is none. */
static struct sim_estimate sim_result_estimate(const struct sim_result *result,
                                               enum sim_measure measure, size_t of, size_t point)
{
    const size_t index = sim_statistic_of(&result->outcome.statistics, measure, of, point);

    return index != SIM_NONE
               ? result->outcome.estimate[index]
               : (struct sim_estimate){.mean = NAN, .deviation = NAN, .error = NAN, .half = NAN};
}

/* Adds a cell with `decimals` digits after the point, or "-" if the value is NAN. */
static void sim_cell(struct table *table, double value, int decimals)
{
    table_if(table, !isnan(value), "%.*f", decimals, value);
}

/* Returns the decimals that show two digits of the uncertainty, but at most six digits of the
 * value. */
static int decimals_of(const struct sim_estimate *estimate)
{
    const double half = estimate->half;
    const double size = fabs(estimate->mean);

    if (!(half > 0) || isinf(half)) {
        return DECIMALS_EXACT;
    }
    const double most = size > 0 ? fmax(DIGITS_MAX - 1 - floor(log10(size)), 0) : DIGITS_MAX;

    return (int)fmin(fmax(1 - floor(log10(half)), 0), most);
}

/* Returns the decimals for quantiles: three digits of the smallest that is not 0 (the resolution of
 * the classes), at most six of the largest, and at least two decimals. A NAN is missing. */
static int decimals_of_quantiles(const double *values, size_t count)
{
    double least = INFINITY;
    double greatest = 0;

    for (size_t i = 0; i < count; i++) {
        least = values[i] > 0 ? fmin(least, values[i]) : least;
        greatest = values[i] > greatest ? values[i] : greatest;
    }
    if (greatest == 0) {
        return DECIMALS_QUANTILE;
    }
    const double most = DIGITS_MAX - 1 - floor(log10(greatest));

    return (int)fmax(fmin(2 - floor(log10(least)), most), DECIMALS_QUANTILE);
}

static void add_quantiles(struct table *table, const double *values, size_t count)
{
    const int decimals = decimals_of_quantiles(values, count);

    for (size_t i = 0; i < count; i++) {
        sim_cell(table, values[i], decimals);
    }
}

/* Adds a mean and in the next cell the half width of its interval, both to two digits of the
 * latter. */
static void sim_cells_of_estimate(struct table *table, const struct sim_estimate *estimate)
{
    const int decimals = decimals_of(estimate);

    sim_cell(table, estimate->mean, decimals);
    sim_cell(table, estimate->half, decimals);
}

static void add_estimate(struct table *table, const struct sim_result *result,
                         enum sim_measure measure, size_t of)
{
    const struct sim_estimate estimate = sim_result_estimate(result, measure, of, 0);

    sim_cells_of_estimate(table, &estimate);
}

/* Adds only the mean. */
static void add_mean(struct table *table, const struct sim_result *result, enum sim_measure measure,
                     size_t of)
{
    const struct sim_estimate estimate = sim_result_estimate(result, measure, of, 0);

    sim_cell(table, estimate.mean, decimals_of(&estimate));
}

void sim_class_text(const double *points, size_t point_count, size_t class,
                    char text[TABLE_CELL_MAX])
{
    if (class == 0) {
        snprintf(text, TABLE_CELL_MAX, "below %.9g", points[0]);
    } else if (class == point_count) {
        snprintf(text, TABLE_CELL_MAX, "above %.9g", points[class - 1]);
    } else {
        snprintf(text, TABLE_CELL_MAX, "%.9g to %.9g", points[class - 1], points[class]);
    }
}

/* ---- what was simulated ---- */

static void print_length(FILE *out, const struct sim_limits *limits)
{
    const char *separator = " of ";
    char text[NUMBER_MAX];

    if (limits->passes > 0) {
        fprintf(out, "%s%s pass%s", separator, number_text((double)limits->passes, text),
                limits->passes == 1 ? "" : "es");
        separator = " or ";
    }
    if (limits->quanta > 0) {
        fprintf(out, "%s%s quanta", separator, number_text((double)limits->quanta, text));
        separator = " or ";
    }
    if (limits->time > 0) {
        fprintf(out, "%s%s units", separator, number_text(limits->time, text));
    }
}

void sim_print_plan(FILE *out, const struct sim_result *result,
                    const struct sim_replication_plan *plan)
{
    const struct sim_outcome *const outcome = &result->outcome;
    char text[NUMBER_MAX];

    fprintf(out, "%s: %zu replication%s", result->model.name, outcome->replications,
            outcome->replications == 1 ? "" : "s");
    print_length(out, &plan->limits);
    fprintf(out, ", seed %" PRIu64 "\n", plan->limits.seed);
    if (outcome->warm_up > 0) {
        fprintf(out, "left out: the first %s units of each%s\n",
                number_text(outcome->warm_up, text),
                outcome->warm_up_found ? " (found by MSER-5)" : "");
    }
    if (outcome->warm_up_doubtful) {
        fputs("replications are too short to find the end of the initial transient, so the\n"
              "intervals may be too narrow: use longer replications, or give --warm-up\n",
              out);
    }
    if (plan->precision > 0 && isnan(outcome->reached)) {
        fprintf(out,
                "precision: unknown, because the replications are too short; requested %.3g %%\n",
                PERCENT * plan->precision);
    } else if (plan->precision > 0) {
        fprintf(out, "precision: %.3g %% %s; requested %.3g %%\n", PERCENT * outcome->reached,
                outcome->precise ? "reached" : "is all that was reached",
                PERCENT * plan->precision);
    }
}

/* ---- general tables ---- */

static void print_stimuli(FILE *out, const struct sim_result *result)
{
    static const enum sim_measure quantiles[] = {SIM_STIMULUS_P50, SIM_STIMULUS_P90,
                                                 SIM_STIMULUS_P99, SIM_STIMULUS_P999};
    const struct sim_model *const model = &result->model;
    struct table table;

    if (model->stimulus_count == 0) {
        return;
    }
    table_open(&table, "lrrrrrrrr",
               "Stimulus\ttransit\t+-\tdeviation\tp50\tp90\tp99\tp99.9\tlongest");
    for (size_t i = 0; i < model->stimulus_count; i++) {
        const struct sim_distribution *const transit = &result->outcome.total.stimulus[i].transit;

        table_named_row(&table, model->stimuli[i].name);
        add_estimate(&table, result, SIM_STIMULUS_TRANSIT, i);
        add_mean(&table, result, SIM_STIMULUS_DEVIATION, i);
        double values[sizeof(quantiles) / sizeof(quantiles[0]) + 1];

        for (size_t j = 0; j < sizeof(quantiles) / sizeof(quantiles[0]); j++) {
            values[j] = sim_result_estimate(result, quantiles[j], i, 0).mean;
        }
        values[sizeof(quantiles) / sizeof(quantiles[0])] =
            transit->count > 0 ? transit->greatest : NAN;
        add_quantiles(&table, values, sizeof(values) / sizeof(values[0]));
    }
    table_print(&table, out, 0);
    for (size_t i = 0; i < model->stimulus_count; i++) {
        const struct sim_estimate missed = sim_result_estimate(result, SIM_STIMULUS_MISSED, i, 0);

        if (missed.count > 0) {
            fprintf(out, "%s: %.*f %% of the passes miss the deadline of %.9g, +- %.2g\n",
                    model->stimuli[i].name, decimals_of(&missed), missed.mean,
                    model->stimuli[i].deadline, missed.half);
        }
    }
    fputc('\n', out);
}

static void name_level(const struct sim_model *model, size_t at, char text[TABLE_CELL_MAX])
{
    const size_t processor = at / model->levels;

    if (model->processors > 1) {
        snprintf(text, TABLE_CELL_MAX, "%.30s@%.30s", model->level[at % model->levels],
                 model->processor[processor]);
    } else {
        snprintf(text, TABLE_CELL_MAX, "%.60s", model->level[at % model->levels]);
    }
}

static bool has_load(const struct sim_model *model, size_t at)
{
    return SEARCH_ANY(i, model->load_count,
                      model->loads[i].processor * model->levels + model->loads[i].level == at);
}

static void add_level(struct table *table, const struct sim_result *result, size_t at)
{
    const struct sim_estimate waiting = sim_result_estimate(result, SIM_LEVEL_WAITING, at, 0);
    char name[TABLE_CELL_MAX];

    name_level(&result->model, at, name);
    table_named_row(table, name);
    sim_cell(table, sim_result_estimate(result, SIM_LEVEL_QUANTA, at, 0).mean, 0);
    if (waiting.count > 0) {
        table_format(table, "%.*f %%", decimals_of(&waiting), waiting.mean);
    } else {
        table_text(table, NULL);
    }
    add_estimate(table, result, SIM_LEVEL_WAIT, at);
    add_mean(table, result, SIM_LEVEL_NONZERO, at);
    add_quantiles(table,
                  (const double[]){sim_result_estimate(result, SIM_LEVEL_WAIT_P90, at, 0).mean,
                                   sim_result_estimate(result, SIM_LEVEL_WAIT_P99, at, 0).mean},
                  2);
    add_mean(table, result, SIM_LEVEL_STAY, at);
}

/* Prints the levels with competing work, the most urgent first. */
static void print_levels(FILE *out, const struct sim_result *result)
{
    struct table table;

    if (result->model.load_count == 0) {
        return;
    }
    table_open(&table, "lrrrrrrrr",
               "Competing work\tquanta\twaiting\twait\t+-\tnon-zero\tp90\tp99\tstay");
    for (size_t i = result->model.processors * result->model.levels; i-- > 0;) {
        if (has_load(&result->model, i)) {
            add_level(&table, result, i);
        }
    }
    table_print(&table, out, 0);
    fputc('\n', out);
}

/* Prints the interval of each quantile. */
static void print_quantiles(FILE *out, const struct sim_result *result)
{
    const struct sim_outcome *const outcome = &result->outcome;
    bool too_short = false;
    struct table table;

    if (outcome->replications < 2) {
        return;
    }
    table_open(&table, "lrrr", "Quantile\ttime\tfrom\tto");
    for (size_t i = 0; i < outcome->statistics.count; i++) {
        const struct sim_statistic *const item = &outcome->statistics.item[i];
        const struct sim_estimate *const estimate = &outcome->estimate[i];

        if (sim_statistic_quantile(item, &outcome->total, &(double){0}) != NULL &&
            !isnan(estimate->mean)) {
            const double values[] = {estimate->mean, estimate->low, estimate->high};

            table_named_row(&table, item->name);
            add_quantiles(&table, values, estimate->too_short ? 1 : 3);
            if (estimate->too_short) {
                table_text(&table, "too short");
            }
            too_short = too_short || estimate->too_short;
        }
    }
    table_print(&table, out, 0);
    if (too_short) {
        print_wrapped(out,
                      "too short: so few independent values are beyond the quantile that no "
                      "interval would hold; use longer or more replications",
                      0, 0);
    }
    fputc('\n', out);
}

/* Returns the expected share of the time; none is expected if arrivals end with their trace. */
static double expected(const struct sim_model *model, size_t processor, size_t level)
{
    return sim_has_trace(model) ? NAN : PERCENT * sim_model_occupancy(model, processor, level);
}

/* Returns whether the model uses this processor. */
static bool is_used(const struct sim_model *model, size_t processor)
{
    for (size_t level = 0; level < model->levels; level++) {
        if (sim_level_used(model, processor, level)) {
            return true;
        }
    }
    return false;
}

static void add_station(struct table *table, const struct sim_result *result, size_t station)
{
    const struct sim_model *const model = &result->model;

    table_named_row(table, model->stations[station].name);
    sim_cell(table, sim_has_trace(model) ? NAN : PERCENT * sim_model_station_share(model, station),
             2);
    add_estimate(table, result, SIM_STATION_OCCUPANCY, station);
    table_text(table, "");
    add_mean(table, result, SIM_STATION_WAIT, station);
}

static void print_processors(FILE *out, const struct sim_result *result)
{
    const struct sim_model *const model = &result->model;
    struct table table;

    table_open(&table, "lrrrrr",
               "Work, percent\texpected\tsimulated\t+-\tpreempted\tportions wait");
    for (size_t i = 0; i < model->processors; i++) {
        struct sim_estimate busy = sim_result_estimate(result, SIM_PROCESSOR_IDLE, i, 0);

        if (model->station_count > 0 && !is_used(model, i)) {
            continue;
        }
        for (size_t level = model->levels; level-- > 0;) {
            const size_t at = i * model->levels + level;
            char name[TABLE_CELL_MAX];

            if (!sim_level_used(model, i, level)) {
                continue;
            }
            name_level(model, at, name);
            table_named_row(&table, name);
            sim_cell(&table, expected(model, i, level), 2);
            add_estimate(&table, result, SIM_LEVEL_OCCUPANCY, at);
            add_mean(&table, result, SIM_LEVEL_PREEMPTED, at);
            add_mean(&table, result, SIM_LEVEL_PORTION_WAIT, at);
        }
        busy.mean = PERCENT - busy.mean;
        table_row(&table);
        table_format(&table, "%s", model->processors > 1 ? model->processor[i] : "total");
        sim_cell(&table, expected(model, i, SIM_NONE), 2);
        sim_cells_of_estimate(&table, &busy);
        table_text(&table, "");
        table_text(&table, "");
    }
    for (size_t i = 0; i < model->station_count; i++) {
        add_station(&table, result, i);
    }
    table_print(&table, out, 0);
}

static void print_classes(FILE *out, const struct sim_result *result)
{
    const struct sim_model *const model = &result->model;
    struct table table;

    if (model->stimulus_count == 0 || result->outcome.total.stimulus[0].transit.point_count == 0) {
        return;
    }
    const struct sim_distribution *const transit = &result->outcome.total.stimulus[0].transit;
    double cumulative = 0;

    table_open(&table, "lrrr", "Time\tpercent\t+-\tcumulative");
    for (size_t i = 0; i <= transit->point_count; i++) {
        const struct sim_estimate share = sim_result_estimate(result, SIM_STIMULUS_CLASS, 0, i);
        char name[TABLE_CELL_MAX];

        sim_class_text(transit->point, transit->point_count, i, name);
        cumulative += share.mean;
        table_named_row(&table, name);
        sim_cells_of_estimate(&table, &share);
        sim_cell(&table, cumulative, decimals_of(&share));
    }
    table_print(&table, out, 0);
    fputc('\n', out);
}

void sim_print_result(FILE *out, const struct sim_result *result)
{
    print_stimuli(out, result);
    print_classes(out, result);
    print_levels(out, result);
    print_quantiles(out, result);
    print_processors(out, result);
    fputs("\n+- is half the 95 % interval of the mean, from and to are the ends of that of a\n"
          "quantile; times are in units of the model.\n"
          "preempted: number of times, for each quantum and portion. For definitions and more\n"
          "numbers use --definitions or --json.\n",
          out);
}

void sim_print_definitions(FILE *out, const struct sim_statistics *statistics)
{
    for (size_t i = 0; i < statistics->count; i++) {
        const struct sim_statistic *const item = &statistics->item[i];
        const int length = fprintf(out, "%s (%s): ", item->name, item->unit);

        print_wrapped(out, item->definition, length > 0 ? (size_t)length : 0, 4);
    }
}

#define TOLERANCE 1e-9

/* First table of Shub's section 5. The rows of preemptions appear twice, for each of the
 * definitions that the paper's one number may have. */
const struct paper_row paper_rows[PAPER_ROWS] = {
    {"Low priority quanta", SIM_LEVEL_QUANTA, 0, 0, 48297, 48418},
    {"Med priority quanta", SIM_LEVEL_QUANTA, 1, 0, 23789, 24145},
    {"Special Transit", SIM_STIMULUS_TRANSIT, 0, 3, 15.63, 15.82},
    {"Low average wait", SIM_LEVEL_WAIT, 0, 3, 1.837, 1.467},
    {" percent waiting", SIM_LEVEL_WAITING, 0, 2, 30.5, 25.4},
    {"Low non-zero avg", SIM_LEVEL_NONZERO, 0, 3, 6.017, 5.773},
    {"Medium avg wait", SIM_LEVEL_WAIT, 1, 3, 0.326, 0.260},
    {" percent waiting", SIM_LEVEL_WAITING, 1, 2, 10.1, 8.2},
    {"Medium non-zero", SIM_LEVEL_NONZERO, 1, 3, 3.228, 3.156},
    {"Preemptions (a)", SIM_PREEMPTIONS_STRICT, 0, 0, 9176, 9569},
    {"Preemptions (b)", SIM_PREEMPTIONS_WIDE, 0, 0, 9176, 9569},
    {"Avg Preempt (c)", SIM_PREEMPT_LENGTH, 0, 3, 4.695, 4.818},
    {"Avg Preempt (d)", SIM_PREEMPT_LOCK_OUT, 0, 3, 4.695, 4.818},
};

/* Second table of section 5. */
const double paper_classes[PAPER_CLASSES][2] = {
    {88.41, 87.19}, {9.89, 10.54}, {1.10, 1.49}, {0.46, 0.57}, {0.14, 0.19}, {0, 0.02}, {0, 0},
};

double paper_z(double paper, const struct sim_estimate *estimate)
{
    return estimate->deviation > 0 ? (paper - estimate->mean) / estimate->deviation : NAN;
}

/* ---- which model ---- */

bool paper_has_form(const struct sim_model *model)
{
    return model->is_paper && model->processors == 1 && model->levels == 2 &&
           model->stimulus_count == 1;
}

static bool near(double value, double wanted)
{
    return fabs(value - wanted) <= TOLERANCE * fabs(wanted);
}

static bool is_load(const struct sim_load *load, size_t level, double mean, double high,
                    double tail, double own)
{
    const struct sim_law *const law = &load->service;

    return load->level == level && law->kind == SIM_TAILED && near(law->mean, mean) &&
           near(law->high, high) && near(law->tail, tail) && fabs(load->own - own) < 1e-6;
}

bool paper_is_reconstruction(const struct sim_model *model)
{
    static const struct {
        double length;
        size_t level;
    } quanta[] = {{7.1, 0}, {5.5, 1}, {0.3, 0}};

    if (!paper_has_form(model) || model->load_count != 2 || model->passes != 10000 ||
        model->stimuli[0].stop_count != sizeof(quanta) / sizeof(quanta[0]) ||
        !near(model->delay_factor, 4)) {
        return false;
    }
    for (size_t i = 0; i < model->stimuli[0].stop_count; i++) {
        const struct sim_stop *const stop = &model->stimuli[0].stops[i];

        if (!near(stop->service.mean, quanta[i].length) || stop->level != quanta[i].level) {
            return false;
        }
    }
    const bool low_first = model->loads[0].level == 0;

    return is_load(&model->loads[low_first ? 0 : 1], 0, 2.2, 13, 0.15, 0.119690) &&
           is_load(&model->loads[low_first ? 1 : 0], 1, 1.5, 30, 0.03, 0.040311);
}

/* ---- the paper's tables ---- */

static void add_difference(struct table *table, double poisson, double uniform)
{
    const double difference = PERCENT * (uniform - poisson) / poisson;

    if (!isfinite(difference)) {
        table_text(table, NULL);
        return;
    }
    const double size = fabs(difference);

    table_format(table, "%.*f %% %s",
                 size < 0.995  ? 2
                 : size < 9.95 ? 1
                               : 0,
                 size, difference < 0 ? "less" : "more");
}

static void print_items(FILE *out, const struct sim_result *poisson,
                        const struct sim_result *uniform)
{
    struct table table;

    table_open(&table, "lrrrrr", "Item\tPoisson\tSE\tUniform\tSE\tDifference");
    for (size_t i = 0; i < PAPER_ROWS; i++) {
        const struct paper_row *const row = &paper_rows[i];
        const struct sim_estimate p = sim_result_estimate(poisson, row->measure, row->of, 0);
        const struct sim_estimate u = sim_result_estimate(uniform, row->measure, row->of, 0);

        table_named_row(&table, row->item);
        sim_cell(&table, p.mean, row->decimals);
        sim_cell(&table, p.deviation, row->decimals);
        sim_cell(&table, u.mean, row->decimals);
        sim_cell(&table, u.deviation, row->decimals);
        add_difference(&table, p.mean, u.mean);
    }
    table_print(&table, out, 0);
}

static void print_tails(FILE *out, const struct sim_result *poisson,
                        const struct sim_result *uniform)
{
    const struct sim_distribution *const transit = &poisson->outcome.total.stimulus[0].transit;
    const struct sim_result *const results[] = {poisson, uniform};
    double cumulative[2] = {0, 0};
    struct table table;

    table_open(&table, "lrrrrrr", "Time\tPoisson\tSE\tCumulative\tUniform\tSE\tCumulative");
    for (size_t class = 0; class <= transit->point_count; class ++) {
        char name[TABLE_CELL_MAX];

        sim_class_text(transit->point, transit->point_count, class, name);
        table_named_row(&table, name);
        for (size_t i = 0; i < 2; i++) {
            const struct sim_estimate share =
                sim_result_estimate(results[i], SIM_STIMULUS_CLASS, 0, class);

            cumulative[i] += share.mean;
            table_format(&table, "%.2f %%", share.mean);
            sim_cell(&table, share.deviation, 2);
            table_format(&table, "%.2f %%", cumulative[i]);
        }
    }
    table_print(&table, out, 0);
}

void paper_print(FILE *out, const struct sim_result *poisson, const struct sim_result *uniform)
{
    print_items(out, poisson, uniform);
    fputc('\n', out);
    print_wrapped(out,
                  "Difference: of Uniform from Poisson, in per cent of Poisson. SE: standard "
                  "deviation of one run over the replications.",
                  0, 0);
    fputc('\n', out);
    print_tails(out, poisson, uniform);
}

/* ---- comparison with the paper ---- */

static void add_comparison(struct table *table, double paper, const struct sim_estimate *estimate,
                           int paper_decimals, int decimals)
{
    const double z = paper_z(paper, estimate);

    sim_cell(table, paper, paper_decimals);
    sim_cell(table, estimate->mean, decimals);
    sim_cell(table, estimate->deviation, decimals);
    if (isnan(z)) {
        table_text(table, NULL);
        return;
    }
    table_format(table, "%+.1f", z);
    if (fabs(z) > PAPER_CONFLICT) {
        table_colour(table, COLOUR_DOUBTFUL);
    }
}

static void add_conflict(struct table *table, double poisson, double uniform)
{
    const bool p = fabs(poisson) > PAPER_CONFLICT;
    const bool u = fabs(uniform) > PAPER_CONFLICT;

    table_text(table, p && u ? "P, U" : p ? "P" : u ? "U" : "");
}

static void print_comparison_rows(struct table *table, const struct sim_result *poisson,
                                  const struct sim_result *uniform)
{
    for (size_t i = 0; i < PAPER_ROWS; i++) {
        const struct paper_row *const row = &paper_rows[i];
        const struct sim_estimate p = sim_result_estimate(poisson, row->measure, row->of, 0);
        const struct sim_estimate u = sim_result_estimate(uniform, row->measure, row->of, 0);
        const int decimals = row->measure == SIM_STIMULUS_TRANSIT ? 2
                             : row->measure == SIM_LEVEL_WAITING  ? 1
                                                                  : row->decimals;

        table_named_row(table, row->item);
        add_comparison(table, row->poisson, &p, decimals, row->decimals);
        add_comparison(table, row->uniform, &u, decimals, row->decimals);
        add_conflict(table, paper_z(row->poisson, &p), paper_z(row->uniform, &u));
    }
    for (size_t i = 0; i < PAPER_CLASSES; i++) {
        const struct sim_distribution *const transit = &poisson->outcome.total.stimulus[0].transit;
        const struct sim_estimate p = sim_result_estimate(poisson, SIM_STIMULUS_CLASS, 0, i);
        const struct sim_estimate u = sim_result_estimate(uniform, SIM_STIMULUS_CLASS, 0, i);
        char name[TABLE_CELL_MAX];

        sim_class_text(transit->point, transit->point_count, i, name);
        strcat(name, " %");
        table_named_row(table, name);
        add_comparison(table, paper_classes[i][0], &p, 2, 2);
        add_comparison(table, paper_classes[i][1], &u, 2, 2);
        add_conflict(table, paper_z(paper_classes[i][0], &p), paper_z(paper_classes[i][1], &u));
    }
}

void paper_print_comparison(FILE *out, const struct sim_result *poisson,
                            const struct sim_result *uniform)
{
    struct table table;

    print_wrapped(
        out,
        "Columns of Poisson arrivals first, then of Uniform. z = (paper - model) / SE. A cell is "
        "in conflict if |z| is above 3, in the Poisson column (P) or the Uniform column (U).",
        0, 0);
    fputc('\n', out);
    table_open(&table, "lrrrrrrrrl", "\tpaper\tmodel\tSE\tz\tpaper\tmodel\tSE\tz\tconflict");
    print_comparison_rows(&table, poisson, uniform);
    table_print(&table, out, 0);
    fputc('\n', out);
    print_wrapped(
        out,
        "The inputs are a reconstruction, because the paper does not state them. No inputs and no "
        "rule that were tried reproduce the cells in conflict together with the others:",
        0, 0);
    print_wrapped(out,
                  "- Transit and tail of Uniform: in the paper uniform arrivals make the stimulus "
                  "slower than Poisson arrivals, in every model slightly faster. The paper's "
                  "conclusion, that the tails differ very little, holds.",
                  0, 2);
    print_wrapped(out,
                  "- Preemptions: count and average do not follow one definition. (b) reproduces "
                  "the count, (d) the average; count times average is more than all the time in "
                  "which medium work runs while low work is present.",
                  0, 2);
}

void paper_print_definitions(FILE *out)
{
    static const char *const marked[] = {
        "(a) busy periods of medium work that begin with low work in service or in line",
        "(b) those, and busy periods in which a later medium quantum begins while low work is "
        "present",
        "(c) mean length of the periods (a)",
        "(d) time of medium work while low work is present, divided by the number (a)",
    };

    print_wrapped(out,
                  "Quanta of a level are those of competing work whose service began. A wait is "
                  "the time from arrival to the first service; preempted time is not wait. Percent "
                  "waiting: of all quanta; non-zero: mean of those that wait. Transit: from the "
                  "stimulus to the end of its last quantum.",
                  0, 0);
    for (size_t i = 0; i < sizeof(marked) / sizeof(marked[0]); i++) {
        print_wrapped(out, marked[i], 0, 4);
    }
}

#define DECIMALS 9

static void write_plan(struct json *json, const struct sim_replication_plan *plan)
{
    json_unsigned(json, "seed", plan->limits.seed);
    if (plan->limits.passes > 0) {
        json_unsigned(json, "passes", plan->limits.passes);
    }
    if (plan->limits.quanta > 0) {
        json_unsigned(json, "quanta", plan->limits.quanta);
    }
    if (plan->limits.time > 0) {
        json_number(json, "time", plan->limits.time, DECIMALS);
    }
    if (plan->precision > 0) {
        json_number(json, "precision", plan->precision, DECIMALS);
    }
}

static void write_statistic(struct json *json, const struct sim_statistic *statistic,
                            const struct sim_estimate *estimate, bool quantile)
{
    json_object(json, NULL);
    JSON_TEXTS(json, {"name", statistic->name}, {"unit", statistic->unit},
               {"definition", statistic->definition});
    json_unsigned(json, "n", estimate->count);
    JSON_NUMBERS(json, DECIMALS, {"mean", estimate->mean}, {"low", estimate->low},
                 {"high", estimate->high});
    if (quantile) {
        json_bool(json, "too_short", estimate->too_short);
    }
    json_number(json, "deviation", estimate->deviation, DECIMALS);
    json_number(json, "error", estimate->error, DECIMALS);
    json_close(json);
}

static void write_result(struct json *json, const struct sim_result *result,
                         const struct sim_replication_plan *plan)
{
    const struct sim_outcome *const outcome = &result->outcome;
    char *const text = sim_model_text(&result->model);

    json_object(json, NULL);
    json_text(json, "arrivals", result->arrivals);
    json_text(json, "model", text);
    json_unsigned(json, "replications", outcome->replications);
    json_number(json, "warm_up", outcome->warm_up, DECIMALS);
    json_bool(json, "warm_up_found", outcome->warm_up_found);
    if (outcome->warm_up_found) {
        json_bool(json, "warm_up_doubtful", outcome->warm_up_doubtful);
    }
    if (plan->precision > 0) {
        json_bool(json, "precise", outcome->precise);
        json_number(json, "reached", outcome->reached, DECIMALS);
    }
    json_unsigned(json, "events", outcome->total.events);
    json_array(json, "statistics");
    for (size_t i = 0; i < outcome->statistics.count; i++) {
        const struct sim_statistic *const item = &outcome->statistics.item[i];
        const bool quantile = sim_statistic_quantile(item, &outcome->total, &(double){0}) != NULL;

        write_statistic(json, item, &outcome->estimate[i], quantile);
    }
    json_close(json);
    json_close(json);
    free(text);
}

void sim_json_start(struct json *json, FILE *out, const struct sim_replication_plan *plan,
                    const struct sim_result *results, size_t count)
{
    json_start(json, out);
    json_object(json, NULL);
    JSON_TEXTS(json, {"schema", "tare sim"}, {"version", TARE_VERSION},
               {"name", results[0].model.name});
    write_plan(json, plan);
    json_array(json, "results");
    for (size_t i = 0; i < count; i++) {
        write_result(json, &results[i], plan);
    }
    json_close(json);
}

/* ---- the paper's tables as JSON ---- */

static void write_cell(struct json *json, const char *item, const struct sim_result *result,
                       enum sim_measure measure, size_t of, size_t point, double paper)
{
    const struct sim_estimate estimate = sim_result_estimate(result, measure, of, point);
    const double z = paper_z(paper, &estimate);

    json_object(json, NULL);
    json_text(json, "item", item);
    json_text(json, "arrivals", result->arrivals);
    JSON_NUMBERS(json, DECIMALS, {"paper", paper}, {"model", estimate.mean},
                 {"deviation", estimate.deviation}, {"z", z});
    json_bool(json, "conflict", fabs(z) > PAPER_CONFLICT);
    json_close(json);
}

void sim_json_paper(struct json *json, const struct sim_result *poisson,
                    const struct sim_result *uniform)
{
    const struct sim_distribution *const transit = &poisson->outcome.total.stimulus[0].transit;

    json_array(json, "paper");
    for (size_t i = 0; i < PAPER_ROWS; i++) {
        const struct paper_row *const row = &paper_rows[i];

        write_cell(json, row->item, poisson, row->measure, row->of, 0, row->poisson);
        write_cell(json, row->item, uniform, row->measure, row->of, 0, row->uniform);
    }
    for (size_t i = 0; i < PAPER_CLASSES; i++) {
        char item[TABLE_CELL_MAX];

        sim_class_text(transit->point, transit->point_count, i, item);
        write_cell(json, item, poisson, SIM_STIMULUS_CLASS, 0, i, paper_classes[i][0]);
        write_cell(json, item, uniform, SIM_STIMULUS_CLASS, 0, i, paper_classes[i][1]);
    }
    json_close(json);
}
