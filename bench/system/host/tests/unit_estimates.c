/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the report's experiments with runs made by hand. */
#include <math.h>
#include <stdlib.h>

#include "bench/system/host/view_system.h"
#include "tools/run/estimates.h"
#include "tools/run/run_kind.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define TRIALS 3

static bool near(double left, double right)
{
    return fabs(left - right) < 1e-9 * (1 + fabs(right));
}

/* The row of a bench's series. */
static const struct estimates_row *row_of(const char *bench, const char *series, int64_t x)
{
    const struct estimates_row *row;

    for (size_t i = 0; (row = estimates_row_at(i)) != NULL; i++) {
        if (strcmp(row->bench, bench) == 0 && strcmp(row->series, series) == 0 && row->x == x) {
            return row;
        }
    }
    fprintf(stderr, "no row of %s/%s\n", bench, series);
    abort();
}

static void be_exact(struct run *run)
{
    run_init(run);
    run_add_pair(run, &run->info, "kind", "exact");
    run_add_pair(run, &run->info, "ticks_per_instruction", "8");
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
}

/* hz 0: a rate that is not believed. */
static void be_real(struct run *run, uint64_t hz)
{
    run_init(run);
    run_add_pair(run, &run->info, "kind", "real");
    run->verdict = (struct run_verdict){.present = true, .ok = hz > 0, .hz = hz};
}

static void expect(struct run_bench *bench, const char *series, int64_t instructions, int64_t value,
                   const char *unit)
{
    *run_add_expect(bench) = (struct run_expect){.series = series,
                                                 .has_instructions = instructions >= 0,
                                                 .has_value = value >= 0,
                                                 .instructions = instructions,
                                                 .value = value,
                                                 .unit = unit,
                                                 .because = "parts"};
}

/* Samples in ticks of one series. */
static void add(struct run_bench *bench, const char *name, int64_t a, int64_t b, int64_t c)
{
    const int64_t samples[TRIALS] = {a, b, c};

    build_series(bench, name, NULL, NULL, samples, TRIALS);
}

/* A curve of two points, the greater first; a repetition takes `a` and `b` ticks, and once more in
 * the last trial. */
static void add_curve(struct run_bench *bench, const char *names[3], const int64_t x[2], int64_t a,
                      int64_t b)
{
    const int64_t n[] = {10, 10};
    const int64_t ticks[] = {10 * a, 10 * a, 20 * a, 10 * b, 10 * b, 20 * b};

    build_series(bench, names[1], NULL, NULL, x, 2);
    build_series(bench, names[2], NULL, NULL, n, 2);
    build_series(bench, names[0], NULL, NULL, ticks, 2 * TRIALS);
}

static void check_result(const struct run *run, const struct estimates_row *row,
                         enum estimates_unit unit, double median, double min, double max)
{
    struct estimates_result result;

    estimates_read(run, row, &result);
    CHECK_TEXT(result.missing, NULL);
    CHECK_EQUAL(result.unit, unit);
    CHECK_EQUAL(result.n, TRIALS);
    CHECK(near(result.median, median) && near(result.min, min) && near(result.max, max));
}

static void check_estimate(const struct run *run, const struct estimates_row *row, double estimate,
                           double difference)
{
    struct estimates_result result;

    estimates_read(run, row, &result);
    CHECK(result.has_estimate == !isnan(estimate));
    CHECK(!result.has_estimate || near(result.estimate, estimate));
    CHECK(isnan(difference) ? isnan(estimates_difference(&result))
                            : near(estimates_difference(&result), difference));
}

static void check_missing(const struct run *run, const struct estimates_row *row, const char *why)
{
    struct estimates_result result;

    estimates_read(run, row, &result);
    CHECK_TEXT(result.missing, why);
    CHECK(isnan(estimates_difference(&result)));
}

/* ---- the table ---- */

#define EXPERIMENTS 16

/* Every numbered experiment is there, in order, and with a figure. */
static void test_rows(void)
{
    const struct estimates_row *row;
    unsigned figures[EXPERIMENTS + 1] = {0};
    int last = 0;

    for (size_t i = 0; (row = estimates_row_at(i)) != NULL; i++) {
        const int number = atoi(row->number);

        CHECK(number >= 1 && number <= EXPERIMENTS && (number == last || number == last + 1));
        CHECK(row->bench != NULL && row->series != NULL);
        CHECK(strlen(row->what) <= 25);
        CHECK(isnan(row->reported) || row->reported > 0);
        CHECK(row->reported_estimate == NULL || !isnan(row->reported));
        CHECK((row->x > 0) ==
              (row->method == ESTIMATES_POINT || row->method == ESTIMATES_WAITED_POINT));
        CHECK(!estimates_row_waits(row) || row->remark != NULL); /* why it differs */
        figures[number] += isnan(row->reported) ? 0 : 1;
        last = number;
    }
    static const unsigned expected[EXPERIMENTS + 1] = {0, 1, 1, 8, 1, 2, 2, 4, 2,
                                                       2, 2, 2, 1, 2, 2, 1, 2};

    CHECK_EQUAL(last, EXPERIMENTS);
    for (size_t i = 0; i <= EXPERIMENTS; i++) {
        CHECK_EQUAL(figures[i], expected[i]);
    }
    CHECK(estimates_row_at(1000) == NULL);
}

/* ---- each way to a result ---- */

static void build_costs(struct run *run)
{
    struct run_bench *bench = build_bench(run, "call", 1);

    build_fact(bench, "repetitions", 10);
    add(bench, "loop", 500, 500, 500);
    add(bench, "loop.twice", 660, 660, 660); /* 16 a repetition */
    add(bench, "register0", 700, 700, 700);
    add(bench, "register0.twice", 1260, 1260, 1340); /* 56, 56, 64 */
    expect(bench, "register0", 5, 20, "cycle");
    bench = build_bench(run, "loop", 1);
    build_fact(bench, "repetitions", 10);
    add(bench, "memory", 80, 80, 160);
    expect(bench, "memory", 8, -1, NULL);
    bench = build_bench(run, "clockread", 1);
    build_fact(bench, "repetitions", 10);
    add(bench, "pair.rdtsc", 16, 24, 16);
    expect(bench, "pair.rdtsc", 0, 10, "cycle");
}

static void build_events(struct run *run)
{
    struct run_bench *bench = build_bench(run, "syscall", 1);

    add(bench, "empty", 8, 16, 8);
    add(bench, "null", 208, 216, 208);
    expect(bench, "null", 20, 25, "ns");
    bench = build_bench(run, "contextswitch", 1);
    add(bench, "empty", 8, 8, 8);
    add(bench, "process_pipe_round", 4008, 4008, 4808);
    expect(bench, "process_pipe_round", 600, 2000, "cycle");
    bench = build_bench(run, "pagefault", 1);
    add(bench, "empty", 8, 8, 8);
    add(bench, "demand_zero", 6408, 6408, 6408);
    expect(bench, "demand_zero", -1, 1500, "cycle");
}

/* By once and twice, the cost is the difference, which has no part of `empty`; half of it for a
 * round trip, and a block divided by it for a bandwidth. */
static void test_pairs(void)
{
    struct run run;

    be_exact(&run);
    struct run_bench *bench = build_bench(&run, "syscall", 1);

    add(bench, "empty", 8, 8, 8);
    add(bench, "null", 2408, 2408, 2408);
    add(bench, "null.twice", 5096, 5096, 5104);
    bench = build_bench(&run, "contextswitch", 1);
    add(bench, "empty", 8, 8, 8);
    add(bench, "process_pipe_round", 4008, 4008, 4008);
    add(bench, "process_pipe_round.twice", 7208, 7208, 8008);
    bench = build_bench(&run, "netbandwidth", 1);
    add(bench, "block.loopback.65536.16384", 524288, 524288, 524288);
    add(bench, "block.loopback.65536.16384.twice", 786432, 786432, 786432);
    check_result(&run, row_of("syscall", "null", 0), ESTIMATES_INSTRUCTIONS, 336, 336, 337);
    check_result(&run, row_of("contextswitch", "process_pipe_round", 0), ESTIMATES_INSTRUCTIONS,
                 200, 200, 250);
    check_result(&run, row_of("netbandwidth", "block.loopback.65536.16384", 0),
                 ESTIMATES_BYTES_PER_INSTRUCTION, 2, 2, 2);
    run_free(&run);
}

/* If others execute instructions too, the result is the most frequent number of once and of twice,
 * and its share tells whether it is one. */
static void test_shared(void)
{
    struct estimates_result result;
    struct run run;
    int64_t once[20];
    int64_t twice[20];

    run_init(&run);
    run_add_pair(&run, &run.info, "kind", "exact, shared");
    run_add_pair(&run, &run.info, "ticks_per_instruction", "1");
    struct run_bench *bench = build_bench(&run, "syscall", 1);

    for (size_t i = 0; i < 20; i++) {
        once[i] = i == 3 ? 9000 : 340;
        twice[i] = i < 3 ? 9000 : 676;
    }
    add(bench, "empty", 4, 4, 4);
    build_series(bench, "null", NULL, NULL, once, 20);
    build_series(bench, "null.twice", NULL, NULL, twice, 20);
    estimates_read(&run, row_of("syscall", "null", 0), &result);
    CHECK(near(result.median, 336) && near(result.share, 0.85) && estimates_several(&result));
    twice[0] = twice[1] = 676;
    memcpy(bench->series[2].samples, twice, sizeof(twice));
    estimates_read(&run, row_of("syscall", "null", 0), &result);
    CHECK(near(result.median, 336) && near(result.share, 0.95) && !estimates_several(&result));
    run_free(&run);
}

static void build_curves(struct run *run)
{
    const char *stride[] = {"stride4096", "stride4096.x", "stride4096.n"};
    const char *chase[] = {"random.2m.wb", "random.2m.wb.x", "random.2m.wb.n"};
    const char *write[] = {"write.rep", "write.rep.x", "write.rep.n"};
    const int64_t x[] = {16 << 20, 8 << 10};
    struct run_bench *bench = build_bench(run, "stride", 1);

    add_curve(bench, stride, x, 240, 24);
    expect(bench, "stride4096", 3, 100, "ns");
    expect(bench, "stride4096@8192", 4, 12, "ns");
    bench = build_bench(run, "chase", 1);
    add_curve(bench, chase, x, 240, 24);
    bench = build_bench(run, "bandwidth", 1);
    add_curve(bench, write, x, 1 << 20, 8 << 10);
    expect(bench, "write.rep", -1, 8000, "MB/s");
}

static void test_exact(void)
{
    struct run run;

    be_exact(&run);
    build_costs(&run);
    build_events(&run);
    build_curves(&run);
    check_result(&run, row_of("call", "register0", 0), ESTIMATES_INSTRUCTIONS, 5, 5, 6);
    check_estimate(&run, row_of("call", "register0", 0), 5, 0);
    check_result(&run, row_of("loop", "memory", 0), ESTIMATES_INSTRUCTIONS, 1, 1, 2);
    check_estimate(&run, row_of("loop", "memory", 0), 8, -87.5);
    check_result(&run, row_of("clockread", "pair.rdtsc", 0), ESTIMATES_INSTRUCTIONS, 2, 2, 3);
    check_estimate(&run, row_of("clockread", "pair.rdtsc", 0), 0, NAN); /* of 0 there is no share */
    check_result(&run, row_of("syscall", "null", 0), ESTIMATES_INSTRUCTIONS, 25, 25, 26);
    check_estimate(&run, row_of("syscall", "null", 0), 20, 25);
    check_result(&run, row_of("contextswitch", "process_pipe_round", 0), ESTIMATES_INSTRUCTIONS,
                 250, 250, 300);
    check_estimate(&run, row_of("contextswitch", "process_pipe_round", 0), 300, -100.0 / 6);
    check_estimate(&run, row_of("pagefault", "demand_zero", 0), NAN, NAN); /* it is in cycles */
    check_result(&run, row_of("stride", "stride4096", 8 << 10), ESTIMATES_INSTRUCTIONS, 3, 3, 6);
    check_estimate(&run, row_of("stride", "stride4096", 8 << 10), 4, -25);
    check_estimate(&run, row_of("stride", "stride4096", 16 << 20), 3, 900);
    check_result(&run, row_of("chase", "random.2m.wb", 0), ESTIMATES_INSTRUCTIONS, 30, 30, 60);
    check_result(&run, row_of("bandwidth", "write.rep", 0), ESTIMATES_BYTES_PER_INSTRUCTION, 128,
                 64, 128);
    check_estimate(&run, row_of("bandwidth", "write.rep", 0), NAN, NAN);
    CHECK_TEXT(run_time_label(&run), "exact time, in instructions");
    run_free(&run);
}

/* A second pair of readings of the disk: what waits is a time, whatever the TSC counts. */
static void build_disks(struct run *run)
{
    static const int64_t threads[] = {1, 32};
    static const int64_t reads[] = {10, 320};
    static const int64_t ticks[] = {2000000, 3200000};
    struct run_bench *bench = build_bench(run, "filecache", 1);

    add(bench, "hit", 800, 800, 880);
    expect(bench, "hit", 90, 1000, "ns");
    add(bench, "miss", 200000, 200000, 200100);
    expect(bench, "miss", -1, 160000, "ns");
    bench = build_bench(run, "diskload", 1);
    build_series(bench, "block.x", NULL, NULL, threads, 2);
    build_series(bench, "block.n", NULL, NULL, reads, 2);
    build_series(bench, "block", NULL, NULL, ticks, 2);
    expect(bench, "block@1", -1, 160000, "ns");
}

static void test_disks(void)
{
    struct estimates_result result;
    struct run run;

    be_exact(&run);
    build_disks(&run);
    check_result(&run, row_of("filecache", "hit", 0), ESTIMATES_INSTRUCTIONS, 100, 100, 110);
    check_estimate(&run, row_of("filecache", "hit", 0), 90, 100.0 / 9);
    check_result(&run, row_of("filecache", "miss", 0), ESTIMATES_NS, 200000, 200000, 200100);
    check_estimate(&run, row_of("filecache", "miss", 0), 160000, 25);
    estimates_read(&run, row_of("diskload", "block", 1), &result);
    CHECK(result.missing == NULL && result.unit == ESTIMATES_NS && near(result.median, 200000));
    check_estimate(&run, row_of("diskload", "block", 1), 160000, 25);
    estimates_read(&run, row_of("diskload", "block", 32), &result);
    CHECK(result.missing == NULL && near(result.median, 10000) && !result.has_estimate);
    check_missing(&run, row_of("pagefault", "file", 0),
                  "not in this run: boot with --bench pagefault");
    run_free(&run);
    be_real(&run, 0); /* without a rate there are ticks alone */
    build_disks(&run);
    check_result(&run, row_of("filecache", "miss", 0), ESTIMATES_CYCLES, 200000, 200000, 200100);
    check_estimate(&run, row_of("filecache", "miss", 0), NAN, NAN);
    run_free(&run);
}

/* At 2 GHz a tick is half a nanosecond. */
static void test_real(void)
{
    struct run run;

    be_real(&run, 2000000000);
    build_costs(&run);
    build_events(&run);
    build_curves(&run);
    check_result(&run, row_of("call", "register0", 0), ESTIMATES_CYCLES, 40, 40, 48);
    check_estimate(&run, row_of("call", "register0", 0), 20, 100);
    check_result(&run, row_of("loop", "memory", 0), ESTIMATES_NS, 4, 4, 8);
    check_estimate(&run, row_of("loop", "memory", 0), NAN, NAN);
    check_result(&run, row_of("clockread", "pair.rdtsc", 0), ESTIMATES_NS, 8, 8, 12);
    check_estimate(&run, row_of("clockread", "pair.rdtsc", 0), 5, 60);
    check_result(&run, row_of("syscall", "null", 0), ESTIMATES_CYCLES, 200, 200, 208);
    check_estimate(&run, row_of("syscall", "null", 0), 50, 300);
    check_result(&run, row_of("contextswitch", "process_pipe_round", 0), ESTIMATES_CYCLES, 2000,
                 2000, 2400);
    check_estimate(&run, row_of("contextswitch", "process_pipe_round", 0), 1000, 100);
    check_result(&run, row_of("stride", "stride4096", 8 << 10), ESTIMATES_NS, 12, 12, 24);
    check_estimate(&run, row_of("stride", "stride4096", 8 << 10), 12, 0);
    check_result(&run, row_of("stride", "stride4096", 16 << 20), ESTIMATES_NS, 120, 120, 240);
    check_estimate(&run, row_of("stride", "stride4096", 16 << 20), 100, 20);
    check_result(&run, row_of("bandwidth", "write.rep", 0), ESTIMATES_GB_PER_S, 32, 16, 32);
    check_estimate(&run, row_of("bandwidth", "write.rep", 0), 8, 300);
    CHECK_TEXT(run_time_label(&run), "real time");
    run_free(&run);
}

/* If the length of a tick is unknown, nothing is printed in nanoseconds. */
static void test_unknown_rate(void)
{
    struct run run;

    be_real(&run, 0);
    build_costs(&run);
    build_events(&run);
    build_curves(&run);
    check_result(&run, row_of("loop", "memory", 0), ESTIMATES_CYCLES, 8, 8, 16);
    check_estimate(&run, row_of("clockread", "pair.rdtsc", 0), 10, 60);
    check_estimate(&run, row_of("syscall", "null", 0), NAN, NAN);
    check_result(&run, row_of("bandwidth", "write.rep", 0), ESTIMATES_BYTES_PER_CYCLE, 16, 8, 16);
    check_estimate(&run, row_of("bandwidth", "write.rep", 0), NAN, NAN);
    run_free(&run);
}

static void test_times(void)
{
    struct run run;

    run_init(&run);
    CHECK_TEXT(run_time_label(&run), "time base unknown");
    run_free(&run);
    be_real(&run, 1);
    run_add_pair(&run, &run.info, "hypervisor", "TCGTCGTCGTCG");
    CHECK(strstr(run_time_label(&run), "emulator") != NULL);
    run_free(&run);
    be_real(&run, 1);
    run_add_pair(&run, &run.info, "hypervisor", "KVMKVMKVM");
    CHECK_TEXT(run_time_label(&run), "real time, under KVM");
    run_add_pair(&run, &run.machine, "environment", "Linux 6.1");
    CHECK(strstr(run_time_label(&run), "Linux") != NULL);
    run_free(&run);
}

/* ---- what is not there ---- */

static void test_missing(void)
{
    const struct estimates_row *read = row_of("bandwidth", "read.rep", 0);
    struct run run;

    be_exact(&run);
    check_missing(&run, row_of("call", "register0", 0), "not in this run: boot with --bench call");
    build_costs(&run);
    build_curves(&run);
    check_missing(&run, row_of("call", "register7", 0),
                  "call/register7 is missing or incomplete in the run");
    check_missing(&run, row_of("stride", "stride4096", 2 << 20),
                  "stride/stride4096 has no point at 2048 KiB: its last point is at 16384 KiB");
    struct run_bench *bandwidth = run_find_bench(&run, "bandwidth");

    check_missing(&run, read, "bandwidth/read.rep is missing or incomplete in the run");
    *run_add_absent(bandwidth) = (struct run_absent){"read.re", "none of it"};
    *run_add_absent(bandwidth) = (struct run_absent){"read.rep.", "none of it"};
    check_missing(&run, read, "bandwidth/read.rep is missing or incomplete in the run");
    *run_add_absent(bandwidth) = (struct run_absent){"read", NULL};
    check_missing(&run, read, "no reason given");
    bandwidth->state = "SKIP";
    bandwidth->reason = "no memory";
    check_missing(&run, read, "SKIP: no memory");
    build_hole(run_find_series(run_find_bench(&run, "loop"), "memory"), 1);
    check_missing(&run, row_of("loop", "memory", 0),
                  "loop/memory is missing or incomplete in the run");
    build_hole(run_find_series(run_find_bench(&run, "call"), "loop"), 1);
    check_missing(&run, row_of("call", "register0", 0),
                  "call/register0 is missing or incomplete in the run");
    run_free(&run);
}

/* A bench that reported its estimate and then had nothing to measure. */
static void test_estimate_alone(void)
{
    struct estimates_result result;
    struct run run;

    be_exact(&run);
    struct run_bench *bench = build_bench(&run, "syscall", 1);

    bench->state = "SKIP";
    expect(bench, "null", 20, 25, "ns");
    add(bench, "null", 1, 2, 3); /* without `empty` */
    estimates_read(&run, row_of("syscall", "null", 0), &result);
    CHECK_TEXT(result.missing, "SKIP: no reason given");
    CHECK(result.has_estimate && near(result.estimate, 20));
    run_free(&run);
}

static void test_cells(void)
{
    struct run run;
    double value = 0;

    be_exact(&run);
    CHECK(!estimates_cell(&run, 0, 0, &value));
    build_curves(&run);
    CHECK(estimates_cell(&run, 0, 0, &value) && near(value, 3));
    CHECK(estimates_cell(&run, ESTIMATES_ARRAYS - 1, 0, &value) && near(value, 30));
    CHECK(!estimates_cell(&run, 1, 0, &value) && !estimates_cell(&run, 0, 1, &value));
    CHECK(near(estimates_table_ns[0][0], 3.96274) && near(estimates_table_ns[11][7], 3.70682));
    run_free(&run);
}

/* ---- what is shown ---- */

static char *shown(const struct estimates_run *runs, size_t count, bool why, bool json)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    if (json) {
        estimates_json(out, runs, count);
    } else {
        view_estimates(out, runs, count, why);
    }
    fclose(out);
    return text;
}

/* Blocks of 64 KiB as rates, in instructions and in time; a path that is absent. */
static void test_network(void)
{
    static const int64_t ticks[] = {65536, 131072, 262144};
    const struct estimates_row *here = row_of("netbandwidth", "block.loopback.65536.16384", 0);
    const struct estimates_row *pair = row_of("netbandwidth", "block.pair.65536.16384", 0);
    struct estimates_result result;
    struct run run;

    be_exact(&run);
    struct run_bench *bench = build_bench(&run, "netbandwidth", 1);

    build_series(bench, here->series, NULL, NULL, ticks, TRIALS);
    build_series(bench, pair->series, NULL, NULL, ticks, TRIALS);
    expect(bench, pair->series, -1, 65536 * 2, "ns");
    *run_add_absent(bench) = (struct run_absent){"remote", "no other machine"};
    *run_add_absent(bench) = (struct run_absent){"pai", "no word"};
    estimates_read(&run, here, &result);
    CHECK(result.unit == ESTIMATES_BYTES_PER_INSTRUCTION && near(result.median, 4));
    CHECK(near(result.min, 2) && near(result.max, 8));
    estimates_read(&run, pair, &result);
    CHECK(result.unit == ESTIMATES_GB_PER_S && near(result.median, 0.5));
    CHECK(result.has_estimate && near(result.estimate, 0.5));
    check_missing(&run, row_of("netbandwidth", "block.remote.65536.16384", 0), "no other machine");
    run_find_series(bench, pair->series)->name = "other";
    check_missing(&run, pair,
                  "netbandwidth/block.pair.65536.16384 is missing or incomplete in the run");
    run_free(&run);
}

static size_t widest(const char *text)
{
    size_t most = 0;

    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");

        most = length > most ? length : most;
        text += length + (text[length] == '\n' ? 1 : 0);
    }
    return most;
}

static void test_views(void)
{
    struct run exact;
    struct run real;

    be_exact(&exact);
    be_real(&real, 2000000000);
    build_costs(&exact);
    build_events(&exact);
    build_curves(&exact);
    build_disks(&exact);
    build_costs(&real);
    const struct estimates_run runs[] = {{"a.db", &exact, true}, {"b.db", &real, false}};
    char *one = shown(runs, 1, true, false);
    char *two = shown(runs, 2, false, false);
    char *json = shown(runs, 2, false, true);

    CHECK(widest(one) <= TERMINAL_WIDTH && widest(two) <= TERMINAL_WIDTH);
    CHECK(strstr(one, " 250 instr\n") != NULL && strstr(one, "-16.7%") != NULL);
    CHECK(strstr(one, " 250..300\n") != NULL && strstr(one, "exact\n") != NULL);
    CHECK(strstr(one, "experiment 7: ") != NULL &&
          strstr(one, "expected 600 instructions, 2000 cycle: parts\n") != NULL);
    CHECK(strstr(one, "boot with --bench creation") != NULL && strstr(one, "INVALID") == NULL);
    CHECK(strstr(two, " 40 cyc ") != NULL && strstr(two, "n/a") != NULL);
    CHECK(strstr(two, "INVALID") != NULL);
    CHECK(strstr(two, " 10.67 ms") != NULL &&
          strstr(one, "why results differ from the report") != NULL);
    CHECK(strstr(one, "an instruction of the kernel takes 8 ns") != NULL);
    CHECK(strstr(two, "B  b.db\n") != NULL);
    CHECK(strstr(json, "\"missing\": \"not in this run: boot with --bench rtt\"") != NULL);
    CHECK(strstr(json, "\"unit\": \"cycle\"") != NULL && strstr(json, "\"median\": 250") != NULL);
    free(one);
    free(two);
    free(json);
    run_free(&exact);
    run_free(&real);
}

/* A number that a series may hold, often one of the extremes. */
static int64_t any_number(uint64_t *seed)
{
    const uint64_t bits = unit_random(seed);

    switch (bits % 5) {
    case 0:
        return 0;
    case 1:
        return INT64_MIN;
    case 2:
        return INT64_MAX;
    default:
        return (int64_t)(bits >> 8) >> (bits >> 3 & 31);
    }
}

/* The series of a row and what belongs to it, of any length and content, some with a hole. */
static void add_any(struct run *run, const struct estimates_row *row, char names[6][64],
                    uint64_t *seed)
{
    static const char *const suffixes[] = {"", ".twice", ".x", ".n"};
    if (row->bench == NULL) {
        return;
    }
    struct run_bench *bench = run_find_bench(run, row->bench);

    bench = bench != NULL ? bench : build_bench(run, row->bench, 1);
    for (size_t i = 0; i < 6; i++) {
        int64_t samples[8];
        const size_t n = unit_random(seed) % 9;

        snprintf(names[i], 64, "%s%s", i < 4 ? row->series : "", i < 4 ? suffixes[i] : "");
        if (i >= 4) {
            snprintf(names[i], 64, "%s", i == 4 ? "empty" : "loop");
        }
        for (size_t k = 0; k < n; k++) {
            samples[k] = any_number(seed);
        }
        if (run_find_series(bench, names[i]) != NULL || unit_random(seed) % 4 == 0) {
            continue;
        }
        struct run_series *series = build_series(bench, names[i], NULL, NULL, samples, n);

        if (n > 2 && unit_random(seed) % 8 == 0) {
            build_hole(series, 1);
        }
    }
    build_fact(bench, "repetitions", any_number(seed));
    expect(bench, row->series, any_number(seed), any_number(seed), "cycle");
}

/* Nothing that a run may hold breaks what is shown of it: the sanitizers watch. */
static void test_anything(void)
{
    static char names[64][6][64];
    uint64_t seed = 7;
    struct run run;

    for (unsigned round = 0; round < 100; round++) {
        const struct estimates_run runs[] = {{"a.db", &run, true}, {"a.db", &run, true}};

        if (round % 2 == 0) {
            be_exact(&run);
        } else {
            be_real(&run, (uint64_t)any_number(&seed));
        }
        for (size_t i = 0; estimates_row_at(i) != NULL && i < 64; i++) {
            add_any(&run, estimates_row_at(i), names[i], &seed);
        }
        for (size_t count = 1; count <= 2; count++) {
            char *table = shown(runs, count, true, false);
            char *json = shown(runs, count, false, true);

            CHECK(strstr(table, "page fault on a held page") != NULL && json[0] == '{');
            free(table);
            free(json);
        }
        run_free(&run);
    }
}

int main(void)
{
    RUN(test_rows());
    RUN(test_pairs());
    RUN(test_shared());
    RUN(test_exact());
    RUN(test_disks());
    RUN(test_real());
    RUN(test_unknown_rate());
    RUN(test_times());
    RUN(test_missing());
    RUN(test_estimate_alone());
    RUN(test_cells());
    RUN(test_network());
    RUN(test_views());
    RUN(test_anything());
    return unit_finish("unit_estimates");
}
