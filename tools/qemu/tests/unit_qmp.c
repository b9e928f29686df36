/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's machine protocol and typing by it, against a server that is not QEMU: tools/qemu/qmp.h and
 * keys.h. */
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/base/monotonic.h"
#include "tools/base/partial_file.h"
#include "tools/qemu/keys.h"
#include "tools/qemu/qmp.h"
#include "tools/tests/support/unit.h"
#include "tools/tests/support/unix_listener.h"

#define GREETING "{\"QMP\": {\"version\": {}, \"capabilities\": [\"oob\"]}}\r\n"
#define DONE     "{\"return\": {}, \"id\": \"qmp_capabilities\"}\r\n"
#define EVENT    "{\"event\": \"RESUME\", \"timestamp\": {\"seconds\": 1}}\r\n"
#define ANSWER   "{\"return\": {}, \"id\": \"key a down\"}\r\n"
#define A_DOWN                                                                            \
    "{\"execute\":\"input-send-event\",\"id\":\"key a down\",\"arguments\":{\"events\":[" \
    "{\"type\":\"key\",\"data\":{\"down\":true,\"key\":{\"type\":\"qcode\",\"data\":\"a\"}}}]}}"
#define WAIT_MS     2000
#define STEPS_MAX   16
#define SERVER_GOOD 0
#define SERVER_BAD  1

/* What the server does, one after the other; the list ends with an empty one. */
struct step {
    const char *expects; /* the next line it reads holds this */
    const char *sends;
    unsigned pause_ms; /* before it sends */
    bool in_bytes;     /* sends each byte alone */
};

static struct temporary folder;
static char path[TEMPORARY_PATH_MAX];

/* ---- the server ---- */

static bool read_line(int peer, char *line, size_t capacity)
{
    size_t length = 0;

    while (length + 1 < capacity && read(peer, line + length, 1) == 1) {
        if (line[length] == '\n') {
            line[length] = '\0';
            return true;
        }
        length++;
    }
    return false;
}

static void send_text(int peer, const struct step *step)
{
    const size_t length = strlen(step->sends);
    const size_t piece = step->in_bytes ? 1 : length;

    for (size_t sent = 0; sent < length; sent += piece) {
        if (send(peer, step->sends + sent, piece, MSG_NOSIGNAL) < 0) {
            _exit(SERVER_BAD);
        }
    }
}

static _Noreturn void be_server(int listener, const struct step *steps)
{
    const int peer = accept(listener, NULL, NULL);
    char line[1000];

    for (const struct step *step = steps;
         step->expects != NULL || step->sends != NULL || step->pause_ms > 0; step++) {
        if (step->expects != NULL &&
            (!read_line(peer, line, sizeof(line)) || strstr(line, step->expects) == NULL)) {
            fprintf(stderr, "server: \"%s\" is not in \"%s\"\n", step->expects, line);
            _exit(SERVER_BAD);
        }
        sleep_ms(step->pause_ms);
        if (step->sends != NULL) {
            send_text(peer, step);
        }
    }
    _exit(SERVER_GOOD);
}

/* `late_ms`: how long after the return of this function there is a socket to connect to. */
static pid_t serve(const struct step *steps, unsigned late_ms)
{
    unlink(path);
    const int early = late_ms == 0 ? unix_listener(path) : -1;
    const pid_t server = fork();

    if (server == 0) {
        sleep_ms(late_ms);
        be_server(late_ms == 0 ? early : unix_listener(path), steps);
    }
    if (early >= 0) {
        close(early);
    }
    return server;
}

static void check_server(pid_t server)
{
    int status = -1;

    waitpid(server, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == SERVER_GOOD);
}

static bool is_dead(void *context)
{
    (void)context;
    return false;
}

/* ---- the begin ---- */

static void check_opens(const struct step *steps, unsigned late_ms)
{
    static struct qmp qmp;
    const struct qmp_wait wait = {.ms = WAIT_MS};
    char error[QMP_ERROR_MAX] = "";
    const pid_t server = serve(steps, late_ms);

    CHECK(qmp_open(&qmp, path, &wait, error));
    CHECK_TEXT(error, "");
    CHECK_EQUAL(qmp.unanswered, 0);
    qmp_close(&qmp);
    check_server(server);
}

/* Asks twice, and the second answer is what is taken. */
static void check_ask(const char *answer, bool good, const char *status, const char *expected)
{
    static struct qmp qmp;
    const struct qmp_wait wait = {.ms = 60};
    char error[QMP_ERROR_MAX] = "";
    const pid_t server = serve(
        (struct step[]){
            {.sends = GREETING},
            {.expects = "qmp_capabilities", .sends = DONE},
            {.expects = "query-status", .sends = "{\"return\": {\"status\": \"running\"}}\n"},
            {.expects = "query-migrate", .sends = answer, .pause_ms = answer == NULL ? 150 : 0},
            {0}},
        0);

    CHECK(qmp_open(&qmp, path, &(struct qmp_wait){.ms = WAIT_MS}, error));
    CHECK(
        qmp_ask(&qmp, "{\"execute\":\"query-status\"}", &(struct qmp_wait){.ms = WAIT_MS}, error));
    CHECK_TEXT(qmp.status, "running");
    CHECK_EQUAL(qmp_ask(&qmp, "{\"execute\":\"query-migrate\"}", &wait, error), good);
    CHECK_TEXT(error, expected);
    if (good) {
        CHECK_TEXT(qmp.status, status);
    }
    qmp_close(&qmp);
    check_server(server);
}

static void test_ask(void)
{
    check_ask("{\"return\": {\"status\": \"completed\", \"total-time\": 9}}\n", true, "completed",
              "");
    check_ask("{\"return\": {}}\n", true, "", "");
    check_ask(EVENT "{\"return\": {\"status\": 3}}\n", true, "", "");
    check_ask("{\"error\": {\"class\": \"GenericError\", \"desc\": \"no\"}}\n", false, "",
              "QEMU rejected a command: no");
    check_ask(NULL, false, "",
              "QEMU's QMP socket did not answer {\"execute\":\"query-migrate\"} within 60 ms");
}

static void check_open_error(const struct step *steps, unsigned wait_ms, const char *expected)
{
    static struct qmp qmp;
    const struct qmp_wait wait = {.ms = wait_ms};
    char error[QMP_ERROR_MAX] = "";
    const pid_t server = serve(steps, 0);

    CHECK(!qmp_open(&qmp, path, &wait, error));
    CHECK_TEXT(error, expected);
    check_server(server);
}

static void test_begin(void)
{
    check_opens((struct step[]){{.sends = GREETING},
                                {.expects = "\"qmp_capabilities\"", .sends = DONE},
                                {0}},
                0);
    check_opens((struct step[]){{.sends = GREETING, .pause_ms = 100},
                                {.expects = "qmp_capabilities", .sends = DONE, .pause_ms = 50},
                                {0}},
                0);
    check_opens(
        (struct step[]){{.sends = GREETING}, {.expects = "qmp_capabilities", .sends = DONE}, {0}},
        60);
    check_opens(
        (struct step[]){
            {.sends = GREETING, .in_bytes = true},
            {.expects = "qmp_capabilities", .sends = EVENT "\r\n" EVENT DONE, .in_bytes = true},
            {0}},
        0);
    check_opens((struct step[]){{.sends = EVENT GREETING EVENT},
                                {.expects = "qmp_capabilities", .sends = DONE},
                                {0}},
                0);
}

static void test_no_begin(void)
{
    static char endless[QMP_MESSAGE_MAX + 2];

    memset(endless, ' ', sizeof(endless) - 1);
    check_open_error((struct step[]){{.sends = EVENT}, {.pause_ms = 150}, {0}}, 60,
                     "QEMU's QMP socket sent no greeting within 60 ms");
    check_open_error(
        (struct step[]){{.sends = GREETING}, {.expects = "qmp_capabilities", .pause_ms = 150}, {0}},
        60, "QEMU's QMP socket did not answer qmp_capabilities within 60 ms");
    check_open_error((struct step[]){{0}}, WAIT_MS, "QEMU closed its QMP socket");
    check_open_error((struct step[]){{.sends = GREETING},
                                     {.expects = "qmp_capabilities", .sends = "{\"ret"},
                                     {0}},
                     WAIT_MS, "QEMU closed its QMP socket");
    check_open_error(
        (struct step[]){{.sends = "login: \n"}, {0}}, WAIT_MS,
        "QEMU's QMP socket sent something other than a JSON object: is it really QEMU's?");
    check_open_error(
        (struct step[]){{.sends = "[1]\n"}, {0}}, WAIT_MS,
        "QEMU's QMP socket sent something other than a JSON object: is it really QEMU's?");
    check_open_error((struct step[]){{.sends = "{\"hello\": 1}\n"}, {0}}, WAIT_MS,
                     "QEMU's QMP socket sent a message of an unknown kind");
    check_open_error((struct step[]){{.sends = endless}, {0}}, WAIT_MS,
                     "QEMU's QMP socket sent a message that is too long");
    check_open_error(
        (struct step[]){
            {.sends = GREETING},
            {.expects = "qmp_capabilities",
             .sends =
                 "{\"id\": \"qmp_capabilities\", \"error\": {\"desc\": \"no such command\"}}\n"},
            {0}},
        WAIT_MS, "QEMU rejected qmp_capabilities: no such command");
    check_open_error((struct step[]){{.sends = GREETING},
                                     {.expects = "qmp_capabilities", .sends = "{\"error\": 1}\n"},
                                     {0}},
                     WAIT_MS, "QEMU rejected a command: no reason given");
}

static void test_no_socket(void)
{
    static struct qmp qmp;
    struct qmp_wait wait = {.ms = 30};
    char error[QMP_ERROR_MAX];
    char expected[QMP_ERROR_MAX];

    unlink(path);
    CHECK(!qmp_open(&qmp, path, &wait, error));
    snprintf(expected, sizeof(expected),
             "QEMU opened no QMP socket within 30 ms: %.300s: No such file or directory", path);
    CHECK_TEXT(error, expected);
    wait.ms = WAIT_MS;
    wait.alive = is_dead;
    CHECK(!qmp_open(&qmp, path, &wait, error));
    CHECK_TEXT(error, "QEMU ended before it opened its QMP socket");
    const int listener = unix_listener(path);

    CHECK(!qmp_open(&qmp, path, &wait, error)); /* connected, without a greeting */
    CHECK_TEXT(error, "QEMU ended before its QMP socket was ready");
    close(listener);
}

/* ---- commands ---- */

static bool open_quietly(struct qmp *qmp)
{
    const struct qmp_wait wait = {.ms = WAIT_MS};
    char error[QMP_ERROR_MAX];

    return qmp_open(qmp, path, &wait, error);
}

/* Listens until all is answered, or something is wrong. */
static bool listen_on(struct qmp *qmp, char error[QMP_ERROR_MAX])
{
    const uint64_t limit_ms = monotonic_ms() + WAIT_MS;

    while (qmp->unanswered > 0 && monotonic_ms() < limit_ms) {
        if (!qmp_listen(qmp, 10, error)) {
            return false;
        }
    }
    return qmp->unanswered == 0;
}

static void test_events(void)
{
    static struct qmp qmp;
    static const struct input_event events[] = {
        {.kind = INPUT_KEY_DOWN, .code = 0x1e},
        {.kind = INPUT_KEY_UP, .code = INPUT_EXTENDED | 0x51},
        {.kind = INPUT_BUTTON_DOWN, .code = BUTTON_LEFT},
        {.kind = INPUT_BUTTON_UP, .code = BUTTON_MIDDLE},
        {.kind = INPUT_MOVE, .dx = -3, .dy = 200},
    };
    static const struct step steps[] = {
        {.sends = GREETING},
        {.expects = "qmp_capabilities", .sends = DONE},
        {.expects = A_DOWN, .sends = ANSWER},
        {.expects = "{\"down\":false,\"key\":{\"type\":\"qcode\",\"data\":\"pgdn\"}}",
         .sends = EVENT ANSWER},
        {.expects = "{\"type\":\"btn\",\"data\":{\"down\":true,\"button\":\"left\"}}"},
        {.expects = "{\"type\":\"btn\",\"data\":{\"down\":false,\"button\":\"middle\"}}",
         .sends = ANSWER ANSWER},
        {.expects = "[{\"type\":\"rel\",\"data\":{\"axis\":\"x\",\"value\":-3}},"
                    "{\"type\":\"rel\",\"data\":{\"axis\":\"y\",\"value\":-200}}]",
         .sends = ANSWER,
         .pause_ms = 20,
         .in_bytes = true},
        {0}};
    char error[QMP_ERROR_MAX] = "";
    const pid_t server = serve(steps, 0);

    CHECK(open_quietly(&qmp));
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        CHECK(qmp_send_event(&qmp, &events[i], error));
    }
    CHECK_EQUAL(qmp.unanswered, 5);
    CHECK(listen_on(&qmp, error));
    CHECK_TEXT(error, "");
    check_server(server);
    CHECK(!qmp_listen(&qmp, 100, error)); /* the server has gone */
    CHECK_TEXT(error, "QEMU closed its QMP socket");
    qmp_close(&qmp);
}

static void test_refusal(void)
{
    static struct qmp qmp;
    const struct input_event down = {.kind = INPUT_KEY_DOWN, .code = 0x1e};
    static const struct step steps[] = {
        {.sends = GREETING},
        {.expects = "qmp_capabilities", .sends = DONE},
        {.expects = A_DOWN,
         .sends = EVENT "{\"id\": \"key a down\", \"error\": {\"class\": \"GenericError\", "
                        "\"desc\": \"no keyboard\"}}\r\n"},
        {0}};
    char error[QMP_ERROR_MAX] = "";
    const pid_t server = serve(steps, 0);

    CHECK(open_quietly(&qmp));
    CHECK(qmp_send_event(&qmp, &down, error));
    CHECK(!listen_on(&qmp, error));
    CHECK_TEXT(error, "QEMU rejected key a down: no keyboard");
    qmp_close(&qmp);
    check_server(server);
}

static void test_names(void)
{
    char name[QMP_NAME_MAX];

    qmp_event_name(&(struct input_event){.kind = INPUT_KEY_UP, .code = 0x36}, name);
    CHECK_TEXT(name, "key rightshift up");
    qmp_event_name(&(struct input_event){.kind = INPUT_BUTTON_DOWN, .code = BUTTON_RIGHT}, name);
    CHECK_TEXT(name, "right button down");
    qmp_event_name(&(struct input_event){.kind = INPUT_MOVE, .dx = 1, .dy = -255}, name);
    CHECK_TEXT(name, "move 1,-255");
}

/* ---- typing ---- */

static void send_ready(struct keys *keys, const char *text)
{
    char line[100];
    struct record record;

    snprintf(line, sizeof(line), "%s", text);
    CHECK(record_parse(line, strlen(line), &record));
    keys_on_record(keys, &record);
}

/* Attends until the script is over or typing has ended. */
static void type_on(struct keys *keys)
{
    const uint64_t limit_ms = monotonic_ms() + WAIT_MS;

    while (keys->connected && (keys->typing || keys->qmp.unanswered > 0) &&
           monotonic_ms() < limit_ms) {
        sleep_ms(keys_attend(keys));
    }
}

static bool begin_typing(struct keys *keys, const struct keys_script *script)
{
    static struct progress quiet = {.quiet = true};
    const struct qmp_wait wait = {.ms = WAIT_MS};

    return keys_begin(keys, script, &quiet, path, &wait, &(struct qmp_events){NULL});
}

static void test_typing(void)
{
    static struct keys keys;
    static const struct step steps[] = {
        {.sends = GREETING},
        {.expects = "qmp_capabilities", .sends = DONE},
        {.expects = "key a down", .sends = ANSWER},
        {.expects = "key a up", .sends = ANSWER},
        {.expects = "key b down", .sends = ANSWER},
        {.expects = "key a down", .sends = ANSWER}, /* from the begin */
        {.expects = "key a up", .sends = ANSWER},
        {.expects = "key b down", .sends = ANSWER},
        {.expects = "key b up", .sends = ANSWER},
        {0}};
    struct keys_script script;
    char error[KEYS_ERROR_MAX];
    const pid_t server = serve(steps, 0);

    CHECK(keys_read(&script, "a hold=20ms every=60ms; b hold=500ms", error));
    CHECK_EQUAL(keys_length_ms(&script), 561);
    script.events[3].at_us = 90000;
    CHECK(begin_typing(&keys, &script));
    CHECK_EQUAL(keys_attend(&keys), KEYS_IDLE_MS);
    send_ready(&keys, "input bench=echo state=over");
    send_ready(&keys, "status bench=echo state=ready");
    CHECK(!keys.typing && keys.rounds == 0);
    send_ready(&keys, "input bench=echo state=ready");
    while (keys.typing && keys.next < 3) {
        sleep_ms(keys_attend(&keys));
    }
    const uint64_t begin_us = monotonic_us();

    send_ready(&keys, "input bench=click state=ready");
    type_on(&keys);
    CHECK(monotonic_us() - begin_us >= 90000);
    CHECK(!keys.typing && keys.next == 4 && keys.rounds == 2);
    CHECK_TEXT(keys.error, "");
    check_server(server);
    sleep_ms(keys_attend(&keys)); /* QEMU leaves: no failure, unless there is more to type */
    CHECK_TEXT(keys.error, "");
    CHECK(!keys.connected);
    send_ready(&keys, "input bench=echo state=ready");
    CHECK_TEXT(keys.error, "QEMU closed its QMP socket before echo");
    keys_end(&keys);
    keys_free(&script);
}

/* Types four movements, the first of them `late_ms` late; returns how long after the script's begin
 * the last went out. */
static uint64_t type_moves(const char *text, unsigned late_ms)
{
    static struct keys keys;
    static const struct step steps[] = {{.sends = GREETING},
                                        {.expects = "qmp_capabilities", .sends = DONE},
                                        {.expects = "move 1,0", .sends = ANSWER},
                                        {.expects = "move 1,0", .sends = ANSWER},
                                        {.expects = "move 1,0", .sends = ANSWER},
                                        {.expects = "move 1,0", .sends = ANSWER},
                                        {0}};
    struct keys_script script;
    char error[KEYS_ERROR_MAX];
    const pid_t server = serve(steps, 0);

    CHECK(keys_read(&script, text, error));
    CHECK(begin_typing(&keys, &script));
    send_ready(&keys, "input bench=echo state=ready");
    sleep_ms(late_ms);
    type_on(&keys);
    CHECK(keys.next == 4 && keys.late_us >= 1000ull * late_ms && keys.error[0] == '\0');
    keys_end(&keys);
    check_server(server);
    keys_free(&script);
    return keys.typed_us - keys.begin_us;
}

/* A late begin shifts nothing after it; what is due at once still goes out one by one. */
static void test_lateness(void)
{
    CHECK(type_moves("move 1,0 every=50ms x4", 0) >= 150000);
    CHECK(type_moves("move 1,0 every=100ms x4", 300) < 600000);
    CHECK(type_moves("move 1,0 every=0ms x4", 0) >= 3 * KEYS_SPACING_US);
}

static void test_typing_ends(void)
{
    static struct keys keys;
    static const struct step refusing[] = {
        {.sends = GREETING},
        {.expects = "qmp_capabilities", .sends = DONE},
        {.expects = "key a down",
         .sends = "{\"id\": \"key a down\", \"error\": {\"desc\": \"no\"}}\r\n"},
        {0}};
    static const struct step leaving[] = {{.sends = GREETING},
                                          {.expects = "qmp_capabilities", .sends = DONE},
                                          {.expects = "key a down", .sends = ANSWER},
                                          {0}};
    struct keys_script script;
    char error[KEYS_ERROR_MAX];

    CHECK(keys_read(&script, "a hold=100ms", error));
    pid_t server = serve(refusing, 0);

    CHECK(begin_typing(&keys, &script));
    send_ready(&keys, "input bench=echo state=ready");
    type_on(&keys);
    CHECK(!keys.typing && !keys.connected);
    CHECK_TEXT(keys.error, "QEMU rejected key a down: no");
    check_server(server);
    server = serve(leaving, 0);
    CHECK(begin_typing(&keys, &script));
    send_ready(&keys, "input bench=echo state=ready");
    type_on(&keys);
    CHECK_TEXT(keys.error, "QEMU closed its QMP socket");
    check_server(server);
    keys_free(&script);
}

/* ---- the argument ---- */

static void check_argument_error(const char *argument, const char *expected)
{
    struct keys_script script;
    char error[KEYS_ERROR_MAX] = "";

    CHECK(!keys_read(&script, argument, error));
    CHECK_TEXT(error, expected);
}

static void test_argument(void)
{
    struct keys_script script;
    char error[KEYS_ERROR_MAX];
    char name[TEMPORARY_PATH_MAX];
    char argument[TEMPORARY_PATH_MAX + 1];
    char expected[TEMPORARY_PATH_MAX];
    char *large = alloc_zeroed(5000);

    temporary_name(&folder, "script", name);
    snprintf(argument, sizeof(argument), "@%s", name);
    CHECK(temporary_write(&folder, "script", "a\nb # x\n"));
    CHECK(keys_read(&script, argument, error));
    CHECK(script.count == 4 && script.events[3].at_us == 160000);
    CHECK_TEXT(script.text, "a\nb # x\n");
    keys_free(&script);
    memset(large, ';', 4999);
    temporary_name(&folder, "large", name);
    snprintf(argument, sizeof(argument), "@%s", name);
    CHECK(temporary_write(&folder, "large", large));
    snprintf(expected, sizeof(expected), "%.300s: is longer than a plan can be", name);
    check_argument_error(argument, expected);
    free(large);
    temporary_name(&folder, "none", name);
    snprintf(argument, sizeof(argument), "@%s", name);
    snprintf(expected, sizeof(expected), "%.300s: No such file or directory", name);
    check_argument_error(argument, expected);
    check_argument_error("", "the script has no event");
    check_argument_error("# a", "the script has no event");
    check_argument_error("a;c2", "script statement 2, c2: expected key, type, click, move, wheel, "
                                 "pause or the name of a key");
    check_argument_error("a every=1ms x2", "script: key a is pressed while it is held");
}

int main(void)
{
    if (!temporary_create(&folder)) {
        perror("temporary folder");
        return 1;
    }
    temporary_name(&folder, "qmp", path);
    RUN(test_begin());
    RUN(test_ask());
    RUN(test_no_begin());
    RUN(test_no_socket());
    RUN(test_events());
    RUN(test_refusal());
    RUN(test_names());
    RUN(test_typing());
    RUN(test_lateness());
    RUN(test_typing_ends());
    RUN(test_argument());
    temporary_remove(&folder);
    return unit_finish("unit_qmp");
}
