/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/page_numbers.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/encoding.h"
#include "tools/base/alloc.h"

#define WHOLE_MAX    0x1p53 /* whole numbers up to it are doubles */
#define FLOAT_WHOLE  0x1p24 /* and up to this, floats */
#define PLACE_BITS   42
#define DIGITS       1e7
#define VARINT_MAX   10
#define PREFIX_MAX   40
#define FLOAT_WASTED 5 /* bytes a whole number at which a float does as well */

struct bytes {
    uint8_t *item;
    size_t n, capacity;
};

static void put_byte(struct bytes *bytes, uint8_t byte)
{
    bytes->item[bytes->n++] = byte;
}

static void put_difference(struct bytes *bytes, int64_t difference)
{
    const uint64_t doubled = (uint64_t)difference << 1;
    uint64_t zigzag = difference < 0 ? ~doubled : doubled;

    while (zigzag >= 0x80) {
        put_byte(bytes, (uint8_t)(zigzag | 0x80));
        zigzag >>= 7;
    }
    put_byte(bytes, (uint8_t)zigzag);
}

static void put_little_endian(struct bytes *bytes, uint64_t value, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        put_byte(bytes, (uint8_t)(value >> (8 * i)));
    }
}

static char *finish(struct bytes *bytes, const char *prefix)
{
    const size_t length = strlen(prefix);
    char *text = alloc_zeroed(length + BASE64_ENCODED(bytes->n) + 1);

    memcpy(text, prefix, length);
    base64_encode(bytes->item, bytes->n, text + length);
    free(bytes->item);
    return text;
}

static struct bytes bytes_for(size_t n, size_t size)
{
    return (struct bytes){.item = alloc_zeroed(n * size + 1)};
}

static void put_multiples(struct bytes *bytes, const double *values, size_t n, double step)
{
    int64_t before = 0;

    for (size_t i = 0; i < n; i++) {
        const int64_t multiple = llrint(values[i] / step);

        put_difference(bytes, multiple - before);
        before = multiple;
    }
}

static bool all_whole(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(values[i]) < WHOLE_MAX) || values[i] != trunc(values[i])) {
            return false;
        }
    }
    return true;
}

static double greatest_size(const double *values, size_t n)
{
    double greatest = 0;

    for (size_t i = 0; i < n; i++) {
        greatest = fmax(greatest, fabs(values[i]));
    }
    return greatest;
}

/* Of which all values are near enough to multiples; 0 where there is none. */
static double common_step(const double *values, size_t n)
{
    double least = INFINITY;
    double greatest = -INFINITY;
    int range;
    int size;

    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return 0;
        }
        least = fmin(least, values[i]);
        greatest = fmax(greatest, values[i]);
    }
    if (!(greatest > least) || !isfinite(greatest - least)) {
        return 0;
    }
    frexp(greatest - least, &range);
    frexp(fmax(fabs(least), fabs(greatest)), &size);
    const double step = ldexp(1, (int)fmax(range - 1 - PLACE_BITS, size - 53));

    for (size_t i = 0; i < n; i++) {
        if (values[i] != 0 && fabs(values[i]) < step * DIGITS) {
            return 0;
        }
    }
    return isnormal(step) ? step : 0;
}

static bool fit_floats(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double size = fabs(values[i]);

        if (isfinite(size) && size != 0 && (size < FLT_MIN || size > FLT_MAX)) {
            return false;
        }
    }
    return true;
}

static char *put_floats(const double *values, size_t n, bool wide)
{
    struct bytes bytes = bytes_for(n, wide ? sizeof(double) : sizeof(float));

    for (size_t i = 0; i < n; i++) {
        const float narrow = wide ? 0 : (float)values[i];
        uint64_t bits = 0;
        uint32_t narrow_bits;

        memcpy(&bits, &values[i], sizeof(bits));
        memcpy(&narrow_bits, &narrow, sizeof(narrow_bits));
        put_little_endian(&bytes, wide ? bits : narrow_bits, wide ? sizeof(double) : sizeof(float));
    }
    return finish(&bytes, wide ? "d:" : "f:");
}

char *page_numbers(const double *values, size_t n, enum page_precision precision)
{
    char prefix[PREFIX_MAX] = "i:";

    if (all_whole(values, n)) {
        struct bytes bytes = bytes_for(n, VARINT_MAX);

        put_multiples(&bytes, values, n, 1);
        if (bytes.n <= FLOAT_WASTED * n || greatest_size(values, n) > FLOAT_WHOLE) {
            return finish(&bytes, prefix);
        }
        free(bytes.item);
        return put_floats(values, n, false);
    }
    if (precision == PAGE_VALUE) {
        return put_floats(values, n, !fit_floats(values, n));
    }
    const double step = common_step(values, n);

    if (step == 0) {
        return put_floats(values, n, true);
    }
    struct bytes bytes = bytes_for(n, VARINT_MAX);

    put_multiples(&bytes, values, n, step);
    snprintf(prefix, sizeof(prefix), "q%.17g:", step);
    return finish(&bytes, prefix);
}
