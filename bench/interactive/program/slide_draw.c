/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/program/slide_draw.h"

#include "bench/interactive/program/client.h"

#define INK      0x00202020u
#define PAPER    0x00fffff0u
#define FRAME    0x00304070u
#define LIGHT    0x00d8d8e0u
#define WHITE    0x00ffffffu
#define GRID     0x00c0c0c0u
#define BAR      0x00b04030u
#define BAR_SIDE 0x00602018u
#define SELECTED 0x0040a060u

#define BAR_HEIGHT  24 /* of the window: its title, its tools and its last line */
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
#define SPLIT       2 /* the graph has this part of the slide's width */

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

/* Right of x. */
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

void slide_draw_window(void)
{
    const int32_t width = client_width();
    const int32_t foot = client_height() - BAR_HEIGHT;

    client_fill((struct rectangle){0, 0, width, BAR_HEIGHT}, FRAME);
    text(MARGIN, 3, name_of_program, sizeof(name_of_program) - 1, TEXT_SCALE, WHITE, FRAME);
    draw_tools();
    client_fill(page_area(), GRID);
    client_fill((struct rectangle){0, foot, width, BAR_HEIGHT}, LIGHT);
}

void slide_draw_saved(void)
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

void slide_draw(unsigned slide, const uint8_t bars[DECK_BARS])
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

/* ---- while it is edited ---- */

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

void slide_draw_session(const uint8_t bars[DECK_BARS])
{
    draw_tools();
    for (unsigned bar = 0; bar < DECK_BARS; bar++) {
        draw_cell(bars, bar);
    }
    draw_graph(bars);
    client_outline(graph_area(), 4, SELECTED);
}

void slide_draw_edit(const uint8_t bars[DECK_BARS], unsigned bar)
{
    draw_cell(bars, bar);
    draw_bar(bars, bar);
}
