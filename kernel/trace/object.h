/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of what events speak of: threads, locks, vectors and so on, each kind numbered from 0. Kept
 * beside the trace, so that an event is a few bytes and its report has names.
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
    const char *name; /* lives until the trace has been sent */
    uint16_t process; /* of a thread; 0: the kernel */
    uint8_t priority; /* of a thread, when it began */
};

/* Forgets all. */
void trace_objects_reset(void);

/* Names an object; one that has a name keeps the first. What finds no room stays without a name. */
void trace_object_set(const struct trace_object *object);

/* The same with the next free number of its kind, which it returns. */
uint16_t trace_object_add(enum trace_object_kind kind, const char *name);

size_t trace_object_count(void);
const struct trace_object *trace_object_at(size_t index);

/* "thread", "process", "vector", "dpc", "lock", "mark", "syscall", "queue", "device". */
const char *trace_object_kind_name(enum trace_object_kind kind);
