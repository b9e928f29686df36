/* SPDX-License-Identifier: BSD-2-Clause */
/* What each of several processors did, for `tare show` and as JSON (view_trace.h). */
#include <inttypes.h>
#include <math.h>

#include "tools/base/json.h"
#include "tools/present/view.h"
#include "tools/trace/view_trace.h"

static double percent(uint64_t ticks, uint64_t of)
{
    return of > 0 ? 100 * (double)ticks / (double)of : NAN;
}

/* The busy shares of the known time, in percent, by the clock ticks that did not charge the idle
 * thread, and by events. */
static void sampled(const struct accounting *accounting, size_t at, double *ticks, double *events)
{
    const struct account_cpu *cpu = &accounting->cpus[at];
    const struct account_thread *idle = accounting_thread(accounting, TRACE_IDLE_THREAD);
    const uint64_t charged = idle != NULL ? idle->on[at].charged : 0;

    *ticks = percent(cpu->clock_ticks - charged, cpu->clock_ticks);
    *events = percent(account_busy_ticks(cpu), cpu->elapsed - cpu->ticks[ACCOUNT_UNKNOWN]);
}

static void print_sampled(const struct view *view, const struct accounting *accounting)
{
    struct table table;
    double ticks;
    double events;

    table_open(&table, "rrrrr", "processor\tclock ticks\tby sampling\tby events\terror");
    for (size_t i = 0; i < accounting->cpu_count; i++) {
        sampled(accounting, i, &ticks, &events);
        table_line(&table, "%" PRIu32 "\t%" PRIu64, accounting->cpus[i].cpu,
                   accounting->cpus[i].clock_ticks);
        table_real(&table, ticks, 4);
        table_real(&table, events, 4);
        table_real(&table, ticks - events, 4);
    }
    print_paragraph(view->out, "busy time of each processor by its clock ticks and by events, in "
                               "percent of its known time, and the error in percentage points");
    view_table(view, &table);
}

void view_processors(const struct view *view, const struct accounting *accounting)
{
    struct table table;

    if (accounting->cpu_count == 1) {
        return;
    }
    table_open(&table, "rrrrrrrrrrrr",
               "processor\tbusy\tidle\tinterrupt\tDPC\tdispatch\ttracer\tunknown\tswitches/s\t"
               "migrations in\tIPIs\tquantum ends");
    for (size_t i = 0; i < accounting->cpu_count; i++) {
        const struct account_cpu *cpu = &accounting->cpus[i];
        const double seconds = (double)cpu->elapsed * view->ns_per_tick / 1e9;
        const uint64_t shares[] = {account_busy_ticks(cpu),      cpu->idle,
                                   cpu->ticks[ACCOUNT_VECTOR],   cpu->ticks[ACCOUNT_DPC],
                                   cpu->ticks[ACCOUNT_DISPATCH], cpu->ticks[ACCOUNT_TRACER],
                                   cpu->ticks[ACCOUNT_UNKNOWN]};

        table_line(&table, "%" PRIu32, cpu->cpu);
        for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
            table_real(&table, percent(shares[k], cpu->elapsed), 4);
        }
        table_real(&table, seconds > 0 ? (double)cpu->switches / seconds : NAN, 1);
        table_format(&table, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, cpu->migrations, cpu->ipis,
                     cpu->quantum_ends);
    }
    print_paragraph(view->out, "processors: shares of their time in percent (busy: neither idle "
                               "nor unknown), and what happened there");
    view_table(view, &table);
    if (accounting->clock_ticks > 0) {
        print_sampled(view, accounting);
    }
}

void processors_json(struct json *json, const struct accounting *accounting)
{
    double ticks;
    double events;

    if (accounting->cpu_count == 1) {
        return;
    }
    json_array(json, "processors");
    for (size_t i = 0; i < accounting->cpu_count; i++) {
        const struct account_cpu *cpu = &accounting->cpus[i];

        json_object(json, NULL);
        JSON_COUNTS(
            json, {"cpu", cpu->cpu}, {"elapsed", cpu->elapsed}, {"busy", account_busy_ticks(cpu)},
            {"idle", cpu->idle}, {"interrupt", cpu->ticks[ACCOUNT_VECTOR]},
            {"dpc", cpu->ticks[ACCOUNT_DPC]}, {"page_fault", cpu->ticks[ACCOUNT_FAULT]},
            {"dispatch", cpu->ticks[ACCOUNT_DISPATCH]}, {"tracer", cpu->ticks[ACCOUNT_TRACER]},
            {"unknown", cpu->ticks[ACCOUNT_UNKNOWN]}, {"switches", cpu->switches},
            {"migrations_in", cpu->migrations}, {"ipis", cpu->ipis},
            {"quantum_ends", cpu->quantum_ends}, {"clock_ticks", cpu->clock_ticks});
        sampled(accounting, i, &ticks, &events);
        json_number(json, "busy_by_samples", ticks, 6);
        json_number(json, "busy_by_events", events, 6);
        json_close(json);
    }
    json_close(json);
}

/* ---- threads ---- */

/* Who woke whom. */
static void print_wakers(const struct view *view, const struct accounting *accounting)
{
    struct table table;
    char name[TABLE_CELL_MAX];

    table_open(&table, "llr", "thread\twoken by\ttimes");
    for (size_t i = 0; i < accounting->thread_count; i++) {
        const struct account_thread *thread = accounting->threads[i];

        for (size_t k = 0; k < thread->waker_count; k++) {
            const uint32_t by = thread->wakers[k].by;

            table_named_row(&table,
                            account_name(accounting->bench, ACCOUNT_THREAD, thread->id, name));
            table_text(&table, by == ACCOUNT_NO_THREAD ? "others"
                                                       : view_by_whom(accounting->bench, by, name));
            table_format(&table, "%" PRIu64, thread->wakers[k].n);
        }
    }
    print_paragraph(view->out, "who woke whom");
    view_table(view, &table);
}

void view_threads_placed(const struct view *view, const struct accounting *accounting)
{
    struct table table;
    char name[ACCOUNT_NAME_MAX];

    if (accounting->cpu_count == 1) {
        return;
    }
    table_open(&table, "lrrrrr", "thread\tprocessor\trunning\tmigrations\tquantum ends\tboosts");
    for (size_t i = 0; i < accounting->thread_count; i++) {
        const struct account_thread *thread = accounting->threads[i];
        bool first = true;

        for (size_t k = 0; k < accounting->cpu_count; k++) {
            if (thread->on[k].ticks == 0) {
                continue;
            }
            account_name(accounting->bench, ACCOUNT_THREAD, thread->id, name);
            table_line(&table, "%s\t%" PRIu32 "\t%.2f %%", first ? name : "",
                       accounting->cpus[k].cpu, percent(thread->on[k].ticks, thread->running));
            if (first) {
                table_format(&table, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, thread->migrations,
                             thread->quantum_ends, thread->boosts);
            }
            first = false;
        }
    }
    print_paragraph(view->out, "where threads ran: shares of their running time, how often they "
                               "moved, and changes of their dynamic priority");
    view_table(view, &table);
    print_wakers(view, accounting);
}
