/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as one JSON object: {"run": {...}, "benches": [...]}. All of it but the samples.
 */
#pragma once

#include <stdio.h>

#include "tools/lib/run.h"

/* `reasons` is what run_valid() said; empty for a valid run. What is absent is null, and so is a
 * total that leaves 64 bits; a ratio that cannot be formed is left out. */
void run_json(FILE *out, const struct run *run, const struct run_texts *reasons);
