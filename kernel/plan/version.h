/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#define TARE_VERSION "0.2.0"
/* Version of the log format: frames, records, codecs. Readers reject a higher one. */
#define TARE_LOG_FORMAT 1
