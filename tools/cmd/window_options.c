/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/window_options.h"

#include <getopt.h>
#include <stdio.h>

#include "tools/trace/trace_cut.h"

bool window_option(const struct command *command, int option, struct time_window *window)
{
    const bool from = option == OPTION_FROM;

    if (!from && option != OPTION_TO) {
        return false;
    }
    if (!window_time_read(optarg, from ? &window->from : &window->to)) {
        command_usage_error(command,
                            "--%s %s: must be a time with its unit, such as 3.2s, 250ms, 40us, "
                            "900ns or 12000ticks",
                            from ? "from" : "to", optarg);
        return false;
    }
    if (from) {
        window->has_from = true;
        window->from_text = optarg;
    } else {
        window->has_to = true;
        window->to_text = optarg;
    }
    return true;
}

/* Has any bench a trace that reaches into the window? */
static bool has_trace(const struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        if (run->benches[i].trace_count > 0) {
            return true;
        }
    }
    return false;
}

bool window_apply(const struct command *command, const struct time_window *window, struct run *run)
{
    char error[WINDOW_ERROR_MAX];
    char text[WINDOW_TEXT_MAX];
    char sentence[WINDOW_TEXT_MAX + 128];
    struct tick_window ticks;

    if (!window->has_from && !window->has_to) {
        return true;
    }
    if (!time_window_ticks(window, run->verdict.hz, &ticks, error)) {
        command_failure(command, "%s", error);
        return false;
    }
    const bool traced = has_trace(run);

    time_window_text(window, text);
    snprintf(sentence, sizeof(sentence),
             "%s since the begin of each bench's trace; facts, and series without times, are of "
             "the whole run",
             text);
    if (!run_cut(run, ticks.from, ticks.to, sentence)) {
        command_failure(command, "%s", run->losses.item[run->losses.count - 1]);
        return false;
    }
    if (traced && !has_trace(run)) {
        command_failure(command, "no trace of the run has anything %s since its begin", text);
        return false;
    }
    fprintf(stderr, "tare %s: %s since the begin of each trace\n", command->name, text);
    return true;
}
