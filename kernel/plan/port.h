/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan's link.port: which serial port is the line.
 *
 *     auto
 *     io:PORT[,clock=HZ]
 *     mmio:ADDRESS[,stride=1|2|4|8][,width=1|2|4][,clock=HZ]
 *
 * Numbers are decimal, or hexadecimal with 0x. stride: bytes from one register to the next, at
 * least the width; width: bytes of an access; clock: input of the baud-rate divider. Without clock
 * a port of the first kind has that of the PC, and one of the second keeps the rate it has.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct port_setting {
    bool automatic;
    bool io;
    uint8_t stride;
    uint8_t width;
    uint64_t base;
    uint64_t clock_hz; /* 0: not given */
};

/* False on a wrong value: the setting is then automatic. */
bool port_setting_parse(const char *text, struct port_setting *setting);
