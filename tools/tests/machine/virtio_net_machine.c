/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's driver of virtio NICs on a device that no emulator offers: one that reports buffers
 * that it was not given, more of them than there are, and lengths that cannot be; that sends
 * nothing, breaks, is unplugged, is old, takes no features, has no address or no link. Polled.
 *
 *     virtio_net_machine [IMAGE.elf]
 */
#include "kernel/net/nic.h"
#include "tools/tests/machine/disk_guest.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE "build/image/tare.elf"
#define TSC_HZ        5000           /* of the image's clock: a wait of 2 s is short */
#define REGISTERS     0x900000000ull /* above 4 GiB */
#define COMMON        0x000u
#define INTERRUPT     0x100u
#define DEVICE        0x200u
#define BELLS         0x300u /* of each queue, by a factor */
#define FACTOR        16u
#define PLACE         (4u << 3)
#define COMMAND       0x04
#define AS_FOUND      0x00100000u /* firmware left it off */
#define RETURN        0xc3        /* RET */
#define ENTRIES       16u
#define QUEUES        3u
#define RECEIVE       0
#define TRANSMIT      1
#define CONTROL       2
#define HEADER        12u
#define STATUS        0x14
#define OFFERED       0x00ff0ba3u /* offloads too, which are not taken */
#define TAKEN         0x00070020u /* MAC, status, control queue, its modes */
#define BROKEN        0x40u

struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
};

struct queue {
    uint64_t part[3];
    uint16_t enabled, seen;
};

static struct {
    /* How it is. */
    bool old, stubborn, no_address, no_link, mute, broken, gone;
    /* What it does. */
    uint32_t config[64];
    uint8_t status;
    uint32_t select, take_select, taken[2];
    uint16_t queue_select;
    struct queue queues[QUEUES];
    unsigned sent, commands;
    uint8_t frame[2048]; /* the last one that was sent */
    uint32_t length;
    /* What the image's user had. */
    unsigned received;
    uint32_t received_length;
    uint8_t first; /* byte of it */
} nic;

static const char *image_path;
static struct machine machine;
static bool machine_open_already;
static uint64_t stub; /* the user's receive() in the guest */

static void *at(uint64_t address, size_t bytes)
{
    return machine_memory(&machine, address, bytes);
}

/* ---- queues ---- */

static struct descriptor *descriptor_of(const struct queue *queue, uint16_t id)
{
    return (struct descriptor *)at(queue->part[0], ENTRIES * sizeof(struct descriptor)) + id;
}

/* The next chain of the driver's; false: there is none. */
static bool next_chain(struct queue *queue, uint16_t *id)
{
    const uint16_t *available = at(queue->part[1], 4 + 2 * ENTRIES);

    CHECK((nic.config[COMMAND / 4] & 6) == 6);
    CHECK_EQUAL(nic.status & 0x0f, 0x0f);
    CHECK_EQUAL(queue->enabled, 1);
    if (queue->seen == available[1]) {
        return false;
    }
    *id = available[2 + queue->seen++ % ENTRIES];
    CHECK(*id < ENTRIES);
    return true;
}

static void report(const struct queue *queue, uint32_t id, uint32_t length)
{
    uint16_t *used = at(queue->part[2], 4 + 8 * ENTRIES);
    const uint32_t done[] = {id, length};

    memcpy(used + 2 + 4 * (used[1] % ENTRIES), done, sizeof(done));
    used[1]++;
}

/* A frame comes in, of which the device reports `length` bytes, its header included, in the buffer
 * `other` behind the one that it was given. */
static bool deliver_as(uint32_t length, uint32_t other, uint8_t first)
{
    struct queue *queue = &nic.queues[RECEIVE];
    uint16_t id = 0;

    if (!next_chain(queue, &id)) {
        return false;
    }
    const struct descriptor *descriptor = descriptor_of(queue, id);

    CHECK_EQUAL(descriptor->flags, 2);
    CHECK_EQUAL(descriptor->length, 2048);
    memset(at(descriptor->address, 2048), first, 2048);
    report(queue, id + other, length);
    return true;
}

static bool deliver(uint32_t length, uint8_t first)
{
    return deliver_as(HEADER + length, 0, first);
}

static void send_frames(void)
{
    struct queue *queue = &nic.queues[TRANSMIT];
    uint16_t id = 0;

    while (!nic.mute && next_chain(queue, &id)) {
        static const uint8_t zeroes[HEADER];
        const struct descriptor *descriptor = descriptor_of(queue, id);
        const uint8_t *bytes = at(descriptor->address, descriptor->length);

        CHECK_EQUAL(descriptor->flags, 0);
        CHECK(memcmp(bytes, zeroes, HEADER) == 0); /* it asks for no offload */
        nic.length = descriptor->length - HEADER;
        memcpy(nic.frame, bytes + HEADER, nic.length);
        nic.sent++;
        report(queue, id, 0);
    }
}

/* Promiscuous reception off is the only command. */
static void take_commands(void)
{
    struct queue *queue = &nic.queues[CONTROL];
    uint16_t id = 0;

    while (next_chain(queue, &id)) {
        static const uint8_t off[3];
        const struct descriptor *head = descriptor_of(queue, id);
        const struct descriptor *value = descriptor_of(queue, head->next);
        const struct descriptor *answer = descriptor_of(queue, value->next);

        CHECK(head->flags == 1 && value->flags == 1 && answer->flags == 2);
        CHECK(head->length == 2 && value->length == 1 && answer->length == 1);
        CHECK(memcmp(at(head->address, 2), off, 2) == 0);
        CHECK(memcmp(at(value->address, 1), off, 1) == 0);
        nic.commands++;
        report(queue, id, 1);
    }
}

/* ---- registers ---- */

static uint64_t read_common(uint64_t offset)
{
    switch (offset) {
    case 0x04:
        return nic.select == 1 ? (nic.old ? 0 : 1) : OFFERED & ~(nic.no_address ? 0x20u : 0);
    case STATUS:
        return nic.status | (nic.broken ? BROKEN : 0);
    case 0x18:
        return ENTRIES;
    case 0x1e:
        return nic.queue_select;
    default:
        return 0;
    }
}

static uint64_t read_register(void *context, uint64_t offset)
{
    static const uint8_t mac[NIC_MAC_BYTES] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56};

    (void)context;
    if (nic.gone) {
        return UINT64_MAX;
    }
    if (offset >= DEVICE && offset < DEVICE + NIC_MAC_BYTES) {
        return mac[offset - DEVICE];
    }
    if (offset == DEVICE + NIC_MAC_BYTES) {
        return nic.no_link ? 0 : 1;
    }
    return offset < INTERRUPT ? read_common(offset) : 0;
}

static void write_status(uint8_t value)
{
    if (value == 0) {
        memset(nic.queues, 0, sizeof(nic.queues));
        memset(nic.taken, 0, sizeof(nic.taken));
    }
    nic.status = nic.stubborn ? value & ~8u : value;
}

static void write_common(uint64_t offset, uint64_t value)
{
    struct queue *queue = &nic.queues[nic.queue_select % QUEUES];

    switch (offset) {
    case 0x00:
        nic.select = (uint32_t)value;
        break;
    case 0x08:
        nic.take_select = (uint32_t)value;
        break;
    case 0x0c:
        nic.taken[nic.take_select & 1] = (uint32_t)value;
        break;
    case STATUS:
        write_status((uint8_t)value);
        break;
    case 0x16:
        nic.queue_select = (uint16_t)value;
        break;
    case 0x1c:
        queue->enabled = (uint16_t)value;
        break;
    default:
        if (offset >= 0x20 && offset < 0x38) {
            memcpy((uint8_t *)queue->part + (offset - 0x20), &value, 4);
        }
    }
}

static void write_register(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    if (nic.gone) {
        return;
    }
    if (offset < INTERRUPT) {
        write_common(offset, value);
    } else if (offset == BELLS + TRANSMIT * FACTOR) {
        send_frames();
    } else if (offset == BELLS + CONTROL * FACTOR) {
        take_commands();
    } else {
        CHECK_EQUAL(offset, BELLS);
    }
}

/* ---- the image ---- */

static void on_receive(struct machine *emulated, void *context)
{
    const struct nic_frame *frame = at(machine_argument(emulated, 1), sizeof(*frame));

    (void)context;
    nic.received++;
    nic.received_length = frame->length;
    nic.first = *(const uint8_t *)at((uint64_t)(uintptr_t)frame->bytes, frame->length);
}

/* A capability that leads to registers; the list ends with kind 1. */
static void add_capability(unsigned kind, uint32_t offset)
{
    uint32_t *capability = &nic.config[0x40 / 4 + 8 * (4 - kind)];

    capability[0] = kind << 24 | 0x20u << 16 | (kind > 1 ? 0x40 + 32 * (5 - kind) : 0) << 8 | 0x09;
    capability[1] = 4; /* BAR */
    capability[2] = offset;
    capability[3] = 0x100;
    capability[4] = kind == 2 ? FACTOR : 0;
}

/* The device, as new. */
static void begin(void)
{
    memset(&nic, 0, sizeof(nic));
    nic.config[0] = 0x10411af4;
    nic.config[COMMAND / 4] = AS_FOUND;
    nic.config[2] = 0x02000000;
    nic.config[8] = (uint32_t)REGISTERS | 4;
    nic.config[9] = REGISTERS >> 32;
    nic.config[0x34 / 4] = 0x40;
    add_capability(1, COMMON);
    add_capability(2, BELLS);
    add_capability(3, INTERRUPT);
    add_capability(4, DEVICE);
}

/* The machine has one NIC for all tests, which is found once. */
static void open_machine(void)
{
    machine_open_already = true;
    disk_guest_open(&machine, image_path, TSC_HZ);
    machine_map_device(&machine, REGISTERS, read_register, write_register, NULL);
    machine_watch(&machine, image_elf_symbol(&machine.image, "nic_received"), on_receive, NULL);
    stub = machine_allocate(&machine, 64);
    *(uint8_t *)at(stub, 1) = RETURN;
    disk_guest_plug(PLACE, nic.config, NULL);
    const struct nic_driver *driver =
        at(image_elf_symbol(&machine.image, "virtio_net_driver"), sizeof(*driver));

    disk_guest_call_at((uint64_t)(uintptr_t)driver->find, 0, NULL);
}

/* NULL, or why it is not opened. */
static const char *try_open(uint64_t *address, struct nic **found)
{
    const uint64_t first = 0;

    if (!machine_open_already) {
        open_machine();
    }
    *address = disk_guest_call("nic_at", 1, &first);
    *found = at(*address, sizeof(**found));
    (*found)->given_up = NULL;
    const uint64_t arguments[] = {*address, machine_allocate(&machine, sizeof(struct nic_user))};
    struct nic_user *user = at(arguments[1], sizeof(*user));

    memcpy(&user->receive, &stub, sizeof(stub));
    return disk_guest_text((const char *)(uintptr_t)disk_guest_call("nic_open", 2, arguments));
}

static struct nic *open_good(uint64_t *address)
{
    struct nic *found = NULL;

    begin();
    CHECK_TEXT(try_open(address, &found), NULL);
    CHECK_TEXT(found->name, "eth0");
    CHECK(memcmp(found->mac, "\x52\x54\x00\x12\x34\x56", NIC_MAC_BYTES) == 0);
    CHECK_EQUAL(nic.taken[0], TAKEN);
    CHECK_EQUAL(nic.taken[1], 1);
    CHECK_EQUAL(nic.commands, 1);
    CHECK_EQUAL(nic.sent, 0); /* no frame leaves of itself */
    return found;
}

static void poll_nic(uint64_t address)
{
    disk_guest_call("nic_poll", 1, &address);
}

static bool send_frame(uint64_t address, uint64_t length)
{
    static uint64_t bytes;

    bytes = bytes != 0 ? bytes : machine_allocate(&machine, 2048);
    const uint64_t arguments[] = {address, bytes, length};

    memset(at(bytes, length), 0x5a, length);
    return (disk_guest_call("nic_send", 3, arguments) & 0xff) != 0;
}

static void close_nic(uint64_t address)
{
    disk_guest_call("nic_close", 1, &address);
    CHECK_EQUAL(nic.config[COMMAND / 4], AS_FOUND);
    CHECK_EQUAL(nic.status, 0);
}

/* It has no bus, and nothing is sent or handed on any more. */
static void check_given_up(uint64_t address, const struct nic *opened, const char *why)
{
    const unsigned received = nic.received;

    CHECK_TEXT(disk_guest_text(opened->given_up), why);
    CHECK_EQUAL(nic.config[COMMAND / 4] & 4, 0);
    poll_nic(address);
    CHECK(!send_frame(address, 60));
    CHECK_EQUAL(nic.received, received);
    nic.gone = false;
    nic.broken = false;
    close_nic(address);
}

/* ---- tests ---- */

static void test_frames(void)
{
    uint64_t address;
    const struct nic *opened = open_good(&address);

    for (uint32_t i = 0; i < 3 * ENTRIES; i++) { /* the rings wrap */
        const uint32_t length = i % 2 == 0 ? 14 : NIC_FRAME_MAX;

        CHECK(deliver(length, (uint8_t)i));
        poll_nic(address);
        CHECK_EQUAL(nic.received, i + 1);
        CHECK_EQUAL(nic.received_length, length);
        CHECK_EQUAL(nic.first, (uint8_t)i);
        CHECK(send_frame(address, length));
        CHECK_EQUAL(nic.sent, i + 1);
        CHECK_EQUAL(nic.length, length < NIC_FRAME_MIN ? NIC_FRAME_MIN : length);
        CHECK_EQUAL(nic.frame[length - 1], 0x5a);
    }
    unsigned given = 0;

    while (deliver(60, 1)) {
        given++;
    }
    CHECK_EQUAL(given, ENTRIES);
    poll_nic(address);
    CHECK_EQUAL(nic.received, 4 * ENTRIES);
    CHECK_EQUAL(opened->counts.damaged, 0);
    close_nic(address);
}

/* What is no frame is dropped, and the next one comes in. */
static void test_damaged(void)
{
    static const uint32_t lengths[] = {0, 1, 12, 25, 12 + 1515, 2048};
    uint64_t address;
    const struct nic *opened = open_good(&address);

    for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        CHECK(deliver_as(lengths[i], 0, 0));
        CHECK(deliver(60, 9));
        poll_nic(address);
        CHECK_EQUAL(nic.received, i + 1);
        CHECK_EQUAL(opened->counts.damaged, i + 1);
    }
    CHECK(opened->given_up == NULL);
    close_nic(address);
}

static void test_lies(void)
{
    static const uint32_t others[] = {ENTRIES, 0x10000, 0xfffffff0u};
    static const char foreign[] = "it reports memory that it was not given";
    uint64_t address;
    const struct nic *opened = NULL;

    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        opened = open_good(&address);
        CHECK(deliver_as(60, others[i], 0));
        poll_nic(address);
        check_given_up(address, opened, foreign);
        CHECK_EQUAL(nic.received, 0);
    }
    opened = open_good(&address);
    CHECK(deliver_as(2049, 0, 0));
    poll_nic(address);
    check_given_up(address, opened, "it reports a frame that is longer than its memory");

    opened = open_good(&address);
    uint16_t *used = at(nic.queues[RECEIVE].part[2], 4);

    used[1] = ENTRIES + 1;
    poll_nic(address);
    check_given_up(address, opened, "it reports more frames than it was given memory for");
}

/* Frames that were sent, of which it reports others. */
static void test_lies_of_sent(void)
{
    uint64_t address;
    const struct nic *opened = open_good(&address);

    nic.mute = true;
    while (send_frame(address, 60)) {
    }
    report(&nic.queues[TRANSMIT], ENTRIES, 0);
    CHECK(!send_frame(address, 60));
    check_given_up(address, opened, "it reports memory that it was not given");
}

static void test_silence(void)
{
    uint64_t address;
    const struct nic *opened = open_good(&address);
    unsigned taken = 0;

    nic.mute = true;
    while (send_frame(address, 60)) {
        taken++;
    }
    CHECK_EQUAL(taken, ENTRIES);
    const uint64_t begun = machine_tsc(&machine);

    while (opened->given_up == NULL && machine_tsc(&machine) - begun < 4 * TSC_HZ) {
        send_frame(address, 60);
    }
    check_given_up(address, opened, "it has not sent a frame for 2 s");
}

static void poll_until_given_up(uint64_t address, const struct nic *opened)
{
    const uint64_t begun = machine_tsc(&machine);

    while (opened->given_up == NULL && machine_tsc(&machine) - begun < TSC_HZ) {
        poll_nic(address);
    }
}

static void test_failures(void)
{
    uint64_t address;
    const struct nic *opened = open_good(&address);

    nic.broken = true;
    poll_until_given_up(address, opened);
    check_given_up(address, opened, "it reports that it needs a reset");

    opened = open_good(&address);
    nic.gone = true;
    poll_until_given_up(address, opened);
    check_given_up(address, opened, "its registers do not answer");
}

static void check_not_opened(const char *why)
{
    uint64_t address;
    struct nic *found = NULL;

    CHECK_TEXT(try_open(&address, &found), why);
    CHECK(!found->open);
    CHECK_EQUAL(nic.config[COMMAND / 4], AS_FOUND);
}

static void test_unusable(void)
{
    begin();
    nic.old = true;
    check_not_opened("it is older than virtio 1.0");
    begin();
    nic.stubborn = true;
    check_not_opened("it requires features that this driver does not support");
    begin();
    nic.no_address = true;
    check_not_opened("it has no valid MAC address");
    begin();
    nic.no_link = true;
    check_not_opened("no link within 5 s: is its cable connected?");
    begin();
    nic.config[0x40 / 4 + 8] = 0x04200009 | 0x80u << 8; /* two of the last kind */
    check_not_opened("some registers of virtio 1.0 are missing");
}

int main(int argc, char **argv)
{
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_frames());
    RUN(test_damaged());
    RUN(test_lies());
    RUN(test_lies_of_sent());
    RUN(test_silence());
    RUN(test_failures());
    RUN(test_unusable());
    machine_close(&machine);
    return unit_finish("virtio_net_machine");
}
