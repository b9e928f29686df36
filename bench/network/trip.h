/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A round trip: bytes there and back, by ICMP, UDP or TCP, with a stamp at each place on the way.
 */
#pragma once

#include "kernel/net/net.h"

enum trip_protocol {
    TRIP_ICMP,
    TRIP_UDP,
    TRIP_TCP,
    TRIP_PROTOCOLS,
};

#define TRIP_BYTES_MAX 1472 /* payload of one packet by ICMP and UDP */
#define TRIP_SEGMENT   1460 /* payload of one packet by TCP */
#define TRIP_ANSWER_US 2000000
/* TCP sends the first segment of a connection again after 3 s, and doubles that time. */
#define TRIP_SEGMENT_US 30000000

/* TSC stamps */
struct trip_stamps {
    uint64_t asked;
    uint64_t returned; /* when the stack's call returned */
    /* time stamps of the request on its way to the peer's stack; only with a pair */
    struct net_passage out;
    uint64_t sent;           /* when the NIC had the request, the first time */
    struct net_passage back; /* time stamps of the answer on its way back */
    uint64_t called;         /* when the stack called back and the bytes were copied */
    uint64_t woken;
    /* Frames that the NIC of each end has sent since the trip before; 1 if the wire carried no
     * other. */
    uint64_t frames;
    uint64_t frames_back;
};

const char *trip_protocol_name(enum trip_protocol protocol);
/* Returns the length in bytes of a frame with a payload of `bytes`, as the link's timing model
 * counts it. */
uint32_t trip_frame_bytes(enum trip_protocol protocol, uint32_t bytes);

/* Prepares trips of `bytes` on the current path; connects for TCP. Only one may be open. Returns
 * NULL on success, otherwise the reason. */
const char *trip_open(enum trip_protocol protocol, uint32_t bytes);
/* Makes one trip and passes what came back to path_checked(). Returns NULL, or the reason if there
 * was no answer within TRIP_ANSWER_US (TCP: TRIP_SEGMENT_US). */
const char *trip_make(struct trip_stamps *stamps);
void trip_close(void);
