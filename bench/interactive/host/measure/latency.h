/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What latencies of interactive events state (Endo et al. 1996, sections 3 and 6): the paper's
 * measures, over plain arrays.
 *
 * Latencies are in ticks; one below 0, of an event that was over before it was due, counts as 0
 * wherever they are summed. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/actions.h"
#include "tools/run/run.h"

struct latency_event {
    int64_t begin; /* TSC, or any other origin */
    int64_t latency;
    unsigned kind;  /* enum input_kind, of its first event */
    unsigned class; /* index in struct actions */
};

/* ---- histogram ---- */

#define LATENCY_BINS_MAX 64

struct latency_bin {
    double from, to; /* in units; from <= latency < to */
    uint64_t n;
};

/*
 * Bins of the latencies in some unit, `unit` of which are a tick, without those below the first and
 * above the last that holds any; returns how many, 0 where n is 0. Where the largest is below ten
 * times the smallest they are equally wide, a width of 1, 2 or 5 times a power of ten that gives
 * 10 to 25 of them or so; else their bounds are the series 1, 2, 5, 10, ... itself, the
 * first for all below 2e-9 units too, the last for all above 1e12.
 */
size_t latency_histogram(const int64_t *latencies, size_t n, double unit,
                         struct latency_bin bins[LATENCY_BINS_MAX]);

/* Number `index` of the series 1, 2, 5, 10, ... from 10 to the power of `decade` on. */
double latency_round(int decade, unsigned index);

/* ---- cumulative latency ---- */

/* Latencies by rising size, and the sum up to each. */
struct latency_curve {
    size_t n;
    int64_t *sorted;
    double *sums;
};

void latency_curve_init(struct latency_curve *curve, const int64_t *latencies, size_t n);
void latency_curve_free(struct latency_curve *curve);

/* The share of all latency that is due to events of at most `latency`; or to the `count` shortest.
 * NaN where all latency is 0. */
double latency_share_upto(const struct latency_curve *curve, int64_t latency);
double latency_share_of(const struct latency_curve *curve, size_t count);
/* The least latency whose events and all shorter ones have at least `share` (above 0) of it; n > 0
 * and latency above 0. */
int64_t latency_at_share(const struct latency_curve *curve, double share);

/* ---- interarrival ---- */

struct latency_interarrival {
    size_t events;    /* whose latency is above the threshold */
    double mean;      /* of the intervals between their begins; NaN where there is none */
    double deviation; /* of a sample, n - 1; NaN where there are fewer than 2 intervals */
};

/* `events` in the order of their begins. */
void latency_interarrivals(const struct latency_event *events, size_t n, int64_t threshold,
                           struct latency_interarrival *interarrival);

/* ---- responsiveness ---- */

struct latency_responsiveness {
    size_t events; /* above their threshold */
    double excess; /* sum of max(0, latency - threshold) */
};

void latency_respond(const struct latency_event *events, size_t n, int64_t threshold,
                     struct latency_responsiveness *responsiveness);

/* ---- utilisation ---- */

/* The utilisation of a sample of the idle loop: of its length, what is beyond `nominal`; of one not
 * longer than that 0 (section 2.5). */
double latency_utilisation(int64_t sample, int64_t nominal);

/*
 * The same averaged, by time, over windows of `window` ticks (at least 1) from the first sample's
 * begin on, as many as begin before the last one's end, the last over what there is of it. Returns
 * how many, at most `capacity`. Samples as idle_check() (idle_bench.h) lets pass.
 */
size_t latency_windows(const int64_t *samples, size_t n, int64_t nominal, int64_t window,
                       double *windows, size_t capacity);

/*
 * The latencies of a bench's actions, for latency.h: in all measures, each phase of the bench apart
 * from the others (or each class of actions in each phase), as what comes in one does not follow
 * what came in another.
 */

#define LATENCY_LABEL_MAX 80

struct latency_events {
    struct latency_event *events; /* by begin */
    int64_t *latencies;           /* of the same, in the same order */
    size_t count;
    size_t endless; /* actions whose latency is not known */
    size_t below;   /* actions that are left out, as they do not take longer than was asked for */
};

struct latency_group {
    const struct interactive_phase *phase; /* NULL: of none */
    const char *class;                     /* NULL: all classes */
    char label[LATENCY_LABEL_MAX];         /* "server", "server, newline", "newline"; "" for all of
                                              a bench without phases */
    size_t actions;                        /* that came */
    uint64_t begin;                        /* TSC: of the first action of the phase */
    uint64_t elapsed;                      /* from there to the last end; of any class */
    struct latency_events of[MEASURES];
};

struct latency_groups {
    struct latency_group
        *item; /* by phase, and by class as they first came; none without actions */
    size_t count, capacity;
    uint64_t begin; /* TSC, of the traces */
};

struct latency_wish {
    bool by_class;
    bool has_above;
    int64_t above; /* ticks: only what takes longer */
};

/* `interactive` and `actions` must outlive them. */
void latency_groups_of(struct latency_groups *groups, const struct interactive *interactive,
                       const struct actions *actions, const struct latency_wish *wish);
void latency_groups_free(struct latency_groups *groups);

/* Is it an action of the group's phase and class? */
bool latency_group_has(const struct latency_group *group, const struct actions *actions,
                       const struct action *action);

/* What the person at this terminal chose (thresholds.h); above nothing where `ns_per_tick` is 0. */
struct latency_wish latency_wish_chosen(double ns_per_tick);

/* Ticks of a threshold in milliseconds; INT64_MAX where it is longer than that. */
int64_t latency_threshold(double ms, double ns_per_tick);

/* Ticks that a user does not perceive (THRESHOLD_DEFAULT_MS); UINT64_MAX where `ns_per_tick` is 0:
 * not known. */
uint64_t latency_perceptible(double ns_per_tick);

/* The event with the largest latency, the first of equals; NULL where there is none. */
const struct latency_event *latency_longest(const struct latency_events *events);
/* The same of all groups, by one measure. */
const struct latency_event *latency_longest_of(const struct latency_groups *groups,
                                               enum measure measure);

/*
 * Utilisation of the processor over windows of equal length, from the idle loop's samples alone
 * (Endo et al. 1996, sections 2.5 and 2.6, figure 4): of a bench that publishes them as
 * reconcile.h describes.
 */

#define IDLE_WINDOWS_MAX (1u << 20)

struct idle_windows {
    double ms;
    uint64_t begin;  /* TSC, of the first */
    int64_t window;  /* ticks */
    double *windows; /* 0 to 1; see latency_windows() */
    size_t count;    /* the first IDLE_WINDOWS_MAX */
    double mean;     /* over the time that they cover */
    double most;
    size_t idle; /* windows of 0 */
};

/* NULL, or why there are none: `windows` is NULL then. */
const char *idle_windows_of(struct idle_windows *windows, const struct run_bench *bench, double ms,
                            double ns_per_tick);
void idle_windows_free(struct idle_windows *windows);
