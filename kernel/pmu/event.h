/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that a counter can count, given by portable name or by raw code.
 *
 * The portable names are the set of Endo et al. (OSDI '96, section 2.2). A table for each
 * microarchitecture gives the code of each event, every row with the section of the manual that it
 * is from; a row without a code gives the reason. Processors without a table get the events that
 * all processors of their vendor are documented to have.
 *
 * Pure: compiled for the image and for the host. Texts for people only are compiled for the host
 * only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/event_code.h"

#define EVENT_NAME_MAX     47
#define EVENT_REQUESTS_MAX 32
#define EVENT_ERROR_MAX    400

/* Returns the portable name: "cycles", "ref-cycles" and so on. */
const char *event_name(enum portable_event event);
/* Returns false if there is no such portable name. */
bool event_by_name(const char *name, enum portable_event *event);

/* Returns the table for a processor, never NULL. An unknown Intel or AMD processor gets the
 * architectural events, any other a table in which every row is absent. Set `efficient_core` on the
 * small cores of hybrid processors (CPUID 1Ah EAX[31:24] = 20h): no table here describes them, so
 * they get the architectural events as well. */
const struct event_table *event_table_for(const struct cpu_identity *identity, bool efficient_core);

/* Returns one of all tables, for listings and tests. The index counts from 0; NULL after the last
 * table, which is the one for unknown processors. */
const struct event_table *event_table_at(size_t index);

/* Returns the table of that name, or NULL. */
const struct event_table *event_table_named(const char *name);

/* Returns the bit of CPUID 0Ah EBX that reports an architectural Intel event as not available (SDM
 * 3B, Table "Architectural Performance Events"): 0 to 6, or -1 for any other code. */
int event_architectural_bit(const struct event_code *code);

/* One entry of the plan's `events=` list. */
struct event_request {
    /* portable name, label, or the raw code as written in the plan */
    char name[EVENT_NAME_MAX + 1];
    bool raw; /* `code` is set; otherwise `event` */
    enum portable_event event;
    struct event_code code;
};

/* Parses the plan's list:
 *
 *     list  = entry { "," entry }
 *     entry = portable name | [ label "@" ] raw
 *     raw   = EVENT ":" UMASK { ":" "cmask=" N | ":" "edge" | ":" "inv" }   numbers decimal or 0x
 *     label = characters of [A-Za-z0-9_.+-], at most EVENT_NAME_MAX
 *
 * EVENT is at most FFFh, UMASK at most FFh, cmask from 1 to FFh; cmask, edge and inv may come in
 * any order, each once. Returns false on bad input, including a name that occurs twice; `error`
 * then gives the entry, the reason, and what is available. */
bool event_list_parse(const char *list, struct event_request requests[EVENT_REQUESTS_MAX],
                      size_t *count, char error[EVENT_ERROR_MAX]);

/* Writes a code in the form of a raw entry of a plan, such as "0xd0:0x81" or
 * "0x3c:0x00:cmask=1:edge". Returns `text`. */
#define EVENT_CODE_TEXT_MAX 40
const char *event_code_text(const struct event_code *code, char text[EVENT_CODE_TEXT_MAX]);
