/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that processors' manuals have for events, by libpfm4, for this processor or any other,
 * as codes that a plan takes.
 *
 * libpfm4 speaks of PMUs ("skl", "amd64_fam19h_zen3"), whose events have unit masks:
 * "skl::MEM_INST_RETIRED:ALL_LOADS". A point in place of the colon, as Intel writes it, is taken
 * as well.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/event.h"

#define EVENT_NAMES_ERROR_MAX 512
#define EVENT_NAME_LONG_MAX   256
#define EVENT_WHY_MAX         160
#define EVENT_PLAN_ENTRY_MAX  (EVENT_NAME_MAX + 1 + EVENT_CODE_TEXT_MAX)

/* Starts libpfm4; false with one line in `error`. Once is enough. */
bool event_names_open(char error[EVENT_NAMES_ERROR_MAX]);
void event_names_close(void);

/* A PMU of a processor core. */
struct event_pmu {
    const char *name;
    const char *description;
    size_t event_count;
    int first_event; /* libpfm4's */
    bool intel;      /* event 00h is no event there, but means a fixed counter */
};

/* From 0 up; false behind the last. */
bool event_pmu_at(size_t index, struct event_pmu *pmu);

/* A processor, as a user names one. */
struct event_cpu {
    const struct event_table *table;
    bool has_pmu; /* libpfm4 knows it */
    struct event_pmu pmu;
};

/* The processor that runs this program; its identity goes to `identity`. */
void event_cpu_host(struct event_cpu *cpu, struct cpu_identity *identity);
/* By the name of one of libpfm4's PMUs or of a table, in any case. False if it is neither, with one
 * line in `error`. */
bool event_cpu_find(const char *name, struct event_cpu *cpu, char error[EVENT_NAMES_ERROR_MAX]);

/* What a name comes to. */
struct event_resolution {
    char name[EVENT_NAME_LONG_MAX]; /* libpfm4's, such as "MEM_INST_RETIRED:ALL_LOADS" */
    bool usable;
    struct event_code code;           /* if usable; without the interrupt on overflow */
    char why[EVENT_WHY_MAX];          /* if not: why no counter of a plan can count it */
    char entry[EVENT_PLAN_ENTRY_MAX]; /* if usable: what to put in a plan, a label and the code */
};

/* Resolves "EVENT", "EVENT:MASK" or "CPU::EVENT:MASK", for `cpu` where none is named. False if
 * there is no such event, with one line in `error` that names the remedy. */
bool event_names_resolve(const struct event_cpu *cpu, const char *name,
                         struct event_resolution *resolution, char error[EVENT_NAMES_ERROR_MAX]);

/* An event of a PMU with one of its unit masks. */
struct event_listed {
    const char *event;
    const char *event_description;
    const char *same_as; /* the event that this is another name of, or NULL */
    const char *mask;    /* NULL: without one */
    const char *mask_description;
    struct event_resolution resolution;
};

/* Calls `visit` for all of them, those of an event one after the other. */
void event_names_each(const struct event_pmu *pmu,
                      void (*visit)(const struct event_listed *listed, void *context),
                      void *context);

/* Does a name match? `pattern` is a part of it or, with *, ? or [, all of it; in any case. */
bool event_name_matches(const char *name, const char *pattern);

/* A plan's list of events in which libpfm4's names stand for codes: to `resolved`, with portable
 * names and raw codes as they are and the others as label@code. A name may have its own label:
 * label@NAME. False with one line in `error`, which names the entry. */
bool event_names_resolve_list(const struct event_cpu *cpu, const char *list, char *resolved,
                              size_t size, char error[EVENT_NAMES_ERROR_MAX]);
