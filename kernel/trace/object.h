/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the objects in events: threads, locks, vectors and so on, each kind numbered from 0.
 * They are kept outside the trace, so that an event takes only a few bytes and yet reports show
 * names.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum trace_object_kind {
    OBJECT_THREAD,
    OBJECT_PROCESS,
    OBJECT_VECTOR,
    OBJECT_DPC,
    OBJECT_LOCK,
    OBJECT_MARK,
    OBJECT_SYSCALL,
    OBJECT_QUEUE,
    OBJECT_DEVICE,
    OBJECT_KINDS,
};

#define TRACE_OBJECTS_MAX 512

struct trace_object {
    enum trace_object_kind kind;
    uint16_t id;
    const char *name; /* must stay valid until the trace has been sent */
    uint16_t process; /* process of a thread; 0 is the kernel */
    uint8_t priority; /* priority of a thread when it began */
};

/* Forgets all names. */
void trace_objects_reset(void);

/* Names an object; an object that has a name keeps it. If there is no room, the object stays
 * without a name. */
void trace_object_set(const struct trace_object *object);

/* Names an object with the next free number of its kind, which it returns. */
uint16_t trace_object_add(enum trace_object_kind kind, const char *name);

size_t trace_object_count(void);
const struct trace_object *trace_object_at(size_t index);

/* Returns "thread", "process", "vector", "dpc", "lock", "mark", "syscall", "queue" or "device". */
const char *trace_object_kind_name(enum trace_object_kind kind);
