/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/dev/uart16550.h"

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/port.h"

enum uart_register {
    DATA = 0,
    INTERRUPT_ENABLE = 1,
    FIFO_CONTROL = 2,
    LINE_CONTROL = 3,
    MODEM_CONTROL = 4,
    LINE_STATUS = 5,
};

#define LINE_8N1                 0x03
#define LINE_DIVISOR_ACCESS      0x80
#define FIFO_ENABLE_AND_CLEAR    0x07
#define MODEM_DTR_RTS            0x03
#define MODEM_LOOPBACK           0x10
#define STATUS_DATA_READY        0x01
#define STATUS_TRANSMITTER_READY 0x20
#define STATUS_TRANSMITTER_EMPTY 0x40

#define LEGACY_CLOCK_HZ 1843200
/* A read of a legacy port takes about 1 us on silicon and no less in emulators, so this is a second
 * or more; the clocks are not known yet when the first byte leaves. */
#define POLLS_MAX          1000000
#define LOOPBACK_POLLS_MAX 20000

static uint8_t register_read(const struct uart *uart, enum uart_register index)
{
    const uint64_t at = uart->base + (uint64_t)index * uart->stride;

    if (uart->io) {
        return port_read8((uint16_t)at);
    }
    if (uart->access == 4) {
        return (uint8_t) * (volatile uint32_t *)(uintptr_t)at;
    }
    if (uart->access == 2) {
        return (uint8_t) * (volatile uint16_t *)(uintptr_t)at;
    }
    return *(volatile uint8_t *)(uintptr_t)at;
}

static void register_write(const struct uart *uart, enum uart_register index, uint8_t value)
{
    const uint64_t at = uart->base + (uint64_t)index * uart->stride;

    if (uart->io) {
        port_write8((uint16_t)at, value);
    } else if (uart->access == 4) {
        *(volatile uint32_t *)(uintptr_t)at = value;
    } else if (uart->access == 2) {
        *(volatile uint16_t *)(uintptr_t)at = value;
    } else {
        *(volatile uint8_t *)(uintptr_t)at = value;
    }
}

static bool wait_for(const struct uart *uart, uint8_t status, unsigned polls)
{
    for (unsigned i = 0; i < polls; i++) {
        if ((register_read(uart, LINE_STATUS) & status) == status) {
            return true;
        }
        cpu_pause();
    }
    return false;
}

static bool loops_back(const struct uart *uart, uint8_t byte)
{
    register_write(uart, DATA, byte);
    return wait_for(uart, STATUS_DATA_READY, LOOPBACK_POLLS_MAX) &&
           register_read(uart, DATA) == byte;
}

/* Two bytes whose every bit differs, so that neither a stuck bus nor a stale byte passes. */
static bool passes_loopback_test(const struct uart *uart)
{
    if (register_read(uart, LINE_STATUS) == 0xff) {
        return false;
    }
    const uint8_t modem = register_read(uart, MODEM_CONTROL);

    wait_for(uart, STATUS_TRANSMITTER_EMPTY, POLLS_MAX);
    register_write(uart, INTERRUPT_ENABLE, 0);
    register_write(uart, FIFO_CONTROL, FIFO_ENABLE_AND_CLEAR);
    register_write(uart, MODEM_CONTROL, MODEM_LOOPBACK);
    const bool passed = loops_back(uart, 0xa5) && loops_back(uart, 0x5a);

    register_write(uart, MODEM_CONTROL, modem);
    return passed;
}

/* Register spacing of a memory-mapped port: SPCR gives the register width, and ports with 32-bit
 * registers have them 4 bytes apart. */
static struct uart from_acpi(const struct acpi_serial *serial)
{
    struct uart uart = {
        .found_by = serial->table,
        .base = serial->base.address,
        .clock_hz = serial->clock_hz,
        .io = serial->base.io,
        .access = 1,
        .stride = 1,
    };

    if (uart.io && uart.clock_hz == 0) {
        uart.clock_hz = LEGACY_CLOCK_HZ;
    }
    if (!uart.io && serial->base.access >= 1 && serial->base.access <= 3) {
        uart.access = (uint8_t)(1 << (serial->base.access - 1));
    }
    if (!uart.io && serial->base.width >= 8 && serial->base.width <= 32) {
        uart.stride = (uint8_t)(serial->base.width / 8);
    }
    return uart;
}

bool uart_find(const struct acpi_facts *acpi, struct uart *uart)
{
    static const uint16_t legacy[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};

    for (size_t i = 0; i < acpi->serial_count; i++) {
        *uart = from_acpi(&acpi->serial[i]);
        if (passes_loopback_test(uart)) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(legacy) / sizeof(legacy[0]); i++) {
        *uart = (struct uart){.found_by = "legacy",
                              .base = legacy[i],
                              .clock_hz = LEGACY_CLOCK_HZ,
                              .io = true,
                              .access = 1,
                              .stride = 1};
        if (passes_loopback_test(uart)) {
            return true;
        }
    }
    return false;
}

uint32_t uart_configure(struct uart *uart, uint32_t baud)
{
    const uint64_t unit = uart->clock_hz / 16;
    uint32_t rate = 0;

    if (baud != 0 && unit >= baud) {
        const uint16_t divisor = (uint16_t)((unit + baud / 2) / baud);

        register_write(uart, LINE_CONTROL, LINE_8N1 | LINE_DIVISOR_ACCESS);
        register_write(uart, DATA, (uint8_t)divisor);
        register_write(uart, INTERRUPT_ENABLE, (uint8_t)(divisor >> 8));
        rate = (uint32_t)(unit / divisor);
    }
    register_write(uart, LINE_CONTROL, LINE_8N1);
    register_write(uart, INTERRUPT_ENABLE, 0);
    register_write(uart, FIFO_CONTROL, FIFO_ENABLE_AND_CLEAR);
    register_write(uart, MODEM_CONTROL, MODEM_DTR_RTS);
    /* IIR[7:6] both set: the FIFO works; a 16450 would lose all but the first byte of a burst. */
    uart->fifo_depth = register_read(uart, FIFO_CONTROL) >> 6 == 3 ? 16 : 1;
    return rate;
}

void uart_write(struct uart *uart, const uint8_t *bytes, size_t length)
{
    const size_t depth = uart->fifo_depth > 0 ? uart->fifo_depth : 1;

    for (size_t i = 0; i < length && !uart->dead; i++) {
        if (i % depth == 0 && !wait_for(uart, STATUS_TRANSMITTER_READY, POLLS_MAX)) {
            uart->dead = true;
            return;
        }
        register_write(uart, DATA, bytes[i]);
    }
}

int uart_read(struct uart *uart)
{
    if ((register_read(uart, LINE_STATUS) & STATUS_DATA_READY) == 0) {
        return -1;
    }
    return register_read(uart, DATA);
}

void uart_drain(struct uart *uart)
{
    wait_for(uart, STATUS_TRANSMITTER_EMPTY, POLLS_MAX);
}
