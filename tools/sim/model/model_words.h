/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of a line of the grammar with names, one after the other. Each function that reads is
 * false, with the reader's error set, where there is something else.
 */
#pragma once

#include "tools/sim/model/model_reader.h"

/* NULL: the line has ended. */
const struct sim_token *sim_peek(const struct sim_reader *reader);
/* Takes the next word if it is this keyword, whatever its case; names in quotes are none. */
bool sim_accept(struct sim_reader *reader, const char *keyword);
/* Is the next word a number? */
bool sim_at_number(const struct sim_reader *reader);

/* Fails: the next word is none of those that could stand here; names the nearest of them. */
bool sim_unexpected(struct sim_reader *reader, const char *what, const char *const *known,
                    size_t count);
/* The keyword that stands next, by its place in `known`, and takes it; SIM_NONE, failed: none. */
size_t sim_read_keyword(struct sim_reader *reader, const char *what, const char *const *known,
                        size_t count);

/* A number; what it is goes into the error. */
bool sim_read_number(struct sim_reader *reader, const char *what, double *value);
/* From 0 to 1: "15%" or "0.15". */
bool sim_read_part(struct sim_reader *reader, const char *what, double *value);
/* A word that may be a name, valid as long as the line. */
bool sim_read_name(struct sim_reader *reader, const char *what, const char **name);
/* One of `names`. */
bool sim_read_known(struct sim_reader *reader, const char *what, char *const *names, size_t count,
                    size_t *index);

/* A law of times (tools/sim/model/law.h). */
bool sim_read_law(struct sim_reader *reader, struct sim_law *law);

/* Numbers in place, of a file, of a series of a run, or of a list with a name. */
struct sim_list {
    double *values; /* to be freed */
    size_t count;
    char *source; /* to be freed; NULL: they stand in the line */
};
bool sim_read_list(struct sim_reader *reader, struct sim_list *list);
