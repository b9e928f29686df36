/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends the log by UDP to a host that captures it (`tare capture udp:PORT`): link.udp of the plan.
 * For machines that have no serial port and whose boot volume cannot be written.
 *
 * Datagrams hold the bytes of a serial line, at most UDP_LINE_BYTES each. As on a serial line, the
 * host requests lost frames again. The NIC of net.use is polled, and is open only while bytes are
 * sent and requests are answered: never while a bench runs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define UDP_LINE_BYTES   1400
#define UDP_LINE_PORT    10810 /* the image's own port */
#define UDP_LINE_PACE_US 100   /* from one datagram to the next: at most 14 MB/s */
#define UDP_LINE_WAIT_MS 10000 /* shortest wait for a host after the run */

/* Sets the host. `address` has its first byte in bits 31-24; 0: no log by UDP. */
void udp_line_use(uint32_t address, uint16_t port);
bool udp_line_is_used(void);

/* Sends what was added to the log since the last call (link_save()). */
void udp_line_save(void);
/* Answers the host's requests after the run, until it has been silent for `wait_ms`, at least
 * UDP_LINE_WAIT_MS. Returns false if there was no host. */
bool udp_line_serve(uint64_t wait_ms);
/* Returns why the log could not be sent, or NULL if no failure is known. */
const char *udp_line_failure(void);
