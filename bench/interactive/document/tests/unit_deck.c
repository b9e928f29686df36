/* SPDX-License-Identifier: BSD-2-Clause */
/* What each action of the presentation's program reads: every page once, and where sessions meet.
 */
#include "bench/interactive/document/deck.h"

#include <string.h>

#include "kernel/block/layout.h"
#include "tools/tests/support/unit.h"

#define SECTORS_OF_PAGE (DECK_PAGE / LAYOUT_SECTOR)
#define SLIDES_PAGES    (LAYOUT_SLIDES_SECTORS / SECTORS_OF_PAGE)
#define PAGES           (SLIDES_PAGES + LAYOUT_DOC_SECTORS / SECTORS_OF_PAGE)

static bool seen[PAGES];

/* How many pages of an action were not seen before. */
static size_t see(enum deck_action action)
{
    static bool here[PAGES];
    size_t new = 0;

    memset(here, 0, sizeof(here));
    for (size_t i = 0; i < deck_pages(action); i++) {
        const struct deck_page page = deck_page(action, i);
        const size_t at = page.page + (page.document ? SLIDES_PAGES : 0);

        CHECK(at < (page.document ? PAGES : SLIDES_PAGES));
        CHECK(!here[at]);
        here[at] = true;
        new += seen[at] ? 0 : 1;
        seen[at] = true;
    }
    return new;
}

static void test_pages(void)
{
    static const size_t asked[DECK_ACTIONS] = {300, 193, 300, 350, 310, 424, 16};
    static const size_t new[DECK_ACTIONS] = {300, 193, 300, 110, 70, 291, 16};
    size_t all = 0;

    for (unsigned action = 0; action < DECK_ACTIONS; action++) {
        CHECK_EQUAL(deck_pages(action), asked[action]);
        CHECK_EQUAL(see(action), new[action]);
        all += new[action];
    }
    CHECK_EQUAL(all, PAGES);
}

/* A program's pages come out of order, the presentation's in order. */
static void test_order(void)
{
    CHECK_EQUAL(deck_page(DECK_START, 0).page, 133);
    CHECK_EQUAL(deck_page(DECK_START, 1).page, 170);
    CHECK_EQUAL(deck_page(DECK_START, 9).page, 133 + 33);
    CHECK_EQUAL(deck_page(DECK_OPEN, 60).page, 0);
    CHECK_EQUAL(deck_page(DECK_OPEN, 192).page, 132);
    CHECK(deck_page(DECK_SAVE, 35).document && deck_page(DECK_SAVE, 290).document);
    CHECK(!deck_page(DECK_SAVE, 34).document && !deck_page(DECK_SAVE, 291).document);
}

static void test_slides(void)
{
    unsigned objects = 0;

    for (unsigned slide = 0; slide <= DECK_SLIDES + 1; slide++) {
        const unsigned object = deck_object(slide);

        CHECK(object == 0 || object == objects + 1);
        objects += object != 0 ? 1 : 0;
        CHECK(deck_lines(slide) >= 3 && deck_lines(slide) <= DECK_LINES_MAX);
        for (unsigned line = 0; line < deck_lines(slide); line++) {
            CHECK(deck_line_length(slide, line) >= 24 && deck_line_length(slide, line) < 47);
        }
    }
    CHECK_EQUAL(objects, DECK_OBJECTS);
    CHECK_EQUAL(deck_object(12), 1);
    CHECK_EQUAL(deck_object(38), 3);
    for (unsigned bar = 0; bar < DECK_BARS; bar++) {
        CHECK(deck_bar(1, bar) >= 1 && deck_bar(1, bar) <= DECK_BAR_MAX);
    }
}

int main(void)
{
    RUN(test_pages());
    RUN(test_order());
    RUN(test_slides());
    return unit_finish("unit_deck");
}
