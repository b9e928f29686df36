/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#define TARE_VERSION "0.2.0"
/* Of the log: frames, records, codecs. Readers refuse a higher one. */
#define TARE_LOG_FORMAT 1
