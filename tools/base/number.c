/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/number.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS         4      /* significant digits that a fraction may have */
#define SEPARATED_FROM 5      /* digits of a whole part whose thousands are separated */
#define WHOLE_END      1e15   /* larger numbers get a prefix */
#define FRACTION_END   1e-6   /* and so do smaller ones */
#define PREFIX_FROM    9999.5 /* in texts with prefixes */
#define PERCENT        100
#define PPM            1e6
#define PERCENT_FROM   0.001 /* smaller shares are printed in ppm */

/* Returns the decimals that leave four significant digits of the rounded size. */
static int decimals_of(double size)
{
    char rounded[NUMBER_MAX];

    snprintf(rounded, sizeof(rounded), "%.*e", DIGITS - 1, size);
    const int before = size > 0 ? atoi(strchr(rounded, 'e') + 1) + 1 : 1;

    return before >= DIGITS ? 0 : DIGITS - before;
}

/* Separates the thousands of `length` digits. Returns the bytes written, at most length * 4 / 3
 * + 1. */
static size_t separate(char *to, const char *digits, size_t length)
{
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        if (length >= SEPARATED_FROM && i > 0 && (length - i) % 3 == 0) {
            to[used++] = ',';
        }
        to[used++] = digits[i];
    }
    return used;
}

/* Writes a size of at least 0 without a prefix. Zeros at the end go if it is `bare`. */
static void write_plain(double size, bool bare, char text[NUMBER_MAX])
{
    char digits[NUMBER_MAX];
    const bool is_whole = size == 0 || (bare && size == floor(size));

    snprintf(digits, sizeof(digits), "%.*f", is_whole ? 0 : decimals_of(size), size);
    const size_t whole = strspn(digits, "0123456789");
    const size_t used = separate(text, digits, whole);
    size_t end = strlen(digits);

    while (bare && end > whole && (digits[end - 1] == '0' || digits[end - 1] == '.')) {
        end--;
    }
    memcpy(text + used, digits + whole, end - whole);
    text[used + end - whole] = '\0';
}

/* Writes the size above 0 with the prefix that leaves 1 to 1000 of it. */
static void write_prefixed(double size, const char *unit, char text[NUMBER_MAX])
{
    static const char prefixes[] = "afpnum kMGTPEZY";
    const int none = 6;
    const int last = (int)sizeof(prefixes) - 2;
    char digits[NUMBER_MAX];

    snprintf(digits, sizeof(digits), "%.*e", DIGITS - 1, size);
    size = strtod(digits, NULL);
    int power = (int)floor((log10(size) + 1e-12) / 3) + none;

    power = power < 0 ? 0 : power > last ? last : power;
    size /= pow(1000, power - none);
    write_plain(size < WHOLE_END ? size : WHOLE_END, true, digits);
    snprintf(text, NUMBER_MAX, "%.20s %.*s%.8s", digits, power != none, &prefixes[power], unit);
}

static const char *write_number(double value, const char *plus, bool bare, char text[NUMBER_MAX])
{
    const double size = fabs(value);
    char digits[NUMBER_MAX];

    if (!isfinite(value)) {
        return strcpy(text, "n/a");
    }
    if (size >= WHOLE_END || (size > 0 && size < FRACTION_END)) {
        write_prefixed(size, "", digits);
    } else {
        write_plain(size, bare, digits);
    }
    snprintf(text, NUMBER_MAX, "%s%.30s", value < 0 ? "-" : value > 0 ? plus : "", digits);
    return text;
}

const char *number_real(double value, char text[NUMBER_MAX])
{
    return write_number(value, "", false, text);
}

const char *number_si(double value, const char *unit, char text[NUMBER_MAX])
{
    if (!isfinite(value)) {
        write_number(value, "", true, text);
    } else if (value < PREFIX_FROM) {
        write_number(value, "", true, text);
        snprintf(text + strlen(text), NUMBER_MAX - strlen(text), "%s%.8s",
                 unit[0] != '\0' ? " " : "", unit);
    } else {
        write_prefixed(value, unit, text);
    }
    return text;
}

const char *number_text(double value, char text[NUMBER_MAX])
{
    return write_number(value, "", true, text);
}

const char *number_whole(int64_t value, char text[NUMBER_MAX])
{
    char digits[NUMBER_MAX];

    snprintf(digits, sizeof(digits), "%" PRId64, value);
    const size_t sign = digits[0] == '-' ? 1 : 0;

    memcpy(text, digits, sign);
    text[sign + separate(text + sign, digits + sign, strlen(digits + sign))] = '\0';
    return text;
}

const char *number_signed(double value, char text[NUMBER_MAX])
{
    return write_number(value, "+", true, text);
}

static const char *write_share(double part, const char *plus, char text[NUMBER_MAX])
{
    const bool is_percent = fabs(part) >= PERCENT_FROM;

    write_number(part * (is_percent ? PERCENT : PPM), plus, false, text);
    if (part != 0 && isfinite(part)) {
        strcat(text, is_percent ? " %" : " ppm");
    }
    return text;
}

const char *share_text(double part, char text[NUMBER_MAX])
{
    return write_share(part, "", text);
}

const char *share_signed(double part, char text[NUMBER_MAX])
{
    return write_share(part, "+", text);
}

/* May a number begin at `at`? */
static bool begins(const char *from, const char *at)
{
    if (at > from && (at[-1] == '+' || at[-1] == '-')) {
        at--;
    }
    return at == from || strchr(" (<>~\n", at[-1]) != NULL ||
           (at - from >= 2 && at[-1] == '.' && at[-2] == '.');
}

/* May a number end before `end`? */
static bool ends(const char *end)
{
    if (*end == ',' || *end == '.') {
        return !isalnum((unsigned char)end[1]);
    }
    if (*end == '/') {
        return isalpha((unsigned char)end[1]) != 0;
    }
    return *end == '\0' || strchr(" );:%\n", *end) != NULL;
}

/* Returns the length of the number at `at`, or 0 if there is none. */
static size_t number_length(const char *from, const char *at, size_t *whole)
{
    size_t length = *whole = strspn(at, "0123456789");

    if (length == 0 || (length > 1 && at[0] == '0') || !begins(from, at)) {
        return 0;
    }
    if (at[length] == '.' && isdigit((unsigned char)at[length + 1])) {
        length += 1 + strspn(at + length + 1, "0123456789");
    }
    return ends(at + length) ? length : 0;
}

/* Rewrites a number of `length` bytes. Returns the bytes written, or 0 if it stays as it is. */
static size_t rewrite(char *to, const char *at, size_t length, size_t whole, bool is_rounded)
{
    char rounded[NUMBER_MAX];

    if (is_rounded && length > whole && length < NUMBER_MAX) {
        const double value = strtod(at, NULL);
        const size_t decimals = (size_t)decimals_of(value);

        if (length - whole - 1 > decimals) {
            snprintf(rounded, sizeof(rounded), "%.*f", (int)decimals, value);
            at = rounded;
            whole = strspn(rounded, "0123456789");
            length = strlen(rounded);
        }
    }
    const size_t used = separate(to, at, whole);

    memcpy(to + used, at + whole, length - whole);
    return used + length - whole;
}

void number_copy(char *to, size_t size, const char *from, bool is_rounded)
{
    size_t used = 0;

    for (const char *at = from; *at != '\0' && used + 1 < size;) {
        size_t whole;
        const size_t length = number_length(from, at, &whole);
        const size_t step = length > 0 ? length : whole > 0 ? whole : 1;

        if (length > 0 && used + length + whole / 3 + 1 < size) {
            used += rewrite(to + used, at, length, whole, is_rounded);
        } else {
            const size_t room = size - 1 - used;

            memcpy(to + used, at, step < room ? step : room);
            used += step < room ? step : room;
        }
        at += step;
    }
    to[used] = '\0';
}
