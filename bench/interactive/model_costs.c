/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/model_costs.h"

#include "bench/interactive/model_play.h"
#include "bench/interactive/names.h"
#include "kernel/clock/clock.h"
#include "kernel/run/names.h"
#include "kernel/task/session.h"

#define ROUNDS 40
/* work of a long portion: longer than everything that happens during it */
#define WORK_US         40
#define WORK_ITERATIONS 2500 /* least work of a long portion, for slow machines */
#define SLOT_WORKS      8    /* distance from one situation to the next, in long portions */
/* time limit, as a multiple of the expected time, in case others take the processor */
#define SPARE 10

/* Situations of a round, in order. */
enum slot {
    SLOT_ALONE,     /* an undisturbed quantum */
    SLOT_INTERRUPT, /* a less urgent quantum arrives in the middle of another */
    SLOT_PREEMPT,   /* a more urgent quantum arrives in the middle */
    SLOT_NEXT,      /* a quantum of the same level arrives in the middle */
    SLOT_AGAIN,     /* two stimuli arrive at one process */
    SLOT_FORWARD,
    SLOT_UP,
    SLOT_DOWN,
#if TARE_SMP
    SLOT_REMOTE,
#endif
    SLOTS,
};

enum { LOW, MIDDLE, HIGH };
enum { LOAD_MIDDLE, LOAD_LOW, LOAD_HIGH, LOADS };
enum {
    STIMULUS_FIRST,
    STIMULUS_SECOND,
    STIMULUS_FORWARD,
    STIMULUS_UP,
    STIMULUS_DOWN,
#if TARE_SMP
    STIMULUS_REMOTE,
#endif
    STIMULI
};
enum { PROCESS_P, PROCESS_Q, PROCESS_R };

/* Quanta of LOAD_MIDDLE in a round, in order. */
enum {
    QUANTUM_ALONE,
    QUANTUM_INTERRUPTED,
    QUANTUM_PREEMPTED,
    QUANTUM_FIRST,
    QUANTUM_SECOND,
    QUANTA,
};

/* Arrivals of a round, in order of time. */
enum {
    ARRIVAL_ALONE,
    ARRIVAL_INTERRUPTED,
    ARRIVAL_INTERRUPTS,
    ARRIVAL_PREEMPTED,
    ARRIVAL_PREEMPTS,
    ARRIVALS = QUANTA + (LOADS - 1) + STIMULI,
};

enum cost {
    COST_EMPTY,
    COST_INTERRUPT,
    COST_PREEMPT,
    COST_NEXT,
    COST_AGAIN,
    COST_FORWARD,
    COST_FORWARD_UP,
    COST_FORWARD_BACK,
    COST_FORWARD_DOWN,
    COST_BEGIN,
    COST_INTERRUPT_HANDLER,
    COST_PREEMPT_HANDLER,
    COST_BEGIN_HANDLER,
#if TARE_SMP
    COST_REMOTE,
#endif
    COSTS,
};

static const char *const names[COSTS] = {
    SERIES_COST_EMPTY,
    SERIES_COST_INTERRUPT,
    SERIES_COST_PREEMPT,
    SERIES_COST_NEXT,
    "cost.again",
    SERIES_COST_FORWARD,
    SERIES_COST_FORWARD_UP,
    SERIES_COST_FORWARD_BACK,
    SERIES_COST_FORWARD_DOWN,
    SERIES_COST_BEGIN,
    SERIES_COST_INTERRUPT_HANDLER,
    SERIES_COST_PREEMPT_HANDLER,
    SERIES_COST_BEGIN_HANDLER,
#if TARE_SMP
    SERIES_COST_REMOTE,
#endif
};

static struct play play;
#if TARE_SMP
static size_t processors;
static bool transmits;

void model_costs_share(size_t count, bool are_transmitted)
{
    processors = count;
    transmits = are_transmitted;
}
#endif

struct scale {
    uint64_t work;  /* iterations of a long portion */
    uint64_t ticks; /* duration of a long portion */
};

static struct scale choose_scale(const struct idle_calibration *calibration)
{
    const uint64_t wanted = idle_loop_iterations(calibration, clock_ticks_from_us(WORK_US));
    const uint64_t work = wanted > WORK_ITERATIONS ? wanted : WORK_ITERATIONS;

    return (struct scale){work, idle_loop_ticks(calibration, work)};
}

static uint64_t slot_at(const struct scale *scale, size_t round, enum slot slot)
{
    return (round * SLOTS + slot + 1) * SLOT_WORKS * scale->ticks;
}

/* ---- the schedule ---- */

static bool make_load(size_t index, uint32_t level, size_t count)
{
    play.load[index] = (struct play_load){.level = level,
                                          .at = (uint64_t *)bench_samples(count),
                                          .work = (uint64_t *)bench_samples(count),
                                          .count = count};
    return play.load[index].at != NULL && play.load[index].work != NULL;
}

static void fill_loads(const struct scale *scale)
{
    static const struct {
        enum slot slot;
        bool behind; /* half a portion later */
    } quanta[QUANTA] = {
        {SLOT_ALONE, false}, {SLOT_INTERRUPT, false}, {SLOT_PREEMPT, false},
        {SLOT_NEXT, false},  {SLOT_NEXT, true},
    };
    const uint64_t half = scale->ticks / 2;

    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < QUANTA; i++) {
            const size_t at = round * QUANTA + i;

            play.load[LOAD_MIDDLE].at[at] =
                slot_at(scale, round, quanta[i].slot) + (quanta[i].behind ? half : 0);
            play.load[LOAD_MIDDLE].work[at] = scale->work;
        }
        play.load[LOAD_LOW].at[round] = slot_at(scale, round, SLOT_INTERRUPT) + half;
        play.load[LOAD_LOW].work[round] = 1;
        play.load[LOAD_HIGH].at[round] = slot_at(scale, round, SLOT_PREEMPT) + half;
        play.load[LOAD_HIGH].work[round] = 1;
    }
}

static bool add_stop(const struct scale *scale, uint32_t level, uint32_t process)
{
    uint64_t *work = (uint64_t *)bench_samples(ROUNDS);

    for (size_t i = 0; i < ROUNDS && work != NULL; i++) {
        work[i] = scale->work;
    }
    play.stop[play.stop_count++] =
        (struct play_stop){.level = level, .process = process, .work = work};
    return work != NULL;
}

/* Creates a stimulus that arrives once in each round, in its situation. The caller adds its stops
 * afterwards. */
static bool make_stimulus(const struct scale *scale, size_t index, enum slot slot, size_t stops)
{
    struct play_stimulus *stimulus = &play.stimulus[index];

    *stimulus = (struct play_stimulus){.at = (uint64_t *)bench_samples(ROUNDS),
                                       .count = ROUNDS,
                                       .first_stop = play.stop_count,
                                       .stop_count = stops,
                                       .responses = bench_samples(ROUNDS)};
    for (size_t i = 0; i < ROUNDS && stimulus->at != NULL; i++) {
        stimulus->at[i] =
            slot_at(scale, i, slot) + (index == STIMULUS_SECOND ? scale->ticks / 2 : 0);
    }
    return stimulus->at != NULL && stimulus->responses != NULL;
}

#if TARE_SMP
/* With one processor, the portion is at a process of the same one. */
static bool make_remote(const struct scale *scale)
{
    const size_t at = play.stop_count + 1;
    const bool good = make_stimulus(scale, STIMULUS_REMOTE, SLOT_REMOTE, 2) &&
                      add_stop(scale, MIDDLE, PROCESS_P) && add_stop(scale, MIDDLE, PROCESS_R);

    play.process[PROCESS_R] = (struct play_process){"R", MIDDLE, processors > 1 ? 1 : 0};
    play.process_count++;
    play.stop[at].processor = play.process[PROCESS_R].processor;
    play.processor_count = processors;
    if (!good || !transmits) {
        return good;
    }
    play.stop[at].transit = (uint64_t *)bench_samples(ROUNDS);
    for (size_t i = 0; i < ROUNDS && play.stop[at].transit != NULL; i++) {
        play.stop[at].transit[i] = scale->ticks;
    }
    return play.stop[at].transit != NULL;
}
#endif

static bool make_room(void)
{
    play.late = bench_samples(play_arrivals(&play));
    play.handled = bench_samples(play_arrivals(&play));
    play.portions = bench_memory(play_portions(&play) * sizeof(play.portions[0]));
    return play.late != NULL && play.handled != NULL && play.portions != NULL;
}

static bool make_schedule(const struct scale *scale)
{
    play = (struct play){
        .process = {{"P", MIDDLE}, {"Q", MIDDLE}},
        .process_count = 2,
        .load_count = LOADS,
        .stimulus_count = STIMULI,
        .horizon = SPARE * slot_at(scale, ROUNDS, SLOT_ALONE),
    };
    if (!make_load(LOAD_MIDDLE, MIDDLE, QUANTA * ROUNDS) || !make_load(LOAD_LOW, LOW, ROUNDS) ||
        !make_load(LOAD_HIGH, HIGH, ROUNDS)) {
        return false;
    }
    fill_loads(scale);
    const bool good =
        make_stimulus(scale, STIMULUS_FIRST, SLOT_AGAIN, 1) && add_stop(scale, MIDDLE, PROCESS_P) &&
        make_stimulus(scale, STIMULUS_SECOND, SLOT_AGAIN, 1) &&
        add_stop(scale, MIDDLE, PROCESS_P) &&
        make_stimulus(scale, STIMULUS_FORWARD, SLOT_FORWARD, 2) &&
        add_stop(scale, MIDDLE, PROCESS_P) && add_stop(scale, MIDDLE, PROCESS_Q) &&
        make_stimulus(scale, STIMULUS_UP, SLOT_UP, 3) && add_stop(scale, MIDDLE, PROGRAM_NONE) &&
        add_stop(scale, HIGH, PROGRAM_NONE) && add_stop(scale, MIDDLE, PROGRAM_NONE) &&
        make_stimulus(scale, STIMULUS_DOWN, SLOT_DOWN, 2) &&
        add_stop(scale, MIDDLE, PROGRAM_NONE) && add_stop(scale, LOW, PROGRAM_NONE);

#if TARE_SMP
    return good && make_remote(scale) && make_room();
#else
    return good && make_room();
#endif
}

/* ---- results ---- */

static const struct play_portion nothing;

/* Returns the portion, or `nothing` if it did not take place. */
static const struct play_portion *find(uint32_t tag, uint32_t value)
{
    for (size_t i = 0; i < play.portion_count; i++) {
        if (play.portions[i].tag == tag && play.portions[i].value == value) {
            return &play.portions[i];
        }
    }
    return &nothing;
}

static const struct play_portion *quantum(size_t round, size_t index)
{
    return find(PLAY_TAG_LOAD | LOAD_MIDDLE, (uint32_t)(round * QUANTA + index));
}

static int64_t length(const struct play_portion *portion)
{
    return portion->end - portion->begin;
}

static const struct play_portion *portion_of(size_t round, size_t stimulus, size_t stop)
{
    return find(PLAY_TAG(stimulus, round), PLAY_VALUE(stop, round));
}

/* Returns the time from the end of a stimulus's portion to the start of its next one. */
static int64_t forward(size_t round, size_t stimulus, size_t stop)
{
    return portion_of(round, stimulus, stop + 1)->begin - portion_of(round, stimulus, stop)->end;
}

static int64_t handled(size_t round, size_t arrival)
{
    return play.handled[round * ARRIVALS + arrival];
}

static void take_round(const struct idle_calibration *calibration, const struct scale *scale,
                       size_t round, int64_t value[COSTS])
{
    const struct play_portion *alone = quantum(round, QUANTUM_ALONE);
    const int64_t undisturbed = length(alone);

    value[COST_EMPTY] = undisturbed - (int64_t)idle_loop_ticks(calibration, scale->work);
    value[COST_INTERRUPT] = length(quantum(round, QUANTUM_INTERRUPTED)) - undisturbed;
    value[COST_PREEMPT] = length(quantum(round, QUANTUM_PREEMPTED)) - undisturbed;
    value[COST_NEXT] = quantum(round, QUANTUM_SECOND)->begin - quantum(round, QUANTUM_FIRST)->end;
    value[COST_AGAIN] =
        portion_of(round, STIMULUS_SECOND, 0)->begin - portion_of(round, STIMULUS_FIRST, 0)->end;
    value[COST_FORWARD] = forward(round, STIMULUS_FORWARD, 0);
    value[COST_FORWARD_UP] = forward(round, STIMULUS_UP, 0);
    value[COST_FORWARD_BACK] = forward(round, STIMULUS_UP, 1);
    value[COST_FORWARD_DOWN] = forward(round, STIMULUS_DOWN, 0);
    value[COST_INTERRUPT_HANDLER] = handled(round, ARRIVAL_INTERRUPTS);
    value[COST_PREEMPT_HANDLER] = handled(round, ARRIVAL_PREEMPTS);
    value[COST_BEGIN_HANDLER] = handled(round, ARRIVAL_ALONE);
#if TARE_SMP
    value[COST_REMOTE] = forward(round, STIMULUS_REMOTE, 0) -
                         (transmits && processors > 1 ? (int64_t)scale->ticks : 0);
#endif
    value[COST_BEGIN] = alone->begin - (int64_t)(play.start + slot_at(scale, round, SLOT_ALONE));
}

static bool publish(const struct bench_run *run, const struct idle_calibration *calibration,
                    const struct scale *scale)
{
    int64_t *samples[COSTS];

    for (size_t i = 0; i < COSTS; i++) {
        samples[i] = bench_samples(ROUNDS);
        if (samples[i] == NULL) {
            return false;
        }
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        int64_t value[COSTS];

        take_round(calibration, scale, round, value);
        for (size_t i = 0; i < COSTS; i++) {
            samples[i][round] = value[i];
        }
    }
    for (size_t i = 0; i < COSTS; i++) {
#if TARE_SMP
        if (i == COST_REMOTE && processors <= 1) {
            continue;
        }
#endif
        bench_publish(run, names[i], UNIT_TICK, samples[i], ROUNDS);
    }
    return true;
}

enum bench_state model_publish_costs(struct bench_run *run,
                                     const struct idle_calibration *calibration)
{
    const struct scale scale = choose_scale(calibration);
    const struct task_settings settings = {
#if TARE_SMP
        .processors = processors,
#endif
    };

    if (!make_schedule(&scale) || !task_begin(&settings)) {
        return bench_error(run, "cannot allocate memory to measure the kernel's costs");
    }
    const bool good = play_run(&play);

    task_end();
    task_forget();
    if (!good) {
        return bench_error(run, "cannot allocate memory for threads to measure the kernel's costs");
    }
    if (play.portion_count != play_portions(&play)) {
        return bench_error(run, "measuring costs: expected %zu served portions, got %zu",
                           play_portions(&play), play.portion_count);
    }
    return publish(run, calibration, &scale)
               ? BENCH_OK
               : bench_error(run, "cannot allocate memory for the series of costs");
}
