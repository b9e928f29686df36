/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory devices as dmidecode prints them, back in the form in which firmware has them (DSP0134
 * section 7.18): collections hold the text. Only what the image reads of them is there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DMI_TEXT_BYTES 0x5e /* of a structure as of SMBIOS 3.3, and of the two NULs behind it */

struct dmi_text {
    uint8_t *structures; /* so many, of DMI_TEXT_BYTES each */
    size_t count, capacity;
    bool in_device; /* lines are a memory device's */
};

/* Takes the next line. False: it is none of a memory device. */
bool dmi_text_line(struct dmi_text *text, const char *line);
