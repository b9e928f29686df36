/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of all commands that show latencies of input events: --measure, --by, --above. What
 * they choose is of the whole program (tools/bench/input/measure.h).
 */
#pragma once

#include <stdbool.h>

#include "tools/cmd/commands.h"

enum {
    OPTION_MEASURE = 512,
    OPTION_BY,
    OPTION_ABOVE,
    OPTION_LATENCY_THRESHOLD,
};

#define MEASURE_OPTIONS                                   \
    {"measure", required_argument, NULL, OPTION_MEASURE}, \
        {"by", required_argument, NULL, OPTION_BY},       \
    {                                                     \
        "above", required_argument, NULL, OPTION_ABOVE    \
    }

/* T(class) of responsiveness in figures; compare has another --threshold, and so has show. */
#define MEASURE_THRESHOLD_OPTION                                       \
    {                                                                  \
        "threshold", required_argument, NULL, OPTION_LATENCY_THRESHOLD \
    }

/* Takes one of them, with its value in optarg; false: it is none, or an error has been printed. */
bool measure_option(const struct command *command, int option);
