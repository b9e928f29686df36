/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/system/host/kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "tools/base/alloc.h"

#define NAME_MAX_BYTES 64

const char *processor_kind(const struct run *run, int64_t number)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), FACT_PROCESSOR_KIND ".%" PRId64, number);
    return run_pair_value(&run->machine, name);
}

const char *processor_label(const struct run *run, int64_t number, char label[PROCESSOR_LABEL_MAX])
{
    const char *kind = processor_kind(run, number);

    snprintf(label, PROCESSOR_LABEL_MAX, "%" PRId64 "%s%.52s", number, kind != NULL ? " " : "",
             kind != NULL ? kind : "");
    return label;
}

/* Where the run lists this kind; one that it does not list is behind all. */
static size_t rank_of(const struct run *run, const char *kind)
{
    const size_t prefix = strlen(FACT_KIND ".");

    for (size_t i = 0; kind != NULL && i < run->machine.count; i++) {
        const char *key = run->machine.item[i].key;

        if (strncmp(key, FACT_KIND ".", prefix) == 0 && strcmp(key + prefix, kind) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

size_t *processors_by_kind(const struct run *run, const int64_t *numbers, size_t count)
{
    size_t *order = alloc_zeroed((count + 1) * sizeof(*order));
    size_t *rank = alloc_zeroed((count + 1) * sizeof(*rank));

    for (size_t i = 0; i < count; i++) {
        size_t at = i;

        rank[i] = rank_of(run, processor_kind(run, numbers[i]));
        for (; at > 0 && rank[order[at - 1]] > rank[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    free(rank);
    return order;
}

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

void processors_kinds_text(const struct run *run, const int64_t *numbers, size_t count,
                           char text[KINDS_TEXT_MAX])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0, next; i < count && used < KINDS_TEXT_MAX; i = next) {
        const char *kind = processor_kind(run, numbers[i]);

        for (next = i + 1; next < count && is_same(kind, processor_kind(run, numbers[next]));) {
            next++;
        }
        if (kind == NULL && next - i == count) {
            return;
        }
        used += (size_t)snprintf(text + used, KINDS_TEXT_MAX - used, "%s%zu %.52s",
                                 i > 0 ? ", " : "", next - i, kind != NULL ? kind : "of no kind");
    }
}
