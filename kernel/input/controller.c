/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/controller.h"

#include "kernel/cpu/cpu.h"
#include "kernel/irq/interrupt.h"

static struct {
    bool open; /* a byte raises the vector of its port */
    bool full;
    enum i8042_port port;
    uint8_t byte;
} buffer;

const struct i8042 *timer_controller_probe(const struct acpi_facts *acpi)
{
    static const struct i8042 controller = {
        .present = true,
        .loopback = {true, true},
        .translated = true,
    };

    (void)acpi;
    return &controller;
}

uint8_t timer_controller_status(void)
{
    const uint8_t from = buffer.port == I8042_MOUSE ? I8042_FROM_MOUSE : 0;

    return buffer.full ? from | I8042_OUTPUT_FULL : 0;
}

uint8_t timer_controller_read(void)
{
    buffer.full = false;
    return buffer.byte;
}

/* Stores the byte and raises the vector with interrupts off. It arrives when they are switched on,
 * so no other interrupt comes between the stamp and it. */
bool timer_controller_loop_back(enum i8042_port port, uint8_t byte, uint64_t *written)
{
    if (buffer.full) {
        return false;
    }
    buffer.full = true;
    buffer.port = port;
    buffer.byte = byte;
    *written = tsc_read();
    if (buffer.open) {
        interrupt_raise(port == I8042_KEYBOARD ? INPUT_VECTOR_KEYBOARD : INPUT_VECTOR_MOUSE);
    }
    interrupts_enable();
    return true;
}

bool timer_controller_open(uint32_t *stale)
{
    *stale = buffer.full ? 1 : 0;
    buffer.full = false;
    buffer.open = true;
    return true;
}

void timer_controller_close(void)
{
    buffer.open = false;
    buffer.full = false;
}

void timer_controller_block(void)
{
    buffer.open = false;
}

static const struct input_ways ways[] = {
    [INPUT_FROM_I8042] = {i8042_probe, i8042_status, i8042_read, i8042_loop_back, i8042_open,
                          i8042_close},
    [INPUT_FROM_TIMER] = {timer_controller_probe, timer_controller_status, timer_controller_read,
                          timer_controller_loop_back, timer_controller_open,
                          timer_controller_close},
};

const struct acpi_facts *input_tables;
struct input_ways input_ways = {i8042_probe,     i8042_status, i8042_read,
                                i8042_loop_back, i8042_open,   i8042_close};
static enum input_source used;

void input_init(const struct acpi_facts *acpi)
{
    input_tables = acpi;
}

void input_use(enum input_source source)
{
    used = source;
    input_ways = ways[source];
}

enum input_source input_used(void)
{
    return used;
}

const struct i8042 *input_controller(void)
{
    const uint64_t flags = interrupts_save();
    const struct i8042 *controller = input_ways.probe(input_tables);

    interrupts_restore(flags);
    return controller;
}
