/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/live.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/link/trace_codec.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"
#include "tools/trace/accounting.h"
#include "tools/wire/assembly.h"

/* no real TSC gets there, and sums of two stamps fit into 64 bits */
#define STAMP_LIMIT (UINT64_C(1) << 62)
#define IDS         (ACCOUNT_NO_THREAD + 1)

/* ---- who had the processor ---- */

void window_init(struct live_window *window, uint64_t ticks)
{
    *window = (struct live_window){.step = (ticks + WINDOW_STEPS - 1) / WINDOW_STEPS};
    for (size_t i = 0; i < ACCOUNT_KINDS; i++) {
        window->slots[i] = alloc_zeroed(IDS * sizeof(*window->slots[i]));
    }
}

void window_free(struct live_window *window)
{
    for (size_t i = 0; i < ACCOUNT_KINDS; i++) {
        free(window->slots[i]);
    }
    free(window->rows);
}

static void clear_step(struct live_window *window, uint64_t step)
{
    for (size_t i = 0; i < window->row_count; i++) {
        window->rows[i].ticks[step % WINDOW_SLOTS] = 0;
    }
    window->switches[step % WINDOW_SLOTS] = 0;
}

/* Moves the end of the window to this TSC. */
static void move_to(struct live_window *window, uint64_t tsc)
{
    const uint64_t step = tsc / window->step;

    if (tsc > window->latest) {
        window->latest = tsc;
    }
    if (step > window->newest + WINDOW_SLOTS) {
        window->newest = step - WINDOW_SLOTS;
    }
    while (window->newest < step) {
        window->newest++;
        clear_step(window, window->newest);
    }
}

static struct window_row *row_of(struct live_window *window, uint32_t bench, enum account_kind kind,
                                 uint32_t id)
{
    uint32_t *slot = &window->slots[kind][id < IDS ? id : IDS - 1];

    if (*slot == 0) {
        window->rows = alloc_append(window->rows, &window->row_count, &window->row_capacity,
                                    sizeof(*window->rows));
        window->rows[window->row_count - 1].bench = bench;
        window->rows[window->row_count - 1].kind = kind;
        window->rows[window->row_count - 1].id = id;
        *slot = (uint32_t)window->row_count;
    }
    return &window->rows[*slot - 1];
}

static void turn_to_bench(struct live_window *window, uint32_t bench)
{
    window->slots_of = bench;
    for (size_t i = 0; i < ACCOUNT_KINDS; i++) {
        memset(window->slots[i], 0, IDS * sizeof(*window->slots[i]));
    }
    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];

        if (row->bench == bench) {
            window->slots[row->kind][row->id < IDS ? row->id : IDS - 1] = (uint32_t)i + 1;
        }
    }
}

void window_add(struct live_window *window, uint32_t bench, const struct account_segment *segment)
{
    uint64_t from = segment->from;

    if (segment->to <= from || segment->to / window->step + WINDOW_STEPS < window->newest) {
        return;
    }
    if (bench != window->slots_of) {
        turn_to_bench(window, bench);
    }
    struct window_row *row = row_of(window, bench, segment->kind, segment->id);

    move_to(window, segment->to);
    if (from / window->step + WINDOW_STEPS < window->newest) {
        from = (window->newest - WINDOW_STEPS) * window->step;
    }
    while (from < segment->to) {
        const uint64_t step = from / window->step;
        const uint64_t border = (step + 1) * window->step;
        const uint64_t to = border < segment->to ? border : segment->to;

        row->ticks[step % WINDOW_SLOTS] += to - from;
        from = to;
    }
}

void window_switch(struct live_window *window, uint64_t tsc)
{
    if (tsc / window->step + WINDOW_STEPS < window->newest) {
        return;
    }
    move_to(window, tsc);
    window->switches[tsc / window->step % WINDOW_SLOTS]++;
}

static uint64_t sum(const uint64_t slots[WINDOW_SLOTS])
{
    uint64_t total = 0;

    for (size_t i = 0; i < WINDOW_SLOTS; i++) {
        total += slots[i];
    }
    return total;
}

uint64_t window_row_ticks(const struct window_row *row)
{
    return sum(row->ticks);
}

uint64_t window_switches(const struct live_window *window)
{
    return sum(window->switches);
}

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
    bool has_window;
    size_t trace;        /* index in assembly.traces of the current trace */
    uint32_t bench;      /* bench of the current trace */
    size_t latest_trace; /* latest trace of which a frame has arrived, in the image's order */
    uint64_t highest;    /* largest start of the frames of the current trace that have arrived */
    bool any_frame;      /* a frame of the current trace has arrived */
    struct live_frame *frames;
    struct live_frame **frames_end; /* where to link the next frame */
    uint64_t events, packets, discarded;
    const struct accounting *accounting; /* accounting of the current trace while it is read */
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

/* The packets of the current trace, which arrive while they are read. */
struct live_bytes {
    struct trace_bytes bytes; /* without the packets that were left out */
    struct live *live;
    uint64_t claimed;
    uint64_t left_out; /* bytes before the next read: packets of which no frame arrived */
    /* how often reading started from offset 0: the accounting first finds out which thread runs at
     * the start, and then reads the trace for good */
    unsigned readers;
};

/* Returns the frame of the current trace that has the byte at `offset`, or NULL. */
static const struct live_frame *find_frame(const struct live *live, uint64_t offset)
{
    const struct live_frame *frame = live->frames;

    while (frame != NULL && (frame->trace != live->trace || offset < frame->start ||
                             offset - frame->start >= frame->bytes)) {
        frame = frame->next;
    }
    return frame;
}

static bool is_lost(const struct live *live, uint64_t offset)
{
    return live->latest_trace > live->trace || (live->any_frame && live->highest > offset) ||
           decoder_ended(live->decoder);
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
static bool await_frame(struct live *live, uint64_t offset)
{
    while (find_frame(live, offset) == NULL && !is_lost(live, offset)) {
        if (!need_more(live)) {
            return false;
        }
    }
    return true;
}

/* Returns the offset, from `offset` on, of the first byte of which a frame has arrived, or `end` if
 * there is none before that. */
static uint64_t next_held(const struct live *live, uint64_t offset, uint64_t end)
{
    if (find_frame(live, offset) != NULL) {
        return offset;
    }
    for (const struct live_frame *frame = live->frames; frame != NULL; frame = frame->next) {
        if (frame->trace == live->trace && frame->start > offset && frame->start < end) {
            end = frame->start;
        }
    }
    return end;
}

/* Copies the bytes of one frame that are in [offset, end). Returns their number. */
static size_t copy_frame(const struct live *live, uint64_t offset, uint64_t end, uint8_t *to)
{
    const struct live_frame *frame = find_frame(live, offset);
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
    const struct live *live = bytes->live;
    const uint64_t held = next_held(live, offset, bytes->claimed - TRACE_PACKET_BYTES);
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
    if (!await_frame(live, offset)) {
        return false;
    }
    offset = leave_out_lost(live_bytes, offset);
    for (uint64_t at = offset; at < offset + size;) {
        if (!await_frame(live, at)) {
            return false;
        }
        at = next_held(live, at, offset + size);
        at += copy_frame(live, at, offset + size, (uint8_t *)to + (at - offset));
    }
    if (live_bytes->readers > 1) {
        drop_frames(live, offset + size);
    }
    return true;
}

static void live_close(struct trace_bytes *bytes)
{
    free(bytes);
}

static struct trace_bytes *open_bytes(struct live *live, const struct trace_claim *claim)
{
    struct live_bytes *bytes = alloc_zeroed(sizeof(*bytes));

    bytes->bytes =
        (struct trace_bytes){.length = claim->bytes, .read = live_read, .close = live_close};
    bytes->live = live;
    bytes->claimed = claim->bytes;
    return &bytes->bytes;
}

/* ---- accounts ---- */

static void on_segment(void *context, const struct accounting *accounting,
                       const struct account_segment *segment)
{
    struct live *live = context;

    (void)accounting;
    if (!live->closed) { /* after the end of the log, the rest of the part is unknown */
        window_add(&live->window, live->bench, segment);
    }
}

static void on_event(void *context, const struct accounting *accounting,
                     const struct trace_event *event)
{
    struct live *live = context;

    (void)accounting;
    live->events++;
    if (event->id == TRACE_ID_thread_switch) {
        window_switch(&live->window, event->tsc);
    }
}

/* Accounts for one part by itself: thread states do not carry over from one part to the next. */
static void account_trace(struct live *live, const struct run_trace *described,
                          const struct trace_claim *claim)
{
    const struct account_observer observer = {
        .context = live, .segment = on_segment, .event = on_event};
    struct run_trace trace = *described;
    const struct run_bench bench = {.name = "", .traces = &trace, .trace_count = 1};
    struct accounting accounting = {.bench = &bench};

    trace.packets = open_bytes(live, claim);
    live->accounting = &accounting;
    accounting_read(&accounting, &bench, &observer, 1);
    live->accounting = NULL;
    live->packets += accounting.lost_packets;
    live->discarded += accounting.discarded;
    accounting_free(&accounting);
    trace_bytes_close(trace.packets);
}

/* Accounts for the current trace and goes on to the next. Skips a trace whose times are unusable.
 */
static void take_trace(struct live *live)
{
    const struct open_trace open = live->assembly.traces[live->trace];
    const struct run_trace *trace = &live->run.benches[open.bench].traces[open.trace];
    const uint64_t hz = live->run.verdict.hz;

    if (hz != 0 && hz < STAMP_LIMIT / live->seconds && trace->end < STAMP_LIMIT) {
        if (!live->has_window) {
            window_init(&live->window, hz * live->seconds);
            live->has_window = true;
        }
        live->bench = (uint32_t)open.bench;
        account_trace(live, trace, &open.claim);
    }
    live->trace++;
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
            take_trace(live);
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
    run_init(&live->run);
    assembly_init(&live->assembly, &live->run);
    return live;
}

void live_destroy(struct live *live)
{
    live->trace = SIZE_MAX;
    drop_frames(live, 0);
    if (live->has_window) {
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
    *state = (struct live_state){
        .run = &live->run,
        .window = &live->window,
        .has_window = live->has_window,
        .events = live->events,
        .packets = live->packets,
        .discarded = live->discarded,
        .ended = decoder_ended(live->decoder),
        .noise = &live->noise,
    };
    if (live->accounting != NULL) {
        state->packets += live->accounting->lost_packets;
        state->discarded += live->accounting->discarded;
    }
    decoder_get_counts(live->decoder, &state->counts);
}
