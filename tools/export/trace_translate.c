/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/trace_translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/input/event.h"
#include "kernel/trace/names.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/trace/accounting.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define THREADS (UINT16_MAX + 1)
#define NUMBERS (UINT8_MAX + 1) /* numbers of vectors, DPCs and system calls */

#define PRIO_UNKNOWN 0
#define TID_UNKNOWN  (-1)
#define CPU_UNKNOWN  UINT32_MAX
#define IRQ_HANDLED  1
#define RWBS_READ    (1u << 2) /* value of lttng-modules' block.h */
#define SECTOR_BYTES 512
#define LINUX_EIO    INT64_C(5)

/* Requests that are remembered: this many in a row for each of this many disks. No kernel of tare
 * has more at once. Powers of two. */
#define REQUEST_DISKS   16
#define REQUESTS_A_DISK 1024

/* values of Linux: the state of task_struct in sched_switch, and enum lttng_process_status */
enum linux_state { LINUX_RUNNING = 0, LINUX_SLEEPING = 1, LINUX_DEAD = 64 };
enum lttng_status { STATUS_WAIT_CPU = 2, STATUS_WAIT = 5, STATUS_RUN = 6, STATUS_DEAD = 7 };
enum lttng_thread_type { TYPE_USER = 0, TYPE_KERNEL = 1 };
#define LTTNG_MODE_UNKNOWN 5

enum fixed_class {
    CLASS_STATEDUMP,
    CLASS_SWITCH,
    CLASS_WAKEUP,
    CLASS_ISR_ENTRY,
    CLASS_ISR_EXIT,
    CLASS_DPC_QUEUE,
    CLASS_DPC_ENTRY,
    CLASS_DPC_EXIT,
    CLASS_BLOCK_ISSUE,
    CLASS_BLOCK_COMPLETE,
    CLASS_MIGRATE,
    FIXED_CLASSES,
};

/* Kinds of objects that labels name. LABELS_HOLDER are threads and TRACE_NO_HOLDER. */
enum label_kind {
    LABELS_THREAD,
    LABELS_PROCESS,
    LABELS_VECTOR,
    LABELS_DPC,
    LABELS_LOCK,
    LABELS_MARK,
    LABELS_SYSCALL,
    LABELS_QUEUE,
    LABELS_DEVICE,
    LABELS_HOLDER,
    LABEL_KINDS,
};

struct thread_info {
    uint32_t text; /* number of its name; 0: none yet */
    int32_t prio;
    int32_t pid;  /* Linux's pid: the tid of a process's first thread */
    uint32_t cpu; /* where it ran or was moved to last; CPU_UNKNOWN */
};

/* a request to a disk */
struct request_info {
    bool open;
    uint16_t disk;
    uint32_t serial;
    uint64_t sector;
    uint32_t sectors;
};

struct translator {
    const struct run_bench *bench;
    struct export_class *classes;
    size_t class_count, class_capacity;
    size_t class_of[TRACE_ID_LIMIT]; /* class of events that are not fixed, by event id */
    /* class of a system call's entry, by number; the class of its exit follows */
    size_t entry_of[NUMBERS];
    struct export_labels labels[LABEL_KINDS];
    char **texts;
    size_t text_count, text_capacity;
    struct thread_info *threads; /* THREADS entries */
    /* tid + 1 of the first thread of each process, THREADS entries; 0: none yet */
    int32_t *leaders;
    uint32_t vector_text[NUMBERS];
    uint32_t dpc_text[NUMBERS];
    struct request_info *requests; /* REQUEST_DISKS * REQUESTS_A_DISK entries */
    uint32_t *device_text;         /* THREADS entries */
    /* tid of the running thread of each processor; TID_UNKNOWN */
    int32_t current[RUN_PROCESSORS_MAX];
    /* its name if it is unknown; not empty, because babeltrace2 misreads an empty name */
    uint32_t unknown_text;
};

static const char *const label_kinds[LABEL_KINDS] = {
    [LABELS_THREAD] = OBJECT_NAME_THREAD,   [LABELS_PROCESS] = OBJECT_NAME_PROCESS,
    [LABELS_VECTOR] = OBJECT_NAME_VECTOR,   [LABELS_DPC] = OBJECT_NAME_DPC,
    [LABELS_LOCK] = OBJECT_NAME_LOCK,       [LABELS_MARK] = OBJECT_NAME_MARK,
    [LABELS_SYSCALL] = OBJECT_NAME_SYSCALL, [LABELS_QUEUE] = OBJECT_NAME_QUEUE,
    [LABELS_DEVICE] = OBJECT_NAME_DEVICE,   [LABELS_HOLDER] = OBJECT_NAME_THREAD,
};

/* ---- texts ---- */

/* Adds the text PREFIX followed by TEXT. Returns its number. */
static uint32_t add_text(struct translator *translator, const char *prefix, const char *text)
{
    char whole[EXPORT_NAME_MAX + 1];

    snprintf(whole, sizeof(whole), "%s%s", prefix, text);
    char *kept = alloc_zeroed(strlen(whole) + 1);

    for (size_t i = 0; whole[i] != '\0'; i++) {
        kept[i] = whole[i] >= ' ' && whole[i] <= '~' ? whole[i] : '?';
    }
    translator->texts = alloc_grow(translator->texts, &translator->text_capacity,
                                   translator->text_count + 1, sizeof(*translator->texts));
    translator->texts[translator->text_count] = kept;
    return (uint32_t)translator->text_count++;
}

static uint32_t account_text(struct translator *translator, enum account_kind kind, uint64_t id)
{
    char name[ACCOUNT_NAME_MAX];

    return add_text(translator, "", account_name(translator->bench, kind, (uint32_t)id, name));
}

/* Returns the text for a vector or a DPC. */
static uint32_t number_text(struct translator *translator, enum account_kind kind,
                            uint32_t texts[NUMBERS], uint64_t number)
{
    if (texts[number] == 0) {
        texts[number] = account_text(translator, kind, number);
    }
    return texts[number];
}

/* ---- labels ---- */

static bool has_label(const struct export_label *items, size_t count, uint64_t value)
{
    return SEARCH_ANY(i, count, items[i].value == value);
}

static void build_labels(struct translator *translator, enum label_kind kind)
{
    const struct run_bench *bench = translator->bench;
    struct export_label *items = alloc_zeroed((bench->object_count + 1) * sizeof(*items));
    size_t count = 0;

    if (kind == LABELS_HOLDER) {
        items[count++] = (struct export_label){TRACE_NO_HOLDER, "nobody"};
    }
    for (size_t i = 0; i < bench->object_count; i++) {
        const struct run_object *object = &bench->objects[i];

        if (strcmp(object->kind, label_kinds[kind]) == 0 && object->name != NULL &&
            !has_label(items, count, object->id)) {
            const uint32_t text = add_text(translator, "", object->name);

            items[count++] = (struct export_label){object->id, translator->texts[text]};
        }
    }
    translator->labels[kind] = (struct export_labels){items, count};
}

/* Defines the labels of what has `count` values, all of which have names. */
#define LABELS(of, count, ...)                                             \
    static const struct export_label of##_items[] = {__VA_ARGS__};         \
    _Static_assert(COUNT(of##_items) == (count), "each value has a name"); \
    static const struct export_labels of##_labels = {of##_items, COUNT(of##_items)}

LABELS(state, 4, {THREAD_RUNNING, "running"}, {THREAD_READY, "ready"}, {THREAD_WAITING, "waiting"},
       {THREAD_ENDED, "ended"});
LABELS(reason, WAIT_REASONS, {WAIT_NONE, "none"}, {WAIT_PREEMPTED, "preempted"},
       {WAIT_YIELD, "yield"}, {WAIT_MESSAGE, "message"}, {WAIT_SPECIFIC, "specific"},
       {WAIT_PIPE_EMPTY, "pipe_empty"}, {WAIT_PIPE_FULL, "pipe_full"},
       {WAIT_SEMAPHORE, "semaphore"}, {WAIT_MUTEX, "mutex"}, {WAIT_SLEEP, "sleep"},
       {WAIT_JOIN, "join"}, {WAIT_EXIT, "exit"}, {WAIT_OVERTAKEN, "overtaken"},
       {WAIT_QUEUE, "queue"}, {WAIT_QUEUE_IDLE, "queue_idle"}, {WAIT_DISK, "disk"},
       {WAIT_QUANTUM, "quantum"});
LABELS(by, 3, {TRACE_BY_THREAD >> 12, "thread"}, {TRACE_BY_VECTOR >> 12, "vector"},
       {TRACE_BY_DPC >> 12, "dpc"});
LABELS(fault, FAULT_KINDS, {FAULT_DEMAND_ZERO, "demand_zero"},
       {FAULT_COPY_ON_WRITE, "copy_on_write"}, {FAULT_PROTECTION, "protection"},
       {FAULT_MINOR, "minor"}, {FAULT_FILE, "file"}, {FAULT_SOFT, "soft"});
LABELS(change, INPUT_KINDS, {INPUT_KEY_DOWN, "key_down"}, {INPUT_KEY_UP, "key_up"},
       {INPUT_BUTTON_DOWN, "button_down"}, {INPUT_BUTTON_UP, "button_up"}, {INPUT_MOVE, "move"});
LABELS(type, QUEUE_MESSAGE_TYPES, {QUEUE_KEY_DOWN, "key_down"}, {QUEUE_KEY_UP, "key_up"},
       {QUEUE_BUTTON_DOWN, "button_down"}, {QUEUE_BUTTON_UP, "button_up"}, {QUEUE_MOVE, "move"},
       {QUEUE_TIMER, "timer"}, {QUEUE_SYNC, "sync"}, {QUEUE_IO_DONE, "io_done"},
       {QUEUE_PAINT, "paint"}, {QUEUE_QUIT, "quit"});
LABELS(call, QUEUE_CALLS, {QUEUE_CALL_GET, "get"}, {QUEUE_CALL_PEEK, "peek"},
       {QUEUE_CALL_WAIT_IDLE, "wait_idle"}, {QUEUE_RETURN_EMPTY, "return_empty"},
       {QUEUE_RETURN_LEFT, "return_left"}, {QUEUE_RETURN_IDLE, "return_idle"});
LABELS(request, IO_KINDS, {IO_SYNCHRONOUS, "synchronous"}, {IO_ASYNCHRONOUS, "asynchronous"});
LABELS(error, BLOCK_ERRORS, {BLOCK_GOOD, "good"}, {BLOCK_TIMEOUT, "timeout"},
       {BLOCK_MEDIUM, "medium"}, {BLOCK_DEVICE, "device"}, {BLOCK_GONE, "gone"},
       {BLOCK_REFUSED, "refused"});
LABELS(boost, BOOST_REASONS, {BOOST_DECAY, "decay"}, {BOOST_INPUT, "input"}, {BOOST_DISK, "disk"},
       {BOOST_TIMER, "timer"}, {BOOST_STARVED, "starved"}, {BOOST_WAIT, "wait"});
LABELS(ipi, IPI_REASONS, {IPI_RESCHEDULE, "reschedule"}, {IPI_SHOOTDOWN, "shootdown"});

/* ---- classes ---- */

/* what follows the name of a field: type, bytes, labels */
#define TEXT         EXPORT_TEXT, 0, NULL
#define INT          EXPORT_SIGNED, 4, NULL
#define S64          EXPORT_SIGNED, 8, NULL
#define U8           EXPORT_UNSIGNED, 1, NULL
#define U16          EXPORT_UNSIGNED, 2, NULL
#define U32          EXPORT_UNSIGNED, 4, NULL
#define U64          EXPORT_UNSIGNED, 8, NULL
#define U8_NAMED(of) EXPORT_NAMED, 1, of

static const struct export_class fixed_classes[FIXED_CLASSES] = {
    [CLASS_STATEDUMP] =
        {
            "lttng_statedump_process_state",
            12,
            {{"tid", INT},
             {"pid", INT},
             {"ppid", INT},
             {"name", TEXT},
             {"type", INT},
             {"mode", INT},
             {"status", INT},
             {"prio", INT},
             {"process", U16},
             {"state", U8_NAMED(&state_labels)},
             {"reason", U8_NAMED(&reason_labels)},
             {"starts", U8}},
        },
    [CLASS_SWITCH] =
        {
            "sched_switch",
            9,
            {{"prev_comm", TEXT},
             {"prev_tid", INT},
             {"prev_prio", INT},
             {"prev_state", S64},
             {"next_comm", TEXT},
             {"next_tid", INT},
             {"next_prio", INT},
             {"state", U8_NAMED(&state_labels)},
             {"reason", U8_NAMED(&reason_labels)}},
        },
    [CLASS_WAKEUP] =
        {
            "sched_wakeup",
            6,
            {{"comm", TEXT},
             {"tid", INT},
             {"prio", INT},
             {"target_cpu", INT},
             {"by_kind", U8_NAMED(&by_labels)},
             {"by", U16}},
        },
    [CLASS_ISR_ENTRY] = {"irq_handler_entry", 2, {{"irq", INT}, {"name", TEXT}}},
    [CLASS_ISR_EXIT] = {"irq_handler_exit", 2, {{"irq", INT}, {"ret", INT}}},
    [CLASS_DPC_QUEUE] = {"softirq_raise", 2, {{"vec", U32}, {"name", TEXT}}},
    [CLASS_DPC_ENTRY] = {"softirq_entry", 2, {{"vec", U32}, {"name", TEXT}}},
    [CLASS_DPC_EXIT] = {"softirq_exit", 2, {{"vec", U32}, {"name", TEXT}}},
    [CLASS_BLOCK_ISSUE] =
        {
            "block_rq_issue",
            10,
            {{"dev", U32},
             {"sector", U64},
             {"nr_sector", U32},
             {"bytes", U32},
             {"tid", INT},
             {"rwbs", U32},
             {"comm", TEXT},
             {"disk", TEXT},
             {"serial", U32},
             {"outstanding", U16}},
        },
    [CLASS_BLOCK_COMPLETE] =
        {
            "block_rq_complete",
            9,
            {{"dev", U32},
             {"sector", U64},
             {"nr_sector", U32},
             {"error", INT},
             {"rwbs", U32},
             {"disk", TEXT},
             {"serial", U32},
             {"outcome", U8_NAMED(&error_labels)},
             {"outstanding", U16}},
        },
    [CLASS_MIGRATE] =
        {
            "sched_migrate_task",
            5,
            {{"comm", TEXT}, {"tid", INT}, {"prio", INT}, {"orig_cpu", INT}, {"dest_cpu", INT}},
        },
};

/* events that have one of these classes or the class of their system call */
static const bool is_fixed[TRACE_ID_LIMIT] = {
    [TRACE_ID_thread_is] = true,      [TRACE_ID_thread_start] = true,
    [TRACE_ID_thread_switch] = true,  [TRACE_ID_thread_ready] = true,
    [TRACE_ID_isr_entry] = true,      [TRACE_ID_isr_exit] = true,
    [TRACE_ID_dpc_queue] = true,      [TRACE_ID_dpc_entry] = true,
    [TRACE_ID_dpc_exit] = true,       [TRACE_ID_syscall_entry] = true,
    [TRACE_ID_syscall_exit] = true,   [TRACE_ID_block_issue] = true,
    [TRACE_ID_block_complete] = true, [TRACE_ID_thread_migrate] = true,
};

/* kinds of objects that a field refers to, by the field's name */
static const struct {
    const char *field;
    enum label_kind kind;
} object_fields[] = {
    {"thread", LABELS_THREAD},   {"to", LABELS_THREAD},     {"from", LABELS_THREAD},
    {"process", LABELS_PROCESS}, {"vector", LABELS_VECTOR}, {"dpc", LABELS_DPC},
    {"lock", LABELS_LOCK},       {"what", LABELS_MARK},     {"number", LABELS_SYSCALL},
    {"holder", LABELS_HOLDER},   {"queue", LABELS_QUEUE},   {"device", LABELS_DEVICE},
};

/* labels of fields whose values have names, by the field's name */
static const struct {
    const char *field;
    const struct export_labels *labels;
} value_fields[] = {
    {"kind", &fault_labels}, {"change", &change_labels},   {"type", &type_labels},
    {"call", &call_labels},  {"request", &request_labels},
};

static const struct export_labels *labels_of(const struct translator *translator, uint32_t id,
                                             const struct export_field *field)
{
    if (strcmp(field->name, "why") == 0) {
        return id == TRACE_ID_ipi ? &ipi_labels : &boost_labels;
    }
    /* a `from` or `to` of one byte is a processor or a priority */
    for (size_t i = 0; i < COUNT(object_fields) && field->bytes > 1; i++) {
        if (strcmp(object_fields[i].field, field->name) == 0) {
            return &translator->labels[object_fields[i].kind];
        }
    }
    for (size_t i = 0; i < COUNT(value_fields); i++) {
        if (strcmp(value_fields[i].field, field->name) == 0) {
            return value_fields[i].labels;
        }
    }
    return NULL;
}

bool export_label_fits(const struct export_field *field, const struct export_label *label)
{
    return field->bytes >= 8 || label->value >> field->bytes * 8 == 0;
}

static bool is_named(const struct export_field *field)
{
    for (size_t i = 0; field->labels != NULL && i < field->labels->count; i++) {
        if (export_label_fits(field, &field->labels->item[i])) {
            return true;
        }
    }
    return false;
}

static struct export_class *append_class(struct translator *translator)
{
    return ALLOC_NEXT(translator->classes, translator->class_count, translator->class_capacity);
}

/* Adds a class named PREFIX followed by NAME. */
static struct export_class *add_class(struct translator *translator, const char *prefix,
                                      const char *name)
{
    const uint32_t text = add_text(translator, prefix, name);
    struct export_class *class = append_class(translator);

    class->name = translator->texts[text];
    return class;
}

static void add_own_class(struct translator *translator, uint32_t id)
{
    const struct trace_class *own = trace_class_of(id);
    struct export_class *class = add_class(translator, "tare_", own->name);

    class->field_count = own->field_count;
    for (size_t i = 0; i < own->field_count; i++) {
        struct export_field *field = &class->field[i];

        field->name = own->field_name[i];
        field->bytes = own->field_bytes[i];
        field->labels = labels_of(translator, id, field);
        if (is_named(field)) {
            field->type = EXPORT_NAMED;
        } else if (strcmp(field->name, "address") == 0) {
            field->type = EXPORT_HEX;
        }
    }
    translator->class_of[id] = translator->class_count - 1;
}

/* Adds the classes for entry and exit of a system call. Other characters become '_', because some
 * readers require names of events to be identifiers. Returns the index of the first. */
static size_t add_call_classes(struct translator *translator, const char *name)
{
    static const char *const prefixes[] = {"sys_", "exit_syscall_"};
    const size_t first = translator->class_count;
    char identifier[EXPORT_NAME_MAX + 1];

    snprintf(identifier, sizeof(identifier), "%s", name);
    for (char *at = identifier; *at != '\0'; at++) {
        const bool taken =
            (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');

        *at = taken ? *at : '_';
    }
    for (size_t i = 0; i < COUNT(prefixes); i++) {
        struct export_class *class = add_class(translator, prefixes[i], identifier);

        class->field_count = 1;
        class->field[0] = (struct export_field){"number", U8};
    }
    return first;
}

static void build_classes(struct translator *translator)
{
    for (size_t i = 0; i < FIXED_CLASSES; i++) {
        *append_class(translator) = fixed_classes[i];
    }
    for (uint32_t id = 0; id < TRACE_ID_LIMIT; id++) {
        if (trace_class_of(id) != NULL && !is_fixed[id]) {
            add_own_class(translator, id);
        }
    }
    const size_t unnamed = add_call_classes(translator, "unnamed");
    const struct export_labels *calls = &translator->labels[LABELS_SYSCALL];

    for (size_t i = 0; i < NUMBERS; i++) {
        translator->entry_of[i] = unnamed;
    }
    for (size_t i = 0; i < calls->count; i++) {
        if (calls->item[i].value < NUMBERS) {
            translator->entry_of[calls->item[i].value] =
                add_call_classes(translator, calls->item[i].name);
        }
    }
}

/* ---- the translator ---- */

uint64_t export_processors(const struct run_bench *bench)
{
    uint64_t set = bench->trace_count == 0;

    for (size_t i = 0; i < bench->trace_count; i++) {
        set |= UINT64_C(1) << EXPORT_SLOT(bench->traces[i].cpu);
    }
    return set;
}

struct translator *translator_create(const struct run_bench *bench)
{
    struct translator *translator = alloc_zeroed(sizeof(*translator));

    translator->bench = bench;
    translator->threads = alloc_zeroed(THREADS * sizeof(*translator->threads));
    translator->leaders = alloc_zeroed(THREADS * sizeof(*translator->leaders));
    translator->device_text = alloc_zeroed(THREADS * sizeof(*translator->device_text));
    translator->requests =
        alloc_zeroed(REQUEST_DISKS * REQUESTS_A_DISK * sizeof(*translator->requests));
    memset(translator->current, 0xff, sizeof(translator->current)); /* TID_UNKNOWN */
    add_text(translator, "", "");                                   /* number 0 means none */
    translator->unknown_text = add_text(translator, "", "unknown");
    for (size_t i = 0; i < LABEL_KINDS; i++) {
        build_labels(translator, (enum label_kind)i);
    }
    build_classes(translator);
    return translator;
}

void translator_destroy(struct translator *translator)
{
    for (size_t i = 0; i < LABEL_KINDS; i++) {
        free((void *)translator->labels[i].item);
    }
    for (size_t i = 0; i < translator->text_count; i++) {
        free(translator->texts[i]);
    }
    free(translator->texts);
    free(translator->classes);
    free(translator->threads);
    free(translator->leaders);
    free(translator->device_text);
    free(translator->requests);
    free(translator);
}

size_t translator_class_count(const struct translator *translator)
{
    return translator->class_count;
}

const struct export_class *translator_class(const struct translator *translator, size_t index)
{
    return &translator->classes[index];
}

const char *translator_text(const struct translator *translator, size_t number)
{
    return translator->texts[number];
}

/* ---- events ---- */

static int32_t prio_of(uint64_t priority)
{
    return -1 - (int32_t)priority;
}

/* Returns what is known of a thread, which may be only its name. */
static struct thread_info *thread_of(struct translator *translator, uint64_t thread)
{
    struct thread_info *info = &translator->threads[thread];

    if (info->text == 0) {
        info->text = account_text(translator, ACCOUNT_THREAD, thread);
        info->prio = PRIO_UNKNOWN;
        info->pid = (int32_t)thread;
        info->cpu = CPU_UNKNOWN;
    }
    return info;
}

/* Returns the pid of a thread. Each thread of the kernel (process 0) counts as a process by itself.
 */
static int32_t pid_of(struct translator *translator, uint64_t thread, uint64_t process)
{
    int32_t *leader = &translator->leaders[process];

    if (process == 0) {
        return (int32_t)thread;
    }
    if (*leader == 0) {
        *leader = (int32_t)thread + 1;
    }
    return *leader - 1;
}

/* Notes that a thread runs on a processor. */
static void run_on(struct translator *translator, uint64_t thread, uint32_t cpu)
{
    struct thread_info *info = thread_of(translator, thread);

    info->cpu = cpu;
    translator->current[EXPORT_SLOT(cpu)] = (int32_t)thread;
}

/* a thread's state in the terms of LTTng and Linux */
static const struct {
    enum lttng_status status;
    enum linux_state state;
} thread_states[] = {
    [THREAD_RUNNING] = {STATUS_RUN, LINUX_RUNNING},
    [THREAD_READY] = {STATUS_WAIT_CPU, LINUX_RUNNING},
    [THREAD_WAITING] = {STATUS_WAIT, LINUX_SLEEPING},
    [THREAD_ENDED] = {STATUS_DEAD, LINUX_DEAD},
};

static size_t known_state(uint64_t state)
{
    return state < COUNT(thread_states) ? (size_t)state : THREAD_ENDED;
}

static void put_statedump(struct translator *translator, const struct trace_event *event,
                          uint64_t *value)
{
    const bool starts = event->id == TRACE_ID_thread_start;
    const uint64_t thread = event->field[0];
    const uint64_t process = event->field[1];
    const uint64_t state = starts ? THREAD_READY : event->field[3];
    struct thread_info *info = thread_of(translator, thread);

    info->prio = prio_of(event->field[2]);
    info->pid = pid_of(translator, thread, process);
    value[0] = thread;
    value[1] = (uint64_t)info->pid;
    value[2] = 0; /* no parent */
    value[3] = info->text;
    value[4] = process == 0 ? TYPE_KERNEL : TYPE_USER;
    value[5] = LTTNG_MODE_UNKNOWN;
    value[6] = thread_states[known_state(state)].status;
    value[7] = (uint64_t)info->prio;
    value[8] = process;
    value[9] = state;
    value[10] = starts ? WAIT_NONE : event->field[4];
    value[11] = starts;
    if (state == THREAD_RUNNING) {
        run_on(translator, thread, event->cpu);
    }
}

static void put_switch(struct translator *translator, const struct trace_event *event,
                       uint64_t *value)
{
    const struct thread_info *old = thread_of(translator, event->field[0]);
    const struct thread_info *new = thread_of(translator, event->field[1]);
    const uint64_t state = TRACE_WHY_STATE(event->field[2]);

    value[0] = old->text;
    value[1] = event->field[0];
    value[2] = (uint64_t)old->prio;
    value[3] = thread_states[known_state(state)].state;
    value[4] = new->text;
    value[5] = event->field[1];
    value[6] = (uint64_t) new->prio;
    value[7] = state;
    value[8] = TRACE_WHY_REASON(event->field[2]);
}

static void put_wakeup(struct translator *translator, const struct trace_event *event,
                       uint64_t *value)
{
    const struct thread_info *info = thread_of(translator, event->field[0]);

    value[0] = info->text;
    value[1] = event->field[0];
    value[2] = (uint64_t)info->prio;
    value[3] = info->cpu != CPU_UNKNOWN ? info->cpu : event->cpu;
    value[4] = event->field[1] >> 12;
    value[5] = event->field[1] & ~TRACE_BY_KIND & UINT16_MAX;
}

static void put_migrate(struct translator *translator, const struct trace_event *event,
                        uint64_t *value)
{
    struct thread_info *info = thread_of(translator, event->field[0]);

    info->cpu = (uint32_t)event->field[2];
    value[0] = info->text;
    value[1] = event->field[0];
    value[2] = (uint64_t)info->prio;
    value[3] = event->field[1];
    value[4] = event->field[2];
}

/* ---- disks ---- */

static uint32_t device_text(struct translator *translator, uint64_t device)
{
    uint32_t *text = &translator->device_text[device];

    if (*text == 0) {
        const char *name = run_object_name(translator->bench, OBJECT_NAME_DEVICE, (uint32_t)device);
        char number[16];

        snprintf(number, sizeof(number), "disk %u", (unsigned)device);
        *text = add_text(translator, "", name != NULL ? name : number);
    }
    return *text;
}

static struct request_info *request_of(struct translator *translator,
                                       const struct trace_event *event)
{
    return &translator->requests[event->field[0] % REQUEST_DISKS * REQUESTS_A_DISK +
                                 event->field[1] % REQUESTS_A_DISK];
}

static void put_issue(struct translator *translator, const struct trace_event *event,
                      uint64_t *value)
{
    const int32_t tid = translator->current[EXPORT_SLOT(event->cpu)];

    *request_of(translator, event) = (struct request_info){
        .open = true,
        .disk = (uint16_t)event->field[0],
        .serial = (uint32_t)event->field[1],
        .sector = event->field[2],
        .sectors = (uint32_t)event->field[3],
    };
    value[0] = event->field[0];
    value[1] = event->field[2];
    value[2] = event->field[3];
    value[3] = event->field[3] * SECTOR_BYTES & UINT32_MAX;
    value[4] = (uint64_t)tid;
    value[5] = RWBS_READ;
    value[6] =
        tid == TID_UNKNOWN ? translator->unknown_text : thread_of(translator, (uint64_t)tid)->text;
    value[7] = device_text(translator, event->field[0]);
    value[8] = event->field[1];
    value[9] = event->field[4];
}

/* Translates a completion. If its issue is not in the trace, it has no sectors, at the last
 * address. */
static void put_complete(struct translator *translator, const struct trace_event *event,
                         uint64_t *value)
{
    struct request_info *request = request_of(translator, event);
    const bool known =
        request->open && request->disk == event->field[0] && request->serial == event->field[1];

    value[0] = event->field[0];
    value[1] = known ? request->sector : UINT64_MAX;
    value[2] = known ? request->sectors : 0;
    value[3] = event->field[2] == BLOCK_GOOD ? 0 : (uint64_t)-LINUX_EIO;
    value[4] = RWBS_READ;
    value[5] = device_text(translator, event->field[0]);
    value[6] = event->field[1];
    value[7] = event->field[2];
    value[8] = event->field[3];
    request->open = request->open && !known;
}

/* ---- all events ---- */

static void put_numbered(uint64_t *value, uint64_t number, uint64_t other)
{
    value[0] = number;
    value[1] = other;
}

/* Fills the values. Returns the index of the class. */
static size_t put_event(struct translator *translator, const struct trace_event *event,
                        uint64_t *value)
{
    const uint64_t first = event->field[0];

    switch (event->id) {
    case TRACE_ID_thread_is:
    case TRACE_ID_thread_start:
        put_statedump(translator, event, value);
        return CLASS_STATEDUMP;
    case TRACE_ID_thread_switch:
        put_switch(translator, event, value);
        run_on(translator, event->field[1], event->cpu);
        return CLASS_SWITCH;
    case TRACE_ID_thread_migrate:
        put_migrate(translator, event, value);
        return CLASS_MIGRATE;
    case TRACE_ID_block_issue:
        put_issue(translator, event, value);
        return CLASS_BLOCK_ISSUE;
    case TRACE_ID_block_complete:
        put_complete(translator, event, value);
        return CLASS_BLOCK_COMPLETE;
    case TRACE_ID_thread_ready:
        put_wakeup(translator, event, value);
        return CLASS_WAKEUP;
    case TRACE_ID_thread_priority:
        thread_of(translator, first)->prio = prio_of(event->field[1]);
        break;
    case TRACE_ID_thread_boost:
        thread_of(translator, first)->prio = prio_of(event->field[2]);
        break;
    case TRACE_ID_isr_entry:
        put_numbered(value, first,
                     number_text(translator, ACCOUNT_VECTOR, translator->vector_text, first));
        return CLASS_ISR_ENTRY;
    case TRACE_ID_isr_exit:
        put_numbered(value, first, IRQ_HANDLED);
        return CLASS_ISR_EXIT;
    case TRACE_ID_dpc_queue:
    case TRACE_ID_dpc_entry:
    case TRACE_ID_dpc_exit:
        put_numbered(value, first,
                     number_text(translator, ACCOUNT_DPC, translator->dpc_text, first));
        return CLASS_DPC_QUEUE + (event->id - TRACE_ID_dpc_queue);
    case TRACE_ID_syscall_entry:
    case TRACE_ID_syscall_exit:
        value[0] = first;
        return translator->entry_of[first] + (event->id - TRACE_ID_syscall_entry);
    default:
        break;
    }
    memcpy(value, event->field, sizeof(event->field));
    return translator->class_of[event->id];
}

uint64_t translator_ns(uint64_t tsc, uint64_t hz)
{
    const double ns = 1e9 * (double)tsc / (double)hz;

    if (hz == 1000000000) {
        return tsc;
    }
    return ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
}

void translator_lost(struct translator *translator, uint32_t cpu)
{
    translator->current[EXPORT_SLOT(cpu)] = TID_UNKNOWN;
}

void translator_event(struct translator *translator, const struct trace_event *event,
                      struct export_event *exported)
{
    exported->tsc = event->tsc;
    exported->cpu = event->cpu;
    exported->class_index = put_event(translator, event, exported->value);
}
