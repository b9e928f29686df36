/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats the date of firmware's clock (EFI_TIME, UEFI 2.10 section 8.3) as text.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>

#define DATE_TEXT_MAX 24
/* EFI_UNSPECIFIED_TIMEZONE: the clock keeps local time, and its time zone is unknown. */
#define DATE_ZONE_UNKNOWN 0x7ff

struct date {
    unsigned year, month, day, hour, minute, second;
};

/* Writes the date in ISO 8601 format. `zone` is the number of minutes by which UTC is ahead of the
 * clock; the text is then in UTC, such as 2026-01-31T23:59:59Z. If `zone` is DATE_ZONE_UNKNOWN or
 * more than a day, the text is the clock's own time, without the Z. Returns false, with an empty
 * text, if there is no such date. */
bool date_write(const struct date *clock, int zone, char text[DATE_TEXT_MAX]);
