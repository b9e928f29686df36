/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/colour.h"
#include "tools/base/table.h"

static bool forbidden;
static pid_t pager; /* 0: none */

void pager_forbid(void)
{
    forbidden = true;
}

/* NULL: no pager is wanted or installed. */
static const char *find_pager(void)
{
    const char *wanted = getenv("PAGER");

    if (wanted != NULL) {
        return wanted[0] != '\0' && strcmp(wanted, "cat") != 0 ? wanted : NULL;
    }
    return system("command -v less >/dev/null 2>&1") == 0 ? "less" : NULL;
}

_Noreturn static void be_pager(const char *program, const int ends[2])
{
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    /* Exit if all fits; pass colours; leave the text on the screen. */
    setenv("LESS", "FRX", 0);
    execl("/bin/sh", "sh", "-c", program, (char *)NULL);
    _exit(127);
}

void pager_start(void)
{
    int ends[2];

    if (forbidden || isatty(STDOUT_FILENO) != 1) {
        return;
    }
    const char *program = find_pager();

    if (program == NULL || pipe(ends) != 0) {
        return;
    }
    const bool coloured = colour_on(stdout);

    terminal_width(); /* while there is a terminal */

    pager = fork();
    if (pager == 0) {
        be_pager(program, ends);
    }
    if (pager > 0) {
        dup2(ends[1], STDOUT_FILENO);
        colour_use(coloured ? COLOUR_ALWAYS : COLOUR_NEVER);
        /* Ctrl-C is for the pager. */
        signal(SIGINT, SIG_IGN);
    }
    close(ends[0]);
    close(ends[1]);
}

bool pager_is_on(void)
{
    return pager > 0;
}

void pager_finish(void)
{
    if (pager <= 0) {
        return;
    }
    fclose(stdout);
    while (waitpid(pager, NULL, 0) < 0 && errno == EINTR) {
    }
    pager = 0;
}
