/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hostile network: sends Ethernet frames, random ones and valid ones that are damaged, to a guest
 * at the other end of QEMU's `-netdev dgram`, one a datagram. Between frames it asks for the
 * guest's address by ARP, so that as many frames come in as are sent, and the guest's stack is
 * known to answer from the first frame to the last. The same seed sends the same frames.
 *
 *     frame_storm [OPTION]... PORT GUEST-PORT
 *
 *     PORT              of 127.0.0.1, where this program receives
 *     GUEST-PORT        where QEMU does
 *     --frames N        (default 20000)
 *     --seed N          (default: of the clock)
 *     --address A.B.C.D of the guest (default 10.9.0.1)
 *     --patience S      for the first answer (default 60)
 *     --flood S         instead: sends to a guest that runs for so many seconds, or until it ends,
 * as fast as it can, and asks for nothing
 *
 * Prints what was sent, and how many frames came from the guest.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME_MAX  1600 /* longer than any that is right */
#define FRAME_MIN  60
#define ETHERNET   14
#define IP_HEADER  20
#define BURST      32 /* frames between two questions: what a socket holds */
#define ANSWER_MS  500
#define TRIES      20
#define SECOND_NS  1000000000ull
#define MAC_BYTES  6
#define TYPE_ARP   0x0806
#define TYPE_IP    0x0800
#define ARP_BYTES  28
#define PROTO_ICMP 1
#define PROTO_TCP  6
#define PROTO_UDP  17

static struct {
    int socket;
    uint64_t seed;
    uint64_t draws; /* of xorshift64*: never 0 */
    uint64_t frames;
    uint64_t patience_s;
    uint64_t flood_s; /* 0: none */
    uint32_t address;
    uint8_t mac[MAC_BYTES];
    uint64_t sent, came, again; /* questions that were asked again */
} storm = {.frames = 20000, .patience_s = 60, .address = 0x0a090001};

static const uint8_t own_mac[MAC_BYTES] = {0x52, 0x54, 0, 0x66, 0x66, 0x66};
static const uint16_t ports[] = {7, 9, 19, 5001, 10809};

static uint64_t draw(void)
{
    storm.draws ^= storm.draws >> 12;
    storm.draws ^= storm.draws << 25;
    storm.draws ^= storm.draws >> 27;
    return storm.draws * 0x2545f4914f6cdd1dull >> 16;
}

static bool one_in(unsigned times)
{
    return draw() % times == 0;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* ---- frames ---- */

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

/* RFC 1071. */
static uint32_t sum(const uint8_t *bytes, size_t length, uint32_t begin)
{
    for (size_t i = 0; i < length; i++) {
        begin += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
    }
    return begin;
}

static uint16_t fold(uint32_t total)
{
    while (total > UINT16_MAX) {
        total = (total & UINT16_MAX) + (total >> 16);
    }
    return (uint16_t)~total;
}

static void fill(uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bytes[i] = (uint8_t)draw();
    }
}

static void put_ethernet(uint8_t *frame, const uint8_t *to, uint32_t type)
{
    memcpy(frame, to, MAC_BYTES);
    memcpy(frame + MAC_BYTES, own_mac, MAC_BYTES);
    put16(frame + ETHERNET - 2, type);
}

/* Of the machine that answers are sent to; one in four is another. */
static uint32_t source(void)
{
    return one_in(4) ? (uint32_t)draw() : (storm.address ^ 0x40) + (uint32_t)(draw() % 4);
}

static size_t put_arp(uint8_t *frame, uint32_t operation, uint32_t sender, uint32_t target)
{
    static const uint8_t head[] = {0, 1, 8, 0, MAC_BYTES, 4};
    uint8_t *arp = frame + ETHERNET;

    memset(arp, 0, FRAME_MIN - ETHERNET);
    memcpy(arp, head, sizeof(head));
    put16(arp + 6, operation);
    memcpy(arp + 8, own_mac, MAC_BYTES);
    put32(arp + 14, sender);
    put32(arp + 24, target);
    return FRAME_MIN;
}

/* Header and checksums around a payload of `length` bytes; a quarter is in fragments. */
static void put_ip(uint8_t *ip, uint8_t protocol, size_t length)
{
    memset(ip, 0, IP_HEADER);
    ip[0] = 0x45;
    put16(ip + 2, (uint32_t)(IP_HEADER + length));
    put16(ip + 4, (uint32_t)draw());
    put16(ip + 6, one_in(4) ? (uint32_t)draw() & 0x3fff : 0x4000);
    ip[8] = 64;
    ip[9] = protocol;
    put32(ip + 12, source());
    put32(ip + 16, one_in(16) ? (uint32_t)draw() : storm.address);
}

static size_t put_udp(uint8_t *udp, size_t length)
{
    put16(udp, (uint32_t)draw());
    put16(udp + 2, one_in(2) ? ports[0] : (uint32_t)draw());
    put16(udp + 4, (uint32_t)(8 + length));
    put16(udp + 6, 0);
    return 8 + length;
}

/* Few ports, so that segments meet a connection now and then. */
static size_t put_tcp(uint8_t *tcp, size_t length)
{
    static const uint8_t flags[] = {0x02, 0x10, 0x18, 0x12, 0x11, 0x04, 0x14, 0x3f};
    const size_t words = one_in(4) ? 5 + draw() % 11 : 5;

    put16(tcp, 40000 + (uint32_t)(draw() % 4));
    put16(tcp + 2, one_in(8) ? (uint32_t)draw() : ports[draw() % 5]);
    put32(tcp + 4, one_in(2) ? (uint32_t)(draw() % 4096) : (uint32_t)draw());
    put32(tcp + 8, (uint32_t)draw());
    tcp[12] = (uint8_t)(words << 4);
    tcp[13] = one_in(4) ? (uint8_t)draw() : flags[draw() % sizeof(flags)];
    put16(tcp + 14, (uint32_t)draw());
    put16(tcp + 16, 0);
    put16(tcp + 18, (uint32_t)draw());
    return 4 * words + length;
}

static size_t put_icmp(uint8_t *icmp, size_t length)
{
    memset(icmp, 0, 8);
    icmp[0] = one_in(2) ? 8 : (uint8_t)draw();
    icmp[1] = one_in(4) ? (uint8_t)draw() : 0;
    put32(icmp + 4, (uint32_t)draw());
    return 8 + length;
}

/* The checksums of a packet whose fields may lie. */
static void put_sums(uint8_t *ip, size_t payload)
{
    uint8_t *body = ip + IP_HEADER;
    const uint8_t protocol = ip[9];
    const size_t at = protocol == PROTO_TCP ? 16 : protocol == PROTO_UDP ? 6 : 2;
    const uint32_t pseudo = protocol == PROTO_ICMP ? 0 : protocol + (uint32_t)payload;

    put16(body + at, 0);
    put16(body + at,
          fold(sum(body, payload, protocol == PROTO_ICMP ? 0 : sum(ip + 12, 8, pseudo))));
    put16(ip + 10, 0);
    put16(ip + 10, fold(sum(ip, IP_HEADER, 0)));
}

/* A field with the length of something, or where it begins. */
static void lie(uint8_t *ip)
{
    static const uint8_t fields[] = {0, 2, 3, 6, 7, 24, 25, 32};
    const size_t field = fields[draw() % sizeof(fields)];

    ip[field] = (uint8_t)draw();
}

static size_t make_ip(uint8_t *frame)
{
    static const uint8_t protocols[] = {PROTO_ICMP, PROTO_UDP, PROTO_TCP, PROTO_TCP};
    uint8_t *ip = frame + ETHERNET;
    const uint8_t protocol = protocols[draw() % sizeof(protocols)];
    size_t length = one_in(8) ? draw() % 1400 : draw() % 64;

    fill(ip, IP_HEADER + 60 + length);
    length = protocol == PROTO_TCP   ? put_tcp(ip + IP_HEADER, length)
             : protocol == PROTO_UDP ? put_udp(ip + IP_HEADER, length)
                                     : put_icmp(ip + IP_HEADER, length);
    put_ip(ip, protocol, length);
    if (one_in(3)) {
        lie(ip);
    }
    put_sums(ip, length);
    return ETHERNET + IP_HEADER + length;
}

/* Damaged where no checksum was made for it, or cut off. */
static size_t damage(uint8_t *frame, size_t length)
{
    for (unsigned i = 0; one_in(4) && i < 8; i++) {
        frame[ETHERNET + draw() % (length - ETHERNET)] = (uint8_t)draw();
    }
    return one_in(16) ? 1 + draw() % length : length;
}

static size_t make_frame(uint8_t *frame)
{
    static const uint8_t all[MAC_BYTES] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const unsigned kind = (unsigned)(draw() % 8);
    size_t length = 0;

    if (kind == 0) {
        length = 1 + draw() % FRAME_MAX;
        fill(frame, length);
        if (length > MAC_BYTES && one_in(2)) {
            memcpy(frame, storm.mac, MAC_BYTES);
        }
        return length;
    }
    put_ethernet(frame, one_in(8) ? all : storm.mac, kind == 1 ? TYPE_ARP : TYPE_IP);
    length = kind == 1 ? put_arp(frame, 1 + (uint32_t)(draw() % 3), source(),
                                 one_in(4) ? (uint32_t)draw() : storm.address)
                       : make_ip(frame);
    return damage(frame, length);
}

/* ---- the guest ---- */

static bool send_frame(const uint8_t *frame, size_t length)
{
    return send(storm.socket, frame, length, 0) == (ssize_t)length;
}

/* Is it the guest's answer to a question of `asker`? Then its MAC is learned. */
static bool is_answer(const uint8_t *frame, ssize_t length, uint32_t asker)
{
    uint8_t wanted[4];

    put32(wanted, asker);
    storm.came++;
    if (length < ETHERNET + ARP_BYTES || frame[12] != 8 || frame[13] != 6 || frame[21] != 2 ||
        memcmp(frame + 38, wanted, sizeof(wanted)) != 0) {
        return false;
    }
    memcpy(storm.mac, frame + 22, MAC_BYTES);
    return true;
}

/* Takes all that comes until the answer does. */
static bool await(uint32_t asker)
{
    const uint64_t end = now_ns() + ANSWER_MS * SECOND_NS / 1000;
    uint8_t frame[2 * FRAME_MAX];

    while (now_ns() < end) {
        struct pollfd wait = {storm.socket, POLLIN, 0};

        if (poll(&wait, 1, ANSWER_MS) <= 0) {
            continue;
        }
        const ssize_t length = recv(storm.socket, frame, sizeof(frame), MSG_DONTWAIT);

        if (length > 0 && is_answer(frame, length, asker)) {
            return true;
        }
    }
    return false;
}

/* Each question is by another asker, so that no old answer counts. */
static bool ask(uint64_t tries)
{
    static const uint8_t all[MAC_BYTES] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static uint32_t number;
    uint8_t frame[FRAME_MIN];

    for (uint64_t i = 0; i < tries; i++) {
        const uint32_t asker = (storm.address & 0xffffff00u) | (128 + number++ % 64);

        put_ethernet(frame, all, TYPE_ARP);
        put_arp(frame, 1, asker, storm.address);
        send_frame(frame, sizeof(frame));
        if (await(asker)) {
            storm.again += i;
            return true;
        }
    }
    return false;
}

static bool open_socket(uint16_t own, uint16_t other)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(own)};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    storm.socket = socket(AF_INET, SOCK_DGRAM, 0);
    if (storm.socket < 0 ||
        bind(storm.socket, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        return false;
    }
    address.sin_port = htons(other);
    return connect(storm.socket, (const struct sockaddr *)&address, sizeof(address)) == 0;
}

static int run_storm(void)
{
    uint8_t frame[2 * FRAME_MAX];

    if (!ask(storm.patience_s * 1000 / ANSWER_MS)) {
        fprintf(stderr, "frame_storm: the guest does not answer within %llu s; start it first\n",
                (unsigned long long)storm.patience_s);
        return 1;
    }
    storm.again = 0;
    for (storm.sent = 0; storm.sent < storm.frames;) {
        send_frame(frame, make_frame(frame));
        if (++storm.sent % BURST == 0 && !ask(TRIES)) {
            fprintf(stderr, "frame_storm: seed %llu: the guest is silent behind frame %llu\n",
                    (unsigned long long)storm.seed, (unsigned long long)storm.sent);
            return 1;
        }
    }
    return ask(TRIES) ? 0 : 1;
}

static int run_flood(void)
{
    const uint64_t end = now_ns() + storm.flood_s * SECOND_NS;
    uint8_t frame[2 * FRAME_MAX];

    memset(storm.mac, UINT8_MAX, sizeof(storm.mac));
    while (now_ns() < end && errno != ECONNREFUSED) {
        storm.sent += send_frame(frame, make_frame(frame)) ? 1 : 0;
        storm.came += recv(storm.socket, frame, sizeof(frame), MSG_DONTWAIT) >= 0 ? 1 : 0;
    }
    return 0;
}

static bool take_option(int option, const char *text)
{
    struct in_addr address;

    switch (option) {
    case 'n':
        storm.frames = strtoull(text, NULL, 10);
        return true;
    case 's':
        storm.seed = strtoull(text, NULL, 10);
        return true;
    case 'p':
        storm.patience_s = strtoull(text, NULL, 10);
        return true;
    case 'f':
        storm.flood_s = strtoull(text, NULL, 10);
        return true;
    case 'a':
        if (inet_pton(AF_INET, text, &address) != 1) {
            return false;
        }
        storm.address = ntohl(address.s_addr);
        return true;
    default:
        return false;
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"frames", required_argument, NULL, 'n'},  {"seed", required_argument, NULL, 's'},
        {"address", required_argument, NULL, 'a'}, {"patience", required_argument, NULL, 'p'},
        {"flood", required_argument, NULL, 'f'},   {0}};
    int option = 0;

    storm.seed = now_ns() % 1000000000;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (!take_option(option, optarg)) {
            fprintf(stderr, "frame_storm: see the head of its source for its options\n");
            return 2;
        }
    }
    if (argc - optind != 2 || !open_socket((uint16_t)strtoul(argv[optind], NULL, 10),
                                           (uint16_t)strtoul(argv[optind + 1], NULL, 10))) {
        perror("frame_storm: PORT and GUEST-PORT of 127.0.0.1");
        return 2;
    }
    storm.draws = storm.seed * 2 + 1;
    const int status = storm.flood_s != 0 ? run_flood() : run_storm();

    printf("seed %llu: %llu frames sent, %llu came, %llu questions asked again\n",
           (unsigned long long)storm.seed, (unsigned long long)storm.sent,
           (unsigned long long)storm.came, (unsigned long long)storm.again);
    close(storm.socket);
    return status;
}
