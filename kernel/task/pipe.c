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

/* Writes the bytes for which there is contiguous room, at most `length`, and returns how many. */
static size_t put(struct pipe *pipe, const uint8_t *bytes, size_t length)
{
    const size_t at = (pipe->first + pipe->count) % PIPE_BYTES;
    const size_t size = least(length, least(PIPE_BYTES - pipe->count, PIPE_BYTES - at));

    memcpy(&pipe->bytes[at], bytes, size);
    pipe->count += size;
    return size;
}

/* Reads the bytes that are contiguous, at most `length`, and returns how many. */
static size_t get(struct pipe *pipe, uint8_t *bytes, size_t length)
{
    const size_t size = least(length, least(pipe->count, PIPE_BYTES - pipe->first));

    memcpy(bytes, &pipe->bytes[pipe->first], size);
    pipe->first = (pipe->first + size) % PIPE_BYTES;
    pipe->count -= size;
    return size;
}

static void wait_for(struct pipe *pipe, struct wait_queue *queue, enum wait_reason reason)
{
    if (trace_running) {
        trace_lock_wait(pipe->id, TRACE_NO_HOLDER);
    }
    scheduler_wait(queue, reason);
}

static inline __attribute__((always_inline)) void wait_for_room(struct pipe *pipe)
{
    while (pipe->count == PIPE_BYTES) {
        wait_for(pipe, &pipe->writers, WAIT_PIPE_FULL);
    }
    if (trace_running) {
        trace_lock_acquire(pipe->id);
    }
}

static inline __attribute__((always_inline)) void wait_for_bytes(struct pipe *pipe)
{
    while (pipe->count == 0) {
        wait_for(pipe, &pipe->readers, WAIT_PIPE_EMPTY);
    }
    if (trace_running) {
        trace_lock_acquire(pipe->id);
    }
}

/* Releases the lock. Wakes the first reader and the first writer that can continue; each of them
 * wakes the next one when it runs. */
static inline __attribute__((always_inline)) void release(struct pipe *pipe)
{
    if (trace_running) {
        trace_lock_release(pipe->id);
    }
    if (pipe->count > 0 && pipe->readers.first != NULL) {
        scheduler_wake(pipe->readers.first);
    }
    if (pipe->count < PIPE_BYTES && pipe->writers.first != NULL) {
        scheduler_wake(pipe->writers.first);
    }
}

void pipe_write_byte(struct pipe *pipe, uint8_t byte)
{
    wait_for_room(pipe);
    pipe->bytes[(pipe->first + pipe->count++) % PIPE_BYTES] = byte;
    release(pipe);
    scheduler_settle();
}

uint8_t pipe_read_byte(struct pipe *pipe)
{
    wait_for_bytes(pipe);
    const uint8_t byte = pipe->bytes[pipe->first];

    pipe->first = (pipe->first + 1) % PIPE_BYTES;
    pipe->count--;
    release(pipe);
    scheduler_settle();
    return byte;
}

void pipe_write(struct pipe *pipe, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;
    const uint64_t flags = interrupts_save();

    while (length > 0) {
        wait_for_room(pipe);
        const size_t size = put(pipe, from, length);

        from += size;
        length -= size;
        release(pipe);
    }
    scheduler_settle();
    interrupts_restore(flags);
}

void pipe_read(struct pipe *pipe, void *bytes, size_t length)
{
    uint8_t *to = bytes;
    const uint64_t flags = interrupts_save();

    while (length > 0) {
        wait_for_bytes(pipe);
        const size_t size = get(pipe, to, length);

        to += size;
        length -= size;
        release(pipe);
    }
    scheduler_settle();
    interrupts_restore(flags);
}
