/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/bench_run.h"

#include "kernel/link/names.h"
#include "kernel/link/record.h"

void bench_record(struct record_writer *record, const char *name, const struct bench_run *run)
{
    record_begin(record, name);
    record_text(record, FIELD_BENCH, run->bench->name);
    if (run->pass != 0) {
        record_unsigned(record, FIELD_PASS, run->pass);
    }
}
