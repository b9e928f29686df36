/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads, processes, stimuli and their routes in the grammar with names. */
#include "tools/sim/model/model_reader.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- where ---- */

/* Levels, processors, and room for one more of the parts of which there are `count`. */
static bool need_places(struct sim_reader *reader, size_t count)
{
    struct sim_model *const model = reader->model;

    if (count == SIM_PARTS_MAX) {
        return sim_reader_fail(reader, "there are more than %d of them", SIM_PARTS_MAX);
    }
    if (model->levels == 0 && model->station_count > 0) {
        model->level[model->levels++] = strdup("normal"); /* where there may be nothing but them */
    }
    if (model->levels == 0) {
        return sim_reader_fail(reader, "the levels must come before, least urgent first: levels "
                                       "low medium");
    }
    if (model->processors == 0) {
        model->processor[model->processors++] = strdup("cpu");
    }
    return true;
}

static bool read_level(struct sim_reader *reader, size_t *level)
{
    return sim_read_known(reader, "level", reader->model->level, reader->model->levels, level);
}

static bool read_processor(struct sim_reader *reader, size_t *processor)
{
    return sim_read_known(reader, "processor", reader->model->processor, reader->model->processors,
                          processor);
}

/* If no processor is given: the only one. */
static bool need_processor(struct sim_reader *reader, const char *name, size_t *processor)
{
    if (*processor != SIM_NONE) {
        return true;
    }
    *processor = 0;
    return reader->model->processors == 1 ||
           sim_reader_fail(reader,
                           "there are several processors: give the one of \"%s\", with "
                           "on %s",
                           name, reader->model->processor[0]);
}

static size_t find_level(const struct sim_model *model, const char *name)
{
    for (size_t i = 0; i < model->levels; i++) {
        if (strcmp(model->level[i], name) == 0) {
            return i;
        }
    }
    return SIM_NONE;
}

static size_t find_process(const struct sim_model *model, const char *name)
{
    for (size_t i = 0; i < model->process_count; i++) {
        if (strcmp(model->processes[i].name, name) == 0) {
            return i;
        }
    }
    return SIM_NONE;
}

static size_t find_station(const struct sim_model *model, const char *name)
{
    for (size_t i = 0; i < model->station_count; i++) {
        if (strcmp(model->stations[i].name, name) == 0) {
            return i;
        }
    }
    return SIM_NONE;
}

/* ---- loads ---- */

/* One clause of a load's line. */
static bool read_load_clause(struct sim_reader *reader, struct sim_load *load,
                             struct sim_clauses *clauses)
{
    static const char *const known[] = {"at",   "on",       "service",   "arrivals",
                                        "rate", "interval", "occupancy", "total"};
    bool found;

    if (sim_accept(reader, "at")) {
        return load->level == SIM_NONE ? read_level(reader, &load->level)
                                       : sim_given_twice(reader, "the level");
    }
    if (sim_accept(reader, "on")) {
        return load->processor == SIM_NONE ? read_processor(reader, &load->processor)
                                           : sim_given_twice(reader, "the processor");
    }
    if (sim_accept(reader, "service")) {
        if (clauses->has_service) {
            return sim_given_twice(reader, "the service");
        }
        clauses->has_service = true;
        return sim_read_law(reader, &load->service);
    }
    if (sim_read_clause(reader, clauses, &found)) {
        return true;
    }
    return !found && sim_unexpected(reader, "word of a load", known, COUNT(known));
}

/* No two of a name on one processor; a total is of its level alone. */
static bool check_others(struct sim_reader *reader, const struct sim_load *load)
{
    const struct sim_model *const model = reader->model;

    for (const struct sim_load *other = model->loads; other < load; other++) {
        if (other->processor != load->processor) {
            continue;
        }
        if (strcmp(other->name, load->name) == 0) {
            return sim_reader_fail(reader, "there are two loads \"%s\" on processor \"%s\"",
                                   load->name, model->processor[load->processor]);
        }
        if (other->level == load->level && (other->is_total || load->is_total)) {
            return sim_reader_fail(reader,
                                   "\"%s\" and \"%s\" are both at level \"%s\": a total is of a "
                                   "level with one load; write occupancy",
                                   other->name, load->name, model->level[load->level]);
        }
    }
    return true;
}

static bool finish_load(struct sim_reader *reader, struct sim_load *load,
                        struct sim_clauses *clauses)
{
    if (load->level == SIM_NONE) {
        load->level = find_level(reader->model, load->name);
    }
    if (load->level == SIM_NONE) {
        return sim_reader_fail(reader,
                               "\"%s\" is not a level: give the level of the load, with at "
                               "%s",
                               load->name, reader->model->level[0]);
    }
    if (!(load->service.mean > 0)) {
        return sim_reader_fail(reader, "the service of load \"%s\" is %s", load->name,
                               clauses->has_service ? "0 in the mean" : "missing");
    }
    if (!clauses->has_kind) {
        sim_clauses_kind(clauses, SIM_EXPONENTIAL);
    }
    if (!need_processor(reader, load->name, &load->processor) ||
        !sim_clauses_finish(reader, clauses, load->name)) {
        return false;
    }
    load->arrivals = clauses->arrivals;
    clauses->arrivals = (struct sim_arrivals){0};
    load->is_total = clauses->has_amount && clauses->amount == SIM_BY_TOTAL;
    if (clauses->has_amount && clauses->amount >= SIM_BY_OCCUPANCY) {
        load->occupancy = clauses->value;
    } else if (load->arrivals.kind == SIM_RENEWAL) {
        load->occupancy = load->service.mean / load->arrivals.interval.mean;
    }
    return check_others(reader, load);
}

bool sim_read_load(struct sim_reader *reader)
{
    struct sim_clauses clauses = {0};
    const char *name;

    if (!need_places(reader, reader->model->load_count) || !sim_read_name(reader, "load", &name)) {
        return false;
    }
    struct sim_load *const load = sim_reader_add_load(reader);

    load->name = strdup(name);
    load->level = SIM_NONE;
    load->processor = SIM_NONE;
    bool read = true;

    while (read && sim_peek(reader) != NULL) {
        read = read_load_clause(reader, load, &clauses);
    }
    read = read && finish_load(reader, load, &clauses);
    sim_clauses_free(&clauses);
    return read;
}

/* ---- processes and stations ---- */

/* A stop of a route names one of these alone. */
static bool is_free(struct sim_reader *reader, const char *name)
{
    if (find_station(reader->model, name) != SIM_NONE) {
        return sim_reader_fail(reader, "there is a station \"%s\" already", name);
    }
    return (find_process(reader->model, name) == SIM_NONE &&
            find_level(reader->model, name) == SIM_NONE) ||
           sim_reader_fail(reader, "there is a process or a level \"%s\" already", name);
}

bool sim_read_process(struct sim_reader *reader)
{
    static const char *const known[] = {"at", "on"};
    const char *name;

    if (!need_places(reader, reader->model->process_count) ||
        !sim_read_name(reader, "process", &name)) {
        return false;
    }
    if (!is_free(reader, name)) {
        return false;
    }
    struct sim_process *const process = sim_reader_add_process(reader);

    *process = (struct sim_process){.name = strdup(name), .processor = SIM_NONE, .level = SIM_NONE};
    while (sim_peek(reader) != NULL) {
        const size_t found = sim_read_keyword(reader, "word of a process", known, COUNT(known));
        const bool again =
            found != SIM_NONE && (found == 0 ? process->level : process->processor) != SIM_NONE;

        if (again) {
            return sim_given_twice(reader, found == 0 ? "the level" : "the processor");
        }
        if (found == SIM_NONE || !(found == 0 ? read_level(reader, &process->level)
                                              : read_processor(reader, &process->processor))) {
            return false;
        }
    }
    if (process->level == SIM_NONE) {
        return sim_reader_fail(reader, "the level of process \"%s\" is missing: at %s",
                               process->name, reader->model->level[0]);
    }
    return need_processor(reader, process->name, &process->processor);
}

/* Takes a whole number from 1 to `most`. */
static bool read_count(struct sim_reader *reader, const char *what, uint64_t most, size_t *count)
{
    const struct sim_token *const token = sim_peek(reader);
    uint64_t value;

    if (token == NULL || !sim_whole_number(token->text, 1, &value) || value > most) {
        return sim_reader_fail(reader, "%s is a whole number from 1 to %llu", what,
                               (unsigned long long)most);
    }
    reader->token++;
    *count = (size_t)value;
    return true;
}

/* NAME [servers N] */
bool sim_read_station(struct sim_reader *reader)
{
    static const char *const known[] = {"servers"};
    const char *name;

    if (reader->model->station_count == SIM_STATIONS_MAX) {
        return sim_reader_fail(reader, "there are more than %d stations", SIM_STATIONS_MAX);
    }
    if (!sim_read_name(reader, "station", &name) || !is_free(reader, name)) {
        return false;
    }
    struct sim_station *const station = sim_reader_add_station(reader);

    *station = (struct sim_station){.name = strdup(name), .servers = 1};
    return sim_peek(reader) == NULL ||
           (sim_read_keyword(reader, "word of a station", known, COUNT(known)) != SIM_NONE &&
            read_count(reader, "the number of servers", SIM_SERVERS_MAX, &station->servers));
}

/* ---- routes ---- */

static bool unknown_place(struct sim_reader *reader)
{
    const struct sim_model *const model = reader->model;
    const size_t count = model->process_count + model->levels + model->station_count;
    const char **const known = alloc_zeroed(count * sizeof(*known));

    for (size_t i = 0; i < model->process_count; i++) {
        known[i] = model->processes[i].name;
    }
    for (size_t i = 0; i < model->levels; i++) {
        known[model->process_count + i] = model->level[i];
    }
    for (size_t i = 0; i < model->station_count; i++) {
        known[model->process_count + model->levels + i] = model->stations[i].name;
    }
    reader->token--; /* the name again */
    sim_unexpected(reader, "process, level or station", known, count);
    free(known);
    return false;
}

/* "any", unless a processor has that name. */
static bool read_any(struct sim_reader *reader, struct sim_stop *stop)
{
    const struct sim_model *const model = reader->model;

    for (size_t i = 0; i < model->processors; i++) {
        if (strcmp(model->processor[i], "any") == 0) {
            return false;
        }
    }
    if (!sim_accept(reader, "any")) {
        return false;
    }
    stop->processor = 0;
    stop->among = model->processors;
    return true;
}

/* A process, a station, or a level and its processor. */
static bool read_where(struct sim_reader *reader, struct sim_stop *stop)
{
    const struct sim_model *const model = reader->model;
    const char *name;

    if (!sim_read_name(reader, "process, level or station", &name)) {
        return false;
    }
    stop->station = find_station(model, name) + 1; /* 0 of none */
    if (stop->station > 0) {
        stop->process = SIM_NONE;
        return true;
    }
    stop->process = find_process(model, name);
    if (stop->process != SIM_NONE) {
        stop->level = model->processes[stop->process].level;
        stop->processor = model->processes[stop->process].processor;
        return true;
    }
    stop->level = find_level(model, name);
    stop->processor = SIM_NONE;
    if (stop->level != SIM_NONE) {
        return (!sim_accept(reader, "on") || read_any(reader, stop) ||
                read_processor(reader, &stop->processor)) &&
               need_processor(reader, name, &stop->processor);
    }
    return unknown_place(reader);
}

/* WHERE LAW [awaits], WHERE LAW [awaits] ...: more stops of the last stimulus. */
bool sim_read_route(struct sim_reader *reader)
{
    static const char *const known[] = {"awaits", ","};

    if (reader->model->stimulus_count == 0) {
        return sim_reader_fail(reader, "a route is of the stimulus before it, and there is none");
    }
    const struct sim_stimulus *const last =
        &reader->model->stimuli[reader->model->stimulus_count - 1];

    do {
        if (!need_places(reader, last->stop_count)) {
            return false;
        }
        struct sim_stop *const stop = sim_reader_add_stop(reader);

        stop->process = SIM_NONE; /* till it is read */
        if (!read_where(reader, stop) || !sim_read_law(reader, &stop->service)) {
            return false;
        }
        stop->awaits = sim_accept(reader, "awaits");
    } while (sim_accept(reader, ","));
    return sim_peek(reader) == NULL ||
           sim_unexpected(reader, "word of a route", known, COUNT(known));
}

/* ---- stimuli ---- */

static bool read_cycle(struct sim_reader *reader, struct sim_clauses *clauses)
{
    char why[SIM_LAW_ERROR_MAX];
    double delay;

    if (clauses->has_kind) {
        return sim_given_twice(reader, "how it arrives");
    }
    clauses->has_kind = true;
    clauses->arrivals.kind = SIM_CYCLE;
    if (!sim_accept(reader, "delay")) {
        return true;
    }
    clauses->arrivals.fixed = true;
    return sim_read_number(reader, "a delay", &delay) &&
           (sim_law_constant(&clauses->arrivals.interval, delay, why) ||
            sim_reader_fail(reader, "%s", why));
}

/* population N [think LAW] */
static bool read_population(struct sim_reader *reader, struct sim_clauses *clauses)
{
    if (clauses->has_kind) {
        return sim_given_twice(reader, "how it arrives");
    }
    clauses->has_kind = true;
    clauses->arrivals.kind = SIM_POPULATION;
    clauses->arrivals.fixed = true;
    return read_count(reader, "a population", SIM_POPULATION_MAX, &clauses->arrivals.population) &&
           (!sim_accept(reader, "think") || sim_read_law(reader, &clauses->arrivals.interval));
}

/* One clause of a stimulus's line; a route is the last. */
static bool read_stimulus_clause(struct sim_reader *reader, struct sim_clauses *clauses)
{
    static const char *const known[] = {"cycle", "population", "arrivals",
                                        "rate",  "interval",   "route"};
    bool found;

    if (sim_accept(reader, "cycle")) {
        return read_cycle(reader, clauses);
    }
    if (sim_accept(reader, "population")) {
        return read_population(reader, clauses);
    }
    if (sim_accept(reader, "route")) {
        return sim_read_route(reader);
    }
    if (!sim_read_clause(reader, clauses, &found)) {
        return !found && sim_unexpected(reader, "word of a stimulus", known, COUNT(known));
    }
    return !clauses->has_amount || clauses->amount <= SIM_BY_INTERVAL ||
           sim_reader_fail(reader, "a stimulus has a rate or an interval, no occupancy");
}

bool sim_read_stimulus(struct sim_reader *reader)
{
    struct sim_clauses clauses = {0};
    const char *name;

    if (!need_places(reader, reader->model->stimulus_count) ||
        !sim_read_name(reader, "stimulus", &name)) {
        return false;
    }
    for (size_t i = 0; i < reader->model->stimulus_count; i++) {
        if (strcmp(reader->model->stimuli[i].name, name) == 0) {
            return sim_reader_fail(reader, "there are two stimuli \"%s\"", name);
        }
    }
    struct sim_stimulus *const stimulus = sim_reader_add_stimulus(reader);

    stimulus->name = strdup(name);
    bool read = true;

    while (read && sim_peek(reader) != NULL) {
        read = read_stimulus_clause(reader, &clauses);
    }
    if (!clauses.has_kind) {
        clauses.arrivals.kind = SIM_CYCLE; /* the paper's */
    }
    read = read && sim_clauses_finish(reader, &clauses, stimulus->name);
    stimulus->arrivals = clauses.arrivals;
    return read;
}
