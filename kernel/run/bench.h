/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract of a bench: one file in bench/, one experiment, registered by itself.
 *
 *     static enum bench_state run(struct bench_run *run) { ... return bench_ok(run); }
 *     static const struct bench echo = {.name = "echo", ..., .run = run};
 *     BENCH_REGISTER(echo);
 *
 * A bench is called with interrupts off and every interrupt source masked, and leaves it so. It
 * touches no device register; it asks the kernel's mechanisms. It writes raw integers into series
 * taken beforehand and publishes them afterwards. It prints nothing.
 *
 * A name that the host looks up is a macro of bench/GROUP/names.h, which the host includes as well.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/clock/idle_loop.h"
#include "kernel/plan/param.h"
#include "kernel/pmu/reader.h"
#include "kernel/trace/recorder.h"

enum bench_state {
    BENCH_OK,
    BENCH_SKIP,  /* the machine lacks something, which the reason names */
    BENCH_ERROR, /* our failure: the harness could not do its work */
    BENCH_FAIL,  /* theirs: the machine broke a promise that the bench checks */
    BENCH_CRASH, /* an exception ended it */
};

/* What a bench cannot do without; without it the runner reports SKIP and the reason. */
enum bench_need {
    NEED_CLOCK = 1 << 0,       /* a TSC rate that two references agree on; in exact time one */
    NEED_LAPIC_TIMER = 1 << 1, /* a LAPIC timer that counts */
    NEED_PROCESSORS = 1 << 2,  /* a second processor that works (kernel/smp/processor.h) */
};

/* What is expected of one of the bench's series, and what that is made of: sent before it runs, so
 * that a result can be held against it (record `expect`). For a cost that is known by once and
 * twice as many repetitions, NAME and NAME.twice, it is of NAME and of one repetition. Of a curve
 * its value is of the maximum x, or as NAME@X of that x. */
struct bench_estimate {
    const char *series;   /* NULL ends the list */
    int64_t instructions; /* in exact time; ESTIMATE_NONE: of no meaning there */
    int64_t value;        /* on a processor of today; ESTIMATE_NONE: not foretold */
    const char *unit;     /* of it: cycle, ns, MB/s, ... */
    const char *because;  /* the parts it is the sum of */
};

#define ESTIMATE_NONE (-1)

struct bench_run;

struct bench {
    const char *name;
    const char *group;
    const char *summary;     /* one line */
    const char *unit;        /* of its main series */
    const char *main_series; /* what one line of it shows; NULL: the first in its unit */
    const char *estimate;    /* what to expect, and from what: sent before it runs */
    unsigned needs;          /* of enum bench_need */
    bool on_request;         /* runs only when the plan names it */
    const char *role;   /* it measures nothing, and runs where the plan has this role; else NULL */
    bool when_counting; /* runs as well whenever the plan's events are counted */
    const char *events; /* it counts these, as the plan's events=; NULL: the plan's */
    const struct bench_param *params;
    const struct bench_estimate *estimates;
    bool counted; /* instructions of its estimates are counted in its code: exact time has them */
    enum bench_state (*run)(struct bench_run *run);
};

/* The registry: pointers in a separate section, collected by linker.ld; in the host program by
 * ld (kernel/run/registry.h). */
#if __STDC_HOSTED__
#define BENCH_SECTION(entry) "bench_registry"
#else
#define BENCH_SECTION(entry) ".bench." #entry
#endif
#define BENCH_REGISTER(entry)                             \
    static const struct bench *const entry##_registration \
        __attribute__((used, aligned(8), section(BENCH_SECTION(entry)))) = &(entry)

/* Value of a parameter: the plan's, or the default. The name must be one that the bench declares.
 */
uint64_t bench_number(const struct bench_run *run, const char *name); /* or time, in its unit */
const char *bench_text(const struct bench_run *run, const char *name);
/* Writes a list of numbers, of which the parameter allows at most `room`, and returns how many. */
size_t bench_numbers(const struct bench_run *run, const char *name, uint64_t *numbers, size_t room);
/* Returns a bit for each word of the parameter that the list names, bit 0 for the first. */
uint32_t bench_words(const struct bench_run *run, const char *name);
/* Returns the place of the word among those of the parameter. */
size_t bench_word(const struct bench_run *run, const char *name);

/* Memory for `count` samples, zeroed and so already touched; at least 1. NULL where there is none
 * left: return bench_error(). */
int64_t *bench_samples(size_t count);

/* `bytes` of memory to work on, zeroed, at a multiple of 4 KiB. NULL: none left. */
void *bench_memory(size_t bytes);
/* Of a memory node that has free memory, where there are two or more: a page, zeroed. */
struct bench_node {
    uint32_t number;
    void *page;
};
/* The node at `index`, in the order of SRAT. False: there are not so many. */
bool bench_node(size_t index, struct bench_node *node);
/* `bytes` that this image never touched, at a multiple of 2 MiB; the caller may write there until
 * it takes more memory. NULL: not so much is left. */
void *bench_untouched_memory(uint64_t bytes);
/* `pages` pages of 4 KiB, read only, that all show the same zeroed memory: a translation each. NULL
 * where memory for page tables ran out or the tables are the firmware's. */
void *bench_alias_pages(size_t pages);

/* Sends `count` samples as series `name`; they must stay as they are until the run is over. Name
 * and unit are copied, here as in all calls below. */
void bench_publish(const struct bench_run *run, const char *name, const char *unit,
                   const int64_t *samples, size_t count);

/* Sends one integer. */
void bench_fact(const struct bench_run *run, const char *name, const char *unit, int64_t value);

/* States what a bench found out and no number can: a text beside its parameters. */
void bench_found(const struct bench_run *run, const char *name, const char *text);

/* A line for people, which leaves at once; not in a measured window. */
void bench_notify(const struct bench_run *run, const char *text);

/* Progress of a long watch, for `tare watch`; leaves at once; not in a measured window. It is no
 * part of the run: facts and series have the same, once all is over. */
struct live_gaps;
void bench_live(const struct bench_run *run, const struct live_gaps *live);

/* States what could not be measured, and why: shown as n/a. Both texts are copied. */
void bench_absent(const struct bench_run *run, const char *name, const char *reason);

/* noise.stop_us of the plan: the first gap or latency of more than so many us ends the bench as
 * FAIL; 0: none does. */
uint64_t bench_stop_us(void);

/* Does the TSC count instructions? */
bool bench_is_exact(void);

/* Does memory here cost what it costs? Not where instructions are counted, nor in an emulator that
 * is known to model no caches: sizes beyond them then show nothing. */
bool bench_has_caches(void);

/*
 * Counting. Where the plan names events (events=LIST), a bench reads rows in place of TSC stamps:
 * the TSC and the counters, all at once (kernel/pmu/reader.h). A bench may be run several times,
 * with other events each time; it need not know.
 */

/* Is anything counted in this pass? If not, a row is the TSC alone. */
bool bench_counting(void);

/* How many events are counted in this pass, each by a counter that a row holds; 0: none. */
size_t bench_events_counted(void);

/* Is this event, by its name in the list, counted in this pass? */
bool bench_counts(const char *event);

/* Memory for `count` rows, as bench_samples(). */
int64_t *bench_rows(size_t count);
/* Row `index` of them. */
int64_t *bench_row(int64_t *rows, size_t index);

enum bench_row_order {
    ROWS_CONTIGUOUS, /* sample i lies between rows i and i + 1 */
    ROWS_PAIRS,      /* between rows 2i and 2i + 1 */
};

struct bench_rows {
    int64_t *rows;
    size_t samples;
    enum bench_row_order order;
};

/* What an event counted in one sample; only of events that bench_counts(). */
int64_t bench_row_count(const struct bench_rows *rows, size_t sample, const char *event);

/* Sends what each event counted in each sample, as series "OF.EVENT"; nothing where nothing is
 * counted. False: no memory. */
bool bench_publish_counts(const struct bench_run *run, const char *of,
                          const struct bench_rows *rows);

/* The same, after the ticks of each sample as series `name`. */
bool bench_publish_rows(const struct bench_run *run, const char *name,
                        const struct bench_rows *rows);

/*
 * Tracing. What threads, interrupts and locks do (kernel/task/, kernel/trace/events.def), and
 * trace_mark() of the bench itself, goes to memory between these two and is sent by the second:
 *
 *     bench_trace_begin(run); task_begin(&settings); ... task_end(); bench_trace_end(run);
 *
 * It may be done several times; each is a part of the bench's trace. How and into how much memory
 * the plan sets (trace.mode, trace.bytes). With trace.mode=off there is no trace, but the account
 * without records (kernel/trace/account.h), which is sent of every traced bench.
 */

/* False, and the reason is set: no memory, or the costs of tracing could not be measured. Then
 * return BENCH_ERROR. */
bool bench_trace_begin(struct bench_run *run);
/* The same in a way of the bench's own. */
bool bench_trace_begin_mode(struct bench_run *run, enum recorder_mode mode, size_t bytes);
/* False: the line has no room for another stream. */
bool bench_trace_end(struct bench_run *run);

/* Between two rounds, where time does not matter: with trace.mode=drain, sends a buffer that is
 * more than half full and goes on with an empty one, as another part; with trace.mode=off, sends
 * the account as it is after one minute, two, four and so on, at most eight times. By any thread;
 * meanwhile interrupts are off and no other runs. False: no memory, or the line has no room. */
bool bench_trace_drain(struct bench_run *run);
/* Would it send now? */
bool bench_trace_due(void);

/* TSC of the begin of the trace's first part: what times that are sent beside it count from. */
uint64_t bench_trace_origin(void);

/* Sends the idle thread's samples (task_idle_samples() of them) as series "idle", and where they
 * begin in the trace as fact "idle_origin": after bench_trace_end(). False: no memory. */
bool bench_publish_idle(struct bench_run *run, int64_t *rows, size_t samples);

/* Sends what records, and interrupts and switches beyond their records, cost in ticks, as facts
 * trace_record, trace_extended, isr_lead, isr_trail, dpc_trail and switch_trail. */
void bench_publish_trace_costs(const struct bench_run *run);

/* Calibrates the idle loop to samples of `sample_us` and sends what was found as facts, the same
 * for every bench that uses it. BENCH_OK, or bench_error() where it cannot be done. */
enum bench_state bench_calibrate(struct bench_run *run, uint64_t sample_us,
                                 struct idle_calibration *calibration);

/*
 * Input. Where it comes from and what to wait for, as the plan sets it (input.source,
 * input.wait_ms). What is typed and clicked is parameter "script" of the bench, which the plan's
 * input.script replaces.
 */
struct bench_input {
    bool outside;     /* it comes from outside the machine: the bench plays nothing */
    uint64_t wait_ms; /* outside: how long after the script's end to wait for what did not come */
    bool loopback;    /* it comes from the keyboard controller, or not at all */
    bool timer;       /* it comes from the controller in memory, whatever the machine has */
};
const struct bench_input *bench_input(void);

/* Chooses the controller that the plan and the machine give (kernel/input/controller.h), for a
 * script that needs its keyboard, its mouse or both, before input_begin(). NULL, or why the bench
 * has to SKIP. Input from a timer is stated, with its cause, as FOUND_INPUT (names.h). */
const char *bench_choose_input(const struct bench_run *run, bool keyboard, bool mouse);

/* If input comes from outside: notifies the host, and a person, that the script's time begins
 * now. Right before the measured window: all has left the line when it returns. */
void bench_await_input(const struct bench_run *run);

/* States to return; the reason is kept, printf's integers and strings, at most 120 characters. */
enum bench_state bench_ok(struct bench_run *run);
enum bench_state bench_skip(struct bench_run *run, const char *reason, ...)
    __attribute__((format(printf, 2, 3)));
enum bench_state bench_error(struct bench_run *run, const char *reason, ...)
    __attribute__((format(printf, 2, 3)));
enum bench_state bench_fail(struct bench_run *run, const char *reason, ...)
    __attribute__((format(printf, 2, 3)));
