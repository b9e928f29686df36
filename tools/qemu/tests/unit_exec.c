/* SPDX-License-Identifier: BSD-2-Clause */
/* Source texts as settings of a plan, and object files that are refused. */
#include <stdlib.h>

#include "tools/qemu/exec_settings.h"
#include "tools/tests/support/unit.h"

static int is_refused(struct exec_request *request, const char *pattern)
{
    char error[EXEC_ERROR_MAX] = "";
    char *settings = exec_settings(request, error);

    free(settings);
    return settings == NULL && strstr(error, pattern) != NULL;
}

static void test_settings(void)
{
    const struct exec_request request = {
        .code = {"add %rax, %rbx", "nop\nnop # {"},
        .codes = 2,
        .init = {"mov $1, %eax"},
        .inits = 1,
    };
    char error[EXEC_ERROR_MAX] = "";
    char *settings = exec_settings(&request, error);

    CHECK(settings != NULL && strcmp(settings, "exec.code=4801c3,9090\n"
                                               "exec.init=b801000000\n"
                                               "exec.text={add %rax, %rbx\n"
                                               "nop;nop # {\n"
                                               "}\n") == 0);
    free(settings);
}

static void test_refused(void)
{
    struct exec_request request = {.code = {"nop", "nop", "nop"}, .codes = 3};

    request.init[0] = request.init[1] = "nop";
    request.inits = 2;
    CHECK(is_refused(&request, "2 inits for 3 codes"));
    request.inits = 0;
    request.code[1] = "foo";
    CHECK(is_refused(&request, "'foo': no such instruction"));
    request.code[1] = "call foo";
    CHECK(is_refused(&request, "refers to foo,"));
    request.code[1] = ".ascii \"{\"; .ascii \"x\"; nop # \"";
    request.code[2] = "nop #";
    CHECK(!is_refused(&request, "come in pairs"));
    request.code[1] = "nop; .skip 1024";
    CHECK(is_refused(&request, "1025 bytes"));
    request.code[1] = ".bss; .skip 4; .text; nop";
    CHECK(is_refused(&request, "section .bss has data"));
}

static void test_object(void)
{
    static const uint8_t empty[64] = {0x7f, 'E', 'L', 'F', 2};
    char error[OBJECT_ERROR_MAX];
    struct code code;

    CHECK(!object_code(empty, 10, &code, error) && strstr(error, "too short") != NULL);
    CHECK(!object_code(empty, sizeof(empty), &code, error) &&
          strstr(error, "another processor") != NULL);
}

static void test_assembler(void)
{
    char error[ASSEMBLE_ERROR_MAX] = "";
    struct code code;

    CHECK(!assemble("as-that-is-not-there", "nop", &code, error));
    CHECK(strstr(error, "install package binutils") != NULL);
    CHECK(!assemble("false", "nop", &code, error) && strstr(error, "printed nothing") != NULL);
    CHECK(!assemble("true", "nop", &code, error) && strstr(error, "no object file") != NULL);
}

int main(void)
{
    RUN(test_settings());
    RUN(test_refused());
    RUN(test_object());
    RUN(test_assembler());
    return unit_finish("unit_exec");
}
