/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The paper's five-part input (section 4.1), a line each: passes; average, maximum and percent in
 * the tail of low and of medium quanta; occupancy at low and medium priority in percent; number of
 * quanta of the special stimulus; and length and priority of each.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "tools/sim/model/model_reader.h"

#define LOW    0
#define MEDIUM 1

/* The next line, with its numbers; what follows on it is a remark, but a number too many is not. */
static bool read_line(struct sim_reader *reader, const char *what, double *numbers, size_t count,
                      char **behind)
{
    char *rest = NULL;

    if (!sim_reader_next(reader)) {
        reader->line += reader->failed ? 0 : 1;
        return !reader->failed &&
               sim_reader_fail(reader, "the line is missing: there should be %s", what);
    }
    char *word = strtok_r(reader->text, " \t,", &rest);

    for (size_t i = 0; i < count; i++) {
        if (word == NULL || !sim_number(word, NULL, &numbers[i], NULL)) {
            return sim_reader_fail(reader, "%s%.40s%s stands where number %zu of %zu should be: %s",
                                   word != NULL ? "\"" : "", word != NULL ? word : "nothing",
                                   word != NULL ? "\"" : "", i + 1, count, what);
        }
        word = strtok_r(NULL, " \t,", &rest);
    }
    double more;

    if (word != NULL && sim_number(word, NULL, &more, NULL)) {
        return sim_reader_fail(reader, "\"%.40s\" is a number too many: there should be %s", word,
                               what);
    }
    *behind = word;
    return true;
}

static bool read_passes(struct sim_reader *reader)
{
    double passes = 0;
    char *behind;

    if (!read_line(reader, "the number of passes", &passes, 1, &behind)) {
        return false;
    }
    if (passes < 1 || passes > 0x1p53 || passes != floor(passes)) {
        return sim_reader_fail(reader, "%.10g is not a number of passes: a whole one from 1",
                               passes);
    }
    reader->model->passes = (uint64_t)passes;
    return true;
}

static bool read_service(struct sim_reader *reader, size_t level)
{
    static const char *const what[] = {
        "average, maximum and percent in the tail of low priority quanta",
        "average, maximum and percent in the tail of medium priority quanta"};
    double numbers[3] = {0};
    char *behind;

    if (!read_line(reader, what[level], numbers, 3, &behind)) {
        return false;
    }
    struct sim_load *const load = sim_reader_add_load(reader);
    char why[SIM_LAW_ERROR_MAX];

    load->name = strdup(reader->model->level[level]);
    load->level = level;
    load->is_total = true;
    load->arrivals.interval =
        (struct sim_law){.kind = SIM_EXPONENTIAL, .mean = NAN, .high = INFINITY};
    return sim_law_tailed(&load->service, numbers[0], numbers[1], numbers[2] / 100, why) ||
           sim_reader_fail(reader, "%s", why);
}

static bool read_occupancies(struct sim_reader *reader)
{
    double percent[2] = {0};
    char *behind;

    if (!read_line(reader, "the occupancy in percent at low and at medium priority", percent, 2,
                   &behind)) {
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        if (percent[i] < 0) {
            return sim_reader_fail(reader, "an occupancy of %.10g %% is below 0", percent[i]);
        }
        reader->model->loads[i].occupancy = percent[i] / 100;
        reader->load_lines[i] = reader->line; /* of what may be wrong with them from here on */
    }
    return true;
}

static bool find_priority(const char *word, size_t *level)
{
    static const struct {
        const char *word;
        size_t level;
    } words[] = {{"low", LOW}, {"medium", MEDIUM}, {"med", MEDIUM}};

    for (size_t i = 0; word != NULL && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(word, words[i].word) == 0) {
            *level = words[i].level;
            return true;
        }
    }
    return false;
}

static bool read_quantum(struct sim_reader *reader)
{
    double length = 0;
    char *priority = NULL;

    if (!read_line(reader, "length and priority of a quantum of the special stimulus", &length, 1,
                   &priority)) {
        return false;
    }
    struct sim_stop *const stop = sim_reader_add_stop(reader);
    char why[SIM_LAW_ERROR_MAX];

    stop->process = SIM_NONE;
    if (!sim_law_constant(&stop->service, length, why)) {
        return sim_reader_fail(reader, "%s", why);
    }
    return find_priority(priority, &stop->level) ||
           sim_reader_fail(reader, "%s%.40s%s: must be low or medium",
                           priority != NULL ? "unknown priority \"" : "",
                           priority != NULL ? priority : "no priority given",
                           priority != NULL ? "\"" : "");
}

static bool read_special(struct sim_reader *reader)
{
    double count = 0;
    char *behind;

    if (!read_line(reader, "the number of quanta of the special stimulus", &count, 1, &behind)) {
        return false;
    }
    if (count < 1 || count > SIM_PARTS_MAX || count != floor(count)) {
        return sim_reader_fail(reader, "%.10g is not a number of quanta: a whole one from 1 to %d",
                               count, SIM_PARTS_MAX);
    }
    struct sim_stimulus *const special = sim_reader_add_stimulus(reader);

    special->name = strdup("special");
    special->arrivals.kind = SIM_CYCLE;
    for (size_t i = 0; i < (size_t)count; i++) {
        if (!read_quantum(reader)) {
            return false;
        }
    }
    if (sim_reader_next(reader)) {
        return sim_reader_fail(reader, "the line is one too many: %.10g quanta were announced",
                               count);
    }
    return !reader->failed;
}

bool sim_read_paper(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    model->is_paper = true;
    model->levels = 2;
    model->level[LOW] = strdup("low");
    model->level[MEDIUM] = strdup("medium");
    model->processors = 1;
    model->processor[0] = strdup("cpu");
    return read_passes(reader) && read_service(reader, LOW) && read_service(reader, MEDIUM) &&
           read_occupancies(reader) && read_special(reader);
}
