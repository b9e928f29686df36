/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the traces of two runs, record by record. */
#include <inttypes.h>
#include <string.h>

#include "tools/base/trace_bytes.h"
#include "tools/judge/diff.h"
#include "tools/trace/trace_reader.h"

/* What a reader returned last. */
struct side {
    struct trace_reader *reader;
    enum trace_reader_status status;
    struct trace_event event;
    struct trace_gap gap;
};

static void step(struct side *side)
{
    side->status = trace_reader_next(side->reader, &side->event, &side->gap);
}

static bool same_step(const struct side *a, const struct side *b)
{
    const struct trace_event *one = &a->event;
    const struct trace_event *other = &b->event;

    if (a->status == TRACE_EVENT && b->status == TRACE_EVENT) {
        return one->tsc == other->tsc && one->id == other->id && one->extended == other->extended &&
               one->tracer_ticks == other->tracer_ticks &&
               memcmp(one->field, other->field, sizeof(one->field)) == 0;
    }
    return a->status == b->status &&
           (a->status != TRACE_GAP ||
            (a->gap.from == b->gap.from && a->gap.to == b->gap.to &&
             a->gap.packets == b->gap.packets && a->gap.discarded == b->gap.discarded));
}

/* Writes an event: "thread_switch at TSC 123: old=1 new=2 why=3". */
static void write_event(const struct trace_event *event, char text[DIFF_VALUE_MAX])
{
    const struct trace_class *class = trace_class_of(event->id);
    size_t length =
        (size_t)snprintf(text, DIFF_VALUE_MAX, "%s at TSC %" PRIu64,
                         class != NULL ? class->name : "event of unknown class", event->tsc);

    for (size_t i = 0; class != NULL && i < class->field_count && length < DIFF_VALUE_MAX; i++) {
        length += (size_t)snprintf(text + length, DIFF_VALUE_MAX - length, "%s%s=%" PRIu64,
                                   i == 0 ? ": " : " ", class->field_name[i], event->field[i]);
    }
    if (length < DIFF_VALUE_MAX && event->tracer_ticks != 0) {
        snprintf(text + length, DIFF_VALUE_MAX - length, ", after %" PRIu32 " ticks of the tracer",
                 event->tracer_ticks);
    }
}

static void write_step(const struct side *side, char text[DIFF_VALUE_MAX])
{
    if (side->status == TRACE_EVENT) {
        write_event(&side->event, text);
    } else if (side->status == TRACE_GAP) {
        snprintf(text, DIFF_VALUE_MAX,
                 "a gap from TSC %" PRIu64 " to %" PRIu64 ": %" PRIu64 " packets, %" PRIu64
                 " records",
                 side->gap.from, side->gap.to, side->gap.packets, side->gap.discarded);
    } else {
        snprintf(text, DIFF_VALUE_MAX, "-");
    }
}

static void note_first(struct diff_item *item, const struct side *a, const struct side *b,
                       uint64_t number)
{
    const struct side *any = a->status == TRACE_END ? b : a;

    item->first = number;
    item->has_tsc = any->status != TRACE_END;
    item->tsc = any->status == TRACE_EVENT ? any->event.tsc : any->gap.from;
    write_step(a, item->a);
    write_step(b, item->b);
}

/* Notes a difference. A shift is known only between two records of the same event. */
static void note_step(struct diff_item *item, const struct side *a, const struct side *b,
                      uint64_t number)
{
    const bool pair =
        a->status == TRACE_EVENT && b->status == TRACE_EVENT && a->event.id == b->event.id;

    if (item->count == 0) {
        note_first(item, a, b, number);
    }
    diff_note_shift(item, number, pair, (int64_t)(b->event.tsc - a->event.tsc));
}

/* Compares two parts. Returns false on a read error. */
static bool walk(struct side *a, struct side *b, struct diff_item *item)
{
    uint64_t number = 0;

    for (step(a), step(b); a->status != TRACE_END || b->status != TRACE_END; number++) {
        if (a->status == TRACE_ERROR || b->status == TRACE_ERROR) {
            return false;
        }
        if (!same_step(a, b)) {
            note_step(item, a, b, number);
        }
        if (a->status != TRACE_END) {
            step(a);
        }
        if (b->status != TRACE_END) {
            step(b);
        }
    }
    item->total = number;
    item->constant = item->constant && item->first + item->count == number;
    return true;
}

static bool compare_records(const struct run_trace *a, const struct run_trace *b,
                            struct diff_item *item)
{
    struct side left = {.reader = trace_reader_open(a, 1)};
    struct side right = {.reader = trace_reader_open(b, 1)};

    item->count = 0;
    const bool good = walk(&left, &right, item);

    trace_reader_close(left.reader);
    trace_reader_close(right.reader);
    return good;
}

/* Names a trace: "trace part 1" or, with several processors, "trace part 1, CPU 0". Returns the
 * length. */
static size_t name_trace(struct diff_item *item, const struct run_bench *bench,
                         const struct run_trace *trace)
{
    size_t length =
        (size_t)snprintf(item->what, sizeof(item->what), "trace part %" PRIu32, trace->part);

    if (run_processors(bench) > 1) {
        length += (size_t)snprintf(item->what + length, sizeof(item->what) - length,
                                   ", CPU %" PRIu32, trace->cpu);
    }
    return length;
}

/* Compares a number that is not in a record. */
static void compare_number(struct diff *diff, const struct run_bench *bench,
                           const struct run_trace *trace, const char *name, const uint64_t value[2])
{
    if (value[0] == value[1]) {
        return;
    }
    struct diff_item *item = diff_add(diff, DIFF_BENCH, bench);

    const size_t length = name_trace(item, bench, trace);

    snprintf(item->what + length, sizeof(item->what) - length, ", %s", name);
    snprintf(item->a, sizeof(item->a), "%" PRIu64, value[0]);
    snprintf(item->b, sizeof(item->b), "%" PRIu64, value[1]);
    item->has_shift = item->constant = true;
    item->first_shift = item->low = item->high = (int64_t)(value[1] - value[0]);
}

#define COMPARE_MEMBER(name, member) \
    compare_number(diff, bench, a, name, (const uint64_t[2]){a->member, b->member})

/* Compares the measured costs, which are known before the trace begins, and the start of the trace.
 */
static void compare_begin(struct diff *diff, const struct run_bench *bench,
                          const struct run_trace *a, const struct run_trace *b)
{
    COMPARE_MEMBER("cost of a record", costs.record);
    COMPARE_MEMBER("cost before its stamp", costs.lead);
    COMPARE_MEMBER("cost of an extended record", costs.extended);
    COMPARE_MEMBER("cost before isr_entry", costs.isr_lead);
    COMPARE_MEMBER("cost after isr_exit", costs.isr_trail);
    COMPARE_MEMBER("cost after dpc_exit", costs.dpc_trail);
    COMPARE_MEMBER("cost after thread_switch", costs.switch_trail);
    COMPARE_MEMBER("begin", begin);
}

static void compare_end(struct diff *diff, const struct run_bench *bench, const struct run_trace *a,
                        const struct run_trace *b)
{
    COMPARE_MEMBER("end", end);
    COMPARE_MEMBER("records kept", kept);
    COMPARE_MEMBER("records discarded", discarded);
    COMPARE_MEMBER("records overwritten", overwritten);
    COMPARE_MEMBER("bytes of packets", claimed);
}

/* Compares the packets' bytes, because their headers contain more than a reader needs. */
static bool compare_bytes(struct diff *diff, const struct run_bench *bench,
                          const struct run_trace *a, const struct run_trace *b)
{
    uint32_t crc[2];

    if (!trace_bytes_crc(a->packets, &crc[0]) || !trace_bytes_crc(b->packets, &crc[1])) {
        return false;
    }
    compare_number(diff, bench, a, "CRC of packets, whose records are equal",
                   (const uint64_t[2]){crc[0], crc[1]});
    return true;
}

static bool compare_part(struct diff *diff, const struct run_bench *bench,
                         const struct run_trace *a, const struct run_trace *b)
{
    struct diff_item found = {.place = DIFF_RECORD, .bench = bench->name, .pass = bench->pass};

    compare_begin(diff, bench, a, b);
    if (!compare_records(a, b, &found)) {
        return false;
    }
    diff->record_total += found.total;
    if (found.count > 0) {
        name_trace(&found, bench, a);
        *diff_add(diff, DIFF_RECORD, bench) = found;
    }
    compare_end(diff, bench, a, b);
    return found.count > 0 || compare_bytes(diff, bench, a, b);
}

static void add_part(struct diff *diff, const struct run_bench *bench,
                     const struct run_trace *trace, bool in_a)
{
    struct diff_item *item = diff_add(diff, DIFF_RECORD, bench);

    name_trace(item, bench, trace);
    item->count = item->total = trace->kept;
    diff->record_total += trace->kept;
    snprintf(item->a, sizeof(item->a), "%s", in_a ? "recorded" : "-");
    snprintf(item->b, sizeof(item->b), "%s", in_a ? "-" : "recorded");
    item->has_tsc = in_a;
    item->tsc = trace->begin;
}

/* Returns the place of a trace in the order of parts and processors; UINT64_MAX: after the last. */
static uint64_t place_of(const struct run_bench *bench, size_t i)
{
    return i < bench->trace_count ? (uint64_t)bench->traces[i].part << 32 | bench->traces[i].cpu
                                  : UINT64_MAX;
}

bool diff_traces(struct diff *diff, const struct run_bench *a, const struct run_bench *b)
{
    for (size_t i = 0, k = 0; i < a->trace_count || k < b->trace_count;) {
        const uint64_t left = place_of(a, i);
        const uint64_t right = place_of(b, k);

        if (left < right) {
            add_part(diff, a, &a->traces[i], true);
        } else if (left > right) {
            add_part(diff, b, &b->traces[k], false);
        } else if (!compare_part(diff, a, &a->traces[i], &b->traces[k])) {
            return false;
        }
        i += left <= right;
        k += right <= left;
    }
    return true;
}
