/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which latency of an event or action is shown: `--measure idle|service|response`.
 *
 *     idle      by how much the idle loop's samples were elongated (Endo et al. 1996, section 2.5);
 *               not known of events that share samples with others
 *     service   from arrival to effect
 *     response  from the moment when it was to come to its effect
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum measure {
    MEASURE_IDLE,
    MEASURE_SERVICE,
    MEASURE_RESPONSE,
    MEASURES,
};

/* "idle", "service", "response"; of others NULL. */
const char *measure_name(unsigned measure);
/* False: no measure has that name. */
bool measure_by_name(const char *name, enum measure *measure);

/* What the person at this terminal chose: for all views and figures of the program. By default
 * MEASURE_RESPONSE. */
void measure_choose(enum measure measure);
enum measure measure_chosen(void);
