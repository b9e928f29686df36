/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/stack.h"

#include <string.h>

#include "kernel/net/port.h"
#include "lwip/etharp.h"
#include "lwip/netif.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/stats.h"
#include "netif/ethernet.h"

#define MEMORY_BYTES (2u << 20)
#define FRAME_MIN    60

struct stack_interface {
    struct netif netif;
    struct stack_link link;
};

static struct stack_interface interfaces[STACK_INTERFACES];
static size_t interface_count;
static bool running;

size_t stack_bytes(void)
{
    return MEMORY_BYTES;
}

const char *stack_begin(void *memory, uint64_t (*now_ms)(void), uint32_t seed)
{
    if ((uintptr_t)memory % MEM_ALIGNMENT != 0) {
        return "the memory of the network stack is not aligned";
    }
    interface_count = 0;
    port_begin(memory, MEMORY_BYTES, now_ms, seed);
    running = true;
    return NULL;
}

void stack_end(void)
{
    running = false;
    interface_count = 0;
    port_end();
}

/* Sends a frame. If it is in pieces or too short, it is copied and padded first. */
static err_t send_frame(struct netif *netif, struct pbuf *packet)
{
    static uint8_t whole[STACK_FRAME_MAX];
    struct stack_interface *interface = netif->state;
    const uint8_t *bytes = packet->payload;
    uint32_t length = packet->tot_len;
    if (length > sizeof whole) {
        return ERR_BUF;
    }
    if (packet->len != length || length < FRAME_MIN) {
        pbuf_copy_partial(packet, whole, (u16_t)length, 0);
        if (length < FRAME_MIN) {
            memset(whole + length, 0, FRAME_MIN - length);
            length = FRAME_MIN;
        }
        bytes = whole;
    }
    /* The result is ignored, because TCP sends lost segments again. */
    (void)interface->link.send(interface->link.argument, bytes, length);
    return ERR_OK;
}

static err_t init_interface(struct netif *netif)
{
    struct stack_interface *interface = netif->state;
    netif->name[0] = 'e';
    netif->name[1] = 'n';
    netif->output = etharp_output;
    netif->linkoutput = send_frame;
    netif->mtu = STACK_FRAME_MAX - SIZEOF_ETH_HDR;
    netif->hwaddr_len = sizeof interface->link.mac;
    memcpy(netif->hwaddr, interface->link.mac, sizeof interface->link.mac);
    netif->flags =
        NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    return ERR_OK;
}

struct stack_interface *stack_add(const struct stack_link *link, uint32_t address, uint32_t prefix,
                                  uint32_t gateway)
{
    if (interface_count == STACK_INTERFACES) {
        return NULL;
    }
    struct stack_interface *interface = &interfaces[interface_count];
    memset(interface, 0, sizeof *interface);
    interface->link = *link;
    uint32_t mask = prefix == 0 ? 0 : UINT32_MAX << (32 - prefix);
    ip4_addr_t own = {lwip_htonl(address)};
    ip4_addr_t net = {lwip_htonl(mask)};
    ip4_addr_t next = {lwip_htonl(gateway)};
    if (netif_add(&interface->netif, &own, &net, &next, interface, init_interface,
                  ethernet_input) == NULL) {
        return NULL;
    }
    if (interface_count++ == 0) {
        netif_set_default(&interface->netif);
    }
    netif_set_up(&interface->netif);
    return interface;
}

void stack_input(struct stack_interface *interface, const uint8_t *bytes, uint32_t length)
{
    if (!running || length > STACK_FRAME_MAX || length < SIZEOF_ETH_HDR) {
        LINK_STATS_INC(link.lenerr);
        LINK_STATS_INC(link.drop);
        return;
    }
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, (u16_t)length, PBUF_RAM);
    if (packet == NULL) {
        LINK_STATS_INC(link.memerr);
        LINK_STATS_INC(link.drop);
        return;
    }
    memcpy(packet->payload, bytes, length);
    if (interface->netif.input(packet, &interface->netif) != ERR_OK) {
        pbuf_free(packet);
    }
}

void stack_poll(void)
{
    if (running) {
        netif_poll_all();
        port_poll();
    }
}

static bool loops(void)
{
    const struct netif *netif;
    NETIF_FOREACH(netif)
    {
        if (netif->loop_first != NULL) {
            return true;
        }
    }
    return false;
}

uint32_t stack_sleep_ms(void)
{
    if (!running) {
        return UINT32_MAX;
    }
    return loops() ? 0 : port_sleep_ms();
}

void stack_get_counts(struct stack_counts *counts)
{
    counts->retransmitted = port_segments()->retransmitted;
    counts->data_first = port_segments()->data_first;
    counts->data_again = port_segments()->data_again;
    counts->no_memory = port_refused();
    counts->dropped = (uint64_t)lwip_stats.link.drop + lwip_stats.etharp.drop + lwip_stats.ip.drop +
                      lwip_stats.icmp.drop + lwip_stats.udp.drop + lwip_stats.tcp.drop;
}

const char *stack_error_text(int error)
{
    static const struct {
        err_t error;
        const char *text;
    } texts[] = {
        {ERR_MEM, "no memory"},
        {ERR_BUF, "no buffer"},
        {ERR_TIMEOUT, "it timed out"},
        {ERR_RTE, "no route to the host"},
        {ERR_INPROGRESS, "not finished yet"},
        {ERR_VAL, "an invalid value"},
        {ERR_WOULDBLOCK, "it would have to wait"},
        {ERR_USE, "the port is in use"},
        {ERR_ALREADY, "it is already being connected"},
        {ERR_ISCONN, "it is already connected"},
        {ERR_CONN, "not connected"},
        {ERR_IF, "the interface failed"},
        {ERR_ABRT, "connection aborted"},
        {ERR_RST, "connection reset"},
        {ERR_CLSD, "connection closed"},
        {ERR_ARG, "an invalid argument"},
        {ERR_OK, "no error"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].error == error) {
            return texts[i].text;
        }
    }
    return "an unknown error";
}
