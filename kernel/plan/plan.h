/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan: what to run, with which parameters. One grammar wherever it comes from (QEMU's fw_cfg,
 * tare.plan beside the image, the UEFI load options, the host's command line).
 *
 *     plan    = { setting | comment }, separated by blanks or line ends
 *     setting = key "=" value        key [a-z0-9_.], value any characters but blanks and '#'
 *             | key "={" text "}"    the value is the text, with its blanks and line ends
 *     comment = "#" to the end of the line
 *
 * Braces in the text come in pairs, except those in double quotes (where \" and \\ are no quote
 * and no \) and behind a '#', up to the line's end. Quotes, comments and braces stay in the value,
 * for its own grammar: input.script={type "}"; enter # done
 * }. What follows the last brace is a blank, a line end, or a comment.
 *
 * A key that is set twice takes the later value. Which keys exist is known to the registry
 * (kernel/run/runner.h), not here. The text is UTF-8; a byte order mark before it is passed over.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_TEXT_MAX     4096
#define PLAN_SETTINGS_MAX 96
#define PLAN_ERROR_MAX    900 /* room to list every bench there is */

struct plan_setting {
    const char *key;
    const char *value;
    bool used; /* a bench or the run asked for it: any other key is unknown */
};

struct plan {
    char text[PLAN_TEXT_MAX + 1]; /* keys and values, cut by NULs */
    size_t count;
    struct plan_setting settings[PLAN_SETTINGS_MAX];
};

/* Parses `length` characters. False on bad input; `error` then names line and cause. */
bool plan_parse(struct plan *plan, const char *text, size_t length, char error[PLAN_ERROR_MAX]);

/* Value of a key, or NULL; marks it as used. */
const char *plan_value(struct plan *plan, const char *key);

/* Returns the first item of a list at or after `at`, with its length; NULL if there is none. Commas
 * and blanks separate items. The next one is looked for at item + length. */
const char *plan_list_item(const char *at, size_t *length);

/* Does a list hold `name`? "all" holds every name. */
bool plan_list_holds(const char *list, const char *name);
