/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is KVM of use here? /dev/kvm may open and guests die all the same (nested virtualisation does
 * that), so each command that may use it boots the image once, with nothing to measure: about a
 * second.
 */
#pragma once

#include <stdbool.h>

#include "tools/base/progress.h"
#include "tools/qemu/qemu.h"

#define KVM_REASON_MAX 512

/* Tries the program, firmware and image of `machine`. Returns false with the reason if guests do
 * not run to their end. */
bool kvm_usable(const struct qemu_machine *machine, struct progress *progress,
                char reason[KVM_REASON_MAX]);
