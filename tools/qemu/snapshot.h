/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boots that resume from a snapshot of the machine, saved at the instruction at which the image is
 * about to look up its plan (boot/plan.c). Until then only firmware and the loading of the image
 * run, which no plan changes. In exact time the log is the same, byte for byte, as that of a full
 * boot.
 *
 * A snapshot is a folder of the cache, named by its key:
 *
 *     state    QEMU's migration stream, without the memory
 *     ram      the machine's memory; a resumed machine maps it privately, so that any number can
 *     serial   what firmware had sent over the line
 *     about    sizes, checksums and times of the others; or that QEMU could not save or resume it
 *
 * It is made under a lock, in a folder that is renamed once it is complete. The SNAPSHOTS_MAX
 * snapshots used last are kept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/progress.h"
#include "tools/base/sha256.h"
#include "tools/qemu/qemu.h"

#define SNAPSHOTS_MAX 8

/* Makes the folder for what is kept from run to run and writes its name: $TARE_CACHE, otherwise
 * $XDG_CACHE_HOME/tare, otherwise ~/.cache/tare. Returns false if it cannot be made. */
bool cache_folder(char path[QEMU_PATH_MAX]);

/* Returns whether the log of this machine is the same in both kinds of boot. This is verified for
 * exact time, one processor, an image started as an EFI program that supports the hold, a plugin,
 * network "hub", and nothing else attached. */
bool snapshot_suits(const struct qemu_machine *machine);

/* Writes the SHA-256 of everything on which a snapshot depends: QEMU's program (path, size and
 * times), firmware and image (contents), and the command line except for names of files and the
 * plugin, which does not change what the guest does. Returns false if a file cannot be read. */
bool snapshot_key(const struct qemu_machine *machine, const struct qemu_files *files,
                  char key[SHA256_TEXT]);

/* Starts `qemu` from the snapshot of a suitable machine, and makes the snapshot first if there is
 * none. `log`, an empty file, then begins with what firmware had sent. Returns false, with the log
 * empty and no QEMU running, if the machine must boot in full: another program is making a
 * snapshot, the cache cannot be written to, QEMU rejects the snapshot, or starting takes longer
 * than `timeout_ms` (0: two minutes). */
bool snapshot_start(struct qemu *qemu, const struct qemu_machine *machine,
                    const struct qemu_files *files, const char *log, uint64_t timeout_ms,
                    struct progress *progress);
