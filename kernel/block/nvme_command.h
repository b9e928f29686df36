/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the commands of NVM Express (NVM Express Base Specification 1.4) and decodes a controller's
 * answers. It has only the few commands that reading needs; no other can be made here. Accesses no
 * hardware.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/block/block.h"

#define NVME_PAGE          4096ull
#define NVME_COMMAND_WORDS 16
#define NVME_DONE_WORDS    4
/* The largest read, and the longest list of pages that it needs. */
#define NVME_BYTES_MAX    (1u << 20)
#define NVME_LIST_ENTRIES (NVME_BYTES_MAX / NVME_PAGE)

struct nvme_command {
    uint32_t word[NVME_COMMAND_WORDS];
};

/* What an identify command asks for. Each answer is one page. */
enum nvme_identify {
    NVME_NAMESPACE = 0,
    NVME_CONTROLLER = 1,
    NVME_NAMESPACES = 2, /* ids of namespaces above the given one; since version 1.1 */
};

/* Each function fills in a command except its id. Addresses of memory are physical. */
void nvme_make_identify(struct nvme_command *command, enum nvme_identify what, uint32_t namespace,
                        uint64_t page);
/* Asks for one submission and one completion queue, besides those for administration. */
void nvme_make_queue_count(struct nvme_command *command);
/* These two make the queues with number 1. With `interrupts`, completions raise the first vector.
 */
void nvme_make_completion_queue(struct nvme_command *command, uint32_t entries, uint64_t address,
                                bool interrupts);
void nvme_make_submission_queue(struct nvme_command *command, uint32_t entries, uint64_t address);
/* Reads `bytes` bytes (`blocks` blocks), at most NVME_BYTES_MAX, to `to`, a multiple of 4. `list`
 * has room for NVME_LIST_ENTRIES entries and crosses no page; it is filled as far as the read needs
 * it. */
void nvme_make_read(struct nvme_command *command, uint32_t namespace, uint64_t block,
                    uint32_t blocks, uint64_t to, uint64_t bytes, uint64_t *list);

struct nvme_controller_facts {
    uint32_t namespaces; /* the highest possible id of a namespace */
    uint64_t bytes_max;  /* most bytes of one command, at most NVME_BYTES_MAX */
    const char *unusable;
};

struct nvme_namespace_facts {
    uint64_t blocks; /* 0: there is no such namespace */
    uint32_t block_bytes;
    const char *unusable; /* why it cannot be read; NULL: it can */
};

void nvme_read_controller(const uint8_t page[NVME_PAGE], struct nvme_controller_facts *facts);
void nvme_read_namespace(const uint8_t page[NVME_PAGE], struct nvme_namespace_facts *facts);
/* Decodes a list of ids, at most `most` of them. Returns their number. */
size_t nvme_read_ids(const uint8_t page[NVME_PAGE], uint32_t *ids, size_t most);

/* Decodes the last word of a completion. Sets *code to type and code of the status (section 4.6.1):
 * type in bits 10-8, code in bits 7-0. */
enum block_error nvme_read_status(uint32_t word, uint32_t *code);
