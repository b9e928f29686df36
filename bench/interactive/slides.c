/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench slides: from a cold start, a presentation is opened and paged through, and its three graphs
 * are edited (Endo et al., OSDI '96, section 5.2, figures 8 and 12, table 1). Every long action
 * reads its part of the program through the page cache, from the modelled disk of 1996. The second
 * and the third edit session find in the cache what the first one read.
 */
#include "bench/interactive/names.h"
#include "bench/interactive/presentation.h"
#include "kernel/run/names.h"

#define PAGES(count) "then 150ms pagedown x" count " every=400ms as=page_down; "
#define EDIT(n)                                                                             \
    "then 500ms key enter as=start_edit_" n "; then 300ms key 4 as=edit; then 300ms key 9 " \
    "as=edit; then 300ms key 7 as=edit; then 300ms key esc as=end_edit; "

static enum bench_state run(struct bench_run *run)
{
    static const struct presentation presentation = {.name = "slides", .files = true};

    return presentation_run(run, &presentation);
}

static const struct bench_param params[] = {
    {"script",
     "key f1 as=start; then 150ms key ctrl+o as=open; " PAGES("11") EDIT("1") PAGES("13") EDIT("2")
         PAGES("13") EDIT("3") PAGES("8") "then 150ms key ctrl+s as=save",
     "what is done, in each phase", PARAM_TEXT()},
    PRESENTATION_PARAM("start_us", "1500000", "us of work to start"),
    PRESENTATION_PARAM("open_us", "25000", "us of each slide that is opened"),
    PRESENTATION_PARAM("page_us", "40000", "us of a slide that is shown"),
    PRESENTATION_PARAM("object_us", "100000", "us of a graph on it"),
    PRESENTATION_PARAM("session_us", "500000", "us of the begin of an edit session"),
    PRESENTATION_PARAM("edit_us", "60000", "us of an edit"),
    PRESENTATION_PARAM("save_us", "50000", "us of each slide that is saved"),
    PRESENTATION_PARAM("leak_kib", "0", "KiB that each edit session keeps"),
    TASK_PARAMS,
    {0},
};

static const struct bench slides = {
    .name = "slides",
    .group = GROUP_INTERACTIVE,
    .summary = "a presentation from a cold start on, with three graphs that are edited and saved",
    .unit = UNIT_TICK,
    .estimate = "hdd1996 reads a page of a program in 9 ms, and one behind the last one a turn "
                "later, in 11 ms: start 300 * 9 + 1500 ms, open 60 * 9 + 133 * 11 + 1150 ms, the "
                "first edit session 300 * 9 + 500 ms, the second 110 * 9 + 500, the third "
                "70 * 9 + 500, save 35 * 9 + 256 * 11 + 2300 ms",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(slides);
