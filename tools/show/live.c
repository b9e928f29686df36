/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/live.h"

#include <stdlib.h>
#include <string.h>

#include "bench/smp/names.h"
#include "kernel/link/trace_codec.h"
#include "kernel/plan/names.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"
#include "tools/trace/accounting.h"
#include "tools/trace/disk_requests.h"
#include "tools/wire/assembly.h"

/* no real TSC gets there, and sums of two stamps fit into 64 bits */
#define STAMP_LIMIT (UINT64_C(1) << 62)

/* a frame of a trace that has not been read yet */
struct live_frame {
    struct live_frame *next;
    size_t trace;   /* index in assembly.traces */
    uint64_t start; /* offset of its first byte in the packets of the trace */
    size_t bytes;
    size_t length;
    uint8_t payload[];
};

struct live {
    live_more *more;
    void *context;
    struct decoder *decoder;
    struct run run;
    struct assembly assembly;
    unsigned seconds;
    bool closed; /* no more will come */
    struct live_window window;
    struct live_state state; /* without what live_look() adds */
    size_t trace;            /* index in assembly.traces of the current trace */
    uint32_t bench;          /* bench of the current trace */
    /* The current trace is one of a part of several, all of which have arrived. */
    bool whole;
    size_t latest_trace; /* latest trace of which a frame has arrived, in the image's order */
    uint64_t highest;    /* largest start of the frames of the current trace that have arrived */
    bool any_frame;      /* a frame of the current trace has arrived */
    struct live_frame *frames;
    struct live_frame **frames_end;      /* where to link the next frame */
    const struct accounting *accounting; /* accounting of the current trace while it is read */
    struct disk_requests disks;          /* of the current trace */
    struct live_noise noise;
};

/* ---- what comes ---- */

/* Turns a record back into a line, because the assembly reads lines. */
static void on_record(void *context, const struct record *record)
{
    struct live *live = context;
    struct record_writer writer;

    record_begin(&writer, record->name);
    for (size_t i = 0; i < record->count; i++) {
        record_text(&writer, record->fields[i].key, record->fields[i].value);
    }
    const size_t length = record_finish(&writer);

    assembly_meta(&live->assembly, 0, (const uint8_t *)writer.line, length);
}

static void on_answer(void *context, const struct record *record)
{
    struct live *live = context;

    live_noise_take(&live->noise, record);
}

static void note_frame(struct live *live, size_t trace, uint64_t start)
{
    if (trace > live->latest_trace) {
        live->latest_trace = trace;
    }
    if (trace == live->trace) {
        live->highest = !live->any_frame || start > live->highest ? start : live->highest;
        live->any_frame = true;
    }
}

static void on_trace_frame(void *context, const struct decoder_trace_frame *frame)
{
    struct live *live = context;
    size_t trace = live->trace; /* the frame is of the current trace or of a later one */

    while (trace < live->assembly.trace_count &&
           live->assembly.traces[trace].claim.stream != frame->stream) {
        trace++;
    }
    if (trace == live->assembly.trace_count) {
        return;
    }
    struct live_frame *held = alloc_zeroed(sizeof(*held) + frame->length);

    held->trace = trace;
    held->start = frame->start;
    held->bytes = frame->bytes;
    held->length = frame->length;
    memcpy(held->payload, frame->payload, frame->length);
    *live->frames_end = held;
    live->frames_end = &held->next;
    note_frame(live, trace, held->start);
}

void live_push(struct live *live, const uint8_t *bytes, size_t length)
{
    decoder_push(live->decoder, bytes, length);
}

static bool need_more(struct live *live)
{
    live->closed = live->closed || !live->more(live->context);
    return !live->closed;
}

/* ---- packets ---- */

/* The packets of a current trace, which arrive while they are read. */
struct live_bytes {
    struct trace_bytes bytes; /* without the packets that were left out */
    struct live *live;
    size_t trace;
    const struct live_frame *latest; /* if `whole`: the frame found last, which stays */
    uint64_t claimed;
    uint64_t left_out; /* bytes before the next read: packets of which no frame arrived */
    /* how often reading started from offset 0: the accounting first finds out which thread runs at
     * the start, and then reads the trace for good */
    unsigned readers;
};

/* Returns the frame of the trace that has the byte at `offset`, or NULL. */
static const struct live_frame *find_frame(struct live_bytes *bytes, uint64_t offset)
{
    const struct live_frame *frame = bytes->latest != NULL && bytes->latest->start <= offset
                                         ? bytes->latest
                                         : bytes->live->frames;

    while (frame != NULL && (frame->trace != bytes->trace || offset < frame->start ||
                             offset - frame->start >= frame->bytes)) {
        frame = frame->next;
    }
    if (frame != NULL && bytes->live->whole) {
        bytes->latest = frame;
    }
    return frame;
}

static bool is_lost(const struct live *live, uint64_t offset)
{
    return live->whole || live->latest_trace > live->trace ||
           (live->any_frame && live->highest > offset) || decoder_ended(live->decoder);
}

/* Drops the frames of earlier traces, and those of the current trace that end at or before
 * `offset`. */
static void drop_frames(struct live *live, uint64_t offset)
{
    struct live_frame **at = &live->frames;

    while (*at != NULL) {
        struct live_frame *frame = *at;

        if (frame->trace < live->trace ||
            (frame->trace == live->trace && frame->start + frame->bytes <= offset)) {
            *at = frame->next;
            free(frame);
        } else {
            at = &frame->next;
        }
    }
    live->frames_end = at;
}

/* Waits for the frame with this byte. Returns true once the frame is there or counts as lost, false
 * if the log ended before. */
static bool await_frame(struct live_bytes *bytes, uint64_t offset)
{
    while (find_frame(bytes, offset) == NULL && !is_lost(bytes->live, offset)) {
        if (!need_more(bytes->live)) {
            return false;
        }
    }
    return true;
}

/* Returns the offset, from `offset` on, of the first byte of which a frame has arrived, or `end` if
 * there is none before that. */
static uint64_t next_held(struct live_bytes *bytes, uint64_t offset, uint64_t end)
{
    if (find_frame(bytes, offset) != NULL) {
        return offset;
    }
    for (const struct live_frame *frame = bytes->live->frames; frame != NULL; frame = frame->next) {
        if (frame->trace == bytes->trace && frame->start > offset && frame->start < end) {
            end = frame->start;
        }
    }
    return end;
}

/* Copies the bytes of one frame that are in [offset, end). Returns their number. */
static size_t copy_frame(struct live_bytes *bytes, uint64_t offset, uint64_t end, uint8_t *to)
{
    const struct live_frame *frame = find_frame(bytes, offset);
    uint8_t packet[TRACE_PACKET_BYTES] = {0};
    struct trace_codec codec = {0};
    struct trace_piece piece;

    if (frame == NULL) {
        return 0;
    }
    const uint64_t behind = frame->start + frame->bytes;
    const size_t size = (size_t)((behind < end ? behind : end) - offset);

    if (trace_decode(&codec, frame->payload, frame->length, packet, &piece)) {
        memcpy(to, packet + offset % TRACE_PACKET_BYTES, size);
    }
    return size;
}

/* Returns the offset of the packet to read: the one at `offset` or, if no frame of it arrived, the
 * next packet with a frame, or the last one. This way a false length of a trace causes no work. The
 * reader finds packets that are left out by their numbers. */
static uint64_t leave_out_lost(struct live_bytes *bytes, uint64_t offset)
{
    const uint64_t held = next_held(bytes, offset, bytes->claimed - TRACE_PACKET_BYTES);
    uint64_t next = held / TRACE_PACKET_BYTES * TRACE_PACKET_BYTES;

    next = next > offset ? next : offset;
    bytes->left_out += next - offset;
    bytes->bytes.length -= next - offset;
    return next;
}

/* Reads a packet. Missing bytes are 0, and the reader takes a packet with missing bytes as damaged.
 */
static bool live_read(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    struct live_bytes *live_bytes = (struct live_bytes *)bytes;
    struct live *live = live_bytes->live;

    memset(to, 0, size);
    if (size < TRACE_PACKET_BYTES) {
        return true; /* looks ahead at a packet that may not be there yet */
    }
    if (offset == 0) {
        live_bytes->readers++;
        live_bytes->left_out = 0;
        bytes->length = live_bytes->claimed;
    }
    offset += live_bytes->left_out;
    if (!await_frame(live_bytes, offset)) {
        return false;
    }
    offset = leave_out_lost(live_bytes, offset);
    for (uint64_t at = offset; at < offset + size;) {
        if (!await_frame(live_bytes, at)) {
            return false;
        }
        at = next_held(live_bytes, at, offset + size);
        at += copy_frame(live_bytes, at, offset + size, (uint8_t *)to + (at - offset));
    }
    if (live_bytes->readers > 1 && !live->whole) {
        drop_frames(live, offset + size);
    }
    return true;
}

static void live_close(struct trace_bytes *bytes)
{
    free(bytes);
}

static struct trace_bytes *open_bytes(struct live *live, size_t trace)
{
    const struct trace_claim *claim = &live->assembly.traces[trace].claim;
    struct live_bytes *bytes = alloc_zeroed(sizeof(*bytes));

    bytes->bytes =
        (struct trace_bytes){.length = claim->bytes, .read = live_read, .close = live_close};
    bytes->live = live;
    bytes->trace = trace;
    bytes->claimed = claim->bytes;
    return &bytes->bytes;
}

/* ---- accounts ---- */

static void on_segment(void *context, const struct accounting *accounting,
                       const struct account_segment *segment)
{
    struct live *live = context;

    if (live->closed && !live->whole) {
        return; /* after the end of the log, the rest of the part is unknown */
    }
    struct window_row *row =
        window_add(&live->window, live->bench, (uint32_t)accounting->on, segment);

    if (segment->kind == ACCOUNT_THREAD || segment->kind == ACCOUNT_FAULT) {
        row->now = accounting_thread(accounting, segment->id)->process;
    }
}

/* Counts what the event changed in the sums of its disk, which then begin again. */
static void count_disk(struct live *live, const struct trace_event *event)
{
    const uint32_t id = (uint32_t)event->field[0];
    struct disk_account *disk = &live->disks.disks[live->disks.places[id] - 1];
    uint64_t *const sums[] = {&disk->issued, &disk->good, &disk->failed, &disk->sectors,
                              &disk->time.total};

    for (uint32_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        struct window_row *row =
            window_count(&live->window, live->bench, WINDOW_ISSUED + i, id, event->tsc, *sums[i]);

        row->now = disk->now;
        *sums[i] = 0;
    }
}

static void on_event(void *context, const struct accounting *accounting,
                     const struct trace_event *event)
{
    struct live *live = context;
    const uint32_t id = (uint32_t)event->field[0];

    live->state.events++;
    if (event->id == TRACE_ID_thread_switch) {
        window_count(&live->window, live->bench, WINDOW_SWITCHES, event->cpu, event->tsc, 1);
    } else if (event->id == TRACE_ID_io_status && event->field[1] == IO_SYNCHRONOUS) {
        window_count(&live->window, live->bench, WINDOW_ISSUED, id, event->tsc, 0)->awaited =
            (uint32_t)event->field[2] + 1;
    } else if (event->id == TRACE_ID_block_issue || event->id == TRACE_ID_block_complete) {
        count_disk(live, event);
    }
    if (event->id == TRACE_ID_block_issue && accounting->current != ACCOUNT_NO_THREAD) {
        window_count(&live->window, live->bench, WINDOW_REQUESTS, accounting->current, event->tsc,
                     1);
    }
}

/* Accounts for one part by itself: thread states do not carry over from one part to the next. */
static void account_part(struct live *live, const struct run_trace *described, size_t processors)
{
    const struct account_observer observers[] = {
        disk_requests_observer(&live->disks),
        {.context = live, .segment = on_segment, .event = on_event}};
    struct run_trace traces[RUN_PROCESSORS_MAX];
    const struct run_bench bench = {.name = "", .traces = traces, .trace_count = processors};
    struct accounting accounting = {.bench = &bench};

    for (size_t i = 0; i < processors; i++) {
        traces[i] = described[i];
        traces[i].packets = open_bytes(live, live->trace + i);
    }
    live->accounting = &accounting;
    accounting_read(&accounting, &bench, observers, 2);
    live->accounting = NULL;
    live->state.packets += accounting.lost_packets;
    live->state.discarded += accounting.discarded;
    accounting_free(&accounting);
    disk_requests_free(&live->disks);
    live->disks = (struct disk_requests){0};
    for (size_t i = 0; i < processors; i++) {
        trace_bytes_close(traces[i].packets);
    }
}

/* Returns whether a part of this bench may have a trace for each processor. */
static bool has_processors(const struct assembly *assembly, const struct run_bench *bench)
{
    return (bench->group != NULL && strcmp(bench->group, GROUP_SMP) == 0) ||
           (assembly->plan != NULL && memmem(assembly->plan, assembly->plan_length, KEY_TASKS_CPUS,
                                             strlen(KEY_TASKS_CPUS)) != NULL);
}

/* Returns how many traces the part has that begins with the current one. If it may be that of
 * several processors, which are merged, waits for all: until another part follows, or the bench has
 * ended. */
static size_t await_part(struct live *live)
{
    const struct open_trace first = live->assembly.traces[live->trace];
    size_t count = 1;

    live->whole = has_processors(&live->assembly, &live->run.benches[first.bench]);
    for (bool open = live->whole; open;) {
        const struct run_bench *bench = &live->run.benches[first.bench];

        count = run_part_processors(bench, first.trace);
        open = live->trace + count == live->assembly.trace_count && bench->state == NULL &&
               !decoder_ended(live->decoder) && need_more(live);
    }
    return count;
}

/* Accounts for the current part and goes on to the next. Skips a part whose times are unusable. */
static void take_part(struct live *live)
{
    const size_t processors = await_part(live);
    const struct open_trace open = live->assembly.traces[live->trace];
    const struct run_trace *traces = &live->run.benches[open.bench].traces[open.trace];
    const uint64_t hz = live->run.verdict.hz;

    if (hz != 0 && hz < STAMP_LIMIT / live->seconds &&
        run_part_bounds(traces, processors).end < STAMP_LIMIT) {
        if (!live->state.has_window) {
            window_init(&live->window, hz * live->seconds);
            live->state.has_window = true;
        }
        live->bench = (uint32_t)open.bench;
        account_part(live, traces, processors);
    }
    live->trace += processors;
    live->any_frame = false;
    drop_frames(live, 0);
    for (const struct live_frame *frame = live->frames; frame != NULL; frame = frame->next) {
        note_frame(live, frame->trace, frame->start);
    }
}

void live_run(struct live *live)
{
    while (!live->closed) {
        if (live->trace < live->assembly.trace_count) {
            take_part(live);
        } else if (decoder_ended(live->decoder)) {
            return;
        } else {
            need_more(live);
        }
    }
}

struct live *live_create(unsigned seconds, live_more *more, void *context)
{
    struct live *live = alloc_zeroed(sizeof(*live));

    live->more = more;
    live->context = context;
    live->seconds = seconds;
    live->decoder = decoder_create();
    live->frames_end = &live->frames;
    decoder_listen(live->decoder, &(struct decoder_listener){.context = live,
                                                             .on_record = on_record,
                                                             .on_trace_frame = on_trace_frame,
                                                             .on_answer = on_answer});
    live->state.run = &live->run;
    live->state.window = &live->window;
    live->state.noise = &live->noise;
    run_init(&live->run);
    assembly_init(&live->assembly, &live->run);
    return live;
}

void live_destroy(struct live *live)
{
    live->trace = SIZE_MAX;
    drop_frames(live, 0);
    if (live->state.has_window) {
        window_free(&live->window);
    }
    live_noise_free(&live->noise);
    assembly_free(&live->assembly);
    run_free(&live->run);
    decoder_destroy(live->decoder);
    free(live);
}

void live_look(const struct live *live, struct live_state *state)
{
    *state = live->state;
    state->ended = decoder_ended(live->decoder);
    if (live->accounting != NULL) {
        state->packets += live->accounting->lost_packets;
        state->discarded += live->accounting->discarded;
    }
    decoder_get_counts(live->decoder, &state->counts);
}
