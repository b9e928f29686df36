/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/nic.h"

#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/task/session.h"

/* A timer that polls uses at most 1 / (POLL_SHARE + 1) of the processor. */
#define POLL_SHARE 8
#define WIRE_ENDS  2 /* room for them is always kept */

static struct nic all[NICS_MAX];
static size_t count;

/* ---- adding NICs ---- */

struct nic *nic_add(const struct nic_driver *driver, const char *name)
{
    if (count == (name == NULL ? NICS_MAX - WIRE_ENDS : NICS_MAX)) {
        return NULL;
    }
    struct nic *nic = &all[count++];

    *nic = (struct nic){.driver = driver, .model = ""};
    if (name != NULL) {
        snprintf(nic->name, sizeof(nic->name), "%s", name);
    }
    return nic;
}

struct nic *nic_added(size_t index)
{
    return index < count ? &all[index] : NULL;
}

/* ---- open and close ---- */

static bool wait_for_link(struct nic *nic)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(1000ull * NIC_LINK_MS));

    while (nic->driver->link != NULL && !nic->driver->link(nic)) {
        if (tsc_wait_over(&wait)) {
            return false;
        }
        cpu_pause();
    }
    return true;
}

static void poll_by_timer(void *argument)
{
    nic_arrived(argument);
}

static void start_poller(struct nic *nic, uint64_t pause)
{
    const uint64_t period = clock_ticks_from_us(NIC_POLL_US);

    timer_start(&nic->poller, tsc_read() + (pause > period ? pause : period), 0, poll_by_timer,
                nic);
}

const char *nic_open(struct nic *nic, const struct nic_user *user)
{
    const bool interrupts = user->arrived != NULL;

    if (nic->unusable != NULL || nic->given_up != NULL) {
        return nic->unusable != NULL ? nic->unusable : nic->given_up;
    }
    if (nic->open) {
        return "it is already open";
    }
    if (interrupts && !task_active()) {
        return "its interrupts need threads, and no threads run at this point";
    }
    nic->user = *user;
    nic->interrupt = INTERRUPT_POLLED;
    nic->counts = (struct nic_counts){0};
    nic->poller.armed = false;
    nic->by_timer = false;
    const char *why = nic->driver->open(nic, interrupts);

    if (why != NULL) {
        return why;
    }
    nic->open = true;
    if (!wait_for_link(nic)) {
        nic_close(nic);
        return "no link within 5 s: is its cable connected?";
    }
    nic->by_timer = interrupts && nic->interrupt == INTERRUPT_POLLED;
    if (nic->by_timer) {
        start_poller(nic, 0);
    }
    return NULL;
}

void nic_close(struct nic *nic)
{
    const uint64_t flags = interrupts_save();

    if (nic->open) {
        nic->open = false;
        if (task_active()) {
            timer_stop(&nic->poller);
        }
        nic->poller.armed = false;
        nic->driver->close(nic);
    }
    interrupts_restore(flags);
}

void nic_close_all(void)
{
    for (size_t i = 0; i < count; i++) {
        nic_close(&all[i]);
    }
}

/* ---- frames ---- */

static bool give(struct nic *nic, const void *bytes, uint32_t length)
{
    uint8_t padded[NIC_FRAME_MIN] = {0};

    if (length >= NIC_FRAME_MIN) {
        return nic->driver->send(nic, bytes, length);
    }
    memcpy(padded, bytes, length);
    return nic->driver->send(nic, padded, sizeof(padded));
}

bool nic_send(struct nic *nic, const void *bytes, uint32_t length)
{
    const uint64_t flags = interrupts_save();
    bool sent = false;

    if (nic->open && nic->given_up == NULL && length <= NIC_FRAME_MAX) {
        nic->sent = 0;
        sent = give(nic, bytes, length);
        if (nic->sent == 0) {
            nic->sent = tsc_read();
        }
    }
    if (sent) {
        nic->counts.sent++;
        nic->counts.sent_bytes += length;
        nic->counts.sent_long += length > NIC_FRAME_MIN ? 1 : 0;
    } else {
        nic->counts.refused++;
    }
    interrupts_restore(flags);
    return sent;
}

void nic_poll(struct nic *nic)
{
    if (!nic->open || nic->given_up != NULL) {
        return;
    }
    nic->driver->poll(nic);
    const uint64_t flags = interrupts_save();

    if (nic->by_timer && nic->open && !nic->poller.armed) {
        start_poller(nic, POLL_SHARE * (tsc_read() - nic->poller.deadline));
    }
    interrupts_restore(flags);
}

void nic_arrived(struct nic *nic)
{
    nic->taken = tsc_read();
    if (!nic->by_timer) {
        nic->counts.interrupts++;
    }
    if (nic->open && nic->user.arrived != NULL) {
        nic->user.arrived(nic->user.argument);
    }
}

void nic_received(struct nic *nic, const struct nic_frame *frame)
{
    nic->counts.received++;
    nic->counts.received_bytes += frame->length;
    nic->counts.received_long += frame->length > NIC_FRAME_MIN ? 1 : 0;
    nic->user.receive(nic->user.argument, frame);
}

void nic_give_up(struct nic *nic, const char *why)
{
    if (nic->given_up == NULL) {
        nic->given_up = why;
    }
}
