/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input events of a bench, each from the time when it was due to its effect: from the trace,
 * and from what the bench publishes about its plan.
 *
 * A bench of interactive events publishes the following. Times are in TSC ticks since the start of
 * the trace's first part; the other series are in "code" or "count":
 *
 *     series intended      when each planned event was due, in order
 *     series sent          kind << 16 | code (kernel/input/event.h)
 *     series written       when its last byte was given to the controller; -1: never. `intended`
 *                          and `written` are missing if the input comes from outside
 *     series cold          1: the caches were emptied before the event; missing: never
 *     series action        number of the action that the event is part of, within its phase
 *     series class         class of that action (enum script_class, kernel/input/script.h)
 *     series phase         the bench's phase that the event belongs to, as the number of the mark
 *                          that names it; missing: there are no phases
 *     fact redraws_NAME    how often the application drew in the phase of that name
 *     series stamp_number, stamp_from, stamp_to
 *                          the traditional measurement: the input's number, and the application's
 *                          own readings of the TSC when it got the input and when it was done with
 *                          it
 *     series idle          samples of the idle loop, and fact idle_origin (reconcile.h)
 *     series idle.EVENT    how often a processor event was counted during them (of=idle)
 *     series counted_at, counted_at.EVENT
 *                          times of events, and what was counted up to them (names.h); the host
 *                          adds them
 *
 * An `input` event in the trace is a planned one if kind and code are the next in order. Events
 * that were planned but never came, that came but were not planned, and that came in another order
 * are reported separately. An event ends at the first `input_done`, for its number or a later one,
 * by the thread that took it. If that thread never reports an input_done, the event ends at the
 * thread's next call for a message (Endo et al. 1996, section 2.4).
 *
 * The idle loop's samples of an event are those from the start of the busy episode (busy.h) that
 * contains its arrival to the end of the busy episode that contains its end. For an event without
 * an end, the last known time of the event is used instead. With several processors, no event has
 * such samples: the loop runs on processor 0, and what handles the event may run elsewhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/trace/accounting.h"

/*
 * How often a processor event was counted for an input. With series counted_at (tools/qemu/join.h),
 * from the trace's record of its interrupt, which is isr_lead ticks after the arrival, to its end.
 * Otherwise in its samples of the idle loop, beyond the count of idle samples; unknown if other
 * events share these samples.
 */
struct interactive_count {
    bool known;
    int64_t value;
};

struct interactive_event {
    uint32_t number; /* number given by the driver, from 1; 0: it never came, or has no number */
    uint8_t kind;    /* enum input_kind */
    uint16_t code;
    uint8_t phase;
    uint8_t class;
    bool came : 1; /* the trace has an `input` event for it; otherwise it was only planned */
    bool planned : 1;
    bool displaced : 1; /* it was planned, and came in another order */
    bool cold : 1;
    bool has_phase : 1, has_action : 1, has_class : 1;
    /* The has_ flag of an unknown time is false. */
    bool has_intended : 1, has_written : 1, has_arrival : 1, has_posted : 1, has_taken : 1;
    bool has_done : 1, has_stamps : 1, has_call : 1;
    bool done_by_call : 1; /* it ended by the next call, not by input_done */
    bool has_busy : 1;     /* its end is known, and no part of the trace is missing in between */
    bool has_elongation : 1, shared : 1; /* see `elongation` */
    bool explained : 1; /* one of those summed up in `parts` of struct interactive */
    uint32_t action;
    uint32_t thread;  /* the thread that took it; ACCOUNT_NO_THREAD: unknown */
    uint32_t waiting; /* length of the queue including this event's message: 1 if it was alone */
    /* index of the first sample of the idle loop, and number of samples */
    uint32_t sample, samples;

    /* Times (TSC). */
    uint64_t intended;
    uint64_t written;
    /* Arrival of its last byte: the interrupt in whose handler the byte was read. It came before
     * the time stamp of isr_entry by isr_lead ticks (record.h), plus the time that the tracer took
     * to open a packet. If no handler read the byte, the time when it was read. */
    uint64_t arrival;
    uint64_t entry; /* time stamp of that isr_entry; valid only if the event arrived */
    /* when the driver decoded its bytes to an event; valid only if the event arrived */
    uint64_t decoded;
    uint64_t posted; /* when its message entered the queue */
    uint64_t taken;
    uint64_t done;
    uint64_t call; /* next call for a message by the thread that took it */
    uint64_t stamp_from, stamp_to;

    uint64_t busy; /* time within its service in which a processor was not idle */
    /* Excess of the idle loop's samples of this event. `shared`: other events lie in these samples
     * too, and the excess is that of all of them. */
    int64_t elongation;
    uint64_t elongation_busy; /* time in these samples that was not idle, by the trace */
    const struct interactive_count *counts; /* interactive.counted_count counts; NULL: none */
};

/* Gets done - arrival. Returns false unless both are known. */
bool interactive_service(const struct interactive_event *event, uint64_t *ticks);
/* Gets done - intended or, if nothing was intended (input by a person), done - arrival. Returns
 * false if unknown. */
bool interactive_response(const struct interactive_event *event, uint64_t *ticks);
/* Gets call - arrival, the end of an event as the paper knew it. Returns false if unknown. */
bool interactive_call(const struct interactive_event *event, uint64_t *ticks);
/* Gets stamp_to - stamp_from, the traditional measurement. Returns false if unknown. */
bool interactive_traditional(const struct interactive_event *event, uint64_t *ticks);

/* A part of the difference between the idle loop's figure and the traditional one. */
struct interactive_part {
    /* for example "interrupt i8042 keyboard" or "thread echo, before its first stamp" */
    char label[ACCOUNT_LABEL_MAX + 32];
    uint64_t events; /* number of events that have this part */
    /* ticks; min and max over those events. Negative: idle time within the stamps */
    int64_t total, min, max;
};

/* A phase of a bench, by its series `phase`. */
struct interactive_phase {
    uint8_t phase;
    const char *name; /* NULL: no mark has this number */
    bool has_redraws;
    int64_t redraws;
    size_t alone;       /* events that share no sample of the idle loop with another */
    int64_t elongation; /* excess of their samples, in ticks */
    size_t events;      /* events that came */
    uint64_t from, to;  /* TSC of the first event's arrival and of the last event's end */
    bool known;         /* both are known, and no part of the trace is missing in between */
    uint64_t busy;      /* ticks of that time that were not idle */
    uint64_t handling;  /* ticks of `busy` while one of its events had arrived and had not ended */
};

struct interactive {
    /* the traces contain input events, or the bench planned some */
    bool present;
    /* ordered by arrival; those that never came are where they were due */
    struct interactive_event *events;
    size_t count;

    size_t planned, arrived, matched, missing, unplanned;
    bool in_order;
    bool has_arrival_error;                       /* both times are known for at least one event */
    int64_t arrival_error_min, arrival_error_max; /* arrival - written */

    /* These are set by interactive_explain(). They cover the events with stamps that share their
     * samples with no other event. For each, elongation_busy = stamps + parts, to the tick;
     * elongation equals that within the resolution of the idle loop. Parts are in the order in
     * which they first occurred. */
    struct interactive_part *parts;
    size_t part_count;
    uint64_t explained; /* number of events */
    /* the elongation_busy - stamps - parts with the largest magnitude, with its sign */
    int64_t residual;
    /* the elongation - stamps - parts with the largest magnitude, with its sign */
    int64_t idle_residual;
    uint64_t iteration_millitick; /* duration of an iteration of the idle loop; 0: unknown */

    struct interactive_phase *phases; /* ordered by number */
    size_t phase_count;
    struct interactive_phase all; /* values over all events, whatever their phase; has no name */

    const char **counted; /* names of the processor events that were counted */
    size_t counted_count;
    struct interactive_count *counts; /* counts of all events; see interactive_event.counts */
    /* times of the counts; NULL: counts are those of the idle loop's samples */
    const struct run_series *counted_at;
    const struct run_series **counted_series; /* counts up to these times, or of the samples */
    uint64_t cycle; /* ticks of an instruction, by these counts; 0: unknown */

    uint64_t elapsed; /* ticks of all parts of the trace */
    uint64_t begin;   /* TSC of the start of the first part */
};

/* Returns the phase of an event, or NULL if it belongs to none. */
const struct interactive_phase *interactive_phase_of(const struct interactive *interactive,
                                                     const struct interactive_event *event);

/* Gets what was counted from one time to another (TSC). Returns false unless counted_at has both.
 */
bool interactive_counted(const struct interactive *interactive, size_t column, uint64_t from,
                         uint64_t to, int64_t *value);
/* Returns over which time events were counted, such as "counted from ...". */
const char *interactive_counted_how(const struct interactive *interactive);
/* Gets the ticks by which weighted time (weights.h) is longer than service for counts of all
 * columns. Returns false if a count that has a weight is unknown. */
bool interactive_penalty(const struct interactive *interactive,
                         const struct interactive_count *counts, uint64_t *ticks);

/* Sums up what the application's stamps miss: `parts`, and what follows them. Call at
 * most once, and only if the traces could be read. Reads the traces once more if there is
 * something to sum up. Returns false if their bytes could not be read. */
bool interactive_explain(struct interactive *interactive, const struct run_bench *bench);
void interactive_free(struct interactive *interactive);
