/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model's text, line by line, and the model that is made of it: what both forms of the text have
 * in common.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/sim/model/model.h"

/*
 * What follows from a model's numbers: delays and cycles of stimuli, and the intervals of competing
 * quanta (section 4.2 of the paper). For the files that make models; others read the results in
 * the model itself.
 */

/* Why a processor cannot bear what comes: its name, and percent. */
#define SIM_TOO_MUCH                                                                             \
    "what arrives for processor \"%s\" takes %.6g %% of its time: it must be less than 100 %%, " \
    "or "                                                                                        \
    "queues grow without end"

/* What a length, an interval or a rate may be, if it is not 0. */
#define SIM_NUMBER_LEAST 1e-15
#define SIM_NUMBER_MOST  1e15
/* So much of a processor's time is all of it: nearer to 1 than any machine's numbers are known. */
#define SIM_OCCUPANCY_FULL (1 - 1e-9)

/*
 * Derives what the text leaves open: the work of stimuli; delays of those that cycle without one of
 * their own; intervals of loads that have an occupancy in their place, whose mean is NAN till then.
 * Loads of occupancy 0 are taken out: they have no arrivals. False: *error has the reason. `last`:
 * the last line of the text, for what is of no single one.
 *
 * For the estimate of a delay on several processors, each processor's part of the work is taken
 * with that processor's occupancy; its occupancy is the sum of what its loads state, and of stimuli
 * that arrive by themselves where no load's total has them in it.
 */
bool sim_model_settle(struct sim_model *model, size_t last, struct sim_model_error *error);

/* Is it a model that can be run? Routes, processors that can bear them, passes. */
bool sim_model_check(const struct sim_model *model, size_t last, struct sim_model_error *error);

/* Sets *error, unless what was before has set it: of several the first is kept, and what is done
 * behind it changes no error any more. Returns `holds`. `line`: 0 for the whole. */
__attribute__((format(printf, 4, 5))) bool sim_require(struct sim_model_error *error, size_t line,
                                                       bool holds, const char *format, ...);
static inline bool sim_refused(const struct sim_model_error *error)
{
    return error->text[0] != '\0';
}

#define SIM_LINE_MAX   4096  /* characters; every token is one or more */
#define SIM_NAME_MAX   40    /* characters of a name */
#define SIM_SOURCE_MAX 200   /* of the name of a list of values */
#define SIM_PARTS_MAX  10000 /* of each: loads, processes, stimuli, stops of one, named lists */
#define SIM_LISTED_MAX (1UL << 23) /* values of all lists, each counted as often as it is used */

struct sim_token {
    char *text;
    bool quoted; /* a name, whatever its letters */
};

/* Values that a model gives a name. */
struct sim_values {
    char *name;
    double *values;
    size_t count, capacity;
};

struct sim_reader {
    struct sim_model *model;
    struct sim_model_error *error;
    const char *folder; /* of files that the text names; NULL: it may name none */
    const char *rest;   /* of the text, behind the line */
    size_t left;
    size_t line;

    char text[2 * SIM_LINE_MAX + 2]; /* the line; tokens are ended in place, in a copy */
    struct sim_token tokens[SIM_LINE_MAX + 1];
    size_t token_count;
    size_t token; /* the next one to be read */

    size_t load_capacity, process_capacity, station_capacity, stimulus_capacity, stop_capacity,
        delay_capacity;
    struct sim_values *values;
    size_t values_count, values_capacity;
    size_t listed;   /* values that lists took so far */
    bool unit_used;  /* by values of a run: `unit` comes too late */
    bool keeps_unit; /* a setting gave it */
};

/*
 * Where the text cannot be read, the error is set, as sim_require() has it, and the line has ended:
 * reading goes on, and finds nothing. What is then returned (0, "", the first of a list) means
 * nothing, and a list may have no first.
 */

/* Sets the error of the line unless it holds; returns `holds`. */
__attribute__((format(printf, 3, 4))) bool sim_need(struct sim_reader *reader, bool holds,
                                                    const char *format, ...);
static inline bool sim_failed(const struct sim_reader *reader)
{
    return sim_refused(reader->error);
}

/* Goes to the next line that is neither empty nor a remark, and leaves it in `text`. False: there
 * is none, or it failed. */
bool sim_reader_next(struct sim_reader *reader);

/* A decimal number, with nothing behind it but `suffix` (NULL: none; it may be left out, and
 * *has_suffix is set unless NULL). Infinities, hexadecimal numbers and what is beyond
 * SIM_NUMBER_MOST are none. */
bool sim_number(const char *text, const char *suffix, double *value, bool *has_suffix);

/* "\"word\"", cut, or "nothing", for errors. */
#define SIM_QUOTED_MAX 44
const char *sim_quoted(const char *word, char text[SIM_QUOTED_MAX]);

/* Each adds a zeroed one, of this line. */
struct sim_load *sim_reader_add_load(struct sim_reader *reader);
struct sim_stimulus *sim_reader_add_stimulus(struct sim_reader *reader);
/* Of the last stimulus. */
struct sim_stop *sim_reader_add_stop(struct sim_reader *reader);

/* Each reads a whole text, up to what follows from its numbers. */
void sim_read_paper(struct sim_reader *reader);
void sim_read_named(struct sim_reader *reader);

/* The whole of a file ("-" is standard input), to be freed; NULL: *error has the reason. */
char *sim_model_file(const char *path, size_t *length, struct sim_model_error *error);

/*
 * The words of a line of the grammar with names, one after the other.
 */

/* NULL: the line has ended. */
const struct sim_token *sim_peek(const struct sim_reader *reader);
/* Takes the next word if it is this keyword, whatever its case; names in quotes are none. */
bool sim_accept(struct sim_reader *reader, const char *keyword);
/* Is the next word a number? */
bool sim_at_number(const struct sim_reader *reader);

/* Fails: the next word is none of those that could stand here; names the nearest of them. */
void sim_unexpected(struct sim_reader *reader, const char *what, const char *const *known,
                    size_t count);
/* The keyword that stands next, by its place in `known`, and takes it. */
size_t sim_read_keyword(struct sim_reader *reader, const char *what, const char *const *known,
                        size_t count);

/* A number; what it is goes into the error. */
double sim_read_number(struct sim_reader *reader, const char *what);
/* A whole number from `least` to `most`; the error is that of format and arguments. */
__attribute__((format(printf, 4, 5))) uint64_t
sim_read_whole(struct sim_reader *reader, uint64_t least, uint64_t most, const char *format, ...);
#define SIM_WHOLE_MAX (UINT64_C(1) << 53)
/* From 0 to 1: "15%" or "0.15". */
double sim_read_part(struct sim_reader *reader, const char *what);
/* A word that may be a name, valid as long as the line. */
const char *sim_read_name(struct sim_reader *reader, const char *what);
/* The place of one of `names`. */
size_t sim_read_known(struct sim_reader *reader, const char *what, char *const *names,
                      size_t count);

/* A law of times (tools/sim/model/law.h), into *law, which is empty. */
void sim_read_law(struct sim_reader *reader, struct sim_law *law);

/*
 * The words of a line that describe how something arrives.
 */

enum sim_amount {
    SIM_BY_RATE,
    SIM_BY_INTERVAL,
    SIM_BY_OCCUPANCY, /* of loads: of this one alone */
    SIM_BY_TOTAL,     /* of loads: of the whole level */
    SIM_AMOUNTS,
};

/* The arrivals of a line, until all of it is read. */
struct sim_clauses {
    struct sim_arrivals *arrivals;
    bool has_kind, has_amount;
    bool has_service;  /* of a load */
    bool needs_amount; /* the kind needs a mean interval */
    enum sim_amount amount;
    double value;
};

/* There is one kind of arrivals: false, it has been given. */
bool sim_clauses_begin(struct sim_reader *reader, struct sim_clauses *clauses);
/* Sets a kind that needs a mean interval. */
void sim_clauses_kind(struct sim_clauses *clauses, enum sim_law_kind kind);
/* Takes one of the words. False: the next is none of them. */
bool sim_read_clause(struct sim_reader *reader, struct sim_clauses *clauses);
/* At the end of the line: kind and amount go together, or the kind alone gives both. `name`: of
 * what arrives. */
void sim_clauses_finish(struct sim_reader *reader, struct sim_clauses *clauses, const char *name);

/* Fails where `what` was given before; returns whether it was not. */
bool sim_need_once(struct sim_reader *reader, bool given, const char *what);

/*
 * Statements of the grammar with names that make a part of the model: what is behind their keyword.
 */

void sim_read_load(struct sim_reader *reader);
void sim_read_process(struct sim_reader *reader);
void sim_read_station(struct sim_reader *reader);
void sim_read_stimulus(struct sim_reader *reader);
/* More stops of the last stimulus. */
void sim_read_route(struct sim_reader *reader);

/*
 * Settings: numbers of a model that are asked for in place of its text's (struct sim_setting).
 * *error is set where there is no such setting, or its value cannot be.
 */

/* Before the text is read: the unit, which values of runs are counted in. Is it one of them? */
bool sim_settings_begin(struct sim_model *model, const struct sim_setting *settings, size_t count,
                        struct sim_model_error *error);
/* Behind it, before what follows from its numbers. */
void sim_settings_apply(struct sim_model *model, const struct sim_setting *settings, size_t count,
                        struct sim_model_error *error);
/* Once that is settled: scales, which keep the arrivals as they are. Does it have to be settled
 * again? */
bool sim_settings_finish(struct sim_model *model, const struct sim_setting *settings, size_t count,
                         struct sim_model_error *error);
