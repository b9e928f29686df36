/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drivers of disks as the image has them, on an emulated processor (unicorn_machine.h): finds
 * disks, opens them to be polled, and reads. The program has one machine.
 */
#pragma once

#include <stdint.h>

#include "kernel/block/block.h"
#include "tools/tests/machine/unicorn_machine.h"

/* A new machine with free memory, on which the TSC counts `tsc_hz` a second as the image believes.
 */
void disk_guest_open(struct machine *machine, const char *image_path, uint64_t tsc_hz);

/* The machine's only PCI function, at `place` (bus, device, function), with these 64 words of
 * configuration. `write` takes what is written to one of them; NULL: to the command register, its
 * lower half, and nothing else may be written. */
typedef void disk_guest_config_write(unsigned word, uint32_t value);
void disk_guest_plug(uint16_t place, uint32_t *config, disk_guest_config_write *write);

/* Calls a function of the image by its name or address; a failure of the machine is a failed check.
 */
uint64_t disk_guest_call(const char *function, size_t count, const uint64_t *arguments);
uint64_t disk_guest_call_at(uint64_t address, size_t count, const uint64_t *arguments);

/* Has the driver with this name of its object look for disks. */
void disk_guest_find(const char *driver);
/* Disk `index`, which must be there, with all of its blocks allowed, and its address. */
struct block_disk *disk_guest_disk(uint64_t index, uint64_t *address);
void disk_guest_open_disk(uint64_t disk, uint64_t depth);

/* Submits a new request. */
struct block_request *disk_guest_submit(uint64_t disk, uint64_t block, uint32_t blocks);
/* Polls until it is done, many times at most. */
void disk_guest_finish(uint64_t disk, const struct block_request *request);

/* A text of the image's; NULL for NULL. */
const char *disk_guest_text(const char *text);
