/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of an event, and the tables of codes for each microarchitecture. Texts for people only
 * are compiled for the host only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EVENT_CODES_MAX 2

/* An event in the form of the processor's select register. */
struct event_code {
    /* 8 bits on Intel, 12 bits on AMD. P5: field ES of CESR, 6 bits, and 100h for the bit of field
     * CC that counts clocks */
    uint32_t select : 12;
    uint32_t umask : 8; /* 0 on P5 */
    uint32_t cmask : 8;
    bool edge : 1;
    bool invert : 1;
};

/* The portable events of Endo et al., in the order that is used everywhere. */
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
    /* 0: absent; 2: the event is the sum of both codes, with a counter for each */
    uint8_t code_count;
    uint8_t absent; /* index of the reason, for event_row_absence() */
    /* General counters that can count it, bit i for counter i; 0 means all. Other counters would
     * read 0. */
    uint16_t counters;
    struct event_code code[EVENT_CODES_MAX];
#if __STDC_HOSTED__
    const char *manual; /* name of the event in the table's manual; NULL if absent */
    /* what to know before relying on it, such as an erratum, or what it counts here; NULL if
     * nothing */
    const char *note;
#endif
};

/* Returns why a row has no code, or NULL if it has one. */
const char *event_row_absence(const struct event_row *row);

/* The codes of one microarchitecture. */
struct event_table {
    const char *name; /* such as "skylake" */
#if __STDC_HOSTED__
    const char *manual; /* document and section */
#endif
    struct event_row row[EVENT_COUNT];
};
