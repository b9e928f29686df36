/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bad serial line between an image and a host: passes bytes both ways, and does to them what
 * lines do. The same seed damages the same bytes of each direction.
 *
 *     lossy_proxy [OPTION]... DEVICE SOCKET
 *
 *     DEVICE            the image's side, as `tare capture` takes it: a unix socket, pipe:BASE, ...
 *     SOCKET            where the host connects
 *     --drop P          probability for a byte to be lost, and so on (default 0)
 *     --flip P          to have a bit changed
 *     --double P        to come twice
 *     --burst P:LENGTH  to begin a burst of so many bytes that are lost
 *     --eat HEX,...     bytes of these values are lost: 11,13 are XON and XOFF
 *     --crlf            a cooked terminal: LF becomes CR LF towards the host, CR becomes LF towards
 *                       the image
 *     --garbage AT:N    so many bytes from that one on come as others: wrong speed for a while
 *     --typist N        a person types a line, which is echoed, in every N bytes towards the host
 *     --cut N           the host is cut off after so many bytes, and may connect again
 *     --one-way         nothing goes to the image
 *     --log FILE        what the host is sent
 *     --seed N          (default 1)
 *     --timeout S       ends after so long (default 60)
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/base/line.h"
#include "tools/tests/support/unix_listener.h"

#define CHUNK    4096
#define SLICE_MS 2

/* What a line does to bytes. */
struct faults {
    double drop, flip, twice, burst;
    unsigned burst_length;
    bool eaten[256];
    bool cooked;
    uint64_t garbage_at, garbage_bytes;
    unsigned typist;
};

/* One direction. */
struct way {
    const struct faults *faults;
    bool to_host;
    uint64_t state;  /* of xorshift64*: never 0 */
    uint64_t passed; /* bytes that came in */
    unsigned burst;  /* bytes of a burst that are still to be lost */
};

static uint64_t draw(struct way *way)
{
    way->state ^= way->state >> 12;
    way->state ^= way->state << 25;
    way->state ^= way->state >> 27;
    return way->state * 0x2545f4914f6cdd1dull;
}

static bool happens(struct way *way, double probability)
{
    return (double)(draw(way) >> 11) * 0x1p-53 < probability;
}

static bool is_lost(struct way *way, uint8_t byte)
{
    const struct faults *faults = way->faults;
    const bool dropped = happens(way, faults->drop);

    if (way->burst == 0 && happens(way, faults->burst)) {
        way->burst = faults->burst_length;
    }
    if (way->burst > 0) {
        way->burst--;
        return true;
    }
    return dropped || faults->eaten[byte];
}

/* A byte through a terminal's line discipline; returns how many. */
static size_t cook(const struct way *way, uint8_t byte, uint8_t *out)
{
    if (way->faults->cooked && way->to_host && byte == '\n') {
        out[0] = '\r';
        out[1] = '\n';
        return 2;
    }
    out[0] = way->faults->cooked && !way->to_host && byte == '\r' ? '\n' : byte;
    return 1;
}

/* `out` holds 4 * length bytes; returns how many come through. */
static size_t damage(struct way *way, const uint8_t *in, size_t length, uint8_t *out)
{
    const struct faults *faults = way->faults;
    size_t written = 0;

    for (size_t i = 0; i < length; i++, way->passed++) {
        const bool lost = is_lost(way, in[i]);
        const bool flipped = happens(way, faults->flip);
        const bool doubled = happens(way, faults->twice);
        const bool garbled = way->to_host && way->passed >= faults->garbage_at &&
                             way->passed - faults->garbage_at < faults->garbage_bytes;
        uint8_t byte = flipped ? (uint8_t)(in[i] ^ 1u << (draw(way) >> 61)) : in[i];

        if (lost) {
            continue;
        }
        byte = garbled ? (uint8_t)(draw(way) >> 56) : byte;
        written += cook(way, byte, out + written);
        if (doubled) {
            written += cook(way, byte, out + written);
        }
    }
    return written;
}

struct proxy {
    struct faults faults;
    struct way to_host, to_image;
    struct line image, host;
    int listener;
    uint64_t cut;      /* 0: never */
    uint64_t sent;     /* to the host since it connected */
    uint64_t typed_at; /* bytes towards the host when a line was typed last */
    bool one_way;
    FILE *log;
};

static bool send_host(struct proxy *proxy, const uint8_t *bytes, size_t length)
{
    proxy->sent += length;
    if (proxy->log != NULL) {
        fwrite(bytes, 1, length, proxy->log);
    }
    return line_write(&proxy->host, bytes, length);
}

/* A user of the line types: the text goes to the image, and its echo to the host. */
static bool type(struct proxy *proxy)
{
    char line[40];
    int length = snprintf(line, sizeof(line), "is it done? %llx",
                          (unsigned long long)(draw(&proxy->to_host) & 0xffffff));

    line[length++] = '\r';
    line[length++] = '\n';
    return send_host(proxy, (const uint8_t *)line, (size_t)length) &&
           (proxy->one_way || line_write(&proxy->image, (const uint8_t *)line, (size_t)length));
}

static bool accept_host(struct proxy *proxy)
{
    const int host = accept(proxy->listener, NULL, NULL);

    if (host < 0) {
        return false;
    }
    line_from_descriptor(&proxy->host, host);
    proxy->sent = 0;
    return true;
}

/* Passes on what is there. False when either end has gone for good. */
static bool pass_to_host(struct proxy *proxy)
{
    uint8_t in[CHUNK];
    uint8_t out[4 * CHUNK];
    const ssize_t count = line_read(&proxy->image, in, sizeof(in), SLICE_MS);

    if (count <= 0) {
        return count == 0;
    }
    if (!send_host(proxy, out, damage(&proxy->to_host, in, (size_t)count, out))) {
        return false;
    }
    if (proxy->faults.typist != 0 &&
        proxy->to_host.passed - proxy->typed_at > proxy->faults.typist) {
        proxy->typed_at = proxy->to_host.passed;
        return type(proxy);
    }
    if (proxy->cut != 0 && proxy->sent > proxy->cut) {
        line_close(&proxy->host);
        return accept_host(proxy);
    }
    return true;
}

static bool pass_to_image(struct proxy *proxy)
{
    uint8_t in[CHUNK];
    uint8_t out[4 * CHUNK];
    const ssize_t count = line_read(&proxy->host, in, sizeof(in), SLICE_MS);

    if (count <= 0) {
        return count == 0;
    }
    const size_t length = damage(&proxy->to_image, in, (size_t)count, out);

    return proxy->one_way || line_write(&proxy->image, out, length);
}

static int usage(void)
{
    fputs("usage: lossy_proxy [--drop P] [--flip P] [--double P] [--burst P:LENGTH]\n"
          "                   [--eat HEX,...] [--crlf] [--garbage AT:N] [--typist N] [--cut N]\n"
          "                   [--one-way] [--log FILE] [--seed N] [--timeout S] DEVICE SOCKET\n",
          stderr);
    return 2;
}

static bool take_pair(const char *text, double *first, double *second)
{
    return sscanf(text, "%lf:%lf", first, second) == 2;
}

static void take_eaten(const char *text, struct faults *faults)
{
    for (char *end; *text != '\0'; text = *end == ',' ? end + 1 : end) {
        faults->eaten[strtoul(text, &end, 16) & 0xff] = true;
    }
}

/* False where it is no option. */
static bool take_option(struct proxy *proxy, int option)
{
    struct faults *faults = &proxy->faults;
    double first = 0;
    double second = 0;

    switch (option) {
    case 'd':
        faults->drop = atof(optarg);
        return true;
    case 'f':
        faults->flip = atof(optarg);
        return true;
    case '2':
        faults->twice = atof(optarg);
        return true;
    case 'b':
        if (!take_pair(optarg, &first, &second)) {
            return false;
        }
        faults->burst = first;
        faults->burst_length = (unsigned)second;
        return true;
    case 'e':
        take_eaten(optarg, faults);
        return true;
    case 'n':
        faults->cooked = true;
        return true;
    case 'g':
        if (!take_pair(optarg, &first, &second)) {
            return false;
        }
        faults->garbage_at = (uint64_t)first;
        faults->garbage_bytes = (uint64_t)second;
        return true;
    case 'p':
        faults->typist = (unsigned)atoi(optarg);
        return true;
    case 'c':
        proxy->cut = strtoull(optarg, NULL, 0);
        return true;
    case 'o':
        proxy->one_way = true;
        return true;
    case 'l':
        proxy->log = fopen(optarg, "wb");
        return proxy->log != NULL;
    default:
        return false;
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"drop", required_argument, NULL, 'd'},    {"flip", required_argument, NULL, 'f'},
        {"double", required_argument, NULL, '2'},  {"burst", required_argument, NULL, 'b'},
        {"eat", required_argument, NULL, 'e'},     {"crlf", no_argument, NULL, 'n'},
        {"garbage", required_argument, NULL, 'g'}, {"typist", required_argument, NULL, 'p'},
        {"cut", required_argument, NULL, 'c'},     {"one-way", no_argument, NULL, 'o'},
        {"log", required_argument, NULL, 'l'},     {"seed", required_argument, NULL, 's'},
        {"timeout", required_argument, NULL, 't'}, {NULL, 0, NULL, 0},
    };
    static struct proxy proxy;
    unsigned timeout = 60;
    uint64_t seed = 1;
    char error[LINE_ERROR_MAX];
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 's') {
            seed = strtoull(optarg, NULL, 0);
        } else if (option == 't') {
            timeout = (unsigned)atoi(optarg);
        } else if (!take_option(&proxy, option)) {
            return usage();
        }
    }
    if (argc - optind != 2) {
        return usage();
    }
    proxy.to_host = (struct way){.faults = &proxy.faults, .to_host = true, .state = seed * 2 + 1};
    proxy.to_image =
        (struct way){.faults = &proxy.faults, .state = seed * 0x9e3779b97f4a7c15ull | 1};
    alarm(timeout);
    signal(SIGPIPE, SIG_IGN);
    if (!line_open(&proxy.image, argv[optind], LINE_BAUD_DEFAULT, error)) {
        fprintf(stderr, "lossy_proxy: %s\n", error);
        return 1;
    }
    proxy.listener = unix_listener(argv[optind + 1]);
    if (proxy.listener < 0 || !accept_host(&proxy)) {
        fprintf(stderr, "lossy_proxy: %s: %s\n", argv[optind + 1], strerror(errno));
        return 1;
    }
    while (pass_to_host(&proxy) && pass_to_image(&proxy)) {
    }
    close(proxy.listener);
    unlink(argv[optind + 1]);
    line_close(&proxy.host);
    line_close(&proxy.image);
    return 0;
}
