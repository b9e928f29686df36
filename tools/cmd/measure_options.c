/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/measure_options.h"

#include <getopt.h>
#include <string.h>

#include "tools/bench/input/measure.h"
#include "tools/bench/input/thresholds.h"

static bool take_measure(const struct command *command, struct measure_choice *choice)
{
    choice->given = true;
    if (!measure_by_name(optarg, &choice->measure)) {
        const char *names[MEASURES];

        for (unsigned i = 0; i < MEASURES; i++) {
            names[i] = measure_name(i);
        }
        command_unknown_word(command, "--measure", optarg, names, MEASURES);
        return false;
    }
    return true;
}

static bool take_by(const struct command *command, struct measure_choice *choice)
{
    choice->by_class = strcmp(optarg, "class") == 0;
    if (!choice->by_class && strcmp(optarg, "phase") != 0) {
        static const char *const names[] = {"phase", "class"};

        command_unknown_word(command, "--by", optarg, names, 2);
        return false;
    }
    return true;
}

static bool take_above(const struct command *command, struct measure_choice *choice)
{
    char error[THRESHOLDS_ERROR_MAX];

    choice->has_above = true;
    if (!thresholds_read_one(optarg, &choice->above_ms, error)) {
        command_usage_error(command, "--above %s", error);
        return false;
    }
    return true;
}

static bool take_threshold(const struct command *command, struct measure_choice *choice)
{
    char error[THRESHOLDS_ERROR_MAX];

    if (!choice->has_thresholds) {
        thresholds_init(&choice->thresholds);
        choice->has_thresholds = true;
    }
    if (!thresholds_read_set(optarg, &choice->thresholds, error)) {
        command_usage_error(command, "--threshold %s", error);
        return false;
    }
    return true;
}

bool measure_option(const struct command *command, int option)
{
    struct measure_choice choice = *measure_choice();
    bool good = false;

    switch (option) {
    case OPTION_MEASURE:
        good = take_measure(command, &choice);
        break;
    case OPTION_BY:
        good = take_by(command, &choice);
        break;
    case OPTION_ABOVE:
        good = take_above(command, &choice);
        break;
    case OPTION_LATENCY_THRESHOLD:
        good = take_threshold(command, &choice);
        break;
    default:
        break;
    }
    measure_choose(&choice);
    return good;
}
