/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces that lack something (tools/trace/trace_write.h makes them). */
#pragma once

#include "tools/trace/trace_write.h"

/* The open packet is lost on the line. */
void trace_builder_lose(struct trace_builder *builder);
/* The open packet and all before it are overwritten. */
void trace_builder_overwrite(struct trace_builder *builder);
/* Records that found no room; the packets that end later count them. */
void trace_builder_discard(struct trace_builder *builder, uint64_t records);
