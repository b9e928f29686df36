/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of keyboard and mouse: above the timer's class, so that a byte interrupts the handler
 * that sent it. */
#pragma once

#define INPUT_VECTOR_KEYBOARD 0x51
#define INPUT_VECTOR_MOUSE    0x5c
