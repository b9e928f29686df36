/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that benches of disks and files publish and the host looks up. Each stands here once:
 * image and host include it.
 */
#pragma once

/* The group and its benches. */
#define GROUP_DISK        "disk"
#define BENCH_DISKLATENCY "disklatency"
#define BENCH_DISKLOAD    "diskload"
#define BENCH_DISKS       "disks"
#define BENCH_FILECACHE   "filecache"
#define BENCH_FILEREAD    "fileread"

/* Parameter: mean time that a thread thinks. */
#define PARAM_THINK_US "think_us"

/* Texts that a bench found out (bench_found()): the disk it read, its driver, the law of a modelled
 * one, how requests came back, and whether every sector was checked: "yes" or "no". */
#define FOUND_DISK     "disk"
#define FOUND_DRIVER   "driver"
#define FOUND_MODEL    "model"
#define FOUND_VERIFIED "verified"

/* Of the network as well: how a device's requests or packets came back: a text that a bench found
 * out. */
#define FOUND_INTERRUPT "interrupt"

/* And spans of what a device did: until the handler of its interrupt has seen it, and until the
 * thread that waits goes on. */
#define SPAN_INTERRUPT "interrupt"
#define SPAN_WAKE      "wake"

/* Facts of all of them: sectors of the volume, bytes of a block of the disk, requests that it takes
 * at once; sectors that were checked, and that were not what they ought to be; the TSC's rate that
 * the modelled disk uses is the run's. */
#define FACT_VOLUME_SECTORS "volume_sectors"
#define FACT_BLOCK_BYTES    "block_bytes"
#define FACT_DEPTH          "depth"
#define FACT_CHECKED        "checked"
#define FACT_WRONG          "wrong"

/* Facts of disks, as DISK.NAME for each disk: blocks, and those above; what it is is a text DISK.
 */
#define FACT_BLOCKS "blocks"

/*
 * disklatency: for each size of a read in bytes, series NAME.BYTES of each read.
 *   read      from the call to where its thread goes on: the sum of the spans
 *   submit    until the device has the request
 *   device    modelled disk: until its law has it done (waiting included); else until the handler
 *             (or the poll) sees it done
 *   interrupt modelled disk: from there until the handler has seen it; else missing
 *   wake      until the thread goes on
 *   law       modelled disk: the service alone, by its law
 *   sector    where on the volume
 *   at        the TSC of submission, from when the disk was opened, once for each size: time 0 of
 *             the law, whose heads are at rest then
 */
#define SERIES_READ      "read"
#define SPAN_SUBMIT      "submit"
#define SPAN_DEVICE      "device"
#define SERIES_LAW       "law"
#define SERIES_SECTOR    "sector"
#define SERIES_SUBMITTED "at"

/*
 * diskload: for each number of threads T (1 to 32), of all reads in the order of their submission,
 * the same series as NAME.T (read.8, sector.8, ...), and thread.T: who read; curve `block` (x: the
 * number of threads; ticks of the whole load, n: reads in it) is time per block as the report has
 * it: total time / reads. Think times of the threads, where the plan sets a mean, are series
 * think.T.
 */
#define SERIES_THREAD_OF "thread"
#define SERIES_THINK     "think"
#define CURVE_BLOCK      "block"

/*
 * fileread: series ORDER.WAY.BYTES of each read of 4 KiB of the first BYTES of the file, past the
 * cache or through an empty cache; the facts NAME.total.ORDER.WAY.BYTES are its whole time.
 */
#define ORDER_SEQUENTIAL_READ "sequential"
#define ORDER_RANDOM_READ     "random"
#define ORDER_BACKWARDS       "backwards"
#define WAY_DIRECT            "direct"
#define WAY_CACHED            "cached"
#define PREFIX_TOTAL          "total."

/*
 * filecache: the file is read backwards twice; of the second time, for each size of the file in
 * bytes, series block.BYTES: ticks of each 4 KiB read; series hits.BYTES, misses.BYTES,
 * read_ahead.BYTES, evictions.BYTES and reads.BYTES have one value: counts of both times. Series
 * hit and miss: the first reads of the second times, over all sizes, whose page was there and was
 * not. Where the plan lists several caches, names of all but the first have "cache.CACHE." before
 * them, CACHE in bytes.
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

/* Of pagefault (bench/memory/names.h has its other kinds): a page of a mapped file that was on the
 * disk, or in the page cache; series KIND.PART: entry, lookup, device (file alone), fill, return.
 */
#define KIND_FILE   "file"
#define KIND_SOFT   "soft"
#define PART_LOOKUP "lookup"
#define PART_DEVICE "device"
