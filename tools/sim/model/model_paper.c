/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the paper's five-part input (section 4.1), one line each: passes; average, maximum and
 * percent in the tail of low and of medium quanta; occupancy at low and medium priority in percent;
 * number of quanta of the special stimulus; and length and priority of each.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "tools/sim/model/model_reader.h"

#define LOW    0
#define MEDIUM 1

/* Reads the next line with its numbers. Returns the word after them; what follows it is a remark. A
 * surplus number is an error. */
static const char *read_line(struct sim_reader *reader, const char *what, double *numbers,
                             size_t count)
{
    char quoted[SIM_QUOTED_MAX];
    char *rest = NULL;
    double more;

    if (!sim_reader_next(reader)) {
        reader->line++; /* number of the missing line */
        sim_need(reader, false, "the line is missing: expected %s", what);
        return NULL;
    }
    char *word = strtok_r(reader->text, " \t,", &rest);

    for (size_t i = 0; i < count && !sim_failed(reader); i++) {
        sim_need(reader, word != NULL && sim_number(word, NULL, &numbers[i], NULL),
                 "got %s in place of number %zu of %zu: expected %s", sim_quoted(word, quoted),
                 i + 1, count, what);
        word = strtok_r(NULL, " \t,", &rest);
    }
    sim_need(reader, word == NULL || !sim_number(word, NULL, &more, NULL),
             "%s is one number too many: expected %s", sim_quoted(word, quoted), what);
    return word;
}

static void read_passes(struct sim_reader *reader)
{
    double passes = 0;

    read_line(reader, "the number of passes", &passes, 1);
    if (sim_need(reader, passes >= 1 && passes <= (double)SIM_WHOLE_MAX && passes == floor(passes),
                 "%.10g is not a number of passes: it must be a whole number from 1", passes)) {
        reader->model->passes = (uint64_t)passes;
    }
}

static void read_service(struct sim_reader *reader, size_t level)
{
    static const char *const what[] = {
        "average, maximum and percent in the tail of low priority quanta",
        "average, maximum and percent in the tail of medium priority quanta"};
    double numbers[3] = {0};

    read_line(reader, what[level], numbers, 3);
    struct sim_load *const load = sim_reader_add_load(reader);
    char why[SIM_LAW_ERROR_MAX];

    load->name = strdup(reader->model->level[level]);
    load->level = level;
    load->is_total = true;
    load->arrivals.interval =
        (struct sim_law){.kind = SIM_EXPONENTIAL, .mean = NAN, .high = INFINITY};
    sim_need(reader, sim_law_tailed(&load->service, numbers[0], numbers[1], numbers[2] / 100, why),
             "%s", why);
}

static void read_occupancies(struct sim_reader *reader)
{
    double percent[2] = {0};

    read_line(reader, "the occupancy in percent at low and at medium priority", percent, 2);
    for (size_t i = 0; i < 2; i++) {
        sim_need(reader, percent[i] >= 0, "an occupancy of %.10g %% is below 0", percent[i]);
        reader->model->loads[i].occupancy = percent[i] / 100;
        reader->model->loads[i].line = reader->line; /* line for later errors */
    }
}

static size_t find_priority(const char *word)
{
    static const struct {
        const char *word;
        size_t level;
    } words[] = {{"low", LOW}, {"medium", MEDIUM}, {"med", MEDIUM}};

    for (size_t i = 0; word != NULL && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(word, words[i].word) == 0) {
            return words[i].level;
        }
    }
    return SIM_NONE;
}

static void read_quantum(struct sim_reader *reader)
{
    double length = 0;
    const char *const priority =
        read_line(reader, "length and priority of a quantum of the special stimulus", &length, 1);
    struct sim_stop *const stop = sim_reader_add_stop(reader);
    char quoted[SIM_QUOTED_MAX];
    char why[SIM_LAW_ERROR_MAX];

    stop->process = SIM_NONE;
    sim_need(reader, sim_law_constant(&stop->service, length, why), "%s", why);
    stop->level = find_priority(priority);
    sim_need(reader, stop->level != SIM_NONE, "%s%s: must be low or medium",
             priority != NULL ? "unknown priority " : "no priority given",
             priority != NULL ? sim_quoted(priority, quoted) : "");
}

void sim_read_paper(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;
    double count = 0;

    model->is_paper = true;
    model->levels = 2;
    model->level[LOW] = strdup("low");
    model->level[MEDIUM] = strdup("medium");
    model->processors = 1;
    model->processor[0] = strdup("cpu");
    read_passes(reader);
    read_service(reader, LOW);
    read_service(reader, MEDIUM);
    read_occupancies(reader);
    read_line(reader, "the number of quanta of the special stimulus", &count, 1);
    sim_need(reader, count >= 1 && count <= SIM_PARTS_MAX && count == floor(count),
             "%.10g is not a number of quanta: it must be a whole number from 1 to %d", count,
             SIM_PARTS_MAX);
    struct sim_stimulus *const special = sim_reader_add_stimulus(reader);

    special->name = strdup("special");
    special->arrivals.kind = SIM_CYCLE;
    for (size_t i = 0; !sim_failed(reader) && i < (size_t)count; i++) {
        read_quantum(reader);
    }
    if (sim_reader_next(reader)) {
        sim_need(reader, false, "the line is one too many: only %.10g quanta were announced",
                 count);
    }
}
