/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare diff`: finds the first place in which two exact runs differ.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/output_file.h"
#include "tools/base/partial_file.h"
#include "tools/cmd/commands.h"
#include "tools/judge/diff.h"
#include "tools/store/runfile.h"

static struct wishes {
    bool all, json, force;
    struct diff_names names;
} wishes;

static const struct option_line options[] = {
    {"all", OPT_FLAG(&wishes.all), NULL, "print everything that differs, not only the first 20"},
    {"json", OPT_FLAG(&wishes.json), NULL, "print one JSON object, even if the runs are equal"},
    {"force", OPT_FLAG(&wishes.force), NULL,
     "compare runs even if their time is not exact, or if their instructions take different "
     "numbers "
     "of ticks"},
    {"run file", OPT_ARGUMENTS(2, 2), "A.db B.db"},
    OPTIONS_END,
};

/* Reports an error that prevents an answer. Its status is not that of a difference. */
static int cannot(const char *why)
{
    command_failure(&command_diff, "%s", why);
    return COMMAND_USAGE;
}

static int show(const struct diff *diff, const struct run *a)
{
    if (wishes.json) {
        diff_json(stdout, diff, a, &wishes.names);
    } else if (diff->count > 0) {
        diff_print(stdout, diff, a, &wishes.names, wishes.all);
    }
    if (!output_file_finish(stdout)) {
        return cannot(strerror(errno));
    }
    return diff->count > 0 ? COMMAND_FAILED : COMMAND_OK;
}

static int compare(struct run *a, struct run *b)
{
    char error[RUNFILE_ERROR_MAX];
    char reason[DIFF_REASON_MAX];
    struct diff diff;
    int status;

    if (!runfile_read(wishes.names.a, a, error) || !runfile_read(wishes.names.b, b, error)) {
        return cannot(error);
    }
    if (!wishes.force && diff_objection(a, b, reason) != NULL) {
        command_failure(&command_diff, "%s; --force compares them anyway", reason);
        return COMMAND_USAGE;
    }
    if (diff_runs(&diff, a, b)) {
        status = show(&diff, a);
    } else {
        status = cannot("a trace cannot be read from its run file");
    }
    diff_free(&diff);
    return status;
}

static int run_diff(const struct option_rest *rest)
{
    struct run a;
    struct run b;

    wishes.names = (struct diff_names){rest->arguments[0], rest->arguments[1]};
    partial_file_protect(wishes.names.a);
    partial_file_protect(wishes.names.b);
    run_init(&a);
    run_init(&b);
    const int status = compare(&a, &b);

    run_free(&a);
    run_free(&b);
    return status;
}

const struct command command_diff = {
    .name = "diff",
    .summary = "name the first place in which two exact runs differ",
    .about = "usage: tare diff [OPTION]... A.db B.db\n"
             "\n"
             "Names the first sample, trace record or fact in which two exact runs differ, the\n"
             "bench that ran then, and how far the difference extends. Prints nothing if the\n"
             "runs are equal.\n"
             "\n"
             "Things are compared in the order in which they happened: the machine, its clocks\n"
             "and the plan; then, for each bench, its parameters, trace records, series, facts\n"
             "and state. Differences in a bench are named before those of the machine. The\n"
             "run's number and the image's checksum are not compared, so that runs of two\n"
             "images can be equal. Numbers of records and samples count from 1; in JSON\n"
             "from 0.\n",
    .options = options,
    .notes = "Exit status: 0 the runs are equal, 1 they differ, 2 wrong usage, or a run cannot\n"
             "be read or compared.\n",
    .run = run_diff,
};
