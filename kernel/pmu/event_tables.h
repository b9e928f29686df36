/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What event.c looks up. Private to kernel/pmu/event*.c.
 */
#pragma once

#include <stdint.h>

#include "kernel/pmu/event_code.h"

enum event_vendor {
    VENDOR_NONE,
    VENDOR_INTEL,
    VENDOR_AMD,
};

/* Models [first, last] of a family. */
struct event_models {
    const struct event_table *table;
    uint8_t vendor; /* of enum event_vendor */
    uint8_t family;
    uint8_t first, last;
};

/* The first that fits is the processor's; VENDOR_NONE ends them. */
extern const struct event_models event_models[];

/* Every table; NULL ends them. */
extern const struct event_table *const event_tables[];

extern const struct event_table event_table_architectural;
extern const struct event_table event_table_amd;
extern const struct event_table event_table_none;
