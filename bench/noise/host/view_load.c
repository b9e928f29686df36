/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `load`: known work compared with the work that the idle loop recovers. */
#include <inttypes.h>
#include <math.h>

#include "bench/noise/host/view_noise.h"
#include "kernel/run/names.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/trace/idle_bench.h"

/* Adds a line for each event of a group, that is, of events that share a sample. The line of the
 * last one shows the recovered work. */
static void add_event(struct table *table, const struct view *view, const struct run_bench *bench,
                      const struct idle_bench *idle, const struct idle_event *event,
                      const struct idle_tolerance *tolerance)
{
    const struct run_series *intended = run_find_series(bench, SERIES_INTENDED);

    for (size_t k = 0; k < event->count; k++) {
        const size_t index = event->index + k;
        int64_t due = 0;
        const bool known = intended != NULL && run_series_sample(intended, (uint32_t)index, &due);

        table_line(table, "%zu", index);
        cell_amount(table, view, known, due);
        cell_amount(table, view, true, idle->entries->samples[index]);
        table_signed(table, idle->handlers->samples[index]);
        if (k + 1 < event->count) {
            table_format(table, "with next\t");
        } else if (!event->found) {
            table_format(table, "no sample\t-");
        } else {
            table_format(table, "%" PRId64 "\t%+" PRId64, event->elongation,
                         idle_event_error(event, tolerance));
        }
    }
}

static void print_events(const struct view *view, const struct run_bench *bench,
                         const struct idle_bench *idle, const struct idle_tolerance *tolerance)
{
    struct table table;

    table_open(&table, "rrrrrr", "event\tintended at\tentered at\tinjected\trecovered\terror");
    for (size_t i = 0; i < idle->event_count; i++) {
        add_event(&table, view, bench, idle, &idle->events[i], tolerance);
    }
    fputs("\n  injected work and the excess of the idle sample that holds it;\n  work and error in "
          "ticks\n\n",
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
        print_paragraph(view->out, "largest error %+" PRId64 " ticks; floor %" PRId64 " ticks",
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

PLUGIN_OF(load, .order = 200, .show = view_load);
