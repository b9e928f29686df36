/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/screen/glyphs.h"

#define UNKNOWN   ('?' - GLYPH_FIRST)
#define CODE_NONE 0xffffffffu

/* How many bytes follow the first one of a character; a negative number: it is no first one. */
static int continuation(uint8_t first)
{
    if (first < 0x80) {
        return 0;
    }
    if (first < 0xc2 || first > 0xf4) {
        return -1;
    }
    return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

static uint32_t next_code(const char **text)
{
    const uint8_t first = (uint8_t) * (*text)++;
    const int more = continuation(first);
    uint32_t code = more > 0 ? first & (0x3fu >> more) : first;

    if (more < 0) {
        return CODE_NONE;
    }
    for (int i = 0; i < more; i++) {
        const uint8_t next = (uint8_t) * *text;

        if ((next & 0xc0) != 0x80) { /* the text's end as well */
            return CODE_NONE;
        }
        code = code << 6 | (next & 0x3fu);
        (*text)++;
    }
    return code;
}

uint8_t glyph_next(const char **text)
{
    const uint32_t code = next_code(text);

    if (code >= GLYPH_FIRST && code <= GLYPH_LAST) {
        return (uint8_t)(code - GLYPH_FIRST);
    }
    for (unsigned i = 0; i < GLYPH_OTHERS; i++) {
        if (glyph_others[i] == code) {
            return (uint8_t)(GLYPH_LAST - GLYPH_FIRST + 1 + i);
        }
    }
    return UNKNOWN;
}

int glyph_length(const char *text)
{
    int length = 0;

    while (*text != '\0') {
        glyph_next(&text);
        length++;
    }
    return length;
}

bool glyph_ink(const struct glyph_font *font, uint8_t glyph, int x, int y)
{
    const int row_bytes = (font->width + 7) / 8;
    const uint8_t *row = font->rows + (glyph * font->height + y) * row_bytes;

    return (row[x / 8] >> (7 - x % 8) & 1) != 0;
}
