/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/line.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "kernel/link/frame.h"
#include "tools/base/alloc.h"
#include "tools/base/monotonic.h"
#include "tools/base/sort.h"

#define FOLLOW_MS        20
#define WRITE_LIMIT_MS   2000
#define UDP_BUFFER_BYTES (4 << 20) /* receive buffer to ask for; the kernel may grant less */

static const struct {
    unsigned baud;
    speed_t speed;
} speeds[] = {
    {1200, B1200},       {2400, B2400},       {4800, B4800},       {9600, B9600},
    {19200, B19200},     {38400, B38400},     {57600, B57600},     {115200, B115200},
    {230400, B230400},   {460800, B460800},   {500000, B500000},   {576000, B576000},
    {921600, B921600},   {1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000},
    {2000000, B2000000}, {3000000, B3000000}, {4000000, B4000000},
};
#define SPEED_COUNT (sizeof(speeds) / sizeof(speeds[0]))

/* Writes the error, taking the cause from errno if `cause` is NULL, and closes the line's
 * descriptors. */
static bool fail(struct line *line, char error[LINE_ERROR_MAX], const char *device,
                 const char *cause)
{
    snprintf(error, LINE_ERROR_MAX, "%.300s: %s", device, cause != NULL ? cause : strerror(errno));
    line_close(line);
    return false;
}

static bool find_speed(unsigned baud, speed_t *speed, char error[LINE_ERROR_MAX])
{
    for (size_t i = 0; i < SPEED_COUNT; i++) {
        if (speeds[i].baud == baud) {
            *speed = speeds[i].speed;
            return true;
        }
    }
    int length = snprintf(error, LINE_ERROR_MAX, "%u baud is not supported; these are:", baud);

    for (size_t i = 0; i < SPEED_COUNT; i++) {
        length += snprintf(error + length, LINE_ERROR_MAX - (size_t)length, " %u", speeds[i].baud);
    }
    return false;
}

static bool set_raw(struct line *line, speed_t speed)
{
    struct termios raw;

    if (tcgetattr(line->in, &raw) != 0) {
        return false;
    }
    line->saved = alloc_zeroed(sizeof(*line->saved));
    *line->saved = raw;
    cfmakeraw(&raw);
    raw.c_cflag |= CLOCAL | CREAD;
    raw.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS | HUPCL);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    cfsetspeed(&raw, speed);
    line->is_tty = tcsetattr(line->in, TCSANOW, &raw) == 0;
    return line->is_tty;
}

unsigned line_slower(unsigned baud)
{
    unsigned slower = 0;

    for (size_t i = 0; i < SPEED_COUNT && speeds[i].baud < baud; i++) {
        slower = speeds[i].baud;
    }
    return slower;
}

bool line_check_baud(unsigned baud, char error[LINE_ERROR_MAX])
{
    speed_t speed;

    return find_speed(baud, &speed, error);
}

bool line_set_baud(struct line *line, unsigned baud)
{
    char error[LINE_ERROR_MAX];
    struct termios settings;
    speed_t speed;

    if (!line->is_tty || !find_speed(baud, &speed, error) || tcgetattr(line->in, &settings) != 0) {
        return false;
    }
    cfsetspeed(&settings, speed);
    if (tcsetattr(line->in, TCSADRAIN, &settings) != 0) {
        return false;
    }
    line->baud = baud;
    return true;
}

bool line_set_hardware_flow(struct line *line)
{
    struct termios settings;

    if (!line->is_tty || tcgetattr(line->in, &settings) != 0) {
        return false;
    }
    settings.c_cflag |= CRTSCTS;
    return tcsetattr(line->in, TCSANOW, &settings) == 0 && tcgetattr(line->in, &settings) == 0 &&
           (settings.c_cflag & CRTSCTS) != 0;
}

/* Locks the tty: two readers would each get a part of its bytes. TIOCEXCL keeps out all users
 * except root. */
static bool take_for_oneself(const struct line *line)
{
    return flock(line->in, LOCK_EX | LOCK_NB) == 0 && ioctl(line->in, TIOCEXCL) == 0;
}

static const char device_in_use[] =
    "in use by another program, perhaps another tare capture: stop that program";

static bool open_tty(struct line *line, const char *device, unsigned baud,
                     char error[LINE_ERROR_MAX])
{
    speed_t speed;

    if (!find_speed(baud, &speed, error)) {
        return false;
    }
    line->in = line->out = open(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (line->in < 0) {
        return fail(line, error, device,
                    errno == EACCES  ? "permission denied; serial devices belong to a group, "
                                       "often \"dialout\": join that group or use sudo"
                    : errno == EBUSY ? device_in_use
                                     : NULL);
    }
    if (!take_for_oneself(line)) {
        return fail(line, error, device, errno == EWOULDBLOCK ? device_in_use : NULL);
    }
    if (!set_raw(line, speed)) {
        return fail(line, error, device, errno == ENOTTY ? "is not a serial device" : NULL);
    }
    line->baud = baud;
    return true;
}

static bool open_socket(struct line *line, const char *path, char error[LINE_ERROR_MAX])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof(address.sun_path)) {
        return fail(line, error, path, "path too long for a unix socket");
    }
    memcpy(address.sun_path, path, strlen(path));
    line->in = line->out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line->in < 0 ||
        connect(line->in, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        return fail(line, error, path,
                    errno == ECONNREFUSED ? "no program listens on this socket" : NULL);
    }
    return true;
}

static int connect_first(const struct addrinfo *list)
{
    for (const struct addrinfo *at = list; at != NULL; at = at->ai_next) {
        const int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);

        if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) == 0) {
            return fd;
        }
        if (fd >= 0) {
            const int cause = errno;

            close(fd);
            errno = cause;
        }
    }
    return -1;
}

static bool open_tcp(struct line *line, const char *device, char error[LINE_ERROR_MAX])
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    const char *host_at = strchr(device, ':') + 1;
    const char *colon = strrchr(host_at, ':');
    struct addrinfo *list;
    char host[256];

    if (colon == NULL || colon == host_at || (size_t)(colon - host_at) >= sizeof(host)) {
        return fail(line, error, device, "is not tcp:HOST:PORT");
    }
    snprintf(host, sizeof(host), "%.*s", (int)(colon - host_at), host_at);
    const int status = getaddrinfo(host, colon + 1, &wanted, &list);

    if (status != 0) {
        return fail(line, error, device, gai_strerror(status));
    }
    line->in = line->out = connect_first(list);
    freeaddrinfo(list);
    if (line->in < 0) {
        return fail(line, error, device, NULL);
    }
    const int one = 1;

    setsockopt(line->in, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return true;
}

/* Opens "PORT" or "ADDRESS:PORT" on this host. */
static bool open_udp(struct line *line, const char *device, char error[LINE_ERROR_MAX])
{
    const struct addrinfo wanted = {
        .ai_family = AF_INET, .ai_socktype = SOCK_DGRAM, .ai_flags = AI_PASSIVE};
    const char *rest = strchr(device, ':') + 1;
    const char *colon = strrchr(rest, ':');
    const char *port = colon != NULL ? colon + 1 : rest;
    const int bytes = UDP_BUFFER_BYTES;
    struct addrinfo *list;
    char host[256];

    snprintf(host, sizeof(host), "%.*s", colon != NULL ? (int)(colon - rest) : 0, rest);
    const int status = getaddrinfo(host[0] != '\0' ? host : NULL, port, &wanted, &list);

    if (status != 0) {
        return fail(line, error, device,
                    status == EAI_SERVICE || status == EAI_NONAME ? "is not udp:[ADDRESS:]PORT"
                                                                  : gai_strerror(status));
    }
    line->in = line->out = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool bound = line->in >= 0 && bind(line->in, list->ai_addr, list->ai_addrlen) == 0;

    freeaddrinfo(list);
    if (!bound) {
        return fail(line, error, device,
                    errno == EADDRINUSE ? "the port is in use, perhaps by another tare capture"
                                        : NULL);
    }
    setsockopt(line->in, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
    line->is_udp = true;
    return true;
}

/* Opens the FIFO for writing also for reading, so that open() does not wait for a reader. */
static bool open_pipe(struct line *line, const char *device, char error[LINE_ERROR_MAX])
{
    const char *base = strchr(device, ':') + 1;
    char path[4096];
    struct stat status;

    snprintf(path, sizeof(path), "%s.out", base);
    line->in = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (line->in < 0 || fstat(line->in, &status) != 0) {
        return fail(line, error, path, NULL);
    }
    line->follows = S_ISREG(status.st_mode);
    line->is_fifo = S_ISFIFO(status.st_mode);
    snprintf(path, sizeof(path), "%s.in", base);
    line->out = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (line->out < 0) {
        return fail(line, error, path, NULL);
    }
    return true;
}

bool line_open(struct line *line, const char *device, unsigned baud, char error[LINE_ERROR_MAX])
{
    struct stat status;

    *line = (struct line){.in = -1, .out = -1, .fresh = true};
    if (strcmp(device, "-") == 0) {
        line->in = STDIN_FILENO;
        return true;
    }
    if (strncmp(device, "tcp:", 4) == 0) {
        return open_tcp(line, device, error);
    }
    if (strncmp(device, "udp:", 4) == 0) {
        return open_udp(line, device, error);
    }
    if (strncmp(device, "pipe:", 5) == 0) {
        return open_pipe(line, device, error);
    }
    if (stat(device, &status) != 0) {
        return fail(line, error, device, NULL);
    }
    if (S_ISSOCK(status.st_mode)) {
        return open_socket(line, device, error);
    }
    if (S_ISCHR(status.st_mode)) {
        return open_tty(line, device, baud, error);
    }
    if (S_ISREG(status.st_mode)) {
        return fail(line, error, device, "is a file, not a line; \"tare decode\" reads logs");
    }
    return fail(line, error, device,
                "is neither a serial device nor a socket; name a FIFO as "
                "pipe:BASE");
}

void line_from_descriptor(struct line *line, int descriptor)
{
    *line = (struct line){.in = descriptor, .out = descriptor, .fresh = true};
}

void line_close(struct line *line)
{
    if (line->is_tty) {
        tcsetattr(line->in, TCSANOW, line->saved);
        ioctl(line->in, TIOCNXCL);
    }
    free(line->saved);
    line->saved = NULL;
    if (line->out >= 0 && line->out != line->in) {
        close(line->out);
    }
    if (line->in > STDIN_FILENO) {
        close(line->in);
    }
    *line = (struct line){.in = -1, .out = -1};
}

static bool is_passing(int cause)
{
    return cause == EINTR || cause == EAGAIN || cause == EWOULDBLOCK;
}

/* Called if read() returned no byte. Returns -1 if the line has ended, or 0 after a short wait if
 * data may still come. */
static ssize_t at_end(const struct line *line, unsigned timeout_ms)
{
    if (!line->follows && !(line->is_fifo && line->fresh)) {
        return -1;
    }
    sleep_ms(timeout_ms < FOLLOW_MS ? timeout_ms : FOLLOW_MS);
    return 0;
}

static bool has_frame(const uint8_t *bytes, size_t length)
{
    struct frame_reader reader;
    struct frame frame;

    frame_reader_init(&reader);
    return SEARCH_ANY(i, length,
                      frame_reader_push(&reader, bytes[i], &frame) == FRAME_READER_FRAME);
}

/* Receives a datagram. The first peer that sends an intact frame is taken as the machine, and from
 * then on only its datagrams count. Earlier datagrams are dropped; those of the machine are
 * requested again later. */
static ssize_t read_udp(struct line *line, uint8_t *bytes, size_t capacity)
{
    struct sockaddr_storage from;
    socklen_t size = sizeof(from);
    const ssize_t count = recvfrom(line->in, bytes, capacity, 0, (struct sockaddr *)&from, &size);

    if (count > 0 && line->fresh) {
        if (!has_frame(bytes, (size_t)count)) {
            return 0;
        }
        line->fresh = connect(line->in, (const struct sockaddr *)&from, size) != 0;
    }
    return count;
}

ssize_t line_read(struct line *line, uint8_t *bytes, size_t capacity, unsigned timeout_ms)
{
    struct pollfd wait = {.fd = line->in, .events = POLLIN};

    if (poll(&wait, 1, (int)timeout_ms) <= 0) {
        return 0;
    }
    const ssize_t count =
        line->is_udp ? read_udp(line, bytes, capacity) : read(line->in, bytes, capacity);

    if (line->is_udp && count <= 0) {
        return 0; /* an empty datagram, or an error because the machine is not up yet */
    }
    if (count < 0) {
        return is_passing(errno) ? 0 : -1;
    }
    if (count == 0) {
        return at_end(line, timeout_ms);
    }
    line->fresh = false;
    return count;
}

bool line_write(struct line *line, const uint8_t *bytes, size_t length)
{
    const uint64_t limit = monotonic_ms() + WRITE_LIMIT_MS;
    size_t written = 0;

    if (line->is_udp) {
        /* A datagram that is not sent or not received counts as lost on the line; its contents are
         * requested again. */
        return line->fresh || write(line->out, bytes, length) != 0;
    }

    while (written < length) {
        struct pollfd wait = {.fd = line->out, .events = POLLOUT};

        if (monotonic_ms() >= limit || (poll(&wait, 1, WRITE_LIMIT_MS) < 0 && errno != EINTR)) {
            return false;
        }
        if ((wait.revents & POLLOUT) == 0) {
            if (wait.revents != 0) {
                return false;
            }
            continue;
        }
        const ssize_t count = write(line->out, bytes + written, length - written);

        if (count < 0 && !is_passing(errno)) {
            return false;
        }
        written += count > 0 ? (size_t)count : 0;
    }
    return true;
}
