/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's driver of SD cards on a controller and cards that no emulator offers: one that stops
 * at each boundary of SDMA, errors of controller and card, old cards, others than SD cards, and a
 * card that is mute or taken out. The card takes the commands that identify it and read, and fails
 * the test at any other.
 *
 *     sdhci_machine [IMAGE.elf]
 */
#include "tools/tests/machine/disk_guest.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE "build/image/tare.elf"
#define TSC_HZ        50000 /* of the image's clock: a wait of 2 s is short */
#define REGISTERS     0xe0000000ull
#define PLACE         (4u << 3)
#define COMMAND       0x04
#define ONES          UINT32_MAX
#define BLOCK         512
#define BOUNDARY      (512u << 10)
#define CAN_SDMA      0x00400000u
#define ADDRESS       0x12340000u /* of the card */
#define BLOCKS        (1u << 23)

/* Bits of the registers. */
#define COMMAND_DONE  0x00000001u
#define TRANSFER_DONE 0x00000002u
#define AT_BOUNDARY   0x00000008u
#define BUFFER_READY  0x00000020u
#define CARD_REMOVED  0x00000080u
#define ANY_ERROR     0x00008000u
#define NO_ANSWER     0x00010000u
#define BAD_CHECKSUM  0x00200000u /* of data */
#define CANNOT_REPAIR 0x00200000u /* of the card's status */

static struct {
    /* How they are. */
    uint32_t capabilities;
    bool old;         /* a card of version 1, which has addresses of bytes */
    bool other;       /* it is no SD card */
    uint32_t error;   /* of the controller, at the next read */
    uint32_t trouble; /* of the card, the same */
    bool mute;        /* reads are not answered */
    bool removed;
    bool gone; /* all of the controller */
    /* What they do. */
    uint32_t config[64];
    uint32_t address, argument, response[4], status, enabled, signals;
    uint16_t block_size, block_count, mode, clock;
    uint8_t host, power;
    bool special;         /* the command before was APP_CMD */
    unsigned begun;       /* how often the card was asked whether it is ready */
    uint32_t block, left; /* of a read that goes on */
    uint32_t word;        /* of the buffer, that is read next */
    unsigned reads, pauses, stops;
    unsigned strange; /* commands besides those that identify and read */
} sd;

static const char *image_path;
static struct machine machine;

/* ---- reads ---- */

/* Bit 15 is not enabled by itself (section 2.2.18): it shows that there is an error. */
static void raise(uint32_t causes)
{
    sd.status |= causes & sd.enabled;
    sd.status |= sd.status >> 16 != 0 ? ANY_ERROR : 0;
}

static void end_read(void)
{
    sd.stops += (sd.mode & 4) != 0;
    raise(TRANSFER_DONE);
}

/* Each word becomes the number of its block, until the controller stops at a boundary. */
static void transfer(void)
{
    while (sd.left > 0) {
        uint8_t *to = machine_memory(&machine, sd.address, 4);

        memcpy(to, &sd.block, 4);
        sd.address += 4;
        sd.word++;
        if (sd.word == BLOCK / 4) {
            sd.word = 0;
            sd.block++;
            sd.left--;
        }
        if (sd.address % BOUNDARY == 0 && sd.left > 0) {
            sd.pauses++;
            raise(AT_BOUNDARY);
            return;
        }
    }
    end_read();
}

static uint32_t read_buffer(void)
{
    const uint32_t value = sd.block;

    CHECK(sd.left > 0);
    sd.word++;
    if (sd.word == BLOCK / 4) {
        sd.word = 0;
        sd.block++;
        sd.left--;
        if (sd.left > 0) {
            raise(BUFFER_READY);
        } else {
            end_read();
        }
    }
    return value;
}

static void begin_read(bool several)
{
    const uint16_t needed = several ? 0x36 : 0x10;

    sd.reads++;
    CHECK((sd.config[COMMAND / 4] & 6) == 6);
    CHECK_EQUAL(sd.mode & 0x36, needed);
    CHECK_EQUAL(sd.block_size, 0x7000 | BLOCK);
    CHECK(!sd.old || sd.argument % BLOCK == 0);
    sd.block = sd.old ? sd.argument / BLOCK : sd.argument;
    sd.left = several ? sd.block_count : 1;
    sd.word = 0;
    if (sd.mute) {
        return;
    }
    if (sd.error != 0) {
        raise(COMMAND_DONE | sd.error);
        sd.error = 0;
        return;
    }
    sd.response[0] |= sd.trouble;
    sd.trouble = 0;
    raise(COMMAND_DONE);
    if ((sd.mode & 1) != 0) {
        transfer();
    } else {
        raise(BUFFER_READY);
    }
}

/* ---- commands ---- */

static void answer(uint32_t response)
{
    sd.response[0] = response;
    raise(COMMAND_DONE);
}

static void no_answer(void)
{
    raise(NO_ANSWER);
}

/* Behind APP_CMD. */
static void take_special(unsigned number)
{
    if (number == 41) {
        sd.begun++;
        answer((sd.begun > 2 ? 0x80000000u : 0) | (sd.old ? 0 : sd.argument & 0x40000000) |
               0x00ff8000);
    } else {
        sd.strange += number != 6 || sd.argument != 2;
        answer(0x920);
    }
}

static void send_csd(void)
{
    sd.response[0] = 0;
    sd.response[1] = sd.old ? 0xffc00380 : (BLOCKS / 1024 - 1) << 8;
    sd.response[2] = sd.old ? 0x0903 : 0x0900;
    sd.response[3] = sd.old ? 0 : 0x00400000;
    raise(COMMAND_DONE);
}

static void take_command(uint16_t command)
{
    const unsigned number = command >> 8;

    CHECK(sd.power == 0x0f && (sd.clock & 7) == 7);
    if (sd.special) {
        sd.special = false;
        take_special(number);
        return;
    }
    switch (number) {
    case 0:
        raise(COMMAND_DONE);
        break;
    case 2:
    case 7:
    case 12:
    case 13:
    case 16:
        answer(0x900);
        break;
    case 3:
        answer(ADDRESS);
        break;
    case 8:
        if (sd.old) {
            no_answer();
        } else {
            answer(sd.argument);
        }
        break;
    case 9:
        send_csd();
        break;
    case 17:
    case 18:
        answer(0x900);
        sd.status &= ~COMMAND_DONE;
        begin_read(number == 18);
        break;
    case 55:
        sd.special = !sd.other;
        if (sd.other) {
            no_answer();
        } else {
            answer(0x920);
        }
        break;
    default:
        sd.strange++;
    }
}

/* ---- registers ---- */

static uint32_t present(void)
{
    return sd.removed ? 0x00020000 : 0x00030000 | (sd.left > 0 && (sd.mode & 1) == 0 ? 0x800 : 0);
}

static uint64_t read_register(void *context, uint64_t offset)
{
    (void)context;
    if (sd.gone) {
        return ONES;
    }
    switch (offset) {
    case 0x10:
    case 0x14:
    case 0x18:
    case 0x1c:
        return sd.response[(offset - 0x10) / 4];
    case 0x20:
        return read_buffer();
    case 0x24:
        return present();
    case 0x2c:
        return sd.clock | ((sd.clock & 1) != 0 ? 2 : 0);
    case 0x2f:
        return 0; /* it is reset at once */
    case 0x30:
        return sd.status;
    case 0x34:
        return sd.enabled;
    case 0x40:
        return sd.capabilities;
    case 0xfe:
        return 2; /* version 3 */
    default:
        CHECK_EQUAL(offset, 0);
        return 0;
    }
}

static void write_reset(uint32_t value)
{
    if ((value & 1) != 0) {
        sd.power = 0;
        sd.clock = 0;
        sd.enabled = 0;
        sd.signals = 0;
        sd.special = false;
    }
    sd.left = 0;
}

static void write_transfer_register(uint64_t offset, uint32_t value)
{
    switch (offset) {
    case 0x00:
        sd.address = value;
        if (sd.left > 0) {
            transfer();
        }
        break;
    case 0x04:
        sd.block_size = (uint16_t)value;
        break;
    case 0x06:
        sd.block_count = (uint16_t)value;
        break;
    case 0x08:
        sd.argument = value;
        break;
    case 0x0c:
        sd.mode = (uint16_t)value;
        break;
    default:
        CHECK_EQUAL(offset, 0x0e);
        take_command((uint16_t)value);
    }
}

static void write_register(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    if (offset < 0x10) {
        write_transfer_register(offset, (uint32_t)value);
        return;
    }
    switch (offset) {
    case 0x28:
        sd.host = (uint8_t)value;
        break;
    case 0x29:
        sd.power = (uint8_t)value;
        break;
    case 0x2c:
        sd.clock = (uint16_t)(value | ((value & 1) != 0 ? 2 : 0));
        break;
    case 0x2e:
        break;
    case 0x2f:
        write_reset((uint32_t)value);
        break;
    case 0x30:
        sd.status &= ~(uint32_t)value;
        raise(0);
        break;
    case 0x34:
        sd.enabled = (uint32_t)value;
        break;
    default:
        CHECK_EQUAL(offset, 0x38);
        sd.signals = (uint32_t)value;
    }
}

/* ---- the machine ---- */

/* A controller of 50 MHz with a card of 4 GiB. */
static void begin(void)
{
    memset(&sd, 0, sizeof(sd));
    sd.config[0] = 0x00071b36;
    sd.config[COMMAND / 4] = 0x0001; /* firmware left its memory off */
    sd.config[2] = 0x08050100;
    sd.config[4] = (uint32_t)REGISTERS;
    sd.capabilities = 0x01003200 | CAN_SDMA;
}

static struct block_disk *find(uint64_t *address)
{
    disk_guest_open(&machine, image_path, TSC_HZ);
    disk_guest_plug(PLACE, sd.config, NULL);
    machine_map_device(&machine, REGISTERS, read_register, write_register, NULL);
    disk_guest_find("sdhci_driver");
    return disk_guest_disk(0, address);
}

static struct block_disk *find_and_open(uint64_t *address)
{
    struct block_disk *disk = find(address);

    CHECK_TEXT(disk_guest_text(disk->unusable), NULL);
    disk_guest_open_disk(*address, 1);
    return disk;
}

static void close_machine(uint64_t address)
{
    disk_guest_call("block_close", 1, &address);
    CHECK_EQUAL(sd.config[COMMAND / 4], 0x0001);
    CHECK_EQUAL(sd.signals, 0);
    CHECK_EQUAL(sd.strange, 0);
    machine_close(&machine);
}

static void read_some(uint64_t address, uint64_t block, uint32_t blocks)
{
    const struct block_request *request = disk_guest_submit(address, block, blocks);

    disk_guest_finish(address, request);
    CHECK_EQUAL(request->error, BLOCK_GOOD);
    const size_t bytes = (size_t)blocks * BLOCK;
    const uint32_t *words = machine_memory(&machine, (uint64_t)(uintptr_t)request->to, bytes);
    unsigned wrong = 0;

    for (size_t i = 0; i < bytes / 4; i++) {
        wrong += words[i] != block + 4 * i / BLOCK;
    }
    CHECK_EQUAL(wrong, 0);
}

/* ---- tests ---- */

static void test_find(void)
{
    uint64_t address;

    begin();
    const struct block_disk *disk = find(&address);

    CHECK_TEXT(disk->name, "sd0");
    CHECK(disk->unusable == NULL);
    CHECK_EQUAL(disk->blocks, BLOCKS);
    CHECK_EQUAL(disk->block_bytes, BLOCK);
    CHECK_EQUAL(disk->depth_max, 1);
    CHECK_EQUAL(disk->blocks_max, BOUNDARY / BLOCK);
    CHECK_EQUAL(sd.host, 2);            /* four lines */
    CHECK_EQUAL(sd.clock >> 6, 1 << 2); /* 50 MHz / 2 */
    CHECK_EQUAL(sd.begun, 3);
    CHECK_EQUAL(sd.signals, 0);
    close_machine(address);
}

static void test_old_card(void)
{
    uint64_t address;

    begin();
    sd.old = true;
    const struct block_disk *disk = find_and_open(&address);

    CHECK_EQUAL(disk->blocks, 1 << 21); /* 1 GiB */
    read_some(address, 12345, 1);
    read_some(address, 54321, 3);
    close_machine(address);
}

static void test_other_card(void)
{
    uint64_t address;

    begin();
    sd.other = true;
    const struct block_disk *disk = find(&address);

    CHECK_TEXT(disk_guest_text(disk->unusable), "not an SD memory card");
    CHECK(disk->foreign);
    close_machine(address);
}

/* A read as long as the boundaries are apart crosses one. */
static void test_reads(void)
{
    for (unsigned sdma = 0; sdma < 2; sdma++) {
        uint64_t address;

        begin();
        sd.capabilities &= sdma == 1 ? ONES : ~CAN_SDMA;
        find_and_open(&address);
        read_some(address, 0, 1);
        read_some(address, BLOCKS - 1, 1);
        CHECK_EQUAL(sd.stops, 0);
        read_some(address, 77, 8);
        read_some(address, 777, BOUNDARY / BLOCK);
        CHECK_EQUAL(sd.stops, 2);
        CHECK_EQUAL(sd.reads, 4);
        CHECK_EQUAL(sd.pauses, sdma);
        close_machine(address);
    }
}

static const struct block_request *read_badly(uint64_t address)
{
    const struct block_request *request = disk_guest_submit(address, 4711, 8);

    disk_guest_finish(address, request);
    return request;
}

static void test_errors(void)
{
    uint64_t address;

    begin();
    const struct block_disk *disk = find_and_open(&address);

    sd.error = BAD_CHECKSUM;
    const struct block_request *request = read_badly(address);

    CHECK_EQUAL(request->error, BLOCK_DEVICE);
    CHECK_EQUAL(request->status, BAD_CHECKSUM);
    read_some(address, 1, 2);
    sd.trouble = CANNOT_REPAIR;
    request = read_badly(address);
    CHECK_EQUAL(request->error, BLOCK_MEDIUM);
    CHECK_EQUAL(request->status, CANNOT_REPAIR);
    read_some(address, 1, 2);
    CHECK(disk->unusable == NULL);
    close_machine(address);
}

static void test_mute(void)
{
    uint64_t address;

    begin();
    const struct block_disk *disk = find_and_open(&address);

    sd.mute = true;
    const struct block_request *request = read_badly(address);

    CHECK_EQUAL(request->error, BLOCK_TIMEOUT);
    CHECK(request->completed - request->submitted >= 2 * TSC_HZ);
    CHECK(disk->unusable != NULL);
    close_machine(address);
}

static void test_taken_out(void)
{
    for (unsigned all = 0; all < 2; all++) {
        uint64_t address;

        begin();
        const struct block_disk *disk = find_and_open(&address);

        sd.mute = true;
        const struct block_request *request = disk_guest_submit(address, 1, 1);

        disk_guest_call("block_poll", 1, &address);
        CHECK(!request->finished);
        sd.removed = true;
        raise(CARD_REMOVED);
        sd.gone = all == 1;
        disk_guest_call("block_poll", 1, &address);
        CHECK(request->finished);
        CHECK_EQUAL(request->error, BLOCK_GONE);
        CHECK_TEXT(disk_guest_text(disk->unusable), all == 1
                                                        ? "its controller is not there any longer"
                                                        : "the card is not there any longer");
        sd.gone = false;
        close_machine(address);
    }
}

int main(int argc, char **argv)
{
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_find());
    RUN(test_old_card());
    RUN(test_other_card());
    RUN(test_reads());
    RUN(test_errors());
    RUN(test_mute());
    RUN(test_taken_out());
    return unit_finish("sdhci_machine");
}
