/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench sensitivity: measures which gaps the noise detectors miss. It injects gaps of known length
 * into each detector's own loop, starting with one iteration of a counted spin, and asks whether
 * the detector found each gap. A curve (share found by length) belongs to a detector and an
 * injector:
 *
 *     spin   the loop is left for a masked spin with its own timestamps (gap_watch.h)
 *     timer  the LAPIC timer interrupts, and its handler spins (kernel/irq/injector.h)
 *     ipi    another processor sends the same interrupt
 *     smi    port B2h, if MSR 34h counts SMIs
 *
 * In exact time the loop of gap takes r instructions for a reading, so that a reading with a gap of
 * t is r + t. A gap longer than threshold - r is found each time, and a shorter one never. With the
 * lowest threshold, two readings, the limit is one reading.
 */
#include <stdio.h>

#include "bench/noise/detector.h"
#include "bench/noise/names.h"
#include "bench/system/others.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/injector.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/nesting.h"
#include "kernel/irq/smi.h"
#include "kernel/plan/plan.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/smp/processor.h"

#define LENGTHS_MAX  64
#define NARROWED_MAX 10
#define NAME_BYTES   48

/* Up to here each number of iterations is tried, then two numbers an octave, because one reading of
 * gap's loop lies among the first. */
#define EACH_UP_TO 16

/* Least distance of injections outside exact time: on a busy host a timer delivers late, and then
 * several interrupts at once. */
#define APART_US 100
/* Time in which an interrupt that is still under way arrives after its source was stopped. */
#define LATE_US 20

/* Least number of trials that are judged outside exact time. */
#define JUDGED_FROM 10

/* Each injection is shifted by this part of the loop's cycle, so that injections meet all phases of
 * the loop, and the same ones in each run. */
#define GOLDEN_PERCENT 62

struct injector;

struct curve {
    struct detecting detecting;
    struct bench_run *run;
    const struct injector *injector;
    /* number of lengths in the sweep; the lengths after them narrow the 99 % point */
    size_t swept;
    size_t lengths; /* number of lengths so far */
    uint64_t iterations[LENGTHS_MAX];
    int64_t *length, *tried, *found; /* [LENGTHS_MAX] */
    uint64_t *stamps;                /* TSC of each injected interrupt */
    struct gap_injection *injections;
    char nested[NESTING_TEXT_MAX]; /* why the timestamps are wrong; empty: they are right */
    size_t other; /* the processor that sends interrupts; the kernel's own if there is no other */
};

struct injector {
    const char *name;
    /* Returns NULL if the injector can be used for this curve, otherwise the reason why not. */
    const char *(*missing)(const struct curve *curve);
    /* Measures the curve's point for this number of iterations. Returns false if there is not
     * enough memory or a processor is lost. */
    bool (*point)(struct curve *curve, size_t index, uint64_t iterations);
    bool one_length; /* its gaps have one length and no iterations */
};

/* ---- lengths ---- */

static uint64_t iterations_behind(uint64_t iterations)
{
    if (iterations < EACH_UP_TO) {
        return iterations + 1;
    }
    return (iterations & (iterations - 1)) == 0 ? iterations * 3 / 2 : iterations / 3 * 4;
}

static size_t count_lengths(uint64_t most)
{
    size_t count = 0;

    for (uint64_t n = 1; n <= most && count < LENGTHS_MAX - NARROWED_MAX;
         n = iterations_behind(n)) {
        count++;
    }
    return count;
}

/* Returns the ticks from one injection to the next: what the detector needs, plus a part of a
 * reading so that injections meet each phase of the loop. */
static uint64_t apart(const struct detecting *detecting, uint64_t length)
{
    const uint64_t least = bench_is_exact() ? 0 : clock_ticks_from_us(APART_US);
    const uint64_t needed = detecting->apart + 2 * length;
    const uint64_t phase = detecting->cycle * GOLDEN_PERCENT / 100;

    return (needed > least ? needed : least) + phase;
}

static void take_trial(struct curve *curve, size_t index, uint64_t begin, uint64_t end)
{
    const enum detector_answer answer =
        curve->detecting.detector->found(&curve->detecting, begin, end);

    curve->tried[index] += answer != DETECTOR_ASIDE;
    curve->found[index] += answer == DETECTOR_FOUND;
}

/* Prepares an interval that has room for all trials. */
static bool prepare(struct detecting *detecting, uint64_t each)
{
    return detecting->detector->prepare(detecting, each * (detecting->trials + 2));
}

static bool watch(struct detecting *detecting, uint64_t each)
{
    if (!prepare(detecting, each)) {
        return false;
    }
    detecting->detector->watch(detecting);
    return true;
}

/* ---- injector spin: the loop is left for a spin ---- */

static const char *spin_missing(const struct curve *curve)
{
    return curve->detecting.detector->is_watch
               ? NULL
               : "the loop cannot be left within a piece of work; see injector timer";
}

static bool spin_point(struct curve *curve, size_t index, uint64_t iterations)
{
    struct detecting *detecting = &curve->detecting;
    const uint64_t each = apart(detecting, 4 * iterations);

    for (size_t i = 0; i < detecting->trials; i++) {
        curve->injections[i] =
            (struct gap_injection){.time = each * (i + 1), .iterations = iterations, .world = true};
    }
    detecting->injections = curve->injections;
    detecting->injection_count = detecting->trials;
    const bool good = watch(detecting, each);
    const struct gap_watch *gaps = &detecting->gaps;

    detecting->injections = NULL;
    detecting->injection_count = 0;
    curve->length[index] = INT64_MAX;
    for (size_t i = 0; good && i < gaps->injected; i++) {
        const int64_t length = gaps->injected_length[i];
        const uint64_t begin = gaps->start + (uint64_t)gaps->injected_time[i];

        curve->length[index] = length < curve->length[index] ? length : curve->length[index];
        take_trial(curve, index, begin, begin + (uint64_t)length);
    }
    return good;
}

/* ---- injector timer ---- */

/* In exact time, takes one instruction off: measuring needs an INT instruction, which an interrupt
 * does not. */
static struct injector_length measure(uint64_t iterations)
{
    struct injector_length length = injector_measure(iterations);

    length.whole -= clock_state()->ticks_per_instruction;
    return length;
}

/* Lets interrupts in that are still under way. */
static void let_in(void)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(LATE_US));

    interrupts_enable();
    while (!tsc_wait_over(&wait)) {
    }
    interrupts_disable();
}

/* Two entries in succession are at least `behind` apart, or half of it if the processor became
 * faster since that was measured. */
static void judge_stamps(struct curve *curve, size_t index, size_t stamps,
                         const struct injector_length *length)
{
    const uint64_t ahead = length->whole > length->behind ? length->whole - length->behind : 0;
    const size_t nested = nesting_of_entries(curve->stamps, stamps, length->behind / 2);

    if (nested < stamps) {
        nesting_text(INJECTOR_VECTOR, nested, stamps, curve->nested);
    }

    curve->length[index] = (int64_t)length->whole;
    for (size_t i = 0; i < stamps; i++) {
        take_trial(curve, index, curve->stamps[i] - ahead, curve->stamps[i] + length->behind);
    }
}

static const char *timer_missing(const struct curve *curve)
{
    (void)curve;
    return clock_state()->lapic_hz != 0 ? NULL : "there is no LAPIC timer";
}

static bool timer_point(struct curve *curve, size_t index, uint64_t iterations)
{
    struct detecting *detecting = &curve->detecting;
    const struct injector_length length = measure(iterations);
    const uint64_t each = apart(detecting, length.whole);

    if (!prepare(detecting, each)) {
        return false;
    }
    injector_begin(iterations, curve->stamps, detecting->trials);
    lapic_timer_start(INJECTOR_VECTOR, LAPIC_TIMER_PERIODIC, clock_lapic_counts(each));
    interrupts_enable();
    detecting->detector->watch(detecting);
    interrupts_disable();
    lapic_timer_stop();
    let_in();
    judge_stamps(curve, index, injector_end(), &length);
    return true;
}

/* ---- injector ipi ---- */

struct sender {
    size_t to;
    size_t count;
    uint64_t each;           /* ticks */
    volatile uint64_t there; /* 1: it has begun */
    volatile uint64_t go;    /* 1: start sending */
    volatile uint64_t stop;  /* 1: stop sending */
};

/* Sends the interrupts. In exact time this processor sees time pass only when it takes turns, so it
 * waits with PAUSE. */
static void send(void *argument)
{
    struct sender *sender = argument;

    sender->there = 1;
    while (sender->go == 0 && sender->stop == 0) {
        cpu_pause();
    }
    uint64_t due = tsc_read() + sender->each;

    for (size_t i = 0; i < sender->count; i++, due += sender->each) {
        while ((int64_t)(due - tsc_read()) > 0) {
            if (sender->stop != 0) {
                return;
            }
            cpu_pause();
        }
        processor_send(sender->to, INJECTOR_VECTOR);
    }
    while (sender->stop == 0) {
        cpu_pause();
    }
}

static const char *ipi_missing(const struct curve *curve)
{
    if (curve->other == processor_current()) {
        return "only one processor works";
    }
    return bench_is_exact() && !curve->detecting.detector->is_watch
               ? "in exact time another processor runs only at a PAUSE, which this loop does not "
                 "contain"
               : NULL;
}

/* Starts the sending processor. Interrupts must be off from here to stop_sender(), except while the
 * detector watches. */
static bool start_sender(const struct curve *curve, struct sender *sender)
{
    sender->to = processor_current();
    return processor_begin(curve->other, send, sender) &&
           patience_wait(&sender->there, 1, takers_patience(TAKERS_ANSWER_US));
}

static bool stop_sender(const struct curve *curve, struct sender *sender)
{
    sender->stop = 1;
    return processor_await(curve->other, takers_limit());
}

static bool ipi_point(struct curve *curve, size_t index, uint64_t iterations)
{
    static struct sender sender;
    struct detecting *detecting = &curve->detecting;
    const struct injector_length length = measure(iterations);
    const uint64_t each = apart(detecting, length.whole);

    sender = (struct sender){.count = detecting->trials, .each = each};
    if (!prepare(detecting, each)) {
        return false;
    }
    injector_begin(iterations, curve->stamps, detecting->trials);
    const bool began = start_sender(curve, &sender);

    if (began) {
        sender.go = 1;
        interrupts_enable();
        detecting->detector->watch(detecting);
        interrupts_disable();
    }
    const bool ended = began && stop_sender(curve, &sender);

    let_in();
    judge_stamps(curve, index, injector_end(), &length);
    return ended;
}

/* ---- injector smi ---- */

static const char *smi_missing(const struct curve *curve)
{
    if (!pmu_state()->has_smi_count || pmu_smi_count() == 0) {
        return "MSR 34h reads 0, so port B2h is not touched";
    }
    return curve->detecting.detector->is_watch ? NULL
                                               : "the loop cannot be left within a piece of work";
}

/* The length of the gap is the shortest of several SMIs that are provoked and timed beforehand. */
static bool smi_point(struct curve *curve, size_t index, uint64_t iterations)
{
    struct detecting *detecting = &curve->detecting;
    uint64_t length = UINT64_MAX;

    (void)iterations;
    for (size_t i = 0; i < detecting->trials; i++) {
        const uint64_t begin = tsc_read_ordered();

        smi_provoke();
        const uint64_t took = tsc_read_ordered() - begin;

        length = took < length ? took : length;
    }
    const uint64_t each = apart(detecting, length);

    detecting->provoked = detecting->trials;
    const bool good = watch(detecting, each);
    const struct gap_watch *gaps = &detecting->gaps;

    curve->length[index] = (int64_t)length;
    for (size_t i = 0; good && i < detecting->trials; i++) {
        const uint64_t begin =
            gaps->start + gaps->settings.ticks / (detecting->trials + 1) * (i + 1);

        take_trial(curve, index, begin, begin + length);
    }
    detecting->provoked = 0;
    return good;
}

/* ---- a curve ---- */

static const struct injector injectors[] = {
    {INJECTOR_SPIN, spin_missing, spin_point, false},
    {INJECTOR_TIMER, timer_missing, timer_point, false},
    {INJECTOR_IPI, ipi_missing, ipi_point, false},
    {INJECTOR_SMI, smi_missing, smi_point, true},
};
#define INJECTORS (sizeof(injectors) / sizeof(injectors[0]))

static const struct detector *const detectors[] = {&detector_gap, &detector_lowest,
                                                   &detector_selfish, &detector_fwq, &detector_ftq};
#define DETECTORS (sizeof(detectors) / sizeof(detectors[0]))

static const char *name_of(const struct curve *curve, const char *suffix, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%s.%s%s", curve->detecting.detector->name, curve->injector->name,
             suffix);
    return name;
}

static bool take_memory(struct curve *curve)
{
    const size_t trials = curve->detecting.trials;

    curve->length = bench_samples(LENGTHS_MAX);
    curve->tried = bench_samples(LENGTHS_MAX);
    curve->found = bench_samples(LENGTHS_MAX);
    curve->stamps = (uint64_t *)bench_samples(trials);
    curve->injections = bench_memory(trials * sizeof(*curve->injections));
    return curve->length != NULL && curve->tried != NULL && curve->found != NULL &&
           curve->stamps != NULL && curve->injections != NULL;
}

/* Runs the detector without injection but under the conditions of the injection, which include the
 * other processor's turns. */
static bool quiet(struct curve *curve, const char **why)
{
    static struct sender sender;
    const uint64_t ticks = clock_ticks_from_us(bench_number(curve->run, "quiet_us"));
    struct detecting *detecting = &curve->detecting;
    const bool by_other = curve->injector->missing == ipi_missing;

    detecting->pauses = by_other && bench_is_exact();
    sender = (struct sender){0};
    if (by_other && !start_sender(curve, &sender)) {
        *why = "the other processor does not start";
        return false;
    }
    const bool good = detecting->detector->quiet(detecting, ticks, why);

    if (by_other && !stop_sender(curve, &sender)) {
        *why = "the other processor does not finish";
        return false;
    }
    return good;
}

static void publish(const struct curve *curve)
{
    const struct detecting *detecting = &curve->detecting;
    const struct bench_run *run = curve->run;
    char name[NAME_BYTES];

    bench_publish(run, name_of(curve, SUFFIX_LENGTH, name), UNIT_TICK, curve->length,
                  curve->lengths);
    bench_publish(run, name_of(curve, SUFFIX_TRIED, name), UNIT_COUNT, curve->tried,
                  curve->lengths);
    bench_publish(run, name_of(curve, SUFFIX_FOUND, name), UNIT_COUNT, curve->found,
                  curve->lengths);
    bench_fact(run, name_of(curve, SUFFIX_READING, name), UNIT_TICK, (int64_t)detecting->reading);
    bench_fact(run, name_of(curve, SUFFIX_THRESHOLD, name), UNIT_TICK,
               (int64_t)detecting->threshold);
    bench_fact(run, name_of(curve, SUFFIX_READINGS, name), UNIT_COUNT,
               (int64_t)detecting->readings);
    bench_fact(run, name_of(curve, SUFFIX_ALARMS, name), UNIT_COUNT, (int64_t)detecting->alarms);
}

/* In exact time: each gap that must be found is found each time, each gap that must not be found is
 * never found, and there are no false alarms. */
static enum bench_state judge_exact(const struct curve *curve)
{
    const struct detecting *detecting = &curve->detecting;
    char name[NAME_BYTES];

    name_of(curve, "", name);
    if (detecting->alarms != 0) {
        return bench_fail(curve->run, "%s: expected no false alarm, got %lu in %lu readings", name,
                          detecting->alarms, detecting->readings);
    }
    for (size_t i = 0; i < curve->lengths; i++) {
        const uint64_t length = (uint64_t)curve->length[i];
        const bool is_spin = curve->injector->missing == spin_missing;

        if (curve->tried[i] == 0) {
            return bench_fail(curve->run, "%s: no gap of %lu ticks was injected", name, length);
        }
        if (length > detecting->sure && curve->found[i] != curve->tried[i]) {
            return bench_fail(curve->run,
                              "%s: detected %ld of %ld injected gaps of %lu ticks; it must detect "
                              "all above %lu ticks",
                              name, curve->found[i], curve->tried[i], length, detecting->sure);
        }
        if (length <= detecting->never && !is_spin && curve->found[i] != 0) {
            return bench_fail(curve->run,
                              "%s: detected %ld of %ld injected gaps of %lu ticks; it must detect "
                              "none up to %lu ticks",
                              name, curve->found[i], curve->tried[i], length, detecting->never);
        }
    }
    return BENCH_OK;
}

/* In emulated and real time a busy host delays injections into each other's dead time. Only on a
 * real processor, and with ten trials or more, is the longest gap judged: if it is more than twice
 * what the detector must find, it must be found at least once. */
static enum bench_state judge_longest(const struct curve *curve)
{
    const size_t last = curve->swept - 1;
    char name[NAME_BYTES];

    if (bench_has_caches() && curve->tried[last] >= JUDGED_FROM && curve->found[last] == 0 &&
        (uint64_t)curve->length[last] > 2 * curve->detecting.sure) {
        return bench_fail(
            curve->run,
            "%s: detected 0 of %ld injected gaps of %ld ticks; it must detect gaps above %lu ticks",
            name_of(curve, "", name), curve->tried[last], curve->length[last],
            curve->detecting.sure);
    }
    return BENCH_OK;
}

static bool add_length(struct curve *curve, uint64_t iterations)
{
    curve->iterations[curve->lengths] = iterations;
    return curve->injector->point(curve, curve->lengths++, iterations);
}

/* Halves the distance between the longest length that was missed and the shortest above which all
 * were found. */
static bool narrow(struct curve *curve)
{
    uint64_t missed = 0;
    uint64_t found = 0;

    for (size_t i = curve->swept; i > 0 && missed == 0; i--) {
        if (curve->found[i - 1] < curve->tried[i - 1]) {
            missed = curve->iterations[i - 1];
        } else {
            found = curve->iterations[i - 1];
        }
    }
    for (int i = 0; i < NARROWED_MAX && missed != 0 && found > missed + 1; i++) {
        const size_t index = curve->lengths;
        const uint64_t middle = (missed + found) / 2;

        if (!add_length(curve, middle)) {
            return false;
        }
        *(curve->found[index] < curve->tried[index] ? &missed : &found) = middle;
    }
    return true;
}

static bool sweep(struct curve *curve)
{
    uint64_t iterations = 1;

    for (size_t i = 0; i < curve->swept; i++, iterations = iterations_behind(iterations)) {
        if (!add_length(curve, iterations)) {
            return false;
        }
    }
    return narrow(curve);
}

static enum bench_state draw(struct curve *curve)
{
    char name[NAME_BYTES];
    const char *why = curve->injector->missing(curve);
    const char *not_here = NULL;

    name_of(curve, "", name);
    if (why == NULL && !quiet(curve, &not_here)) {
        why = not_here;
    }
    if (why != NULL) {
        bench_absent(curve->run, name, why);
        return BENCH_OK;
    }
    if (!sweep(curve)) {
        return bench_error(curve->run, "%s: no memory, or a processor was lost", name);
    }
    if (curve->nested[0] != '\0') {
        return bench_fail(curve->run, "%s: %s", name, curve->nested);
    }
    publish(curve);
    return bench_is_exact() ? judge_exact(curve) : judge_longest(curve);
}

static enum bench_state draw_one(struct bench_run *run, const struct detector *detector,
                                 const struct injector *injector)
{
    struct curve *curve = bench_memory(sizeof(*curve));

    if (curve == NULL) {
        return bench_error(run, "no memory");
    }
    *curve = (struct curve){
        .run = run,
        .detecting = {.detector = detector,
                      .trials = bench_number(run, "trials"),
                      .work_ticks = clock_ticks_from_us(bench_number(run, "work_us"))},
        .injector = injector,
        .swept = injector->one_length ? 1 : count_lengths(bench_number(run, "iterations")),
        .other = processor_other(),
    };
    return take_memory(curve)
               ? draw(curve)
               : bench_error(run, "cannot allocate %zu trials; lower sensitivity.trials",
                             curve->detecting.trials);
}

static enum bench_state run(struct bench_run *run)
{
    processors_start();
    for (size_t i = 0; i < DETECTORS; i++) {
        for (size_t k = 0; k < INJECTORS; k++) {
            if (!plan_list_holds(bench_text(run, "detectors"), detectors[i]->name) ||
                !plan_list_holds(bench_text(run, "injectors"), injectors[k].name)) {
                continue;
            }
            const enum bench_state state = draw_one(run, detectors[i], &injectors[k]);

            if (state != BENCH_OK) {
                return state;
            }
        }
    }
    return bench_ok(run);
}

static const struct bench_param params[] = {
    {"trials", "10", "number of injections of each length", PARAM_NUMBER(1, 100000)},
    {"iterations", "512", "iterations of the longest injected spin", PARAM_NUMBER(1, 100000000)},
    {"quiet_us", "2000",
     "time without injection in which false alarms are counted, for each curve, in us",
     PARAM_TIME(100, 1000000000)},
    {"work_us", "50", "length of a piece of work of fwq and of a quantum of ftq, in us",
     PARAM_TIME(10, 1000000)},
    {"detectors", "all", "detectors to test", PARAM_WORDS("gap,gap_lowest,selfish,fwq,ftq")},
    {"injectors", "spin,timer,ipi", "injectors to use; smi provokes SMIs through port B2h",
     PARAM_WORDS("spin,timer,ipi,smi")},
    {0},
};

static const struct bench sensitivity = {
    .name = BENCH_SENSITIVITY,
    .group = "noise",
    .summary = "gaps of known length injected into each noise detector: which gaps does it find?",
    .unit = UNIT_COUNT,
    .estimate = "a reading of r with a gap of t takes r + t, so gaps longer than threshold - r are "
                "found: gap 1 us minus a reading; with the lowest threshold one reading, 30 to 60 "
                "ticks; selfish 8 readings; fwq and ftq one tick in exact time, otherwise 5 "
                "deviations of pieces and quanta. No false alarm in exact time",
    .needs = NEED_CLOCK,
    .params = params,
    .samples = "",
    .run = run,
};
BENCH_REGISTER(sensitivity);
