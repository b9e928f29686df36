/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/time_window.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define DIGITS_MAX 18

/* 0 to 9, or 10 where it is no digit. */
static unsigned digit_of(char c)
{
    return c >= '0' && c <= '9' ? (unsigned)(c - '0') : 10;
}

/* "12.5"; returns what stands behind, NULL where it is no number. */
static const char *read_digits(const char *text, struct window_time *time)
{
    unsigned digits = 0;
    bool point = false;

    for (; digit_of(*text) < 10 || (*text == '.' && !point && digits > 0); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        time->digits = time->digits * 10 + digit_of(*text);
        time->decimals += point;
        if (++digits > DIGITS_MAX) {
            return NULL;
        }
    }
    return digits > 0 && !(point && time->decimals == 0) ? text : NULL;
}

bool window_time_read(const char *text, struct window_time *time)
{
    static const struct {
        const char *unit;
        uint32_t power;
        bool ticks;
    } units[] = {{"s", 0, false},  {"ms", 3, false},   {"us", 6, false}, {"\302\265s", 6, false},
                 {"ns", 9, false}, {"ticks", 0, true}, {"tick", 0, true}};

    *time = (struct window_time){0};
    const char *unit = read_digits(text, time);

    for (size_t i = 0; unit != NULL && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i].unit) == 0) {
            time->power = units[i].power;
            time->ticks = units[i].ticks;
            return !time->ticks || time->decimals == 0;
        }
    }
    return false;
}

uint64_t window_time_ticks(const struct window_time *time, uint64_t hz)
{
    unsigned __int128 ticks = time->digits;

    if (time->ticks) {
        return time->digits;
    }
    ticks *= hz;
    for (uint32_t i = 0; i < time->decimals + time->power; i++) {
        ticks /= 10; /* each rounds down, and so does the whole */
    }
    return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

bool time_window_ticks(const struct time_window *window, uint64_t hz, struct tick_window *ticks,
                       char error[WINDOW_ERROR_MAX])
{
    const bool in_seconds =
        (window->has_from && !window->from.ticks) || (window->has_to && !window->to.ticks);

    if (in_seconds && hz == 0) {
        snprintf(error, WINDOW_ERROR_MAX,
                 "the rate of the TSC is unknown: give --from and --to in ticks");
        return false;
    }
    ticks->from = window->has_from ? window_time_ticks(&window->from, hz) : 0;
    ticks->to = window->has_to ? window_time_ticks(&window->to, hz) : UINT64_MAX;
    if (ticks->from >= ticks->to) {
        snprintf(error, WINDOW_ERROR_MAX, "--from %.40s --to %.40s: the window is empty",
                 window->has_from ? window->from_text : "0s",
                 window->has_to ? window->to_text : "the end");
        return false;
    }
    return true;
}

const char *time_window_text(const struct time_window *window, char text[WINDOW_TEXT_MAX])
{
    if (!window->has_to) {
        snprintf(text, WINDOW_TEXT_MAX, "from %.40s on", window->from_text);
    } else if (!window->has_from) {
        snprintf(text, WINDOW_TEXT_MAX, "up to %.40s", window->to_text);
    } else {
        snprintf(text, WINDOW_TEXT_MAX, "from %.40s to %.40s", window->from_text, window->to_text);
    }
    return text;
}
