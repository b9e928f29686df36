/* SPDX-License-Identifier: BSD-2-Clause */
/* Logs that are whole, but contradict themselves: none is valid, and the reason says what was
 * expected and what came. */
#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/decoder.h"

#define TRIALS 30

/* The lines of a log; NULL: as in the good one. */
struct records {
    const char *tare, *run, *plan, *more, *bench, *end;
    int64_t once,
        twice; /* samples of `cost` and `cost.twice`, in ticks; 0: those of the good one */
};

static void add_samples(struct log_builder *log, const char *name, int64_t ticks)
{
    int64_t samples[TRIALS];

    for (size_t i = 0; i < TRIALS; i++) {
        samples[i] = ticks + (int64_t)(i % 3);
    }
    log_series(log, "call", name, "tick", samples, TRIALS);
}

static const char * or (const char *text, const char *otherwise)
{
    return text != NULL ? text : otherwise;
}

/* 10 repetitions of 5 instructions, 8 ticks each. */
static void build(struct log_builder *log, const struct records *records)
{
    log_init(log, FRAME_BINARY);
    log_record(log, or (records->tare, "tare version=0.2.0 format=1 codec=1"));
    log_record(log, or (records->run, "run kind=exact ticks_per_instruction=8 machine=own"));
    log_record(log, or (records->plan, "plan source=fw_cfg text=\"\""));
    log_record(log, "machine name=memory_free_bytes value=1048576");
    log_record(log, "verdict ok=1 hz=1000000000 by=tsc");
    log_record(log, "bench name=call group=system unit=tick");
    log_record(log, "expect bench=call series=cost instructions=5 because=x");
    log_record(log, "fact bench=call name=repetitions value=10 unit=count");
    log_record(log, "fact bench=call name=proof.ticks_per_instruction value=8 unit=tick");
    log_record(log, or (records->bench, "fact bench=call name=wrong value=0 unit=count"));
    add_samples(log, "cost", records->once != 0 ? records->once : 500);
    add_samples(log, "cost.twice", records->twice != 0 ? records->twice : 900);
    log_record(log, "status bench=call state=OK");
    if (records->more != NULL) {
        log_record(log, records->more);
    }
    log_end(log);
    if (records->end != NULL) {
        struct frame *end = &log->frames[log->frame_count - 1];

        end->length +=
            (uint16_t)snprintf((char *)end->payload + end->length - 1,
                               sizeof(end->payload) - end->length, "%s\n", records->end) -
            1;
    }
}

/* Decodes; the first reason must begin so. NULL: the run is valid. */
static void check(const char *reason, const struct records *records)
{
    struct decoder *decoder = decoder_create();
    struct run_texts reasons = {0};
    struct log_builder log;
    struct run run;
    size_t length;

    build(&log, records);
    uint8_t *wire = log_wire(&log, false, &length);

    decoder_push(decoder, wire, length);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK_EQUAL(run_valid(&run, &reasons), reason == NULL);
    const char *first = reasons.count > 0 ? reasons.item[0] : "";

    if (strncmp(first, reason != NULL ? reason : "", reason != NULL ? strlen(reason) : 1) != 0) {
        CHECK_TEXT(first, reason);
    }
    run_texts_free(&reasons);
    run_free(&run);
    decoder_destroy(decoder);
    free(wire);
    log_free(&log);
}

static void test_good(void)
{
    check(NULL, &(struct records){0});
    check(NULL, &(struct records){.more = "run kind=exact"}); /* sent again, the same */
    check(NULL, &(struct records){.twice = 950});             /* within the tolerance */
    check(NULL, &(struct records){.run = "run kind=real",
                                  .bench = "fact bench=call name=x value=1",
                                  .more = "machine name=dram_mt_s value=3200"});
    check(NULL, &(struct records){.end = " records_lost=0"});
}

static void test_singletons(void)
{
    check("kind: expected one value, got \"exact\" and \"real\"",
          &(struct records){.more = "run kind=real"});
    check("run: expected one value, got \"a1\" and \"b2\"",
          &(struct records){.tare = "tare version=0.2.0 run=a1", .more = "tare run=b2"});
    check("memory_free_bytes: expected one value, got \"1048576\" and \"1048577\"",
          &(struct records){.more = "machine name=memory_free_bytes value=1048577"});
    check("META frame 2: record \"plan\"", &(struct records){.more = "plan source=file text=\"\""});
    check("META frame 2: record \"verdict\"", &(struct records){.more = "verdict ok=1 hz=5"});
    check("META frame 2: record \"status\"",
          &(struct records){.more = "status bench=call state=FAIL"});
}

static void test_numbers(void)
{
    check("END: expected numbers", &(struct records){.end = " records_lost=x"});
    check("END: expected numbers", &(struct records){.end = " records_lost=-1"});
    check("END: expected numbers", &(struct records){.end = " records_lost=18446744073709551616"});
    check("format: expected a number, got \"1x\"", &(struct records){.tare = "tare format=1x"});
    check("dram_mt_s: expected a number, got \"fast\"",
          &(struct records){.more = "machine name=dram_mt_s value=fast"});
    check("exact time: expected at least 1 ticks per instruction, got none",
          &(struct records){.run = "run kind=exact", .bench = "fact bench=call name=x value=1"});
}

static void test_ticks(void)
{
    check("exact time: expected at least 1 ticks per instruction, got 0",
          &(struct records){.run = "run kind=exact ticks_per_instruction=0"});
    check("exact time: expected at least 1 ticks per instruction, got 4294967296",
          &(struct records){.run = "run kind=exact ticks_per_instruction=4294967296"});
    check("call: proof.ticks_per_instruction: expected 16 tick, got 8",
          &(struct records){.run = "run kind=exact ticks_per_instruction=16", .twice = 1300});
}

static void test_crashes(void)
{
    check("crash report (#GP in bench unknown): expected a bench that ended as CRASH, got none",
          &(struct records){.more = "crash vector=13 name=\"#GP\""});
    check("crash report (#GP in bench call): expected a bench that ended as CRASH, got none",
          &(struct records){.more = "crash bench=call vector=13 name=\"#GP\""});
    check("other: CRASH", &(struct records){.more = "bench name=other\nstatus bench=other "
                                                    "state=CRASH\ncrash bench=other name=\"#GP\""});
}

static void test_expectations(void)
{
    check("call: cost: expected 5 instructions (tolerance 3), got 9; the image reports OK",
          &(struct records){.twice = 1250});
    check("call: cost: expected 5 instructions (tolerance 3), got 1; the image reports OK",
          &(struct records){.twice = 580});
    check("call: cost: with twice 10 repetitions a trial must take longer",
          &(struct records){.twice = 400});
    check("call: wrong: expected 0 count, got 3; the image reports OK",
          &(struct records){.bench = "fact bench=call name=wrong value=3 unit=count"});
    check("call: bytes_wrong.pair: expected 0 byte, got 1",
          &(struct records){.bench = "fact bench=call name=bytes_wrong.pair value=1 unit=byte"});
    check("call: end: expected at least 900 ticks, got 800",
          &(struct records){.bench = "fact bench=call name=began value=900 unit=tick\n"
                                     "fact bench=call name=ended value=800 unit=tick"});
}

int main(void)
{
    RUN(test_good());
    RUN(test_singletons());
    RUN(test_numbers());
    RUN(test_ticks());
    RUN(test_crashes());
    RUN(test_expectations());
    return unit_finish("unit_contradictions");
}
