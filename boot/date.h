/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The date of firmware's clock (EFI_TIME, UEFI 2.10 section 8.3) as text.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>

#define DATE_TEXT_MAX 24
/* EFI_UNSPECIFIED_TIMEZONE: the clock keeps some local time, and does not name it. */
#define DATE_ZONE_UNKNOWN 0x7ff

struct date {
    unsigned year, month, day, hour, minute, second;
};

/* ISO 8601: as 2026-01-31T23:59:59Z in UTC, where `zone` is the number of minutes that UTC is ahead
 * of the clock; without the Z as the clock has it, where it is DATE_ZONE_UNKNOWN or more than a
 * day. False, and the text is empty: there is no such date. */
bool date_write(const struct date *clock, int zone, char text[DATE_TEXT_MAX]);
