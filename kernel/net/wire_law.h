/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The law of the modelled wire: one direction of a cable. A frame leaves when the one before it has
 * left; it is on its way out for as long as its bytes take, and arrives `packet_ns` later.
 *
 * On the wire a frame has WIRE_OVERHEAD bytes more (preamble 8, FCS 4, gap 12: IEEE 802.3 section
 * 4.2.3), and at least NIC_FRAME_MIN before that.
 *
 * Times are ns and ps from when the wire was opened; pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WIRE_OVERHEAD          24
#define WIRE_PACKET_NS_DEFAULT 1000
#define WIRE_BYTE_PS_DEFAULT   8000 /* 1 Gbit/s */

struct wire_law {
    uint64_t packet_ns; /* of each frame: propagation */
    uint64_t byte_ps;   /* of each byte on the wire */
    uint64_t loss_ppm;  /* frames lost of a million, drawn by `seed` (kernel/plan/draw.h) */
    uint64_t seed;
};

struct wire_state {
    uint64_t free_ps; /* the wire is free again, from when it was opened */
    uint64_t drawn;   /* frames so far */
};

/* The next frame of `bytes` is given to it `now_ps` after the opening: when it arrives, in ps from
 * the opening on. *arrives false: it is lost, and takes its time all the same. */
uint64_t wire_due_ps(const struct wire_law *law, struct wire_state *state, uint64_t now_ps,
                     uint32_t bytes, bool *arrives);
/* Ticks to ps and back, both rounded down, in 128 bits. */
uint64_t wire_ps_from_ticks(uint64_t ticks, uint64_t hz);
uint64_t wire_ticks_from_ps(uint64_t ps, uint64_t hz);
