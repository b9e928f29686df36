/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is KVM of use here? /dev/kvm may open and guests die all the same (nested virtualisation does
 * that), so the image is booted once, and the verdict is kept, for this QEMU on this processor and
 * kernel, with SMM and without, in $TARE_CACHE, else $XDG_CACHE_HOME/tare, else ~/.cache/tare.
 */
#pragma once

#include <stdbool.h>

#include "tools/base/progress.h"
#include "tools/qemu/qemu.h"

#define KVM_REASON_MAX 512

/* Tried are the program, firmware and image of `machine`; a failure is tried again when the image
 * is newer, or with `again`. If the answer is no, `reason` gives the reason, and of a verdict that
 * was kept where it is and how to try again. */
bool kvm_usable(const struct qemu_machine *machine, bool again, struct progress *progress,
                char reason[KVM_REASON_MAX]);
