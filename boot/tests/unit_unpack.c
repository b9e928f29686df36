/* SPDX-License-Identifier: BSD-2-Clause */
/* The image's unpacker against liblzma's encoder; damage, cuts and wrong sizes are refused. */
#include <stdbool.h>
#include <stdlib.h>

#include "boot/lzma.h"
#include "boot/unpack.h"
#include "tools/efi/mkefi_pack.h"
#include "tools/tests/support/unit.h"

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

#define CODE_MAX 72

static uint8_t rest[CODE_MAX];
static uint8_t lists[OPERAND_KINDS][CODE_MAX];

/* Into the arrays above. Returns the bytes without operands. */
static size_t split(const uint8_t *code, uint32_t size, uint32_t counts[OPERAND_KINDS])
{
    struct code_parts parts = {.rest = rest};

    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        parts.operands[kind] = lists[kind];
    }
    code_split(code, size, &parts);
    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        counts[kind] = (uint32_t)(parts.operands[kind] - lists[kind]) / OPERAND_SIZE;
    }
    return (size_t)(parts.rest - rest);
}

/* From each place, an instruction of `opcode` that reaches to 300: the operands are then the same,
 * highest byte first. */
static void check_targets(const uint8_t *opcode, size_t length, enum operand_kind kind)
{
    uint8_t code[64] = {0};
    uint32_t counts[OPERAND_KINDS];

    for (uint32_t at = 8; at <= 40; at += 16) {
        const uint32_t operand = 300 - (at + (uint32_t)length + 4);

        memcpy(code + at, opcode, length);
        memcpy(code + at + length, &operand, sizeof(operand));
    }
    CHECK_EQUAL(split(code, sizeof(code), counts), sizeof(code) - 3 * OPERAND_SIZE);
    for (unsigned i = 0; i < OPERAND_KINDS; i++) {
        CHECK_EQUAL(counts[i], i == kind ? 3 : 0);
    }
    for (unsigned i = 0; i < 3; i++) {
        static const uint8_t target[] = {0, 0, 300 >> 8, 300 & 255};

        CHECK(memcmp(lists[kind] + i * sizeof(target), target, sizeof(target)) == 0);
    }
}

static void test_operands(void)
{
    static const uint8_t call[] = {0xe8};
    static const uint8_t jump[] = {0xe9};
    static const uint8_t jump_if_zero[] = {0x0f, 0x84};
    static const uint8_t load_address[] = {0x8d, 0x3d};
    static const uint8_t move[] = {0x8b, 0x05};

    check_targets(call, sizeof(call), OPERAND_CALL);
    check_targets(jump, sizeof(jump), OPERAND_JUMP);
    check_targets(jump_if_zero, sizeof(jump_if_zero), OPERAND_JUMP);
    check_targets(load_address, sizeof(load_address), OPERAND_ADDRESS);
    check_targets(move, sizeof(move), OPERAND_MEMORY);
}

static void make_likely_code(uint8_t code[CODE_MAX])
{
    static const uint8_t likely[] = {0xe8, 0xe9, 0x0f, 0x84, 0x05, 0x8d,
                                     0x3d, 0x00, 0xff, 0x01, 0xfe};

    for (size_t k = 0; k < CODE_MAX; k++) {
        const uint64_t random = unit_random(&seed);

        code[k] =
            (random & 3) != 0 ? likely[(random >> 2) % sizeof(likely)] : (uint8_t)(random >> 8);
    }
}

/* As image_unpack finds it: the code without operands at the end of where it shall be. */
static bool joins_to(const uint8_t *code, uint32_t size)
{
    uint32_t counts[OPERAND_KINDS];
    const size_t rest_size = split(code, size, counts);
    uint8_t joined[CODE_MAX];
    uint8_t operands[CODE_MAX];
    uint8_t *next = operands;

    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        memcpy(next, lists[kind], counts[kind] * OPERAND_SIZE);
        next += counts[kind] * OPERAND_SIZE;
    }
    memset(joined, 0x55, sizeof(joined));
    memcpy(joined + size - rest_size, rest, rest_size);
    memcpy(joined + size, code + size, CODE_MAX - size);
    return rest_size + (size_t)(next - operands) == size &&
           code_join(joined, size, operands, counts) && memcmp(joined, code, CODE_MAX) == 0;
}

/* Any bytes come back, whatever they look like; those behind them stay. */
static void test_joining(void)
{
    uint8_t code[CODE_MAX];
    bool same = true;

    for (unsigned i = 0; i < 200000; i++) {
        make_likely_code(code);
        same = same && joins_to(code, (uint32_t)(unit_random(&seed) % 65));
    }
    CHECK(same);
}

/* Wrong counts: the sanitizer sees what is read or written elsewhere. Most do not fit. */
static void test_wrong_counts(void)
{
    unsigned refused = 0;

    for (unsigned i = 0; i < 20000; i++) {
        const uint32_t size = (uint32_t)(unit_random(&seed) % CODE_MAX);
        uint32_t left = size / OPERAND_SIZE;
        uint32_t counts[OPERAND_KINDS];
        uint8_t likely[CODE_MAX];
        size_t operands_size = 0;

        make_likely_code(likely);
        for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
            counts[kind] = (uint32_t)(unit_random(&seed) % (left + 1));
            left -= counts[kind];
            operands_size += counts[kind] * OPERAND_SIZE;
        }
        uint8_t *code = malloc(size + 1);
        uint8_t *operands = malloc(operands_size + 1);

        memcpy(code, likely, size);
        memcpy(operands, likely, operands_size);
        refused += code_join(code, size, operands, counts) ? 0 : 1;
        free(operands);
        free(code);
    }
    CHECK(refused > 10000);
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
    const size_t room = packed_room(&header);
    uint8_t *image = calloc(1, RVA + room);

    CHECK(packed != NULL && room > size);
    CHECK(image_unpack(packed, packed_size, image + RVA, room, &back));
    CHECK(memcmp(&back, &header, sizeof(header)) == 0);
    CHECK(memcmp(image + RVA, original, size) == 0);
    CHECK(!image_unpack(packed, packed_size, image + RVA, room - 1, &back));
    CHECK(!image_unpack(packed, sizeof(header) - 1, image + RVA, room, &back));
    CHECK(image_unpack(packed, packed_size, image + RVA, room, &back));
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
    const size_t room = packed_room(&header);
    uint8_t *out = malloc(room);
    size_t refused = 0;

    CHECK(packed != NULL && packed_size < header.size);
    CHECK(image_unpack(packed, packed_size, out, room, &header));
    for (size_t bit = 0; bit < 8 * packed_size; bit++) {
        struct packed_header damaged;

        packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        refused += image_unpack(packed, packed_size, out, room, &damaged) ? 0 : 1;
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
    RUN(test_joining());
    RUN(test_wrong_counts());
    RUN(test_image());
    RUN(test_relocations_out_of_range());
    RUN(test_damage());
    return unit_finish("unit_unpack");
}
