/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model's text, line by line, and the model that is made of it: what both forms of the text have
 * in common.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/sim/model/bookkeeping.h"

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
    bool failed;

    char text[2 * SIM_LINE_MAX + 2]; /* the line; tokens are ended in place, in a copy */
    struct sim_token tokens[SIM_LINE_MAX + 1];
    size_t token_count;
    size_t token; /* the next one to be read */

    size_t *load_lines, *stimulus_lines;
    size_t load_capacity, process_capacity, station_capacity, stimulus_capacity, stop_capacity,
        delay_capacity;
    size_t load_line_count, load_line_capacity, stimulus_line_count, stimulus_line_capacity;
    struct sim_values *values;
    size_t values_count, values_capacity;
    size_t listed;   /* values that lists took so far */
    bool unit_used;  /* by values of a run: `unit` comes too late */
    bool keeps_unit; /* a setting gave it */
};

/* Sets the error of the line, and is false. */
__attribute__((format(printf, 2, 3))) bool sim_reader_fail(struct sim_reader *reader,
                                                           const char *format, ...);
void sim_reader_init(struct sim_reader *reader, struct sim_model *model, const char *text,
                     size_t length, const char *folder, struct sim_model_error *error);
void sim_reader_free(struct sim_reader *reader);

/* Goes to the next line that is neither empty nor a remark, and leaves it in `text`. False: there
 * is none, or the line cannot be (`failed`). */
bool sim_reader_next(struct sim_reader *reader);
/* Splits the line at blanks, with quotes, and commas as tokens of their own; a remark ends it. */
bool sim_reader_tokens(struct sim_reader *reader);

/* A decimal number, with nothing behind it but `suffix` (NULL: none; it may be left out, and
 * *has_suffix is set unless NULL). Infinities, hexadecimal numbers and what is beyond
 * SIM_NUMBER_MOST are none. */
bool sim_number(const char *text, const char *suffix, double *value, bool *has_suffix);
/* The same of a whole number from `least` to 2^53. */
bool sim_whole_number(const char *text, double least, uint64_t *value);

/* Each adds a zeroed one. */
struct sim_load *sim_reader_add_load(struct sim_reader *reader);
struct sim_process *sim_reader_add_process(struct sim_reader *reader);
struct sim_station *sim_reader_add_station(struct sim_reader *reader);
struct sim_stimulus *sim_reader_add_stimulus(struct sim_reader *reader);
/* Of the last stimulus. */
struct sim_stop *sim_reader_add_stop(struct sim_reader *reader);
struct sim_lines sim_reader_lines(const struct sim_reader *reader);

/* Each reads a whole text, up to what follows from its numbers. */
bool sim_read_paper(struct sim_reader *reader);
bool sim_read_named(struct sim_reader *reader);

/* The whole of a file ("-" is standard input), to be freed; NULL: *error has the reason. */
char *sim_model_file(const char *path, size_t *length, struct sim_model_error *error);
