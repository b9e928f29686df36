/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/window/request.h"

#include <stdbool.h>

#define BLANK_WIDTH 2 /* columns of a character without ink */

/* ---- characters ---- */

/* The columns of a glyph that contain ink. */
struct inked {
    int32_t left;
    int32_t width;
};

static struct inked inked_columns(char character)
{
    const uint8_t *glyph = font_glyph(character);
    uint8_t ink = 0;
    int32_t left = 0;
    int32_t right = FONT_WIDTH - 1;

    for (unsigned row = 0; row < FONT_HEIGHT; row++) {
        ink |= glyph[row];
    }
    if (ink == 0) {
        return (struct inked){0, BLANK_WIDTH};
    }
    while ((ink >> (FONT_WIDTH - 1 - left) & 1) == 0) {
        left++;
    }
    while ((ink >> (FONT_WIDTH - 1 - right) & 1) == 0) {
        right--;
    }
    return (struct inked){left, right + 1 - left};
}

static bool is_proportional(unsigned flags)
{
    return (flags & REQUEST_PROPORTIONAL) != 0;
}

static int32_t advance_of(char character, unsigned scale, unsigned flags)
{
    const int32_t columns = is_proportional(flags) ? inked_columns(character).width : FONT_WIDTH;

    return (columns + 1) * (int32_t)scale;
}

int32_t request_text_width(const char *text, unsigned length, unsigned scale, unsigned flags)
{
    int32_t width = 0;

    for (unsigned i = 0; i < length; i++) {
        width += advance_of(text[i], scale, flags);
    }
    return width;
}

/* ---- drawing ---- */

static struct rectangle own_area(const struct request *request)
{
    return (struct rectangle){request->x, request->y, request->width, request->height};
}

static struct text_style style_of(const struct request *request)
{
    return (struct text_style){request->scale, request->ink, request->paper};
}

/* Returns the part of `area` inside the clipping rectangle of `surface`. All coordinates must be
 * small. */
static struct rectangle within(const struct surface *surface, struct rectangle area)
{
    const struct rectangle *clip = &surface->clip;
    const int32_t left = area.x > clip->x ? area.x : clip->x;
    const int32_t top = area.y > clip->y ? area.y : clip->y;
    const int32_t right =
        area.x + area.width < clip->x + clip->width ? area.x + area.width : clip->x + clip->width;
    const int32_t bottom = area.y + area.height < clip->y + clip->height ? area.y + area.height
                                                                         : clip->y + clip->height;

    return (struct rectangle){left, top, right - left, bottom - top};
}

/* Draws the inked columns of a character and one more, without the rest of its cell. */
static void draw_narrow(const struct surface *surface, int32_t x, const struct request *request,
                        char character)
{
    const struct text_style style = style_of(request);
    const struct inked inked = inked_columns(character);
    struct surface part = *surface;

    surface_clip(&part,
                 within(surface, (struct rectangle){x, request->y, (inked.width + 1) * style.scale,
                                                    text_cell_height(&style)}));
    surface_character(&part, x - inked.left * style.scale, request->y, character, &style);
}

static void draw_text(const struct surface *surface, const struct request *request)
{
    const struct text_style style = style_of(request);
    const int32_t right = surface->clip.x + surface->clip.width;
    int32_t x = request->x;

    if (request->length > REQUEST_TEXT_MAX) {
        return;
    }
    for (unsigned i = 0; i < request->length && x < right; i++) {
        if (is_proportional(request->flags)) {
            draw_narrow(surface, x, request, request->text[i]);
        } else {
            surface_character(surface, x, request->y, request->text[i], &style);
        }
        x += advance_of(request->text[i], request->scale, request->flags);
    }
}

void request_draw(const struct surface *surface, const struct request *request)
{
    switch (request->kind) {
    case REQUEST_FILL:
        surface_fill(surface, own_area(request), request->ink);
        break;
    case REQUEST_OUTLINE:
        surface_outline(surface, own_area(request), request->scale, request->ink);
        break;
    case REQUEST_TEXT:
        draw_text(surface, request);
        break;
    case REQUEST_SCROLL:
        surface_scroll(surface, own_area(request), request->to_y, request->paper);
        break;
    case REQUEST_COPY:
        surface_copy(surface, own_area(request), request->to_x, request->to_y);
        break;
    default:
        break;
    }
}

struct rectangle request_area(const struct request *request)
{
    const struct text_style style = style_of(request);

    switch (request->kind) {
    case REQUEST_FILL:
    case REQUEST_OUTLINE:
    case REQUEST_SCROLL:
        return own_area(request);
    case REQUEST_COPY:
        return (struct rectangle){request->to_x, request->to_y, request->width, request->height};
    case REQUEST_TEXT:
        if (request->length <= REQUEST_TEXT_MAX) {
            return (struct rectangle){
                request->x, request->y,
                request_text_width(request->text, request->length, request->scale, request->flags),
                text_cell_height(&style)};
        }
        break;
    default:
        break;
    }
    return (struct rectangle){request->x, request->y, 0, 0};
}

void batch_begin(struct batch *batch, uint32_t size)
{
    batch->size = size;
    batch->count = 0;
    batch->requests = 0;
    batch->merged = 0;
    batch->drawn = 0;
    batch->flushes = 0;
}

/* Returns whether the request writes every pixel of its area, whatever was there. */
static bool overwrites(const struct request *request)
{
    return request->kind == REQUEST_FILL || request->kind == REQUEST_TEXT;
}

static bool reads(const struct request *request)
{
    return request->kind == REQUEST_COPY || request->kind == REQUEST_SCROLL;
}

static bool is_inside(struct rectangle inner, struct rectangle outer)
{
    return inner.x >= outer.x && inner.y >= outer.y &&
           inner.x + inner.width <= outer.x + outer.width &&
           inner.y + inner.height <= outer.y + outer.height;
}

static void take_out(struct batch *batch, uint32_t index)
{
    batch->count--;
    for (uint32_t i = index; i < batch->count; i++) {
        batch->request[i] = batch->request[i + 1];
    }
    batch->merged++;
}

/* Takes out the requests inside `area`, from the last to the first, up to one that stays and reads
 * pixels. */
static void take_out_overwritten(struct batch *batch, struct rectangle area)
{
    for (uint32_t i = batch->count; i > 0; i--) {
        const struct request *earlier = &batch->request[i - 1];

        if (earlier->kind < REQUEST_CALL && is_inside(request_area(earlier), area)) {
            take_out(batch, i - 1);
        } else if (reads(earlier)) {
            return;
        }
    }
}

bool batch_add(struct batch *batch, const struct request *request)
{
    if (batch->count >= batch->size) {
        return false;
    }
    if (overwrites(request)) {
        take_out_overwritten(batch, request_area(request));
    }
    batch->request[batch->count++] = *request;
    batch->requests++;
    return true;
}

void batch_drawn(struct batch *batch)
{
    if (batch->count > 0) {
        batch->drawn += batch->count;
        batch->flushes++;
        batch->count = 0;
    }
}
