/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of NVM Express and what a controller answers (NVM Express Base Specification 1.4): the
 * few that reading takes. No other can be made here. Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/block/block.h"

#define NVME_PAGE          4096ull
#define NVME_COMMAND_WORDS 16
#define NVME_DONE_WORDS    4
/* The most of one read, and the list of pages that it may take. */
#define NVME_BYTES_MAX    (1u << 20)
#define NVME_LIST_ENTRIES (NVME_BYTES_MAX / NVME_PAGE)

struct nvme_command {
    uint32_t word[NVME_COMMAND_WORDS];
};

/* What identify answers with: a page each. */
enum nvme_identify {
    NVME_NAMESPACE = 0,
    NVME_CONTROLLER = 1,
    NVME_NAMESPACES = 2, /* the ids above the one asked for; since version 1.1 */
};

/* Each fills all of a command but its id. Memory is given by its physical address. */
void nvme_make_identify(struct nvme_command *command, enum nvme_identify what, uint32_t namespace,
                        uint64_t page);
/* One queue of either kind, besides those of the administration. */
void nvme_make_queue_count(struct nvme_command *command);
/* Both have number 1. With `interrupts` the first vector. */
void nvme_make_completion_queue(struct nvme_command *command, uint32_t entries, uint64_t address,
                                bool interrupts);
void nvme_make_submission_queue(struct nvme_command *command, uint32_t entries, uint64_t address);
/* `bytes` (of `blocks` blocks) up to NVME_BYTES_MAX go to `to`, a multiple of 4. `list` has room
 * for NVME_LIST_ENTRIES and crosses no page; it is filled as needed. */
void nvme_make_read(struct nvme_command *command, uint32_t namespace, uint64_t block,
                    uint32_t blocks, uint64_t to, uint64_t bytes, uint64_t *list);

struct nvme_controller_facts {
    uint32_t namespaces; /* the highest id that one can have */
    uint64_t bytes_max;  /* of one command, up to NVME_BYTES_MAX */
    const char *unusable;
};

struct nvme_namespace_facts {
    uint64_t blocks; /* 0: there is no such namespace */
    uint32_t block_bytes;
    const char *unusable; /* why it cannot be read; NULL: it can */
};

void nvme_read_controller(const uint8_t page[NVME_PAGE], struct nvme_controller_facts *facts);
void nvme_read_namespace(const uint8_t page[NVME_PAGE], struct nvme_namespace_facts *facts);
/* The ids in a list; how many, up to `most`. */
size_t nvme_read_ids(const uint8_t page[NVME_PAGE], uint32_t *ids, size_t most);

/* Of a completion's last word. `*code` gets type and code of the status (section 4.6.1): type in
 * bits 10-8, code in 7-0. */
enum block_error nvme_read_status(uint32_t word, uint32_t *code);
