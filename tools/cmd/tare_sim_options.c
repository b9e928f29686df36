/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the arguments of `tare sim`, and refuses those that exclude each other. */
#include "tools/cmd/tare_sim.h"

#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/plan/number.h"
#include "tools/base/progress.h"
#include "tools/cmd/commands.h"
#include "tools/sim/model/program.h"
#include "tools/store/runfile.h"

#define PERCENT              100
#define JOBS_MAX             1024
#define REPLICATIONS_MAX     100000
#define PASSES_MAX           (UINT64_C(1) << 53) /* as of a model */
#define PRECISION_ROUNDS     100                 /* of as many replications as the first */
#define REPLICATIONS_DEFAULT 30
#define REPLICATIONS_PAPER   300
#define QUANTA_DEFAULT       100000 /* of a model without a stimulus */

enum {
    OPTION_SET = 256,
    OPTION_ARRIVALS,
    OPTION_OVERHEADS,
    OPTION_SEED,
    OPTION_REPLICATIONS,
    OPTION_PASSES,
    OPTION_QUANTA,
    OPTION_TIME,
    OPTION_WARM_UP,
    OPTION_PRECISION,
    OPTION_OF,
    OPTION_JOBS,
    OPTION_CLASSES,
    OPTION_JSON,
    OPTION_DEFINITIONS,
    OPTION_TRACE,
    OPTION_PROGRAM,
};

static const struct option long_options[] = {
    {"set", required_argument, NULL, OPTION_SET},
    {"arrivals", required_argument, NULL, OPTION_ARRIVALS},
    {"overheads", required_argument, NULL, OPTION_OVERHEADS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"replications", required_argument, NULL, OPTION_REPLICATIONS},
    {"passes", required_argument, NULL, OPTION_PASSES},
    {"quanta", required_argument, NULL, OPTION_QUANTA},
    {"time", required_argument, NULL, OPTION_TIME},
    {"warm-up", required_argument, NULL, OPTION_WARM_UP},
    {"precision", required_argument, NULL, OPTION_PRECISION},
    {"of", required_argument, NULL, OPTION_OF},
    {"jobs", required_argument, NULL, OPTION_JOBS},
    {"classes", required_argument, NULL, OPTION_CLASSES},
    {"json", no_argument, NULL, OPTION_JSON},
    {"definitions", no_argument, NULL, OPTION_DEFINITIONS},
    {"output", required_argument, NULL, 'o'},
    {"trace", no_argument, NULL, OPTION_TRACE},
    {"program", no_argument, NULL, OPTION_PROGRAM},
    {NULL, 0, NULL, 0},
};

/* ---- values ---- */

__attribute__((format(printf, 2, 3))) static bool refuse(bool good, const char *format, ...)
{
    char text[512];
    va_list arguments;

    if (good) {
        return true;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    command_usage_error(&command_sim, "%s", text);
    return false;
}

static bool read_count(const char *option, uint64_t least, uint64_t most, uint64_t *value)
{
    return refuse(parse_unsigned(optarg, value) && *value >= least && *value <= most,
                  "--%s %s: must be a whole number from %" PRIu64 " to %" PRIu64, option, optarg,
                  least, most);
}

static bool read_number(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) && !isspace((unsigned char)*text);
}

static bool read_positive(const char *option, double *value)
{
    return refuse(read_number(optarg, value) && *value > 0, "--%s %s: must be a number above 0",
                  option, optarg);
}

static bool read_size(const char *option, uint64_t least, uint64_t most, size_t *value)
{
    uint64_t number;

    if (!read_count(option, least, most, &number)) {
        return false;
    }
    *value = number;
    return true;
}

/* NAME=VALUE; the name stays in the argument, cut there. */
static bool read_setting(struct sim_options *options)
{
    struct sim_setting *const setting = &options->settings[options->setting_count];
    char *const equals = strchr(optarg, '=');

    if (options->setting_count == SIM_SETTINGS_MAX) {
        return refuse(false, "--set %s: at most %d settings", optarg, SIM_SETTINGS_MAX);
    }
    if (equals == NULL || equals == optarg || !read_number(equals + 1, &setting->value)) {
        return refuse(false, "--set %s: must be NAME=NUMBER, such as occupancy.low=0.3", optarg);
    }
    *equals = '\0';
    setting->name = optarg;
    options->setting_count++;
    return true;
}

static bool read_arrivals(struct sim_options *options)
{
    options->both = strcmp(optarg, "both") == 0;
    options->has_column = !options->both;
    options->column = strcmp(optarg, "uniform") == 0 ? SIM_UNIFORM_ARRIVALS : SIM_POISSON_ARRIVALS;
    return refuse(options->both || options->column == SIM_UNIFORM_ARRIVALS ||
                      strcmp(optarg, "poisson") == 0,
                  "--arrivals %s: must be poisson, uniform or both", optarg);
}

static bool read_warm_up(struct sim_options *options)
{
    if (strcmp(optarg, "auto") == 0) {
        options->warm_up = SIM_WARM_UP_AUTOMATIC;
        return true;
    }
    return refuse(read_number(optarg, &options->warm_up) && options->warm_up >= 0,
                  "--warm-up %s: must be a model time of 0 or more, or auto", optarg);
}

static bool read_precision(struct sim_options *options)
{
    if (!refuse(read_number(optarg, &options->precision) && options->precision > 0 &&
                    options->precision < PERCENT,
                "--precision %s: must be per cent, above 0 and below 100", optarg)) {
        return false;
    }
    options->precision /= PERCENT;
    return true;
}

/* Bounds of classes, ascending, separated by commas. */
static bool read_classes(struct sim_options *options)
{
    const char *at = optarg;
    bool good = true;

    options->class_count = 0;
    while (good) {
        char *end;
        const double value = strtod(at, &end);

        good = end != at && isfinite(value) && options->class_count < SIM_POINTS_MAX &&
               value > (options->class_count > 0 ? options->classes[options->class_count - 1] : 0);
        if (good) {
            options->classes[options->class_count++] = value;
        }
        if (*end == '\0') {
            break;
        }
        good = good && *end == ',';
        at = end + 1;
    }
    return refuse(good,
                  "--classes %s: must be at most %d ascending times above 0, such as 20,30,40",
                  optarg, SIM_POINTS_MAX);
}

/* ---- options ---- */

static bool take_length(struct sim_options *options, int option)
{
    switch (option) {
    case OPTION_SEED:
        return read_count("seed", 0, UINT64_MAX, &options->seed);
    case OPTION_REPLICATIONS:
        return read_size("replications", 1, REPLICATIONS_MAX, &options->replications);
    case OPTION_PASSES:
        return read_count("passes", 1, PASSES_MAX, &options->passes);
    case OPTION_QUANTA:
        return read_count("quanta", 1, UINT64_MAX, &options->quanta);
    case OPTION_TIME:
        return read_positive("time", &options->time);
    case OPTION_WARM_UP:
        return read_warm_up(options);
    case OPTION_PRECISION:
        return read_precision(options);
    case OPTION_JOBS:
        return read_size("jobs", 1, JOBS_MAX, &options->jobs);
    default:
        return false; /* reported by command_next_option() */
    }
}

static bool take_mode(struct sim_options *options, int option)
{
    switch (option) {
    case OPTION_TRACE:
        options->trace = true;
        return true;
    case OPTION_PROGRAM:
        options->program = true;
        return true;
    default:
        return take_length(options, option);
    }
}

static bool take_option(struct sim_options *options, int option)
{
    switch (option) {
    case OPTION_SET:
        return read_setting(options);
    case OPTION_ARRIVALS:
        return read_arrivals(options);
    case OPTION_OVERHEADS:
        options->overheads = optarg;
        return true;
    case OPTION_OF:
        options->precision_of = optarg;
        return true;
    case OPTION_CLASSES:
        return read_classes(options);
    case OPTION_JSON:
        options->json = true;
        return true;
    case OPTION_DEFINITIONS:
        options->definitions = true;
        return true;
    case 'o':
        options->output = optarg;
        return true;
    default:
        return take_mode(options, option);
    }
}

/* ---- combinations ---- */

/* Refuses options that have no effect with --program. */
static bool check_program(const struct sim_options *options)
{
    const struct {
        const char *name;
        bool given;
    } unused[] = {
        {"-o", options->output != NULL},         {"--json", options->json},
        {"--quanta", options->quanta > 0},       {"--time", options->time > 0},
        {"--warm-up", !isnan(options->warm_up)}, {"--replications", options->replications > 0},
        {"--precision", options->precision > 0}, {"--jobs", options->jobs > 0},
        {"--classes", options->class_count > 0}, {"--definitions", options->definitions},
    };

    for (size_t i = 0; i < sizeof(unused) / sizeof(unused[0]); i++) {
        if (!refuse(!unused[i].given, "%s has no effect with --program; omit it", unused[i].name)) {
            return false;
        }
    }
    return refuse(!options->both, "--program needs one kind of arrivals: --arrivals poisson or "
                                  "--arrivals uniform");
}

static bool check_options(const struct sim_options *options)
{
    return refuse(options->precision_of == NULL || options->precision > 0,
                  "--of needs --precision") &&
           refuse(!options->trace || options->output != NULL, "--trace needs -o") &&
           refuse(!options->definitions || options->output == NULL,
                  "--definitions has no effect with -o; omit it") &&
           (!options->program || check_program(options));
}

int sim_options_read(struct sim_options *options, int argc, char **argv)
{
    int option;

    *options = (struct sim_options){.seed = 1, .warm_up = NAN};
    while ((option = command_next_option(&command_sim, argc, argv, "o:", long_options)) != -1) {
        if (option == COMMAND_BAD_OPTION || !take_option(options, option)) {
            return COMMAND_USAGE;
        }
    }
    if (!refuse(optind + 1 == argc, "%s",
                optind == argc ? "no model given" : "more than one model given")) {
        return COMMAND_USAGE;
    }
    options->model = argv[optind];
    if (options->passes > 0) {
        options->settings[options->setting_count++] = (struct sim_setting){
            .name = "passes", .value = (double)options->passes, .if_missing = true};
    }
    return check_options(options) ? COMMAND_OK : COMMAND_USAGE;
}

/* ---- model and plan ---- */

static bool is_set(const struct sim_options *options, const char *overhead)
{
    char name[64];

    snprintf(name, sizeof(name), "overhead.%s", overhead);
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
    static const double paper_classes[] = {20, 30, 40, 50, 60, 70};
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
        .transit_points = by_paper ? paper_classes : options->classes,
        .transit_count =
            by_paper ? sizeof(paper_classes) / sizeof(paper_classes[0]) : options->class_count,
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
