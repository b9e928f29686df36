/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/seal_check.h"

#include <stdio.h>
#include <string.h>

#include "kernel/link/names.h"
#include "tools/base/trace_bytes.h"
#include "tools/run/run_kind.h"

#define SAMPLES_AT_ONCE 65536 /* samples in mapped files are released after that many */
#define BYTES_AT_ONCE   65536

_Static_assert(SEAL_TEXT == SHA256_TEXT, "the seal is a SHA-256");

void seal_claim_read(struct seal_claim *claim, const char *text, const struct record *record)
{
    static const char before[] = " " INFO_SEAL "=";
    const char *seal = record_value(record, INFO_SEAL);
    const char *fingerprint = record_value(record, INFO_FINGERPRINT);
    const char *at = strstr(text, before);

    snprintf(claim->seal, sizeof(claim->seal), "%s", seal != NULL ? seal : "");
    snprintf(claim->fingerprint, sizeof(claim->fingerprint), "%s",
             fingerprint != NULL ? fingerprint : "");
    snprintf(claim->end, sizeof(claim->end), "%.*s",
             (int)(at != NULL ? (size_t)(at - text) : strlen(text)), text);
}

static bool put_samples(struct sha256 *hash, const struct run_series *series)
{
    for (size_t at = 0, part; at < series->received; at += part) {
        part = series->received - at < SAMPLES_AT_ONCE ? series->received - at : SAMPLES_AT_ONCE;
        sha256_put(hash, series->samples + at, part * sizeof(series->samples[0]));
        samples_forget(series, at, part);
    }
    return run_series_whole(series);
}

static bool put_packets(struct sha256 *hash, const struct run_trace *trace)
{
    static uint8_t bytes[BYTES_AT_ONCE];
    struct trace_bytes *packets = trace->packets;

    for (uint64_t at = 0, part; at < packets->length; at += part) {
        part = packets->length - at < sizeof(bytes) ? packets->length - at : sizeof(bytes);
        if (!packets->read(packets, at, bytes, part)) {
            return false;
        }
        sha256_put(hash, bytes, part);
    }
    return packets->length == trace->claimed;
}

/* Hashes all series and traces in the order of their streams. Returns whether they are complete. */
static bool hash_data(const struct assembly *assembly, char text[SHA256_TEXT])
{
    const struct run_bench *benches = assembly->run->benches;
    const struct open_series *series = assembly->open;
    const struct open_trace *trace = assembly->traces;
    const struct open_series *series_end = series + assembly->open_count;
    const struct open_trace *trace_end = trace + assembly->trace_count;
    struct sha256 hash;
    bool whole = true;

    sha256_begin(&hash);
    while (series != series_end || trace != trace_end) {
        if (trace == trace_end ||
            (series != series_end && series->claim.stream < trace->claim.stream)) {
            whole &= put_samples(&hash, &benches[series->bench].series[series->series]);
            series++;
        } else {
            whole &= put_packets(&hash, &benches[trace->bench].traces[trace->trace]);
            trace++;
        }
    }
    sha256_end(&hash, text);
    return whole;
}

/* Adds a loss if the seal is wrong. Returns the state of the seal. */
static const char *verify(const struct seal_claim *claim, const struct assembly *assembly,
                          const char *meta)
{
    char text[SHA256_TEXT];
    struct sha256 hash;

    if (meta == NULL || !hash_data(assembly, text)) {
        if (assembly->run->losses.count == 0) { /* such as a series that names no batch */
            run_add_loss(assembly->run, "seal: expected %s, but samples or packets are missing",
                         claim->seal);
        }
        return "not verified: a part of the log is missing";
    }
    sha256_begin(&hash);
    sha256_put(&hash, text, SHA256_TEXT - 1);
    sha256_put(&hash, meta, SHA256_TEXT - 1);
    sha256_put(&hash, claim->end, strlen(claim->end));
    sha256_end(&hash, text);
    if (strcmp(text, claim->seal) == 0) {
        return SEAL_VERIFIED;
    }
    run_add_loss(assembly->run,
                 "seal: expected %s, got %s: the log was changed, or has parts of another run; "
                 "decode the log as it was captured",
                 claim->seal, text);
    return "wrong";
}

/* In exact time, an image without seals has the same run number on two machines that only differ in
 * their processor. */
static void check_joined(struct run *run)
{
    if (run_counts_instructions(run)) {
        run_add_loss(run, "seal: expected one in logs that complete each other in exact time, got "
                          "none: whether they are of one machine cannot be verified");
    }
}

bool seal_check(const struct seal_claim *claim, const struct assembly *assembly, const char *meta,
                bool joined)
{
    struct run *run = assembly->run;
    const char *state = "not verified: the log has no END";

    if (claim != NULL && claim->seal[0] != '\0') {
        run_add_pair(run, &run->info, INFO_FINGERPRINT, claim->fingerprint);
        run_add_pair(run, &run->info, INFO_SEAL, claim->seal);
        state = verify(claim, assembly, meta);
    } else if (run_pair_value(&run->info, INFO_SEAL_HASH) == NULL) {
        state = SEAL_NONE;
        if (joined) {
            check_joined(run);
        }
    } else if (claim != NULL) {
        run_add_loss(run, "seal: expected one in END, as the first record states, got none");
        state = "missing";
    }
    run_add_pair(run, &run->info, INFO_SEAL_STATE, state);
    return strcmp(state, SEAL_VERIFIED) == 0;
}
