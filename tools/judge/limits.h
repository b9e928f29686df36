/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits that a run must keep, for CI. The file has lines
 *
 *     STATISTIC METRIC [<=|>=] VALUE UNIT [in KIND]     # comment
 *     max    gap.longest            50us
 *     p99    echo.response.key_down <= 100 ms in exact
 *     median paths.switch           110 instructions
 *     min    bandwidth.read.*       >= 2 GB/s
 *     rate   gap.gap_length*        3/s
 *
 * STATISTIC is min, median, mean, p90, p99, p999, p9999, max or rate. Without a sign, a limit is an
 * upper one, except for min, where it is a lower one. METRIC is a name as in metrics.h, or a
 * pattern as for fnmatch(3) for all metrics that match. UNIT is one of ns, us, ms, s, ticks,
 * instructions, Hz, MB/s, GB/s, B/instruction, B/tick, ppm and % for shares of time, count, and,
 * for rates, /s. The mean of a share is that of the whole run. KIND is the time base that the limit
 * applies to: exact; exact, shared; emulated; real or model. Without it, a limit in instructions
 * applies to exact time, and any other to real time.
 *
 * A limit that cannot be evaluated counts as broken: a metric that is missing or has no values, a
 * run of another time base, a unit that does not fit, or a quantile of too few values unless the
 * maximum keeps the limit. The maximum of gaps is known even if none is above the threshold
 * (metrics.h). If no event was seen, an upper limit of a rate is compared with the 95 % bound
 * (summary_rate_of).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
    size_t line; /* number of the line, from 1 */
    enum limit_statistic statistic;
    bool at_least;
    char *metric;
    double value;
    char unit[LIMITS_UNIT_MAX];
    enum run_time time; /* time base that the limit applies to */
    bool stated;        /* the line states the time base */
};

struct limits {
    struct limit *item;
    size_t count, capacity;
    char **errors; /* "3: what is wrong", in order of lines, one for each malformed line */
    size_t error_count, error_capacity;
};

/* Parses all limits; they are valid if there are no errors. Call limits_free() in any case. */
void limits_parse(struct limits *limits, const char *text, size_t length);
void limits_free(struct limits *limits);

/* Writes the limit: "max gap.longest <= 50 us", with the time base if the line states it. */
void limit_text(const struct limit *limit, char text[LIMITS_MESSAGE_MAX]);
/* Writes a value in the limit's unit, with four digits, or more if needed to show on which side of
 * the limit it is. Returns `text`. */
const char *limit_value_text(const struct limit *limit, double value, char text[SHORTEST_MAX]);

struct limit_result {
    const struct limit *limit;
    const char *metric; /* name of the metric in the run; NULL: there is none */
    bool kept;
    bool has_value;
    double value; /* in the limit's unit */
    /* why the limit is broken, if not because of the value, or how it is known to be kept;
     * otherwise empty */
    char message[LIMITS_MESSAGE_MAX];
};

struct limit_results {
    struct limit_result *item;
    size_t count, capacity;
    size_t broken;
};

/* Checks the limits, in the order of the file and of the run. */
void limits_check(const struct limits *limits, const struct metrics *metrics,
                  struct limit_results *results);
void limit_results_free(struct limit_results *results);
