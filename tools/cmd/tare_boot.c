/* SPDX-License-Identifier: BSD-2-Clause */
/* `tare boot`: boots an image in QEMU, and captures and decodes its log. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/exec/names.h"
#include "bench/interactive/names.h"
#include "kernel/plan/names.h"
#include "kernel/plan/number.h"
#include "kernel/plan/plan.h"
#include "kernel/pmu/event.h"
#include "kernel/pmu/names.h"
#include "kernel/run/registry.h"
#include "tools/base/alloc.h"
#include "tools/base/installed.h"
#include "tools/base/interrupt.h"
#include "tools/base/long_text.h"
#include "tools/base/partial_file.h"
#include "tools/base/progress.h"
#include "tools/base/temporary.h"
#include "tools/bench/counters/event_names.h"
#include "tools/cmd/boot_profiles.h"
#include "tools/cmd/ci_options.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/page_file.h"
#include "tools/cmd/plan_check.h"
#include "tools/exec/exec_settings.h"
#include "tools/qemu/boot_series.h"
#include "tools/qemu/guest.h"
#include "tools/qemu/image_benches.h"
#include "tools/qemu/keys.h"
#include "tools/qemu/kvm.h"
#include "tools/qemu/network.h"
#include "tools/qemu/plugin_find.h"
#include "tools/qemu/qemu.h"
#include "tools/qemu/surroundings.h"
#include "tools/sim/model/program.h"
#include "tools/wire/logfile.h"

#define DEFAULT_IMAGE      "build/image/tare.efi"
#define DEFAULT_SHIFT      3
#define DEFAULT_MEMORY_MIB 256
#define DEFAULT_TIMEOUT_S  900
#define PROCESSORS_MAX     255
#define MEMORY_MIB_MAX     (1u << 20)
#define TIMEOUT_S_MAX      1000000
#define REPEAT_MAX         10000
#define MODEL_SETTINGS_MAX 16
#define DEFAULTS_MAX       64   /* characters of the settings that add_defaults() makes */
#define OUTSIDE_WAIT_MS    3000 /* after the script's end, in host time */

static const char help[] =
    "usage: tare boot [OPTION]... [IMAGE] [-- QEMU-ARGUMENT...]\n"
    "\n"
    "Boots IMAGE in QEMU, captures its serial line and decodes it into a run file.\n"
    "IMAGE is an EFI program or, if its name ends in .img, a disk, which stays\n"
    "unchanged. Default: " DEFAULT_IMAGE ", or the installed image in\n"
    "share/tare if that file is missing. QEMU-ARGUMENTs come last on QEMU's command\n"
    "line.\n"
    "\n"
    "  --mode auto|exact|real  exact: the TSC counts instructions; the same image and\n"
    "                          plan give the same log, byte for byte. real: host\n"
    "                          time, by KVM if a trial boot works, else by emulation,\n"
    "                          whose times mean nothing. auto (default): KVM if a\n"
    "                          trial boot works, else exact\n"
    "  --shift N               exact: an instruction takes 2^N ns, N up to 10\n"
    "                          (default 3, 8 ns). Firmware waits in guest time: with\n"
    "                          N = 0 it starts three times slower. Above 3 the start\n"
    "                          is hardly faster, and ticks get coarse\n"
    "  --profile quick|noise|memory|system|input|paper|network|disk|all|list\n"
    "                          benches for a question, with the machine that suits\n"
    "                          them; other options and --plan override it. list\n"
    "                          prints all. Default: quick, or network with --net;\n"
    "                          none where options or a plan choose benches\n"
    "  --bench LIST            benches to run, as a,b,c; all or none\n"
    "  --set BENCH.PARAM=VALUE set a parameter; may be repeated. A VALUE in braces\n"
    "                          may contain blanks\n"
    "  --events LIST           events to count, as a,b,c: portable names,\n"
    "                          LABEL@EVENT:UMASK, or libpfm4 names, resolved here;\n"
    "                          tare events lists them\n"
    "  --events-cpu NAME       the processor that libpfm4 names refer to (default:\n"
    "                          this one). The list can also name it, as in\n"
    "                          skl::INST_RETIRED:ANY_P\n"
    "  --count " TABLE_P5 "              exact mode: a plugin of QEMU counts instructions,\n"
    "                          loads, stores, misaligned accesses, segment loads,\n"
    "                          loads of address spaces, and TLB misses of a model of\n"
    "                          a Pentium. Each series gets counts, as by --events;\n"
    "                          the log stays the same, byte for byte\n"
    "  --keys SCRIPT           type and click this in QEMU for each bench that takes\n"
    "                          input, timed by the host's clock; @FILE reads it from\n"
    "                          a file. Example: 'type \"Hello\" wpm=60; click left;\n"
    "                          at 5s pagedown x3 every=200ms'\n"
    "  --model FILE            play this response-time model (tare sim) on the real\n"
    "                          kernel: runs only bench model unless --bench is given\n"
    "  --model-set NAME=VALUE  set a value of the model, as tare sim --set; may be\n"
    "                          repeated\n"
    "  --model-seed N          seed of the model's random numbers (default 1)\n"
    "  --exec CODE             measure this code in a sandbox, unrolled and looped;\n"
    "                          may be repeated. It is assembled here by as\n"
    "                          (binutils), in AT&T syntax; .intel_syntax noprefix in\n"
    "                          CODE changes that. Runs bench exec only, unless\n"
    "                          --bench is given. Example: 'add %rax, %rbx'\n"
    "  --exec-init CODE        run this once before each measurement: one for all\n"
    "                          codes, or one for each\n"
    "  --plan FILE             a plan; --bench, --set, --events, --keys, --model and\n"
    "                          --exec override it\n"
    "  --log FILE              the serial log (default build/run/serial.log, or\n"
    "                          tare.log if there is no folder build)\n"
    "  -o, --output RUN.db     the run file (default: the log's name with .db;\n"
    "                          build/run/run.db)\n"
    "  --junit FILE            also write the verdict on each bench as JUnit XML, for\n"
    "                          a CI server\n"
    "  --tap FILE              also write them in the Test Anything Protocol. - is\n"
    "                          standard output, for either\n"
    "  --full-boot             exact: let firmware start again in each boot. Else, with\n"
    "                          one processor and nothing attached, boots resume from\n"
    "                          a snapshot of the started machine, which the first\n"
    "                          one makes in the cache: the log is the same\n"
    "  --force                 let an invalid run replace a valid one in RUN.db; else\n"
    "                          it goes to RUN.invalid.db. Also boot a plan that the\n"
    "                          check refuses, for the image to refuse\n"
    "  --repeat N              boot N times, to show how boots vary: RUN-1.db to\n"
    "                          RUN-N.db, and logs of the same names\n"
    "  --interleave OTHER      also boot OTHER as often, in the order A B B A A B B\n"
    "                          A: RUN-a-1.db, RUN-b-1.db, RUN-b-2.db, RUN-a-2.db, ...\n"
    "                          OTHER is an image, or a plan in place of --plan, which\n"
    "                          the other options override as well. tare compare\n"
    "                          RUN-a-*.db -- RUN-b-*.db judges them\n"
    "  --machine q35|pc        QEMU's machine type (default q35)\n"
    "  --smp N                 processors (default 1, or as many as the model has)\n"
    "  --memory MIB            memory (default 256)\n"
    "  --cpu MODEL             QEMU's processor model\n"
    "  --net hub|peer|user     NICs and the plan's net keys for them. hub: two on one\n"
    "                          wire. peer: one whose other end is tare peer, by\n"
    "                          datagrams of 127.0.0.1. user: one that reaches this\n"
    "                          host at 10.0.2.2, through QEMU's user network\n"
    "  --timeout S             stop after so many seconds (default 900; 0: never)\n"
    "  --qemu PROGRAM          the QEMU to use (default qemu-system-x86_64)\n"
    "  --firmware FILE         the UEFI firmware to use (default: the installed OVMF)\n"
    "  --smm                   use firmware with system management mode, on q35 only:\n"
    "                          SMIs occur, and QEMU counts them. Each run starts from\n"
    "                          a fresh copy of the firmware's variables\n"
    "  --variables FILE        with --smm and --firmware: the variable store of that\n"
    "                          firmware\n"
    "  --help                  this text\n"
    "\n"
    "The plan is checked before the boot, by the benches and ranges that IMAGE holds.\n"
    "With a profile, the run is then shown in brief on standard output, and its page\n"
    "is written beside the run file (tare show, tare report).\n"
    "\n"
    "Exit status: 0 valid run, 1 invalid or failed, 2 wrong usage or a plan that the\n"
    "image would refuse; of several boots the worst.\n";

enum mode {
    MODE_AUTO,
    MODE_EXACT,
    MODE_REAL,
};

struct boot {
    enum mode mode;
    struct qemu_machine machine;
    const char *program, *firmware, *variables; /* as wanted; NULL: find them */
    char program_path[QEMU_PATH_MAX], firmware_path[QEMU_PATH_MAX], variables_path[QEMU_PATH_MAX];
    char image_path[INSTALLED_PATH_MAX];
    bool smm;
    bool force;
    char unchecked[IMAGE_BENCHES_ERROR_MAX]; /* why the plan is not checked; "": it is */
    const char *log, *output;
    struct ci_wishes ci;
    uint64_t timeout_s;
    const struct boot_profile *profile;   /* NULL: none */
    bool by_default;                      /* the profile, where nothing else chooses benches */
    bool full_boot;                       /* no snapshot */
    bool lists_profiles;                  /* does nothing else */
    bool has_mode, has_shift, has_memory; /* --mode, --shift, --memory were given */
    const char *plan_file;
    const char *events, *events_cpu;
    bool counts; /* --count was given */
    char plugin_path[QEMU_PATH_MAX];
    struct keys_script script; /* of --keys; text NULL: none */
    const char *model;         /* file; NULL: none */
    struct sim_setting model_settings[MODEL_SETTINGS_MAX];
    size_t model_setting_count;
    uint64_t model_seed;
    size_t model_processors; /* 0: no model */
    struct exec_request exec;
    bool names_benches; /* --bench was given */
    struct boot_series series;
    bool is_series;               /* --repeat or --interleave was given */
    char written[RUN_TARGET_MAX]; /* the run file; "": none */
    const char *other;            /* of --interleave; NULL: none */
    FILE *settings; /* of --bench, --set, --events, --keys, --model, --exec: settings_text */
    char *settings_text;
    size_t settings_length;
};

enum boot_option {
    OPTION_MODE = 256,
    OPTION_SHIFT,
    OPTION_PROFILE,
    OPTION_BENCH,
    OPTION_SET,
    OPTION_EVENTS,
    OPTION_EVENTS_CPU,
    OPTION_COUNT,
    OPTION_KEYS,
    OPTION_MODEL,
    OPTION_MODEL_SET,
    OPTION_MODEL_SEED,
    OPTION_EXEC,
    OPTION_EXEC_INIT,
    OPTION_PLAN,
    OPTION_LOG,
    OPTION_REPEAT,
    OPTION_INTERLEAVE,
    OPTION_FORCE,
    OPTION_FULL_BOOT,
    OPTION_MACHINE,
    OPTION_SMP,
    OPTION_MEMORY,
    OPTION_CPU,
    OPTION_NET,
    OPTION_TIMEOUT,
    OPTION_QEMU,
    OPTION_FIRMWARE,
    OPTION_SMM,
    OPTION_VARIABLES,
};

static const struct option options[] = {
    {"mode", required_argument, NULL, OPTION_MODE},
    {"shift", required_argument, NULL, OPTION_SHIFT},
    {"profile", required_argument, NULL, OPTION_PROFILE},
    {"bench", required_argument, NULL, OPTION_BENCH},
    {"set", required_argument, NULL, OPTION_SET},
    {"events", required_argument, NULL, OPTION_EVENTS},
    {"events-cpu", required_argument, NULL, OPTION_EVENTS_CPU},
    {"count", required_argument, NULL, OPTION_COUNT},
    {"keys", required_argument, NULL, OPTION_KEYS},
    {"model", required_argument, NULL, OPTION_MODEL},
    {"model-set", required_argument, NULL, OPTION_MODEL_SET},
    {"model-seed", required_argument, NULL, OPTION_MODEL_SEED},
    {"exec", required_argument, NULL, OPTION_EXEC},
    {"exec-init", required_argument, NULL, OPTION_EXEC_INIT},
    {"plan", required_argument, NULL, OPTION_PLAN},
    {"log", required_argument, NULL, OPTION_LOG},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"full-boot", no_argument, NULL, OPTION_FULL_BOOT},
    {"repeat", required_argument, NULL, OPTION_REPEAT},
    {"interleave", required_argument, NULL, OPTION_INTERLEAVE},
    {"machine", required_argument, NULL, OPTION_MACHINE},
    {"smp", required_argument, NULL, OPTION_SMP},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"cpu", required_argument, NULL, OPTION_CPU},
    {"net", required_argument, NULL, OPTION_NET},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    CI_OPTIONS,
    {"qemu", required_argument, NULL, OPTION_QEMU},
    {"firmware", required_argument, NULL, OPTION_FIRMWARE},
    {"smm", no_argument, NULL, OPTION_SMM},
    {"variables", required_argument, NULL, OPTION_VARIABLES},
    {NULL, 0, NULL, 0},
};

static int set_number(const char *name, const char *text, uint64_t least, uint64_t most,
                      uint64_t *value)
{
    if (!parse_unsigned(text, value) || *value < least || *value > most) {
        return command_usage_error(&command_boot, "%s %s: must be a number from %llu to %llu", name,
                                   text, (unsigned long long)least, (unsigned long long)most);
    }
    return COMMAND_OK;
}

static int set_unsigned(const char *name, const char *text, unsigned least, unsigned most,
                        unsigned *value)
{
    uint64_t wide;
    const int status = set_number(name, text, least, most, &wide);

    if (status == COMMAND_OK) {
        *value = (unsigned)wide;
    }
    return status;
}

static int set_mode(struct boot *boot, const char *text)
{
    static const char *const names[] = {"auto", "exact", "real"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) == 0) {
            boot->mode = (enum mode)i;
            return COMMAND_OK;
        }
    }
    return command_unknown_word(&command_boot, "--mode", text, names,
                                sizeof(names) / sizeof(names[0]));
}

static int set_profile(struct boot *boot, const char *name)
{
    if (strcmp(name, "list") == 0) {
        boot->lists_profiles = true;
        return COMMAND_OK;
    }
    const char *names[PROFILES_MAX];
    size_t count = 0;

    boot->profile = boot_profile_find(name);
    for (; count < PROFILES_MAX && boot_profile_at(count) != NULL; count++) {
        names[count] = boot_profile_at(count)->name;
    }
    return boot->profile != NULL
               ? COMMAND_OK
               : command_unknown_word(&command_boot, "--profile", name, names, count);
}

static int set_count(struct boot *boot, const char *text)
{
    boot->counts = strcmp(text, TABLE_P5) == 0;
    return boot->counts ? COMMAND_OK
                        : command_usage_error(&command_boot, "--count %s: must be " TABLE_P5, text);
}

static int set_machine(struct boot *boot, const char *text)
{
    static const char *const types[] = {"q35", "pc"};

    if (strcmp(text, types[0]) != 0 && strcmp(text, types[1]) != 0) {
        return command_unknown_word(&command_boot, "--machine", text, types, 2);
    }
    boot->machine.type = text;
    return COMMAND_OK;
}

static int set_network(struct boot *boot, const char *name)
{
    static const char *const networks[] = {"hub", "peer", "user"};

    boot->machine.network = qemu_network_find(name);
    return boot->machine.network != NULL
               ? COMMAND_OK
               : command_unknown_word(&command_boot, "--net", name, networks, 3);
}

/* Is this text, by the plan's grammar, one setting and nothing else? */
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

/* One setting of the command line. */
static int add_setting(struct boot *boot, const char *option, const char *prefix, const char *text)
{
    char setting[PLAN_TEXT_MAX];
    const int length = snprintf(setting, sizeof(setting), "%s%s", prefix, text);

    if ((size_t)length >= sizeof(setting) || !is_setting(setting, (size_t)length)) {
        return command_usage_error(&command_boot, "%s %s: must be %s without blanks or #", option,
                                   text,
                                   *prefix == '\0' ? "KEY=VALUE, or KEY={VALUE}," : "a list a,b,c");
    }
    fprintf(boot->settings, "%s\n", setting);
    return COMMAND_OK;
}

static int set_keys(struct boot *boot, const char *argument)
{
    char error[KEYS_ERROR_MAX];

    keys_free(&boot->script);
    if (!keys_read(&boot->script, argument, error)) {
        return command_usage_error(&command_boot, "--keys: %s", error);
    }
    return COMMAND_OK;
}

/* NAME=VALUE of a model. Reading the model checks that it has such a value. */
static int add_model_setting(struct boot *boot, char *text)
{
    char *equals = strchr(text, '=');
    char *end;

    if (boot->model_setting_count == MODEL_SETTINGS_MAX) {
        return command_usage_error(&command_boot, "--model-set %s: at most %d settings", text,
                                   MODEL_SETTINGS_MAX);
    }
    if (equals == NULL || equals == text) {
        return command_usage_error(&command_boot, "--model-set %s: must be NAME=VALUE", text);
    }
    const double value = strtod(equals + 1, &end);

    if (end == equals + 1 || *end != '\0') {
        return command_usage_error(&command_boot, "--model-set %s: VALUE must be a number", text);
    }
    *equals = '\0';
    boot->model_settings[boot->model_setting_count++] =
        (struct sim_setting){.name = text, .value = value};
    return COMMAND_OK;
}

static int take_exec_option(struct boot *boot, int option)
{
    const bool is_kept = option == OPTION_EXEC ? exec_add_code(&boot->exec, optarg)
                                               : exec_add_init(&boot->exec, optarg);

    return is_kept ? COMMAND_OK
                   : command_usage_error(&command_boot, "--exec: at most %d codes", CODES_MAX);
}

/* Options that make QEMU's machine. */
static int take_machine_option(struct boot *boot, int option)
{
    struct qemu_machine *machine = &boot->machine;

    switch (option) {
    case OPTION_MACHINE:
        return set_machine(boot, optarg);
    case OPTION_SMP:
        return set_unsigned("--smp", optarg, 1, PROCESSORS_MAX, &machine->processors);
    case OPTION_MEMORY:
        boot->has_memory = true;
        return set_unsigned("--memory", optarg, 1, MEMORY_MIB_MAX, &machine->memory_mib);
    case OPTION_CPU:
        machine->cpu = optarg;
        return COMMAND_OK;
    case OPTION_NET:
        return set_network(boot, optarg);
    case OPTION_QEMU:
        boot->program = optarg;
        return COMMAND_OK;
    case OPTION_FIRMWARE:
        boot->firmware = optarg;
        return COMMAND_OK;
    case OPTION_SMM:
        boot->smm = true;
        return COMMAND_OK;
    case OPTION_VARIABLES:
        boot->variables = optarg;
        return COMMAND_OK;
    default: /* of an unknown one command_next_option() has printed the error */
        return ci_option(&boot->ci, option) ? COMMAND_OK : COMMAND_USAGE;
    }
}

/* Options that make the plan. */
static int take_plan_option(struct boot *boot, int option)
{
    switch (option) {
    case OPTION_PROFILE:
        return set_profile(boot, optarg);
    case OPTION_BENCH:
        boot->names_benches = true;
        return add_setting(boot, "--bench", KEY_BENCH "=", optarg);
    case OPTION_SET:
        return add_setting(boot, "--set", "", optarg);
    case OPTION_EVENTS:
        boot->events = optarg;
        return COMMAND_OK;
    case OPTION_EVENTS_CPU:
        boot->events_cpu = optarg;
        return COMMAND_OK;
    case OPTION_COUNT:
        return set_count(boot, optarg);
    case OPTION_KEYS:
        return set_keys(boot, optarg);
    case OPTION_MODEL:
        boot->model = optarg;
        return COMMAND_OK;
    case OPTION_MODEL_SET:
        return add_model_setting(boot, optarg);
    case OPTION_MODEL_SEED:
        return set_number("--model-seed", optarg, 0, UINT64_MAX, &boot->model_seed);
    case OPTION_EXEC:
    case OPTION_EXEC_INIT:
        return take_exec_option(boot, option);
    case OPTION_PLAN:
        boot->plan_file = optarg;
        return COMMAND_OK;
    default:
        return take_machine_option(boot, option);
    }
}

static int take_option(struct boot *boot, int option)
{
    switch (option) {
    case OPTION_MODE:
        boot->has_mode = true;
        return set_mode(boot, optarg);
    case OPTION_SHIFT:
        boot->has_shift = true;
        return set_unsigned("--shift", optarg, 0, QEMU_SHIFT_MAX, &boot->machine.shift);
    case OPTION_LOG:
        boot->log = optarg;
        return COMMAND_OK;
    case 'o':
        boot->output = optarg;
        return COMMAND_OK;
    case OPTION_FULL_BOOT:
        boot->full_boot = true;
        return COMMAND_OK;
    case OPTION_FORCE:
        boot->force = true;
        return COMMAND_OK;
    case OPTION_REPEAT:
        boot->is_series = true;
        return set_unsigned("--repeat", optarg, 1, REPEAT_MAX, &boot->series.repeat);
    case OPTION_INTERLEAVE:
        boot->is_series = true;
        boot->series.interleaved = true;
        boot->other = optarg;
        return COMMAND_OK;
    case OPTION_TIMEOUT:
        return set_number("--timeout", optarg, 0, TIMEOUT_S_MAX, &boot->timeout_s);
    default:
        return take_plan_option(boot, option);
    }
}

/* argv without "--" and what follows it. */
static int parse_options(struct boot *boot, int argc, char **argv)
{
    int option;

    while ((option = command_next_option(&command_boot, argc, argv, "o:", options)) != -1) {
        const int status = take_option(boot, option);

        if (status != COMMAND_OK) {
            return status;
        }
    }
    if (ci_check(&command_boot, &boot->ci) != COMMAND_OK) {
        return COMMAND_USAGE;
    }
    if (argc - optind > 1) {
        return command_usage_error(&command_boot, "two images given: %s and %s; name one",
                                   argv[optind], argv[optind + 1]);
    }
    if (optind < argc) {
        boot->machine.image = argv[optind];
    }
    return COMMAND_OK;
}

/* Copies the list of --events with codes in place of libpfm4's names. */
static int resolve_events(const struct boot *boot, char resolved[PLAN_TEXT_MAX])
{
    struct event_request requests[EVENT_REQUESTS_MAX];
    struct cpu_identity identity;
    struct event_cpu cpu;
    char error[EVENT_NAMES_ERROR_MAX];
    size_t count;

    if (boot->events_cpu == NULL) {
        event_cpu_host(&cpu, &identity);
    } else if (!event_cpu_find(boot->events_cpu, &cpu, error)) {
        return command_usage_error(&command_boot, "--events-cpu %s: %s", boot->events_cpu, error);
    }
    if (!event_names_resolve_list(&cpu, boot->events, resolved, PLAN_TEXT_MAX, error)) {
        return command_usage_error(&command_boot, "--events: %s", error);
    }
    if (!event_list_parse(resolved, requests, &count, error)) {
        return command_usage_error(&command_boot, "--events: %s", error);
    }
    return COMMAND_OK;
}

static int set_events(struct boot *boot)
{
    char resolved[PLAN_TEXT_MAX];
    char error[EVENT_NAMES_ERROR_MAX];

    if (boot->events == NULL) {
        return boot->events_cpu == NULL
                   ? COMMAND_OK
                   : command_usage_error(&command_boot, "--events-cpu needs --events");
    }
    if (!event_names_open(error)) {
        return command_failure(&command_boot, "%s", error);
    }
    const int status = resolve_events(boot, resolved);

    event_names_close();
    return status == COMMAND_OK ? add_setting(boot, "--events", KEY_EVENTS "=", resolved) : status;
}

/* Adds what the image has to expect of --keys. The line end ends a comment. */
static int add_script(struct boot *boot)
{
    char setting[PLAN_TEXT_MAX];

    if (boot->script.text == NULL) {
        return COMMAND_OK;
    }
    const int length =
        snprintf(setting, sizeof(setting), KEY_INPUT_SCRIPT "={%s\n}", boot->script.text);

    if ((size_t)length >= sizeof(setting)) {
        return command_usage_error(&command_boot,
                                   "--keys: the script does not fit in a plan (%d characters)",
                                   PLAN_TEXT_MAX);
    }
    if (!is_setting(setting, (size_t)length)) {
        return command_usage_error(&command_boot, "--keys: the script contains control characters");
    }
    fprintf(boot->settings, KEY_INPUT_SOURCE "=" PLAN_INPUT_OUTSIDE "\n%s\n", setting);
    return COMMAND_OK;
}

static int refuse_model(const struct boot *boot, const struct sim_model_error *error)
{
    if (error->line == 0) {
        return command_failure(&command_boot, "%s: %s", boot->model, error->text);
    }
    return command_failure(&command_boot, "%s:%zu: %s", boot->model, error->line, error->text);
}

/* Adds the model as a program, and the bench that plays it. */
static int add_model(struct boot *boot)
{
    struct sim_model model;
    struct sim_model_error error;

    if (boot->model == NULL) {
        return boot->model_setting_count == 0
                   ? COMMAND_OK
                   : command_usage_error(&command_boot, "--model-set needs --model");
    }
    if (!sim_model_load(&model, boot->model, boot->model_settings, boot->model_setting_count,
                        &error)) {
        return refuse_model(boot, &error);
    }
    char *program = sim_program_text(&model, boot->model_seed, &error);

    boot->model_processors = model.processors;
    sim_model_free(&model);
    if (program == NULL) {
        return refuse_model(boot, &error);
    }
    fprintf(boot->settings, "%s" BENCH_MODEL "." PARAM_PROGRAM "={%s}\n",
            boot->names_benches ? "" : KEY_BENCH "=" BENCH_MODEL "\n", program);
    free(program);
    return COMMAND_OK;
}

/* Adds the codes of --exec, assembled, and the bench that runs them. */
static int add_exec(struct boot *boot)
{
    char error[EXEC_ERROR_MAX];

    if (boot->exec.codes == 0) {
        return boot->exec.inits == 0
                   ? COMMAND_OK
                   : command_usage_error(&command_boot, "--exec-init needs --exec");
    }
    char *settings = exec_settings(&boot->exec, error);

    if (settings == NULL) {
        return command_usage_error(&command_boot, "--exec: %s", error);
    }
    fprintf(boot->settings, "%s%s", boot->names_benches ? "" : KEY_BENCH "=" BENCH_EXEC "\n",
            settings);
    free(settings);
    return COMMAND_OK;
}

/* Checks the options that --smm needs, and those that need --smm. */
static int check_smm(const struct boot *boot)
{
    if (!boot->smm) {
        return boot->variables == NULL
                   ? COMMAND_OK
                   : command_usage_error(&command_boot, "--variables needs --smm");
    }
    if (strcmp(boot->machine.type, "q35") != 0) {
        return command_usage_error(&command_boot,
                                   "--smm with --machine %s: OVMF supports SMM on q35 only; omit "
                                   "--machine",
                                   boot->machine.type);
    }
    if ((boot->firmware == NULL) != (boot->variables == NULL)) {
        return command_usage_error(&command_boot,
                                   "--smm: firmware with SMM has two files, code (--firmware) and "
                                   "variables (--variables); name both or neither");
    }
    return COMMAND_OK;
}

static int check_count(const struct boot *boot)
{
    if (!boot->counts || boot->events == NULL) {
        return COMMAND_OK;
    }
    return command_usage_error(&command_boot, "--count and --events count the same names; use one");
}

/* The image that was named; else the one built here, else the installed one. */
static int find_image(struct boot *boot)
{
    if (boot->machine.image == NULL) {
        const bool is_installed =
            access(DEFAULT_IMAGE, F_OK) != 0 && installed_file("tare/tare.efi", boot->image_path);

        boot->machine.image = is_installed ? boot->image_path : DEFAULT_IMAGE;
    }
    if (access(boot->machine.image, R_OK) == 0) {
        partial_file_protect(boot->machine.image);
        return COMMAND_OK;
    }
    return command_failure(&command_boot, "cannot read image %s: %s%s", boot->machine.image,
                           strerror(errno), errno == ENOENT ? "; \"make image\" builds it" : "");
}

static int parse_arguments(struct boot *boot, int argc, char **argv)
{
    int own = 1;

    while (own < argc && strcmp(argv[own], "--") != 0) {
        own++;
    }
    if (own < argc) {
        boot->machine.extra = argv + own + 1;
        boot->machine.extra_count = (size_t)(argc - own - 1);
    }
    int status = parse_options(boot, own, argv);

    if (status != COMMAND_OK || boot->lists_profiles) {
        return status;
    }
    status = check_smm(boot);
    if (status == COMMAND_OK) {
        status = check_count(boot);
    }
    if (status == COMMAND_OK) {
        status = set_events(boot);
    }
    if (status == COMMAND_OK) {
        status = add_script(boot);
    }
    if (status == COMMAND_OK) {
        status = add_model(boot);
    }
    if (status == COMMAND_OK) {
        status = add_exec(boot);
    }
    return status == COMMAND_OK ? find_image(boot) : status;
}

/* Reads the plan file, if one was named, to `text`. */
static int read_plan_file(const struct boot *boot, char *text, size_t capacity, size_t *length)
{
    *length = 0;
    if (boot->plan_file == NULL) {
        return COMMAND_OK;
    }
    FILE *file = fopen(boot->plan_file, "r");

    if (file == NULL) {
        return command_failure(&command_boot, "cannot read plan %s: %s", boot->plan_file,
                               strerror(errno));
    }
    partial_file_protect(boot->plan_file);
    *length = fread(text, 1, capacity, file);
    const int cause = ferror(file) != 0 ? errno : 0;

    fclose(file);
    if (cause != 0) {
        return command_failure(&command_boot, "cannot read plan %s: %s", boot->plan_file,
                               strerror(cause));
    }
    text[(*length)++] = '\n';
    return COMMAND_OK;
}

/* The plan of profile, file and command line, with room for the defaults; what comes later
 * overrides. */
static int compose_plan(const struct boot *boot, char text[2 * PLAN_TEXT_MAX])
{
    struct plan plan;
    char error[PLAN_ERROR_MAX];
    size_t from_file;
    size_t length = 0;

    if (boot->profile != NULL && !(boot->by_default && boot->plan_file != NULL)) {
        length = boot_profile_plan(boot->profile, text, PLAN_TEXT_MAX);
    }
    length += (size_t)snprintf(text + length, PLAN_TEXT_MAX - length, "%s",
                               boot->machine.network != NULL ? boot->machine.network->plan : "");
    const int status = read_plan_file(boot, text + length, PLAN_TEXT_MAX, &from_file);

    if (status != COMMAND_OK) {
        return status;
    }
    length += from_file;
    const size_t room = 2 * PLAN_TEXT_MAX - length;

    length += (size_t)snprintf(text + length, room, "%s", boot->settings_text);
    if (length + DEFAULTS_MAX > PLAN_TEXT_MAX) {
        return command_failure(&command_boot,
                               "the plan (--plan file and options) exceeds %d characters",
                               PLAN_TEXT_MAX - DEFAULTS_MAX);
    }
    if (!plan_parse(&plan, text, length, error)) {
        return command_failure(&command_boot, "%s%s%s",
                               boot->plan_file != NULL ? boot->plan_file : "",
                               boot->plan_file != NULL ? ": " : "", error);
    }
    return COMMAND_OK;
}

/* The script is typed in host time, which guest time does not follow in exact mode. An instruction
 * takes 2^shift ns of guest time, and the emulator rarely runs more than one per ns of host time:
 * guest time may pass 2^shift times faster, so the guest has to wait that much longer. */
static uint64_t outside_wait_ms(const struct boot *boot)
{
    const uint64_t length_ms = keys_length_ms(&boot->script);
    const unsigned shift = boot->machine.time == QEMU_EXACT ? boot->machine.shift : 0;

    return ((length_ms + OUTSIDE_WAIT_MS) << shift) - length_ms;
}

/* Adds defaults for settings that the plan lacks: the image answers requests, and how long it waits
 * for input from outside. */
static void add_defaults(const struct boot *boot, char text[2 * PLAN_TEXT_MAX])
{
    struct plan plan;
    char error[PLAN_ERROR_MAX];
    char *end = text + strlen(text);

    plan_parse(&plan, text, strlen(text), error);
    if (plan_value(&plan, KEY_LINK_SERVE) == NULL) {
        end += sprintf(end, KEY_LINK_SERVE "=1\n");
    }
    if (boot->script.text != NULL && plan_value(&plan, KEY_INPUT_WAIT_MS) == NULL) {
        sprintf(end, KEY_INPUT_WAIT_MS "=%llu\n", (unsigned long long)outside_wait_ms(boot));
    }
}

/* Checks the plan by the benches and the rules of the image itself. With --force a plan that is
 * refused is booted, for the image to refuse. */
static int check_plan(struct boot *boot, const char *text)
{
    struct image_benches benches;
    char why[IMAGE_BENCHES_ERROR_MAX];
    char error[PLAN_CHECK_MAX];
    int status = COMMAND_OK;

    if (!image_benches_read(&benches, boot->machine.image, why)) {
        snprintf(boot->unchecked, sizeof(boot->unchecked), "%s", why);
        image_benches_free(&benches);
        return COMMAND_OK;
    }
    registry_use_benches(benches.benches, benches.count);
    if (!plan_check(text, benches.run_keys, benches.run_key_count, error)) {
        if (boot->force) {
            fprintf(stderr, "tare boot: %s; booted by --force\n", error);
        } else {
            status = command_usage_error(&command_boot, "%s", error);
        }
    }
    registry_use_benches(NULL, 0);
    image_benches_free(&benches);
    return status;
}

static void choose_time(struct boot *boot, struct progress *progress)
{
    char reason[KVM_REASON_MAX];

    boot->machine.time = QEMU_EXACT;
    if (boot->mode == MODE_EXACT) {
        return;
    }
    if (kvm_usable(&boot->machine, progress, reason)) {
        boot->machine.time = QEMU_KVM;
        return;
    }
    if (boot->mode == MODE_REAL) {
        boot->machine.time = QEMU_EMULATED;
        progress_note(progress,
                      "no KVM (%s): emulated in host time; this shows only that the image works, "
                      "its times mean nothing",
                      reason);
        return;
    }
    progress_note(progress, "no KVM (%s): exact mode", reason);
}

/* A model of several processors needs as many processors, which run at the same time. */
static int check_processors(const struct boot *boot)
{
    if (boot->model_processors <= 1) {
        return COMMAND_OK;
    }
    if (boot->machine.time == QEMU_EXACT) {
        return command_failure(&command_boot,
                               "%s needs %zu processors at the same time, and exact mode runs them "
                               "in turn; use --mode real",
                               boot->model, boot->model_processors);
    }
    return boot->machine.processors >= boot->model_processors
               ? COMMAND_OK
               : command_failure(&command_boot,
                                 "%s needs %zu processors, but --smp is %u; omit --smp",
                                 boot->model, boot->model_processors, boot->machine.processors);
}

/* Finds the plugin of --count. */
static int prepare_count(struct boot *boot)
{
    char error[QEMU_ERROR_MAX];

    if (!boot->counts) {
        return COMMAND_OK;
    }
    if (boot->machine.time != QEMU_EXACT) {
        return command_failure(&command_boot,
                               "--count counts in exact mode only; use --mode exact");
    }
    if (boot->machine.processors > 1) {
        return command_failure(&command_boot, "--count counts one processor, but --smp is %u",
                               boot->machine.processors);
    }
    if (!plugin_find(boot->program_path, boot->plugin_path, error)) {
        return command_failure(&command_boot, "--count: %s", error);
    }
    boot->machine.plugin = boot->plugin_path;
    return COMMAND_OK;
}

static void announce(const struct boot *boot, struct progress *progress)
{
    const struct qemu_machine *machine = &boot->machine;
    if (boot->unchecked[0] != '\0') {
        progress_note(progress, "the plan is not checked before the boot: image %s: %s",
                      machine->image, boot->unchecked);
    }
    if (boot->by_default && boot->plan_file == NULL) {
        progress_note(progress, "profile %s, as no benches were chosen; --profile list has more",
                      boot->profile->name);
    }
    if (machine->time == QEMU_EXACT) {
        progress_note(progress, "booting %s: exact, %u ns an instruction", machine->image,
                      1u << machine->shift);
    } else {
        progress_note(progress, "booting %s: %s", machine->image,
                      machine->time == QEMU_KVM ? "KVM" : "emulated");
    }
    if (machine->time == QEMU_EXACT && boot->script.text != NULL) {
        progress_note(progress, "--keys types by the host's clock: input times differ from run to "
                                "run, even in exact mode");
    }
    /* QEMU before 8.1 may run only the first processor (accel/tcg: "ensure fairness with icount",
     * May 2023), and with SMM the firmware waits for the others. */
    if (machine->time == QEMU_EXACT && boot->smm && machine->processors > 1) {
        progress_note(progress, "QEMU before 8.1 may hang in firmware with --smm and more than one "
                                "processor in exact mode; if it hangs, use --smp 1 or --mode real");
    }
}

/* Is the disk of the log full? QEMU drops silently what it cannot write. */
static bool log_is_full(const char *log)
{
    const int descriptor = open(log, O_WRONLY | O_CLOEXEC);
    struct stat status;
    int cause = 0;

    if (descriptor < 0) {
        return false;
    }
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        cause = fallocate(descriptor, 0, status.st_size, 1) != 0 ? errno : 0;
        cause = ftruncate(descriptor, status.st_size) != 0 ? errno : cause;
    }
    close(descriptor);
    errno = cause;
    return cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
}

/* Before the image's first byte only firmware runs, and what emulates it. */
static void explain_silence(const struct boot *boot)
{
    const unsigned processors = boot->machine.processors;

    command_failure(
        &command_boot,
        "in %llu s firmware did not come to the image: %u processor%s; fewer (--smp), a "
        "larger --timeout or other --firmware may help",
        (unsigned long long)boot->timeout_s, processors, processors == 1 ? "" : "s");
}

/* Prints why the run is incomplete, as far as QEMU knows. `silent`: the line brought nothing. */
static void explain(const struct boot *boot, const struct guest_result *result, const char *log,
                    bool silent)
{
    const int status = result->status;

    if (log_is_full(log)) {
        command_failure(&command_boot,
                        "cannot write %s: %s; free space and boot again, or use another --log", log,
                        strerror(errno));
    }

    if (result->end == SESSION_TIMED_OUT && silent) {
        explain_silence(boot);
    } else if (result->end == SESSION_TIMED_OUT) {
        command_failure(&command_boot,
                        "stopped after %llu s; a longer run needs a larger --timeout",
                        (unsigned long long)boot->timeout_s);
    } else if (result->end == SESSION_CLOSED && WIFSIGNALED(status)) {
        command_failure(&command_boot, "signal %d killed QEMU before the run ended",
                        WTERMSIG(status));
    } else if (result->end == SESSION_CLOSED) {
        command_failure(&command_boot, "QEMU exited with status %d before the run ended",
                        WEXITSTATUS(status));
    } else {
        command_failure(&command_boot, "%s", session_end_text(result->end));
    }
    if ((result->end == SESSION_CLOSED || silent) && result->messages[0] != '\0') {
        fprintf(stderr, "QEMU printed:\n%s", result->messages);
    }
}

static int check_typing(const struct guest_result *result)
{
    if (result->typing_error[0] != '\0') {
        return command_failure(&command_boot, "--keys: typing the script failed: %s",
                               result->typing_error);
    }
    if (result->typed == 0) {
        return command_failure(&command_boot, "--keys: no bench waited for input; select one that "
                                              "does, such as --bench echo");
    }
    return COMMAND_OK;
}

/* A run file that exists is not mistaken for this run's. */
static int report_no_run(const struct logfile *files, const char *why)
{
    const bool is_old = access(files->output, F_OK) == 0;

    return command_failure(&command_boot, "%s: no run file written%s%s%s", why, is_old ? "; " : "",
                           is_old ? files->output : "", is_old ? " left unchanged" : "");
}

/* `files` are open. */
static int run_and_store(struct boot *boot, const char *plan, const struct logfile *files,
                         const char *rows, struct progress *progress)
{
    struct decoder *decoder = decoder_create();
    struct decoder_counts counts;
    struct guest_result result;
    char error[QEMU_ERROR_MAX];
    const struct guest_run run = {
        .machine = &boot->machine,
        .plan = plan,
        .log = files->log,
        .timeout_ms = boot->timeout_s * 1000,
        .script = boot->script.text != NULL ? &boot->script : NULL,
        .rows = rows,
        .resumes = !boot->full_boot,
    };
    int status = COMMAND_FAILED;

    announce(boot, progress);
    if (!guest_run(&run, decoder, progress, &result, error)) {
        decoder_destroy(decoder);
        return report_no_run(files, error);
    }
    progress_finish(progress);
    decoder_get_counts(decoder, &counts);
    if (result.end != SESSION_COMPLETE) {
        explain(boot, &result, files->log, counts.bytes == 0);
    }
    if (counts.bytes > 0) {
        if (!surroundings_note(decoder, &boot->machine)) {
            progress_note(progress, "%s --version states no version: the run file has none",
                          boot->machine.program);
        }
        status = command_store_run(&command_boot, decoder,
                                   &(struct run_target){
                                       .output = files->output,
                                       .force = boot->force,
                                       .rows = rows,
                                       .plan = plan,
                                       .report = ci_report_wanted(&boot->ci),
                                       .written = boot->written,
                                       .brief = true,
                                   },
                                   files->log);
    } else {
        report_no_run(files, "received nothing over the serial line");
    }
    decoder_destroy(decoder);
    return boot->script.text != NULL && status == COMMAND_OK ? check_typing(&result) : status;
}

/* Of a plugin there is a file of rows, for as long as the run is not stored. */
static int run_with_rows(struct boot *boot, const char *plan, const struct logfile *files,
                         struct progress *progress)
{
    struct temporary folder = {0};
    char rows[TEMPORARY_PATH_MAX];

    if (boot->machine.plugin == NULL) {
        return run_and_store(boot, plan, files, NULL, progress);
    }
    if (!temporary_create(&folder)) {
        return command_failure(&command_boot,
                               "cannot make a temporary folder: %s (is TMPDIR right?)",
                               strerror(errno));
    }
    temporary_name(&folder, "rows", rows);
    const int status = run_and_store(boot, plan, files, rows, progress);

    temporary_remove(&folder);
    return status;
}

static bool find_firmware(struct boot *boot, char error[QEMU_ERROR_MAX])
{
    boot->machine.firmware = boot->firmware_path;
    if (!boot->smm) {
        return qemu_find_firmware(boot->firmware, boot->firmware_path, error);
    }
    boot->machine.variables = boot->variables_path;
    return qemu_find_smm_firmware(boot->firmware, boot->variables, boot->firmware_path,
                                  boot->variables_path, error);
}

/* What all boots share, checked before the log of an earlier run is emptied. */
static int prepare(struct boot *boot, struct progress *progress)
{
    char error[QEMU_ERROR_MAX];

    if (!qemu_find_program(boot->program, boot->program_path, error) ||
        !find_firmware(boot, error)) {
        return command_failure(&command_boot, "%s", error);
    }
    boot->machine.program = boot->program_path;
    if (boot->machine.processors == 0) {
        boot->machine.processors =
            boot->model_processors > 1 ? (unsigned)boot->model_processors : 1;
    }
    interrupt_catch();
    progress_start(progress);
    choose_time(boot, progress);
    int status = check_processors(boot);

    if (status == COMMAND_OK) {
        status = prepare_count(boot);
    }
    if (status == COMMAND_OK && interrupt_seen()) {
        return command_failure(&command_boot, "%s", session_end_text(SESSION_INTERRUPTED));
    }
    return status;
}

static int boot_once(struct boot *boot, const char *plan, const char *log, const char *output,
                     struct progress *progress)
{
    char error[LOGFILE_ERROR_MAX];
    struct logfile files;

    if (!logfile_open(&files, log, output, error)) {
        return command_failure(&command_boot, "%s", error);
    }
    if (files.kept[0] != '\0') {
        progress_note(progress, "%s.new is from an unknown run: kept as %s", files.log, files.kept);
    }
    const int status = run_with_rows(boot, plan, &files, progress);

    logfile_close(&files);
    return status;
}

/* ---- several boots ---- */

/* What --interleave names: an EFI program or a disk, else a plan. */
static bool is_image(const char *path)
{
    const char *dot = strrchr(path, '.');
    char magic[2] = "";
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return false;
    }
    const bool is_program = fread(magic, 1, sizeof(magic), file) == sizeof(magic) &&
                            memcmp(magic, "MZ", sizeof(magic)) == 0;

    fclose(file);
    return is_program || (dot != NULL && strcmp(dot, ".img") == 0);
}

/* One side: an image and a plan. */
struct boot_side {
    const char *image;
    char plan[2 * PLAN_TEXT_MAX];
    char unchecked[IMAGE_BENCHES_ERROR_MAX]; /* as struct boot has it */
};

static void take_side(struct boot *boot, const struct boot_side *side)
{
    boot->machine.image = side->image;
    memcpy(boot->unchecked, side->unchecked, sizeof(boot->unchecked));
}

/* Of the image and the plan file that `boot` has now. */
static int compose_side(struct boot *boot, struct boot_side *side)
{
    int status = compose_plan(boot, side->plan);

    boot->unchecked[0] = '\0';
    if (status == COMMAND_OK) {
        status = check_plan(boot, side->plan);
    }
    side->image = boot->machine.image;
    memcpy(side->unchecked, boot->unchecked, sizeof(side->unchecked));
    return status;
}

static int compose_sides(struct boot *boot, struct boot_side sides[2])
{
    const char *plan_file = boot->plan_file;
    int status = compose_side(boot, &sides[0]);

    if (status != COMMAND_OK || boot->other == NULL) {
        return status;
    }
    if (is_image(boot->other)) {
        boot->machine.image = boot->other;
        partial_file_protect(boot->other);
    } else {
        boot->plan_file = boot->other;
    }
    status = compose_side(boot, &sides[1]);
    boot->plan_file = plan_file;
    take_side(boot, &sides[0]);
    return status;
}

/* A command that judges what was booted. */
static void print_next(const struct boot_series *series, const char *output)
{
    const size_t count = boot_series_count(series);
    struct long_text text;

    if (count < 2) {
        return;
    }
    long_text_open(&text);
    for (size_t side = 0; side < (series->interleaved ? 2 : 1); side++) {
        fputs(side > 0 ? " --" : "", text.out);
        for (size_t i = 0; i < count; i++) {
            char *name = boot_series_name(series, i, output);

            if (boot_series_is_b(series, i) == (side > 0)) {
                fprintf(text.out, " %s", name);
            }
            free(name);
        }
    }
    fprintf(stderr, "tare boot: %zu boots; next: tare compare%s%s\n", count,
            series->interleaved ? "" : " --aa", long_text_close(&text));
    long_text_free(&text);
}

/* A boot that fails does not end the series. */
static int boot_series_run(struct boot *boot, const struct boot_side sides[2])
{
    const size_t count = boot_series_count(&boot->series);
    char error[LOGFILE_ERROR_MAX];
    struct logfile names;
    struct progress progress;
    int worst = COMMAND_OK;

    if (!logfile_names(&names, boot->log, boot->output, error)) {
        return command_failure(&command_boot, "%s", error);
    }
    for (size_t i = 0; i < count && !interrupt_seen(); i++) {
        const struct boot_side *side = &sides[boot_series_is_b(&boot->series, i)];
        char *log = boot_series_name(&boot->series, i, names.log);
        char *output = boot_series_name(&boot->series, i, names.output);

        fprintf(stderr, "tare boot: boot %zu of %zu: %s\n", i + 1, count, output);
        take_side(boot, side);
        progress_start(&progress);
        const int status = boot_once(boot, side->plan, log, output, &progress);

        worst = status > worst ? status : worst;
        free(log);
        free(output);
    }
    if (interrupt_seen()) {
        return worst > COMMAND_FAILED ? worst : COMMAND_FAILED;
    }
    print_next(&boot->series, names.output);
    return worst;
}

/* Does any option choose benches, as a role does? The settings are written. */
static bool chooses_benches(const struct boot *boot)
{
    struct plan plan;
    char error[PLAN_ERROR_MAX];

    return boot->plan_file != NULL ||
           (plan_parse(&plan, boot->settings_text, boot->settings_length, error) &&
            (plan_value(&plan, KEY_BENCH) != NULL || plan_value(&plan, KEY_ROLE) != NULL));
}

/* Chooses the default profile, where one is needed. Then the machine that suits the profile, where
 * the options leave it open. */
static void apply_profile(struct boot *boot)
{
    struct qemu_machine *machine = &boot->machine;

    if (boot->profile == NULL && !chooses_benches(boot)) {
        boot->by_default = true;
        boot->profile =
            boot_profile_find(machine->network != NULL ? PROFILE_NETWORK : PROFILE_QUICK);
    }
    const struct boot_profile *profile = boot->profile;

    if (profile == NULL) {
        return;
    }
    if (profile->mode != NULL && !boot->has_mode) {
        set_mode(boot, profile->mode);
    }
    if (profile->shift != 0 && !boot->has_shift) {
        machine->shift = profile->shift;
    }
    if (profile->memory_mib != 0 && !boot->has_memory) {
        machine->memory_mib = profile->memory_mib;
    }
    if (machine->processors == 0) {
        machine->processors = profile->processors;
    }
    if (machine->network == NULL && profile->network != NULL) {
        machine->network = qemu_network_find(profile->network);
    }
}

static int boot_machine(struct boot *boot)
{
    struct boot_side *sides = alloc_zeroed(2 * sizeof(*sides));
    struct progress progress;
    int status = compose_sides(boot, sides);

    if (status == COMMAND_OK) {
        status = prepare(boot, &progress);
    }
    if (status == COMMAND_OK) {
        add_defaults(boot, sides[0].plan);
        if (boot->other != NULL) {
            add_defaults(boot, sides[1].plan);
        }
        status = boot->is_series
                     ? boot_series_run(boot, sides)
                     : boot_once(boot, sides[0].plan, boot->log, boot->output, &progress);
    }
    free(sides);
    if (boot->profile == NULL || boot->is_series || boot->written[0] == '\0' ||
        ci_has_output(&boot->ci)) {
        return status;
    }
    const int shown = page_file_show_run(&command_boot, boot->written);

    return status == COMMAND_OK ? shown : status;
}

static int boot_main(int argc, char **argv)
{
    struct boot boot = {
        .machine =
            {
                .shift = DEFAULT_SHIFT,
                .type = "q35",
                .memory_mib = DEFAULT_MEMORY_MIB,
            },
        .timeout_s = DEFAULT_TIMEOUT_S,
        .model_seed = 1,
        .series = {.repeat = 1},
    };

    boot.settings = open_memstream(&boot.settings_text, &boot.settings_length);
    if (boot.settings == NULL) {
        return command_failure(&command_boot, "%s", strerror(errno));
    }
    int status = parse_arguments(&boot, argc, argv);

    fclose(boot.settings);
    if (boot.lists_profiles) {
        boot_profiles_list(stdout);
    } else if (status == COMMAND_OK) {
        apply_profile(&boot);
        status = ci_finish(&command_boot, &boot.ci, boot_machine(&boot));
    }
    free(boot.settings_text);
    keys_free(&boot.script);
    return status;
}

const struct command command_boot = {
    .name = "boot",
    .summary = "boot the image in QEMU and capture its run",
    .help = help,
    .main = boot_main,
};
