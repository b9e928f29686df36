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

#include "bench/interactive/host/measure/thresholds.h"

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

/* "response time", "service time", "latency by the idle loop". */
const char *measure_label(enum measure measure);

/* What the person at this terminal chose: for all views and figures of the program. */
struct measure_choice {
    enum measure measure; /* MEASURE_RESPONSE unless the user chose another */
    bool given;           /* the user chose it: metrics are of no other measure then */
    bool by_class;        /* each class of actions apart; else each phase alone */
    bool has_above;
    double above_ms;     /* only what takes longer is shown */
    bool has_thresholds; /* of responsiveness; else all are THRESHOLD_DEFAULT_MS */
    struct threshold_set thresholds;
};
void measure_choose(const struct measure_choice *choice);
const struct measure_choice *measure_choice(void);
enum measure measure_chosen(void);
