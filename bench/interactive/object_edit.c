/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench object_edit: an edit session of a graph is started ten times, with everything in memory
 * (Endo et al., OSDI '96, section 5.3 and figure 10). With `leak_kib` each session keeps memory
 * that the next sessions walk through. As in the paper, all counts then grow from session to
 * session.
 */
#include "bench/interactive/names.h"
#include "bench/interactive/presentation.h"
#include "kernel/run/names.h"

#define SHOWN 12 /* a slide with a graph */
#define ROUND "; then 300ms key enter as=" CLASS_START_EDIT "; then 300ms key esc as=end_edit"

static enum bench_state run(struct bench_run *run)
{
    static const struct presentation presentation = {.name = BENCH_OBJECT_EDIT, .shown = SHOWN};

    return presentation_run(run, &presentation);
}

static const struct bench_param params[] = {
    {"script",
     "key enter as=warm_up; then 300ms key esc as=end_edit" ROUND ROUND ROUND ROUND ROUND ROUND
         ROUND ROUND ROUND ROUND,
     "what is done, in each phase", PARAM_TEXT()},
    PRESENTATION_PARAM("start_us", "0", "us of work to start"),
    PRESENTATION_PARAM("open_us", "0", "us of each slide that is opened"),
    PRESENTATION_PARAM("page_us", "10000", "us of a slide that is shown"),
    PRESENTATION_PARAM("object_us", "10000", "us of a graph on it"),
    PRESENTATION_PARAM("session_us", "50000", "us of the begin of an edit session"),
    PRESENTATION_PARAM("edit_us", "0", "us of an edit"),
    PRESENTATION_PARAM("save_us", "0", "us of each slide that is saved"),
    PRESENTATION_PARAM("leak_kib", "0", "KiB that each edit session keeps"),
    TASK_PARAMS,
    {0},
};

static const struct bench object_edit = {
    .name = BENCH_OBJECT_EDIT,
    .group = GROUP_INTERACTIVE,
    .summary = "an edit session of a graph begins, 10 times, in each structure",
    .unit = UNIT_TICK,
    .estimate = "50 ms of work and the same drawing in each structure; some 40 flushes, as bench "
                "page_down has them",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(object_edit);
