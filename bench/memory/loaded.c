/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench loaded: what a load from memory costs while other processors read as fast as they can.
 *
 * Curve `latency`: x is the number of processors that read, from 0 to all others (on large machines
 * not every number in between); a repetition is a hop along a ring in random order. Curve `stream`:
 * x as before, from 1; a repetition is one byte read by any of them while the hops were timed. Each
 * reader has separate memory, as large as the ring.
 */
#include <stddef.h>

#include "bench/memory/chain.h"
#include "bench/memory/kernels.h"
#include "bench/memory/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cache.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"
#include "kernel/run/window.h"
#include "kernel/smp/processor.h"

#define KIB           1024ull
#define PIECE         (64 * KIB) /* bytes read between two looks at `stop` */
#define BYTES_UNKNOWN (128 * KIB * KIB)
#define BYTES_EXACT   (128 * KIB)
#define CACHES_BEYOND 4
#define HOPS          20000
#define HOPS_EXACT    256
#define WARM_MAX      (1 << 20)
/* hops from the second point on: the ring is already as warm as it gets, and the new readers only
 * need time to start */
#define WARM_LATER 4000
#define TRIALS_MAX 1000
#define START_US   2000000
#define STOP_US    10000000

/* what another processor does */
struct reader {
    const char *memory;
    uint64_t bytes;
    volatile uint64_t read; /* bytes read so far */
    volatile uint64_t stop;
} __attribute__((aligned(LINE_BYTES)));

static struct reader readers[PROCESSORS_MAX];
/* numbers of the processors that read, in the order in which they join */
static size_t numbers[PROCESSORS_MAX];
static size_t others;

static void read_until_stopped(void *argument)
{
    struct reader *reader = argument;
    uint64_t at = 0;

    while (reader->stop == 0) {
        memory_read_64(NULL, reader->memory + at, PIECE, 1);
        reader->read += PIECE;
        at = at + PIECE < reader->bytes ? at + PIECE : 0;
        /* an emulator that runs all processors in one thread switches to the next here */
        cpu_pause();
    }
}

static void find_others(void)
{
    others = 0;
    for (size_t i = 0; i < processor_count(); i++) {
        if (i != processor_current() && processor_works(i)) {
            numbers[others++] = i;
        }
    }
}

static uint64_t bytes_read(size_t count)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        bytes += readers[i].read;
    }
    return bytes;
}

/* Starts one more reader and waits until it reads. Returns false if it does not. */
static bool begin(size_t reader, const struct window *window, uint64_t bytes)
{
    const uint64_t start = tsc_read();
    const uint64_t limit = clock_ticks_from_us(START_US);

    readers[reader] = (struct reader){
        .memory = (const char *)window->base + (reader + 1) * bytes,
        .bytes = bytes,
    };
    if (!processor_begin(numbers[reader], read_until_stopped, &readers[reader])) {
        return false;
    }
    while (readers[reader].read == 0) {
        if (tsc_read() - start > limit) {
            return false;
        }
        cpu_pause();
    }
    return true;
}

/* Stops all readers. Returns the index of the first that does not stop, or `count` if all do. */
static size_t stop(size_t count)
{
    size_t silent = count;

    for (size_t i = 0; i < count; i++) {
        readers[i].stop = 1;
    }
    for (size_t i = count; i > 0; i--) {
        if (!processor_await(numbers[i - 1], clock_ticks_from_us(STOP_US))) {
            silent = i - 1;
        }
    }
    return silent;
}

struct curves {
    struct chain_curve latency;
    int64_t *x; /* x, bytes and ticks are of the stream, one trial per point */
    int64_t *bytes;
    int64_t *ticks;
};

static bool create(struct curves *curves, size_t trials)
{
    curves->x = bench_samples(others);
    curves->bytes = bench_samples(others);
    curves->ticks = bench_samples(others);
    return chain_curve_create(&curves->latency, CURVE_LATENCY, UNIT_COUNT, others + 1, trials) &&
           curves->x != NULL && curves->bytes != NULL && curves->ticks != NULL;
}

static void measure(struct curves *curves, size_t count, const struct chain *chain,
                    const struct chain_hops *hops)
{
    const size_t point = curves->latency.points;
    const uint64_t bytes = bytes_read(count);
    const uint64_t start = tsc_read_ordered();

    chain_curve_measure(&curves->latency, (int64_t)count, chain, hops);
    if (count > 0) {
        curves->ticks[point - 1] = (int64_t)(tsc_read_ordered() - start);
        curves->bytes[point - 1] = (int64_t)(bytes_read(count) - bytes);
        curves->x[point - 1] = (int64_t)count;
    }
}

/* Measures while the processors join one by one. Returns how many have joined. */
static size_t measure_all(const struct bench_run *run, struct curves *curves,
                          const struct window *window, uint64_t bytes)
{
    const struct chain chain = {window->base, LINE_BYTES, 0};
    const uint64_t lines = bytes / LINE_BYTES;
    struct chain_hops hops = {
        .warm = lines < WARM_MAX ? lines : WARM_MAX,
        .timed = chain_default(bench_number(run, "hops"), HOPS, HOPS_EXACT),
    };
    uint64_t random = CHAIN_SEED;
    size_t count = 0;

    chain_at_random(&chain, 0, lines, &random);
    for (size_t wanted = 0; wanted <= others; wanted = processors_next(wanted, others)) {
        while (count < wanted && begin(count, window, bytes)) {
            count++;
        }
        if (count < wanted) {
            break;
        }
        measure(curves, count, &chain, &hops);
        hops.warm = lines < WARM_LATER ? lines : WARM_LATER;
    }
    return count;
}

/* Returns the bytes of the ring, and of each reader; a multiple of PIECE. */
static uint64_t choose_bytes(const struct bench_run *run, enum window_page page)
{
    struct cpu_identity identity;

    cpu_identify(cpuid_instruction, &identity);
    const uint64_t largest = caches_largest(cpuid_instruction, &identity);
    const uint64_t wanted =
        chain_default(bench_number(run, PARAM_KIB) * KIB,
                      largest != 0 ? CACHES_BEYOND * largest : BYTES_UNKNOWN, BYTES_EXACT);
    const uint64_t room = window_bytes_max(page) / (others + 1);

    return (wanted < room ? wanted : room) / PIECE * PIECE;
}

static const char *open_window(const struct bench_run *run, struct window *window, uint64_t *bytes)
{
    static const enum window_page pages[] = {WINDOW_2M, WINDOW_4K};
    const char *why = NULL;

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        *bytes = choose_bytes(run, pages[i]);
        why = *bytes == 0 ? "too little memory for one area per processor; lower loaded.kib"
                          : window_open(window, pages[i], WINDOW_WRITE_BACK, (others + 1) * *bytes);
        if (why == NULL) {
            break;
        }
    }
    return why;
}

static void publish(const struct bench_run *run, const struct curves *curves)
{
    const size_t count = curves->latency.points - 1; /* points of the stream */
    bool all_read = count > 0;

    chain_curve_publish(run, &curves->latency);
    for (size_t i = 0; i < count; i++) {
        all_read = all_read && curves->bytes[i] > 0;
    }
    if (!all_read) {
        bench_absent(run, CURVE_STREAM,
                     "the others read nothing while hops were timed: the time was too short, or "
                     "only one processor runs at a time");
    } else {
        bench_publish(run, CURVE_STREAM SUFFIX_X, UNIT_COUNT, curves->x, count);
        bench_publish(run, CURVE_STREAM SUFFIX_N, UNIT_BYTE, curves->bytes, count);
        bench_publish(run, CURVE_STREAM, UNIT_TICK, curves->ticks, count);
    }
}

static enum bench_state run(struct bench_run *run)
{
    struct curves curves;
    struct window window;
    uint64_t bytes;

    find_others();
    if (!create(&curves, bench_number(run, "trials"))) {
        return bench_error(run, "no memory for samples");
    }
    const char *why = open_window(run, &window, &bytes);

    if (why != NULL) {
        return bench_skip(run, "%s", why);
    }
    bench_fact(run, "bytes", UNIT_BYTE, (int64_t)bytes);
    const size_t begun = measure_all(run, &curves, &window, bytes);
    const size_t silent = stop(begun < others ? begun + 1 : begun);

    /* The window stays open for a processor that may still be reading. */
    if (silent < begun) {
        return bench_fail(run, "processor %zu did not stop reading", numbers[silent]);
    }
    window_close(&window);
    publish(run, &curves);
    return begun == others
               ? bench_ok(run)
               : bench_fail(run, "processor %zu did not start to read within 2 s", numbers[begun]);
}

static const struct bench_param params[] = {
    {PARAM_KIB, "0",
     "KiB of the ring and of each reader; 0: 4 times the largest cache, or 128 without caches",
     PARAM_NUMBER(0, 1 << 30)},
    {"hops", "0", "loads in a trial; 0: 20000, or 256 without caches", PARAM_NUMBER(0, 1 << 30)},
    {"trials", "5", "trials for each number of readers, each with once and twice as many loads",
     PARAM_NUMBER(1, TRIALS_MAX)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {CURVE_LATENCY, ESTIMATE_NONE, 90, UNIT_NANOSECOND,
     "one reader uses a tenth of the memory's bandwidth, so that few loads wait for it"},
    {CURVE_STREAM, ESTIMATE_NONE, 10000, UNIT_MB_PER_S, "each reader reads as fast as alone"},
    {0},
};

static const struct bench loaded = {
    .name = BENCH_LOADED,
    .group = GROUP_MEMORY,
    .summary = "latency of a load while other processors read",
    .unit = UNIT_TICK,
    .estimate = "without readers as random.2m.wb of bench chase at that size; a few percent more "
                "with each reader, until together they need the memory's whole bandwidth; then two "
                "to four times as much",
    .needs = NEED_CLOCK | NEED_PROCESSORS,
    .params = params,
    .estimates = estimates,
    .run = run,
};
BENCH_REGISTER(loaded);
