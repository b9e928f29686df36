/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/network/bulk.h"

#include "kernel/cpu/cpu.h"
#include "kernel/net/services.h"
#include "kernel/net/stack.h"
#include "kernel/run/bench.h"

#define CONNECT_US 60000000 /* lost SYNs are sent again after 3 s, 6 s, ... */
#define STALL_US   60000000
#define FIN_US     10000000

bool bulk_take(struct bulk *bulk)
{
    bulk->message = bench_memory(BULK_MESSAGE_MAX);
    return bulk->message != NULL;
}

bool bulk_is_done(const struct bulk *bulk)
{
    return bulk->acknowledged == bulk->options.bytes;
}

/* Returns the bytes of the next message, or 0 if there is no space. If less than a message fits,
 * whole segments are written. */
static uint64_t next_length(const struct bulk *bulk)
{
    if (bulk->pcb == NULL || bulk->count == BULK_MESSAGES || tcp_sndbuf(bulk->pcb) < 2) {
        return 0;
    }
    const uint64_t left = bulk->options.bytes - bulk->written;
    const uint64_t wanted = bulk->options.message < left ? bulk->options.message : left;
    const uint64_t window = bulk->options.window - (bulk->written - bulk->acknowledged);
    /* a full buffer would make the stack send less than a segment */
    const uint64_t buffer = tcp_sndbuf(bulk->pcb) - 1;
    const uint64_t room = window < buffer ? window : buffer;

    return wanted <= room ? wanted : room / tcp_mss(bulk->pcb) * tcp_mss(bulk->pcb);
}

static uint64_t sent_again(void)
{
    struct stack_counts counts;

    stack_get_counts(&counts);
    return counts.data_again;
}

static void wake(struct bulk *bulk)
{
    if (bulk->waits) {
        bulk->waits = false;
        net_wake(bulk->waiter);
    }
}

/* ---- callbacks of the stack ---- */

static void keep_shortest(struct bulk *bulk, uint64_t now)
{
    while (bulk->count > 0 && bulk->messages[bulk->oldest].at < bulk->acknowledged) {
        const uint64_t ticks = now - bulk->messages[bulk->oldest].written;

        bulk->shortest = ticks < bulk->shortest ? ticks : bulk->shortest;
        bulk->oldest = (bulk->oldest + 1) % BULK_MESSAGES;
        bulk->count--;
    }
}

static void keep_blocks(struct bulk *bulk, uint64_t now)
{
    if (bulk->blocks_count == bulk->blocks_max ||
        bulk->acknowledged < (bulk->blocks_count + 1) * BULK_BLOCK) {
        return;
    }
    const uint64_t again = sent_again();

    bulk->blocks[bulk->blocks_count] = (int64_t)(now - bulk->block_began);
    bulk->again[bulk->blocks_count] = (int64_t)(again - bulk->again_before);
    bulk->blocks_count++;
    bulk->block_began = now;
    bulk->again_before = again;
}

static err_t on_sent(void *argument, struct tcp_pcb *pcb, u16_t length)
{
    struct bulk *bulk = argument;
    const uint64_t now = tsc_read();

    (void)pcb;
    bulk->acknowledged += length;
    keep_shortest(bulk, now);
    keep_blocks(bulk, now);
    if (bulk_is_done(bulk)) {
        bulk->ended = now;
        wake(bulk);
    } else if (next_length(bulk) > 0) {
        wake(bulk);
    }
    return ERR_OK;
}

/* The stack drops the connection when both ends have closed it. */
static err_t on_received(void *argument, struct tcp_pcb *pcb, struct pbuf *packet, err_t error)
{
    struct bulk *bulk = argument;

    (void)error;
    if (packet != NULL) {
        tcp_recved(pcb, packet->tot_len);
        pbuf_free(packet);
        return ERR_OK;
    }
    bulk->hung_up = true;
    if (bulk_is_done(bulk)) {
        bulk->pcb = NULL;
        tcp_arg(pcb, NULL);
        tcp_recv(pcb, NULL);
        tcp_sent(pcb, NULL);
        tcp_err(pcb, NULL);
    }
    wake(bulk);
    return ERR_OK;
}

static void on_error(void *argument, err_t error)
{
    struct bulk *bulk = argument;

    bulk->pcb = NULL;
    bulk->error = error;
    wake(bulk);
}

static err_t on_connected(void *argument, struct tcp_pcb *pcb, err_t error)
{
    struct bulk *bulk = argument;

    (void)pcb;
    bulk->connected = error == ERR_OK;
    wake(bulk);
    return ERR_OK;
}

/* ---- functions of the thread ---- */

static err_t begin_to_connect(struct bulk *bulk)
{
    const ip_addr_t own = {.addr = lwip_htonl(net_own())};
    const ip_addr_t other = {.addr = lwip_htonl(net_other())};

    bulk->pcb = tcp_new();
    if (bulk->pcb == NULL) {
        return ERR_MEM;
    }
    tcp_arg(bulk->pcb, bulk);
    tcp_recv(bulk->pcb, on_received);
    tcp_sent(bulk->pcb, on_sent);
    tcp_err(bulk->pcb, on_error);
    bulk->waits = true;
    const err_t error = tcp_bind(bulk->pcb, &own, 0);

    return error == ERR_OK ? tcp_connect(bulk->pcb, &other, SERVICE_DISCARD, on_connected) : error;
}

static void forget(struct bulk *bulk)
{
    bulk->connected = false;
    bulk->hung_up = false;
    bulk->waits = false;
    bulk->error = ERR_OK;
    bulk->written = 0;
    bulk->acknowledged = 0;
    bulk->began = 0;
    bulk->ended = 0;
    bulk->shortest = UINT64_MAX;
    bulk->oldest = 0;
    bulk->count = 0;
    bulk->blocks_count = 0;
}

const char *bulk_open(struct bulk *bulk, const struct bulk_options *options,
                      struct net_waiter *waiter)
{
    forget(bulk);
    bulk->options = *options;
    bulk->waiter = waiter;
    net_enter();
    const err_t error = begin_to_connect(bulk);

    net_leave();
    if (error != ERR_OK) {
        return stack_error_text(error);
    }
    /* The waiter may have been woken for another reason. */
    while (!bulk->connected && bulk->error == ERR_OK) {
        if (!net_wait(waiter, CONNECT_US)) {
            return "no answer to its SYN";
        }
    }
    return bulk->connected ? NULL : stack_error_text(bulk->error);
}

static void begin(struct bulk *bulk, uint64_t now)
{
    bulk->began = now;
    bulk->block_began = now;
    bulk->again_before = sent_again();
}

/* Call between net_enter() and net_leave(). */
static bool write_message(struct bulk *bulk)
{
    const uint64_t length = next_length(bulk);
    const uint64_t now = tsc_read();

    if (length == 0) {
        return false;
    }
    if (bulk->written == 0) {
        begin(bulk, now);
    }
    services_fill(bulk->message, bulk->written, length);
    if (tcp_write(bulk->pcb, bulk->message, (u16_t)length, TCP_WRITE_FLAG_COPY) != ERR_OK) {
        return false; /* the stack's queue is full until more is acknowledged */
    }
    bulk->messages[(bulk->oldest + bulk->count) % BULK_MESSAGES] =
        (struct bulk_message){.at = bulk->written, .written = now};
    bulk->count++;
    bulk->written += length;
    if (bulk->written == bulk->options.bytes) {
        tcp_shutdown(bulk->pcb, 0, 1);
    } else {
        tcp_output(bulk->pcb);
    }
    return true;
}

bool bulk_write(struct bulk *bulk)
{
    net_enter();
    const bool written = write_message(bulk);

    if (!written) {
        bulk->waits = true;
    }
    net_leave();
    return written;
}

void bulk_stop(struct bulk *bulk)
{
    net_enter();
    if (bulk->pcb != NULL && bulk->written < bulk->options.bytes) {
        bulk->options.bytes = bulk->written;
        bulk->ended = tsc_read();
        tcp_shutdown(bulk->pcb, 0, 1);
    }
    net_leave();
}

bool bulk_turn(struct bulk *bulk, const char **why)
{
    *why = NULL;
    if (bulk_is_done(bulk)) {
        return false;
    }
    if (bulk->pcb == NULL) {
        *why = stack_error_text(bulk->error);
        return false;
    }
    if (!bulk_write(bulk) && !net_wait(bulk->waiter, STALL_US)) {
        *why = "nothing was acknowledged for 60 s";
        return false;
    }
    return true;
}

/* Drops a connection that did not close, or broke. */
static void drop(struct bulk *bulk)
{
    net_enter();
    if (bulk->pcb != NULL) {
        tcp_err(bulk->pcb, NULL);
        tcp_abort(bulk->pcb);
        bulk->pcb = NULL;
    }
    net_leave();
}

void bulk_close(struct bulk *bulk)
{
    bool waits = true;

    while (waits) {
        net_enter();
        bulk->waits = bulk->pcb != NULL && !bulk->hung_up && bulk_is_done(bulk);
        waits = bulk->waits;
        net_leave();
        waits = waits && net_wait(bulk->waiter, FIN_US);
    }
    drop(bulk);
}
