/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/tasks/host/task_benches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tasks/names.h"
#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "tools/base/alloc.h"
#include "tools/stats/statistics.h"
#include "tools/trace/accounting.h"
#include "tools/trace/trace_reader.h"

#define NAME_MAX   64
#define THREAD_IDS 0x10000 /* ids have 16 bits */

/* Subtracts; wraps around, because a log may contain any values. */
static int64_t minus(int64_t left, int64_t right)
{
    return (int64_t)((uint64_t)left - (uint64_t)right);
}

static bool is_mark(const struct run_bench *bench, const struct trace_event *event,
                    const char *name)
{
    if (event->id != TRACE_ID_mark) {
        return false;
    }
    const char *known = run_object_name(bench, OBJECT_NAME_MARK, (uint32_t)event->field[0]);

    return known != NULL && strcmp(known, name) == 0;
}

/* ---- switches ---- */

enum phase_state { PHASE_TO_COME, PHASE_INSIDE, PHASE_OVER };

struct switch_count {
    const struct run_bench *bench;
    struct switch_phase *phases;
    size_t count;
    enum phase_state state[TASK_MARKS_MAX];
    uint64_t since[TASK_MARKS_MAX]; /* TSC of the phase's mark */
    uint64_t away[TASK_MARKS_MAX];  /* ticks between parts of the trace since that mark */
    bool named;                     /* each way has threads named after it */
    uint8_t *phase_of_thread;       /* index is the thread's id; TASK_MARKS_MAX: no phase */
};

/* Returns the phase of a way, or `count` if there is none. */
static size_t phase_of(const struct switch_count *counting, const char *way, size_t length)
{
    size_t i = 0;

    while (i < counting->count && (strlen(counting->phases[i].way) != length ||
                                   strncmp(counting->phases[i].way, way, length) != 0)) {
        i++;
    }
    return i;
}

/* Finds the threads of each way by their names, "WAY NUMBER". */
static void find_threads(struct switch_count *counting)
{
    memset(counting->phase_of_thread, TASK_MARKS_MAX, THREAD_IDS);
    for (size_t i = 0; i < counting->bench->object_count; i++) {
        const struct run_object *object = &counting->bench->objects[i];
        const char *space = object->name != NULL ? strchr(object->name, ' ') : NULL;

        if (strcmp(object->kind, OBJECT_NAME_THREAD) != 0 || space == NULL ||
            object->id >= THREAD_IDS) {
            continue;
        }
        const size_t phase = phase_of(counting, object->name, (size_t)(space - object->name));

        if (phase < counting->count) {
            counting->phase_of_thread[object->id] = (uint8_t)phase;
            counting->named = true;
        }
    }
}

static size_t phase_inside(const struct switch_count *counting)
{
    size_t i = 0;

    while (i < counting->count && counting->state[i] != PHASE_INSIDE) {
        i++;
    }
    return i;
}

/* Adds a phase for each pair of facts. */
static void find_phases(struct switch_count *counting)
{
    static const char prefix[] = FACT_SWITCHES "_";

    for (size_t i = 0; i < counting->bench->fact_count && counting->count < TASK_MARKS_MAX; i++) {
        const struct run_fact *fact = &counting->bench->facts[i];

        if (strncmp(fact->name, prefix, strlen(prefix)) != 0) {
            continue;
        }
        const char *way = fact->name + strlen(prefix);
        const struct run_fact *late = run_fact_named(counting->bench, FACT_LATE "_%s", way);

        if (late != NULL) {
            counting->phases[counting->count++] =
                (struct switch_phase){.way = way, .expected = fact->value, .late = late->value};
        }
    }
}

/* Starts a phase: switches before its mark are not part of a round. A phase whose end was lost is
 * over. */
static void begin_phase(struct switch_count *counting, const struct trace_event *event)
{
    const char *way = run_object_name(counting->bench, OBJECT_NAME_MARK, (uint32_t)event->field[0]);
    const size_t i = way != NULL ? phase_of(counting, way, strlen(way)) : counting->count;
    const size_t open = phase_inside(counting);

    if (i == counting->count || counting->state[i] != PHASE_TO_COME) {
        return;
    }
    if (open < counting->count) {
        counting->state[open] = PHASE_OVER;
    }
    counting->state[i] = PHASE_INSIDE;
    counting->since[i] = event->tsc;
    counting->away[i] = 0;
    counting->phases[i].threads = event->field[1];
    counting->phases[i].switches = 0;
    counting->phases[i].lost = 0;
    counting->phases[i].seen = true;
}

static void end_phase(struct switch_count *counting, const struct trace_event *event)
{
    const size_t i = phase_inside(counting);

    if (i < counting->count) {
        counting->phases[i].ticks = event->tsc - counting->since[i] - counting->away[i];
        counting->state[i] = PHASE_OVER;
    }
}

/* Attributes a switch to the thread that is left, or, if that is the idle thread or the bench, to
 * the thread that is switched to. */
static void count_switch(struct switch_count *counting, const struct trace_event *event)
{
    const size_t old = counting->phase_of_thread[event->field[0]];
    const size_t by_name = old < counting->count ? old : counting->phase_of_thread[event->field[1]];
    const size_t i = counting->named ? by_name : phase_inside(counting);

    if (i < counting->count && counting->state[i] != PHASE_OVER) {
        counting->phases[i].switches++;
        counting->phases[i].seen = true;
    }
}

static void take_event(struct switch_count *counting, const struct trace_event *event)
{
    if (event->id == TRACE_ID_thread_switch) {
        count_switch(counting, event);
    } else if (is_mark(counting->bench, event, MARK_END)) {
        end_phase(counting, event);
    } else if (event->id == TRACE_ID_mark) {
        begin_phase(counting, event);
    }
}

static void take_gap(struct switch_count *counting, const struct trace_gap *gap)
{
    for (size_t i = 0; i < counting->count; i++) {
        if (counting->state[i] != PHASE_OVER) {
            counting->phases[i].lost += gap->packets + gap->discarded;
        }
    }
}

static void read_part(struct switch_count *counting, const struct run_trace *traces,
                      size_t processors)
{
    struct trace_reader *reader = trace_reader_open(traces, processors);
    enum trace_reader_status status;
    struct trace_event event;
    struct trace_gap gap;

    while ((status = trace_reader_next(reader, &event, &gap)) == TRACE_EVENT ||
           status == TRACE_GAP) {
        if (status == TRACE_EVENT) {
            take_event(counting, &event);
        } else {
            take_gap(counting, &gap);
        }
    }
    trace_reader_close(reader);
}

/* Keeps the phases of which the trace contains anything. */
static size_t keep_seen(const struct switch_count *counting)
{
    size_t kept = 0;

    for (size_t i = 0; i < counting->count; i++) {
        if (counting->phases[i].seen) {
            counting->phases[kept++] = counting->phases[i];
        }
    }
    return kept;
}

size_t task_switch_phases(const struct run_bench *bench, struct switch_phase phases[TASK_MARKS_MAX])
{
    struct switch_count counting = {.bench = bench, .phases = phases};

    find_phases(&counting);
    counting.phase_of_thread = alloc_zeroed(THREAD_IDS);
    find_threads(&counting);
    for (size_t i = 0; i < bench->trace_count;) {
        const size_t next = i + run_part_processors(bench, i);

        read_part(&counting, &bench->traces[i], next - i);
        const size_t open = phase_inside(&counting);

        if (open < counting.count && next < bench->trace_count) {
            counting.away[open] += bench->traces[next].begin - bench->traces[i].end;
        }
        i = next;
    }
    free(counting.phase_of_thread);
    return keep_seen(&counting);
}

/* ---- aliasing ---- */

/* Returns the account of the thread with that name, or NULL if the trace has none. */
static const struct account_thread *find_account(const struct accounting *accounting,
                                                 const char *name)
{
    for (size_t i = 0; i < accounting->thread_count; i++) {
        const struct account_thread *thread = accounting->threads[i];
        const char *known = run_object_name(accounting->bench, OBJECT_NAME_THREAD, thread->id);

        if (known != NULL && strcmp(known, name) == 0) {
            return thread;
        }
    }
    return NULL;
}

/* Reads the accounting. Returns false if it is incomplete, so that it cannot be compared. */
static bool read_whole(struct accounting *accounting, const struct run_bench *bench,
                       const char **why)
{
    if (bench->trace_count == 0) {
        *why = "the run has no trace";
    } else if (!accounting_read(accounting, bench, NULL, 0)) {
        *why = "the trace cannot be read";
    } else if (accounting->unknown > 0) {
        *why = "parts of the trace are missing";
    } else {
        return true;
    }
    return false;
}

static bool account_for(const struct accounting *accounting, struct aliased_thread *aliased,
                        const char *name, const char **why)
{
    const struct run_bench *bench = accounting->bench;
    const struct account_thread *thread = find_account(accounting, name);
    const struct run_series *works = run_find_series(bench, name); /* one sample per period */
    const struct run_fact *period = run_find_fact(bench, FACT_TICK_PERIOD);
    const struct run_fact *work = run_find_fact(bench, FACT_WORK_TICKS);

    if (period == NULL || work == NULL || period->value <= 0) {
        *why = "facts tick_period and work_ticks are missing";
        return false;
    }
    if (thread == NULL || works == NULL || works->n == 0 || !run_series_whole(works)) {
        *why = "threads \"hidden\" and \"seen\", or their samples, are missing";
        return false;
    }
    struct statistics lengths;

    statistics_of(works->samples, works->received, &lengths);
    const double all = (double)works->n * (double)period->value;

    *aliased = (struct aliased_thread){
        .name = name,
        .truth = (double)works->n * (double)work->value / all,
        .by_itself = (double)lengths.total / all,
        .by_events = (double)thread->running / all,
        .by_samples = (double)thread->charged * (double)period->value / all,
    };
    return true;
}

bool task_aliased_threads(const struct run_bench *bench,
                          struct aliased_thread threads[ALIASED_THREADS], const char **why)
{
    struct accounting accounting = {0};
    const bool good = read_whole(&accounting, bench, why) &&
                      account_for(&accounting, &threads[0], SERIES_HIDDEN, why) &&
                      account_for(&accounting, &threads[1], SERIES_SEEN, why);

    accounting_free(&accounting);
    return good;
}

/* ---- inversion ---- */

static void trace_wait(const struct accounting *accounting, struct inverted_wait *wait)
{
    char name[NAME_MAX];

    snprintf(name, sizeof(name), "%s " THREAD_HIGH, wait->variant);
    const struct account_thread *thread = find_account(accounting, name);

    if (thread != NULL) {
        wait->has_traced = true;
        wait->traced = (int64_t)thread->waiting[WAIT_MUTEX];
        wait->traced_error = minus(wait->traced, wait->expected);
    }
}

size_t task_inverted_waits(const struct run_bench *bench,
                           struct inverted_wait waits[INVERTED_WAITS])
{
    static const char *const variants[INVERTED_WAITS] = {VARIANT_PLAIN, VARIANT_INHERIT,
                                                         VARIANT_CHAIN};
    struct accounting accounting = {0};
    const char *why;
    const bool traced = read_whole(&accounting, bench, &why);
    size_t count = 0;

    for (size_t i = 0; i < INVERTED_WAITS; i++) {
        const struct run_fact *expected = run_fact_named(bench, "%s_" FACT_EXPECTED, variants[i]);
        const struct run_fact *observed = run_fact_named(bench, "%s_" FACT_OBSERVED, variants[i]);

        if (expected == NULL || observed == NULL) {
            continue;
        }
        waits[count] = (struct inverted_wait){
            .variant = variants[i],
            .expected = expected->value,
            .observed = observed->value,
            .observed_error = minus(observed->value, expected->value),
        };
        if (traced) {
            trace_wait(&accounting, &waits[count]);
        }
        count++;
    }
    accounting_free(&accounting);
    return count;
}

/* ---- overload ---- */

/* counts of events and marks in one part of the trace */
struct part_count {
    uint64_t events;
    uint64_t before; /* events before the first mark */
    uint64_t marks;
    uint64_t behind; /* events after the last mark */
    uint64_t lost;   /* lost packets */
};

static void count_part(const struct run_bench *bench, const struct run_trace *trace,
                       struct part_count *count)
{
    struct trace_reader *reader = trace_reader_open(trace, 1);
    enum trace_reader_status status;
    struct trace_event event;
    struct trace_gap gap;

    *count = (struct part_count){0};
    while ((status = trace_reader_next(reader, &event, &gap)) == TRACE_EVENT ||
           status == TRACE_GAP) {
        if (status == TRACE_GAP) {
            count->lost += gap.packets;
            continue;
        }
        count->events++;
        if (is_mark(bench, &event, MARK_PRODUCED)) {
            count->marks++;
            count->behind = 0;
        } else if (count->marks == 0) {
            count->before++;
        } else {
            count->behind++;
        }
    }
    trace_reader_close(reader);
}

static bool is_countable(const struct part_count *count, const struct run_fact *produced,
                         const char **why)
{
    if (count->lost > 0) {
        *why = "packets of the trace are missing";
    } else if (count->marks == 0) {
        *why = "a part of the trace contains no mark";
    } else if (produced == NULL) {
        *why = "the fact with the number of marks made is missing";
    } else {
        return true;
    }
    return false;
}

bool task_overload(const struct run_bench *bench, struct overload *overload, const char **why)
{
    static const char *const modes[OVERLOAD_PARTS] = {TRACE_MODE_STOP, TRACE_MODE_OVERWRITE};
    struct part_count count[OVERLOAD_PARTS];

    if (bench->trace_count != OVERLOAD_PARTS) {
        *why = "the trace does not have two parts";
        return false;
    }
    for (size_t i = 0; i < OVERLOAD_PARTS; i++) {
        const struct run_trace *trace = &bench->traces[i];
        const struct run_fact *produced = run_fact_named(bench, MARK_PRODUCED "_%s", modes[i]);

        count_part(bench, trace, &count[i]);
        if (!is_countable(&count[i], produced, why)) {
            return false;
        }
        overload->part[i] = (struct overload_part){
            .mode = modes[i],
            .produced = produced->value,
            .marks = count[i].marks,
            .kept = trace->kept,
            .discarded = trace->discarded,
            .overwritten = trace->overwritten,
        };
    }
    overload->before = count[0].before;
    overload->behind = count[OVERLOAD_PARTS - 1].behind;
    for (size_t i = 0; i < OVERLOAD_PARTS; i++) {
        struct overload_part *part = &overload->part[i];
        const uint64_t others = overload->before + overload->behind;
        const uint64_t marks = count[i].events + part->discarded + part->overwritten - others;

        part->unaccounted = minus((int64_t)marks, part->produced);
    }
    return true;
}
