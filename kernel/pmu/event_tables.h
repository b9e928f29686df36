/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables in which event.c looks up codes. Private to kernel/pmu/event*.c.
 */
#pragma once

#include <stdint.h>

#include "kernel/pmu/event_code.h"

enum event_vendor {
    VENDOR_NONE,
    VENDOR_INTEL,
    VENDOR_AMD,
};

/* The table for models [first, last] of a family. */
struct event_models {
    const struct event_table *table;
    uint8_t vendor; /* one of enum event_vendor */
    uint8_t family;
    uint8_t first, last;
};

/* The first entry that matches a processor applies; an entry with VENDOR_NONE ends the list. */
extern const struct event_models event_models[];

/* All tables; NULL ends the list. */
extern const struct event_table *const event_tables[];

extern const struct event_table event_table_architectural;
extern const struct event_table event_table_amd;
extern const struct event_table event_table_none;
