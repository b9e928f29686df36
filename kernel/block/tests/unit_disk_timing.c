/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timing model of the modelled disk, kernel/block/disk_timing.h, against a disk that is
 * simulated here: heads that are where they are, an angle that turns, servers that take the oldest
 * of a queue when they become free.
 */
#include "kernel/block/disk_timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tests/support/unit.h"

#define READS 4000

struct read {
    uint64_t at;
    uint64_t sector;
    uint64_t sectors;
    uint64_t length; /* of its sequence */
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

/* Requests at the disk when read `i` arrives, itself included; it knows of the last ones. */
static uint64_t at_the_disk(size_t i, uint64_t known)
{
    uint64_t count = 1;

    for (size_t k = i > known ? i - known : 0; k < i; k++) {
        count += reads[k].service.due > reads[i].at ? 1 : 0;
    }
    return count < 32 ? count : 32;
}

/* Sectors of the sequence that read `i` continues: the newest that ends where it begins. */
static uint64_t sequence_before(size_t i, uint64_t known)
{
    uint64_t newest = 0;

    for (size_t k = i > known ? i - known : 0; k < i; k++) {
        if (reads[k].sector + reads[k].sectors == reads[i].sector) {
            newest = reads[k].length;
        }
    }
    return newest;
}

static uint64_t command_of(const struct disk_timing *timing, size_t i, bool queued)
{
    if (timing->queue == NULL) {
        return timing->command;
    }
    const uint64_t before = sequence_before(i, queued ? 64 : 1);

    reads[i].length = before + reads[i].sectors;
    uint64_t command = timing->command;

    if (before > 0) {
        command = queued
                      ? timing->next_queued
                      : (before < timing->early_sectors ? timing->next_early : timing->next_late);
    }
    return command + timing->queue[at_the_disk(i, queued ? 64 : 1) - 1] - timing->queue[0];
}

static uint64_t transfer_of(uint64_t sectors, uint64_t rate)
{
    return (uint64_t)((__uint128_t)sectors * 512 * 1000000000 / rate);
}

/* what the medium and the link did last */
static struct {
    bool reads_on;
    uint64_t from; /* sector */
    uint64_t at;
    uint64_t link;
} medium;

static void serve(const struct disk_timing *timing, struct server *server, size_t i, bool queued)
{
    const struct read *read = &reads[i];
    struct disk_timing_service *out = &reads[i].service;
    const bool moves = timing->sectors_per_track != 0;

    *out = (struct disk_timing_service){.server = out->server};
    out->began = read->at > server->busy_until ? read->at : server->busy_until;
    out->command = command_of(timing, i, queued);
    uint64_t now = out->began + out->command;

    if (medium.reads_on && timing->buffer_sectors != 0 && read->sector >= medium.from &&
        read->sector - medium.from + read->sectors <= timing->buffer_sectors &&
        medium.at + transfer_of(read->sector - medium.from, timing->bytes_per_s) <= now) {
        const uint64_t there = medium.at + transfer_of(read->sector + read->sectors - medium.from,
                                                       timing->bytes_per_s);

        out->transfer = transfer_of(read->sectors, timing->bus_bytes_per_s);
        now += out->transfer;
        out->due = there > now ? there : now;
        server->busy_until = out->due;
        return;
    }
    out->seek = moves ? seek_of(timing, server->cylinder, cylinder_of(timing, read->sector)) : 0;
    out->rotation = moves ? rotation_of(timing, now + out->seek, read->sector) : 0;
    now += out->seek + out->rotation;
    now = now > medium.link ? now : medium.link;
    out->transfer = transfer_of(read->sectors, timing->bytes_per_s);
    out->due = now + out->transfer;
    server->busy_until = out->due;
    server->cylinder = moves ? cylinder_of(timing, read->sector + read->sectors - 1) : 0;
    medium.link = out->due;
    medium.reads_on = true;
    medium.from = read->sector + read->sectors;
    medium.at = out->due;
}

/* Half of the reads begin where one of the last three ended, or a little later. */
static void draw_reads(const struct disk_timing *timing, uint64_t mean_gap)
{
    uint64_t now = 0;

    for (size_t i = 0; i < READS; i++) {
        now += draw(2 * mean_gap);
        reads[i] = (struct read){.at = now, .sectors = 1 + draw(draw(8) == 0 ? 256 : 8)};
        reads[i].sector = draw(timing->name[0] == 'h' ? 2000000 : 1 << 30);
        if (i >= 3 && draw(2) == 0) {
            const struct read *last = &reads[i - 1 - draw(3)];

            reads[i].sector = last->sector + last->sectors + (draw(4) == 0 ? draw(64) : 0);
        }
    }
}

static void check_read(const struct read *read, const struct disk_timing_service *service)
{
    CHECK_EQUAL(service->server, read->service.server);
    CHECK_EQUAL(service->began, read->service.began);
    CHECK_EQUAL(service->command, read->service.command);
    CHECK_EQUAL(service->seek, read->service.seek);
    CHECK_EQUAL(service->rotation, read->service.rotation);
    CHECK_EQUAL(service->transfer, read->service.transfer);
    CHECK_EQUAL(service->due, read->service.due);
}

static void check_timing(const struct disk_timing *timing, uint64_t mean_gap, uint64_t depth)
{
    struct server servers[DISK_TIMING_SERVERS_MAX] = {0};
    struct disk_timing_state disk;

    memset(&medium, 0, sizeof(medium));
    draw_reads(timing, mean_gap);
    disk_timing_begin(&disk, timing, depth);
    for (size_t i = 0; i < READS; i++) {
        uint32_t free = 0;

        for (uint32_t k = 1; k < timing->servers; k++) {
            free = servers[k].busy_until < servers[free].busy_until ? k : free;
        }
        reads[i].service.server = free;
        serve(timing, &servers[free], i, depth > 1);

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
        for (uint64_t depth = 1; depth <= 32; depth += 31) {
            check_timing(timing, 100000000, depth); /* hardly ever two at once, */
            check_timing(timing, 20000, depth);     /* often, */
            check_timing(timing, 100, depth);       /* always */
        }
    }
}

/* ---- the tables of the sources ---- */

#define PAGE 8 /* sectors */

enum order { SEQUENTIAL, RANDOM, BACKWARDS };

/* Mean ns of a page of a file that one thread reads, as the report's sections 13 and 14. */
static double page_of_file(const char *name, uint64_t pages, enum order order)
{
    struct disk_timing_state disk;
    struct disk_timing_service service = {0};

    disk_timing_begin(&disk, disk_timing_named(name), 1);
    for (uint64_t i = 0; i < pages; i++) {
        const uint64_t page = order == SEQUENTIAL  ? i
                              : order == BACKWARDS ? pages - 1 - i
                                                   : draw(pages);

        disk_timing_serve(&disk, service.due, page * PAGE, PAGE, &service);
    }
    return (double)service.due / (double)pages;
}

/* Cells of the report that contradict their neighbours or each other; README.md says why. */
static void within_a_tenth(double value, double cell, bool is_named)
{
    const bool within = fabs(value / cell - 1) <= 0.1;

    CHECK(within != is_named);
    if (within == is_named) {
        printf("the model takes %.1f us, the source %.1f us\n", value / 1e3, cell / 1e3);
    }
}

/* Section 14.3: totals by size in MiB, in order and at random; section 13.3: the files above 1 GiB
 * that its cache could not hold, read backwards. */
static void test_files_of_the_report(void)
{
    static const struct {
        uint64_t mib;
        double sequential, random;
    } files[] = {
        {2, 5.94642e7, 1.06246e8},      {8, 1.83524e8, 4.0641e8},
        {32, 6.06282e8, 1.90806e9},     {256, 5.89461e9, 1.28649e10},
        {512, 8.79969e9, 2.42765e10},   {1024, 1.96784e10, 5.34049e10},
        {2048, 3.71897e10, 1.07222e11}, {4096, 8.18774e10, 2.18774e11},
    };
    static const double backwards[] = {243124, 203731, 210358};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        const uint64_t pages = files[i].mib * 256;

        within_a_tenth(page_of_file("ssd2014", pages, SEQUENTIAL),
                       files[i].sequential / (double)pages, files[i].mib == 256);
        within_a_tenth(page_of_file("ssd2014", pages, RANDOM), files[i].random / (double)pages,
                       files[i].mib == 32);
    }
    for (size_t i = 0; i < 3; i++) {
        within_a_tenth(page_of_file("ssd2014", 4096, BACKWARDS), backwards[i], i == 0);
    }
}

/* Mean ns of a page, with this many threads that read 7000 pages of a file each, as section 16. */
static double page_of_load(uint64_t threads)
{
    struct disk_timing_state disk;
    struct disk_timing_service service;
    uint64_t ready[32] = {0};
    uint64_t end = 0;

    disk_timing_begin(&disk, disk_timing_named("ssd2014"), 32);
    for (uint64_t i = 0; i < threads * 7000; i++) {
        const uint64_t thread = i % threads;

        disk_timing_serve(&disk, ready[thread], thread * 65536 + i / threads * PAGE, PAGE,
                          &service);
        ready[thread] = end = service.due;
    }
    return (double)end / (double)(threads * 7000);
}

static void test_threads_of_the_report(void)
{
    static const double cells[] = {
        125292, 129623, 130591, 131776, 135678, 136234, 138663, 138843, 145052, 149173,   144131,
        148242, 157010, 165475, 165974, 160024, 168563, 175973, 182342, 196388, 203429,   214254,
        236563, 281612, 293876, 300763, 324981, 454182, 523013, 642253, 960801, 10669071,
    };

    for (uint64_t threads = 1; threads <= 32; threads++) {
        within_a_tenth(page_of_load(threads), cells[threads - 1], false);
    }
}

/* Pages a second, or bytes a second of reads of 128 KiB, with every server busy. */
static double rate_of(const char *name, uint64_t sectors)
{
    struct disk_timing_state disk;
    struct disk_timing_service service;
    uint64_t last = 0;

    disk_timing_begin(&disk, disk_timing_named(name), 32);
    for (size_t i = 0; i < READS; i++) {
        disk_timing_serve(&disk, 0, i * sectors, sectors, &service);
        last = service.due > last ? service.due : last;
    }
    return READS * 1e9 / (double)last * (sectors == PAGE ? 1 : (double)sectors * 512);
}

static void test_data_sheets_of_flash(void)
{
    within_a_tenth(page_of_file("nvme", 1, SEQUENTIAL), 85000, false);
    within_a_tenth(rate_of("nvme", PAGE), 490000, false);
    within_a_tenth(rate_of("nvme", 256), 3.2e9, false);
    within_a_tenth(page_of_file("optane", 1, SEQUENTIAL), 10000, false);
    within_a_tenth(rate_of("optane", PAGE), 550000, false);
    within_a_tenth(rate_of("optane", 256), 2.4e9, false);
}

/* The disk reads on into its buffer, so that the next page in order needs no turn. */
static void test_order_is_faster_than_chance(void)
{
    const double ordered = page_of_file("hdd1996", 4096, SEQUENTIAL);

    CHECK(ordered < 1.3e6); /* 1.16 ms by the rate of the medium */
    CHECK(ordered * 5 < page_of_file("hdd1996", 4096, RANDOM));
    CHECK(page_of_file("ssd2014", 4096, SEQUENTIAL) * 2 < page_of_file("ssd2014", 4096, RANDOM));
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
    disk_timing_begin(&disk, timing, 1);
    for (uint64_t i = 0; i < 20000; i++) {
        disk_timing_serve(&disk, i * 100000000 + draw(1000000000), draw(sectors), 1, &service);
        seeks += (double)service.seek / 20000;
        turns += (double)service.rotation / 20000;
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

    disk_timing_begin(&disk, timing, 1);
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
    RUN(test_files_of_the_report());
    RUN(test_threads_of_the_report());
    RUN(test_data_sheets_of_flash());
    RUN(test_order_is_faster_than_chance());
    RUN(test_mean_seek_and_turn_of_the_old_disk());
    RUN(test_a_track_in_order_takes_a_turn());
    RUN(test_names());
    return unit_finish("unit_disk_timing");
}
