/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a model as text in the form with names (tools/sim/README.md), not in the paper's five
 * parts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/texts.h"
#include "tools/sim/model/model.h"

/* largest list that is written where it is used, so that it fits on the line */
#define INLINE_MAX 100
#define ROW_VALUES 10

/* A named list of values. */
struct list {
    char *name;
    const double *values;
    size_t count;
};

struct text {
    FILE *out;
    const struct sim_model *model;
    struct list *lists;
    size_t list_count, list_capacity;
};

/* Writes a number with the fewest digits that give the same number again. */
static void put_number(const struct text *text, double value)
{
    char digits[32];

    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof(digits), "%.*g", precision, value);
        if (strtod(digits, NULL) == value) {
            break;
        }
    }
    fprintf(text->out, " %s", digits);
}

/* Writes a word of the grammar and the number after it. */
static void put_word(const struct text *text, const char *word, double value)
{
    fprintf(text->out, " %s", word);
    put_number(text, value);
}

static void put_name(const struct text *text, const char *name)
{
    const bool plain = strpbrk(name, " \t,#") == NULL && strchr("+-.0123456789", *name) == NULL;

    fprintf(text->out, plain ? " %s" : " \"%s\"", name);
}

/* ---- lists ---- */

static const struct list *find_list(const struct text *text, const double *values, size_t count)
{
    for (size_t i = 0; i < text->list_count; i++) {
        const struct list *const list = &text->lists[i];

        if (list->count == count && memcmp(list->values, values, count * sizeof(*values)) == 0) {
            return list;
        }
    }
    return NULL;
}

static bool name_taken(const struct text *text, const char *name)
{
    return sim_find(text->lists, text->list_count, sizeof(*text->lists), name) != SIM_NONE;
}

static void write_list(const struct text *text, const struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (i % ROW_VALUES == 0) {
            fputs(i > 0 ? "\nvalues" : "values", text->out);
            put_name(text, list->name);
        }
        put_number(text, list->values[i]);
    }
    fputc('\n', text->out);
}

/* Writes a list once, named `source`, with a number appended if another list has that name. */
static void add_list(struct text *text, const double *values, size_t count, const char *source)
{
    if (count == 0 || (source == NULL && count <= INLINE_MAX) ||
        find_list(text, values, count) != NULL) {
        return;
    }
    char *name = strdup(source != NULL ? source : "values");

    for (unsigned number = 2; name_taken(text, name); number++) {
        free(name);
        if (asprintf(&name, "%s (%u)", source != NULL ? source : "values", number) < 0) {
            abort();
        }
    }
    *ALLOC_NEXT(text->lists, text->list_count, text->list_capacity) =
        (struct list){name, values, count};
    write_list(text, &text->lists[text->list_count - 1]);
}

static void add_law(struct text *text, const struct sim_law *law)
{
    if (law->kind == SIM_EMPIRICAL) {
        add_list(text, law->values, law->count, law->source);
    }
}

static void add_arrivals(struct text *text, const struct sim_arrivals *arrivals)
{
    add_law(text, &arrivals->interval);
    add_list(text, arrivals->times, arrivals->count, NULL);
}

static void write_lists(struct text *text)
{
    const struct sim_model *const model = text->model;

    for (size_t i = 0; i < model->load_count; i++) {
        add_arrivals(text, &model->loads[i].arrivals);
        add_law(text, &model->loads[i].service);
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        add_arrivals(text, &model->stimuli[i].arrivals);
        for (size_t k = 0; k < model->stimuli[i].stop_count; k++) {
            add_law(text, &model->stimuli[i].stops[k].service);
        }
    }
    for (size_t i = 0; i < model->delay_count; i++) {
        add_law(text, &model->delays[i].law);
    }
}

static void put_values(const struct text *text, const double *values, size_t count)
{
    const struct list *const list = find_list(text, values, count);

    fputs(" values", text->out);
    if (list != NULL) {
        put_name(text, list->name);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        put_number(text, values[i]);
    }
}

/* ---- laws and arrivals ---- */

static void put_law(const struct text *text, const struct sim_law *law)
{
    const struct sim_shape *const shape = &sim_shapes[law->shape];

    switch (law->kind) {
    case SIM_CONSTANT:
        put_number(text, law->mean);
        return;
    case SIM_UNIFORM:
        put_word(text, "uniform", law->low);
        put_number(text, law->high);
        return;
    case SIM_TAILED:
        put_word(text, "average", law->mean);
        put_word(text, "maximum", law->high);
        put_word(text, "tail", law->tail);
        return;
    case SIM_EXPONENTIAL:
        put_word(text, "exponential", law->mean);
        return;
    case SIM_EMPIRICAL:
        put_values(text, law->values, law->count);
        return;
    case SIM_SHAPED:
        for (size_t i = 0; i < SIM_SHAPE_NUMBERS && shape->word[i] != NULL; i++) {
            put_word(text, i == 0 ? shape->name : shape->word[i], law->given[i]);
        }
        return;
    }
}

/* Returns whether the kind of arrivals leaves the mean interval open. */
static bool has_open_mean(const struct sim_arrivals *arrivals)
{
    return arrivals->kind == SIM_RENEWAL &&
           (arrivals->interval.kind == SIM_EXPONENTIAL ||
            (arrivals->interval.kind == SIM_UNIFORM && arrivals->interval.low == 0));
}

static void put_renewal(const struct text *text, const struct sim_arrivals *arrivals)
{
    const struct sim_law *const interval = &arrivals->interval;

    if (has_open_mean(arrivals)) {
        fprintf(text->out, " arrivals %s", interval->kind == SIM_UNIFORM ? "uniform" : "poisson");
    } else if (interval->kind == SIM_CONSTANT) {
        put_word(text, "arrivals every", interval->mean);
    } else {
        fputs(" arrivals by", text->out);
        put_law(text, interval);
    }
}

static void put_arrivals(const struct text *text, const struct sim_arrivals *arrivals)
{
    switch (arrivals->kind) {
    case SIM_RENEWAL:
        put_renewal(text, arrivals);
        return;
    case SIM_TRACE:
        fputs(" arrivals trace", text->out);
        put_values(text, arrivals->times, arrivals->count);
        return;
    case SIM_POPULATION:
        fprintf(text->out, " population %zu think", arrivals->population);
        put_law(text, &arrivals->interval);
        return;
    case SIM_CYCLE:
        fputs(" cycle", text->out);
        if (arrivals->fixed) {
            put_word(text, "delay", arrivals->interval.mean);
        }
        return;
    }
}

/* ---- statements ---- */

static void put_processor(const struct text *text, size_t processor)
{
    if (text->model->processors > 1) {
        fputs(" on", text->out);
        put_name(text, text->model->processor[processor]);
    }
}

static void write_whole(struct text *text)
{
    const struct sim_model *const model = text->model;
    struct sim_overhead overhead = model->overhead;

    if (model->passes > 0) {
        fprintf(text->out, "passes %llu\n", (unsigned long long)model->passes);
    }
    fputs("unit", text->out);
    put_number(text, model->unit_ns);
    fputs("ns\nlevels", text->out);
    for (size_t i = 0; i < model->levels; i++) {
        put_name(text, model->level[i]);
    }
    fputs("\nprocessors", text->out);
    for (size_t i = 0; i < model->processors; i++) {
        put_name(text, model->processor[i]);
    }
    fprintf(text->out, "\ndiscipline %s\n", sim_discipline_names[model->discipline]);
    for (size_t i = 0; i < model->levels; i++) {
        if ((model->nonpreemptive >> i & 1) != 0) {
            fputs("nonpreemptive", text->out);
            put_name(text, model->level[i]);
            fputc('\n', text->out);
        }
    }
    if (model->slice > 0) {
        put_word(text, "slice", model->slice);
        fputc('\n', text->out);
    }
    add_law(text, &model->transmission);
    fputs("transmission", text->out);
    put_law(text, &model->transmission);
    fputs("\noverhead", text->out);
    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        put_word(text, sim_overhead_name(i), *sim_overhead_part(&overhead, i));
    }
    fputs("\ndelay", text->out);
    put_word(text, "factor", model->delay_factor);
    fputc('\n', text->out);
}

/* Writes a load. A total is written in place of the interval that follows from it; otherwise the
 * current interval is written. */
static void write_load(const struct text *text, const struct sim_load *load)
{
    const struct sim_model *const model = text->model;

    fputs("load", text->out);
    put_name(text, load->name);
    fputs(" at", text->out);
    put_name(text, model->level[load->level]);
    put_processor(text, load->processor);
    fputs(" service", text->out);
    put_law(text, &load->service);
    if (load->arrivals.fixed || !has_open_mean(&load->arrivals) ||
        load->arrivals.interval.kind == SIM_UNIFORM) {
        put_arrivals(text, &load->arrivals);
    }
    if (has_open_mean(&load->arrivals) && load->is_total) {
        put_word(text, "total", load->occupancy);
    } else if (has_open_mean(&load->arrivals)) {
        put_word(text, "interval", load->arrivals.interval.mean);
    }
    fputc('\n', text->out);
}

static void write_stimulus(const struct text *text, const struct sim_stimulus *stimulus)
{
    const struct sim_model *const model = text->model;

    fputs("stimulus", text->out);
    put_name(text, stimulus->name);
    put_arrivals(text, &stimulus->arrivals);
    if (has_open_mean(&stimulus->arrivals)) {
        put_word(text, "interval", stimulus->arrivals.interval.mean);
    }
    if (stimulus->deadline > 0) {
        put_word(text, "deadline", stimulus->deadline);
    }
    fputc('\n', text->out);
    for (size_t i = 0; i < stimulus->stop_count; i++) {
        const struct sim_stop *const stop = &stimulus->stops[i];

        fputs("  route", text->out);
        if (stop->station > 0) {
            put_name(text, model->stations[stop->station - 1].name);
        } else if (stop->process != SIM_NONE) {
            put_name(text, model->processes[stop->process].name);
        } else {
            put_name(text, model->level[stop->level]);
            if (stop->among > 0) {
                fputs(" on any", text->out);
            } else {
                put_processor(text, stop->processor);
            }
        }
        put_law(text, &stop->service);
        fputs(stop->awaits ? " awaits\n" : "\n", text->out);
    }
}

char *sim_model_text(const struct sim_model *model)
{
    struct long_text written;

    long_text_open(&written);
    struct text text = {.model = model, .out = written.out};

    if (model->delay_count > 0) {
        fputs("unit", text.out);
        put_number(&text, model->unit_ns);
        fputs("ns\n", text.out);
    } else {
        write_whole(&text);
    }
    write_lists(&text);
    for (size_t i = 0; i < model->delay_count; i++) {
        const struct sim_delay *const delay = &model->delays[i];

        fprintf(text.out, "delay %s", sim_delay_names[delay->part]);
        put_law(&text, &delay->law);
        put_word(&text, "with", delay->probability);
        fprintf(text.out, " times %zu\n", delay->times);
    }
    for (size_t i = 0; i < model->load_count; i++) {
        write_load(&text, &model->loads[i]);
    }
    for (size_t i = 0; i < model->process_count; i++) {
        fputs("process", text.out);
        put_name(&text, model->processes[i].name);
        fputs(" at", text.out);
        put_name(&text, model->level[model->processes[i].level]);
        put_processor(&text, model->processes[i].processor);
        fputc('\n', text.out);
    }
    for (size_t i = 0; i < model->station_count; i++) {
        fputs("station", text.out);
        put_name(&text, model->stations[i].name);
        fprintf(text.out, " servers %zu\n", model->stations[i].servers);
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        write_stimulus(&text, &model->stimuli[i]);
    }
    long_text_close(&written);
    for (size_t i = 0; i < text.list_count; i++) {
        free(text.lists[i].name);
    }
    free(text.lists);
    return written.text;
}
