/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The real-time clock that every PC has had (MC146818A data sheet; ports 70h and 71h, interrupt 8
 * of the ISA bus), for its alarm: one interrupt, at a second within the minute to come. The time of
 * day is only read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RTC_IRQ     8
#define RTC_SECONDS 60

/* False if it does not answer, its divider does not run, or firmware has set an alarm of a day,
 * which would keep ours from coming. It may still stand, as a second is too long to find out. */
bool rtc_open(void);

/* 0 to 59. Short: while the clock turns over, it may be the one before. */
uint64_t rtc_second(void);

#define RTC_DATE_MAX 24
/* The time of day as ISO 8601 without a zone, "2024-01-31T23:59:59". False, and the text is empty:
 * the registers hold no date, count twelve hours, or change at each look. */
bool rtc_date(char text[RTC_DATE_MAX]);

/* Interrupts within 16 ms and again and again, at the rate that firmware has set, until
 * rtc_alarm_stop(). False: firmware has set none, or a slow one; nothing was changed. */
bool rtc_ticks_begin(void);
/* Since it began, or since this was asked last. */
bool rtc_ticked(void);

/* When the seconds next are `second`, which must not be the very next one: that may begin while
 * this is written. What firmware set is kept for rtc_alarm_stop(). */
void rtc_alarm_set(uint64_t second);
/* Since it was set, or since this was asked last. */
bool rtc_alarm_came(void);
/* Puts back what was found. */
void rtc_alarm_stop(void);
