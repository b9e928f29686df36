/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/exit_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/colour.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/present/report_plugin.h"

#define SHOWN     5    /* functions of a kind in a terminal */
#define DIFFERING 8    /* functions of a difference */
#define DEPTH_MAX 128  /* of a flame graph */
#define LARGEST   1e15 /* of instructions; a greater number is damage */

void exit_profile_note(struct run *run, const char *kind, uint64_t kept, uint64_t exits,
                       const char *stacks)
{
    const char *key = run_format(run, EXIT_KEY_PROFILE "%s", kind);
    char *value = text_format("%" PRIu64 " %" PRIu64 "\n%s", kept, exits, stacks);

    if (run_pair_value(&run->info, key) == NULL) {
        run_add_pair(run, &run->info, key, run_text(run, value));
    }
    free(value);
}

/* ---- parts ---- */

/* As strcmp(), except that a function comes before all others whose names begin as its name. */
static int by_stack(const void *left, const void *right)
{
    const char *a = ((const struct exit_part *)left)->name;
    const char *b = ((const struct exit_part *)right)->name;

    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    return SORT_ORDER(*a == ';' ? 1 : (unsigned char)*a, *b == ';' ? 1 : (unsigned char)*b);
}

static int by_size(const void *left, const void *right)
{
    const struct exit_part *a = left;
    const struct exit_part *b = right;

    return SORT_ORDER(llabs(b->instructions), llabs(a->instructions));
}

void exit_parts_add(struct exit_parts *parts, char *name, int64_t instructions)
{
    struct exit_part *part =
        alloc_next(&parts->items, &parts->count, &parts->capacity, sizeof(*part));

    *part = (struct exit_part){name, instructions};
}

void exit_parts_merge(struct exit_parts *parts)
{
    const size_t count = parts->count;

    sort_stable(parts->items, count, sizeof(*parts->items), by_stack);
    parts->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct exit_part part = parts->items[i];

        if (i > 0 && strcmp(parts->items[parts->count - 1].name, part.name) == 0) {
            parts->items[parts->count - 1].instructions += part.instructions;
            free(part.name);
        } else {
            parts->items[parts->count++] = part;
        }
    }
}

void exit_parts_free(struct exit_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        free(parts->items[i].name);
    }
    free(parts->items);
    *parts = (struct exit_parts){0};
}

/* Adds functions with the sign, merges and sorts by size. */
static void add_functions(struct exit_parts *sums, const struct exit_parts *functions, int sign)
{
    for (size_t i = 0; i < functions->count; i++) {
        const char *last = strrchr(functions->items[i].name, ';');

        exit_parts_add(sums, alloc_text(last != NULL ? last + 1 : functions->items[i].name),
                       sign * functions->items[i].instructions);
    }
    exit_parts_merge(sums);
    sort_stable(sums->items, sums->count, sizeof(*sums->items), by_size);
}

/* Prints "KIND: HEAD" and the first `most` parts that are not 0, and sums the others. */
static void print_parts(FILE *out, const char *kind, const char *head,
                        const struct exit_parts *parts, size_t most, const char *sign)
{
    struct long_text text;
    int64_t rest = 0;
    size_t i = 0;

    long_text_open(&text);
    fprintf(text.out, "%s: %s", kind, head);
    for (; i < parts->count && parts->items[i].instructions != 0; i++) {
        const int64_t instructions = parts->items[i].instructions;

        if (i < most) {
            fprintf(text.out, "%s%s %s%" PRId64, i > 0 ? ", " : "", parts->items[i].name,
                    instructions > 0 ? sign : "", instructions);
        } else {
            rest += instructions;
        }
    }
    if (i > most) {
        fprintf(text.out, ", %zu more %s%" PRId64, i - most, rest >= 0 ? sign : "", rest);
    }
    fputs("  ", out);
    print_wrapped(out, long_text_close(&text), 2, 4);
    long_text_free(&text);
}

/* ---- reading ---- */

/* Reads a line up to `end`. */
static void read_stack(struct exit_profile *profile, const char *line, const char *end)
{
    const char *blank = memrchr(line, ' ', (size_t)(end - line));
    char *rest;

    if (blank == NULL || blank == line || blank[1] < '0' || blank[1] > '9') {
        return;
    }
    const uint64_t instructions = strtoull(blank + 1, &rest, 10);

    if (rest == end && instructions <= LARGEST) {
        exit_parts_add(&profile->stacks, alloc_checked(strndup(line, (size_t)(blank - line))),
                       (int64_t)instructions);
        profile->total += (int64_t)instructions;
    }
}

bool exit_profile_next(const struct run *run, size_t *next, struct exit_profile *profile)
{
    while (*next < run->info.count) {
        const struct run_pair *pair = &run->info.item[(*next)++];

        *profile = (struct exit_profile){.kind = pair->key + strlen(EXIT_KEY_PROFILE)};
        if (strncmp(pair->key, EXIT_KEY_PROFILE, strlen(EXIT_KEY_PROFILE)) != 0 ||
            pair->value == NULL ||
            sscanf(pair->value, "%" SCNu64 " %" SCNu64, &profile->kept, &profile->exits) != 2) {
            continue;
        }
        for (const char *line = pair->value; (line = strchr(line, '\n')) != NULL;) {
            line++;
            read_stack(profile, line, line + strcspn(line, "\n"));
        }
        add_functions(&profile->functions, &profile->stacks, 1);
        return true;
    }
    return false;
}

void exit_profile_free(struct exit_profile *profile)
{
    exit_parts_free(&profile->stacks);
    exit_parts_free(&profile->functions);
}

/* ---- for a terminal and other programs ---- */

enum layer { LAYER_HYPERVISOR, LAYER_KERNEL, LAYER_USER, LAYERS };
static const char *const layers[LAYERS] = {"KVM", "kernel", "QEMU"};

/* Returns the layer to which a function belongs, by the file after its name. */
static enum layer layer_of(const char *function)
{
    const char *file = strrchr(function, '[');

    if (file == NULL) {
        return LAYER_KERNEL;
    }
    if (strncmp(file, "[kvm", 4) == 0) {
        return LAYER_HYPERVISOR;
    }
    return file == function || strstr(file, ".so") != NULL || strncmp(file, "[qemu", 5) == 0
               ? LAYER_USER
               : LAYER_KERNEL;
}

void exit_profiles_print(const struct view *view)
{
    struct exit_profile profile;
    size_t printed = 0;
    char head[160];

    for (size_t next = 0; exit_profile_next(view->run, &next, &profile);) {
        int64_t sums[LAYERS] = {0};

        for (size_t i = 0; i < profile.functions.count; i++) {
            sums[layer_of(profile.functions.items[i].name)] +=
                profile.functions.items[i].instructions;
        }
        if (printed++ == 0) {
            fputc('\n', view->out);
            colour_text(view->out, COLOUR_HEAD,
                        "exits by function (instructions of L1 from the exit to VMRUN)");
            fputc('\n', view->out);
        }
        snprintf(head, sizeof(head),
                 "%" PRId64 " in %" PRIu64 " of %" PRIu64 " exits (KVM %" PRId64 ", kernel %" PRId64
                 ", QEMU %" PRId64 "): ",
                 profile.total, profile.kept, profile.exits, sums[LAYER_HYPERVISOR],
                 sums[LAYER_KERNEL], sums[LAYER_USER]);
        print_parts(view->out, profile.kind, head, &profile.functions, SHOWN, "");
        exit_profile_free(&profile);
    }
}

bool exit_profiles_fold(FILE *out, const struct run *run)
{
    struct exit_profile profile;
    bool any = false;

    for (size_t next = 0; exit_profile_next(run, &next, &profile); any = true) {
        for (size_t i = 0; i < profile.stacks.count; i++) {
            fprintf(out, "%s;%s %" PRId64 "\n", profile.kind, profile.stacks.items[i].name,
                    profile.stacks.items[i].instructions);
        }
        exit_profile_free(&profile);
    }
    return any;
}

/* ---- differences ---- */

/* Prints how one kind differs. Returns false if no function does. */
static bool print_difference(FILE *out, const struct exit_profile *a, const struct exit_profile *b)
{
    struct exit_parts changes = {0};
    char total[32];

    add_functions(&changes, &a->functions, -1);
    add_functions(&changes, &b->functions, 1);
    const bool differs = changes.count > 0 && changes.items[0].instructions != 0;

    snprintf(total, sizeof(total), "%+" PRId64 ": ", b->total - a->total);
    if (differs) {
        print_parts(out, a->kind, total, &changes, DIFFERING, "+");
    }
    exit_parts_free(&changes);
    return differs;
}

void exit_profiles_compare(FILE *out, const struct run *a, const struct run *b)
{
    struct exit_profile before;
    struct exit_profile after;
    size_t both = 0;
    size_t same = 0;

    for (size_t next = 0; exit_profile_next(a, &next, &before);) {
        for (size_t other = 0; exit_profile_next(b, &other, &after);) {
            if (strcmp(before.kind, after.kind) == 0) {
                fputs(both++ == 0 ? "\nexits by function, instructions of b - a\n" : "", out);
                same += !print_difference(out, &before, &after);
            }
            exit_profile_free(&after);
        }
        exit_profile_free(&before);
    }
    if (same > 0) {
        fprintf(out, "  %zu kinds of exit take the same path in both\n", same);
    }
}

/* ---- figures ---- */

/* Adds the bars of the functions at `depth` of stacks that begin with the same `offset` bytes, and
 * of what those functions call. */
static void add_bars(struct figure *figure, const struct exit_part *stacks, size_t count,
                     size_t offset, unsigned depth, double at)
{
    char lane[AMOUNT_MAX];
    size_t next;

    snprintf(lane, sizeof(lane), "%u", depth + 1);
    for (size_t i = 0; i < count && depth < DEPTH_MAX; i = next) {
        double end = at;

        next = i + 1;
        if (offset > strlen(stacks[i].name)) { /* what the caller itself executed */
            at += (double)stacks[i].instructions;
            continue;
        }
        const size_t length = offset + strcspn(stacks[i].name + offset, ";");

        for (next = i; next < count && strncmp(stacks[next].name, stacks[i].name, length) == 0 &&
                       (stacks[next].name[length] == ';' || stacks[next].name[length] == '\0');
             next++) {
            end += (double)stacks[next].instructions;
        }
        char *function = alloc_checked(strndup(stacks[i].name + offset, length - offset));

        figure_add_span(figure, figure_add_lane(figure, lane), layer_of(function), at, end);
        figure_name_span(figure, function);
        free(function);
        add_bars(figure, &stacks[i], next - i, length + 1, depth + 1, at);
        at = end;
    }
}

/* Adds the flame graph of each kind: each function below its callers, as wide as its instructions.
 * Stacks with the same callers are next to each other. */
static void figures_exits(struct figures *figures, const struct run *run)
{
    struct exit_profile profile;

    for (size_t next = 0; exit_profile_next(run, &next, &profile);) {
        struct figure *figure = figure_add(figures, FIGURE_TIMELINE, "Exits", profile.kind,
                                           "exit-flames-%s", profile.kind);

        figure_axes(figure, "instructions of L1", NULL, NULL, NULL);
        for (size_t i = 0; i < LAYERS; i++) {
            figure_add_state(figure, layers[i]);
        }
        add_bars(figure, profile.stacks.items, profile.stacks.count, 0, 0, 0);
        figure_how(figure,
                   "A bar's width is the number of instructions of L1, from the exit to VMRUN, in "
                   "a function and in what it calls; the bars below it are what it calls. %" PRIu64
                   " of %" PRIu64 " exits took exactly %" PRId64,
                   profile.kept, profile.exits, profile.total);
        exit_profile_free(&profile);
    }
}

PLUGIN_REGISTER(exit_profiles) = {.order = 340, .figures = figures_exits};
