/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in printed commands: a shell reads back the name, and no control character is printed. */
#include "tools/base/shell_text.h"
#include "tools/tests/support/unit.h"

static void check(const char *name, const char *expected)
{
    char *text = shell_text(name);

    CHECK_TEXT(text, expected);
    free(text);
}

/* What sh makes of the word. */
static void check_shell(const char *name)
{
    char *text = shell_text(name);
    char command[512];
    char got[256] = "";

    snprintf(command, sizeof(command), "printf %%s %s", text);
    FILE *shell = popen(command, "r");
    const size_t size = shell != NULL ? fread(got, 1, sizeof(got) - 1, shell) : 0;

    CHECK(shell != NULL && pclose(shell) == 0 && size == strlen(name));
    CHECK_TEXT(got, name);
    free(text);
}

static void test_words(void)
{
    check("run.db", "run.db");
    check("/tmp/a-b_c/Run+1.db", "/tmp/a-b_c/Run+1.db");
    check("a b.db", "'a b.db'");
    check("it's.db", "'it'\\''s.db'");
    check("", "''");
    check("-x.db", "./-x.db");
    check("-x y.db", "./'-x y.db'");
    check("a\033]0;title\007b\nc\x9b.db", "'a?]0;title?b?c?.db'");
    check("\xc3\xa9.db", "'\xc3\xa9.db'");
}

static void test_shell(void)
{
    static const char *const names[] = {"a b",    "$(touch x)", "`id`",  "a;b",    "~root",
                                        "a'b''c", "#x",         "a\\",   "*?[a]",  "a\"b",
                                        "!x",     "a=b",        "{a,b}", "a&b|c>d"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        check_shell(names[i]);
    }
}

int main(void)
{
    RUN(test_words());
    RUN(test_shell());
    return unit_finish("unit_shell_text");
}
