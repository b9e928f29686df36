/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves the event names of processors' manuals, as known to libpfm4, to codes that a plan
 * accepts, for this processor or any other.
 *
 * libpfm4 has PMUs ("skl", "amd64_fam19h_zen3") with events and their unit masks:
 * "skl::MEM_INST_RETIRED:ALL_LOADS". A point instead of the colon, as Intel writes it, is accepted
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

/* Starts libpfm4; need be called only once. Returns false with one line in `error` if it does not
 * start. */
bool event_names_open(char error[EVENT_NAMES_ERROR_MAX]);
void event_names_close(void);

/* A PMU of a processor core. */
struct event_pmu {
    const char *name;
    const char *description;
    size_t event_count;
    int first_event; /* libpfm4's index of the first event */
    bool intel;      /* event code 00h means a fixed counter */
};

/* Fills *pmu with the PMU at `index`, from 0 up. Returns false after the last. */
bool event_pmu_at(size_t index, struct event_pmu *pmu);

/* A processor that a user can name. */
struct event_cpu {
    const struct event_table *table;
    bool has_pmu; /* libpfm4 knows the processor */
    struct event_pmu pmu;
};

/* Fills *cpu with the processor that runs this program, and *identity with its identity. */
void event_cpu_host(struct event_cpu *cpu, struct cpu_identity *identity);
/* Finds a processor by the name of one of libpfm4's PMUs or of a table; upper and lower case are
 * equal. Returns false with one line in `error` if there is none by that name. */
bool event_cpu_find(const char *name, struct event_cpu *cpu, char error[EVENT_NAMES_ERROR_MAX]);

/* The result of resolving a name. */
struct event_resolution {
    char name[EVENT_NAME_LONG_MAX]; /* libpfm4's name, such as "MEM_INST_RETIRED:ALL_LOADS" */
    bool usable;
    struct event_code code;           /* if usable; without the interrupt on overflow */
    char why[EVENT_WHY_MAX];          /* if not usable: why no counter of a plan can count it */
    char entry[EVENT_PLAN_ENTRY_MAX]; /* if usable: the entry for a plan, a label and the code */
};

/* Resolves "EVENT", "EVENT:MASK" or "CPU::EVENT:MASK"; uses `cpu` if none is named. Returns false
 * if there is no such event, with one line in `error` that names the remedy. */
bool event_names_resolve(const struct event_cpu *cpu, const char *name,
                         struct event_resolution *resolution, char error[EVENT_NAMES_ERROR_MAX]);

/* An event of a PMU with one of its unit masks. */
struct event_listed {
    const char *event;
    const char *event_description;
    const char *same_as; /* the event for which this is another name, or NULL */
    const char *mask;    /* NULL: the event without a mask */
    const char *mask_description;
    struct event_resolution resolution;
};

/* Calls `visit` for all events and masks; the masks of an event follow one another. */
void event_names_each(const struct event_pmu *pmu,
                      void (*visit)(const struct event_listed *listed, void *context),
                      void *context);

/* Returns whether a name matches `pattern`, which is a part of the name or, if it contains *, ? or
 * [, matches all of it. Upper and lower case are equal. */
bool event_name_matches(const char *name, const char *pattern);

/* Copies a plan's list of events to `resolved` and replaces libpfm4's names by label@code; portable
 * names and raw codes stay as they are. A name may have its own label: label@NAME. Returns false
 * with one line in `error` that names the entry. */
bool event_names_resolve_list(const struct event_cpu *cpu, const char *list, char *resolved,
                              size_t size, char error[EVENT_NAMES_ERROR_MAX]);
