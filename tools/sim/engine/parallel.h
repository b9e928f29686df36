/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

#define PARALLEL_JOBS_MAX 1024

/* Calls `job` for each index below `count`, in order of beginning, on up to `jobs` threads at once,
 * this one among them; 0: as many as there are processors. Fewer where the system gives no more. */
void parallel_for(size_t jobs, size_t count, void (*job)(void *context, size_t index),
                  void *context);
