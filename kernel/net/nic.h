/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network interfaces (NICs): sends and receives Ethernet frames, without their FCS.
 *
 * NICs on PCI are named eth0, eth1, ... in the order of their places on the bus, whatever drives
 * them. The two ends of the simulated link are wire0 and wire1.
 *
 * A NIC is opened, and sends, only if the plan names it (use.h). Every wait has a limit. Received
 * frames stay in the NIC's ring until nic_poll() passes them on: an interrupt only takes a stamp
 * and notifies the user, who polls after the handler has returned.
 *
 * A driver is one source file, a declaration in drivers.h, and an entry of `drivers` in use.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/irq/device_interrupt.h"
#include "kernel/task/timer.h"

#define NICS_MAX      8
#define NIC_NAME_MAX  16 /* including the terminating zero */
#define NIC_MAC_BYTES 6
#define NIC_FRAME_MIN 60   /* shorter frames are padded with zeroes when sent */
#define NIC_FRAME_MAX 1514 /* longer frames are not sent, and dropped when received */

struct nic;

/* A received frame. */
struct nic_frame {
    const uint8_t *bytes; /* valid until receive() returns */
    uint32_t length;
    /* TSC stamps. */
    uint64_t sent;  /* simulated link: when it was sent; otherwise 0 */
    uint64_t due;   /* simulated link: its timing model's arrival time; otherwise 0 */
    uint64_t taken; /* the driver saw that it had arrived, in the handler or by polling */
};

struct nic_user {
    /* Takes a frame. Called within nic_poll(). */
    void (*receive)(void *argument, const struct nic_frame *frame);
    /* Tells the user to poll soon, because frames have arrived. Called in the handler, with
     * interrupts off. NULL: the user polls anyway, and the NIC is opened without interrupts. */
    void (*arrived)(void *argument);
    void *argument;
};

struct nic_counts {
    uint64_t sent;
    uint64_t sent_bytes;
    uint64_t sent_long; /* sent frames longer than NIC_FRAME_MIN; with TCP, those with data */
    uint64_t received;
    uint64_t received_bytes;
    uint64_t received_long;
    uint64_t refused;   /* frames that could not be sent because the NIC had no room */
    uint64_t lost;      /* lost by the simulated link, or missed according to a real NIC */
    uint64_t lost_long; /* simulated link: lost frames longer than NIC_FRAME_MIN */
    uint64_t damaged;   /* received with an error, a bad length or in pieces: dropped */
    uint64_t interrupts;
};

struct nic_driver {
    const char *name; /* "e1000", "virtio", "wire" */
    /* Finds the driver's NICs and adds them by nic_add(). Only reads. Called with interrupts off,
     * while no thread runs. */
    void (*find)(void);
    /* Resets and starts the NIC. If `interrupts` is true, call it within a session of threads
     * (kernel/task/session.h). Returns NULL on success, otherwise the reason. */
    const char *(*open)(struct nic *nic, bool interrupts);
    /* Restores the state before open(): the NIC stops writing to memory. */
    void (*close)(struct nic *nic);
    /* Copies a frame (NIC_FRAME_MIN to NIC_FRAME_MAX) and gives it to the device. Returns false if
     * there is no room. Called with interrupts off. */
    bool (*send)(struct nic *nic, const void *bytes, uint32_t length);
    /* Passes each frame that has arrived to nic_received(). Called with interrupts on or off. */
    void (*poll)(struct nic *nic);
    /* Returns true if the link is up. NULL: it always is. */
    bool (*link)(struct nic *nic);
};

struct nic {
    char name[NIC_NAME_MAX]; /* "eth0", "wire0" */
    const struct nic_driver *driver;
    void *state;    /* the driver's data */
    uint16_t place; /* of its PCI function (kernel/dev/pci.h); 0 if not on PCI */
    /* PCI vendor in the lower half, device in the upper half */
    uint32_t id;
    const char *model;          /* name of the model, such as "82574L"; "" if unknown */
    uint8_t mac[NIC_MAC_BYTES]; /* valid once the NIC is open */
    const char *unusable;       /* why it cannot be used; NULL: it can be used */
    bool unproven;              /* the driver was never run on this model, which benches report */
    /* Valid while the NIC is open. */
    bool open;
    enum device_interrupt interrupt;
    struct nic_user user;
    /* TSC when the device got the last frame: stamped by the driver, as the simulated link's does,
     * or when nic_send() had finished */
    uint64_t sent;
    uint64_t taken;           /* TSC of the last interrupt */
    struct nic_counts counts; /* since the NIC was opened */
    struct timer poller;
    bool by_timer;
    const char *given_up; /* why it is not used any more in this run; NULL: it is used */
};

/* Opens a NIC for one user. With user->arrived, call within a session (kernel/task/session.h) and
 * close the NIC before the session ends. If no interrupt of the device arrives, nic->interrupt is
 * INTERRUPT_POLLED, and a timer calls user->arrived every NIC_POLL_US. Waits for the link, at most
 * NIC_LINK_MS. Returns NULL on success, otherwise the reason. */
#define NIC_POLL_US 10
#define NIC_LINK_MS 5000
const char *nic_open(struct nic *nic, const struct nic_user *user);
void nic_close(struct nic *nic);
/* Closes every NIC that an aborted bench left open. Call after its session. */
void nic_close_all(void);

/* Sends a frame. Returns false if there is no room, or if the NIC was given up. May be called from
 * threads, DPCs and handlers. */
bool nic_send(struct nic *nic, const void *bytes, uint32_t length);
/* Passes received frames on. Do not call in a handler. */
void nic_poll(struct nic *nic);

/* ---- for drivers ---- */

/* Adds a NIC. Returns NULL if there are too many. If `name` is NULL the NIC is on PCI: the driver
 * sets `place` and `id`, and it is named when all NICs have been found. */
struct nic *nic_add(const struct nic_driver *driver, const char *name);
/* Returns NIC `index` in the order of adding, whether it is named yet or not, or NULL if fewer were
 * added. For use.h. */
struct nic *nic_added(size_t index);
/* Takes a stamp and notifies the user. Call in the handler. */
void nic_arrived(struct nic *nic);
/* Passes a frame on and counts it. Call within poll(). */
void nic_received(struct nic *nic, const struct nic_frame *frame);
/* Gives the NIC up: it is not used again in this run. Keeps the pointer `why`. */
void nic_give_up(struct nic *nic, const char *why);
