/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exported traces: what our events become, how they read as text, what the bytes of a CTF stream
 * are, and the manners towards directories. babeltrace2's word on all of it is in test_export.sh.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/input/event.h"
#include "kernel/trace/trace.h"
#include "tools/base/partial_file.h"
#include "tools/export/ctf_writer.h"
#include "tools/export/export_directory.h"
#include "tools/export/trace_export.h"
#include "tools/export/trace_translate.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/trace_reader.h"

#define GHZ UINT64_C(1000000000)

static struct run run;
static struct run_bench *bench;

static void begin(uint64_t hz)
{
    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = hz};
    bench = build_bench(&run, "b", 1);
}

/* ---- text ---- */

/* In quotes, as babeltrace2 escapes it. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (strchr("\\'\"?", *text) != NULL) {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_named(FILE *out, const struct export_labels *labels, uint64_t value)
{
    const char *name = EXPORT_UNNAMED;

    for (size_t i = labels->count; i-- > 0;) {
        if (labels->item[i].value == value) {
            name = labels->item[i].name;
        }
    }
    fputs("( ", out);
    put_quoted(out, name);
    fprintf(out, " : container = %" PRIu64 " )", value);
}

static void put_value(FILE *out, const struct translator *translator,
                      const struct export_field *field, uint64_t value)
{
    switch (field->type) {
    case EXPORT_TEXT:
        put_quoted(out, translator_text(translator, value));
        return;
    case EXPORT_NAMED:
        put_named(out, field->labels, value);
        return;
    case EXPORT_SIGNED:
        fprintf(out, "%" PRId64, (int64_t)value);
        return;
    case EXPORT_HEX:
        fprintf(out, "0x%" PRIX64, value);
        return;
    default:
        fprintf(out, "%" PRIu64, value);
        return;
    }
}

static void put_event(FILE *out, const struct translator *translator,
                      const struct export_event *event, uint32_t cpu)
{
    const struct export_class *class = translator_class(translator, event->class_index);

    fprintf(out, ") %s: { cpu_id = %" PRIu32 " }, {", class->name, cpu);
    for (size_t i = 0; i < class->field_count; i++) {
        fprintf(out, "%s%s = ", i > 0 ? ", " : " ", class->field[i].name);
        put_value(out, translator, &class->field[i], event->value[i]);
    }
    fputs(" }\n", out);
}

/* The translated events of a bench, as babeltrace2 --clock-seconds prints those of the CTF trace:
 * an oracle of the CTF writer. Returns how many. */
static uint64_t put_lines(FILE *out, const struct run *of, const struct run_bench *traced)
{
    struct translator *translator = translator_create(traced);
    struct trace_event event;
    struct export_event exported;
    struct trace_gap gap;
    uint64_t events = 0;
    uint64_t last = 0;

    for (size_t i = 0, processors; i < traced->trace_count; i += processors) {
        processors = run_part_processors(traced, i);
        struct trace_reader *reader = trace_reader_open(&traced->traces[i], processors);
        enum trace_reader_status status;

        while ((status = trace_reader_next(reader, &event, &gap)) != TRACE_END) {
            if (status == TRACE_GAP) {
                translator_lost(translator, gap.cpu);
                continue;
            }
            translator_event(translator, &event, &exported);
            const uint64_t ns = translator_ns(event.tsc, of->verdict.hz);

            fprintf(out, "[%" PRIu64 ".%09" PRIu64 "] (+", ns / GHZ, ns % GHZ);
            if (events++ == 0) {
                fputs("?.?????????", out);
            } else {
                fprintf(out, "%" PRIu64 ".%09" PRIu64, (ns - last) / GHZ, (ns - last) % GHZ);
            }
            last = ns;
            put_event(out, translator, &exported, event.cpu);
        }
        trace_reader_close(reader);
        for (size_t k = 0; k < processors; k++) {
            translator_lost(translator, traced->traces[i + k].cpu);
        }
    }
    translator_destroy(translator);
    return events;
}

/* The bench's traces as text. To be freed. */
static char *text_of(uint64_t *events)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    *events = put_lines(out, &run, bench);
    fclose(out);
    return text;
}

/* For test_export.sh: prints the lines of the bench `name` of a run file. */
static int print_lines(const char *file, const char *name)
{
    char error[RUNFILE_ERROR_MAX];
    struct run read;
    const bool good = (run_init(&read), runfile_read(file, &read, error));

    for (size_t i = 0; good && i < read.bench_count; i++) {
        if (run_bench_is(&read.benches[i], name)) {
            put_lines(stdout, &read, &read.benches[i]);
        }
    }
    run_free(&read);
    return good ? 0 : 1;
}

static void test_scheduler_events(void)
{
    struct trace_builder builder;
    uint64_t events;

    begin(GHZ);
    trace_builder_name(bench, "thread", 2, "A");
    trace_builder_name(bench, "thread", 3, "B");
    trace_builder_init(&builder, GHZ, TRACE_PACKET_BYTES);
    TRACE_ADD(&builder, GHZ + 1, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&builder, GHZ + 2, thread_is, 2, 1, 10, THREAD_WAITING, WAIT_SLEEP);
    TRACE_ADD(&builder, GHZ + 3, thread_start, 3, 1, 20);
    TRACE_ADD(&builder, GHZ + 5, thread_ready, 2, TRACE_BY(TRACE_BY_DPC, 7));
    TRACE_ADD(&builder, GHZ + 9, thread_switch, 0, 3, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(&builder, 3 * GHZ, thread_priority, 3, 25);
    TRACE_ADD(&builder, 3 * GHZ, thread_switch, 3, 2, TRACE_WHY(WAIT_EXIT, THREAD_ENDED));
    TRACE_ADD(&builder, 3 * GHZ, thread_switch, 2, 9, TRACE_WHY(WAIT_MESSAGE, THREAD_WAITING));
    trace_builder_finish(&builder, 3 * GHZ, bench);
    char *text = text_of(&events);

    CHECK_EQUAL(events, 8);
    CHECK_TEXT(
        text,
        "[1.000000001] (+?.?\?\?\?\?\?\?\?\?) lttng_statedump_process_state: { cpu_id = 0 }, "
        "{ tid = 0, pid = 0, ppid = 0, name = \"idle\", type = 1, mode = 5, status = 6, prio = -1, "
        "process = 0, state = ( \"running\" : container = 0 ), "
        "reason = ( \"none\" : container = 0 ), starts = 0 }\n"
        "[1.000000002] (+0.000000001) lttng_statedump_process_state: { cpu_id = 0 }, "
        "{ tid = 2, pid = 2, ppid = 0, name = \"A\", type = 0, mode = 5, status = 5, prio = -11, "
        "process = 1, state = ( \"waiting\" : container = 2 ), "
        "reason = ( \"sleep\" : container = 9 ), starts = 0 }\n"
        "[1.000000003] (+0.000000001) lttng_statedump_process_state: { cpu_id = 0 }, "
        "{ tid = 3, pid = 2, ppid = 0, name = \"B\", type = 0, mode = 5, status = 2, prio = -21, "
        "process = 1, state = ( \"ready\" : container = 1 ), "
        "reason = ( \"none\" : container = 0 ), starts = 1 }\n"
        "[1.000000005] (+0.000000002) sched_wakeup: { cpu_id = 0 }, { comm = \"A\", tid = 2, "
        "prio = -11, target_cpu = 0, by_kind = ( \"dpc\" : container = 9 ), by = 7 }\n"
        "[1.000000009] (+0.000000004) sched_switch: { cpu_id = 0 }, { prev_comm = \"idle\", "
        "prev_tid = 0, prev_prio = -1, prev_state = 0, next_comm = \"B\", next_tid = 3, "
        "next_prio = -21, state = ( \"ready\" : container = 1 ), "
        "reason = ( \"preempted\" : container = 1 ) }\n"
        "[3.000000000] (+1.999999991) tare_thread_priority: { cpu_id = 0 }, "
        "{ thread = ( \"B\" : container = 3 ), priority = 25 }\n"
        "[3.000000000] (+0.000000000) sched_switch: { cpu_id = 0 }, { prev_comm = \"B\", "
        "prev_tid = 3, prev_prio = -26, prev_state = 64, next_comm = \"A\", next_tid = 2, "
        "next_prio = -11, state = ( \"ended\" : container = 3 ), "
        "reason = ( \"exit\" : container = 11 ) }\n"
        "[3.000000000] (+0.000000000) sched_switch: { cpu_id = 0 }, { prev_comm = \"A\", "
        "prev_tid = 2, prev_prio = -11, prev_state = 1, next_comm = \"thread 9\", next_tid = 9, "
        "next_prio = 0, state = ( \"waiting\" : container = 2 ), "
        "reason = ( \"message\" : container = 3 ) }\n");
    free(text);
    run_free(&run);
}

static void test_other_events(void)
{
    struct trace_builder builder;
    uint64_t events;

    begin(GHZ);
    trace_builder_name(bench, "vector", 32, "timer");
    trace_builder_name(bench, "syscall", 4, "send it!");
    trace_builder_name(bench, "mark", 1, "ask \"what?\"");
    trace_builder_name(bench, "lock", 5, "L");
    trace_builder_init(&builder, 0, TRACE_PACKET_BYTES);
    TRACE_ADD(&builder, 0, isr_entry, 32);
    TRACE_ADD(&builder, 1, isr_exit, 32);
    TRACE_ADD(&builder, 1, dpc_queue, 3);
    TRACE_ADD(&builder, 1, syscall_entry, 4);
    TRACE_ADD(&builder, 1, syscall_exit, 5);
    TRACE_ADD(&builder, 1, mark, 1, UINT64_MAX);
    TRACE_ADD(&builder, 1, lock_wait, 5, TRACE_NO_HOLDER);
    TRACE_ADD(&builder, 1, lock_wait, 300, 1);
    TRACE_ADD(&builder, 1, fault_entry, 0xdeadBEEF, FAULT_COPY_ON_WRITE);
    TRACE_ADD(&builder, 1, fault_entry, 0, 9);
    TRACE_ADD(&builder, 1, timer_expire, 12345678901234567890u);
    trace_builder_finish(&builder, 1, bench);
    char *text = text_of(&events);
    /* The stamps are another test's. */
    char *body = alloc_zeroed(strlen(text) + 1);

    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        strcat(body, strchr(line, ')') + 2);
        strcat(body, "\n");
    }
    CHECK_TEXT(body,
               "irq_handler_entry: { cpu_id = 0 }, { irq = 32, name = \"timer\" }\n"
               "irq_handler_exit: { cpu_id = 0 }, { irq = 32, ret = 1 }\n"
               "softirq_raise: { cpu_id = 0 }, { vec = 3, name = \"DPC 3\" }\n"
               "sys_send_it_: { cpu_id = 0 }, { number = 4 }\n"
               "exit_syscall_unnamed: { cpu_id = 0 }, { number = 5 }\n"
               "tare_mark: { cpu_id = 0 }, { what = ( \"ask \\\"what\\?\\\"\" : container = 1 ), "
               "value = 18446744073709551615 }\n"
               "tare_lock_wait: { cpu_id = 0 }, { lock = ( \"L\" : container = 5 ), "
               "holder = ( \"nobody\" : container = 65535 ) }\n"
               "tare_lock_wait: { cpu_id = 0 }, { lock = ( \"unnamed\" : container = 300 ), "
               "holder = ( \"unnamed\" : container = 1 ) }\n"
               "tare_fault_entry: { cpu_id = 0 }, { address = 0xDEADBEEF, "
               "kind = ( \"copy_on_write\" : container = 1 ) }\n"
               "tare_fault_entry: { cpu_id = 0 }, { address = 0x0, "
               "kind = ( \"unnamed\" : container = 9 ) }\n"
               "tare_timer_expire: { cpu_id = 0 }, { deadline = 12345678901234567890 }\n");
    free(body);
    free(text);
    run_free(&run);
}

/* Inputs, the queues they pass, and devices. */
static void test_input_events(void)
{
    struct trace_builder builder;
    uint64_t events;

    begin(GHZ);
    trace_builder_name(bench, "queue", 0, "echo");
    trace_builder_name(bench, "device", 1, "disk");
    trace_builder_init(&builder, 0, TRACE_PACKET_BYTES);
    TRACE_ADD(&builder, 1, input, 7, INPUT_KEY_UP, 0x1e, 99);
    TRACE_ADD(&builder, 1, queue_post, 0, QUEUE_KEY_UP, 7, 1);
    TRACE_ADD(&builder, 1, queue_call, 0, QUEUE_RETURN_LEFT, 1);
    TRACE_ADD(&builder, 1, queue_take, 5, QUEUE_SYNC, 0, 0);
    TRACE_ADD(&builder, 1, input_done, 0, 7);
    TRACE_ADD(&builder, 1, io_status, 1, IO_ASYNCHRONOUS, 2);
    trace_builder_finish(&builder, 1, bench);
    char *text = text_of(&events);

    CHECK_EQUAL(events, 6);
    CHECK(strstr(text, "tare_input: { cpu_id = 0 }, { input = 7, "
                       "change = ( \"key_up\" : container = 1 ), code = 30, arrival = 99 }\n"));
    CHECK(strstr(text, "tare_queue_post: { cpu_id = 0 }, { queue = ( \"echo\" : container = 0 ), "
                       "type = ( \"key_up\" : container = 1 ), input = 7, length = 1 }\n"));
    CHECK(strstr(text, "tare_queue_call: { cpu_id = 0 }, { queue = ( \"echo\" : container = 0 ), "
                       "call = ( \"return_left\" : container = 4 ), length = 1 }\n"));
    CHECK(strstr(text, "tare_queue_take: { cpu_id = 0 }, "
                       "{ queue = ( \"unnamed\" : container = 5 ), "
                       "type = ( \"sync\" : container = 6 ), input = 0, length = 0 }\n"));
    CHECK(strstr(text, "tare_input_done: { cpu_id = 0 }, "
                       "{ queue = ( \"echo\" : container = 0 ), input = 7 }\n"));
    CHECK(strstr(text, "tare_io_status: { cpu_id = 0 }, "
                       "{ device = ( \"disk\" : container = 1 ), "
                       "request = ( \"asynchronous\" : container = 1 ), outstanding = 2 }\n"));
    free(text);
    run_free(&run);
}

/* With LTTng's names and fields; what the trace does not hold is not made up. */
static void test_disk_events(void)
{
    struct trace_builder builder;
    uint64_t events;

    begin(GHZ);
    trace_builder_name(bench, "device", 1, "model");
    trace_builder_name(bench, "thread", 2, "reader");
    trace_builder_init(&builder, 0, TRACE_PACKET_BYTES);
    TRACE_ADD(&builder, 1, block_issue, 1, 6, 4096, 8, 1);
    TRACE_ADD(&builder, 1, thread_is, 2, 0, 5, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&builder, 1, block_issue, 1, 7, 5000, 1, 2);
    TRACE_ADD(&builder, 1, block_complete, 1, 6, BLOCK_GOOD, 1);
    TRACE_ADD(&builder, 1, block_complete, 1, 7, BLOCK_MEDIUM, 0);
    TRACE_ADD(&builder, 1, block_complete, 9, 7, 77, 0);
    trace_builder_finish(&builder, 1, bench);
    char *text = text_of(&events);

    CHECK_EQUAL(events, 6);
    CHECK(strstr(text, "block_rq_issue: { cpu_id = 0 }, { dev = 1, sector = 4096, nr_sector = 8, "
                       "bytes = 4096, tid = -1, rwbs = 4, comm = \"unknown\", disk = \"model\", "
                       "serial = 6, outstanding = 1 }\n"));
    CHECK(strstr(text, "block_rq_issue: { cpu_id = 0 }, { dev = 1, sector = 5000, nr_sector = 1, "
                       "bytes = 512, tid = 2, rwbs = 4, comm = \"reader\", disk = \"model\", "
                       "serial = 7, outstanding = 2 }\n"));
    CHECK(strstr(text, "block_rq_complete: { cpu_id = 0 }, { dev = 1, sector = 4096, "
                       "nr_sector = 8, error = 0, rwbs = 4, disk = \"model\", serial = 6, "
                       "outcome = ( \"good\" : container = 0 ), outstanding = 1 }\n"));
    CHECK(strstr(text, "block_rq_complete: { cpu_id = 0 }, { dev = 1, sector = 5000, "
                       "nr_sector = 1, error = -5, rwbs = 4, disk = \"model\", serial = 7, "
                       "outcome = ( \"medium\" : container = 2 ), outstanding = 0 }\n"));
    CHECK(strstr(text, "block_rq_complete: { cpu_id = 0 }, { dev = 9, "
                       "sector = 18446744073709551615, nr_sector = 0, error = -5, rwbs = 4, "
                       "disk = \"disk 9\", serial = 7, "
                       "outcome = ( \"unnamed\" : container = 77 ), outstanding = 0 }\n"));
    free(text);
    run_free(&run);
}

/* As clock snapshots of libbabeltrace2 2.0 have them, in double precision. */
static void test_stamps(void)
{
    CHECK_EQUAL(translator_ns(123456789, GHZ), 123456789);
    CHECK_EQUAL(translator_ns(3, 2 * GHZ), 1);
    CHECK_EQUAL(translator_ns(2249998123, 2249998123), GHZ);
    CHECK_EQUAL(translator_ns(2249998122, 2249998123), GHZ - 1);
    CHECK_EQUAL(translator_ns(UINT64_C(1) << 58, 1000000199), UINT64_C(288230318793878304));
    CHECK_EQUAL(translator_ns(UINT64_C(123456789012345), 2249998123), UINT64_C(54869729779034));
    CHECK_EQUAL(translator_ns(0, 7), 0);
    CHECK(translator_ns(UINT64_MAX, 1) == UINT64_MAX);
}

/* Texts of an event, and of its class, are no longer than they may be. */
static void check_texts(const struct translator *translator, const struct export_event *event)
{
    const struct export_class *class = translator_class(translator, event->class_index);

    CHECK(strlen(class->name) <= EXPORT_NAME_MAX);
    for (size_t i = 0; i < class->field_count; i++) {
        const struct export_labels *labels = class->field[i].labels;

        CHECK(class->field[i].type != EXPORT_TEXT ||
              strlen(translator_text(translator, event->value[i])) <= EXPORT_NAME_MAX);
        for (size_t k = 0; labels != NULL && k < labels->count; k++) {
            CHECK(strlen(labels->item[k].name) <= EXPORT_NAME_MAX);
        }
    }
}

/* Each event has a class of the translator, and long names are cut. */
static void test_all_classes(void)
{
    struct run_object *object;
    struct trace_event event = {.tsc = 1};
    struct export_event exported;

    begin(GHZ);
    trace_builder_name(bench, "thread", 1, "twice");
    trace_builder_name(bench, "thread", 1, "another");
    object = run_add_object(bench);
    *object = (struct run_object){.kind = "vector", .id = 1000, .name = "no vector"};
    char *name = alloc_zeroed(2000);

    memset(name, 'n', 1999);
    trace_builder_name(bench, "thread", 2, name);
    trace_builder_name(bench, "mark", 2, name);
    trace_builder_name(bench, "syscall", 2, name);
    struct translator *translator = translator_create(bench);

    for (uint32_t id = 0; id < TRACE_ID_LIMIT; id++) {
        if (trace_class_of(id) == NULL) {
            continue;
        }
        for (uint64_t value = 0; value < 256; value += 51) {
            event.id = id;
            event.field[0] = value;
            event.field[1] = value;
            event.field[2] = value;
            translator_event(translator, &event, &exported);
            CHECK(exported.class_index < translator_class_count(translator));
            CHECK_EQUAL(exported.tsc, 1);
            check_texts(translator, &exported);
        }
    }
    translator_destroy(translator);
    free(name);
    run_free(&run);
}

static void test_csv(void)
{
    struct trace_builder builder;
    struct trace_export_counts counts;
    char *text = NULL;
    size_t length = 0;
    char error[TRACE_EXPORT_ERROR_MAX];

    begin(0);
    trace_builder_init(&builder, 5, TRACE_PACKET_BYTES);
    TRACE_ADD(&builder, 7, thread_switch, 1, 2, 67);
    TRACE_ADD(&builder, 8, tick, 2);
    trace_builder_finish(&builder, 9, bench);
    FILE *out = open_memstream(&text, &length);

    CHECK(trace_export_csv(&run, bench, out, false, &counts, error));
    fclose(out);
    CHECK_TEXT(text, "b,1,,7,thread_switch,old=1 new=2 why=67\nb,1,,8,tick,thread=2\n");
    free(text);
    run_free(&run);
}

/* ---- CTF ---- */

struct stream {
    uint8_t *bytes;
    size_t length;
};

static struct stream load(const char *path)
{
    struct stream stream = {0};
    FILE *file = fopen(path, "rb");

    CHECK(file != NULL);
    if (file == NULL) {
        return stream;
    }
    fseek(file, 0, SEEK_END);
    stream.length = (size_t)ftell(file);
    rewind(file);
    stream.bytes = alloc_zeroed(stream.length + 1);
    CHECK_EQUAL(fread(stream.bytes, 1, stream.length, file), stream.length);
    fclose(file);
    return stream;
}

/* The bench's traces as a CTF stream. */
static struct stream stream_of(struct trace_export_counts *counts)
{
    struct temporary temporary = {.path = ""};
    struct stream stream = {0};
    char error[TRACE_EXPORT_ERROR_MAX] = "";
    char path[TEMPORARY_PATH_MAX];

    CHECK(temporary_create(&temporary));
    CHECK(trace_export_ctf(&run, bench, temporary.path, counts, error));
    CHECK_TEXT(error, "");
    temporary_name(&temporary, "metadata", path);
    CHECK(ctf_is_own_metadata(path));
    temporary_name(&temporary, "stream_0", path);
    CHECK(!ctf_is_own_metadata(path));
    stream = load(path);
    temporary_remove(&temporary);
    return stream;
}

static uint64_t number_at(const struct stream *stream, size_t at, size_t bytes)
{
    uint64_t value = 0;

    CHECK(at + bytes <= stream->length);
    if (at + bytes <= stream->length) {
        memcpy(&value, stream->bytes + at, bytes);
    }
    return value;
}

/* Offsets in a packet: magic 4, uuid 16, stream id 4, then these; 76 bytes in all. */
enum {
    PACKET_BEGIN = 24,
    PACKET_END = 32,
    PACKET_CONTENT = 40,
    PACKET_SIZE = 48,
    PACKET_SEQUENCE = 56,
    PACKET_DISCARDED = 64,
    PACKET_CPU = 72,
    PACKET_EVENTS = 76,
};

/* One that begins and ends so; returns where the next lies. */
static size_t check_packet(const struct stream *stream, size_t at, uint64_t from, uint64_t to,
                           uint64_t sequence, uint64_t discarded)
{
    CHECK_EQUAL(number_at(stream, at, 4), 0xc1fc1fc1);
    CHECK_EQUAL(number_at(stream, at + PACKET_BEGIN, 8), from);
    CHECK_EQUAL(number_at(stream, at + PACKET_END, 8), to);
    CHECK_EQUAL(number_at(stream, at + PACKET_SEQUENCE, 8), sequence);
    CHECK_EQUAL(number_at(stream, at + PACKET_DISCARDED, 8), discarded);
    CHECK_EQUAL(number_at(stream, at + PACKET_CPU, 4), 0);
    CHECK_EQUAL(number_at(stream, at + PACKET_CONTENT, 8), number_at(stream, at + PACKET_SIZE, 8));
    return at + number_at(stream, at + PACKET_SIZE, 8) / 8;
}

/* A header is short where the stamp moved by less than 2^27, and only then. */
static void test_headers(void)
{
    const uint64_t far = UINT64_C(1) << 27;
    const uint64_t stamps[] = {1000, 1000, 1000 + far - 1, 1000 + 2 * far - 1, 1000 + 2 * far + 99};
    const bool is_short[] = {true, true, true, false, true};
    struct trace_builder builder;
    struct trace_export_counts counts;

    begin(GHZ);
    trace_builder_init(&builder, 1000, TRACE_PACKET_BYTES);
    for (size_t i = 0; i < 5; i++) {
        TRACE_ADD(&builder, stamps[i], message_block, i);
    }
    trace_builder_finish(&builder, stamps[4], bench);
    struct stream stream = stream_of(&counts);
    size_t at = check_packet(&stream, 0, 1000, 1000, 0, 0);

    CHECK_EQUAL(check_packet(&stream, at, 1000, stamps[4], 1, 0), stream.length);
    at += PACKET_EVENTS;
    for (size_t i = 0; i < 5; i++) {
        if (is_short[i]) {
            CHECK((number_at(&stream, at, 1) & 31) < 31);
            CHECK_EQUAL(number_at(&stream, at, 4) >> 5, stamps[i] % far);
            at += 4;
        } else {
            CHECK_EQUAL(number_at(&stream, at, 1), 31);
            CHECK_EQUAL(number_at(&stream, at + 5, 8), stamps[i]);
            at += 13;
        }
        CHECK_EQUAL(number_at(&stream, at, 2), i);
        at += 2;
    }
    CHECK_EQUAL(at, stream.length);
    free(stream.bytes);
    run_free(&run);
}

/* 100000 events of 6 bytes: packets of at most 64 KiB, without a hole. */
static void test_packets(void)
{
    struct trace_builder builder;
    struct trace_export_counts counts;
    uint64_t packets = 0;
    uint64_t before = 0;

    begin(GHZ);
    trace_builder_init(&builder, 0, TRACE_PACKET_BYTES);
    for (uint64_t i = 0; i < 100000; i++) {
        TRACE_ADD(&builder, i * 100, message_block, i);
    }
    trace_builder_finish(&builder, 100000 * 100, bench);
    struct stream stream = stream_of(&counts);

    for (size_t at = 0; at + PACKET_EVENTS <= stream.length && packets < 100; packets++) {
        const uint64_t size = number_at(&stream, at + PACKET_SIZE, 8) / 8;

        CHECK(size <= 65536);
        CHECK(number_at(&stream, at + PACKET_BEGIN, 8) >= before);
        before = number_at(&stream, at + PACKET_END, 8);
        at =
            check_packet(&stream, at, number_at(&stream, at + PACKET_BEGIN, 8), before, packets, 0);
    }
    CHECK_EQUAL(counts.events, 100000);
    CHECK_EQUAL(before, 100000 * 100);
    CHECK(packets >= 10 && packets <= 12);
    free(stream.bytes);
    run_free(&run);
}

/* Overwritten at first, then a packet lost, then discarded at the end; and another part. */
static void test_losses(void)
{
    struct trace_builder builder;
    struct trace_export_counts counts;

    begin(GHZ);
    trace_builder_init(&builder, 100, 256);
    TRACE_ADD(&builder, 110, tick, 0);
    TRACE_ADD(&builder, 120, tick, 0);
    trace_builder_overwrite(&builder);
    trace_builder_turn(&builder, 130, 140, 0);
    TRACE_ADD(&builder, 150, tick, 1);
    trace_builder_turn(&builder, 160, 170, 0);
    TRACE_ADD(&builder, 180, tick, 2);
    trace_builder_lose(&builder);
    trace_builder_turn(&builder, 190, 200, 0);
    TRACE_ADD(&builder, 210, tick, 3);
    trace_builder_discard(&builder, 5);
    trace_builder_turn(&builder, 220, 230, 0);
    trace_builder_lose(&builder);
    trace_builder_finish(&builder, 300, bench);
    trace_builder_init(&builder, 400, 256);
    TRACE_ADD(&builder, 410, tick, 4);
    trace_builder_finish(&builder, 500, bench);
    struct stream stream = stream_of(&counts);
    size_t at = check_packet(&stream, 0, 100, 100, 0, 0);

    at = check_packet(&stream, at, 140, 140, 1, 2);
    at = check_packet(&stream, at, 150, 150, 2, 2);
    at = check_packet(&stream, at, 200, 200, 4, 7);
    at = check_packet(&stream, at, 210, 210, 5, 7);
    at = check_packet(&stream, at, 300, 300, 7, 7);
    at = check_packet(&stream, at, 410, 500, 8, 7);
    CHECK_EQUAL(at, stream.length);
    CHECK_EQUAL(counts.events, 3);
    CHECK_EQUAL(counts.packets, 2);
    CHECK_EQUAL(counts.discarded, 7);
    free(stream.bytes);
    run_free(&run);
}

static void test_parts_in_disorder(void)
{
    struct trace_builder builder;
    struct trace_export_counts counts;
    struct temporary temporary = {.path = ""};
    char error[TRACE_EXPORT_ERROR_MAX];

    begin(GHZ);
    trace_builder_init(&builder, 400, 256);
    trace_builder_finish(&builder, 500, bench);
    trace_builder_init(&builder, 499, 256);
    trace_builder_finish(&builder, 600, bench);
    CHECK(temporary_create(&temporary));
    CHECK(!trace_export_ctf(&run, bench, temporary.path, &counts, error));
    CHECK(strstr(error, "part 2") != NULL);
    temporary_remove(&temporary);
    CHECK(!trace_export_ctf(&run, bench, "/nonexistent/directory", &counts, error));
    CHECK(strstr(error, "/nonexistent/directory") != NULL);
    run_free(&run);
}

/* ---- directories ---- */

static void make_export(const char *path, const char *name, bool all, const char *expected)
{
    struct export_directory directory;
    struct trace_export_counts counts;
    char error[EXPORT_ERROR_MAX] = "";
    char inside[EXPORT_PATH_MAX];

    CHECK(export_directory_open(&directory, path, EXPORT_TRACES, false, error));
    if (export_directory_add(&directory, name, inside, error)) {
        CHECK(trace_export_ctf(&run, bench, inside, &counts, error));
        CHECK(export_directory_commit(&directory, all, error));
    } else {
        export_directory_discard(&directory);
    }
    CHECK_TEXT(error, expected);
}

static size_t entries(const char *path)
{
    DIR *directory = opendir(path);
    size_t count = 0;

    if (directory != NULL) {
        while (readdir(directory) != NULL) {
            count++;
        }
        closedir(directory);
    }
    return count < 2 ? 0 : count - 2;
}

static bool exists(const char *path, const char *name)
{
    char whole[EXPORT_PATH_MAX];

    snprintf(whole, sizeof(whole), "%s/%s", path, name);
    return access(whole, F_OK) == 0;
}

static void test_directories(void)
{
    struct temporary temporary = {.path = ""};
    struct export_directory directory;
    char path[TEMPORARY_PATH_MAX];
    char error[EXPORT_ERROR_MAX];
    char command[TEMPORARY_PATH_MAX + 16];

    begin(GHZ);
    CHECK(temporary_create(&temporary));
    temporary_name(&temporary, "out", path);
    CHECK(export_directory_open(&directory, path, EXPORT_TRACES, false, error));
    export_directory_discard(&directory);
    CHECK(access(path, F_OK) != 0);
    make_export(path, "one", true, "");
    make_export(path, "two", false, "");
    CHECK(exists(path, "one/kernel/metadata") && exists(path, "two/kernel/stream_0"));
    CHECK_EQUAL(entries(path), 2);
    make_export(path, "three", true, "");
    CHECK(exists(path, "three/kernel/metadata") && !exists(path, "one"));
    CHECK_EQUAL(entries(path), 1);
    make_export(path, "../four", true, "\"../four\": a file in a directory cannot have that name");
    make_export(path, ".hidden", true, "\".hidden\": a file in a directory cannot have that name");
    CHECK_EQUAL(entries(path), 1);
    CHECK_EQUAL(entries(temporary.path), 1);
    snprintf(command, sizeof(command), "rm -r %s", path);
    CHECK_EQUAL(system(command), 0); /* NOLINT: a path of our own */
    temporary_remove(&temporary);
    run_free(&run);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        return print_lines(argv[1], argv[2]);
    }
    RUN(test_scheduler_events());
    RUN(test_other_events());
    RUN(test_input_events());
    RUN(test_disk_events());
    RUN(test_stamps());
    RUN(test_all_classes());
    RUN(test_csv());
    RUN(test_headers());
    RUN(test_packets());
    RUN(test_losses());
    RUN(test_parts_in_disorder());
    RUN(test_directories());
    return unit_finish("unit_export");
}
