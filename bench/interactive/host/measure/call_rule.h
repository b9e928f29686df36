/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The error of the paper's rule for the end of an event (Endo et al. 1996, section 2.4): an event
 * ends at the next call for a message by the thread that took it. If a trace has marks
 * MARK_NAME_EFFECT (bench/interactive/names.h), each mark shows when an input had its effect. The
 * error is the time of the call minus the time of the mark; above 0, the rule is late.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/interactive.h"
#include "tools/stats/statistics.h"

/* Events of one kind in one phase. */
struct call_rule_row {
    const struct interactive_phase *phase; /* NULL: none */
    uint8_t kind;
    int64_t *errors; /* ticks, in the order of the events' effects */
    int64_t *effects;
    size_t n, capacity;
    size_t effect_capacity;
    struct statistics error;
    struct statistics effect; /* ticks from arrival to the mark: the true service time */
};

struct call_rule {
    struct call_rule_row *rows; /* ordered by phase and kind */
    size_t count, capacity;
};

struct call_marks {
    const struct run_bench *bench;
    struct call_mark {
        uint64_t tsc;
        uint64_t number; /* of the input */
    } * mark;
    size_t count, capacity;
};

/* Returns the observer that collects marks. All members of `marks` but `bench` must be zero. */
struct account_observer call_marks_observer(struct call_marks *marks);

/* Makes the errors. There are no rows without such marks, or if no event ends by a call.
 * `interactive` must outlive `rule`. */
void call_rule_of(struct call_rule *rule, const struct interactive *interactive,
                  const struct call_marks *marks);
void call_rule_free(struct call_rule *rule);
