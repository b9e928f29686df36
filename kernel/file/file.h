/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of a volume (kernel/block/use.h), read through the page cache, or past it. A thread that
 * reads what is not in the cache waits for the disk (WAIT_DISK), and others run.
 *
 * A volume without a directory has one file, LAYOUT_BENCH, which is all of it, and whose sectors
 * cannot be checked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/block/use.h"
#include "kernel/file/page_cache.h"

#define FILE_PAGE      4096
#define FILES_OPEN_MAX 64

/* Keys of the plan. */
struct file_settings {
    uint64_t cache_mib;       /* cache.mib */
    uint64_t read_ahead;      /* cache.readahead: pages, 0: none */
    enum cache_policy policy; /* cache.policy */
};
void file_use(const struct file_settings *settings);
const struct file_settings *file_settings(void);

struct file_system_options {
    uint32_t depth;       /* requests at once */
    bool interrupts;      /* else readers poll */
    uint64_t cache_bytes; /* 0: no cache */
    uint64_t read_ahead;
    enum cache_policy policy;
};

/* Opens the volume's disk and, within a session, makes an empty cache. Memory is taken when it is
 * first needed, and kept. NULL, or why not. */
const char *files_begin(const struct block_volume *volume,
                        const struct file_system_options *options);
void files_end(void);
const struct cache_counts *files_counts(void);
/* Forgets all that is in the cache; no page may be mapped. */
void files_drop_cache(void);

struct file {
    const struct layout_file *extent;
    uint64_t number; /* in the directory, from 1 on */
    uint64_t offset; /* where the next read begins */
};

/* What a read met; for FAIL and ERROR of a bench. */
struct file_failure {
    enum block_error error; /* BLOCK_GOOD: none */
    uint64_t block;         /* of the disk */
    uint32_t status;
    uint64_t wrong_sectors; /* that are not what they ought to be */
    uint64_t wrong_first;   /* the first of them, in its file */
};
const struct file_failure *files_failure(void);
/* "nvme0n1: block 123: medium error (status 281h)": of the first failure. */
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

/* The stamps of the last read of the running thread that went to the disk: request.submitted, due,
 * completed, and when the thread ran again. */
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
/* Stamps go there from now on, for reads by one thread; NULL: nowhere. */
void file_stamp(struct file *file, struct file_stamps *stamps);

/* Shows a file to a process at PROCESS_BASE + `offset`, read only, from its page `first` on: pages
 * that are in the cache are not shown until they are touched ("soft" fault), others are read from
 * the disk then ("file"). NULL, or why not. Within a session, before the process touches it. */
struct process;
const char *file_map(struct file *file, struct process *process, uint64_t offset, uint64_t first,
                     uint64_t pages);
