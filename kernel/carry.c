/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/carry.h"

#include "kernel/cpu/cpu.h"
#include "kernel/link/link.h"
#include "kernel/mailbox.h"

static struct mailbox mailbox;
static enum mailbox_state state; /* as it was found */

/* False: the medium took only a part, or nothing. */
static bool save(const struct handoff *handoff)
{
    static const char *name; /* outlives this call, as the answer does */
    const char *why = handoff->firmware->log_create(&name);

    if (why != NULL) {
        link_text("tare: no log file: %s", why);
        return false;
    }
    if (!handoff->firmware->log_append(mailbox_bytes(&mailbox), mailbox.length)) {
        link_text("tare: %s takes no more: the medium is full or broken", name);
        return false;
    }
    link_text("tare: the log of the run before the reset is saved: %s, %zu bytes", name,
              mailbox.length);
    return true;
}

bool carry_arrived(const struct handoff *handoff)
{
    state = mailbox_find(handoff, &mailbox);
    return state != MAILBOX_NONE;
}

/* NULL: it is to be tried once more. */
static const char *deliver(const struct handoff *handoff)
{
    if (state == MAILBOX_DAMAGED) {
        return "was damaged by the reset";
    }
    if (!mailbox_attempt(&mailbox)) {
        return "was tried often enough";
    }
    caches_flush();
    if (save(handoff)) {
        return "";
    }
    return mailbox.header->attempts < MAILBOX_ATTEMPTS_MAX ? NULL : "could not be saved";
}

/* A screen that is the only witness must not go dark. */
const char *carry_deliver(const struct handoff *handoff)
{
    const char *failed = deliver(handoff);

    if (failed == NULL) {
        return "warm";
    }
    mailbox_clear(&mailbox);
    caches_flush();
    if (failed[0] == '\0') {
        return "poweroff";
    }
    link_text("tare: the log that the last run left in memory %s: it is lost, and nothing is run "
              "now",
              failed);
    return handoff->framebuffer.address != 0 ? "halt" : "poweroff";
}

const char *carry_prepare(const struct handoff *handoff)
{
    static const char *name; /* outlives this call, as the answer does */
    const char *why = handoff->firmware->log_create(&name);

    if (why != NULL) {
        return why;
    }
    if (handoff->firmware->log_is_reused()) {
        return "an empty one is there: the last was lost in a reset; delete it to try again";
    }
    return handoff->firmware->log_append("", 0) ? NULL : "the medium takes nothing";
}

const char *carry_reserve(struct handoff *handoff)
{
    return mailbox_reserve(handoff, &mailbox) ? NULL : "no memory at a place that is known";
}

bool carry_is_ready(void)
{
    return mailbox.header != NULL;
}

void carry_log(void)
{
    link_save(mailbox_write, &mailbox);
    mailbox_seal(&mailbox);
    caches_flush();
}
