/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of a volume (kernel/block/use.h), read through the page cache, or past it. A thread that
 * reads what is not in the cache waits for the disk (WAIT_DISK), and others run. file_map.h maps
 * files into processes; their system calls open, read, seek and map (kernel/task/user.h) are open
 * by file_calls.h.
 *
 * A volume without a directory has one file, LAYOUT_BENCH, which is all of it, and whose sectors
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
    uint64_t cache_mib;       /* cache.mib */
    uint64_t read_ahead;      /* cache.readahead: pages, 0: none */
    enum cache_policy policy; /* cache.policy */
};
void file_use(const struct file_settings *settings);
const struct file_settings *file_settings(void);

/* Opens the volume's disk and makes an empty cache; with `interrupts` within a session. Memory is
 * taken when more than before is needed, and kept. What an earlier bench that was ended in the
 * middle left open is closed. NULL, or why not. */
const char *files_begin(const struct block_volume *volume,
                        const struct file_system_options *options);
/* Before the session ends. Waits for what read-ahead has asked for. */
void files_end(void);
/* Calls `end` when these files end, once: for who keeps something of them. NULL: nothing. */
void files_at_end(void (*end)(void));
/* All zeroes where there is no cache. */
const struct cache_counts *files_counts(void);
/* Forgets all that is in the cache, and begins to count anew; no page may be mapped. */
void files_drop_cache(void);

/* What reads have met since files_begin(). */
const struct file_failure *files_failure(void);
/* "nvme0n1: block 123: medium error (status 281h)": of the first failure; empty where there is
 * none. */
void files_failure_text(char *text, size_t size);

/* NULL: no file of that name, or too many are open. */
struct file *file_open(const char *name);
void file_close(struct file *file);
uint64_t file_bytes(const struct file *file);
void file_seek(struct file *file, uint64_t offset);

/* Reads whole pages at a multiple of FILE_PAGE, through the cache, and checks nothing: a copy to
 * `to`. Bytes read; fewer at the end of the file; -1: see files_failure(). */
int64_t file_read(struct file *file, void *to, uint64_t bytes);
/* The same past the cache: the disk writes to `to` itself. `bytes` of whole blocks of the disk. */
int64_t file_read_direct(struct file *file, void *to, uint64_t bytes);
/* Checks `bytes` that were read from `offset` on: what is wrong is counted in files_failure().
 * True as well where the volume cannot be checked. */
bool file_check(const struct file *file, uint64_t offset, const void *bytes, uint64_t length);

/* Stamps of each read go there from now on; NULL: nowhere. */
void file_stamp(struct file *file, struct file_stamps *stamps);

/* ---- for file_calls.h ---- */

/* The place of a file among those that are open; NULL: none is open there. */
uint64_t file_index(const struct file *file);
struct file *file_by_index(uint64_t index);
