/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/base/monotonic.h"

#define UNIX_PREFIX  "unix:"
#define BUFFER_BYTES (4 << 20) /* size asked for; the system grants what it allows */
/* retry time, because a Unix socket does not report room at its other end */
#define SEND_AGAIN_MS 1
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

/* Parses an end of the cable. */
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

static void datagram_close(struct datagram *cable)
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

/* Opens the cable. Its ends are ADDRESS:PORT or unix:PATH, both of one kind; `local` must live as
 * long as the cable. Returns false, with the reason in `error`, on failure. */
static bool datagram_open(struct datagram *cable, const char *local, const char *remote,
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

enum outcome { TAKEN, LATER, LOST };

static enum outcome send_once(const struct datagram *cable, const uint8_t *bytes, size_t length)
{
    if (sendto(cable->socket, bytes, length, 0, (const struct sockaddr *)&cable->remote,
               cable->remote_length) == (ssize_t)length) {
        return TAKEN;
    }
    return errno == EAGAIN || errno == ENOBUFS ? LATER : LOST;
}

/* Sends the waiting frames, in their order. */
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

/* Sends a frame now, or later when the other end has room, from datagram_send() or datagram_wait().
 * Returns false if the frame is lost because the other end does not exist or too many frames wait.
 */
static bool datagram_send(struct datagram *cable, const uint8_t *bytes, size_t length)
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

/* Receives the next frame, at most `room` bytes. Returns its length, `room` + 1 for a longer frame,
 * or 0 if there is none. An error counts as none: it is about a frame sent before to a port where
 * no one listened yet. */
static size_t datagram_receive(struct datagram *cable, uint8_t *bytes, size_t room)
{
    const ssize_t length = recv(cable->socket, bytes, room, MSG_TRUNC);

    if (length <= 0) {
        return 0;
    }
    return (size_t)length > room ? room + 1 : (size_t)length;
}

/* Waits until a frame or a signal arrives, at most `ms`. */
static void datagram_wait(struct datagram *cable, unsigned ms)
{
    struct pollfd ready = {.fd = cable->socket, .events = POLLIN};

    poll(&ready, 1, cable->waiting > 0 && ms > SEND_AGAIN_MS ? SEND_AGAIN_MS : (int)ms);
    send_waiting(cable);
}

#define MEMORY_ALIGN 64
#define FRAMES_MAX   64 /* frames taken before timers are checked again */
#define PREFIX_MAX   32

bool peer_parse_address(const char *text, uint32_t *address, uint32_t *prefix)
{
    const char *slash = strchr(text, '/');
    const size_t length = slash != NULL ? (size_t)(slash - text) : strlen(text);
    char own[INET_ADDRSTRLEN];
    struct in_addr parsed;

    if (length >= sizeof(own)) {
        return false;
    }
    memcpy(own, text, length);
    own[length] = '\0';
    if (inet_pton(AF_INET, own, &parsed) != 1) {
        return false;
    }
    if (slash != NULL) {
        char *rest;
        const unsigned long bits = strtoul(slash + 1, &rest, 10);

        if (rest == slash + 1 || *rest != '\0' || bits == 0 || bits > PREFIX_MAX) {
            return false;
        }
        *prefix = (uint32_t)bits;
    }
    *address = ntohl(parsed.s_addr);
    return true;
}

static bool send_frame(void *argument, const uint8_t *bytes, uint32_t length)
{
    struct peer *peer = argument;

    if (!datagram_send(&peer->cable, bytes, length)) {
        peer->lost++;
        return false;
    }
    peer->sent++;
    return true;
}

/* Starts the stack, its only interface and its services. Returns NULL on success, otherwise the
 * reason. */
static const char *begin(struct peer *peer, const struct peer_settings *settings)
{
    const uint8_t last = (uint8_t)settings->address;
    /* A locally administered address (IEEE 802, bit 1 of the first byte). */
    const struct stack_link link = {{2, 't', 'a', 'r', 'e', last}, send_frame, peer};
    const char *why = stack_begin(peer->memory, monotonic_ms, (uint32_t)monotonic_us());

    if (why != NULL) {
        return why;
    }
    peer->interface = stack_add(&link, settings->address, settings->prefix, 0);
    return peer->interface != NULL && services_begin(0) && nbd_serve(&peer->remote.export)
               ? NULL
               : "no memory";
}

bool peer_open(struct peer *peer, const struct peer_settings *settings,
               char error[DATAGRAM_ERROR_MAX])
{
    const char *why;

    memset(peer, 0, sizeof(*peer));
    if (!remote_file_open(&peer->remote, settings->file, error, DATAGRAM_ERROR_MAX)) {
        return false;
    }
    if (!datagram_open(&peer->cable, settings->local, settings->remote, error)) {
        remote_file_close(&peer->remote);
        return false;
    }
    peer->memory = aligned_alloc(MEMORY_ALIGN, stack_bytes());
    if (peer->memory == NULL) {
        why = "no memory";
    } else {
        memset(peer->memory, 0, stack_bytes());
        why = begin(peer, settings);
    }
    if (why != NULL) {
        snprintf(error, DATAGRAM_ERROR_MAX, "%s", why);
        peer_close(peer);
        return false;
    }
    return true;
}

void peer_turn(struct peer *peer, unsigned ms)
{
    static uint8_t frame[STACK_FRAME_MAX];
    const uint32_t sleep = stack_sleep_ms();

    datagram_wait(&peer->cable, sleep < ms ? sleep : ms);
    for (int i = 0; i < FRAMES_MAX; i++) {
        const size_t length = datagram_receive(&peer->cable, frame, sizeof(frame));

        if (length == 0) {
            break;
        }
        peer->received++;
        stack_input(peer->interface, frame, (uint32_t)length);
    }
    stack_poll();
}

void peer_close(struct peer *peer)
{
    stack_end();
    free(peer->memory);
    peer->memory = NULL;
    datagram_close(&peer->cable);
    remote_file_close(&peer->remote);
}

#define SECTORS_PER_MIB 2048

static bool read_file(void *argument, uint64_t offset, uint8_t *to, uint32_t length)
{
    const struct remote_file *remote = argument;

    return pread(remote->file, to, length, (off_t)offset) == (ssize_t)length;
}

static bool read_made(void *argument, uint64_t offset, uint8_t *to, uint32_t length)
{
    const struct remote_file *remote = argument;

    layout_bytes(&remote->layout, offset, to, length);
    return true;
}

static bool open_file(struct remote_file *remote, const char *path)
{
    struct stat status;

    remote->file = open(path, O_RDONLY | O_CLOEXEC);
    if (remote->file < 0 || fstat(remote->file, &status) != 0) {
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    remote->export.bytes = (uint64_t)status.st_size;
    remote->export.read = read_file;
    return true;
}

bool remote_file_open(struct remote_file *remote, const char *path, char *error, size_t size)
{
    *remote = (struct remote_file){
        .file = -1,
        .export = {.name = LAYOUT_BENCH, .read = read_made, .argument = remote},
    };
    if (path != NULL) {
        if (!open_file(remote, path)) {
            snprintf(error, size, "%s: %s", path, strerror(errno));
            remote_file_close(remote);
            return false;
        }
        return true;
    }
    layout_plan(&remote->layout, (uint64_t)REMOTE_FILE_MIB * SECTORS_PER_MIB, true);
    remote->export.bytes = remote->layout.sectors * LAYOUT_SECTOR;
    return true;
}

void remote_file_close(struct remote_file *remote)
{
    if (remote->file >= 0) {
        close(remote->file);
        remote->file = -1;
    }
}
