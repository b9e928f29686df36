/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells lwIP about the compiler and the platform. The names are lwIP's.
 */
#pragma once

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

/* If limits.h does not define SSIZE_MAX, lwIP would define ssize_t again. */
#ifndef SSIZE_MAX
#define SSIZE_MAX LONG_MAX
#endif
#define LWIP_NO_UNISTD_H 1

/* lwIP checks its assertions on the host only. */
#if !__STDC_HOSTED__
#define LWIP_NOASSERT
#endif

uint32_t port_random(void);
#define LWIP_RAND() port_random()
