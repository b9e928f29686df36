/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench together: how fast 1 to N processors move bytes at once, each in separate memory.
 *
 * Curves read, write, copy and write_nt (tools/run/curves.h): x is the number of processors (on
 * large machines not every number); a repetition is 1 KiB moved by any of them. A trial lasts from
 * the store that lets all start, once all are ready, until the last has finished. As in bench
 * bandwidth, a byte copied counts once, and what a write has to fetch first is not counted. The
 * instructions are those of set 64 there, which every processor can execute without setup.
 *
 * Afterwards one word of each 4 KiB that was written or copied is checked.
 */
#include <stddef.h>

#include "bench/memory/chain.h"
#include "bench/memory/kernels.h"
#include "bench/memory/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cache.h"
#include "kernel/cpu/cpu.h"
#include "kernel/link/names.h"
#include "kernel/plan/plan.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/run/window.h"
#include "kernel/smp/processor.h"

#define KIB           1024ull
#define BLOCK         (4 * KIB) /* sizes are multiples of it, and one word of each is checked */
#define BYTES_UNKNOWN (128 * KIB * KIB)
#define BYTES_EXACT   (128 * KIB)
#define CACHES_BEYOND 4
#define POINTS_MAX    32
#define TRIALS_MAX    1000
#define PASSES_MAX    100000
#define START_US      2000000
#define END_US        20000000
#define GO            1
#define GO_AWAY       2 /* a processor is missing: the others return without moving anything */
#define MARK          0x9e3779b97f4a7c15ull

struct operation {
    const char *name;
    const char *x;
    const char *n;
    memory_stream *stream;
    bool writes;
    bool copies;
};

static const struct operation operations[] = {
    {OPERATION_READ, OPERATION_READ SUFFIX_X, OPERATION_READ SUFFIX_N, memory_read_64, false,
     false},
    {OPERATION_WRITE, OPERATION_WRITE SUFFIX_X, OPERATION_WRITE SUFFIX_N, memory_write_64, true,
     false},
    {OPERATION_COPY, OPERATION_COPY SUFFIX_X, OPERATION_COPY SUFFIX_N, memory_copy_64, true, true},
    {OPERATION_WRITE_NT, OPERATION_WRITE_NT SUFFIX_X, OPERATION_WRITE_NT SUFFIX_N,
     memory_write_64_nt, true, false},
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static struct {
    volatile uint64_t ready __attribute__((aligned(LINE_BYTES)));
    volatile uint64_t go __attribute__((aligned(LINE_BYTES)));
    volatile uint64_t done __attribute__((aligned(LINE_BYTES)));
    const struct operation *operation __attribute__((aligned(LINE_BYTES)));
    char *memory; /* for each participant, `bytes` to read and after them as many to write */
    uint64_t bytes;
    uint64_t passes;
} meeting;

/* numbers of the participants, the current processor first */
static size_t numbers[PROCESSORS_MAX];
static size_t count;

static void find_processors(uint64_t most)
{
    numbers[0] = processor_current();
    count = 1;
    for (size_t i = 0; i < processor_count() && count < most; i++) {
        if (i != numbers[0] && processor_works(i)) {
            numbers[count++] = i;
        }
    }
}

/* ---- one trial ---- */

static char *area(size_t taker)
{
    return meeting.memory + taker * 2 * meeting.bytes;
}

static void move(size_t taker)
{
    char *from = area(taker);

    meeting.operation->stream(from + meeting.bytes, from, meeting.bytes, meeting.passes);
}

static void take_part(void *argument)
{
    const size_t taker = (size_t)(uintptr_t)argument;

    __atomic_add_fetch(&meeting.ready, 1, __ATOMIC_ACQ_REL);
    while (meeting.go == 0) {
        cpu_pause();
    }
    if (meeting.go == GO) {
        move(taker);
    }
    __atomic_add_fetch(&meeting.done, 1, __ATOMIC_ACQ_REL);
}

/* Waits for `value`. Returns false if it did not arrive within `us`. */
static bool await(const volatile uint64_t *word, uint64_t value, uint64_t us)
{
    const uint64_t start = tsc_read();
    const uint64_t limit = clock_ticks_from_us(us);

    while (*word != value) {
        if (tsc_read() - start > limit) {
            return false;
        }
        cpu_pause();
    }
    return true;
}

/* Returns the ticks, or 0 if a processor does not answer. */
static uint64_t measure_trial(size_t takers)
{
    bool good = true;

    meeting.ready = meeting.go = meeting.done = 0;
    for (size_t i = 1; i < takers; i++) {
        good = processor_begin(numbers[i], take_part, (void *)(uintptr_t)i) && good;
    }
    good = good && await(&meeting.ready, takers - 1, START_US);
    const uint64_t start = tsc_read_ordered();

    meeting.go = good ? GO : GO_AWAY;
    if (good) {
        move(0);
        good = await(&meeting.done, takers - 1, END_US);
    }
    const uint64_t end = tsc_read_ordered();

    for (size_t i = 1; i < takers; i++) {
        good = processor_await(numbers[i], clock_ticks_from_us(END_US)) && good;
    }
    return good ? end - start : 0;
}

/* ---- checking what was moved ---- */

static uint64_t *word_of(size_t taker, bool written, uint64_t at)
{
    return (uint64_t *)(uintptr_t)(area(taker) + (written ? meeting.bytes : 0) + at);
}

/* Marks the blocks to read with values that differ from block to block, and clears those to write.
 */
static void mark(size_t takers)
{
    for (size_t i = 0; i < takers; i++) {
        for (uint64_t at = 0; at < meeting.bytes; at += BLOCK) {
            *word_of(i, false, at) = MARK + i * meeting.bytes + at;
            *word_of(i, true, at) = 0;
        }
    }
}

/* Returns the first participant whose written blocks are wrong, or `takers` if all are right. A
 * write writes all ones. */
static size_t find_wrong(const struct operation *operation, size_t takers)
{
    for (size_t i = 0; i < takers; i++) {
        for (uint64_t at = 0; at < meeting.bytes && operation->writes; at += BLOCK) {
            const uint64_t wanted = operation->copies ? MARK + i * meeting.bytes + at : UINT64_MAX;

            if (*word_of(i, true, at) != wanted) {
                return i;
            }
        }
    }
    return takers;
}

/* ---- curves ---- */

/* Measures a point. Returns BENCH_OK, or the state in which the bench ends. A first trial, which
 * warms caches and TLB, is discarded. */
static enum bench_state measure_point(struct bench_run *run, size_t takers, uint64_t trials,
                                      int64_t *ticks)
{
    const struct operation *operation = meeting.operation;

    mark(takers);
    for (uint64_t k = 0; k <= trials; k++) {
        const uint64_t took = measure_trial(takers);

        if (took == 0) {
            return bench_fail(run,
                              "%s by %zu processors: one of them did not start or finish in time",
                              operation->name, takers);
        }
        if (k > 0) {
            ticks[k - 1] = (int64_t)took;
        }
    }
    const size_t wrong = find_wrong(operation, takers);

    return wrong == takers
               ? BENCH_OK
               : bench_fail(run,
                            "%s by %zu processors: processor %zu did not write all of its area",
                            operation->name, takers, numbers[wrong]);
}

static enum bench_state measure_operation(struct bench_run *run)
{
    const uint64_t trials = bench_number(run, "trials");
    int64_t *x = bench_samples(POINTS_MAX);
    int64_t *n = bench_samples(POINTS_MAX);
    int64_t *ticks = bench_samples(POINTS_MAX * trials);
    size_t points = 0;

    if (x == NULL || n == NULL || ticks == NULL) {
        return bench_error(run, "no memory for samples");
    }
    for (size_t takers = 1; takers <= count && points < POINTS_MAX;
         takers = processors_next(takers, count)) {
        const enum bench_state state = measure_point(run, takers, trials, ticks + points * trials);

        if (state != BENCH_OK) {
            return state;
        }
        x[points] = (int64_t)takers;
        n[points++] = (int64_t)(takers * meeting.passes * (meeting.bytes / KIB));
    }
    bench_publish(run, meeting.operation->x, "processor", x, points);
    bench_publish(run, meeting.operation->n, "KiB", n, points);
    bench_publish(run, meeting.operation->name, UNIT_TICK, ticks, points * trials);
    return BENCH_OK;
}

/* ---- the run ---- */

/* Returns how many bytes each participant reads; it writes as many. */
static uint64_t choose_bytes(const struct bench_run *run, enum window_page page)
{
    struct cpu_identity identity;
    uint64_t wanted = bench_number(run, PARAM_KIB) * KIB;

    cpu_identify(cpuid_instruction, &identity);
    const uint64_t largest = caches_largest(cpuid_instruction, &identity);
    const uint64_t room = window_bytes_max(page) / (2 * count);

    if (wanted == 0) {
        wanted = !bench_has_caches() ? BYTES_EXACT
                 : largest != 0      ? CACHES_BEYOND * largest
                                     : BYTES_UNKNOWN;
    }
    return (wanted < room ? wanted : room) / BLOCK * BLOCK;
}

/* Opens large pages if there are any. Returns NULL on success, otherwise the reason. */
static const char *open_memory(const struct bench_run *run, struct window *window)
{
    static const enum window_page pages[] = {WINDOW_2M, WINDOW_4K};
    const char *why = NULL;

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        meeting.bytes = choose_bytes(run, pages[i]);
        why = meeting.bytes == 0
                  ? "too little memory for two areas per processor; lower together.kib"
                  : window_open(window, pages[i], WINDOW_WRITE_BACK, count * 2 * meeting.bytes);
        if (why == NULL) {
            meeting.memory = window->base;
            break;
        }
    }
    return why;
}

static enum bench_state measure_operations(struct bench_run *run)
{
    for (size_t i = 0; i < OPERATIONS; i++) {
        if (!plan_list_holds(bench_text(run, "operations"), operations[i].name)) {
            continue;
        }
        meeting.operation = &operations[i];
        const enum bench_state state = measure_operation(run);

        if (state != BENCH_OK) {
            return state;
        }
    }
    return bench_ok(run);
}

static enum bench_state run(struct bench_run *run)
{
    struct window window;

    find_processors(bench_number(run, "processors"));
    meeting.passes = bench_number(run, "passes");
    const char *why = open_memory(run, &window);

    if (why != NULL) {
        return bench_skip(run, "%s", why);
    }
    bench_fact(run, FACT_PROCESSORS, UNIT_COUNT, (int64_t)count);
    bench_fact(run, "bytes", UNIT_BYTE, (int64_t)meeting.bytes);
    const enum bench_state state = measure_operations(run);

    /* The window stays open for a processor that may still be moving bytes. */
    if (state == BENCH_OK) {
        window_close(&window);
    }
    return state;
}

static const struct bench_param params[] = {
    {"processors", "256", "largest number of processors that take part",
     PARAM_NUMBER(1, PROCESSORS_MAX)},
    {PARAM_KIB, "0",
     "KiB that each processor moves; 0: 4 times the largest cache, or 128 without caches",
     PARAM_NUMBER(0, 64u << 20)},
    {"passes", "1", "passes over that in a trial", PARAM_NUMBER(1, PASSES_MAX)},
    {"operations", OPERATION_READ "," OPERATION_WRITE "," OPERATION_COPY "," OPERATION_WRITE_NT,
     "operations to measure, a,b,c",
     PARAM_WORDS(OPERATION_READ "," OPERATION_WRITE "," OPERATION_COPY "," OPERATION_WRITE_NT)},
    {"trials", "3", "trials for each number of processors", PARAM_NUMBER(1, TRIALS_MAX)},
    {0},
};

/* For 1 KiB. With all processors the estimate is the same, because instructions of all sides are
 * counted. */
static const struct bench_estimate estimates[] = {
    {OPERATION_READ "@1", 134, 300, UNIT_CYCLE,
     "128 loads and 3 instructions for each 512 bytes; 10 GB/s"},
    {OPERATION_WRITE "@1", 134, 430, UNIT_CYCLE,
     "128 stores and 3 instructions for each 512 bytes; 7 GB/s"},
    {OPERATION_COPY "@1", 264, 600, UNIT_CYCLE,
     "128 loads, 128 stores and 4 instructions for each 512 bytes; 5 GB/s"},
    {OPERATION_WRITE_NT "@1", 134, 330, UNIT_CYCLE, "as write; 9 GB/s: no line is fetched"},
    {OPERATION_READ, 134, ESTIMATE_NONE, NULL, "as one processor: none waits for a line"},
    {OPERATION_WRITE, 134, ESTIMATE_NONE, NULL, "as one processor"},
    {OPERATION_COPY, 264, ESTIMATE_NONE, NULL, "as one processor"},
    {OPERATION_WRITE_NT, 134, ESTIMATE_NONE, NULL, "as one processor"},
    {0},
};

static const struct bench together = {
    .name = BENCH_TOGETHER,
    .group = GROUP_MEMORY,
    .summary = "bandwidth of 1 to N processors that read, write and copy at once",
    .unit = UNIT_TICK,
    .estimate = "one processor as in bench bandwidth; two to four together two to four times as "
                "much, until they need the memory's whole bandwidth: 80 % of the data sheet's when "
                "reading, half of that when writing or copying, because a line is fetched before "
                "it is written. More processors then get no more",
    .needs = NEED_CLOCK | NEED_PROCESSORS,
    .params = params,
    .estimates = estimates,
    .run = run,
};
BENCH_REGISTER(together);
