/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/assembly.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/codec.h"
#include "kernel/link/names.h"
#include "kernel/link/series_codec.h"
#include "kernel/plan/version.h"
#include "kernel/pmu/event.h"
#include "kernel/pmu/names.h"
#include "kernel/run/names.h"
#include "kernel/trace/packet.h"
#include "tools/base/alloc.h"
#include "tools/base/clean_text.h"
#include "tools/base/sort.h"
#include "tools/run/records.h"

/* Largest number of pairs from the log; the rest is kept for information from elsewhere. */
#define INFO_MAX (RUN_PAIRS_MAX / 2)

void assembly_init(struct assembly *assembly, struct run *run)
{
    memset(assembly, 0, sizeof(*assembly));
    assembly->run = run;
}

void assembly_free(struct assembly *assembly)
{
    free(assembly->open);
    free(assembly->batches);
    free(assembly->traces);
    free(assembly->plan);
}

/* Returns the text of a key; an empty text counts as absent. */
static const char *text_field(struct run *run, const struct record *record, const char *key)
{
    const char *text = record_value(record, key);

    return text != NULL && text[0] != '\0' ? run_text(run, text) : NULL;
}

/* Handlers, one for each record. They return false if a required key is absent or malformed. */

static bool all_fields(struct run *run, struct run_pairs *pairs, const struct record *record)
{
    for (size_t i = 0; i < record->count; i++) {
        run_add_pair(run, pairs, record->fields[i].key, record->fields[i].value);
    }
    return true;
}

static bool read_tare(struct assembly *assembly, const struct record *record)
{
    uint64_t format;
    uint64_t codec;

    if (record_value_unsigned(record, FIELD_CODEC, &codec) && codec > CODEC_VERSION) {
        run_add_loss(assembly->run, "codec %" PRIu64 ": this tare knows codecs up to %d", codec,
                     CODEC_VERSION);
    }

    if (record_value_unsigned(record, INFO_FORMAT, &format) && format > TARE_LOG_FORMAT) {
        run_add_loss(assembly->run, "log format %" PRIu64 ": this tare knows formats up to %d",
                     format, TARE_LOG_FORMAT);
    }
    return assembly->run->info.count < INFO_MAX &&
           all_fields(assembly->run, &assembly->run->info, record);
}

/* The ownership of the machine is not a fact about the machine, so run files and JSON use another
 * name for it. */
static bool read_run(struct assembly *assembly, const struct record *record)
{
    struct run *run = assembly->run;

    if (run->info.count >= INFO_MAX) {
        return false;
    }
    for (size_t i = 0; i < record->count; i++) {
        const struct record_field *field = &record->fields[i];

        run_add_pair(run, &run->info,
                     strcmp(field->key, INFO_MACHINE) == 0 ? "ownership" : field->key,
                     field->value);
    }
    return true;
}

/* A plan may be longer than a record. Its parts from several records are joined. */
static bool read_plan(struct assembly *assembly, const struct record *record)
{
    struct run *run = assembly->run;
    const char *text = record_value(record, FIELD_TEXT);
    const char *source = record_value(record, FIELD_SOURCE);

    if (run->plan_source != NULL && source != NULL && strcmp(run->plan_source, source) != 0) {
        return false;
    }
    if (run->plan_source == NULL) {
        run->plan_source = run_text(run, source);
    }
    if (text != NULL) {
        const size_t length = strlen(text);

        assembly->plan = alloc_grow(assembly->plan, &assembly->plan_capacity,
                                    assembly->plan_length + length + 1, 1);
        memcpy(assembly->plan + assembly->plan_length, text, length);
        assembly->plan_length += length;
    }
    return true;
}

static bool read_machine(struct assembly *assembly, const struct record *record)
{
    const char *name = record_value(record, FIELD_NAME);

    if (name == NULL || assembly->run->machine.count == RUN_PAIRS_MAX) {
        return false;
    }
    run_add_pair(assembly->run, &assembly->run->machine, name, record_value(record, FIELD_VALUE));
    return true;
}

/* Reads the value of one field from a record. Returns false if it is malformed. */
static bool read_value(const struct run_field *field, const struct record *record,
                       struct run_value *value)
{
    static const struct {
        uint64_t least, most;
    } range[] = {
        [TYPE_UNSIGNED] = {0, UINT64_MAX},
        [TYPE_NUMBER] = {0, UINT32_MAX},
        [TYPE_PASS] = {1, UINT32_MAX},
        [TYPE_BITS] = {0, 64},
        [TYPE_FLAG] = {0, 1},
    };
    const char *text = record_value(record, field->name);
    uint64_t number;

    value->present = text != NULL && (field->type != TYPE_TEXT || text[0] != '\0');
    if (!value->present || run_field_is_text(field)) {
        value->text = value->present ? text : NULL;
        return true;
    }
    if (field->type == TYPE_SIGNED) {
        return record_value_signed(record, field->name, &value->number);
    }
    if (!record_value_up_to(record, field->name, range[field->type].most, &number) ||
        number < range[field->type].least) {
        return false;
    }
    value->number = (int64_t)number;
    return true;
}

/* Fills in an item or a bench. Returns false if a field is malformed, or required but missing. */
static bool read_fields(struct run *run, const struct run_record *form, const struct record *record,
                        void *item)
{
    for (size_t i = 0; i < form->count; i++) {
        struct run_value value = {0};

        if (!read_value(&form->field[i], record, &value)) {
            return false;
        }
        value.text = run_text(run, value.text);
        if (!run_field_set(&form->field[i], item, &value)) {
            return false;
        }
    }
    return true;
}

static bool read_of_run(struct assembly *assembly, const struct run_record *form,
                        const struct record *record)
{
    union run_item item = {0};

    return read_fields(assembly->run, form, record, &item) &&
           run_item_take(form, assembly->run, &item) != RUN_REFUSED;
}

static bool read_event(struct assembly *assembly, const struct run_record *form,
                       const struct record *record)
{
    const char *state = record_value(record, FIELD_STATE);

    return state != NULL &&
           (strcmp(state, EVENT_STATE_COUNTED) == 0 || strcmp(state, EVENT_STATE_ABSENT) == 0) &&
           read_of_run(assembly, form, record);
}

static struct run_bench *add_pass(struct run *run, const char *name, uint32_t pass)
{
    struct run_bench *bench = run_add_bench(run, name);

    bench->pass = pass;
    return bench;
}

/* Returns the bench and pass that a record names, adding it if its own record was lost. Returns
 * NULL if there are too many already. */
static struct run_bench *bench_of(struct assembly *assembly, const struct record *record)
{
    const char *name = record_value(record, FIELD_BENCH);
    uint32_t pass;

    if (name == NULL || !record_pass(record, &pass)) {
        return NULL;
    }
    struct run *run = assembly->run;
    struct run_bench *bench = run_find_pass(run, name, pass);

    return bench != NULL || run->bench_count == RUN_BENCHES_MAX ? bench : add_pass(run, name, pass);
}

static bool read_bench(struct assembly *assembly, const struct record *record)
{
    struct run *run = assembly->run;
    const char *name = record_value(record, FIELD_NAME);
    uint32_t pass;

    if (name == NULL || !record_pass(record, &pass) || run->bench_count == RUN_BENCHES_MAX ||
        run_find_pass(run, name, pass) != NULL) {
        return false;
    }
    return read_fields(run, &run_bench_record, record, add_pass(run, name, pass));
}

static bool read_of_bench(struct assembly *assembly, const struct run_record *form,
                          const struct record *record)
{
    union run_item item = {0};

    if (!read_fields(assembly->run, form, record, &item)) {
        return false;
    }
    struct run_bench *bench = bench_of(assembly, record);

    return bench != NULL && run_item_take(form, bench, &item) != RUN_REFUSED;
}

static bool stream_is_taken(const struct assembly *assembly, uint16_t stream)
{
    return (assembly->streams[stream / 8] >> stream % 8 & 1) != 0;
}

static void take_stream(struct assembly *assembly, uint16_t stream)
{
    assembly->streams[stream / 8] |= (uint8_t)(1u << stream % 8);
}

static bool read_series(struct assembly *assembly, const struct record *record)
{
    struct run *run = assembly->run;
    const char *name = record_value(record, FIELD_NAME);
    const char *of = text_field(run, record, FIELD_OF);
    const char *event = text_field(run, record, FIELD_EVENT);
    struct series_claim claim;

    if (name == NULL || !series_claim_read(record, &claim) ||
        stream_is_taken(assembly, claim.stream) || (of == NULL) != (event == NULL)) {
        return false;
    }
    struct run_bench *bench = bench_of(assembly, record);

    if (bench == NULL || bench->series_count == RUN_SERIES_MAX ||
        run_find_series(bench, name) != NULL ||
        (of != NULL && run_find_counts(bench, of, event) != NULL)) {
        return false;
    }
    take_stream(assembly, claim.stream);
    *run_add_series(bench) = (struct run_series){
        .stream = claim.stream,
        .name = run_text(run, name),
        .unit = text_field(run, record, FIELD_UNIT),
        .of = of,
        .event = event,
        .n = claim.n,
        .crc = claim.crc,
    };
    *ALLOC_NEXT(assembly->open, assembly->open_count, assembly->open_capacity) =
        (struct open_series){
            .claim = claim,
            .bench = (size_t)(bench - run->benches),
            .series = bench->series_count - 1,
        };
    return true;
}

static void add_batch(struct assembly *assembly, struct batch_claim claim)
{
    *ALLOC_NEXT(assembly->batches, assembly->batch_count, assembly->batch_capacity) = claim;
}

static bool read_batch(struct assembly *assembly, const struct record *record)
{
    struct batch_claim claim;

    if (!batch_claim_read(record, &claim) || stream_is_taken(assembly, claim.stream)) {
        return false;
    }
    take_stream(assembly, claim.stream);
    add_batch(assembly, claim);
    return true;
}

/* Images older than the field dpc_trail used isr_trail for both. */
static bool read_dpc_trail(const struct record *record, struct run_trace_costs *costs)
{
    costs->dpc_trail = costs->isr_trail;
    return record_value(record, FIELD_DPC_TRAIL) == NULL ||
           claim_number(record, FIELD_DPC_TRAIL, &costs->dpc_trail);
}

static bool read_costs(const struct record *record, struct run_trace_costs *costs)
{
    return claim_number(record, FIELD_RECORD, &costs->record) &&
           claim_number(record, FIELD_LEAD, &costs->lead) &&
           claim_number(record, FIELD_EXTENDED, &costs->extended) &&
           claim_number(record, FIELD_ISR_LEAD, &costs->isr_lead) &&
           claim_number(record, FIELD_ISR_TRAIL, &costs->isr_trail) &&
           read_dpc_trail(record, costs) &&
           claim_number(record, FIELD_SWITCH_TRAIL, &costs->switch_trail);
}

/* Reads what a `trace` record states beyond its claim. Returns false if a value is missing or
 * impossible: each record that was kept takes at least its header. */
static bool read_trace_texts(struct run *run, const struct record *record, struct run_trace *trace)
{
    trace->mode = text_field(run, record, FIELD_MODE);
    return trace->mode != NULL && claim_number(record, FIELD_PART, &trace->part) &&
           trace->part > 0 && claim_number(record, FIELD_CPU, &trace->cpu) &&
           record_value_unsigned(record, FIELD_BEGIN, &trace->begin) &&
           record_value_unsigned(record, FIELD_END, &trace->end) &&
           record_value_up_to(record, FIELD_KEPT, trace->claimed / TRACE_HEADER_COMPACT,
                              &trace->kept) &&
           record_value_unsigned(record, FIELD_DISCARDED, &trace->discarded) &&
           record_value_unsigned(record, FIELD_OVERWRITTEN, &trace->overwritten) &&
           read_costs(record, &trace->costs);
}

/* Has the bench this part, apart from its last one, which other processors may continue? */
static bool has_part(const struct run_bench *bench, uint32_t part)
{
    return SEARCH_ANY(i, bench->trace_count,
                      bench->traces[i].part == part &&
                          bench->traces[bench->trace_count - 1].part != part);
}

static bool read_trace(struct assembly *assembly, const struct record *record)
{
    struct trace_claim claim;

    if (!trace_claim_read(record, &claim) || stream_is_taken(assembly, claim.stream)) {
        return false;
    }
    struct run_trace trace = {
        .stream = claim.stream, .packet_bytes = TRACE_PACKET_BYTES, .claimed = claim.bytes};
    struct run_bench *bench;

    if (!read_trace_texts(assembly->run, record, &trace) ||
        (bench = bench_of(assembly, record)) == NULL || has_part(bench, trace.part) ||
        !run_trace_follows(bench, bench->trace_count, &trace)) {
        return false;
    }
    take_stream(assembly, claim.stream);
    *run_add_trace(bench) = trace;
    *ALLOC_NEXT(assembly->traces, assembly->trace_count, assembly->trace_capacity) =
        (struct open_trace){
            .claim = claim,
            .bench = (size_t)(bench - assembly->run->benches),
            .trace = bench->trace_count - 1,
        };
    return true;
}

static bool is_state(const char *text)
{
    static const char *const states[] = {STATE_OK, STATE_SKIP, STATE_ERROR, STATE_FAIL,
                                         STATE_CRASH};

    return SEARCH_ANY(i, sizeof(states) / sizeof(states[0]), strcmp(text, states[i]) == 0);
}

static bool read_status(struct assembly *assembly, const struct record *record)
{
    const char *state = record_value(record, FIELD_STATE);
    struct run_bench *bench = bench_of(assembly, record);

    if (bench == NULL || bench->state != NULL || state == NULL || !is_state(state)) {
        return false;
    }
    return read_fields(assembly->run, &run_status_record, record, bench);
}

static bool read_crash(struct assembly *assembly, const struct record *record)
{
    assembly->in_crash = record->count > 0;
    if (!assembly->in_crash) {
        return false;
    }
    return all_fields(assembly->run, &run_add_crash(assembly->run)->fields, record);
}

static bool read_frame(struct assembly *assembly, const struct record *record)
{
    struct run *run = assembly->run;
    union run_item item = {0};

    return assembly->in_crash && read_fields(run, &run_frame_record, record, &item) &&
           run_item_take(&run_frame_record, &run->crashes[run->crash_count - 1], &item) ==
               RUN_ADDED;
}

static bool read_error(struct assembly *assembly, const struct record *record)
{
    const char *text = record_value(record, FIELD_TEXT);

    run_add_text(assembly->run, &assembly->run->errors, text != NULL ? text : "error without text");
    return true;
}

static const struct {
    const char *name;
    bool (*read)(struct assembly *assembly, const struct record *record);
} handlers[] = {
    {RECORD_TARE, read_tare},   {RECORD_RUN, read_run},       {RECORD_PLAN, read_plan},
    {RECORD_BENCH, read_bench}, {RECORD_SERIES, read_series}, {RECORD_STATUS, read_status},
    {RECORD_CRASH, read_crash}, {RECORD_FRAME, read_frame},   {RECORD_ERROR, read_error},
    {RECORD_TRACE, read_trace}, {RECORD_BATCH, read_batch},   {RECORD_MACHINE, read_machine},
};

/* Records that need nothing except the tables of their fields. */
static const struct {
    const struct run_record *form;
    bool (*read)(struct assembly *assembly, const struct run_record *form,
                 const struct record *record);
} forms[] = {
    {&run_fact_record, read_of_bench},    {&run_param_record, read_of_bench},
    {&run_expect_record, read_of_bench},  {&run_object_record, read_of_bench},
    {&run_absent_record, read_of_bench},  {&run_event_record, read_event},
    {&run_counter_record, read_of_run},   {&run_source_record, read_of_run},
    {&run_estimate_record, read_of_run},  {&run_verdict_record, read_of_run},
    {&run_interrupt_record, read_of_run},
};

static bool apply(struct assembly *assembly, const struct record *record)
{
    for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
        if (strcmp(record->name, handlers[i].name) == 0) {
            return handlers[i].read(assembly, record);
        }
    }
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (strcmp(record->name, forms[i].form->name) == 0) {
            return forms[i].read(assembly, forms[i].form, record);
        }
    }
    return true; /* a record of a later version */
}

/* Adds only one line for a whole frame, so that a damaged frame does not produce many. */
static void add_bad_record(struct assembly *assembly, uint32_t seq, const char *name)
{
    run_add_loss(assembly->run,
                 "META frame %" PRIu32
                 ": record \"%.40s\" is damaged or contradicts an earlier record",
                 seq, name);
}

void assembly_meta(struct assembly *assembly, uint32_t seq, const uint8_t *text, size_t length)
{
    struct record_lines lines;
    struct record record;
    bool parsed;
    bool complained = false;

    record_lines_open(&lines, text, length);
    while (record_lines_next(&lines, &record, &parsed)) {
        if (!(parsed && apply(assembly, &record)) && !complained) {
            add_bad_record(assembly, seq, parsed ? record.name : "?");
            complained = true;
        }
    }
}

void assembly_meta_lost(struct assembly *assembly, uint32_t first, uint32_t count)
{
    assembly->in_crash = false;
    if (count == 1) {
        run_add_loss(assembly->run, "META frame %" PRIu32 " lost: the records in it are missing",
                     first);
        return;
    }
    run_add_loss(assembly->run,
                 "META frames %" PRIu32 "..%" PRIu32 " lost: the records in them are missing",
                 first, first + (count - 1));
}

/* Checks counts. They are matched with their series by index, so they are invalid if the number of
 * samples differs. */
static void check_counts(struct run *run, const struct run_bench *bench)
{
    char label[RUN_LABEL_MAX];

    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *counts = &bench->series[i];
        const struct run_series *of =
            counts->of != NULL ? run_find_series(bench, counts->of) : NULL;

        if (of != NULL && of->n != counts->n) {
            run_add_loss(run, "%s: series %.64s counts %" PRIu32 " samples, but %.64s has %" PRIu32,
                         run_bench_label(run, bench, label), counts->name, counts->n, of->name,
                         of->n);
        }
    }
}

void assembly_close_benches(struct assembly *assembly, const struct live_noise *progress)
{
    struct run *run = assembly->run;

    if (assembly->plan != NULL) {
        assembly->plan[assembly->plan_length] = '\0';
        run->plan_text = run_text(run, assembly->plan);
    }
    for (size_t i = 0; i < run->bench_count; i++) {
        struct run_bench *bench = &run->benches[i];

        if (bench->state == NULL) {
            const char *partial = live_noise_partial(progress, run, bench);

            bench->state = STATE_ERROR;
            bench->reason = partial != NULL ? partial : "did not report";
        }
        check_counts(run, bench);
    }
}

/* Writes "a+b", as the image writes the codes of a sum. */
static void codes_text(const struct event_row *row,
                       char text[EVENT_CODES_MAX * EVENT_CODE_TEXT_MAX])
{
    char second[EVENT_CODE_TEXT_MAX] = "";

    event_code_text(&row->code[0], text);
    if (row->code_count > 1) {
        strcat(strcat(text, "+"), event_code_text(&row->code[1], second));
    }
}

void assembly_name_events(struct assembly *assembly)
{
    struct run *run = assembly->run;
    const char *name = run_pair_value(&run->machine, FACT_PMU_EVENTS);
    const struct event_table *table = name != NULL ? event_table_named(name) : NULL;

    for (size_t i = 0; i < run->event_count && table != NULL; i++) {
        struct run_event *event = &run->events[i];
        char codes[EVENT_CODES_MAX * EVENT_CODE_TEXT_MAX];
        enum portable_event portable;

        if (event->manual != NULL || event->code == NULL ||
            !event_by_name(event->name, &portable) || table->row[portable].code_count == 0) {
            continue;
        }
        codes_text(&table->row[portable], codes);
        if (strcmp(codes, event->code) == 0) {
            event->manual = run_text(run, table->row[portable].manual);
            event->note = run_text(run, table->row[portable].note);
        }
    }
}

/* Largest number of bytes of samples on the heap; further series go to files. */
#define HEAP_SAMPLES_MAX (8 << 20)

/* Reserves space on the heap for this many samples, if there is enough. */
static bool take_heap(struct assembly *assembly, uint64_t samples)
{
    const uint64_t size = samples * sizeof(int64_t);

    if (size > HEAP_SAMPLES_MAX - assembly->heap_samples) {
        return false;
    }
    assembly->heap_samples += size;
    return true;
}

/* Writes the text with which losses of a series begin. */
#define SERIES_NAME_MAX 192

static void name_series(const struct run *run, const struct run_bench *bench,
                        const struct run_series *series, char name[SERIES_NAME_MAX])
{
    char label[RUN_LABEL_MAX];

    snprintf(name, SERIES_NAME_MAX, "stream %u (%s/%s)", series->stream,
             run_bench_label(run, bench, label), series->name);
}

static int compare_streams(const void *left, const void *right)
{
    const struct open_series *a = left;
    const struct open_series *b = right;
    const int of_batches = (a->claim.batch > b->claim.batch) - (a->claim.batch < b->claim.batch);

    return of_batches != 0
               ? of_batches
               : (a->claim.stream > b->claim.stream) - (a->claim.stream < b->claim.stream);
}

/* Sorts the series by batch and stream, so that find_batch() finds all series of a batch next to
 * each other. */
void assembly_close_batches(struct assembly *assembly)
{
    if (assembly->open_count > 0) {
        sort_stable(assembly->open, assembly->open_count, sizeof(*assembly->open), compare_streams);
    }
    for (size_t i = 0; i < assembly->open_count; i++) {
        const uint16_t batch = assembly->open[i].claim.batch;

        if (!stream_is_taken(assembly, batch)) {
            take_stream(assembly, batch);
            add_batch(assembly, (struct batch_claim){.stream = batch});
        }
    }
}

/* Returns the index of the first series of a batch in assembly->open, and stores their number. */
static size_t find_batch(const struct assembly *assembly, uint16_t batch, size_t *count)
{
    const size_t low = SEARCH_COUNT(i, assembly->open_count, assembly->open[i].claim.batch < batch);

    *count = 0;
    while (low + *count < assembly->open_count &&
           assembly->open[low + *count].claim.batch == batch) {
        ++*count;
    }
    return low;
}

void assembly_batch(struct assembly *assembly, const struct batch_claim *claim, struct spool *spool,
                    const struct sample_frame *frames, size_t count)
{
    struct run *run = assembly->run;
    size_t series_count;
    const size_t first = find_batch(assembly, claim->stream, &series_count);
    struct batch_member *members = alloc_zeroed((series_count + 1) * sizeof(*members));
    char(*names)[SERIES_NAME_MAX] = alloc_zeroed((series_count + 1) * sizeof(*names));

    for (size_t i = 0; i < series_count; i++) {
        const struct open_series *open = &assembly->open[first + i];
        struct run_bench *bench = &run->benches[open->bench];
        struct run_series *series = &bench->series[open->series];
        const uint64_t most = (uint64_t)count * SERIES_CODEC_SAMPLES_MAX;

        name_series(run, bench, series, names[i]);
        members[i] = (struct batch_member){
            .claim = &open->claim,
            .series = series,
            .name = names[i],
            .in_file = !take_heap(assembly, open->claim.n < most ? open->claim.n : most),
        };
    }
    batch_assemble(run, claim, members, series_count, spool, frames, count, assembly->mixed);
    free(names);
    free(members);
}

void assembly_trace(struct assembly *assembly, const struct open_trace *open, struct spool *spool,
                    const struct trace_frame *frames, size_t count)
{
    struct run *run = assembly->run;
    struct run_bench *bench = &run->benches[open->bench];
    struct run_trace *trace = &bench->traces[open->trace];
    char label[RUN_LABEL_MAX];
    char name[RUN_LABEL_MAX + 32];

    snprintf(name, sizeof(name), "%s: trace part %" PRIu32, run_bench_label(run, bench, label),
             trace->part);
    trace_assemble(run, trace, name, &open->claim, spool, frames, count, assembly->mixed);
}

/* ---- lines of records ---- */

void record_lines_open(struct record_lines *lines, const uint8_t *text, size_t length)
{
    memcpy(lines->text, text, length);
    lines->text[length] = '\0';
    lines->next = lines->text;
    lines->end = lines->text + length;
}

/* Makes values safe to show, before any two are compared. A plan comes in parts, which may end
 * within a character; it is cleaned when it is complete. A parameter with a text in braces, such as
 * a model's program, may contain line ends. */
static void clean_values(struct record_lines *lines, const struct record *record)
{
    const bool has_lines = strcmp(record->name, RECORD_PARAM) == 0;

    for (size_t i = 0; i < record->count && strcmp(record->name, RECORD_PLAN) != 0; i++) {
        clean_text(lines->text + (record->fields[i].value - lines->text), has_lines);
    }
}

bool record_lines_next(struct record_lines *lines, struct record *record, bool *parsed)
{
    if (lines->next >= lines->end) {
        return false;
    }
    char *const line = lines->next;
    char *const lf = memchr(line, '\n', (size_t)(lines->end - line));
    char *const stop = lf != NULL ? lf : lines->end;

    lines->next = stop + 1;
    *parsed = record_parse(line, (size_t)(stop - line), record);
    if (*parsed) {
        clean_values(lines, record);
    }
    return true;
}
