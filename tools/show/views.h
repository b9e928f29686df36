/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `tare show` prints of a bench beyond the table of its series.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/input/event.h"
#include "tools/base/table.h"
#include "tools/bench/interactive/interactive.h"
#include "tools/bench/interactive/latency_events.h"
#include "tools/bench/interactive/think_wait.h"
#include "tools/run/run.h"
#include "tools/show/metrics.h"
#include "tools/stats/statistics.h"
#include "tools/trace/accounting.h"
#include "tools/trace/availability.h"
#include "tools/trace/delays.h"
#include "tools/trace/reconcile.h"

#define AMOUNT_MAX 48

struct view {
    FILE *out;
    const struct run *run;
    double ns_per_tick; /* 0 where the rate of the TSC is not known or not believed */
    /* Of exact time; 0 where the TSC counts time. A length is then a number of instructions, and a
     * duration is of virtual time. */
    double ticks_per_instruction;
};

void view_init(struct view *view, FILE *out, const struct run *run);

/* An amount in a unit as a person reads it: ticks and nanoseconds as a duration ("1.000 ms"), ticks
 * of unknown length and all else as they are ("17 reads"). */
const char *amount_text(const struct view *view, int64_t amount, const char *unit,
                        char text[AMOUNT_MAX]);

/* A length in ticks: the number of instructions where those are what the TSC counts, else the time;
 * empty where neither is known. */
const char *length_text(const struct view *view, int64_t ticks, char text[AMOUNT_MAX]);
/* "instructions" or "time", for the head of a column of these. */
const char *length_unit(const struct view *view);
/* The same for tables and charts that have nothing but lengths: ticks, where neither is known. */
const char *span_text(const struct view *view, double ticks, char text[AMOUNT_MAX]);
/* " (instructions)" or " (ticks)", for a heading; nothing where they are times, which say so. */
const char *span_note(const struct view *view);
/* Of a mean or a deviation: rounded; NaN is n/a. */
const char *mean_text(const struct view *view, double ticks, char text[AMOUNT_MAX]);

/* Rows for a table of series, "lrrrrrr": name and summary, and below it the unit and, for ticks,
 * the same in time or, in exact time, in instructions. */
void statistics_head(struct table *table, const char *first);
void statistics_rows(struct table *table, const struct view *view, const char *name,
                     const char *unit, const struct statistics *statistics);

/* "  label      text", wrapped; labels are `width` wide. */
void print_field(FILE *out, int width, const char *label, const char *text);
/* The same, as the lines at the head of a bench are. */
void print_labelled(FILE *out, const char *label, const char *text);

/* An empty line, then the text, formatted and wrapped, all of its lines indented by 2. */
__attribute__((format(printf, 2, 3))) void print_paragraph(FILE *out, const char *format, ...);

/* Something to be said of a name. */
struct remark {
    const char *label;
    const char *name;
    const char *text;
};

/* The same for each remark, "  label      name: text"; names of which the same is said share a
 * line.
 */
void print_remarks(FILE *out, const struct remark *remarks, size_t count);

/* What the bench could not measure, each n/a with the reason. */
void view_absents(const struct view *view, const struct run_bench *bench);
/* The counters that are not as they should be, and the events of the plan; nothing where the run
 * tells of neither. */
void view_events(const struct view *view);
/* What was counted during each series; nothing where nothing was. */
void view_counts(const struct view *view, const struct run_bench *bench);
/* Names the counts of the bench that no counter made: they must not pass for such. */
void print_count_sources(const struct view *view, const struct run_bench *bench);
/* Ratios of the counts of each series; nothing where none can be formed. */
void view_ratios(const struct view *view, const struct run_bench *bench);

/* Utilisation profile, what each clock interrupt cost beyond its handler, and in a counted run what
 * went with interrupts. */
void view_idle(const struct view *view, const struct run_bench *bench);
/* Injected work against recovered, event by event. */
void view_load(const struct view *view, const struct run_bench *bench);
/* Histogram, largest gaps, duty cycle, SMIs. */
void view_gap(const struct view *view, const struct run_bench *bench);
/* Of either: what of the noise comes at equal distances; nothing where there is no noise. */
void view_periods(const struct view *view, const struct run_bench *bench);
/* Bytes moved in a time by operation, instruction set and size, and what the modules could. */
void view_bandwidth(const struct view *view, const struct run_bench *bench);
/* Bytes a time: GB/s, or bytes an instruction where those are what is counted, else bytes a tick.
 */
double bandwidth_rate(const struct view *view, double bytes, double ticks);
const char *bandwidth_unit(const struct view *view);
/* Latency of a load by how many other processors read. */
void view_loaded(const struct view *view, const struct run_bench *bench);
/* Each kernel's counts against what the manual says they must be. */
void view_counters(const struct view *view, const struct run_bench *bench);
/* Does the bench tell costs (tools/run/curves.h), or plain series beside an `empty` one? Of the
 * groups system and memory. */
bool view_has_costs(const struct run_bench *bench);
/* A cost or a plain series in ticks of one repetition, what surrounds it taken off. */
struct system_cost {
    size_t n;
    double median, min, max;
    double quarter, three_quarters; /* nearest rank */
};
bool system_cost_read(const struct run_bench *bench, const struct run_series *series,
                      struct system_cost *derived);
/* In instructions where those are what the TSC counts, else in ticks; false: nothing is expected in
 * these. `expect` may be NULL. */
bool system_cost_expected(const struct view *view, const struct run_expect *expect,
                          double *expected);
/* What view_costs() prints, which the caller prints or frees; and what has been taken off, for its
 * heading: "" or ", less the median of `loop`". */
void costs_table(struct table *table, const struct view *view, const struct run_bench *bench);
const char *costs_taken_off(const struct run_bench *bench);
/* Each of them: of one repetition, less the median of the loop or of `empty` around it, how much it
 * spreads, and what was expected. Curves are left out. */
void view_costs(const struct view *view, const struct run_bench *bench);
/* Latency of memory: curves by size, with caches found in them; the report's table; reach of the
 * TLB.
 */
void view_chase(const struct view *view, const struct run_bench *bench);
void view_stride(const struct view *view, const struct run_bench *bench);
void view_tlb(const struct view *view, const struct run_bench *bench);
/* The curves of footprints, and what of them is filling caches and TLB again. */
void view_contextswitch(const struct view *view, const struct run_bench *bench);
/* Where the time of each kind of fault goes. */
void view_pagefault(const struct view *view, const struct run_bench *bench);
/* Of the benches of several processors: the matrix of cache lines from core to core, locks and a
 * barrier by who wants them, interrupts to others and skews. */
void view_lines(const struct view *view, const struct run_bench *bench);
void view_contention(const struct view *view, const struct run_bench *bench);
void view_ipi(const struct view *view, const struct run_bench *bench);
/* What there is to know of each metric (metrics.h), of one bench or, NULL, of all; false where
 * there is none. The table has no more than its heads then. */
#define STATISTICS_HOW                                                                           \
    "Values in the order in which they were taken, lengths less what is around them. Quantiles " \
    "by "                                                                                        \
    "nearest rank, told where ten values lie above; 95 %: the median's interval, free of any "   \
    "distribution; at: when the greatest came, or # its number; deviation: of a sample; MAD: "   \
    "median distance from the median."
bool statistics_table(struct table *table, const struct metrics *metrics, const char *bench);
bool view_statistics(const struct view *view, const char *bench);
/* What a model gave at several settings (sweep_rows.h). */
void view_sweep(const struct view *view, const struct run_bench *bench);
/* Responses and waits of the model, the kernel's own costs, and the order of services. */
void view_model(const struct view *view, const struct run_bench *bench);
/* The order of services, in words. */
void view_order(const struct view *view, const struct run_bench *bench);

/* Of the benches of threads (task_benches.h): switches by the trace and by the bench; shares of the
 * processor, waits for a lock and records against what they must be. */
void view_switches(const struct view *view, const struct run_bench *bench);
void view_aliasing(const struct view *view, const struct run_bench *bench);
void view_inversion(const struct view *view, const struct run_bench *bench);
void view_overload(const struct view *view, const struct run_bench *bench);

/* What is to be shown of a bench's traces. */
struct trace_wish {
    bool books;         /* accounts, sampling beside them, the idle loop against them, losses */
    bool threads;       /* each thread's states, wake-ups, locks */
    bool irqs;          /* each vector and DPC */
    double interval_ms; /* busy shares of intervals of this length; 0: none */
    const char *thread; /* whose slowest wake-ups, by name or number; NULL: nobody's */
    size_t slowest;     /* how many of them */
};

/* Reads the traces once and shows it; NULL, or why something could not be shown, which has been
 * said where it would stand. */
const char *view_trace(const struct view *view, const struct run_bench *bench,
                       const struct trace_wish *wish);

/* The thread of a bench that has this name, else this number; ACCOUNT_NO_THREAD: none. */
uint32_t view_find_thread(const struct run_bench *bench, const char *thread);

/* The parts of view_trace(). */
void view_books(const struct view *view, const struct accounting *accounting);
void view_sampling(const struct view *view, const struct accounting *accounting);
void view_reconcile(const struct view *view, const struct reconcile *reconcile);
void view_threads(const struct view *view, const struct accounting *accounting);
void view_irqs(const struct view *view, const struct accounting *accounting);
void view_availability(const struct view *view, const struct availability *availability);
void view_delays(const struct view *view, const struct run_bench *bench,
                 const struct delays *delays);

/* What is to be shown of a bench's input events. */
struct input_wish {
    bool events;                   /* each of them, and the measures of all */
    bool fsm;                      /* think and wait */
    size_t transitions;            /* of it, at most */
    const double *interarrival_ms; /* thresholds of the table of interarrivals */
    size_t interarrival_count;
    double threshold_ms[INPUT_KINDS]; /* of responsiveness, by kind */
};

/* Does the bench tell of input events, by the names of its series or of what its traces speak of?
 */
bool view_has_input(const struct run_bench *bench);
/* Reads the traces and shows it; NULL, or why something could not be shown, which has been said
 * where it would stand. */
const char *view_input(const struct view *view, const struct run_bench *bench,
                       const struct input_wish *wish);
/* The same in a paragraph. */
void view_input_summary(const struct view *view, const struct run_bench *bench);

/* The parts of view_input(). */
void view_input_list(const struct view *view, const struct interactive *interactive);
void view_interactive(const struct view *view, const struct run_bench *bench,
                      const struct interactive *interactive);
void view_latency(const struct view *view, const struct run_bench *bench,
                  const struct latency_events *events, const struct input_wish *wish);
void view_interarrivals(const struct view *view, const struct latency_events *events,
                        const struct input_wish *wish);
void view_think_wait(const struct view *view, const struct think_wait *think_wait,
                     size_t transitions);
