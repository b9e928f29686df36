/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/perfetto_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

static struct perfetto_piece *add_piece(struct perfetto_pieces *pieces)
{
    pieces->item =
        alloc_append(pieces->item, &pieces->count, &pieces->capacity, sizeof(*pieces->item));
    return &pieces->item[pieces->count - 1];
}

/* "FILE-3"; the caller frees it. */
static char *piece_path(const struct perfetto_pieces *pieces, size_t number)
{
    const size_t size = strlen(pieces->path) + 32;
    char *path = alloc_zeroed(size);

    snprintf(path, size, "%s-%zu", pieces->path, number);
    return path;
}

bool perfetto_pieces_open(struct perfetto_pieces *pieces, const char *path, uint64_t most,
                          char error[OUTPUT_FILE_ERROR_MAX])
{
    *pieces = (struct perfetto_pieces){.path = path, .limit = UINT64_MAX};
    struct perfetto_piece *piece = add_piece(pieces);

    if (!output_file_open(&piece->file, path, error)) {
        pieces->count = 0;
        perfetto_pieces_discard(pieces);
        return false;
    }
    if (piece->file.partial.name != NULL) {
        pieces->limit = most - PIECE_REST;
    }
    return true;
}

FILE *perfetto_pieces_stream(const struct perfetto_pieces *pieces)
{
    return pieces->item[pieces->count - 1].file.stream;
}

/* Whole, but not in place. */
static bool end_piece(struct perfetto_piece *piece, char error[OUTPUT_FILE_ERROR_MAX])
{
    const bool written = output_file_finish(piece->file.stream);
    const int cause = errno;
    const bool closed = fclose(piece->file.stream) == 0;

    piece->file.stream = NULL;
    if (!written || !closed) {
        snprintf(error, OUTPUT_FILE_ERROR_MAX, "cannot write %.400s: %s", piece->file.partial.path,
                 strerror(written ? errno : cause));
    }
    return written && closed;
}

FILE *perfetto_pieces_next(struct perfetto_pieces *pieces, char error[OUTPUT_FILE_ERROR_MAX])
{
    struct perfetto_piece *last = &pieces->item[pieces->count - 1];

    if (pieces->count == 1) {
        last->path = piece_path(pieces, 1);
        if (!partial_file_move(&last->file.partial, last->path, error)) {
            return NULL;
        }
    }
    if (!end_piece(last, error)) {
        return NULL;
    }
    struct perfetto_piece *piece = add_piece(pieces);

    piece->path = piece_path(pieces, pieces->count);
    if (!output_file_open(&piece->file, piece->path, error)) {
        piece->file = (struct output_file){0};
        return NULL;
    }
    return piece->file.stream;
}

static void free_pieces(struct perfetto_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++) {
        free(pieces->item[i].path);
    }
    free(pieces->item);
    *pieces = (struct perfetto_pieces){0};
}

bool perfetto_pieces_commit(struct perfetto_pieces *pieces, char error[OUTPUT_FILE_ERROR_MAX])
{
    const size_t last = pieces->count - 1;
    bool good = last == 0 || end_piece(&pieces->item[last], error);

    for (size_t i = 0; i < last && good; i++) {
        good = partial_file_commit(&pieces->item[i].file.partial, error);
    }
    if (good) {
        good = last == 0 ? output_file_commit(&pieces->item[0].file, error)
                         : partial_file_commit(&pieces->item[last].file.partial, error);
    }
    if (!good) {
        perfetto_pieces_discard(pieces);
        return false;
    }
    free_pieces(pieces);
    return true;
}

void perfetto_pieces_discard(struct perfetto_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++) {
        output_file_discard(&pieces->item[i].file);
    }
    free_pieces(pieces);
}
