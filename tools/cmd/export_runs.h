/* SPDX-License-Identifier: BSD-2-Clause */
/* tare export in formats of figures over several runs: bencher, otava, otava-config. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "tools/history/history.h"

struct export_request {
    const char *output; /* NULL, "-": standard output */
    const char *bench;  /* NULL: all */
    char **files;
    size_t count; /* 1 or more */
};

/* Writes what `write` makes of the history; returns the exit status. */
typedef void export_runs_writer(FILE *out, const struct history *history,
                                const struct export_request *request);
int export_runs(const struct export_request *request, export_runs_writer *write);

export_runs_writer export_runs_bencher;
export_runs_writer export_runs_otava;
export_runs_writer export_runs_otava_config;
