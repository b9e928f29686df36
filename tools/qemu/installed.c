/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool installed_file(const char *name, char path[INSTALLED_PATH_MAX])
{
    static const char *const folders[] = {"image", "plugin", "../share/tare"};
    char program[INSTALLED_PATH_MAX];
    char file[INSTALLED_PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    bool found = false;

    program[length > 0 ? length : 0] = '\0';
    char *const slash = strrchr(program, '/');

    for (size_t i = 0; slash != NULL && !found && i < sizeof(folders) / sizeof(folders[0]); i++) {
        *slash = '\0';
        snprintf(file, sizeof(file), "%s/%s/%s", program, folders[i], name);
        found = realpath(file, path) != NULL;
    }
    return found;
}

#define VERSION_MAX 256
/* QEMU version from which on the interface takes plugins of version 2 and no longer of version 1 */
#define FIRST_OF_SECOND 9

/* Returns the number 7 of "QEMU emulator version 7.2.22 (...)", or 0 if the version is unknown. */
static unsigned long major_version(const char *program)
{
    static const char before[] = "version ";
    char text[VERSION_MAX];
    const char *found = qemu_version(program, text, sizeof(text)) ? strstr(text, before) : NULL;

    return found != NULL ? strtoul(found + sizeof(before) - 1, NULL, 10) : 0;
}

bool plugin_find(const char *program, const char *plugin, char path[QEMU_PATH_MAX],
                 char error[QEMU_ERROR_MAX])
{
    char installed[INSTALLED_PATH_MAX];
    char name[32];

    if (!qemu_has_option(program, "-plugin")) {
        snprintf(error, QEMU_ERROR_MAX,
                 "%.300s does not support plugins; use a QEMU built with --enable-plugins, such as "
                 "Debian's",
                 program);
        return false;
    }
    snprintf(name, sizeof(name), "%s-%d.so", plugin,
             major_version(program) < FIRST_OF_SECOND ? 1 : 2);
    snprintf(path, QEMU_PATH_MAX, "build/plugin/%s", name);
    if (access(path, R_OK) == 0) {
        return realpath(path, installed) != NULL &&
               snprintf(path, QEMU_PATH_MAX, "%s", installed) < QEMU_PATH_MAX;
    }
    if (!installed_file(name, installed)) {
        snprintf(error, QEMU_ERROR_MAX,
                 "there is neither build/plugin/%s nor an installed share/tare/%s; \"make tools\" "
                 "builds it",
                 name, name);
        return false;
    }
    return snprintf(path, QEMU_PATH_MAX, "%s", installed) < QEMU_PATH_MAX;
}
