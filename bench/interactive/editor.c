/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench editor: a small text editor with a text of 56 KB (Endo et al., OSDI '96, section 5.1, with
 * Notepad). 1300 characters are typed at 100 words a minute, with moves by page and line in
 * between, on each structure of the window system. In the end the document must contain what was
 * typed, and the window must be the same in every phase.
 */
#include "bench/interactive/names.h"
#include "bench/interactive/program/editor_program.h"
#include "bench/interactive/task.h"
#include "kernel/run/names.h"

#define WIDTH    480
#define HEIGHT   360
#define EVENT_US 10000 /* average in ring 3, at 80 ns an instruction */
#define SAME                                                                                \
    (1u << EDITOR_CHECKSUM | 1u << EDITOR_WHOLE | 1u << EDITOR_LENGTH | 1u << EDITOR_ROWS | \
     1u << EDITOR_PAGES | 1u << EDITOR_SCROLLS)

static enum bench_state run(struct bench_run *run)
{
    const struct task task = {
        .name = "editor",
        .program = user_edit_text,
        .event_us = EVENT_US,
        .own_bytes = EDITOR_OWN_BYTES,
        .width = WIDTH,
        .height = HEIGHT,
        .parameters = {[EDITOR_CHARACTERS] = bench_number(run, "characters"),
                       [EDITOR_SEED] = bench_number(run, "seed"),
                       [EDITOR_KEY_US] = bench_number(run, "key_us"),
                       [EDITOR_ROW_US] = bench_number(run, "row_us")},
        .results = {[EDITOR_CHECKSUM] = FACT_DOCUMENT_CHECKSUM,
                    [EDITOR_WHOLE] = "whole_checksum",
                    [EDITOR_LENGTH] = "document_length",
                    [EDITOR_ROWS] = "rows_drawn",
                    [EDITOR_PAGES] = "windows_drawn",
                    [EDITOR_SCROLLS] = "rows_scrolled"},
        .same = SAME,
    };

    task_script_publish(run);
    return task_run(run, &task);
}

static const struct bench_param params[] = {
    {"script",
     "type characters=325 seed=1; enter; pause 500ms; pageup every=900ms x5; pause 500ms; "
     "pagedown every=900ms x5; ctrl+end; pause 500ms; type characters=325 seed=2; enter; "
     "pause 400ms; up every=150ms x45; down every=150ms x45; ctrl+end; pause 500ms; "
     "type characters=325 seed=3; enter x2; left every=150ms x10; home; end; ctrl+end; "
     "pause 300ms; pageup every=900ms x5; ctrl+home; pause 900ms; pagedown every=900ms x5; "
     "ctrl+end; pause 500ms; type characters=325 seed=4; enter",
     "keys to type, in each phase", PARAM_TEXT()},
    {"characters", "57344", "length of the initial text, in characters",
     PARAM_NUMBER(0, EDITOR_BYTES_MAX / 2)},
    {"seed", "1", "seed of the initial text", PARAM_NUMBER(1, UINT32_MAX)},
    {"key_us", "3500", "work for each key that does something, in us", PARAM_TIME(0, 100000)},
    {"row_us", "100", "work for each row that is drawn, in us", PARAM_TIME(0, 100000)},
    TASK_PARAMS,
    {0},
};

static const struct bench editor = {
    .name = "editor",
    .group = GROUP_INTERACTIVE,
    .summary = "a text editor: 1300 characters, pages and lines, in 3 structures by 3 drivers",
    .unit = UNIT_TICK,
    .estimate = "a character takes thousands of instructions, a page about a hundred times that; "
                "the structures differ only by their flushes",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .on_request = true,
    .run = run,
};
BENCH_REGISTER(editor);
