/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which NICs there are, which of them are used, and by which addresses: net.* of the plan.
 *
 * Where the plan names none (net.use), nothing is opened but the modelled wire.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/net/nic.h"
#include "kernel/net/wire_law.h"

/* IPv4 addresses here have their first byte in bits 31-24. */
#define NET_ADDRESS_DEFAULT 0x0a090001u /* 10.9.0.1; of the second NIC of a pair: the next one */
#define NET_PREFIX_DEFAULT  24
#define NET_ADDRESS_TEXT    16 /* bytes of "255.255.255.255" and its zero */

struct net_settings {
    const char *use;      /* net.use: NIC, or NIC,NIC of one hub; NULL: the modelled wire */
    uint32_t address;     /* net.address=A.B.C.D[/PREFIX]: of the first NIC */
    uint32_t prefix;      /* bits */
    uint32_t peer;        /* net.peer: of the other machine; 0: none */
    uint32_t gateway;     /* net.gateway; 0: none */
    struct wire_law wire; /* net.packet_ns, net.byte_ps, net.loss_ppm, net.seed */
    bool may_drive;       /* devices are ours: boot services are gone */
};

void net_use(const struct net_settings *settings);
const struct net_settings *net_settings(void);

/* How many NICs there are, the modelled wire's two ends included: found when this is first called.
 * Interrupts off, no session. */
size_t nics(void);
struct nic *nic_at(size_t index);
/* NULL: none has that name. */
struct nic *nic_by_name(const char *name);

/* The two ends that are in this machine: the two NICs of net.use; where it has one or none, wire0
 * and wire1, with the plan's law. NULL, or why there are none, with the cure. */
const char *net_pair(struct nic *pair[2]);
/* The first NIC of net.use. NULL, or why there is none. */
const char *net_first(struct nic **nic);
/* The NIC by which net.peer is reached: the first of net.use. NULL, or why there is none. */
const char *net_remote(struct nic **nic);

/* "10.9.0.1" or, where `prefix` is not NULL, "10.9.0.1/24"; false: it is none. Without one the
 * prefix is left as it is. Pure (address.c). */
bool net_address_parse(const char *text, uint32_t *address, uint32_t *prefix);
void net_address_text(uint32_t address, char text[NET_ADDRESS_TEXT]);
/* What is wrong with the addresses together, with the cure; NULL: nothing. Pure (address.c). */
const char *net_addresses_wrong(const struct net_settings *settings);
