/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/network/host/paths.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/disk/host/disk_reads.h"
#include "bench/disk/names.h"
#include "bench/network/names.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"

#define PS_OF_NS 1000.0
#define WHAT_MAX 256
#define KIB      1024

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const network_paths[NETWORK_PATHS] = {PATH_LOOPBACK, PATH_PAIR, PATH_REMOTE,
                                                  PATH_LOCAL};

/* columns of the table; all of them are counts */
static const char *const counts[] = {FACT_FRAMES_SENT,   FACT_FRAMES_RECEIVED, FACT_FRAMES_LOST,
                                     FACT_RETRANSMITTED, FACT_BYTES_CHECKED,   FACT_BYTES_WRONG};
static const char *const laws[] = {FACT_PACKET_NS, FACT_BYTE_PS};

bool path_fact(const struct run_bench *bench, const char *name, const char *path, int64_t *value)
{
    const struct run_fact *fact = run_fact_named(bench, "%s.%s", name, path);

    *value = fact != NULL ? fact->value : 0;
    return fact != NULL;
}

const char *path_found(const struct run_bench *bench, const char *name, const char *path)
{
    char text[NETWORK_NAME_MAX];

    snprintf(text, sizeof(text), "%s.%s", name, path);
    return run_find_param(bench, text);
}

/* Returns the models of the NICs, or NULL if none is known, as for the simulated link. */
static const char *models_of(const struct run_bench *bench, const char *path)
{
    const char *models = path_found(bench, FOUND_MODELS, path);

    return models != NULL && models[strspn(models, ",")] != '\0' ? models : NULL;
}

/* Writes "wire0,wire1 (simulated link)"; two equal models are written once. */
static void nics_text(const char *nics, const char *models, char *text, size_t size)
{
    const char *comma = models != NULL ? strchr(models, ',') : NULL;
    const size_t first = comma != NULL ? (size_t)(comma - models) : 0;
    const bool same =
        comma != NULL && strncmp(models, comma + 1, first) == 0 && comma[1 + first] == '\0';

    if (models == NULL) {
        snprintf(text, size, "%s", nics);
    } else {
        snprintf(text, size, "%s (%s)", nics, same ? comma + 1 : models);
    }
}

/* Returns true if `word` is one of the words between the points of `name`. */
static bool has_word(const char *name, const char *word)
{
    const size_t length = strlen(word);

    while (name != NULL) {
        if (strncmp(name, word, length) == 0 && (name[length] == '.' || name[length] == '\0')) {
            return true;
        }
        name = strchr(name, '.');
        name = name != NULL ? name + 1 : NULL;
    }
    return false;
}

bool path_is_there(const struct run_bench *bench, const char *path)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        if (has_word(bench->series[i].name, path)) {
            return true;
        }
    }
    return SEARCH_ANY(i, bench->fact_count, has_word(bench->facts[i].name, path));
}

const char *path_absence(const struct run_bench *bench, const char *path)
{
    for (size_t i = 0; i < bench->absent_count; i++) {
        if (strcmp(bench->absents[i].name, path) == 0) {
            return bench->absents[i].reason;
        }
    }
    return NULL;
}

/* Writes "1.000 us a frame and 8.000 ns a byte". Returns false if the path is no simulated link. */
static bool law_text(const struct run_bench *bench, const char *path, char *text, size_t size)
{
    char packet[DURATION_MAX];
    char byte[DURATION_MAX];
    int64_t ns;
    int64_t ps;

    if (!path_fact(bench, FACT_PACKET_NS, path, &ns) ||
        !path_fact(bench, FACT_BYTE_PS, path, &ps)) {
        return false;
    }
    snprintf(text, size, "%s per frame and %s per byte", duration_text((double)ns, packet),
             duration_text((double)ps / PS_OF_NS, byte));
    return true;
}

void path_what(const struct run_bench *bench, const char *path, char *text, size_t size)
{
    const char *nics = path_found(bench, FOUND_NICS, path);
    const char *interrupt = path_found(bench, FOUND_INTERRUPT, path);
    char law[WHAT_MAX];
    char which[WHAT_MAX];
    const bool by_law = law_text(bench, path, law, sizeof(law));

    if (nics == NULL) {
        snprintf(text, size, "%s", path);
        return;
    }
    nics_text(nics, models_of(bench, path), which, sizeof(which));
    snprintf(text, size, "%s: %s%s%s%s%s", path, which, interrupt != NULL ? ", by " : "",
             interrupt != NULL ? interrupt : "", by_law ? ", " : "", by_law ? law : "");
}

/* ---- tables ---- */

static void add_path(struct table *table, const struct run_bench *bench, const char *path)
{
    int64_t value = 0;

    table_named_row(table, path);
    table_text(table, path_found(bench, FOUND_NICS, path));
    table_text(table, path_found(bench, FOUND_INTERRUPT, path));
    for (size_t i = 0; i < COUNT(counts); i++) {
        const bool known = path_fact(bench, counts[i], path, &value);

        table_known(table, known, value);
    }
}

static bool has_counts(const struct run_bench *bench, const char *path)
{
    int64_t value;

    for (size_t i = 0; i < COUNT(counts); i++) {
        if (path_fact(bench, counts[i], path, &value)) {
            return true;
        }
    }
    return path_found(bench, FOUND_NICS, path) != NULL;
}

void view_paths(const struct view *view, const struct run_bench *bench)
{
    struct table table;
    char text[WHAT_MAX];
    size_t rows = 0;

    table_open(&table, "lllrrrrrr", "path\tNICs\tby\tsent\treceived\tlost\tagain\tchecked\twrong");
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        if (has_counts(bench, network_paths[i])) {
            add_path(&table, bench, network_paths[i]);
            rows++;
        }
    }
    if (rows == 0) {
        table_free(&table);
        return;
    }
    print_paragraph(view->out,
                    "sent, received: frames of the first NIC; lost: frames lost on the simulated "
                    "link; again: TCP segments sent again; checked, wrong: bytes");
    view_table(view, &table);
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        if (path_found(bench, FOUND_NICS, network_paths[i]) != NULL) {
            path_what(bench, network_paths[i], text, sizeof(text));
            print_paragraph(view->out, "%s", text);
        }
    }
}

bool path_shows_fact(const struct run_fact *fact)
{
    return is_named(fact->name, counts, COUNT(counts)) || is_named(fact->name, laws, COUNT(laws));
}

void network_cell(struct table *table, const struct view *view, double ticks)
{
    char text[AMOUNT_MAX];

    table_text(table, isfinite(ticks) ? span_text(view, ticks, text) : NULL);
}

void network_cells(struct table *table, const struct view *view,
                   const struct statistics *statistics)
{
    table_format(table, "%zu", statistics->n);
    network_cell(table, view, statistics->n > 0 ? (double)statistics->min : (double)NAN);
    statistics_cells(table, view, statistics, network_cell);
}

const char *network_bytes(int64_t bytes, char text[AMOUNT_MAX])
{
    char size[SIZE_TEXT_MAX];

    if (bytes == 0 || bytes % KIB != 0) {
        snprintf(text, AMOUNT_MAX, "%" PRId64 " B", bytes);
    } else {
        snprintf(text, AMOUNT_MAX, "%s", size_text(bytes, size));
    }
    return text;
}

const char *network_length_note(const struct view *view)
{
    return view->ticks_per_instruction > 0 ? "instructions of virtual time" : disk_time_note(view);
}
