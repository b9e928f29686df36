/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting of events: turns a list of events into counters, and rows of counter values into counts
 * for each event.
 *
 * If there are more events than counters, a bench is run several times; each pass counts other
 * events. Events are never switched while a bench runs. Instructions, if requested, are counted in
 * every pass, because ratios are formed only within a pass.
 *
 * If there is no counter but the TSC counts instructions (clock/clock.h), `instructions` is derived
 * from it, with the source "icount". SMIs on Intel come from MSR 34h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/pmu/event.h"
#include "kernel/pmu/reader.h"

#define COUNTING_PASSES_MAX  EVENT_REQUESTS_MAX
#define COUNTING_COLUMNS_MAX (READER_COUNTERS_MAX + 2)
#define COUNTING_REASON_MAX  120

enum counting_source {
    SOURCE_PMU,
    SOURCE_ICOUNT,
    SOURCE_MSR34,
};

/* One event in one pass. */
struct counting_column {
    const struct event_request *request;
    enum counting_source source;
    uint8_t slot_count; /* for SOURCE_PMU: number of counters whose sum it is */
    uint8_t slot[EVENT_CODES_MAX];
};

struct counting_pass {
    size_t slot_count;
    struct {
        uint8_t counter; /* index of the counter in pmu_state()->counter */
        struct event_code code;
    } slot[READER_COUNTERS_MAX];
    bool smi; /* rows end with the SMI count of MSR 34h */
    size_t column_count;
    struct counting_column column[COUNTING_COLUMNS_MAX];
};

struct counting_absent {
    const struct event_request *request;
    char reason[COUNTING_REASON_MAX + 1];
};

struct counting {
    size_t request_count;
    struct event_request request[EVENT_REQUESTS_MAX];
    size_t pass_count; /* number of passes; 0: nothing can be counted */
    struct counting_pass pass[COUNTING_PASSES_MAX];
    size_t absent_count;
    struct counting_absent absent[EVENT_REQUESTS_MAX];
};

/* Only parses the list; NULL: empty. Returns false, and the cause in `error`, if it is malformed.
 */
bool counting_parse(struct counting *counting, const char *list, char error[EVENT_ERROR_MAX]);

/* Distributes the events over counters and passes, and tries each on the processor. Call after
 * pmu_init() and clock_init(), when nothing is being counted. */
void counting_resolve(struct counting *counting);

/* Sends a record for each event: which counter counts it, or why none can. */
void counting_report(const struct counting *counting);

/* From here to counting_end(), rows contain the counters of this pass, which count. NULL: none. */
void counting_begin(const struct counting_pass *pass);
void counting_end(void);

/* Returns the pass that is being counted, or NULL if nothing is counted. */
const struct counting_pass *counting_current(void);

/* Returns how often the event of a column occurred from one row to the next. */
int64_t counting_delta(const struct counting_column *column, const int64_t *from,
                       const int64_t *to);

/* Returns how many instructions reading one row of the current pass takes, call included, or 0 if
 * neither the TSC nor a counter of this pass can count them. Stops and restarts the counters. */
uint64_t counting_read_instructions(void);
