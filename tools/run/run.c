/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/clock/names.h"
#include "kernel/link/names.h"
#include "kernel/link/record.h"
#include "kernel/plan/number.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/clean_text.h"
#include "tools/base/trace_bytes.h"

#define BLOCK_SIZE           16384
#define FACT_NAME_MAX        128
#define SHOWN                120 /* longest part of a plan shown in a message */
#define PLAN_SENT_REASON_MAX 512

/* Texts are stored one after the other in blocks, which are freed all at once. */
struct run_block {
    struct run_block *next;
    size_t used, size;
    char bytes[];
};

void run_init(struct run *run)
{
    memset(run, 0, sizeof(*run));
}

static void free_bench(struct run_bench *bench)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        samples_free(&bench->series[i]);
        free(bench->series[i].ranges);
    }
    for (size_t i = 0; i < bench->trace_count; i++) {
        trace_bytes_close(bench->traces[i].packets);
    }
    free(bench->series);
    free(bench->expects);
    free(bench->params);
    free(bench->facts);
    free(bench->absents);
    free(bench->objects);
    free(bench->traces);
}

void run_forget(struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        for (struct run_reading *at = run->benches[i].readings, *next; at != NULL; at = next) {
            next = at->next;
            at->free(at);
        }
        run->benches[i].readings = NULL;
    }
}

void run_free(struct run *run)
{
    run_forget(run);
    for (size_t i = 0; i < run->bench_count; i++) {
        free_bench(&run->benches[i]);
    }
    for (size_t i = 0; i < run->crash_count; i++) {
        free(run->crashes[i].fields.item);
        free(run->crashes[i].frames);
    }
    for (struct run_block *block = run->memory, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(run->info.item);
    free(run->machine.item);
    free(run->sources);
    free(run->estimates);
    free(run->counters);
    free(run->events);
    free(run->benches);
    free(run->crashes);
    free(run->interrupts);
    free(run->errors.item);
    free(run->losses.item);
    run_init(run);
}

static char *text_room(struct run *run, size_t size)
{
    struct run_block *block = run->memory;

    if (block == NULL || size > block->size - block->used) {
        const size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;

        block = alloc_zeroed(sizeof(*block) + room);
        block->size = room;
        block->next = run->memory;
        run->memory = block;
    }
    char *text = block->bytes + block->used;

    block->used += size;
    return text;
}

const char *run_text(struct run *run, const char *text)
{
    if (text == NULL) {
        return NULL;
    }
    const size_t size = strlen(text) + 1;
    char *copy = memcpy(text_room(run, size), text, size);

    clean_text(copy, true);
    return copy;
}

const char *run_format(struct run *run, const char *format, ...)
{
    char line[RECORD_LINE_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    return run_text(run, line);
}

void run_add_text(struct run *run, struct run_texts *texts, const char *text)
{
    texts->item = alloc_grow(texts->item, &texts->capacity, texts->count + 1, sizeof(*texts->item));
    texts->item[texts->count++] = run_text(run, text);
}

__attribute__((format(printf, 3, 0))) static void
add_formatted(struct run *run, struct run_texts *texts, const char *format, va_list arguments)
{
    char line[RECORD_LINE_MAX];

    vsnprintf(line, sizeof(line), format, arguments);
    run_add_text(run, texts, line);
}

void run_add_loss(struct run *run, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_formatted(run, &run->losses, format, arguments);
    va_end(arguments);
}

void run_add_pair(struct run *run, struct run_pairs *pairs, const char *key, const char *value)
{
    pairs->item = alloc_grow(pairs->item, &pairs->capacity, pairs->count + 1, sizeof(*pairs->item));
    pairs->item[pairs->count++] =
        (struct run_pair){.key = run_text(run, key), .value = run_text(run, value)};
}

struct run_crash *run_add_crash(struct run *run)
{
    return ALLOC_NEXT(run->crashes, run->crash_count, run->crash_capacity);
}

struct run_series *run_add_series(struct run_bench *bench)
{
    return ALLOC_NEXT(bench->series, bench->series_count, bench->series_capacity);
}

uint64_t run_trace_records(const struct run_bench *bench)
{
    uint64_t records = 0;

    for (size_t i = 0; i < bench->trace_count; i++) {
        records += bench->traces[i].kept;
    }
    return records;
}

size_t run_part_processors(const struct run_bench *bench, size_t first)
{
    size_t end = first + 1;

    while (end < bench->trace_count && bench->traces[end].part == bench->traces[first].part) {
        end++;
    }
    return end - first;
}

struct run_trace run_part_bounds(const struct run_trace *traces, size_t count)
{
    struct run_trace bounds = traces[0];

    for (size_t i = 1; i < count; i++) {
        bounds.begin = traces[i].begin < bounds.begin ? traces[i].begin : bounds.begin;
        bounds.end = traces[i].end > bounds.end ? traces[i].end : bounds.end;
    }
    return bounds;
}

size_t run_processors(const struct run_bench *bench)
{
    size_t above = 1;

    for (size_t i = 0, count; i < bench->trace_count; i += count) {
        count = run_part_processors(bench, i);
        if (count > 1 && bench->traces[i + count - 1].cpu >= above) {
            above = (size_t)bench->traces[i + count - 1].cpu + 1;
        }
    }
    return above;
}

bool run_trace_follows(const struct run_bench *bench, size_t before, const struct run_trace *trace)
{
    if (trace->begin > trace->end) {
        return false;
    }
    if (before == 0) {
        return true;
    }
    const struct run_trace *last = &bench->traces[before - 1];

    if (trace->part == last->part) {
        return trace->cpu > last->cpu && trace->cpu < RUN_PROCESSORS_MAX;
    }
    /* after the traces of all processors of the part before */
    for (size_t i = before; i > 0 && bench->traces[i - 1].part == last->part; i--) {
        if (bench->traces[i - 1].end > trace->begin) {
            return false;
        }
    }
    return true;
}

struct run_trace *run_add_trace(struct run_bench *bench)
{
    return ALLOC_NEXT(bench->traces, bench->trace_count, bench->trace_capacity);
}

struct run_bench *run_add_bench(struct run *run, const char *name)
{
    struct run_bench *bench = ALLOC_NEXT(run->benches, run->bench_count, run->bench_capacity);

    bench->name = run_text(run, name);
    bench->pass = 1;
    return bench;
}

const char *run_pair_value(const struct run_pairs *pairs, const char *key)
{
    for (size_t i = 0; i < pairs->count; i++) {
        if (strcmp(pairs->item[i].key, key) == 0) {
            return pairs->item[i].value;
        }
    }
    return NULL;
}

struct run_bench *run_find_bench(const struct run *run, const char *name)
{
    struct run_bench *first = NULL;

    for (size_t i = 0; i < run->bench_count; i++) {
        struct run_bench *bench = &run->benches[i];

        if (strcmp(bench->name, name) == 0 && (first == NULL || bench->pass < first->pass)) {
            first = bench;
        }
    }
    return first;
}

struct run_bench *run_find_pass(const struct run *run, const char *name, uint32_t pass)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        if (run->benches[i].pass == pass && strcmp(run->benches[i].name, name) == 0) {
            return &run->benches[i];
        }
    }
    return NULL;
}

uint32_t run_pass_count(const struct run *run, const char *name)
{
    uint32_t highest = 0;

    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (bench->pass > highest && strcmp(bench->name, name) == 0) {
            highest = bench->pass;
        }
    }
    return highest;
}

bool run_bench_is(const struct run_bench *bench, const char *wanted)
{
    const size_t length = strlen(bench->name);
    char pass[16];

    if (wanted == NULL || strcmp(wanted, bench->name) == 0) {
        return true;
    }
    snprintf(pass, sizeof(pass), ":%" PRIu32, bench->pass);
    return strncmp(wanted, bench->name, length) == 0 && strcmp(wanted + length, pass) == 0;
}

const char *run_bench_label(const struct run *run, const struct run_bench *bench,
                            char label[RUN_LABEL_MAX])
{
    if (run_pass_count(run, bench->name) > 1) {
        snprintf(label, RUN_LABEL_MAX, "%.64s, run %" PRIu32, bench->name, bench->pass);
    } else {
        snprintf(label, RUN_LABEL_MAX, "%s", bench->name);
    }
    return label;
}

struct run_series *run_find_series(const struct run_bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        if (strcmp(bench->series[i].name, name) == 0) {
            return &bench->series[i];
        }
    }
    return NULL;
}

const struct run_series *run_find_whole(const struct run_bench *bench, const char *name)
{
    const struct run_series *series = run_find_series(bench, name);

    return series != NULL && run_series_whole(series) ? series : NULL;
}

const struct run_series *run_find_counts(const struct run_bench *bench, const char *of,
                                         const char *event)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];

        if (series->event != NULL && strcmp(series->event, event) == 0 &&
            strcmp(series->of, of) == 0) {
            return series;
        }
    }
    return NULL;
}

const struct run_fact *run_find_fact(const struct run_bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->fact_count; i++) {
        if (strcmp(bench->facts[i].name, name) == 0) {
            return &bench->facts[i];
        }
    }
    return NULL;
}

int64_t run_fact_or(const struct run_bench *bench, const char *name, int64_t otherwise)
{
    const struct run_fact *fact = run_find_fact(bench, name);

    return fact != NULL ? fact->value : otherwise;
}

const struct run_expect *run_find_expect(const struct run_bench *bench, const char *series)
{
    for (size_t i = 0; i < bench->expect_count; i++) {
        if (strcmp(bench->expects[i].series, series) == 0) {
            return &bench->expects[i];
        }
    }
    return NULL;
}

const char *run_find_param(const struct run_bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->param_count; i++) {
        if (strcmp(bench->params[i].name, name) == 0) {
            return bench->params[i].value;
        }
    }
    return NULL;
}

#define NAME_BYTES 256

const struct run_series *run_series_named(const struct run_bench *bench, const char *format, ...)
{
    char name[NAME_BYTES];
    va_list values;

    va_start(values, format);
    vsnprintf(name, sizeof(name), format, values);
    va_end(values);
    return run_find_series(bench, name);
}

const struct run_fact *run_fact_named(const struct run_bench *bench, const char *format, ...)
{
    char name[NAME_BYTES];
    va_list values;

    va_start(values, format);
    vsnprintf(name, sizeof(name), format, values);
    va_end(values);
    return run_find_fact(bench, name);
}

bool run_param_is_found(const struct run_param *param)
{
    return param->origin != NULL && strcmp(param->origin, ORIGIN_FOUND) == 0;
}

double run_ns_per_tick(const struct run *run)
{
    return run->verdict.present && run->verdict.ok ? 1e9 / (double)run->verdict.hz : 0;
}

double run_ticks_per_instruction(const struct run *run)
{
    const char *kind = run_pair_value(&run->info, INFO_KIND);
    const char *ticks = run_pair_value(&run->info, INFO_TICKS_PER_INSTRUCTION);
    uint64_t value;

    return kind != NULL &&
                   (strcmp(kind, TIME_EXACT) == 0 || strcmp(kind, TIME_EXACT_SHARED) == 0) &&
                   ticks != NULL && parse_unsigned(ticks, &value)
               ? (double)value
               : 0;
}

const char *run_object_name(const struct run_bench *bench, const char *kind, uint32_t id)
{
    for (size_t i = 0; i < bench->object_count; i++) {
        if (bench->objects[i].id == id && strcmp(bench->objects[i].kind, kind) == 0) {
            return bench->objects[i].name;
        }
    }
    return NULL;
}

bool run_is_leave_out_fact(const struct run_fact *fact)
{
    return strncmp(fact->name, FACT_SAMPLED_BEFORE, strlen(FACT_SAMPLED_BEFORE)) == 0;
}

void run_leave_out(struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        for (size_t k = 0; k < run->benches[i].series_count; k++) {
            struct run_series *series = &run->benches[i].series[k];
            char name[FACT_NAME_MAX];

            snprintf(name, sizeof(name), FACT_SAMPLED_BEFORE "%s",
                     series->of != NULL ? series->of : series->name);
            const int64_t before = run_fact_or(&run->benches[i], name, -1);

            if (before >= 0 && before < (int64_t)series->n) {
                run_forget(run);
                series_leave_out(series, (uint32_t)before);
            }
        }
    }
}

__attribute__((format(printf, 3, 4))) static void
add_reason(struct run *run, struct run_texts *reasons, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_formatted(run, reasons, format, arguments);
    va_end(arguments);
}

/* In exact time, QEMU's TSC counts ns of virtual time, and an instruction takes 2^shift of them. */
static void check_shift(struct run *run, struct run_texts *reasons)
{
    const char *shift = run_pair_value(&run->info, INFO_EMULATOR_SHIFT);
    const double ticks = run_ticks_per_instruction(run);
    uint64_t asked;

    if (shift != NULL && parse_unsigned(shift, &asked) && asked < 64 && ticks > 0 &&
        fabs(ticks - exp2((double)asked)) > 0) {
        add_reason(run, reasons,
                   "exact time: requested %.0f ticks per instruction, but the image found %.0f: "
                   "another -icount reached QEMU; set the rate with --shift",
                   exp2((double)asked), ticks);
    }
}

/* Compares the time base that `tare boot` requested from QEMU with the one that the image found. */
static void check_kind(struct run *run, struct run_texts *reasons)
{
    const char *kind = run_pair_value(&run->info, INFO_KIND);
    const char *asked = run_pair_value(&run->info, INFO_EMULATOR_TIME);

    if (kind == NULL) {
        add_reason(run, reasons, "time base unknown");
    } else if (asked != NULL && strcmp(asked, TIME_EXACT) == 0 && strcmp(kind, TIME_EXACT) != 0) {
        add_reason(
            run, reasons,
            run_ticks_per_instruction(run) > 0
                ? "exact time was requested, but the image found %s time: something else executes "
                  "instructions, such as SMIs or a hypervisor"
                : "exact time was requested, but the image found %s time: -icount did not reach "
                  "QEMU, or its rate changes; boot without options that drop or replace it, or "
                  "with --mode real",
            kind);
    }
    check_shift(run, reasons);
}

static void check_verdict(struct run *run, struct run_texts *reasons)
{
    const char *reason = run->verdict.reason != NULL ? run->verdict.reason : "no reason given";

    /* A machine with only one clock cannot contradict itself, so this is no reason. Benches that
     * need a verified rate do not run there. */
    if (!run->verdict.present) {
        add_reason(run, reasons, "no clock verdict");
    } else if (!run->verdict.ok && strcmp(reason, VERDICT_ALONE) != 0) {
        add_reason(run, reasons, "clock not verified: %s", reason);
    }
}

/*
 * A plan and its source: the plan that ran, or the one that `tare boot` sent. The image takes a
 * plan from another source if it does not find the one that was sent. Such a run does not answer
 * the question that was asked.
 */

struct plan_given {
    const char *source; /* source as in the log, for example "fw_cfg"; NULL: unknown */
    const char *text;   /* NULL: unknown */
};

/* Do the plans differ in source or text? If the log has losses (`lossy`), a difference in the text
 * proves nothing. If the source is unknown, nothing is reported. */
static bool plan_sent_differs(const struct plan_given *ran, const struct plan_given *sent,
                              bool lossy)
{
    if (ran->source == NULL) {
        return false;
    }
    const bool same_text =
        ran->text != NULL && sent->text != NULL && strcmp(ran->text, sent->text) == 0;

    return strcmp(ran->source, sent->source) != 0 || (!same_text && !lossy);
}

/* Returns the start of the line with the first difference, or 0 if there is none. */
static size_t first_difference(const char *ran, const char *sent)
{
    size_t line = 0;
    size_t i = 0;

    for (; ran[i] == sent[i] && ran[i] != '\0'; i++) {
        line = ran[i] == '\n' ? i + 1 : line;
    }
    return ran[i] == sent[i] ? 0 : line;
}

/* Writes at most SHOWN characters of a plan as one quoted line, with blanks instead of line ends.
 */
static void write_plan(const char *plan, size_t from, char shown[SHOWN + 16])
{
    const size_t length = strlen(plan + from);
    const size_t end = length > 0 && plan[from + length - 1] == '\n' ? length - 1 : length;

    snprintf(shown, SHOWN + 16, "\"%s%.*s%s\"", from > 0 ? "..." : "",
             (int)(end < SHOWN ? end : SHOWN), plan + from, end > SHOWN ? "..." : "");
    for (char *at = shown; (at = strpbrk(at, "\r\n\t")) != NULL;) {
        *at = ' ';
    }
}

/* Writes one line that names both plans, starting at the line of their first difference and cut if
 * long. */
static void plan_sent_reason(const struct plan_given *ran, const struct plan_given *sent,
                             char reason[PLAN_SENT_REASON_MAX])
{
    const char *text = ran->text != NULL ? ran->text : "";
    const size_t from = first_difference(text, sent->text);
    char ran_shown[SHOWN + 16];
    char sent_shown[SHOWN + 16];

    write_plan(text, from, ran_shown);
    write_plan(sent->text, from, sent_shown);
    snprintf(reason, PLAN_SENT_REASON_MAX,
             "the plan that ran is not the one that was sent: ran %s from %.20s, sent %s by %.20s",
             ran_shown, ran->source != NULL ? ran->source : "an unknown source", sent_shown,
             sent->source);
}

void run_note_sent_plan(struct run *run, const char *source, const char *text)
{
    const struct plan_given ran = {run->plan_source, run->plan_text};
    /* the text with the same replacements as the text that ran */
    const struct plan_given sent = {source, run_text(run, text)};

    if (plan_sent_differs(&ran, &sent, run->losses.count > 0)) {
        run_add_pair(run, &run->info, INFO_PLAN_SENT_SOURCE, sent.source);
        run_add_pair(run, &run->info, INFO_PLAN_SENT, sent.text);
    }
}

/* Checks what `tare boot` recorded in addition to the log: a different plan that it sent, and
 * whether QEMU was stopped. */
static void check_boot(struct run *run, struct run_texts *reasons)
{
    const struct plan_given ran = {run->plan_source, run->plan_text};
    const struct plan_given sent = {run_pair_value(&run->info, INFO_PLAN_SENT_SOURCE),
                                    run_pair_value(&run->info, INFO_PLAN_SENT)};
    char reason[PLAN_SENT_REASON_MAX];

    if (sent.source != NULL && sent.text != NULL) {
        plan_sent_reason(&ran, &sent, reason);
        add_reason(run, reasons, "%s", reason);
    }
    for (size_t i = 0; i < run->info.count; i++) {
        if (strcmp(run->info.item[i].key, INFO_EMULATOR_STOPPED) == 0) {
            add_reason(run, reasons, "%s: the machine was stopped; boot again without stopping it",
                       run->info.item[i].value);
        }
    }
}

bool run_valid(struct run *run, struct run_texts *reasons)
{
    const size_t before = reasons->count;

    for (size_t i = 0; i < run->errors.count; i++) {
        add_reason(run, reasons, "%s", run->errors.item[i]);
    }
    if (!run->ended) {
        add_reason(run, reasons, "no END frame: the log is incomplete");
    }
    if (run->losses.count > 0) {
        add_reason(run, reasons, "%s%s", run->losses.item[0],
                   run->losses.count > 1 ? " (and more losses)" : "");
    }
    check_boot(run, reasons);
    /* After an error, the rest is expected to be missing. */
    if (run->errors.count == 0) {
        check_verdict(run, reasons);
        check_kind(run, reasons);
        if (run->bench_count == 0) {
            add_reason(run, reasons, "no bench ran");
        }
    }
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        char label[RUN_LABEL_MAX];

        if (strcmp(bench->state, STATE_OK) != 0 && strcmp(bench->state, STATE_SKIP) != 0) {
            add_reason(run, reasons, "%s: %s%s%s", run_bench_label(run, bench, label), bench->state,
                       bench->reason != NULL ? ", " : "",
                       bench->reason != NULL ? bench->reason : "");
        }
    }
    run_rejudge(run, reasons);
    return reasons->count == before;
}

void run_texts_free(struct run_texts *texts)
{
    free(texts->item);
    memset(texts, 0, sizeof(*texts));
}
