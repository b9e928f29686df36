/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of lwIP (its src/include/lwip/opt.h explains each and has its default): IPv4, ARP, ICMP,
 * UDP and TCP without an operating system, and without fragments, DHCP and DNS.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NO_SYS                    1
#define SYS_LIGHTWEIGHT_PROT      0
#define LWIP_NETCONN              0
#define LWIP_SOCKET               0
#define LWIP_IPV6                 0
#define LWIP_RAW                  1
#define IP_REASSEMBLY             0
#define IP_FRAG                   0
#define ARP_QUEUEING              1
#define LWIP_NETIF_TX_SINGLE_PBUF 1
#define LWIP_NETIF_LOOPBACK       1
#define LWIP_LOOPBACK_MAX_PBUFS   1024
#define LWIP_TIMERS_CUSTOM        1 /* in port.c; all of them start with the stack */
#define LWIP_CHKSUM_ALGORITHM     3
#define LWIP_STATS                1
#define LWIP_STATS_LARGE          1
#define MEM_STATS                 0
#define MEMP_STATS                0

/* Memory comes from port.c, in constant time. lwIP 2.2 and 2.1 use different names for it. */
#define MEM_ALIGNMENT   16
#define MEMP_MEM_MALLOC 1
#if __has_include("lwip/acd.h")
#define MEM_CUSTOM_ALLOCATOR 1
#define MEM_CUSTOM_MALLOC    port_allocate
#define MEM_CUSTOM_CALLOC    port_allocate_zeroed
#define MEM_CUSTOM_FREE      port_free
#else
#define MEM_LIBC_MALLOC 1
#define mem_clib_malloc port_allocate
#define mem_clib_calloc port_allocate_zeroed
#define mem_clib_free   port_free
#endif
void *port_allocate(size_t bytes);
void *port_allocate_zeroed(size_t count, size_t bytes);
void port_free(void *block);

/* Windows of up to 256 KiB. A connection can have a smaller one (services.h). */
#define TCP_MSS          1460
#define LWIP_WND_SCALE   1
#define TCP_RCV_SCALE    3
#define TCP_WND          (256 * 1024)
#define TCP_SND_BUF      (256 * 1024)
#define TCP_SND_QUEUELEN 2048
#define TCP_SNDLOWAT     (16 * 1024)
/* Half of TIME-WAIT in ms, and of the time that an end that has closed waits for the last
 * acknowledgement. It must be longer than lost segments take to be sent again. */
#define TCP_MSL 10000

/* services.c limits the window of a connection before it is offered. */
#define LWIP_TCP_PCB_NUM_EXT_ARGS 1

struct netif;
struct pbuf;
struct ip4_addr;
struct tcp_hdr;
struct tcp_pcb;
/* Packets leave by the interface that has their source address. */
struct netif *port_route(const struct ip4_addr *from);
#define LWIP_HOOK_IP4_ROUTE_SRC(from, to) port_route(from)
/* Initial sequence numbers come from the seed. */
#define LWIP_HOOK_TCP_ISN(own, own_port, other, other_port) port_random()
/* Called for each segment before it is sent. Adds no options; counts segments and those that are
 * sent again. */
uint32_t *port_segment(const struct pbuf *packet, const struct tcp_hdr *header,
                       const struct tcp_pcb *connection, uint32_t *options);
#define LWIP_HOOK_TCP_OUT_ADD_TCPOPTS(packet, header, connection, options) \
    port_segment(packet, header, connection, options)
