/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulation of response times: orders of service and overheads derived by hand, step by step.
 * unit_sim_theory.c checks long runs against theory.
 */
#include "tools/sim/engine/engine.h"
#include "tools/tests/sim/sim_builder.h"
#include "tools/tests/support/unit.h"

#define NOTES_MAX 1000

static const char *const kinds[] = {
    [SIM_ARRIVAL] = "arrives", [SIM_READY] = "ready",   [SIM_SWITCH] = "switches",
    [SIM_BEGIN] = "begins",    [SIM_PREEMPT] = "loses", [SIM_RESUME] = "resumes",
    [SIM_END] = "ends",        [SIM_SEND] = "sends",    [SIM_BLOCK] = "blocks",
    [SIM_RESPONSE] = "done",   [SIM_IDLE] = "idle",     [SIM_INTERRUPT_END] = "interrupt",
};

static struct {
    char text[NOTES_MAX];
    const char *wanted; /* kinds that are noted, separated by blanks */
    bool order;         /* only who begins, as in bench order */
} notes;

/* Who: a quantum by its load, a, b, ...; a stimulus A, B, ... and its process P, Q, ... */
static void name_of(const struct sim_event *event, char name[4])
{
    size_t at = 0;

    if (event->load != SIM_NONE) {
        name[at++] = (char)('a' + event->load);
    }
    if (event->stimulus != SIM_NONE) {
        name[at++] = (char)('A' + event->stimulus);
    }
    if (event->process != SIM_NONE) {
        name[at++] = (char)('P' + event->process);
    }
    name[at] = '\0';
}

static void note(void *context, const struct sim_event *event)
{
    const size_t length = strlen(notes.text);
    const char *kind = kinds[event->kind];
    const char *separator = length > 0 ? ", " : "";
    char name[4];

    (void)context;
    if (strstr(notes.wanted, kind) == NULL) {
        return;
    }
    name_of(event, name);
    if (notes.order) {
        snprintf(notes.text + length, NOTES_MAX - length, "%s%s%s", length > 0 ? " " : "", name,
                 event->kind == SIM_END ? "." : "");
    } else {
        snprintf(notes.text + length, NOTES_MAX - length, "%s%g %s %s", separator, event->time,
                 name, kind);
    }
}

/* What happens until `time`, of those kinds. */
static struct sim_tally play(struct sim_model *model, double time, const char *wanted, bool order)
{
    const struct sim_limits limits = {.seed = 1, .time = time};
    const struct sim_observer observer = {.event = note};
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_tally tally;

    notes.text[0] = '\0';
    notes.wanted = wanted;
    notes.order = order;
    sim_tally_init(&tally, model, NULL, 0, false);
    CHECK(sim_simulate(model, &limits, &observer, &tally, error));
    CHECK_TEXT(error, "");
    return tally;
}

static void check_play(struct sim_model *model, const char *wanted, bool order,
                       const char *expected)
{
    struct sim_tally tally = play(model, 100, wanted, order);

    CHECK_TEXT(notes.text, expected);
    sim_tally_free(&tally);
    sim_model_free(model);
}

/* ---- order of service: the stimuli of bench order (bench/tasks/order.c) ---- */

/* P, Q and R of one level; A: P, R; B: P, Q; C: Q, all at once. */
static struct sim_model paper_order(enum sim_discipline discipline)
{
    struct sim_model model = built_model(1, 1);
    const size_t p = built_process(&model, 0, 0);
    const size_t q = built_process(&model, 0, 0);
    const size_t r = built_process(&model, 0, 0);

    model.discipline = discipline;
    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 1);
    built_visit(&model, r, 1);
    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 1);
    built_visit(&model, q, 1);
    built_stimulus(&model, built_once(0));
    built_visit(&model, q, 1);
    return model;
}

static void test_order_of_the_paper(void)
{
    struct sim_model model = paper_order(SIM_EXHAUSTIVE);
    struct sim_tally tally = play(&model, 10, "done", false);

    /* Section 5 of the reference: B overtakes A. */
    CHECK_TEXT(notes.text, "3 CQ done, 4 BQ done, 5 AR done");
    CHECK(tally.stimulus[0].transit.sum == 5 && tally.stimulus[0].wait.sum == 3);
    CHECK(tally.stimulus[1].transit.sum == 4 && tally.stimulus[2].transit.sum == 3);
    CHECK(tally.processor[0].idle == 5 && tally.level[0].work == 5);
    sim_tally_free(&tally);
    check_play(&model, "begins", true, "AP BP CQ BQ AR");
    model = paper_order(SIM_ONE_A_TURN);
    check_play(&model, "begins", true, "AP CQ AR BP BQ");
    model = paper_order(SIM_REQUEUE_BEFORE);
    check_play(&model, "begins", true, "AP CQ BP AR BQ");
}

/* P serves A and B; X comes for H, which outranks it, while A is served. */
static void test_order_with_preemption(void)
{
    struct sim_model model = built_model(1, 2);
    const size_t p = built_process(&model, 0, 0);
    const size_t h = built_process(&model, 0, 1);

    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 2);
    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 2);
    built_stimulus(&model, built_once(0.5));
    built_visit(&model, h, 3);

    struct sim_tally tally = play(&model, 100, "begins loses resumes ends blocks idle", false);

    CHECK_TEXT(notes.text, "0 AP begins, 0.5 AP loses, 0.5 CQ begins, 3.5 CQ ends, 3.5 Q blocks, "
                           "3.5 AP resumes, 5 AP ends, 5 BP begins, 7 BP ends, 7 P blocks, "
                           "7  idle");
    CHECK(tally.level[0].preempted == 1 && tally.level[0].preempted_time == 3);
    CHECK(tally.preemption.strict == 1 && tally.preemption.wide == 1);
    CHECK(tally.preemption.length == 3 && tally.preemption.lock_out == 3);
    CHECK(tally.stimulus[1].transit.sum == 7 && tally.stimulus[1].wait.sum == 5);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* P waits for Q's answer alone: B, which has been there before, comes after it. */
static void test_order_with_a_specific_message(void)
{
    struct sim_model model = built_model(1, 1);
    const size_t p = built_process(&model, 0, 0);
    const size_t q = built_process(&model, 0, 0);

    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 1);
    model.stimuli[0].stops[0].awaits = true;
    built_visit(&model, q, 1);
    built_visit(&model, p, 1);
    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 1);
    built_stimulus(&model, built_once(0));
    built_visit(&model, q, 1);
    check_play(&model, "begins", true, "AP CQ AQ AP BP");
}

/* P, preempted by H, goes on before Q, which was ready before that; H sends X to Q. */
static void test_order_of_the_first_in_line(void)
{
    struct sim_model model = built_model(1, 2);
    const size_t p = built_process(&model, 0, 0);
    const size_t q = built_process(&model, 0, 0);
    const size_t h = built_process(&model, 0, 1);

    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 2);
    built_stimulus(&model, built_once(0));
    built_visit(&model, q, 2);
    built_stimulus(&model, built_once(0.5));
    built_visit(&model, h, 1);
    built_visit(&model, q, 1);
    check_play(&model, "begins ends", true, "AP CR CR. AP. BQ BQ. CQ CQ.");
}

/* A receiver that outranks the sender runs at once; the sender goes on with B first in its line. */
static void test_more_urgent_receiver(void)
{
    struct sim_model model = built_model(1, 2);
    const size_t p = built_process(&model, 0, 0);
    const size_t h = built_process(&model, 0, 1);

    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 1);
    built_visit(&model, h, 1);
    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 1);
    built_load(&model, 0, 0, built_once(0), built_constant(1));

    struct sim_tally tally = play(&model, 100, "begins ends blocks idle", false);

    CHECK_TEXT(notes.text, "0 a begins, 1 a ends, 1 AP begins, 2 AP ends, 2 AQ begins, 3 AQ ends, "
                           "3 Q blocks, 3 BP begins, 4 BP ends, 4 P blocks, 4  idle");
    CHECK(tally.level[0].displaced == 1 && tally.level[0].preempted == 0);
    CHECK(tally.preemption.strict == 1);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* The request of the next portion gets in line before anybody is given the processor: the quantum
 * that waits is displaced, and has waited all the time. */
static void test_displaced_heir(void)
{
    struct sim_model model = built_model(1, 2);

    built_stimulus(&model, built_once(0));
    built_quantum(&model, 0, 2);
    built_quantum(&model, 1, 3);
    built_quantum(&model, 0, 1);
    built_load(&model, 0, 0, built_once(1), built_constant(4));

    struct sim_tally tally = play(&model, 100, "ready begins done", false);

    CHECK_TEXT(notes.text, "0 A ready, 0 A begins, 1 a ready, 2 A ready, 2 A begins, 5 A ready, "
                           "5 a begins, 9 A begins, 10 A done");
    CHECK(tally.level[0].displaced == 1 && tally.level[0].preempted == 0);
    CHECK(tally.level[0].wait.sum == 4 && tally.level[0].wait.zeroes == 0);
    CHECK(tally.level[0].portion_wait.sum == 4 && tally.level[0].portion_wait.count == 2);
    CHECK(tally.preemption.strict == 1 && tally.preemption.wide == 1);
    CHECK(tally.preemption.length == 3 && tally.preemption.lock_out == 3);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* ---- preemptions by each definition ---- */

/* A medium quantum comes to an idle processor, a low one while it lasts, and two more medium ones:
 * that is one wide preemption, no strict one. */
static void test_wide_preemption(void)
{
    const double times[] = {0, 2, 2.5};
    struct sim_model model = built_model(1, 2);

    built_load(&model, 0, 0, built_once(1), built_constant(1));
    built_load(&model, 0, 1, built_trace(times, 3), built_constant(3));

    struct sim_tally tally = play(&model, 100, "begins", false);

    CHECK_TEXT(notes.text, "0 b begins, 3 b begins, 6 b begins, 9 a begins");
    CHECK_EQUAL(tally.preemption.strict, 0);
    CHECK_EQUAL(tally.preemption.wide, 1);
    CHECK(tally.preemption.length == 0 && tally.preemption.lock_out == 8);
    CHECK_EQUAL(tally.level[1].competing, 3);
    CHECK_EQUAL(tally.events, 8);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* ---- what the machine itself takes ---- */

/* A low quantum of 10 from 0 on, a medium one of 2 at `late`. */
static struct sim_model two_quanta(double late, struct sim_overhead overhead)
{
    struct sim_model model = built_model(1, 2);

    built_load(&model, 0, 0, built_once(0), built_constant(10));
    built_load(&model, 0, 1, built_once(late), built_constant(2));
    model.overhead = overhead;
    return model;
}

static const char *const all = "arrives interrupt ready begins loses resumes ends done blocks idle";

static void test_interrupts(void)
{
    struct sim_model model = two_quanta(4, (struct sim_overhead){.interrupt = 1});
    struct sim_tally tally = play(&model, 20, all, false);

    CHECK_TEXT(notes.text,
               "0 a arrives, 1 a interrupt, 1 a ready, 1 a begins, 4 b arrives, 5 b interrupt, "
               "5 b ready, 5 a loses, 5 b begins, 7 b ends, 7 a resumes, 14 a ends, 14  idle");
    CHECK(tally.processor[0].interrupts == 2 && tally.processor[0].idle == 6);
    CHECK(tally.level[0].work == 10 && tally.level[1].work == 2);
    CHECK(tally.level[0].wait.sum == 1 && tally.level[1].wait.sum == 1);
    CHECK(tally.level[0].preempted_time == 2 && tally.level[0].stay.sum == 14);
    sim_tally_free(&tally);
    sim_model_free(&model);
    /* Within a level nothing is preempted: the quantum in service goes on, the other after it. */
    model = two_quanta(4, (struct sim_overhead){.interrupt = 1});
    model.loads[1].level = 0;
    check_play(&model, "begins loses resumes ends", false,
               "1 a begins, 12 a ends, 12 b begins, 14 b ends");
    /* Two in a row: the processor is given when both are over. */
    model = two_quanta(0.5, (struct sim_overhead){.interrupt = 1});
    check_play(&model, "ready begins resumes ends", false,
               "1 a ready, 2 b ready, 2 b begins, 4 b ends, 4 a begins, 14 a ends");
}

static void test_switching(void)
{
    struct sim_model model = two_quanta(4, (struct sim_overhead){.switching = 0.5});
    struct sim_tally tally = play(&model, 20, all, false);

    CHECK_TEXT(notes.text, "0 a arrives, 0 a ready, 0.5 a begins, 4 b arrives, 4 b ready, "
                           "4 a loses, 4.5 b begins, 6.5 b ends, 6.5 a resumes, 13.5 a ends, "
                           "13.5  idle");
    CHECK(tally.level[0].work == 11 && tally.level[1].work == 2.5);
    sim_tally_free(&tally);
    sim_model_free(&model);
    /* While the switch to it is paid the low one is preempted: what was not paid remains, and the
     * switch back comes on top. */
    model = two_quanta(1, (struct sim_overhead){.interrupt = 0.5, .switching = 1});
    tally = play(&model, 20, all, false);
    CHECK_TEXT(notes.text, "0 a arrives, 0.5 a interrupt, 0.5 a ready, 1 b arrives, "
                           "1.5 b interrupt, 1.5 b ready, 1.5 a loses, 2.5 b begins, 4.5 b ends, "
                           "6 a begins, 16 a ends, 16  idle");
    CHECK(tally.level[0].wait.sum == 6 && tally.level[0].work == 12);
    CHECK(tally.processor[0].interrupts == 1 && tally.processor[0].idle == 4);
    sim_tally_free(&tally);
    sim_model_free(&model);
    model = two_quanta(1, (struct sim_overhead){.interrupt = 0.5, .switching = 1});
    check_play(&model, "switches loses begins", false,
               "0.5 a switches, 1.5 a loses, 1.5 b switches, 2.5 b begins, 4.5 a switches, "
               "6 a begins");
    /* An interrupt that makes nothing more urgent ready only delays the rest of the switch. */
    model = two_quanta(1, (struct sim_overhead){.interrupt = 0.5, .switching = 1});
    model.loads[1].level = 0;
    check_play(&model, "begins ends", false, "2 a begins, 12 a ends, 13 b begins, 15 b ends");
}

/* A at P, then at H, which is more urgent. */
static struct sim_model two_processes(struct sim_overhead overhead)
{
    struct sim_model model = built_model(1, 2);
    const size_t p = built_process(&model, 0, 0);
    const size_t h = built_process(&model, 0, 1);

    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 2);
    built_visit(&model, h, 1);
    model.overhead = overhead;
    return model;
}

static void test_messages(void)
{
    struct sim_model model = two_processes((struct sim_overhead){.receive = 0.25, .send = 0.5});
    struct sim_tally tally = play(&model, 20, all, false);

    CHECK_TEXT(notes.text, "0 AP arrives, 0 AP ready, 0.25 AP begins, 2.75 AP ends, 2.75 AQ ready, "
                           "3 AQ begins, 4 AQ ends, 4 AQ done, 4 Q blocks, 4 P blocks, 4  idle");
    CHECK(tally.stimulus[0].transit.sum == 4 && tally.stimulus[0].wait.sum == 1);
    sim_tally_free(&tally);
    sim_model_free(&model);
    /* P, preempted as it sends, finds only when it goes on that it has nothing left to do. */
    model = two_processes((struct sim_overhead){.switching = 1, .receive = 0.25, .send = 0.5});
    tally = play(&model, 20, "begins ends done blocks idle", false);
    CHECK_TEXT(notes.text, "1.25 AP begins, 3.75 AP ends, 5 AQ begins, 6 AQ ends, 6 AQ done, "
                           "6 Q blocks, 7 P blocks, 7  idle");
    CHECK(tally.stimulus[0].transit.sum == 6 && tally.stimulus[0].wait.sum == 3);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* A process that has the next already needs no switch for it, but one after it was idle. */
static void test_switches_to_the_same(void)
{
    struct sim_model model = built_model(1, 2);

    built_process(&model, 0, 0);
    for (int i = 0; i < 3; i++) {
        built_stimulus(&model, built_once(i < 2 ? i : 10));
        built_visit(&model, 0, 2);
    }
    model.overhead = (struct sim_overhead){.switching = 1, .receive = 0.25, .send = 0.5};
    check_play(&model, "begins ends", false,
               "1.25 AP begins, 3.25 AP ends, 3.5 BP begins, 5.5 BP ends, 11.25 CP begins, "
               "13.25 CP ends");
    /* Portions without a process are entities of their own. */
    model = built_model(1, 2);
    built_stimulus(&model, built_once(0));
    built_quantum(&model, 0, 2);
    built_quantum(&model, 1, 2);
    model.overhead = (struct sim_overhead){.switching = 1};
    check_play(&model, "begins ends", false, "1 A begins, 3 A ends, 4 A begins, 6 A ends");
}

/* All of them at once, and the parts of the time add up. */
static void test_all_overheads(void)
{
    struct sim_model model = two_processes(
        (struct sim_overhead){.interrupt = 0.25, .switching = 1, .receive = 0.125, .send = 0.5});

    built_load(&model, 0, 0, built_once(1), built_constant(1));
    built_load(&model, 0, 1, built_once(3), built_constant(1));

    struct sim_tally tally = play(&model, 20, "begins loses resumes ends done blocks idle", false);

    /* A in line at 0.25; switch until 1, interrupt, until 1.5; received 1.625. From 3 on an
     * interrupt: 1.375 of 2.5 done. Switch and receive of b: 4.375. A goes on at 5.375, with a
     * switch: ends at 7.5. H begins at 8.625. P finds nothing at 10.625; a has 1.125 before it. */
    CHECK_TEXT(notes.text, "1.625 AP begins, 3.25 AP loses, 4.375 b begins, 5.375 b ends, "
                           "5.375 AP resumes, 7.5 AP ends, 8.625 AQ begins, 9.625 AQ ends, "
                           "9.625 AQ done, 9.625 Q blocks, 10.625 P blocks, 11.75 a begins, "
                           "12.75 a ends, 12.75  idle");
    CHECK(tally.stimulus[0].transit.sum == 9.625);
    CHECK(tally.processor[0].interrupts == 0.75 && tally.processor[0].idle == 7.25);
    CHECK(tally.level[0].work + tally.level[1].work == 12);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* ---- several processors ---- */

/* A: P on processor 0, Q on 1, P again; 3 from one to the other. On 1 there is a quantum from 4 to
 * 8, so that Q, of its level, waits for 3. */
static void test_transmission(void)
{
    struct sim_model model = built_model(2, 1);
    const size_t p = built_process(&model, 0, 0);
    const size_t q = built_process(&model, 1, 0);

    model.transmission = built_constant(3);
    built_stimulus(&model, built_once(0));
    built_visit(&model, p, 2);
    built_visit(&model, q, 4);
    built_visit(&model, p, 1);
    built_load(&model, 1, 0, built_once(4), built_constant(4));

    struct sim_tally tally = play(&model, 20, "ready begins ends done", false);

    CHECK_TEXT(notes.text, "0 AP ready, 0 AP begins, 2 AP ends, 4 a ready, 4 a begins, 5 AQ ready, "
                           "8 a ends, 8 AQ begins, 12 AQ ends, 15 AP ready, 15 AP begins, "
                           "16 AP ends, 16 AP done");
    CHECK(tally.stimulus[0].transit.sum == 16 && tally.stimulus[0].wait.sum == 9);
    CHECK(tally.processor[0].idle == 17 && tally.processor[1].idle == 12);
    sim_tally_free(&tally);
    /* The machine's own part adds to it, and takes no processor's time. */
    model.transmission = built_constant(1);
    model.overhead.remote = 2;
    tally = play(&model, 20, "done", false);
    CHECK_TEXT(notes.text, "16 AP done");
    CHECK(tally.processor[0].idle == 17 && tally.processor[1].idle == 12);
    sim_tally_free(&tally);
    model.overhead.remote = 0;
    /* Without a delay the other processor has it at once. */
    model.transmission = built_constant(0);
    check_play(&model, "begins done", false,
               "0 AP begins, 2 AQ begins, 6 AP begins, 6 a begins, 7 AP done");
}

/* ---- ends and errors ---- */

static bool fails(const struct sim_model *model, struct sim_limits limits, const char *why)
{
    struct sim_tally tally;
    char error[SIM_LAW_ERROR_MAX] = "";

    sim_tally_init(&tally, model, NULL, 0, false);
    limits.seed = 1;

    const bool failed = !sim_simulate(model, &limits, NULL, &tally, error);

    CHECK(tally.time == 0 && tally.events == 0);
    CHECK(strstr(error, why) != NULL);
    sim_tally_free(&tally);
    return failed;
}

static void test_errors(void)
{
    struct sim_model model = built_model(1, 1);

    built_load(&model, 0, 0, built_once(0), built_constant(1));
    CHECK(fails(&model, (struct sim_limits){0}, "has no end"));
    CHECK(fails(&model, (struct sim_limits){.passes = 1}, "no stimulus"));
    CHECK(fails(&model, (struct sim_limits){.time = 5, .warm_up = 5}, "warm-up"));
    CHECK(
        fails(&model, (struct sim_limits){.quanta = 2}, "requires 2 quanta of loads, but only 1"));
    /* Without the check these would never end, as another source never does. */
    built_stimulus(&model,
                   (struct sim_arrivals){.kind = SIM_RENEWAL, .interval = built_constant(5)});
    built_quantum(&model, 0, 1);
    CHECK(
        fails(&model, (struct sim_limits){.quanta = 2}, "requires 2 quanta of loads, but only 1"));
    CHECK(fails(&model, (struct sim_limits){.quanta = 1, .warm_up = 9}, "but only 0 arrive"));
    sim_model_free(&model);
    model = built_model(1, 1);
    built_poisson(&model, 0, 0, 0.5, built_constant(1));
    built_stimulus(&model, built_once(1));
    built_quantum(&model, 0, 1);
    CHECK(fails(&model, (struct sim_limits){.passes = 2}, "requires 2 passes of the first"));
    CHECK(fails(&model, (struct sim_limits){.passes = 1, .warm_up = 99}, "but only 0 arrive"));
    sim_model_free(&model);
    model = built_model(1, 1);
    built_load(&model, 0, 0,
               (struct sim_arrivals){.kind = SIM_RENEWAL, .interval = built_constant(1)},
               built_constant(2e9));
    CHECK(fails(&model, (struct sim_limits){.time = 1e9}, "grows without end"));
    sim_model_free(&model);
}

/* The special stimulus alone: its work, exactly, and nothing else, in one class. */
static void test_special_alone(void)
{
    const struct sim_limits limits = {.seed = 1, .passes = 1000};
    struct sim_model model = built_model(1, 2);
    char error[SIM_LAW_ERROR_MAX];
    struct sim_tally tally;

    built_stimulus(&model,
                   (struct sim_arrivals){.kind = SIM_CYCLE, .interval = built_constant(73.7)});
    built_quantum(&model, 0, 7.1);
    built_quantum(&model, 1, 5.5);
    built_quantum(&model, 0, 0.3);
    sim_tally_init(&tally, &model, NULL, 0, false);
    CHECK(sim_simulate(&model, &limits, NULL, &tally, error));
    CHECK_EQUAL(tally.stimulus[0].transit.count, 1000);
    CHECK(tally.stimulus[0].transit.least == 7.1 + 5.5 + 0.3);
    CHECK(tally.stimulus[0].transit.greatest == 7.1 + 5.5 + 0.3);
    CHECK(tally.stimulus[0].wait.zeroes == 1000);
    CHECK_EQUAL(tally.events, 4000);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* What a portion has beside its work, and what comes after it before the processor is let go. */
static void test_ends(void)
{
    struct sim_model model =
        two_quanta(4, (struct sim_overhead){.switching = 0.25, .portion = 0.5, .end = 1});

    check_play(
        &model, "begins loses resumes ends idle", false,
        "0.25 a begins, 4 a loses, 4.25 b begins, 6.75 b ends, 7.75 a resumes, 14.75 a ends, "
        "15.75  idle");
    /* An end is at its level: it is preempted, and goes on before all others in line. */
    model = two_quanta(10.5, (struct sim_overhead){.end = 1});
    built_load(&model, 0, 0, built_once(10.25), built_constant(3));
    check_play(
        &model, "begins ends idle", false,
        "0 a begins, 10 a ends, 10.5 b begins, 12.5 b ends, 14 c begins, 17 c ends, 18  idle");
    /* An interrupt in it only delays it. */
    model = two_quanta(11, (struct sim_overhead){.interrupt = 0.5, .end = 2});
    model.loads[1].level = 0;
    check_play(&model, "begins ends idle", false,
               "0.5 a begins, 10.5 a ends, 13 b begins, 15 b ends, 17  idle");
}

/* Of processes, and of quanta that are sent on: the end comes after the sending, and after one more
 * urgent whom it was sent to. */
static void test_ends_of_portions(void)
{
    struct sim_model model = two_processes((struct sim_overhead){.send = 0.5, .end = 1});

    check_play(&model, "begins ends blocks idle", false,
               "0 AP begins, 2.5 AP ends, 2.5 AQ begins, 3.5 AQ ends, 3.5 Q blocks, 4.5  blocks, "
               "5.5 P blocks, 5.5  idle");
    model = built_model(1, 2);
    built_stimulus(&model, built_once(0));
    built_quantum(&model, 0, 2);
    built_quantum(&model, 1, 1);
    built_quantum(&model, 0, 3);
    model.overhead.end = 1;
    check_play(
        &model, "begins ends done idle", false,
        "0 A begins, 2 A ends, 2 A begins, 3 A ends, 5 A begins, 8 A ends, 8 A done, 9  idle");
    model = two_processes((struct sim_overhead){.receive = 0.25, .end = 1});
    built_stimulus(&model, built_once(0));
    built_visit(&model, 0, 3);
    model.stimuli[0].stop_count = 1; /* it is not sent on */
    check_play(&model, "begins ends blocks idle", false,
               "0.25 AP begins, 2.25 AP ends, 3.5 BP begins, 6.5 BP ends, 6.5 P blocks, "
               "7.5  blocks, 7.5  idle");
}

int main(void)
{
    RUN(test_order_of_the_paper());
    RUN(test_order_with_preemption());
    RUN(test_order_with_a_specific_message());
    RUN(test_order_of_the_first_in_line());
    RUN(test_more_urgent_receiver());
    RUN(test_displaced_heir());
    RUN(test_wide_preemption());
    RUN(test_interrupts());
    RUN(test_switching());
    RUN(test_messages());
    RUN(test_ends());
    RUN(test_ends_of_portions());
    RUN(test_switches_to_the_same());
    RUN(test_all_overheads());
    RUN(test_transmission());
    RUN(test_errors());
    RUN(test_special_alone());
    return unit_finish("unit_sim_engine");
}
