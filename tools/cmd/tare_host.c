/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare host`: runs benches of the image on this Linux and writes the same kind of run file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/exec/names.h"
#include "kernel/plan/names.h"
#include "kernel/run/registry.h"
#include "kernel/run/settings.h"
#include "tools/base/interrupt.h"
#include "tools/base/progress.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/plan_check.h"
#include "tools/cmd/shared_options.h"
#include "tools/linux/host_bench.h"
#include "tools/linux/host_disk.h"
#include "tools/linux/host_machine.h"
#include "tools/qemu/exec_settings.h"

#define BUDGET_S_MAX 86400

static struct host {
    char plan_text[PLAN_TEXT_MAX + 1];
    const char *file; /* NULL: none */
    uint64_t cpu;
    bool has_cpu;      /* --cpu was given */
    uint64_t budget_s; /* 0: no limit */
    struct exec_request exec;
    struct run_target target;
} host = {.budget_s = 60};

/* Adds a setting to the plan. */
static bool add_setting(const char *prefix, const char *setting, char *error)
{
    const size_t used = strlen(host.plan_text);
    const size_t room = sizeof(host.plan_text) - used;

    snprintf(error, OPTION_ERROR_MAX, "%s: exceeds the %d characters of a plan", setting,
             PLAN_TEXT_MAX);
    return (size_t)snprintf(host.plan_text + used, room, "%s%s\n", prefix, setting) < room;
}

static bool take_bench(char *text, char error[OPTION_ERROR_MAX])
{
    return add_setting(KEY_BENCH "=", text, error);
}

static bool take_set(char *text, char error[OPTION_ERROR_MAX])
{
    return add_setting("", text, error);
}

static const char *bench_at(size_t index)
{
    return index < (size_t)(bench_registry_end - bench_registry_start)
               ? bench_registry_start[index]->name
               : NULL;
}

static const struct option_line options[] = {
    {"bench", OPT_CALL(take_bench), "LIST",
     "benches to run, as a,b,c, or all: of the processor bandwidth, call, chase, clockread, loop, "
     "stride, tlb, exec; of Linux syscall, creation, fork, contextswitch, pagefault, filecache, "
     "rtt, "
     "netbandwidth, connection, remotefile. With --file also disklatency, diskload, fileread",
     .word_at = bench_at, .comma = true},
    {"set", OPT_CALL(take_set), "BENCH.PARAM=VALUE", "set a parameter; may be repeated",
     .repeats = true},
    {"exec", OPT_LIST(host.exec.code, &host.exec.codes, CODES_MAX), "CODE",
     "measure this code, as tare boot --exec does, in a traced process; may be repeated. Runs only "
     "bench exec, unless --bench is given"},
    {"exec-init", OPT_LIST(host.exec.init, &host.exec.inits, CODES_MAX), "CODE",
     "run this code once before each measurement: give one for all codes, or one for each",
     .needs = "exec"},
    {"cpu", OPT_NUMBER(&host.cpu, 0, INT32_MAX), "N",
     "the processor, by Linux's number (default: the current one)", .given = &host.has_cpu},
    {"file", OPT_TEXT(&host.file), "PATH",
     "the file that the disk benches read, bypassing Linux's cache: an image made by tare disk, "
     "whose sectors are all checked, or any other file or disk. Nothing is written to it",
     .needs = "bench"},
    {"budget", OPT_NUMBER(&host.budget_s, 0, BUDGET_S_MAX), "S",
     "bench bandwidth ends after this many seconds (60): curves that are left are absent. 0: it "
     "measures all. Ctrl-C ends it likewise, and the run file, which is invalid then, has what was "
     "measured"},
    {"output", OPT_TEXT(&host.target.output), "RUN.db",
     "the run file to write, also for an invalid run", .letter = 'o', .required = true},
    {"force", OPT_FLAG(&host.target.force), NULL, FORCE_HELP},
    OPTIONS_END,
};

/* Assembles the codes of --exec and adds them with the bench that runs them. */
static int add_exec(void)
{
    char error[EXEC_ERROR_MAX];
    char *lines = host.exec.codes > 0 ? exec_settings(&host.exec, error) : NULL;
    const bool names_benches = strstr(host.plan_text, KEY_BENCH "=") != NULL;
    const bool is_added =
        lines != NULL &&
        add_setting(names_benches ? "" : KEY_BENCH "=" BENCH_EXEC "\n", lines, error);

    free(lines);
    return host.exec.codes == 0 || is_added
               ? COMMAND_OK
               : command_usage_error(&command_host, "--exec: %s", error);
}

static void run_benches(struct run *run)
{
    struct progress progress;

    progress_start(&progress);
    for (const struct bench *const *at = bench_registry_start;
         at < bench_registry_end && !interrupt_seen(); at++) {
        if (!plan_selects(*at)) {
            continue;
        }
        progress_live(&progress, "bench %s: %s", (*at)->name, (*at)->summary);
        const struct run_bench *bench = host_bench_run(run, *at, &progress, host.budget_s);

        progress_note(&progress, "bench %s: %s%s%s", bench->name, bench->state,
                      bench->reason != NULL ? ": " : "",
                      bench->reason != NULL ? bench->reason : "");
    }
    progress_finish(&progress);
}

/* Writes the run file. Until this point Ctrl-C ends the program at once, unless the bench can stop
 * (bench_stopped()); from here on the file is written to its end. */
static int store(struct run *run)
{
    char written[RUN_TARGET_MAX];
    struct run_texts reasons = {0};
    const bool valid = run_valid(run, &reasons);

    for (size_t i = 0; i < reasons.count; i++) {
        fprintf(stderr, "tare host: INVALID: %s\n", reasons.item[i]);
    }
    run_texts_free(&reasons);
    interrupt_catch();
    return command_write_run(&command_host, &host.target, run, valid, written) && valid
               ? COMMAND_OK
               : COMMAND_FAILED;
}

static int measure(struct run *run)
{
    char error[HOST_ERROR_MAX];

    if (host.file != NULL && !host_disk_open(host.file, error)) {
        return command_failure(&command_host, "%s", error);
    }
    if (!host_machine_pin(run, host.has_cpu ? (int)host.cpu : -1, error)) {
        return command_failure(&command_host, "%s", error);
    }
    run->plan_source = "options";
    run->plan_text = host.plan_text;
    host_machine_describe(run);
    host_machine_measure_tsc(run);
    run_benches(run);
    run->ended = true;
    return store(run);
}

static int run_host(const struct option_rest *rest)
{
    struct run run;
    static char error[PLAN_CHECK_MAX];
    int status = add_exec();

    (void)rest;
    if (status == COMMAND_OK &&
        !plan_check(host.plan_text, &settings_keys[RUN_KEY_benches], 1, error)) {
        status = command_usage_error(&command_host, "%s", error);
    }
    if (strcmp(host.target.output, "-") == 0) {
        return command_usage_error(&command_host,
                                   "-o -: a run file cannot go to standard output; use -o RUN.db");
    }
    if (status != COMMAND_OK) {
        return status;
    }
    run_init(&run);
    status = measure(&run);
    run_free(&run);
    return status;
}

const struct command command_host = {
    .name = "host",
    .summary = "run benches of the image on this Linux, for comparison",
    .about = "usage: tare host [--bench LIST | --exec CODE...] [--set BENCH.PARAM=VALUE]...\n"
             "                 [--cpu N] [--file PATH] [--budget S] -o RUN.db\n"
             "\n"
             "Runs benches of the image on this Linux, from the same sources, and writes a run\n"
             "file. They are pinned to a processor, with locked memory, and with huge pages if\n"
             "Linux grants them. The difference to a run of the image is what Linux adds: its\n"
             "interrupts, its page tables, other programs.\n",
    .options = options,
    .notes = "Exit status: 0 a valid run, 1 an invalid run or none, 2 wrong usage.\n",
    .run = run_host,
};
