/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/network/trip.h"

#include <string.h>

#include "bench/network/path.h"
#include "kernel/cpu/cpu.h"
#include "kernel/net/services.h"
#include "lwip/icmp.h"
#include "lwip/inet_chksum.h"
#include "lwip/prot/ethernet.h"
#include "lwip/prot/tcp.h"
#include "lwip/raw.h"
#include "lwip/tcp.h"
#include "lwip/udp.h"

#define ECHO_ID 0x7461

static struct {
    enum trip_protocol protocol;
    uint32_t bytes;
    struct raw_pcb *icmp;
    struct udp_pcb *udp;
    struct tcp_pcb *tcp;
    struct net_waiter waiter;
    uint64_t number; /* of the trip; its payload starts at this offset of services_byte() */
    uint32_t arrived;
    bool connected;
    bool awaited; /* an answer is awaited */
    err_t error;  /* error of the connection */
    struct trip_stamps *stamps;
    struct net_passage out; /* time stamps of the request on its way to the peer, for UDP and TCP */
    uint64_t sent[2];       /* frames that each end's NIC had sent at the last answer */
    uint8_t payload[TRIP_BYTES_MAX];
    uint8_t answer[TRIP_BYTES_MAX];
} trip;

const char *trip_protocol_name(enum trip_protocol protocol)
{
    static const char *const names[TRIP_PROTOCOLS] = {
        [TRIP_ICMP] = PROTOCOL_ICMP, [TRIP_UDP] = PROTOCOL_UDP, [TRIP_TCP] = PROTOCOL_TCP};

    return names[protocol];
}

uint32_t trip_frame_bytes(enum trip_protocol protocol, uint32_t bytes)
{
    const uint32_t header = protocol == TRIP_TCP ? sizeof(struct tcp_hdr) : sizeof(struct udp_hdr);
    const uint32_t whole = SIZEOF_ETH_HDR + sizeof(struct ip_hdr) + header + bytes;

    return whole < NIC_FRAME_MIN ? NIC_FRAME_MIN : whole;
}

static ip_addr_t address(uint32_t host_order)
{
    const ip_addr_t result = IPADDR4_INIT(lwip_htonl(host_order));

    return result;
}

/* ---- receiving ---- */

/* Returns the frames that the NIC of an end has sent since the last call. */
static uint64_t frames_since(unsigned end)
{
    const struct nic *nic = net_nic(end);
    const uint64_t before = trip.sent[end];

    trip.sent[end] = nic != NULL ? nic->counts.sent : 0;
    return trip.sent[end] - before;
}

/* Takes bytes of the answer from `p`, after a header of `skip` bytes. */
static void take(const struct pbuf *p, uint16_t skip)
{
    const uint32_t room = sizeof(trip.answer) - trip.arrived;

    trip.arrived += pbuf_copy_partial(p, trip.answer + trip.arrived, (uint16_t)room, skip);
    const uint64_t called = tsc_read();

    if (!trip.awaited || trip.arrived < trip.bytes) {
        return;
    }
    trip.awaited = false;
    trip.stamps->called = called;
    trip.stamps->back = *net_passage();
    trip.stamps->out = trip.protocol == TRIP_ICMP ? *net_last_passage(1) : trip.out;
    trip.stamps->frames = frames_since(0);
    trip.stamps->frames_back = frames_since(1);
    net_wake(&trip.waiter);
}

/* Called when the peer in this machine receives data. If a request arrives in pieces, it has
 * arrived when its last piece has. */
static void on_request(void *argument)
{
    (void)argument;
    trip.out = *net_passage();
}

static uint8_t on_icmp(void *argument, struct raw_pcb *pcb, struct pbuf *p, const ip_addr_t *from)
{
    struct icmp_echo_hdr header;
    const uint16_t skip = sizeof(struct ip_hdr);

    (void)argument;
    (void)pcb;
    (void)from;
    if (pbuf_copy_partial(p, &header, sizeof(header), skip) != sizeof(header) ||
        ICMPH_TYPE(&header) != ICMP_ER || header.id != lwip_htons(ECHO_ID) ||
        header.seqno != lwip_htons((uint16_t)trip.number)) {
        return 0;
    }
    take(p, skip + sizeof(header));
    pbuf_free(p);
    return 1;
}

static void on_udp(void *argument, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                   uint16_t port)
{
    (void)argument;
    (void)pcb;
    (void)from;
    (void)port;
    take(p, 0);
    pbuf_free(p);
}

static err_t on_tcp(void *argument, struct tcp_pcb *pcb, struct pbuf *p, err_t error)
{
    (void)argument;
    (void)error;
    if (p == NULL) {
        trip.connected = false;
        return ERR_OK;
    }
    take(p, 0);
    tcp_recved(pcb, p->tot_len);
    pbuf_free(p);
    return ERR_OK;
}

static void on_tcp_error(void *argument, err_t error)
{
    (void)argument;
    trip.tcp = NULL; /* lwIP has freed it */
    trip.error = error;
    net_wake(&trip.waiter);
}

static err_t on_connected(void *argument, struct tcp_pcb *pcb, err_t error)
{
    (void)argument;
    (void)pcb;
    trip.connected = error == ERR_OK;
    trip.error = error;
    net_wake(&trip.waiter);
    return ERR_OK;
}

/* ---- opening ---- */

static bool open_icmp(const ip_addr_t *own)
{
    trip.icmp = raw_new(IP_PROTO_ICMP);
    if (trip.icmp == NULL) {
        return false;
    }
    raw_recv(trip.icmp, on_icmp, NULL);
    return raw_bind(trip.icmp, own) == ERR_OK;
}

static bool open_udp(const ip_addr_t *own, const ip_addr_t *other)
{
    trip.udp = udp_new();
    if (trip.udp == NULL) {
        return false;
    }
    udp_recv(trip.udp, on_udp, NULL);
    return udp_bind(trip.udp, own, 0) == ERR_OK &&
           udp_connect(trip.udp, other, SERVICE_ECHO) == ERR_OK;
}

static bool open_tcp(const ip_addr_t *own, const ip_addr_t *other)
{
    trip.tcp = tcp_new();
    if (trip.tcp == NULL) {
        return false;
    }
    tcp_nagle_disable(trip.tcp);
    tcp_recv(trip.tcp, on_tcp);
    tcp_err(trip.tcp, on_tcp_error);
    return tcp_bind(trip.tcp, own, 0) == ERR_OK &&
           tcp_connect(trip.tcp, other, SERVICE_ECHO, on_connected) == ERR_OK;
}

const char *trip_open(enum trip_protocol protocol, uint32_t bytes)
{
    const ip_addr_t own = address(net_own());
    const ip_addr_t other = address(net_other());
    bool good;

    trip.protocol = protocol;
    trip.bytes = bytes;
    trip.number = 0;
    trip.awaited = false;
    trip.connected = false;
    trip.icmp = NULL;
    trip.udp = NULL;
    trip.tcp = NULL;
    (void)frames_since(0);
    (void)frames_since(1);
    net_waiter_init(&trip.waiter, "answer");
    net_enter();
    services_on_echo(on_request, NULL, NULL);
    switch (protocol) {
    case TRIP_ICMP:
        good = open_icmp(&own);
        break;
    case TRIP_UDP:
        good = open_udp(&own, &other);
        break;
    default:
        good = open_tcp(&own, &other);
        break;
    }
    net_leave();
    if (!good) {
        return "no memory for a connection";
    }
    if (protocol == TRIP_TCP) {
        if (!net_wait(&trip.waiter, TRIP_SEGMENT_US)) {
            return "no answer to a connection";
        }
        return trip.connected ? NULL : stack_error_text(trip.error);
    }
    return NULL;
}

void trip_close(void)
{
    net_enter();
    services_on_echo(NULL, NULL, NULL);
    if (trip.icmp != NULL) {
        raw_remove(trip.icmp);
    }
    if (trip.udp != NULL) {
        udp_remove(trip.udp);
    }
    if (trip.tcp != NULL) {
        tcp_err(trip.tcp, NULL);
        tcp_abort(trip.tcp);
    }
    net_leave();
}

/* ---- a trip ---- */

static err_t send_icmp(void)
{
    const ip_addr_t other = address(net_other());
    const uint16_t length = (uint16_t)(sizeof(struct icmp_echo_hdr) + trip.bytes);
    struct pbuf *p = pbuf_alloc(PBUF_IP, length, PBUF_RAM);

    if (p == NULL) {
        return ERR_MEM;
    }
    struct icmp_echo_hdr *header = p->payload;

    memset(header, 0, sizeof(*header));
    ICMPH_TYPE_SET(header, ICMP_ECHO);
    header->id = lwip_htons(ECHO_ID);
    header->seqno = lwip_htons((uint16_t)trip.number);
    memcpy((uint8_t *)p->payload + sizeof(*header), trip.payload, trip.bytes);
    header->chksum = inet_chksum(header, length);
    const err_t error = raw_sendto(trip.icmp, p, &other);

    pbuf_free(p);
    return error;
}

static err_t send_udp(void)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, (uint16_t)trip.bytes, PBUF_RAM);

    if (p == NULL) {
        return ERR_MEM;
    }
    memcpy(p->payload, trip.payload, trip.bytes);
    const err_t error = udp_send(trip.udp, p);

    pbuf_free(p);
    return error;
}

static err_t send_tcp(void)
{
    if (trip.tcp == NULL || !trip.connected) {
        return ERR_CLSD;
    }
    const err_t error =
        tcp_write(trip.tcp, trip.payload, (uint16_t)trip.bytes, TCP_WRITE_FLAG_COPY);

    return error == ERR_OK ? tcp_output(trip.tcp) : error;
}

const char *trip_make(struct trip_stamps *stamps)
{
    static err_t (*const sends[TRIP_PROTOCOLS])(void) = {
        [TRIP_ICMP] = send_icmp, [TRIP_UDP] = send_udp, [TRIP_TCP] = send_tcp};

    trip.number++;
    trip.arrived = 0;
    trip.awaited = true;
    trip.stamps = stamps;
    services_fill(trip.payload, trip.number, trip.bytes);
    stamps->asked = tsc_read();
    net_enter();
    const err_t error = sends[trip.protocol]();

    stamps->returned = tsc_read();
    stamps->sent = net_nic(0) != NULL ? net_nic(0)->sent : 0;
    net_leave();
    if (error != ERR_OK) {
        trip.awaited = false;
        return stack_error_text(error);
    }
    const bool answered =
        net_wait(&trip.waiter, trip.protocol == TRIP_TCP ? TRIP_SEGMENT_US : TRIP_ANSWER_US);

    stamps->woken = tsc_read();
    trip.awaited = false;
    path_checked(trip.arrived,
                 trip.arrived - services_check(trip.answer, trip.number, trip.arrived));
    return answered && trip.arrived >= trip.bytes ? NULL : "no answer";
}
