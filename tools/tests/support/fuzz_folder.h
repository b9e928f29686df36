/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folder beside a fuzzer's text, with files that it may name: "f", which is what stands behind
 * two zero bytes of the input, and "r", a run file with the series s (ns), t (ticks) and n (ns, and
 * some below 0) of bench b.
 */
#pragma once

#include <string.h>

#include "tools/store/runfile.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/whole_file.h"

static inline void add_times(struct run_bench *bench, const char *name, const char *unit,
                             int64_t least)
{
    const int64_t times[] = {1500, least, 250, 98000, 250};
    struct run_series *series = build_series(bench, name, NULL, NULL, times, 5);

    series->unit = unit;
    series->crc = run_series_crc(series);
}

static inline void write_run(void)
{
    char path[TEMPORARY_PATH_MAX];
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    own_path("r", path);
    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    struct run_bench *bench = build_bench(&run, "b", 1);

    add_times(bench, "s", "ns", 0);
    add_times(bench, "t", "tick", 0);
    add_times(bench, "n", "ns", -1);
    demand(runfile_write(path, &run, error));
    run_free(&run);
}

/* The folder is as the input wants it; returns the length of the text. */
static inline size_t fill_folder(const uint8_t *data, size_t size)
{
    const uint8_t *zeros = memmem(data, size, "\0", 2);
    char path[TEMPORARY_PATH_MAX];

    if (own.path[0] == '\0') {
        write_run();
    }
    own_path("f", path);
    if (zeros != NULL) {
        write_whole_file(path, zeros + 2, size - (size_t)(zeros - data) - 2);
    } else {
        unlink(path);
    }
    return zeros != NULL ? (size_t)(zeros - data) : size;
}
