/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/stops.h"

#include <stdio.h>
#include <string.h>

#include "kernel/link/names.h"

static void add_text(struct stops *stops, const char *where)
{
    char text[sizeof(stops->texts[0])];

    snprintf(text, sizeof(text), "%s: QMP event %s", where, stops->event);
    for (unsigned i = 0; i < stops->count; i++) {
        if (strcmp(stops->texts[i], text) == 0) {
            return;
        }
    }
    if (stops->count < STOPS_MAX) {
        memcpy(stops->texts[stops->count++], text, sizeof(text));
    }
}

static void name_bench(struct stops *stops, const char *bench)
{
    stops->named = true;
    add_text(stops, bench);
}

/* Names the place of the last event if it met no bench. */
static void settle(struct stops *stops)
{
    if (stops->event_us != 0 && !stops->named) {
        add_text(stops, stops->began ? "between benches" : "before the first bench");
    }
    stops->event_us = 0;
}

static void begin_bench(struct stops *stops, const struct record *record, uint64_t now_us)
{
    const char *name = record_value(record, FIELD_NAME);
    const char *pass = record_value(record, FIELD_PASS);

    if (name == NULL) {
        return;
    }
    const bool met =
        stops->event_us != 0 && (stops->stopped || now_us < stops->event_us + STOPS_LAG_MS * 1000u);

    if (!met) {
        settle(stops);
    }
    stops->began = true;
    snprintf(stops->running, sizeof(stops->running), "%.60s%s%.10s", name,
             pass != NULL ? ", pass " : "", pass != NULL ? pass : "");
    if (met) {
        name_bench(stops, stops->running);
    }
}

void stops_on_record(struct stops *stops, const struct record *record, uint64_t now_us)
{
    if (strcmp(record->name, RECORD_BENCH) == 0) {
        begin_bench(stops, record, now_us);
    } else if (strcmp(record->name, RECORD_STATUS) == 0) {
        memcpy(stops->ended, stops->running, sizeof(stops->ended));
        stops->ended_us = now_us;
        stops->running[0] = '\0';
    } else if (strcmp(record->name, RECORD_END) == 0) {
        stops->over = true;
    }
}

bool stops_on_event(struct stops *stops, const char *event, uint64_t at_us)
{
    if (strcmp(event, "RESUME") == 0 || strcmp(event, "WAKEUP") == 0) {
        stops->stopped = false;
    }
    if (stops->over || (strcmp(event, "STOP") != 0 && strcmp(event, "SUSPEND") != 0 &&
                        strcmp(event, "SUSPEND_DISK") != 0)) {
        return false;
    }
    settle(stops);
    stops->stopped = true;
    stops->named = false;
    stops->event_us = at_us;
    snprintf(stops->event, sizeof(stops->event), "%s", event);
    if (stops->ended[0] != '\0' && stops->ended_us >= at_us) {
        name_bench(stops, stops->ended);
    }
    if (stops->running[0] != '\0') {
        name_bench(stops, stops->running);
    }
    return true;
}

void stops_note(struct stops *stops, struct decoder *decoder)
{
    settle(stops);
    for (unsigned i = 0; i < stops->count; i++) {
        decoder_note(decoder, INFO_EMULATOR_STOPPED, stops->texts[i]);
    }
}
