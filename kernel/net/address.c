/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses and prints IPv4 addresses of the plan, and checks whether they fit together (use.h). */
#include <stdio.h>
#include <string.h>

#include "kernel/net/use.h"

#define PARTS      4
#define PART_MAX   255
#define PREFIX_MIN 8
#define PREFIX_MAX 30 /* longest prefix with two hosts */

#define LOOPBACK  127
#define MULTICAST 224 /* first byte of multicast addresses and above: RFC 1112, RFC 1700 */

/* Reads a number of at most three digits. Returns the text after it, or NULL if there is none or it
 * is above `most`. */
static const char *read_part(const char *text, uint32_t most, uint32_t *value)
{
    const size_t digits = strspn(text, "0123456789");

    *value = 0;
    for (size_t i = 0; i < digits && digits <= 3; i++) {
        *value = *value * 10 + (uint32_t)(text[i] - '0');
    }
    return digits == 0 || digits > 3 || *value > most ? NULL : text + digits;
}

bool net_address_parse(const char *text, uint32_t *address, uint32_t *prefix)
{
    uint32_t result = 0;
    uint32_t part;

    for (int i = 0; i < PARTS; i++) {
        if (i > 0 && *text++ != '.') {
            return false;
        }
        text = read_part(text, PART_MAX, &part);
        if (text == NULL) {
            return false;
        }
        result = result << 8 | part;
    }
    if (*text == '/' && prefix != NULL) {
        text = read_part(text + 1, PREFIX_MAX, &part);
        if (text == NULL || part < PREFIX_MIN) {
            return false;
        }
        *prefix = part;
    }
    *address = result;
    return *text == '\0';
}

void net_address_text(uint32_t address, char text[NET_ADDRESS_TEXT])
{
    snprintf(text, NET_ADDRESS_TEXT, "%u.%u.%u.%u", address >> 24, address >> 16 & 0xff,
             address >> 8 & 0xff, address & 0xff);
}

/* ---- addresses of a plan ---- */

static uint32_t host_bits(uint32_t prefix)
{
    return UINT32_MAX >> prefix;
}

/* Returns true if a machine may have this address. */
static bool is_host(uint32_t address, uint32_t prefix)
{
    const uint32_t host = address & host_bits(prefix);

    return address >> 24 != 0 && address >> 24 != LOOPBACK && address >> 24 < MULTICAST &&
           host != 0 && host != host_bits(prefix);
}

static bool same_net(const struct net_settings *settings, uint32_t address)
{
    return (address | host_bits(settings->prefix)) ==
           (settings->address | host_bits(settings->prefix));
}

const char *net_addresses_wrong(const struct net_settings *settings)
{
    const uint32_t own = settings->address;
    const uint32_t prefix = settings->prefix;

    if (!is_host(own, prefix) || !is_host(own + 1, prefix)) {
        return "net.address and the address after it must be host addresses, such as 10.9.0.1/24";
    }
    if (settings->gateway != 0 &&
        (settings->gateway == own || !same_net(settings, settings->gateway) ||
         !is_host(settings->gateway, prefix))) {
        return "net.gateway must be another host of net.address's network";
    }
    if (settings->peer == 0) {
        return NULL;
    }
    if (settings->use == NULL) {
        return "net.peer needs net.use, the NIC that reaches it; bench=nics lists the NICs";
    }
    if (settings->peer == own ||
        (same_net(settings, settings->peer) ? !is_host(settings->peer, prefix)
                                            : !is_host(settings->peer, PREFIX_MIN))) {
        return "net.peer must be the address of another host than net.address";
    }
    return same_net(settings, settings->peer) || settings->gateway != 0
               ? NULL
               : "net.peer lies outside net.address's network: it needs net.gateway";
}
