/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thresholds of latency as a person gives them: "100,110,120", "KIND=MS,...". Milliseconds, with a
 * fraction where wanted, or with a unit behind: us, ms or s.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/input/event.h"

#define THRESHOLDS_MAX       64
#define THRESHOLD_MS_MAX     1e9
#define THRESHOLD_DEFAULT_MS 100 /* imperceptible below (Endo et al. 1996, section 3.1) */
#define THRESHOLDS_ERROR_MAX 128

/* In the order given. False on bad input; `error` then names it. */
bool thresholds_read(const char *text, double ms[THRESHOLDS_MAX], size_t *count,
                     char error[THRESHOLDS_ERROR_MAX]);

/* Sets those that the text names, by input_kind_name(); "all" is of all kinds. */
bool thresholds_read_kinds(const char *text, double ms[INPUT_KINDS],
                           char error[THRESHOLDS_ERROR_MAX]);
