/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benches `idle` and `load` of a run, prepared for analysis: which interrupt lies in which
 * sample.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/stats/statistics.h"

/*
 * What samples of the idle loop show about lost (stolen) time (Endo et al., OSDI '96, sections 2.3
 * and 2.5).
 *
 * Samples are contiguous: sample i begins where i - 1 ended, and sample 0 at time 0. A complete
 * series therefore gives the place in time of every sample. The excess of a sample is its length
 * minus that of an undisturbed sample, the floor: the time in which the processor did something
 * else.
 *
 * All times are in ticks. Pure functions; no sum overflows if idle_check() accepts its parts.
 */

/* Checks that no sample is negative and that their sum is below 2^62. If it returns false, do not
 * call the functions below with these samples or handlers. */
bool idle_check(const int64_t *samples, size_t n);

/* Computes the fraction of time lost in each of `columns` equal parts of the whole time. Positive
 * excesses are each spread evenly over their sample; a sample below the floor counts as no loss. */
void idle_profile(const int64_t *samples, size_t n, int64_t floor, double *fractions,
                  size_t columns);

/* Returns the index of the sample [begin, end) that contains `time`, or `n` if none does. ends[i]
 * is the sum of samples 0..i. */
size_t idle_sample_at(const int64_t *ends, size_t n, int64_t time);

/* Fills ends[0..n). */
void idle_ends(const int64_t *samples, size_t n, int64_t *ends);

/* One interrupt, or all interrupts of one sample taken together. */
struct idle_event {
    size_t index;       /* index of the first of these interrupts in the given list */
    size_t count;       /* number of interrupts that share the sample */
    bool found;         /* an idle sample contains the interrupts */
    size_t sample;      /* index of the sample, if found */
    int64_t entry;      /* time at which the first interrupt was entered */
    int64_t handler;    /* sum of the handlers' measured times */
    int64_t elongation; /* excess of the sample, if found */
};

/* Joins interrupts with samples: makes one event for each sample that contains some, and one for
 * each interrupt that no sample contains. `events` needs space for `count`. Entries must ascend.
 * Returns the number of events. */
size_t idle_match(const int64_t *samples, size_t n, int64_t floor, const int64_t *entries,
                  const int64_t *handlers, size_t count, struct idle_event *events);

/* How much the recovered time may differ from the injected time, as the image stated before it ran
 * (bench/noise/recover.h). */
struct idle_tolerance {
    /* entry and exit of an interrupt, which no handler's time includes: not an error */
    int64_t outside;
    int64_t sample; /* error allowed in any sample */
    int64_t each;   /* error allowed in addition for each interrupt in the sample */
};

/* Returns the tolerance of an event with `count` interrupts, in ticks. */
int64_t idle_tolerance_ticks(const struct idle_tolerance *tolerance, size_t count);
/* Returns the recovered time minus the injected time and minus entry and exit of each interrupt. */
int64_t idle_event_error(const struct idle_event *event, const struct idle_tolerance *tolerance);

/* Comparison of injected work with what the idle loop detected. */
struct idle_recovery {
    size_t injected; /* number of interrupts */
    /* interrupts whose sample is longer by at least half the injected work */
    size_t recovered;
    size_t within_tolerance; /* interrupts whose sample's error is within its tolerance */
    size_t groups;           /* number of samples that contain interrupts */
    size_t groups_recovered;
    size_t groups_within;
    size_t spurious; /* samples without an interrupt that are longer by more than the tolerance */
    int64_t floor;
    struct idle_tolerance tolerance;
    int64_t injected_total;
    int64_t recovered_total; /* without entries and exits */
    bool has_error;          /* at least one event was found in a sample */
    int64_t max_error;       /* error with the largest magnitude, with its sign */
};

/* Returns the floor of samples among which interrupts occurred: the median of the samples without
 * interrupts, or `otherwise` if all contain some. */
int64_t idle_floor_between(const int64_t *samples, size_t n, const int64_t *entries, size_t count,
                           int64_t otherwise);

/* Computes the recovery from the `event_count` events that idle_match() returned. */
void idle_recover(const int64_t *samples, size_t n, int64_t floor,
                  const struct idle_tolerance *tolerance, const struct idle_event *events,
                  size_t event_count, struct idle_recovery *recovery);

/* Groups `n` keys. order[0..n) becomes their indices by ascending key, and by ascending index if
 * keys are equal. starts[g] becomes the place in `order` where group g begins. Both need space for
 * n. Returns the number of different keys. */
size_t idle_group(const int64_t *keys, size_t n, size_t *order, size_t *starts);

/* Interrupts together with the idle samples that contain them. */
struct idle_bench {
    const struct run_series *samples;
    const struct run_series *entries;  /* time of each handler's entry since the first sample */
    const struct run_series *handlers; /* measured time of each handler */
    int64_t floor;
    struct idle_event *events;
    size_t event_count;
};

/* Finds the floor of bench `idle`: the median of series floor. Its samples need no place in time,
 * so that some may be missing. Returns false with the reason in *why if there is none. */
bool idle_bench_floor(const struct run_bench *bench, int64_t *floor, const char **why);

/* Reads bench `idle`: series floor, ticking, handler_start, handler. Returns false with the reason
 * in *why if a required series is missing or inconsistent. Call idle_bench_free() afterwards in any
 * case. */
bool idle_bench_ticks(const struct run_bench *bench, struct idle_bench *idle, const char **why);

/* Reads bench `load`: series samples, entry, work. Also computes the recovery, with the tolerance
 * that the image stated before it ran. Otherwise like idle_bench_ticks(). */
bool idle_bench_load(const struct run_bench *bench, struct idle_bench *idle,
                     struct idle_recovery *recovery, const char **why);

#define IDLE_TOLERANCE_TEXT_MAX 224
/* Describes the tolerance and what it applies to. */
const char *idle_tolerance_text(const struct idle_tolerance *tolerance,
                                char text[IDLE_TOLERANCE_TEXT_MAX]);

enum idle_column {
    IDLE_HANDLER,    /* measured time of the handler */
    IDLE_ELONGATION, /* excess of the idle loop's sample in which the event occurred */
    IDLE_OVERHEAD,   /* excess beyond the handler's time: entry and exit of the interrupt */
};

int64_t idle_event_value(const struct idle_event *event, enum idle_column column);

/* Computes the statistics of one column over all events that are in a sample. */
void idle_bench_statistics(const struct idle_bench *idle, enum idle_column column,
                           struct statistics *statistics);

/* Returns the difference between the recovered and the injected total, in millionths, or NaN if no
 * work was injected. */
double idle_recovery_ppm(const struct idle_recovery *recovery);

void idle_bench_free(struct idle_bench *idle);
