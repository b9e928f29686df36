/* SPDX-License-Identifier: BSD-2-Clause */
/* The CRC of a batch: what it proves, and where it proves nothing. */
#include "kernel/link/coded.h"
#include "kernel/link/encoding.h"
#include "kernel/link/series_codec.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/batch_assembly.h"

#define SERIES 4
#define COUNT  1500
#define FRAMES 16

static int64_t samples[SERIES][COUNT];
static const uint32_t counts[SERIES] = {COUNT, 0, COUNT, 8};

static struct frame_bytes {
    uint8_t payload[FRAME_PAYLOAD_MAX];
} bytes[FRAMES];

static struct sample_frame frames[FRAMES];

static uint32_t crc_of(size_t series)
{
    return crc32c(0, samples[series], counts[series] * sizeof(samples[0][0]));
}

/* Streams 2 to 5 of batch 1, in several frames. */
static size_t make_frames(void)
{
    static struct series_codec codec;
    struct series_source sources[SERIES];
    struct series_place place = {0};
    uint64_t seed = 7;
    size_t made = 0;

    for (size_t i = 0; i < SERIES; i++) {
        for (size_t k = 0; k < counts[i]; k++) {
            samples[i][k] = (int64_t)(unit_random(&seed) % 4096);
        }
        sources[i] = (struct series_source){(uint16_t)(2 + i), counts[i], samples[i]};
    }
    while (made < FRAMES) {
        const size_t size =
            series_encode(&codec, sources, SERIES, &place, bytes[made].payload + CODED_TAG_BYTES,
                          FRAME_PAYLOAD_MAX - CODED_TAG_BYTES);

        if (size == 0) {
            break;
        }
        frames[made] = (struct sample_frame){.seq = (uint32_t)made,
                                             .length = (uint16_t)(CODED_TAG_BYTES + size),
                                             .payload = bytes[made].payload};
        made++;
    }
    return made;
}

struct given {
    bool has_crc;
    uint32_t crc;
    size_t members;    /* of SERIES, the first ones */
    size_t lost_frame; /* FRAMES: none */
    bool own_crc;      /* as records of series had it at first; */
    uint32_t wrong;    /* added to that of the last one */
};

/* Assembles the batch. Returns a bit for each series that is whole; *losses becomes how many there
 * are. */
static unsigned assemble(const struct given *given, size_t frame_count, size_t *losses)
{
    static const char *const names[SERIES] = {"a", "b", "c", "d"};
    struct series_claim claims[SERIES];
    struct batch_member members[SERIES];
    struct sample_frame sent[FRAMES];
    struct run_series series[SERIES];
    struct run run;
    size_t count = 0;
    unsigned whole = 0;

    run_init(&run);
    memset(series, 0, sizeof(series));
    for (size_t i = 0; i < SERIES; i++) {
        claims[i] = (struct series_claim){.stream = (uint16_t)(2 + i),
                                          .batch = 1,
                                          .n = counts[i],
                                          .has_crc = given->own_crc,
                                          .crc = crc_of(i) + (i == 3 ? given->wrong : 0)};
        series[i].n = counts[i];
        members[i] = (struct batch_member){&claims[i], &series[i], names[i], false};
    }
    for (size_t i = 0; i < frame_count; i++) {
        if (i != given->lost_frame) {
            sent[count++] = frames[i];
        }
    }
    const struct batch_claim claim = {.stream = 1,
                                      .has_record = true,
                                      .frames = (uint32_t)frame_count,
                                      .series = SERIES,
                                      .has_crc = given->has_crc,
                                      .crc = given->crc};

    batch_assemble(&run, &claim, members, given->members, NULL, sent, count, false);
    for (size_t i = 0; i < given->members; i++) {
        whole |= run_series_whole(&series[i]) ? 1u << i : 0;
        CHECK(!run_series_whole(&series[i]) || series[i].crc == crc_of(i));
        samples_free(&series[i]);
        free(series[i].ranges);
    }
    *losses = run.losses.count;
    run_free(&run);
    return whole;
}

static void test_crc(void)
{
    const size_t made = make_frames();
    uint32_t crc = 0;
    size_t losses;

    CHECK(made > 3 && made < FRAMES);
    for (size_t i = 0; i < SERIES; i++) {
        crc = counts[i] > 0 ? coded_batch_crc(crc, crc_of(i)) : crc;
    }
    const struct {
        struct given given;
        unsigned whole;
        size_t losses;
    } cases[] = {
        {{true, crc, SERIES, FRAMES, false, 0}, 15, 0},
        {{true, crc + 1, SERIES, FRAMES, false, 0}, 2, 3},     /* all but that without samples */
        {{false, 0, SERIES, FRAMES, false, 0}, 15, 0},         /* a record without it */
        {{true, crc + 1, SERIES - 1, FRAMES, false, 0}, 7, 0}, /* a record is lost */
        {{true, crc + 1, SERIES, 0, false, 0}, 14, 1},         /* a frame is */
        {{true, crc + 1, SERIES, made - 1, false, 0}, 3, 2},
        {{false, 0, SERIES, FRAMES, true, 0}, 15, 0},
        {{false, 0, SERIES, FRAMES, true, 1}, 7, 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CHECK_EQUAL(assemble(&cases[i].given, made, &losses), cases[i].whole);
        CHECK_EQUAL(losses, cases[i].losses);
    }
}

/* "batch stream=1 series=2 frames=1 TEXT" */
static bool reads(const char *text, struct batch_claim *claim)
{
    char line[128];
    struct record record;

    snprintf(line, sizeof(line), "batch stream=1 series=2 frames=1%s", text);
    return record_parse(line, strlen(line), &record) && batch_claim_read(&record, claim);
}

static void test_record(void)
{
    struct batch_claim claim;

    CHECK(reads("", &claim) && !claim.has_crc);
    CHECK(reads(" crc=4294967295", &claim) && claim.has_crc && claim.crc == UINT32_MAX);
    CHECK(!reads(" crc=4294967296", &claim));
    CHECK(!reads(" crc=x", &claim));
}

int main(void)
{
    RUN(test_crc());
    RUN(test_record());
    return unit_finish("unit_batch");
}
