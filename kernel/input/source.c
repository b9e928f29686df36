/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/source.h"

#include <stddef.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/input/controller.h"
#include "kernel/input/mouse_packet.h"
#include "kernel/input/scancode.h"
#include "kernel/task/timer.h"

#define WIRE_US 1000 /* time between two bytes of an event */
#define BUSY_US 50   /* time until a full output buffer is checked again */

#define BYTES_MAX MOUSE_WHEEL_BYTES
_Static_assert(SCANCODE_BYTES_MAX <= BYTES_MAX, "one array is for both");

static struct {
    void (*over)(void);
    struct timer timer;
    uint64_t stuck_ticks;
    uint64_t wire_ticks;
    uint64_t busy_ticks;

    const struct script_event *events;
    size_t count;
    struct input_made made;
    size_t next;   /* index of the event whose bytes are being sent */
    size_t played; /* number of events whose last byte was sent */
    uint8_t bytes[BYTES_MAX];
    uint8_t length; /* number of bytes of the event; 0: no event is left */
    uint8_t sent;
    uint8_t buttons;      /* buttons that are held */
    uint8_t mouse_length; /* bytes in a packet of the mouse */

    bool outstanding; /* `byte` was sent to `port` and is not taken yet */
    enum i8042_port port;
    uint8_t byte;
    uint64_t since; /* TSC when it was sent, or when the output buffer was first found full */
    bool busy;      /* the output buffer holds a byte that this module did not send */
    bool stuck;
} source;

static enum i8042_port port_of(const struct input_event *event)
{
    return event->kind <= INPUT_KEY_UP ? I8042_KEYBOARD : I8042_MOUSE;
}

static enum scancode_set set_in_use(void)
{
    return input_controller()->translated ? SCANCODE_SET_1 : SCANCODE_SET_2;
}

/* Encodes the next event. */
static void load(void)
{
    source.sent = 0;
    source.length = 0;
    if (source.next == source.count) {
        return;
    }
    const struct input_event *event = &source.events[source.next].event;

    if (port_of(event) == I8042_KEYBOARD) {
        source.length = (uint8_t)scancode_encode(set_in_use(), event, source.bytes);
    } else {
        source.buttons = mouse_encode(event, source.buttons, source.bytes);
        source.length = source.mouse_length;
    }
}

static uint64_t due(void)
{
    return (uint64_t)source.made.intended[source.next] -
           (uint64_t)(source.length - 1 - source.sent) * source.wire_ticks;
}

static void on_timer(void *argument);

/* Sets the timer to `deadline`, unless it is set to an earlier time: waking too early only costs
 * another wake-up, but waking too late would delay the byte. */
static void wake_at(uint64_t deadline)
{
    if (source.timer.armed && source.timer.deadline <= deadline) {
        return;
    }
    timer_stop(&source.timer);
    timer_start(&source.timer, deadline, 0, on_timer, NULL);
}

static void give_up(void)
{
    source.stuck = true;
    source.length = 0;
    source.over();
}

/* Marks a byte as outstanding before it is written, because its interrupt may arrive during the
 * write. */
static void note_sent(enum i8042_port port, uint8_t byte, uint64_t now)
{
    source.outstanding = true;
    source.port = port;
    source.byte = byte;
    source.since = now;
    wake_at(source.length > 0 && due() > now ? due() : now + source.stuck_ticks);
}

static void send(uint64_t now)
{
    const enum i8042_port port = port_of(&source.events[source.next].event);
    const uint8_t byte = source.bytes[source.sent++];
    int64_t *row = source.sent == source.length ? &source.made.written[source.next] : NULL;
    uint64_t written;

    if (row != NULL) {
        source.next++;
        load();
    }
    note_sent(port, byte, now);
    const bool good = input_ways.loop_back(port, byte, &written);

    interrupts_disable();
    if (!good) {
        give_up();
    } else if (row != NULL) {
        *row = (int64_t)written;
        source.played++;
    }
}

/* Waits for a byte of the real keyboard or mouse, whose interrupt is still to come. */
static void wait_for_other(uint64_t now)
{
    if (!source.busy) {
        source.busy = true;
        source.since = now;
    }
    if (now - source.since >= source.stuck_ticks) {
        give_up();
    } else {
        wake_at(now + source.busy_ticks);
    }
}

/* Sends a byte, sets the timer or gives up, whatever is due now. Interrupts are off, except during
 * the write. */
static void step(void)
{
    const uint64_t now = tsc_read();

    if (source.stuck) {
        return;
    }
    if (source.outstanding) {
        if (now - source.since >= source.stuck_ticks) {
            give_up();
        } else {
            wake_at(source.since + source.stuck_ticks);
        }
        return;
    }
    if (source.length == 0) {
        return;
    }
    if (due() > now) {
        wake_at(due());
    } else if ((input_ways.status() & I8042_OUTPUT_FULL) != 0) {
        wait_for_other(now);
    } else {
        source.busy = false;
        send(now);
    }
}

static void on_timer(void *argument)
{
    (void)argument;
    interrupts_disable();
    step();
    interrupts_enable();
}

void source_begin(void (*over)(void), uint8_t mouse_length)
{
    source = (typeof(source)){
        .over = over,
        .mouse_length = mouse_length,
        .stuck_ticks = clock_ticks_from_us(SOURCE_STUCK_US),
        .wire_ticks = clock_ticks_from_us(WIRE_US),
        .busy_ticks = clock_ticks_from_us(BUSY_US),
    };
}

void source_end(void)
{
    timer_stop(&source.timer);
    source.length = 0;
}

void source_taken(enum i8042_port port, uint8_t byte)
{
    interrupts_disable();
    if (source.outstanding && source.port == port && source.byte == byte) {
        source.outstanding = false;
        if (source.length == 0) {
            timer_stop(&source.timer);
            source.over();
        }
    }
    interrupts_enable();
}

void source_next(void)
{
    interrupts_disable();
    if (!source.outstanding) {
        step();
    }
    interrupts_enable();
}

bool source_idle(void)
{
    return source.length == 0 && !source.outstanding;
}

bool input_play(const struct script_event *events, size_t count, uint64_t begin,
                const struct input_made *made)
{
    const struct i8042 *controller = input_controller();
    uint8_t bytes[SCANCODE_BYTES_MAX];

    if (!source_idle()) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct input_event *event = &events[i].event;
        const enum i8042_port port = port_of(event);

        if (!controller->loopback[port] ||
            (port == I8042_KEYBOARD && scancode_encode(set_in_use(), event, bytes) == 0)) {
            return false;
        }
        made->intended[i] = (int64_t)(begin + clock_ticks_from_us(events[i].at_us));
        made->written[i] = 0;
    }
    interrupts_disable();
    source.events = events;
    source.count = count;
    source.made = *made;
    source.next = 0;
    source.played = 0;
    load();
    step();
    interrupts_enable();
    return true;
}

size_t input_played(void)
{
    return source.played;
}

bool input_stuck(void)
{
    return source.stuck;
}

bool source_send(enum i8042_port port, uint8_t byte)
{
    const uint64_t limit = tsc_read() + source.stuck_ticks;
    uint64_t written;

    while (source.outstanding && tsc_read() < limit) {
        cpu_pause();
    }
    interrupts_disable();
    if (source.outstanding || source.length > 0 || source.stuck) {
        interrupts_enable();
        return false;
    }
    note_sent(port, byte, tsc_read());
    const bool sent = input_ways.loop_back(port, byte, &written);

    if (!sent) {
        source.outstanding = false;
    }
    interrupts_enable();
    return sent;
}
