/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/file_map.h"

#include "kernel/block/file_page.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/task/process.h"
#include "kernel/task/process_space.h"

/* Error code of a page fault (SDM volume 3 section 4.7). */
#define FAULT_PRESENT (1ull << 0)
#define FAULT_WRITE   (1ull << 1)
#define FAULT_USER    (1ull << 2)
#define FAULT_FETCH   (1ull << 4)

#define FLAGS_OFF 2 /* value of RFLAGS with interrupts off; bit 1 is always set */

/* file_fault.S */
void file_fault_entry(void) __attribute__((visibility("hidden")));
void file_fault_wait(struct interrupt_frame *frame) __attribute__((visibility("hidden")));

struct mapping {
    struct file *file;
    struct process *process;
    uint64_t begin; /* virtual address */
    uint64_t bytes;
    uint64_t first; /* first mapped page of the file */
};

static struct {
    size_t count;
    uint64_t pages; /* in all mappings: the number of frames that may be pinned */
    struct mapping mappings[FILE_MAPS_MAX];
    uint64_t faults[FAULT_KINDS];
    struct file_fault_stamps *stamps;
    size_t capacity;
    size_t stamped;
} maps;

/* Forgets all mappings, when the session's files end. */
static void forget(void)
{
    maps.count = 0;
    maps.pages = 0;
    maps.faults[FAULT_FILE] = 0;
    maps.faults[FAULT_SOFT] = 0;
    maps.capacity = 0;
    maps.stamped = 0;
}

uint64_t file_fault_count(enum fault_kind kind)
{
    return maps.faults[kind];
}

void file_stamp_faults(struct file_fault_stamps *stamps, size_t capacity)
{
    maps.stamps = stamps;
    maps.capacity = capacity;
    maps.stamped = 0;
}

size_t file_faults_stamped(void)
{
    return maps.stamped;
}

/* ---- faults; interrupts are off ---- */

static const struct mapping *mapping_of(const struct process *process, uint64_t address)
{
    for (size_t i = 0; i < maps.count; i++) {
        const struct mapping *mapping = &maps.mappings[i];

        if (mapping->process == process && address - mapping->begin < mapping->bytes) {
            return mapping;
        }
    }
    return NULL;
}

static uint64_t page_of(const struct mapping *mapping, uint64_t address)
{
    return mapping->first + (address - mapping->begin) / FILE_PAGE;
}

/* Returns the place for the stamps of this fault, or NULL if none is left. */
static struct file_fault_stamps *stamps_for(uint64_t address, uint64_t entered)
{
    if (maps.stamped >= maps.capacity) {
        return NULL;
    }
    struct file_fault_stamps *stamps = &maps.stamps[maps.stamped++];

    *stamps = (struct file_fault_stamps){.address = address, .entered = entered};
    return stamps;
}

static void show(const struct mapping *mapping, uint64_t address, const struct file_page *page)
{
    address_space_show(&mapping->process->space, address, page->bytes, PAGE_SHARED);
}

/* Makes the handler return to file_fault_entry() on the thread's kernel stack, which is empty while
 * ring 3 runs. The address and the stamps are passed in the places of vector and error code. */
static void go_to_own_stack(struct interrupt_frame *frame, uint64_t address,
                            struct file_fault_stamps *stamps)
{
    struct interrupt_frame *kept =
        (struct interrupt_frame *)(uintptr_t)scheduler_running()->stack.top - 1;

    *kept = *frame;
    kept->vector = address;
    kept->error_code = (uint64_t)(uintptr_t)stamps;
    frame->rip = (uint64_t)(uintptr_t)file_fault_entry;
    frame->cs = SELECTOR_CODE;
    frame->rflags = FLAGS_OFF;
    frame->rsp = (uint64_t)(uintptr_t)kept;
    frame->ss = SELECTOR_DATA;
}

static bool resolve_mapped(struct interrupt_frame *frame)
{
    const uint64_t entered = maps.stamped < maps.capacity ? tsc_read_ordered() : 0;
    const uint64_t address = cr2_read();
    const struct mapping *mapping = (frame->error_code & FAULT_USER) != 0
                                        ? mapping_of(scheduler_running()->process, address)
                                        : NULL;
    struct file_page page;

    if (mapping == NULL) {
        return process_resolve_fault(frame);
    }
    if ((frame->error_code & (FAULT_PRESENT | FAULT_WRITE | FAULT_FETCH)) != 0) {
        return false;
    }
    struct file_fault_stamps *stamps = stamps_for(address, entered);

    if (!file_page_try(mapping->file, page_of(mapping, address), &page)) {
        trace_fault_entry(address, FAULT_FILE);
        go_to_own_stack(frame, address, stamps);
        return true;
    }
    if (stamps != NULL) {
        stamps->kind = FAULT_SOFT;
        stamps->found = tsc_read_ordered();
    }
    trace_fault_entry(address, FAULT_SOFT);
    show(mapping, address, &page);
    maps.faults[FAULT_SOFT]++;
    trace_fault_exit(FAULT_SOFT);
    if (stamps != NULL) {
        stamps->shown = tsc_read_ordered();
    }
    return true;
}

/* Returns true if another thread of the process has mapped the page in the meantime. */
static bool is_shown(const struct mapping *mapping, uint64_t address)
{
    enum page_access access;

    return address_space_page(&mapping->process->space, address, &access) != NULL;
}

static void keep_stamps(const struct file_stamps *of_read, struct file_fault_stamps *stamps)
{
    stamps->kind = FAULT_FILE;
    stamps->found = of_read->looked_up;
    stamps->submitted = of_read->submitted;
    stamps->completed = of_read->completed;
    stamps->woken = of_read->woken;
    stamps->shown = tsc_read_ordered();
}

/* Called by file_fault_entry() on the kernel stack of the thread. */
void file_fault_wait(struct interrupt_frame *frame)
{
    const uint64_t address = frame->vector;
    struct file_fault_stamps *stamps = (struct file_fault_stamps *)(uintptr_t)frame->error_code;
    const struct mapping *mapping = mapping_of(scheduler_running()->process, address);
    struct file_stamps of_read;
    struct file_page page;

    const bool good = file_page_get(mapping->file, page_of(mapping, address),
                                    stamps != NULL ? &of_read : NULL, &page);

    if (good && is_shown(mapping, address)) {
        file_page_release(&page);
    } else if (good) {
        show(mapping, address, &page);
    }
    maps.faults[FAULT_FILE]++;
    trace_fault_exit(FAULT_FILE);
    if (!good) {
        thread_exit();
    }
    if (stamps != NULL) {
        keep_stamps(&of_read, stamps);
    }
}

/* ---- mapping ---- */

static bool overlaps(const struct process *process, uint64_t begin, uint64_t bytes)
{
    for (size_t i = 0; i < maps.count; i++) {
        const struct mapping *mapping = &maps.mappings[i];

        if (mapping->process == process && begin < mapping->begin + mapping->bytes &&
            mapping->begin < begin + bytes) {
            return true;
        }
    }
    return false;
}

static bool is_touched(const struct process *process, uint64_t begin, uint64_t bytes)
{
    enum page_access access;

    for (uint64_t at = begin; at < begin + bytes; at += FILE_PAGE) {
        if (address_space_page(&process->space, at, &access) != NULL) {
            return true;
        }
    }
    return false;
}

static const char *check(const struct file *file, const struct process *process, uint64_t offset,
                         uint64_t first, uint64_t pages)
{
    const uint64_t all = (file_bytes(file) + FILE_PAGE - 1) / FILE_PAGE;
    const uint64_t begin = PROCESS_BASE + offset;

    if (!file_pages_kept()) {
        return "files can be mapped only with a page cache, and there is none";
    }
    if (offset % FILE_PAGE != 0 || pages == 0 || offset > PROCESS_BYTES ||
        pages > (PROCESS_BYTES - offset) / FILE_PAGE) {
        return "a mapping must consist of whole pages of the process's memory";
    }
    if (first > all || pages > all - first) {
        return "the mapping reaches beyond the end of the file";
    }
    if (maps.count == FILE_MAPS_MAX) {
        return "too many files are mapped";
    }
    if (overlaps(process, begin, pages * FILE_PAGE) ||
        is_touched(process, begin, pages * FILE_PAGE)) {
        return "the process already uses memory at the address of the mapping";
    }
    /* One frame must be left for other reads. */
    if (pages + maps.pages >= file_pages_frames()) {
        return "the mapped files do not fit into the page cache; raise cache.mib";
    }
    return NULL;
}

const char *file_map(struct file *file, struct process *process, uint64_t offset, uint64_t first,
                     uint64_t pages)
{
    const uint64_t flags = interrupts_save();
    const char *why = check(file, process, offset, first, pages);

    if (why == NULL) {
        maps.mappings[maps.count++] = (struct mapping){
            .file = file,
            .process = process,
            .begin = PROCESS_BASE + offset,
            .bytes = pages * FILE_PAGE,
            .first = first,
        };
        maps.pages += pages;
        files_at_end(forget);
        exception_set_resolver(resolve_mapped);
    }
    interrupts_restore(flags);
    return why;
}

/* file_fault.S relies on this. */
_Static_assert(sizeof(struct interrupt_frame) % 16 == 0, "the stack stays aligned");
