/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as Parquet files: TABLE.parquet for every table of a run file (tools/store/README.md), with
 * its columns but those of bytes, and sample.parquet with a row for each sample that was taken:
 *
 *     bench, pass, series, index, value       value is null where the sample did not arrive
 */
#pragma once

#include <stdbool.h>

#include "tools/export/export_directory.h"
#include "tools/run/run.h"

/* False with one line in `error`, which is empty if the user interrupted. */
bool parquet_tables_write(struct run *run, struct export_directory *directory,
                          char error[EXPORT_ERROR_MAX]);
