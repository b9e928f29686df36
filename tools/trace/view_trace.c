/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "tools/present/view.h"
#include "tools/trace/account_check.h"
#include "tools/trace/view_trace.h"

#define OBSERVERS_MAX 4

/* What looks on while the traces are read. */
struct audience {
    const struct trace_wish *wish;
    struct reconcile reconcile;
    struct availability availability;
    struct delays delays;
    struct disk_requests disks;
    bool has_delays;
    bool has_availability;
    struct account_observer observers[OBSERVERS_MAX];
    size_t count;
};

/* An interval in ticks; 0: the rate of the TSC is not known, or less than half a tick. */
static uint64_t interval_ticks(const struct view *view, double ms)
{
    const double longest = 1e18; /* no trace is */
    const double ticks = view->ns_per_tick > 0 ? ms * 1e6 / view->ns_per_tick : 0;

    return (uint64_t)llround(ticks < longest ? ticks : longest);
}

static const char *seat_availability(struct audience *audience, const struct view *view)
{
    const uint64_t length = interval_ticks(view, audience->wish->interval_ms);

    if (length == 0) {
        return view->ns_per_tick > 0 ? "the interval is shorter than a tick"
                                     : "the length of a tick is unknown";
    }
    availability_init(&audience->availability, length);
    audience->has_availability = true;
    audience->observers[audience->count++] = availability_observer(&audience->availability);
    return NULL;
}

/* Who is needed for the wish; NULL, or why not all of it can be had. */
static const char *seat(struct audience *audience, const struct view *view,
                        const struct run_bench *bench)
{
    const struct trace_wish *wish = audience->wish;

    if (wish->books) {
        reconcile_init(&audience->reconcile, bench);
        if (view->ticks_per_instruction <= 0) {
            reconcile_allow_spread(&audience->reconcile);
        }
        if (audience->reconcile.present) {
            audience->observers[audience->count++] = reconcile_observer(&audience->reconcile);
        }
    }
    if (wish->disks) {
        audience->observers[audience->count++] = disk_requests_observer(&audience->disks);
    }
    if (wish->thread != NULL) {
        const uint32_t thread = view_find_thread(bench, wish->thread);

        if (thread != ACCOUNT_NO_THREAD) {
            delays_init(&audience->delays, thread, wish->slowest);
            audience->has_delays = true;
            audience->observers[audience->count++] = delays_observer(&audience->delays);
        }
    }
    return wish->interval_ms > 0 ? seat_availability(audience, view) : NULL;
}

static void print(const struct view *view, const struct accounting *accounting,
                  struct audience *audience)
{
    const struct trace_wish *wish = audience->wish;

    if (wish->books) {
        view_books(view, accounting);
        view_account(view, accounting->bench, accounting);
        view_sampling(view, accounting);
        view_reconcile(view, &audience->reconcile);
    }
    if (wish->threads) {
        view_threads(view, accounting);
    }
    if (wish->irqs) {
        view_irqs(view, accounting);
    }
    if (wish->disks) {
        disk_requests_end(&audience->disks, accounting);
        view_disks(view, accounting->bench, &audience->disks);
    }
    if (audience->has_availability) {
        view_availability(view, &audience->availability);
    }
    if (audience->has_delays) {
        view_delays(view, accounting->bench, &audience->delays);
    }
}

const char *view_trace(const struct view *view, const struct run_bench *bench,
                       const struct trace_wish *wish)
{
    struct audience audience = {.wish = wish};
    struct accounting accounting;
    const char *why = seat(&audience, view, bench);

    if (accounting_read(&accounting, bench, audience.observers, audience.count)) {
        print(view, &accounting, &audience);
    } else {
        why = "its trace cannot be read";
    }
    if (why != NULL) {
        fprintf(view->out, "\n  not all can be shown: %s\n", why);
    }
    accounting_free(&accounting);
    disk_requests_free(&audience.disks);
    if (audience.has_availability) {
        availability_free(&audience.availability);
    }
    if (audience.has_delays) {
        delays_free(&audience.delays);
    }
    return why;
}
