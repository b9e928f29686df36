/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/message.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"

struct message_node {
    struct message message;
    struct message_node *next;
};

static struct message_node nodes[MESSAGES_MAX];
static struct message_node *unused;

void messages_reset(void)
{
    unused = NULL;
    for (size_t i = 0; i < MESSAGES_MAX; i++) {
        nodes[i].next = unused;
        unused = &nodes[i];
    }
}

static void append(struct thread *to, struct message_node *node)
{
    node->next = NULL;
    if (to->first_message == NULL) {
        to->first_message = node;
    } else {
        to->last_message->next = node;
    }
    to->last_message = node;
}

/* Removes the first message with the tag from the running thread's queue; NULL if there is none. */
static struct message_node *take(struct thread *thread, uint16_t tag)
{
    struct message_node *before = NULL;
    struct message_node *node = thread->first_message;

    while (node != NULL && tag != TRACE_TAG_ANY && node->message.tag != tag) {
        before = node;
        node = node->next;
    }
    if (node == NULL) {
        return NULL;
    }
    if (before == NULL) {
        thread->first_message = node->next;
    } else {
        before->next = node->next;
    }
    if (thread->last_message == node) {
        thread->last_message = before;
    }
    return node;
}

static bool waits_for(const struct thread *thread, uint16_t tag)
{
    return thread->state == THREAD_WAITING &&
           (thread->why == WAIT_MESSAGE ||
            (thread->why == WAIT_SPECIFIC && thread->wanted_tag == tag));
}

bool message_send(struct thread *to, uint16_t tag, uint32_t value)
{
    const uint64_t flags = interrupts_save();
    struct message_node *node = unused;

    if (node != NULL) {
        const uint16_t by = scheduler_by();

        unused = node->next;
        node->message = (struct message){
            (by & TRACE_BY_KIND) == TRACE_BY_THREAD ? by : TRACE_NO_HOLDER, tag, value};
        if (trace_running) {
            trace_message_send(to->id, tag, value);
        }
        append(to, node);
        if (waits_for(to, tag)) {
            scheduler_wake_by(to, by);
            scheduler_settle();
        }
    }
    interrupts_restore(flags);
    return node != NULL;
}

static struct message receive(uint16_t tag)
{
    const uint64_t flags = interrupts_save();
    struct thread *self = scheduler_running();
    struct message_node *node = take(self, tag);

    while (node == NULL) {
        if (trace_running) {
            trace_message_block(tag);
        }
        self->wanted_tag = tag;
        scheduler_wait(NULL, tag == TRACE_TAG_ANY ? WAIT_MESSAGE : WAIT_SPECIFIC);
        node = take(self, tag);
    }
    const struct message message = node->message;

    if (trace_running) {
        trace_message_receive(message.from, message.tag, message.value);
    }
    node->next = unused;
    unused = node;
    interrupts_restore(flags);
    return message;
}

struct message message_receive(void)
{
    return receive(TRACE_TAG_ANY);
}

struct message message_receive_tag(uint16_t tag)
{
    return receive(tag);
}

bool message_pending(void)
{
    return scheduler_running()->first_message != NULL;
}
