/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "bench/tasks/host/task_benches.h"
#include "bench/tasks/host/view_tasks.h"
#include "bench/tasks/names.h"
#include "kernel/run/names.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define PERCENT 100

static void head(struct table *table, const char *alignment, const char *const *heads)
{
    table_init(table, alignment);
    table_row(table);
    for (size_t i = 0; alignment[i] != '\0'; i++) {
        table_text(table, heads[i]);
    }
}

/* ---- switches ---- */

static void add_phase(struct table *table, const struct view *view,
                      const struct switch_phase *phase)
{
    const double seconds = (double)phase->ticks * view->ns_per_tick / 1e9;

    table_row(table);
    table_text(table, phase->way);
    if (phase->threads > 0) {
        table_format(table, "%" PRIu64, phase->threads);
    } else {
        table_text(table, NULL);
    }
    table_format(table, "%s%" PRIu64, phase->lost > 0 ? "at least " : "", phase->switches);
    table_signed(table, phase->expected);
    table_format(table, "%" PRIu64, phase->lost);
    table_signed(table, phase->late);
    if (seconds > 0 && phase->lost == 0) {
        table_format(table, "%.1f", (double)phase->switches / seconds);
    } else {
        table_text(table, NULL);
    }
}

/* Of the benches of threads (task_benches.h): switches by the trace and by the bench; shares of the
 * processor, waits for a lock and records against what they must be. */
static void view_switches(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"by",   "threads",    "switches", "by the bench",
                                        "lost", "late slots", "a second"};
    struct switch_phase phases[TASK_MARKS_MAX];
    const size_t count = task_switch_phases(bench, phases);
    struct table table;

    if (count == 0) {
        fputs("\n  no switches to count: there is no trace that holds any\n", view->out);
        return;
    }
    head(&table, "lrrrrrr", heads);
    for (size_t i = 0; i < count; i++) {
        add_phase(&table, view, &phases[i]);
    }
    fputs("\n  context switches of each way, by whose thread made them in the trace, and by what "
          "the\n"
          "  bench did; lost: records and packets that the trace lacks\n\n",
          view->out);
    table_print(&table, view->out, 2);
}

/* ---- aliasing ---- */

static void view_aliasing(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"thread", "truth",      "by itself", "by events",
                                        "error",  "by samples", "error"};
    struct aliased_thread threads[ALIASED_THREADS];
    const char *why = NULL;
    struct table table;

    if (!task_aliased_threads(bench, threads, &why)) {
        fprintf(view->out, "\n  no account to compare: %s\n", why);
        return;
    }
    head(&table, "lrrrrrr", heads);
    for (size_t i = 0; i < ALIASED_THREADS; i++) {
        const struct aliased_thread *thread = &threads[i];

        table_row(&table);
        table_text(&table, thread->name);
        table_format(&table, "%.4f %%", PERCENT * thread->truth);
        table_format(&table, "%.4f %%", PERCENT * thread->by_itself);
        table_format(&table, "%.4f %%", PERCENT * thread->by_events);
        table_format(&table, "%+.4f", PERCENT * (thread->by_events - thread->truth));
        table_format(&table, "%.4f %%", PERCENT * thread->by_samples);
        table_format(&table, "%+.4f", PERCENT * (thread->by_samples - thread->truth));
    }
    fputs("\n  processor share of each thread in the periods of the clock tick in which it\n"
          "  worked: by construction, by its reading of the clock with interrupts\n"
          "  included, by the events of the trace, by sampling at the tick; errors in\n"
          "  percentage points\n\n",
          view->out);
    table_print(&table, view->out, 2);
}

/* ---- inversion ---- */

static void view_inversion(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"variant", "expected",     "observed", "error",
                                        "",        "by the trace", "error"};
    struct inverted_wait waits[INVERTED_WAITS];
    const size_t count = task_inverted_waits(bench, waits);
    struct table table;

    if (count == 0) {
        fputs("\n  no waits to compare: facts are missing\n", view->out);
        return;
    }
    head(&table, "lrrrrrr", heads);
    for (size_t i = 0; i < count; i++) {
        const struct inverted_wait *wait = &waits[i];
        char text[AMOUNT_MAX];

        table_row(&table);
        table_text(&table, wait->variant);
        table_signed(&table, wait->expected);
        table_signed(&table, wait->observed);
        table_format(&table, "%+" PRId64, wait->observed_error);
        table_text(&table, amount_text(view, wait->observed_error, UNIT_TICK, text));
        if (wait->has_traced) {
            table_signed(&table, wait->traced);
            table_format(&table, "%+" PRId64, wait->traced_error);
        } else {
            table_text(&table, NULL);
            table_text(&table, NULL);
        }
    }
    fputs("\n  wait of the highest priority for its lock, in ticks: by construction, by its\n"
          "  own reading of the clock, by the trace\n\n",
          view->out);
    table_print(&table, view->out, 2);
}

/* ---- overload ---- */

static void view_overload(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"part",      "marks made",  "marks kept", "records kept",
                                        "discarded", "overwritten", "unaccounted"};
    struct overload overload;
    const char *why = NULL;
    struct table table;

    if (!task_overload(bench, &overload, &why)) {
        fprintf(view->out, "\n  records cannot be counted: %s\n", why);
        return;
    }
    head(&table, "lrrrrrr", heads);
    for (size_t i = 0; i < OVERLOAD_PARTS; i++) {
        const struct overload_part *part = &overload.part[i];

        table_row(&table);
        table_text(&table, part->mode);
        table_signed(&table, part->produced);
        table_format(&table, "%" PRIu64, part->marks);
        table_format(&table, "%" PRIu64, part->kept);
        table_format(&table, "%" PRIu64, part->discarded);
        table_format(&table, "%" PRIu64, part->overwritten);
        table_format(&table, "%+" PRId64, part->unaccounted);
    }
    fprintf(view->out,
            "\n  records kept, discarded and overwritten, less the marks made and the %" PRIu64
            "\n  records around them: unaccounted\n\n",
            overload.before + overload.behind);
    table_print(&table, view->out, 2);
}

READING_REGISTER(switches_view) = {.bench = BENCH_SWITCHES, .order = 200, .show = view_switches};

READING_REGISTER(aliasing_view) = {.bench = BENCH_ALIASING, .order = 200, .show = view_aliasing};

READING_REGISTER(inversion_view) = {.bench = BENCH_INVERSION, .order = 200, .show = view_inversion};

READING_REGISTER(overload_view) = {.bench = BENCH_OVERLOAD, .order = 200, .show = view_overload};
