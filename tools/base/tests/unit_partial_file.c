/* SPDX-License-Identifier: BSD-2-Clause */
/* Files on their way: one writer at a time, nothing but whole files under the final name, and
 * nothing that somebody laid there written through. */
#include "tools/base/partial_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/tests/support/demand.h"
#include "tools/tests/support/unit.h"

#define CONTENT_MAX 64
#define ROUNDS      3000

static struct temporary folder;
static char path[TEMPORARY_PATH_MAX], half[TEMPORARY_PATH_MAX], other[TEMPORARY_PATH_MAX];

static void put(const struct partial_file *file, const char *text)
{
    demand(write(file->descriptor, text, strlen(text)) == (ssize_t)strlen(text));
}

static void read_content(const char *name, char content[CONTENT_MAX])
{
    FILE *file = fopen(name, "r");
    const size_t length = file != NULL ? fread(content, 1, CONTENT_MAX - 1, file) : 0;

    content[length] = '\0';
    if (file != NULL) {
        fclose(file);
    }
}

static bool holds(const char *name, const char *text)
{
    char content[CONTENT_MAX];

    read_content(name, content);
    return strcmp(content, text) == 0;
}

static void write_one(const char *text)
{
    struct partial_file file;
    char error[PARTIAL_FILE_ERROR_MAX] = "";

    CHECK(partial_file_begin(&file, path, error));
    put(&file, text);
    CHECK(partial_file_commit(&file, error));
    CHECK(holds(path, text) && access(half, F_OK) != 0);
}

static void test_one_writer(void)
{
    struct partial_file first, second;
    char error[PARTIAL_FILE_ERROR_MAX] = "";

    write_one("old");
    CHECK(partial_file_begin(&first, path, error));
    put(&first, "new");
    CHECK(holds(path, "old"));
    CHECK(!partial_file_begin(&second, path, error));
    CHECK(strstr(error, path) != NULL && strstr(error, "another program is writing it") != NULL);
    partial_file_discard(&second);
    CHECK(holds(half, "new"));
    CHECK(partial_file_commit(&first, error));
    CHECK(holds(path, "new"));
    CHECK(partial_file_begin(&second, path, error));
    partial_file_discard(&second);
    CHECK(holds(path, "new") && access(half, F_OK) != 0);
}

static bool is_whole(void)
{
    char content[CONTENT_MAX];

    read_content(path, content);
    return strcmp(content, "written by the first") == 0 ||
           strcmp(content, "written by the second") == 0;
}

static void *keep_writing(void *text)
{
    char error[PARTIAL_FILE_ERROR_MAX];
    struct partial_file file;
    size_t torn = 0;

    for (unsigned i = 0; i < ROUNDS; i++) {
        if (partial_file_begin(&file, path, error)) {
            torn += !is_whole();
            put(&file, text);
            torn += !partial_file_commit(&file, error);
        }
        torn += !is_whole();
    }
    return torn == 0 ? NULL : text;
}

/* One may open what the other puts in place just then: that is not to be written over. */
static void test_two_writers(void)
{
    static char first[] = "written by the first";
    static char second[] = "written by the second";
    pthread_t thread;
    void *torn = NULL;

    write_one(first);
    CHECK(pthread_create(&thread, NULL, keep_writing, second) == 0);
    CHECK(keep_writing(first) == NULL);
    CHECK(pthread_join(thread, &torn) == 0 && torn == NULL);
}

static void test_left_behind(void)
{
    struct partial_file file;
    char error[PARTIAL_FILE_ERROR_MAX] = "";
    FILE *left = fopen(half, "w");

    CHECK(left != NULL && fputs("longer than what comes", left) >= 0 && fclose(left) == 0);
    write_one("short");
    CHECK(symlink(other, half) == 0);
    CHECK(!partial_file_begin(&file, path, error));
    CHECK(strstr(error, half) != NULL && strstr(error, ": is a symbolic link; remove it") != NULL);
    CHECK(access(other, F_OK) != 0 && unlink(half) == 0);
    CHECK(mkfifo(half, 0600) == 0);
    CHECK(!partial_file_begin(&file, path, error));
    CHECK(strstr(error, half) != NULL &&
          strstr(error, ": exists and is not a regular file") != NULL);
    CHECK(holds(path, "short") && unlink(half) == 0);
}

static void test_no_place(void)
{
    struct partial_file file;
    char error[PARTIAL_FILE_ERROR_MAX] = "";

    CHECK(!partial_file_begin(&file, "/nonexistent/x", error));
    CHECK_TEXT(error, "cannot write /nonexistent/x: No such file or directory");
    CHECK(!partial_file_begin(&file, "/dev/null", error));
    CHECK_TEXT(error, "cannot write /dev/null: exists and is not a regular file; use another name");
    CHECK(partial_file_begin(&file, other, error));
    CHECK(mkdir(other, 0700) == 0);
    CHECK(!partial_file_commit(&file, error));
    CHECK(strstr(error, other) != NULL && rmdir(other) == 0);
    partial_file_discard(&file);
}

int main(void)
{
    CHECK(temporary_create(&folder));
    temporary_name(&folder, "out", path);
    temporary_name(&folder, "out.tmp", half);
    temporary_name(&folder, "other", other);
    RUN(test_one_writer());
    RUN(test_two_writers());
    RUN(test_left_behind());
    RUN(test_no_place());
    temporary_remove(&folder);
    CHECK(access(folder.path, F_OK) != 0);
    return unit_finish("unit_partial_file");
}
