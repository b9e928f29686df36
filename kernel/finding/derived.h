/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of what only the host derives from a whole run, for rules: struct finding_source's
 * `derived` and `derived_text`. The image knows none of them.
 */
#pragma once

#define DERIVED_VALID       "valid"       /* run_valid(): 1 or 0 */
#define DERIVED_INVALID_WHY "invalid_why" /* a text: its gravest reason */
