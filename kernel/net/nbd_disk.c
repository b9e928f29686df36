/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/nbd_disk.h"

#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/net/nbd.h"
#include "kernel/net/net.h"
#include "kernel/net/services.h"
#include "kernel/net/use.h"
#include "lwip/tcp.h"

#define DISK       "nbd0"
#define DEPTH_MAX  8
#define BLOCKS_MAX 256 /* 128 KiB */
#define WHY_MAX    192
/* Time limit of a read. A lost segment is sent again after 2 s, then after 4 s, which is longer
 * than the limit of other disks. */
#define LIMIT_MS   8000
#define LIMIT_TURN 2 /* half seconds between two checks of that limit */
#define US_PER_MS  1000

static struct {
    struct block_disk disk;
    struct tcp_pcb *pcb; /* NULL: there is no connection */
    struct nbd_client client;
    struct net_waiter waiter; /* waits until the export is ready, or has failed */
    bool ready;
    const char *broken;            /* why the connection cannot be used any more; NULL: it can */
    uint32_t handle;               /* handle of the last request */
    struct block_request *reading; /* the request whose bytes are arriving; NULL: none */
    uint32_t filled;
    char why[WHY_MAX];
    uint8_t sector[BLOCK_BYTES_MAX] __attribute__((aligned(BLOCK_BYTES_MAX)));
} nbd;

/* ---- messages of the server ---- */

static void give_up(const char *why)
{
    if (nbd.broken == NULL) {
        nbd.broken = why;
        nbd.reading = NULL;
    }
    if (nbd.ready) {
        block_abandon(&nbd.disk, BLOCK_GONE, why);
    }
    net_wake(&nbd.waiter);
}

static void finish(struct block_request *request, enum block_error error, uint32_t status)
{
    const uint64_t flags = interrupts_save();

    request->error = error;
    request->status = status;
    block_finish(&nbd.disk, request);
    interrupts_restore(flags);
}

static uint32_t bytes_of(const struct block_request *request)
{
    return request->blocks * nbd.disk.block_bytes;
}

static void answered(const struct nbd_event *event)
{
    struct block_request *request = nbd.disk.first;

    while (request != NULL && request->slot != event->handle) {
        request = request->next;
    }
    if (request == NULL) {
        give_up("the server answered a request that it was not given");
    } else if (event->error != NBD_GOOD) {
        finish(request, event->error == NBD_EIO ? BLOCK_MEDIUM : BLOCK_DEVICE, event->error);
    } else {
        nbd.reading = request;
        nbd.filled = 0;
        nbd_client_expect(&nbd.client, bytes_of(request));
    }
}

static void data(const struct nbd_event *event)
{
    struct block_request *request = nbd.reading;

    if (request == NULL) {
        return; /* the request has been given up */
    }
    memcpy((uint8_t *)request->to + nbd.filled, event->bytes, event->length);
    nbd.filled += (uint32_t)event->length;
    if (nbd.filled == bytes_of(request)) {
        nbd.reading = NULL;
        finish(request, BLOCK_GOOD, 0);
    }
}

static void obey(const struct nbd_event *event)
{
    switch (event->kind) {
    case NBD_SEND:
        if (tcp_write(nbd.pcb, event->bytes, (uint16_t)event->length, TCP_WRITE_FLAG_COPY) !=
            ERR_OK) {
            give_up("not enough memory to send a request");
        }
        tcp_output(nbd.pcb);
        break;
    case NBD_READY:
        nbd.disk.blocks = nbd.client.bytes / nbd.disk.block_bytes;
        nbd.ready = true;
        net_wake(&nbd.waiter);
        break;
    case NBD_ANSWERED:
        answered(event);
        break;
    case NBD_DATA:
        data(event);
        break;
    case NBD_WRONG:
        give_up(event->why);
        break;
    default:
        break;
    }
}

static void take(const uint8_t *bytes, size_t length)
{
    for (size_t at = 0; at < length && nbd.broken == NULL;) {
        struct nbd_event event;

        at += nbd_client_take(&nbd.client, bytes + at, length - at, &event);
        obey(&event);
    }
}

/* ---- callbacks of lwIP ---- */

static err_t received(void *argument, struct tcp_pcb *pcb, struct pbuf *bytes, err_t error)
{
    (void)argument;
    (void)error;
    if (bytes == NULL) {
        give_up("the server has ended the connection");
        return ERR_OK;
    }
    for (const struct pbuf *part = bytes; part != NULL; part = part->next) {
        take(part->payload, part->len);
    }
    tcp_recved(pcb, bytes->tot_len);
    pbuf_free(bytes);
    return ERR_OK;
}

static void lost(void *argument, err_t error)
{
    (void)argument;
    nbd.pcb = NULL;
    give_up(stack_error_text(error));
}

/* Gives the disk up if its oldest request exceeds the time limit. */
static err_t looked_after(void *argument, struct tcp_pcb *pcb)
{
    const uint64_t flags = interrupts_save();
    const struct block_request *oldest = nbd.disk.first;

    (void)argument;
    (void)pcb;
    if (oldest != NULL &&
        tsc_read() - oldest->submitted > clock_ticks_from_us((uint64_t)LIMIT_MS * US_PER_MS)) {
        block_abandon(&nbd.disk, BLOCK_TIMEOUT, "it did not answer a read in time");
    }
    interrupts_restore(flags);
    return ERR_OK;
}

static err_t connected(void *argument, struct tcp_pcb *pcb, err_t error)
{
    (void)argument;
    (void)pcb;
    return error; /* the server sends first */
}

/* ---- the driver ---- */

static enum device_interrupt interrupt_of_path(void)
{
    const struct nic *nic = net_nic(0);

    return nic != NULL && nic->interrupt != INTERRUPT_POLLED ? nic->interrupt : INTERRUPT_TIMER;
}

static const char *open(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    (void)depth;
    if (!nbd.ready) {
        return "it is not connected";
    }
    disk->interrupt = interrupts ? interrupt_of_path() : INTERRUPT_POLLED;
    return NULL;
}

/* If requests are outstanding the connection cannot be used again, because their answers would have
 * no place. */
static void close(struct block_disk *disk)
{
    nbd.reading = NULL;
    if (disk->first != NULL && nbd.broken == NULL) {
        nbd.broken = "the disk was closed while a read was outstanding";
    }
}

static void submit(struct block_disk *disk, struct block_request *request)
{
    uint8_t bytes[NBD_REQUEST_BYTES];
    err_t error = ERR_CONN;

    request->slot = ++nbd.handle;
    nbd_make_read(bytes, request->slot, request->block * disk->block_bytes, bytes_of(request));
    net_enter();
    if (nbd.pcb != NULL && nbd.broken == NULL) {
        error = tcp_write(nbd.pcb, bytes, sizeof(bytes), TCP_WRITE_FLAG_COPY);
    }
    if (error == ERR_OK) {
        error = tcp_output(nbd.pcb);
    }
    request->submitted = tsc_read();
    net_leave();
    if (error != ERR_OK && !request->finished) {
        finish(request, BLOCK_DEVICE, (uint32_t)-error);
    }
}

static void poll(struct block_disk *disk)
{
    (void)disk;
    net_poll();
}

static void stop(struct block_disk *disk)
{
    (void)disk;
    nbd.reading = NULL;
    if (nbd.broken == NULL) {
        nbd.broken = "it was given up";
    }
}

static const struct block_driver driver = {
    .name = "nbd",
    .punctual = true, /* looked_after() checks the time limit */
    .open = open,
    .close = close,
    .submit = submit,
    .poll = poll,
    .stop = stop,
};

/* ---- the connection ---- */

static const char *because(const char *why)
{
    char address[NET_ADDRESS_TEXT];

    net_address_text(net_other(), address);
    snprintf(nbd.why, sizeof(nbd.why), "NBD server at %s, port %d: %s", address, SERVICE_NBD, why);
    return nbd.why;
}

static err_t connect(void)
{
    const ip_addr_t own = IPADDR4_INIT(lwip_htonl(net_own()));
    const ip_addr_t other = IPADDR4_INIT(lwip_htonl(net_other()));

    nbd.pcb = tcp_new();
    if (nbd.pcb == NULL) {
        return ERR_MEM;
    }
    tcp_recv(nbd.pcb, received);
    tcp_err(nbd.pcb, lost);
    tcp_poll(nbd.pcb, looked_after, LIMIT_TURN);
    tcp_nagle_disable(nbd.pcb);
    const err_t error = tcp_bind(nbd.pcb, &own, 0);

    return error == ERR_OK ? tcp_connect(nbd.pcb, &other, SERVICE_NBD, connected) : error;
}

const char *nbd_disk_begin(const char *name)
{
    nbd.disk = (struct block_disk){
        .name = DISK,
        .driver = &driver,
        .block_bytes = LAYOUT_SECTOR,
        .depth_max = DEPTH_MAX,
        .blocks_max = BLOCKS_MAX,
    };
    nbd.pcb = NULL;
    nbd.ready = false;
    nbd.broken = NULL;
    nbd.reading = NULL;
    nbd_client_begin(&nbd.client, name);
    net_waiter_init(&nbd.waiter, DISK);
    net_enter();
    const err_t error = connect();

    net_leave();
    if (error != ERR_OK) {
        nbd_disk_end();
        return because(stack_error_text(error));
    }
    if (!net_wait(&nbd.waiter, 0) || !nbd.ready) {
        const char *why = nbd.broken;

        nbd_disk_end();
        return because(why != NULL ? why : "no answer: is a server running there?");
    }
    return NULL;
}

void nbd_disk_end(void)
{
    uint8_t bytes[NBD_REQUEST_BYTES];

    net_enter();
    nbd.ready = false;
    if (nbd.pcb != NULL) {
        tcp_recv(nbd.pcb, NULL);
        tcp_err(nbd.pcb, NULL);
        tcp_poll(nbd.pcb, NULL, 0);
        nbd_make_disconnect(bytes);
        tcp_write(nbd.pcb, bytes, sizeof(bytes), TCP_WRITE_FLAG_COPY);
        if (tcp_close(nbd.pcb) != ERR_OK) {
            tcp_abort(nbd.pcb);
        }
        nbd.pcb = NULL;
    }
    net_leave();
}

void nbd_disk_abandon(void)
{
    block_close(&nbd.disk);
    nbd.ready = false;
    nbd.pcb = NULL;
}

const char *nbd_disk_volume(struct block_volume *volume)
{
    struct block_disk *disk = &nbd.disk;

    disk->allowed_first = 0;
    disk->allowed = 1;
    const enum block_error error = block_read(disk, 0, 1, nbd.sector);

    disk->allowed = 0;
    if (error != BLOCK_GOOD) {
        return because(nbd.broken != NULL ? nbd.broken : block_error_name(error));
    }
    *volume = (struct block_volume){.disk = disk, .sectors = disk->blocks};
    if (layout_read(nbd.sector, disk->blocks, &volume->layout) == NULL) {
        disk->allowed = disk->blocks;
        volume->verified = true;
        return NULL;
    }
    return block_volume_of(disk, volume) == NULL
               ? NULL
               : because("its export is neither a tare volume nor a disk with a tare partition; "
                         "serve an image that tare disk wrote");
}
