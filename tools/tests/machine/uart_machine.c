/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's own driver of the serial port, and its server of requests, against ports that no
 * emulator offers: in memory with registers four bytes apart and its own clock, with a host
 * that drops CTS, with one that sends while the image does, behind PCI; and a change of speed to
 * which the host agrees, or does not.
 *
 *     uart_machine [IMAGE.elf]
 */
#include "kernel/clock/clock.h"
#include "kernel/dev/uart16550.h"
#include "kernel/link/coded.h"
#include "kernel/link/link.h"
#include "kernel/link/series_codec.h"
#include "kernel/plan/handoff.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE "build/image/tare.elf"
#define ADDRESS       0x900000000ull /* above 4 GiB */
#define NOWHERE       0x900001000ull
#define LINK_MEMORY   (4u << 20)
#define PAGE          4096
#define STRIDE        4
#define CLOCK_HZ      48000000u
#define PORT          0x6060
#define CLOCK_HZ_FAST (8 * 1843200u)
#define SENT_MAX      8192
#define MESSAGES_MAX  8
#define TICKS_PER_MS  200 /* in the clock that the image is given */
#define FIFO_BYTES    16
#define CALL_TICKS    100000000ull
#define POLL_TICKS    50 /* instructions of a look at the transmitter, at most */
#define RETRY_POLLS   10000
#define CONFIG_PORT   0xcf8
#define DATA_PORT     0xcfc
#define FIRST_PORTS   16

/* The port, and the host at its other end. */
static struct {
    uint8_t registers[8];
    uint16_t divisor;
    uint16_t divisor_before; /* the last change */
    bool has_looped;
    uint8_t looped;
    bool cts;
    unsigned cts_looks; /* at CTS, until it changes; 0: it stays */
    unsigned burst;     /* bytes since the transmitter was seen to be ready */
    bool burst_too_long;
    bool busy; /* the transmitter is, as long as the host sends */
    bool gone; /* the port no longer answers */
    uint8_t sent[SENT_MAX];
    uint16_t sent_at[SENT_MAX]; /* with this divisor */
    size_t sent_count;
    unsigned changes;    /* of the divisor */
    uint64_t changed_at; /* TSC */
    uint64_t stayed;     /* ticks between the last two changes */
    struct {
        uint8_t bytes[SENT_MAX];
        size_t length;
        uint16_t at;      /* the divisor that makes the host's speed; 0: any */
        unsigned changes; /* of the image's, that the host waits for */
    } message[MESSAGES_MAX];
    unsigned message_count;
    unsigned speaking; /* the message that comes in, or will */
    size_t spoken;     /* bytes of it */
    unsigned wrong;    /* accesses of another width or at another place */
    unsigned wrapped;  /* at the first ports: the DMA controller's */
} port;

static uint32_t config_address;
static bool decodes_io;
static uint32_t serial_id;   /* of device and vendor */
static uint64_t found_count; /* of the last find() */
static const char *image_path;
static struct machine machine;

/* ---- the port ---- */

static bool is_incoming(void)
{
    if (port.speaking < port.message_count && port.spoken == port.message[port.speaking].length) {
        port.speaking++;
        port.spoken = 0;
    }
    const unsigned i = port.speaking;

    return i < port.message_count && port.changes >= port.message[i].changes &&
           (port.message[i].at == 0 || port.message[i].at == port.divisor);
}

static uint8_t line_status(void)
{
    const bool ready = !port.busy || !is_incoming();

    if (ready) {
        port.burst = 0;
    }
    return (uint8_t)((port.has_looped || is_incoming() ? 0x01 : 0) | (ready ? 0x60 : 0));
}

static uint8_t modem_status(void)
{
    if (port.cts_looks != 0 && --port.cts_looks == 0) {
        port.cts = !port.cts;
    }
    return port.cts ? 0x10 : 0;
}

static uint8_t port_get(unsigned index)
{
    const bool divisor = (port.registers[3] & 0x80) != 0;

    if (port.gone) {
        return 0xff;
    }
    switch (index) {
    case 0:
        if (divisor) {
            return (uint8_t)port.divisor;
        }
        if (port.has_looped) {
            port.has_looped = false;
            return port.looped;
        }
        return is_incoming() ? port.message[port.speaking].bytes[port.spoken++] : 0;
    case 1:
        return divisor ? (uint8_t)(port.divisor >> 8) : port.registers[1];
    case 2:
        return 0xc1;
    case 5:
        return line_status();
    case 6:
        return modem_status();
    default:
        return port.registers[index];
    }
}

static void port_send(uint8_t byte)
{
    if (port.gone) {
        return;
    }
    port.burst_too_long |= ++port.burst > FIFO_BYTES;
    if (port.sent_count < SENT_MAX) {
        port.sent_at[port.sent_count] = port.divisor;
        port.sent[port.sent_count++] = byte;
    }
}

static void port_put(unsigned index, uint8_t value)
{
    if ((port.registers[3] & 0x80) != 0 && index < 2) {
        port.divisor = (uint16_t)(index == 0 ? (port.divisor & 0xff00) | value
                                             : (port.divisor & 0x00ff) | value << 8);
    } else if (index == 0 && (port.registers[4] & 0x10) != 0) {
        port.looped = value;
        port.has_looped = true;
    } else if (index == 0) {
        port_send(value);
    } else {
        port.registers[index] = value;
    }
    if (index == 3 && value == 0x03 && port.divisor != port.divisor_before) {
        port.changes++;
        port.stayed = machine_tsc(&machine) - port.changed_at;
        port.changed_at = machine_tsc(&machine);
        port.divisor_before = port.divisor;
    }
}

/* ---- where it is ---- */

static uint64_t register_read(void *context, uint64_t offset)
{
    (void)context;
    port.wrong += offset % STRIDE != 0 || offset / STRIDE > 7 || machine.register_bytes != STRIDE;
    return port_get((unsigned)(offset / STRIDE) % 8);
}

static void register_write(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    port.wrong += offset % STRIDE != 0 || offset / STRIDE > 7 || machine.register_bytes != STRIDE;
    port_put((unsigned)(offset / STRIDE) % 8, (uint8_t)value);
}

static uint64_t nowhere_read(void *context, uint64_t offset)
{
    (void)context;
    (void)offset;
    return UINT64_MAX;
}

static void nowhere_write(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    (void)offset;
    (void)value;
}

/* Bus 0: a host bridge at device 0, at 3 the serial controller as function 1 of two. */
static uint32_t config_word(uint32_t place, uint32_t offset)
{
    const bool serial = place == (3 << 3 | 1);

    if (place != 0 && place != 3 << 3 && !serial) {
        return UINT32_MAX;
    }
    switch (offset) {
    case 0x00:
        return serial ? serial_id : 0x00011b36;
    case 0x04:
        return serial && decodes_io ? 1 : 0;
    case 0x08:
        return serial ? 0x07000200 : 0x06000000;
    case 0x0c:
        return 0x00800000;
    case 0x10:
        return serial ? PORT | 1 : 0;
    default:
        return 0;
    }
}

static uint32_t port_read(void *context, uint16_t at, unsigned bytes)
{
    (void)context;
    if (at == CONFIG_PORT && bytes == 4) {
        return config_address;
    }
    if (at == DATA_PORT && bytes == 4 && config_address >> 31 != 0) {
        return config_word(config_address >> 8 & 0xffff, config_address & 0xfc);
    }
    if (at < FIRST_PORTS) {
        return 0; /* not FFh, as an empty bus reads */
    }
    return at >= PORT && at < PORT + 8 ? port_get(at - PORT) : UINT32_MAX;
}

static void port_write(void *context, uint16_t at, unsigned bytes, uint32_t value)
{
    (void)context;
    port.wrapped += at < FIRST_PORTS ? 1 : 0;
    if (at == CONFIG_PORT && bytes == 4) {
        config_address = value;
    } else if (at >= PORT && at < PORT + 8) {
        port_put(at - PORT, (uint8_t)value);
    }
}

/* ---- the image ---- */

static uint64_t call(const char *function, size_t count, const uint64_t *arguments)
{
    machine.limit = machine_tsc(&machine) + CALL_TICKS;
    return machine_call(&machine, image_elf_symbol(&machine.image, function), count, arguments);
}

static void open_machine(void)
{
    static const struct machine_devices devices = {.port_read = port_read,
                                                   .port_write = port_write};

    memset(&port, 0, sizeof(port));
    port.divisor = 12;
    port.cts = true;
    machine_open(&machine, image_path, MACHINE_P6);
    machine.devices = devices;
    machine_map_device(&machine, ADDRESS, register_read, register_write, NULL);
    machine_map_device(&machine, NOWHERE, nowhere_read, nowhere_write, NULL);
}

static uint64_t place(const void *bytes, size_t size)
{
    const uint64_t address = machine_allocate(&machine, size);

    memcpy(machine_memory(&machine, address, size), bytes, size);
    return address;
}

/* Places a function that answers for every address that it may be read, or for none. It has a
 * separate page: beside data that the guest writes it would be code that changes. */
static uint64_t place_reaches(bool answer)
{
    const uint8_t code[] = {0xb8, answer, 0, 0, 0, 0xc3};
    const uint64_t address = (machine_allocate(&machine, 2 * PAGE) + PAGE - 1) / PAGE * PAGE;

    memcpy(machine_memory(&machine, address, sizeof(code)), code, sizeof(code));
    return address;
}

static struct uart *uart_at(uint64_t address)
{
    return machine_memory(&machine, address, sizeof(struct uart));
}

/* A port as ACPI's tables report it. */
static void add_serial(struct acpi_facts *facts, uint64_t address)
{
    const uint64_t name = place("SPCR", 5);

    facts->serial[facts->serial_count++] = (struct acpi_serial){
        .table = (const char *)(uintptr_t)name, /* the guest's */
        .base = {.address = address, .width = 32, .access = 3},
        .clock_hz = CLOCK_HZ,
    };
}

/* Address of the first struct uart; 0 where none was found. */
static uint64_t find(const struct acpi_facts *facts, const struct port_setting *planned,
                     bool reaches)
{
    const uint64_t uart = machine_allocate(&machine, UARTS_MAX * sizeof(struct uart));
    const uint64_t arguments[] = {place(facts, sizeof(*facts)),
                                  planned != NULL ? place(planned, sizeof(*planned)) : 0,
                                  place_reaches(reaches), uart};

    found_count = call("uart_find", 4, arguments);
    return found_count != 0 ? uart : 0;
}

static uint64_t find_in_memory(void)
{
    struct acpi_facts facts = {0};

    add_serial(&facts, ADDRESS);
    return find(&facts, NULL, true);
}

static uint32_t configure(uint64_t uart, uint32_t baud)
{
    const uint64_t arguments[] = {uart, baud};

    return (uint32_t)call("uart_configure", 2, arguments);
}

static uint16_t divisor(uint64_t uart, uint32_t baud)
{
    const uint64_t arguments[] = {uart, baud};

    return (uint16_t)call("uart_divisor", 2, arguments);
}

static bool write_bytes(uint64_t uart, const uint8_t *bytes, size_t length)
{
    const uint64_t arguments[] = {uart, place(bytes, length), length};

    return (call("uart_write", 3, arguments) & 0xff) != 0;
}

static void fill(uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    }
}

/* ---- tests ---- */

static void test_memory(void)
{
    uint8_t bytes[40];

    open_machine();
    const uint64_t uart = find_in_memory();

    CHECK(uart != 0);
    CHECK_TEXT(uart_at(uart)->found_by, "SPCR");
    CHECK_EQUAL(configure(uart, 115200), CLOCK_HZ / 16 / 26);
    CHECK_EQUAL(port.divisor, 26);
    CHECK_EQUAL(port.registers[3], 0x03);
    CHECK_EQUAL(port.registers[4], 0x03);
    fill(bytes, sizeof(bytes));
    CHECK(write_bytes(uart, bytes, sizeof(bytes)));
    CHECK_EQUAL(port.sent_count, sizeof(bytes));
    CHECK(memcmp(port.sent, bytes, sizeof(bytes)) == 0);
    CHECK(!port.burst_too_long);
    CHECK_EQUAL(configure(uart, 0), CLOCK_HZ / 16 / 12); /* as firmware left it */
    CHECK_EQUAL(port.wrong, 0);
    CHECK_EQUAL(divisor(uart, 1500000), 2);
    CHECK_EQUAL(divisor(uart, 921600), 0); /* 3: 8.5 % off */
    CHECK_EQUAL(divisor(uart, 1000000), 3);
    CHECK_EQUAL(divisor(uart, 30), 0); /* 17 bits */
    CHECK_EQUAL(divisor(uart, 0), 0);
    CHECK_EQUAL(divisor(uart, 4000000), 0);
    CHECK_TEXT(machine.failure, "");
    machine_close(&machine);
}

/* Speed 0: that of the SPCR, also for a port that the plan names; otherwise the divisor that the
 * look at the port found; otherwise the usual speed. */
static void test_speed_of_firmware(void)
{
    const struct port_setting planned = {
        .base = ADDRESS, .stride = 4, .width = 4, .clock_hz = CLOCK_HZ};
    struct acpi_facts facts = {0};

    open_machine();
    add_serial(&facts, ADDRESS);
    uint64_t uart = find(&facts, NULL, true);

    CHECK_EQUAL(configure(uart, 9600), CLOCK_HZ / 16 / 313);
    CHECK_EQUAL(configure(uart, 0), CLOCK_HZ / 16 / 12);
    CHECK_EQUAL(port.divisor, 12);
    facts.serial[0].baud = 57600;
    CHECK_EQUAL(configure(find(&facts, NULL, true), 0), CLOCK_HZ / 16 / 52);
    uart = find(&facts, &planned, true);
    CHECK_TEXT(uart_at(uart)->found_by, "plan");
    CHECK_EQUAL(configure(uart, 0), CLOCK_HZ / 16 / 52);
    CHECK_EQUAL(configure(uart, 115200), CLOCK_HZ / 16 / 26);
    facts.serial[0].baud = 0;
    port.divisor = 0;
    CHECK_EQUAL(configure(find(&facts, NULL, true), 0), CLOCK_HZ / 16 / 26);
    CHECK_TEXT(machine.failure, "");
    machine_close(&machine);
}

/* What is not there, or cannot be reached, is passed over; what the plan names comes first. */
static void test_candidates(void)
{
    const struct port_setting planned = {.base = ADDRESS, .stride = 4, .width = 4};
    const struct port_setting wrong = {.base = NOWHERE, .stride = 4, .width = 4};
    struct acpi_facts facts = {0};

    open_machine();
    add_serial(&facts, NOWHERE);
    decodes_io = false;
    CHECK_EQUAL(find(&facts, NULL, true), 0);
    decodes_io = true;
    uint64_t uart = find(&facts, &wrong, true);

    CHECK(uart != 0);
    CHECK_TEXT(uart_at(uart)->found_by, "PCI 00:03.1");
    CHECK_EQUAL(uart_at(uart)->base, PORT);
    CHECK_EQUAL(configure(uart, 115200), 115200);
    CHECK_EQUAL(config_address, 0);
    add_serial(&facts, ADDRESS);
    CHECK_TEXT(uart_at(find(&facts, NULL, false))->found_by, "PCI 00:03.1");
    CHECK_TEXT(uart_at(find(&facts, NULL, true))->found_by, "SPCR");
    uart = find(&facts, &planned, true);
    CHECK_TEXT(uart_at(uart)->found_by, "plan");
    port.divisor = 26;
    CHECK_EQUAL(configure(uart, 115200), 0); /* its clock is not known: it stays as it is */
    CHECK_EQUAL(port.divisor, 26);
    CHECK_TEXT(machine.failure, "");
    machine_close(&machine);
}

/* Each that loops back is found once, in the order of the look, whichever of them is asked first.
 * The model is one port at two places. */
static void test_all(void)
{
    struct acpi_facts facts = {0};

    open_machine();
    decodes_io = true;
    add_serial(&facts, ADDRESS);
    add_serial(&facts, ADDRESS);
    add_serial(&facts, NOWHERE);
    const uint64_t uart = find(&facts, NULL, true);

    CHECK_EQUAL(found_count, 2);
    CHECK_TEXT(uart_at(uart)->found_by, "SPCR");
    CHECK_TEXT(uart_at(uart + sizeof(struct uart))->found_by, "PCI 00:03.1");
    CHECK_TEXT(machine.failure, "");
    machine_close(&machine);
}

/* 8 bits by its table, with registers words apart: as it states it, nothing loops back. */
static void test_spacing(void)
{
    static const struct {
        uint8_t width;
        uint8_t access;
        uint8_t found; /* bytes of an access; 0: not found */
    } stated[] = {{8, 0, 4}, {8, 3, 4}, {0, 3, 4}, {16, 0, 0}, {64, 0, 0}};

    for (size_t i = 0; i < sizeof(stated) / sizeof(stated[0]); i++) {
        struct acpi_facts facts = {0};

        open_machine();
        decodes_io = false;
        add_serial(&facts, ADDRESS);
        facts.serial[0].base.width = stated[i].width;
        facts.serial[0].base.access = stated[i].access;
        const uint64_t uart = find(&facts, NULL, true);

        CHECK_EQUAL(uart != 0, stated[i].found != 0);
        if (uart != 0) {
            CHECK_EQUAL(uart_at(uart)->stride, STRIDE);
            CHECK_EQUAL(uart_at(uart)->access, stated[i].found);
        }
        CHECK_TEXT(machine.failure, "");
        machine_close(&machine);
    }
}

/* What was asked for a host and is not used is as it was, the rate included. */
static void test_released(void)
{
    open_machine();
    const uint64_t uart = find_in_memory();
    const uint64_t arguments[] = {uart, machine_allocate(&machine, sizeof(struct uart_registers))};

    port.registers[1] = 5;
    port.registers[3] = 0x1b;
    port.registers[4] = 0x0b;
    call("uart_hold", 2, arguments);
    configure(uart, 115200);
    CHECK_EQUAL(port.divisor, 26);
    CHECK_EQUAL(port.registers[1], 0);
    call("uart_release", 2, arguments);
    CHECK_EQUAL(port.divisor, 12);
    CHECK_EQUAL(port.registers[1], 5);
    CHECK_EQUAL(port.registers[3], 0x1b);
    CHECK_EQUAL(port.registers[4], 0x0b);
    CHECK_TEXT(machine.failure, "");
    machine_close(&machine);
}

/* Cards whose clock is another one, by their ids; of others the PC's is assumed. */
static void test_cards(void)
{
    static const struct {
        uint32_t id;
        uint16_t divisor; /* at 115200 baud */
        bool assumed;
    } cards[] = {
        {0x00021b36, 1, true},   {0x795112d8, 8, false},  {0x795812d8, 8, false},
        {0x015213a8, 8, false},  {0x035213a8, 68, false}, {0x035813a8, 68, false},
        {0x435413a8, 68, false}, {0x835813a8, 68, false}, {0x795113a8, 1, true},
        {0x796112d8, 1, true},
    };
    const struct acpi_facts facts = {0};

    for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
        open_machine();
        decodes_io = true;
        serial_id = cards[i].id;
        const uint64_t uart = find(&facts, NULL, true);

        CHECK(uart != 0);
        CHECK_EQUAL(uart_at(uart)->clock_assumed, cards[i].assumed);
        configure(uart, 115200);
        CHECK_EQUAL(port.divisor, cards[i].divisor);
        CHECK_TEXT(machine.failure, "");
        machine_close(&machine);
    }
}

/* A host that drops CTS stops the image after the burst, and starts it again; one that dropped it
 * for good costs little each time, and nothing is wrong when it is back. */
static void test_flow_control(void)
{
    uint8_t bytes[100];

    open_machine();
    const uint64_t uart = find_in_memory();

    configure(uart, 115200);
    fill(bytes, sizeof(bytes));
    port.cts = false;
    CHECK(write_bytes(uart, bytes, sizeof(bytes))); /* without wait_for_cts */
    CHECK_EQUAL(port.sent_count, sizeof(bytes));
    uart_at(uart)->wait_for_cts = true;
    port.sent_count = 0;
    port.cts_looks = 50;
    CHECK(write_bytes(uart, bytes, sizeof(bytes)));
    CHECK(memcmp(port.sent, bytes, sizeof(bytes)) == 0);
    CHECK(!port.burst_too_long);

    port.sent_count = 0;
    port.cts = false;
    uart_at(uart)->stalled = true;
    const uint64_t start = machine_tsc(&machine);

    CHECK(!write_bytes(uart, bytes, sizeof(bytes)));
    CHECK(machine_tsc(&machine) - start < (uint64_t)RETRY_POLLS * POLL_TICKS);
    CHECK_EQUAL(port.sent_count, 0);
    port.sent_count = 0;
    port.cts = true;
    CHECK(write_bytes(uart, bytes, sizeof(bytes)));
    CHECK(!uart_at(uart)->stalled);
    CHECK(memcmp(port.sent, bytes, sizeof(bytes)) == 0);
    CHECK_TEXT(machine.failure, "");
    machine_close(&machine);
}

/* What the host sends while the image does is there afterwards, the newest of it. */
static void test_ring(void)
{
    const uint8_t byte = 0;
    const size_t older = 100;

    open_machine();
    const uint64_t uart = find_in_memory();

    configure(uart, 115200);
    port.message_count = 1;
    port.message[0].length = UART_RING_BYTES + older;
    fill(port.message[0].bytes, UART_RING_BYTES + older);
    port.busy = true;
    CHECK(write_bytes(uart, &byte, 1));
    CHECK_EQUAL(port.speaking, 1);
    for (size_t i = older; i < UART_RING_BYTES + older; i++) {
        CHECK_EQUAL((int)call("uart_read", 1, &uart), port.message[0].bytes[i]);
    }
    CHECK_EQUAL((int)call("uart_read", 1, &uart), -1);
    CHECK_TEXT(machine.failure, "");
    machine_close(&machine);
}

/* ---- requests ---- */

/* The host sends `text` when the image's divisor is `at` and has changed so often. */
static void ask(uint16_t at, unsigned changes, const char *text)
{
    struct frame frame = {.type = FRAME_REQUEST, .length = (uint16_t)strlen(text)};
    const unsigned i = port.message_count++;

    memcpy(frame.payload, text, frame.length);
    port.message[i].length = frame_encode(&frame, FRAME_BINARY, port.message[i].bytes);
    port.message[i].at = at;
    port.message[i].changes = changes;
}

/* A machine whose line is a port at eight times the speed of a PC's, with divisor 8. */
/* What records and the codec need. */
static void give_memory(void)
{
    static struct handoff handoff;
    const uint64_t start =
        (machine_allocate(&machine, LINK_MEMORY + PAGE) + PAGE - 1) / PAGE * PAGE;

    handoff.range_count = 1;
    handoff.ranges[0] = (struct memory_range){start, LINK_MEMORY / PAGE, MEMORY_FREE};
    const uint64_t at = place(&handoff, sizeof(handoff));

    call("memory_init", 1, &at);
}

static void open_link(void)
{
    open_machine();
    give_memory();
    uint64_t uart = machine_allocate(&machine, sizeof(struct uart));

    *uart_at(uart) = (struct uart){
        .base = PORT, .io = true, .clock_hz = CLOCK_HZ_FAST, .access = 1, .stride = 1};
    call("link_init", 1, &uart);
    configure(uart, 115200);
    CHECK_EQUAL(port.divisor, 8);
    port.changes = 0;
}

/* Serves until the host sends bye, or is silent for so long. */
static void serve(uint64_t wait_ms)
{
    const uint64_t at = call("clock_state", 0, NULL);
    struct clock_state *clock = machine_memory(&machine, at, sizeof(*clock));

    clock->verdict.hz = TICKS_PER_MS * 1000;
    call("link_serve", 1, &wait_ms);
    CHECK_TEXT(machine.failure, "");
}

/* Frame `number` of those that were sent, and the divisor that its first byte left with; false:
 * there are fewer. */
static bool sent_frame(unsigned number, struct frame *frame, uint16_t *at, bool *text)
{
    struct frame_reader reader;
    size_t begin = 0;

    frame_reader_init(&reader);
    for (size_t i = 0; i < port.sent_count; i++) {
        const enum frame_reader_event event = frame_reader_push(&reader, port.sent[i], frame);

        if (event == FRAME_READER_FRAME && number-- == 0) {
            *at = port.sent_at[begin];
            *text = port.sent[i] != 0; /* a binary one ends with it */
            return true;
        }
        begin = event == FRAME_READER_MORE ? begin : i + 1;
    }
    return false;
}

static void check_answer(unsigned number, uint16_t at_divisor, const char *begins)
{
    struct frame frame;
    uint16_t at = 0;
    bool text;

    CHECK(sent_frame(number, &frame, &at, &text));
    CHECK_EQUAL(at, at_divisor);
    frame.payload[strlen(begins)] = '\0';
    CHECK_TEXT((const char *)frame.payload, begins);
}

static bool is_sent(unsigned number)
{
    struct frame frame;
    uint16_t at;
    bool text;

    return sent_frame(number, &frame, &at, &text);
}

/* The host asks for what cannot be, agrees to what can, checks it and goes on. In the end all is as
 * it was. */
static void test_rate(void)
{
    open_link();
    ask(8, 0, "rate baud=13\n");
    ask(8, 0, "rate baud=700000\n");
    ask(8, 0, "rate baud=900000\n");
    ask(1, 1, "rate_check\n");
    serve(500);
    check_answer(0, 8, "answer to=rate baud=13 ok=0 reason=");
    check_answer(1, 8, "answer to=rate baud=700000 ok=0 reason=");
    check_answer(2, 8, "answer to=rate baud=921600 ok=1\n");
    check_answer(3, 1, "answer to=rate_check baud=921600 ok=1\n");
    CHECK(!is_sent(4));
    CHECK_EQUAL(port.divisor, 8);
    CHECK_EQUAL(port.changes, 2);
    machine_close(&machine);
}

/* Nothing arrives from the host at the new speed: the old one comes back in time, however short the
 * wait. A request at the old speed is answered. */
static void test_rate_lost(void)
{
    open_link();
    ask(8, 0, "rate baud=460800\n");
    ask(8, 2, "status_request\n");
    serve(500);
    CHECK(port.stayed / TICKS_PER_MS >= RATE_CHECK_MS);
    CHECK(port.stayed / TICKS_PER_MS < RATE_CHECK_MS + 200);
    check_answer(0, 8, "answer to=rate baud=460800 ok=1\n");
    check_answer(1, 8, "end meta=0 frames=0");
    CHECK(!is_sent(2));
    machine_close(&machine);
}

/* The host that agreed is gone: the next one knows only the speed of the run, and is answered. */
static void test_rate_left(void)
{
    open_link();
    ask(8, 0, "rate baud=460800\n");
    ask(2, 1, "rate_check\n");
    ask(8, 2, "status_request\n");
    serve(500);
    CHECK(port.stayed / TICKS_PER_MS >= RATE_SILENCE_MS);
    CHECK(port.stayed / TICKS_PER_MS < RATE_SILENCE_MS + 500);
    check_answer(1, 2, "answer to=rate_check baud=460800 ok=1\n");
    check_answer(2, 8, "end meta=0 frames=0");
    machine_close(&machine);
}

static void send_series(const int64_t *samples, size_t count)
{
    const uint64_t name = place("x", 2);
    const struct link_series series = {
        .bench = (const char *)(uintptr_t)name,
        .name = (const char *)(uintptr_t)name,
        .unit = (const char *)(uintptr_t)name,
        .samples = (const int64_t *)(uintptr_t)place(samples, count * sizeof(*samples)),
        .count = count,
    };
    const uint64_t at = place(&series, sizeof(series));

    CHECK((call("link_series", 1, &at) & 0xff) != 0);
}

/* After bye the host wants no answer, and the image does not wait for it. */
static void test_bye(void)
{
    open_link();
    ask(8, 0, "status_request\n");
    ask(8, 0, "bye\n");
    const uint64_t start = machine_tsc(&machine);

    serve(1000);
    CHECK(machine_tsc(&machine) - start < 500 * TICKS_PER_MS);
    CHECK_EQUAL(port.sent_count, 0);
    machine_close(&machine);
}

/* Frames that leave only when they are asked for, in whatever order, each in the format that was
 * asked for, and all that are the same but once. */
static void test_get(void)
{
    static const struct {
        uint32_t seq;
        bool text;
    } expected[] = {{3, true}, {4, true}, {1, false}, {2, false}};
    static int64_t samples[3000];
    const uint64_t on = 1;
    uint64_t state = 1;

    open_link();
    for (size_t i = 0; i < 3000; i++) {
        unit_random(&state);
        samples[i] = (int64_t)(state >> 51); /* 13 bits that no model knows */
    }
    call("link_set_on_request", 1, &on);
    send_series(samples, 3000);
    call("link_flush", 0, NULL);
    CHECK_TEXT(machine.failure, "");
    CHECK(is_sent(0) && !is_sent(1)); /* the records, and no sample */
    port.sent_count = 0;
    ask(8, 0, "get stream=1 first=3 count=2 format=text\n");
    ask(8, 0, "get stream=1 first=1 count=2\n");
    ask(8, 0, "get stream=1 first=3 count=2\n");
    ask(8, 0, "get stream=2 first=0 count=1\n");
    ask(8, 0, "get stream=1 first=4294967295 count=4294967295\n");
    serve(100);
    for (unsigned i = 0; i < 4; i++) {
        static struct series_codec codec;
        static struct series_part parts[SERIES_CODEC_PARTS_MAX];
        static int64_t out[SERIES_CODEC_SAMPLES_MAX];
        struct frame frame;
        uint16_t at;
        bool text;

        CHECK(sent_frame(i, &frame, &at, &text));
        CHECK_EQUAL(frame.seq, expected[i].seq);
        CHECK_EQUAL(text, expected[i].text);
        /* Behind the tag of the run. */
        CHECK_EQUAL(series_decode(&codec, frame.payload + CODED_TAG_BYTES,
                                  frame.length - CODED_TAG_BYTES, parts, out),
                    1);
        CHECK(parts[0].count > 300 && parts[0].first + parts[0].count <= 3000);
        CHECK(memcmp(out, samples + parts[0].first, parts[0].count * sizeof(out[0])) == 0);
    }
    CHECK(!is_sent(4));
    machine_close(&machine);
}

/* A port that vanishes, and so reads FFh for ever, is a line that takes and brings nothing. */
static void test_gone(void)
{
    const uint8_t bytes[40] = {0};

    open_link();
    const uint64_t uart = machine_allocate(&machine, sizeof(struct uart));

    *uart_at(uart) = (struct uart){
        .base = PORT, .io = true, .clock_hz = CLOCK_HZ_FAST, .access = 1, .stride = 1};
    port.gone = true;
    uart_at(uart)->stalled = true; /* else it waits for a second */
    CHECK(!write_bytes(uart, bytes, sizeof(bytes)));
    CHECK(uart_at(uart)->stalled);
    CHECK_EQUAL((int)call("uart_read", 1, &uart), -1);
    const uint64_t before = machine_tsc(&machine);

    serve(100);
    CHECK(machine_tsc(&machine) - before < 200 * TICKS_PER_MS);
    machine_close(&machine);
}

/* As firmware may leave it: the divisor accessible, an interrupt on. It is found, and what the look
 * at it changed is put back. */
static void test_found_as_left(void)
{
    open_machine();
    port.registers[1] = 5;
    port.registers[3] = 0x9b;
    port.registers[4] = 0x0b;
    CHECK(find_in_memory() != 0);
    CHECK_EQUAL(port.divisor, 12);
    CHECK_EQUAL(port.registers[1], 5);
    CHECK_EQUAL(port.registers[3], 0x9b);
    CHECK_EQUAL(port.registers[4], 0x0b);
    CHECK_EQUAL(port.sent_count, 0);
    CHECK_TEXT(machine.failure, "");
    machine_close(&machine);
}

/* Registers that would end beyond the last port are not there, and none wraps to port 0. */
static void test_last_port(void)
{
    const struct port_setting planned = {.base = 0xfffc, .io = true, .stride = 1, .width = 1};
    struct acpi_facts facts = {0};

    open_machine();
    decodes_io = false;
    CHECK_EQUAL(find(&facts, &planned, true), 0);
    CHECK_EQUAL(port.wrapped, 0);
    machine_close(&machine);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        fprintf(stderr, "usage: uart_machine [IMAGE.elf]\n");
        return 2;
    }
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_memory());
    RUN(test_speed_of_firmware());
    RUN(test_candidates());
    RUN(test_all());
    RUN(test_spacing());
    RUN(test_released());
    RUN(test_cards());
    RUN(test_flow_control());
    RUN(test_ring());
    RUN(test_rate());
    RUN(test_rate_lost());
    RUN(test_rate_left());
    RUN(test_bye());
    RUN(test_get());
    RUN(test_gone());
    RUN(test_found_as_left());
    RUN(test_last_port());
    return unit_finish("uart_machine");
}
