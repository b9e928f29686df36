/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench connection: a TCP connection by its parts, and its overhead as the report defines it.
 */
#pragma once

#include <stdbool.h>

#include "bench/network/host/splits.h"
#include "tools/run/estimates.h"
#include "tools/run/run.h"

#define SETUP_PARTS    3
#define OVERHEAD_PARTS 2

/* A set-up by its parts syn, answer and established, and all of a connection as the parts raw (a
 * packet) and overhead. False: as split_of(). */
bool connection_setup_of(const struct run_bench *bench, const char *path, struct split *split);
bool connection_overhead_of(const struct run_bench *bench, const char *path, struct split *split);

/* The report's row; NULL: there is none. */
const struct estimates_row *connection_report(void);
