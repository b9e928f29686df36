/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the image that talks to UEFI, and all of it that may: what firmware does for the
 * kernel later (struct firmware_calls, kernel/plan/handoff.h) is here as well.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "kernel/plan/handoff.h"

/* Reads the plan from the first source that has one: QEMU's fw_cfg item opt/tare/plan, the file
 * tare.plan beside the image (then in the root of its volume, or on the TFTP server that it came
 * from), the load options. The RSDP and the ranges of memory are known. */
void plan_find(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff);

/* False where the image did not come by PXE, or the server has no tare.plan beside it. */
bool plan_from_network(EFI_SYSTEM_TABLE *system, const EFI_LOADED_IMAGE *loaded,
                       struct handoff *handoff);

/* Copies what firmware knows of the machine: tables, framebuffer, versions, time; and where the
 * image lies. */
void firmware_describe(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff);

/* The status in words, for people. */
const char *status_words(EFI_STATUS status);

/* The calls, and whom they ask. Fills in the ranges as they are now. */
EFI_STATUS services_open(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff);

/* What the calls of the log do (log_file.c). */
void log_file_open(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);
const char *log_file_create(const char **name);
/* The root of the volume that the image was loaded from. NULL, or why not. */
const char *log_file_open_root(EFI_FILE_HANDLE *root);
/* What the calls about the run's mark do (run_mark.c). */
const char *run_mark_set(void);
void run_mark_clear(void);
const char *log_file_append(const void *bytes, size_t length);
