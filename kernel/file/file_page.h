/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of files in the frames of the page cache, and their way there from the disk. For the other
 * sources of this folder; all of it is called with interrupts off.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/file/file.h"

#define PAGE_SECTORS (FILE_PAGE / LAYOUT_SECTOR)

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
/* Whoever waits for room may look again: for a request's `done`. */
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

/* Keeps the first failure of a request that somebody waited for. */
void file_note_failure(const struct block_request *request);

/* What `sectors` of the file, from its sector `first` on, are on the disk: whole blocks. */
void file_aim(const struct file *file, uint64_t first, uint64_t sectors,
              struct block_request *request);
