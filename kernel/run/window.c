/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/window.h"

#include "kernel/cpu/cpuid.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/paging.h"
#include "kernel/run/names.h"

/* Windows lie between the alias pages and processes. Each page size has its own area, so that no
 * view needs page tables where another had large pages. */
#define WINDOWS_BASE (5ull << 44)
#define AREA_BYTES   (1ull << 42)

#define SIZE_2M (1ull << 21)

static struct paging_view view; /* the open window; 0 bytes: none */

size_t window_page_bytes(enum window_page page)
{
    return PAGE_SIZE << (9 * page);
}

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Returns the unit in which memory is reserved: at least 2 MiB, because the identity mapping uses
 * pages of at least 2 MiB. */
static uint64_t unit_of(enum window_page page)
{
    const uint64_t bytes = window_page_bytes(page);

    return bytes > SIZE_2M ? bytes : SIZE_2M;
}

static struct cpu_identity identify(void)
{
    struct cpu_identity identity;

    cpu_identify(cpuid_instruction, &identity);
    return identity;
}

size_t window_bytes_max(enum window_page page)
{
    if (paging_root() == 0 || (page == WINDOW_1G && !identify().pages_1gib)) {
        return 0;
    }
    return memory_reserve_max(unit_of(page));
}

static const char *open_view(const struct cpu_identity *identity, enum window_page page,
                             enum window_type type, size_t bytes)
{
    static const enum paging_type types[] = {
        [WINDOW_WRITE_BACK] = PAGING_WRITE_BACK,
        [WINDOW_WRITE_COMBINING] = PAGING_WRITE_COMBINING,
        [WINDOW_UNCACHED] = PAGING_UNCACHED,
    };
    const uint64_t unit = unit_of(page);
    const struct paging_view wanted = {
        .address = WINDOWS_BASE + page * AREA_BYTES,
        .memory = memory_reserve(round_up(bytes, unit), unit),
        .bytes = round_up(bytes, unit),
        .level = page + 1,
        .type = types[type],
    };

    if (wanted.memory == 0) {
        return page == WINDOW_1G ? "no free block of 1 GiB" : "not enough memory";
    }
    const char *why = paging_view_open(identity, &wanted);

    if (why == NULL) {
        view = wanted;
    }
    return why;
}

const char *window_open(struct window *window, enum window_page page, enum window_type type,
                        size_t bytes)
{
    const struct cpu_identity identity = identify();

    const char *why = page == WINDOW_1G && !identity.pages_1gib
                          ? "no pages of 1 GiB"
                          : open_view(&identity, page, type, bytes);

    if (why == NULL) {
        *window = (struct window){(void *)(uintptr_t)view.address, round_up(bytes, PAGE_SIZE)};
    }
    return why;
}

void window_close(struct window *window)
{
    paging_view_close(&view);
    view.bytes = 0;
    *window = (struct window){0};
}

void windows_abandon(void)
{
    struct window window;

    if (view.bytes != 0) {
        window_close(&window);
    }
}

const char *window_page_name(enum window_page page)
{
    static const char *const names[] = {PAGE_NAME_4K, PAGE_NAME_2M, PAGE_NAME_1G};

    return names[page];
}

const char *window_type_name(enum window_type type)
{
    static const char *const names[] = {TYPE_NAME_WB, TYPE_NAME_WC, TYPE_NAME_UC};

    return names[type];
}
