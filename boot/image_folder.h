/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derives the image's folder on its volume from the device path by which the loader names the image
 * (UEFI 2.10 sections 10.2, 10.3.1 and 10.3.5.4). Loaders differ: they use one node or several, the
 * whole path or only the part after the volume, either kind of slash, with or without a leading
 * one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define IMAGE_FOLDER_MAX 256 /* UTF-16 code units, including the closing zero */

/* Writes the folder as \a\b\ (the root as \) and returns its length in code units. File nodes are
 * joined by one backslash; nodes of other kinds are skipped; `.` and `..` are resolved, and `..` in
 * the root stays there. Reads at most `size` bytes.
 *
 * Returns 0, with an empty folder, if no file is named (PXE), a node is shorter than its header or
 * ends beyond `size`, or the path is longer than IMAGE_FOLDER_MAX. */
size_t image_folder(const void *device_path, size_t size, uint16_t folder[IMAGE_FOLDER_MAX]);
