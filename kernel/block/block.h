/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads blocks of disks. Disks are never written: no driver contains a command that changes the
 * contents of a disk or its power state.
 *
 * block_submit() gives a request to a disk. The request completes in the handler of the disk's
 * interrupt, or when the disk is polled. Only blocks that the plan allows can be read (use.h).
 * Every wait has a limit: a disk that does not answer within BLOCK_LIMIT_MS is not used again in
 * this run, and all its outstanding requests complete with BLOCK_TIMEOUT.
 *
 * A driver is one source file, a declaration in drivers.h, and an entry of `drivers` in use.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/irq/device_interrupt.h"
#include "kernel/task/io_status.h"
#include "kernel/task/timer.h"
#include "kernel/trace/trace.h"

#define BLOCK_DISKS_MAX 16
#define BLOCK_NAME_MAX  16   /* including the terminating zero */
#define BLOCK_ALIGN     512  /* alignment of the memory read into, which must be identity-mapped */
#define BLOCK_LIMIT_MS  2000 /* time limit of one request */
#define BLOCK_BYTES_MIN 512
#define BLOCK_BYTES_MAX 4096

struct block_disk;
struct block_request;

/* Called when a request has completed, in the handler of the disk's interrupt or within
 * block_poll(). Interrupts are off. */
typedef void block_done(struct block_request *request);

struct block_request {
    /* Set by the caller. */
    uint64_t block; /* the first block to read, in units of the disk's block_bytes */
    uint32_t blocks;
    void *to;
    block_done *done; /* called on completion; NULL: nothing is called */
    void *argument;   /* for the use of `done` */
    bool background;  /* no thread waits for it; the trace records it as asynchronous */
    /* Valid once the request has completed. */
    bool finished;
    enum block_error error;
    uint32_t status; /* the device's own code, if error is BLOCK_DEVICE or BLOCK_MEDIUM */
    /* TSC stamps. */
    uint64_t submitted; /* the device got it: stamped by its driver, or after submit() */
    uint64_t began;     /* modelled disk: its service began, which took `service` ticks */
    uint64_t service;
    uint64_t due;       /* modelled disk: its timing model's completion time; otherwise 0 */
    uint64_t completed; /* the driver saw that it was done, in the handler or while polling */
    /* Private to block.c. */
    struct block_request *next;
    struct block_request *previous;
    struct thread *waiter;
    uint32_t serial;   /* number of the request on its disk, for the trace */
    uint64_t deadline; /* when BLOCK_LIMIT_MS has passed; 0: the TSC's rate is unknown */
    /* Private to the driver. */
    uint32_t slot;
};

struct block_driver {
    const char *name; /* "nvme", "ahci", "virtio", "model" */
    bool punctual;    /* its requests are never late: they have no deadline */
    /* Finds the driver's disks and adds them by block_add(). Called with interrupts off, while no
     * thread runs. */
    void (*find)(void);
    /* Prepares the disk for `depth` outstanding requests (1 to disk->depth_max). The requests
     * complete by interrupt if `interrupts` is set and an interrupt arrives, otherwise by polling.
     * With `interrupts`, called within a session of threads. Returns NULL on success, otherwise the
     * reason. */
    const char *(*open)(struct block_disk *disk, uint32_t depth, bool interrupts);
    /* Restores the state before open(). Drops outstanding requests. */
    void (*close)(struct block_disk *disk);
    /* Gives a valid request to the disk, which has room for it. Called with interrupts off. */
    void (*submit)(struct block_disk *disk, struct block_request *request);
    /* Calls block_finish() for each request that is done. Called with interrupts off. */
    void (*poll)(struct block_disk *disk);
    /* Makes the device stop writing to memory; none of its requests completes any more. Called
     * once, when the disk is given up (block_abandon()), possibly in a handler, with interrupts
     * off. close() follows later. NULL: there is nothing to stop. */
    void (*stop)(struct block_disk *disk);
};

struct block_disk {
    char name[BLOCK_NAME_MAX]; /* "nvme0n1", "ahci0p1", "virtio0", "model" */
    const struct block_driver *driver;
    void *state; /* the driver's data */
    uint64_t blocks;
    uint32_t block_bytes; /* 512 or 4096 */
    uint32_t depth_max;   /* most requests that the device accepts at once */
    uint32_t blocks_max;  /* most blocks of one request */
    const char *unusable; /* why the disk cannot be used; NULL: it can be used */
    bool foreign;         /* unusable, but without a fault: not a disk that can be read here */
    /* Valid while the disk is open. */
    enum device_interrupt interrupt;
    /* TSC at the opening. The modelled disk counts its ns from there: (submitted - opened) * 10^9 /
     * hz. The conversions from ticks to ns and from ns to ticks both round down. */
    uint64_t opened;
    uint32_t depth;
    uint32_t outstanding;
    struct block_request *first; /* outstanding requests, oldest first */
    struct block_request *last;
    /* Private to block.c. */
    bool by_interrupt; /* opened with `interrupts`: a waiting thread lets others run */
    bool by_timer;     /* opened with `interrupts`, but the device raises none: a timer polls it */
    enum block_error given_up;
    uint64_t still_polls; /* polls since the last completion; for an unknown TSC rate */
    struct timer watch;   /* fires at the deadline of the oldest request */
    struct timer poller;
    struct io_status status;
    uint32_t serial; /* number of the next request */
    /* The blocks that may be read: `allowed` blocks from `allowed_first` on. */
    uint64_t allowed_first;
    uint64_t allowed;
};

const char *block_error_name(enum block_error error);

/* Why a read failed. */
struct block_failure {
    enum block_error error; /* BLOCK_GOOD: it did not fail */
    uint64_t block;         /* block number on the disk */
    uint32_t status;        /* the device's own code; 0: it gave none */
};
/* Writes a text such as "nvme0n1: block 123: medium error (status 281h)". */
void block_failure_text(const struct block_disk *disk, const struct block_failure *failure,
                        char *text, size_t size);

/* Returns disk `index` in the order of adding, or NULL if fewer were added. */
struct block_disk *block_disk_at(size_t index);

/* Opens a disk for up to `depth` outstanding requests: at least 1, and reduced to what the device
 * accepts. A disk can be open only once. With `interrupts`, call within a session
 * (kernel/task/session.h) and close the disk before the session ends. If no interrupt of the device
 * arrives, disk->interrupt is INTERRUPT_POLLED, and a timer polls the disk every BLOCK_POLL_US,
 * less often if a poll takes that long. Returns NULL on success, otherwise the reason. */
#define BLOCK_POLL_US 10
const char *block_open(struct block_disk *disk, uint32_t depth, bool interrupts);
/* Closes the disk. Outstanding requests never complete. */
void block_close(struct block_disk *disk);
/* Closes every disk that an aborted bench left open. Call after its session. */
void block_close_all(void);

/* Submits a request. Returns false if `depth` requests are outstanding. A request that is rejected,
 * or whose disk is not used any more, completes at once. May be called from threads and handlers.
 */
bool block_submit(struct block_disk *disk, struct block_request *request);
/* Completes the requests that are done. For a disk that was opened without interrupts. */
void block_poll(struct block_disk *disk);

/* Waits until a submitted request has completed. If the disk was opened with interrupts, the
 * running thread waits (WAIT_DISK) and others run; otherwise the function polls. */
void block_wait(struct block_disk *disk, struct block_request *request);

/* Opens the disk, reads by polling and closes it. For tables of the disk, outside sessions. */
enum block_error block_read(struct block_disk *disk, uint64_t block, uint32_t blocks, void *to);

/* ---- for drivers ---- */

/* Places a driver's table of commands in its own section. The table holds all commands of one kind
 * that the driver can give a device; it sends no other. A test reads these tables from the object
 * files (tools/tests/image/test_commands.sh). */
#define BLOCK_COMMANDS(kind) __attribute__((used, section(".rodata.block_commands." kind)))

/* Adds a disk. Returns NULL if there are too many. */
struct block_disk *block_add(const struct block_driver *driver, const char *name);
/* Completes a request whose `error` is set: stamps it, removes it from the outstanding requests and
 * calls `done`. Call with interrupts off. */
void block_finish(struct block_disk *disk, struct block_request *request);
/* Gives the disk up: nothing is read from it again. Its outstanding requests complete with `error`.
 * Keeps the pointer `why`. */
void block_abandon(struct block_disk *disk, enum block_error error, const char *why);
