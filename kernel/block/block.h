/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disks, of which blocks are read. There is no way to write one: no driver contains a command that
 * changes what is on a disk, or its power.
 *
 * A request is given to a disk and comes back done: by an interrupt, or when somebody polls. It may
 * be read where the plan allows it (use.h), and every wait has an end: a disk that does not answer
 * within BLOCK_LIMIT_MS is not used any more in this run, and all that it was to read comes back as
 * BLOCK_TIMEOUT.
 *
 * A driver is one header and one source, and an entry of `drivers` in use.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/task/io_status.h"
#include "kernel/task/timer.h"
#include "kernel/trace/trace.h"

#define BLOCK_DISKS_MAX 16
#define BLOCK_NAME_MAX  16 /* a zero behind it */
#define BLOCK_ALIGN     512 /* of the memory that is read into; it lies where the identity shows it */
#define BLOCK_LIMIT_MS  2000 /* for one request */
#define BLOCK_BYTES_MIN 512
#define BLOCK_BYTES_MAX 4096

struct block_disk;
struct block_request;

/* Interrupts off, in the handler of the disk's interrupt or within block_poll(). */
typedef void block_done(struct block_request *request);

struct block_request {
    /* Set by who asks. */
    uint64_t block; /* of the disk's block_bytes */
    uint32_t blocks;
    void *to;
    block_done *done; /* NULL: none */
    void *argument;   /* for `done` */
    bool background;  /* none waits for it: for the trace it is asynchronous */
    /* Set when it is done. */
    bool finished;
    enum block_error error;
    uint32_t status; /* the device's own code, with BLOCK_DEVICE and BLOCK_MEDIUM */
    /* Stamps of the TSC. */
    uint64_t submitted; /* the device has it: by its driver, else when that has returned */
    uint64_t began;     /* modelled disk: its service began, which took it `service` ticks */
    uint64_t service;
    uint64_t due;       /* modelled disk: when its law has it done; else 0 */
    uint64_t completed; /* the driver has seen it done: in the handler, or by polling */
    /* block.c's. */
    struct block_request *next;
    struct block_request *previous;
    struct thread *waiter;
    uint32_t serial;   /* of the disk, in the order of submission: for the trace */
    uint64_t deadline; /* of BLOCK_LIMIT_MS */
    /* The driver's. */
    uint32_t slot;
};

enum block_interrupt {
    BLOCK_POLLED, /* it raises none: somebody polls */
    BLOCK_INTX,
    BLOCK_MSI,
    BLOCK_MSIX,
    BLOCK_TIMER, /* the modelled disk: the LAPIC timer */
};

struct block_driver {
    const char *name; /* "nvme", "ahci", "virtio", "model" */
    bool punctual;    /* it is never late, however long its requests take: they have no deadline */
    /* Finds its disks and adds them by block_add(). Interrupts off, nothing running. */
    void (*find)(void);
    /* Makes the disk ready for `depth` requests (1 to disk->depth_max) that raise interrupts, or
     * are polled. Within a session of threads where they raise interrupts. NULL, or why not. */
    const char *(*open)(struct block_disk *disk, uint32_t depth, bool interrupts);
    /* As it was before; what is outstanding is dropped. */
    void (*close)(struct block_disk *disk);
    /* Gives it a request that fits; there is room for it. Interrupts off. */
    void (*submit)(struct block_disk *disk, struct block_request *request);
    /* Calls block_finish() of each request that is done. Interrupts off. */
    void (*poll)(struct block_disk *disk);
    /* From now on the device writes nothing to memory, and none of its requests comes back. Called
     * once when the disk is given up (block_abandon()), in a handler too, interrupts off; close()
     * follows later. NULL: there is nothing to stop. */
    void (*stop)(struct block_disk *disk);
};

struct block_disk {
    char name[BLOCK_NAME_MAX]; /* "nvme0n1", "ahci0p1", "virtio0", "model" */
    const struct block_driver *driver;
    void *state; /* the driver's */
    uint64_t blocks;
    uint32_t block_bytes; /* 512 or 4096 */
    uint32_t depth_max;   /* requests that the device takes at once */
    uint32_t blocks_max;  /* of one request */
    const char *unusable; /* why it cannot be used; NULL: it can */
    bool foreign; /* it is unusable as no disk that is read here: nothing is wrong with it */
    /* While it is open. */
    enum block_interrupt interrupt;
    uint64_t opened; /* TSC; the ns of a modelled disk's law count from there, both ways of turning
                      * ticks into ns and back rounded down: (submitted - opened) * 10^9 / hz */
    uint32_t depth;
    uint32_t outstanding;
    struct block_request *first; /* outstanding, in the order of submission */
    struct block_request *last;
    /* block.c's. */
    bool by_interrupt; /* who waits lets others run; */
    bool by_timer;     /* it raises none, so that a timer polls; */
    enum block_error given_up;
    uint64_t still_polls; /* polls since a request came back, where the TSC's rate is unknown; */
    struct timer watch;   /* looks at the oldest request; */
    struct timer poller;
    struct io_status status;
    uint32_t serial; /* of the next request */
    /* What may be read of it: `allowed` blocks from `allowed_first` on. */
    uint64_t allowed_first;
    uint64_t allowed;
};

const char *block_error_name(enum block_error error);

/* What a read met. */
struct block_failure {
    enum block_error error; /* BLOCK_GOOD: nothing */
    uint64_t block;         /* of the disk */
    uint32_t status;        /* the device's own code; 0: it gave none */
};
/* "nvme0n1: block 123: medium error (status 281h)" */
void block_failure_text(const struct block_disk *disk, const struct block_failure *failure,
                        char *text, size_t size);
const char *block_interrupt_name(enum block_interrupt interrupt);

/* Of those that were added so far; NULL behind the last. */
struct block_disk *block_disk_at(size_t index);

/* One after the other: it is open once. NULL, or why not. `depth` is at least 1, and cut to what
 * the device takes. With `interrupts` within a session (kernel/task/session.h), to be closed before
 * it ends; where the device has no interrupt that arrives, it is polled by a timer of
 * BLOCK_POLL_US, longer where a poll takes that long, and disk->interrupt is BLOCK_POLLED. */
#define BLOCK_POLL_US 10
const char *block_open(struct block_disk *disk, uint32_t depth, bool interrupts);
/* What is outstanding does not come back. */
void block_close(struct block_disk *disk);
/* Closes what a bench that was ended in the middle left open: after its session. */
void block_close_all(void);

/* False: as many as `depth` are outstanding. A request that is refused, or to a disk that is not
 * used any more, comes back done at once. From threads and handlers. */
bool block_submit(struct block_disk *disk, struct block_request *request);
/* Sees to what is done; for a disk that was opened without interrupts. */
void block_poll(struct block_disk *disk);

/* Waits until the request, which was submitted, is done. Where the disk was opened with interrupts
 * the running thread waits (WAIT_DISK) and others run; else it polls. */
void block_wait(struct block_disk *disk, struct block_request *request);

/* Opens, reads by polling and closes: for tables, outside of sessions. */
enum block_error block_read(struct block_disk *disk, uint64_t block, uint32_t blocks, void *to);

/* ---- for drivers ---- */

/* Of the table of all commands of one kind that a driver can give a device: it sends no other. A
 * test reads these tables in the objects (tools/tests/image/test_commands.sh). */
#define BLOCK_COMMANDS(kind) __attribute__((used, section(".rodata.block_commands." kind)))

/* NULL: there are too many. */
struct block_disk *block_add(const struct block_driver *driver, const char *name);
/* The request has come back: its error is set. Stamps it, takes it from the outstanding ones and
 * calls `done`. Interrupts off. */
void block_finish(struct block_disk *disk, struct block_request *request);
/* From now on nothing is read of it: `why` lives for ever. What is outstanding comes back as
 * `error`. */
void block_abandon(struct block_disk *disk, enum block_error error, const char *why);
