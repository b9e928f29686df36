/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench load: validates the idle loop with known work. It does work of known length inside LAPIC
 * timer interrupts while the idle loop runs. Both are recorded, so that the host can see how well
 * the idle loop recovers the work.
 *
 * The work is a given number of iterations of the idle loop's own inner loop. Its true length is
 * the one measured by timestamps inside the handler, whatever the iterations take. That length is
 * compared with the work that was requested, and the samples are compared with that length
 * (recover.h). Between two random events there are at least two samples, so that no sample holds
 * two events; a given list need not observe this.
 */
#include "kernel/clock/idle_loop.h"

#include "bench/noise/limits.h"
#include "bench/noise/names.h"
#include "bench/noise/recover.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/timed_section.h"
#include "kernel/plan/number.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#include <string.h>

#define EVENTS_MAX      4096
#define SPACING_SAMPLES 2
#define MARGIN_SAMPLES  10 /* idle time after the last event */
#define NUMBER_MAX      24
#define EARLY_US        2 /* the timer may be early by its own step */
#define EARLY_MAX       4096

struct event {
    uint64_t at_us;
    uint64_t work_us;
};

static struct event events[EVENTS_MAX];
static size_t event_count;

/* State of the interrupt handler. */
static struct {
    uint64_t start; /* TSC when the idle loop was started */
    size_t next;    /* index of the next event */
    uint64_t iterations_per_us_milli;
    size_t early;                 /* number of interrupts before their time */
    uint64_t early_at[EARLY_MAX]; /* TSC of each of these */
} load;

/* ---- the list ---- */

/* Reads a number that ends at one of `stops` or at the end of the text. Moves *at past the number
 * and the stop, and sets *stop to the stop (0 at the end of the text). */
static bool read_number(const char **at, const char *stops, uint64_t *value, char *stop)
{
    char digits[NUMBER_MAX];
    const size_t length = strcspn(*at, stops);

    if (length >= sizeof(digits)) {
        return false;
    }
    memcpy(digits, *at, length);
    digits[length] = '\0';
    *stop = (*at)[length];
    *at += length + (*stop != '\0' ? 1 : 0);
    return parse_unsigned(digits, value);
}

/* Reads load.events=AT_US:WORK_US,... whose times must ascend. */
static enum bench_state read_events(struct bench_run *run, const char *list)
{
    char stop = ',';

    event_count = 0;
    while (stop == ',') {
        struct event event;
        char colon;

        if (!read_number(&list, ":,", &event.at_us, &colon) || colon != ':' ||
            !read_number(&list, ",", &event.work_us, &stop)) {
            return bench_error(run, "load.events: entry %zu is not AT_US:WORK_US", event_count + 1);
        }
        if (event_count == EVENTS_MAX) {
            return bench_error(run, "load.events: there are more than %d entries", EVENTS_MAX);
        }
        if (event_count > 0 && event.at_us < events[event_count - 1].at_us) {
            return bench_error(
                run,
                "load.events: times must increase, but entry %zu is earlier than the one before it",
                event_count + 1);
        }
        events[event_count++] = event;
    }
    return BENCH_OK;
}

/* xorshift64* (Vigna, ACM TOMS 42(4), 2016). */
static uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dull;
}

static uint64_t random_between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + (random_next(state) >> 16) % (high - low + 1);
}

/* Draws the events of load.random=COUNT:SEED:MIN_US:MAX_US. */
static enum bench_state draw_events(struct bench_run *run, const char *text, uint64_t sample_us)
{
    uint64_t n[4];
    char stop = ':';
    uint64_t at_us = 0;

    for (size_t i = 0; i < 4; i++) {
        if (stop != ':' || !read_number(&text, ":", &n[i], &stop)) {
            return bench_error(run, "load.random must be COUNT:SEED:MIN_US:MAX_US");
        }
    }
    if (stop != '\0' || n[0] < 1 || n[0] > EVENTS_MAX || n[2] > n[3] || n[3] > 1000000) {
        return bench_error(
            run,
            "load.random: COUNT must be 1 to %d, MIN_US at most MAX_US, and MAX_US at most 1000000",
            EVENTS_MAX);
    }
    uint64_t state = n[1] * 0x9e3779b97f4a7c15ull + 1;

    for (event_count = 0; event_count < n[0]; event_count++) {
        at_us +=
            random_between(&state, SPACING_SAMPLES * sample_us, (SPACING_SAMPLES + 5) * sample_us);
        events[event_count] = (struct event){at_us, random_between(&state, n[2], n[3])};
        at_us += events[event_count].work_us;
    }
    return BENCH_OK;
}

/* ---- the handler ---- */

static void arm_next(void)
{
    if (load.next == event_count) {
        return;
    }
    const uint64_t due = load.start + clock_ticks_from_us(events[load.next].at_us);
    const uint64_t now = tsc_read();

    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT,
                      clock_lapic_counts(due > now ? due - now : 0));
}

/* Does the work of the event that is due. If the timer cannot reach an event at once, it interrupts
 * early; the handler then only arms it again. Returns whether work was done. */
static bool work(void)
{
    if (load.next == event_count) {
        return false;
    }
    const struct event *event = &events[load.next];
    const uint64_t due = load.start + clock_ticks_from_us(event->at_us);

    if (tsc_read() + clock_ticks_from_us(EARLY_US) < due) {
        load.early_at[load.early < EARLY_MAX ? load.early : EARLY_MAX - 1] = tsc_read();
        load.early++;
        arm_next();
        return false;
    }
    const uint64_t iterations = event->work_us * load.iterations_per_us_milli / 1000;

    if (iterations > 0) {
        idle_loop_spin(iterations);
    }
    load.next++;
    arm_next();
    return true;
}

/* ---- the run ---- */

struct buffers {
    int64_t *rows; /* samples of the idle loop */
    int64_t *asked;
    int64_t *intended;
    int64_t *entry;
    int64_t *work;
    struct timed_section *ring;
    int64_t *event_rows; /* NULL: nothing is counted */
};

static bool take_buffers(struct buffers *buffers, size_t samples)
{
    buffers->rows = bench_rows(samples + 1);
    buffers->asked = bench_samples(event_count);
    buffers->intended = bench_samples(event_count);
    buffers->entry = bench_samples(event_count);
    buffers->work = bench_samples(event_count);
    buffers->ring = (struct timed_section *)bench_samples(2 * event_count);
    buffers->event_rows = bench_counting() ? bench_rows(2 * event_count) : NULL;
    return (buffers->event_rows != NULL || !bench_counting()) && buffers->rows != NULL &&
           buffers->asked != NULL && buffers->intended != NULL && buffers->entry != NULL &&
           buffers->work != NULL && buffers->ring != NULL;
}

/* Returns a number of samples that reaches past the last event even if no sample is lengthened. */
static size_t samples_needed(uint64_t sample_us)
{
    uint64_t last_us = 0;

    for (size_t i = 0; i < event_count; i++) {
        const uint64_t begins = events[i].at_us > last_us ? events[i].at_us : last_us;

        last_us = begins + events[i].work_us;
    }
    return (size_t)(last_us / sample_us) + MARGIN_SAMPLES;
}

static size_t run_loaded(struct buffers *buffers, size_t samples, uint64_t inner)
{
    uint64_t dropped;

    load.next = 0;
    load.early = 0;
    timed_section_start(LAPIC_VECTOR_TIMER, buffers->ring, buffers->event_rows, event_count, work);
    load.start = tsc_read();
    arm_next();
    interrupts_enable();
    idle_loop_run(buffers->rows, samples, inner);
    interrupts_disable();
    lapic_timer_stop();
    return timed_section_stop(&dropped);
}

static bool publish(struct bench_run *run, struct buffers *buffers, size_t samples, size_t done)
{
    const int64_t origin = buffers->rows[0];
    const struct bench_rows idle_rows = {buffers->rows, samples, ROWS_CONTIGUOUS};
    const struct bench_rows event_rows = {buffers->event_rows, done, ROWS_PAIRS};

    for (size_t i = 0; i < done; i++) {
        const struct timed_section *section = &buffers->ring[i];

        buffers->asked[i] = (int64_t)events[i].work_us;
        buffers->intended[i] =
            (int64_t)(load.start + clock_ticks_from_us(events[i].at_us)) - origin;
        buffers->entry[i] = (int64_t)section->entry - origin;
        buffers->work[i] = (int64_t)(section->exit - section->entry);
    }
    const bool good = bench_publish_rows(run, SERIES_LOAD_SAMPLES, &idle_rows);

    bench_publish(run, "asked_us", UNIT_MICROSECOND, buffers->asked, done);
    bench_publish(run, SERIES_INTENDED, UNIT_TICK, buffers->intended, done);
    bench_publish(run, SERIES_LOAD_ENTRY, UNIT_TICK, buffers->entry, done);
    bench_publish(run, SERIES_LOAD_WORK, UNIT_TICK, buffers->work, done);
    return good && bench_publish_counts(run, SERIES_LOAD_WORK, &event_rows);
}

static enum bench_state judge(struct bench_run *run, const struct buffers *buffers, size_t samples,
                              size_t done, const struct recover_limits *limits, int64_t floor)
{
    const struct bench_rows rows = {buffers->rows, samples, ROWS_CONTIGUOUS};
    int64_t *early = bench_samples(EARLY_MAX);
    struct recover_span *spans =
        (struct recover_span *)bench_samples((done + 1) * sizeof(*spans) / sizeof(int64_t));

    if (early == NULL || spans == NULL) {
        return bench_error(run, "cannot allocate memory to judge %zu events", done);
    }
    if (load.early > EARLY_MAX) {
        return bench_error(run, "%zu interrupts came before their time; only %d can be recorded",
                           load.early, EARLY_MAX);
    }
    for (size_t i = 0; i < load.early; i++) {
        early[i] = (int64_t)load.early_at[i] - buffers->rows[0];
    }
    for (size_t i = 0; i < done; i++) {
        spans[i] = (struct recover_span){
            .entry = buffers->entry[i],
            .length = buffers->work[i],
            .asked = (int64_t)clock_ticks_from_us(events[i].work_us),
        };
    }
    return limits_judge(run, limits, &rows,
                        &(struct recover_input){.spans = spans,
                                                .count = done,
                                                .early = early,
                                                .early_count = load.early,
                                                .floor = floor});
}

static enum bench_state no_memory(struct bench_run *run, size_t samples)
{
    return bench_error(run, "cannot allocate %zu samples and %zu events", samples, event_count);
}

static enum bench_state run(struct bench_run *run)
{
    const uint64_t sample_us = bench_number(run, "sample_us");
    const char *list = bench_text(run, "events");
    struct idle_calibration calibration;
    struct recover_limits limits;
    struct buffers buffers;
    enum bench_state state = list[0] != '\0'
                                 ? read_events(run, list)
                                 : draw_events(run, bench_text(run, "random"), sample_us);

    if (state == BENCH_OK) {
        state = bench_calibrate(run, sample_us, &calibration);
    }
    if (state == BENCH_OK) {
        state = limits_find(run, &calibration, &limits);
    }
    if (state != BENCH_OK) {
        return state;
    }
    const size_t samples = samples_needed(sample_us);

    if (!take_buffers(&buffers, samples)) {
        return no_memory(run, samples);
    }
    load.iterations_per_us_milli = calibration.inner * 1000 / sample_us;
    const size_t done = run_loaded(&buffers, samples, calibration.inner);

    if (timed_section_fault() != NULL) {
        return bench_fail(run, "%s", timed_section_fault());
    }
    if (!publish(run, &buffers, samples, done)) {
        return no_memory(run, samples);
    }
    if (done != event_count) {
        return bench_fail(run, "got %zu events, expected %zu", done, event_count);
    }
    state = judge(run, &buffers, samples, done, &limits, (int64_t)calibration.sample_ticks);
    return state == BENCH_OK ? bench_ok(run) : state;
}

static const struct bench_param params[] = {
    {"events", "", "work to inject: AT_US:WORK_US,... in the order of time", PARAM_TEXT()},
    {"random", "40:1:20:5000",
     "random work to inject if no events are given: COUNT:SEED:MIN_US:MAX_US", PARAM_TEXT()},
    {"sample_us", "1000", "length of a sample of the idle loop, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench load_bench = {
    .name = BENCH_LOAD,
    .group = "idle",
    .summary = "known work inside interrupts, recovered from the idle loop",
    .unit = UNIT_TICK,
    .estimate = "each event works as long as requested; its sample is longer by that work and by "
                "what the handler cannot time: 8 instructions of entry and exit, delivery and "
                "return, 100 to 1000 cycles",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .relations = "^intended ^entry",
    .run = run,
};
BENCH_REGISTER(load_bench);
