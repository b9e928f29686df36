/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads tables from Linux's files and writes them. Most machines show some of them to root alone: a
 * table that cannot be read is reported, and the others are written all the same.
 */
#include "tools/linux/host_dump.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/cpu/cpuid.h"
#include "tools/linux/host_tables.h"

#define TABLE_MAX   (16u << 20) /* bytes of one table */
#define REPORT_MAX  (2 * PATH_MAX)
#define VALUE_MAX   64
#define PRODUCT_KEY "MSDM" /* Microsoft's table of Windows's product key */

/* A file that Linux shows. */
struct bytes {
    uint8_t *at;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void report(const struct host_dump *dump,
                                                         const char *format, ...)
{
    char line[REPORT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    dump->report(line);
}

static void report_unread(const struct host_dump *dump, const char *path)
{
    report(dump, "%s: %s: missing%s", path, strerror(errno),
           errno == EACCES || errno == EPERM ? "; run it as root" : "");
}

static void join(char path[PATH_MAX], const char *folder, const char *name)
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX) {
        path[0] = '\0'; /* no such file */
    }
}

/* False, with errno set. */
static bool read_bytes(const char *path, struct bytes *bytes)
{
    FILE *in = fopen(path, "rb");

    if (in == NULL) {
        return false;
    }
    bytes->at = malloc(TABLE_MAX);
    bytes->length = bytes->at != NULL ? fread(bytes->at, 1, TABLE_MAX, in) : 0;
    const int error = bytes->at == NULL ? ENOMEM : ferror(in) ? errno : feof(in) ? 0 : EFBIG;

    fclose(in);
    if (error != 0) {
        free(bytes->at);
        errno = error;
    }
    return error == 0;
}

static bool read_or_report(const struct host_dump *dump, const char *path, struct bytes *bytes)
{
    const bool good = read_bytes(path, bytes);

    if (!good) {
        report_unread(dump, path);
    }
    return good;
}

static FILE *create(const struct host_dump *dump, const char *name, char path[PATH_MAX])
{
    join(path, dump->directory, name);
    FILE *out = fopen(path, "wb");

    if (out == NULL) {
        report(dump, "%s: %s: not written", path, strerror(errno));
    }
    return out;
}

/* Ends a file; one without contents is taken away. */
static bool end(const struct host_dump *dump, FILE *out, const char *path, unsigned count,
                const char *what)
{
    const bool failed = ferror(out) != 0;
    const bool good = fclose(out) == 0 && !failed;

    if (!good) {
        report(dump, "%s: %s: not written", path, strerror(errno));
    }
    if (!good || count == 0) {
        unlink(path);
        return false;
    }
    report(dump, "%s: %u %s", path, count, what);
    return true;
}

static bool dump_acpi_table(const struct host_dump *dump, FILE *out, const char *path)
{
    struct bytes table;

    if (!read_or_report(dump, path, &table)) {
        return false;
    }
    const bool key = table.length >= 4 && memcmp(table.at, PRODUCT_KEY, 4) == 0;
    bool good = false;

    if (key && !dump->with_serials) {
        report(dump, "%s: left out, as it holds a product key; --with-serials keeps it", path);
    } else if (!(good = host_tables_acpi(out, table.at, table.length))) {
        report(dump, "%s: %zu bytes are no table: missing", path, table.length);
    }
    free(table.at);
    return good;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static unsigned dump_acpi_folder(const struct host_dump *dump, FILE *out, const char *name)
{
    char folder[PATH_MAX];
    char path[PATH_MAX];
    struct dirent **names;
    struct stat status;
    unsigned count = 0;

    join(folder, dump->firmware, name);
    const int found = scandir(folder, &names, is_visible, alphasort);

    if (found < 0) {
        report_unread(dump, folder);
        return 0;
    }
    for (int i = 0; i < found; i++) {
        join(path, folder, names[i]->d_name);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
            count += dump_acpi_table(dump, out, path) ? 1 : 0;
        }
        free(names[i]);
    }
    free((void *)names);
    return count;
}

static bool dump_acpi(const struct host_dump *dump)
{
    char path[PATH_MAX];
    FILE *out = create(dump, "acpi.txt", path);

    if (out == NULL) {
        return false;
    }
    unsigned count = dump_acpi_folder(dump, out, "acpi/tables");

    count += dump_acpi_folder(dump, out, "acpi/tables/dynamic");
    return end(dump, out, path, count, "ACPI tables");
}

/* Each processor that Linux lets this program on; the program stays on the last. */
static bool dump_cpuid(const struct host_dump *dump)
{
    char path[PATH_MAX];
    FILE *out = create(dump, "cpuid.txt", path);
    const long configured = sysconf(_SC_NPROCESSORS_CONF);
    const size_t processors = configured > 0 ? (size_t)configured : 1;
    cpu_set_t *set = CPU_ALLOC(processors);
    unsigned count = 0;

    for (size_t i = 0; out != NULL && set != NULL && i < processors; i++) {
        CPU_ZERO_S(CPU_ALLOC_SIZE(processors), set);
        CPU_SET_S(i, CPU_ALLOC_SIZE(processors), set);
        if (sched_setaffinity(0, CPU_ALLOC_SIZE(processors), set) != 0) {
            report(dump, "CPUID of processor %zu: %s: missing; it is off, or not for this program",
                   i, strerror(errno));
            continue;
        }
        host_tables_cpuid(out, (unsigned)i, cpuid_instruction);
        count++;
    }
    CPU_FREE(set);
    return out != NULL && end(dump, out, path, count, "processors");
}

static bool prepare_smbios(const struct host_dump *dump, struct bytes *entry, struct bytes *table)
{
    if (entry->length > HOST_SMBIOS_TABLE_AT ||
        !host_tables_move_smbios(entry->at, entry->length)) {
        report(dump, "SMBIOS: the entry point is unknown: missing");
        return false;
    }
    if (!dump->with_serials && !host_tables_blank_smbios(table->at, table->length)) {
        report(dump, "SMBIOS: structures are not sound; those behind the last sound one are left "
                     "out");
    }
    return true;
}

static bool write_smbios(const struct host_dump *dump, struct bytes *entry, struct bytes *table)
{
    static const uint8_t zeros[HOST_SMBIOS_TABLE_AT];
    char path[PATH_MAX];

    if (!prepare_smbios(dump, entry, table)) {
        return false;
    }
    FILE *out = create(dump, "smbios.bin", path);

    if (out == NULL) {
        return false;
    }
    fwrite(entry->at, 1, entry->length, out);
    fwrite(zeros, 1, HOST_SMBIOS_TABLE_AT - entry->length, out);
    fwrite(table->at, 1, table->length, out);
    return end(dump, out, path, (unsigned)table->length, "bytes of SMBIOS structures");
}

static bool dump_smbios(const struct host_dump *dump)
{
    char path[PATH_MAX];
    struct bytes entry;
    struct bytes table;
    bool good = false;

    join(path, dump->firmware, "dmi/tables/smbios_entry_point");
    if (!read_or_report(dump, path, &entry)) {
        return false;
    }
    join(path, dump->firmware, "dmi/tables/DMI");
    if (read_or_report(dump, path, &table)) {
        good = write_smbios(dump, &entry, &table);
        free(table.at);
    }
    free(entry.at);
    return good;
}

/* A value that Linux shows in a file of a line, "0x1000"; "" with a report: none. */
static bool read_value(const struct host_dump *dump, const char *folder, const char *name,
                       char value[VALUE_MAX])
{
    char path[PATH_MAX];

    join(path, folder, name);
    FILE *in = fopen(path, "r");
    const bool good = in != NULL && fgets(value, VALUE_MAX, in) != NULL;

    if (!good) {
        report_unread(dump, path);
    } else {
        value[strcspn(value, "\n")] = '\0';
    }
    if (in != NULL) {
        fclose(in);
    }
    return good;
}

/* A kind of folder with one folder a range, 0 and up, and the files of each. */
static const struct map {
    const char *name, *folder;
    const char *values[5];
} maps[] = {
    {"runtime", "efi/runtime-map", {"phys_addr", "num_pages", "type", "attribute", "virt_addr"}},
    {"memmap", "memmap", {"start", "end", "type"}},
};

static bool dump_range(const struct host_dump *dump, FILE *out, const struct map *map,
                       const char *folder)
{
    char value[5][VALUE_MAX];
    size_t count = 0;

    for (; count < 5 && map->values[count] != NULL; count++) {
        if (!read_value(dump, folder, map->values[count], value[count])) {
            return false;
        }
    }
    fputs(map->name, out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, " %s=%s", map->values[i], value[i]);
    }
    fputc('\n', out);
    return true;
}

static unsigned dump_map(const struct host_dump *dump, FILE *out, const struct map *map)
{
    char parent[PATH_MAX];
    char number[VALUE_MAX];
    char folder[PATH_MAX];
    unsigned count = 0;

    join(parent, dump->firmware, map->folder);
    if (access(parent, R_OK | X_OK) != 0) {
        report_unread(dump, parent);
        return 0;
    }
    for (unsigned i = 0;; i++) {
        snprintf(number, sizeof(number), "%u", i);
        join(folder, parent, number);
        if (access(folder, F_OK) != 0) {
            return count;
        }
        count += dump_range(dump, out, map, folder) ? 1 : 0;
    }
}

static bool dump_maps(const struct host_dump *dump)
{
    char path[PATH_MAX];
    FILE *out = create(dump, "efi-map.txt", path);
    unsigned count = 0;

    if (out == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        count += dump_map(dump, out, &maps[i]);
    }
    return end(dump, out, path, count, "ranges of memory");
}

bool host_dump_write(const struct host_dump *dump)
{
    if (mkdir(dump->directory, 0777) != 0) {
        report(dump, "%s: %s; give the name of a folder that is not there", dump->directory,
               strerror(errno));
        return false;
    }
    bool any = dump_acpi(dump);

    any = dump_cpuid(dump) || any;
    any = dump_smbios(dump) || any;
    any = dump_maps(dump) || any;
    if (!any) {
        rmdir(dump->directory);
        report(dump, "%s: nothing could be written", dump->directory);
    }
    return any;
}
