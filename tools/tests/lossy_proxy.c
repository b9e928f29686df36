/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bad serial line between an image and a host: passes bytes both ways, and drops, flips or
 * doubles some. The same seed damages the same bytes of each direction.
 *
 *     lossy_proxy [OPTION]... DEVICE SOCKET
 *
 *     DEVICE      the image's side, as `tare capture` takes it: a unix socket, pipe:BASE, ...
 *     SOCKET      where the host connects; one connection is served
 *     --drop P    probability for a byte to be lost, and so on (default 0)
 *     --flip P    to have a bit changed
 *     --double P  to come twice
 *     --seed N    (default 1)
 *     --timeout S ends after so long (default 60)
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

#include "tools/lib/line.h"
#include "tools/tests/unix_listener.h"

#define CHUNK    4096
#define SLICE_MS 2

/* One direction. */
struct way {
    double drop, flip, twice;
    uint64_t state; /* of xorshift64*: never 0 */
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

/* `out` holds 2 * length bytes; returns how many come through. */
static size_t damage(struct way *way, const uint8_t *in, size_t length, uint8_t *out)
{
    size_t written = 0;

    for (size_t i = 0; i < length; i++) {
        const bool dropped = happens(way, way->drop);
        const bool flipped = happens(way, way->flip);
        const bool doubled = happens(way, way->twice);
        const uint8_t byte = flipped ? (uint8_t)(in[i] ^ 1u << (draw(way) >> 61)) : in[i];

        if (dropped) {
            continue;
        }
        out[written++] = byte;
        if (doubled) {
            out[written++] = byte;
        }
    }
    return written;
}

/* Passes on what is there. False when either end has gone. */
static bool pass(struct line *from, struct line *to, struct way *way)
{
    uint8_t in[CHUNK];
    uint8_t out[2 * CHUNK];
    const ssize_t count = line_read(from, in, sizeof(in), SLICE_MS);

    if (count <= 0) {
        return count == 0;
    }
    return line_write(to, out, damage(way, in, (size_t)count, out));
}

static int accept_host(const char *path)
{
    const int listener = unix_listener(path);

    if (listener < 0) {
        return -1;
    }
    const int host = accept(listener, NULL, NULL);

    close(listener);
    unlink(path);
    return host;
}

static int usage(void)
{
    fputs("usage: lossy_proxy [--drop P] [--flip P] [--double P] [--seed N] [--timeout S]\n"
          "                   DEVICE SOCKET\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"drop", required_argument, NULL, 'd'},    {"flip", required_argument, NULL, 'f'},
        {"double", required_argument, NULL, '2'},  {"seed", required_argument, NULL, 's'},
        {"timeout", required_argument, NULL, 't'}, {NULL, 0, NULL, 0},
    };
    struct way to_host = {0};
    unsigned timeout = 60;
    uint64_t seed = 1;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'd':
            to_host.drop = atof(optarg);
            break;
        case 'f':
            to_host.flip = atof(optarg);
            break;
        case '2':
            to_host.twice = atof(optarg);
            break;
        case 's':
            seed = strtoull(optarg, NULL, 0);
            break;
        case 't':
            timeout = (unsigned)atoi(optarg);
            break;
        default:
            return usage();
        }
    }
    if (argc - optind != 2) {
        return usage();
    }
    struct way to_image = to_host;
    struct line image;
    struct line host;
    char error[LINE_ERROR_MAX];

    to_host.state = seed * 2 + 1;
    to_image.state = seed * 0x9e3779b97f4a7c15ull | 1;
    alarm(timeout);
    signal(SIGPIPE, SIG_IGN);
    if (!line_open(&image, argv[optind], LINE_BAUD_DEFAULT, error)) {
        fprintf(stderr, "lossy_proxy: %s\n", error);
        return 1;
    }
    const int accepted = accept_host(argv[optind + 1]);

    if (accepted < 0) {
        fprintf(stderr, "lossy_proxy: %s: %s\n", argv[optind + 1], strerror(errno));
        return 1;
    }
    line_from_descriptor(&host, accepted);
    while (pass(&image, &host, &to_host) && pass(&host, &image, &to_image)) {
    }
    line_close(&host);
    line_close(&image);
    return 0;
}
