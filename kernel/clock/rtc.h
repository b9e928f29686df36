/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The real-time clock that every PC has (MC146818A data sheet; ports 70h and 71h, interrupt 8 of
 * the ISA bus). It is used for its alarm: one interrupt, at a second within the next minute. The
 * time of day is only read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RTC_IRQ     8
#define RTC_SECONDS 60

/* Returns false if the clock does not answer, its divider does not run, or firmware has set an
 * alarm for a day, which would keep ours from coming. The clock may still be stopped: a second is
 * too long to find out. */
bool rtc_open(void);

/* Returns the second, 0 to 59; may be the previous one if the clock changes during the read. */
uint64_t rtc_second(void);

#define RTC_DATE_MAX 24
/* Writes the time of day as ISO 8601 without a time zone, "2024-01-31T23:59:59". Returns false, and
 * writes "", if the registers do not hold a date, count twelve hours, or change at each read. */
bool rtc_date(char text[RTC_DATE_MAX]);

/* Makes the clock interrupt periodically, at the rate that firmware has set, until
 * rtc_alarm_stop(). Returns false, and changes nothing, if firmware has set no rate, or one with a
 * period of more than 16 ms. */
bool rtc_ticks_begin(void);
/* Returns whether the clock has ticked since the beginning or since the last call. */
bool rtc_ticked(void);

/* Sets the alarm to when the seconds next are `second`. This must not be the very next second,
 * which may begin while the alarm is written. Keeps firmware's settings for rtc_alarm_stop(). */
void rtc_alarm_set(uint64_t second);
/* Returns whether the alarm has come since it was set or since the last call. */
bool rtc_alarm_came(void);
/* Restores firmware's settings. */
void rtc_alarm_stop(void);
