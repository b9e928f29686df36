/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows made by hand are joined with a run made by hand. */
#include "tools/qemu/join.h"

#include <stdio.h>
#include <unistd.h>

#include "kernel/link/names.h"
#include "kernel/pmu/names.h"
#include "tools/base/partial_file.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define TICKS 8
#define BIAS  1000003 /* no multiple of TICKS */
#define BEGIN 0x100   /* addresses */
#define END   0x104
#define FROM  0x200
#define TO    0x204
#define IDLE  0x300

/* A file of rows while it is written. */
static const char *const event_names[ROW_COLUMNS] = {COUNT_INSTRUCTIONS,  COUNT_LOADS,
                                                     COUNT_STORES,        COUNT_MISALIGNED,
                                                     COUNT_SEGMENT_LOADS, COUNT_ADDRESS_SPACE_LOADS,
                                                     COUNT_DTLB_MISSES,   COUNT_ITLB_MISSES};

struct made {
    struct temporary folder;
    char path[TEMPORARY_PATH_MAX];
    FILE *file;
    uint64_t instructions; /* at the last row */
};

static void make(struct made *made)
{
    const struct row_header header = {.magic = ROW_MAGIC};

    CHECK(temporary_create(&made->folder));
    temporary_name(&made->folder, "rows", made->path);
    made->file = fopen(made->path, "wb");
    made->instructions = 0;
    fwrite(&header, sizeof(header), 1, made->file);
}

/* `rows` rows of an address, each behind so many instructions and loads. Returns the TSC of the
 * last. */
static int64_t add(struct made *made, uint64_t address, uint64_t rows, uint64_t instructions,
                   uint64_t loads)
{
    const struct row_record record = {.address = address,
                                      .rows = rows,
                                      .counted = {[ROW_INSTRUCTIONS] = instructions,
                                                  [ROW_LOADS] = loads,
                                                  [ROW_DTLB_MISSES] = loads / 10}};

    fwrite(&record, sizeof(record), 1, made->file);
    made->instructions += rows * instructions;
    return BIAS + (int64_t)(TICKS * made->instructions);
}

static void open_made(struct made *made, struct rows *rows)
{
    char error[ROWS_ERROR_MAX];

    add(made, ROW_END, 1, 5, 0);
    fclose(made->file);
    CHECK(rows_open(rows, made->path, error));
}

static void begin_run(struct run *run)
{
    run_init(run);
    run_add_pair(run, &run->info, INFO_KIND, TIME_EXACT);
    run_add_pair(run, &run->info, INFO_TICKS_PER_INSTRUCTION, "8");
}

static int64_t sample(const struct run_bench *bench, const char *of, enum row_column column,
                      size_t index)
{
    const struct run_series *series = run_find_counts(bench, of, event_names[column]);

    return series != NULL && index < series->n ? series->samples[index] : -1;
}

/* Firmware's polls, then a bench whose samples lie between FROM and TO, once a warm-up before. */
static void add_bench(struct made *made, struct run_bench *bench, const uint64_t loads[4])
{
    build_fact(bench, "began", add(made, BEGIN, 1, 90, 1));
    for (unsigned i = 0; i < 4; i++) {
        add(made, FROM, 1, 7, 3);
        add(made, TO, 1, 20 + i, loads[i]);
    }
    build_fact(bench, "ended", add(made, END, 1, 50, 0));
}

static void test_lengths(void)
{
    static const int64_t lengths[] = {21 * TICKS, 22 * TICKS, 23 * TICKS};
    static const int64_t others[] = {400 * TICKS};
    static const int64_t odd[] = {21 * TICKS + 1};
    const uint64_t loads[] = {1, 20, 30, 40};
    struct made made;
    struct rows rows;
    struct run run;
    struct join_counts counts;
    char error[ROWS_ERROR_MAX];

    make(&made);
    begin_run(&run);
    add(&made, 0x10, 1000, 13, 2);
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_series(bench, "lengths", NULL, NULL, lengths, 3);
    build_series(bench, "others", NULL, NULL, others, 1);
    build_series(bench, "odd", NULL, NULL, odd, 1);
    add_bench(&made, bench, loads);
    open_made(&made, &rows);
    CHECK(join_rows(&run, &rows, &counts, error));
    CHECK_EQUAL(counts.joined, 1);
    CHECK_EQUAL(counts.absent, 2);
    bench = &run.benches[0];
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQUAL(sample(bench, "lengths", ROW_INSTRUCTIONS, i), (int64_t)(21 + i));
        CHECK_EQUAL(sample(bench, "lengths", ROW_LOADS, i), (int64_t)loads[i + 1]);
        CHECK_EQUAL(sample(bench, "lengths", ROW_DTLB_MISSES, i), (int64_t)loads[i + 1] / 10);
    }
    CHECK_EQUAL(sample(bench, "others", ROW_LOADS, 0), -1);
    CHECK_EQUAL(bench->absent_count, 1);
    CHECK_TEXT(bench->absents[0].reason,
               "not lengths between two readings of the TSC: others, odd");
    CHECK_EQUAL(run.event_count, ROW_COLUMNS);
    CHECK_TEXT(run.events[ROW_DTLB_MISSES].source, "plugin-model");
    rows_close(&rows);
    temporary_remove(&made.folder);
    run_free(&run);
}

/* Lengths that are the same everywhere: counts are known where they are, too. */
static void test_several_places(void)
{
    static const int64_t same[] = {20 * TICKS};
    struct made made;
    struct rows rows;
    struct run run;
    struct join_counts counts;
    char error[ROWS_ERROR_MAX];

    make(&made);
    begin_run(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_series(bench, "same", NULL, NULL, same, 1);
    build_fact(bench, "began", add(&made, BEGIN, 1, 90, 1));
    for (unsigned i = 0; i < 2; i++) {
        add(&made, FROM, 1, 7, 3);
        add(&made, TO, 1, 20, 11 + i);
    }
    build_fact(bench, "ended", add(&made, END, 1, 50, 0));
    open_made(&made, &rows);
    CHECK(join_rows(&run, &rows, &counts, error));
    bench = &run.benches[0];
    CHECK_EQUAL(sample(bench, "same", ROW_INSTRUCTIONS, 0), 20);
    CHECK_EQUAL(sample(bench, "same", ROW_DTLB_MISSES, 0), 1);
    CHECK(run_find_counts(bench, "same", event_names[ROW_LOADS]) == NULL);
    CHECK_EQUAL(bench->absent_count, 1);
    CHECK_TEXT(bench->absents[0].reason,
               "several intervals fit, and their counts differ: same.loads");
    rows_close(&rows);
    temporary_remove(&made.folder);
    run_free(&run);
}

/* Samples in order, with warm-ups between them in no step: what may lie at several places is known
 * where these agree. */
static void test_order(void)
{
    static const uint64_t stretches[] = {30, 20, 21, 21, 30, 30, 22, 23, 30, 24};
    static const int64_t lengths[] = {20 * TICKS, 21 * TICKS, 22 * TICKS, 23 * TICKS, 24 * TICKS};
    struct made made;
    struct rows rows;
    struct run run;
    struct join_counts counts;
    char error[ROWS_ERROR_MAX];

    make(&made);
    begin_run(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_series(bench, "lengths", NULL, NULL, lengths, 5);
    build_fact(bench, "began", add(&made, BEGIN, 1, 90, 1));
    for (unsigned i = 0; i < 10; i++) {
        add(&made, FROM, 1, 7, 3);
        add(&made, TO, 1, stretches[i], 10 + i); /* both of 21 have 1 miss, and 12 or 13 loads */
    }
    build_fact(bench, "ended", add(&made, END, 1, 50, 0));
    open_made(&made, &rows);
    CHECK(join_rows(&run, &rows, &counts, error));
    bench = &run.benches[0];
    CHECK_EQUAL(counts.joined, 1);
    CHECK_EQUAL(sample(bench, "lengths", ROW_INSTRUCTIONS, 2), 22);
    CHECK_EQUAL(sample(bench, "lengths", ROW_DTLB_MISSES, 1), 1);
    CHECK_EQUAL(sample(bench, "lengths", ROW_LOADS, 0), -1);
    CHECK_TEXT(bench->absents[0].reason,
               "several intervals fit, and their counts differ: lengths.loads");
    rows_close(&rows);
    temporary_remove(&made.folder);
    run_free(&run);
}

/* Of an idle loop it is known where it begins: samples that are all the same have one place. */
static void test_idle(void)
{
    static const int64_t idle[] = {10 * TICKS, 10 * TICKS, 30 * TICKS};
    struct made made;
    struct rows rows;
    struct run run;
    struct join_counts counts;
    char error[ROWS_ERROR_MAX];

    make(&made);
    begin_run(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_series(bench, "idle", NULL, NULL, idle, 3);
    build_fact(bench, "began", add(&made, BEGIN, 1, 90, 1));
    add(&made, IDLE, 1, 10, 5);
    const int64_t origin = add(&made, IDLE, 1, 10, 6);

    add(&made, IDLE, 2, 10, 7);
    add(&made, FROM, 1, 12, 50);
    add(&made, IDLE, 1, 18, 50);
    build_fact(bench, "ended", add(&made, END, 1, 50, 0));
    build_fact(bench, "idle_origin", 40);
    build_trace(bench, NULL, 0)->begin = (uint64_t)origin - 40;
    open_made(&made, &rows);
    CHECK(join_rows(&run, &rows, &counts, error));
    bench = &run.benches[0];
    CHECK_EQUAL(sample(bench, "idle", ROW_LOADS, 0), 7);
    CHECK_EQUAL(sample(bench, "idle", ROW_LOADS, 1), 7);
    CHECK_EQUAL(sample(bench, "idle", ROW_LOADS, 2), 100);
    CHECK_EQUAL(bench->absent_count, 0);
    rows_close(&rows);
    temporary_remove(&made.folder);
    run_free(&run);
}

/* Facts of each phase, from its mark to the next or to mark "over"; other marks begin none. */
static void test_phases(void)
{
    static const int64_t phases[] = {4, 4, 5};
    struct trace_builder builder;
    struct made made;
    struct rows rows;
    struct run run;
    struct join_counts counts;
    char error[ROWS_ERROR_MAX];
    int64_t at[6];

    make(&made);
    begin_run(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_series(bench, "phase", NULL, NULL, phases, 3)->unit = "code";
    build_object(bench, "mark", 3, "other");
    build_object(bench, "mark", 4, "in_kernel.hand");
    build_object(bench, "mark", 5, "server.hand");
    build_object(bench, "mark", 6, "over");
    build_fact(bench, "began", add(&made, BEGIN, 1, 90, 1));
    for (unsigned i = 0; i < 6; i++) {
        at[i] = add(&made, FROM, 1, 200 + i, 100 + i);
    }
    build_fact(bench, "ended", add(&made, END, 1, 50, 0));
    trace_builder_init(&builder, (uint64_t)at[0] - 80, TRACE_PACKET_BYTES);
    TRACE_ADD(&builder, (uint64_t)at[0], mark, 4, 0);
    TRACE_ADD(&builder, (uint64_t)at[1], mark, 3, 0);
    TRACE_ADD(&builder, (uint64_t)at[2], mark, 5, 0);
    TRACE_ADD(&builder, (uint64_t)at[4], mark, 6, 0);
    TRACE_ADD(&builder, (uint64_t)at[5], mark, 3, 0);
    trace_builder_finish(&builder, (uint64_t)at[5] + 80, bench);
    open_made(&made, &rows);
    CHECK(join_rows(&run, &rows, &counts, error));
    bench = &run.benches[0];
    CHECK_EQUAL(run_fact_or(bench, "instructions.in_kernel.hand", -1), 201 + 202);
    CHECK_EQUAL(run_fact_or(bench, "loads.in_kernel.hand", -1), 101 + 102);
    CHECK_EQUAL(run_fact_or(bench, "loads.server.hand", -1), 103 + 104);
    CHECK_EQUAL(run_fact_or(bench, "dtlb-misses.server.hand", -1), 20);
    CHECK(run_find_fact(bench, "loads.other") == NULL);
    CHECK_EQUAL(bench->absent_count, 0);
    rows_close(&rows);
    temporary_remove(&made.folder);
    run_free(&run);
}

/* Records were discarded in the second phase: it has no counts, and why is reported. */
static void test_phases_cut(void)
{
    static const int64_t phases[] = {4, 5};
    struct trace_builder builder;
    struct made made;
    struct rows rows;
    struct run run;
    struct join_counts counts;
    char error[ROWS_ERROR_MAX];
    int64_t at[3];

    make(&made);
    begin_run(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_series(bench, "phase", NULL, NULL, phases, 2)->unit = "code";
    build_object(bench, "mark", 4, "in_kernel.hand");
    build_object(bench, "mark", 5, "server.hand");
    build_fact(bench, "began", add(&made, BEGIN, 1, 90, 1));
    for (unsigned i = 0; i < 3; i++) {
        at[i] = add(&made, FROM, 1, 200 + i, 100 + i);
    }
    build_fact(bench, "ended", add(&made, END, 1, 50, 0));
    trace_builder_init(&builder, (uint64_t)at[0] - 80, TRACE_PACKET_BYTES);
    TRACE_ADD(&builder, (uint64_t)at[0], mark, 4, 0);
    TRACE_ADD(&builder, (uint64_t)at[1], mark, 5, 0);
    trace_builder_turn(&builder, (uint64_t)at[1] + 8, (uint64_t)at[1] + 16, 0);
    trace_builder_discard(&builder, 3);
    TRACE_ADD(&builder, (uint64_t)at[2], mark, 9, 0);
    trace_builder_finish(&builder, (uint64_t)at[2] + 80, bench);
    open_made(&made, &rows);
    CHECK(join_rows(&run, &rows, &counts, error));
    bench = &run.benches[0];
    CHECK_EQUAL(run_fact_or(bench, "loads.in_kernel.hand", -1), 101);
    CHECK(run_find_fact(bench, "loads.server.hand") == NULL);
    CHECK_EQUAL(bench->absent_count, 1);
    CHECK_TEXT(bench->absents[0].name, "counts of phases");
    rows_close(&rows);
    temporary_remove(&made.folder);
    run_free(&run);
}

/* Times of events: the handler that read the byte and not the one in between, its end, and the next
 * call of the thread that took it. A record without a row has no count. */
static void test_events(void)
{
    struct trace_builder builder;
    struct made made;
    struct rows rows;
    struct run run;
    struct join_counts counts;
    char error[ROWS_ERROR_MAX];
    int64_t at[8];

    make(&made);
    begin_run(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_fact(bench, "began", add(&made, BEGIN, 1, 90, 1));
    for (unsigned i = 0; i < 8; i++) {
        at[i] = add(&made, FROM, 1, 200 + i, 100 + i);
    }
    build_fact(bench, "ended", add(&made, END, 1, 50, 0));
    trace_builder_init(&builder, (uint64_t)at[0] - 80, TRACE_PACKET_BYTES);
    TRACE_ADD(&builder, (uint64_t)at[0], thread_is, 3, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&builder, (uint64_t)at[1], isr_entry, 33);
    TRACE_ADD(&builder, (uint64_t)at[2], isr_entry, 34);
    TRACE_ADD(&builder, (uint64_t)at[3], input, 1, 0, 0, (uint64_t)at[1] + 40);
    TRACE_ADD(&builder, (uint64_t)at[4], queue_take, 5, 0, 1, 0);
    TRACE_ADD(&builder, (uint64_t)at[5], input_done, 5, 1);
    TRACE_ADD(&builder, (uint64_t)at[5] + 8, input_done, 5, 1);
    TRACE_ADD(&builder, (uint64_t)at[6], queue_call, 5, QUEUE_CALL_GET);
    TRACE_ADD(&builder, (uint64_t)at[7], queue_call, 5, QUEUE_CALL_GET);
    trace_builder_finish(&builder, (uint64_t)at[7] + 80, bench);
    open_made(&made, &rows);
    CHECK(join_rows(&run, &rows, &counts, error));
    bench = &run.benches[0];
    const struct run_series *times = run_find_series(bench, "counted_at");

    CHECK(times != NULL && times->n == 4);
    CHECK_EQUAL(times->samples[1], at[1] - at[0] + 80);
    CHECK_EQUAL(times->samples[2], at[5] - at[0] + 80);
    CHECK_EQUAL(times->samples[3], at[6] - at[0] + 80);
    CHECK_EQUAL(sample(bench, "counted_at", ROW_LOADS, 0), 0);
    CHECK_EQUAL(sample(bench, "counted_at", ROW_LOADS, 1), 100 + 101);
    CHECK_EQUAL(sample(bench, "counted_at", ROW_LOADS, 2), 100 + 101 + 102 + 103 + 104 + 105);
    CHECK_EQUAL(sample(bench, "counted_at", ROW_INSTRUCTIONS, 1), 200 + 201);
    rows_close(&rows);
    temporary_remove(&made.folder);
    run_free(&run);
}

/* A bench in which instructions are lost has no counts; the one behind it does. */
static void test_lost_count(void)
{
    static const int64_t lengths[] = {20 * TICKS, 21 * TICKS};
    const uint64_t loads[] = {1, 2, 3, 4};
    struct made made;
    struct rows rows;
    struct run run;
    struct join_counts counts;
    char error[ROWS_ERROR_MAX];

    make(&made);
    begin_run(&run);
    for (unsigned i = 0; i < 4; i++) {
        static const char *const names[] = {"a", "b", "c", "d"};
        struct run_bench *bench = build_bench(&run, names[i], 1);

        build_series(bench, "lengths", NULL, NULL, lengths, 2);
        add(&made, 0x10, 1, 100 + 7 * i, 0);
        add_bench(&made, bench, loads);
        if (i >= 2) { /* the TSC goes on by 3 instructions more in c */
            bench->facts[1].value += 3 * TICKS;
            bench->facts[0].value += i > 2 ? 3 * TICKS : 0;
        }
    }
    open_made(&made, &rows);
    CHECK(join_rows(&run, &rows, &counts, error));
    CHECK_EQUAL(sample(&run.benches[1], "lengths", ROW_LOADS, 1), 2);
    CHECK_EQUAL(sample(&run.benches[2], "lengths", ROW_LOADS, 1), -1);
    CHECK_TEXT(run.benches[2].absents[0].reason, "the plugin lost track of faults in this bench");
    CHECK_EQUAL(sample(&run.benches[3], "lengths", ROW_LOADS, 1), 2);
    rows_close(&rows);
    temporary_remove(&made.folder);
    run_free(&run);
}

/* Of another run, in another kind of time, cut or none at all: refused with the reason. */
static void test_refused(void)
{
    const uint64_t loads[] = {1, 2, 3, 4};
    struct made made;
    struct rows rows;
    struct run run;
    struct join_counts counts;
    char error[ROWS_ERROR_MAX];

    make(&made);
    begin_run(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    add_bench(&made, bench, loads);
    open_made(&made, &rows);
    bench->facts[1].value += 8;
    CHECK(!join_rows(&run, &rows, &counts, error));
    CHECK_TEXT(error, "the plugin's rows do not match the starts and ends of the benches");
    bench->facts[1].value -= 8;
    CHECK(join_rows(&run, &rows, &counts, error));
    rows_close(&rows);
    CHECK(truncate(made.path, sizeof(struct row_header) + 3 * sizeof(struct row_record)) == 0);
    CHECK(!rows_open(&rows, made.path, error));
    CHECK(truncate(made.path, sizeof(struct row_header) - 1) == 0);
    CHECK(!rows_open(&rows, made.path, error));
    temporary_remove(&made.folder);
    CHECK(!rows_open(&rows, made.path, error));
    run_free(&run);
    run_init(&run);
    CHECK(!join_rows(&run, &rows, &counts, error));
    CHECK_TEXT(error, "the run is not in exact time");
    run_free(&run);
}

int main(void)
{
    RUN(test_lengths());
    RUN(test_several_places());
    RUN(test_order());
    RUN(test_idle());
    RUN(test_phases());
    RUN(test_phases_cut());
    RUN(test_events());
    RUN(test_lost_count());
    RUN(test_refused());
    return unit_finish("unit_join");
}
