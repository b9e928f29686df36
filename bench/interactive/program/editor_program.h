/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the task editor: a text editor as small as Notepad. At the start it makes up a
 * text of EDITOR_CHARACTERS characters; its window shows rows of that text, with the cursor at the
 * end.
 *
 * Characters, newline and backspace change the text at the cursor. Only those rows of the window
 * that differ are drawn, from the first changed character on; a newline draws all rows, as
 * Notepad's did. Arrows, home, end, pageup, pagedown, ctrl+home and ctrl+end move the cursor. A
 * move to the row beyond the window scrolls by one row; pageup and pagedown draw all rows again.
 */
#pragma once

#include "kernel/task/thread.h"

extern thread_entry edit_text;      /* the program's name in ring 3 */
extern thread_entry user_edit_text; /* the same function's name in ring 0 */

/* Numbers for client_parameter(). */
enum editor_parameter {
    EDITOR_CHARACTERS, /* length of the initial text, up to EDITOR_BYTES_MAX / 2 */
    EDITOR_SEED,       /* seed of the initial text */
    EDITOR_KEY_US,     /* work for each key that does something */
    EDITOR_ROW_US,     /* work for each row that is drawn */
};

/* Numbers for client_result(). */
enum editor_result {
    EDITOR_CHECKSUM, /* checksum of the text after the initial text (document/text.h) */
    EDITOR_WHOLE,    /* checksum of the whole text */
    EDITOR_LENGTH,   /* characters of the whole text */
    EDITOR_ROWS,     /* rows that were drawn */
    EDITOR_PAGES,    /* moves that drew all rows */
    EDITOR_SCROLLS,  /* rows by which the window was scrolled */
};

#define EDITOR_BYTES_MAX (128 * 1024)
#define EDITOR_OWN_BYTES (256 * 1024)
