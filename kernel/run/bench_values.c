/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a bench receives (parameters) and what it returns (states): the same in the image and on
 * Linux.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/run/bench_run.h"
#include "kernel/run/names.h"
#include "kernel/run/registry.h"

/* Returns a parameter; for a name that the bench does not declare, one that is an empty text. */
static const struct bench_param *find_param(const struct bench_run *run, const char *name)
{
    static const struct bench_param none = {"", "", "", PARAM_TEXT()};
    const struct bench_param *param = run->bench->params;

    while (param != NULL && param->name != NULL && strcmp(param->name, name) != 0) {
        param++;
    }
    return param != NULL && param->name != NULL ? param : &none;
}

static const char *param_text(const struct bench_run *run, const struct bench_param *param)
{
    const char *text = registry_planned(run->bench, param);

    return text != NULL ? text : param->default_text;
}

uint64_t bench_number(const struct bench_run *run, const char *name)
{
    const struct bench_param *param = find_param(run, name);

    return param_number(param, param_text(run, param));
}

const char *bench_text(const struct bench_run *run, const char *name)
{
    return param_text(run, find_param(run, name));
}

size_t bench_numbers(const struct bench_run *run, const char *name, uint64_t *numbers, size_t room)
{
    return param_numbers(bench_text(run, name), numbers, room);
}

uint32_t bench_words(const struct bench_run *run, const char *name)
{
    const struct bench_param *param = find_param(run, name);

    return param_words(param, param_text(run, param));
}

size_t bench_word(const struct bench_run *run, const char *name)
{
    return (size_t)__builtin_ctz(bench_words(run, name));
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
