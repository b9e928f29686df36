/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Models: both forms of their text, what follows from the numbers (values of the reference's
 * bookkeeping), settings, refusals with their lines, and texts that read as the same model.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/base/partial_file.h"
#include "tools/sim/model/model.h"
#include "tools/store/runfile.h"
#include "tools/tests/sim/law_checks.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define FOLDER "tools/tests/models/"
#define PAPER  "10000 passes\n2.2 13 15 low\n1.5 30 3 med\n20 10\n3\n7.1 low\n5.5 medium\n0.3 low\n"

static struct sim_model_error error;

static bool near(double value, double truth, double allowed)
{
    if (fabs(value - truth) <= allowed) {
        return true;
    }
    fprintf(stderr, "%.10g is not %.10g\n", value, truth);
    return false;
}

static struct sim_model load(const char *name, const struct sim_setting *settings, size_t count)
{
    struct sim_model model;
    char path[200];

    snprintf(path, sizeof(path), FOLDER "%s", name);
    CHECK(sim_model_load(&model, path, settings, count, &error));
    CHECK_TEXT(error.text, "");
    return model;
}

static struct sim_model read_text(const char *text)
{
    struct sim_model model;

    CHECK(sim_model_read(&model, text, strlen(text), NULL, NULL, 0, &error));
    CHECK_TEXT(error.text, "");
    return model;
}

/* ---- the paper's form ---- */

static void check_paper(const struct sim_model *model)
{
    CHECK(model->passes == 10000 && model->levels == 2 && model->processors == 1);
    CHECK_TEXT(model->level[0], "low");
    CHECK_TEXT(model->level[1], "medium");
    CHECK(model->load_count == 2 && model->stimulus_count == 1 && model->process_count == 0);
    CHECK(near(model->stimuli[0].work, 12.9, 1e-12));
    CHECK(near(model->delay_estimate, 5.52857, 5e-6));
    CHECK(near(model->stimuli[0].arrivals.interval.mean, 73.7143, 5e-5));
    CHECK(near(model->cycle, 92.1429, 5e-5));
    CHECK(near(model->loads[0].own, .119690, 5e-7) && near(model->loads[1].own, .040310, 5e-7));
    CHECK(near(model->loads[0].arrivals.interval.mean, 18.3808, 5e-5));
    CHECK(near(model->loads[1].arrivals.interval.mean, 37.2115, 5e-5));
    CHECK(near(model->loads[0].service.knee, 2.45, 1e-12));
    CHECK(near(sim_model_occupancy(model, 0, 0), .2, 1e-12));
    CHECK(near(sim_model_occupancy(model, 0, 1), .1, 1e-12));
    CHECK(near(sim_model_occupancy(model, 0, SIM_NONE), .3, 1e-12));
}

static void test_paper(void)
{
    struct sim_model model = load("paper.model", NULL, 0);
    const struct sim_stimulus *const special = &model.stimuli[0];

    check_paper(&model);
    CHECK(model.is_paper && special->stop_count == 3 && special->stops[1].level == 1);
    CHECK(special->stops[1].process == SIM_NONE && special->stops[1].service.mean == 5.5);
    CHECK(special->arrivals.kind == SIM_CYCLE && !special->arrivals.fixed);
    CHECK(model.loads[0].is_total && model.loads[0].arrivals.interval.kind == SIM_EXPONENTIAL);
    CHECK_TEXT(special->name, "special");
    CHECK_TEXT(model.name, "paper.model");
    sim_model_arrive(&model, SIM_UNIFORM_ARRIVALS);
    CHECK(model.loads[0].arrivals.interval.kind == SIM_UNIFORM);
    CHECK(near(model.loads[0].arrivals.interval.high, 2 * 18.38083, 1e-4));
    check_paper(&model);
    sim_model_free(&model);
}

static void test_paper_without_load(void)
{
    struct sim_model model = read_text("5\n2.2 13 15\n1.5 30 3\n0 0\n1\n7.1 Medium\n");

    CHECK(model.load_count == 0 && model.delay_estimate == 0);
    CHECK(near(model.cycle, 5 * 7.1, 1e-12) && model.stimuli[0].stops[0].level == 1);
    sim_model_free(&model);
}

/* The reference's numbers in words give the reference's model. */
static void test_paper_in_words(void)
{
    struct sim_model model =
        read_text("passes 10000\n"
                  "levels low medium # the least urgent first\n"
                  "LOAD low service average 2.2 maximum 13 tail 15% total 20%\n"
                  "load medium total 0.1 service tail 3% maximum 30 average "
                  "1.5\n"
                  "stimulus special\n"
                  "  route low 7.1, medium 5.5\r\n"
                  "  route low constant 0.3\n");

    check_paper(&model);
    CHECK(!model.is_paper);
    sim_model_free(&model);
}

/* ---- the form with names ---- */

static void check_routes(const struct sim_model *model)
{
    const struct sim_stimulus *const request = &model->stimuli[0];
    const struct sim_stimulus *const report = &model->stimuli[1];

    CHECK(request->arrivals.kind == SIM_RENEWAL && request->arrivals.interval.mean == 25);
    CHECK(request->stop_count == 3 && request->stops[0].awaits && !request->stops[1].awaits);
    CHECK(request->stops[1].processor == 1 && request->stops[1].level == 1);
    CHECK(request->stops[1].service.kind == SIM_EXPONENTIAL && request->stops[2].process == 0);
    CHECK(near(request->work, 5, 1e-12));
    CHECK(report->arrivals.kind == SIM_CYCLE && report->arrivals.fixed);
    CHECK(report->stops[0].process == SIM_NONE && report->stops[0].processor == 1);
}

static void test_processors(void)
{
    struct sim_model model = load("processors.model", NULL, 0);

    CHECK(model.levels == 3 && model.processors == 2 && model.load_count == 4);
    CHECK(model.unit_ns == 100000 && model.passes == 20000 && model.process_count == 2);
    CHECK(model.transmission.kind == SIM_UNIFORM && model.transmission.high == 0.6);
    CHECK(model.loads[1].processor == 1 && model.loads[2].level == 2);
    CHECK(model.loads[2].arrivals.fixed && model.loads[2].arrivals.interval.kind == SIM_CONSTANT);
    CHECK(near(model.loads[2].own, 0.01, 1e-12) && near(model.loads[3].own, 0.05, 1e-12));
    CHECK(near(model.loads[3].arrivals.interval.mean, 10, 1e-9));
    check_routes(&model);
    /* requests take 2 of 25 of the front, 3 of 25 of the back; a report 10 in
     * 400 + 10 + 10 * 0.27 / 0.73, which the back's .10 + .05 + .12 delay it by */
    CHECK(near(sim_model_occupancy(&model, 0, SIM_NONE), 0.15 + 0.01 + 0.08, 1e-12));
    CHECK(near(sim_model_occupancy(&model, 1, 1), 0.12, 1e-12));
    CHECK(near(sim_model_occupancy(&model, 1, 0), 0.10 + 10 / (410 + 2.7 / 0.73), 1e-12));
    CHECK(model.cycle == 0);
    sim_model_free(&model);
}

/* Portions that any processor serves have an equal part of each. */
static void test_any(void)
{
    static const char text[] =
        "passes 5\nlevels a b\nprocessors x y z\nstimulus s arrivals poisson "
        "interval 10\nroute a on any 3, b on z 1, a on ANY 3\n";
    struct sim_model model = read_text(text);
    char *again = sim_model_text(&model);
    struct sim_model same = read_text(again);

    CHECK(model.stimuli[0].stops[0].among == 3 && model.stimuli[0].stops[1].among == 0);
    CHECK(same.stimuli[0].stops[0].among == 3 && same.stimuli[0].stops[2].among == 3);
    CHECK(near(sim_model_occupancy(&model, 1, SIM_NONE), .2, 1e-12));
    CHECK(near(sim_model_occupancy(&model, 2, SIM_NONE), .3, 1e-12));
    free(again);
    sim_model_free(&same);
    sim_model_free(&model);
    model = read_text("passes 5\nlevels a\nprocessors any y\nstimulus s arrivals poisson interval "
                      "10\nroute a on any 3\n");
    CHECK(model.stimuli[0].stops[0].among == 0 && model.stimuli[0].stops[0].processor == 0);
    sim_model_free(&model);
}

static void test_order(void)
{
    struct sim_model model = load("order.model", NULL, 0);

    CHECK(model.passes == 1 && model.process_count == 3 && model.stimulus_count == 3);
    CHECK(model.discipline == SIM_EXHAUSTIVE && model.stimuli[2].stops[0].process == 1);
    CHECK(model.stimuli[0].arrivals.kind == SIM_TRACE && model.stimuli[0].arrivals.count == 1);
    CHECK(model.stimuli[0].arrivals.times[0] == 0 && model.stimuli[0].stops[1].process == 2);
    sim_model_free(&model);
}

static void test_every_statement(void)
{
    struct sim_model model =
        read_text("# all that no other test has\nunit 2.5ms\nlevels \"very low\" b\n"
                  "values steps 1 2\nvalues steps 3\ndiscipline Requeue-Before\n"
                  "overhead interrupt 0.1 switch 0.2\noverhead receive .3 send 4e-1\n"
                  "delay factor 2\npasses 3\nprocess p at b on cpu\n"
                  "load x at \"very low\" service values steps scale 2 arrivals uniform rate 0.01\n"
                  "load y at b service uniform 1 3 arrivals trace 1 1 5.5\n"
                  "load z at b service 1 arrivals by uniform 10 30\n"
                  "load w at b service values 4 2 interval 100\n"
                  "stimulus s cycle\nroute \"very low\" 1, p 2\n");

    CHECK_TEXT(model.level[0], "very low");
    CHECK(model.unit_ns == 2.5e6 && model.discipline == SIM_REQUEUE_BEFORE);
    CHECK(model.overhead.interrupt == 0.1 && model.overhead.switching == 0.2);
    CHECK(model.overhead.receive == 0.3 && model.overhead.send == 0.4);
    CHECK(model.loads[0].service.kind == SIM_EMPIRICAL && model.loads[0].service.mean == 4);
    CHECK_TEXT(model.loads[0].service.source, "steps");
    CHECK(model.loads[0].arrivals.interval.high == 200 && model.loads[0].arrivals.fixed);
    CHECK(model.loads[1].arrivals.count == 3 && model.loads[1].own == 0);
    CHECK(near(model.loads[2].own, 0.05, 1e-12) && model.loads[3].service.mean == 3);
    CHECK(!model.loads[3].arrivals.fixed && near(model.loads[3].own, 0.03, 1e-12));
    /* work 3, of occupancies .04 + .05 + .03 */
    CHECK(near(model.delay_estimate, 3 * .12 / .88, 1e-12));
    CHECK(near(model.cycle, 3 * (3 + 3 * .12 / .88), 1e-12));
    sim_model_free(&model);
}

/* ---- values of files ---- */

static struct run_series *add_series(struct run *run, const char *bench, const char *name,
                                     const int64_t *samples, size_t count)
{
    struct run_series *const series =
        build_series(build_bench(run, bench, 1), name, NULL, NULL, samples, count);

    series->crc = run_series_crc(series);
    return series;
}

static void write_run(const struct temporary *folder, const int64_t *samples, size_t count)
{
    char path[TEMPORARY_PATH_MAX];
    char why[RUNFILE_ERROR_MAX];
    struct run run;

    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 2000000000, .by = "tsc"};
    add_series(&run, "work", "quantum", samples, count);
    add_series(&run, "work.more", "count", samples, count)->unit = "count";
    temporary_name(folder, "run.db", path);
    unlink(path); /* a model that was read keeps it from being replaced */
    CHECK(runfile_write(path, &run, why));
    run_free(&run);
}

static void check_read_in(const struct temporary *folder, const char *line, const char *reason)
{
    struct sim_model model;
    char text[300];

    snprintf(text, sizeof(text), "levels a\nload a rate 0.01 service %s\n", line);
    CHECK(!sim_model_read(&model, text, strlen(text), folder->path, NULL, 0, &error));
    CHECK(error.line == 2 && strstr(error.text, reason) != NULL);
}

/* Ticks of half a nanosecond in units of 100 us, half of each. */
static void test_series(void)
{
    static const int64_t samples[] = {400000, 200000, 1200000};
    struct temporary folder = {.path = ""};
    char path[TEMPORARY_PATH_MAX];
    struct sim_model model;

    CHECK(temporary_create(&folder));
    write_run(&folder, samples, 3);
    CHECK(temporary_copy(&folder, "measured.model", FOLDER "measured.model"));
    temporary_name(&folder, "measured.model", path);
    CHECK(sim_model_load(&model, path, NULL, 0, &error));
    CHECK_TEXT(error.text, "");
    const struct sim_law *const service = &model.loads[1].service;

    CHECK(service->kind == SIM_EMPIRICAL && service->count == 3);
    CHECK(near(service->values[0], 0.5, 1e-12) && near(service->values[2], 3, 1e-12));
    CHECK(near(model.loads[1].arrivals.interval.mean, 1.5 / 0.1, 1e-9));
    CHECK_TEXT(service->source, "run.db work.quantum");
    sim_model_free(&model);

    const struct sim_setting unit = {.name = "unit", .value = 50000};

    CHECK(sim_model_load(&model, path, &unit, 1, &error));
    CHECK(near(model.loads[1].service.values[0], 1, 1e-12) && model.unit_ns == 50000);
    sim_model_free(&model);
    check_read_in(&folder, "series run.db work.quanta", "no series work.quanta");
    check_read_in(&folder, "series run.db work.more.count", "no times");
    check_read_in(&folder, "series other.db work.quantum", "other.db");
    write_run(&folder, samples, 0);
    check_read_in(&folder, "series run.db work.quantum", "empty");
    temporary_remove(&folder);
}

static void test_file(void)
{
    static const char text[] = "levels a\nload a rate 0.01 service file values.txt\n";
    struct temporary folder = {.path = ""};
    struct sim_model model;

    CHECK(temporary_create(&folder));
    CHECK(temporary_write(&folder, "values.txt", "# measured\n1.5 2\n\n  4.5\n"));
    CHECK(sim_model_read(&model, text, strlen(text), folder.path, NULL, 0, &error));
    CHECK(model.loads[0].service.count == 3 && near(model.loads[0].service.mean, 8 / 3.0, 1e-12));
    sim_model_free(&model);
    CHECK(temporary_write(&folder, "word.txt", "1.5\n2x\n"));
    check_read_in(&folder, "file word.txt", "word.txt, line 2: \"2x\"");
    CHECK(temporary_write(&folder, "empty.txt", "# none\n"));
    check_read_in(&folder, "file empty.txt", "empty.txt is empty");
    CHECK(temporary_write(&folder, "below.txt", "1 -2\n"));
    check_read_in(&folder, "file below.txt", "value 2 of 2, -2, is below 0");
    check_read_in(&folder, "file none.txt", "none.txt: cannot read the file: No such file");
    temporary_remove(&folder);
    CHECK(!sim_model_read(&model, text, strlen(text), NULL, NULL, 0, &error));
    CHECK(strstr(error.text, "no folder") != NULL);
}

/* ---- settings ---- */

static struct sim_model set_paper(const char *name, double value)
{
    const struct sim_setting setting = {.name = name, .value = value};

    return load("paper.model", &setting, 1);
}

static void test_occupancy_settings(void)
{
    struct sim_model model = set_paper("occupancy.low", 0.4);
    const double estimate = 12.9 * .5 / .5;

    CHECK(near(model.delay_estimate, estimate, 1e-12) && near(model.cycle, 5 * 25.8, 1e-12));
    CHECK(near(model.loads[0].own, 0.4 - 7.4 / 129, 1e-12));
    CHECK(near(model.loads[0].arrivals.interval.mean, 2.2 / (0.4 - 7.4 / 129), 1e-9));
    CHECK(model.loads[1].occupancy == 0.1);
    sim_model_free(&model);

    model = set_paper("occupancy", 0.6);
    CHECK(near(model.loads[0].occupancy, 0.4, 1e-12) && near(model.loads[1].occupancy, 0.2, 1e-12));
    sim_model_free(&model);

    const struct sim_setting back = {.name = "occupancy.background.back", .value = 0.25};

    model = load("processors.model", &back, 1);
    CHECK(near(model.loads[0].own, 0.15, 1e-12) && near(model.loads[1].own, 0.25, 1e-12));
    CHECK(near(model.loads[1].arrivals.interval.mean, 16, 1e-9));
    sim_model_free(&model);

    const struct sim_setting timer = {.name = "occupancy.urgent.front", .value = 0.02};

    model = load("processors.model", &timer, 1);
    CHECK(model.loads[2].arrivals.interval.kind == SIM_CONSTANT);
    CHECK(near(model.loads[2].arrivals.interval.mean, 5, 1e-9));
    sim_model_free(&model);
}

static void test_other_settings(void)
{
    struct sim_model model = set_paper("passes", 7);

    CHECK(model.passes == 7);
    sim_model_free(&model);
    model = set_paper("delay", 100);
    CHECK(model.stimuli[0].arrivals.interval.mean == 100 && near(model.cycle, 118.42857, 1e-5));
    sim_model_free(&model);
    model = set_paper("delay.factor", 5);
    CHECK(near(model.cycle, 6 * 18.42857, 1e-4));
    sim_model_free(&model);
    model = set_paper("work.special", 6.45);
    CHECK(near(model.stimuli[0].stops[0].service.mean, 3.55, 1e-12));
    CHECK(near(model.stimuli[0].work, 6.45, 1e-12));
    sim_model_free(&model);
    model = set_paper("overhead.switch", 0.01);
    CHECK(model.overhead.switching == 0.01);
    sim_model_free(&model);
    model = set_paper("scale.low", 1.5);
    CHECK(near(model.loads[0].arrivals.interval.mean, 18.3808, 5e-5));
    CHECK(near(model.loads[1].arrivals.interval.mean, 37.2115, 5e-5));
    CHECK(near(model.loads[0].service.high, 19.5, 1e-12));
    CHECK(near(model.loads[0].own, 1.5 * .119690, 1e-6));
    CHECK(near(model.stimuli[0].arrivals.interval.mean, 73.7143, 5e-5));
    sim_model_free(&model);
}

/* A number of passes for models that have none. */
static void test_missing_passes(void)
{
    static const char without[] = "levels low\nstimulus s cycle delay 1 route low 1\n";
    const struct sim_setting setting = {.name = "passes", .value = 30, .if_missing = true};
    struct sim_model model;

    CHECK(!sim_model_read(&model, without, strlen(without), NULL, NULL, 0, &error));
    CHECK(sim_model_read(&model, without, strlen(without), NULL, &setting, 1, &error));
    CHECK(model.passes == 30);
    sim_model_free(&model);
    CHECK(sim_model_read(&model, PAPER, strlen(PAPER), NULL, &setting, 1, &error));
    CHECK(model.passes == 10000);
    sim_model_free(&model);
}

static void check_setting_refused(const char *name, double value, const char *reason)
{
    const struct sim_setting setting = {.name = name, .value = value};
    struct sim_model model;

    CHECK(!sim_model_read(&model, PAPER, strlen(PAPER), NULL, &setting, 1, &error));
    CHECK(model.name == NULL && model.loads == NULL);
    if (strstr(error.text, reason) == NULL) {
        fprintf(stderr, "\"%s\" does not contain \"%s\"\n", error.text, reason);
        CHECK(0);
    }
}

static void test_refused_settings(void)
{
    check_setting_refused("occupancy.low", 0.9, "add to 100 %");
    check_setting_refused("occupancy.low", 0.05, "less than");
    check_setting_refused("occupancy.low", 1.5, "not from 0 to 1");
    check_setting_refused("occupancy.high", 0.5, "no load");
    check_setting_refused("occupancy.low", NAN, "must be a number");
    check_setting_refused("passes", 0.5, "not from 1");
    check_setting_refused("passes", 1.5, "whole");
    check_setting_refused("delay", -1, "not from 0");
    check_setting_refused("work.other", 5, "no stimulus");
    check_setting_refused("work.special", 0, "not from");
    check_setting_refused("overhead.nothing", 5, "interrupt, switch");
    check_setting_refused("scale.high", 2, "no level has");
    check_setting_refused("scale.low", 20, "add to");
    check_setting_refused("ocupancy", 0.5, "must be one of passes, unit (ns), delay");
}

/* ---- refusals ---- */

struct refusal {
    const char *text;
    size_t line;
    const char *reason;
};

static void check_refusals(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *const text = refusals[i].text;
        struct sim_model model;
        const bool read = sim_model_read(&model, text, strlen(text), NULL, NULL, 0, &error);

        CHECK(!read && model.name == NULL);
        if (read) {
            fprintf(stderr, "it is read:\n%s", text);
            sim_model_free(&model);
        } else if (error.line != refusals[i].line ||
                   strstr(error.text, refusals[i].reason) == NULL) {
            fprintf(stderr, "%zu: \"%s\" is not %zu: \"%s\"\n", error.line, error.text,
                    refusals[i].line, refusals[i].reason);
            CHECK(0);
        }
    }
}

#define LOADS "2.2 13 15\n1.5 30 3\n"

static void test_refused_papers(void)
{
    static const struct refusal refusals[] = {
        {"0\n", 1, "not a number of passes"},
        {"1.5\n", 1, "not a number of passes"},
        {"1e999\n", 1, "got \"1e999\" in place of"},
        {"0x10\n", 1, "got \"0x10\" in place of"},
        {"5 6\n", 1, "one number too many"},
        {"5\n2.2 13 15\n", 3,
         "missing: expected average, maximum and percent in the tail of "
         "medium"},
        {"5\n2.2 13\n", 2, "got nothing in place of number 3 of 3"},
        {"5\n2.2 nan 15\n", 2, "got \"nan\" in place of number 2 of 3"},
        {"5\n14 13 15\n", 2, "the average 14 is above the maximum 13"},
        {"5\n2.2 13 34\n", 2, "less than 33.85 %"},
        {"5\n-2.2 13 15\n", 2, "below 0"},
        {"5\n" LOADS "60 40\n1\n1 low\n", 4, "add to 100 %"},
        {"5\n" LOADS "-1 40\n1\n1 low\n", 4, "below 0"},
        {"5\n" LOADS "3 40\n1\n1 low\n", 4, "less than the"},
        {"5\n" LOADS "20 10\n0\n", 5, "not a number of quanta"},
        {"5\n" LOADS "20 10\n2\n1 low\n", 7, "missing: expected length and priority"},
        {"5\n" LOADS "20 10\n1\n1 high\n", 6, "unknown priority \"high\""},
        {"5\n" LOADS "20 10\n1\n1\n", 6, "no priority given: must be low or medium"},
        {"5\n" LOADS "20 10\n1\n-1 low\n", 6, "below 0"},
        {"5\n" LOADS "20 10\n1\n0 low\n", 5, "no work"},
        {"5\n" LOADS "20 10\n1\n1 low\n2 low\n", 7, "one too many"},
    };

    check_refusals(refusals, sizeof(refusals) / sizeof(refusals[0]));
}

static void test_refused_lines(void)
{
    static const struct refusal refusals[] = {
        {"", 0, "nothing would happen"},
        {"levls a\n", 1, "unknown statement \"levls\"; did you mean \"levels\"?"},
        {"wibble\n", 1, "must be one of passes, unit, levels"},
        {"load low service 1 rate 0.1\n", 1, "the levels must be given before"},
        {"levels a a\n", 1, "two levels \"a\""},
        {"levels a\nlevels b\n", 2, "given in one line"},
        {"levels a=b\n", 1, "ASCII"},
        {"levels \"a\n", 1, "quote"},
        {"levels a\x01\n", 1, "control character (0x01)"},
        {"levels a\nload b service 1 rate 0.1\n", 2, "\"b\" is not a level"},
        {"levels normal\nload b at norml service 1 rate 0.1\n", 2, "did you mean \"normal\"?"},
        {"levels a\nload a on gpu service 1 rate 0.1\n", 2, "unknown processor \"gpu\""},
        {"levels a\nload a rate 0.1\n", 2, "is missing"},
        {"levels a\nload a service 0 rate 0.1\n", 2, "0 in the mean"},
        {"levels a\nload a service -1 rate 0.1\n", 2, "below 0"},
        {"levels a\nload a service inf rate 0.1\n", 2, "unknown law of times \"inf\""},
        {"levels a\nload a service 1e999 rate 0.1\n", 2, "\"1e999\" is not a number"},
        {"levels a\nload a service average 2 tail 5% rate 0.1\n", 2,
         "there are only average and tail"},
        {"levels a\nload a service average 2 maximum 9 tail 15 rate 0.1\n", 2, "write 15%"},
        {"levels a\nload a service average 2 maximum 1 tail 0 rate 0.1\n", 2, "above the maximum"},
        {"levels a\nload a service uniform 3 2 rate 0.1\n", 2, "above the upper end"},
        {"levels a\nload a service 1\n", 2, "rate of arrivals of \"a\" is missing"},
        {"levels a\nload a service 1 rate 0\n", 2, "must be above 0"},
        {"levels a\nload a service 1 rate 0.1 interval 3\n", 2, "given twice"},
        {"levels a\nload a service 1 arrivals every 5 rate 3\n", 2, "already determine"},
        {"levels a\nload a service 1 arrivals trace 5 3\n", 2, "is before the previous"},
        {"levels a\nload a service 1 arrivals trace\n", 2, "empty"},
        {"levels a\nload a service values b rate 1\n", 2, "not a list of values"},
        {"levels a\nload a service values rate 1\n", 2, "not a list of values"},
        {"levels a\nload a service 1 occupancy 100%\n", 2, "add to 100 %"},
        {"levels a\nload a service 1 rate 0.1 5\n", 2, "unknown word of a load \"5\""},
        {"levels a\nload a service 1 rate 0.1\nload a service 1 rate 0.1\n", 3, "two loads \"a\""},
        {"levels a\nload a service 1 total 10%\nload b at a service 1 rate 0.1\n", 3, "a total is"},
        {"levels a\nprocessors p q\nload a service 1 rate 0.1\n", 3, "several processors"},
        {"levels a\nload a service 1 occupancy 60%\nload b at a service 1 occupancy 40%\n", 3,
         "add to 100 %"},
        {"unit 5\n", 1, "time unit must be a time"},
        {"discipline lifo\n", 1, "unknown discipline \"lifo\": must be one of exhaustive"},
        {"overhead interrupt -1\n", 1, "below 0"},
        {"passes 1e3 5\n", 1, "\"5\" is too much for this line"},
        {"route a 5\n", 1, "there is none"},
    };

    check_refusals(refusals, sizeof(refusals) / sizeof(refusals[0]));
}

#define PROCESSES "levels a\nprocess P at a\nprocess Q at a\npasses 5\n"

static void test_refused_routes(void)
{
    static const struct refusal refusals[] = {
        {PROCESSES "stimulus s route X 1\n", 5,
         "unknown process, level or station \"X\": must be one of P, Q, a"},
        {PROCESSES "stimulus s\n", 5, "no route"},
        {PROCESSES "stimulus s route P 0\n", 5, "no work"},
        {PROCESSES "stimulus s route P 1 Q 2\n", 5, "unknown word of a route \"Q\""},
        {PROCESSES "stimulus s route P 1,\n", 5, "missing"},
        {PROCESSES "stimulus s route P -1\n", 5, "below 0"},
        {PROCESSES "process P at a\n", 5, "already"},
        {PROCESSES "stimulus s route P 1 awaits\n", 5, "does not come back"},
        {PROCESSES "stimulus s route P 1 awaits, P 1, P 1\n", 5, "does not come back"},
        {PROCESSES "stimulus s route a 1 awaits, P 1, a 1\n", 5, "only a process"},
        {PROCESSES "stimulus s route P 1 awaits, Q 1, P 1\n"
                   "stimulus t route Q 1 awaits, P 1, Q 1\n",
         6, "wait for each other"},
        {PROCESSES "stimulus s arrivals poisson interval 2 route P 1, Q 1\n", 5,
         "\"cpu\" takes 100 %"},
        {PROCESSES "stimulus s arrivals poisson occupancy 3% route P 1\n", 5, "not an occupancy"},
        {"levels a\nprocessors x y\nprocess P at a on x\nprocess Q at a on y\npasses 5\n"
         "stimulus s arrivals poisson interval 3 route P 1 awaits, Q 1.5, P 0.5\n",
         6, "process \"P\", and the answers that it awaits, keep it busy 100 %"},
        {"levels a\nprocessors x y\nprocess P at a on x\nprocess Q at a on y\npasses 5\n"
         "transmission 0.5\n"
         "stimulus s arrivals poisson interval 3.2 route P 1 awaits, Q 1.5, P 0.5\n",
         7, "keep it busy 125 %"},
        {"levels a\nprocess P at a\npasses 5\noverhead interrupt 0.5\n"
         "load a service 1 interval 10\nstimulus s arrivals every 1.5 route P 1\n",
         6, "takes 115 %"},
        {"levels a\nstimulus s route a 1\n", 2, "number of passes is missing"},
        {"levels a\npasses 2\nstimulus s arrivals trace 1 route a 1\n", 3, "2 passes"},
        {"levels a\nload a service 1 rate 0.1\npasses 2\n", 3, "there is none"},
    };

    check_refusals(refusals, sizeof(refusals) / sizeof(refusals[0]));
}

#define STATION "passes 5\nstation disk servers 2\n"

static void test_refused_stations(void)
{
    static const struct refusal refusals[] = {
        {"station disk servers 0\n", 1, "the number of servers is a whole number from 1 to 10000"},
        {"station disk servers 1.5\n", 1, "from 1 to 10000"},
        {"station disk servers 10001\n", 1, "from 1 to 10000"},
        {"station disk serves 2\n", 1, "did you mean \"servers\"?"},
        {STATION "station disk\n", 3, "a station \"disk\" already"},
        {STATION "levels a disk\n", 3, "a station and a level"},
        {STATION "levels a\nprocess disk at a\n", 4, "a station \"disk\" already"},
        {"levels a\nstation a\n", 2, "a process or a level \"a\" already"},
        {STATION "stimulus s population 0 route disk 1\n", 3, "a population is a whole number"},
        {STATION "stimulus s population 2 think -1 route disk 1\n", 3, "below 0"},
        {STATION "stimulus s population 2 cycle route disk 1\n", 3, "given twice"},
        {STATION "stimulus s population 2 interval 5 route disk 1\n", 3, "already determine"},
        {STATION "stimulus s population 2 route dsk 1\n", 3, "did you mean \"disk\"?"},
        {STATION "stimulus s population 2 route disk on cpu 1\n", 3, "unknown law of times"},
        {STATION "stimulus s population 2 route disk 0\n", 3, "no work"},
        {STATION "stimulus s population 2 route disk 1 awaits, disk 1, disk 1\n", 3,
         "stop 1 is at a station"},
        {STATION "stimulus s arrivals every 2 route disk 4\n", 3,
         "what arrives for station \"disk\" takes 100 %"},
        {STATION
         "levels a\nstimulus s population 2 route a 1, disk 1\nload a service 1 total 10%\n",
         5, "serves a population"},
    };

    check_refusals(refusals, sizeof(refusals) / sizeof(refusals[0]));
}

static void test_long_lines(void)
{
    char *const text = alloc_zeroed(6000);
    struct sim_model model;

    memset(text, '5', 5000);
    CHECK(!sim_model_read(&model, text, 5000, NULL, NULL, 0, &error));
    CHECK(error.line == 1 && strstr(error.text, "5000 characters") != NULL);
    memset(text, ' ', 5000);
    CHECK(!sim_model_read(&model, text, 5000, NULL, NULL, 0, &error));
    /* a NUL is no end of text */
    memcpy(text, "levels a\0b\n", 11);
    CHECK(!sim_model_read(&model, text, 11, NULL, NULL, 0, &error));
    CHECK(strstr(error.text, "control character (0x00)") != NULL);
    free(text);
}

/* ---- text and copies ---- */

static void check_same_loads(const struct sim_model *model, const struct sim_model *other)
{
    CHECK(model->load_count == other->load_count);
    for (size_t i = 0; i < model->load_count && i < other->load_count; i++) {
        const struct sim_load *const one = &model->loads[i];
        const struct sim_load *const two = &other->loads[i];

        CHECK_TEXT(one->name, two->name);
        CHECK(one->level == two->level && one->processor == two->processor);
        CHECK(one->arrivals.kind == two->arrivals.kind);
        CHECK(laws_equal(&one->service, &two->service));
        CHECK(laws_equal(&one->arrivals.interval, &two->arrivals.interval));
        CHECK(one->is_total == two->is_total && near(one->own, two->own, 1e-15));
    }
}

static void check_same_stimuli(const struct sim_model *model, const struct sim_model *other)
{
    CHECK(model->stimulus_count == other->stimulus_count);
    for (size_t i = 0; i < model->stimulus_count && i < other->stimulus_count; i++) {
        const struct sim_stimulus *const one = &model->stimuli[i];
        const struct sim_stimulus *const two = &other->stimuli[i];

        CHECK_TEXT(one->name, two->name);
        CHECK(one->arrivals.kind == two->arrivals.kind && one->work == two->work);
        CHECK(one->arrivals.population == two->arrivals.population);
        CHECK(laws_equal(&one->arrivals.interval, &two->arrivals.interval));
        CHECK(one->stop_count == two->stop_count);
        for (size_t k = 0; k < one->stop_count; k++) {
            CHECK(one->stops[k].process == two->stops[k].process);
            CHECK(one->stops[k].level == two->stops[k].level);
            CHECK(one->stops[k].station == two->stops[k].station);
            CHECK(one->stops[k].awaits == two->stops[k].awaits);
            CHECK(laws_equal(&one->stops[k].service, &two->stops[k].service));
        }
    }
}

static void check_round_trip(const struct sim_model *model)
{
    char *const text = sim_model_text(model);
    struct sim_model again = read_text(text);
    char *const text_again = sim_model_text(&again);

    CHECK_TEXT(text, text_again);
    CHECK(model->passes == again.passes && model->unit_ns == again.unit_ns);
    CHECK(model->cycle == again.cycle && model->delay_estimate == again.delay_estimate);
    CHECK(model->overhead.interrupt == again.overhead.interrupt);
    CHECK(model->overhead.switching == again.overhead.switching);
    CHECK(model->overhead.receive == again.overhead.receive);
    CHECK(model->overhead.send == again.overhead.send);
    CHECK(laws_equal(&model->transmission, &again.transmission));
    CHECK(model->discipline == again.discipline && model->process_count == again.process_count);
    check_same_loads(model, &again);
    check_same_stimuli(model, &again);
    free(text);
    free(text_again);
    sim_model_free(&again);
}

static void test_text(void)
{
    static const char *const names[] = {"paper.model",   "order.model",   "processors.model",
                                        "single1.model", "single2.model", "single3.model",
                                        "two1.model",    "two2.model",    "two3.model",
                                        "disk.model",    "laws.model"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct sim_model model = load(names[i], NULL, 0);

        check_round_trip(&model);
        sim_model_arrive(&model, SIM_UNIFORM_ARRIVALS);
        check_round_trip(&model);
        sim_model_free(&model);
    }
    struct sim_model model = set_paper("scale.medium", 1.0 / 3);
    struct sim_model listed =
        read_text("levels a\nprocessors x\nvalues v 2 4\ntransmission values v\n"
                  "load l at a on x service 1 interval 9\n");

    struct sim_model scheduled = read_text("levels a b c\nnonpreemptive c a\nslice 0.5\npasses 9\n"
                                           "stimulus s arrivals every 5 deadline 7 route a 1\n");

    CHECK(scheduled.nonpreemptive == 5 && scheduled.slice == 0.5);
    CHECK(scheduled.stimuli[0].deadline == 7);
    check_round_trip(&model);
    check_round_trip(&listed);
    check_round_trip(&scheduled);
    sim_model_free(&model);
    sim_model_free(&listed);
    sim_model_free(&scheduled);
}

/* A law with a shape needs its words, and is for simulations only. */
static void test_shapes(void)
{
    struct sim_model model = load("laws.model", NULL, 0);

    CHECK(model.loads[3].service.kind == SIM_SHAPED && model.loads[3].service.shape == SIM_ERLANG);
    CHECK(near(model.loads[3].own, 0.1, 1e-12) && model.loads[3].service.given[1] == 3);
    CHECK(near(model.loads[4].arrivals.interval.mean, 50, 1e-12));
    CHECK(near(model.stimuli[0].arrivals.interval.mean, 190, 1e-12));
    CHECK(model.loads[1].service.mean > 5 && model.loads[1].service.mean < 5.5);
    sim_model_free(&model);
    static const struct refusal refusals[] = {
        {"levels a\nload l at a service gamma 5 stages 3 rate 0.1\n", 2,
         "expected \"shape\" of a gamma law"},
        {"levels a\nload l at a service pareto 5 shape 1 rate 0.1\n", 2,
         "expected a number above 1"},
        {"levels a\nslice 0\n", 2, "the time slice: expected a time above 0"},
        {"levels a\nnonpreemptive b\n", 2, "\"b\""},
        {"delay processing lognormal 5 deviation 1\n", 1, "a sum of delays has no lognormal"},
    };

    check_refusals(refusals, sizeof(refusals) / sizeof(refusals[0]));
}

/* Customers of a station, on processors as well, and what of them is known beforehand. */
static void test_stations(void)
{
    struct sim_model model = read_text(
        "passes 9\nlevels low high\nprocessors x y\nstation disk servers 3\nstation tape\n"
        "process P at high on x\n"
        "stimulus reads population 8 think uniform 0 4\n"
        "  route P 1 awaits, disk exponential 2, P 0.5, tape 4\n"
        "stimulus odd population 1 route disk 1\n"
        "stimulus open arrivals poisson interval 10 route low on y 1, tape 3, disk 6\n");
    const struct sim_stimulus *const reads = &model.stimuli[0];

    CHECK(model.station_count == 2 && model.stations[0].servers == 3);
    CHECK(model.stations[1].servers == 1);
    CHECK(reads->arrivals.kind == SIM_POPULATION && reads->arrivals.population == 8);
    CHECK(reads->arrivals.interval.kind == SIM_UNIFORM && reads->arrivals.interval.mean == 2);
    CHECK(reads->stops[0].station == 0 && reads->stops[1].station == 1);
    CHECK(reads->stops[3].station == 2 && reads->work == 7.5);
    CHECK(model.stimuli[1].arrivals.interval.mean == 0);
    CHECK(isnan(sim_model_occupancy(&model, 0, 1)) && sim_model_occupancy(&model, 0, 0) == 0);
    CHECK(near(sim_model_occupancy(&model, 1, 0), 0.1, 1e-12));
    CHECK(isnan(sim_model_station_share(&model, 0)));
    CHECK(near(sim_stimulus_servers(&model.stimuli[2], 0), 0.6, 1e-12));
    check_round_trip(&model);
    struct sim_model copy;

    sim_model_copy(&copy, &model);
    CHECK_TEXT(copy.stations[1].name, "tape");
    sim_model_free(&copy);
    sim_model_free(&model);
}

static void check_disk_setting(const char *name, double value, const char *reason)
{
    const struct sim_setting setting = {.name = name, .value = value};
    struct sim_model model;

    CHECK(!sim_model_load(&model, FOLDER "disk.model", &setting, 1, &error));
    CHECK(strstr(error.text, reason) != NULL);
}

static void test_station_settings(void)
{
    static const struct sim_setting settings[] = {
        {.name = "population.reads", .value = 32},
        {.name = "think.reads", .value = 20},
        {.name = "servers.disk", .value = 2},
    };
    struct sim_model model = load("disk.model", settings, 3);

    CHECK(model.stimuli[0].arrivals.population == 32 && model.stations[0].servers == 2);
    CHECK(model.stimuli[0].arrivals.interval.kind == SIM_EXPONENTIAL);
    CHECK(near(model.stimuli[0].arrivals.interval.mean, 20, 1e-12));
    sim_model_free(&model);
    check_disk_setting("population.reads", 1.5, "whole");
    check_disk_setting("population.reads", 0, "not from 1");
    check_disk_setting("population.disk", 2, "no stimulus of that name");
    check_disk_setting("think.reads", -1, "is not from");
    check_disk_setting("servers.reads", 2, "no station has that name");
    check_disk_setting("servers.disk", 1e6, "not from 1 to 10000");
}

/* Lists that are too long for a line, have one name, or are the same. */
static void test_text_of_values(void)
{
    struct sim_model model = read_text("levels a\nvalues \"1 #\" 1 2\nvalues other 1 2\n"
                                       "load x at a service values \"1 #\" rate 0.01\n"
                                       "load y at a service values \"1 #\" scale 2 rate 0.01\n"
                                       "load z at a service values other rate 0.01\n"
                                       "load w at a service values 5 4 rate 0.01\n");
    double many[150];
    char *text;

    check_round_trip(&model);
    for (size_t i = 0; i < 150; i++) {
        many[i] = (double)i / 7;
    }
    sim_law_free(&model.loads[3].service);
    CHECK(sim_law_empirical(&model.loads[3].service, many, 150, NULL, error.text));
    model.loads[3].own = model.loads[3].service.mean * 0.01;
    check_round_trip(&model);
    text = sim_model_text(&model);
    CHECK(strstr(text, "values \"1 # (2)\" 2 4") != NULL);
    CHECK(strstr(text, "load z at a service values \"1 #\"") != NULL);
    CHECK(strstr(text, "load w at a service values values") != NULL);
    free(text);
    sim_model_free(&model);
}

static void test_copy(void)
{
    struct sim_model model = load("processors.model", NULL, 0);
    struct sim_model copy;
    char *const text = sim_model_text(&model);

    sim_model_copy(&copy, &model);
    char *text_of_copy = sim_model_text(&copy);

    CHECK_TEXT(text, text_of_copy);
    CHECK_TEXT(copy.name, "processors.model");
    free(text_of_copy);
    sim_model_arrive(&copy, SIM_UNIFORM_ARRIVALS);
    text_of_copy = sim_model_text(&copy);
    CHECK(strcmp(text, text_of_copy) != 0);
    free(text_of_copy);
    sim_model_free(&copy);
    text_of_copy = sim_model_text(&model);
    CHECK_TEXT(text, text_of_copy);
    free(text);
    free(text_of_copy);
    sim_model_free(&model);
}

int main(void)
{
    RUN(test_paper());
    RUN(test_paper_without_load());
    RUN(test_paper_in_words());
    RUN(test_processors());
    RUN(test_order());
    RUN(test_any());
    RUN(test_every_statement());
    RUN(test_series());
    RUN(test_file());
    RUN(test_occupancy_settings());
    RUN(test_other_settings());
    RUN(test_missing_passes());
    RUN(test_refused_settings());
    RUN(test_refused_papers());
    RUN(test_refused_lines());
    RUN(test_refused_routes());
    RUN(test_refused_stations());
    RUN(test_stations());
    RUN(test_station_settings());
    RUN(test_long_lines());
    RUN(test_text());
    RUN(test_shapes());
    RUN(test_text_of_values());
    RUN(test_copy());
    return unit_finish("unit_model");
}
