/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/machine/unicorn_devices.h"
#include "kernel/plan/bytes.h"

#include <string.h>

#define UART_FIRST      0x3f8
#define UART_DATA       0
#define UART_INTERRUPTS 1
#define UART_FIFO       2
#define UART_LINE       3
#define UART_MODEM      4
#define UART_STATUS     5
#define LINE_DIVISOR    0x80
#define MODEM_LOOPBACK  0x10
#define STATUS_READY    0x01
#define STATUS_EMPTY    0x60
#define FIFO_ON         0xc1

#define PIT_CHANNEL_2 0x42
#define PIT_CONTROL   0x43
#define PIT_LATCH     0x80
#define PIT_HZ        1193182
#define PIT_PERIOD    65536
#define SMI_COMMAND   0xb2

#define LAPIC_ADDRESS    0xfee00000ull
#define LAPIC_ENABLED    (1ull << 11)
#define LAPIC_VERSION    0x030
#define LAPIC_EOI        0x0b0
#define LAPIC_IN_SERVICE 0x100
#define LAPIC_TIMER      0x320
#define LAPIC_COMMAND    0x300
#define LAPIC_INITIAL    0x380
#define LAPIC_CURRENT    0x390
#define VERSION_VALUE    0x00050014u /* integrated, six local vectors */
#define TIMER_MASKED     (1u << 16)
#define TIMER_PERIODIC   (1u << 17)
#define TICKS_PER_COUNT  4 /* the timer's clock is a quarter of the TSC's */

/* ---- serial port ---- */

static void uart_write(struct devices *devices, unsigned index, uint8_t value)
{
    const bool divisor = (devices->uart[UART_LINE] & LINE_DIVISOR) != 0;

    if (divisor && index <= UART_INTERRUPTS) {
        devices->uart_divisor[index] = value;
    } else if (index == UART_DATA && (devices->uart[UART_MODEM] & MODEM_LOOPBACK) != 0) {
        devices->uart_looped = value;
        devices->uart_has_looped = true;
    } else if (index == UART_DATA) {
        fputc(value, devices->line);
    } else {
        devices->uart[index] = value;
    }
}

static uint8_t uart_read(struct devices *devices, unsigned index)
{
    switch (index) {
    case UART_DATA:
        devices->uart_has_looped = false;
        return devices->uart_looped;
    case UART_FIFO:
        return FIFO_ON;
    case UART_STATUS:
        return STATUS_EMPTY | (devices->uart_has_looped ? STATUS_READY : 0);
    default:
        return devices->uart[index];
    }
}

/* ---- PIT and PM timer ---- */

/* 128 bits: ticks times rate would not fit 64 for long. */
static uint64_t counts(const struct devices *devices, uint64_t ticks, uint64_t hz)
{
    return (uint64_t)((unsigned __int128)ticks * hz / devices->tsc_hz);
}

static void pit_write(struct devices *devices, uint16_t port, uint8_t value)
{
    const uint64_t now = machine_tsc(devices->machine);

    if (port == PIT_CHANNEL_2) {
        devices->pit_start = now; /* the image writes 0 twice: 65536 */
    } else if (value == PIT_LATCH) {
        const uint64_t passed = counts(devices, now - devices->pit_start, PIT_HZ);

        devices->pit_latch = (uint16_t)(PIT_PERIOD - passed % PIT_PERIOD);
        devices->pit_bytes = 0;
    }
}

static uint8_t pit_read(struct devices *devices)
{
    return (uint8_t)(devices->pit_latch >> (8 * (devices->pit_bytes++ % 2)));
}

/* ---- ports ---- */

static uint32_t port_read(void *context, uint16_t port, unsigned bytes)
{
    struct devices *devices = context;

    (void)bytes;
    if (port >= UART_FIRST && port < UART_FIRST + 8) {
        return uart_read(devices, port - UART_FIRST);
    }
    switch (port) {
    case PIT_CHANNEL_2:
        return pit_read(devices);
    case DEVICES_PM_TIMER:
        return (uint32_t)counts(devices, machine_tsc(devices->machine), DEVICES_PM_TIMER_HZ);
    default:
        return UINT32_MAX;
    }
}

static void port_write(void *context, uint16_t port, unsigned bytes, uint32_t value)
{
    struct devices *devices = context;

    (void)bytes;
    if (port >= UART_FIRST && port < UART_FIRST + 8) {
        uart_write(devices, port - UART_FIRST, (uint8_t)value);
    } else if (port == PIT_CHANNEL_2 || port == PIT_CONTROL) {
        pit_write(devices, port, (uint8_t)value);
    } else if (port == SMI_COMMAND) {
        machine_smi(devices->machine, DEVICES_SMM_WORK);
    }
}

/* ---- local APIC ---- */

static uint32_t *lapic_register(struct devices *devices, uint64_t offset)
{
    return &devices->lapic[offset / 16 % 256];
}

static uint64_t timer_span(struct devices *devices)
{
    return (uint64_t)*lapic_register(devices, LAPIC_INITIAL) * TICKS_PER_COUNT;
}

/* When the processor has to be interrupted next. */
static void set_due(struct devices *devices)
{
    const bool masked = (*lapic_register(devices, LAPIC_TIMER) & TIMER_MASKED) != 0;

    if (devices->in_service) {
        devices->machine->due = MACHINE_NEVER;
    } else if (devices->sent != 0) {
        devices->machine->due = 0;
    } else {
        devices->machine->due = masked ? MACHINE_NEVER : devices->timer_next;
    }
}

static uint32_t timer_current(struct devices *devices)
{
    const uint64_t span = timer_span(devices);
    const uint64_t passed = machine_tsc(devices->machine) - devices->timer_start;
    const bool periodic = (*lapic_register(devices, LAPIC_TIMER) & TIMER_PERIODIC) != 0;

    if (span == 0 || (!periodic && passed >= span)) {
        return 0;
    }
    return (uint32_t)((span - passed % span) / TICKS_PER_COUNT);
}

static void start_timer(struct devices *devices)
{
    const uint64_t span = timer_span(devices);

    devices->timer_start = machine_tsc(devices->machine);
    devices->timer_next = span != 0 ? devices->timer_start + span : MACHINE_NEVER;
}

static uint64_t lapic_read(void *context, uint64_t offset)
{
    struct devices *devices = context;

    switch (offset) {
    case LAPIC_VERSION:
        return VERSION_VALUE;
    case LAPIC_CURRENT:
        return timer_current(devices);
    default:
        return *lapic_register(devices, offset);
    }
}

static void end_interrupt(struct devices *devices)
{
    for (unsigned i = 0; i < 8; i++) {
        *lapic_register(devices, LAPIC_IN_SERVICE + 0x10 * i) = 0;
    }
    devices->in_service = false;
}

static void lapic_write(void *context, uint64_t offset, uint64_t value)
{
    struct devices *devices = context;

    *lapic_register(devices, offset) = (uint32_t)value;
    if (offset == LAPIC_EOI) {
        end_interrupt(devices);
    } else if (offset == LAPIC_INITIAL) {
        start_timer(devices);
    } else if (offset == LAPIC_COMMAND) {
        devices->sent = (uint8_t)value;
    }
    set_due(devices);
}

static void serve(struct devices *devices, uint8_t vector)
{
    *lapic_register(devices, LAPIC_IN_SERVICE + 0x10 * (vector / 32)) |= 1u << vector % 32;
    devices->in_service = true;
}

static uint8_t take_sent(struct devices *devices)
{
    const uint8_t vector = devices->sent;

    devices->sent = 0;
    serve(devices, vector);
    set_due(devices);
    return vector;
}

static uint8_t take_interrupt(void *context)
{
    struct devices *devices = context;
    const uint32_t timer = *lapic_register(devices, LAPIC_TIMER);
    const uint8_t vector = (uint8_t)timer;
    const uint64_t now = machine_tsc(devices->machine);

    if (devices->sent != 0) {
        return take_sent(devices);
    }
    serve(devices, vector);
    if ((timer & TIMER_PERIODIC) == 0) {
        devices->timer_next = MACHINE_NEVER;
    }
    while (devices->timer_next <= now) {
        devices->timer_next += timer_span(devices);
    }
    set_due(devices);
    return vector;
}

/* ---- tables ---- */

static uint8_t checksum(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    return (uint8_t)-sum;
}

/* A table of `length` bytes in the guest's memory; its body is filled in before finish_table(). */
static uint64_t begin_table(struct devices *devices, const char *signature, uint32_t length,
                            uint8_t **bytes)
{
    const uint64_t address = machine_allocate(devices->machine, length);

    *bytes = machine_memory(devices->machine, address, length);
    memcpy(*bytes, signature, 4);
    bytes_put(*bytes + 4, length, 4);
    (*bytes)[8] = 1;
    return address;
}

static void finish_table(uint8_t *bytes, uint32_t length)
{
    bytes[9] = checksum(bytes, length);
}

static uint64_t write_fadt(struct devices *devices)
{
    const uint32_t length = 116;
    uint8_t *bytes;
    const uint64_t address = begin_table(devices, "FACP", length, &bytes);

    bytes_put(bytes + 76, DEVICES_PM_TIMER, 4);
    bytes_put(bytes + 112, 1u << 8, 4); /* the timer has 32 bits */
    finish_table(bytes, length);
    return address;
}

static uint64_t write_madt(struct devices *devices)
{
    const uint32_t length = 52;
    uint8_t *bytes;
    const uint64_t address = begin_table(devices, "APIC", length, &bytes);

    bytes_put(bytes + 36, LAPIC_ADDRESS, 4);
    bytes_put(bytes + 44, 0x0800, 2); /* a local APIC, 8 bytes */
    bytes_put(bytes + 48, 1, 4);
    finish_table(bytes, length);
    return address;
}

uint64_t devices_write_acpi(struct devices *devices)
{
    const uint32_t length = 36 + 2 * 8;
    const uint64_t fadt = write_fadt(devices);
    const uint64_t madt = write_madt(devices);
    uint8_t *bytes;
    const uint64_t xsdt = begin_table(devices, "XSDT", length, &bytes);
    const uint64_t rsdp = machine_allocate(devices->machine, 36);

    bytes_put(bytes + 36, fadt, 8);
    bytes_put(bytes + 44, madt, 8);
    finish_table(bytes, length);
    bytes = machine_memory(devices->machine, rsdp, 36);
    memcpy(bytes, "RSD PTR ", 8);
    bytes[15] = 2;
    bytes_put(bytes + 20, 36, 4);
    bytes_put(bytes + 24, xsdt, 8);
    bytes[8] = checksum(bytes, 20);
    bytes[32] = checksum(bytes, 36);
    return rsdp;
}

void devices_open(struct devices *devices, struct machine *machine, FILE *line, uint64_t tsc_hz)
{
    *devices = (struct devices){
        .machine = machine,
        .line = line,
        .tsc_hz = tsc_hz,
        .timer_next = MACHINE_NEVER,
    };
    *lapic_register(devices, LAPIC_TIMER) = TIMER_MASKED;
    machine->devices = (struct machine_devices){
        .context = devices,
        .port_read = port_read,
        .port_write = port_write,
        .take_interrupt = take_interrupt,
    };
    machine->apic_base = LAPIC_ADDRESS | LAPIC_ENABLED;
    machine_map_device(machine, LAPIC_ADDRESS, lapic_read, lapic_write, devices);
}
