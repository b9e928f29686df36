/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/under/profile_symbols.h"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"

#define LINE_MAX_BYTES  1024
#define IMAGE_FUNCTIONS 100000 /* more than any image has */
#define TABLE_ALIGNMENT 16     /* linker.ld: a page; in the file a sector */
#define LAST_SIZE       4096   /* of the image's last function, whose end its table lacks */

static void add(struct symbols *symbols, uint64_t address, uint64_t size, char *name)
{
    struct symbol *symbol =
        alloc_next(&symbols->items, &symbols->count, &symbols->capacity, sizeof(*symbol));

    *symbol = (struct symbol){address, size, name};
}

/* ---- texts of L1 ---- */

static void read_line(struct symbols *symbols, const char *line)
{
    unsigned long long begin, end, offset;
    char name[SYMBOL_NAME_MAX];
    char module[64] = "";
    char type;

    if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %255s", &begin, &end, &offset, name) == 4 &&
        name[0] == '/') {
        struct symbol_map *map =
            alloc_next(&symbols->maps, &symbols->map_count, &symbols->map_capacity, sizeof(*map));

        *map = (struct symbol_map){begin, end, begin - offset, alloc_text(strrchr(name, '/') + 1)};
    } else if (sscanf(line, "%16llx %c %255s %63s", &begin, &type, name, module) >= 3 &&
               strchr("tTwW", type) != NULL) {
        add(symbols, begin, 0,
            module[0] != '\0' ? text_format("%s %s", name, module) : alloc_text(name));
    }
}

void symbols_read(struct symbols *symbols, FILE *in)
{
    char line[LINE_MAX_BYTES];

    while (fgets(line, sizeof(line), in) != NULL) {
        read_line(symbols, line);
    }
}

/* ---- dynamic symbols ---- */

/* Are `count` items of `size` bytes at `at` within a file of `whole` bytes? */
static bool is_within(uint64_t at, uint64_t count, uint64_t size, size_t whole)
{
    return at <= whole && (size == 0 || count <= (whole - at) / size);
}

static void add_table(struct symbols *symbols, const struct symbol_map *map, const uint8_t *bytes,
                      size_t size, const Elf64_Shdr *table, const Elf64_Shdr *strings)
{
    Elf64_Sym symbol;

    if (!is_within(table->sh_offset, table->sh_size, 1, size) ||
        !is_within(strings->sh_offset, strings->sh_size, 1, size) || strings->sh_size == 0 ||
        bytes[strings->sh_offset + strings->sh_size - 1] != '\0') {
        return;
    }
    for (uint64_t i = 0; i < table->sh_size / sizeof(symbol); i++) {
        memcpy(&symbol, bytes + table->sh_offset + i * sizeof(symbol), sizeof(symbol));
        const unsigned type = ELF64_ST_TYPE(symbol.st_info);

        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
            symbol.st_size > 0 && symbol.st_name < strings->sh_size) {
            add(symbols, map->base + symbol.st_value, symbol.st_size,
                text_format("%s [%s]", bytes + strings->sh_offset + symbol.st_name, map->file));
        }
    }
}

void symbols_add_elf(struct symbols *symbols, const char *file, const uint8_t *bytes, size_t size)
{
    const struct symbol_map *map = NULL;
    Elf64_Shdr table, strings;
    Elf64_Ehdr head;

    for (size_t i = 0; i < symbols->map_count && map == NULL; i++) {
        map = strcmp(symbols->maps[i].file, file) == 0 ? &symbols->maps[i] : NULL;
    }
    if (map == NULL || size < sizeof(head)) {
        return;
    }
    memcpy(&head, bytes, sizeof(head));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        !is_within(head.e_shoff, head.e_shnum, sizeof(table), size)) {
        return;
    }
    for (unsigned i = 0; i < head.e_shnum; i++) {
        memcpy(&table, bytes + head.e_shoff + i * sizeof(table), sizeof(table));
        if (table.sh_type == SHT_DYNSYM && table.sh_link < head.e_shnum) {
            memcpy(&strings, bytes + head.e_shoff + table.sh_link * sizeof(table), sizeof(table));
            add_table(symbols, map, bytes, size, &table, &strings);
        }
    }
}

void symbols_add_file(struct symbols *symbols, const char *file, const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;

    if (descriptor < 0 || fstat(descriptor, &status) != 0 || status.st_size == 0) {
        return;
    }
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);

    close(descriptor);
    if (bytes != MAP_FAILED) {
        if (file != NULL) {
            symbols_add_elf(symbols, file, bytes, (size_t)status.st_size);
        } else {
            symbols_add_image(symbols, bytes, (size_t)status.st_size);
        }
        munmap(bytes, (size_t)status.st_size);
    }
}

/* ---- the image's table ---- */

/* Reads a ULEB128. Returns false behind the end, or if it is too long for an image. */
static bool read_distance(const uint8_t *bytes, size_t size, size_t *at, uint64_t *distance)
{
    *distance = 0;
    for (unsigned shift = 0; *at < size && shift < 32; shift += 7) {
        const uint8_t byte = bytes[(*at)++];

        *distance |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the length of a name of C at `at`, or 0 if there is none. */
static size_t name_length(const uint8_t *bytes, size_t size, size_t at)
{
    size_t length = 0;

    while (at + length < size && (isalnum(bytes[at + length]) || bytes[at + length] == '_' ||
                                  bytes[at + length] == '.')) {
        length++;
    }
    return at + length < size && bytes[at + length] == '\0' ? length : 0;
}

/* Is a table at `start`? Then sets where its distances and its names begin. */
static bool is_table(const uint8_t *bytes, size_t size, size_t start, uint32_t *count,
                     size_t *names)
{
    uint64_t distance;
    size_t at = start + sizeof(*count);

    memcpy(count, bytes + start, sizeof(*count));
    if (*count == 0 || *count > IMAGE_FUNCTIONS || *count > (size - at) / 3) {
        return false;
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (!read_distance(bytes, size, &at, &distance)) {
            return false;
        }
    }
    *names = at;
    for (uint32_t i = 0; i < *count; i++) {
        const size_t length = name_length(bytes, size, at);

        if (length == 0) {
            return false;
        }
        at += length + 1;
    }
    return true;
}

void symbols_add_image(struct symbols *symbols, const uint8_t *bytes, size_t size)
{
    static const uint8_t known[] = "\0exit_cpuid"; /* the table's names have it */
    const uint8_t *found = memmem(bytes, size, known, sizeof(known));
    const size_t last = found != NULL ? (size_t)(found - bytes) : 0;
    size_t longest = 0;
    size_t start = 0;
    size_t names = 0;
    uint32_t count = 0;

    /* The greatest count wins: the end of a table may look like a smaller one. */
    for (size_t at = 0; at + sizeof(count) < last; at += TABLE_ALIGNMENT) {
        if (is_table(bytes, size, at, &count, &names) && names <= last && count > longest) {
            longest = count;
            start = at;
        }
    }
    if (longest == 0 || !is_table(bytes, size, start, &count, &names)) {
        return;
    }
    size_t at = start + sizeof(count);
    uint64_t address = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t distance = 0;

        read_distance(bytes, size, &at, &distance);
        address += distance;
        add(symbols, address, i + 1 < count ? 0 : LAST_SIZE,
            alloc_text((const char *)bytes + names));
        names += strlen((const char *)bytes + names) + 1;
    }
}

/* ---- searches ---- */

/* By address; of names of one function, the one without underscores first. */
static int by_address(const void *left, const void *right)
{
    const struct symbol *a = left;
    const struct symbol *b = right;

    if (a->address != b->address) {
        return SORT_ORDER(a->address, b->address);
    }
    if ((a->name[0] == '_') != (b->name[0] == '_')) {
        return a->name[0] == '_' ? 1 : -1;
    }
    return strcmp(a->name, b->name);
}

void symbols_sort(struct symbols *symbols)
{
    sort_stable(symbols->items, symbols->count, sizeof(*symbols->items), by_address);
}

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
    size_t from = 0;
    size_t to = symbols->count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (symbols->items[middle].address <= address) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    if (from == 0) {
        return NULL;
    }
    const uint64_t start = symbols->items[--from].address;

    while (from > 0 && symbols->items[from - 1].address == start) {
        from--;
    }
    const struct symbol *symbol = &symbols->items[from];

    return symbol->size == 0 || address - start < symbol->size ? symbol : NULL;
}

const char *symbols_name(const struct symbols *symbols, uint64_t address,
                         char name[SYMBOL_NAME_MAX])
{
    const struct symbol *symbol = symbols_find(symbols, address);
    const struct symbol_map *map = NULL;

    for (size_t i = 0; i < symbols->map_count && symbol == NULL && map == NULL; i++) {
        map = address - symbols->maps[i].begin < symbols->maps[i].end - symbols->maps[i].begin
                  ? &symbols->maps[i]
                  : NULL;
    }
    if (symbol != NULL) {
        snprintf(name, SYMBOL_NAME_MAX, "%s", symbol->name);
    } else {
        snprintf(name, SYMBOL_NAME_MAX, "[%.200s]", map != NULL ? map->file : "unknown");
    }
    for (char *at = name; *at != '\0'; at++) {
        *at = *at == ';' || *at == '\n' ? '?' : *at;
    }
    return name;
}

void symbols_free(struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->count; i++) {
        free(symbols->items[i].name);
    }
    for (size_t i = 0; i < symbols->map_count; i++) {
        free(symbols->maps[i].file);
    }
    free(symbols->items);
    free(symbols->maps);
    *symbols = (struct symbols){0};
}
