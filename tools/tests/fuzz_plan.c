/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as a plan. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct plan plan;
    char error[PLAN_ERROR_MAX];

    if (plan_parse(&plan, (const char *)data, size, error)) {
        for (size_t i = 0; i < plan.count; i++) {
            plan_list_holds(plan.settings[i].value, "idle");
        }
        plan_value(&plan, "bench");
    } else if (memchr(error, '\0', sizeof(error)) == NULL) {
        __builtin_trap();
    }
    return 0;
}
