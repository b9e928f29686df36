/* SPDX-License-Identifier: BSD-2-Clause */
/* What a window system counted, as facts of a bench. */
#pragma once

#include "bench/interactive/window/window.h"
#include "kernel/run/bench.h"

/* Facts NAME.OF, of all that struct window_counts has. */
void window_facts_publish(const struct bench_run *run, const char *of,
                          const struct window_counts *counts);
/* One more beside them. */
void window_facts_add(const struct bench_run *run, const char *of, const char *name,
                      const char *unit, int64_t value);
