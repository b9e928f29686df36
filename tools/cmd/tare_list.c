/* SPDX-License-Identifier: BSD-2-Clause */
/* `tare list`: prints what can be booted: profiles and benches, each with its brief. */
#include <stdio.h>

#include "tools/cmd/bench_help.h"
#include "tools/cmd/commands.h"

static const struct option_line options[] = {
    {"BENCH", OPT_ARGUMENTS(0, 1), "BENCH"},
    OPTIONS_END,
};

static int run_list(const struct option_rest *rest)
{
    if (rest->count == 0) {
        benches_list(stdout);
        return COMMAND_OK;
    }
    return bench_keys_list(stdout, rest->arguments[0])
               ? COMMAND_OK
               : command_usage_error(&command_list,
                                     "%s: no plan key begins so; tare list prints all benches",
                                     rest->arguments[0]);
}

const struct command command_list = {
    .name = "list",
    .summary = "list profiles, benches and plan keys",
    .about = "usage: tare list [BENCH]\n"
             "\n"
             "Prints the profiles, then the benches by group, each with its brief; with BENCH,\n"
             "or the beginning of a plan key, the keys that begin so. tare boot NAME runs a\n"
             "profile or a bench, and tare help NAME describes it.\n",
    .options = options,
    .notes = "Exit status: 0 printed, 2 wrong usage.\n",
    .run = run_list,
    .is_long = true,
};
