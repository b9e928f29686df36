/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the tasks slides, page_down and object_edit: shows a presentation
 * (bench/interactive/document), and edits the graphs on its slides.
 *
 *     f1           starts: reads the program, draws its window
 *     ctrl+o       opens: reads the presentation, shows the first slide
 *     pagedown/up  shows the next or previous slide
 *     enter        on a slide with a graph: begins to edit it; reads the editor
 *     1 to 9, 0    while it is edited: the next bar of it becomes so many tenths high
 *     esc          ends that
 *     ctrl+s       saves: to memory
 *
 * On QUEUE_QUIT it measures what is to be known of its actions: each long one is done twice more,
 * and the second time everything that it reads is resident; a flush of one request, and of a whole
 * batch; and a read of pages that nothing else reads, which miss the cache, then of the same again.
 */
#pragma once

#include "bench/interactive/document/deck.h"
#include "bench/interactive/names.h"
#include "kernel/task/thread.h"

extern thread_entry show_slides;      /* its name in ring 3, */
extern thread_entry user_show_slides; /* and in ring 0 */

/* client_parameter(). */
enum slides_parameter {
    SLIDES_START_US,   /* of work: to start */
    SLIDES_OPEN_US,    /* of each slide that is opened */
    SLIDES_PAGE_US,    /* of each slide that is shown */
    SLIDES_OBJECT_US,  /* of a graph on it */
    SLIDES_SESSION_US, /* of the begin of an edit session */
    SLIDES_EDIT_US,    /* of an edit */
    SLIDES_SAVE_US,    /* of each slide that is saved */
    SLIDES_LEAK_KIB,   /* that each edit session keeps, and the next ones walk through */
    SLIDES_SHOWN,      /* slide that is shown to begin with, from 1 on; 0: none, nothing is open */
    SLIDES_FILES,      /* 1: reads its files; 0: all is there */
    SLIDES_PARAMETERS,
};

/* client_result(). Those in ticks are 0 where nothing is read, or nothing was asked for. */
enum slides_result {
    SLIDES_CHECKSUM, /* of the presentation as it was saved last, with the edited graphs */
    SLIDES_NUMBER,   /* of the slide that is shown */
    SLIDES_EDITS,
    SLIDES_WRONG, /* reads that failed, and sectors that are not what they ought to be */
    SLIDES_WARM,  /* ticks of each long action, with all resident: one for each of the first
                     DECK_SPARE of enum deck_action */
    SLIDES_FLUSH = SLIDES_WARM + DECK_SPARE, /* ticks of SLIDES_TIMES flushes of one request */
    SLIDES_FLUSH_FULL,                       /* of as many flushes of BATCH_MAX requests */
    SLIDES_MISS,           /* ticks of reading the spare pages while none is resident */
    SLIDES_HIT,            /* ticks of reading them while all are resident */
    SLIDES_ROUND_FLUSHES,  /* flushes of the last page down, or begin of an edit session */
    SLIDES_ROUND_REQUESTS, /* requests that were drawn in these */
    SLIDES_RESULTS,
};

#define SLIDES_TIMES     FLUSH_TIMES
#define SLIDES_OWN_BYTES (2ull << 20) /* of memory, without what leaks */
#define SLIDES_LEAK_MAX  (6ull << 20) /* bytes, in all */
