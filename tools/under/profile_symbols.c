/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/under/profile_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/plan/bytes.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"

#define LINE_MAX_BYTES 1024
#define CODE           "tTwWi" /* types of symbols, as nm prints them */
#define HEAD_BYTES     1024    /* the image's headers are within */
#define SECTION_BYTES  40      /* of a section's header (PE format, revision 11) */
#define SECTION_RAW_AT 20      /* there, the position of its contents in the file */
#define LAST_SIZE      4096    /* of the image's last function, whose end its table lacks */

static void add(struct symbols *symbols, uint64_t address, uint64_t size, char *name)
{
    struct symbol *symbol =
        alloc_next(&symbols->items, &symbols->count, &symbols->capacity, sizeof(*symbol));

    *symbol = (struct symbol){address, size, name};
}

/* Orders symbols by address. The last of a function's names is one without an underscore. */
static int by_address(const void *left, const void *right)
{
    const struct symbol *a = left;
    const struct symbol *b = right;

    if (a->address != b->address) {
        return SORT_ORDER(a->address, b->address);
    }
    if ((a->name[0] == '_') != (b->name[0] == '_')) {
        return a->name[0] == '_' ? -1 : 1;
    }
    return strcmp(b->name, a->name);
}

static void sort(struct symbols *symbols)
{
    sort_stable(symbols->items, symbols->count, sizeof(*symbols->items), by_address);
}

/* ---- texts ---- */

static void add_dynamic(struct symbols *symbols, const char *path, uint64_t value, uint64_t size,
                        const char *name)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;

    for (size_t i = 0; i < symbols->map_count; i++) {
        if (strcmp(symbols->maps[i].file, file) == 0) {
            add(symbols, symbols->maps[i].base + value, size, text_format("%s [%s]", name, file));
            return;
        }
    }
}

static void read_line(struct symbols *symbols, const char *line)
{
    unsigned long long begin, end, size;
    char path[SYMBOL_NAME_MAX];
    char name[SYMBOL_NAME_MAX];
    char module[64] = "";
    char type;

    if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %255s", &begin, &end, &size, path) == 4 &&
        path[0] == '/') {
        struct symbol_map *map =
            alloc_next(&symbols->maps, &symbols->map_count, &symbols->map_capacity, sizeof(*map));

        *map = (struct symbol_map){begin, end, begin - size, alloc_text(strrchr(path, '/') + 1)};
    } else if (sscanf(line, "%255[^:]:%llx %llx %c %255s", path, &begin, &size, &type, name) == 5 &&
               strchr(CODE, type) != NULL) {
        add_dynamic(symbols, path, begin, size, name);
    } else if (sscanf(line, "%16llx %c %255s %63s", &begin, &type, name, module) >= 3 &&
               strchr(CODE, type) != NULL) {
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
    sort(symbols);
}

/* ---- the image's table ---- */

/* Reads a ULEB128 of up to 35 bits. Returns false at the end of the file. */
static bool read_distance(FILE *in, uint64_t *distance)
{
    *distance = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        const int byte = getc(in);

        *distance |= (uint64_t)(byte & 0x7f) << shift;
        if (byte == EOF || (byte & 0x80) == 0) {
            return byte != EOF;
        }
    }
    return false;
}

void symbols_read_image(struct symbols *symbols, FILE *in, uint64_t base)
{
    static const char section[8] = ".symbols";
    uint8_t head[HEAD_BYTES] = {0};
    const uint8_t *found =
        memmem(head, fread(head, 1, sizeof(head) - SECTION_BYTES, in), section, sizeof(section));
    uint64_t address = base;
    size_t named = symbols->count;
    size_t capacity = 0;
    uint64_t distance;
    char *name = NULL;

    if (found == NULL || fseek(in, bytes_get32(found + SECTION_RAW_AT), SEEK_SET) != 0 ||
        fread(head, sizeof(uint32_t), 1, in) != 1) {
        return;
    }
    for (uint32_t count = bytes_get32(head); count > 0 && read_distance(in, &distance); count--) {
        address += distance;
        add(symbols, address, count > 1 ? 0 : LAST_SIZE, NULL);
    }
    while (named < symbols->count && getdelim(&name, &capacity, '\0', in) > 0) {
        symbols->items[named++].name = alloc_text(name);
    }
    free(name);
    symbols->count = named;
    sort(symbols);
}

/* ---- searches ---- */

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
    const size_t from = SEARCH_COUNT(i, symbols->count, symbols->items[i].address <= address);
    const struct symbol *symbol = from > 0 ? &symbols->items[from - 1] : NULL;

    return symbol != NULL && (symbol->size == 0 || address - symbol->address < symbol->size)
               ? symbol
               : NULL;
}

const char *symbols_name(const struct symbols *symbols, uint64_t address,
                         char name[SYMBOL_NAME_MAX])
{
    const struct symbol *symbol = symbols_find(symbols, address);

    snprintf(name, SYMBOL_NAME_MAX, "%s", symbol != NULL ? symbol->name : "[unknown]");
    for (size_t i = 0; i < symbols->map_count && symbol == NULL; i++) {
        const struct symbol_map *map = &symbols->maps[i];

        if (address >= map->begin && address < map->end) {
            snprintf(name, SYMBOL_NAME_MAX, "[%.200s]", map->file);
        }
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
