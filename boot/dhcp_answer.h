/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answer of a DHCPv4 server that named the image as boot file (RFC 2131 section 2, options by
 * RFC 2132): where the plan beside that file would be.
 *
 * Pure: compiled for the image and for the host. The bytes come from a network: nothing of them is
 * taken for granted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name in option 67 has at most 255 characters. */
#define DHCP_PLAN_MAX (255 + sizeof("tare.plan"))

struct dhcp_answer {
    uint8_t server[4];        /* IPv4 address of the TFTP server */
    char plan[DHCP_PLAN_MAX]; /* tare.plan in the folder of the boot file, as TFTP asks for it */
};

/* False if the packet of `length` bytes is no answer, or names no server, no boot file or one with
 * a protocol in front, as of HTTP. A boot file field that holds options (option 52) is no name. */
bool dhcp_answer_read(const uint8_t *packet, size_t length, struct dhcp_answer *answer);
