/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log on the screen, as QR codes (kernel/link/screen_blocks.h), for machines whose results have
 * no other way out.
 */
#pragma once

#include "kernel/dev/acpi.h"

/* Shows the log as QR codes, over and over, until a key of the keyboard is pressed. Without a
 * keyboard controller this never ends. `stays`: the results stay on the screen afterwards. Call
 * after link_end(), if link_keep() was called. Returns NULL after a key, or the reason why the log
 * cannot be shown. */
const char *codes_show(const struct acpi_facts *acpi, bool stays);
/* Returns how many codes the log has; 0 if it was not shown. */
unsigned codes_shown(void);
