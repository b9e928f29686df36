/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A summary of a bench's input events: each kind separately, events with cold caches separately
 * from the others (Endo et al. 1996, section 4 and figure 6), and each phase separately, because
 * input at human speed differs from input that comes all at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/interactive.h"
#include "tools/stats/statistics.h"

enum interactive_summary_row {
    /* excess of the idle loop's samples, for events that share their samples with no other */
    SUMMARY_ELONGATION,
    SUMMARY_BUSY,
    SUMMARY_SERVICE,
    SUMMARY_RESPONSE,
    SUMMARY_TRADITIONAL,
    SUMMARY_ROWS,
};
/* Returns "elongation", "busy", "service", "response" or "traditional". */
const char *interactive_row_name(enum interactive_summary_row measure);

/* The stages of a response time, in order. If all are known, their sum is the response time. */
enum interactive_stage {
    STAGE_COMING,  /* due to arrival: how late it came; known only for planned events */
    STAGE_POSTING, /* arrival to queue: interrupt and driver */
    STAGE_QUEUED,  /* in the queue: posted to taken */
    STAGE_WORK,    /* taken to done */
    STAGES,
};
/* Returns "due to arrival", "arrival to queue", "in the queue" or "at work". */
const char *interactive_stage_name(enum interactive_stage stage);
/* Gets the duration of a stage. Returns false if its start or its end is unknown. */
bool interactive_stage_ticks(const struct interactive_event *event, enum interactive_stage stage,
                             int64_t *ticks);

struct interactive_spread {
    struct statistics statistics; /* over the events for which the value is known */
    double mean;                  /* NaN if there is none */
    /* standard deviation with n - 1; NaN with fewer than two values */
    double deviation;
    /* there are two or more values and all are equal: the deviation is exactly 0 */
    bool constant;
};

/* Computes the spread of any values. */
void interactive_spread_of(const int64_t *values, size_t n, struct interactive_spread *spread);

/* Events that belong together. */
struct interactive_class {
    uint8_t kind; /* enum input_kind */
    bool cold;
    const struct interactive_phase *phase; /* NULL: none */
};
/* Writes "key_down", "key_down, cold" or "key_down, fast" to `text` and returns it. */
#define INTERACTIVE_CLASS_MAX 64
const char *interactive_class_name(const struct interactive_class *of,
                                   char text[INTERACTIVE_CLASS_MAX]);

struct interactive_summary {
    struct interactive_class of;
    size_t events; /* events that came */
    struct interactive_spread measures[SUMMARY_ROWS];
};

/* Summarises the events of a class. Returns false if none came. */
bool interactive_summarise(const struct interactive *interactive,
                           const struct interactive_class *of, struct interactive_summary *summary);
/* Returns a summary for each class of which some events came: by kind, warm before cold, by phase.
 * Each event is in exactly one. The caller must free it. */
struct interactive_summary *interactive_summaries(const struct interactive *interactive,
                                                  size_t *count);

/* Computes the mean of each stage over the `n` events for which it is known; NaN if there is none.
 */
void interactive_stage_means(const struct interactive *interactive,
                             const struct interactive_class *of, double means[STAGES],
                             size_t n[STAGES]);

/* Sums over the events whose parts (interactive.h) are summed up. */
struct interactive_explained {
    int64_t stamps, busy, elongation; /* ticks */
};
void interactive_sum_explained(const struct interactive *interactive,
                               struct interactive_explained *explained);
