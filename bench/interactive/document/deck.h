/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The presentation that the tasks slides, page_down and object_edit show (Endo et al. 1996, section
 * 5.2: 46 pages, 530 KB, three embedded graphs), and the pages of the volume's files that each
 * action of its program reads: those of the program, of its libraries, of the presentation, and of
 * the graph editor. For each graph the editor needs some pages that it needs for other graphs as
 * well, and some that are new.
 *
 * SLIDES.DAT, in pages of 4 KiB (first page, number of pages, content):
 *
 *     0     133  the presentation
 *     133   300  the program
 *     433    60  code that reads a presentation
 *     493   200  the graph editor
 *     693   100  for the first graph
 *     753   150  for the second graph: 40 pages of the first, 110 new ones
 *     863   110  for the third graph: 40 pages of the second, 70 new ones
 *     973    35  code that writes a presentation
 *     1008   16  pages that no action reads, to measure what a cache miss costs
 *
 * All of DOC.DAT is a library that writing needs. A program's pages are read in the order in which
 * they are used, which is not the order of the pages.
 *
 * Pure: for ring 0, ring 3 and the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECK_PAGE           4096
#define DECK_DOCUMENT_PAGES 133 /* 530 KiB */
#define DECK_SLIDES         46
#define DECK_OBJECTS        3
#define DECK_BARS           8 /* bars of a graph */
#define DECK_BAR_MAX        100
#define DECK_LINES_MAX      6

enum deck_action {
    DECK_START,
    DECK_OPEN,
    DECK_EDIT_1, /* the first edit session; the next two belong to the other graphs */
    DECK_EDIT_2,
    DECK_EDIT_3,
    DECK_SAVE,
    DECK_SPARE, /* pages that no action reads */
    DECK_ACTIONS,
};

struct deck_page {
    bool document; /* the page is in DOC.DAT, otherwise in SLIDES.DAT */
    uint32_t page;
};

/* deck_pages() returns the number of pages that an action reads, including those that are already
 * in the cache; deck_page() returns them in order. */
size_t deck_pages(enum deck_action action);
struct deck_page deck_page(enum deck_action action, size_t index);

/* Returns the number of the graph on a slide, from 1, or 0 if there is none. Slides are counted
 * from 1. */
unsigned deck_object(unsigned slide);
/* Return the number of text lines below a slide's title, and the number of characters in each. */
unsigned deck_lines(unsigned slide);
unsigned deck_line_length(unsigned slide, unsigned line);
/* Returns the height of a bar as the presentation has it: 1 to DECK_BAR_MAX. */
unsigned deck_bar(unsigned object, unsigned bar);
