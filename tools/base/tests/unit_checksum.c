/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C as the image computes it, and SHA-256 by the examples of its standard. */
#include "tools/base/checksum.h"
#include "tools/base/sha256.h"

#include <stdlib.h>

#include "kernel/link/encoding.h"
#include "tools/base/alloc.h"
#include "tools/tests/support/unit.h"

static void test_crc32c(void)
{
    static uint8_t bytes[4096];
    uint64_t seed = 5;

    CHECK_EQUAL(checksum_crc32c(0, "123456789", 9), 0xe3069283);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)unit_random(&seed);
    }
    for (unsigned round = 0; round < 500; round++) {
        const size_t from = unit_random(&seed) % 32;
        const size_t length = unit_random(&seed) % (round < 250 ? 40 : 4000);
        const size_t first = length > 0 ? unit_random(&seed) % length : 0;
        const uint32_t whole = checksum_crc32c(0, bytes + from, length);

        CHECK_EQUAL(whole, crc32c(0, bytes + from, length));
        CHECK_EQUAL(checksum_crc32c(checksum_crc32c(0, bytes + from, first), bytes + from + first,
                                    length - first),
                    whole);
    }
}

/* In pieces of `piece` bytes. */
static void check_sha256(const char *bytes, size_t length, size_t piece, const char *expected)
{
    struct sha256 hash;
    char text[SHA256_TEXT];

    sha256_begin(&hash);
    for (size_t at = 0; at < length; at += piece) {
        sha256_put(&hash, bytes + at, length - at < piece ? length - at : piece);
    }
    sha256_end(&hash, text);
    CHECK_TEXT(text, expected);
}

/* The examples of FIPS 180-4's companion, and lengths around the ends of blocks, by sha256sum. */
static void test_sha256(void)
{
    enum { MILLION = 1000000 };
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static const size_t pieces[] = {
        8,      997, SHA256_BUFFER - 1, SHA256_BUFFER, SHA256_BUFFER + 1, 3 * SHA256_BUFFER + 5,
        MILLION};
    char *many = alloc_zeroed(MILLION);

    memset(many, 'a', MILLION);
    check_sha256("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_sha256("abc", 3, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    for (size_t piece = 1; piece <= 56; piece += 11) {
        check_sha256(two_blocks, 56, piece,
                     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        check_sha256(many, MILLION, pieces[i],
                     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
    check_sha256(many, 55, 64, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    check_sha256(many, 64, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    free(many);
}

static void test_files(void)
{
    char text[SHA256_TEXT];

    CHECK(sha256_file("/dev/null", text));
    CHECK_TEXT(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(!sha256_file("/dev/null/none", text));
    CHECK(!sha256_file("/", text));
}

int main(void)
{
    RUN(test_crc32c());
    RUN(test_sha256());
    RUN(test_files());
    return unit_finish("unit_checksum");
}
