/* SPDX-License-Identifier: BSD-2-Clause */
/* What is made of the benches of the network: spans, bounds, connections, remote files, metrics and
 * figures, of runs put together by hand. */
#include <math.h>
#include <stdlib.h>

#include "bench/network/host/paths.h"
#include "bench/network/host/round_trips.h"
#include "bench/network/host/transfers.h"
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

/* A tick is a nanosecond, an instruction of exact time eight of them. */
static struct run_bench *start_run(struct run *run, const char *kind, const char *name)
{
    run_init(run);
    run_add_pair(run, &run->info, "kind", kind);
    if (strcmp(kind, "exact") == 0) {
        run_add_pair(run, &run->info, "ticks_per_instruction", "8");
    }
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    struct run_bench *bench = build_bench(run, name, 1);

    add_found(bench, "nics.pair", "wire0,wire1");
    add_found(bench, "models.pair", "simulated link,simulated link");
    add_found(bench, "interrupt.pair", "timer");
    build_fact(bench, "frames_sent.pair", 17);
    build_fact(bench, "frames_lost.pair", 3);
    build_fact(bench, "packet_ns.pair", 1000);
    build_fact(bench, "byte_ps.pair", 8000);
    *run_add_absent(bench) = (struct run_absent){"remote", "net.peer is missing"};
    return bench;
}

static bool near(double left, double right)
{
    return fabs(left - right) < 1e-9 * (1 + fabs(right));
}

/* ---- round trips ---- */

static void build_rtt(struct run_bench *bench)
{
    SERIES(bench, "rtt.pair.udp.64", 8000, 8000, 8080);
    SERIES(bench, "send.pair.udp.64", 800, 800, 800);
    SERIES(bench, "wire.pair.udp.64", 1703, 1703, 1703);
    SERIES(bench, "interrupt.pair.udp.64", 97, 97, 177);
    SERIES(bench, "peer.pair.udp.64", 2400, 2400, 2400);
    SERIES(bench, "wire_back.pair.udp.64", 1703, 1703, 1703);
    SERIES(bench, "interrupt_back.pair.udp.64", 97, 97, 97);
    SERIES(bench, "stack.pair.udp.64", 800, 800, 800);
    SERIES(bench, "wake.pair.udp.64", 400, 400, 400);
    SERIES(bench, "law.pair.udp.64", 1704, 1704, 1704);
    SERIES(bench, "law_back.pair.udp.64", 1703, 1703, 1703);
    SERIES(bench, "rtt.pair.udp.1472", 30000, 30000, 30000);
    SERIES(bench, "rtt.loopback.tcp.1", 1600, 1600);
    SERIES(bench, "send.loopback.tcp.1", 1000, 1000);
    SERIES(bench, "stack.loopback.tcp.1", 500, 500);
}

static void test_round_trips(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "exact", "rtt");
    int64_t sizes[DISK_POINTS_MAX];
    struct statistics residual;
    struct rtt_law law;
    struct split split;

    build_rtt(bench);
    CHECK_EQUAL(rtt_sizes(bench, "pair", "udp", sizes), 2);
    CHECK(sizes[0] == 64 && sizes[1] == 1472);
    CHECK(rtt_of(bench, "pair", "udp", 64, &split) && split_has_parts(&split));
    split_residual(&split, &residual);
    CHECK(residual.min == 0 && residual.max == 0);
    CHECK(rtt_of(bench, "loopback", "tcp", 1, &split));
    split_residual(&split, &residual);
    CHECK_EQUAL(residual.median, 100);
    CHECK(rtt_of(bench, "pair", "udp", 1472, &split) && !split_has_parts(&split));
    CHECK(!rtt_of(bench, "pair", "icmp", 64, &split));
    CHECK(rtt_law_of(bench, "pair", "udp", 64, 0, &law) && law.law[0] == 1704);
    CHECK(!rtt_law_of(bench, "loopback", "tcp", 1, 0, &law));
    SERIES(bench, "wake.loopback.tcp.1", 1); /* another number of samples */
    CHECK(!rtt_of(bench, "loopback", "tcp", 1, &split));
    run_free(&run);
}

static void test_rtt_view(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "exact", "rtt");

    build_rtt(bench);
    CHECK(holds(&run, "in instructions of virtual time"));
    CHECK(holds(&run, "pair, udp            64 B    1472 B\n"));
    CHECK(holds(&run, "rtt                  1000      3750\n    max"));
    CHECK(holds(&run, "  max                1010      3750\n"));
    CHECK(holds(&run, "  in time        8.000 us  30.00 us\n"));
    CHECK(holds(&run, "send                  100         -\n"));
    CHECK(holds(&run, "residual                0         -\n"));
    CHECK(holds(&run, "wire - law         -0.125         -\n"));
    build_fact(bench, "lost.pair.udp.64", 3);
    build_fact(bench, "lost.pair.udp.1472", 4);
    build_fact(bench, "resent.pair.tcp.1", 9);
    CHECK(holds(&run, "Without an answer: 7 trips"));
    CHECK(rtt_facts(bench, "resent") == 9 && rtt_shows_fact(&bench->facts[bench->fact_count - 1]));
    CHECK(lacks(&run, "away"));
    CHECK(lacks(&run, "pair, icmp"));
    CHECK(holds(&run, "residual           12.5\n"));
    CHECK(holds(&run, "pair: wire0,wire1 (simulated link), by timer, 1.000 us"));
    CHECK(holds(&run, "pair  wire0,wire1  timer    17         -     3"));
    run_free(&run);
    build_rtt(start_run(&run, "real", "rtt"));
    CHECK(holds(&run, "rtt               8.000 us  30.00 us\n"));
    CHECK(lacks(&run, "  in time "));
    run_free(&run);
}

/* ---- transfers ---- */

static void build_transfers(struct run_bench *bench)
{
    build_fact(bench, "total.pair.65536.1460", 2000000);
    build_fact(bench, "bytes.pair.65536.1460", 200000);
    build_fact(bench, "bound_wire.pair.65536", 118000000);
    build_fact(bench, "bound_window.pair.65536", 6000000000);
    build_fact(bench, "bound_copy", 9000000000);
    build_fact(bench, "total.pair.2048.1460", 4000000);
    build_fact(bench, "bytes.pair.2048.1460", 200000);
    build_fact(bench, "bound_wire.pair.2048", 118000000);
    build_fact(bench, "bound_window.pair.2048", 80000000);
    build_fact(bench, "total.loopback.2048.64", 4000000);
    build_fact(bench, "total.pair.2048", 4); /* no transfer */
    build_fact(bench, "total.elsewhere.1.1", 4);
    SERIES(bench, "block.pair.65536.1460", 600000, 650000, 700000);
    SERIES(bench, "again.pair.65536.1460", 0, 3, 0);
    build_fact(bench, "shortest.pair.65536.1460", 9000);
    build_fact(bench, "outliers.pair", 1);
    build_fact(bench, "data_again.pair", 3);
    build_fact(bench, "data_sent.pair", 140);
    build_fact(bench, "data_twice.pair", 1);
    build_fact(bench, "data_lost.pair", 2);
}

static void test_transfers(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "real", "netbandwidth");
    struct transfer transfers[TRANSFERS_MAX];

    build_transfers(bench);
    CHECK_EQUAL(transfers_read(&run, bench, transfers), 3);
    CHECK_TEXT(transfers[0].path, "loopback");
    CHECK(isnan(transfers[0].rate) && transfer_binds(&transfers[0]) == BOUND_COPY);
    CHECK(transfers[1].window == 2048 && near(transfers[1].rate, 0.05));
    CHECK_EQUAL(transfer_binds(&transfers[1]), BOUND_WINDOW);
    CHECK(near(transfers[1].bound[BOUND_WINDOW], 0.08) && near(transfers[1].bound[BOUND_COPY], 9));
    CHECK_EQUAL(transfer_binds(&transfers[2]), BOUND_WIRE);
    CHECK(isnan(transfers[2].bound[BOUND_STACK]));
    CHECK(transfers[2].block.n == 3 && transfers[1].block.n == 0);
    CHECK(transfers[2].counted && transfers[2].again == 3 && transfers[2].outliers == 1);
    CHECK(transfers[2].shortest == 9000 && !transfers[1].counted);
    CHECK(holds(&run, "650.0 us    -  700.0 us  9.000 us         1"));
    CHECK(holds(&run, "of 140 frames with data 2 were lost; 3 segments"));
    CHECK(holds(&run, "had arrived: agrees; outliers: 1"));
    bench->facts[bench->fact_count - 1].value = 0;
    CHECK(holds(&run, "had arrived: DIFFERS; outliers: 1"));
    bench->facts[bench->fact_count - 1].name = "other";
    CHECK(holds(&run, "pair: 3 segments were sent again; outliers: 1"));
    CHECK(holds(&run, "and their bounds, in MB/s"));
    CHECK(holds(&run, "50.00     80.00 118.0 9000     - window 62.50 %"));
    CHECK(holds(&run, "wire   84.75 %"));
    build_fact(bench, "total.loopback.65536.1460", 2000000);
    build_fact(bench, "bytes.loopback.65536.1460", 210000);
    CHECK(transfers_read(&run, bench, transfers) == 4 && transfers[3].window == 65536);
    CHECK(near(transfers[3].bound[BOUND_STACK], 0.105) && isnan(transfers[2].bound[BOUND_STACK]));
    CHECK_EQUAL(transfer_binds(&transfers[3]), BOUND_STACK);
    CHECK(holds(&run, "105.0 stack  95.24 %"));
    CHECK(transfer_shows_fact(&bench->facts[4]) && path_shows_fact(&bench->facts[0]));
    CHECK(!path_shows_fact(&bench->facts[4]));
    run_free(&run);
    build_transfers(start_run(&run, "exact", "netbandwidth"));
    CHECK(holds(&run, "in B/1000 instructions of virtual time"));
    CHECK(holds(&run, "400.0     640.0 944.0"));
    CHECK(lacks(&run, "MB/s"));
    run_free(&run);
}

/* ---- connections ---- */

static void build_connection(struct run_bench *bench)
{
    SERIES(bench, "setup.pair", 10000, 10200);
    SERIES(bench, "setup.syn.pair", 2000, 2000);
    SERIES(bench, "setup.answer.pair", 6000, 6200);
    SERIES(bench, "setup.established.pair", 1900, 1900);
    SERIES(bench, "teardown.pair", 5000, 5000);
    SERIES(bench, "tcp.pair", 25000, 25000);
    SERIES(bench, "raw.pair", 7000, 7000);
    SERIES(bench, "overhead.pair", 18000, 18000);
}

static void test_connection(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "real", "connection");
    struct statistics residual;
    struct split split;

    build_connection(bench);
    CHECK(connection_setup_of(bench, "pair", &split));
    split_residual(&split, &residual);
    CHECK(residual.min == 100 && residual.max == 100);
    CHECK(connection_overhead_of(bench, "pair", &split));
    split_residual(&split, &residual);
    CHECK(residual.min == 0 && residual.max == 0);
    CHECK(!connection_setup_of(bench, "remote", &split));
    CHECK(connection_report() != NULL && near(connection_report()->reported, 20134));
    CHECK(holds(&run, "overhead     2  18.00 us  18.00 us    -  18.00 us"));
    CHECK(holds(&run, "20.13 us; its estimate was a few"));
    run_free(&run);
}

/* ---- remote files ---- */

static void build_files(struct run_bench *bench)
{
    SERIES(bench, "sequential.pair.8192", 300000, 500000);
    SERIES(bench, "sequential.local.8192", 100000, 100000);
    SERIES(bench, "random.pair.8192", 300000, 500000);
    SERIES(bench, "random.remote.4096", 1);
    build_fact(bench, "total.sequential.pair.8192", 800000);
    build_fact(bench, "total.sequential.local.8192", 200000);
    build_fact(bench, "total.random.pair.8192", 800000);
}

static void test_files(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "exact", "remotefile");
    int64_t sizes[DISK_POINTS_MAX];
    struct remote_file file;

    build_files(bench);
    CHECK_EQUAL(remote_sizes(bench, sizes), 2);
    CHECK(sizes[0] == 4096 && sizes[1] == 8192);
    CHECK(remote_file_of(bench, "sequential", "pair", 8192, &file) && near(file.of_local, 4));
    CHECK(remote_file_of(bench, "random", "pair", 8192, &file) && isnan(file.of_local));
    CHECK(!remote_file_of(bench, "random", "remote", 4096, &file)); /* no total */
    CHECK(near(remote_report_ratio(), 4.0162e10 / 6.06282e8));
    CHECK(holds(&run, "500.0 us  800.0 us          4.000"));
    CHECK(holds(&run, "local  100.0 us    -  100.0 us  200.0 us              -"));
    CHECK(holds(&run, "measured 66 times as"));
    run_free(&run);
}

/* ---- latency under load ---- */

static void build_load(struct run_bench *bench)
{
    SERIES(bench, "idle.pair", 1000, 1000, 2000);
    SERIES(bench, "loaded.pair", 3000, 9000, 5000);
    build_fact(bench, "bytes.pair", 1 << 20);
    build_fact(bench, "total.pair", 1 << 24);
    build_fact(bench, "meanwhile.pair", 5000);
    build_fact(bench, "unanswered.idle.pair", 2);
    build_fact(bench, "unanswered.loaded.pair", 3);
}

static void test_load(void)
{
    struct run run;

    build_load(start_run(&run, "real", "netload"));
    CHECK(holds(&run, "pair  bulk TCP  3  3.000 us  5.000 us    -  9.000 us"));
    CHECK(holds(&run, "times           3.000     5.000    -     4.500"));
    CHECK(holds(&run, "pair: 5000 bytes of the bulk"));
    CHECK(holds(&run, "during round trips; 5"));
    CHECK(holds(&run, "moved 1 MiB in 16.78 ms: 62.5 MB/s"));
    run_free(&run);
}

/* ---- what is made of all ---- */

static void test_metrics(void)
{
    struct run run;
    struct metrics metrics;

    build_transfers(start_run(&run, "exact", "netbandwidth"));
    build_rtt(build_bench(&run, "rtt", 1));
    run.verdict.hz = 2000000000;
    metrics_of(&run, &metrics);
    const struct metric *rate = metrics_find(&metrics, "netbandwidth.rate[pair.2048.1460]");
    const struct metric *rtt = metrics_find(&metrics, "rtt.rtt.pair.udp.64");

    CHECK(rate != NULL && rate->better == METRIC_MORE && near(rate->values[0], 0.4));
    CHECK_TEXT(rate != NULL ? rate->unit : NULL, "B/instruction");
    CHECK(rtt != NULL && rtt->better == METRIC_LESS && near(rtt->values[0], 4000));
    CHECK_TEXT(rtt != NULL ? rtt->unit : NULL, "ns");
    CHECK(metrics_find(&metrics, "rtt.law.pair.udp.64") == NULL);
    CHECK(metrics_find(&metrics, "rtt.law_back.pair.udp.64") == NULL);
    metrics_free(&metrics);
    run_free(&run);
}

static void test_figures(void)
{
    struct figures figures;
    struct run run;

    build_rtt(start_run(&run, "exact", "rtt"));
    build_transfers(build_bench(&run, "netbandwidth", 1));
    build_connection(build_bench(&run, "connection", 1));
    build_files(build_bench(&run, "remotefile", 1));
    build_load(build_bench(&run, "netload", 1));
    draw(&figures, &run);
    const struct figure *sizes = figure_of(&figures, "network-rtt-pair");
    const struct figure *spans = figure_of(&figures, "network-spans-pair");
    const struct figure *rates = figure_of(&figures, "network-bandwidth-pair");
    const struct figure *connection = figure_of(&figures, "network-connection");
    const struct figure *files = figure_of(&figures, "network-remote-file");
    const struct figure *load = figure_of(&figures, "network-load-pair");

    CHECK(sizes != NULL && sizes->series_count == 1 && sizes->series[0].n == 2);
    CHECK(spans != NULL && spans->lanes.count == 1 && spans->span_count == 8);
    CHECK(spans != NULL && near(spans->spans[7].end, 8)); /* the medians' sum, in us */
    CHECK(rates != NULL && rates->series_count == 4 && near(rates->series[0].y[1], 800));
    CHECK(connection != NULL && connection->lanes.count == 3 && connection->span_count == 6);
    CHECK(files != NULL && files->series_count == 3);
    CHECK(load != NULL && load->series[0].n == 4 && near(load->series[0].y[1], 200 / 3.0));
    figures_free(&figures);
    run_free(&run);
}

static void test_absent(void)
{
    struct figures figures;
    struct run run;

    SERIES(start_run(&run, "real", "rtt"), "other", 1);
    SERIES(build_bench(&run, "connection", 1), "other", 1);
    draw(&figures, &run);
    CHECK(figures.count == 2 && figures.item[0].kind == FIGURE_ABSENT);
    CHECK(figures.count == 2 && strstr(figures.item[0].absent, "net.peer is missing") != NULL);
    CHECK(figures.count == 2 &&
          strstr(figures.item[1].absent, "not all samples of this arrived") != NULL);
    figures_free(&figures);
    run_free(&run);
}

/* A run may hold anything: the sanitizers watch. */
static void test_anything(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "real", "rtt");
    struct transfer transfers[TRANSFERS_MAX];

    SERIES(bench, "rtt.pair.udp.9223372036854775807", INT64_MIN, INT64_MAX);
    SERIES(bench, "wire.pair.udp.9223372036854775807", INT64_MAX, INT64_MIN);
    SERIES(bench, "law.pair.udp.9223372036854775807", INT64_MIN, INT64_MAX);
    SERIES(bench, "rtt.pair.udp.9223372036854775808", 1, 1); /* no number */
    CHECK(holds(&run, "residual"));
    build_fact(bench, "total.pair.9223372036854775808.1", 1);
    build_fact(bench, "total.pair.1.1", -1);
    CHECK(transfers_read(&run, bench, transfers) == 1 &&
          transfer_binds(&transfers[0]) == TRANSFER_BOUNDS);
    CHECK(holds(&run, "pair"));
    run_free(&run);
}

int main(void)
{
    RUN(test_round_trips());
    RUN(test_rtt_view());
    RUN(test_transfers());
    RUN(test_connection());
    RUN(test_files());
    RUN(test_load());
    RUN(test_metrics());
    RUN(test_figures());
    RUN(test_absent());
    RUN(test_anything());
    return unit_finish("unit_network_views");
}
