/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of files in the frames of the page cache, and their way there from the disk: what file.h
 * and file_map.h are made of. Its functions are called with interrupts off.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/block/page_cache.h"
#include "kernel/block/use.h"

#define FILE_PAGE    4096
#define PAGE_SECTORS (FILE_PAGE / LAYOUT_SECTOR)

/* How files_begin() opens a volume. */
struct file_system_options {
    uint32_t depth;       /* requests at once */
    bool interrupts;      /* else readers poll */
    uint64_t cache_bytes; /* 0: no cache */
    uint64_t read_ahead;
    enum cache_policy policy;
};

/* The stamps of a read; of several pages, of the last one that went to the disk, for this read or
 * before it. `submitted` is 0 where none did, and all below it but `copied`. */
struct file_stamps {
    uint64_t asked;     /* file_read() was entered */
    uint64_t looked_up; /* the cache has been asked */
    uint64_t submitted;
    uint64_t began;
    uint64_t service;
    uint64_t due;       /* 0: not the modelled disk */
    uint64_t completed; /* in the interrupt handler */
    uint64_t woken;     /* the thread runs again */
    uint64_t copied;    /* all is at `to` */
};

/* An open file: one run of sectors of the volume. */
struct file {
    const struct layout_file *extent; /* NULL: it is not open */
    uint64_t number;                  /* in the directory, from 1 on */
    uint64_t offset;                  /* where the next read begins */
    struct file_stamps *stamps;
    uint64_t ahead_last; /* the last page that was read ahead; UINT64_MAX: none */
};

/* What a read met; for FAIL and ERROR of a bench. */
struct file_failure {
    enum block_error error; /* BLOCK_GOOD: none */
    uint64_t block;         /* of the disk */
    uint32_t status;
    uint64_t wrong_sectors; /* that are not what they ought to be */
    uint64_t wrong_first;   /* the first of them, in its file, */
    const char *wrong_file; /* which has this name */
};

/* The disk is open. NULL, or why there can be no cache. */
const char *file_pages_begin(const struct block_volume *volume,
                             const struct file_system_options *options);
/* Waits until nothing is under way. */
void file_pages_drain(void);
void file_pages_end(void);
/* Is there a cache? */
bool file_pages_kept(void);
uint32_t file_pages_frames(void);
const struct cache_counts *file_pages_counts(void);
void file_pages_drop(void);

/* The request that is due goes to the disk, as soon as that has room. */
void file_submit(struct block_request *request);
/* Those that wait for room may look again: for a request's `done`. */
void file_room(struct block_request *request);

/* A page of a file in memory; its frame is pinned. */
struct file_page {
    uint32_t frame;
    const void *bytes;
};

/* Page `n` of the file, from the cache or the disk, for which the running thread waits. Pinned
 * until file_page_release(). `stamps`, if any: from looked_up to woken. False: it could not be
 * read, see files_failure(). */
bool file_page_get(struct file *file, uint64_t n, struct file_stamps *stamps,
                   struct file_page *page);
/* The same where nothing is to be waited for; false: it is, and nothing has been counted. */
bool file_page_try(struct file *file, uint64_t n, struct file_page *page);
void file_page_release(const struct file_page *page);

/* What has failed, as the caller resets and counts it; the first request that was waited for and
 * failed. */
struct file_failure *file_pages_failure(void);
void file_note_failure(const struct block_request *request);

/* What `sectors` of the file, from its sector `first` on, are on the disk: whole blocks. */
void file_aim(const struct file *file, uint64_t first, uint64_t sectors,
              struct block_request *request);
