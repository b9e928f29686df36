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
 * 10.0 ms on average and 2.5 ms to the next track. Its capacity gives 77 sectors a track, which
 * pass in one turn. Between random cylinders, the square root of distance / longest distance is
 * 8/15 on average, so the longest seek is 2.5 + 7.5 * 15/8 ms. The 0.5 ms for the command are an
 * assumption.
 *
 * ssd2014: the report gives 150 us for its Apple SD0128F, and threads beyond 24 wait. Two lanes of
 * PCIe 2.0 carry 800 MB/s.
 *
 * nvme: 85 us, 490,000 reads of 4 KiB a second, 3.2 GB/s. optane: 10 us, 550,000 reads, 2.4 GB/s.
 * The number of servers is the smallest that reaches these rates.
 *
 * A read of 4 KiB takes the time of the data sheet: the command takes what is left of it after the
 * transfer.
 */
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
     .cylinders = 1819},
    {.name = "ssd2014",
     .source = "measurement report, sections 2, 13 and 16: Apple SSD SD0128F (PCIe)",
     .servers = 24,
     .command = 144880,
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

void disk_timing_begin(struct disk_timing_state *state, const struct disk_timing *timing)
{
    memset(state, 0, sizeof(*state));
    state->timing = timing;
}

void disk_timing_serve(struct disk_timing_state *state, uint64_t now, uint64_t sector,
                       uint64_t sectors, struct disk_timing_service *service)
{
    const struct disk_timing *timing = state->timing;
    const uint32_t server = first_free(state);
    const uint64_t began = state->free_at[server] > now ? state->free_at[server] : now;
    const uint64_t seek = seek_time(timing, state->cylinder[server], cylinder_of(timing, sector));

    *service = (struct disk_timing_service){
        .server = server,
        .began = began,
        .command = timing->command,
        .seek = seek,
        .rotation = rotation_time(timing, began + timing->command + seek, sector),
        .transfer = sectors * DISK_TIMING_SECTOR * NS_PER_S / timing->bytes_per_s,
    };
    service->due = began + service->command + seek + service->rotation + service->transfer;
    state->free_at[server] = service->due;
    state->cylinder[server] = cylinder_of(timing, sector + sectors - 1);
}
