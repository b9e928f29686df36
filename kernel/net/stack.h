/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TCP/IP stack: lwIP (https://savannah.nongnu.org/projects/lwip/, BSD) without an operating
 * system (NO_SYS). It is used by lwIP's raw API: users include lwIP's headers, and only one of them
 * may call it at a time. There is one stack, with its interfaces and the loop-back 127.0.0.1.
 *
 * Accesses no hardware: the image and the host's `tare peer` use the same code. IPv4 addresses have
 * their first byte in bits 31-24.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_INTERFACES 2
#define STACK_FRAME_MAX  1514

/* The device that sends an interface's frames. */
struct stack_link {
    uint8_t mac[6];
    /* Sends a frame in one piece, at least 60 bytes. Returns false if the frame is lost. Called
     * within calls of the stack. */
    bool (*send)(void *argument, const uint8_t *bytes, uint32_t length);
    void *argument;
};

struct stack_interface; /* stack.c */

/* Counts of lwIP since stack_begin(). */
struct stack_counts {
    uint64_t retransmitted; /* TCP segments that were sent again */
    /* Segments that were sent for the first time, and segments that were sent again. Only those
     * with more than 6 bytes of data count, because the frames of shorter segments have the minimum
     * length. */
    uint64_t data_first;
    uint64_t data_again;
    uint64_t dropped; /* dropped packets: malformed, or no memory for them */
    uint64_t no_memory;
};

/* Returns the bytes that a stack needs for buffers, connections and segments. */
size_t stack_bytes(void);

/* Starts a new stack in `memory` (zeroed, stack_bytes() long), with the clock `now_ms`. Connections
 * of the earlier stack are dropped. `seed` sets port numbers and initial sequence numbers. Returns
 * NULL on success, otherwise the reason. */
const char *stack_begin(void *memory, uint64_t (*now_ms)(void), uint32_t seed);
void stack_end(void);

/* Adds an interface. `gateway` 0: none. Packets leave by the interface that has their source
 * address (LWIP_HOOK_IP4_ROUTE_SRC), so that two interfaces of one stack can be at the two ends of
 * a cable. Returns NULL if there are too many. */
struct stack_interface *stack_add(const struct stack_link *link, uint32_t address, uint32_t prefix,
                                  uint32_t gateway);
/* Gives the stack a received frame. */
void stack_input(struct stack_interface *interface, const uint8_t *bytes, uint32_t length);
/* Runs the timers that are due, and delivers packets to the loop-back. */
void stack_poll(void);
/* Returns the ms until a timer is due, or UINT32_MAX if none is. */
uint32_t stack_sleep_ms(void);

void stack_get_counts(struct stack_counts *counts);

/* Returns a text for lwIP's err_t, as the end of a sentence: "connection reset". */
const char *stack_error_text(int error);
