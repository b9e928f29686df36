/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/window/take.h"

void window_take(struct window_shared *shared, const struct batch *batch, struct window_list *list)
{
    const uint32_t count = batch->count < BATCH_MAX ? batch->count : BATCH_MAX;

    for (uint32_t i = 0; i < count; i++) {
        const struct request *request = &batch->request[i];

        if (request->kind == REQUEST_CALL) {
            window_spin(shared, request->ink);
            shared->calls++;
        } else if (request->kind == REQUEST_INPUT) {
            desktop_input(&shared->desktop, request->flags, request->x, request->y);
        } else {
            window_spin(shared, shared->draw_us);
            if (list->count < WINDOW_LIST_MAX) {
                list->request[list->count] = *request;
            }
            list->count++;
        }
    }
    shared->drawn += count;
}
