/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare sim: the response-time model.
 */
#include "tools/cmd/tare_sim.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "tools/base/colour.h"
#include "tools/base/progress.h"
#include "tools/cmd/commands.h"
#include "tools/sim/model/program.h"
#include "tools/sim/results/paper_tables.h"
#include "tools/sim/results/results_json.h"
#include "tools/sim/results/tables.h"
#include "tools/store/runfile.h"

#define PERCENT              100
#define PRECISION_MIN        1e-9
#define JOBS_MAX             1024
#define REPLICATIONS_MAX     100000
#define PASSES_MAX           (UINT64_C(1) << 53) /* as of a model */
#define PRECISION_ROUNDS     100                 /* of as many replications as the first */
#define REPLICATIONS_DEFAULT 30
#define REPLICATIONS_PAPER   300
#define QUANTA_DEFAULT       100000 /* of a model without a stimulus */
#define RESULTS_MAX          2

static const char about[] =
    "usage: tare sim [OPTION]... MODEL\n"
    "\n"
    "Simulates the time from a stimulus to its response on processors with priorities\n"
    "and competing work (Shub, \"On Determining the Distribution of Software Response\n"
    "Times\"), and prints mean, spread and tail. MODEL is the paper's five-part input,\n"
    "or a text with names; - is standard input.\n"
    "\n"
    "For the paper's input it prints the paper's tables, Poisson and uniform arrivals\n"
    "side by side; for the reconstruction of the paper's run, each cell beside the\n"
    "paper's. All numbers are means over independent replications; the same seed\n"
    "gives the same numbers on any number of processors.\n";

/* ---- options ---- */

static struct sim_options wish = {.seed = 1, .warm_up = NAN};
static unsigned arrivals; /* enum sim_column, or both */
static bool has_arrivals;

static bool read_number(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) && !isspace((unsigned char)*text);
}

/* NAME=VALUE; the name stays in the argument, cut there. */
static bool take_setting(char *text, char error[OPTION_ERROR_MAX])
{
    struct sim_setting *const setting = &wish.settings[wish.setting_count];
    char *const equals = strchr(text, '=');

    if (wish.setting_count == SIM_SETTINGS_MAX) {
        snprintf(error, OPTION_ERROR_MAX, "%s: at most %d settings", text, SIM_SETTINGS_MAX);
        return false;
    }
    if (equals == NULL || equals == text || !read_number(equals + 1, &setting->value)) {
        snprintf(error, OPTION_ERROR_MAX, "%s: must be NAME=NUMBER, such as occupancy.low=0.3",
                 text);
        return false;
    }
    *equals = '\0';
    setting->name = text;
    wish.setting_count++;
    return true;
}

static bool take_warm_up(char *text, char error[OPTION_ERROR_MAX])
{
    if (strcmp(text, "auto") == 0) {
        wish.warm_up = SIM_WARM_UP_AUTOMATIC;
        return true;
    }
    snprintf(error, OPTION_ERROR_MAX, "%s: must be a model time of 0 or more, or auto", text);
    return read_number(text, &wish.warm_up) && wish.warm_up >= 0;
}

/* Bounds of classes, ascending, separated by commas. */
static bool take_classes(char *text, char error[OPTION_ERROR_MAX])
{
    const char *at = text;
    bool good = true;

    wish.class_count = 0;
    while (good) {
        char *end;
        const double value = strtod(at, &end);

        good = end != at && isfinite(value) && wish.class_count < SIM_POINTS_MAX &&
               value > (wish.class_count > 0 ? wish.classes[wish.class_count - 1] : 0);
        if (good) {
            wish.classes[wish.class_count++] = value;
        }
        if (*end == '\0') {
            break;
        }
        good = good && *end == ',';
        at = end + 1;
    }
    snprintf(error, OPTION_ERROR_MAX,
             "%s: must be at most %d ascending times above 0, such as 20,30,40", text,
             SIM_POINTS_MAX);
    return good;
}

static const char *const kinds[] = {
    [SIM_POISSON_ARRIVALS] = "poisson", [SIM_UNIFORM_ARRIVALS] = "uniform", "both", NULL};

static const struct option_line lines[] = {
    {"Model", OPT_HEADING},
    {"set", OPT_CALL(take_setting), "NAME=VALUE",
     "override a value of the model: occupancy.LEVEL, occupancy, passes, unit (ns), delay, "
     "delay.factor, scale.LEVEL, work.STIMULUS, overhead.NAME; occupancies are fractions, such as "
     "0.3",
     .repeats = true},
    {"arrivals", OPT_WORD(&arrivals), "KIND",
     "arrivals of competing work: poisson, uniform (from 0 to twice the mean), or both",
     .words = kinds, .given = &has_arrivals},
    {"overheads", OPT_TEXT(&wish.overheads), "RUN.db",
     "add the overheads of the machine, as bench model measured them in this run"},
    {"Length", OPT_HEADING},
    {"passes", OPT_NUMBER(&wish.passes, 1, PASSES_MAX), "N",
     "end a replication after N passes of the first stimulus (default: the model's number)"},
    {"quanta", OPT_NUMBER(&wish.quanta, 1, UINT64_MAX), "N",
     "or after N quanta of competing work (100000 if the model has no stimulus)"},
    {"time", OPT_REAL(&wish.time, DBL_MIN, DBL_MAX), "T", "or at model time T",
     .expected = "a number above 0"},
    {"warm-up", OPT_CALL(take_warm_up), "T",
     "discard everything before T; auto finds T by MSER-5 (default auto; 0 for the paper's input "
     "and if arrivals are listed)"},
    {"replications", OPT_NUMBER(&wish.replications, 1, REPLICATIONS_MAX), "N",
     "number of replications (30; 300 for the paper's input)"},
    {"precision", OPT_REAL(&wish.precision, PRECISION_MIN, PERCENT - PRECISION_MIN), "PCT",
     "add replications, up to 100 times as many, until half the 95 % interval is at most PCT per "
     "cent of the mean",
     .expected = "per cent, above 0 and below 100"},
    {"of", OPT_TEXT(&wish.precision_of), "NAME",
     "the statistic of --precision (the first stimulus's transit)", .needs = "precision"},
    {"seed", OPT_NUMBER(&wish.seed, 0, UINT64_MAX), "N", "seed of the random numbers (1)"},
    {"jobs", OPT_NUMBER(&wish.jobs, 1, JOBS_MAX), "N",
     "number of threads (default: number of processors)"},
    {"Output", OPT_HEADING},
    {"classes", OPT_CALL(take_classes), "T,...",
     "also print the share of transit times between these bounds"},
    {"definitions", OPT_FLAG(&wish.definitions), NULL,
     "also print the definition of each statistic", .excludes = "output"},
    {"json", OPT_FLAG(&wish.json), NULL, "print one object with everything", .excludes = "output"},
    {"output", OPT_TEXT(&wish.output), "FILE",
     "write a run file, for tare show, report and compare", .letter = 'o'},
    {"trace", OPT_FLAG(&wish.trace), NULL,
     "with all events of its replication as a trace, for tare show --threads, --delays and tare "
     "export",
     .needs = "output"},
    {"program", OPT_FLAG(&wish.program), NULL,
     "instead print the program that the image would play",
     .excludes = "output json trace quanta time warm-up replications precision jobs classes "
                 "definitions"},
    {"model", OPT_ARGUMENTS(1, 1), "MODEL"},
    OPTIONS_END,
};

static const char notes[] =
    "A MODEL of delay statements is a sum of independent delays: its distribution,\n"
    "with the error, is computed; --classes T,... prints P(sum <= T).\n"
    "\n"
    "Exit status: 0 done; 1 the model is refused; 2 wrong usage.\n";

/* Refuses options that have no effect on a sum of delays. */
bool sim_options_suit_delays(const struct sim_options *options)
{
    const struct {
        const char *name;
        bool given;
    } unused[] = {
        {"--passes", options->passes > 0},       {"--trace", options->trace},
        {"--quanta", options->quanta > 0},       {"--time", options->time > 0},
        {"--warm-up", !isnan(options->warm_up)}, {"--replications", options->replications > 0},
        {"--precision", options->precision > 0}, {"--jobs", options->jobs > 0},
        {"--definitions", options->definitions},
    };

    for (size_t i = 0; i < sizeof(unused) / sizeof(unused[0]); i++) {
        if (unused[i].given) {
            command_usage_error(&command_sim, "%s has no effect with a sum of delays; omit it",
                                unused[i].name);
            return false;
        }
    }
    return true;
}

/* ---- model and plan ---- */

static bool is_set(const struct sim_options *options, const char *overhead)
{
    char name[64];

    snprintf(name, sizeof(name), "%s.%s", "overhead", overhead);
    for (size_t i = 0; i < options->setting_count; i++) {
        if (strcmp(options->settings[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The overheads that bench `model` measured, except those that --set gives. False: an error has
 * been printed. */
static bool add_overheads(const struct sim_options *options, struct sim_model *model)
{
    char why[SIM_OVERHEAD_ERROR_MAX] = "it has no bench " BENCH_MODEL;
    char error[RUNFILE_ERROR_MAX];
    struct sim_overhead overhead;
    double below;
    struct run run;

    run_init(&run);
    if (!runfile_read(options->overheads, &run, error)) {
        run_free(&run);
        command_failure(&command_sim, "%s", error);
        return false;
    }
    const struct run_bench *const bench = run_find_bench(&run, BENCH_MODEL);
    const bool known =
        bench != NULL && sim_program_overhead(&run, bench, model, &overhead, &below, why);

    run_free(&run);
    if (!known) {
        command_failure(&command_sim, "--overheads %s: %s", options->overheads, why);
        return false;
    }
    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        if (!is_set(options, sim_overhead_name(i))) {
            *sim_overhead_part(&model->overhead, i) = *sim_overhead_part(&overhead, i);
        }
    }
    return true;
}

bool sim_options_load(const struct sim_options *options, struct sim_model *model)
{
    struct sim_model_error error;

    if (!sim_model_load(model, options->model, options->settings, options->setting_count, &error)) {
        const char *const name =
            strcmp(options->model, "-") == 0 ? "standard input" : options->model;

        if (error.line > 0) {
            fprintf(stderr, "%s:%zu: %s\n", name, error.line, error.text);
        } else {
            command_failure(&command_sim, "%s: %s", name, error.text);
        }
        return false;
    }
    if (options->has_column) {
        sim_model_arrive(model, options->column);
    }
    if (options->overheads != NULL && !add_overheads(options, model)) {
        sim_model_free(model);
        return false;
    }
    return true;
}

/* The paper discards no start, and a list of arrival times has an intended start. */
static double warm_up_of(const struct sim_options *options, const struct sim_model *model)
{
    if (!isnan(options->warm_up)) {
        return options->warm_up;
    }
    return model->is_paper || sim_has_trace(model) ? 0 : SIM_WARM_UP_AUTOMATIC;
}

static void show_progress(void *context, size_t done, size_t of)
{
    struct progress *const progress = context;

    progress_amount(progress, "simulating", done, of, "replications");
    if (done == of) {
        progress_finish(progress);
    }
}

void sim_options_plan(const struct sim_options *options, const struct sim_model *model,
                      struct sim_replication_plan *plan)
{
    static const double usual_classes[] = {20, 30, 40, 50, 60, 70};
    static struct progress progress; /* one plan is carried out at a time */
    const bool has_limit = options->passes > 0 || options->quanta > 0 || options->time > 0;
    const bool by_paper = options->class_count == 0 && model->is_paper;

    *plan = (struct sim_replication_plan){
        .limits = {.seed = options->seed,
                   .passes = has_limit ? options->passes : model->passes,
                   .quanta = options->quanta,
                   .time = options->time,
                   .warm_up = warm_up_of(options, model)},
        .replications = options->replications > 0 ? options->replications
                        : model->is_paper         ? REPLICATIONS_PAPER
                                                  : REPLICATIONS_DEFAULT,
        .precision = options->precision,
        .precision_of = options->precision_of,
        .jobs = options->jobs,
        .transit_points = by_paper ? usual_classes : options->classes,
        .transit_count =
            by_paper ? sizeof(usual_classes) / sizeof(usual_classes[0]) : options->class_count,
        .waits = true,
        .progress = show_progress,
        .context = &progress,
    };
    if (!has_limit && model->stimulus_count == 0) {
        plan->limits.quanta = QUANTA_DEFAULT;
    }
    if (options->precision > 0) {
        plan->replications_most = PRECISION_ROUNDS * plan->replications;
    }
    progress_start(&progress);
}

/* ---- simulation ---- */

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
    const bool both = options->both || (model->is_paper && !options->has_column);
    const size_t count = both ? RESULTS_MAX : 1;

    for (size_t i = 0; i < count; i++) {
        const enum sim_column column = count > 1 ? (enum sim_column)i : options->column;
        const bool named = count > 1 || options->has_column;
        struct sim_result *const result = &results[i];
        char error[SIM_LAW_ERROR_MAX];

        result->arrivals = named ? kinds[column] : NULL;
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

static int simulate_command(const struct sim_options *options, const struct sim_model *model)
{
    struct sim_result results[RESULTS_MAX];
    struct sim_replication_plan plan;

    sim_options_plan(options, model, &plan);
    const size_t count = simulate(options, model, &plan, results);

    if (count > 0 && options->json) {
        print_json(options, &plan, results, count);
    } else if (count > 0) {
        print_tables(options, &plan, results, count);
    }
    free_results(results, count);
    return count > 0 ? COMMAND_OK : COMMAND_FAILED;
}

/* ---- the command ---- */

static int run_model(const struct sim_options *options)
{
    struct sim_model model;
    int status;

    if (!sim_options_load(options, &model)) {
        return COMMAND_FAILED;
    }
    if (model.delay_count > 0) {
        status = sim_delays_command(options, &model);
    } else if (options->output != NULL) {
        status = sim_run_command(options, &model);
    } else {
        status = simulate_command(options, &model);
    }
    sim_model_free(&model);
    return status;
}

static int run_sim(const struct option_rest *rest)
{
    wish.model = rest->arguments[0];
    wish.precision /= PERCENT;
    wish.both = has_arrivals && strcmp(kinds[arrivals], "both") == 0;
    wish.has_column = has_arrivals && !wish.both;
    wish.column = wish.has_column ? (enum sim_column)arrivals : SIM_POISSON_ARRIVALS;
    if (wish.both && (wish.output != NULL || wish.program)) {
        return command_usage_error(
            &command_sim, "%s needs one kind of arrivals: --arrivals poisson or --arrivals uniform",
            wish.program ? "--program" : "-o");
    }
    if (wish.passes > 0) {
        wish.settings[wish.setting_count++] = (struct sim_setting){
            .name = "passes", .value = (double)wish.passes, .if_missing = true};
    }
    return wish.program ? sim_program_command(&wish) : run_model(&wish);
}

const struct command command_sim = {
    .name = "sim",
    .summary = "simulate the response times of a model of software",
    .about = about,
    .options = lines,
    .notes = notes,
    .run = run_sim,
    .is_long = true,
};
