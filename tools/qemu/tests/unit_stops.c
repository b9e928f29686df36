/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bench a stop of the machine met: tools/qemu/stops.h. */
#include <string.h>

#include "kernel/link/names.h"
#include "tools/qemu/stops.h"
#include "tools/tests/support/unit.h"

#define SECOND UINT64_C(1000000)
#define START  (UINT64_C(1700000000) * SECOND)

/* One step: a record (its line), or an event of QEMU, at a time in ms. */
struct step {
    unsigned ms;
    const char *record, *event;
};

/* The texts that the run gets, with "; " between two. */
static void play(const struct step *steps, size_t count, const char *expected)
{
    char all[600] = "";
    struct decoder *decoder = decoder_create();
    struct stops stops = {0};
    struct run run;

    for (size_t i = 0; i < count; i++) {
        const uint64_t at_us = START + steps[i].ms * UINT64_C(1000);
        struct record record;
        char line[RECORD_LINE_MAX];

        if (steps[i].event != NULL) {
            stops_on_event(&stops, steps[i].event, at_us);
            continue;
        }
        snprintf(line, sizeof(line), "%s", steps[i].record);
        CHECK(record_parse(line, strlen(line), &record));
        stops_on_record(&stops, &record, at_us);
    }
    stops_note(&stops, decoder);
    run_init(&run);
    decoder_finish(decoder, &run);
    for (size_t i = 0; i < run.info.count; i++) {
        if (strcmp(run.info.item[i].key, INFO_SEAL_STATE) == 0) {
            continue; /* nothing was sealed */
        }
        CHECK_TEXT(run.info.item[i].key, INFO_EMULATOR_STOPPED);
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", all[0] != '\0' ? "; " : "",
                 run.info.item[i].value);
    }
    CHECK_TEXT(all, expected);
    run_free(&run);
    decoder_destroy(decoder);
}

#define PLAY(expected, ...)                  \
    play((const struct step[]){__VA_ARGS__}, \
         sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step), expected)

#define RECORD(ms, text) \
    {                    \
        ms, text, NULL   \
    }
#define EVENT(ms, name) \
    {                   \
        ms, NULL, name  \
    }

static void test_places(void)
{
    PLAY("", RECORD(0, "bench name=idle"), RECORD(900, "status bench=idle state=OK"),
         RECORD(1000, "end frames=3"));
    PLAY("idle: QMP event STOP", RECORD(0, "bench name=idle"), EVENT(400, "STOP"),
         EVENT(700, "RESUME"), RECORD(5000, "status bench=idle state=OK"),
         RECORD(6000, "bench name=gap"), RECORD(9000, "status bench=gap state=OK"));
    PLAY("gap, pass 2: QMP event SUSPEND", RECORD(0, "bench name=gap pass=2"), EVENT(9, "SUSPEND"));
    PLAY("before the first bench: QMP event STOP", EVENT(400, "STOP"), EVENT(700, "RESUME"),
         RECORD(2000, "bench name=idle"), RECORD(3000, "status bench=idle state=OK"));
    PLAY("between benches: QMP event STOP", RECORD(0, "bench name=idle"),
         RECORD(100, "status bench=idle state=OK"), EVENT(400, "STOP"), EVENT(700, "RESUME"),
         RECORD(2000, "bench name=gap"), RECORD(3000, "status bench=gap state=OK"));
    PLAY("idle: QMP event STOP; gap: QMP event STOP", RECORD(0, "bench name=idle"),
         EVENT(400, "STOP"), EVENT(410, "RESUME"), EVENT(450, "STOP"),
         RECORD(1000, "status bench=idle state=OK"), RECORD(2000, "bench name=gap"),
         EVENT(2400, "STOP"));
}

/* What is read late may have met the stop; what is read long before or after has not. */
static void test_lag(void)
{
    PLAY("idle: QMP event STOP", RECORD(0, "bench name=idle"),
         RECORD(450, "status bench=idle state=OK"), EVENT(400, "STOP"), EVENT(700, "RESUME"),
         RECORD(2000, "bench name=gap"));
    PLAY("idle: QMP event STOP; gap: QMP event STOP", RECORD(0, "bench name=idle"),
         EVENT(400, "STOP"), EVENT(410, "RESUME"), RECORD(420, "status bench=idle state=OK"),
         RECORD(500, "bench name=gap"));
    /* The machine stands: what is read now it sent before. */
    PLAY("gap: QMP event STOP", EVENT(400, "STOP"), RECORD(5000, "bench name=gap"),
         EVENT(6000, "RESUME"));
    PLAY("", RECORD(0, "bench name=idle"), EVENT(400, "RESUME"),
         EVENT(500, "NIC_RX_FILTER_CHANGED"), RECORD(600, "end frames=3"), EVENT(700, "STOP"));
}

static void test_many(void)
{
    struct decoder *decoder = decoder_create();
    struct stops stops = {0};
    struct record record;
    char line[80];

    for (unsigned i = 0; i < 2 * STOPS_MAX; i++) {
        snprintf(line, sizeof(line), "bench name=b%u", i);
        CHECK(record_parse(line, strlen(line), &record));
        stops_on_record(&stops, &record, START + i * SECOND);
        CHECK(stops_on_event(&stops, "STOP", START + i * SECOND + 500));
    }
    CHECK_EQUAL(stops.count, STOPS_MAX);
    stops_note(&stops, decoder);
    decoder_destroy(decoder);
}

int main(void)
{
    RUN(test_places());
    RUN(test_lag());
    RUN(test_many());
    return unit_finish("unit_stops");
}
