/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `load`: known work against the work that the idle loop recovers. */
#include <inttypes.h>
#include <math.h>

#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"
#include "tools/trace/idle_bench.h"

/* A value of a series that the analysis does not need, or "-". */
static void optional_cell(struct table *table, const struct view *view,
                          const struct run_series *series, size_t index, const char *unit)
{
    int64_t value;
    char text[AMOUNT_MAX];

    if (series != NULL && run_series_sample(series, (uint32_t)index, &value)) {
        table_text(table, amount_text(view, value, unit, text));
    } else {
        table_text(table, NULL);
    }
}

/* Events that share a sample stand in lines of their own; what was recovered stands in the last. */
static void add_event(struct table *table, const struct view *view, const struct run_bench *bench,
                      const struct idle_bench *idle, const struct idle_event *event,
                      const struct idle_tolerance *tolerance)
{
    const struct run_series *intended = run_find_series(bench, SERIES_INTENDED);
    char text[AMOUNT_MAX];

    for (size_t k = 0; k < event->count; k++) {
        const size_t index = event->index + k;

        table_row(table);
        table_format(table, "%zu", index);
        optional_cell(table, view, intended, index, UNIT_TICK);
        table_text(table, amount_text(view, idle->entries->samples[index], UNIT_TICK, text));
        table_signed(table, idle->handlers->samples[index]);
        if (k + 1 < event->count) {
            table_text(table, "with next");
            table_text(table, "");
        } else if (!event->found) {
            table_text(table, "no sample");
            table_text(table, NULL);
        } else {
            table_signed(table, event->elongation);
            table_format(table, "%+" PRId64, idle_event_error(event, tolerance));
        }
    }
}

static void print_events(const struct view *view, const struct run_bench *bench,
                         const struct idle_bench *idle, const struct idle_tolerance *tolerance)
{
    static const char *const heads[] = {"event",    "intended at", "entered at",
                                        "injected", "recovered",   "error"};
    struct table table;

    table_init(&table, "rrrrrr");
    table_row(&table);
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        table_text(&table, heads[i]);
    }
    for (size_t i = 0; i < idle->event_count; i++) {
        add_event(&table, view, bench, idle, &idle->events[i], tolerance);
    }
    fputs("\n  injected work against the elongation of the idle sample that holds it;\n"
          "  work and error in ticks\n\n",
          view->out);
    table_print(&table, view->out, 2);
}

static void print_recovery(const struct view *view, const struct idle_recovery *recovery)
{
    const double ppm = idle_recovery_ppm(recovery);
    char injected[AMOUNT_MAX];
    char recovered[AMOUNT_MAX];
    char text[IDLE_TOLERANCE_TEXT_MAX];

    fprintf(view->out,
            "\n  recovered %zu of %zu groups, %zu of %zu events; within the tolerance: %zu "
            "groups;\n  spurious: %zu samples\n",
            recovery->groups_recovered, recovery->groups, recovery->recovered, recovery->injected,
            recovery->groups_within, recovery->spurious);
    if (recovery->has_error) {
        fprintf(view->out, "  largest error %+" PRId64 " ticks; floor %" PRId64 " ticks\n",
                recovery->max_error, recovery->floor);
    }
    if (!isnan(ppm)) {
        fprintf(view->out, "  totals: injected %s, recovered %s: %+.1f ppm\n",
                amount_text(view, recovery->injected_total, UNIT_TICK, injected),
                amount_text(view, recovery->recovered_total, UNIT_TICK, recovered), ppm);
    }
    print_paragraph(view->out, "tolerance %s", idle_tolerance_text(&recovery->tolerance, text));
}

void view_load(const struct view *view, const struct run_bench *bench)
{
    struct idle_bench idle;
    struct idle_recovery recovery;
    const char *why = NULL;

    if (!idle_bench_load(bench, &idle, &recovery, &why)) {
        fprintf(view->out, "\n  injected work cannot be compared: %s\n", why);
        return;
    }
    if (idle.event_count > 0) {
        print_events(view, bench, &idle, &recovery.tolerance);
    }
    print_recovery(view, &recovery);
    idle_bench_free(&idle);
}

READING_REGISTER(load_view) = {.bench = BENCH_LOAD, .order = 200, .show = view_load};
