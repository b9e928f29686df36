/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench model: a response-time model (Shub, "On Determining the Distribution of Software Response
 * Times"; tools/sim/model/model.h) on the real kernel. Competing quanta arrive by timers and are
 * calibrated work of threads; stimuli go from process to process as messages. All arrivals and all
 * work are drawn beforehand. The bench measures when things happen.
 *
 * A response lasts from the time for which its timer was set to the end of its last portion.
 */
#include <stdio.h>
#include <string.h>

#include "bench/interactive/model_costs.h"
#include "bench/interactive/model_play.h"
#include "bench/interactive/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/scale.h"
#include "kernel/plan/names.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/smp/skew.h"
#include "kernel/task/session.h"

#define SAMPLE_US    1000    /* sample length of the idle loop, for the calibration */
#define ARRIVALS_MAX 4000000 /* largest number of arrivals of a load */
#define ORDER_MAX    64      /* number of services whose order is published */
/* time after the horizon in which waiting quanta are still served, if everything must be served */
#define DONE_US   1000000
#define MILLI     1000
#define MICRO     1000000
#define LABEL_MAX 56
/* Largest accepted difference between TSCs, by which messages are late or early: about the time of
 * an interrupt to another processor. */
#define SKEW_US 1

/* Streams of random numbers. */
enum { STREAM_ARRIVALS, STREAM_SERVICES, STREAM_STIMULI, STREAM_STOPS, STREAMS };
#define STREAM_TRANSITS 0x100000000 /* beyond all other streams; one for each stop */

static struct program program;
static struct play play;

/* ---- random numbers ---- */

static void seed(struct draw_random *random, unsigned of, size_t index)
{
    draw_seed(random, program.seed, index * STREAMS + of);
}

/* Chooses random times of arrivals before the horizon, at most `most`. Returns their number. With
 * `at` NULL it only counts them. */
static size_t draw_arrivals(const struct program_arrivals *arrivals, struct draw_random random,
                            uint64_t *at, size_t most)
{
    uint64_t ns = 0;
    size_t count = 0;

    for (; count < most; count++) {
        if (arrivals->kind == PROGRAM_TRACE && count == arrivals->count) {
            break;
        }
        ns = arrivals->kind == PROGRAM_TRACE ? arrivals->times[count]
                                             : ns + draw_law(&arrivals->law, &random);
        if (ns >= program.horizon_ns) {
            break;
        }
        if (at != NULL) {
            at[count] = clock_ticks_from_ns(ns);
        }
    }
    return count;
}

/* Chooses the random length of each portion, in iterations of the idle loop. The remainder that
 * does not fill an iteration is added to the next portion. Returns NULL if there is no memory. */
static uint64_t *draw_work(const struct draw_law *law, struct draw_random random, size_t count,
                           const struct idle_calibration *calibration)
{
    uint64_t *work = (uint64_t *)bench_samples(count > 0 ? count : 1);
    uint64_t rest = 0; /* millionths of a tick, precise to thousandths */

    for (size_t i = 0; i < count && work != NULL; i++) {
        rest += MILLI * scale_u64(draw_law(law, &random), clock_state()->verdict.hz, MICRO);
        work[i] = rest / calibration->iteration_microtick;
        rest %= calibration->iteration_microtick;
        work[i] += work[i] == 0 ? 1 : 0;
    }
    return work;
}

static bool draw_load(size_t index, const struct idle_calibration *calibration)
{
    const struct program_load *from = &program.load[index];
    struct play_load *load = &play.load[index];
    struct draw_random random;

    seed(&random, STREAM_ARRIVALS, index);
    load->level = from->level;
    load->processor = from->processor;
    load->count = draw_arrivals(&from->arrivals, random, NULL, ARRIVALS_MAX);
    load->at = load->count < ARRIVALS_MAX ? (uint64_t *)bench_samples(load->count + 1) : NULL;
    if (load->at == NULL) {
        return false;
    }
    draw_arrivals(&from->arrivals, random, load->at, load->count);
    seed(&random, STREAM_SERVICES, index);
    load->work = draw_work(&from->service, random, load->count, calibration);
    return load->work != NULL;
}

/* Returns the largest number of passes of a stimulus. The first stimulus makes the requested number
 * of passes. If it arrives at random it may make more, because some passes may overtake others. A
 * further stimulus that cycles makes as many passes as it can before the horizon. */
static size_t count_passes(size_t index, const struct program_arrivals *arrivals,
                           struct draw_random random)
{
    const bool is_counted = index == 0 && arrivals->kind != PROGRAM_RENEWAL;
    const uint64_t wanted = is_counted ? program.passes : PROGRAM_PASSES_MAX;

    if (arrivals->kind != PROGRAM_CYCLE) {
        return draw_arrivals(arrivals, random, NULL, wanted);
    }
    const uint64_t most = program.horizon_ns / (arrivals->law.low > 0 ? arrivals->law.low : 1) + 1;

    return !is_counted && most < wanted ? most : wanted;
}

/* Returns whether the stimulus comes to this stop from another processor. */
static bool crosses(const struct program_stimulus *stimulus, size_t stop)
{
    return stop > stimulus->first_stop &&
           program.stop[stop].processor != program.stop[stop - 1].processor;
}

/* Chooses at random, for each pass, the time in ticks that the message to this stop takes. Returns
 * false if there is no memory. */
static bool draw_transit(size_t stop, size_t count)
{
    uint64_t *transit = (uint64_t *)bench_samples(count > 0 ? count : 1);
    struct draw_random random;

    draw_seed(&random, program.seed, STREAM_TRANSITS + stop);
    for (size_t i = 0; i < count && transit != NULL; i++) {
        transit[i] = clock_ticks_from_ns(draw_law(&program.transmission, &random));
    }
    play.stop[stop].transit = transit;
    return transit != NULL;
}

static bool draw_stimulus(size_t index, const struct idle_calibration *calibration)
{
    const struct program_stimulus *from = &program.stimulus[index];
    struct play_stimulus *stimulus = &play.stimulus[index];
    struct draw_random random;

    seed(&random, STREAM_STIMULI, index);
    stimulus->cycles = from->arrivals.kind == PROGRAM_CYCLE;
    stimulus->is_trace = from->arrivals.kind == PROGRAM_TRACE;
    stimulus->delay = clock_ticks_from_ns(from->arrivals.law.low);
    stimulus->first_stop = from->first_stop;
    stimulus->stop_count = from->stop_count;
    stimulus->count = count_passes(index, &from->arrivals, random);
    stimulus->at = (uint64_t *)bench_samples(stimulus->count + 1);
    stimulus->responses = bench_samples(stimulus->count + 1);
    if (stimulus->at == NULL || stimulus->responses == NULL) {
        return false;
    }
    if (stimulus->cycles) {
        stimulus->at[0] = stimulus->delay;
    } else {
        draw_arrivals(&from->arrivals, random, stimulus->at, stimulus->count);
    }
    for (size_t i = from->first_stop; i < from->first_stop + from->stop_count; i++) {
        seed(&random, STREAM_STOPS, i);
        play.stop[i].work =
            draw_work(&program.stop[i].service, random, stimulus->count, calibration);
        if (play.stop[i].work == NULL || (crosses(from, i) && !draw_transit(i, stimulus->count))) {
            return false;
        }
    }
    return true;
}

static void copy_structure(void)
{
    play = (struct play){
        .processor_count = program.processor_count,
        .process_count = program.process_count,
        .load_count = program.load_count,
        .stimulus_count = program.stimulus_count,
        .stop_count = program.stop_count,
        .turns = program.turns,
        .passes = program.passes,
        .horizon = clock_ticks_from_ns(program.horizon_ns),
    };
    for (size_t i = 0; i < program.level_count; i++) {
        play.level[i] = program.level[i];
    }
    for (size_t i = 0; i < program.process_count; i++) {
        play.process[i] = (struct play_process){program.process[i].name, program.process[i].level,
                                                program.process[i].processor};
    }
    for (size_t i = 0; i < program.stop_count; i++) {
        play.stop[i] = (struct play_stop){.level = program.stop[i].level,
                                          .processor = program.stop[i].processor,
                                          .process = program.stop[i].process,
                                          .awaits = program.stop[i].awaits};
    }
}

/* Chooses all arrival times, all lengths of work and all transmission times at random. Returns
 * false if there is no memory. */
static bool draw(const struct idle_calibration *calibration)
{
    copy_structure();
    for (size_t i = 0; i < program.load_count; i++) {
        if (!draw_load(i, calibration)) {
            return false;
        }
    }
    for (size_t i = 0; i < program.stimulus_count; i++) {
        if (!draw_stimulus(i, calibration)) {
            return false;
        }
    }
    if (play.passes == 0) {
        play.horizon = 2 * play.horizon + clock_ticks_from_us(DONE_US);
    }
    play.late = bench_samples(play_arrivals(&play) + 1);
    play.handled = bench_samples(play_arrivals(&play) + 1);
    play.portions = bench_memory((play_portions(&play) + 1) * sizeof(play.portions[0]));
    return play.late != NULL && play.handled != NULL && play.portions != NULL;
}

/* ---- publishing ---- */

/* Names of the series; they must stay valid until the series have been sent. */
static char response_name[PROGRAM_STIMULI_MAX][LABEL_MAX];

static bool is_quantum_of(const struct play_portion *portion, size_t level, size_t processor)
{
    const struct play_load *load = &play.load[portion->tag & ~PLAY_TAG_LOAD];

    return (portion->tag & PLAY_TAG_LOAD) != 0 && load->level == level &&
           load->processor == processor;
}

/* Returns the name of a series of waits, or NULL if there is no memory. */
static const char *wait_name(size_t level, size_t processor)
{
    char *name = bench_memory(LABEL_MAX);

    if (name != NULL && program.processor_count > 1) {
        snprintf(name, LABEL_MAX, SERIES_WAIT ".%s@%s", program.level[level],
                 program.processor[processor]);
    } else if (name != NULL) {
        snprintf(name, LABEL_MAX, SERIES_WAIT ".%s", program.level[level]);
    }
    return name;
}

/* Publishes the waits from arrival to first service, in the order in which service began. */
static bool publish_waits(const struct bench_run *run, size_t level, size_t processor)
{
    size_t count = 0;

    for (size_t i = 0; i < play.portion_count; i++) {
        count += is_quantum_of(&play.portions[i], level, processor) ? 1 : 0;
    }
    if (count == 0) {
        return true;
    }
    const char *name = wait_name(level, processor);
    int64_t *waits = bench_samples(count);

    if (waits == NULL || name == NULL) {
        return false;
    }
    count = 0;
    for (size_t i = 0; i < play.portion_count; i++) {
        const struct play_portion *portion = &play.portions[i];

        if (is_quantum_of(portion, level, processor)) {
            const struct play_load *load = &play.load[portion->tag & ~PLAY_TAG_LOAD];

            waits[count++] = portion->begin - (int64_t)(play.start + load->at[portion->value]);
        }
    }
    bench_publish(run, name, UNIT_TICK, waits, count);
    return true;
}

static void publish_responses(const struct bench_run *run)
{
    for (size_t i = 0; i < play.stimulus_count; i++) {
        const struct play_stimulus *stimulus = &play.stimulus[i];

        if (i == 0) {
            snprintf(response_name[i], LABEL_MAX, SERIES_RESPONSE);
        } else {
            snprintf(response_name[i], LABEL_MAX, SERIES_RESPONSE ".%s", program.stimulus[i].name);
        }
        bench_publish(run, response_name[i], UNIT_TICK, stimulus->responses,
                      stimulus->response_count);
    }
}

/* Returns a code for who served which stimulus: the first letters of stimulus and process, as in
 * bench order. */
static int64_t service_code(const struct play_portion *portion)
{
    const size_t stimulus = PLAY_STIMULUS(portion->tag);
    const struct play_stop *stop =
        &play.stop[play.stimulus[stimulus].first_stop + PLAY_STOP(portion->value)];
    const char *by = stop->process != PROGRAM_NONE ? program.process[stop->process].name
                                                   : program.level[stop->level];

    return program.stimulus[stimulus].name[0] | by[0] << 8;
}

/* Publishes in which order stimuli were served, if the first stimulus comes at given times. Only
 * the first ORDER_MAX services are published. */
static bool publish_order(const struct bench_run *run)
{
    int64_t *codes = bench_samples(ORDER_MAX);
    size_t count = 0;

    if (codes == NULL) {
        return false;
    }
    if (play.stimulus_count == 0 || program.stimulus[0].arrivals.kind != PROGRAM_TRACE) {
        return true;
    }
    for (size_t i = 0; i < play.portion_count && count < ORDER_MAX; i++) {
        if ((play.portions[i].tag & PLAY_TAG_LOAD) == 0) {
            codes[count++] = service_code(&play.portions[i]);
        }
    }
    bench_publish(run, "order", UNIT_CODE, codes, count);
    return true;
}

/* Publishes how long handlers ran. One that had not ended when the run did is left out. */
static void publish_handlers(const struct bench_run *run)
{
    size_t count = 0;

    for (size_t i = 0; i < play.late_count; i++) {
        if (play.handled[i] != 0) {
            play.handled[count++] = play.handled[i];
        }
    }
    bench_publish(run, SERIES_HANDLER, UNIT_TICK, play.handled, count);
}

static bool publish(const struct bench_run *run)
{
    publish_responses(run);
    const size_t processors = program.processor_count > 1 ? program.processor_count : 1;

    for (size_t i = 0; i < processors * program.level_count; i++) {
        if (!publish_waits(run, i % program.level_count, i / program.level_count)) {
            return false;
        }
    }
    bench_publish(run, "late", UNIT_TICK, play.late, play.late_count);
    publish_handlers(run);
    bench_fact(run, FACT_UNIT, UNIT_NANOSECOND, (int64_t)program.unit_ns);
    bench_fact(run, FACT_SEED, UNIT_COUNT, (int64_t)program.seed);
    bench_fact(run, FACT_PASSES, UNIT_COUNT,
               play.stimulus_count > 0 ? (int64_t)play.stimulus[0].response_count : 0);
    bench_fact(run, "crowded", UNIT_COUNT, (int64_t)play.crowded);
    return publish_order(run);
}

/* ---- the run ---- */

/* Returns whether some quanta found no free thread at a level that has processes as well. */
static bool order_is_lost(void)
{
    for (size_t i = 0; i < play.process_count && play.crowded > 0; i++) {
        for (size_t j = 0; j < play.load_count; j++) {
            if (play.load[j].level == play.process[i].level &&
                play.load[j].processor == play.process[i].processor) {
                return true;
            }
        }
    }
    return false;
}

static enum bench_state judge(struct bench_run *run)
{
    if (play.lost > 0) {
        return bench_error(run, "lost %lu quanta or messages, because a queue was full", play.lost);
    }
    if (!play.complete && play.stimulus_count > 0) {
        return bench_error(run, "expected %lu passes within the horizon of %lu us, got %zu",
                           play.passes, program.horizon_ns / 1000, play.stimulus[0].response_count);
    }
    if (!play.complete) {
        return bench_error(run, "quanta still wait in a queue long after the last one arrived");
    }
    if (order_is_lost()) {
        return bench_error(
            run,
            "%lu quanta arrived while all threads of their level were busy, and the level "
            "also has processes: the order of service is unknown",
            play.crowded);
    }
    return bench_ok(run);
}

#if TARE_SMP
/* Checks that the TSCs of the model's other processors agree with this one, because otherwise a
 * message could be due before it was sent. Publishes the differences. Returns BENCH_OK, or the
 * bench's result. */
static enum bench_state check_times(struct bench_run *run)
{
    for (size_t i = 1; i < program.processor_count; i++) {
        char name[24];
        struct skew skew;

        if (!skew_measure(i, &skew)) {
            return bench_error(run, "processor %zu did not answer", i);
        }
        snprintf(name, sizeof(name), "skew.%zu", i);
        bench_fact(run, name, UNIT_TICK, skew.ticks);
        snprintf(name, sizeof(name), "skew_bound.%zu", i);
        bench_fact(run, name, UNIT_TICK, skew.bound);
        if (skew_exceeds(&skew, clock_ticks_from_us(SKEW_US))) {
            return bench_skip(run,
                              "the TSC of processor %zu differs by %ld ticks, more than the time "
                              "of a message",
                              i, skew.ticks);
        }
    }
    return BENCH_OK;
}

/* The processors of a model of several are those of the session. Returns BENCH_OK, or the bench's
 * result. */
static enum bench_state find_processors(struct bench_run *run)
{
    const size_t most = program.processor_count > 1 ? task_processors_max() : 1;

    if (program.processor_count > most) {
        return bench_skip(run, "the model needs %zu processors, this machine has %zu that work",
                          program.processor_count, most);
    }
    model_costs_share(program.processor_count,
                      program.transmission.kind != DRAW_CONSTANT || program.transmission.low != 0);
    return clock_is_exact() ? BENCH_OK : check_times(run);
}

/* A session of several processors must not precede the first trace, which measures what tracing
 * costs. A traced run is not compared with a prediction, which needs these costs. */
static bool publishes_costs(const struct bench_run *run)
{
    return program.processor_count <= 1 || bench_number(run, "trace") == 0;
}

static bool begin_trace(struct bench_run *run)
{
    return program.processor_count > 1 ? bench_trace_begin_on(run, program.processor_count)
                                       : bench_trace_begin(run);
}
#else
static enum bench_state find_processors(struct bench_run *run)
{
    return program.processor_count <= 1
               ? BENCH_OK
               : bench_skip(run,
                            KEY_MODEL_PROGRAM ": expected 1 processor, got %zu; set " KEY_KERNEL
                                              "=" KERNEL_SMP,
                            program.processor_count);
}

static bool publishes_costs(const struct bench_run *run)
{
    (void)run;
    return true;
}

static bool begin_trace(struct bench_run *run)
{
    return bench_trace_begin(run);
}
#endif

static enum bench_state play_traced(struct bench_run *run)
{
    const struct task_settings settings = {
#if TARE_SMP
        .processors = program.processor_count,
#endif
    };
    const bool traced = bench_number(run, "trace") != 0;

    if (traced && !begin_trace(run)) {
        return BENCH_ERROR;
    }
    bool good = task_begin(&settings);

    if (good) {
        good = play_run(&play);
        task_end();
    }
    if (traced && !bench_trace_end(run)) {
        return bench_error(run, "cannot allocate memory to publish the trace");
    }
    return good ? BENCH_OK
                : bench_error(run, "cannot allocate memory for the threads of the model");
}

static enum bench_state run(struct bench_run *run)
{
    const char *text = bench_text(run, PARAM_PROGRAM);
    struct idle_calibration calibration;
    char error[PROGRAM_ERROR_MAX];

    if (*text == '\0') {
        return bench_error(run, "no model was given: use tare boot --model FILE");
    }
    if (!program_read(&program, text, error)) {
        return bench_error(run, "model.program: %s", error);
    }
    enum bench_state state = find_processors(run);

    if (state == BENCH_OK) {
        state = bench_calibrate(run, SAMPLE_US, &calibration);
    }
    if (state == BENCH_OK && publishes_costs(run)) {
        state = model_publish_costs(run, &calibration);
    }
    if (state == BENCH_OK && !draw(&calibration)) {
        state = bench_error(run, "cannot allocate memory for %zu arrivals and their results",
                            play_arrivals(&play));
    }
    if (state == BENCH_OK) {
        state = play_traced(run);
    }
    if (state != BENCH_OK) {
        return state;
    }
    return publish(run) ? judge(run)
                        : bench_error(run, "cannot allocate memory to publish the results");
}

static const struct bench_param params[] = {
    {PARAM_PROGRAM, "", "the model, as printed by tare sim MODEL --program", PARAM_TEXT()},
    {"trace", "0", "1: trace the threads, which takes time", PARAM_NUMBER(0, 1)},
    {0},
};

static const struct bench model = {
    .name = BENCH_MODEL,
    .group = GROUP_INTERACTIVE,
    .summary = "a response-time model, run on threads, messages and timers",
    .unit = UNIT_TICK,
    .estimate =
        "what tare sim predicts for the same model, plus an interrupt, a switch and a message for "
        "each portion of work",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(model);
