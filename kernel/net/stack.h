/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP/IP: lwIP (https://savannah.nongnu.org/projects/lwip/, BSD), without an operating system
 * (NO_SYS), by its raw API: who uses it includes lwIP's headers, and calls it from one place at a
 * time. There is one stack; it has interfaces, and the loop-back 127.0.0.1.
 *
 * Pure: the image and the host's `tare peer` have the same. IPv4 addresses have their first byte in
 * bits 31-24.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_INTERFACES 2
#define STACK_FRAME_MAX  1514

/* Where an interface's frames go. */
struct stack_link {
    uint8_t mac[6];
    /* A frame in one piece, at least 60 bytes. False: it is lost. Within calls of the stack. */
    bool (*send)(void *argument, const uint8_t *bytes, uint32_t length);
    void *argument;
};

struct stack_interface; /* stack.c */

/* What lwIP counted since stack_begin(). */
struct stack_counts {
    uint64_t retransmitted; /* TCP segments that were sent again */
    /* Segments of more than 6 bytes of data, whose frames are longer than the shortest. */
    uint64_t data_first;
    uint64_t data_again;
    uint64_t dropped; /* what could not be taken, for want of memory or as malformed */
    uint64_t no_memory;
};

/* Bytes that a stack needs: buffers, connections, segments. */
size_t stack_bytes(void);

/* A new stack in `memory` (zeroed, stack_bytes()), whose clock is `now_ms`. What was connected in
 * the one before is dropped. `seed` of port numbers and initial sequence numbers. NULL, or why not.
 */
const char *stack_begin(void *memory, uint64_t (*now_ms)(void), uint32_t seed);
void stack_end(void);

/* NULL: there are too many. `gateway` 0: none. Packets leave by the interface that has their source
 * address (LWIP_HOOK_IP4_ROUTE_SRC), so that two interfaces of one stack can be on one wire. */
struct stack_interface *stack_add(const struct stack_link *link, uint32_t address, uint32_t prefix,
                                  uint32_t gateway);
/* A frame came in. */
void stack_input(struct stack_interface *interface, const uint8_t *bytes, uint32_t length);
/* Timers that are due, and what loops back. */
void stack_poll(void);
/* Until a timer is due; UINT32_MAX: none is. */
uint32_t stack_sleep_ms(void);

void stack_get_counts(struct stack_counts *counts);

/* lwIP's err_t as a sentence's end: "connection reset". */
const char *stack_error_text(int error);
