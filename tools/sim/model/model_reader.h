/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of a model's text, line by line: what both forms of the text have in common.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/sim/model/model.h"

/*
 * Values derived from a model's numbers: delays and cycles of stimuli, and the intervals of
 * competing quanta (section 4.2 of the paper). For the files that build models; others read the
 * results in the model itself.
 */

/* Error text for an overloaded processor; its arguments are the name and the percentage. */
#define SIM_TOO_MUCH                                                                             \
    "what arrives for processor \"%s\" takes %.6g %% of its time: it must be less than 100 %%, " \
    "or "                                                                                        \
    "queues grow without end"

/* Range of a length, an interval or a rate that is not 0. */
#define SIM_NUMBER_LEAST 1e-15
#define SIM_NUMBER_MOST  1e15
/* An occupancy from here on counts as full: no machine's numbers are known more exactly. */
#define SIM_OCCUPANCY_FULL (1 - 1e-9)

/*
 * Derives what the text leaves open: the work of stimuli, the delays of cycles without an explicit
 * one, and the intervals of loads that are given by an occupancy, whose mean is NAN until then.
 * Removes loads of occupancy 0, because they have no arrivals. Returns false with the reason in
 * *error. `last` is the last line of the text, for errors that belong to no single line.
 *
 * To estimate a delay on several processors, each processor's part of the work is combined with
 * that processor's occupancy, which is the sum of what its loads state, plus that of stimuli that
 * arrive by themselves unless a load's total includes them.
 */
bool sim_model_settle(struct sim_model *model, size_t last, struct sim_model_error *error);

/* Returns whether the model can be run. Checks routes, whether processors are overloaded, and the
 * passes. */
bool sim_model_check(const struct sim_model *model, size_t last, struct sim_model_error *error);

/* Sets *error unless `holds`, or unless an earlier error is set: the first error is kept. Returns
 * `holds`. `line` is 0 for the whole text. */
__attribute__((format(printf, 4, 5))) bool sim_require(struct sim_model_error *error, size_t line,
                                                       bool holds, const char *format, ...);
static inline bool sim_refused(const struct sim_model_error *error)
{
    return error->text[0] != '\0';
}

#define SIM_LINE_MAX   4096 /* characters of a line; every token has at least one */
#define SIM_NAME_MAX   40   /* characters of a name */
#define SIM_SOURCE_MAX 200  /* characters of the name of a list of values */
/* limit for each of: loads, processes, stimuli, stops of a stimulus, named lists */
#define SIM_PARTS_MAX  10000
#define SIM_LISTED_MAX (1UL << 23) /* values of all lists, counted each time they are used */

struct sim_token {
    char *text;
    bool quoted; /* it is a name, whatever its characters */
};

/* A named list of values of the model. */
struct sim_values {
    char *name;
    double *values;
    size_t count, capacity;
};

struct sim_reader {
    struct sim_model *model;
    struct sim_model_error *error;
    const char *folder; /* folder of files that the text names; NULL: it may name none */
    const char *rest;   /* rest of the text after the line */
    size_t left;
    size_t line;

    /* the line; tokens are copied one after another and NUL-terminated */
    char text[2 * SIM_LINE_MAX + 2];
    struct sim_token tokens[SIM_LINE_MAX + 1];
    size_t token_count;
    size_t token; /* next token to read */

    size_t load_capacity, process_capacity, station_capacity, stimulus_capacity, stop_capacity,
        delay_capacity;
    struct sim_values *values;
    size_t values_count, values_capacity;
    size_t listed;   /* number of values that lists took so far */
    bool unit_used;  /* values of a run have used the unit, so that `unit` would come too late */
    bool keeps_unit; /* a setting gave the unit */
};

/*
 * If the text cannot be read, the error is set (as by sim_require()) and the line is treated as
 * ended: reading goes on and finds nothing. What is returned then (0, "", the first of a list) has
 * no meaning, and a list may be empty.
 */

/* Sets the error of the line unless `holds`. Returns `holds`. */
__attribute__((format(printf, 3, 4))) bool sim_need(struct sim_reader *reader, bool holds,
                                                    const char *format, ...);
static inline bool sim_failed(const struct sim_reader *reader)
{
    return sim_refused(reader->error);
}

/* Goes to the next line that is neither empty nor a remark, and stores it in `text`. Returns false
 * if there is none or if reading failed. */
bool sim_reader_next(struct sim_reader *reader);

/* Parses a decimal number, which may be followed only by `suffix` (NULL: nothing). The suffix may
 * be missing; *has_suffix tells, unless it is NULL. Infinities, hexadecimal numbers and numbers
 * beyond SIM_NUMBER_MOST are rejected. */
bool sim_number(const char *text, const char *suffix, double *value, bool *has_suffix);

/* Writes the word in quotes, cut if long, or "nothing", for errors. Returns `text`. */
#define SIM_QUOTED_MAX 44
const char *sim_quoted(const char *word, char text[SIM_QUOTED_MAX]);

/* These add a zeroed part that belongs to the current line. */
struct sim_load *sim_reader_add_load(struct sim_reader *reader);
struct sim_stimulus *sim_reader_add_stimulus(struct sim_reader *reader);
/* Adds a stop to the last stimulus. */
struct sim_stop *sim_reader_add_stop(struct sim_reader *reader);

/* These read a whole text, except what is derived from its numbers. */
void sim_read_paper(struct sim_reader *reader);
void sim_read_named(struct sim_reader *reader);

/* Reads a whole file ("-" is standard input). The caller frees the result. Returns NULL with the
 * reason in *error. */
char *sim_model_file(const char *path, size_t *length, struct sim_model_error *error);

/*
 * The words of a line of the grammar with names, one after the other.
 */

/* Returns the next word, or NULL at the end of the line. */
const struct sim_token *sim_peek(const struct sim_reader *reader);
/* Takes the next word if it is this keyword in any case. A quoted name is not a keyword. */
bool sim_accept(struct sim_reader *reader, const char *keyword);
/* Returns whether the next word is a number. */
bool sim_at_number(const struct sim_reader *reader);

/* Fails because the next word is none of the allowed ones; the error names the nearest of them. */
void sim_unexpected(struct sim_reader *reader, const char *what, const char *const *known,
                    size_t count);
/* Takes the next keyword and returns its index in `known`. */
size_t sim_read_keyword(struct sim_reader *reader, const char *what, const char *const *known,
                        size_t count);

/* Reads a number. The error says what it should be. */
double sim_read_number(struct sim_reader *reader, const char *what);
/* Reads a whole number from `least` to `most`. The format and its arguments give the error. */
__attribute__((format(printf, 4, 5))) uint64_t
sim_read_whole(struct sim_reader *reader, uint64_t least, uint64_t most, const char *format, ...);
#define SIM_WHOLE_MAX (UINT64_C(1) << 53)
/* Reads a fraction from 0 to 1: "15%" or "0.15". */
double sim_read_part(struct sim_reader *reader, const char *what);
/* Reads a word and checks that it is allowed as a name. The returned pointer is valid until the
 * next line is read. */
const char *sim_read_name(struct sim_reader *reader, const char *what);
/* Reads one of `names`, and returns its index. */
size_t sim_read_known(struct sim_reader *reader, const char *what, char *const *names,
                      size_t count);

/* Reads a law of times (tools/sim/model/law.h) into *law, which must be empty. */
void sim_read_law(struct sim_reader *reader, struct sim_law *law);

/*
 * The words of a line that describe arrivals.
 */

enum sim_amount {
    SIM_BY_RATE,
    SIM_BY_INTERVAL,
    SIM_BY_OCCUPANCY, /* for loads: of this load only */
    SIM_BY_TOTAL,     /* for loads: of the whole level */
    SIM_AMOUNTS,
};

/* The arrivals of a line, until the whole line is read. */
struct sim_clauses {
    struct sim_arrivals *arrivals;
    bool has_kind, has_amount;
    bool has_service;  /* for a load */
    bool needs_amount; /* the kind needs a mean interval */
    enum sim_amount amount;
    double value;
};

/* Begins a kind of arrivals. Returns false if one was given before. */
bool sim_clauses_begin(struct sim_reader *reader, struct sim_clauses *clauses);
/* Sets a kind that needs a mean interval. */
void sim_clauses_kind(struct sim_clauses *clauses, enum sim_law_kind kind);
/* Takes one of the words. Returns false if the next word is none of them. */
bool sim_read_clause(struct sim_reader *reader, struct sim_clauses *clauses);
/* Called at the end of the line: checks that kind and amount fit, or that the kind alone gives
 * both. `name` is that of what arrives. */
void sim_clauses_finish(struct sim_reader *reader, struct sim_clauses *clauses, const char *name);

/* Fails if `what` was given before. Returns whether it was not. */
bool sim_need_once(struct sim_reader *reader, bool given, const char *what);

/*
 * Statements of the grammar with names that add a part to the model; these functions read what
 * follows the keyword.
 */

void sim_read_load(struct sim_reader *reader);
void sim_read_process(struct sim_reader *reader);
void sim_read_station(struct sim_reader *reader);
void sim_read_stimulus(struct sim_reader *reader);
/* Reads more stops of the last stimulus. */
void sim_read_route(struct sim_reader *reader);

/*
 * Settings: numbers that replace those of the text (struct sim_setting). They set *error if there
 * is no such setting or its value is invalid.
 */

/* Call before reading the text: applies the unit, which is needed for values of runs. Returns
 * whether it was among the settings. */
bool sim_settings_begin(struct sim_model *model, const struct sim_setting *settings, size_t count,
                        struct sim_model_error *error);
/* Call after reading the text, before deriving values from its numbers. */
void sim_settings_apply(struct sim_model *model, const struct sim_setting *settings, size_t count,
                        struct sim_model_error *error);
/* Call after deriving values: applies scales, which do not change the arrivals. Returns whether the
 * model must be settled again. */
bool sim_settings_finish(struct sim_model *model, const struct sim_setting *settings, size_t count,
                         struct sim_model_error *error);
