/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: a fleet's file with bytes changed: place (3), value. It is refused in one line, or
 * lists its runs and gives them out as run files, which are run files or refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/alloc.h"
#include "tools/lib/fleet.h"
#include "tools/lib/runfile.h"
#include "tools/tests/fuzz_bytes.h"
#include "tools/tests/run_builder.h"
#include "tools/tests/whole_file.h"

#define ROWS_MAX 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/tmp/tare-fuzz.XXXXXX";
static char out_path[sizeof(path) + 4];
static uint8_t *original;
static size_t original_size;

static void remove_files(void)
{
    unlink(path);
    unlink(out_path);
}

static void make_original(void)
{
    static const int64_t samples[] = {3, 1, 4, 1, 5};
    char error[STORE_ERROR_MAX];
    struct run run;
    int64_t id;
    bool is_new;
    const int descriptor = mkstemp(path);

    demand(descriptor >= 0);
    close(descriptor);
    unlink(path);
    snprintf(out_path, sizeof(out_path), "%s.out", path);
    atexit(remove_files);
    struct store *store = store_open(path, STORE_CREATE, error);

    run_init(&run);
    build_series(build_bench(&run, "idle", 1), "gap", NULL, NULL, samples, 5);
    demand(store != NULL && fleet_begin(store) && fleet_add(store, &run, "a.db", &id, &is_new) &&
           fleet_commit(store));
    store_close(store);
    run_free(&run);
    original = read_whole_file(path, &original_size);
}

static bool take_row(void *context, const struct store_row *row)
{
    unsigned *rows = context;

    for (size_t i = 0; i < row->count; i++) {
        demand(row->names[i] != NULL);
    }
    return ++*rows < ROWS_MAX;
}

static void look(struct store *store)
{
    char error[RUNFILE_ERROR_MAX];
    unsigned rows = 0;
    struct run run;

    if (!fleet_look(store)) {
        return;
    }
    fleet_list(store, take_row, &rows);
    if (fleet_extract(store, 1, out_path)) {
        run_init(&run);
        runfile_read(out_path, &run, error);
        run_free(&run);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[STORE_ERROR_MAX] = "";
    struct bytes bytes = {data, size};

    if (original == NULL) {
        make_original();
    }
    uint8_t *changed = alloc_zeroed(original_size);

    memcpy(changed, original, original_size);
    while (bytes.left > 0) {
        const size_t high = take(&bytes);
        const size_t middle = take(&bytes);
        const size_t at = (high << 16 | middle << 8 | take(&bytes)) % original_size;

        changed[at] = take(&bytes);
    }
    write_whole_file(path, changed, original_size);
    free(changed);
    struct store *store = store_open(path, STORE_READ, error);

    if (store == NULL) {
        demand(error[0] != '\0' && strchr(error, '\n') == NULL);
        return 0;
    }
    look(store);
    demand(strchr(store->error, '\n') == NULL);
    store_close(store);
    return 0;
}
