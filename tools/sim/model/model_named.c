/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the grammar with names: one statement a line, identified by its first word. */
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/sim/model/model_reader.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the line as words ---- */

/* Copies a token that ends at `end` to `room`, after those copied before. */
static void add_token(struct sim_reader *reader, char **room, const char *begin, const char *end,
                      bool quoted)
{
    const size_t length = (size_t)(end - begin);
    char *const token = *room;

    memcpy(token, begin, length);
    token[length] = '\0';
    *room += length + 1;
    reader->tokens[reader->token_count++] = (struct sim_token){token, quoted};
}

/* Splits the line at blanks. Quoted names stay whole, commas are separate tokens, and a remark ends
 * the line. Every token takes at least one character of the line and a NUL, so the copy needs at
 * most twice the length of the line. */
static void split_line(struct sim_reader *reader)
{
    char line[SIM_LINE_MAX + 1];
    char *room = reader->text;
    const char *at = line;

    memcpy(line, reader->text, strlen(reader->text) + 1);
    reader->token_count = 0;
    reader->token = 0;
    while (*(at += strspn(at, " \t")) != '\0' && *at != '#') {
        if (*at == '"') {
            const char *const end = strchr(at + 1, '"');

            if (end == NULL) {
                sim_need(reader, false, "a quote is not closed");
                return;
            }
            add_token(reader, &room, at + 1, end, true);
            at = end + 1;
        } else {
            const char *const end = at + (*at == ',' ? 1 : strcspn(at, " \t,\"#"));

            add_token(reader, &room, at, end, false);
            at = end;
        }
    }
}

/* ---- statements about the whole model ---- */

static void read_passes(struct sim_reader *reader)
{
    reader->model->passes =
        sim_read_whole(reader, 1, SIM_WHOLE_MAX,
                       "the number of passes must be a whole number from 1: passes 10000");
}

static void read_unit(struct sim_reader *reader)
{
    static const struct {
        const char *suffix;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const struct sim_token *const token = sim_peek(reader);

    sim_need(reader, !reader->unit_used, "the unit must come before the first series of a run");
    for (size_t i = 0; token != NULL && i < COUNT(units); i++) {
        bool has_unit = false;
        double value;

        if (sim_number(token->text, units[i].suffix, &value, &has_unit) && has_unit &&
            value * units[i].ns >= SIM_NUMBER_LEAST && value * units[i].ns <= SIM_NUMBER_MOST) {
            reader->token++;
            if (!reader->keeps_unit) {
                reader->model->unit_ns = value * units[i].ns;
            }
            return;
        }
    }
    sim_need(reader, false, "the time unit must be a time in ns, us, ms or s: unit 100us");
}

/* Reads one or more names, each of which may occur once. */
static void read_names(struct sim_reader *reader, const char *what, char **names, size_t most,
                       size_t *count)
{
    sim_need(reader, *count == 0,
             "the %ss must be given in one line, before any line that uses them", what);
    do {
        const char *const name = sim_read_name(reader, what);

        sim_need(reader, sim_find(names, *count, sizeof(*names), name) == SIM_NONE,
                 "there are two %ss \"%s\"", what, name);
        if (sim_need(reader, *count < most, "there are more than %zu %ss", most, what)) {
            names[(*count)++] = strdup(name);
        }
    } while (sim_peek(reader) != NULL);
}

static void read_levels(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    read_names(reader, "level", model->level, SIM_LEVELS_MAX, &model->levels);
    for (size_t i = 0; i < model->station_count; i++) {
        const char *const name = model->stations[i].name;

        sim_need(reader,
                 sim_find(model->level, model->levels, sizeof(*model->level), name) == SIM_NONE,
                 "\"%s\" is a station and a level: a route could mean either", name);
    }
}

static void read_processors(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    read_names(reader, "processor", model->processor, SIM_PROCESSORS_MAX, &model->processors);
}

static void read_discipline(struct sim_reader *reader)
{
    reader->model->discipline = (enum sim_discipline)sim_read_keyword(
        reader, "discipline", sim_discipline_names, SIM_DISCIPLINES);
}

static void read_nonpreemptive(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    do {
        model->nonpreemptive |= 1U << sim_read_known(reader, "level", model->level, model->levels);
    } while (!sim_failed(reader) && sim_peek(reader) != NULL);
}

static void read_slice(struct sim_reader *reader)
{
    reader->model->slice = sim_read_number(reader, "a time slice");
    sim_need(reader, reader->model->slice > 0, "the time slice: expected a time above 0, got %.10g",
             reader->model->slice);
}

static void read_transmission(struct sim_reader *reader)
{
    sim_law_free(&reader->model->transmission);
    sim_read_law(reader, &reader->model->transmission);
}

static void read_overhead(struct sim_reader *reader)
{
    const char *known[SIM_OVERHEAD_PARTS];

    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        known[i] = sim_overhead_name(i);
    }
    do {
        const size_t found = sim_read_keyword(reader, "overhead", known, COUNT(known));
        const double value = sim_read_number(reader, "a length");

        sim_need(reader, value >= 0, "the length %.10g is below 0", value);
        *sim_overhead_part(&reader->model->overhead, (enum sim_overhead_part)found) = value;
    } while (sim_peek(reader) != NULL);
}

/* Reads "PART LAW [with P%] [times N]", or "factor X". */
static void read_delay(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;
    const char *known[SIM_DELAY_PARTS + 1];

    for (size_t i = 0; i < SIM_DELAY_PARTS; i++) {
        known[i] = sim_delay_names[i];
    }
    known[SIM_DELAY_PARTS] = "factor";
    const size_t found = sim_read_keyword(reader, "word after delay", known, COUNT(known));

    if (found == SIM_DELAY_PARTS) {
        model->delay_factor = sim_read_number(reader, "a factor");
        sim_need(reader, model->delay_factor >= 0, "the delay factor %.10g is below 0",
                 model->delay_factor);
        return;
    }
    struct sim_delay *const delay =
        ALLOC_NEXT(model->delays, model->delay_count, reader->delay_capacity);

    *delay = (struct sim_delay){.part = (enum sim_delay_part)found, .probability = 1, .times = 1};
    sim_read_law(reader, &delay->law);
    sim_need(reader, delay->law.kind != SIM_SHAPED,
             "a sum of delays has no %s law: use uniform, exponential, average or values",
             sim_shapes[delay->law.shape].name);
    if (sim_accept(reader, "with")) {
        delay->probability = sim_read_part(reader, "a probability");
    }
    if (sim_accept(reader, "times")) {
        delay->times = sim_read_whole(reader, 0, SIM_DELAY_TIMES_MAX,
                                      "times must be followed by a whole number from 0 to %d",
                                      SIM_DELAY_TIMES_MAX);
    }
}

/* Reads "values NAME 1 2 3". Further lines with the same name continue the list. */
static void read_values(struct sim_reader *reader)
{
    const struct sim_token *const token = sim_peek(reader);

    if (token == NULL || sim_at_number(reader) || strlen(token->text) > SIM_SOURCE_MAX) {
        sim_need(reader, false,
                 "values must begin with a name of at most %d characters: values NAME 1 2 3",
                 SIM_SOURCE_MAX);
        return;
    }
    size_t at =
        sim_find(reader->values, reader->values_count, sizeof(*reader->values), token->text);

    reader->token++;
    if (at == SIM_NONE) {
        at = reader->values_count;
        sim_need(reader, at < SIM_PARTS_MAX, "there are more than %d lists of values",
                 SIM_PARTS_MAX);
        reader->values = alloc_append(reader->values, &reader->values_count,
                                      &reader->values_capacity, sizeof(*reader->values));
        reader->values[at].name = strdup(token->text);
    }
    struct sim_values *const values = &reader->values[at];

    do {
        values->values = alloc_append(values->values, &values->count, &values->capacity,
                                      sizeof(*values->values));
        values->values[values->count - 1] = sim_read_number(reader, "a value");
    } while (sim_peek(reader) != NULL);
}

/* ---- statements ---- */

static const struct statement {
    const char *keyword;
    void (*read)(struct sim_reader *reader);
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
                  {"nonpreemptive", read_nonpreemptive},
                  {"slice", read_slice},
                  {"transmission", read_transmission},
                  {"overhead", read_overhead},
                  {"delay", read_delay},
                  {"values", read_values}};

static void read_statement(struct sim_reader *reader)
{
    const char *known[COUNT(statements)];

    for (size_t i = 0; i < COUNT(statements); i++) {
        known[i] = statements[i].keyword;
    }
    const struct statement *const statement =
        &statements[sim_read_keyword(reader, "statement", known, COUNT(known))];

    if (sim_failed(reader)) {
        return;
    }
    statement->read(reader);
    const struct sim_token *const more = sim_peek(reader);

    sim_need(reader, more == NULL, "\"%.40s\" is too much for this line: %s ends before it",
             more != NULL ? more->text : "", statement->keyword);
}

void sim_read_named(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    while (sim_reader_next(reader)) {
        split_line(reader);
        read_statement(reader);
    }
    if (model->stimulus_count > 0 && model->passes == 0 &&
        model->stimuli[0].arrivals.kind == SIM_TRACE) {
        model->passes = model->stimuli[0].arrivals.count;
    }
}
