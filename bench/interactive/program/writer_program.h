/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the task writer: a word processor as Word was, in one thread. A key is echoed
 * first. What follows from it is a job of two coroutines, which is put off while there is input:
 *
 *     layout     of the paragraph, in a proportional font, justified; draws the lines that differ
 *     spelling   of the word that the key ended, against a list; draws how many were not in it
 *
 * Each works in steps, and between two of them the thread polls for a message. A job has its copy
 * of the text, as its key left it. So the jobs of a script and their steps are the same whatever
 * plays it: what differs is when. A key that finds WRITER_JOBS jobs left lets the oldest one
 * end first.
 *
 * By itself, a key is done with its echo. A QUEUE_SYNC behind it, as a test driver posts it, asks
 * to have all done: then it is done with the last job.
 */
#pragma once

#include "kernel/task/thread.h"

extern thread_entry write_text;      /* its name in ring 3, */
extern thread_entry user_write_text; /* and in ring 0 */

/* client_parameter(). */
enum writer_parameter {
    WRITER_ECHO_US,   /* of work: of each key that does something */
    WRITER_LAYOUT_US, /* of each layout, in steps */
    WRITER_SPELL_US,  /* of each word that is looked up, in steps */
};

/* client_result(). Ticks are between two readings of the TSC in ring 3. */
enum writer_result {
    WRITER_CHECKSUM, /* of the document (document/text.h) */
    WRITER_LENGTH,   /* characters of it */
    WRITER_LAID_OUT, /* jobs of layout */
    WRITER_LINES,    /* that these placed */
    WRITER_WORDS,    /* jobs of spelling */
    WRITER_WRONG,    /* words that were not in the list */
    WRITER_STEPS,
    WRITER_ECHO,     /* ticks of all echoes */
    WRITER_LAYOUT,   /* of all layouts */
    WRITER_SPELLING, /* of all spellings */
    WRITER_ANSWER,   /* from a key's message to its end, of all that do something */
    WRITER_BEHIND,   /* jobs that a key had to wait for */
};

#define WRITER_BYTES_MAX 4096 /* characters of the document */
#define WRITER_JOBS      16   /* that may be left */
#define WRITER_OWN_BYTES (160 * 1024)
