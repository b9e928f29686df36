/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare events`: lists the events that a processor counts, with their entries for a plan.
 */
#include <stdio.h>
#include <string.h>

#include "bench/counters/host/event_names.h"
#include "kernel/pmu/names.h"
#include "tools/base/json.h"
#include "tools/base/table.h"
#include "tools/cmd/commands.h"
#include "tools/present/json_kit.h"

#define TEXT_INDENT 6
/* widths of the columns of portable names */
#define NAME_WIDTH 14
#define CODE_WIDTH 10 /* fits 0x120:0x01 */
#define CODES_MAX  (2 * EVENT_CODE_TEXT_MAX + 4)

static struct events {
    const char *cpu_name; /* NULL: this processor */
    const char *pattern;  /* NULL: none */
    bool json, table;
    struct event_cpu cpu;
    struct cpu_identity identity; /* identity of this processor, if cpu_name is NULL */
} events;

static const struct option_line options[] = {
    {"cpu", OPT_TEXT(&events.cpu_name), "NAME",
     "a processor other than this one, by its name in libpfm4 (skl, amd64_fam19h_zen3) or in the "
     "tables (skylake, zen3); --cpu help lists the names"},
    {"json", OPT_FLAG(&events.json), NULL, "print one JSON object"},
    {"table", OPT_FLAG(&events.table), NULL,
     "print the codes of all portable events on all processors, in Markdown",
     .excludes = "cpu json"},
    {"pattern", OPT_ARGUMENTS(0, 1), "PATTERN"},
    OPTIONS_END,
};

/* ---- Markdown ---- */

#define GROUP_MAX 5

/* Each group is one table of processors that a reader may want to compare; it has as many as fit.
 */
static const char *const groups[][GROUP_MAX] = {
    {TABLE_P5, TABLE_P6, TABLE_CORE2, TABLE_NEHALEM, TABLE_WESTMERE},
    {TABLE_SANDYBRIDGE, TABLE_IVYBRIDGE, TABLE_HASWELL, TABLE_BROADWELL, TABLE_SKYLAKE},
    {TABLE_ICELAKE, TABLE_SAPPHIRERAPIDS, TABLE_ALDERLAKE, TABLE_ARCHITECTURAL},
    {TABLE_K7, TABLE_K8, TABLE_AMD_10H, TABLE_AMD_15H, TABLE_AMD},
    {TABLE_ZEN1, TABLE_ZEN2, TABLE_ZEN3, TABLE_ZEN4, TABLE_ZEN5},
};

struct column {
    char head[CODES_MAX];
    const struct event_table *table;
    size_t width;
};

/* Writes codes such as "08/0E+49/0E" in capitals, as manuals do. If a register counts the event
 * instead, writes that register, otherwise "-". */
static const char *short_codes(const struct event_row *row, char text[CODES_MAX])
{
    size_t used = 0;

    strcpy(text, "-");
    if (event_row_absence(row) != NULL) {
        sscanf(event_row_absence(row), "counted by %20[^,]", text);
    }
    for (size_t i = 0; i < row->code_count; i++) {
        used += (size_t)snprintf(text + used, CODES_MAX - used, "%s%02X/%02X", i > 0 ? "+" : "",
                                 (unsigned)row->code[i].select, (unsigned)row->code[i].umask);
    }
    return text;
}

static bool have_same_codes(const struct event_table *one, const struct event_table *other)
{
    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        char first[CODES_MAX];
        char second[CODES_MAX];

        if (strcmp(short_codes(&one->row[i], first), short_codes(&other->row[i], second)) != 0) {
            return false;
        }
    }
    return true;
}

static const struct event_table *table_named(const char *name)
{
    const struct event_table *table;

    for (size_t i = 0; (table = event_table_at(i)) != NULL; i++) {
        if (strcmp(table->name, name) == 0) {
            return table;
        }
    }
    return NULL;
}

/* Makes the columns of a group; neighbours with the same codes share one. Returns their number. */
static size_t make_columns(const char *const group[GROUP_MAX], struct column columns[GROUP_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < GROUP_MAX && group[i] != NULL; i++) {
        const struct event_table *table = table_named(group[i]);
        struct column *last = count > 0 ? &columns[count - 1] : NULL;

        if (last != NULL && have_same_codes(last->table, table)) {
            strcat(last->head, ", ");
            strcat(last->head, table->name);
            continue;
        }
        columns[count].table = table;
        strcpy(columns[count++].head, table->name);
    }
    for (size_t i = 0; i < count; i++) {
        columns[i].width = strlen(columns[i].head);
        for (unsigned k = 0; k < EVENT_COUNT; k++) {
            char text[CODES_MAX];
            const size_t width = strlen(short_codes(&columns[i].table->row[k], text));

            columns[i].width = width > columns[i].width ? width : columns[i].width;
        }
    }
    return count;
}

static void print_rule(const struct column *columns, size_t count)
{
    static const char dashes[] = "--------------------------------------------------";

    printf("|%.*s|", NAME_WIDTH + 1, dashes);
    for (size_t i = 0; i < count; i++) {
        printf("%.*s|", (int)columns[i].width + 2, dashes);
    }
    putchar('\n');
}

static void print_group(const char *const group[GROUP_MAX])
{
    struct column columns[GROUP_MAX];
    const size_t count = make_columns(group, columns);

    printf("| %-*s|", NAME_WIDTH, "event");
    for (size_t i = 0; i < count; i++) {
        printf(" %-*s |", (int)columns[i].width, columns[i].head);
    }
    putchar('\n');
    print_rule(columns, count);
    for (unsigned k = 0; k < EVENT_COUNT; k++) {
        printf("| %-*s|", NAME_WIDTH, event_name((enum portable_event)k));
        for (size_t i = 0; i < count; i++) {
            char text[CODES_MAX];

            printf(" %-*s |", (int)columns[i].width, short_codes(&columns[i].table->row[k], text));
        }
        putchar('\n');
    }
}

static void print_markdown(void)
{
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        fputs(i > 0 ? "\n" : "", stdout);
        print_group(groups[i]);
    }
}

/* ---- text ---- */

static bool is_wanted(const char *name)
{
    return events.pattern == NULL || event_name_matches(name, events.pattern);
}

/* Prints the text of a row in pieces: the first next to name and first code, the second next to the
 * second code, and so on. */
struct row_printer {
    const struct event_row *row;
    size_t pieces;
};

static void print_piece(struct row_printer *printer, const char *name, const char *text)
{
    const struct event_row *row = printer->row;
    char code[EVENT_CODE_TEXT_MAX] = "";
    int column = printf("  %-*s", NAME_WIDTH, name);

    if (printer->pieces < row->code_count) {
        event_code_text(&row->code[printer->pieces], code);
        column += printf("%c%-*s ", printer->pieces > 0 ? '+' : ' ', CODE_WIDTH, code);
    } else {
        column += printf(" %-*s ", CODE_WIDTH, printer->pieces == 0 ? "-" : "");
    }
    print_wrapped(stdout, text, (size_t)column, (size_t)column);
    printer->pieces++;
}

/* Prints the only counters that can count the event, such as "on counters 0 1 only". */
static void print_counters(struct row_printer *printer)
{
    char text[128] = "on counters";

    for (unsigned i = 0; i < 16; i++) {
        if ((printer->row->counters >> i & 1) != 0) {
            snprintf(text + strlen(text), sizeof(text) - strlen(text), " %u", i);
        }
    }
    strcat(text, " only");
    print_piece(printer, "", text);
}

static void print_portable(enum portable_event event)
{
    struct row_printer printer = {.row = &events.cpu.table->row[event]};
    const struct event_row *row = printer.row;

    print_piece(&printer, event_name(event),
                row->code_count > 0 ? row->manual : event_row_absence(row));
    if (row->note != NULL) {
        print_piece(&printer, "", row->note);
    }
    if (row->counters != 0) {
        print_counters(&printer);
    }
    for (; printer.pieces < row->code_count; printer.pieces++) {
        char code[EVENT_CODE_TEXT_MAX];

        printf("  %-*s+%s\n", NAME_WIDTH, "", event_code_text(&row->code[printer.pieces], code));
    }
}

static void print_portables(void)
{
    size_t count = 0;

    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        if (!is_wanted(event_name((enum portable_event)i))) {
            continue;
        }
        if (count++ == 0) {
            printf("\nportable names, valid in a plan as they are, with their codes on %s\n",
                   events.cpu.table->name);
        }
        print_portable((enum portable_event)i);
    }
}

static void print_field(const char *label, const char *text)
{
    const int column = printf("%-10s", label);

    print_wrapped(stdout, text, (size_t)column, (size_t)column);
}

static void print_head(void)
{
    char text[256];

    if (events.cpu_name == NULL) {
        snprintf(text, sizeof(text), "this one, %s, family %xh model %02xh", events.identity.vendor,
                 events.identity.family, events.identity.model);
        print_field("processor", text);
    }
    snprintf(text, sizeof(text), "%s: %s", events.cpu.table->name, events.cpu.table->manual);
    print_field("table", text);
    if (events.cpu.has_pmu) {
        snprintf(text, sizeof(text), "%s, %s, %zu events in libpfm4", events.cpu.pmu.name,
                 events.cpu.pmu.description, events.cpu.pmu.event_count);
    } else {
        snprintf(text, sizeof(text),
                 "unknown to libpfm4: name other events by their codes in the manual, as "
                 "LABEL@EVENT:UMASK; --cpu help lists the known processors");
    }
    print_field("names", text);
}

/* state of a listing of the libpfm4 names that match */
struct listing {
    struct json *json; /* NULL: print text */
    const char *event; /* event whose heading is printed */
    size_t count;
};

static void print_event_head(struct listing *listing, const struct event_listed *listed)
{
    if (listing->event == listed->event) {
        return;
    }
    listing->event = listed->event;
    putchar('\n');
    const int column = printf("%s: ", listed->event);

    if (listed->same_as != NULL) {
        printf("another name of %s\n", listed->same_as);
    } else {
        print_wrapped(stdout, listed->event_description, (size_t)column, 2);
    }
}

static void print_indented(const char *text)
{
    printf("%*s", TEXT_INDENT, "");
    print_wrapped(stdout, text, TEXT_INDENT, TEXT_INDENT);
}

static void print_listed(const struct event_listed *listed)
{
    const struct event_resolution *resolution = &listed->resolution;
    char text[EVENT_WHY_MAX + 32];

    printf("  %s\n", resolution->usable ? resolution->entry : resolution->name);
    if (listed->mask_description != NULL) {
        print_indented(listed->mask_description);
    }
    if (!resolution->usable) {
        snprintf(text, sizeof(text), "cannot be used in a plan: %s", resolution->why);
        print_indented(text);
    } else if (strlen(resolution->name) > EVENT_NAME_MAX) {
        printf("%*slibpfm4's %s\n", TEXT_INDENT, "", resolution->name);
    }
}

static void list_json(struct json *json, const struct event_listed *listed)
{
    const struct event_resolution *resolution = &listed->resolution;
    char code[EVENT_CODE_TEXT_MAX];

    json_object(json, NULL);
    json_text(json, "name", resolution->name);
    json_text(json, "description",
              listed->mask != NULL ? listed->mask_description : listed->event_description);
    JSON_TEXTS(json, {"code", resolution->usable ? event_code_text(&resolution->code, code) : NULL},
               {"plan", resolution->usable ? resolution->entry : NULL},
               {"unusable", resolution->usable ? NULL : resolution->why});
    json_close(json);
}

static void list_event(const struct event_listed *listed, void *context)
{
    struct listing *listing = context;

    if (!is_wanted(listed->resolution.name)) {
        return;
    }
    if (listing->json != NULL) {
        list_json(listing->json, listed);
        return;
    }
    print_event_head(listing, listed);
    print_listed(listed);
}

static void list_events(struct json *json)
{
    struct listing listing = {.json = json};

    if (events.pattern != NULL && events.cpu.has_pmu) {
        event_names_each(&events.cpu.pmu, list_event, &listing);
    }
}

static void count_match(const struct event_listed *listed, void *context)
{
    struct listing *listing = context;

    listing->count += is_wanted(listed->resolution.name);
}

static bool anything_matches(void)
{
    struct listing listing = {0};

    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        listing.count += is_wanted(event_name((enum portable_event)i));
    }
    if (events.cpu.has_pmu) {
        event_names_each(&events.cpu.pmu, count_match, &listing);
    }
    return listing.count > 0;
}

static void print_text(void)
{
    print_head();
    print_portables();
    list_events(NULL);
    if (events.pattern == NULL && events.cpu.has_pmu) {
        printf("\ntare events%s%s PATTERN lists further events of %s; '*' lists all\n",
               events.cpu_name != NULL ? " --cpu " : "",
               events.cpu_name != NULL ? events.cpu_name : "", events.cpu.pmu.name);
    }
}

/* ---- JSON ---- */

static void portable_json(struct json *json, enum portable_event event)
{
    const struct event_row *row = &events.cpu.table->row[event];

    json_object(json, NULL);
    json_text(json, "name", event_name(event));
    json_array(json, "codes");
    for (size_t i = 0; i < row->code_count; i++) {
        char code[EVENT_CODE_TEXT_MAX];

        json_text(json, NULL, event_code_text(&row->code[i], code));
    }
    json_close(json);
    JSON_TEXTS(json, {"manual", row->manual}, {"absent", event_row_absence(row)},
               {"note", row->note});
    json_optional(json, "counters", row->counters != 0, row->counters);
    json_close(json);
}

static void print_json(void)
{
    struct json json;

    json_start(&json, stdout);
    json_object(&json, NULL);
    JSON_TEXTS(&json, {"table", events.cpu.table->name}, {"manual", events.cpu.table->manual},
               {"pmu", events.cpu.has_pmu ? events.cpu.pmu.name : NULL});
    json_array(&json, "portable");
    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        if (is_wanted(event_name((enum portable_event)i))) {
            portable_json(&json, (enum portable_event)i);
        }
    }
    json_close(&json);
    json_array(&json, "events");
    list_events(&json);
    json_close(&json);
    json_close(&json);
}

/* ---- one event by its whole name ---- */

static int print_portable_entry(enum portable_event event)
{
    const struct event_row *row = &events.cpu.table->row[event];
    char code[EVENT_CODE_TEXT_MAX];

    if (row->code_count == 0) {
        return command_failure(&command_events, "%s on %s: %s", event_name(event),
                               events.cpu.table->name, event_row_absence(row));
    }
    if (row->code_count == 1) {
        printf("%s@%s\n", event_name(event), event_code_text(&row->code[0], code));
        return COMMAND_OK;
    }
    for (unsigned i = 0; i < row->code_count; i++) {
        printf("%s%s.%u@%s", i > 0 ? "," : "", event_name(event), i + 1,
               event_code_text(&row->code[i], code));
    }
    putchar('\n');
    return COMMAND_OK;
}

/* If the pattern is the whole name of an event, prints just the entry of that event and returns
 * true. */
static bool print_entry(int *status)
{
    struct event_resolution resolution;
    char error[EVENT_NAMES_ERROR_MAX];
    enum portable_event event;

    if (events.pattern == NULL) {
        return false;
    }
    if (event_by_name(events.pattern, &event)) {
        *status = print_portable_entry(event);
        return true;
    }
    if (!event_names_resolve(&events.cpu, events.pattern, &resolution, error)) {
        *status = COMMAND_FAILED;
        if (strstr(events.pattern, "::") != NULL) {
            command_failure(&command_events, "%s: %s", events.pattern, error);
            return true;
        }
        return false;
    }
    *status = COMMAND_OK;
    if (resolution.usable) {
        printf("%s\n", resolution.entry);
    } else {
        *status = command_failure(&command_events, "%s: %s", resolution.name, resolution.why);
    }
    return true;
}

static int print_events(void)
{
    int status;

    if (!events.json && print_entry(&status)) {
        return status;
    }
    if (!anything_matches()) {
        return command_failure(&command_events, "no name matches \"%s\"%s", events.pattern,
                               events.cpu.has_pmu ? "" : "; the processor is unknown to libpfm4");
    }
    if (events.json) {
        print_json();
    } else {
        print_text();
    }
    return COMMAND_OK;
}

/* ---- processors ---- */

static void print_processors(void)
{
    const struct event_table *table;
    struct event_pmu pmu;
    char names[512] = "";

    for (size_t i = 0; (table = event_table_at(i)) != NULL; i++) {
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i > 0 ? " " : "",
                 table->name);
    }
    fputs("tables  ", stdout);
    print_wrapped(stdout, names, strlen("tables  "), strlen("tables  "));
    fputs("\nPMUs of libpfm4, each with its table\n", stdout);
    struct table list;

    table_init(&list, "lll");
    for (size_t i = 0; event_pmu_at(i, &pmu); i++) {
        struct event_cpu cpu;
        char error[EVENT_NAMES_ERROR_MAX];

        event_cpu_find(pmu.name, &cpu, error);
        table_named_row(&list, pmu.name);
        table_text(&list, cpu.table->name);
        table_text(&list, pmu.description);
    }
    table_print(&list, stdout, 2);
}

static int choose_cpu(void)
{
    char error[EVENT_NAMES_ERROR_MAX];

    if (events.cpu_name == NULL) {
        event_cpu_host(&events.cpu, &events.identity);
        return COMMAND_OK;
    }
    return event_cpu_find(events.cpu_name, &events.cpu, error)
               ? COMMAND_OK
               : command_usage_error(&command_events, "--cpu %s: %s", events.cpu_name, error);
}

static int run_events(const struct option_rest *rest)
{
    char error[EVENT_NAMES_ERROR_MAX];
    int status = COMMAND_OK;

    events.pattern = rest->count > 0 ? rest->arguments[0] : NULL;
    if (events.table) {
        if (events.pattern != NULL) {
            return command_usage_error(&command_events, "--table takes no pattern: omit %s",
                                       events.pattern);
        }
        print_markdown();
        return COMMAND_OK;
    }
    if (!event_names_open(error)) {
        return command_failure(&command_events, "%s", error);
    }
    if (events.cpu_name != NULL && strcmp(events.cpu_name, "help") == 0) {
        print_processors();
    } else {
        status = choose_cpu();
        status = status == COMMAND_OK ? print_events() : status;
    }
    event_names_close();
    return status;
}

const struct command command_events = {
    .name = "events",
    .summary = "list the events that a processor can count, as entries for a plan",
    .about = "usage: tare events [--cpu NAME] [--json] [PATTERN]\n"
             "       tare events --table\n"
             "\n"
             "Lists the events that a processor counts, and their entries for a plan: first\n"
             "the portable names with their codes on that processor, or why it lacks them;\n"
             "then the libpfm4 names that match PATTERN. PATTERN is a part of a name or, with\n"
             "*, ? or [, a pattern for the whole name; case is ignored. '*' lists all.\n"
             "\n"
             "If PATTERN is the full name of an event, with its unit masks, only its entry for\n"
             "a plan is printed, on one line. Intel's MEM_INST_RETIRED.ALL_LOADS is libpfm4's\n"
             "MEM_INST_RETIRED:ALL_LOADS; both are accepted.\n",
    .options = options,
    .notes = "A plan accepts the entries as events=ENTRY,ENTRY...; tare boot --events accepts\n"
             "them too, and also libpfm4 names.\n"
             "\n"
             "Exit status: 0 found, 1 nothing matches or the event cannot be counted, 2 wrong\n"
             "usage.\n",
    .run = run_events,
};
