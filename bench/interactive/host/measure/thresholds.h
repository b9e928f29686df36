/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Latency thresholds as a user writes them: "100,110,120" or "CLASS=MS,...". Numbers are
 * milliseconds, possibly with a fraction, or have a unit after them: us, ms or s.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/input/event.h"
#include "kernel/input/script.h"

#define THRESHOLDS_MAX       64
#define THRESHOLD_MS_MAX     1e9
#define THRESHOLD_DEFAULT_MS 100 /* users do not perceive less (Endo et al. 1996, section 3.1) */
#define THRESHOLDS_ERROR_MAX 128

/* Reads thresholds in the order given. Returns false on bad input, with the reason in `error`. */
bool thresholds_read(const char *text, double ms[THRESHOLDS_MAX], size_t *count,
                     char error[THRESHOLDS_ERROR_MAX]);

/* Thresholds T(class) for responsiveness (section 3.1): by the action's class, otherwise by the
 * kind of its first event. */
struct threshold_class {
    char name[SCRIPT_NAME_MAX + 1];
    double ms;
};
struct threshold_set {
    double kind_ms[INPUT_KINDS];
    struct threshold_class classes[THRESHOLDS_MAX];
    size_t class_count;
};

/* Sets each kind to THRESHOLD_DEFAULT_MS, without classes. */
void thresholds_init(struct threshold_set *set);
/* Sets the thresholds named in the text: "all" means all kinds, a name of input_kind_name() that
 * kind, and any other name a class. Returns false on bad input, with the reason in `error`. */
bool thresholds_read_set(const char *text, struct threshold_set *set,
                         char error[THRESHOLDS_ERROR_MAX]);
double thresholds_of(const struct threshold_set *set, unsigned kind, const char *class);

/* Reads one length, such as 50ms. */
bool thresholds_read_one(const char *text, double *ms, char error[THRESHOLDS_ERROR_MAX]);

/*
 * The latency of an event or action that is shown: `--measure`.
 *
 *     idle      excess of the idle loop's samples (Endo et al. 1996, section 2.5); unknown for
 *               events that share samples with others
 *     service   from arrival to effect
 *     response  from the time when it was due to its effect
 *     call      from arrival to the next call for a message by the thread that took it, which is
 *               what the paper took for its end (section 2.4)
 *     weighted  service plus the penalties of weights.h: a separate time base, in cycles of a
 *               model, never mixed with the others
 *
 * The first three have figures; the others only if the user chooses them.
 */

enum measure {
    MEASURE_IDLE,
    MEASURE_SERVICE,
    MEASURE_RESPONSE,
    MEASURE_CALL,
    MEASURE_WEIGHTED,
    MEASURES,
};

/* Returns the word of --measure, such as "idle"; NULL for other numbers. */
const char *measure_name(unsigned measure);

/* Returns for example "response time" or "weighted time (model)". */
const char *measure_label(enum measure measure);

/* Returns the member of the JSON: the name, or "weighted_model". */
const char *measure_key(enum measure measure);

/* Returns whether the measure has figures. */
bool measure_is_drawn(enum measure measure);

/* What the user chose, for all views and figures of the program. */
struct measure_choice {
    enum measure measure; /* MEASURE_RESPONSE unless the user chose another */
    bool given;           /* the user chose it: only this measure gets metrics */
    bool by_class;        /* each class of actions separately, otherwise only each phase */
    bool by_action;       /* tare show lists each action */
    bool has_above;
    double above_ms;     /* only longer actions are shown */
    bool has_thresholds; /* thresholds of responsiveness; otherwise all are THRESHOLD_DEFAULT_MS */
    struct threshold_set thresholds;
};
void measure_choose(const struct measure_choice *choice);
const struct measure_choice *measure_choice(void);
enum measure measure_chosen(void);
