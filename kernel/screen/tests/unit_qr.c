/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QR codes read back by another way than they are written: the figures of the standard's tables,
 * blocks whose polynomials must be zero at the generator's roots. zbarimg reads pictures of them in
 * test_no_serial.sh.
 */
#include <stdlib.h>

#include "kernel/screen/qr.h"
#include "tools/tests/support/unit.h"

static struct qr qr;
static char text[QR_TEXT_MAX + 1];

/* Bit 0 first, beside the upper left finder pattern (figure 25). */
static unsigned read_format(void)
{
    static const uint8_t places[15][2] = {{0, 8}, {1, 8}, {2, 8}, {3, 8}, {4, 8},
                                          {5, 8}, {7, 8}, {8, 8}, {8, 7}, {8, 5},
                                          {8, 4}, {8, 3}, {8, 2}, {8, 1}, {8, 0}};
    unsigned bits = 0;

    for (unsigned i = 0; i < 15; i++) {
        bits |= (unsigned)qr_is_dark(&qr, places[i][0], places[i][1]) << i;
    }
    return bits;
}

static unsigned read_other_format(void)
{
    unsigned bits = 0;

    for (int i = 0; i < 8; i++) {
        bits |= (unsigned)qr_is_dark(&qr, 8, qr.side - 1 - i) << i;
    }
    for (int i = 8; i < 15; i++) {
        bits |= (unsigned)qr_is_dark(&qr, qr.side - 15 + i, 8) << i;
    }
    return bits;
}

static void fill(size_t length)
{
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)(' ' + (i * i * 7 + i * 13 + length) % 95);
    }
}

/* Of ISO/IEC 18004, table C.1, level L. */
static void test_format(void)
{
    static const unsigned formats[8] = {0x77c4, 0x72f3, 0x7daa, 0x789d,
                                        0x662f, 0x6318, 0x6c41, 0x6976};
    unsigned masks = 0;

    for (size_t length = 0; length <= QR_TEXT_MAX; length += 13) {
        fill(length);
        CHECK(qr_encode(&qr, text, length));
        CHECK_EQUAL(read_format(), formats[qr.mask]);
        CHECK_EQUAL(read_other_format(), formats[qr.mask]);
        CHECK(qr_is_dark(&qr, qr.side - 8, 8));
        masks |= 1u << qr.mask;
    }
    CHECK((masks & (masks - 1)) != 0); /* the choice depends on the text */
}

/* Of table D.1. */
static void test_version(void)
{
    static const unsigned versions[] = {0x07c94, 0x085bc, 0x09a99, 0x0a4d3, 0x0bbf6,
                                        0x0c762, 0x0d847, 0x0e60d, 0x0f928, 0x10b78,
                                        0x1145d, 0x12a17, 0x13532, 0x149a6};

    for (int version = 7; version <= QR_VERSION_MAX; version++) {
        const size_t length = qr_capacity(version);
        unsigned one = 0;
        unsigned other = 0;

        fill(length);
        CHECK(qr_encode(&qr, text, length));
        CHECK_EQUAL(qr.version, version);
        for (int i = 0; i < 18; i++) {
            one |= (unsigned)qr_is_dark(&qr, i / 3, qr.side - 11 + i % 3) << i;
            other |= (unsigned)qr_is_dark(&qr, qr.side - 11 + i % 3, i / 3) << i;
        }
        CHECK_EQUAL(one, versions[version - 7]);
        CHECK_EQUAL(other, versions[version - 7]);
    }
}

/* Of table 7, byte mode, level L. */
static void test_capacity(void)
{
    static const uint16_t capacities[QR_VERSION_MAX] = {17,  32,  53,  78,  106, 134, 154,
                                                        192, 230, 271, 321, 367, 425, 458,
                                                        520, 586, 644, 718, 792, 858};

    for (int version = 1; version <= QR_VERSION_MAX; version++) {
        CHECK_EQUAL(qr_capacity(version), capacities[version - 1]);
    }
    CHECK(qr_encode(&qr, text, 17));
    CHECK_EQUAL(qr.version, 1);
    CHECK_EQUAL(qr.side, 21);
    CHECK(qr_encode(&qr, text, 18));
    CHECK_EQUAL(qr.version, 2);
    CHECK(!qr_encode(&qr, text, QR_TEXT_MAX + 1));
}

/* Of table E.1: the patterns' middle modules; the light ring around each. */
static void test_alignment(void)
{
    static const struct {
        int version;
        int places[5];
    } rows[] = {
        {2, {6, 18}},          {6, {6, 34}},          {7, {6, 22, 38}},
        {13, {6, 34, 62}},     {14, {6, 26, 46, 66}}, {15, {6, 26, 48, 70}},
        {16, {6, 26, 50, 74}}, {18, {6, 30, 56, 82}}, {20, {6, 34, 62, 90}},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fill(qr_capacity(rows[i].version));
        CHECK(qr_encode(&qr, text, qr_capacity(rows[i].version)));
        for (const int *y = rows[i].places; *y != 0; y++) {
            for (const int *x = rows[i].places; *x != 0; x++) {
                if ((*y == 6 && (*x == 6 || x[1] == 0)) || (*x == 6 && y[1] == 0)) {
                    continue;
                }
                CHECK(qr_is_dark(&qr, *y, *x));
                for (int d = -1; d <= 1; d++) {
                    CHECK(!qr_is_dark(&qr, *y - 1, *x + d));
                    CHECK(!qr_is_dark(&qr, *y + d, *x + 1));
                    CHECK(qr_is_dark(&qr, *y + 2, *x + d));
                    CHECK(qr_is_dark(&qr, *y + d, *x - 2));
                }
            }
        }
    }
}

/* ---- reading version 1 to 20 back ---- */

static const uint8_t block_counts[QR_VERSION_MAX] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 4,
                                                     4, 4, 4, 4, 6, 6, 6, 6, 7, 8};
/* Table 1: all codewords of the version. */
static const uint16_t codeword_counts[QR_VERSION_MAX] = {26,  44,  70,  100, 134, 172, 196,
                                                         242, 292, 346, 404, 466, 532, 581,
                                                         655, 733, 815, 901, 991, 1085};
static const uint16_t data_counts[QR_VERSION_MAX] = {
    19, 34, 55, 80, 108, 136, 156, 194, 232, 274, 324, 370, 428, 461, 523, 589, 647, 721, 795, 861};

static bool masked(int mask, int i, int j)
{
    const bool conditions[8] = {(i + j) % 2 == 0,
                                i % 2 == 0,
                                j % 3 == 0,
                                (i + j) % 3 == 0,
                                (i / 2 + j / 3) % 2 == 0,
                                i * j % 2 + i * j % 3 == 0,
                                (i * j % 2 + i * j % 3) % 2 == 0,
                                ((i + j) % 2 + i * j % 3) % 2 == 0};

    return conditions[mask];
}

/* The modules that carry data, from what kind of pattern stands where. */
static bool carries_data(int row, int column)
{
    const int side = qr.side;
    const int low = side - 8;

    if (row == 6 || column == 6 || (row <= 8 && column <= 8) || (row <= 8 && column >= low) ||
        (row >= low && column <= 8)) {
        return false;
    }
    if (qr.version >= 7 && ((row < 6 && column >= side - 11) || (column < 6 && row >= side - 11))) {
        return false;
    }
    return (qr.modules[row][column] & 2) == 0; /* alignment, which test_alignment looks at */
}

static size_t read_codewords(uint8_t *codewords)
{
    size_t bits = 0;
    int direction = -1;
    int row = qr.side - 1;

    memset(codewords, 0, 1100);
    for (int column = qr.side - 1; column > 0; column -= 2) {
        column -= column == 6 ? 1 : 0;
        for (; row >= 0 && row < qr.side; row += direction) {
            for (int x = column; x > column - 2; x--) {
                if (carries_data(row, x)) {
                    const bool bit = qr_is_dark(&qr, row, x) != masked(qr.mask, row, x);

                    codewords[bits / 8] |= (uint8_t)(bit << (7 - bits % 8));
                    bits++;
                }
            }
        }
        direction = -direction;
        row += direction;
    }
    return bits / 8;
}

static uint8_t logarithms[256];
static uint8_t powers[512];

static void make_field(void)
{
    unsigned value = 1;

    for (unsigned i = 0; i < 255; i++) {
        powers[i] = powers[i + 255] = (uint8_t)value;
        logarithms[value] = (uint8_t)i;
        value = value << 1;
        value ^= value > 255 ? 0x11d : 0;
    }
}

/* The polynomial of the block at 2^root. */
static uint8_t value_at(const uint8_t *block, size_t count, unsigned root)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum = (uint8_t)((sum != 0 ? powers[logarithms[sum] + root] : 0) ^ block[i]);
    }
    return sum;
}

/* Takes the blocks apart again, and checks each. */
static void read_data(const uint8_t *codewords, uint8_t *data)
{
    const unsigned blocks = block_counts[qr.version - 1];
    const unsigned total = codeword_counts[qr.version - 1];
    const unsigned carried = data_counts[qr.version - 1];
    const unsigned correction = (total - carried) / blocks;

    for (unsigned b = 0; b < blocks; b++) {
        uint8_t block[256];
        size_t count = 0;

        for (unsigned i = b; i < carried / blocks * blocks; i += blocks) {
            block[count++] = codewords[i];
        }
        if (b >= blocks - carried % blocks) {
            block[count++] = codewords[carried - blocks + b];
        }
        memcpy(data, block, count);
        data += count;
        for (unsigned i = carried + b; i < total; i += blocks) {
            block[count++] = codewords[i];
        }
        for (unsigned root = 0; root < correction; root++) {
            CHECK_EQUAL(value_at(block, count, root), 0);
        }
    }
}

static void check_text(size_t length)
{
    uint8_t codewords[1100];
    uint8_t data[1100];
    const unsigned digits = qr.version < 10 ? 1 : 2; /* bytes of the length */
    size_t said = 0;

    CHECK_EQUAL(read_codewords(codewords), codeword_counts[qr.version - 1]);
    read_data(codewords, data);
    CHECK_EQUAL(data[0] >> 4, 4);
    for (unsigned i = 0; i < digits; i++) {
        said = said << 8 | (uint8_t)(data[i] << 4 | data[i + 1] >> 4);
    }
    CHECK_EQUAL(said, length);
    for (size_t i = 0; i < length; i++) {
        CHECK_EQUAL((uint8_t)(data[digits + i] << 4 | data[digits + i + 1] >> 4), text[i]);
    }
    for (size_t i = digits + length + 1, n = 0; i < data_counts[qr.version - 1]; i++, n++) {
        CHECK_EQUAL(data[i], n % 2 == 0 ? 0xec : 0x11);
    }
}

static void test_round_trip(void)
{
    make_field();
    for (int version = 1; version <= QR_VERSION_MAX; version++) {
        const size_t least = version == 1 ? 0 : qr_capacity(version - 1) + 1;
        const size_t lengths[] = {least, least + 5, qr_capacity(version)};

        for (size_t i = 0; i < 3; i++) {
            fill(lengths[i]);
            CHECK(qr_encode(&qr, text, lengths[i]));
            CHECK_EQUAL(qr.version, version);
            check_text(lengths[i]);
        }
    }
}

int main(void)
{
    RUN(test_format());
    RUN(test_version());
    RUN(test_capacity());
    RUN(test_alignment());
    RUN(test_round_trip());
    return unit_finish("unit_qr");
}
