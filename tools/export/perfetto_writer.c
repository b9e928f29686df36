/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/perfetto_writer.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/encoding.h"
#include "tools/base/alloc.h"

#define SEQUENCE         1   /* id of the only packet sequence */
#define BUNDLE_EVENTS    512 /* ftrace events in one packet */
#define SLOTS_AT_FIRST   256 /* initial size of the table of names; a power of 2 */
#define SUCCESS_OF_LINUX 1
#define VARINT_MAX       10 /* in bytes */
#define BUNDLES          64 /* processors whose events are held back at the same time */

/* ---- messages ---- */

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2 };

void protobuf_free(struct protobuf *buffer)
{
    free(buffer->bytes);
    *buffer = (struct protobuf){0};
}

void protobuf_clear(struct protobuf *buffer)
{
    assert(buffer->depth == 0);
    buffer->length = 0;
}

static void reserve(struct protobuf *buffer, size_t count)
{
    buffer->bytes = alloc_grow(buffer->bytes, &buffer->capacity, buffer->length + count, 1);
}

static size_t encode(uint64_t value, uint8_t bytes[VARINT_MAX])
{
    size_t length = 0;

    for (; value >= 0x80; value >>= 7) {
        bytes[length++] = (uint8_t)(value | 0x80);
    }
    bytes[length++] = (uint8_t)value;
    return length;
}

static void put_varint(struct protobuf *buffer, uint64_t value)
{
    reserve(buffer, VARINT_MAX);
    buffer->length += encode(value, buffer->bytes + buffer->length);
}

static void put_key(struct protobuf *buffer, uint32_t field, enum wire_type type)
{
    put_varint(buffer, (uint64_t)field << 3 | type);
}

void protobuf_number(struct protobuf *buffer, uint32_t field, uint64_t value)
{
    put_key(buffer, field, WIRE_VARINT);
    put_varint(buffer, value);
}

void protobuf_fixed(struct protobuf *buffer, uint32_t field, uint64_t value)
{
    put_key(buffer, field, WIRE_FIXED64);
    reserve(buffer, 8);
    for (size_t i = 0; i < 8; i++) {
        buffer->bytes[buffer->length++] = (uint8_t)(value >> 8 * i);
    }
}

void protobuf_bytes(struct protobuf *buffer, uint32_t field, const void *bytes, size_t length)
{
    put_key(buffer, field, WIRE_LENGTH);
    put_varint(buffer, length);
    reserve(buffer, length);
    if (length > 0) {
        memcpy(buffer->bytes + buffer->length, bytes, length);
    }
    buffer->length += length;
}

void protobuf_text(struct protobuf *buffer, uint32_t field, const char *text)
{
    protobuf_bytes(buffer, field, text, strlen(text));
}

/* Leaves room for a length of one byte. If the length needs more, protobuf_end() moves the content.
 */
void protobuf_begin(struct protobuf *buffer, uint32_t field)
{
    assert(buffer->depth < PROTOBUF_DEPTH_MAX);
    put_key(buffer, field, WIRE_LENGTH);
    reserve(buffer, 1);
    buffer->bytes[buffer->length++] = 0;
    buffer->open[buffer->depth++] = buffer->length;
}

void protobuf_end(struct protobuf *buffer)
{
    assert(buffer->depth > 0);
    const size_t begin = buffer->open[--buffer->depth];
    const size_t content = buffer->length - begin;
    uint8_t prefix[VARINT_MAX];
    const size_t prefix_length = encode(content, prefix);

    reserve(buffer, prefix_length);
    memmove(buffer->bytes + begin - 1 + prefix_length, buffer->bytes + begin, content);
    memcpy(buffer->bytes + begin - 1, prefix, prefix_length);
    buffer->length += prefix_length - 1;
}

/* field numbers of the messages, in the order of their files */
enum trace_field { TRACE_PACKET = 1 };
enum packet_field {
    PACKET_FTRACE_EVENTS = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60,
};
enum sequence_flag { INCREMENTAL_STATE_CLEARED = 1, NEEDS_INCREMENTAL_STATE = 2 };
enum descriptor_field {
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT_UUID = 5,
};
enum process_field { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum event_field {
    EVENT_CATEGORY_IIDS = 3,
    EVENT_DEBUG_ANNOTATIONS = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK_UUID = 11,
    EVENT_FLOW_IDS = 47,
    EVENT_TERMINATING_FLOW_IDS = 48,
};
enum annotation_field {
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_UINT_VALUE = 3,
    ANNOTATION_POINTER_VALUE = 7,
    ANNOTATION_STRING_VALUE_IID = 17,
};
enum interned_field {
    INTERNED_EVENT_CATEGORIES = 1,
    INTERNED_EVENT_NAMES = 2,
    INTERNED_ANNOTATION_NAMES = 3,
    INTERNED_ANNOTATION_STRINGS = 29,
};
enum name_field { NAME_IID = 1, NAME_TEXT = 2 };
enum bundle_field { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST_EVENTS = 3 };
enum ftrace_field {
    FTRACE_TIMESTAMP = 1,
    FTRACE_PID = 2,
    FTRACE_SCHED_SWITCH = 4,
    FTRACE_SCHED_WAKING = 20,
};
/* A task has three fields: comm, pid, prio. */
enum switch_field { SWITCH_PREV_TASK = 1, SWITCH_PREV_STATE = 4, SWITCH_NEXT_TASK = 5 };
enum waking_field { WAKING_TASK = 1, WAKING_SUCCESS = 4, WAKING_TARGET_CPU = 5 };

/* values by enum perfetto_event_type */
static const uint64_t track_event_types[] = {
    [PERFETTO_BEGIN] = 1,
    [PERFETTO_END] = 2,
    [PERFETTO_INSTANT] = 3,
};

/* A text that was written as a name of this kind; its place in the list is its number. */
struct interned {
    enum interned_field kind;
    char *text;
};

/* Events of ftrace of one processor that are not written yet. */
struct bundle {
    uint32_t cpu;
    struct protobuf events;
    size_t event_count;
    bool lost; /* some may be missing before the first */
};

struct perfetto_writer {
    FILE *out;
    struct protobuf packet;
    struct protobuf names; /* names that this packet is the first to use */
    struct interned *interned;
    size_t interned_count, interned_capacity;
    uint32_t *slots; /* index in `interned` plus 1; 0: free */
    size_t slot_count;
    bool begun; /* the first packet of the sequence was written */
    uint64_t written;
    struct bundle bundles[BUNDLES]; /* by processor, modulo BUNDLES */
};

struct perfetto_writer *perfetto_create(FILE *out)
{
    struct perfetto_writer *writer = alloc_zeroed(sizeof(*writer));

    writer->out = out;
    writer->slot_count = SLOTS_AT_FIRST;
    writer->slots = alloc_zeroed(writer->slot_count * sizeof(*writer->slots));
    return writer;
}

/* ---- names ---- */

/* Returns the slot of the name, or the free slot where it belongs. */
static uint32_t *find_slot(const struct perfetto_writer *writer, enum interned_field kind,
                           const char *text)
{
    size_t at = crc32c((uint32_t)kind, text, strlen(text)) & (writer->slot_count - 1);

    while (writer->slots[at] != 0) {
        const struct interned *interned = &writer->interned[writer->slots[at] - 1];

        if (interned->kind == kind && strcmp(interned->text, text) == 0) {
            break;
        }
        at = (at + 1) & (writer->slot_count - 1);
    }
    return &writer->slots[at];
}

static void grow_slots(struct perfetto_writer *writer)
{
    free(writer->slots);
    writer->slot_count *= 2;
    writer->slots = alloc_zeroed(writer->slot_count * sizeof(*writer->slots));
    for (size_t i = 0; i < writer->interned_count; i++) {
        *find_slot(writer, writer->interned[i].kind, writer->interned[i].text) = (uint32_t)i + 1;
    }
}

/* Returns the number of the name, valid in this packet and later ones. */
static uint64_t intern(struct perfetto_writer *writer, enum interned_field kind, const char *text)
{
    uint32_t *slot = find_slot(writer, kind, text);

    if (*slot != 0) {
        return *slot;
    }
    writer->interned = alloc_append(writer->interned, &writer->interned_count,
                                    &writer->interned_capacity, sizeof(*writer->interned));
    const size_t number = writer->interned_count;
    const size_t size = strlen(text) + 1;

    writer->interned[number - 1] = (struct interned){kind, alloc_zeroed(size)};
    memcpy(writer->interned[number - 1].text, text, size);
    *slot = (uint32_t)number;
    if (number > writer->slot_count / 2) {
        grow_slots(writer);
    }
    protobuf_begin(&writer->names, kind);
    protobuf_number(&writer->names, NAME_IID, number);
    protobuf_text(&writer->names, NAME_TEXT, text);
    protobuf_end(&writer->names);
    return number;
}

/* ---- packets ---- */

static void begin_packet(struct perfetto_writer *writer)
{
    protobuf_begin(&writer->packet, TRACE_PACKET);
    protobuf_number(&writer->packet, PACKET_SEQUENCE_ID, SEQUENCE);
}

static void end_packet(struct perfetto_writer *writer)
{
    if (writer->names.length > 0) {
        protobuf_bytes(&writer->packet, PACKET_INTERNED_DATA, writer->names.bytes,
                       writer->names.length);
        protobuf_clear(&writer->names);
    }
    protobuf_number(&writer->packet, PACKET_SEQUENCE_FLAGS,
                    writer->begun ? NEEDS_INCREMENTAL_STATE
                                  : INCREMENTAL_STATE_CLEARED | NEEDS_INCREMENTAL_STATE);
    writer->begun = true;
    protobuf_end(&writer->packet);
    fwrite(writer->packet.bytes, 1, writer->packet.length, writer->out);
    writer->written += writer->packet.length;
    protobuf_clear(&writer->packet);
}

/* ---- tracks ---- */

static void begin_descriptor(struct perfetto_writer *writer, uint64_t track)
{
    begin_packet(writer);
    protobuf_begin(&writer->packet, PACKET_TRACK_DESCRIPTOR);
    protobuf_number(&writer->packet, DESCRIPTOR_UUID, track);
}

static void end_descriptor(struct perfetto_writer *writer)
{
    protobuf_end(&writer->packet);
    end_packet(writer);
}

void perfetto_process(struct perfetto_writer *writer, uint64_t track, int32_t pid, const char *name)
{
    begin_descriptor(writer, track);
    protobuf_begin(&writer->packet, DESCRIPTOR_PROCESS);
    protobuf_number(&writer->packet, PROCESS_PID, (uint64_t)pid);
    protobuf_text(&writer->packet, PROCESS_NAME, name);
    protobuf_end(&writer->packet);
    end_descriptor(writer);
}

void perfetto_thread(struct perfetto_writer *writer, uint64_t track, int32_t pid, int32_t tid,
                     const char *name)
{
    begin_descriptor(writer, track);
    protobuf_begin(&writer->packet, DESCRIPTOR_THREAD);
    protobuf_number(&writer->packet, THREAD_PID, (uint64_t)pid);
    protobuf_number(&writer->packet, THREAD_TID, (uint64_t)tid);
    protobuf_text(&writer->packet, THREAD_NAME, name);
    protobuf_end(&writer->packet);
    end_descriptor(writer);
}

void perfetto_track(struct perfetto_writer *writer, uint64_t track, uint64_t parent,
                    const char *name)
{
    begin_descriptor(writer, track);
    protobuf_number(&writer->packet, DESCRIPTOR_PARENT_UUID, parent);
    protobuf_text(&writer->packet, DESCRIPTOR_NAME, name);
    end_descriptor(writer);
}

/* ---- events on tracks ---- */

static void put_note(struct perfetto_writer *writer, const struct perfetto_note *note)
{
    struct protobuf *packet = &writer->packet;

    protobuf_begin(packet, EVENT_DEBUG_ANNOTATIONS);
    protobuf_number(packet, ANNOTATION_NAME_IID,
                    intern(writer, INTERNED_ANNOTATION_NAMES, note->name));
    switch (note->type) {
    case PERFETTO_UNSIGNED:
        protobuf_number(packet, ANNOTATION_UINT_VALUE, note->value);
        break;
    case PERFETTO_ADDRESS:
        protobuf_number(packet, ANNOTATION_POINTER_VALUE, note->value);
        break;
    case PERFETTO_TEXT:
        protobuf_number(packet, ANNOTATION_STRING_VALUE_IID,
                        intern(writer, INTERNED_ANNOTATION_STRINGS, note->text));
        break;
    }
    protobuf_end(packet);
}

void perfetto_flow(struct perfetto_writer *writer, const struct perfetto_event *event,
                   uint64_t flow, bool ends)
{
    struct protobuf *packet = &writer->packet;

    begin_packet(writer);
    protobuf_number(packet, PACKET_TIMESTAMP, event->ns);
    protobuf_begin(packet, PACKET_TRACK_EVENT);
    protobuf_number(packet, EVENT_TYPE, track_event_types[event->type]);
    protobuf_number(packet, EVENT_TRACK_UUID, event->track);
    protobuf_number(packet, EVENT_CATEGORY_IIDS,
                    intern(writer, INTERNED_EVENT_CATEGORIES, event->category));
    if (event->name != NULL) {
        protobuf_number(packet, EVENT_NAME_IID, intern(writer, INTERNED_EVENT_NAMES, event->name));
    }
    for (size_t i = 0; i < event->note_count; i++) {
        put_note(writer, &event->notes[i]);
    }
    if (flow != 0) {
        protobuf_fixed(packet, ends ? EVENT_TERMINATING_FLOW_IDS : EVENT_FLOW_IDS, flow);
    }
    protobuf_end(packet);
    end_packet(writer);
}

void perfetto_event(struct perfetto_writer *writer, const struct perfetto_event *event)
{
    perfetto_flow(writer, event, 0, false);
}

/* ---- events of ftrace ---- */

static void flush_bundle(struct perfetto_writer *writer, struct bundle *bundle)
{
    if (bundle->event_count == 0) {
        return;
    }
    begin_packet(writer);
    protobuf_begin(&writer->packet, PACKET_FTRACE_EVENTS);
    protobuf_number(&writer->packet, BUNDLE_CPU, bundle->cpu);
    if (bundle->lost) {
        protobuf_number(&writer->packet, BUNDLE_LOST_EVENTS, true);
    }
    struct protobuf *packet = &writer->packet;

    /* the events are already encoded as fields of the bundle */
    reserve(packet, bundle->events.length);
    memcpy(packet->bytes + packet->length, bundle->events.bytes, bundle->events.length);
    packet->length += bundle->events.length;
    protobuf_end(packet);
    end_packet(writer);
    protobuf_clear(&bundle->events);
    bundle->event_count = 0;
    bundle->lost = false;
}

void perfetto_flush(struct perfetto_writer *writer)
{
    for (size_t i = 0; i < BUNDLES; i++) {
        flush_bundle(writer, &writer->bundles[i]);
    }
}

static struct bundle *bundle_of(struct perfetto_writer *writer, uint32_t cpu)
{
    struct bundle *bundle = &writer->bundles[cpu % BUNDLES];

    if (bundle->cpu != cpu || bundle->event_count >= BUNDLE_EVENTS) {
        flush_bundle(writer, bundle);
        bundle->cpu = cpu;
    }
    return bundle;
}

/* Begins an event. Returns the message that takes it. */
static struct protobuf *begin_ftrace(struct perfetto_writer *writer, uint32_t cpu, uint64_t ns,
                                     int32_t tid)
{
    struct bundle *bundle = bundle_of(writer, cpu);

    bundle->event_count++;
    protobuf_begin(&bundle->events, BUNDLE_EVENT);
    protobuf_number(&bundle->events, FTRACE_TIMESTAMP, ns);
    protobuf_number(&bundle->events, FTRACE_PID, (uint64_t)tid);
    return &bundle->events;
}

/* Adds three fields, of which `field` is the first. */
static void put_task(struct protobuf *bundle, uint32_t field, const struct perfetto_task *task)
{
    protobuf_text(bundle, field, task->comm);
    protobuf_number(bundle, field + 1, (uint64_t)task->tid);
    protobuf_number(bundle, field + 2, (uint64_t)task->prio);
}

void perfetto_switch(struct perfetto_writer *writer, uint64_t ns, uint32_t cpu,
                     const struct perfetto_task *from, int64_t state,
                     const struct perfetto_task *to)
{
    struct protobuf *bundle = begin_ftrace(writer, cpu, ns, from->tid);

    protobuf_begin(bundle, FTRACE_SCHED_SWITCH);
    put_task(bundle, SWITCH_PREV_TASK, from);
    protobuf_number(bundle, SWITCH_PREV_STATE, (uint64_t)state);
    put_task(bundle, SWITCH_NEXT_TASK, to);
    protobuf_end(bundle);
    protobuf_end(bundle);
}

void perfetto_waking(struct perfetto_writer *writer, uint64_t ns, uint32_t cpu, int32_t by_tid,
                     const struct perfetto_task *task, uint32_t target)
{
    struct protobuf *bundle = begin_ftrace(writer, cpu, ns, by_tid);

    protobuf_begin(bundle, FTRACE_SCHED_WAKING);
    put_task(bundle, WAKING_TASK, task);
    protobuf_number(bundle, WAKING_SUCCESS, SUCCESS_OF_LINUX);
    protobuf_number(bundle, WAKING_TARGET_CPU, target);
    protobuf_end(bundle);
    protobuf_end(bundle);
}

void perfetto_lost(struct perfetto_writer *writer, uint32_t cpu)
{
    struct bundle *bundle = bundle_of(writer, cpu);

    flush_bundle(writer, bundle);
    bundle->lost = true;
}

uint64_t perfetto_bytes(const struct perfetto_writer *writer)
{
    uint64_t bytes = writer->written;

    for (size_t i = 0; i < BUNDLES; i++) {
        bytes += writer->bundles[i].events.length;
    }
    return bytes;
}

static void forget_names(struct perfetto_writer *writer)
{
    for (size_t i = 0; i < writer->interned_count; i++) {
        free(writer->interned[i].text);
    }
    writer->interned_count = 0;
    memset(writer->slots, 0, writer->slot_count * sizeof(*writer->slots));
}

void perfetto_turn(struct perfetto_writer *writer, FILE *out)
{
    forget_names(writer);
    writer->out = out;
    writer->begun = false;
    writer->written = 0;
}

void perfetto_destroy(struct perfetto_writer *writer)
{
    perfetto_flush(writer);
    forget_names(writer);
    free(writer->interned);
    free(writer->slots);
    protobuf_free(&writer->packet);
    protobuf_free(&writer->names);
    for (size_t i = 0; i < BUNDLES; i++) {
        protobuf_free(&writer->bundles[i].events);
    }
    free(writer);
}
