/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benches that there are, and what a plan may set of them.
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
/* ld's own names for the ends of a section whose name is an identifier; absent where a program has
 * no benches. */
extern const struct bench *const bench_registry_start[] __asm__("__start_bench_registry")
    __attribute__((weak));
extern const struct bench *const bench_registry_end[] __asm__("__stop_bench_registry")
    __attribute__((weak));
#else
extern const struct bench *const bench_registry_start[] __attribute__((visibility("hidden")));
extern const struct bench *const bench_registry_end[] __attribute__((visibility("hidden")));
#endif

/* In place of the section's: the host checks a plan against the benches of the image that it boots.
 * The array stays as it is from then on. NULL: the section's again. */
void registry_use_benches(const struct bench *const *benches, size_t count);

/* The benches that there are, from start to before end. */
const struct bench *const *registry_start(void);
const struct bench *const *registry_end(void);

/* What an image has in its data for the host, which finds it by the mark, at a multiple of 16 bytes
 * (tools/qemu/image_benches.h). By the sizes the host knows that both have the same structs. */
#define REGISTRY_MARK "tare benches 01"

struct registry_table {
    char mark[sizeof(REGISTRY_MARK)];
    uint64_t bench_bytes; /* of a struct bench */
    uint64_t param_bytes; /* of a struct bench_param */
    const struct bench *const *start;
    const struct bench *const *end;
    const struct bench_param *run_keys;
    uint64_t run_key_count;
};

/* From now on parameters have the values of this plan. */
void registry_use_plan(struct plan *plan);

/* Does a plan select the bench? `benches` is the plan's list, or NULL if it has none: then each
 * bench is selected that does not run on request only. */
bool registry_selects(const char *benches, const struct bench *bench);

/* Returns the sum of those parameters of the bench that are times in ms: the plan's values, and the
 * defaults of the others. */
uint64_t registry_lengths_ms(const struct bench *bench);

/* The plan's text for a parameter, or NULL: BENCH.NAME; of a script input.script, where the plan
 * has it (runner.c). */
const char *registry_planned(const struct bench *bench, const struct bench_param *param);

/* Each returns false with `error` written. */

/* Checks that each name of a list of benches is one; NULL: the list is not given. */
bool registry_check_list(const char *list, char error[PLAN_ERROR_MAX]);
/* Checks the parameters that the plan sets. */
bool registry_check_params(char error[PLAN_ERROR_MAX]);
/* Checks that something has used each key of the plan. `run_keys` are those of the run as a whole,
 * for the error. */
bool registry_check_keys(const struct bench_param *run_keys, size_t count,
                         char error[PLAN_ERROR_MAX]);
