/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NICs, kernel/net/nic.h, which of them the plan chooses, and the simulated link, as they are in
 * the image: on a NIC of this test that has what is given to it, and on a clock and timers that it
 * sets.
 */
#include <stdlib.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/dev/pci.h"
#include "kernel/mem/memory.h"
#include "kernel/task/timer.h"
#include "tools/tests/support/unit.h"

/* In place of instructions that a program may not use. */
#define interrupts_save()         UINT64_C(0)
#define interrupts_restore(flags) ((void)(flags))
#define tsc_read()                look_at_clock()
#define tsc_wait_begin(ticks)     ((struct tsc_wait){tick, (ticks), 0})
#define tsc_wait_over(wait)       (tick - (wait)->start >= (wait)->ticks)

#define HZ      2500000000u
#define SLOT_OF 256 /* frames that an end of the wire holds */

static uint64_t tick; /* the TSC */
static uint64_t look_at_clock(void);

// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernel/net/nic.c"
#include "kernel/net/simulated_link.c"
#include "kernel/net/use.c"
// NOLINTEND(bugprone-suspicious-include)

/* ---- the machine ---- */

#include "tools/tests/support/armed_timers.h"

static bool session = true;
static struct clock_state clocks = {.verdict.hz = HZ};

static uint64_t look_at_clock(void)
{
    return tick;
}

const struct clock_state *clock_state(void)
{
    return &clocks;
}

uint64_t clock_ticks_from_us(uint64_t microseconds)
{
    return microseconds * (HZ / 1000000);
}

void *memory_allocate(size_t bytes, size_t alignment)
{
    void *memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);

    memset(memory, 0, bytes);
    return memory;
}

bool task_active(void)
{
    return session;
}

/* ---- PCI: two NICs of this test's driver, and one that no driver takes ---- */

static struct nic *found[2];
static bool link_up = true;
static bool arrives_by_interrupt;
static unsigned opens, closes, polls;
static uint32_t sent_length;
static uint8_t sent_bytes[NIC_FRAME_MAX];

static void find_two(void)
{
    for (uint16_t i = 0; i < 2; i++) {
        found[i] = nic_add(&e1000_driver, NULL);
        found[i]->place = (uint16_t)(0x28 - 0x10 * i); /* the first one found is the last */
        found[i]->id = 0x10d38086;
    }
}

static const char *open_fake(struct nic *nic, bool interrupts)
{
    opens++;
    nic->interrupt = interrupts && arrives_by_interrupt ? INTERRUPT_MSI : INTERRUPT_POLLED;
    return NULL;
}

static void close_fake(struct nic *nic)
{
    (void)nic;
    closes++;
}

static bool send_fake(struct nic *nic, const void *bytes, uint32_t length)
{
    (void)nic;
    sent_length = length;
    memcpy(sent_bytes, bytes, length);
    return true;
}

static void poll_fake(struct nic *nic)
{
    (void)nic;
    polls++;
}

static bool link_fake(struct nic *nic)
{
    (void)nic;
    tick += HZ / 10;
    return link_up;
}

const struct nic_driver e1000_driver = {
    .name = "e1000",
    .find = find_two,
    .open = open_fake,
    .close = close_fake,
    .send = send_fake,
    .poll = poll_fake,
    .link = link_fake,
};

static void find_none(void)
{
}

const struct nic_driver virtio_net_driver = {.name = "virtio", .find = find_none};

bool pci_find(uint16_t class_code, struct pci_function *function)
{
    static const uint16_t places[] = {0x18, 0x20, 0x28};

    CHECK_EQUAL(class_code, 0x0200);
    if (function->next == sizeof(places) / sizeof(places[0])) {
        return false;
    }
    function->id = 0x813910ec;
    function->place = places[function->next++];
    return true;
}

/* ---- the user ---- */

static struct {
    unsigned notified;
    unsigned frames;
    struct nic_frame last;
    uint8_t bytes[NIC_FRAME_MAX];
} got;

static void on_receive(void *argument, const struct nic_frame *frame)
{
    (void)argument;
    got.frames++;
    got.last = *frame;
    memcpy(got.bytes, frame->bytes, frame->length);
}

static void on_arrived(void *argument)
{
    (void)argument;
    got.notified++;
}

static const struct nic_user by_interrupt = {.receive = on_receive, .arrived = on_arrived};
static const struct nic_user by_polling = {.receive = on_receive};

/* ---- tests: which there are ---- */

static void test_names(void)
{
    const struct net_settings none = {.may_drive = true, .link = {.packet_ns = 5}};
    struct nic *pair[2];
    struct nic *remote;

    net_use(&none);
    CHECK_EQUAL(nics(), 5);
    CHECK_TEXT(found[0]->name, "eth2");
    CHECK_TEXT(found[1]->name, "eth0");
    CHECK_TEXT(nic_by_name("eth1")->unusable, "there is no driver for it");
    CHECK(nic_by_name("eth3") == NULL);
    CHECK(net_pair(pair) == NULL);
    CHECK_TEXT(pair[0]->name, "wire0");
    CHECK_TEXT(pair[1]->name, "wire1");
    CHECK_EQUAL(simulated_link_model()->packet_ns, 5);
    CHECK(net_remote(&remote) != NULL && remote == NULL);
}

static void test_use(void)
{
    struct net_settings plan = {.use = "eth2,eth0", .may_drive = true};
    struct nic *pair[2];
    struct nic *remote;

    net_use(&plan);
    CHECK(net_pair(pair) == NULL);
    CHECK(pair[0] == found[0] && pair[1] == found[1]);
    plan.use = "eth0,eth1";
    net_use(&plan);
    CHECK_TEXT(net_pair(pair), "eth1: there is no driver for it");
    plan.use = "eth7";
    plan.peer = 0x0a090002;
    net_use(&plan);
    CHECK_TEXT(net_remote(&remote),
               "net.use: eth7: no such NIC; there are eth2, eth0, eth1, wire0, wire1");
    CHECK(net_pair(pair) == NULL && pair[0] == nic_by_name("wire0"));
    plan.use = "eth0";
    net_use(&plan);
    CHECK(net_remote(&remote) == NULL && remote == found[1]);
}

/* ---- tests: one NIC ---- */

static void test_open(void)
{
    struct nic *nic = found[0];
    const uint64_t began = tick;

    session = false;
    CHECK(nic_open(nic, &by_interrupt) != NULL);
    session = true;
    link_up = false;
    CHECK(strstr(nic_open(nic, &by_interrupt), "no link") != NULL);
    CHECK(tick - began >= 5ull * HZ && tick - began < 6ull * HZ);
    CHECK(!nic->open && opens == 1 && closes == 1);
    link_up = true;
    CHECK(nic_open(nic, &by_polling) == NULL);
    CHECK(nic_open(nic, &by_polling) != NULL);
    CHECK(!next_timer(0));
    nic_close_all();
    CHECK_EQUAL(closes, 2);
    CHECK(!nic_send(nic, sent_bytes, 60));
}

static void test_send(void)
{
    static const uint8_t ones[NIC_FRAME_MAX] = {1, 1, 1, 1};
    struct nic *nic = found[0];

    CHECK(nic_open(nic, &by_polling) == NULL);
    memset(sent_bytes, 0xee, sizeof(sent_bytes));
    CHECK(nic_send(nic, ones, 4));
    CHECK_EQUAL(sent_length, NIC_FRAME_MIN);
    CHECK(sent_bytes[3] == 1 && sent_bytes[4] == 0 && sent_bytes[59] == 0);
    CHECK(nic_send(nic, ones, NIC_FRAME_MAX));
    CHECK(!nic_send(nic, ones, NIC_FRAME_MAX + 1));
    CHECK_EQUAL(nic->counts.sent, 2);
    CHECK_EQUAL(nic->counts.refused, 1);
    nic_give_up(nic, "first");
    nic_give_up(nic, "second");
    CHECK(!nic_send(nic, ones, 60));
    nic_poll(nic);
    CHECK_EQUAL(polls, 0);
    nic_close(nic);
    CHECK_TEXT(nic_open(nic, &by_polling), "first");
    nic->given_up = NULL;
}

/* Where no interrupt arrives a timer notifies, again only when the user has polled. */
static void test_poller(void)
{
    struct nic *nic = found[0];

    memset(&got, 0, sizeof(got));
    CHECK(nic_open(nic, &by_interrupt) == NULL);
    const uint64_t began = tick;

    CHECK(next_timer(0));
    CHECK_EQUAL(tick - began, HZ / 1000000 * NIC_POLL_US);
    CHECK_EQUAL(got.notified, 1);
    CHECK(!next_timer(0));
    tick += HZ / 1000; /* the poll is slow: the next one waits for eight times as long */
    const uint64_t slow = tick;

    nic_poll(nic);
    CHECK_EQUAL(polls, 1);
    CHECK(next_timer(0));
    CHECK_EQUAL(tick - slow, 8ull * (HZ / 1000));
    CHECK_EQUAL(nic->counts.interrupts, 0);
    nic_poll(nic);
    nic_close(nic);
    CHECK(!next_timer(0));
    arrives_by_interrupt = true;
    CHECK(nic_open(nic, &by_interrupt) == NULL);
    CHECK(!next_timer(0));
    nic_arrived(nic);
    CHECK_EQUAL(nic->counts.interrupts, 1);
    nic_close(nic);
}

/* ---- tests: the simulated link ---- */

static void open_wire(const struct link_model *model, const struct nic_user *user)
{
    struct nic *pair[2];
    const struct net_settings plan = {.link = *model};

    net_use(&plan);
    CHECK(net_pair(pair) == NULL);
    memset(&got, 0, sizeof(got));
    CHECK(nic_open(pair[0], user) == NULL);
    tick += 1000;
    CHECK(nic_open(pair[1], user) == NULL);
}

static void close_wire(void)
{
    nic_close(nic_by_name("wire1"));
    nic_close(nic_by_name("wire0"));
    CHECK(!next_timer(0));
}

/* 100 bytes on the wire at 2 ns each, and 1 us: 1200 ns, 3000 ticks. */
static const struct link_model even = {.packet_ns = 1000, .byte_ps = 2000};

static void test_wire_by_timer(void)
{
    static uint8_t bytes[NIC_FRAME_MAX];
    struct nic *from = nic_by_name("wire0");
    struct nic *to = nic_by_name("wire1");

    open_wire(&even, &by_interrupt);
    CHECK_EQUAL(to->interrupt, INTERRUPT_TIMER);
    for (uint8_t i = 0; i < 76; i++) {
        bytes[i] = i;
    }
    const uint64_t sent = tick;

    CHECK(nic_send(from, bytes, 76));
    bytes[0] = 9; /* it has been copied */
    CHECK(nic_send(from, bytes, 76));
    CHECK_EQUAL(from->sent, sent);
    nic_poll(to);
    CHECK_EQUAL(got.frames, 0);
    CHECK(next_timer(7));
    CHECK_EQUAL(got.notified, 1);
    nic_poll(to);
    CHECK_EQUAL(got.frames, 1);
    CHECK(got.last.sent == sent && got.last.due == sent + 3000 && got.last.taken == sent + 3007);
    CHECK(got.last.length == 76 && got.bytes[0] == 0 && got.bytes[75] == 75);
    CHECK(next_timer(0));
    nic_poll(to);
    CHECK(got.frames == 2 && got.last.due == sent + 3500 && got.bytes[0] == 9);
    CHECK_EQUAL(simulated_link_late(), 0);
    CHECK_EQUAL(from->counts.interrupts, 0);
    CHECK_EQUAL(to->counts.interrupts, 2);
    close_wire();
}

static void test_wire_by_polling(void)
{
    static const uint8_t bytes[NIC_FRAME_MAX];
    struct nic *from = nic_by_name("wire1");
    struct nic *to = nic_by_name("wire0");

    session = false;
    open_wire(&even, &by_polling);
    const uint64_t sent = tick;

    CHECK(nic_send(from, bytes, 76));
    tick = sent + 2999;
    nic_poll(to);
    CHECK_EQUAL(got.frames, 0);
    tick = sent + 3000;
    nic_poll(to);
    CHECK(got.frames == 1 && got.last.taken == tick);
    for (unsigned i = 0; i < SLOT_OF; i++) {
        CHECK(nic_send(from, bytes, 60));
    }
    CHECK(!nic_send(from, bytes, 60));
    CHECK_EQUAL(from->counts.refused, 1);
    tick += HZ;
    nic_poll(to);
    CHECK_EQUAL(got.frames, 1 + SLOT_OF);
    close_wire();
    session = true;
}

static void test_wire_loses(void)
{
    static const uint8_t bytes[NIC_FRAME_MAX];
    const struct link_model half = {.loss_ppm = 500000, .seed = 3};
    struct nic *from = nic_by_name("wire0");
    struct nic *to = nic_by_name("wire1");
    struct link_model_state state = {0};
    uint64_t lost = 0;

    open_wire(&half, &by_polling);
    for (unsigned i = 0; i < 200; i++) {
        bool comes;

        link_model_due_ps(&half, &state, 0, 60, &comes);
        lost += comes ? 0 : 1;
        CHECK(nic_send(from, bytes, 60));
        nic_poll(to);
        CHECK_EQUAL(got.frames, i + 1 - lost);
    }
    CHECK_EQUAL(from->counts.lost, lost);
    CHECK_EQUAL(from->counts.sent, 200);
    nic_close(to);
    CHECK(nic_send(from, bytes, 60)); /* to an end that is not open */
    CHECK(from->counts.lost > lost);
    close_wire();
}

static void test_wire_needs_a_clock(void)
{
    clocks.verdict.hz = 0;
    CHECK(nic_open(nic_by_name("wire0"), &by_polling) != NULL);
    clocks.verdict.hz = HZ;
}

int main(void)
{
    RUN(test_names());
    RUN(test_use());
    RUN(test_open());
    RUN(test_send());
    RUN(test_poller());
    RUN(test_wire_by_timer());
    RUN(test_wire_by_polling());
    RUN(test_wire_loses());
    RUN(test_wire_needs_a_clock());
    return unit_finish("unit_nic");
}
