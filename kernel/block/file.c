/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/file.h"

#include <stdio.h>
#include <string.h>

#include "kernel/block/file_page.h"
#include "kernel/cpu/cpu.h"
#include "kernel/task/syscall.h"

static struct file_settings settings = {.cache_mib = 4};

static struct {
    bool open;
    const struct block_volume *volume;
    struct layout layout; /* if the volume has no directory: one file */
    struct file files[FILES_OPEN_MAX];
    void (*at_end)(void);
} state;

void file_use(const struct file_settings *given)
{
    settings = *given;
}

const struct file_settings *file_settings(void)
{
    return &settings;
}

/* ---- opening and closing ---- */

static const char *check_disk(const struct block_volume *volume)
{
    const uint64_t of_block = volume->disk->block_bytes / LAYOUT_SECTOR;

    if (volume->first_sector % of_block != 0) {
        return "the partition does not begin at a block of the disk; create it again with "
               "tare disk";
    }
    if (volume->disk->blocks_max * of_block < PAGE_SECTORS) {
        return "the disk cannot read a page of 4 KiB in one request";
    }
    return NULL;
}

static void describe(const struct block_volume *volume)
{
    state.layout = volume->layout;
    if (!volume->verified) {
        state.layout = (struct layout){
            .count = 1,
            .files = {{.name = LAYOUT_BENCH, .first = 0, .sectors = volume->sectors}},
            .sectors = volume->sectors,
        };
    }
}

static void leave(void)
{
    syscall_set_files(NULL);
    if (state.at_end != NULL) {
        state.at_end();
        state.at_end = NULL;
    }
    block_close(state.volume->disk);
    file_pages_end();
    state.open = false;
}

const char *files_begin(const struct block_volume *volume,
                        const struct file_system_options *options)
{
    const char *why = check_disk(volume);

    if (state.open) {
        leave();
    }
    state.volume = volume;
    *file_pages_failure() = (struct file_failure){.error = BLOCK_GOOD};
    memset(state.files, 0, sizeof(state.files));
    describe(volume);
    why = why != NULL ? why : block_open(volume->disk, options->depth, options->interrupts);
    if (why != NULL) {
        return why;
    }
    why = file_pages_begin(volume, options);
    if (why != NULL) {
        block_close(volume->disk);
        return why;
    }
    state.open = true;
    return NULL;
}

void files_end(void)
{
    const uint64_t flags = interrupts_save();

    if (state.open) {
        file_pages_drain();
        leave();
    }
    interrupts_restore(flags);
}

void files_at_end(void (*end)(void))
{
    state.at_end = end;
}

const struct cache_counts *files_counts(void)
{
    return file_pages_counts();
}

void files_drop_cache(void)
{
    const uint64_t flags = interrupts_save();

    file_pages_drop();
    for (size_t i = 0; i < FILES_OPEN_MAX; i++) {
        state.files[i].ahead_last = UINT64_MAX;
    }
    interrupts_restore(flags);
}

/* ---- failures ---- */

const struct file_failure *files_failure(void)
{
    return file_pages_failure();
}

void files_failure_text(char *text, size_t size)
{
    const struct file_failure *failure = file_pages_failure();

    if (failure->error != BLOCK_GOOD) {
        const struct block_failure met = {failure->error, failure->block, failure->status};

        block_failure_text(state.volume->disk, &met, text, size);
    } else if (failure->wrong_sectors != 0) {
        snprintf(text, size, "%s: %llu sectors have wrong contents; the first is sector %llu of %s",
                 state.volume->disk->name, (unsigned long long)failure->wrong_sectors,
                 (unsigned long long)failure->wrong_first, failure->wrong_file);
    } else if (size > 0) {
        text[0] = '\0';
    }
}

bool file_check(const struct file *file, uint64_t offset, const void *bytes, uint64_t length)
{
    struct file_failure *failure = file_pages_failure();
    const uint8_t *sector = bytes;
    bool good = true;

    for (uint64_t i = 0; i < length / LAYOUT_SECTOR && state.volume->verified; i++) {
        const uint64_t n = offset / LAYOUT_SECTOR + i;

        if (layout_check(sector + i * LAYOUT_SECTOR, file->number, n)) {
            continue;
        }
        if (failure->wrong_sectors++ == 0) {
            failure->wrong_first = n;
            failure->wrong_file = file->extent->name;
        }
        good = false;
    }
    return good;
}

/* ---- files ---- */

struct file *file_open(const char *name)
{
    const struct layout_file *extent = state.open ? layout_find(&state.layout, name) : NULL;

    for (size_t i = 0; i < FILES_OPEN_MAX && extent != NULL; i++) {
        if (state.files[i].extent == NULL) {
            state.files[i] = (struct file){
                .extent = extent,
                .number = (uint64_t)(extent - state.layout.files) + 1,
                .ahead_last = UINT64_MAX,
            };
            return &state.files[i];
        }
    }
    return NULL;
}

struct file *file_by_index(uint64_t index)
{
    return index < FILES_OPEN_MAX && state.files[index].extent != NULL ? &state.files[index] : NULL;
}

uint64_t file_index(const struct file *file)
{
    return (uint64_t)(file - state.files);
}

void file_close(struct file *file)
{
    file->extent = NULL;
}

uint64_t file_bytes(const struct file *file)
{
    return file->extent->sectors * LAYOUT_SECTOR;
}

void file_seek(struct file *file, uint64_t offset)
{
    file->offset = offset;
}

void file_stamp(struct file *file, struct file_stamps *stamps)
{
    file->stamps = stamps;
}

/* ---- reading ---- */

static void stamp_begin(const struct file *file)
{
    if (file->stamps != NULL) {
        *file->stamps = (struct file_stamps){.asked = tsc_read_ordered()};
    }
}

static void stamp_end(const struct file *file)
{
    if (file->stamps != NULL) {
        file->stamps->copied = tsc_read_ordered();
    }
}

/* Returns how many of `bytes` can be read from the file's offset on. */
static uint64_t bytes_left(const struct file *file, uint64_t bytes)
{
    const uint64_t size = file_bytes(file);
    const uint64_t left = file->offset < size ? size - file->offset : 0;

    return bytes < left ? bytes : left;
}

static void refuse(const struct file *file)
{
    struct block_request request = {.error = BLOCK_REFUSED};

    file_aim(file, file->offset / LAYOUT_SECTOR, 1, &request);
    file_note_failure(&request);
}

static void copy(void *to, const void *from, uint64_t bytes)
{
    uint64_t words = bytes / sizeof(uint64_t);

    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

int64_t file_read(struct file *file, void *to, uint64_t bytes)
{
    uint64_t done = 0;

    if (!file_pages_kept()) {
        return file_read_direct(file, to, bytes);
    }
    stamp_begin(file);
    if (file->offset % FILE_PAGE != 0 || bytes % FILE_PAGE != 0) {
        refuse(file);
        return -1;
    }
    const uint64_t all = bytes_left(file, bytes);

    while (done < all) {
        const uint64_t part = all - done < FILE_PAGE ? all - done : FILE_PAGE;
        struct file_page page;
        const uint64_t flags = interrupts_save();
        const bool good = file_page_get(file, file->offset / FILE_PAGE, file->stamps, &page);

        if (good) {
            copy((uint8_t *)to + done, page.bytes, part);
            file_page_release(&page);
        }
        interrupts_restore(flags);
        if (!good) {
            return -1;
        }
        done += part;
        file->offset += part;
    }
    stamp_end(file);
    return (int64_t)done;
}

/* Reads a part of the file with one request. */
static bool read_part(const struct file *file, void *to, uint64_t bytes)
{
    struct block_request request = {.to = to, .done = file_room};
    const uint64_t flags = interrupts_save();

    file_aim(file, file->offset / LAYOUT_SECTOR, bytes / LAYOUT_SECTOR, &request);
    file_submit(&request);
    interrupts_restore(flags);
    block_wait(state.volume->disk, &request);
    if (file->stamps != NULL) {
        file->stamps->woken = tsc_read_ordered();
        file->stamps->submitted = request.submitted;
        file->stamps->began = request.began;
        file->stamps->service = request.service;
        file->stamps->due = request.due;
        file->stamps->completed = request.completed;
    }
    file_note_failure(&request);
    return request.error == BLOCK_GOOD;
}

int64_t file_read_direct(struct file *file, void *to, uint64_t bytes)
{
    const struct block_disk *disk = state.volume->disk;
    const uint64_t most = (uint64_t)disk->blocks_max * disk->block_bytes;
    uint64_t done = 0;

    stamp_begin(file);
    if (file->offset % disk->block_bytes != 0 || bytes % disk->block_bytes != 0) {
        refuse(file);
        return -1;
    }
    const uint64_t all = bytes_left(file, bytes);

    while (done < all) {
        const uint64_t part = all - done < most ? all - done : most;

        if (!read_part(file, (uint8_t *)to + done, part)) {
            return -1;
        }
        done += part;
        file->offset += part;
    }
    stamp_end(file);
    return (int64_t)done;
}
