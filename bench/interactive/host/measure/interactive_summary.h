/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input events of a bench in few numbers: each kind apart, of it those that came while caches
 * were cold apart from the others (Endo et al. 1996, section 4 and figure 6), and the phases of a
 * bench that has any, as what comes at human speed is not what comes all at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/interactive.h"
#include "tools/stats/statistics.h"

enum interactive_summary_row {
    SUMMARY_ELONGATION, /* of the idle loop, of those that share their samples with no other */
    SUMMARY_BUSY,
    SUMMARY_SERVICE,
    SUMMARY_RESPONSE,
    SUMMARY_TRADITIONAL,
    SUMMARY_ROWS,
};
/* "elongation", "busy", "service", "response", "traditional". */
const char *interactive_row_name(enum interactive_summary_row measure);

/* What a response time consists of, in the order in which it passes: where all are known, their sum
 * is the response time. */
enum interactive_stage {
    STAGE_COMING,  /* due to arrival: how late it came; known only of what was planned */
    STAGE_POSTING, /* arrival to queue: interrupt and driver */
    STAGE_QUEUED,  /* in the queue */
    STAGE_WORK,    /* taken to done */
    STAGES,
};
/* "due to arrival", "arrival to queue", "in the queue", "at work". */
const char *interactive_stage_name(enum interactive_stage stage);
/* False where its begin or its end is not known. */
bool interactive_stage_ticks(const struct interactive_event *event, enum interactive_stage stage,
                             int64_t *ticks);

struct interactive_spread {
    struct statistics statistics; /* of those of which it is known */
    double mean;                  /* NaN where there is none */
    double deviation;             /* standard deviation, by n - 1; NaN below two */
    bool constant;                /* two or more, all the same: the deviation is 0, exactly */
};

/* Of any values. */
void interactive_spread_of(const int64_t *values, size_t n, struct interactive_spread *spread);

/* Events that belong together. */
struct interactive_class {
    uint8_t kind; /* enum input_kind */
    bool cold;
    const struct interactive_phase *phase; /* NULL: of none */
};
/* "key_down", "key_down, cold", "key_down, fast"; text of at least INTERACTIVE_CLASS_MAX. */
#define INTERACTIVE_CLASS_MAX 64
const char *interactive_class_name(const struct interactive_class *of,
                                   char text[INTERACTIVE_CLASS_MAX]);

struct interactive_summary {
    struct interactive_class of;
    size_t events; /* that came */
    struct interactive_spread measures[SUMMARY_ROWS];
};

/* False where none came. */
bool interactive_summarise(const struct interactive *interactive,
                           const struct interactive_class *of, struct interactive_summary *summary);
/* Of all classes of which some came, which hold each event once: by kind, warm before cold, by
 * phase. To be freed. */
struct interactive_summary *interactive_summaries(const struct interactive *interactive,
                                                  size_t *count);

/* Of the stages of the same events the mean, of those of which it is known; NaN where of none. */
void interactive_stage_means(const struct interactive *interactive,
                             const struct interactive_class *of, double means[STAGES]);

/* Over the events whose parts (interactive.h) are summed up. */
struct interactive_explained {
    int64_t stamps, busy, elongation; /* sums: ticks */
};
void interactive_sum_explained(const struct interactive *interactive,
                               struct interactive_explained *explained);
