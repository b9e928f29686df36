/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the benches of threads in `tare show`; writes their JSON and metrics. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/tasks/host/task_benches.h"
#include "bench/tasks/names.h"
#include "kernel/run/names.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

#define PERCENT 100

/* ---- switches ---- */

static void add_phase(struct table *table, const struct view *view,
                      const struct switch_phase *phase)
{
    const double seconds = (double)phase->ticks * view->ns_per_tick / 1e9;

    table_named_row(table, phase->way);
    table_known(table, phase->threads > 0, (int64_t)phase->threads);
    table_format(table, "%s%" PRIu64 "\t%" PRId64 "\t%" PRIu64 "\t%" PRId64,
                 phase->lost > 0 ? "at least " : "", phase->switches, phase->expected, phase->lost,
                 phase->late);
    table_if(table, seconds > 0 && phase->lost == 0, "%.1f", (double)phase->switches / seconds);
}

/* The views compare traces with the benches (task_benches.h): switches by the trace and by the
 * bench; shares of the processor, waits for a lock and records with the expected ones. */
static void view_switches(const struct view *view, const struct run_bench *bench)
{
    struct switch_phase phases[TASK_MARKS_MAX];
    const size_t count = task_switch_phases(bench, phases);
    struct table table;

    if (count == 0) {
        fputs("\n  no switches to count: the run has no trace with switches\n", view->out);
        return;
    }
    table_open(&table, "lrrrrrr", "by\tthreads\tswitches\texpected\tlost\tlate slots\tper second");
    for (size_t i = 0; i < count; i++) {
        add_phase(&table, view, &phases[i]);
    }
    fputs("\n  context switches of each way: in the trace, by the thread that made them; expected: "
          "as the\n  bench made them; lost: records and packets missing in the trace\n\n",
          view->out);
    table_print(&table, view->out, 2);
}

/* ---- aliasing ---- */

static void view_aliasing(const struct view *view, const struct run_bench *bench)
{
    struct aliased_thread threads[ALIASED_THREADS];
    const char *why = NULL;
    struct table table;

    if (!task_aliased_threads(bench, threads, &why)) {
        fprintf(view->out, "\n  processor shares cannot be compared: %s\n", why);
        return;
    }
    table_open(&table, "lrrrrrr",
               "thread\texpected\tby itself\tby events\terror\tby samples\terror");
    for (size_t i = 0; i < ALIASED_THREADS; i++) {
        const struct aliased_thread *thread = &threads[i];

        table_named_row(&table, thread->name);
        table_share(&table, thread->truth);
        table_share(&table, thread->by_itself);
        table_share(&table, thread->by_events);
        table_format(&table, "%+.4f", PERCENT * (thread->by_events - thread->truth));
        table_share(&table, thread->by_samples);
        table_format(&table, "%+.4f", PERCENT * (thread->by_samples - thread->truth));
    }
    fputs("\n  Processor share of each thread in the clock-tick periods in which it worked.\n  "
          "The columns show the expected share (by construction), and the share by the\n  "
          "thread's clock readings (which include interrupts), by the events of the\n  "
          "trace, and by sampling at the tick. Errors are in percentage points.\n\n",
          view->out);
    table_print(&table, view->out, 2);
}

/* ---- inversion ---- */

static void view_inversion(const struct view *view, const struct run_bench *bench)
{
    struct inverted_wait waits[INVERTED_WAITS];
    const size_t count = task_inverted_waits(bench, waits);
    struct table table;

    if (count == 0) {
        fputs("\n  no waits to compare: facts are missing\n", view->out);
        return;
    }
    table_open(&table, "lrrrrrr", "variant\texpected\tobserved\terror\t\tby the trace\terror");
    for (size_t i = 0; i < count; i++) {
        const struct inverted_wait *wait = &waits[i];
        char text[AMOUNT_MAX];

        table_line(&table, "%s\t%" PRId64 "\t%" PRId64 "\t%+" PRId64 "\t%s", wait->variant,
                   wait->expected, wait->observed, wait->observed_error,
                   amount_text(view, wait->observed_error, UNIT_TICK, text));
        if (wait->has_traced) {
            table_format(&table, "%" PRId64 "\t%+" PRId64, wait->traced, wait->traced_error);
        } else {
            table_format(&table, "-\t-");
        }
    }
    fputs("\n  wait of the thread of highest priority for its lock, in ticks: expected by\n  "
          "construction, observed by its own clock readings, and by the trace\n\n",
          view->out);
    table_print(&table, view->out, 2);
}

/* ---- overload ---- */

static void view_overload(const struct view *view, const struct run_bench *bench)
{
    struct overload overload;
    const char *why = NULL;
    struct table table;

    if (!task_overload(bench, &overload, &why)) {
        fprintf(view->out, "\n  records cannot be counted: %s\n", why);
        return;
    }
    table_open(&table, "lrrrrrr",
               "part\tmarks made\tmarks kept\trecords kept\tdiscarded\toverwritten\tunaccounted");
    for (size_t i = 0; i < OVERLOAD_PARTS; i++) {
        const struct overload_part *part = &overload.part[i];

        table_line(&table,
                   "%s\t%" PRId64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%+" PRId64,
                   part->mode, part->produced, part->marks, part->kept, part->discarded,
                   part->overwritten, part->unaccounted);
    }
    fprintf(view->out,
            "\n  unaccounted = records kept + discarded + overwritten - marks made - %" PRIu64
            ",\n  where the last number counts the records before and after the marks\n\n",
            overload.before + overload.behind);
    table_print(&table, view->out, 2);
}

/* Writes the results of task_benches.h as JSON: members "phases", "shares", "waits" or "overload".
 */

#define DECIMALS 9

static void put_phases(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct switch_phase phases[TASK_MARKS_MAX];
    const size_t count = task_switch_phases(bench, phases);

    (void)run;
    json_array(json, "phases");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_text(json, "by", phases[i].way);
        JSON_COUNTS(json, {"threads", phases[i].threads}, {"switches", phases[i].switches},
                    {"ticks", phases[i].ticks}, {"lost", phases[i].lost});
        json_signed(json, "expected", phases[i].expected);
        json_signed(json, "late", phases[i].late);
        json_close(json);
    }
    json_close(json);
}

static void put_shares(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct aliased_thread threads[ALIASED_THREADS];
    const char *why;

    (void)run;
    if (!task_aliased_threads(bench, threads, &why)) {
        json_null(json, "shares");
        return;
    }
    json_array(json, "shares");
    for (size_t i = 0; i < ALIASED_THREADS; i++) {
        json_object(json, NULL);
        json_text(json, "thread", threads[i].name);
        JSON_NUMBERS(json, DECIMALS, {"truth", threads[i].truth},
                     {"by_itself", threads[i].by_itself}, {"by_events", threads[i].by_events},
                     {"by_samples", threads[i].by_samples});
        json_close(json);
    }
    json_close(json);
}

static void put_waits(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct inverted_wait waits[INVERTED_WAITS];
    const size_t count = task_inverted_waits(bench, waits);

    (void)run;
    json_array(json, "waits");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_text(json, "variant", waits[i].variant);
        json_signed(json, "expected", waits[i].expected);
        json_signed(json, "observed", waits[i].observed);
        json_optional(json, "traced", waits[i].has_traced, waits[i].traced);
        json_close(json);
    }
    json_close(json);
}

static void put_overload(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct overload overload;
    const char *why;

    (void)run;
    if (!task_overload(bench, &overload, &why)) {
        json_null(json, "overload");
        return;
    }
    json_object(json, "overload");
    JSON_COUNTS(json, {"before", overload.before}, {"behind", overload.behind});
    json_array(json, "parts");
    for (size_t i = 0; i < OVERLOAD_PARTS; i++) {
        const struct overload_part *part = &overload.part[i];

        json_object(json, NULL);
        json_text(json, "mode", part->mode);
        json_signed(json, "produced", part->produced);
        JSON_COUNTS(json, {"marks", part->marks}, {"kept", part->kept},
                    {"discarded", part->discarded}, {"overwritten", part->overwritten});
        json_signed(json, "unaccounted", part->unaccounted);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

/* The two series are not metrics: each shows only where the thread worked relative to the tick. */

static bool aliasing_places(const char *series)
{
    return strcmp(series, SERIES_HIDDEN) == 0 || strcmp(series, SERIES_SEEN) == 0;
}

/* `main` is the metric that represents the bench in one-line summaries. */
PLUGIN_OF(switches, .order = 20, .show = view_switches, .json = put_phases,
          .metrics = {.main = "yield"});
PLUGIN_OF(aliasing, .order = 20, .show = view_aliasing, .json = put_shares,
          .metrics = {.places = aliasing_places});
PLUGIN_OF(inversion, .order = 20, .show = view_inversion, .json = put_waits);
PLUGIN_OF(overload, .order = 20, .show = view_overload, .json = put_overload);
PLUGIN_OF(process, .order = 500, .metrics = {.main = "null_call"});

/* Bench order (bench/tasks/order.c): prints the services of each scenario. */

#define SERVICE_MAX 8

/* Writes "A-P", followed by '.' if the service ended: the bytes of a code are stimulus, process
 * and, for an end, '.'. Other codes become "?". */
static const char *service_text(int64_t code, char text[SERVICE_MAX])
{
    const char stimulus = (char)(code & 0x7f);
    const char process = (char)(code >> 8 & 0x7f);
    const int64_t end = code >> 16;

    if (stimulus < 'A' || stimulus > 'Z' || process < 'A' || process > 'Z' ||
        (end != 0 && end != '.')) {
        return "?";
    }
    snprintf(text, SERVICE_MAX, "%c-%c%s", stimulus, process, end != 0 ? "." : "");
    return text;
}

static void print_scenario(FILE *out, const struct run_series *series)
{
    char line[512] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < series->n && used + SERVICE_MAX + 1 < sizeof(line); i++) {
        char text[SERVICE_MAX];
        int64_t code;

        used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", i > 0 ? " " : "",
                                 run_series_sample(series, i, &code) ? service_text(code, text)
                                                                     : "(lost)");
    }
    print_field(out, 15, series->name, line);
}

void view_order(const struct view *view, const struct run_bench *bench)
{
    bool titled = false;

    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];

        if (series->unit == NULL || strcmp(series->unit, UNIT_CODE) != 0) {
            continue;
        }
        if (!titled) {
            fputs("\n  services in their order, as stimulus-process; a point marks the end of a "
                  "service\n",
                  view->out);
        }
        titled = true;
        print_scenario(view->out, series);
    }
}

PLUGIN_OF(order, .order = 200, .show = view_order);
