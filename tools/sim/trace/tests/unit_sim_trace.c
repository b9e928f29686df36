/* SPDX-License-Identifier: BSD-2-Clause */
/* One stimulus followed through a simulation, and a whole simulation as the trace of a bench. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sim/trace/follow.h"
#include "tools/sim/trace/sim_trace.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/accounting.h"

#define FOLLOWED 40    /* passes */
#define UNIT_NS  10000 /* overheads below are whole numbers of ticks */

static const char paper[] = "100\n2.2 13 15\n1.5 30 3\n20 10\n3\n7.1 low\n5.5 medium\n0.3 low\n";

/* ---- a model by hand: P and Q on the one processor, work that preempts them ---- */

static struct {
    char low[8], high[8];
} level_names = {"low", "high"};
static char left_name[] = "left", right_name[] = "right";
static double a_times[] = {0}, b_times[] = {0, 40}, high_times[] = {7, 11, 43};

#define CONSTANT(value)                       \
    {                                         \
        .kind = SIM_CONSTANT, .mean = (value) \
    }
#define AT(list)                                                                      \
    {                                                                                 \
        .kind = SIM_TRACE, .times = (list), .count = sizeof(list) / sizeof((list)[0]) \
    }

struct hand_made {
    struct sim_model model;
    struct sim_process processes[3];
    struct sim_stop a_stops[2], b_stops[3];
    struct sim_stimulus stimuli[2];
    struct sim_load loads[1];
};

/* A goes by P and Q, B by P and R; R is on the second processor, where there are two. */
static void make_model(struct hand_made *made, size_t processors)
{
    static char p[] = "P", q[] = "Q", r[] = "R", a[] = "A", b[] = "B", urgent[] = "urgent";
    const size_t other = processors - 1;

    *made = (struct hand_made){
        .processes = {{p, 0, 0}, {q, 0, 0}, {r, other, 0}},
        .a_stops = {{0, 0, 0, CONSTANT(3), false}, {1, 0, 0, CONSTANT(4), false}},
        .b_stops = {{0, 0, 0, CONSTANT(5), false},
                    {2, other, 0, CONSTANT(6), false},
                    {0, 0, 0, CONSTANT(2), false}},
        .stimuli = {{a, AT(a_times), NULL, 2, 7}, {b, AT(b_times), NULL, 2, 11}},
        .loads = {{.name = urgent, .level = 1, .arrivals = AT(high_times), .service = CONSTANT(2)}},
        .model = {.unit_ns = UNIT_NS,
                  .levels = 2,
                  .level = {level_names.low, level_names.high},
                  .processors = processors,
                  .processor = {left_name, right_name},
                  .load_count = 1,
                  .process_count = 3,
                  .stimulus_count = 2,
                  .transmission = CONSTANT(0)},
    };
    made->stimuli[0].stops = made->a_stops;
    made->stimuli[1].stops = made->b_stops;
    made->model.processes = made->processes;
    made->model.stimuli = made->stimuli;
    made->model.loads = made->loads;
}

/* ---- following ---- */

static char *print_follow(const struct hand_made *made, size_t stimulus, uint64_t pass)
{
    const struct sim_limits limits = {.seed = 1};
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_follow follow;
    char *text = NULL;
    size_t length = 0;

    sim_follow_init(&follow, &made->model, stimulus, pass);
    CHECK(sim_follow_run(&follow, &limits, error));
    CHECK_TEXT(error, "");
    FILE *out = open_memstream(&text, &length);

    sim_follow_print(out, &follow);
    fclose(out);
    sim_follow_free(&follow);
    return text;
}

/* Of one stimulus, as text. */
static void check_follow(const struct hand_made *made, size_t stimulus, uint64_t pass,
                         const char *expected)
{
    char *text = print_follow(made, stimulus, pass);

    CHECK_TEXT(text, expected);
    free(text);
}

/* By hand: P serves A until 3 and B until 10, preempted from 7 to 9; Q comes when P has no more. */
static void test_follow(void)
{
    struct hand_made made;

    make_model(&made, 1);
    check_follow(&made, 0, 1,
                 "A, pass 1: arrives at 0.000; times in units of 10.00 us since then\n"
                 "\n"
                 "       0.000  arrives for P\n"
                 "       0.000  P gets in line at low behind nobody\n"
                 "       0.000  begins at once\n"
                 "       3.000  ends at P: work 3.000\n"
                 "       3.000  Q gets in line at low behind 1 other\n"
                 "      10.000  begins after 7.000: P for B 5.000, urgent quantum 3 2.000\n"
                 "      11.000  preempted by urgent quantum 4\n"
                 "      13.000  goes on after 2.000: urgent quantum 4\n"
                 "      16.000  ends at Q: work 4.000\n"
                 "      16.000  response\n"
                 "\n"
                 "where the time went                                units  percent\n"
                 "work                                               7.000     43.8\n"
                 "1  preempted while it was served                   2.000     12.5\n"
                 "2a sent on: the receiver waits for the processor   7.000     43.8\n"
                 "2b sent on: the receiver has others to serve       0.000      0.0\n"
                 "3  on arrival: waits its turn                      0.000      0.0\n"
                 "transit                                           16.000    100.0\n");
    check_follow(&made, 1, 1,
                 "B, pass 1: arrives at 0.000; times in units of 10.00 us since then\n"
                 "\n"
                 "       0.000  arrives for P\n"
                 "       0.000  in the queue of P behind 1 message\n"
                 "       3.000  begins after 3.000: P for A\n"
                 "       7.000  preempted by urgent quantum 3\n"
                 "       9.000  goes on after 2.000: urgent quantum 3\n"
                 "      10.000  ends at P: work 5.000\n"
                 "      10.000  R gets in line at low behind 1 other\n"
                 "      16.000  begins after 6.000: Q for A 4.000, urgent quantum 4 2.000\n"
                 "      22.000  ends at R: work 6.000\n"
                 "      22.000  response\n"
                 "\n"
                 "where the time went                                units  percent\n"
                 "work                                              11.000     50.0\n"
                 "1  preempted while it was served                   2.000      9.1\n"
                 "2a sent on: the receiver waits for the processor   6.000     27.3\n"
                 "2b sent on: the receiver has others to serve       0.000      0.0\n"
                 "3  on arrival: waits its turn                      3.000     13.6\n"
                 "transit                                           22.000    100.0\n");
}

/* Overheads: interrupts 0.25, switches 0.5, receipts 0.125, sending 0.0625; transmission 1.5. */
static void test_follow_overheads(void)
{
    struct hand_made made;

    make_model(&made, 2);
    made.model.transmission.mean = 1.5;
    made.model.overhead = (struct sim_overhead){0.25, 0.5, 0.125, 0.0625};
    check_follow(&made, 1, 1,
                 "B, pass 1: arrives at 0.000; times in units of 10.00 us since then\n"
                 "\n"
                 "       0.000  arrives for P on left\n"
                 "       0.500  in the queue of P on left behind 1 message\n"
                 "       4.312  begins after 3.813: P for A 3.688, switch and receipt 0.125\n"
                 "       7.250  preempted by urgent quantum 3\n"
                 "       9.875  goes on after 2.625: urgent quantum 3\n"
                 "      11.250  preempted by urgent quantum 4\n"
                 "      13.875  goes on after 2.625: urgent quantum 4\n"
                 "      16.125  ends at P on left: work 5.000\n"
                 "      16.125  sent to R on right\n"
                 "      17.625  R on right gets in line at low behind nobody\n"
                 "      18.250  begins after 0.625: switch and receipt\n"
                 "      24.250  ends at R on right: work 6.000\n"
                 "      24.250  response\n"
                 "\n"
                 "where the time went                                units  percent\n"
                 "work                                              11.000     45.4\n"
                 "1  preempted while it was served                   5.250     21.6\n"
                 "2a sent on: the receiver waits for the processor   0.000      0.0\n"
                 "2b sent on: the receiver has others to serve       0.000      0.0\n"
                 "3  on arrival: waits its turn                      3.688     15.2\n"
                 "transmission                                       1.500      6.2\n"
                 "switches and messages                              1.812      7.5\n"
                 "interrupts                                         1.000      4.1\n"
                 "transit                                           24.250    100.0\n");
}

/* The receiver is at another one: B is queued at Q behind A, while Q serves it. */
static void test_follow_queue(void)
{
    static double c_times[] = {0};
    struct hand_made made;

    make_model(&made, 2);
    made.model.load_count = 0;
    made.model.stimulus_count = 2;
    made.stimuli[1].arrivals = (struct sim_arrivals)AT(c_times);
    made.processes[1].processor = 1;
    made.a_stops[1].processor = 1;
    made.b_stops[1] = made.a_stops[1];
    made.a_stops[1].service.mean = 9;
    check_follow(&made, 1, 1,
                 "B, pass 1: arrives at 0.000; times in units of 10.00 us since then\n"
                 "\n"
                 "       0.000  arrives for P on left\n"
                 "       0.000  in the queue of P on left behind 1 message\n"
                 "       3.000  begins after 3.000: P for A\n"
                 "       8.000  ends at P on left: work 5.000\n"
                 "       8.000  sent to Q on right\n"
                 "       8.000  in the queue of Q on right behind 1 message\n"
                 "      12.000  begins after 4.000: Q for A\n"
                 "      16.000  ends at Q on right: work 4.000\n"
                 "      16.000  response\n"
                 "\n"
                 "where the time went                                units  percent\n"
                 "work                                               9.000     56.2\n"
                 "1  preempted while it was served                   0.000      0.0\n"
                 "2a sent on: the receiver waits for the processor   0.000      0.0\n"
                 "2b sent on: the receiver has others to serve       4.000     25.0\n"
                 "3  on arrival: waits its turn                      3.000     18.8\n"
                 "transmission                                       0.000      0.0\n"
                 "transit                                           16.000    100.0\n");
}

static void note_response(void *context, size_t stimulus, double time, double transit)
{
    double **next = context;

    (void)stimulus;
    (void)time;
    *(*next)++ = transit;
}

/* An account adds up to the step, whatever the numbers are, and to what the engine says. */
static void test_account_is_whole(void)
{
    const struct sim_limits limits = {.seed = 5, .passes = FOLLOWED};
    double responses[FOLLOWED] = {0};
    double *next = responses;
    const struct sim_observer observer = {.response = note_response, .context = &next};
    struct sim_model_error reason;
    char error[SIM_LAW_ERROR_MAX];
    struct sim_model model;
    struct sim_tally tally;

    CHECK(sim_model_read(&model, paper, strlen(paper), ".", NULL, 0, &reason));
    model.overhead = (struct sim_overhead){0.01, 0.02, 0.003, 0.004};
    sim_tally_init(&tally, &model, NULL, 0, NULL, 0, false);
    CHECK(sim_simulate(&model, &limits, &observer, &tally, error));
    sim_tally_free(&tally);
    CHECK_EQUAL(next - responses, FOLLOWED);
    for (uint64_t pass = 1; pass <= FOLLOWED; pass++) {
        struct sim_follow follow;
        int64_t sum = 0;

        sim_follow_init(&follow, &model, 0, pass);
        CHECK(sim_follow_run(&follow, &limits, error));
        for (size_t i = 0; i < SIM_DELAYS; i++) {
            CHECK(follow.delay[i] >= 0);
            sum += follow.delay[i];
        }
        CHECK_EQUAL(sum, follow.transit);
        CHECK_EQUAL(follow.transit, follow.steps[follow.step_count - 1].at);
        CHECK(fabs((double)follow.transit * SIM_FOLLOW_STEP - responses[pass - 1]) < 1e-8);
        CHECK(llabs(follow.delay[SIM_DELAY_WORK] - 12900000000) <= 6);
        sim_follow_free(&follow);
    }
    sim_model_free(&model);
}

static void test_follow_refuses(void)
{
    const struct sim_limits limits = {.seed = 1};
    char error[SIM_LAW_ERROR_MAX];
    struct sim_follow follow;
    struct hand_made made;

    make_model(&made, 1);
    sim_follow_init(&follow, &made.model, 1, 3);
    CHECK(!sim_follow_run(&follow, &limits, error));
    CHECK_TEXT(error, "pass 3: stimulus B arrives 2 times only");
    sim_follow_free(&follow);
}

/* ---- the whole as a trace ---- */

/* What a run of the trace says, beside what the engine counted. */
struct both {
    struct run run;
    struct sim_tally tally;
    struct accounting accounting;
};

static void record(struct both *both, const struct sim_model *model,
                   const struct sim_limits *limits)
{
    char error[SIM_LAW_ERROR_MAX] = "";

    run_init(&both->run);
    both->run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    CHECK(sim_trace_record(model, limits, &both->run, error));
    CHECK_TEXT(error, "");
    sim_tally_init(&both->tally, model, NULL, 0, NULL, 0, false);
    CHECK(sim_simulate(model, limits, NULL, &both->tally, error));
}

static void forget(struct both *both)
{
    sim_tally_free(&both->tally);
    run_free(&both->run);
}

static const struct run_bench *read_trace(struct both *both, const char *name)
{
    const struct run_bench *bench = run_find_bench(&both->run, name);

    CHECK(bench != NULL && accounting_read(&both->accounting, bench, NULL, 0));
    CHECK_EQUAL(accounting_conflicts(&both->accounting), 0);
    CHECK_EQUAL(both->accounting.gaps, 0);
    CHECK_EQUAL(both->accounting.unknown, 0);
    CHECK_EQUAL(both->accounting.discarded, 0);
    return bench;
}

/* Of all threads of a level. */
struct level_sums {
    uint64_t running, waited, waits;
};

static struct level_sums sum_level(const struct accounting *accounting, size_t level)
{
    struct level_sums sums = {0};

    for (size_t i = 0; i < accounting->thread_count; i++) {
        const struct account_thread *thread = accounting->threads[i];

        if (thread->id > 0 && thread->first_priority == level + 1) {
            sums.running += thread->running;
            sums.waited += thread->wake.total;
            sums.waits += thread->wake.n;
        }
    }
    return sums;
}

/* Ticks of times of the model; each of `count` was rounded. */
static void check_ticks(uint64_t ticks, double time, double unit_ns, uint64_t count)
{
    CHECK(fabs((double)ticks - time * unit_ns) <= (double)count + 1);
}

/* The paper's model: all threads are pools', so that accounting's wakes are the waits. */
static void test_trace_of_paper(void)
{
    const struct sim_limits limits = {.seed = 3, .passes = 300};
    struct sim_model_error reason;
    struct sim_model model;
    struct both both;

    CHECK(sim_model_read(&model, paper, strlen(paper), ".", NULL, 0, &reason));
    record(&both, &model, &limits);
    read_trace(&both, "model");
    CHECK_EQUAL(both.run.bench_count, 1);
    check_ticks(both.accounting.elapsed, both.tally.time, model.unit_ns, 0);
    for (size_t level = 0; level < 2; level++) {
        const struct sim_level_tally *tally = &both.tally.level[level];
        const struct level_sums sums = sum_level(&both.accounting, level);
        const uint64_t waits = tally->wait.count + tally->portion_wait.count;

        CHECK(waits > 300);
        CHECK_EQUAL(sums.waits, waits);
        check_ticks(sums.running, tally->work, model.unit_ns, 2 * waits + tally->preempted);
        check_ticks(sums.waited, tally->wait.sum + tally->portion_wait.sum, model.unit_ns, waits);
    }
    check_ticks(accounting_thread(&both.accounting, 0)->running, both.tally.processor[0].idle,
                model.unit_ns, both.tally.events);
    CHECK_EQUAL(both.accounting.vectors[SIM_VECTOR_ARRIVAL]->gross.n, both.tally.quanta + 300);
    CHECK_EQUAL(both.accounting.vectors[SIM_VECTOR_ARRIVAL]->ticks, 0);
    accounting_free(&both.accounting);
    forget(&both);
    sim_model_free(&model);
}

/* Whole numbers of ticks: the trace and the engine agree to a tick, overheads and all. */
static void check_exact(const struct hand_made *made, size_t processors)
{
    static const char *const names[] = {"model", "model@right"};
    const struct sim_limits limits = {.seed = 1, .time = 100};
    struct both both;

    record(&both, &made->model, &limits);
    CHECK_EQUAL(both.run.bench_count, processors);
    for (size_t i = 0; i < processors; i++) {
        const struct run_bench *bench = read_trace(&both, names[i]);
        const struct account_handler *arrivals = both.accounting.vectors[SIM_VECTOR_ARRIVAL];

        CHECK_EQUAL(bench->traces[0].cpu, i);
        CHECK_EQUAL(both.accounting.elapsed, 100 * UNIT_NS);
        for (size_t level = 0; level < 2; level++) {
            CHECK_EQUAL(sum_level(&both.accounting, level).running,
                        llround(both.tally.level[i * 2 + level].work * UNIT_NS));
        }
        CHECK_EQUAL(accounting_thread(&both.accounting, 0)->running,
                    llround(both.tally.processor[i].idle * UNIT_NS));
        CHECK_EQUAL(arrivals != NULL ? arrivals->ticks : 0,
                    llround(both.tally.processor[i].interrupts * UNIT_NS));
        accounting_free(&both.accounting);
    }
    forget(&both);
}

static void test_trace_exact(void)
{
    struct hand_made made;

    for (enum sim_discipline rule = SIM_EXHAUSTIVE; rule <= SIM_REQUEUE_BEFORE; rule++) {
        for (size_t processors = 1; processors <= 2; processors++) {
            make_model(&made, processors);
            made.model.discipline = rule;
            check_exact(&made, processors);
            made.model.transmission.mean = 1.5;
            made.model.overhead = (struct sim_overhead){0.25, 0.5, 0.125, 0.0625};
            check_exact(&made, processors);
            made.b_stops[0].awaits = true;
            made.stimuli[1].stop_count = 3;
            made.processes[2].level = 1;
            made.b_stops[1].level = 1;
            check_exact(&made, processors);
        }
    }
}

/* Everything that there can be, in all disciplines. */
static const char all_kinds[] =
    "passes 100\nunit 1ms\nlevels low mid high\nprocessors left right\n"
    "load w at low  on left  service exponential 1 occupancy 10%\n"
    "load x at high on left  service 0.5 occupancy 5%\n"
    "load y at mid  on right service exponential 1 occupancy 15%\n"
    "process P at low on left\nprocess Q at mid  on left\n"
    "process R at low on right\nprocess S at high on right\n"
    "stimulus A arrivals poisson interval 20 route P 1 awaits, R 1, P 0.5, Q 1\n"
    "stimulus B arrivals poisson interval 30 route Q 1, P exponential 1, S 0.5, R 1\n"
    "stimulus C arrivals uniform interval 25\n"
    "route low on left 1, low on left 1, Q 0.5, high on right 0.3, P 0.5\n"
    "stimulus D cycle delay 50 route S 0.4 awaits, Q 0.5, S 0.2, low on right 1\n";

static void check_all_kinds(const struct sim_model *model)
{
    static const char *const names[] = {"model", "model@right"};
    const struct sim_limits limits = {.seed = 11, .time = 3000};
    struct both both;

    record(&both, model, &limits);
    for (size_t i = 0; i < 2; i++) {
        const struct run_bench *bench = read_trace(&both, names[i]);

        for (size_t level = 0; level < 3; level++) {
            check_ticks(sum_level(&both.accounting, level).running,
                        both.tally.level[i * 3 + level].work, model->unit_ns,
                        bench->traces[0].kept);
        }
        CHECK(both.accounting.threads[0]->running > 0);
        accounting_free(&both.accounting);
    }
    forget(&both);
}

/* Of a stimulus whose work is the same in each pass. */
static void check_work(const struct sim_model *model, size_t stimulus, double work)
{
    const struct sim_limits limits = {.seed = 11};
    char error[SIM_LAW_ERROR_MAX];

    for (uint64_t pass = 1; pass <= 8; pass++) {
        struct sim_follow follow;
        int64_t sum = 0;

        sim_follow_init(&follow, model, stimulus, pass);
        CHECK(sim_follow_run(&follow, &limits, error));
        for (size_t i = 0; i < SIM_DELAYS; i++) {
            sum += follow.delay[i];
        }
        CHECK_EQUAL(sum, follow.transit);
        CHECK(fabs((double)follow.delay[SIM_DELAY_WORK] * SIM_FOLLOW_STEP - work) < 1e-7);
        sim_follow_free(&follow);
    }
}

static void test_trace_of_all_kinds(void)
{
    struct sim_model_error reason;
    struct sim_model model;

    CHECK(sim_model_read(&model, all_kinds, strlen(all_kinds), ".", NULL, 0, &reason));
    for (enum sim_discipline rule = SIM_EXHAUSTIVE; rule <= SIM_REQUEUE_BEFORE; rule++) {
        model.discipline = rule;
        model.overhead = (struct sim_overhead){0};
        check_all_kinds(&model);
        model.overhead = (struct sim_overhead){.interrupt = 0.05, .receive = 0.01};
        check_all_kinds(&model);
        model.overhead = (struct sim_overhead){0.01, 0.02, 0.003, 0.004};
        check_all_kinds(&model);
        check_work(&model, 2, 3.3);
        check_work(&model, 3, 2.1);
    }
    sim_model_free(&model);
}

static uint64_t stamp(uint64_t time)
{
    return SIM_TRACE_ORIGIN + time * UNIT_NS;
}

/* The sequence of switches, by name. */
static char *switches_of(const struct run_bench *bench)
{
    struct trace_reader *reader = trace_reader_open(&bench->traces[0]);
    struct trace_event event;
    struct trace_gap gap;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    while (trace_reader_next(reader, &event, &gap) == TRACE_EVENT) {
        if (event.id == TRACE_ID_thread_switch) {
            fprintf(out, "%g %s, ", (double)(event.tsc - SIM_TRACE_ORIGIN) / UNIT_NS,
                    run_object_name(bench, "thread", (uint32_t)event.field[1]));
        }
    }
    fclose(out);
    trace_reader_close(reader);
    return text;
}

static void test_trace_switches(void)
{
    const struct sim_limits limits = {.seed = 1, .time = 60};
    struct hand_made made;
    struct both both;

    make_model(&made, 1);
    record(&both, &made.model, &limits);
    char *text = switches_of(run_find_bench(&both.run, "model"));

    CHECK_TEXT(text, "0 P, 7 high 1, 9 P, 10 Q, 11 high 1, 13 Q, 16 R, 22 idle, "
                     "40 P, 43 high 1, 45 P, 47 R, 53 idle, ");
    free(text);
    forget(&both);
}

/* Messages and marks are named as those of bench model are. */
static void test_trace_messages(void)
{
    const struct sim_limits limits = {.seed = 1, .time = 60};
    struct hand_made made;
    struct both both;
    struct trace_event event;
    struct trace_gap gap;
    unsigned sent = 0, received = 0, marks = 0;

    make_model(&made, 1);
    record(&both, &made.model, &limits);
    struct trace_reader *reader = trace_reader_open(&run_find_bench(&both.run, "model")->traces[0]);

    while (trace_reader_next(reader, &event, &gap) == TRACE_EVENT) {
        sent += event.id == TRACE_ID_message_send;
        received += event.id == TRACE_ID_message_receive;
        marks += event.id == TRACE_ID_mark;
        if (event.tsc == stamp(53) && event.id == TRACE_ID_mark) {
            CHECK_EQUAL(event.field[0], 1);
            CHECK_EQUAL(event.field[1], 0x1001);
        } else if (event.tsc == stamp(47) && event.id == TRACE_ID_message_receive) {
            CHECK_EQUAL(event.field[0], 2); /* P */
            CHECK_EQUAL(event.field[1], 0x1001);
            CHECK_EQUAL(event.field[2], 0x1000001);
        } else if (event.tsc == stamp(43) && event.id == TRACE_ID_message_send) {
            CHECK_EQUAL(event.field[1], 0x8000);
            CHECK_EQUAL(event.field[2], 2);
        }
    }
    CHECK_EQUAL(sent, 9);
    CHECK_EQUAL(received, 9);
    CHECK_EQUAL(marks, 6);
    trace_reader_close(reader);
    forget(&both);
}

int main(void)
{
    RUN(test_follow());
    RUN(test_follow_overheads());
    RUN(test_follow_queue());
    RUN(test_account_is_whole());
    RUN(test_follow_refuses());
    RUN(test_trace_of_paper());
    RUN(test_trace_exact());
    RUN(test_trace_of_all_kinds());
    RUN(test_trace_switches());
    RUN(test_trace_messages());
    return unit_finish("unit_sim_trace");
}
