/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The presentation that the tasks slides, page_down and object_edit show (Endo et al. 1996, section
 * 5.2: 46 pages, 530 KB, three embedded graphs), and which pages of the volume's files each action
 * of its program reads: the program's own, its libraries, the presentation, and the editor of the
 * graphs, of which each graph needs a part that others need as well, and a part that is new.
 *
 * SLIDES.DAT, in pages of 4 KiB:
 *
 *     0     133  the presentation
 *     133   300  the program
 *     433    60  what reads a presentation
 *     493   200  the editor of graphs
 *     693   100  for the first graph
 *     753   150  for the second: 40 of the first's, 110 new
 *     863   110  for the third: 40 of the second's, 70 new
 *     973    35  what writes a presentation
 *     1008   16  that no action reads: for what a miss of the cache costs
 *
 * DOC.DAT, all of it, is a library that writing needs. A program is read in the order of its use,
 * which is not that of its pages.
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
#define DECK_BARS           8 /* of a graph */
#define DECK_BAR_MAX        100
#define DECK_LINES_MAX      6

enum deck_action {
    DECK_START,
    DECK_OPEN,
    DECK_EDIT_1, /* the first edit session; the other two follow */
    DECK_EDIT_2,
    DECK_EDIT_3,
    DECK_SAVE,
    DECK_SPARE, /* none reads these */
    DECK_ACTIONS,
};

struct deck_page {
    bool document; /* of DOC.DAT; else of SLIDES.DAT */
    uint32_t page;
};

/* What an action reads, in order; those that are resident included. */
size_t deck_pages(enum deck_action action);
struct deck_page deck_page(enum deck_action action, size_t index);

/* The graph on a slide, from 1 on; 0: there is none. Slides count from 1. */
unsigned deck_object(unsigned slide);
/* Lines of text below a slide's title, and characters of each. */
unsigned deck_lines(unsigned slide);
unsigned deck_line_length(unsigned slide, unsigned line);
/* A bar of a graph as the presentation has it: 1 to DECK_BAR_MAX. */
unsigned deck_bar(unsigned object, unsigned bar);
