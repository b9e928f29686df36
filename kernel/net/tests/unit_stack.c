/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack and its services, kernel/net/: two interfaces of one stack joined by a wire in
 * memory, with a clock that the test moves. Loss is the test's, frame by frame.
 */
#include "kernel/net/stack.h"

#include <stdlib.h>

#include "kernel/net/services.h"
#include "lwip/icmp.h"
#include "lwip/inet_chksum.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/raw.h"
#include "lwip/stats.h"
#include "lwip/tcp.h"
#include "lwip/udp.h"
#include "tools/tests/support/unit.h"

#define OWN       0x0a090001u
#define OTHER     0x0a090002u
#define FRAMES    1024 /* on the wire at most */
#define BULK      (1024 * 1024)
#define ETHERNET  14
#define TURNS_MAX 400000

struct frame {
    unsigned to;
    uint32_t length;
    uint8_t bytes[STACK_FRAME_MAX];
};

static struct frame wire[FRAMES];
static size_t wire_first;
static size_t wire_count;
static struct stack_interface *ends[2];
static void *memory;
static uint64_t clock_ms;
/* TCP frames with data: which are lost. */
static uint32_t lose_each; /* 0: none */
static uint64_t data_frames;
static uint64_t frames;
static uint64_t lost;

static uint64_t now_ms(void)
{
    return clock_ms;
}

static bool carries_data(const uint8_t *bytes)
{
    const uint8_t *ip = bytes + ETHERNET;
    uint32_t ip_bytes = (uint32_t)(ip[2] << 8 | ip[3]);
    uint32_t head = 20 + (uint32_t)(ip[32] >> 4) * 4;

    return bytes[12] == 8 && bytes[13] == 0 && ip[9] == IP_PROTO_TCP && ip_bytes > head;
}

static bool put_on_wire(void *argument, const uint8_t *bytes, uint32_t length)
{
    struct frame *frame;

    CHECK(length >= 60 && length <= STACK_FRAME_MAX);
    CHECK(wire_count < FRAMES);
    frames++;
    if (lose_each != 0 && carries_data(bytes) && ++data_frames % lose_each == 0) {
        lost++;
        return true;
    }
    frame = &wire[(wire_first + wire_count++) % FRAMES];
    frame->to = 1 - *(const unsigned *)argument;
    frame->length = length;
    memcpy(frame->bytes, bytes, length);
    return true;
}

static void begin(uint32_t window)
{
    static unsigned numbers[2] = {0, 1};

    if (memory == NULL) {
        memory = aligned_alloc(64, stack_bytes());
    }
    memset(memory, 0, stack_bytes());
    wire_count = 0;
    lose_each = 0;
    data_frames = 0;
    frames = 0;
    lost = 0;
    CHECK(stack_begin(memory, now_ms, 1) == NULL);
    for (unsigned i = 0; i < 2; i++) {
        struct stack_link link = {{2, 0, 0, 0, 0, (uint8_t)i}, put_on_wire, &numbers[i]};

        ends[i] = stack_add(&link, OWN + i, 24, 0);
        CHECK(ends[i] != NULL);
    }
    CHECK(services_begin(window));
}

static void turn(void)
{
    if (wire_count > 0) {
        struct frame *frame = &wire[wire_first];

        wire_first = (wire_first + 1) % FRAMES;
        wire_count--;
        stack_input(ends[frame->to], frame->bytes, frame->length);
    } else {
        uint32_t sleep = stack_sleep_ms();

        CHECK(sleep != UINT32_MAX);
        clock_ms += sleep;
    }
    stack_poll();
}

static void until(const bool *done)
{
    for (int i = 0; i < TURNS_MAX && !*done; i++) {
        turn();
    }
    CHECK(*done);
}

static void settle(void)
{
    while (wire_count > 0 || stack_sleep_ms() == 0) {
        turn();
    }
}

static ip_addr_t address_of(uint32_t address)
{
    ip_addr_t ip = {lwip_htonl(address)};

    return ip;
}

/* ---- ICMP ---- */

static bool answered;

static u8_t ping_answered(void *argument, struct raw_pcb *pcb, struct pbuf *packet,
                          const ip_addr_t *from)
{
    uint8_t echo[8];

    (void)argument;
    (void)pcb;
    pbuf_copy_partial(packet, echo, sizeof echo, 20);
    if (echo[0] != ICMP_ER) {
        return 0;
    }
    CHECK_EQUAL(lwip_ntohl(from->addr), OTHER);
    answered = true;
    pbuf_free(packet);
    return 1;
}

static void ping(struct raw_pcb *pcb, uint16_t length)
{
    ip_addr_t to = address_of(OTHER);
    struct pbuf *packet =
        pbuf_alloc(PBUF_IP, (u16_t)(sizeof(struct icmp_echo_hdr) + length), PBUF_RAM);
    struct icmp_echo_hdr *echo = packet->payload;

    memset(echo, 0, packet->len);
    echo->type = ICMP_ECHO;
    services_fill((uint8_t *)(echo + 1), 0, length);
    echo->chksum = inet_chksum(echo, packet->len);
    answered = false;
    CHECK_EQUAL(raw_sendto(pcb, packet, &to), ERR_OK);
    pbuf_free(packet);
    until(&answered);
}

static void test_ping(void)
{
    struct raw_pcb *pcb;
    ip_addr_t own = address_of(OWN);

    begin(0);
    pcb = raw_new(IP_PROTO_ICMP);
    raw_recv(pcb, ping_answered, NULL);
    CHECK_EQUAL(raw_bind(pcb, &own), ERR_OK);
    ping(pcb, 1);
    ping(pcb, 64);
    ping(pcb, 1472);
}

/* ---- UDP ---- */

static uint8_t got[2048];
static size_t got_bytes;

static void datagram(void *argument, struct udp_pcb *pcb, struct pbuf *packet,
                     const ip_addr_t *from, u16_t port)
{
    (void)argument;
    (void)pcb;
    CHECK_EQUAL(lwip_ntohl(from->addr), OTHER);
    CHECK_EQUAL(port, SERVICE_ECHO);
    got_bytes = pbuf_copy_partial(packet, got, packet->tot_len, 0);
    answered = true;
    pbuf_free(packet);
}

static void test_udp(void)
{
    static const uint16_t lengths[] = {1, 18, 64, 1472};
    ip_addr_t own = address_of(OWN);
    ip_addr_t to = address_of(OTHER);
    struct udp_pcb *pcb;

    begin(0);
    pcb = udp_new();
    CHECK_EQUAL(udp_bind(pcb, &own, 0), ERR_OK);
    udp_recv(pcb, datagram, NULL);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, lengths[i], PBUF_RAM);

        services_fill(packet->payload, i, lengths[i]);
        answered = false;
        CHECK_EQUAL(udp_sendto(pcb, packet, &to, SERVICE_ECHO), ERR_OK);
        pbuf_free(packet);
        until(&answered);
        CHECK_EQUAL(got_bytes, lengths[i]);
        CHECK_EQUAL(services_check(got, i, got_bytes), got_bytes);
    }
    CHECK_EQUAL(services_counts()->datagrams, 4);
}

/* ---- TCP ---- */

struct client {
    struct tcp_pcb *pcb;
    uint32_t window;
    bool connected;
    bool done;
    uint64_t wanted;
    uint64_t sent; /* given to lwIP */
    uint64_t acknowledged;
    uint64_t received;
    uint64_t most; /* ever on the way */
};

static err_t connected(void *argument, struct tcp_pcb *pcb, err_t error)
{
    struct client *client = argument;

    CHECK_EQUAL(error, ERR_OK);
    services_bound_window(pcb, client->window);
    client->connected = true;
    return ERR_OK;
}

static err_t received(void *argument, struct tcp_pcb *pcb, struct pbuf *packet, err_t error)
{
    struct client *client = argument;

    CHECK_EQUAL(error, ERR_OK);
    CHECK(packet != NULL);
    for (const struct pbuf *part = packet; part != NULL; part = part->next) {
        CHECK_EQUAL(services_check(part->payload, client->received, part->len), part->len);
        client->received += part->len;
    }
    tcp_recved(pcb, packet->tot_len);
    pbuf_free(packet);
    client->done = client->received >= client->wanted;
    return ERR_OK;
}

static void connect_client(struct client *client, uint16_t port)
{
    ip_addr_t own = address_of(OWN);
    ip_addr_t to = address_of(OTHER);

    client->pcb = tcp_new();
    tcp_arg(client->pcb, client);
    tcp_recv(client->pcb, received);
    tcp_nagle_disable(client->pcb);
    CHECK_EQUAL(tcp_bind(client->pcb, &own, 0), ERR_OK);
    CHECK_EQUAL(tcp_connect(client->pcb, &to, port, connected), ERR_OK);
    until(&client->connected);
}

static void close_client(struct client *client)
{
    tcp_arg(client->pcb, NULL);
    tcp_recv(client->pcb, NULL);
    tcp_sent(client->pcb, NULL);
    CHECK(services_close(client->pcb));
    settle();
}

static void write_some(struct client *client)
{
    static uint8_t bytes[1024];
    uint32_t room = tcp_sndbuf(client->pcb);

    while (room >= sizeof bytes && client->sent < client->wanted) {
        services_fill(bytes, client->sent, sizeof bytes);
        if (tcp_write(client->pcb, bytes, sizeof bytes, TCP_WRITE_FLAG_COPY) != ERR_OK) {
            break;
        }
        client->sent += sizeof bytes;
        room -= sizeof bytes;
    }
    CHECK_EQUAL(tcp_output(client->pcb), ERR_OK);
}

static err_t acknowledged(void *argument, struct tcp_pcb *pcb, u16_t length)
{
    struct client *client = argument;

    (void)pcb;
    client->acknowledged += length;
    write_some(client);
    client->done = client->acknowledged == client->wanted;
    return ERR_OK;
}

static void test_echo(void)
{
    static const uint16_t lengths[] = {1, 64, 1460};
    struct client client = {0};

    begin(0);
    connect_client(&client, SERVICE_ECHO);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint8_t bytes[1460];

        services_fill(bytes, client.wanted, lengths[i]);
        client.wanted += lengths[i];
        client.done = false;
        CHECK_EQUAL(tcp_write(client.pcb, bytes, lengths[i], TCP_WRITE_FLAG_COPY), ERR_OK);
        CHECK_EQUAL(tcp_output(client.pcb), ERR_OK);
        until(&client.done);
    }
    close_client(&client);
    CHECK_EQUAL(services_counts()->echoed, 1 + 64 + 1460);
    CHECK_EQUAL(services_counts()->connections, 1);
    CHECK(tcp_active_pcbs == NULL);
}

static struct stack_counts bulk_to(uint32_t window)
{
    struct client client = {.wanted = BULK};
    struct stack_counts counts;

    connect_client(&client, SERVICE_DISCARD);
    CHECK_EQUAL(client.pcb->snd_wnd, window == 0 || window > 65535 ? 65535 : window);
    tcp_sent(client.pcb, acknowledged);
    write_some(&client);
    until(&client.done);
    close_client(&client);
    CHECK_EQUAL(services_counts()->discarded, BULK);
    CHECK_EQUAL(services_counts()->wrong, 0);
    stack_get_counts(&counts);
    return counts;
}

static void test_bulk_to(void)
{
    static const uint32_t windows[] = {0, 4096, 16384, 65536, 131072};

    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        struct stack_counts counts;

        begin(windows[i]);
        counts = bulk_to(windows[i]);
        CHECK_EQUAL(counts.retransmitted, 0);
        CHECK_EQUAL(counts.dropped, 0);
        CHECK_EQUAL(counts.no_memory, 0);
    }
}

static void test_bulk_from(void)
{
    static const uint32_t windows[] = {0, 4096, 65536};

    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        struct client client = {.wanted = BULK, .window = windows[i]};

        begin(0);
        connect_client(&client, SERVICE_SOURCE);
        until(&client.done);
        close_client(&client);
        CHECK(services_counts()->sourced >= BULK);
    }
}

/* Data arrive whole, and what is counted as sent again is what was lost. */
static void test_loss(void)
{
    struct stack_counts counts;

    begin(16384);
    lose_each = 100;
    counts = bulk_to(16384);
    CHECK(lost >= BULK / 1460 / 100);
    CHECK_EQUAL(counts.retransmitted, lost);
}

static void test_loop(void)
{
    ip_addr_t to = address_of(0x7f000001);
    struct client client = {.wanted = BULK};

    begin(0);
    client.pcb = tcp_new();
    tcp_arg(client.pcb, &client);
    tcp_sent(client.pcb, acknowledged);
    CHECK_EQUAL(tcp_connect(client.pcb, &to, SERVICE_DISCARD, connected), ERR_OK);
    CHECK_EQUAL(stack_sleep_ms(), 0);
    until(&client.connected);
    write_some(&client);
    until(&client.done);
    CHECK_EQUAL(frames, 2); /* what the interfaces announced when they came up */
    CHECK_EQUAL(services_counts()->discarded, BULK);
}

static void test_what_comes_in_badly(void)
{
    uint8_t bytes[STACK_FRAME_MAX + 1] = {0};
    struct stack_counts counts;

    begin(0);
    stack_input(ends[0], bytes, 0);
    stack_input(ends[0], bytes, 13);
    stack_input(ends[0], bytes, sizeof bytes);
    stack_input(ends[0], bytes, 60); /* of no protocol */
    stack_get_counts(&counts);
    CHECK_EQUAL(counts.dropped, 4);
    stack_end();
    stack_input(ends[0], bytes, 60);
    stack_poll();
    CHECK_EQUAL(stack_sleep_ms(), UINT32_MAX);
}

/* A session of iperf that was cut off by the end of a stack does not exist in the next stack. */
static void test_iperf_again(void)
{
    for (int i = 0; i < 3; i++) {
        struct client client = {0};

        begin(0);
        connect_client(&client, SERVICE_IPERF);
        CHECK_EQUAL(tcp_write(client.pcb, wire[0].bytes, 1000, TCP_WRITE_FLAG_COPY), ERR_OK);
        CHECK_EQUAL(tcp_output(client.pcb), ERR_OK);
        settle();
        if (i > 0) {
            close_client(&client);
        }
    }
}

/* Two stacks one after the other: nothing of the first is left. */
static void test_again(void)
{
    struct client client = {0};

    begin(0);
    connect_client(&client, SERVICE_ECHO);
    begin(0);
    CHECK(tcp_active_pcbs == NULL);
    client = (struct client){0};
    connect_client(&client, SERVICE_ECHO);
    close_client(&client);
}

static void test_no_memory(void)
{
    struct stack_counts counts;
    struct pbuf *first = NULL;
    struct pbuf *packet;

    begin(0);
    while ((packet = pbuf_alloc(PBUF_RAW, 1514, PBUF_RAM)) != NULL) {
        packet->next = first;
        first = packet;
    }
    stack_get_counts(&counts);
    CHECK_EQUAL(counts.no_memory, 1);
    stack_input(ends[0], wire[0].bytes, 1514);
    stack_get_counts(&counts);
    CHECK_EQUAL(counts.no_memory, 2);
    CHECK(pbuf_alloc(PBUF_RAW, 60000, PBUF_RAM) == NULL);
    packet = first;
    first = packet->next;
    packet->next = NULL;
    pbuf_free(packet);
    CHECK(pbuf_alloc(PBUF_RAW, 1514, PBUF_RAM) == packet);
}

/* Eight bytes at a time, or one by one: from each place on, of each length. */
static void test_bytes(void)
{
    uint8_t bytes[40];

    for (uint64_t at = 0; at < 9; at++) {
        for (size_t length = 0; length <= sizeof(bytes); length++) {
            services_fill(bytes, at, length);
            CHECK_EQUAL(services_check(bytes, at, length), length);
            for (size_t i = 0; i < length; i++) {
                CHECK_EQUAL(bytes[i], services_byte(at + i));
                bytes[i] ^= 1;
                CHECK_EQUAL(services_check(bytes, at, length), i);
                bytes[i] ^= 1;
            }
        }
    }
    CHECK(services_check((const uint8_t *)"no such bytes", 0, 13) < 13);
}

static void test_texts(void)
{
    CHECK_TEXT(stack_error_text(ERR_RST), "connection reset");
    CHECK_TEXT(stack_error_text(ERR_MEM), "no memory");
    CHECK_TEXT(stack_error_text(-100), "an unknown error");
}

int main(void)
{
    RUN(test_ping());
    RUN(test_udp());
    RUN(test_echo());
    RUN(test_bulk_to());
    RUN(test_bulk_from());
    RUN(test_loss());
    RUN(test_loop());
    RUN(test_what_comes_in_badly());
    RUN(test_iperf_again());
    RUN(test_again());
    RUN(test_no_memory());
    RUN(test_bytes());
    RUN(test_texts());
    free(memory);
    return unit_finish("unit_stack");
}
