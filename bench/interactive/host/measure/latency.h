/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The paper's measures of the latencies of interactive events (Endo et al. 1996, sections 3 and 6),
 * over plain arrays.
 *
 * Latencies are in ticks. A negative latency, of an event that was over before it was due, counts
 * as 0 in every sum. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/actions.h"
#include "tools/run/run.h"

struct latency_event {
    int64_t begin; /* TSC, or ticks since any other origin */
    int64_t latency;
    unsigned kind;  /* enum input_kind of its first event */
    unsigned class; /* class, as an index in struct actions */
};

/* ---- histogram ---- */

#define LATENCY_LINEAR   0  /* bins of equal width, up to 200 */
#define LATENCY_COARSE   3  /* bounds in each decade */
#define LATENCY_FINE     10 /* the same, for figures */
#define LATENCY_BINS_MAX 212

struct latency_bin {
    double from, to; /* in units; from <= latency < to */
    uint64_t n;
};

/*
 * Fills bins with the latencies, in some unit: one tick is `unit` units. Leaves out empty bins
 * below the first and above the last latency. Returns the number of bins, 0 if n is 0.
 *
 * If the largest latency is below ten times the smallest, all bins have the same width: 1, 2 or 5
 * times a power of ten, chosen so that there are about 10 to 25 bins. Otherwise the bounds are the
 * series 1, 2, 5, 10, ... itself or, with LATENCY_FINE, one of ten bounds in a decade. Its first
 * bin also holds everything below 2e-9 units, and its last one everything above 1e12.
 */
size_t latency_histogram(const int64_t *latencies, size_t n, double unit, unsigned per_decade,
                         struct latency_bin bins[LATENCY_BINS_MAX]);

/* Returns element `index` of the series 1, 2, 5, 10, ... that starts at 10 to the power of
 * `decade`. */
double latency_round(int decade, unsigned index);

/* ---- cumulative latency ---- */

/* Latencies in ascending order, and their sum up to each one. */
struct latency_curve {
    size_t n;
    int64_t *sorted;
    double *sums;
};

void latency_curve_init(struct latency_curve *curve, const int64_t *latencies, size_t n);
void latency_curve_free(struct latency_curve *curve);

/* Return the share of the total latency that is due to events of at most `latency`, or to the
 * `count` shortest events. NaN if the total is 0. */
double latency_share_upto(const struct latency_curve *curve, int64_t latency);
double latency_share_of(const struct latency_curve *curve, size_t count);
/* Returns the least latency for which the events of at most that latency have `share` (above 0) of
 * the total. Requires n > 0 and a total above 0. */
int64_t latency_at_share(const struct latency_curve *curve, double share);

/* ---- interarrival ---- */

struct latency_interarrival {
    size_t events; /* events above the threshold */
    double mean;   /* mean of the intervals between their starts; NaN if there are none */
    /* sample deviation of these intervals, with n - 1; NaN with fewer than 2 intervals */
    double deviation;
};

/* Computes the intervals. `events` must be in the order of their starts. */
void latency_interarrivals(const struct latency_event *events, size_t n, int64_t threshold,
                           struct latency_interarrival *interarrival);

/* ---- responsiveness ---- */

struct latency_responsiveness {
    size_t events; /* events above the threshold */
    double excess; /* sum of max(0, latency - threshold) */
};

void latency_respond(const struct latency_event *events, size_t n, int64_t threshold,
                     struct latency_responsiveness *responsiveness);

/* ---- utilisation ---- */

/* Returns the utilisation of a sample of the idle loop: the part of its length beyond `nominal`. It
 * is 0 for a sample that is not longer than that (section 2.5). */
double latency_utilisation(int64_t sample, int64_t nominal);

/*
 * Averages the utilisation over windows of `window` ticks (at least 1), weighted by time. The first
 * window starts with the first sample; windows follow up to the end of the last sample, so the last
 * window may be shorter. Returns the number of windows, at most `capacity`. The samples must have
 * passed idle_check() (idle_bench.h).
 */
size_t latency_windows(const int64_t *samples, size_t n, int64_t nominal, int64_t window,
                       double *windows, size_t capacity);

/*
 * The latencies of a bench's actions in all measures, as input for the functions above. Each phase
 * is a separate group (or each class of actions within each phase), because actions of one phase do
 * not follow those of another.
 */

#define LATENCY_LABEL_MAX 80

struct latency_events {
    struct latency_event *events; /* ordered by `begin` */
    int64_t *latencies;           /* latencies of `events`, in the same order */
    size_t count;
    size_t endless; /* actions whose latency is unknown */
    size_t below;   /* actions left out because they take no longer than the user asked for */
};

struct latency_group {
    const struct interactive_phase *phase; /* NULL: none */
    const char *class;                     /* NULL: all classes */
    /* for example "server", "server, newline" or "newline"; "" for everything in a bench without
     * phases */
    char label[LATENCY_LABEL_MAX];
    size_t actions;   /* actions that came */
    uint64_t begin;   /* TSC of the phase's first action */
    uint64_t elapsed; /* ticks from there to the last end, over all classes */
    struct latency_events of[MEASURES];
};

struct latency_groups {
    struct latency_group
        /* by phase and, if by class, in the order in which classes first occurred; empty groups are
         * left out */
        *item;
    size_t count, capacity;
    uint64_t begin; /* TSC of the traces' start */
};

struct latency_wish {
    bool by_class;
    bool bare; /* which actions are in which group, without the lists of their latencies */
    bool has_above;
    int64_t above; /* ticks; only longer actions are included */
};

/* Groups the actions. `interactive` and `actions` must outlive the groups. */
void latency_groups_of(struct latency_groups *groups, const struct interactive *interactive,
                       const struct actions *actions, const struct latency_wish *wish);
void latency_groups_free(struct latency_groups *groups);

/* Returns whether the action belongs to the group's phase and class. */
bool latency_group_has(const struct latency_group *group, const struct actions *actions,
                       const struct action *action);

/* Computes the spread of a count (interactive.counted) over the group's actions for which it is
 * known. */
struct interactive_spread;
void latency_count_spread(const struct latency_group *group, const struct actions *actions,
                          size_t column, struct interactive_spread *spread);

/* Returns the thresholds that the user chose (thresholds.h). They have no lower limit if
 * `ns_per_tick` is 0. */
struct latency_wish latency_wish_chosen(double ns_per_tick);

/* Returns a threshold in milliseconds as ticks, at most INT64_MAX. */
int64_t latency_threshold(double ms, double ns_per_tick);

/* Returns the ticks that a user does not perceive (THRESHOLD_DEFAULT_MS), or UINT64_MAX if
 * `ns_per_tick` is 0 (unknown). */
uint64_t latency_perceptible(double ns_per_tick);

/* Returns the event with the largest latency, the first if several are equal, or NULL if there is
 * none. */
const struct latency_event *latency_longest(const struct latency_events *events);
/* Returns the same over all groups, by one measure. */
const struct latency_event *latency_longest_of(const struct latency_groups *groups,
                                               enum measure measure);

/*
 * Utilisation of the processor over windows of equal length, from the idle loop's samples alone
 * (Endo et al. 1996, sections 2.5 and 2.6, figure 4), for a bench that publishes them as
 * reconcile.h describes.
 */

#define IDLE_WINDOWS_MAX (1u << 20)

struct idle_windows {
    double ms;
    uint64_t begin;  /* TSC of the first window */
    int64_t window;  /* ticks */
    double *windows; /* 0 to 1; see latency_windows() */
    size_t count;    /* number of windows, at most IDLE_WINDOWS_MAX */
    double mean;     /* mean utilisation over the time that the windows cover */
    double most;
    size_t idle; /* number of windows with utilisation 0 */
};

/* Computes the windows. Returns NULL on success, otherwise the reason why there are none; `windows`
 * is then NULL. */
const char *idle_windows_of(struct idle_windows *windows, const struct run_bench *bench, double ms,
                            double ns_per_tick);
void idle_windows_free(struct idle_windows *windows);
