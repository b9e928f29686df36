/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/boot_profiles.h"

#include <string.h>

#include "kernel/plan/names.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"

#define NAME_WIDTH 9

/* Noise has one processor: where processors take turns, in exact mode and on a small host, each
 * turn is a gap of the others. Lengths in ms hold for real time as well: `quick` ends within 10 s
 * with KVM, firmware included. */
static const struct boot_profile profiles[] = {
    {
        .name = PROFILE_QUICK,
        .summary = "the first look: noise, timer, idle loop, clocks, keys and switches",
        .benches = "clock,contextswitch,echo,gap,idle,keystroke,timerlat",
        .settings = "idle.ms=1000\n",
    },
    {
        .name = "noise",
        .summary = "what takes the processors although nothing asked for it, and how late they are",
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
        .summary = "calls, exceptions, threads, locks, counters, and other processors",
        .processors = 4,
        .benches = "loop,call,clockread,syscall,exceptions,exits,creation,fork,contextswitch,"
                   "ipi,lines,contention,paths,switches,order,nesting,inversion,aliasing,overload,"
                   "process,counters,load",
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
        .benches = "echo,keystroke,click,click_busy,maximize,background,burst,queuesync,nextcall,"
                   "longevents,windows,profile,editor,slides,page_down,object_edit,writer",
        .settings = "bench.limit_ms=3600000\n"
                    "trace.bytes=50000000\n",
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
        .name = "all",
        .summary = "every bench that does not run on request only",
    },
};

const struct boot_profile *boot_profile_at(size_t index)
{
    return index < sizeof(profiles) / sizeof(profiles[0]) ? &profiles[index] : NULL;
}

const struct boot_profile *boot_profile_find(const char *name)
{
    const struct boot_profile *profile;

    for (size_t i = 0; (profile = boot_profile_at(i)) != NULL; i++) {
        if (strcmp(profile->name, name) == 0) {
            return profile;
        }
    }
    return NULL;
}

size_t boot_profile_plan(const struct boot_profile *profile, char *text, size_t size)
{
    return (size_t)snprintf(text, size, "%s%s%s%s", profile->benches != NULL ? KEY_BENCH "=" : "",
                            profile->benches != NULL ? profile->benches : "",
                            profile->benches != NULL ? "\n" : "",
                            profile->settings != NULL ? profile->settings : "");
}

/* "; --mode exact --shift 6": the machine, as options. */
static void print_machine(FILE *out, const struct boot_profile *profile)
{
    fputs(profile->mode != NULL || profile->processors + profile->memory_mib > 0 ||
                  profile->network != NULL
              ? ";"
              : "",
          out);
    if (profile->mode != NULL) {
        fprintf(out, " --mode %s --shift %u", profile->mode, profile->shift);
    }
    if (profile->processors > 0) {
        fprintf(out, " --smp %u", profile->processors);
    }
    if (profile->memory_mib > 0) {
        fprintf(out, " --memory %u", profile->memory_mib);
    }
    if (profile->network != NULL) {
        fprintf(out, " --net %s", profile->network);
    }
}

void boot_profiles_list(FILE *out)
{
    const struct boot_profile *profile;

    for (size_t i = 0; (profile = boot_profile_at(i)) != NULL; i++) {
        struct long_text text;

        long_text_open(&text);
        fprintf(text.out, "%s", profile->summary);
        print_machine(text.out, profile);
        fprintf(out, "%-*s", NAME_WIDTH, profile->name);
        print_wrapped(out, long_text_close(&text), NAME_WIDTH, NAME_WIDTH);
        long_text_free(&text);
        fprintf(out, "%*s", NAME_WIDTH + 2, "");
        print_wrapped(out, profile->benches != NULL ? profile->benches : PLAN_BENCH_ALL,
                      NAME_WIDTH + 2, NAME_WIDTH + 2);
    }
}
