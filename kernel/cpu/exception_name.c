/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/exception_name.h"

#include <stddef.h>

const char *exception_name(uint64_t vector)
{
    static const char *const names[] = {
        [0] = "#DE divide error",
        [1] = "#DB debug",
        [2] = "NMI",
        [3] = "#BP breakpoint",
        [4] = "#OF overflow",
        [5] = "#BR bound range",
        [6] = "#UD invalid opcode",
        [7] = "#NM device not available",
        [8] = "#DF double fault",
        [10] = "#TS invalid TSS",
        [11] = "#NP segment absent",
        [12] = "#SS stack fault",
        [13] = "#GP general protection",
        [14] = "#PF page fault",
        [16] = "#MF x87 error",
        [17] = "#AC alignment check",
        [18] = "#MC machine check",
        [19] = "#XM SIMD error",
        [20] = "#VE virtualisation",
        [21] = "#CP control protection",
    };

    return vector < sizeof(names) / sizeof(names[0]) && names[vector] != NULL ? names[vector]
                                                                              : "reserved";
}
