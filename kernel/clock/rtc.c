/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/rtc.h"

#include <stdio.h>
#include <string.h>

#include "kernel/cpu/port.h"

#define INDEX 0x70 /* index port; its bit 7 disables NMIs, 0 lets them through */
#define DATA  0x71

#define SECOND         0x00
#define MINUTE         0x02
#define HOUR           0x04
#define DAY            0x07
#define MONTH          0x08
#define YEAR           0x09
#define CENTURY        0x32 /* century, on PCs that have this register */
#define SECOND_ALARM   0x01
#define MINUTE_ALARM   0x03
#define HOUR_ALARM     0x05
#define DIVIDER        0x0a
#define CONTROL        0x0b
#define FLAGS          0x0c /* interrupt flags; reading clears all */
#define DAY_ALARM      0x0d
#define ALARM_BYTES    3
#define RATE_MASK      0x0f
#define RATE_SLOWEST   10 /* slowest rate that is used, 64 Hz; rate 0 means no interrupts */
#define DIVIDER_MASK   0x60
#define DIVIDER_RUNS   0x20
#define CONTROL_BINARY 0x04 /* registers are binary; otherwise BCD */
#define CONTROL_24H    0x02
#define CONTROL_ALARM  0x20
#define CONTROL_TICKS  0x40
#define CONTROL_RAISE  0x70 /* bits that enable interrupts: each period, the alarm, each update */
#define FLAG_ALARM     0x20
#define FLAG_TICKED    0x40
#define DAY_MASK       0x7f
#define ANY            0xc0 /* value of a minute or hour of the alarm that matches any */
#define READ_TRIES     8

static const uint8_t alarm_bytes[ALARM_BYTES] = {SECOND_ALARM, MINUTE_ALARM, HOUR_ALARM};

static struct {
    bool held;
    uint8_t control;
    uint8_t alarm[ALARM_BYTES];
} found; /* settings of the real-time clock that firmware left */

static uint8_t rtc_read(uint8_t index)
{
    port_write8(INDEX, index);
    return port_read8(DATA);
}

static void rtc_write(uint8_t index, uint8_t value)
{
    port_write8(INDEX, index);
    port_write8(DATA, value);
}

bool rtc_open(void)
{
    return (rtc_read(DIVIDER) & DIVIDER_MASK) == DIVIDER_RUNS &&
           (rtc_read(DAY_ALARM) & DAY_MASK) == 0;
}

static bool is_binary(void)
{
    return (rtc_read(CONTROL) & CONTROL_BINARY) != 0;
}

uint64_t rtc_second(void)
{
    uint8_t second = rtc_read(SECOND);

    for (unsigned i = 0; i < READ_TRIES; i++) {
        const uint8_t before = second;

        second = rtc_read(SECOND);
        if (second == before) {
            break;
        }
    }
    return (is_binary() ? second : (second >> 4) * 10u + (second & 15)) % RTC_SECONDS;
}

/* Registers from century to second, with their least and largest values. */
static const uint8_t date_bytes[] = {CENTURY, YEAR, MONTH, DAY, HOUR, MINUTE, SECOND};
static const uint8_t date_least[] = {19, 0, 1, 1, 0, 0, 0};
static const uint8_t date_most[] = {21, 99, 12, 31, 23, 59, 59};

static void read_date(uint8_t value[sizeof(date_bytes)])
{
    for (unsigned i = 0; i < sizeof(date_bytes); i++) {
        value[i] = rtc_read(date_bytes[i]);
    }
}

static bool is_date(uint8_t value[sizeof(date_bytes)])
{
    const bool binary = is_binary();

    for (unsigned i = 0; i < sizeof(date_bytes); i++) {
        if (!binary) {
            value[i] = (uint8_t)((value[i] >> 4) * 10 + (value[i] & 15));
        }
        if (value[i] < date_least[i] || value[i] > date_most[i]) {
            return false;
        }
    }
    return (rtc_read(CONTROL) & CONTROL_24H) != 0;
}

bool rtc_date(char text[RTC_DATE_MAX])
{
    uint8_t value[sizeof(date_bytes)];
    uint8_t again[sizeof(date_bytes)];
    bool same = false;

    read_date(value);
    for (unsigned i = 0; i < READ_TRIES && !same; i++) {
        read_date(again);
        same = memcmp(value, again, sizeof(value)) == 0;
        memcpy(value, again, sizeof(value));
    }
    text[0] = '\0';
    if (!same || !is_date(value)) {
        return false;
    }
    snprintf(text, RTC_DATE_MAX, "%02u%02u-%02u-%02uT%02u:%02u:%02u", value[0], value[1], value[2],
             value[3], value[4], value[5], value[6]);
    return true;
}

static void hold(void)
{
    found.held = true;
    found.control = rtc_read(CONTROL);
    for (unsigned i = 0; i < ALARM_BYTES; i++) {
        found.alarm[i] = rtc_read(alarm_bytes[i]);
    }
}

static uint8_t silent_control(void)
{
    if (!found.held) {
        hold();
    }
    return found.control & (uint8_t)~CONTROL_RAISE;
}

bool rtc_ticks_begin(void)
{
    const uint8_t rate = rtc_read(DIVIDER) & RATE_MASK;

    if (rate == 0 || rate > RATE_SLOWEST) {
        return false;
    }
    const uint8_t silent = silent_control();

    rtc_read(FLAGS);
    rtc_write(CONTROL, silent | CONTROL_TICKS);
    return true;
}

bool rtc_ticked(void)
{
    return (rtc_read(FLAGS) & FLAG_TICKED) != 0;
}

void rtc_alarm_set(uint64_t second)
{
    const uint8_t silent = silent_control();

    rtc_write(CONTROL, silent);
    rtc_write(SECOND_ALARM, (uint8_t)(is_binary() ? second : (second / 10) << 4 | second % 10));
    rtc_write(MINUTE_ALARM, ANY);
    rtc_write(HOUR_ALARM, ANY);
    rtc_read(FLAGS);
    rtc_write(CONTROL, silent | CONTROL_ALARM);
}

bool rtc_alarm_came(void)
{
    return (rtc_read(FLAGS) & FLAG_ALARM) != 0;
}

void rtc_alarm_stop(void)
{
    if (!found.held) {
        return;
    }
    rtc_write(CONTROL, found.control & (uint8_t)~CONTROL_RAISE);
    for (unsigned i = 0; i < ALARM_BYTES; i++) {
        rtc_write(alarm_bytes[i], found.alarm[i]);
    }
    rtc_read(FLAGS);
    rtc_write(CONTROL, found.control);
    found.held = false;
}
