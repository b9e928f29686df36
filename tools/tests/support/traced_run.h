/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace may lack, for tests of all that reads them: tools/trace/trace_builder.h with losses.
 */
#pragma once

#include "tools/trace/trace_builder.h"

/* The open packet is lost on the line. */
void trace_builder_lose(struct trace_builder *builder);
/* The open packet and all before it are overwritten. */
void trace_builder_overwrite(struct trace_builder *builder);
/* Records that found no room, told by the packets that end behind. */
void trace_builder_discard(struct trace_builder *builder, uint64_t records);
