/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of a line that say how something arrives.
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

/* What a line says of arrivals, until all of it is read. */
struct sim_clauses {
    struct sim_arrivals arrivals;
    bool has_kind, has_amount;
    bool has_service;  /* of a load */
    bool needs_amount; /* a kind that has a mean to be said */
    enum sim_amount amount;
    double value;
};

/* A kind whose mean interval is to be said. */
void sim_clauses_kind(struct sim_clauses *clauses, enum sim_law_kind kind);
/* Takes one of the words. False: failed, or the next is none of them, which *found says. */
bool sim_read_clause(struct sim_reader *reader, struct sim_clauses *clauses, bool *found);
/* At the end of the line: kind and amount go together, or the kind alone says both. `name`: of what
 * arrives. */
bool sim_clauses_finish(struct sim_reader *reader, struct sim_clauses *clauses, const char *name);
void sim_clauses_free(struct sim_clauses *clauses);

/* Fails: `what` has been said before. */
bool sim_said_twice(struct sim_reader *reader, const char *what);
