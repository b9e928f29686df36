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
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/disk/names.h"
#include "bench/network/names.h"
#include "kernel/net/nbd.h"
#include "kernel/net/services.h"
#include "kernel/run/names.h"
#include "tools/linux/host_pairs.h"
#include "tools/linux/host_trials.h"

#define BLOCK      65536
#define MESSAGE    16384
#define FILE_BYTES 262144 /* of the file that is read */
#define PAGE       4096
#define KIB        1024
#define RAW_BYTES  13 /* with the header of ICMP as long as a TCP header and one byte */
#define ECHO_ID    0x7461
#define SEGMENT    (NBD_REPLY_BYTES + PAGE)

static struct {
    struct sockaddr_in address; /* of the other end */
    int listener;
    pid_t child;
    int socket;      /* this end's; -1: none */
    size_t bytes;    /* of a message there and back, or of the file that is read */
    uint64_t offset; /* of the page that was read last */
    uint8_t out[BLOCK], in[BLOCK];
} end;

/* ---- both ends ---- */

/* Makes a socket that sends at once what is written to it. */
static int opened(int type)
{
    const int made = socket(AF_INET, type, 0);
    const int one = 1;

    if (type == SOCK_STREAM) {
        setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    }
    return made;
}

static bool connect_end(int type)
{
    end.socket = opened(type);
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

static bool receive_all(int from, void *bytes, size_t length)
{
    return recv(from, bytes, length, MSG_WAITALL) == (ssize_t)length;
}

/* ---- the other end ---- */

static void echo_datagrams(void *argument)
{
    socklen_t length = sizeof(end.address);
    ssize_t got;

    (void)argument;
    while ((got = recvfrom(end.listener, end.in, sizeof(end.in), 0, (struct sockaddr *)&end.address,
                           &length)) >= 0) {
        sendto(end.listener, end.in, (size_t)got, 0, (struct sockaddr *)&end.address, length);
    }
}

/* Accepts connections one after the other, and answers each message. */
static void accept_all(void *argument)
{
    bool (*const *answer)(int connection, size_t got) = argument;
    const int one = 1;
    int connection;

    while ((connection = accept(end.listener, NULL, NULL)) >= 0) {
        ssize_t got;

        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        while ((got = recv(connection, end.in, sizeof(end.in), 0)) > 0 &&
               (*answer)(connection, (size_t)got)) {
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

/* Starts the other end, a process with a bound socket that answers each message of a connection by
 * `answer`, or echoes datagrams if that is NULL. */
static void open_end(bool (*answer)(int connection, size_t got), bool connects)
{
    const int type = answer != NULL ? SOCK_STREAM : SOCK_DGRAM;
    socklen_t length = sizeof(end.address);

    end.address = (struct sockaddr_in){.sin_family = AF_INET};
    end.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    end.socket = end.child = -1;
    end.listener = opened(type);
    if (host_check(bind(end.listener, (struct sockaddr *)&end.address, length) == 0 &&
                       getsockname(end.listener, (struct sockaddr *)&end.address, &length) == 0 &&
                       (type != SOCK_STREAM || listen(end.listener, 1) == 0),
                   "a socket of loop-back")) {
        end.child =
            answer != NULL ? host_child(accept_all, &answer) : host_child(echo_datagrams, NULL);
        host_check(!connects || connect_end(type), "a connection by loop-back");
    }
}

static void only_loopback(const struct bench_run *run)
{
    bench_absent(run, PATH_PAIR, "Linux sends packets between its own addresses by loop-back");
    bench_absent(run, PATH_REMOTE, "the benches of Linux use loop-back only");
}

/* ---- rtt ---- */

/* Sends `bytes` and waits until as many are back. */
static bool make_trip(void *argument)
{
    (void)argument;
    return send_all(end.socket, end.out, end.bytes) && receive_all(end.socket, end.in, end.bytes);
}

static void time_trips(const char *protocol, bool (*answer)(int connection, size_t got))
{
    static const size_t sizes[] = {64, KIB};
    char name[HOST_NAME_BYTES];

    open_end(answer, true);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && host_good(); i++) {
        end.bytes = sizes[i];
        services_fill(end.out, sizes[i], end.bytes);
        snprintf(name, sizeof(name), SERIES_RTT "." PATH_LOOPBACK ".%s.%zu", protocol, end.bytes);
        host_cost(name, make_trip, NULL);
        errno = EBADMSG;
        host_check(services_check(end.in, sizes[i], end.bytes) == end.bytes, "what was sent");
    }
    close_end();
}

static enum bench_state run_rtt(struct bench_run *run)
{
    host_begin(run);
    only_loopback(run);
    time_trips(PROTOCOL_UDP, NULL);
    time_trips(PROTOCOL_TCP, answer_echo);
    return host_end();
}

static const struct bench rtt = {
    .name = BENCH_RTT,
    .group = GROUP_NETWORK,
    .summary = "round trips by UDP and TCP sockets of Linux, by size",
    .unit = UNIT_TICK,
    .needs = NEED_CLOCK,
    .params = host_params,
    .run = run_rtt,
};
BENCH_REGISTER(rtt);

/* ---- netbandwidth ---- */

/* Sends a block, and waits until all of it has been read. */
static bool send_block(void *argument)
{
    bool good = true;

    (void)argument;
    for (size_t left = BLOCK; good && left > 0; left -= MESSAGE) {
        end.out[MESSAGE - 1] = left == MESSAGE;
        good = send_all(end.socket, end.out, MESSAGE);
    }
    return good && receive_all(end.socket, end.in, 1);
}

static enum bench_state run_bandwidth(struct bench_run *run)
{
    host_begin(run);
    only_loopback(run);
    memset(end.out, 0, sizeof(end.out));
    open_end(answer_last, true);
    host_cost(SERIES_NET_BLOCK "." PATH_LOOPBACK ".65536.16384", send_block, NULL);
    close_end();
    return host_end();
}

static const struct bench netbandwidth = {
    .name = BENCH_NETBANDWIDTH,
    .group = GROUP_NETWORK,
    .summary = "blocks of 64 KiB by a TCP socket of Linux, each until all of it was read",
    .unit = UNIT_TICK,
    .needs = NEED_CLOCK,
    .params = host_params,
    .run = run_bandwidth,
};
BENCH_REGISTER(netbandwidth);

/* ---- connection ---- */

/* A connection: set up, one byte there and back, torn down by both ends. */
static bool connect_once(void *argument)
{
    uint8_t byte = 0;

    (void)argument;
    const bool good = connect_end(SOCK_STREAM) && send_all(end.socket, &byte, 1) &&
                      receive_all(end.socket, &byte, 1) && shutdown(end.socket, SHUT_WR) == 0 &&
                      recv(end.socket, &byte, 1, 0) == 0;

    return close(end.socket) == 0 && good;
}

/* Sends an ICMP echo request that is as long as a TCP segment of one byte, and gets the reply. */
static bool ping(void *argument)
{
    static const struct icmphdr header = {.type = ICMP_ECHO, .un.echo.id = ECHO_ID};
    uint8_t packet[sizeof(header) + RAW_BYTES] = {0};
    uint8_t answer[KIB];
    const int icmp = *(const int *)argument;
    /* The sum of the words that are not 0, without a carry. */
    const uint16_t sum = (uint16_t) ~(ICMP_ECHO + ECHO_ID);

    memcpy(packet, &header, sizeof(header));
    memcpy(packet + offsetof(struct icmphdr, checksum), &sum, sizeof(sum));
    return sendto(icmp, packet, sizeof(packet), 0, (struct sockaddr *)&end.address,
                  sizeof(end.address)) == sizeof(packet) &&
           recv(icmp, answer, sizeof(answer), 0) >= (ssize_t)sizeof(packet);
}

static void time_raw(const struct bench_run *run, struct host_pairs *raw)
{
    const uint32_t only_replies = ~(1u << ICMP_ECHOREPLY);
    int icmp = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

    raw->trials = icmp < 0 ? 0 : raw->trials;
    if (icmp < 0) {
        bench_absent(run, SERIES_RAW, strerror(errno));
        bench_absent(run, SERIES_OVERHEAD, "only root may send a raw packet");
        return;
    }
    setsockopt(icmp, SOL_RAW, ICMP_FILTER, &only_replies, sizeof(only_replies));
    host_time(raw, 0, ping, &icmp);
    host_publish(SERIES_RAW "." PATH_LOOPBACK, raw);
    close(icmp);
}

/* Publishes `overhead`: in each trial the cost of a connection less that of a raw packet. It is
 * absent if Linux disturbed one of them. */
static void publish_overhead(const struct bench_run *run, const struct host_pairs *tcp,
                             const struct host_pairs *raw)
{
    static const char name[] = SERIES_OVERHEAD "." PATH_LOOPBACK;
    int64_t *overhead = bench_samples(tcp->trials);
    struct host_cost cost;

    if (overhead == NULL || !host_good() || raw->trials == 0) {
        return;
    }
    if (!host_cost_judge(tcp->once, tcp->twice, tcp->trials, 1, &cost) ||
        !host_cost_judge(raw->once, raw->twice, raw->trials, 1, &cost)) {
        bench_absent(run, name, "Linux took the processor away; repeat it when it is idle");
        return;
    }
    for (size_t i = 0; i < tcp->trials; i++) {
        overhead[i] = (tcp->twice[i] - tcp->once[i]) - (raw->twice[i] - raw->once[i]);
    }
    bench_publish(run, name, UNIT_TICK, overhead, tcp->trials);
}

static enum bench_state run_connection(struct bench_run *run)
{
    struct host_pairs tcp;
    struct host_pairs raw;

    host_begin(run);
    only_loopback(run);
    host_open(&tcp, 1);
    host_open(&raw, 1);
    open_end(answer_echo, false);
    host_time(&tcp, 0, connect_once, NULL);
    host_publish(SERIES_TCP "." PATH_LOOPBACK, &tcp);
    time_raw(run, &raw);
    publish_overhead(run, &tcp, &raw);
    close_end();
    return host_end();
}

static const struct bench connection = {
    .name = BENCH_CONNECTION,
    .group = GROUP_NETWORK,
    .summary = "TCP connections of Linux: setup, a byte, teardown; and that minus a raw packet",
    .unit = UNIT_TICK,
    .needs = NEED_CLOCK,
    .params = host_params,
    .run = run_connection,
};
BENCH_REGISTER(connection);

/* ---- remotefile ---- */

/* Reads the next page. */
static bool read_remote(void *argument)
{
    uint8_t request[NBD_REQUEST_BYTES];

    (void)argument;
    end.offset = (end.offset + PAGE) % end.bytes;
    nbd_make_read(request, 1, end.offset, PAGE);
    return send_all(end.socket, request, sizeof(request)) &&
           receive_all(end.socket, end.in, SEGMENT);
}

static enum bench_state run_remotefile(struct bench_run *run)
{
    char name[HOST_NAME_BYTES];

    end.bytes = FILE_BYTES;
    host_begin(run);
    only_loopback(run);
    open_end(answer_nbd, true);
    snprintf(name, sizeof(name), ORDER_SEQUENTIAL_READ "." PATH_LOOPBACK ".%zu", end.bytes);
    host_cost(name, read_remote, NULL);
    errno = EBADMSG;
    host_check(services_check(end.in + NBD_REPLY_BYTES, end.offset, PAGE) == PAGE, "the last page");
    close_end();
    return host_end();
}

static const struct bench remotefile = {
    .name = BENCH_REMOTEFILE,
    .group = GROUP_NETWORK,
    .summary = "pages of a file in another process, by requests of NBD over a TCP socket of Linux",
    .unit = UNIT_TICK,
    .needs = NEED_CLOCK,
    .params = host_params,
    .run = run_remotefile,
};
BENCH_REGISTER(remotefile);
