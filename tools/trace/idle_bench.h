/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benches `idle` and `load` of a run, joined for analysis: which interrupt lies in which
 * sample.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/stats/statistics.h"

/*
 * What idle-loop samples show about stolen time (Endo et al., OSDI '96, sections 2.3 and 2.5).
 *
 * Samples are contiguous: sample i begins where i - 1 ended, sample 0 at time 0, so that a whole
 * series gives every sample's place in time. The elongation of a sample is its length less that of
 * an undisturbed one, the floor: the time in which the processor did something else.
 *
 * All times are in ticks. Pure functions; no sum overflows where idle_check() agrees to its parts.
 */

/* Is no sample negative, and their sum below 2^62? Else nothing below may be asked, neither of
 * samples nor of handlers. */
bool idle_check(const int64_t *samples, size_t n);

/* The fraction of time stolen in each of `columns` equal parts of the whole time: elongations above
 * zero, each spread evenly over its sample. A sample below the floor counts as none stolen. */
void idle_profile(const int64_t *samples, size_t n, int64_t floor, double *fractions,
                  size_t columns);

/* Index of the sample in whose time [begin, end) `time` lies, or `n` where none. ends[i] is the sum
 * of samples 0..i. */
size_t idle_sample_at(const int64_t *ends, size_t n, int64_t time);

/* Fills ends[0..n). */
void idle_ends(const int64_t *samples, size_t n, int64_t *ends);

/* One interrupt, or all those of one sample taken together. */
struct idle_event {
    size_t index;       /* of the first of them in the list that was given */
    size_t count;       /* how many of them share the sample */
    bool found;         /* an idle sample holds them */
    size_t sample;      /* its index, where found */
    int64_t entry;      /* of the first */
    int64_t handler;    /* sum of the bracketed times */
    int64_t elongation; /* of the sample, where found */
};

/* Joins interrupts with samples: one event for each sample that holds some, and one for each
 * interrupt that no sample holds. `events` has room for `count`. Entries rise. Returns how many. */
size_t idle_match(const int64_t *samples, size_t n, int64_t floor, const int64_t *entries,
                  const int64_t *handlers, size_t count, struct idle_event *events);

/* How far what is recovered may be from what was injected, as the image stated before it ran
 * (bench/noise/recover.h). */
struct idle_tolerance {
    int64_t outside; /* entry and exit of an interrupt, which no handler brackets: no error */
    int64_t sample;  /* allowed in any sample */
    int64_t each;    /* allowed in addition for each interrupt in the sample */
};

/* Of an event of so many interrupts, in ticks. */
int64_t idle_tolerance_ticks(const struct idle_tolerance *tolerance, size_t count);
/* What is recovered, less what was injected, less entry and exit of each interrupt. */
int64_t idle_event_error(const struct idle_event *event, const struct idle_tolerance *tolerance);

/* Injected work against what the idle loop saw of it. */
struct idle_recovery {
    size_t injected;         /* interrupts */
    size_t recovered;        /* those whose sample is longer by at least half the injected work */
    size_t within_tolerance; /* those whose sample errs by at most its tolerance */
    size_t groups;           /* the same of samples that hold some */
    size_t groups_recovered;
    size_t groups_within;
    size_t spurious; /* samples longer by more than the tolerance without any interrupt */
    int64_t floor;
    struct idle_tolerance tolerance;
    int64_t injected_total;
    int64_t recovered_total; /* less entries and exits */
    bool has_error;          /* any event was found */
    int64_t max_error;       /* the largest error by magnitude, with its sign */
};

/* The floor of samples among which interrupts fell: the median of those that hold none, or
 * `otherwise` where all do. */
int64_t idle_floor_between(const int64_t *samples, size_t n, const int64_t *entries, size_t count,
                           int64_t otherwise);

/* `event_count` events as idle_match() gives them. */
void idle_recover(const int64_t *samples, size_t n, int64_t floor,
                  const struct idle_tolerance *tolerance, const struct idle_event *events,
                  size_t event_count, struct idle_recovery *recovery);

/* Groups `n` keys: order[0..n) becomes their indices by rising key, and by rising index where keys
 * are equal; starts[g] becomes the place in `order` where group g begins. Both have room for n.
 * Returns how many different keys there are. */
size_t idle_group(const int64_t *keys, size_t n, size_t *order, size_t *starts);

/* Interrupts against the idle samples that hold them. */
struct idle_bench {
    const struct run_series *samples;
    const struct run_series *entries;  /* time of each handler's entry since the first sample */
    const struct run_series *handlers; /* bracketed time of each */
    int64_t floor;
    struct idle_event *events;
    size_t event_count;
};

/* The floor of bench `idle`: the median of series floor, which needs no place in time, so that some
 * of it may be missing. False, with the reason in *why, where there is none. */
bool idle_bench_floor(const struct run_bench *bench, int64_t *floor, const char **why);

/* Bench `idle`: series floor, ticking, handler_start, handler. False, with the reason in *why,
 * where something it takes is missing or contradicts. idle_bench_free() afterwards in any case. */
bool idle_bench_ticks(const struct run_bench *bench, struct idle_bench *idle, const char **why);

/* Bench `load`: series samples, entry, work; and what was recovered, to what the image stated
 * before it ran. The same otherwise. */
bool idle_bench_load(const struct run_bench *bench, struct idle_bench *idle,
                     struct idle_recovery *recovery, const char **why);

#define IDLE_TOLERANCE_TEXT_MAX 192
/* What the tolerance is, and what of. */
const char *idle_tolerance_text(const struct idle_tolerance *tolerance,
                                char text[IDLE_TOLERANCE_TEXT_MAX]);

enum idle_column {
    IDLE_HANDLER,    /* bracketed time */
    IDLE_ELONGATION, /* of the sample that holds it */
    IDLE_OVERHEAD,   /* elongation beyond the handler: entry and exit of the interrupt */
};

int64_t idle_event_value(const struct idle_event *event, enum idle_column column);

/* One column over all events that a sample holds. */
void idle_bench_statistics(const struct idle_bench *idle, enum idle_column column,
                           struct statistics *statistics);

/* How far the total recovered is from the total injected, in millionths; NaN without work. */
double idle_recovery_ppm(const struct idle_recovery *recovery);

void idle_bench_free(struct idle_bench *idle);
