/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the JSON of a run's benches shares: values that may be missing, and the statistics of
 * samples.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/json.h"
#include "tools/stats/statistics.h"

/* Writes the value, or null if it is not present. */
void json_optional(struct json *json, const char *key, bool present, int64_t value);
/* Writes "n", "min", "median", "p99", "p999", "max" as members of the open object. */
void json_statistics(struct json *json, const struct statistics *statistics);
