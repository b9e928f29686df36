/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/use.h"

#include <stdio.h>
#include <string.h>

#include "kernel/block/disk_timing.h"
#include "kernel/block/drivers.h"
#include "kernel/block/gpt.h"
#include "kernel/block/modelled_disk.h"
#include "kernel/clock/clock.h"

#define WHY_MAX 160

/* In the order in which their disks are searched. */
static const struct block_driver *const drivers[] = {
    &nvme_driver,
    &ahci_driver,
    &virtio_driver,
    NULL,
};

static struct block_settings settings = {.model = BLOCK_MODEL_DEFAULT, .mib = BLOCK_MIB_DEFAULT};
static bool looked_for_disks;
static bool looked_for_volume;
static const char *why_none; /* why there is no volume; NULL: there is one */
static struct block_volume volume;
static char why_not[WHY_MAX];
static uint8_t buffer[BLOCK_BYTES_MAX] __attribute__((aligned(4096)));

void block_use(const struct block_settings *chosen)
{
    settings = *chosen;
}

const struct block_settings *block_settings(void)
{
    return &settings;
}

static struct block_disk *the_modelled_disk(void)
{
    return modelled_disk(disk_timing_named(settings.model), settings.mib);
}

size_t block_disks(void)
{
    size_t count = 0;

    if (!looked_for_disks) {
        looked_for_disks = true;
        for (size_t i = 0; settings.may_drive && drivers[i] != NULL; i++) {
            drivers[i]->find();
        }
        the_modelled_disk();
    }
    while (block_disk_at(count) != NULL) {
        count++;
    }
    return count;
}

/* ---- which blocks may be read ---- */

/* Reads one block, which is allowed only for this read. The disk is open. */
static bool read_block(void *context, uint64_t block, void *to)
{
    struct block_disk *disk = context;
    struct block_request request = {.block = block, .blocks = 1, .to = to};

    disk->allowed_first = block;
    disk->allowed = 1;
    block_submit(disk, &request);
    block_wait(disk, &request);
    disk->allowed = 0;
    return request.error == BLOCK_GOOD;
}

static const char *because(const struct block_disk *disk, const char *why)
{
    snprintf(why_not, sizeof(why_not), "%s: %s", disk->name, why);
    return why_not;
}

static void allow(struct block_disk *disk, uint64_t first, uint64_t blocks, struct block_volume *to)
{
    const uint64_t per_block = disk->block_bytes / LAYOUT_SECTOR;

    disk->allowed_first = first;
    disk->allowed = blocks;
    *to = (struct block_volume){
        .disk = disk, .first_sector = first * per_block, .sectors = blocks * per_block};
}

/* Makes tare's partition the volume, and reads its directory. */
static const char *use_partition(struct block_disk *disk, const struct gpt_partition *partition,
                                 struct block_volume *to)
{
    if (!read_block(disk, partition->first, buffer)) {
        return because(disk, "the directory of tare's partition cannot be read");
    }
    allow(disk, partition->first, partition->blocks, to);
    const char *wrong = layout_read(buffer, to->sectors, &to->layout);

    if (wrong != NULL) {
        disk->allowed = 0;
        snprintf(why_not, sizeof(why_not), "%s: tare's partition: %s; write it again (tare disk)",
                 disk->name, wrong);
        return why_not;
    }
    to->verified = true;
    return NULL;
}

static enum gpt_result find_partition(struct block_disk *disk, struct gpt_partition *found)
{
    static const uint8_t type[GPT_TYPE_BYTES] = LAYOUT_PARTITION_TYPE;
    const struct gpt_disk tables = {
        .blocks = disk->blocks,
        .block_bytes = disk->block_bytes,
        .read = read_block,
        .context = disk,
        .buffer = buffer,
    };

    return gpt_find(&tables, type, found);
}

/* Gets what may be read of a disk. If the plan names it (`named`), that may be all of it. Returns
 * false if nothing may be read, which need not be an error. */
static bool use_disk(struct block_disk *disk, bool named, struct block_volume *to, const char **why)
{
    struct gpt_partition partition;

    *why = block_open(disk, 1, false);
    if (*why != NULL) {
        *why = because(disk, *why);
        return named;
    }
    const enum gpt_result result = find_partition(disk, &partition);
    bool used = named;

    if (result == GPT_FOUND) {
        *why = use_partition(disk, &partition, to);
        used = true;
    } else if (disk->unusable != NULL) {
        *why = because(disk, disk->unusable);
    } else if (named) {
        allow(disk, 0, disk->blocks, to);
    }
    block_close(disk);
    return used;
}

/* ---- the volume ---- */

static const char *use_model(struct block_volume *to)
{
    struct block_disk *disk = the_modelled_disk();

    if (disk == NULL) {
        return "the machine has too many disks to add the modelled one";
    }
    allow(disk, 0, disk->blocks, to);
    to->verified = true;
    to->layout = *modelled_disk_layout();
    modelled_disk_keep(disk_timing_named(settings.model));
    return NULL;
}

static const char *no_such_disk(void)
{
    size_t length;

    snprintf(why_not, sizeof(why_not), "disk.use=%.20s: no such disk; there are", settings.use);
    for (size_t i = 0; i < block_disks(); i++) {
        length = strlen(why_not);
        snprintf(why_not + length, sizeof(why_not) - length, "%s %s", i > 0 ? "," : "",
                 block_disk_at(i)->name);
    }
    if (!settings.may_drive) {
        length = strlen(why_not);
        snprintf(why_not + length, sizeof(why_not) - length,
                 "; real disks can be read only with machine=own");
    }
    return why_not;
}

static const char *use_named(void)
{
    const char *why = NULL;

    if (strcmp(settings.use, MODELLED_DISK) == 0) {
        return use_model(&volume);
    }
    for (size_t i = 0; i < block_disks(); i++) {
        if (strcmp(block_disk_at(i)->name, settings.use) == 0) {
            use_disk(block_disk_at(i), true, &volume, &why);
            return why;
        }
    }
    return no_such_disk();
}

static const char *find_volume(void)
{
    const char *why = NULL;

    if (settings.use != NULL) {
        return use_named();
    }
    for (size_t i = 0; clock_state()->ticks_per_instruction == 0 && i < block_disks(); i++) {
        struct block_disk *disk = block_disk_at(i);

        if (disk != the_modelled_disk() && use_disk(disk, false, &volume, &why)) {
            return why;
        }
    }
    return use_model(&volume);
}

/* The modelled disk asks for memory at each call: memory that one bench lacked may be free for the
 * next. If the bench is ended in the middle of the search, the next bench searches again. */
const char *block_volume(const struct block_volume **found)
{
    if (!looked_for_volume) {
        why_none = find_volume();
        looked_for_volume = true;
    }
    const char *why = why_none;

    if (why == NULL && strcmp(volume.disk->name, MODELLED_DISK) == 0) {
        modelled_disk_keep(disk_timing_named(settings.model));
        why = modelled_disk_fill();
    }
    *found = why == NULL ? &volume : NULL;
    return why;
}

const char *block_volume_like(const char *model, const struct block_volume **found)
{
    static struct block_volume like;
    const struct disk_timing *timing = disk_timing_named(model);
    const char *why;

    *found = NULL;
    if (timing == NULL) {
        snprintf(why_not, sizeof(why_not), "%.20s: no such disk model; there are " DISK_TIMINGS,
                 model);
        return why_not;
    }
    if (settings.use != NULL && strcmp(settings.use, MODELLED_DISK) != 0) {
        return block_volume(found);
    }
    why = use_model(&like);
    why = why == NULL ? modelled_disk_fill() : why;
    if (why == NULL) {
        modelled_disk_keep(timing);
    }
    *found = why == NULL ? &like : NULL;
    return why;
}

const char *block_volume_of(struct block_disk *disk, struct block_volume *found)
{
    const bool named = settings.use != NULL && strcmp(settings.use, disk->name) == 0;
    const char *why = NULL;

    if (strcmp(disk->name, MODELLED_DISK) == 0) {
        why = use_model(found);
        return why == NULL ? modelled_disk_fill() : why;
    }
    if (use_disk(disk, named, found, &why) || why != NULL) {
        return why;
    }
    return because(disk, "the disk has no tare partition, and disk.use does not name it");
}
