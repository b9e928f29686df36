/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of all commands that judge: --junit FILE and --tap FILE write what was judged for a
 * CI server (tools/ci).
 */
#pragma once

#include <stdbool.h>

#include "tools/ci/ci_report.h"
#include "tools/cmd/commands.h"

enum {
    OPTION_JUNIT = 640,
    OPTION_TAP,
};

#define CI_OPTIONS                                    \
    {"junit", required_argument, NULL, OPTION_JUNIT}, \
    {                                                 \
        "tap", required_argument, NULL, OPTION_TAP    \
    }

/* Zeroed: nothing is wanted. */
struct ci_wishes {
    const char *junit, *tap; /* files, or NULL */
    struct ci_report report;
};

/* Takes one of them, with its value in optarg; false: it is none. */
bool ci_option(struct ci_wishes *wishes, int option);
/* COMMAND_OK, or a usage error: both go to standard output. */
int ci_check(const struct command *command, const struct ci_wishes *wishes);
/* Does one go to standard output? Then nothing else goes there. */
bool ci_has_output(const struct ci_wishes *wishes);
/* What to add suites to; NULL: no report is wanted. */
struct ci_report *ci_report_wanted(struct ci_wishes *wishes);
/* Writes what is wanted, and frees the report. Where the command failed and no case shows it, the
 * report gets a case in error with the last complaint. Returns `status`, or COMMAND_FAILED if a
 * file could not be written. */
int ci_finish(const struct command *command, struct ci_wishes *wishes, int status);
