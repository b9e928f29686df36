/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lwIP wants to know of compiler and platform. Its names are lwIP's.
 */
#pragma once

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

/* Where limits.h has none, lwIP would define ssize_t as well. */
#ifndef SSIZE_MAX
#define SSIZE_MAX LONG_MAX
#endif
#define LWIP_NO_UNISTD_H 1

/* lwIP checks itself on the host; the image does without. */
#if !__STDC_HOSTED__
#define LWIP_NOASSERT
#endif

uint32_t port_random(void);
#define LWIP_RAND() port_random()
