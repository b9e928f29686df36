/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/interrupt.h"

#include <signal.h>
#include <stddef.h>

#define CAUGHT (sizeof(caught) / sizeof(caught[0]))

static volatile sig_atomic_t seen;
static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
static struct sigaction before[CAUGHT];
static bool catches;

static void raise_flag(int signal_number)
{
    (void)signal_number;
    seen = 1;
}

void interrupt_catch(void)
{
    /* without SA_RESTART, so that a signal ends a wait */
    struct sigaction action = {0};

    for (size_t i = 0; i < CAUGHT; i++) {
        action.sa_handler = caught[i] == SIGPIPE ? SIG_IGN : raise_flag;
        sigaction(caught[i], &action, catches ? NULL : &before[i]);
    }
    catches = true;
}

static void take_note(int signal_number)
{
    (void)signal_number;
}

/* Installs a handler, because SIG_IGN would be inherited by programs that are started. */
void interrupt_none_by_writing(void)
{
    struct sigaction action = {.sa_handler = take_note, .sa_flags = SA_RESTART};

    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

bool interrupt_seen(void)
{
    return seen != 0;
}

void interrupt_release(void)
{
    for (size_t i = 0; catches && i < CAUGHT; i++) {
        sigaction(caught[i], &before[i], NULL);
    }
    catches = false;
}
