/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sleep types of state S5, soft off, out of ACPI's DSDT or an SSDT (ACPI 6.5 sections 7.4.2
 * and 20.2.5.4).
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Those of the first package \_S5 in the bytes behind a table's header: a value of 3 bits for each
 * PM1 control register. False: there is none that can be read. */
bool aml_sleep_types(const uint8_t *aml, size_t length, uint8_t types[2]);
