/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/document/deck.h"

#define RUNS_MAX 4
/* distance from one page that a program uses to the next; no run that uses it is a multiple of it
 * long */
#define STEP       37
#define LINES_MIN  3
#define LINE_MIN   24
#define LINE_SPAN  23
#define FIRST      12 /* first slide with a graph */
#define APART      13 /* distance from a slide with a graph to the next one */
#define BAR_FIRST  31
#define BAR_OBJECT 17
#define BAR_NEXT   43

struct run {
    bool document;
    uint16_t first;
    uint16_t pages; /* 0: unused entry */
    uint16_t step;
};

static const struct run runs[DECK_ACTIONS][RUNS_MAX] = {
    [DECK_START] = {{false, 133, 300, STEP}},
    [DECK_OPEN] = {{false, 433, 60, STEP}, {false, 0, DECK_DOCUMENT_PAGES, 1}},
    [DECK_EDIT_1] = {{false, 493, 200, STEP}, {false, 693, 100, STEP}},
    [DECK_EDIT_2] = {{false, 493, 200, STEP}, {false, 753, 150, STEP}},
    [DECK_EDIT_3] = {{false, 493, 200, STEP}, {false, 863, 110, STEP}},
    [DECK_SAVE] = {{false, 973, 35, STEP}, {true, 0, 256, 1}, {false, 0, DECK_DOCUMENT_PAGES, 1}},
    [DECK_SPARE] = {{false, 1008, 16, 1}},
};

size_t deck_pages(enum deck_action action)
{
    size_t pages = 0;

    for (size_t i = 0; i < RUNS_MAX; i++) {
        pages += runs[action][i].pages;
    }
    return pages;
}

struct deck_page deck_page(enum deck_action action, size_t index)
{
    const struct run *run = runs[action];

    while (index >= run->pages) {
        index -= run->pages;
        run++;
    }
    return (struct deck_page){run->document,
                              run->first + (uint32_t)(index * run->step % run->pages)};
}

unsigned deck_object(unsigned slide)
{
    const unsigned last = FIRST + (DECK_OBJECTS - 1) * APART;

    return slide >= FIRST && slide <= last && (slide - FIRST) % APART == 0
               ? 1 + (slide - FIRST) / APART
               : 0;
}

unsigned deck_lines(unsigned slide)
{
    return LINES_MIN + slide % (DECK_LINES_MAX - LINES_MIN + 1);
}

unsigned deck_line_length(unsigned slide, unsigned line)
{
    return LINE_MIN + (slide * DECK_LINES_MAX + line) * line % LINE_SPAN;
}

unsigned deck_bar(unsigned object, unsigned bar)
{
    return 1 + (BAR_FIRST + object * BAR_OBJECT + bar * BAR_NEXT) % DECK_BAR_MAX;
}
