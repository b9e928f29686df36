/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The claims of the paper (Endo et al. 1996), and whether a run reproduces them.
 *
 * File bench/interactive/claims contains the claims; bench/interactive/paper/README.md describes
 * its form, and the tables on which its queries run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

enum claim_verdict {
    CLAIM_REPRODUCED,
    CLAIM_NOT_REPRODUCED,
    CLAIM_CANNOT_BE, /* no run can test it */
    CLAIM_NOT_KNOWN, /* the run lacks what the claim is about */
    CLAIM_VERDICTS,
};

#define CLAIM_NEEDS_MAX 64

struct claim {
    const char *id;      /* such as "f9-order" */
    const char *item;    /* of the paper: "figure 9", "table 1" or "section 5.4" */
    const char *says;    /* what the paper says: a sentence */
    const char *query;   /* SQL; NULL: the claim cannot be tested */
    const char *expects; /* such as "> 1" or "between 1.1 and 1.4"; NULL without a query */
    const char *because; /* reason for the verdict; NULL: none is needed */
    enum claim_verdict declared;
    enum claim_verdict verdict;
    bool known;                  /* the query yielded a number */
    double value;                /* that number, if known */
    uint64_t n;                  /* number of values that it is made of, if known */
    char needs[CLAIM_NEEDS_MAX]; /* what the run lacks, if the verdict is CLAIM_NOT_KNOWN */
};

struct claims {
    struct claim *item; /* in the order of the file, which is that of the paper */
    size_t count, capacity;
    size_t verdicts[CLAIM_VERDICTS]; /* number of claims with each verdict */
    size_t different;                /* number of known verdicts that are not the declared ones */
    char *error;                     /* the first error and its cure; NULL: there was none */
    char *text;                      /* storage of the texts above */
};

/* Reads the claims of `text` (NULL: those of the program) and evaluates them on the run. Returns
 * false on an error, which is in claims->error. Call claims_free() in either case. */
bool claims_check(struct claims *claims, const char *text, const struct run *run);
void claims_free(struct claims *claims);

/* Returns "reproduced", "not reproduced", "cannot be" or "unknown". */
const char *claim_verdict_name(enum claim_verdict verdict);
