/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench object_edit: an edit session of a graph is started 30 times, with everything in memory
 * (Endo et al., OSDI '96, section 5.3 and figure 10). With `leak_kib` each session keeps memory
 * that the next sessions walk through. As in the paper, all counts then grow from session to
 * session.
 */
#include "bench/interactive/names.h"
#include "bench/interactive/presentation.h"
#include "kernel/run/names.h"

#define SHOWN  12 /* a slide with a graph */
#define ROUND  "; then 300ms key enter as=" CLASS_START_EDIT "; then 300ms key esc as=end_edit"
#define ROUNDS ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND

static enum bench_state run(struct bench_run *run)
{
    static const struct presentation presentation = {.name = BENCH_OBJECT_EDIT, .shown = SHOWN};

    return presentation_run(run, &presentation);
}

static const struct bench_param params[] = {
    {"script", "key enter as=warm_up; then 300ms key esc as=end_edit" ROUNDS ROUNDS ROUNDS,
     "actions to play, in each phase", PARAM_TEXT()},
    PRESENTATION_PARAMS("0", "0", "10000", "10000", "50000", "0", "0"),
    {0},
};

static const struct bench object_edit = {
    .name = BENCH_OBJECT_EDIT,
    .group = GROUP_INTERACTIVE,
    .summary = "an edit session of a graph is started 30 times, in each structure",
    .unit = UNIT_TICK,
    .estimate = "50 ms of work and the same drawing in each structure; about 40 flushes, which "
                "cost as in bench page_down",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(object_edit);
