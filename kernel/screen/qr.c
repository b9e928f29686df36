/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/screen/qr.h"

#include <string.h>

/* A module: its colour, and whether it belongs to a pattern that carries no data. */
#define DARK  1
#define FIXED 2

#define CODEWORDS_MAX  1085 /* of version 20 */
#define CORRECTION_MAX 30   /* codewords of a block that correct errors */
#define MODE_BYTE      4    /* table 2 */
#define LEVEL_L        1    /* table 12 */

/* Table 9, level L: error correction codewords of a block, and blocks, by version. */
static const struct {
    uint8_t correction;
    uint8_t blocks;
} layouts[QR_VERSION_MAX] = {
    {7, 1},  {10, 1}, {15, 1}, {20, 1}, {26, 1}, {18, 2}, {20, 2}, {24, 2}, {30, 2}, {18, 4},
    {20, 4}, {24, 4}, {26, 4}, {30, 4}, {22, 6}, {24, 6}, {28, 6}, {30, 6}, {28, 7}, {28, 8},
};

static int alignment_count(int version)
{
    return version == 1 ? 0 : version / 7 + 2;
}

/* Table 1: all modules less those of finder patterns with separators and format, of timing, of
 * alignment, and of the version. */
static int codeword_count(int version)
{
    const int side = QR_SIDE(version);
    const int n = alignment_count(version);
    const int aligned = n == 0 ? 0 : 25 * (n * n - 3) - 10 * (n - 2); /* 5 shared with the timing */

    return (side * side - 3 * 64 - 31 - 2 * (side - 16) - aligned - (version < 7 ? 0 : 36)) / 8;
}

static int data_count(int version)
{
    return codeword_count(version) - layouts[version - 1].correction * layouts[version - 1].blocks;
}

static int length_bits(int version)
{
    return version < 10 ? 8 : 16; /* table 3 */
}

size_t qr_capacity(int version)
{
    return (size_t)(8 * data_count(version) - 4 - length_bits(version)) / 8;
}

bool qr_is_dark(const struct qr *qr, int row, int column)
{
    return (qr->modules[row][column] & DARK) != 0;
}

/* ---- codewords ---- */

struct bits {
    uint8_t *bytes; /* zeroed */
    int count;
};

static void put_bits(struct bits *bits, unsigned value, int count)
{
    for (int i = count - 1; i >= 0; i--, bits->count++) {
        bits->bytes[bits->count / 8] |= (uint8_t)((value >> i & 1) << (7 - bits->count % 8));
    }
}

/* Section 7.4: mode, length, the bytes, four zeroes as far as they fit, and padding. */
static void put_data(const struct qr *qr, const uint8_t *text, size_t length, uint8_t *data)
{
    const int count = data_count(qr->version);
    struct bits bits = {data, 0};

    put_bits(&bits, MODE_BYTE, 4);
    put_bits(&bits, (unsigned)length, length_bits(qr->version));
    for (size_t i = 0; i < length; i++) {
        put_bits(&bits, text[i], 8);
    }
    for (int at = (bits.count + 4 + 7) / 8, pad = 0xec; at < count; at++, pad ^= 0xec ^ 0x11) {
        data[at] = (uint8_t)pad;
    }
}

/* In the field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1 (section 7.5.2). */
static uint8_t multiply(unsigned left, unsigned right)
{
    unsigned product = 0;

    for (; right != 0; right >>= 1) {
        product ^= (right & 1) != 0 ? left : 0;
        left = left << 1 ^ (left >> 7) * 0x11d;
    }
    return (uint8_t)product;
}

/* The product of (x - 2^i) for i below `degree`, without its first coefficient, which is 1. */
static void make_generator(uint8_t *generator, int degree)
{
    uint8_t root = 1;

    memset(generator, 0, (size_t)degree);
    generator[degree - 1] = 1;
    for (int i = 0; i < degree; i++) {
        for (int j = 0; j < degree; j++) {
            generator[j] = multiply(generator[j], root);
            if (j + 1 < degree) {
                generator[j] ^= generator[j + 1];
            }
        }
        root = multiply(root, 2);
    }
}

/* The remainder of the block's data by the generator. */
static void correct(const uint8_t *data, int count, const uint8_t *generator, int degree,
                    uint8_t *remainder)
{
    memset(remainder, 0, (size_t)degree);
    for (int i = 0; i < count; i++) {
        const uint8_t factor = data[i] ^ remainder[0];

        memmove(remainder, remainder + 1, (size_t)degree - 1);
        remainder[degree - 1] = 0;
        for (int j = 0; j < degree; j++) {
            remainder[j] ^= multiply(generator[j], factor);
        }
    }
}

/* Section 7.6: the first codeword of each block, the second of each, ...; the last blocks are
 * longer by one. */
static void interleave(int version, const uint8_t *data, uint8_t *codewords)
{
    const int degree = layouts[version - 1].correction;
    const int blocks = layouts[version - 1].blocks;
    const int total = data_count(version);
    const int whole = total / blocks;
    uint8_t generator[CORRECTION_MAX];
    uint8_t remainder[CORRECTION_MAX];

    make_generator(generator, degree);
    for (int block = 0; block < blocks; block++) {
        const int first_long = blocks - total % blocks;
        const int count = whole + (block < first_long ? 0 : 1);

        for (int i = 0; i < count; i++) {
            codewords[i < whole ? i * blocks + block : total - blocks + block] = data[i];
        }
        correct(data, count, generator, degree, remainder);
        for (int i = 0; i < degree; i++) {
            codewords[total + i * blocks + block] = remainder[i];
        }
        data += count;
    }
}

/* ---- patterns that carry no data ---- */

static void set(struct qr *qr, int row, int column, bool dark)
{
    if (row >= 0 && row < qr->side && column >= 0 && column < qr->side) {
        qr->modules[row][column] = FIXED | (dark ? DARK : 0);
    }
}

/* Squares one in the other around a module: of a finder pattern with its separator, up to 4 away,
 * the rings 2 and 4 are light; of an alignment pattern, up to 2 away, ring 1. */
static void draw_rings(struct qr *qr, int row, int column, int radius)
{
    for (int y = -radius; y <= radius; y++) {
        for (int x = -radius; x <= radius; x++) {
            const int dy = y < 0 ? -y : y;
            const int dx = x < 0 ? -x : x;
            const int ring = dy > dx ? dy : dx;

            set(qr, row + y, column + x, radius == 4 ? ring != 2 && ring != 4 : ring != 1);
        }
    }
}

/* Annex E: the last is 6 from the border, and all but the first are as far from each other. */
static int alignment_place(const struct qr *qr, int index)
{
    const int gaps = alignment_count(qr->version) - 1;
    const int step = (qr->side - 13 + 2 * gaps - 1) / (2 * gaps) * 2;

    return index == 0 ? 6 : qr->side - 7 - (gaps - index) * step;
}

static void draw_alignment(struct qr *qr)
{
    const int last = alignment_count(qr->version) - 1;

    for (int i = 0; i <= last; i++) {
        for (int j = 0; j <= last; j++) {
            const bool in_finder = (i == 0 && (j == 0 || j == last)) || (i == last && j == 0);

            if (!in_finder) {
                draw_rings(qr, alignment_place(qr, i), alignment_place(qr, j), 2);
            }
        }
    }
}

/* A code word of `data` and `extra` bits that check it (annexes C and D). */
static unsigned checked(unsigned data, int extra, unsigned generator)
{
    unsigned rest = data;

    for (int i = 0; i < extra; i++) {
        rest = rest << 1 ^ (rest >> (extra - 1)) * generator;
    }
    return data << extra | rest;
}

/* Section 7.9: level and mask, twice; the module beside the lower one is always dark. */
static void draw_format(struct qr *qr)
{
    const unsigned bits = checked(LEVEL_L << 3 | (unsigned)qr->mask, 10, 0x537) ^ 0x5412;

    for (int i = 0; i < 15; i++) {
        const bool dark = (bits >> i & 1) != 0;

        if (i < 8) {
            set(qr, i < 6 ? i : i + 1, 8, dark);
            set(qr, 8, qr->side - 1 - i, dark);
        } else {
            set(qr, 8, i == 8 ? 7 : 14 - i, dark);
            set(qr, qr->side - 15 + i, 8, dark);
        }
    }
    set(qr, qr->side - 8, 8, true);
}

/* Section 7.10. */
static void draw_version(struct qr *qr)
{
    const unsigned bits = checked((unsigned)qr->version, 12, 0x1f25);

    for (int i = 0; i < 18; i++) {
        const bool dark = (bits >> i & 1) != 0;

        set(qr, i / 3, qr->side - 11 + i % 3, dark);
        set(qr, qr->side - 11 + i % 3, i / 3, dark);
    }
}

static void draw_fixed(struct qr *qr)
{
    for (int i = 0; i < qr->side; i++) {
        set(qr, 6, i, i % 2 == 0);
        set(qr, i, 6, i % 2 == 0);
    }
    draw_rings(qr, 3, 3, 4);
    draw_rings(qr, 3, qr->side - 4, 4);
    draw_rings(qr, qr->side - 4, 3, 4);
    draw_alignment(qr);
    draw_format(qr);
    if (qr->version >= 7) {
        draw_version(qr);
    }
}

/* Section 7.7.3: in columns of two, from the right, up and down in turns, around the patterns. */
static void place(struct qr *qr, const uint8_t *codewords)
{
    const int bits = 8 * codeword_count(qr->version);
    bool up = true;
    int at = 0;

    for (int right = qr->side - 1; right > 0; right -= right == 8 ? 3 : 2, up = !up) {
        for (int i = 0; i < 2 * qr->side; i++) {
            const int row = up ? qr->side - 1 - i / 2 : i / 2;
            uint8_t *module = &qr->modules[row][right - i % 2];

            if ((*module & FIXED) == 0 && at < bits) {
                *module = codewords[at / 8] >> (7 - at % 8) & DARK;
                at++;
            }
        }
    }
}

/* ---- masks ---- */

/* Table 10. */
static bool is_masked(int mask, int row, int column)
{
    const int product = row * column;

    switch (mask) {
    case 0:
        return (row + column) % 2 == 0;
    case 1:
        return row % 2 == 0;
    case 2:
        return column % 3 == 0;
    case 3:
        return (row + column) % 3 == 0;
    case 4:
        return (row / 2 + column / 3) % 2 == 0;
    case 5:
        return product % 6 == 0;
    case 6:
        return (product % 2 + product % 3) % 2 == 0;
    default:
        return ((row + column) % 2 + product % 3) % 2 == 0;
    }
}

/* A second time takes it away again. */
static void apply_mask(struct qr *qr)
{
    for (int row = 0; row < qr->side; row++) {
        for (int column = 0; column < qr->side; column++) {
            if ((qr->modules[row][column] & FIXED) == 0 && is_masked(qr->mask, row, column)) {
                qr->modules[row][column] ^= DARK;
            }
        }
    }
    draw_format(qr);
}

/* Section 7.8.3.1, along one line: runs of five and more, and what looks like a finder pattern with
 * four light modules before or behind it, those outside the code among them. */
static int line_penalty(const struct qr *qr, int line, bool is_row)
{
    int penalty = 0;
    int run = 0;
    unsigned seen = 0; /* the last eleven modules */

    for (int i = 0; i < qr->side + 4; i++) {
        const bool inside = i < qr->side;
        const unsigned dark =
            inside && (is_row ? qr_is_dark(qr, line, i) : qr_is_dark(qr, i, line));

        if (inside) {
            run = i > 0 && (seen & 1) == dark ? run + 1 : 1;
            penalty += run == 5 ? 3 : run > 5 ? 1 : 0;
        }
        seen = (seen << 1 | dark) & 0x7ff;
        penalty += seen == 0x05d || seen == 0x5d0 ? 40 : 0;
    }
    return penalty;
}

static int penalty_of(const struct qr *qr)
{
    int penalty = 0;
    int dark = 0;

    for (int row = 0; row < qr->side; row++) {
        penalty += line_penalty(qr, row, true) + line_penalty(qr, row, false);
        for (int column = 0; column < qr->side; column++) {
            dark += qr_is_dark(qr, row, column) ? 1 : 0;
            if (row > 0 && column > 0) {
                const int square = qr_is_dark(qr, row, column) + qr_is_dark(qr, row - 1, column) +
                                   qr_is_dark(qr, row, column - 1) +
                                   qr_is_dark(qr, row - 1, column - 1);

                penalty += square == 0 || square == 4 ? 3 : 0;
            }
        }
    }
    const int total = qr->side * qr->side;
    const int away = dark * 2 > total ? dark * 2 - total : total - dark * 2;

    return penalty + away * 10 / total * 10; /* for each 5 % away from one half */
}

static void choose_mask(struct qr *qr)
{
    int least = 0;
    int best = 0;

    for (qr->mask = 0; qr->mask < 8; qr->mask++) {
        apply_mask(qr);
        const int penalty = penalty_of(qr);

        apply_mask(qr);
        if (qr->mask == 0 || penalty < least) {
            least = penalty;
            best = qr->mask;
        }
    }
    qr->mask = best;
    apply_mask(qr);
}

bool qr_encode(struct qr *qr, const void *bytes, size_t length)
{
    static uint8_t data[CODEWORDS_MAX];
    static uint8_t codewords[CODEWORDS_MAX];

    if (length > QR_TEXT_MAX) {
        return false;
    }
    memset(qr, 0, sizeof(*qr));
    memset(data, 0, sizeof(data));
    for (qr->version = 1; qr_capacity(qr->version) < length;) {
        qr->version++;
    }
    qr->side = QR_SIDE(qr->version);
    put_data(qr, bytes, length, data);
    interleave(qr->version, data, codewords);
    draw_fixed(qr);
    place(qr, codewords);
    choose_mask(qr);
    return true;
}
