/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the benches of disks and files publish and the host looks up. Image and host both
 * include this file, so that each name is written once.
 */
#pragma once

/* the group and its benches */
#define GROUP_DISK        "disk"
#define BENCH_DISKLATENCY "disklatency"
#define BENCH_DISKLOAD    "diskload"
#define BENCH_DISKS       "disks"
#define BENCH_FILECACHE   "filecache"
#define BENCH_FILEREAD    "fileread"

/* parameter: mean think time of a thread */
#define PARAM_THINK_US "think_us"

/* Texts that a bench publishes with bench_found(): the disk it read, its driver, the timing model
 * of a modelled disk, how completed requests were noticed (FOUND_INTERRUPT), and whether every
 * sector was checked: "yes" or "no". */
#define FOUND_DISK     "disk"
#define FOUND_DRIVER   "driver"
#define FOUND_MODEL    "model"
#define FOUND_VERIFIED "verified"

/* text that a bench publishes, also for the network: how a device reports that requests are done or
 * packets have arrived */
#define FOUND_INTERRUPT "interrupt"

/* Spans of a request to a device: until the handler of its interrupt has seen it, and until the
 * waiting thread continues. */
#define SPAN_INTERRUPT "interrupt"
#define SPAN_WAKE      "wake"

/* Facts of all disk benches: sectors of the volume, bytes of a block of the disk, requests that it
 * takes at once; sectors that were checked, and those found wrong. The rate of the TSC that a
 * modelled disk uses is a fact of the run. */
#define FACT_VOLUME_SECTORS "volume_sectors"
#define FACT_BLOCK_BYTES    "block_bytes"
#define FACT_DEPTH          "depth"
#define FACT_CHECKED        "checked"
#define FACT_WRONG          "wrong"

/* Fact DISK.NAME for each disk: its number of blocks. DISK.block_bytes, DISK.depth, DISK.checked
 * and DISK.wrong exist as well; the text DISK says what the disk is. */
#define FACT_BLOCKS "blocks"

/*
 * Series of disklatency are NAME.BYTES, for each size of a read in bytes:
 *
 *     read       from the call until its thread continues: the sum of the spans
 *     submit     until the device has the request
 *     device     modelled disk: until the request is done by the timing model (waiting included);
 *                otherwise until the handler (or the poll) sees it done
 *     interrupt  modelled disk: from there until the handler has seen it; otherwise missing
 *     wake       until the thread continues
 *     law        modelled disk: the service time by its timing model, without waiting
 *     sector     sector of the volume where the read starts
 *     at         TSC of submission since the disk was opened, which happens once for each size
 *
 * The opening is time 0 of the timing model; its heads are then at rest.
 */
#define SERIES_READ      "read"
#define SPAN_SUBMIT      "submit"
#define SPAN_DEVICE      "device"
#define SERIES_LAW       "law"
#define SERIES_SECTOR    "sector"
#define SERIES_SUBMITTED "at"

/*
 * Series of diskload are NAME.T for each number of threads T (1 to 32): the series of disklatency
 * (read.8, sector.8, ...) for all reads in the order of their submission, and thread.T, the number
 * of the thread that read. Series think.T are the think times of the threads, if the plan sets a
 * mean. Curve `block` is the time per block as the report defines it: total time / reads (x: number
 * of threads; value: ticks of the whole load; n: its reads).
 */
#define SERIES_THREAD_OF "thread"
#define SERIES_THINK     "think"
#define CURVE_BLOCK      "block"

/*
 * Series of fileread are ORDER.WAY.BYTES: the time of each read of 4 KiB from the first BYTES of
 * the file. WAY is direct (bypassing the cache) or cached (through an empty cache). Facts
 * total.ORDER.WAY.BYTES are the times of all reads together.
 */
#define ORDER_SEQUENTIAL_READ "sequential"
#define ORDER_RANDOM_READ     "random"
#define ORDER_BACKWARDS       "backwards"
#define WAY_DIRECT            "direct"
#define WAY_CACHED            "cached"
#define PREFIX_TOTAL          "total."

/*
 * bench filecache reads a file backwards twice. Series block.BYTES, for each size of the file in
 * bytes: ticks of each 4-KiB read of the second time. Series hits.BYTES, misses.BYTES,
 * read_ahead.BYTES, evictions.BYTES and reads.BYTES have one value each: counts of both times.
 * Series hit and miss: the first reads of the second times, over all sizes, that found their page
 * in the cache, and that did not. If the plan lists several caches, all names for caches after the
 * first start with "cache.CACHE.", with CACHE in bytes.
 */
#define SERIES_BLOCK      "block"
#define SERIES_READS      "reads"
#define SERIES_HITS       "hits"
#define SERIES_MISSES     "misses"
#define SERIES_READ_AHEAD "read_ahead"
#define SERIES_EVICTIONS  "evictions"
#define SERIES_HIT        "hit"
#define SERIES_MISS       "miss"
#define PREFIX_CACHE      "cache."
#define FACT_CACHE_BYTES  "cache_bytes"
#define FACT_AHEAD_PAGES  "ahead_pages"

/* Series of pagefault for a page of a mapped file (other kinds are in bench/memory/names.h): one
 * for pages on the disk, one for pages in the page cache; and KIND.PART with parts entry, lookup,
 * device (file only), fill and return. */
#define KIND_FILE   "file"
#define KIND_SOFT   "soft"
#define PART_LOOKUP "lookup"
#define PART_DEVICE "device"
