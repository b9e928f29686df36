/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/smp/skew.h"

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/smp/processor.h"

bool patience_wait(const volatile uint64_t *word, uint64_t value, struct patience patience)
{
    uint64_t pauses = patience.pauses;

    while (pauses > 0) {
        for (uint64_t i = 0; i < patience.looks; i++) {
            if (*word == value) {
                return true;
            }
        }
        cpu_pause();
        pauses--;
    }
    return false;
}

#define QUESTIONS 32
/* A look takes a nanosecond or more; a PAUSE on an emulator takes a turn of its scheduler. */
#define LOOKS    100
#define PAUSES   1000000
#define LIMIT_US 1000000

static void report_time(void *argument)
{
    struct skew_question *question = argument;

    for (uint64_t i = 1; i <= question->count; i++) {
        if (!patience_wait(&question->ask, i, question->patience)) {
            return;
        }
        question->stamp = tsc_read_ordered();
        question->answer = i;
    }
}

bool skew_ask(size_t number, struct skew_question *question, int64_t *skew, int64_t *bound,
              uint64_t limit)
{
    question->ask = question->answer = 0;
    if (!processor_begin(number, report_time, question)) {
        return false;
    }
    for (uint64_t i = 1; i <= question->count; i++) {
        const uint64_t before = tsc_read_ordered();

        question->ask = i;
        if (!patience_wait(&question->answer, i, question->patience)) {
            return false;
        }
        const uint64_t between = tsc_read_ordered() - before;

        skew[i - 1] = (int64_t)(question->stamp - (before + between / 2));
        bound[i - 1] = (int64_t)((between + 1) / 2);
    }
    return processor_await(number, limit);
}

bool skew_measure_by(size_t number, struct patience patience, uint64_t limit, struct skew *skew)
{
    static struct skew_question question;
    int64_t ticks[QUESTIONS] = {0};
    int64_t bound[QUESTIONS] = {0};
    size_t best = 0;

    question.count = QUESTIONS;
    question.patience = patience;
    if (!skew_ask(number, &question, ticks, bound, limit)) {
        return false;
    }
    for (size_t i = 1; i < QUESTIONS; i++) {
        best = bound[i] < bound[best] ? i : best;
    }
    *skew = (struct skew){ticks[best], bound[best]};
    return true;
}

bool skew_measure(size_t number, struct skew *skew)
{
    return skew_measure_by(number, (struct patience){LOOKS, PAUSES}, clock_ticks_from_us(LIMIT_US),
                           skew);
}

bool skew_exceeds(const struct skew *skew, uint64_t ticks)
{
    const uint64_t size = skew->ticks < 0 ? -(uint64_t)skew->ticks : (uint64_t)skew->ticks;

    return size > (uint64_t)skew->bound && size - (uint64_t)skew->bound > ticks;
}
