/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/smi.h"

#include "kernel/cpu/port.h"
#include "kernel/pmu/pmu.h"

#define PORT_APM_CONTROL 0xb2
/* Not a command that firmware is known to define: those for ACPI and CPUs are above 80h. */
#define COMMAND_NONE 0

bool smi_provoke(void)
{
    if (!pmu_state()->has_smi_count || pmu_smi_count() == 0) {
        return false;
    }
    port_write8(PORT_APM_CONTROL, COMMAND_NONE);
    return true;
}
