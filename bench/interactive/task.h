/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tasks of the paper's experimental section share: an application in ring 3 runs on each
 * structure of the window system, driven by hand, by a test driver with synchronisation messages,
 * and as fast as it can take the input (bench/interactive/window/names.h). Each combination is a
 * phase, named STRUCTURE.DRIVER.
 *
 *     static enum bench_state run(struct bench_run *run)
 *     {
 *         const struct task task = {.name = "editor", .program = user_editor, ...};
 *
 *         return task_run(run, &task);
 *     }
 *
 * Every task has the parameters TASK_PARAMS (the structures, the drivers, ...) in addition to those
 * of app.h (script, sample_us, tick_hz).
 *
 * For each phase, the facts NAME.PHASE are all of struct window_counts, `screen_checksum` (CRC-32C
 * of the pixels), `elapsed` and `busy` in ticks (from the first arrival to the last end, and the
 * part of it that was not idle), and the results that the task names. Series SERIES_SCREEN.PHASE
 * holds the run lengths of the final screen (screen_runs.h). It is published only for phases whose
 * screen differs from that of every phase before.
 *
 * The bench ends as FAIL if two phases end with different screens, or with different results of
 * those that `same` selects.
 */
#pragma once

#include "bench/interactive/app.h"
#include "bench/interactive/window/names.h"
#include "bench/interactive/window/window.h"
#include "kernel/run/bench.h"

struct task {
    const char *name;
    thread_entry *program;
    uint64_t event_us; /* approximate longest time that it works on one event */
    /* the program reads DOC.DAT and SLIDES.DAT; the cache is empty when a phase starts */
    bool files;
    const char *disk;   /* disk model, as for block_volume_like(); used only with `files` */
    uint64_t own_bytes; /* upper limit of the memory that the program touches */
    int32_t width, height;
    uint64_t parameters[WINDOW_PARAMETERS];
    uint64_t chore_us, chore_work_us; /* see struct window_settings */
    /* names of the values given to client_result(); NULL: not published */
    const char *results[WINDOW_RESULTS];
    /* bit i: the bench fails unless result i is equal in all phases */
    uint32_t same;
    /* Called with the phase's name after each phase, when the application has ended but the session
     * has not, so that the counts of window.h and kernel/block/file.h can still be read. NULL: not
     * called. */
    void (*phase_over)(struct bench_run *run, const char *phase);
};

/* What the window system costs. The defaults are numbers of instructions on a machine of 1996 at
 * --shift 6, 64 ns an instruction: window/README.md has the reasons. */
/* clang-format off */
#define WINDOW_PARAMS                                                                                                  \
    {"draw_us", "20", "cost of a request to draw, by the display processor, in us", PARAM_TIME(0, 100000)},            \
    {"call_us", "100", "longest call of a program into the window system, in us", PARAM_TIME(1, 1000000)},             \
    {"calls_percent", "60", "share of a program's work for the screen that is done in such calls, in percent",         \
     PARAM_NUMBER(0, 100)},                                                                                            \
    {"batch_size", "32", "requests that fill a batch", PARAM_NUMBER(1, BATCH_MAX)}

#define TASK_PARAMS TASK_PARAMS_BY(DRIVER_WORDS)
#define TASK_PARAMS_BY(played)                                                                              \
    {"structures", WINDOW_STRUCTURE_WORDS, "structures of the window system to run",              \
     PARAM_WORDS(WINDOW_STRUCTURE_WORDS)},                                                                          \
    {"drivers", played, "drivers that play the script", PARAM_WORDS(DRIVER_WORDS)},                 \
    {"daemon_us", "0", "work of the daemon after each burst of events, in us; only in the segmented structure",     \
     PARAM_TIME(0, 10000000)},                                                                 \
    {"tick_hz", "100", "clock ticks per second; 0: none", PARAM_NUMBER(0, 1000)},                  \
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},                          \
    WINDOW_PARAMS
/* clang-format on */

enum bench_state task_run(struct bench_run *run, const struct task *task);

/*
 * The text that a task's script types, as a document: its characters in order, with newlines, after
 * corrections. Cursor moves are ignored, so the text equals the document only if the cursor is back
 * at the end before more is typed.
 */

/* Publishes the facts `script_checksum` (as document/text.h computes it) and `script_length`.
 * Publishes nothing if the script cannot be read. */
void task_script_publish(struct bench_run *run);

/* What a window system counted, as facts of a bench. */

/* Publishes all counts of struct window_counts as facts NAME.OF. */
void window_facts_publish(const struct bench_run *run, const char *of,
                          const struct window_counts *counts);
/* Publishes one more fact NAME.OF. */
void window_facts_add(const struct bench_run *run, const char *of, const char *name,
                      const char *unit, int64_t value);
