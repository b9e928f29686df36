/* SPDX-License-Identifier: BSD-2-Clause */
/* The screen as a line: any codes in any order give the log, and how many it takes. */
#include <stdlib.h>
#include <string.h>

#include "kernel/link/encoding.h"
#include "kernel/link/screen_blocks.h"
#include "kernel/plan/bytes.h"
#include "tools/tests/support/unit.h"

static struct screen_gather *gather;
static uint8_t bytes[SCREEN_LOG_MAX];
static uint8_t code[SCREEN_CODE_MAX];

static struct screen_log make_log(size_t length, uint64_t seed)
{
    struct screen_log log = {0};

    for (size_t i = 0; i < length; i++) {
        bytes[i] = (uint8_t)unit_random(&seed);
    }
    CHECK(screen_log_open(&log, bytes, length));
    gather->length = 0;
    return log;
}

static enum screen_read add(const struct screen_log *log, uint32_t number)
{
    const size_t length = screen_log_code(log, number, code);

    CHECK_EQUAL(SCREEN_HEADER + log->block_size, length);
    return screen_gather_add(gather, code, length);
}

static void check_log(const struct screen_log *log)
{
    CHECK(screen_gather_complete(gather));
    CHECK_EQUAL(log->length, gather->length);
    CHECK(memcmp(gather->data, log->bytes, log->length) == 0);
}

/* Of an undisturbed screen each code is new until the log is complete. */
static void test_all_lengths(void)
{
    static const uint32_t lengths[] = {1,    2,    1256,  1257,  1258,          2513,
                                       2514, 7457, 54313, 80449, SCREEN_LOG_MAX};

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        const struct screen_log log = make_log(lengths[i], i);

        CHECK_EQUAL((lengths[i] + 1256) / 1257, log.blocks);
        for (uint32_t step = 0; step < log.blocks; step++) {
            CHECK(!screen_gather_complete(gather));
            CHECK_EQUAL(SCREEN_NEW, add(&log, screen_log_number(&log, step)));
            CHECK_EQUAL(step + 1, gather->known);
        }
        check_log(&log);
        CHECK_EQUAL(SCREEN_REPEATED, add(&log, log.blocks + 3));
    }
}

/* The bytes of a code are a contract between versions: CRC and XORs by another program. */
static void test_format(void)
{
    static const uint8_t header[] = {'T',  '1',  3, 0, 0xcc, 0xf2, 0xf4, 0x9f,
                                     0xb8, 0x0b, 0, 0, 3,    0,    0,    0};
    static const uint8_t xors[] = {0x05, 0x62, 0x62, 0x61, 0x67, 0x06,
                                   0x64, 0x62, 0x05, 0x03, 0x67, 0x06};
    struct screen_log log;

    memset(bytes, 'a', 1000);
    memset(bytes + 1000, 'b', 1000);
    memset(bytes + 2000, 'd', 1000);
    CHECK(screen_log_open(&log, bytes, 3000));
    for (uint32_t i = 0; i < sizeof(xors); i++) {
        CHECK_EQUAL(SCREEN_HEADER + 1000, screen_log_code(&log, 3 + i, code));
        CHECK_EQUAL(xors[i], code[SCREEN_HEADER]);
        CHECK_EQUAL(xors[i], code[SCREEN_HEADER + 999]);
    }
    screen_log_code(&log, 3, code);
    CHECK(memcmp(code, header, sizeof(header)) == 0);
}

/* Codes lost at random: how many more than blocks it takes. */
static void test_losses(void)
{
    uint64_t seed = 5;
    uint32_t shown = 0;
    uint32_t taken = 0;
    uint32_t blocks = 0;

    for (unsigned round = 0; round < 200; round++) {
        const struct screen_log log = make_log(7457 + round * 251, round);
        const uint32_t begin = unit_random(&seed) % 1000;

        blocks += log.blocks;
        for (uint32_t step = begin; step < begin + 300 && !screen_gather_complete(gather); step++) {
            shown++;
            if (unit_random(&seed) % 100 >= 15) {
                taken++;
                add(&log, screen_log_number(&log, step));
            }
        }
        check_log(&log);
    }
    printf("# 15 %% lost: %u blocks, %u codes shown, %u read\n", blocks, shown, taken);
    CHECK(taken < blocks * 1.1 && shown < blocks * 1.3);
}

static void test_refused(void)
{
    const struct screen_log log = make_log(5000, 1);
    size_t length = screen_log_code(&log, 2, code);

    CHECK_EQUAL(SCREEN_FOREIGN, screen_gather_add(gather, code, 0));
    CHECK_EQUAL(SCREEN_FOREIGN, screen_gather_add(gather, code, SCREEN_HEADER - 1));
    CHECK_EQUAL(SCREEN_DAMAGED, screen_gather_add(gather, code, SCREEN_HEADER));
    CHECK_EQUAL(SCREEN_DAMAGED, screen_gather_add(gather, code, length - 1));
    CHECK_EQUAL(0, gather->length);
    CHECK_EQUAL(SCREEN_NEW, screen_gather_add(gather, code, length));
    CHECK_EQUAL(SCREEN_REPEATED, screen_gather_add(gather, code, length));
    CHECK_EQUAL(1, gather->known);
    code[4] ^= 1;
    CHECK_EQUAL(SCREEN_OTHER, screen_gather_add(gather, code, length));
    code[4] ^= 1;
    code[0] = 't';
    CHECK_EQUAL(SCREEN_FOREIGN, screen_gather_add(gather, code, length));
    /* No memory is touched for more blocks than there may be. */
    code[0] = 'T';
    bytes_put(code + 2, SCREEN_BLOCKS_MAX + 1, 2);
    bytes_put32(code + 8, (SCREEN_BLOCKS_MAX + 1) * 1250);
    CHECK_EQUAL(SCREEN_DAMAGED, screen_gather_add(gather, code, length));
    CHECK(!screen_log_open(&(struct screen_log){0}, bytes, 0));
    CHECK(!screen_log_open(&(struct screen_log){0}, bytes, SCREEN_LOG_MAX + 1));
}

/* A wrong byte that the QR code let pass is noticed, and the next codes start again. */
static void test_wrong_crc(void)
{
    const struct screen_log log = make_log(3000, 2);
    size_t length = screen_log_code(&log, 0, code);

    code[length - 1] ^= 1;
    CHECK_EQUAL(SCREEN_NEW, screen_gather_add(gather, code, length));
    CHECK_EQUAL(SCREEN_NEW, add(&log, 1));
    CHECK_EQUAL(SCREEN_WRONG, add(&log, 2));
    CHECK_EQUAL(0, gather->length);
    for (uint32_t number = 3; number < 30 && !screen_gather_complete(gather); number++) {
        add(&log, number);
    }
    check_log(&log);
}

int main(void)
{
    gather = calloc(1, sizeof(*gather));
    RUN(test_all_lengths());
    RUN(test_format());
    RUN(test_losses());
    RUN(test_refused());
    RUN(test_wrong_crc());
    free(gather);
    return unit_finish("unit_screen_blocks");
}
