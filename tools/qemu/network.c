/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/network.h"

#include <stddef.h>
#include <string.h>

#define NIC(number) "e1000e,netdev=net" number ",romfile="

static const char *const hub[] = {
    "-netdev", "hubport,id=net0,hubid=0",
    "-netdev", "hubport,id=net1,hubid=0",
    "-device", NIC("0"),
    "-device", NIC("1"),
    NULL,
};

static const char *const peer[] = {
    "-netdev",
    "dgram,id=net0,local.type=inet,local.host=127.0.0.1,local.port=7102,"
    "remote.type=inet,remote.host=127.0.0.1,remote.port=7103",
    "-device",
    NIC("0"),
    NULL,
};

/* The guest reaches the host at 10.0.2.2, and nothing beyond. */
static const char *const user[] = {
    "-netdev", "user,id=net0,ipv6=off", "-device", NIC("0"), NULL,
};

static const struct qemu_network networks[] = {
    {"hub", hub, "net.use=eth0,eth1\n"},
    {"peer", peer, "net.use=eth0\nnet.peer=10.9.0.2\n"},
    {"user", user, "net.use=eth0\nnet.address=10.0.2.15/24\nnet.peer=10.0.2.2\n"},
};

const struct qemu_network *qemu_network_find(const char *name)
{
    for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
        if (strcmp(networks[i].name, name) == 0) {
            return &networks[i];
        }
    }
    return NULL;
}
