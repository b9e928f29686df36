/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/exit_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/colour.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/present/report_plugin.h"

#define PERCENT   100.0
#define SHOWN     5   /* functions of a kind in a terminal */
#define DIFFERING 8   /* functions of a difference */
#define DEPTH_MAX 128 /* of a flame graph */
#define SECTION   "Exits"
#define LARGEST   1e15 /* of instructions; a greater number is damage */

void exit_profile_note(struct run *run, const char *kind, uint64_t kept, uint64_t exits,
                       const char *stacks)
{
    run_add_pair(run, &run->info, run_format(run, EXIT_KEY_COUNTS "%s", kind),
                 run_format(run, "%" PRIu64 " %" PRIu64, kept, exits));
    run_add_pair(run, &run->info, run_format(run, EXIT_KEY_PROFILE "%s", kind),
                 run_text(run, stacks));
}

/* ---- reading ---- */

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct exit_part *)left)->name, ((const struct exit_part *)right)->name);
}

static int by_instructions(const void *left, const void *right)
{
    const struct exit_part *a = left;
    const struct exit_part *b = right;

    return SORT_ORDER(b->instructions, a->instructions);
}

/* Reads a line up to `end`. */
static void read_stack(struct exit_profile *profile, const char *line, const char *end)
{
    const char *blank = memrchr(line, ' ', (size_t)(end - line));
    char *rest;

    if (blank == NULL || blank == line || blank[1] < '0' || blank[1] > '9') {
        return;
    }
    const uint64_t instructions = strtoull(blank + 1, &rest, 10);

    if (rest != end || instructions > LARGEST) {
        return;
    }
    struct exit_part *part = alloc_next(&profile->stacks, &profile->stack_count,
                                        &profile->stack_capacity, sizeof(*part));

    part->name = alloc_checked(strndup(line, (size_t)(blank - line)));
    part->instructions = instructions;
    profile->total += instructions;
}

/* Sums the stacks by their last functions. */
static void sum_functions(struct exit_profile *profile)
{
    struct exit_part *functions = alloc_zeroed((profile->stack_count + 1) * sizeof(*functions));
    size_t count = 0;

    for (size_t i = 0; i < profile->stack_count; i++) {
        const char *last = strrchr(profile->stacks[i].name, ';');

        functions[i] = profile->stacks[i];
        functions[i].name = last != NULL ? (char *)last + 1 : profile->stacks[i].name;
    }
    sort_stable(functions, profile->stack_count, sizeof(*functions), by_name);
    for (size_t i = 0; i < profile->stack_count; i++) {
        if (count > 0 && strcmp(functions[count - 1].name, functions[i].name) == 0) {
            functions[count - 1].instructions += functions[i].instructions;
        } else {
            functions[count++] = functions[i];
        }
    }
    sort_stable(functions, count, sizeof(*functions), by_instructions);
    profile->functions = functions;
    profile->function_count = count;
}

static void read_profile(const struct run *run, const struct run_pair *pair,
                         struct exit_profile *profile)
{
    char *key;

    *profile = (struct exit_profile){.kind = pair->key + strlen(EXIT_KEY_PROFILE)};
    key = text_format(EXIT_KEY_COUNTS "%s", profile->kind);
    const char *counts = run_pair_value(&run->info, key);

    if (counts == NULL ||
        sscanf(counts, "%" SCNu64 " %" SCNu64, &profile->kept, &profile->exits) != 2) {
        profile->kept = profile->exits = 0;
    }
    free(key);
    for (const char *line = pair->value, *end; *line != '\0'; line = *end != '\0' ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        read_stack(profile, line, end);
    }
    sum_functions(profile);
}

bool exit_profile_next(const struct run *run, size_t *next, struct exit_profile *profile)
{
    for (size_t i = *next; i < run->info.count; i++) {
        const struct run_pair *pair = &run->info.item[i];

        if (strncmp(pair->key, EXIT_KEY_PROFILE, strlen(EXIT_KEY_PROFILE)) == 0 &&
            pair->value != NULL) {
            read_profile(run, pair, profile);
            *next = i + 1;
            return true;
        }
    }
    return false;
}

void exit_profile_free(struct exit_profile *profile)
{
    for (size_t i = 0; i < profile->stack_count; i++) {
        free(profile->stacks[i].name);
    }
    free(profile->stacks);
    free(profile->functions);
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

static void sum_layers(const struct exit_profile *profile, uint64_t sums[LAYERS])
{
    for (size_t i = 0; i < profile->function_count; i++) {
        sums[layer_of(profile->functions[i].name)] += profile->functions[i].instructions;
    }
}

static void print_functions(FILE *out, const struct exit_profile *profile)
{
    struct long_text text;

    long_text_open(&text);
    fprintf(text.out, "%s: ", profile->kind);
    for (size_t i = 0; i < profile->function_count && i < SHOWN; i++) {
        fprintf(text.out, "%s%s %" PRIu64, i > 0 ? ", " : "", profile->functions[i].name,
                profile->functions[i].instructions);
    }
    if (profile->function_count > SHOWN) {
        fprintf(text.out, ", and %zu more", profile->function_count - SHOWN);
    }
    fputs("  ", out);
    print_wrapped(out, long_text_close(&text), 2, 4);
    long_text_free(&text);
}

static double share_of(const struct exit_profile *profile)
{
    return profile->exits > 0 ? PERCENT * (double)profile->kept / (double)profile->exits
                              : (double)NAN;
}

void exit_profiles_print(const struct view *view)
{
    struct exit_profile profile;
    struct table table;

    table_open(&table, "lrrrrrr", "exit\texits\tinstructions\tshare of exits\t%s\t%s\t%s",
               layers[0], layers[1], layers[2]);
    for (size_t next = 0; exit_profile_next(view->run, &next, &profile);) {
        uint64_t sums[LAYERS] = {0};

        sum_layers(&profile, sums);
        table_named_row(&table, profile.kind);
        table_known(&table, profile.exits > 0, (int64_t)profile.exits);
        table_signed(&table, (int64_t)profile.total);
        table_real(&table, share_of(&profile), 1);
        for (size_t i = 0; i < LAYERS; i++) {
            table_signed(&table, (int64_t)sums[i]);
        }
        exit_profile_free(&profile);
    }
    if (table.rows > 1) {
        fputc('\n', view->out);
        colour_text(view->out, COLOUR_HEAD,
                    "exits by function (instructions of L1 from the exit to VMRUN)");
        fputc('\n', view->out);
        view_table(view, &table);
        fputc('\n', view->out);
        for (size_t next = 0; exit_profile_next(view->run, &next, &profile);) {
            print_functions(view->out, &profile);
            exit_profile_free(&profile);
        }
    } else {
        table_free(&table);
    }
}

bool exit_profiles_fold(FILE *out, const struct run *run)
{
    struct exit_profile profile;
    bool any = false;

    for (size_t next = 0; exit_profile_next(run, &next, &profile); any = true) {
        for (size_t i = 0; i < profile.stack_count; i++) {
            fprintf(out, "%s;%s %" PRIu64 "\n", profile.kind, profile.stacks[i].name,
                    profile.stacks[i].instructions);
        }
        exit_profile_free(&profile);
    }
    return any;
}

/* ---- differences ---- */

struct change {
    const char *name;
    int64_t by;
};

static int by_size(const void *left, const void *right)
{
    const int64_t a = ((const struct change *)left)->by;
    const int64_t b = ((const struct change *)right)->by;

    return SORT_ORDER(llabs(b), llabs(a));
}

/* Adds the functions with `sign`, to those of the same name if there are any. */
static size_t add_changes(struct change *changes, size_t count, const struct exit_profile *profile,
                          int sign)
{
    for (size_t i = 0; i < profile->function_count; i++) {
        const int64_t by = sign * (int64_t)profile->functions[i].instructions;
        size_t at = 0;

        while (at < count && strcmp(changes[at].name, profile->functions[i].name) != 0) {
            at++;
        }
        count += at == count;
        changes[at].name = profile->functions[i].name;
        changes[at].by += by;
    }
    return count;
}

bool exit_profile_difference(const struct exit_profile *a, const struct exit_profile *b,
                             char **text)
{
    struct change *changes =
        alloc_zeroed((a->function_count + b->function_count + 1) * sizeof(*changes));
    const size_t count = add_changes(changes, add_changes(changes, 0, a, -1), b, 1);
    struct long_text out;
    int64_t rest = 0;
    size_t more = 0;

    sort_stable(changes, count, sizeof(*changes), by_size);
    const bool differs = count > 0 && changes[0].by != 0;

    long_text_open(&out);
    fprintf(out.out, "%+" PRId64, (int64_t)b->total - (int64_t)a->total);
    for (size_t i = 0; i < count && changes[i].by != 0; i++) {
        if (i < DIFFERING) {
            fprintf(out.out, "%s %s %+" PRId64, i > 0 ? "," : ":", changes[i].name, changes[i].by);
        } else {
            more++;
            rest += changes[i].by;
        }
    }
    if (more > 0) {
        fprintf(out.out, ", %zu more %+" PRId64, more, rest);
    }
    const char *whole = long_text_close(&out);

    *text = differs ? alloc_text(whole) : NULL;
    long_text_free(&out);
    free(changes);
    return differs;
}

static bool find_profile(const struct run *run, const char *kind, struct exit_profile *profile)
{
    for (size_t next = 0; exit_profile_next(run, &next, profile);) {
        if (strcmp(profile->kind, kind) == 0) {
            return true;
        }
        exit_profile_free(profile);
    }
    return false;
}

void exit_profiles_compare(FILE *out, const struct run *a, const struct run *b)
{
    struct exit_profile before;
    struct exit_profile after;
    bool any = false;
    size_t same = 0;
    char *text;

    for (size_t next = 0; exit_profile_next(a, &next, &before);) {
        if (find_profile(b, before.kind, &after)) {
            if (!any) {
                fputs("\nexits by function, instructions of b - a\n", out);
                any = true;
            }
            if (exit_profile_difference(&before, &after, &text)) {
                fprintf(out, "  %s: ", before.kind);
                print_wrapped(out, text, strlen(before.kind) + 4, 4);
                free(text);
            } else {
                same++;
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

/* Adds or widens the bar of one function of a stack. open[depth] is the number of the last span at
 * that depth. */
static void add_bar(struct figure *figure, const char *function, uint32_t depth, size_t *open,
                    bool continues, double from, double to)
{
    char lane[AMOUNT_MAX];

    if (continues) {
        figure->spans[open[depth]].end = to;
        return;
    }
    snprintf(lane, sizeof(lane), "%" PRIu32, depth + 1);
    open[depth] = figure->span_count;
    figure_add_span(figure, figure_add_lane(figure, lane), layer_of(function), from, to);
    figure_name_span(figure, function);
}

/* Adds the bars of a stack. A function that has the same callers as in the stack before widens its
 * bar. */
static void add_bars(struct figure *figure, const char *stack, const char *before, size_t *open,
                     double from, double to)
{
    const char *name = stack;
    bool continues = true;

    for (uint32_t depth = 0; depth < DEPTH_MAX && *name != '\0'; depth++) {
        const size_t length = strcspn(name, ";");
        const size_t end = (size_t)(name - stack) + length;
        char *function = alloc_checked(strndup(name, length));

        continues = continues && strncmp(stack, before, end) == 0 &&
                    (before[end] == ';' || before[end] == '\0');
        add_bar(figure, function, depth, open, continues, from, to);
        free(function);
        name += length + (name[length] == ';');
    }
}

/* Adds the flame graph: each function below its callers, as wide as its instructions. Stacks with
 * the same callers are next to each other. */
static void add_flames(struct figures *figures, const struct exit_profile *profile)
{
    char *title = text_format("%s: %" PRIu64 " instructions of L1", profile->kind, profile->total);
    struct figure *figure =
        figure_add(figures, FIGURE_TIMELINE, SECTION, title, "exit-flames-%s", profile->kind);
    size_t open[DEPTH_MAX] = {0};
    double at = 0;

    free(title);
    figure_axes(figure, "instructions", NULL, NULL, NULL);
    for (size_t i = 0; i < LAYERS; i++) {
        figure_add_state(figure, layers[i]);
    }
    for (size_t i = 0; i < profile->stack_count; i++) {
        const double end = at + (double)profile->stacks[i].instructions;

        add_bars(figure, profile->stacks[i].name, i > 0 ? profile->stacks[i - 1].name : "", open,
                 at, end);
        at = end;
    }
    figure_how(figure,
               "A bar's width is the number of instructions of L1, from the exit to VMRUN, in a "
               "function and in what it calls; the bars below it are what it calls. %" PRIu64
               " of %" PRIu64 " exits took exactly that many",
               profile->kept, profile->exits);
}

static void add_table(struct figures *figures, const struct exit_profile *profile)
{
    char *title = text_format("%s: by function", profile->kind);
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, SECTION, title, "exit-functions-%s", profile->kind);

    free(title);
    figure_open(figure, "lrr", "function\tinstructions\tshare");
    for (size_t i = 0; i < profile->function_count; i++) {
        figure_cell(figure, "%s\t%" PRIu64 "\t%.1f %%", profile->functions[i].name,
                    profile->functions[i].instructions,
                    PERCENT * (double)profile->functions[i].instructions / (double)profile->total);
    }
}

static void figures_exits(struct figures *figures, const struct run *run)
{
    struct exit_profile profile;

    for (size_t next = 0; exit_profile_next(run, &next, &profile);) {
        if (profile.total > 0) {
            add_flames(figures, &profile);
            add_table(figures, &profile);
        }
        exit_profile_free(&profile);
    }
}

PLUGIN_REGISTER(exit_profiles) = {.order = 340, .figures = figures_exits};
