/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/finding/waits.h"

#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/names.h"
#include "kernel/input/event.h"
#include "kernel/link/names.h"
#include "tools/base/alloc.h"
#include "tools/stats/statistics.h"
#include "tools/trace/trace_reader.h"

#define EVENTS_MIN 3  /* fewer are no habit */
#define BUSY_PARTS 20 /* of a service: so late behind the next input it may end */
#define BUSY_SHARE 10 /* of a service at most one part of so many was idle */

/* Did the event end because the next input came? */
static bool waits_busily(const struct interactive_event *event,
                         const struct interactive_event *next, uint64_t shortest)
{
    uint64_t service;

    if (!interactive_service(event, &service) || service < shortest || !next->has_arrival ||
        !event->has_busy || event->busy < service - service / BUSY_SHARE) {
        return false;
    }
    return next->arrival > event->taken && event->done >= next->arrival &&
           event->done - next->arrival <= service / BUSY_PARTS;
}

/* Is it what the bench is there to show? */
static bool is_meant(const struct run_bench *bench)
{
    for (size_t i = 0; i < bench->param_count; i++) {
        const struct run_param *param = &bench->params[i];

        if (strcmp(param->name, PARAM_BUSY_WAIT) == 0) {
            return param->value != NULL && strcmp(param->value, "1") == 0 &&
                   param->origin != NULL && strcmp(param->origin, ORIGIN_DEFAULT) == 0;
        }
    }
    return false;
}

static void look_for_busy(const struct run_bench *bench, const struct interactive *interactive,
                          uint64_t shortest, int64_t *ticks, struct waits *waits)
{
    size_t count = 0;
    uint64_t service;

    for (size_t i = 0; i + 1 < interactive->count && !is_meant(bench); i++) {
        const struct interactive_event *event = &interactive->events[i];

        if (waits_busily(event, event + 1, shortest) && interactive_service(event, &service)) {
            ticks[count++] = (int64_t)service;
        }
    }
    const uint64_t median = (uint64_t)statistics_median(ticks, count);

    if (count >= EVENTS_MIN && median * count > waits->busy_median * waits->busy_events) {
        waits->busy_bench = bench->name;
        waits->busy_events = count;
        waits->busy_median = median;
    }
}

static uint64_t median_service(const struct interactive *interactive, unsigned kind, bool cold,
                               int64_t *ticks)
{
    size_t count = 0;
    uint64_t service;

    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];

        if (event->kind == kind && event->cold == cold && interactive_service(event, &service)) {
            ticks[count++] = (int64_t)service;
        }
    }
    return count >= EVENTS_MIN ? (uint64_t)statistics_median(ticks, count) : 0;
}

static void look_for_cold(const struct run_bench *bench, const struct interactive *interactive,
                          int64_t *ticks, struct waits *waits)
{
    for (unsigned kind = 0; kind < INPUT_KINDS; kind++) {
        const uint64_t cold = median_service(interactive, kind, true, ticks);
        const uint64_t warm = median_service(interactive, kind, false, ticks);

        if (cold > warm && warm > 0 &&
            (waits->cold_bench == NULL ||
             (double)cold / (double)warm >
                 (double)waits->cold_median / (double)waits->warm_median)) {
            waits->cold_bench = bench->name;
            waits->cold_kind = input_kind_name(kind);
            waits->cold_median = cold;
            waits->warm_median = warm;
        }
    }
}

/* Does any input come in the traces? Most benches have none, and need not be read whole. */
static bool has_inputs(const struct run_bench *bench)
{
    struct trace_event event = {0};
    struct trace_gap gap;
    bool found = false;

    for (size_t i = 0; i < bench->trace_count && !found; i++) {
        struct trace_reader *reader = trace_reader_open(&bench->traces[i]);
        enum trace_reader_status status;

        while (!found && ((status = trace_reader_next(reader, &event, &gap)) == TRACE_EVENT ||
                          status == TRACE_GAP)) {
            found = status == TRACE_EVENT && event.id == TRACE_ID_input;
        }
        trace_reader_close(reader);
    }
    return found;
}

void waits_of(const struct run *run, struct waits *waits)
{
    const double ns_per_tick = run_ns_per_tick(run);

    *waits = (struct waits){0};
    for (size_t i = 0; ns_per_tick > 0 && i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        struct interactive interactive;

        if (bench->trace_count == 0 || bench->pass != 1 ||
            run_trace_records(bench) > WAITS_RECORDS_MAX || !has_inputs(bench)) {
            continue;
        }
        if (interactive_read(&interactive, bench) && interactive.count > 0) {
            int64_t *ticks = alloc_zeroed(interactive.count * sizeof(*ticks));

            look_for_busy(bench, &interactive, (uint64_t)(WAITS_BUSY_NS / ns_per_tick), ticks,
                          waits);
            look_for_cold(bench, &interactive, ticks, waits);
            free(ticks);
        }
        interactive_free(&interactive);
    }
}
