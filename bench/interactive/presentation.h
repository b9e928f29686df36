/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benches slides, page_down and object_edit share: the program that shows a presentation
 * (bench/interactive/program/slides_program.h), run as a task (task.h), and the results published
 * from it.
 *
 * The facts of each phase are those of task.h and the program's results: document_checksum, shown,
 * edits, wrong, flush_one, flush_full, round_flushes and round_requests; with files also
 * warm.ACTION, miss and hit. Series asked.ACTION lists, in order, the disk sectors at which the
 * pages that the action reads begin.
 */
#pragma once

#include "bench/interactive/program/slides_program.h"
#include "bench/interactive/task.h"

struct presentation {
    const char *name;
    bool files;     /* the program and its presentation are read from the modelled disk of 1996 */
    unsigned shown; /* number of the slide that is shown first; 0: no presentation is open */
};

/* The parameters of these benches: the work for each operation, in us. */
/* clang-format off */
#define PRESENTATION_PARAMS(start, open, page, object, session, edit, save)                            \
    {"start_us", start, "work to start, in us", PARAM_TIME(0, 10000000)},                              \
    {"open_us", open, "work for each slide that is opened, in us", PARAM_TIME(0, 10000000)},           \
    {"page_us", page, "work for each slide that is shown, in us", PARAM_TIME(0, 10000000)},            \
    {"object_us", object, "work for a graph on a slide, in us", PARAM_TIME(0, 10000000)},              \
    {"session_us", session, "work to start an edit session, in us", PARAM_TIME(0, 10000000)},          \
    {"edit_us", edit, "work for an edit, in us", PARAM_TIME(0, 10000000)},                             \
    {"save_us", save, "work for each slide that is saved, in us", PARAM_TIME(0, 10000000)},            \
    {"leak_kib", "0", "memory that each edit session keeps, in KiB", PARAM_TIME(0, 10000000)},         \
    TASK_PARAMS
/* clang-format on */

/* Runs the bench. Returns BENCH_OK on success, otherwise the bench's result. */
enum bench_state presentation_run(struct bench_run *run, const struct presentation *presentation);
