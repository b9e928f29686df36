/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench page_down: page down to a slide with a graph, 30 times, with everything in memory (Endo et
 * al., OSDI '96, section 5.3 and figure 9). It counts what the structures of the window system
 * cost.
 */
#include "bench/interactive/names.h"
#include "bench/interactive/presentation.h"
#include "kernel/run/names.h"

#define SHOWN  11 /* the next slide has a graph */
#define ROUND  "; then 300ms pagedown as=page_down; then 300ms pageup as=page_up"
#define ROUNDS ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND

static enum bench_state run(struct bench_run *run)
{
    static const struct presentation presentation = {.name = BENCH_PAGE_DOWN, .shown = SHOWN};

    return presentation_run(run, &presentation);
}

static const struct bench_param params[] = {
    {"script", "pagedown as=warm_up; then 300ms pageup as=page_up" ROUNDS ROUNDS ROUNDS,
     "actions to play, in each phase", PARAM_TEXT()},
    PRESENTATION_PARAMS("0", "0", "10000", "10000", "0", "0", "0"),
    {0},
};

static const struct bench page_down = {
    .name = BENCH_PAGE_DOWN,
    .group = GROUP_INTERACTIVE,
    .summary = "page down to a slide with a graph, 30 times, in each structure",
    .unit = UNIT_TICK,
    .estimate = "the same drawing in each structure; for each of about 30 flushes, the server "
                "costs two address-space loads and two messages more, and 16-bit code its far "
                "calls and segment loads",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(page_down);
