/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A round trip: bytes there and back, by ICMP, UDP or TCP, and when they were where.
 */
#pragma once

#include "kernel/net/net.h"

enum trip_protocol {
    TRIP_ICMP,
    TRIP_UDP,
    TRIP_TCP,
    TRIP_PROTOCOLS,
};

#define TRIP_BYTES_MAX 1472 /* of one packet by ICMP and UDP */
#define TRIP_SEGMENT   1460 /* and by TCP */
#define TRIP_ANSWER_US 2000000
/* TCP sends a segment again, after 3 s the first one of a connection, and doubles that. */
#define TRIP_SEGMENT_US 30000000

/* TSC. */
struct trip_stamps {
    uint64_t asked;
    uint64_t returned;       /* the stack's call has returned */
    struct net_passage out;  /* of a pair: the request at the peer's NIC, as its echo had it */
    uint64_t sent;           /* the NIC had the request, the first time */
    struct net_passage back; /* the answer at ours */
    uint64_t called;         /* the stack has called back, and the bytes are copied */
    uint64_t woken;
    /* Frames that each end's NIC has sent since the trip before: 1 where the wire had no other. */
    uint64_t frames;
    uint64_t frames_back;
};

const char *trip_protocol_name(enum trip_protocol protocol);
/* Bytes of the frame that carries so many, as the wire's law counts them. */
uint32_t trip_frame_bytes(enum trip_protocol protocol, uint32_t bytes);

/* On the path that is up: makes ready for trips of `bytes`; TCP connects. One at a time. NULL, or
 * why not. */
const char *trip_open(enum trip_protocol protocol, uint32_t bytes);
/* One trip. NULL, or why there was no answer: after TRIP_ANSWER_US, by TCP TRIP_SEGMENT_US. What
 * came back is checked by path_checked(). */
const char *trip_make(struct trip_stamps *stamps);
void trip_close(void);
