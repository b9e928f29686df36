/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the page does for the program (serial.js): a serial line, and a button that stops. Reading
 * suspends the program until the page has bytes (JavaScript Promise Integration).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define BROWSER_CALL(name) __attribute__((import_module("page"), import_name(#name)))

/* As line_read() and line_write() (tools/base/line.h). */
BROWSER_CALL(read) int browser_read(uint8_t *bytes, size_t capacity, unsigned timeout_ms);
BROWSER_CALL(write) int browser_write(const uint8_t *bytes, size_t length);
/* Was the button pressed? */
BROWSER_CALL(stopped) int browser_stopped(void);
