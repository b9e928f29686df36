/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare db`: keeps runs of many machines in one database.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/plan/number.h"
#include "tools/base/alloc.h"
#include "tools/base/clean_text.h"
#include "tools/base/csv.h"
#include "tools/base/interrupt.h"
#include "tools/base/json.h"
#include "tools/base/partial_file.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/cmd/commands.h"
#include "tools/store/fleet.h"
#include "tools/store/runfile.h"

enum form {
    FORM_TABS,
    FORM_CSV,
    FORM_JSON,
};

static struct db {
    unsigned form; /* enum form */
    const char *output;
    char **arguments; /* arguments after the action's name */
    int count;
} db;

static int fail(const struct store *store)
{
    return command_failure(&command_db, "%s", store->error);
}

/* ---- query ---- */

struct printing {
    enum form form;
    bool terminal;
    struct json json;
    bool begun;
};

static void print_tabbed(const char *text)
{
    static const char special[] = "\t\n\r\\";
    static const char letters[] = "tnr\\";

    for (; *text != '\0'; text++) {
        const char *found = strchr(special, *text);

        if (found != NULL) {
            putchar('\\');
            putchar(letters[found - special]);
        } else {
            putchar(*text);
        }
    }
}

static void print_text(enum form form, const char *text)
{
    if (form == FORM_CSV) {
        csv_field(stdout, text);
    } else {
        print_tabbed(text);
    }
}

/* Prints the text without control sequences that a terminal would obey. */
static void print_clean(enum form form, const char *text)
{
    char *copy = alloc_text(text);

    clean_text(copy, true);
    print_text(form, copy);
    free(copy);
}

static void print_line(const struct printing *printing, const char *const *texts, size_t count)
{
    const enum form form = printing->form;

    for (size_t i = 0; i < count; i++) {
        const char *text = texts[i] != NULL ? texts[i] : "";

        if (i > 0) {
            putchar(form == FORM_CSV ? ',' : '\t');
        }
        if (printing->terminal) {
            print_clean(form, text);
        } else {
            print_text(form, text);
        }
    }
    fputs(form == FORM_CSV ? "\r\n" : "\n", stdout);
}

/* Prints a value as JSON. Integers stay exact; a number that JSON cannot express becomes text. */
static void print_value(struct json *json, const char *name, const char *text, bool numeric)
{
    char *end = NULL;

    if (text == NULL) {
        json_null(json, name);
        return;
    }
    errno = 0;
    const long long integer = numeric ? strtoll(text, &end, 10) : 0;

    if (numeric && *end == '\0' && errno == 0) {
        json_signed(json, name, integer);
        return;
    }
    const double number = numeric ? strtod(text, &end) : 0;

    if (numeric && *end == '\0') {
        json_real(json, name, number);
    } else {
        json_text(json, name, text);
    }
}

static void begin_answer(struct printing *printing, const struct store_row *row)
{
    printing->begun = true;
    if (printing->form == FORM_JSON) {
        json_start(&printing->json, stdout);
        json_array(&printing->json, NULL);
    } else if (row != NULL) {
        print_line(printing, row->names, row->count);
    }
}

/* Prints a row. Returns false if the reader of standard output is gone. */
static bool print_row(void *context, const struct store_row *row)
{
    struct printing *printing = context;

    if (!printing->begun) {
        begin_answer(printing, row);
    }
    if (printing->form != FORM_JSON) {
        print_line(printing, row->texts, row->count);
        return !ferror(stdout);
    }
    json_object(&printing->json, NULL);
    for (size_t i = 0; i < row->count; i++) {
        print_value(&printing->json, row->names[i], row->texts[i], row->numeric[i]);
    }
    json_close(&printing->json);
    return !ferror(stdout);
}

static int query(struct store *store)
{
    struct printing printing = {.form = (enum form)db.form, .terminal = isatty(STDOUT_FILENO) == 1};

    if (!fleet_query(store, db.arguments[1], print_row, &printing)) {
        /* main() reports an error of standard output at its end. */
        return ferror(stdout) ? COMMAND_FAILED : fail(store);
    }
    if (db.form == FORM_JSON) {
        if (!printing.begun) {
            begin_answer(&printing, NULL);
        }
        json_close(&printing.json);
    }
    return COMMAND_OK;
}

/* Adds a file, and writes to `report` what becomes of it once the transaction ends. */
static bool add_file(struct store *store, const char *path, FILE *report)
{
    char error[RUNFILE_ERROR_MAX];
    struct run run;
    int64_t id;
    bool is_new;

    run_init(&run);
    const bool read = runfile_read(path, &run, error);
    const bool ok = read && fleet_add(store, &run, path, &id, &is_new);

    run_free(&run);
    if (ok) {
        fprintf(report, "run %" PRId64 "%s: %s\n", id, is_new ? "" : " already present", path);
    } else if (read) {
        command_failure(&command_db, "%s: %s", path, store->error);
    } else {
        command_failure(&command_db, "%s", error);
    }
    return ok;
}

static int is_run_file(const struct dirent *entry)
{
    return text_ends(entry->d_name, ".db");
}

/* Adds the run files of a folder, in the order of their names. */
static bool add_folder(struct store *store, const char *path, FILE *report)
{
    struct dirent **entries;
    const int count = scandir(path, &entries, is_run_file, versionsort);
    bool ok = count > 0;

    if (!ok) {
        command_failure(&command_db, "%s: no file with a name in .db", path);
    }
    for (int i = 0; i < count; i++) {
        char name[PATH_MAX];

        snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
        ok = ok && add_file(store, name, report);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return ok;
}

static bool add_path(struct store *store, const char *path, FILE *report)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) ? add_folder(store, path, report)
                                                               : add_file(store, path, report);
}

/* Adds all files or none. */
static int add_all(struct store *store, FILE *report)
{
    bool ok = true;

    if (!fleet_begin(store)) {
        return fail(store);
    }
    for (int i = 1; i < db.count && ok; i++) {
        ok = add_path(store, db.arguments[i], report);
    }
    if (!ok) {
        return db.count > 2 ? command_failure(&command_db,
                                              "none of the %d files was added: remove the "
                                              "faulty one from the list and add the others",
                                              db.count - 1)
                            : COMMAND_FAILED;
    }
    return fleet_commit(store) ? COMMAND_OK : fail(store);
}

static int add(struct store *store)
{
    struct long_text report;

    long_text_open(&report);
    const int status = add_all(store, report.out);

    long_text_close(&report);
    fputs(status == COMMAND_OK ? report.text : "", stdout);
    long_text_free(&report);
    return status;
}

#define DATE_SHOWN    10 /* in characters, such as 2026-11-21 */
#define MACHINE_SHOWN 26

/* Puts the text into the table, cut at `most` characters. */
static void list_text(struct table *table, const char *text, int most)
{
    table_if(table, text != NULL, "%.*s", most, text);
}

static bool list_row(void *context, const struct store_row *row)
{
    struct table *table = context;
    const bool valid = row->texts[4] != NULL && strcmp(row->texts[4], "1") == 0;

    table_named_row(table, row->texts[0]);
    list_text(table, row->texts[2], DATE_SHOWN);
    table_text(table, row->texts[3]);
    table_text(table, valid ? "VALID" : "INVALID");
    list_text(table, row->texts[1], MACHINE_SHOWN);
    table_text(table, row->texts[7]);
    return true;
}

static int list(struct store *store)
{
    struct table table;

    if (!fleet_look(store)) {
        return fail(store);
    }
    table_open(&table, "rlllll", "run\tdate\tkind\tverdict\tmachine\tfile");
    const bool ok = fleet_list(store, list_row, &table);

    table_print(&table, stdout, 0);
    return ok ? COMMAND_OK : fail(store);
}

static int read_id(const char *text, int64_t *id)
{
    uint64_t number;

    if (!parse_unsigned(text, &number) || number == 0 || number > INT64_MAX) {
        return command_usage_error(
            &command_db, "%s: must be the number of a run; tare db list prints them", text);
    }
    *id = (int64_t)number;
    return COMMAND_OK;
}

static int extract(struct store *store)
{
    int64_t id = 0;
    const int status = read_id(db.arguments[1], &id);

    if (status != COMMAND_OK) {
        return status;
    }
    interrupt_catch();
    return fleet_look(store) && fleet_extract(store, id, db.output) ? COMMAND_OK : fail(store);
}

static int remove_runs(struct store *store)
{
    if (!fleet_look(store) || !store->backend->execute(store, "COMMIT") || !fleet_begin(store)) {
        return fail(store);
    }
    for (int i = 1; i < db.count; i++) {
        int64_t id = 0;
        const int status = read_id(db.arguments[i], &id);

        if (status != COMMAND_OK) {
            return status;
        }
        if (!fleet_remove(store, id)) {
            return fail(store);
        }
    }
    return fleet_commit(store) ? COMMAND_OK : fail(store);
}

static const struct {
    const char *name;
    enum store_mode mode;
    int (*main)(struct store *store);
    int least, most; /* numbers of arguments, FLEET included */
    const char *arguments;
} actions[] = {
    {"add", STORE_CREATE, add, 2, INT32_MAX, "FLEET RUN.db..."},
    {"list", STORE_READ, list, 1, 1, "FLEET"},
    {"query", STORE_READ, query, 2, 2, "FLEET SQL"},
    {"extract", STORE_READ, extract, 2, 2, "FLEET ID -o RUN.db"},
    {"remove", STORE_WRITE, remove_runs, 2, INT32_MAX, "FLEET ID..."},
};

#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

static int run_action(size_t action)
{
    char error[STORE_ERROR_MAX];

    const bool writes = actions[action].main == extract;

    if (db.count < actions[action].least || db.count > actions[action].most ||
        (db.output != NULL) != writes) {
        return command_usage_error(&command_db, "%s takes %s", actions[action].name,
                                   actions[action].arguments);
    }
    if (db.form != FORM_TABS && actions[action].main != query) {
        return command_usage_error(&command_db, "--csv and --json work with query only");
    }
    struct store *store = store_open(db.arguments[0], actions[action].mode, error);

    if (store == NULL) {
        return command_failure(&command_db, "%s", error);
    }
    partial_file_protect(db.arguments[0]);
    const int status = actions[action].main(store);

    store_close(store);
    return status;
}

static const char *action_at(size_t index)
{
    return index < ACTIONS ? actions[index].name : NULL;
}

static const struct option_line options[] = {
    {"output", OPT_TEXT(&db.output), "RUN.db", "the run file to write", .letter = 'o'},
    {"csv", OPT_CHOICE(&db.form, FORM_CSV), NULL,
     "rows as CSV (RFC 4180); a text that begins like a spreadsheet formula gets an apostrophe in "
     "front"},
    {"json", OPT_CHOICE(&db.form, FORM_JSON), NULL, "rows as an array of objects"},
    {"action", OPT_ARGUMENTS(1, INT32_MAX), "ACTION", .word_at = action_at},
    OPTIONS_END,
};

static int run_db(const struct option_rest *rest)
{
    const char *names[ACTIONS];
    char error[OPTION_ERROR_MAX];
    const char *action = rest->arguments[0];

    db.arguments = rest->arguments + 1;
    db.count = (int)rest->count - 1;
    for (size_t i = 0; i < ACTIONS; i++) {
        names[i] = actions[i].name;
        if (strcmp(action, names[i]) == 0) {
            return run_action(i);
        }
    }
    options_unknown_word("action", action, ACTIONS, names, error);
    return command_usage_error(&command_db, "%s", error);
}

const struct command command_db = {
    .name = "db",
    .summary = "keep runs of many machines in one database",
    .about = "usage: tare db add FLEET RUN.db...\n"
             "       tare db list FLEET\n"
             "       tare db query FLEET SQL [--csv|--json]\n"
             "       tare db extract FLEET ID -o RUN.db\n"
             "       tare db remove FLEET ID...\n"
             "\n"
             "Keeps runs of many machines in one database. FLEET is an SQLite file, which\n"
             "the first add creates, or a PostgreSQL database, given as\n"
             "postgresql://USER@HOST/NAME. It has every table of a run file, with columns\n"
             "run_id and position in front, table fleet (a row for each run), and the views\n"
             "of a run file: metric, event, account, gap, finding, sample and noise.\n"
             "tools/store/README.md lists them.\n"
             "\n"
             "  add      add runs, all or none; a run that FLEET already has is skipped. For a\n"
             "           folder, add every file in it whose name ends in .db\n"
             "  list     list the runs: number, date, time base, verdict, machine, file\n"
             "  query    print the rows that one SELECT returns; also works on a run file. Of\n"
             "           FLEET's views only those above; in PostgreSQL with a role that may\n"
             "           neither run programs nor read files of the server.\n"
             "           Tab-separated after a line of names; tab, line end and backslash are\n"
             "           written as \\t, \\n and \\\\, a missing value as nothing\n"
             "  extract  write the run file of one run, identical to the file added\n"
             "  remove   remove runs\n",
    .options = options,
    .notes = "Exit status: 0 done, 1 failed, 2 wrong usage.\n",
    .run = run_db,
};
