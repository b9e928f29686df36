/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/net.h"

#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/mem/memory.h"
#include "kernel/net/services.h"
#include "kernel/net/use.h"
#include "kernel/task/dpc.h"
#include "kernel/task/locks.h"

#define NICS_OF_PATH 2
#define WAIT_US      2000000
#define MS_US        1000
#define LOOPBACK     0x7f000001u
/* Seed of port numbers and sequence numbers, which are the same in each run. */
#define SEED 1
/* Timers of the stack are at most this late. */
#define SLEEP_MS_MAX 250

/* One end of the path. */
struct end {
    struct nic *nic; /* NULL: this end has no NIC */
    struct stack_interface *interface;
    struct net_passage last;
};

static struct {
    struct net_options options;
    bool up;
    bool within;           /* the stack is in use, so nothing else may call it */
    volatile bool pending; /* frames arrived, or a timer expired, while the stack was in use */
    struct mutex mutex;    /* excludes threads from each other */
    struct dpc dpc;
    struct timer timer; /* for the timers of the stack */
    uint64_t began;     /* TSC when the stack was started */
    void *memory;       /* memory of the stack, allocated once */
    struct end end[NICS_OF_PATH];
    struct net_passage passage;
} net;

static uint64_t now_ms(void)
{
    const uint64_t ticks = clock_ticks_from_us(MS_US);

    return (tsc_read() - net.began) / (ticks == 0 ? 1 : ticks);
}

/* ---- frames ---- */

static bool send(void *argument, const uint8_t *bytes, uint32_t length)
{
    const struct end *end = argument;

    return nic_send(end->nic, bytes, length);
}

static void receive(void *argument, const struct nic_frame *frame)
{
    struct end *end = argument;
    const struct nic *other = net.end[end == &net.end[0] ? 1 : 0].nic;

    net.passage = (struct net_passage){
        .sent = frame->sent != 0 || other == NULL ? frame->sent : other->sent,
        .due = frame->due,
        .taken = frame->taken,
        .fed = tsc_read(),
    };
    end->last = net.passage;
    stack_input(end->interface, frame->bytes, frame->length);
}

/* Gives the stack what has arrived. The caller owns the stack. */
static void feed(void)
{
    for (unsigned i = 0; i < NICS_OF_PATH; i++) {
        if (net.end[i].nic != NULL) {
            nic_poll(net.end[i].nic);
        }
    }
    net.passage = (struct net_passage){.fed = tsc_read()};
    stack_poll();
}

static void on_timer(void *argument)
{
    (void)argument;
    dpc_queue(&net.dpc);
}

/* Sets the timer to the next timer of the stack. Call with interrupts off. */
static void arm(void)
{
    const uint32_t sleep = stack_sleep_ms();
    const uint64_t ms = sleep < SLEEP_MS_MAX ? sleep : SLEEP_MS_MAX;

    if (!net.timer.armed) {
        timer_start(&net.timer, tsc_read() + clock_ticks_from_us((ms + 1) * MS_US), 0, on_timer,
                    NULL);
    }
}

/* Releases the stack. What arrived while it was in use is fed first. */
static void release(void)
{
    for (;;) {
        const uint64_t flags = interrupts_save();

        if (!net.pending) {
            net.within = false;
            if (net.options.interrupts) {
                arm();
            }
            interrupts_restore(flags);
            return;
        }
        net.pending = false;
        interrupts_restore(flags);
        feed();
    }
}

static void on_dpc(void *argument)
{
    (void)argument;
    net.pending = true;
    if (!net.within) {
        net.within = true;
        release();
    }
}

static void arrived(void *argument)
{
    (void)argument;
    dpc_queue(&net.dpc);
}

void net_enter(void)
{
    if (net.options.interrupts) {
        mutex_lock(&net.mutex);
    }
    net.within = true;
}

void net_leave(void)
{
    if (net.options.path == NET_LOOPBACK) {
        net.pending = true;
    }
    release();
    if (net.options.interrupts) {
        mutex_unlock(&net.mutex);
    }
}

void net_poll(void)
{
    if (!net.options.interrupts) {
        feed();
    }
}

/* ---- waiting ---- */

void net_waiter_init(struct net_waiter *waiter, const char *name)
{
    *waiter = (struct net_waiter){0};
    if (net.options.interrupts) {
        semaphore_init(&waiter->semaphore, name, 0);
    }
}

void net_wake(struct net_waiter *waiter)
{
    waiter->done = true;
    if (net.options.interrupts) {
        semaphore_post(&waiter->semaphore);
    }
}

static void on_limit(void *argument)
{
    struct net_waiter *waiter = argument;

    semaphore_post(&waiter->semaphore);
}

static bool wait_polling(struct net_waiter *waiter, uint64_t ticks)
{
    struct tsc_wait wait = tsc_wait_begin(ticks);

    while (!waiter->done && !tsc_wait_over(&wait)) {
        feed();
    }
    return waiter->done;
}

/* Waits for the wake-up or the time limit. If both post the semaphore one post is left over;
 * net_wait() resets it. */
static bool wait_by_interrupt(struct net_waiter *waiter, uint64_t ticks)
{
    timer_start(&waiter->limit, tsc_read() + ticks, 0, on_limit, waiter);
    semaphore_wait(&waiter->semaphore);
    const uint64_t flags = interrupts_save();

    if (waiter->limit.armed) {
        timer_stop(&waiter->limit);
    }
    const bool done = waiter->done;

    interrupts_restore(flags);
    return done;
}

bool net_wait(struct net_waiter *waiter, uint64_t us)
{
    const uint64_t ticks = clock_ticks_from_us(us == 0 ? WAIT_US : us);
    const bool done =
        net.options.interrupts ? wait_by_interrupt(waiter, ticks) : wait_polling(waiter, ticks);

    waiter->done = false;
    waiter->semaphore.count = 0;
    return done;
}

/* ---- opening and closing ---- */

static const char *find_nics(enum net_path path)
{
    struct nic *pair[NICS_OF_PATH] = {NULL, NULL};
    const char *why = NULL;

    if (path == NET_PAIR) {
        why = net_pair(pair);
    } else if (path == NET_REMOTE) {
        why = net_remote(&pair[0]);
    } else if (path == NET_SERVE) {
        why = net_first(&pair[0]);
    }
    for (unsigned i = 0; i < NICS_OF_PATH; i++) {
        net.end[i] = (struct end){.nic = why == NULL ? pair[i] : NULL};
    }
    return why;
}

static const char *begin_stack(void)
{
    if (net.memory == NULL) {
        net.memory = memory_allocate(stack_bytes(), PAGE_SIZE);
        if (net.memory == NULL) {
            return "not enough memory for the network stack";
        }
    } else {
        memset(net.memory, 0, stack_bytes());
    }
    net.began = tsc_read();
    return stack_begin(net.memory, now_ms, SEED);
}

static const char *open_nic(struct end *end)
{
    const struct nic_user user = {
        .receive = receive,
        .arrived = net.options.interrupts ? arrived : NULL,
        .argument = end,
    };

    return end->nic == NULL ? NULL : nic_open(end->nic, &user);
}

/* Adds the NIC to the stack. The interface announces its address at once, so all NICs must be open
 * already. */
static const char *add_interface(unsigned index)
{
    const struct net_settings *settings = net_settings();
    struct end *end = &net.end[index];
    struct stack_link link = {.send = send, .argument = end};

    if (end->nic == NULL) {
        return NULL;
    }
    memcpy(link.mac, end->nic->mac, sizeof(link.mac));
    end->interface =
        stack_add(&link, settings->address + index, settings->prefix, settings->gateway);
    return end->interface == NULL ? "the stack takes no more interfaces" : NULL;
}

static const char *open_all(void)
{
    const char *why = begin_stack();

    if (why != NULL) {
        return why;
    }
    net.up = true;
    for (unsigned i = 0; i < NICS_OF_PATH && why == NULL; i++) {
        why = open_nic(&net.end[i]);
    }
    for (unsigned i = 0; i < NICS_OF_PATH && why == NULL; i++) {
        why = add_interface(i);
    }
    if (why == NULL && net.options.services && net.options.path != NET_REMOTE &&
        !services_begin(net.options.window)) {
        why = "not enough memory for the network services";
    }
    return why;
}

const char *net_begin(const struct net_options *options)
{
    const char *why = find_nics(options->path);

    if (why != NULL) {
        return why;
    }
    net.options = *options;
    net.pending = false;
    net.within = true;
    net.timer = (struct timer){0};
    if (options->interrupts) {
        mutex_init(&net.mutex, "network", true);
        dpc_init(&net.dpc, "network", on_dpc, NULL);
    }
    why = open_all();
    if (why != NULL) {
        net_end();
        return why;
    }
    release();
    return NULL;
}

static void close_all(void)
{
    for (unsigned i = 0; i < NICS_OF_PATH; i++) {
        if (net.end[i].nic != NULL && net.end[i].nic->open) {
            nic_close(net.end[i].nic);
        }
        net.end[i] = (struct end){0};
    }
    if (net.up) {
        stack_end();
        net.up = false;
    }
}

void net_end(void)
{
    net.within = true; /* the DPC feeds nothing from now on */
    if (net.options.interrupts) {
        const uint64_t flags = interrupts_save();

        if (net.timer.armed) {
            timer_stop(&net.timer);
        }
        interrupts_restore(flags);
    }
    close_all();
}

void net_abandon(void)
{
    net.within = true;
    close_all();
}

/* ---- properties of the path ---- */

uint32_t net_own(void)
{
    return net.options.path == NET_LOOPBACK ? LOOPBACK : net_settings()->address;
}

uint32_t net_other(void)
{
    const struct net_settings *settings = net_settings();

    switch (net.options.path) {
    case NET_LOOPBACK:
        return LOOPBACK;
    case NET_PAIR:
        return settings->address + 1;
    default:
        return settings->peer;
    }
}

const char *net_interrupt(void)
{
    return net.end[0].nic == NULL ? "none" : device_interrupt_name(net.end[0].nic->interrupt);
}

struct nic *net_nic(unsigned index)
{
    return net.end[index].nic;
}

const struct net_passage *net_passage(void)
{
    return &net.passage;
}

const struct net_passage *net_last_passage(unsigned index)
{
    return &net.end[index].last;
}
