/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/document/paragraph.h"

#include "bench/interactive/window/request.h"

static int32_t width_of(const char *text, size_t count, const struct paragraph_style *style)
{
    return request_text_width(text, (unsigned)count, style->scale, REQUEST_PROPORTIONAL);
}

/* What is known of a line while it is being filled. */
struct grown {
    size_t end;   /* index after its last character */
    size_t next;  /* where the next line begins */
    int32_t used; /* pixels up to `end` */
    bool full;    /* another line of the same paragraph follows */
};

static struct grown grow(const char *text, size_t length, size_t first,
                         const struct paragraph_style *style)
{
    struct grown at_blank = {0};
    int32_t used = 0;

    for (size_t at = first; at < length; at++) {
        if (text[at] == '\n') {
            return (struct grown){at, at + 1, used, false};
        }
        if (text[at] == ' ') {
            at_blank = (struct grown){at, at + 1, used, true};
        }
        const int32_t more = width_of(&text[at], 1, style);

        if (used + more > style->width && at > first && text[at] != ' ') {
            return at_blank.full ? at_blank : (struct grown){at, at, used, true};
        }
        used += more;
    }
    return (struct grown){length, length, used, false};
}

static uint32_t count_blanks(const char *text, size_t count)
{
    uint32_t blanks = 0;

    for (size_t i = 0; i < count; i++) {
        blanks += text[i] == ' ' ? 1 : 0;
    }
    return blanks;
}

size_t paragraph_next_line(const char *text, size_t length, size_t first,
                           const struct paragraph_style *style, struct paragraph_line *line)
{
    const struct grown grown = grow(text, length, first, style);

    line->first = (uint32_t)first;
    line->count = (uint32_t)(grown.end - first);
    line->blanks = count_blanks(text + first, line->count);
    line->spare =
        grown.full && line->blanks > 0 && style->width > grown.used ? style->width - grown.used : 0;
    return grown.next > grown.end || grown.next < length ? grown.next : PARAGRAPH_END;
}

size_t paragraph_lay_out(const char *text, size_t length, const struct paragraph_style *style,
                         struct paragraph_line *lines, size_t capacity)
{
    size_t first = 0;
    size_t count = 0;

    while (first != PARAGRAPH_END && count < capacity) {
        first = paragraph_next_line(text, length, first, style, &lines[count++]);
    }
    return count;
}

int32_t paragraph_x(const char *text, const struct paragraph_line *line, size_t index,
                    const struct paragraph_style *style)
{
    const uint32_t blanks = count_blanks(text + line->first, index);
    const int32_t spare =
        line->blanks > 0 ? line->spare * (int32_t)blanks / (int32_t)line->blanks : 0;

    return width_of(text + line->first, index, style) + spare;
}
