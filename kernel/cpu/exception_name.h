/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the exceptions (SDM volume 3, section 6.3.1). */
#pragma once

#include <stdint.h>

/* Returns the short name of an exception vector, such as "#PF page fault". */
const char *exception_name(uint64_t vector);
