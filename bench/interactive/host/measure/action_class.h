/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The class of an action: that which the bench reports of its events, else that of the key or
 * button.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/interactive/host/measure/interactive.h"

/* A name that lives as long as the run. `chord`: ctrl or alt is held with it. */
const char *action_class(const struct run_bench *bench, const struct interactive_event *event,
                         bool chord);

/* Shift, ctrl or alt: pressed for another key. */
bool action_is_modifier(uint16_t code);
bool action_is_shift(uint16_t code);
