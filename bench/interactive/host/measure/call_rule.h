/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How wrong the paper's rule for the end of an event is (Endo et al. 1996, section 2.4): an event
 * ends at the next call for a message of the thread that took it. Where a trace has marks
 * MARK_NAME_EFFECT (bench/interactive/names.h), each shows when an input had its effect. The
 * error is the time of the call less that of the mark: above 0 the rule is late.
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
    int64_t *errors; /* ticks, in the order of their arrivals */
    int64_t *effects;
    size_t n, capacity;
    size_t effect_capacity;
    struct statistics error;
    struct statistics effect; /* from arrival to the mark: the true service */
};

struct call_rule {
    struct call_rule_row *rows; /* by phase and kind */
    size_t count, capacity;
};

/* Nothing where there is no such mark, or no event that ends by a call. `interactive` must outlive
 * it. False where the traces' bytes could not be read. call_rule_free() in any case. */
bool call_rule_read(struct call_rule *rule, const struct interactive *interactive,
                    const struct run_bench *bench);
void call_rule_free(struct call_rule *rule);
