/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes what a run means as rows for SQL: tables digest_..., and the views metric, event,
 * event_count, account, gap and finding on them (their columns are in the README of this folder).
 * They are registered with run_derived_register(), so that every run file and fleet that this
 * program writes has them.
 *
 * The rows are bounded, so that a large run is written as fast as before. Beyond the bounds there
 * are only counts and quantiles, and a note names what is left out.
 */
#pragma once

#include "tools/run/run.h"
#include "tools/store/run_tables.h"

/* Bounds for a run: samples from which intervals of medians are made, and trace records from which
 * events and accounts are made. If there are more, the largest series and traces are left out
 * first. */
#define DIGEST_VALUES_MAX  262144u
#define DIGEST_RECORDS_MAX 262144u
/* Bound on the samples of a run, in the order of its benches, for metrics that are not series. */
#define DIGEST_SAMPLES_MAX (1u << 20)
/* Bounds on the rows of a bench in a pass: of events, those of a person are kept first; of gaps,
 * the longest. */
#define DIGEST_EVENTS_MAX 8192u
#define DIGEST_GAPS_MAX   4096u

struct digest_sizes {
    size_t values;    /* largest series whose samples are read */
    uint64_t records; /* largest number of records of a bench in a pass that are read */
};

enum digest_table {
    DIGEST_METRIC,
    DIGEST_EVENT,
    DIGEST_COUNT,
    DIGEST_ACCOUNT,
    DIGEST_GAP,
    DIGEST_FINDING,
    DIGEST_TABLES,
};
extern const struct run_table digest_tables[DIGEST_TABLES];

/* Writes the rows of all traces. Returns false if the sink failed. */
bool digest_traces(const struct run *run, const struct digest_sizes *sizes, struct row_sink *sink);
