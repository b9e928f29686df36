/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/tables.h"

#include <inttypes.h>
#include <math.h>

#define PERCENT           100
#define DIGITS_MAX        6
#define DECIMALS_EXACT    3 /* of a value that never varies */
#define DECIMALS_QUANTILE 2

/* ---- cells ---- */

struct sim_estimate sim_result_estimate(const struct sim_result *result, enum sim_measure measure,
                                        size_t of, size_t point)
{
    const size_t index = sim_statistic_of(&result->outcome.statistics, measure, of, point);

    return index != SIM_NONE
               ? result->outcome.estimate[index]
               : (struct sim_estimate){.mean = NAN, .deviation = NAN, .error = NAN, .half = NAN};
}

void sim_cell(struct table *table, double value, int decimals)
{
    if (isnan(value)) {
        table_text(table, NULL);
    } else {
        table_format(table, "%.*f", decimals, value);
    }
}

/* Two digits of an uncertainty, and not more than six of the value. */
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

/* Of quantiles: three digits of the least that is not 0 (classes know no more), but not more than
 * six of the greatest, and two behind the point at least. NAN: none. */
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

/* A mean, and in the next cell the half width of its interval, both to two digits of that. */
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

/* Only the mean. */
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

/* ---- what was done ---- */

static void print_length(FILE *out, const struct sim_limits *limits)
{
    const char *separator = " of ";

    if (limits->passes > 0) {
        fprintf(out, "%s%" PRIu64 " pass%s", separator, limits->passes,
                limits->passes == 1 ? "" : "es");
        separator = " or ";
    }
    if (limits->quanta > 0) {
        fprintf(out, "%s%" PRIu64 " quanta", separator, limits->quanta);
        separator = " or ";
    }
    if (limits->time > 0) {
        fprintf(out, "%s%.9g units", separator, limits->time);
    }
}

void sim_print_plan(FILE *out, const struct sim_result *result,
                    const struct sim_replication_plan *plan)
{
    const struct sim_outcome *const outcome = &result->outcome;

    fprintf(out, "%s: %zu replication%s", result->model.name, outcome->replications,
            outcome->replications == 1 ? "" : "s");
    print_length(out, &plan->limits);
    fprintf(out, ", seed %" PRIu64 "\n", plan->limits.seed);
    if (outcome->warm_up > 0) {
        fprintf(out, "left out: the first %.6g units of each%s\n", outcome->warm_up,
                outcome->warm_up_found ? " (found by MSER-5)" : "");
    }
    if (outcome->warm_up_doubtful) {
        fputs("replications are too short to find how long the start takes, and intervals too\n"
              "narrow: take longer ones, or give --warm-up\n",
              out);
    }
    if (plan->precision > 0) {
        fprintf(out, "precision: %.3g %% %s; %.3g %% was asked for\n", PERCENT * outcome->reached,
                outcome->precise ? "reached" : "is all that was reached",
                PERCENT * plan->precision);
    }
}

/* ---- general tables ---- */

static void print_stimuli(FILE *out, const struct sim_result *result)
{
    static const char *const heads[] = {"Stimulus", "transit", "+-",    "deviation", "p50",
                                        "p90",      "p99",     "p99.9", "longest"};
    static const double quantiles[] = {0.5, 0.9, 0.99, 0.999};
    const struct sim_model *const model = &result->model;
    struct table table;

    if (model->stimulus_count == 0) {
        return;
    }
    table_head(&table, "lrrrrrrrr", heads);
    for (size_t i = 0; i < model->stimulus_count; i++) {
        const struct sim_distribution *const transit = &result->outcome.total.stimulus[i].transit;

        table_row(&table);
        table_text(&table, model->stimuli[i].name);
        add_estimate(&table, result, SIM_STIMULUS_TRANSIT, i);
        add_mean(&table, result, SIM_STIMULUS_DEVIATION, i);
        double values[sizeof(quantiles) / sizeof(quantiles[0]) + 1];

        for (size_t j = 0; j < sizeof(quantiles) / sizeof(quantiles[0]); j++) {
            values[j] = sim_quantile_known(transit, quantiles[j]);
        }
        values[sizeof(quantiles) / sizeof(quantiles[0])] =
            transit->count > 0 ? transit->greatest : NAN;
        add_quantiles(&table, values, sizeof(values) / sizeof(values[0]));
    }
    table_print(&table, out, 0);
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
    for (size_t i = 0; i < model->load_count; i++) {
        if (model->loads[i].processor * model->levels + model->loads[i].level == at) {
            return true;
        }
    }
    return false;
}

static void add_level(struct table *table, const struct sim_result *result, size_t at)
{
    const struct sim_estimate waiting = sim_result_estimate(result, SIM_LEVEL_WAITING, at, 0);
    char name[TABLE_CELL_MAX];

    name_level(&result->model, at, name);
    table_row(table);
    table_text(table, name);
    sim_cell(table, sim_result_estimate(result, SIM_LEVEL_QUANTA, at, 0).mean, 0);
    if (waiting.count > 0) {
        table_format(table, "%.*f %%", decimals_of(&waiting), waiting.mean);
    } else {
        table_text(table, NULL);
    }
    add_estimate(table, result, SIM_LEVEL_WAIT, at);
    add_mean(table, result, SIM_LEVEL_NONZERO, at);
    const struct sim_distribution *const wait = &result->outcome.total.level[at].wait;

    add_quantiles(
        table, (const double[]){sim_quantile_known(wait, 0.9), sim_quantile_known(wait, 0.99)}, 2);
    add_mean(table, result, SIM_LEVEL_STAY, at);
}

/* Those with competing work, the most urgent first. */
static void print_levels(FILE *out, const struct sim_result *result)
{
    static const char *const heads[] = {"Competing work", "quanta", "waiting", "wait", "+-",
                                        "non-zero",       "p90",    "p99",     "stay"};
    struct table table;

    if (result->model.load_count == 0) {
        return;
    }
    table_head(&table, "lrrrrrrrr", heads);
    for (size_t i = result->model.processors * result->model.levels; i-- > 0;) {
        if (has_load(&result->model, i)) {
            add_level(&table, result, i);
        }
    }
    table_print(&table, out, 0);
    fputc('\n', out);
}

/* Of arrivals that end with their trace no share of the time is expected. */
static double expected(const struct sim_model *model, size_t processor, size_t level)
{
    return sim_has_trace(model) ? NAN : PERCENT * sim_model_occupancy(model, processor, level);
}

/* Does anything of the model need this processor? */
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

    table_row(table);
    table_text(table, model->stations[station].name);
    sim_cell(table, sim_has_trace(model) ? NAN : PERCENT * sim_model_station_share(model, station),
             2);
    add_estimate(table, result, SIM_STATION_OCCUPANCY, station);
    table_text(table, "");
    add_mean(table, result, SIM_STATION_WAIT, station);
}

static void print_processors(FILE *out, const struct sim_result *result)
{
    static const char *const heads[] = {"Work, percent", "expected",     "simulated", "+-",
                                        "preempted",     "portions wait"};
    const struct sim_model *const model = &result->model;
    struct table table;

    table_head(&table, "lrrrrr", heads);
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
            table_row(&table);
            table_text(&table, name);
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
    static const char *const heads[] = {"Time", "percent", "+-", "cumulative"};
    const struct sim_model *const model = &result->model;
    struct table table;

    if (model->stimulus_count == 0 || result->outcome.total.stimulus[0].transit.point_count == 0) {
        return;
    }
    const struct sim_distribution *const transit = &result->outcome.total.stimulus[0].transit;
    double cumulative = 0;

    table_head(&table, "lrrr", heads);
    for (size_t i = 0; i <= transit->point_count; i++) {
        const struct sim_estimate share = sim_result_estimate(result, SIM_STIMULUS_CLASS, 0, i);
        char name[TABLE_CELL_MAX];

        sim_class_text(transit->point, transit->point_count, i, name);
        cumulative += share.mean;
        table_row(&table);
        table_text(&table, name);
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
    print_processors(out, result);
    fputs("\n+- is half the 95 % interval of the mean; times are in units of the model.\n"
          "preempted: times, of each quantum and portion. What each number is, and more of\n"
          "them: --definitions, --json.\n",
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
