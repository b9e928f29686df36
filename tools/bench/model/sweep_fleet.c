/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/model/sweep_fleet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/temporary.h"
#include "tools/bench/model/sweep_rows.h"
#include "tools/store/fleet.h"
#include "tools/store/runfile.h"

struct id_list {
    int64_t *item;
    size_t count, capacity;
};

static bool take_id(void *context, const struct store_row *row)
{
    struct id_list *ids = context;

    if (row->texts[0] != NULL) {
        ids->item = alloc_append(ids->item, &ids->count, &ids->capacity, sizeof(*ids->item));
        ids->item[ids->count - 1] = strtoll(row->texts[0], NULL, 10);
    }
    return true;
}

static bool find_shards(struct store *store, struct id_list *ids)
{
    static const char sql[] =
        "SELECT DISTINCT run_id FROM bench WHERE name = '" SWEEP_BENCH "' ORDER BY run_id";

    if (!store->backend->query(store, sql, false, take_id, ids)) {
        return false;
    }
    if (ids->count == 0) {
        store_fail(store->error,
                   "no run of this fleet holds a sweep: tare sim MODEL --sweep ... --shard I/N "
                   "-o PART.db makes one, tare db add keeps it");
        return false;
    }
    return true;
}

static bool read_run(struct store *store, const struct temporary *folder, int64_t id,
                     struct run *run)
{
    char path[TEMPORARY_PATH_MAX];
    char error[RUNFILE_ERROR_MAX];

    temporary_name(folder, "run.db", path);
    if (!fleet_extract(store, id, path)) {
        return false;
    }
    if (!runfile_read(path, run, error)) {
        store_fail(store->error, "%s", error);
        return false;
    }
    return true;
}

static bool merge(struct store *store, const struct temporary *folder, const struct id_list *ids,
                  struct run *whole)
{
    struct run *runs = alloc_zeroed(ids->count * sizeof(*runs));
    char error[SWEEP_ERROR_MAX];
    bool ok = true;

    for (size_t i = 0; i < ids->count; i++) {
        run_init(&runs[i]);
    }
    for (size_t i = 0; i < ids->count && ok; i++) {
        ok = read_run(store, folder, ids->item[i], &runs[i]);
    }
    if (ok && !sweep_merge(whole, runs, ids->item, ids->count, error)) {
        store_fail(store->error, "%s", error);
        ok = false;
    }
    for (size_t i = 0; i < ids->count; i++) {
        run_free(&runs[i]);
    }
    free(runs);
    return ok;
}

bool sweep_from_fleet(struct store *store, const int64_t *ids, size_t count, struct run *whole)
{
    struct id_list list = {0};
    struct temporary folder = {.path = ""};

    for (size_t i = 0; i < count; i++) {
        list.item = alloc_append(list.item, &list.count, &list.capacity, sizeof(*list.item));
        list.item[i] = ids[i];
    }
    if (count == 0 && !find_shards(store, &list)) {
        free(list.item);
        return false;
    }
    bool ok = temporary_create(&folder);

    if (ok) {
        ok = merge(store, &folder, &list, whole);
        temporary_remove(&folder);
    } else {
        store_fail(store->error, "no folder for temporary files: %s", strerror(errno));
    }
    free(list.item);
    return ok;
}
