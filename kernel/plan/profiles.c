/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/profiles.h"

#include <stdio.h>
#include <string.h>

#include "kernel/plan/names.h"
#include "kernel/plan/plan.h"
#include "kernel/plan/text_mark.h"

/* Profile `quick` has one processor. If processors take turns, as in exact mode and on a small
 * host, each turn of one shows as a gap of the others. Lengths in ms also hold in real time: with
 * KVM, `quick` ends within 10 s, firmware included. */
static const struct profile_plan profiles[] = {
    {
        .name = PROFILE_QUICK,
        .summary = "a first look: noise, timer, idle loop, clocks, keys and switches",
        .benches = "clock,contextswitch,echo,gap,idle,keystroke,timerlat",
        .settings = "idle.ms=1000\n",
    },
    {
        .name = "noise",
        .summary = "what takes time from the processors, and how late they react",
        .benches = "gap,selfish,fwq,ftq,sensitivity,smicost,timerlat,cliwindow,cstate,ramp",
    },
    {
        .name = "memory",
        .summary = "latency and bandwidth of each level, reach of the TLB, page faults",
        .processors = 4,
        .memory_mib = 1024,
        .benches = "chase,stride,tlb,bandwidth,loaded,together,pagefault",
    },
    {
        .name = "system",
        .summary = "calls, exceptions, threads, locks, counters, and several processors",
        .processors = 4,
        .benches = "loop,call,clockread,syscall,exceptions,exits,creation,fork,contextswitch,"
                   "ipi,lines,contention,paths,switches,order,nesting,inversion,aliasing,overload,"
                   "process,counters,load,delivery",
    },
    {
        .name = "input",
        .summary = "how long a user waits: keys, clicks, windows, and bursts of them",
        .benches = "echo,keystroke,click,click_busy,maximize,background,burst,queuesync,"
                   "nextcall",
    },
    {
        .name = "paper",
        .summary = "the experiments of Endo et al. 1996: single events and three tasks",
        .mode = "exact",
        .shift = 6,
        .memory_mib = 2048,
        .counts = true,
        .benches = "echo,keystroke,click,click_busy,maximize,background,burst,queuesync,nextcall,"
                   "longevents,windows,desktop,profile,editor,slides,page_down,object_edit,writer",
        .settings = "bench.limit_ms=3600000\n"
                    "trace.bytes=64000000\n"
                    "maximize.thickness=2\n"
                    "editor.drivers=test,fast\n"
                    "slides.drivers=test\n"
                    "slides.page_us=50000\n"
                    "page_down.drivers=test\nobject_edit.drivers=test\n"
                    "writer.structures=in_kernel,server\nwriter.drivers=hand,test\n",
    },
    {
        .name = PROFILE_NETWORK,
        .summary = "round trips, bandwidth, connections, remote files, and latency under load",
        .network = "hub",
        .benches = "nics,rtt,netbandwidth,connection,remotefile,netload",
    },
    {
        .name = "disk",
        .summary = "reads of a disk or its model, threads that share it, and the page cache",
        .benches = "disklatency,fileread,filecache,diskload",
    },
    {
        .name = "smp",
        .summary = "threads on several processors, in the image " IMAGE_SMP_FILE,
        .benches = SMP_PROFILE,
    },
    {
        .name = "all",
        .summary = "all benches, except those that run only on request",
    },
};

#define PROFILES (sizeof(profiles) / sizeof(profiles[0]))

const struct profile_plan *profile_at(size_t index)
{
    return index < PROFILES ? &profiles[index] : NULL;
}

const struct profile_plan *profile_find(const char *name)
{
    size_t i = 0;

    while (i < PROFILES && strcmp(profiles[i].name, name) != 0) {
        i++;
    }
    return profile_at(i);
}

size_t profile_lines(const struct profile_plan *profile, char *text, size_t size)
{
    return (size_t)snprintf(text, size, "%s%s%s%s", profile->benches != NULL ? KEY_BENCH "=" : "",
                            profile->benches != NULL ? profile->benches : "",
                            profile->benches != NULL ? "\n" : "",
                            profile->settings != NULL ? profile->settings : "");
}

const struct profile_plan *profile_of_plan(const char *text, size_t length)
{
    static struct plan plan; /* too large for firmware's stack */
    char error[PLAN_ERROR_MAX];
    const char *name =
        plan_parse(&plan, text, length, error) ? plan_value(&plan, KEY_PROFILE) : NULL;

    return name != NULL ? profile_find(name) : NULL;
}

size_t profile_expand(char *text, size_t length)
{
    static char lines[PLAN_TEXT_MAX];
    const struct profile_plan *profile = profile_of_plan(text, length);
    const size_t added = profile != NULL ? profile_lines(profile, lines, sizeof(lines)) : 0;

    if (added == 0 || (length >= added && memcmp(text, lines, added) == 0)) {
        return length;
    }
    text_take_mark(text, &length);
    if (length + added <= PLAN_TEXT_MAX) {
        memmove(text + added, text, length);
        memcpy(text, lines, added);
    }
    return length + added;
}
