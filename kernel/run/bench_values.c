/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a bench receives and what it returns: the same in the image and on Linux.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/plan/number.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/names.h"
#include "kernel/run/registry.h"

static const char *param_text(const struct bench_run *run, const char *name)
{
    for (const struct bench_param *p = run->bench->params; p != NULL && p->name != NULL; p++) {
        if (strcmp(p->name, name) == 0) {
            const char *text = registry_planned(run->bench, p);

            return text != NULL ? text : p->default_text;
        }
    }
    return "";
}

uint64_t bench_number(const struct bench_run *run, const char *name)
{
    uint64_t value = 0;

    parse_unsigned(param_text(run, name), &value);
    return value;
}

const char *bench_text(const struct bench_run *run, const char *name)
{
    return param_text(run, name);
}

const char *bench_state_name(enum bench_state state)
{
    static const char *const names[] = {
        [BENCH_OK] = STATE_OK,     [BENCH_SKIP] = STATE_SKIP,   [BENCH_ERROR] = STATE_ERROR,
        [BENCH_FAIL] = STATE_FAIL, [BENCH_CRASH] = STATE_CRASH,
    };

    return names[state];
}

enum bench_state bench_ok(struct bench_run *run)
{
    run->reason[0] = '\0';
    return BENCH_OK;
}

enum bench_state bench_skip(struct bench_run *run, const char *reason, ...)
{
    va_list arguments;

    va_start(arguments, reason);
    vsnprintf(run->reason, sizeof(run->reason), reason, arguments);
    va_end(arguments);
    return BENCH_SKIP;
}

enum bench_state bench_error(struct bench_run *run, const char *reason, ...)
{
    va_list arguments;

    va_start(arguments, reason);
    vsnprintf(run->reason, sizeof(run->reason), reason, arguments);
    va_end(arguments);
    return BENCH_ERROR;
}

enum bench_state bench_fail(struct bench_run *run, const char *reason, ...)
{
    va_list arguments;

    va_start(arguments, reason);
    vsnprintf(run->reason, sizeof(run->reason), reason, arguments);
    va_end(arguments);
    return BENCH_FAIL;
}
