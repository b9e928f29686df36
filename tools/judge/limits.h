/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits that a run has to keep, for CI: a file of lines
 *
 *     STATISTIC METRIC [<=|>=] VALUE UNIT [in KIND]     # comment
 *     max    noise.gap              50us
 *     p99    echo.response.key_down <= 100 ms in exact
 *     median paths.switch           110 instructions
 *     min    bandwidth.read.*       >= 2 GB/s
 *     rate   noise.gap              3/s
 *
 * STATISTIC is min, median, mean, p90, p99, p999, p9999, max or rate. Without a sign a limit is an
 * upper one, but that of min is a lower one. METRIC is a name as metrics.h has it, or a pattern as
 * fnmatch(3) has it, for all metrics that match. UNIT is one of ns, us, ms, s, ticks, instructions,
 * Hz, MB/s, GB/s, B/instruction, B/tick, ppm and % of shares of time, count, and, of rates, /s. The
 * mean of a share is that of the whole run. KIND is the kind of time that the limit is for: exact,
 * emulated, real or model. Without it a limit in instructions is of exact time, and any other of
 * real time.
 *
 * A limit that cannot be evaluated counts as broken: a metric that is missing or has no values, a
 * run of another kind of time, a unit that does not fit, a quantile of too few values unless the
 * maximum keeps it. The maximum of gaps is known even if none is above the threshold (metrics.h).
 * If no event was seen, an upper limit of a rate is compared with the bound of 95 %
 * (summary_rate_of).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/base/texts.h"
#include "tools/present/metrics.h"
#include "tools/run/run_kind.h"

#define LIMITS_ERROR_MAX   256
#define LIMITS_MESSAGE_MAX 256
#define LIMITS_UNIT_MAX    16

enum limit_statistic {
    LIMIT_MIN,
    LIMIT_MEDIAN,
    LIMIT_MEAN,
    LIMIT_P90,
    LIMIT_P99,
    LIMIT_P999,
    LIMIT_P9999,
    LIMIT_MAX,
    LIMIT_RATE,
    LIMIT_STATISTICS,
};

struct limit {
    size_t line; /* from 1 */
    enum limit_statistic statistic;
    bool at_least;
    char *metric;
    double value;
    char unit[LIMITS_UNIT_MAX];
    enum run_time time; /* that it is for */
    bool stated;        /* the line states it */
};

struct limits {
    struct limit *item;
    size_t count, capacity;
    char **errors; /* "3: what is wrong", by line, one for each malformed one */
    size_t error_count, error_capacity;
};

/* Reads them all; good if there are no errors. limits_free() in any case. */
void limits_parse(struct limits *limits, const char *text, size_t length);
void limits_free(struct limits *limits);

/* "max noise.gap <= 50 us"; with the kind where the line states it. */
void limit_text(const struct limit *limit, char text[LIMITS_MESSAGE_MAX]);
/* A value in the limit's unit: four digits, or as many more as it takes to be on its own side of
 * the limit. Returns `text`. */
const char *limit_value_text(const struct limit *limit, double value, char text[SHORTEST_MAX]);

struct limit_result {
    const struct limit *limit;
    const char *metric; /* its own name; NULL: there is none */
    bool kept;
    bool has_value;
    double value;                     /* in the limit's unit */
    char message[LIMITS_MESSAGE_MAX]; /* why it is not kept where that is not the value, or how it
                                       * is known that it is; else empty */
};

struct limit_results {
    struct limit_result *item;
    size_t count, capacity;
    size_t broken;
};

/* In the order of the file, and of the run. */
void limits_check(const struct limits *limits, const struct metrics *metrics,
                  struct limit_results *results);
void limit_results_free(struct limit_results *results);
