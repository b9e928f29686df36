/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the tasks slides, page_down and object_edit: shows a presentation
 * (bench/interactive/document), and edits the graphs on its slides.
 *
 *     f1           starts: reads the program and draws its window
 *     ctrl+o       opens: reads the presentation and shows the first slide
 *     pagedown/up  shows the next or previous slide
 *     enter        on a slide with a graph: starts an edit session, which reads the editor
 *     1 to 9, 0    in an edit session: sets the next bar to this many tenths of the full height
 *     esc          ends the edit session
 *     ctrl+s       saves the presentation to memory
 *
 * On QUEUE_QUIT it measures its actions. It reads what each long action reads, and then does the
 * action once more, with everything resident. It times flushes of one request and of a full
 * batch. It reads pages that nothing else reads, which miss the cache, and then the same pages
 * again.
 */
#pragma once

#include "bench/interactive/document/deck.h"
#include "bench/interactive/names.h"
#include "kernel/task/thread.h"

extern thread_entry show_slides;      /* the program's name in ring 3 */
extern thread_entry user_show_slides; /* the same function's name in ring 0 */

/* Numbers for client_parameter(). */
enum slides_parameter {
    SLIDES_START_US,   /* work to start */
    SLIDES_OPEN_US,    /* work for each slide that is opened */
    SLIDES_PAGE_US,    /* work for each slide that is shown */
    SLIDES_OBJECT_US,  /* work for a graph on it */
    SLIDES_SESSION_US, /* work to start an edit session */
    SLIDES_EDIT_US,    /* work for an edit */
    SLIDES_SAVE_US,    /* work for each slide that is saved */
    SLIDES_LEAK_KIB,   /* memory that each edit session keeps, and the next sessions walk through */
    /* number of the slide that is shown first, from 1; 0: none, and no presentation is open */
    SLIDES_SHOWN,
    SLIDES_FILES, /* 1: the program reads its files; 0: everything is in memory */
    SLIDES_PARAMETERS,
};

/* Numbers for client_result(). Results in ticks are 0 if nothing was read or measured. */
enum slides_result {
    SLIDES_CHECKSUM, /* checksum of the presentation as it was last saved, with the edited graphs */
    SLIDES_NUMBER,   /* number of the slide that is shown */
    SLIDES_EDITS,
    SLIDES_WRONG, /* reads that failed, and sectors with wrong content */
    /* ticks of each long action with everything resident: one for each of the first DECK_SPARE of
     * enum deck_action */
    SLIDES_WARM,
    SLIDES_FLUSH = SLIDES_WARM + DECK_SPARE, /* ticks of SLIDES_TIMES flushes of one request */
    SLIDES_FLUSH_FULL,                       /* ticks of as many flushes of BATCH_MAX requests */
    SLIDES_MISS, /* ticks to read the spare pages while none is resident */
    SLIDES_HIT,  /* ticks to read them while all are resident */
    /* flushes of the last page down, or of the last start of an edit session */
    SLIDES_ROUND_FLUSHES,
    SLIDES_ROUND_REQUESTS, /* requests drawn in these flushes */
    SLIDES_RESULTS,
};

#define SLIDES_TIMES     FLUSH_TIMES
#define SLIDES_OWN_BYTES (2ull << 20) /* memory, without what leaks */
#define SLIDES_LEAK_MAX  (6ull << 20) /* largest number of bytes that leak in all */
