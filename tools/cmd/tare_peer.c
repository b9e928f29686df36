/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare peer: the other machine of the network benches, as a process of the host.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel/plan/number.h"
#include "tools/base/interrupt.h"
#include "tools/base/monotonic.h"
#include "tools/cmd/commands.h"
#include "tools/peer/peer.h"

#define SECONDS_MAX 1000000
#define TURN_MS     200 /* at most between looks at Ctrl-C, which ends a wait as well */

static const char help[] =
    "usage: tare peer [--local END] [--remote END] [--address A.B.C.D[/BITS]]\n"
    "                 [--file FILE] [--seconds N]\n"
    "\n"
    "The other machine of the network benches: the image's own TCP/IP as a program,\n"
    "at the other end of the cable of a QEMU machine. It answers ping, and serves\n"
    "echo (UDP and TCP, port 7), discard (9), a source of bytes (19), iperf 2 (5001)\n"
    "and a remote file (NBD, 10809), until Ctrl-C; then it prints what it counted.\n"
    "\n"
    "    tare peer &\n"
    "    tare boot --mode real --net peer\n"
    "\n"
    "The cable is QEMU's -netdev dgram: each frame is a datagram. It needs no rights,\n"
    "and nothing of it reaches the host's own network.\n"
    "\n"
    "  --local END             this end: ADDRESS:PORT or unix:PATH (default\n"
    "                          127.0.0.1:7103)\n"
    "  --remote END            QEMU's end (default 127.0.0.1:7102)\n"
    "  --address A.B.C.D       of this peer, with /BITS of its network (default\n"
    "                          10.9.0.2/24)\n"
    "  --file FILE             the remote file, as tare disk writes it (default: one\n"
    "                          with BENCH.DAT of 64 MiB, made as it is read)\n"
    "  --seconds N             end after so many seconds\n"
    "  --help                  this text\n"
    "\n"
    "Exit status: 0 it served, 1 it could not, 2 wrong usage.\n";

enum peer_option {
    OPTION_LOCAL = 256,
    OPTION_REMOTE,
    OPTION_ADDRESS,
    OPTION_FILE,
    OPTION_SECONDS,
};

static const struct option options[] = {
    {"local", required_argument, NULL, OPTION_LOCAL},
    {"remote", required_argument, NULL, OPTION_REMOTE},
    {"address", required_argument, NULL, OPTION_ADDRESS},
    {"file", required_argument, NULL, OPTION_FILE},
    {"seconds", required_argument, NULL, OPTION_SECONDS},
    {NULL, 0, NULL, 0},
};

struct wishes {
    struct peer_settings settings;
    uint64_t seconds; /* 0: until it is interrupted */
};

static int take_option(struct wishes *wishes, int option)
{
    switch (option) {
    case OPTION_LOCAL:
        wishes->settings.local = optarg;
        return COMMAND_OK;
    case OPTION_REMOTE:
        wishes->settings.remote = optarg;
        return COMMAND_OK;
    case OPTION_ADDRESS:
        return peer_parse_address(optarg, &wishes->settings.address, &wishes->settings.prefix)
                   ? COMMAND_OK
                   : command_usage_error(&command_peer,
                                         "--address %s: must be like 10.9.0.2 or 10.9.0.2/24",
                                         optarg);
    case OPTION_FILE:
        wishes->settings.file = optarg;
        return COMMAND_OK;
    case OPTION_SECONDS:
        if (!parse_unsigned(optarg, &wishes->seconds) || wishes->seconds == 0 ||
            wishes->seconds > SECONDS_MAX) {
            return command_usage_error(&command_peer, "--seconds %s: must be a number from 1 to %d",
                                       optarg, SECONDS_MAX);
        }
        return COMMAND_OK;
    default:
        return COMMAND_USAGE;
    }
}

static int parse_arguments(struct wishes *wishes, int argc, char **argv)
{
    int option;

    while ((option = command_next_option(&command_peer, argc, argv, "", options)) != -1) {
        const int status =
            option == COMMAND_BAD_OPTION ? COMMAND_USAGE : take_option(wishes, option);

        if (status != COMMAND_OK) {
            return status;
        }
    }
    if (optind < argc) {
        return command_usage_error(&command_peer, "unexpected argument %s", argv[optind]);
    }
    return COMMAND_OK;
}

static void print_count(const char *what, uint64_t count)
{
    printf("%-28s %12" PRIu64 "\n", what, count);
}

static void print_counts(const struct peer *peer)
{
    const struct services_counts *services = services_counts();
    const struct nbd_served *file = nbd_served();
    struct stack_counts stack;

    stack_get_counts(&stack);
    print_count("frames received", peer->received);
    print_count("frames sent", peer->sent);
    print_count("frames lost in sending", peer->lost);
    print_count("datagrams echoed", services->datagrams);
    print_count("connections", services->connections + file->connections);
    print_count("bytes echoed", services->echoed);
    print_count("bytes discarded", services->discarded);
    print_count("of these wrong", services->wrong);
    print_count("bytes of the source", services->sourced);
    print_count("reads of the remote file", file->reads);
    print_count("bytes of it", file->bytes);
    print_count("segments sent again", stack.retransmitted);
    print_count("packets dropped", stack.dropped);
    print_count("without memory", stack.no_memory);
}

static void serve(struct peer *peer, uint64_t seconds)
{
    const uint64_t begin = monotonic_ms();

    while (!interrupt_seen() && (seconds == 0 || monotonic_ms() - begin < seconds * 1000)) {
        peer_turn(peer, TURN_MS);
    }
}

static int main_peer(int argc, char **argv)
{
    struct wishes wishes = {.settings = {.local = "127.0.0.1:7103",
                                         .remote = "127.0.0.1:7102",
                                         .address = 0x0a090002u,
                                         .prefix = 24}};
    const int status = parse_arguments(&wishes, argc, argv);
    char error[DATAGRAM_ERROR_MAX];
    struct peer peer;

    if (status != COMMAND_OK) {
        return status;
    }
    interrupt_catch();
    if (!peer_open(&peer, &wishes.settings, error)) {
        return command_failure(&command_peer, "%s", error);
    }
    fprintf(stderr, "tare peer: serving at %s, to %s\n", wishes.settings.local,
            wishes.settings.remote);
    serve(&peer, wishes.seconds);
    print_counts(&peer);
    peer_close(&peer);
    return COMMAND_OK;
}

const struct command command_peer = {
    .name = "peer",
    .summary = "be the other machine of the network benches",
    .help = help,
    .main = main_peer,
};
