#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs a build whose lines "  CC      FILE" are only counted: on a terminal in one line that is
# rewritten, elsewhere in one at the end. All other lines, and errors, are printed as they come.
#
#     quietly.sh COMMAND...
#
# Its status is that of the command.
set -u

started=$(date +%s)
live=0
[ -t 1 ] && [ "${TERM:-dumb}" != dumb ] && live=1
# 9 carries the status, 8 the output: make hands low numbers to the makes below it.
exec 8>&1
status=$({
    {
        "$@" 8>&- 9>&-
        echo $? >&9
    } | awk -v live=$live -v started="$started" '
        /^  [A-Z]+ +[^ ]/ {
            steps++
            if (live) {
                printf "\r\033[Kbuild: %d steps, %s", steps, substr($2, 1, 50)
                fflush()
            }
            next
        }
        {
            if (live && steps)
                printf "\r\033[K"
            print
            fflush()
        }
        END {
            if (live && steps)
                printf "\r\033[K"
            "date +%s" | getline now
            if (steps)
                printf "build: %d steps in %d s\n", steps, now - started
        }' >&8
} 9>&1)
exit "$status"
