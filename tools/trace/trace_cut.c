/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/trace_cut.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/trace/packet.h"
#include "tools/base/alloc.h"
#include "tools/base/spool.h"
#include "tools/base/trace_bytes.h"
#include "tools/run/series_cut.h"
#include "tools/trace/trace_reader.h"
#include "tools/trace/trace_state.h"

#define DIGITS_MAX 18

/* ---- windows of time ---- */

/* 0 to 9, or 10 where it is no digit. */
static unsigned digit_of(char c)
{
    return c >= '0' && c <= '9' ? (unsigned)(c - '0') : 10;
}

/* "12.5"; returns what stands behind, NULL where it is no number. */
static const char *read_digits(const char *text, struct window_time *time)
{
    unsigned digits = 0;
    bool point = false;

    for (; digit_of(*text) < 10 || (*text == '.' && !point && digits > 0); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        time->digits = time->digits * 10 + digit_of(*text);
        time->decimals += point;
        if (++digits > DIGITS_MAX) {
            return NULL;
        }
    }
    return digits > 0 && !(point && time->decimals == 0) ? text : NULL;
}

bool window_time_read(const char *text, struct window_time *time)
{
    static const struct {
        const char *unit;
        uint32_t power;
        bool ticks;
    } units[] = {{"s", 0, false},  {"ms", 3, false},   {"us", 6, false}, {"\302\265s", 6, false},
                 {"ns", 9, false}, {"ticks", 0, true}, {"tick", 0, true}};

    *time = (struct window_time){0};
    const char *unit = read_digits(text, time);

    for (size_t i = 0; unit != NULL && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i].unit) == 0) {
            time->power = units[i].power;
            time->ticks = units[i].ticks;
            return !time->ticks || time->decimals == 0;
        }
    }
    return false;
}

uint64_t window_time_ticks(const struct window_time *time, uint64_t hz)
{
    unsigned __int128 ticks = time->digits;

    if (time->ticks) {
        return time->digits;
    }
    ticks *= hz;
    for (uint32_t i = 0; i < time->decimals + time->power; i++) {
        ticks /= 10; /* each rounds down, and so does the whole */
    }
    return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

bool time_window_ticks(const struct time_window *window, uint64_t hz, struct tick_window *ticks,
                       char error[WINDOW_ERROR_MAX])
{
    const bool in_seconds =
        (window->has_from && !window->from.ticks) || (window->has_to && !window->to.ticks);

    if (in_seconds && hz == 0) {
        snprintf(error, WINDOW_ERROR_MAX,
                 "the rate of the TSC is unknown: give --from and --to in ticks");
        return false;
    }
    ticks->from = window->has_from ? window_time_ticks(&window->from, hz) : 0;
    ticks->to = window->has_to ? window_time_ticks(&window->to, hz) : UINT64_MAX;
    if (ticks->from >= ticks->to) {
        snprintf(error, WINDOW_ERROR_MAX, "--from %.40s --to %.40s: the window is empty",
                 window->has_from ? window->from_text : "0s",
                 window->has_to ? window->to_text : "the end");
        return false;
    }
    return true;
}

const char *time_window_text(const struct time_window *window, char text[WINDOW_TEXT_MAX])
{
    if (!window->has_to) {
        snprintf(text, WINDOW_TEXT_MAX, "from %.40s on", window->from_text);
    } else if (!window->has_from) {
        snprintf(text, WINDOW_TEXT_MAX, "up to %.40s", window->to_text);
    } else {
        snprintf(text, WINDOW_TEXT_MAX, "from %.40s to %.40s", window->from_text, window->to_text);
    }
    return text;
}

/* Packets that are made, one behind the other in the spool. */
struct cutter {
    struct spool *spool;
    struct spool_extent extent;
    uint8_t bytes[TRACE_PACKET_BYTES]; /* of the open packet */
    struct trace_packet packet;        /* its header */
    size_t used;
    uint64_t stamp; /* of the last record, or of the packet's begin */
    uint64_t kept, discarded;
    uint64_t claimed; /* packets, with those that are lost */
    bool good;
};

/* ---- packets ---- */

static void open_packet(struct cutter *cutter, uint64_t begin, uint32_t tracer_ticks)
{
    static const uint8_t uuid[] = TRACE_UUID;

    cutter->packet = (struct trace_packet){
        .magic = TRACE_PACKET_MAGIC,
        .begin = begin,
        .packet_bits = (uint64_t)TRACE_PACKET_BYTES * 8,
        .sequence = cutter->claimed,
        .cpu = cutter->packet.cpu,
        .tracer_ticks = tracer_ticks,
    };
    memcpy(cutter->packet.uuid, uuid, sizeof(uuid));
    cutter->used = sizeof(cutter->packet);
    cutter->stamp = begin;
}

/* One without a record is dropped: it states nothing. */
static void close_packet(struct cutter *cutter, uint64_t end)
{
    uint64_t at;

    if (cutter->used == sizeof(cutter->packet)) {
        return;
    }
    cutter->packet.end = end;
    cutter->packet.content_bits = cutter->used * 8;
    cutter->packet.discarded = cutter->discarded;
    memcpy(cutter->bytes, &cutter->packet, sizeof(cutter->packet));
    memset(cutter->bytes + cutter->used, 0, sizeof(cutter->bytes) - cutter->used);
    cutter->claimed++;
    if (!spool_append(cutter->spool, cutter->bytes, sizeof(cutter->bytes), &at)) {
        cutter->good = false;
        return;
    }
    cutter->extent.at = cutter->extent.length == 0 ? at : cutter->extent.at;
    cutter->extent.length += sizeof(cutter->bytes);
}

static void put_bytes(struct cutter *cutter, uint64_t value, size_t bytes)
{
    memcpy(cutter->bytes + cutter->used, &value, bytes);
    cutter->used += bytes;
}

/* A record keeps the form that it had: what it cost depends on that. */
static void put_event(void *context, const struct trace_event *event)
{
    struct cutter *cutter = context;
    const struct trace_class *class = trace_class_of(event->id);
    const bool turns = event->tsc >> TRACE_STAMP_BITS != cutter->stamp >> TRACE_STAMP_BITS;

    if (event->tracer_ticks > 0 || (turns && !event->extended) ||
        cutter->used + TRACE_HEADER_EXTENDED + class->bytes > TRACE_PACKET_BYTES) {
        close_packet(cutter, cutter->stamp);
        open_packet(cutter, event->tsc, event->tracer_ticks);
    }
    if (event->extended || event->id > TRACE_ID_EXTENDED) {
        put_bytes(cutter, TRACE_ID_EXTENDED, 1);
        put_bytes(cutter, event->id, 4);
        put_bytes(cutter, event->tsc, 8);
    } else {
        put_bytes(cutter, (uint32_t)(event->tsc << TRACE_ID_BITS) | event->id,
                  TRACE_HEADER_COMPACT);
    }
    for (size_t i = 0; i < class->field_count; i++) {
        put_bytes(cutter, event->field[i], class->field_bytes[i]);
    }
    cutter->stamp = event->tsc;
    cutter->kept++;
}

/* Its packets are not there, and those that come later count its records. */
static void put_gap(struct cutter *cutter, const struct trace_gap *gap, uint64_t to)
{
    close_packet(cutter, cutter->stamp);
    cutter->claimed += gap->packets;
    cutter->discarded += gap->discarded;
    open_packet(cutter, gap->to < to ? gap->to : to, 0);
}

/* ---- a part of a trace ---- */

struct cut {
    struct cutter *cutter;
    struct trace_state *state;
    uint64_t from, to; /* TSC */
    bool begun;
};

/* Where no event since a gap shows whether a handler runs, the trace begins with a gap. */
static void begin(struct cut *cut)
{
    cut->begun = true;
    cut->cutter->claimed = trace_state_knows_handlers(cut->state) ? 0 : 1;
    open_packet(cut->cutter, cut->from, 0);
    trace_state_restate(cut->state, cut->from, put_event, cut->cutter);
}

static void take_event(struct cut *cut, const struct trace_event *event)
{
    if (!cut->begun && event->tsc >= cut->from) {
        begin(cut);
    }
    if (cut->begun) {
        put_event(cut->cutter, event);
    }
    trace_state_event(cut->state, event, cut->begun ? put_event : NULL, cut->cutter);
}

static void take_gap(struct cut *cut, const struct trace_gap *gap)
{
    const bool before = !cut->begun && gap->to <= cut->from;

    if (!cut->begun && !before && gap->from >= cut->from) {
        begin(cut);
    }
    trace_state_lost(cut->state);
    if (!cut->begun && !before) {
        begin(cut);
        cut->cutter->claimed = 0; /* the gap itself is there */
        cut->cutter->packet.sequence = 0;
    }
    if (cut->begun) {
        put_gap(cut->cutter, gap, cut->to);
    }
}

/* Returns whether all could be read. */
static bool read_part(struct cut *cut, const struct run_trace *trace)
{
    struct trace_reader *reader = trace_reader_open(trace);
    enum trace_reader_status status;
    struct trace_event event;
    struct trace_gap gap;

    while ((status = trace_reader_next(reader, &event, &gap)) == TRACE_EVENT ||
           status == TRACE_GAP) {
        if ((status == TRACE_EVENT ? event.tsc : gap.from) >= cut->to) {
            break;
        }
        if (status == TRACE_EVENT) {
            take_event(cut, &event);
        } else {
            take_gap(cut, &gap);
        }
    }
    trace_reader_close(reader);
    if (!cut->begun) {
        begin(cut);
    }
    return status != TRACE_ERROR;
}

/* The trace becomes its part [from, to), which is not empty. */
static bool cut_part(struct run_trace *trace, struct spool *spool, uint64_t from, uint64_t to)
{
    struct cutter cutter = {.spool = spool, .packet.cpu = trace->cpu, .good = true};
    struct cut cut = {&cutter, trace_state_create(), from, to, false};
    const bool read = read_part(&cut, trace);

    close_packet(&cutter, to);
    trace_state_destroy(cut.state);
    trace_bytes_close(trace->packets);
    trace->packets = spool_bytes(spool, &cutter.extent, cutter.extent.length > 0 ? 1 : 0);
    trace->restated = from > trace->begin;
    trace->begin = from;
    trace->end = to;
    trace->packet_bytes = TRACE_PACKET_BYTES;
    trace->kept = cutter.kept;
    trace->discarded = cutter.discarded;
    trace->overwritten = 0;
    trace->claimed = cutter.claimed * TRACE_PACKET_BYTES;
    return read && cutter.good;
}

/* ---- all ---- */

/* What of [begin, end) lies within; false: nothing. Both windows are of one scale. */
static bool overlap(uint64_t begin, uint64_t end, uint64_t *from, uint64_t *to)
{
    *from = begin > *from ? begin : *from;
    *to = end < *to ? end : *to;
    return *from < *to;
}

static bool cut_traces(struct run_bench *bench, struct spool *spool, uint64_t from, uint64_t to)
{
    uint64_t before = 0; /* time of the parts before */
    size_t left = 0;
    bool good = true;

    for (size_t i = 0; i < bench->trace_count; i++) {
        struct run_trace trace = bench->traces[i];
        const uint64_t length = trace.end > trace.begin ? trace.end - trace.begin : 0;
        uint64_t first = from;
        uint64_t last = to;

        if (overlap(before, before + length, &first, &last)) {
            good = cut_part(&trace, spool, trace.begin + (first - before),
                            trace.begin + (last - before)) &&
                   good;
            bench->traces[left++] = trace;
        } else {
            trace_bytes_close(trace.packets);
        }
        before += length;
    }
    bench->trace_count = left;
    return good;
}

bool run_cut(struct run *run, uint64_t from, uint64_t to, const char *text)
{
    struct spool *spool = spool_create();
    bool good = true;

    run->window = run_text(run, text);
    for (size_t i = 0; i < run->bench_count; i++) {
        struct run_bench *bench = &run->benches[i];
        const bool traced = bench->trace_count > 0;

        bench->cut = true;
        good = cut_traces(bench, spool, from, to) && good;
        series_cut(bench, traced, from, to);
    }
    if (!good) {
        const char *error = spool_error(spool);

        run_add_loss(run, "%s", error != NULL ? error : "packets of a trace cannot be read");
    }
    spool_release(spool);
    return good;
}
