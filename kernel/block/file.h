/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of a volume (kernel/block/use.h), read through the page cache or directly from the disk. A
 * thread that reads a page that is not in the cache waits for the disk (WAIT_DISK), and others run.
 * file_map.h maps files into processes, and file_calls.h opens their system calls open, read, seek
 * and map (kernel/task/user.h).
 *
 * A volume without a directory has one file, LAYOUT_BENCH, which is the whole volume. Its sectors
 * cannot be checked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/block/file_page.h"
#include "kernel/block/use.h"

#define FILES_OPEN_MAX 64

/* Keys of the plan. */
struct file_settings {
    uint64_t cache_mib;       /* cache.mib: size of the page cache in MiB */
    uint64_t read_ahead;      /* cache.readahead: pages, 0: none */
    enum cache_policy policy; /* cache.policy */
};
void file_use(const struct file_settings *settings);
const struct file_settings *file_settings(void);

/* Opens the volume's disk and makes an empty cache. With the option `interrupts`, call within a
 * session. Allocates memory only if more than before is needed, and keeps it. Closes what an
 * earlier, aborted bench left open. Returns NULL on success, otherwise the reason. */
const char *files_begin(const struct block_volume *volume,
                        const struct file_system_options *options);
/* Closes the volume. Waits for outstanding read-ahead. Call before the session ends. */
void files_end(void);
/* Registers a function that is called once, when these files end; for a module that keeps pointers
 * into them. NULL: none. */
void files_at_end(void (*end)(void));
/* Returns the counts of the cache; all are zero if there is no cache. */
const struct cache_counts *files_counts(void);
/* Empties the cache and resets its counts. No page may be mapped. */
void files_drop_cache(void);

/* Returns the failures of reads since files_begin(). */
const struct file_failure *files_failure(void);
/* Writes the first failure as a text, such as "nvme0n1: block 123: medium error (status 281h)"; an
 * empty text if there was none. */
void files_failure_text(char *text, size_t size);

/* Opens a file. Returns NULL if there is no file of that name, or if too many are open. */
struct file *file_open(const char *name);
void file_close(struct file *file);
uint64_t file_bytes(const struct file *file);
void file_seek(struct file *file, uint64_t offset);

/* Copies whole pages to `to` through the cache, from a multiple of FILE_PAGE on. Does not check
 * them. Returns the bytes read (fewer at the end of the file), or -1 on failure: see
 * files_failure(). */
int64_t file_read(struct file *file, void *to, uint64_t bytes);
/* As file_read(), but without the cache: the disk writes to `to` itself. `bytes` must be whole
 * blocks of the disk. */
int64_t file_read_direct(struct file *file, void *to, uint64_t bytes);
/* Checks bytes that were read from `offset` on, and counts wrong sectors in files_failure().
 * Returns true if all are right, or if the volume cannot be checked. */
bool file_check(const struct file *file, uint64_t offset, const void *bytes, uint64_t length);

/* From now on, writes the stamps of each read of this file there. NULL: stops it. */
void file_stamp(struct file *file, struct file_stamps *stamps);

/* ---- for file_calls.h ---- */

/* Returns the index of an open file; file_by_index() returns the file, or NULL if none is open
 * there. */
uint64_t file_index(const struct file *file);
struct file *file_by_index(uint64_t index);
