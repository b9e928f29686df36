/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log by UDP, to a host that captures it (`tare capture udp:PORT`): link.udp of the plan. For
 * machines without a serial port whose boot volume cannot be written.
 *
 * Datagrams hold the bytes of a serial line, at most UDP_LINE_BYTES each. What is lost is asked for
 * again, as on the line. The NIC of net.use is open only while bytes are sent and requests are
 * answered, by polling: never while a bench runs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define UDP_LINE_BYTES   1400
#define UDP_LINE_PORT    10810 /* ours */
#define UDP_LINE_PACE_US 100   /* from one datagram to the next: 14 MB/s at most */
#define UDP_LINE_WAIT_MS 10000 /* for a host behind the run, at least */

/* `address` has its first byte in bits 31-24; 0: no log by UDP. */
void udp_line_use(uint32_t address, uint16_t port);
bool udp_line_is_used(void);

/* Sends what has been added to the log since the last call (link_save()). */
void udp_line_save(void);
/* Behind the run: answers requests. False: there was no host. */
bool udp_line_serve(uint64_t wait_ms);
/* Why the log could not leave; NULL: it left, as far as is known. */
const char *udp_line_failure(void);
