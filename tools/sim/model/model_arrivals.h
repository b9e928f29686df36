/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of a line that describe how something arrives.
 */
#pragma once

#include "tools/sim/model/model_words.h"

enum sim_amount {
    SIM_BY_RATE,
    SIM_BY_INTERVAL,
    SIM_BY_OCCUPANCY, /* of loads: of this one alone */
    SIM_BY_TOTAL,     /* of loads: of the whole level */
    SIM_AMOUNTS,
};

/* The arrivals of a line, until all of it is read. */
struct sim_clauses {
    struct sim_arrivals arrivals;
    bool has_kind, has_amount;
    bool has_service;  /* of a load */
    bool needs_amount; /* the kind needs a mean interval */
    enum sim_amount amount;
    double value;
};

/* Sets a kind that needs a mean interval. */
void sim_clauses_kind(struct sim_clauses *clauses, enum sim_law_kind kind);
/* Takes one of the words. False: failed, or (*found is false) the next is none of them. */
bool sim_read_clause(struct sim_reader *reader, struct sim_clauses *clauses, bool *found);
/* At the end of the line: kind and amount go together, or the kind alone gives both. `name`: of
 * what arrives. */
bool sim_clauses_finish(struct sim_reader *reader, struct sim_clauses *clauses, const char *name);
void sim_clauses_free(struct sim_clauses *clauses);

/* Fails: `what` was given before. */
bool sim_given_twice(struct sim_reader *reader, const char *what);
