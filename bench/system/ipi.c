/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench ipi: an interrupt from processor to processor and back, and how far their TSCs differ.
 *
 * round: from before the command is given to the first instructions of the handler for the answer;
 * in between, the other side acknowledges and gives its own command. The other side spins, or halts
 * (round_halted). there: to the first instructions of the other side's handler, by the other side's
 * TSC, so it is off by the skew.
 *
 * For skew and skew_bound see kernel/smp/skew.h.
 */
#include <stdio.h>

#include "bench/system/names.h"
#include "bench/system/others.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/timed_section.h"
#include "kernel/run/names.h"
#include "kernel/smp/skew.h"

#define SAMPLES_MAX 100000
#define NAME_BYTES  24

static volatile uint64_t pongs;
static const char *faulty; /* the first fault, NULL if there was none */
static size_t faulty_number;

static bool take_pong(void)
{
    pongs++;
    return true;
}

static void publish(const struct bench_run *run, const char *what, size_t number,
                    const int64_t *samples, size_t count)
{
    char name[NAME_BYTES];

    snprintf(name, sizeof(name), "%s.%zu", what, number);
    bench_publish(run, name, UNIT_TICK, samples, count);
}

/* ---- skew ---- */

static bool measure_skew(const struct bench_run *run, size_t number, struct skew_question *question)
{
    int64_t *skew = bench_samples(question->count);
    int64_t *bound = bench_samples(question->count);

    if (skew == NULL || bound == NULL || !skew_ask(number, question, skew, bound, takers_limit())) {
        return false;
    }
    publish(run, SERIES_SKEW, number, skew, question->count);
    publish(run, SERIES_SKEW_BOUND, number, bound, question->count);
    return true;
}

/* ---- round trips ---- */

static bool await_pong(uint64_t before)
{
    const uint64_t start = tsc_read();
    const uint64_t limit = takers_limit();

    while (pongs == before) {
        if (tsc_read() - start > limit) {
            return false;
        }
        cpu_pause();
    }
    return true;
}

/* Sample i comes from timed section i + 1, because round 0 only wakes the other side. */
static bool play(size_t number, const struct processor_answer *answer,
                 struct timed_section *sections, size_t count, int64_t *round, int64_t *there)
{
    for (size_t i = 0; i <= count; i++) {
        const uint64_t before = pongs;
        const uint64_t sent = tsc_read_ordered();

        processor_send(number, PROCESSOR_VECTOR_PING);
        if (!await_pong(before)) {
            return false;
        }
        if (i > 0) {
            round[i - 1] = (int64_t)(sections[i].entry - sent);
            there[i - 1] = (int64_t)(answer->arrived - sent);
        }
    }
    return true;
}

/* Sets `faulty` if something is wrong with the rounds. Each command must be answered by one
 * interrupt; and in exact time, where all processors share one clock, the way there must be shorter
 * than the round. */
static void judge(size_t number, uint64_t answers, const int64_t *round, const int64_t *there,
                  uint64_t count)
{
    if (faulty != NULL) {
        return;
    }
    if (answers != count + 1) {
        faulty = "each interrupt must be answered once, but an answer was missing or came twice";
    }
    for (uint64_t i = 0; i < count && faulty == NULL; i++) {
        if (round[i] <= 0) {
            faulty = "an answer arrived before its interrupt was sent";
        } else if (bench_is_exact() && (there[i] <= 0 || there[i] >= round[i])) {
            faulty =
                "the time to the other processor is not between 0 and the time of the round trip";
        }
    }
    faulty_number = number;
}

static bool rounds(size_t number, bool halts, const struct skew_question *question, int64_t *round,
                   int64_t *there)
{
    static struct processor_answer answer;
    const uint64_t count = question->count;
    struct timed_section *sections =
        (struct timed_section *)bench_samples(2 * (count + 1)); /* two words each */
    uint64_t dropped;

    answer = (struct processor_answer){.sender = processor_current(), .halts = halts};
    if (sections == NULL || !processor_begin(number, processor_answer, &answer)) {
        return false;
    }
    if (!patience_wait(&answer.there, 1, question->patience)) {
        return false;
    }
    timed_section_start(PROCESSOR_VECTOR_PONG, sections, NULL, count + 1, take_pong);
    interrupts_enable();
    const bool good = play(number, &answer, sections, count, round, there);

    interrupts_disable();
    timed_section_stop(&dropped);
    answer.stop = 1;
    processor_send(number, PROCESSOR_VECTOR_WAKE);
    return processor_await(number, takers_limit()) && good;
}

/* Checks in a separate function, so that the check does not take registers from the timed code. */
static bool judged_rounds(size_t number, bool halts, const struct skew_question *question,
                          int64_t *round, int64_t *there)
{
    const uint64_t before = pongs;

    if (!rounds(number, halts, question, round, there) || timed_section_fault() != NULL) {
        return false;
    }
    judge(number, pongs - before, round, there, question->count);
    return true;
}

static bool measure_rounds(const struct bench_run *run, size_t number,
                           const struct skew_question *question)
{
    const uint64_t count = question->count;
    int64_t *round = bench_samples(count);
    int64_t *there = bench_samples(count);
    int64_t *halted = bench_samples(count);
    int64_t *there_halted = bench_samples(count);

    if (round == NULL || there == NULL || halted == NULL || there_halted == NULL ||
        !judged_rounds(number, false, question, round, there) ||
        !judged_rounds(number, true, question, halted, there_halted)) {
        return false;
    }
    publish(run, SERIES_ROUND, number, round, count);
    publish(run, SERIES_THERE, number, there, count);
    publish(run, SERIES_ROUND_HALTED, number, halted, count);
    return true;
}

/* ---- the run ---- */

static enum bench_state run(struct bench_run *run)
{
    static struct takers takers;
    struct skew_question *question = bench_memory(sizeof(*question));

    if (question == NULL || !takers_find(run, &takers)) {
        return bench_error(run, "no memory for the list of processors");
    }
    faulty = NULL;
    question->count = bench_number(run, "samples");
    question->patience = takers_patience(TAKERS_ANSWER_US);
    for (size_t i = 1; i < takers.count; i++) {
        const size_t number = takers.number[i];

        if (!measure_skew(run, number, question) || !measure_rounds(run, number, question)) {
            return timed_section_fault() != NULL
                       ? bench_fail(run, "processor %zu: %s", number, timed_section_fault())
                       : bench_error(run, "no memory, or processor %zu did not answer", number);
        }
    }
    return faulty == NULL ? bench_ok(run)
                          : bench_fail(run, "processor %zu: %s", faulty_number, faulty);
}

static const struct bench_param params[] = {
    {"processors", "32", "largest number of processors that take part",
     PARAM_NUMBER(2, PROCESSORS_MAX)},
    {"samples", "100", "samples of each series", PARAM_NUMBER(1, SAMPLES_MAX)},
    {0},
};

static const struct bench ipi = {
    .name = BENCH_IPI,
    .group = GROUP_SYSTEM,
    .summary = "time of an interrupt to another processor and back, and the skew of their TSCs",
    .unit = UNIT_TICK,
    .estimate = "one way 1000 to 2000 cycles, mostly in the LAPICs; there and back twice that, "
                "plus the handler's 60 instructions; from HLT about 500 ns more. Skew within a "
                "package 0 to a few ticks: less than the bound of about 50 ns can resolve",
    .needs = NEED_PROCESSORS,
    .params = params,
    .samples = "samples",
    .relations = "there<round",
    .run = run,
};
BENCH_REGISTER(ipi);
