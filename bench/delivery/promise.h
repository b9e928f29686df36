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
#define PROMISE_NAMES                                                                 \
    "once,masked,order,sti,mov_ss,wake,tpr,cr8,nested,nmi,smi,self,cross,timer,past," \
    "timer_masked,x2apic"
struct promise_text {
    const char *name;
    const char *section; /* where it is made: volume and section of the SDM */
};
extern const struct promise_text promise_texts[PROMISES];

#define DELIVERY_WANTED_MAX 3
#define DELIVERY_EVENTS_MAX 16
#define VECTOR_NONMASKABLE  2 /* an NMI, which RFLAGS.IF does not hold back */

/* An arrival that a trial must bring. */
struct delivery_wanted {
    uint8_t vector; /* 0: none */
    uint8_t step;   /* the trial's step in which it comes */
    uint8_t depth;  /* number of handlers that it interrupts */
};

/* An arrival, as the entry of the vector recorded it. */
struct delivery_event {
    struct delivery_wanted came;
    bool enabled;     /* RFLAGS.IF of the interrupted code */
    bool in_service;  /* ISR bit of the vector; only if the trial reads registers */
    uint8_t priority; /* PPR; only if the trial reads registers */
    uint64_t rip;     /* instruction address to which the handler returns */
};

struct delivery_trial {
    enum promise promise;
    struct delivery_wanted wanted[DELIVERY_WANTED_MAX]; /* in the order in which they must come */
    uint64_t shadow; /* address of the instruction in an interrupt shadow; 0: there is none */
    bool reads;      /* the entry read ISR and PPR */
    /* A value that the trial read, such as "in CR8", and what it had to be. */
    const char *value_name;
    uint64_t value, value_wanted;
    size_t count; /* number of arrivals; those beyond DELIVERY_EVENTS_MAX are only counted */
    struct delivery_event events[DELIVERY_EVENTS_MAX];
};

/* A promise that a trial broke: a vector expected some number of `what`, and got another. */
struct breach {
    enum promise promise;
    uint8_t vector;
    const char *what;
    uint64_t expected, got;
};

/* Writes the breaches of a trial, at most one of each promise: IF = 0 breaks `masked`, too many
 * deliveries of a wanted vector break `once`, all else breaks the trial's promise. Returns how many
 * there are. Every trial checks `once` and `masked`. */
#define BREACHES_MAX 3
size_t delivery_judge(const struct delivery_trial *trial, struct breach breaches[BREACHES_MAX]);

/* Returns the number of arrivals that the trial must bring. */
size_t delivery_wanted(const struct delivery_trial *trial);

#define BREACH_TEXT_MAX 96
const char *breach_text(const struct breach *breach, char text[BREACH_TEXT_MAX]);
