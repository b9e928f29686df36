/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare sim: the response-time model.
 */
#include "tools/cmd/tare_sim.h"

#include <string.h>

#include "tools/base/colour.h"
#include "tools/cmd/commands.h"
#include "tools/sim/results/paper_tables.h"
#include "tools/sim/results/results_json.h"
#include "tools/sim/results/tables.h"

static const char help[] =
    "usage: tare sim [OPTION]... MODEL\n"
    "       tare sim convolve [--at T,...] [--check N] [--svg FILE] [--json] FILE\n"
    "\n"
    "Simulates the time from a stimulus to its response on processors with priorities\n"
    "and competing work (Shub, \"On Determining the Distribution of Software Response\n"
    "Times\"), and prints mean, spread and tail. MODEL is the paper's five-part input,\n"
    "or a text with names; - is standard input.\n"
    "\n"
    "For the paper's input it prints the paper's tables, Poisson and uniform arrivals\n"
    "side by side; for the reconstruction of the paper's run, each cell beside the\n"
    "paper's. All numbers are means over independent replications; the same seed\n"
    "gives the same numbers on any number of processors.\n"
    "\n"
    "Model\n"
    "  --set NAME=VALUE   override a value of the model: occupancy.LEVEL, occupancy,\n"
    "                     passes, unit (ns), delay, delay.factor, scale.LEVEL,\n"
    "                     work.STIMULUS, overhead.NAME; occupancies are fractions,\n"
    "                     such as 0.3\n"
    "  --arrivals KIND    arrivals of competing work: poisson, uniform (from 0 to\n"
    "                     twice the mean), or both\n"
    "  --overheads RUN.db add the overheads of the machine, as bench model measured\n"
    "                     them in this run\n"
    "\n"
    "Length\n"
    "  --passes N         end a replication after N passes of the first stimulus\n"
    "                     (default: the model's number)\n"
    "  --quanta N         or after N quanta of competing work (100000 if the model\n"
    "                     has no stimulus)\n"
    "  --time T           or at model time T\n"
    "  --warm-up T        discard everything before T; auto finds T by MSER-5\n"
    "                     (default auto; 0 for the paper's input and if arrivals are\n"
    "                     listed)\n"
    "  --replications N   number of replications (30; 300 for the paper's input)\n"
    "  --precision PCT    add replications, up to 100 times as many, until half the\n"
    "                     95 % interval is at most PCT per cent of the mean\n"
    "  --of NAME          the statistic of --precision (the first stimulus's transit)\n"
    "  --seed N           seed of the random numbers (1)\n"
    "  --jobs N           number of threads (default: number of processors)\n"
    "\n"
    "Output\n"
    "  --classes T,...    also print the share of transit times between these bounds\n"
    "  --definitions      also print the definition of each statistic\n"
    "  --json             print one object with everything\n"
    "  -o, --output FILE  write a run file, for tare show, report and compare\n"
    "  --trace            with all events of its replication as a trace, for tare show\n"
    "                     --threads, --delays and tare export\n"
    "\n"
    "Other modes\n"
    "  --program          print the program that the image would play\n"
    "  --help             this text\n"
    "\n"
    "Sums of delays: tare sim convolve FILE\n"
    "  The distribution of the sum of the delays in FILE, with its error: arrival,\n"
    "  departure, transmission, processing and contention. Options: --json, and\n"
    "  --at T,...         also print P(sum <= T)\n"
    "  --check N          check the result against N random sums (--seed)\n"
    "  --svg FILE         also write the curve as a picture\n"
    "\n"
    "Exit status: 0 done; 1 the model is refused, or a curve and random sums differ;\n"
    "2 wrong usage.\n";

#define RESULTS_MAX 2

/* ---- simulation ---- */

static bool is_both(const struct sim_options *options, const struct sim_model *model)
{
    return options->both || (model->is_paper && !options->has_column);
}

static void free_results(struct sim_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sim_outcome_free(&results[i].outcome);
        sim_model_free(&results[i].model);
    }
}

/* One result, or one for each kind of arrivals. 0: it failed, and an error has been printed. */
static size_t simulate(const struct sim_options *options, const struct sim_model *model,
                       const struct sim_replication_plan *plan,
                       struct sim_result results[RESULTS_MAX])
{
    static const char *const names[] = {
        [SIM_POISSON_ARRIVALS] = "poisson", [SIM_UNIFORM_ARRIVALS] = "uniform"};
    const size_t count = is_both(options, model) ? RESULTS_MAX : 1;

    for (size_t i = 0; i < count; i++) {
        const enum sim_column column = count > 1 ? (enum sim_column)i : options->column;
        const bool named = count > 1 || options->has_column;
        struct sim_result *const result = &results[i];
        char error[SIM_LAW_ERROR_MAX];

        result->arrivals = named ? names[column] : NULL;
        sim_model_copy(&result->model, model);
        if (named) {
            sim_model_arrive(&result->model, column);
        }
        if (!sim_replicate(&result->model, plan, &result->outcome, error)) {
            command_failure(&command_sim, "%s: %s", model->name, error);
            sim_model_free(&result->model);
            free_results(results, i);
            return 0;
        }
    }
    return count;
}

/* Is the paper's table printed beside these results? */
static bool is_beside_paper(const struct sim_options *options, const struct sim_result *results,
                            size_t count)
{
    return count > 1 && options->class_count == 0 && paper_is_reconstruction(&results[0].model);
}

static void print_json(const struct sim_options *options, const struct sim_replication_plan *plan,
                       const struct sim_result *results, size_t count)
{
    struct json json;

    sim_json_start(&json, stdout, plan, results, count);
    if (is_beside_paper(options, results, count)) {
        sim_json_paper(&json, &results[0], &results[1]);
    }
    json_close(&json);
}

static void print_paper(const struct sim_options *options, const struct sim_result *results)
{
    paper_print(stdout, &results[0], &results[1]);
    if (is_beside_paper(options, results, RESULTS_MAX)) {
        fputc('\n', stdout);
        colour_text(stdout, COLOUR_HEAD, "Beside the paper");
        fputs("\n\n", stdout);
        paper_print_comparison(stdout, &results[0], &results[1]);
    }
    fputc('\n', stdout);
    colour_text(stdout, COLOUR_HEAD, "Definitions");
    fputs("\n\n", stdout);
    paper_print_definitions(stdout);
}

static void print_tables(const struct sim_options *options, const struct sim_replication_plan *plan,
                         const struct sim_result *results, size_t count)
{
    sim_print_plan(stdout, &results[0], plan);
    if (count > 1 && paper_has_form(&results[0].model)) {
        fputc('\n', stdout);
        print_paper(options, results);
    } else {
        for (size_t i = 0; i < count; i++) {
            if (results[i].arrivals != NULL) {
                printf("arrivals: %s\n", results[i].arrivals);
            }
            fputc('\n', stdout);
            sim_print_result(stdout, &results[i]);
        }
    }
    if (options->definitions) {
        fputc('\n', stdout);
        sim_print_definitions(stdout, &results[0].outcome.statistics);
    }
}

static int simulate_command(const struct sim_options *options)
{
    struct sim_result results[RESULTS_MAX];
    struct sim_replication_plan plan;
    struct sim_model model;

    if (!sim_options_load(options, &model)) {
        return COMMAND_FAILED;
    }
    sim_options_plan(options, &model, &plan);
    const size_t count = simulate(options, &model, &plan, results);

    if (count > 0 && options->json) {
        print_json(options, &plan, results, count);
    } else if (count > 0) {
        print_tables(options, &plan, results, count);
    }
    free_results(results, count);
    sim_model_free(&model);
    return count > 0 ? COMMAND_OK : COMMAND_FAILED;
}

/* ---- the command ---- */

static int sim_main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "convolve") == 0) {
        return sim_convolve_command(argc - 1, argv + 1);
    }
    struct sim_options options;
    const int status = sim_options_read(&options, argc, argv);

    if (status != COMMAND_OK) {
        return status;
    }
    if (options.program) {
        return sim_program_command(&options);
    }
    if (options.output != NULL) {
        return sim_run_command(&options);
    }
    return simulate_command(&options);
}

const struct command command_sim = {
    .name = "sim",
    .summary = "simulate the response times of a model of software",
    .help = help,
    .main = sim_main,
    .is_long = true,
};
