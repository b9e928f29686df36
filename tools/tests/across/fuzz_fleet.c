/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: a fleet's file with bytes or values changed (fuzz_tables.h). It is refused in one
 * line, or lists its runs; what it gives out as its first run is to the byte the one that was
 * added.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/store/fleet.h"
#include "tools/store/runfile.h"
#include "tools/tests/across/fuzz_tables.h"

#define ROWS_MAX 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[TEMPORARY_PATH_MAX];
static char out_path[TEMPORARY_PATH_MAX];
static struct fuzz_file file;
static uint8_t *added;
static size_t added_size;

static void make_original(void)
{
    char error[STORE_ERROR_MAX];
    struct run run;
    int64_t id;
    bool is_new;

    own_path("fleet.db", path);
    own_path("run.db", out_path);
    struct store *store = store_open(path, STORE_CREATE, error);

    make_whole_run(&run);
    demand(runfile_write(out_path, &run, error));
    demand(store != NULL && fleet_begin(store) && fleet_add(store, &run, "a.db", &id, &is_new) &&
           fleet_commit(store));
    store_close(store);
    run_free(&run);
    added = read_whole_file(out_path, &added_size);
    fuzz_file_take(&file, path);
}

static bool take_row(void *context, const struct store_row *row)
{
    unsigned *rows = context;

    for (size_t i = 0; i < row->count; i++) {
        demand(row->names[i] != NULL);
    }
    return ++*rows < ROWS_MAX;
}

static void check_extracted(void)
{
    size_t size = 0;
    uint8_t *extracted = read_whole_file(out_path, &size);

    demand(size == added_size && memcmp(extracted, added, size) == 0);
    free(extracted);
}

static void look(struct store *store)
{
    unsigned rows = 0;

    if (!fleet_look(store)) {
        return;
    }
    fleet_list(store, take_row, &rows);
    if (fleet_extract(store, 1, out_path)) {
        check_extracted();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[STORE_ERROR_MAX] = "";
    struct bytes bytes = {data, size};

    if (file.original == NULL) {
        make_original();
    }
    fuzz_file_change(&file, &bytes);
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
