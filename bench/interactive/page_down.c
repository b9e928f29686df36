/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench page_down: page down to a slide with a graph, ten times, with everything in memory (Endo et
 * al., OSDI '96, section 5.3 and figure 9). It counts what the structures of the window system
 * cost.
 */
#include "bench/interactive/names.h"
#include "bench/interactive/presentation.h"
#include "kernel/run/names.h"

#define SHOWN 11 /* the next slide has a graph */
#define ROUND "; then 300ms pagedown as=page_down; then 300ms pageup as=page_up"

static enum bench_state run(struct bench_run *run)
{
    static const struct presentation presentation = {.name = BENCH_PAGE_DOWN, .shown = SHOWN};

    return presentation_run(run, &presentation);
}

static const struct bench_param params[] = {
    {"script",
     "pagedown as=warm_up; then 300ms pageup as=page_up" ROUND ROUND ROUND ROUND ROUND ROUND ROUND
         ROUND ROUND ROUND,
     "what is done, in each phase", PARAM_TEXT()},
    PRESENTATION_PARAM("start_us", "0", "us of work to start"),
    PRESENTATION_PARAM("open_us", "0", "us of each slide that is opened"),
    PRESENTATION_PARAM("page_us", "10000", "us of a slide that is shown"),
    PRESENTATION_PARAM("object_us", "10000", "us of a graph on it"),
    PRESENTATION_PARAM("session_us", "0", "us of the begin of an edit session"),
    PRESENTATION_PARAM("edit_us", "0", "us of an edit"),
    PRESENTATION_PARAM("save_us", "0", "us of each slide that is saved"),
    PRESENTATION_PARAM("leak_kib", "0", "KiB that each edit session keeps"),
    TASK_PARAMS,
    {0},
};

static const struct bench page_down = {
    .name = BENCH_PAGE_DOWN,
    .group = GROUP_INTERACTIVE,
    .summary = "a page down to a slide with a graph, 10 times, in each structure",
    .unit = UNIT_TICK,
    .estimate = "the same drawing in each structure; the server costs two loads of the address "
                "space and two messages more for each of some 30 flushes, 16-bit code its far "
                "calls and segment loads",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(page_down);
