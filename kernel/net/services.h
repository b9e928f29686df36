/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a peer serves: RFC 862 echo (UDP and TCP, port 7), RFC 863 discard (TCP, port 9), RFC 864
 * chargen's place taken by a source whose bytes can be checked (TCP, port 19), and iperf 2's server
 * (TCP, port 5001; lwIP's lwiperf). ICMP echo is lwIP's.
 *
 * The source's byte at offset n of a connection, and what the discard service expects to be sent,
 * is services_byte(n): both ends check every byte of bulk transfers.
 *
 * Pure.
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
    uint64_t datagrams;   /* echoed */
    uint64_t connections; /* accepted, of all services */
    uint64_t echoed;      /* bytes, by TCP */
    uint64_t discarded;   /* bytes */
    uint64_t wrong;       /* of these, other than services_byte() */
    uint64_t sourced;     /* bytes */
};

/* The bytes that bulk transfers have: of offset `at` on. */
uint8_t services_byte(uint64_t at);
void services_fill(uint8_t *bytes, uint64_t at, size_t length);
/* Index of the first that is wrong; `length`: none is. */
size_t services_check(const uint8_t *bytes, uint64_t at, size_t length);

/* After stack_begin(): listens at all addresses of this stack. `window` bounds what a connection of
 * echo, discard or source is offered and sends unacknowledged, in bytes; 0: lwIP's largest. False:
 * no memory. */
bool services_begin(uint32_t window);
const struct services_counts *services_counts(void);

/* Called where the echo service has got a request, before it answers, and when it has answered:
 * for stamps. NULL: not. */
void services_on_echo(void (*begin)(void *argument), void (*end)(void *argument), void *argument);

struct tcp_pcb; /* lwIP's */
/* At most `window` bytes are offered to the other end: in the callback that reports that a
 * connection is there, before data come. 0: lwIP's largest. */
void services_bound_window(struct tcp_pcb *pcb, uint32_t window);
/* Closes a connection, with a bounded window too, whose callbacks are the caller's to take away
 * first. False: it was reset, as there was no memory; a callback of lwIP then returns ERR_ABRT. */
bool services_close(struct tcp_pcb *pcb);
