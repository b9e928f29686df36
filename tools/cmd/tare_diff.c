/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare diff: the first place in which two exact runs differ.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/output_file.h"
#include "tools/base/partial_file.h"
#include "tools/cmd/commands.h"
#include "tools/compare/diff.h"
#include "tools/store/runfile.h"

static const char help[] =
    "usage: tare diff [OPTION]... A.db B.db\n"
    "\n"
    "Names the first sample, trace record or fact in which two exact runs differ, the\n"
    "bench that ran then, and how far the difference goes. Prints nothing if the runs\n"
    "are equal.\n"
    "\n"
    "Things are compared in the order in which they happened: the machine, its clocks\n"
    "and the plan; then of each bench its parameters, trace records, series, facts\n"
    "and state. A bench that differs comes before a difference of the machine. The\n"
    "run's number and the image's checksum are not compared, so that runs of two\n"
    "images can be equal. Numbers of records and samples count from 1; in JSON\n"
    "from 0.\n"
    "\n"
    "  --all     print everything that differs, not only the first 20\n"
    "  --json    print one object, also if the runs are equal\n"
    "  --force   compare runs in which time is not exact, or an instruction takes\n"
    "            another number of ticks\n"
    "  --help    this text\n"
    "\n"
    "Exit status: 0 the runs are equal, 1 they differ, 2 wrong usage, or a run cannot\n"
    "be read or compared.\n";

enum diff_option {
    OPTION_ALL = 256,
    OPTION_JSON,
    OPTION_FORCE,
};

static const struct option options[] = {
    {"all", no_argument, NULL, OPTION_ALL},
    {"json", no_argument, NULL, OPTION_JSON},
    {"force", no_argument, NULL, OPTION_FORCE},
    {NULL, 0, NULL, 0},
};

struct wishes {
    bool all, json, force;
    struct diff_names names;
};

static int parse_arguments(struct wishes *wishes, int argc, char **argv)
{
    int option;

    while ((option = command_next_option(&command_diff, argc, argv, "", options)) != -1) {
        switch (option) {
        case OPTION_ALL:
            wishes->all = true;
            break;
        case OPTION_JSON:
            wishes->json = true;
            break;
        case OPTION_FORCE:
            wishes->force = true;
            break;
        default:
            return COMMAND_USAGE; /* reported by command_next_option() */
        }
    }
    if (argc - optind != 2) {
        return command_usage_error(&command_diff, "needs two run files");
    }
    wishes->names = (struct diff_names){argv[optind], argv[optind + 1]};
    return COMMAND_OK;
}

/* Whatever keeps it from an answer is another status than a difference. */
static int cannot(const char *why)
{
    command_failure(&command_diff, "%s", why);
    return COMMAND_USAGE;
}

static int show(const struct wishes *wishes, const struct diff *diff, const struct run *a)
{
    if (wishes->json) {
        diff_json(stdout, diff, a, &wishes->names);
    } else if (diff->count > 0) {
        diff_print(stdout, diff, a, &wishes->names, wishes->all);
    }
    if (!output_file_finish(stdout)) {
        return cannot(strerror(errno));
    }
    return diff->count > 0 ? COMMAND_FAILED : COMMAND_OK;
}

static int compare(const struct wishes *wishes, struct run *a, struct run *b)
{
    char error[RUNFILE_ERROR_MAX];
    char reason[DIFF_REASON_MAX];
    struct diff diff;
    int status;

    if (!runfile_read(wishes->names.a, a, error) || !runfile_read(wishes->names.b, b, error)) {
        return cannot(error);
    }
    if (!wishes->force && diff_objection(a, b, reason) != NULL) {
        command_failure(&command_diff, "%s; --force compares them all the same", reason);
        return COMMAND_USAGE;
    }
    if (diff_runs(&diff, a, b)) {
        status = show(wishes, &diff, a);
    } else {
        status = cannot("a trace cannot be read from its run file");
    }
    diff_free(&diff);
    return status;
}

static int main_diff(int argc, char **argv)
{
    struct wishes wishes = {0};
    struct run a;
    struct run b;
    const int usage = parse_arguments(&wishes, argc, argv);

    if (usage != COMMAND_OK) {
        return usage;
    }
    partial_file_protect(wishes.names.a);
    partial_file_protect(wishes.names.b);
    run_init(&a);
    run_init(&b);
    const int status = compare(&wishes, &a, &b);

    run_free(&a);
    run_free(&b);
    return status;
}

const struct command command_diff = {
    .name = "diff",
    .summary = "name the first place in which two exact runs differ",
    .help = help,
    .main = main_diff,
};
