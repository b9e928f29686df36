/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare sim of a model of `delay` statements: the overall response as a sum of delays.
 */
#include <math.h>
#include <stdlib.h>

#include "kernel/plan/version.h"
#include "tools/base/alloc.h"
#include "tools/base/json.h"
#include "tools/base/table.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/tare_sim.h"
#include "tools/sim/engine/convolution.h"
#include "tools/sim/results/sim_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define VALUES        10000 /* of the run file, each of the same probability */
#define TIME_DECIMALS 9
#define P_DECIMALS    12

struct sum_of_delays {
    const struct sim_options *options;
    const struct sim_model *model;
    struct convolution convolution;
    struct convolution_sum sum;
};

static const double levels[] = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999};

/* ---- text ---- */

static void print_delays(const struct sum_of_delays *delays)
{
    static const char *const heads[] = {"delay", "times", "mean", "variance"};
    struct table table;

    table_head(&table, "lrrr", heads);
    for (size_t i = 0; i < SIM_DELAY_PARTS; i++) {
        const struct convolution_part *const part = &delays->convolution.part[i];

        if (part->count > 0) {
            table_row(&table);
            table_text(&table, sim_delay_names[i]);
            table_format(&table, "%zu", part->times);
            table_format(&table, "%.4f", convolution_part_mean(part));
            table_format(&table, "%.4f", convolution_part_variance(part));
        }
    }
    table_row(&table);
    table_text(&table, "sum");
    table_text(&table, "");
    table_format(&table, "%.4f", delays->sum.mean);
    table_format(&table, "%.4f", delays->sum.variance);
    table_print(&table, stdout, 2);
}

static void print_curve(const struct convolution_sum *sum)
{
    static const char *const heads[] = {"part below", "time"};
    struct table table;

    printf("\n  of the curve: mean %.6f, variance %.6f, error at most about %.1e\n",
           sum->curve_mean, sum->curve_variance, sum->error);
    if (sum->moved > 0) {
        printf("  no step divides the values: sums are less than %.2g from their places\n",
               sum->moved);
    }
    putchar('\n');
    table_head(&table, "rr", heads);
    for (size_t i = 0; i < COUNT(levels); i++) {
        table_row(&table);
        table_format(&table, "%g %%", 100 * levels[i]);
        table_format(&table, "%.4f", convolution_quantile(sum, levels[i]));
    }
    table_print(&table, stdout, 2);
}

static void print_points(const struct sum_of_delays *delays)
{
    static const char *const heads[] = {"time", "P(sum <= time)", "P(sum > time)", "P(sum = time)",
                                        "error"};
    struct table table;

    table_head(&table, "rrrrr", heads);
    for (size_t i = 0; i < delays->options->class_count; i++) {
        const double at = delays->options->classes[i];
        double doubt;
        const double below = convolution_below(&delays->sum, at, &doubt);

        table_row(&table);
        table_format(&table, "%.10g", at);
        table_format(&table, "%.10f", below);
        table_format(&table, "%.10f", 1 - below);
        table_format(&table, "%.10f", convolution_mass(&delays->sum, at));
        table_format(&table, "%.0e", doubt);
    }
    putchar('\n');
    table_print(&table, stdout, 2);
}

/* ---- JSON ---- */

static void print_json(const struct sum_of_delays *delays)
{
    const struct convolution_sum *const sum = &delays->sum;
    struct json json;

    json_start(&json, stdout);
    json_object(&json, NULL);
    json_text(&json, "schema", "tare sim delays");
    json_text(&json, "version", TARE_VERSION);
    json_text(&json, "name", delays->model->name);
    json_number(&json, "unit_ns", delays->model->unit_ns, TIME_DECIMALS);
    json_number(&json, "mean", sum->mean, TIME_DECIMALS);
    json_number(&json, "variance", sum->variance, TIME_DECIMALS);
    json_number(&json, "error", sum->error, 15);
    json_array(&json, "quantiles");
    for (size_t i = 0; i < COUNT(levels); i++) {
        json_object(&json, NULL);
        json_number(&json, "p", levels[i], 4);
        json_number(&json, "time", convolution_quantile(sum, levels[i]), TIME_DECIMALS);
        json_close(&json);
    }
    json_close(&json);
    json_array(&json, "at");
    for (size_t i = 0; i < delays->options->class_count; i++) {
        const double at = delays->options->classes[i];
        double doubt;

        json_object(&json, NULL);
        json_number(&json, "time", at, TIME_DECIMALS);
        json_number(&json, "below", convolution_below(sum, at, &doubt), P_DECIMALS);
        json_number(&json, "mass", convolution_mass(sum, at), P_DECIMALS);
        json_number(&json, "error", doubt, 15);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

/* ---- the run file ---- */

static int store(const struct sum_of_delays *delays)
{
    int64_t *const values = alloc_zeroed(VALUES * sizeof(*values));
    struct run run;

    for (size_t i = 0; i < VALUES; i++) {
        const double p = ((double)i + 0.5) / VALUES;

        values[i] = llround(convolution_quantile(&delays->sum, p) * delays->model->unit_ns);
    }
    run_init(&run);
    sim_run_describe(&run, delays->model, delays->options->model, "");
    sim_run_responses(&run, delays->model, values, VALUES);
    const int status = sim_run_store(&run, delays->options->output);

    run_free(&run);
    return status;
}

int sim_delays_command(const struct sim_options *options, const struct sim_model *model)
{
    struct sum_of_delays delays = {.options = options, .model = model};
    int status = COMMAND_OK;

    if (!sim_options_suit_delays(options)) {
        return COMMAND_USAGE;
    }
    convolution_of(&delays.convolution, model);
    convolution_solve(&delays.convolution, options->classes, options->class_count, &delays.sum);
    if (options->output != NULL) {
        status = store(&delays);
    } else if (options->json) {
        print_json(&delays);
    } else {
        print_delays(&delays);
        print_curve(&delays.sum);
        if (options->class_count > 0) {
            print_points(&delays);
        }
    }
    convolution_sum_free(&delays.sum);
    convolution_free(&delays.convolution);
    return status;
}
