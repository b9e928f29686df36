/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/image_benches.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/plan/bytes.h"
#include "kernel/run/registry.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

#define SECTOR_BYTES    512 /* a PE file in a disk begins at a multiple of this */
#define TABLE_ALIGNMENT 16
#define BENCHES_MAX     256
#define PARAMS_MAX      64
#define ESTIMATES_MAX   256
#define KEYS_MAX        256
#define TEXT_MAX        4096

/* PE/COFF (Microsoft's specification, revision 11): offsets in the file and in its headers */
#define PE_OFFSET_AT        0x3c
#define COFF_SECTIONS_AT    6
#define COFF_OPTIONAL_AT    20
#define COFF_BYTES          24
#define SECTIONS_MAX        32
#define SECTION_BYTES       40
#define SECTION_RVA_AT      12
#define SECTION_RAW_SIZE_AT 16
#define SECTION_RAW_AT      20

struct section {
    uint64_t rva;
    const uint8_t *bytes;
    size_t size; /* size of the part that is in the file */
};

struct pe {
    struct section section[SECTIONS_MAX];
    size_t sections;
};

/* ---- the file ---- */

static bool read_section(struct pe *pe, const uint8_t *header, const uint8_t *file, size_t size)
{
    const uint64_t raw = bytes_get(header + SECTION_RAW_AT, 4);
    const uint64_t raw_size = bytes_get(header + SECTION_RAW_SIZE_AT, 4);

    if (raw > size || raw_size > size - raw) {
        return false;
    }
    pe->section[pe->sections++] = (struct section){
        .rva = bytes_get(header + SECTION_RVA_AT, 4),
        .bytes = file + raw,
        .size = raw_size,
    };
    return true;
}

/* Reads the headers of a PE file. Returns false if there is none, or if a section lies outside the
 * file. */
static bool read_pe(struct pe *pe, const uint8_t *file, size_t size)
{
    *pe = (struct pe){0};
    if (size < PE_OFFSET_AT + 4 || memcmp(file, "MZ", 2) != 0) {
        return false;
    }
    const uint64_t at = bytes_get(file + PE_OFFSET_AT, 4);

    if (at > size || size - at < COFF_BYTES || memcmp(file + at, "PE\0\0", 4) != 0) {
        return false;
    }
    const size_t sections = bytes_get(file + at + COFF_SECTIONS_AT, 2);
    const uint64_t table = at + COFF_BYTES + bytes_get(file + at + COFF_OPTIONAL_AT, 2);

    if (sections > SECTIONS_MAX || table > size || (size - table) / SECTION_BYTES < sections) {
        return false;
    }
    for (size_t i = 0; i < sections; i++) {
        if (!read_section(pe, file + table + i * SECTION_BYTES, file, size)) {
            return false;
        }
    }
    return true;
}

/* Returns the bytes at an address of the image, or NULL if fewer than `length` are in the file. */
static const uint8_t *bytes_at(const struct pe *pe, uint64_t rva, size_t length)
{
    for (size_t i = 0; i < pe->sections; i++) {
        const struct section *section = &pe->section[i];

        if (rva >= section->rva && rva - section->rva <= section->size &&
            section->size - (rva - section->rva) >= length) {
            return section->bytes + (rva - section->rva);
        }
    }
    return NULL;
}

/* Returns the pointer at an address, as it is before the image relocates itself: the address in the
 * image; 0 for a null pointer. */
static uint64_t pointer_at(const struct pe *pe, uint64_t rva)
{
    const uint8_t *bytes = bytes_at(pe, rva, sizeof(uint64_t));

    return bytes != NULL ? bytes_get(bytes, sizeof(uint64_t)) : 0;
}

/* Returns the text at an address, or NULL if there is none or it has no end. */
static const char *text_at(const struct pe *pe, uint64_t rva)
{
    const uint8_t *text = bytes_at(pe, rva, 1);

    for (size_t i = 0; text != NULL && i < TEXT_MAX && bytes_at(pe, rva, i + 1) == text; i++) {
        if (text[i] == '\0') {
            return (const char *)text;
        }
    }
    return NULL;
}

/* ---- the table ---- */

struct reader {
    const struct pe *pe;
    struct image_benches *benches;
};

static void *keep(struct image_benches *benches, size_t bytes)
{
    void *memory = alloc_zeroed(bytes > 0 ? bytes : 1);

    *ALLOC_NEXT(benches->memory, benches->memory_count, benches->memory_capacity) = memory;
    return memory;
}

/* Returns a copy of the text to which the pointer at an address points, or NULL if there is none.
 */
static const char *copy_text(const struct reader *reader, uint64_t pointer_rva)
{
    const char *text = text_at(reader->pe, pointer_at(reader->pe, pointer_rva));

    if (text == NULL) {
        return NULL;
    }
    const size_t size = strlen(text) + 1;

    return memcpy(keep(reader->benches, size), text, size);
}

static size_t count_params(const struct pe *pe, uint64_t rva)
{
    size_t count = 0;

    while (count < PARAMS_MAX && pointer_at(pe, rva + count * sizeof(struct bench_param) +
                                                    offsetof(struct bench_param, name)) != 0) {
        count++;
    }
    return count;
}

static bool has_words(const struct bench_param *param)
{
    return param->type == PARAM_IS_WORD || param->type == PARAM_IS_WORDS;
}

/* Reads `count` rows into *read, followed by a row without a name. Returns false if the table is
 * damaged. */
static bool read_params(const struct reader *reader, uint64_t rva, size_t count,
                        const struct bench_param **read)
{
    struct bench_param *params = keep(reader->benches, (count + 1) * sizeof(*params));

    *read = params;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = rva + i * sizeof(*params);
        const uint8_t *bytes = bytes_at(reader->pe, at, sizeof(*params));

        if (bytes == NULL) {
            return false;
        }
        memcpy(&params[i], bytes, sizeof(*params));
        params[i].name = copy_text(reader, at + offsetof(struct bench_param, name));
        params[i].default_text = copy_text(reader, at + offsetof(struct bench_param, default_text));
        params[i].summary = copy_text(reader, at + offsetof(struct bench_param, summary));
        params[i].words = copy_text(reader, at + offsetof(struct bench_param, words));
        if (params[i].name == NULL || params[i].default_text == NULL ||
            params[i].type > PARAM_IS_TEXT || has_words(&params[i]) != (params[i].words != NULL)) {
            return false;
        }
    }
    return true;
}

/* Reads the array of estimates at address `rva`; an entry without a series ends it. If the address
 * is 0, there are no estimates. Returns false if the array is damaged. */
static bool read_estimates(const struct reader *reader, uint64_t rva,
                           const struct bench_estimate **read)
{
    size_t count = 0;

    while (rva != 0 && count < ESTIMATES_MAX &&
           pointer_at(reader->pe, rva + count * sizeof(**read) +
                                      offsetof(struct bench_estimate, series)) != 0) {
        count++;
    }
    struct bench_estimate *estimates = keep(reader->benches, (count + 1) * sizeof(*estimates));

    *read = estimates;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = rva + i * sizeof(*estimates);
        const uint8_t *bytes = bytes_at(reader->pe, at, sizeof(*estimates));

        if (bytes == NULL) {
            return false;
        }
        memcpy(&estimates[i], bytes, sizeof(*estimates));
        estimates[i].series = copy_text(reader, at + offsetof(struct bench_estimate, series));
        estimates[i].unit = copy_text(reader, at + offsetof(struct bench_estimate, unit));
        estimates[i].because = copy_text(reader, at + offsetof(struct bench_estimate, because));
        if (estimates[i].series == NULL) {
            return false;
        }
    }
    return true;
}

static bool read_bench(const struct reader *reader, uint64_t rva, struct bench *bench)
{
    const uint8_t *bytes = bytes_at(reader->pe, rva, sizeof(*bench));

    if (bytes == NULL) {
        return false;
    }
    bench->on_request = bytes[offsetof(struct bench, on_request)] != 0;
    bench->when_counting = bytes[offsetof(struct bench, when_counting)] != 0;
    bench->name = copy_text(reader, rva + offsetof(struct bench, name));
    bench->group = copy_text(reader, rva + offsetof(struct bench, group));
    bench->summary = copy_text(reader, rva + offsetof(struct bench, summary));
    bench->role = copy_text(reader, rva + offsetof(struct bench, role));
    bench->unit = copy_text(reader, rva + offsetof(struct bench, unit));
    bench->main_series = copy_text(reader, rva + offsetof(struct bench, main_series));
    bench->estimate = copy_text(reader, rva + offsetof(struct bench, estimate));
    bench->needs = (unsigned)bytes_get(bytes + offsetof(struct bench, needs), 4);
    const uint64_t params = pointer_at(reader->pe, rva + offsetof(struct bench, params));

    return bench->name != NULL &&
           read_params(reader, params, params != 0 ? count_params(reader->pe, params) : 0,
                       &bench->params) &&
           read_estimates(reader, pointer_at(reader->pe, rva + offsetof(struct bench, estimates)),
                          &bench->estimates);
}

static bool read_benches(const struct reader *reader, uint64_t start, uint64_t end)
{
    struct image_benches *benches = reader->benches;

    if (start >= end || (end - start) / sizeof(uint64_t) > BENCHES_MAX) {
        return false;
    }
    const size_t count = (end - start) / sizeof(uint64_t);

    uint64_t *entries = keep(benches, count * sizeof(*entries));

    benches->benches = keep(benches, count * sizeof(void *));
    benches->entries = entries;
    for (size_t i = 0; i < count; i++) {
        struct bench *bench = keep(benches, sizeof(*bench));
        const uint64_t rva = pointer_at(reader->pe, start + i * sizeof(uint64_t));

        benches->benches[i] = bench;
        entries[i] = pointer_at(reader->pe, rva + offsetof(struct bench, run));
        if (!read_bench(reader, rva, bench)) {
            return false;
        }
    }
    benches->count = count;
    return true;
}

/* Returns the address of the table of benches, or 0 if there is none. */
static uint64_t find_table(const struct pe *pe)
{
    for (size_t i = 0; i < pe->sections; i++) {
        const struct section *section = &pe->section[i];

        for (size_t at = 0; section->size >= sizeof(struct registry_table) &&
                            at <= section->size - sizeof(struct registry_table);
             at += TABLE_ALIGNMENT) {
            if (memcmp(section->bytes + at, REGISTRY_MARK, sizeof(REGISTRY_MARK)) == 0) {
                return section->rva + at;
            }
        }
    }
    return 0;
}

static bool refuse(char error[IMAGE_BENCHES_ERROR_MAX], const char *why)
{
    snprintf(error, IMAGE_BENCHES_ERROR_MAX, "%s", why);
    return false;
}

static bool read_table(const struct reader *reader, uint64_t rva,
                       char error[IMAGE_BENCHES_ERROR_MAX])
{
    const struct pe *pe = reader->pe;
    struct registry_table table;

    memcpy(&table, bytes_at(pe, rva, sizeof(table)), sizeof(table));
    if (table.bench_bytes != sizeof(struct bench) ||
        table.param_bytes != sizeof(struct bench_param)) {
        return refuse(error, "its table of benches is from another version of tare");
    }
    if (!read_benches(reader, pointer_at(pe, rva + offsetof(struct registry_table, start)),
                      pointer_at(pe, rva + offsetof(struct registry_table, end))) ||
        table.run_key_count > KEYS_MAX ||
        !read_params(reader, pointer_at(pe, rva + offsetof(struct registry_table, run_keys)),
                     table.run_key_count, &reader->benches->run_keys)) {
        return refuse(error, "its table of benches is damaged");
    }
    reader->benches->run_key_count = table.run_key_count;
    return true;
}

static bool has_group(const struct image_benches *benches, const char *group)
{
    return group == NULL || SEARCH_ANY(i, benches->count,
                                       benches->benches[i]->group != NULL &&
                                           strcmp(benches->benches[i]->group, group) == 0);
}

bool image_benches_parse(struct image_benches *benches, const char *group, const uint8_t *bytes,
                         size_t size, char error[IMAGE_BENCHES_ERROR_MAX])
{
    struct pe pe;

    *benches = (struct image_benches){0};
    snprintf(error, IMAGE_BENCHES_ERROR_MAX, "no table of benches%s%s was found in it",
             group != NULL ? " of group " : "", group != NULL ? group : "");
    for (size_t at = 0; at < size; at += SECTOR_BYTES) {
        const uint64_t table = read_pe(&pe, bytes + at, size - at) ? find_table(&pe) : 0;
        struct image_benches found = {0};

        if (table != 0 && read_table(&(struct reader){&pe, &found}, table, error) &&
            has_group(&found, group)) {
            *benches = found;
            error[0] = '\0';
            return true;
        }
        image_benches_free(&found);
    }
    return false;
}

bool image_benches_read(struct image_benches *benches, const char *group, const char *path,
                        char error[IMAGE_BENCHES_ERROR_MAX])
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status = {0};

    *benches = (struct image_benches){0};
    if (descriptor < 0 || fstat(descriptor, &status) != 0 || status.st_size == 0) {
        refuse(error, descriptor < 0 ? strerror(errno) : "it is empty, or not a file");
        if (descriptor >= 0) {
            close(descriptor);
        }
        return false;
    }
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);

    close(descriptor);
    if (bytes == MAP_FAILED) {
        return refuse(error, strerror(errno));
    }
    const bool read = image_benches_parse(benches, group, bytes, (size_t)status.st_size, error);

    munmap(bytes, (size_t)status.st_size);
    return read;
}

void image_benches_free(struct image_benches *benches)
{
    for (size_t i = 0; i < benches->memory_count; i++) {
        free(benches->memory[i]);
    }
    free((void *)benches->memory);
    *benches = (struct image_benches){0};
}
