/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/image_choice.h"

#include <stdio.h>
#include <string.h>

#include "kernel/plan/names.h"

/* Returns whether the plan selects the bench by its name, or sets a parameter of it. */
static bool names_bench(struct plan *plan, const char *name, size_t length)
{
    const char *list = plan_value(plan, KEY_BENCH);
    size_t size;

    for (const char *item = plan_list_item(list != NULL ? list : "", &size); item != NULL;
         item = plan_list_item(item + size, &size)) {
        if (size == length && strncmp(item, name, length) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < plan->count; i++) {
        const char *key = plan->settings[i].key;

        if (strncmp(key, name, length) == 0 && key[length] == '.') {
            return true;
        }
    }
    return false;
}

enum image_choice image_choice(struct plan *plan, const char *smp_benches,
                               char reason[IMAGE_REASON_MAX])
{
    const char *kernel = plan_value(plan, KEY_KERNEL);
    const bool one = kernel != NULL && strcmp(kernel, KERNEL_ONE) == 0;
    const bool smp = kernel != NULL && strcmp(kernel, KERNEL_SMP) == 0;
    size_t length;

    snprintf(reason, IMAGE_REASON_MAX, one || smp ? KEY_KERNEL "=%s" : "", kernel);
    for (const char *item = plan_list_item(smp ? "" : smp_benches, &length); item != NULL;
         item = plan_list_item(item + length, &length)) {
        if (names_bench(plan, item, length)) {
            snprintf(reason, IMAGE_REASON_MAX, "bench %.*s%s", (int)length, item,
                     one ? ": expected " KEY_KERNEL "=" KERNEL_SMP ", got " KEY_KERNEL
                           "=" KERNEL_ONE "; omit it"
                         : "");
            return one ? IMAGE_NONE : IMAGE_SMP;
        }
    }
    for (size_t i = 0; i < plan->count && !smp; i++) {
        const char *key = plan->settings[i].key;

        if (strncmp(key, KEYS_TASKS, strlen(KEYS_TASKS)) == 0 || strcmp(key, KEY_IRQ_CPU) == 0) {
            snprintf(reason, IMAGE_REASON_MAX, "%s%s", key,
                     one ? ": expected " KEY_KERNEL "=" KERNEL_SMP ", got " KEY_KERNEL
                           "=" KERNEL_ONE "; omit it"
                         : "");
            return one ? IMAGE_NONE : IMAGE_SMP;
        }
    }
    return smp ? IMAGE_SMP : one ? IMAGE_ONE : IMAGE_ANY;
}
