/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures each event: its busy time, the excess of its idle samples, counts, phases. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive_reading.h"
#include "bench/interactive/host/measure/weights.h"
#include "bench/interactive/names.h"
#include "kernel/pmu/names.h"
#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "tools/base/alloc.h"
#include "tools/stats/statistics.h"
#include "tools/trace/reconcile.h"

#define PHASES       256
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- where samples lie ---- */

/* Finds the times of the samples up to the first missing one, after which places in time are
 * unknown. */
static void place_samples(struct interactive_reading *reading)
{
    const struct run_fact *origin = run_find_fact(reading->bench, FACT_IDLE_ORIGIN);
    struct idle_samples *idle = &reading->idle;
    struct reconcile reconcile;
    uint64_t at;

    reconcile_init(&reconcile, reading->bench);
    reading->interactive->iteration_millitick = reconcile.iteration_millitick;
    if (!reconcile.present || run_processors(reading->bench) > 1 ||
        !interactive_place(reading->interactive, origin->value, &at)) {
        return;
    }
    const size_t n = reconcile.series->ranges[0].count;

    idle->starts = alloc_zeroed((n / IDLE_STEP + 1) * sizeof(*idle->starts));
    idle->series = reconcile.series;
    idle->shortest = reconcile.shortest;
    idle->from = at;
    idle->to = at;
    for (idle->n = 0; idle->n < n; idle->n++) {
        const uint64_t end = idle->to + (uint64_t)reconcile.series->samples[idle->n];

        if (end < idle->to) {
            return; /* the end does not fit into 64 bits */
        }
        if (idle->n % IDLE_STEP == 0) {
            idle->starts[idle->n / IDLE_STEP] = idle->to;
        }
        idle->to = end;
    }
    samples_forget(idle->series, 0, n);
}

/* Returns the start of sample `i`, which is the end of the one before. */
static uint64_t idle_bound(const struct idle_samples *idle, size_t i)
{
    if (i == idle->n) {
        return idle->to;
    }
    uint64_t at = idle->starts[i / IDLE_STEP];

    for (size_t before = i / IDLE_STEP * IDLE_STEP; before < i; before++) {
        at += (uint64_t)idle->series->samples[before];
    }
    return at;
}

/* Finds the sample that contains `at`. Returns false if none does. */
static bool sample_at(const struct idle_samples *idle, uint64_t at, size_t *sample)
{
    size_t low = 0;
    size_t high = (idle->n + IDLE_STEP - 1) / IDLE_STEP;

    if (idle->n == 0 || at < idle->from || at >= idle->to) {
        return false;
    }
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;

        if (idle->starts[middle] <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    uint64_t end = idle->starts[low] + (uint64_t)idle->series->samples[low * IDLE_STEP];

    for (*sample = low * IDLE_STEP; *sample + 1 < idle->n && end <= at;) {
        end += (uint64_t)idle->series->samples[++*sample];
    }
    return true;
}

/* ---- excess of the idle loop's samples ---- */

static uint64_t later(uint64_t left, uint64_t right)
{
    return left > right ? left : right;
}

/* Returns the end of the event or, if it is unknown, the last known time of the event. */
static uint64_t end_of(const struct interactive_event *event)
{
    uint64_t end = event->arrival;

    if (event->has_done) {
        end = event->done;
    } else if (event->has_taken) {
        end = event->taken;
    } else if (event->has_posted) {
        end = event->posted;
    }
    return event->has_stamps ? later(end, event->stamp_to) : end;
}

static void set_samples(const struct interactive_reading *reading, struct interactive_event *event)
{
    const struct idle_samples *idle = &reading->idle;
    uint64_t from = event->arrival;
    uint64_t to = later(end_of(event), from);
    uint64_t other;
    size_t first;
    size_t last;

    busy_episode(&reading->busy, from, &from, &other);
    if (busy_episode(&reading->busy, to, &other, &to)) {
        to--; /* the last tick of the episode */
    }
    if (!event->has_arrival || !sample_at(idle, from, &first) || !sample_at(idle, to, &last) ||
        last < first) {
        return;
    }
    from = idle_bound(idle, first);
    to = idle_bound(idle, last + 1);
    if (!busy_between(&reading->busy, from, to, &event->elongation_busy)) {
        return;
    }
    event->has_elongation = true;
    event->sample = first;
    event->samples = last - first + 1;
    event->elongation = (int64_t)(to - from) - (int64_t)event->samples * idle->shortest;
}

/* Marks events that share samples. Events are in the order of arrival, so their first samples rise:
 * an event shares samples with the next one, or with an earlier one that reaches that far. */
static void set_shared(struct interactive *interactive)
{
    struct interactive_event *longest = NULL;

    for (size_t i = 0; i < interactive->count; i++) {
        struct interactive_event *event = &interactive->events[i];

        if (!event->has_elongation) {
            continue;
        }
        if (longest != NULL && longest->sample + longest->samples > event->sample) {
            longest->shared = true;
            event->shared = true;
        }
        if (longest == NULL ||
            event->sample + event->samples > longest->sample + longest->samples) {
            longest = event;
        }
    }
}

/* ---- counts ---- */

/* Gets the median count during samples in which, by the trace, nothing but the idle loop ran.
 * Returns false if there is no such sample. */
static bool quiet_count(const struct interactive_reading *reading, const struct run_series *counts,
                        int64_t *median)
{
    const struct idle_samples *idle = &reading->idle;
    struct run_walk walk = {.series = counts};
    int64_t *quiet = alloc_zeroed(idle->n * sizeof(*quiet));
    size_t n = 0;

    for (size_t i = 0; i < idle->n; i++) {
        uint64_t ticks;

        if (busy_between(&reading->busy, idle_bound(idle, i), idle_bound(idle, i + 1), &ticks) &&
            ticks == 0 && run_walk_to(&walk, (uint32_t)i, &quiet[n])) {
            n++;
        }
    }
    *median = statistics_median(quiet, n);
    free(quiet);
    return n > 0;
}

static struct interactive_count count_of(const struct interactive_event *event,
                                         const struct run_series *counts, int64_t quiet)
{
    struct run_walk walk = {.series = counts};
    struct interactive_count count = {.known = event->has_elongation && !event->shared};

    for (size_t i = 0; i < event->samples && count.known; i++) {
        int64_t value;

        count.known = run_walk_to(&walk, (uint32_t)(event->sample + i), &value) &&
                      !__builtin_sub_overflow(value, quiet, &value) &&
                      !__builtin_add_overflow(count.value, value, &count.value);
    }
    return count;
}

/* Sets the count of one processor event for every input event. */
static void set_counts(struct interactive_reading *reading, const struct run_series *counts,
                       size_t column)
{
    struct interactive *interactive = reading->interactive;
    int64_t quiet;

    if (!quiet_count(reading, counts, &quiet)) {
        return;
    }
    for (size_t i = 0; i < interactive->count; i++) {
        interactive->counts[i * interactive->counted_count + column] =
            count_of(&interactive->events[i], counts, quiet);
    }
}

static int by_time(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

bool interactive_counted(const struct interactive *interactive, size_t column, uint64_t from,
                         uint64_t to, int64_t *value)
{
    const struct run_series *at = interactive->counted_at;
    const int64_t *counts = interactive->counted_series[column]->samples;
    const int64_t times[] = {(int64_t)(from - interactive->begin),
                             (int64_t)(to - interactive->begin)};
    const int64_t *first = bsearch(&times[0], at->samples, at->n, sizeof(*first), by_time);
    const int64_t *last = bsearch(&times[1], at->samples, at->n, sizeof(*last), by_time);

    return first != NULL && last != NULL &&
           !__builtin_sub_overflow(counts[last - at->samples], counts[first - at->samples], value);
}

bool interactive_penalty(const struct interactive *interactive,
                         const struct interactive_count *counts, uint64_t *ticks)
{
    static const struct {
        const char *event;
        int64_t cycles;
    } weights[] = {{COUNT_DTLB_MISSES, WEIGHT_TLB_MISS},
                   {COUNT_ITLB_MISSES, WEIGHT_TLB_MISS},
                   {COUNT_SEGMENT_LOADS, WEIGHT_SEGMENT_LOAD},
                   {COUNT_MISALIGNED, WEIGHT_MISALIGNED}};
    size_t known = 0;
    int64_t cycles = 0;

    for (size_t i = 0; i < interactive->counted_count * COUNT(weights) && counts != NULL; i++) {
        const struct interactive_count *count = &counts[i / COUNT(weights)];
        const int64_t weight = weights[i % COUNT(weights)].cycles;
        int64_t more;

        if (strcmp(interactive->counted[i / COUNT(weights)], weights[i % COUNT(weights)].event) ==
            0) {
            known += count->known && !__builtin_mul_overflow(count->value, weight, &more) &&
                     !__builtin_add_overflow(cycles, more, &cycles);
        }
    }
    return known == COUNT(weights) && interactive->cycle > 0 && cycles >= 0 &&
           !__builtin_mul_overflow((uint64_t)cycles, interactive->cycle, ticks);
}

const char *interactive_counted_how(const struct interactive *interactive)
{
    return interactive->counted_at != NULL
               ? "counted from the interrupt of each event to its end"
               : "counted in the idle loop's samples of each event, beyond the count of idle "
                 "samples, if no other event shares them";
}

/* Sets the count of one processor event for every input event, from its interrupt to its end. */
static void set_counted(struct interactive *interactive, size_t column)
{
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];
        struct interactive_count *count =
            &interactive->counts[i * interactive->counted_count + column];

        count->known =
            event->has_arrival && event->has_done &&
            interactive_counted(interactive, column, event->entry, event->done, &count->value);
    }
}

/* Takes a series of counts. Those up to times must be complete, and give the ticks of an
 * instruction. */
static void take_counts(struct interactive *interactive, const struct run_series *series)
{
    const struct run_series *at = interactive->counted_at;

    if (at != NULL && (!run_series_whole(series) || series->n != at->n)) {
        return;
    }
    interactive->counted[interactive->counted_count] = series->event;
    interactive->counted_series[interactive->counted_count++] = series;
    if (at != NULL && strcmp(series->event, COUNT_INSTRUCTIONS) == 0 &&
        series->samples[at->n - 1] > series->samples[0] &&
        at->samples[at->n - 1] > at->samples[0]) {
        interactive->cycle = ((uint64_t)at->samples[at->n - 1] - (uint64_t)at->samples[0]) /
                             ((uint64_t)series->samples[at->n - 1] - (uint64_t)series->samples[0]);
    }
}

static void read_counts(struct interactive_reading *reading)
{
    struct interactive *interactive = reading->interactive;
    const struct run_bench *bench = reading->bench;

    const struct run_series *at = run_find_whole(bench, SERIES_COUNTED_AT);

    interactive->counted_at = at != NULL && at->n > 0 ? at : NULL;
    interactive->counted = alloc_zeroed(bench->series_count * sizeof(*interactive->counted));
    interactive->counted_series =
        alloc_zeroed(bench->series_count * sizeof(const struct run_series *));
    const char *of = interactive->counted_at != NULL ? SERIES_COUNTED_AT : SERIES_IDLE;

    for (size_t i = 0; i < bench->series_count; i++) {
        if (bench->series[i].event != NULL && strcmp(bench->series[i].of, of) == 0) {
            take_counts(interactive, &bench->series[i]);
        }
    }
    if (interactive->counted_count == 0 ||
        (interactive->counted_at == NULL && reading->idle.n == 0)) {
        return;
    }
    interactive->counts = alloc_zeroed(interactive->count * interactive->counted_count *
                                       sizeof(*interactive->counts));
    for (size_t column = 0; column < interactive->counted_count; column++) {
        if (interactive->counted_at != NULL) {
            set_counted(interactive, column);
        } else {
            set_counts(reading, interactive->counted_series[column], column);
        }
    }
    for (size_t i = 0; i < interactive->count; i++) {
        interactive->events[i].counts = &interactive->counts[i * interactive->counted_count];
    }
}

/* ---- phases ---- */

/* Adds the busy time while an event of the phase is being handled. Each tick counts once, however
 * many events there are. */
static void add_handling(const struct interactive_reading *reading, struct interactive_phase *phase,
                         uint64_t *handled, const struct interactive_event *event)
{
    uint64_t ticks;

    if (event->done > later(event->arrival, *handled)) {
        phase->known =
            busy_between(&reading->busy, later(event->arrival, *handled), event->done, &ticks) &&
            phase->known;
        phase->handling += ticks;
        *handled = event->done;
    }
}

static void name_phase(const struct run_bench *bench, struct interactive_phase *phase)
{
    phase->name = run_object_name(bench, OBJECT_NAME_MARK, phase->phase);
    if (phase->name == NULL) {
        return;
    }
    const struct run_fact *redraws = run_fact_named(bench, "redraws_%s", phase->name);

    phase->has_redraws = redraws != NULL;
    phase->redraws = redraws != NULL ? redraws->value : 0;
}

/* Measures the events of `phase`, or all events. Returns false if there are none. */
static bool measure_phase(const struct interactive_reading *reading,
                          struct interactive_phase *phase, bool all)
{
    const struct interactive *interactive = reading->interactive;
    uint64_t handled = 0;
    bool begun = false;
    bool exists = false;

    phase->known = true;
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];

        if (!all && (!event->has_phase || event->phase != phase->phase)) {
            continue;
        }
        exists = true;
        phase->events += event->came;
        if (event->has_elongation && !event->shared) {
            phase->alone++;
            phase->elongation += event->elongation;
        }
        if (event->has_arrival && event->has_done) {
            phase->from = begun ? phase->from : event->arrival;
            phase->to = later(phase->to, event->done);
            begun = true;
            add_handling(reading, phase, &handled, event);
        }
    }
    phase->known =
        busy_between(&reading->busy, phase->from, phase->to, &phase->busy) && begun && phase->known;
    return exists;
}

static void read_phases(struct interactive_reading *reading)
{
    struct interactive *interactive = reading->interactive;
    bool some = false;

    measure_phase(reading, &interactive->all, true);
    for (size_t i = 0; i < interactive->count; i++) {
        some = some || interactive->events[i].has_phase;
    }
    if (!some) {
        return;
    }
    interactive->phases = alloc_zeroed(PHASES * sizeof(*interactive->phases));
    for (unsigned number = 0; number < PHASES; number++) {
        struct interactive_phase phase = {.phase = (uint8_t)number};

        if (measure_phase(reading, &phase, false)) {
            name_phase(reading->bench, &phase);
            interactive->phases[interactive->phase_count++] = phase;
        }
    }
}

void interactive_measure(struct interactive_reading *reading)
{
    struct interactive *interactive = reading->interactive;

    place_samples(reading);
    for (size_t i = 0; i < interactive->count; i++) {
        struct interactive_event *event = &interactive->events[i];

        event->has_busy = event->has_arrival && event->has_done &&
                          busy_between(&reading->busy, event->arrival, event->done, &event->busy);
        set_samples(reading, event);
    }
    set_shared(interactive);
    read_counts(reading);
    read_phases(reading);
}

/* Divides the excess of the idle loop's samples of each event into the stamps and other parts. */

/* The stage in the life of its event where a part lies. */
enum part_phase {
    PHASE_ANY,
    PHASE_SENDING, /* while the last byte of the event is sent */
    PHASE_DECODING,
    PHASE_QUEUEING,
    PHASE_WAKING,
    PHASE_RETURNING,
    PHASE_BETWEEN, /* idle, between the first and the last stamp of the event */
};

/* Intervals of one kind, over all events. */
struct part {
    enum account_kind kind;
    uint32_t id;
    enum part_phase phase;
    bool present; /* the current event has this part */
    int64_t now;  /* ticks in the current event */
    struct interactive_part sum;
};

struct explanation {
    struct interactive *interactive;
    const struct idle_samples *idle;
    size_t event;      /* index of the current event; interactive->count: none is left */
    uint64_t from, to; /* of its samples (TSC) */

    /* Pieces of its samples, in order: segments, and ends of handlers with no length. */
    struct piece {
        uint64_t from, to;
        enum account_kind kind;
        uint32_t id;
        uint32_t thread; /* thread that was current */
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

static bool is_idle(const struct piece *piece)
{
    return piece->kind == ACCOUNT_THREAD && piece->id == TRACE_IDLE_THREAD;
}

/* ---- what sent it ---- */

static bool is_same_account(const struct piece *left, const struct piece *right)
{
    return left->kind == right->kind && left->id == right->id;
}

/* Returns the piece that was running when the event's last byte was written. Returns NULL if that
 * is not in the event's samples, or if only the tracer was running. */
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

/* Marks the pieces that ran for the sender: those of the same busy episode up to the end of its
 * handler or, if the sender is not a handler, up to the arrival. */
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
    struct part *part = alloc_next(&explanation->parts, &explanation->part_count,
                                   &explanation->part_capacity, sizeof(*part));

    part->kind = piece->kind;
    part->id = piece->id;
    part->phase = phase;
    return part;
}

/* Returns where in the event's life a piece lies, if the piece is within one such phase. */
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
        return; /* idle time outside the stamps, or busy time that the stamps include */
    }
    struct part *part =
        part_of(explanation, piece, between ? PHASE_BETWEEN : phase_of(event, piece, application));

    part->present = true;
    part->now += between ? -ticks : ticks;
}

/* Returns the event's next boundary after `at`, or `end` if that is earlier. */
static uint64_t next_cut(const struct interactive_event *event, uint64_t at, uint64_t end)
{
    const uint64_t cuts[] = {event->stamp_from, event->stamp_to,
                             event->has_posted ? event->posted : end};

    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        end = cuts[i] > at && cuts[i] < end ? cuts[i] : end;
    }
    return end;
}

/* Returns the thread that reads the stamps. */
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

/* Adds the current event's parts to the sums. Returns their total. */
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

/* Goes on to the next event that can be explained. */
static void find_event(struct explanation *explanation)
{
    explanation->piece_count = 0;
    while (event_at_hand(explanation) != NULL && !event_at_hand(explanation)->explained) {
        explanation->event++;
    }
    const struct interactive_event *event = event_at_hand(explanation);

    if (event != NULL) {
        explanation->from = idle_bound(explanation->idle, event->sample);
        explanation->to = idle_bound(explanation->idle, event->sample + event->samples);
    }
}

/* ---- as an observer ---- */

static void add_piece(struct explanation *explanation, const struct piece *piece)
{
    struct piece *added = alloc_next(&explanation->pieces, &explanation->piece_count,
                                     &explanation->piece_capacity, sizeof(*added));

    *added = *piece;
}

static void see_segment(void *context, const struct accounting *accounting,
                        const struct account_segment *segment)
{
    struct explanation *explanation = context;

    while (event_at_hand(explanation) != NULL && segment->to > explanation->from) {
        const uint64_t end = explanation->to;
        const struct piece piece = {
            .from = segment->from > explanation->from ? segment->from : explanation->from,
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

bool interactive_explain(struct interactive *interactive, const struct run_bench *bench)
{
    struct interactive_reading reading = {.interactive = interactive, .bench = bench};
    struct explanation explanation = {.interactive = interactive, .idle = &reading.idle};
    struct accounting accounting = {0};
    const struct account_observer observer = {
        .context = &explanation, .segment = see_segment, .event = see_event};
    bool good = true;

    for (size_t i = 0; i < interactive->count; i++) {
        struct interactive_event *event = &interactive->events[i];

        event->explained = event->has_stamps && event->has_elongation && !event->shared;
    }
    place_samples(&reading);
    find_event(&explanation);
    if (event_at_hand(&explanation) != NULL) {
        good = accounting_read(&accounting, bench, &observer, 1);
        accounting_free(&accounting);
    }
    interactive->part_count = explanation.part_count;
    interactive->parts = alloc_zeroed(explanation.part_count * sizeof(*interactive->parts));
    for (size_t i = 0; i < explanation.part_count; i++) {
        put_label(bench, &explanation.parts[i]);
        interactive->parts[i] = explanation.parts[i].sum;
    }
    free(reading.idle.starts);
    free(explanation.pieces);
    free(explanation.parts);
    return good;
}
