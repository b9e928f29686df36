/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/services.h"

#include <stdbool.h>
#include <string.h>

#include "lwip/ip.h"
#include "lwip/tcp.h"
#include "lwip/udp.h"

/*
 * The server of iperf 2: lwIP's lwiperf. Accesses no hardware.
 */

/* Its list of sessions still points into the memory of the earlier stack. It can be emptied only
 * from within lwiperf.c. */
#include "apps/lwiperf/lwiperf.c" // NOLINT(bugprone-suspicious-include)

/* Listens at port SERVICE_IPERF, and drops the sessions of the earlier stack. Call after
 * stack_begin(). Returns false if there is no memory. */
static bool iperf_begin(void)
{
    lwiperf_all_connections = NULL;
    return lwiperf_start_tcp_server_default(NULL, NULL) != NULL;
}

#define PIECE 1024 /* bytes that the source writes at once */

/* Progress of a connection of discard or source; echo has none. */
struct progress {
    uint64_t bytes;
};

static struct services_counts counts;
static uint32_t window_bytes;
static struct {
    void (*begin)(void *argument);
    void (*end)(void *argument);
    void *argument;
} stamps;

/* Every eight bytes, lowest first, are a multiple of FACTOR (Knuth's multiplicative hash), mixed.
 */
#define FACTOR 0x9e3779b97f4a7c15ull

static uint64_t multiple(uint64_t at)
{
    return (at / sizeof(uint64_t) + 1) * FACTOR;
}

static uint64_t mixed(uint64_t product)
{
    return product ^ product >> 32;
}

uint8_t services_byte(uint64_t at)
{
    return (uint8_t)(mixed(multiple(at)) >> at % 8 * 8);
}

/* Returns how many bytes of [at, at + length) come before the next whole word. */
static size_t ahead_of_word(uint64_t at, size_t length)
{
    size_t ahead = (size_t)(-at % 8);

    return ahead < length ? ahead : length;
}

void services_fill(uint8_t *bytes, uint64_t at, size_t length)
{
    size_t i = 0;

    for (size_t ahead = ahead_of_word(at, length); i < ahead; i++) {
        bytes[i] = services_byte(at + i);
    }
    for (uint64_t product = multiple(at + i); length - i >= sizeof product; product += FACTOR) {
        uint64_t eight = mixed(product);

        memcpy(bytes + i, &eight, sizeof eight);
        i += sizeof eight;
    }
    for (; i < length; i++) {
        bytes[i] = services_byte(at + i);
    }
}

/* Returns the index of the first wrong byte from `i` on, or `end`. Checks byte by byte. */
static size_t check_each(const uint8_t *bytes, uint64_t at, size_t i, size_t end)
{
    while (i < end && bytes[i] == services_byte(at + i)) {
        i++;
    }
    return i;
}

size_t services_check(const uint8_t *bytes, uint64_t at, size_t length)
{
    size_t ahead = ahead_of_word(at, length);
    size_t i = check_each(bytes, at, 0, ahead);

    if (i < ahead) {
        return i;
    }
    for (uint64_t product = multiple(at + i); length - i >= sizeof product; product += FACTOR) {
        uint64_t eight;

        memcpy(&eight, bytes + i, sizeof eight);
        if (eight != mixed(product)) {
            break;
        }
        i += sizeof eight;
    }
    return check_each(bytes, at, i, length);
}

const struct services_counts *services_counts(void)
{
    return &counts;
}

void services_on_echo(void (*begin)(void *argument), void (*end)(void *argument), void *argument)
{
    stamps.begin = begin;
    stamps.end = end;
    stamps.argument = argument;
}

static void stamp(void (*which)(void *argument))
{
    if (which != NULL) {
        which(stamps.argument);
    }
}

/* ---- UDP echo ---- */

static void echo_datagram(void *argument, struct udp_pcb *pcb, struct pbuf *packet,
                          const ip_addr_t *from, u16_t port)
{
    (void)argument;
    stamp(stamps.begin);
    /* The answer has the address that the request was sent to, so it leaves by the same interface.
     */
    ip_addr_t own = *ip_current_dest_addr();
    if (udp_sendto_if_src(pcb, packet, from, port, ip_current_netif(), &own) == ERR_OK) {
        counts.datagrams++;
    }
    stamp(stamps.end);
    pbuf_free(packet);
}

static bool listen_udp(u16_t port)
{
    struct udp_pcb *pcb = udp_new();
    if (pcb == NULL || udp_bind(pcb, IP_ADDR_ANY, port) != ERR_OK) {
        return false;
    }
    udp_recv(pcb, echo_datagram, NULL);
    return true;
}

/* ---- TCP ---- */

void services_bound_window(struct tcp_pcb *pcb, uint32_t window)
{
    if (window != 0 && window < pcb->rcv_wnd) {
        pcb->rcv_wnd = window;
        pcb->rcv_ann_wnd = window;
    }
}

bool services_close(struct tcp_pcb *pcb)
{
    /* lwIP would take a window below its largest for data that was never read, and reset the
     * connection. */
    pcb->rcv_wnd = TCP_WND_MAX(pcb);
    if (tcp_close(pcb) == ERR_OK) {
        return true;
    }
    tcp_abort(pcb);
    return false;
}

static void drop_progress(void *argument)
{
    if (argument != NULL) {
        mem_free(argument);
    }
}

static void failed(void *argument, err_t error)
{
    (void)error;
    drop_progress(argument);
}

static err_t close_connection(struct tcp_pcb *pcb, void *progress)
{
    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
    tcp_err(pcb, NULL);
    drop_progress(progress);
    return services_close(pcb) ? ERR_OK : ERR_ABRT;
}

/* Returns how many more bytes the service may send without acknowledgement. */
static uint32_t room(const struct tcp_pcb *pcb)
{
    uint32_t free = tcp_sndbuf(pcb);
    if (window_bytes == 0) {
        return free;
    }
    uint32_t taken = TCP_SND_BUF - free;
    return taken >= window_bytes ? 0 : window_bytes - taken;
}

/* Echoes all of a packet, or nothing: lwIP keeps a rejected packet and offers it again. */
static err_t echo_received(void *argument, struct tcp_pcb *pcb, struct pbuf *packet, err_t error)
{
    (void)argument;
    (void)error;
    if (packet == NULL) {
        return close_connection(pcb, NULL);
    }
    stamp(stamps.begin);
    u16_t total = packet->tot_len;
    if (total > tcp_sndbuf(pcb)) {
        return ERR_MEM;
    }
    for (const struct pbuf *part = packet; part != NULL; part = part->next) {
        if (tcp_write(pcb, part->payload, part->len, TCP_WRITE_FLAG_COPY) != ERR_OK) {
            tcp_err(pcb, NULL);
            pbuf_free(packet);
            tcp_abort(pcb);
            return ERR_ABRT;
        }
    }
    counts.echoed += total;
    tcp_recved(pcb, total);
    pbuf_free(packet);
    (void)tcp_output(pcb);
    stamp(stamps.end);
    return ERR_OK;
}

static err_t discard_received(void *argument, struct tcp_pcb *pcb, struct pbuf *packet, err_t error)
{
    struct progress *progress = argument;
    (void)error;
    if (packet == NULL) {
        return close_connection(pcb, progress);
    }
    for (const struct pbuf *part = packet; part != NULL; part = part->next) {
        const uint8_t *bytes = part->payload;
        size_t done = services_check(bytes, progress->bytes, part->len);
        for (; done < part->len; done++) {
            counts.wrong += bytes[done] != services_byte(progress->bytes + done);
        }
        progress->bytes += part->len;
    }
    counts.discarded += packet->tot_len;
    tcp_recved(pcb, packet->tot_len);
    pbuf_free(packet);
    return ERR_OK;
}

/* Sends as much as the window has room for. */
static void send_source(struct progress *progress, struct tcp_pcb *pcb)
{
    static uint8_t bytes[PIECE];
    for (;;) {
        uint32_t length = room(pcb);
        length = length < sizeof bytes ? length : sizeof bytes;
        if (length == 0) {
            break;
        }
        services_fill(bytes, progress->bytes, length);
        if (tcp_write(pcb, bytes, (u16_t)length, TCP_WRITE_FLAG_COPY) != ERR_OK) {
            break; /* again after an acknowledgement, or at the next tcp_poll() */
        }
        progress->bytes += length;
        counts.sourced += length;
    }
    (void)tcp_output(pcb);
}

static err_t source_sent(void *argument, struct tcp_pcb *pcb, u16_t length)
{
    (void)length;
    send_source(argument, pcb);
    return ERR_OK;
}

static err_t source_poll(void *argument, struct tcp_pcb *pcb)
{
    send_source(argument, pcb);
    return ERR_OK;
}

/* Drops what the client sends. When the client closes the connection, the source does too. */
static err_t source_received(void *argument, struct tcp_pcb *pcb, struct pbuf *packet, err_t error)
{
    (void)error;
    if (packet == NULL) {
        return close_connection(pcb, argument);
    }
    tcp_recved(pcb, packet->tot_len);
    pbuf_free(packet);
    return ERR_OK;
}

static err_t accept_any(struct tcp_pcb *pcb, err_t error, tcp_recv_fn received, bool counts_bytes)
{
    if (error != ERR_OK || pcb == NULL) {
        return ERR_VAL;
    }
    struct progress *progress = NULL;
    if (counts_bytes) {
        progress = mem_malloc(sizeof *progress);
        if (progress == NULL) {
            return ERR_MEM;
        }
        progress->bytes = 0;
    }
    counts.connections++;
    tcp_nagle_disable(pcb);
    tcp_arg(pcb, progress);
    tcp_err(pcb, failed);
    tcp_recv(pcb, received);
    return ERR_OK;
}

static err_t accept_echo(void *argument, struct tcp_pcb *pcb, err_t error)
{
    (void)argument;
    return accept_any(pcb, error, echo_received, false);
}

static err_t accept_discard(void *argument, struct tcp_pcb *pcb, err_t error)
{
    (void)argument;
    return accept_any(pcb, error, discard_received, true);
}

static err_t accept_source(void *argument, struct tcp_pcb *pcb, err_t error)
{
    (void)argument;
    err_t accepted = accept_any(pcb, error, source_received, true);
    if (accepted == ERR_OK) {
        tcp_sent(pcb, source_sent);
        tcp_poll(pcb, source_poll, 1);
        send_source(pcb->callback_arg, pcb);
    }
    return accepted;
}

/* Limits the window before the answer to the first packet, which offers it. */
static err_t opened(u8_t id, struct tcp_pcb_listen *listener, struct tcp_pcb *pcb)
{
    (void)id;
    (void)listener;
    services_bound_window(pcb, window_bytes);
    return ERR_OK;
}

static bool listen_tcp(u16_t port, tcp_accept_fn accept)
{
    static const struct tcp_ext_arg_callbacks callbacks = {.passive_open = opened};
    struct tcp_pcb *pcb = tcp_new();
    if (pcb == NULL || tcp_bind(pcb, IP_ADDR_ANY, port) != ERR_OK) {
        return false;
    }
    struct tcp_pcb *listener = tcp_listen(pcb);
    if (listener == NULL) {
        return false;
    }
    tcp_ext_arg_set_callbacks(listener, 0, &callbacks);
    tcp_accept(listener, accept);
    return true;
}

bool services_begin(uint32_t window)
{
    memset(&counts, 0, sizeof counts);
    window_bytes = window;
    return listen_udp(SERVICE_ECHO) && listen_tcp(SERVICE_ECHO, accept_echo) &&
           listen_tcp(SERVICE_DISCARD, accept_discard) &&
           listen_tcp(SERVICE_SOURCE, accept_source) && iperf_begin();
}
