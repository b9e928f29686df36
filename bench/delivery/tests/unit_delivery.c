/* SPDX-License-Identifier: BSD-2-Clause */
/* The judge of bench delivery: a list of events as it must be, then falsified, for each promise. */
#include "bench/delivery/promise.h"
#include "tools/tests/support/unit.h"

static struct breach breaches[BREACHES_MAX];

/* A trial in which everything that was wanted came as wanted. */
static struct delivery_trial trial_of(enum promise promise, size_t count,
                                      const struct delivery_wanted *wanted)
{
    struct delivery_trial trial = {.promise = promise, .count = count};

    for (size_t i = 0; i < count; i++) {
        trial.wanted[i] = wanted[i];
        trial.events[i] = (struct delivery_event){
            .came = wanted[i],
            .enabled = wanted[i].vector != VECTOR_NONMASKABLE,
            .in_service = true,
            .priority = wanted[i].vector & 0xf0,
            .rip = 0x1000 + i,
        };
    }
    return trial;
}

static struct delivery_trial single(enum promise promise)
{
    return trial_of(promise, 1, &(struct delivery_wanted){0x51, 1, 0});
}

/* Is there exactly one breach, of this promise, with this text? */
static bool is_breach(const struct delivery_trial *trial, enum promise promise, const char *text)
{
    char written[BREACH_TEXT_MAX];

    if (delivery_judge(trial, breaches) != 1 || breaches[0].promise != promise) {
        return false;
    }
    return strcmp(breach_text(&breaches[0], written), text) == 0;
}

static void test_names(void)
{
    char names[512] = "";

    for (unsigned i = 0; i < PROMISES; i++) {
        const struct promise_text *text = &promise_texts[i];

        CHECK(text->section != NULL && text->section[0] != '\0');
        strcat(strcat(names, i > 0 ? "," : ""), text->name);
    }
    CHECK(strcmp(names, PROMISE_NAMES) == 0);
}

/* A delivery too many of a wanted vector breaks `once`, whichever promise was tried. */
static void test_twice(void)
{
    for (unsigned i = 0; i < PROMISES; i++) {
        struct delivery_trial trial = single((enum promise)i);

        CHECK_EQUAL(delivery_judge(&trial, breaches), 0);
        trial.events[1] = trial.events[0];
        trial.count = 2;
        CHECK(is_breach(&trial, PROMISE_ONCE, "vector 0x51 expected 1 delivery, got 2"));
    }
}

/* The second delivery of QEMU's SVM comes with IF = 0. */
static void test_twice_disabled(void)
{
    struct delivery_trial trial = single(PROMISE_TIMER);

    trial.events[1] = trial.events[0];
    trial.events[1].enabled = false;
    trial.count = 2;
    CHECK_EQUAL(delivery_judge(&trial, breaches), 2);
    CHECK(breaches[0].promise == PROMISE_ONCE && breaches[1].promise == PROMISE_MASKED);
}

/* A lost vector, as of a dropped IPI, a lost EOI, or a timer that does not fire, breaks the promise
 * that was tried. */
static void test_lost(void)
{
    for (unsigned i = 0; i < PROMISES; i++) {
        struct delivery_trial trial = single((enum promise)i);

        trial.count = 0;
        CHECK(is_breach(&trial, (enum promise)i, "vector 0x51 expected 1 delivery, got 0"));
    }
}

/* An unwanted vector: a masked timer that fires, the timer that ends a lost HLT. */
static void test_unwanted(void)
{
    struct delivery_trial trial = trial_of(PROMISE_TIMER_MASKED, 0, NULL);

    CHECK_EQUAL(delivery_judge(&trial, breaches), 0);
    trial.events[0] = (struct delivery_event){.came.vector = 0x61, .enabled = true};
    trial.count = 1;
    CHECK(is_breach(&trial, PROMISE_TIMER_MASKED, "vector 0x61 expected 0 deliveries, got 1"));
    trial = single(PROMISE_WAKE);
    trial.events[1] = (struct delivery_event){.came.vector = 0x61, .enabled = true};
    trial.count = 2;
    CHECK(is_breach(&trial, PROMISE_WAKE, "vector 0x61 expected 0 deliveries, got 1"));
}

static void test_masked(void)
{
    struct delivery_trial trial = single(PROMISE_TPR);

    trial.events[0].enabled = false;
    CHECK(is_breach(&trial, PROMISE_MASKED, "vector 0x51 expected 1 in RFLAGS.IF, got 0"));
    trial = trial_of(PROMISE_NMI, 1, &(struct delivery_wanted){VECTOR_NONMASKABLE, 0, 0});
    CHECK_EQUAL(delivery_judge(&trial, breaches), 0);
}

static void test_shadow(void)
{
    static const enum promise promises[] = {PROMISE_STI, PROMISE_MOV_SS};

    for (size_t i = 0; i < 2; i++) {
        struct delivery_trial trial = single(promises[i]);

        trial.shadow = 0x1001;
        CHECK_EQUAL(delivery_judge(&trial, breaches), 0);
        trial.shadow = 0x1000;
        CHECK(is_breach(&trial, promises[i],
                        "vector 0x51 expected 0 arrivals in the interrupt shadow, got 1"));
    }
}

static void test_order(void)
{
    static const struct delivery_wanted wanted[] = {{0x71, 1, 0}, {0x61, 1, 0}, {0x51, 1, 0}};
    struct delivery_trial trial = trial_of(PROMISE_ORDER, 3, wanted);
    const struct delivery_event second = trial.events[1];

    CHECK_EQUAL(delivery_judge(&trial, breaches), 0);
    trial.events[1] = trial.events[2];
    trial.events[2] = second;
    CHECK(is_breach(&trial, PROMISE_ORDER, "expected vector 0x61 next, got 0x51"));
}

/* TPR ignored: the vector comes before TPR is lowered. */
static void test_early(void)
{
    static const enum promise promises[] = {PROMISE_MASKED, PROMISE_STI, PROMISE_TPR, PROMISE_CR8};

    for (size_t i = 0; i < sizeof(promises) / sizeof(promises[0]); i++) {
        struct delivery_trial trial = single(promises[i]);

        trial.events[0].came.step = 0;
        CHECK(is_breach(&trial, promises[i], "vector 0x51 expected 1 as step of the trial, got 0"));
    }
}

static void test_nested(void)
{
    static const struct delivery_wanted wanted[] = {{0x51, 0, 0}, {0x71, 1, 1}, {0x55, 2, 0}};
    struct delivery_trial trial = trial_of(PROMISE_NESTED, 3, wanted);

    trial.reads = true;
    CHECK_EQUAL(delivery_judge(&trial, breaches), 0);
    trial.events[1].came.depth = 0;
    CHECK(is_breach(&trial, PROMISE_NESTED, "vector 0x71 expected 1 interrupted handlers, got 0"));
    trial.events[1].came.depth = 1;
    trial.events[2].came.step = 1;
    CHECK(is_breach(&trial, PROMISE_NESTED, "vector 0x55 expected 2 as step of the trial, got 1"));
    trial.events[2].came.step = 2;
    trial.events[1].in_service = false;
    CHECK(is_breach(&trial, PROMISE_NESTED, "vector 0x71 expected 1 in its ISR bit, got 0"));
    trial.events[1].in_service = true;
    trial.events[1].priority = 0x50;
    CHECK(is_breach(&trial, PROMISE_NESTED, "vector 0x71 expected 7 as class in PPR, got 5"));
    trial.reads = false;
    CHECK_EQUAL(delivery_judge(&trial, breaches), 0);
}

/* An NMI that interrupts the handler of an NMI. */
static void test_nmi(void)
{
    static const struct delivery_wanted wanted[] = {{VECTOR_NONMASKABLE, 0, 0},
                                                    {VECTOR_NONMASKABLE, 1, 0}};
    struct delivery_trial trial = trial_of(PROMISE_NMI, 2, wanted);

    CHECK_EQUAL(delivery_judge(&trial, breaches), 0);
    trial.events[1].came.depth = 1;
    trial.events[1].came.step = 0;
    CHECK(is_breach(&trial, PROMISE_NMI, "vector 0x2 expected 0 interrupted handlers, got 1"));
}

static void test_value(void)
{
    struct delivery_trial trial = single(PROMISE_CR8);

    trial.value_name = "in CR8";
    trial.value = trial.value_wanted = 5;
    CHECK_EQUAL(delivery_judge(&trial, breaches), 0);
    trial.value = 4;
    CHECK(is_breach(&trial, PROMISE_CR8, "vector 0x51 expected 5 in CR8, got 4"));
}

/* More events than are kept are still too many. */
static void test_storm(void)
{
    struct delivery_trial trial = single(PROMISE_SELF);

    for (size_t i = 0; i < DELIVERY_EVENTS_MAX; i++) {
        trial.events[i] = trial.events[0];
    }
    trial.count = 1000;
    CHECK(is_breach(&trial, PROMISE_ONCE, "vector 0x51 expected 1 delivery, got 16"));
}

int main(void)
{
    RUN(test_names());
    RUN(test_twice());
    RUN(test_twice_disabled());
    RUN(test_lost());
    RUN(test_unwanted());
    RUN(test_masked());
    RUN(test_shadow());
    RUN(test_order());
    RUN(test_early());
    RUN(test_nested());
    RUN(test_nmi());
    RUN(test_value());
    RUN(test_storm());
    return unit_finish("unit_delivery");
}
