/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's own driver of the keyboard controller against controllers that no emulator offers:
 * absent, deaf, mute, flooded, broken, without a mouse. The driver must report each as what it is,
 * in bounded time. Also the route of its interrupts, with tables that QEMU does not write.
 *
 *     input_machine [IMAGE.elf]
 */
#include <stddef.h>
#include <stdlib.h>

#include "kernel/dev/i8042.h"
#include "kernel/input/input.h"
#include "kernel/irq/ioapic.h"
#include "tools/base/alloc.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/acpi_memory.h"
#include "tools/tests/support/seal.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE  "build/image/tare.elf"
#define QUEUED_MAX     16
#define ANSWER_READS   3    /* of the status, until an answer is there */
#define FIRMWARE       0x67 /* what OVMF leaves: both ports on, with interrupts, translated */
#define QUIET          0x74 /* of that: both ports off, no interrupts */
#define OPEN           0x47 /* and both on */
#define POLL_TICKS     32   /* instructions for a reading of the status, at most */
#define WAITS_MAX      24   /* that a probe may come to: each as long as I8042_POLLS */
#define PORT_DATA      0x60
#define PORT_COMMAND   0x64
#define SELF_TEST_GOOD 0x55
#define SELF_TEST_BAD  0xfc
#define KEY            0x1f /* make code of the S key, as it is translated */
#define KEY_READS      120  /* more readings of the status than a probe makes */

enum fault {
    FAULT_NONE,
    FAULT_ABSENT,     /* no device drives the bus */
    FAULT_DEAF,       /* takes no byte */
    FAULT_MUTE,       /* answers nothing */
    FAULT_FLOODED,    /* its output buffer is always full */
    FAULT_SELF_TEST,  /* fails it every time */
    FAULT_FIRST_TEST, /* fails it once */
    FAULT_RESETS,     /* a self-test resets the configuration */
    FAULT_NO_MOUSE,   /* has no second port */
    FAULT_NO_DEVICES, /* neither port has a device */
    FAULT_OTHER_BYTE, /* loops another byte back */
    FAULT_OTHER_PORT, /* loops the byte back as the other port's */
};

struct answer {
    uint8_t byte;
    bool from_mouse;
};

static struct {
    enum fault fault;
    uint8_t configuration;
    uint8_t command; /* whose data byte is to come; 0: none */
    uint8_t errors;  /* status bits of what is to be read */
    /* readings of the status until a key arrives, unless the port is off; 0: none comes */
    unsigned key_in;
    struct answer queued[QUEUED_MAX];
    size_t count;
    unsigned wait; /* readings of the status until the first is there */
    unsigned self_tests;
    bool wide; /* a port was accessed by more than a byte */
} controller;

static const char *image_path;
static struct machine machine;

/* ---- the controller ---- */

static void give(uint8_t byte, bool from_mouse)
{
    if (controller.fault != FAULT_MUTE && controller.count < QUEUED_MAX) {
        controller.queued[controller.count++] = (struct answer){byte, from_mouse};
        controller.wait = ANSWER_READS;
    }
}

/* A key that was pressed meanwhile comes before an answer that is not there yet. */
static void press_key(void)
{
    if (controller.key_in == 0 || --controller.key_in > 0 || (controller.configuration & 0x10)) {
        return;
    }
    memmove(controller.queued + 1, controller.queued,
            sizeof(controller.queued[0]) * controller.count++);
    controller.queued[0] = (struct answer){KEY, false};
    controller.wait = 0;
}

static uint8_t read_status(void)
{
    uint8_t status = controller.errors;

    press_key();
    if (controller.fault == FAULT_ABSENT) {
        return 0xff;
    }
    if (controller.fault == FAULT_DEAF) {
        status |= I8042_INPUT_FULL;
    }
    if (controller.wait > 0) {
        controller.wait--;
    } else if (controller.count > 0 || controller.fault == FAULT_FLOODED) {
        status |= I8042_OUTPUT_FULL;
        status |= controller.queued[0].from_mouse ? I8042_FROM_MOUSE : 0;
    }
    return status;
}

static uint8_t read_data(void)
{
    const uint8_t byte = controller.queued[0].byte;

    controller.wait = byte == KEY ? ANSWER_READS : controller.wait;
    if (controller.count > 0) {
        controller.count--;
        memmove(controller.queued, controller.queued + 1,
                sizeof(controller.queued[0]) * controller.count);
    }
    return byte;
}

static void self_test(void)
{
    const bool fails = controller.fault == FAULT_SELF_TEST ||
                       (controller.fault == FAULT_FIRST_TEST && controller.self_tests == 0);

    controller.self_tests++;
    if (controller.fault == FAULT_RESETS) {
        controller.configuration = 0;
    }
    give(fails ? SELF_TEST_BAD : SELF_TEST_GOOD, false);
}

static void write_command(uint8_t command)
{
    controller.command = 0;
    switch (command) {
    case 0x20:
        give(controller.configuration, false);
        break;
    case 0xaa:
        self_test();
        break;
    case 0xa7:
        controller.configuration |= 0x20;
        break;
    case 0xad:
        controller.configuration |= 0x10;
        break;
    default:
        controller.command = command;
    }
}

static void loop_back(uint8_t byte, bool from_mouse)
{
    const bool other_port = controller.fault == FAULT_OTHER_PORT;

    if (!from_mouse || controller.fault != FAULT_NO_MOUSE) {
        give(controller.fault == FAULT_OTHER_BYTE ? byte ^ 1 : byte, from_mouse != other_port);
    }
}

static void to_device(uint8_t byte, bool mouse)
{
    if (controller.fault == FAULT_NO_DEVICES || (mouse && controller.fault == FAULT_NO_MOUSE)) {
        return;
    }
    if (mouse || byte == 0xee) {
        give(mouse ? 0xfa : byte, mouse);
    }
}

static void write_data(uint8_t byte)
{
    const uint8_t command = controller.command;

    controller.command = 0;
    switch (command) {
    case 0x60:
        controller.configuration = byte;
        break;
    case 0xd2:
    case 0xd3:
        loop_back(byte, command == 0xd3);
        break;
    case 0xd4:
        to_device(byte, true);
        break;
    default:
        to_device(byte, false);
    }
}

static uint32_t port_read(void *context, uint16_t port, unsigned bytes)
{
    (void)context;
    controller.wide |= bytes != 1;
    if (port == PORT_COMMAND) {
        return read_status();
    }
    return port == PORT_DATA ? read_data() : UINT32_MAX;
}

static void port_write(void *context, uint16_t port, unsigned bytes, uint32_t value)
{
    (void)context;
    controller.wide |= bytes != 1;
    if (port == PORT_COMMAND) {
        write_command((uint8_t)value);
    } else if (port == PORT_DATA) {
        write_data((uint8_t)value);
    }
}

/* ---- the image ---- */

static uint64_t call(const char *function, size_t count, const uint64_t *arguments)
{
    const uint64_t start = machine_tsc(&machine);
    const uint64_t result =
        machine_call(&machine, image_elf_symbol(&machine.image, function), count, arguments);

    CHECK_TEXT(machine.failure, "");
    CHECK(!controller.wide);
    CHECK(machine_tsc(&machine) - start < (uint64_t)WAITS_MAX * I8042_POLLS * POLL_TICKS);
    return result;
}

static const char *text(const char *in_guest)
{
    return in_guest != NULL ? machine_memory(&machine, (uint64_t)(uintptr_t)in_guest, 1) : NULL;
}

/* What the image finds if a key is pressed at that reading of the status. */
static struct i8042 probe_with_key(enum fault fault, uint8_t configuration,
                                   enum acpi_answer from_fadt, unsigned key_in)
{
    machine_open(&machine, image_path, MACHINE_P6);
    machine_load_descriptors(&machine);
    memset(&controller, 0, sizeof(controller));
    controller.fault = fault;
    controller.configuration = configuration;
    controller.key_in = key_in;
    machine.devices.port_read = port_read;
    machine.devices.port_write = port_write;

    const uint64_t tables = machine_allocate(&machine, sizeof(struct acpi_facts));
    struct acpi_facts *facts = machine_memory(&machine, tables, sizeof(*facts));
    struct i8042 found;

    facts->i8042 = from_fadt;
    memcpy(&found, machine_memory(&machine, call("i8042_probe", 1, &tables), sizeof(found)),
           sizeof(found));
    return found;
}

static struct i8042 probe(enum fault fault, uint8_t configuration, enum acpi_answer from_fadt)
{
    return probe_with_key(fault, configuration, from_fadt, 0);
}

static void test_good(void)
{
    const struct i8042 found = probe(FAULT_NONE, FIRMWARE, ACPI_NO);

    CHECK(found.present && found.translated);
    CHECK_EQUAL(found.status, 0);
    CHECK_EQUAL(found.configuration, FIRMWARE);
    CHECK_EQUAL(found.self_test, SELF_TEST_GOOD);
    for (int port = 0; port < I8042_PORTS; port++) {
        CHECK(found.loopback[port] && found.attached[port]);
        CHECK_TEXT(text(found.without[port]), NULL);
    }
    CHECK_EQUAL(controller.configuration, QUIET);
    CHECK_EQUAL(controller.self_tests, 1);
    CHECK_EQUAL(controller.count, 0);
    machine_close(&machine);
}

/* Open, with stale bytes, loop back, close. */
static void test_use(void)
{
    probe(FAULT_NONE, FIRMWARE, ACPI_YES);
    const uint64_t memory = machine_allocate(&machine, 16);
    uint32_t *stale = machine_memory(&machine, memory, sizeof(*stale));
    uint64_t *written = machine_memory(&machine, memory + 8, sizeof(*written));
    const uint64_t keyboard[] = {I8042_KEYBOARD, 0x1e, memory + 8};
    const uint64_t mouse[] = {I8042_MOUSE, 0x08, memory + 8};

    give(1, false);
    give(2, true);
    controller.wait = 0;
    CHECK_EQUAL(call("i8042_open", 1, &memory), 1);
    CHECK_EQUAL(*stale, 2);
    CHECK_EQUAL(controller.configuration, OPEN);
    const uint64_t before = machine_tsc(&machine);

    CHECK_EQUAL(call("i8042_loop_back", 3, keyboard) & 255, 1);
    CHECK(*written > before && *written < machine_tsc(&machine));
    CHECK_EQUAL(controller.queued[0].byte, 0x1e);
    CHECK(!controller.queued[0].from_mouse);
    controller.wait = 0;
    CHECK_EQUAL(call("i8042_loop_back", 3, mouse) & 255, 0); /* the first is still there */
    CHECK_EQUAL(controller.count, 1);
    read_data();
    CHECK_EQUAL(call("i8042_loop_back", 3, mouse) & 255, 1);
    CHECK(controller.queued[0].byte == 0x08 && controller.queued[0].from_mouse);
    controller.wait = 0;
    call("i8042_close", 0, NULL);
    CHECK_EQUAL(controller.configuration, QUIET);
    CHECK_EQUAL(controller.count, 0);
    machine_close(&machine);
}

static void expect_absent(enum fault fault, enum acpi_answer from_fadt, const char *reason)
{
    const struct i8042 found = probe(fault, FIRMWARE, from_fadt);

    CHECK(!found.present);
    CHECK_TEXT(text(found.reason), reason);
    CHECK(!found.loopback[I8042_KEYBOARD] && !found.loopback[I8042_MOUSE]);
    machine_close(&machine);
}

static void test_absent(void)
{
    expect_absent(FAULT_ABSENT, ACPI_NOT_STATED,
                  "status FFh at port 64h; the FADT does not report one");
    expect_absent(FAULT_ABSENT, ACPI_NO, "status FFh at port 64h; the FADT reports none");
    expect_absent(FAULT_ABSENT, ACPI_YES, "status FFh at port 64h; the FADT reports one");
    expect_absent(FAULT_FLOODED, ACPI_YES,
                  "the output buffer at port 60h never empties; the FADT reports one");
    expect_absent(FAULT_DEAF, ACPI_YES, "no command is accepted at port 64h; the FADT reports one");
    expect_absent(FAULT_MUTE, ACPI_YES, "no answer to command 20h; the FADT reports one");
}

static void test_self_tests(void)
{
    struct i8042 found = probe(FAULT_FIRST_TEST, FIRMWARE, ACPI_YES);

    CHECK_EQUAL(found.self_test, SELF_TEST_GOOD);
    CHECK_EQUAL(controller.self_tests, 2);
    machine_close(&machine);

    found = probe(FAULT_SELF_TEST, FIRMWARE, ACPI_YES);
    CHECK_EQUAL(found.self_test, SELF_TEST_BAD);
    CHECK(found.present && found.loopback[I8042_KEYBOARD] && found.loopback[I8042_MOUSE]);
    machine_close(&machine);

    found = probe(FAULT_RESETS, FIRMWARE, ACPI_YES);
    CHECK_EQUAL(found.configuration, FIRMWARE);
    CHECK_EQUAL(controller.configuration, QUIET);
    machine_close(&machine);

    found = probe(FAULT_NONE, FIRMWARE & 0x3f, ACPI_YES);
    CHECK(found.present && !found.translated);
    CHECK_EQUAL(controller.configuration, QUIET & 0x3f);
    machine_close(&machine);
}

static void test_without(void)
{
    struct i8042 found = probe(FAULT_NO_MOUSE, FIRMWARE, ACPI_YES);

    CHECK(found.loopback[I8042_KEYBOARD] && found.attached[I8042_KEYBOARD]);
    CHECK(!found.loopback[I8042_MOUSE] && !found.attached[I8042_MOUSE]);
    CHECK_TEXT(text(found.without[I8042_MOUSE]), "the controller returns no byte");
    machine_close(&machine);

    found = probe(FAULT_NO_DEVICES, FIRMWARE, ACPI_YES);
    CHECK(found.loopback[I8042_KEYBOARD] && !found.attached[I8042_KEYBOARD]);
    CHECK(found.loopback[I8042_MOUSE] && !found.attached[I8042_MOUSE]);
    machine_close(&machine);

    found = probe(FAULT_OTHER_BYTE, FIRMWARE, ACPI_YES);
    CHECK(!found.loopback[I8042_KEYBOARD] && !found.loopback[I8042_MOUSE]);
    CHECK_TEXT(text(found.without[I8042_KEYBOARD]), "the controller returns a wrong byte");
    machine_close(&machine);

    found = probe(FAULT_OTHER_PORT, FIRMWARE, ACPI_YES);
    CHECK(!found.loopback[I8042_KEYBOARD] && !found.loopback[I8042_MOUSE]);
    CHECK_TEXT(text(found.without[I8042_MOUSE]),
               "the controller reports the test byte as one from the other port");
    machine_close(&machine);
}

/* A key at any time of the probe is not taken for an answer. */
static void test_key(void)
{
    for (unsigned i = 1; i < KEY_READS; i++) {
        const struct i8042 found = probe_with_key(FAULT_NONE, FIRMWARE, ACPI_YES, i);

        CHECK_EQUAL(found.configuration, FIRMWARE);
        CHECK_EQUAL(found.self_test, SELF_TEST_GOOD);
        CHECK(found.translated && found.attached[I8042_KEYBOARD] && found.attached[I8042_MOUSE]);
        CHECK(found.loopback[I8042_KEYBOARD] && found.loopback[I8042_MOUSE]);
        CHECK_EQUAL(controller.configuration, QUIET);
        machine_close(&machine);
    }
    CHECK(controller.key_in > 0); /* the last came after the probe */
    /* A port that firmware left off stays so. */
    CHECK_EQUAL(probe(FAULT_NONE, FIRMWARE | 0x20, ACPI_YES).configuration, FIRMWARE | 0x20);
    machine_close(&machine);
}

/* It goes deaf, or mute, after it was found. */
static void test_dies(void)
{
    static const enum fault deaths[] = {FAULT_DEAF, FAULT_MUTE, FAULT_FLOODED};

    for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
        probe(FAULT_NONE, FIRMWARE, ACPI_YES);
        const uint64_t memory = machine_allocate(&machine, 16);
        const uint64_t keyboard[] = {I8042_KEYBOARD, 0x1e, memory + 8};

        controller.fault = deaths[i];
        CHECK_EQUAL(call("i8042_open", 1, &memory) & 255, 0);
        CHECK_EQUAL(call("i8042_loop_back", 3, keyboard) & 255, deaths[i] == FAULT_MUTE);
        call("i8042_close", 0, NULL);
        machine_close(&machine);
    }
}

static struct input_counts interrupt_and_count(uint64_t counts)
{
    struct input_counts got;

    call("on_interrupt", 0, NULL);
    call("input_get_counts", 1, &counts);
    memcpy(&got, machine_memory(&machine, counts, sizeof(got)), sizeof(got));
    return got;
}

/* The driver's handler: a byte with a parity or timeout error, and no byte at all. */
static void test_bad_bytes(void)
{
    probe(FAULT_NONE, FIRMWARE, ACPI_YES);
    const uint64_t counts = machine_allocate(&machine, sizeof(struct input_counts));
    struct input_counts got = interrupt_and_count(counts);

    CHECK_EQUAL(got.empty, 1);
    CHECK_EQUAL(got.bytes[I8042_KEYBOARD], 0);
    controller.errors = I8042_PARITY;
    give(0x1e, false);
    controller.wait = 0;
    got = interrupt_and_count(counts);
    CHECK_EQUAL(got.bad, 1);
    controller.errors = I8042_TIMEOUT;
    give(0x08, true);
    controller.wait = 0;
    got = interrupt_and_count(counts);
    CHECK_EQUAL(got.bad, 2);
    CHECK_EQUAL(got.bytes[I8042_KEYBOARD], 1);
    CHECK_EQUAL(got.bytes[I8042_MOUSE], 1);
    CHECK_EQUAL(got.empty, 1);
    CHECK_EQUAL(got.overrun, 0);
    machine_close(&machine);
}

/* ---- the way of an interrupt: tables, I/O APIC ---- */

#define RSDP_BYTES   20
#define RSDT_BYTES   44
#define FADT_BYTES   116
#define MADT_BYTES   90
#define BOOT_ARCH_AT 109

struct tables {
    uint8_t pointer[RSDP_BYTES];
    uint8_t root[RSDT_BYTES];
    uint8_t fadt[FADT_BYTES];
    uint8_t madt[MADT_BYTES];
};

static void make_table(uint8_t *bytes, const char *signature, uint8_t length, uint8_t revision)
{
    memcpy(bytes, signature, 4);
    bytes[4] = length;
    bytes[8] = revision;
    seal(bytes, length, 9);
}

static void put_address(uint8_t *at, uint64_t address)
{
    memcpy(at, &address, 4);
}

/* Two I/O APICs, the second from GSI 24 on; IRQ 1 arrives at 25, active low, by level; IRQ 12 at
 * 12 as on the bus, listed explicitly; and an entry that the table cuts off. */
static const uint8_t madt_entries[] = {
    1, 12, 0,  0, 0, 0,  0xc0, 0xfe, 0, 0,    0, 0, 1,  12, 1,  0,  0, 0x10, 0xc0, 0xfe, 24, 0, 0,
    0, 2,  10, 0, 1, 25, 0,    0,    0, 0x0f, 0, 2, 10, 0,  12, 12, 0, 0,    0,    5,    0,  2, 10,
};

#define TABLES_AT 0x100000

static struct acpi_facts read_tables(uint8_t fadt_revision, uint8_t fadt_length, uint16_t boot_arch)
{
    struct tables *tables = alloc_zeroed(sizeof(*tables));
    const struct acpi_piece piece = {TABLES_AT, (uint8_t *)tables, sizeof(*tables)};
    struct acpi_facts got;

    memcpy(tables->pointer, "RSD PTR ", 8);
    put_address(tables->pointer + 16, TABLES_AT + offsetof(struct tables, root));
    seal(tables->pointer, sizeof(tables->pointer), 8);
    put_address(tables->root + 36, TABLES_AT + offsetof(struct tables, fadt));
    put_address(tables->root + 40, TABLES_AT + offsetof(struct tables, madt));
    make_table(tables->root, "RSDT", RSDT_BYTES, 1);
    memcpy(tables->fadt + BOOT_ARCH_AT, &boot_arch, sizeof(boot_arch));
    make_table(tables->fadt, "FACP", fadt_length, fadt_revision);
    memcpy(tables->madt + 44, madt_entries, sizeof(madt_entries));
    make_table(tables->madt, "APIC", MADT_BYTES, 3);
    acpi_piece_read(&piece, TABLES_AT, &got);
    free(tables);
    return got;
}

static int is_interrupt(const struct acpi_interrupt *got, uint32_t gsi, bool low, bool level)
{
    return got->gsi == gsi && got->active_low == low && got->level == level;
}

static void test_tables(void)
{
    const struct acpi_facts facts = read_tables(3, FADT_BYTES, 1u << 1);

    CHECK_EQUAL(facts.io_apic_count, 2);
    CHECK_EQUAL(facts.io_apics[1], 0xfec01000);
    CHECK(facts.io_apic_first[0] == 0 && facts.io_apic_first[1] == 24);
    CHECK(is_interrupt(&facts.isa[1], 25, true, true));
    CHECK(is_interrupt(&facts.isa[12], 12, false, false));
    CHECK(is_interrupt(&facts.isa[4], 4, false, false));
    CHECK_EQUAL(facts.i8042, ACPI_YES);
    CHECK_EQUAL(read_tables(3, FADT_BYTES, 1).i8042, ACPI_NO);
    CHECK_EQUAL(read_tables(6, FADT_BYTES, 0).i8042, ACPI_NO);
    CHECK_EQUAL(read_tables(1, FADT_BYTES, 1u << 1).i8042, ACPI_NOT_STATED);
    CHECK_EQUAL(read_tables(3, BOOT_ARCH_AT + 1, 1u << 1).i8042, ACPI_NOT_STATED);
}

/* An I/O APIC of 24 inputs. */
static struct {
    uint32_t selected;
    uint32_t registers[64];
} io_apic;

static uint64_t io_apic_read(void *context, uint64_t offset)
{
    (void)context;
    return offset == 0 ? io_apic.selected : io_apic.registers[io_apic.selected % 64];
}

static void io_apic_write(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    if (offset == 0) {
        io_apic.selected = (uint32_t)value;
    } else {
        io_apic.registers[io_apic.selected % 64] = (uint32_t)value;
    }
}

/* Memory of the guest: tables, a line, an input. */
struct way {
    struct acpi_facts facts;
    struct acpi_interrupt line;
    struct ioapic_input input;
};

static uint64_t find_input(uint64_t way, uint64_t gsi)
{
    const uint64_t arguments[] = {way, gsi, way + offsetof(struct way, input)};

    return call("ioapic_find_input", 3, arguments) & 255;
}

static struct way *open_way(uint64_t *address, uint64_t io_apic_address)
{
    machine_open(&machine, image_path, MACHINE_P6);
    memset(&io_apic, 0, sizeof(io_apic));
    io_apic.registers[1] = 0x170011;
    machine_map_device(&machine, io_apic_address, io_apic_read, io_apic_write, NULL);
    *address = machine_allocate(&machine, sizeof(struct way));
    return machine_memory(&machine, *address, sizeof(struct way));
}

static void test_route(void)
{
    uint64_t at;
    struct way *way = open_way(&at, 0xfec01000);

    way->facts.io_apic_count = 1;
    way->facts.io_apics[0] = 0xfec01000;
    way->facts.io_apic_first[0] = 24;
    way->line = (struct acpi_interrupt){.active_low = true, .level = true};
    CHECK_EQUAL(find_input(at, 23), 0);
    CHECK_EQUAL(find_input(at, 48), 0);
    CHECK_EQUAL(find_input(at, 25), 1);
    CHECK_EQUAL(way->input.number, 1);
    const uint64_t input = at + offsetof(struct way, input);
    const uint64_t arguments[] = {input, at + offsetof(struct way, line), 0x51, 7};

    call("ioapic_route", 4, arguments);
    CHECK_EQUAL(io_apic.registers[0x12], 0x1a051); /* masked, by level, active low */
    CHECK_EQUAL(io_apic.registers[0x13], 7u << 24);
    call("ioapic_open_input", 1, &input);
    CHECK_EQUAL(io_apic.registers[0x12], 0xa051);
    call("ioapic_close_input", 1, &input);
    CHECK_EQUAL(io_apic.registers[0x12] & 0x10000, 0x10000);
    way->line = (struct acpi_interrupt){0};
    call("ioapic_route", 4, arguments);
    CHECK_EQUAL(io_apic.registers[0x12], 0x10051);
    machine_close(&machine);
}

/* No table lists an I/O APIC: there is one at the standard address, or none. */
static void test_standard_address(void)
{
    uint64_t at;
    struct way *way = open_way(&at, 0xfec00000);

    CHECK_EQUAL(find_input(at, 12), 1);
    CHECK(way->input.address == 0xfec00000 && way->input.number == 12);
    CHECK_EQUAL(find_input(at, 16), 0);
    io_apic.registers[1] = UINT32_MAX; /* no device drives the bus */
    CHECK_EQUAL(find_input(at, 12), 0);
    io_apic.registers[1] = 0x170000; /* no version is 0 */
    CHECK_EQUAL(find_input(at, 12), 0);
    machine_close(&machine);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        fprintf(stderr, "usage: input_machine [IMAGE.elf]\n");
        return 2;
    }
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_good());
    RUN(test_use());
    RUN(test_absent());
    RUN(test_self_tests());
    RUN(test_without());
    RUN(test_key());
    RUN(test_dies());
    RUN(test_bad_bytes());
    RUN(test_tables());
    RUN(test_route());
    RUN(test_standard_address());
    return unit_finish("input_machine");
}
