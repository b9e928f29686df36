/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/queue.h"

#include "kernel/cpu/cpu.h"
#include "kernel/trace/object.h"

void queue_init(struct queue *queue, const char *name, struct queue_message *messages,
                size_t capacity)
{
    *queue = (struct queue){.messages = messages,
                            .capacity = (uint16_t)capacity,
                            .id = trace_object_add(OBJECT_QUEUE, name)};
}

static void wake_all(struct wait_queue *queue)
{
    while (scheduler_wake_first(queue) != NULL) {
    }
}

bool queue_post(struct queue *queue, const struct queue_message *message)
{
    const uint64_t flags = interrupts_save();
    const bool room = queue->length < queue->capacity;

    if (room) {
        const uint32_t behind = (uint32_t)queue->first + queue->length;

        queue->messages[behind % queue->capacity] = *message;
        queue->length++;
        trace_queue_post(queue->id, message->type, message->number, queue->length);
        scheduler_wake_first(&queue->readers);
        scheduler_settle();
    } else {
        queue->refused++;
    }
    interrupts_restore(flags);
    return room;
}

/* Takes the first message. Interrupts must be off, and the queue not empty. */
static struct queue_message take(struct queue *queue)
{
    const struct queue_message message = queue->messages[queue->first];

    queue->first = (uint16_t)((queue->first + 1u) % queue->capacity);
    queue->length--;
    trace_queue_take(queue->id, message.type, message.number, queue->length);
    return message;
}

struct queue_message queue_get(struct queue *queue)
{
    const uint64_t flags = interrupts_save();

    trace_queue_call(queue->id, QUEUE_CALL_GET, queue->length);
    while (queue->length == 0) {
        queue->reader_waits = true;
        wake_all(&queue->idlers);
        scheduler_wait(&queue->readers, WAIT_QUEUE);
    }
    queue->reader_waits = false;
    const struct queue_message message = take(queue);

    interrupts_restore(flags);
    return message;
}

bool queue_peek(struct queue *queue, struct queue_message *message, bool remove)
{
    const uint64_t flags = interrupts_save();
    const bool found = queue->length > 0;

    trace_queue_call(queue->id, QUEUE_CALL_PEEK, queue->length);
    if (!found) {
        trace_queue_call(queue->id, QUEUE_RETURN_EMPTY, 0);
    } else if (remove) {
        *message = take(queue);
    } else {
        *message = queue->messages[queue->first];
        trace_queue_call(queue->id, QUEUE_RETURN_LEFT, queue->length);
    }
    interrupts_restore(flags);
    return found;
}

void queue_wait_idle(struct queue *queue)
{
    const uint64_t flags = interrupts_save();

    trace_queue_call(queue->id, QUEUE_CALL_WAIT_IDLE, queue->length);
    while (queue->length > 0 || !queue->reader_waits) {
        scheduler_wait(&queue->idlers, WAIT_QUEUE_IDLE);
    }
    trace_queue_call(queue->id, QUEUE_RETURN_IDLE, queue->length);
    interrupts_restore(flags);
}

void queue_done(struct queue *queue, uint32_t number)
{
    trace_input_done(queue->id, number);
}
