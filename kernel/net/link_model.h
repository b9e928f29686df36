/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timing model of the simulated link, for one direction of a cable. A frame starts when the one
 * before it has been sent. Sending takes as long as its bytes need, and the frame arrives
 * `packet_ns` after its last byte.
 *
 * On the cable a frame has LINK_MODEL_OVERHEAD more bytes (preamble 8, FCS 4, gap 12: IEEE 802.3
 * section 4.2.3), and is at least NIC_FRAME_MIN long without them.
 *
 * Times count in ns and ps from the opening of the link. Accesses no hardware.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LINK_MODEL_OVERHEAD          24
#define LINK_MODEL_PACKET_NS_DEFAULT 1000
#define LINK_MODEL_BYTE_PS_DEFAULT   8000 /* 1 Gbit/s */

struct link_model {
    uint64_t packet_ns; /* time for each frame: propagation */
    uint64_t byte_ps;   /* time for each byte on the cable */
    uint64_t loss_ppm;  /* frames lost of a million, drawn by `seed` (kernel/plan/draw.h) */
    uint64_t seed;
};

struct link_model_state {
    uint64_t free_ps; /* when the cable is free again, in ps since the opening */
    uint64_t drawn;   /* number of frames so far */
};

/* Sends the next frame of `bytes` bytes `now_ps` after the opening. Returns when it arrives, in ps
 * since the opening. Sets *arrives to false if it is lost; a lost frame takes its time all the
 * same. */
uint64_t link_model_due_ps(const struct link_model *model, struct link_model_state *state,
                           uint64_t now_ps, uint32_t bytes, bool *arrives);
/* Convert ticks to ps and back. Both round down, and calculate with 128 bits. */
uint64_t link_model_ps_from_ticks(uint64_t ticks, uint64_t hz);
uint64_t link_model_ticks_from_ps(uint64_t ps, uint64_t hz);
