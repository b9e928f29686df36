/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of an event, and the row and the table of a microarchitecture that it stands in. Texts
 * that only people read are compiled for the host alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EVENT_CODES_MAX 2

/* An event as the select register of its processor takes it. */
struct event_code {
    uint32_t select : 12; /* Intel 8 bits, AMD 12 bits; P5: CESR's ES, 6 bits, and 100h, which is
                             the bit of CC that counts clocks */
    uint32_t umask : 8;   /* 0 on P5 */
    uint32_t cmask : 8;
    bool edge : 1;
    bool invert : 1;
};

/* The paper's set, in this order everywhere. */
enum portable_event {
    EVENT_CYCLES,
    EVENT_REF_CYCLES,
    EVENT_INSTRUCTIONS,
    EVENT_LOADS,
    EVENT_STORES,
    EVENT_ITLB_MISSES,
    EVENT_DTLB_MISSES,
    EVENT_INTERRUPTS,
    EVENT_SEGMENT_LOADS,
    EVENT_MISALIGNED,
    EVENT_BRANCHES,
    EVENT_MISPREDICTS,
    EVENT_L1D_MISSES,
    EVENT_LLC_MISSES,
    EVENT_SMI,
    EVENT_COUNT,
};

struct event_row {
    uint8_t code_count; /* 0: absent; 2: the event is the sum of both, a counter each */
    uint8_t absent;     /* which reason, for event_row_absence() */
    /* General counters that can count it, bit i for number i; 0: all. On another it reads 0. */
    uint16_t counters;
    struct event_code code[EVENT_CODES_MAX];
#if __STDC_HOSTED__
    const char *manual; /* name of the event in the manual of the table; NULL where absent */
    const char *note; /* what to know before believing it: erratum, what it counts here; or NULL */
#endif
};

/* Why a row has no code; NULL where it has one. */
const char *event_row_absence(const struct event_row *row);

/* What a microarchitecture counts. */
struct event_table {
    const char *name; /* such as "skylake" */
#if __STDC_HOSTED__
    const char *manual; /* document and section */
#endif
    struct event_row row[EVENT_COUNT];
};
