/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface between a bench and the kernel. A bench is one file in bench/ with one experiment,
 * which registers itself:
 *
 *     static enum bench_state run(struct bench_run *run) { ... return bench_ok(run); }
 *     static const struct bench echo = {.name = "echo", ..., .run = run};
 *     BENCH_REGISTER(echo);
 *
 * A bench is called with interrupts off and every interrupt source masked, and must return in the
 * same state. It touches no device register, but asks the kernel's mechanisms. It writes raw
 * integers into series that it allocates beforehand and publishes afterwards. It prints nothing.
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
    BENCH_ERROR, /* tare itself failed and could not do its work */
    BENCH_FAIL,  /* the machine broke a promise that the bench checks */
    BENCH_CRASH, /* an exception or the watchdog ended it */
};

/* What a bench needs. If something is missing, the runner does not call the bench, which ends as
 * SKIP with the reason. */
enum bench_need {
    /* Needs a TSC rate that two references agree on; in exact time one is enough. */
    NEED_CLOCK = 1 << 0,
    NEED_LAPIC_TIMER = 1 << 1, /* needs a LAPIC timer that counts */
    NEED_PROCESSORS = 1 << 2,  /* needs a second processor that works (kernel/smp/processor.h) */
};

/* What is expected of one of the bench's series, and how that is derived. It is sent before the
 * bench runs, so that a result can be compared with it (record `expect`). For a cost that is
 * measured with once and twice as many repetitions (NAME and NAME.twice), series is NAME and the
 * value is that of one repetition. For a curve, the value is that at the largest x, or, with NAME@X
 * as series, that at x = X. */
struct bench_estimate {
    const char *series;   /* name of the series; NULL ends the list */
    int64_t instructions; /* expected in exact time; ESTIMATE_NONE: not meaningful there */
    int64_t value;        /* expected on a current processor; ESTIMATE_NONE: not predicted */
    const char *unit;     /* unit of `value`: cycle, ns, MB/s, ... */
    const char *because;  /* the parts of which the estimate is the sum */
};

#define ESTIMATE_NONE (-1)

struct bench_run;

struct bench {
    const char *name;
    const char *group;
    const char *summary; /* one line that says what the bench measures */
    const char *unit;    /* unit of its main series */
    /* Name of the series that the summary shows for this bench; NULL: the first one in its unit. */
    const char *main_series;
    const char *estimate; /* text that says what to expect, and why; sent before the bench runs */
    unsigned needs;       /* needs of the bench, bits of enum bench_need */
    bool on_request;      /* runs only if the plan names it */
    /* The bench measures nothing and runs only if the plan has this role; NULL: none. */
    const char *role;
    bool when_counting; /* also runs whenever the plan's events are counted */
    const char *events; /* events that it counts, as in the plan's events=; NULL: the plan's */
    const struct bench_param *params;
    const struct bench_estimate *estimates;
    /* The estimates count the instructions of its code: in exact time they must match exactly. */
    bool counted;
    /* Names of parameters, a,b,c: each series in ticks has a multiple of one of their values as its
     * number of samples. NULL: of "trials", if it has that; "": any number. */
    const char *samples;
    /* In exact time all samples of a series in ticks, or of a point of it, are equal to within the
     * tolerance of an estimate, because nothing but the bench's code takes time; so if `counted`.
     */
    bool steady;
    /* What holds between series in exact time, separated by blanks: a<b<c, the medians rise; a=b+c,
     * each sample is the sum of the others; ^a, the samples rise. A relation also holds between
     * series whose names all continue with the same suffix, as a.4096. NULL: none. */
    const char *relations;
    enum bench_state (*run)(struct bench_run *run);
};

/* The registry: pointers in a separate section, which linker.ld collects for the image and ld for
 * the host program (kernel/run/registry.h). */
#if __STDC_HOSTED__
#define BENCH_SECTION(entry) "bench_registry"
#else
#define BENCH_SECTION(entry) ".bench." #entry
#endif
#define BENCH_REGISTER(entry)                             \
    static const struct bench *const entry##_registration \
        __attribute__((used, aligned(8), section(BENCH_SECTION(entry)))) = &(entry)

/* Returns the value of a parameter: the plan's, or the default. The bench must declare the name. */
/* Also for a time, in the unit of the parameter. */
uint64_t bench_number(const struct bench_run *run, const char *name);
const char *bench_text(const struct bench_run *run, const char *name);
/* Writes a list's numbers, of which the parameter must allow at most `room`. Returns how many. */
size_t bench_numbers(const struct bench_run *run, const char *name, uint64_t *numbers, size_t room);
/* Returns a bit for each word in the value; bit 0 is the first that the parameter allows. */
uint32_t bench_words(const struct bench_run *run, const char *name);
/* Returns the index of the value among the words that the parameter allows. */
size_t bench_word(const struct bench_run *run, const char *name);

/* Returns memory for `count` samples (at least 1), zeroed and therefore already touched, or NULL if
 * there is not enough memory; then return bench_error(). */
int64_t *bench_samples(size_t count);

/* Returns `bytes` of zeroed memory at a multiple of 4 KiB, or NULL if there is not enough. */
void *bench_memory(size_t bytes);

/* While on, memory is placed as memory_places_by_size (kernel/mem/memory.h) says. A bench that
 * turns it on turns it off before it ends. */
void bench_place_by_size(bool on);

/* A page of one memory node, on machines with two or more nodes that have free memory. */
struct bench_node {
    uint32_t number;
    void *page;
};
/* Sets *node to the node at `index`, in the order of SRAT, with a zeroed page of it. Returns false
 * if there are not that many. */
bool bench_node(size_t index, struct bench_node *node);
/* Returns `bytes` that this image has never touched, at a multiple of 2 MiB, or NULL if there is
 * not enough. The caller may write there until it allocates more memory. */
void *bench_untouched_memory(uint64_t bytes);
/* Returns `pages` read-only pages of 4 KiB that all map the same zeroed memory: each needs a
 * translation of its address. Returns NULL if there is no memory for page tables, or if the tables
 * are the firmware's. */
void *bench_alias_pages(size_t pages);

/* Sends `count` samples as series `name`; they must stay unchanged until the run is over. Name and
 * unit are copied, as in all functions below. */
void bench_publish(const struct bench_run *run, const char *name, const char *unit,
                   const int64_t *samples, size_t count);

/* Sends one integer as a fact. */
void bench_fact(const struct bench_run *run, const char *name, const char *unit, int64_t value);

/* Publishes a text that the bench found out and that no number can express. It is listed with the
 * bench's parameters. */
void bench_found(const struct bench_run *run, const char *name, const char *text);

/* States what is expected of a series, in ns, where that depends on the plan or on the machine's
 * devices; `format` says what its parts are. Call before the series is measured. */
__attribute__((format(printf, 4, 5))) void
bench_expect(const struct bench_run *run, const char *series, uint64_t ns, const char *format, ...);
/* Returns the ns of this many instructions: in exact time as they are counted, otherwise at two
 * instructions a ns. */
uint64_t bench_instructions_ns(uint64_t instructions);

/* Prints a line for people, which leaves at once. Must not be called in a measurement window. */
void bench_notify(const struct bench_run *run, const char *text);

/* Shows the progress of a long watch, of which the bench has filled `gaps` of each lane: sends it
 * for `tare watch`, draws it on the screen, and lets firmware append it to the log file if there is
 * one. Returns how many ticks to watch at least before the next call, so that this takes at most a
 * twentieth of the time; in exact time it may take more. Must not be called in a measurement
 * window. Progress is not part of the run: facts and series contain the same once the bench is
 * over. */
struct live_lane;
uint64_t bench_live(const struct bench_run *run, struct live_lane *lanes, size_t count);

/* Publishes what could not be measured, and why: shown as n/a. Both texts are copied. */
void bench_absent(const struct bench_run *run, const char *name, const char *reason);

/* Tells between two windows that `done` of `all` curves are there. Returns why no more shall be
 * measured: the rest is absent for that reason; NULL: go on, always so in the image. */
#if __STDC_HOSTED__
const char *bench_stopped(const struct bench_run *run, size_t done, size_t all);
#else
static inline const char *bench_stopped(const struct bench_run *run, size_t done, size_t all)
{
    (void)run;
    (void)done;
    (void)all;
    return NULL;
}
#endif

/* Returns noise.stop_us of the plan: the first gap or latency longer than this, in us, ends the
 * bench as FAIL; 0: none does. */
uint64_t bench_stop_us(void);

/* Returns whether the TSC counts the instructions of this image only (clock_is_exact()). */
bool bench_is_exact(void);
/* Returns whether the TSC counts instructions, those of others included. */
bool bench_counts_instructions(void);

/* Returns whether access times depend on caches here. False if the TSC counts instructions, or in
 * an emulator that is known not to model caches: sizes beyond a cache then show nothing. */
bool bench_has_caches(void);

/*
 * Counting events. If the plan names events (events=LIST), a bench reads rows instead of TSC
 * timestamps: a row is the TSC and all counters, read together (kernel/pmu/reader.h). A bench may
 * be run several times, with other events each time; it need not know this.
 */

/* Returns whether anything is counted in this pass. If not, a row is only the TSC. */
bool bench_counting(void);

/* Returns how many events are counted in this pass, each by a counter of a row; 0: none. */
size_t bench_events_counted(void);

/* Returns whether the event with this name in the list is counted in this pass. */
bool bench_counts(const char *event);

/* Returns memory for `count` rows, as bench_samples() does for samples. */
int64_t *bench_rows(size_t count);
/* Returns row `index` of `rows`. */
int64_t *bench_row(int64_t *rows, size_t index);

enum bench_row_order {
    ROWS_CONTIGUOUS, /* sample i lies between rows i and i + 1 */
    ROWS_PAIRS,      /* sample i lies between rows 2i and 2i + 1 */
};

struct bench_rows {
    int64_t *rows;
    size_t samples;
    enum bench_row_order order;
};

/* Returns how often an event occurred in a sample; only if bench_counts() is true for it. */
int64_t bench_row_count(const struct bench_rows *rows, size_t sample, const char *event);

/* Sends how often each event occurred in each sample, as series "OF.EVENT"; sends nothing if
 * nothing is counted. Returns false if there is not enough memory. */
bool bench_publish_counts(const struct bench_run *run, const char *of,
                          const struct bench_rows *rows);

/* Sends the ticks of each sample as series `name`, then as bench_publish_counts(). */
bool bench_publish_rows(const struct bench_run *run, const char *name,
                        const struct bench_rows *rows);

/*
 * Tracing. What threads, interrupts and locks do (kernel/task/, kernel/trace/events.def), and
 * trace_mark() of the bench itself, is recorded in memory between these two calls; the second one
 * sends it:
 *
 *     bench_trace_begin(run); task_begin(&settings); ... task_end(); bench_trace_end(run);
 *
 * A bench may do this several times; each time is one part of its trace. The plan sets the mode and
 * the size of the memory (trace.mode, trace.bytes). With trace.mode=off there is no trace, only the
 * CPU-time accounting (kernel/trace/account.h), which is sent for every traced bench.
 */

/* Begins a part of the trace. Returns false, with the reason set, if there is not enough memory or
 * the costs of tracing could not be measured; then return BENCH_ERROR. */
bool bench_trace_begin(struct bench_run *run);
/* As bench_trace_begin(), with a mode and size that the bench chooses. */
bool bench_trace_begin_mode(struct bench_run *run, enum recorder_mode mode, size_t bytes);
#if TARE_SMP
/* As bench_trace_begin(), for a session on `processors` processors: one trace for each. */
bool bench_trace_begin_on(struct bench_run *run, size_t processors);
#endif
/* Ends the part and sends it. Returns false if the line has no room for another stream. */
bool bench_trace_end(struct bench_run *run);

/* Call between two rounds, when time does not matter. With trace.mode=drain, sends a buffer that is
 * more than half full and continues with an empty one, as another part. With trace.mode=off, sends
 * the CPU-time accounting so far after one minute, two, four and so on, at most eight times. Any
 * thread may call it; during the call interrupts are off and no other thread runs. Returns false if
 * there is not enough memory or the line has no room. */
bool bench_trace_drain(struct bench_run *run);
/* Returns whether bench_trace_drain() would send now. */
bool bench_trace_due(void);

/* Returns the TSC at the start of the trace's first part, from which its times count. */
uint64_t bench_trace_origin(void);

/* Sends the idle thread's samples (task_idle_samples() of them) as series "idle", and their start,
 * relative to the trace's, as fact "idle_origin". Call after bench_trace_end(). Returns false if
 * there is not enough memory. */
bool bench_publish_idle(struct bench_run *run, int64_t *rows, size_t samples);

/* Sends the ticks that records cost, and that interrupts and switches cost in addition, as facts
 * trace_record, trace_extended, isr_lead, isr_trail, dpc_trail and switch_trail. */
void bench_publish_trace_costs(const struct bench_run *run);

/* Calibrates the idle loop to samples of `sample_us` and sends the result as facts, which are the
 * same for every bench that uses it. Returns BENCH_OK, or bench_error() if calibration fails. */
enum bench_state bench_calibrate(struct bench_run *run, uint64_t sample_us,
                                 struct idle_calibration *calibration);

/*
 * Input. The plan sets where it comes from and how long to wait for it (input.source,
 * input.wait_ms). What is typed and clicked is the bench's parameter "script", which the plan's
 * input.script replaces.
 */
struct bench_input {
    bool outside;     /* input comes from outside the machine: the bench generates none */
    uint64_t wait_ms; /* outside: how long after the script's end to wait for missing input */
    bool loopback;    /* only the keyboard controller may be used */
    bool timer;       /* the emulated controller must be used, whatever the machine has */
};
const struct bench_input *bench_input(void);

/* Chooses the input controller according to the plan and the machine (kernel/input/controller.h),
 * for a script that needs its keyboard, its mouse or both. Call before input_begin(). Returns NULL
 * on success, otherwise the reason for which the bench must SKIP. If input comes from a timer,
 * publishes that and its cause as FOUND_INPUT (names.h). */
const char *bench_choose_input(const struct bench_run *run, bool keyboard, bool mouse);

/* If input comes from outside: tells the host and a person that the time of the script begins now.
 * Call right before the measurement window. All output has left the line when it returns. */
void bench_await_input(const struct bench_run *run);

/* The states that a bench returns. The reason is formatted as by printf, with integers and strings
 * only, and cut after BENCH_REASON_MAX characters (bench_run.h). */
enum bench_state bench_ok(struct bench_run *run);
enum bench_state bench_skip(struct bench_run *run, const char *reason, ...)
    __attribute__((format(printf, 2, 3)));
enum bench_state bench_error(struct bench_run *run, const char *reason, ...)
    __attribute__((format(printf, 2, 3)));
enum bench_state bench_fail(struct bench_run *run, const char *reason, ...)
    __attribute__((format(printf, 2, 3)));
