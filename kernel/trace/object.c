/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/trace/object.h"

#include "kernel/trace/names.h"

static struct trace_object objects[TRACE_OBJECTS_MAX];
static size_t object_count;
static uint16_t next_id[OBJECT_KINDS];

void trace_objects_reset(void)
{
    object_count = 0;
    for (size_t i = 0; i < OBJECT_KINDS; i++) {
        next_id[i] = 0;
    }
}

void trace_object_set(const struct trace_object *object)
{
    /* A new id is larger than all earlier ones and needs no search, so its cost is constant. */
    for (size_t i = 0; i < object_count && object->id < next_id[object->kind]; i++) {
        if (objects[i].kind == object->kind && objects[i].id == object->id) {
            return;
        }
    }
    if (object_count < TRACE_OBJECTS_MAX) {
        objects[object_count++] = *object;
    }
    if (next_id[object->kind] <= object->id) {
        next_id[object->kind] = (uint16_t)(object->id + 1);
    }
}

uint16_t trace_object_add(enum trace_object_kind kind, const char *name)
{
    const struct trace_object object = {.kind = kind, .id = next_id[kind], .name = name};

    trace_object_set(&object);
    return object.id;
}

size_t trace_object_count(void)
{
    return object_count;
}

const struct trace_object *trace_object_at(size_t index)
{
    return &objects[index];
}

const char *trace_object_kind_name(enum trace_object_kind kind)
{
    static const char *const names[OBJECT_KINDS] = {
        [OBJECT_THREAD] = OBJECT_NAME_THREAD,   [OBJECT_PROCESS] = OBJECT_NAME_PROCESS,
        [OBJECT_VECTOR] = OBJECT_NAME_VECTOR,   [OBJECT_DPC] = OBJECT_NAME_DPC,
        [OBJECT_LOCK] = OBJECT_NAME_LOCK,       [OBJECT_MARK] = OBJECT_NAME_MARK,
        [OBJECT_SYSCALL] = OBJECT_NAME_SYSCALL, [OBJECT_QUEUE] = OBJECT_NAME_QUEUE,
        [OBJECT_DEVICE] = OBJECT_NAME_DEVICE,
    };

    return names[kind];
}
