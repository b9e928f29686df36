/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts a fuzz corpus between its text form (corpus_text.h) and the folder that libFuzzer takes.
 *
 *     corpus_pack unpack FILE FOLDER    writes each input of FILE to FOLDER/NAME; makes the folder
 *     corpus_pack pack FOLDER FILE      replaces FILE by the files of FOLDER
 *
 * A damaged FILE is refused with its line number before anything is written. A FILE that cannot be
 * packed stays as it is.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/tests/corpus_text.h"

#define FOLDER_MODE 0755

static struct corpus_reader reader;

/* Prints that the action failed on the file, with errno's reason. */
static bool failed(const char *action, const char *path)
{
    fprintf(stderr, "corpus_pack: cannot %s %s: %s\n", action, path, strerror(errno));
    return false;
}

static bool write_input(const char *folder, const struct corpus_input *input)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", folder, input->name);
    FILE *file = fopen(path, "wb");

    if (file == NULL) {
        return failed("write", path);
    }
    const bool written = fwrite(input->bytes, 1, input->size, file) == input->size;

    return fclose(file) == 0 && written ? true : failed("write", path);
}

/* Reads the whole corpus; writes its inputs if a folder is given. */
static bool read_corpus(const char *path, FILE *file, const char *folder)
{
    enum corpus_result result;

    corpus_read_begin(&reader, file);
    while ((result = corpus_read(&reader)) == CORPUS_INPUT) {
        if (folder != NULL && !write_input(folder, &reader.input)) {
            return false;
        }
    }
    if (result == CORPUS_DAMAGED) {
        fprintf(stderr, "corpus_pack: %s:%lu: %s\n", path, reader.line, reader.error);
    }
    return result == CORPUS_END;
}

static bool unpack(const char *path, const char *folder)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return failed("read", path);
    }
    bool unpacked = read_corpus(path, file, NULL);

    if (unpacked && mkdir(folder, FOLDER_MODE) != 0 && errno != EEXIST) {
        unpacked = failed("make folder", folder);
    }
    if (unpacked) {
        rewind(file);
        unpacked = read_corpus(path, file, folder);
    }
    fclose(file);
    return unpacked;
}

/* Copies the file of the folder to the corpus. */
static bool pack_input(const char *folder, const char *name, FILE *corpus)
{
    static uint8_t bytes[CORPUS_SIZE_MAX + 1];
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (!corpus_name_valid(name)) {
        fprintf(stderr, "corpus_pack: %s is not a valid name: use letters, digits, _, - and .\n",
                path);
        return false;
    }
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return failed("read", path);
    }
    const size_t size = fread(bytes, 1, sizeof(bytes), file);
    const bool was_read = ferror(file) == 0;

    fclose(file);
    if (!was_read) {
        return failed("read", path);
    }
    if (size > CORPUS_SIZE_MAX) {
        fprintf(stderr, "corpus_pack: %s is longer than %d bytes: make it smaller\n", path,
                CORPUS_SIZE_MAX);
        return false;
    }
    corpus_write(corpus, name, bytes, size);
    return true;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Whatever the locale is. */
static int by_name(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static bool pack_folder(const char *folder, FILE *corpus)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_shown, by_name);
    bool packed = count > 0;

    if (count < 0) {
        return failed("read", folder);
    }
    if (count == 0) {
        fprintf(stderr, "corpus_pack: %s is empty: there is nothing to pack\n", folder);
    }
    corpus_write_begin(corpus);
    for (int i = 0; i < count; i++) {
        packed = packed && pack_input(folder, entries[i]->d_name, corpus);
        free(entries[i]);
    }
    free(entries);
    return packed;
}

static bool pack(const char *folder, const char *path)
{
    char partial[PATH_MAX];

    snprintf(partial, sizeof(partial), "%s.partial", path);
    FILE *corpus = fopen(partial, "wb");

    if (corpus == NULL) {
        return failed("write", partial);
    }
    bool packed = pack_folder(folder, corpus);
    const bool written = ferror(corpus) == 0;

    if (fclose(corpus) != 0 || !written) {
        packed = failed("write", partial);
    }
    if (packed && rename(partial, path) != 0) {
        packed = failed("replace", path);
    }
    if (!packed) {
        unlink(partial);
    }
    return packed;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "unpack") == 0) {
        return unpack(argv[2], argv[3]) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (argc == 4 && strcmp(argv[1], "pack") == 0) {
        return pack(argv[2], argv[3]) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    fprintf(stderr, "usage: corpus_pack unpack FILE FOLDER\n"
                    "       corpus_pack pack FOLDER FILE\n");
    return 2;
}
