/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/interactive_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/input/event.h"
#include "tools/base/alloc.h"

const char *interactive_row_name(enum interactive_summary_row measure)
{
    static const char *const names[SUMMARY_ROWS] = {
        [SUMMARY_ELONGATION] = "elongation",   [SUMMARY_BUSY] = "busy",
        [SUMMARY_SERVICE] = "service",         [SUMMARY_RESPONSE] = "response",
        [SUMMARY_TRADITIONAL] = "traditional",
    };

    return names[measure];
}

/* ---- stages ---- */

const char *interactive_stage_name(enum interactive_stage stage)
{
    static const char *const names[STAGES] = {
        [STAGE_COMING] = "due to arrival",
        [STAGE_POSTING] = "arrival to queue",
        [STAGE_QUEUED] = "in the queue",
        [STAGE_WORK] = "at work",
    };

    return names[stage];
}

bool interactive_stage_ticks(const struct interactive_event *event, enum interactive_stage stage,
                             int64_t *ticks)
{
    const struct {
        bool known;
        uint64_t tsc;
    } stations[STAGES + 1] = {
        {event->has_intended, event->intended}, {event->has_arrival, event->arrival},
        {event->has_posted, event->posted},     {event->has_taken, event->taken},
        {event->has_done, event->done},
    };

    *ticks = (int64_t)(stations[stage + 1].tsc - stations[stage].tsc);
    return stations[stage].known && stations[stage + 1].known;
}

/* ---- classes ---- */

const char *interactive_class_name(const struct interactive_class *of,
                                   char text[INTERACTIVE_CLASS_MAX])
{
    char phase[INTERACTIVE_CLASS_MAX] = "";

    if (of->phase != NULL && of->phase->name != NULL) {
        snprintf(phase, sizeof(phase), ", %s", of->phase->name);
    } else if (of->phase != NULL) {
        snprintf(phase, sizeof(phase), ", phase %u", of->phase->phase);
    }
    snprintf(text, INTERACTIVE_CLASS_MAX, "%s%s%.40s", input_kind_name(of->kind),
             of->cold ? ", cold" : "", phase);
    return text;
}

static bool is_of(const struct interactive_event *event, const struct interactive_class *of)
{
    return event->came && event->kind == of->kind && event->cold == of->cold &&
           event->has_phase == (of->phase != NULL) &&
           (of->phase == NULL || event->phase == of->phase->phase);
}

void interactive_stage_means(const struct interactive *interactive,
                             const struct interactive_class *of, double means[STAGES],
                             size_t n[STAGES])
{
    for (unsigned stage = 0; stage < STAGES; stage++) {
        long double sum = 0;

        n[stage] = 0;
        for (size_t i = 0; i < interactive->count; i++) {
            const struct interactive_event *event = &interactive->events[i];
            int64_t ticks;

            if (is_of(event, of) &&
                interactive_stage_ticks(event, (enum interactive_stage)stage, &ticks)) {
                sum += (long double)ticks;
                n[stage]++;
            }
        }
        means[stage] = n[stage] > 0 ? (double)(sum / (long double)n[stage]) : NAN;
    }
}

/* ---- sums and spreads ---- */

void interactive_sum_explained(const struct interactive *interactive,
                               struct interactive_explained *explained)
{
    memset(explained, 0, sizeof(*explained));
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];
        uint64_t stamps;

        if (event->explained && interactive_traditional(event, &stamps)) {
            explained->stamps += (int64_t)stamps;
            explained->busy += (int64_t)event->elongation_busy;
            explained->elongation += event->elongation;
        }
    }
}

static bool value_of(const struct interactive_event *event, enum interactive_summary_row measure,
                     int64_t *value)
{
    uint64_t ticks = 0;
    bool known = false;

    switch (measure) {
    case SUMMARY_ELONGATION:
        *value = event->elongation;
        return event->has_elongation && !event->shared;
    case SUMMARY_BUSY:
        known = event->has_busy;
        ticks = event->busy;
        break;
    case SUMMARY_SERVICE:
        known = interactive_service(event, &ticks);
        break;
    case SUMMARY_RESPONSE:
        known = interactive_response(event, &ticks);
        break;
    case SUMMARY_TRADITIONAL:
        known = interactive_traditional(event, &ticks);
        break;
    case SUMMARY_ROWS:
        break;
    }
    *value = (int64_t)ticks;
    return known && ticks <= INT64_MAX;
}

/* Computes mean and deviation of the differences from the first value, so that equal values give
 * exactly 0. */
static void set_deviation(const int64_t *values, size_t n, struct interactive_spread *spread)
{
    long double mean = 0;
    long double squares = 0;

    spread->mean = NAN;
    spread->deviation = NAN;
    spread->constant = false;
    if (n == 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        mean += ((long double)values[i] - (long double)values[0]) / (long double)n;
    }
    for (size_t i = 0; i < n; i++) {
        const long double from_mean = (long double)values[i] - (long double)values[0] - mean;

        squares += from_mean * from_mean;
    }
    spread->mean = (double)((long double)values[0] + mean);
    spread->constant = n > 1 && spread->statistics.min == spread->statistics.max;
    spread->deviation = n > 1 ? (double)sqrtl(squares / (long double)(n - 1)) : NAN;
}

void interactive_spread_of(const int64_t *values, size_t n, struct interactive_spread *spread)
{
    statistics_of(values, n, &spread->statistics);
    set_deviation(values, n, spread);
}

bool interactive_summarise(const struct interactive *interactive,
                           const struct interactive_class *of, struct interactive_summary *summary)
{
    *summary = (struct interactive_summary){.of = *of};
    for (size_t i = 0; i < interactive->count; i++) {
        summary->events += is_of(&interactive->events[i], of);
    }
    if (summary->events == 0) {
        return false;
    }
    int64_t *values = alloc_zeroed(summary->events * sizeof(*values));

    for (int m = 0; m < SUMMARY_ROWS; m++) {
        struct interactive_spread *spread = &summary->measures[m];
        size_t n = 0;

        for (size_t i = 0; i < interactive->count; i++) {
            const struct interactive_event *event = &interactive->events[i];
            int64_t value;

            if (is_of(event, of) && value_of(event, (enum interactive_summary_row)m, &value)) {
                values[n++] = value;
            }
        }
        interactive_spread_of(values, n, spread);
    }
    free(values);
    return true;
}

struct interactive_summary *interactive_summaries(const struct interactive *interactive,
                                                  size_t *count)
{
    struct interactive_summary *summaries = NULL;
    size_t capacity = 0;

    *count = 0;
    for (unsigned i = 0; i < INPUT_KINDS * 2; i++) {
        struct interactive_class of = {.kind = (uint8_t)(i / 2), .cold = i % 2 != 0};
        struct interactive_summary summary;

        /* after the phases, the events without a phase, which are unplanned */
        for (size_t phase = 0; phase <= interactive->phase_count; phase++) {
            of.phase = phase < interactive->phase_count ? &interactive->phases[phase] : NULL;
            if (interactive_summarise(interactive, &of, &summary)) {
                summaries = alloc_append(summaries, count, &capacity, sizeof(*summaries));
                summaries[*count - 1] = summary;
            }
        }
    }
    return summaries;
}
