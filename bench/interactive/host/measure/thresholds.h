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
