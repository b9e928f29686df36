/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The remote end of the network benches by another stack: Linux's. Runs in the guest of
 * linux_network.sh and serves what kernel/net/services.h has: echo by UDP and TCP (RFC 862, port
 * 7) and discard by TCP (RFC 863, port 9). Ends when it is killed.
 */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/net/services.h"

#define BYTES 65536

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static int listen_at(int type, uint16_t port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    const int one = 1;
    const int socket_at = socket(AF_INET, type, 0);

    if (socket_at < 0 || setsockopt(socket_at, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0 ||
        bind(socket_at, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        (type == SOCK_STREAM && listen(socket_at, 64) != 0)) {
        fail("listen");
    }
    return socket_at;
}

static bool write_all(int to, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(to, bytes, length);

        if (written <= 0) {
            return false;
        }
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

/* In a child: until the other end closes. */
static void serve(int connection, bool echo)
{
    static char bytes[BYTES];
    const int one = 1;
    ssize_t length;

    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    while ((length = read(connection, bytes, sizeof(bytes))) > 0) {
        if (echo && !write_all(connection, bytes, (size_t)length)) {
            break;
        }
    }
    exit(0);
}

static void accept_one(int listener, bool echo)
{
    const int connection = accept(listener, NULL, NULL);

    if (connection < 0) {
        return;
    }
    if (fork() == 0) {
        serve(connection, echo);
    }
    close(connection);
}

static void echo_datagram(int from)
{
    static char bytes[BYTES];
    struct sockaddr_in peer;
    socklen_t size = sizeof(peer);
    const ssize_t length = recvfrom(from, bytes, sizeof(bytes), 0, (struct sockaddr *)&peer, &size);

    if (length >= 0) {
        sendto(from, bytes, (size_t)length, 0, (const struct sockaddr *)&peer, size);
    }
}

/* QEMU 7.2's 82574L does not segment what Linux leaves to it, but makes IP fragments of it
 * (hw/net/net_tx_pkt.c), which no other end expects of TCP. */
static void segment_here(const char *interface)
{
    struct ethtool_value off = {.cmd = ETHTOOL_STSO};
    struct ifreq request = {.ifr_data = (void *)&off};
    const int any = socket(AF_INET, SOCK_DGRAM, 0);

    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
    if (any < 0 || ioctl(any, SIOCETHTOOL, &request) != 0) {
        fail("segmentation offload");
    }
    close(any);
}

int main(void)
{
    struct pollfd waits[] = {
        {.fd = listen_at(SOCK_DGRAM, SERVICE_ECHO), .events = POLLIN},
        {.fd = listen_at(SOCK_STREAM, SERVICE_ECHO), .events = POLLIN},
        {.fd = listen_at(SOCK_STREAM, SERVICE_DISCARD), .events = POLLIN},
    };

    segment_here("eth0");
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    while (poll(waits, 3, -1) > 0) {
        if (waits[0].revents != 0) {
            echo_datagram(waits[0].fd);
        }
        if (waits[1].revents != 0) {
            accept_one(waits[1].fd, true);
        }
        if (waits[2].revents != 0) {
            accept_one(waits[2].fd, false);
        }
    }
    return 0;
}
