/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides the elongation of the idle loop of each event into the parts beside the stamps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive_reading.h"
#include "tools/base/alloc.h"

/* When in the life of its event a part lies. */
enum part_phase {
    PHASE_ANY,
    PHASE_SENDING, /* in what sent its last byte */
    PHASE_DECODING,
    PHASE_QUEUEING,
    PHASE_WAKING,
    PHASE_RETURNING,
    PHASE_BETWEEN, /* idle, and within the stamps */
};

/* Stretches of a kind, over all events. */
struct part {
    enum account_kind kind;
    uint32_t id;
    enum part_phase phase;
    bool present; /* in the event at hand */
    int64_t now;  /* ticks of it */
    struct interactive_part sum;
};

struct explanation {
    struct interactive *interactive;
    const struct idle_samples *idle;
    size_t event; /* at hand; events->count: none is left */

    /* Of its samples, in order: segments, and ends of handlers, of no length. */
    struct piece {
        uint64_t from, to;
        enum account_kind kind;
        uint32_t id;
        uint32_t thread; /* current */
        bool is_exit;
        bool sends;
    } * pieces;
    size_t piece_count, piece_capacity;

    struct part *parts;
    size_t part_count, part_capacity;
};

static const struct interactive_event *event_at_hand(const struct explanation *explanation)
{
    return explanation->event < explanation->interactive->count
               ? &explanation->interactive->events[explanation->event]
               : NULL;
}

static uint64_t begin_of(const struct explanation *explanation,
                         const struct interactive_event *event)
{
    return explanation->idle->bounds[event->sample];
}

static uint64_t end_of(const struct explanation *explanation, const struct interactive_event *event)
{
    return explanation->idle->bounds[event->sample + event->samples];
}

static bool is_idle(const struct piece *piece)
{
    return piece->kind == ACCOUNT_THREAD && piece->id == TRACE_IDLE_THREAD;
}

/* ---- what sent it ---- */

static bool is_same_account(const struct piece *left, const struct piece *right)
{
    return left->kind == right->kind && left->id == right->id;
}

/* The account that was at work when its last byte was written; NULL where that is not in its
 * samples, or only the tracer's. */
static struct piece *find_sender(struct explanation *explanation,
                                 const struct interactive_event *event)
{
    for (size_t i = 0; event->has_written && i < explanation->piece_count; i++) {
        struct piece *piece = &explanation->pieces[i];

        if (!piece->is_exit && piece->from <= event->written && event->written < piece->to) {
            return is_idle(piece) || piece->kind == ACCOUNT_TRACER ? NULL : piece;
        }
    }
    return NULL;
}

/* Marks what ran for the sender: of the same busy episode, up to the end of its handler, or up to
 * the arrival where it is none. */
static void mark_sender(struct explanation *explanation, const struct interactive_event *event)
{
    const struct piece *end = explanation->pieces + explanation->piece_count;
    struct piece *sender = find_sender(explanation, event);
    bool left = false;

    if (sender == NULL) {
        return;
    }
    for (struct piece *piece = sender; !is_idle(piece); piece--) {
        piece->sends = !piece->is_exit && is_same_account(piece, sender);
        if (piece == explanation->pieces) {
            break;
        }
    }
    for (struct piece *piece = sender; piece < end && !is_idle(piece); piece++) {
        const bool same = is_same_account(piece, sender);

        if (piece->is_exit) {
            left = left || same;
        } else if (left && !same && piece->kind != ACCOUNT_TRACER) {
            return;
        }
        piece->sends = !piece->is_exit && same &&
                       (sender->kind == ACCOUNT_VECTOR || piece->from < event->arrival);
    }
}

/* ---- parts ---- */

static struct part *part_of(struct explanation *explanation, const struct piece *piece,
                            enum part_phase phase)
{
    for (size_t i = 0; i < explanation->part_count; i++) {
        struct part *part = &explanation->parts[i];

        if (part->kind == piece->kind && part->id == piece->id && part->phase == phase) {
            return part;
        }
    }
    explanation->parts = alloc_append(explanation->parts, &explanation->part_count,
                                      &explanation->part_capacity, sizeof(*explanation->parts));
    struct part *part = &explanation->parts[explanation->part_count - 1];

    part->kind = piece->kind;
    part->id = piece->id;
    part->phase = phase;
    return part;
}

/* Of a piece that does not reach across any moment of the event. */
static enum part_phase phase_of(const struct interactive_event *event, const struct piece *piece,
                                uint32_t application)
{
    const bool of_thread = piece->kind == ACCOUNT_THREAD || piece->kind == ACCOUNT_FAULT;

    if (piece->sends) {
        return PHASE_SENDING;
    }
    if (piece->kind == ACCOUNT_DPC && event->has_posted) {
        return piece->from < event->posted ? PHASE_DECODING : PHASE_QUEUEING;
    }
    if (of_thread && piece->id == application) {
        return piece->from < event->stamp_from ? PHASE_WAKING : PHASE_RETURNING;
    }
    return PHASE_ANY;
}

static void add_part(struct explanation *explanation, const struct interactive_event *event,
                     const struct piece *piece, uint32_t application)
{
    const bool between = piece->from >= event->stamp_from && piece->from < event->stamp_to;
    const int64_t ticks = (int64_t)(piece->to - piece->from);

    if (is_idle(piece) != between) {
        return; /* idle time, or a part of the stamps' */
    }
    struct part *part =
        part_of(explanation, piece, between ? PHASE_BETWEEN : phase_of(event, piece, application));

    part->present = true;
    part->now += between ? -ticks : ticks;
}

/* The next moment of the event behind `at`, or `end`. */
static uint64_t next_cut(const struct interactive_event *event, uint64_t at, uint64_t end)
{
    const uint64_t cuts[] = {event->stamp_from, event->stamp_to,
                             event->has_posted ? event->posted : end};

    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        end = cuts[i] > at && cuts[i] < end ? cuts[i] : end;
    }
    return end;
}

/* The thread that reads the stamps. */
static uint32_t application_of(const struct explanation *explanation,
                               const struct interactive_event *event)
{
    for (size_t i = 0; i < explanation->piece_count; i++) {
        const struct piece *piece = &explanation->pieces[i];

        if (piece->from <= event->stamp_from && event->stamp_from < piece->to) {
            return piece->thread;
        }
    }
    return event->thread;
}

/* ---- an event ---- */

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static int64_t larger(int64_t left, int64_t right)
{
    return magnitude(left) > magnitude(right) ? left : right;
}

/* Adds what the event's parts are to the sums; returns what they are together. */
static int64_t sum_parts(struct explanation *explanation)
{
    int64_t all = 0;

    for (size_t i = 0; i < explanation->part_count; i++) {
        struct part *part = &explanation->parts[i];
        struct interactive_part *sum = &part->sum;

        if (!part->present) {
            continue;
        }
        sum->min = sum->events == 0 || part->now < sum->min ? part->now : sum->min;
        sum->max = sum->events == 0 || part->now > sum->max ? part->now : sum->max;
        sum->total += part->now;
        sum->events++;
        all += part->now;
        part->present = false;
        part->now = 0;
    }
    return all;
}

static void explain_event(struct explanation *explanation)
{
    struct interactive *interactive = explanation->interactive;
    const struct interactive_event *event = event_at_hand(explanation);
    const uint32_t application = application_of(explanation, event);
    const int64_t stamps = (int64_t)(event->stamp_to - event->stamp_from);

    mark_sender(explanation, event);
    for (size_t i = 0; i < explanation->piece_count; i++) {
        struct piece piece = explanation->pieces[i];
        const uint64_t end = piece.to;

        while (piece.from < end) {
            piece.to = next_cut(event, piece.from, end);
            add_part(explanation, event, &piece, application);
            piece.from = piece.to;
        }
    }
    const int64_t explained = stamps + sum_parts(explanation);

    interactive->residual =
        larger(interactive->residual, (int64_t)event->elongation_busy - explained);
    interactive->idle_residual = larger(interactive->idle_residual, event->elongation - explained);
    interactive->explained++;
}

/* Goes on to the next event with an explanation. */
static void find_event(struct explanation *explanation)
{
    explanation->piece_count = 0;
    while (event_at_hand(explanation) != NULL && !event_at_hand(explanation)->explained) {
        explanation->event++;
    }
}

/* ---- as an observer ---- */

static void add_piece(struct explanation *explanation, const struct piece *piece)
{
    explanation->pieces = alloc_append(explanation->pieces, &explanation->piece_count,
                                       &explanation->piece_capacity, sizeof(*explanation->pieces));
    explanation->pieces[explanation->piece_count - 1] = *piece;
}

static void see_segment(void *context, const struct accounting *accounting,
                        const struct account_segment *segment)
{
    struct explanation *explanation = context;
    const struct interactive_event *event;

    while ((event = event_at_hand(explanation)) != NULL &&
           segment->to > begin_of(explanation, event)) {
        const uint64_t begin = begin_of(explanation, event);
        const uint64_t end = end_of(explanation, event);
        const struct piece piece = {
            .from = segment->from > begin ? segment->from : begin,
            .to = segment->to < end ? segment->to : end,
            .kind = segment->kind,
            .id = segment->id,
            .thread = accounting->current,
        };

        if (piece.from < piece.to) {
            add_piece(explanation, &piece);
        }
        if (segment->to < end) {
            return;
        }
        explain_event(explanation);
        explanation->event++;
        find_event(explanation);
    }
}

static void see_event(void *context, const struct accounting *accounting,
                      const struct trace_event *event)
{
    struct explanation *explanation = context;

    if (event->id == TRACE_ID_isr_exit && explanation->piece_count > 0) {
        add_piece(explanation, &(struct piece){.from = event->tsc,
                                               .to = event->tsc,
                                               .kind = ACCOUNT_VECTOR,
                                               .id = (uint32_t)event->field[0],
                                               .thread = accounting->current,
                                               .is_exit = true});
    }
}

/* ---- all ---- */

static void put_label(const struct run_bench *bench, struct part *part)
{
    static const char *const when[] = {
        [PHASE_ANY] = "",
        [PHASE_SENDING] = "",
        [PHASE_DECODING] = ", before the post",
        [PHASE_QUEUEING] = ", from the post on",
        [PHASE_WAKING] = ", before its first stamp",
        [PHASE_RETURNING] = ", after its second stamp",
        [PHASE_BETWEEN] = ", between the stamps",
    };
    char account[ACCOUNT_LABEL_MAX];

    snprintf(part->sum.label, sizeof(part->sum.label), "%s%s%s",
             part->phase == PHASE_SENDING ? "sending: " : "",
             account_label(bench, part->kind, part->id, account), when[part->phase]);
}

static void take_parts(struct explanation *explanation, const struct run_bench *bench)
{
    struct interactive *interactive = explanation->interactive;

    interactive->part_count = explanation->part_count;
    interactive->parts = alloc_zeroed(explanation->part_count * sizeof(*interactive->parts));
    for (size_t i = 0; i < explanation->part_count; i++) {
        put_label(bench, &explanation->parts[i]);
        interactive->parts[i] = explanation->parts[i].sum;
    }
}

bool interactive_explain(struct interactive_reading *reading)
{
    struct interactive *interactive = reading->interactive;
    struct explanation explanation = {.interactive = interactive, .idle = &reading->idle};
    struct accounting accounting = {0};
    const struct account_observer observer = {
        .context = &explanation, .segment = see_segment, .event = see_event};
    bool good = true;

    for (size_t i = 0; i < interactive->count; i++) {
        struct interactive_event *event = &interactive->events[i];

        event->explained = event->has_stamps && event->has_elongation && !event->shared;
    }
    find_event(&explanation);
    if (event_at_hand(&explanation) != NULL) {
        good = accounting_read(&accounting, reading->bench, &observer, 1);
        accounting_free(&accounting);
    }
    take_parts(&explanation, reading->bench);
    free(explanation.pieces);
    free(explanation.parts);
    return good;
}
