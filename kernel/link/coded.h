/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coded frames: what kernel/link makes of records, of samples and of packets of traces.
 *
 *     payload   u32 tag of the run, little endian; then a payload of kernel/link
 *
 * Two boots that write into one line, or into one log, have frames of the same numbers: the tag
 * states of which run each frame is. It is a CRC-32C of the run's id, so two runs have the same
 * with probability 2^-32.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/frame.h"

#define CODED_TAG_BYTES 4

/* Is a frame of this type coded? */
bool coded_type(uint8_t type);

/* The tag of the run of this id; "": the run has none. */
uint32_t coded_tag(const char *run);
void coded_put_tag(uint8_t *payload, uint32_t tag);
/* Of a coded frame. False: the payload is too short to be one. */
bool coded_get_tag(const struct frame *frame, uint32_t *tag);

/* The CRC of a batch, which is of the CRCs of its series, with that of one more. */
uint32_t coded_batch_crc(uint32_t crc, uint32_t series);
