/* SPDX-License-Identifier: BSD-2-Clause */
/* The presentation program, in ring 3; see slides_program.h. */
#include <stdint.h>
#include <string.h>

#include "bench/interactive/document/deck.h"
#include "bench/interactive/program/client.h"
#include "bench/interactive/program/slides_program.h"
#include "kernel/block/layout.h"
#include "kernel/task/user.h"
#include "kernel/trace/trace.h"

/*
 * How the program looks. Everything is drawn by requests (client.h), on a screen of 320 x 240
 * pixels or more. A graph is drawn like a metafile, record by record, with a flush after each bar
 * and each line.
 */

#define INK      0x00202020u
#define PAPER    0x00fffff0u
#define FRAME    0x00304070u
#define LIGHT    0x00d8d8e0u
#define WHITE    0x00ffffffu
#define GRID     0x00c0c0c0u
#define BAR      0x00b04030u
#define BAR_SIDE 0x00602018u
#define SELECTED 0x0040a060u

#define BAR_HEIGHT  24 /* height of the window's title, of its row of tools and of its last line */
#define MARGIN      16
#define TOOLS       12
#define TOOL        18
#define TOOL_APART  22
#define GRID_LINES  10
#define CELL_HEIGHT 18
#define DECIMAL     10
#define TITLE_SCALE 4
#define TEXT_SCALE  2
#define LINE_APART  26
#define SPLIT       2 /* the graph takes 1/SPLIT of the slide's width */

static const char name_of_program[] = "Slides";
static const char words[] =
    "An interactive system is as fast as it seems to the person in front of it; throughput is "
    "another matter.";
static const char slide_word[] = "Slide ";
static const char saved_word[] = "saved";

static void text(int32_t x, int32_t y, const char *of, size_t length, int32_t scale, uint32_t ink,
                 uint32_t paper)
{
    const struct text_style style = {.scale = scale, .ink = ink, .paper = paper};

    client_text(x, y, of, length, &style, 0);
}

/* Draws a number with its left edge at x. */
static void number(int32_t x, int32_t y, unsigned value, int32_t scale, uint32_t ink,
                   uint32_t paper)
{
    char digits[3];
    size_t count = sizeof(digits);

    do {
        digits[--count] = (char)('0' + value % DECIMAL);
        value /= DECIMAL;
    } while (value > 0 && count > 0);
    text(x, y, digits + count, sizeof(digits) - count, scale, ink, paper);
}

/* ---- the window ---- */

static struct rectangle page_area(void)
{
    return (struct rectangle){0, 2 * BAR_HEIGHT, client_width(), client_height() - 3 * BAR_HEIGHT};
}

static void draw_tools(void)
{
    client_fill((struct rectangle){0, BAR_HEIGHT, client_width(), BAR_HEIGHT}, LIGHT);
    for (int32_t i = 0; i < TOOLS; i++) {
        const struct rectangle tool = {MARGIN + i * TOOL_APART, BAR_HEIGHT + 3, TOOL, TOOL};

        client_fill(tool, WHITE);
        client_outline(tool, 1, FRAME);
    }
}

/* Draws the window with nothing open. */
static void slide_draw_window(void)
{
    const int32_t width = client_width();
    const int32_t foot = client_height() - BAR_HEIGHT;

    client_fill((struct rectangle){0, 0, width, BAR_HEIGHT}, FRAME);
    text(MARGIN, 3, name_of_program, sizeof(name_of_program) - 1, TEXT_SCALE, WHITE, FRAME);
    draw_tools();
    client_fill(page_area(), GRID);
    client_fill((struct rectangle){0, foot, width, BAR_HEIGHT}, LIGHT);
}

/* Draws "saved" in the window's last line. */
static void slide_draw_saved(void)
{
    text(client_width() / 2, client_height() - BAR_HEIGHT + 3, saved_word, sizeof(saved_word) - 1,
         TEXT_SCALE, INK, LIGHT);
}

/* ---- a graph ---- */

static struct rectangle graph_area(void)
{
    const struct rectangle page = page_area();
    const int32_t width = page.width / SPLIT - MARGIN;
    const int32_t top = page.y + MARGIN + (FONT_HEIGHT + 2) * TITLE_SCALE + MARGIN;

    return (struct rectangle){page.width - MARGIN - width, top, width,
                              page.y + page.height - MARGIN - top};
}

static void draw_bar(const uint8_t bars[DECK_BARS], unsigned bar)
{
    const struct rectangle graph = graph_area();
    const int32_t step = graph.width / DECK_BARS;
    const int32_t height = graph.height * bars[bar] / DECK_BAR_MAX;
    const struct rectangle area = {graph.x + (int32_t)bar * step + 4,
                                   graph.y + graph.height - height, step - 8, height};

    client_fill((struct rectangle){area.x, graph.y, area.width, graph.height}, WHITE);
    client_fill(area, BAR);
    client_outline(area, 1, BAR_SIDE);
    number(area.x + 2, area.y + 2, bars[bar], 1, WHITE, BAR);
    client_flush();
}

static void draw_graph(const uint8_t bars[DECK_BARS])
{
    const struct rectangle graph = graph_area();

    client_fill(graph, WHITE);
    for (int32_t i = 0; i <= GRID_LINES; i++) {
        client_fill((struct rectangle){graph.x, graph.y + i * (graph.height - 1) / GRID_LINES,
                                       graph.width, 1},
                    GRID);
        client_flush();
    }
    for (unsigned bar = 0; bar < DECK_BARS; bar++) {
        draw_bar(bars, bar);
    }
    client_outline(graph, 2, INK);
    client_flush();
}

/* ---- a slide ---- */

/* Draws a slide, with its graph if it has one. */
static void slide_draw(unsigned slide, const uint8_t bars[DECK_BARS])
{
    const struct rectangle page = page_area();
    const bool graph = deck_object(slide) != 0;
    const int32_t columns =
        (graph ? page.width / SPLIT : page.width) / ((FONT_WIDTH + 1) * TEXT_SCALE) - 2;
    int32_t y = page.y + MARGIN;

    client_fill(page, PAPER);
    text(page.x + MARGIN, y, slide_word, sizeof(slide_word) - 1, TITLE_SCALE, FRAME, PAPER);
    number(page.x + MARGIN + (int32_t)(sizeof(slide_word) - 1) * (FONT_WIDTH + 1) * TITLE_SCALE, y,
           slide, TITLE_SCALE, FRAME, PAPER);
    y += (FONT_HEIGHT + 2) * TITLE_SCALE + MARGIN;
    for (unsigned line = 0; line < deck_lines(slide); line++) {
        const unsigned whole = deck_line_length(slide, line);
        const unsigned length = whole < (unsigned)columns ? whole : (unsigned)columns;

        text(page.x + MARGIN, y, words + line, length, TEXT_SCALE, INK, PAPER);
        y += LINE_APART;
    }
    if (graph) {
        draw_graph(bars);
    }
    client_fill((struct rectangle){0, page.y + page.height, page.width, BAR_HEIGHT}, LIGHT);
    number(MARGIN, page.y + page.height + 3, slide, TEXT_SCALE, INK, LIGHT);
}

/* ---- during an edit session ---- */

static void draw_cell(const uint8_t bars[DECK_BARS], unsigned bar)
{
    const struct rectangle page = page_area();
    const int32_t width = page.width / SPLIT - 2 * MARGIN;
    const struct rectangle cell = {page.x + MARGIN, graph_area().y + (int32_t)bar * CELL_HEIGHT,
                                   width, CELL_HEIGHT};

    client_fill(cell, WHITE);
    client_outline(cell, 1, GRID);
    number(cell.x + MARGIN, cell.y + 1, bar + 1, TEXT_SCALE, FRAME, WHITE);
    number(cell.x + width / 2, cell.y + 1, bars[bar], TEXT_SCALE, INK, WHITE);
    client_flush();
}

/* Draws the graph being edited, with a frame, and its numbers as a table. */
static void slide_draw_session(const uint8_t bars[DECK_BARS])
{
    draw_tools();
    for (unsigned bar = 0; bar < DECK_BARS; bar++) {
        draw_cell(bars, bar);
    }
    draw_graph(bars);
    client_outline(graph_area(), 4, SELECTED);
}

/* Draws one bar and its number during an edit session. */
static void slide_draw_edit(const uint8_t bars[DECK_BARS], unsigned bar)
{
    draw_cell(bars, bar);
    draw_bar(bars, bar);
}

/* The program's memory. */
#define PAGE_AT      (PROCESS_BASE + (64ull << 10)) /* for pages of the program as they are read */
#define DOCUMENT_AT  (PROCESS_BASE + (256ull << 10))
#define SAVED_AT     (PROCESS_BASE + (1ull << 20))
#define LEAK_AT      (PROCESS_BASE + SLIDES_OWN_BYTES)
#define DOCUMENT     ((uint64_t)DECK_DOCUMENT_PAGES * DECK_PAGE)
#define KIB          1024
#define LINE         64                    /* leaked memory is looked at every LINE bytes */
#define HASH_BEGIN   0xcbf29ce484222325ull /* FNV-1a over words */
#define HASH_PRIME   0x100000001b3ull
#define PAGE_SECTORS (DECK_PAGE / LAYOUT_SECTOR)
#define PERCENT_STEP 10 /* height of a bar for each step of the key's number */

/* Key codes of scan-code set 1. */
enum {
    CODE_ESC = 0x01,
    CODE_1 = 0x02,
    CODE_0 = 0x0b,
    CODE_O = 0x18,
    CODE_ENTER = 0x1c,
    CODE_CTRL = 0x1d,
    CODE_S = 0x1f,
    CODE_F1 = 0x3b,
    CODE_PAGE_UP = 0xc9,
    CODE_PAGE_DOWN = 0xd1,
};

struct slides {
    uint64_t file[2]; /* handles of SLIDES.DAT and DOC.DAT */
    uint64_t wrong;
    uint64_t edits;
    uint64_t leaked; /* bytes leaked so far */
    uint64_t seen;   /* sum of the leaked bytes that were looked at, so that they are really read */
    unsigned shown;  /* number of the slide shown; 0: no presentation is open */
    unsigned bar;    /* bar that the next edit changes */
    bool ctrl;       /* ctrl is held */
    bool editing;
    uint8_t bars[DECK_OBJECTS + 1][DECK_BARS];
};

static struct slides *state(void)
{
    return (struct slides *)PROCESS_BASE;
}

static uint8_t *bars_shown(void)
{
    return state()->bars[deck_object(state()->shown)];
}

/* ---- files ---- */

static void read_page(struct deck_page page, uint64_t to)
{
    const uint64_t file = state()->file[page.document ? 1 : 0];
    const char *bytes = (const char *)to;

    if (!client_seek(file, (uint64_t)page.page * DECK_PAGE) ||
        client_read(file, (void *)to, DECK_PAGE) != DECK_PAGE) {
        state()->wrong++;
        return;
    }
    for (uint64_t i = 0; i < PAGE_SECTORS; i++) {
        state()->wrong +=
            *(const uint64_t *)(bytes + i * LAYOUT_SECTOR) != page.page * PAGE_SECTORS + i ? 1 : 0;
    }
}

static void read_all(enum deck_action action)
{
    const size_t pages = client_parameter(SLIDES_FILES) != 0 ? deck_pages(action) : 0;

    for (size_t i = 0; i < pages; i++) {
        const struct deck_page page = deck_page(action, i);
        const bool presentation = !page.document && page.page < DECK_DOCUMENT_PAGES;

        read_page(page, presentation ? DOCUMENT_AT + (uint64_t)page.page * DECK_PAGE : PAGE_AT);
    }
}

static void open_files(void)
{
    if (client_parameter(SLIDES_FILES) != 0) {
        state()->file[0] = (uint64_t)client_open(LAYOUT_SLIDES);
        state()->file[1] = (uint64_t)client_open(LAYOUT_DOC);
    }
}

/* ---- actions ---- */

static void take_bars(void)
{
    for (unsigned object = 1; object <= DECK_OBJECTS; object++) {
        for (unsigned bar = 0; bar < DECK_BARS; bar++) {
            state()->bars[object][bar] = (uint8_t)deck_bar(object, bar);
        }
    }
}

static void show(unsigned slide)
{
    state()->shown = slide;
    client_render(client_parameter(SLIDES_PAGE_US));
    if (deck_object(slide) != 0) {
        client_render(client_parameter(SLIDES_OBJECT_US));
    }
    slide_draw(slide, bars_shown());
}

static void start(void)
{
    read_all(DECK_START);
    client_render(client_parameter(SLIDES_START_US));
    slide_draw_window();
}

static void open(void)
{
    read_all(DECK_OPEN);
    client_render(DECK_SLIDES * client_parameter(SLIDES_OPEN_US));
    take_bars();
    show(1);
}

/* Keeps more memory that is never freed, and looks at everything that has leaked so far. */
static void leak(void)
{
    const uint64_t more = client_parameter(SLIDES_LEAK_KIB) * KIB;

    if (state()->leaked + more > SLIDES_LEAK_MAX) {
        return;
    }
    memset((void *)(LEAK_AT + state()->leaked), 1, more);
    state()->leaked += more;
    for (uint64_t at = 0; at < state()->leaked; at += LINE) {
        state()->seen += *(const volatile uint8_t *)(LEAK_AT + at);
    }
}

static void begin_session(unsigned object)
{
    read_all((enum deck_action)(DECK_EDIT_1 + object - 1));
    client_render(client_parameter(SLIDES_SESSION_US));
    leak();
    state()->editing = true;
    state()->bar = 0;
    slide_draw_session(state()->bars[object]);
}

static void edit(unsigned tenths)
{
    client_render(client_parameter(SLIDES_EDIT_US));
    bars_shown()[state()->bar] = (uint8_t)(tenths * PERCENT_STEP);
    slide_draw_edit(bars_shown(), state()->bar);
    state()->bar = (state()->bar + 1) % DECK_BARS;
    state()->edits++;
}

static void end_session(void)
{
    state()->editing = false;
    slide_draw_window();
    show(state()->shown);
}

/* Copies the presentation as it was read, with the graphs as they are now at its start. */
static void save(void)
{
    read_all(DECK_SAVE);
    client_work(DECK_SLIDES * client_parameter(SLIDES_SAVE_US));
    memcpy((void *)SAVED_AT, (const void *)DOCUMENT_AT, DOCUMENT);
    memcpy((void *)SAVED_AT, state()->bars, sizeof(state()->bars));
    slide_draw_saved();
}

/* ---- keys ---- */

static void turn_page(bool down)
{
    const unsigned last = down ? DECK_SLIDES : 1;

    if (state()->shown != last) {
        show(down ? state()->shown + 1 : state()->shown - 1);
    }
}

static void key_while_editing(uint16_t code)
{
    if (code >= CODE_1 && code <= CODE_0) {
        edit(code - CODE_1 + 1u);
    } else if (code == CODE_ESC) {
        end_session();
    }
}

static void key_on_slide(uint16_t code)
{
    const unsigned object = deck_object(state()->shown);

    if (code == CODE_PAGE_DOWN || code == CODE_PAGE_UP) {
        turn_page(code == CODE_PAGE_DOWN);
    } else if (code == CODE_ENTER && object != 0) {
        begin_session(object);
    } else if (code == CODE_S && state()->ctrl) {
        save();
    }
}

static void key_down(uint16_t code)
{
    if (code == CODE_CTRL) {
        state()->ctrl = true;
    } else if (state()->editing) {
        key_while_editing(code);
    } else if (code == CODE_F1) {
        start();
    } else if (code == CODE_O && state()->ctrl) {
        open();
    } else if (state()->shown != 0) {
        key_on_slide(code);
    }
}

/* Handles an input. If it is a page down or the start of an edit session, reports the flushes and
 * requests that it took, with those that found its window. */
static void input(const struct queue_message *message)
{
    const struct batch *batch = &((const struct window_shared *)WINDOW_SHARED_AT)->batch;
    const uint64_t flushes = batch->flushes;
    const uint64_t drawn = batch->drawn;
    const bool counted = message->type == QUEUE_KEY_DOWN && !state()->editing &&
                         (message->code == CODE_PAGE_DOWN || message->code == CODE_ENTER);

    if (message->type == QUEUE_KEY_DOWN) {
        key_down(message->code);
    } else if (message->type == QUEUE_KEY_UP && message->code == CODE_CTRL) {
        state()->ctrl = false;
    }
    client_done(message->number);
    if (counted) {
        client_result(SLIDES_ROUND_FLUSHES, batch->flushes - flushes + 1);
        client_result(SLIDES_ROUND_REQUESTS, batch->drawn - drawn + 1);
    }
}

/* ---- at the end ---- */

static uint64_t checksum(void)
{
    const uint64_t *word = (const uint64_t *)SAVED_AT;
    uint64_t hash = HASH_BEGIN;

    for (uint64_t i = 0; i < DOCUMENT / sizeof(*word); i++) {
        hash = (hash ^ word[i]) * HASH_PRIME;
    }
    return hash >> 1; /* stays positive as a signed number */
}

static void act(enum deck_action action)
{
    if (action == DECK_START) {
        start();
    } else if (action == DECK_OPEN) {
        open();
    } else if (action == DECK_SAVE) {
        save();
    } else {
        begin_session(action - DECK_EDIT_1 + 1u);
    }
    client_flush();
}

static void measure_actions(void)
{
    for (unsigned i = 0; i < DECK_SPARE; i++) {
        read_all(i);
        const uint64_t begin = user_tsc();

        act(i);
        client_result(SLIDES_WARM + i, user_tsc() - begin);
    }
}

static void measure_miss(enum slides_result result)
{
    const uint64_t begin = user_tsc();

    read_all(DECK_SPARE);
    client_result(result, user_tsc() - begin);
}

static void measure_flush(enum slides_result result, int32_t requests)
{
    const uint64_t begin = user_tsc();

    for (unsigned i = 0; i < SLIDES_TIMES; i++) {
        for (int32_t x = 0; x < requests; x++) {
            client_fill((struct rectangle){x, 0, 1, 1}, 0);
        }
        client_flush();
    }
    client_result(result, user_tsc() - begin);
}

static void finish(void)
{
    struct slides *slides = state();
    const struct slides before = *slides;

    client_result(SLIDES_CHECKSUM, checksum());
    client_result(SLIDES_NUMBER, slides->shown);
    client_result(SLIDES_EDITS, slides->edits);
    client_flush();
    measure_flush(SLIDES_FLUSH, 1);
    measure_flush(SLIDES_FLUSH_FULL, BATCH_MAX);
    if (client_parameter(SLIDES_FILES) != 0) {
        measure_miss(SLIDES_MISS);
        measure_miss(SLIDES_HIT);
        measure_actions();
    }
    client_result(SLIDES_WRONG, slides->wrong);
    *slides = before;
    slide_draw_window();
    if (slides->shown != 0) {
        slide_draw(slides->shown, bars_shown());
    }
    client_flush();
}

/* Touches all pages except those for leaked memory, so that no event touches a page for the first
 * time. */
static void touch(void)
{
    for (uint64_t at = PROCESS_BASE; at < LEAK_AT; at += DECK_PAGE) {
        *(volatile uint64_t *)at = 0;
    }
}

void show_slides(void *argument)
{
    struct queue_message message;

    (void)argument;
    client_begin();
    touch();
    open_files();
    if (client_parameter(SLIDES_SHOWN) != 0) {
        take_bars();
        slide_draw_window();
        show((unsigned)client_parameter(SLIDES_SHOWN));
        client_flush();
    }
    while (client_get(&message), message.type != QUEUE_QUIT) {
        if (message.number != 0) {
            input(&message);
        }
    }
    finish();
}
