#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Relays datagrams between the sender to port FROM of 127.0.0.1 and port TO there, and drops some.

    udp_relay.py FROM TO PERMILLE SEED

A stranger's datagram without a frame reaches TO before the first one that is relayed.
Prints, when it is ended by SIGTERM, how many it relayed and dropped."""

import random
import select
import signal
import socket
import sys

come_from, go_to, permille, seed = (int(word) for word in sys.argv[1:5])
draw = random.Random(seed)
machine_side = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
machine_side.bind(("127.0.0.1", come_from))
host_side = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
host_side.connect(("127.0.0.1", go_to))
for end in (machine_side, host_side):
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
counts = {"relayed": 0, "dropped": 0}
machine = None


def finish(*_):
    print(f"relayed {counts['relayed']} dropped {counts['dropped']}", flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, finish)
while True:
    for end in select.select([machine_side, host_side], [], [])[0]:
        try:
            datagram, sender = end.recvfrom(65536)
        except ConnectionRefusedError:
            continue
        if draw.randrange(1000) < permille:
            counts["dropped"] += 1
            continue
        counts["relayed"] += 1
        try:
            if end is machine_side:
                if machine is None:
                    stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    stranger.sendto(b"\0a stranger\0", ("127.0.0.1", go_to))
                machine = sender
                host_side.send(datagram)
            elif machine is not None:
                machine_side.sendto(datagram, machine)
        except ConnectionRefusedError:
            pass
