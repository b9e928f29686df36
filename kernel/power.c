/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/power.h"

#include <string.h>

#include "kernel/cpu/cpu.h"

static reset_system_fn *reset;

void power_init(reset_system_fn *reset_system)
{
    reset = reset_system;
}

_Noreturn void power_leave(const char *how)
{
    interrupts_disable();
    if (reset != NULL && strcmp(how, "poweroff") == 0) {
        reset(RESET_SHUTDOWN, 0, 0, NULL);
    }
    if (reset != NULL && strcmp(how, "reboot") == 0) {
        reset(RESET_COLD, 0, 0, NULL);
    }
    cpu_halt_forever();
}
