/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run means, as rows for SQL: tables digest_..., and the views metric, event, event_count,
 * account, gap and finding on them (README.md of tools/store lists their columns). Registered with
 * run_derived_register(), so that every run file and fleet that this program writes has them.
 *
 * Bounded, so that a large run is written as fast as before: what is larger than these is there as
 * a count and by its quantiles, and a note names what is left out.
 */
#pragma once

#include "tools/run/run.h"
#include "tools/store/run_tables.h"

/* Of a run: samples that intervals of medians are made from, and records that events and accounts
 * by trace are. Where there are more, the largest series and traces are left out first. */
#define DIGEST_VALUES_MAX  262144u
#define DIGEST_RECORDS_MAX 262144u
/* Samples of a run, in the order of its benches, for metrics that are no series. */
#define DIGEST_SAMPLES_MAX (1u << 20)
/* Rows of a bench in a pass: events, those of a person first; gaps, the longest. */
#define DIGEST_EVENTS_MAX 8192u
#define DIGEST_GAPS_MAX   4096u

struct digest_sizes {
    size_t values;    /* samples of a series that are read at most */
    uint64_t records; /* records of a bench that are read in a pass at most */
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

/* The rows of all traces; false: the sink failed. */
bool digest_traces(const struct run *run, const struct digest_sizes *sizes, struct row_sink *sink);
