/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Networks by name, `tare boot --net NAME`: NICs of QEMU's machine and what is at the other end of
 * their cable, with the plan's keys that use them.
 */
#pragma once

struct qemu_network {
    const char *name;
    const char *const *arguments; /* of QEMU; NULL ends them */
    const char *plan;             /* whole lines */
};

/* NULL: there is none of that name. */
const struct qemu_network *qemu_network_find(const char *name);
