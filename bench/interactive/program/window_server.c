/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the window system's server (bench/interactive/window/window.c): draws the batch
 * when it is asked to, answers, and waits for the next message.
 */
#include "bench/interactive/program/window_server.h"
#include "bench/interactive/window/shared.h"

void window_server(void *argument)
{
    struct window_shared *shared = (struct window_shared *)WINDOW_SHARED_AT;
    struct surface screen;

    (void)argument;
    surface_init(&screen, (uint32_t *)WINDOW_SCREEN_AT, shared->width, shared->height,
                 shared->width);
    for (;;) {
        const uint64_t message = system_call(SYSCALL_RECEIVE, 0, 0, 0);

        if (USER_MESSAGE_TAG(message) == WINDOW_TAG_END) {
            return;
        }
        shared->rounds++;
        shared->drawn += batch_draw(&shared->batch, &screen);
        system_call(SYSCALL_SEND, USER_MESSAGE_FROM(message), WINDOW_TAG_DRAWN, 0);
    }
}
