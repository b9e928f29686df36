/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's alarm by the real-time clock, how it finds a timer whose NMI arrives, and its way
 * with interrupts that have no end, on an emulated processor with an RTC, an HPET and an I/O APIC
 * of this file.
 *
 *     alarm_machine [IMAGE.elf]
 */
#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/irq/interrupt.h"
#include "tools/tests/machine/unicorn_devices.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE   "build/image/tare.elf"
#define IOAPIC_ADDRESS  0xfec00000ull
#define INPUTS          24
#define MASKED          (1u << 16)
#define LEVEL           (1u << 15)
#define NMI             (4u << 8)
#define LINT0           0x35
#define COMMAND         0x30
#define RTC_INPUT       8
#define TSC_HZ          10000000
#define ACTIVE_LOW      (1u << 13)
#define HPET_ADDRESS    0xfed00000ull
#define HPET_PERIOD     100000000ull /* fs: it counts as the TSC */
#define HPET_COUNTER    0x0f0
#define HPET_COMPARATOR 0x100
#define HPET_ENABLED    4u
#define HPET_PERIODIC   8u
#define HPET_ROUTES     0x00f0000000000000ull /* inputs 20 to 23, as Intel's chipsets have it */

static const char *image_path;
static struct machine machine;
static struct devices devices;
static struct machine_devices others;
static uint64_t acpi_address;

static struct {
    uint32_t select;
    uint32_t entry[2 * INPUTS];
} ioapic;

/* MC146818A: registers as the port shows them, except the flags, which reading clears. */
static struct {
    bool absent;
    uint8_t index;
    uint8_t cell[16];
    bool mute; /* its line leads nowhere */
    unsigned second;
    unsigned nmis; /* that its line became */
} rtc;

static struct {
    unsigned wired; /* the input that its line leads to; 0: none */
    bool active_high;
    bool early; /* the NMI has another source */
    uint64_t kept[128];
    unsigned tried; /* comparators enabled, so far */
} hpet;

/* ---- devices ---- */

static uint64_t read_ioapic(void *context, uint64_t offset)
{
    (void)context;
    if (offset == 0) {
        return ioapic.select;
    }
    if (ioapic.select == 1) {
        return (INPUTS - 1) << 16 | 0x20;
    }
    const uint32_t at = ioapic.select - 0x10;

    return at < 2 * INPUTS ? ioapic.entry[at] : 0;
}

static void write_ioapic(void *context, uint64_t offset, uint64_t value)
{
    const uint32_t at = ioapic.select - 0x10;

    (void)context;
    if (offset == 0) {
        ioapic.select = (uint32_t)value;
    } else if (at < 2 * INPUTS) {
        ioapic.entry[at] = (uint32_t)value;
    }
}

static uint64_t read_hpet(void *context, uint64_t offset)
{
    (void)context;
    return (offset / 8 * 8 == HPET_COUNTER ? machine_tsc(&machine) : hpet.kept[offset / 8 % 128]) >>
           (8 * (offset % 8));
}

static void raise_hpet(void)
{
    const uint64_t configuration = hpet.kept[HPET_COMPARATOR / 8];
    const unsigned input = configuration >> 9 & 31;
    const uint32_t open = NMI | (hpet.active_high ? 0 : ACTIVE_LOW);

    hpet.tried++;
    if (input == hpet.wired && ioapic.entry[2 * input] == open) {
        machine.nmi_due = hpet.early ? machine_tsc(&machine) : hpet.kept[HPET_COMPARATOR / 8 + 1];
    }
}

/* A register of 64 bits is written as two halves. */
static void write_hpet(void *context, uint64_t offset, uint64_t value)
{
    const uint64_t mask =
        machine.register_bytes == 8 ? UINT64_MAX : (uint64_t)UINT32_MAX << 8 * (offset % 8);
    uint64_t *kept = &hpet.kept[offset / 8 % 128];

    (void)context;
    if (offset / 8 == HPET_COMPARATOR / 8 + 1 &&
        (hpet.kept[HPET_COMPARATOR / 8] & HPET_PERIODIC) != 0) {
        return; /* periodic: ignored without Tn_VAL_SET_CNF */
    }
    *kept = (*kept & ~mask) | (value << 8 * (offset % 8) & mask);
    if (offset == HPET_COMPARATOR && (value & HPET_ENABLED) != 0) {
        raise_hpet();
    }
}

static uint8_t shown(unsigned value)
{
    return (uint8_t)((rtc.cell[0xb] & 4) != 0 ? value : value / 10 * 16 + value % 10);
}

static uint32_t read_port(void *context, uint16_t port, unsigned bytes)
{
    if (port != 0x71) {
        return others.port_read(context, port, bytes);
    }
    if (rtc.absent) {
        return 0xff;
    }
    const uint8_t value = rtc.index == 0 ? shown(rtc.second) : rtc.cell[rtc.index];

    if (rtc.index == 0xc) {
        rtc.cell[0xc] = 0;
    }
    return value;
}

static void write_port(void *context, uint16_t port, unsigned bytes, uint32_t value)
{
    if (port == 0x70) {
        CHECK_EQUAL(value & 0x80, 0); /* it would hold back NMIs */
        rtc.index = value & 15;
    } else if (port == 0x71) {
        CHECK(rtc.index == 1 || rtc.index == 3 || rtc.index == 5 || rtc.index == 0xb);
        rtc.cell[rtc.index] = (uint8_t)value;
        if (rtc.index == 0xb && (value & 0x40) != 0 && !rtc.mute &&
            ioapic.entry[2 * RTC_INPUT] == NMI) {
            rtc.cell[0xc] |= 0x40;
            machine.nmi_due = machine_tsc(&machine) + TSC_HZ / 1024;
        }
    } else {
        others.port_write(context, port, bytes, value);
    }
}

/* A second goes by. Every hour and minute is the alarm's. */
static void pass_second(void)
{
    const uint8_t raised = rtc.cell[0xb] & 0x70;

    rtc.second = (rtc.second + 1) % 60;
    rtc.cell[0xc] |= 0x10;
    if (rtc.cell[1] == shown(rtc.second) && rtc.cell[3] >= 0xc0 && rtc.cell[5] >= 0xc0) {
        rtc.cell[0xc] |= 0x20;
    }
    if ((rtc.cell[0xc] & raised) != 0 && ioapic.entry[2 * RTC_INPUT] == NMI) {
        rtc.nmis++;
    }
}

static uint64_t call(const char *function, size_t count, const uint64_t *arguments)
{
    const uint64_t result =
        machine_call(&machine, image_elf_symbol(&machine.image, function), count, arguments);

    CHECK_TEXT(machine.failure, "");
    return result;
}

static void open_machine(uint8_t control)
{
    static const uint8_t cells[16] = {0, 0x12, 0, 0x34, 0, 0x07, 1, 1, 1, 0x24, 0x26, 0, 0, 0x80};
    struct acpi_facts *acpi;
    struct clock_state *clock;

    machine_open(&machine, image_path, MACHINE_P6);
    machine_load_descriptors(&machine);
    devices_open(&devices, &machine, stderr, TSC_HZ);
    others = machine.devices;
    machine.devices.port_read = read_port;
    machine.devices.port_write = write_port;
    machine_map_device(&machine, IOAPIC_ADDRESS, read_ioapic, write_ioapic, NULL);
    machine_map_device(&machine, HPET_ADDRESS, read_hpet, write_hpet, NULL);
    memset(&hpet, 0, sizeof(hpet));
    hpet.kept[0] = HPET_PERIOD << 32 | 0xa201; /* three comparators, 64 bits */
    hpet.kept[HPET_COMPARATOR / 8] = HPET_ROUTES | HPET_PERIODIC | 1u << 5;
    memset(&rtc, 0, sizeof(rtc));
    memcpy(rtc.cell, cells, sizeof(cells));
    rtc.cell[0xb] = control;
    rtc.second = 47;
    for (unsigned i = 0; i < INPUTS; i++) {
        ioapic.entry[2 * i] = MASKED;
    }
    acpi_address = machine_allocate(&machine, sizeof(*acpi));
    acpi = machine_memory(&machine, acpi_address, sizeof(*acpi));
    acpi->io_apic_count = 1;
    acpi->io_apics[0] = IOAPIC_ADDRESS;
    acpi->isa[RTC_INPUT].gsi = RTC_INPUT;
    call("lapic_init", 1, &acpi_address);
    clock = machine_memory(&machine, call("clock_state", 0, NULL), sizeof(*clock));
    clock->verdict.hz = TSC_HZ;
}

static char how[128];

static bool open_alarm(void)
{
    const uint64_t arguments[] = {acpi_address, machine_allocate(&machine, sizeof(uint64_t))};
    const bool open = (uint8_t)call("alarm_open", 2, arguments) != 0;
    uint64_t text;

    memcpy(&text, machine_memory(&machine, arguments[1], sizeof(text)), sizeof(text));
    snprintf(how, sizeof(how), "%s", (const char *)machine_memory(&machine, text, 1));
    return open;
}

static void set_alarm(uint64_t seconds)
{
    const uint64_t arguments[] = {ALARM_BENCH, seconds * 1000000};

    call("alarm_set", 2, arguments);
}

static void stop_alarm(void)
{
    const uint64_t user = ALARM_BENCH;

    call("alarm_stop", 1, &user);
}

static void check_as_found(uint8_t control)
{
    CHECK_EQUAL(rtc.cell[0xb], control);
    CHECK_EQUAL(rtc.cell[1], 0x12);
    CHECK_EQUAL(rtc.cell[3], 0x34);
    CHECK_EQUAL(rtc.cell[5], 0x07);
    CHECK_EQUAL(ioapic.entry[2 * RTC_INPUT], MASKED);
}

/* ---- the alarm ---- */

/* Lets time go by until the alarm ends something; the seconds, and the NMIs that it took. */
static unsigned await_end(unsigned most, unsigned *nmis)
{
    *nmis = 0;
    for (unsigned seconds = 1; seconds <= most; seconds++) {
        pass_second();
        if (rtc.nmis == 0) {
            continue;
        }
        rtc.nmis = 0;
        ++*nmis;
        const uint64_t kind = (uint32_t)call("alarm_check", 0, NULL);

        if (kind == NMI_ENDS) {
            return seconds;
        }
        CHECK_EQUAL(kind, NMI_HANDLED);
    }
    return 0;
}

/* Firmware's own interrupts are on, and must not become NMIs. */
static void check_alarm(uint8_t control, unsigned seconds, unsigned nmis)
{
    unsigned found;

    open_machine(control);
    CHECK(open_alarm());
    check_as_found(control);
    set_alarm(seconds);
    const unsigned took = await_end(seconds + 3, &found);

    /* The second that is running when it is set may be over at once. */
    CHECK(took > seconds && took <= seconds + 2);
    CHECK_EQUAL(found, nmis);
    CHECK_EQUAL((uint32_t)call("alarm_ended_by", 0, NULL), ALARM_BENCH);
    check_as_found(control);
    machine_close(&machine);
}

static void test_alarm(void)
{
    check_alarm(0x02, 0, 1);
    check_alarm(0x02, 2, 1);
    check_alarm(0x06, 15, 1); /* binary, and the minute turns over */
    check_alarm(0x12, 56, 1); /* each second */
    check_alarm(0x56, 120, 3);
}

static void pause_alarm(bool paused)
{
    const uint64_t user = ALARM_BENCH;

    call(paused ? "alarm_pause" : "alarm_resume", 1, &user);
}

/* A bench that sends without end, each second, is ended all the same, by an NMI of the processor's
 * own. */
static void test_pauses(void)
{
    unsigned seconds = 0;

    open_machine(0x02);
    CHECK(open_alarm());
    pause_alarm(true);
    pause_alarm(false); /* it is not set */
    check_as_found(0x02);
    set_alarm(20);
    while (devices.lapic[COMMAND] == 0 && seconds < 40) {
        pass_second();
        pause_alarm(true);
        check_as_found(0x02);
        pause_alarm(false);
        seconds++;
    }
    CHECK(seconds > 20 && seconds <= 22);
    CHECK_EQUAL(rtc.nmis, 0);
    CHECK_EQUAL(devices.lapic[COMMAND], 1u << 14 | NMI);
    CHECK_EQUAL((uint32_t)call("alarm_check", 0, NULL), NMI_ENDS);
    CHECK_EQUAL((uint32_t)call("alarm_check", 0, NULL), NMI_UNKNOWN);
    set_alarm(20);
    pause_alarm(true);
    stop_alarm();
    pause_alarm(false);
    check_as_found(0x02);
    machine_close(&machine);
}

static void test_unknown(void)
{
    open_machine(0x02);
    CHECK_EQUAL((uint32_t)call("alarm_check", 0, NULL), NMI_UNKNOWN);
    CHECK(open_alarm());
    CHECK_EQUAL((uint32_t)call("alarm_check", 0, NULL), NMI_UNKNOWN);
    set_alarm(20);
    CHECK_EQUAL((uint32_t)call("alarm_check", 0, NULL), NMI_UNKNOWN);
    stop_alarm();
    CHECK_EQUAL((uint32_t)call("alarm_check", 0, NULL), NMI_UNKNOWN);
    machine_close(&machine);
}

static void test_no_rtc(void)
{
    open_machine(0x02);
    rtc.absent = true;
    CHECK(!open_alarm());
    rtc.absent = false;
    rtc.cell[0xd] = 0x80 | 0x15; /* an alarm of the 15th */
    CHECK(!open_alarm());
    rtc.cell[0xd] = 0x80;
    rtc.cell[0xa] = 0x76; /* the divider is held */
    CHECK(!open_alarm());
    set_alarm(1);
    check_as_found(0x02);
    machine_close(&machine);
}

/* ---- whose NMI arrives ---- */

static void open_hpet(void)
{
    const uint64_t arguments[] = {acpi_address, machine_allocate(&machine, 256),
                                  machine_allocate(&machine, sizeof(uint64_t))};

    ((struct acpi_facts *)machine_memory(&machine, acpi_address, 1))->hpet.address = HPET_ADDRESS;
    CHECK_EQUAL(call("hpet_open", 3, arguments) & 1, 1);
}

/* Of four inputs, in both polarities, `tries` are tried; what is left of them is closed. */
static void check_hpet(unsigned wired, bool active_high, unsigned tries)
{
    open_machine(0x02);
    open_hpet();
    hpet.wired = wired;
    hpet.active_high = active_high;
    CHECK(open_alarm());
    CHECK_TEXT(how, "yes");
    CHECK_EQUAL(hpet.tried, tries);
    CHECK_EQUAL(call("alarm_hpet_input", 0, NULL), 1u << wired);
    CHECK_EQUAL(hpet.kept[HPET_COMPARATOR / 8] & HPET_ENABLED, 0);
    for (unsigned i = 0; i < INPUTS; i++) {
        CHECK_EQUAL(ioapic.entry[2 * i], MASKED);
    }
    set_alarm(1);
    CHECK_EQUAL(ioapic.entry[2 * wired], NMI | (active_high ? 0 : ACTIVE_LOW));
    CHECK_EQUAL((uint32_t)call("alarm_check", 0, NULL), NMI_UNKNOWN);
    stop_alarm();
    CHECK_EQUAL(ioapic.entry[2 * wired], MASKED);
    machine_close(&machine);
}

/* A device has its line at the input: another one is taken, and what is set stays set. */
static void test_move(void)
{
    open_machine(0x02);
    open_hpet();
    hpet.wired = 23;
    CHECK(open_alarm());
    set_alarm(3);
    const uint64_t due = hpet.kept[HPET_COMPARATOR / 8 + 1];

    hpet.wired = 21;
    ioapic.entry[2 * 22] = LEVEL; /* it is in use */
    CHECK((uint8_t)call("alarm_move", 0, NULL));
    CHECK_EQUAL(call("alarm_hpet_input", 0, NULL), 1u << 21);
    CHECK_EQUAL(ioapic.entry[2 * 23], MASKED);
    CHECK_EQUAL(ioapic.entry[2 * 22], LEVEL);
    CHECK_EQUAL(ioapic.entry[2 * 21], NMI | ACTIVE_LOW);
    CHECK_EQUAL(hpet.kept[HPET_COMPARATOR / 8 + 1], due);
    hpet.wired = 0; /* there is no other */
    CHECK(!(uint8_t)call("alarm_move", 0, NULL));
    CHECK_EQUAL(call("alarm_hpet_input", 0, NULL), 1u << 21);
    CHECK_EQUAL(ioapic.entry[2 * 21], NMI | ACTIVE_LOW);
    CHECK_EQUAL(hpet.kept[HPET_COMPARATOR / 8 + 1], due);
    stop_alarm();
    CHECK_EQUAL(ioapic.entry[2 * 21], MASKED);
    machine_close(&machine);
}

/* An HPET whose interrupt comes early or never: the real-time clock is taken, proved or not. */
static void check_no_hpet(bool early, bool mute, const char *expected)
{
    open_machine(0x02);
    open_hpet();
    hpet.early = early;
    hpet.wired = early ? 21 : 0;
    rtc.mute = mute;
    CHECK(open_alarm());
    CHECK_EQUAL(hpet.tried, 8);
    CHECK_TEXT(how, expected);
    CHECK_EQUAL(call("alarm_hpet_input", 0, NULL), 0);
    check_as_found(0x02);
    machine_close(&machine);
}

static void test_proof(void)
{
    check_hpet(23, false, 1);
    check_hpet(23, true, 2);
    check_hpet(20, false, 7);
    check_no_hpet(false, false, "by the real-time clock: up to 2 s late, one NMI every 58 s");
    check_no_hpet(true, true,
                  "by the real-time clock, not verified: up to 2 s late, one NMI every 58 s");
}

/* ---- storms ---- */

static void count(uint8_t vector, unsigned times)
{
    const uint64_t argument = vector;

    for (unsigned i = 0; i < times; i++) {
        call("storm_count", 1, &argument);
    }
}

static const struct storm *storm_at(uint8_t vector)
{
    const uint64_t argument = vector;
    const uint64_t address = call("storm_of", 1, &argument);

    return address == 0 ? NULL : machine_memory(&machine, address, sizeof(struct storm));
}

static void test_storms(void)
{
    open_machine(0x02);
    ioapic.entry[2 * 5] = NMI | 0x77;
    ioapic.entry[2 * 19] = LEVEL | 0x77;
    ioapic.entry[2 * 20] = LEVEL | 0x76;
    devices.lapic[LINT0] = 0x78;
    ioapic.select = 0x2b;
    call("storm_use", 1, &acpi_address);
    call("storm_begin", 0, NULL);
    count(0x77, STORM_MIN - 1);
    CHECK(storm_at(0x77) == NULL);
    CHECK_EQUAL(ioapic.entry[2 * 19], LEVEL | 0x77);
    count(0x77, 1);
    CHECK_EQUAL(ioapic.entry[2 * 19], MASKED | LEVEL | 0x77);
    CHECK_EQUAL(ioapic.entry[2 * 5], NMI | 0x77);
    CHECK_EQUAL(ioapic.entry[2 * 20], LEVEL | 0x76);
    CHECK_EQUAL(ioapic.select, 0x2b); /* the interrupted code writes to the window next */
    CHECK(storm_at(0x77) != NULL && storm_at(0x77)->source == STORM_IOAPIC &&
          storm_at(0x77)->gsi == 19 && storm_at(0x77)->count == STORM_MIN);
    count(0x78, STORM_MIN);
    CHECK_EQUAL(devices.lapic[LINT0], MASKED | 0x78);
    CHECK(storm_at(0x78) != NULL && storm_at(0x78)->source == STORM_LAPIC);
    count(0x79, STORM_MIN + 5);
    CHECK(storm_at(0x79) != NULL && storm_at(0x79)->source == STORM_UNMASKED &&
          storm_at(0x79)->count == STORM_MIN + 5);
    call("storm_begin", 0, NULL);
    CHECK(storm_at(0x77) == NULL);
    machine_close(&machine);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        fprintf(stderr, "usage: alarm_machine [IMAGE.elf]\n");
        return 2;
    }
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_alarm());
    RUN(test_pauses());
    RUN(test_unknown());
    RUN(test_no_rtc());
    RUN(test_proof());
    RUN(test_move());
    RUN(test_storms());
    return unit_finish("alarm_machine");
}
