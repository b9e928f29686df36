/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/model/program.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/plan/program.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/sim/model/model_reader.h"
#include "tools/stats/summary.h"

#define TEXT_MAX      3500 /* leaves space in a plan's 4096 characters */
#define SPARE         2    /* the horizon is this many times the expected time */
#define SPARE_PASSES  50   /* and allows for this many more passes */
#define RAREST_QUANTA 2000 /* for a model without stimuli: number of quanta of its rarest load */

/* State of the compilation. What the image cannot run is an error, and only the first one counts;
 * the program is always written to its end. */
struct compiler {
    const struct sim_model *model;
    FILE *out;
    struct sim_model_error *error;
    size_t values;
};

/* ---- parts of statements ---- */

static void put_time(struct compiler *compiler, double units)
{
    const double ns = units * compiler->model->unit_ns;

    sim_require(compiler->error, 0, ns >= 0 && ns <= (double)DRAW_NS_MAX,
                "a time of %g units is %g ns, but the image supports at most %g ns", units, ns,
                (double)DRAW_NS_MAX);
    fprintf(compiler->out, " %.0f", nearbyint(ns));
}

static void put_times(struct compiler *compiler, const double *values, size_t count)
{
    compiler->values += count;
    sim_require(compiler->error, 0, compiler->values <= PROGRAM_VALUES_MAX,
                "more than %d values of traces and series: the image has no space for more",
                PROGRAM_VALUES_MAX);
    fprintf(compiler->out, " %zu", count);
    for (size_t i = 0; i < count; i++) {
        put_time(compiler, values[i]);
    }
}

static void put_law(struct compiler *compiler, const struct sim_law *law)
{
    FILE *out = compiler->out;

    switch (law->kind) {
    case SIM_CONSTANT:
        fputs(" constant", out);
        put_time(compiler, law->mean);
        break;
    case SIM_UNIFORM:
        fputs(" uniform", out);
        put_time(compiler, law->low);
        put_time(compiler, law->high);
        break;
    case SIM_TAILED:
        fputs(" tailed", out);
        put_time(compiler, law->knee);
        put_time(compiler, law->high);
        fprintf(out, " %.0f", nearbyint(law->tail * DRAW_PARTS));
        break;
    case SIM_EXPONENTIAL:
        fputs(" exponential", out);
        put_time(compiler, law->mean);
        break;
    case SIM_EMPIRICAL:
        fputs(" empirical", out);
        put_times(compiler, law->values, law->count);
        break;
    case SIM_SHAPED:
        sim_require(compiler->error, 0, false,
                    "the image has no %s law: use uniform, exponential, average or values",
                    sim_shapes[law->shape].name);
        break;
    }
}

static void put_arrivals(struct compiler *compiler, const struct sim_arrivals *arrivals)
{
    switch (arrivals->kind) {
    case SIM_POPULATION:
        sim_require(compiler->error, 0, false,
                    "a stimulus has a population of %zu, which the image cannot run",
                    arrivals->population);
        break;
    case SIM_CYCLE:
        fputs(" cycle", compiler->out);
        put_time(compiler, arrivals->interval.mean);
        break;
    case SIM_TRACE:
        fputs(" trace", compiler->out);
        put_times(compiler, arrivals->times, arrivals->count);
        break;
    case SIM_RENEWAL:
        fputs(" renewal", compiler->out);
        put_law(compiler, &arrivals->interval);
        break;
    }
}

static void put_name(struct compiler *compiler, const char *statement, const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_-+.:";
    const size_t length = strlen(name);

    sim_require(compiler->error, 0,
                length > 0 && length <= PROGRAM_NAME_MAX && strspn(name, allowed) == length,
                "%s \"%s\": on the image a name must have 1 to %d letters, digits and _-+.:",
                statement, name, PROGRAM_NAME_MAX);
    fprintf(compiler->out, "%s %s", statement, name);
}

static void put_place(struct compiler *compiler, size_t level, size_t processor)
{
    fprintf(compiler->out, " %zu", level);
    if (processor > 0) {
        fprintf(compiler->out, " on %zu", processor);
    }
}

static void end_statement(struct compiler *compiler)
{
    fputc('\n', compiler->out);
}

/* ---- statements ---- */

static void put_structure(struct compiler *compiler)
{
    const struct sim_model *model = compiler->model;

    for (size_t i = 0; i < model->levels; i++) {
        put_name(compiler, "level", model->level[i]);
        end_statement(compiler);
    }
    if (model->processors > 1) {
        for (size_t i = 0; i < model->processors; i++) {
            put_name(compiler, "processor", model->processor[i]);
            end_statement(compiler);
        }
        fputs("transmission", compiler->out);
        put_law(compiler, &model->transmission);
        end_statement(compiler);
    }
    for (size_t i = 0; i < model->process_count; i++) {
        const struct sim_process *process = &model->processes[i];

        put_name(compiler, "process", process->name);
        put_place(compiler, process->level, process->processor);
        end_statement(compiler);
    }
}

static void put_load(struct compiler *compiler, const struct sim_load *load)
{
    fputs("load", compiler->out);
    put_place(compiler, load->level, load->processor);
    put_arrivals(compiler, &load->arrivals);
    put_law(compiler, &load->service);
    end_statement(compiler);
}

static void put_stop(struct compiler *compiler, const struct sim_stop *stop)
{
    sim_require(compiler->error, 0, stop->station == 0,
                "it has a portion at station \"%s\", but the image has no stations",
                stop->station > 0 ? compiler->model->stations[stop->station - 1].name : "");
    sim_require(compiler->error, 0, stop->among == 0,
                "it has a portion \"on any\" processor, but the image cannot draw processors: name "
                "the processor");
    if (stop->process == SIM_NONE) {
        fputs("stop", compiler->out);
        put_place(compiler, stop->level, stop->processor);
    } else {
        fprintf(compiler->out, "%s %zu", stop->awaits ? "await" : "serve", stop->process);
    }
    put_law(compiler, &stop->service);
    end_statement(compiler);
}

static void put_stimulus(struct compiler *compiler, const struct sim_stimulus *stimulus)
{
    put_name(compiler, "stimulus", stimulus->name);
    put_arrivals(compiler, &stimulus->arrivals);
    end_statement(compiler);
    for (size_t i = 0; i < stimulus->stop_count; i++) {
        put_stop(compiler, &stimulus->stops[i]);
    }
}

/* ---- duration ---- */

static uint64_t passes_of(const struct sim_model *model)
{
    if (model->stimulus_count == 0) {
        return 0;
    }
    const struct sim_arrivals *arrivals = &model->stimuli[0].arrivals;
    const uint64_t passes = model->passes > 0 ? model->passes : 1;

    return arrivals->kind == SIM_TRACE && arrivals->count < passes ? arrivals->count : passes;
}

static double rarest_interval(const struct sim_model *model)
{
    double rarest = 0;

    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_arrivals *arrivals = &model->loads[i].arrivals;

        rarest = fmax(rarest, arrivals->kind == SIM_TRACE ? arrivals->times[arrivals->count - 1]
                                                          : arrivals->interval.mean);
    }
    return rarest;
}

static double total_work(const struct sim_model *model)
{
    double work = 0;

    for (size_t i = 0; i < model->stimulus_count; i++) {
        work += model->stimuli[i].work;
    }
    return work;
}

/* Returns the units after which the program should be over, with a margin for what cannot be
 * expected. */
static double horizon_of(const struct sim_model *model, uint64_t passes)
{
    if (model->stimulus_count == 0) {
        return RAREST_QUANTA * rarest_interval(model);
    }
    const struct sim_arrivals *arrivals = &model->stimuli[0].arrivals;
    const double many = SPARE * (double)(passes + SPARE_PASSES);

    switch (arrivals->kind) {
    case SIM_TRACE:
        return SPARE * arrivals->times[arrivals->count - 1] + many * total_work(model);
    case SIM_CYCLE:
        return many * fmax(model->cycle, arrivals->interval.mean + total_work(model));
    default:
        return many * arrivals->interval.mean;
    }
}

/* ---- the whole program ---- */

static void check(const struct sim_model *model, struct sim_model_error *error)
{
    sim_require(error, 0, model->delay_count == 0,
                "it is a sum of delays, which the image cannot run");
    sim_require(error, 0, model->nonpreemptive == 0 && model->slice == 0,
                "the image has neither time slices nor levels that are not preempted");
    sim_require(error, 0, model->discipline != SIM_REQUEUE_BEFORE,
                "on the real kernel, a process cannot get in line again before it has sent its "
                "stimulus on");
    sim_require(error, 0, model->processors <= PROGRAM_PROCESSORS_MAX,
                "%zu processors: the image runs models of at most %d", model->processors,
                PROGRAM_PROCESSORS_MAX);
    sim_require(error, 0,
                model->levels <= PROGRAM_LEVELS_MAX && model->load_count <= PROGRAM_LOADS_MAX &&
                    model->process_count <= PROGRAM_PROCESSES_MAX &&
                    model->stimulus_count <= PROGRAM_STIMULI_MAX,
                "the image has space for %d levels, %d loads, %d processes and %d stimuli",
                PROGRAM_LEVELS_MAX, PROGRAM_LOADS_MAX, PROGRAM_PROCESSES_MAX, PROGRAM_STIMULI_MAX);
    sim_require(error, 0, model->unit_ns > 0,
                "the length of the model's unit is missing: unit 50us");
    sim_require(error, 0, passes_of(model) <= PROGRAM_PASSES_MAX, "more than %d passes",
                PROGRAM_PASSES_MAX);
}

static void put_program(struct compiler *compiler, uint64_t seed)
{
    const struct sim_model *model = compiler->model;
    const uint64_t passes = passes_of(model);

    fprintf(compiler->out, "seed %llu\nunit %.0f\npasses %llu\nhorizon", (unsigned long long)seed,
            nearbyint(model->unit_ns), (unsigned long long)passes);
    put_time(compiler, horizon_of(model, passes));
    fputs(model->discipline == SIM_ONE_A_TURN ? "\nturns\n" : "\n", compiler->out);
    put_structure(compiler);
    for (size_t i = 0; i < model->load_count; i++) {
        put_load(compiler, &model->loads[i]);
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        put_stimulus(compiler, &model->stimuli[i]);
    }
}

/* Finds anything else that the image would reject after it has booted. */
static void check_text(const char *text, struct sim_model_error *error)
{
    struct program *const program = alloc_zeroed(sizeof(*program));
    char why[PROGRAM_ERROR_MAX];

    if (sim_require(error, 0, strlen(text) <= TEXT_MAX,
                    "the program has %zu characters, but at most %d fit into a plan", strlen(text),
                    TEXT_MAX)) {
        sim_require(error, 0, program_read(program, text, why), "the image would reject it: %s",
                    why);
    }
    free(program);
}

char *sim_program_text(const struct sim_model *model, uint64_t seed, struct sim_model_error *error)
{
    struct long_text text;

    *error = (struct sim_model_error){0};
    check(model, error);
    if (sim_refused(error)) {
        return NULL;
    }
    long_text_open(&text);
    put_program(&(struct compiler){.model = model, .out = text.out, .error = error}, seed);
    long_text_close(&text);
    if (!sim_refused(error)) {
        check_text(text.text, error);
    }
    if (sim_refused(error)) {
        long_text_free(&text);
    }
    return text.text;
}

/* ---- costs of the kernel ---- */

#define SAMPLES_LEAST 30
/* fraction of the handlers that is cut on each side, because others may have had the processor */
#define TRIM  0.05
#define LOWER 0.25
#define UPPER 0.75

/* Costs of a run, all in nanoseconds. */
struct costs {
    const struct run_bench *bench;
    double ns_per_tick;
    double spread; /* sum of the interquartile ranges of the series read so far */
    double below;  /* largest amount by which a cost was below 0, within the spread */
    bool failed;
    char *error;
};

__attribute__((format(printf, 2, 3))) static double fail(struct costs *costs, const char *format,
                                                         ...)
{
    va_list values;

    if (!costs->failed) {
        va_start(values, format);
        vsnprintf(costs->error, SIM_OVERHEAD_ERROR_MAX, format, values);
        va_end(values);
    }
    costs->failed = true;
    return 0;
}

/* Returns the samples in ascending order, which the caller frees. Fails and returns NULL if they
 * are missing or too few. */
static double *sorted(struct costs *costs, const char *name, size_t *count)
{
    const struct run_series *series = run_find_series(costs->bench, name);

    if (series == NULL || series->received < SAMPLES_LEAST) {
        fail(costs, "series %s is missing, or has fewer than %d samples", name, SAMPLES_LEAST);
        return NULL;
    }
    double *values = alloc_zeroed(series->received * sizeof(*values));

    for (size_t i = 0; i < series->received; i++) {
        values[i] = (double)series->samples[i] * costs->ns_per_tick;
    }
    sort_reals(values, series->received);
    *count = series->received;
    return values;
}

static double cost(struct costs *costs, const char *name)
{
    size_t count = 0;
    double *values = sorted(costs, name, &count);

    if (values == NULL) {
        return 0;
    }
    const double median = summary_quantile_of(values, count, 0.5);

    costs->spread +=
        summary_quantile_of(values, count, UPPER) - summary_quantile_of(values, count, LOWER);
    free(values);
    return median;
}

/* Returns the mean length of the handlers in the model run, which varies with what they find. */
static double handler(struct costs *costs)
{
    size_t count = 0;
    double *values = sorted(costs, SERIES_HANDLER, &count);
    double sum = 0;

    if (values == NULL) {
        return 0;
    }
    const size_t cut = (size_t)(TRIM * (double)count);

    for (size_t i = cut; i < count - cut; i++) {
        sum += values[i];
    }
    free(values);
    return sum / (double)(count - 2 * cut);
}

/* Returns the cost, or 0 if it is below 0 by no more than the spread of the medians that it comes
 * from. */
static double positive(struct costs *costs, const char *name, double value)
{
    if (value >= 0) {
        return value;
    }
    if (-value > costs->spread) {
        return fail(costs,
                    "the cost of %s is %.4g ns, which is impossible: the medians that it is "
                    "computed from spread by %.4g ns. The processor was disturbed while they were "
                    "measured: boot again, with --mode exact or on an idle machine",
                    name, value, costs->spread);
    }
    costs->below = fmax(costs->below, -value);
    return 0;
}

/* Returns the cost of sending a portion on to the next one, given the other costs. A quantum that
 * was sent up leaves a thread that must find out that it has nothing more to do before the next one
 * of its level gets the processor; for processes, the simulation already includes that. A hop to
 * another processor costs the same as one within a level. */
static double hop(struct costs *costs, const struct sim_overhead *known,
                  const struct sim_stop *stop, bool is_back)
{
    const double begin = known->switching + known->receive;

    if (stop[1].level == stop->level || stop[1].processor != stop->processor) {
        return cost(costs, SERIES_COST_FORWARD) - known->end - begin;
    }
    if (stop[1].level > stop->level) {
        return cost(costs, SERIES_COST_FORWARD_UP) - begin;
    }
    return is_back
               ? cost(costs, SERIES_COST_FORWARD_BACK) - 2 * known->end - known->switching - begin
               : cost(costs, SERIES_COST_FORWARD_DOWN) - known->end - begin;
}

/* Returns the average over the route of the first stimulus. */
static double send(struct costs *costs, const struct sim_overhead *known,
                   const struct sim_model *model)
{
    static const struct sim_stop level[2]; /* from process to process of a level */
    const struct sim_stimulus *stimulus = model->stimuli;
    double sum = 0;

    if (model->stimulus_count == 0 || stimulus->stop_count < 2) {
        return hop(costs, known, level, false);
    }
    for (size_t i = 0; i + 1 < stimulus->stop_count; i++) {
        const struct sim_stop *stop = &stimulus->stops[i];
        const bool is_back = i > 0 && stop[-1].process == SIM_NONE && stop[-1].level < stop->level;

        sum += hop(costs, known, stop, is_back);
    }
    return sum / (double)(stimulus->stop_count - 1);
}

bool sim_program_overhead(const struct run *run, const struct run_bench *bench,
                          const struct sim_model *model, struct sim_overhead *overhead,
                          double *below, char error[SIM_OVERHEAD_ERROR_MAX])
{
    struct costs costs = {.bench = bench, .ns_per_tick = run_ns_per_tick(run), .error = error};

    *overhead = (struct sim_overhead){0};
    *below = 0;
    if (costs.ns_per_tick <= 0) {
        fail(&costs, "the rate of the run's clock is unknown");
        return false;
    }
    const double around =
        positive(&costs, "an interrupt without its handler",
                 cost(&costs, SERIES_COST_INTERRUPT) - cost(&costs, SERIES_COST_INTERRUPT_HANDLER));
    const double in = positive(&costs, "a switch and a receive",
                               cost(&costs, SERIES_COST_BEGIN) -
                                   cost(&costs, SERIES_COST_BEGIN_HANDLER) - around);
    const double portion = positive(&costs, "a portion", cost(&costs, SERIES_COST_EMPTY));
    const double end = positive(&costs, "an end", cost(&costs, SERIES_COST_NEXT) - in);
    const double back = cost(&costs, SERIES_COST_PREEMPT) -
                        cost(&costs, SERIES_COST_PREEMPT_HANDLER) - around - in - portion - end;
    const double switching = fmin(in, positive(&costs, "a switch", back));

    *overhead = (struct sim_overhead){
        .interrupt = around + handler(&costs),
        .switching = switching,
        .receive = in - switching,
        .portion = portion,
        .end = end,
    };
    overhead->send = positive(&costs, "a send", send(&costs, overhead, model));
    if (run_find_series(bench, SERIES_COST_REMOTE) != NULL) {
        overhead->remote =
            positive(&costs, "a message to another processor",
                     cost(&costs, SERIES_COST_REMOTE) - cost(&costs, SERIES_COST_FORWARD) + end);
    }
    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        *sim_overhead_part(overhead, i) *= 1 / model->unit_ns;
    }
    *below = costs.below / model->unit_ns;
    return !costs.failed;
}
