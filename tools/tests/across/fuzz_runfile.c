/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: a run file with bytes or values changed (fuzz_tables.h), through the reader. It is
 * refused in one line that names it, or holds true samples and whole packets.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/base/trace_bytes.h"
#include "tools/store/runfile.h"
#include "tools/tests/across/fuzz_tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[TEMPORARY_PATH_MAX];
static struct fuzz_file file;

static void make_original(void)
{
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    own_path("run.db", path);
    make_whole_run(&run);
    demand(runfile_write(path, &run, error));
    run_free(&run);
    fuzz_file_take(&file, path);
}

static void check_bench(const struct run_bench *bench)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];

        demand(!run_series_whole(series) || run_series_crc(series) == series->crc);
    }
    for (size_t i = 0; i < bench->trace_count; i++) {
        const struct trace_bytes *packets = bench->traces[i].packets;

        demand(packets->length <= bench->traces[i].claimed);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[RUNFILE_ERROR_MAX] = "";
    struct bytes bytes = {data, size};
    struct run run;

    if (file.original == NULL) {
        make_original();
    }
    fuzz_file_change(&file, &bytes);
    run_init(&run);
    if (runfile_read(path, &run, error)) {
        for (size_t i = 0; i < run.bench_count; i++) {
            check_bench(&run.benches[i]);
        }
    } else {
        demand(strstr(error, path) != NULL && strchr(error, '\n') == NULL);
    }
    run_free(&run);
    return 0;
}
