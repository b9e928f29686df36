/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as a model, in whichever form. What is read can be run, or solved, and its
 * text reads as the same model; what is refused has a reason. It may name files of a folder.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/program.h"
#include "tools/sim/engine/convolution.h"
#include "tools/sim/engine/engine.h"
#include "tools/sim/model/model.h"
#include "tools/sim/model/program.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/whole_file.h"

#define SOLVED 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the folder ---- */

/*
 * The folder beside a fuzzer's text, with files that it may name: "f", which is what stands behind
 * two zero bytes of the input, and "r", a run file with the series s (ns), t (ticks) and n (ns, and
 * some below 0) of bench b.
 */

static void add_times(struct run_bench *bench, const char *name, const char *unit, int64_t least)
{
    const int64_t times[] = {1500, least, 250, 98000, 250};
    struct run_series *series = build_series(bench, name, NULL, NULL, times, 5);

    series->unit = unit;
    series->crc = run_series_crc(series);
}

static void write_run(void)
{
    char path[TEMPORARY_PATH_MAX];
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    own_path("r", path);
    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    struct run_bench *bench = build_bench(&run, "b", 1);

    add_times(bench, "s", "ns", 0);
    add_times(bench, "t", "tick", 0);
    add_times(bench, "n", "ns", -1);
    demand(runfile_write(path, &run, error));
    run_free(&run);
}

/* The folder is as the input wants it; returns the length of the text. */
static size_t fill_folder(const uint8_t *data, size_t size)
{
    const uint8_t *zeros = memmem(data, size, "\0", 2);
    char path[TEMPORARY_PATH_MAX];

    if (own.path[0] == '\0') {
        write_run();
    }
    own_path("f", path);
    if (zeros != NULL) {
        write_whole_file(path, zeros + 2, size - (size_t)(zeros - data) - 2);
    } else {
        unlink(path);
    }
    return zeros != NULL ? (size_t)(zeros - data) : size;
}

/* ---- the text ---- */

/* The text gives a load's interval and not its occupancy, which comes back rounded. */
static int is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static void check_law(const struct sim_law *law)
{
    demand(isfinite(law->mean) && law->mean >= 0);
    demand(law->kind != SIM_TAILED || (law->knee > 0 && law->knee <= law->high));
    demand((law->kind == SIM_EMPIRICAL) == (law->count > 0));
}

static void check_arrivals(const struct sim_arrivals *arrivals)
{
    check_law(&arrivals->interval);
    demand(arrivals->kind != SIM_RENEWAL || arrivals->interval.mean > 0);
    demand((arrivals->kind == SIM_TRACE) == (arrivals->count > 0));
    demand((arrivals->kind == SIM_POPULATION) == (arrivals->population > 0));
    for (size_t i = 1; i < arrivals->count; i++) {
        demand(arrivals->times[i] >= arrivals->times[i - 1] && arrivals->times[0] >= 0);
    }
}

static void check_stimulus(const struct sim_model *model, const struct sim_stimulus *stimulus)
{
    check_arrivals(&stimulus->arrivals);
    demand(stimulus->stop_count > 0 && stimulus->work > 0);
    for (size_t i = 0; i < stimulus->stop_count; i++) {
        const struct sim_stop *const stop = &stimulus->stops[i];

        check_law(&stop->service);
        demand(stop->level < model->levels && stop->processor < model->processors);
        demand(stop->process == SIM_NONE || stop->process < model->process_count);
        demand(stop->station <= model->station_count);
        demand(stop->station == 0 || (stop->process == SIM_NONE && stop->among == 0));
    }
}

/* The curve of their sum rises to 1. */
static void check_curve(const struct sim_model *model)
{
    struct convolution_sum sum;
    double before = 0;

    convolution_solve(model, NULL, 0, &sum);
    demand(isfinite(sum.offset) && sum.step > 0 && sum.error >= 0 && sum.count > 0);
    for (size_t i = 0; i < sum.count; i++) {
        demand(sum.below[i] >= before && sum.below[i] <= 1 && sum.atoms[i] <= sum.below[i]);
        before = sum.below[i];
    }
    demand(before >= 1 - 1e-6 && isfinite(convolution_quantile(&sum, .5)) &&
           isfinite(convolution_below(&sum, sum.mean, NULL)));
    convolution_sum_free(&sum);
}

/* Of SOLVED sums one is solved, which is slow. */
static void check_delays(const struct sim_model *model, const uint8_t *data, size_t size)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < model->delay_count; i++) {
        check_law(&model->delays[i].law);
    }
    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + data[i];
    }
    if (sum % SOLVED == 0) {
        check_curve(model);
    }
}

static void check_model(const struct sim_model *model)
{
    double own[SIM_PROCESSORS_MAX] = {0};

    if (model->delay_count > 0) {
        demand(model->load_count == 0 && model->stimulus_count == 0 && model->unit_ns > 0);
        return;
    }
    demand(model->levels > 0 && model->processors > 0 && model->unit_ns > 0);
    demand((model->passes > 0) == (model->stimulus_count > 0));
    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_load *const load = &model->loads[i];

        check_arrivals(&load->arrivals);
        check_law(&load->service);
        demand(load->level < model->levels && load->processor < model->processors);
        demand(load->own >= 0 && (own[load->processor] += load->own) < 1);
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        check_stimulus(model, &model->stimuli[i]);
    }
}

/* As the image plays it, which takes it as it is, and as the host simulates it for a while. */
static void play(const struct sim_model *model)
{
    static struct program program;
    /* More passes than the model has, its traces of arrivals may not hold. */
    const struct sim_limits limits = {
        .seed = 1, .passes = model->passes < 3 ? model->passes : 3, .quanta = 300};
    const struct sim_observer observer = {0};
    struct sim_model_error error;
    char why[PROGRAM_ERROR_MAX > SIM_LAW_ERROR_MAX ? PROGRAM_ERROR_MAX : SIM_LAW_ERROR_MAX];
    struct sim_tally tally;
    char *text = sim_program_text(model, 1, &error);

    demand(text != NULL ? program_read(&program, text, why) : error.text[0] != '\0');
    free(text);
    sim_tally_init(&tally, model, NULL, 0, true);
    demand(sim_simulate(model, &limits, &observer, &tally, why) || why[0] != '\0');
    sim_tally_free(&tally);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sim_model_error error;
    struct sim_model model;
    struct sim_model again;

    const size_t length = fill_folder(data, size);

    if (!sim_model_read(&model, (const char *)data, length, own_folder(), NULL, 0, &error)) {
        demand(error.text[0] != '\0' && memchr(error.text, '\0', sizeof(error.text)) != NULL);
        demand(model.name == NULL && model.loads == NULL && model.stimuli == NULL);
        return 0;
    }
    check_model(&model);
    char *const text = sim_model_text(&model);

    demand(sim_model_read(&again, text, strlen(text), own_folder(), NULL, 0, &error));
    check_model(&again);
    demand(is_near(model.delay_estimate, again.delay_estimate) &&
           is_near(model.cycle, again.cycle));
    char *const text_again = sim_model_text(&again);

    demand(strcmp(text, text_again) == 0);
    if (model.delay_count > 0) {
        check_delays(&model, data, size);
    } else {
        play(&model);
    }
    free(text);
    free(text_again);
    sim_model_free(&model);
    sim_model_free(&again);
    return 0;
}
