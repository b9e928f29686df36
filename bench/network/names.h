/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the network benches publish and the host looks up. Image and host both include this
 * file, so that each name is written once.
 */
#pragma once

/* the group and its benches */
#define GROUP_NETWORK      "network"
#define BENCH_NICS         "nics"
#define BENCH_RTT          "rtt"
#define BENCH_NETBANDWIDTH "netbandwidth"
#define BENCH_CONNECTION   "connection"
#define BENCH_REMOTEFILE   "remotefile"
#define BENCH_NETLOAD      "netload"
#define BENCH_NETSERVER    "netserver"

/* parameters of all of them: a list of paths, and how packets are received */
#define PARAM_PATHS       "paths"
#define PARAM_RECEIVE     "receive"
#define RECEIVE_INTERRUPT "interrupt"
#define RECEIVE_POLL      "poll"

/* paths, as they appear in names of series */
#define PATH_LOOPBACK "loopback"
#define PATH_PAIR     "pair"
#define PATH_REMOTE   "remote"

/* Texts that a bench publishes with bench_found(), as NAME.PATH: the NICs, such as "wire0,wire1";
 * their models; FOUND_INTERRUPT. */
#define FOUND_NICS   "nics"
#define FOUND_MODELS "models"

/* Facts, as NAME.PATH: frames sent and received by the first NIC, frames lost on the simulated
 * link, TCP segments sent again, bytes checked and bytes found wrong; and the timing model of the
 * simulated link, in ns per frame and ps per byte. */
#define FACT_NICS            "nics" /* fact of bench nics: number of NICs */
#define FACT_FRAMES_SENT     "frames_sent"
#define FACT_FRAMES_RECEIVED "frames_received"
#define FACT_FRAMES_LOST     "frames_lost"
#define FACT_RETRANSMITTED   "retransmitted"
#define FACT_BYTES_CHECKED   "bytes_checked"
#define FACT_BYTES_WRONG     "bytes_wrong"
#define FACT_PACKET_NS       "packet_ns"
#define FACT_BYTE_PS         "byte_ps"

/*
 * Series of rtt are NAME.PATH.PROTOCOL.BYTES: round trips with BYTES of payload. SPAN_INTERRUPT and
 * SPAN_WAKE are in kernel/run/names.h.
 *
 *     rtt             from the call that sends until its thread continues; the sum of all spans
 *     send            until the NIC has the packet; on loop-back until the call returns
 *     wire            until the packet arrives by the simulated link's timing model; with real
 *                     NICs until the peer's handler has seen it
 *     interrupt       simulated link only: from there until the handler has seen the packet
 *     peer            until the peer's NIC has the answer: its stack, echo, and stack
 *     wire_back, interrupt_back  as wire and interrupt
 *     stack           from the handler until the bench's callback has the answer
 *     wake            until the thread continues
 *
 * Loop-back has send, stack and wake. A remote peer has send, away (until the handler has seen the
 * answer), stack and wake. law and law_back are the times by the simulated link's timing model,
 * there and back, computed a second time.
 *
 * Facts lost.PATH.PROTOCOL.BYTES count trips without an answer, which give no sample; facts resent,
 * for TCP, count trips in which a segment was sent again, which are outliers.
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
#define SERIES_LAW_THERE    "law"
#define SERIES_LAW_BACK     "law_back"
#define PROTOCOL_ICMP       "icmp"
#define PROTOCOL_UDP        "udp"
#define PROTOCOL_TCP        "tcp"

/*
 * Series of netbandwidth, for each path, window and size of a message in bytes, are named
 * NAME.PATH.WINDOW.SIZE:
 *
 *     block  ticks of each 64 KiB block, in order, until the block was acknowledged
 *     again  TCP segments that were sent again during the block, which is then an outlier
 *
 * Facts with the same suffix:
 *
 *     total     ticks from before the first byte is written to the last acknowledgement
 *     bytes     bytes of the transfer
 *     shortest  the shortest time, in ticks, from writing a byte to its acknowledgement
 *
 * Facts with bounds in B/s: bound_wire.PATH.WINDOW is computed by the link's timing model for full
 * segments. bound_window.PATH.WINDOW is the window per shortest round trip of all sizes. bound_copy
 * is the rate of a memcpy of the same number of bytes.
 *
 * Facts for all transfers of a path: data_again (segments that the stack sent again) and outliers
 * (blocks). On the simulated link, there are also counts of the frames with data: data_sent,
 * data_lost, and data_twice (frames whose data had arrived before); data_again = data_lost +
 * data_twice.
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
 * Series of connection are NAME.PATH. setup: from tcp_connect() to connected. Its parts are syn
 * (until the NIC has the SYN), answer (until the handler has seen SYN-ACK) and established (until
 * the callback). teardown: from closing our half until the peer's FIN is here. raw: a raw IP packet
 * of the same number of bytes there and back. tcp: connect, send a byte, get it back, close.
 * overhead: tcp minus raw, as the report defines it (row 12). Facts lost.PATH count raw packets
 * without an answer, whose trials give no sample; facts resent.PATH count connections in which a
 * segment was sent again.
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
 * Series of remotefile are ORDER.PATH.BYTES: each read of 4 KiB from the first BYTES of the remote
 * BENCH.DAT through an empty page cache, with ORDER sequential or random (bench/disk/names.h).
 * Facts total.ORDER.PATH.BYTES are the times of all reads together. Path `local` is the same file
 * on the modelled disk or on the plan's disk.
 */
#define PATH_LOCAL "local"

/*
 * facts of netserver: what it answered, and frames of its NIC
 */
#define FACT_FRAMES_DAMAGED "frames_damaged"
#define FACT_DATAGRAMS      "datagrams"
#define FACT_CONNECTIONS    "connections"
#define FACT_BYTES_ECHOED   "bytes_echoed"
#define FACT_BYTES_SOURCED  "bytes_sourced"

/*
 * Series of netload are idle.PATH and loaded.PATH: UDP round trips of 64 bytes without and with a
 * bulk TCP transfer in the same direction. Facts: total.PATH and bytes.PATH of the transfer,
 * meanwhile.PATH (bytes acknowledged during loaded round trips), and unanswered.SERIES.PATH (round
 * trips that took more than 2 s, which give no sample).
 */
#define SERIES_UNLOADED "idle"
#define SERIES_LOADED   "loaded"
#define FACT_MEANWHILE  "meanwhile"
#define FACT_UNANSWERED "unanswered"
