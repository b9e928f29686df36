/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware as QEMU's -bios is to take it on a machine without a TPM.
 *
 * Firmware looks for a TPM at 0xfed40000 (TCG PC Client Platform TPM Profile 1.05, 6.2: five
 * localities of 4 KiB). Where none is, a PC reads ones. QEMU reads zeros, which OVMF takes for a
 * TPM that is slow to start: it polls a port twice for 750 ms (TIMEOUT_A) of the guest's time. At
 * 8 ns an instruction this is three quarters of what a boot costs the host. What -bios takes ends
 * at 4 GiB and may be long; a file that begins at the TPM's place holds the ones.
 */
#pragma once

#include <stdbool.h>

#define FIRMWARE_TPM_ADDRESS 0xfed40000u
#define FIRMWARE_TPM_BYTES   0x5000u

/* Writes such a file, with a hole between the ones and the firmware; `target` must not exist. False
 * with errno set: EFBIG, and no file, if the firmware is too long or of no length. */
bool firmware_without_tpm(const char *source, const char *target);
