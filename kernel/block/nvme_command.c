/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/nvme_command.h"

#include <string.h>

#include "kernel/plan/bytes.h"

#define FEATURE_QUEUES 0x07u

#define QUEUE            1u
#define QUEUE_CONTIGUOUS 1u
#define QUEUE_INTERRUPTS 2u

/* Indexes of words in a command. */
#define WORD_NAMESPACE 1
#define WORD_PAGE_1    6
#define WORD_PAGE_2    8
#define WORD_10        10
#define WORD_11        11
#define WORD_12        12

/* Offsets in the answer to identify controller (section 5.15.2.2). */
#define CONTROLLER_MDTS  77
#define CONTROLLER_TYPE  111
#define CONTROLLER_SQES  512
#define CONTROLLER_CQES  513
#define CONTROLLER_COUNT 516
#define TYPE_IO          1 /* older controllers report 0, and are all of this type */
#define SUBMISSION_POWER 6u
#define COMPLETION_POWER 4u

/* Offsets in the answer to identify namespace (section 5.15.2.1). */
#define NAMESPACE_SIZE    0
#define NAMESPACE_FORMATS 25 /* number of the last format */
#define NAMESPACE_FORMAT  26
#define NAMESPACE_LIST    128

/* Fields of the status (section 4.6.1). */
#define TYPE_MEDIA        2u
#define MEDIA_UNREAD      0x81u
#define MEDIA_GUARD       0x82u
#define MEDIA_TAG         0x83u
#define MEDIA_REFERENCE   0x84u
#define MEDIA_UNWRITTEN   0x87u
#define STATUS_SHIFT      17
#define STATUS_CODE_WIDTH 8

/* Opcodes of the administration queue (section 5). */
enum administration {
    CREATE_SUBMISSION_QUEUE,
    CREATE_COMPLETION_QUEUE,
    IDENTIFY,
    SET_FEATURES,
};
static const uint8_t administration[] BLOCK_COMMANDS("nvme_administration") = {
    [CREATE_SUBMISSION_QUEUE] = 0x01,
    [CREATE_COMPLETION_QUEUE] = 0x05,
    [IDENTIFY] = 0x06,
    [SET_FEATURES] = 0x09,
};

/* The only opcode of the queue for reads (NVM Command Set section 6). */
enum of_blocks {
    READ,
};
static const uint8_t of_blocks[] BLOCK_COMMANDS("nvme_blocks") = {
    [READ] = 0x02,
};

static void put64(struct nvme_command *command, unsigned word, uint64_t value)
{
    command->word[word] = (uint32_t)value;
    command->word[word + 1] = (uint32_t)(value >> 32);
}

static void begin(struct nvme_command *command, uint32_t opcode)
{
    memset(command, 0, sizeof(*command));
    command->word[0] = opcode;
}

void nvme_make_identify(struct nvme_command *command, enum nvme_identify what, uint32_t namespace,
                        uint64_t page)
{
    begin(command, administration[IDENTIFY]);
    command->word[WORD_NAMESPACE] = namespace;
    put64(command, WORD_PAGE_1, page);
    command->word[WORD_10] = what;
}

/* Requests one queue of each kind: the fields are the numbers of queues minus one, so they stay 0.
 */
void nvme_make_queue_count(struct nvme_command *command)
{
    begin(command, administration[SET_FEATURES]);
    command->word[WORD_10] = FEATURE_QUEUES;
}

void nvme_make_completion_queue(struct nvme_command *command, uint32_t entries, uint64_t address,
                                bool interrupts)
{
    begin(command, administration[CREATE_COMPLETION_QUEUE]);
    put64(command, WORD_PAGE_1, address);
    command->word[WORD_10] = (entries - 1) << 16 | QUEUE;
    command->word[WORD_11] = QUEUE_CONTIGUOUS | (interrupts ? QUEUE_INTERRUPTS : 0);
}

void nvme_make_submission_queue(struct nvme_command *command, uint32_t entries, uint64_t address)
{
    begin(command, administration[CREATE_SUBMISSION_QUEUE]);
    put64(command, WORD_PAGE_1, address);
    command->word[WORD_10] = (entries - 1) << 16 | QUEUE;
    command->word[WORD_11] = QUEUE << 16 | QUEUE_CONTIGUOUS;
}

/* Sets the pages of a read (section 4.3). The first page may begin anywhere. A second page is given
 * in the command itself, more pages by a list. */
static void set_pages(struct nvme_command *command, uint64_t to, uint64_t bytes, uint64_t *list)
{
    const uint64_t second = to / NVME_PAGE * NVME_PAGE + NVME_PAGE;
    const uint64_t end = to + bytes;

    put64(command, WORD_PAGE_1, to);
    if (end <= second) {
        return;
    }
    if (end <= second + NVME_PAGE) {
        put64(command, WORD_PAGE_2, second);
        return;
    }
    for (uint64_t page = second; page < end; page += NVME_PAGE) {
        list[(page - second) / NVME_PAGE] = page;
    }
    put64(command, WORD_PAGE_2, (uint64_t)(uintptr_t)list);
}

void nvme_make_read(struct nvme_command *command, uint32_t namespace, uint64_t block,
                    uint32_t blocks, uint64_t to, uint64_t bytes, uint64_t *list)
{
    begin(command, of_blocks[READ]);
    command->word[WORD_NAMESPACE] = namespace;
    set_pages(command, to, bytes, list);
    put64(command, WORD_10, block);
    command->word[WORD_12] = blocks - 1;
}

/* ---- answers, in which every value is checked ---- */

void nvme_read_controller(const uint8_t page[NVME_PAGE], struct nvme_controller_facts *facts)
{
    const uint8_t power = page[CONTROLLER_MDTS]; /* log2 of the limit in pages; 0: no limit */
    const uint8_t type = page[CONTROLLER_TYPE];

    facts->namespaces = bytes_get32(page + CONTROLLER_COUNT);
    facts->bytes_max = power == 0 || NVME_PAGE << (power & 31) > NVME_BYTES_MAX || power > 31
                           ? NVME_BYTES_MAX
                           : NVME_PAGE << power;
    facts->unusable = NULL;
    if (type != 0 && type != TYPE_IO) {
        facts->unusable = "it is a controller without namespaces";
    } else if ((page[CONTROLLER_SQES] & 15u) != SUBMISSION_POWER ||
               (page[CONTROLLER_CQES] & 15u) != COMPLETION_POWER) {
        facts->unusable = "its queue entries do not have 64 and 16 bytes";
    }
}

void nvme_read_namespace(const uint8_t page[NVME_PAGE], struct nvme_namespace_facts *facts)
{
    /* Bits 6 and 5 are the upper bits of the format's number. */
    const unsigned number = (page[NAMESPACE_FORMAT] & 15u) | (page[NAMESPACE_FORMAT] >> 1 & 0x30u);
    const uint32_t format = bytes_get32(page + NAMESPACE_LIST + sizeof(uint32_t) * number);
    const unsigned power = format >> 16 & 255;

    facts->blocks =
        (uint64_t)bytes_get32(page + NAMESPACE_SIZE + 4) << 32 | bytes_get32(page + NAMESPACE_SIZE);
    facts->block_bytes = power < 32 ? 1u << power : 0;
    facts->unusable = NULL;
    if (number > page[NAMESPACE_FORMATS]) {
        facts->unusable = "its block format is missing from its list of formats";
    } else if ((format & 0xffff) != 0) {
        facts->unusable = "its blocks have metadata";
    } else if (facts->block_bytes != BLOCK_BYTES_MIN && facts->block_bytes != BLOCK_BYTES_MAX) {
        facts->unusable = "its blocks have neither 512 nor 4096 bytes";
    } else if (facts->blocks > UINT64_MAX / facts->block_bytes) {
        facts->unusable = "it reports more than 2^64 bytes";
    }
}

size_t nvme_read_ids(const uint8_t page[NVME_PAGE], uint32_t *ids, size_t most)
{
    size_t count = 0;

    while (count < most && count < NVME_PAGE / sizeof(uint32_t)) {
        const uint32_t id = bytes_get32(page + sizeof(uint32_t) * count);

        if (id == 0) {
            break;
        }
        ids[count++] = id;
    }
    return count;
}

static bool is_unreadable(uint32_t code)
{
    return code == MEDIA_UNREAD || code == MEDIA_GUARD || code == MEDIA_TAG ||
           code == MEDIA_REFERENCE || code == MEDIA_UNWRITTEN;
}

enum block_error nvme_read_status(uint32_t word, uint32_t *code)
{
    const uint32_t status = word >> STATUS_SHIFT;
    const uint32_t type = status >> STATUS_CODE_WIDTH & 7;

    *code = type << STATUS_CODE_WIDTH | (status & 255);
    if (*code == 0) {
        return BLOCK_GOOD;
    }
    return type == TYPE_MEDIA && is_unreadable(status & 255) ? BLOCK_MEDIUM : BLOCK_DEVICE;
}
