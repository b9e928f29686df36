/* SPDX-License-Identifier: BSD-2-Clause */
/* Source texts as settings of a plan, and those that are refused. */
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
    CHECK(is_refused(&request, "undefined reference to `foo'"));
    request.code[1] = ".ascii \"{\"; .ascii \"x\"; nop # \"";
    request.code[2] = "nop #";
    CHECK(!is_refused(&request, "come in pairs"));
    request.code[1] = "nop; .skip 1024";
    CHECK(is_refused(&request, "more than 1024 bytes"));
    request.code[1] = "jmp 0x1234";
    CHECK(is_refused(&request, "absolute address"));
    request.code[1] = "mov $1f, %eax; 1:";
    CHECK(is_refused(&request, "absolute address"));
    request.code[1] = ".section .code2, \"ax\"; nop; .text; nop";
    CHECK(is_refused(&request, "other than .text has data"));
    request.code[1] = ".bss; .skip 4; .text; nop";
    CHECK(is_refused(&request, "other than .text has data"));
}

static void test_assembler(void)
{
    char error[ASSEMBLE_ERROR_MAX] = "";
    struct code code;

    CHECK(!assemble("as-that-is-not-there", "nop", &code, error));
    CHECK(strstr(error, "install package binutils") != NULL);
    CHECK(!assemble("false", "nop", &code, error) && strstr(error, "printed nothing") != NULL);
    CHECK(!assemble("true", "nop", &code, error) && strstr(error, "code.o") != NULL);
}

int main(void)
{
    RUN(test_settings());
    RUN(test_refused());
    RUN(test_assembler());
    return unit_finish("unit_exec");
}
