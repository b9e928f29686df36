/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare sim`: simulates the response times of a model of software.
 */
#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/plan/names.h"
#include "kernel/plan/version.h"
#include "tools/base/alloc.h"
#include "tools/base/colour.h"
#include "tools/base/interrupt.h"
#include "tools/base/json.h"
#include "tools/base/number.h"
#include "tools/base/progress.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/page_file.h"
#include "tools/run/run.h"
#include "tools/sim/engine/convolution.h"
#include "tools/sim/model/program.h"
#include "tools/sim/results/replicate.h"
#include "tools/sim/results/sim_run.h"
#include "tools/sim/results/tables.h"
#include "tools/store/runfile.h"

#define PERCENT          100
#define PRECISION_MIN    1e-9
#define JOBS_MAX         1024
#define REPLICATIONS_MAX 100000
#define PASSES_MAX       (UINT64_C(1) << 53) /* same bound as in a model */
/* --precision adds at most this many times the first replications */
#define PRECISION_ROUNDS     100
#define REPLICATIONS_DEFAULT 30
#define REPLICATIONS_PAPER   300
#define QUANTA_DEFAULT       100000 /* default for a model without a stimulus */
#define RESULTS_MAX          2
#define SETTINGS_MAX         32
#define SETTINGS_TEXT_MAX    4096
#define DELAY_VALUES         10000 /* values in the run file, each of the same probability */
#define TIME_DECIMALS        9
#define P_DECIMALS           12

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct {
    const char *model; /* path; "-": standard input */
    /* --set NAME=VALUE, then --passes for a model that states no number of passes */
    struct sim_setting settings[SETTINGS_MAX + 1];
    size_t setting_count;
    /* --arrivals both: Poisson and uniform side by side, the default for the paper's input */
    bool both;
    bool has_column; /* --arrivals poisson or uniform was given */
    enum sim_column column;
    uint64_t seed;                  /* --seed (default 1) */
    size_t replications;            /* --replications; 0: not given */
    uint64_t passes;                /* --passes; 0: the model's number */
    uint64_t quanta;                /* --quanta; 0: not given */
    double time;                    /* --time; 0: not given */
    double warm_up;                 /* --warm-up T or auto; NAN: not given */
    double precision;               /* --precision PCT as a fraction; 0: none */
    const char *precision_of;       /* --of NAME; NULL: not given */
    size_t jobs;                    /* --jobs; 0: all processors */
    double classes[SIM_POINTS_MAX]; /* --classes: ascending bounds of transit times */
    size_t class_count;
    bool json;
    bool definitions;      /* --definitions: print the definition of each statistic */
    const char *output;    /* -o FILE.db; NULL: not given */
    bool trace;            /* --trace: the run file gets the events of the replication */
    const char *overheads; /* --overheads RUN.db; NULL: not given */
    bool program;          /* --program: print what the image would run */
} wish = {.seed = 1, .warm_up = NAN};

/* ---- options ---- */

static unsigned arrivals; /* enum sim_column, or the index of "both" */
static bool has_arrivals;

static bool read_number(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) && !isspace((unsigned char)*text);
}

/* Takes NAME=VALUE. Cuts the argument at "=", and the name stays in it. */
static bool take_setting(char *text, char error[OPTION_ERROR_MAX])
{
    struct sim_setting *const setting = &wish.settings[wish.setting_count];
    char *const equals = strchr(text, '=');

    if (wish.setting_count == SETTINGS_MAX) {
        snprintf(error, OPTION_ERROR_MAX, "%s: at most %d settings", text, SETTINGS_MAX);
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

/* Parses the bounds of the classes of transit times: ascending, separated by commas. */
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
     "discard everything before T; auto determines T by MSER-5. Default: auto; 0 if the model has "
     "the form of the paper's five parts, or if it lists its arrivals"},
    {"replications", OPT_NUMBER(&wish.replications, 1, REPLICATIONS_MAX), "N",
     "number of replications (30; 300 for a model in the form of the paper's five parts)"},
    {"precision", OPT_REAL(&wish.precision, PRECISION_MIN, PERCENT - PRECISION_MIN), "PCT",
     "add replications, up to 100 times as many, until half the 95 % interval is at most PCT per "
     "cent of the mean",
     .expected = "per cent, above 0 and below 100"},
    {"of", OPT_TEXT(&wish.precision_of), "NAME",
     "the statistic that --precision refers to (default: the first stimulus's transit)",
     .needs = "precision"},
    {"seed", OPT_NUMBER(&wish.seed, 0, UINT64_MAX), "N", "seed of the random numbers (1)"},
    {"jobs", OPT_NUMBER(&wish.jobs, 1, JOBS_MAX), "N",
     "number of threads (default: number of processors)"},
    {"Output", OPT_HEADING},
    {"classes", OPT_CALL(take_classes), "T,...",
     "also print the share of transit times between these bounds"},
    {"definitions", OPT_FLAG(&wish.definitions), NULL,
     "also print the definition of each statistic", .excludes = "output"},
    {"json", OPT_FLAG(&wish.json), NULL, "print everything as one JSON object",
     .excludes = "output"},
    {"output", OPT_TEXT(&wish.output), "FILE",
     "write a run file, for tare show, report and compare", .letter = 'o'},
    {"trace", OPT_FLAG(&wish.trace), NULL,
     "with all events of the replication as a trace, for tare show --threads, --delays and tare "
     "export",
     .needs = "output"},
    {"program", OPT_FLAG(&wish.program), NULL, "instead print the program that the image would run",
     .excludes = "output json trace quanta time warm-up replications precision jobs classes "
                 "definitions"},
    {"model", OPT_ARGUMENTS(1, 1), "MODEL"},
    OPTIONS_END,
};

/* Rejects options that have no effect on a sum of delays. */
static bool sim_options_suit_delays(void)
{
    const struct {
        const char *name;
        bool given;
    } unused[] = {
        {"--passes", wish.passes > 0},       {"--trace", wish.trace},
        {"--quanta", wish.quanta > 0},       {"--time", wish.time > 0},
        {"--warm-up", !isnan(wish.warm_up)}, {"--replications", wish.replications > 0},
        {"--precision", wish.precision > 0}, {"--jobs", wish.jobs > 0},
        {"--definitions", wish.definitions},
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

static bool is_set(const char *overhead)
{
    char name[64];

    snprintf(name, sizeof(name), "%s.%s", "overhead", overhead);
    return SEARCH_ANY(i, wish.setting_count, strcmp(wish.settings[i].name, name) == 0);
}

/* Adds the overheads that bench `model` measured, except those that --set gives. Returns false if
 * there are none; an error has been printed. */
static bool add_overheads(struct sim_model *model)
{
    char why[SIM_OVERHEAD_ERROR_MAX] = "it has no bench " BENCH_MODEL;
    struct sim_overhead overhead;
    double below;
    struct run run;

    run_init(&run);
    const bool read = page_file_read(&command_sim, wish.overheads, &run) == COMMAND_OK;
    const struct run_bench *const bench = read ? run_find_bench(&run, BENCH_MODEL) : NULL;
    const bool known =
        bench != NULL && sim_program_overhead(&run, bench, model, &overhead, &below, why);

    run_free(&run);
    if (read && !known) {
        command_failure(&command_sim, "--overheads %s: %s", wish.overheads, why);
    }
    for (enum sim_overhead_part i = 0; known && i < SIM_OVERHEAD_PARTS; i++) {
        if (!is_set(sim_overhead_name(i))) {
            *sim_overhead_part(&model->overhead, i) = *sim_overhead_part(&overhead, i);
        }
    }
    return known;
}

/* Reads the model and applies the settings. Returns false if the model is rejected; an error has
 * been printed. */
static bool sim_options_load(struct sim_model *model)
{
    struct sim_model_error error;

    if (!sim_model_load(model, wish.model, wish.settings, wish.setting_count, &error)) {
        const char *const name = strcmp(wish.model, "-") == 0 ? "standard input" : wish.model;

        if (error.line > 0) {
            fprintf(stderr, "%s:%zu: %s\n", name, error.line, error.text);
        } else {
            command_failure(&command_sim, "%s: %s", name, error.text);
        }
        return false;
    }
    if (wish.has_column) {
        sim_model_arrive(model, wish.column);
    }
    if (wish.overheads != NULL && !add_overheads(model)) {
        sim_model_free(model);
        return false;
    }
    return true;
}

/* Returns the warm-up time. It is 0 for the paper's input, because the paper leaves nothing out. It
 * is also 0 for a model that lists its arrival times, because such a model is meant to start with
 * empty queues. */
static double warm_up_of(const struct sim_model *model)
{
    if (!isnan(wish.warm_up)) {
        return wish.warm_up;
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

/* Makes the plan of replications from the options. Its progress is drawn on standard error. */
static void sim_options_plan(const struct sim_model *model, struct sim_replication_plan *plan)
{
    static const double usual_classes[] = {20, 30, 40, 50, 60, 70};
    static struct progress progress; /* static, because only one plan runs at a time */
    const bool has_limit = wish.passes > 0 || wish.quanta > 0 || wish.time > 0;
    const bool by_paper = wish.class_count == 0 && model->is_paper;

    *plan = (struct sim_replication_plan){
        .limits = {.seed = wish.seed,
                   .passes = has_limit ? wish.passes : model->passes,
                   .quanta = wish.quanta,
                   .time = wish.time,
                   .warm_up = warm_up_of(model)},
        .replications = wish.replications > 0 ? wish.replications
                        : model->is_paper     ? REPLICATIONS_PAPER
                                              : REPLICATIONS_DEFAULT,
        .precision = wish.precision,
        .precision_of = wish.precision_of,
        .jobs = wish.jobs,
        .transit_points = by_paper ? usual_classes : wish.classes,
        .transit_count =
            by_paper ? sizeof(usual_classes) / sizeof(usual_classes[0]) : wish.class_count,
        .waits = true,
        .progress = show_progress,
        .context = &progress,
    };
    if (!has_limit && model->stimulus_count == 0) {
        plan->limits.quanta = QUANTA_DEFAULT;
    }
    if (wish.precision > 0) {
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

/* Simulates the model once, or once for each kind of arrivals. Returns the number of results; 0 if
 * it failed and an error has been printed. */
static size_t simulate(const struct sim_model *model, const struct sim_replication_plan *plan,
                       struct sim_result results[RESULTS_MAX])
{
    const bool both = wish.both || (model->is_paper && !wish.has_column);
    const size_t count = both ? RESULTS_MAX : 1;

    for (size_t i = 0; i < count; i++) {
        const enum sim_column column = count > 1 ? (enum sim_column)i : wish.column;
        const bool named = count > 1 || wish.has_column;
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

/* Returns whether the paper's table is printed next to these results. */
static bool is_beside_paper(const struct sim_result *results, size_t count)
{
    return count > 1 && wish.class_count == 0 && paper_is_reconstruction(&results[0].model);
}

static void print_json(const struct sim_replication_plan *plan, const struct sim_result *results,
                       size_t count)
{
    struct json json;

    sim_json_start(&json, stdout, plan, results, count);
    if (is_beside_paper(results, count)) {
        sim_json_paper(&json, &results[0], &results[1]);
    }
    json_close(&json);
}

static void print_paper(const struct sim_result *results)
{
    paper_print(stdout, &results[0], &results[1]);
    if (is_beside_paper(results, RESULTS_MAX)) {
        fputc('\n', stdout);
        colour_text(stdout, COLOUR_HEAD, "Compared with the paper");
        fputs("\n\n", stdout);
        paper_print_comparison(stdout, &results[0], &results[1]);
    }
    fputc('\n', stdout);
    colour_text(stdout, COLOUR_HEAD, "Definitions");
    fputs("\n\n", stdout);
    paper_print_definitions(stdout);
}

static void print_tables(const struct sim_replication_plan *plan, const struct sim_result *results,
                         size_t count)
{
    sim_print_plan(stdout, &results[0], plan);
    if (count > 1 && paper_has_form(&results[0].model)) {
        fputc('\n', stdout);
        print_paper(results);
    } else {
        for (size_t i = 0; i < count; i++) {
            if (results[i].arrivals != NULL) {
                printf("arrivals: %s\n", results[i].arrivals);
            }
            fputc('\n', stdout);
            sim_print_result(stdout, &results[i]);
        }
    }
    if (wish.definitions) {
        fputc('\n', stdout);
        sim_print_definitions(stdout, &results[0].outcome.statistics);
    }
}

static int simulate_command(const struct sim_model *model)
{
    struct sim_result results[RESULTS_MAX];
    struct sim_replication_plan plan;

    sim_options_plan(model, &plan);
    const size_t count = simulate(model, &plan, results);

    if (count > 0 && wish.json) {
        print_json(&plan, results, count);
    } else if (count > 0) {
        print_tables(&plan, results, count);
    }
    free_results(results, count);
    return count > 0 ? COMMAND_OK : COMMAND_FAILED;
}

/* ---- the run file ---- */

__attribute__((format(printf, 3, 4))) static void add_line(char text[SETTINGS_TEXT_MAX],
                                                           size_t *used, const char *format, ...)
{
    va_list arguments;

    if (*used >= SETTINGS_TEXT_MAX) {
        return;
    }
    va_start(arguments, format);
    *used += (size_t)vsnprintf(text + *used, SETTINGS_TEXT_MAX - *used, format, arguments);
    va_end(arguments);
}

/* Writes the settings on which the numbers depend in addition to the model, as comment lines to put
 * before its text. */
static const char *settings_text(const struct sim_replication_plan *plan,
                                 char text[SETTINGS_TEXT_MAX])
{
    size_t used = 0;

    add_line(text, &used,
             "# seed %" PRIu64 ", replications %zu, passes %" PRIu64 ", quanta %" PRIu64
             ", time %.9g\n",
             plan->limits.seed, plan->replications, plan->limits.passes, plan->limits.quanta,
             plan->limits.time);
    if (plan->limits.warm_up == SIM_WARM_UP_AUTOMATIC) {
        add_line(text, &used, "# warm-up chosen automatically\n");
    } else {
        add_line(text, &used, "# warm-up %.9g\n", plan->limits.warm_up);
    }
    if (plan->precision > 0) {
        add_line(text, &used, "# precision %.9g %%, replications at most %zu\n",
                 plan->precision * 100, plan->replications_most);
    }
    for (size_t i = 0; i < wish.setting_count; i++) {
        if (!wish.settings[i].if_missing) {
            add_line(text, &used, "# set %s=%.12g\n", wish.settings[i].name,
                     wish.settings[i].value);
        }
    }
    return text;
}

/* Writes the run file. Returns the exit status. */
static int store_run(struct run *run, const char *path)
{
    char error[RUNFILE_ERROR_MAX];

    interrupt_catch();
    return runfile_write(path, run, error) ? COMMAND_OK
                                           : command_failure(&command_sim, "%s", error);
}

static bool simulate_run(const struct sim_model *model, struct run *run,
                         char error[SIM_LAW_ERROR_MAX])
{
    char settings[SETTINGS_TEXT_MAX];
    struct sim_replication_plan plan;
    struct sim_outcome outcome;

    sim_options_plan(model, &plan);
    sim_run_describe(run, model, wish.model, settings_text(&plan, settings));
    if (!sim_replicate(model, &plan, &outcome, error)) {
        return false;
    }
    struct sim_limits limits = plan.limits;

    limits.warm_up = outcome.warm_up;
    const bool ok = sim_run_simulate(run, model, &limits, wish.trace, error);

    sim_run_replications(run, model, &outcome);
    sim_outcome_free(&outcome);
    return ok;
}

/* Runs -o FILE.db: writes a run file of one replication or more (tools/sim/results/sim_run.h). */
static int run_file_command(const struct sim_model *model)
{
    char error[SIM_LAW_ERROR_MAX];
    struct run run;

    run_init(&run);
    const int status = simulate_run(model, &run, error)
                           ? store_run(&run, wish.output)
                           : command_failure(&command_sim, "%s", error);

    run_free(&run);
    return status;
}

/* ---- a sum of delays ---- */

struct sum_of_delays {
    const struct sim_model *model;
    struct convolution_sum sum;
};

static const double levels[] = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999};

static void print_delays(const struct sum_of_delays *delays)
{
    struct table table;

    table_open(&table, "lrrr", "delay\ttimes\tmean\tvariance");
    for (enum sim_delay_part i = 0; i < SIM_DELAY_PARTS; i++) {
        struct convolution_part part;

        if (convolution_part(delays->model, i, &part)) {
            table_named_row(&table, sim_delay_names[i]);
            table_format(&table, "%zu", part.times);
            table_real(&table, part.mean);
            table_real(&table, part.variance);
        }
    }
    table_named_row(&table, "sum");
    table_text(&table, "");
    table_real(&table, delays->sum.mean);
    table_real(&table, delays->sum.variance);
    table_print(&table, stdout, 2);
}

static void print_curve(const struct convolution_sum *sum)
{
    struct table table;

    char texts[3][NUMBER_MAX];

    printf("\n  of the curve: mean %s, variance %s, error at most about %s\n",
           number_real(sum->curve_mean, texts[0]), number_real(sum->curve_variance, texts[1]),
           number_text(sum->error, texts[2]));
    if (sum->moved > 0) {
        printf("  no grid step divides the values: sums were moved by less than %s\n",
               number_text(sum->moved, texts[0]));
    }
    putchar('\n');
    table_open(&table, "rr", "part below\ttime");
    for (size_t i = 0; i < COUNT(levels); i++) {
        table_row(&table);
        table_format(&table, "%g %%", 100 * levels[i]);
        table_real(&table, convolution_quantile(sum, levels[i]));
    }
    table_print(&table, stdout, 2);
}

static void print_points(const struct sum_of_delays *delays)
{
    struct table table;

    table_open(&table, "rrrrr", "time\tP(sum <= time)\tP(sum > time)\tP(sum = time)\terror");
    for (size_t i = 0; i < wish.class_count; i++) {
        const double at = wish.classes[i];
        double doubt;
        const double below = convolution_below(&delays->sum, at, &doubt);

        table_row(&table);
        table_format(&table, "%.10g", at);
        table_format(&table, "%.10f", below);
        table_format(&table, "%.10f", 1 - below);
        table_format(&table, "%.10f", convolution_mass(&delays->sum, at));
        table_number(&table, doubt);
    }
    putchar('\n');
    table_print(&table, stdout, 2);
}

static void print_delays_json(const struct sum_of_delays *delays)
{
    const struct convolution_sum *const sum = &delays->sum;
    struct json json;

    json_start(&json, stdout);
    json_object(&json, NULL);
    JSON_TEXTS(&json, {"schema", "tare sim delays"}, {"version", TARE_VERSION},
               {"name", delays->model->name});
    JSON_NUMBERS(&json, TIME_DECIMALS, {"unit_ns", delays->model->unit_ns}, {"mean", sum->mean},
                 {"variance", sum->variance});
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
    for (size_t i = 0; i < wish.class_count; i++) {
        const double at = wish.classes[i];
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

static int store_delays(const struct sum_of_delays *delays)
{
    int64_t *const values = alloc_zeroed(DELAY_VALUES * sizeof(*values));
    struct run run;

    for (size_t i = 0; i < DELAY_VALUES; i++) {
        const double p = ((double)i + 0.5) / DELAY_VALUES;

        values[i] = llround(convolution_quantile(&delays->sum, p) * delays->model->unit_ns);
    }
    run_init(&run);
    sim_run_describe(&run, delays->model, wish.model, "");
    sim_run_responses(&run, delays->model, values, DELAY_VALUES);
    const int status = store_run(&run, wish.output);

    run_free(&run);
    return status;
}

/* Computes the overall response of a model of `delay` statements as a sum of delays. */
static int delays_command(const struct sim_model *model)
{
    struct sum_of_delays delays = {.model = model};
    int status = COMMAND_OK;

    if (!sim_options_suit_delays()) {
        return COMMAND_USAGE;
    }
    convolution_solve(model, wish.classes, wish.class_count, &delays.sum);
    if (wish.output != NULL) {
        status = store_delays(&delays);
    } else if (wish.json) {
        print_delays_json(&delays);
    } else {
        print_delays(&delays);
        print_curve(&delays.sum);
        if (wish.class_count > 0) {
            print_points(&delays);
        }
    }
    convolution_sum_free(&delays.sum);
    return status;
}

/* Runs --program: prints the plan with which the image runs the model. */
static int program_command(void)
{
    struct sim_model model;
    struct sim_model_error error;

    if (!sim_options_load(&model)) {
        return COMMAND_FAILED;
    }
    if (wish.passes > 0) {
        model.passes = wish.passes;
    }
    char *program = sim_program_text(&model, wish.seed, &error);

    sim_model_free(&model);
    if (program == NULL) {
        return command_failure(&command_sim, "%s: %s", wish.model, error.text);
    }
    printf(KEY_BENCH "=" BENCH_MODEL "\n" BENCH_MODEL "." PARAM_PROGRAM "={%s}\n", program);
    free(program);
    return COMMAND_OK;
}

static int run_model(void)
{
    struct sim_model model;
    int status;

    if (!sim_options_load(&model)) {
        return COMMAND_FAILED;
    }
    if (model.delay_count > 0) {
        status = delays_command(&model);
    } else if (wish.output != NULL) {
        status = run_file_command(&model);
    } else {
        status = simulate_command(&model);
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
            &command_sim,
            "%s needs one kind of arrivals: add --arrivals poisson or --arrivals "
            "uniform",
            wish.program ? "--program" : "-o");
    }
    if (wish.passes > 0) {
        wish.settings[wish.setting_count++] = (struct sim_setting){
            .name = "passes", .value = (double)wish.passes, .if_missing = true};
    }
    return wish.program ? program_command() : run_model();
}

const struct command command_sim = {
    .name = "sim",
    .summary = "simulate the response times of a model of software",
    .about = "usage: tare sim [OPTION]... MODEL\n"
             "\n"
             "Simulates the time from a stimulus to its response on processors with priorities\n"
             "and competing work (Shub, \"On Determining the Distribution of Software Response\n"
             "Times\"), and prints mean, spread and tail. MODEL is a file with the paper's\n"
             "five-part input, or with a model in tare's own form; - is standard input.\n"
             "\n"
             "For the paper's input it prints the paper's tables, with Poisson and uniform\n"
             "arrivals side by side. For the model that reconstructs the paper's own run, it\n"
             "prints the paper's number next to each number. All numbers are means over\n"
             "independent replications; the same seed gives the same numbers on any number of\n"
             "processors.\n",
    .options = lines,
    .notes = "A MODEL of delay statements is a sum of independent delays: its distribution,\n"
             "with the error, is computed; --classes T,... prints P(sum <= T).\n"
             "\n"
             "Exit status: 0 done; 1 the model is rejected; 2 wrong usage.\n",
    .run = run_sim,
    .is_long = true,
};
