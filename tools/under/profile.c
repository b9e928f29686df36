/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/under/profile.h"

#include <errno.h>
#include <fnmatch.h>
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

#define LINE_BYTES 256

/* ---- the file ---- */

/* Returns a stack with a function appended, except a file without names that calls itself. */
static char *append_function(const char *stack, const struct symbols *symbols, uint64_t address)
{
    const char *last = strrchr(stack, ';');
    char name[SYMBOL_NAME_MAX];

    symbols_name(symbols, address, name);
    if (name[0] == '[' && strcmp(last != NULL ? last + 1 : stack, name) == 0) {
        return alloc_text(stack);
    }
    return text_format("%s%s%s", stack, stack[0] != '\0' ? ";" : "", name);
}

/* Reads a line after the first one, and subtracts a part from what is `missing` from the sum of its
 * exit. Returns whether the line is valid. */
static bool read_line(struct profile *profile, const struct symbols *symbols, const char *line,
                      uint64_t *missing)
{
    struct profile_exit item = {0};
    uint64_t call, address, instructions;
    int end = 0;

    if (sscanf(line, "exit %" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %32[0-9a-f-]%n",
               &item.address, &item.exits, &item.kept, &item.total, item.bytes, &end) == 5) {
        const bool is_complete = *missing == 0;

        item.weight = (int64_t)(item.exits * item.total);
        *missing = item.total;
        *(struct profile_exit *)alloc_next(&profile->items, &profile->count, &profile->capacity,
                                           sizeof(item)) = item;
        return is_complete && line[end] == '\0' && item.kept <= item.exits &&
               item.exits <= profile->exits;
    }
    const bool is_call = sscanf(line, "call %" SCNu64 " %" SCNx64 "%n", &call, &address, &end) == 2;

    if ((!is_call && sscanf(line, "%" SCNu64 " %" SCNx64 " %" SCNu64 "%n", &call, &address,
                            &instructions, &end) != 3) ||
        line[end] != '\0' || call > profile->calls.count) {
        return false;
    }
    const char *stack = call > 0 ? profile->calls.items[call - 1].name : "";

    if (is_call) { /* the address before the return address is within the CALL */
        exit_parts_add(&profile->calls, append_function(stack, symbols, address - 1), 0);
        return true;
    }
    if (profile->count == 0 || instructions > *missing) {
        return false;
    }
    *missing -= instructions;
    exit_parts_add(&profile->items[profile->count - 1].parts,
                   append_function(stack, symbols, address), (int64_t)instructions);
    return true;
}

bool profile_read(struct profile *profile, const struct symbols *symbols, FILE *in,
                  char error[PROFILE_ERROR_MAX])
{
    char line[LINE_BYTES];
    uint64_t missing = 0;
    uint64_t number = 1;

    *profile = (struct profile){0};
    for (; fgets(line, sizeof(line), in) != NULL; number++) {
        const size_t length = strcspn(line, "\n");
        const bool is_whole = line[length] == '\n';

        line[length] = '\0';
        if (is_whole && number > 1 && missing == 0 && strcmp(line, "end") == 0) {
            return true;
        }
        if (!is_whole ||
            (number > 1 ? !read_line(profile, symbols, line, &missing)
                        : sscanf(line, "tare exits 1 %" SCNu64, &profile->exits) != 1)) {
            break;
        }
    }
    snprintf(error, PROFILE_ERROR_MAX,
             "line %" PRIu64 " is damaged or missing: was QEMU killed, or is the disk of the "
             "temporary folder (TMPDIR) full?",
             number);
    return false;
}

void profile_free(struct profile *profile)
{
    for (size_t i = 0; i < profile->count; i++) {
        exit_parts_free(&profile->items[i].parts);
    }
    exit_parts_free(&profile->calls);
    free(profile->items);
    *profile = (struct profile){0};
}

/* ---- kinds ---- */

/* Returns the name of an instruction that leaves a guest; any other accessed memory that is not
 * there, or an interrupt of L1 came. */
static const char *mnemonic(const struct profile_exit *item)
{
    static const char *const known[][2] = {
        {"0fa2*", "CPUID"},     {"0f32*", "RDMSR"},       {"0f30*", "WRMSR"},
        {"0f31*", "RDTSC"},     {"0f01d9*", "VMMCALL"},   {"0f01c1*", "VMCALL"},
        {"0f01c9*", "MWAIT"},   {"0f01d1*", "XSETBV"},    {"0f20*", "MOV from CR"},
        {"0f22*", "MOV to CR"}, {"0f21*", "MOV from DR"}, {"0f23*", "MOV to DR"},
        {"0f09*", "WBINVD"},    {"f4*", "HLT"},           {"f390*", "PAUSE"},
        {"e[45cd]*", "IN"},     {"e[67ef]*", "OUT"},      {"8[89]*", "store"},
        {"c[67]*", "store"},    {"8[ab]*", "load"}};
    const char *bytes = item->bytes;

    while (strlen(bytes) > 2 && (strncmp(bytes, "66", 2) == 0 || bytes[0] == '4')) {
        bytes += 2;
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (fnmatch(known[i][0], bytes, 0) == 0) {
            return known[i][1];
        }
    }
    return NULL;
}

char *profile_kind(const struct profile *profile, const struct symbols *image,
                   const struct profile_exit *item)
{
    static const char loop[] = "exit_";
    const size_t prefix = sizeof(loop) - 1;
    const struct symbol *symbol = symbols_find(image, item->address);
    const char *name = mnemonic(item);

    if (strcmp(item->bytes, "-") == 0) {
        return text_format("exit without an instruction");
    }
    if (symbol == NULL) {
        return text_format("%s at 0x%" PRIx64, name != NULL ? name : "exit", item->address);
    }
    const uint64_t offset = item->address - symbol->address;

    if (name == NULL || strncmp(symbol->name, loop, prefix) != 0) {
        return text_format("%s at %s+0x%" PRIx64, name != NULL ? name : "exit", symbol->name,
                           offset);
    }
    for (size_t i = 0; i < profile->count; i++) {
        const struct profile_exit *other = &profile->items[i];

        if (other->address != item->address && mnemonic(other) != NULL &&
            symbols_find(image, other->address) == symbol) {
            return text_format("%s+0x%" PRIx64, symbol->name + prefix, offset);
        }
    }
    return alloc_text(symbol->name + prefix);
}

/* ---- the run ---- */

/* Returns the length of the functions with which both stacks begin, except the last of them. */
static size_t common_length(const char *a, const char *b)
{
    size_t before = 0;
    size_t last = 0;
    size_t i = 0;

    for (; a[i] == b[i] && a[i] != '\0'; i++) {
        if (a[i] == ';') {
            before = last;
            last = i + 1;
        }
    }
    return (a[i] == '\0' || a[i] == ';') && (b[i] == '\0' || b[i] == ';') ? last : before;
}

/* Adds the profile of an exit to the run. The functions with which all stacks begin are left out,
 * except the last of them. */
static void add_exit(struct run *run, struct profile_exit *item, const char *kind)
{
    struct exit_parts *parts = &item->parts;
    struct long_text text;

    exit_parts_merge(parts);
    /* In sorted order, what the first and the last share is what all share. */
    const size_t common =
        parts->count > 0 ? common_length(parts->items[0].name, parts->items[parts->count - 1].name)
                         : 0;

    long_text_open(&text);
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->items[i].instructions > 0) {
            fprintf(text.out, "%s %" PRId64 "\n", parts->items[i].name + common,
                    parts->items[i].instructions);
        }
    }
    exit_profile_note(run, kind, item->kept, item->exits, long_text_close(&text));
    long_text_free(&text);
}

/* Adds the exits that are operations, or the first others. */
static void add_exits(struct run *run, const struct profile *profile, const struct symbols *image,
                      bool operations)
{
    size_t most = operations ? profile->count : PROFILE_OTHERS_MAX;

    for (size_t i = 0; i < profile->count && most > 0; i++) {
        char *kind = profile_kind(profile, image, &profile->items[i]);

        if ((strchr(kind, ' ') == NULL) == operations) {
            add_exit(run, &profile->items[i], kind);
            most--;
        }
        free(kind);
    }
}

/* Reads the symbols of L1, whose QEMU is called qemu and has the libraries of this host. Returns
 * false if L1 sent none of its kernel. */
static bool read_symbols(const struct profile_files *files, struct symbols *symbols)
{
    static const char nm[] = "nm -D -A -S --defined-only --without-symbol-versions";
    char *sent = shell_text(files->symbols);
    char *program = shell_text(files->program);
    char *command = text_format("{ gzip -dc %s; %s %s | sed 's|.*:|qemu:|'; "
                                "%s $(ldd %s | grep -o '/[^ ]*'); } 2>/dev/null",
                                sent, nm, program, nm, program);
    FILE *in = popen(command, "r");

    if (in != NULL) {
        symbols_read(symbols, in);
        pclose(in);
    }
    free(command);
    free(program);
    free(sent);
    return symbols->count > 0 && (int64_t)symbols->items[symbols->count - 1].address < 0;
}

bool profile_add(const struct profile_files *files, struct run *run, char error[PROFILE_ERROR_MAX])
{
    const char *base = run_pair_value(&run->machine, FACT_IMAGE_BASE);
    struct symbols l1 = {0};
    struct symbols image = {0};
    struct profile profile = {0};
    FILE *in = fopen(files->profile, "r");
    FILE *efi = fopen(files->image, "rb");
    const bool named = read_symbols(files, &l1);
    const bool good = in != NULL && named && profile_read(&profile, &l1, in, error);

    if (in == NULL) {
        snprintf(error, PROFILE_ERROR_MAX, "%s", strerror(errno));
    } else if (!named) {
        snprintf(error, PROFILE_ERROR_MAX, "L1 sent no symbols; its console may state why");
    }
    if (efi != NULL && base != NULL) {
        symbols_read_image(&image, efi, strtoull(base, NULL, 0));
    }
    sort_by(profile.items, profile.count, sizeof(*profile.items),
            offsetof(struct profile_exit, weight), true);
    if (good) {
        add_exits(run, &profile, &image, true);
        add_exits(run, &profile, &image, false);
    }
    if (in != NULL) {
        fclose(in);
    }
    if (efi != NULL) {
        fclose(efi);
    }
    profile_free(&profile);
    symbols_free(&image);
    symbols_free(&l1);
    return good;
}
