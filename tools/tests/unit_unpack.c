/* SPDX-License-Identifier: BSD-2-Clause */
/* The image's unpacker against liblzma's encoder; damage, cuts and wrong sizes are refused. */
#include <stdbool.h>
#include <stdlib.h>

#include "boot/lzma.h"
#include "boot/unpack.h"
#include "tools/mkefi_pack.h"
#include "tools/tests/unit.h"

#define SIZE_MAX_TESTED 200000

static uint8_t original[SIZE_MAX_TESTED];
static uint8_t stream[2 * SIZE_MAX_TESTED];
static uint64_t seed = 20;

/* The output is allocated to the byte, so that the sanitizer sees a write behind it. */
static bool unpacks_to_original(const uint8_t *in, size_t in_size, size_t size)
{
    uint8_t *out = malloc(size + 1);
    const bool good = lzma_unpack(in, in_size, out, size) && memcmp(out, original, size) == 0;

    free(out);
    return good;
}

static size_t packed_original(size_t size)
{
    return lzma_pack(original, size, stream, sizeof(stream));
}

static void round_trip(size_t size)
{
    const size_t packed = packed_original(size);

    CHECK(packed > 0);
    CHECK(unpacks_to_original(stream, packed, size));
}

static void test_random(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 255, 256, 4096, 100000};

    for (size_t i = 0; i < sizeof(original); i++) {
        original[i] = (uint8_t)unit_random(&seed);
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        round_trip(sizes[i]);
    }
}

/* Every class of distance: those below 4, those with modelled bits only, and those with direct
 * ones; the longest matches; now and then a byte that breaks the period, for repeats and literals
 * after matches. */
static void test_periods(void)
{
    static const size_t periods[] = {1, 2, 3, 4, 5, 17, 100, 128, 300, 4099, 70001};

    for (size_t i = 0; i < sizeof(periods) / sizeof(*periods); i++) {
        for (size_t k = 0; k < sizeof(original); k++) {
            const bool fresh = k < periods[i] || unit_random(&seed) % 997 == 0;

            original[k] = fresh ? (uint8_t)unit_random(&seed) : original[k - periods[i]];
        }
        round_trip(sizeof(original));
    }
}

static void test_constant(void)
{
    memset(original, 0, sizeof(original));
    round_trip(sizeof(original));
    round_trip(1);
    memset(original, 0xe8, sizeof(original));
    round_trip(12345);
}

static size_t read_own_code(void)
{
    FILE *file = fopen("/proc/self/exe", "rb");
    size_t size = 0;

    if (file != NULL) {
        size = fread(original, 1, sizeof(original), file);
        fclose(file);
    }
    return size;
}

static void test_code(void)
{
    const size_t size = read_own_code();

    CHECK_EQUAL(size, sizeof(original));
    round_trip(size);
    CHECK(packed_original(size) < size / 2);
}

/* A text of few words: literals, matches, repeats. */
static size_t make_text(void)
{
    static const char *const words[] = {"weigh ", "the ", "empty ", "pan, ", "then ", "the full. "};
    size_t size = 0;

    while (size < 2000) {
        const char *word = words[unit_random(&seed) % (sizeof(words) / sizeof(*words))];

        memcpy(original + size, word, strlen(word));
        size += strlen(word);
        original[size++] = (uint8_t)('0' + unit_random(&seed) % 10);
    }
    return size;
}

static void test_wrong_sizes(void)
{
    const size_t size = make_text();
    const size_t packed = packed_original(size);

    CHECK(unpacks_to_original(stream, packed, size));
    for (size_t cut = 0; cut < packed; cut++) {
        CHECK(!unpacks_to_original(stream, cut, size));
    }
    CHECK(!unpacks_to_original(stream, packed + 1, size));
    for (size_t wrong = 0; wrong < size; wrong++) {
        CHECK(!unpacks_to_original(stream, packed, wrong));
    }
    CHECK(!unpacks_to_original(stream, packed, size + 1));
}

/* A distance beyond what was unpacked so far: the first packet is a match, which no encoder writes.
 * All ones after the 0 are such a stream. */
static void test_distance_out_of_range(void)
{
    memset(stream, 0xff, 64);
    stream[0] = 0;
    CHECK(!unpacks_to_original(stream, 64, 100));
}

/* ---- operands ---- */

/* From each place, an instruction of `opcode` that reaches to 300: the operands are then the same,
 * highest byte first. */
static void check_targets(const uint8_t *opcode, size_t length)
{
    uint8_t code[64] = {0};

    for (uint32_t at = 8; at <= 40; at += 16) {
        const uint32_t operand = 300 - (at + (uint32_t)length + 4);

        memcpy(code + at, opcode, length);
        memcpy(code + at + length, &operand, sizeof(operand));
    }
    code_turn(code, sizeof(code), CODE_ABSOLUTE);
    for (uint32_t at = 8; at <= 40; at += 16) {
        static const uint8_t target[] = {0, 0, 300 >> 8, 300 & 255};

        CHECK(memcmp(code + at + length, target, sizeof(target)) == 0);
    }
}

static void test_operands(void)
{
    static const uint8_t call[] = {0xe8};
    static const uint8_t jump[] = {0xe9};
    static const uint8_t jump_if_zero[] = {0x0f, 0x84};
    static const uint8_t load_address[] = {0x8d, 0x3d};

    check_targets(call, sizeof(call));
    check_targets(jump, sizeof(jump));
    check_targets(jump_if_zero, sizeof(jump_if_zero));
    check_targets(load_address, sizeof(load_address));
}

/* Any bytes come back, whatever they look like; those around them stay. */
static void test_turning(void)
{
    static const uint8_t likely[] = {0xe8, 0xe9, 0x0f, 0x84, 0x05, 0x3d, 0x00, 0xff, 0x01, 0xfe};
    uint8_t code[72];
    uint8_t turned[72];
    bool same = true;

    for (unsigned i = 0; i < 200000; i++) {
        const uint32_t size = (uint32_t)(unit_random(&seed) % 65);

        for (size_t k = 0; k < sizeof(code); k++) {
            const uint64_t random = unit_random(&seed);

            code[k] =
                (random & 3) != 0 ? likely[(random >> 2) % sizeof(likely)] : (uint8_t)(random >> 8);
        }
        memcpy(turned, code, sizeof(code));
        code_turn(turned, size, CODE_ABSOLUTE);
        same = same && memcmp(turned + size, code + size, sizeof(code) - size) == 0;
        code_turn(turned, size, CODE_RELATIVE);
        same = same && memcmp(turned, code, sizeof(code)) == 0;
    }
    CHECK(same);
}

/* ---- the image ---- */

#define RVA 8192

/* Code, one address at each of the RVAs, and the relocations. Returns the size. */
static uint32_t make_image(struct packed_header *header, const uint32_t *addresses, uint32_t count)
{
    const uint32_t code = (uint32_t)read_own_code() / 8;
    uint32_t size = code + 256;
    uint32_t before = 0;

    memset(original + code, 0, 256);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t distance = addresses[i] - before;

        memcpy(original + size, &distance, sizeof(distance));
        size += (uint32_t)sizeof(distance);
        before = addresses[i];
    }
    *header = (struct packed_header){
        .entry = RVA + 16, .size = size, .code_size = code, .relocation_count = count};
    return size;
}

static void test_image(void)
{
    struct packed_header header;
    struct packed_header back;
    const uint64_t base = 0x123456789000;
    const uint64_t value = 0x4567;
    const uint32_t at = RVA + 200000 / 8;
    const uint32_t addresses[] = {at, at + 9, at + 248};
    const uint32_t size = make_image(&header, addresses, 3);
    size_t packed_size;

    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < sizeof(value); k++) { /* the highest byte first */
            original[addresses[i] - RVA + k] = (uint8_t)(value >> (56 - 8 * k));
        }
    }
    uint8_t *packed = image_pack(&header, original, &packed_size);
    uint8_t *image = calloc(1, RVA + size);

    CHECK(packed != NULL);
    CHECK(image_unpack(packed, packed_size, image + RVA, size, &back));
    CHECK(memcmp(&back, &header, sizeof(header)) == 0);
    CHECK(memcmp(image + RVA, original, size) == 0);
    CHECK(!image_unpack(packed, packed_size, image + RVA, size - 1, &back));
    CHECK(!image_unpack(packed, sizeof(header) - 1, image + RVA, size, &back));
    CHECK(image_unpack(packed, packed_size, image + RVA, size, &back));
    CHECK(image_relocate(&back, image, RVA, base));
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t moved = base + value;

        memcpy(original + addresses[i] - RVA, &moved, sizeof(moved));
    }
    CHECK(memcmp(image + RVA, original, size) == 0);
    free(packed);
    free(image);
}

static bool relocates(const uint32_t *addresses, uint32_t count)
{
    struct packed_header header;
    const uint32_t size = make_image(&header, addresses, count);
    uint8_t *image = malloc(RVA + size);

    memcpy(image + RVA, original, size);
    const bool good = image_relocate(&header, image, RVA, 1);

    free(image);
    return good;
}

static void test_relocations_out_of_range(void)
{
    const uint32_t end = RVA + 200000 / 8 + 256;

    CHECK(relocates((const uint32_t[]){RVA, end - 8}, 2));
    CHECK(!relocates((const uint32_t[]){RVA - 1}, 1));
    CHECK(!relocates((const uint32_t[]){RVA, end - 7}, 2));
    CHECK(!relocates((const uint32_t[]){RVA, UINT32_MAX, UINT32_MAX - 1}, 3));

    const struct packed_header too_many = {.size = 16, .relocation_count = 5};
    const struct packed_header far_too_many = {.size = 16, .relocation_count = UINT32_MAX};
    uint8_t image[64] = {0};

    CHECK(!image_relocate(&too_many, image, 32, 1));
    CHECK(!image_relocate(&far_too_many, image, 32, 1));
}

/* Each bit of header and stream, one at a time. */
static void test_damage(void)
{
    struct packed_header header = {.entry = 4096, .code_size = 500};
    size_t packed_size;

    header.size = (uint32_t)make_text();
    uint8_t *packed = image_pack(&header, original, &packed_size);
    uint8_t *out = malloc(header.size);
    size_t refused = 0;

    CHECK(packed != NULL && packed_size < header.size);
    CHECK(image_unpack(packed, packed_size, out, header.size, &header));
    for (size_t bit = 0; bit < 8 * packed_size; bit++) {
        struct packed_header damaged;

        packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        refused += image_unpack(packed, packed_size, out, header.size, &damaged) ? 0 : 1;
        packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    CHECK_EQUAL(refused, 8 * packed_size);
    free(packed);
    free(out);
}

int main(void)
{
    RUN(test_random());
    RUN(test_periods());
    RUN(test_constant());
    RUN(test_code());
    RUN(test_wrong_sizes());
    RUN(test_distance_out_of_range());
    RUN(test_operands());
    RUN(test_turning());
    RUN(test_image());
    RUN(test_relocations_out_of_range());
    RUN(test_damage());
    return unit_finish("unit_unpack");
}
