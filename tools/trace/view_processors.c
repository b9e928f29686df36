/* SPDX-License-Identifier: BSD-2-Clause */
/* What each of several processors did, for `tare show` and as JSON (view_trace.h). */
#include <inttypes.h>
#include <math.h>

#include "tools/base/json.h"
#include "tools/present/view.h"
#include "tools/trace/view_trace.h"

#define TIMES 8

/* Keys of JSON; heads of columns are the same. */
static const char *const names[TIMES] = {"busy",  "idle",     "interrupt", "dpc",
                                         "fault", "dispatch", "tracer",    "unknown"};

static void times_of(const struct account_cpu *cpu, uint64_t times[TIMES])
{
    times[0] = account_busy_ticks(cpu);
    times[1] = cpu->idle;
    times[2] = cpu->ticks[ACCOUNT_VECTOR];
    times[3] = cpu->ticks[ACCOUNT_DPC];
    times[4] = cpu->ticks[ACCOUNT_FAULT];
    times[5] = cpu->ticks[ACCOUNT_DISPATCH];
    times[6] = cpu->ticks[ACCOUNT_TRACER];
    times[7] = cpu->ticks[ACCOUNT_UNKNOWN];
}

static double percent(uint64_t ticks, uint64_t of)
{
    return of > 0 ? 100 * (double)ticks / (double)of : NAN;
}

/* The busy share of a processor by its clock ticks, in percent, less that of the known time. */
static double sampling_error(const struct accounting *accounting, size_t at, double *by_samples)
{
    const struct account_cpu *cpu = &accounting->cpus[at];
    const struct account_thread *idle = accounting_thread(accounting, TRACE_IDLE_THREAD);

    *by_samples =
        percent(cpu->clock_ticks - (idle != NULL ? idle->on[at].charged : 0), cpu->clock_ticks);
    return *by_samples -
           percent(account_busy_ticks(cpu), cpu->elapsed - cpu->ticks[ACCOUNT_UNKNOWN]);
}

void view_processors(const struct view *view, const struct accounting *accounting)
{
    uint64_t times[TIMES];
    struct table table;
    double by_samples;

    if (accounting->cpu_count == 1) {
        return;
    }
    table_open(&table, "rrrrrrrrrrrrrrr",
               "processor\tbusy\tidle\tinterrupt\tDPC\tfaults\tdispatch\ttracer\tunknown\t"
               "by sampling\terror\tswitches/s\tmigrations in\tIPIs\tquantum ends");
    for (size_t i = 0; i < accounting->cpu_count; i++) {
        const struct account_cpu *cpu = &accounting->cpus[i];
        const double seconds = (double)cpu->elapsed * view->ns_per_tick / 1e9;
        const double error = sampling_error(accounting, i, &by_samples);

        table_line(&table, "%zu", i);
        times_of(cpu, times);
        for (size_t k = 0; k < TIMES; k++) {
            table_real(&table, percent(times[k], cpu->elapsed));
        }
        table_real(&table, by_samples);
        table_real(&table, error);
        table_real(&table, seconds > 0 ? (double)cpu->switches / seconds : NAN);
        table_format(&table, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, cpu->migrations, cpu->ipis,
                     cpu->quantum_ends);
    }
    print_paragraph(view->out,
                    "processors: shares of their time in percent (busy: neither idle nor "
                    "unknown); busy by sampling, by the threads that clock ticks charge, and its "
                    "error in percentage points of the known time; what happened there");
    view_table(view, &table);
}

void processors_json(struct json *json, const struct accounting *accounting)
{
    uint64_t times[TIMES];
    double by_samples;

    if (accounting->cpu_count == 1) {
        return;
    }
    json_array(json, "processors");
    for (size_t i = 0; i < accounting->cpu_count; i++) {
        const struct account_cpu *cpu = &accounting->cpus[i];
        const double error = sampling_error(accounting, i, &by_samples);

        json_object(json, NULL);
        JSON_COUNTS(json, {"cpu", i}, {"elapsed", cpu->elapsed});
        times_of(cpu, times);
        for (size_t k = 0; k < TIMES; k++) {
            json_unsigned(json, names[k], times[k]);
        }
        JSON_COUNTS(json, {"switches", cpu->switches}, {"migrations_in", cpu->migrations},
                    {"ipis", cpu->ipis}, {"quantum_ends", cpu->quantum_ends},
                    {"clock_ticks", cpu->clock_ticks});
        json_number(json, "busy_by_samples", by_samples, 6);
        json_number(json, "error_points", error, 6);
        json_close(json);
    }
    json_close(json);
}

void view_threads_placed(const struct view *view, const struct accounting *accounting)
{
    struct table table;
    struct table wakers;
    char name[ACCOUNT_NAME_MAX];
    char by[TABLE_CELL_MAX];

    if (accounting->cpu_count == 1) {
        return;
    }
    table_open(&table, "lrrrrr", "thread\tmigrations\tquantum ends\tboosts\tprocessor\trunning");
    table_open(&wakers, "llr", "thread\twoken by\ttimes");
    for (size_t i = 0; i < accounting->thread_count; i++) {
        const struct account_thread *thread = accounting->threads[i];

        account_name(accounting->bench, ACCOUNT_THREAD, thread->id, name);
        table_line(&table, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, name, thread->migrations,
                   thread->quantum_ends, thread->boosts);
        for (size_t k = 0, shown = 0; k < accounting->cpu_count; k++) {
            if (thread->on[k].ticks == 0) {
                continue;
            }
            if (shown++ > 0) {
                table_line(&table, "\t\t\t");
            }
            table_format(&table, "%zu", k);
            table_share(&table, percent(thread->on[k].ticks, thread->running) / 100);
        }
        for (size_t k = 0; k < thread->waker_count; k++) {
            const struct account_waker *waker = &thread->wakers[k];

            table_line(&wakers, "%s\t%s\t%" PRIu64, name,
                       waker->by == ACCOUNT_NO_THREAD
                           ? "others"
                           : view_by_whom(accounting->bench, waker->by, by),
                       waker->n);
        }
    }
    print_paragraph(view->out, "how often threads moved and their dynamic priority changed, and "
                               "where they ran: shares of their running time");
    view_table(view, &table);
    print_paragraph(view->out, "who woke whom");
    view_table(view, &wakers);
}
