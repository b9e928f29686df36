/* SPDX-License-Identifier: BSD-2-Clause */
/* tare export in the one format that takes several runs: bencher. */
#pragma once

#include <stddef.h>

struct export_request {
    const char *output; /* NULL, "-": standard output */
    const char *bench;  /* NULL: all */
    char **files;
    size_t count; /* 1 or more */
};

/* Returns the exit status. */
int export_runs(const struct export_request *request);
