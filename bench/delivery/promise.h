/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The promises that a machine must keep when it delivers interrupts, and the judge that compares
 * what arrived in a trial with what had to arrive.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum promise {
    PROMISE_ONCE,
    PROMISE_MASKED,
    PROMISE_ORDER,
    PROMISE_STI,
    PROMISE_MOV_SS,
    PROMISE_WAKE,
    PROMISE_TPR,
    PROMISE_CR8,
    PROMISE_NESTED,
    PROMISE_NMI,
    PROMISE_SMI,
    PROMISE_SELF,
    PROMISE_CROSS,
    PROMISE_TIMER,
    PROMISE_PAST,
    PROMISE_TIMER_MASKED,
    PROMISE_X2APIC,
    PROMISES,
};

/* The names of all promises in the order of enum promise, as the words of a parameter. */
#define PROMISE_NAMES                                                                       \
    "once,masked,order,sti,mov_ss,wake,tpr,cr8,nested,nmi,smi,self,cross,timer,past,timer_" \
    "masked,x2apic"

struct promise_text {
    const char *name;
    const char *section; /* where it is made: SDM or APM, volume and section */
    const char *what;    /* what the machine promises, for a reader of the table */
};
const struct promise_text *promise_text(enum promise promise);

/* An arrival, as the entry of the vector recorded it. */
struct delivery_event {
    uint8_t vector;
    uint8_t step;     /* the trial's step in which it came */
    uint8_t depth;    /* number of handlers that it interrupted */
    bool enabled;     /* RFLAGS.IF of the interrupted code */
    bool in_service;  /* ISR bit of the vector; only if the trial reads registers */
    uint8_t priority; /* PPR; only if the trial reads registers */
    uint64_t rip;     /* instruction address to which the handler returns */
};

/* What one trial of a promise must bring. */
struct delivery_wanted {
    uint8_t vector, step, depth;
};

#define DELIVERY_WANTED_MAX 4
#define DELIVERY_EVENTS_MAX 16
#define VECTOR_NONMASKABLE  2 /* an NMI, which RFLAGS.IF does not hold back */

struct delivery_trial {
    enum promise promise;
    size_t wanted_count;
    struct delivery_wanted wanted[DELIVERY_WANTED_MAX]; /* in the order in which they must come */
    uint64_t shadow; /* address of the instruction in an interrupt shadow; 0: there is none */
    bool reads;      /* the entry read ISR and PPR */
    /* A register that the trial read, and what it had to be; both 0 if it read none. */
    const char *value_name;
    uint64_t value, value_wanted;
    size_t count; /* number of arrivals; those beyond DELIVERY_EVENTS_MAX are only counted */
    struct delivery_event events[DELIVERY_EVENTS_MAX];
};

/* How a trial broke a promise. */
enum breach_kind {
    BREACH_COUNT,      /* a vector came more or less often than `expected` */
    BREACH_DISABLED,   /* a vector came although RFLAGS.IF was 0 */
    BREACH_SHADOW,     /* a vector came in the interrupt shadow */
    BREACH_ORDER,      /* vector `got` came where `expected` had to */
    BREACH_EARLY,      /* a vector came in step `got`, not `expected` */
    BREACH_DEPTH,      /* a vector interrupted `got` handlers, not `expected` */
    BREACH_IN_SERVICE, /* the ISR bit of a vector was 0 in its handler */
    BREACH_PRIORITY,   /* PPR was `got` in the handler of a vector, not `expected` */
    BREACH_VALUE,      /* register `name` was `got`, not `expected` */
};

struct breach {
    enum promise promise; /* promise that was broken; not always that of the trial */
    enum breach_kind kind;
    uint8_t vector;
    uint64_t expected, got;
    const char *name;
};

/* Compares a trial with what it had to bring. Writes the breaches, at most one of each promise:
 * IF = 0 breaks `masked`, too many deliveries of a vector that had to come break `once`, and
 * everything else breaks the promise of the trial. Returns their number. */
#define BREACHES_MAX 3
size_t delivery_judge(const struct delivery_trial *trial, struct breach breaches[BREACHES_MAX]);

/* Returns whether every trial checks the promise, in addition to the trials of its own. */
bool promise_is_common(enum promise promise);

#define BREACH_TEXT_MAX 96
const char *breach_text(const struct breach *breach, char text[BREACH_TEXT_MAX]);
