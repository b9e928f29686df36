/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a task's script types, as a document: its characters one behind the other, with newlines,
 * after corrections. Moves of the cursor are left out: it is the document where they come back to
 * its end before more is typed.
 */
#pragma once

#include "bench/interactive/app.h"

/* Facts `script_checksum`, as document/text.h has it, and `script_length`; none where the script
 * cannot be read. */
void task_script_publish(struct bench_run *run);
