/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The services of a peer: RFC 862 echo (UDP and TCP, port 7), RFC 863 discard (TCP, port 9), a
 * source of bytes that can be checked in place of RFC 864 chargen (TCP, port 19), and the server of
 * iperf 2 (TCP, port 5001; lwIP's lwiperf). lwIP itself answers ICMP echo.
 *
 * The byte at offset n of a connection, both from the source and to the discard service, is
 * services_byte(n), so that both ends check every byte of bulk transfers.
 *
 * Accesses no hardware.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVICE_ECHO    7
#define SERVICE_DISCARD 9
#define SERVICE_SOURCE  19
#define SERVICE_IPERF   5001
#define SERVICE_NBD     10809

struct services_counts {
    uint64_t datagrams;   /* datagrams echoed */
    uint64_t connections; /* connections accepted by all services */
    uint64_t echoed;      /* bytes echoed by TCP */
    uint64_t discarded;   /* bytes */
    uint64_t wrong;       /* discarded bytes that differ from services_byte() */
    uint64_t sourced;     /* bytes */
};

/* Return or write the bytes of bulk transfers, from offset `at` on. */
uint8_t services_byte(uint64_t at);
void services_fill(uint8_t *bytes, uint64_t at, size_t length);
/* Returns the index of the first wrong byte, or `length` if all are right. */
size_t services_check(const uint8_t *bytes, uint64_t at, size_t length);

/* Starts the services at all addresses of the stack. Call after stack_begin(). `window` limits, in
 * bytes, the window that a connection of echo, discard or source offers, and the bytes that it
 * sends without acknowledgement; 0: lwIP's largest. Returns false if there is no memory. */
bool services_begin(uint32_t window);
const struct services_counts *services_counts(void);

/* Sets functions that the echo service calls when it has got a request, before it answers, and when
 * it has answered: for stamps. NULL: none. */
void services_on_echo(void (*begin)(void *argument), void (*end)(void *argument), void *argument);

struct tcp_pcb; /* lwIP's */
/* Limits the window that a connection offers to `window` bytes; 0: lwIP's largest. Call in the
 * callback for a new connection, before data arrive. */
void services_bound_window(struct tcp_pcb *pcb, uint32_t window);
/* Closes a connection, including one with a limited window. The caller removes its callbacks first.
 * Returns false if the connection was reset because memory was missing; a callback of lwIP must
 * then return ERR_ABRT. */
bool services_close(struct tcp_pcb *pcb);
