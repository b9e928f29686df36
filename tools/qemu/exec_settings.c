/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/exec_settings.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/exec/names.h"
#include "kernel/plan/plan.h"
#include "tools/base/alloc.h"
#include "tools/base/partial_file.h"
#include "tools/base/texts.h"

#define TEXT_SHOWN 100

/* Writes one setting: all texts as bytes. */
static bool put_bytes(FILE *out, const char *param, const char *const *texts, size_t count,
                      char error[EXEC_ERROR_MAX])
{
    char why[ASSEMBLE_ERROR_MAX];
    struct code code;

    fprintf(out, BENCH_EXEC ".%s=", param);
    for (size_t i = 0; i < count; i++) {
        if (!assemble(ASSEMBLER, texts[i], &code, why)) {
            snprintf(error, EXEC_ERROR_MAX, "'%.*s': %s", TEXT_SHOWN, texts[i], why);
            return false;
        }
        fputs(i > 0 ? "," : "", out);
        for (size_t k = 0; k < code.length; k++) {
            fprintf(out, "%02x", code.bytes[k]);
        }
    }
    fputc('\n', out);
    return true;
}

/* Writes the texts, one a line. Line ends within a text become semicolons, which separate
 * statements as well. */
static void put_texts(FILE *out, const struct exec_request *request)
{
    fprintf(out, "%s.%s={", BENCH_EXEC, PARAM_TEXT_OF_CODE);
    for (size_t i = 0; i < request->codes; i++) {
        fputs(i > 0 ? "\n" : "", out);
        for (const char *at = request->code[i]; *at != '\0'; at++) {
            fputc(*at == '\n' ? ';' : *at, out);
        }
    }
    fputs("\n}\n", out);
}

/* Returns whether the plan's parser reads the settings as written. A brace or quote without its
 * partner would swallow what follows. */
static bool is_plan(const char *text, size_t settings, char error[EXEC_ERROR_MAX])
{
    struct plan *plan = alloc_checked(malloc(sizeof(*plan)));
    char why[PLAN_ERROR_MAX];
    const bool is_read = plan_parse(plan, text, strlen(text), why) && plan->count == settings;

    if (!is_read && strlen(text) > PLAN_TEXT_MAX) {
        snprintf(error, EXEC_ERROR_MAX, "the codes exceed a plan's %d characters", PLAN_TEXT_MAX);
    } else if (!is_read) {
        snprintf(error, EXEC_ERROR_MAX,
                 "the codes do not fit in a plan: braces and quotes must come in pairs");
    }
    free(plan);
    return is_read;
}

char *exec_settings(const struct exec_request *request, char error[EXEC_ERROR_MAX])
{
    const bool has_init = request->inits > 0;
    struct long_text text;

    if (request->inits > 1 && request->inits != request->codes) {
        snprintf(error, EXEC_ERROR_MAX,
                 "%zu inits for %zu codes: give one for all, or one for each", request->inits,
                 request->codes);
        return NULL;
    }
    long_text_open(&text);
    const bool is_code =
        put_bytes(text.out, PARAM_CODE, request->code, request->codes, error) &&
        (!has_init || put_bytes(text.out, PARAM_INIT, request->init, request->inits, error));

    put_texts(text.out, request);
    char *settings = alloc_checked(strdup(long_text_close(&text)));

    long_text_free(&text);
    if (!is_code || !is_plan(settings, has_init ? 3 : 2, error)) {
        free(settings);
        return NULL;
    }
    return settings;
}

#define SOURCE_NAME   "code.s"
#define OBJECT_NAME   "code.o"
#define MESSAGES_NAME "messages"
#define OBJECT_BYTES  (1u << 20) /* an object file with CODE_BYTES_MAX of code has a few KiB */
#define LINE_BYTES    256
#define ERROR_MARK    "Error: "

extern char **environ;

/* Runs `as`. Returns its exit status, or -1 with errno set. */
static int run_assembler(const char *program, const struct temporary *folder)
{
    char source[TEMPORARY_PATH_MAX];
    char object[TEMPORARY_PATH_MAX];
    char messages[TEMPORARY_PATH_MAX];
    posix_spawn_file_actions_t actions;
    int status;
    pid_t pid;

    temporary_name(folder, SOURCE_NAME, source);
    temporary_name(folder, OBJECT_NAME, object);
    temporary_name(folder, MESSAGES_NAME, messages);
    char *const arguments[] = {(char *)program, "--64", "-o", object, source, NULL};

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    const int cause = posix_spawnp(&pid, program, &actions, NULL, arguments, environ);

    posix_spawn_file_actions_destroy(&actions);
    if (cause != 0) {
        errno = cause;
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/* Reads the first error that the assembler printed, otherwise its first line. */
static void read_message(const struct temporary *folder, char error[ASSEMBLE_ERROR_MAX])
{
    char path[TEMPORARY_PATH_MAX];
    char line[LINE_BYTES];
    bool has_mark = false;

    snprintf(error, ASSEMBLE_ERROR_MAX, "the assembler failed and printed nothing");
    temporary_name(folder, MESSAGES_NAME, path);
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        return;
    }
    for (bool is_first = true; !has_mark && fgets(line, sizeof(line), file) != NULL;
         is_first = false) {
        const char *mark = strstr(line, ERROR_MARK);

        line[strcspn(line, "\n")] = '\0';
        has_mark = mark != NULL;
        if (has_mark || is_first) {
            snprintf(error, ASSEMBLE_ERROR_MAX, "%s", has_mark ? mark + strlen(ERROR_MARK) : line);
        }
    }
    fclose(file);
}

static bool read_object(const struct temporary *folder, struct code *code,
                        char error[ASSEMBLE_ERROR_MAX])
{
    char path[TEMPORARY_PATH_MAX];

    temporary_name(folder, OBJECT_NAME, path);
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        snprintf(error, ASSEMBLE_ERROR_MAX, "the assembler wrote no object file");
        return false;
    }
    uint8_t *bytes = alloc_zeroed(OBJECT_BYTES);
    const size_t length = fread(bytes, 1, OBJECT_BYTES, file);
    const bool is_code = object_code(bytes, length, code, error);

    fclose(file);
    free(bytes);
    return is_code;
}

static bool assemble_in(const struct temporary *folder, const char *program, const char *text,
                        struct code *code, char error[ASSEMBLE_ERROR_MAX])
{
    char *source = alloc_zeroed(strlen(text) + 2);

    sprintf(source, "%s\n", text);
    const bool is_written = temporary_write(folder, SOURCE_NAME, source);

    free(source);
    if (!is_written) {
        snprintf(error, ASSEMBLE_ERROR_MAX, "cannot write a temporary file: %s", strerror(errno));
        return false;
    }
    const int status = run_assembler(program, folder);

    if (status < 0) {
        snprintf(error, ASSEMBLE_ERROR_MAX, "cannot run the assembler %s: %s%s", program,
                 strerror(errno), errno == ENOENT ? "; install package binutils" : "");
        return false;
    }
    if (status != 0) {
        read_message(folder, error);
        return false;
    }
    return read_object(folder, code, error);
}

bool assemble(const char *program, const char *text, struct code *code,
              char error[ASSEMBLE_ERROR_MAX])
{
    struct temporary folder = {0};

    if (!temporary_create(&folder)) {
        snprintf(error, ASSEMBLE_ERROR_MAX, "cannot make a temporary folder: %s", strerror(errno));
        return false;
    }
    const bool is_code = assemble_in(&folder, program, text, code, error);

    temporary_remove(&folder);
    return is_code;
}

#define NAME_SHOWN 60

struct object {
    const uint8_t *bytes;
    size_t length;
    Elf64_Ehdr head;
    char *error;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct object *object, const char *format,
                                                         ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(object->error, OBJECT_ERROR_MAX, format, values);
    va_end(values);
    return false;
}

/* Returns `bytes` bytes from `offset` on, or NULL if the file is shorter. */
static const void *at(const struct object *object, uint64_t offset, uint64_t bytes)
{
    return offset <= object->length && bytes <= object->length - offset ? object->bytes + offset
                                                                        : NULL;
}

static bool read_head(struct object *object)
{
    const void *head = at(object, 0, sizeof(object->head));

    if (head == NULL) {
        return refuse(object, "the object file is too short");
    }
    memcpy(&object->head, head, sizeof(object->head));
    if (memcmp(object->head.e_ident, ELFMAG, SELFMAG) != 0 ||
        object->head.e_ident[EI_CLASS] != ELFCLASS64 || object->head.e_machine != EM_X86_64 ||
        object->head.e_shentsize != sizeof(Elf64_Shdr)) {
        return refuse(object, "the object file is not ELF for x86-64: the assembler is for another "
                              "processor");
    }
    return true;
}

/* Reads a section's header. Returns false if there is no section of that number, or if it lies
 * outside the file. */
static bool read_section(const struct object *object, uint64_t index, Elf64_Shdr *section)
{
    const void *found = index < object->head.e_shnum
                            ? at(object, object->head.e_shoff, (index + 1) * sizeof(*section))
                            : NULL;

    if (found == NULL) {
        return false;
    }
    memcpy(section, (const uint8_t *)found + index * sizeof(*section), sizeof(*section));
    return section->sh_type == SHT_NOBITS ||
           at(object, section->sh_offset, section->sh_size) != NULL;
}

/* Returns a name of a string table, or "?" if there is none at that offset. */
static const char *name_in(const struct object *object, uint64_t table, uint64_t offset)
{
    Elf64_Shdr strings;

    if (!read_section(object, table, &strings) || strings.sh_type != SHT_STRTAB ||
        offset >= strings.sh_size) {
        return "?";
    }
    const char *name = at(object, strings.sh_offset + offset, strings.sh_size - offset);

    return name != NULL && memchr(name, '\0', strings.sh_size - offset) != NULL ? name : "?";
}

/* Returns the symbol, or the section, of the first relocation. */
static const char *first_symbol(const struct object *object, const Elf64_Shdr *relocations)
{
    Elf64_Shdr symbols;
    Elf64_Shdr section;
    Elf64_Rela relocation;
    Elf64_Sym symbol;
    const void *first = at(object, relocations->sh_offset, sizeof(relocation));

    if (first == NULL || !read_section(object, relocations->sh_link, &symbols)) {
        return "?";
    }
    memcpy(&relocation, first, sizeof(relocation));
    const uint64_t index = ELF64_R_SYM(relocation.r_info);
    const void *found = index < symbols.sh_size / sizeof(symbol)
                            ? at(object, symbols.sh_offset + index * sizeof(symbol), sizeof(symbol))
                            : NULL;

    if (found == NULL) {
        return "?";
    }
    memcpy(&symbol, found, sizeof(symbol));
    if (symbol.st_name == 0 && read_section(object, symbol.st_shndx, &section)) {
        return name_in(object, object->head.e_shstrndx, section.sh_name);
    }
    return name_in(object, symbols.sh_link, symbol.st_name);
}

static bool take_code(struct object *object, const Elf64_Shdr *section, struct code *code)
{
    const void *bytes = at(object, section->sh_offset, section->sh_size);

    if (code->length != 0) {
        return refuse(object, "the code is in two sections; it must be in one");
    }
    if (bytes == NULL || section->sh_size > CODE_BYTES_MAX) {
        return refuse(object, "the code has %llu bytes; at most %d are allowed",
                      (unsigned long long)section->sh_size, CODE_BYTES_MAX);
    }
    memcpy(code->bytes, bytes, section->sh_size);
    code->length = section->sh_size;
    return true;
}

/* Takes the code if it is a section of code. Returns true if it did, or if the section is harmless.
 */
static bool take_section(struct object *object, const Elf64_Shdr *section, struct code *code)
{
    const bool is_loaded = (section->sh_flags & SHF_ALLOC) != 0 && section->sh_size != 0 &&
                           (section->sh_type == SHT_PROGBITS || section->sh_type == SHT_NOBITS);

    if (section->sh_type == SHT_RELA && section->sh_size != 0) {
        return refuse(object, "the code refers to %.*s, which is not in the code", NAME_SHOWN,
                      first_symbol(object, section));
    }
    if (!is_loaded) {
        return true;
    }
    if ((section->sh_flags & SHF_EXECINSTR) == 0 || section->sh_type == SHT_NOBITS) {
        return refuse(object, "section %.*s has data; only instructions are allowed", NAME_SHOWN,
                      name_in(object, object->head.e_shstrndx, section->sh_name));
    }
    return take_code(object, section, code);
}

bool object_code(const uint8_t *bytes, size_t length, struct code *code,
                 char error[OBJECT_ERROR_MAX])
{
    struct object object = {.bytes = bytes, .length = length, .error = error};
    Elf64_Shdr section;

    code->length = 0;
    if (!read_head(&object)) {
        return false;
    }
    for (uint64_t i = 1; i < object.head.e_shnum; i++) {
        if (!read_section(&object, i, &section)) {
            return refuse(&object, "the object file is damaged");
        }
        if (!take_section(&object, &section, code)) {
            return false;
        }
    }
    return code->length != 0 || refuse(&object, "it has no instruction");
}
