/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the promises of bench `delivery` as a table, and writes their JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/delivery/names.h"
#include "bench/delivery/promise.h"
#include "tools/base/table.h"
#include "tools/present/digest.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

#define NAME_BYTES 48

/* What the bench published about a promise. */
struct tried {
    const struct promise_text *text;
    int64_t tried, broken;
    bool has_first;
    int64_t first;   /* offset */
    const char *how; /* how it was broken first; NULL: it was not */
};

static int64_t fact_of(const struct run_bench *bench, const char *prefix, const char *promise,
                       bool *known)
{
    char name[NAME_BYTES];

    snprintf(name, sizeof(name), "%s%s", prefix, promise);
    const struct run_fact *fact = run_find_fact(bench, name);

    *known = fact != NULL;
    return fact != NULL ? fact->value : 0;
}

/* Returns false if the promise was not tried, or if the run does not say how often it was kept. */
static bool read_promise(const struct run_bench *bench, enum promise promise, struct tried *tried)
{
    char name[NAME_BYTES];
    bool has_tried, has_broken;

    tried->text = promise_text(promise);
    tried->tried = fact_of(bench, PREFIX_TRIED, tried->text->name, &has_tried);
    tried->broken = fact_of(bench, PREFIX_BROKEN, tried->text->name, &has_broken);
    tried->first = fact_of(bench, PREFIX_FIRST, tried->text->name, &tried->has_first);
    snprintf(name, sizeof(name), PREFIX_HOW "%s", tried->text->name);
    tried->how = run_find_param(bench, name);
    return has_tried && has_broken;
}

static void view_delivery(const struct view *view, const struct run_bench *bench)
{
    struct table table;
    struct tried tried;

    table_open(&table, "llrrrr", "promise\tmade in\ttried\tkept\tbroken\tfirst offset");
    for (unsigned i = 0; i < PROMISES; i++) {
        if (!read_promise(bench, (enum promise)i, &tried)) {
            continue;
        }
        table_named_row(&table, tried.text->name);
        table_text(&table, tried.text->section);
        table_signed(&table, tried.tried);
        table_signed(&table, tried.tried - tried.broken);
        table_signed(&table, tried.broken);
        table_colour(&table, tried.broken > 0 ? COLOUR_BAD : COLOUR_PLAIN);
        table_known(&table, tried.has_first, tried.first);
    }
    view_table(view, &table);
    for (unsigned i = 0; i < PROMISES; i++) {
        if (read_promise(bench, (enum promise)i, &tried) && tried.broken > 0) {
            print_paragraph(view->out, "%s is broken: %s, but %s", tried.text->name,
                            tried.text->what, tried.how != NULL ? tried.how : "how is not known");
        }
    }
}

/* The table has all facts of promises. */
static bool shows_fact(const struct run_fact *fact)
{
    static const char *const prefixes[] = {PREFIX_TRIED, PREFIX_BROKEN, PREFIX_FIRST};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(fact->name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool digest_delivery(const struct view *view, const struct run_bench *bench,
                            struct digest *digest)
{
    unsigned tried_count = 0, kept = 0;
    struct tried tried;

    (void)view;
    for (unsigned i = 0; i < PROMISES; i++) {
        if (read_promise(bench, (enum promise)i, &tried)) {
            tried_count++;
            kept += tried.broken == 0;
        }
    }
    if (tried_count == 0) {
        return false;
    }
    snprintf(digest->text, sizeof(digest->text), "%u of %u promises kept", kept, tried_count);
    return true;
}

static void json_delivery(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct tried tried;

    (void)run;
    json_array(json, "promises");
    for (unsigned i = 0; i < PROMISES; i++) {
        if (!read_promise(bench, (enum promise)i, &tried)) {
            continue;
        }
        json_object(json, NULL);
        json_text(json, "name", tried.text->name);
        json_text(json, "section", tried.text->section);
        json_signed(json, "tried", tried.tried);
        json_signed(json, "broken", tried.broken);
        if (tried.has_first) {
            json_signed(json, "first_offset", tried.first);
        } else {
            json_null(json, "first_offset");
        }
        json_text(json, "how", tried.how);
        json_close(json);
    }
    json_close(json);
}

PLUGIN_OF(delivery, .order = 505, .show = view_delivery, .place = PLUGIN_FOR_SERIES,
          .shows_fact = shows_fact, .digest = digest_delivery, .json = json_delivery);
