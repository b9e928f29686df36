/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench cliwindow: masks interrupts for a known time while the LAPIC timer runs. If the timer's
 * deadline falls into this window, its interrupt is late by the remainder of the window; otherwise
 * it is late only by the cost of interrupt delivery and entry. Windows and deadlines are swept over
 * a grid.
 *
 * A point consists of: stamp, arm the timer, spin until the end of the window, stamp, enable
 * interrupts, wait. The deadline is the first stamp plus the timer's counts in ticks, so the time
 * to reach the timer's register is part of the latency if the deadline comes after the window. For
 * a deadline in the window the second stamp matters: from there to the handler's first stamp are a
 * shift, an OR, STI and its shadow, and the handler's two pushes.
 */
#include "bench/latency/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/scale.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/timed_section.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

/* What a latency may have in addition to the remainder of the window, in instructions of exact
 * time. PENDING: a deadline in the window, from the stamp before STI to the handler's stamp:
 * LFENCE, SHL, OR, STI, the instruction in its shadow, two PUSHes, RDTSC, and the same number again
 * for the compiler. RUNNING: a deadline after the window, from the first stamp to the write that
 * arms the timer, and then the same. */
#define EXACT_PENDING_MAX 16
#define EXACT_RUNNING_MAX 32

/* Outside exact time an interrupt may seem early by what the timer's clock and the TSC may drift
 * apart: 2 us and a five-hundredth, four times what the clocks' verdict allows. */
#define EARLY_US    2
#define EARLY_PARTS 500

#define LOST_US 10000000

enum kind {
    KIND_PENDING, /* the deadline lies within the window */
    KIND_RUNNING, /* the deadline comes after the window */
    KIND_EDGE,    /* too near the window's end to know whether it waited */
};

struct points {
    size_t count; /* `trials` times the grid, one trial after the other */
    size_t grid;
    int64_t *window;
    int64_t *deadline;
    int64_t *latency;
    struct timed_section *ring;
    uint64_t counts_hz; /* rate of the timer */
    uint64_t hz;        /* rate of the TSC */
};

static volatile uint64_t arrived;

static bool arrive(void)
{
    arrived++;
    return true;
}

/* Returns false if no interrupt came within `limit` ticks. */
static bool await(uint64_t before, uint64_t limit)
{
    const uint64_t start = tsc_read();

    while (arrived == before) {
        if (tsc_read() - start > limit) {
            return false;
        }
    }
    return true;
}

/* Measures one point: a window of `window` ticks, and a deadline `due` ticks after its start. */
static bool take_point(struct points *points, size_t index, uint64_t window, uint64_t due)
{
    const uint32_t counts = clock_lapic_counts(due);
    const uint64_t limit = due + clock_ticks_from_us(LOST_US);
    const uint64_t before = arrived;
    const uint64_t begin = tsc_read_ordered();

    lapic_timer_rearm(counts);
    while (tsc_read() - begin < window) {
    }
    const uint64_t end = tsc_read_ordered();

    interrupts_enable();
    const bool came = await(before, limit);

    interrupts_disable();
    points->window[index] = (int64_t)(end - begin);
    points->deadline[index] = (int64_t)scale_u64(counts, points->hz, points->counts_hz);
    points->latency[index] = came ? (int64_t)(points->ring[index].entry - begin) : 0;
    points->latency[index] -= points->deadline[index];
    return came;
}

/* Measures the whole grid in each trial, so that a temporary disturbance spoils only one trial of
 * some points. Returns false if an interrupt was lost. */
static bool sweep(const struct bench_run *run, struct points *points)
{
    const uint64_t windows = bench_number(run, CLI_PARAM_WINDOWS);
    const uint64_t deadlines = bench_number(run, "deadlines");
    const uint64_t most = clock_ticks_from_us(bench_number(run, "window_us"));
    bool good = true;

    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, 0);
    for (size_t i = 0; i < points->count && good; i++) {
        const size_t place = i % points->grid;
        const uint64_t window = most * (place / deadlines) / (windows > 1 ? windows - 1 : 1);
        const uint64_t due = most * (3 * (place % deadlines) + 1) / (3 * deadlines);

        good = take_point(points, i, window, due);
    }
    lapic_timer_stop();
    return good;
}

static enum kind kind_of(const struct points *points, size_t index)
{
    const int64_t remainder = points->window[index] - points->deadline[index];
    const int64_t edge = bench_is_exact()
                             ? EXACT_RUNNING_MAX * (int64_t)clock_state()->ticks_per_instruction
                             : (int64_t)clock_ticks_from_us(EARLY_US);

    return remainder > edge ? KIND_PENDING : remainder < -edge ? KIND_RUNNING : KIND_EDGE;
}

/* Returns how far a latency is above the expected line, which is the remainder of the window or 0.
 */
static int64_t deviation_of(const struct points *points, size_t index)
{
    const int64_t remainder = points->window[index] - points->deadline[index];

    return points->latency[index] - (remainder > 0 ? remainder : 0);
}

/* Checks for errors that no host can cause: an interrupt that came while it was masked, or before
 * it was due. */
static enum bench_state judge_order(struct bench_run *run, const struct points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        const int64_t entry = points->deadline[i] + points->latency[i];
        const int64_t early =
            (int64_t)clock_ticks_from_us(EARLY_US) + points->deadline[i] / EARLY_PARTS;

        if (entry < points->window[i] && kind_of(points, i) == KIND_PENDING) {
            return bench_fail(
                run,
                "point %zu: an interrupt came %ld ticks before the end of the window that masks it",
                i, points->window[i] - entry);
        }
        if (points->latency[i] < (bench_is_exact() ? 0 : -early)) {
            return bench_fail(run, "point %zu: an interrupt came %ld ticks before it was due", i,
                              -points->latency[i]);
        }
    }
    return BENCH_OK;
}

/* In exact time all points of a kind are above the line by the same number of instructions; one
 * instruction of difference is allowed because the timer's counts may end within one. */
static enum bench_state judge_exact(struct bench_run *run, const struct points *points,
                                    enum kind kind)
{
    const int64_t tick = (int64_t)clock_state()->ticks_per_instruction;
    const int64_t most = (kind == KIND_PENDING ? EXACT_PENDING_MAX : EXACT_RUNNING_MAX) * tick;
    int64_t least = INT64_MAX;
    int64_t greatest = 0;

    for (size_t i = 0; i < points->count; i++) {
        const int64_t deviation = deviation_of(points, i);

        if (kind_of(points, i) == kind) {
            least = deviation < least ? deviation : least;
            greatest = deviation > greatest ? deviation : greatest;
        }
    }
    if (greatest > most || (greatest > least && greatest - least > tick)) {
        return bench_fail(run,
                          "deadlines %s: latency is %ld to %ld ticks above the line; expected at "
                          "most %ld, equal in each point",
                          kind == KIND_PENDING ? "in the window" : "after it", least, greatest,
                          most);
    }
    return BENCH_OK;
}

/* Judges, for each point of the grid, the trial that is closest to the line: at least half of the
 * grid must be within the allowed distance. A busy host spoils some trials; a wrong timer spoils
 * all of them. */
static enum bench_state judge_median(struct bench_run *run, const struct points *points)
{
    const int64_t allowed = (int64_t)clock_ticks_from_ns(bench_number(run, "allowed_ns"));
    size_t beyond = 0;

    for (size_t place = 0; place < points->grid; place++) {
        int64_t best = deviation_of(points, place);

        for (size_t i = place; i < points->count; i += points->grid) {
            const int64_t deviation = deviation_of(points, i);

            best = deviation < best ? deviation : best;
        }
        beyond += best > allowed;
    }
    return 2 * beyond <= points->grid
               ? BENCH_OK
               : bench_fail(run,
                            "%zu of %zu points are above the line by more than %ld ticks in each "
                            "of %zu trials; allowed: half of the points",
                            beyond, points->grid, allowed, points->count / points->grid);
}

static enum bench_state judge(struct bench_run *run, const struct points *points)
{
    enum bench_state state = judge_order(run, points);

    if (state == BENCH_OK && bench_is_exact()) {
        state = judge_exact(run, points, KIND_PENDING);
        return state == BENCH_OK ? judge_exact(run, points, KIND_RUNNING) : state;
    }
    if (state == BENCH_OK && bench_has_caches()) {
        return judge_median(run, points);
    }
    if (state == BENCH_OK) {
        bench_absent(run, "comparison with the expected line",
                     "the host decides when an emulated processor takes an interrupt, so only the "
                     "order is judged");
    }
    return state;
}

static bool take_memory(struct points *points)
{
    points->window = bench_samples(points->count);
    points->deadline = bench_samples(points->count);
    points->latency = bench_samples(points->count);
    points->ring = (struct timed_section *)bench_samples(points->count * sizeof(*points->ring) /
                                                         sizeof(int64_t));
    return points->window != NULL && points->deadline != NULL && points->latency != NULL &&
           points->ring != NULL;
}

static enum bench_state run(struct bench_run *run)
{
    const size_t grid = bench_number(run, CLI_PARAM_WINDOWS) * bench_number(run, "deadlines");
    struct points points = {
        .count = grid * bench_number(run, "trials"),
        .grid = grid,
        .counts_hz = clock_state()->lapic_hz,
        .hz = clock_state()->verdict.hz,
    };
    uint64_t dropped;

    if (!take_memory(&points)) {
        return bench_error(
            run, "cannot allocate %zu points; lower cliwindow.windows, deadlines or trials",
            points.count);
    }
    arrived = 0;
    timed_section_start(LAPIC_VECTOR_TIMER, points.ring, NULL, points.count, arrive);
    const bool good = sweep(run, &points);

    timed_section_stop(&dropped);
    if (timed_section_fault() != NULL) {
        return bench_fail(run, "%s", timed_section_fault());
    }
    if (!good) {
        return bench_fail(run, "an interrupt of the LAPIC timer did not come within 10 s");
    }
    bench_publish(run, SERIES_CLI_WINDOW, UNIT_TICK, points.window, points.count);
    bench_publish(run, SERIES_CLI_DEADLINE, UNIT_TICK, points.deadline, points.count);
    bench_publish(run, SERIES_CLI_LATENCY, UNIT_TICK, points.latency, points.count);
    bench_fact(run, FACT_CLI_GRID, UNIT_COUNT, (int64_t)grid);
    const enum bench_state state = judge(run, &points);

    return state == BENCH_OK ? bench_ok(run) : state;
}

static const struct bench_param params[] = {
    {CLI_PARAM_WINDOWS, "9", "number of windows with interrupts masked, from 0 up in equal steps",
     PARAM_NUMBER(1, 1000)},
    {"deadlines", "4", "number of timer deadlines, the same after the start of each window",
     PARAM_NUMBER(1, 100)},
    {"window_us", "1000", "the longest window, in us", PARAM_TIME(10, 1000000)},
    {"trials", "3", "number of trials of each point", PARAM_NUMBER(1, 100)},
    {"allowed_ns", "20000", "allowed distance from the line if instructions are not counted, in ns",
     PARAM_TIME(1, 1000000000)},
    {0},
};

static const struct bench cliwindow = {
    .name = BENCH_CLIWINDOW,
    .group = GROUP_LATENCY,
    .summary = "interrupts masked for known times while the LAPIC timer runs",
    .unit = UNIT_TICK,
    .main_series = SERIES_CLI_LATENCY,
    .estimate = "latency is the remainder of the window if the deadline falls into it, plus "
                "interrupt delivery and entry: 100 to 1000 cycles, in exact time about 10 "
                "instructions; after the window about 15, with the time to reach the timer's "
                "register. The slope by the remainder is 1, and no point is off by more",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(cliwindow);
