/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of all benches, and the parameters that a plan sets for them.
 *
 * Pure: compiled for the image, where linker.ld collects the registry, and for the host program,
 * which runs some of the benches on Linux.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/plan/plan.h"
#include "kernel/run/bench.h"

#if __STDC_HOSTED__
/* Symbols that ld defines at both ends of a section whose name is an identifier; undefined if a
 * program has no benches. */
extern const struct bench *const bench_registry_start[] __asm__("__start_bench_registry")
    __attribute__((weak));
extern const struct bench *const bench_registry_end[] __asm__("__stop_bench_registry")
    __attribute__((weak));
#else
extern const struct bench *const bench_registry_start[] __attribute__((visibility("hidden")));
extern const struct bench *const bench_registry_end[] __attribute__((visibility("hidden")));
#endif

/* Uses these benches instead of the section's: the host checks a plan against the benches of the
 * image that it boots. The array must stay unchanged from then on. NULL: the section's again. */
void registry_use_benches(const struct bench *const *benches, size_t count);

/* These return the first bench of all, and the end after the last. */
const struct bench *const *registry_start(void);
const struct bench *const *registry_end(void);

/* A table in the image's data that the host finds by its mark, at a multiple of 16 bytes
 * (tools/qemu/image_benches.h). By the sizes the host knows whether both have the same structs. */
#define REGISTRY_MARK "tare benches 01"

struct registry_table {
    char mark[sizeof(REGISTRY_MARK)];
    uint64_t bench_bytes; /* size of a struct bench */
    uint64_t param_bytes; /* size of a struct bench_param */
    const struct bench *const *start;
    const struct bench *const *end;
    const struct bench_param *run_keys;
    uint64_t run_key_count;
};

/* From now on, parameters have the values of this plan. */
void registry_use_plan(struct plan *plan);

/* Does a plan select the bench? `benches` is the plan's list, or NULL if it has none: then each
 * bench is selected that does not run on request only. */
bool registry_selects(const char *benches, const struct bench *bench);

/* Returns the sum of those parameters of the bench that are times in ms: the plan's values, and the
 * defaults of the others. */
uint64_t registry_lengths_ms(const struct bench *bench);

/* Returns the plan's text for a parameter, or NULL if the plan does not set it: the value of
 * BENCH.NAME or, for a parameter `script`, of input.script if the plan has it. */
const char *registry_planned(const struct bench *bench, const struct bench_param *param);

/* Each of the following returns false, with `error` set, if something is wrong. */

/* Checks that each name in a list is that of a bench; NULL: the list is not given. */
bool registry_check_list(const char *list, char error[PLAN_ERROR_MAX]);
/* Checks the values of the parameters that the plan sets. */
bool registry_check_params(char error[PLAN_ERROR_MAX]);
/* Checks that every key of the plan has been used. `run_keys`, the keys of the run as a whole, are
 * listed in the error. */
bool registry_check_keys(const struct bench_param *run_keys, size_t count,
                         char error[PLAN_ERROR_MAX]);
