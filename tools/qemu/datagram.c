/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/datagram.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define UNIX_PREFIX   "unix:"
#define BUFFER_BYTES  (4 << 20) /* asked for; the system gives what it allows */
#define SEND_AGAIN_MS 1         /* a Unix socket does not report room at its other end */
#define PORT_MAX      65535

static bool unix_end(const char *path, struct sockaddr_storage *end, socklen_t *length)
{
    struct sockaddr_un *address = (struct sockaddr_un *)end;

    if (*path == '\0' || strlen(path) >= sizeof(address->sun_path)) {
        return false;
    }
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, strlen(path) + 1);
    *length = sizeof(*address);
    return true;
}

static bool internet_end(const char *text, struct sockaddr_storage *end, socklen_t *length)
{
    struct sockaddr_in *address = (struct sockaddr_in *)end;
    const char *colon = strrchr(text, ':');
    char host[INET_ADDRSTRLEN];
    char *rest;
    unsigned long port;

    if (colon == NULL || (size_t)(colon - text) >= sizeof(host)) {
        return false;
    }
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = '\0';
    port = strtoul(colon + 1, &rest, 10);
    if (rest == colon + 1 || *rest != '\0' || port == 0 || port > PORT_MAX) {
        return false;
    }
    address->sin_family = AF_INET;
    address->sin_port = htons((uint16_t)port);
    *length = sizeof(*address);
    return inet_pton(AF_INET, host, &address->sin_addr) == 1;
}

/* An end as text. */
static bool parse_end(const char *text, struct sockaddr_storage *end, socklen_t *length)
{
    memset(end, 0, sizeof(*end));
    return strncmp(text, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0
               ? unix_end(text + strlen(UNIX_PREFIX), end, length)
               : internet_end(text, end, length);
}

static bool open_socket(struct datagram *cable, const struct sockaddr_storage *local,
                        socklen_t length)
{
    const int buffer = BUFFER_BYTES;

    cable->socket = socket(local->ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (cable->socket < 0) {
        return false;
    }
    setsockopt(cable->socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer));
    setsockopt(cable->socket, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
    if (bind(cable->socket, (const struct sockaddr *)local, length) != 0) {
        const int reason = errno;

        close(cable->socket);
        errno = reason;
        return false;
    }
    return true;
}

bool datagram_open(struct datagram *cable, const char *local, const char *remote,
                   char error[DATAGRAM_ERROR_MAX])
{
    struct sockaddr_storage own;
    socklen_t own_length;

    memset(cable, 0, sizeof(*cable));
    cable->socket = -1;
    if (!parse_end(local, &own, &own_length) ||
        !parse_end(remote, &cable->remote, &cable->remote_length)) {
        snprintf(error, DATAGRAM_ERROR_MAX, "%s: must be ADDRESS:PORT or unix:PATH",
                 parse_end(local, &own, &own_length) ? remote : local);
        return false;
    }
    if (own.ss_family != cable->remote.ss_family) {
        snprintf(error, DATAGRAM_ERROR_MAX,
                 "%s and %s: both must be ADDRESS:PORT, or both unix:PATH", local, remote);
        return false;
    }
    if (!open_socket(cable, &own, own_length)) {
        snprintf(error, DATAGRAM_ERROR_MAX, "%s: %s", local, strerror(errno));
        return false;
    }
    cable->frames = malloc(DATAGRAM_WAITING_MAX * sizeof(*cable->frames));
    if (cable->frames == NULL) {
        snprintf(error, DATAGRAM_ERROR_MAX, "no memory");
        datagram_close(cable);
        return false;
    }
    if (own.ss_family == AF_UNIX) {
        cable->path = local + strlen(UNIX_PREFIX);
    }
    return true;
}

void datagram_close(struct datagram *cable)
{
    if (cable->socket >= 0) {
        close(cable->socket);
        cable->socket = -1;
    }
    if (cable->path != NULL) {
        unlink(cable->path);
        cable->path = NULL;
    }
    free(cable->frames);
    cable->frames = NULL;
}

enum outcome { TAKEN, LATER, LOST };

static enum outcome send_once(const struct datagram *cable, const uint8_t *bytes, size_t length)
{
    if (sendto(cable->socket, bytes, length, 0, (const struct sockaddr *)&cable->remote,
               cable->remote_length) == (ssize_t)length) {
        return TAKEN;
    }
    return errno == EAGAIN || errno == ENOBUFS ? LATER : LOST;
}

/* What waits, in its order. */
static void send_waiting(struct datagram *cable)
{
    while (cable->waiting > 0) {
        const struct datagram_frame *frame = &cable->frames[cable->first];

        if (send_once(cable, frame->bytes, frame->length) == LATER) {
            return;
        }
        cable->first = (cable->first + 1) % DATAGRAM_WAITING_MAX;
        cable->waiting--;
    }
}

bool datagram_send(struct datagram *cable, const uint8_t *bytes, size_t length)
{
    enum outcome outcome = LATER;

    send_waiting(cable);
    if (cable->waiting == 0) {
        outcome = send_once(cable, bytes, length);
    }
    if (outcome == LATER && cable->waiting < DATAGRAM_WAITING_MAX && length <= DATAGRAM_BYTES_MAX) {
        struct datagram_frame *frame =
            &cable->frames[(cable->first + cable->waiting++) % DATAGRAM_WAITING_MAX];

        memcpy(frame->bytes, bytes, length);
        frame->length = length;
        outcome = TAKEN;
    }
    return outcome == TAKEN;
}

/* An error is that of a frame sent before, to a port where none listened yet. */
size_t datagram_receive(struct datagram *cable, uint8_t *bytes, size_t room)
{
    const ssize_t length = recv(cable->socket, bytes, room, MSG_TRUNC);

    if (length <= 0) {
        return 0;
    }
    return (size_t)length > room ? room + 1 : (size_t)length;
}

void datagram_wait(struct datagram *cable, unsigned ms)
{
    struct pollfd ready = {.fd = cable->socket, .events = POLLIN};

    poll(&ready, 1, cable->waiting > 0 && ms > SEND_AGAIN_MS ? SEND_AGAIN_MS : (int)ms);
    send_waiting(cable);
}
