/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/delivery/promise.h"

#include <stdio.h>

/* Section numbers are those of the editions in which chapter 6 of SDM volume 3 is about interrupts
 * and chapter 11 about the APIC, as elsewhere in the image. */
static const struct promise_text texts[PROMISES] = {
    [PROMISE_ONCE] = {"once", "SDM 3 11.8.4", "each requested vector is delivered once"},
    [PROMISE_MASKED] = {"masked", "SDM 3 6.8.1", "nothing is delivered while RFLAGS.IF = 0"},
    [PROMISE_ORDER] = {"order", "SDM 3 11.8.3", "waiting vectors come by priority, highest first"},
    [PROMISE_STI] = {"sti", "SDM 2 STI", "nothing is delivered before the instruction after STI"},
    [PROMISE_MOV_SS] = {"mov_ss", "SDM 3 6.8.3",
                        "nothing is delivered between MOV SS and the next instruction"},
    [PROMISE_WAKE] = {"wake", "SDM 2 HLT", "a vector that waits at STI; HLT ends the HLT"},
    [PROMISE_TPR] = {"tpr", "SDM 3 11.8.3.1", "TPR holds back its class and lower ones"},
    [PROMISE_CR8] = {"cr8", "SDM 3 11.8.6", "CR8 does so too, and equals bits 7:4 of TPR"},
    [PROMISE_NESTED] =
        {"nested", "SDM 3 11.8.4",
         "a higher class nests, the same class waits for EOI; ISR, IRR and PPR agree"},
    [PROMISE_NMI] = {"nmi", "SDM 3 6.7.1",
                     "an NMI in the handler of an NMI comes once, after its IRET"},
    [PROMISE_SMI] = {"smi", "SDM 3 32.3.2", "an SMI in SMM waits for RSM"},
    [PROMISE_SELF] = {"self", "SDM 3 11.6.1", "an IPI to the own APIC ID is delivered once"},
    [PROMISE_CROSS] = {"cross", "SDM 3 11.6.1",
                       "an IPI wakes another processor, whose answer is delivered once"},
    [PROMISE_TIMER] = {"timer", "SDM 3 11.5.4", "a one-shot timer fires once"},
    [PROMISE_PAST] = {"past", "SDM 3 11.5.4.1", "a TSC deadline in the past fires at once, once"},
    [PROMISE_TIMER_MASKED] = {"timer_masked", "SDM 3 11.5.1", "a masked timer does not fire"},
    [PROMISE_X2APIC] = {"x2apic", "SDM 3 11.12.11",
                        "SELF IPI and the ICR as MSRs deliver their vectors once each"},
};

const struct promise_text *promise_text(enum promise promise)
{
    return &texts[promise];
}

bool promise_is_common(enum promise promise)
{
    return promise == PROMISE_ONCE || promise == PROMISE_MASKED;
}

/* ---- the judge ---- */

struct judge {
    const struct delivery_trial *trial;
    struct breach *breaches;
    size_t count;
};

/* Keeps the first breach of each promise. */
static void add(struct judge *judge, struct breach breach)
{
    for (size_t i = 0; i < judge->count; i++) {
        if (judge->breaches[i].promise == breach.promise) {
            return;
        }
    }
    judge->breaches[judge->count++] = breach;
}

static size_t kept(const struct delivery_trial *trial)
{
    return trial->count < DELIVERY_EVENTS_MAX ? trial->count : DELIVERY_EVENTS_MAX;
}

static size_t came(const struct delivery_trial *trial, uint8_t vector)
{
    size_t count = 0;

    for (size_t i = 0; i < kept(trial); i++) {
        count += trial->events[i].vector == vector;
    }
    return count;
}

static size_t wanted(const struct delivery_trial *trial, uint8_t vector)
{
    size_t count = 0;

    for (size_t i = 0; i < trial->wanted_count; i++) {
        count += trial->wanted[i].vector == vector;
    }
    return count;
}

static void judge_count(struct judge *judge, uint8_t vector)
{
    const struct delivery_trial *trial = judge->trial;
    const size_t expected = wanted(trial, vector);
    const size_t got = came(trial, vector);

    if (got != expected) {
        add(judge, (struct breach){
                       .promise = got > expected && expected > 0 ? PROMISE_ONCE : trial->promise,
                       .kind = BREACH_COUNT,
                       .vector = vector,
                       .expected = expected,
                       .got = got,
                   });
    }
}

/* Judges an arrival without its place among the others. */
static void judge_event(struct judge *judge, const struct delivery_event *event)
{
    const struct delivery_trial *trial = judge->trial;
    struct breach breach = {.promise = trial->promise, .vector = event->vector};

    if (!event->enabled && event->vector != VECTOR_NONMASKABLE) {
        add(judge, (struct breach){PROMISE_MASKED, BREACH_DISABLED, event->vector, 0, 0, NULL});
    }
    if (trial->shadow != 0 && event->rip == trial->shadow) {
        breach.kind = BREACH_SHADOW;
        add(judge, breach);
    }
    if (trial->reads && !event->in_service) {
        breach.kind = BREACH_IN_SERVICE;
        add(judge, breach);
    }
    if (trial->reads && event->priority >> 4 != event->vector >> 4) {
        breach.kind = BREACH_PRIORITY;
        breach.expected = event->vector & 0xf0u;
        breach.got = event->priority;
        add(judge, breach);
    }
}

/* Judges order, step and depth of an arrival, which make sense only if the counts are right. */
static void judge_place(struct judge *judge, const struct delivery_event *event,
                        const struct delivery_wanted *place)
{
    const struct {
        enum breach_kind kind;
        uint8_t expected, got;
    } checks[] = {
        {BREACH_ORDER, place->vector, event->vector},
        {BREACH_DEPTH, place->depth, event->depth},
        {BREACH_EARLY, place->step, event->step},
    };

    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        if (checks[i].got != checks[i].expected) {
            add(judge, (struct breach){judge->trial->promise, checks[i].kind, event->vector,
                                       checks[i].expected, checks[i].got, NULL});
        }
    }
}

size_t delivery_judge(const struct delivery_trial *trial, struct breach breaches[BREACHES_MAX])
{
    struct judge judge = {.trial = trial, .breaches = breaches};

    for (size_t i = 0; i < trial->wanted_count; i++) {
        judge_count(&judge, trial->wanted[i].vector);
    }
    for (size_t i = 0; i < kept(trial); i++) {
        judge_count(&judge, trial->events[i].vector);
        judge_event(&judge, &trial->events[i]);
    }
    for (size_t i = 0; i < trial->wanted_count && judge.count == 0; i++) {
        judge_place(&judge, &trial->events[i], &trial->wanted[i]);
    }
    if (trial->value != trial->value_wanted) {
        add(&judge, (struct breach){trial->promise, BREACH_VALUE, 0, trial->value_wanted,
                                    trial->value, trial->value_name});
    }
    return judge.count;
}

const char *breach_text(const struct breach *breach, char text[BREACH_TEXT_MAX])
{
    const unsigned vector = breach->vector;
    const unsigned long expected = breach->expected;
    const unsigned long got = breach->got;

    switch (breach->kind) {
    case BREACH_COUNT:
        snprintf(text, BREACH_TEXT_MAX, "vector %#x expected %lu %s, got %lu", vector, expected,
                 expected == 1 ? "delivery" : "deliveries", got);
        break;
    case BREACH_DISABLED:
        snprintf(text, BREACH_TEXT_MAX, "vector %#x came while RFLAGS.IF was 0", vector);
        break;
    case BREACH_SHADOW:
        snprintf(text, BREACH_TEXT_MAX, "vector %#x came in the interrupt shadow", vector);
        break;
    case BREACH_ORDER:
        snprintf(text, BREACH_TEXT_MAX, "expected vector %#lx next, got %#lx", expected, got);
        break;
    case BREACH_EARLY:
        snprintf(text, BREACH_TEXT_MAX, "vector %#x expected in step %lu of the trial, came in %lu",
                 vector, expected, got);
        break;
    case BREACH_DEPTH:
        snprintf(text, BREACH_TEXT_MAX, "vector %#x expected to interrupt %lu handlers, got %lu",
                 vector, expected, got);
        break;
    case BREACH_IN_SERVICE:
        snprintf(text, BREACH_TEXT_MAX, "vector %#x: its ISR bit was 0 in its handler", vector);
        break;
    case BREACH_PRIORITY:
        snprintf(text, BREACH_TEXT_MAX, "PPR expected %#lx in the handler of vector %#x, got %#lx",
                 expected, vector, got);
        break;
    case BREACH_VALUE:
        snprintf(text, BREACH_TEXT_MAX, "%s expected %#lx, got %#lx", breach->name, expected, got);
        break;
    }
    return text;
}
