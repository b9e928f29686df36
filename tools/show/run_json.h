/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a run as one JSON object: {"schema": "tare-run/1", "run": {...}, "benches": [...]}.
 * run_schema.json is its JSON Schema. Additions do not change the number in the schema's name;
 * changes and removals do.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "tools/run/run.h"

#define RUN_JSON_SCHEMA "tare-run/1"

/* Writes the run without samples. `reasons` are those of run_valid(), empty for a valid run. A
 * missing value is null, and so is a total that exceeds 64 bits; a ratio that cannot be formed is
 * left out. */
void run_json(FILE *out, const struct run *run, const struct run_texts *reasons);

/* Writes the run with samples: each series has "samples" in the order in which they were taken,
 * null for a missing one. `bench` selects one bench, as in run_bench_is(); NULL: all. */
void run_json_samples(FILE *out, const struct run *run, const struct run_texts *reasons,
                      const char *bench);

/* text of run_schema.json: JSON Schema, draft 2020-12 */
extern const char run_schema[];
extern const size_t run_schema_length;
