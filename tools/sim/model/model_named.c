/* SPDX-License-Identifier: BSD-2-Clause */
/* The grammar with names: one statement a line, identified by its first word. */
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/sim/model/model_reader.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the whole ---- */

static bool read_passes(struct sim_reader *reader)
{
    const struct sim_token *const token = sim_peek(reader);

    if (token == NULL || !sim_whole_number(token->text, 1, &reader->model->passes)) {
        return sim_reader_fail(reader, "the number of passes is a whole one from 1: passes 10000");
    }
    reader->token++;
    return true;
}

static bool read_unit(struct sim_reader *reader)
{
    static const struct {
        const char *suffix;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const struct sim_token *const token = sim_peek(reader);

    if (reader->unit_used) {
        return sim_reader_fail(reader, "the unit must come before the first series of a run");
    }
    for (size_t i = 0; token != NULL && i < COUNT(units); i++) {
        bool has_unit = false;
        double value;

        if (sim_number(token->text, units[i].suffix, &value, &has_unit) && has_unit &&
            value * units[i].ns >= SIM_NUMBER_LEAST && value * units[i].ns <= SIM_NUMBER_MOST) {
            reader->token++;
            if (!reader->keeps_unit) {
                reader->model->unit_ns = value * units[i].ns;
            }
            return true;
        }
    }
    return sim_reader_fail(reader, "one time unit is a time in ns, us, ms or s: unit 100us");
}

/* One name or more, each once. */
static bool read_names(struct sim_reader *reader, const char *what, char **names, size_t most,
                       size_t *count)
{
    if (*count > 0) {
        return sim_reader_fail(reader, "the %ss are given once, before what is at one of them",
                               what);
    }
    do {
        const char *name;

        if (!sim_read_name(reader, what, &name)) {
            return false;
        }
        for (size_t i = 0; i < *count; i++) {
            if (strcmp(names[i], name) == 0) {
                return sim_reader_fail(reader, "there are two %ss \"%s\"", what, name);
            }
        }
        if (*count == most) {
            return sim_reader_fail(reader, "there are more than %zu %ss", most, what);
        }
        names[(*count)++] = strdup(name);
    } while (sim_peek(reader) != NULL);
    return true;
}

static bool read_levels(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    if (!read_names(reader, "level", model->level, SIM_LEVELS_MAX, &model->levels)) {
        return false;
    }
    for (size_t i = 0; i < model->station_count; i++) {
        for (size_t k = 0; k < model->levels; k++) {
            if (strcmp(model->stations[i].name, model->level[k]) == 0) {
                return sim_reader_fail(reader,
                                       "\"%s\" is a station and a level: a route could mean "
                                       "either",
                                       model->level[k]);
            }
        }
    }
    return true;
}

static bool read_processors(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    return read_names(reader, "processor", model->processor, SIM_PROCESSORS_MAX,
                      &model->processors);
}

static bool read_discipline(struct sim_reader *reader)
{
    static const char *const known[] = {"exhaustive", "one-a-turn", "requeue-before"};
    const size_t found = sim_read_keyword(reader, "discipline", known, COUNT(known));

    reader->model->discipline = found != SIM_NONE ? (enum sim_discipline)found : SIM_EXHAUSTIVE;
    return found != SIM_NONE;
}

static bool read_transmission(struct sim_reader *reader)
{
    sim_law_free(&reader->model->transmission);
    return sim_read_law(reader, &reader->model->transmission);
}

static bool read_overhead(struct sim_reader *reader)
{
    const char *known[SIM_OVERHEAD_PARTS];

    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        known[i] = sim_overhead_name(i);
    }
    do {
        const size_t found = sim_read_keyword(reader, "overhead", known, COUNT(known));
        double value;

        if (found == SIM_NONE || !sim_read_number(reader, "a length", &value)) {
            return false;
        }
        if (value < 0) {
            return sim_reader_fail(reader, "the length %.10g is below 0", value);
        }
        *sim_overhead_part(&reader->model->overhead, (enum sim_overhead_part)found) = value;
    } while (sim_peek(reader) != NULL);
    return true;
}

static bool read_factor(struct sim_reader *reader)
{
    double factor;

    if (!sim_read_number(reader, "a factor", &factor)) {
        return false;
    }
    if (factor < 0) {
        return sim_reader_fail(reader, "the delay factor %.10g is below 0", factor);
    }
    reader->model->delay_factor = factor;
    return true;
}

/* PART LAW [with P%] [times N] */
static bool read_part(struct sim_reader *reader, enum sim_delay_part part)
{
    struct sim_model *const model = reader->model;
    uint64_t times = 1;

    model->delays = alloc_append(model->delays, &model->delay_count, &reader->delay_capacity,
                                 sizeof(*model->delays));
    struct sim_delay *const delay = &model->delays[model->delay_count - 1];

    *delay = (struct sim_delay){.part = part, .probability = 1};
    if (!sim_read_law(reader, &delay->law) ||
        (sim_accept(reader, "with") &&
         !sim_read_part(reader, "a probability", &delay->probability))) {
        return false;
    }
    if (sim_accept(reader, "times")) {
        const struct sim_token *const token = sim_peek(reader);

        if (token == NULL || !sim_whole_number(token->text, 0, &times) ||
            times > SIM_DELAY_TIMES_MAX) {
            return sim_reader_fail(reader, "after times comes a whole number from 0 to %d",
                                   SIM_DELAY_TIMES_MAX);
        }
        reader->token++;
    }
    delay->times = (size_t)times;
    return true;
}

static bool read_delay(struct sim_reader *reader)
{
    const char *known[SIM_DELAY_PARTS + 1];

    for (size_t i = 0; i < SIM_DELAY_PARTS; i++) {
        known[i] = sim_delay_names[i];
    }
    known[SIM_DELAY_PARTS] = "factor";
    const size_t found = sim_read_keyword(reader, "word after delay", known, COUNT(known));

    if (found == SIM_NONE) {
        return false;
    }
    return found == SIM_DELAY_PARTS ? read_factor(reader)
                                    : read_part(reader, (enum sim_delay_part)found);
}

/* values NAME 1 2 3: more lines of the same name go on. */
static bool read_values(struct sim_reader *reader)
{
    const struct sim_token *const token = sim_peek(reader);
    size_t at = 0;

    if (token == NULL || sim_at_number(reader) || strlen(token->text) > SIM_SOURCE_MAX) {
        return sim_reader_fail(reader,
                               "values have a name first, of at most %d characters: values "
                               "NAME 1 2 3",
                               SIM_SOURCE_MAX);
    }
    const char *const name = token->text;

    reader->token++;
    while (at < reader->values_count && strcmp(reader->values[at].name, name) != 0) {
        at++;
    }
    if (at == SIM_PARTS_MAX) {
        return sim_reader_fail(reader, "there are more than %d lists of values", SIM_PARTS_MAX);
    }
    if (at == reader->values_count) {
        reader->values = alloc_append(reader->values, &reader->values_count,
                                      &reader->values_capacity, sizeof(*reader->values));
        reader->values[at].name = strdup(name);
    }
    struct sim_values *const values = &reader->values[at];

    do {
        double value;

        if (!sim_read_number(reader, "a value", &value)) {
            return false;
        }
        values->values = alloc_append(values->values, &values->count, &values->capacity,
                                      sizeof(*values->values));
        values->values[values->count - 1] = value;
    } while (sim_peek(reader) != NULL);
    return true;
}

/* ---- statements ---- */

static const struct statement {
    const char *keyword;
    bool (*read)(struct sim_reader *reader);
} statements[] = {{"passes", read_passes},
                  {"unit", read_unit},
                  {"levels", read_levels},
                  {"processors", read_processors},
                  {"load", sim_read_load},
                  {"process", sim_read_process},
                  {"station", sim_read_station},
                  {"stimulus", sim_read_stimulus},
                  {"route", sim_read_route},
                  {"discipline", read_discipline},
                  {"transmission", read_transmission},
                  {"overhead", read_overhead},
                  {"delay", read_delay},
                  {"values", read_values}};

static bool read_statement(struct sim_reader *reader)
{
    const char *known[COUNT(statements)];

    for (size_t i = 0; i < COUNT(statements); i++) {
        known[i] = statements[i].keyword;
    }
    const size_t found = sim_read_keyword(reader, "statement", known, COUNT(known));

    if (found == SIM_NONE || !statements[found].read(reader)) {
        return false;
    }
    const struct sim_token *const more = sim_peek(reader);

    return more == NULL || sim_reader_fail(reader,
                                           "\"%.40s\" is too much for this line: %s ends "
                                           "before it",
                                           more->text, statements[found].keyword);
}

bool sim_read_named(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    while (sim_reader_next(reader)) {
        if (!sim_reader_tokens(reader) || !read_statement(reader)) {
            return false;
        }
    }
    if (reader->failed) {
        return false;
    }
    if (model->stimulus_count > 0 && model->passes == 0 &&
        model->stimuli[0].arrivals.kind == SIM_TRACE) {
        model->passes = model->stimuli[0].arrivals.count;
    }
    return true;
}
