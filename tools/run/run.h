/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run model: all contents of one run, as plain structs. The decoder fills it from a log, the
 * run file stores it, and the commands read it. Every list keeps the order of the log.
 *
 * A missing text is NULL, never an empty string or a zero.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/records.def"
#include "tools/run/series.h"

/* Limits of a run. A run that exceeds them is rejected, so that looking up something by name takes
 * bounded time. The image's benches have at most 32 passes, and a bench has at most 512 objects. */
#define RUN_BENCHES_MAX 4096 /* counting each pass */
#define RUN_EVENTS_MAX  4096
#define RUN_PAIRS_MAX   16384 /* in info, and in machine */
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

/* Structs whose members are the fields of records. records.def describes each of them. */
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

/* Costs of records and interrupts, in ticks, that time stamps do not show
 * (tools/trace/accounting.h). */
struct run_trace_costs {
    uint32_t record;    /* a whole record */
    uint32_t lead;      /* the part of `record` before its stamp */
    uint32_t extended;  /* a whole record with an extended header */
    uint32_t isr_lead;  /* from an interrupt to the stamp of its isr_entry */
    uint32_t isr_trail; /* from the stamp of isr_exit until the interrupted code continues */
    /* from the stamp of the last dpc_exit until the interrupted code continues */
    uint32_t dpc_trail;
    /* from the stamp of a thread_switch until a preempted thread continues */
    uint32_t switch_trail;
};

/* Processors that a part of a trace can have, if more than one. */
#define RUN_PROCESSORS_MAX 64

/* One part of the trace of a bench, of one processor. Each is a separate trace. */
struct run_trace {
    uint16_t stream;
    uint32_t part; /* number of the part, from 1 */
    const char *mode;
    uint32_t cpu;
    uint64_t begin, end; /* TSC */
    uint32_t packet_bytes;
    uint64_t kept, discarded, overwritten; /* records, as counted by the image */
    struct run_trace_costs costs;
    uint64_t claimed;            /* bytes of packets that should exist */
    struct trace_bytes *packets; /* the complete packets that arrived, in order; never NULL */
    /* begins with events that restate what was known before (trace_cut.h), at no cost */
    bool restated;
};

/* Something that a module computed from a bench and keeps for later callers, until run_forget(). */
struct run_reading {
    struct run_reading *next;
    void (*free)(struct run_reading *reading);
};

/* One pass of a bench. If there are more events than counters, the bench is repeated, and each pass
 * counts other events. Each pass is a separate entry of the list, under the same name. */
struct run_bench {
    const char *name;
    uint32_t pass; /* number of the pass, from 1 */
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
    bool cut; /* cut to a time window (trace_cut.h) */
    struct run_reading *readings;
};

struct run_crash {
    struct run_pairs fields; /* fields of the crash: bench, vector, name, rip, ... */
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
    /* window of time to which the run is cut, in words (trace_cut.h); NULL: not cut */
    const char *window;
    struct run_texts errors;  /* reasons why the run could not continue */
    struct run_texts losses;  /* descriptions of what is missing or damaged in the log */
    bool ended;               /* the END frame was received */
    struct run_block *memory; /* holds all texts */
};

void run_init(struct run *run);
void run_free(struct run *run);
/* Frees the readings of all benches. Call it before a bench changes that may have been read. */
void run_forget(struct run *run);

/* Returns a copy of a text that lives as long as the run, or NULL for NULL. Control characters
 * other than line ends and tabs, and bytes that are not valid UTF-8, become '?', so that all texts
 * of a run may be printed. */
const char *run_text(struct run *run, const char *text);
/* Does the same for a formatted text, which is cut after RECORD_LINE_MAX - 1 characters. */
__attribute__((format(printf, 2, 3))) const char *run_format(struct run *run, const char *format,
                                                             ...);
/* Adds a formatted text to the list of losses. */
__attribute__((format(printf, 2, 3))) void run_add_loss(struct run *run, const char *format, ...);

/* Each of these functions adds a zeroed element to the end of a list and returns it; the pointer is
 * valid until the next addition. A new bench is pass 1. */
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
/* Adds a trace without packets, which the caller must set. */
struct run_trace *run_add_trace(struct run_bench *bench);
/* Returns the number of records kept in all parts of the bench's traces. */
uint64_t run_trace_records(const struct run_bench *bench);
/* A part of the bench's trace has one trace for each processor, by `cpu`, next to each other.
 * Returns how many the part has that begins with trace `first`. */
size_t run_part_processors(const struct run_bench *bench, size_t first);
/* Returns the first of the traces of a part, with `begin` and `end` of them all. */
struct run_trace run_part_bounds(const struct run_trace *traces, size_t count);
/* Returns the number of processors: one more than the largest `cpu` of a part with several, or 1.
 */
size_t run_processors(const struct run_bench *bench);
/* May the trace come after the bench's first `before` traces? It must be that of the next processor
 * of the last part, or begin after that part has ended. Then no sum of the lengths of parts exceeds
 * 64 bits. */
bool run_trace_follows(const struct run_bench *bench, size_t before, const struct run_trace *trace);
struct run_crash *run_add_crash(struct run *run);
struct run_frame *run_add_frame(struct run_crash *crash);
struct run_interrupt *run_add_interrupt(struct run *run);

/* Look-ups. They return NULL if there is no such element. */
const char *run_pair_value(const struct run_pairs *pairs, const char *key);
/* Returns the first pass of the bench that exists. */
struct run_bench *run_find_bench(const struct run *run, const char *name);
struct run_bench *run_find_pass(const struct run *run, const char *name, uint32_t pass);
struct run_series *run_find_series(const struct run_bench *bench, const char *name);
/* Returns a series, or NULL if it or some of its samples are missing. */
const struct run_series *run_find_whole(const struct run_bench *bench, const char *name);
/* Returns the series of what an event counted during the series `of`. */
const struct run_series *run_find_counts(const struct run_bench *bench, const char *of,
                                         const char *event);
const struct run_expect *run_find_expect(const struct run_bench *bench, const char *series);
const struct run_fact *run_find_fact(const struct run_bench *bench, const char *name);
/* Returns the value of a fact, or `otherwise` if the bench has no such fact. */
int64_t run_fact_or(const struct run_bench *bench, const char *name, int64_t otherwise);
const char *run_find_param(const struct run_bench *bench, const char *name);
/* Return the series and the fact of the name that the format makes, of at most 255 bytes. */
__attribute__((format(printf, 2, 3))) const struct run_series *
run_series_named(const struct run_bench *bench, const char *format, ...);
__attribute__((format(printf, 2, 3))) const struct run_fact *
run_fact_named(const struct run_bench *bench, const char *format, ...);
/* Did the bench determine this parameter itself, rather than take it from a plan? */
bool run_param_is_found(const struct run_param *param);

/* Returns the length of a tick of the TSC, or 0 if its rate is unknown or not verified. */
double run_ns_per_tick(const struct run *run);
/* Returns the TSC ticks of an instruction in exact time. Returns 0 if the TSC counts time, whatever
 * else the run reports. */
double run_ticks_per_instruction(const struct run *run);

/* Returns the name of an object, or NULL if it has none. */
const char *run_object_name(const struct run_bench *bench, const char *kind, uint32_t id);

/* Returns the highest pass of a bench, or 0 if there is no bench of that name. */
uint32_t run_pass_count(const struct run *run, const char *name);

/* Does `wanted`, "NAME" (all passes) or "NAME:PASS", select this bench? NULL selects all benches.
 */
bool run_bench_is(const struct run_bench *bench, const char *wanted);

#define RUN_LABEL_MAX 96

/* Writes the bench's name, with the pass if it has several: "idle", "idle, run 2". Cuts it if too
 * long. */
const char *run_bench_label(const struct run *run, const struct run_bench *bench,
                            char label[RUN_LABEL_MAX]);

/* Removes the samples that were taken while records of the trace were discarded (fact
 * sampled_before_NAME), because their cost differs from that of earlier samples. Call before
 * computing statistics. Their number stays in `left_out`. */
void run_leave_out(struct run *run);
bool run_is_leave_out_fact(const struct run_fact *fact);

/* Compares the plan of a complete run with the one that was sent as `text` through `source`. If
 * they differ (plan_sent_differs()), records both as facts of the run, which makes it invalid. */
void run_note_sent_plan(struct run *run, const char *source, const char *text);

/* Can the numbers of the run be trusted? If not, adds the reasons to `reasons` (texts of `run`),
 * the most serious first: an error, no END frame, losses, a different plan than was sent, a machine
 * that was stopped, the clock, benches in a state other than OK and SKIP, and contradictions
 * (run_rejudge()). */
bool run_valid(struct run *run, struct run_texts *reasons);
/* Judges again what the image reports (rejudge.c): adds a reason for records that contradict each
 * other, and for each bench that ended as OK but does not meet the expectations that it stated.
 * run_valid() calls it. */
void run_rejudge(struct run *run, struct run_texts *reasons);
void run_texts_free(struct run_texts *texts);
