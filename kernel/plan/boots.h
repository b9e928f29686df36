/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A series of boots from one drive (plan keys boots and setting). The numbers of the log files on
 * the drive count the boots. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BOOTS_MAX        1000
#define SETTING_NAME_MAX 24 /* characters of the name of a setting */

/* Returns whether the text may name a setting, and so be a part of a file's name. */
bool setting_name_good(const char *name);

/* Returns whether the boot with this log is the first of a series. */
bool boots_begin(const char *log_name, uint64_t boots);
/* Returns how many boots follow the one with this log, whose name ends in -NNNN.log: the last boot
 * of a series is the one whose number is a multiple of `boots`. */
uint64_t boots_left(const char *log_name, uint64_t boots);
