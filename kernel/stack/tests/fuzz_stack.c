/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: frames that a hostile network sends to a stack with all services. Each begins with its
 * length and how the clock moves before it; a bit there leaves checksums as they are, which are
 * else made right, so that more than the first header is looked at. What the stack answers are
 * whole frames, and its port gives out no more memory than it has.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/stack/nbd_server.h"
#include "kernel/stack/services.h"
#include "kernel/stack/stack.h"
#include "lwip/inet_chksum.h"
#include "lwip/prot/ip.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/fuzz_bytes.h"

#define OWN         0x0a090001u
#define FRAMES_MAX  64
#define ETHERNET    14
#define IP_HEAD     20
#define AS_IT_IS    0x80 /* of the clock's byte: checksums too */
#define CLOCK_STEPS 0x7f

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t clock_ms;

static uint64_t now_ms(void)
{
    return clock_ms;
}

static bool send_frame(void *argument, const uint8_t *bytes, uint32_t length)
{
    uint8_t last;

    (void)argument;
    demand(length >= 60 && length <= STACK_FRAME_MAX);
    memcpy(&last, bytes + length - 1, 1);
    return last % 2 == 0; /* some are lost */
}

static bool read_export(void *argument, uint64_t offset, uint8_t *to, uint32_t length)
{
    (void)argument;
    memset(to, (int)offset, length);
    return true;
}

static void put_sum(uint8_t *at, const uint8_t *bytes, size_t length, uint32_t more)
{
    uint32_t sum = more;
    uint16_t folded;

    at[0] = 0;
    at[1] = 0;
    for (size_t i = 0; i < length; i++) {
        sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    folded = (uint16_t)~sum;
    at[0] = (uint8_t)(folded >> 8);
    at[1] = (uint8_t)folded;
}

/* Of IPv4 and what it carries, where the lengths allow it. */
static void make_right(uint8_t *frame, size_t length)
{
    uint8_t *ip = frame + ETHERNET;
    uint8_t *within = ip + IP_HEAD;
    uint32_t pseudo;
    size_t carried;

    if (length < ETHERNET + IP_HEAD + 20 || frame[12] != 8 || frame[13] != 0 || ip[0] != 0x45) {
        return;
    }
    put_sum(ip + 10, ip, IP_HEAD, 0);
    carried = (size_t)(ip[2] << 8 | ip[3]);
    if (carried < IP_HEAD + 20 || carried > length - ETHERNET) {
        return;
    }
    carried -= IP_HEAD;
    pseudo = ip[9];
    for (size_t i = 12; i < IP_HEAD; i++) {
        pseudo += i % 2 == 0 ? (uint32_t)ip[i] << 8 : ip[i];
    }
    pseudo += (uint32_t)carried;
    if (ip[9] == IP_PROTO_TCP) {
        put_sum(within + 16, within, carried, pseudo);
    } else if (ip[9] == IP_PROTO_UDP) {
        put_sum(within + 6, within, carried, pseudo);
    } else if (ip[9] == IP_PROTO_ICMP) {
        put_sum(within + 2, within, carried, 0);
    }
}

static struct stack_interface *begin(void)
{
    static void *memory;
    static const struct stack_link link = {{2, 't', 'a', 'r', 'e', 1}, send_frame, NULL};
    static const struct nbd_export export = {"BENCH.DAT", 1 << 20, read_export, NULL};
    struct stack_interface *interface;

    if (memory == NULL) {
        memory = aligned_alloc(64, stack_bytes());
        demand(memory != NULL);
    }
    clock_ms = 0;
    demand(stack_begin(memory, now_ms, 1) == NULL);
    interface = stack_add(&link, OWN, 24, 0);
    demand(interface != NULL);
    demand(services_begin(0) && nbd_serve(&export));
    return interface;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stack_interface *interface = begin();
    struct bytes bytes = {data, size};

    for (int i = 0; i < FRAMES_MAX && bytes.left > 0; i++) {
        const uint8_t clock = take(&bytes);
        const size_t wanted = (size_t)take_many(&bytes, 2);
        const size_t length = wanted < bytes.left ? wanted : bytes.left;
        uint8_t *frame = malloc(length + 1); /* what is read beyond its end is seen */

        demand(frame != NULL);
        memcpy(frame, bytes.at, length);
        bytes.at += length;
        bytes.left -= length;
        if ((clock & AS_IT_IS) == 0) {
            make_right(frame, length);
        }
        clock_ms += (uint64_t)(clock & CLOCK_STEPS) * 10;
        stack_input(interface, frame, (uint32_t)length);
        stack_poll();
        free(frame);
    }
    stack_end();
    return 0;
}
