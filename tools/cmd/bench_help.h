/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare help NAME` and `tare list`: profiles, benches and plan keys. The page of a bench has what a
 * bench measures, what is expected of it, and its parameters, as the image that `tare boot` boots
 * by default has them.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "kernel/run/bench.h"

/* Prints the page of the bench. Returns false, with nothing printed, if the image has no such bench
 * or cannot be read. */
bool bench_help(FILE *out, const char *name);
/* Prints the profile. Returns false, with nothing printed, if there is no such profile. */
bool profile_help(FILE *out, const char *name);

/* Returns the bench of that name; NULL if the image has none or cannot be read. */
const struct bench *bench_find(const char *name);
/* Prints all profiles, and the benches by group, each with its brief. */
void benches_list(FILE *out);
/* Prints the plan keys that begin with `prefix`, each with its meaning, default and values. Returns
 * whether there is one. */
bool bench_keys_list(FILE *out, const char *prefix);
