/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/window/batch.h"

void batch_begin(struct batch *batch)
{
    batch->count = 0;
    batch->requests = 0;
    batch->merged = 0;
    batch->drawn = 0;
    batch->flushes = 0;
}

/* All pixels of its area, whatever was there. */
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

/* From the last to the first, as far as none stays that reads. */
static void take_out_overwritten(struct batch *batch, struct rectangle area)
{
    for (uint32_t i = batch->count; i > 0; i--) {
        const struct request *earlier = &batch->request[i - 1];

        if (is_inside(request_area(earlier), area)) {
            take_out(batch, i - 1);
        } else if (reads(earlier)) {
            return;
        }
    }
}

bool batch_add(struct batch *batch, const struct request *request)
{
    if (batch->count == BATCH_MAX) {
        return false;
    }
    if (overwrites(request)) {
        take_out_overwritten(batch, request_area(request));
    }
    batch->request[batch->count++] = *request;
    batch->requests++;
    return true;
}

uint32_t batch_draw(const struct batch *batch, const struct surface *surface)
{
    const uint32_t count = batch->count < BATCH_MAX ? batch->count : BATCH_MAX;

    for (uint32_t i = 0; i < count; i++) {
        const struct request request = batch->request[i];

        request_draw(surface, &request);
    }
    return count;
}

void batch_drawn(struct batch *batch)
{
    if (batch->count > 0) {
        batch->drawn += batch->count;
        batch->flushes++;
        batch->count = 0;
    }
}
