/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the task writer: a word processor like Word, in one thread. A key is echoed first.
 * The rest of its work is a job of two coroutines, which is put off while there is input:
 *
 *     layout     lays out the paragraph, justified in a proportional font, and draws the lines that
 *                differ
 *     spelling   looks up the word that the key ended in a list, and draws the number of words that
 *                were not in it
 *
 * Each works in steps, and between two steps the thread polls for a message. A job has a copy of
 * the text as its key left it. The jobs of a script and their steps are therefore the same whatever
 * plays the script; only their times differ. If WRITER_JOBS jobs are left when a key comes, the
 * oldest one is completed first.
 *
 * By itself, a key is done after its echo. A QUEUE_SYNC after the key, as a test driver posts it,
 * asks for everything to be done; the key is then done after the last job.
 */
#pragma once

#include "kernel/task/thread.h"

extern thread_entry write_text;      /* the program's name in ring 3 */
extern thread_entry user_write_text; /* the same function's name in ring 0 */

/* Numbers for client_parameter(). */
enum writer_parameter {
    WRITER_ECHO_US,   /* work for each key that does something */
    WRITER_LAYOUT_US, /* work for each layout, done in steps */
    WRITER_SPELL_US,  /* work to look up a word of five letters, done in steps */
};

/* Numbers for client_result(). Ticks are differences of two readings of the TSC in ring 3. */
enum writer_result {
    WRITER_CHECKSUM, /* checksum of the document (document/text.h) */
    WRITER_LENGTH,   /* characters of the document */
    WRITER_LAID_OUT, /* layouts done */
    WRITER_LINES,    /* lines placed by these layouts */
    WRITER_WORDS,    /* words looked up */
    WRITER_WRONG,    /* words that were not in the list */
    WRITER_STEPS,
    WRITER_ECHO,     /* ticks of all echoes */
    WRITER_LAYOUT,   /* ticks of all layouts */
    WRITER_SPELLING, /* ticks of all spellings */
    /* sum of the times from a key's message to its end, over the keys that do something */
    WRITER_ANSWER,
    WRITER_BEHIND, /* keys that had to wait for a job because too many were left */
};

#define WRITER_BYTES_MAX 4096 /* characters of the document */
#define WRITER_JOBS      16   /* jobs that may be left at once */
#define WRITER_OWN_BYTES (160 * 1024)
