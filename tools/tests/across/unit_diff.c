/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where two runs differ: 1,000 run files, in each of which one number is another one by an
 * instruction, through the run file's writer and reader.
 *
 *     unit_diff [FILES]
 */
#include <stdlib.h>
#include <unistd.h>

#include "kernel/run/names.h"
#include "tools/judge/diff.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define FILES           1000
#define INSTRUCTION     8 /* ticks */
#define BENCHES         4
#define SERIES          3
#define SAMPLES         20
#define RECORDS         100 /* of each part */
#define PARTS           2
#define RECORD_DISTANCE 160
#define BEGIN           34359738368

/* What is changed; its place in the run. */
enum change {
    CHANGE_NOTHING,
    CHANGE_SAMPLE,
    CHANGE_STAMP, /* of a record */
    CHANGE_FIELD, /* of a record */
    CHANGE_FACT,
    CHANGE_BEGAN,
    CHANGE_END, /* of a trace */
    CHANGE_MACHINE,
    CHANGES,
};

struct place {
    enum change change;
    size_t bench, series, sample, part, record;
};

static const char *const bench_names[BENCHES] = {"zeta", "alpha", "mid", "beta"};
static const char *const series_names[SERIES] = {"zeros", "ones", "all"};

/* As much as the number is more than it was. */
static int64_t more(bool here)
{
    return here ? INSTRUCTION : 0;
}

static void make_series(struct run_bench *bench, const struct place *place, bool here)
{
    int64_t samples[SAMPLES];

    for (size_t s = 0; s < SERIES; s++) {
        for (size_t i = 0; i < SAMPLES; i++) {
            samples[i] = (int64_t)(1000 + 8 * (i * i % 7) + 800 * s) +
                         more(here && place->change == CHANGE_SAMPLE && place->series == s &&
                              place->sample == i);
        }
        struct run_series *series =
            build_series(bench, series_names[s], NULL, NULL, samples, SAMPLES);

        series->crc = run_series_crc(series);
    }
}

static void make_part(struct run_bench *bench, const struct place *place, bool here, size_t part,
                      uint64_t begin)
{
    struct trace_builder builder;
    uint64_t last = begin;

    trace_builder_init(&builder, begin, TRACE_PACKET_BYTES);
    for (size_t i = 0; i < RECORDS; i++) {
        const bool this = here && place->part == part && place->record == i;
        const uint64_t tsc = begin + (i + 1) * RECORD_DISTANCE +
                             (uint64_t)more(this && place->change == CHANGE_STAMP);

        TRACE_ADD(&builder, tsc, thread_ready,
                  i % 5 + (this && place->change == CHANGE_FIELD ? 1 : 0), 2);
        last = tsc;
    }
    struct run_trace *trace =
        trace_builder_finish(&builder, begin + (RECORDS + 2) * RECORD_DISTANCE, bench);

    CHECK(last < trace->end);
    trace->end += (uint64_t)more(here && place->change == CHANGE_END && place->part == part);
    trace->mode = "stop";
}

static void make_bench(struct run *run, size_t number, const struct place *place)
{
    struct run_bench *bench = build_bench(run, bench_names[number], 1);
    const uint64_t begin = BEGIN + number * 10000000;
    const bool here = place->bench == number;

    make_series(bench, place, here);
    for (size_t part = 0; part < PARTS && number % 2 == 1; part++) {
        make_part(bench, place, here, part, begin + 1000 + part * 1000000);
    }
    build_fact(bench, "elapsed", 12345 + more(here && place->change == CHANGE_FACT));
    build_fact(bench, FACT_BEGAN, (int64_t)begin + more(here && place->change == CHANGE_BEGAN));
    build_fact(bench, FACT_ENDED, (int64_t)begin + 9000000);
}

static void make_run(struct run *run, const struct place *place)
{
    run_init(run);
    run_add_pair(run, &run->info, "kind", "exact");
    run_add_pair(run, &run->info, "ticks_per_instruction", "8");
    run_add_pair(run, &run->machine, "tsc_at_begin", "34359738368");
    run_add_pair(run, &run->machine, "ticks_exit_to_banner",
                 place->change == CHANGE_MACHINE ? "4000008" : "4000000");
    run->verdict = (struct run_verdict){true, true, 1000000000, "hpet,pm_timer", NULL};
    for (size_t i = 0; i < BENCHES; i++) {
        make_bench(run, i, place);
    }
    run->ended = true;
}

static struct place draw(uint64_t *seed)
{
    struct place place = {
        .change = (enum change)(1 + unit_random(seed) % (CHANGES - 1)),
        .bench = unit_random(seed) % BENCHES,
        .series = unit_random(seed) % SERIES,
        .sample = unit_random(seed) % SAMPLES,
        .part = unit_random(seed) % PARTS,
        .record = unit_random(seed) % RECORDS,
    };

    if (place.change == CHANGE_STAMP || place.change == CHANGE_FIELD ||
        place.change == CHANGE_END) {
        place.bench |= 1; /* those that are traced */
    }
    return place;
}

/* What the first difference must be of. */
static void name_place(const struct place *place, char what[DIFF_WHAT_MAX])
{
    static const char *const facts[CHANGES] = {
        [CHANGE_FACT] = "fact elapsed",
        [CHANGE_BEGAN] = "fact began",
        [CHANGE_MACHINE] = "machine ticks_exit_to_banner",
    };

    switch (place->change) {
    case CHANGE_SAMPLE:
        snprintf(what, DIFF_WHAT_MAX, "series %s", series_names[place->series]);
        break;
    case CHANGE_STAMP:
    case CHANGE_FIELD:
        snprintf(what, DIFF_WHAT_MAX, "trace part %zu", place->part + 1);
        break;
    case CHANGE_END:
        snprintf(what, DIFF_WHAT_MAX, "trace part %zu, end", place->part + 1);
        break;
    default:
        snprintf(what, DIFF_WHAT_MAX, "%s", facts[place->change]);
        break;
    }
}

static bool is_located(const struct diff *diff, const struct place *place)
{
    const struct diff_item *item = &diff->item[diff->at];
    const bool in_bench = place->change != CHANGE_MACHINE;
    char what[DIFF_WHAT_MAX];
    uint64_t first = 0;

    if (diff->count == 0) {
        return false;
    }
    name_place(place, what);
    if (place->change == CHANGE_SAMPLE) {
        first = place->sample;
    } else if (place->change == CHANGE_STAMP || place->change == CHANGE_FIELD) {
        first = place->record;
    }
    return strcmp(item->what, what) == 0 && item->first == first && item->count == 1 &&
           (item->bench != NULL) == in_bench &&
           (!in_bench || strcmp(item->bench, bench_names[place->bench]) == 0) &&
           (place->change == CHANGE_FIELD ||
            (item->has_shift && item->first_shift == INSTRUCTION && item->low == INSTRUCTION &&
             item->high == INSTRUCTION));
}

/* By way of a run file. */
static bool read_back(const char *path, const struct place *place, struct run *run)
{
    char error[RUNFILE_ERROR_MAX];
    struct run made;

    make_run(&made, place);
    const bool good = runfile_write(path, &made, error);

    run_free(&made);
    run_init(run);
    if (!good || !runfile_read(path, run, error)) {
        fprintf(stderr, "unit_diff: %s\n", error);
        return false;
    }
    return true;
}

static void test_files(unsigned long files)
{
    static const struct place nothing = {.change = CHANGE_NOTHING};
    char paths[2][64] = {"/tmp/tare-diff-a-XXXXXX", "/tmp/tare-diff-b-XXXXXX"};
    unsigned long located = 0;
    uint64_t seed = 29;
    struct run base;

    close(mkstemp(paths[0]));
    close(mkstemp(paths[1]));
    CHECK(read_back(paths[0], &nothing, &base));
    for (unsigned long i = 0; i < files; i++) {
        const struct place place = draw(&seed);
        struct diff diff;
        struct run changed;

        if (read_back(paths[1], &place, &changed) && diff_runs(&diff, &base, &changed)) {
            located += is_located(&diff, &place);
            diff_free(&diff);
        }
        run_free(&changed);
    }
    printf("unit_diff: located %lu of %lu\n", located, files);
    CHECK_EQUAL(located, files);
    run_free(&base);
    unlink(paths[0]);
    unlink(paths[1]);
}

static void test_equal(void)
{
    static const struct place nothing = {.change = CHANGE_NOTHING};
    struct diff diff;
    struct run a;
    struct run b;

    make_run(&a, &nothing);
    make_run(&b, &nothing);
    run_add_pair(&a, &a.info, "run", "1");
    run_add_pair(&b, &b.info, "run", "2");
    run_add_pair(&b, &b.info, "image.sha256", "ff");
    CHECK(diff_runs(&diff, &a, &b));
    CHECK_EQUAL(diff.count, 0);
    CHECK_EQUAL(diff.series_total, BENCHES * SERIES);
    CHECK_EQUAL(diff.record_total, BENCHES / 2 * PARTS * RECORDS);
    diff_free(&diff);
    run_free(&a);
    run_free(&b);
}

/* The first in time, not by name: bench zeta runs before alpha. */
static void test_order(void)
{
    static const struct place nothing = {.change = CHANGE_NOTHING};
    struct diff_bench bench;
    struct diff diff;
    struct run a;
    struct run b;

    make_run(&a, &nothing);
    make_run(&b, &nothing);
    b.benches[1].series[0].samples[0] += 8;
    b.benches[0].series[2].samples[5] += 16;
    b.benches[3].facts[0].value++;
    CHECK(diff_runs(&diff, &a, &b));
    CHECK_TEXT(diff.item[diff.at].bench, "zeta");
    CHECK_TEXT(diff.item[diff.at].what, "series all");
    CHECK_EQUAL(diff.item[diff.at].first, 5);
    CHECK_EQUAL(diff.item[diff.at].low, 16);
    CHECK_EQUAL(diff.benches, 3);
    CHECK_EQUAL(diff.series, 2);
    CHECK_EQUAL(diff.samples, 2);
    CHECK(diff_bench_of(&a, &diff.item[diff.at], &bench));
    CHECK_EQUAL(bench.number, 1);
    CHECK_EQUAL(bench.began, BEGIN);
    diff_free(&diff);
    run_free(&a);
    run_free(&b);
}

/* A tail that is shifted, samples and a bench that are missing. */
static void test_extent(void)
{
    static const struct place nothing = {.change = CHANGE_NOTHING};
    struct diff diff;
    struct run a;
    struct run b;

    make_run(&a, &nothing);
    make_run(&b, &nothing);
    for (size_t i = 15; i < SAMPLES; i++) {
        b.benches[0].series[0].samples[i] += 8;
    }
    build_hole(&b.benches[0].series[1], 7);
    build_bench(&b, "new", 1);
    CHECK(diff_runs(&diff, &a, &b));
    CHECK_EQUAL(diff.count, 3);
    CHECK_EQUAL(diff.item[0].first, 15);
    CHECK_EQUAL(diff.item[0].count, SAMPLES - 15);
    CHECK(diff.item[0].constant);
    CHECK_EQUAL(diff.item[1].first, 7);
    CHECK_TEXT(diff.item[1].b, "-");
    CHECK_EQUAL(diff.item[1].count, 1);
    CHECK_TEXT(diff.item[2].bench, "new");
    CHECK_TEXT(diff.item[2].a, "-");
    diff_free(&diff);
    run_free(&a);
    run_free(&b);
}

static void test_objections(void)
{
    static const struct place nothing = {.change = CHANGE_NOTHING};
    char text[DIFF_REASON_MAX];
    struct run a;
    struct run b;

    make_run(&a, &nothing);
    run_init(&b);
    CHECK(diff_objection(&a, &a, text) == NULL);
    run_add_pair(&b, &b.info, "kind", "real");
    CHECK(diff_objection(&a, &b, text) != NULL);
    CHECK(strstr(text, "second") != NULL && strstr(text, "real") != NULL);
    run_free(&b);
    run_init(&b);
    run_add_pair(&b, &b.info, "kind", "exact");
    run_add_pair(&b, &b.info, "ticks_per_instruction", "64");
    CHECK(diff_objection(&a, &b, text) != NULL);
    CHECK(strstr(text, "--shift") != NULL);
    run_free(&a);
    run_free(&b);
}

int main(int argc, char **argv)
{
    RUN(test_equal());
    RUN(test_order());
    RUN(test_extent());
    RUN(test_objections());
    RUN(test_files(argc > 1 ? strtoul(argv[1], NULL, 10) : FILES));
    return unit_finish("unit_diff");
}
