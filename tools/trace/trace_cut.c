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
#include "tools/trace/trace_write.h"

#define DIGITS_MAX 18

/* ---- windows of time ---- */

/* Returns the value of a digit, 0 to 9, or 10 for any other character. */
static unsigned digit_of(char c)
{
    return c >= '0' && c <= '9' ? (unsigned)(c - '0') : 10;
}

/* Parses a number such as "12.5". Returns what follows it, or NULL if there is no number. */
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
        ticks /= 10; /* each division rounds down, and so does their result */
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

/* ---- a part of a trace ---- */

struct cut {
    struct trace_builder builder;
    struct spool *spool;
    const struct run_trace *trace; /* the trace that is cut */
    struct trace_state *state;
    uint64_t from, to; /* TSC */
    bool begun;
};

/* A record keeps its form, because its cost depends on that. */
static void put_event(void *context, const struct trace_event *event)
{
    struct trace_builder *builder = context;
    const bool turns = event->tsc >> TRACE_STAMP_BITS != builder->stamp >> TRACE_STAMP_BITS;

    if (event->tracer_ticks > 0 || (turns && !event->extended)) {
        trace_builder_turn(builder, builder->stamp, event->tsc, event->tracer_ticks);
    }
    trace_builder_add(builder, event->tsc, event->id, event->field, event->extended);
}

/* Marks packets and records as missing before the end of the open packet. */
static void lose(struct trace_builder *builder, uint64_t packets, uint64_t records)
{
    builder->claimed += packets;
    builder->packet.sequence += packets;
    builder->discarded += records;
}

/* Begins the cut trace. It begins with a gap if no event since a gap shows whether a handler runs.
 */
static void begin(struct cut *cut, bool with_gap)
{
    cut->begun = true;
    trace_builder_init(&cut->builder, cut->from, TRACE_PACKET_BYTES);
    cut->builder.cpu = cut->trace->cpu;
    cut->builder.spool = cut->spool;
    lose(&cut->builder, with_gap ? 1 : 0, 0);
    trace_state_restate(cut->state, cut->from, put_event, &cut->builder);
}

static void take_event(struct cut *cut, const struct trace_event *event)
{
    if (!cut->begun && event->tsc >= cut->from) {
        begin(cut, !trace_state_knows_handlers(cut->state));
    }
    if (cut->begun) {
        put_event(&cut->builder, event);
    }
    trace_state_event(cut->state, event, cut->begun ? put_event : NULL, &cut->builder);
}

static void take_gap(struct cut *cut, const struct trace_gap *gap)
{
    const bool before = !cut->begun && gap->to <= cut->from;

    if (!cut->begun && !before && gap->from >= cut->from) {
        begin(cut, !trace_state_knows_handlers(cut->state));
    }
    trace_state_lost(cut->state);
    if (!cut->begun && !before) {
        begin(cut, false); /* the gap itself lies in the window */
    }
    if (cut->begun) {
        trace_builder_turn(&cut->builder, cut->builder.stamp, gap->to < cut->to ? gap->to : cut->to,
                           0);
        lose(&cut->builder, gap->packets, gap->discarded);
    }
}

/* Returns whether all packets could be read. */
static bool read_part(struct cut *cut)
{
    struct trace_reader *reader = trace_reader_open(cut->trace, 1);
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
        begin(cut, !trace_state_knows_handlers(cut->state));
    }
    return status != TRACE_ERROR;
}

/* Replaces the trace by its part [from, to), which is not empty. */
static bool cut_part(struct run_trace *trace, struct spool *spool, uint64_t from, uint64_t to)
{
    struct cut cut = {
        .spool = spool, .trace = trace, .state = trace_state_create(), .from = from, .to = to};
    const struct trace_builder *builder = &cut.builder;
    const bool read = read_part(&cut);

    trace_builder_close(&cut.builder, to);
    free(builder->bytes);
    trace_state_destroy(cut.state);
    trace_bytes_close(trace->packets);
    trace->packets = spool_bytes(spool, &builder->extent, builder->extent.length > 0 ? 1 : 0);
    trace->restated = from > trace->begin;
    trace->begin = from;
    trace->end = to;
    trace->packet_bytes = TRACE_PACKET_BYTES;
    trace->kept = builder->kept;
    trace->discarded = builder->discarded;
    trace->overwritten = 0;
    trace->claimed = builder->claimed * TRACE_PACKET_BYTES;
    return read && !builder->failed;
}

/* Reduces [*from, *to) to what lies in [begin, end), on the same scale. Returns false if nothing
 * does. */
static bool overlap(uint64_t begin, uint64_t end, uint64_t *from, uint64_t *to)
{
    *from = begin > *from ? begin : *from;
    *to = end < *to ? end : *to;
    return *from < *to;
}

static bool cut_traces(struct run_bench *bench, struct spool *spool, uint64_t from, uint64_t to)
{
    uint64_t before = 0; /* total length of the previous parts */
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
