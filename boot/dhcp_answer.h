/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the answer of a DHCPv4 server that named the image as boot file (RFC 2131 section 2,
 * options by RFC 2132), to find where files next to it are.
 *
 * Pure: compiled for the image and for the host. The bytes come from a network, so each is checked
 * before it is used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest folder: a name in option 67 has at most 255 characters. */
#define DHCP_FOLDER_MAX (255 + sizeof(""))

struct dhcp_answer {
    uint8_t server[4]; /* IPv4 address of the TFTP server */
    /* TFTP path of the boot file's folder, with the slash at its end; "" if it names none */
    char folder[DHCP_FOLDER_MAX];
};

/* Reads a packet of `length` bytes. Returns false if it is no DHCP answer, names no server or no
 * boot file, or its boot file starts with a protocol such as http://. A boot file field that holds
 * options (option 52) does not count as a name. */
bool dhcp_answer_read(const uint8_t *packet, size_t length, struct dhcp_answer *answer);
