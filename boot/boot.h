/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the image that talks to UEFI. Nothing here survives ExitBootServices.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "kernel/handoff.h"

/* Unpacks the kernel to where it was linked: before that nothing of it can be used, and linker.ld
 * lets nothing in boot/ refer to it. False where the image is damaged. */
bool kernel_unpack(void);

/* Enters kernel_main (kernel/handoff.h) of the unpacked kernel, with boot services gone. */
_Noreturn void kernel_enter(const struct handoff *handoff);

/* Reads the plan from the first source that has one: QEMU's fw_cfg item opt/tare/plan, the file
 * tare.plan beside the image (then in the root of its volume), the load options. */
void plan_find(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff);

/* Copies what firmware knows of the machine: tables, framebuffer, versions, time. */
void firmware_describe(EFI_SYSTEM_TABLE *system, struct handoff *handoff);

/* Ends boot services and copies the final memory map. On failure boot services are still there and
 * the firmware's last status is returned. */
EFI_STATUS boot_services_leave(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff);
