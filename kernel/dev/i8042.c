/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/dev/i8042.h"

#include <stdio.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/port.h"

#define DATA    0x60
#define COMMAND 0x64 /* for writing; a read returns the status */

/* Commands to the controller. */
#define READ_CONFIGURATION  0x20
#define WRITE_CONFIGURATION 0x60
#define DISABLE_MOUSE       0xa7
#define SELF_TEST           0xaa
#define DISABLE_KEYBOARD    0xad
#define LOOP_KEYBOARD       0xd2
#define LOOP_MOUSE          0xd3
#define TO_MOUSE            0xd4

#define CONFIGURATION_INTERRUPTS  0x03
#define CONFIGURATION_DISABLED    0x30
#define CONFIGURATION_TRANSLATION 0x40

/* Commands to the devices, and their answers. */
#define KEYBOARD_ECHO 0xee
#define MOUSE_ENABLE  0xf4
#define MOUSE_RATE    0xf3
#define MOUSE_DISABLE 0xf5
#define ACKNOWLEDGED  0xfa

#define NO_DEVICE       0xff
#define SELF_TEST_GOOD  0x55
#define SELF_TEST_TRIES 5  /* some controllers fail the first one */
#define READ_TRIES      8  /* readings of the command byte until two in a row agree */
#define LOOP_TRIES      2  /* a byte of the device may come between, but hardly twice */
#define BUFFERED_MAX    64 /* more bytes than any controller and its devices keep */
#define REASON_MAX      80

static const uint8_t disabled[I8042_PORTS] = {0x10, 0x20};   /* bits of the command byte */
static const uint8_t interrupts[I8042_PORTS] = {0x01, 0x02}; /* bits of the command byte */

static struct i8042 controller;
static bool probed;
static uint8_t quiet; /* command byte with both ports disabled and without interrupts */

uint8_t i8042_status(void)
{
    return port_read8(COMMAND);
}

uint8_t i8042_read(void)
{
    return port_read8(DATA);
}

static bool wait_taken(void)
{
    for (unsigned i = 0; i < I8042_POLLS; i++) {
        if ((i8042_status() & I8042_INPUT_FULL) == 0) {
            return true;
        }
        cpu_pause();
    }
    return false;
}

static bool wait_answer(uint8_t *status)
{
    for (unsigned i = 0; i < I8042_POLLS; i++) {
        *status = i8042_status();
        if ((*status & I8042_OUTPUT_FULL) != 0) {
            return true;
        }
        cpu_pause();
    }
    return false;
}

/* Always inline, so that the instructions of a loop-back, which benches measure, do not depend on
 * how many callers there are. */
static inline __attribute__((always_inline)) bool put(uint16_t port, uint8_t byte)
{
    if (!wait_taken()) {
        return false;
    }
    port_write8(port, byte);
    return true;
}

static bool answer(uint8_t *byte)
{
    uint8_t status;

    if (!wait_answer(&status)) {
        return false;
    }
    *byte = i8042_read();
    return true;
}

/* Empties the output buffer and counts its bytes. Returns false if it is still full. */
static bool empty(uint32_t *bytes)
{
    for (*bytes = 0; *bytes < BUFFERED_MAX; (*bytes)++) {
        if ((i8042_status() & I8042_OUTPUT_FULL) == 0) {
            return true;
        }
        i8042_read();
    }
    return false;
}

/* Reads until no byte has come for as long as an answer may take. */
static void drain(void)
{
    uint8_t byte;

    for (unsigned i = 0; i < BUFFERED_MAX && answer(&byte); i++) {
    }
}

static bool configure(uint8_t configuration)
{
    return put(COMMAND, WRITE_CONFIGURATION) && put(DATA, configuration) && wait_taken();
}

/* ---- finding controller and devices ---- */

static void run_self_test(void)
{
    for (int i = 0; i < SELF_TEST_TRIES && controller.self_test != SELF_TEST_GOOD; i++) {
        if (!put(COMMAND, SELF_TEST) || !answer(&controller.self_test)) {
            return;
        }
    }
}

static bool give(enum i8042_port port)
{
    return (i8042_status() & I8042_OUTPUT_FULL) == 0 &&
           put(COMMAND, port == I8042_KEYBOARD ? LOOP_KEYBOARD : LOOP_MOUSE) && wait_taken();
}

/* Tries the loop-back with two bytes that differ in every bit; as keys they are x and k. Returns
 * NULL on success, otherwise the reason. */
static const char *try_loop_back(enum i8042_port port)
{
    static const uint8_t patterns[] = {0x2d, 0x52};
    const uint8_t from = port == I8042_KEYBOARD ? 0 : I8042_FROM_MOUSE;
    uint8_t status;

    for (size_t i = 0; i < sizeof(patterns); i++) {
        if (!give(port)) {
            return "the controller does not accept the loop-back command";
        }
        port_write8(DATA, patterns[i]);
        if (!wait_answer(&status)) {
            return "the controller returns no byte";
        }
        if (i8042_read() != patterns[i]) {
            return "the controller returns a wrong byte";
        }
        if ((status & I8042_FROM_MOUSE) != from) {
            return "the controller reports the test byte as one from the other port";
        }
    }
    return NULL;
}

/* Reads until the expected answer arrives, because a device in use may have sent other bytes
 * before. Returns false if it does not arrive. */
static bool device_answers(uint8_t expected)
{
    uint8_t byte = 0;

    for (unsigned i = 0; i < BUFFERED_MAX && byte != expected; i++) {
        if (!answer(&byte)) {
            return false;
        }
    }
    return byte == expected;
}

static bool send_to_mouse(uint8_t command)
{
    return put(COMMAND, TO_MOUSE) && put(DATA, command) && device_answers(ACKNOWLEDGED);
}

static bool keyboard_echoes(void)
{
    return put(DATA, KEYBOARD_ECHO) && device_answers(KEYBOARD_ECHO);
}

static void look_at_ports(void)
{
    for (enum i8042_port port = 0; port < I8042_PORTS; port++) {
        uint32_t stale;

        configure(quiet & (uint8_t)~disabled[port]);
        controller.attached[port] =
            port == I8042_KEYBOARD ? keyboard_echoes() : send_to_mouse(MOUSE_DISABLE);
        empty(&stale);
        for (unsigned i = 0; i < LOOP_TRIES; i++) {
            controller.without[port] = try_loop_back(port);
            if (controller.without[port] == NULL) {
                break;
            }
            drain();
        }
        controller.loopback[port] = controller.without[port] == NULL;
        empty(&stale);
    }
    configure(quiet);
}

static void set_absent_reason(const struct acpi_facts *acpi, const char *found)
{
    static char reason[REASON_MAX];
    static const char *const answers_text[] = {
        [ACPI_NOT_STATED] = "the FADT does not report one",
        [ACPI_NO] = "the FADT reports none",
        [ACPI_YES] = "the FADT reports one",
    };

    snprintf(reason, sizeof(reason), "%s; %s", found, answers_text[acpi->i8042]);
    controller.reason = reason;
}

static const char answers_differ[] = "the answers to command 20h differ";

/* Reads the command byte until two readings agree: a byte that a device sent may arrive before the
 * answer. Returns NULL on success, otherwise the reason. */
static const char *read_configuration(uint8_t *configuration)
{
    uint8_t last = 0;

    for (unsigned i = 0; i < READ_TRIES; i++) {
        if (!put(COMMAND, READ_CONFIGURATION)) {
            return "no command is accepted at port 64h";
        }
        if (!answer(configuration)) {
            return "no answer to command 20h";
        }
        if (i > 0 && *configuration == last) {
            return NULL;
        }
        if (i > 0) {
            drain(); /* one of the two was no answer, so an answer is still to come */
        }
        last = *configuration;
    }
    return answers_differ;
}

/* Reads status and command byte. The byte is certain only while both ports are disabled, which sets
 * its bits DISABLED; these bits are taken from an earlier reading if all others agree. If they do
 * not, keys arrived, and the ports were enabled. Returns NULL on success, otherwise what was found
 * instead of a controller. */
static const char *find(void)
{
    uint8_t before = 0;
    uint8_t certain = 0;
    uint32_t stale;

    controller.status = i8042_status();
    if (controller.status == NO_DEVICE) {
        return "status FFh at port 64h";
    }
    if (!empty(&stale)) {
        return "the output buffer at port 60h never empties";
    }
    const char *reason = read_configuration(&before);

    if (reason != NULL && reason != answers_differ) {
        return reason;
    }
    if (!put(COMMAND, DISABLE_KEYBOARD) || !put(COMMAND, DISABLE_MOUSE) || !wait_taken()) {
        return "no command is accepted at port 64h";
    }
    empty(&stale);
    reason = read_configuration(&certain);
    controller.configuration = ((before ^ certain) & ~CONFIGURATION_DISABLED) == 0
                                   ? before
                                   : (uint8_t)(certain & ~CONFIGURATION_DISABLED);
    return reason;
}

const struct i8042 *i8042_probe(const struct acpi_facts *acpi)
{
    if (probed) {
        return &controller;
    }
    probed = true;
    const char *found = find();

    if (found != NULL) {
        set_absent_reason(acpi, found);
        return &controller;
    }
    controller.present = true;
    controller.translated = (controller.configuration & CONFIGURATION_TRANSLATION) != 0;
    quiet =
        (uint8_t)((controller.configuration & ~CONFIGURATION_INTERRUPTS) | CONFIGURATION_DISABLED);
    configure(quiet);
    run_self_test();
    look_at_ports(); /* also restores the command byte, which a self-test may have reset */
    return &controller;
}

/* ---- opening, reading, writing and closing the controller ---- */

bool i8042_wheel;

/* These rates in a row make a mouse with a wheel send its notches. */
static bool enable_wheel(void)
{
    return send_to_mouse(MOUSE_RATE) && send_to_mouse(200) && send_to_mouse(MOUSE_RATE) &&
           send_to_mouse(100) && send_to_mouse(MOUSE_RATE) && send_to_mouse(80);
}

bool i8042_open(uint32_t *stale)
{
    uint8_t configuration = quiet;
    uint32_t more;

    *stale = 0;
    if (!controller.present || !empty(stale)) {
        return false;
    }
    for (enum i8042_port port = 0; port < I8042_PORTS; port++) {
        if (controller.attached[port] || controller.loopback[port]) {
            configuration &= (uint8_t)~disabled[port];
            configuration |= interrupts[port];
        }
    }
    if (!configure(configuration & (uint8_t)~CONFIGURATION_INTERRUPTS)) {
        return false;
    }
    if (controller.attached[I8042_MOUSE] &&
        ((i8042_wheel && !enable_wheel()) || !send_to_mouse(MOUSE_ENABLE))) {
        return false;
    }
    const bool good = empty(&more);

    *stale += more;
    return good && configure(configuration);
}

void i8042_close(void)
{
    uint32_t stale;

    if (controller.present) {
        configure(quiet);
        empty(&stale);
    }
}

void i8042_release(void)
{
    uint32_t stale;

    if (controller.present) {
        empty(&stale);
        configure(controller.configuration);
    }
}

void i8042_hold(void)
{
    i8042_close();
}

bool i8042_loop_back(enum i8042_port port, uint8_t byte, uint64_t *written)
{
    if (!give(port)) {
        return false;
    }
    const uint64_t now = tsc_read();

    /* No interrupt arrives between STI and the instruction after it (SDM volume 2, STI). */
    interrupts_enable();
    port_write8(DATA, byte);
    *written = now;
    return true;
}
