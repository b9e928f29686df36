/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The port of lwIP, with port/lwipopts.h and port/arch/cc.h: memory, time, random numbers, timers
 * and routes. Only for stack.c; other users include stack.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Drops all connections and interfaces, and starts lwIP in `memory`. */
void port_begin(void *memory, size_t bytes, uint64_t (*now_ms)(void), uint32_t seed);
/* Drops the memory as well: there is none until port_begin(). */
void port_end(void);
/* Runs the timers that are due. */
void port_poll(void);
/* Returns the ms until the next timer is due. */
uint32_t port_sleep_ms(void);

/* Counts, as in struct stack_counts. */
struct port_segments {
    uint64_t retransmitted;
    uint64_t data_first;
    uint64_t data_again;
};

/* Returns the counts since port_begin(). */
const struct port_segments *port_segments(void);
uint64_t port_refused(void); /* number of blocks for which there was no memory */
