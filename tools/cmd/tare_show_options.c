/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/tare_show_options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/number.h"
#include "tools/base/alloc.h"
#include "tools/bench/system/view_estimates.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/measure_options.h"
#include "tools/cmd/window_options.h"

enum {
    OPTION_JSON = 256,
    OPTION_SAMPLES,
    OPTION_FULL,
    OPTION_THREADS,
    OPTION_IRQS,
    OPTION_DISKS,
    OPTION_AVAIL,
    OPTION_DELAYS,
    OPTION_SLOWEST,
    OPTION_EVENTS,
    OPTION_THRESHOLD,
    OPTION_INTERARRIVAL,
    OPTION_LONGEST,
    OPTION_FSM,
    OPTION_ESTIMATES,
    OPTION_WHY,
    OPTION_STATISTICS
};

#define INTERVAL_MS_MAX 1e9
#define SLOWEST_DEFAULT 5
#define SLOWEST_MAX     1000

/* ---- one option ---- */

static bool read_interval(const char *text, double *ms)
{
    char *end;

    *ms = strtod(text, &end);
    if (end != text && *end == '\0' && *ms > 0 && *ms <= INTERVAL_MS_MAX) {
        return true;
    }
    command_usage_error(&command_show, "--avail %s: must be milliseconds, such as 10 or 0.1", text);
    return false;
}

static bool read_slowest(const char *option, const char *text, size_t *slowest)
{
    uint64_t value;

    if (parse_unsigned(text, &value) && value > 0 && value <= SLOWEST_MAX) {
        *slowest = value;
        return true;
    }
    command_usage_error(&command_show, "--%s %s: must be a number from 1 to %d", option, text,
                        SLOWEST_MAX);
    return false;
}

static bool read_thresholds(struct show_options *options, int option)
{
    char error[THRESHOLDS_ERROR_MAX];

    if (option == OPTION_THRESHOLD) {
        if (thresholds_read_set(optarg, &options->input.thresholds, error)) {
            options->thresholds = true;
            return true;
        }
    } else if (thresholds_read(optarg, options->interarrival_ms, &options->input.interarrival_count,
                               error)) {
        options->input.interarrival_ms = options->interarrival_ms;
        return true;
    }
    command_usage_error(&command_show, "--%s %s",
                        option == OPTION_THRESHOLD ? "threshold" : "interarrival", error);
    return false;
}

static bool take_input_option(struct show_options *options, int option)
{
    switch (option) {
    case OPTION_EVENTS:
        options->input.events = true;
        return true;
    case OPTION_FSM:
        options->input.fsm = true;
        return true;
    case OPTION_LONGEST:
        return read_slowest("longest", optarg, &options->input.longest);
    case OPTION_THRESHOLD:
    case OPTION_INTERARRIVAL:
        return read_thresholds(options, option);
    default:
        options->chooses = true;
        return measure_option(&command_show, option);
    }
}

static bool take_option(struct show_options *options, int option)
{
    switch (option) {
    case OPTION_JSON:
        options->json = true;
        return true;
    case OPTION_SAMPLES:
        options->samples = optarg;
        return true;
    case OPTION_FULL:
        options->full = true;
        return true;
    case OPTION_ESTIMATES:
        options->estimates = true;
        return true;
    case OPTION_WHY:
        options->why = true;
        return true;
    case OPTION_STATISTICS:
        options->statistics = true;
        return true;
    case OPTION_THREADS:
        options->wish.threads = true;
        return true;
    case OPTION_IRQS:
        options->wish.irqs = true;
        return true;
    case OPTION_DISKS:
        options->wish.disks = true;
        return true;
    case OPTION_AVAIL:
        return read_interval(optarg, &options->wish.interval_ms);
    case OPTION_DELAYS:
        options->wish.thread = optarg;
        return true;
    case OPTION_SLOWEST:
        return read_slowest("slowest", optarg, &options->wish.slowest);
    case OPTION_FROM:
    case OPTION_TO:
        return window_option(&command_show, option, &options->window);
    default:
        return take_input_option(options, option);
    }
}

/* ---- all ---- */

/* Takes the benches of "BENCH... RUN.db". A path of a run file, which has a slash or a dot, stays.
 */
static void take_benches(struct show_options *options)
{
    while (!options->estimates && options->path_count > 1 &&
           strpbrk(options->paths[0], "/.") == NULL) {
        options->benches[options->bench_count++] = options->paths[0];
        options->paths++;
        options->path_count--;
    }
}

static bool check_paths(const struct show_options *options)
{
    if (options->path_count == 0) {
        command_usage_error(&command_show, "no run file given");
    } else if (options->path_count > 1 && !options->estimates) {
        command_usage_error(&command_show,
                            "more than one run file given; only --estimates takes several");
    } else if (options->path_count > ESTIMATES_RUNS_MAX) {
        command_usage_error(&command_show, "%zu run files given, at most %d are possible",
                            options->path_count, ESTIMATES_RUNS_MAX);
    } else {
        return true;
    }
    return false;
}

/* The same for a form that leaves others no room. */
static const char *conflict_of_forms(const struct show_options *options)
{
    const bool raw = options->json || options->samples != NULL;
    const bool tables = options->wishes || options->asks_input;
    const bool part = tables || options->full || options->bench_count > 0;

    if (options->statistics && (options->estimates || raw || tables || options->full)) {
        return "--statistics can be combined only with benches";
    }
    if (options->estimates && (options->samples != NULL || part)) {
        return "--estimates can be combined only with --why or --json";
    }
    if (raw && part) {
        return options->json ? "--json cannot be combined with benches or tables"
                             : "--samples cannot be combined with benches or tables";
    }
    return NULL;
}

/* The message for forms of output that exclude each other; NULL: none do. */
static const char *conflict(const struct show_options *options)
{
    const bool tables = options->wishes || options->asks_input;

    if (options->json && options->samples != NULL) {
        return "--json and --samples exclude each other";
    }
    if (options->why && (!options->estimates || options->json)) {
        return "--why needs --estimates without --json";
    }
    if (options->full && (tables || options->bench_count > 0)) {
        return "--full shows all benches; omit it to choose benches or tables";
    }
    return conflict_of_forms(options);
}

/* The message for an option that lacks the one it needs; NULL: none does. */
static const char *missing_partner(const struct show_options *options)
{
    if (options->estimates && (options->window.has_from || options->window.has_to)) {
        return "--from and --to need a single run, without --estimates";
    }
    if (options->wish.slowest > 0 && options->wish.thread == NULL) {
        return "--slowest needs --delays";
    }
    if (options->thresholds && !options->input.events) {
        return "--threshold needs --events";
    }
    if (options->chooses && !options->input.events && options->input.interarrival_count == 0 &&
        options->input.longest == 0) {
        return "--measure, --by and --above need --events, --interarrival or --longest";
    }
    return NULL;
}

/* Do the options fit together? If so, sets the defaults. */
static bool check_options(struct show_options *options)
{
    struct trace_wish *wish = &options->wish;
    struct input_wish *input = &options->input;

    options->wishes =
        wish->threads || wish->irqs || wish->disks || wish->interval_ms > 0 || wish->thread != NULL;
    options->asks_input =
        input->events || input->fsm || input->interarrival_count > 0 || input->longest > 0;
    const char *error = conflict(options);

    error = error != NULL ? error : missing_partner(options);
    if (error != NULL) {
        command_usage_error(&command_show, "%s", error);
        return false;
    }
    wish->slowest = wish->slowest > 0 ? wish->slowest : SLOWEST_DEFAULT;
    return true;
}

bool show_read_options(int argc, char **argv, struct show_options *options)
{
    static const struct option known[] = {
        {"json", no_argument, NULL, OPTION_JSON},
        {"samples", required_argument, NULL, OPTION_SAMPLES},
        {"full", no_argument, NULL, OPTION_FULL},
        {"threads", no_argument, NULL, OPTION_THREADS},
        {"irqs", no_argument, NULL, OPTION_IRQS},
        {"disks", no_argument, NULL, OPTION_DISKS},
        {"avail", required_argument, NULL, OPTION_AVAIL},
        {"delays", required_argument, NULL, OPTION_DELAYS},
        {"slowest", required_argument, NULL, OPTION_SLOWEST},
        WINDOW_OPTIONS,
        {"events", no_argument, NULL, OPTION_EVENTS},
        {"threshold", required_argument, NULL, OPTION_THRESHOLD},
        {"interarrival", required_argument, NULL, OPTION_INTERARRIVAL},
        {"longest", required_argument, NULL, OPTION_LONGEST},
        {"fsm", no_argument, NULL, OPTION_FSM},
        MEASURE_OPTIONS,
        {"estimates", no_argument, NULL, OPTION_ESTIMATES},
        {"why", no_argument, NULL, OPTION_WHY},
        {"statistics", no_argument, NULL, OPTION_STATISTICS},
        {NULL, 0, NULL, 0},
    };
    int option;

    memset(options, 0, sizeof(*options));
    options->benches = alloc_zeroed((size_t)argc * sizeof(*options->benches));
    thresholds_init(&options->input.thresholds);
    while ((option = command_next_option(&command_show, argc, argv, "", known)) != -1) {
        if (!take_option(options, option)) {
            return false;
        }
    }
    options->paths = argv + optind;
    options->path_count = (size_t)(argc - optind);
    take_benches(options);
    return check_paths(options) && check_options(options);
}

void show_free_options(struct show_options *options)
{
    free(options->benches);
}
