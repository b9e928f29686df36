/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network interfaces (NICs): Ethernet frames out and in, without their FCS.
 *
 * NICs of PCI are eth0, eth1, ... in the order of their places on the bus, whatever drives them;
 * the ends of the modelled wire are wire0 and wire1.
 *
 * A NIC is opened, and sends, only where the plan names it (use.h). Every wait on one has an end.
 * Received frames stay in the NIC's ring until nic_poll() hands them on: an interrupt stamps, and
 * notifies the user, who polls when the handler has returned.
 *
 * A driver is one header and one source, and an entry of `drivers` in use.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/task/timer.h"

#define NICS_MAX      8
#define NIC_NAME_MAX  16 /* a zero behind it */
#define NIC_MAC_BYTES 6
#define NIC_FRAME_MIN 60   /* shorter ones are sent with zeroes behind them */
#define NIC_FRAME_MAX 1514 /* longer ones are not sent, and dropped where they come in */

struct nic;

/* A frame that came in. */
struct nic_frame {
    const uint8_t *bytes; /* valid until receive() returns */
    uint32_t length;
    /* Stamps of the TSC. */
    uint64_t sent;  /* modelled wire: the wire had it; else 0 */
    uint64_t due;   /* modelled wire: when its law has it arrive; else 0 */
    uint64_t taken; /* the driver has seen that it is there: in the handler, or by polling */
};

enum nic_interrupt {
    NIC_POLLED, /* it raises none: the user polls */
    NIC_INTX,
    NIC_MSI,
    NIC_MSIX,
    NIC_TIMER, /* the modelled wire: the LAPIC timer */
};

struct nic_user {
    /* Within nic_poll(). */
    void (*receive)(void *argument, const struct nic_frame *frame);
    /* Frames are there: poll soon. Interrupts off, in the handler. NULL: the user polls anyway, and
     * the NIC is opened without interrupts. */
    void (*arrived)(void *argument);
    void *argument;
};

struct nic_counts {
    uint64_t sent;
    uint64_t sent_bytes;
    uint64_t sent_long; /* of these, longer than NIC_FRAME_MIN: of TCP those with data */
    uint64_t received;
    uint64_t received_bytes;
    uint64_t received_long;
    uint64_t refused;   /* the NIC had no room for what was to be sent */
    uint64_t lost;      /* modelled wire: by its law; real ones: the NIC counts them as missed */
    uint64_t lost_long; /* modelled wire: of these, longer than NIC_FRAME_MIN */
    uint64_t damaged;   /* received with an error, of a wrong length, or in pieces: dropped */
    uint64_t interrupts;
};

struct nic_driver {
    const char *name; /* "e1000", "virtio", "wire" */
    /* Finds its NICs and adds them by nic_add(); reads only. Interrupts off, nothing running. */
    void (*find)(void);
    /* Resets and starts it. Within a session where it raises interrupts. NULL, or why not. */
    const char *(*open)(struct nic *nic, bool interrupts);
    /* As it was before: it writes nothing to memory any more. */
    void (*close)(struct nic *nic);
    /* Copies the frame (NIC_FRAME_MIN to NIC_FRAME_MAX) and gives it to the device. False: there is
     * no room. Interrupts off. */
    bool (*send)(struct nic *nic, const void *bytes, uint32_t length);
    /* Hands each frame that is there to nic_received(). Interrupts as they are. */
    void (*poll)(struct nic *nic);
    /* Is the cable's other end there? NULL: always. */
    bool (*link)(struct nic *nic);
};

struct nic {
    char name[NIC_NAME_MAX]; /* "eth0", "wire0" */
    const struct nic_driver *driver;
    void *state;                /* the driver's */
    uint16_t place;             /* of the function (kernel/dev/pci.h); those of PCI alone */
    uint32_t id;                /* the same: vendor in the lower half, device in the upper one */
    const char *model;          /* what it is, as "82574L"; "" where that is not known */
    uint8_t mac[NIC_MAC_BYTES]; /* once it is open */
    const char *unusable;       /* why it cannot be used; NULL: it can */
    bool unproven;              /* the driver was never run on this model: a bench reports that */
    /* While it is open. */
    bool open;
    enum nic_interrupt interrupt;
    struct nic_user user;
    uint64_t sent;  /* TSC when the device had the last frame: by its driver, as of the modelled
                     * wire, else when nic_send() was done with it */
    uint64_t taken; /* TSC of the last interrupt */
    struct nic_counts counts; /* since it was opened */
    struct timer poller;
    bool by_timer;
    const char *given_up; /* why it is not used any more in this run; NULL: it is */
};

const char *nic_interrupt_name(enum nic_interrupt interrupt);

/* One user each. NULL, or why not. With user->arrived within a session (kernel/task/session.h), to
 * be closed before it ends; where no interrupt of the device arrives, a timer of NIC_POLL_US polls,
 * and nic->interrupt is NIC_POLLED. Waits for the link, at most NIC_LINK_MS. */
#define NIC_POLL_US 10
#define NIC_LINK_MS 5000
const char *nic_open(struct nic *nic, const struct nic_user *user);
void nic_close(struct nic *nic);
/* Closes what a bench that was ended in the middle left open: after its session. */
void nic_close_all(void);

/* False: no room, or the NIC was given up. From threads, DPCs and handlers. */
bool nic_send(struct nic *nic, const void *bytes, uint32_t length);
/* Hands on what came in. Not in a handler. */
void nic_poll(struct nic *nic);

/* ---- for drivers ---- */

/* NULL: there are too many. `name` NULL: it is of PCI, sets `place` and `id`, and is named when all
 * have been found. */
struct nic *nic_add(const struct nic_driver *driver, const char *name);
/* Those that were added, whether or not they are named; NULL: there are no more. For use.h. */
struct nic *nic_added(size_t index);
/* In the handler: stamps, and notifies the user. */
void nic_arrived(struct nic *nic);
/* Within poll(): hands the frame on, and counts it. */
void nic_received(struct nic *nic, const struct nic_frame *frame);
/* From now on it is not used: `why` lives for ever. */
void nic_give_up(struct nic *nic, const char *why);
