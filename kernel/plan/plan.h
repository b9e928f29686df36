/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan (configuration): which benches to run, with which parameters. The grammar is the same
 * for all sources (QEMU's fw_cfg, tare.plan next to the image, the UEFI load options, the host's
 * command line).
 *
 *     plan    = { setting | comment }, separated by blanks or line ends
 *     setting = key "=" value        key [a-z0-9_.], value any characters but blanks and '#'
 *             | key "={" text "}"    the value is the text, with its blanks and line ends
 *     comment = "#" to the end of the line
 *
 * Braces in the text must be balanced. Braces in double quotes do not count (where \" and \\ stand
 * for a quote and a backslash), nor do those in a comment, from '#' to the end of the line. Quotes,
 * comments and braces stay in the value, whose own grammar interprets them:
 *
 *     input.script={type "}"; enter # done
 *     }
 *
 * The last brace must be followed by a blank, a line end or a comment.
 *
 * If a key is set twice, the later value applies. This file does not know which keys exist; the
 * registry does (kernel/run/runner.h). The text is UTF-8; a byte order mark before it is skipped.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_TEXT_MAX     4096
#define PLAN_SETTINGS_MAX 96
#define PLAN_ERROR_MAX    900 /* enough to list every bench */

struct plan_setting {
    const char *key;
    const char *value;
    bool used; /* a bench or the run has read it; keys that were never read are unknown */
};

struct plan {
    char text[PLAN_TEXT_MAX + 1]; /* keys and values, each ended by a NUL */
    size_t count;
    struct plan_setting settings[PLAN_SETTINGS_MAX];
};

/* Parses `length` characters. Returns false on bad input, with the line and the cause in
 * `error`. */
bool plan_parse(struct plan *plan, const char *text, size_t length, char error[PLAN_ERROR_MAX]);

/* Returns the value of a key, or NULL if it is not set; marks the key as used. */
const char *plan_value(struct plan *plan, const char *key);

/* Returns the first item of a list at or after `at` and sets its length, or returns NULL if there
 * is none. Items are separated by commas and blanks. To find the next item, continue at item +
 * length. */
const char *plan_list_item(const char *at, size_t *length);

/* Returns whether a list contains `name`. "all" contains every name. */
bool plan_list_holds(const char *list, const char *name);
