/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --from and --to of show, export and report: the window of time that they are about
 * (tools/present/time_window.h).
 */
#pragma once

#include <stdbool.h>

#include "tools/cmd/commands.h"
#include "tools/present/time_window.h"
#include "tools/run/run.h"

enum {
    OPTION_FROM = 544,
    OPTION_TO,
};

#define WINDOW_OPTIONS                              \
    {"from", required_argument, NULL, OPTION_FROM}, \
    {                                               \
        "to", required_argument, NULL, OPTION_TO    \
    }

/* Takes one of them, with its value in optarg; false: it is none, or an error has been printed. */
bool window_option(const struct command *command, int option, struct time_window *window);

/* Cuts the run to the window, where one is given, and prints it on standard error. False: an error
 * has been printed. */
bool window_apply(const struct command *command, const struct time_window *window, struct run *run);
