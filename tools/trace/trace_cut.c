/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/trace_cut.h"

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

/* The trace of a processor. */
struct cut_trace {
    struct trace_builder builder;
    struct trace_gap pending; /* a gap from before the window that reaches into it; to 0: none */
};

struct cut {
    struct cut_trace *cpus;         /* in the order of `traces` */
    const struct run_trace *traces; /* the traces that are cut, one for each processor */
    size_t count;
    struct trace_state *state;
    uint64_t from, to; /* TSC */
    bool begun;
};

static struct cut_trace *trace_of(const struct cut *cut, uint32_t cpu)
{
    size_t at = 0;

    while (at + 1 < cut->count && cut->traces[at].cpu != cpu) {
        at++;
    }
    return &cut->cpus[at];
}

/* A record keeps its form, because its cost depends on that. */
static void put_event(void *context, const struct trace_event *event)
{
    struct trace_builder *builder = &trace_of(context, event->cpu)->builder;
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

static void put_gap(struct cut *cut, struct trace_builder *builder, const struct trace_gap *gap)
{
    trace_builder_turn(builder, builder->stamp, gap->to < cut->to ? gap->to : cut->to, 0);
    lose(builder, gap->packets, gap->discarded);
}

/* Begins the cut traces. Each begins with a gap if no event since a gap shows whether a handler
 * runs. */
static void begin(struct cut *cut)
{
    cut->begun = true;
    for (size_t i = 0; i < cut->count; i++) {
        struct cut_trace *cpu = &cut->cpus[i];
        struct spool *spool = cpu->builder.spool;
        const bool known = trace_state_knows_handlers(cut->state, cut->traces[i].cpu);

        trace_builder_init(&cpu->builder, cut->from, TRACE_PACKET_BYTES);
        cpu->builder.cpu = cut->traces[i].cpu;
        cpu->builder.spool = spool;
        lose(&cpu->builder, known || cpu->pending.to > 0 ? 0 : 1, 0);
    }
    trace_state_restate(cut->state, cut->from);
    for (size_t i = 0; i < cut->count; i++) {
        if (cut->cpus[i].pending.to > 0) {
            put_gap(cut, &cut->cpus[i].builder, &cut->cpus[i].pending);
        }
    }
}

static void take_event(struct cut *cut, const struct trace_event *event)
{
    if (!cut->begun && event->tsc >= cut->from) {
        begin(cut);
    }
    if (cut->begun) {
        put_event(cut, event);
    }
    trace_state_event(cut->state, event);
}

static void take_gap(struct cut *cut, const struct trace_gap *gap)
{
    struct cut_trace *cpu = trace_of(cut, gap->cpu);

    if (!cut->begun && gap->from >= cut->from) {
        begin(cut);
    }
    trace_state_lost(cut->state, gap);
    if (cut->begun) {
        put_gap(cut, &cpu->builder, gap);
    } else if (gap->to > cut->from) {
        cpu->pending = *gap;
    }
}

/* Returns whether all packets could be read. */
static bool read_part(struct cut *cut)
{
    struct trace_reader *reader = trace_reader_open(cut->traces, cut->count);
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

/* Replaces a trace by its cut. A spool takes the packets of one trace after the other, so that only
 * the first can be in the common one. */
static bool replace(struct run_trace *trace, struct trace_builder *builder, uint64_t from,
                    uint64_t to)
{
    trace_builder_close(builder, to);
    free(builder->bytes);
    trace_bytes_close(trace->packets);
    trace->packets =
        spool_bytes(builder->spool, &builder->extent, builder->extent.length > 0 ? 1 : 0);
    trace->restated = from > trace->begin;
    trace->begin = from;
    trace->end = to;
    trace->packet_bytes = TRACE_PACKET_BYTES;
    trace->kept = builder->kept;
    trace->discarded = builder->discarded;
    trace->overwritten = 0;
    trace->claimed = builder->claimed * TRACE_PACKET_BYTES;
    return !builder->failed;
}

/* Replaces the traces of a part by their parts [from, to), which is not empty. */
static bool cut_part(struct run_trace *traces, size_t count, struct spool *spool, uint64_t from,
                     uint64_t to)
{
    struct cut cut = {.cpus = alloc_zeroed(count * sizeof(*cut.cpus)),
                      .traces = traces,
                      .count = count,
                      .state = trace_state_create(put_event, &cut),
                      .from = from,
                      .to = to};

    for (size_t i = 0; i < count; i++) {
        cut.cpus[i].builder.spool = i == 0 ? spool : spool_create();
    }
    bool good = read_part(&cut);

    for (size_t i = 0; i < count; i++) {
        struct spool *own = cut.cpus[i].builder.spool;

        good = replace(&traces[i], &cut.cpus[i].builder, from, to) && good;
        spool_release(i == 0 ? NULL : own);
    }
    trace_state_destroy(cut.state);
    free(cut.cpus);
    return good;
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

    for (size_t i = 0, count; i < bench->trace_count; i += count) {
        struct run_trace *traces = &bench->traces[i];
        uint64_t first = from;
        uint64_t last = to;

        count = run_part_processors(bench, i);
        const struct run_trace bounds = run_part_bounds(traces, count);
        const uint64_t length = bounds.end > bounds.begin ? bounds.end - bounds.begin : 0;
        const bool inside = overlap(before, before + length, &first, &last);

        if (inside) {
            good = cut_part(traces, count, spool, bounds.begin + (first - before),
                            bounds.begin + (last - before)) &&
                   good;
        }
        for (size_t k = 0; k < count; k++) {
            if (inside) {
                bench->traces[left++] = traces[k];
            } else {
                trace_bytes_close(traces[k].packets);
            }
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

    run_forget(run);
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
