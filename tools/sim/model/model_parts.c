/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads loads, processes, stimuli and their routes in the grammar with names. */
#include "tools/sim/model/model_reader.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- loads, processes, stations and stimuli ---- */

/* Checks that levels and processors are known and that one more part can be added to `count` of
 * them. Adds defaults if possible. */
static void need_places(struct sim_reader *reader, size_t count)
{
    struct sim_model *const model = reader->model;

    sim_need(reader, count < SIM_PARTS_MAX, "the model has more than %d parts of one kind",
             SIM_PARTS_MAX);
    if (model->levels == 0 && model->station_count > 0) {
        model->level[model->levels++] = strdup("normal"); /* a model may consist of stations only */
    }
    sim_need(reader, model->levels > 0,
             "the levels must be given before this line, least urgent first: levels low medium");
    if (model->processors == 0) {
        model->processor[model->processors++] = strdup("cpu");
    }
}

static void read_level(struct sim_reader *reader, size_t *level)
{
    sim_need_once(reader, *level != SIM_NONE, "the level");
    *level = sim_read_known(reader, "level", reader->model->level, reader->model->levels);
}

static void read_processor(struct sim_reader *reader, size_t *processor)
{
    sim_need_once(reader, *processor != SIM_NONE, "the processor");
    *processor =
        sim_read_known(reader, "processor", reader->model->processor, reader->model->processors);
}

/* Uses the only processor if none is given. */
static void need_processor(struct sim_reader *reader, const char *name, size_t *processor)
{
    if (*processor == SIM_NONE) {
        *processor = 0;
        sim_need(reader, reader->model->processors == 1,
                 "there are several processors: give that of \"%s\", for example with on %s", name,
                 reader->model->processor[0]);
    }
}

static size_t find_level(const struct sim_model *model, const char *name)
{
    return sim_find(model->level, model->levels, sizeof(*model->level), name);
}

static size_t find_process(const struct sim_model *model, const char *name)
{
    return sim_find(model->processes, model->process_count, sizeof(*model->processes), name);
}

static size_t find_station(const struct sim_model *model, const char *name)
{
    return sim_find(model->stations, model->station_count, sizeof(*model->stations), name);
}

/* ---- loads ---- */

/* Reads one clause of a load's line. */
static void read_load_clause(struct sim_reader *reader, struct sim_load *load,
                             struct sim_clauses *clauses)
{
    static const char *const known[] = {"at",   "on",       "service",   "arrivals",
                                        "rate", "interval", "occupancy", "total"};

    if (sim_accept(reader, "at")) {
        read_level(reader, &load->level);
    } else if (sim_accept(reader, "on")) {
        read_processor(reader, &load->processor);
    } else if (sim_accept(reader, "service")) {
        if (sim_need_once(reader, clauses->has_service, "the service")) {
            clauses->has_service = true;
            sim_read_law(reader, &load->service);
        }
    } else if (!sim_read_clause(reader, clauses)) {
        sim_unexpected(reader, "word of a load", known, COUNT(known));
    }
}

/* Checks that no two loads on one processor have the same name, and that a total is the only load
 * of its level. */
static void check_others(struct sim_reader *reader, const struct sim_load *load)
{
    const struct sim_model *const model = reader->model;

    for (const struct sim_load *other = model->loads; other < load; other++) {
        if (other->processor == load->processor) {
            sim_need(reader, strcmp(other->name, load->name) != 0,
                     "there are two loads \"%s\" on processor \"%s\"", load->name,
                     model->processor[load->processor]);
            sim_need(reader, other->level != load->level || (!other->is_total && !load->is_total),
                     "\"%s\" and \"%s\" are both at level \"%s\": a total is of a level with one "
                     "load; write occupancy",
                     other->name, load->name, model->level[load->level]);
        }
    }
}

static void finish_load(struct sim_reader *reader, struct sim_load *load,
                        struct sim_clauses *clauses)
{
    if (load->level == SIM_NONE) {
        load->level = find_level(reader->model, load->name);
    }
    sim_need(reader, load->level != SIM_NONE,
             "\"%s\" is not a level: give the level of the load, with at %s", load->name,
             reader->model->level[0]);
    sim_need(reader, load->service.mean > 0, "the service of load \"%s\" is %s", load->name,
             clauses->has_service ? "0 in the mean" : "missing");
    if (!clauses->has_kind) {
        sim_clauses_kind(clauses, SIM_EXPONENTIAL);
    }
    need_processor(reader, load->name, &load->processor);
    sim_clauses_finish(reader, clauses, load->name);
    load->is_total = clauses->has_amount && clauses->amount == SIM_BY_TOTAL;
    if (clauses->has_amount && clauses->amount >= SIM_BY_OCCUPANCY) {
        load->occupancy = clauses->value;
    } else if (load->arrivals.kind == SIM_RENEWAL) {
        load->occupancy = load->service.mean / load->arrivals.interval.mean;
    }
    if (!sim_failed(reader)) {
        check_others(reader, load);
    }
}

void sim_read_load(struct sim_reader *reader)
{
    need_places(reader, reader->model->load_count);
    const char *const name = sim_read_name(reader, "load");
    struct sim_load *const load = sim_reader_add_load(reader);
    struct sim_clauses clauses = {.arrivals = &load->arrivals};

    load->name = strdup(name);
    load->level = SIM_NONE;
    load->processor = SIM_NONE;
    while (sim_peek(reader) != NULL) {
        read_load_clause(reader, load, &clauses);
    }
    if (!sim_failed(reader)) {
        finish_load(reader, load, &clauses);
    }
}

/* ---- processes and stations ---- */

/* Reads a name that no other place of a route has. */
static char *read_own_name(struct sim_reader *reader, const char *what)
{
    const struct sim_model *const model = reader->model;
    const char *const name = sim_read_name(reader, what);

    sim_need(reader, find_station(model, name) == SIM_NONE, "there is a station \"%s\" already",
             name);
    sim_need(reader, find_process(model, name) == SIM_NONE && find_level(model, name) == SIM_NONE,
             "there is a process or a level \"%s\" already", name);
    return strdup(name);
}

void sim_read_process(struct sim_reader *reader)
{
    static const char *const known[] = {"at", "on"};
    struct sim_model *const model = reader->model;

    need_places(reader, model->process_count);
    char *const name = read_own_name(reader, "process");

    struct sim_process *const process =
        ALLOC_NEXT(model->processes, model->process_count, reader->process_capacity);

    *process = (struct sim_process){.name = name, .processor = SIM_NONE, .level = SIM_NONE};
    while (sim_peek(reader) != NULL) {
        if (sim_read_keyword(reader, "word of a process", known, COUNT(known)) == 0) {
            read_level(reader, &process->level);
        } else {
            read_processor(reader, &process->processor);
        }
    }
    sim_need(reader, process->level != SIM_NONE, "the level of process \"%s\" is missing: at %s",
             process->name, model->level[0]);
    need_processor(reader, process->name, &process->processor);
}

/* Reads "NAME [servers N]". */
void sim_read_station(struct sim_reader *reader)
{
    static const char *const known[] = {"servers"};
    struct sim_model *const model = reader->model;

    sim_need(reader, model->station_count < SIM_STATIONS_MAX, "there are more than %d stations",
             SIM_STATIONS_MAX);
    char *const name = read_own_name(reader, "station");

    struct sim_station *const station =
        ALLOC_NEXT(model->stations, model->station_count, reader->station_capacity);

    *station = (struct sim_station){.name = name, .servers = 1};
    if (sim_peek(reader) != NULL) {
        sim_read_keyword(reader, "word of a station", known, COUNT(known));
        station->servers =
            sim_read_whole(reader, 1, SIM_SERVERS_MAX,
                           "the number of servers is a whole number from 1 to %d", SIM_SERVERS_MAX);
    }
}

/* ---- routes ---- */

static void unknown_place(struct sim_reader *reader)
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
    reader->token--; /* go back to the name */
    sim_unexpected(reader, "process, level or station", known, count);
    free(known);
}

/* Reads a place: a process, a station, or a level and its processor. "any" means any processor,
 * unless a processor has that name. */
static void read_where(struct sim_reader *reader, struct sim_stop *stop)
{
    const struct sim_model *const model = reader->model;
    const char *const name = sim_read_name(reader, "process, level or station");

    stop->station = find_station(model, name) + 1; /* 0 if it is not a station */
    stop->process = stop->station == 0 ? find_process(model, name) : SIM_NONE;
    if (stop->process != SIM_NONE) {
        stop->level = model->processes[stop->process].level;
        stop->processor = model->processes[stop->process].processor;
    }
    if (stop->station > 0 || stop->process != SIM_NONE || sim_failed(reader)) {
        return;
    }
    stop->level = find_level(model, name);
    stop->processor = SIM_NONE;
    if (stop->level == SIM_NONE) {
        unknown_place(reader);
    } else if (sim_accept(reader, "on")) {
        if (sim_find(model->processor, model->processors, sizeof(*model->processor), "any") ==
                SIM_NONE &&
            sim_accept(reader, "any")) {
            stop->processor = 0;
            stop->among = model->processors;
        } else {
            read_processor(reader, &stop->processor);
        }
    }
    need_processor(reader, name, &stop->processor);
}

/* Reads further stops of the last stimulus: "WHERE LAW [awaits], WHERE LAW [awaits] ...". */
void sim_read_route(struct sim_reader *reader)
{
    static const char *const known[] = {"awaits", ","};
    const size_t count = reader->model->stimulus_count;

    if (!sim_need(reader, count > 0,
                  "a route belongs to the stimulus before it, but there is none")) {
        return;
    }
    do {
        need_places(reader, reader->model->stimuli[count - 1].stop_count);
        struct sim_stop *const stop = sim_reader_add_stop(reader);

        read_where(reader, stop);
        sim_read_law(reader, &stop->service);
        stop->awaits = sim_accept(reader, "awaits");
    } while (sim_accept(reader, ","));
    if (sim_peek(reader) != NULL) {
        sim_unexpected(reader, "word of a route", known, COUNT(known));
    }
}

/* ---- stimuli ---- */

/* Reads "cycle [delay X]". */
static void read_cycle(struct sim_reader *reader, struct sim_arrivals *arrivals)
{
    char why[SIM_LAW_ERROR_MAX];

    arrivals->kind = SIM_CYCLE;
    arrivals->fixed = sim_accept(reader, "delay");
    if (arrivals->fixed) {
        const double delay = sim_read_number(reader, "a delay");

        sim_need(reader, sim_law_constant(&arrivals->interval, delay, why), "%s", why);
    }
}

/* Reads "population N [think LAW]". */
static void read_population(struct sim_reader *reader, struct sim_arrivals *arrivals)
{
    arrivals->kind = SIM_POPULATION;
    arrivals->fixed = true;
    arrivals->population =
        sim_read_whole(reader, 1, SIM_POPULATION_MAX, "a population is a whole number from 1 to %d",
                       SIM_POPULATION_MAX);
    if (sim_accept(reader, "think")) {
        sim_read_law(reader, &arrivals->interval);
    }
}

/* Reads one clause of a stimulus's line; a route is the last. */
static void read_stimulus_clause(struct sim_reader *reader, struct sim_stimulus *stimulus,
                                 struct sim_clauses *clauses)
{
    static const char *const known[] = {"cycle",    "population", "arrivals", "rate",
                                        "interval", "deadline",   "route"};

    if (sim_accept(reader, "cycle")) {
        if (sim_clauses_begin(reader, clauses)) {
            read_cycle(reader, clauses->arrivals);
        }
    } else if (sim_accept(reader, "population")) {
        if (sim_clauses_begin(reader, clauses)) {
            read_population(reader, clauses->arrivals);
        }
    } else if (sim_accept(reader, "deadline")) {
        stimulus->deadline = sim_read_number(reader, "a deadline");
        sim_need(reader, stimulus->deadline > 0, "the deadline: expected a time above 0, got %.10g",
                 stimulus->deadline);
    } else if (sim_accept(reader, "route")) {
        sim_read_route(reader);
    } else if (sim_read_clause(reader, clauses)) {
        sim_need(reader, !clauses->has_amount || clauses->amount <= SIM_BY_INTERVAL,
                 "a stimulus has a rate or an interval, not an occupancy");
    } else {
        sim_unexpected(reader, "word of a stimulus", known, COUNT(known));
    }
}

void sim_read_stimulus(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    need_places(reader, model->stimulus_count);
    const char *const name = sim_read_name(reader, "stimulus");

    sim_need(reader,
             sim_find(model->stimuli, model->stimulus_count, sizeof(*model->stimuli), name) ==
                 SIM_NONE,
             "there are two stimuli \"%s\"", name);
    struct sim_stimulus *const stimulus = sim_reader_add_stimulus(reader);
    struct sim_clauses clauses = {.arrivals = &stimulus->arrivals};

    stimulus->name = strdup(name);
    while (sim_peek(reader) != NULL) {
        read_stimulus_clause(reader, stimulus, &clauses);
    }
    if (!clauses.has_kind) {
        stimulus->arrivals.kind = SIM_CYCLE; /* the paper's default */
    }
    sim_clauses_finish(reader, &clauses, stimulus->name);
}
