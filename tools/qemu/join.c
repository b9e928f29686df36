/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/join.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/pmu/names.h"
#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/qemu/match.h"
#include "tools/trace/accounting.h"
#include "tools/trace/trace_reader.h"

/*
 * Counts of the phases of an application: each from the mark in the trace that begins the phase to
 * mark MARK_NAME_OVER. In runs without that mark, to the next mark that begins a phase, or to the
 * last event of that part of the trace.
 */

/* A phase: the TSC of its start and of its end, each that of an event of the trace. */
struct phase_span {
    const char *name;
    uint64_t begin, end;
};

struct phases {
    const struct run_bench *bench;
    const struct run_series *marks; /* for each input, the mark of its phase */
    struct phase_span *spans;
    size_t capacity, count;
    bool open; /* the last phase has not ended */
    bool complete;
};

static bool is_phase(const struct phases *phases, uint64_t mark)
{
    return SEARCH_ANY(i, phases->marks->received,
                      phases->marks->samples[i] >= 0 &&
                          (uint64_t)phases->marks->samples[i] == mark);
}

/* Takes an event. An open phase ends, so far, with the last event read. */
static void take(struct phases *phases, const struct trace_event *event)
{
    const char *name;

    if (phases->open) {
        phases->spans[phases->count - 1].end = event->tsc;
    }
    if (event->id != TRACE_ID_mark) {
        return;
    }
    name = run_object_name(phases->bench, OBJECT_NAME_MARK, (uint32_t)event->field[0]);
    if (name != NULL && strcmp(name, MARK_NAME_OVER) == 0) {
        phases->open = false;
        return;
    }
    if (!is_phase(phases, event->field[0])) {
        return;
    }
    phases->open = name != NULL && phases->count < phases->capacity;
    if (phases->open) {
        phases->spans[phases->count++] = (struct phase_span){name, event->tsc, event->tsc};
    }
}

/* Drops the open phase, because with something missing its end is unknown. */
static void skip_gap(struct phases *phases)
{
    phases->complete = false;
    phases->count -= phases->open ? 1 : 0;
    phases->open = false;
}

static void read_part(struct phases *phases, const struct run_trace *traces, size_t processors)
{
    struct trace_reader *reader = trace_reader_open(traces, processors);
    enum trace_reader_status status;
    struct trace_event event;
    struct trace_gap gap;

    do {
        status = trace_reader_next(reader, &event, &gap);
        if (status == TRACE_EVENT) {
            take(phases, &event);
        } else if (status != TRACE_END) {
            skip_gap(phases);
        }
    } while (status == TRACE_EVENT || status == TRACE_GAP);
    trace_reader_close(reader);
    phases->open = false;
}

/* Reads at most `capacity` phases in order, without those in which the trace lacks something.
 * `complete` is set if it lacks nothing at all. A bench without phases is complete. Returns the
 * number of phases. */
static size_t phases_read(const struct run_bench *bench, struct phase_span *spans, size_t capacity,
                          bool *complete)
{
    struct phases phases = {.bench = bench,
                            .marks = run_find_series(bench, SERIES_PHASE),
                            .spans = spans,
                            .capacity = capacity,
                            .complete = true};

    for (size_t i = 0; phases.marks != NULL && i < bench->trace_count;) {
        const size_t processors = run_part_processors(bench, i);

        read_part(&phases, &bench->traces[i], processors);
        i += processors;
    }
    *complete = phases.complete;
    return phases.count;
}

#define REASON_MAX 512
#define PHASES_MAX 64

/* The TSC of a row is `bias` plus `ticks` times its instructions. */
struct clock {
    uint64_t ticks;
    uint64_t bias; /* modulo 2^64 */
};

static const struct {
    const char *name;
    const char *source;
    const char *note;
} events[ROW_COLUMNS] = {
    [ROW_INSTRUCTIONS] = {COUNT_INSTRUCTIONS, COUNTED_BY_PLUGIN, NULL},
    [ROW_LOADS] = {COUNT_LOADS, COUNTED_BY_PLUGIN,
                   "accesses of instructions, descriptors included; not of interrupts"},
    [ROW_STORES] = {COUNT_STORES, COUNTED_BY_PLUGIN, "accesses of instructions; not of interrupts"},
    [ROW_MISALIGNED] = {COUNT_MISALIGNED, COUNTED_BY_PLUGIN,
                        "accesses whose address is not a multiple of their size"},
    [ROW_SEGMENT_LOADS] = {COUNT_SEGMENT_LOADS, COUNTED_BY_PLUGIN,
                           "by instructions: IRETQ counts 2; not by interrupts"},
    [ROW_ADDRESS_SPACE_LOADS] = {COUNT_ADDRESS_SPACE_LOADS, COUNTED_BY_PLUGIN, "moves to CR3"},
    [ROW_DTLB_MISSES] = {COUNT_DTLB_MISSES, COUNTED_BY_PLUGIN_MODEL,
                         "modelled: 64 entries, 4 ways, pages of 4 KiB, emptied by a load of CR3"},
    [ROW_ITLB_MISSES] = {COUNT_ITLB_MISSES, COUNTED_BY_PLUGIN_MODEL,
                         "modelled: 32 entries, 4 ways, pages of 4 KiB, emptied by a load of CR3"},
};

/* ---- which TSC a row has ---- */

static bool row_of(const struct rows *rows, const struct clock *clock, uint64_t tsc,
                   uint64_t *number)
{
    const uint64_t ticks = tsc - clock->bias;

    return ticks % clock->ticks == 0 && rows_find(rows, ticks / clock->ticks, number);
}

/* Finds the first and the last row of a bench. */
static bool bench_rows_of(const struct rows *rows, const struct clock *clock,
                          const struct run_bench *bench, uint64_t *first, uint64_t *last)
{
    const struct run_fact *began = run_find_fact(bench, FACT_BEGAN);
    const struct run_fact *ended = run_find_fact(bench, FACT_ENDED);

    return began != NULL && ended != NULL && ended->value > began->value &&
           row_of(rows, clock, (uint64_t)began->value, first) &&
           row_of(rows, clock, (uint64_t)ended->value, last);
}

static const struct run_bench *first_measured(const struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        if (run_find_fact(&run->benches[i], FACT_BEGAN) != NULL &&
            run_find_fact(&run->benches[i], FACT_ENDED) != NULL) {
            return &run->benches[i];
        }
    }
    return NULL;
}

static size_t benches_placed(const struct run *run, const struct rows *rows,
                             const struct clock *clock)
{
    uint64_t first;
    uint64_t last;
    size_t count = 0;

    for (size_t i = 0; i < run->bench_count; i++) {
        count += bench_rows_of(rows, clock, &run->benches[i], &first, &last);
    }
    return count;
}

/* Returns the number of rows at the address of row `number`. */
static uint64_t rows_there(const struct rows *rows, uint64_t number)
{
    struct row row;
    uint64_t count = 0;

    rows_at(rows, number, &row);
    for (size_t i = 0; i < rows->count; i++) {
        count += rows->records[i].address == row.address ? rows->records[i].rows : 0;
    }
    return count;
}

/* Returns whether the first bench begins and ends at rows whose addresses are read once per bench.
 */
static bool places_first(const struct run *run, const struct rows *rows, const struct clock *clock)
{
    uint64_t measured = 0;
    uint64_t first;
    uint64_t last;

    for (size_t i = 0; i < run->bench_count; i++) {
        measured += run_find_fact(&run->benches[i], FACT_BEGAN) != NULL;
    }
    return bench_rows_of(rows, clock, first_measured(run), &first, &last) &&
           rows_there(rows, first) == measured && rows_there(rows, last) == measured;
}

/* Finds the bias with which most benches, including the first, begin and end at rows. Returns false
 * if there is none, or more than one. The row at which a bench begins is never one of a poll. */
static bool find_clock(const struct run *run, const struct rows *rows, struct clock *clock)
{
    const struct run_bench *bench = first_measured(run);
    struct clock tried = {.ticks = clock->ticks};
    size_t most = 0;
    bool alone = false;
    uint64_t first;
    uint64_t last;

    for (size_t i = 0; bench != NULL && i < rows->count; i++) {
        if (rows->records[i].rows > 1) {
            continue;
        }
        tried.bias =
            (uint64_t)run_find_fact(bench, FACT_BEGAN)->value - tried.ticks * rows->instructions[i];
        if (!bench_rows_of(rows, &tried, bench, &first, &last)) {
            continue;
        }
        const size_t placed = benches_placed(run, rows, &tried);

        /* Reading all rows for each of millions of biases would take hours. */
        if (placed < most || !places_first(run, rows, &tried)) {
            continue;
        }
        alone = placed > most;
        if (placed > most) {
            most = placed;
            *clock = tried;
        }
    }
    return alone;
}

/* Finds the row of `address` that has `before` rows of that address before it. Returns false if
 * there is none. */
static bool row_number(const struct rows *rows, uint64_t address, size_t before, struct row *row)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct row_record *record = &rows->records[i];

        if (record->address != address) {
            continue;
        }
        if (before < record->rows) {
            rows_at(rows, rows->first_row[i] + before, row);
            return true;
        }
        before -= record->rows;
    }
    return false;
}

/* Adjusts the clock for a bench. If the plugin lost count in an earlier bench, the distance between
 * rows and TSC has changed; the row at which this bench begins gives the new one. */
static void follow_clock(const struct run *run, const struct rows *rows, size_t index,
                         struct clock *clock)
{
    const struct run_fact *began = run_find_fact(&run->benches[index], FACT_BEGAN);
    const struct run_bench *first = first_measured(run);
    size_t before = 0;
    uint64_t number;
    struct row row;

    for (size_t i = 0; i < index; i++) {
        before += run_find_fact(&run->benches[i], FACT_BEGAN) != NULL;
    }
    if (began == NULL ||
        !row_of(rows, clock, (uint64_t)run_find_fact(first, FACT_BEGAN)->value, &number)) {
        return;
    }
    rows_at(rows, number, &row);
    if (row_number(rows, row.address, before, &row)) {
        clock->bias = (uint64_t)began->value - clock->ticks * row.total[ROW_INSTRUCTIONS];
    }
}

/* ---- series of counts ---- */

static bool is_length(const struct run_series *series)
{
    return series->event == NULL && series->unit != NULL && strcmp(series->unit, UNIT_TICK) == 0;
}

/* Adds a series, which takes over `samples`. The name must outlive the run. */
static struct run_series *put_series(struct run_bench *bench, const char *name, const char *unit,
                                     int64_t *samples, size_t count)
{
    struct run_series *series = run_add_series(bench);

    series->name = name;
    series->unit = unit;
    series->n = (uint32_t)count;
    series->samples = samples;
    series->received = count;
    series->range_count = 1;
    series->ranges = alloc_zeroed(sizeof(*series->ranges));
    series->ranges[0] = (struct run_range){.first = 0, .count = (uint32_t)count};
    series->crc = run_series_crc(series);
    return series;
}

/* Adds a series of counts, which takes over `counts`. */
static void add_counts(struct run *run, struct run_bench *bench, const char *of,
                       enum row_column column, int64_t *counts, size_t count)
{
    char name[REASON_MAX];

    snprintf(name, sizeof(name), "%s.%s", of, events[column].name);
    if (run_find_series(bench, name) != NULL) {
        free(counts);
        return;
    }
    struct run_series *series = put_series(bench, run_text(run, name), UNIT_COUNT, counts, count);

    series->of = of;
    series->event = events[column].name;
}

/* Adds a series for each column: what was counted up to each of these times since the first one,
 * or, with `between`, from each to the next. Returns false, and adds nothing, if any has no row. */
static bool add_counts_at(struct run *run, struct run_bench *bench, const struct rows *rows,
                          const struct clock *clock, const char *of, const uint64_t *tsc,
                          size_t count, bool between)
{
    const size_t first = between ? 1 : 0;
    int64_t *counts[ROW_COLUMNS];
    struct row row[2];
    bool found = true;
    uint64_t number;

    for (size_t column = 0; column < ROW_COLUMNS; column++) {
        counts[column] = alloc_zeroed((count + 1) * sizeof(int64_t));
    }
    for (size_t i = 0; i < count && found; i++) {
        found = row_of(rows, clock, tsc[i], &number);
        if (!found) {
            break;
        }
        rows_at(rows, number, &row[1]);
        row[0] = i == 0 ? row[1] : row[0];
        for (size_t column = 0; column < ROW_COLUMNS && i >= first; column++) {
            counts[column][i - first] = (int64_t)(row[1].total[column] - row[0].total[column]);
        }
        row[0] = between ? row[1] : row[0];
    }
    for (size_t column = 0; column < ROW_COLUMNS; column++) {
        if (found && count > first) {
            add_counts(run, bench, of, (enum row_column)column, counts[column], count - first);
        } else {
            free(counts[column]);
        }
    }
    return found;
}

/* Joins an idle loop whose start is known: each sample ends where the next one begins. */
static bool join_idle(struct run *run, struct run_bench *bench, const struct rows *rows,
                      const struct clock *clock, const struct run_series *idle)
{
    const struct run_fact *origin = run_find_fact(bench, FACT_IDLE_ORIGIN);
    const size_t count = idle->n;
    const char *of = idle->name;
    uint64_t *tsc;

    if (origin == NULL || bench->trace_count == 0) {
        return false;
    }
    tsc = alloc_zeroed((count + 1) * sizeof(*tsc));
    tsc[0] = bench->traces[0].begin + (uint64_t)origin->value;
    for (size_t i = 0; i < count; i++) {
        tsc[i + 1] = tsc[i] + (uint64_t)idle->samples[i];
    }
    const bool found = add_counts_at(run, bench, rows, clock, of, tsc, count + 1, true);

    free(tsc);
    return found;
}

static void add_absent(struct run *run, struct run_bench *bench, const char *name,
                       const char *reason)
{
    struct run_absent *absent = run_add_absent(bench);

    absent->name = run_text(run, name);
    absent->reason = run_text(run, reason);
}

/* Adds facts EVENT.PHASE for each phase. */
static void join_phases(struct run *run, struct run_bench *bench, const struct rows *rows,
                        const struct clock *clock)
{
    struct phase_span spans[PHASES_MAX];
    bool complete;
    const size_t count = phases_read(bench, spans, PHASES_MAX, &complete);

    if (!complete) {
        add_absent(run, bench, "counts of phases",
                   "the trace lacks records of some phases; a larger trace.bytes keeps more");
    }
    for (size_t i = 0; i < count; i++) {
        struct row row[2];
        uint64_t number[2];

        if (!row_of(rows, clock, spans[i].begin, &number[0]) ||
            !row_of(rows, clock, spans[i].end, &number[1])) {
            continue;
        }
        rows_at(rows, number[0], &row[0]);
        rows_at(rows, number[1], &row[1]);
        for (size_t column = 0; column < ROW_COLUMNS; column++) {
            char name[REASON_MAX];
            struct run_fact *fact = run_add_fact(bench);

            snprintf(name, sizeof(name), "%s.%.200s", events[column].name, spans[i].name);
            fact->name = run_text(run, name);
            fact->value = (int64_t)(row[1].total[column] - row[0].total[column]);
            fact->unit = UNIT_COUNT;
        }
    }
}

/* ---- counts at the times of input events ---- */

#define HANDLERS 64  /* latest handlers among which that of an input is searched */
#define THREADS  256 /* threads of a bench, by their number modulo this */

struct event_times {
    int64_t *tsc;
    size_t count, capacity;
    uint64_t entries[HANDLERS];
    size_t entered;
    bool took[THREADS]; /* the thread took a message and has not called since */
};

static void add_time(struct event_times *times, uint64_t tsc)
{
    *ALLOC_NEXT(times->tsc, times->count, times->capacity) = (int64_t)tsc;
}

static void see_time(void *context, const struct accounting *accounting,
                     const struct trace_event *event)
{
    struct event_times *times = context;
    bool *took = &times->took[accounting->current % THREADS];

    if (event->id == TRACE_ID_isr_entry) {
        times->entries[times->entered++ % HANDLERS] = event->tsc;
    } else if (event->id == TRACE_ID_input) {
        for (size_t i = 1; i <= times->entered && i <= HANDLERS; i++) {
            const uint64_t entry = times->entries[(times->entered - i) % HANDLERS];

            if (entry <= event->field[3]) {
                add_time(times, entry);
                break;
            }
        }
    } else if (event->id == TRACE_ID_input_done) {
        add_time(times, event->tsc);
    } else if (event->id == TRACE_ID_queue_take) {
        *took = true;
    } else if (event->id == TRACE_ID_queue_call && event->field[1] <= QUEUE_CALL_WAIT_IDLE &&
               *took) {
        *took = false;
        add_time(times, event->tsc);
    }
}

/* Adds series counted_at and its counts; none if the trace has no input. The first time is that of
 * the bench's first row. */
static void join_events(struct run *run, struct run_bench *bench, const struct rows *rows,
                        const struct clock *clock)
{
    struct event_times times = {0};
    const struct account_observer observer = {.context = &times, .event = see_time};
    struct accounting accounting;
    uint64_t number;
    size_t n = 0;

    if (bench->trace_count == 0 || run_find_series(bench, SERIES_COUNTED_AT) != NULL) {
        return;
    }
    add_time(&times, (uint64_t)run_find_fact(bench, FACT_BEGAN)->value);
    accounting_read(&accounting, bench, &observer, 1);
    accounting_free(&accounting);
    sort_integers(times.tsc, times.count);
    for (size_t i = 0; i < times.count; i++) {
        if ((n == 0 || times.tsc[i] > times.tsc[n - 1]) &&
            row_of(rows, clock, (uint64_t)times.tsc[i], &number)) {
            times.tsc[n++] = times.tsc[i];
        }
    }
    if (n <= 1 || !add_counts_at(run, bench, rows, clock, SERIES_COUNTED_AT,
                                 (const uint64_t *)times.tsc, n, false)) {
        free(times.tsc);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        times.tsc[i] -= (int64_t)bench->traces[0].begin;
    }
    put_series(bench, SERIES_COUNTED_AT, UNIT_TICK, times.tsc, n);
}

/* ---- missing counts ---- */

struct absence {
    struct long_text reason; /* the reason, followed by the names of what is missing for it */
    size_t count;
};

static void begin_absence(struct absence *absence, const char *reason)
{
    *absence = (struct absence){0};
    long_text_open(&absence->reason);
    fprintf(absence->reason.out, "%s: ", reason);
}

static void name_absence(struct absence *absence, const char *name, const char *event)
{
    fprintf(absence->reason.out, "%s%s%s%s", absence->count++ > 0 ? ", " : "", name,
            event != NULL ? "." : "", event != NULL ? event : "");
}

static void report(struct run *run, struct run_bench *bench, struct absence *absence)
{
    const char *reason = long_text_close(&absence->reason);

    if (absence->count > 0) {
        add_absent(run, bench, "counts", reason);
    }
    long_text_free(&absence->reason);
}

/* ---- a bench ---- */

/* Returns the instructions of each sample, or NULL if samples are missing or are not multiples of
 * an instruction. */
static uint64_t *instructions_of(const struct run_series *series, uint64_t ticks)
{
    uint64_t *instructions = alloc_zeroed((series->received + 1) * sizeof(*instructions));

    for (size_t i = 0; i < series->received; i++) {
        if (series->samples[i] <= 0 || (uint64_t)series->samples[i] % ticks != 0) {
            free(instructions);
            return NULL;
        }
        instructions[i] = (uint64_t)series->samples[i] / ticks;
    }
    return instructions;
}

static void take_match(struct run *run, struct run_bench *bench, struct match_series *match,
                       struct absence *none, struct absence *which, struct join_counts *counts)
{
    counts->joined += match->places > 0;
    counts->absent += match->places == 0;
    if (match->places == 0) {
        name_absence(none, match->name, NULL);
    }
    for (size_t column = 0; column < ROW_COLUMNS && match->places > 0; column++) {
        if (match->known[column]) {
            add_counts(run, bench, match->name, (enum row_column)column, match->counts[column],
                       match->count);
            match->counts[column] = NULL;
        } else {
            name_absence(which, match->name, events[column].name);
        }
    }
    match_free(match);
}

static void join_bench(struct run *run, struct run_bench *bench, const struct rows *rows,
                       const struct clock *clock, struct join_counts *counts)
{
    const size_t series_count = bench->series_count;
    struct match_series *match;
    struct absence none;
    struct absence which;
    size_t count = 0;
    uint64_t first;
    uint64_t last;

    if (!bench_rows_of(rows, clock, bench, &first, &last)) {
        if (run_find_fact(bench, FACT_BEGAN) != NULL) {
            add_absent(run, bench, "counts", "the plugin lost track of faults in this bench");
        }
        return;
    }
    match = alloc_zeroed((series_count + 1) * sizeof(*match));
    begin_absence(&none, "not lengths between two readings of the TSC");
    begin_absence(&which, "several intervals fit, and their counts differ");
    for (size_t i = 0; i < series_count; i++) {
        const struct run_series series = bench->series[i];

        if (!is_length(&series) || series.n == 0) {
            continue;
        }
        if (strcmp(series.name, SERIES_IDLE) == 0 && run_series_whole(&series) &&
            join_idle(run, bench, rows, clock, &series)) {
            counts->joined++;
            continue;
        }
        match[count].name = series.name;
        match[count].instructions =
            run_series_whole(&series) ? instructions_of(&series, clock->ticks) : NULL;
        match[count].count = match[count].instructions != NULL ? series.n : 0;
        count++;
    }
    match_all(rows, first, last, match, count);
    for (size_t i = 0; i < count; i++) {
        take_match(run, bench, &match[i], &none, &which, counts);
    }
    report(run, bench, &none);
    report(run, bench, &which);
    join_phases(run, bench, rows, clock);
    join_events(run, bench, rows, clock);
    free(match);
}

/* Adds the events to the run: name, what counts them, and what is only modelled. */
static void add_events(struct run *run)
{
    for (size_t column = 0; column < ROW_COLUMNS; column++) {
        struct run_event *event = run_add_event(run);

        event->name = events[column].name;
        event->state = EVENT_STATE_COUNTED;
        event->pass = 1;
        event->source = events[column].source;
        event->note = events[column].note;
    }
}

bool join_rows(struct run *run, const struct rows *rows, struct join_counts *counts,
               char error[ROWS_ERROR_MAX])
{
    struct clock clock = {.ticks = (uint64_t)run_ticks_per_instruction(run)};

    *counts = (struct join_counts){0};
    if (clock.ticks == 0) {
        snprintf(error, ROWS_ERROR_MAX, "the run is not in exact time");
        return false;
    }
    if (!find_clock(run, rows, &clock)) {
        snprintf(error, ROWS_ERROR_MAX,
                 first_measured(run) == NULL
                     ? "no bench was measured"
                     : "the plugin's rows do not match the starts and ends of the benches");
        return false;
    }
    for (size_t i = 0; i < run->bench_count; i++) {
        struct clock own = clock;

        follow_clock(run, rows, i, &own);
        join_bench(run, &run->benches[i], rows, &own, counts);
    }
    add_events(run);
    return true;
}
