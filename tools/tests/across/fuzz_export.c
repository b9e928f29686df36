/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: what looks at traces from outside the accounting.
 *
 * An even first byte: the rest is events of a bench, some of whose objects have names, exported as
 * CSV, and as CTF, for Perfetto, as both or as neither (fuzz_choice.h). An odd one: the rest
 * is the content of frames (fuzz_frames.h), watched live as they arrive.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/frame.h"
#include "tools/export/trace_export.h"
#include "tools/show/live.h"
#include "tools/tests/support/fuzz_bytes.h"
#include "tools/tests/support/fuzz_frames.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/whole_file.h"

#define PACKET_BYTES  512
#define CPUS          3
#define WATCH_SECONDS 60

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;

/* ---- exports ---- */

static void take_name(struct bytes *bytes, struct run *run, struct run_bench *bench)
{
    static const char *const kinds[] = {"thread", "process", "vector", "dpc",   "lock",
                                        "mark",   "syscall", "queue",  "device"};
    char name[8] = "";

    for (size_t i = 0; i + 1 < sizeof(name); i++) {
        name[i] = (char)take(bytes);
    }
    trace_builder_name(bench, kinds[take(bytes) % 9], (uint32_t)take_many(bytes, 2),
                       run_text(run, name));
}

/* Any event there is, later by up to 2^56 ticks. */
static void take_event(struct bytes *bytes, struct trace_builder *builder, uint64_t *stamp)
{
    const uint8_t byte = take(bytes);
    const uint8_t code = byte < 240 ? byte % 32 : 32 + byte % 4;
    const uint32_t id = code < 30 ? code : TRACE_ID_block_issue + (code - 30);
    uint64_t fields[TRACE_FIELDS_MAX];

    *stamp += take_many(bytes, take(bytes) % 8);
    for (size_t i = 0; i < TRACE_FIELDS_MAX; i++) {
        fields[i] = take_many(bytes, 2);
    }
    if (trace_class_of(id) != NULL && *stamp < UINT64_MAX / 2) {
        trace_builder_add(builder, *stamp, id, fields, false);
    }
}

/* Returns the builder of a processor, whose trace begins now if it has none. */
static struct trace_builder *builder_of(struct trace_builder builders[CPUS], uint32_t cpu,
                                        uint64_t stamp)
{
    if (builders[cpu].bytes == NULL) {
        trace_builder_init(&builders[cpu], stamp, PACKET_BYTES);
        builders[cpu].cpu = cpu;
        builders[cpu].part = 1;
    }
    return &builders[cpu];
}

static void take_trace(struct bytes *bytes, struct run *run, struct run_bench *bench)
{
    struct trace_builder builders[CPUS] = {0};
    uint64_t stamp = take_many(bytes, 6);
    struct trace_builder *builder = builder_of(builders, 0, stamp);

    while (bytes->left > 0 && stamp < UINT64_MAX / 4) {
        switch (take(bytes) % 16) {
        case 0:
            take_name(bytes, run, bench);
            break;
        case 1:
            trace_builder_lose(builder);
            break;
        case 2:
            trace_builder_discard(builder, take_many(bytes, 2));
            break;
        case 3:
            builder = builder_of(builders, take(bytes) % CPUS, stamp);
            break;
        default:
            take_event(bytes, builder, &stamp);
            break;
        }
    }
    for (size_t i = 0; i < CPUS; i++) {
        if (builders[i].bytes != NULL) {
            trace_builder_finish(&builders[i], stamp + 1, bench);
        }
    }
}

static bool export_perfetto(const struct run *run, const struct run_bench *bench,
                            struct trace_export_counts *counts)
{
    struct perfetto_writer *writer = perfetto_create(nowhere);
    char error[TRACE_EXPORT_ERROR_MAX];
    const bool done = trace_export_perfetto(run, bench, writer, NULL, 1, counts, error);

    perfetto_destroy(writer);
    return done;
}

enum part {
    PART_CSV,
    PART_CTF,
    PART_PERFETTO,
    PART_ALL,
    PARTS, /* a power of two */
};

/* As CSV, and in one or both of the other formats, which have the same events, or both fail. */
static void export_bench(const struct run *run, const struct run_bench *bench, enum part part)
{
    struct trace_export_counts csv;
    struct trace_export_counts counts;
    char error[TRACE_EXPORT_ERROR_MAX];
    int done[PART_ALL] = {-1, -1, -1};

    demand(trace_export_csv(run, bench, nowhere, run_processors(bench) > 1, &csv, error));
    for (enum part at = PART_CTF; at < PART_ALL; at++) {
        if (part != at && part != PART_ALL) {
            continue;
        }
        done[at] = at == PART_CTF ? trace_export_ctf(run, bench, own_folder(), &counts, error)
                                  : export_perfetto(run, bench, &counts);
        demand(done[at] == 0 || counts.events == csv.events);
    }
    demand(part != PART_ALL || done[PART_CTF] == done[PART_PERFETTO]);
}

static void export_events(struct bytes *bytes, enum part part)
{
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = take_many(bytes, 4) + 1};
    take_trace(bytes, &run, bench);
    export_bench(&run, bench, part);
    run_free(&run);
}

/* ---- a log that is watched ---- */

struct feed {
    struct bytes bytes;
    struct live *live;
};

static bool more(void *context)
{
    struct feed *feed = context;
    static struct frame frame;
    static uint8_t wire[FRAME_WIRE_MAX];
    const size_t taken = fuzz_frame_take(&frame, feed->bytes.at, feed->bytes.left);

    feed->bytes.at += taken;
    feed->bytes.left -= taken;
    if (taken > 0) {
        live_push(feed->live, wire, frame_encode(&frame, FRAME_BINARY, wire));
    }
    return taken > 0;
}

static void watch_log(const struct bytes *bytes)
{
    struct feed feed = {.bytes = *bytes};
    struct live_state state;

    feed.live = live_create(WATCH_SECONDS, more, &feed);
    live_run(feed.live);
    live_look(feed.live, &state);
    live_view(nowhere, &state, "log", WATCH_SECONDS, 24);
    live_destroy(feed.live);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};

    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    if (take(&bytes) % 2 == 0) {
        export_events(&bytes, (enum part)(fuzz_sum(data, size) % PARTS));
    } else {
        watch_log(&bytes);
    }
    return 0;
}
