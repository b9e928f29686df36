/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/paper_tables.h"

#include <math.h>
#include <string.h>

#define PERCENT   100
#define TOLERANCE 1e-9

/* Shub, section 5, first table; the rows of preemptions are there twice, for each of the
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

/* Section 5, second table. */
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
    static const char *const heads[] = {"Item", "Poisson", "SE", "Uniform", "SE", "Difference"};
    struct table table;

    table_head(&table, "lrrrrr", heads);
    for (size_t i = 0; i < PAPER_ROWS; i++) {
        const struct paper_row *const row = &paper_rows[i];
        const struct sim_estimate p = sim_result_estimate(poisson, row->measure, row->of, 0);
        const struct sim_estimate u = sim_result_estimate(uniform, row->measure, row->of, 0);

        table_row(&table);
        table_text(&table, row->item);
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
    static const char *const heads[] = {"Time",    "Poisson", "SE",        "Cumulative",
                                        "Uniform", "SE",      "Cumulative"};
    const struct sim_distribution *const transit = &poisson->outcome.total.stimulus[0].transit;
    const struct sim_result *const results[] = {poisson, uniform};
    double cumulative[2] = {0, 0};
    struct table table;

    table_head(&table, "lrrrrrr", heads);
    for (size_t class = 0; class <= transit->point_count; class ++) {
        char name[TABLE_CELL_MAX];

        sim_class_text(transit->point, transit->point_count, class, name);
        table_row(&table);
        table_text(&table, name);
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
                  "Difference: of Uniform from Poisson, in percent of Poisson. SE: standard "
                  "deviation of one run over the replications.",
                  0, 0);
    fputc('\n', out);
    print_tails(out, poisson, uniform);
}

/* ---- beside the paper ---- */

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

        table_row(table);
        table_text(table, row->item);
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
        table_row(table);
        table_text(table, name);
        add_comparison(table, paper_classes[i][0], &p, 2, 2);
        add_comparison(table, paper_classes[i][1], &u, 2, 2);
        add_conflict(table, paper_z(paper_classes[i][0], &p), paper_z(paper_classes[i][1], &u));
    }
}

void paper_print_comparison(FILE *out, const struct sim_result *poisson,
                            const struct sim_result *uniform)
{
    static const char *const heads[] = {"",      "paper", "model", "SE", "z",
                                        "paper", "model", "SE",    "z",  "conflict"};
    struct table table;

    print_wrapped(out,
                  "First Poisson's column, then Uniform's. z = (paper - model) / SE. In conflict "
                  "is what has |z| above 3, in Poisson's column (P) or in Uniform's (U).",
                  0, 0);
    fputc('\n', out);
    table_head(&table, "lrrrrrrrrl", heads);
    print_comparison_rows(&table, poisson, uniform);
    table_print(&table, out, 0);
    fputc('\n', out);
    print_wrapped(
        out,
        "The inputs are a reconstruction: the paper does not state them. No inputs and no "
        "rule that were tried meet the cells in conflict along with the others:",
        0, 0);
    print_wrapped(out,
                  "- Uniform's transit and tail: in the paper uniform arrivals make the stimulus "
                  "slower than Poisson ones do, in every model a little faster. The paper's "
                  "conclusion, very little difference between the tails, holds.",
                  0, 2);
    print_wrapped(out,
                  "- Preemptions: count and average are not of one definition. (b) meets the "
                  "count, (d) the average; count times average is more than all the time that "
                  "medium work runs with low work there.",
                  0, 2);
}

void paper_print_definitions(FILE *out)
{
    static const char *const marked[] = {
        "(a) busy periods of medium work that begin with low work in service or in line",
        "(b) those, and such in which a later medium quantum begins with low work there",
        "(c) mean length of the periods (a)",
        "(d) time of medium work while low work is there, divided by the number (a)",
    };

    print_wrapped(
        out,
        "Quanta of a level are those of competing work that began to be served. A wait is "
        "the time from arrival to the first service: time preempted is none. Percent "
        "waiting: of all quanta; non-zero: mean of those that wait. Transit: from the "
        "stimulus to the end of its last quantum.",
        0, 0);
    for (size_t i = 0; i < sizeof(marked) / sizeof(marked[0]); i++) {
        print_wrapped(out, marked[i], 0, 4);
    }
}
