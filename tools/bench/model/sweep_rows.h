/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of a sweep (`tare sim --sweep`): one number of a model at several settings, and what its
 * simulation gave at each. They are kept as bench "sweep" of a run file:
 *
 *   param `sweep`   "occupancy.low=0.1:0.8:0.05"
 *   facts           `points`, `seed`
 *   series          a value for each simulated point, in order: `point` (from 1), `setting` (1e-9),
 *                   `occupancy` (1e-6), `replications`, `warm_up` (1e-6 units)
 *   SUBJECT.mean    of each subject ("special.transit", "low.wait"), also .p50, .p90, .p99, .p99.9
 *   SUBJECT.*.half  half the width of its 95 % interval (1e-6 units)
 *   absents         "point 7": the reason why it was not simulated
 *
 * What is unknown is missing; an empty series is left out.
 *
 * A unit is the model's unit of time. What is published is rounded to these units, and all that is
 * printed is read from there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/json.h"
#include "tools/run/run.h"

#define SWEEP_BENCH    "sweep"
#define SWEEP_MEASURES 5

/* "mean", "p50", "p90", "p99", "p99.9" */
extern const char *const sweep_measures[SWEEP_MEASURES];

struct sweep_amount {
    double value; /* in units of time; NAN: not known */
    double half;  /* of the 95 % interval; NAN: not known */
};

struct sweep_row {
    size_t point; /* from 1 */
    double setting;
    const char *why;  /* it could not be simulated, and nothing below is set; NULL: it was */
    double occupancy; /* 0 to 1: of the busiest processor, as the model expects it */
    uint64_t replications;
    double warm_up;              /* left out of each replication */
    struct sweep_amount *amount; /* [subject * SWEEP_MEASURES + measure]; its own */
};

/* Texts are the run's. */
struct sweep_rows {
    const char *spec; /* "occupancy.low=0.1:0.8:0.05" */
    uint64_t seed;
    size_t points;
    char **subjects; /* its own */
    size_t subject_count, subject_capacity;
    struct sweep_row *rows; /* in order of their points */
    size_t count, capacity;
};

void sweep_rows_free(struct sweep_rows *rows);

/* A row behind the others, with no amounts known: subjects come first. Valid until the next. */
struct sweep_row *sweep_rows_add(struct sweep_rows *rows);
void sweep_rows_add_subject(struct sweep_rows *rows, const char *name);

/* The name of what is set: "occupancy.low". */
#define SWEEP_NAME_MAX 64
const char *sweep_rows_name(const struct sweep_rows *rows, char name[SWEEP_NAME_MAX]);

/* Adds the bench to the run, and copies the texts. */
void sweep_rows_publish(const struct sweep_rows *rows, struct run *run);
/* False where the bench does not hold what it should; *rows is empty then. */
bool sweep_rows_read(const struct run_bench *bench, struct sweep_rows *rows);

/* For a terminal (view_sweep.c). */
void sweep_rows_print(const struct sweep_rows *rows, FILE *out);
/* "sweep": {...}, with each row an object. */
void sweep_rows_json(const struct sweep_rows *rows, struct json *json);
