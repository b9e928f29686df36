/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/network.h"

#include <stddef.h>
#include <string.h>

#define NIC_0 "e1000e,netdev=net0,romfile="
#define NIC_1 "e1000e,netdev=net1,romfile="

static const char *const hub[] = {
    "-netdev", "hubport,id=net0,hubid=0",
    "-netdev", "hubport,id=net1,hubid=0",
    "-device", NIC_0,
    "-device", NIC_1,
    NULL,
};

static const char cable[] = "dgram,id=net0,local.type=inet,local.host=127.0.0.1,local.port=7102,"
                            "remote.type=inet,remote.host=127.0.0.1,remote.port=7103";

static const char *const peer[] = {
    "-netdev", cable, "-device", NIC_0, NULL,
};

/* The guest reaches the host at 10.0.2.2. Not restrict=on, which drops the datagrams of link.udp:
 * the guest sends to addresses of its plan alone. */
static const char *const user[] = {
    "-netdev", "user,id=net0,ipv6=off", "-device", NIC_0, NULL,
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
