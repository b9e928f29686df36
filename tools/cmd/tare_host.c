/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare host: runs benches of the image on this Linux, into the same kind of run file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel/plan/names.h"
#include "kernel/plan/number.h"
#include "kernel/run/registry.h"
#include "kernel/run/settings.h"
#include "tools/base/interrupt.h"
#include "tools/base/progress.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/plan_check.h"
#include "tools/linux/host_bench.h"
#include "tools/linux/host_disk.h"
#include "tools/linux/host_machine.h"

static const char help[] =
    "usage: tare host [--bench LIST] [--set BENCH.PARAM=VALUE]... [--cpu N]\n"
    "                 [--file PATH] -o RUN.db\n"
    "\n"
    "Runs benches of the image on this Linux, from the same sources, and writes a run\n"
    "file. They are pinned to a processor, with locked memory, and with huge pages if\n"
    "Linux grants them. The difference to a run of the image is what Linux adds: its\n"
    "interrupts, its page tables, other programs.\n"
    "\n"
    "  --bench LIST            benches to run, as a,b,c: bandwidth, call, chase,\n"
    "                          clockread, loop, stride, tlb; or all. With --file also\n"
    "                          disklatency, diskload, fileread\n"
    "  --set BENCH.PARAM=VALUE set a parameter; may be repeated\n"
    "  --cpu N                 the processor, by Linux's number (default: the current\n"
    "                          one)\n"
    "  --file PATH             what the benches of disks read, past Linux's cache: an\n"
    "                          image of tare disk, whose every sector is checked, or\n"
    "                          any file or disk. Nothing is written to it\n"
    "  -o, --output RUN.db     the run file to write, also for an invalid run\n"
    "  --force                 let an invalid run replace a valid one in RUN.db; else\n"
    "                          it goes to RUN.invalid.db\n"
    "  --help                  this text\n"
    "\n"
    "Exit status: 0 a valid run, 1 an invalid run or none, 2 wrong usage.\n";

enum host_option {
    OPTION_BENCH = 256,
    OPTION_SET,
    OPTION_CPU,
    OPTION_FILE,
    OPTION_FORCE,
};

static const struct option options[] = {
    {"bench", required_argument, NULL, OPTION_BENCH},
    {"set", required_argument, NULL, OPTION_SET},
    {"cpu", required_argument, NULL, OPTION_CPU},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"file", required_argument, NULL, OPTION_FILE},
    {NULL, 0, NULL, 0},
};

struct host {
    char plan_text[PLAN_TEXT_MAX + 1];
    struct plan plan;
    const char *list; /* NULL: all */
    const char *file; /* NULL: none */
    int cpu;          /* below 0: any */
    struct run_target target;
};

/* Adds a setting to the plan. False: it does not fit. */
static bool add_setting(struct host *host, const char *prefix, const char *setting)
{
    const size_t used = strlen(host->plan_text);
    const size_t room = sizeof(host->plan_text) - used;

    return (size_t)snprintf(host->plan_text + used, room, "%s%s\n", prefix, setting) < room;
}

static int take_option(struct host *host, int option)
{
    uint64_t cpu;

    switch (option) {
    case OPTION_BENCH:
    case OPTION_SET:
        return add_setting(host, option == OPTION_BENCH ? KEY_BENCH "=" : "", optarg)
                   ? COMMAND_OK
                   : command_usage_error(&command_host,
                                         "--bench and --set exceed the %d characters "
                                         "of a plan",
                                         PLAN_TEXT_MAX);
    case OPTION_CPU:
        if (!parse_unsigned(optarg, &cpu) || cpu > INT32_MAX) {
            return command_usage_error(&command_host, "--cpu %s: must be a number", optarg);
        }
        host->cpu = (int)cpu;
        return COMMAND_OK;
    case OPTION_FILE:
        host->file = optarg;
        return COMMAND_OK;
    case OPTION_FORCE:
        host->target.force = true;
        return COMMAND_OK;
    default:
        host->target.output = optarg;
        return COMMAND_OK;
    }
}

/* The checks that the image makes of a plan. */
static int check_plan(struct host *host)
{
    const struct bench_param *run_key = &settings_keys[RUN_KEY_benches];
    static char error[PLAN_ERROR_MAX];

    char suggestion[PLAN_CHECK_MAX];

    registry_use_plan(&host->plan);
    if (!plan_parse(&host->plan, host->plan_text, strlen(host->plan_text), error)) {
        return command_usage_error(&command_host, "%s", error);
    }
    host->list = plan_value(&host->plan, KEY_BENCH);
    if (!registry_check_list(host->list, error) || !registry_check_params(error) ||
        !registry_check_keys(run_key, 1, error)) {
        plan_suggestion(&host->plan, run_key, 1, suggestion);
        return command_usage_error(&command_host, "%s%s", error, suggestion);
    }
    return COMMAND_OK;
}

static int read_options(struct host *host, int argc, char **argv)
{
    int option;

    while ((option = command_next_option(&command_host, argc, argv, "o:", options)) != -1) {
        const int status = option == COMMAND_BAD_OPTION ? COMMAND_USAGE : take_option(host, option);

        if (status != COMMAND_OK) {
            return status;
        }
    }
    if (optind < argc) {
        return command_usage_error(&command_host, "unexpected argument \"%s\"", argv[optind]);
    }
    if (host->target.output == NULL || strcmp(host->target.output, "-") == 0) {
        return command_usage_error(&command_host, "no run file given: add -o RUN.db");
    }
    if (host->file != NULL && strstr(host->plan_text, KEY_BENCH "=") == NULL) {
        return command_usage_error(&command_host,
                                   "--file is for benches of disks, which run when they are named: "
                                   "add --bench disklatency,diskload,fileread");
    }
    return check_plan(host);
}

static void run_benches(const struct host *host, struct run *run)
{
    struct progress progress;

    progress_start(&progress);
    for (const struct bench *const *at = bench_registry_start; at < bench_registry_end; at++) {
        if (!host_bench_selected(*at, host->list)) {
            continue;
        }
        progress_live(&progress, "bench %s: %s", (*at)->name, (*at)->summary);
        const struct run_bench *bench = host_bench_run(run, *at);

        progress_note(&progress, "bench %s: %s%s%s", bench->name, bench->state,
                      bench->reason != NULL ? ": " : "",
                      bench->reason != NULL ? bench->reason : "");
    }
    progress_finish(&progress);
}

/* Ctrl-C ends the program immediately until this point; then the file is written to its end. */
static int store(const struct host *host, struct run *run)
{
    char written[RUN_TARGET_MAX];
    struct run_texts reasons = {0};
    const bool valid = run_valid(run, &reasons);

    for (size_t i = 0; i < reasons.count; i++) {
        fprintf(stderr, "tare host: INVALID: %s\n", reasons.item[i]);
    }
    run_texts_free(&reasons);
    interrupt_catch();
    return command_write_run(&command_host, &host->target, run, valid, written) && valid
               ? COMMAND_OK
               : COMMAND_FAILED;
}

static int measure(const struct host *host, struct run *run)
{
    char error[HOST_ERROR_MAX];

    if (host->file != NULL && !host_disk_open(host->file, error)) {
        return command_failure(&command_host, "%s", error);
    }
    if (!host_machine_pin(run, host->cpu, error)) {
        return command_failure(&command_host, "%s", error);
    }
    run->plan_source = "options";
    run->plan_text = host->plan_text;
    host_machine_describe(run);
    host_machine_measure_tsc(run);
    run_benches(host, run);
    run->ended = true;
    return store(host, run);
}

static int host_main(int argc, char **argv)
{
    static struct host host;
    struct run run;

    host = (struct host){.cpu = -1};
    const int status = read_options(&host, argc, argv);

    if (status != COMMAND_OK) {
        return status;
    }
    run_init(&run);
    const int result = measure(&host, &run);

    run_free(&run);
    return result;
}

const struct command command_host = {
    .name = "host",
    .summary = "run benches of the image on this Linux, for comparison",
    .help = help,
    .main = host_main,
};
