/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/date.h"

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
    if (--date->day == 0) {
        date->year -= date->month == 1 ? 1 : 0;
        date->month = date->month == 1 ? 12 : date->month - 1;
        date->day = days_of(date->year, date->month);
    }
}

static void go_on(struct date *date)
{
    if (date->day++ == days_of(date->year, date->month)) {
        date->day = 1;
        date->year += date->month == 12 ? 1 : 0;
        date->month = date->month == 12 ? 1 : date->month + 1;
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

static char *put_digits(char *at, unsigned value, unsigned digits)
{
    for (unsigned i = digits; i > 0; i--, value /= 10) {
        at[i - 1] = (char)('0' + value % 10);
    }
    return at + digits;
}

bool date_write(const struct date *clock, int zone, char text[DATE_TEXT_MAX])
{
    static const char before[] = "--T::";
    const bool has_zone = zone >= -MINUTES_A_DAY && zone <= MINUTES_A_DAY;
    struct date date = *clock;
    char *at = text;

    *at = '\0';
    if (!is_date(clock)) {
        return false;
    }
    shift(&date, has_zone ? zone : 0);
    const unsigned parts[] = {date.month, date.day, date.hour, date.minute, date.second};

    at = put_digits(at, date.year, 4);
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        *at++ = before[i];
        at = put_digits(at, parts[i], 2);
    }
    *at = has_zone ? 'Z' : '\0';
    at[has_zone] = '\0';
    return true;
}
