/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/image_choice.h"

#include <stdio.h>
#include <string.h>

#include "kernel/plan/names.h"
#include "kernel/plan/program.h"

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

/* Returns whether the key is one of threads on several processors, for any bench. */
static bool is_of_threads(const char *key)
{
    return strncmp(key, KEYS_TASKS, strlen(KEYS_TASKS)) == 0 || strcmp(key, KEY_IRQ_CPU) == 0;
}

/* Returns whether the plan has a model of several processors. */
static bool has_model_of_several(struct plan *plan)
{
    static struct program program; /* too large for firmware's stack */
    const char *text = plan_value(plan, KEY_MODEL_PROGRAM);
    char error[PROGRAM_ERROR_MAX];

    return text != NULL && program_read(&program, text, error) && program.processor_count > 1;
}

enum image_choice image_choice(struct plan *plan, const char *smp_benches,
                               char reason[IMAGE_REASON_MAX])
{
    const char *kernel = plan_value(plan, KEY_KERNEL);
    const bool one = kernel != NULL && strcmp(kernel, KERNEL_ONE) == 0;
    const bool smp = kernel != NULL && strcmp(kernel, KERNEL_SMP) == 0;
    const char *because = "";
    size_t length = 0;
    size_t size;

    if (!one && has_model_of_several(plan)) {
        because = KEY_MODEL_PROGRAM;
        length = strlen(because);
    }
    for (size_t i = 0; i < plan->count; i++) {
        if (is_of_threads(plan->settings[i].key)) {
            because = plan->settings[i].key;
            length = strlen(because);
        }
    }
    for (const char *item = plan_list_item(smp_benches, &size); item != NULL;
         item = plan_list_item(item + size, &size)) {
        if (names_bench(plan, item, size)) {
            because = item;
            length = size;
        }
    }
    if (smp || length == 0) {
        snprintf(reason, IMAGE_REASON_MAX, "%s%s", one || smp ? KEY_KERNEL "=" : "",
                 one || smp ? kernel : "");
        return smp ? IMAGE_SMP : one ? IMAGE_ONE : IMAGE_ANY;
    }
    snprintf(reason, IMAGE_REASON_MAX, "%s%.*s%s", strchr(because, '.') != NULL ? "" : "bench ",
             (int)length, because,
             one ? ": expected " KEY_KERNEL "=" KERNEL_SMP ", got " KEY_KERNEL "=" KERNEL_ONE
                   "; omit it"
                 : "");
    return one ? IMAGE_NONE : IMAGE_SMP;
}
