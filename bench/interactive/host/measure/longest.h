/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The longest actions of a bench by name, each in all systems beside each other (Endo et al. 1996,
 * table 1). A system is a phase of the bench; a bench without phases is one system. The same action
 * of two systems is the one of the same class and the same number within that class.
 */
#pragma once

#include <stddef.h>

#include "bench/interactive/host/measure/actions.h"

struct longest_row {
    const char *class;
    size_t number;                /* within its class, from 1 on */
    size_t of;                    /* how many its class has, in the system that has most */
    int64_t length;               /* in the system that has it longest; INT64_MIN: not known */
    const struct action **action; /* of each system; NULL: it has none of that number */
};

struct longest {
    const char **systems; /* in the order in which they begin; NULL: without a name */
    size_t system_count;
    struct longest_row *rows; /* the longest first, by the system that has it longest */
    size_t count;
    const struct action **cells; /* of all rows */
};

/* At most `most` rows, by a measure; only those of which it is known in some system. `actions` must
 * outlive it. longest_free() in any case. */
void longest_init(struct longest *longest, const struct actions *actions, enum measure measure,
                  size_t most);
void longest_free(struct longest *longest);

/* Has any of its actions waited for a disk? */
bool longest_on_disk(const struct longest *longest);

/* What follows the point in "STRUCTURE.DRIVER": systems of one driver are compared; of a system
 * without a point "", and `structure` is all of it. */
#define LONGEST_SYSTEM_MAX 32
const char *longest_driver(const char *system, char structure[LONGEST_SYSTEM_MAX]);

/* "page_down 3", or the class alone where it has one action. */
#define LONGEST_NAME_MAX 48
const char *longest_name(const struct longest_row *row, char text[LONGEST_NAME_MAX]);

/* The share of an action's service for which requests were outstanding, 0 to 1; NAN: not known. */
double longest_disk_share(const struct action *action);
