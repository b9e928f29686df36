/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/date.h"

#include <stdio.h>

#define MINUTES_A_DAY 1440

static unsigned days_of(unsigned year, unsigned month)
{
    if (month == 2) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    }
    return 30 + ((month + month / 8) & 1);
}

static bool is_date(const struct date *date)
{
    return date->year - 1 < 9999 && date->month - 1 < 12 && date->day != 0 &&
           date->day <= days_of(date->year, date->month) && date->hour < 24 && date->minute < 60 &&
           date->second < 60;
}

static void go_back(struct date *date)
{
    if (--date->day != 0) {
        return;
    }
    if (--date->month == 0) {
        date->month = 12;
        date->year--;
    }
    date->day = days_of(date->year, date->month);
}

static void go_on(struct date *date)
{
    if (date->day++ < days_of(date->year, date->month)) {
        return;
    }
    date->day = 1;
    if (date->month++ == 12) {
        date->month = 1;
        date->year++;
    }
}

static void shift(struct date *date, int minutes)
{
    int at = (int)(date->hour * 60 + date->minute) + minutes;

    if (at < 0) {
        at += MINUTES_A_DAY;
        go_back(date);
    } else if (at >= MINUTES_A_DAY) {
        at -= MINUTES_A_DAY;
        go_on(date);
    }
    date->hour = (unsigned)at / 60;
    date->minute = (unsigned)at % 60;
}

bool date_write(const struct date *clock, int zone, char text[DATE_TEXT_MAX])
{
    const bool has_zone = zone >= -MINUTES_A_DAY && zone <= MINUTES_A_DAY;
    struct date date = *clock;

    text[0] = '\0';
    if (!is_date(clock)) {
        return false;
    }
    shift(&date, has_zone ? zone : 0);
    return snprintf(text, DATE_TEXT_MAX, "%04u-%02u-%02uT%02u:%02u:%02u%s", date.year, date.month,
                    date.day, date.hour, date.minute, date.second,
                    has_zone ? "Z" : "") < DATE_TEXT_MAX;
}
