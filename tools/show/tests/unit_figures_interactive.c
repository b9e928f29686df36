/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of the idle loop, of input events, and of think and wait: of runs made by hand, whose
 * latencies and samples are known. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/interactive/host/figures_paper.h"
#include "bench/interactive/host/view_input.h"
#include "bench/noise/host/view_noise.h"
#include "kernel/input/event.h"
#include "tools/tests/support/drawn.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define PACKET   65536
#define BEGIN    1000
#define KEYBOARD 81
#define DPC      3
#define ECHO     2 /* the application */
#define QUEUE    5
#define KEY_A    0x1e
#define SAMPLE   1000
#define SENT     ((int64_t)INPUT_KEY_DOWN << 16 | KEY_A)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a test has at hand. A tick is 1 us. */
struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder trace;
    struct figures figures;
};

static void bed_open(struct bed *bed, const char *name)
{
    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000};
    bed->bench = build_bench(&bed->run, name, 1);
    bed->bench->group = "interactive";
    figures_init(&bed->figures);
}

static void bed_close(struct bed *bed)
{
    figures_free(&bed->figures);
    run_free(&bed->run);
}

static void bed_exact(struct bed *bed)
{
    run_add_pair(&bed->run, &bed->run.info, "kind", "exact");
    run_add_pair(&bed->run, &bed->run.info, "ticks_per_instruction", "8");
}

static void trace_begin(struct bed *bed)
{
    build_object(bed->bench, "vector", KEYBOARD, "i8042 keyboard");
    build_object(bed->bench, "queue", QUEUE, "application");
    trace_builder_init(&bed->trace, BEGIN, PACKET);
    TRACE_ADD(&bed->trace, BEGIN, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed->trace, BEGIN, thread_is, ECHO, 0, 10, THREAD_WAITING, WAIT_QUEUE);
}

/* Stations of an event that arrives at 0. */
#define DUE    (-5)
#define POSTED 20
#define TAKEN  40
#define REST   10 /* from done to idle */

/* `due` is since the begin of the trace. Response time: work + 45. */
static void add_event(struct bed *bed, uint64_t due, uint32_t number, uint64_t work)
{
    struct trace_builder *trace = &bed->trace;
    const uint64_t at = BEGIN + due - DUE;
    const uint64_t done = at + TAKEN + work;

    TRACE_ADD(trace, at, isr_entry, KEYBOARD);
    TRACE_ADD(trace, at + 5, dpc_queue, DPC);
    TRACE_ADD(trace, at + 10, isr_exit, KEYBOARD);
    TRACE_ADD(trace, at + 12, dpc_entry, DPC);
    TRACE_ADD(trace, at + 15, input, number, INPUT_KEY_DOWN, KEY_A, at + 5);
    TRACE_ADD(trace, at + POSTED, queue_post, QUEUE, INPUT_KEY_DOWN, number, 1);
    TRACE_ADD(trace, at + 22, thread_ready, ECHO, TRACE_BY(TRACE_BY_DPC, DPC));
    TRACE_ADD(trace, at + 30, dpc_exit, DPC);
    TRACE_ADD(trace, at + 32, thread_switch, 0, ECHO, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(trace, at + TAKEN, queue_take, QUEUE, INPUT_KEY_DOWN, number, 0);
    TRACE_ADD(trace, done, input_done, QUEUE, number);
    TRACE_ADD(trace, done + 5, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    TRACE_ADD(trace, done + REST, thread_switch, ECHO, 0, TRACE_WHY(WAIT_QUEUE, THREAD_WAITING));
}

/* Events that are due then, and the response time of each. */
static void add_events(struct bed *bed, const int64_t *due, const int64_t *responses, size_t n,
                       uint64_t end)
{
    int64_t sent[16];

    trace_begin(bed);
    for (size_t i = 0; i < n; i++) {
        sent[i] = SENT;
        add_event(bed, (uint64_t)due[i], (uint32_t)i + 1, (uint64_t)responses[i] - 45);
    }
    trace_builder_finish(&bed->trace, BEGIN + end, bed->bench);
    build_series(bed->bench, "intended", NULL, NULL, due, n);
    build_series(bed->bench, "sent", NULL, NULL, sent, n);
}

static const struct figure *find(const struct bed *bed, const char *id)
{
    const struct figure *figure = figure_of(&bed->figures, id);

    CHECK_TEXT(figure != NULL ? id : "no figure", id);
    return figure;
}

static bool has(const struct bed *bed, const char *id)
{
    for (size_t i = 0; i < bed->figures.count; i++) {
        if (strcmp(bed->figures.item[i].id, id) == 0) {
            return true;
        }
    }
    return false;
}

static void check_near(double value, double wanted)
{
    const bool same = fabs(value - wanted) <= 1e-9 * fmax(1, fabs(wanted));

    if (!same) {
        fprintf(stderr, "%.17g is not %.17g\n", value, wanted);
    }
    CHECK(same);
}

static void check_point(const struct figure *figure, size_t series, size_t i, double x, double y)
{
    CHECK(figure != NULL && series < figure->series_count && i < figure->series[series].n);
    if (figure != NULL && series < figure->series_count && i < figure->series[series].n) {
        check_near(figure->series[series].x[i], x);
        check_near(figure->series[series].y[i], y);
    }
}

/* A row of a table, its cells joined by "|". */
static void check_row(const struct figure *figure, size_t row, const char *wanted)
{
    char text[512] = "";
    size_t used = 0;

    for (size_t i = 0; figure != NULL && i < figure->columns.count; i++) {
        const size_t cell = row * figure->columns.count + i;

        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i > 0 ? "|" : "",
                                 cell < figure->cells.count ? figure->cells.item[cell] : "none");
    }
    CHECK_TEXT(text, wanted);
}

static size_t rows_of(const struct figure *figure)
{
    return figure != NULL ? figure->cells.count / figure->columns.count : 0;
}

static void check_absent(const struct bed *bed, const char *id, const char *why)
{
    const struct figure *figure = find(bed, id);

    CHECK(figure != NULL && figure->kind == FIGURE_ABSENT);
    CHECK_TEXT(figure != NULL ? figure->absent : NULL, why);
}

/* ---- input events ---- */

static const int64_t due_times[] = {100, 1100, 3100, 6100};
static const int64_t responses[] = {100, 200, 300, 400};

static void test_profile(void)
{
    struct bed bed;

    bed_open(&bed, "echo");
    add_events(&bed, due_times, responses, 4, 10000);
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "echo-profile");

    CHECK_TEXT(figure->section, "Input events: echo");
    CHECK_TEXT(figure->title, "echo [6.400 ms]: event latency profile: response time");
    CHECK_EQUAL(figure->kind, FIGURE_STICKS);
    CHECK_TEXT(figure->x.unit, "ms");
    CHECK_TEXT(figure->y.unit, "us");
    CHECK_TEXT(figure->y.label, "response time");
    CHECK_TEXT(figure->variant, "response");
    CHECK(!figure->beside);
    CHECK_EQUAL(figure->series_count, 1);
    CHECK_EQUAL(figure->series[0].n, 4);
    for (size_t i = 0; i < 4; i++) {
        check_point(figure, 0, i, (double)due_times[i] / 1000, (double)responses[i]);
    }
    CHECK(figure->has_threshold);
    check_near(figure->threshold, 200); /* two of four are above it */
    bed_close(&bed);
}

/* Events that are due 100 before they come: of 200 and 300, service takes 95 and 195. */
static void test_service(void)
{
    static const int64_t due[] = {100, 1100};
    static const int64_t intended[] = {0, 1000};
    struct bed bed;

    bed_open(&bed, "echo");
    add_events(&bed, due, responses, 2, 4000);
    memcpy(run_find_series(bed.bench, "intended")->samples, intended, sizeof(intended));
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "echo-profile");

    check_point(figure, 0, 0, 0, 200);
    check_point(figure, 0, 1, 1.0, 300);
    figure = find(&bed, "echo-profile-service");
    CHECK_TEXT(figure->title, "echo [1.300 ms]: event latency profile: service time");
    CHECK(figure->beside);
    check_point(figure, 0, 0, 0, 95);
    check_point(figure, 0, 1, 1.0, 195);
    CHECK(!has(&bed, "echo-histogram")); /* of two */
    bed_close(&bed);
}

static void test_perceptible(void)
{
    static const int64_t due[] = {0, 100000, 600000};
    static const int64_t long_ones[] = {1000, 250000, 150000};
    struct bed bed;

    bed_open(&bed, "echo");
    add_events(&bed, due, long_ones, 3, 1000000);
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "echo-profile");

    CHECK_TEXT(figure->y.unit, "ms");
    check_near(figure->threshold, 100);
    CHECK_TEXT(figure->threshold_name, "0.1 s");
    bed_close(&bed);
}

/* 8 ticks are an instruction, but axes, threshold and elapsed time are all in virtual time. */
static void test_exact(void)
{
    static const int64_t due[] = {0, 1000};
    static const int64_t lengths[] = {80, 400};
    struct bed bed;

    bed_open(&bed, "echo");
    bed_exact(&bed);
    add_events(&bed, due, lengths, 2, 4000);
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "echo-profile");

    CHECK_TEXT(figure->x.label, "virtual time");
    CHECK_TEXT(figure->y.unit, "us");
    check_point(figure, 0, 0, 0, 80);
    check_point(figure, 0, 1, 1, 400);
    check_near(figure->threshold, 200);
    bed_close(&bed);
}

/* Virtual time has a limit of perception too. */
static void test_exact_perceptible(void)
{
    static const int64_t due[] = {0, 200000};
    static const int64_t lengths[] = {80, 160000};
    struct bed bed;

    bed_open(&bed, "echo");
    bed_exact(&bed);
    add_events(&bed, due, lengths, 2, 800000);
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "echo-profile");

    CHECK_TEXT(figure->y.unit, "ms");
    check_near(figure->threshold, 100);
    CHECK_TEXT(figure->threshold_name, "0.1 s");
    bed_close(&bed);
}

/* The length of a tick is unknown. */
static void test_no_rate(void)
{
    struct bed bed;

    bed_open(&bed, "echo");
    bed.run.verdict.ok = false;
    bed.run.verdict.hz = 0;
    add_events(&bed, due_times, responses, 4, 10000);
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "echo-profile");

    CHECK_TEXT(figure->y.unit, "ticks");
    check_point(figure, 0, 3, 6100, 400);
    check_near(figure->threshold, 200);
    bed_close(&bed);
}

static void test_kinds(void)
{
    static const int64_t cold[] = {1, 0, 0, 0};
    struct bed bed;

    bed_open(&bed, "echo");
    add_events(&bed, due_times, responses, 4, 10000);
    build_series(bed.bench, "cold", NULL, NULL, cold, 4);
    figures_events(&bed.figures, &bed.run);
    check_row(find(&bed, "events-kinds"), 0, "echo|key_down|3|300.0 us|295.0 us|295.0 us|n/a|n/a");
    check_row(find(&bed, "events-kinds"), 1,
              "echo|key_down, cold|1|100.0 us|95.00 us|95.00 us|n/a|n/a");
    check_row(find(&bed, "events-stages"), 0,
              "echo|key_down|3|5.000 us|20.00 us|20.00 us|255.0 us|300.0 us");
    bed_close(&bed);
}

/* 100, 110, ..., 210 us: bins of 10. */
static void test_histogram(void)
{
    int64_t due[12];
    int64_t lengths[12];
    struct bed bed;
    double sum = 0;

    for (size_t i = 0; i < 12; i++) {
        due[i] = 500 * (int64_t)i;
        lengths[i] = i < 3 ? 100 : 100 + 10 * (int64_t)i;
    }
    bed_open(&bed, "echo");
    add_events(&bed, due, lengths, 12, 10000);
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "echo-histogram");

    CHECK(figure->y.logarithmic && !figure->x.logarithmic);
    CHECK_TEXT(figure->x.unit, "us");
    for (size_t i = 0; i < figure->series[0].n; i++) {
        const double low = figure->series[0].low[i];
        const double high = figure->series[0].high[i];
        size_t inside = 0;

        for (size_t e = 0; e < 12; e++) {
            inside += (double)lengths[e] >= low && (double)lengths[e] < high;
        }
        check_near(figure->series[0].x[i], (low + high) / 2);
        check_near(figure->series[0].y[i], (double)inside);
        sum += figure->series[0].y[i];
    }
    check_near(figure->series[0].y[0], 3);
    check_near(sum, 12);
    bed_close(&bed);
}

/* Sums of latencies in units of time, by phase: 100, 200, ..., 600 us and twice as much. */
static void test_cumulative(void)
{
    int64_t due[12];
    int64_t lengths[12];
    int64_t phases[12];
    struct bed bed;

    for (int64_t i = 0; i < 12; i++) {
        due[i] = 2000 * i;
        phases[i] = i / 6;
        lengths[i] = 100 * (1 + i % 6) * (1 + i / 6);
    }
    bed_open(&bed, "burst");
    add_events(&bed, due, lengths, 12, 40000);
    build_series(bed.bench, "phase", NULL, NULL, phases, 12);
    build_object(bed.bench, "mark", 0, "human");
    build_object(bed.bench, "mark", 1, "fast");
    figures_events(&bed.figures, &bed.run);
    const struct figure *by_latency = find(&bed, "burst-by-latency");
    const struct figure *by_count = find(&bed, "burst-by-count");

    CHECK_TEXT(by_latency->x.unit, "ms");
    CHECK_TEXT(by_latency->y.unit, "ms");
    CHECK_TEXT(by_latency->y.label, "cumulative response time");
    CHECK_TEXT(by_latency->series[1].name, "fast [11.20 ms]");
    CHECK(strstr(by_latency->how, "actions: human 6, fast 6") != NULL);
    check_point(by_latency, 0, 0, 0.1, 0);
    check_point(by_count, 0, 0, 0, 0);
    for (size_t i = 0; i < 6; i++) {
        const double sum = 0.05 * (double)((i + 1) * (i + 2));

        check_point(by_latency, 0, i + 1, 0.1 * (double)(i + 1), sum);
        check_point(by_latency, 1, i + 1, 0.2 * (double)(i + 1), 2 * sum);
        check_point(by_count, 1, i + 1, (double)(i + 1), 2 * sum);
    }
    bed_close(&bed);
}

static void test_phases(void)
{
    static const int64_t phases[] = {0, 0, 1, 1};
    struct bed bed;

    bed_open(&bed, "burst");
    add_events(&bed, due_times, responses, 4, 10000);
    build_series(bed.bench, "phase", NULL, NULL, phases, 4);
    build_object(bed.bench, "mark", 0, "human");
    build_object(bed.bench, "mark", 1, "fast");
    build_fact(bed.bench, "redraws_human", 17);
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "burst-phases");

    CHECK_EQUAL(rows_of(figure), 2);
    /* From the first arrival, 105, to the last end, 1300; busy: 105 of the first, 195 of the
     * second. */
    check_row(figure, 0, "human|2|17|105.0 us|1.195 ms|300.0 us|145.0 us|n/a");
    check_row(figure, 1, "fast|2|n/a|3.105 ms|3.395 ms|700.0 us|345.0 us|n/a");
    bed_close(&bed);
}

/* A curve for each phase, with its time in brackets; no interval is from one to another. */
static void test_phases_apart(void)
{
    static const int64_t phases[] = {0, 0, 1, 1};
    struct bed bed;

    bed_open(&bed, "burst");
    add_events(&bed, due_times, responses, 4, 10000);
    build_series(bed.bench, "phase", NULL, NULL, phases, 4);
    build_object(bed.bench, "mark", 0, "human");
    build_object(bed.bench, "mark", 1, "fast");
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "burst-profile");

    CHECK_TEXT(figure->title, "burst: event latency profile: response time");
    CHECK_EQUAL(figure->series_count, 2);
    CHECK_TEXT(figure->series[0].name, "human [1.200 ms]");
    CHECK_TEXT(figure->series[1].name, "fast [3.400 ms]");
    CHECK_EQUAL(figure->series[1].n, 2);
    check_point(figure, 1, 0, 3.1, 300);
    bed_close(&bed);
}

/* What was chosen has no addition to its id, and is not beside; of the idle loop nothing is known
 * here. */
static void test_measures(void)
{
    struct bed bed;

    bed_open(&bed, "echo");
    add_events(&bed, due_times, responses, 4, 10000);
    measure_choose(&(struct measure_choice){.measure = MEASURE_SERVICE});
    figures_events(&bed.figures, &bed.run);
    measure_choose(&(struct measure_choice){.measure = MEASURE_RESPONSE});
    const struct figure *figure = find(&bed, "echo-profile");

    CHECK_TEXT(figure->variant, "service");
    CHECK(!figure->beside);
    check_point(figure, 0, 3, 6.1, 395);
    CHECK(find(&bed, "echo-profile-response")->beside);
    CHECK(find(&bed, "echo-profile-idle")->beside);
    check_absent(&bed, "echo-profile-idle",
                 "every action shares its samples of the idle loop with another, or has none");
    check_row(find(&bed, "events-classes"), 0,
              "echo|printable|4|200.0 us|400.0 us|195.0 us|395.0 us|n/a|n/a");
    check_row(find(&bed, "events-responsiveness"), 0, "echo|6.400 ms|0 of 4|0");
    bed_close(&bed);
}

/* Of 100, 200, 300 and 400 us, what is beyond T(printable); another class's T does nothing. */
static void test_responsiveness(void)
{
    struct measure_choice choice = {.measure = MEASURE_RESPONSE, .has_thresholds = true};
    char error[THRESHOLDS_ERROR_MAX];
    struct bed bed;

    thresholds_init(&choice.thresholds);
    CHECK(thresholds_read_set("newline=1us,printable=250us", &choice.thresholds, error));
    bed_open(&bed, "echo");
    add_events(&bed, due_times, responses, 4, 10000);
    measure_choose(&choice);
    figures_events(&bed.figures, &bed.run);
    measure_choose(&(struct measure_choice){.measure = MEASURE_RESPONSE});
    check_row(find(&bed, "events-responsiveness"), 0, "echo|6.400 ms|2 of 4|200.0 us");
    bed_close(&bed);
}

/* Only what takes longer than 250 us is in any figure; by class each has a curve. */
static void test_above(void)
{
    struct bed bed;

    bed_open(&bed, "echo");
    add_events(&bed, due_times, responses, 4, 10000);
    measure_choose(&(struct measure_choice){
        .measure = MEASURE_RESPONSE, .by_class = true, .has_above = true, .above_ms = 0.25});
    figures_events(&bed.figures, &bed.run);
    measure_choose(&(struct measure_choice){.measure = MEASURE_RESPONSE});
    const struct figure *figure = find(&bed, "echo-profile");

    CHECK_EQUAL(figure->series[0].n, 2);
    CHECK_TEXT(figure->series[0].name, "printable [6.400 ms]");
    CHECK(strstr(figure->how, "; left out: 2 actions of at most 0.25 ms") != NULL);
    check_point(figure, 0, 0, 3.1, 300);
    bed_close(&bed);
}

/* Two benches side by side, and one that could not run. */
static void test_several(void)
{
    struct bed bed;

    bed_open(&bed, "click");
    add_events(&bed, due_times, responses, 2, 10000);
    bed.bench = build_bench(&bed.run, "echo", 1);
    add_events(&bed, due_times, responses, 4, 10000);
    bed.bench = build_bench(&bed.run, "maximize", 1);
    bed.bench->group = "interactive";
    bed.bench->state = "SKIP";
    bed.bench->reason = "no keyboard";
    bed.bench = build_bench(&bed.run, "echo", 2);
    add_events(&bed, due_times, responses, 3, 10000);
    figures_events(&bed.figures, &bed.run);
    figures_think_wait(&bed.figures, &bed.run);
    CHECK_EQUAL(rows_of(find(&bed, "events-kinds")), 2);
    check_absent(&bed, "maximize-profile", "no keyboard");
    check_absent(&bed, "maximize-think-wait", "no keyboard");
    CHECK(has(&bed, "click-profile") && has(&bed, "echo-profile"));
    CHECK(!has(&bed, "echo-profile-2")); /* the second pass is left out */
    CHECK_EQUAL(rows_of(find(&bed, "think-wait-times")), 2);
    bed_close(&bed);
}

static void test_damaged(void)
{
    struct bed bed;

    bed_open(&bed, "echo");
    build_series(bed.bench, "intended", NULL, NULL, due_times, 4);
    build_series(bed.bench, "sent", NULL, NULL, due_times, 4);
    bed.bench = build_bench(&bed.run, "keystroke", 1);
    bed.bench->group = "interactive";
    add_events(&bed, due_times, responses, 0, 10000);
    figures_events(&bed.figures, &bed.run);
    check_absent(&bed, "echo-profile", "its trace is missing");
    check_absent(&bed, "keystroke-profile", "its trace contains no input event");
    CHECK(!has(&bed, "events-kinds"));
    bed_close(&bed);
}

/* No figure for a run without such benches, nor for threads with a queue. */
static void test_others(void)
{
    struct bed bed;

    bed_open(&bed, "process");
    bed.bench->group = "tasks";
    trace_begin(&bed);
    trace_builder_finish(&bed.trace, BEGIN + 10000, bed.bench);
    figures_idle(&bed.figures, &bed.run);
    figures_events(&bed.figures, &bed.run);
    figures_think_wait(&bed.figures, &bed.run);
    CHECK_EQUAL(bed.figures.count, 0);
    bed_close(&bed);
}

/* ---- the idle loop of a traced bench ---- */

/* One event takes 2000 from 5000 on: the sample that it falls into is 3010 long. */
static void test_utilisation(void)
{
    static const int64_t due[] = {5000};
    static const int64_t response[] = {1995};
    int64_t samples[34];
    struct bed bed;

    bed_open(&bed, "echo");
    add_events(&bed, due, response, 1, 40000);
    for (size_t i = 0; i < COUNT(samples); i++) {
        samples[i] = i == 4 ? SAMPLE + 2000 : SAMPLE;
    }
    build_series(bed.bench, "idle", NULL, NULL, samples, COUNT(samples));
    build_fact(bed.bench, "idle_origin", 200);
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "echo-utilisation");

    CHECK_EQUAL(figure->kind, FIGURE_STEPS);
    CHECK(strstr(figure->how, "tracer; the last 3.800 ms of the trace are in no sample") != NULL);
    CHECK_TEXT(figure->series[0].name, "each sample (1.000 ms if idle)");
    CHECK_EQUAL(figure->series[0].n, 4); /* what stays the same needs no point */
    check_point(figure, 0, 0, 0.2, 0);
    check_point(figure, 0, 1, 4.2, 200.0 / 3);
    check_point(figure, 0, 2, 7.2, 0);
    check_point(figure, 0, 3, 36.2, 0);
    CHECK_EQUAL(figure->series_count, 2); /* 36 ms are no curve over 100 ms */
    CHECK_TEXT(figure->series[1].name, "over 10 ms");
    check_point(figure, 1, 0, 0.2, 20);
    check_point(figure, 1, 1, 10.2, 0);
    figure = find(&bed, "paper-figure-1");
    CHECK(figure->kind == FIGURE_ABSENT); /* its only event came first */
    bed_close(&bed);
}

static void test_utilisation_absent(void)
{
    static const int64_t samples[] = {SAMPLE, SAMPLE, -1};
    struct bed bed;

    bed_open(&bed, "echo");
    add_events(&bed, due_times, responses, 4, 10000);
    build_series(bed.bench, "idle", NULL, NULL, samples, 3);
    build_fact(bed.bench, "idle_origin", 0);
    figures_events(&bed.figures, &bed.run);
    check_absent(&bed, "echo-utilisation", "the samples of the idle loop are inconsistent");
    CHECK(has(&bed, "echo-profile"));
    bed_close(&bed);
}

/* ---- the paper ---- */

/* A task of three actions in each of two phases: above 0.1 s are the first and the last. */
static void add_task(struct bed *bed, const char *name, int64_t longer)
{
    static const int64_t due[] = {100000, 500000, 900000, 2100000, 2500000, 2900000};
    static const int64_t phases[] = {0, 0, 0, 1, 1, 1};
    const int64_t lengths[] = {150000, 60000, 150000 + longer, 130000, 20000, 115000};

    bed->bench = build_bench(&bed->run, name, 1);
    bed->bench->group = "interactive";
    add_events(bed, due, lengths, COUNT(due), 4000000);
    build_series(bed->bench, "phase", NULL, NULL, phases, COUNT(phases));
    build_object(bed->bench, "mark", 0, "in_kernel.test");
    build_object(bed->bench, "mark", 1, "server.test");
}

/* Sums are in seconds, each phase has its own zero, and the threshold is where 0.1 s is. */
static void test_paper_tasks(void)
{
    struct bed bed;

    bed_open(&bed, "echo");
    add_task(&bed, "writer", 0);
    add_task(&bed, "slides", 0);
    measure_choose(&(struct measure_choice){.measure = MEASURE_RESPONSE, .given = true});
    figures_events(&bed.figures, &bed.run);
    measure_choose(&(struct measure_choice){.measure = MEASURE_RESPONSE});
    const struct figure *figure = find(&bed, "paper-figure-5a");

    CHECK_TEXT(figure->section, "Paper: Figure 5. Raw data of the writer (Word on NT 3.51)");
    CHECK_TEXT(figure->title, "Figure 5a: the whole task, driver test");
    CHECK_EQUAL(figure->series_count, 1);
    CHECK_TEXT(figure->series[0].name, "server (NT 3.51) [915.0 ms]");
    check_near(figure->threshold, 100);
    CHECK_TEXT(figure->y.unit, "ms");
    check_point(figure, 0, 0, 0, 130);
    check_point(figure, 0, 2, 800, 115);
    figure = find(&bed, "paper-figure-11a");
    CHECK(figure->y.logarithmic && !figure->x.logarithmic && figure->series[0].n > 50);
    figure = find(&bed, "paper-figure-11b");
    CHECK_TEXT(figure->series[1].name, "in_kernel (NT 4.0) [950.0 ms]");
    CHECK(strstr(figure->how, "actions: server (NT 3.51) 3, in_kernel (NT 4.0) 3") != NULL);
    check_point(figure, 1, 2, 150, 360);
    check_row(find(&bed, "paper-table-2"), 0, "100.0|2|0.8|n/a|101|3.1|3.1");
    check_row(find(&bed, "paper-table-2"), 2, "120.0|1|n/a|n/a|8|41.1|48.8");
    check_row(find(&bed, "paper-table-2"), 5, "0.0|3|0.4|0.0|8|41.1|48.8"); /* fewer than 8 */
    figure = find(&bed, "paper-figure-12a");
    CHECK_EQUAL(figure->series[0].n, 2); /* of at most 50 ms: one */
    CHECK(strstr(figure->how, "left out: 1 actions of at most 50 ms") != NULL);
    check_point(figure, 0, 1, 800, 115);
    check_near(figure->x.greatest, 950);
    check_near(figure->y.greatest, 150);
    check_point(find(&bed, "paper-figure-12b"), 0, 2, 800, 150);
    check_row(find(&bed, "paper-table-1"), 0, "save document|n/a|n/a|n/a|n/a|8.082|9.580|0.84");
    check_absent(&bed, "paper-figure-1",
                 "its trace is missing; bench echo gives it (tare boot "
                 "--profile paper)");
    CHECK(has(&bed, "paper-citation"));
    bed_close(&bed);
}

/* Figure 2: one key goes through four of the eight states. */
static void test_paper_states(void)
{
    struct bed bed;

    bed_open(&bed, "background");
    add_events(&bed, due_times, responses, 1, 900);
    figures_events(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "paper-figure-2");

    CHECK_EQUAL(figure->kind, FIGURE_STATES);
    CHECK_TEXT(figure->rows.item[0], "think,\nCPU idle\n88.33 %");
    CHECK_TEXT(figure->rows.item[5], "wait: work,\nCPU busy\n6.11 %");
    for (size_t i = 0; i < 64; i++) {
        /* think idle, queue busy, work busy, think busy, think idle */
        check_near(figure->values[i], i == 3 || i == 3 * 8 + 5 || i == 5 * 8 + 1 || i == 8);
    }
    bed_close(&bed);
}

/* What the run lacks has a reason in its place, and a run without the paper's benches no tab. */
static void test_paper_few(void)
{
    static const char *const ids[] = {"figure-1",  "figure-2",  "figure-3", "figure-4", "figure-5",
                                      "figure-6",  "figure-7",  "figure-8", "figure-9", "figure-10",
                                      "figure-11", "figure-12", "table-1",  "table-2"};
    char id[32];
    struct bed bed;

    bed_open(&bed, "echo");
    figures_events(&bed.figures, &bed.run);
    for (size_t i = 0; i < COUNT(ids); i++) {
        snprintf(id, sizeof(id), "paper-%s", ids[i]);
        CHECK(find(&bed, id)->kind == FIGURE_ABSENT);
    }
    check_absent(&bed, "paper-figure-7",
                 "the run lacks its bench; bench editor gives it (tare "
                 "boot --profile paper)");
    bed_close(&bed);
    bed_open(&bed, "burst");
    add_events(&bed, due_times, responses, 4, 10000);
    figures_events(&bed.figures, &bed.run);
    CHECK(!has(&bed, "paper-figure-1") && !has(&bed, "paper-citation"));
    bed_close(&bed);
}

/* A second run has a separate curve, and is part of mean and deviation. */
static void test_paper_runs(void)
{
    struct bed bed;
    struct bed other;

    bed_open(&bed, "echo");
    add_task(&bed, "writer", 0);
    bed_open(&other, "echo");
    add_task(&other, "writer", 0);
    measure_choose(&(struct measure_choice){.measure = MEASURE_RESPONSE, .given = true});
    figures_paper_runs(&other.run, 1);
    figures_events(&bed.figures, &bed.run);
    figures_paper_runs(NULL, 0);
    measure_choose(&(struct measure_choice){.measure = MEASURE_RESPONSE});
    CHECK_EQUAL(find(&bed, "paper-figure-11a")->series_count, 2);
    CHECK_EQUAL(find(&bed, "paper-figure-11b")->series_count, 4);
    CHECK_TEXT(find(&bed, "paper-figure-11b")->series[2].name,
               "server (NT 3.51), run 2 [915.0 ms]");
    check_row(find(&bed, "paper-table-2"), 0, "100.0 ± 0.0|2.0 ± 0.0|0.8 ± 0.0|n/a|101|3.1|3.1");
    bed_close(&other);
    bed_close(&bed);
}

/* ---- benches idle and load ---- */

/* Handlers of 100 and 200, in samples that are longer by 150 and 260. */
static void add_ticking(struct bed *bed)
{
    static const int64_t floor_samples[] = {SAMPLE, SAMPLE, SAMPLE};
    static const int64_t ticking[] = {SAMPLE, SAMPLE + 150, SAMPLE, SAMPLE + 260};
    static const int64_t starts[] = {1500, 3600};
    static const int64_t handlers[] = {100, 200};

    build_series(bed->bench, "floor", NULL, NULL, floor_samples, 3);
    build_series(bed->bench, "ticking", NULL, NULL, ticking, 4);
    build_series(bed->bench, "handler_start", NULL, NULL, starts, 2);
    build_series(bed->bench, "handler", NULL, NULL, handlers, 2);
}

static void test_interrupts(void)
{
    struct bed bed;

    bed_open(&bed, "idle");
    add_ticking(&bed);
    figures_idle(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "idle-interrupts");

    CHECK_EQUAL(figure->kind, FIGURE_POINTS);
    CHECK_TEXT(figure->x.unit, "us");
    CHECK_TEXT(figure->series[0].name, "equal");
    check_point(figure, 0, 0, 100, 100);
    check_point(figure, 0, figure->series[0].n - 1, 200, 200);
    CHECK_EQUAL(figure->series[1].n, 2);
    check_point(figure, 1, 0, 100, 150);
    check_point(figure, 1, 1, 200, 260);
    figure = find(&bed, "idle-utilisation");
    check_point(figure, 0, 1, 1, 15000.0 / 1150);
    bed_close(&bed);
}

static void test_idle_absent(void)
{
    struct bed bed;

    bed_open(&bed, "idle");
    add_ticking(&bed);
    build_hole(run_find_series(bed.bench, "ticking"), 2);
    figures_idle(&bed.figures, &bed.run);
    check_absent(&bed, "idle-utilisation",
                 "samples are missing, so that the time of the others is unknown");
    CHECK_EQUAL(bed.figures.count, 1);
    bed_close(&bed);
    bed_open(&bed, "load");
    bed.bench->state = "ERROR";
    bed.bench->reason = "the loop could not be calibrated";
    figures_idle(&bed.figures, &bed.run);
    check_absent(&bed, "load-utilisation", "the loop could not be calibrated");
    bed_close(&bed);
}

/* 100 and 2000 injected; 130 and 2010 recovered: entry and exit take 10, and 4 are allowed in a
 * sample and 10 for an interrupt. */
static void test_load(void)
{
    static const int64_t samples[] = {SAMPLE, SAMPLE + 130, SAMPLE, SAMPLE + 2010, SAMPLE};
    static const int64_t entries[] = {1200, 3300};
    static const int64_t work[] = {100, 2000};
    struct bed bed;

    bed_open(&bed, "load");
    build_series(bed.bench, "samples", NULL, NULL, samples, 5);
    build_series(bed.bench, "entry", NULL, NULL, entries, 2);
    build_series(bed.bench, "work", NULL, NULL, work, 2);
    build_fact(bed.bench, "outside", 10);
    build_fact(bed.bench, "tolerance.sample", 4);
    build_fact(bed.bench, "tolerance.each", 10);
    figures_idle(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "load-recovered");

    CHECK(figure->x.logarithmic && figure->y.logarithmic);
    CHECK_TEXT(figure->x.unit, "ms");
    check_point(figure, 0, 0, 0.1, 0.1);
    check_point(figure, 0, figure->series[0].n - 1, 2, 2);
    check_point(figure, 1, 0, 0.1, 0.13);
    check_point(figure, 1, 1, 2, 2.01);
    figure = find(&bed, "load-errors");
    CHECK_TEXT(figure->y.unit, "us");
    check_point(figure, 0, 0, 0.1, 14);
    check_point(figure, 1, 0, 0.1, 20);
    check_point(figure, 1, 1, 2, 0);
    CHECK_EQUAL(figure->series_count, 2);
    bed_close(&bed);
}

/* ---- think and wait ---- */

static void check_span(const struct figure *figure, size_t at, const char *lane, const char *state,
                       double begin, double end)
{
    const struct figure_span *span = &figure->spans[at];

    CHECK(at < figure->span_count);
    CHECK_TEXT(figure->lanes.item[span->lane], lane);
    CHECK_TEXT(figure->states.item[span->state], state);
    check_near(span->begin, begin);
    check_near(span->end, end);
}

/* It arrives at 105, is queued at 125, taken at 145, done at 200; all idle from 210 on. */
static void test_strip(void)
{
    struct bed bed;

    bed_open(&bed, "echo");
    add_events(&bed, due_times, responses, 1, 900);
    figures_think_wait(&bed.figures, &bed.run);
    const struct figure *figure = find(&bed, "echo-think-wait");

    CHECK_TEXT(figure->x.unit, "us");
    CHECK_EQUAL(figure->states.count, 4); /* no I/O, nothing unknown */
    CHECK_EQUAL(figure->span_count, 7);   /* thinking is blank */
    check_span(figure, 0, "by the trace", "wait", 105, 200);
    check_span(figure, 1, "why", "input arrived", 105, 145);
    check_span(figure, 2, "why", "input at work", 145, 200);
    check_span(figure, 3, "why", "background", 200, 210);
    check_span(figure, 4, "processor alone", "wait", 105, 210);
    check_span(figure, 5, "processor, queue", "wait", 125, 210);
    check_span(figure, 6, "processor, calls", "wait", 105, 205);
    figure = find(&bed, "think-wait-times");
    check_row(figure, 0, "echo|900.0 us|95.00 us|1|95.00 us|0|10.556 %|11.667 %|9.444 %|11.111 %");
    bed_close(&bed);
}

int main(void)
{
    RUN(test_profile());
    RUN(test_service());
    RUN(test_perceptible());
    RUN(test_exact());
    RUN(test_exact_perceptible());
    RUN(test_no_rate());
    RUN(test_kinds());
    RUN(test_histogram());
    RUN(test_cumulative());
    RUN(test_paper_tasks());
    RUN(test_paper_states());
    RUN(test_paper_few());
    RUN(test_paper_runs());
    RUN(test_phases());
    RUN(test_phases_apart());
    RUN(test_measures());
    RUN(test_above());
    RUN(test_responsiveness());
    RUN(test_several());
    RUN(test_damaged());
    RUN(test_others());
    RUN(test_utilisation());
    RUN(test_utilisation_absent());
    RUN(test_interrupts());
    RUN(test_idle_absent());
    RUN(test_load());
    RUN(test_strip());
    return unit_finish("unit_figures_interactive");
}
