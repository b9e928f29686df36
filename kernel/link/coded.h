/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coded frames: frames whose payload is made by one of the codecs (codec.h) and that carry a tag of
 * their run.
 *
 *     payload   u32 tag of the run, little endian; then a codec's payload
 *
 * If two boots write to one line or one log, their frames have the same numbers; the tag shows
 * which run each frame belongs to. It is a CRC-32C of the run's id, so two runs have the same tag
 * with probability 2^-32.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/link/frame.h"

#define CODED_TAG_BYTES 4

/* Returns whether frames of this type are coded. */
bool coded_type(uint8_t type);

/* Returns the tag of the run whose id is `run`; "" stands for a run without an id. */
uint32_t coded_tag(const char *run);
void coded_put_tag(uint8_t *payload, uint32_t tag);
/* Reads the tag of a coded frame into *tag. Returns false, with *tag 0, if there is none. */
bool coded_get_tag(const struct frame *frame, uint32_t *tag);

/* Continues the CRC of a batch, `crc` (0 at the start), with the CRC of its next series. Returns
 * the CRC of the batch so far. */
uint32_t coded_batch_crc(uint32_t crc, uint32_t series);
