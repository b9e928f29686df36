/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests: readings of a bench's traces, each in a separate walk. */
#pragma once

#include <stdlib.h>

#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/call_rule.h"
#include "bench/interactive/host/measure/interactive_reading.h"
#include "bench/interactive/host/measure/think_wait.h"

static inline bool interactive_read(struct interactive *interactive, const struct run_bench *bench)
{
    struct interactive_reading reading;
    struct account_observer observers[3];
    struct accounting accounting;
    const size_t count = interactive_seat(&reading, bench, interactive, observers);
    const bool good = accounting_read(&accounting, bench, observers, count);

    interactive_end(&reading, &accounting, good);
    accounting_free(&accounting);
    return good;
}

static inline bool think_wait_read(struct think_wait *think_wait, const struct run_bench *bench,
                                   uint64_t perceptible)
{
    struct interactive interactive;
    struct interactive_reading reading;
    struct account_observer observers[4];
    struct accounting accounting;
    const size_t count = interactive_seat(&reading, bench, &interactive, observers);
    struct think_wait_reading *waits = think_wait_seat(bench, &observers[count]);
    const bool good = accounting_read(&accounting, bench, observers, count + 1);

    think_wait_end(waits, think_wait, &reading, &accounting, perceptible);
    interactive_end(&reading, &accounting, good);
    interactive_free(&interactive);
    accounting_free(&accounting);
    return good;
}

static inline bool actions_read(struct actions *actions, const struct interactive *interactive,
                                const struct run_bench *bench)
{
    struct disk_requests requests = {0};
    const struct account_observer observer = disk_requests_observer(&requests);
    struct accounting accounting;
    const bool good = accounting_read(&accounting, bench, &observer, 1);

    disk_requests_end(&requests, &accounting);
    actions_of(actions, interactive, bench, &requests);
    disk_requests_free(&requests);
    accounting_free(&accounting);
    return good;
}

static inline bool call_rule_read(struct call_rule *rule, const struct interactive *interactive,
                                  const struct run_bench *bench)
{
    struct call_marks marks = {.bench = bench};
    const struct account_observer observer = call_marks_observer(&marks);
    struct accounting accounting;
    const bool good = accounting_read(&accounting, bench, &observer, 1);

    call_rule_of(rule, interactive, &marks);
    free(marks.mark);
    accounting_free(&accounting);
    return good;
}
