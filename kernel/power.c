/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/power.h"

#include <string.h>

#include "kernel/borrow.h"
#include "kernel/cpu/cpu.h"

static reset_system_fn *reset;

void power_init(reset_system_fn *reset_system)
{
    reset = reset_system;
}

static void shut_down(void *argument)
{
    (void)argument;
    reset(RESET_SHUTDOWN, 0, 0, NULL);
}

static void restart(void *argument)
{
    (void)argument;
    reset(RESET_COLD, 0, 0, NULL);
}

_Noreturn void power_leave(const char *how)
{
    interrupts_disable();
    if (reset == NULL) {
        cpu_halt_forever();
    }
    if (strcmp(how, "poweroff") == 0) {
        borrow_let_firmware(shut_down, NULL);
    }
    if (strcmp(how, "reboot") == 0) {
        borrow_let_firmware(restart, NULL);
    }
    cpu_halt_forever();
}
