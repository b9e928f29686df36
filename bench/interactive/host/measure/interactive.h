/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input events of a bench, each from its intended moment to its effect: from the trace, and from
 * what the bench reports of its plan.
 *
 * A bench of interactive events publishes, with times in TSC ticks since the begin of the trace's
 * first part ("code" and "count" else):
 *
 *     series intended      of each event that it planned, in order: when it was to come
 *     series sent          kind << 16 | code (kernel/input/event.h)
 *     series written       when its last byte was given to the controller; -1: it was not. Absent,
 *                          as `intended`, where input comes from outside
 *     series cold          1: caches were emptied before; absent: none was
 *     series action        which action it is part of (a number, within its phase), and
 *     series class         of which class that is (enum script_class, kernel/input/script.h)
 *     series phase         which of the bench's phases it belongs to: the number of the mark that
 *                          names it; absent: there are none
 *     fact redraws_NAME    how often the application drew in the phase of that name
 *     series stamp_number, stamp_from, stamp_to
 *                          the traditional measurement: the input's number, and the application's
 *                          own readings of the TSC when it had it and when it had done with it
 *     series idle          samples of the idle loop, and fact idle_origin (reconcile.h)
 *     series idle.EVENT    what an event of the processor counted during them (of=idle)
 *
 * An event of the trace (`input`) is a planned one if kind and code are the next in order; what was
 * planned and never came, what came and was not planned, and what came in another order are
 * reported apart. Its end is the first of `input_done` for its number or a later one by the thread
 * that took it; where that thread never reports it, its next call for a message (Endo et al. 1996,
 * section 2.4).
 *
 * The samples of the idle loop that an event lies in are those from the begin of the busy episode
 * (busy.h) that holds its arrival to the end of the one that holds its end; of an event without an
 * end, to the end of the one that holds the last that is known of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/trace/accounting.h"

/* What an event of the processor counted for an input, beyond what idle samples count. */
struct interactive_count {
    bool known; /* all its samples have a count, and some sample was idle */
    int64_t value;
};

struct interactive_event {
    uint32_t number; /* as the driver counted, from 1; 0: it never came, or has none */
    uint8_t kind;    /* enum input_kind */
    uint16_t code;
    bool came; /* an `input` of the trace reports it; else it was only planned */
    bool planned;
    bool displaced; /* planned, and came in another order */
    bool cold;
    bool has_phase;
    uint8_t phase;
    bool has_action, has_class;
    uint32_t action;
    uint8_t class;

    /* TSC. Of those that are not known has_ is false. */
    bool has_intended, has_written, has_arrival, has_posted, has_taken, has_done, has_stamps;
    uint64_t intended;
    uint64_t written;
    /* Of its last byte: the interrupt in whose handler it was read, which is isr_lead (record.h)
     * before the stamp of isr_entry, and before what it took the tracer to open a packet for it;
     * where no handler read it, when it was read. */
    uint64_t arrival;
    uint64_t decoded; /* where it came: its driver made an event of its bytes */
    uint64_t posted;  /* its message entered the queue */
    uint64_t taken;
    uint64_t done;
    uint64_t stamp_from, stamp_to;
    bool done_by_call; /* by the next call, not by input_done */
    size_t waiting;    /* length of the queue when it had been posted: 1 where it was alone */
    uint32_t thread;   /* that took it; ACCOUNT_NO_THREAD: not known */

    bool has_busy; /* its end is known, and nothing is missing in between */
    uint64_t busy; /* of service: processor time that was not idle */
    /* Elongation of the idle loop's samples that it lies in. Shared: other events lie in them too,
     * and the figure is of all of them. */
    bool has_elongation, shared;
    int64_t elongation;
    uint64_t elongation_busy; /* of these samples, by the trace: not idle */
    size_t sample;            /* the first of them */
    size_t samples;           /* how many */
    bool explained;           /* it is one of those that `parts` of struct interactive sum up */
    const struct interactive_count *counts; /* interactive.counted_count of them; NULL: none */
};

/* done - arrival; where both are known. */
bool interactive_service(const struct interactive_event *event, uint64_t *ticks);
/* done - intended, from arrival where nothing was intended: a person's hands. */
bool interactive_response(const struct interactive_event *event, uint64_t *ticks);
/* stamp_to - stamp_from: the traditional measurement. */
bool interactive_traditional(const struct interactive_event *event, uint64_t *ticks);

/* A part of the difference between the idle loop's figure and the traditional one. */
struct interactive_part {
    char label[ACCOUNT_LABEL_MAX + 32]; /* "interrupt i8042 keyboard", "thread echo, before its
                                           first stamp" */
    uint64_t events;                    /* of which it is a part */
    int64_t total, min, max;            /* ticks; min over those events. Negative: idle time that
                                           the stamps hold */
};

/* A stretch of a bench, by its series `phase`. */
struct interactive_phase {
    uint8_t phase;
    const char *name; /* NULL: no mark has this number */
    bool has_redraws;
    int64_t redraws;
    size_t alone;       /* events that share no sample of the idle loop with another */
    int64_t elongation; /* of the samples of these: ticks */
    size_t events;      /* that came */
    uint64_t from, to;  /* TSC: the first one's arrival, the last one's end */
    bool known;         /* there are both, and nothing is missing in between */
    uint64_t busy;      /* of that time: not idle */
    uint64_t
        handling; /* of busy: while one of its events had arrived and had not come to its end */
};

struct interactive {
    bool present;                     /* the traces hold input events, or the bench planned some */
    struct interactive_event *events; /* by arrival; those that never came where they were due */
    size_t count;

    size_t planned, arrived, matched, missing, unplanned;
    bool in_order;
    bool has_arrival_error;                       /* of any event both are known */
    int64_t arrival_error_min, arrival_error_max; /* arrival - written */

    /* Over events with stamps whose samples they share with no other: elongation_busy = stamps +
     * parts, to the tick; elongation is that within the idle loop's own resolution. Parts are in
     * the order in which they first occurred. */
    struct interactive_part *parts;
    size_t part_count;
    uint64_t explained;    /* events */
    int64_t residual;      /* the largest of elongation_busy - stamps - parts, by its magnitude and
                              with its sign */
    int64_t idle_residual; /* the same of elongation */
    uint64_t iteration_millitick; /* of the idle loop; 0: not known */

    struct interactive_phase *phases; /* by number */
    size_t phase_count;
    struct interactive_phase all; /* the same of all events, whatever their phase; without a name */

    const char **counted; /* the events of the processor that were counted */
    size_t counted_count;
    struct interactive_count *counts; /* of all events; see interactive_event.counts */

    uint64_t elapsed; /* of all parts of the trace */
    uint64_t begin;   /* TSC, of the first */
};

/* The phase of an event; NULL: it is of none. */
const struct interactive_phase *interactive_phase_of(const struct interactive *interactive,
                                                     const struct interactive_event *event);

/* Reads the traces. False where their bytes could not be read. interactive_free() in any case. */
bool interactive_read(struct interactive *interactive, const struct run_bench *bench);
void interactive_free(struct interactive *interactive);
