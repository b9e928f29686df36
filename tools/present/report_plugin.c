/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/report_plugin.h"

#include <string.h>

static struct report_plugin *first;

/* Returns whether `left` is used before `right`. The order of registration depends on the linker
 * and affects nothing that a person sees. */
static bool is_before(const struct report_plugin *left, const struct report_plugin *right)
{
    if (left->order != right->order) {
        return left->order < right->order;
    }
    return strcmp(left->bench != NULL ? left->bench : "",
                  right->bench != NULL ? right->bench : "") < 0;
}

void report_plugin_register(struct report_plugin *plugin)
{
    struct report_plugin **at = &first;

    while (*at != NULL && !is_before(plugin, *at)) {
        at = &(*at)->next;
    }
    plugin->next = *at;
    *at = plugin;
}

static bool is_of(const struct report_plugin *plugin, const struct run_bench *bench)
{
    return bench == NULL || plugin->bench == NULL || strcmp(plugin->bench, bench->name) == 0;
}

const struct report_plugin *report_plugin_next(const struct report_plugin *after,
                                               const struct run_bench *bench)
{
    const struct report_plugin *plugin = after != NULL ? after->next : first;

    while (plugin != NULL && !is_of(plugin, bench)) {
        plugin = plugin->next;
    }
    return plugin;
}

const struct report_plugin *report_plugin_shown(const struct run_bench *bench)
{
    const struct report_plugin *plugin = NULL;

    do {
        plugin = report_plugin_next(plugin, bench);
    } while (plugin != NULL && plugin->show == NULL);
    return plugin;
}
