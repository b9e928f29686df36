/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benches slides, page_down and object_edit share: the program that shows a presentation
 * (bench/interactive/program/slides_program.h) as a task (task.h), and what is published of it.
 *
 * Of each phase the facts are those of task.h and the program's results: document_checksum, shown,
 * edits, wrong, flush_1, flush_full, round_flushes, round_requests; with files also warm.ACTION,
 * miss and hit. Series asked.ACTION: the sectors of the disk where the pages begin that the action
 * reads, in order.
 */
#pragma once

#include "bench/interactive/program/slides_program.h"
#include "bench/interactive/task.h"

struct presentation {
    const char *name;
    bool files;     /* its program and its presentation are read from the modelled disk of 1996 */
    unsigned shown; /* slide that is shown to begin with; 0: nothing is open */
};

/* Parameters of each; the times are those of `slides`. */
#define PRESENTATION_PARAM(name, number, summary)      \
    {                                                  \
        name, number, summary, PARAM_TIME(0, 10000000) \
    }

/* BENCH_OK, or the bench's result. */
enum bench_state presentation_run(struct bench_run *run, const struct presentation *presentation);
