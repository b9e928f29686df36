/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/dev/uart16550.h"

#include <stdio.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/port.h"
#include "kernel/dev/pci.h"

enum uart_register {
    DATA = 0,
    INTERRUPT_ENABLE = 1,
    FIFO_CONTROL = 2,
    LINE_CONTROL = 3,
    MODEM_CONTROL = 4,
    LINE_STATUS = 5,
    MODEM_STATUS = 6,
    SCRATCH = 7,
};

#define REGISTERS 8
/* distance in bytes between registers, on most ports whose registers are not adjacent */
#define WORD 4

#define LINE_8N1                 0x03
#define LINE_DIVISOR_ACCESS      0x80
#define FIFO_ENABLE_AND_CLEAR    0x07
#define MODEM_DTR_RTS            0x03
#define MODEM_LOOPBACK           0x10
#define STATUS_DATA_READY        0x01
#define STATUS_TRANSMITTER_READY 0x20
#define STATUS_TRANSMITTER_EMPTY 0x40
#define MODEM_STATUS_CTS         0x10
#define NO_DEVICE                0xff

#define LEGACY_CLOCK_HZ 1843200
#define BAUD_DEFAULT    115200
/* Polls before a write gives up. A read of a legacy port takes about 1 us on real hardware and no
 * less in emulators, so this is a second or more. Polls are counted because the clocks are not
 * known yet when the first byte is sent. */
#define POLLS_MAX          1000000
#define LOOPBACK_POLLS_MAX 20000
/* Polls if the last write timed out: about 10 ms, a tenth of the time of a frame at 115200 baud. So
 * a run whose host has gone is not slower than one whose host is listening. */
#define RETRY_POLLS 10000
#define FIFO_DEPTH  16

/* Serial controller in PCI 3.0 appendix D. Its programming interfaces up to PCI_INTERFACE_LAST are
 * 16550s and compatible ones. */
#define PCI_SERIAL_CONTROLLER 0x0700
#define PCI_INTERFACE_LAST    6

/* Received bytes that were not read yet. */
static struct {
    uint8_t bytes[UART_RING_BYTES];
    uint32_t first;
    uint32_t count;
} ring;

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

/* Returns the line status, or 0 if it reads as FFh: no device answers then, because a port with 8N1
 * never reports a parity error. A port that has gone, for example because a management controller
 * took it away, therefore looks busy and without data. */
static uint8_t line_status(const struct uart *uart)
{
    const uint8_t status = register_read(uart, LINE_STATUS);

    return status != NO_DEVICE ? status : 0;
}

static bool wait_for(const struct uart *uart, uint8_t status, unsigned polls)
{
    for (unsigned i = 0; i < polls; i++) {
        if ((line_status(uart) & status) == status) {
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

/* Returns the divisor. Leaves the line control at 8N1. */
static uint16_t read_divisor(const struct uart *uart)
{
    register_write(uart, LINE_CONTROL, LINE_8N1 | LINE_DIVISOR_ACCESS);
    const uint8_t low = register_read(uart, DATA);
    const uint8_t high = register_read(uart, INTERRUPT_ENABLE);

    register_write(uart, LINE_CONTROL, LINE_8N1);
    return (uint16_t)(low | high << 8);
}

/* Tests the loop-back with two bytes that differ in every bit, so that neither a stuck bus nor a
 * stale byte passes. Sets the line control first: if firmware left the divisor accessible, the
 * bytes would go there. Restores the port's settings, whether it passes or not, and sets the
 * divisor that firmware left. */
static bool passes_loopback_test(struct uart *uart)
{
    if (register_read(uart, LINE_STATUS) == NO_DEVICE) {
        return false;
    }
    const uint8_t modem = register_read(uart, MODEM_CONTROL);
    const uint8_t line = register_read(uart, LINE_CONTROL);

    wait_for(uart, STATUS_TRANSMITTER_EMPTY, POLLS_MAX);
    uart->left_with = read_divisor(uart);
    const uint8_t interrupts = register_read(uart, INTERRUPT_ENABLE);

    register_write(uart, INTERRUPT_ENABLE, 0);
    register_write(uart, FIFO_CONTROL, FIFO_ENABLE_AND_CLEAR);
    register_write(uart, MODEM_CONTROL, MODEM_LOOPBACK);
    const bool passed = loops_back(uart, 0xa5) && loops_back(uart, 0x5a);

    register_write(uart, MODEM_CONTROL, modem);
    register_write(uart, INTERRUPT_ENABLE, interrupts);
    register_write(uart, LINE_CONTROL, line);
    return passed;
}

static bool is_there(struct uart *uart, uart_reaches *reaches)
{
    const uint64_t last = uart->base + REGISTERS * uart->stride - 1;

    return (uart->io ? last <= UINT16_MAX : reaches(uart->base) && reaches(last)) &&
           passes_loopback_test(uart);
}

/* Returns a port with the clock and registers of a PC's port, at I/O ports or in memory. */
static struct uart usual_port(const char *found_by, uint64_t base, bool io)
{
    struct uart uart = {
        .base = base, .clock_hz = LEGACY_CLOCK_HZ, .io = io, .access = 1, .stride = 1};

    snprintf(uart.found_by, sizeof(uart.found_by), "%s", found_by);
    return uart;
}

/* The ports found so far, each once. */
struct search {
    const struct acpi_facts *acpi;
    uart_reaches *reaches;
    struct uart *found;
    size_t count;
};

static bool is_known(const struct search *search, const struct uart *uart)
{
    for (size_t i = 0; i < search->count; i++) {
        if (search->found[i].io == uart->io && search->found[i].base == uart->base) {
            return true;
        }
    }
    return false;
}

/* Adds the port if it is present. Returns true if it was added, now or before. */
static bool look_at(struct search *search, const struct uart *uart)
{
    if (is_known(search, uart)) {
        return true;
    }
    if (search->count == UARTS_MAX) {
        return false;
    }
    struct uart *added = &search->found[search->count];

    *added = *uart;
    if (!is_there(added, search->reaches)) {
        return false;
    }
    for (size_t i = 0; i < search->acpi->serial_count; i++) {
        const struct acpi_serial *serial = &search->acpi->serial[i];

        if (serial->baud != 0 && serial->base.io == uart->io &&
            serial->base.address == uart->base) {
            added->stated = serial->baud;
        }
    }
    search->count++;
    return true;
}

static bool find_planned(const struct port_setting *planned, struct search *search)
{
    struct uart uart = usual_port("plan", planned->base, planned->io);

    if (!planned->io || planned->clock_hz != 0) {
        uart.clock_hz = planned->clock_hz;
    }
    uart.access = planned->width;
    uart.stride = planned->stride;
    return look_at(search, &uart);
}

/* Converts a port of ACPI. For a port in memory, the register width in SPCR and DBG2 is the
 * distance between its registers. It is never less than the size of an access. */
static struct uart from_acpi(const struct acpi_serial *serial)
{
    struct uart uart = usual_port(serial->table, serial->base.address, serial->base.io);

    if (!uart.io || serial->clock_hz != 0) {
        uart.clock_hz = serial->clock_hz;
    }
    if (!uart.io && serial->base.access >= 1 && serial->base.access <= 3) {
        uart.access = (uint8_t)(1 << (serial->base.access - 1));
    }
    if (!uart.io && serial->base.width >= 8 && serial->base.width <= 64) {
        uart.stride = (uint8_t)(serial->base.width / 8);
    }
    if (uart.stride < uart.access) {
        uart.stride = uart.access;
    }
    return uart;
}

/* Finds the ports of ACPI. A table may give 8 bits although the registers are words apart, so the
 * loop-back test decides. The table's value is tried first, so that nothing after a port of eight
 * bytes is touched. */
static void find_acpi(const struct acpi_facts *acpi, struct search *search)
{
    for (size_t i = 0; i < acpi->serial_count; i++) {
        struct uart uart = from_acpi(&acpi->serial[i]);

        if (!look_at(search, &uart) && !uart.io && uart.stride == 1) {
            uart.stride = WORD;
            uart.access = acpi->serial[i].base.access == 0 ? WORD : uart.access;
            look_at(search, &uart);
        }
    }
}

static void find_legacy(struct search *search)
{
    static const uint16_t legacy[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};

    for (size_t i = 0; i < sizeof(legacy) / sizeof(legacy[0]); i++) {
        const struct uart uart = usual_port("legacy", legacy[i], true);

        look_at(search, &uart);
    }
}

/* Cards with another clock, by vendor and device. The last digit of the device is the number of
 * ports (Linux, drivers/tty/serial/8250: base_baud of 8250_pci.c, clocks of 8250_exar.c). */
#define CARD_FAMILY 0xfff0ffffu
static const struct {
    uint32_t id;
    uint32_t clock_hz;
} cards[] = {
    {0x795012d8, 14745600},  /* Pericom PI7C9X795x */
    {0x015013a8, 14745600},  /* Exar XR17C15x */
    {0x035013a8, 125000000}, /* Exar XR17V35x, also with an expander */
    {0x435013a8, 125000000}, {0x835013a8, 125000000},
};

/* Sets the clock of a known card. Otherwise it is assumed to be the PC's, as in all compatible
 * cards. */
static void set_clock(const struct pci_function *function, struct uart *uart)
{
    uart->clock_assumed = true;
    for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
        if (cards[i].id == (function->id & CARD_FAMILY)) {
            uart->clock_hz = cards[i].clock_hz;
            uart->clock_assumed = false;
        }
    }
}

/* Finds the ports of one function, one for each base address register. If the function has I/O
 * ports its memory is not touched, because it may be anything. */
static void find_in_function(const struct pci_function *function, struct search *search)
{
    const bool io = function->decodes_io;
    char name[UART_NAME_MAX];

    snprintf(name, sizeof(name), "PCI %02x:%02x.%x", function->place >> 8,
             function->place >> 3 & 0x1fu, function->place & 7u);
    for (unsigned i = 0; i < PCI_BARS; i++) {
        const struct pci_bar bar = pci_bar_read(function, i);

        i += bar.wide ? 1 : 0;
        if (bar.base != 0 && bar.io == io) {
            struct uart uart = usual_port(name, bar.base, io);

            set_clock(function, &uart);
            look_at(search, &uart);
        }
    }
}

static void find_pci(struct search *search)
{
    struct pci_function function = {0};

    while (pci_find(PCI_SERIAL_CONTROLLER, &function)) {
        if (function.interface <= PCI_INTERFACE_LAST &&
            (function.decodes_io || function.decodes_memory)) {
            find_in_function(&function, search);
        }
    }
}

size_t uart_find(const struct acpi_facts *acpi, const struct port_setting *planned,
                 uart_reaches *reaches, struct uart found[UARTS_MAX])
{
    struct search search = {.acpi = acpi, .reaches = reaches, .found = found};

    if (planned != NULL && !planned->automatic && find_planned(planned, &search)) {
        return search.count;
    }
    find_acpi(acpi, &search);
    find_legacy(&search);
    find_pci(&search);
    return search.count;
}

uint32_t uart_rate(const struct uart *uart, uint16_t divisor)
{
    return divisor != 0 ? (uint32_t)(uart->clock_hz / 16 / divisor) : 0;
}

/* Returns the nearest divisor, or 0 if there is none. */
static uint16_t nearest_divisor(const struct uart *uart, uint32_t baud)
{
    const uint64_t unit = uart->clock_hz / 16;
    const uint64_t divisor = baud != 0 && unit >= baud ? (unit + baud / 2) / baud : 0;

    return divisor <= UINT16_MAX ? (uint16_t)divisor : 0;
}

uint16_t uart_divisor(const struct uart *uart, uint32_t baud)
{
    const uint16_t divisor = nearest_divisor(uart, baud);
    const uint64_t rate = uart_rate(uart, divisor);
    const uint64_t error = rate > baud ? rate - baud : baud - rate;

    return error * 100 <= 3 * (uint64_t)baud ? divisor : 0;
}

void uart_set_divisor(struct uart *uart, uint16_t divisor)
{
    uart->divisor = divisor;
    if (divisor != 0) {
        register_write(uart, LINE_CONTROL, LINE_8N1 | LINE_DIVISOR_ACCESS);
        register_write(uart, DATA, (uint8_t)divisor);
        register_write(uart, INTERRUPT_ENABLE, (uint8_t)(divisor >> 8));
    }
    register_write(uart, LINE_CONTROL, LINE_8N1);
    register_write(uart, FIFO_CONTROL, FIFO_ENABLE_AND_CLEAR);
    ring.count = 0;
}

uint32_t uart_configure(struct uart *uart, uint32_t baud)
{
    uint16_t divisor = nearest_divisor(uart, baud != 0 ? baud : uart->stated);

    if (baud == 0 && divisor == 0) {
        divisor = uart->left_with != 0 ? uart->left_with : nearest_divisor(uart, BAUD_DEFAULT);
    }
    uart_set_divisor(uart, divisor != 0 ? divisor : read_divisor(uart));
    register_write(uart, INTERRUPT_ENABLE, 0);
    register_write(uart, MODEM_CONTROL, MODEM_DTR_RTS);
    /* The FIFO works if IIR bits 7-6 are both set. A 16450 would lose all but the first byte of a
     * burst. */
    uart->fifo_depth = register_read(uart, FIFO_CONTROL) >> 6 == 3 ? FIFO_DEPTH : 1;
    return uart_rate(uart, uart->divisor);
}

void uart_hold(const struct uart *uart, struct uart_registers *registers)
{
    registers->line = register_read(uart, LINE_CONTROL);
    registers->modem = register_read(uart, MODEM_CONTROL);
    registers->divisor = read_divisor(uart);
    registers->interrupts = register_read(uart, INTERRUPT_ENABLE);
}

void uart_release(struct uart *uart, const struct uart_registers *registers)
{
    uart_drain(uart);
    uart_set_divisor(uart, registers->divisor);
    register_write(uart, INTERRUPT_ENABLE, registers->interrupts);
    register_write(uart, MODEM_CONTROL, registers->modem);
    register_write(uart, LINE_CONTROL, registers->line);
}

/* Keeps a received byte. If the ring is full the oldest byte is dropped, because the newest
 * requests matter. */
static void keep(uint8_t byte)
{
    ring.bytes[(ring.first + ring.count) % UART_RING_BYTES] = byte;
    if (ring.count < UART_RING_BYTES) {
        ring.count++;
    } else {
        ring.first++;
    }
}

/* Waits until a burst can be sent, and keeps the bytes received meanwhile. Returns false on a
 * timeout. */
static bool may_send(const struct uart *uart, unsigned polls)
{
    for (unsigned i = 0; i < polls; i++) {
        const uint8_t status = line_status(uart);

        if ((status & STATUS_DATA_READY) != 0) {
            keep(register_read(uart, DATA));
        }
        if ((status & STATUS_TRANSMITTER_READY) != 0 &&
            (!uart->wait_for_cts || (register_read(uart, MODEM_STATUS) & MODEM_STATUS_CTS) != 0)) {
            return true;
        }
        cpu_pause();
    }
    return false;
}

bool uart_write(struct uart *uart, const uint8_t *bytes, size_t length)
{
    const size_t depth = uart->fifo_depth > 0 ? uart->fifo_depth : 1;

    for (size_t i = 0; i < length; i++) {
        if (i % depth == 0) {
            uart->stalled = !may_send(uart, uart->stalled ? RETRY_POLLS : POLLS_MAX);
            if (uart->stalled) {
                return false;
            }
        }
        register_write(uart, DATA, bytes[i]);
    }
    return true;
}

int uart_read(struct uart *uart)
{
    if (ring.count > 0) {
        ring.count--;
        return ring.bytes[ring.first++ % UART_RING_BYTES];
    }
    if ((line_status(uart) & STATUS_DATA_READY) == 0) {
        return -1;
    }
    return register_read(uart, DATA);
}

void uart_drain(struct uart *uart)
{
    wait_for(uart, STATUS_TRANSMITTER_EMPTY, uart->stalled ? RETRY_POLLS : POLLS_MAX);
}

uint16_t uart_scratch_port(const struct uart *uart)
{
    return (uint16_t)(uart->base + (uint64_t)SCRATCH * uart->stride);
}
