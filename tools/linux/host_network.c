/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches rtt, netbandwidth, connection and remotefile under Linux: rows 10, 11, 12 and 15 of the
 * report, by sockets of Linux over loop-back; the other end is a process on the same processor.
 * Series have the names of the image's (bench/network/). The spans of a round trip are missing,
 * because a program cannot observe drivers and stack.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/icmp.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/disk/names.h"
#include "bench/network/names.h"
#include "kernel/net/nbd.h"
#include "kernel/net/services.h"
#include "tools/linux/host_pairs.h"

#define BLOCK      65536
#define MESSAGE    16384
#define FILE_BYTES 262144 /* of the file that is read */
#define PAGE       4096
#define KIB        1024
#define RAW_BYTES  13 /* with the header of ICMP as long as a TCP header and one byte */
#define ECHO_ID    0x7461
#define SEGMENT    (NBD_REPLY_BYTES + PAGE)

/* Answers a message of this length, which is in end.in. Returns false to close the connection. */
typedef bool answer_function(int connection, size_t got);

static struct {
    struct sockaddr_in address; /* of the other end */
    answer_function *answer;    /* the other end's, to messages by TCP; NULL: it echoes datagrams */
    int listener;               /* the other end's socket */
    pid_t child;
    int socket;      /* this end's; -1: none */
    size_t bytes;    /* of a message there and back */
    uint64_t offset; /* of the page that was read last */
    uint8_t out[BLOCK], in[BLOCK];
} end;

/* ---- both ends ---- */

/* Makes a socket that sends at once what is written to it, as do those of connections that it
 * accepts. */
static int opened(void)
{
    const int one = 1;
    const int made = socket(AF_INET, end.answer != NULL ? SOCK_STREAM : SOCK_DGRAM, 0);

    if (end.answer != NULL) {
        setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    }
    return made;
}

static bool connect_end(void)
{
    end.socket = opened();
    return connect(end.socket, (struct sockaddr *)&end.address, sizeof(end.address)) == 0;
}

static void close_end(void)
{
    close(end.socket);
    close(end.listener);
    host_end_child(end.child);
}

static bool send_all(int to, const void *bytes, size_t length)
{
    return send(to, bytes, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static bool receive_all(void *bytes, size_t length)
{
    return recv(end.socket, bytes, length, MSG_WAITALL) == (ssize_t)length;
}

/* ---- the other end ---- */

static void echo_datagrams(void)
{
    socklen_t length = sizeof(end.address);
    ssize_t got;

    while ((got = recvfrom(end.listener, end.in, sizeof(end.in), 0, (struct sockaddr *)&end.address,
                           &length)) >= 0) {
        sendto(end.listener, end.in, (size_t)got, 0, (struct sockaddr *)&end.address, length);
    }
}

/* Accepts connections one after the other, and answers each message. */
static void accept_all(void)
{
    int connection;

    while ((connection = accept(end.listener, NULL, NULL)) >= 0) {
        ssize_t got;

        while ((got = recv(connection, end.in, sizeof(end.in), 0)) > 0 &&
               end.answer(connection, (size_t)got)) {
        }
        close(connection);
    }
}

static bool answer_echo(int connection, size_t got)
{
    return send_all(connection, end.in, got);
}

/* A byte that is not 0 asks for an answer when all before it has been read. */
static bool answer_last(int connection, size_t got)
{
    return end.in[got - 1] == 0 || send_all(connection, end.in, 1);
}

/* A request of NBD arrives as one message. Its offset is in bytes 16 to 23, big endian. */
static bool answer_nbd(int connection, size_t got)
{
    static uint8_t reply[SEGMENT];
    uint64_t offset = 0;

    for (size_t i = 16; i < 24; i++) {
        offset = offset << 8 | end.in[i];
    }
    nbd_make_reply(reply, end.in[15], NBD_GOOD);
    services_fill(reply + NBD_REPLY_BYTES, offset, PAGE);
    return got == NBD_REQUEST_BYTES && send_all(connection, reply, sizeof(reply));
}

/* Starts the other end, a process with a bound socket. */
static void open_end(answer_function *answer)
{
    socklen_t length = sizeof(end.address);

    end.answer = answer;
    end.address = (struct sockaddr_in){.sin_family = AF_INET};
    end.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    end.socket = end.child = -1;
    end.listener = opened();
    if (host_check(bind(end.listener, (struct sockaddr *)&end.address, length) == 0 &&
                       getsockname(end.listener, (struct sockaddr *)&end.address, &length) == 0 &&
                       (answer == NULL || listen(end.listener, 1) == 0),
                   "a socket of loop-back")) {
        end.child = host_child(answer != NULL ? accept_all : echo_datagrams);
    }
}

/* Starts the other end, and connects to it. */
static void open_both(answer_function *answer)
{
    open_end(answer);
    host_check(connect_end(), "a connection by loop-back");
}

static void only_loopback(const struct bench_run *run)
{
    bench_absent(run, PATH_PAIR, "Linux sends packets between its own addresses by loop-back");
    bench_absent(run, PATH_REMOTE, "the benches of Linux use loop-back only");
}

/* Checks that `bytes` have the contents that services_fill() makes of `offset`. */
static void check_contents(const uint8_t *bytes, uint64_t offset, size_t length)
{
    errno = EBADMSG;
    host_check(services_check(bytes, offset, length) == length, "what was sent");
}

/* Sends a message and waits until as much is back. */
static bool make_trip(void)
{
    return send_all(end.socket, end.out, end.bytes) && receive_all(end.in, end.bytes);
}

static void time_trips(const char *name, size_t bytes)
{
    end.bytes = bytes;
    services_fill(end.out, bytes, bytes);
    host_cost(name, make_trip);
    check_contents(end.in, bytes, bytes);
}

static void measure_rtt(struct bench_run *run)
{
    only_loopback(run);
    open_both(NULL);
    time_trips(SERIES_RTT "." PATH_LOOPBACK "." PROTOCOL_UDP ".64", 64);
    time_trips(SERIES_RTT "." PATH_LOOPBACK "." PROTOCOL_UDP ".1024", KIB);
    close_end();
    open_both(answer_echo);
    time_trips(SERIES_RTT "." PATH_LOOPBACK "." PROTOCOL_TCP ".64", 64);
    time_trips(SERIES_RTT "." PATH_LOOPBACK "." PROTOCOL_TCP ".1024", KIB);
    close_end();
}

HOST_BENCH(rtt, BENCH_RTT, GROUP_NETWORK, "round trips by UDP and TCP sockets of Linux, by size");

/* Sends a block, and waits until all of it has been read. */
static bool send_block(void)
{
    bool good = true;

    for (size_t left = BLOCK; good && left > 0; left -= MESSAGE) {
        end.out[MESSAGE - 1] = left == MESSAGE;
        good = send_all(end.socket, end.out, MESSAGE);
    }
    return good && receive_all(end.in, 1);
}

static void measure_netbandwidth(struct bench_run *run)
{
    only_loopback(run);
    memset(end.out, 0, sizeof(end.out));
    open_both(answer_last);
    host_cost(SERIES_NET_BLOCK "." PATH_LOOPBACK ".65536.16384", send_block);
    close_end();
}

HOST_BENCH(netbandwidth, BENCH_NETBANDWIDTH, GROUP_NETWORK,
           "blocks of 64 KiB by a TCP socket of Linux, each until all of it was read");

/* A connection: set up, one byte there and back, torn down by both ends. */
static bool connect_once(void)
{
    uint8_t byte = 0;
    const bool good = connect_end() && send_all(end.socket, &byte, 1) && receive_all(&byte, 1) &&
                      shutdown(end.socket, SHUT_WR) == 0 && recv(end.socket, &byte, 1, 0) == 0;

    return close(end.socket) == 0 && good;
}

/* Sends an ICMP echo request that is as long as a TCP segment of one byte, and gets the reply. */
static bool ping(void)
{
    static const struct icmphdr header = {.type = ICMP_ECHO, .un.echo.id = ECHO_ID};
    uint8_t packet[sizeof(header) + RAW_BYTES] = {0};
    uint8_t answer[KIB];
    /* The sum of the words that are not 0, without a carry. */
    const uint16_t sum = (uint16_t) ~(ICMP_ECHO + ECHO_ID);

    memcpy(packet, &header, sizeof(header));
    memcpy(packet + offsetof(struct icmphdr, checksum), &sum, sizeof(sum));
    return sendto(end.socket, packet, sizeof(packet), 0, (struct sockaddr *)&end.address,
                  sizeof(end.address)) == sizeof(packet) &&
           recv(end.socket, answer, sizeof(answer), 0) >= (ssize_t)sizeof(packet);
}

/* Publishes `overhead`: in each trial the cost of a connection less that of a raw packet. It is
 * absent if Linux disturbed one of them. */
static void publish_overhead(const struct host_pairs *tcp, const struct host_pairs *raw)
{
    static const char name[] = SERIES_OVERHEAD "." PATH_LOOPBACK;
    struct host_pairs overhead;

    host_open(&overhead, 1);
    if (!host_good() || !host_undisturbed(name, tcp) || !host_undisturbed(name, raw)) {
        return;
    }
    for (size_t i = 0; i < tcp->trials; i++) {
        overhead.once[i] = (tcp->twice[i] - tcp->once[i]) - (raw->twice[i] - raw->once[i]);
    }
    overhead.twice = NULL;
    host_publish(name, &overhead);
}

static void measure_connection(struct bench_run *run)
{
    const uint32_t only_replies = ~(1u << ICMP_ECHOREPLY);
    struct host_pairs tcp;
    struct host_pairs raw;

    only_loopback(run);
    host_open(&tcp, 1);
    host_open(&raw, 1);
    open_end(answer_echo);
    host_time(&tcp, 0, connect_once);
    host_publish(SERIES_TCP "." PATH_LOOPBACK, &tcp);
    end.socket = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
    if (end.socket < 0) {
        bench_absent(run, SERIES_RAW, strerror(errno));
        bench_absent(run, SERIES_OVERHEAD, "only root may send a raw packet");
    } else {
        setsockopt(end.socket, SOL_RAW, ICMP_FILTER, &only_replies, sizeof(only_replies));
        host_time(&raw, 0, ping);
        host_publish(SERIES_RAW "." PATH_LOOPBACK, &raw);
        publish_overhead(&tcp, &raw);
    }
    close_end();
}

HOST_BENCH(connection, BENCH_CONNECTION, GROUP_NETWORK,
           "TCP connections of Linux: setup, a byte, teardown; and that minus a raw packet");

/* Reads the next page. */
static bool read_remote(void)
{
    uint8_t request[NBD_REQUEST_BYTES];

    end.offset = (end.offset + PAGE) % FILE_BYTES;
    nbd_make_read(request, 1, end.offset, PAGE);
    return send_all(end.socket, request, sizeof(request)) && receive_all(end.in, SEGMENT);
}

static void measure_remotefile(struct bench_run *run)
{
    only_loopback(run);
    open_both(answer_nbd);
    host_cost(ORDER_SEQUENTIAL_READ "." PATH_LOOPBACK ".262144", read_remote);
    check_contents(end.in + NBD_REPLY_BYTES, end.offset, PAGE);
    close_end();
}

HOST_BENCH(remotefile, BENCH_REMOTEFILE, GROUP_NETWORK,
           "pages of a file in another process, by requests of NBD over a TCP socket of Linux");
