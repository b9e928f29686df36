/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/boot_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/counters/host/event_names.h"
#include "bench/exec/names.h"
#include "bench/interactive/names.h"
#include "bench/smp/names.h"
#include "kernel/plan/image_choice.h"
#include "kernel/plan/names.h"
#include "kernel/pmu/event.h"
#include "kernel/pmu/names.h"
#include "kernel/run/registry.h"
#include "tools/base/partial_file.h"
#include "tools/base/spelling.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/plan_check.h"
#include "tools/qemu/exec_settings.h"
#include "tools/qemu/installed.h"
#include "tools/sim/model/program.h"

#define DEFAULT_IMAGE      "build/image/tare.efi"
#define MODEL_SETTINGS_MAX 16
#define NAME_WIDTH         9
#define WORD_LIST          "list"
/* room for the settings that boot_plan_add_defaults() adds, in characters */
#define DEFAULTS_MAX 64
/* how long the image waits for input after the end of the script, in ms of host time */
#define OUTSIDE_WAIT_MS 3000

struct boot_plan boot_plan = {.model_seed = 1};

static struct {
    /* settings as whole lines: first those of --bench and --set, then those made from other options
     */
    struct long_text text;
    bool begun;       /* `text` is open */
    unsigned profile; /* index of profile_at(), or after the last: list them */
    bool has_profile;
    bool names_benches; /* --bench was given, or words that are benches */
    char *words;        /* the words that are benches, as a,b,c; NULL: none */
    unsigned table;     /* index of the word of --count; there is only one */
    const char *events, *events_cpu;
    struct sim_setting model[MODEL_SETTINGS_MAX];
    size_t model_count;
    struct exec_request exec;
} settings;

/* ---- profiles ---- */

/* Prints the profile's machine as options, such as "; --mode exact --shift 6". */
static void print_machine(FILE *out, const struct profile_plan *profile)
{
    fputs(profile->mode != NULL || profile->processors + profile->memory_mib > 0 ||
                  profile->network != NULL
              ? ";"
              : "",
          out);
    if (profile->mode != NULL) {
        fprintf(out, " --mode %s --shift %u", profile->mode, profile->shift);
    }
    if (profile->processors > 0) {
        fprintf(out, " --smp %u", profile->processors);
    }
    if (profile->memory_mib > 0) {
        fprintf(out, " --memory %u", profile->memory_mib);
    }
    if (profile->network != NULL) {
        fprintf(out, " --net %s", profile->network);
    }
    if (profile->counts) {
        fputs(" --count " TABLE_P5, out);
    }
}

void boot_profile_print(FILE *out, const struct profile_plan *profile)
{
    struct long_text text;

    long_text_open(&text);
    fprintf(text.out, "%s", profile->summary);
    print_machine(text.out, profile);
    fprintf(out, "%-*s", NAME_WIDTH, profile->name);
    print_wrapped(out, long_text_close(&text), NAME_WIDTH, NAME_WIDTH);
    long_text_free(&text);
    fprintf(out, "%*s", NAME_WIDTH + 2, "");
    print_wrapped(out, profile->benches != NULL ? profile->benches : PLAN_BENCH_ALL, NAME_WIDTH + 2,
                  NAME_WIDTH + 2);
}

void boot_profiles_list(FILE *out)
{
    const struct profile_plan *profile;

    for (size_t i = 0; (profile = profile_at(i)) != NULL; i++) {
        boot_profile_print(out, profile);
    }
}

/* ---- options ---- */

static const char *profile_word(size_t index)
{
    const struct profile_plan *profile = profile_at(index);

    return profile != NULL                              ? profile->name
           : index > 0 && profile_at(index - 1) != NULL ? WORD_LIST
                                                        : NULL;
}

static FILE *settings_out(void)
{
    if (!settings.begun) {
        long_text_open(&settings.text);
        settings.begun = true;
    }
    return settings.text.out;
}

/* Returns whether the plan's parser reads this text as one setting and nothing else. */
static bool is_setting(const char *text, size_t length)
{
    struct plan plan;
    char error[PLAN_ERROR_MAX];

    if (!plan_parse(&plan, text, length, error) || plan.count != 1) {
        return false;
    }
    const size_t key_length = strlen(plan.settings[0].key);
    const size_t braces = text[key_length + 1] == '{' ? 2 : 0;

    return length == key_length + 1 + strlen(plan.settings[0].value) + braces;
}

/* Adds one setting of the command line. Returns false with a message in `error` if it is not one.
 */
static bool add_setting(const char *prefix, const char *text, char *error)
{
    char setting[PLAN_TEXT_MAX];
    const int length = snprintf(setting, sizeof(setting), "%s%s", prefix, text);

    if ((size_t)length >= sizeof(setting) || !is_setting(setting, (size_t)length)) {
        snprintf(error, OPTION_ERROR_MAX, "%s: must be %s without blanks or #", text,
                 *prefix == '\0' ? "KEY=VALUE, or KEY={VALUE}," : "a list a,b,c");
        return false;
    }
    fprintf(settings_out(), "%s\n", setting);
    return true;
}

static bool take_bench(char *text, char error[OPTION_ERROR_MAX])
{
    boot_plan.lists_benches = boot_plan.lists_benches || strcmp(text, WORD_LIST) == 0;
    settings.names_benches = true;
    return add_setting(KEY_BENCH "=", text, error);
}

static const char *key_at(size_t index);

/* Returns whether a plan key begins so. */
static bool begins_key(const char *prefix)
{
    const char *key;

    for (size_t i = 0; (key = key_at(i)) != NULL; i++) {
        if (strncmp(key, prefix, strlen(prefix)) == 0) {
            return true;
        }
    }
    return false;
}

static bool take_set(char *text, char error[OPTION_ERROR_MAX])
{
    if (strchr(text, '=') == NULL && begins_key(text)) {
        boot_plan.lists_keys = text;
        return true;
    }
    return add_setting("", text, error);
}

static bool take_keys(char *text, char error[OPTION_ERROR_MAX])
{
    char why[KEYS_ERROR_MAX];

    keys_free(&boot_plan.script);
    if (!keys_read(&boot_plan.script, text, why)) {
        snprintf(error, OPTION_ERROR_MAX, ": %s", why);
        return false;
    }
    return true;
}

/* Takes a NAME=VALUE of the model. Whether the model has that value is checked when the model is
 * read. */
static bool take_model_setting(char *text, char error[OPTION_ERROR_MAX])
{
    char *equals = strchr(text, '=');
    char *end;

    if (settings.model_count == MODEL_SETTINGS_MAX) {
        snprintf(error, OPTION_ERROR_MAX, "%s: at most %d settings", text, MODEL_SETTINGS_MAX);
        return false;
    }
    if (equals == NULL || equals == text) {
        snprintf(error, OPTION_ERROR_MAX, "%s: must be NAME=VALUE", text);
        return false;
    }
    const double value = strtod(equals + 1, &end);

    if (end == equals + 1 || *end != '\0') {
        snprintf(error, OPTION_ERROR_MAX, "%s: VALUE must be a number", text);
        return false;
    }
    *equals = '\0';
    settings.model[settings.model_count++] = (struct sim_setting){.name = text, .value = value};
    return true;
}

/* ---- completion ---- */

const char *boot_default_image(char path[INSTALLED_PATH_MAX])
{
    return access(DEFAULT_IMAGE, F_OK) != 0 && installed_file("tare.efi", path) ? path
                                                                                : DEFAULT_IMAGE;
}

bool boot_image_readable(const char *image, char error[QEMU_ERROR_MAX])
{
    if (access(image, R_OK) == 0) {
        return true;
    }
    snprintf(error, QEMU_ERROR_MAX, "cannot read image %.300s: %s%s", image, strerror(errno),
             errno == ENOENT ? "; \"make image\" builds it" : "");
    return false;
}

/* Writes the path of tare-smp.efi in the folder of the image. */
static void write_smp_path(const char *image, char path[INSTALLED_PATH_MAX])
{
    const char *slash = strrchr(image, '/');

    snprintf(path, INSTALLED_PATH_MAX, "%.*s" IMAGE_SMP_FILE,
             slash != NULL ? (int)(slash + 1 - image) : 0, image);
}

const struct image_benches *boot_default_benches(void)
{
    static struct image_benches benches;
    static bool is_read;
    char path[INSTALLED_PATH_MAX];
    char smp_path[INSTALLED_PATH_MAX];
    char error[IMAGE_BENCHES_ERROR_MAX];

    if (!is_read) {
        const char *image = boot_default_image(path);

        /* tare-smp.efi has all benches of tare.efi, and more */
        write_smp_path(image, smp_path);
        if (!image_benches_read(&benches, NULL, smp_path, error)) {
            image_benches_read(&benches, NULL, image, error);
        }
        is_read = true;
    }
    return &benches;
}

static const char *bench_at(size_t index)
{
    const struct image_benches *benches = boot_default_benches();

    return index < benches->count ? benches->benches[index]->name : NULL;
}

/* Returns "BENCH.PARAM=" for the parameters of all benches, then the keys of a run. */
static const char *key_at(size_t index)
{
    static char word[PLAN_TEXT_MAX];
    const struct image_benches *benches = boot_default_benches();

    for (size_t i = 0; i < benches->count; i++) {
        const struct bench *bench = benches->benches[i];

        for (const struct bench_param *param = bench->params; param->name != NULL; param++) {
            if (index-- == 0) {
                snprintf(word, sizeof(word), "%s.%s=", bench->name, param->name);
                return word;
            }
        }
    }
    if (index >= benches->run_key_count) {
        return NULL;
    }
    snprintf(word, sizeof(word), "%s=", benches->run_keys[index].name);
    return word;
}

const char *boot_word(size_t index)
{
    size_t profiles = 0;

    while (profile_word(profiles) != NULL) {
        profiles++;
    }
    return index < profiles ? profile_word(index) : bench_at(index - profiles);
}

static const char *event_at(size_t index)
{
    return index < EVENT_COUNT ? event_name((enum portable_event)index) : NULL;
}

static const char *const count_words[] = {TABLE_P5, NULL};

const struct option_line plan_options[] = {
    {"profile", OPT_WORD(&settings.profile), NULL,
     "run a named set of benches that answers a question, on a virtual machine that suits them. "
     "Other options and --plan override its settings. \"--profile list\" prints all sets. Default: "
     "quick, or network with --net; none if options or a plan choose benches",
     .word_at = profile_word, .given = &settings.has_profile},
    {"bench", OPT_CALL(take_bench), "LIST",
     "benches to run, as a,b,c; all or none; list prints them", .word_at = bench_at, .comma = true},
    {"gdb", OPT_TEXT(&boot_plan.gdb), "BENCH",
     "exact mode: QEMU waits for gdb, and tare prints the lines to type into gdb, which stop at "
     "the "
     "first instruction of BENCH. Runs only BENCH, unless --bench is given, and without time "
     "limits; "
     "Ctrl-C ends it. Guest time moves on at each stop, so the run's times mean nothing",
     .word_at = bench_at, .excludes = "repeat interleave timeout"},
    {"set", OPT_CALL(take_set), "BENCH.PARAM=VALUE",
     "set a parameter; may be repeated. A VALUE in braces may contain blanks. The beginning of a "
     "key "
     "alone, such as gap., prints the keys that begin so",
     .word_at = key_at, .repeats = true},
    {"events", OPT_TEXT(&settings.events), "LIST",
     "events to count, as a,b,c: portable names, LABEL@EVENT:UMASK, or libpfm4 names, resolved "
     "here; tare events lists them",
     .word_at = event_at, .comma = true},
    {"events-cpu", OPT_TEXT(&settings.events_cpu), "NAME",
     "the processor that libpfm4 names refer to (default: this one). The list can also name it, as "
     "in skl::INST_RETIRED:ANY_P",
     .needs = "events"},
    {"count", OPT_WORD(&settings.table), NULL,
     "exact mode: a plugin of QEMU counts instructions, loads, stores, misaligned accesses, "
     "segment loads, CR3 loads (changes of address space), and misses of a modelled Pentium TLB. "
     "Each series gets counts, as with --events; the log stays the same, byte for byte",
     .words = count_words, .excludes = "events", .given = &boot_plan.counts},
    {"keys", OPT_CALL(take_keys), "SCRIPT",
     "type and click this in QEMU for each bench that takes input, timed by the host's clock; "
     "@FILE reads it from a file. Example: 'type \"Hello\" wpm=60; click left; at 5s pagedown x3 "
     "every=200ms'"},
    {"model", OPT_TEXT(&boot_plan.model), "FILE",
     "run this response-time model (tare sim) on the real kernel: runs only bench model, unless "
     "--bench is given"},
    {"model-set", OPT_CALL(take_model_setting), "NAME=VALUE",
     "set a value of the model, as tare sim --set; may be repeated", .needs = "model",
     .repeats = true},
    {"model-seed", OPT_NUMBER(&boot_plan.model_seed, 0, UINT64_MAX), "N",
     "seed of the model's random numbers (default 1)", .needs = "model"},
    {"exec", OPT_LIST(settings.exec.code, &settings.exec.codes, CODES_MAX), "CODE",
     "measure this code in a sandbox, unrolled and looped; may be repeated. It is assembled here "
     "by as (binutils), in AT&T syntax; .intel_syntax noprefix in CODE changes that. Runs only "
     "bench exec, unless --bench is given. Example: 'add %rax, %rbx'"},
    {"exec-init", OPT_LIST(settings.exec.init, &settings.exec.inits, CODES_MAX), "CODE",
     "run this code once before each measurement: give one for all codes, or one for each",
     .needs = "exec"},
    {"plan", OPT_TEXT(&boot_plan.file), "FILE",
     "a plan (configuration file); --bench, --set, --events, --keys, --model and --exec override "
     "it"},
    OPTIONS_END,
};

/* ---- settings of the other options ---- */

/* Copies the list of --events, replacing libpfm4's names by codes. */
static int resolve_events(char resolved[PLAN_TEXT_MAX])
{
    struct event_request requests[EVENT_REQUESTS_MAX];
    struct cpu_identity identity;
    struct event_cpu cpu;
    char error[EVENT_NAMES_ERROR_MAX];
    size_t count;

    if (settings.events_cpu == NULL) {
        event_cpu_host(&cpu, &identity);
    } else if (!event_cpu_find(settings.events_cpu, &cpu, error)) {
        return command_usage_error(&command_boot, "--events-cpu %s: %s", settings.events_cpu,
                                   error);
    }
    if (!event_names_resolve_list(&cpu, settings.events, resolved, PLAN_TEXT_MAX, error)) {
        return command_usage_error(&command_boot, "--events: %s", error);
    }
    if (!event_list_parse(resolved, requests, &count, error)) {
        return command_usage_error(&command_boot, "--events: %s", error);
    }
    return COMMAND_OK;
}

static int add_events(void)
{
    char resolved[PLAN_TEXT_MAX];
    char error[OPTION_ERROR_MAX];

    if (settings.events == NULL) {
        return COMMAND_OK;
    }
    if (!event_names_open(error)) {
        return command_failure(&command_boot, "%s", error);
    }
    const int status = resolve_events(resolved);

    event_names_close();
    return status != COMMAND_OK || add_setting(KEY_EVENTS "=", resolved, error)
               ? status
               : command_usage_error(&command_boot, "--events %s", error);
}

/* Adds the settings that prepare the image for the input of --keys. The line end before the brace
 * closes a comment that the script may end with. */
static int add_script(void)
{
    char setting[PLAN_TEXT_MAX];

    if (boot_plan.script.text == NULL) {
        return COMMAND_OK;
    }
    const int length =
        snprintf(setting, sizeof(setting), KEY_INPUT_SCRIPT "={%s\n}", boot_plan.script.text);

    if ((size_t)length >= sizeof(setting)) {
        return command_usage_error(
            &command_boot, "--keys: the script is too long for a plan of at most %d characters",
            PLAN_TEXT_MAX);
    }
    if (!is_setting(setting, (size_t)length)) {
        return command_usage_error(&command_boot, "--keys: the script contains control characters");
    }
    fprintf(settings.text.out, KEY_INPUT_SOURCE "=" PLAN_INPUT_OUTSIDE "\n%s\n", setting);
    return COMMAND_OK;
}

static int refuse_model(const struct sim_model_error *error)
{
    if (error->line == 0) {
        return command_failure(&command_boot, "%s: %s", boot_plan.model, error->text);
    }
    return command_failure(&command_boot, "%s:%zu: %s", boot_plan.model, error->line, error->text);
}

/* Adds the model as a program, and the bench that runs it. */
static int add_model(void)
{
    struct sim_model model;
    struct sim_model_error error;

    if (boot_plan.model == NULL) {
        return COMMAND_OK;
    }
    if (!sim_model_load(&model, boot_plan.model, settings.model, settings.model_count, &error)) {
        return refuse_model(&error);
    }
    char *program = sim_program_text(&model, boot_plan.model_seed, &error);

    boot_plan.processors = model.processors;
    sim_model_free(&model);
    if (program == NULL) {
        return refuse_model(&error);
    }
    fprintf(settings.text.out, "%s" KEY_MODEL_PROGRAM "={%s}\n",
            settings.names_benches ? "" : KEY_BENCH "=" BENCH_MODEL "\n", program);
    free(program);
    return COMMAND_OK;
}

/* Assembles the codes of --exec and adds them with the bench that runs them. */
static int add_exec(void)
{
    char error[EXEC_ERROR_MAX];

    if (settings.exec.codes == 0) {
        return COMMAND_OK;
    }
    char *lines = exec_settings(&settings.exec, error);

    if (lines == NULL) {
        return command_usage_error(&command_boot, "--exec: %s", error);
    }
    fprintf(settings.text.out, "%s%s", settings.names_benches ? "" : KEY_BENCH "=" BENCH_EXEC "\n",
            lines);
    free(lines);
    return COMMAND_OK;
}

/* Takes one word: a profile, "list", or a list of benches. */
static int take_word(const char *word)
{
    char error[OPTION_ERROR_MAX];
    struct spelling spelling;
    const char *known;
    size_t index = 0;

    spelling_begin(&spelling, word);
    while ((known = boot_word(index)) != NULL && strcmp(known, word) != 0) {
        spelling_offer(&spelling, known);
        index++;
    }
    if (known == NULL && strchr(word, ',') == NULL && index > 0) {
        known = spelling_nearest(&spelling);
        return command_usage_error(
            &command_boot, "%s: expected an image, a profile or a bench%s%s; tare list prints all",
            word, known != NULL ? "; did you mean " : "", known != NULL ? known : "");
    }
    if (known != NULL && strcmp(known, WORD_LIST) == 0) {
        boot_plan.lists_benches = true;
        return COMMAND_OK;
    }
    if (known != NULL && profile_find(word) != NULL && !settings.has_profile) {
        boot_plan.profile = profile_find(word);
        return COMMAND_OK;
    }
    /* a later bench=LIST replaces an earlier one: the words make one list */
    char *list = settings.words != NULL ? text_format("%s,%s", settings.words, word)
                                        : text_format("%s", word);

    free(settings.words);
    settings.words = list;
    return take_bench(list, error) ? COMMAND_OK : command_usage_error(&command_boot, "%s", error);
}

int boot_plan_take_words(const struct option_rest *rest, const char **image)
{
    int status = COMMAND_OK;

    for (size_t i = 0; i < rest->count && status == COMMAND_OK; i++) {
        const char *word = rest->arguments[i];

        if (strpbrk(word, "./") == NULL && access(word, F_OK) != 0) {
            status = take_word(word);
        } else if (*image == NULL) {
            *image = word;
        } else {
            status = command_usage_error(&command_boot,
                                         "%s and %s: expected one image; --interleave %s boots "
                                         "both by turns",
                                         *image, word, word);
        }
    }
    return status;
}

bool boot_plan_lists(void)
{
    return boot_plan.lists_profiles || boot_plan.lists_benches || boot_plan.lists_keys != NULL;
}

int boot_plan_settle(void)
{
    settings_out();
    if (boot_plan.gdb != NULL && !settings.names_benches) {
        fprintf(settings.text.out, KEY_BENCH "=%s\n", boot_plan.gdb);
    }
    if (boot_plan.gdb != NULL) {
        /* no bench has a time limit, because guest time goes on at each stop (gdb.h) */
        fputs("bench.limit_ms=0\n", settings.text.out);
    }
    if (settings.has_profile) {
        boot_plan.profile = profile_at(settings.profile);
        boot_plan.lists_profiles = boot_plan.profile == NULL;
    }
    int status = boot_plan_lists() ? COMMAND_OK : add_events();

    status = status == COMMAND_OK ? add_script() : status;
    status = status == COMMAND_OK ? add_model() : status;
    status = status == COMMAND_OK ? add_exec() : status;
    long_text_close(&settings.text);
    return status;
}

/* ---- the plan ---- */

/* Reads the plan file to `text`, if one was named. */
static int read_plan_file(char *text, size_t capacity, size_t *length)
{
    *length = 0;
    if (boot_plan.file == NULL) {
        return COMMAND_OK;
    }
    FILE *file = fopen(boot_plan.file, "r");

    if (file == NULL) {
        return command_failure(&command_boot, "cannot read plan %s: %s", boot_plan.file,
                               strerror(errno));
    }
    partial_file_protect(boot_plan.file);
    *length = fread(text, 1, capacity, file);
    const int cause = ferror(file) != 0 ? errno : 0;

    fclose(file);
    if (cause != 0) {
        return command_failure(&command_boot, "cannot read plan %s: %s", boot_plan.file,
                               strerror(cause));
    }
    text[(*length)++] = '\n';
    return COMMAND_OK;
}

int boot_plan_compose(const struct qemu_network *network, char text[BOOT_PLAN_MAX])
{
    struct plan plan;
    char error[PLAN_ERROR_MAX];
    size_t from_file;
    size_t length = 0;

    if (boot_plan.profile != NULL && !(boot_plan.by_default && boot_plan.file != NULL)) {
        length = profile_lines(boot_plan.profile, text, PLAN_TEXT_MAX);
    }
    length += (size_t)snprintf(text + length, PLAN_TEXT_MAX - length, "%s",
                               network != NULL ? network->plan : "");
    const int status = read_plan_file(text + length, PLAN_TEXT_MAX, &from_file);

    if (status != COMMAND_OK) {
        return status;
    }
    length += from_file;
    const size_t room = 2 * PLAN_TEXT_MAX - length;

    length += (size_t)snprintf(text + length, room, "%s", settings.text.text);
    if (length + DEFAULTS_MAX > PLAN_TEXT_MAX) {
        return command_failure(&command_boot,
                               "the plan (--plan file and options) exceeds %d characters",
                               PLAN_TEXT_MAX - DEFAULTS_MAX);
    }
    if (!plan_parse(&plan, text, length, error)) {
        return command_failure(&command_boot, "%s%s%s",
                               boot_plan.file != NULL ? boot_plan.file : "",
                               boot_plan.file != NULL ? ": " : "", error);
    }
    return COMMAND_OK;
}

/* Returns how long the image has to wait for the script, in ms of guest time. The script is typed
 * in host time, which guest time does not follow in exact mode. An instruction takes 2^shift ns of
 * guest time, and the emulator rarely runs more than one instruction per ns of host time. Guest
 * time may therefore pass up to 2^shift times faster than host time, and the guest has to wait that
 * much longer. */
static uint64_t outside_wait_ms(unsigned shift)
{
    const uint64_t length_ms = keys_length_ms(&boot_plan.script);

    return ((length_ms + OUTSIDE_WAIT_MS) << shift) - length_ms;
}

void boot_plan_add_defaults(unsigned shift, bool answers, char text[BOOT_PLAN_MAX])
{
    struct plan plan;
    char error[PLAN_ERROR_MAX];
    char *end = text + strlen(text);

    plan_parse(&plan, text, strlen(text), error);
    if (answers && plan_value(&plan, KEY_LINK_SERVE) == NULL) {
        end += sprintf(end, KEY_LINK_SERVE "=1\n");
    } else if (!answers && plan_value(&plan, KEY_LINK_WAIT_MS) == NULL) {
        end += sprintf(end, KEY_LINK_WAIT_MS "=0\n");
    }
    if (boot_plan.script.text != NULL && plan_value(&plan, KEY_INPUT_WAIT_MS) == NULL) {
        sprintf(end, KEY_INPUT_WAIT_MS "=%llu\n", (unsigned long long)outside_wait_ms(shift));
    }
}

/* Chooses the image that the plan needs, and writes its path. */
static enum image_choice choose_image(const char *text, const char *image,
                                      char path[INSTALLED_PATH_MAX], char reason[IMAGE_REASON_MAX])
{
    struct plan plan;
    char error[PLAN_ERROR_MAX];

    plan_parse(&plan, text, strlen(text), error);
    const enum image_choice choice = image_choice(&plan, SMP_BENCHES, reason);

    if (choice == IMAGE_SMP && !qemu_is_disk(image)) {
        write_smp_path(image, path);
    } else {
        snprintf(path, INSTALLED_PATH_MAX, "%s", image);
    }
    partial_file_protect(path);
    return choice;
}

int boot_plan_check(const char *image, const char *text, bool force, char path[INSTALLED_PATH_MAX],
                    char unchecked[IMAGE_BENCHES_ERROR_MAX], uint64_t *lengths_ms)
{
    struct image_benches benches;
    char reason[IMAGE_REASON_MAX];
    char error[PLAN_CHECK_MAX];
    const enum image_choice choice = choose_image(text, image, path, reason);
    int status = COMMAND_OK;

    unchecked[0] = '\0';
    *lengths_ms = 0;
    if (choice == IMAGE_NONE) {
        return command_usage_error(&command_boot, "%s", reason);
    }
    if (!image_benches_read(&benches, choice == IMAGE_SMP ? GROUP_SMP : NULL, path, unchecked)) {
        image_benches_free(&benches);
        return choice != IMAGE_SMP ? COMMAND_OK
                                   : command_failure(&command_boot,
                                                     "%s needs " IMAGE_SMP_FILE
                                                     ": %s: %s; \"make image\" builds it",
                                                     reason, path, unchecked);
    }
    unchecked[0] = '\0';
    registry_use_benches(benches.benches, benches.count);
    if (plan_check(text, benches.run_keys, benches.run_key_count, error)) {
        *lengths_ms = plan_lengths_ms();
        boot_plan.cpus = plan_processors(boot_plan.cpus);
        for (size_t i = 0; boot_plan.each != NULL && i < benches.count; i++) {
            if (plan_selects(benches.benches[i])) {
                boot_plan.each(benches.benches[i]);
            }
        }
    } else if (force) {
        fprintf(stderr, "tare boot: %s; booted because of --force\n", error);
    } else {
        status = command_usage_error(&command_boot, "%s", error);
    }
    registry_use_benches(NULL, 0);
    image_benches_free(&benches);
    return status;
}

void boot_plan_free(void)
{
    long_text_free(&settings.text);
    free(settings.words);
    keys_free(&boot_plan.script);
}

bool boot_plan_chooses_benches(void)
{
    struct plan plan;
    char error[PLAN_ERROR_MAX];

    return boot_plan.file != NULL ||
           (plan_parse(&plan, settings.text.text, settings.text.length, error) &&
            (plan_value(&plan, KEY_BENCH) != NULL || plan_value(&plan, KEY_ROLE) != NULL));
}
