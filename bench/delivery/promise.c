/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/delivery/promise.h"

#include <stdio.h>

/* Chapter 6 of SDM volume 3 is about interrupts and chapter 11 about the APIC, as in kernel/irq. */
const struct promise_text promise_texts[PROMISES] = {
    [PROMISE_ONCE] = {"once", "SDM 3 11.8.4"},
    [PROMISE_MASKED] = {"masked", "SDM 3 6.8.1"},
    [PROMISE_ORDER] = {"order", "SDM 3 11.8.3"},
    [PROMISE_STI] = {"sti", "SDM 2 STI"},
    [PROMISE_MOV_SS] = {"mov_ss", "SDM 3 6.8.3"},
    [PROMISE_WAKE] = {"wake", "SDM 2 HLT"},
    [PROMISE_TPR] = {"tpr", "SDM 3 11.8.3.1"},
    [PROMISE_CR8] = {"cr8", "SDM 3 11.8.6"},
    [PROMISE_NESTED] = {"nested", "SDM 3 11.8.4"},
    [PROMISE_NMI] = {"nmi", "SDM 3 6.7.1"},
    [PROMISE_SMI] = {"smi", "SDM 3 SMM"},
    [PROMISE_SELF] = {"self", "SDM 3 11.6.1"},
    [PROMISE_CROSS] = {"cross", "SDM 3 11.6.1"},
    [PROMISE_TIMER] = {"timer", "SDM 3 11.5.4"},
    [PROMISE_PAST] = {"past", "SDM 3 11.5.4.1"},
    [PROMISE_TIMER_MASKED] = {"timer_masked", "SDM 3 11.5.1"},
    [PROMISE_X2APIC] = {"x2apic", "SDM 3 11.12.11"},
};

struct judge {
    const struct delivery_trial *trial;
    size_t kept; /* number of events that the trial holds */
    struct breach *breaches;
    size_t count;
};

/* Adds a breach if the two values differ; only the first of each promise. */
static void expect(struct judge *judge, enum promise promise, uint8_t vector, const char *what,
                   uint64_t expected, uint64_t got)
{
    for (size_t i = 0; i < judge->count; i++) {
        if (judge->breaches[i].promise == promise) {
            return;
        }
    }
    if (got != expected) {
        judge->breaches[judge->count++] = (struct breach){promise, vector, what, expected, got};
    }
}

static void expect_count(struct judge *judge, uint8_t vector)
{
    const struct delivery_trial *trial = judge->trial;
    size_t expected = 0, got = 0;

    for (size_t i = 0; i < DELIVERY_WANTED_MAX; i++) {
        expected += trial->wanted[i].vector == vector;
    }
    for (size_t i = 0; i < judge->kept; i++) {
        got += trial->events[i].came.vector == vector;
    }
    expect(judge, got > expected && expected > 0 ? PROMISE_ONCE : trial->promise, vector,
           expected == 1 ? "delivery" : "deliveries", expected, got);
}

static void expect_event(struct judge *judge, const struct delivery_event *event)
{
    const struct delivery_trial *trial = judge->trial;
    const uint8_t vector = event->came.vector;

    expect_count(judge, vector);
    expect(judge, PROMISE_MASKED, vector, "in RFLAGS.IF", 1,
           event->enabled || vector == VECTOR_NONMASKABLE);
    expect(judge, trial->promise, vector, "arrivals in the interrupt shadow", 0,
           trial->shadow != 0 && event->rip == trial->shadow);
    if (trial->reads) {
        expect(judge, trial->promise, vector, "in its ISR bit", 1, event->in_service);
        expect(judge, trial->promise, vector, "as class in PPR", vector >> 4, event->priority >> 4);
    }
}

size_t delivery_wanted(const struct delivery_trial *trial)
{
    size_t count = 0;

    while (count < DELIVERY_WANTED_MAX && trial->wanted[count].vector != 0) {
        count++;
    }
    return count;
}

/* Order, depth and step make sense only if everything came, and nothing else. */
static void expect_place(struct judge *judge, size_t index)
{
    const struct delivery_trial *trial = judge->trial;
    const struct delivery_wanted *wanted = &trial->wanted[index];
    const struct delivery_wanted *came = &trial->events[index].came;

    expect(judge, trial->promise, wanted->vector, "in its place in the order", wanted->vector,
           came->vector);
    expect(judge, trial->promise, came->vector, "interrupted handlers", wanted->depth, came->depth);
    expect(judge, trial->promise, came->vector, "as step of the trial", wanted->step, came->step);
}

size_t delivery_judge(const struct delivery_trial *trial, struct breach breaches[BREACHES_MAX])
{
    struct judge judge = {trial, trial->count, breaches, 0};
    const size_t wanted = delivery_wanted(trial);

    if (judge.kept > DELIVERY_EVENTS_MAX) {
        judge.kept = DELIVERY_EVENTS_MAX;
    }
    for (size_t i = 0; i < wanted; i++) {
        expect_count(&judge, trial->wanted[i].vector);
    }
    for (size_t i = 0; i < judge.kept; i++) {
        expect_event(&judge, &trial->events[i]);
    }
    for (size_t i = 0; i < wanted && judge.count == 0; i++) {
        expect_place(&judge, i);
    }
    expect(&judge, trial->promise, trial->wanted[0].vector, trial->value_name, trial->value_wanted,
           trial->value);
    return judge.count;
}

const char *breach_text(const struct breach *breach, char text[BREACH_TEXT_MAX])
{
    snprintf(text, BREACH_TEXT_MAX, "vector %#x expected %lu %s, got %lu", breach->vector,
             (unsigned long)breach->expected, breach->what, (unsigned long)breach->got);
    return text;
}
