/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as a file of limits. What was read, written down again, reads the same. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tools/judge/limits.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As far as its text holds all of it: six digits of the value, and a name that is not cut. */
static void check_again(const struct limit *limit)
{
    struct limits again;
    char text[LIMITS_MESSAGE_MAX];

    if (strlen(limit->metric) > 150) {
        return;
    }
    limit_text(limit, text);
    limits_parse(&again, text, strlen(text));
    demand(again.count == 1 && again.error_count == 0);
    demand(again.item[0].statistic == limit->statistic &&
           again.item[0].at_least == limit->at_least &&
           strcmp(again.item[0].metric, limit->metric) == 0 &&
           strcmp(again.item[0].unit, limit->unit) == 0 && again.item[0].time == limit->time &&
           again.item[0].stated == limit->stated);
    limits_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct metrics metrics = {.run = &(struct run){0}};
    struct limits limits;
    struct limit_results results;

    limits_parse(&limits, (const char *)data, size);
    for (size_t i = 0; i < limits.count; i++) {
        demand(limits.item[i].line > 0 && limits.item[i].value == limits.item[i].value);
        check_again(&limits.item[i]);
    }
    limits_check(&limits, &metrics, &results);
    demand(results.broken == limits.count); /* a run without metrics keeps none */
    limit_results_free(&results);
    limits_free(&limits);
    return 0;
}
