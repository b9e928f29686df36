/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t seen;
static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

static void raise_flag(int signal_number)
{
    (void)signal_number;
    seen = 1;
}

static void set_handlers(void (*ours)(int), void (*pipe)(int))
{
    /* without SA_RESTART, so that a signal ends a wait */
    struct sigaction action = {.sa_handler = ours};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++) {
        sigaction(caught[i], &action, NULL);
    }
    action.sa_handler = pipe;
    sigaction(SIGPIPE, &action, NULL);
}

void interrupt_catch(void)
{
    set_handlers(raise_flag, SIG_IGN);
}

static void take_note(int signal_number)
{
    (void)signal_number;
}

/* Installs a handler, because SIG_IGN would be inherited by programs that are started. */
void interrupt_none_by_writing(void)
{
    struct sigaction action = {.sa_handler = take_note, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

bool interrupt_seen(void)
{
    return seen != 0;
}

void interrupt_release(void)
{
    set_handlers(SIG_DFL, SIG_DFL);
}
