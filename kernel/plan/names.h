/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the plan keys that the host sets or reads. Each name is defined only here, for both
 * image and host.
 */
#pragma once
#define KEY_BENCH         "bench"
#define KEY_BOOTS         "boots"
#define KEY_EVENTS        "events"
#define KEY_INPUT_SCRIPT  "input.script"
#define KEY_INPUT_SOURCE  "input.source"
#define KEY_INPUT_WAIT_MS "input.wait_ms"
#define KEY_KERNEL        "kernel"
#define KEY_SCREEN        "screen"
#define KEYS_TASKS        "tasks." /* how all keys of threads on several processors begin */
#define KEY_TASKS_CPUS    KEYS_TASKS "cpus"
#define KEY_IRQ_CPU       "irq.cpu"
#define KEY_LINK_SERVE    "link.serve"
#define KEY_LINK_WAIT_MS  "link.wait_ms"
#define KEY_LINK_UDP      "link.udp"
#define KEY_MODEL_PROGRAM "model.program" /* parameter of bench model: kernel/plan/program.h */
#define KEY_PROFILE       "profile"
#define KEY_ROLE          "role"
#define KEY_SETTING       "setting"

/* The file of the image whose threads run on several processors. */
#define IMAGE_SMP_FILE "tare-smp.efi"

/* Values of KEY_BENCH, KEY_SETTING, KEY_KERNEL, KEY_ROLE and KEY_INPUT_SOURCE. */
#define PLAN_BENCH_ALL      "all"
#define PLAN_BENCH_NONE     "none"
#define PLAN_SETTING_ASK    "ask"
#define KERNEL_ONE          "one"
#define KERNEL_SMP          "smp"
#define ROLE_SERVER         "server"
#define PLAN_INPUT_AUTO     "auto"
#define PLAN_INPUT_LOOPBACK "loopback"
#define PLAN_INPUT_TIMER    "timer"
#define PLAN_INPUT_OUTSIDE  "outside"
