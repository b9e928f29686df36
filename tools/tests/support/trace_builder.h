/* SPDX-License-Identifier: BSD-2-Clause */
/* Incomplete traces (made by tools/trace/trace_write.h). */
#pragma once

#include <string.h>

#include "tools/trace/trace_write.h"

/* Loses the open packet on the line. */
static inline void trace_builder_lose(struct trace_builder *builder)
{
    builder->lost = true;
}

/* Overwrites the open packet and all before it. */
static inline void trace_builder_overwrite(struct trace_builder *builder)
{
    builder->overwritten += builder->kept;
    builder->kept = 0;
    builder->claimed = UINT64_MAX; /* the open one does not count either */
    memmove(builder->bytes, builder->bytes + builder->length, builder->packet_bytes);
    builder->length = 0;
    builder->lost = true;
}

/* Adds records that did not fit; packets that end later count them. */
static inline void trace_builder_discard(struct trace_builder *builder, uint64_t records)
{
    builder->discarded += records;
}
