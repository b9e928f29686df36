/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/trace/recorder.h"

#include <string.h>

#include "kernel/trace/account.h"
#include "kernel/trace/trace.h"

/* Shared with recorder.S: what the fast path reads. While everything is full, `limit` is 0; while
 * nothing is recorded, `at` is 0 as well. */
struct open_packet {
    volatile uintptr_t at;       /* address of the next record */
    volatile uintptr_t limit;    /* end of the open packet */
    volatile uint32_t epoch;     /* upper bits of the latest stamp */
    volatile uint32_t full;      /* not 0: records are counted and discarded */
    volatile uint64_t discarded; /* number of discarded records */
};
extern PER_CPU struct open_packet open_packet __attribute__((visibility("hidden")));
PER_CPU struct open_packet open_packet PER_CPU_SECTION;
/* Which kind of record opens a packet, as the time to open it depends on that: STAMPED if the
 * record had read its stamp already and found no room for an extended header; CHARGING if it
 * updates the accounting, which takes longer. */
enum turning {
    TURNING_STAMPED = 1 << 0,
    TURNING_CHARGING = 1 << 1,
    TURNINGS = 1 << 2,
};

PER_CPU bool trace_running PER_CPU_SECTION;

static PER_CPU struct {
    uint8_t *memory;
    size_t packets;
    enum recorder_mode mode;
    uint32_t cpu;
    volatile bool busy; /* on the slow path: an NMI that comes now finds no room */
    /* Ticks for opening a packet outside its own two stamps, for each kind of record. */
    uint32_t turning[TURNINGS];
    uint64_t sequence; /* sequence number of the open packet */
    uint64_t begin;
    uint64_t end;
    uint64_t overwritten;
    /* TSC when the first record was discarded because everything was full; 0 if none was */
    uint64_t filled;
    recorder_hook *on_filled;
} ring PER_CPU_SECTION;

/* Takes the fields of records that are discarded. */
static uint8_t nowhere[64];

/* ---- the table ---- */

size_t recorder_field_bytes(uint32_t id)
{
#define TRACE_EVENT0(id, name)                 [id] = 0 + 1,
#define TRACE_EVENT1(id, name, t0, f0)         [id] = sizeof(t0) + 1,
#define TRACE_EVENT2(id, name, t0, f0, t1, f1) [id] = sizeof(t0) + sizeof(t1) + 1,
#define TRACE_EVENT3(id, name, t0, f0, t1, f1, t2, f2) \
    [id] = sizeof(t0) + sizeof(t1) + sizeof(t2) + 1,
#define TRACE_EVENT4(id, name, t0, f0, t1, f1, t2, f2, t3, f3) \
    [id] = sizeof(t0) + sizeof(t1) + sizeof(t2) + sizeof(t3) + 1,
#define TRACE_EVENT5(id, name, t0, f0, t1, f1, t2, f2, t3, f3, t4, f4) \
    [id] = sizeof(t0) + sizeof(t1) + sizeof(t2) + sizeof(t3) + sizeof(t4) + 1,
    /* Number of bytes plus 1; 0 if there is no such event. */
    static const uint8_t bytes[TRACE_ID_LIMIT] = {
#include "kernel/trace/events.def"
    };

    return id < TRACE_ID_LIMIT && bytes[id] != 0 ? bytes[id] - 1u : SIZE_MAX;
}

/* ---- stamps ---- */

/* The TSC as the record functions split it: nothing above bit 58 is kept. */
struct stamp {
    uint32_t low;
    uint32_t epoch; /* bits 27 to 58 */
};

static struct stamp stamp_read(void)
{
    struct stamp stamp;

#if TARE_SMP
    uint32_t high;

    __asm__ volatile("rdtsc" : "=a"(stamp.low), "=d"(high));
    const uint64_t now = ((uint64_t)high << 32 | stamp.low) - percpu_given;

    stamp.low = (uint32_t)now;
    stamp.epoch = (uint32_t)(now >> TRACE_STAMP_BITS);
#else
    __asm__ volatile("rdtsc; shldl $5, %%eax, %%edx" : "=a"(stamp.low), "=d"(stamp.epoch) : : "cc");
#endif
    return stamp;
}

static uint64_t whole_of(struct stamp stamp)
{
    const uint32_t mask = (1u << TRACE_STAMP_BITS) - 1;

    return (uint64_t)stamp.epoch << TRACE_STAMP_BITS | (stamp.low & mask);
}

/* ---- packets ---- */

static struct trace_packet *packet_of(uint64_t sequence)
{
    return (struct trace_packet *)(ring.memory + sequence % ring.packets * TRACE_PACKET_BYTES);
}

static uint64_t count_records(const struct trace_packet *packet)
{
    const uint8_t *at = (const uint8_t *)(packet + 1);
    const uint8_t *end = (const uint8_t *)packet + packet->content_bits / 8;
    uint64_t count = 0;

    while (at < end) {
        const bool extended = (*at & TRACE_ID_EXTENDED) == TRACE_ID_EXTENDED;
        const uint32_t id = extended ? at[1] : *at & TRACE_ID_EXTENDED;

        at += (extended ? TRACE_HEADER_EXTENDED : TRACE_HEADER_COMPACT) + recorder_field_bytes(id);
        count++;
    }
    return count;
}

static void close_packet(uint64_t now)
{
    struct trace_packet *packet = packet_of(ring.sequence);

    packet->end = now;
    packet->content_bits = (open_packet.at - (uintptr_t)packet) * 8;
    packet->discarded = open_packet.discarded;
}

/* Opens packet ring.sequence. Returns where it ends. */
static uintptr_t start_packet(uint64_t now)
{
    static const uint8_t uuid[] = TRACE_UUID;
    struct trace_packet *packet = packet_of(ring.sequence);

    if (ring.sequence >= ring.packets) {
        ring.overwritten += count_records(packet);
    }
    *packet = (struct trace_packet){
        .magic = TRACE_PACKET_MAGIC,
        .begin = now,
        .end = now,
        .content_bits = sizeof(*packet) * 8,
        .packet_bits = TRACE_PACKET_BYTES * 8,
        .sequence = ring.sequence,
        .cpu = ring.cpu,
    };
    for (size_t i = 0; i < sizeof(uuid); i++) {
        packet->uuid[i] = uuid[i];
    }
    open_packet.at = (uintptr_t)(packet + 1);
    open_packet.epoch = (uint32_t)(now >> TRACE_STAMP_BITS);
    return (uintptr_t)packet + TRACE_PACKET_BYTES;
}

/* ---- the slow path ---- */

/* Where the fields of a record go; NULL if a packet was opened and the record must start again. */
struct reserved {
    uint8_t *fields;
    uint64_t stamp;
};

/* Called from recorder.S. The stamp was read while the next record would have gone to `seen`, and
 * is valid only if that is still so; `seen` is 0 if no stamp was read. */
struct reserved recorder_reserve(uint32_t id_bytes, uintptr_t seen, uint32_t low, uint32_t epoch);

/* On the host, a trace belongs to a thread that is never interrupted. */
static uint64_t interrupts_save(void)
{
    uint64_t flags = 0;

    if (__STDC_HOSTED__ == 0) {
        __asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
    }
    return flags;
}

static void interrupts_restore(uint64_t flags)
{
    if (__STDC_HOSTED__ == 0) {
        __asm__ volatile("pushq %0; popfq" : : "r"(flags) : "memory", "cc");
    }
}

static enum turning turning_of(uint32_t id, bool stamped)
{
    return (stamped ? TURNING_STAMPED : 0) | (ACCOUNT_MOVED_BY(id) ? TURNING_CHARGING : 0);
}

/* Opens the next packet. Returns false if there is no room for one. */
static bool turn_page(uintptr_t *limit, enum turning turning)
{
    const uint64_t start = whole_of(stamp_read());

    close_packet(start);
    if (ring.mode == RECORDER_STOP && ring.sequence + 1 == ring.packets) {
        open_packet.full = 1;
        ring.filled = start;
        return false;
    }
    ring.sequence++;
    *limit = start_packet(whole_of(stamp_read()));
    packet_of(ring.sequence)->tracer_ticks =
        (uint32_t)(whole_of(stamp_read()) - start) + ring.turning[turning];
    return true;
}

/* The result of reserve_alone(). */
enum outcome { RESERVED, TURNED, NO_ROOM };

/* Reserves room. Interrupts are off and `limit` is 0, so that an NMI cannot record. */
static enum outcome reserve_alone(uint32_t id, size_t bytes, uintptr_t *limit, uintptr_t seen,
                                  struct stamp before, struct reserved *reserved)
{
    const bool stamped = open_packet.at == seen;
    const struct stamp stamp = stamped ? before : stamp_read();
    uint8_t *at = (uint8_t *)open_packet.at;
    const bool compact = stamp.epoch == open_packet.epoch;
    const size_t header = compact ? TRACE_HEADER_COMPACT : TRACE_HEADER_EXTENDED;

    reserved->stamp = whole_of(stamp);
    if (open_packet.at + header + bytes > *limit) {
        return turn_page(limit, turning_of(id, stamped)) ? TURNED : NO_ROOM;
    }
    open_packet.at += header + bytes;
    reserved->fields = at + header;
    if (compact) {
        const uint32_t word = stamp.low << TRACE_ID_BITS | id;

        memcpy(at, &word, sizeof(word));
        return RESERVED;
    }
    open_packet.epoch = stamp.epoch;
    *at = TRACE_ID_EXTENDED;
    memcpy(at + 1, &id, sizeof(id));
    memcpy(at + 5, &reserved->stamp, sizeof(reserved->stamp));
    return RESERVED;
}

struct reserved recorder_reserve(uint32_t id_bytes, uintptr_t seen, uint32_t low, uint32_t epoch)
{
    const struct stamp stamp = {low, epoch};
    const uint64_t flags = interrupts_save();
    enum outcome outcome = NO_ROOM;
    struct reserved reserved = {nowhere, 0};

    if (trace_running && !ring.busy) {
        /* Set this first: otherwise an NMI could open a packet after `limit` is read below, and the
         * later write would undo that. */
        ring.busy = true;
        uintptr_t limit = open_packet.limit;

        open_packet.limit = 0;
        if (open_packet.full == 0) {
            outcome = reserve_alone(id_bytes & 255, id_bytes >> 8, &limit, seen, stamp, &reserved);
        }
        open_packet.limit = open_packet.full != 0 ? 0 : limit;
        ring.busy = false;
        if (outcome == NO_ROOM && ring.on_filled != NULL) {
            ring.on_filled();
        }
    }
    if (outcome == NO_ROOM && trace_running) {
        /* Use one instruction, so that an NMI in between is counted as well. */
        __asm__ volatile("incq %0" : "+m"(open_packet.discarded) : : "cc");
    }
    interrupts_restore(flags);
    reserved.fields = outcome == TURNED ? NULL : reserved.fields;
    return reserved;
}

/* ---- start and stop ---- */

void recorder_start(void *memory, size_t packets, enum recorder_mode mode, uint32_t cpu)
{
    ring.memory = memory;
    ring.packets = packets;
    ring.mode = mode;
    ring.cpu = cpu;
    ring.busy = false;
    ring.sequence = 0;
    ring.overwritten = 0;
    ring.filled = 0;
    open_packet.discarded = 0;
    open_packet.full = mode == RECORDER_OFF;
    /* An interrupt in between would enter a handler without a record and leave it with one. */
    const uint64_t flags = interrupts_save();

    ring.begin = whole_of(stamp_read());
    if (mode == RECORDER_OFF) {
        /* any address other than 0; with a limit of 0, no record fits there */
        open_packet.at = (uintptr_t)nowhere;
        open_packet.limit = 0;
    } else {
        open_packet.limit = start_packet(ring.begin);
    }
    trace_account_begin(ring.begin);
    trace_running = true;
    interrupts_restore(flags);
}

void recorder_on_filled(recorder_hook *hook)
{
    ring.on_filled = hook;
}

void recorder_stop(void)
{
    if (!trace_running) {
        return;
    }
    const uint64_t flags = interrupts_save(); /* for the same reason as in recorder_start() */

    trace_running = false;
    open_packet.limit = 0;
    ring.end = whole_of(stamp_read());
    trace_account_end(ring.end);
    if (open_packet.full == 0) {
        close_packet(ring.end);
    }
    open_packet.at = 0;
    interrupts_restore(flags);
}

bool recorder_running(void)
{
    return trace_running;
}

uint64_t recorder_begin(void)
{
    return ring.begin;
}

#define TURN_PACKETS (65536 / TRACE_PACKET_BYTES)

bool recorder_turn(void)
{
    const bool room =
        trace_running && open_packet.full == 0 && recorder_free_packets() > TURN_PACKETS;

    if (room) {
        open_packet.limit = open_packet.at; /* no record fits any more */
    }
    return room && (ring.sequence + 1) % TURN_PACKETS != 0;
}

size_t recorder_free_packets(void)
{
    return ring.sequence + 1 < ring.packets ? ring.packets - (size_t)ring.sequence - 1 : 0;
}

void recorder_result(struct recorder_result *result)
{
    const uint64_t end = ring.mode == RECORDER_OFF ? 0 : ring.sequence + 1;

    *result = (struct recorder_result){
        .begin = ring.begin,
        .end = ring.end,
        .first = end > ring.packets ? end - ring.packets : 0,
        .discarded = ring.mode == RECORDER_OFF ? 0 : open_packet.discarded,
        .overwritten = ring.overwritten,
        .filled = ring.filled,
    };
    result->count = end - result->first;
    for (uint64_t s = result->first; s < end; s++) {
        result->kept += count_records(packet_of(s));
    }
}

/* ---- cost of records ---- */

#define TRIES       16
#define TURNING_MAX 1000000 /* in ticks: a larger result is a disturbed measurement, not a cost */

/* Returns the stamp of the record at *at, which has a compact header, and moves *at to the next
 * record. */
static uint32_t next_stamp(const uint8_t **at)
{
    uint32_t header;

    memcpy(&header, *at, sizeof(header));
    *at += TRACE_HEADER_COMPACT + recorder_field_bytes(header & TRACE_ID_EXTENDED);
    return header >> TRACE_ID_BITS;
}

static uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Makes three pairs of records after a stamp. The first pair shows how long after the stamp a
 * record's own stamp is read, and how long a whole record takes. The second pair begins with an
 * extended header. The third shows how long a record takes that updates the accounting. */
static void measure_pair(void *memory, struct recorder_costs *costs)
{
    recorder_start(memory, 2, RECORDER_STOP, 0);
    const struct stamp before = stamp_read();
    const struct stamp start = stamp_read();

    trace_message_send(0, 0, 0);
    trace_message_send(0, 0, 0);
    open_packet.epoch++;
    trace_message_send(0, 0, 0);
    trace_message_send(0, 0, 0);
    trace_thread_switch(0, 0, 0);
    trace_thread_switch(0, 0, 0);
    recorder_stop();

    const uint8_t *at = (const uint8_t *)memory + sizeof(struct trace_packet);
    const uint32_t mask = (1u << TRACE_STAMP_BITS) - 1;
    const uint32_t first = next_stamp(&at);
    const uint32_t second = next_stamp(&at);

    if (*at != TRACE_ID_EXTENDED || (first & mask) < (start.low & mask)) {
        return; /* the upper bits changed by themselves; the next try will do */
    }
    uint32_t third;

    memcpy(&third, at + 5, sizeof(third));
    third &= mask;

    at += TRACE_HEADER_EXTENDED + recorder_field_bytes(at[1]);
    const uint32_t fourth = next_stamp(&at);
    const uint32_t fifth = next_stamp(&at);
    const uint32_t sixth = next_stamp(&at);

    /* time between two stamps with nothing in between */
    const uint32_t pair = start.low - before.low;
    const uint32_t reported = first - (start.low & mask);

    costs->lead = min(costs->lead, reported > pair ? reported - pair : 0);
    costs->record = min(costs->record, second - first);
    costs->extended = min(costs->extended, fourth - third);
    costs->charging = min(costs->charging, sixth - fifth);
}

/* Makes records in a row until a packet has been opened in between, and computes how much longer
 * that took, beyond its own stamps. */
static void measure_turning(void *memory, enum turning way, uint32_t *turning)
{
    const bool charging = (way & TURNING_CHARGING) != 0;
    const bool stamped = (way & TURNING_STAMPED) != 0;
    const size_t fields = recorder_field_bytes(charging ? ACCOUNT_SWITCH : TRACE_ID_message_send);
    const struct trace_packet *first = memory;
    const struct trace_packet *second =
        (const struct trace_packet *)((const uint8_t *)memory + TRACE_PACKET_BYTES);
    const uint32_t record = TRACE_HEADER_COMPACT + (uint32_t)fields;
    const uint32_t mask = (1u << TRACE_STAMP_BITS) - 1;

    recorder_start(memory, 2, RECORDER_STOP, 0);
    const uintptr_t last_extended = open_packet.limit - TRACE_HEADER_EXTENDED - fields;

    while (ring.sequence == 0) {
        /* Each turn must execute the same instructions, because a difference would be taken for a
         * cost. */
        open_packet.epoch += (uint32_t)stamped & (uint32_t)(open_packet.at > last_extended);
        if (charging) {
            trace_thread_switch(0, 0, 0);
        } else {
            trace_message_send(0, 0, 0);
        }
    }
    recorder_stop();

    const uint8_t *last = (const uint8_t *)first + first->content_bits / 8 - 2 * (size_t)record;
    const uint8_t *next = (const uint8_t *)(second + 1);

    if ((*last & TRACE_ID_EXTENDED) == TRACE_ID_EXTENDED ||
        (*next & TRACE_ID_EXTENDED) == TRACE_ID_EXTENDED ||
        first->begin >> TRACE_STAMP_BITS != second->end >> TRACE_STAMP_BITS) {
        return; /* the upper bits changed by themselves; the next try will do */
    }
    const uint32_t a = next_stamp(&last);
    const uint32_t b = next_stamp(&last);
    const uint32_t c = next_stamp(&next);

    *turning = min(*turning, ((c - b) & mask) - ((b - a) & mask) - second->tracer_ticks);
}

void recorder_measure(void *memory, struct recorder_costs *costs)
{
    uint32_t turning[TURNINGS];

    *costs = (struct recorder_costs){UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    memset(PER_CPU_HERE(uint32_t, ring.turning[0]), 0, sizeof(ring.turning));
    memset(turning, 0xff, sizeof(turning));
    for (int i = 0; i < TRIES; i++) {
        measure_pair(memory, costs);
        for (enum turning way = 0; way < TURNINGS; way++) {
            measure_turning(memory, way, &turning[way]);
        }
    }
    for (size_t i = 0; i < TURNINGS; i++) {
        ring.turning[i] = turning[i] < TURNING_MAX ? turning[i] : 0;
    }
}
