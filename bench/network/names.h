/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that benches of the network publish and the host looks up. Each stands here once: image and
 * host include it.
 */
#pragma once

/* The group and its benches. */
#define GROUP_NETWORK      "network"
#define BENCH_NICS         "nics"
#define BENCH_RTT          "rtt"
#define BENCH_NETBANDWIDTH "netbandwidth"
#define BENCH_CONNECTION   "connection"
#define BENCH_REMOTEFILE   "remotefile"
#define BENCH_NETLOAD      "netload"
#define BENCH_NETSERVER    "netserver"

/* Parameters of all of them: paths, a,b,c; how packets come in: interrupt or poll. */
#define PARAM_PATHS       "paths"
#define PARAM_RECEIVE     "receive"
#define RECEIVE_INTERRUPT "interrupt"
#define RECEIVE_POLL      "poll"

/* Paths, in names of series. */
#define PATH_LOOPBACK "loopback"
#define PATH_PAIR     "pair"
#define PATH_REMOTE   "remote"

/* Texts that a bench found out (bench_found()), as NAME.PATH: the NICs, as "wire0,wire1"; their
 * models; FOUND_INTERRUPT. */
#define FOUND_NICS   "nics"
#define FOUND_MODELS "models"

/* Facts, as NAME.PATH: frames sent and received by the first NIC, lost on the modelled wire, TCP
 * segments sent again, bytes that were checked and those that were wrong; of the modelled wire its
 * law in ns of a frame and ps of a byte. */
#define FACT_NICS            "nics" /* of bench nics: how many there are */
#define FACT_FRAMES_SENT     "frames_sent"
#define FACT_FRAMES_RECEIVED "frames_received"
#define FACT_FRAMES_LOST     "frames_lost"
#define FACT_RETRANSMITTED   "retransmitted"
#define FACT_BYTES_CHECKED   "bytes_checked"
#define FACT_BYTES_WRONG     "bytes_wrong"
#define FACT_PACKET_NS       "packet_ns"
#define FACT_BYTE_PS         "byte_ps"

/*
 * rtt: series NAME.PATH.PROTOCOL.BYTES of round trips of so many bytes of payload. Spans
 * SPAN_INTERRUPT and SPAN_WAKE are of kernel/run/names.h.
 *
 * - rtt: from the call that sends to where its thread goes on: the sum of all spans.
 * - send: until the NIC has the packet; of loop-back until the call returns.
 * - wire: until the modelled wire's law has it arrive; else until the peer's handler has seen it.
 * - interrupt: of the modelled wire, from there until the handler has seen it.
 * - peer: until the peer's NIC has the answer: its stack, echo, and stack.
 * - wire_back, interrupt_back: as wire and interrupt.
 * - stack: from the handler until the bench's callback has the answer.
 * - wake: until the thread goes on.
 *
 * Of loop-back: send, stack, wake. Of a remote peer: send, away (until the handler has seen the
 * answer), stack, wake. law and law_back: what the modelled wire's law has, computed once more.
 *
 * Facts lost.PATH.PROTOCOL.BYTES: trips without an answer, which are no samples; resent, by TCP:
 * trips in which a segment was sent again, which are outliers.
 */
#define FACT_TRIPS_LOST     "lost"
#define FACT_TRIPS_RESENT   "resent"
#define SERIES_RTT          "rtt"
#define SPAN_SEND           "send"
#define SPAN_WIRE           "wire"
#define SPAN_PEER           "peer"
#define SPAN_WIRE_BACK      "wire_back"
#define SPAN_INTERRUPT_BACK "interrupt_back"
#define SPAN_AWAY           "away"
#define SPAN_STACK          "stack"
#define SERIES_WIRE_LAW     "law"
#define SERIES_LAW_BACK     "law_back"
#define PROTOCOL_ICMP       "icmp"
#define PROTOCOL_UDP        "udp"
#define PROTOCOL_TCP        "tcp"

/*
 * netbandwidth: for each path, window and size of a message in bytes, PATH.WINDOW.SIZE behind a
 * point, series
 *   block  ticks of each block of 64 KiB that was acknowledged, in order
 *   again  TCP segments that were sent again meanwhile: such a block is an outlier
 * and facts
 *   total     ticks from before the first byte is written to the acknowledgement of the last one
 *   bytes
 *   shortest  ticks from writing a byte to its acknowledgement
 * Bounds in B/s, facts: bound_wire.PATH.WINDOW by the law of the wire for full segments,
 * bound_window.PATH.WINDOW (window over the shortest round trip of all sizes), bound_copy (a memcpy
 * of as many bytes). Facts of all transfers of a path: data_again (segments that the stack sent
 * again), outliers; on the modelled wire also frames with data: data_sent, data_lost, and
 * data_twice, which had arrived before: data_again = data_lost + data_twice.
 */
#define SERIES_NET_BLOCK  "block"
#define FACT_NET_TOTAL    "total"
#define FACT_NET_BYTES    "bytes"
#define FACT_BOUND_WIRE   "bound_wire"
#define FACT_BOUND_WINDOW "bound_window"
#define FACT_BOUND_COPY   "bound_copy"
#define SERIES_SENT_AGAIN "again"
#define FACT_SHORTEST     "shortest"
#define FACT_OUTLIERS     "outliers"
#define FACT_DATA_AGAIN   "data_again"
#define FACT_DATA_SENT    "data_sent"
#define FACT_DATA_LOST    "data_lost"
#define FACT_DATA_TWICE   "data_twice"

/*
 * connection: series NAME.PATH. setup: tcp_connect() to connected; its parts syn (until the NIC has
 * it), answer (until the handler has seen SYN-ACK), established (until the callback); teardown:
 * tcp_close() until the peer's FIN was acknowledged; raw: a raw IP packet of as many bytes there
 * and back; tcp: connect, send a byte, get it back, close; overhead: tcp less raw, the report's
 * definition (row 12). Facts lost.PATH: raw packets without an answer, trials that are no samples;
 * resent.PATH: connections in which a segment was sent again.
 */
#define SERIES_SETUP     "setup"
#define PART_SYN         "syn"
#define PART_ANSWER      "answer"
#define PART_ESTABLISHED "established"
#define SERIES_TEARDOWN  "teardown"
#define SERIES_RAW       "raw"
#define SERIES_TCP       "tcp"
#define SERIES_OVERHEAD  "overhead"

/*
 * remotefile: series ORDER.PATH.BYTES of each read of 4 KiB of the first BYTES of the remote
 * BENCH.DAT through an empty page cache, ORDER sequential or random (bench/disk/names.h), and the
 * facts total.ORDER.PATH.BYTES: its whole time. Path `local` is the same file on the modelled disk
 * or the plan's.
 */
#define PATH_LOCAL "local"

/*
 * netserver: facts of what it answered, and of its NIC.
 */
#define FACT_FRAMES_DAMAGED "frames_damaged"
#define FACT_DATAGRAMS      "datagrams"
#define FACT_CONNECTIONS    "connections"
#define FACT_BYTES_ECHOED   "bytes_echoed"
#define FACT_BYTES_SOURCED  "bytes_sourced"

/*
 * netload: series idle.PATH and loaded.PATH: UDP round trips of 64 bytes without and with a bulk
 * TCP transfer in the same direction; facts total.PATH and bytes.PATH of the transfer,
 * meanwhile.PATH (bytes acknowledged during loaded round trips), and unanswered.SERIES.PATH: round
 * trips that took more than 2 s, which are no samples.
 */
#define SERIES_UNLOADED "idle"
#define SERIES_LOADED   "loaded"
#define FACT_MEANWHILE  "meanwhile"
#define FACT_UNANSWERED "unanswered"
