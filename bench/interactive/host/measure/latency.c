/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/latency.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/interactive/host/measure/interactive_summary.h"
#include "bench/interactive/host/measure/thresholds.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/trace/reconcile.h"

#define SPAN_OF_LINEAR  10   /* bins are equally wide if largest / smallest is below this */
#define EQUAL_BINS      25   /* at most this many, plus one at an edge */
#define LINEAR_BINS     200  /* the same for LATENCY_LINEAR */
#define NARROWEST       4    /* bins are wide enough for this many times as many from 0 on */
#define SMALLEST_DECADE (-9) /* decade of the first bound of the series */
#define DECADES         21

static double positive(int64_t latency)
{
    return latency > 0 ? (double)latency : 0;
}

/* ---- histogram ---- */

double latency_round(int decade, unsigned index)
{
    static const double steps[] = {1, 2, 5};
    const double step = steps[index % 3];

    decade += (int)(index / 3);
    return decade >= 0 ? step * pow(10, decade) : step / pow(10, -decade);
}

/* Returns bound `index` of the series with `per_decade` bounds in each decade. */
static double bound_of(size_t index, unsigned per_decade)
{
    static const double tenths[] = {1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8};

    return per_decade == LATENCY_COARSE
               ? latency_round(SMALLEST_DECADE, (unsigned)index)
               : tenths[index % LATENCY_FINE] *
                     latency_round(SMALLEST_DECADE, 3 * (unsigned)(index / LATENCY_FINE));
}

/* Returns the index of the last bound that is not above `value`; 0 if there is none, and the last
 * index for larger values. */
static size_t bound_below(double value, unsigned per_decade)
{
    size_t index = 0;

    while (index + 1 < DECADES * per_decade + 1 && bound_of(index + 1, per_decade) <= value) {
        index++;
    }
    return index;
}

/* Fills equally wide bins, at most `limit`. They are wide enough that similar latencies share one.
 */
static size_t fill_equal(const int64_t *latencies, size_t n, double unit, double least, double most,
                         double limit, struct latency_bin *bins)
{
    size_t step = 0;

    while (bound_of(step + 1, LATENCY_COARSE) <= most / (NARROWEST * limit) ||
           most / bound_of(step, LATENCY_COARSE) - floor(least / bound_of(step, LATENCY_COARSE)) >=
               limit) {
        step++;
    }
    const double width = bound_of(step, LATENCY_COARSE);
    const double first = floor(least / width);
    const size_t count = (size_t)(floor(most / width) - first) + 1;

    for (size_t i = 0; i < count; i++) {
        bins[i] =
            (struct latency_bin){(first + (double)i) * width, (first + (double)i + 1) * width, 0};
    }
    for (size_t i = 0; i < n; i++) {
        bins[(size_t)(floor(positive(latencies[i]) * unit / width) - first)].n++;
    }
    return count;
}

static size_t fill_series(const int64_t *latencies, size_t n, double unit, double least,
                          double most, unsigned per_decade, struct latency_bin *bins)
{
    const size_t first = bound_below(least, per_decade);
    const size_t count = bound_below(most, per_decade) - first + 1;

    for (size_t i = 0; i < count; i++) {
        bins[i] = (struct latency_bin){first + i == 0 ? 0 : bound_of(first + i, per_decade),
                                       bound_of(first + i + 1, per_decade), 0};
    }
    for (size_t i = 0; i < n; i++) {
        bins[bound_below(positive(latencies[i]) * unit, per_decade) - first].n++;
    }
    return count;
}

size_t latency_histogram(const int64_t *latencies, size_t n, double unit, unsigned per_decade,
                         struct latency_bin bins[LATENCY_BINS_MAX])
{
    int64_t min = INT64_MAX;
    int64_t max = INT64_MIN;

    for (size_t i = 0; i < n; i++) {
        min = latencies[i] < min ? latencies[i] : min;
        max = latencies[i] > max ? latencies[i] : max;
    }
    const double least = positive(min) * unit;
    const double most = positive(max) * unit;

    if (n == 0) {
        return 0;
    }
    if (per_decade == LATENCY_LINEAR || most < SPAN_OF_LINEAR * least) {
        return fill_equal(latencies, n, unit, least, most,
                          per_decade == LATENCY_LINEAR ? LINEAR_BINS : EQUAL_BINS, bins);
    }
    return fill_series(latencies, n, unit, least, most, per_decade, bins);
}

/* ---- cumulative latency ---- */

void latency_curve_init(struct latency_curve *curve, const int64_t *latencies, size_t n)
{
    long double sum = 0;

    curve->n = n;
    curve->sorted = alloc_zeroed(n * sizeof(*curve->sorted));
    curve->sums = alloc_zeroed(n * sizeof(*curve->sums));
    for (size_t i = 0; i < n; i++) {
        curve->sorted[i] = latencies[i];
    }
    sort_integers(curve->sorted, n);
    for (size_t i = 0; i < n; i++) {
        sum += (long double)positive(curve->sorted[i]);
        curve->sums[i] = (double)sum;
    }
}

void latency_curve_free(struct latency_curve *curve)
{
    free(curve->sorted);
    free(curve->sums);
}

double latency_share_of(const struct latency_curve *curve, size_t count)
{
    const double all = curve->n > 0 ? curve->sums[curve->n - 1] : 0;
    const size_t first = count < curve->n ? count : curve->n;

    if (!(all > 0)) {
        return NAN;
    }
    return first > 0 ? curve->sums[first - 1] / all : 0;
}

double latency_share_upto(const struct latency_curve *curve, int64_t latency)
{
    size_t low = 0;
    /* everything before low is at most `latency`, nothing from high on is */
    size_t high = curve->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (curve->sorted[middle] <= latency) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return latency_share_of(curve, low);
}

int64_t latency_at_share(const struct latency_curve *curve, double share)
{
    size_t count = 0;

    while (count + 1 < curve->n && curve->sums[count] < share * curve->sums[curve->n - 1]) {
        count++;
    }
    return curve->sorted[count];
}

/* ---- interarrival ---- */

/* Computes mean and sample deviation. It sums squares of differences from the mean, so that large
 * values with small differences lose no precision. */
static void moments(const int64_t *values, size_t n, double *mean, double *deviation)
{
    long double sum = 0;
    long double squares = 0;

    for (size_t i = 0; i < n; i++) {
        sum += (long double)values[i];
    }
    const long double middle = n > 0 ? sum / (long double)n : NAN;

    for (size_t i = 0; i < n; i++) {
        const long double difference = (long double)values[i] - middle;

        squares += difference * difference;
    }
    *mean = (double)middle;
    *deviation = n >= 2 ? (double)sqrtl(squares / (long double)(n - 1)) : NAN;
}

void latency_interarrivals(const struct latency_event *events, size_t n, int64_t threshold,
                           struct latency_interarrival *interarrival)
{
    int64_t *intervals = alloc_zeroed(n * sizeof(*intervals));
    size_t count = 0;
    int64_t last = 0;

    for (size_t i = 0; i < n; i++) {
        if (events[i].latency > threshold) {
            /* the first interval has no start and is not used below */
            intervals[count++] = (int64_t)((uint64_t)events[i].begin - (uint64_t)last);
            last = events[i].begin;
        }
    }
    const size_t between = count > 0 ? count - 1 : 0;

    interarrival->events = count;
    moments(intervals + (count > 0), between, &interarrival->mean, &interarrival->deviation);
    free(intervals);
}

/* ---- responsiveness ---- */

void latency_respond(const struct latency_event *events, size_t n, int64_t threshold,
                     struct latency_responsiveness *responsiveness)
{
    long double excess = 0;

    responsiveness->events = 0;
    for (size_t i = 0; i < n; i++) {
        if (events[i].latency > threshold) {
            responsiveness->events++;
            excess += (long double)events[i].latency - (long double)threshold;
        }
    }
    responsiveness->excess = (double)excess;
}

/* ---- utilisation ---- */

double latency_utilisation(int64_t sample, int64_t nominal)
{
    return sample > nominal && sample > 0 ? (double)(sample - nominal) / (double)sample : 0;
}

size_t latency_windows(const int64_t *samples, size_t n, int64_t nominal, int64_t window,
                       double *windows, size_t capacity)
{
    size_t count = 0;
    int64_t filled = 0; /* ticks of the last window filled so far */
    double busy = 0;    /* busy ticks in them */

    for (size_t i = 0; i < n; i++) {
        const double utilisation = latency_utilisation(samples[i], nominal);

        for (int64_t left = samples[i]; left > 0;) {
            const int64_t room = window - filled;
            const int64_t ticks = left < room ? left : room;

            if (filled == 0 && count++ == capacity) {
                return capacity;
            }
            busy += utilisation * (double)ticks;
            filled += ticks;
            windows[count - 1] = busy / (double)filled;
            left -= ticks;
            if (filled == window) {
                filled = 0;
                busy = 0;
            }
        }
    }
    return count;
}

/* ---- events ---- */

bool latency_group_has(const struct latency_group *group, const struct actions *actions,
                       const struct action *action)
{
    return action->phase == group->phase &&
           (group->class == NULL || group->class == actions->classes[action->class]);
}

static void add_event(struct latency_events *events, const struct action *action, unsigned kind,
                      enum measure measure, const struct latency_wish *wish)
{
    if (!action->known[measure]) {
        events->endless++;
    } else if (wish->has_above && action->latency[measure] <= wish->above) {
        events->below++;
    } else {
        events->events[events->count++] = (struct latency_event){
            .begin = (int64_t)action->begin,
            .latency = action->latency[measure],
            .kind = kind,
            .class = action->class,
        };
    }
}

static void fill_events(struct latency_events *events, const struct latency_group *group,
                        const struct interactive *interactive, const struct actions *actions,
                        enum measure measure, const struct latency_wish *wish)
{
    events->events = alloc_zeroed(group->actions * sizeof(*events->events));
    for (size_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->actions[i];

        if (latency_group_has(group, actions, action)) {
            add_event(events, action, interactive->events[action->first].kind, measure, wish);
        }
    }
    sort_by(events->events, events->count, sizeof(*events->events),
            offsetof(struct latency_event, begin), false);
    events->latencies = alloc_zeroed(events->count * sizeof(*events->latencies));
    for (size_t i = 0; i < events->count; i++) {
        events->latencies[i] = events->events[i].latency;
    }
}

/* ---- groups ---- */

static void set_label(struct latency_group *group, size_t phases)
{
    const struct interactive_phase *phase = group->phase;
    char name[LATENCY_LABEL_MAX] = "";

    if (phase != NULL && phase->name != NULL) {
        snprintf(name, sizeof(name), "%.40s", phase->name);
    } else if (phase != NULL) {
        snprintf(name, sizeof(name), "phase %u", phase->phase);
    } else if (phases > 0) {
        snprintf(name, sizeof(name), "in no phase");
    }
    snprintf(group->label, sizeof(group->label), "%.40s%s%.36s", name,
             name[0] != '\0' && group->class != NULL ? ", " : "",
             group->class != NULL ? group->class : "");
}

/* Sets the time from the first start to the last end of the phase. */
static void set_elapsed(struct latency_group *group, const struct interactive *interactive,
                        const struct actions *actions)
{
    uint64_t end = 0;

    group->begin = UINT64_MAX;
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];

        if (actions->of[i] == ACTION_NONE) {
            continue;
        }
        const struct action *action = &actions->actions[actions->of[i]];

        if (action->phase == group->phase) {
            group->begin = action->begin < group->begin ? action->begin : group->begin;
            end = action->begin > end ? action->begin : end;
            end = event->has_done && event->done > end ? event->done : end;
        }
    }
    group->elapsed = end - group->begin;
}

static void add_group(struct latency_groups *groups, const struct interactive *interactive,
                      const struct actions *actions, const struct latency_wish *wish,
                      const struct latency_group *of)
{
    size_t count = 0;

    for (size_t i = 0; i < actions->count; i++) {
        count += latency_group_has(of, actions, &actions->actions[i]);
    }
    if (count == 0) {
        return;
    }
    struct latency_group *group =
        alloc_next(&groups->item, &groups->count, &groups->capacity, sizeof(*group));

    *group = *of;
    group->actions = count;
    set_label(group, interactive->phase_count);
    set_elapsed(group, interactive, actions);
    for (unsigned m = 0; m < MEASURES && !wish->bare; m++) {
        fill_events(&group->of[m], group, interactive, actions, (enum measure)m, wish);
    }
}

void latency_groups_of(struct latency_groups *groups, const struct interactive *interactive,
                       const struct actions *actions, const struct latency_wish *wish)
{
    *groups = (struct latency_groups){.begin = interactive->begin};
    for (size_t p = 0; p <= interactive->phase_count; p++) {
        const struct latency_group of = {
            .phase = p < interactive->phase_count ? &interactive->phases[p] : NULL};

        for (size_t c = 0; wish->by_class && c < actions->class_count; c++) {
            struct latency_group class = of;

            class.class = actions->classes[c];
            add_group(groups, interactive, actions, wish, &class);
        }
        if (!wish->by_class) {
            add_group(groups, interactive, actions, wish, &of);
        }
    }
}

void latency_count_spread(const struct latency_group *group, const struct actions *actions,
                          size_t column, struct interactive_spread *spread)
{
    int64_t *values = alloc_zeroed((group->actions + 1) * sizeof(*values));
    size_t n = 0;

    for (size_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->actions[i];

        if (latency_group_has(group, actions, action) && action->counts != NULL &&
            action->counts[column].known) {
            values[n++] = action->counts[column].value;
        }
    }
    interactive_spread_of(values, n, spread);
    free(values);
}

void latency_groups_free(struct latency_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        for (unsigned m = 0; m < MEASURES; m++) {
            free(groups->item[i].of[m].events);
            free(groups->item[i].of[m].latencies);
        }
    }
    free(groups->item);
}

struct latency_wish latency_wish_chosen(double ns_per_tick)
{
    const struct measure_choice *choice = measure_choice();
    const bool has_above = choice->has_above && ns_per_tick > 0;

    return (struct latency_wish){
        .by_class = choice->by_class,
        .has_above = has_above,
        .above = has_above ? latency_threshold(choice->above_ms, ns_per_tick) : 0,
    };
}

/* ---- lengths ---- */

int64_t latency_threshold(double ms, double ns_per_tick)
{
    const double ticks = ms * 1e6 / ns_per_tick;

    return ticks < 9e18 ? llround(ticks) : INT64_MAX;
}

uint64_t latency_perceptible(double ns_per_tick)
{
    return ns_per_tick > 0 ? (uint64_t)latency_threshold(THRESHOLD_DEFAULT_MS, ns_per_tick)
                           : UINT64_MAX;
}

const struct latency_event *latency_longest(const struct latency_events *events)
{
    const struct latency_event *longest = NULL;

    for (size_t i = 0; i < events->count; i++) {
        if (longest == NULL || events->events[i].latency > longest->latency) {
            longest = &events->events[i];
        }
    }
    return longest;
}

const struct latency_event *latency_longest_of(const struct latency_groups *groups,
                                               enum measure measure)
{
    const struct latency_event *longest = NULL;

    for (size_t i = 0; i < groups->count; i++) {
        const struct latency_event *event = latency_longest(&groups->item[i].of[measure]);

        if (event != NULL && (longest == NULL || event->latency > longest->latency)) {
            longest = event;
        }
    }
    return longest;
}

/* Computes mean and maximum. The last window may be incomplete; it counts in the mean by its
 * length. */
static void sum_up(struct idle_windows *windows, uint64_t elapsed)
{
    const double window = (double)windows->window;
    const double all = fmin((double)elapsed, (double)windows->count * window);

    for (size_t i = 0; i < windows->count; i++) {
        const double busy = windows->windows[i];

        windows->mean += busy * fmin(window, all - (double)i * window) / all;
        windows->most = busy > windows->most ? busy : windows->most;
        windows->idle += busy <= 0;
    }
}

const char *idle_windows_of(struct idle_windows *windows, const struct run_bench *bench, double ms,
                            double ns_per_tick)
{
    struct reconcile reconcile;
    uint64_t elapsed = 0;

    *windows = (struct idle_windows){.ms = ms};
    reconcile_init(&reconcile, bench);
    if (!reconcile.present) {
        return reconcile.why != NULL ? reconcile.why : "the bench has none";
    }
    if (ns_per_tick <= 0) {
        return "the length of a tick is unknown";
    }
    const struct run_series *series = reconcile.series;
    const size_t samples = series->ranges[0].count; /* after a missing sample, places are unknown */

    for (size_t i = 0; i < samples; i++) {
        elapsed += (uint64_t)series->samples[i];
    }
    windows->begin = reconcile.from;
    windows->window = latency_threshold(ms, ns_per_tick);
    windows->window = windows->window > 0 ? windows->window : 1;
    const uint64_t needed = elapsed / (uint64_t)windows->window + 1;
    const size_t capacity = needed < IDLE_WINDOWS_MAX ? (size_t)needed : IDLE_WINDOWS_MAX;

    windows->windows = alloc_zeroed(capacity * sizeof(*windows->windows));
    windows->count = latency_windows(series->samples, samples, reconcile.shortest, windows->window,
                                     windows->windows, capacity);
    sum_up(windows, elapsed);
    return NULL;
}

void idle_windows_free(struct idle_windows *windows)
{
    free(windows->windows);
}
