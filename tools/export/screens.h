/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exports the screens of tasks (series SERIES_SCREEN.PHASE, bench/interactive/screen_runs.h) as PNG
 * files: BENCH-PHASE.png, for a further pass BENCH.PASS-PHASE.png.
 */
#pragma once

#include <stdbool.h>

#include "tools/export/export_directory.h"
#include "tools/run/run.h"

/* Writes the screens of the benches that `bench` selects (run_bench_is()). Returns false, with one
 * line in `error`, if there is no screen, one is incomplete or damaged, or a file could not be
 * written. If the user interrupted, `error` is empty. */
bool screens_write(const struct run *run, const char *bench, struct export_directory *directory,
                   char error[EXPORT_ERROR_MAX]);
