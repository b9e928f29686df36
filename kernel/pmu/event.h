/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events: what a counter may be set to count, by portable name or by raw code.
 *
 * The portable names are the set of Endo et al. (OSDI '96, section 2.2). What each is on a
 * processor stands in a table by microarchitecture, every row with the section of the manual it is
 * from; a row without a code gives the reason there is none. Processors that no table names get the
 * events that their architecture promises to all of a vendor's parts.
 *
 * Pure: compiled for the image and for the host. Texts that only people read are compiled for the
 * host alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/event_code.h"

#define EVENT_NAME_MAX     47
#define EVENT_REQUESTS_MAX 32
#define EVENT_ERROR_MAX    400

/* "cycles", "ref-cycles", ... */
const char *event_name(enum portable_event event);
/* False if it is no portable name. */
bool event_by_name(const char *name, enum portable_event *event);

/* The table for a processor. Never NULL: an unknown Intel or AMD part gets the architectural
 * events, anything else a table whose every row is absent. `efficient_core` is meant for hybrid
 * parts (CPUID 1Ah EAX[31:24] = 20h): no table here describes their small cores, so they get the
 * architectural events as well. */
const struct event_table *event_table_for(const struct cpu_identity *identity, bool efficient_core);

/* All tables, for listings and tests: from 0 up; NULL ends them. The last is the one for processors
 * of which nothing is known. */
const struct event_table *event_table_at(size_t index);

/* The one of that name; NULL: none is. */
const struct event_table *event_table_named(const char *name);

/* Bit of CPUID 0Ah EBX for "not available" for an architectural Intel event (SDM 3B, Table
 * "Architectural Performance Events"): 0 to 6, or -1 for any other code. */
int event_architectural_bit(const struct event_code *code);

/* One entry of the plan's `events=` list. */
struct event_request {
    char name[EVENT_NAME_MAX + 1]; /* portable name, label, or the raw code as it was written */
    bool raw;                      /* `code` was given */
    enum portable_event event;     /* if not raw */
    struct event_code code;        /* if raw */
};

/* Parses the plan's list:
 *
 *     list  = entry { "," entry }
 *     entry = portable name | [ label "@" ] raw
 *     raw   = EVENT ":" UMASK { ":" "cmask=" N | ":" "edge" | ":" "inv" }   numbers decimal or 0x
 *     label = characters of [A-Za-z0-9_.+-], at most EVENT_NAME_MAX
 *
 * False on bad input; `error` then names the entry, the cause and what there is. The same name
 * twice is an error. EVENT is at most FFFh, UMASK at most FFh, cmask from 1 to FFh; cmask, edge and
 * inv may come in any order, each once. */
bool event_list_parse(const char *list, struct event_request requests[EVENT_REQUESTS_MAX],
                      size_t *count, char error[EVENT_ERROR_MAX]);

/* A code as a plan's raw entry, such as "0xd0:0x81" or "0x3c:0x00:cmask=1:edge". Returns `text`. */
#define EVENT_CODE_TEXT_MAX 40
const char *event_code_text(const struct event_code *code, char text[EVENT_CODE_TEXT_MAX]);
