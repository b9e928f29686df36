/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/trace_write.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"

static void open_packet(struct trace_builder *builder, uint64_t begin, uint32_t tracer_ticks)
{
    static const uint8_t uuid[] = TRACE_UUID;
    const uint64_t sequence = builder->packet.sequence;

    builder->packet = (struct trace_packet){
        .magic = TRACE_PACKET_MAGIC,
        .begin = begin,
        .packet_bits = (uint64_t)builder->packet_bytes * 8,
        .sequence = sequence,
        .tracer_ticks = tracer_ticks,
    };
    memcpy(builder->packet.uuid, uuid, sizeof(uuid));
    builder->bytes =
        alloc_grow(builder->bytes, &builder->capacity, builder->length + builder->packet_bytes, 1);
    memset(builder->bytes + builder->length, 0, builder->packet_bytes);
    builder->used = sizeof(struct trace_packet);
    builder->stamp = begin;
    builder->lost = false;
}

static void spool_packet(struct trace_builder *builder)
{
    uint64_t at;

    if (!spool_append(builder->spool, builder->bytes, builder->packet_bytes, &at)) {
        builder->failed = true;
        return;
    }
    builder->extent.at = builder->extent.length == 0 ? at : builder->extent.at;
    builder->extent.length += builder->packet_bytes;
}

void trace_builder_close(struct trace_builder *builder, uint64_t end)
{
    if (builder->spool != NULL && builder->used == sizeof(builder->packet)) {
        return;
    }
    builder->packet.end = end;
    builder->packet.content_bits = builder->used * 8;
    builder->packet.discarded = builder->discarded;
    builder->packet.cpu = builder->cpu;
    memcpy(builder->bytes + builder->length, &builder->packet, sizeof(builder->packet));
    if (builder->spool != NULL) {
        spool_packet(builder);
    } else {
        builder->length += builder->lost ? 0 : builder->packet_bytes;
    }
    builder->packet.sequence++;
    builder->claimed++;
}

void trace_builder_init(struct trace_builder *builder, uint64_t begin, uint32_t packet_bytes)
{
    memset(builder, 0, sizeof(*builder));
    builder->packet_bytes = packet_bytes;
    builder->begin = begin;
    open_packet(builder, begin, 0);
}

void trace_builder_turn(struct trace_builder *builder, uint64_t end, uint64_t begin,
                        uint32_t tracer_ticks)
{
    trace_builder_close(builder, end);
    open_packet(builder, begin, tracer_ticks);
}

static void put(struct trace_builder *builder, uint64_t value, size_t bytes)
{
    memcpy(builder->bytes + builder->length + builder->used, &value, bytes);
    builder->used += bytes;
}

void trace_builder_add(struct trace_builder *builder, uint64_t tsc, uint32_t id,
                       const uint64_t fields[TRACE_FIELDS_MAX], bool extended)
{
    const struct trace_class *class = trace_class_of(id);

    if (builder->used + TRACE_HEADER_EXTENDED + class->bytes > builder->packet_bytes) {
        trace_builder_turn(builder, tsc, tsc, 0);
    }
    if (extended || id > TRACE_ID_EXTENDED ||
        tsc >> TRACE_STAMP_BITS != builder->stamp >> TRACE_STAMP_BITS) {
        put(builder, TRACE_ID_EXTENDED, 1);
        put(builder, id, 4);
        put(builder, tsc, 8);
    } else {
        put(builder, (uint32_t)(tsc << TRACE_ID_BITS) | id, TRACE_HEADER_COMPACT);
    }
    for (size_t i = 0; i < class->field_count; i++) {
        put(builder, fields[i], class->field_bytes[i]);
    }
    builder->stamp = tsc;
    builder->kept++;
}

struct run_trace *trace_builder_finish(struct trace_builder *builder, uint64_t end,
                                       struct run_bench *bench)
{
    trace_builder_close(builder, end);
    const uint32_t last = bench->trace_count > 0 ? bench->traces[bench->trace_count - 1].part : 0;
    struct run_trace *trace = run_add_trace(bench);

    *trace = (struct run_trace){
        .part = builder->part != 0 ? builder->part : last + 1,
        .mode = builder->overwritten > 0 ? TRACE_MODE_OVERWRITE : TRACE_MODE_STOP,
        .cpu = builder->cpu,
        .begin = builder->begin,
        .end = end,
        .packet_bytes = builder->packet_bytes,
        .kept = builder->kept,
        .discarded = builder->discarded,
        .overwritten = builder->overwritten,
        .claimed = builder->claimed * builder->packet_bytes,
        .packets = trace_bytes_memory(builder->bytes, builder->length),
    };
    free(builder->bytes);
    builder->bytes = NULL;
    return trace;
}

void trace_builder_name(struct run_bench *bench, const char *kind, uint32_t id, const char *name)
{
    *run_add_object(bench) = (struct run_object){.kind = kind, .id = id, .name = name};
}
