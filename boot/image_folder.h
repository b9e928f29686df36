/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the device path by which a loader names the image to the image's folder on its volume
 * (UEFI 2.10 sections 10.2, 10.3.1 and 10.3.5.4). Loaders differ: one node or several, the whole
 * path or what follows the volume, either slash, with and without a first one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define IMAGE_FOLDER_MAX 256 /* UTF-16 code units, with the closing zero */

/* Writes the folder as \a\b\, the root as \, and returns its length in code units. Nodes of files
 * are joined by one backslash; nodes of other kinds are passed over; `.` and `..` are resolved, and
 * no folder is above the root. At most `size` bytes are read.
 *
 * 0, and an empty folder: no file is named (PXE), a node is shorter than its header or ends beyond
 * `size`, or the path takes more room than there is. */
size_t image_folder(const void *device_path, size_t size, uint16_t folder[IMAGE_FOLDER_MAX]);
