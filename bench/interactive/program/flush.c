/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/program/flush.h"
#include "bench/interactive/program/segmented_flush.h"

void flush_cross(struct window_shared *shared)
{
    switch (shared->structure) {
    case WINDOW_SEGMENTED:
        segmented_flush(shared);
        break;
    case WINDOW_SERVER:
        system_call(SYSCALL_SEND, shared->server, WINDOW_TAG_DRAW, 0);
        system_call(SYSCALL_RECEIVE_TAG, WINDOW_TAG_DRAWN, 0, 0);
        break;
    default:
        system_call(SYSCALL_DRAW, 0, 0, 0);
        break;
    }
}
