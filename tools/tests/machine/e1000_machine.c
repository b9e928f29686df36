/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's driver of Intel's NICs on a NIC that no emulator offers: one that reports frames of
 * lengths that cannot be, in pieces, damaged or without end; that sends nothing, is unplugged, has
 * no cable, no address, or queues that stay off; and the models that QEMU lacks. The NIC takes
 * writes to the registers that a driver needs, and fails the test at any other: none of them
 * outlasts a reset.
 *
 *     e1000_machine [IMAGE.elf]
 */
#include "kernel/net/nic.h"
#include "tools/tests/machine/disk_guest.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE "build/image/tare.elf"
#define TSC_HZ        5000 /* of the image's clock: a wait of 2 s is short */
#define PAGE          4096u
#define REGISTERS     0x900000000ull /* above 4 GiB */
#define PAGES         6u
#define PLACE         (4u << 3)
#define COMMAND       0x04
#define AS_FOUND      0x00100000u /* firmware left it off */
#define RETURN        0xc3        /* RET */
#define SLOTS         128         /* of the driver's ring that receives; half as many send */

#define ID_82540EM 0x100e
#define ID_82574L  0x10d3
#define ID_I210    0x1533
#define ID_I219    0x156f

#define CTRL   0x0000
#define STATUS 0x0008
#define IMC    0x00d8
#define RCTL   0x0100
#define TCTL   0x0400
#define RDBAL  0x2800
#define RDLEN  0x2808
#define RDH    0x2810
#define RDT    0x2818
#define RXDCTL 0x2828
#define TDBAL  0x3800
#define TDLEN  0x3808
#define TDH    0x3810
#define TDT    0x3818
#define TXDCTL 0x3828
#define MPC    0x4010
#define RAL    0x5400
#define RAH    0x5404

#define ENABLE     0x2u
#define CTRL_RESET 0x04000000u
#define CTRL_QUIET 0x4u
#define DONE       0x1u
#define WHOLE      0x2u

static struct {
    /* How it is. */
    uint16_t id;
    bool gone, no_link, no_address, mute, queues_stay_off;
    bool without_end; /* a frame comes in whenever one was handed on */
    /* What it does. */
    uint32_t config[64];
    uint32_t word[PAGES * PAGE / 4];
    unsigned resets;
    unsigned strange; /* writes to other registers than those a driver needs */
    unsigned sent;
    uint8_t frame[2048]; /* the last one that was sent */
    uint32_t length;
    /* What the image's user had. */
    unsigned received;
    uint32_t received_length;
    uint8_t first; /* byte of it */
} nic;

static const char *image_path;
static struct machine machine;
static uint16_t machine_has; /* id of its NIC; 0: it is not open */
static uint64_t stub;        /* the user's receive() in the guest */

static void *at(uint64_t address, size_t bytes)
{
    return machine_memory(&machine, address, bytes);
}

/* ---- the NIC ---- */

struct rx_descriptor {
    uint64_t address;
    uint16_t length, checksum;
    uint8_t status, errors;
    uint16_t special;
};

struct tx_descriptor {
    uint64_t address;
    uint16_t length;
    uint8_t checksum_offset, command, status, checksum_start;
    uint16_t special;
};

static uint32_t *word(uint32_t offset)
{
    return &nic.word[offset / 4];
}

static uint64_t ring(uint32_t low)
{
    return (uint64_t)*word(low + 4) << 32 | *word(low);
}

static bool may_access(void)
{
    return (nic.config[COMMAND / 4] & 6) == 6 && (*word(CTRL) & CTRL_QUIET) == 0;
}

/* One descriptor; false: the NIC has none, or does not receive. */
static bool deliver_part(uint16_t length, uint8_t status, uint8_t errors, uint8_t first)
{
    const uint32_t slots = *word(RDLEN) / 16;

    if ((*word(RCTL) & ENABLE) == 0 || *word(RDH) == *word(RDT)) {
        return false;
    }
    CHECK(may_access());
    struct rx_descriptor *descriptor = at(ring(RDBAL) + 16ull * *word(RDH), 16);

    CHECK_EQUAL(descriptor->status, 0);
    memset(at(descriptor->address, 2048), first, length < 2048 ? length : 2048);
    descriptor->length = length;
    descriptor->errors = errors;
    descriptor->status = status;
    *word(RDH) = (*word(RDH) + 1) % slots;
    return true;
}

static bool deliver(uint16_t length, uint8_t first)
{
    return deliver_part(length, DONE | WHOLE, 0, first);
}

static void send_frames(void)
{
    const uint32_t slots = *word(TDLEN) / 16;

    CHECK(may_access() && *word(TDT) < slots);
    while ((*word(TCTL) & ENABLE) != 0 && !nic.mute && *word(TDH) != *word(TDT)) {
        struct tx_descriptor *descriptor = at(ring(TDBAL) + 16ull * *word(TDH), 16);

        CHECK_EQUAL(descriptor->command, 0x0b);
        nic.length = descriptor->length;
        memcpy(nic.frame, at(descriptor->address, nic.length), nic.length);
        descriptor->status = DONE;
        nic.sent++;
        *word(TDH) = (*word(TDH) + 1) % slots;
    }
}

static void power_on(void)
{
    memset(nic.word, 0, sizeof(nic.word));
    *word(RAL) = 0x12005452;
    *word(RAH) = nic.no_address ? 0x5634 : 0x80005634;
}

static uint64_t read_register(void *context, uint64_t offset)
{
    const uint32_t all = (uint32_t)(uintptr_t)context * PAGE + (uint32_t)offset;

    CHECK_EQUAL(machine.register_bytes, 4);
    if (nic.gone) {
        return UINT32_MAX;
    }
    if (all == STATUS) {
        return (nic.no_link ? 0 : 2) | ((*word(CTRL) & CTRL_QUIET) != 0 ? 0 : 0x80000);
    }
    return *word(all);
}

/* A driver needs no other ones: not those of EEPROM, flash and PHY. */
static bool is_needed(uint32_t offset)
{
    static const uint32_t needed[] = {CTRL, 0x18, 0xc0,  0xc8,   0xd0,   IMC,    0xe4,
                                      RCTL, TCTL, 0x410, 0x2820, RXDCTL, 0x282c, TXDCTL};

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (offset == needed[i]) {
            return true;
        }
    }
    return (offset >= RDBAL && offset <= RDT) || (offset >= TDBAL && offset <= TDT) ||
           (offset >= 0x5200 && offset < 0x5400);
}

static void write_register(void *context, uint64_t offset, uint64_t value)
{
    const uint32_t all = (uint32_t)(uintptr_t)context * PAGE + (uint32_t)offset;

    CHECK_EQUAL(machine.register_bytes, 4);
    nic.strange += is_needed(all) ? 0 : 1;
    if (nic.gone) {
        return;
    }
    if (nic.queues_stay_off && (all == RXDCTL || all == TXDCTL)) {
        value = 0;
    }
    *word(all) = (uint32_t)value;
    if (all == CTRL && (value & CTRL_RESET) != 0) {
        CHECK((value & 0x80000000u) == 0); /* not the PHY */
        nic.resets++;
        power_on();
    } else if (all == TDT && (*word(TCTL) & ENABLE) != 0) {
        send_frames();
    }
}

/* ---- the image ---- */

/* The driver hands a frame on. */
static void on_receive(struct machine *emulated, void *context)
{
    const struct nic_frame *frame = at(machine_argument(emulated, 1), sizeof(*frame));

    (void)context;
    nic.received++;
    nic.received_length = frame->length;
    nic.first = *(const uint8_t *)at((uint64_t)(uintptr_t)frame->bytes, frame->length);
    if (nic.without_end) {
        deliver(60, 1);
    }
}

static void begin(uint16_t id)
{
    memset(&nic, 0, sizeof(nic));
    nic.id = id;
}

/* Another machine, whose only NIC is found. */
static void find(void)
{
    if (machine_has != 0) {
        machine_close(&machine);
    }
    machine_has = nic.id;
    disk_guest_open(&machine, image_path, TSC_HZ);
    for (uintptr_t i = 0; i < PAGES; i++) {
        machine_map_device(&machine, REGISTERS + i * PAGE, read_register, write_register,
                           (void *)i);
    }
    machine_watch(&machine, image_elf_symbol(&machine.image, "nic_received"), on_receive, NULL);
    stub = machine_allocate(&machine, 64);
    *(uint8_t *)at(stub, 1) = RETURN;
    disk_guest_plug(PLACE, nic.config, NULL);
    const struct nic_driver *driver =
        at(image_elf_symbol(&machine.image, "e1000_driver"), sizeof(*driver));

    disk_guest_call_at((uint64_t)(uintptr_t)driver->find, 0, NULL);
}

/* The NIC, as new. */
static struct nic *renew(uint64_t *address)
{
    const uint64_t first = 0;

    nic.config[0] = (uint32_t)nic.id << 16 | 0x8086;
    nic.config[COMMAND / 4] = AS_FOUND;
    nic.config[2] = 0x02000000;
    nic.config[4] = (uint32_t)REGISTERS | 4;
    nic.config[5] = REGISTERS >> 32;
    power_on();
    if (machine_has != nic.id) {
        find();
    }
    *address = disk_guest_call("nic_at", 1, &first);
    struct nic *found = at(*address, sizeof(*found));

    found->given_up = NULL;
    return found;
}

/* Polled; the text of why not, or NULL. */
static const char *open_nic(uint64_t address)
{
    const uint64_t arguments[] = {address, machine_allocate(&machine, sizeof(struct nic_user))};
    struct nic_user *user = at(arguments[1], sizeof(*user));

    memcpy(&user->receive, &stub, sizeof(stub));
    return disk_guest_text((const char *)(uintptr_t)disk_guest_call("nic_open", 2, arguments));
}

static struct nic *open_good(uint16_t id, uint64_t *address)
{
    begin(id);
    struct nic *found = renew(address);

    CHECK_TEXT(found->name, "eth0");
    CHECK_TEXT(open_nic(*address), NULL);
    CHECK(memcmp(found->mac, "\x52\x54\x00\x12\x34\x56", NIC_MAC_BYTES) == 0);
    return found;
}

static void poll_nic(uint64_t address)
{
    disk_guest_call("nic_poll", 1, &address);
}

static bool send_frame(uint64_t address, uint64_t length)
{
    static uint64_t bytes;
    const uint64_t arguments[] = {address, bytes != 0 ? bytes : machine_allocate(&machine, 2048),
                                  length};

    memset(at(arguments[1], length), 0x5a, length);
    return (disk_guest_call("nic_send", 3, arguments) & 0xff) != 0;
}

/* It is as it was found, and does nothing any more. */
static void close_nic(uint64_t address)
{
    disk_guest_call("nic_close", 1, &address);
    CHECK_EQUAL(nic.config[COMMAND / 4], AS_FOUND);
    CHECK_EQUAL((*word(RCTL) | *word(TCTL)) & ENABLE, 0);
    CHECK_EQUAL(nic.strange, 0);
}

/* ---- tests ---- */

static void check_works(uint16_t id, unsigned resets, uint16_t frames)
{
    uint64_t address;
    const struct nic *opened = open_good(id, &address);

    CHECK_EQUAL(nic.resets, resets);
    for (uint16_t i = 0; i < frames; i++) {
        const uint16_t length = i % 2 == 0 ? 60 : NIC_FRAME_MAX;

        CHECK(deliver(length, (uint8_t)i));
        poll_nic(address);
        CHECK_EQUAL(nic.received, i + 1);
        CHECK_EQUAL(nic.received_length, length);
        CHECK_EQUAL(nic.first, (uint8_t)i);
        CHECK(send_frame(address, length));
        CHECK_EQUAL(nic.sent, i + 1);
        CHECK_EQUAL(nic.length, length);
        CHECK_EQUAL(nic.frame[length - 1], 0x5a);
    }
    CHECK(send_frame(address, 1)); /* the rest is zeroes */
    CHECK_EQUAL(nic.length, NIC_FRAME_MIN);
    CHECK_EQUAL(nic.frame[1], 0);
    CHECK(!send_frame(address, NIC_FRAME_MAX + 1));
    CHECK_EQUAL(opened->counts.damaged, 0);
    CHECK(opened->unproven == (id == ID_I210 || id == ID_I219));
    close_nic(address);
}

static void test_models(void)
{
    check_works(ID_82574L, 1, 300);
    check_works(ID_82540EM, 1, 4);
    check_works(ID_I210, 1, 4);
    check_works(ID_I219, 0, 4); /* it hangs where a reset finds descriptors */
}

/* What is no frame is dropped, and the next one comes in. */
static void test_damaged(void)
{
    static const struct {
        uint16_t length;
        uint8_t errors;
    } bad[] = {{0, 0},     {13, 0},    {1515, 0},    {2048, 0},
               {60, 0x80}, {60, 0x01}, {1514, 0x02}, {60, 0x04}};
    uint64_t address;
    const struct nic *opened = open_good(ID_82574L, &address);
    unsigned i = 0;

    for (; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(deliver_part(bad[i].length, DONE | WHOLE, bad[i].errors, 0));
        poll_nic(address);
        CHECK_EQUAL(nic.received, i);
        CHECK_EQUAL(opened->counts.damaged, i + 1);
        CHECK(deliver(60, 9));
        poll_nic(address);
        CHECK_EQUAL(nic.received, i + 1);
    }
    for (unsigned part = 0; part < 3; part++) {
        CHECK(deliver_part(2048, DONE, 0, 0));
        poll_nic(address);
    }
    CHECK(deliver(60, 9)); /* the end of that one */
    poll_nic(address);
    CHECK_EQUAL(nic.received, i);
    CHECK_EQUAL(opened->counts.damaged, i + 1);
    CHECK(deliver(60, 9));
    poll_nic(address);
    CHECK_EQUAL(nic.received, i + 1);
    CHECK(opened->given_up == NULL);
    close_nic(address);
}

/* Descriptors without sense: what is handed on is a frame, and all else is counted. */
static void test_random(void)
{
    uint64_t address;
    const struct nic *opened = open_good(ID_82574L, &address);
    uint64_t state = 1;

    for (unsigned i = 0; i < 400; i++) {
        unit_random(&state);
        const uint16_t length = (uint16_t)((state >> 20) % 2049);

        CHECK(deliver_part(length, (uint8_t)(state >> 40) | DONE,
                           (uint8_t)(state >> 48 & state >> 56), 0));
        const unsigned before = nic.received;

        poll_nic(address);
        CHECK(nic.received <= before + 1);
        CHECK(nic.received == before || (length >= 14 && length <= NIC_FRAME_MAX));
    }
    CHECK(nic.received > 10 && opened->counts.damaged > 10);
    CHECK(nic.received + opened->counts.damaged <= 400);
    CHECK(opened->given_up == NULL);
    close_nic(address);
}

static void check_given_up(uint64_t address, const struct nic *opened, const char *why)
{
    CHECK_TEXT(disk_guest_text(opened->given_up), why);
    const unsigned received = nic.received;

    nic.gone = false;
    CHECK_EQUAL((*word(RCTL) | *word(TCTL)) & ENABLE, 0);
    poll_nic(address);
    CHECK(!send_frame(address, 60));
    CHECK_EQUAL(nic.received, received);
    close_nic(address);
}

static void test_longer_than_memory(void)
{
    uint64_t address;
    const struct nic *opened = open_good(ID_82574L, &address);

    CHECK(deliver(2049, 1));
    poll_nic(address);
    CHECK_EQUAL(nic.received, 0);
    check_given_up(address, opened, "it reports a frame that is longer than its memory");
}

static void test_sends_nothing(void)
{
    uint64_t address;
    const struct nic *opened = open_good(ID_82574L, &address);
    unsigned taken = 0;

    nic.mute = true;
    while (send_frame(address, 60)) {
        taken++;
    }
    CHECK(taken == SLOTS / 2 - 1);
    CHECK_EQUAL(opened->counts.refused, 1);
    const uint64_t begin_tsc = machine_tsc(&machine);

    while (opened->given_up == NULL && machine_tsc(&machine) - begin_tsc < 4 * TSC_HZ) {
        send_frame(address, 60);
    }
    check_given_up(address, opened, "it has not sent a frame for 2 s");
}

static void test_unplugged(void)
{
    uint64_t address;
    const struct nic *opened = open_good(ID_82574L, &address);
    const uint64_t begin_tsc = machine_tsc(&machine);

    nic.gone = true;
    while (opened->given_up == NULL && machine_tsc(&machine) - begin_tsc < TSC_HZ) {
        poll_nic(address);
    }
    CHECK_EQUAL(opened->counts.lost, 0);
    CHECK_TEXT(disk_guest_text(opened->given_up), "it has disappeared");
    disk_guest_call("nic_close", 1, &address);
}

/* A flood does not keep the processor: a poll ends. What was missed is counted. */
static void test_flood(void)
{
    uint64_t address;
    const struct nic *opened = open_good(ID_82574L, &address);
    unsigned given = 0;

    while (deliver(60, 1)) {
        given++;
    }
    CHECK_EQUAL(given, SLOTS - 1);
    *word(MPC) = 7;
    nic.without_end = true;
    poll_nic(address);
    CHECK_EQUAL(nic.received, SLOTS);
    CHECK(*word(0xc8) != 0); /* it is made to interrupt once more */
    nic.without_end = false;
    poll_nic(address);
    CHECK(opened->given_up == NULL);
    disk_guest_call("nic_close", 1, &address);
    CHECK(opened->counts.lost >= 7);
}

static void check_not_opened(const char *why)
{
    uint64_t address;
    const struct nic *found = renew(&address);

    CHECK_TEXT(open_nic(address), why);
    CHECK(!found->open);
    nic.gone = false;
    CHECK_EQUAL(nic.config[COMMAND / 4], AS_FOUND);
    CHECK_EQUAL((*word(RCTL) | *word(TCTL)) & ENABLE, 0);
    CHECK_EQUAL(nic.strange, 0);
}

static void test_not_opened(void)
{
    begin(ID_82574L);
    nic.no_link = true;
    check_not_opened("no link within 5 s: is its cable connected?");
    begin(ID_82574L);
    nic.no_address = true;
    check_not_opened("its registers RAL and RAH hold no valid MAC address");
    begin(ID_82574L);
    nic.gone = true;
    check_not_opened("it does not answer");
    begin(ID_I210);
    nic.queues_stay_off = true;
    check_not_opened("its queues cannot be enabled");
}

int main(int argc, char **argv)
{
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_damaged());
    RUN(test_random());
    RUN(test_longer_than_memory());
    RUN(test_sends_nothing());
    RUN(test_unplugged());
    RUN(test_flood());
    RUN(test_not_opened());
    RUN(test_models());
    machine_close(&machine);
    return unit_finish("e1000_machine");
}
