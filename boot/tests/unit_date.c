/* SPDX-License-Identifier: BSD-2-Clause */
/* The date of firmware's clock: in UTC if its zone is known, else unchanged. */
#include "boot/date.h"
#include "tools/tests/support/unit.h"

#include <time.h>

static char text[DATE_TEXT_MAX];

static const char *written(unsigned year, unsigned month, unsigned day, unsigned hour,
                           unsigned minute, int zone)
{
    const struct date date = {year, month, day, hour, minute, 9};

    memset(text, 'x', sizeof(text));
    const bool good = date_write(&date, zone, text);

    CHECK_EQUAL(good, text[0] != '\0');
    return text;
}

static void test_zones(void)
{
    CHECK_TEXT(written(2026, 11, 23, 7, 5, 0), "2026-11-23T07:05:09Z");
    CHECK_TEXT(written(2026, 11, 23, 7, 5, -60), "2026-11-23T06:05:09Z"); /* Berlin */
    CHECK_TEXT(written(2026, 11, 23, 7, 5, 480), "2026-11-23T15:05:09Z"); /* Seattle */
    CHECK_TEXT(written(2026, 11, 23, 7, 5, DATE_ZONE_UNKNOWN), "2026-11-23T07:05:09");
    CHECK_TEXT(written(2026, 11, 23, 7, 5, 1441), "2026-11-23T07:05:09");
    CHECK_TEXT(written(2026, 11, 23, 7, 5, -1441), "2026-11-23T07:05:09");
}

static void test_borders(void)
{
    CHECK_TEXT(written(2026, 1, 1, 0, 30, -60), "2025-12-31T23:30:09Z");
    CHECK_TEXT(written(2025, 12, 31, 23, 30, 60), "2026-01-01T00:30:09Z");
    CHECK_TEXT(written(2024, 3, 1, 0, 0, -1), "2024-02-29T23:59:09Z");
    CHECK_TEXT(written(2026, 3, 1, 0, 0, -1440), "2026-02-28T00:00:09Z");
    CHECK_TEXT(written(2100, 2, 28, 23, 59, 1440), "2100-03-01T23:59:09Z");
}

/* Against the C library's calendar: each day of years of all kinds, both ways. */
static void test_calendar(void)
{
    static const int zones[] = {-1440, -345, 720, 1440};

    for (unsigned day = 0; day < 4 * 366 * 28; day++) {
        time_t clock = 86400 * (time_t)(day % 4 * 36525 + day / 4) + 49500;
        struct tm tm = *gmtime(&clock);

        for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
            const time_t utc = clock + 60 * zones[i];
            char expected[DATE_TEXT_MAX + 8];

            strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:09Z", gmtime(&utc));
            CHECK_TEXT(written((unsigned)tm.tm_year + 1900, (unsigned)tm.tm_mon + 1,
                               (unsigned)tm.tm_mday, (unsigned)tm.tm_hour, (unsigned)tm.tm_min,
                               zones[i]),
                       expected);
        }
    }
}

/* A clock that was never set, or has lost its battery, may hold anything. */
static void test_nonsense(void)
{
    const struct date leap_second = {2026, 6, 30, 23, 59, 60};

    CHECK_TEXT(written(0, 1, 1, 0, 0, 0), "");
    CHECK_TEXT(written(65535, 1, 1, 0, 0, 0), "");
    CHECK_TEXT(written(2026, 0, 1, 0, 0, 0), "");
    CHECK_TEXT(written(2026, 13, 1, 0, 0, 0), "");
    CHECK_TEXT(written(2026, 255, 1, 0, 0, 0), "");
    CHECK_TEXT(written(2026, 4, 31, 0, 0, 0), "");
    CHECK_TEXT(written(2026, 2, 29, 0, 0, 0), "");
    CHECK_TEXT(written(2026, 1, 0, 0, 0, 0), "");
    CHECK_TEXT(written(2026, 1, 1, 24, 0, 0), "");
    CHECK_TEXT(written(2026, 1, 1, 0, 60, 0), "");
    CHECK(!date_write(&leap_second, 0, text));
}

int main(void)
{
    RUN(test_zones());
    RUN(test_borders());
    RUN(test_calendar());
    RUN(test_nonsense());
    return unit_finish("unit_date");
}
