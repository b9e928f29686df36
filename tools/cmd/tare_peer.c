/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare peer`: acts as the remote peer for the network benches, as a process of the host.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tools/base/interrupt.h"
#include "tools/base/monotonic.h"
#include "tools/cmd/commands.h"
#include "tools/qemu/peer.h"

#define SECONDS_MAX 1000000
#define TURN_MS     200 /* longest time between checks for Ctrl-C, in ms; Ctrl-C also ends a wait */

static struct peer_settings settings = {
    .local = "127.0.0.1:7103",
    .remote = "127.0.0.1:7102",
    .address = 0x0a090002u,
    .prefix = 24,
};
static uint64_t seconds; /* 0: until it is interrupted */

static bool take_address(char *text, char error[OPTION_ERROR_MAX])
{
    snprintf(error, OPTION_ERROR_MAX, "%s: must be like 10.9.0.2 or 10.9.0.2/24", text);
    return peer_parse_address(text, &settings.address, &settings.prefix);
}

static const struct option_line options[] = {
    {"local", OPT_TEXT(&settings.local), "END",
     "this end of the link: ADDRESS:PORT or unix:PATH (default 127.0.0.1:7103)"},
    {"remote", OPT_TEXT(&settings.remote), "END",
     "QEMU's end of the link: ADDRESS:PORT or unix:PATH (default 127.0.0.1:7102)"},
    {"address", OPT_CALL(take_address), "A.B.C.D",
     "the address of this peer, with /BITS of its network (default 10.9.0.2/24)"},
    {"file", OPT_TEXT(&settings.file), "FILE",
     "the remote file, made by tare disk (default: one with BENCH.DAT of 64 MiB, generated while "
     "it is read)"},
    {"seconds", OPT_NUMBER(&seconds, 1, SECONDS_MAX), "N", "end after this many seconds"},
    OPTIONS_END,
};

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
    print_count("frames not sent", peer->lost);
    print_count("datagrams echoed", services->datagrams);
    print_count("connections", services->connections + file->connections);
    print_count("bytes echoed", services->echoed);
    print_count("bytes discarded", services->discarded);
    print_count("wrong bytes received", services->wrong);
    print_count("bytes sent by the source service", services->sourced);
    print_count("reads of the remote file", file->reads);
    print_count("bytes read from the remote file", file->bytes);
    print_count("segments sent again", stack.retransmitted);
    print_count("packets dropped", stack.dropped);
    print_count("failed allocations", stack.no_memory);
}

static void serve(struct peer *peer)
{
    const uint64_t begin = monotonic_ms();

    while (!interrupt_seen() && (seconds == 0 || monotonic_ms() - begin < seconds * 1000)) {
        peer_turn(peer, TURN_MS);
    }
}

static int run_peer(const struct option_rest *rest)
{
    char error[DATAGRAM_ERROR_MAX];
    struct peer peer;

    (void)rest;
    interrupt_catch();
    if (!peer_open(&peer, &settings, error)) {
        return command_failure(&command_peer, "%s", error);
    }
    fprintf(stderr, "tare peer: serving at %s, to %s\n", settings.local, settings.remote);
    serve(&peer);
    print_counts(&peer);
    peer_close(&peer);
    return COMMAND_OK;
}

const struct command command_peer = {
    .name = "peer",
    .summary = "act as the remote machine for the network benches",
    .about = "usage: tare peer [--local END] [--remote END] [--address A.B.C.D[/BITS]]\n"
             "                 [--file FILE] [--seconds N]\n"
             "\n"
             "Acts as the remote machine for the network benches: the image's own TCP/IP, as a\n"
             "program at the other end of the network cable of a QEMU machine. It answers\n"
             "ping, and serves echo (UDP and TCP, port 7), discard (9), a source of bytes\n"
             "(19), iperf 2 (5001) and a remote file (NBD, 10809), until Ctrl-C; then it\n"
             "prints its counts.\n"
             "\n"
             "    tare peer &\n"
             "    tare boot --mode real --net peer\n"
             "\n"
             "The cable is QEMU's -netdev dgram: each frame is a datagram. It needs no\n"
             "privileges, and its frames do not reach the host's network.\n",
    .options = options,
    .notes = "Exit status: 0 it served, 1 it could not serve, 2 wrong usage.\n",
    .run = run_peer,
};
