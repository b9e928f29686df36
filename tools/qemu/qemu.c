/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/base/interrupt.h"
#include "tools/base/line.h"
#include "tools/base/monotonic.h"
#include "tools/base/texts.h"

#define POLL_MS      10
#define TERMINATE_MS 2000
#define KILL_MS      5000
#define ASK_MS       30000 /* time for a program to state its version or its options */
#define EXEC_FAILED  127

static const char default_program[] = "qemu-system-x86_64";

/* OVMF with code and variables in one file, as -bios takes it */
static const char *const firmware_paths[] = {
    "/usr/share/ovmf/OVMF.fd", /* Debian, Ubuntu */
    "/usr/share/OVMF/OVMF.fd",
    "/usr/share/edk2/x64/OVMF.4m.fd", /* Arch */
    "/usr/share/edk2/x64/OVMF.fd",
    "/usr/share/edk2-ovmf/x64/OVMF.fd",
    "/usr/share/edk2/ovmf/OVMF.amdsev.fd", /* Fedora's only build in one file */
    "/usr/share/qemu/ovmf-x86_64.bin",     /* openSUSE */
};

/* OVMF's builds with SMM, as two files for flash: code, and a variable store without keys, so that
 * an unsigned image boots */
static const struct {
    const char *code, *variables;
} smm_firmware_paths[] = {
    /* Debian, Ubuntu; their older pair of 2 MiB does not start */
    {"/usr/share/OVMF/OVMF_CODE_4M.secboot.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"},
    /* Arch */
    {"/usr/share/edk2/x64/OVMF_CODE.secboot.4m.fd", "/usr/share/edk2/x64/OVMF_VARS.4m.fd"},
    {"/usr/share/edk2/x64/OVMF_CODE.secboot.fd", "/usr/share/edk2/x64/OVMF_VARS.fd"},
    {"/usr/share/edk2-ovmf/x64/OVMF_CODE.secboot.fd", "/usr/share/edk2-ovmf/x64/OVMF_VARS.fd"},
    /* Fedora */
    {"/usr/share/edk2/ovmf/OVMF_CODE.secboot.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd"},
    /* Gentoo */
    {"/usr/share/edk2-ovmf/OVMF_CODE.secboot.fd", "/usr/share/edk2-ovmf/OVMF_VARS.fd"},
    /* openSUSE */
    {"/usr/share/qemu/ovmf-x86_64-smm-code.bin", "/usr/share/qemu/ovmf-x86_64-smm-vars.bin"},
    /* firmware bundled with QEMU, where the distribution ships it */
    {"/usr/share/qemu/edk2-x86_64-secure-code.fd", "/usr/share/qemu/edk2-i386-vars.fd"},
};

/* The arguments of a command; the list ends with NULL. */
struct arguments {
    char **item;
    size_t count, capacity;
};

static void add(struct arguments *arguments, char *text)
{
    arguments->item =
        alloc_grow(arguments->item, &arguments->capacity, arguments->count + 2, sizeof(char *));
    arguments->item[arguments->count++] = alloc_checked(text);
    arguments->item[arguments->count] = NULL;
}

/* Adds an option and its value. */
__attribute__((format(printf, 3, 4))) static void
add_option(struct arguments *arguments, const char *name, const char *format, ...)
{
    va_list values;
    char *text;

    va_start(values, format);
    if (vasprintf(&text, format, values) < 0) {
        abort();
    }
    va_end(values);
    add(arguments, strdup(name));
    add(arguments, text);
}

/* Returns a file's name with each comma doubled, as QEMU's option syntax needs it. The caller frees
 * it. */
static char *doubled(const char *path)
{
    char *text = alloc_zeroed(2 * strlen(path) + 1);

    for (char *out = text; *path != '\0'; path++) {
        *out++ = *path;
        if (*path == ',') {
            *out++ = ',';
        }
    }
    return text;
}

static void add_file_option(struct arguments *arguments, const char *name, const char *before,
                            const char *path, const char *behind)
{
    char *file = doubled(path);

    add_option(arguments, name, "%s%s%s", before, file, behind);
    free(file);
}

static void arguments_free(struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        free(arguments->item[i]);
    }
    free(arguments->item);
}

static bool is_program(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static bool find_on_path(const char *name, char path[QEMU_PATH_MAX])
{
    const char *folders = getenv("PATH");

    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");

        snprintf(path, QEMU_PATH_MAX, "%.*s/%s", (int)length, folders, name);
        if (length > 0 && is_program(path)) {
            return true;
        }
        folders += length + (folders[length] == ':' ? 1 : 0);
    }
    return false;
}

bool qemu_find_program(const char *wanted, char path[QEMU_PATH_MAX], char error[QEMU_ERROR_MAX])
{
    const char *name = wanted != NULL ? wanted : default_program;

    if (strchr(name, '/') != NULL) {
        snprintf(path, QEMU_PATH_MAX, "%s", name);
        if (is_program(path)) {
            return true;
        }
        snprintf(error, QEMU_ERROR_MAX, "cannot run %.300s: %s", name,
                 access(name, F_OK) == 0 ? "not an executable file" : strerror(errno));
        return false;
    }
    if (find_on_path(name, path)) {
        return true;
    }
    snprintf(error, QEMU_ERROR_MAX,
             "%.300s is not on PATH; install QEMU (Debian: apt install qemu-system-x86) or name it "
             "with --qemu",
             name);
    return false;
}

static bool is_readable(const char *path, char error[QEMU_ERROR_MAX])
{
    if (access(path, R_OK) == 0) {
        return true;
    }
    snprintf(error, QEMU_ERROR_MAX, "cannot read %.300s: %s", path, strerror(errno));
    return false;
}

bool qemu_find_firmware(const char *wanted, char path[QEMU_PATH_MAX], char error[QEMU_ERROR_MAX])
{
    if (wanted != NULL) {
        snprintf(path, QEMU_PATH_MAX, "%s", wanted);
        return is_readable(path, error);
    }
    for (size_t i = 0; i < sizeof(firmware_paths) / sizeof(firmware_paths[0]); i++) {
        if (is_readable(firmware_paths[i], error)) {
            snprintf(path, QEMU_PATH_MAX, "%s", firmware_paths[i]);
            return true;
        }
    }
    snprintf(error, QEMU_ERROR_MAX,
             "no UEFI firmware for QEMU found; install OVMF (Debian: apt install ovmf) or name a "
             "file with --firmware");
    return false;
}

bool qemu_find_smm_firmware(const char *wanted, const char *wanted_variables,
                            char path[QEMU_PATH_MAX], char variables[QEMU_PATH_MAX],
                            char error[QEMU_ERROR_MAX])
{
    if (wanted != NULL) {
        snprintf(path, QEMU_PATH_MAX, "%s", wanted);
        snprintf(variables, QEMU_PATH_MAX, "%s", wanted_variables);
        return is_readable(path, error) && is_readable(variables, error);
    }
    for (size_t i = 0; i < sizeof(smm_firmware_paths) / sizeof(smm_firmware_paths[0]); i++) {
        if (is_readable(smm_firmware_paths[i].code, error) &&
            is_readable(smm_firmware_paths[i].variables, error)) {
            snprintf(path, QEMU_PATH_MAX, "%s", smm_firmware_paths[i].code);
            snprintf(variables, QEMU_PATH_MAX, "%s", smm_firmware_paths[i].variables);
            return true;
        }
    }
    snprintf(error, QEMU_ERROR_MAX,
             "no UEFI firmware with SMM found for QEMU; install OVMF (Debian: apt install ovmf) or "
             "name its two files with --firmware and --variables");
    return false;
}

/* Runs in the child: becomes the command, or exits. The child has a separate process group, so that
 * Ctrl-C reaches only this program, and it dies with this program. */
static _Noreturn void become(char *const *arguments, int output)
{
    const int input = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    interrupt_release();
    if (input < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0) {
        _exit(EXEC_FAILED);
    }
    execv(arguments[0], arguments);
    dprintf(STDERR_FILENO, "%s: %s\n", arguments[0], strerror(errno));
    _exit(EXEC_FAILED);
}

static void start(struct qemu *process, char *const *arguments, int output)
{
    *process = (struct qemu){.pid = fork()};
    if (process->pid == 0) {
        become(arguments, output);
    }
    process->running = process->pid > 0;
    if (process->running) {
        /* also done in the child, so that it is set before either goes on */
        setpgid(process->pid, process->pid);
    }
}

/* Returns what `program option` prints, which the caller frees. Returns NULL if it fails or does
 * not end within ASK_MS. */
static char *output_of(const char *program, const char *option)
{
    char *const arguments[] = {(char *)program, (char *)option, NULL};
    const uint64_t limit = monotonic_ms() + ASK_MS;
    struct qemu process;
    struct long_text text;
    struct line line;
    ssize_t count = 0;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return NULL;
    }
    start(&process, arguments, ends[1]);
    close(ends[1]);
    line_from_descriptor(&line, ends[0]);
    long_text_open(&text);
    /* The process may leave a child that holds the pipe open. */
    for (bool lives = true; count >= 0 && (lives || count > 0) && monotonic_ms() < limit;) {
        char piece[4096];

        lives = qemu_running(&process);
        count = line_read(&line, (uint8_t *)piece, sizeof(piece), POLL_MS);
        fwrite(piece, 1, count > 0 ? (size_t)count : 0, text.out);
    }
    line_close(&line);
    long_text_close(&text);
    const bool ended = qemu_stop(&process, count < 0 ? TERMINATE_MS : 0) == NULL;

    if (process.pid <= 0 || !ended || process.status != 0) {
        long_text_free(&text);
        return NULL;
    }
    return text.text;
}

bool qemu_version(const char *program, char *version, size_t capacity)
{
    char *output = output_of(program, "--version");
    const bool found = output != NULL && output[0] != '\0';

    if (found) {
        snprintf(version, capacity, "%.*s", (int)strcspn(output, "\n"), output);
    }
    free(output);
    return found;
}

bool qemu_has_option(const char *program, const char *option)
{
    char *output = output_of(program, "-help");
    const size_t length = strlen(option);
    bool found = false;

    for (const char *line = output; line != NULL && !found; line = strchr(line, '\n')) {
        line += line[0] == '\n' ? 1 : 0;
        found = strncmp(line, option, length) == 0 && line[length] == ' ';
    }
    free(output);
    return found;
}

static void add_time(struct arguments *arguments, const struct qemu_machine *machine)
{
    const char *cpu = machine->cpu;

    if (machine->time == QEMU_KVM) {
        add_option(arguments, "-accel", "kvm");
        /* without migratable=off QEMU hides that the TSC is invariant */
        add_option(arguments, "-cpu", "%s", cpu != NULL ? cpu : "host,migratable=off");
        return;
    }
    if (machine->time == QEMU_EMULATED) {
        add_option(arguments, "-accel", "tcg");
        add_option(arguments, "-cpu", "%s", cpu != NULL ? cpu : "max");
        return;
    }
    /* Everything through which the host could affect the run is off: its clock, its random numbers,
     * its threads. MWAIT is off too: firmware parks the other processors in it, and QEMU lets them
     * spin there, which would take virtual time from the processor that measures. */
    add_option(arguments, "-accel", "tcg,thread=single");
    add_option(arguments, "-cpu", "%s,-rdrand,-rdseed,-monitor", cpu != NULL ? cpu : "max");
    add_option(arguments, "-seed", "1");
    add_option(arguments, "-icount", "shift=%u,sleep=off", machine->shift);
    add_option(arguments, "-rtc", "base=2024-01-01T00:00:00,clock=vm");
}

static void add_firmware(struct arguments *arguments, const struct qemu_machine *machine,
                         const struct qemu_files *files)
{
    if (machine->variables == NULL) {
        add_option(arguments, "-bios", "%s",
                   files->firmware != NULL ? files->firmware : machine->firmware);
        return;
    }
    /* Only code in SMM may write to flash; the SMM build relies on that. */
    add_option(arguments, "-global", "driver=cfi.pflash01,property=secure,value=on");
    add_file_option(arguments, "-drive",
                    "if=pflash,unit=0,format=raw,readonly=on,file=", machine->firmware, "");
    add_file_option(arguments, "-drive", "if=pflash,unit=1,format=raw,file=", files->variables, "");
}

bool qemu_is_disk(const char *image)
{
    return text_ends(image, ".img");
}

static void add_image(struct arguments *arguments, const char *image)
{
    if (!qemu_is_disk(image)) {
        add_option(arguments, "-kernel", "%s", image);
        return;
    }
    add_file_option(arguments, "-drive", "if=none,id=disk,format=raw,snapshot=on,file=", image, "");
    add_option(arguments, "-device", "ich9-ahci,id=ahci");
    add_option(arguments, "-device", "ide-hd,drive=disk,bus=ahci.0,bootindex=1");
}

static void add_plugin(struct arguments *arguments, const struct qemu_machine *machine,
                       const struct qemu_files *files)
{
    char *plugin = doubled(machine->plugin);
    char *rows = doubled(files->rows);

    add_option(arguments, "-plugin", "%s,out=%s", plugin, rows);
    free(plugin);
    free(rows);
}

static void add_saved_memory(struct arguments *arguments, const struct qemu_machine *machine,
                             const struct qemu_files *files)
{
    char before[96];

    snprintf(before, sizeof(before),
             "memory-backend-file,id=ram,size=%uM,share=%s,mem-path=", machine->memory_mib,
             files->saves ? "on" : "off");
    add_file_option(arguments, "-object", before, files->saved, "/ram");
    if (files->saves) {
        add_option(arguments, "-action", "shutdown=pause");
    } else {
        add_option(arguments, "-incoming", "defer");
    }
}

/* Adds the plan, or the request that the image holds where it would look for one. */
static void add_plan(struct arguments *arguments, const struct qemu_files *files)
{
    if (files->saves) {
        add_option(arguments, "-fw_cfg", "name=opt/tare/hold,string=1");
    } else {
        add_file_option(arguments, "-fw_cfg", "name=opt/tare/plan,file=", files->plan, "");
    }
}

static void add_line(struct arguments *arguments, const struct qemu_files *files)
{
    if (files->tty != NULL) {
        add_file_option(arguments, "-chardev", "serial,id=line,path=", files->tty, "");
    } else if (files->saved == NULL) {
        add_file_option(arguments, "-chardev", "pipe,id=line,path=", files->line, "");
    } else if (files->saves) {
        add_file_option(arguments, "-chardev", "file,id=line,path=", files->saved, "/serial");
    } else {
        add_option(arguments, "-chardev", "null,id=line");
    }
    add_option(arguments, "-serial", "chardev:line");
}

static struct arguments command_line(const struct qemu_machine *machine,
                                     const struct qemu_files *files)
{
    struct arguments arguments = {0};

    add(&arguments, strdup(machine->program));
    add_option(&arguments, "-machine", "%s,smm=%s%s", machine->type,
               machine->variables != NULL ? "on" : "off",
               files->saved != NULL ? ",memory-backend=ram" : "");
    add_time(&arguments, machine);
    add_option(&arguments, "-smp", "%u", machine->processors);
    add_option(&arguments, "-m", "%u", machine->memory_mib);
    add(&arguments, strdup("-nodefaults"));
    add(&arguments, strdup("-no-reboot"));
    add_option(&arguments, "-display", "none");
    add_option(&arguments, "-net", "none");
    add_firmware(&arguments, machine, files);
    add_image(&arguments, machine->image);
    if (files->saved != NULL) {
        add_saved_memory(&arguments, machine, files);
    }
    add_plan(&arguments, files);
    add_line(&arguments, files);
    if (files->qmp != NULL) {
        add_file_option(&arguments, "-chardev",
                        "socket,id=qmp,server=on,wait=off,path=", files->qmp, "");
        add_option(&arguments, "-mon", "chardev=qmp,mode=control");
    }
    if (machine->plugin != NULL) {
        add_plugin(&arguments, machine, files);
    }
    for (size_t i = 0; machine->network != NULL && machine->network->arguments[i] != NULL; i++) {
        add(&arguments, strdup(machine->network->arguments[i]));
    }
    if (machine->gdb_port != 0) {
        add(&arguments, strdup("-S"));
        add_option(&arguments, "-gdb", "tcp:127.0.0.1:%u", machine->gdb_port);
    }
    for (size_t i = 0; i < machine->extra_count; i++) {
        add(&arguments, strdup(machine->extra[i]));
    }
    return arguments;
}

void qemu_write_command(const struct qemu_machine *machine, const struct qemu_files *files,
                        FILE *out)
{
    struct arguments arguments = command_line(machine, files);

    for (size_t i = 0; i < arguments.count; i++) {
        fprintf(out, "%s\n", arguments.item[i]);
    }
    arguments_free(&arguments);
}

bool qemu_start_command(struct qemu *qemu, char *const *arguments, const char *messages,
                        char error[QEMU_ERROR_MAX])
{
    const int output = open(messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (output < 0) {
        snprintf(error, QEMU_ERROR_MAX, "%.300s: %s", messages, strerror(errno));
        return false;
    }
    start(qemu, arguments, output);
    if (!qemu->running) {
        snprintf(error, QEMU_ERROR_MAX, "cannot start %.300s: %s", arguments[0], strerror(errno));
    }
    close(output);
    return qemu->running;
}

bool qemu_start(struct qemu *qemu, const struct qemu_machine *machine,
                const struct qemu_files *files, char error[QEMU_ERROR_MAX])
{
    struct arguments arguments = command_line(machine, files);
    const bool started = qemu_start_command(qemu, arguments.item, files->messages, error);

    arguments_free(&arguments);
    return started;
}

bool qemu_running(struct qemu *qemu)
{
    if (qemu->running && waitpid(qemu->pid, &qemu->status, WNOHANG) == qemu->pid) {
        qemu->running = false;
    }
    return qemu->running;
}

static void wait_for(struct qemu *qemu, unsigned wait_ms)
{
    const uint64_t limit = monotonic_ms() + wait_ms;

    while (qemu_running(qemu) && monotonic_ms() < limit) {
        sleep_ms(POLL_MS);
    }
}

const char *qemu_stop(struct qemu *qemu, unsigned wait_ms)
{
    wait_for(qemu, wait_ms);
    if (!qemu->running) {
        return NULL;
    }
    kill(-qemu->pid, SIGTERM);
    wait_for(qemu, TERMINATE_MS);
    if (!qemu->running) {
        return "terminated";
    }
    kill(-qemu->pid, SIGKILL);
    wait_for(qemu, KILL_MS);
    return qemu->running ? "killed, but the process still exists" : "killed";
}

#define NIC_0 "e1000e,netdev=net0,romfile="
#define NIC_1 "e1000e,netdev=net1,romfile="

static const char *const hub[] = {
    "-netdev", "hubport,id=net0,hubid=0",
    "-netdev", "hubport,id=net1,hubid=0",
    "-device", NIC_0,
    "-device", NIC_1,
    NULL,
};

static const char cable[] = "dgram,id=net0,local.type=inet,local.host=127.0.0.1,local.port=7102,"
                            "remote.type=inet,remote.host=127.0.0.1,remote.port=7103";

static const char *const peer[] = {
    "-netdev", cable, "-device", NIC_0, NULL,
};

/* The guest reaches the host at 10.0.2.2. restrict=on is not used, because it drops the datagrams
 * of link.udp; the guest sends only to addresses of its plan. */
static const char *const user[] = {
    "-netdev", "user,id=net0,ipv6=off", "-device", NIC_0, NULL,
};

static const struct qemu_network networks[] = {
    {"hub", hub, "net.use=eth0,eth1\n"},
    {"peer", peer, "net.use=eth0\nnet.peer=10.9.0.2\n"},
    {"user", user, "net.use=eth0\nnet.address=10.0.2.15/24\nnet.peer=10.0.2.2\n"},
};

const struct qemu_network *qemu_network_find(const char *name)
{
    for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
        if (strcmp(networks[i].name, name) == 0) {
            return &networks[i];
        }
    }
    return NULL;
}

#define FOUR_GIB   (UINT64_C(1) << 32)
#define FILE_BYTES ((off_t)(FOUR_GIB - FIRMWARE_TPM_ADDRESS))
#define BLOCK      4096

static bool write_ones(int file)
{
    uint8_t ones[BLOCK];

    memset(ones, 0xff, sizeof(ones));
    for (size_t written = 0; written < FIRMWARE_TPM_BYTES; written += sizeof(ones)) {
        if (write(file, ones, sizeof(ones)) != (ssize_t)sizeof(ones)) {
            return false;
        }
    }
    return true;
}

/* Copies the firmware to the end of the file. Also returns false if the source ends before `bytes`.
 */
static bool copy_to_end(int from, int to, off_t bytes)
{
    uint8_t block[BLOCK];

    if (lseek(to, FILE_BYTES - bytes, SEEK_SET) < 0) {
        return false;
    }
    while (bytes > 0) {
        const ssize_t length = read(from, block, sizeof(block));

        if (length <= 0 || write(to, block, (size_t)length) != length) {
            return false;
        }
        bytes -= length;
    }
    return true;
}

static bool place(int from, off_t bytes, const char *target)
{
    const int to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (to < 0) {
        return false;
    }
    const bool written = write_ones(to) && copy_to_end(from, to, bytes);

    return close(to) == 0 && written;
}

bool firmware_without_tpm(const char *source, const char *target)
{
    const int from = open(source, O_RDONLY | O_CLOEXEC);
    struct stat status;

    if (from < 0 || fstat(from, &status) != 0) {
        if (from >= 0) {
            close(from);
        }
        return false;
    }
    bool placed = false;

    if (!S_ISREG(status.st_mode) || status.st_size == 0 ||
        status.st_size > FILE_BYTES - (off_t)FIRMWARE_TPM_BYTES) {
        errno = EFBIG;
    } else {
        errno = EIO; /* for short reads and writes, which set no errno */
        placed = place(from, status.st_size, target);
    }
    close(from);
    return placed;
}
