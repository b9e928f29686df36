/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses plan key link.port, which selects the serial port of the line.
 *
 *     auto
 *     io:PORT[,clock=HZ]
 *     mmio:ADDRESS[,stride=1|2|4|8][,width=1|2|4][,clock=HZ]
 *
 * Numbers are decimal, or hexadecimal with 0x. stride: bytes from one register to the next, at
 * least the width. width: bytes per access. clock: input clock of the baud-rate divider. Without
 * clock, an io port is assumed to have the PC's clock, and an mmio port keeps its current rate.
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
    uint64_t clock_hz; /* 0 if not given */
};

/* Parses the value. Returns false if it is wrong; the setting is then automatic. */
bool port_setting_parse(const char *text, struct port_setting *setting);
