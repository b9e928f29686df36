/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the instructions that ring 3 may not execute (SDM volume 3 section 5.9, APM volume 2
 * section 6.2), or not here: system calls and interrupts have no gate in the sandbox.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The name of the instruction that begins at `bytes`, prefixes passed over; NULL: it is none of
 * them, or incomplete. Reads at most `length` bytes. */
const char *refused_name(const uint8_t *bytes, size_t length);
