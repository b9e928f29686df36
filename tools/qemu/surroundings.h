/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run cannot know of itself: the emulator that it ran in, and which image and firmware.
 * tools/store/README.md lists it.
 */
#pragma once

#include "tools/qemu/qemu.h"
#include "tools/wire/decoder.h"

/* Notes them for the run that the decoder will make. What cannot be read is left out. Returns
 * false if the emulator does not state its version. */
bool surroundings_note(struct decoder *decoder, const struct qemu_machine *machine);
