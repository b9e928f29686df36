/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/udp_line.h"

#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/link/link.h"
#include "kernel/net/net.h"
#include "lwip/etharp.h"
#include "lwip/ip4.h"
#include "lwip/udp.h"

#define RESOLVE_US    100000 /* wait for an ARP answer */
#define RESOLVE_TURNS 20
#define ROOM_US       100000 /* wait for a NIC that has no room for a frame */
/* Size of the ring of received requests; the host sends those that do not fit again. */
#define REQUEST_BYTES 4096u

static struct {
    uint32_t address; /* 0: the log is not sent by UDP */
    uint16_t port;
    struct udp_pcb *pcb;
    const char *failure;
    uint8_t bytes[UDP_LINE_BYTES]; /* the datagram that is being filled */
    size_t length;
    uint8_t requests[REQUEST_BYTES];
    uint32_t put;
    uint32_t taken;
} udp;

void udp_line_use(uint32_t address, uint16_t port)
{
    udp.address = address;
    udp.port = port;
}

bool udp_line_is_used(void)
{
    return udp.address != 0;
}

const char *udp_line_failure(void)
{
    return udp.failure;
}

static void on_datagram(void *argument, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                        uint16_t port)
{
    (void)argument;
    (void)pcb;
    (void)from;
    (void)port;
    for (uint16_t i = 0; i < p->tot_len && udp.put - udp.taken < REQUEST_BYTES; i++) {
        udp.requests[udp.put++ % REQUEST_BYTES] = pbuf_get_at(p, i);
    }
    pbuf_free(p);
}

/* Returns true if the MAC address of the host, or of the gateway to it, is known. Otherwise asks
 * for it if `ask`. */
static bool is_resolved(const ip4_addr_t *host, bool ask)
{
    const ip4_addr_t *source;
    struct eth_addr *mac;
    struct netif *netif = ip4_route(host);

    if (netif == NULL) {
        return false;
    }
    const bool near = ip4_addr_netcmp(host, netif_ip4_addr(netif), netif_ip4_netmask(netif)) != 0;
    const ip4_addr_t *next = near ? host : netif_ip4_gw(netif);

    if (etharp_find_addr(netif, next, &mac, &source) >= 0) {
        return true;
    }
    if (ask) {
        etharp_query(netif, next, NULL);
    }
    return false;
}

static bool resolve(const ip4_addr_t *host)
{
    for (unsigned i = 0; i < RESOLVE_TURNS; i++) {
        struct tsc_wait turn = tsc_wait_begin(clock_ticks_from_us(RESOLVE_US));
        bool found = is_resolved(host, true);

        while (!found && !tsc_wait_over(&turn)) {
            net_poll();
            found = is_resolved(host, false);
        }
        if (found) {
            return true;
        }
    }
    return false;
}

static const char *connect_host(void)
{
    const ip_addr_t host = IPADDR4_INIT(lwip_htonl(udp.address));

    udp.pcb = udp_new();
    if (udp.pcb == NULL || udp_bind(udp.pcb, IP_ADDR_ANY, UDP_LINE_PORT) != ERR_OK ||
        udp_connect(udp.pcb, &host, udp.port) != ERR_OK) {
        return "not enough memory for a connection";
    }
    udp_recv(udp.pcb, on_datagram, NULL);
    return resolve(ip_2_ip4(&host)) ? NULL : "the host of link.udp does not answer";
}

static bool open(void)
{
    const struct net_options options = {.path = NET_SERVE};

    udp.failure = net_begin(&options);
    if (udp.failure != NULL) {
        return false;
    }
    udp.failure = connect_host();
    if (udp.failure != NULL) {
        net_end();
    }
    return udp.failure == NULL;
}

/* ---- bytes out ---- */

static void pace(void)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(UDP_LINE_PACE_US));

    while (!tsc_wait_over(&wait)) {
        net_poll();
    }
}

static bool send_once(void)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, (uint16_t)udp.length, PBUF_RAM);

    if (p == NULL) {
        return false;
    }
    memcpy(p->payload, udp.bytes, udp.length);
    const err_t error = udp_send(udp.pcb, p);

    pbuf_free(p);
    return error == ERR_OK;
}

static bool flush(void)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(ROOM_US));
    bool sent = udp.length == 0 || send_once();

    while (!sent && !tsc_wait_over(&wait)) {
        net_poll();
        sent = send_once();
    }
    udp.length = 0;
    pace();
    return sent;
}

/* Adds bytes to the datagram. A frame is kept in one datagram if it fits. The host requests lost
 * bytes again. */
static bool put(void *context, const uint8_t *bytes, size_t length)
{
    (void)context;
    if (udp.length + length > UDP_LINE_BYTES && !flush()) {
        return false;
    }
    while (length > 0) {
        const size_t room = UDP_LINE_BYTES - udp.length;
        const size_t part = length < room ? length : room;

        memcpy(udp.bytes + udp.length, bytes, part);
        udp.length += part;
        bytes += part;
        length -= part;
        if (length > 0 && !flush()) {
            return false;
        }
    }
    return true;
}

void udp_line_save(void)
{
    if (!udp_line_is_used() || !open()) {
        return;
    }
    udp.length = 0;
    if (!link_save(put, NULL) || !flush()) {
        udp.failure = "the NIC sends no frames";
    }
    net_end();
}

/* ---- requests ---- */

/* Returns the next byte of a request, or -1. If there is none, first sends what an answer has left
 * in the datagram. */
static int next_byte(void *context)
{
    (void)context;
    if (udp.put == udp.taken) {
        net_poll();
    }
    if (udp.put != udp.taken) {
        return udp.requests[udp.taken++ % REQUEST_BYTES];
    }
    if (udp.length > 0) {
        flush();
    }
    return -1;
}

bool udp_line_serve(uint64_t wait_ms)
{
    static const struct link_way way = {.read = next_byte, .write = put};

    if (!udp_line_is_used() || !open()) {
        return false;
    }
    udp.length = 0;
    udp.put = 0;
    udp.taken = 0;
    const bool served =
        link_serve_by(&way, wait_ms < UDP_LINE_WAIT_MS ? UDP_LINE_WAIT_MS : wait_ms);

    if (!served) {
        udp.failure = "no host answered";
    }
    net_end();
    return served;
}
