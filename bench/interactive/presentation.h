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

/* Defines a parameter of these benches. The default times are those of bench `slides`. */
#define PRESENTATION_PARAM(name, number, summary)      \
    {                                                  \
        name, number, summary, PARAM_TIME(0, 10000000) \
    }

/* Runs the bench. Returns BENCH_OK on success, otherwise the bench's result. */
enum bench_state presentation_run(struct bench_run *run, const struct presentation *presentation);
