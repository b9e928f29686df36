/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thresholds of latency as a person gives them: "100,110,120", "CLASS=MS,...". Milliseconds, with a
 * fraction where wanted, or with a unit behind: us, ms or s.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/input/event.h"
#include "kernel/input/script.h"

#define THRESHOLDS_MAX       64
#define THRESHOLD_MS_MAX     1e9
#define THRESHOLD_DEFAULT_MS 100 /* imperceptible below (Endo et al. 1996, section 3.1) */
#define THRESHOLDS_ERROR_MAX 128

/* In the order given. False on bad input; `error` then names it. */
bool thresholds_read(const char *text, double ms[THRESHOLDS_MAX], size_t *count,
                     char error[THRESHOLDS_ERROR_MAX]);

/* T(class) of responsiveness (section 3.1): by class of action, else by kind of its first event. */
struct threshold_class {
    char name[SCRIPT_NAME_MAX + 1];
    double ms;
};
struct threshold_set {
    double kind_ms[INPUT_KINDS];
    struct threshold_class classes[THRESHOLDS_MAX];
    size_t class_count;
};

/* Each kind THRESHOLD_DEFAULT_MS, no class. */
void thresholds_init(struct threshold_set *set);
/* Sets those that the text names: "all" all kinds, input_kind_name() that kind, and any other name
 * a class. */
bool thresholds_read_set(const char *text, struct threshold_set *set,
                         char error[THRESHOLDS_ERROR_MAX]);
double thresholds_of(const struct threshold_set *set, unsigned kind, const char *class);

/* One length, such as 50ms. */
bool thresholds_read_one(const char *text, double *ms, char error[THRESHOLDS_ERROR_MAX]);

/*
 * Which latency of an event or action is shown: `--measure idle|service|response`.
 *
 *     idle      by how much the idle loop's samples were elongated (Endo et al. 1996, section 2.5);
 *               not known of events that share samples with others
 *     service   from arrival to effect
 *     response  from the moment when it was to come to its effect
 */

enum measure {
    MEASURE_IDLE,
    MEASURE_SERVICE,
    MEASURE_RESPONSE,
    MEASURES,
};

/* "idle", "service", "response"; of others NULL. */
const char *measure_name(unsigned measure);

/* "response time", "service time", "latency by the idle loop". */
const char *measure_label(enum measure measure);

/* What the person at this terminal chose: for all views and figures of the program. */
struct measure_choice {
    enum measure measure; /* MEASURE_RESPONSE unless the user chose another */
    bool given;           /* the user chose it: metrics are of no other measure then */
    bool by_class;        /* each class of actions apart; else each phase alone */
    bool has_above;
    double above_ms;     /* only what takes longer is shown */
    bool has_thresholds; /* of responsiveness; else all are THRESHOLD_DEFAULT_MS */
    struct threshold_set thresholds;
};
void measure_choose(const struct measure_choice *choice);
const struct measure_choice *measure_choice(void);
enum measure measure_chosen(void);
