/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the image that talks to UEFI; no other part may. It includes the firmware services
 * that the kernel calls later (struct firmware_calls, kernel/plan/handoff.h).
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "kernel/plan/handoff.h"

/* Reads the plan from the first source that has one: QEMU's fw_cfg item opt/tare/plan; the file
 * tare.plan in the image's folder, then in the root of its volume, then on the TFTP server that the
 * image came from; the load options. Call after the RSDP and the memory ranges have been set in the
 * handoff. */
void plan_find(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff);

#define BESIDE_NAME_MAX 16 /* characters of such a file's name, with its zero */

/* Opens a file in the image's folder; if it is not there, in the root of its volume. */
EFI_STATUS open_beside_image(EFI_SYSTEM_TABLE *system, const EFI_LOADED_IMAGE *loaded,
                             const CHAR16 *name, EFI_FILE_HANDLE *file);

/* Reads a file of the image's folder on the TFTP server that the image came from. `size` is the
 * number of bytes that fit, then that of the file. */
EFI_STATUS network_read(EFI_SYSTEM_TABLE *system, const EFI_LOADED_IMAGE *loaded, const char *name,
                        void *bytes, UINT64 *size);

/* Starts tare-smp.efi, with the same load options, if the plan needs it and this image is tare.efi.
 * If it cannot be started, or the plan forbids this image, handoff->refusal gets the reason. */
void chain_load(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff);

/* Reads tare.plan from the TFTP server into the handoff. Returns false if the image was not loaded
 * by PXE over IPv4, or the server has no tare.plan in the image's folder. */
bool plan_from_network(EFI_SYSTEM_TABLE *system, const EFI_LOADED_IMAGE *loaded,
                       struct handoff *handoff);

/* Copies into the handoff what firmware knows about the machine (tables, framebuffer, versions,
 * time) and where the image was loaded. */
void firmware_describe(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff);

/* Returns the status as text for people. */
const char *status_words(EFI_STATUS status);

/* Sets handoff->firmware to the calls into firmware, and fills in the current memory ranges.
 * Returns an error if the memory map cannot be read. */
EFI_STATUS services_open(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff);

/* Adds the address that the image was loaded to, to each word that holds an address of the image
 * (relocate.c). Call once, before anything reads such a word. */
void image_relocate(void);

/* Finds the name of the setting (plan key setting), asking for it at the keyboard if the plan says
 * so; the plan in the handoff then gets it. Call after chain_load(), whose image asks itself. */
void setting_find(EFI_SYSTEM_TABLE *system, struct handoff *handoff);

/* Implement the log calls of struct firmware_calls (log_file.c). Call log_file_open() first. */
void log_file_open(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);
const char *log_file_create(const char **name);
/* Makes the name of a setting part of the names of log files. Keeps the pointer. */
void log_file_name(const char *setting);
/* Returns the name that log_file_create() would choose; NULL if no log file can be created. */
const char *log_file_next(void);
/* Opens the root folder of the volume that the image was loaded from. Returns NULL on success,
 * otherwise the reason. */
const char *log_file_open_root(EFI_FILE_HANDLE *root);
/* Opens a file in that root folder. Returns NULL if it cannot be opened. */
EFI_FILE_HANDLE log_file_open_other(const CHAR16 *name, UINT64 mode);
/* Implement the calls about the mark of a run (run_mark.c). */
const char *run_mark_set(void);
void run_mark_clear(void);
const char *log_file_append(const void *bytes, size_t length);
