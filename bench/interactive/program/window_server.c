/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the window system's server (bench/interactive/window/window.c): takes the
 * batch when it is asked to, answers, and waits for the next message.
 */
#include "bench/interactive/program/window_server.h"
#include "bench/interactive/window/take.h"

void window_server(void *argument)
{
    struct window_shared *shared = (struct window_shared *)WINDOW_SHARED_AT;

    (void)argument;
    for (;;) {
        const uint64_t message = system_call(SYSCALL_RECEIVE, 0, 0, 0);

        if (USER_MESSAGE_TAG(message) == WINDOW_TAG_END) {
            return;
        }
        shared->rounds++;
        window_take(shared, &shared->batch, (struct window_list *)WINDOW_LIST_AT);
        system_call(SYSCALL_SEND, USER_MESSAGE_FROM(message), WINDOW_TAG_DRAWN, 0);
    }
}
