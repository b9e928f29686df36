/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/support/trace_builder.h"

#include <string.h>

void trace_builder_lose(struct trace_builder *builder)
{
    builder->lost = true;
}

void trace_builder_overwrite(struct trace_builder *builder)
{
    builder->overwritten += builder->kept;
    builder->kept = 0;
    builder->claimed = UINT64_MAX; /* the open one does not count either */
    memmove(builder->bytes, builder->bytes + builder->length, builder->packet_bytes);
    builder->length = 0;
    builder->lost = true;
}

void trace_builder_discard(struct trace_builder *builder, uint64_t records)
{
    builder->discarded += records;
}
