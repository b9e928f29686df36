/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the NICs, and decides which of them are used and by which addresses: net.* of the plan.
 *
 * If the plan names no NIC (net.use), only the simulated link is opened.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/net/link_model.h"
#include "kernel/net/nic.h"

/* IPv4 addresses in this file have their first byte in bits 31-24. */
#define NET_ADDRESS_DEFAULT 0x0a090001u /* 10.9.0.1; the second NIC of a pair: the next one */
#define NET_PREFIX_DEFAULT  24
#define NET_ADDRESS_TEXT    16 /* bytes of "255.255.255.255" and its terminating zero */

struct net_settings {
    const char *use;        /* net.use: NIC, or NIC,NIC of one hub; NULL: the simulated link */
    uint32_t address;       /* net.address=A.B.C.D[/PREFIX]: address of the first NIC */
    uint32_t prefix;        /* length of the network prefix in bits */
    uint32_t peer;          /* net.peer: address of the other machine; 0: none */
    uint32_t gateway;       /* net.gateway; 0: none */
    struct link_model link; /* net.packet_ns, net.byte_ps, net.loss_ppm, net.seed */
    bool may_drive;         /* devices may be driven, because boot services have ended */
};

void net_use(const struct net_settings *settings);
const struct net_settings *net_settings(void);

/* Finds the NICs when it is first called. Returns their number, including the two ends of the
 * simulated link. Call with interrupts off, outside sessions. */
size_t nics(void);
struct nic *nic_at(size_t index);
/* Returns the NIC of that name, or NULL if there is none. */
struct nic *nic_by_name(const char *name);

/* Gets the two ends in this machine: the two NICs of net.use, or wire0 and wire1 with the plan's
 * timing model if net.use names fewer than two. Returns NULL on success, otherwise the reason and
 * the cure. */
const char *net_pair(struct nic *pair[2]);
/* Gets the first NIC of net.use. Returns NULL on success, otherwise why there is none. */
const char *net_first(struct nic **nic);
/* Gets the NIC that reaches net.peer: the first of net.use. Returns NULL on success, otherwise why
 * there is none. */
const char *net_remote(struct nic **nic);

/* Parses "10.9.0.1" or, if `prefix` is not NULL, "10.9.0.1/24". Without a prefix in the text
 * *prefix stays as it is. Returns false if the text is not an address. Accesses no hardware
 * (address.c). */
bool net_address_parse(const char *text, uint32_t *address, uint32_t *prefix);
void net_address_text(uint32_t address, char text[NET_ADDRESS_TEXT]);
/* Checks whether the addresses fit together. Returns NULL if they do, otherwise what is wrong and
 * the cure. Accesses no hardware (address.c). */
const char *net_addresses_wrong(const struct net_settings *settings);
