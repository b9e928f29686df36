/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: frames that come in from a network, into the stack with its services. The input is a
 * sequence: a byte that chooses, two of the length, and the bytes of a frame. Some frames are made
 * to fit first, so that they get past checksums and meet connections; what the stack sends shows
 * the numbers that fit. Whatever comes, the stack answers an echo afterwards.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/net/nbd_server.h"
#include "kernel/net/services.h"
#include "kernel/net/stack.h"
#include "tools/tests/support/demand.h"

#define OWN          0x0a090001u
#define OTHER        0x0a090002u
#define ETHERNET     14
#define IP_HEADER    20
#define ICMP_BYTES   8
#define FRAME_MIN    60
#define FRAMES_MAX   64
#define TCP          6
#define CHOICE_FIT   1 /* addresses and checksums are made right */
#define CHOICE_REPLY 2 /* TCP: the numbers are those that the stack waits for */
#define CHOICE_TIME  4 /* some time goes by first */
#define STEP_MS      300
#define LONG_MS      120000 /* half-open connections and half-known addresses are forgotten */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t own_mac[6] = {2, 0, 0, 0, 0, 1};
static const uint8_t other_mac[6] = {2, 0, 0, 0, 0, 2};
static uint64_t clock_ms;
static struct stack_interface *interface;
static bool answered;
/* Fields of the last segment that the stack sent. */
static uint8_t ports[4], sequence[4], acknowledged[4];

static uint64_t now_ms(void)
{
    return clock_ms;
}

static bool take_sent(void *argument, const uint8_t *bytes, uint32_t length)
{
    const uint8_t *ip = bytes + ETHERNET;

    (void)argument;
    demand(length >= FRAME_MIN && length <= STACK_FRAME_MAX);
    if (bytes[12] == 8 && bytes[13] == 0 && ip[9] == TCP) {
        memcpy(ports, ip + IP_HEADER, sizeof(ports));
        memcpy(sequence, ip + IP_HEADER + 4, sizeof(sequence));
        memcpy(acknowledged, ip + IP_HEADER + 8, sizeof(acknowledged));
    }
    answered |= bytes[12] == 8 && bytes[13] == 0 && ip[9] == 1 && ip[IP_HEADER] == 0 &&
                ip[IP_HEADER + 4] == 0x5a;
    return true;
}

static void put16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static void put32(uint8_t *to, uint32_t value)
{
    put16(to, value >> 16);
    put16(to + 2, value);
}

static uint16_t checksum(const uint8_t *bytes, size_t length, uint32_t sum)
{
    for (size_t i = 0; i < length; i++) {
        sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
    }
    while (sum > UINT16_MAX) {
        sum = (sum & UINT16_MAX) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

static void put_checksums(uint8_t *ip, size_t length)
{
    const size_t body = length - IP_HEADER;
    const size_t at = ip[9] == TCP ? 16 : ip[9] == 1 ? 2 : 6;
    uint32_t pseudo = 0;

    if (body >= at + 2) {
        if (ip[9] != 1) {
            pseudo = (uint16_t)~checksum(ip + 12, 8, ip[9] + (uint32_t)body);
        }
        put16(ip + IP_HEADER + at, 0);
        put16(ip + IP_HEADER + at, checksum(ip + IP_HEADER, body, pseudo));
    }
    put16(ip + 10, 0);
    put16(ip + 10, checksum(ip, IP_HEADER, 0));
}

/* The stack acknowledged up to `acknowledged`, and its next byte is behind `sequence`. */
static void reply(uint8_t *tcp)
{
    memcpy(tcp, ports + 2, 2);
    memcpy(tcp + 2, ports, 2);
    memcpy(tcp + 4, acknowledged, sizeof(acknowledged));
    memcpy(tcp + 8, sequence, sizeof(sequence));
    for (unsigned i = 4; i > 0 && ++tcp[8 + i - 1] == 0; i--) { /* a SYN or a byte further */
    }
}

static void fit(uint8_t *frame, size_t length, uint8_t choice)
{
    uint8_t *ip = frame + ETHERNET;

    memcpy(frame, own_mac, sizeof(own_mac));
    if (length < ETHERNET + IP_HEADER || frame[12] != 8 || frame[13] != 0) {
        return;
    }
    ip[0] = 0x45;
    put16(ip + 2, (uint32_t)(length - ETHERNET));
    put16(ip + 6, 0);
    put32(ip + 12, OTHER);
    put32(ip + 16, OWN);
    if ((choice & CHOICE_REPLY) != 0 && ip[9] == TCP && length >= ETHERNET + IP_HEADER + 20) {
        reply(ip + IP_HEADER);
    }
    put_checksums(ip, length - ETHERNET);
}

/* In a block of just its length, so that a byte read beyond it is found. */
static void give(const uint8_t *bytes, size_t length, uint8_t choice)
{
    uint8_t *frame = malloc(length);

    demand(frame != NULL);
    memcpy(frame, bytes, length);
    if ((choice & CHOICE_FIT) != 0 && length >= ETHERNET) {
        fit(frame, length, choice);
    }
    stack_input(interface, frame, (uint32_t)length);
    free(frame);
}

static void pass_time(uint64_t ms)
{
    for (const uint64_t end = clock_ms + ms; clock_ms < end; clock_ms += STEP_MS) {
        stack_poll();
    }
}

static bool read_export(void *argument, uint64_t offset, uint8_t *to, uint32_t length)
{
    (void)argument;
    memset(to, (int)offset, length);
    return true;
}

static void begin(void)
{
    static const struct nbd_export export = {
        .name = "BENCH.DAT", .bytes = 1 << 20, .read = read_export};
    static void *memory;
    struct stack_link link = {.send = take_sent};

    memory = memory != NULL ? memory : aligned_alloc(64, stack_bytes());
    demand(memory != NULL);
    memset(memory, 0, stack_bytes());
    memcpy(link.mac, own_mac, sizeof(own_mac));
    demand(stack_begin(memory, now_ms, 1) == NULL);
    interface = stack_add(&link, OWN, 24, 0);
    demand(interface != NULL && services_begin(0) && nbd_serve(&export));
    memset(ports, 0, sizeof(ports));
    answered = false;
}

/* An ARP answer, so that the stack knows where to send, and an echo request. */
static void ask_for_echo(void)
{
    uint8_t frame[FRAME_MIN] = {0};
    static const uint8_t arp[] = {8, 6, 0, 1, 8, 0, 6, 4, 0, 2};

    memcpy(frame, own_mac, sizeof(own_mac));
    memcpy(frame + 6, other_mac, sizeof(other_mac));
    memcpy(frame + 12, arp, sizeof(arp));
    memcpy(frame + 22, other_mac, sizeof(other_mac));
    put32(frame + 28, OTHER);
    memcpy(frame + 32, own_mac, sizeof(own_mac));
    put32(frame + 38, OWN);
    give(frame, sizeof(frame), 0);
    memset(frame + 14, 0, sizeof(frame) - 14);
    put16(frame + 12, 0x0800);
    frame[ETHERNET + 8] = 64;
    frame[ETHERNET + 9] = 1;
    frame[ETHERNET + IP_HEADER] = ICMP_BYTES;
    frame[ETHERNET + IP_HEADER + 4] = 0x5a;
    give(frame, sizeof(frame), CHOICE_FIT);
    stack_poll();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    for (unsigned i = 0; size > 3 && i < FRAMES_MAX; i++) {
        const uint8_t choice = data[0];
        const size_t wanted = (size_t)(data[1] << 8 | data[2]) % (STACK_FRAME_MAX + 1);
        const size_t length = wanted < size - 3 ? wanted : size - 3;

        if ((choice & CHOICE_TIME) != 0) {
            pass_time(STEP_MS);
        }
        give(data + 3, length, choice);
        stack_poll();
        data += 3 + length;
        size -= 3 + length;
    }
    pass_time(LONG_MS);
    ask_for_echo();
    demand(answered);
    stack_end();
    return 0;
}
