/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/disk_timing.h"

#include <string.h>

#define NS_PER_S 1000000000ull
/* binary places of the square roots */
#define ROOT_BITS 20

/*
 * The sources of the values:
 *
 * hdd1996: no data sheet of the paper's disk, Fujitsu's M1606SAU, is at hand. The values are those
 * of the same maker's disk of 1,084 MB: 1819 cylinders, 15 heads, 5400 turns a minute, seeks of
 * 10.0 ms on average and 2.5 ms to the next track, a buffer of 512 KB, and 10 MB/s on the bus. Its
 * capacity gives 77 sectors a track, which pass in one turn. Between random cylinders, the square
 * root of distance / longest distance is 8/15 on average, so the longest seek is 2.5 + 7.5 * 15/8
 * ms. The 0.5 ms for the command are an assumption.
 *
 * ssd2014: the report's Apple SD0128F. A block of 4 KiB takes 203.5 us at random (sections 13 and
 * 14), 116.1 us in the first 2 MiB of a sequence and 73.5 us after that (section 14), and the times
 * of section 16 with 1 to 32 threads, each of which reads a file in order. That a queue keeps the
 * disk from reading ahead is an assumption, because one thread takes 125.3 us there and 74.0 us in
 * section 14. Two lanes of PCIe 2.0 carry 800 MB/s.
 *
 * nvme: 85 us, 490,000 reads of 4 KiB a second, 3.2 GB/s. optane: 10 us, 550,000 reads, 2.4 GB/s.
 * The number of servers is the smallest that reaches these rates.
 *
 * A read of 4 KiB takes the time of the source: the command takes what is left of it after the
 * transfer.
 */
static const uint32_t ssd2014_queue[DISK_TIMING_QUEUE] = {
    125292, 129623, 130591, 131776, 135678, 136234, 138663, 138843, 145052, 149173,   144131,
    148242, 157010, 165475, 165974, 160024, 168563, 175973, 182342, 196388, 203429,   214254,
    236563, 281612, 293876, 300763, 324981, 454182, 523013, 642253, 960801, 10669071,
};

static const struct disk_timing timings[] = {
    {.name = "hdd1996",
     .source = "Fujitsu M2694ESA, 1,084 MB, SCSI-2 (Hard Drive Specs, TULARC)",
     .servers = 1,
     .command = 500000,
     .seek_min = 2500000,
     .seek_max = 16562500,
     .turn = 11111111,
     .bytes_per_s = 77ull * DISK_TIMING_SECTOR * 90,
     .sectors_per_track = 77,
     .tracks_per_cylinder = 15,
     .cylinders = 1819,
     .buffer_sectors = 1024,
     .bus_bytes_per_s = 10000000},
    {.name = "ssd2014",
     .source = "measurement report, sections 13, 14 and 16: Apple SSD SD0128F (PCIe)",
     .servers = 1,
     .command = 198380,
     .next_queued = 120172,
     .next_early = 110980,
     .next_late = 68380,
     .early_sectors = 4096,
     .queue = ssd2014_queue,
     .bytes_per_s = 800000000},
    {.name = "nvme",
     .source = "Intel SSD DC P4500 2 TB, PCIe 3.0 x4 (Lenovo product guide, table 2)",
     .servers = 42,
     .command = 83720,
     .bytes_per_s = 3200000000},
    {.name = "optane",
     .source = "Intel Optane SSD DC P4800X 750 GB, PCIe 3.0 x4 (product brief)",
     .servers = 6,
     .command = 8294,
     .bytes_per_s = 2400000000},
};

const struct disk_timing *disk_timing_at(size_t index)
{
    return index < sizeof(timings) / sizeof(timings[0]) ? &timings[index] : NULL;
}

const struct disk_timing *disk_timing_named(const char *name)
{
    const struct disk_timing *timing;

    for (size_t i = 0; (timing = disk_timing_at(i)) != NULL; i++) {
        if (strcmp(timing->name, name) == 0) {
            return timing;
        }
    }
    return NULL;
}

/* Returns the square root, rounded down, calculated digit by digit. */
static uint64_t square_root(uint64_t value)
{
    uint64_t root = 0;

    for (uint64_t bit = 1ull << 62; bit != 0; bit >>= 2) {
        if (value >= root + bit) {
            value -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return root;
}

static uint64_t cylinder_of(const struct disk_timing *timing, uint64_t sector)
{
    return timing->sectors_per_track == 0
               ? 0
               : sector / timing->sectors_per_track / timing->tracks_per_cylinder;
}

static uint64_t seek_time(const struct disk_timing *timing, uint64_t from, uint64_t to)
{
    uint64_t distance = from < to ? to - from : from - to;

    if (distance == 0 || timing->cylinders == 0) {
        return 0;
    }
    if (distance > timing->cylinders) {
        distance = timing->cylinders;
    }
    const uint64_t root = square_root((distance << 2 * ROOT_BITS) / timing->cylinders);

    return timing->seek_min + ((timing->seek_max - timing->seek_min) * root >> ROOT_BITS);
}

static uint64_t rotation_time(const struct disk_timing *timing, uint64_t now, uint64_t sector)
{
    if (timing->turn == 0) {
        return 0;
    }
    const uint64_t passes =
        sector % timing->sectors_per_track * timing->turn / timing->sectors_per_track;

    return (timing->turn + passes - now % timing->turn) % timing->turn;
}

static uint32_t first_free(const struct disk_timing_state *state)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < state->timing->servers; i++) {
        if (state->free_at[i] < state->free_at[best]) {
            best = i;
        }
    }
    return best;
}

void disk_timing_begin(struct disk_timing_state *state, const struct disk_timing *timing,
                       uint64_t depth)
{
    memset(state, 0, sizeof(*state));
    state->timing = timing;
    state->queued = depth > 1;
}

static uint64_t time_of(uint64_t sectors, uint64_t bytes_per_s)
{
    return sectors * DISK_TIMING_SECTOR * NS_PER_S / bytes_per_s;
}

/* Returns the time of the command, and notes the read among the last ones. */
static uint64_t command_time(struct disk_timing_state *state, uint64_t now, uint64_t sector,
                             struct disk_timing_read *read)
{
    const struct disk_timing *timing = state->timing;
    uint64_t requests = 1;

    if (timing->next_late == 0) {
        return timing->command;
    }
    const uint64_t known = state->queued ? DISK_TIMING_PAST : 1;

    /* From the newest read on: if a read is done, all older ones are done too. */
    for (uint64_t i = 1; i <= known && i <= state->reads; i++) {
        const struct disk_timing_read *past = &state->past[(state->reads - i) % DISK_TIMING_PAST];

        requests += past->due > now ? 1 : 0;
        read->length = read->length == 0 && past->end == sector ? past->length : read->length;
        if (read->length != 0 && past->due <= now) {
            break;
        }
    }
    const uint64_t counted = requests < DISK_TIMING_QUEUE ? requests : DISK_TIMING_QUEUE;
    const uint64_t next = state->queued                          ? timing->next_queued
                          : read->length < timing->early_sectors ? timing->next_early
                                                                 : timing->next_late;

    return (read->length == 0 ? timing->command : next) + timing->queue[counted - 1] -
           timing->queue[0];
}

/* Does the buffer have room for the whole read, and hold its first sector at `now`? */
static bool is_ahead(const struct disk_timing_state *state, uint64_t now, uint64_t sector,
                     uint64_t sectors)
{
    return state->ahead_at != 0 && sector >= state->ahead &&
           sector + sectors <= state->ahead + state->timing->buffer_sectors &&
           state->ahead_at + time_of(sector - state->ahead, state->timing->bytes_per_s) <= now;
}

static void serve_ahead(const struct disk_timing_state *state, uint64_t end, uint64_t sectors,
                        struct disk_timing_service *service)
{
    const struct disk_timing *timing = state->timing;

    service->transfer = time_of(sectors, timing->bus_bytes_per_s);
    const uint64_t done = service->began + service->command + service->transfer;
    const uint64_t passed = state->ahead_at + time_of(end - state->ahead, timing->bytes_per_s);

    service->wait = passed > done ? passed - done : 0;
}

static void serve_medium(struct disk_timing_state *state, uint64_t sector, uint64_t sectors,
                         struct disk_timing_service *service)
{
    const struct disk_timing *timing = state->timing;
    uint64_t *cylinder = &state->cylinder[service->server];

    service->seek = seek_time(timing, *cylinder, cylinder_of(timing, sector));
    uint64_t ready = service->began + service->command + service->seek;

    service->rotation = rotation_time(timing, ready, sector);
    ready += service->rotation;
    service->wait = state->link_free_at > ready ? state->link_free_at - ready : 0;
    service->transfer = time_of(sectors, timing->bytes_per_s);
    *cylinder = cylinder_of(timing, sector + sectors - 1);
    state->link_free_at = ready + service->wait + service->transfer;
    state->ahead = sector + sectors;
    state->ahead_at = state->link_free_at;
}

void disk_timing_serve(struct disk_timing_state *state, uint64_t now, uint64_t sector,
                       uint64_t sectors, struct disk_timing_service *service)
{
    const uint32_t server = first_free(state);
    const uint64_t free_at = state->free_at[server];
    struct disk_timing_read read = {.end = sector + sectors};

    *service = (struct disk_timing_service){
        .server = server,
        .began = free_at > now ? free_at : now,
        .command = command_time(state, now, sector, &read),
    };
    if (is_ahead(state, service->began + service->command, sector, sectors)) {
        serve_ahead(state, sector + sectors, sectors, service);
    } else {
        serve_medium(state, sector, sectors, service);
    }
    service->due = service->began + service->command + service->seek + service->rotation +
                   service->wait + service->transfer;
    state->free_at[server] = service->due;
    read.due = service->due;
    read.length += sectors;
    state->past[state->reads++ % DISK_TIMING_PAST] = read;
}
