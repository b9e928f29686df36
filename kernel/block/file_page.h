/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of files in the frames of the page cache, and the reads that bring them from the disk.
 * file.h and file_map.h are built on it. Call all functions with interrupts off.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/block/page_cache.h"
#include "kernel/block/use.h"

#define FILE_PAGE    4096
#define PAGE_SECTORS (FILE_PAGE / LAYOUT_SECTOR)

/* Options of files_begin(). */
struct file_system_options {
    uint32_t depth;       /* most outstanding requests */
    bool interrupts;      /* false: readers poll */
    uint64_t cache_bytes; /* 0: no cache */
    uint64_t read_ahead;
    enum cache_policy policy;
};

/* TSC stamps of one read. If it covers several pages, they are those of the last page that came
 * from the disk, whether this read or an earlier one requested it. If no page came from the disk,
 * the stamps from `submitted` to `woken` are 0. */
struct file_stamps {
    uint64_t asked;     /* file_read() was entered */
    uint64_t looked_up; /* the page was looked up in the cache */
    uint64_t submitted;
    uint64_t began;
    uint64_t service;
    uint64_t due;       /* 0: the disk is not the modelled one */
    uint64_t completed; /* in the interrupt handler */
    uint64_t woken;     /* the thread runs again */
    uint64_t copied;    /* all bytes are at the reader's address */
};

/* An open file: one run of sectors of the volume. */
struct file {
    const struct layout_file *extent; /* NULL: the file is not open */
    uint64_t number;                  /* in the directory, from 1 on */
    uint64_t offset;                  /* where the next read starts */
    struct file_stamps *stamps;
    uint64_t ahead_last; /* last page that was read ahead; UINT64_MAX: none */
};

/* The failures of reads, for the FAIL and ERROR results of a bench. */
struct file_failure {
    enum block_error error; /* first request that failed; BLOCK_GOOD: none did */
    uint64_t block;         /* its block on the disk */
    uint32_t status;
    uint64_t wrong_sectors; /* number of sectors with wrong contents */
    uint64_t wrong_first;   /* number of the first of them in its file */
    const char *wrong_file; /* name of that file */
};

/* Makes the cache; the disk is open. Returns NULL on success, otherwise why there can be no cache.
 */
const char *file_pages_begin(const struct block_volume *volume,
                             const struct file_system_options *options);
/* Waits until no request is outstanding. */
void file_pages_drain(void);
void file_pages_end(void);
/* Returns true if there is a cache. */
bool file_pages_kept(void);
uint32_t file_pages_frames(void);
const struct cache_counts *file_pages_counts(void);
void file_pages_drop(void);

/* Submits the request, as soon as the disk has room for it. */
void file_submit(struct block_request *request);
/* Wakes the threads that wait for room. For the `done` of requests. */
void file_room(struct block_request *request);

/* A page of a file in memory. Its frame is pinned. */
struct file_page {
    uint32_t frame;
    const void *bytes;
};

/* Gets page `n` of the file from the cache or from the disk, for which the running thread waits.
 * The page is pinned until file_page_release(). If `stamps` is not NULL, sets its members from
 * looked_up to woken. Returns false if the page could not be read: see files_failure(). */
bool file_page_get(struct file *file, uint64_t n, struct file_stamps *stamps,
                   struct file_page *page);
/* Gets the page if that needs no waiting. Otherwise returns false and counts nothing. */
bool file_page_try(struct file *file, uint64_t n, struct file_page *page);
void file_page_release(const struct file_page *page);

/* Returns the failures, which the caller resets and adds to. file_note_failure() keeps a request if
 * it is the first that a reader waited for and that failed. */
struct file_failure *file_pages_failure(void);
void file_note_failure(const struct block_request *request);

/* Sets the blocks of the request to those of `sectors` sectors of the file, from its sector `first`
 * on, rounded to whole blocks. */
void file_aim(const struct file *file, uint64_t first, uint64_t sectors,
              struct block_request *request);
