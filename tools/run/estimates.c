/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/run/estimates.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/disk/names.h"
#include "bench/memory/names.h"
#include "bench/network/names.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/run/curves.h"
#include "tools/run/run_kind.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"

#define KIB (INT64_C(1) << 10)
#define MIB (INT64_C(1) << 20)

#define NO_FIGURE NAN

/* Section 7.3 of the report, in its order. */
const int64_t estimates_arrays[ESTIMATES_ARRAYS] = {8 * KIB,   16 * KIB,  32 * KIB,  64 * KIB,
                                                    128 * KIB, 256 * KIB, 512 * KIB, 1 * MIB,
                                                    2 * MIB,   4 * MIB,   8 * MIB,   16 * MIB};
const int64_t estimates_strides[ESTIMATES_STRIDES] = {4 * KIB,   8 * KIB,   16 * KIB, 64 * KIB,
                                                      256 * KIB, 512 * KIB, 2 * MIB,  4 * MIB};
const double estimates_table_ns[ESTIMATES_ARRAYS][ESTIMATES_STRIDES] = {
    {3.96274, 3.7561, 3.81917, 3.826, 4.13745, 3.85462, 3.82508, 3.73209},
    {4.02081, 3.524, 3.44721, 4.04499, 4.15607, 3.85799, 3.43943, 3.91531},
    {3.84303, 3.44447, 3.44358, 3.81457, 4.16223, 3.88246, 3.44363, 3.80024},
    {6.52711, 3.44692, 3.44814, 3.48672, 3.55289, 3.44777, 3.44605, 4.21047},
    {6.70607, 6.30301, 3.67807, 3.44828, 3.96221, 3.44717, 3.66737, 3.75244},
    {9.52284, 6.50269, 6.42394, 3.94119, 3.45035, 3.50712, 3.8172, 3.6164},
    {17.4223, 16.7264, 16.7295, 7.04998, 4.22234, 3.85269, 3.72856, 4.07119},
    {17.4939, 17.2873, 17.1692, 16.9257, 3.82977, 3.64741, 4.49462, 3.9491},
    {20.0531, 17.0793, 17.2576, 17.3464, 6.99774, 3.67312, 3.89769, 3.92317},
    {45.9738, 20.5752, 17.3439, 18.7981, 10.5045, 6.50443, 3.73109, 3.93338},
    {76.3649, 52.0846, 29.1885, 30.1836, 12.7795, 13.0446, 3.75738, 3.83827},
    {83.8091, 74.7569, 58.1748, 38.0846, 17.3528, 13.1674, 7.54531, 3.70682},
};

/* Section 14.3 of the report. */
const struct estimates_file estimates_files[ESTIMATES_FILES] = {
    {2 * MIB, 5.94642e7, 1.06246e8},      {8 * MIB, 1.83524e8, 4.0641e8},
    {32 * MIB, 6.06282e8, 1.90806e9},     {256 * MIB, 5.89461e9, 1.28649e10},
    {512 * MIB, 8.79969e9, 2.42765e10},   {1024 * MIB, 1.96784e10, 5.34049e10},
    {2048 * MIB, 3.71897e10, 1.07222e11}, {4096 * MIB, 8.18774e10, 2.18774e11},
};

#define BLOCK_BYTES (64 * KIB) /* block size of bench netbandwidth */

#define RTT_OF(path)         SERIES_RTT "." path "." PROTOCOL_TCP ".64"
#define BLOCK_OF(path)       SERIES_NET_BLOCK "." path ".65536.16384"
#define REMOTE_FILE_OF(path) ORDER_SEQUENTIAL_READ "." path ".262144"

static const struct estimates_row rows[] = {
    {"1", "clock read back to back", 6.076, "13 cyc", ESTIMATES_NS, BENCH_CLOCKREAD,
     SERIES_PAIR_RDTSC, ESTIMATES_PAIR, 0,
     "the report's is a C function around RDTSC; its standard deviation is 3.449 ns"},
    {"1", "clock read between fences", NO_FIGURE, NULL, ESTIMATES_NS, BENCH_CLOCKREAD,
     SERIES_PAIR_LFENCE_RDTSC_LFENCE, ESTIMATES_PAIR, 0,
     "includes the fences that prevent reordering"},
    {"2", "loop counting in memory", 3.413, "3 cyc", ESTIMATES_NS, BENCH_LOOP, COST_MEMORY,
     ESTIMATES_COST, 0, "compiled as by the report's compiler"},
    {"2", "loop in a register", NO_FIGURE, NULL, ESTIMATES_NS, BENCH_LOOP, COST_REGISTER,
     ESTIMATES_COST, 0, "compiled as by an optimising compiler"},
    {"3", "call with 0 arguments", 25.2627, "20-30", ESTIMATES_CYCLES, BENCH_CALL,
     COST_REGISTER "0", ESTIMATES_COST_LESS, 0, NULL},
    {"3", "call with 1 argument", 26.1713, "+1", ESTIMATES_CYCLES, BENCH_CALL, COST_REGISTER "1",
     ESTIMATES_COST_LESS, 0, NULL},
    {"3", "call with 2 arguments", 26.6398, "+1", ESTIMATES_CYCLES, BENCH_CALL, COST_REGISTER "2",
     ESTIMATES_COST_LESS, 0, NULL},
    {"3", "call with 3 arguments", 27.5422, "+1", ESTIMATES_CYCLES, BENCH_CALL, COST_REGISTER "3",
     ESTIMATES_COST_LESS, 0, NULL},
    {"3", "call with 4 arguments", 27.7148, "+1", ESTIMATES_CYCLES, BENCH_CALL, COST_REGISTER "4",
     ESTIMATES_COST_LESS, 0, NULL},
    {"3", "call with 5 arguments", 28.5264, "+1", ESTIMATES_CYCLES, BENCH_CALL, COST_REGISTER "5",
     ESTIMATES_COST_LESS, 0, NULL},
    {"3", "call with 6 arguments", 31.5264, "+1", ESTIMATES_CYCLES, BENCH_CALL, COST_REGISTER "6",
     ESTIMATES_COST_LESS, 0, NULL},
    {"3", "call with 7 arguments", 32.1614, "+1", ESTIMATES_CYCLES, BENCH_CALL, COST_REGISTER "7",
     ESTIMATES_COST_LESS, 0, "the seventh on the stack"},
    {"4", "system call", NO_FIGURE, NULL, ESTIMATES_CYCLES, BENCH_SYSCALL, CALL_NULL,
     ESTIMATES_EVENT, 0, "entry and exit only"},
    {"4", "system call copying 64 B", NO_FIGURE, NULL, ESTIMATES_CYCLES, BENCH_SYSCALL, CALL_COPY64,
     ESTIMATES_EVENT, 0, "checks addresses and copies"},
    {"4", "system call, stat", 1062.25, "1000", ESTIMATES_CYCLES, BENCH_SYSCALL, CALL_STAT,
     ESTIMATES_EVENT, 0,
     "the report's looks up a file and copies the result out; ours looks up a thread by its name"},
    {"5", "thread created to joined", 95560, "100000", ESTIMATES_CYCLES, BENCH_CREATION,
     SERIES_THREAD, ESTIMATES_EVENT, 0, NULL},
    {"5", "process created to joined", NO_FIGURE, NULL, ESTIMATES_CYCLES, BENCH_CREATION,
     SERIES_PROCESS, ESTIMATES_EVENT, 0, "with an empty address space"},
    {"5", "process copied, 256 pages", NO_FIGURE, NULL, ESTIMATES_CYCLES, BENCH_FORK, CURVE_COPY,
     ESTIMATES_POINT, 256, "copies every page of the parent at once"},
    {"5", "process forked, 256 pages", 1742520, "2-3 million", ESTIMATES_CYCLES, BENCH_FORK,
     CURVE_SHARE, ESTIMATES_POINT, 256,
     "as the report's fork(): pages are shared until written to, and one is written; the report's "
     "number of pages is unknown"},
    {"6", "process switch by a pipe", 3930.78, "400", ESTIMATES_CYCLES, BENCH_CONTEXTSWITCH,
     SERIES_PROCESS_PIPE_ROUND, ESTIMATES_HALF, 0,
     "half of a round trip, which has a write and a read, as in the report. There it is 12 times a "
     "thread switch, which needs no pipe and evicts neither TLB nor caches; here it is 3 times in "
     "exact time, which counts the instructions of the pipe, but no refill of TLB and caches"},
    {"6", "thread switch by yield", 322.482, "300", ESTIMATES_CYCLES, BENCH_CONTEXTSWITCH,
     SERIES_THREAD_YIELD, ESTIMATES_EVENT, 0, NULL},
    {"7", "load in 8 KiB (its L1)", 3.96274, "2-3 cyc", ESTIMATES_NS, BENCH_STRIDE,
     CURVE_STRIDE "4096", ESTIMATES_POINT, 8 * KIB,
     "the array size of the report's table, at a stride of 4 KiB"},
    {"7", "load in 256 KiB (its L2)", 9.52284, "8-10 cyc", ESTIMATES_NS, BENCH_STRIDE,
     CURVE_STRIDE "4096", ESTIMATES_POINT, 256 * KIB, NULL},
    {"7", "load in 2 MiB (its L3)", 20.0531, "15-20 cyc", ESTIMATES_NS, BENCH_STRIDE,
     CURVE_STRIDE "4096", ESTIMATES_POINT, 2 * MIB, NULL},
    {"7", "load in 16 MiB (its RAM)", 83.8091, "70-80", ESTIMATES_NS, BENCH_STRIDE,
     CURVE_STRIDE "4096", ESTIMATES_POINT, 16 * MIB, NULL},
    {"7", "load at random, largest", NO_FIGURE, NULL, ESTIMATES_NS, BENCH_CHASE,
     ORDER_RANDOM "." PAGE_NAME_2M "." TYPE_NAME_WB, ESTIMATES_LAST, 0,
     "in an order that no prefetcher follows"},
    {"8", "write by rep stosq", 19.975, "20", ESTIMATES_GB_PER_S, BENCH_BANDWIDTH,
     OPERATION_WRITE "." SET_REP, ESTIMATES_BANDWIDTH, 0,
     "the largest array; the report's has 1 GB"},
    {"8", "read by rep lodsq", 22.213, "20", ESTIMATES_GB_PER_S, BENCH_BANDWIDTH,
     OPERATION_READ "." SET_REP, ESTIMATES_BANDWIDTH, 0, NULL},
    {"9", "page fault, page on disk", 16618.9, "30000", ESTIMATES_NS, BENCH_PAGEFAULT, KIND_FILE,
     ESTIMATES_WAITED_EVENT, 0,
     "the report's is OS X's, which reads ahead of a mapped file; a modelled disk takes the "
     "time of its timing model for each page; pagefault reports the kernel's part separately"},
    {"9", "page fault, page in cache", 1445.86, NULL, ESTIMATES_NS, BENCH_PAGEFAULT, KIND_SOFT,
     ESTIMATES_EVENT, 0, "the report's later runs under OS X, which found the file in memory"},
    {"9", "page fault on first touch", NO_FIGURE, NULL, ESTIMATES_NS, BENCH_PAGEFAULT,
     KIND_DEMAND_ZERO, ESTIMATES_EVENT, 0, "no file: the page is zeroed"},
    {"9", "page fault on a held page", NO_FIGURE, NULL, ESTIMATES_NS, BENCH_PAGEFAULT, KIND_MINOR,
     ESTIMATES_EVENT, 0, "no file, and the page is present"},
    {"10", "round trip, loopback TCP", 94000, "90 us", ESTIMATES_NS, BENCH_RTT,
     RTT_OF(PATH_LOOPBACK), ESTIMATES_PAIR, 0,
     "64 bytes; without changes of rings, sockets and OS X"},
    {"10", "round trip, two NICs, TCP", NO_FIGURE, NULL, ESTIMATES_NS, BENCH_RTT, RTT_OF(PATH_PAIR),
     ESTIMATES_WAITED, 0,
     "both ends in this machine; rtt reports the part of a simulated link separately"},
    {"10", "round trip, one hop, TCP", 3412000, "3-4 ms", ESTIMATES_NS, BENCH_RTT,
     RTT_OF(PATH_REMOTE), ESTIMATES_WAITED, 0,
     "the report's goes over a wireless network. Nothing is estimated, because the other end takes "
     "the time of another machine or of the host"},
    {"11", "bandwidth, loopback TCP", 10.1147, "10", ESTIMATES_GB_PER_S, BENCH_NETBANDWIDTH,
     BLOCK_OF(PATH_LOOPBACK), ESTIMATES_BLOCK, 0,
     "the widest window; ours computes the checksums of both ends and compares each byte"},
    {"11", "bandwidth, two NICs, TCP", NO_FIGURE, NULL, ESTIMATES_GB_PER_S, BENCH_NETBANDWIDTH,
     BLOCK_OF(PATH_PAIR), ESTIMATES_WAITED_BLOCK, 0,
     "both ends in this machine: one processor does the work of both"},
    {"11", "bandwidth, one hop, TCP", 0.04684, "50 MB/s", ESTIMATES_GB_PER_S, BENCH_NETBANDWIDTH,
     BLOCK_OF(PATH_REMOTE), ESTIMATES_WAITED_BLOCK, 0, "the report's goes over a wireless network"},
    {"12", "TCP connection", 20134, "a few us", ESTIMATES_NS, BENCH_CONNECTION,
     SERIES_OVERHEAD "." PATH_LOOPBACK, ESTIMATES_PAIR, 0,
     "connect, one byte there and back, and close, minus a raw packet there and back"},
    {"12", "TCP connection, two NICs", NO_FIGURE, NULL, ESTIMATES_NS, BENCH_CONNECTION,
     SERIES_OVERHEAD "." PATH_PAIR, ESTIMATES_WAITED, 0,
     "of its three round trips, two are overhead"},
    {"13", "4 KiB of a cached file", 1102.56, NULL, ESTIMATES_NS, BENCH_FILECACHE, SERIES_HIT,
     ESTIMATES_PAIR, 0,
     "the report's has a system call and OS X's file layer; ours has a look-up and a copy, without "
     "a change of rings"},
    {"13", "4 KiB of an uncached file", 243124, "150 us", ESTIMATES_NS, BENCH_FILECACHE,
     SERIES_MISS, ESTIMATES_WAITED, 0,
     "the report's file has 1 GiB, and its cache ends between 512 MiB and 1 GiB; ours ends at "
     "cache.mib, and a miss takes the disk's time, a look-up and a copy"},
    {"14", "4 KiB of file, in order", 5.94642e7 / 512, "150 us", ESTIMATES_NS, BENCH_FILEREAD,
     ORDER_SEQUENTIAL_READ "." WAY_DIRECT ".1048576", ESTIMATES_WAITED, 0,
     "the report's file of 2 MiB, by its blocks"},
    {"14", "4 KiB of file, at random", 1.06246e8 / 512, "2 x that", ESTIMATES_NS, BENCH_FILEREAD,
     ORDER_RANDOM_READ "." WAY_DIRECT ".1048576", ESTIMATES_WAITED, 0,
     "the report's loses the benefit of reading ahead; disk.model=nvme and optane take the same "
     "time in any order"},
    {"15", "4 KiB of a remote file", 4.0162e10 / 8192, "50 x local", ESTIMATES_NS, BENCH_REMOTEFILE,
     REMOTE_FILE_OF(PATH_REMOTE), ESTIMATES_WAITED, 0,
     "the report's file of 32 MiB, by its blocks, over a wireless network and SSHFS; ours uses "
     "NBD"},
    {"15", "4 KiB of file, loopback", NO_FIGURE, NULL, ESTIMATES_NS, BENCH_REMOTEFILE,
     REMOTE_FILE_OF(PATH_LOOPBACK), ESTIMATES_PAIR, 0,
     "by NBD under Linux, from a process that makes the pages when they are read"},
    {"15", "4 KiB of file, two NICs", NO_FIGURE, NULL, ESTIMATES_NS, BENCH_REMOTEFILE,
     REMOTE_FILE_OF(PATH_PAIR), ESTIMATES_WAITED, 0,
     "by NBD from a server in this machine, which has the file in memory"},
    {"16", "4 KiB, by one thread", 125292, "100-200 us", ESTIMATES_NS, BENCH_DISKLOAD, CURVE_BLOCK,
     ESTIMATES_WAITED_POINT, 1,
     "total time of the load divided by its reads, as in the report; what exceeds the disk's "
     "service is the kernel's work"},
    {"16", "4 KiB, one of 32 threads", 10669071, NULL, ESTIMATES_NS, BENCH_DISKLOAD, CURVE_BLOCK,
     ESTIMATES_WAITED_POINT, 32,
     "with disk.model=ssd2014 each request in the queue makes a read longer, as the report has it; "
     "with others the time per block falls to the service time divided by the servers, or to the "
     "kernel's work"},
};

bool estimates_row_waits(const struct estimates_row *row)
{
    return row->method == ESTIMATES_WAITED || row->method == ESTIMATES_WAITED_EVENT ||
           row->method == ESTIMATES_WAITED_POINT || row->method == ESTIMATES_WAITED_BLOCK;
}

static bool is_of_point(const struct estimates_row *row)
{
    return row->method == ESTIMATES_POINT || row->method == ESTIMATES_WAITED_POINT;
}

const struct estimates_row *estimates_row_at(size_t index)
{
    return index < sizeof(rows) / sizeof(rows[0]) ? &rows[index] : NULL;
}

const char *estimates_unit_name(enum estimates_unit unit)
{
    static const char *const names[ESTIMATES_UNITS] = {
        [ESTIMATES_CYCLES] = UNIT_CYCLE,
        [ESTIMATES_NS] = UNIT_NANOSECOND,
        [ESTIMATES_GB_PER_S] = "GB/s",
        [ESTIMATES_INSTRUCTIONS] = UNIT_INSTRUCTION,
        [ESTIMATES_BYTES_PER_INSTRUCTION] = "byte/instruction",
        [ESTIMATES_BYTES_PER_CYCLE] = "byte/cycle",
    };

    return names[unit];
}

/* ---- values in ticks ---- */

/* Returns the costs of pairs, each divided by `divisor`; NULL if they are missing. */
static double *pairs_read(const struct run_bench *bench, const char *name, double divisor,
                          size_t *count)
{
    double *values = costs_read(bench, name, count);

    for (size_t i = 0; values != NULL && i < *count; i++) {
        values[i] /= divisor;
    }
    return values;
}

/* Returns (sample - `base`) / `divisor` for each sample of a series, or NULL if the series is
 * missing. Under Linux it may be a cost by once and twice, which includes no `base`. */
static double *plain_read(const struct run_bench *bench, const char *name, double base,
                          double divisor, size_t *count)
{
    const struct run_series *series = run_find_series(bench, name);

    if (series == NULL || series->n == 0 || !run_series_whole(series)) {
        return NULL;
    }
    if (costs_are_pairs(bench, name)) {
        return pairs_read(bench, name, divisor, count);
    }
    double *values = alloc_zeroed(series->n * sizeof(*values));

    for (size_t i = 0; i < series->n; i++) {
        values[i] = ((double)series->samples[i] - base) / divisor;
    }
    *count = series->n;
    return values;
}

/* Stores the median of plain samples or of a cost, and frees them. Returns false if there are none.
 */
static bool median_of(double *values, size_t count, double *median)
{
    if (values == NULL) {
        return false;
    }
    *median = summary_quantile(values, count, 0.5);
    free(values);
    return true;
}

static double *event_read(const struct run_bench *bench, const char *name, double divisor,
                          size_t *count)
{
    double empty;
    size_t empty_count = 0;
    double *empties = plain_read(bench, SERIES_EMPTY, 0, 1, &empty_count);

    return median_of(empties, empty_count, &empty) ? plain_read(bench, name, empty, divisor, count)
                                                   : NULL;
}

static double *cost_less_read(const struct run_bench *bench, const char *name, size_t *count)
{
    double loop;
    size_t loop_count = 0;
    double *loops = costs_read(bench, SERIES_LOOP, &loop_count);

    if (!median_of(loops, loop_count, &loop)) {
        return NULL;
    }
    double *values = costs_read(bench, name, count);

    for (size_t i = 0; values != NULL && i < *count; i++) {
        values[i] -= loop;
    }
    return values;
}

/* Finds the point of the curve for the row. If it is missing, returns false with the reason in
 * `result`. */
static bool find_point(const struct estimates_row *row, const struct curve *curve, size_t *point,
                       struct estimates_result *result)
{
    size_t last = 0;

    for (size_t i = 0; i < curve->points; i++) {
        last = curve->x[i] > curve->x[last] ? i : last;
        if (is_of_point(row) && curve->x[i] == row->x) {
            *point = i;
            return true;
        }
    }
    *point = last;
    if (!is_of_point(row)) {
        return true;
    }
    const bool bytes = row->x % KIB == 0; /* if not bytes, x is a number of pages */

    snprintf(result->text, sizeof(result->text),
             "%s/%s has no point at %" PRId64 "%s: its last point is at %" PRId64 "%s", row->bench,
             row->series, bytes ? row->x / KIB : row->x, bytes ? " KiB" : "",
             bytes ? curve->x[last] / KIB : curve->x[last], bytes ? " KiB" : "");
    result->missing = result->text;
    return false;
}

/* Returns the costs at the row's point, or for a bandwidth its bytes per tick. */
static double *point_read(const struct run_bench *bench, const struct estimates_row *row,
                          size_t *count, struct estimates_result *result)
{
    struct curve curve;
    size_t point;

    if (!curve_read(bench, row->series, &curve)) {
        return NULL;
    }
    double *values = NULL;

    if (find_point(row, &curve, &point, result)) {
        values = alloc_zeroed(curve.trials * sizeof(*values));
        memcpy(values, curve.cost + point * curve.trials, curve.trials * sizeof(*values));
        *count = curve.trials;
        for (size_t i = 0; row->method == ESTIMATES_BANDWIDTH && i < curve.trials; i++) {
            values[i] = (double)curve.x[point] / values[i];
        }
    }
    curve_free(&curve);
    return values;
}

/* Returns bytes per tick for each sample. The rate of a block that took no time is infinite. */
static double *rates_read(const struct run_bench *bench, const char *name, size_t *count)
{
    double *values = plain_read(bench, name, 0, (double)BLOCK_BYTES, count);

    for (size_t i = 0; values != NULL && i < *count; i++) {
        values[i] = 1 / values[i];
    }
    return values;
}

static double *values_read(const struct run_bench *bench, const struct estimates_row *row,
                           size_t *count, struct estimates_result *result)
{
    switch (row->method) {
    case ESTIMATES_PAIR:
    case ESTIMATES_WAITED:
        return plain_read(bench, row->series, 0, 1, count);
    case ESTIMATES_EVENT:
    case ESTIMATES_WAITED_EVENT:
        return event_read(bench, row->series, 1, count);
    case ESTIMATES_HALF:
        return event_read(bench, row->series, 2, count);
    case ESTIMATES_COST:
        return costs_read(bench, row->series, count);
    case ESTIMATES_BLOCK:
    case ESTIMATES_WAITED_BLOCK:
        return rates_read(bench, row->series, count);
    case ESTIMATES_COST_LESS:
        return cost_less_read(bench, row->series, count);
    default:
        return point_read(bench, row, count, result);
    }
}

/* ---- units ---- */

static bool is_rate(const struct estimates_row *row)
{
    return row->method == ESTIMATES_BANDWIDTH || row->method == ESTIMATES_BLOCK ||
           row->method == ESTIMATES_WAITED_BLOCK;
}

/* Returns the unit of the row's result in this run, and stores the factor from ticks to it. */
static enum estimates_unit unit_in(const struct run *run, const struct estimates_row *row,
                                   double *factor)
{
    const bool rate = is_rate(row);
    const double instruction = run_ticks_per_instruction(run);
    const double ns = run_ns_per_tick(run);

    if (instruction > 0 && !estimates_row_waits(row)) {
        *factor = rate ? instruction : 1 / instruction;
        return rate ? ESTIMATES_BYTES_PER_INSTRUCTION : ESTIMATES_INSTRUCTIONS;
    }
    *factor = 1;
    if (!(ns > 0) || row->unit == ESTIMATES_CYCLES) {
        return rate ? ESTIMATES_BYTES_PER_CYCLE : ESTIMATES_CYCLES;
    }
    *factor = rate ? 1 / ns : ns;
    return row->unit;
}

/* Converts an estimate from the unit that the bench stated to the unit of the result. Returns NaN
 * if that is impossible. */
static double converted(const struct run *run, double value, const char *unit,
                        enum estimates_unit to)
{
    const double ns = run_ns_per_tick(run);
    const bool cycles = strcmp(unit, UNIT_CYCLE) == 0 || strcmp(unit, UNIT_TICK) == 0;

    if (to == ESTIMATES_CYCLES && cycles) {
        return value;
    }
    if (to == ESTIMATES_NS && strcmp(unit, UNIT_NANOSECOND) == 0) {
        return value;
    }
    if (to == ESTIMATES_NS && cycles && ns > 0) {
        return value * ns;
    }
    if (to == ESTIMATES_CYCLES && strcmp(unit, UNIT_NANOSECOND) == 0 && ns > 0) {
        return value / ns;
    }
    if (to == ESTIMATES_GB_PER_S && strcmp(unit, UNIT_NANOSECOND) == 0) {
        return (double)BLOCK_BYTES / value;
    }
    if (to == ESTIMATES_GB_PER_S && strcmp(unit, UNIT_MB_PER_S) == 0) {
        return value / 1000;
    }
    return to == ESTIMATES_GB_PER_S && strcmp(unit, "GB/s") == 0 ? value : NAN;
}

/* Finds the estimate of a series. For a point of a curve, it is "NAME@X" if that exists. The
 * estimate NAME applies to the largest x if the unit is a time, but to every x if it is
 * instructions, which do not change with the caches. */
static const struct run_expect *find_expect(const struct run_bench *bench,
                                            const struct estimates_row *row,
                                            enum estimates_unit unit)
{
    char name[64];

    if (!is_of_point(row)) {
        return run_find_expect(bench, row->series);
    }
    snprintf(name, sizeof(name), "%s@%" PRId64, row->series, row->x);
    const struct run_expect *expect = run_find_expect(bench, name);

    if (expect != NULL ||
        (unit != ESTIMATES_INSTRUCTIONS && row->x != estimates_arrays[ESTIMATES_ARRAYS - 1])) {
        return expect;
    }
    return run_find_expect(bench, row->series);
}

static void read_estimate(const struct run *run, const struct run_bench *bench,
                          const struct estimates_row *row, struct estimates_result *result)
{
    const struct run_expect *expect = find_expect(bench, row, result->unit);
    const double share = row->method == ESTIMATES_HALF ? 0.5 : 1;

    if (expect == NULL) {
        return;
    }
    result->expect = expect;
    const bool rate = result->unit == ESTIMATES_BYTES_PER_INSTRUCTION;

    if ((result->unit == ESTIMATES_INSTRUCTIONS || rate) && expect->has_instructions) {
        result->estimate = rate ? (double)BLOCK_BYTES / (double)expect->instructions
                                : (double)expect->instructions * share;
        result->has_estimate = true;
    } else if (expect->has_value && expect->unit != NULL) {
        result->estimate =
            converted(run, (double)expect->value, expect->unit, result->unit) * share;
        result->has_estimate = !isnan(result->estimate);
    }
}

/* ---- results ---- */

/* Does the name contain `part` as whole words? "random.2m" covers all names that begin with
 * "random.2m.", and the path "remote" those that contain it. */
static bool covers(const char *part, const char *name)
{
    const size_t length = strlen(part);

    while (name != NULL) {
        if (strncmp(name, part, length) == 0 && (name[length] == '\0' || name[length] == '.')) {
            return true;
        }
        name = strchr(name, '.');
        name = name != NULL ? name + 1 : NULL;
    }
    return false;
}

static const char *absence(const struct run_bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->absent_count; i++) {
        const char *reason = bench->absents[i].reason;

        if (covers(bench->absents[i].name, name)) {
            return reason != NULL ? reason : "no reason given";
        }
    }
    return NULL;
}

static void explain(const struct run_bench *bench, const struct estimates_row *row,
                    struct estimates_result *result)
{
    const char *reason = absence(bench, row->series);

    if (result->missing != NULL) {
        return;
    }
    if (strcmp(bench->state, STATE_OK) != 0) {
        snprintf(result->text, sizeof(result->text), "%s: %s", bench->state,
                 bench->reason != NULL ? bench->reason : "no reason given");
    } else if (reason != NULL) {
        snprintf(result->text, sizeof(result->text), "%s", reason);
    } else if (strcmp(row->series, REMOTE_FILE_OF(PATH_LOOPBACK)) == 0) {
        snprintf(result->text, sizeof(result->text),
                 "only a program on Linux reads a file by loop-back: tare host --bench %s",
                 row->bench);
    } else {
        snprintf(result->text, sizeof(result->text), "%s/%s is missing or incomplete in the run",
                 row->bench, row->series);
    }
    result->missing = result->text;
}

/* Sets the result to the most frequent number. A cost by once and twice is the difference of those
 * of both series: a host's tick falls into few of each. */
static void take_mode(const struct run_bench *bench, const struct estimates_row *row,
                      double *values, struct estimates_result *result)
{
    const struct run_series *once = run_find_series(bench, row->series);
    const struct run_series *twice = run_series_named(bench, "%s" SUFFIX_TWICE, row->series);
    const bool halved = row->method == ESTIMATES_HALF;
    const struct statistics_mode all = statistics_mode_of_reals(values, result->n);

    result->share = all.share;
    result->median = all.value;
    if (row->method != ESTIMATES_COST_LESS && twice != NULL && twice->n == result->n) {
        const struct statistics_mode one = statistics_mode_of(once->samples, once->n);
        const struct statistics_mode two = statistics_mode_of(twice->samples, twice->n);
        const double cost = two.value - one.value;

        result->share = fmin(one.share, two.share);
        result->median = is_rate(row) ? (double)BLOCK_BYTES / cost
                                      : cost / (double)run_fact_or(bench, FACT_REPETITIONS, 1) /
                                            (halved ? 2 : 1);
    }
}

bool estimates_several(const struct estimates_result *result)
{
    return result->missing == NULL && result->share < ESTIMATES_SHARE;
}

void estimates_read(const struct run *run, const struct estimates_row *row,
                    struct estimates_result *result)
{
    const struct run_bench *bench = run_find_bench(run, row->bench);
    double factor;

    *result = (struct estimates_result){.missing = NULL, .share = NAN};
    result->unit = unit_in(run, row, &factor);
    if (bench == NULL) {
        snprintf(result->text, sizeof(result->text), "not in this run: boot with --bench %s",
                 row->bench);
        result->missing = result->text;
        return;
    }
    read_estimate(run, bench, row, result);

    double *values = values_read(bench, row, &result->n, result);

    if (values == NULL) {
        explain(bench, row, result);
        return;
    }
    sort_reals(values, result->n);
    result->median = summary_quantile_of(values, result->n, 0.5) * factor;
    if (run_time(run) == RUN_TIME_EXACT_SHARED) {
        take_mode(bench, row, values, result);
        result->median *= factor;
    }
    result->min = values[0] * factor;
    result->max = values[result->n - 1] * factor;
    free(values);
}

double estimates_difference(const struct estimates_result *result)
{
    if (result->missing != NULL || !result->has_estimate || result->estimate == 0) {
        return NAN;
    }
    return (result->median / result->estimate - 1) * 100;
}

bool estimates_cell(const struct run *run, size_t array, size_t stride, double *value)
{
    char series[32];
    const struct estimates_row row = {
        .unit = ESTIMATES_NS,
        .bench = BENCH_STRIDE,
        .series = series,
        .method = ESTIMATES_POINT,
        .x = estimates_arrays[array],
    };
    struct estimates_result result;

    snprintf(series, sizeof(series), CURVE_STRIDE "%" PRId64, estimates_strides[stride]);
    estimates_read(run, &row, &result);
    *value = result.median;
    return result.missing == NULL;
}
