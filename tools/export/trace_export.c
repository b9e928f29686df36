/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/trace_export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/encoding.h"
#include "kernel/link/names.h"
#include "tools/base/alloc.h"
#include "tools/base/csv.h"
#include "tools/base/interrupt.h"
#include "tools/base/sort.h"
#include "tools/export/ctf_writer.h"
#include "tools/export/perfetto_trace.h"
#include "tools/export/trace_translate.h"
#include "tools/run/run_kind.h"
#include "tools/trace/trace_reader.h"
#include "tools/trace/trace_state.h"

#define ENVIRONMENT_MAX 4
#define LOOK_UP_EVERY   65536 /* events between checks for an interruption */

/* ---- pieces of a Perfetto trace ---- */

static struct perfetto_piece *add_piece(struct perfetto_pieces *pieces)
{
    return ALLOC_NEXT(pieces->item, pieces->count, pieces->capacity);
}

/* Returns "FILE-3" for number 3; the caller frees it. */
static char *piece_path(const struct perfetto_pieces *pieces, size_t number)
{
    const size_t size = strlen(pieces->path) + 32;
    char *path = alloc_zeroed(size);

    snprintf(path, size, "%s-%zu", pieces->path, number);
    return path;
}

bool perfetto_pieces_open(struct perfetto_pieces *pieces, const char *path, uint64_t most,
                          char error[OUTPUT_FILE_ERROR_MAX])
{
    *pieces = (struct perfetto_pieces){.path = path, .limit = UINT64_MAX};
    struct perfetto_piece *piece = add_piece(pieces);

    if (!output_file_open(&piece->file, path, error)) {
        pieces->count = 0;
        perfetto_pieces_discard(pieces);
        return false;
    }
    if (piece->file.partial.name != NULL) {
        pieces->limit = most - PIECE_REST;
    }
    return true;
}

FILE *perfetto_pieces_stream(const struct perfetto_pieces *pieces)
{
    return pieces->item[pieces->count - 1].file.stream;
}

/* Finishes the temporary file without moving it to its final name. */
static bool end_piece(struct perfetto_piece *piece, char error[OUTPUT_FILE_ERROR_MAX])
{
    const bool written = output_file_finish(piece->file.stream);
    const int cause = errno;
    const bool closed = fclose(piece->file.stream) == 0;

    piece->file.stream = NULL;
    if (!written || !closed) {
        snprintf(error, OUTPUT_FILE_ERROR_MAX, "cannot write %.400s: %s", piece->file.partial.path,
                 strerror(written ? errno : cause));
    }
    return written && closed;
}

FILE *perfetto_pieces_next(struct perfetto_pieces *pieces, char error[OUTPUT_FILE_ERROR_MAX])
{
    struct perfetto_piece *last = &pieces->item[pieces->count - 1];

    if (pieces->count == 1) {
        last->path = piece_path(pieces, 1);
        if (!partial_file_move(&last->file.partial, last->path, error)) {
            return NULL;
        }
    }
    if (!end_piece(last, error)) {
        return NULL;
    }
    struct perfetto_piece *piece = add_piece(pieces);

    piece->path = piece_path(pieces, pieces->count);
    if (!output_file_open(&piece->file, piece->path, error)) {
        piece->file = (struct output_file){0};
        return NULL;
    }
    return piece->file.stream;
}

static void free_pieces(struct perfetto_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++) {
        free(pieces->item[i].path);
    }
    free(pieces->item);
    *pieces = (struct perfetto_pieces){0};
}

bool perfetto_pieces_commit(struct perfetto_pieces *pieces, char error[OUTPUT_FILE_ERROR_MAX])
{
    const size_t last = pieces->count - 1;
    bool good = last == 0 || end_piece(&pieces->item[last], error);

    for (size_t i = 0; i < last && good; i++) {
        good = partial_file_commit(&pieces->item[i].file.partial, error);
    }
    if (good) {
        good = last == 0 ? output_file_commit(&pieces->item[0].file, error)
                         : partial_file_commit(&pieces->item[last].file.partial, error);
    }
    if (!good) {
        perfetto_pieces_discard(pieces);
        return false;
    }
    free_pieces(pieces);
    return true;
}

void perfetto_pieces_discard(struct perfetto_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++) {
        output_file_discard(&pieces->item[i].file);
    }
    free_pieces(pieces);
}

/* Where events go. `lost` and `end` may be NULL. */
struct sink {
    void *context;
    void (*event)(void *context, const struct trace_event *event);
    void (*lost)(void *context, const struct trace_gap *gap);
    void (*end)(void *context, uint64_t end);
};

/* Reads a part: the traces of all its processors. */
static bool read_part(const struct run_trace *traces, size_t processors, const struct sink *sink,
                      struct trace_export_counts *counts)
{
    struct trace_reader *reader = trace_reader_open(traces, processors);
    enum trace_reader_status status;
    struct trace_event event;
    struct trace_gap gap;

    while ((status = trace_reader_next(reader, &event, &gap)) == TRACE_EVENT ||
           status == TRACE_GAP) {
        if (status == TRACE_EVENT) {
            sink->event(sink->context, &event);
            counts->events++;
            if (counts->events % LOOK_UP_EVERY == 0 && interrupt_seen()) {
                break;
            }
            continue;
        }
        counts->packets += gap.packets;
        counts->discarded += gap.discarded;
        if (sink->lost != NULL && (gap.packets > 0 || gap.discarded > 0)) {
            sink->lost(sink->context, &gap);
        }
    }
    trace_reader_close(reader);
    if (sink->end != NULL && status == TRACE_END) {
        sink->end(sink->context, run_part_bounds(traces, processors).end);
    }
    return status == TRACE_END;
}

/* Reads all parts of the trace. Pass 0 for `hz` if stamps are not converted. */
static bool read_parts(const struct run_bench *bench, uint64_t hz, const struct sink *sink,
                       struct trace_export_counts *counts, char error[TRACE_EXPORT_ERROR_MAX])
{
    size_t processors;

    *counts = (struct trace_export_counts){0};
    error[0] = '\0';
    for (size_t i = 0; i < bench->trace_count; i += processors) {
        const struct run_trace *traces = &bench->traces[i];

        processors = run_part_processors(bench, i);
        if (SEARCH_ANY(k, processors, !run_trace_follows(bench, i + k, &traces[k]))) {
            snprintf(error, TRACE_EXPORT_ERROR_MAX,
                     "bench %.100s: part %" PRIu32
                     " of its trace begins before the end of the part "
                     "before it, which no trace reader accepts",
                     bench->name, traces->part);
            return false;
        }
        if (hz != 0 && translator_ns(run_part_bounds(traces, processors).end, hz) > INT64_MAX) {
            snprintf(error, TRACE_EXPORT_ERROR_MAX,
                     "bench %.100s: at %" PRIu64 " Hz its trace ends after more than 292 years, "
                     "which no trace reader accepts",
                     bench->name, hz);
            return false;
        }
        if (!read_part(traces, processors, sink, counts)) {
            if (!interrupt_seen()) {
                snprintf(error, TRACE_EXPORT_ERROR_MAX,
                         "bench %.100s: its packets cannot be read from the run file", bench->name);
            }
            return false;
        }
    }
    return true;
}

/* ---- CTF ---- */

static void ctf_sink_event(void *context, const struct trace_event *event)
{
    ctf_event(context, event);
}

static void ctf_sink_lost(void *context, const struct trace_gap *gap)
{
    ctf_lost(context, gap);
}

static void ctf_sink_end(void *context, uint64_t end)
{
    ctf_end(context, end);
}

static uint32_t crc_text(uint32_t crc, const char *text)
{
    return text != NULL ? crc32c(crc, text, strlen(text) + 1) : crc;
}

/* Adds to the checksum what distinguishes a run from others. */
static uint32_t crc_run(uint32_t crc, const struct run *run)
{
    for (size_t i = 0; i < run->info.count; i++) {
        crc = crc_text(crc_text(crc, run->info.item[i].key), run->info.item[i].value);
    }
    for (size_t i = 0; i < run->machine.count; i++) {
        crc = crc_text(crc_text(crc, run->machine.item[i].key), run->machine.item[i].value);
    }
    crc = crc_text(crc, run->plan_text);
    return crc32c(crc, &run->verdict.hz, sizeof(run->verdict.hz));
}

/* Makes a UUID that is the same for the same run and pass; `bench` NULL: for the run itself. Its
 * bits are four CRC-32C with different starts, in the form of version 8, "custom", of RFC 9562. */
static void make_uuid(uint8_t uuid[CTF_UUID_BYTES], const struct run *run,
                      const struct run_bench *bench)
{
    for (uint32_t word = 0; word < CTF_UUID_BYTES / 4; word++) {
        uint32_t crc = crc_run(crc32c(0, &word, sizeof(word)), run);

        if (bench != NULL) {
            crc = crc_text(crc, bench->name);
            crc = crc32c(crc, &bench->pass, sizeof(bench->pass));
        }
        memcpy(uuid + (size_t)word * 4, &crc, 4);
    }
    uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x80);
    uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

/* Fills the environment. Its values live as long as the run, `pass` as long as the caller keeps it.
 */
static size_t make_environment(const struct run *run, const struct run_bench *bench,
                               const char *pass, struct ctf_pair environment[ENVIRONMENT_MAX])
{
    const struct ctf_pair pairs[] = {
        {"tare_bench", bench->name},
        {"tare_pass", pass},
        {"tare_time", run_time_name(run)},
        {"trace_creation_datetime", run_pair_value(&run->info, INFO_DATE)},
    };
    size_t count = 0;

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (pairs[i].value != NULL) {
            environment[count++] = pairs[i];
        }
    }
    return count;
}

bool trace_export_ctf(const struct run *run, const struct run_bench *bench, const char *directory,
                      struct trace_export_counts *counts, char error[TRACE_EXPORT_ERROR_MAX])
{
    struct translator *translator = translator_create(bench);
    struct ctf_pair environment[ENVIRONMENT_MAX];
    char pass[16];
    char reason[CTF_ERROR_MAX];

    snprintf(pass, sizeof(pass), "%" PRIu32, bench->pass);
    struct ctf_settings settings = {
        .directory = directory,
        .hz = run->verdict.hz,
        .bench = bench,
        .begin = bench->trace_count > 0 ? run_part_bounds(bench->traces, bench->trace_count).begin
                                        : UINT64_MAX,
        .environment = environment,
        .environment_count = make_environment(run, bench, pass, environment),
    };

    make_uuid(settings.clock_uuid, run, NULL);
    make_uuid(settings.trace_uuid, run, bench);
    struct ctf_writer *writer = ctf_open(&settings, translator, error);
    bool done = writer != NULL;

    if (done) {
        const struct sink sink = {writer, ctf_sink_event, ctf_sink_lost, ctf_sink_end};

        done = read_parts(bench, run->verdict.hz, &sink, counts, error);
        if (!ctf_close(writer, reason) && done) {
            snprintf(error, TRACE_EXPORT_ERROR_MAX, "%s", reason);
            done = false;
        }
    }
    translator_destroy(translator);
    return done;
}

/* ---- Perfetto ---- */

struct perfetto_sink {
    struct perfetto_trace *trace;
    struct perfetto_writer *writer;
    struct perfetto_pieces *pieces; /* NULL: there is one piece */
    struct trace_state *state;      /* state of threads, to begin further pieces with */
    uint64_t stated;                /* bytes with which this piece began */
    char *error;                    /* why no further piece follows; empty: no error */
};

static void put_perfetto(void *context, const struct trace_event *event)
{
    perfetto_trace_event(context, event);
}

/* Begins the next piece at the event, because this one is full. */
static void turn_piece(struct perfetto_sink *sink, uint64_t tsc)
{
    perfetto_trace_turn(sink->trace, tsc);
    perfetto_flush(sink->writer);
    FILE *out = perfetto_pieces_next(sink->pieces, sink->error);

    if (out == NULL) {
        return;
    }
    perfetto_turn(sink->writer, out);
    perfetto_trace_resume(sink->trace, tsc);
    trace_state_restate(sink->state, tsc);
    perfetto_trace_stated(sink->trace);
    sink->stated = perfetto_bytes(sink->writer);
}

/* Returns whether the piece is full. If the restated threads alone exceed the limit, a piece may
 * have as many bytes of events again. */
static bool is_full(const struct perfetto_sink *sink)
{
    const uint64_t bytes = perfetto_bytes(sink->writer);

    return sink->pieces != NULL && bytes >= sink->pieces->limit && bytes >= 2 * sink->stated;
}

static void perfetto_sink_event(void *context, const struct trace_event *event)
{
    struct perfetto_sink *sink = context;

    if (sink->error[0] != '\0') {
        return;
    }
    if (is_full(sink)) {
        turn_piece(sink, event->tsc);
    }
    perfetto_trace_event(sink->trace, event);
    trace_state_event(sink->state, event);
}

static void perfetto_sink_lost(void *context, const struct trace_gap *gap)
{
    const struct perfetto_sink *sink = context;

    perfetto_trace_lost(sink->trace, gap);
    trace_state_lost(sink->state, gap);
}

static void perfetto_sink_end(void *context, uint64_t end)
{
    const struct perfetto_sink *sink = context;

    perfetto_trace_end(sink->trace, end);
    trace_state_lost(sink->state, NULL);
}

bool trace_export_perfetto(const struct run *run, const struct run_bench *bench,
                           struct perfetto_writer *writer, struct perfetto_pieces *pieces,
                           uint32_t index, struct trace_export_counts *counts,
                           char error[TRACE_EXPORT_ERROR_MAX])
{
    char bench_label[RUN_LABEL_MAX];
    char label[2 * RUN_LABEL_MAX];

    if (index >= PERFETTO_BENCHES_MAX) {
        snprintf(error, TRACE_EXPORT_ERROR_MAX,
                 "more than %d benches have traces: export some with --bench",
                 PERFETTO_BENCHES_MAX);
        return false;
    }
    snprintf(label, sizeof(label), "%s (%s time)", run_bench_label(run, bench, bench_label),
             run_time_name(run) != NULL ? run_time_name(run) : "unknown");
    struct translator *translator = translator_create(bench);
    struct perfetto_trace *trace =
        perfetto_trace_create(writer, translator, label, bench, index, run->verdict.hz);
    char reason[TRACE_EXPORT_ERROR_MAX] = "";
    struct perfetto_sink perfetto = {
        .trace = trace,
        .writer = writer,
        .pieces = pieces,
        .state = trace_state_create(put_perfetto, trace),
        .error = reason,
    };
    const struct sink sink = {&perfetto, perfetto_sink_event, perfetto_sink_lost,
                              perfetto_sink_end};
    bool done = read_parts(bench, run->verdict.hz, &sink, counts, error);

    if (reason[0] != '\0') {
        memcpy(error, reason, TRACE_EXPORT_ERROR_MAX);
        done = false;
    }
    trace_state_destroy(perfetto.state);
    perfetto_trace_destroy(trace);
    translator_destroy(translator);
    return done;
}

/* ---- CSV ---- */

struct csv_sink {
    FILE *out;
    const struct run_bench *bench;
    const char *time; /* time base; NULL: unknown */
    bool cpus;
};

static void csv_event(void *context, const struct trace_event *event)
{
    const struct csv_sink *sink = context;
    const struct trace_class *class = trace_class_of(event->id);

    csv_field(sink->out, sink->bench->name);
    fprintf(sink->out, ",%" PRIu32 ",", sink->bench->pass);
    csv_field(sink->out, sink->time);
    fprintf(sink->out, ",%" PRIu64, event->tsc);
    if (sink->cpus) {
        fprintf(sink->out, ",%" PRIu32, event->cpu);
    }
    fprintf(sink->out, ",%s", class->name);
    for (size_t i = 0; i < class->field_count; i++) {
        fprintf(sink->out, "%c%s=%" PRIu64, i == 0 ? ',' : ' ', class->field_name[i],
                event->field[i]);
    }
    fputc('\n', sink->out);
}

bool trace_export_csv(const struct run *run, const struct run_bench *bench, FILE *out, bool cpus,
                      struct trace_export_counts *counts, char error[TRACE_EXPORT_ERROR_MAX])
{
    struct csv_sink csv = {out, bench, run_time_name(run), cpus};
    const struct sink sink = {.context = &csv, .event = csv_event};

    return read_parts(bench, 0, &sink, counts, error);
}
