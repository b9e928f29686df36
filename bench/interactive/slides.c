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
     "actions to play, in each phase", PARAM_TEXT()},
    PRESENTATION_PARAMS("1500000", "25000", "40000", "100000", "1000000", "60000", "100000"),
    {0},
};

static const struct bench slides = {
    .name = "slides",
    .group = GROUP_INTERACTIVE,
    .summary = "a presentation from a cold start: opened, paged through, 3 graphs edited, saved",
    .unit = UNIT_TICK,
    .estimate =
        "hdd1996 reads a page of a program in 9 ms, and in 1 ms if its buffer has the page: "
        "start 300 * 9 + 1500 ms, open 193 * 1 + 1290 ms, the first edit session 300 * 9 + "
        "1000 ms, the second 110 * 10 + 1000, the third 70 * 1 + 1000, save 291 * 1 + 4600 ms; "
        "calls to a server take half of the work for the screen longer",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(slides);
