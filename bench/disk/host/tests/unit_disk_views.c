/* SPDX-License-Identifier: BSD-2-Clause */
/* What is made of the benches of disks: spans, loads, files, the knee, metrics and figures, of runs
 * put together by hand. */
#include <math.h>
#include <stdlib.h>

#include "bench/disk/host/disk_load.h"
#include "bench/disk/host/disk_reads.h"
#include "bench/disk/host/file_reads.h"
#include "tools/present/digest.h"
#include "tools/present/metrics.h"
#include "tools/present/report_plugin.h"
#include "tools/tests/support/drawn.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/shown.h"
#include "tools/tests/support/unit.h"

#define SERIES(bench, name, ...)                                        \
    build_series((bench), (name), NULL, NULL, (int64_t[]){__VA_ARGS__}, \
                 sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void add_found(struct run_bench *bench, const char *name, const char *value)
{
    *run_add_param(bench) = (struct run_param){name, value, "found"};
}

/* A tick is a nanosecond. */
static struct run_bench *start_run(struct run *run, const char *kind, const char *name,
                                   const char *model)
{
    run_init(run);
    run_add_pair(run, &run->info, "kind", kind);
    if (strcmp(kind, "exact") == 0) {
        run_add_pair(run, &run->info, "ticks_per_instruction", "8");
    }
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    struct run_bench *bench = build_bench(run, name, 1);

    add_found(bench, "disk", model != NULL ? "model" : "nvme0n1");
    add_found(bench, "driver", model != NULL ? "model" : "nvme");
    if (model != NULL) {
        add_found(bench, "model", model);
    }
    add_found(bench, "verified", model != NULL ? "yes" : "no");
    return bench;
}

static bool near(double left, double right)
{
    return fabs(left - right) < 1e-9 * (1 + fabs(right));
}

/* ---- spans ---- */

static void build_latency(struct run_bench *bench, bool modelled)
{
    SERIES(bench, "read.4096", 160000, 160100, 160200);
    SERIES(bench, "submit.4096", 1000, 1000, 1000);
    SERIES(bench, "device.4096", 150000, 150050, 150100);
    SERIES(bench, "wake.4096", 9000, 9000, 9000);
    if (modelled) {
        SERIES(bench, "interrupt.4096", 0, 40, 70);
        SERIES(bench, "law.4096", 150000, 150000, 150000);
    }
    SERIES(bench, "read.512", 100, 100, 100);
    SERIES(bench, "read.x", 1, 1, 1);
}

static void test_spans(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "exact", "disklatency", "ssd2014");
    int64_t points[DISK_POINTS_MAX];
    struct disk_reads reads;
    struct statistics of;

    build_latency(bench, true);
    CHECK_EQUAL(disk_points(bench, "read", points, 0), 2);
    CHECK_EQUAL(points[0], 512);
    CHECK_EQUAL(points[1], 4096);
    CHECK(disk_reads_of(bench, 512, &reads) && reads.split.part[DISK_DEVICE] == NULL);
    CHECK(reads.law == NULL);
    split_residual(&reads.split, &of);
    CHECK_EQUAL(of.min, 100);
    CHECK(disk_reads_of(bench, 4096, &reads) && reads.law != NULL);
    split_difference(reads.split.part[DISK_DEVICE], reads.law, reads.split.n, &of);
    CHECK_EQUAL(of.max, 100);
    split_residual(&reads.split, &of);
    CHECK_EQUAL(of.median, 160100 - 1000 - 150050 - 40 - 9000);
    CHECK(!disk_reads_of(bench, 8192, &reads));
    /* In time, although the TSC counts instructions. */
    CHECK(holds(&run, "in virtual time; disk: model, timing model\n  ssd2014, every"));
    CHECK(holds(&run, "4 KiB  read          3  160.0 us  160.1 us    -  160.2 us"));
    CHECK(holds(&run, "device - law  3"));
    SERIES(bench, "wake.512", 1, 1);
    CHECK(!disk_reads_of(bench, 512, &reads)); /* another number of samples */
    run_free(&run);
}

static struct digest digest_of_first(const struct run *run)
{
    struct metrics metrics;
    struct digest digest;
    struct view view;

    view_init(&view, stdout, run);
    metrics_of(run, &metrics);
    digest_of(&view, &metrics, &run->benches[0], &digest);
    metrics_free(&metrics);
    return digest;
}

/* The line of a modelled disk is no number that looks measured. */
static void test_law_in_brief(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "exact", "disklatency", "ssd2014");

    bench->state = "OK";
    build_latency(bench, true);
    CHECK_TEXT(digest_of_first(&run).text, "read.4096: law 150.0 us + 1262 instructions");
    CHECK(holds(&run, "instructions  3"));
    run_free(&run);
    bench = start_run(&run, "exact", "filecache", "ssd2014");
    bench->state = "OK";
    SERIES(bench, "miss", 163000, 163000, 163000);
    CHECK_TEXT(digest_of_first(&run).text, "miss: 163.0 us, law included");
    run_free(&run);
    bench = start_run(&run, "real", "disklatency", NULL);
    bench->state = "OK";
    build_latency(bench, false);
    CHECK_TEXT(digest_of_first(&run).text, "");
    run_free(&run);
}

static void test_real_disk(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "real", "disklatency", NULL);

    build_latency(bench, false);
    CHECK(holds(&run, "disk: nvme0n1, driver nvme,"));
    CHECK(holds(&run, "this disk has no timing model"));
    CHECK_EQUAL(disk_servers(bench), 0);
    run_free(&run);
    bench = start_run(&run, "real", "disklatency", NULL);
    SERIES(bench, "read.512", 100, 100, 100); /* as an operating system shows it */
    CHECK(holds(&run, "512 bytes  read  3"));
    CHECK(lacks(&run, "residual"));
    run_free(&run);
}

static void test_sizes(void)
{
    char text[AMOUNT_MAX];

    CHECK_TEXT(disk_size(4 << 20, text), "4 MiB");
    CHECK_TEXT(disk_size((4 << 20) + 4096, text), "4 MiB + 4 KiB");
    CHECK_TEXT(disk_size((4 << 20) - 4096, text), "4 MiB - 4 KiB");
    CHECK_TEXT(disk_size(4096, text), "4 KiB");
    CHECK_TEXT(disk_size(1536 << 10, text), "1.5 MiB");
}

/* ---- loads ---- */

/* Services of 100; N threads without thinking are through at min(N, Q) a service. */
static void test_closed(void)
{
    static const int64_t thread[] = {1, 2, 3, 1, 2, 3};
    static const int64_t service[] = {100, 100, 100, 100, 100, 100};
    static const int64_t think[] = {0, 50, 500, 0, 0, 0};
    struct disk_closed closed;

    CHECK(disk_closed_follow(thread, NULL, service, 6, 2, &closed));
    CHECK(near(closed.block, 50)); /* three rounds of two */
    CHECK(disk_closed_follow(thread, NULL, service, 6, 64, &closed));
    CHECK(near(closed.block, 200.0 / 6) && near(closed.response, 100));
    CHECK(disk_closed_follow(thread, NULL, service, 6, 1, &closed));
    CHECK(near(closed.block, 100));
    CHECK(near(closed.response, (100 + 200 + 300 + 300 + 300 + 300) / 6.0));
    CHECK(disk_closed_follow(thread, think, service, 6, 1, &closed));
    /* 1: 0 to 100, 2: 100 to 200 (from 50 on), 1: 200 to 300 (from 100 on), 2: 300 to 400 (from 200
     * on), 3: 500 to 600, 600 to 700. */
    CHECK(near(closed.block, 700.0 / 6));
    CHECK(near(closed.response, (100 + 150 + 200 + 200 + 100 + 100) / 6.0));
}

/* A run may hold anything: the sanitizers watch. */
static void test_anything(void)
{
    static int64_t many[DISK_THREADS_MAX + 1];
    struct disk_closed closed;
    struct disk_reads reads;
    char text[AMOUNT_MAX];
    struct run run;
    struct run_bench *bench = start_run(&run, "real", "disklatency", "ssd2014");

    for (size_t i = 0; i <= DISK_THREADS_MAX; i++) {
        many[i] = (int64_t)i;
    }
    CHECK(disk_closed_follow(many, many, many, DISK_THREADS_MAX, 1, &closed));
    CHECK(!disk_closed_follow(many, many, many, DISK_THREADS_MAX + 1, 1, &closed));
    SERIES(bench, "read.9223372036854775807", INT64_MIN, INT64_MAX);
    SERIES(bench, "device.9223372036854775807", INT64_MAX, INT64_MIN);
    SERIES(bench, "law.9223372036854775807", INT64_MIN, INT64_MAX);
    SERIES(bench, "read.9223372036854775808", 1, 1); /* no number */
    CHECK(disk_reads_of(bench, INT64_MAX, &reads));
    CHECK(holds(&run, "residual"));
    CHECK(disk_size(INT64_MAX, text) == text);
    run_free(&run);
}

static void build_loads(struct run_bench *bench)
{
    SERIES(bench, "block.x", 1, 2, 32);
    SERIES(bench, "block.n", 4, 4, 64);
    SERIES(bench, "block", 608000, 320000, 640000);
    SERIES(bench, "read.1", 152000, 152000, 152000, 152000);
    SERIES(bench, "law.1", 150000, 150000, 150000, 150000);
    SERIES(bench, "thread.1", 1, 1, 1, 1);
    SERIES(bench, "law.2", 150000, 150000, 150000, 150000);
    SERIES(bench, "thread.2", 1, 2, 1, 2);
    SERIES(bench, "sector.2", 8, 16, 24, 32);
    *run_add_expect(bench) =
        (struct run_expect){.series = "block@1", .has_value = true, .value = 152000, .unit = "ns"};
}

static void test_loads(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "exact", "diskload", "nvme");
    struct disk_load loads[DISK_POINTS_MAX];
    struct disk_closed closed;

    build_loads(bench);
    CHECK_EQUAL(disk_servers(bench), 42);
    CHECK_EQUAL(disk_loads_read(bench, loads), 3);
    CHECK(near(loads[0].block, 152000) && near(loads[1].block, 80000));
    CHECK(loads[0].response.n == 4 && loads[1].response.n == 0);
    CHECK(near(disk_bound_threads(&loads[1]), 75000));
    CHECK(near(disk_bound_servers(&loads[1], 42), 3571.428571428571) &&
          isnan(disk_bound_servers(&loads[1], 0)));
    CHECK(disk_closed_of(bench, &loads[1], 42, &closed) && near(closed.block, 75000));
    CHECK(!disk_closed_of(bench, &loads[2], 42, &closed)); /* no series of 32 */
    CHECK(!disk_closed_of(bench, &loads[1], 0, &closed));
    /* 2000 of the kernel before each read of 150000: two threads hardly meet. */
    CHECK(disk_simulated(&loads[1], &loads[0], 42, &closed));
    CHECK(closed.block >= 76000 - 100 && closed.block < 77000);
    CHECK(!disk_simulated(&loads[2], &loads[0], 42, &closed)); /* its service is unknown */
    CHECK(!disk_simulated(&loads[1], &loads[1], 42, &closed)); /* not of one thread */
    SERIES(bench, "think.1", 10, 10, 10, 10);
    CHECK(holds(&run, "1   152.0 us     6579         -  150.0 us  152.0 us"));
    run_find_series(bench, "think.1")->name = "other";
    CHECK(holds(&run, "1   152.0 us     6579  152.0 us  150.0 us  152.0 us"));
    CHECK(holds(&run, "a disk of 42 servers"));
    run_free(&run);
}

/* ---- files ---- */

static void test_files(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "real", "fileread", NULL);
    int64_t sizes[DISK_POINTS_MAX];
    struct file_reads reads;

    SERIES(bench, "sequential.direct.8192", 100000, 100000);
    SERIES(bench, "random.direct.8192", 150000, 150000);
    SERIES(bench, "random.cached.4096", 1);
    build_fact(bench, "total.sequential.direct.8192", 200000);
    build_fact(bench, "total.random.direct.8192", 300000);
    CHECK_EQUAL(file_sizes(bench, sizes), 2);
    CHECK(sizes[0] == 4096 && sizes[1] == 8192);
    CHECK(file_reads_of(bench, 1, 0, 8192, &reads) && reads.total == 300000);
    CHECK(near(reads.mean, 150000));
    CHECK(!file_reads_of(bench, 1, 1, 4096, &reads)); /* no total */
    CHECK(holds(&run, "300.0 us              1.500"));
    CHECK(holds(&run, "2 MiB    59.46 ms   116.1 us  106.2 ms   207.5 us                 1.79"));
    run_free(&run);
}

static void build_caches(struct run_bench *bench)
{
    SERIES(bench, "block.4096", 900);
    SERIES(bench, "block.8192", 900, 1100);
    SERIES(bench, "block.12288", 150000, 150000, 150000);
    SERIES(bench, "reads.8192", 4);
    SERIES(bench, "hits.8192", 2);
    SERIES(bench, "misses.8192", 2);
    SERIES(bench, "read_ahead.8192", 0);
    SERIES(bench, "evictions.8192", 0);
    SERIES(bench, "cache.16384.block.4096", 900);
    SERIES(bench, "cache.16384.block.20480", 150000);
    SERIES(bench, "cache.12288.block.4096", 900);
    build_fact(bench, "cache_bytes", 8192);
}

static void test_knee(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "exact", "filecache", "ssd2014");
    struct file_again files[DISK_POINTS_MAX];
    int64_t caches[DISK_POINTS_MAX];
    struct file_knee knee;

    build_caches(bench);
    CHECK_EQUAL(file_again_read(bench, "", files), 3);
    CHECK(near(files[1].mean, 1000) && files[1].counted && files[1].hits == 2);
    CHECK(!files[0].counted);
    CHECK(file_knee_find(files, 3, &knee) && knee.low == 8192 && knee.high == 12288);
    CHECK(file_knee_holds(&knee, 8192, 0) && file_knee_holds(&knee, 12287, 0));
    CHECK(!file_knee_holds(&knee, 12288, 0) && !file_knee_holds(&knee, 8191, 0));
    CHECK(file_knee_holds(&knee, 16384, 8192) && !file_knee_holds(&knee, 20480, 8192));
    CHECK_EQUAL(file_ahead(bench), 0);
    CHECK(!file_knee_find(files, 2, &knee)); /* both from memory */
    files[0].mean = 150000;                  /* a small file from the disk, a greater one not */
    CHECK(!file_knee_find(files, 3, &knee));
    CHECK_EQUAL(file_caches(bench, caches), 2);
    CHECK(caches[0] == 12288 && caches[1] == 16384);
    CHECK(holds(&run, "8 KiB  1.000 us  1.100 us  50.00 %      4     2       2"));
    CHECK(holds(&run, "files of 8 KiB fit, files of 12 KiB do not; expected at 8 KiB: agrees"));
    CHECK(holds(&run, "files of 4 KiB fit, files of 20 KiB do not; expected at 16 KiB"));
    CHECK(holds(&run, "knee: none found"));
    bench->facts[0].value = 4096;
    CHECK(holds(&run, "expected at 4 KiB: DIFFERS"));
    build_fact(bench, "ahead_pages", 2);
    bench->facts[0].value = 16384;
    CHECK(holds(&run, "expected at 16 KiB, less up\n  to 8 KiB"));
    CHECK(file_ahead(bench) == 8192 && holds(&run, "beyond the file: agrees"));
    run_free(&run);
}

/* ---- what is made of all ---- */

static void test_metrics(void)
{
    struct run run;
    struct metrics metrics;
    struct run_bench *bench = start_run(&run, "real", "diskload", "ssd2014");

    build_loads(bench);
    build_caches(build_bench(&run, "filecache", 1));
    metrics_of(&run, &metrics);
    const struct metric *rate = metrics_find(&metrics, "diskload.rate[2]");
    const struct metric *found = metrics_find(&metrics, "filecache.found[8192]");

    CHECK(rate != NULL && rate->better == METRIC_MORE && near(rate->values[0], 12500));
    CHECK(found != NULL && found->better == METRIC_MORE && near(found->values[0], 50));
    CHECK(metrics_find(&metrics, "diskload.read.1") != NULL);
    CHECK(metrics_find(&metrics, "diskload.block[2]") != NULL);
    CHECK(metrics_find(&metrics, "diskload.thread.2") == NULL);
    CHECK(metrics_find(&metrics, "diskload.sector.2") == NULL);
    CHECK(metrics_find(&metrics, "diskload.law.2") == NULL);
    metrics_free(&metrics);
    run_free(&run);
}

/* If the TSC counts instructions at 2 GHz, times of disks are still times. */
static void test_exact_metrics(void)
{
    struct run run;
    struct metrics metrics;

    build_loads(start_run(&run, "exact", "diskload", "ssd2014"));
    run.verdict.hz = 2000000000;
    metrics_of(&run, &metrics);
    const struct metric *read = metrics_find(&metrics, "diskload.read.1");
    const struct metric *block = metrics_find(&metrics, "diskload.block[2]");

    CHECK(read != NULL && read->better == METRIC_LESS && near(read->values[0], 76000));
    CHECK_TEXT(read != NULL ? read->unit : NULL, "ns");
    CHECK(block != NULL && near(block->values[0], 40000));
    metrics_free(&metrics);
    run_free(&run);
}

static void test_spans_figure(void)
{
    struct figures figures;
    struct run run;

    build_latency(start_run(&run, "exact", "disklatency", "ssd2014"), true);
    draw(&figures, &run);
    const struct figure *spans = figure_of(&figures, "disk-spans");

    CHECK(spans != NULL && spans->kind == FIGURE_TIMELINE && spans->lanes.count == 1);
    CHECK(spans != NULL && spans->span_count == 4 && spans->states.count == 4);
    CHECK(spans != NULL && near(spans->spans[3].end, 160.09)); /* the medians' sum, in us */
    figures_free(&figures);
    run_free(&run);
    SERIES(start_run(&run, "real", "disklatency", NULL), "read.512", 100, 100);
    draw(&figures, &run);
    CHECK(figures.count == 1 && figures.item[0].kind == FIGURE_ABSENT);
    figures_free(&figures);
    run_free(&run);
}

static void test_figures(void)
{
    struct figures figures;
    struct run run;

    build_loads(start_run(&run, "exact", "diskload", "ssd2014"));
    build_caches(build_bench(&run, "filecache", 1));
    build_bench(&run, "fileread", 1);
    draw(&figures, &run);
    const struct figure *load = figure_of(&figures, "disk-contention");
    const struct figure *cache = figure_of(&figures, "file-cache");

    CHECK(load != NULL && load->series_count == 7 && load->series[0].n == 3);
    CHECK(load != NULL && near(load->series[0].y[1], 80) && near(load->series[1].y[0], 152));
    CHECK(cache != NULL && cache->series_count == 2 && near(cache->series[1].x[0], 8192) &&
          near(cache->series[1].x[1], 8192));
    CHECK(figures.count == 3 && figures.item[2].kind == FIGURE_ABSENT);
    figures_free(&figures);
    run_free(&run);
}

int main(void)
{
    RUN(test_spans());
    RUN(test_law_in_brief());
    RUN(test_real_disk());
    RUN(test_sizes());
    RUN(test_closed());
    RUN(test_anything());
    RUN(test_loads());
    RUN(test_files());
    RUN(test_knee());
    RUN(test_metrics());
    RUN(test_exact_metrics());
    RUN(test_spans_figure());
    RUN(test_figures());
    return unit_finish("unit_disk_views");
}
