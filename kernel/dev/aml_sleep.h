/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the sleep types of state S5, soft off, in the DSDT or an SSDT of ACPI (ACPI 6.5 sections
 * 7.4.2 and 20.2.5.4).
 *
 * Accesses no hardware: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the first package \_S5 in the bytes after a table's header. Sets `types` to a value of 3
 * bits for each PM1 control register. Returns false if no such package can be read. */
bool aml_sleep_types(const uint8_t *aml, size_t length, uint8_t types[2]);
