/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tasks of the paper's experimental section share: an application in ring 3 on each
 * structure of the window system, played by hand, by a driver, and by one with synchronisation
 * messages (bench/interactive/window/names.h). Each of these is a phase, named STRUCTURE.DRIVER.
 *
 *     static enum bench_state run(struct bench_run *run)
 *     {
 *         const struct task task = {.name = "editor", .program = user_editor, ...};
 *
 *         return task_run(run, &task);
 *     }
 *
 * Parameters of every task are TASK_PARAMS: which structures and drivers; what a driver waits. They
 * stand beside those of app.h (script, sample_us, tick_hz).
 *
 * Published of each phase, as facts NAME.PHASE: all of struct window_counts, `screen_checksum`
 * (CRC-32C of the pixels), `elapsed` and `busy` in ticks (first arrival to last end; of that not
 * idle), the results that the task names; and series SERIES_SCREEN.PHASE, run lengths of the
 * screen as it was at the end (screen_runs.h), of each phase whose screen no phase before it had.
 *
 * FAIL where two phases end with different screens, or different results of `same`.
 */
#pragma once

#include "bench/interactive/app.h"
#include "bench/interactive/window/names.h"
#include "bench/interactive/window/window.h"
#include "kernel/run/bench.h"

struct task {
    const char *name;
    thread_entry *program;
    uint64_t event_us; /* about; longest that it is at work on an event */
    bool files;        /* it reads DOC.DAT and SLIDES.DAT; the cache is empty when a phase begins */
    const char *disk;  /* with files: model of the disk, by block_volume_like() */
    uint64_t own_bytes; /* of memory that it touches, at the most */
    int32_t width, height;
    uint64_t parameters[WINDOW_PARAMETERS];
    const char *results[WINDOW_RESULTS]; /* names of what client_result() gave; NULL: not sent */
    uint32_t same;                       /* bit i: result i is equal in all phases, or FAIL */
    /* After each phase, with its name: the application has ended, the session not yet, so that what
     * window.h and kernel/block/file.h count can still be read. NULL: nothing more. */
    void (*phase_over)(struct bench_run *run, const char *phase);
};

/* clang-format off */
#define TASK_PARAMS                                                                              \
    {"structures", WINDOW_STRUCTURE_WORDS, "structures of the window system",              \
     PARAM_WORDS(WINDOW_STRUCTURE_WORDS)},                                                                          \
    {"drivers", DRIVER_WORDS, "how the script is played", PARAM_WORDS(DRIVER_WORDS)},                 \
    {"test_us", "20000", "us from an event's end to the next one, of a driver", PARAM_TIME(0, 10000000)},                                                                               \
    {"daemon_us", "0", "us of work behind each burst of events, of the segmented structure",     \
     PARAM_TIME(0, 10000000)},                                                                 \
    {"tick_hz", "100", "clock ticks a second; 0: none", PARAM_NUMBER(0, 1000)},                  \
    {"sample_us", "1000", "length of an idle sample in us", PARAM_TIME(10, 1000000)}
/* clang-format on */

enum bench_state task_run(struct bench_run *run, const struct task *task);

/*
 * What a task's script types, as a document: its characters one behind the other, with newlines,
 * after corrections. Moves of the cursor are left out: it is the document where they come back to
 * its end before more is typed.
 */

/* Facts `script_checksum`, as document/text.h has it, and `script_length`; none where the script
 * cannot be read. */
void task_script_publish(struct bench_run *run);

/* What a window system counted, as facts of a bench. */

/* Facts NAME.OF, of all that struct window_counts has. */
void window_facts_publish(const struct bench_run *run, const char *of,
                          const struct window_counts *counts);
/* One more beside them. */
void window_facts_add(const struct bench_run *run, const char *of, const char *name,
                      const char *unit, int64_t value);
