/* SPDX-License-Identifier: BSD-2-Clause */
/* Each disk of a trace: its requests, and how many were outstanding at a time. */
#include <inttypes.h>

#include "kernel/run/names.h"
#include "tools/present/view.h"
#include "tools/trace/view_trace.h"

#define SECTORS_PER_KIB 2
#define NAME_WIDTH      14 /* what leaves room for the other columns */

struct sheet {
    const struct view *view;
    const struct run_bench *bench;
    struct table table;
};

static void head(struct sheet *sheet, const char *alignment, const char *const *heads)
{
    table_init(&sheet->table, alignment);
    table_row(&sheet->table);
    for (size_t i = 0; alignment[i] != '\0'; i++) {
        table_text(&sheet->table, heads[i]);
    }
}

static void begin_row(struct sheet *sheet, const struct disk_account *disk)
{
    char name[ACCOUNT_NAME_MAX];

    table_row(&sheet->table);
    table_format(&sheet->table, "%.*s", NAME_WIDTH, disk_name(sheet->bench, disk, name));
}

static void add_time(struct sheet *sheet, uint64_t ticks)
{
    char text[AMOUNT_MAX];

    table_text(&sheet->table, amount_text(sheet->view, (int64_t)ticks, UNIT_TICK, text));
}

static void add_count(struct sheet *sheet, uint64_t count)
{
    table_format(&sheet->table, "%" PRIu64, count);
}

/* ---- requests ---- */

static void add_requests(struct sheet *sheet, const struct disk_account *disk)
{
    begin_row(sheet, disk);
    add_count(sheet, disk->issued);
    add_count(sheet, disk->good);
    add_count(sheet, disk->failed);
    add_count(sheet, disk->outstanding);
    if (disk->time.n == 0) {
        for (int i = 0; i < 3; i++) {
            table_text(&sheet->table, NULL);
        }
        return;
    }
    add_time(sheet, disk->time.min);
    add_time(sheet, disk->time.total / disk->time.n);
    add_time(sheet, disk->time.max);
}

static void print_requests(struct sheet *sheet, const struct disk_requests *requests)
{
    static const char *const heads[] = {"disk", "requests", "good", "failed",
                                        "open", "min",      "mean", "max"};

    head(sheet, "lrrrrrrr", heads);
    for (size_t i = 0; i < requests->disk_count; i++) {
        add_requests(sheet, &requests->disks[i]);
    }
    print_paragraph(sheet->view->out,
                    "requests to disks, and the time from issue to completion of those that "
                    "completed; open: outstanding when the trace ended");
    fputc('\n', sheet->view->out);
    table_print(&sheet->table, sheet->view->out, 2);
}

static void print_errors(const struct sheet *sheet, const struct disk_account *disk)
{
    char name[ACCOUNT_NAME_MAX];

    disk_name(sheet->bench, disk, name);
    for (uint32_t i = BLOCK_GOOD + 1; i < DISK_ERRORS; i++) {
        if (disk->errors[i] > 0) {
            print_paragraph(sheet->view->out, "%s: %s: %" PRIu64 " of %" PRIu64 " requests", name,
                            disk_error_name(i), disk->errors[i], disk->issued);
        }
    }
    if (disk->lost > 0) {
        print_paragraph(sheet->view->out,
                        "%s: requests whose end is unknown, since events were lost or the trace "
                        "paused before it: %" PRIu64,
                        name, disk->lost);
    }
    if (disk->unissued > 0) {
        print_paragraph(sheet->view->out,
                        "%s: completions of requests that were issued before the trace began, or "
                        "where events were lost: %" PRIu64,
                        name, disk->unissued);
    }
}

/* ---- how many at a time ---- */

static void add_depth(struct sheet *sheet, const struct disk_account *disk)
{
    begin_row(sheet, disk);
    table_format(&sheet->table, "%.1f", (double)disk->sectors / SECTORS_PER_KIB);
    add_count(sheet, disk->deepest);
    if (disk->known == 0) {
        for (int i = 0; i < 4; i++) {
            table_text(&sheet->table, NULL);
        }
        return;
    }
    table_format(&sheet->table, "%.3f", (double)disk->depth / (double)disk->known);
    if (disk->busy > 0) {
        table_format(&sheet->table, "%.3f", (double)disk->depth / (double)disk->busy);
    } else {
        table_text(&sheet->table, NULL);
    }
    table_format(&sheet->table, "%.2f %%", 100 * (double)disk->busy / (double)disk->known);
    add_time(sheet, disk->known);
}

static void print_depths(struct sheet *sheet, const struct disk_requests *requests)
{
    static const char *const heads[] = {"disk",       "KiB",  "deepest", "mean",
                                        "while busy", "busy", "of"};

    head(sheet, "lrrrrrr", heads);
    for (size_t i = 0; i < requests->disk_count; i++) {
        add_depth(sheet, &requests->disks[i]);
    }
    print_paragraph(sheet->view->out,
                    "what good ones read, and requests outstanding at a time; busy: the share of "
                    "the time in which there were any. The time counts from the disk's first "
                    "event, where none are lost.");
    fputc('\n', sheet->view->out);
    table_print(&sheet->table, sheet->view->out, 2);
}

/* ---- all ---- */

void view_disks(const struct view *view, const struct run_bench *bench,
                const struct disk_requests *requests)
{
    struct sheet sheet = {.view = view, .bench = bench};

    if (requests->disk_count == 0) {
        fputs("\n  no request was made to a disk\n", view->out);
        return;
    }
    print_requests(&sheet, requests);
    for (size_t i = 0; i < requests->disk_count; i++) {
        print_errors(&sheet, &requests->disks[i]);
    }
    print_depths(&sheet, requests);
}
