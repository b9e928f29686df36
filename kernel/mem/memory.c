/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/mem/memory.h"

#define FIRST_ADDRESS 0x100000ull
#define LOW_END       0xa0000ull /* the legacy video memory begins here */
#define LARGE_PAGE    0x200000ull

struct free_range {
    uint64_t next; /* first byte not handed out */
    uint64_t end;
    uint64_t guard; /* address of the guard page; 0 if there is none */
};

/* One range may be split for the reserve, and one for each node's page. */
static struct free_range ranges[HANDOFF_RANGES_MAX + 1 + MEMORY_NODE_PAGES_MAX];
static size_t range_count;
static uint64_t total;
static const struct handoff *map; /* the only place where memory below FIRST_ADDRESS is recorded */

static struct free_range *largest_range(void)
{
    struct free_range *largest = &ranges[0];

    for (size_t i = 1; i < range_count; i++) {
        if (ranges[i].end - ranges[i].next > largest->end - largest->next) {
            largest = &ranges[i];
        }
    }
    return largest;
}

static void set_guards(void)
{
    const struct free_range *largest = largest_range();

    for (size_t i = 0; i < range_count; i++) {
        struct free_range *range = &ranges[i];
        const bool costly = range == largest && range->end % LARGE_PAGE == 0;

        if (!costly && range->end - range->next >= MEMORY_GUARDED_BYTES) {
            range->end -= PAGE_SIZE;
            range->guard = range->end;
        }
    }
}

void memory_init(const struct handoff *handoff)
{
    range_count = 0;
    total = 0;
    map = handoff;
    for (uint32_t i = 0; i < handoff->range_count; i++) {
        const struct memory_range *range = &handoff->ranges[i];
        const uint64_t end = range->address + range->pages * PAGE_SIZE;
        const uint64_t start = range->address < FIRST_ADDRESS ? FIRST_ADDRESS : range->address;

        if (range->kind == MEMORY_FREE && start < end) {
            ranges[range_count++] = (struct free_range){start, end, 0};
            total += end - start;
        }
    }
    set_guards();
}

size_t memory_ranges(void)
{
    return range_count;
}

uint64_t memory_guard(size_t range)
{
    return ranges[range].guard;
}

bool memory_is_guard(uint64_t address)
{
    for (size_t i = 0; i < range_count; i++) {
        if (ranges[i].guard != 0 && address - ranges[i].guard < PAGE_SIZE) {
            return true;
        }
    }
    return false;
}

/* Clears memory without the library's memset, whose non-temporal stores would leave the memory out
 * of the caches. */
static void *clear(void *memory, size_t bytes)
{
    void *at = memory;

    __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(0) : "memory");
    return memory;
}

static uint64_t align_up(uint64_t address, uint64_t alignment)
{
    return (address + alignment - 1) & ~(alignment - 1);
}

static size_t allocations_left = MEMORY_UNLIMITED;

void memory_limit_allocations(size_t count)
{
    allocations_left = count;
}

/* Counts an allocation. Returns whether the limit for tests rejects it. */
static bool refused(void)
{
    if (allocations_left != MEMORY_UNLIMITED && allocations_left > 0) {
        allocations_left--;
        return false;
    }
    return allocations_left == 0;
}

bool memory_places_by_size;

void *memory_allocate(size_t bytes, size_t alignment)
{
    const bool by_size = memory_places_by_size && alignment < MEMORY_SETS_BYTES;
    const uint64_t skip = by_size ? ((uint32_t)(bytes * 0x9e3779b1u) >> 28) * PAGE_SIZE : 0;
    struct free_range *best = NULL;

    if (refused()) {
        return NULL;
    }
    alignment = by_size ? MEMORY_SETS_BYTES : alignment;
    for (size_t i = 0; i < range_count; i++) {
        struct free_range *range = &ranges[i];
        const uint64_t start = align_up(range->next, alignment) + skip;

        if (start >= range->next && start <= range->end && bytes <= range->end - start &&
            (best == NULL || range->end - range->next < best->end - best->next)) {
            best = range;
        }
    }
    if (best == NULL) {
        return NULL;
    }
    const uint64_t start = align_up(best->next, alignment) + skip;

    best->next = start + bytes;
    return clear((void *)(uintptr_t)start, bytes);
}

uint64_t memory_low_pages(size_t pages)
{
    const uint64_t bytes = pages * PAGE_SIZE;
    uint64_t highest = 0;

    for (uint32_t i = 0; i < map->range_count; i++) {
        const struct memory_range *range = &map->ranges[i];
        /* Page 0 is never used, because it is absent. */
        const uint64_t start = range->address < PAGE_SIZE ? PAGE_SIZE : range->address;
        const uint64_t whole_end = range->address + range->pages * PAGE_SIZE;
        const uint64_t end = whole_end < LOW_END ? whole_end : LOW_END;

        if (range->kind == MEMORY_FREE && end >= start + bytes && end - bytes > highest) {
            highest = end - bytes;
        }
    }
    return highest;
}

/* ---- the reserve ---- */

/* The reserve is handed out from its top downwards, so that a larger part includes the smaller
 * ones. */
static struct {
    struct free_range *range; /* NULL if not chosen yet */
    uint64_t floor;
    uint64_t low; /* lowest address handed out so far */
    uint64_t top;
} reserve;

/* Makes the upper half of [from, end of the range) the reserve. */
static void choose_reserve(struct free_range *range, uint64_t from)
{
    reserve.range = range;
    reserve.floor = from + (range->end - from) / 2;
    reserve.low = range->end;
    reserve.top = range->end;
}

/* Returns the lowest address of the reserve that memory_allocate() has not reached. */
static uint64_t reserve_floor(void)
{
    if (reserve.range == NULL) {
        struct free_range *largest = largest_range();

        choose_reserve(largest, largest->next);
    }
    return reserve.range->next > reserve.floor ? reserve.range->next : reserve.floor;
}

/* Touches each page by a write: pages that were only read may all be backed by one zero page of the
 * hypervisor. */
static void touch(uint64_t address, uint64_t end)
{
    for (; address < end; address += PAGE_SIZE) {
        *(volatile uint64_t *)(uintptr_t)address = 0;
    }
}

uint64_t memory_reserve_max(uint64_t alignment)
{
    const uint64_t begin = align_up(reserve_floor(), alignment);
    const uint64_t end = reserve.top & ~(alignment - 1);

    return begin < end ? end - begin : 0;
}

uint64_t memory_reserve(uint64_t bytes, uint64_t alignment)
{
    if (bytes > memory_reserve_max(alignment) || refused()) {
        return 0;
    }
    const uint64_t address = (reserve.top & ~(alignment - 1)) - bytes;

    if (address < reserve.low) {
        touch(address, reserve.low);
        reserve.low = address;
        reserve.range->end = address;
    }
    return address;
}

/* ---- nodes ---- */

static struct memory_nodes nodes;

/* The part of a free range that belongs to one node. */
struct part {
    struct free_range *range; /* NULL if there is no such part */
    uint64_t from;
    uint64_t to;
    uint32_t node;
};

/* Returns the largest free part of a node, or of any node if that is MEMORY_NODE_UNKNOWN. */
static struct part largest_part(const struct acpi_facts *acpi, int64_t node)
{
    struct part largest = {0};

    for (size_t i = 0; i < acpi->node_range_count * range_count; i++) {
        const struct acpi_node_range *of = &acpi->node_range[i / range_count];
        struct free_range *range = &ranges[i % range_count];
        const uint64_t begin = align_up(of->address, PAGE_SIZE);
        const uint64_t end = (of->address + of->bytes) & ~(PAGE_SIZE - 1);
        const uint64_t from = begin > range->next ? begin : range->next;
        const uint64_t to = end < range->end ? end : range->end;

        if ((node == MEMORY_NODE_UNKNOWN || of->node == node) && from < to &&
            to - from > largest.to - largest.from) {
            largest = (struct part){range, from, to, of->node};
        }
    }
    return largest;
}

/* Returns whether none of the first `count` processors is in this node. */
static bool is_new(const struct acpi_facts *acpi, size_t count, uint32_t node)
{
    for (size_t i = 0; i < count; i++) {
        const struct acpi_processor *processor = &acpi->processor[i];

        if (processor->enabled && processor->has_node && processor->node == node) {
            return false;
        }
    }
    return true;
}

static size_t count_nodes(const struct acpi_facts *acpi)
{
    size_t count = 0;

    for (size_t i = 0; i < acpi->processor_count; i++) {
        const struct acpi_processor *processor = &acpi->processor[i];

        count += processor->enabled && processor->has_node && is_new(acpi, i, processor->node);
    }
    for (size_t i = 0; i < acpi->node_range_count; i++) {
        const uint32_t node = acpi->node_range[i].node;
        bool first = is_new(acpi, acpi->processor_count, node);

        for (size_t k = 0; k < i; k++) {
            first = first && acpi->node_range[k].node != node;
        }
        count += first && largest_part(acpi, node).range != NULL;
    }
    return count;
}

/* Makes the part the reserve. Memory above it becomes a separate range, because the reserve uses a
 * range up to its end. */
static void reserve_part(const struct part *part)
{
    struct free_range *range = part->range;

    if (part->to < range->end) {
        ranges[range_count++] = (struct free_range){part->to, range->end, range->guard};
        range->end = part->to;
        range->guard = 0;
    }
    choose_reserve(range, part->from);
}

static struct memory_node_page node_pages[MEMORY_NODE_PAGES_MAX];
static size_t node_page_count;

static bool has_page(uint32_t node)
{
    for (size_t i = 0; i < node_page_count; i++) {
        if (node_pages[i].node == node) {
            return true;
        }
    }
    return false;
}

/* Takes the last page of the part for its node; memory above it becomes a separate range. */
static void take_page(const struct part *part)
{
    struct free_range *range = part->range;
    const uint64_t page = part->to - PAGE_SIZE;

    if (part->to < range->end) {
        ranges[range_count++] = (struct free_range){part->to, range->end, range->guard};
        range->guard = 0;
    }
    range->end = page;
    node_pages[node_page_count++] =
        (struct memory_node_page){part->node, clear((void *)(uintptr_t)page, PAGE_SIZE)};
}

static void take_node_pages(const struct acpi_facts *acpi)
{
    node_page_count = 0;
    for (size_t i = 0; i < acpi->node_range_count && node_page_count < MEMORY_NODE_PAGES_MAX; i++) {
        const uint32_t node = acpi->node_range[i].node;
        const struct part part = largest_part(acpi, node);

        if (!has_page(node) && part.range != NULL && part.to - part.from >= LARGE_PAGE) {
            take_page(&part);
        }
    }
}

size_t memory_node_pages(const struct memory_node_page **pages)
{
    *pages = node_pages;
    return node_page_count;
}

void memory_reserve_near(const struct acpi_facts *acpi, uint32_t apic_id)
{
    struct part part = {0};

    nodes = (struct memory_nodes){count_nodes(acpi), MEMORY_NODE_UNKNOWN, MEMORY_NODE_UNKNOWN};
    if (nodes.count < 2) {
        return;
    }
    take_node_pages(acpi);
    for (size_t i = 0; i < acpi->processor_count; i++) {
        if (acpi->processor[i].apic_id == apic_id && acpi->processor[i].has_node) {
            nodes.processor = acpi->processor[i].node;
            part = largest_part(acpi, nodes.processor);
        }
    }
    if (part.range == NULL) {
        part = largest_part(acpi, MEMORY_NODE_UNKNOWN);
    }
    if (part.range != NULL) {
        nodes.reserve = part.node;
        reserve_part(&part);
    }
}

/* The special memory of the reserve; not in ranges[], so nothing else is allocated there. */
static struct free_range special;

static int64_t node_of(const struct acpi_facts *acpi, uint64_t address)
{
    for (size_t i = 0; i < acpi->node_range_count; i++) {
        const struct acpi_node_range *of = &acpi->node_range[i];

        if (address >= of->address && address - of->address < of->bytes) {
            return of->node;
        }
    }
    return MEMORY_NODE_UNKNOWN;
}

bool memory_reserve_special(const struct acpi_facts *acpi)
{
    special = (struct free_range){0};
    for (uint32_t i = 0; i < map->range_count; i++) {
        const struct memory_range *range = &map->ranges[i];
        const uint64_t bytes = range->pages * PAGE_SIZE;

        if (range->kind == MEMORY_SPECIAL && bytes > special.end - special.next) {
            special = (struct free_range){range->address, range->address + bytes, 0};
        }
    }
    if (special.end == 0) {
        return false;
    }
    choose_reserve(&special, special.next);
    reserve.floor = special.next;
    nodes.reserve = node_of(acpi, special.next);
    return true;
}

bool memory_reserve_is_special(void)
{
    return reserve.range == &special;
}

const struct memory_nodes *memory_nodes(void)
{
    return &nodes;
}

uint64_t memory_reserve_end(void)
{
    reserve_floor();
    return reserve.top;
}

uint64_t memory_total(void)
{
    return total;
}

uint64_t memory_untouched(uint64_t bytes)
{
    const struct free_range *largest = largest_range();
    const uint64_t middle =
        align_up(largest->next + (largest->end - largest->next) / 2, LARGE_PAGE);

    return middle < largest->end && bytes <= largest->end - middle ? middle : 0;
}
