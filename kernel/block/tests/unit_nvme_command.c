/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel/block/nvme_command.h: commands word by word, and what is believed of a controller. */
#include "kernel/block/nvme_command.h"

#include "tools/tests/support/unit.h"

#define WORD_0_READ 0x02u
#define TO          0x12345000ull

static struct nvme_command command;
static uint64_t list[NVME_LIST_ENTRIES] __attribute__((aligned(2048)));

static uint64_t address(unsigned word)
{
    return (uint64_t)command.word[word + 1] << 32 | command.word[word];
}

static void read_to(uint64_t to, uint64_t bytes)
{
    memset(&command, 0xff, sizeof(command));
    memset(list, 0, sizeof(list));
    nvme_make_read(&command, 3, 0x123456789aull, (uint32_t)(bytes / 512), to, bytes, list);
}

static void test_read(void)
{
    read_to(TO, 512);
    CHECK_EQUAL(command.word[0], WORD_0_READ);
    CHECK_EQUAL(command.word[1], 3);
    CHECK_EQUAL(address(6), TO);
    CHECK_EQUAL(address(8), 0);
    CHECK_EQUAL(address(10), 0x123456789aull);
    CHECK_EQUAL(command.word[12], 0); /* one block */
    for (unsigned i = 13; i < NVME_COMMAND_WORDS; i++) {
        CHECK_EQUAL(command.word[i], 0);
    }
}

/* The pages that a read of any length to any place of a page takes, each once and no more. */
static void test_pages(void)
{
    unsigned wrong = 0;

    for (uint64_t offset = 0; offset < NVME_PAGE; offset += 512) {
        for (uint64_t bytes = 512; bytes <= NVME_BYTES_MAX; bytes += bytes < 20480 ? 512 : 65024) {
            const uint64_t last = (TO + offset + bytes - 1) / NVME_PAGE;
            const uint64_t pages = last - TO / NVME_PAGE; /* behind the first */

            read_to(TO + offset, bytes);
            wrong += address(6) != TO + offset;
            if (pages < 2) {
                wrong += address(8) != (pages == 0 ? 0 : TO + NVME_PAGE) || list[0] != 0;
                continue;
            }
            wrong += address(8) != (uint64_t)(uintptr_t)list || pages > NVME_LIST_ENTRIES;
            for (uint64_t i = 0; i < NVME_LIST_ENTRIES; i++) {
                wrong += list[i] != (i < pages ? TO + (i + 1) * NVME_PAGE : 0);
            }
        }
    }
    CHECK_EQUAL(wrong, 0);
    read_to(TO + 512, NVME_BYTES_MAX);
    CHECK_EQUAL(list[NVME_LIST_ENTRIES - 1], TO + NVME_BYTES_MAX); /* as long as there is room */
}

static void test_administration(void)
{
    nvme_make_identify(&command, NVME_NAMESPACES, 7, TO);
    CHECK_EQUAL(command.word[0], 0x06);
    CHECK_EQUAL(command.word[1], 7);
    CHECK_EQUAL(address(6), TO);
    CHECK_EQUAL(command.word[10], 2);
    nvme_make_queue_count(&command);
    CHECK_EQUAL(command.word[0], 0x09);
    CHECK_EQUAL(command.word[10], 0x07);
    CHECK_EQUAL(command.word[11], 0);
    nvme_make_completion_queue(&command, 128, TO, true);
    CHECK_EQUAL(command.word[0], 0x05);
    CHECK_EQUAL(command.word[10], 127u << 16 | 1);
    CHECK_EQUAL(command.word[11], 3);
    nvme_make_completion_queue(&command, 2, TO, false);
    CHECK_EQUAL(command.word[11], 1);
    nvme_make_submission_queue(&command, 64, TO);
    CHECK_EQUAL(command.word[0], 0x01);
    CHECK_EQUAL(command.word[10], 63u << 16 | 1);
    CHECK_EQUAL(command.word[11], 1u << 16 | 1);
    CHECK_EQUAL(address(6), TO);
}

static void test_controller(void)
{
    static uint8_t page[NVME_PAGE];
    struct nvme_controller_facts facts;

    memset(page, 0, sizeof(page));
    page[512] = 0x66;
    page[513] = 0x44;
    page[516] = 0x00;
    page[517] = 0x01;
    nvme_read_controller(page, &facts);
    CHECK_EQUAL(facts.namespaces, 256);
    CHECK_EQUAL(facts.bytes_max, NVME_BYTES_MAX); /* it has no limit */
    CHECK(facts.unusable == NULL);
    page[77] = 5;
    nvme_read_controller(page, &facts);
    CHECK_EQUAL(facts.bytes_max, 131072);
    page[77] = 7;
    nvme_read_controller(page, &facts);
    CHECK_EQUAL(facts.bytes_max, 524288);
    page[77] = 9;
    nvme_read_controller(page, &facts);
    CHECK_EQUAL(facts.bytes_max, NVME_BYTES_MAX);
    page[77] = 33; /* not 1, as a shift of 64 bits could have it */
    nvme_read_controller(page, &facts);
    CHECK_EQUAL(facts.bytes_max, NVME_BYTES_MAX);
    page[111] = 2;
    nvme_read_controller(page, &facts);
    CHECK(facts.unusable != NULL);
    page[111] = 1;
    page[512] = 0x77;
    nvme_read_controller(page, &facts);
    CHECK(facts.unusable != NULL);
}

static void test_namespace(void)
{
    static uint8_t page[NVME_PAGE];
    struct nvme_namespace_facts facts;

    memset(page, 0, sizeof(page));
    page[1] = 2;
    page[4] = 1;
    page[25] = 1;
    page[128 + 2] = 9;
    page[132 + 2] = 12;
    nvme_read_namespace(page, &facts);
    CHECK_EQUAL(facts.blocks, 0x100000200ull);
    CHECK_EQUAL(facts.block_bytes, 512);
    CHECK(facts.unusable == NULL);
    page[26] = 1;
    nvme_read_namespace(page, &facts);
    CHECK_EQUAL(facts.block_bytes, 4096);
    CHECK(facts.unusable == NULL);
    page[132] = 8; /* bytes of metadata */
    nvme_read_namespace(page, &facts);
    CHECK(facts.unusable != NULL);
    page[132] = 0;
    page[132 + 2] = 11;
    nvme_read_namespace(page, &facts);
    CHECK(facts.unusable != NULL);
    page[132 + 2] = 12;
    page[7] = 1;
    nvme_read_namespace(page, &facts);
    CHECK(facts.unusable != NULL); /* 2^56 blocks and more */
    page[7] = 0;
    page[26] = 0x21; /* format 17 */
    nvme_read_namespace(page, &facts);
    CHECK(facts.unusable != NULL);
    page[25] = 17;
    page[128 + 4 * 17 + 2] = 9;
    nvme_read_namespace(page, &facts);
    CHECK(facts.unusable == NULL);
    CHECK_EQUAL(facts.block_bytes, 512);
}

static void test_ids(void)
{
    static uint8_t page[NVME_PAGE];
    uint32_t ids[4];

    memset(page, 0, sizeof(page));
    CHECK_EQUAL(nvme_read_ids(page, ids, 4), 0);
    page[0] = 1;
    page[5] = 2;
    CHECK_EQUAL(nvme_read_ids(page, ids, 4), 2);
    CHECK_EQUAL(ids[1], 512);
    memset(page, 1, sizeof(page));
    CHECK_EQUAL(nvme_read_ids(page, ids, 4), 4);
}

static void test_status(void)
{
    uint32_t code;

    CHECK_EQUAL(nvme_read_status(0x0001ffffu, &code), BLOCK_GOOD); /* phase and id are no status */
    CHECK_EQUAL(code, 0);
    CHECK_EQUAL(nvme_read_status(0x281u << 17, &code), BLOCK_MEDIUM);
    CHECK_EQUAL(code, 0x281);
    CHECK_EQUAL(nvme_read_status(0x4281u << 17, &code), BLOCK_MEDIUM); /* do not try again */
    CHECK_EQUAL(code, 0x281);
    CHECK_EQUAL(nvme_read_status(0x286u << 17, &code), BLOCK_DEVICE); /* access denied */
    CHECK_EQUAL(nvme_read_status(0x080u << 17, &code), BLOCK_DEVICE);
    CHECK_EQUAL(code, 0x80);
    CHECK_EQUAL(nvme_read_status(0x081u << 17, &code), BLOCK_DEVICE); /* 81h of another type */
}

int main(void)
{
    RUN(test_read());
    RUN(test_pages());
    RUN(test_administration());
    RUN(test_controller());
    RUN(test_namespace());
    RUN(test_ids());
    RUN(test_status());
    return unit_finish("unit_nvme_command");
}
