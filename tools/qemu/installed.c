/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/installed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool installed_file(const char *name, char path[INSTALLED_PATH_MAX])
{
    char program[INSTALLED_PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

    if (length <= 0) {
        return false;
    }
    program[length] = '\0';
    for (unsigned level = 0; level < 2; level++) {
        char *const slash = strrchr(program, '/');

        if (slash == NULL) {
            return false;
        }
        *slash = '\0';
    }
    const int written = snprintf(path, INSTALLED_PATH_MAX, "%s/share/%s", program, name);

    return written > 0 && written < INSTALLED_PATH_MAX && access(path, F_OK) == 0;
}
