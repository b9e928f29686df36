/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the task editor: a text editor as small as Notepad. Its window shows rows of a
 * text of EDITOR_BYTES or so that it makes up to begin with, the cursor behind it.
 *
 * Characters, newline and backspace change the text at the cursor; of the window only those rows
 * are drawn that differ, from the first changed character on. Arrows, home, end, pageup, pagedown,
 * ctrl+home and ctrl+end move the cursor. One row beyond the window scrolls it; a page draws all
 * rows anew.
 */
#pragma once

#include "kernel/task/thread.h"

extern thread_entry edit_text;      /* its name in ring 3, */
extern thread_entry user_edit_text; /* and in ring 0 */

/* client_parameter(). */
enum editor_parameter {
    EDITOR_CHARACTERS, /* of the text that it begins with; up to EDITOR_BYTES_MAX / 2 */
    EDITOR_SEED,       /* of that text */
    EDITOR_KEY_US,     /* of work: of each key that does something */
    EDITOR_ROW_US,     /* of each row that is drawn */
};

/* client_result(). */
enum editor_result {
    EDITOR_CHECKSUM, /* of what stands behind the text that it began with (document/text.h) */
    EDITOR_WHOLE,    /* of all of it */
    EDITOR_LENGTH,   /* characters, of all */
    EDITOR_ROWS,     /* that were drawn */
    EDITOR_PAGES,    /* keys that drew all rows */
    EDITOR_SCROLLS,  /* rows that the window was scrolled by */
};

#define EDITOR_BYTES_MAX (128 * 1024)
#define EDITOR_OWN_BYTES (256 * 1024)
