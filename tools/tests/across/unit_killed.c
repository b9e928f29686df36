/* SPDX-License-Identifier: BSD-2-Clause */
/* Whenever a writer of run files is killed, the path has the whole file of before or the new one.
 */
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/store/runfile.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define KILLS        400
#define LONG         8 /* each 8th writer writes long runs, and is killed while it folds */
#define LONG_SAMPLES 150000
#define RANGE_US     4000

static char directory[] = "/tmp/tare-killed-XXXXXX";
static char path[128];

struct file {
    char *bytes;
    size_t length;
};

static struct file slurp(void)
{
    FILE *stream = fopen(path, "rb");
    struct stat status = {0};
    struct file file = {NULL, 0};

    if (stream == NULL) {
        return file;
    }
    CHECK_EQUAL(fstat(fileno(stream), &status), 0);
    file.bytes = malloc((size_t)status.st_size + 1);
    file.length = fread(file.bytes, 1, (size_t)status.st_size, stream);
    fclose(stream);
    return file;
}

static bool same(struct file a, struct file b)
{
    return a.length == b.length && a.length > 0 && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Makes a run of `n` samples and a trace, none of which folds. */
static void make(struct run *run, uint64_t seed, size_t n)
{
    int64_t *samples = malloc(n * sizeof(*samples));
    uint8_t packet[TRACE_PACKET_BYTES];

    for (size_t i = 0; i < n; i++) {
        samples[i] = (int64_t)unit_random(&seed);
    }
    for (size_t i = 0; i < sizeof(packet); i++) {
        packet[i] = (uint8_t)unit_random(&seed);
    }
    run_init(run);
    struct run_bench *bench = build_bench(run, "b", 1);
    struct run_series *series = build_series(bench, "s", NULL, NULL, samples, n);

    series->crc = run_series_crc(series);
    *run_add_trace(bench) = (struct run_trace){
        .stream = 2,
        .part = 1,
        .mode = "stop",
        .packet_bytes = TRACE_PACKET_BYTES,
        .claimed = TRACE_PACKET_BYTES,
        .packets = trace_bytes_memory(packet, sizeof(packet)),
    };
    free(samples);
}

/* Two runs, and their files. */
struct pair {
    struct run run[2];
    struct file file[2];
};

static void pair_make(struct pair *pair, size_t n)
{
    char error[RUNFILE_ERROR_MAX] = "";

    for (unsigned i = 0; i < 2; i++) {
        make(&pair->run[i], i + 1, n);
        CHECK(runfile_write(path, &pair->run[i], error));
        CHECK_TEXT(error, "");
        pair->file[i] = slurp();
    }
    CHECK(!same(pair->file[0], pair->file[1]));
}

static void pair_free(struct pair *pair)
{
    for (unsigned i = 0; i < 2; i++) {
        run_free(&pair->run[i]);
        free(pair->file[i].bytes);
    }
}

/* Writes both in turn until it is killed. Sends a byte before each. */
static void write_on(struct pair *pair, int begun)
{
    char error[RUNFILE_ERROR_MAX];

    for (unsigned i = 0;; i++) {
        if (write(begun, "", 1) != 1 || !runfile_write(path, &pair->run[i % 2], error)) {
            _exit(1);
        }
    }
}

static void kill_one(struct pair *pair, useconds_t after)
{
    int begun[2];
    int status;
    char byte;

    CHECK_EQUAL(pipe(begun), 0);
    const pid_t child = fork();

    if (child == 0) {
        write_on(pair, begun[1]);
    }
    CHECK_EQUAL(read(begun[0], &byte, 1), 1);
    usleep(after);
    kill(child, SIGKILL);
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    close(begun[0]);
    close(begun[1]);
}

static void test_killed(void)
{
    char temporary[160];
    char error[RUNFILE_ERROR_MAX];
    struct pair pairs[2];
    unsigned counts[2] = {0};
    unsigned halves = 0;
    uint64_t seed = 77;

    snprintf(temporary, sizeof(temporary), "%s.tmp", path);
    pair_make(&pairs[0], 100);
    for (unsigned i = 0; i < KILLS; i++) {
        struct pair *pair = &pairs[i % LONG == 0];
        struct run back;

        if (i == 0) {
            pair_make(pair, LONG_SAMPLES);
        } else if (i % LONG < 2) { /* the file of the other pair */
            CHECK(runfile_write(path, &pair->run[0], error));
        }
        kill_one(pair, (useconds_t)(unit_random(&seed) % RANGE_US));
        const struct file file = slurp();
        const bool first = same(file, pair->file[0]);

        CHECK(first || same(file, pair->file[1]));
        counts[first]++;
        halves += access(temporary, F_OK) == 0;
        free(file.bytes);
        run_init(&back);
        CHECK(runfile_read(path, &back, error));
        run_free(&back);
    }
    printf("unit_killed: %u and %u files, %u halves\n", counts[0], counts[1], halves);
    /* The kills hit writers in their work, and of both files. */
    CHECK(counts[0] > 0 && counts[1] > 0 && halves > KILLS / 8);
    CHECK(runfile_write(path, &pairs[0].run[0], error)); /* a rest hinders nothing */
    CHECK(access(temporary, F_OK) != 0);
    pair_free(&pairs[0]);
    pair_free(&pairs[1]);
}

int main(void)
{
    if (mkdtemp(directory) == NULL) {
        perror(directory);
        return 1;
    }
    snprintf(path, sizeof(path), "%s/run.db", directory);
    setenv("TMPDIR", directory, 1);
    RUN(test_killed());
    unlink(path);
    CHECK_EQUAL(rmdir(directory), 0); /* no temporary file of a killed writer is left */
    return unit_finish("unit_killed");
}
