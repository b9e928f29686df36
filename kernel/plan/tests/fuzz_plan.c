/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as a plan. What was read, written down again, reads the same. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernel/plan/number.h"
#include "kernel/plan/plan.h"
#include "kernel/plan/profiles.h"
#include "kernel/plan/text_mark.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In braces where the value could not stand without; returns the length. */
static size_t write_setting(const struct plan_setting *setting, char *out)
{
    const char *value = setting->value;
    const int braced = *value == '\0' || *value == '{' || strpbrk(value, " \t\r\n#") != NULL;

    return (size_t)sprintf(out, braced ? "%s={%s}\n" : "%s=%s\n", setting->key, value);
}

static void check_again(const struct plan *plan)
{
    static struct plan again;
    static char text[2 * PLAN_TEXT_MAX];
    char error[PLAN_ERROR_MAX];
    size_t length = 0;

    for (size_t i = 0; i < plan->count; i++) {
        length += write_setting(&plan->settings[i], text + length);
    }
    demand(length <= PLAN_TEXT_MAX + 1); /* a line end more than there was, at most */
    if (length > PLAN_TEXT_MAX) {
        return;
    }
    demand(plan_parse(&again, text, length, error) && again.count == plan->count);
    for (size_t i = 0; i < plan->count; i++) {
        demand(strcmp(again.settings[i].key, plan->settings[i].key) == 0 &&
               strcmp(again.settings[i].value, plan->settings[i].value) == 0);
    }
}

/* As strtoull() has it, which takes signs and blanks and octal numbers besides. */
static void check_number(const char *text)
{
    const int base = strncasecmp(text, "0x", 2) == 0 ? 16 : 10;
    uint64_t value;
    char *end;

    if (parse_unsigned(text, &value)) {
        errno = 0;
        demand(strtoull(text, &end, base) == value && errno == 0 && *end == '\0');
    }
}

/* A profile goes before the plan once, and leaves what is read a plan or too long. */
static void check_profile(const uint8_t *data, size_t size)
{
    static char text[PLAN_TEXT_MAX];
    static struct plan plan;
    char error[PLAN_ERROR_MAX] = "";

    memcpy(text, data, size);
    const size_t length = profile_expand(text, size);

    demand(length >= size - MARK_UTF_8_LENGTH * (length > size));
    demand(length > PLAN_TEXT_MAX ||
           (profile_expand(text, length) == length && plan_parse(&plan, text, length, error)) ||
           strstr(error, "settings") != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct plan plan;
    char error[PLAN_ERROR_MAX];

    if (!plan_parse(&plan, (const char *)data, size, error)) {
        demand(memchr(error, '\0', sizeof(error)) != NULL);
        return 0;
    }
    for (size_t i = 0; i < plan.count; i++) {
        plan_list_holds(plan.settings[i].value, "idle");
        check_number(plan.settings[i].value);
    }
    check_again(&plan);
    plan_value(&plan, "bench");
    check_profile(data, size);
    return 0;
}
