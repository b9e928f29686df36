/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/live_board.h"

#include <stdio.h>
#include <string.h>

#include "kernel/run/finding.h"

#define BAR       8
#define LEVELS    8 /* decades of gaps, from below 1 us to 1 s and more */
#define PPB       1000000000
#define NS_IN_S   1000000000
#define NS_IN_US  1000
#define SPAN_MAX  32
#define OTHER_MAX 160

static const char *const level_blocks[LEVELS] = {
    "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588",
};
static const char *const level_ascii[LEVELS] = {":", "-", "=", "+", "*", "%", "#", "@"};

/* What all processors saw. */
struct sum {
    uint64_t elapsed, stopped_elapsed, over, stolen, largest, smi_ticks, steal_ns;
    uint64_t smis;    /* SMIs, each counted on each processor */
    uint64_t smi;     /* SMIs of the processor that counted most */
    uint64_t most;    /* gaps of the processor that had most: one gap may have stopped all */
    uint64_t longest; /* time watched by the processor that watched longest */
    size_t stopped;   /* processors that counted SMIs, and watched for stopped_elapsed */
    bool counts_smi;
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static struct sum sum_of(const struct live_board *board)
{
    struct sum sum = {0};

    for (size_t i = 0; i < board->count; i++) {
        const struct live_gaps *gaps = &board->lane[i].gaps;

        sum.elapsed += gaps->elapsed;
        sum.over += gaps->over;
        sum.stolen += gaps->stolen;
        sum.smis += gaps->smi;
        sum.smi_ticks += gaps->smi_ticks;
        sum.steal_ns += gaps->cause[LIVE_STEAL];
        sum.smi = larger(sum.smi, gaps->smi);
        sum.most = larger(sum.most, gaps->over);
        sum.largest = larger(sum.largest, gaps->largest);
        sum.longest = larger(sum.longest, gaps->elapsed);
        sum.stopped += gaps->smi > 0 ? 1 : 0;
        sum.stopped_elapsed += gaps->smi > 0 ? gaps->elapsed : 0;
        sum.counts_smi = sum.counts_smi || gaps->counts_smi;
    }
    return sum;
}

/* ---- amounts ---- */

static uint64_t ns_of(const struct live_board *board, uint64_t ticks)
{
    const uint64_t hz = board->hz;

    return hz == 0 ? 0 : ticks / hz * NS_IN_S + (ticks % hz * NS_IN_S + hz / 2) / hz;
}

static const char *time_text(const struct live_board *board, uint64_t ticks,
                             char text[FINDING_AMOUNT_MAX])
{
    if (board->hz > 0) {
        return finding_time_text((int64_t)ns_of(board, ticks), text);
    }
    finding_count_text((int64_t)ticks, text);
    strcat(text, " ticks");
    return text;
}

/* A gap above the threshold is a tick longer at least. So the threshold, which the image rounded
 * down to ticks, does not read as 999 ns. */
static const char *threshold_text(const struct live_board *board, char text[FINDING_AMOUNT_MAX])
{
    const uint64_t threshold = board->lane[0].gaps.threshold;

    return threshold > 0 ? time_text(board, threshold + 1, text) : NULL;
}

/* Writes a length of time with one unit, or with two of them. */
static const char *span_text(uint64_t seconds, bool two, char text[SPAN_MAX])
{
    static const struct {
        uint64_t seconds;
        const char *name;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t unit = 0;

    while (unit < 3 && seconds < units[unit].seconds * (unit == 2 ? 2 : 1)) {
        unit++;
    }
    const uint64_t rest = seconds % units[unit].seconds;
    const int length = snprintf(text, SPAN_MAX, "%lu %s",
                                (unsigned long)(seconds / units[unit].seconds), units[unit].name);

    if (two && unit < 3 && rest / units[unit + 1].seconds > 0) {
        snprintf(text + length, SPAN_MAX - (size_t)length, " %lu %s",
                 (unsigned long)(rest / units[unit + 1].seconds), units[unit + 1].name);
    }
    return text;
}

static const char *long_text(const struct live_board *board, uint64_t ticks, bool two,
                             char text[FINDING_AMOUNT_MAX])
{
    return board->hz > 0 ? span_text(ticks / board->hz, two, text) : time_text(board, ticks, text);
}

static const char *share_text(uint64_t part, uint64_t whole, char text[FINDING_AMOUNT_MAX])
{
    while (part >= UINT64_MAX / PPB) {
        part >>= 1;
        whole >>= 1;
    }
    const uint64_t ppb = whole == 0 ? 0 : part * PPB / whole;

    return finding_ppb_text((int64_t)(ppb < PPB ? ppb : PPB), text);
}

/* Writes how often something came: a second, or in all. */
static const char *often_text(const struct live_board *board, uint64_t count, uint64_t ticks,
                              char text[OTHER_MAX])
{
    const uint64_t seconds = board->hz > 0 ? larger(ticks / board->hz, 1) : 0;
    char number[FINDING_AMOUNT_MAX];

    if (seconds > 0 && count >= 2 * seconds) {
        finding_count_text((int64_t)((count + seconds / 2) / seconds), number);
        snprintf(text, OTHER_MAX, "%s times a second", number);
    } else {
        char span[FINDING_AMOUNT_MAX];

        finding_count_text((int64_t)count, number);
        snprintf(text, OTHER_MAX, count == 1 ? "once in %.0s%s" : "%s times in %s", number,
                 long_text(board, ticks, true, span));
    }
    return text;
}

/* ---- the sentence ---- */

static const char *processors_text(size_t some, size_t all, char text[SPAN_MAX])
{
    if (all == 1) {
        return "the CPU";
    }
    if (some == all) {
        return "all CPUs";
    }
    snprintf(text, SPAN_MAX, "%zu of %zu CPUs", some, all);
    return text;
}

static void quiet_sentence(const struct live_board *board, const struct sum *sum,
                           char text[LIVE_LINE_MAX])
{
    char limit[FINDING_AMOUNT_MAX], span[FINDING_AMOUNT_MAX];
    const char *threshold = threshold_text(board, limit);

    snprintf(text, LIVE_LINE_MAX, "Nothing took %s CPU for longer than %s in %s",
             board->count == 1 ? "the" : "a", threshold != NULL ? threshold : "the threshold",
             long_text(board, sum->longest, true, span));
}

bool live_sentence(const struct live_board *board, char text[LIVE_LINE_MAX])
{
    char each[FINDING_AMOUNT_MAX], often[OTHER_MAX], share[FINDING_AMOUNT_MAX], cpus[SPAN_MAX];
    const struct sum sum = sum_of(board);

    if (sum.over == 0) {
        quiet_sentence(board, &sum, text);
        return false;
    }
    if (sum.smis > 0 && sum.smi_ticks >= sum.stolen / 2) {
        snprintf(text, LIVE_LINE_MAX, "Firmware took %s, %s: %s of %s",
                 time_text(board, sum.smi_ticks / sum.smis, each),
                 often_text(board, sum.smi, sum.longest, often),
                 share_text(sum.smi_ticks, sum.stopped_elapsed, share),
                 processors_text(sum.stopped, board->count, cpus));
        return true;
    }
    snprintf(text, LIVE_LINE_MAX, "%s took up to %s, %s: %s of %s",
             sum.steal_ns > 0 && sum.steal_ns >= ns_of(board, sum.stolen) / 2 ? "The hypervisor"
             : sum.counts_smi && sum.smi == 0 ? "No SMI, but something"
                                              : "Something",
             time_text(board, sum.largest, each), often_text(board, sum.most, sum.longest, often),
             share_text(sum.stolen, sum.elapsed, share),
             processors_text(board->count, board->count, cpus));
    return true;
}

const char *live_progress_text(const struct live_board *board, char text[LIVE_LINE_MAX],
                               char left[LIVE_LINE_MAX])
{
    char elapsed[FINDING_AMOUNT_MAX], total[FINDING_AMOUNT_MAX];
    const uint64_t longest = sum_of(board).longest;
    const uint64_t all = board->lane[0].gaps.total;

    long_text(board, longest, true, elapsed);
    left[0] = '\0';
    if (all <= longest) {
        snprintf(text, LIVE_LINE_MAX, "%s watched", elapsed);
        return left;
    }
    snprintf(text, LIVE_LINE_MAX, "%s of %s watched", elapsed, long_text(board, all, true, total));
    long_text(board, all - longest, true, total);
    snprintf(left, LIVE_LINE_MAX, "%s left", total);
    return left;
}

/* ---- lines ---- */

static const char *dot(const struct live_board *board)
{
    return board->blocks ? " \u00b7 " : ", ";
}

/* Appends a cause and its count, if it was counted at all. */
static void add_cause(const struct live_board *board, enum live_cause cause,
                      char text[LIVE_LINE_MAX])
{
    static const char *const names[LIVE_CAUSES] = {"NMI",         "machine check", "thermal",
                                                   "power limit", "interrupt",     "hypervisor"};
    char amount[FINDING_AMOUNT_MAX];
    uint64_t count = 0;

    for (size_t i = 0; i < board->count; i++) {
        count += board->lane[i].gaps.cause[cause];
    }
    if (count == 0) {
        return;
    }
    if (cause == LIVE_STEAL) {
        finding_time_text((int64_t)count, amount);
    } else {
        finding_count_text((int64_t)count, amount);
    }
    const size_t length = strlen(text);

    snprintf(text + length, LIVE_LINE_MAX - length, "%s%s %s", dot(board), names[cause], amount);
}

static void totals_line(const struct live_board *board, char text[LIVE_LINE_MAX])
{
    const struct live_gaps *first = &board->lane[0].gaps;
    const struct sum sum = sum_of(board);
    char smi[FINDING_AMOUNT_MAX], limit[FINDING_AMOUNT_MAX], away[FINDING_AMOUNT_MAX];
    const char *threshold = threshold_text(board, limit);

    snprintf(text, LIVE_LINE_MAX, "SMIs %s%sthreshold %s%snot watched %s",
             sum.counts_smi ? finding_count_text((int64_t)sum.smi, smi) : "n/a", dot(board),
             threshold != NULL ? threshold : "n/a", dot(board),
             share_text(first->away, first->away + first->elapsed, away));
    for (enum live_cause cause = 0; cause < LIVE_CAUSES; cause++) {
        add_cause(board, cause, text);
    }
}

static void heading_line(const struct live_board *board, char text[LIVE_LINE_MAX])
{
    char slice[FINDING_AMOUNT_MAX];

    snprintf(text, LIVE_LINE_MAX, "CPU longest gap         ago      gaps      lost  %s%s",
             "over time, a cell is ",
             long_text(board, board->lane[0].heat.slice + board->hz / 2, false, slice));
}

static const char *cell_text(const struct live_board *board, uint64_t ticks)
{
    uint64_t ns = ns_of(board, ticks);
    size_t level = 0;

    if (ticks <= LIVE_QUIET) {
        return ticks == 0 ? " " : board->blocks ? "\u00b7" : ".";
    }
    for (; ns >= NS_IN_US && level + 1 < LEVELS; ns /= 10) {
        level++;
    }
    return board->blocks ? level_blocks[level] : level_ascii[level];
}

static void row_line(const struct live_board *board, const struct live_lane *lane, uint64_t worst,
                     uint64_t now, char text[LIVE_LINE_MAX])
{
    const struct live_gaps *gaps = &lane->gaps;
    const uint64_t full = worst > 0 ? larger(gaps->largest * BAR / worst, gaps->largest > 0) : 0;
    const uint64_t age = now > gaps->largest_at ? now - gaps->largest_at : 0;
    char longest[FINDING_AMOUNT_MAX], ago[FINDING_AMOUNT_MAX], over[FINDING_AMOUNT_MAX];
    char lost[FINDING_AMOUNT_MAX];
    size_t length = (size_t)snprintf(text, LIVE_LINE_MAX, "%3lu ", (unsigned long)gaps->processor);

    for (uint64_t i = 0; i < BAR; i++) {
        const char *cell = i >= full ? " " : board->blocks ? "\u2500" : "=";

        length += (size_t)snprintf(text + length, LIVE_LINE_MAX - length, "%s", cell);
    }
    length += (size_t)snprintf(text + length, LIVE_LINE_MAX - length, " %7s %6s %9s %9s  ",
                               gaps->over > 0 ? time_text(board, gaps->largest, longest) : "none",
                               gaps->over > 0 ? long_text(board, age, false, ago) : "",
                               finding_count_text((int64_t)gaps->over, over),
                               gaps->over > 0 ? share_text(gaps->stolen, gaps->elapsed, lost) : "");
    for (size_t i = 0; i < LIVE_CELLS && board->hz > 0 && length + 4 < LIVE_LINE_MAX; i++) {
        length += (size_t)snprintf(text + length, LIVE_LINE_MAX - length, "%s",
                                   cell_text(board, lane->heat.cell[i]));
    }
}

/* Returns how many processors had a longer gap, or an equal one and come before. */
static size_t rank_of(const struct live_board *board, size_t index)
{
    const uint64_t largest = board->lane[index].gaps.largest;
    size_t rank = 0;

    for (size_t i = 0; i < board->count; i++) {
        const uint64_t other = board->lane[i].gaps.largest;

        rank += other > largest || (other == largest && i < index) ? 1 : 0;
    }
    return rank;
}

static void put_rows(const struct live_board *board, size_t rows, live_put *put, void *context)
{
    const struct sum sum = sum_of(board);
    const uint64_t now = sum.longest + board->lane[0].gaps.away;
    char line[LIVE_LINE_MAX];

    for (size_t i = 0; i < board->count; i++) {
        if (board->count <= rows || rank_of(board, i) < rows - 1) {
            row_line(board, &board->lane[i], sum.largest, now, line);
            put(context, LIVE_ROW, line);
        }
    }
    if (board->count > rows) {
        snprintf(line, sizeof(line), "the %zu of %zu CPUs with the longest gaps", rows - 1,
                 board->count);
        put(context, LIVE_LEGEND, line);
    }
}

void live_board_lines(const struct live_board *board, live_put *put, void *context)
{
    /* In addition to the rows: the sentence, the totals, the heading and the legend. */
    const size_t rows = larger(board->rows, LIVE_ROWS_LEAST) - 4;
    char line[LIVE_LINE_MAX];

    put(context, live_sentence(board, line) ? LIVE_SENTENCE : LIVE_SENTENCE_QUIET, line);
    totals_line(board, line);
    put(context, LIVE_TOTALS, line);
    heading_line(board, line);
    put(context, LIVE_HEADING, line);
    put_rows(board, rows, put, context);
    put(context, LIVE_LEGEND,
        board->blocks
            ? "longest: \u00b7 none  \u2582 1 us  \u2583 10 us  \u2584 100 us  \u2585 1 ms"
              "  \u2586 10 ms  \u2587 100 ms  \u2588 1 s"
            : "longest: . none  - 1 us  = 10 us  + 100 us  * 1 ms  % 10 ms  # 100 ms"
              "  @ 1 s");
}
