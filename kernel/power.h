/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaving the machine, by the firmware's runtime services. */
#pragma once

#include "kernel/base/handoff.h"

void power_init(reset_system_fn *reset_system);

/* "poweroff", "reboot" or "halt"; halts where firmware cannot do the first two. */
_Noreturn void power_leave(const char *how);
