/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/port.h"

#include <stdbool.h>
#include <string.h>

/* lwIP's list of raw connections can be emptied only from within this file. */
#include "core/raw.c" // NOLINT(bugprone-suspicious-include)
#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/netif.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/stats.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"

/* The size of a block is a multiple of BLOCK_UNIT. Free blocks of one size form a list, and keep
 * that size. */
#define BLOCK_UNIT  64
#define BLOCK_UNITS 32 /* of the largest block: a frame and its pbuf need 25 */
#define BLOCK_HEAD  16 /* bytes before a block: its number of units, or the next free block */

#define DATA_SHORT 6 /* bytes of data that fit into a frame of the shortest length */

static struct {
    uint8_t *next; /* start of the memory that was never used */
    uint8_t *end;
    void *free[BLOCK_UNITS + 1];
    uint64_t refused;
    struct port_segments segments;
    uint64_t (*now_ms)(void);
    uint64_t random;
    uint64_t tcp_due; /* ms of the next tcp_fasttmr(); tcp_slowtmr() runs every second time */
    uint64_t tcp_turns;
    uint64_t arp_due;
} port;

void *port_allocate(size_t bytes)
{
    size_t units = (bytes + BLOCK_HEAD + BLOCK_UNIT - 1) / BLOCK_UNIT;
    if (bytes > (size_t)BLOCK_UNITS * BLOCK_UNIT || units > BLOCK_UNITS) {
        port.refused++;
        return NULL;
    }
    uint8_t *block = port.free[units];
    if (block != NULL) {
        memcpy(&port.free[units], block, sizeof port.free[units]);
    } else if ((size_t)(port.end - port.next) >= units * BLOCK_UNIT) {
        block = port.next;
        port.next += units * BLOCK_UNIT;
    } else {
        port.refused++;
        return NULL;
    }
    memcpy(block, &units, sizeof units);
    return block + BLOCK_HEAD;
}

void *port_allocate_zeroed(size_t count, size_t bytes)
{
    void *block = port_allocate(count * bytes);
    return block == NULL ? NULL : memset(block, 0, count * bytes);
}

void port_free(void *block)
{
    uint8_t *head = (uint8_t *)block - BLOCK_HEAD;
    size_t units;
    memcpy(&units, head, sizeof units);
    memcpy(head, &port.free[units], sizeof port.free[units]);
    port.free[units] = head;
}

/* xorshift64* (Vigna, 2016). */
uint32_t port_random(void)
{
    port.random ^= port.random >> 12;
    port.random ^= port.random << 25;
    port.random ^= port.random >> 27;
    return (uint32_t)((port.random * 0x2545f4914f6cdd1dull) >> 32);
}

u32_t sys_now(void)
{
    return (u32_t)port.now_ms();
}

struct netif *port_route(const struct ip4_addr *from)
{
    struct netif *netif;
    if (from == NULL || ip4_addr_isany_val(*from)) {
        return NULL;
    }
    NETIF_FOREACH(netif)
    {
        if (ip4_addr_cmp(netif_ip4_addr(netif), from)) {
            return netif;
        }
    }
    return NULL;
}

uint32_t *port_segment(const struct pbuf *packet, const struct tcp_hdr *header,
                       const struct tcp_pcb *connection, uint32_t *options)
{
    if (connection == NULL || (TCPH_FLAGS(header) & TCP_RST) != 0) {
        return options;
    }
    /* A connection's first SYN has a number below snd_nxt from the start. */
    bool again = connection->state == SYN_SENT
                     ? connection->nrtx > 0
                     : TCP_SEQ_LT(lwip_ntohl(header->seqno), connection->snd_nxt);
    bool data = packet->tot_len > TCP_HLEN + DATA_SHORT;
    port.segments.retransmitted += again;
    port.segments.data_first += data && !again;
    port.segments.data_again += data && again;
    return options;
}

void sys_timeouts_init(void)
{
    port.tcp_due = port.now_ms() + TCP_TMR_INTERVAL;
    port.arp_due = port.now_ms() + ARP_TMR_INTERVAL;
}

void port_poll(void)
{
    uint64_t now = port.now_ms();
    if (now >= port.tcp_due) {
        port.tcp_due = now + TCP_TMR_INTERVAL;
        tcp_fasttmr();
        if (++port.tcp_turns % 2 == 0) {
            tcp_slowtmr();
        }
    }
    if (now >= port.arp_due) {
        port.arp_due = now + ARP_TMR_INTERVAL;
        etharp_tmr();
    }
}

uint32_t port_sleep_ms(void)
{
    uint64_t now = port.now_ms();
    uint64_t due = port.tcp_due < port.arp_due ? port.tcp_due : port.arp_due;
    return due <= now ? 0 : (uint32_t)(due - now);
}

void port_end(void)
{
    struct netif *netif;
    NETIF_FOREACH(netif)
    {
        etharp_cleanup_netif(netif);
    }
    netif_list = NULL;
    netif_default = NULL;
    tcp_bound_pcbs = NULL;
    tcp_listen_pcbs.pcbs = NULL;
    tcp_active_pcbs = NULL;
    tcp_tw_pcbs = NULL;
    tcp_input_pcb = NULL;
    tcp_ticks = 0;
    udp_pcbs = NULL;
    raw_pcbs = NULL;
    memset(&port, 0, sizeof port);
}

void port_begin(void *memory, size_t bytes, uint64_t (*now_ms)(void), uint32_t seed)
{
    port_end();
    port.next = memory;
    port.end = port.next + bytes;
    port.now_ms = now_ms;
    port.random = 0x9e3779b97f4a7c15ull ^ seed;
    memset(&lwip_stats, 0, sizeof lwip_stats);
    lwip_init();
}

const struct port_segments *port_segments(void)
{
    return &port.segments;
}

uint64_t port_refused(void)
{
    return port.refused;
}
