/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/json_kit.h"

void json_optional(struct json *json, const char *key, bool present, int64_t value)
{
    if (present) {
        json_signed(json, key, value);
    } else {
        json_null(json, key);
    }
}

void json_statistics(struct json *json, const struct statistics *statistics)
{
    const bool any = statistics->n > 0;

    json_unsigned(json, "n", statistics->n);
    json_optional(json, "min", any, statistics->min);
    json_optional(json, "median", any, statistics->median);
    json_optional(json, "p99", statistics->has_p99, statistics->p99);
    json_optional(json, "p999", statistics->has_p999, statistics->p999);
    json_optional(json, "max", any, statistics->max);
}
