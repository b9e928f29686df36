/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/draw.h"

#define GOLDEN     0x9e3779b97f4a7c15ull
#define LN_2       0xb17217f7d1cf79abull /* ln 2 in units of 2^-64 */
#define LOG_DIGITS 33                    /* binary digits of the fraction */

static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

uint64_t draw_next(struct draw_random *random)
{
    random->state += GOLDEN;
    return mix(random->state);
}

/* Starts a stream. Streams begin at unrelated places of the generator's single sequence. */
void draw_seed(struct draw_random *random, uint64_t seed, uint64_t stream)
{
    random->state = mix(mix(seed + GOLDEN) + stream * GOLDEN);
}

/* Returns the binary digits of log2(m / 2^63), for m / 2^63 from 1 to 2. The next digit is 1 if the
 * square is 2 or more. The part that a squaring cuts off has half the weight at each further digit,
 * in total less than LOG_DIGITS units of 2^-63. */
static uint64_t log2_digits(uint64_t m)
{
    uint64_t digits = 0;

    for (int i = 0; i < LOG_DIGITS; i++) {
        const unsigned __int128 square = (unsigned __int128)m * m;
        const unsigned beyond = (unsigned)(square >> 127);

        digits = digits << 1 | beyond;
        m = (uint64_t)(square >> (63 + beyond));
    }
    return digits;
}

uint64_t draw_log(uint64_t x)
{
    const unsigned zeroes = (unsigned)__builtin_clzll(x);
    /* log2(2^64 / x) = zeroes + 1 - log2(m). Subtracting 1 accounts for the digits that are
     * missing, so the result is never too large. */
    const uint64_t whole = (uint64_t)(zeroes + 1) << LOG_DIGITS;
    const uint64_t log2 = whole - log2_digits(x << zeroes) - 1;

    return multiply_high(log2, LN_2) >> (LOG_DIGITS - 32);
}

/* Returns mean * parts / 2^32. */
static uint64_t scale(uint64_t mean, uint64_t parts)
{
    return (uint64_t)((unsigned __int128)mean * parts >> 32);
}

static uint64_t draw_between(uint64_t low, uint64_t high, struct draw_random *random)
{
    return low + multiply_high(draw_next(random), high - low);
}

uint64_t draw_law(const struct draw_law *law, struct draw_random *random)
{
    switch (law->kind) {
    case DRAW_UNIFORM:
        return draw_between(law->low, law->high, random);
    case DRAW_TAILED:
        return multiply_high(draw_next(random), DRAW_PARTS) < law->tail
                   ? draw_between(law->low, law->high, random)
                   : draw_between(0, law->low, random);
    case DRAW_EXPONENTIAL:
        return scale(law->low, draw_log(draw_next(random) | 1));
    case DRAW_EMPIRICAL:
        return law->values[multiply_high(draw_next(random), law->count)];
    default:
        return law->low;
    }
}

static uint64_t empirical_mean(const struct draw_law *law)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < law->count; i++) {
        sum += law->values[i];
    }
    return law->count > 0 ? sum / law->count : 0;
}

uint64_t draw_mean(const struct draw_law *law)
{
    switch (law->kind) {
    case DRAW_UNIFORM:
        return law->low + (law->high - law->low) / 2;
    case DRAW_TAILED:
        return law->low / 2 + law->high / 2 / DRAW_PARTS * law->tail +
               law->high / 2 % DRAW_PARTS * law->tail / DRAW_PARTS;
    case DRAW_EMPIRICAL:
        return empirical_mean(law);
    default:
        return law->low;
    }
}
