/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/input.h"

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/input/controller.h"
#include "kernel/input/mouse_packet.h"
#include "kernel/input/scancode.h"
#include "kernel/input/source.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/ioapic.h"
#include "kernel/irq/lapic.h"
#include "kernel/task/dpc.h"
#include "kernel/task/locks.h"
#include "kernel/task/session.h"
#include "kernel/task/timer.h"
#include "kernel/trace/trace.h"

/* The bytes of a sequence arrive within 1 ms of each other, but an emulator that lost its processor
 * may be 100 ms late. */
#define SEQUENCE_GAP_US 250000

_Static_assert((INPUT_BUFFER_BYTES & (INPUT_BUFFER_BYTES - 1)) == 0, "indices into it wrap");

/* A byte as the handler read it. */
struct arrived {
    uint64_t tsc;
    uint8_t port;
    uint8_t byte;
};

static const struct {
    const char *name[2]; /* by enum input_source */
    uint8_t irq;
    uint8_t vector;
} lines[I8042_PORTS] = {
    [I8042_KEYBOARD] = {{"i8042 keyboard", "timer keyboard"}, 1, INPUT_VECTOR_KEYBOARD},
    [I8042_MOUSE] = {{"i8042 mouse", "timer mouse"}, 12, INPUT_VECTOR_MOUSE},
};

static struct {
    bool open;
    struct input_settings settings;
    struct ioapic_input inputs[I8042_PORTS];
    struct input_counts counts;
    struct scancode_decoder keyboard;
    struct mouse_decoder mouse;
    uint64_t gap;           /* ticks after which an incomplete sequence is dropped */
    uint64_t last_key_byte; /* TSC */
    struct dpc dpc;
    /* Handlers put bytes in; the DPC takes them out. Two handlers never run at once, because their
     * vectors have the same class. */
    struct arrived ring[INPUT_BUFFER_BYTES];
    volatile uint32_t put;
    volatile uint32_t taken;
    /* The thread that waits, and what it waits for. */
    volatile bool waiting;
    uint64_t wanted_events; /* number of events; 0: the end of the script */
    struct semaphore progress;
    struct timer deadline;
} input;

const char *input_unreachable(void)
{
    struct ioapic_input found;

    if (!lapic_state()->present) {
        return "no LAPIC";
    }
    if (input_used() == INPUT_FROM_TIMER) {
        return NULL;
    }
    if (lapic_id() > IOAPIC_LAPIC_MAX) {
        return "the LAPIC's id is too large for an I/O APIC";
    }
    for (enum i8042_port port = 0; port < I8042_PORTS; port++) {
        if (!ioapic_find_input(input_tables, input_tables->isa[lines[port].irq].gsi, &found)) {
            return "no I/O APIC for IRQ 1 and 12";
        }
    }
    return NULL;
}

/* ---- waiting ---- */

static bool reached(void)
{
    return input.wanted_events != 0 ? input.counts.events >= input.wanted_events : source_idle();
}

static void wake_waiter(void)
{
    if (input.waiting && (reached() || input_stuck())) {
        semaphore_post(&input.progress);
    }
}

static void on_deadline(void *argument)
{
    (void)argument;
    semaphore_post(&input.progress);
}

/* Waits for events or the end of the script. `waiting` is set before the state is checked, so that
 * a change in between posts the semaphore. */
static bool wait(uint64_t wanted_events, uint64_t deadline)
{
    input.wanted_events = wanted_events;
    input.waiting = true;
    while (!reached() && !input_stuck() && tsc_read() < deadline) {
        timer_start(&input.deadline, deadline, 0, on_deadline, NULL);
        semaphore_wait(&input.progress);
        timer_stop(&input.deadline);
    }
    input.waiting = false;
    return reached();
}

bool input_wait_played(uint64_t deadline)
{
    return wait(0, deadline);
}

bool input_wait_events(uint64_t events, uint64_t deadline)
{
    return events == 0 || wait(events, deadline);
}

/* ---- decoding and posting ---- */

static void post(const struct input_event *event, uint32_t number)
{
    const struct queue_message message = {(uint16_t)event->kind, event->code, number, event->dx,
                                          event->dy};
    const struct queue_message sync = {.type = QUEUE_SYNC, .number = number};

    if (queue_post(input.settings.queue, &message)) {
        input.counts.posted++;
    } else {
        input.counts.refused++;
    }
    if (input.settings.sync_messages) {
        queue_post(input.settings.queue, &sync);
    }
}

static void announce(const struct input_event *event, uint64_t arrival)
{
    const uint32_t number = (uint32_t)++input.counts.events;

    trace_input(number, (uint8_t)event->kind, event->code, arrival);
    post(event, number);
    wake_waiter();
}

static void keyboard_byte(const struct arrived *arrived)
{
    struct input_event event;

    if (arrived->tsc - input.last_key_byte > input.gap && scancode_drop(&input.keyboard)) {
        input.counts.garbage++;
    }
    input.last_key_byte = arrived->tsc;
    switch (scancode_decode(&input.keyboard, arrived->byte, &event)) {
    case SCANCODE_EVENT:
        announce(&event, arrived->tsc);
        break;
    case SCANCODE_PARTIAL:
        break;
    case SCANCODE_IGNORED:
        input.counts.ignored++;
        break;
    case SCANCODE_GARBAGE:
        input.counts.garbage++;
        break;
    }
}

static void mouse_byte(const struct arrived *arrived)
{
    struct input_event events[MOUSE_EVENTS_MAX];
    const size_t count = mouse_decode(&input.mouse, arrived->byte, arrived->tsc, events);

    input.counts.resynced = input.mouse.resynced;
    for (size_t i = 0; i < count; i++) {
        announce(&events[i], arrived->tsc);
    }
}

static void decode(void *argument)
{
    (void)argument;
    while (input.taken != input.put) {
        const struct arrived arrived = input.ring[input.taken % INPUT_BUFFER_BYTES];

        input.taken++;
        if (arrived.port == I8042_MOUSE) {
            mouse_byte(&arrived);
        } else {
            keyboard_byte(&arrived);
        }
    }
    source_next();
}

static void keep(const struct arrived *arrived)
{
    if (input.put - input.taken == INPUT_BUFFER_BYTES) {
        input.counts.overrun++;
        return;
    }
    input.ring[input.put % INPUT_BUFFER_BYTES] = *arrived;
    input.put++;
}

static void on_interrupt(void *argument)
{
    const uint64_t arrival = tsc_read();
    const uint8_t status = input_ways.status();

    (void)argument;
    if ((status & I8042_OUTPUT_FULL) == 0) {
        input.counts.empty++;
        return;
    }
    const struct arrived arrived = {
        .tsc = arrival,
        .port = (status & I8042_FROM_MOUSE) != 0 ? I8042_MOUSE : I8042_KEYBOARD,
        .byte = input_ways.read(),
    };

    input.counts.bytes[arrived.port]++;
    if ((status & (I8042_TIMEOUT | I8042_PARITY)) != 0) {
        input.counts.bad++;
    } else {
        keep(&arrived);
    }
    source_taken(arrived.port, arrived.byte);
    dpc_queue(&input.dpc);
}

/* ---- opening and closing ---- */

/* Closes the lines, and only then detaches the handlers: an interrupt that is already pending still
 * needs its handler. */
static void close_lines(void)
{
    const uint64_t flags = interrupts_save();

    input.open = false;
    input_block();
    input_ways.close();
    interrupts_restore(flags);
    for (enum i8042_port port = 0; port < I8042_PORTS; port++) {
        interrupt_detach(lines[port].vector);
    }
}

static void open_input(enum i8042_port port)
{
    const struct acpi_interrupt *line = &input_tables->isa[lines[port].irq];

    ioapic_find_input(input_tables, line->gsi, &input.inputs[port]);
    ioapic_route(&input.inputs[port], line, lines[port].vector, interrupt_device_lapic());
    ioapic_open_input(&input.inputs[port]);
}

static bool open_lines(void)
{
    const uint64_t flags = interrupts_save();
    uint32_t stale;

    input.open = true;
    for (enum i8042_port port = 0; port < I8042_PORTS; port++) {
        interrupt_attach(lines[port].vector, lines[port].name[input_used()], on_interrupt, NULL);
        if (input_used() == INPUT_FROM_I8042) {
            open_input(port);
        }
    }
    const bool answers = input_ways.open(&stale);

    input.counts.stale = stale;
    interrupts_restore(flags);
    return answers;
}

bool input_begin(const struct input_settings *settings)
{
    const enum scancode_set set = input_controller()->translated ? SCANCODE_SET_1 : SCANCODE_SET_2;

    const uint8_t mouse_length = settings->wheel ? MOUSE_WHEEL_BYTES : MOUSE_PACKET_BYTES;

    i8042_wheel = settings->wheel;
    source_begin(wake_waiter, mouse_length);
    if (input.open) {
        close_lines();
    }
    if (!input_controller()->present || input_unreachable() != NULL) {
        return false;
    }
    input = (typeof(input)){.settings = *settings};
    scancode_init(&input.keyboard, set);
    input.gap = clock_ticks_from_us(SEQUENCE_GAP_US);
    mouse_decoder_init(&input.mouse, input.gap);
    mouse_decoder_set_length(&input.mouse, mouse_length);
    dpc_init(&input.dpc, "input", decode, NULL);
    semaphore_init(&input.progress, "input progress", 0);
    if (!open_lines()) {
        close_lines();
        return false;
    }
    return true;
}

void input_end(void)
{
    if (!input.open) {
        return;
    }
    if (task_active()) {
        source_end();
        timer_stop(&input.deadline);
    }
    close_lines();
}

void input_get_counts(struct input_counts *counts)
{
    const uint64_t flags = interrupts_save();

    *counts = input.counts;
    interrupts_restore(flags);
}

/* ---- for tests ---- */

bool input_send_raw(enum i8042_port port, uint8_t byte)
{
    uint64_t written;

    if (input.open) {
        return source_send(port, byte);
    }
    const uint64_t flags = interrupts_save();
    const bool sent = input_ways.loop_back(port, byte, &written);

    interrupts_restore(flags);
    return sent;
}

void input_block(void)
{
    const uint64_t flags = interrupts_save();

    for (enum i8042_port port = 0; port < I8042_PORTS && input_used() == INPUT_FROM_I8042; port++) {
        ioapic_close_input(&input.inputs[port]);
    }
    if (input_used() == INPUT_FROM_TIMER) {
        timer_controller_block();
    }
    interrupts_restore(flags);
}
