/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/pipe.h"

#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/trace/object.h"

void pipe_init(struct pipe *pipe, const char *name)
{
    memset(pipe, 0, sizeof(*pipe));
    pipe->id = trace_object_add(OBJECT_LOCK, name);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* As many of `length` bytes as there is room for in one piece; how many. */
static size_t put(struct pipe *pipe, const uint8_t *bytes, size_t length)
{
    const size_t at = (pipe->first + pipe->count) % PIPE_BYTES;
    const size_t size = least(length, least(PIPE_BYTES - pipe->count, PIPE_BYTES - at));

    memcpy(&pipe->bytes[at], bytes, size);
    pipe->count += size;
    return size;
}

/* As many of `length` bytes as lie in one piece; how many. */
static size_t get(struct pipe *pipe, uint8_t *bytes, size_t length)
{
    const size_t size = least(length, least(pipe->count, PIPE_BYTES - pipe->first));

    memcpy(bytes, &pipe->bytes[pipe->first], size);
    pipe->first = (pipe->first + size) % PIPE_BYTES;
    pipe->count -= size;
    return size;
}

/* Waits as long as there are `count` bytes: 0, it is empty; PIPE_BYTES, it is full. */
static void wait_while(struct pipe *pipe, size_t count, struct wait_queue *queue,
                       enum wait_reason reason)
{
    while (pipe->count == count) {
        trace_lock_wait(pipe->id, TRACE_NOBODY);
        scheduler_wait(queue, reason);
    }
    trace_lock_acquire(pipe->id);
}

/* The first of each that finds something to do; whoever runs then wakes the next in turn. */
static void wake_both(struct pipe *pipe)
{
    if (pipe->count > 0) {
        scheduler_wake_first(&pipe->readers);
    }
    if (pipe->count < PIPE_BYTES) {
        scheduler_wake_first(&pipe->writers);
    }
}

void pipe_write(struct pipe *pipe, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;
    const uint64_t flags = interrupts_save();

    while (length > 0) {
        wait_while(pipe, PIPE_BYTES, &pipe->writers, WAIT_PIPE_FULL);
        const size_t size = put(pipe, from, length);

        from += size;
        length -= size;
        trace_lock_release(pipe->id);
        wake_both(pipe);
    }
    scheduler_settle();
    interrupts_restore(flags);
}

void pipe_read(struct pipe *pipe, void *bytes, size_t length)
{
    uint8_t *to = bytes;
    const uint64_t flags = interrupts_save();

    while (length > 0) {
        wait_while(pipe, 0, &pipe->readers, WAIT_PIPE_EMPTY);
        const size_t size = get(pipe, to, length);

        to += size;
        length -= size;
        trace_lock_release(pipe->id);
        wake_both(pipe);
    }
    scheduler_settle();
    interrupts_restore(flags);
}
