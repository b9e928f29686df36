/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/screen/screen.h"

#include <stddef.h>
#include <stdint.h>

#include "kernel/screen/code.h"
#include "kernel/screen/grid.h"

#define LINES 64
/* As long as a line of the link; a longer line is cut off and ends in a mark. */
#define LINE_BYTES 900
#define INDENT     4

static struct surface screen; /* has no pixels if there is no framebuffer */
static struct grid_fit fit;
static struct grid page;
static struct grid drawn;
static char lines[LINES][LINE_BYTES + 1];
static size_t printed;
static int words;  /* first row of the page that shows text */
static bool lent;  /* an application or a code has drawn: the pixels are not those of `drawn` */
static bool coded; /* it was a code, which the next one covers */

static void clear(void)
{
    surface_fill(&screen, screen.clip, GRID_PAPER);
    grid_init(&drawn, fit.columns, fit.rows);
}

bool screen_init(const struct framebuffer *framebuffer)
{
    surface_init(&screen, (uint32_t *)(uintptr_t)framebuffer->address, (int32_t)framebuffer->width,
                 (int32_t)framebuffer->height, (int32_t)framebuffer->stride);
    if (screen.pixels == NULL) {
        return false;
    }
    fit = grid_fit(screen.width, screen.height);
    grid_init(&page, fit.columns, fit.rows);
    clear();
    return true;
}

/* ---- text ---- */

static void keep(const char *text)
{
    static const char cut[] = "\u2026";
    char *line = lines[printed % LINES];
    size_t length = 0;

    for (; *text != '\0' && length < LINE_BYTES - (sizeof(cut) - 1); text++) {
        if (*text != '\r' && *text != '\n') {
            line[length++] = *text;
        }
    }
    for (const char *mark = *text != '\0' ? cut : ""; *mark != '\0'; mark++) {
        line[length++] = *mark;
    }
    line[length] = '\0';
    printed++;
}

/* Returns the line printed `back` lines ago. */
static const char *line_at(size_t back)
{
    return lines[(printed - 1 - back) % LINES];
}

static int rows_of(const char *line)
{
    const int rows = grid_wrap(NULL, (struct grid_place){0, 0, page.columns}, page.rows, INDENT,
                               INK_PLAIN, line);

    return rows > 0 ? rows : 1;
}

/* Writes the last lines that fit as a whole, from the first row of text on. */
static void place_words(void)
{
    const size_t kept = printed < LINES ? printed : LINES;
    const int room = page.rows - words;
    size_t count = 0;
    int used = 0;
    int row = words;

    grid_clear(&page, words, room);
    while (count < kept && used + rows_of(line_at(count)) <= room) {
        used += rows_of(line_at(count++));
    }
    /* if not even one line fits, show the part that does */
    count = count == 0 && kept > 0 && room > 0 ? 1 : count;
    while (count > 0) {
        const char *line = line_at(--count);

        grid_wrap(&page, (struct grid_place){row, 0, page.columns}, page.rows - row, INDENT,
                  INK_DIM, line);
        row += rows_of(line);
    }
}

static void show(void)
{
    if (lent) {
        lent = false;
        coded = false;
        clear();
    }
    place_words();
    grid_draw(&page, &drawn, &screen, &fit);
}

void screen_print(const char *text)
{
    if (screen.pixels != NULL) {
        keep(text);
        show();
    }
}

/* ---- a QR code ---- */

/* Fewest columns for the texts next to a code. */
#define CODE_COLUMNS_MIN 20

static int columns_beside(int scale)
{
    return (screen.width - scale * CODE_MODULES - fit.left) / (fit.font->width * fit.scale) - 1;
}

/* Returns the width of a module in pixels: the largest that leaves room for texts. */
static int code_scale(void)
{
    int scale = (screen.height < screen.width ? screen.height : screen.width) / CODE_MODULES;

    while (scale > 1 && columns_beside(scale) < CODE_COLUMNS_MIN) {
        scale--;
    }
    return scale;
}

int screen_code_columns(void)
{
    const int scale = screen.pixels != NULL ? code_scale() : 0;
    const int columns = scale > 0 ? columns_beside(scale) : 0;

    return columns > 0 ? columns : 0;
}

void screen_code(const uint8_t *bytes, size_t length)
{
    const int scale = code_scale();
    const int side = scale * CODE_MODULES;

    lent = lent && !coded;
    screen_show(page.rows);
    lent = true;
    coded = true;
    code_draw(&screen, screen.width - side, (screen.height - side) / 2, scale, bytes, length);
}

/* ---- the page ---- */

bool screen_lend(struct surface *surface)
{
    lent = screen.pixels != NULL;
    coded = false;
    *surface = screen;
    return lent;
}

struct grid *screen_page(void)
{
    return screen.pixels != NULL ? &page : NULL;
}

void screen_show(int first)
{
    words = first;
    show();
}
