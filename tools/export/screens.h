/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Screens of tasks (series SERIES_SCREEN.PHASE, bench/interactive/screen_runs.h) as PNG, a file
 * each: BENCH-PHASE.png, BENCH.PASS-PHASE.png of a further pass.
 */
#pragma once

#include <stdbool.h>

#include "tools/export/export_directory.h"
#include "tools/run/run.h"

/* Of the benches that `bench` selects (run_bench_is()). False with one line in `error`: there is no
 * screen, one is incomplete or damaged, or a file was not written. It is empty if the user
 * interrupted. */
bool screens_write(const struct run *run, const char *bench, struct export_directory *directory,
                   char error[EXPORT_ERROR_MAX]);
