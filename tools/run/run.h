/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run model: all contents of one run, as plain structs. The decoder fills it from a log, the
 * run file stores it, the commands read it. The order of every list is the order in the log.
 *
 * A text that is NULL is missing from the run; it is never an empty string or a zero.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/records.def"
#include "tools/run/series.h"

/* No run has more than this: it is refused, so that what is looked up by name takes bounded time.
 * The image's benches have at most 32 passes, and a bench at most 512 objects. */
#define RUN_BENCHES_MAX 4096 /* counting each pass */
#define RUN_EVENTS_MAX  4096
#define RUN_PAIRS_MAX   16384 /* of info, and of the machine */
#define RUN_SERIES_MAX  16384 /* of a bench */
#define RUN_EXPECTS_MAX 16384 /* of a bench */
#define RUN_OBJECTS_MAX 16384 /* of a bench */

struct run_pair {
    const char *key;
    const char *value;
};

struct run_pairs {
    struct run_pair *item;
    size_t count, capacity;
};

struct run_texts {
    const char **item;
    size_t count, capacity;
};

/* Structs whose members are the fields of records; records.def describes each of them. */
/* clang-format off */
#define RUN_FLAG_KEY(name)
#define RUN_FLAG_REQUIRED(name)
#define RUN_FLAG_OPTIONAL(name)
#define RUN_FLAG_FLAGGED(name) bool has_##name;
#define RUN_FLAG_NOTE(name)
#define RUN_TYPE_TEXT     const char *
#define RUN_TYPE_STRING   const char *
#define RUN_TYPE_UNSIGNED uint64_t
#define RUN_TYPE_SIGNED   int64_t
#define RUN_TYPE_NUMBER   uint32_t
#define RUN_TYPE_PASS     uint32_t
#define RUN_TYPE_BITS     uint64_t
#define RUN_TYPE_FLAG     bool
#define RUN_MEMBER(record, name, column, type, need, meaning) \
    RUN_FLAG_##need(name) RUN_TYPE_##type name;

struct run_source { SOURCE_FIELDS(RUN_MEMBER) };
struct run_estimate { ESTIMATE_FIELDS(RUN_MEMBER) };
struct run_verdict { bool present; VERDICT_FIELDS(RUN_MEMBER) };
struct run_counter { COUNTER_FIELDS(RUN_MEMBER) };
struct run_event { EVENT_FIELDS(RUN_MEMBER) };
struct run_absent { ABSENT_FIELDS(RUN_MEMBER) };
struct run_param { PARAM_FIELDS(RUN_MEMBER) };
struct run_expect { EXPECT_FIELDS(RUN_MEMBER) };
struct run_fact { FACT_FIELDS(RUN_MEMBER) };
struct run_object { OBJECT_FIELDS(RUN_MEMBER) };
struct run_frame { FRAME_FIELDS(RUN_MEMBER) };
struct run_interrupt { INTERRUPT_FIELDS(RUN_MEMBER) };
/* clang-format on */

/* Costs of records and interrupts that stamps do not show, in ticks (tools/trace/accounting.h). */
struct run_trace_costs {
    uint32_t record; /* a whole record; `lead` of it before its stamp */
    uint32_t lead;
    uint32_t extended;  /* a whole record with an extended header */
    uint32_t isr_lead;  /* from an interrupt to the stamp of its isr_entry */
    uint32_t isr_trail; /* from the stamp of isr_exit to where the interrupted code goes on */
    uint32_t dpc_trail; /* from the stamp of the last dpc_exit to there */
    uint32_t
        switch_trail; /* from the stamp of a thread_switch to where a preempted thread goes on */
};

/* One part of the trace of a bench; each part is a separate trace. */
struct run_trace {
    uint16_t stream;
    uint32_t part; /* from 1 */
    const char *mode;
    uint32_t cpu;
    uint64_t begin, end; /* TSC */
    uint32_t packet_bytes;
    uint64_t kept, discarded, overwritten; /* records, as the image counted them */
    struct run_trace_costs costs;
    uint64_t claimed;            /* bytes of packets that there should be */
    struct trace_bytes *packets; /* the whole packets that arrived, in order; never NULL */
    bool restated; /* it begins with what was known before (trace_cut.h), at no cost */
};

/* One pass of a bench. If there are more events than counters, a bench is repeated, and each pass
 * counts other events. Each pass is a separate entry of the list, under the same name. */
struct run_bench {
    const char *name;
    uint32_t pass; /* from 1 */
    BENCH_FIELDS(RUN_MEMBER)
    STATUS_FIELDS(RUN_MEMBER) /* `state` is never NULL in a finished run */
    struct run_expect *expects;
    size_t expect_count, expect_capacity;
    struct run_param *params;
    size_t param_count, param_capacity;
    struct run_fact *facts;
    size_t fact_count, fact_capacity;
    struct run_absent *absents;
    size_t absent_count, absent_capacity;
    struct run_series *series;
    size_t series_count, series_capacity;
    struct run_object *objects;
    size_t object_count, object_capacity;
    struct run_trace *traces;
    size_t trace_count, trace_capacity;
    bool cut; /* to a window (trace_cut.h) */
};

struct run_crash {
    struct run_pairs fields; /* bench vector name rip ... */
    struct run_frame *frames;
    size_t frame_count, frame_capacity;
};

struct run {
    struct run_pairs info; /* fields of the records `tare` and `run` */
    const char *plan_source;
    const char *plan_text;
    struct run_pairs machine;
    struct run_source *sources;
    size_t source_count, source_capacity;
    struct run_estimate *estimates;
    size_t estimate_count, estimate_capacity;
    struct run_verdict verdict;
    struct run_counter *counters;
    size_t counter_count, counter_capacity;
    struct run_event *events;
    size_t event_count, event_capacity;
    struct run_bench *benches;
    size_t bench_count, bench_capacity;
    struct run_crash *crashes;
    size_t crash_count, crash_capacity;
    struct run_interrupt *interrupts;
    size_t interrupt_count, interrupt_capacity;
    const char *window;       /* to which it is cut, in words (trace_cut.h); NULL: it is whole */
    struct run_texts errors;  /* why the run could not go on */
    struct run_texts losses;  /* what is missing or damaged in the log, a line each */
    bool ended;               /* the END frame was seen */
    struct run_block *memory; /* holds every text */
};

void run_init(struct run *run);
void run_free(struct run *run);

/* A copy of a text that lives as long as the run; NULL stays NULL. Control characters other than
 * line ends and tabs, and bytes that are no UTF-8, become '?': all texts of a run may be printed.
 */
const char *run_text(struct run *run, const char *text);
/* The same, formatted, for the list of losses. */
__attribute__((format(printf, 2, 3))) void run_add_loss(struct run *run, const char *format, ...);

/* Each adds a zeroed element at the end of a list and returns it, valid until the next addition. A
 * bench is of pass 1. */
void run_add_pair(struct run *run, struct run_pairs *pairs, const char *key, const char *value);
void run_add_text(struct run *run, struct run_texts *texts, const char *text);
struct run_source *run_add_source(struct run *run);
struct run_estimate *run_add_estimate(struct run *run);
struct run_counter *run_add_counter(struct run *run);
struct run_event *run_add_event(struct run *run);
struct run_bench *run_add_bench(struct run *run, const char *name);
struct run_expect *run_add_expect(struct run_bench *bench);
struct run_param *run_add_param(struct run_bench *bench);
struct run_fact *run_add_fact(struct run_bench *bench);
struct run_absent *run_add_absent(struct run_bench *bench);
struct run_series *run_add_series(struct run_bench *bench);
struct run_object *run_add_object(struct run_bench *bench);
/* Without packets: the caller gives it some. */
struct run_trace *run_add_trace(struct run_bench *bench);
/* Records that were kept, in all parts of its traces. */
uint64_t run_trace_records(const struct run_bench *bench);
/* Does it begin after all of the bench's first `before` parts have ended? Then no sum of their
 * times exceeds 64 bits. */
bool run_trace_follows(const struct run_bench *bench, size_t before, const struct run_trace *trace);
struct run_crash *run_add_crash(struct run *run);
struct run_frame *run_add_frame(struct run_crash *crash);
struct run_interrupt *run_add_interrupt(struct run *run);

/* Look-ups; NULL: there is none. */
const char *run_pair_value(const struct run_pairs *pairs, const char *key);
/* The first pass that there is. */
struct run_bench *run_find_bench(const struct run *run, const char *name);
struct run_bench *run_find_pass(const struct run *run, const char *name, uint32_t pass);
struct run_series *run_find_series(const struct run_bench *bench, const char *name);
/* What an event counted during a series. */
const struct run_series *run_find_counts(const struct run_bench *bench, const char *of,
                                         const char *event);
const struct run_expect *run_find_expect(const struct run_bench *bench, const char *series);
const struct run_fact *run_find_fact(const struct run_bench *bench, const char *name);
/* Its value; `otherwise` where the bench has no such fact. */
int64_t run_fact_or(const struct run_bench *bench, const char *name, int64_t otherwise);
const char *run_find_param(const struct run_bench *bench, const char *name);
/* Did the bench find it out, so that no plan sets it? */
bool run_param_is_found(const struct run_param *param);

/* Of the TSC; 0: its rate is unknown or not verified. */
double run_ns_per_tick(const struct run *run);
/* Of the TSC in exact time; 0: it counts time, whatever else the run reports. */
double run_ticks_per_instruction(const struct run *run);

/* The name of an object; NULL: it has none. */
const char *run_object_name(const struct run_bench *bench, const char *kind, uint32_t id);

/* The highest pass of a bench; 0: there is no bench of that name. */
uint32_t run_pass_count(const struct run *run, const char *name);

/* Does "NAME" (all its passes) or "NAME:PASS" select it? NULL selects all benches. */
bool run_bench_is(const struct run_bench *bench, const char *wanted);

#define RUN_LABEL_MAX 96

/* The bench's name, with the pass if it has several: "idle", "idle, run 2". Cut if too long. */
const char *run_bench_label(const struct run *run, const struct run_bench *bench,
                            char label[RUN_LABEL_MAX]);

/* Before statistics: takes away samples that were taken when records of the trace were discarded
 * (fact sampled_before_NAME), which cost other than those before. Their number stays in `left_out`.
 */
void run_leave_out(struct run *run);
bool run_is_leave_out_fact(const struct run_fact *fact);

/* Of a whole run: where the plan that ran differs from the one that was sent as `text` through
 * `source` (plan_sent_differs()), keeps both as facts of the run, which makes it invalid. */
void run_note_sent_plan(struct run *run, const char *source, const char *text);

/* Can its numbers be believed? If not, adds the reasons to `reasons` (texts of `run`), the gravest
 * first: an error, no END, losses, another plan than was sent, a machine that was stopped, the
 * clock, benches in a state other than OK and SKIP. */
bool run_valid(struct run *run, struct run_texts *reasons);
void run_texts_free(struct run_texts *texts);
