/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/under/profile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "tools/base/alloc.h"
#include "tools/base/shell_text.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/present/exit_profile.h"
#include "tools/under/profile_symbols.h"

#define DEPTH_MAX  4096 /* of a stack; the plugin keeps fewer */
#define NAME_BYTES 512

/* ---- the file ---- */

struct reader {
    FILE *in;
    char *line;
    size_t capacity;
    const char *at;
    uint64_t number; /* of the line, from 1 */
};

static bool next_line(struct reader *reader)
{
    const ssize_t length = getline(&reader->line, &reader->capacity, reader->in);

    reader->number++;
    reader->at = reader->line;
    if (length <= 0 || reader->line[length - 1] != '\n' || strlen(reader->line) != (size_t)length) {
        return false;
    }
    reader->line[length - 1] = '\0';
    return true;
}

/* Reads "WORD". */
static bool take_word(struct reader *reader, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(reader->at, word, length) != 0) {
        return false;
    }
    reader->at += length;
    return true;
}

/* Reads a number of lower-case digits, and the blank before it, which the first of a line lacks. */
static bool take_number(struct reader *reader, int base, uint64_t *value)
{
    char *end;

    if (reader->at != reader->line && *reader->at++ != ' ') {
        return false;
    }
    if (!isxdigit((unsigned char)*reader->at)) {
        return false;
    }
    errno = 0;
    *value = strtoull(reader->at, &end, base);
    const bool is_number = end != reader->at && errno == 0;

    reader->at = end;
    return is_number;
}

static bool at_end(const struct reader *reader)
{
    return *reader->at == '\0';
}

static bool read_stack(struct reader *reader, struct profile *profile)
{
    struct profile_stack *stack = alloc_next(&profile->stacks, &profile->stack_count,
                                             &profile->stack_capacity, sizeof(*stack));
    uint64_t depth;

    if (!take_number(reader, 10, &depth) || depth > DEPTH_MAX) {
        return false;
    }
    stack->callers = alloc_zeroed((depth + 1) * sizeof(*stack->callers));
    for (stack->depth = 0; stack->depth < depth; stack->depth++) {
        if (!take_number(reader, 16, &stack->callers[stack->depth])) {
            return false;
        }
    }
    return at_end(reader);
}

/* Reads " BYTES", or " -" for none. */
static bool take_bytes(struct reader *reader, struct profile_exit *item)
{
    unsigned byte;

    if (take_word(reader, " -")) {
        return true;
    }
    if (*reader->at++ != ' ') {
        return false;
    }
    while (item->size < PROFILE_BYTES && isxdigit((unsigned char)reader->at[0]) &&
           sscanf(reader->at, "%2x", &byte) == 1 && isxdigit((unsigned char)reader->at[1])) {
        item->bytes[item->size++] = (uint8_t)byte;
        reader->at += 2;
    }
    return item->size > 0;
}

static bool read_part(struct reader *reader, const struct profile *profile,
                      struct profile_exit *item, uint64_t *sum)
{
    struct profile_part *part =
        alloc_next(&item->parts, &item->part_count, &item->part_capacity, sizeof(*part));
    uint64_t stack;

    if (!next_line(reader) || !take_number(reader, 10, &stack) ||
        !take_number(reader, 16, &part->address) || !take_number(reader, 10, &part->instructions) ||
        !at_end(reader)) {
        return false;
    }
    part->stack = stack;
    return stack < profile->stack_count && !__builtin_add_overflow(*sum, part->instructions, sum);
}

static bool read_exit(struct reader *reader, struct profile *profile)
{
    struct profile_exit *item =
        alloc_next(&profile->items, &profile->count, &profile->capacity, sizeof(*item));
    uint64_t parts;
    uint64_t sum = 0;

    if (!take_number(reader, 16, &item->address) || !take_bytes(reader, item) ||
        !take_number(reader, 10, &item->exits) || !take_number(reader, 10, &item->kept) ||
        !take_number(reader, 10, &item->total) || !take_number(reader, 10, &parts) ||
        !at_end(reader)) {
        return false;
    }
    for (uint64_t i = 0; i < parts; i++) {
        if (!read_part(reader, profile, item, &sum)) {
            return false;
        }
    }
    return sum == item->total && item->kept <= item->exits && item->exits <= profile->exits;
}

/* Reads all after the first line. Returns whether the last line came. */
static bool read_lines(struct reader *reader, struct profile *profile)
{
    while (next_line(reader)) {
        if (strcmp(reader->line, "end") == 0) {
            return true;
        }
        if (take_word(reader, "stack")
                ? !read_stack(reader, profile)
                : !take_word(reader, "exit") || !read_exit(reader, profile)) {
            return false;
        }
    }
    return false;
}

bool profile_read(struct profile *profile, FILE *in, char error[PROFILE_ERROR_MAX])
{
    struct reader reader = {.in = in};

    *profile = (struct profile){0};
    bool good = next_line(&reader) && take_word(&reader, "tare exits 1") &&
                take_number(&reader, 10, &profile->exits) && at_end(&reader);

    if (!good) {
        snprintf(error, PROFILE_ERROR_MAX, "it is not a profile of exits");
    } else if (!read_lines(&reader, profile)) {
        good = false;
        if (feof(in)) {
            snprintf(error, PROFILE_ERROR_MAX,
                     "its end is missing: QEMU was killed, or the disk of the temporary folder "
                     "(TMPDIR) is full");
        } else {
            snprintf(error, PROFILE_ERROR_MAX, "line %" PRIu64 " is damaged", reader.number);
        }
    }
    free(reader.line);
    return good;
}

void profile_free(struct profile *profile)
{
    for (size_t i = 0; i < profile->stack_count; i++) {
        free(profile->stacks[i].callers);
    }
    for (size_t i = 0; i < profile->count; i++) {
        free(profile->items[i].parts);
    }
    free(profile->stacks);
    free(profile->items);
    *profile = (struct profile){0};
}

/* ---- kinds ---- */

/* Returns the name of an instruction that leaves a guest; any other accessed memory that is not
 * there, or an interrupt of L1 came. */
static const char *mnemonic(const struct profile_exit *item)
{
    static const struct {
        uint8_t bytes[3];
        uint8_t size;
        const char *name;
    } known[] = {
        {{0x0f, 0xa2}, 2, "CPUID"},
        {{0x0f, 0x32}, 2, "RDMSR"},
        {{0x0f, 0x30}, 2, "WRMSR"},
        {{0x0f, 0x31}, 2, "RDTSC"},
        {{0x0f, 0x01, 0xd9}, 3, "VMMCALL"},
        {{0x0f, 0x01, 0xc1}, 3, "VMCALL"},
        {{0x0f, 0x01, 0xc9}, 3, "MWAIT"},
        {{0x0f, 0x01, 0xd1}, 3, "XSETBV"},
        {{0x0f, 0x20}, 2, "MOV from CR"},
        {{0x0f, 0x22}, 2, "MOV to CR"},
        {{0x0f, 0x21}, 2, "MOV from DR"},
        {{0x0f, 0x23}, 2, "MOV to DR"},
        {{0x0f, 0x09}, 2, "WBINVD"},
        {{0xf4}, 1, "HLT"},
        {{0xf3, 0x90}, 2, "PAUSE"},
        {{0xe4}, 1, "IN"},
        {{0xe5}, 1, "IN"},
        {{0xec}, 1, "IN"},
        {{0xed}, 1, "IN"},
        {{0xe6}, 1, "OUT"},
        {{0xe7}, 1, "OUT"},
        {{0xee}, 1, "OUT"},
        {{0xef}, 1, "OUT"},
        {{0x88}, 1, "store"},
        {{0x89}, 1, "store"},
        {{0x8a}, 1, "load"},
        {{0x8b}, 1, "load"},
        {{0xc6}, 1, "store"},
        {{0xc7}, 1, "store"},
    };
    const uint8_t *bytes = item->bytes;
    size_t size = item->size;

    while (size > 1 && (*bytes == 0x66 || (*bytes & 0xf0) == 0x40)) {
        bytes++;
        size--;
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (size >= known[i].size && memcmp(bytes, known[i].bytes, known[i].size) == 0) {
            return known[i].name;
        }
    }
    return NULL;
}

char *profile_kind(const struct profile_exit *item, const char *function, uint64_t offset,
                   bool is_only)
{
    static const char loop[] = "exit_";
    const char *name = mnemonic(item);

    if (item->size == 0) {
        return text_format("exit without an instruction");
    }
    if (function == NULL) {
        return text_format("%s at 0x%" PRIx64, name != NULL ? name : "exit", item->address);
    }
    if (name != NULL && strncmp(function, loop, sizeof(loop) - 1) == 0) {
        function += sizeof(loop) - 1;
        return is_only ? alloc_text(function) : text_format("%s+0x%" PRIx64, function, offset);
    }
    return text_format("%s at %s+0x%" PRIx64, name != NULL ? name : "exit", function, offset);
}

/* ---- stacks with names ---- */

struct folded {
    char *stack;
    uint64_t instructions;
};

/* As strcmp(), except that a function comes before all others whose names begin as its name. */
static int by_stack(const void *left, const void *right)
{
    const char *a = ((const struct folded *)left)->stack;
    const char *b = ((const struct folded *)right)->stack;

    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    return SORT_ORDER(*a == ';' ? 1 : (unsigned char)*a, *b == ';' ? 1 : (unsigned char)*b);
}

/* Appends a function to a stack, unless it is the same file without names again. */
static void put_frame(struct long_text *text, const char *name, char last[SYMBOL_NAME_MAX])
{
    if (name[0] == '[' && strcmp(name, last) == 0) {
        return;
    }
    fprintf(text->out, "%s%s", last[0] != '\0' ? ";" : "", name);
    snprintf(last, SYMBOL_NAME_MAX, "%s", name);
}

static char *stack_text(const struct profile *profile, const struct symbols *symbols,
                        const struct profile_part *part)
{
    const struct profile_stack *stack = &profile->stacks[part->stack];
    char name[SYMBOL_NAME_MAX];
    char last[SYMBOL_NAME_MAX] = "";
    struct long_text text;

    long_text_open(&text);
    for (size_t i = 0; i < stack->depth; i++) {
        put_frame(&text, symbols_name(symbols, stack->callers[i] - 1, name), last);
    }
    put_frame(&text, symbols_name(symbols, part->address, name), last);
    char *copy = alloc_text(long_text_close(&text));

    long_text_free(&text);
    return copy;
}

/* Returns the length of what two stacks begin with, except the last function that both have. */
static size_t common_length(const char *a, const char *b)
{
    size_t before = 0;
    size_t last = 0;

    for (size_t i = 0;; i++) {
        const bool ends_a = a[i] == ';' || a[i] == '\0';
        const bool ends_b = b[i] == ';' || b[i] == '\0';

        if (ends_a && ends_b) {
            before = last;
            last = i + 1;
        }
        if (a[i] != b[i] || a[i] == '\0') {
            return before;
        }
    }
}

/* Writes the stacks of an exit, "FUNCTION;FUNCTION N" lines. They share their first functions: only
 * the last of these is kept. */
static char *fold(const struct profile *profile, const struct symbols *symbols,
                  const struct profile_exit *item)
{
    struct folded *parts = alloc_zeroed((item->part_count + 1) * sizeof(*parts));
    struct long_text text;

    for (size_t i = 0; i < item->part_count; i++) {
        parts[i].stack = stack_text(profile, symbols, &item->parts[i]);
        parts[i].instructions = item->parts[i].instructions;
    }
    sort_stable(parts, item->part_count, sizeof(*parts), by_stack);
    /* In sorted order, what the first and the last share is what all share. */
    const size_t common =
        item->part_count > 0 ? common_length(parts[0].stack, parts[item->part_count - 1].stack) : 0;

    long_text_open(&text);
    for (size_t i = 0; i < item->part_count; i++) {
        if (i + 1 < item->part_count && strcmp(parts[i].stack, parts[i + 1].stack) == 0) {
            parts[i + 1].instructions += parts[i].instructions;
        } else if (parts[i].instructions > 0) {
            fprintf(text.out, "%s %" PRIu64 "\n", parts[i].stack + common, parts[i].instructions);
        }
    }
    for (size_t i = 0; i < item->part_count; i++) {
        free(parts[i].stack);
    }
    free(parts);
    char *copy = alloc_text(long_text_close(&text));

    long_text_free(&text);
    return copy;
}

/* ---- the run ---- */

static int by_weight(const void *left, const void *right)
{
    const struct profile_exit *a = left;
    const struct profile_exit *b = right;
    const double heavy_a = (double)a->exits * (double)a->total;
    const double heavy_b = (double)b->exits * (double)b->total;

    return SORT_ORDER(heavy_b, heavy_a);
}

/* Is this the only instruction of its function that leaves the guest? */
static bool is_only_exit(const struct profile *profile, const struct symbols *image, uint64_t start,
                         const struct profile_exit *item)
{
    const struct symbol *symbol = symbols_find(image, item->address - start);

    for (size_t i = 0; i < profile->count; i++) {
        const struct profile_exit *other = &profile->items[i];

        if (other->address != item->address && mnemonic(other) != NULL &&
            symbols_find(image, other->address - start) == symbol) {
            return false;
        }
    }
    return true;
}

/* Adds an exit if it is an operation, or if it is none. Returns whether it was added. */
static bool add_exit(struct run *run, const struct profile *profile, const struct symbols *l1,
                     const struct symbols *image, const char *base, const struct profile_exit *item,
                     bool operation)
{
    const uint64_t start = base != NULL ? strtoull(base, NULL, 0) : 0;
    const struct symbol *symbol =
        base != NULL && item->address >= start ? symbols_find(image, item->address - start) : NULL;
    const uint64_t distance = item->address - start;
    char *kind = profile_kind(item, symbol != NULL ? symbol->name : NULL,
                              symbol != NULL ? distance - symbol->address : 0,
                              symbol != NULL && is_only_exit(profile, image, start, item));
    const bool adds = (strchr(kind, ' ') == NULL) == operation;

    if (adds) {
        char *stacks = fold(profile, l1, item);

        exit_profile_note(run, kind, item->kept, item->exits, stacks);
        free(stacks);
    }
    free(kind);
    return adds;
}

/* Starts "COMMAND FILE". */
static FILE *start_command(const char *command, const char *file)
{
    char *quoted = shell_text(file);
    char *line = text_format("%s %s 2>/dev/null", command, quoted);
    FILE *in = popen(line, "r");

    free(line);
    free(quoted);
    return in;
}

/* Reads the symbols of L1, where the program of the first mapping is `program`, and the libraries
 * are those of this host that it has. */
static bool read_symbols(const struct profile_files *files, struct symbols *symbols)
{
    char line[NAME_BYTES];
    char path[NAME_BYTES];
    FILE *in = start_command("gzip -dc", files->symbols);

    if (in != NULL) {
        symbols_read(symbols, in);
        pclose(in);
    }
    if (symbols->count == 0 || symbols->map_count == 0) {
        return false;
    }
    symbols_add_file(symbols, symbols->maps[0].file, files->program);
    in = start_command("ldd", files->program);
    while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
        const char *slash = strchr(line, '/');

        if (slash != NULL && sscanf(slash, "%511s", path) == 1) {
            symbols_add_file(symbols, strrchr(path, '/') + 1, path);
        }
    }
    if (in != NULL) {
        pclose(in);
    }
    symbols_sort(symbols);
    return true;
}

bool profile_add(const struct profile_files *files, struct run *run, char error[PROFILE_ERROR_MAX])
{
    const char *base = run_pair_value(&run->machine, FACT_IMAGE_BASE);
    struct symbols l1 = {0};
    struct symbols image = {0};
    struct profile profile = {0};
    char why[PROFILE_ERROR_MAX] = "";
    FILE *in = fopen(files->profile, "r");
    bool good = in != NULL && profile_read(&profile, in, why);

    if (!good) {
        snprintf(error, PROFILE_ERROR_MAX, "the profile of exits: %.200s",
                 in != NULL ? why : strerror(errno));
    } else if (!read_symbols(files, &l1)) {
        good = false;
        snprintf(error, PROFILE_ERROR_MAX,
                 "the profile of exits: L1 sent no symbols; its console may state why");
    } else {
        symbols_add_file(&image, NULL, files->image);
        symbols_sort(&image);
        sort_stable(profile.items, profile.count, sizeof(*profile.items), by_weight);
        size_t others = 0;

        for (size_t i = 0; i < profile.count; i++) {
            add_exit(run, &profile, &l1, &image, base, &profile.items[i], true);
        }
        for (size_t i = 0; i < profile.count && others < PROFILE_OTHERS_MAX; i++) {
            others += add_exit(run, &profile, &l1, &image, base, &profile.items[i], false);
        }
    }
    if (in != NULL) {
        fclose(in);
    }
    profile_free(&profile);
    symbols_free(&image);
    symbols_free(&l1);
    return good;
}
