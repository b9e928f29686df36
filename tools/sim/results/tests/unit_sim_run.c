/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/run/run_kind.h"
#include "tools/sim/results/sim_run.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/trace_reader.h"

/* Two low quanta and a medium one between, 12.9 units of work. */
static const char paper[] = "300\n2.2 13 15\n1.5 30 3\n20 10\n3\n7.1 low\n5.5 medium\n0.3 low\n";

#define PASSES 300
#define WORK   12.9

static bool read_model(struct sim_model *model)
{
    struct sim_model_error error;

    if (sim_model_read(model, paper, strlen(paper), ".", NULL, 0, &error)) {
        return true;
    }
    fprintf(stderr, "line %zu: %s\n", error.line, error.text);
    return false;
}

static double sum_of(const struct run_series *series)
{
    double sum = 0;

    for (size_t i = 0; series != NULL && i < series->received; i++) {
        sum += (double)series->samples[i];
    }
    return sum;
}

static const struct sim_limits limits = {.seed = 3, .replication = 1, .passes = PASSES};

/* ---- one replication ---- */

/* The tally of the same simulation counts by itself. */
static void check_sums(const struct run_bench *bench, const struct sim_model *model)
{
    char error[SIM_LAW_ERROR_MAX];
    struct sim_tally tally;
    size_t quanta = 0;

    sim_tally_init(&tally, model, NULL, 0, false);
    CHECK(sim_simulate(model, &limits, NULL, &tally, error));
    const struct run_series *response = run_find_series(bench, "response");

    CHECK(response != NULL && response->n == PASSES);
    CHECK_EQUAL(tally.stimulus[0].transit.count, PASSES);
    /* Each is rounded to a tick. */
    CHECK(fabs(sum_of(response) - tally.stimulus[0].transit.sum * model->unit_ns) <= PASSES);
    for (size_t i = 0; i < bench->series_count; i++) {
        quanta += strncmp(bench->series[i].name, "wait.", 5) == 0 ? bench->series[i].n : 0;
    }
    CHECK(quanta > 0);
    CHECK_EQUAL(quanta, tally.level[0].wait.count + tally.level[1].wait.count);
    /* What came last may not have begun. */
    CHECK(quanta <= tally.quanta && quanta + 50 > tally.quanta);
    sim_tally_free(&tally);
}

static void check_responses(const struct run_bench *bench, const struct sim_model *model)
{
    const struct run_series *response = run_find_series(bench, "response");
    size_t undisturbed = 0;

    for (size_t i = 0; response != NULL && i < response->n; i++) {
        CHECK((double)response->samples[i] >= WORK * model->unit_ns - 1);
        undisturbed += fabs((double)response->samples[i] - WORK * model->unit_ns) <= 1;
    }
    /* Most passes meet something, some nothing. */
    CHECK(undisturbed > 0 && undisturbed < PASSES);
    CHECK_TEXT(response != NULL ? response->unit : NULL, "tick");
}

static void test_simulate(void)
{
    char error[SIM_LAW_ERROR_MAX];
    struct sim_model model;
    struct run run;

    run_init(&run);
    CHECK(read_model(&model));
    CHECK(sim_run_simulate(&run, &model, &limits, false, error));
    const struct run_bench *bench = run_find_bench(&run, "model");

    CHECK(bench != NULL);
    CHECK_TEXT(bench->group, "interactive");
    CHECK_EQUAL(run_find_fact(bench, "passes")->value, PASSES);
    CHECK_EQUAL(run_find_fact(bench, "seed")->value, 3);
    CHECK_EQUAL(run_find_fact(bench, "unit")->value, llround(model.unit_ns));
    CHECK(run_find_series(bench, "wait.low") != NULL);
    CHECK(run_find_series(bench, "wait.medium") != NULL);
    check_responses(bench, &model);
    check_sums(bench, &model);
    run_free(&run);
    sim_model_free(&model);
}

static void test_not_simulated(void)
{
    const struct sim_limits none = {.seed = 1};
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_model model;
    struct run run;

    run_init(&run);
    CHECK(read_model(&model));
    CHECK(!sim_run_simulate(&run, &model, &none, false, error));
    CHECK(error[0] != '\0');
    CHECK_EQUAL(run.bench_count, 0);
    run_free(&run);
    sim_model_free(&model);
}

/* What is before the end of the warm-up is in no series. */
static void test_warm_up(void)
{
    struct sim_limits warmed = limits;
    char error[SIM_LAW_ERROR_MAX];
    struct sim_model model;
    struct run run;
    struct run all;

    run_init(&run);
    run_init(&all);
    warmed.passes = 0;
    warmed.time = 3000;
    CHECK(read_model(&model));
    CHECK(sim_run_simulate(&all, &model, &warmed, false, error));
    warmed.warm_up = 2000;
    CHECK(sim_run_simulate(&run, &model, &warmed, false, error));
    const struct run_series *whole = run_find_series(run_find_bench(&all, "model"), "response");
    const struct run_series *rest = run_find_series(run_find_bench(&run, "model"), "response");

    CHECK(whole != NULL && rest != NULL && rest->n > 0 && rest->n < whole->n);
    CHECK(memcmp(rest->samples, whole->samples + (whole->n - rest->n),
                 rest->n * sizeof(*rest->samples)) == 0);
    run_free(&run);
    run_free(&all);
    sim_model_free(&model);
}

/* ---- the whole run ---- */

static void check_back(const struct run *back, const struct run *run)
{
    char kind[RUN_KIND_MAX];
    const struct run_bench *bench = run_find_bench(back, "replications");
    const struct run_series *mean = run_find_series(bench, "special.transit");

    CHECK(strstr(run_kind_text(back, kind), "simulated") != NULL);
    CHECK(run_is_simulated(back));
    CHECK_TEXT(back->plan_source, "paper.txt");
    CHECK(strncmp(back->plan_text, "# seed 3\n", 9) == 0);
    CHECK_TEXT(back->plan_text, run->plan_text);
    CHECK(run_ns_per_tick(back) == 1);
    CHECK(mean != NULL && mean->n == 4);
    CHECK_TEXT(run_find_series(bench, "low.quanta")->unit, "count");
}

/* The plan is the model: reading it gives the same again. */
static void check_plan(const struct run *run, const struct sim_model *model)
{
    struct sim_model again;
    struct sim_model_error error;

    CHECK(sim_model_read(&again, run->plan_text, strlen(run->plan_text), ".", NULL, 0, &error));
    CHECK(fabs(again.cycle - model->cycle) < 1e-9);
    CHECK_EQUAL(again.passes, model->passes);
    sim_model_free(&again);
}

static void make_run(struct run *run, const struct sim_model *model)
{
    const struct sim_replication_plan plan = {.limits = limits, .replications = 4, .jobs = 1};
    struct sim_outcome outcome;
    char error[SIM_LAW_ERROR_MAX];

    sim_run_describe(run, model, "paper.txt", "# seed 3\n");
    CHECK(sim_run_simulate(run, model, &limits, false, error));
    CHECK(sim_replicate(model, &plan, &outcome, error));
    sim_run_replications(run, model, &outcome);
    const struct run_series *mean =
        run_find_series(run_find_bench(run, "replications"), "special.transit");
    const size_t at = sim_statistic_find(&outcome.statistics, "special.transit");

    CHECK(mean != NULL && at != SIM_NONE);
    CHECK(fabs(sum_of(mean) / 4 - outcome.estimate[at].mean * model->unit_ns) <= 1);
    sim_outcome_free(&outcome);
}

static void test_file(void)
{
    char path[] = "/tmp/unit_sim_run.XXXXXX";
    char error[RUNFILE_ERROR_MAX];
    struct run_texts reasons = {0};
    struct sim_model model;
    struct run run;
    struct run back;

    run_init(&run);
    run_init(&back);
    CHECK(read_model(&model));
    make_run(&run, &model);
    CHECK(run_valid(&run, &reasons));
    const int file = mkstemp(path);

    CHECK(file >= 0);
    close(file);
    CHECK(runfile_write(path, &run, error));
    CHECK(runfile_read(path, &back, error));
    check_back(&back, &run);
    check_plan(&back, &model);
    run_texts_free(&reasons);
    run_free(&run);
    run_free(&back);
    sim_model_free(&model);
    unlink(path);
}

/* ---- the trace ---- */

/* The paper's order of service, section 3.3, with ends and responses, in units: B cuts in front of
 * A. Each letter of a stimulus is followed by that of the process whose thread has it. */
static const char order[] = "levels normal\nprocess P at normal\nprocess Q at normal\n"
                            "process R at normal\nstimulus A arrivals trace 0 route P 1, R 1\n"
                            "stimulus B arrivals trace 0 route P 1, Q 1\n"
                            "stimulus C arrivals trace 0 route Q 1\n";
static const char order_table[] = "0 A-P 1 A>R 1 B-P 2 B>Q 2 C-Q 3 C. 3 B-Q 4 B. 4 A-R 5 A. ";

static struct trace_reader *traced(struct run *run, struct sim_model *model, const char *text,
                                   uint64_t passes)
{
    const struct sim_limits until = {.seed = 3, .passes = passes};
    char error[SIM_LAW_ERROR_MAX];
    struct sim_model_error why = {0};
    struct sim_setting setting = {.name = "passes", .value = 1, .if_missing = true};

    run_init(run);
    CHECK(sim_model_read(model, text, strlen(text), ".", &setting, 1, &why));
    CHECK_TEXT(why.text, "");
    sim_run_describe(run, model, "text", "");
    CHECK(sim_run_simulate(run, model, &until, true, error));
    CHECK_EQUAL(run->benches[0].trace_count, 1);
    return trace_reader_open(&run->benches[0].traces[0], 1);
}

static char thread_letter(const struct run_bench *bench, uint64_t thread)
{
    const char *const name = run_object_name(bench, "thread", (uint32_t)thread);

    return name != NULL ? name[0] : '?';
}

/* One stimulus after the other, as hand and paper have it. */
static void test_order(void)
{
    char found[200] = "";
    size_t used = 0;
    struct sim_model model;
    struct trace_event event;
    struct trace_gap gap;
    struct run run;
    struct trace_reader *const reader = traced(&run, &model, order, 1);
    const struct run_bench *const bench = &run.benches[0];
    uint64_t running = 0;

    while (trace_reader_next(reader, &event, &gap) == TRACE_EVENT && used < sizeof(found) - 20) {
        const unsigned long time = (unsigned long)(event.tsc / 100000);

        if (event.id == TRACE_ID_thread_switch) {
            CHECK_EQUAL(event.field[0], running);
            running = event.field[1];
        } else if (event.id == TRACE_ID_message_receive) {
            used += (size_t)sprintf(found + used, "%lu %c-%c ", time, 'A' + (int)event.field[1],
                                    thread_letter(bench, running));
        } else if (event.id == TRACE_ID_message_send) {
            used += (size_t)sprintf(found + used, "%lu %c>%c ", time, 'A' + (int)event.field[1],
                                    thread_letter(bench, event.field[0]));
        } else if (event.id == TRACE_ID_mark && event.field[0] % 2 == 1) {
            used += (size_t)sprintf(found + used, "%lu %c. ", time, 'A' + (int)event.field[0] / 2);
        }
    }
    CHECK_TEXT(found, order_table);
    CHECK_EQUAL(running, 0);
    trace_reader_close(reader);
    run_free(&run);
    sim_model_free(&model);
}

/* From mark to mark as long as the responses of the run; the thread of the stimulus runs for its
 * work, and all threads together for the whole time. */
static void test_marks(void)
{
    struct sim_model model;
    struct trace_event event;
    struct trace_gap gap;
    struct run run;
    struct trace_reader *const reader = traced(&run, &model, paper, PASSES);
    const struct run_bench *const bench = &run.benches[0];
    const struct run_series *const response = run_find_series(bench, "response");
    uint64_t since = 0, begin = 0, running = 0, work = 0;
    size_t passes = 0;

    while (trace_reader_next(reader, &event, &gap) == TRACE_EVENT) {
        if (event.id == TRACE_ID_mark && event.field[0] == 0) {
            begin = event.tsc;
        } else if (event.id == TRACE_ID_mark) {
            CHECK(passes < PASSES &&
                  llabs((long long)(event.tsc - begin) - response->samples[passes]) <= 1);
            passes++;
        } else if (event.id == TRACE_ID_thread_switch) {
            CHECK_EQUAL(event.field[0], running);
            work += thread_letter(bench, running) == 's' ? event.tsc - since : 0;
            running = event.field[1];
            since = event.tsc;
        }
    }
    CHECK_EQUAL(passes, PASSES);
    CHECK(fabs((double)work - PASSES * WORK * model.unit_ns) <= 6.0 * PASSES);
    trace_reader_close(reader);
    run_free(&run);
    sim_model_free(&model);
}

int main(void)
{
    RUN(test_simulate());
    RUN(test_not_simulated());
    RUN(test_warm_up());
    RUN(test_file());
    RUN(test_order());
    RUN(test_marks());
    return unit_finish("unit_sim_run");
}
