/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/peer.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/monotonic.h"

#define MEMORY_ALIGN 64
#define FRAMES_MAX   64 /* taken before timers are looked at again */
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

/* The stack, its one interface, its services. NULL, or why not. */
static const char *begin(struct peer *peer, const struct peer_settings *settings)
{
    const uint8_t last = (uint8_t)settings->address;
    /* An address of our own (IEEE 802, bit 1 of the first byte). */
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
