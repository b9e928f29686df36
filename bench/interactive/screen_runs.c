/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/screen_runs.h"

#define SIDE_MAX    16384
#define HEADER      2 /* values before the first run */
#define COLOUR_MAX  0xffffff
#define COLOUR_MASK 0xffffffu

struct writer {
    int64_t *runs;
    size_t capacity;
    size_t count;
};

static void put(struct writer *writer, int64_t value)
{
    if (writer->runs != NULL && writer->count < writer->capacity) {
        writer->runs[writer->count] = value;
    }
    writer->count++;
}

size_t screen_runs_write(const struct surface *surface, int64_t *runs, size_t capacity)
{
    struct writer writer = {runs, capacity, 0};
    uint32_t colour = 0;
    int64_t length = 0;

    put(&writer, surface->width);
    put(&writer, surface->height);
    for (int32_t y = 0; y < surface->height; y++) {
        const uint32_t *line = surface->pixels + (int64_t)y * surface->stride;

        for (int32_t x = 0; x < surface->width; x++) {
            if (length > 0 && (line[x] & COLOUR_MASK) != colour) {
                put(&writer, colour);
                put(&writer, length);
                length = 0;
            }
            colour = line[x] & COLOUR_MASK;
            length++;
        }
    }
    if (length > 0) {
        put(&writer, colour);
        put(&writer, length);
    }
    return writer.count;
}

bool screen_runs_size(const int64_t *runs, size_t count, int32_t *width, int32_t *height)
{
    if (count < HEADER || runs[0] < 1 || runs[0] > SIDE_MAX || runs[1] < 1 || runs[1] > SIDE_MAX) {
        return false;
    }
    *width = (int32_t)runs[0];
    *height = (int32_t)runs[1];
    return true;
}

bool screen_runs_read(const int64_t *runs, size_t count, uint32_t *pixels)
{
    int32_t width;
    int32_t height;

    if (!screen_runs_size(runs, count, &width, &height) || count % 2 != 0) {
        return false;
    }
    int64_t left = (int64_t)width * height;

    for (size_t i = HEADER; i < count; i += 2) {
        const int64_t colour = runs[i];
        const int64_t length = runs[i + 1];

        if (colour < 0 || colour > COLOUR_MAX || length < 1 || length > left) {
            return false;
        }
        for (int64_t k = 0; k < length; k++) {
            *pixels++ = (uint32_t)colour;
        }
        left -= length;
    }
    return left == 0;
}
