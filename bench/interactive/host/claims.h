/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The claims of the paper (Endo et al. 1996), and whether a run reproduces them. File
 * bench/interactive/claims has the claims; its beginning describes its form. Each claim that can be
 * tested has a query in SQL, which yields one number and how many values that is made of. It runs
 * on tables that are derived from the run:
 *
 *     action   an action of a person (measure/actions.h): bench, structure, driver, phase, class,
 *              number (within its class and phase, from 1), cold, begin_ms (since the start of the
 *              trace), idle_ms, call_ms, service_ms, response_ms, weighted_ms (model), disk_ms,
 *              disk_requests, and the counts instructions, loads, stores, misaligned,
 *              segment_loads, address_space_loads, dtlb_misses, itlb_misses
 *     event    an input event (measure/interactive.h): bench, phase, kind, cold, begin_ms, idle_ms,
 *              call_ms, service_ms, response_ms, stamps_ms, busy_ms
 *     phase    bench, structure, driver, phase, elapsed_ms, busy_ms, actions
 *     busy     a busy time that the idle loop found (each sample that is longer than the shortest):
 *              bench, structure, phase, begin_ms, length_ms (of the sample), busy_ms
 *     stair    a burst of an animation (measure/stairs.h): bench, number (0: the busy time before
 *              the steps), last (1: the busy time after them), begin_ms, busy_ms
 *     machine  what a machine of think and wait calls wait (measure/think_wait.h): bench, machine,
 *              wait_ms, false_ms, missed_ms
 *     fact     bench, name, value
 *
 * `action`, `phase` and `busy` also have columns nt351, nt40 and w95. Each is 1 for the structure
 * that stands for that system (server, in_kernel, segmented), and otherwise NULL, so that
 * avg(service_ms * nt40) is the mean of NT 4.0. What is unknown is NULL. Besides the functions of
 * SQLite there are the aggregates stddev(x), with n - 1, and median(x).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/interactive.h"
#include "tools/run/run.h"

enum claim_verdict {
    CLAIM_REPRODUCED,
    CLAIM_NOT_REPRODUCED,
    CLAIM_CANNOT_BE, /* it has no query: no run can test it */
    CLAIM_UNKNOWN,   /* the run lacks what the claim is about */
    CLAIM_VERDICTS,
};

#define CLAIM_BENCH_MAX 32

/* All texts are words of the file of claims. */
struct claim {
    const char *id;      /* such as "f9-order" */
    const char *item;    /* of the paper: "figure 9", "table 1", "section 5.4" */
    const char *says;    /* what the paper says, as a sentence */
    const char *query;   /* SQL; NULL: the claim cannot be tested */
    const char *expects; /* such as "> 1" or "1.1 to 1.4"; NULL without a query */
    const char *because; /* why the verdict is what it is; NULL: the claim needs no reason */
    enum claim_verdict declared;
    enum claim_verdict verdict;
    bool known;   /* the query yielded a number */
    double value; /* that number, if known */
    uint64_t n;   /* how many values it is made of, if known */
    /* if the verdict is CLAIM_UNKNOWN, the bench that the run lacks or whose values are unknown */
    char needs[CLAIM_BENCH_MAX];
    double low, high;       /* the expected range */
    bool has_low, has_high; /* whether its bounds exist */
    bool low_in, high_in;   /* whether the bounds themselves are expected */
};

struct claims {
    struct claim *item; /* in the order of the file, which is that of the paper */
    size_t count;
    char *text;   /* storage of all texts */
    char *error;  /* why they could not be read or evaluated, and the cure; NULL: no error */
    void *tables; /* the derived tables, while they are being filled */
    size_t capacity;
};

/* Reads all claims, and evaluates those that can be tested on the run. Returns false on an error,
 * which is in claims->error. Call claims_free() in either case. */
bool claims_check(struct claims *claims, const struct run *run);
void claims_free(struct claims *claims);

/* The same in steps, for callers that read the traces themselves. Open once, add each bench, and
 * evaluate once. `text` is the file of claims; NULL: the one that is part of the program. Each
 * returns false on an error. */
bool claims_open(struct claims *claims, const char *text);
bool claims_add(struct claims *claims, const struct run *run, const struct run_bench *bench,
                const struct interactive *interactive, const struct actions *actions);
bool claims_evaluate(struct claims *claims);

/* Returns "reproduced", "not reproduced", "cannot be" or "unknown". */
const char *claim_verdict_name(enum claim_verdict verdict);
/* Returns whether the verdict is the declared one. */
bool claim_as_declared(const struct claim *claim);

/* The file of claims, ended by a 0 byte. */
extern const char claims_text[];
