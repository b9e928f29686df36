/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timing model of the modelled disk, kernel/block/disk_timing.h, against a disk that is
 * simulated here: heads that are where they are, an angle that turns, servers that take the oldest
 * of a queue when they become free.
 */
#include "kernel/block/disk_timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tests/support/unit.h"

#define READS 20000

struct read {
    uint64_t at;
    uint64_t sector;
    uint64_t sectors;
    struct disk_timing_service service;
};

static struct read reads[READS];
static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
    return unit_random(&state) % below;
}

/* ---- the disk of this test ---- */

struct server {
    uint64_t busy_until;
    uint64_t cylinder;
};

/* The largest root whose square is not above: by floating point, put right. */
static uint64_t root_of(uint64_t value)
{
    uint64_t root = (uint64_t)sqrtl((long double)value);

    while (root * root > value) {
        root--;
    }
    while ((root + 1) * (root + 1) <= value) {
        root++;
    }
    return root;
}

static uint64_t seek_of(const struct disk_timing *timing, uint64_t from, uint64_t to)
{
    const uint64_t distance = (uint64_t)llabs((long long)to - (long long)from);
    const uint64_t most = timing->cylinders;
    const uint64_t cut = distance < most ? distance : most;

    if (distance == 0) {
        return 0;
    }
    const uint64_t root = root_of((uint64_t)((__uint128_t)cut * (1ull << 40) / most));

    return timing->seek_min +
           (uint64_t)((__uint128_t)(timing->seek_max - timing->seek_min) * root / (1u << 20));
}

/* Turn after turn, until the block passes. */
static uint64_t rotation_of(const struct disk_timing *timing, uint64_t now, uint64_t sector)
{
    const uint64_t spt = timing->sectors_per_track;
    uint64_t passes = now / timing->turn * timing->turn + (sector % spt) * timing->turn / spt;

    while (passes < now) {
        passes += timing->turn;
    }
    return passes - now;
}

static uint64_t cylinder_of(const struct disk_timing *timing, uint64_t sector)
{
    return sector / (timing->sectors_per_track * timing->tracks_per_cylinder);
}

static void serve(const struct disk_timing *timing, struct server *server, const struct read *read,
                  struct disk_timing_service *out)
{
    const bool moves = timing->sectors_per_track != 0;

    out->began = read->at > server->busy_until ? read->at : server->busy_until;
    out->command = timing->command;
    out->seek = moves ? seek_of(timing, server->cylinder, cylinder_of(timing, read->sector)) : 0;
    out->rotation =
        moves ? rotation_of(timing, out->began + out->command + out->seek, read->sector) : 0;
    out->transfer = (uint64_t)((__uint128_t)read->sectors * 512 * 1000000000 / timing->bytes_per_s);
    out->due = out->began + out->command + out->seek + out->rotation + out->transfer;
    server->busy_until = out->due;
    server->cylinder = moves ? cylinder_of(timing, read->sector + read->sectors - 1) : 0;
}

static void draw_reads(const struct disk_timing *timing, uint64_t mean_gap)
{
    uint64_t now = 0;

    for (size_t i = 0; i < READS; i++) {
        now += draw(2 * mean_gap);
        reads[i].at = now;
        reads[i].sectors = 1 + draw(draw(8) == 0 ? 256 : 8);
        reads[i].sector = draw(timing->name[0] == 'h' ? 2100000 : 1 << 30);
    }
}

static void check_read(const struct read *read, const struct disk_timing_service *service)
{
    CHECK_EQUAL(service->server, read->service.server);
    CHECK_EQUAL(service->began, read->service.began);
    CHECK_EQUAL(service->seek, read->service.seek);
    CHECK_EQUAL(service->rotation, read->service.rotation);
    CHECK_EQUAL(service->transfer, read->service.transfer);
    CHECK_EQUAL(service->due, read->service.due);
}

static void check_timing(const struct disk_timing *timing, uint64_t mean_gap)
{
    struct server servers[DISK_TIMING_SERVERS_MAX] = {0};
    struct disk_timing_state disk;

    draw_reads(timing, mean_gap);
    disk_timing_begin(&disk, timing);
    for (size_t i = 0; i < READS; i++) {
        uint32_t free = 0;

        for (uint32_t k = 1; k < timing->servers; k++) {
            free = servers[k].busy_until < servers[free].busy_until ? k : free;
        }
        reads[i].service.server = free;
        serve(timing, &servers[free], &reads[i], &reads[i].service);

        struct disk_timing_service service;

        disk_timing_serve(&disk, reads[i].at, reads[i].sector, reads[i].sectors, &service);
        check_read(&reads[i], &service);
    }
}

static void test_all_timings_at_all_loads(void)
{
    const struct disk_timing *timing;

    for (size_t i = 0; (timing = disk_timing_at(i)) != NULL; i++) {
        CHECK(timing->servers >= 1 && timing->servers <= DISK_TIMING_SERVERS_MAX);
        check_timing(timing, 100000000); /* hardly ever two at once, */
        check_timing(timing, 20000);     /* often, */
        check_timing(timing, 100);       /* always */
    }
}

/* ---- what data sheets have ---- */

static uint64_t one_read(const char *name, uint64_t sectors)
{
    struct disk_timing_state disk;
    struct disk_timing_service service;

    disk_timing_begin(&disk, disk_timing_named(name));
    disk_timing_serve(&disk, 0, 0, sectors, &service);
    return service.due;
}

static void test_a_page_takes_what_the_sheet_has(void)
{
    CHECK_EQUAL(one_read("ssd2014", 8), 150000);
    CHECK_EQUAL(one_read("nvme", 8), 85000);
    CHECK_EQUAL(one_read("optane", 8), 10000);
}

/* Reads of pages a second with every server busy. */
static double rate_of(const char *name)
{
    struct disk_timing_state disk;
    struct disk_timing_service service;
    uint64_t last = 0;

    disk_timing_begin(&disk, disk_timing_named(name));
    for (size_t i = 0; i < READS; i++) {
        disk_timing_serve(&disk, 0, i, 8, &service);
        last = service.due > last ? service.due : last;
    }
    return READS * 1e9 / (double)last;
}

/* Servers are whole: within one of them. */
static void test_servers_do_what_the_sheet_has(void)
{
    CHECK(rate_of("nvme") >= 490000 && rate_of("nvme") < 490000 * 43. / 42);
    CHECK(rate_of("optane") >= 550000 && rate_of("optane") < 550000 * 7. / 6);
}

static void test_mean_seek_and_turn_of_the_old_disk(void)
{
    const struct disk_timing *timing = disk_timing_named("hdd1996");
    const uint64_t sectors =
        timing->cylinders * timing->tracks_per_cylinder * timing->sectors_per_track;
    struct disk_timing_state disk;
    struct disk_timing_service service;
    double seeks = 0;
    double turns = 0;

    CHECK(sectors * 512 > 1070000000 && sectors * 512 < 1100000000);
    disk_timing_begin(&disk, timing);
    for (uint64_t i = 0; i < READS; i++) {
        disk_timing_serve(&disk, i * 100000000 + draw(1000000000), draw(sectors), 1, &service);
        seeks += (double)service.seek / READS;
        turns += (double)service.rotation / READS;
    }
    CHECK(fabs(seeks - 10e6) < 0.1e6); /* 10.0 ms, within 3 standard errors of 0.03 ms */
    CHECK(fabs(turns - (double)timing->turn / 2) < 0.08e6);
}

/* The next sector comes under the head when the one before has passed. */
static void test_a_track_in_order_takes_a_turn(void)
{
    const struct disk_timing *timing = disk_timing_named("hdd1996");
    struct disk_timing_state disk;
    struct disk_timing_service service;

    disk_timing_begin(&disk, timing);
    disk_timing_serve(&disk, 0, 0, timing->sectors_per_track, &service);
    CHECK(llabs((long long)service.transfer - (long long)timing->turn) <= 1);
    CHECK_EQUAL(service.seek, 0);
    CHECK(service.rotation < timing->turn);
}

static void test_names(void)
{
    const struct disk_timing *timing;
    char names[sizeof(DISK_TIMINGS) + 64] = "";

    for (size_t i = 0; (timing = disk_timing_at(i)) != NULL; i++) {
        CHECK(disk_timing_named(timing->name) == timing);
        CHECK(timing->source != NULL && timing->bytes_per_s != 0);
        strncat(names, i > 0 ? "," : "", 1);
        strncat(names, timing->name, 16);
    }
    CHECK_TEXT(names, DISK_TIMINGS);
    CHECK(disk_timing_named("hdd") == NULL);
    CHECK(disk_timing_named("") == NULL);
}

int main(void)
{
    RUN(test_all_timings_at_all_loads());
    RUN(test_a_page_takes_what_the_sheet_has());
    RUN(test_servers_do_what_the_sheet_has());
    RUN(test_mean_seek_and_turn_of_the_old_disk());
    RUN(test_a_track_in_order_takes_a_turn());
    RUN(test_names());
    return unit_finish("unit_disk_timing");
}
