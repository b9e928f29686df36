/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lwIP's port, with port/lwipopts.h and port/arch/cc.h: memory, time, random numbers, timers,
 * routes. stack.h is for all others.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Forgets all connections and interfaces, and starts lwIP in `memory`. */
void port_begin(void *memory, size_t bytes, uint64_t (*now_ms)(void), uint32_t seed);
/* Forgets the memory too: until port_begin() there is none. */
void port_end(void);
/* Timers that are due. */
void port_poll(void);
/* Until the next is due. */
uint32_t port_sleep_ms(void);

/* As struct stack_counts has them. */
struct port_segments {
    uint64_t retransmitted;
    uint64_t data_first;
    uint64_t data_again;
};

/* Since port_begin(). */
const struct port_segments *port_segments(void);
uint64_t port_refused(void); /* blocks of memory that there was no room for */
